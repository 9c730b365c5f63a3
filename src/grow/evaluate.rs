//! Checks over a graph. Rows are computed when they are asked for, and once for each graph.

use super::bits::{Bits, add, and, each, has, is_acyclic, is_empty, none, one, or, remove, without};
use super::code::{Base, Check, Class, Code, Group, Kind, Link, Walks};
use super::graph::{Graph, base_row};
use super::kept::{Facts, Kept, capacity, different};
use super::node::NONE;
use crate::model::TestKind;

/// Computes checks over graphs. One serves all graphs of a search.
pub(super) struct Evaluation<const W: usize> {
    /// Rows by slot of the code; a set is the first of its own.
    rows: Vec<Bits<W>>,
    /// Which of them are known of the graph, and of which graph.
    known: Vec<Bits<W>>,
    of: Vec<u64>,
    /// Of which graph recursive groups have settled.
    settled: Vec<u64>,
    graph: u64,
}

/// A graph, as far as a check sees it.
pub(super) struct Seen<'g, 'p, const W: usize> {
    facts: Facts<'g, 'p, W>,
    kept: &'g Kept<W>,
    /// Coherence: rows by event.
    co: &'g [Bits<W>],
}

impl<'p, const W: usize> Graph<'p, W> {
    /// What checks see.
    pub fn seen(&self) -> Seen<'_, 'p, W> {
        Seen { facts: self.facts(), kept: &self.kept, co: &self.co_rows }
    }
}

impl<const W: usize> Evaluation<W> {
    pub fn new(code: &Code) -> Evaluation<W> {
        let n = code.slots.len();
        Evaluation {
            rows: vec![none(); n * capacity::<W>()],
            known: vec![none(); n],
            of: vec![0; n],
            settled: vec![0; code.groups.len()],
            graph: 0,
        }
    }

    /// Another graph.
    pub fn begin(&mut self) {
        self.graph += 1;
    }

    /// Does a check hold, if it did before these events were added? None given: nothing is known.
    pub fn holds(&mut self, code: &Code, check: &Check, seen: &Seen<W>, new: &[usize]) -> bool {
        if !check.negated && self.is_idle(code, check, seen) {
            return true;
        }
        // A cycle that was not there before goes through a new event.
        if let Some(walks) = &check.walks
            && !check.negated
            && !new.is_empty()
        {
            let found = new.iter().any(|x| self.is_on_walk(code, walks, *x, seen));
            if !found || walks.exact {
                return !found;
            }
        }
        // What comes with an event touches it.
        let local = check.local && !check.negated && !new.is_empty();
        let slot = &code.slots[check.slot];
        let plain = if slot.is_set {
            check.test != TestKind::Empty || is_empty(&self.set(code, check.slot, seen))
        } else {
            match check.test {
                TestKind::Irreflexive if local => {
                    new.iter().all(|x| !has(&self.row(code, check.slot, *x, seen), *x))
                }
                // A fixed relation leads back in the order of causes.
                TestKind::Acyclic if slot.class == Class::Fixed => {
                    !self.any(&seen.facts.visible, |own, x| has(&own.row(code, check.slot, x, seen), x))
                }
                TestKind::Acyclic => {
                    self.all_rows(code, check.slot, seen);
                    let at = check.slot * capacity::<W>();
                    is_acyclic(&self.rows[at..at + capacity::<W>()], &seen.facts.visible)
                }
                TestKind::Irreflexive => {
                    match &check.turned {
                        Some(links) => !self
                            .any(&seen.facts.visible, |own, x| has(&own.sequence(code, links, x, seen), x)),
                        None => !self
                            .any(&seen.facts.visible, |own, x| has(&own.row(code, check.slot, x, seen), x)),
                    }
                }
                TestKind::Empty => {
                    let visible = &seen.facts.visible;
                    !self.any(visible, |own, x| !is_empty(&own.within(code, check.slot, x, *visible, seen)))
                }
            }
        };
        plain != check.negated
    }

    /// The events of some that a relation leads to from others.
    pub fn touched(&mut self, code: &Code, flag: &Check, events: &Bits<W>, seen: &Seen<W>) -> Bits<W> {
        let mut touched = none();
        let visible = &seen.facts.visible;
        self.any(&and(events, visible), |own, x| {
            let part = match (flag.same_cell, seen.facts.nodes[x].cell) {
                (true, NONE) => return false,
                (true, cell) => and(visible, &seen.facts.cells[usize::from(cell)]),
                (false, _) => *visible,
            };
            if !is_empty(&own.within(code, flag.slot, x, part, seen)) {
                add(&mut touched, x);
            }
            false
        });
        touched
    }

    /// Is a relation empty because something that it needs is?
    fn is_idle(&self, code: &Code, check: &Check, seen: &Seen<W>) -> bool {
        let is_empty_slot = |slot: &usize| {
            let slot = &code.slots[*slot];
            match slot.is_set {
                true => is_empty(&and(seen.kept.set(slot.at), &seen.facts.visible)),
                false => {
                    let rows = seen.kept.rel(slot.at);
                    let mut empty = true;
                    each(&seen.facts.visible, |x| empty &= is_empty(rows.of(x)));
                    empty
                }
            }
        };
        !check.guards.is_empty() && check.guards.iter().all(|list| list.iter().any(is_empty_slot))
    }

    fn any(&mut self, events: &Bits<W>, mut holds: impl FnMut(&mut Self, usize) -> bool) -> bool {
        for (word, bits) in events.iter().enumerate() {
            let mut left = *bits;
            while left != 0 {
                if holds(self, word * 64 + left.trailing_zeros() as usize) {
                    return true;
                }
                left &= left - 1;
            }
        }
        false
    }

    /// Is an event on a cycle of some relations?
    fn is_on_walk(&mut self, code: &Code, walks: &Walks, x: usize, seen: &Seen<W>) -> bool {
        let mut all = none();
        let mut left = one(x);
        while !is_empty(&left) {
            // All the way back along what is closed, then one step along the rest.
            let mut next = left;
            if let Some(closed) = walks.closed {
                let at = code.slots[closed].at;
                each(&left, |y| next = or(&next, seen.kept.row(at, y)));
                let is_back = left != one(x) || has(seen.kept.row(at, x), x);
                if is_back && has(&next, x) {
                    return true;
                }
            }
            next = without(&next, &all);
            all = or(&all, &next);
            left = none();
            let found = self.any(&next, |own, y| {
                for slot in &walks.others {
                    left = or(&left, &own.row(code, *slot, y, seen));
                }
                has(&left, x)
            });
            if found {
                return true;
            }
            left = without(&left, &all);
        }
        false
    }

    /// A part of a row. What is cheap to know goes first: often nothing is left then.
    fn within(&mut self, code: &Code, slot: usize, y: usize, mut part: Bits<W>, seen: &Seen<W>) -> Bits<W> {
        if is_empty(&part) {
            return part;
        }
        if code.slots[slot].class == Class::Fixed {
            return and(&part, &self.row(code, slot, y, seen));
        }
        match &code.slots[slot].kind {
            Kind::Inter(a, b) => {
                part = self.within(code, *a, y, part, seen);
                self.within(code, *b, y, part, seen)
            }
            Kind::Union(list) => {
                list.iter().fold(none(), |all, slot| or(&all, &self.within(code, *slot, y, part, seen)))
            }
            Kind::Diff(a, b) => {
                let one = [*b];
                let parts = match &code.slots[*b].kind {
                    Kind::Union(list) => &list[..],
                    _ => &one[..],
                };
                let is_cheap = |slot: &usize| code.slots[*slot].class != Class::Whole;
                for slot in parts.iter().filter(|slot| is_cheap(slot)) {
                    part = without(&part, &self.row(code, *slot, y, seen));
                }
                part = self.within(code, *a, y, part, seen);
                for slot in parts.iter().filter(|slot| !is_cheap(slot)) {
                    if !is_empty(&part) {
                        part = without(&part, &self.row(code, *slot, y, seen));
                    }
                }
                part
            }
            _ => and(&part, &self.row(code, slot, y, seen)),
        }
    }

    /// All events that lead to some.
    fn back(&mut self, code: &Code, slot: usize, from: Bits<W>, seen: &Seen<W>) -> Bits<W> {
        let mut all = from;
        let mut left = from;
        while !is_empty(&left) {
            let mut next = none();
            self.any(&left, |own, y| {
                next = or(&next, &own.row(code, slot, y, seen));
                false
            });
            left = without(&next, &all);
            all = or(&all, &next);
        }
        all
    }

    /// Makes the rows of all events known.
    fn all_rows(&mut self, code: &Code, slot: usize, seen: &Seen<W>) {
        let direct = code.slots[slot].class == Class::Fixed || code.slots[slot].kind == Kind::Base(Base::Co);
        self.any(&seen.facts.visible, |own, x| {
            let row = own.row(code, slot, x, seen);
            if direct {
                own.rows[slot * capacity::<W>() + x] = row;
            }
            false
        });
    }

    fn set(&mut self, code: &Code, slot: usize, seen: &Seen<W>) -> Bits<W> {
        let own = &code.slots[slot];
        let visible = &seen.facts.visible;
        if own.class == Class::Fixed {
            return and(seen.kept.set(own.at), visible);
        }
        let at = slot * capacity::<W>();
        if matches!(own.kind, Kind::Variable) || self.is_known(slot, 0) {
            return self.rows[at];
        }
        let set = match &own.kind {
            Kind::All => *visible,
            Kind::Union(list) => list.iter().fold(none(), |sum, slot| or(&sum, &self.set(code, *slot, seen))),
            Kind::Inter(a, b) => and(&self.set(code, *a, seen), &self.set(code, *b, seen)),
            Kind::Diff(a, b) => without(&self.set(code, *a, seen), &self.set(code, *b, seen)),
            Kind::Compl(a) => without(visible, &self.set(code, *a, seen)),
            Kind::Domain(a) => {
                let mut domain = none();
                self.any(visible, |own, x| {
                    domain = or(&domain, &own.row(code, *a, x, seen));
                    false
                });
                domain
            }
            Kind::Range(a) => {
                let mut range = none();
                self.any(visible, |own, x| {
                    if !is_empty(&own.row(code, *a, x, seen)) {
                        add(&mut range, x);
                    }
                    false
                });
                range
            }
            Kind::Fix { group, variable } => {
                self.settle(code, *group, seen);
                self.rows[*variable * capacity::<W>()]
            }
            _ => none(),
        };
        let set = and(&set, visible);
        self.rows[at] = set;
        add(&mut self.known[slot], 0);
        set
    }

    fn is_known(&mut self, slot: usize, row: usize) -> bool {
        if self.of[slot] != self.graph {
            self.of[slot] = self.graph;
            self.known[slot] = none();
            return false;
        }
        has(&self.known[slot], row)
    }

    /// What leads to an event in a relation.
    pub fn row_of(&mut self, code: &Code, slot: usize, y: usize, seen: &Seen<W>) -> Bits<W> {
        self.row(code, slot, y, seen)
    }

    /// The events that have an edge to an event.
    fn row(&mut self, code: &Code, slot: usize, y: usize, seen: &Seen<W>) -> Bits<W> {
        let own = &code.slots[slot];
        let facts = &seen.facts;
        if own.class == Class::Fixed {
            return *seen.kept.row(own.at, y);
        }
        let at = slot * capacity::<W>() + y;
        match own.kind {
            Kind::Base(Base::Co) => return seen.co[y],
            Kind::Variable => return self.rows[at],
            _ => {}
        }
        if self.is_known(slot, y) {
            return self.rows[at];
        }
        let visible = &facts.visible;
        let row = match &own.kind {
            Kind::Base(which) => base_row(facts, *which, y),
            Kind::All if has(visible, y) => *visible,
            Kind::Union(list) => {
                list.iter().fold(none(), |all, slot| or(&all, &self.row(code, *slot, y, seen)))
            }
            Kind::Inter(a, b) => {
                let a = self.row(code, *a, y, seen);
                if is_empty(&a) { a } else { and(&a, &self.row(code, *b, y, seen)) }
            }
            Kind::Diff(a, b) => {
                let a = self.row(code, *a, y, seen);
                if is_empty(&a) { a } else { without(&a, &self.row(code, *b, y, seen)) }
            }
            Kind::Compl(a) if has(visible, y) => without(visible, &self.row(code, *a, y, seen)),
            Kind::Seq(links) => self.sequence(code, links, y, seen),
            Kind::Inverse(a) => {
                self.invert(code, slot, *a, seen);
                return self.rows[at];
            }
            Kind::Product(a, b) if has(&self.set(code, *b, seen), y) => self.set(code, *a, seen),
            Kind::ToId(a) if has(&self.set(code, *a, seen), y) => one(y),
            Kind::Opt(a) => {
                let row = self.row(code, *a, y, seen);
                if has(visible, y) { or(&row, &one(y)) } else { row }
            }
            Kind::Plus(a) | Kind::Star(a) => {
                let first = self.row(code, *a, y, seen);
                let mut row = self.back(code, *a, first, seen);
                if matches!(own.kind, Kind::Star(_)) && has(visible, y) {
                    add(&mut row, y);
                }
                row
            }
            Kind::DifferentValues(a) => different(&self.row(code, *a, y, seen), y, facts.values),
            Kind::Fix { group, variable } => {
                self.settle(code, *group, seen);
                self.rows[*variable * capacity::<W>() + y]
            }
            _ => none(),
        };
        self.rows[at] = row;
        add(&mut self.known[slot], y);
        row
    }

    /// The predecessors of an event under a composition.
    fn sequence(&mut self, code: &Code, links: &[Link], y: usize, seen: &Seen<W>) -> Bits<W> {
        let mut row: Option<Bits<W>> = None;
        for link in links.iter().rev() {
            let next = match (link, &row) {
                (Link::Filter(s), None) if has(&self.set(code, *s, seen), y) => one(y),
                (Link::Filter(_), None) => none(),
                (Link::Filter(s), Some(row)) => and(row, &self.set(code, *s, seen)),
                (Link::Step(r), None) => self.row(code, *r, y, seen),
                (Link::Step(r), Some(row)) => {
                    let mut all = none();
                    self.any(row, |own, z| {
                        all = or(&all, &own.row(code, *r, z, seen));
                        false
                    });
                    all
                }
            };
            if is_empty(&next) {
                return next;
            }
            row = Some(next);
        }
        row.unwrap_or_else(none)
    }

    /// All rows of an inverse at once.
    fn invert(&mut self, code: &Code, slot: usize, of: usize, seen: &Seen<W>) {
        let at = slot * capacity::<W>();
        self.rows[at..at + capacity::<W>()].fill(none());
        self.any(&seen.facts.visible, |own, x| {
            let row = own.row(code, of, x, seen);
            each(&row, |y| add(&mut own.rows[at + y], x));
            false
        });
        self.known[slot] = seen.facts.present;
    }

    /// Takes what leads to one event one round further. Has that changed?
    fn grows_at(&mut self, code: &Code, group: &Group, x: usize, seen: &Seen<W>) -> bool {
        let mut changed = false;
        for (variable, body) in group.variables.iter().zip(&group.bodies) {
            let row = self.row(code, *body, x, seen);
            let known = &mut self.rows[variable * capacity::<W>() + x];
            changed |= row != *known;
            *known = row;
        }
        changed
    }

    /// Runs a recursive group until nothing changes: it only grows, so that what is found on the way is never too much.
    fn settle(&mut self, code: &Code, group: usize, seen: &Seen<W>) {
        if std::mem::replace(&mut self.settled[group], self.graph) == self.graph {
            return;
        }
        let group = &code.groups[group];
        for variable in &group.variables {
            let at = variable * capacity::<W>();
            self.rows[at..at + capacity::<W>()].fill(none());
        }
        let forget = |own: &mut Self| {
            for slot in &group.code {
                own.of[*slot] = 0;
                if let Kind::Fix { group, .. } = code.slots[*slot].kind {
                    own.settled[group] = 0;
                }
            }
        };
        forget(self);
        // Event by event first: where what leads to an event hangs on earlier ones, that is nearly all.
        if group.variables.iter().all(|variable| !code.slots[*variable].is_set) {
            self.any(&seen.facts.visible, |own, x| {
                while own.grows_at(code, group, x, seen) {
                    group.code.iter().for_each(|slot| remove(&mut own.known[*slot], x));
                }
                false
            });
        }
        loop {
            forget(self);
            let mut changed = false;
            let mut next = Vec::new();
            for (variable, body) in group.variables.iter().zip(&group.bodies) {
                let at = variable * capacity::<W>();
                if code.slots[*variable].is_set {
                    let set = self.set(code, *body, seen);
                    changed |= set != self.rows[at];
                    next.push((at, set));
                    continue;
                }
                self.any(&seen.facts.visible, |own, x| {
                    let row = own.row(code, *body, x, seen);
                    changed |= row != own.rows[at + x];
                    next.push((at + x, row));
                    false
                });
            }
            next.into_iter().for_each(|(at, row)| self.rows[at] = row);
            if !changed {
                return;
            }
        }
    }
}
