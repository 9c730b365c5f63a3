//! The stepper: runs the micro-ops of one thread on concrete values, from one memory access to the next.
//!
//! Nothing is forked: a value read is bound when the access is made, so that every branch is known when it is met. What is
//! left open (a store-conditional's success, a weak compare-exchange's failure) is a [`Stop::Choice`].

use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::execution::{Cut, EventKind};
use crate::program::{
    AccessSize, BinOp, CellSizes, Extra, IllegalOp, Instr, Op, Program, Reg, SetName, Target, Tmp, Value,
    eval_binary, eval_unary,
};

use super::cells::Cells;

/// More executed instructions than this in one thread: it does not end.
const MAX_STEPS: u32 = 10_000;

/// A value in a temporary or register.
#[derive(Clone, Copy)]
struct Held {
    value: Result<Value, IllegalOp>,
    /// Does it depend on no read? Loops over such values are not counted against the unrolling bound.
    constant: bool,
    /// The events of this instruction instance that it comes from, and those that these come from.
    causes: u64,
    /// The number of the newest event that it comes from directly, plus one.
    newest: u32,
}

impl Held {
    const ZERO: Held = Held { value: Ok(Value::ZERO), constant: true, causes: 0, newest: 0 };
}

/// A list of micro-ops being run.
#[derive(Clone)]
struct Frame<'p> {
    ops: &'p [Op],
    at: u32,
    /// For a branch of an [`Op::If`]: the causes of its condition, the newest of them, and the number of events when
    /// it was entered.
    guard: Option<(u64, u32, u32)>,
    /// Was the condition of that branch a known constant?
    constant: bool,
    /// Is it one way of several that the machine may take?
    forked: bool,
}

/// Where a thread is.
#[derive(Clone)]
pub(super) struct State<'p> {
    thread: u16,
    code: u16,
    pc: u32,
    frames: Vec<Frame<'p>>,
    /// Number of the instruction instance being run.
    pub instance: u32,
    started: bool,
    /// Has this instruction instance made an access already?
    accessed: bool,
    tmps: Vec<Held>,
    regs: Vec<Held>,
    next: Option<(u16, u32)>,
    reserved: Option<Value>,
    jumps: Vec<((u16, u32), u32)>,
    loops: Vec<(u32, u32)>,
    /// What registers held at the last pass through a loop that was known to be taken.
    passes: Vec<(u32, u64)>,
    /// Events made so far, register events included.
    count: u32,
    /// How many events of this instance the graph has, and the cells of the reads among them.
    own: u8,
    reads: Vec<(u8, u16)>,
    /// Events made since the last access.
    pub fresh: Vec<Plain<'p>>,
}

/// An event without a value: a fence, a branch, any other.
#[derive(Clone)]
pub(super) struct Plain<'p> {
    pub place: Place,
    pub kind: EventKind,
    pub cell: Option<u16>,
    pub sets: &'p [SetName],
    /// The events of its instruction that are before it in program order.
    pub inner: u64,
}

/// Where an event stands in its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub thread: u16,
    pub code: u16,
    pub pc: u32,
    pub instance: u32,
    /// The position among the events of its instance.
    pub own: u8,
}

/// A memory access about to be made.
#[derive(Clone)]
pub(super) struct Access<'p> {
    pub place: Place,
    pub kind: EventKind,
    pub cell: u16,
    pub size: AccessSize,
    pub sets: &'p [SetName],
    causes: u64,
    /// The events of its instruction that are before it in program order.
    pub inner: u64,
    /// The value of a plain write.
    pub value: Option<Value>,
    op: &'p Op,
}

/// A thread about to make an access.
#[derive(Clone)]
pub(super) struct Leaf<'p> {
    pub state: State<'p>,
    pub access: Access<'p>,
}

/// Where a thread has come to.
pub(super) enum Stop<'p> {
    /// At an access: one way, or several reads of one cell of which the value read will choose one.
    Access(Vec<Leaf<'p>>),
    /// At a choice of the machine.
    Choice(Vec<Arc<Stop<'p>>>),
    /// At its end.
    Ended(State<'p>),
    /// An assumption does not hold.
    Blocked(State<'p>),
    /// A loop was run as often as the bound allows.
    Cut(State<'p>, Cut),
    /// It asks for what cannot be given.
    Error(State<'p>, Diagnostic),
}

impl<'p> Stop<'p> {
    /// In the middle of an instruction that has made an access already?
    pub fn is_inside(&self) -> bool {
        match self {
            Stop::Access(leaves) => leaves.iter().any(|leaf| leaf.state.accessed),
            _ => false,
        }
    }

    /// The state of a thread that is not going on.
    pub fn last(&self) -> Option<&State<'p>> {
        match self {
            Stop::Access(_) | Stop::Choice(_) => None,
            Stop::Ended(state) | Stop::Blocked(state) | Stop::Cut(state, _) | Stop::Error(state, _) => {
                Some(state)
            }
        }
    }
}

impl State<'_> {
    /// Has nothing changed since the last pass through a loop that can end it?
    fn goes_round(&mut self, id: u32) -> bool {
        use std::hash::{Hash, Hasher};
        let mut hasher = rustc_hash::FxHasher::default();
        for held in self.regs.iter().filter(|held| held.constant) {
            held.value.hash(&mut hasher);
        }
        let now = hasher.finish();
        match self.passes.iter_mut().find(|(loop_id, _)| *loop_id == id) {
            Some((_, last)) => std::mem::replace(last, now) == now,
            None => {
                self.passes.push((id, now));
                false
            }
        }
    }

    /// The value of a register.
    pub fn register(&self, reg: Reg) -> Result<Value, IllegalOp> {
        self.regs.get(reg.0 as usize).map_or(Ok(Value::ZERO), |held| held.value)
    }
}

/// Why a thread does not simply go on.
enum Halt<'p> {
    Stop(Box<Stop<'p>>),
    Error(Diagnostic),
}

impl From<Diagnostic> for Halt<'_> {
    fn from(diagnostic: Diagnostic) -> Self {
        Halt::Error(diagnostic)
    }
}

/// What all threads share.
pub(super) struct Stepper<'p> {
    pub program: &'p Program,
    pub unroll: u32,
    pub cells: &'p Cells,
    /// Are the two accesses of an atomic instruction ordered, as far as cycles with `rf` go?
    pub orders_updates: bool,
}

impl<'p> Stepper<'p> {
    /// A thread at its first stop.
    pub fn start(&self, thread: usize) -> Stop<'p> {
        let mut regs = vec![Held::ZERO; self.program.regs.len()];
        for (_, reg, value) in self.program.init_regs.iter().filter(|(t, ..)| *t == thread) {
            regs[reg.0 as usize].value = Ok(*value);
        }
        let state = State {
            thread: thread as u16,
            code: thread as u16,
            pc: 0,
            frames: Vec::new(),
            instance: 0,
            started: false,
            accessed: false,
            tmps: Vec::new(),
            regs,
            next: None,
            reserved: None,
            jumps: Vec::new(),
            loops: Vec::new(),
            passes: Vec::new(),
            count: 0,
            own: 0,
            reads: Vec::new(),
            fresh: Vec::new(),
        };
        self.run(state)
    }

    /// Makes the access, reading `value` if it reads, and goes on to the next stop. Also the value written.
    pub fn resume(&self, leaf: &Leaf<'p>, value: Value) -> (Option<Value>, Stop<'p>) {
        let mut state = leaf.state.clone();
        let access = &leaf.access;
        state.fresh.clear();
        let number = state.count;
        state.count += 1;
        let own = access.place.own;
        state.own = own + 1;
        state.accessed = true;
        let causes = access.causes | bit(own);
        let read = Held { value: Ok(value), constant: false, causes, newest: number + 1 };
        let mut written = access.value;
        if access.kind != EventKind::Write {
            state.reads.push((own, access.cell));
        }
        let done = match access.op {
            Op::Load { dst, extra, .. } => {
                set(&mut state, *dst, read);
                extra.done
            }
            Op::Store { extra, .. } => extra.done,
            Op::Rmw { dst, ops, update, extra, .. } => {
                set(&mut state, *dst, read);
                for op in ops {
                    if let Err(diagnostic) = self.compute(&mut state, op) {
                        return (None, Stop::Error(state, diagnostic));
                    }
                }
                match self.value(&state, *update) {
                    Ok(value) => written = Some(value),
                    Err(diagnostic) => return (None, Stop::Error(state, diagnostic)),
                }
                extra.done
            }
            _ => None,
        };
        if let Some(done) = done {
            set(&mut state, done, Held { value: Ok(Value::ZERO), ..read });
        }
        (written, self.run(state))
    }

    /// Goes on to the next stop.
    fn run(&self, mut state: State<'p>) -> Stop<'p> {
        loop {
            match state.frames.last_mut() {
                None => match self.next_instruction(&mut state) {
                    Ok(true) => {}
                    Ok(false) => return Stop::Ended(state),
                    Err(diagnostic) => return Stop::Error(state, diagnostic),
                },
                Some(frame) if frame.at as usize == frame.ops.len() => {
                    state.frames.pop();
                }
                Some(frame) => {
                    let op = &frame.ops[frame.at as usize];
                    frame.at += 1;
                    match self.op(&mut state, op) {
                        Ok(()) => {}
                        Err(Halt::Error(diagnostic)) => return Stop::Error(state, diagnostic),
                        Err(Halt::Stop(stop)) => return *stop,
                    }
                }
            }
        }
    }

    fn next_instruction(&self, state: &mut State<'p>) -> Result<bool, Diagnostic> {
        if state.started {
            (state.code, state.pc) = state.next.take().unwrap_or((state.code, state.pc + 1));
            state.instance += 1;
        }
        state.started = true;
        state.accessed = false;
        state.own = 0;
        state.reads.clear();
        let Some(instr) = self.program.threads[usize::from(state.code)].code.get(state.pc as usize) else {
            return Ok(false);
        };
        if state.instance >= MAX_STEPS {
            return Err(Diagnostic::unsupported(
                "program::endless-loop",
                format!("thread P{} does not end within {MAX_STEPS} instructions", state.thread),
            )
            .at(instr.span, "still running here")
            .help("--unroll bounds how often a loop is run"));
        }
        state.tmps.clear();
        state.frames.push(Frame { ops: &instr.ops, at: 0, guard: None, constant: false, forked: false });
        Ok(true)
    }

    fn instr(&self, state: &State<'p>) -> &'p Instr {
        &self.program.threads[usize::from(state.code)].code[state.pc as usize]
    }

    fn held(&self, state: &State<'p>, tmp: Tmp) -> Held {
        state.tmps.get(tmp.0 as usize).copied().unwrap_or(Held::ZERO)
    }

    /// The value of a temporary, which must have one.
    fn value(&self, state: &State<'p>, tmp: Tmp) -> Result<Value, Diagnostic> {
        self.held(state, tmp)
            .value
            .map_err(|illegal| illegal.diagnostic(self.program, Some(self.instr(state).span)))
    }

    /// Causes of an event: those of what it consumes, and of the branches around it as far as these are not passed on.
    fn causes(&self, state: &State<'p>, consumed: &[Tmp], extra: Option<&Extra>) -> (u64, u32) {
        let mut causes = 0;
        let mut newest = 0;
        let mut take = |held: Held| {
            causes |= held.causes;
            newest = newest.max(held.newest);
        };
        consumed.iter().for_each(|tmp| take(self.held(state, *tmp)));
        if let Some(extra) = extra {
            for tmp in extra.data.iter().chain(&extra.ctrl).chain(&extra.order) {
                take(self.held(state, *tmp));
            }
        }
        for frame in state.frames.iter().rev() {
            if let Some((guard, guard_newest, entered)) = frame.guard
                && newest <= entered
            {
                causes |= guard;
                newest = newest.max(guard_newest);
            }
        }
        (causes, newest)
    }

    /// In some languages the order inside an instruction is part of program order.
    fn inner(&self, causes: u64) -> u64 {
        if self.program.conventions.po_inside { causes } else { 0 }
    }

    fn place(&self, state: &State<'p>) -> Place {
        Place {
            thread: state.thread,
            code: state.code,
            pc: state.pc,
            instance: state.instance,
            own: state.own,
        }
    }

    /// An event without a value.
    fn plain(
        &self,
        state: &mut State<'p>,
        kind: EventKind,
        cell: Option<u16>,
        sets: &'p [SetName],
        (causes, _): (u64, u32),
    ) -> Held {
        let place = self.place(state);
        state.fresh.push(Plain { place, kind, cell, sets, inner: self.inner(causes) });
        state.own += 1;
        state.count += 1;
        Held { value: Ok(Value::ZERO), constant: true, causes: causes | bit(place.own), newest: state.count }
    }

    /// Stops at an access.
    fn access(
        &self,
        state: &mut State<'p>,
        op: &'p Op,
        kind: EventKind,
        (addr, size): (Tmp, AccessSize),
        sets: &'p [SetName],
        (consumed, extra): (&[Tmp], &Extra),
        value: Option<Value>,
    ) -> Result<(), Halt<'p>> {
        let cell = self.cell(state, addr)?;
        if let Some(diagnostic) = self.wrong_size(state, cell, size) {
            return Err(Halt::Error(diagnostic));
        }
        let (causes, _) = self.causes(state, consumed, Some(extra));
        let unordered = |(own, of): &(u8, u16)| match self.program.conventions.po_inside {
            true => causes & bit(*own) == 0,
            false => *of != cell || !self.orders_updates,
        };
        if kind != EventKind::Read && state.reads.iter().any(unordered) {
            return Err(Halt::Error(
                Diagnostic::unsupported(
                    "grow::unsequenced",
                    "a write is not sequenced after a read of the same statement",
                )
                .at(self.instr(state).span, "both are here")
                .help("`--engine worlds` can run it"),
            ));
        }
        let inner = self.inner(causes);
        let access = Access { place: self.place(state), kind, cell, size, sets, causes, inner, value, op };
        let leaf = Leaf { state: state.clone(), access };
        Err(Halt::Stop(Box::new(Stop::Access(vec![leaf]))))
    }

    fn op(&self, state: &mut State<'p>, op: &'p Op) -> Result<(), Halt<'p>> {
        match op {
            Op::Const { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Taint { .. } => {
                self.compute(state, op)?;
            }
            Op::ReadReg { dst, reg, .. } => {
                let held = state.regs[reg.0 as usize];
                let (causes, _) = self.causes(state, &[], None);
                state.count += 1;
                set(state, *dst, Held { causes, newest: state.count, ..held });
            }
            Op::WriteReg { reg, src, extra } => {
                let held = self.held(state, *src);
                state.count += 1;
                state.regs[reg.0 as usize] = Held { causes: 0, newest: 0, ..held };
                if let Some(done) = extra.done {
                    let (causes, _) = self.causes(state, &[*src], Some(extra));
                    let newest = state.count;
                    set(state, done, Held { value: Ok(Value::ZERO), constant: true, causes, newest });
                }
            }
            Op::Load { addr, size, sets, extra, .. } => {
                self.access(state, op, EventKind::Read, (*addr, *size), sets, (&[*addr], extra), None)?;
            }
            Op::Store { addr, value, size, sets, extra } => {
                let written = Some(self.value(state, *value)?);
                let consumed = (&[*addr, *value][..], extra);
                self.access(state, op, EventKind::Write, (*addr, *size), sets, consumed, written)?;
            }
            Op::Rmw { addr, update, ops, size, sets, extra, .. } => {
                let mut consumed = vec![*addr];
                operands(ops, *update, &mut consumed);
                self.access(state, op, EventKind::Rmw, (*addr, *size), sets, (&consumed, extra), None)?;
            }
            Op::Fence { sets, extra } => {
                let causes = self.causes(state, &[], Some(extra));
                let held = self.plain(state, EventKind::Fence, None, sets, causes);
                if let Some(done) = extra.done {
                    set(state, done, held);
                }
            }
            Op::Other { addr, sets, extra } => {
                let cell = match addr {
                    Some(addr) => Some(self.cell(state, *addr)?),
                    None => None,
                };
                let consumed: &[Tmp] = match addr {
                    Some(addr) => std::slice::from_ref(addr),
                    None => &[],
                };
                let causes = self.causes(state, consumed, Some(extra));
                let held = self.plain(state, EventKind::Other, cell, sets, causes);
                if let Some(done) = extra.done {
                    set(state, done, held);
                }
            }
            Op::Branch { kind, cond, extra } => {
                let consumed: &[Tmp] = match cond {
                    Some(cond) => std::slice::from_ref(cond),
                    None => &[],
                };
                let condition = cond.map_or(Held::ZERO, |cond| self.held(state, cond));
                let causes = self.causes(state, consumed, Some(extra));
                let held = match kind.is_hidden() {
                    true => {
                        state.count += 1;
                        Held { causes: causes.0, newest: state.count, ..Held::ZERO }
                    }
                    false => self.plain(state, EventKind::Branch(*kind), None, &[], causes),
                };
                if let Some(done) = extra.done {
                    set(state, done, Held { value: condition.value, constant: condition.constant, ..held });
                }
            }
            Op::If { cond, then, otherwise } => {
                let held = self.held(state, *cond);
                let holds = self.value(state, *cond)? != Value::ZERO;
                let ops = if holds { then } else { otherwise };
                let guard = Some((held.causes, held.newest, state.count));
                state.frames.push(Frame { ops, at: 0, guard, constant: held.constant, forked: false });
            }
            Op::Choice { branches } => {
                let stops = branches.iter().map(|ops| self.branch(state, ops)).collect();
                return Err(Halt::Stop(Box::new(merged(stops))));
            }
            Op::Assume { cond } => {
                if self.value(state, *cond)? == Value::ZERO {
                    return Err(Halt::Stop(Box::new(Stop::Blocked(state.clone()))));
                }
            }
            Op::Jump { target } => self.jump(state, target)?,
            Op::Goto { pc } => state.next = Some((state.code, *pc as u32)),
            Op::Stop => return Err(Halt::Stop(Box::new(Stop::Ended(state.clone())))),
            Op::Reserve { addr } => state.reserved = Some(self.value(state, *addr)?),
            Op::Conditional { addr, then, otherwise } => {
                let addr = self.value(state, *addr)?;
                if state.reserved.take() == Some(addr) {
                    // A failure can always come next: it is the one that a deleted event must have taken.
                    let stops = vec![self.branch(state, otherwise), self.branch(state, then)];
                    return Err(Halt::Stop(Box::new(Stop::Choice(
                        stops.into_iter().map(Arc::new).collect(),
                    ))));
                }
                state.frames.push(Frame {
                    ops: otherwise,
                    at: 0,
                    guard: None,
                    constant: false,
                    forked: true,
                });
            }
            Op::LoopHead { id } => {
                // In a branch that was known to be taken the program itself counts its passes, unless nothing changes.
                let known = state.frames.last().is_some_and(|frame| frame.guard.is_some() && frame.constant);
                let counts = !known || state.goes_round(*id);
                if counts && count(&mut state.loops, *id) > self.unroll {
                    return Err(self.cut(state, "While".to_string()));
                }
            }
            Op::LoopEnter { id } => {
                state.loops.retain(|(loop_id, _)| loop_id != id);
                state.passes.retain(|(loop_id, _)| loop_id != id);
            }
            Op::Spawn { .. }
            | Op::Join { .. }
            | Op::Alloc { .. }
            | Op::Free { .. }
            | Op::CompareExchange { .. }
            | Op::Assert { .. }
            | Op::Nondet { .. } => {
                return Err(Halt::Error(
                    Diagnostic::unsupported("grow::not-yet", "this is not there yet")
                        .at(self.instr(state).span, "here"),
                ));
            }
            // Only dependencies look at these.
            Op::CondBegin | Op::CondEnd | Op::ControlSave { .. } | Op::ControlRestore { .. } => {}
        }
        Ok(())
    }

    fn branch(&self, state: &State<'p>, ops: &'p [Op]) -> Stop<'p> {
        let mut state = state.clone();
        state.frames.push(Frame { ops, at: 0, guard: None, constant: false, forked: true });
        self.run(state)
    }

    fn compute(&self, state: &mut State<'p>, op: &Op) -> Result<(), Diagnostic> {
        let bits = self.program.bits;
        let (dst, held) = match op {
            Op::Const { dst, value } => (*dst, Held { value: Ok(*value), ..Held::ZERO }),
            Op::Unary { dst, op, a } => {
                let a = self.held(state, *a);
                (*dst, Held { value: a.value.and_then(|a| eval_unary(*op, a, bits)), ..a })
            }
            Op::Binary { dst, op, a, b } => {
                let (left, right) = (self.held(state, *a), self.held(state, *b));
                let value = match (left.value, right.value) {
                    (Ok(a), Ok(b)) => eval_binary(*op, a, b, bits),
                    (Err(illegal), _) | (_, Err(illegal)) => Err(illegal),
                };
                // What is subtracted from itself is known, whatever it is.
                let cancels = a == b && matches!(op, BinOp::Sub | BinOp::Xor | BinOp::Eq | BinOp::Ne);
                (
                    *dst,
                    Held {
                        value,
                        constant: left.constant && right.constant || cancels,
                        causes: left.causes | right.causes,
                        newest: left.newest.max(right.newest),
                    },
                )
            }
            Op::Taint { dst, a, also } => {
                let mut held = self.held(state, *a);
                for tmp in also {
                    let other = self.held(state, *tmp);
                    held.causes |= other.causes;
                    held.newest = held.newest.max(other.newest);
                }
                (*dst, held)
            }
            _ => {
                return Err(Diagnostic::internal("only computations may stand in a read-modify-write")
                    .at(self.instr(state).span, "here"));
            }
        };
        set(state, dst, held);
        Ok(())
    }

    /// The cell that an access goes to.
    fn cell(&self, state: &State<'p>, addr: Tmp) -> Result<u16, Diagnostic> {
        let value = self.value(state, addr)?;
        if let Value::Addr { sym, offset } = value
            && let Some(cell) = self.cells.at(sym, offset)
        {
            return Ok(cell);
        }
        let shown = self.program.show(value);
        let span = self.instr(state).span;
        Err(match value {
            Value::Addr { .. } => Diagnostic::unsupported(
                "program::mixed-size",
                format!("access to `{shown}`, which is not the start of a cell of the test"),
            )
            .at(span, "this access"),
            _ => {
                Diagnostic::error("program::non-symbolic-address", format!("non symbolic address: [{shown}]"))
                    .at(span, "this access")
            }
        })
    }

    fn wrong_size(&self, state: &State<'p>, cell: u16, size: AccessSize) -> Option<Diagnostic> {
        if self.program.conventions.sizes == CellSizes::Approximate {
            return None;
        }
        let location = self.program.locations.get(usize::from(cell))?;
        let holds_pointer = !location.declared && location.init.as_int().is_none();
        let bytes = if holds_pointer { 8 } else { location.ty.bytes };
        if bytes == size.0 || holds_pointer {
            return None;
        }
        Some(
            Diagnostic::unsupported(
                "grow::mixed-size",
                format!("an access to `{}` of another size than its own", location.name),
            )
            .at(self.instr(state).span, "this access")
            .help("`--engine worlds` can run it"),
        )
    }

    fn jump(&self, state: &mut State<'p>, target: &Target) -> Result<(), Halt<'p>> {
        let target = match target {
            Target::Pc(pc) => (state.code, *pc as u32),
            Target::Indirect(tmp) => match self.value(state, *tmp)? {
                Value::Code { thread, pc } => (thread, u32::from(pc)),
                other => {
                    let shown = self.program.show(other);
                    return Err(Halt::Error(
                        Diagnostic::error(
                            "program::no-branch-target",
                            format!("indirect branch to `{shown}`, which is no label"),
                        )
                        .at(self.instr(state).span, "this branch"),
                    ));
                }
            },
        };
        let is_back = target.0 == state.code && target.1 <= state.pc;
        if is_back && !self.is_unlimited(state) {
            if count(&mut state.jumps, target) > self.unroll {
                let label = self.program.label_at(usize::from(target.0), target.1 as usize);
                let label = label.map_or_else(|| format!("##{}", target.1), str::to_string);
                return Err(self.cut(state, label));
            }
        }
        state.next = Some(target);
        Ok(())
    }

    /// AArch64 alone follows a jump on a known value as often as it is taken.
    fn is_unlimited(&self, state: &State) -> bool {
        let mut guards = state.frames.iter().filter(|frame| frame.guard.is_some()).peekable();
        self.program.conventions.follows_known_jumps
            && guards.peek().is_some()
            && guards.all(|frame| frame.constant)
    }

    fn cut(&self, state: &State<'p>, label: String) -> Halt<'p> {
        let cut = Cut { thread: usize::from(state.thread), label, span: self.instr(state).span };
        Halt::Stop(Box::new(Stop::Cut(state.clone(), cut)))
    }
}

/// One more of that key.
fn count<K: PartialEq>(counts: &mut Vec<(K, u32)>, key: K) -> u32 {
    match counts.iter_mut().find(|(known, _)| *known == key) {
        Some((_, count)) => {
            *count += 1;
            *count
        }
        None => {
            counts.push((key, 1));
            1
        }
    }
}

fn bit(own: u8) -> u64 {
    1u64.checked_shl(u32::from(own)).unwrap_or(0)
}

fn set(state: &mut State, tmp: Tmp, mut held: Held) {
    let index = tmp.0 as usize;
    held.constant &= !state.frames.iter().any(|frame| frame.forked);
    if state.tmps.len() <= index {
        state.tmps.resize(index + 1, Held::ZERO);
    }
    state.tmps[index] = held;
}

/// What a read-modify-write consumes besides its address, apart from the value that it reads.
fn operands(ops: &[Op], update: Tmp, consumed: &mut Vec<Tmp>) {
    let mut made = Vec::new();
    for op in ops {
        match op {
            Op::Const { dst, .. } => made.push(*dst),
            Op::Unary { dst, a, .. } => {
                consumed.push(*a);
                made.push(*dst);
            }
            Op::Binary { dst, a, b, .. } => {
                consumed.extend([*a, *b]);
                made.push(*dst);
            }
            Op::Taint { dst, a, also } => {
                consumed.push(*a);
                consumed.extend(also);
                made.push(*dst);
            }
            _ => {}
        }
    }
    consumed.push(update);
    consumed.retain(|tmp| !made.contains(tmp));
}

/// Several ways to go on. Reads of one cell stay together: the value read will choose among them.
fn merged(stops: Vec<Stop>) -> Stop {
    let cell = |stop: &Stop| match stop {
        Stop::Access(leaves) if leaves.iter().all(|leaf| leaf.access.kind != EventKind::Write) => {
            Some(leaves[0].access.cell)
        }
        _ => None,
    };
    let first = stops.first().and_then(cell);
    if first.is_some() && stops.iter().all(|stop| cell(stop) == first) {
        let leaves = stops.into_iter().flat_map(|stop| match stop {
            Stop::Access(leaves) => leaves,
            _ => Vec::new(),
        });
        return Stop::Access(leaves.collect());
    }
    Stop::Choice(stops.into_iter().map(Arc::new).collect())
}
