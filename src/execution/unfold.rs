//! The thread interpreter: runs the micro-ops of one thread symbolically and finds all its paths.
//!
//! A path forks where the program does not know yet what to do (a branch on a value read, an address read from memory,
//! a store-conditional); each fork remembers what it assumes, and one that contradicts itself is dropped at once.

mod access;
mod collide;
mod fault;
mod loops;

use std::sync::Arc;

use crate::diag::{Diagnostic, Remedy};
use crate::limits;
use crate::program::control::{self, Control, Frame};
use crate::program::{
    AccessSize, BinOp, Extra, IllegalOp, Instr, LocId, Op, Program, Property, Reg, SetName, Tmp, UnOp, Value,
    Walk, addresses,
};

use super::path::{Path, Violation};
use super::{Bound, Event, EventKind, SymVal};

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

    /// A variable is read that has no value yet. The path goes on, with 0.
    fn read_unwritten(&self, state: &mut State<'p>, reg: Reg) {
        let given =
            self.program.init_regs.iter().any(|(thread, its, _)| (*thread, *its) == (self.thread, reg));
        let violation = Violation { place: self.instr(state).span, property: Property::Uninitialised };
        if !given && !state.path.violations.contains(&violation) {
            state.path.violations.push(violation);
        }
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

    /// Makes an event, without edges.
    fn event(
        &self,
        state: &mut State<'p>,
        kind: EventKind,
        loc: Option<LocId>,
        value: Option<SymVal>,
        sets: Vec<SetName>,
    ) -> u32 {
        let id = state.n_events();
        let is_local = matches!(kind, EventKind::RegRead(..) | EventKind::RegWrite(_) | EventKind::Branch(_));
        state.made += u32::from(!is_local);
        for condition in &state.conditions {
            state.path.edges.control.extend(condition.iter().map(|from| (*from, id)));
        }
        state.path.events.push(Event {
            thread: Some(self.thread as u16),
            instance: state.control.instance,
            pc: state.control.pc,
            code: state.control.code,
            kind,
            loc,
            at: None,
            part: None,
            size: None,
            extent: None,
            access: id,
            value,
            written: None,
            sets,
        });
        id
    }

    /// Gives an event its incoming edges: data from `data`, what `extra` asks for, and control from the enclosing branches.
    fn edges(&self, state: &mut State<'p>, id: u32, data: &[u32], extra: &Extra) -> Result<(), Diagnostic> {
        let more = self.sources(state, &extra.data)?;
        let mut ctrl = self.sources(state, &extra.ctrl)?;
        let order = self.sources(state, &extra.order)?;
        let mut before: Vec<u32> = Vec::new();
        let mut all_data = [data, more.as_slice()].concat();
        all_data.sort_unstable();
        all_data.dedup();
        before.extend(all_data.iter().chain(&ctrl).chain(&order));
        for frame in state.control.frames.iter().rev() {
            if let Some((sources, entered)) = &frame.guard {
                // Causes inside the branch pass its condition on; only what starts there hangs on it directly.
                if !before.iter().any(|from| from >= entered) {
                    ctrl.extend_from_slice(sources);
                    before.extend_from_slice(sources);
                }
            }
        }
        ctrl.sort_unstable();
        ctrl.dedup();
        state
            .path
            .edges
            .iico_data
            .extend(all_data.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        state.path.edges.iico_ctrl.extend(ctrl.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        state
            .path
            .edges
            .iico_order
            .extend(order.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        if let Some(done) = extra.done {
            Self::set(state, done, SymVal::ZERO, vec![id]);
        }
        Ok(())
    }

    /// Runs one micro-op.
    fn op(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let bits = self.bits();
        match op {
            Op::Const { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Taint { .. } | Op::From { .. } => {
                self.compute(state, op)?;
            }
            Op::ReadReg { dst, reg, port } => {
                let Register { value, writer, forked } = state.regs[reg.0 as usize].clone();
                if writer.is_none() && self.program.conventions.undefined_behaviour {
                    self.read_unwritten(state, *reg);
                }
                let id =
                    self.event(state, EventKind::RegRead(*reg, *port), None, Some(value.clone()), vec![]);
                self.edges(state, id, &[], &Extra::default())?;
                if let Some(writer) = writer {
                    state.path.edges.rf_reg.push((writer, id));
                }
                Self::set(state, *dst, value, vec![id]);
                Self::taint(state, *dst, forked);
            }
            Op::ReadRegWith { dst, reg, port, extra } => {
                let Register { value, writer, forked } = state.regs[reg.0 as usize].clone();
                let id =
                    self.event(state, EventKind::RegRead(*reg, *port), None, Some(value.clone()), vec![]);
                self.edges(state, id, &[], extra)?;
                if let Some(writer) = writer {
                    state.path.edges.rf_reg.push((writer, id));
                }
                Self::set(state, *dst, value, vec![id]);
                Self::taint(state, *dst, forked);
            }
            Op::WriteReg { reg, src, extra } => {
                let Temp { value, sources, forked } = self.temp(state, *src)?.clone();
                let id = self.event(state, EventKind::RegWrite(*reg), None, Some(value.clone()), vec![]);
                self.edges(state, id, &sources, extra)?;
                let forked = forked || state.control.is_forked();
                state.regs[reg.0 as usize] = Register { value, writer: Some(id), forked };
            }
            Op::Load { dst, addr, size, sets, extra } => {
                let Some(spot) = self.spot(state, *addr, *size, op)? else { return Ok(Flow::Over) };
                let sources = self.sources(state, &[*addr])?;
                let id = state.n_events();
                self.access(state, EventKind::Read, spot, *size, SymVal::Read(id), sets);
                state.path.edges.addr_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &sources, extra)?;
                Self::set(state, *dst, SymVal::Read(id), vec![id]);
            }
            Op::Store { addr, value, size, sets, extra } => {
                let Some(spot) = self.spot(state, *addr, *size, op)? else { return Ok(Flow::Over) };
                if let Some(diagnostic) = self.store_to_code(state, spot) {
                    return Ok(self.fail(state, diagnostic));
                }
                let from_addr = self.sources(state, &[*addr])?;
                let Temp { value, sources, .. } = self.temp(state, *value)?.clone();
                let id = self.access(state, EventKind::Write, spot, *size, value, sets);
                state.path.edges.addr_in.extend(from_addr.iter().map(|from| (*from, id)));
                state.path.edges.data_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &[from_addr, sources].concat(), extra)?;
            }
            Op::Rmw { dst, addr, ops, update, size, sets, extra } => {
                let Some(spot) = self.spot(state, *addr, *size, op)? else { return Ok(Flow::Over) };
                let from_addr = self.sources(state, &[*addr])?;
                let id = state.n_events();
                self.access(state, EventKind::Rmw, spot, *size, SymVal::Read(id), sets);
                Self::set(state, *dst, SymVal::Read(id), vec![id]);
                for op in ops {
                    self.compute(state, op)?;
                }
                let Temp { value, mut sources, .. } = self.temp(state, *update)?.clone();
                sources.retain(|from| *from != id);
                state.path.events[id as usize].written = Some(value);
                state.path.edges.addr_in.extend(from_addr.iter().map(|from| (*from, id)));
                state.path.edges.data_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &[from_addr, sources].concat(), extra)?;
            }
            Op::Fence { sets, extra } => {
                let id = self.event(state, EventKind::Fence, None, None, sets.clone());
                self.edges(state, id, &[], extra)?;
            }
            Op::Other { addr, sets, extra } => {
                let (spot, sources) = match addr {
                    Some(addr) => {
                        // Maintenance of one address touches the place that it lies in.
                        let Some(spot) = self.spot(state, *addr, AccessSize(0), op)? else {
                            return Ok(Flow::Over);
                        };
                        (Some(spot), self.sources(state, &[*addr])?)
                    }
                    None => (None, Vec::new()),
                };
                let id = self.event(state, EventKind::Other, None, None, sets.clone());
                if let Some(spot) = spot {
                    Self::place(state, id, spot);
                }
                state.path.edges.addr_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &sources, extra)?;
            }
            Op::Named { at, sets, extra } => {
                let (at, sources) = match at {
                    Some(tmp) => {
                        let Some(value) = self.pinned(state, *tmp, op)? else { return Ok(Flow::Over) };
                        (Some(value), self.sources(state, &[*tmp])?)
                    }
                    None => (None, Vec::new()),
                };
                let id = self.event(state, EventKind::Other, None, None, sets.clone());
                state.path.events[id as usize].at = at;
                self.edges(state, id, &sources, extra)?;
            }
            Op::Pin { addr } => {
                if self.pinned(state, *addr, op)?.is_none() {
                    return Ok(Flow::Over);
                }
            }
            Op::Branch { kind, cond, extra } => {
                let sources = match cond {
                    Some(cond) => self.sources(state, &[*cond])?,
                    None => Vec::new(),
                };
                let (value, forked) = match cond {
                    Some(cond) => {
                        let Temp { value, forked, .. } = self.temp(state, *cond)?;
                        (value.clone(), *forked)
                    }
                    None => (SymVal::ZERO, false),
                };
                let id = self.event(state, EventKind::Branch(*kind), None, None, vec![]);
                self.edges(state, id, &sources, extra)?;
                if let Some(done) = extra.done {
                    Self::set(state, done, value, vec![id]);
                    Self::taint(state, done, forked);
                }
            }
            Op::If { cond, then, otherwise } => return self.branch(state, *cond, then, otherwise),
            Op::Choice { branches } => {
                let Some((first, rest)) = branches.split_first() else { return Ok(Flow::Over) };
                state.forks += 1;
                for ops in rest.iter().rev() {
                    let mut other = state.clone();
                    other.control.frames.push(Frame::fork(ops));
                    self.waiting.push(other);
                }
                state.control.frames.push(Frame::fork(first));
            }
            Op::Assume { cond } | Op::Await { cond, .. } => {
                let cond = self.temp(state, *cond)?.value.clone();
                if !self.is_possible(state, &cond) || !state.path.constraints.assume(&cond, true, bits) {
                    return Ok(Flow::Over);
                }
            }
            Op::Collide { a, b, same, differ } => return self.collide(state, (*a, *b), same, differ),
            Op::Need { a } => {
                let value = state.path.constraints.fold(&self.temp(state, *a)?.value, bits);
                if let Some(diagnostic) = self.meaningless(state, &value) {
                    return Ok(self.fail(state, diagnostic));
                }
                if value.known().is_none() {
                    state.path.collisions.push((value.clone(), value, true));
                }
            }
            Op::Jump { target } => return self.jump(state, target, op),
            Op::Goto { pc } => state.control.next = Some((state.control.code, *pc as u32)),
            Op::Fault { .. } => return self.fault(state, op),
            Op::ExceptionReturn { target } => {
                state.in_handler = false;
                return self.jump_to(state, *target, op);
            }
            Op::Mark { of, sets } => {
                for event in self.sources(state, &[*of])? {
                    state.path.events[event as usize].sets.extend(sets.iter().cloned());
                }
            }
            Op::Stop => {
                self.finish(state.clone());
                return Ok(Flow::Over);
            }
            Op::Reserve { addr, size } => {
                state.reserved = Some((self.temp(state, *addr)?.value.clone(), *size));
            }
            Op::Conditional { addr, size, then, otherwise } => {
                let addr = self.temp(state, *addr)?.value.clone();
                state.forks += 1;
                if let Some((reserved, _)) = state.reserved.take().filter(|(_, reserved)| reserved == size) {
                    let same = SymVal::binary(BinOp::Eq, addr, reserved, bits);
                    let mut success = state.clone();
                    if success.path.constraints.assume(&same, true, bits) {
                        success.control.frames.push(Frame::fork(then));
                        self.waiting.push(success);
                    }
                }
                state.control.frames.push(Frame::fork(otherwise));
            }
            Op::LoopHead { id } => return Ok(self.loop_head(state, *id)),
            Op::LoopEnter { id } => state.leave_loop(*id),
            Op::CondBegin => state.condition.push(state.n_events()),
            Op::CondEnd => {
                if let Some(start) = state.condition.pop() {
                    state.conditions.push((start..state.n_events()).collect());
                }
            }
            Op::ControlSave { id } => {
                state.saved.retain(|(saved, _)| saved != id);
                state.saved.push((*id, state.conditions.len()));
            }
            Op::ControlRestore { id } => {
                if let Some((_, count)) = state.saved.iter().find(|(saved, _)| saved == id) {
                    state.conditions.truncate(*count);
                }
            }
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
            Op::Assert { cond, property } => return self.assert(state, *cond, property),
            Op::Nondet { .. } => return Err(self.not_closed(state, "values chosen at random")),
        }
        Ok(Flow::On)
    }

    /// What this engine cannot do, which has every thread and every cell before it starts.
    fn not_closed(&self, state: &State<'p>, what: &str) -> Diagnostic {
        Diagnostic::unsupported("program::not-closed", format!("{what} are for `litmus verify`"))
            .at(self.instr(state).span, "not in a litmus test")
    }

    /// The micro-ops that only compute.
    fn compute(&mut self, state: &mut State<'p>, op: &Op) -> Result<(), Diagnostic> {
        let bits = self.bits();
        let (dst, value, sources, forked) = match op {
            Op::Const { dst, value } => (*dst, SymVal::Known(*value), Vec::new(), false),
            Op::Unary { dst, op, a } => {
                let Temp { value, sources, forked } = self.temp(state, *a)?.clone();
                // What a handler does is privileged.
                let op = match op {
                    UnOp::Walk(walk) if state.in_handler => &UnOp::Walk(Walk { user: false, ..*walk }),
                    op => op,
                };
                (*dst, SymVal::unary(*op, value, bits), sources, forked)
            }
            Op::Binary { dst, op, a, b } => {
                let Temp { value: left, forked, .. } = self.temp(state, *a)?.clone();
                let right = self.temp(state, *b)?;
                let forked = forked || right.forked;
                let value = SymVal::binary(*op, left, right.value.clone(), bits);
                (*dst, value, self.sources(state, &[*a, *b])?, forked)
            }
            Op::From { dst, a, from } => {
                let Temp { value, forked, .. } = self.temp(state, *a)?.clone();
                (*dst, value, self.sources(state, from)?, forked)
            }
            Op::Taint { dst, a, also } => {
                let Temp { value, forked, .. } = self.temp(state, *a)?.clone();
                (*dst, value, self.sources(state, &[&[*a], also.as_slice()].concat())?, forked)
            }
            _ => {
                return Err(Diagnostic::internal("only computations may stand in a read-modify-write")
                    .at(self.instr(state).span, "here"));
            }
        };
        if value.is_larger_than(MAX_NODES) {
            return Err(Diagnostic::unsupported(
                "program::too-large-value",
                "a value computed here is too large a function of what was read",
            )
            .at(self.instr(state).span, "this instruction"));
        }
        Self::set(state, dst, value, sources);
        Self::taint(state, dst, forked);
        Ok(())
    }

    /// A value that depends on no read and yet is not known: an operation in it has no meaning.
    fn meaningless(&self, state: &State<'p>, value: &SymVal) -> Option<Diagnostic> {
        let illegal = value.eval(&[], self.bits()).err()?;
        let here = Some(self.instr(state).span);
        let maker = state.path.events.iter().find(|event| event.needs(illegal, &[], self.bits()));
        if let (IllegalOp::Unary(op, address @ Value::Int(_)), None) = (illegal, maker)
            && op.wants_address()
            && !addresses(self.instr(state)).is_empty()
        {
            return Some(self.no_cell(state, address));
        }
        Some(illegal.diagnostic(self.program, maker.map_or(here, |event| event.place(self.program))))
    }

    /// Makes the micro-op just taken the next one again.
    fn again(state: &mut State<'p>, op: &'p Op) {
        if let Some(frame) = state.control.frames.last_mut() {
            debug_assert!(frame.taken().is_some_and(|taken| std::ptr::eq(taken, op)));
            frame.again();
        }
    }
}
