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
    /// Pairs that the check's relation lacks: of program order, and for `irreflexive` also of reads-from. With all of them it would have a cycle.
    pub missing: Vec<(usize, usize)>,
    /// The cycle: the events in order.
    pub cycle: Vec<usize>,
    /// For `empty`: the part of an intersection that lacks the pair, which all others have.
    pub lacking: Option<At>,
}

/// For each `acyclic` of the model: the fewest pairs of program order, between events that `matter`, that would close a cycle of its relation. For
/// each `irreflexive`: the fewest pairs of program order or reads-from that would close a chain of its parts, if those of its parts that are orders
/// had them. For each `empty` of an intersection: a pair that the program puts into all of its parts but one.
///
/// # Errors
/// A run-time error of the model.
pub fn near(
    surface: &mut Surface,
    plain: &mut Plain,
    [po, rf]: [&Rel; 2],
    matter: &dyn Fn(usize) -> bool,
    skip: &[String],
) -> Result<Vec<Near>, EvalError> {
    let mut found = Vec::new();
    let steps = &surface.model.steps;
    for (step, check) in steps.iter().enumerate() {
        let Step::Check { kind: CheckKind::Plain, test, name, span } = check else { continue };
        if test.negated || name.as_ref().is_some_and(|n| skip.contains(n)) {
            continue;
        }
        let root = surface.node(Some(*span), test.expr);
        match test.kind {
            TestKind::Acyclic => {}
            TestKind::Irreflexive => {
                let events: Vec<usize> = (0..plain.n_events()).filter(|e| matter(*e)).collect();
                let path = chain(surface, root, plain, &events, [po, rf])?;
                found.extend(path.map(|Path { missing, nodes, .. }| Near {
                    step,
                    missing,
                    cycle: nodes,
                    lacking: None,
                }));
                continue;
            }
            TestKind::Empty => {
                found.extend(half(surface, step, root, plain)?);
                continue;
            }
        }
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
                found.push(Near { step, missing, cycle, lacking: None });
            }
        }
    }
    Ok(found)
}

/// A pair that is in every part of an intersection but one, and the part that lacks it: one that `rf` and the orders decide. The others are the
/// program's own, such as `rmw`: pairs that any execution may have by chance say little.
fn half(surface: &Surface, step: usize, root: At, plain: &mut Plain) -> Result<Option<Near>, EvalError> {
    let pool = &surface.model.pool;
    // Exceptions to a rule do not make it another rule.
    let Some(whole) = inside(surface, root, true) else { return Ok(None) };
    let Form::Both(main, filters) = &surface.nodes[whole].form else { return Ok(None) };
    let operands = [main.as_slice(), filters.as_slice()].concat();
    let (fixed, open): (Vec<At>, Vec<At>) =
        operands.into_iter().partition(|part| pool.is_static(surface.nodes[*part].id));
    let ([first, rest @ ..], [open]) = (fixed.as_slice(), open.as_slice()) else { return Ok(None) };
    let mut pairs = plain.rel_of(surface.nodes[*first].id)?;
    for part in rest {
        pairs = pairs.inter(&plain.rel_of(surface.nodes[*part].id)?);
    }
    let near = |pair| Near { step, missing: vec![pair], cycle: Vec::new(), lacking: Some(*open) };
    Ok(pairs.iter().next().map(near))
}

/// What stands behind names, calls and exceptions; `None` for what stands for itself.
fn inside(surface: &Surface, mut at: At, exceptions: bool) -> Option<At> {
    for _ in 0..surface.nodes.len() {
        at = match surface.nodes[at].form {
            Form::Same(inner) => inner,
            Form::Minus(rule, _) if exceptions => rule,
            _ => return Some(at),
        };
    }
    None
}

/// A way from one event to another, through pairs that are there and pairs that are not.
#[derive(Clone, Default, Debug)]
struct Path {
    cost: u64,
    /// The events after the first.
    nodes: Vec<usize>,
    missing: Vec<(usize, usize)>,
}

impl Path {
    fn then(&self, other: &Path) -> Path {
        Path {
            cost: self.cost + other.cost,
            nodes: self.nodes.iter().chain(&other.nodes).copied().collect(),
            missing: self.missing.iter().chain(&other.missing).copied().collect(),
        }
    }
}

/// More events than that are not looked at: the search is cubic, and nobody reads the answer.
const MOST: usize = 32;

/// The cheapest way from an event back to itself along the parts of a sequence, with at least one pair that is not there.
fn chain(
    surface: &Surface,
    root: At,
    plain: &mut Plain,
    events: &[usize],
    given: [&Rel; 2],
) -> Result<Option<Path>, EvalError> {
    let k = events.len();
    let parts = parts(surface, root);
    if k > MOST || !parts.iter().any(|part| orders_across(surface, *part)) {
        return Ok(None);
    }
    let costs = Costs::new(surface, root, plain)?;
    // From each event to each, after the parts so far.
    let mut so_far: Vec<Option<Path>> = vec![None; k * k];
    for i in 0..k {
        so_far[i * k + i] = Some(Path::default());
    }
    for part in parts {
        let steps = steps(&costs, part, events, given, orders_across(surface, part));
        let mut next: Vec<Option<Path>> = vec![None; k * k];
        for i in 0..k {
            for m in 0..k {
                let Some(first) = &so_far[i * k + m] else { continue };
                for j in 0..k {
                    let Some(second) = &steps[m * k + j] else { continue };
                    improve(&mut next[i * k + j], first, second);
                }
            }
        }
        so_far = next;
    }
    let closed = (0..k).filter_map(|i| so_far[i * k + i].clone()).filter(|path| !path.missing.is_empty());
    Ok(closed.min_by_key(|path| path.cost))
}

/// The ways from each event to each along one part: its pairs; where it is an order, also pairs given that it lacks, one after the other.
fn steps(costs: &Costs, part: At, events: &[usize], given: [&Rel; 2], orders: bool) -> Vec<Option<Path>> {
    let k = events.len();
    let there = |i: usize, j: usize| costs.get(part, events[i], events[j]);
    let transitive = (0..k).all(|i| {
        let after = (0..k).filter(|j| there(i, *j) != NEVER);
        after.clone().all(|j| (0..k).all(|l| there(j, l) == NEVER || there(i, l) != NEVER))
    });
    let mut steps: Vec<Option<Path>> = vec![None; k * k];
    for i in 0..k {
        for j in 0..k {
            let pair = (events[i], events[j]);
            let lacking = orders && transitive && given.iter().any(|rel| rel.contains(pair.0, pair.1));
            let stays = i == j && there(i, j) != NEVER;
            steps[i * k + j] = match there(i, j) {
                _ if stays => Some(Path::default()),
                NEVER if lacking => Some(Path { cost: MISSING, nodes: vec![pair.1], missing: vec![pair] }),
                NEVER => None,
                cost => Some(Path { cost: u64::from(cost) + 1, nodes: vec![pair.1], missing: Vec::new() }),
            };
        }
    }
    if orders && transitive {
        for m in 0..k {
            for i in 0..k {
                let Some(first) = steps[i * k + m].clone() else { continue };
                for j in 0..k {
                    let Some(second) = steps[m * k + j].clone() else { continue };
                    improve(&mut steps[i * k + j], &first, &second);
                }
            }
        }
    }
    steps
}

/// Takes a way in two parts, if it is cheaper.
fn improve(known: &mut Option<Path>, first: &Path, second: &Path) {
    if known.as_ref().is_none_or(|known| first.cost + second.cost < known.cost) {
        *known = Some(first.then(second));
    }
}

/// The parts of a sequence; anything else is its only part.
fn parts(surface: &Surface, root: At) -> Vec<At> {
    match inside(surface, root, false).map(|at| &surface.nodes[at].form) {
        Some(Form::Seq(parts)) => parts.clone(),
        _ => vec![root],
    }
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
