//! Complete final states of two models, side by side.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::{Answer, Comparison};
use crate::condition::{Atom, Condition, Observable, Prop, Quantifier};
use crate::diag::{Class, Diagnostic, Remedy};
use crate::execution::{AtBound, Execution};
use crate::explore::{self, Engine, Mode, Options, Request, Show};
use crate::limits::{self, Stopped};
use crate::litmus::{Lowered, Shown, ShownKind};
use crate::model::Model;
use crate::outcome::{Completeness, Count, Outcome, StateStyle, format_state, shown_value};
use crate::program::{LocId, Op, Reg, Type, Value, each_op};
use crate::sat;

/// So long the explorer is left alone with a test, for each of the things that it is asked.
const PATIENCE: Duration = Duration::from_secs(1);

/// Is every final state of the target one of the source? The test observes all there is. What the source allows may be known.
pub(super) fn compare(
    test: &Lowered,
    source: &Model,
    own: Option<Outcome>,
    target: &Model,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let options = &Options { mode: Mode::States, ..options.clone() };
    match options.engine {
        Engine::Sat => one_by_one(test, source, target, options),
        Engine::Auto => in_turns(test, source, own, target, options),
        Engine::Explore | Engine::Grow | Engine::Naive => side_by_side(test, source, own, target, options),
    }
}

/// The explorer and the solver in turns, each time for longer: one of them often has the answer at once where the other has none in an hour.
fn in_turns(
    test: &Lowered,
    source: &Model,
    own: Option<Outcome>,
    target: &Model,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let start = Instant::now();
    let left = || options.timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
    let known = own.filter(|own| stopped(own).is_none());
    let mut turn = options.timeout.map_or(PATIENCE, |timeout| (timeout / 2).min(PATIENCE));
    let (mut explores, mut solves, mut refused) = (true, true, None);
    loop {
        for solver in [false, true] {
            if !(if solver { solves } else { explores }) {
                continue;
            }
            // Who is alone has all the time.
            let alone = !(explores && solves);
            let timeout = match left() {
                Some(left) if alone => Some(left),
                Some(left) => Some(left.min(turn)),
                None => (!alone).then_some(turn),
            };
            let found = match solver {
                false => {
                    side_by_side(test, source, known.clone(), target, &Options { timeout, ..options.clone() })
                }
                true => one_by_one(test, source, target, &Options { timeout, ..options.clone() }),
            };
            let over = alone || limits::look().is_some() || left().is_some_and(|left| left.is_zero());
            match why_open(&found, solver) {
                // What the explorer says is about the test, not about the solver.
                Some(Open::Unable) if over && solver => return refused.unwrap_or(found),
                Some(_) if over => return found,
                Some(Open::OutOfTime) => {}
                Some(Open::Unable) if solver => solves = false,
                Some(Open::Unable) => (explores, refused) = (false, Some(found)),
                None => return found,
            }
        }
        turn *= 4;
    }
}

/// Why a question is still open.
enum Open {
    /// It was not answered in time.
    OutOfTime,
    /// More time would not help.
    Unable,
}

fn why_open(found: &Result<Comparison, Diagnostic>, solver: bool) -> Option<Open> {
    let stopped = match found {
        Ok(Comparison { answer: Answer::Portable, completeness, .. }) => limit(completeness)?,
        Ok(_) => return None,
        Err(error) => match error.class {
            Class::Limit(why) => why,
            Class::Unsupported if solver => return Some(Open::Unable),
            _ if error.remedy == Some(Remedy::OtherEngine) => return Some(Open::Unable),
            _ => return None,
        },
    };
    Some(if stopped == Stopped::Time { Open::OutOfTime } else { Open::Unable })
}

/// States of the target one after the other, and for each the question whether the source reaches it: the first that it does not is enough.
fn one_by_one(
    test: &Lowered,
    source: &Model,
    target: &Model,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let found = sat::new_state(test, source, target, options)?;
    let new = u64::from(found.new.is_some());
    let answer = match found.new {
        None => Answer::Portable,
        Some(execution) => {
            let explorer = Options { engine: Engine::Explore, ..options.clone() };
            let fewer = || shorter(test, target, &explorer, &execution.state);
            let execution =
                (found.completeness == Completeness::Bounded).then(fewer).flatten().unwrap_or(execution);
            let state = format_state(&execution.state, test, &StateStyle::default());
            Answer::NotPortable { execution: Box::new(execution), state, failed: Vec::new() }
        }
    };
    let (of_target, of_both) = (Count::from(found.states), Count::from(found.states - new));
    let counted = new == 0;
    let model = if counted { target } else { source };
    let completeness = super::examined(test, model, options, found.completeness);
    Ok(Comparison { answer, of_target, of_both, of_source: None, counted, completeness })
}

/// All states of either model.
fn side_by_side(
    test: &Lowered,
    source: &Model,
    own: Option<Outcome>,
    target: &Model,
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let ours = match own {
        Some(own) => own,
        None => explore::run(test, source, options).map_err(Diagnostic::without_places)?,
    };
    let theirs = explore::run(test, target, options)?;
    // Executions that were cut off are compared with such, where they are kept.
    let kinds =
        [(false, &ours.states, &theirs.states), (true, &ours.uncompleted.states, &theirs.uncompleted.states)];
    let of_both: u64 =
        kinds.iter().map(|(_, a, b)| b.keys().filter(|state| a.contains(state)).count() as u64).sum();
    let new = kinds.iter().find_map(|(cut, a, b)| Some((*cut, b.keys().find(|state| !a.contains(state))?)));
    let all =
        |outcome: &Outcome| Count::from((outcome.states.len() + outcome.uncompleted.states.len()) as u64);
    let (of_target, of_source) = (all(&theirs), Some(all(&ours)));
    let answer = match new {
        None => Answer::Portable,
        Some((cut, state)) => {
            all_known(&ours)?;
            let execution = ending_in(test, target, options, &state, cut)?;
            let state = format_state(&state, test, &StateStyle::default());
            Answer::NotPortable { execution: Box::new(execution), state, failed: Vec::new() }
        }
    };
    let completeness = left_out(&answer, (test, source, &ours), (test, target, &theirs), options);
    let of_both = Count::from(of_both);
    Ok(Comparison { answer, of_target, of_both, of_source, counted: true, completeness })
}

/// What an answer leaves out. A state that the source reaches is reached, whatever was cut off there; one that it does not reach may come beyond the bound. Likewise the
/// target: what was seen of it is certain.
pub(super) fn left_out(
    answer: &Answer,
    source: (&Lowered, &Model, &Outcome),
    target: (&Lowered, &Model, &Outcome),
    options: &Options,
) -> Completeness {
    let (test, model, outcome) = if let Answer::Portable = answer { target } else { source };
    super::examined(test, model, options, outcome.completeness.clone())
}

/// Nothing is cut off of values.
const WHOLE: Type = Type { bytes: 16, signed: true };

/// An execution that ends in a final state which the model allows, with as few rounds of loops as may be. Only those that end in it are looked for.
pub(super) fn ending_in(
    test: &Lowered,
    model: &Model,
    options: &Options,
    state: &[Value],
    cut: bool,
) -> Result<Execution, Diagnostic> {
    if let Some(found) = shorter(test, model, options, state) {
        return Ok(found);
    }
    // The explorer is left alone with it for a while only: the solver often has one at once.
    let patience = options.timeout.map_or(PATIENCE, |timeout| (timeout / 2).min(PATIENCE));
    let first = Options { timeout: Some(patience), ..options.clone() };
    match ending_within(test, model, &first, state, cut) {
        Err(error) if matches!(error.class, Class::Limit(_)) => {}
        found => return found,
    }
    match sat::ending_in(test, model, options, state, cut) {
        Ok(Some(found)) => Ok(found),
        _ => ending_within(test, model, options, state, cut),
    }
}

/// Likewise, with fewer rounds than there may be. An execution that ends before the bound is one at every higher bound, too.
fn shorter(test: &Lowered, model: &Model, options: &Options, state: &[Value]) -> Option<Execution> {
    if options.at_bound != AtBound::Drop || options.bound_events.is_some() {
        return None;
    }
    let most = test.unroll.unwrap_or(options.unroll);
    let patience = options.timeout.map_or(PATIENCE, |timeout| timeout.min(PATIENCE));
    (0..most).find_map(|unroll| {
        let options = Options { unroll, timeout: Some(patience), ..options.clone() };
        ending_within(&Lowered { unroll: None, ..test.clone() }, model, &options, state, false).ok()
    })
}

fn ending_within(
    test: &Lowered,
    model: &Model,
    options: &Options,
    state: &[Value],
    cut: bool,
) -> Result<Execution, Diagnostic> {
    let equation = |(place, value): (&Observable, &Value)| match place {
        Observable::Reg(..) | Observable::Loc(_) => {
            Some(Prop::Atom(Atom::Equals { left: *place, ty: WHOLE, value: *value }))
        }
        _ => None,
    };
    let prop = Prop::And(test.shown.iter().zip(state).filter_map(equation).collect());
    let condition = Condition { quantifier: Quantifier::Exists, prop };
    let asked = Lowered { condition, ..test.clone() };
    let request = Request { show: Show::Wit, ..Request::all() };
    let mut found = None;
    let seen = explore::each_execution(&asked, model, None, options, &request, &mut |execution| {
        if execution.state != state || execution.is_cut() != cut {
            return ControlFlow::Continue(());
        }
        found = Some(execution);
        ControlFlow::Break(())
    })?;
    let positive = test.condition.prop.holds(&|o: Observable| shown_value(state, test, o));
    let found = found.map(|execution| Execution { positive, ..execution });
    found.ok_or_else(|| match stopped(&seen) {
        Some(why) => Diagnostic::stopped(why, "before an execution with a new final state was found again"),
        None => Diagnostic::internal("a final state without an execution"),
    })
}

/// A state is new only if all those of the source are known.
pub(super) fn all_known(source: &Outcome) -> Result<(), Diagnostic> {
    match stopped(source) {
        Some(why) => Err(Diagnostic::stopped(why, "before all final states of the source were known")),
        None => Ok(()),
    }
}

/// Was a search stopped before its end?
fn stopped(outcome: &Outcome) -> Option<Stopped> {
    limit(&outcome.completeness)
}

fn limit(completeness: &Completeness) -> Option<Stopped> {
    match completeness {
        Completeness::TimedOut => Some(Stopped::Time),
        Completeness::MemoryLimit => Some(Stopped::Memory),
        Completeness::Interrupted => Some(Stopped::Interrupt),
        Completeness::Complete
        | Completeness::Bounded
        | Completeness::Decided
        | Completeness::ExecutionLimit => None,
    }
}

/// The test with every register that a thread writes and every location observed.
pub(super) fn everything_observed(test: &Lowered) -> Lowered {
    let mut shown: Vec<Observable> = test.observed.clone();
    for (number, thread) in test.program.threads.iter().enumerate() {
        let mut registers = BTreeSet::new();
        thread.code.iter().for_each(|instruction| written(&instruction.ops, &mut registers));
        shown.extend(registers.into_iter().map(|register| Observable::Reg(number as u16, register)));
    }
    shown.extend((0..test.program.locations.len()).map(|cell| Observable::Loc(LocId(cell as u16))));
    shown.sort();
    shown.dedup();
    // Faults stand behind the bindings of a state anyway.
    let bindings = |(_, place): &(usize, &Observable)| {
        !matches!(place, Observable::Fault(_) | Observable::Faults | Observable::Assumed)
    };
    let display = shown
        .iter()
        .enumerate()
        .filter(bindings)
        .map(|(first, place)| Shown { kind: kind(test, *place), first });
    Lowered { display: display.collect(), observed: shown.clone(), shown, ..test.clone() }
}

fn kind(test: &Lowered, place: Observable) -> ShownKind {
    match place {
        Observable::Reg(thread, register) => {
            ShownKind::Register { thread, name: test.program.regs.name(register).to_string() }
        }
        Observable::Loc(cell) => ShownKind::Global(test.program.locations[usize::from(cell.0)].name.clone()),
        Observable::Fault(_) | Observable::Faults => ShownKind::Element("faults".to_string()),
        Observable::Assumed => ShownKind::Element("signatures".to_string()),
    }
}

/// The registers that some operation writes.
fn written(ops: &[Op], registers: &mut BTreeSet<Reg>) {
    each_op(ops, &mut |op| {
        if let Op::WriteReg { reg, .. } = op {
            registers.insert(*reg);
        }
    });
}
