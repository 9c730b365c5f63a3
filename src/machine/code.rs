//! Micro-operations laid out flat: one list of instructions per thread, with jumps, and temporaries and registers as slots.
//!
//! The machine stops before every operation that another thread can notice (a *visible* one) and at every jump backwards, so that
//! loops are cycles among its states. Everything else runs through.

use super::System;
use super::awaits::targets;
use super::transitions::Transition;
use crate::diag::Diagnostic;
use crate::program::fences;
use crate::program::{
    Awaited, BinOp, Instr, Op, Program, Property, Reg, SetName, Start, Storage, Sym, Target, Thread, Tmp,
    UnOp, Value,
};
use crate::source::Span;

/// A place for a value in a thread: a register or a temporary.
pub(super) type Slot = u16;

/// What a fence does to the writes that wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FenceKind {
    /// Nothing.
    None,
    /// Later writes do not overtake earlier ones.
    Stores,
    /// All writes must have landed.
    Full,
}

/// One instruction of the machine.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Const {
        dst: Slot,
        value: Value,
    },
    Copy {
        dst: Slot,
        src: Slot,
    },
    Unary {
        dst: Slot,
        op: UnOp,
        a: Slot,
    },
    Binary {
        dst: Slot,
        op: BinOp,
        a: Slot,
        b: Slot,
    },
    /// `locked`: it begins an instruction that is done in one step.
    Load {
        dst: Slot,
        addr: Slot,
        locked: bool,
    },
    Store {
        addr: Slot,
        value: Slot,
    },
    /// Reads into `dst`, runs `ops`, writes `update`: in one step, with nothing waiting.
    Rmw {
        dst: Slot,
        addr: Slot,
        ops: Vec<Code>,
        update: Slot,
    },
    CompareExchange {
        dst: Slot,
        addr: Slot,
        expected: Slot,
        desired: Slot,
    },
    Fence(FenceKind),
    /// Goes on at the given place if the slot holds 0.
    IfZero {
        cond: Slot,
        to: usize,
    },
    Goto {
        to: usize,
    },
    /// Goes on at any of these places.
    Choice {
        to: Vec<usize>,
    },
    /// Waits until the slot is not 0: nothing that it depends on can change any more, so the thread is stuck for good.
    Assume {
        cond: Slot,
    },
    Assert {
        cond: Slot,
        property: Property,
    },
    Nondet {
        dst: Slot,
        low: i128,
        high: i128,
    },
    /// Starts a thread: the first of those with these numbers that has not been started.
    Spawn {
        dst: Slot,
        first: usize,
        copies: usize,
        args: Vec<(Slot, Slot)>,
    },
    Join {
        thread: Slot,
        dst: Option<Slot>,
    },
    /// A new object, all 0: the one of this place.
    Object {
        dst: Slot,
        sym: Sym,
    },
    Free {
        addr: Slot,
    },
    /// The process is in a state: one of these, if its guard holds.
    Transitions(Vec<Transition>),
    Stop,
}

impl Code {
    /// May another thread notice, or may there be several ways on?
    pub(super) fn is_visible(&self) -> bool {
        !matches!(
            self,
            Code::Const { .. }
                | Code::Copy { .. }
                | Code::Unary { .. }
                | Code::Binary { .. }
                | Code::IfZero { .. }
                | Code::Goto { .. }
                | Code::Fence(FenceKind::None)
        )
    }

    fn slots(&self, reads: &mut Vec<Slot>, writes: &mut Vec<Slot>) {
        match self {
            Code::Const { dst, .. } | Code::Nondet { dst, .. } | Code::Object { dst, .. } => {
                writes.push(*dst)
            }
            Code::Free { addr } => reads.push(*addr),
            Code::Copy { dst, src: a } | Code::Unary { dst, a, .. } | Code::Load { dst, addr: a, .. } => {
                reads.push(*a);
                writes.push(*dst);
            }
            Code::Binary { dst, a, b, .. } => {
                reads.extend([*a, *b]);
                writes.push(*dst);
            }
            Code::Store { addr, value } => reads.extend([*addr, *value]),
            Code::Rmw { dst, addr, ops, update } => {
                reads.extend([*addr, *update]);
                // What its own operations make is not needed before.
                let mut own = vec![*dst];
                for op in ops {
                    let (mut r, mut w) = (Vec::new(), Vec::new());
                    op.slots(&mut r, &mut w);
                    reads.extend(r.into_iter().filter(|slot| !own.contains(slot)));
                    own.extend(w);
                }
                reads.retain(|slot| *slot == *addr || !own.contains(slot));
                writes.extend(own);
            }
            Code::CompareExchange { dst, addr, expected, desired } => {
                reads.extend([*addr, *expected, *desired]);
                writes.push(*dst);
            }
            Code::IfZero { cond, .. } | Code::Assume { cond } | Code::Assert { cond, .. } => {
                reads.push(*cond)
            }
            Code::Spawn { dst, args, .. } => {
                reads.extend(args.iter().map(|(_, from)| *from));
                writes.push(*dst);
            }
            Code::Join { thread, dst } => {
                reads.push(*thread);
                writes.extend(*dst);
            }
            Code::Fence(_) | Code::Goto { .. } | Code::Choice { .. } | Code::Transitions(_) | Code::Stop => {}
        }
    }

    fn targets(&self, at: usize, next: &mut Vec<usize>) {
        match self {
            Code::Goto { to } => next.push(*to),
            Code::IfZero { to, .. } => next.extend([at + 1, *to]),
            Code::Choice { to } => next.extend(to),
            Code::Transitions(list) => next.extend(list.iter().map(|transition| transition.to)),
            Code::Stop => {}
            _ => next.push(at + 1),
        }
    }
}

/// The code of one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadCode {
    /// The instructions.
    pub code: Vec<Code>,
    /// Which instruction of the program each belongs to.
    pub of: Vec<u32>,
    /// Where each instruction of the program begins; one more for the end.
    pub starts: Vec<usize>,
    /// Number of slots: registers of the program first, then temporaries.
    pub n_slots: usize,
    /// Does the machine stop before this instruction?
    pub stops: Vec<bool>,
    /// Slots whose values matter before each instruction.
    pub live: Vec<Vec<bool>>,
    /// Does it run from the start?
    pub from_start: bool,
    /// The slot of its result.
    pub result: Option<Slot>,
    /// Where it begins.
    pub first: usize,
}

/// All threads of a program: one per thread that runs by itself, then one for every place that spawns.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// The threads of the machine.
    pub threads: Vec<ThreadCode>,
    /// Which thread of the program each runs.
    pub source: Vec<usize>,
    /// The places that make objects: each has one at a time, with a symbol after those of the program.
    pub objects: Vec<Storage>,
}

/// What a user looks at: labels where the machine must stop, registers whose values must be kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    /// Thread and instruction of the program.
    pub places: Vec<(usize, usize)>,
    /// Thread and register.
    pub registers: Vec<(usize, Reg)>,
}

/// Lays out a program; automata are laid out already.
pub(super) fn compile(system: &System, watched: &Watched) -> Result<Compiled, Diagnostic> {
    if let Some(compiled) = &system.compiled {
        return Ok(compiled.clone());
    }
    let program = &system.program;
    let mut compiled = Compiled { threads: Vec::new(), source: from_start(program), objects: Vec::new() };
    let mut at = 0;
    while let Some(number) = compiled.source.get(at).copied() {
        if compiled.source.len() > MAX_THREADS {
            return Err(Diagnostic::unsupported(
                "machine::threads",
                format!("more than {MAX_THREADS} threads, or threads that start themselves"),
            ));
        }
        let thread = &program.threads[number];
        let code = lay_out(program, at, thread, &mut compiled.source, &mut compiled.objects, watched)?;
        compiled.threads.push(code);
        at += 1;
    }
    Ok(compiled)
}

/// The threads of the program that run from the start.
fn from_start(program: &Program) -> Vec<usize> {
    let alone = |number: &usize| program.threads[*number].start == Start::Alone;
    (0..program.threads.len()).filter(alone).collect()
}

/// Which thread of the program each thread of the machine runs: those that run from the start, then one for each place that starts one, or
/// [`COPIES`] if the place is in a loop.
pub(super) fn threads(program: &Program) -> Vec<usize> {
    fn spawned(ops: &[Op], copies: usize, source: &mut Vec<usize>) {
        for op in ops {
            match op {
                Op::Spawn { code, .. } => source.extend(std::iter::repeat_n(*code, copies)),
                Op::If { then, otherwise, .. } => {
                    spawned(then, copies, source);
                    spawned(otherwise, copies, source);
                }
                Op::Choice { branches } => branches.iter().for_each(|branch| spawned(branch, copies, source)),
                _ => {}
            }
        }
    }
    let mut source = from_start(program);
    let mut at = 0;
    while at < source.len() && source.len() <= MAX_THREADS {
        let code = &program.threads[source[at]].code;
        for (index, instruction) in code.iter().enumerate() {
            spawned(&instruction.ops, copies(code, index), &mut source);
        }
        at += 1;
    }
    source
}

/// So many threads can be started at one place of a loop.
pub(super) const COPIES: usize = 4;

/// How many threads an instruction may start.
fn copies(code: &[Instr], index: usize) -> usize {
    let mut jumps = Vec::new();
    let goes_back = |instr: &Instr| {
        jumps.clear();
        targets(&instr.ops, &mut jumps);
        jumps.iter().any(|target| *target <= index)
    };
    if code[index..].iter().any(goes_back) { COPIES } else { 1 }
}

/// The writes of a program that may wait: thread, instruction, and the cell where it is known without running it.
pub(super) fn writes(system: &System) -> Vec<(usize, usize, Option<usize>)> {
    let program = &system.program;
    let mut all = Vec::new();
    if let Some(compiled) = &system.compiled {
        for (thread, code) in compiled.threads.iter().enumerate() {
            let lists = code.code.iter().filter_map(|code| match code {
                Code::Transitions(list) => Some(list),
                _ => None,
            });
            for transition in lists.flatten() {
                for effect in transition.effects.iter().filter(|effect| !effect.to.own) {
                    // An element that is known only at run time is any.
                    let cell = effect.to.index.is_none().then_some(usize::from(effect.to.base));
                    all.push((thread, transition.instruction, cell));
                }
            }
        }
        return all;
    }
    for (thread, of) in program.threads.iter().enumerate() {
        let writing =
            of.code.iter().enumerate().filter(|(_, instruction)| instruction.ops.iter().any(is_write));
        all.extend(writing.map(|(at, instruction)| (thread, at, written_cell(program, thread, instruction))));
    }
    all
}

/// Is it a write that may wait?
fn is_write(op: &Op) -> bool {
    match op {
        Op::Store { .. } => true,
        Op::If { then, otherwise, .. } => then.iter().chain(otherwise).any(is_write),
        _ => false,
    }
}

/// The cell that an instruction writes, where that is known without running it.
fn written_cell(program: &Program, thread: usize, instruction: &Instr) -> Option<usize> {
    let mut known: Vec<(Tmp, Value)> = Vec::new();
    for op in &instruction.ops {
        match op {
            Op::Const { dst, value } => known.push((*dst, *value)),
            Op::ReadReg { dst, reg, .. } => {
                let init = program.init_regs.iter().find(|(of, known, _)| *of == thread && known == reg);
                known.extend(init.map(|(_, _, value)| (*dst, *value)));
            }
            Op::Store { addr, .. } => {
                let (_, value) = known.iter().rev().find(|(tmp, _)| tmp == addr)?;
                return program.cell_of(*value).map(|cell| usize::from(cell.0));
            }
            _ => {}
        }
    }
    None
}

/// More threads than this are refused.
const MAX_THREADS: usize = 30;

struct Layout<'a> {
    out: ThreadCode,
    n_registers: usize,
    /// Which machine threads there are; places that spawn add to it.
    source: &'a mut Vec<usize>,
    span: Option<Span>,
    /// Does the instruction at hand read and write in one step?
    in_one_step: bool,
    /// The instruction of the program where one that waits tries again.
    again: usize,
    /// How many threads the instruction at hand may start.
    copies: usize,
    /// Jumps to instructions of the program, to be filled in.
    open: Vec<(usize, usize)>,
    objects: &'a mut Vec<Storage>,
    n_symbols: usize,
}

fn lay_out(
    program: &Program,
    number: usize,
    thread: &Thread,
    source: &mut Vec<usize>,
    objects: &mut Vec<Storage>,
    watched: &Watched,
) -> Result<ThreadCode, Diagnostic> {
    let n_registers = program.regs.len();
    let mut layout = Layout {
        out: ThreadCode::default(),
        n_registers,
        source,
        span: None,
        in_one_step: false,
        again: 0,
        copies: 1,
        open: Vec::new(),
        objects,
        n_symbols: program.symbols.len(),
    };
    for (index, instruction) in thread.code.iter().enumerate() {
        layout.out.starts.push(layout.out.code.len());
        layout.span = Some(instruction.span);
        layout.in_one_step = has_locked_store(&instruction.ops);
        layout.again = tries_again(&thread.code, index);
        layout.copies = copies(&thread.code, index);
        layout.ops(&instruction.ops, true)?;
        while layout.out.of.len() < layout.out.code.len() {
            layout.out.of.push(index as u32);
        }
    }
    layout.out.starts.push(layout.out.code.len());
    layout.out.code.push(Code::Stop);
    layout.out.of.push(thread.code.len() as u32);
    for (at, pc) in std::mem::take(&mut layout.open) {
        let target = layout.out.starts[pc.min(thread.code.len())];
        match &mut layout.out.code[at] {
            Code::Goto { to } | Code::IfZero { to, .. } => *to = target,
            _ => {}
        }
    }
    let mut out = layout.out;
    out.n_slots = out.n_slots.max(n_registers);
    out.from_start = thread.start == Start::Alone;
    out.result = thread.result.map(|reg| reg.0);
    out.stops = stops(&out, number, watched);
    let kept: Vec<Slot> = watched
        .registers
        .iter()
        .filter(|(of, _)| *of == number)
        .map(|(_, reg)| reg.0)
        .chain(out.result)
        .collect();
    out.live = liveness(&out, &kept);
    Ok(out)
}

/// Where an instruction that waits tries again: what it waits for is computed by those before it that stand inside of it in the source.
fn tries_again(code: &[Instr], index: usize) -> usize {
    let own = code[index].span;
    let inside = |span: Span| {
        let within = span.source == own.source && own.start <= span.start && span.end <= own.end;
        within && span != own
    };
    let before = code[..index].iter().rev().take_while(|instr| inside(instr.span)).count();
    index - before
}

/// Where the machine stops: before what others can notice, at the targets of jumps backwards, at places that are watched,
/// and after writes to registers that are.
fn stops(out: &ThreadCode, number: usize, watched: &Watched) -> Vec<bool> {
    let mut stops: Vec<bool> = out.code.iter().map(Code::is_visible).collect();
    let mut next = Vec::new();
    for (at, code) in out.code.iter().enumerate() {
        next.clear();
        code.targets(at, &mut next);
        for to in &next {
            if *to <= at {
                stops[*to] = true;
            }
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        code.slots(&mut reads, &mut writes);
        let seen = |slot: &Slot| watched.registers.iter().any(|(of, reg)| *of == number && reg.0 == *slot);
        if writes.iter().any(seen) {
            next.iter().for_each(|to| stops[*to] = true);
        }
    }
    for (of, place) in &watched.places {
        if *of == number {
            stops[out.starts[(*place).min(out.starts.len() - 1)]] = true;
        }
    }
    stops
}

/// Which slots matter before each instruction.
fn liveness(out: &ThreadCode, kept: &[Slot]) -> Vec<Vec<bool>> {
    let mut live = vec![vec![false; out.n_slots]; out.code.len()];
    let (mut reads, mut writes, mut next) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let mut changed = false;
        for at in (0..out.code.len()).rev() {
            reads.clear();
            writes.clear();
            next.clear();
            out.code[at].slots(&mut reads, &mut writes);
            out.code[at].targets(at, &mut next);
            let mut row = vec![false; out.n_slots];
            for to in &next {
                row.iter_mut().zip(&live[*to]).for_each(|(own, later)| *own |= later);
            }
            writes.iter().for_each(|slot| row[usize::from(*slot)] = false);
            reads.iter().for_each(|slot| row[usize::from(*slot)] = true);
            kept.iter().for_each(|slot| row[usize::from(*slot)] = true);
            changed |= row != live[at];
            live[at] = row;
        }
        if !changed {
            return live;
        }
    }
}

impl Layout<'_> {
    fn tmp(&mut self, tmp: Tmp) -> Slot {
        let slot = self.n_registers + usize::from(tmp.0);
        self.out.n_slots = self.out.n_slots.max(slot + 1);
        slot as Slot
    }

    fn push(&mut self, code: Code) -> usize {
        self.out.code.push(code);
        self.out.code.len() - 1
    }

    fn here(&self) -> usize {
        self.out.code.len()
    }

    /// Fills in a jump that was left open.
    fn land(&mut self, at: usize) {
        let here = self.here();
        match &mut self.out.code[at] {
            Code::Goto { to } | Code::IfZero { to, .. } => *to = here,
            _ => {}
        }
    }

    fn unsupported(&self, what: &str) -> Diagnostic {
        let message = format!("{what}: the machine with store buffers does not do that");
        let diagnostic = Diagnostic::unsupported("machine::operation", message);
        match self.span {
            Some(span) => diagnostic.at(span, "here"),
            None => diagnostic,
        }
    }

    /// Lays out a list. `last`: nothing of the instruction comes after it.
    fn ops(&mut self, ops: &[Op], last: bool) -> Result<(), Diagnostic> {
        for (index, op) in ops.iter().enumerate() {
            let rest = &ops[index + 1..];
            let at_end = last && rest.iter().all(|op| !makes_code(op));
            self.op(op, at_end)?;
        }
        Ok(())
    }

    fn op(&mut self, op: &Op, at_end: bool) -> Result<(), Diagnostic> {
        match op {
            Op::Const { dst, value } => {
                let dst = self.tmp(*dst);
                self.push(Code::Const { dst, value: *value });
            }
            Op::Unary { dst, op, a } => {
                let (dst, a) = (self.tmp(*dst), self.tmp(*a));
                self.push(Code::Unary { dst, op: *op, a });
            }
            Op::Binary { dst, op, a, b } => {
                let (dst, a, b) = (self.tmp(*dst), self.tmp(*a), self.tmp(*b));
                self.push(Code::Binary { dst, op: *op, a, b });
            }
            Op::Taint { dst, a, .. } => {
                let (dst, src) = (self.tmp(*dst), self.tmp(*a));
                self.push(Code::Copy { dst, src });
            }
            Op::ReadReg { dst, reg, .. } | Op::ReadRegWith { dst, reg, .. } => {
                let dst = self.tmp(*dst);
                self.push(Code::Copy { dst, src: reg.0 });
            }
            Op::WriteReg { reg, src, .. } => {
                let src = self.tmp(*src);
                self.push(Code::Copy { dst: reg.0, src });
            }
            Op::Load { dst, addr, sets, .. } => {
                let (dst, addr) = (self.tmp(*dst), self.tmp(*addr));
                let locked = self.in_one_step && sets.iter().any(|set| set == "X");
                self.push(Code::Load { dst, addr, locked });
            }
            Op::Store { addr, value, .. } => {
                let (addr, value) = (self.tmp(*addr), self.tmp(*value));
                self.push(Code::Store { addr, value });
            }
            Op::Rmw { dst, addr, ops, update, .. } => {
                let (dst, addr) = (self.tmp(*dst), self.tmp(*addr));
                let start = self.here();
                self.ops(ops, false)?;
                let ops = self.out.code.split_off(start);
                if ops.iter().any(Code::is_visible) {
                    return Err(self.unsupported("a read-modify-write of several steps"));
                }
                let update = self.tmp(*update);
                self.push(Code::Rmw { dst, addr, ops, update });
            }
            Op::CompareExchange { dst, addr, expected, desired, .. } => {
                let (dst, addr) = (self.tmp(*dst), self.tmp(*addr));
                let (expected, desired) = (self.tmp(*expected), self.tmp(*desired));
                self.push(Code::CompareExchange { dst, addr, expected, desired });
            }
            Op::Fence { sets, .. } => {
                self.push(Code::Fence(fence(sets)));
            }
            Op::Branch { cond, extra, .. } => {
                // What hangs on the branch takes the value of its condition.
                if let (Some(cond), Some(done)) = (cond, extra.done) {
                    let (dst, src) = (self.tmp(done), self.tmp(*cond));
                    self.push(Code::Copy { dst, src });
                }
            }
            Op::If { cond, then, otherwise } => {
                let cond = self.tmp(*cond);
                let branch = self.push(Code::IfZero { cond, to: 0 });
                self.ops(then, at_end)?;
                let over = self.push(Code::Goto { to: 0 });
                self.land(branch);
                self.ops(otherwise, at_end)?;
                self.land(over);
            }
            Op::Choice { branches } => {
                let choice = self.push(Code::Choice { to: Vec::new() });
                let mut starts = Vec::new();
                let mut ends = Vec::new();
                for branch in branches {
                    starts.push(self.here());
                    self.ops(branch, at_end)?;
                    ends.push(self.push(Code::Goto { to: 0 }));
                }
                ends.into_iter().for_each(|end| self.land(end));
                if let Code::Choice { to } = &mut self.out.code[choice] {
                    *to = starts;
                }
            }
            Op::Assume { cond } => {
                let cond = self.tmp(*cond);
                self.push(Code::Assume { cond });
            }
            // A loop that only looks goes round again.
            Op::Await { what: Awaited::Loop, .. } => {}
            // Who waits for another tries again: nobody is stuck who can go on later.
            Op::Await { cond, what: Awaited::Library } => {
                let cond = self.tmp(*cond);
                let at = self.push(Code::IfZero { cond, to: 0 });
                self.open.push((at, self.again));
            }
            Op::Assert { property, .. } if property.is_caution() => {}
            Op::Assert { cond, property } => {
                let cond = self.tmp(*cond);
                self.push(Code::Assert { cond, property: property.clone() });
            }
            Op::Jump { target: Target::Pc(pc) } | Op::Goto { pc } => {
                if !at_end {
                    return Err(self.unsupported("an instruction that does more after it has jumped"));
                }
                let at = self.push(Code::Goto { to: 0 });
                self.open.push((at, *pc));
            }
            Op::Stop => {
                self.push(Code::Stop);
            }
            Op::Nondet { dst, low, high } => {
                let dst = self.tmp(*dst);
                self.push(Code::Nondet { dst, low: *low, high: *high });
            }
            Op::Spawn { dst, code, args, .. } => {
                let (first, copies) = (self.source.len(), self.copies);
                self.source.extend(std::iter::repeat_n(*code, copies));
                let dst = self.tmp(*dst);
                let args = args.iter().map(|(reg, tmp)| (reg.0, self.tmp(*tmp))).collect();
                self.push(Code::Spawn { dst, first, copies, args });
            }
            Op::Join { thread, dst } => {
                let thread = self.tmp(*thread);
                let dst = dst.map(|dst| self.tmp(dst));
                self.push(Code::Join { thread, dst });
            }
            Op::LoopHead { .. }
            | Op::LoopEnter { .. }
            | Op::CondBegin
            | Op::CondEnd
            | Op::ControlSave { .. }
            | Op::ControlRestore { .. }
            | Op::Mark { .. } => {}
            Op::Jump { target: Target::Indirect(_) } => {
                return Err(self.unsupported("a jump to a computed place"));
            }
            Op::Collide { .. } | Op::Need { .. } => return Err(self.unsupported("a signed pointer")),
            Op::Fault { .. } | Op::ExceptionReturn { .. } => return Err(self.unsupported("an exception")),
            Op::Reserve { .. } | Op::Conditional { .. } => {
                return Err(self.unsupported("load-reserve and store-conditional"));
            }
            Op::Alloc { dst, kind, .. } => {
                let sym = Sym((self.n_symbols + self.objects.len()) as u16);
                self.objects.push(*kind);
                let dst = self.tmp(*dst);
                self.push(Code::Object { dst, sym });
            }
            Op::Free { addr, .. } => {
                let addr = self.tmp(*addr);
                self.push(Code::Free { addr });
            }
            Op::From { .. } | Op::Named { .. } | Op::Pin { .. } => {
                return Err(self.unsupported("page tables and tags"));
            }
            Op::Other { .. } => return Err(self.unsupported("an operation of the kernel's own model")),
        }
        // Results that only say that something was done.
        if let Some(done) = done(op) {
            let dst = self.tmp(done);
            self.push(Code::Const { dst, value: Value::ZERO });
        }
        Ok(())
    }
}

/// Is there a write among the operations that belongs to a read-modify-write?
fn has_locked_store(ops: &[Op]) -> bool {
    ops.iter().any(|op| match op {
        Op::Store { sets, .. } => sets.iter().any(|set| set == "X"),
        Op::If { then, otherwise, .. } | Op::Conditional { then, otherwise, .. } => {
            has_locked_store(then) || has_locked_store(otherwise)
        }
        Op::Choice { branches } => branches.iter().any(|branch| has_locked_store(branch)),
        _ => false,
    })
}

/// Does an operation leave anything behind?
fn makes_code(op: &Op) -> bool {
    !matches!(
        op,
        Op::LoopHead { .. }
            | Op::LoopEnter { .. }
            | Op::CondBegin
            | Op::CondEnd
            | Op::ControlSave { .. }
            | Op::ControlRestore { .. }
    )
}

/// The temporary that an event is bound to, where its value is of no interest.
fn done(op: &Op) -> Option<Tmp> {
    match op {
        Op::WriteReg { extra, .. }
        | Op::Load { extra, .. }
        | Op::Store { extra, .. }
        | Op::Rmw { extra, .. }
        | Op::CompareExchange { extra, .. }
        | Op::Fence { extra, .. } => extra.done,
        Op::Branch { extra, cond: None, .. } => extra.done,
        _ => None,
    }
}

/// What a fence does, by the sets that it belongs to.
fn fence(sets: &[SetName]) -> FenceKind {
    let any = |names: &[&str]| sets.iter().any(|set| names.contains(&set.as_ref()));
    if any(&fences::FULL) || any(&[fences::FULL_ORDER]) {
        FenceKind::Full
    } else if any(&fences::STORES) {
        FenceKind::Stores
    } else {
        FenceKind::None
    }
}
