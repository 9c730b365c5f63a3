//! Is an explanation right? Judged without the costs that found it.
//!
//! The relation of the check is evaluated again from its text, where every leaf holds only the base edges that the explanation names. The
//! check must still fail, so that the edges are enough; and it must hold as soon as any one of them is taken away, so
//! that none can be left out. Each edge must be a pair of its base relation, and the edges must join up.

use rustc_hash::FxHashMap;

use super::cost::postorder;
use super::derive::{Derivation, Step};
use super::refute::{Offence, Reason};
use super::surface::{At, Form, Surface};
use crate::execution::View;
use crate::explore::Candidate;
use crate::model::{Base, Expr, ExprId, Model, Plain, Step as ModelStep, Test, TestKind, Universe, Val};
use crate::relation::Rel;

/// What is wrong with a reason; nothing, if it is right.
pub fn faults(surface: &mut Surface, view: &View, candidate: &Candidate, reason: &Reason) -> Vec<String> {
    let model = surface.model;
    let mut plain = candidate.evaluation(model, view);
    reason.bind(model, &mut plain);
    let ModelStep::Check { test, span, .. } = &model.steps[reason.step] else { return Vec::new() };
    match plain.holds(test) {
        Ok(false) => {}
        Ok(true) => return vec!["the check holds".to_string()],
        Err(_) => return Vec::new(),
    }
    let derivation = match &reason.offence {
        Offence::Cycle(derivation) | Offence::Pair(_, _, derivation) => derivation,
        _ => return Vec::new(),
    };
    let mut faults = joined(derivation, &reason.offence);
    for step in &derivation.steps {
        let (a, b) = step.pair();
        if !base(surface, view, candidate, &mut plain, step).is_some_and(|rel| rel.contains(a, b)) {
            faults.push(format!("({a}, {b}) is not in {:?}", surface.nodes[step.node]));
        }
    }
    let root = surface.node(Some(*span), test.expr);
    let root = if test.kind == TestKind::Acyclic { surface.closure(root) } else { root };
    let edges = edges(derivation, surface);
    if !fails(surface, root, &mut plain, &edges, test) {
        faults.push("the edges named do not make the check fail".to_string());
    }
    for edge in &edges {
        let others: Vec<Used> = edges.iter().filter(|other| *other != edge).copied().collect();
        if fails(surface, root, &mut plain, &others, test) {
            faults.push(format!("the edge {edge:?} can be left out"));
        }
    }
    faults
}

/// A base edge: the leaf's node of the pool, or the place in the text where nothing is known but the value; and the pair.
type Used = ((Option<ExprId>, At), (usize, usize));

fn edges(derivation: &Derivation, surface: &Surface) -> Vec<Used> {
    let mut edges: Vec<Used> =
        derivation.steps.iter().map(|step| (leaf(surface, step.node), step.pair())).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn leaf(surface: &Surface, at: At) -> (Option<ExprId>, At) {
    match surface.nodes[at].form {
        Form::Leaf(_) => (Some(surface.nodes[at].id), 0),
        _ => (None, at),
    }
}

/// Do the edges of each strand go on from where the last one ended, and come back to the start in a cycle?
fn joined(derivation: &Derivation, offence: &Offence) -> Vec<String> {
    let main: Vec<&Step> = derivation.steps.iter().filter(|step| step.strand == 0).collect();
    let gap = main.windows(2).find(|pair| pair[0].to != pair[1].from);
    let mut faults: Vec<String> =
        gap.map(|pair| format!("a gap between {:?} and {:?}", pair[0], pair[1])).into_iter().collect();
    if let (Offence::Cycle(_), Some(first), Some(last)) = (offence, main.first(), main.last())
        && first.from != last.to
    {
        faults.push(format!("the cycle starts at {} and ends at {}", first.from, last.to));
    }
    if let (Offence::Pair(a, b, _), Some(first), Some(last)) = (offence, main.first(), main.last())
        && (first.from, last.to) != (*a, *b)
    {
        faults
            .push(format!("the chain from {} to {} is not one of the pair ({a}, {b})", first.from, last.to));
    }
    faults
}

/// A base relation, from the world and the candidate where it is theirs.
fn base(
    surface: &Surface,
    view: &View,
    candidate: &Candidate,
    plain: &mut Plain,
    step: &Step,
) -> Option<Rel> {
    let node = &surface.nodes[step.node];
    let n = view.names.n;
    match surface.model.pool.expr(node.id) {
        Expr::Base(Base::Rf, _) => Some(candidate.rf(view.world, n)),
        Expr::Base(name, _) => match view.base(name) {
            Some(Val::Rel(rel)) => Some(rel),
            _ => None,
        },
        _ if node.name.as_deref() == Some("fr") => {
            // A model may add to what a read takes its value from (the kernel's locks), and define its own coherence.
            let mut rf = candidate.rf(view.world, n);
            let mut co = Rel::empty(n);
            if let Some(chosen) = coherence(surface.model).and_then(|node| plain.rel_of(node).ok()) {
                co.union_with(&chosen);
            }
            for definition in &surface.model.definitions {
                let whole = match definition.name.as_str() {
                    "rf" => &mut rf,
                    "co" => &mut co,
                    _ => continue,
                };
                if let Ok(rel) = plain.rel_of(definition.expr) {
                    whole.union_with(&rel);
                }
            }
            Some(rf.inverse().seq(&co))
        }
        _ => plain.rel_of(node.id).ok(),
    }
}

fn coherence(model: &Model) -> Option<ExprId> {
    use crate::model::Sort;
    let chosen = model.steps.iter().rev().find_map(|step| match step {
        ModelStep::With { choice, name, .. } if name == "co" => {
            model.pool.find(&Expr::Choice(*choice, Sort::Rel))
        }
        _ => None,
    });
    chosen.or_else(|| model.definitions.iter().rev().find(|d| d.name == "co").map(|d| d.expr))
}

/// Does the check fail if its leaves hold these edges only?
fn fails(surface: &Surface, root: At, plain: &mut Plain, edges: &[Used], test: &Test) -> bool {
    let value = restricted(surface, root, plain, edges);
    match test.kind {
        TestKind::Acyclic | TestKind::Irreflexive => !value.is_irreflexive(),
        TestKind::Empty => !value.is_empty(),
    }
}

/// The value of a node if its leaves hold these edges only. What merely restricts (sets, what is subtracted, filters) keeps its value.
fn restricted(surface: &Surface, root: At, plain: &mut Plain, edges: &[Used]) -> Rel {
    let n = plain.n_events();
    let order = postorder(surface, root);
    let mut kept: FxHashMap<(Option<ExprId>, At), Rel> = FxHashMap::default();
    for (of, (a, b)) in edges {
        kept.entry(*of).or_insert_with(|| Rel::empty(n)).insert(*a, *b);
    }
    let mut values: Vec<Rel> = vec![Rel::empty(n); surface.nodes.len()];
    loop {
        let mut changed = false;
        for at in &order {
            let value = one(surface, *at, plain, &kept, &values);
            if value != values[*at] {
                values[*at] = value;
                changed = true;
            }
        }
        if !changed {
            return values[root].clone();
        }
    }
}

fn one(
    surface: &Surface,
    at: At,
    plain: &mut Plain,
    kept: &FxHashMap<(Option<ExprId>, At), Rel>,
    values: &[Rel],
) -> Rel {
    let node = &surface.nodes[at];
    let n = plain.n_events();
    let full =
        |plain: &mut Plain, at: At| plain.rel_of(surface.nodes[at].id).unwrap_or_else(|_| Rel::empty(n));
    let stay = |plain: &mut Plain| full(plain, at).inter(&Rel::identity(n));
    let mut value = match &node.form {
        Form::Leaf(_) => {
            let own = kept.get(&(Some(node.id), 0)).cloned().unwrap_or_else(|| Rel::empty(n));
            match surface.model.pool.is_static(node.id) {
                true => own.union(&stay(plain)),
                false => own,
            }
        }
        Form::Same(inner) | Form::Rec(inner) => values[*inner].clone(),
        Form::Union(parts) => parts.iter().fold(Rel::empty(n), |all, part| all.union(&values[*part])),
        Form::Seq(parts) => {
            parts[1..].iter().fold(values[parts[0]].clone(), |all, part| all.seq(&values[*part]))
        }
        Form::Both(main, filters) => {
            let both = main[1..].iter().fold(values[main[0]].clone(), |all, part| all.inter(&values[*part]));
            filters.iter().fold(both, |all, filter| all.inter(&full(plain, *filter)))
        }
        Form::Minus(main, other) => values[*main].diff(&full(plain, *other)),
        Form::Inverse(inner) => values[*inner].inverse(),
        Form::Opt(inner) => values[*inner].union(&stay(plain)),
        Form::Plus(inner) => values[*inner].plus(),
        Form::Star(inner) => values[*inner].plus().union(&stay(plain)),
        Form::Stay(_) => stay(plain),
    };
    if let Some(own) = kept.get(&(None, at)) {
        value.union_with(own);
    }
    value
}
