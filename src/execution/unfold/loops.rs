//! Branches, jumps, loops and their bounds.

use std::sync::Arc;

use super::{Flow, State, Temp, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::{AtBound, Cut, CutBy, EventKind, SymVal};
use crate::program::control::{CodeAt, Frame, no_target};
use crate::program::{AccessSize, BinOp, Op, SetName, Target, Tmp, Value};

/// How many passes through a loop may fork, one after the other, although each was known to be taken. Even if every fork led somewhere,
/// more would be more paths than are followed.
const MAX_FORKING_PASSES: u32 = 16;

/// A place where a loop begins anew.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Site {
    Jump(CodeAt),
    Loop(u32),
}

/// Passes through a loop that were known to be taken.
#[derive(Clone)]
pub(super) struct Passes {
    site: Site,
    /// What was known of the registers at the last pass.
    known: Vec<Option<Value>>,
    /// The last passes that began with that.
    same: u32,
    /// Forks of the path at the last pass.
    forks: u32,
    /// The last passes with a fork in each.
    forking: u32,
}

impl State<'_> {
    /// One more pass through a loop that is known to be taken. Nobody bounds such loops, since they end by themselves; `true` if this
    /// one does not: so many passes change nothing that is known, or hang on how the path forked.
    fn goes_round(&mut self, site: Site, unroll: u32) -> bool {
        let known: Vec<Option<Value>> = self.regs.iter().map(|reg| reg.value.known()).collect();
        let Some(passes) = self.known_passes.iter_mut().find(|passes| passes.site == site) else {
            self.known_passes.push(Passes { site, known, same: 1, forks: self.forks, forking: 0 });
            return false;
        };
        passes.same = if passes.known == known { passes.same + 1 } else { 1 };
        passes.forking = if passes.forks < self.forks { passes.forking + 1 } else { 0 };
        passes.known = known;
        passes.forks = self.forks;
        passes.same > unroll.max(1) || passes.forking > unroll + MAX_FORKING_PASSES
    }

    /// A structured loop is entered anew.
    pub(super) fn leave_loop(&mut self, id: u32) {
        self.control.enters(id);
        self.known_passes.retain(|passes| passes.site != Site::Loop(id));
    }
}

impl<'p> Unfolding<'p> {
    /// Forks on a condition, unless it is known.
    pub(super) fn branch(
        &mut self,
        state: &mut State<'p>,
        cond: Tmp,
        then: &'p [Op],
        otherwise: &'p [Op],
    ) -> Result<Flow, Diagnostic> {
        let bits = self.bits();
        let Temp { value, sources, forked } = self.temp(state, cond)?.clone();
        if let Some(diagnostic) = self.meaningless(state, &value) {
            return Ok(self.fail(state, diagnostic));
        }
        let constant = value.known().is_some() && !forked;
        let frame = |ops, state: &State| {
            let mut frame = Frame::branch(ops, (sources.clone(), state.n_events()), constant);
            frame.forked = forked;
            frame
        };
        match state.path.constraints.decide(&value, bits) {
            Some(true) => state.control.frames.push(frame(then, state)),
            Some(false) => state.control.frames.push(frame(otherwise, state)),
            None => {
                state.forks += 1;
                let mut other = state.clone();
                if other.path.constraints.assume(&value, false, bits) {
                    other.control.frames.push(frame(otherwise, state));
                    self.waiting.push(other);
                }
                if !state.path.constraints.assume(&value, true, bits) {
                    return Ok(Flow::Over);
                }
                state.control.frames.push(frame(then, state));
            }
        }
        Ok(Flow::On)
    }

    /// Goes every way.
    pub(super) fn choose(&mut self, state: &mut State<'p>, branches: &'p [Vec<Op>]) -> Flow {
        let Some((first, rest)) = branches.split_first() else { return Flow::Over };
        state.forks += 1;
        for ops in rest.iter().rev() {
            let mut other = state.clone();
            other.control.frames.push(Frame::fork(ops));
            self.waiting.push(other);
        }
        state.control.frames.push(Frame::fork(first));
        Flow::On
    }

    /// A store-conditional: it may fail, and succeeds only where the reservation is for its address and size.
    pub(super) fn conditional(
        &mut self,
        state: &mut State<'p>,
        (addr, size): (Tmp, AccessSize),
        then: &'p [Op],
        otherwise: &'p [Op],
    ) -> Result<(), Diagnostic> {
        let bits = self.bits();
        let addr = self.temp(state, addr)?.value.clone();
        state.forks += 1;
        if let Some((reserved, _)) = state.reserved.take().filter(|(_, reserved)| *reserved == size) {
            let same = SymVal::binary(BinOp::Eq, addr, reserved, bits);
            let mut success = state.clone();
            if success.path.constraints.assume(&same, true, bits) {
                success.control.frames.push(Frame::fork(then));
                self.waiting.push(success);
            }
        }
        state.control.frames.push(Frame::fork(otherwise));
        Ok(())
    }

    /// Goes to `target` after this instruction, unless that is once too often.
    pub(super) fn jump(
        &mut self,
        state: &mut State<'p>,
        target: &Target,
        op: &'p Op,
    ) -> Result<Flow, Diagnostic> {
        match target {
            Target::Pc(pc) => Ok(self.go(state, (state.control.code, *pc as u32))),
            Target::Indirect(tmp) => self.jump_to(state, *tmp, op),
        }
    }

    /// Goes to a code address.
    pub(super) fn jump_to(
        &mut self,
        state: &mut State<'p>,
        tmp: Tmp,
        op: &'p Op,
    ) -> Result<Flow, Diagnostic> {
        let Temp { value, sources, .. } = self.temp(state, tmp)?.clone();
        Ok(match state.path.constraints.fold(&value, self.bits()) {
            SymVal::Known(Value::Code { thread, pc }) => self.go(state, (thread, u32::from(pc))),
            SymVal::Known(known) => {
                let diagnostic = no_target(self.program, self.instr(state), Some(known));
                self.fail(state, diagnostic)
            }
            value => {
                self.fork_over_labels(state, tmp, &value, &sources, op);
                Flow::Over
            }
        })
    }

    fn go(&mut self, state: &mut State<'p>, target: CodeAt) -> Flow {
        if state.control.is_back(target) {
            let over = if state.control.is_unlimited(self.program) {
                state.goes_round(Site::Jump(target), self.unroll)
            } else {
                state.control.jumps_back(target) > self.unroll
            };
            if over && self.bound.at == AtBound::Exit {
                return Flow::On;
            }
            if over {
                let label = self.program.target_name(target);
                return self.cut(state, label);
            }
        }
        state.control.next = Some(target);
        Flow::On
    }

    /// One more pass through a structured loop, unless that is once too often.
    pub(super) fn loop_head(&mut self, state: &mut State<'p>, id: u32) -> Flow {
        // In a branch that was known to be taken, the program itself counts its passes.
        let over = if state.control.is_known() {
            state.goes_round(Site::Loop(id), self.unroll)
        } else {
            state.control.passes(id) > self.unroll
        };
        match over {
            true if self.bound.at == AtBound::Exit && state.control.leave_loop(self.program) => Flow::On,
            true => self.cut(state, "While".to_string()),
            false => Flow::On,
        }
    }

    /// An indirect branch on a value not known: to any label, of any thread.
    fn fork_over_labels(
        &mut self,
        state: &mut State<'p>,
        tmp: Tmp,
        value: &SymVal,
        sources: &[u32],
        op: &'p Op,
    ) {
        let bits = self.bits();
        let mut targets: Vec<(usize, usize)> = Vec::new();
        for (thread, code) in self.program.threads.iter().enumerate() {
            targets.extend(code.labels.iter().map(|(_, pc)| (thread, *pc)));
        }
        targets.sort_unstable();
        targets.dedup();
        let mut elsewhere = state.clone();
        let mut elsewhere_is_possible = true;
        for (thread, pc) in targets.into_iter().rev() {
            let code = Value::Code { thread: thread as u16, pc: pc as u16 };
            let here = SymVal::binary(BinOp::Eq, value.clone(), SymVal::Known(code), bits);
            let mut fork = state.clone();
            if fork.path.constraints.assume(&here, true, bits) {
                Self::set(&mut fork, tmp, SymVal::Known(code), sources.to_vec());
                Self::again(&mut fork, op);
                self.waiting.push(fork);
            }
            elsewhere_is_possible =
                elsewhere_is_possible && elsewhere.path.constraints.assume(&here, false, bits);
        }
        if elsewhere_is_possible {
            let diagnostic = no_target(self.program, self.instr(state), None);
            self.fail(&mut elsewhere, diagnostic);
        }
    }

    /// The unrolling bound is reached: the path ends here.
    pub(super) fn cut(&mut self, state: &mut State<'p>, label: String) -> Flow {
        let span = self.instr(state).span;
        self.event(state, EventKind::Other, None, None, vec![SetName::Borrowed("CutOff")]);
        let mut over = state.clone();
        over.path.cut = Some(Cut { thread: self.thread, label, span, by: CutBy::Rounds });
        self.finish(over);
        Flow::Over
    }

    /// The instruction makes more events than are left: the path ends before it. Other ways through it may make fewer, and go on.
    pub(super) fn leave(&mut self, state: &State<'p>) {
        let Some(before) = &state.before else { return };
        if self.left_at.iter().any(|left| Arc::ptr_eq(left, before)) {
            return;
        }
        self.left_at.push(before.clone());
        let mut over = State::clone(before);
        let most = self.bound.events.unwrap_or(over.made);
        let label = if most == 1 { "1 event".to_string() } else { format!("{most} events") };
        let span = self.instr(&over).span;
        self.event(&mut over, EventKind::Other, None, None, vec![SetName::Borrowed("CutOff")]);
        over.path.cut = Some(Cut { thread: self.thread, label, span, by: CutBy::Events });
        self.finish(over);
    }
}
