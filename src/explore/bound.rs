//! Does the bound on loops matter? Worlds cut every path that is too long, whether or not any execution goes along it. The engine that grows
//! executions goes only where the model lets it: if it never comes to the bound, and finds the same number of executions, none is missing.

use std::ops::ControlFlow;

use super::{Engine, Mode, Options};
use crate::diag::Diagnostic;
use crate::grow::{self, Ended, Execution, Found, Visitor};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Completeness, Outcome};
use crate::program::Mixed;

/// More executions than this are not counted a second time.
const MOST: u64 = 20_000;

/// How often the second search may ask whether to go on.
const LOOKS: u64 = 200;

/// Says that an answer is complete where loops were cut, but no execution comes to the bound.
pub(super) fn examine(test: &Lowered, model: &Model, options: &Options, outcome: &mut Outcome) {
    let found = outcome.executions().saturating_word();
    let cut = outcome.completeness == Completeness::Bounded;
    let counted = options.mode == Mode::Count && !options.speedcheck && test.filter.is_none();
    let plain =
        test.scopes.is_empty() && test.regions.is_empty() && test.program.features.mixed != Mixed::Asked;
    if !cut
        || !counted
        || !plain
        || options.engine != Engine::Auto
        || found > MOST
        || !grow::plan(model).is_ok_and(|plan| plan.is_whole())
    {
        return;
    }
    let settings = grow::Options {
        // A thread of so many events runs a loop as often at most, or else comes to the bound here.
        unroll: options.bound_events.unwrap_or(test.unroll.unwrap_or(options.unroll)),
        skip_checks: options.skip_checks.clone(),
        ..grow::Options::default()
    };
    let mut count = Count { complete: 0, most: found, left: LOOKS, other: false };
    // A budget that is spent says nothing of the answer that is there.
    let searched = limits::catch(|| grow::explore(&test.program, model, &settings, &mut count));
    if matches!(searched, Ok(Ok(_))) && !count.other && count.complete == found {
        outcome.completeness = Completeness::Complete;
    }
}

/// Counts complete executions, and stops where a loop is cut.
struct Count {
    complete: u64,
    most: u64,
    left: u64,
    other: bool,
}

impl Count {
    fn stop(&mut self) -> ControlFlow<()> {
        self.other = true;
        ControlFlow::Break(())
    }
}

impl Visitor for Count {
    fn execution(&mut self, ended: Ended, _: &Found, _: &dyn Execution) -> ControlFlow<()> {
        match ended {
            Ended::Complete if self.complete < self.most => {
                self.complete += 1;
                ControlFlow::Continue(())
            }
            // An assumption fails, or a lock is never free: no execution of ours either.
            Ended::Blocked => ControlFlow::Continue(()),
            _ => self.stop(),
        }
    }

    fn look(&mut self) -> ControlFlow<()> {
        limits::poll();
        self.left -= 1;
        if self.left == 0 { self.stop() } else { ControlFlow::Continue(()) }
    }

    fn fail(&mut self, _: Diagnostic) -> ControlFlow<()> {
        self.stop()
    }
}
