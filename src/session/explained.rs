//! Explanations: a test under a model, and an outcome to account for.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{Input, Prepared, Report, Session};
use crate::condition::Quantifier;
use crate::diag::{Diagnostic, Diagnostics};
use crate::explain::{self, Audit, Explanation, Question};
use crate::explore::{self, Execution, Mode, Options};
use crate::litmus::{Lowered, Overrides, Test};
use crate::outcome::Completeness;
use crate::source::Sources;
use crate::synth::{self, Repairs};

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
        let model_name = prepared.name.as_str();
        let question = Question { test, model: &prepared.model, model_name, sources, options };
        let ways = explain::refused(&question)?;
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
        let question = Question {
            test: &test,
            model: &prepared.model,
            model_name: &prepared.name,
            sources: &report.sources,
            options: &options,
        };
        explain::audit(&question).ok()
    }

    /// The smallest sets of fences and stronger accesses that make the outcome impossible.
    pub fn repair(
        &self,
        input: &Input,
        model: Option<&str>,
        outcome: Option<&str>,
    ) -> (Report, Option<Repairs>) {
        let mut report = Report::new(input.name(), model);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        let mut stopped = None;
        let work = || {
            let parsed = self.parsed(input, &mut report, &mut diagnostics)?;
            let (test, _) = self.loaded(&parsed, &mut report, &mut diagnostics)?;
            let text = report.sources.get(parsed.source).text.to_string();
            let name = input.name();
            Some(synth::repairs(&parsed, &test.program, &text, &mut |changed| {
                self.forbids(&Input::Text { name: name.clone(), text: changed.into() }, model, outcome)
            }))
        };
        let repairs = self.within_limits(work).unwrap_or_else(|diagnostic| {
            stopped = Some(diagnostic);
            None
        });
        if let Some(diagnostic) = stopped {
            diagnostics.error(diagnostic);
        }
        report.diagnostics = diagnostics.take();
        (report, repairs)
    }

    /// Is the outcome impossible? `None`: the test cannot be run to its end.
    fn forbids(&self, input: &Input, model: Option<&str>, outcome: Option<&str>) -> Option<bool> {
        let mut report = Report::new(input.name(), model);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        let mut parsed = self.parsed(input, &mut report, &mut diagnostics)?;
        self.ask(&mut parsed, outcome, &mut report, &mut diagnostics)?;
        let (test, prepared) = self.loaded(&parsed, &mut report, &mut diagnostics)?;
        let mut options = Options { mode: Mode::Check, ..self.settings.explore.clone() };
        options.unroll = test.unroll.or(self.settings.unroll).unwrap_or(options.unroll);
        let found = explore::run(&test, &prepared.model, &options).ok()?;
        let whole = matches!(
            found.completeness,
            Completeness::Complete | Completeness::Bounded | Completeness::Decided
        );
        let wanted = match test.condition.quantifier {
            Quantifier::Exists | Quantifier::NotExists => found.positive,
            Quantifier::Forall => found.negative,
        };
        whole.then_some(wanted == 0)
    }

    /// Puts the outcome asked about in the place of the test's own condition.
    fn ask(
        &self,
        parsed: &mut Test,
        outcome: Option<&str>,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let Some(outcome) = outcome else { return Some(()) };
        let conditions = BTreeMap::from([(parsed.name.clone(), condition(outcome))]);
        let asked = Overrides { conditions, ..Overrides::default() };
        match asked.apply(parsed, &mut report.sources) {
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
        let question = Question {
            test: &test,
            model: &prepared.model,
            model_name: &prepared.name,
            sources: &report.sources,
            options: &options,
        };
        let explained = explain::explain(&question);
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

/// An outcome as a condition: `exists` goes without saying.
fn condition(outcome: &str) -> String {
    let text = outcome.trim();
    match ["exists", "~exists", "forall"].iter().any(|word| text.starts_with(word)) {
        true => text.to_string(),
        false => format!("exists ({text})"),
    }
}
