//! Questions about two models: is what one allows allowed by the other?
//!
//! *Portability* (a program moves from model S to model T): every execution that T allows is allowed by S. *Robustness* is
//! the same question with S = SC. Executions are compared as graphs: program order, `rf` and `co`; the state form compares
//! complete final states instead. Both are exact: every execution of T is built, and S is asked about each.

mod compiled;
mod states;

pub use compiled::compilation;

use std::ops::ControlFlow;

use crate::diag::Diagnostic;
use crate::execution::{Execution, OtherVerdict};
use crate::explore::{self, Mode, Options, Request};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Completeness, Outcome, StateStyle, format_state};

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Granularity {
    /// Executions, as graphs.
    #[default]
    Executions,
    /// Complete final states: every register and every location.
    States,
}

/// How much to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Effort {
    /// A counterexample is enough.
    #[default]
    Decide,
    /// How many executions each model has, too.
    Count,
}

/// May the program move?
#[derive(Clone, Debug)]
pub enum Answer {
    /// All that the target allows, the source allows.
    Portable,
    /// The source leaves the program undefined (a data race): then nothing that the target does is wrong.
    Undefined {
        /// What makes it so: the flags that the source raises.
        flags: Vec<String>,
    },
    /// An execution that the target allows and the source does not; the smallest of those seen.
    NotPortable {
        /// The execution, under the target.
        execution: Box<Execution>,
        /// Its complete final state, as a log would show it.
        state: String,
        /// Checks of the source that fail; empty where final states are compared.
        failed: Vec<String>,
    },
}

/// What two models say about one test.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// May the program move?
    pub answer: Answer,
    /// Executions (or final states) of the target looked at.
    pub of_target: u64,
    /// Those among them that the source allows.
    pub of_both: u64,
    /// All executions (or final states) of the source, where they were counted.
    pub of_source: Option<u64>,
    /// Was everything looked at that the answer depends on?
    pub completeness: Completeness,
}

/// So many executions are looked at after the first counterexample, in search of a smaller one.
const LOOK_FURTHER: u64 = 1_000;

/// Is every execution (or complete final state) of `test` that `target` allows allowed by `source`?
///
/// # Errors
/// As [`explore::run`], for either model.
pub fn portability(
    test: &Lowered,
    source: &Model,
    target: &Model,
    granularity: Granularity,
    effort: Effort,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    // Filters of the test, and which executions matter to its condition, have no say here.
    let test = &observed(test);
    let options = &Options { mode: Mode::States, speedcheck: false, ..options.clone() };
    let own = explore::run(test, source, options).map_err(Diagnostic::without_places)?;
    if let Some(flags) = undefined(test, &own) {
        return Ok(Comparison {
            answer: Answer::Undefined { flags },
            of_target: 0,
            of_both: 0,
            of_source: None,
            completeness: Completeness::Complete,
        });
    }
    match granularity {
        Granularity::Executions => executions(test, source, target, effort, options),
        Granularity::States => states::compare(test, source, target, options),
    }
}

/// The test as it is compared: everything that a thread writes is observed, and nothing is filtered.
pub fn observed(test: &Lowered) -> Lowered {
    Lowered { filter: None, ..states::everything_observed(test) }
}

/// The flags by which a model says that a program has no meaning, if it does.
fn undefined(test: &Lowered, outcome: &Outcome) -> Option<Vec<String>> {
    // A race of plain accesses has no meaning in a language that tells them from atomic ones.
    let plain = test.program.conventions.non_atomics;
    let races = |flag: &&String| plain && flag.to_ascii_lowercase().contains("race");
    let flags: Vec<String> = outcome.flags.iter().filter(races).cloned().collect();
    (outcome.undefined || !flags.is_empty()).then_some(flags)
}

fn executions(
    test: &Lowered,
    source: &Model,
    target: &Model,
    effort: Effort,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let (mut seen, mut both, mut since) = (0, 0, 0);
    let mut worst: Option<(Execution, Vec<String>)> = None;
    let outcome =
        explore::each_execution(test, target, Some(source), options, &Request::all(), &mut |execution| {
            seen += 1;
            match &execution.against {
                Some(OtherVerdict::Rejected(failed)) => {
                    if worst.as_ref().is_none_or(|(known, _)| execution.events.len() < known.events.len()) {
                        worst = Some((execution.clone(), failed.clone()));
                    }
                }
                _ => both += 1,
            }
            since += u64::from(worst.is_some());
            match effort == Effort::Decide && since > LOOK_FURTHER {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
    let of_source = match effort {
        Effort::Count => {
            let options = Options { mode: Mode::Count, ..options.clone() };
            let counted = explore::run(test, source, &options).map_err(Diagnostic::without_places)?;
            Some(counted.positive + counted.negative + counted.uncompleted.executions)
        }
        Effort::Decide => None,
    };
    Ok(Comparison {
        answer: match worst {
            Some((execution, failed)) => {
                let state = format_state(&execution.state, test, &StateStyle::default());
                Answer::NotPortable { execution: Box::new(execution), state, failed }
            }
            None => Answer::Portable,
        },
        of_target: seen,
        of_both: both,
        of_source,
        completeness: outcome.completeness,
    })
}
