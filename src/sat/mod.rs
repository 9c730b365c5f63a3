//! A second engine: a solver proposes executions, the model refutes them.
//!
//! The program is unrolled once (`graph`) and becomes clauses (`encode`, `values`, `condition`): one path per thread, one source per read, an order of
//! the writes of each cell, and no axiom at all. Each assignment is an execution (`proposal`); the model is run over it as everywhere else
//! (`judge`). If it is refused, the pair or cycle that a check found is walked back to the choices that brought it about (`reason`); these never come
//! together again. So the solver learns as much of the model as the question needs.

mod condition;
mod emit;
mod encode;
mod facts;
mod forms;
mod graph;
mod judge;
pub(crate) mod merged;
mod order;
mod proposal;
mod reason;
mod search;
mod solver;
mod states;
mod values;

pub use solver::{Batsat, Lit, Recorded, Solver};
pub use states::{Compared, ending_in, new_state};

use std::ops::ControlFlow;

use crate::diag::Diagnostic;
use crate::execution::World;
use crate::explore::{Candidate, Mode, Options, Sink, may_be_undefined};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Completeness, Outcome, WhyEmpty};
use search::{Asked, run_into, written};

/// The clauses of a test in the format of DIMACS, with all that was learnt of the model until the condition was decided: a comment says what each
/// variable means, and another what the answer is.
///
/// # Errors
/// As [`run`].
pub fn dimacs(test: &Lowered, model: &Model, options: &Options) -> Result<String, Diagnostic> {
    let options = Options { mode: Mode::Check, ..options.clone() };
    let (_, text) = written(test, model, &options, Sink::new(test, &options))?;
    Ok(text)
}

/// Looks for an execution that satisfies an `exists`, or violates a `forall`, and that the model accepts; the first is shown. How far that went comes back.
///
/// # Errors
/// As [`run`].
pub fn witness<'t>(
    test: &'t Lowered,
    model: &Model,
    options: &'t Options,
    look: &'t mut (dyn FnMut(&World, &Candidate) -> ControlFlow<()> + Send + 't),
) -> Result<Completeness, Diagnostic> {
    let mut sink = Sink::new(test, options);
    sink.look = Some(look);
    Ok(run_into(test, model, options, sink, Asked::Main)?.completeness)
}

/// Runs a test under a model, in mode *check* or *states*.
///
/// # Errors
/// A run-time error of the model, a path of the program that is not supported, or a question that needs another engine.
pub fn run(test: &Lowered, model: &Model, options: &Options) -> Result<Outcome, Diagnostic> {
    if options.mode == Mode::Count {
        return Err(Diagnostic::unsupported("sat::counting", "a solver does not count executions")
            .help("`--mode check` decides the condition, `--mode states` finds all outcomes"));
    }
    if options.mode == Mode::Check && may_be_undefined(model, options) {
        // One execution with undefined behaviour decides the verdict, whatever its final state: all must be looked at.
        let all = Options { mode: Mode::States, ..options.clone() };
        let mut sink = Sink::new(test, &all);
        sink.until_undefined = true;
        return run_into(test, model, &all, sink, Asked::All);
    }
    let sink = Sink::new(test, options);
    let started = sink.started();
    let mut outcome = run_into(test, model, options, sink, Asked::All)?;
    outcome.only_deciding = options.mode == Mode::Check || options.speedcheck;
    let whole = matches!(outcome.completeness, Completeness::Complete | Completeness::Bounded);
    if !outcome.is_empty() || !whole {
        return Ok(outcome);
    }
    // Nothing that decides the condition: because there is nothing at all?
    let any = Options { mode: Mode::States, speedcheck: false, max_executions: Some(1), ..options.clone() };
    let is_empty = |test: &Lowered, asked: Asked| -> Result<(bool, Outcome), Diagnostic> {
        let found = run_into(test, model, &any, Sink::continued(test, &any, started), asked)?;
        let through = matches!(found.completeness, Completeness::Complete | Completeness::Bounded);
        Ok((through && found.is_empty(), found))
    };
    let (empty, found) = is_empty(test, Asked::Main)?;
    if !empty {
        return Ok(outcome);
    }
    let open = Lowered { filter: None, ..test.clone() };
    outcome.why_empty = Some(if test.filter.is_some() && !is_empty(&open, Asked::Main)?.0 {
        WhyEmpty::Filtered
    } else if !found.stats.pruned.is_empty() {
        WhyEmpty::Refuted(found.stats.pruned)
    } else if !outcome.cuts.is_empty() {
        WhyEmpty::cut(&outcome.cuts)
    } else {
        WhyEmpty::Values
    });
    Ok(outcome)
}
