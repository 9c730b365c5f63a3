//! Executions of two models, as graphs.

use std::ops::ControlFlow;

use super::{Answer, Comparison, Effort};
use crate::diag::Diagnostic;
use crate::execution::{Execution, OtherVerdict};
use crate::explore::{self, Mode, Options, Request};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Completeness, Outcome, StateStyle, format_state};

/// So many executions are looked at after the first counterexample, in search of a smaller one.
const LOOK_FURTHER: u64 = 1_000;

/// So many executions are looked at one by one before a search for what the source forbids takes over.
const LISTED: u64 = 5_000;

/// Is every execution of the target one of the source?
pub(super) fn compare(
    test: &Lowered,
    (source, target): (&Model, &Model),
    turned: &[Model],
    effort: Effort,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let mut listed = Listed::default();
    let most = if turned.is_empty() { u64::MAX } else { LISTED };
    let mut broke_off = false;
    let request = Request::all();
    let outcome = explore::each_execution(test, target, Some(source), options, &request, &mut |execution| {
        listed.add(execution);
        let enough = effort == Effort::Decide && listed.since > LOOK_FURTHER;
        broke_off = enough || listed.worst.is_none() && listed.seen >= most;
        if broke_off { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let mut completeness = outcome.completeness;
    if broke_off && listed.worst.is_none() {
        completeness = search(test, source, turned, &mut listed, options)?;
    }
    let counted = |model: &Model| {
        let options = Options { mode: Mode::Count, ..options.clone() };
        let counted = explore::run(test, model, &options).map_err(Diagnostic::without_places)?;
        Ok::<u64, Diagnostic>(counted.positive + counted.negative + counted.uncompleted.executions)
    };
    let of_source = match effort {
        Effort::Count => Some(counted(source)?),
        Effort::Decide => None,
    };
    let (mut of_target, new) = (listed.seen, listed.seen - listed.both);
    if broke_off && effort == Effort::Count {
        of_target = counted(target)?;
    }
    Ok(Comparison {
        answer: match listed.worst {
            Some((execution, failed)) => {
                let state = format_state(&execution.state, test, &StateStyle::default());
                Answer::NotPortable { execution: Box::new(execution), state, failed }
            }
            None => Answer::Portable,
        },
        of_target,
        of_both: of_target - new,
        of_source,
        counted: !broke_off,
        completeness,
    })
}

/// Looks for an execution of the target that fails a check of the source.
fn search(
    test: &Lowered,
    source: &Model,
    turned: &[Model],
    listed: &mut Listed,
    options: &Options,
) -> Result<Completeness, Diagnostic> {
    let mut bounded = Completeness::Complete;
    let any = Options { max_executions: Some(1), ..options.clone() };
    for violated in turned {
        let found = explore::run(test, violated, &any)?;
        match found.completeness {
            Completeness::Complete => {}
            Completeness::Bounded => bounded = Completeness::Bounded,
            Completeness::ExecutionLimit => return witness(test, source, violated, listed, options),
            stopped => return Ok(stopped),
        }
        if is_there(&found) {
            return witness(test, source, violated, listed, options);
        }
    }
    Ok(bounded)
}

fn is_there(outcome: &Outcome) -> bool {
    !outcome.states.is_empty() || !outcome.uncompleted.states.is_empty()
}

/// The execution that is known to be there.
fn witness(
    test: &Lowered,
    source: &Model,
    violated: &Model,
    listed: &mut Listed,
    options: &Options,
) -> Result<Completeness, Diagnostic> {
    let request = Request::all();
    let outcome =
        explore::each_execution(test, violated, Some(source), options, &request, &mut |execution| {
            listed.add(execution);
            if listed.worst.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    match listed.worst {
        Some(_) => Ok(outcome.completeness),
        None => Err(Diagnostic::internal("a check that fails, and no execution")),
    }
}

/// Executions looked at so far.
#[derive(Default)]
struct Listed {
    seen: u64,
    /// Those that the source allows.
    both: u64,
    /// Those since the first that it does not.
    since: u64,
    /// The smallest that it does not allow, and the checks that fail.
    worst: Option<(Execution, Vec<String>)>,
}

impl Listed {
    fn add(&mut self, execution: Execution) {
        self.seen += 1;
        match execution.against.clone() {
            Some(OtherVerdict::Rejected(failed)) => {
                let known = self.worst.as_ref().map(|(known, _)| known.events.len());
                if known.is_none_or(|known| execution.events.len() < known) {
                    self.worst = Some((execution, failed));
                }
            }
            _ => self.both += 1,
        }
        self.since += u64::from(self.worst.is_some());
    }
}
