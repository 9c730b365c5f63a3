//! The stateless search.
//!
//! [`run`] unfolds a test into worlds and completes each: [`Engine::Explore`] with bounds on everything not chosen
//! yet (`problem`, `compile`, `search`), [`Engine::Naive`] by trying all there is (`naive`).

mod against;
mod alike;
mod assemble;
mod bases;
mod bound;
mod candidates;
mod chains;
mod choices;
mod code;
mod compile;
mod cycles;
mod domains;
mod drive;
mod empty;
mod entail;
mod evaluator;
mod exchange;
mod feasible;
mod finals;
mod free;
mod goal;
mod growing;
mod kept;
mod leaf;
mod mask;
mod naive;
mod probe;
mod problem;
mod propagate;
mod recall;
mod refute;
mod repeats;
mod residual;
mod root;
mod run_code;
mod search;
mod share;
mod sink;
mod steps;
mod survey;
mod unit;
mod values;
mod witness;

#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod unit_tests;

pub use crate::limits::Gauge;
pub use alike::may_notice;
pub use candidates::{Candidate, candidates, names};
pub use kept::Keeping;
pub(crate) use probe::Random;
pub use recall::recall;
pub use survey::{Estimate, Guess, Share, estimate, guess, survey};
pub use unit::{Decision, Listed, Patience, Portion, Subtree};
pub use witness::{Request, Show, each_execution, executions};

pub(crate) use drive::{fits, may_be_undefined};
pub(crate) use finals::{Finals, Registers};
pub(crate) use sink::{Found, Sink};
pub(crate) use steps::{Raised, assertion_failed, bind, each_choice, the_choice};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::diag::Diagnostic;
use crate::execution::AtBound;
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::Outcome;

/// What to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Every execution, with herd7's figures.
    #[default]
    Count,
    /// Every outcome, no figures.
    States,
    /// Decide the condition and stop.
    Check,
}

/// How to find it out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Engine {
    /// Whichever suits the test and the model.
    Auto,
    /// The explorer: closed worlds.
    #[default]
    Explore,
    /// Executions that grow one event at a time, with revisits; for models that allow it.
    Grow,
    /// The oracle: enumerate everything, then filter.
    Naive,
    /// A solver proposes executions, the model refutes them (`crate::sat`, which runs above this module). Questions that it does not
    /// answer go to the explorer.
    Sat,
}

/// Settings of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to find out.
    pub mode: Mode,
    /// How.
    pub engine: Engine,
    /// Unrolling bound of loops.
    pub unroll: u32,
    /// Bound on the events of a thread, instead ([`crate::execution::Bound`]); not for [`Engine::Grow`].
    pub bound_events: Option<u32>,
    /// What becomes of executions that come to the bound.
    pub at_bound: AtBound,
    /// Workers for one test.
    pub jobs: usize,
    /// Time limit.
    pub timeout: Option<Duration>,
    /// Limit on executions.
    pub max_executions: Option<u64>,
    /// Limit on the memory that the table of final states takes, in bytes: nothing else grows with the executions
    /// found. Workers of one test share it equally.
    pub max_memory: Option<u64>,
    /// Set by someone else to stop the search.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Where the search says how far it is.
    pub gauge: Option<Arc<Gauge>>,
    /// herd7's `-speedcheck`: keep only executions that satisfy an `exists`, or violate a `forall`.
    pub speedcheck: bool,
    /// Find out which check rules out which alternatives ([`crate::outcome::Stats::ruled_out`])? Takes time.
    pub attribute: bool,
    /// Names of checks to skip.
    pub skip_checks: Vec<String>,
    /// Do only this part of the search. All parts together find each execution once. One worker does it.
    pub unit: Option<Arc<Portion>>,
    /// Leave out rounds of loops that change nothing ([`Engine::Grow`] only).
    pub awaits: bool,
    /// From how many nodes on a search looks whether it has counted what is left before. (Most are through by then.)
    pub large: u32,
    /// Executions to be shown later are kept there, so that they need not be looked for again.
    pub keep: Option<Arc<Keeping>>,
    /// Where the explorer notes every execution that it completes, so that tests can tell whether it found one twice.
    #[cfg(test)]
    pub(crate) completed: Option<Arc<std::sync::Mutex<Vec<String>>>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::Count,
            engine: Engine::Explore,
            unroll: 2,
            bound_events: None,
            at_bound: AtBound::default(),
            jobs: 1,
            timeout: None,
            max_executions: None,
            max_memory: None,
            interrupt: None,
            gauge: None,
            speedcheck: false,
            attribute: false,
            skip_checks: Vec::new(),
            unit: None,
            awaits: false,
            large: 128,
            keep: None,
            #[cfg(test)]
            completed: None,
        }
    }
}

/// Runs a test under a model.
///
/// # Errors
/// A run-time error of the model (a failed assertion or match, a primitive's error), or a path of the program that is
/// not supported.
pub fn run(test: &Lowered, model: &Model, options: &Options) -> Result<Outcome, Diagnostic> {
    drive::run(test, model, options)
}
