//! How the micro-operations of one thread become flat code.

use super::code::{Code, FenceKind, Slot, ThreadCode, Watched, copies};
use crate::diag::Diagnostic;
use crate::program::fences;
use crate::program::{Awaited, Instr, Op, Program, SetName, Start, Storage, Sym, Target, Thread, Tmp, Value};
use crate::source::Span;

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

/// Lays out one thread: the `number`th of the machine.
pub(super) fn lay_out(
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
            | Op::Print { .. }
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
            | Op::Print { .. }
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
