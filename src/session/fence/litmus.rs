//! Litmus tests of every architecture: their condition, or robustness, under any model.

use std::sync::Arc;

use super::super::explained::asked;
use super::super::{Input, Prepared, Report, Session, load};
use super::{Changes, Goal, words};
use crate::compare::{self, Effort, Granularity, portability};
use crate::condition::Quantifier;
use crate::diag::{Diagnostic, Diagnostics};
use crate::explore::{self, Mode, Options, Request, Show};
use crate::litmus::{Lowered, Test};
use crate::outcome::{Completeness, StateStyle, format_state};
use crate::source::Sources;
use crate::synth::{self, Change, Repairs, Subject, Verdict, edit, patch, places};

impl Session {
    /// The cheapest changes of a test that make a goal hold.
    pub(super) fn fence_test(
        &self,
        input: &Input,
        model: Option<&str>,
        goal: &Goal,
        changes: &Changes,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Arc<str>, Repairs)> {
        let parsed = self.parsed(input, report, diagnostics)?;
        report.model = model.map(str::to_string);
        let (test, prepared) = self.loaded(&parsed, report, diagnostics)?;
        let text = Arc::clone(&report.sources.get(parsed.source).text);
        let (other, outcome) = match goal {
            Goal::Robust { against } => {
                (Some(self.prepared(&parsed, Some(against.as_str()), report, diagnostics)?), None)
            }
            Goal::Condition { outcome } => (None, outcome.as_deref()),
            Goal::Ltl { .. } | Goal::Assert => {
                let message = "assertions are those of C programs (files `.c`)";
                diagnostics.error(Diagnostic::unsupported("fence::property", message));
                return None;
            }
        };
        let mut subject = LitmusSubject {
            session: self,
            parsed: &parsed,
            name: input.name(),
            text: &text,
            model: &prepared,
            other: other.as_deref(),
            outcome,
        };
        if let Err(diagnostic) = asked(&mut parsed.clone(), outcome, &mut report.sources) {
            diagnostics.error(diagnostic);
            return None;
        }
        let places = places::Places::new(&parsed, &test.program, &text);
        let vocabulary = words(&parsed, &text, diagnostics)?;
        let mut all = changes.of(patch::changes(&vocabulary, &places, &text));
        // A change that makes no test of it is none.
        all.retain(|change| subject.lowered(&[change]).is_ok());
        let found = synth::repair(&all, &mut subject, changes.wanted);
        Some((text, found))
    }
}

/// A litmus test under a model.
struct LitmusSubject<'a> {
    session: &'a Session,
    parsed: &'a Test,
    name: String,
    text: &'a str,
    model: &'a Prepared,
    /// What its executions are compared with; without one its condition is judged.
    other: Option<&'a Prepared>,
    outcome: Option<&'a str>,
}

impl LitmusSubject<'_> {
    /// The changed test.
    fn lowered(&self, changes: &[&Change]) -> Result<(Lowered, Options), String> {
        let text = self.changed(changes).ok_or("the changes do not fit the test")?;
        let input = Input::Text { name: self.name.clone(), text: text.into() };
        let mut sources = Sources::layered();
        let mut diagnostics = Diagnostics::new();
        let settings = &self.session.settings;
        let mut lowered = || {
            let mut parsed = load::parse(&input, &*settings.files, &mut sources, &mut diagnostics)?;
            settings.overrides.apply(&mut parsed, &mut sources).ok()?;
            asked(&mut parsed, self.outcome, &mut sources).ok()?;
            load::lower(settings, &parsed, Some(self.model), &mut sources, &mut diagnostics)
        };
        let test = lowered();
        let wrong = diagnostics.take().into_iter().find(|d| d.severity == crate::diag::Severity::Error);
        match (test, wrong) {
            (Some(test), None) => {
                let mut options = Options { mode: Mode::Check, ..settings.explore.clone() };
                options.unroll = test.unroll.or(settings.unroll).unwrap_or(options.unroll);
                Ok((test, options))
            }
            (_, wrong) => Err(wrong.map_or("the changed test cannot be read".to_string(), |d| d.message)),
        }
    }

    fn decide(&self, changes: &[&Change]) -> Result<bool, String> {
        let (test, options) = self.lowered(changes)?;
        let (whole, fails) = match self.other {
            None => {
                let found = explore::run(&test, &self.model.model, &options).map_err(|d| d.message)?;
                let decides = match test.condition.quantifier {
                    Quantifier::Exists | Quantifier::NotExists => &found.positive,
                    Quantifier::Forall => &found.negative,
                };
                (found.completeness, *decides > 0)
            }
            Some(other) => {
                let (source, target) = (&other.model, &self.model.model);
                let found =
                    portability(&test, source, target, Granularity::Executions, Effort::Decide, &options)
                        .map_err(|d| d.message)?;
                (found.completeness, matches!(found.answer, compare::Answer::NotPortable { .. }))
            }
        };
        let whole = matches!(whole, Completeness::Complete | Completeness::Bounded | Completeness::Decided);
        match fails || whole {
            true => Ok(fails),
            false => Err("a limit was reached".to_string()),
        }
    }

    fn tell(&self, changes: &[&Change]) -> Option<String> {
        let (test, options) = self.lowered(changes).ok()?;
        let state = |execution: &crate::execution::Execution, test: &Lowered| {
            format_state(&execution.state, test, &StateStyle::default())
        };
        match self.other {
            None => {
                let request = Request { show: Show::Wit, limit: Some(1), names: Vec::new() };
                let (found, _) = explore::executions(&test, &self.model.model, &options, &request).ok()?;
                found.first().map(|execution| state(execution, &test))
            }
            Some(other) => {
                let (source, target) = (&other.model, &self.model.model);
                let found =
                    portability(&test, source, target, Granularity::Executions, Effort::Decide, &options)
                        .ok()?;
                match found.answer {
                    compare::Answer::NotPortable { state, failed, .. } => {
                        Some(format!("{state} violates {} of {}", failed.join(", "), other.name))
                    }
                    _ => None,
                }
            }
        }
    }
}

impl Subject for LitmusSubject<'_> {
    fn changed(&self, changes: &[&Change]) -> Option<String> {
        edit::apply(self.parsed, self.text, changes)
    }

    fn judge(&mut self, changes: &[&Change]) -> Verdict {
        match self.decide(changes) {
            Ok(false) => Verdict::Holds,
            Ok(true) => Verdict::Fails,
            Err(why) => Verdict::Unknown(why),
        }
    }

    fn counterexample(&mut self, changes: &[&Change]) -> String {
        self.tell(changes).unwrap_or_default()
    }
}
