//! Why a check fails: from the pair or cycle that it found back to the facts that put it there.
//!
//! A union needs one of its operands, a sequence what is in the middle, a closure its path, an intersection both, a difference
//! the one and not the other. Facts are sources, pairs of coherence, and nodes that are executed; where more than that is needed (a dependency
//! goes through registers), a set of paths. What cannot be told in such facts (a pair that is in no composition, whatever else there is) makes the
//! whole proposal the reason.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::graph::{Graph, NodeId};
use super::proposal::{Proposal, Reason};
use crate::execution::{Path, World};
use crate::model::{Base, ChoiceId, EvalError, Expr, ExprId, FixId, Model, Plain, Test, TestKind, Val};
use crate::relation::{Rel, Set};

/// So many reasons are learnt from one failed check.
const REASONS: usize = 6;

/// So many events are tried as the start of a cycle.
const STARTS: usize = 48;

/// More steps than this in one derivation: the whole proposal it is.
const STEPS: usize = 20_000;

/// What the walk knows of the proposal.
pub struct Facts<'f> {
    pub model: &'f Model,
    pub graph: &'f Graph,
    pub paths: &'f [Vec<&'f Path>],
    pub world: &'f World,
    pub proposal: &'f Proposal,
    /// The node of each event of the world.
    pub nodes: &'f [NodeId],
    /// The number of each event in its path.
    pub locals: &'f [usize],
    /// The choice of the model that is coherence.
    pub co: Option<ChoiceId>,
    /// Is the order inside an instruction part of program order?
    pub po_inside: bool,
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
pub fn reasons(facts: &Facts, settled: &[ChoiceId], test: &Test, plain: &mut Plain) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    for offence in offences(test, plain) {
        let mut walker = Walker {
            facts,
            settled,
            plain,
            reason: Reason::default(),
            rounds: FxHashMap::default(),
            steps: 0,
        };
        let walked = match &offence {
            Offence::Path(inner, path) => {
                path.windows(2).try_for_each(|pair| walker.rel(*inner, pair[0], pair[1]))
            }
            Offence::Pair(a, b) => walker.rel(test.expr, *a, *b),
            Offence::Event(e) => walker.set(test.expr, *e),
        };
        if walked.is_ok() {
            let mut reason = walker.reason;
            reason.executed.sort_unstable();
            reason.executed.dedup();
            reason.rf.sort_unstable();
            reason.rf.dedup();
            reason.co.sort_unstable();
            reason.co.dedup();
            found.push(reason);
        }
        if found.len() == REASONS {
            break;
        }
    }
    if found.is_empty() {
        found.push(facts.proposal.whole(facts.graph, true));
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

fn offences(test: &Test, plain: &mut Plain) -> Vec<Offence> {
    if test.negated {
        return Vec::new();
    }
    let Ok(value) = plain.eval(test.expr) else { return Vec::new() };
    match (&*value, test.kind) {
        (Val::Rel(rel), TestKind::Acyclic) => {
            let mut cycles: Vec<Vec<usize>> = Vec::new();
            let closed = rel.plus();
            for start in (0..rel.n()).filter(|e| closed.contains(*e, *e)).take(STARTS) {
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
    let mut came: Vec<Option<usize>> = vec![None; rel.n()];
    let mut line = vec![from];
    let mut at = 0;
    while let Some(here) = line.get(at).copied() {
        at += 1;
        for next in rel.successors(here) {
            if next == to {
                let mut way = vec![to, here];
                while let Some(before) = came[way[way.len() - 1]].filter(|_| way[way.len() - 1] != from) {
                    way.push(before);
                }
                way.reverse();
                return Some(way);
            }
            if next != from && came[next].is_none() {
                came[next] = Some(here);
                line.push(next);
            }
        }
    }
    None
}

struct Walker<'w, 'f, 'p> {
    facts: &'w Facts<'f>,
    /// Choices that the paths settle.
    settled: &'w [ChoiceId],
    plain: &'w mut Plain<'p>,
    reason: Reason,
    rounds: FxHashMap<FixId, Rounds>,
    steps: usize,
}

impl<'f> Walker<'_, 'f, '_> {
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
        let node = self.facts.nodes[event];
        if self.facts.graph.nodes[node].thread.is_some() {
            self.reason.executed.push(node);
        }
    }

    fn thread(&self, event: usize) -> Option<usize> {
        self.facts.graph.nodes[self.facts.nodes[event]].thread
    }

    /// The thread takes the very path that it takes.
    fn path_of(&mut self, thread: usize) {
        let n = self.facts.graph.threads[thread].ways.len();
        let path = self.facts.proposal.chosen[thread];
        self.reason.paths.push((thread, Set::of(n, [path])));
    }

    /// The world is the very world that it is.
    fn whole_world(&mut self) {
        (0..self.facts.proposal.chosen.len()).for_each(|thread| self.path_of(thread));
    }

    /// The pair is in the relation.
    fn rel(&mut self, id: ExprId, a: usize, b: usize) -> Walk {
        self.step()?;
        let model = self.facts.model;
        match model.pool.expr(id) {
            Expr::Base(Base::Rf, _) => {
                let (write, read) = (self.facts.nodes[a], self.facts.nodes[b]);
                self.reason.rf.push((write, read));
            }
            Expr::Base(base, _) => self.base(base, a, b, true),
            Expr::Choice(choice, _) if Some(*choice) == self.facts.co => self.coherent(a, b),
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
            self.reason.co.push((self.facts.nodes[a], self.facts.nodes[b]));
        }
    }

    /// A relation of the program, or that it does not hold.
    fn base(&mut self, base: &Base, a: usize, b: usize, holds: bool) {
        self.there(a);
        self.there(b);
        let one_thread = self.thread(a).filter(|thread| self.thread(b) == Some(*thread));
        let graph = self.facts.graph;
        match base {
            // Two events by themselves tell.
            Base::Id
            | Base::Int
            | Base::Ext
            | Base::Loc
            | Base::SameInstance
            | Base::SameInstr
            | Base::Instr
            | Base::SameLowOrderBits
            | Base::Si
            | Base::Sm
            | Base::Aligned
            | Base::NextLevel
            | Base::InvDomain
            | Base::Success
            | Base::Tst
            | Base::PartialPo
            | Base::EquivSpec
            | Base::Alias
            | Base::Named(_) => {}
            Base::Po => {
                let Some(thread) = one_thread else { return };
                let [first, second] = [a, b].map(|event| graph.nodes[self.facts.nodes[event]].instance);
                let inside = first == second && self.facts.po_inside;
                if inside && holds {
                    self.prefix(thread, a, b);
                } else if inside || !graph.threads[thread].one_order {
                    self.path_of(thread);
                }
            }
            Base::Addr
            | Base::Data
            | Base::Ctrl
            | Base::Depend
            | Base::Control
            | Base::IicoData
            | Base::IicoCtrl
            | Base::IicoOrder
            | Base::RfReg
            | Base::SameStatic => {
                let Some(thread) = one_thread else { return };
                if holds {
                    self.prefix(thread, a, b);
                } else {
                    self.path_of(thread);
                }
            }
            _ => self.whole_world(),
        }
    }

    /// The thread takes a path that is the same up to the end of the instruction of the later one of two events.
    fn prefix(&mut self, thread: usize, a: usize, b: usize) {
        let facts = self.facts;
        let chosen = facts.proposal.chosen[thread];
        let paths = &facts.paths[thread];
        let own = paths[chosen];
        let later = facts.locals[a].max(facts.locals[b]);
        let instance = own.events[later].instance;
        let last =
            own.events.iter().rposition(|event| event.instance == instance).unwrap_or(later).max(later);
        let ways = &facts.graph.threads[thread].ways;
        let same = |other: usize| {
            let path = paths[other];
            other == chosen
                || path.events.len() > last
                    && ways[other].nodes[..=last] == ways[chosen].nodes[..=last]
                    && path.events[..=last]
                        .iter()
                        .zip(&own.events[..=last])
                        .all(|(a, b)| a.value == b.value && a.written == b.written)
                    && same_edges(path, own, last as u32)
        };
        let alike = Set::of(paths.len(), (0..paths.len()).filter(|other| same(*other)));
        self.reason.paths.push((thread, alike));
    }

    /// The pair is not in the relation.
    fn not_rel(&mut self, id: ExprId, a: usize, b: usize) -> Walk {
        self.step()?;
        let model = self.facts.model;
        match model.pool.expr(id) {
            Expr::Base(Base::Rf, _) => {
                let node = self.facts.nodes[b];
                self.there(a);
                match self.facts.proposal.sources.get(&node) {
                    // It reads from another.
                    Some(write) => self.reason.rf.push((*write, node)),
                    None => self.there(b),
                }
            }
            Expr::Base(base, _) => self.base(base, a, b, false),
            Expr::Choice(choice, _) if Some(*choice) == self.facts.co => {
                let place = |event: usize| self.facts.graph.nodes[self.facts.nodes[event]].place;
                let is_write = |event: usize| self.facts.world.events[event].is_write();
                if a != b && is_write(a) && is_write(b) && place(a) == place(b) {
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
            Some(thread) if stays_inside(self.facts.model, id) => self.path_of(thread),
            _ => self.whole_world(),
        }
        Ok(())
    }

    /// The event is in the set.
    fn set(&mut self, id: ExprId, event: usize) -> Walk {
        self.step()?;
        let model = self.facts.model;
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
        let model = self.facts.model;
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
        let body = self.facts.model.pool.fix(fix).bodies[index as usize];
        let outer = self.plain.variables(fix);
        self.plain.assume(fix, &rounds[step]);
        let walked = walk(self, body);
        self.plain.assume(fix, &outer);
        walked
    }
}

/// Have two paths the same edges among their first events?
fn same_edges(a: &Path, b: &Path, last: u32) -> bool {
    let among = |list: &[(u32, u32)]| -> Vec<(u32, u32)> {
        let mut list: Vec<(u32, u32)> =
            list.iter().copied().filter(|(from, to)| *from <= last && *to <= last).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let lists = |path: &Path| {
        [
            among(&path.iico_data),
            among(&path.iico_ctrl),
            among(&path.iico_order),
            among(&path.rf_reg),
            among(&path.control),
            among(&path.addr_in),
            among(&path.data_in),
        ]
    };
    lists(a) == lists(b)
}

/// Is a static relation made of relations inside threads, and of sets, only?
fn stays_inside(model: &Model, id: ExprId) -> bool {
    match model.pool.expr(id) {
        Expr::Base(base, _) => matches!(
            base,
            Base::Id
                | Base::Po
                | Base::Int
                | Base::Addr
                | Base::Data
                | Base::Ctrl
                | Base::Depend
                | Base::Control
                | Base::IicoData
                | Base::IicoCtrl
                | Base::IicoOrder
                | Base::RfReg
                | Base::SameInstance
                | Base::SameInstr
                | Base::Instr
                | Base::SameStatic
        ),
        Expr::Id | Expr::Empty(_) => true,
        Expr::ToId(set) => is_plain_set(model, *set),
        Expr::Union(parts) | Expr::Seq(parts) => parts.iter().all(|part| stays_inside(model, *part)),
        // What is not in the other stays inside, whatever that is: but what it is must be inside, too.
        Expr::Diff(a, b) => stays_inside(model, *a) && (stays_inside(model, *b) || is_pairwise(model, *b)),
        Expr::Inter(a, b) => {
            let [first, second] = [*a, *b].map(|part| stays_inside(model, part));
            first && (second || is_pairwise(model, *b)) || second && is_pairwise(model, *a)
        }
        Expr::Inverse(inner) | Expr::Opt(inner) | Expr::Plus(inner) | Expr::Star(inner) => {
            stays_inside(model, *inner)
        }
        _ => false,
    }
}

/// Do the two events of a pair tell by themselves whether it is in the relation?
fn is_pairwise(model: &Model, id: ExprId) -> bool {
    match model.pool.expr(id) {
        Expr::Base(base, _) => {
            matches!(
                base,
                Base::Loc | Base::Ext | Base::Int | Base::Id | Base::Si | Base::Sm | Base::Named(_)
            )
        }
        Expr::Id | Expr::Empty(_) | Expr::Universe(_) => true,
        Expr::Product(a, b) => is_plain_set(model, *a) && is_plain_set(model, *b),
        Expr::ToId(set) => is_plain_set(model, *set),
        Expr::Union(parts) => parts.iter().all(|part| is_pairwise(model, *part)),
        Expr::Inter(a, b) | Expr::Diff(a, b) => is_pairwise(model, *a) && is_pairwise(model, *b),
        Expr::Compl(inner) | Expr::Inverse(inner) => is_pairwise(model, *inner),
        _ => false,
    }
}

/// Does an event tell by itself whether it is in the set?
fn is_plain_set(model: &Model, id: ExprId) -> bool {
    match model.pool.expr(id) {
        Expr::Base(base, _) => !base.is_dynamic(),
        Expr::Universe(_) | Expr::Empty(_) => true,
        Expr::Union(parts) => parts.iter().all(|part| is_plain_set(model, *part)),
        Expr::Inter(a, b) | Expr::Diff(a, b) => is_plain_set(model, *a) && is_plain_set(model, *b),
        Expr::Compl(inner) => is_plain_set(model, *inner),
        _ => false,
    }
}
