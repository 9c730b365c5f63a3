//! Explanations: a test under a model, and an outcome to account for.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{Changes, Fenced, Goal, Input, Prepared, Report, Session, load};
use crate::diag::{Diagnostic, Diagnostics};
use crate::execution::Execution;
use crate::explain::{self, Audit, Explanation, Question};
use crate::explore::Options;
use crate::litmus::{Lowered, Overrides, Test};
use crate::source::Sources;
use crate::synth::Wanted;

/// What became of a question.
#[derive(Debug)]
pub struct Explained {
    /// The test, the model, and what was remarked on the way; it holds no outcome.
    pub report: Report,
    /// The test and the explanation, unless there is an error among the diagnostics.
    pub answer: Option<(Lowered, Explanation)>,
}

impl Session {
    /// Explains why an outcome (`None`: that of the test's condition) can, or cannot, happen under a model (`None`: the default one).
    pub fn explain(&self, input: &Input, model: Option<&str>, outcome: Option<&str>) -> Explained {
        let mut report = Report::new(input.name(), model);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        let work = || self.explanation(input, outcome, &mut report, &mut diagnostics);
        let answer = self.within_limits(work).unwrap_or_else(|diagnostic| {
            diagnostics.error(diagnostic);
            None
        });
        report.diagnostics = diagnostics.take();
        Explained { report, answer }
    }

    /// Executions that would decide the condition and that the model refuses, one for each reason.
    pub(super) fn forbidden(
        &self,
        test: &Lowered,
        prepared: &Prepared,
        options: &Options,
        sources: &Sources,
    ) -> Result<Vec<Execution>, Diagnostic> {
        let ways = explain::refused(&question(test, prepared, sources, options))?;
        let executions = ways.into_iter().map(|way| {
            let refused = Some(way.check.name.unwrap_or_else(|| "a check without a name".to_string()));
            Execution { refused, ..way.execution }
        });
        Ok(executions.collect())
    }

    /// Judges the explanation of an outcome: see [`explain::audit`]. `None`: the test cannot be run.
    pub fn audit(&self, input: &Input, model: Option<&str>, outcome: Option<&str>) -> Option<Audit> {
        let mut report = Report::new(input.name(), model);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        let mut parsed = self.parsed(input, &mut report, &mut diagnostics)?;
        self.ask(&mut parsed, outcome, &mut report, &mut diagnostics)?;
        let (test, prepared) = self.loaded(&parsed, &mut report, &mut diagnostics)?;
        let mut options = self.settings.explore.clone();
        options.unroll = test.unroll.or(self.settings.unroll).unwrap_or(options.unroll);
        let key = load::key(&self.settings, report.model.as_deref(), &parsed);
        let sources = &report.sources;
        let judge = |test: &Lowered, prepared: &Prepared| {
            explain::audit(&question(test, prepared, sources, &options))
        };
        self.in_any_sizes(test, prepared, key, judge).2.ok()
    }

    /// The smallest sets of fences and stronger accesses that make the outcome impossible.
    pub fn repair(&self, input: &Input, model: Option<&str>, outcome: Option<&str>) -> Fenced {
        let wanted = Wanted { all: true, fewest: true, ..Wanted::default() };
        let goal = Goal::Condition { outcome: outcome.map(str::to_string) };
        self.fence(input, model, &goal, &Changes { wanted, ..Changes::default() })
    }

    /// Puts the outcome asked about in the place of the test's own condition.
    fn ask(
        &self,
        parsed: &mut Test,
        outcome: Option<&str>,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        if outcome.is_none() && parsed.fin.condition_span.is_none() {
            let message = "the test has no condition, so that there is no outcome to explain";
            let example = "name one: `--outcome '…'`, in the words of a condition";
            diagnostics.error(
                Diagnostic::error("explain::no-outcome", message)
                    .at(parsed.name_span, "this test")
                    .help(example),
            );
            return None;
        }
        match asked(parsed, outcome, &mut report.sources) {
            Ok(()) => Some(()),
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
                None
            }
        }
    }

    fn explanation(
        &self,
        input: &Input,
        outcome: Option<&str>,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Lowered, Explanation)> {
        let mut parsed = self.parsed(input, report, diagnostics)?;
        self.ask(&mut parsed, outcome, report, diagnostics)?;
        let (test, prepared) = self.loaded(&parsed, report, diagnostics)?;
        let mut options = self.settings.explore.clone();
        options.unroll = test.unroll.or(self.settings.unroll).unwrap_or(options.unroll);
        let start = Instant::now();
        let key = load::key(&self.settings, report.model.as_deref(), &parsed);
        let sources = &report.sources;
        let explain = |test: &Lowered, prepared: &Prepared| {
            explain::explain(&question(test, prepared, sources, &options))
        };
        let (test, _, explained) = self.in_any_sizes(test, prepared, key, explain);
        report.phases.explore = start.elapsed();
        match explained {
            Ok(explanation) => Some((test, explanation)),
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
                None
            }
        }
    }
}

fn question<'q>(
    test: &'q Lowered,
    prepared: &'q Prepared,
    sources: &'q Sources,
    options: &'q Options,
) -> Question<'q> {
    Question { test, model: &prepared.model, model_name: &prepared.name, sources, options }
}

/// Puts an outcome in the place of a test's own condition.
pub(super) fn asked(
    parsed: &mut Test,
    outcome: Option<&str>,
    sources: &mut Sources,
) -> Result<(), Diagnostic> {
    let Some(outcome) = outcome else { return Ok(()) };
    let conditions = BTreeMap::from([(parsed.name.clone(), condition(outcome))]);
    Overrides { conditions, ..Overrides::default() }.apply(parsed, sources)
}

/// An outcome as a condition: `exists` goes without saying.
fn condition(outcome: &str) -> String {
    let text = outcome.trim();
    match ["exists", "~exists", "forall"].iter().any(|word| text.starts_with(word)) {
        true => text.to_string(),
        false => format!("exists ({text})"),
    }
}
