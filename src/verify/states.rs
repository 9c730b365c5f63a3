//! Programs by their states, where executions are too many to be listed one by one.
//!
//! Under sequential consistency, what comes of a state hangs on nothing but the state; so does all that is asked of a program that has no locks and no objects of its own making, and whose
//! races are no violation. Parts that nothing comes between are one step of this search, while executions that grow are only dropped when they are whole.

use super::check::Wanted;
use super::livelock::suspects;
use super::recorder::Recorder;
use super::run::{Answer, By, Kind, Settings};
use super::trace;
use crate::arch::c::unit::lower::Orders;
use crate::diag::Diagnostic;
use crate::grow;
use crate::limits;
use crate::machine;
use crate::model::Model;
use crate::program::Program;

/// Executions grow for so many looks at the limits before states are tried.
const PATIENCE: u32 = 40;

/// Likewise, for programs whose parts may all come between each other.
const LONG_PATIENCE: u32 = 400;

/// Do states say all that is asked of a program?
fn fits(program: &Program, model: &Model, settings: &Settings) -> bool {
    let ignored = |kind: Kind| settings.ignore.contains(&kind);
    let looks_back = Wanted::of(program).looks_back() && !(ignored(Kind::Lock) && ignored(Kind::Memory));
    settings.orders == Orders::Fences
        && !looks_back
        && (!settings.races || ignored(Kind::Race))
        && grow::is_sequential(program, model, &[])
}

/// Is a program one that executions may be too many of, and states say all of it? Then, how long executions grow before states are tried.
pub(super) fn would_do(program: &Program, model: &Model, settings: &Settings) -> Option<u32> {
    if !settings.takes_any_way() || !fits(program, model, settings) {
        return None;
    }
    match Wanted::of(program).sections {
        true => Some(PATIENCE),
        // Loops make executions long, or go on as long as one likes.
        false => (!machine::loops(program).is_empty()).then_some(LONG_PATIENCE),
    }
}

/// Runs a program by its states and by nothing else.
///
/// # Errors
/// States do not say all that is asked.
pub(super) fn only(program: &Program, model: &Model, settings: &Settings) -> Result<Answer, Diagnostic> {
    let found = match fits(program, model, settings) {
        true => run(program, model, settings)?,
        false => None,
    };
    found.ok_or_else(|| {
        Diagnostic::unsupported("verify::states", "states do not say all that is asked of this program")
            .help(
                "`--engine states` is for sequential consistency (`-m sc`), without `--races`, for programs without `malloc`, without locks \
                 (`--ignore lock --ignore memory` leaves these properties out) and without loops that may write in each round for ever",
            )
    })
}

/// Runs a program by its states; `None`: they do not say enough.
pub(super) fn run(
    program: &Program,
    model: &Model,
    settings: &Settings,
) -> Result<Option<Answer>, Diagnostic> {
    let mut recorder = Recorder::new(program, trace::Machine::of(&model.name), settings);
    let options = grow::Options {
        unroll: settings.unroll.unwrap_or(u32::MAX - 1),
        every_pass: settings.every_pass,
        properties: true,
        awaits: true,
        goes_round: settings.ignore.contains(&Kind::Liveness) || suspects(program).is_empty(),
        ..grow::Options::default()
    };
    let ran = limits::catch(|| grow::states(program, model, &options, &mut recorder));
    let mut answer = recorder.answer;
    answer.reshapes = options.reshapes.take();
    match ran {
        Ok(stats) => {
            let Some(stats) = stats.map_err(super::run::unfit)? else { return Ok(None) };
            answer.by = By::States(stats.steps);
            answer.work = Some(stats);
        }
        Err(why) => (answer.by, answer.stopped) = (By::States(0), Some(why)),
    }
    answer.conclude(program, settings.unroll.unwrap_or(settings.recursion));
    Ok(Some(answer))
}
