//! One test under two models.

use std::time::Instant;

use super::Report;
use super::{Input, ModelKey, Prepared, Session, load, variants};
use crate::compare::{Answer, Comparison, Effort, Granularity, observed, portability_by};
use crate::diag::{Diagnostic, Diagnostics};
use crate::explain::{self, Question, Way};
use crate::litmus::Lowered;
use crate::model::{Step, violating};
use crate::program::Mixed;
use crate::source::Sources;

/// What became of one test under two models.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The test, its diagnostics and their files; its model is the target. It holds no answer of its own.
    pub report: Report,
    /// The source model, by name.
    pub source: String,
    /// The test and what the models say, unless there is an error among the diagnostics.
    pub answer: Option<(Lowered, Comparison)>,
    /// Why the source refuses the execution that decides, as an explanation has it: a cycle, or what else fails.
    pub why: Vec<Way>,
    /// Likewise, where the target runs what the test was compiled to: why the source refuses the final state, in the test as it was written.
    pub as_written: Option<Way>,
}

impl Session {
    /// Is what `target` allows this test allowed by `source`?
    pub fn compare(
        &self,
        input: &Input,
        source: &str,
        target: &str,
        granularity: Granularity,
        effort: Effort,
    ) -> Compared {
        let mut report = Report::new(input.name(), Some(target));
        report.sources = Sources::layered();
        let mut diagnostics = Diagnostics::new();
        let work = || {
            let parsed = load::parse(input, &*self.settings.files, &mut report.sources, &mut diagnostics)?;
            report.name = parsed.name.clone();
            report.arch = Some(parsed.arch);
            if let Err(diagnostic) = variants::check(&self.settings, &parsed) {
                diagnostics.error(diagnostic);
                return None;
            }
            let other_model = self.prepared(&parsed, Some(source), &mut report, &mut diagnostics)?;
            let own = self.prepared(&parsed, Some(target), &mut report, &mut diagnostics)?;
            report.model_name = Some(own.name.clone());
            let test =
                load::lower(&self.settings, &parsed, Some(&own), &mut report.sources, &mut diagnostics)?;
            let mut options = self.settings.explore.clone();
            options.unroll = test.unroll.or(self.settings.unroll).unwrap_or(options.unroll);
            let start = Instant::now();
            let texts = report.sources.clone();
            let key = |model: &str| load::key(&self.settings, Some(model), &parsed);
            let compare = |test: &Lowered, own: &Prepared| {
                // Bytes are of one access under either model, or under none.
                let mixed = test.program.features.mixed == Mixed::AsNeeded;
                let other = match mixed {
                    true => self.model(ModelKey { single_copy: true, ..key(source) }).ok(),
                    false => None,
                };
                let other = other.as_ref().unwrap_or(&other_model);
                let turned = match own.chooses_as(other) {
                    true => violating(&own.model, &other.model).unwrap_or_default(),
                    false => Vec::new(),
                };
                let models = (&other.model, &own.model);
                let found = portability_by(test, models, &turned, granularity, effort, &options)?;
                let Answer::NotPortable { execution, .. } = &found.answer else {
                    return Ok((found, Vec::new()));
                };
                let mut sources = texts.clone();
                sources.put_on(other.sources.clone());
                let question = Question {
                    test: &observed(test, models, granularity),
                    model: &other.model,
                    model_name: source,
                    sources: &sources,
                    options: &options,
                };
                let why = explain::violated(&question, execution).map_err(Diagnostic::without_places)?;
                Ok((found, why))
            };
            let (test, _, compared) = self.in_any_sizes(test, own, key(target), compare);
            report.phases.explore = start.elapsed();
            match compared {
                Ok((comparison, why)) => Some((test, comparison, why)),
                Err(diagnostic) => {
                    diagnostics.error(diagnostic);
                    None
                }
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
        let (answer, why) = match answer {
            Some((test, comparison, why)) => (Some((test, comparison)), why),
            None => (None, Vec::new()),
        };
        Compared { report, source: source.to_string(), answer, why, as_written: None }
    }
}

impl Prepared {
    /// Does the other model choose the order of writes, if at all, as this one does: by the same line of the same text?
    fn chooses_as(&self, other: &Prepared) -> bool {
        let place = |prepared: &Prepared| {
            let chosen = prepared.model.steps.iter().find_map(|step| match step {
                Step::With { name, span, .. } if name == "co" => Some(*span),
                _ => None,
            })?;
            Some((prepared.sources.get(chosen.source).text.clone(), chosen.start, chosen.end))
        };
        place(other).is_none_or(|other| place(self) == Some(other))
    }
}
