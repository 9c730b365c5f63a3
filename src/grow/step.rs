//! The stepper: runs the micro-ops of one thread on concrete values, from one memory access to the next.
//!
//! Nothing is forked: a value read is bound when the access is made, so that every branch is known when it is met. What is
//! left open (a store-conditional's success, a weak compare-exchange's failure) is a [`Stop::Choice`].

use std::sync::{Arc, LazyLock};

use crate::diag::Diagnostic;
use crate::execution::{Cut, EventKind};
use crate::program::fences::full_fence;
use crate::program::{
    AccessSize, BinOp, CellSizes, Extra, IllegalOp, Instr, Op, Program, Property, Reg, SetName, Storage, Sym,
    Target, Tmp, Value, eval_binary, eval_unary,
};
use crate::source::Span;

use super::awaits::Loops;
use super::cells::{Cells, Object};

/// More executed instructions than this in one thread: it does not end.
const MAX_STEPS: u32 = 10_000;

/// Likewise for programs, which count on their own.
const MAX_PROGRAM_STEPS: u32 = 2_000_000;

/// More values than this to choose from at once: too many.
const MAX_CHOICES: i128 = 4096;

/// The sets of the fences that starting and ending threads make.
static FENCE: LazyLock<Vec<SetName>> = LazyLock::new(full_fence);

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
    /// Has this instruction instance written?
    wrote: bool,
    /// Events made since the last access.
    pub fresh: Vec<Plain<'p>>,
    /// How many threads it has started, and objects made.
    spawned: u16,
    made: u16,
    /// Is it one that another thread started?
    is_child: bool,
    /// What private objects hold.
    private: Vec<((Sym, i64), Held)>,
    /// Objects whose life it has ended.
    freed: Vec<Sym>,
    /// Has it come back to the head of a loop as it left it?
    waits: bool,
    /// How often it has changed something that others may see, or it may see itself.
    changes: u32,
    /// How it came to the heads of loops last.
    arrivals: Vec<Arrival>,
}

/// A thread at the head of a loop.
#[derive(Clone, PartialEq)]
struct Arrival {
    code: u16,
    pc: u32,
    changes: u32,
    /// What the live registers hold.
    live: Vec<Result<Value, IllegalOp>>,
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
    /// The object whose life it ends.
    pub frees: Option<Sym>,
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
    /// The object, and the byte in it.
    pub at: (Sym, i64),
    pub sets: &'p [SetName],
    /// The events that it comes from, inside its instruction.
    causes: u64,
    /// The events of its instruction that are before it in program order.
    pub inner: u64,
    /// The value of a plain write.
    pub value: Option<Value>,
    /// Of a compare-exchange: the value that it must read, or must not.
    pub wanted: Option<(Value, bool)>,
    op: &'p Op,
}

/// A thread about to start another.
pub(super) struct Spawn<'p> {
    pub state: State<'p>,
    /// The new thread's number, and the code that it runs.
    pub child: u16,
    code: u16,
    args: Vec<(Reg, Held)>,
    dst: Tmp,
    own: u8,
    /// Where the new thread finds its own handle.
    register: Reg,
}

/// A thread about to wait for another.
pub(super) struct Join<'p> {
    pub state: State<'p>,
    pub target: u16,
    dst: Option<Tmp>,
    own: u8,
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
    /// Not started yet.
    Unborn,
    /// About to start a thread; the fence that this makes is the last of the events made.
    Spawn(Box<Spawn<'p>>),
    /// About to wait for a thread; likewise.
    Join(Box<Join<'p>>),
    /// At something that it must not do.
    Violation(State<'p>, Property, Span),
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
            Stop::Access(_) | Stop::Choice(_) | Stop::Unborn | Stop::Spawn(_) | Stop::Join(_) => None,
            Stop::Violation(state, ..)
            | Stop::Ended(state)
            | Stop::Blocked(state)
            | Stop::Cut(state, _)
            | Stop::Error(state, _) => Some(state),
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

    /// The instruction that it is at.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// Is it at the head of a loop that it has come back to as it left it?
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Whose code it runs.
    pub fn code(&self) -> usize {
        usize::from(self.code)
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
    Violation(Property),
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
    /// Must the reads of an instruction come before its writes?
    pub reads_first: bool,
    /// Are bad addresses violations, and not errors?
    pub properties: bool,
    /// The heads of loops, if rounds that change nothing are not to be looked at.
    pub loops: Option<&'p Loops>,
}

/// The value by which a thread is known.
fn handle(thread: u16) -> Value {
    Value::Int(i128::from(thread) + 1)
}

impl<'p> Stepper<'p> {
    /// A thread before its first instruction.
    fn state(&self, thread: u16, code: u16) -> State<'p> {
        let mut regs = vec![Held::ZERO; self.program.regs.len()];
        for (_, reg, value) in self.program.init_regs.iter().filter(|(t, ..)| *t == usize::from(thread)) {
            regs[reg.0 as usize].value = Ok(*value);
        }
        State {
            thread,
            code,
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
            wrote: false,
            fresh: Vec::new(),
            spawned: 0,
            made: 0,
            is_child: false,
            private: Vec::new(),
            freed: Vec::new(),
            waits: false,
            changes: 0,
            arrivals: Vec::new(),
        }
    }

    /// A thread at its first stop.
    pub fn start(&self, thread: usize) -> Stop<'p> {
        if self.program.threads[thread].start == crate::program::Start::Spawned {
            return Stop::Unborn;
        }
        self.run(self.state(thread as u16, thread as u16))
    }

    /// Starts the thread that a spawn asks for; also where the one that asked goes on.
    pub fn spawn(&self, spawn: &Spawn<'p>) -> (Stop<'p>, Stop<'p>) {
        let mut child = self.state(spawn.child, spawn.code);
        for (reg, held) in &spawn.args {
            child.regs[reg.0 as usize] = Held { causes: 0, newest: 0, ..*held };
        }
        if let Some(held) = child.regs.get_mut(spawn.register.0 as usize) {
            held.value = Ok(handle(spawn.child));
        }
        child.is_child = true;
        self.fence(&mut child);
        // The fence is an instruction of its own.
        child.instance = 1;
        child.own = 0;
        let mut parent = spawn.state.clone();
        parent.fresh.clear();
        parent.spawned += 1;
        parent.changes += 1;
        let newest = parent.count;
        let handle = Held { value: Ok(handle(spawn.child)), constant: false, causes: bit(spawn.own), newest };
        set(&mut parent, spawn.dst, handle);
        (self.run(child), self.run(parent))
    }

    /// Goes on after a thread that was waited for has ended with that result.
    pub fn join(&self, join: &Join<'p>, result: Result<Value, IllegalOp>) -> Stop<'p> {
        let mut state = join.state.clone();
        state.fresh.clear();
        if let Some(dst) = join.dst {
            let newest = state.count;
            let held = Held { value: result, constant: false, causes: bit(join.own), newest };
            set(&mut state, dst, held);
        }
        self.run(state)
    }

    /// A thread that must not make the access that it is at.
    pub fn violation(&self, leaf: &Leaf<'p>, property: Property) -> Stop<'p> {
        let mut state = leaf.state.clone();
        state.fresh.clear();
        let span = self.instr(&state).span;
        Stop::Violation(state, property, span)
    }

    /// A fence that orders everything in its thread.
    fn fence(&self, state: &mut State<'p>) -> u8 {
        let own = state.own;
        let place = self.place(state);
        state.fresh.push(Plain {
            place,
            kind: EventKind::Fence,
            cell: None,
            sets: &FENCE,
            inner: u64::MAX,
            frees: None,
        });
        state.own += 1;
        state.count += 1;
        own
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
        state.wrote |= access.kind != EventKind::Read;
        let done = match access.op {
            Op::Load { dst, extra, .. } => {
                set(&mut state, *dst, read);
                extra.done
            }
            Op::Store { extra, .. } => extra.done,
            Op::CompareExchange { dst, desired, extra, .. } => {
                let desired = self.value(&state, *desired);
                set(&mut state, *dst, read);
                if access.kind == EventKind::Rmw {
                    match desired {
                        Ok(value) => written = Some(value),
                        Err(diagnostic) => return (None, Stop::Error(state, diagnostic)),
                    }
                }
                extra.done
            }
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
        // A read-modify-write that writes back what it read changes nothing: who reads it could read what it read.
        if written.is_some() && (access.kind == EventKind::Write || written != Some(value)) {
            state.changes += 1;
        }
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
                    Ok(true) if state.waits => return Stop::Blocked(state),
                    Ok(true) => {}
                    Ok(false) => return self.ended(state),
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
                        Err(Halt::Violation(property)) => {
                            let span = self.instr(&state).span;
                            return Stop::Violation(state, property, span);
                        }
                        Err(Halt::Stop(stop)) => return *stop,
                    }
                }
            }
        }
    }

    /// A thread at its end: one that was started makes a fence there.
    fn ended(&self, mut state: State<'p>) -> Stop<'p> {
        if state.is_child {
            state.instance += 1;
            state.own = 0;
            self.fence(&mut state);
        }
        Stop::Ended(state)
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
        state.wrote = false;
        let Some(instr) = self.program.threads[usize::from(state.code)].code.get(state.pc as usize) else {
            return Ok(false);
        };
        let most = if self.properties { MAX_PROGRAM_STEPS } else { MAX_STEPS };
        if state.instance >= most {
            return Err(Diagnostic::unsupported(
                "program::endless-loop",
                format!("thread P{} does not end within {most} instructions", state.thread),
            )
            .at(instr.span, "still running here")
            .help("--unroll bounds how often a loop is run"));
        }
        state.tmps.clear();
        state.waits = self.arrive(state);
        state.frames.push(Frame { ops: &instr.ops, at: 0, guard: None, constant: false, forked: false });
        Ok(true)
    }

    /// Notes the arrival at the head of a loop; is everything as it was last time?
    fn arrive(&self, state: &mut State<'p>) -> bool {
        let Some(loops) = self.loops else { return false };
        let Some(live) = loops.at(usize::from(state.code), state.pc as usize) else { return false };
        let now = Arrival {
            code: state.code,
            pc: state.pc,
            changes: state.changes,
            live: live.iter().map(|reg| state.regs[reg.0 as usize].value).collect(),
        };
        match state.arrivals.iter_mut().find(|last| (last.code, last.pc) == (now.code, now.pc)) {
            Some(last) if *last == now => true,
            Some(last) => {
                *last = now;
                false
            }
            None => {
                state.arrivals.push(now);
                false
            }
        }
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
        state.fresh.push(Plain { place, kind, cell, sets, inner: self.inner(causes), frees: None });
        state.own += 1;
        state.count += 1;
        Held { value: Ok(Value::ZERO), constant: true, causes: causes | bit(place.own), newest: state.count }
    }

    /// Stops at an access.
    #[allow(clippy::too_many_arguments)]
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
        if self.is_private(state, addr)? {
            return self.private(state, op, addr, value);
        }
        let cell = self.cell(state, addr)?;
        if let Some(diagnostic) = self.wrong_size(state, cell, size) {
            return Err(Halt::Error(diagnostic));
        }
        let (causes, _) = self.causes(state, consumed, Some(extra));
        let unordered = |(own, of): &(u8, u16)| match self.program.conventions.po_inside {
            true => causes & bit(*own) == 0,
            false => *of != cell || !self.orders_updates,
        };
        let late = kind != EventKind::Write && state.wrote && self.reads_first;
        if late || kind != EventKind::Read && state.reads.iter().any(unordered) {
            return Err(Halt::Error(
                Diagnostic::unsupported(
                    "grow::unsequenced",
                    "a write is not sequenced after the reads of the same statement",
                )
                .at(self.instr(state).span, "both are here")
                .help("`--engine worlds` can run it"),
            ));
        }
        let inner = self.inner(causes);
        let place = self.place(state);
        let at = match self.value(state, addr)? {
            Value::Addr { sym, offset } => (sym, offset),
            _ => (Sym(u16::MAX), 0),
        };
        let access = Access { place, kind, cell, at, sets, causes, inner, value, wanted: None, op };
        let leaf = Leaf { state: state.clone(), access };
        if let Op::CompareExchange { expected, failure, .. } = op {
            let expected = self.value(state, *expected)?;
            let mut success = leaf.clone();
            success.access.wanted = Some((expected, true));
            let mut failed = leaf;
            failed.access.kind = EventKind::Read;
            failed.access.sets = failure;
            failed.access.wanted = Some((expected, false));
            return Err(Halt::Stop(Box::new(Stop::Access(vec![success, failed]))));
        }
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
            Op::ReadRegWith { dst, reg, extra, .. } => {
                let held = state.regs[reg.0 as usize];
                let (causes, _) = self.causes(state, &[], Some(extra));
                state.count += 1;
                let newest = state.count;
                set(state, *dst, Held { causes, newest, ..held });
                if let Some(done) = extra.done {
                    set(state, done, Held { causes, newest, ..Held::ZERO });
                }
            }
            Op::From { .. } | Op::Named { .. } | Op::Pin { .. } => {
                return Err(Halt::Error(
                    Diagnostic::unsupported("grow::page-tables", "page tables and tags need another engine")
                        .at(self.instr(state).span, "here")
                        .help("`--engine worlds` runs every test"),
                ));
            }
            Op::Collide { .. }
            | Op::Need { .. }
            | Op::Fault { .. }
            | Op::ExceptionReturn { .. }
            | Op::Mark { .. } => {
                return Err(Halt::Error(
                    Diagnostic::unsupported("grow::faults", "exceptions need another engine")
                        .at(self.instr(state).span, "here")
                        .help("`--engine worlds` runs every test"),
                ));
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
            Op::Await { cond, .. } => {
                if self.value(state, *cond)? == Value::ZERO {
                    return Err(Halt::Stop(Box::new(Stop::Blocked(state.clone()))));
                }
            }
            Op::Jump { target } => self.jump(state, target)?,
            Op::Goto { pc } => state.next = Some((state.code, *pc as u32)),
            Op::Stop => return Err(Halt::Stop(Box::new(self.ended(state.clone())))),
            Op::Reserve { addr, .. } => state.reserved = Some(self.value(state, *addr)?),
            Op::Conditional { addr, then, otherwise, .. } => {
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
            Op::CompareExchange { addr, expected, desired, size, sets, extra, .. } => {
                let consumed = (&[*addr, *expected, *desired][..], extra);
                self.access(state, op, EventKind::Rmw, (*addr, *size), sets, consumed, None)?;
            }
            Op::Spawn { dst, code, args, own: register } => {
                let args = args.iter().map(|(reg, tmp)| (*reg, self.held(state, *tmp))).collect();
                let child = self.cells.thread(state.thread, state.spawned, self.program.threads.len());
                let own = self.fence(state);
                let (state, code, dst) = (state.clone(), *code as u16, *dst);
                let spawn = Spawn { state, child, code, args, dst, own, register: *register };
                return Err(Halt::Stop(Box::new(Stop::Spawn(Box::new(spawn)))));
            }
            Op::Join { thread, dst } => {
                let value = self.value(state, *thread)?;
                let Some(target) = self.cells.thread_of(value, self.program.threads.len()) else {
                    return Err(Halt::Violation(Property::Thread));
                };
                let own = self.fence(state);
                let (state, dst) = (state.clone(), *dst);
                return Err(Halt::Stop(Box::new(Stop::Join(Box::new(Join { state, target, dst, own })))));
            }
            Op::Alloc { dst, size, kind, content } => {
                let size = self.value(state, *size)?.as_int().unwrap_or(0);
                let object = Object { size: size as i64, kind: *kind, content: *content };
                let sym = self.cells.object(state.thread, state.made, object);
                state.made += 1;
                state.changes += 1;
                set(state, *dst, Held { value: Ok(Value::addr(sym)), ..Held::ZERO });
            }
            Op::Free { addr, kind } => self.free(state, *addr, *kind)?,
            Op::Assert { cond, property } => {
                if self.value(state, *cond)? == Value::ZERO {
                    return Err(Halt::Violation(property.clone()));
                }
            }
            Op::Nondet { dst, low, high } => {
                if high.saturating_sub(*low) >= MAX_CHOICES {
                    return Err(Halt::Error(
                        Diagnostic::unsupported("grow::many-values", "a choice among too many values")
                            .at(self.instr(state).span, "here")
                            .help(format!("at most {MAX_CHOICES} can be tried")),
                    ));
                }
                let stops = (*low..=*high).map(|n| {
                    let mut state = state.clone();
                    let held = Held { value: Ok(Value::Int(n)), constant: false, ..Held::ZERO };
                    set(&mut state, *dst, held);
                    Arc::new(self.run(state))
                });
                return Err(Halt::Stop(Box::new(Stop::Choice(stops.collect()))));
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

    /// Ends the life of an object.
    fn free(&self, state: &mut State<'p>, addr: Tmp, kind: Storage) -> Result<(), Halt<'p>> {
        match self.value(state, addr)? {
            Value::Int(0) => {}
            Value::Addr { sym, offset: 0 }
                if self.cells.is_object(sym, kind) && !state.freed.contains(&sym) =>
            {
                state.freed.push(sym);
                state.changes += 1;
                state.private.retain(|((of, _), _)| *of != sym);
                if kind != Storage::Private {
                    let causes = self.causes(state, &[addr], None);
                    self.plain(state, EventKind::Other, None, &[], causes);
                    if let Some(event) = state.fresh.last_mut() {
                        event.frees = Some(sym);
                    }
                }
            }
            _ => return Err(Halt::Violation(Property::DoubleFree)),
        }
        Ok(())
    }

    /// Does an access go to an object that no other thread can see?
    fn is_private(&self, state: &State<'p>, addr: Tmp) -> Result<bool, Diagnostic> {
        Ok(match self.value(state, addr)? {
            Value::Addr { sym, .. } => self.cells.is_object(sym, Storage::Private),
            _ => false,
        })
    }

    /// An access to an object that no other thread can see: no event.
    fn private(
        &self,
        state: &mut State<'p>,
        op: &'p Op,
        addr: Tmp,
        value: Option<Value>,
    ) -> Result<(), Halt<'p>> {
        let Value::Addr { sym, offset } = self.value(state, addr)? else { return Ok(()) };
        if state.freed.contains(&sym) {
            return Err(Halt::Violation(Property::UseAfterFree));
        }
        if !self.cells.is_inside(sym, offset) {
            return Err(Halt::Violation(Property::OutOfBounds));
        }
        let place = (sym, offset);
        let old = match state.private.iter().find(|(at, _)| *at == place) {
            Some((_, held)) => Some(*held),
            None => self.cells.initial_at(sym).map(|value| Held { value: Ok(value), ..Held::ZERO }),
        };
        let read = || old.ok_or(Halt::Violation(Property::Uninitialised));
        let new = match op {
            Op::Load { dst, .. } => {
                let old = read()?;
                set(state, *dst, old);
                None
            }
            Op::Store { value: tmp, .. } => {
                let held = self.held(state, *tmp);
                value.map(|value| Held { value: Ok(value), causes: 0, newest: 0, ..held })
            }
            Op::Rmw { dst, ops, update, .. } => {
                let old = read()?;
                set(state, *dst, old);
                for op in ops {
                    self.compute(state, op)?;
                }
                self.value(state, *update)?;
                Some(Held { causes: 0, newest: 0, ..self.held(state, *update) })
            }
            Op::CompareExchange { dst, expected, desired, .. } => {
                let old = read()?;
                let equal = old.value == Ok(self.value(state, *expected)?);
                let desired = self.held(state, *desired);
                set(state, *dst, old);
                equal.then_some(Held { causes: 0, newest: 0, ..desired })
            }
            _ => None,
        };
        if let Some(new) = new {
            if old.is_none_or(|old| old.value != new.value) {
                state.changes += 1;
            }
            match state.private.iter_mut().find(|(at, _)| *at == place) {
                Some((_, held)) => *held = new,
                None => state.private.push((place, new)),
            }
        }
        Ok(())
    }

    /// The cell that an access goes to.
    fn cell(&self, state: &State<'p>, addr: Tmp) -> Result<u16, Halt<'p>> {
        let value = self.value(state, addr)?;
        if let Value::Addr { sym, offset } = value {
            if state.freed.contains(&sym) {
                return Err(Halt::Violation(Property::UseAfterFree));
            }
            if let Some(cell) = self.cells.at(sym, offset) {
                return Ok(cell);
            }
        }
        if self.properties || self.program.conventions.undefined_behaviour {
            let null = value == Value::ZERO;
            return Err(Halt::Violation(if null { Property::Null } else { Property::OutOfBounds }));
        }
        let shown = self.program.show(value);
        let span = self.instr(state).span;
        Err(Halt::Error(match value {
            Value::Addr { .. } => Diagnostic::unsupported(
                "program::mixed-size",
                format!("access to `{shown}`, which is not the start of a cell of the test"),
            )
            .at(span, "this access"),
            _ => {
                Diagnostic::error("program::non-symbolic-address", format!("non symbolic address: [{shown}]"))
                    .at(span, "this access")
            }
        }))
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
        if is_back && !self.is_unlimited(state) && count(&mut state.jumps, target) > self.unroll {
            let label = self.program.label_at(usize::from(target.0), target.1 as usize);
            let label = label.map_or_else(|| format!("##{}", target.1), str::to_string);
            return Err(self.cut(state, label));
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
