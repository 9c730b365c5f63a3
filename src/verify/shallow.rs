//! A few rounds of loops before all of them.
//!
//! A search goes to the end of one execution before it begins the next, and a loop that writes may go round as often as another thread lets it. What is wrong after a round or two is found soon
//! where loops are cut there, and late, or never, where they are not.

use super::livelock::changes;
use super::run::{Answer, Settings, searched};
use crate::diag::Diagnostic;
use crate::machine;
use crate::model::Model;
use crate::program::Program;

/// The bounds that are tried.
const ROUNDS: [u32; 3] = [1, 2, 4];

/// Executions grow without a bound for so many looks at the limits before that.
pub(super) const PATIENCE: u32 = 100;

/// Each search within a bound takes so many at most: together they cost less than the search before them, which is made again if they say nothing.
const BRIEFLY: u32 = 60;

/// May a few rounds be enough?
pub(super) fn would_do(program: &Program, settings: &Settings) -> bool {
    settings.takes_any_way() && machine::loops(program).iter().any(|each| changes(program, each))
}

/// Do executions come to their ends soon, as far as they have grown? Then a bound would cut little. Between two looks a thousand graphs pass (`grow::search`): one with a few dozen events for each of ten
/// executions, but only one or two of those that go round and round.
pub(super) fn ends_soon(answer: &Answer) -> bool {
    answer.complete + answer.blocked + answer.cut >= 10 * u64::from(PATIENCE)
}

/// What was found within a bound.
pub(super) struct Bounded {
    pub answer: Answer,
    /// Does the model accept executions that were not listed?
    pub leaves_out: bool,
    pub bound: u32,
}

impl Bounded {
    /// Is nothing left to be asked: is something wrong, or was no loop cut?
    pub fn settles(&self) -> bool {
        self.answer.violating > 0 || self.answer.cut == 0
    }
}

/// The deepest search that came to its end, or the first that settles the matter.
pub(super) fn search(
    program: &Program,
    model: &Model,
    settings: &Settings,
) -> Result<Option<Bounded>, Diagnostic> {
    let mut deepest = None;
    for bound in ROUNDS {
        let bounded = Settings { unroll: Some(bound), looks: Some(BRIEFLY), ..settings.clone() };
        let (answer, leaves_out) = searched(program, model, &bounded)?;
        let is_wrong = answer.violating > 0;
        let failed = answer.gave_up || answer.stopped.is_some() || !answer.errors.is_empty();
        if !is_wrong && (failed || !answer.reshapes.is_empty()) {
            break;
        }
        let found = Bounded { answer, leaves_out, bound };
        if found.settles() {
            return Ok(Some(found));
        }
        deepest = Some(found);
    }
    Ok(deepest)
}
