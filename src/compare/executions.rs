//! Executions of two models, as graphs.

use std::ops::ControlFlow;
use std::time::Duration;

use super::states::ending_in;
use super::{Answer, Comparison, Effort};
use crate::diag::Diagnostic;
use crate::execution::{Execution, OtherVerdict};
use crate::explore::{self, Mode, Options, Request};
use crate::litmus::Lowered;
use crate::model::{Model, Step};
use crate::outcome::{Completeness, Count, StateStyle, format_state};

/// So many executions are looked at after the first counterexample, in search of a smaller one.
const LOOK_FURTHER: u64 = 1_000;

/// So many executions are looked at one by one. Where there are more, what the source forbids is searched for.
const LISTED: u64 = 5_000;

/// So long it may take to count them.
const PATIENCE: Duration = Duration::from_secs(1);

/// Is every execution of the target one of the source?
pub(super) fn compare(
    test: &Lowered,
    (source, target): (&Model, &Model),
    turned: &[Model],
    effort: Effort,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let found = match !turned.is_empty() && is_large(test, target, options)? {
        true => search(test, turned, options)?,
        false => list(test, source, target, effort, options)?,
    };
    let completeness = super::examined(test, target, options, found.completeness.clone());
    let found = Comparison { completeness, ..found };
    if effort == Effort::Decide {
        return Ok(found);
    }
    let counted = |model: &Model| {
        let options = Options { mode: Mode::Count, ..options.clone() };
        let counted = explore::run(test, model, &options).map_err(Diagnostic::without_places)?;
        Ok::<Count, Diagnostic>(&counted.executions() + &counted.uncompleted.executions)
    };
    let of_source = Some(counted(source)?);
    if found.counted {
        return Ok(Comparison { of_source, ..found });
    }
    let (of_target, new) = (counted(target)?, &found.of_target - &found.of_both);
    Ok(Comparison { of_source, of_both: &of_target - &new, of_target, ..found })
}

/// Are there more executions than should be looked at one by one?
fn is_large(test: &Lowered, target: &Model, options: &Options) -> Result<bool, Diagnostic> {
    let patience = options.timeout.map_or(PATIENCE, |timeout| (timeout / 4).min(PATIENCE));
    let (mode, max_executions, timeout) = (Mode::Count, Some(LISTED), Some(patience));
    let outcome = explore::run(test, target, &Options { mode, max_executions, timeout, ..options.clone() })?;
    Ok(matches!(outcome.completeness, Completeness::ExecutionLimit | Completeness::TimedOut)
        || &outcome.executions() + &outcome.uncompleted.executions > LISTED)
}

/// Asks the source about each execution of the target.
fn list(
    test: &Lowered,
    source: &Model,
    target: &Model,
    effort: Effort,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let mut listed = Listed::default();
    let mut broke_off = false;
    let request = Request::all();
    let outcome = explore::each_execution(test, target, Some(source), options, &request, &mut |execution| {
        listed.add(execution);
        broke_off = effort == Effort::Decide && listed.since > LOOK_FURTHER;
        if broke_off { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let (of_target, of_both) = (Count::from(listed.seen), Count::from(listed.both));
    let answer = match listed.worst {
        Some((execution, failed)) => not_portable(test, execution, failed),
        None => Answer::Portable,
    };
    let completeness = outcome.completeness;
    Ok(Comparison { answer, of_target, of_both, of_source: None, counted: !broke_off, completeness })
}

fn not_portable(test: &Lowered, execution: Execution, failed: Vec<String>) -> Answer {
    let state = format_state(&execution.state, test, &StateStyle::default());
    Answer::NotPortable { execution: Box::new(execution), state, failed }
}

/// Looks for an execution of the target that fails a check of the source.
fn search(test: &Lowered, turned: &[Model], options: &Options) -> Result<Comparison, Diagnostic> {
    let mut completeness = Completeness::Complete;
    let any = Options { max_executions: Some(1), ..options.clone() };
    let searched = |answer: Answer, completeness: Completeness| {
        let (of_target, of_both, of_source, counted) = (Count::ZERO, Count::ZERO, None, false);
        Comparison { answer, of_target, of_both, of_source, counted, completeness }
    };
    for violated in turned {
        let found = explore::run(test, violated, &any)?;
        let kinds = [(false, &found.states), (true, &found.uncompleted.states)];
        let state = kinds.iter().find_map(|(cut, states)| Some((*cut, states.keys().next()?.to_vec())));
        if let Some((cut, state)) = state {
            let execution = ending_in(test, violated, options, &state, cut)?;
            let failed = match violated.steps.last() {
                Some(Step::Check { name: Some(name), .. }) => vec![name.clone()],
                _ => vec!["unnamed".to_string()],
            };
            return Ok(searched(not_portable(test, execution, failed), Completeness::Decided));
        }
        match found.completeness {
            Completeness::Complete => {}
            Completeness::Bounded => completeness = Completeness::Bounded,
            stopped => return Ok(searched(Answer::Portable, stopped)),
        }
    }
    Ok(searched(Answer::Portable, completeness))
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
