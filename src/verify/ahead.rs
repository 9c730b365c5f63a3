//! How large a long search is: looked at while it is under way, by random walks, for whoever watches it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::diag::Diagnostic;
use crate::explore::{Guess, Random};
use crate::grow::{self, Ended, Execution, Found, Visitor};
use crate::limits::{self, Budget, Expected, Gauge};
use crate::model::Model;
use crate::program::Program;

/// A search that takes longer is looked at.
const PATIENCE: Duration = Duration::from_secs(2);
const WALKS: usize = 4000;
const SEED: u64 = 1;

/// Is the search over? Whoever waits is told.
#[derive(Default)]
struct Over {
    over: Mutex<bool>,
    told: Condvar,
    /// For whoever does not wait, but works.
    flag: Arc<AtomicBool>,
}

impl Over {
    /// Is it over, after so much time at the latest?
    fn within(&self, patience: Duration) -> bool {
        let over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.told.wait_timeout_while(over, patience, |over| !*over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Tells that it is over, also when the search is left by a panic.
struct Tell<'a>(&'a Over);

impl Drop for Tell<'_> {
    fn drop(&mut self) {
        self.0.flag.store(true, Ordering::Relaxed);
        *self.0.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.told.notify_all();
    }
}

/// Runs a search; if it takes long, the gauge is told how large it seems to be.
pub(super) fn while_looking_ahead<R>(
    program: &Program,
    model: &Model,
    options: &grow::Options,
    gauge: Option<&Gauge>,
    search: impl FnOnce() -> R,
) -> R {
    let Some(gauge) = gauge else { return search() };
    let over = Over::default();
    std::thread::scope(|scope| {
        let look = || {
            if over.within(PATIENCE) {
                return;
            }
            let mut random = Random::new(SEED);
            let mut pick = |n: usize| random.below(n);
            // The search ends when it ends, not when this does.
            let budget = Budget { interrupt: Some(over.flag.clone()), ..Budget::default() };
            let walks = budget.run(|| grow::walks(program, model, options, &mut Blind, WALKS, &mut pick));
            let Ok(Ok(walks)) = walks else { return };
            if walks.len() < WALKS {
                return;
            }
            let graphs = Guess::of(walks.iter().map(|walk| walk.graphs)).mean;
            let executions = Guess::of(walks.iter().map(|walk| walk.ends));
            let (least, most) = executions.range();
            let _ = gauge.expected.set(Expected { graphs, executions: executions.mean, least, most });
        };
        let builder = std::thread::Builder::new().stack_size(grow::STACK);
        // Without a thread for it nobody is told.
        let _ = builder.spawn_scoped(scope, look);
        let _tell = Tell(&over);
        search()
    })
}

/// Looks at nothing but whether to go on.
struct Blind;

impl Visitor for Blind {
    fn execution(&mut self, _: Ended, _: &Found, _: &dyn Execution) -> ControlFlow<()> {
        self.look()
    }

    fn look(&mut self) -> ControlFlow<()> {
        match limits::look() {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    fn fail(&mut self, _: Diagnostic) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
