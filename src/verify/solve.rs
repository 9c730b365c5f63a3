//! A program before a solver: one execution that violates something, or none.

use super::check::{Finding, Part, Wanted};
use super::recorder::note;
use super::run::{Answer, By, Kind, Settings};
use super::trace::{self, Machine};
use super::{sections, stuck};
use crate::arch::c::unit::lower::Orders;
use crate::diag::{Class, Diagnostic};
use crate::grow::Execution;
use crate::limits;
use crate::model::Model;
use crate::program::Program;
use crate::sat::merged::{self, Refuse, Search, Whole};

/// Loops are run so often without a bound of the user's.
const UNROLL: u32 = 4;

/// So many executions in which a thread waits are looked at, one by one.
const WAITING: usize = 400;

/// Asks a solver for an execution that violates something.
///
/// # Errors
/// The program or the model is not for it, or a property that it does not look at is asked for.
pub(super) fn solved(program: &Program, model: &Model, settings: &Settings) -> Result<Answer, Diagnostic> {
    let wanted = Wanted::of(program);
    refuse(wanted, settings)?;
    let mut answer = Answer::none(By::Solver(merged::Stats::default()));
    let unroll = settings.unroll.unwrap_or(UNROLL);
    let machine = Machine::of(&model.name);
    let searched = limits::catch(|| -> Result<(), Diagnostic> {
        let mut search = Search::new(program, model, unroll)?;
        let sound = model.name == "SC";
        // Parts that nothing may come between: what comes between is the reason where every such cycle is forbidden.
        let broken = |whole: &Whole| match wanted.sections && !sections::hold(whole) {
            true if sound => Some(sections::cycle(whole)),
            true => Some(Vec::new()),
            false => None,
        };
        let found = search.find(merged::Wanted::Violation, &broken);
        if let Some(whole) = found? {
            violated(&whole, program, machine, &mut answer);
        }
        answer.by = By::Solver(search.stats());
        if answer.violating == 0 {
            waits(&mut search, (program, machine), settings, &broken, &mut answer)?;
            answer.by = By::Solver(search.stats());
        }
        if answer.violating == 0 && search.cuts().next().is_some() {
            if let Some(whole) = search.find(merged::Wanted::Cut, &broken)? {
                answer.cut += 1;
                whole.cuts().iter().for_each(|cut| answer.was_cut(cut));
            }
            answer.by = By::Solver(search.stats());
        }
        Ok(())
    });
    match searched {
        Ok(Ok(())) => {}
        Ok(Err(diagnostic)) => match diagnostic.class {
            Class::Limit(why) => answer.stopped = Some(why),
            _ => return Err(diagnostic),
        },
        Err(why) => answer.stopped = Some(why),
    }
    let bound = if answer.too_deep { settings.recursion } else { unroll };
    answer.conclude(program, bound);
    Ok(answer)
}

/// What the solver does not look at must not be asked for.
fn refuse(wanted: Wanted, settings: &Settings) -> Result<(), Diagnostic> {
    let ignored = |kind: Kind| settings.ignore.contains(&kind);
    let missing = match () {
        () if settings.keep_going => Some(("every violation", "without `--keep-going` it finds one")),
        () if settings.races || settings.orders == Orders::Sets && !ignored(Kind::Race) => {
            Some(("data races", "`--ignore race` leaves them out"))
        }
        () if wanted.locks && !ignored(Kind::Lock) => {
            Some(("errors with locks", "`--ignore lock` leaves them out"))
        }
        () => None,
    };
    match missing {
        None => Ok(()),
        Some((what, help)) => {
            let message = format!("the solver does not look for {what}");
            Err(Diagnostic::unsupported("verify::solver", message).help(help))
        }
    }
}

fn violated(whole: &Whole, program: &Program, machine: Machine, answer: &mut Answer) {
    let Some(violation) = whole.violation() else { return };
    answer.violating += 1;
    let part = Part {
        thread: trace::name(Some(violation.thread), program),
        span: violation.span,
        text: String::new(),
        does: String::new(),
    };
    let own = |n: &usize| whole.event(*n).is_some_and(|e| e.thread == Some(violation.thread));
    let events: Vec<usize> = (0..whole.n_events()).rev().find(own).into_iter().collect();
    let finding = Finding { property: violation.property.clone(), parts: vec![part], events };
    note(&mut answer.violations, finding, whole, (program, machine));
}

/// Threads that wait for ever.
fn waits(
    search: &mut Search,
    (program, machine): (&Program, Machine),
    settings: &Settings,
    broken: &Refuse,
    answer: &mut Answer,
) -> Result<(), Diagnostic> {
    let ignored = |kind: Kind| settings.ignore.contains(&kind);
    if !search.may_wait() || ignored(Kind::Deadlock) && ignored(Kind::Liveness) {
        return Ok(());
    }
    let looked = std::cell::Cell::new(0);
    let refuse = |whole: &Whole| {
        if let Some(cycle) = broken(whole) {
            return Some(cycle);
        }
        looked.set(looked.get() + 1);
        let found =
            stuck::stuck(whole, program).filter(|finding| !Kind::of(&finding.property).is_some_and(ignored));
        if found.is_some() || looked.get() > WAITING { None } else { Some(Vec::new()) }
    };
    if let Some(whole) = search.find(merged::Wanted::Blocked, &refuse)? {
        let found =
            stuck::stuck(&whole, program).filter(|finding| !Kind::of(&finding.property).is_some_and(ignored));
        match found {
            Some(finding) => {
                answer.violating += 1;
                note(&mut answer.violations, finding, &whole, (program, machine));
            }
            None => {
                let message = "the solver found too many executions in which a thread waits to look at each";
                answer.errors.push(
                    Diagnostic::unsupported("verify::solver", message)
                        .help("`--ignore deadlock --ignore liveness` leaves them out"),
                );
            }
        }
    }
    Ok(())
}
