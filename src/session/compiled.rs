//! C tests, compiled.

use std::time::Instant;

use super::{Compared, Input, Report, Session, load};
use crate::arch::ArchId;
use crate::compare::{Answer, Comparison, compilation};
use crate::diag::{Diagnostic, Diagnostics};
use crate::explain::{self, Way};
use crate::litmus::{self, Hexa, Lowered, Piece, ShownKind, Test};
use crate::mapping::{Compiled, Mapping, compile};
use crate::source::Sources;

/// The assembly test of a C test; where its variables are goes to the report.
pub(super) fn assembly(
    test: &Test,
    mapping: &Mapping,
    report: &mut Report,
    diagnostics: &mut Diagnostics,
) -> Option<Test> {
    let compiled = match compile(test, mapping) {
        Ok(compiled) => compiled,
        Err(diagnostic) => {
            diagnostics.error(diagnostic);
            return None;
        }
    };
    let source = report.sources.add(format!("{} ({})", test.name, mapping.name), compiled.text);
    report.arch = Some(mapping.target);
    report.compiled = compiled.names;
    match litmus::parse(&report.sources, source) {
        Ok(test) => Some(test),
        Err(errors) => {
            for error in errors {
                diagnostics.error(error);
            }
            None
        }
    }
}

/// Shows registers under the names of the variables that they hold, in final states and in the condition.
pub(super) fn named_as_in_c(test: &mut Lowered, names: &[(usize, String, String)]) {
    if names.is_empty() {
        return;
    }
    let rename = |thread: u16, name: &mut String| {
        let here =
            |(t, _, register): &&(usize, String, String)| *t == usize::from(thread) && register == name;
        if let Some((_, variable, _)) = names.iter().find(here) {
            name.clone_from(variable);
        }
    };
    for shown in &mut test.display {
        if let ShownKind::Register { thread, name } = &mut shown.kind {
            rename(*thread, name);
        }
    }
    for piece in &mut test.condition_template.pieces {
        if let Piece::Register(thread, name) = piece {
            rename(*thread, name);
        }
    }
    test.condition_text = test.condition_template.render(&test.program, Hexa::No);
}

impl Session {
    /// A C test as an assembly test.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn compile(&self, input: &Input, mapping: &Mapping) -> Result<Compiled, Box<Report>> {
        let mut report = Report::new(input.name(), None);
        report.sources = Sources::layered();
        let mut diagnostics = Diagnostics::new();
        let compiled = self.within_limits(|| {
            let test = load::parse(input, &*self.settings.files, &mut report.sources, &mut diagnostics)?;
            report.name = test.name.clone();
            compile(&test, mapping).map_err(|diagnostic| diagnostics.error(diagnostic)).ok()
        });
        let compiled = compiled.map_err(|diagnostic| diagnostics.error(diagnostic)).ok().flatten();
        report.diagnostics = diagnostics.take();
        compiled.ok_or_else(|| Box::new(report))
    }

    /// Does a C test, compiled, do under `target` (`None`: the default model of the mapping's target) only what it does under `source`?
    pub fn compare_compiled(
        &self,
        input: &Input,
        source: &str,
        target: Option<&str>,
        mapping: &Mapping,
    ) -> Compared {
        let mut report = Report::new(input.name(), target);
        report.sources = Sources::layered();
        let mut diagnostics = Diagnostics::new();
        let work = || {
            let written = load::parse(input, &*self.settings.files, &mut report.sources, &mut diagnostics)?;
            report.name = written.name.clone();
            let assembly = assembly(&written, mapping, &mut report, &mut diagnostics)?;
            report.arch = Some(ArchId::C);
            let other = self.prepared(&written, Some(source), &mut report, &mut diagnostics)?;
            let own = self.prepared(&assembly, target, &mut report, &mut diagnostics)?;
            report.model_name = Some(own.name.clone());
            let c =
                load::lower(&self.settings, &written, Some(&other), &mut report.sources, &mut diagnostics)?;
            let mut test =
                load::lower(&self.settings, &assembly, Some(&own), &mut report.sources, &mut diagnostics)?;
            named_as_in_c(&mut test, &report.compiled);
            let mut options = self.settings.explore.clone();
            options.unroll = self.settings.unroll.unwrap_or(options.unroll);
            let start = Instant::now();
            let compared = compilation((&c, &other.model), (&test, &own.model), &options);
            report.phases.explore = start.elapsed();
            compared
                .map(|comparison| (test, comparison))
                .map_err(|diagnostic| diagnostics.error(diagnostic))
                .ok()
        };
        let answer: Result<_, Diagnostic> = self.within_limits(work);
        let answer = answer.map_err(|diagnostic| diagnostics.error(diagnostic)).ok().flatten();
        report.diagnostics = diagnostics.take();
        let as_written = match &answer {
            Some((_, Comparison { answer: Answer::NotPortable { state, .. }, .. })) => {
                self.refused_as_written(input, source, state)
            }
            _ => None,
        };
        Compared { report, source: source.to_string(), answer, why: Vec::new(), as_written }
    }

    /// Why the test as it was written does not end in that state.
    fn refused_as_written(&self, input: &Input, source: &str, state: &str) -> Option<Way> {
        let outcome = state.trim().trim_end_matches(';').replace("; ", " /\\ ");
        match self.explain(input, Some(source), Some(&outcome)).answer?.1.answer {
            explain::Answer::Forbidden { ways, .. } => ways.into_iter().next(),
            _ => None,
        }
    }
}
