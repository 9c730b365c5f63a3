//! A search looked at before it is run: how large it is, and how it can be shared out.

use super::{Input, Prepared, Report, Session};
use crate::diag::{Diagnostic, Diagnostics};
use crate::explore::{self, Estimate, Guess, Share};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::program::Mixed;
use crate::sat;
use crate::session::load;
use crate::source::Sources;

/// A search cut into parts.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The parts.
    pub shares: Vec<Share>,
    /// Is memory cut up, because accesses of the test are of several sizes?
    pub mixed: bool,
    /// The test's hashes.
    pub hashes: Vec<String>,
}

impl Session {
    /// Cuts the search for a test into about so many parts. Without an answer, the report says why.
    pub fn survey(
        &self,
        input: &Input,
        model: Option<&str>,
        parts: usize,
        seed: u64,
    ) -> (Report, Option<Survey>) {
        let survey = |test: &Lowered, model: &Model, options: &explore::Options| {
            explore::survey(test, model, options, parts, seed)
        };
        let (report, found) = self.looked_at(input, model, &survey);
        (report, found.map(|(shares, mixed, hashes)| Survey { shares, mixed, hashes }))
    }

    /// How large the search for a test is. Without an answer, the report says why.
    pub fn estimate(&self, input: &Input, model: Option<&str>, seed: u64) -> (Report, Option<Estimate>) {
        let estimate = |test: &Lowered, model: &Model, options: &explore::Options| {
            explore::estimate(test, model, options, seed)
        };
        let (report, found) = self.looked_at(input, model, &estimate);
        (report, found.map(|(estimate, ..)| estimate))
    }

    /// What a solver is given to decide the condition of a test, in the format of DIMACS. Without an answer, the report says why.
    pub fn dimacs(&self, input: &Input, model: Option<&str>) -> (Report, Option<String>) {
        let (report, found) = self.looked_at(input, model, &sat::dimacs);
        (report, found.map(|(text, ..)| text))
    }

    /// Graphs and executions of the search for a test, by random walks alone. Nothing, where there is something wrong with it.
    pub fn guess(&self, input: &Input, model: Option<&str>, seed: u64) -> Option<(Guess, Guess)> {
        let guess = |test: &Lowered, model: &Model, options: &explore::Options| {
            explore::guess(test, model, options, seed)
        };
        self.looked_at(input, model, &guess).1.map(|(guess, ..)| guess)
    }

    /// Does something with a test and a model; in any sizes, as a run does.
    fn looked_at<R>(
        &self,
        input: &Input,
        model: Option<&str>,
        look: &dyn Fn(&Lowered, &Model, &explore::Options) -> Result<R, Diagnostic>,
    ) -> (Report, Option<(R, bool, Vec<String>)>) {
        let mut report = Report::new(input.name(), model);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        let found = self.within_limits(|| {
            let parsed = self.parsed(input, &mut report, &mut diagnostics)?;
            let (test, prepared) = self.loaded(&parsed, &mut report, &mut diagnostics)?;
            let mut options = self.settings.explore.clone();
            options.unroll = test.unroll.or(self.settings.unroll).unwrap_or(options.unroll);
            let key = load::key(&self.settings, report.model.as_deref(), &parsed);
            let work = |test: &Lowered, prepared: &Prepared| look(test, &prepared.model, &options);
            let (test, _, found) = self.in_any_sizes(test, prepared, key, work);
            let mixed = test.program.features.mixed == Mixed::AsNeeded;
            found.map(|found| (found, mixed, test.hashes)).map_err(|error| diagnostics.error(error)).ok()
        });
        let found = found.unwrap_or_else(|error| {
            diagnostics.error(error);
            None
        });
        report.diagnostics = diagnostics.take();
        (report, found)
    }
}
