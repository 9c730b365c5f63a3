//! The stepper: runs the micro-ops of one thread on concrete values, from one memory access to the next.
//!
//! Nothing is forked: a value read is bound when the access is made, so that every branch is known when it is met. What is
//! left open (a store-conditional's success, a weak compare-exchange's failure) is a [`Stop::Choice`].

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use crate::diag::Diagnostic;
use crate::execution::{Cut, CutBy, EventKind};
use crate::limits;
use crate::program::control::{self, Control};
use crate::program::fences::full_fence;
use crate::program::shapes::Reshapes;
use crate::program::{Extra, IllegalOp, Instr, Op, Program, Property, SetName, Sym, Target, Tmp, Value};

use super::awaits::Loops;
use super::cells::Cells;
use super::fewer::Fewer;
use super::flow::{self, Flow, Reasons};
use super::members::Table;
use super::state::{
    Halt, Held, Join, Leaf, Look, Place, Plain, Spawn, State, Stop, UNWRITTEN, bit, reads, set,
};
use super::twins::Twins;

/// More executed instructions than this in one thread: it does not end.
const MAX_STEPS: u32 = 10_000;

/// Likewise for programs, which count on their own.
const MAX_PROGRAM_STEPS: u32 = 2_000_000;

/// The sets of the fences that starting and ending threads make.
static FENCE: LazyLock<Vec<SetName>> = LazyLock::new(full_fence);

/// What all threads share.
pub(super) struct Stepper<'p> {
    pub program: &'p Program,
    pub unroll: u32,
    /// Are loops left at that bound, and not cut?
    pub leaves_loops: bool,
    /// Does the bound count passes, too, that known numbers decide?
    pub every_pass: bool,
    pub cells: &'p Cells,
    /// The sets that events are in.
    pub members: &'p Table<'p>,
    /// Are the two accesses of an atomic instruction ordered, as far as cycles with `rf` go?
    pub orders_updates: bool,
    /// Must the reads of an instruction come before its writes?
    pub reads_first: bool,
    /// Are bad addresses violations, and not errors?
    pub properties: bool,
    /// The objects with a name that plain writes may go to after threads were started, if that is known.
    pub plainly_written: Option<&'p FxHashSet<Sym>>,
    /// Is it code whose threads write nothing?
    pub only_look: Vec<bool>,
    /// Told how a program is to be made again whose accesses do not fit their cells.
    pub reshapes: &'p Reshapes,
    /// Does nobody see whether a lock is held?
    pub locks_only_wait: bool,
    /// The heads of loops, if rounds that change nothing are not to be looked at.
    pub loops: Option<&'p Loops>,
    /// What rounds that are left out may have in them.
    pub fewer: Fewer,
    /// Are dependencies followed?
    pub depends: bool,
    /// What is known of threads that are like each other, if that is of use.
    pub twins: Option<&'p Twins>,
}

/// The value by which a thread is known.
fn handle(thread: u16) -> Value {
    Value::Int(i128::from(thread) + 1)
}

impl<'p> Stepper<'p> {
    /// A thread before its first instruction.
    pub(super) fn state(&self, thread: u16, code: u16) -> State<'p> {
        let mut regs = vec![Held::ZERO; self.program.regs.len()];
        for (_, reg, value) in self.program.init_regs.iter().filter(|(t, ..)| *t == usize::from(thread)) {
            regs[reg.0 as usize].value = Ok(*value);
        }
        State {
            thread,
            control: Control::new(code),
            accessed: false,
            tmps: Vec::new(),
            regs: Arc::new(regs),
            reserved: None,
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
            n_reads: 0,
            hangs: 0,
            changes: 0,
            held: Vec::new(),
            objects: Vec::new(),
            unshared: Vec::new(),
            owed: None,
            sum: None,
            cautions: Vec::new(),
            printed: Vec::new(),
            is_repeated: false,
            latest: None,
            arrivals: Vec::new(),
            flow: self.depends.then(|| {
                let conventions = &self.program.conventions;
                Arc::new(Flow::new(conventions.control_flows, self.program.regs.len()))
            }),
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
        let regs = Arc::make_mut(&mut child.regs);
        for (reg, held) in &spawn.args {
            regs[reg.0 as usize] = Held { causes: 0, newest: 0, reads: 0, ..*held };
        }
        if let Some(held) = regs.get_mut(spawn.register.0 as usize) {
            held.value = Ok(handle(spawn.child));
            held.tells = true;
        }
        child.is_child = true;
        self.fence(&mut child);
        // The fence is an instruction of its own.
        child.control.instance = 1;
        child.own = 0;
        let mut parent = spawn.state.clone();
        parent.fresh.clear();
        parent.latest = None;
        parent.unshared.clear();
        parent.owed = None;
        parent.spawned += 1;
        parent.changes += 1;
        let newest = parent.count;
        let value = Ok(handle(spawn.child));
        let handle = Held { value, constant: false, causes: bit(spawn.own), newest, tells: true, reads: 0 };
        set(&mut parent, spawn.dst, handle);
        (self.run(child), self.run(parent))
    }

    /// What a thread gives to one that has waited for it.
    pub fn result(&self, target: &Stop<'p>) -> Result<Value, IllegalOp> {
        target.last().map_or(Ok(Value::ZERO), |state| {
            let code = &self.program.threads[state.code()];
            code.result.map_or(Ok(Value::ZERO), |reg| state.register(reg))
        })
    }

    /// Goes on after a thread that was waited for has ended with that result.
    pub fn join(&self, join: &Join<'p>, result: Result<Value, IllegalOp>) -> Stop<'p> {
        let mut state = join.state.clone();
        state.fresh.clear();
        state.latest = None;
        if let Some(dst) = join.dst {
            let newest = state.count;
            let held =
                Held { value: result, constant: false, causes: bit(join.own), newest, tells: true, reads: 0 };
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
    pub(super) fn fence(&self, state: &mut State<'p>) -> u8 {
        let own = state.own;
        let place = self.place(state);
        let reasons = flow::fences(state, None, &FENCE, None);
        let sorted = self.members.of(EventKind::Fence, state.thread, &FENCE);
        state.fresh.push(Plain {
            place,
            kind: EventKind::Fence,
            cell: None,
            sets: &FENCE,
            sorted,
            inner: u64::MAX,
            frees: None,
            reasons,
        });
        state.own += 1;
        state.count += 1;
        own
    }

    /// Makes one of the accesses that a thread is at, reading `value` if it reads, and goes on to the next stop. Also the value written.
    pub fn resume(&self, before: &Arc<Stop<'p>>, number: usize, value: Value) -> (Option<Value>, Stop<'p>) {
        let look = Look { before: before.clone(), leaf: number };
        let Some(leaf) = look.leaf() else { return (None, Stop::Unborn) };
        let (written, state) = self.made(leaf, value);
        match state {
            Ok(mut state) => {
                if self.loops.is_some() {
                    self.note(&mut state, &look, leaf, value);
                }
                (written, self.run(state))
            }
            Err(stop) => (None, *stop),
        }
    }

    /// A thread that has just made an access, with the value written.
    pub(super) fn made(
        &self,
        leaf: &Leaf<'p>,
        value: Value,
    ) -> (Option<Value>, Result<State<'p>, Box<Stop<'p>>>) {
        let mut state = leaf.state.clone();
        let access = &leaf.access;
        state.fresh.clear();
        let number = state.count;
        state.count += 1;
        let own = access.place.own;
        state.own = own + 1;
        state.accessed = true;
        let causes = access.causes | bit(own);
        let reads = reads(access.number);
        let read =
            Held { value: Ok(value), constant: false, causes, newest: number + 1, tells: false, reads };
        let mut written = access.value;
        if access.kind != EventKind::Write {
            state.reads.push((own, access.cell));
            state.n_reads += 1;
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
                        Err(diagnostic) => return (None, Err(Box::new(Stop::Error(state, diagnostic)))),
                    }
                }
                extra.done
            }
            Op::Rmw { dst, ops, update, extra, .. } => {
                set(&mut state, *dst, read);
                let cautions = state.cautions.len();
                for op in ops {
                    if let Err(diagnostic) = self.compute(&mut state, op) {
                        return (None, Err(Box::new(Stop::Error(state, diagnostic))));
                    }
                }
                // Atomic arithmetic goes round.
                state.cautions.truncate(cautions);
                match self.value(&state, *update) {
                    Ok(value) => written = Some(value),
                    Err(diagnostic) => return (None, Err(Box::new(Stop::Error(state, diagnostic)))),
                }
                extra.done
            }
            _ => None,
        };
        // A read-modify-write that writes back what it read changes nothing: who reads it could read what it read.
        let counts = |written: &Value| {
            access.kind == EventKind::Write || *written != value || self.fewer != Fewer::Any
        };
        if let Some(written) = written.filter(counts) {
            self.changed(&mut state, leaf, written);
        }
        if let Some(done) = done {
            set(&mut state, done, Held { value: Ok(Value::ZERO), ..read });
        }
        (written, Ok(state))
    }

    /// Goes on to the next stop. Where it would be with fewer reads, it is blocked there.
    pub(super) fn run(&self, state: State<'p>) -> Stop<'p> {
        let stop = self.go(state);
        match stop.state() {
            Some(state) if state.is_repeated => Stop::Blocked(state.clone()),
            _ => stop,
        }
    }

    fn go(&self, mut state: State<'p>) -> Stop<'p> {
        loop {
            let Some(op) = state.control.next_op() else {
                match self.next_instruction(&mut state) {
                    Ok(true) if state.waits => return Stop::Blocked(state),
                    Ok(true) => continue,
                    Ok(false) => return self.ended(state),
                    Err(diagnostic) => return Stop::Error(state, diagnostic),
                }
            };
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

    /// A thread at its end: one that was started makes a fence there.
    pub(super) fn ended(&self, mut state: State<'p>) -> Stop<'p> {
        if state.is_child {
            state.control.instance += 1;
            state.own = 0;
            self.fence(&mut state);
        }
        Stop::Ended(state)
    }

    pub(super) fn next_instruction(&self, state: &mut State<'p>) -> Result<bool, Diagnostic> {
        let instr = state.control.next_instruction(self.program);
        state.accessed = false;
        state.own = 0;
        state.reads.clear();
        state.wrote = false;
        let Some(instr) = instr else { return Ok(false) };
        // A loop without an access may take long.
        if state.control.instance.is_multiple_of(4096) {
            limits::poll();
        }
        let most = if self.properties { MAX_PROGRAM_STEPS } else { MAX_STEPS };
        if state.control.instance >= most {
            return Err(control::endless(usize::from(state.thread), instr, most));
        }
        state.tmps.clear();
        flow::next(state);
        state.waits = self.arrive(state);
        state.control.begin(instr);
        Ok(true)
    }

    pub(super) fn jump(&self, state: &mut State<'p>, target: &Target) -> Result<(), Halt<'p>> {
        let target = match target {
            Target::Pc(pc) => (state.control.code, *pc as u32),
            Target::Indirect(tmp) => match self.decided(state, *tmp)? {
                Value::Code { thread, pc } => (thread, u32::from(pc)),
                other => {
                    let instr = self.instr(state);
                    return Err(Halt::Error(control::no_target(self.program, instr, Some(other))));
                }
            },
        };
        let control = &mut state.control;
        if control.is_back(target)
            && !control.is_unlimited(self.program)
            && control.jumps_back(target) > self.unroll
        {
            return match self.leaves_loops {
                true => Ok(()),
                false => Err(self.cut(state, self.program.target_name(target))),
            };
        }
        control.next = Some(target);
        Ok(())
    }

    pub(super) fn cut(&self, state: &State<'p>, label: String) -> Halt<'p> {
        let span = self.instr(state).span;
        let cut = Cut { thread: usize::from(state.thread), label, span, by: CutBy::Rounds };
        Halt::Stop(Box::new(Stop::Cut(state.clone(), cut)))
    }

    pub(super) fn instr(&self, state: &State<'p>) -> &'p Instr {
        state.control.instr(self.program)
    }

    pub(super) fn held(&self, state: &State<'p>, tmp: Tmp) -> Held {
        state.tmps.get(tmp.0 as usize).copied().unwrap_or(Held::ZERO)
    }

    /// The value of a temporary, which must have one.
    pub(super) fn value(&self, state: &State<'p>, tmp: Tmp) -> Result<Value, Diagnostic> {
        self.tells_if(self.held(state, tmp).tells);
        self.value_unseen(state, tmp)
    }

    /// Likewise, where what the thread does next hangs on it.
    pub(super) fn decided(&self, state: &mut State<'p>, tmp: Tmp) -> Result<Value, Diagnostic> {
        state.hangs |= self.held(state, tmp).reads;
        self.value(state, tmp)
    }

    /// Likewise, for one that goes where nothing hangs on what it is.
    pub(super) fn value_unseen(&self, state: &State<'p>, tmp: Tmp) -> Result<Value, Diagnostic> {
        self.held(state, tmp).value.map_err(|illegal| match illegal {
            IllegalOp::UNINITIALISED => Diagnostic::internal(UNWRITTEN),
            _ => illegal.diagnostic(self.program, Some(self.instr(state).span)),
        })
    }

    /// Causes of an event: those of what it consumes, and of the branches around it as far as these are not passed on.
    pub(super) fn causes(&self, state: &State<'p>, consumed: &[Tmp], extra: Option<&Extra>) -> (u64, u32) {
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
        for frame in state.control.frames.iter().rev() {
            if let Some(guard) = &frame.guard
                && newest <= guard.entered
            {
                causes |= guard.causes;
                newest = newest.max(guard.newest);
            }
        }
        (causes, newest)
    }

    /// In some languages the order inside an instruction is part of program order.
    pub(super) fn inner(&self, causes: u64) -> u64 {
        if self.program.conventions.po_inside { causes } else { 0 }
    }

    pub(super) fn place(&self, state: &State<'p>) -> Place {
        Place {
            thread: state.thread,
            code: state.control.code,
            pc: state.control.pc,
            instance: state.control.instance,
            own: state.own,
        }
    }

    /// An event without a value.
    pub(super) fn plain(
        &self,
        state: &mut State<'p>,
        kind: EventKind,
        cell: Option<u16>,
        sets: &'p [SetName],
        (causes, _): (u64, u32),
        reasons: Option<Arc<Reasons>>,
    ) -> Held {
        let place = self.place(state);
        let (inner, sorted) = (self.inner(causes), self.members.of(kind, state.thread, sets));
        state.fresh.push(Plain { place, kind, cell, sets, sorted, inner, frees: None, reasons });
        state.own += 1;
        state.count += 1;
        Held { causes: causes | bit(place.own), newest: state.count, ..Held::ZERO }
    }
}
