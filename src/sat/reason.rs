//! Why a check fails: from the pair or cycle that it found back to the facts that put it there.
//!
//! A union needs one of its operands, a sequence what is in the middle, a closure its path, an intersection both, a difference
//! the one and not the other. Facts are sources, pairs of coherence, and nodes that are executed; where more than that is needed (a dependency
//! goes through registers), a set of paths. What cannot be told in such facts (a pair that is in no composition, whatever else there is) makes the
//! whole proposal the reason.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::forms::stays_inside;
use super::graph::NodeId;
use super::proposal::Reason;
use crate::model::{
    Base, ChoiceId, Choices, EvalError, Expr, ExprId, FixId, Model, OrderBase, Plain, Sort, Test, TestKind,
    Val,
};
use crate::relation::{Rel, Set};

/// So many reasons are learnt from one failed check.
pub const REASONS: usize = 6;

/// More steps than this in one derivation: the whole proposal it is.
const STEPS: usize = 20_000;

/// What stands behind the pairs of a proposal.
pub trait Ground {
    fn model(&self) -> &Model;
    /// The choice of the model that is coherence.
    fn co(&self) -> Option<ChoiceId>;
    /// The node of an event.
    fn node(&self, event: usize) -> NodeId;
    /// Its thread; an initial write has none.
    fn thread(&self, event: usize) -> Option<usize>;
    /// The place that it writes, if it does.
    fn written(&self, event: usize) -> Option<usize>;
    /// The node that a node reads from.
    fn source(&self, read: NodeId) -> Option<NodeId>;
    /// A relation of the program between events that are there, or that it does not hold: what it takes besides.
    fn base(&self, base: &Base, a: usize, b: usize, holds: bool, reason: &mut Reason);
    /// A thread takes the very path that it takes.
    fn path_of(&self, thread: usize, reason: &mut Reason);
    /// How many threads there are.
    fn n_threads(&self) -> usize;
    /// Everything that the proposal says.
    fn whole(&self) -> Reason;
}

/// The whole proposal is the reason.
struct Whole;

impl From<EvalError> for Whole {
    fn from(_: EvalError) -> Whole {
        Whole
    }
}

type Walk = Result<(), Whole>;

/// The values of a recursive group, round by round; `None` where that is no help.
type Rounds = Option<Arc<Vec<Vec<Arc<Val>>>>>;

/// Why a test of the model fails.
pub fn reasons(
    ground: &dyn Ground,
    settled: &[ChoiceId],
    test: &Test,
    plain: &mut Plain,
    most: usize,
) -> Vec<Reason> {
    let found = derived(ground, settled, test, plain, most);
    if found.is_empty() { vec![ground.whole()] } else { found }
}

/// Likewise, as far as a few facts say it.
pub fn derived(
    ground: &dyn Ground,
    settled: &[ChoiceId],
    test: &Test,
    plain: &mut Plain,
    most: usize,
) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    for offence in offences(test, plain, 8 * most) {
        let mut walker = Walker::new(ground, settled, plain);
        let walked = match &offence {
            Offence::Path(inner, path) => {
                path.windows(2).try_for_each(|pair| walker.rel(*inner, pair[0], pair[1]))
            }
            Offence::Pair(a, b) => walker.rel(test.expr, *a, *b),
            Offence::Event(e) => walker.set(test.expr, *e),
        };
        if walked.is_ok() {
            found.push(walker.finish());
        }
        if found.len() == most {
            break;
        }
    }
    found
}

/// Why an order is none of those that a model lets itself choose from: it goes against what each of them must contain.
pub fn against(
    ground: &dyn Ground,
    settled: &[ChoiceId],
    from: ExprId,
    choices: &Choices,
    co: &Rel,
    plain: &mut Plain,
) -> Vec<Reason> {
    let Choices::Orders(orders) = choices else { return Vec::new() };
    // What the choices are made of: relations that go into the function that makes them.
    let pool = &ground.model().pool;
    let (mut open, mut inputs) = (vec![from], Vec::new());
    while let Some(id) = open.pop() {
        match pool.expr(id) {
            Expr::Interp(interp, _) => open.extend(&pool.interp(*interp).inputs),
            _ if pool.sort(id) == Sort::Rel => inputs.push(id),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for order in orders {
        let OrderBase::Rel(base) = &order.base else { continue };
        let closed = base.plus();
        let pairs = order.over.iter().flat_map(|a| order.over.iter().map(move |b| (a, b)));
        for (a, b) in pairs.filter(|(a, b)| a != b && closed.contains(*a, *b) && co.contains(*b, *a)) {
            let Some(way) = shortest(base, a, b) else { continue };
            let mut walker = Walker::new(ground, settled, plain);
            walker.coherent(b, a);
            let walked = way.windows(2).try_for_each(|pair| {
                for input in &inputs {
                    if walker.has(*input, pair[0], pair[1])? {
                        return walker.rel(*input, pair[0], pair[1]);
                    }
                }
                Err(Whole)
            });
            if walked.is_ok() {
                found.push(walker.finish());
            }
            if found.len() == REASONS {
                return found;
            }
        }
    }
    found
}

/// What a failed test found.
enum Offence {
    /// A cycle of that relation.
    Path(ExprId, Vec<usize>),
    Pair(usize, usize),
    Event(usize),
}

/// `starts`: so many events are tried as the start of a cycle.
fn offences(test: &Test, plain: &mut Plain, starts: usize) -> Vec<Offence> {
    if test.negated {
        return Vec::new();
    }
    let Ok(value) = plain.eval(test.expr) else { return Vec::new() };
    match (&*value, test.kind) {
        (Val::Rel(rel), TestKind::Acyclic) => {
            let mut cycles: Vec<Vec<usize>> = Vec::new();
            let closed = rel.plus();
            let inside: Vec<usize> = (0..rel.n()).filter(|e| closed.contains(*e, *e)).collect();
            for start in inside.iter().step_by(inside.len().div_ceil(starts).max(1)).copied() {
                let Some(cycle) = shortest(rel, start, start) else { continue };
                let mut members = cycle[1..].to_vec();
                members.sort_unstable();
                let is_known = |known: &Vec<usize>| {
                    let mut other = known[1..].to_vec();
                    other.sort_unstable();
                    other == members
                };
                if !cycles.iter().any(is_known) {
                    cycles.push(cycle);
                }
            }
            cycles.sort_by_key(Vec::len);
            cycles.into_iter().map(|cycle| Offence::Path(test.expr, cycle)).collect()
        }
        (Val::Rel(rel), TestKind::Irreflexive) => {
            (0..rel.n()).filter(|e| rel.contains(*e, *e)).map(|e| Offence::Pair(e, e)).collect()
        }
        (Val::Rel(rel), TestKind::Empty) => rel.iter().map(|(a, b)| Offence::Pair(a, b)).collect(),
        (Val::Set(set), TestKind::Empty) => set.iter().map(Offence::Event).collect(),
        _ => Vec::new(),
    }
}

/// The shortest way of at least one step.
fn shortest(rel: &Rel, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut came: Vec<usize> = vec![usize::MAX; rel.n()];
    let mut left: Vec<u64> = vec![u64::MAX; rel.words()];
    left[from / 64] &= !(1 << (from % 64));
    let mut line = vec![from];
    let mut at = 0;
    while let Some(here) = line.get(at).copied() {
        at += 1;
        if rel.contains(here, to) {
            let mut way = vec![to, here];
            while way[way.len() - 1] != from {
                way.push(came[way[way.len() - 1]]);
            }
            way.reverse();
            return Some(way);
        }
        for (word, (row, left)) in rel.row(here).iter().zip(&mut left).enumerate() {
            let mut new = row & *left;
            *left &= !new;
            while new != 0 {
                let next = 64 * word + new.trailing_zeros() as usize;
                new &= new - 1;
                came[next] = here;
                line.push(next);
            }
        }
    }
    None
}

struct Walker<'w, 'p> {
    ground: &'w dyn Ground,
    /// Choices that the paths settle.
    settled: &'w [ChoiceId],
    plain: &'w mut Plain<'p>,
    reason: Reason,
    rounds: FxHashMap<FixId, Rounds>,
    steps: usize,
}

impl<'w, 'p> Walker<'w, 'p> {
    fn new(ground: &'w dyn Ground, settled: &'w [ChoiceId], plain: &'w mut Plain<'p>) -> Walker<'w, 'p> {
        let (reason, rounds) = (Reason::default(), FxHashMap::default());
        Walker { ground, settled, plain, reason, rounds, steps: 0 }
    }

    /// The facts, each once.
    fn finish(self) -> Reason {
        let mut reason = self.reason;
        reason.executed.sort_unstable();
        reason.executed.dedup();
        reason.rf.sort_unstable();
        reason.rf.dedup();
        reason.co.sort_unstable();
        reason.co.dedup();
        reason
    }

    fn step(&mut self) -> Walk {
        self.steps += 1;
        if self.steps > STEPS { Err(Whole) } else { Ok(()) }
    }

    fn has(&mut self, id: ExprId, a: usize, b: usize) -> Result<bool, Whole> {
        match &*self.plain.eval(id)? {
            Val::Rel(rel) => Ok(rel.contains(a, b)),
            _ => Err(Whole),
        }
    }

    fn holds(&mut self, id: ExprId, event: usize) -> Result<bool, Whole> {
        match &*self.plain.eval(id)? {
            Val::Set(set) => Ok(set.contains(event)),
            _ => Err(Whole),
        }
    }

    fn relation(&mut self, id: ExprId) -> Result<Rel, Whole> {
        Ok(self.plain.rel_of(id)?)
    }

    /// The event is there.
    fn there(&mut self, event: usize) {
        if self.thread(event).is_some() {
            self.reason.executed.push(self.ground.node(event));
        }
    }

    fn thread(&self, event: usize) -> Option<usize> {
        self.ground.thread(event)
    }

    /// The thread takes the very path that it takes.
    fn path_of(&mut self, thread: usize) {
        self.ground.path_of(thread, &mut self.reason);
    }

    /// The world is the very world that it is.
    fn whole_world(&mut self) {
        (0..self.ground.n_threads()).for_each(|thread| self.path_of(thread));
    }

    /// The pair is in the relation.
    fn rel(&mut self, id: ExprId, a: usize, b: usize) -> Walk {
        self.step()?;
        let ground = self.ground;
        let model = ground.model();
        match model.pool.expr(id) {
            Expr::Base(Base::Rf, _) => {
                let (write, read) = (ground.node(a), ground.node(b));
                self.reason.rf.push((write, read));
            }
            Expr::Base(base, _) => self.base(base, a, b, true),
            Expr::Choice(choice, _) if Some(*choice) == ground.co() => self.coherent(a, b),
            Expr::Choice(choice, _) if self.settled.contains(choice) => self.whole_world(),
            Expr::Choice(..) | Expr::ByValues(..) | Expr::Empty(_) => return Err(Whole),
            Expr::Interp(..) if model.pool.is_static(id) => self.whole_world(),
            Expr::Interp(..) => return Err(Whole),
            Expr::Universe(_) | Expr::Id => {
                self.there(a);
                self.there(b);
            }
            Expr::Union(parts) => {
                let mut best = None;
                for part in parts {
                    if self.has(*part, a, b)? {
                        let is_static = model.pool.is_static(*part);
                        if is_static || best.is_none() {
                            best = Some(*part);
                        }
                        if is_static {
                            break;
                        }
                    }
                }
                return self.rel(best.ok_or(Whole)?, a, b);
            }
            Expr::Inter(first, second) => {
                self.rel(*first, a, b)?;
                return self.rel(*second, a, b);
            }
            Expr::Diff(first, second) => {
                self.rel(*first, a, b)?;
                return self.not_rel(*second, a, b);
            }
            Expr::Compl(inner) => {
                self.there(a);
                self.there(b);
                return self.not_rel(*inner, a, b);
            }
            Expr::Seq(parts) => return self.sequence(parts, a, b),
            Expr::Inverse(inner) => return self.rel(*inner, b, a),
            Expr::Product(first, second) => {
                self.set(*first, a)?;
                return self.set(*second, b);
            }
            Expr::ToId(set) => return self.set(*set, a),
            Expr::Opt(_) | Expr::Star(_) if a == b => self.there(a),
            Expr::Opt(inner) => return self.rel(*inner, a, b),
            Expr::Plus(inner) | Expr::Star(inner) => {
                let rel = self.relation(*inner)?;
                let way = shortest(&rel, a, b).ok_or(Whole)?;
                for pair in way.windows(2) {
                    self.rel(*inner, pair[0], pair[1])?;
                }
            }
            Expr::Fix(fix, index, _) | Expr::FixVar(fix, index, _) => {
                let contains = |value: &Val| matches!(value, Val::Rel(rel) if rel.contains(a, b));
                let step = self.first_round(*fix, *index, &contains)?;
                return self.in_round(*fix, *index, step, &mut |walker, body| walker.rel(body, a, b));
            }
            Expr::Domain(_) | Expr::Range(_) => return Err(Whole),
        }
        Ok(())
    }

    fn sequence(&mut self, parts: &[ExprId], a: usize, b: usize) -> Walk {
        // What can be reached from the start by the first parts.
        let n = self.plain.n_events();
        let mut reached = vec![Set::of(n, [a])];
        let mut relations = Vec::with_capacity(parts.len());
        for part in parts {
            let rel = self.relation(*part)?;
            let mut next = Set::empty(n);
            for from in reached[reached.len() - 1].iter() {
                rel.successors(from).for_each(|to| next.insert(to));
            }
            reached.push(next);
            relations.push(rel);
        }
        let mut here = b;
        for (at, part) in parts.iter().enumerate().rev() {
            // Staying where it is costs nothing.
            let stays = reached[at].contains(here) && relations[at].contains(here, here);
            let before = match stays {
                true => Some(here),
                false => reached[at].iter().find(|from| relations[at].contains(*from, here)),
            };
            let before = before.ok_or(Whole)?;
            self.rel(*part, before, here)?;
            here = before;
        }
        Ok(())
    }

    fn coherent(&mut self, a: usize, b: usize) {
        self.there(a);
        self.there(b);
        if self.thread(a).is_some() {
            self.reason.co.push((self.ground.node(a), self.ground.node(b)));
        }
    }

    /// A relation of the program, or that it does not hold.
    fn base(&mut self, base: &Base, a: usize, b: usize, holds: bool) {
        self.there(a);
        self.there(b);
        self.ground.base(base, a, b, holds, &mut self.reason);
    }

    /// The pair is not in the relation.
    fn not_rel(&mut self, id: ExprId, a: usize, b: usize) -> Walk {
        self.step()?;
        let ground = self.ground;
        let model = ground.model();
        match model.pool.expr(id) {
            Expr::Base(Base::Rf, _) => {
                let node = ground.node(b);
                self.there(a);
                match ground.source(node) {
                    // It reads from another.
                    Some(write) => self.reason.rf.push((write, node)),
                    None => self.there(b),
                }
            }
            Expr::Base(base, _) => self.base(base, a, b, false),
            Expr::Choice(choice, _) if Some(*choice) == ground.co() => {
                let places = [a, b].map(|event| ground.written(event));
                if a != b && places[0].is_some() && places[0] == places[1] {
                    self.coherent(b, a);
                } else {
                    self.there(a);
                    self.there(b);
                }
            }
            Expr::Choice(choice, _) if self.settled.contains(choice) => self.whole_world(),
            Expr::Empty(_) => {
                self.there(a);
                self.there(b);
            }
            Expr::Union(parts) => {
                for part in parts {
                    self.not_rel(*part, a, b)?;
                }
            }
            Expr::Inter(first, second) => {
                let (first, second) = (*first, *second);
                let misses = [!self.has(first, a, b)?, !self.has(second, a, b)?];
                let part = match misses {
                    [true, true] if model.pool.is_static(second) => second,
                    [true, _] => first,
                    _ => second,
                };
                return self.not_rel(part, a, b);
            }
            Expr::Diff(first, second) => {
                return match self.has(*first, a, b)? {
                    false => self.not_rel(*first, a, b),
                    true => self.rel(*second, a, b),
                };
            }
            Expr::Compl(inner) => return self.rel(*inner, a, b),
            Expr::Inverse(inner) => return self.not_rel(*inner, b, a),
            Expr::Product(first, second) => {
                return match self.holds(*first, a)? {
                    false => self.not_set(*first, a),
                    true => self.not_set(*second, b),
                };
            }
            Expr::ToId(set) if a == b => return self.not_set(*set, a),
            Expr::Id | Expr::ToId(_) => {
                self.there(a);
                self.there(b);
            }
            Expr::Opt(inner) => return self.not_rel(*inner, a, b),
            Expr::Seq(_) | Expr::Plus(_) | Expr::Star(_) | Expr::Fix(..) | Expr::Interp(..)
                if model.pool.is_static(id) =>
            {
                return self.not_static(id, a, b);
            }
            _ => return Err(Whole),
        }
        Ok(())
    }

    /// A static relation of which the pair is not: the paths decide, of one thread where it cannot leave it.
    fn not_static(&mut self, id: ExprId, a: usize, b: usize) -> Walk {
        self.there(a);
        self.there(b);
        match self.thread(a).filter(|thread| self.thread(b) == Some(*thread)) {
            Some(thread) if stays_inside(self.ground.model(), id) => self.path_of(thread),
            _ => self.whole_world(),
        }
        Ok(())
    }

    /// The event is in the set.
    fn set(&mut self, id: ExprId, event: usize) -> Walk {
        self.step()?;
        let ground = self.ground;
        let model = ground.model();
        self.there(event);
        match model.pool.expr(id) {
            Expr::Base(Base::Fw, _) => return Err(Whole),
            Expr::Base(..) | Expr::Universe(_) => {}
            Expr::Union(parts) => {
                for part in parts {
                    if self.holds(*part, event)? {
                        return self.set(*part, event);
                    }
                }
                return Err(Whole);
            }
            Expr::Inter(first, second) => {
                self.set(*first, event)?;
                return self.set(*second, event);
            }
            Expr::Diff(first, second) => {
                self.set(*first, event)?;
                return self.not_set(*second, event);
            }
            Expr::Compl(inner) => return self.not_set(*inner, event),
            Expr::Domain(inner) => {
                let to = self.relation(*inner)?.successors(event).next().ok_or(Whole)?;
                return self.rel(*inner, event, to);
            }
            Expr::Range(inner) => {
                let rel = self.relation(*inner)?;
                let from = (0..rel.n()).find(|from| rel.contains(*from, event)).ok_or(Whole)?;
                return self.rel(*inner, from, event);
            }
            Expr::Fix(fix, index, _) | Expr::FixVar(fix, index, _) => {
                let contains = |value: &Val| matches!(value, Val::Set(set) if set.contains(event));
                let step = self.first_round(*fix, *index, &contains)?;
                return self.in_round(*fix, *index, step, &mut |walker, body| walker.set(body, event));
            }
            Expr::Interp(..) if model.pool.is_static(id) => self.whole_world(),
            _ => return Err(Whole),
        }
        Ok(())
    }

    /// The event is not in the set.
    fn not_set(&mut self, id: ExprId, event: usize) -> Walk {
        self.step()?;
        let ground = self.ground;
        let model = ground.model();
        self.there(event);
        match model.pool.expr(id) {
            Expr::Base(Base::Fw, _) => return Err(Whole),
            Expr::Base(..) | Expr::Empty(_) => {}
            Expr::Union(parts) => {
                for part in parts {
                    self.not_set(*part, event)?;
                }
            }
            Expr::Inter(first, second) => {
                return match self.holds(*first, event)? {
                    false => self.not_set(*first, event),
                    true => self.not_set(*second, event),
                };
            }
            Expr::Diff(first, second) => {
                return match self.holds(*first, event)? {
                    false => self.not_set(*first, event),
                    true => self.set(*second, event),
                };
            }
            Expr::Compl(inner) => return self.set(*inner, event),
            Expr::Domain(inner) | Expr::Range(inner) if model.pool.is_static(id) => {
                match self.thread(event) {
                    Some(thread) if stays_inside(model, *inner) => self.path_of(thread),
                    _ => self.whole_world(),
                }
            }
            Expr::Fix(..) | Expr::Interp(..) if model.pool.is_static(id) => self.whole_world(),
            _ => return Err(Whole),
        }
        Ok(())
    }

    /// The step of a recursive group's iteration that first puts something into a value.
    fn first_round(
        &mut self,
        fix: FixId,
        index: u32,
        contains: &dyn Fn(&Val) -> bool,
    ) -> Result<usize, Whole> {
        if !self.rounds.contains_key(&fix) {
            let rounds = self.plain.rounds(fix)?.map(Arc::new);
            self.rounds.insert(fix, rounds);
        }
        let Some(Some(rounds)) = self.rounds.get(&fix) else { return Err(Whole) };
        let state = rounds.iter().position(|state| contains(&state[index as usize]));
        // It is not in the value that everything starts with.
        state.and_then(|state| state.checked_sub(1)).ok_or(Whole)
    }

    /// Walks through the body of a recursive definition with the values that it saw in one step.
    fn in_round(
        &mut self,
        fix: FixId,
        index: u32,
        step: usize,
        walk: &mut dyn FnMut(&mut Self, ExprId) -> Walk,
    ) -> Walk {
        self.step()?;
        let Some(Some(rounds)) = self.rounds.get(&fix).cloned() else { return Err(Whole) };
        let body = self.ground.model().pool.fix(fix).bodies[index as usize];
        let outer = self.plain.variables(fix);
        self.plain.assume(fix, &rounds[step]);
        let walked = walk(self, body);
        self.plain.assume(fix, &outer);
        walked
    }
}
