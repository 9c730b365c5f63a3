//! The cheapest changes that make a property of a test or a program hold.

mod litmus;
mod machine;
mod program;

pub use self::machine::Runnable;

use std::path::Path;
use std::sync::Arc;

use super::{Input, Report, Session};
use crate::arch::c::preprocess;
use crate::diag::{Diagnostic, Diagnostics};
use crate::litmus::Test;
use crate::machine::{self as store_buffers, Fairness, Lasso};
use crate::program::Program;
use crate::source::Sources;
use crate::synth::vocabulary::{self, Vocabulary};
use crate::synth::{Change, Repairs, Wanted};

/// What is to hold.
#[derive(Clone, Debug)]
pub enum Goal {
    /// No execution decides the condition: what `exists` describes is impossible, what `forall` describes always so.
    Condition {
        /// Another condition than the test's own.
        outcome: Option<String>,
    },
    /// Every execution is one of another model's, too.
    Robust {
        /// The other model.
        against: String,
    },
    /// No assertion of a C program fails, nor anything else that a program must not do.
    Assert,
    /// A formula holds on every run of the machine with store buffers.
    Ltl {
        /// The formula.
        formula: String,
        /// The machine.
        machine: store_buffers::Options,
        /// Which runs count.
        fairness: Fairness,
        /// How a run is told.
        tell: fn(&Program, &Sources, &Lasso) -> String,
    },
}

/// What may be changed, and at what price.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Prices other than those of the vocabulary, by name.
    pub costs: Vec<(String, u32)>,
    /// Only these, by name; all if there are none.
    pub only: Vec<String>,
    /// What kind of repair is asked for.
    pub wanted: Wanted,
    /// Macros and folders for C programs.
    pub reading: preprocess::Settings,
}

impl Changes {
    /// Of all changes, those that may be made, at the prices asked for.
    pub fn of(&self, all: Vec<Change>) -> Vec<Change> {
        let mut all = all;
        let wanted = |change: &Change| match self.only.is_empty() {
            // Who says nothing wants what a patch can say.
            true => change.name != vocabulary::ATOMIC,
            false => self.only.iter().any(|name| name == change.name),
        };
        all.retain(wanted);
        for change in &mut all {
            if let Some((_, cost)) = self.costs.iter().find(|(name, _)| name == change.name) {
                change.cost = *cost;
            }
        }
        all
    }
}

/// What became of a question.
#[derive(Debug)]
pub struct Fenced {
    /// The test, the model, and what was remarked on the way; it holds no outcome.
    pub report: Report,
    /// The text, and what was found, unless there is an error among the diagnostics.
    pub answer: Option<(Arc<str>, Repairs)>,
    /// The names of the locations, for a formula.
    pub cells: Vec<String>,
}

impl Session {
    /// The cheapest changes of a test or a program that make a goal hold under a model (`None`: the default one).
    pub fn fence(&self, input: &Input, model: Option<&str>, goal: &Goal, changes: &Changes) -> Fenced {
        let mut report = Report::new(input.name(), model);
        report.sources = Sources::layered();
        let mut diagnostics = Diagnostics::new();
        let mut cells = Vec::new();
        let work = || {
            let (report, diagnostics) = (&mut report, &mut diagnostics);
            match goal {
                Goal::Ltl { .. } => self.fence_runs(input, goal, changes, &mut cells, report, diagnostics),
                _ if is_program(input) => {
                    self.fence_program(input, model, goal, changes, report, diagnostics)
                }
                _ => self.fence_test(input, model, goal, changes, report, diagnostics),
            }
        };
        let answer = match self.within_limits(work) {
            Ok(answer) => answer,
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
                None
            }
        };
        report.diagnostics = diagnostics.take();
        Fenced { report, answer, cells }
    }
}

/// Is it a C program, by its name?
pub(super) fn is_program(input: &Input) -> bool {
    Path::new(&input.name()).extension().is_some_and(|extension| extension == "c")
}

/// The vocabulary of a test.
fn words(parsed: &Test, text: &str, diagnostics: &mut Diagnostics) -> Option<Vocabulary> {
    let known = vocabulary::vocabulary(parsed.arch, text);
    if known.is_none() {
        let message = format!("there is no list of fences for {} tests", parsed.arch.name());
        diagnostics.error(Diagnostic::unsupported("fence::vocabulary", message));
    }
    known
}
