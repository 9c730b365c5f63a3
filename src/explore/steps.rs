//! The plain run of a model over one candidate: step by step, every `with` spelled out.

use std::ops::ControlFlow;

use super::sink::Found;
use crate::diag::Diagnostic;
use crate::model::{
    CheckKind, ChoiceId, Choices, EvalError, Expr, Model, Order, OrderBase, Plain, Sort, Step, Val,
};
use crate::outcome::{Cause, Count};
use crate::relation::{Rel, Set};

/// How a run of a model over a candidate ends.
pub(super) enum Ended<'e, 'p> {
    /// Something of the model is against it.
    Rejected(Cause),
    /// All hold; everything is chosen.
    Accepted(&'e Found<'e>, &'e mut Plain<'p>),
}

/// Told how each run ends; may put an end to it all.
pub(super) type Tell<'t> = dyn FnMut(Ended) -> ControlFlow<()> + 't;

/// What a run of a model is told beforehand.
#[derive(Clone, Copy)]
pub(super) struct Given<'g> {
    /// Names of checks to skip.
    pub skip: &'g [String],
    /// The coherence order, where it is settled already: the model's own choice of `co` is that one, or there is none.
    pub co: Option<&'g Rel>,
}

/// Runs the steps of a model from `at` on, once for each combination of choices; `tell` is called at the end of each run.
pub(super) fn run(
    model: &Model,
    at: usize,
    mut plain: Plain,
    given: Given,
    tell: &mut Tell,
) -> Result<ControlFlow<()>, Diagnostic> {
    run_from(model, at, &mut plain, given, &mut Raised::default(), tell)
}

/// What a run has raised so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Raised {
    /// Names of flags.
    pub flags: Vec<String>,
    /// Did an `undefined_unless` fail?
    pub undefined: bool,
}

/// Runs what follows a choice; what it raises is forgotten after it.
fn run_from(
    model: &Model,
    at: usize,
    plain: &mut Plain,
    given: Given,
    raised: &mut Raised,
    tell: &mut Tell,
) -> Result<ControlFlow<()>, Diagnostic> {
    let (before, undefined) = (raised.flags.len(), raised.undefined);
    let result = run_inner(model, at, plain, given, raised, tell);
    raised.flags.truncate(before);
    raised.undefined = undefined;
    result
}

fn run_inner(
    model: &Model,
    at: usize,
    plain: &mut Plain,
    given: Given,
    raised: &mut Raised,
    tell: &mut Tell,
) -> Result<ControlFlow<()>, Diagnostic> {
    for (position, step) in model.steps.iter().enumerate().skip(at) {
        match step {
            Step::Check { name: Some(name), .. } if given.skip.contains(name) => {}
            Step::Check { kind, test, name, .. } => {
                let holds = match plain.holds(test) {
                    Ok(holds) => holds,
                    Err(EvalError::Rejected) => {
                        return Ok(tell(Ended::Rejected(Cause::When)));
                    }
                    Err(error) => return Err(error.diagnostic()),
                };
                match kind {
                    CheckKind::Plain if !holds => {
                        return Ok(tell(Ended::Rejected(Cause::check(name.as_deref()))));
                    }
                    CheckKind::Flag if holds => raised.flags.extend(name.clone()),
                    CheckKind::UndefinedUnless if !holds => raised.undefined = true,
                    CheckKind::Assert if !holds => return Err(assertion_failed(name.as_deref(), step)),
                    _ => {}
                }
            }
            Step::With { choice, from, name, .. } => {
                let value = match plain.eval(*from) {
                    Ok(value) => value,
                    Err(EvalError::Rejected) => return Ok(tell(Ended::Rejected(Cause::When))),
                    Err(error) => return Err(error.diagnostic()),
                };
                let Val::Choices(choices) = &*value else {
                    return Err(Diagnostic::internal("`with` is given no list of values"));
                };
                let settled = given.co.filter(|_| name == "co");
                let one;
                let choices = match settled.map(|co| the_choice(choices, plain.n_events(), co)) {
                    None => choices,
                    Some(None) => return Ok(tell(Ended::Rejected(Cause::With(name.clone())))),
                    Some(Some(value)) => {
                        one = Choices::List(vec![value]);
                        &one
                    }
                };
                let mut result = Ok(ControlFlow::Continue(()));
                let flow = each_choice(choices, plain.n_events(), &mut |value| {
                    let mut next = plain.clone();
                    bind(model, &mut next, *choice, value);
                    result = run_from(model, position + 1, &mut next, given, raised, tell);
                    match &result {
                        Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
                        _ => ControlFlow::Break(()),
                    }
                });
                return match flow {
                    ControlFlow::Continue(()) => Ok(ControlFlow::Continue(())),
                    ControlFlow::Break(()) => result,
                };
            }
            Step::Fail { diagnostic } => return Err(diagnostic.clone()),
        }
    }
    let names: Vec<&str> = raised.flags.iter().map(String::as_str).collect();
    Ok(tell(Ended::Accepted(&Found { flags: &names, undefined: raised.undefined, ways: &Count::ONE }, plain)))
}

/// The error of an `assert` that does not hold.
pub(crate) fn assertion_failed(name: Option<&str>, step: &Step) -> Diagnostic {
    let name = name.unwrap_or("(unknown)");
    let diagnostic =
        Diagnostic::error("model::assertion-failed", format!("{name} assertion failed, check input test."));
    match step {
        Step::Check { span, .. } => diagnostic.at(*span, "this assertion"),
        _ => diagnostic,
    }
}

/// Gives a choice its value.
pub(crate) fn bind(model: &Model, plain: &mut Plain, choice: ChoiceId, value: Val) {
    for sort in [Sort::Rel, Sort::Set, Sort::Other] {
        if let Some(node) = model.pool.find(&Expr::Choice(choice, sort)) {
            plain.set(node, value.clone());
        }
    }
}

/// The alternative that is `co` on the events that it orders, if there is one.
pub(crate) fn the_choice(choices: &Choices, n: usize, co: &Rel) -> Option<Val> {
    match choices {
        Choices::Orders(orders) => {
            let mut whole = Rel::empty(n);
            for order in orders {
                let own = co.restrict(&order.over);
                let total = order
                    .over
                    .iter()
                    .all(|a| order.over.iter().all(|b| a == b || own.contains(a, b) != own.contains(b, a)));
                let contains_base = match &order.base {
                    OrderBase::Rel(base) => base.plus().restrict(&order.over).is_subset(&own),
                    OrderBase::Node(_) => true,
                };
                if !(total && own.is_acyclic() && contains_base) {
                    return None;
                }
                whole = whole.union(&own);
            }
            Some(Val::Rel(whole))
        }
        Choices::List(_) | Choices::Cross(_) => {
            let mut found = None;
            let _ = each_choice(choices, n, &mut |value| match &value {
                Val::Rel(rel) if rel == co => {
                    found = Some(value);
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            found
        }
    }
}

/// Every alternative, in order.
pub(crate) fn each_choice(
    choices: &Choices,
    n: usize,
    f: &mut dyn FnMut(Val) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match choices {
        Choices::List(values) => values.iter().cloned().try_for_each(f),
        Choices::Orders(orders) => each_order(orders, &Rel::empty(n), f),
        Choices::Cross(lists) => each_cross(lists, &Rel::empty(n), f),
    }
}

fn each_cross(
    lists: &[Vec<Rel>],
    so_far: &Rel,
    f: &mut dyn FnMut(Val) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match lists.split_first() {
        None => f(Val::Rel(so_far.clone())),
        Some((list, rest)) => list.iter().try_for_each(|rel| each_cross(rest, &so_far.union(rel), f)),
    }
}

fn each_order(orders: &[Order], so_far: &Rel, f: &mut dyn FnMut(Val) -> ControlFlow<()>) -> ControlFlow<()> {
    match orders.split_first() {
        None => f(Val::Rel(so_far.clone())),
        Some((order, rest)) => {
            let n = order.over.n();
            let base = match &order.base {
                OrderBase::Rel(rel) => rel.plus().restrict(&order.over),
                // The plain run knows every value before it makes a choice.
                OrderBase::Node(_) => Rel::empty(n),
            };
            if !base.is_irreflexive() {
                return ControlFlow::Continue(());
            }
            linear_extensions(&order.over, &base, &mut Vec::new(), &mut |line| {
                let mut next = so_far.clone();
                for (position, a) in line.iter().enumerate() {
                    line[position + 1..].iter().for_each(|b| next.insert(*a, *b));
                }
                each_order(rest, &next, f)
            })
        }
    }
}

/// All ways to write down `left` so that `base` only points forward.
fn linear_extensions(
    left: &Set,
    base: &Rel,
    line: &mut Vec<usize>,
    f: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if left.is_empty() {
        return f(line);
    }
    for event in left.iter() {
        if left.iter().any(|other| base.contains(other, event)) {
            continue;
        }
        let mut rest = left.clone();
        rest.remove(event);
        line.push(event);
        let flow = linear_extensions(&rest, base, line, f);
        line.pop();
        flow?;
    }
    ControlFlow::Continue(())
}
