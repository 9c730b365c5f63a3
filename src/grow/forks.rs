//! Where a thread may go on in more than one way, or not at all.

use std::sync::Arc;

use crate::diag::{Diagnostic, Remedy};
use crate::execution::EventKind;
use crate::program::control::Frame;
use crate::program::{LOOP_CUT, Op, Tmp, Value};

use super::flow;
use super::state::{Guard, Halt, Held, State, Stop, set};
use super::step::Stepper;

/// More values than this to choose from at once: too many.
const MAX_CHOICES: i128 = 4096;

impl<'p> Stepper<'p> {
    /// Goes into the branch that a value chooses.
    pub(super) fn decide(
        &self,
        state: &mut State<'p>,
        cond: Tmp,
        then: &'p [Op],
        otherwise: &'p [Op],
    ) -> Result<(), Halt<'p>> {
        let held = self.held(state, cond);
        let holds = self.decided(state, cond)? != Value::ZERO;
        let ops = if holds { then } else { otherwise };
        let flow = flow::guard(state, cond);
        let guard = Guard { causes: held.causes, newest: held.newest, entered: state.count, flow };
        state.control.frames.push(Frame::branch(ops, guard, held.constant));
        Ok(())
    }

    /// Goes every way.
    pub(super) fn fork(&self, state: &State<'p>, branches: &'p [Vec<Op>]) -> Halt<'p> {
        let stops = branches.iter().map(|ops| self.branch(state, ops)).collect();
        Halt::Stop(Box::new(merged(stops)))
    }

    /// Goes on only where a value is not zero.
    pub(super) fn wait(&self, state: &mut State<'p>, cond: Tmp) -> Result<(), Halt<'p>> {
        match self.decided(state, cond)? == Value::ZERO {
            true => Err(Halt::Stop(Box::new(Stop::Blocked(state.clone())))),
            false => Ok(()),
        }
    }

    /// A store-conditional to `addr`: it may fail, and succeeds only where the reservation is for it.
    pub(super) fn conditional(
        &self,
        state: &mut State<'p>,
        addr: Tmp,
        then: &'p [Op],
        otherwise: &'p [Op],
    ) -> Result<(), Halt<'p>> {
        let addr = self.decided(state, addr)?;
        if state.reserved.take() == Some(addr) {
            // A failure can always come next: it is the one that a deleted event must have taken.
            let stops = [self.branch(state, otherwise), self.branch(state, then)];
            return Err(Halt::Stop(Box::new(Stop::Choice(stops.into_iter().map(Arc::new).collect()))));
        }
        state.control.frames.push(Frame::fork(otherwise));
        Ok(())
    }

    /// The head of a loop is passed once more, if the bound allows it.
    pub(super) fn loop_head(&self, state: &mut State<'p>, id: u32) -> Result<(), Halt<'p>> {
        if id == LOOP_CUT {
            return Err(self.cut(state, "Recursion".to_string()));
        }
        // In a branch that was known to be taken the program itself counts its passes, unless nothing changes.
        let counts = self.every_pass || !state.control.is_known() || state.goes_round(id);
        match counts && state.control.passes(id) > self.unroll {
            true if self.leaves_loops && state.control.leave_loop(self.program) => Ok(()),
            true => Err(self.cut(state, "While".to_string())),
            false => Ok(()),
        }
    }

    /// Any number between two.
    pub(super) fn any(&self, state: &State<'p>, dst: Tmp, (low, high): (i128, i128)) -> Halt<'p> {
        if high.saturating_sub(low) >= MAX_CHOICES {
            return Halt::Error(
                Diagnostic::unsupported("grow::many-values", "a choice among too many values")
                    .unless(Remedy::OtherEngine)
                    .at(self.instr(state).span, "here")
                    .help(format!("at most {MAX_CHOICES} can be tried")),
            );
        }
        let stops = (low..=high).map(|n| {
            let mut state = state.clone();
            set(&mut state, dst, Held { value: Ok(Value::Int(n)), constant: false, ..Held::ZERO });
            // Each is looked at when it is its turn: there may be no end of choices.
            Arc::new(Stop::Ready(Box::new(state)))
        });
        Halt::Stop(Box::new(Stop::Choice(stops.collect())))
    }

    fn branch(&self, state: &State<'p>, ops: &'p [Op]) -> Stop<'p> {
        let mut state = state.clone();
        state.control.frames.push(Frame::fork(ops));
        self.run(state)
    }
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
