//! Executions with a cycle of program order and `rf` that grow all the same: with holes, along what the model keeps of program order (P).
//!
//! What is left then are executions with a cycle of P and `rf`. Where the model and the program's text say that there is none, nothing is left; else they are looked for in closed worlds
//! ([`super::closed`]), or the verdict says that they were not.

use std::time::{Duration, Instant};

use super::check::Wanted;
use super::closed::Rest;
use super::overtaken::overtaken_by_cells;
use super::run::{Answer, By, Settings, searched_with};
use crate::arch::c::unit::lower::Orders;
use crate::diag::Diagnostic;
use crate::grow::{self, Lists};
use crate::limits::{self, Budget};
use crate::model::Model;
use crate::program::Program;

/// Looks for the executions that grow with holes: all with a cycle of program order and `rf` that have none of `rf` and what the model makes of program order.
pub(super) fn search(
    program: &Program,
    model: &Model,
    settings: &Settings,
    answer: &mut Answer,
) -> Result<Rest, Diagnostic> {
    let Some(found) = searched_with(program, model, settings, false, Lists::Cyclic)? else {
        return Ok(Rest::Unknown("threads were told from each other".to_string()));
    };
    let stopped = found.answer.stopped;
    let work = found.answer.work.clone();
    answer.join(found.answer);
    answer.with_holes = work;
    Ok(match stopped {
        Some(why) => Rest::Stopped(why),
        None if found.astray => Rest::Unknown("what events hang on was not all known".to_string()),
        None => Rest::Safe,
    })
}

/// So long is looked for a violation in executions with a cycle, where they are not all that are left.
const HUNT: Duration = Duration::from_secs(10);

/// Executions that were not looked at: those with a cycle of `rf` and...
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// ... program order.
    All,
    /// ... what the model makes of program order.
    Few,
}

/// Looks for a violation in executions that grow with holes, for a while.
pub(super) fn hunt(
    program: &Program,
    model: &Model,
    settings: &Settings,
    answer: &mut Answer,
) -> Result<Left, Diagnostic> {
    let outer = limits::current();
    let deadline = Instant::now() + HUNT;
    let deadline = outer.deadline.map_or(deadline, |outer| outer.min(deadline));
    let budget = Budget { deadline: Some(deadline), ..outer };
    let mut found = Answer::none(By::Growing);
    let rest = budget.run(|| search(program, model, settings, &mut found));
    if found.violating == 0 && (found.stopped.is_some() || !found.errors.is_empty()) {
        return Ok(Left::All);
    }
    let work = found.with_holes.take();
    answer.join(found);
    answer.with_holes = work;
    Ok(if matches!(rest, Ok(Ok(Rest::Safe))) { Left::Few } else { Left::All })
}

/// Have all executions a program may have no cycle of `rf` and what the model makes of program order?
pub(super) fn suffices(program: &Program, model: &Model, settings: &Settings) -> bool {
    matches!(settings.orders, Orders::Machine(_))
        && !Wanted::of(program).looks_at_order()
        && grow::loose_but_for_cells(program, model, &[])
        && limits::catch(|| overtaken_by_cells(program)).is_ok_and(|load| load.is_none())
}

/// What growing executions leave out under some models.
pub(super) fn left_out(model: &Model, left: Left, why: &str) -> Diagnostic {
    let name = &model.name;
    Diagnostic::unsupported(
        "verify::cycles",
        match left {
            Left::All => format!(
                "executions in which program order and `rf` make a cycle, which {name} may allow, were not looked at: {why}"
            ),
            Left::Few => format!(
                "executions in which `rf` and what {name} keeps of program order make a cycle were not looked at: {why}"
            ),
        },
    )
    .help("nothing is wrong in any other")
}
