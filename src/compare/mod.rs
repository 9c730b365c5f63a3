//! Questions about two models: is what one allows allowed by the other?
//!
//! *Portability* (a program moves from model S to model T): every execution that T allows is allowed by S. *Robustness* is
//! the same question with S = SC. Executions are compared as graphs: program order, `rf` and `co`; the state form compares
//! complete final states instead. Both are exact. Small tests are looked at execution by execution, or state by state; larger ones are searched for what S
//! forbids (`executions`), or for a state that S does not reach (`states`).

mod compiled;
mod executions;
mod states;

pub use compiled::compilation;

use std::time::Duration;

use crate::diag::Diagnostic;
use crate::execution::Execution;
use crate::explore::{self, Engine, Mode, Options};
use crate::litmus::Lowered;
use crate::model::{CheckKind, Model, Step};
use crate::outcome::{Completeness, Count, Outcome};

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
#[non_exhaustive]
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
    pub of_target: Count,
    /// Those among them that the source allows.
    pub of_both: Count,
    /// All executions (or final states) of the source, where they were counted.
    pub of_source: Option<Count>,
    /// Was everything of the target looked at, or only as much as the answer needed?
    pub counted: bool,
    /// Was everything looked at that the answer depends on?
    pub completeness: Completeness,
}

impl Comparison {
    /// Is the answer certain, up to the bound on loops? A counterexample always is.
    pub fn is_decided(&self) -> bool {
        let through = matches!(
            self.completeness,
            Completeness::Complete | Completeness::Bounded | Completeness::Decided
        );
        through && !self.is_vacuous() || matches!(self.answer, Answer::NotPortable { .. })
    }

    /// Was nothing compared, because all there is was cut off at the bound on loops?
    pub fn is_vacuous(&self) -> bool {
        let portable = matches!(self.answer, Answer::Portable);
        portable && self.counted && self.of_target == 0 && self.completeness == Completeness::Bounded
    }
}

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
    portability_by(test, (source, target), &[], granularity, effort, options)
}

/// Likewise, with the target once for each check of the source, that check turned round ([`crate::model::violating`]; none: not known). Where there are many
/// executions these are run instead of looking at each: a branch is over when the source's check is certain to hold.
///
/// # Errors
/// As [`explore::run`], for either model.
pub fn portability_by(
    test: &Lowered,
    (source, target): (&Model, &Model),
    turned: &[Model],
    granularity: Granularity,
    effort: Effort,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    // Filters of the test, and which executions matter to its condition, have no say here.
    let test = &observed(test, (source, target), granularity);
    let options = &Options { mode: Mode::States, speedcheck: false, ..options.clone() };
    let own = match may_be_undefined(test, source, options) {
        true => Some(explore::run(test, source, options).map_err(Diagnostic::without_places)?),
        false => None,
    };
    if let Some(flags) = own.as_ref().and_then(|own| undefined(test, source, own)) {
        return Ok(Comparison {
            answer: Answer::Undefined { flags },
            of_target: Count::ZERO,
            of_both: Count::ZERO,
            of_source: None,
            counted: false,
            completeness: Completeness::Complete,
        });
    }
    match granularity {
        Granularity::Executions => executions::compare(test, (source, target), turned, effort, options),
        Granularity::States => states::compare(test, source, own, target, options),
    }
}

/// So many executions are counted, and so long, to find out whether any comes to the bound.
const COUNTED: u64 = 20_000;
const PATIENCE: Duration = Duration::from_secs(1);

/// What is left out of a search that came to the bound: nothing, if no execution of the model goes there. That is found out where executions can be
/// counted a second time by the engine that grows them.
fn examined(test: &Lowered, model: &Model, options: &Options, found: Completeness) -> Completeness {
    if found != Completeness::Bounded || options.engine == Engine::Naive {
        return found;
    }
    let patience = options.timeout.map_or(PATIENCE, |timeout| (timeout / 4).min(PATIENCE));
    let options = Options {
        mode: Mode::Count,
        engine: Engine::Auto,
        max_executions: Some(COUNTED),
        timeout: Some(patience),
        ..options.clone()
    };
    match explore::run(test, model, &options) {
        Ok(outcome) if outcome.completeness == Completeness::Complete => Completeness::Complete,
        _ => found,
    }
}

/// The test as it is compared: everything that a thread writes is observed, and nothing is filtered. Executions are those of a run: where a model looks at the
/// final writes of what is observed, that is what the test itself observes.
pub fn observed(test: &Lowered, (source, target): (&Model, &Model), granularity: Granularity) -> Lowered {
    let of_the_test = granularity == Granularity::Executions
        && (source.looks_at_final_writes() || target.looks_at_final_writes());
    match of_the_test {
        true => Lowered { filter: None, ..test.clone() },
        false => Lowered { filter: None, ..states::everything_observed(test) },
    }
}

/// Can a model say of a program that it has no meaning? Nobody looks at executions for it where it cannot.
fn may_be_undefined(test: &Lowered, model: &Model, options: &Options) -> bool {
    let flags = |step: &Step| matches!(step, Step::Check { kind: CheckKind::Flag, .. });
    explore::may_be_undefined(model, options)
        || test.program.conventions.non_atomics && model.steps.iter().any(flags)
}

/// The flags by which a model says that a program has no meaning, if it does.
fn undefined(test: &Lowered, model: &Model, outcome: &Outcome) -> Option<Vec<String>> {
    // A race of plain accesses has no meaning in a language that tells them from atomic ones.
    let plain = test.program.conventions.non_atomics;
    let races = |flag: &&String| plain && flag.to_ascii_lowercase().contains("race");
    let mut flags: Vec<String> = outcome.flags.iter().filter(races).cloned().collect();
    // Where only one check can say so, it was that one.
    let mut unless = model.steps.iter().filter_map(|step| match step {
        Step::Check { kind: CheckKind::UndefinedUnless, name, .. } => Some(name),
        _ => None,
    });
    if let (true, Some(Some(name)), None) = (outcome.undefined, unless.next(), unless.next())
        && !flags.contains(name)
    {
        flags.push(name.clone());
    }
    (outcome.undefined || !flags.is_empty()).then_some(flags)
}
