//! Why no execution was found.

use super::drive::run_into;
use super::sink::Sink;
use super::{Engine, Mode, Options};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Cause, Counts, Outcome, WhyEmpty};

/// How many candidates to look at for a reason.
const REASONS: u64 = 2_000;

/// Why a search that went through found nothing.
pub(super) fn why_empty(test: &Lowered, model: &Model, options: &Options, outcome: &Outcome) -> WhyEmpty {
    if is_filtered(test, model, options) {
        return WhyEmpty::Filtered;
    }
    let named = outcome.stats.pruned.keys().all(Cause::is_models);
    let plainly = if named { None } else { refuted_plainly(test, model, options) };
    let counts = plainly.unwrap_or_else(|| outcome.stats.pruned.clone());
    if !counts.is_empty() {
        WhyEmpty::Refuted(counts)
    } else if !outcome.cuts.is_empty() {
        WhyEmpty::cut(&outcome.cuts)
    } else if outcome.stats.value_conflicts > 0 {
        WhyEmpty::Values
    } else {
        WhyEmpty::NoPath
    }
}

/// Is it only for the test's `filter` that no execution was found?
fn is_filtered(test: &Lowered, model: &Model, options: &Options) -> bool {
    if test.filter.is_none() {
        return false;
    }
    let open = Lowered { filter: None, ..test.clone() };
    let options = Options {
        jobs: 1,
        #[cfg(test)]
        completed: None,
        ..options.clone()
    };
    let mut sink = Sink::new(&open, &options);
    sink.most_graphs = REASONS;
    let outcome = run_into(&open, model, &options, sink);
    outcome.is_ok_and(|outcome| !outcome.is_empty())
}

/// The checks that refuse the first candidates, one by one, as the model itself would: the search may have left a read without any choice
/// before a candidate was complete.
fn refuted_plainly(test: &Lowered, model: &Model, options: &Options) -> Option<Counts> {
    let plain = Options { engine: Engine::Naive, mode: Mode::Count, jobs: 1, ..options.clone() };
    let mut sink = Sink::new(test, &plain);
    sink.most_graphs = REASONS;
    let outcome = run_into(test, model, &plain, sink).ok()?;
    (!outcome.stats.pruned.is_empty()).then_some(outcome.stats.pruned)
}
