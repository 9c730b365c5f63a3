//! Comparisons of pointers that may be equal by a collision of their signatures.

use super::{Flow, State, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::SymVal;
use crate::program::control::Frame;
use crate::program::signature::may_collide;
use crate::program::{Assumptions, Op, Tmp};

impl<'p> Unfolding<'p> {
    /// Runs an [`Op::Collide`].
    pub(super) fn collide(
        &mut self,
        state: &mut State<'p>,
        (a, b): (Tmp, Tmp),
        same: &'p [Op],
        differ: &'p [Op],
    ) -> Result<Flow, Diagnostic> {
        let bits = self.bits();
        let value = |tmp: Tmp| -> Result<SymVal, Diagnostic> {
            Ok(state.path.constraints.fold(&self.temp(state, tmp)?.value, bits))
        };
        let (a, b) = (value(a)?, value(b)?);
        if let Some(diagnostic) = [&a, &b].into_iter().find_map(|value| self.meaningless(state, value)) {
            return Ok(self.fail(state, diagnostic));
        }
        match (a.known(), b.known()) {
            _ if a == b => state.control.frames.push(Frame::plain(same)),
            (Some(a), Some(b)) if !may_collide(a, b) => state.control.frames.push(Frame::plain(differ)),
            _ => {
                state.forks += 1;
                for (ops, is_same) in [(differ, false), (same, true)] {
                    let mut fork = state.clone();
                    fork.path.collisions.push((a.clone(), b.clone(), is_same));
                    if self.is_consistent(&fork) {
                        fork.control.frames.push(Frame::fork(ops));
                        self.waiting.push(fork);
                    }
                }
                return Ok(Flow::Over);
            }
        }
        Ok(Flow::On)
    }

    /// Can all that the path assumes of values known by now be true?
    fn is_consistent(&self, state: &State<'p>) -> bool {
        let mut assumed = Assumptions::default();
        state.path.collisions.iter().all(|(a, b, same)| match (a.known(), b.known()) {
            (Some(a), Some(b)) => assumed.assume(a, b, *same, self.program),
            _ => true,
        })
    }
}
