//! Tests on which a changed model cannot say anything else than the model itself, found out without a search: in every world each step that was
//! changed has the same value as before, whatever is chosen.
//!
//! Values are compared by their bounds. Where these do not meet, two expressions are alike if the same is done to operands that are alike, or if what one
//! of them has more is certain to be in the rest.

use rustc_hash::FxHashMap;

use super::Options;
use super::domains::narrow_world;
use super::drive::{Job, unfolded};
use super::goal::Goal;
use super::root::{Bounded, bounded, decide};
use crate::execution::{AtBound, View};
use crate::litmus::Lowered;
use crate::model::{Bounds, CheckKind, Expr, ExprId, Joined, Pair, Pool, Sort, Step, Test, TestKind, Val};
use crate::relation::Rel;

/// More worlds than these are not looked at: the test may have anything.
const WORLDS: usize = 200;

/// Which of the changes asked about may a test notice? All that it is not certain not to.
pub fn may_notice(test: &Lowered, joined: &Joined, asked: &[usize], options: &Options) -> Vec<usize> {
    let mut open = Vec::new();
    let mut left: Vec<(usize, &[Pair])> = Vec::new();
    for change in asked {
        match joined.changed.get(*change).and_then(Option::as_deref) {
            Some(pairs) => left.push((*change, pairs)),
            None => open.push(*change),
        }
    }
    let give_up = |mut open: Vec<usize>, left: Vec<(usize, &[Pair])>| {
        open.extend(left.iter().map(|(change, _)| *change));
        open.sort_unstable();
        open
    };
    let Ok(worlds) = unfolded(test, options) else { return give_up(open, left) };
    let registers = joined.model.needs_register_events();
    let job = Job { test, model: &joined.model, options, registers };
    for (number, mut world) in worlds.enumerate() {
        if left.is_empty() {
            break;
        }
        if number >= WORLDS || !world.errors.is_empty() {
            return give_up(open, left);
        }
        let dropped = !world.cuts.is_empty() && options.at_bound == AtBound::Drop;
        if dropped || !narrow_world(&mut world, &test.program) {
            continue;
        }
        left = in_world(joined, &job.view(&world), left, &mut open);
    }
    open.sort_unstable();
    open
}

/// Those of the changes that make no difference in a world; the others are added to `open`.
fn in_world<'c>(
    joined: &Joined,
    view: &View,
    left: Vec<(usize, &'c [Pair])>,
    open: &mut Vec<usize>,
) -> Vec<(usize, &'c [Pair])> {
    let goal = Goal::default();
    let bounds = match bounded(&joined.model, view, &goal) {
        Ok(Bounded::Bounds(bounds)) => *bounds,
        Ok(Bounded::NoExecution) => return left,
        Ok(Bounded::Unbounded) | Err(_) => {
            open.extend(left.iter().map(|(change, _)| *change));
            return Vec::new();
        }
    };
    let mut alike = Alike { joined, pool: &joined.model.pool, bounds, known: FxHashMap::default() };
    left.into_iter()
        .filter(|(change, pairs)| {
            let same = pairs.iter().all(|pair| alike.pair(pair));
            if !same {
                open.push(*change);
            }
            same
        })
        .collect()
}

/// Values in one world.
struct Alike<'b> {
    joined: &'b Joined,
    pool: &'b Pool,
    bounds: Bounds<'b>,
    known: FxHashMap<(ExprId, ExprId), bool>,
}

impl Alike<'_> {
    fn pair(&mut self, pair: &Pair) -> bool {
        match (&pair.own, &pair.changed) {
            (
                Some(Step::Check { kind, test, name, .. }),
                Some(Step::Check { kind: k, test: t, name: n, .. }),
            ) => kind == k && name == n && self.tests(test, t),
            (Some(Step::With { from, .. }), Some(Step::With { from: f, .. })) => self.equal(*from, *f),
            // A check that is not there says nothing.
            (Some(Step::Check { kind, test, .. }), None) => {
                self.decided(test) == Some(*kind != CheckKind::Flag)
            }
            _ => false,
        }
    }

    /// What a test says in this world whatever is chosen.
    fn decided(&mut self, test: &Test) -> Option<bool> {
        let test = test.normalised(self.pool);
        let shape = self.bounds.shape();
        decide(&test, shape, self.bounds.eval_rows(test.expr).ok()?)
    }

    fn tests(&mut self, own: &Test, changed: &Test) -> bool {
        let (own, changed) = (own.normalised(self.pool), changed.normalised(self.pool));
        if (own.kind, own.negated) != (changed.kind, changed.negated) {
            return false;
        }
        if self.equal(own.expr, changed.expr) {
            return true;
        }
        let decided = self.decided(&own);
        decided.is_some() && decided == self.decided(&changed)
            || own.kind == TestKind::Acyclic && self.cycles(own.expr, changed.expr)
    }

    /// Is one relation acyclic whenever the other is? Pairs that lie on no cycle of both together do not matter, nor do those that follow from what they have
    /// in common.
    fn cycles(&mut self, own: ExprId, changed: ExprId) -> bool {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        self.members(own, &mut one);
        self.members(changed, &mut other);
        let common: Vec<ExprId> = one.iter().copied().filter(|member| other.contains(member)).collect();
        one.retain(|member| !common.contains(member));
        other.retain(|member| !common.contains(member));
        let n = self.bounds.n_events();
        let (mut certain, mut all) = (Rel::empty(n), Rel::empty(n));
        for member in &common {
            let Some((must, may)) = self.rels(*member) else { return false };
            certain.union_with(&must);
            all.union_with(&may);
        }
        for member in one.iter().chain(&other) {
            let Some((_, may)) = self.rels(*member) else { return false };
            all.union_with(&may);
        }
        let round = all.plus();
        let round = round.inter(&round.inverse());
        let certain = certain.plus();
        let mut matters = |members: &[ExprId]| -> Option<Rel> {
            let mut sum = Rel::empty(n);
            for member in members {
                let (must, may) = self.rels(*member)?;
                let [must, may] = [must, may].map(|rel| rel.inter(&round).diff(&certain));
                if must != may {
                    return None;
                }
                sum.union_with(&may);
            }
            Some(sum)
        };
        match (matters(&one), matters(&other)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }

    /// The members of a union; what a closure is of stands for the closure, as far as cycles go.
    fn members(&self, id: ExprId, found: &mut Vec<ExprId>) {
        match self.pool.expr(id) {
            Expr::Union(parts) => parts.iter().for_each(|part| self.members(*part, found)),
            Expr::Plus(inner) => self.members(*inner, found),
            _ if found.contains(&id) => {}
            _ => found.push(id),
        }
    }

    /// The bounds of a relation.
    fn rels(&mut self, id: ExprId) -> Option<(Rel, Rel)> {
        if self.pool.sort(id) != Sort::Rel || self.pool.mentions_fix_var(id) {
            return None;
        }
        let n = self.bounds.n_events();
        let rows = self.bounds.eval_rows(id).ok()?;
        Some((Rel::from_words(n, rows.must), Rel::from_words(n, rows.may)))
    }

    /// Are two expressions certain to have the same value?
    fn equal(&mut self, one: ExprId, other: ExprId) -> bool {
        if one == other {
            return true;
        }
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let answer = self.by_operands(one, other) || self.by_value(one, other);
        self.known.insert(key, answer);
        answer
    }

    fn all_equal(&mut self, ones: &[ExprId], others: &[ExprId]) -> bool {
        ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| self.equal(*one, *other))
    }

    /// Is the same done to operands that are alike?
    fn by_operands(&mut self, one: ExprId, other: ExprId) -> bool {
        use Expr::*;
        let (a, b) = (self.pool.expr(one), self.pool.expr(other));
        match (a, b) {
            (Inter(x, y), Inter(u, v)) => {
                self.all_equal(&[*x, *y], &[*u, *v]) || self.all_equal(&[*x, *y], &[*v, *u])
            }
            (Union(_), _) | (_, Union(_)) => self.unions(one, other),
            (Interp(i, _), Interp(j, _)) => {
                let (pool, joined) = (self.pool, self.joined);
                joined.work_alike(*i, *j) && self.all_equal(&pool.interp(*i).inputs, &pool.interp(*j).inputs)
            }
            (ByValues(s, x), ByValues(t, y)) => s == t && self.equal(*x, *y),
            (Seq(x), Seq(y)) => self.all_equal(x, y) || self.sequences(x, y),
            (Seq(x), _) => self.sequences(x, &[other]),
            (_, Seq(y)) => self.sequences(&[one], y),
            (Inter(x, y), _) => self.restricted(*x, *y, other),
            (_, Inter(x, y)) => self.restricted(*x, *y, one),
            (Diff(x, y), Diff(u, v)) if self.all_equal(&[*x, *y], &[*u, *v]) => true,
            (Diff(x, y), _) if self.are_apart(*x, *y) => self.equal(*x, other),
            (_, Diff(x, y)) if self.are_apart(*x, *y) => self.equal(one, *x),
            _ => {
                std::mem::discriminant(a) == std::mem::discriminant(b) && a.operands().next().is_some() && {
                    let (a, b): (Vec<_>, Vec<_>) = (a.operands().collect(), b.operands().collect());
                    self.all_equal(&a, &b)
                }
            }
        }
    }

    /// `x & y`, where one of them takes nothing away, against something else.
    fn restricted(&mut self, x: ExprId, y: ExprId, other: ExprId) -> bool {
        self.is_within(x, y) && self.equal(x, other) || self.is_within(y, x) && self.equal(y, other)
    }

    /// What only one union has must be certain to be in what both have.
    fn unions(&mut self, one: ExprId, other: ExprId) -> bool {
        let members = |id: ExprId| match self.pool.expr(id) {
            Expr::Union(parts) => parts.clone(),
            _ => vec![id],
        };
        let (ones, others) = (members(one), members(other));
        let mut common = Vec::new();
        let mut alone: Vec<ExprId> = Vec::new();
        let mut matched = vec![false; others.len()];
        for one in &ones {
            let partner = (0..others.len()).find(|at| *one == others[*at]);
            let partner = partner.or_else(|| {
                // Only what the other has not: its own members are most often unchanged.
                (0..others.len()).find(|at| !ones.contains(&others[*at]) && self.equal(*one, others[*at]))
            });
            match partner {
                Some(at) => {
                    matched[at] = true;
                    common.push(*one);
                }
                None => alone.push(*one),
            }
        }
        alone.extend(others.iter().zip(matched).filter(|(_, matched)| !matched).map(|(other, _)| *other));
        if alone.is_empty() {
            return true;
        }
        let n = self.bounds.n_events();
        match self.pool.sort(one) {
            Sort::Rel => {
                let mut certain = Rel::empty(n);
                for member in common {
                    let Some((must, _)) = self.rels(member) else { return false };
                    certain.union_with(&must);
                }
                alone
                    .into_iter()
                    .all(|member| self.rels(member).is_some_and(|(_, may)| may.is_subset(&certain)))
            }
            // Sets are exact nearly always.
            _ => false,
        }
    }

    /// Sequences, with runs of what is known put together and restrictions left out that restrict nothing.
    fn sequences(&mut self, ones: &[ExprId], others: &[ExprId]) -> bool {
        let (Some(ones), Some(others)) = (self.links(ones), self.links(others)) else { return false };
        ones.len() == others.len()
            && ones.iter().zip(&others).all(|(one, other)| match (one, other) {
                (Link::Known(one), Link::Known(other)) => one == other,
                (Link::Open(one), Link::Open(other)) => self.equal(*one, *other),
                _ => false,
            })
    }

    fn links(&mut self, parts: &[ExprId]) -> Option<Vec<Link>> {
        let mut links: Vec<Link> = Vec::new();
        for part in parts {
            let (must, may) = self.rels(*part)?;
            match (links.last_mut(), must == may) {
                (Some(Link::Known(before)), true) => *before = before.seq(&may),
                (_, true) => links.push(Link::Known(may)),
                (_, false) => links.push(Link::Open(*part)),
            }
        }
        let n = self.bounds.n_events();
        let identity = Rel::identity(n);
        let mut at = 0;
        while at < links.len() {
            let idle = match &links[at] {
                Link::Known(rel) if rel.is_subset(&identity) => {
                    let within = rel.domain();
                    let before = at.checked_sub(1).and_then(|at| links.get(at));
                    let range = before.and_then(|link| self.reach(link)).map(|rel| rel.range());
                    let domain = links.get(at + 1).and_then(|link| self.reach(link)).map(|rel| rel.domain());
                    [range, domain].into_iter().flatten().any(|set| set.is_subset(&within))
                }
                _ => false,
            };
            if idle {
                links.remove(at);
            } else {
                at += 1;
            }
        }
        Some(links)
    }

    fn reach(&mut self, link: &Link) -> Option<Rel> {
        match link {
            Link::Known(rel) => Some(rel.clone()),
            Link::Open(id) => Some(self.rels(*id)?.1),
        }
    }

    /// Do their bounds meet, and are they the same?
    fn by_value(&mut self, one: ExprId, other: ExprId) -> bool {
        if [one, other].iter().any(|id| self.pool.mentions_fix_var(*id) || self.pool.sort(*id) == Sort::Other)
        {
            return false;
        }
        match (self.bounds.eval_exact(one), self.bounds.eval_exact(other)) {
            (Ok(Some(Val::Set(one))), Ok(Some(Val::Set(other)))) => one == other,
            (Ok(Some(Val::Rel(one))), Ok(Some(Val::Rel(other)))) => one == other,
            _ => false,
        }
    }

    /// Is all that the first can have certain to be in the second?
    fn is_within(&mut self, one: ExprId, other: ExprId) -> bool {
        match (self.rels(one), self.rels(other)) {
            (Some((_, may)), Some((must, _))) => may.is_subset(&must),
            _ => false,
        }
    }

    /// Can two relations have no pair in common?
    fn are_apart(&mut self, one: ExprId, other: ExprId) -> bool {
        match (self.rels(one), self.rels(other)) {
            (Some((_, one)), Some((_, other))) => one.inter(&other).is_empty(),
            _ => false,
        }
    }
}

/// A part of a sequence.
enum Link {
    Known(Rel),
    Open(ExprId),
}
