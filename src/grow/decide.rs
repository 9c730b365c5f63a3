//! May a model be run by growing executions? Decided from what it is, never guessed.
//!
//! Three things are asked. A check may be asked of a graph on its way only if it is *prefix-closed* (what fails stays failed: its
//! expression only grows with the graph) and *extensible* (an event that is added last, reading from the last write or written
//! last, never makes it fail; else graphs would be lost that are reached by throwing such events away). A check that is not is asked
//! at the end. And the search lists only executions without a cycle of program order and `rf`: that must be what the model wants.

use super::code::{Check, Class, Code, Kind, Link};
use super::compile::{OrderOn, compile};
use super::part;
use super::sketch::{Sketch, Value};
use crate::model::{Base, CheckKind, Expr, ExprId, Model, Pool, Sort, Step, Test, TestKind};

/// How a model is run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// Checks that are asked of every graph on the way.
    pub pruning: Vec<String>,
    /// Checks that are asked of whole executions only.
    pub last: Vec<String>,
    /// It is for programs without events in these sets: else it makes choices of other kinds.
    pub without: Vec<String>,
    /// May there be executions with a cycle of program order and `rf`? These are not listed.
    pub residual: bool,
}

impl Plan {
    /// Are all executions listed?
    pub fn is_whole(&self) -> bool {
        !self.residual && self.without.is_empty()
    }
}

/// How a model is to be run, or why it cannot be.
///
/// # Errors
/// What stands in the way, in words.
pub fn plan(model: &Model) -> Result<Plan, String> {
    let mut without = Vec::new();
    let code = match built(model, &[], OrderOn::Usual) {
        Ok(code) => code,
        Err(why) => {
            let sets = part::chosen_from(model);
            let part = part::without(model, &|name| sets.contains(name)).ok_or(why)?;
            without.extend(sets.iter().cloned());
            built(&part, &[], OrderOn::Checked)?
        }
    };
    let names = |prunes: bool| {
        code.checks.iter().filter(|check| check.prunes == prunes).map(|check| check.name.clone()).collect()
    };
    Ok(Plan { pruning: names(true), last: names(false), residual: code.residual, without })
}

/// Likewise, of models whose executions this engine lists all.
///
/// # Errors
/// What stands in the way, in words.
pub fn plan_of_all(model: &Model) -> Result<Plan, String> {
    let plan = plan(model)?;
    match plan.is_whole() {
        _ if plan.residual => Err("it may allow cycles of program order and `rf`".to_string()),
        true => Ok(plan),
        false => Err("it makes choices of other kinds".to_string()),
    }
}

/// The model, of executions that this engine does not list: those with a cycle of program order (and of reads and writes of one
/// instruction) and `rf`.
pub fn residual(model: &Model) -> Model {
    let mut model = model.clone();
    let span = model.steps.iter().find_map(|step| match step {
        Step::Check { span, .. } | Step::With { span, .. } => Some(*span),
        Step::Fail { .. } => None,
    });
    let Some(span) = span else { return model };
    let pool = &mut model.pool;
    let [po, rf, instance] = [Base::Po, Base::Rf, Base::SameInstance].map(|base| pool.base(base, Sort::Rel));
    let [reads, writes] = [Base::R, Base::W].map(|base| pool.base(base, Sort::Set));
    let through = pool.intern(Expr::Product(reads, writes));
    let inside = pool.intern(Expr::Inter(instance, through));
    let id = pool.intern(Expr::Id);
    let inside = pool.intern(Expr::Diff(inside, id));
    let expr = pool.intern(Expr::Union(vec![po, inside, rf]));
    let test = Test { kind: TestKind::Acyclic, negated: true, expr };
    model.steps.push(Step::Check { kind: CheckKind::Plain, test, name: None, span });
    model
}

/// A model as code, with all that is decided about it.
pub(super) fn built(model: &Model, skip: &[String], base: OrderOn) -> Result<Code, String> {
    let mut code = compile(model, skip, base)?;
    decide(model, &mut code);
    Ok(code)
}

/// Says of each check whether it may be asked on the way.
fn decide(model: &Model, code: &mut Code) {
    let pool = &model.pool;
    let trends = trends(code);
    for flag in &mut code.flags {
        flag.stays = trends[flag.slot] == Trend::Stays;
    }
    let extensions = Sketch::extensions();
    for index in 0..code.checks.len() {
        let check = &code.checks[index];
        let grows = !check.negated && trends[check.slot] != Trend::Any;
        let extends = extensions.iter().all(|sketch| extends(pool, check, sketch));
        code.checks[index].prunes = grows && extends;
    }
    code.residual = !forbids_thin_air(pool, &code.checks);
    // What is left out is left out inside instructions, too.
    code.orders_updates = code.residual || orders_updates(pool, &code.checks);
    code.updates_follow =
        [Sketch::update_after_another(), Sketch::update_before_its_source()].iter().all(|sketch| {
            code.checks
                .iter()
                .filter(|check| !check.negated && check.prunes)
                .any(|check| refutes(pool, check, sketch))
        });
}

/// How the value of an expression between the events of a graph changes when the graph grows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Trend {
    /// Not at all.
    Stays,
    /// Pairs come, none goes.
    Grows,
    /// In any way.
    Any,
}

fn trends(code: &Code) -> Vec<Trend> {
    let mut trends: Vec<Trend> = Vec::new();
    for slot in &code.slots {
        let of = |slot: usize| trends.get(slot).copied().unwrap_or(Trend::Any);
        trends.push(match &slot.kind {
            _ if slot.class != Class::Whole => Trend::Stays,
            Kind::Seq(links) => sequence(code, links, &of),
            kind => trend(code, kind, &of),
        });
    }
    trends
}

/// The trend of an operation, given those of its operands.
pub(super) fn trend(code: &Code, kind: &Kind, of: &impl Fn(usize) -> Trend) -> Trend {
    use Trend::{Any, Grows, Stays};
    let grows = |trend: Trend| if trend == Any { Any } else { Grows };
    match kind {
        Kind::Member(_) | Kind::Base(_) | Kind::Empty | Kind::All | Kind::Id => Stays,
        Kind::Union(list) => list.iter().map(|slot| of(*slot)).max().unwrap_or(Stays),
        Kind::Inter(a, b) | Kind::Product(a, b) => of(*a).max(of(*b)),
        Kind::Diff(a, b) if of(*b) == Stays => of(*a),
        Kind::Compl(a) if of(*a) == Stays => Stays,
        Kind::Diff(..) | Kind::Compl(_) => Any,
        Kind::Inverse(a) | Kind::ToId(a) | Kind::Opt(a) | Kind::DifferentValues(a) => of(*a),
        Kind::Domain(a) | Kind::Range(a) | Kind::Plus(a) | Kind::Star(a) => grows(of(*a)),
        Kind::Seq(_) => Any,
        Kind::Variable => Grows,
        Kind::Fix { group, .. } => {
            let bodies = code.groups[*group].bodies.iter().map(|slot| grows(of(*slot)));
            bodies.max().unwrap_or(Grows)
        }
    }
}

/// The relations of a composition.
pub(super) fn steps(links: &[Link]) -> impl Iterator<Item = usize> {
    links.iter().filter_map(|link| match link {
        Link::Step(slot) => Some(*slot),
        Link::Filter(_) => None,
    })
}

/// A composition stays as it is if every event in the middle is there whenever both ends are: back along fixed relations from the
/// source, back along fixed relations from the target, and one step between the two.
fn sequence(code: &Code, links: &[Link], of: &impl Fn(usize) -> Trend) -> Trend {
    let worst = links.iter().map(|link| match link {
        Link::Filter(slot) | Link::Step(slot) => of(*slot),
    });
    let worst = worst.max().unwrap_or(Trend::Stays);
    if worst != Trend::Stays {
        return worst;
    }
    let steps: Vec<usize> = steps(links).collect();
    let is_fixed = |slot: usize| code.slots[slot].class == Class::Fixed;
    let is_back = |slot: &usize| matches!(code.slots[*slot].kind, Kind::Inverse(a) if is_fixed(a));
    let back = steps.iter().take_while(|slot| is_back(slot)).count();
    let rest = &steps[back.min(steps.len().saturating_sub(1))..];
    match rest.split_first() {
        Some((_, rest)) if rest.iter().all(|slot| is_fixed(*slot)) => Trend::Stays,
        None => Trend::Stays,
        _ => Trend::Grows,
    }
}

/// Does a check that holds still hold after the step that is sketched?
fn extends(pool: &Pool, check: &Check, sketch: &Sketch) -> bool {
    let value = sketch.value(pool, check.expr);
    if value.new {
        return false;
    }
    match check.test {
        TestKind::Empty => !value.touches_new(),
        TestKind::Irreflexive => !value.has_loop(),
        TestKind::Acyclic => !value.closed().has_loop(),
    }
}

/// Does a check fail for certain where the events that are drawn are?
pub(super) fn refutes(pool: &Pool, check: &Check, sketch: &Sketch) -> bool {
    let value = sketch.value(pool, check.expr);
    match check.test {
        TestKind::Empty => value.must != 0,
        TestKind::Irreflexive => value.must_loop(),
        TestKind::Acyclic => value.must_cycle(),
    }
}

/// Can no execution that the checks accept have a cycle of program order and `rf`? A read from a later write of its own thread must
/// be refused; then such a cycle goes from thread to thread, in by a read and out by a write, and one `acyclic` check must have all
/// of these steps.
fn forbids_thin_air(pool: &Pool, checks: &[Check]) -> bool {
    let checks = || checks.iter().filter(|check| !check.negated);
    let own = Sketch::own_write_read();
    let refused = checks().any(|check| refutes(pool, check, &own));
    let passing = Sketch::through_a_thread();
    refused
        && checks().any(|check| {
            let value = passing.value(pool, check.expr);
            check.test == TestKind::Acyclic && passing.steps().all(|(a, b)| value.must_have(a, b))
        })
}

/// May such a cycle not go through the two accesses of one atomic instruction either, which program order does not relate? The write
/// must come after the one that was read, and that step must be one of the `acyclic` check.
fn orders_updates(pool: &Pool, checks: &[Check]) -> bool {
    let checks = || checks.iter().filter(|check| !check.negated);
    let before = Sketch::through_an_instruction(false);
    let refused = checks().any(|check| refutes(pool, check, &before));
    let passing = Sketch::through_a_thread();
    let after = Sketch::through_an_instruction(true);
    refused
        && checks().any(|check| {
            let value = passing.value(pool, check.expr);
            check.test == TestKind::Acyclic
                && passing.steps().all(|(a, b)| value.must_have(a, b))
                && after.value(pool, check.expr).must_have(1, 3)
        })
}

/// Is the expression below the coherence order?
pub(super) fn below_co(pool: &Pool, id: ExprId) -> bool {
    match pool.expr(id) {
        Expr::Choice(_, Sort::Rel) => true,
        Expr::Inter(a, b) => below_co(pool, *a) || below_co(pool, *b),
        Expr::Diff(a, _) => below_co(pool, *a),
        _ => false,
    }
}

/// Is the expression `rf^-1`, or below it?
pub(super) fn below_inverse_rf(pool: &Pool, id: ExprId) -> bool {
    match pool.expr(id) {
        Expr::Inverse(a) => below_rf(pool, *a),
        Expr::Inter(a, b) => below_inverse_rf(pool, *a) || below_inverse_rf(pool, *b),
        Expr::Diff(a, _) => below_inverse_rf(pool, *a),
        _ => false,
    }
}

fn below_rf(pool: &Pool, id: ExprId) -> bool {
    match pool.expr(id) {
        Expr::Base(base, Sort::Rel) => *base == Base::Rf,
        Expr::Inter(a, b) => below_rf(pool, *a) || below_rf(pool, *b),
        Expr::Diff(a, _) => below_rf(pool, *a),
        _ => false,
    }
}

impl Value {
    fn touches_new(&self) -> bool {
        (0..self.n).any(|a| (0..self.n).any(|b| (a > 0 || b > 0) && self.may_have(a, b)))
    }

    fn has_loop(&self) -> bool {
        (1..self.n).any(|a| self.may_have(a, a))
    }

    fn must_loop(&self) -> bool {
        (1..self.n).any(|a| self.must_have(a, a))
    }

    fn must_cycle(&self) -> bool {
        let mut closed = *self;
        closed.may = closed.must;
        closed.closed().has_loop()
    }
}
