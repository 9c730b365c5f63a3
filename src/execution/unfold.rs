//! The thread interpreter: runs the micro-ops of one thread symbolically and finds all its paths.
//!
//! A path forks where the program does not know yet what to do (a branch on a value read, an address read from memory,
//! a store-conditional); each fork remembers what it assumes, and one that contradicts itself is dropped at once.

mod access;
mod collide;
mod compute;
mod event;
mod fault;
mod loops;

use std::sync::Arc;

use crate::diag::{Diagnostic, Remedy};
use crate::limits;
use crate::program::control::{self, Control};
use crate::program::{AccessSize, Instr, Op, Program, Property, Reg, Tmp};

use super::path::{Path, Violation};
use super::{Bound, EventKind, SymVal};

/// More executed instructions than this on one path of a thread: it does not end.
const MAX_STEPS: u32 = 10_000;

/// More paths than this through one thread: too many to combine with those of others.
const MAX_PATHS: usize = 50_000;

/// A symbolic value of more nodes than this: too large to work with.
const MAX_NODES: usize = 2_000;

/// All paths of one thread, in a fixed order.
///
/// # Errors
/// A loop that does not end, too many paths, or a value that grows beyond all bounds.
pub(super) fn paths(
    program: &Program,
    thread: usize,
    bound: Bound,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Path>, Diagnostic> {
    let unset = Register { value: SymVal::ZERO, writer: None, forked: false };
    let mut regs = vec![unset; program.regs.len()];
    for (_, reg, value) in program.init_regs.iter().filter(|(t, ..)| *t == thread) {
        regs[reg.0 as usize].value = SymVal::Known(*value);
    }
    let start = State {
        control: Control::new(thread as u16),
        tmps: Vec::new(),
        regs,
        reserved: None,
        in_handler: false,
        known_passes: Vec::new(),
        forks: 0,
        condition: Vec::new(),
        conditions: Vec::new(),
        saved: Vec::new(),
        made: 0,
        before: None,
        path: Path::default(),
    };
    let mut unfolding = Unfolding {
        program,
        thread,
        // Rounds in which nothing happens are no reason to go on for ever.
        unroll: bound.events.unwrap_or(bound.unroll),
        bound,
        left_at: Vec::new(),
        waiting: vec![start],
        done: Vec::new(),
        warnings: Vec::new(),
    };
    while let Some(state) = unfolding.waiting.pop() {
        unfolding.run(state)?;
        if unfolding.done.len() + unfolding.waiting.len() > MAX_PATHS {
            return Err(unfolding.too_many_paths());
        }
    }
    warnings.extend(unfolding.warnings);
    Ok(unfolding.done)
}

/// A temporary: its value and the events that the value comes from.
#[derive(Clone)]
struct Temp {
    value: SymVal,
    sources: Vec<u32>,
    /// Does the value depend on which way a choice of the machine went?
    forked: bool,
}

/// What a register holds, and the event that wrote it last.
#[derive(Clone)]
struct Register {
    value: SymVal,
    writer: Option<u32>,
    /// As in [`Temp`].
    forked: bool,
}

/// Around a branch: the sources of its condition, and the number of events when it was entered.
type Guard = (Vec<u32>, u32);

/// Where a path is.
#[derive(Clone)]
struct State<'p> {
    control: Control<'p, Guard>,
    tmps: Vec<Option<Temp>>,
    regs: Vec<Register>,
    /// The address and the size of the last load-reserve.
    reserved: Option<(SymVal, AccessSize)>,
    /// Between an exception and the return from it?
    in_handler: bool,
    /// Passes through loops that were known to be taken.
    known_passes: Vec<loops::Passes>,
    /// How often the path forked so far.
    forks: u32,
    /// Where each condition being evaluated starts, among the events: one may be inside another.
    condition: Vec<u32>,
    /// Events of the conditions in force.
    conditions: Vec<Vec<u32>>,
    /// How many were in force at each `ControlSave`.
    saved: Vec<(u32, usize)>,
    /// Events so far that a bound on events counts.
    made: u32,
    /// Under such a bound: the path before this instruction.
    before: Option<Arc<State<'p>>>,
    path: Path,
}

impl State<'_> {
    fn n_events(&self) -> u32 {
        self.path.events.len() as u32
    }
}

/// What becomes of a path after one micro-op.
enum Flow {
    /// It goes on.
    On,
    /// It is over (finished, or contradictory); nothing is left to do.
    Over,
}

struct Unfolding<'p> {
    program: &'p Program,
    thread: usize,
    unroll: u32,
    bound: Bound,
    /// Where paths were left because an instruction makes too many events, whichever way it goes.
    left_at: Vec<Arc<State<'p>>>,
    /// Paths still to be followed; the last one first.
    waiting: Vec<State<'p>>,
    done: Vec<Path>,
    /// What is to be said about paths that were dropped.
    warnings: Vec<Diagnostic>,
}

impl<'p> Unfolding<'p> {
    fn bits(&self) -> u32 {
        self.program.bits
    }

    fn too_many_paths(&self) -> Diagnostic {
        let message = format!("thread P{} has more than {MAX_PATHS} paths", self.thread);
        let diagnostic =
            Diagnostic::unsupported("program::too-many-paths", message).unless(Remedy::OtherEngine);
        let Some(last) = self.waiting.last() else { return diagnostic };
        let looped = last.control.has_looped();
        let diagnostic = diagnostic.at(self.instr(last).span, "paths fork here and elsewhere");
        if looped { diagnostic.help("a lower bound on loops (--unroll) leaves fewer") } else { diagnostic }
    }

    /// Follows one path to its end; its forks wait.
    fn run(&mut self, mut state: State<'p>) -> Result<(), Diagnostic> {
        loop {
            limits::poll();
            if self.bound.events.is_some_and(|most| state.made > most) {
                self.leave(&state);
                return Ok(());
            }
            if let Some(op) = state.control.next_op() {
                if let Flow::Over = self.op(&mut state, op)? {
                    return Ok(());
                }
            } else if !self.next_instruction(&mut state)? {
                self.finish(state);
                return Ok(());
            }
        }
    }

    /// Moves to the next instruction; `false` at the end of the thread.
    fn next_instruction(&mut self, state: &mut State<'p>) -> Result<bool, Diagnostic> {
        let Some(instr) = state.control.next_instruction(self.program) else { return Ok(false) };
        if state.control.instance >= MAX_STEPS {
            return Err(control::endless(self.thread, instr, MAX_STEPS));
        }
        state.tmps.clear();
        if self.bound.events.is_some() {
            state.before = None;
            state.before = Some(Arc::new(state.clone()));
        }
        state.control.begin(instr);
        Ok(true)
    }

    fn instr(&self, state: &State<'p>) -> &'p Instr {
        state.control.instr(self.program)
    }

    fn finish(&mut self, mut state: State<'p>) {
        let regs = state.regs.into_iter().enumerate();
        state.path.final_regs = regs
            .filter(|(_, reg)| reg.writer.is_some() || reg.value != SymVal::ZERO)
            .map(|(index, reg)| (Reg(index as u16), reg.value))
            .collect();
        self.done.push(state.path);
    }

    /// The property holds, or the thread ends here.
    fn assert(&mut self, state: &mut State<'p>, cond: Tmp, property: &Property) -> Result<Flow, Diagnostic> {
        let bits = self.bits();
        let cond = self.temp(state, cond)?.value.clone();
        if state.path.constraints.decide(&cond, bits) != Some(true) {
            let mut wrong = state.clone();
            if wrong.path.constraints.assume(&cond, false, bits) {
                self.violate(wrong, property.clone());
            }
        }
        Ok(if state.path.constraints.assume(&cond, true, bits) { Flow::On } else { Flow::Over })
    }

    /// The program does what it must not do: the path ends.
    fn violate(&mut self, mut state: State<'p>, property: Property) {
        let place = self.instr(&state).span;
        state.path.violations.push(Violation { place, property });
        state.path.aborted = true;
        self.finish(state);
    }

    /// The path cannot go on, and an execution that takes it has no answer.
    fn fail(&mut self, state: &mut State<'p>, diagnostic: Diagnostic) -> Flow {
        let mut failed = state.clone();
        failed.path.error = Some(diagnostic);
        self.finish(failed);
        Flow::Over
    }

    fn temp<'a>(&self, state: &'a State<'p>, tmp: Tmp) -> Result<&'a Temp, Diagnostic> {
        state.tmps.get(tmp.0 as usize).and_then(Option::as_ref).ok_or_else(|| {
            Diagnostic::internal("this instruction uses a value that it has not computed")
                .at(self.instr(state).span, "here")
        })
    }

    fn sources(&self, state: &State<'p>, tmps: &[Tmp]) -> Result<Vec<u32>, Diagnostic> {
        let mut all = Vec::new();
        for tmp in tmps {
            all.extend_from_slice(&self.temp(state, *tmp)?.sources);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn set(state: &mut State<'p>, tmp: Tmp, value: SymVal, sources: Vec<u32>) {
        let index = tmp.0 as usize;
        if state.tmps.len() <= index {
            state.tmps.resize(index + 1, None);
        }
        let forked = state.control.is_forked();
        state.tmps[index] = Some(Temp { value, sources, forked });
    }

    /// The value just set comes from one that depends on a choice, if `forked`.
    fn taint(state: &mut State<'p>, tmp: Tmp, forked: bool) {
        if let Some(Some(temp)) = state.tmps.get_mut(tmp.0 as usize) {
            temp.forked |= forked;
        }
    }

    /// Runs one micro-op.
    fn op(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        match op {
            Op::Const { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Taint { .. } | Op::From { .. } => {
                self.compute(state, op)?;
            }
            Op::ReadReg { dst, reg, port } => self.read_register(state, *dst, (*reg, *port), None)?,
            Op::ReadRegWith { dst, reg, port, extra } => {
                self.read_register(state, *dst, (*reg, *port), Some(extra))?;
            }
            Op::WriteReg { reg, src, extra } => self.write_register(state, *reg, *src, extra)?,
            Op::Load { .. } => return self.load(state, op),
            Op::Store { .. } => return self.store(state, op),
            Op::Rmw { .. } => return self.update(state, op),
            Op::Fence { sets, extra } => {
                let id = self.event(state, EventKind::Fence, None, None, sets.clone());
                self.edges(state, id, &[], extra)?;
            }
            Op::Other { .. } => return self.other(state, op),
            Op::Named { .. } => return self.named(state, op),
            Op::Pin { addr } => {
                if self.pinned(state, *addr, op)?.is_none() {
                    return Ok(Flow::Over);
                }
            }
            Op::Branch { kind, cond, extra } => self.branch_event(state, *kind, *cond, extra)?,
            Op::Mark { of, sets } => {
                for event in self.sources(state, &[*of])? {
                    state.path.events[event as usize].sets.extend(sets.iter().cloned());
                }
            }
            Op::If { cond, then, otherwise } => return self.branch(state, *cond, then, otherwise),
            Op::Choice { branches } => return Ok(self.choose(state, branches)),
            Op::Assume { cond } | Op::Await { cond, .. } => return self.assume(state, *cond),
            Op::Collide { a, b, same, differ } => return self.collide(state, (*a, *b), same, differ),
            Op::Need { a } => return self.need(state, *a),
            Op::Jump { target } => return self.jump(state, target, op),
            Op::Goto { pc } => state.control.next = Some((state.control.code, *pc as u32)),
            Op::Fault { .. } => return self.fault(state, op),
            Op::ExceptionReturn { target } => {
                state.in_handler = false;
                return self.jump_to(state, *target, op);
            }
            Op::Stop => {
                self.finish(state.clone());
                return Ok(Flow::Over);
            }
            Op::Reserve { addr, size } => {
                state.reserved = Some((self.temp(state, *addr)?.value.clone(), *size));
            }
            Op::Conditional { addr, size, then, otherwise } => {
                self.conditional(state, (*addr, *size), then, otherwise)?;
            }
            Op::LoopHead { id } => return Ok(self.loop_head(state, *id)),
            Op::LoopEnter { id } => state.leave_loop(*id),
            Op::CondBegin | Op::CondEnd | Op::ControlSave { .. } | Op::ControlRestore { .. } => {
                state.condition_marks(op);
            }
            Op::Assert { cond, property } => return self.assert(state, *cond, property),
            Op::Print { .. } => {}
            Op::Spawn { .. } | Op::Join { .. } => {
                return Err(self.not_closed(state, "threads that start threads"));
            }
            Op::Alloc { .. } | Op::Free { .. } => {
                return Err(self.not_closed(state, "objects made while the program runs"));
            }
            Op::CompareExchange { .. } => {
                return Err(self.not_closed(state, "compare-exchanges in one step"));
            }
            Op::Nondet { .. } => return Err(self.not_closed(state, "values chosen at random")),
        }
        Ok(Flow::On)
    }

    /// What this engine cannot do, which has every thread and every cell before it starts.
    fn not_closed(&self, state: &State<'p>, what: &str) -> Diagnostic {
        Diagnostic::unsupported("program::not-closed", format!("{what} are for `litmus verify`"))
            .at(self.instr(state).span, "not in a litmus test")
    }

    /// Makes the micro-op just taken the next one again.
    fn again(state: &mut State<'p>, op: &'p Op) {
        if let Some(frame) = state.control.frames.last_mut() {
            debug_assert!(frame.taken().is_some_and(|taken| std::ptr::eq(taken, op)));
            frame.again();
        }
    }
}
