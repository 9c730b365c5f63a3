//! C programs: no assertion fails, under a model.

use std::path::Path;
use std::sync::Arc;

use super::super::{Input, Report, Session, prepare_model};
use super::{Changes, Goal};
use crate::arch::ArchId;
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower;
use crate::diag::{Diagnostic, Diagnostics};
use crate::model::Model;
use crate::program::shapes::Shapes;
use crate::synth::{self, Change, Repairs, Subject, Verdict, edit, patch, places, vocabulary};
use crate::verify::{self, Answer, Loaded, RECURSION};

impl Session {
    /// The cheapest changes of a C program that make a goal hold.
    pub(super) fn fence_program(
        &self,
        input: &Input,
        model: Option<&str>,
        goal: &Goal,
        changes: &Changes,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Arc<str>, Repairs)> {
        if !matches!(goal, Goal::Assert) {
            let message = "a C program has assertions, no condition: `--for assert`, or a formula";
            diagnostics.error(Diagnostic::unsupported("fence::property", message));
            return None;
        }
        let prepared = match prepare_model(&self.settings, model.unwrap_or("rc11"), ArchId::C) {
            Ok(prepared) => prepared,
            Err(failure) => {
                report.sources.put_on(Arc::clone(&failure.sources));
                failure.diagnostics.iter().cloned().for_each(|diagnostic| {
                    diagnostics.error(diagnostic);
                });
                return None;
            }
        };
        report.model_name = Some(prepared.name.clone());
        let orders = match verify::orders_for(&prepared.model, prepared.arch) {
            Ok(orders) => orders,
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
                return None;
            }
        };
        let text: Arc<str> = match input.text(&*self.settings.files) {
            Ok(text) => text,
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
                return None;
            }
        };
        let unroll = self.settings.unroll;
        let options = lower::Options {
            recursion: unroll.map_or(RECURSION, |n| n as usize),
            orders,
            samples: false,
            uninitialised: false,
            marks_waits: verify::marks_waits(&prepared.model),
        };
        let mut subject = CSubject {
            name: input.name(),
            text: &text,
            reading: &changes.reading,
            options,
            model: &prepared.model,
            settings: verify::Settings {
                unroll,
                orders,
                // Fences keep no thread from waiting.
                ignore: vec![verify::Kind::Deadlock, verify::Kind::Liveness],
                ..verify::Settings::default()
            },
        };
        let loaded = subject.loaded(&[], &Shapes::default());
        let Some(program) = &loaded.program else {
            report.sources = loaded.sources;
            loaded.diagnostics.into_iter().for_each(|diagnostic| {
                diagnostics.error(diagnostic);
            });
            return None;
        };
        let places = places::Places::of_c(program, loaded.main, &text);
        let mut all = changes.of(patch::changes(&vocabulary::of_program(&text), &places, &text));
        all.retain(|change| subject.loaded(&[change], &Shapes::default()).program.is_some());
        let found = synth::repair(&all, &mut subject, changes.wanted);
        Some((text, found))
    }
}

/// A C program under a model.
struct CSubject<'a> {
    name: String,
    text: &'a str,
    reading: &'a preprocess::Settings,
    options: lower::Options,
    model: &'a Model,
    settings: verify::Settings,
}

impl CSubject<'_> {
    fn loaded(&self, changes: &[&Change], shapes: &Shapes) -> Loaded {
        let text = edit::edited(self.text, changes);
        verify::load_text(Path::new(&self.name), text, self.reading, self.options, shapes)
    }

    fn run(&self, changes: &[&Change]) -> Result<(Answer, Loaded), String> {
        let (loaded, ran) = verify::run_fitted(
            |shapes| self.loaded(changes, shapes),
            |program| Some(verify::run(program, self.model, &self.settings)),
        );
        match ran {
            Some(Ok(answer)) => Ok((answer, loaded)),
            Some(Err(diagnostic)) => Err(diagnostic.message),
            None => {
                let first = loaded.diagnostics.first();
                Err(first.map_or("the changed program cannot be read".to_string(), |d| d.message.clone()))
            }
        }
    }
}

impl Subject for CSubject<'_> {
    fn changed(&self, changes: &[&Change]) -> Option<String> {
        Some(edit::edited(self.text, changes))
    }

    fn judge(&mut self, changes: &[&Change]) -> Verdict {
        match self.run(changes) {
            Err(why) => Verdict::Unknown(why),
            Ok((answer, _)) => match answer.verdict {
                verify::Verdict::Safe | verify::Verdict::SafeUpTo(_) => Verdict::Holds,
                verify::Verdict::Unsafe => Verdict::Fails,
                verify::Verdict::Unknown => {
                    let first = answer.errors.first().map(|d| d.message.clone());
                    Verdict::Unknown(first.unwrap_or("a limit was reached".to_string()))
                }
            },
        }
    }

    fn counterexample(&mut self, changes: &[&Change]) -> String {
        let Ok((answer, loaded)) = self.run(changes) else { return String::new() };
        let Some(violation) = answer.violations.first() else { return String::new() };
        let line = |span| loaded.sources.line_column(span).0;
        let width = violation.trace.iter().map(|step| step.thread.len()).max().unwrap_or(0);
        let told = violation.trace.iter().map(|step| {
            let text = if step.text.is_empty() { String::new() } else { format!("  {}", step.text) };
            format!("{:<width$}  line {}{text}: {}", step.thread, line(step.span), step.what)
        });
        let mut lines: Vec<String> = told.collect();
        // The first line alone would be taken for the whole of it.
        if lines.len() == 1 {
            lines.push(String::new());
        }
        lines.join("\n")
    }
}
