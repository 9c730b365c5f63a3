//! How close an execution that the model allows comes to being refused.

use crate::model::{CheckKind, EvalError, Expr, Plain, Step, TestKind};
use crate::relation::Rel;

use super::cost::{Costs, NEVER, postorder};
use super::surface::{At, Form, Surface};

/// What a pair that is not there costs: less than any that is.
const MISSING: u64 = 1 << 40;

/// A check that an execution passes, and what it would take to fail it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Near {
    /// The step of the model.
    pub step: usize,
    /// Pairs of program order that the check's relation lacks; with all of them it would have a cycle.
    pub missing: Vec<(usize, usize)>,
    /// The cycle: the events in order.
    pub cycle: Vec<usize>,
}

/// For each `acyclic` of the model: the fewest pairs of program order, between events that `matter`, that would close a cycle of its relation.
///
/// # Errors
/// A run-time error of the model.
pub fn near(
    surface: &mut Surface,
    plain: &mut Plain,
    po: &Rel,
    matter: &dyn Fn(usize) -> bool,
    skip: &[String],
) -> Result<Vec<Near>, EvalError> {
    let mut found = Vec::new();
    let steps = &surface.model.steps;
    for (step, check) in steps.iter().enumerate() {
        let Step::Check { kind: CheckKind::Plain, test, name, span } = check else { continue };
        if test.kind != TestKind::Acyclic || test.negated || name.as_ref().is_some_and(|n| skip.contains(n)) {
            continue;
        }
        let root = surface.node(Some(*span), test.expr);
        if !orders_across(surface, root) {
            continue;
        }
        let root = surface.closure(root);
        let costs = Costs::new(surface, root, plain)?;
        let n = plain.n_events();
        let events: Vec<usize> = (0..n).filter(|e| matter(*e)).collect();
        let there = |a: usize, b: usize| match costs.get(root, a, b) {
            NEVER => None,
            cost => Some(u64::from(cost)),
        };
        if let Some(cycle) = cycle(&events, &there, po) {
            let pairs = || cycle.iter().zip(cycle.iter().cycle().skip(1));
            let missing: Vec<(usize, usize)> =
                pairs().filter(|(a, b)| there(**a, **b).is_none()).map(|(a, b)| (*a, *b)).collect();
            if !missing.is_empty() {
                found.push(Near { step, missing, cycle });
            }
        }
    }
    Ok(found)
}

/// The cheapest cycle of pairs that are there and pairs of program order that are not.
fn cycle(events: &[usize], there: &dyn Fn(usize, usize) -> Option<u64>, po: &Rel) -> Option<Vec<usize>> {
    let k = events.len();
    let mut cost = vec![u64::MAX; k * k];
    let mut next = vec![usize::MAX; k * k];
    for (i, a) in events.iter().enumerate() {
        for (j, b) in events.iter().enumerate() {
            let direct = there(*a, *b).or_else(|| po.contains(*a, *b).then_some(MISSING));
            if let Some(direct) = direct {
                cost[i * k + j] = direct;
                next[i * k + j] = j;
            }
        }
    }
    for m in 0..k {
        for i in 0..k {
            if cost[i * k + m] == u64::MAX {
                continue;
            }
            for j in 0..k {
                let total = cost[i * k + m].saturating_add(cost[m * k + j]);
                if total < cost[i * k + j] {
                    cost[i * k + j] = total;
                    next[i * k + j] = next[i * k + m];
                }
            }
        }
    }
    let start = (0..k).filter(|i| cost[i * k + i] != u64::MAX).min_by_key(|i| cost[i * k + i])?;
    let mut line = vec![start];
    let mut here = next[start * k + start];
    while here != start && line.len() <= k {
        line.push(here);
        here = next[here * k + start];
    }
    Some(line.into_iter().map(|i| events[i]).collect())
}

/// Does the check speak of program order between different locations? One that only keeps each location coherent will never order
/// what is missing.
fn orders_across(surface: &Surface, root: At) -> bool {
    let pool = &surface.model.pool;
    let is = |at: At, names: &[&str]| match pool.expr(surface.nodes[at].id) {
        Expr::Base(name, _) => names.contains(&name.name()),
        _ => surface.nodes[at].name.as_ref().is_some_and(|name| names.contains(&&**name)),
    };
    let order = postorder(surface, root);
    let is_loc = |at: &At| is(*at, &["loc", "same-loc"]);
    let within: Vec<At> = order
        .iter()
        .filter_map(|at| match &surface.nodes[*at].form {
            Form::Both(main, filters) if filters.iter().any(is_loc) => Some(main.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    let po = |at: &At| is(*at, &["po"]) && matches!(surface.nodes[*at].form, Form::Leaf(_));
    // A leaf written inside `po & loc` is a node of its own: the text tells them apart.
    order.iter().any(|at| po(at) && !within.contains(at))
}
