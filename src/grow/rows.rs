//! The values of a compiled model over a graph: what is kept with the graph, and what is computed for a check.

use super::bits::{
    Bits, add, and, below, close, each, has, is_acyclic, is_empty, none, one, or, remove, union_of, without,
};
use super::compile::{Base, Check, Class, Code, Kind, Link};
use crate::model::TestKind;
use crate::program::Value;

/// What rows are computed from.
pub(super) struct Facts<'f, const W: usize> {
    /// How many events there are.
    pub n: usize,
    /// Events that the model sees.
    pub visible: Bits<W>,
    /// Memberships in predefined sets, by event.
    pub members: &'f dyn Fn(usize) -> u128,
    /// Program order.
    pub po: &'f [Bits<W>],
    /// Where a read takes its value from.
    pub source: &'f dyn Fn(usize) -> Option<usize>,
    pub is_memory: &'f dyn Fn(usize) -> bool,
    /// Rows of settled bases.
    pub settled: &'f dyn Fn(Base, usize) -> Bits<W>,
    /// Values that events hold.
    pub values: &'f [Option<Value>],
}

/// Values kept with a graph: of expressions that an event settles when it is added. `loc` and the like are kept by the graph
/// as sets and looked up by `Relate`.
#[derive(Clone)]
pub(super) struct Kept<const W: usize> {
    /// Rows by slot, `capacity` each; sets have one.
    rows: Vec<Bits<W>>,
    /// Where settled relations lead from the event that was added last.
    targets: Vec<Bits<W>>,
}

const fn capacity<const W: usize>() -> usize {
    64 * W
}

impl<const W: usize> Kept<W> {
    pub fn new(code: &Code) -> Kept<W> {
        Kept { rows: vec![none(); code.n_kept * capacity::<W>()], targets: vec![none(); code.n_kept] }
    }

    pub fn rel(&self, at: usize) -> &[Bits<W>] {
        &self.rows[at * capacity::<W>()..(at + 1) * capacity::<W>()]
    }

    pub fn set(&self, at: usize) -> &Bits<W> {
        &self.rows[at * capacity::<W>()]
    }

    /// Computes the rows of some events, each after those that it has edges from.
    pub fn add(&mut self, code: &Code, slots: &[usize], events: &[usize], facts: &Facts<W>) {
        let n = facts.n;
        let all = below(n);
        // An event that comes last leaves settled relations between the others as they are.
        let last = match events[..] {
            [x] if x + 1 == n => Some(x),
            _ => None,
        };
        for slot in slots {
            let slot = &code.slots[*slot];
            let at = |slot: usize| code.slots[slot].at;
            let (before, after) = self.rows.split_at_mut(slot.at * capacity::<W>());
            let own = &mut after[..capacity::<W>()];
            let rel = |slot: usize| &before[at(slot) * capacity::<W>()..(at(slot) + 1) * capacity::<W>()];
            let set = |slot: usize| &before[at(slot) * capacity::<W>()];
            if slot.is_set {
                for x in events {
                    let is_in = |slot: usize| has(set(slot), *x);
                    let member = match &slot.kind {
                        Kind::Member(bit) => (facts.members)(*x) >> bit & 1 == 1,
                        Kind::All => true,
                        Kind::Union(list) => list.iter().any(|slot| is_in(*slot)),
                        Kind::Inter(a, b) => is_in(*a) && is_in(*b),
                        Kind::Diff(a, b) => is_in(*a) && !is_in(*b),
                        Kind::Compl(a) => !is_in(*a),
                        Kind::Range(a) => !is_empty(&rel(*a)[*x]),
                        _ => false,
                    };
                    match member && has(&facts.visible, *x) {
                        true => add(&mut own[0], *x),
                        false => remove(&mut own[0], *x),
                    }
                }
            } else if let (Class::Settled, Some(x)) = (slot.class, last) {
                own[x] = and(&settled_row(&slot.kind, x, facts, &rel, &set), &all);
                let targets = &self.targets;
                let of = |slot: usize| match code.slots[slot].class {
                    Class::Settled => targets[at(slot)],
                    _ => and(&rel(slot)[x], &one(x)),
                };
                let to = settled_targets(&slot.kind, x, facts, &rel, &set, &of);
                self.targets[slot.at] = to;
                for (y, own) in own[..x].iter_mut().enumerate() {
                    match has(&to, y) {
                        true => add(own, x),
                        false => remove(own, x),
                    }
                }
            } else if slot.class == Class::Settled {
                for (y, own) in own[..n].iter_mut().enumerate() {
                    *own = and(&settled_row(&slot.kind, y, facts, &rel, &set), &all);
                }
            } else {
                for x in events {
                    own[*x] = fixed_row(&slot.kind, *x, facts, &rel, &set, own);
                }
            }
        }
    }
}

/// The row of an event in a fixed relation.
fn fixed_row<'r, const W: usize>(
    kind: &Kind,
    x: usize,
    facts: &Facts<W>,
    rel: &impl Fn(usize) -> &'r [Bits<W>],
    set: &impl Fn(usize) -> &'r Bits<W>,
    own: &[Bits<W>],
) -> Bits<W> {
    let visible = has(&facts.visible, x);
    match kind {
        Kind::Base(Base::Po) => facts.po[x],
        Kind::Base(Base::Rf) => (facts.source)(x).map_or(none(), one),
        Kind::Base(Base::SameAccess) if (facts.is_memory)(x) => one(x),
        Kind::Id if visible => one(x),
        Kind::Union(list) => list.iter().fold(none(), |all, slot| or(&all, &rel(*slot)[x])),
        Kind::Inter(a, b) => and(&rel(*a)[x], &rel(*b)[x]),
        Kind::Diff(a, b) => without(&rel(*a)[x], &rel(*b)[x]),
        Kind::Seq(links) => sequence(links, x, rel, set),
        Kind::ToId(a) if has(set(*a), x) => one(x),
        Kind::Opt(a) if visible => or(&rel(*a)[x], &one(x)),
        Kind::Opt(a) => rel(*a)[x],
        Kind::Plus(a) => closed(&rel(*a)[x], own, x),
        Kind::Star(a) => {
            let mut row = closed(&rel(*a)[x], own, x);
            if visible {
                add(&mut row, x);
            }
            row
        }
        Kind::DifferentValues(a) => different(&rel(*a)[x], x, facts.values),
        _ => none(),
    }
}

/// The predecessors of `x` under the closure of a relation, given those under the relation and the closed rows of these.
fn closed<const W: usize>(row: &Bits<W>, rows: &[Bits<W>], x: usize) -> Bits<W> {
    let mut all = *row;
    each(row, |y| {
        if y != x {
            all = or(&all, &rows[y]);
        }
    });
    all
}

fn different<const W: usize>(row: &Bits<W>, x: usize, values: &[Option<Value>]) -> Bits<W> {
    let mut left = *row;
    if let Some(value) = values[x] {
        each(row, |y| {
            if values[y] == Some(value) {
                remove(&mut left, y);
            }
        });
    }
    left
}

/// The predecessors of `x` under a composition.
#[inline]
fn sequence<'r, const W: usize>(
    links: &[Link],
    x: usize,
    rel: &impl Fn(usize) -> &'r [Bits<W>],
    set: &impl Fn(usize) -> &'r Bits<W>,
) -> Bits<W> {
    let mut row: Option<Bits<W>> = None;
    for link in links.iter().rev() {
        let next = match (link, &row) {
            (Link::Filter(s), None) if has(set(*s), x) => one(x),
            (Link::Filter(_), None) => none(),
            (Link::Filter(s), Some(row)) => and(row, set(*s)),
            (Link::Step(r), None) => rel(*r)[x],
            (Link::Step(r), Some(row)) => union_of(rel(*r), row),
        };
        if is_empty(&next) {
            return next;
        }
        row = Some(next);
    }
    row.unwrap_or_else(none)
}

/// The row of `y` in a settled relation.
fn settled_row<'r, const W: usize>(
    kind: &Kind,
    y: usize,
    facts: &Facts<W>,
    rel: &impl Fn(usize) -> &'r [Bits<W>],
    set: &impl Fn(usize) -> &'r Bits<W>,
) -> Bits<W> {
    let visible = &facts.visible;
    match kind {
        Kind::Base(which) => (facts.settled)(*which, y),
        Kind::All if has(visible, y) => *visible,
        Kind::Union(list) => list.iter().fold(none(), |all, slot| or(&all, &rel(*slot)[y])),
        Kind::Inter(a, b) => and(&rel(*a)[y], &rel(*b)[y]),
        Kind::Diff(a, b) => without(&rel(*a)[y], &rel(*b)[y]),
        Kind::Compl(a) if has(visible, y) => without(visible, &rel(*a)[y]),
        Kind::Seq(links) => sequence(links, y, rel, set),
        Kind::Inverse(a) => inverse_row(rel(*a), y, facts.n),
        Kind::Product(a, b) if has(set(*b), y) => *set(*a),
        Kind::Opt(a) if has(visible, y) => or(&rel(*a)[y], &one(y)),
        Kind::Opt(a) => rel(*a)[y],
        Kind::DifferentValues(a) => different(&rel(*a)[y], y, facts.values),
        _ => none(),
    }
}

/// Where a settled relation leads from the event that was added last, given where its operands do.
fn settled_targets<'r, const W: usize>(
    kind: &Kind,
    x: usize,
    facts: &Facts<W>,
    rel: &impl Fn(usize) -> &'r [Bits<W>],
    set: &impl Fn(usize) -> &'r Bits<W>,
    of: &impl Fn(usize) -> Bits<W>,
) -> Bits<W> {
    let visible = &facts.visible;
    match kind {
        // All of these are symmetric.
        Kind::Base(which) => (facts.settled)(*which, x),
        Kind::All if has(visible, x) => *visible,
        Kind::Union(list) => list.iter().fold(none(), |all, slot| or(&all, &of(*slot))),
        Kind::Inter(a, b) => and(&of(*a), &of(*b)),
        Kind::Diff(a, b) => without(&of(*a), &of(*b)),
        Kind::Compl(a) if has(visible, x) => without(visible, &of(*a)),
        Kind::Inverse(a) => rel(*a)[x],
        Kind::Product(a, b) if has(set(*a), x) => *set(*b),
        Kind::Opt(a) if has(visible, x) => or(&of(*a), &one(x)),
        Kind::Opt(a) => of(*a),
        Kind::DifferentValues(a) => different(&of(*a), x, facts.values),
        // Filters around one step.
        Kind::Seq(links) => {
            let mut to: Option<Bits<W>> = None;
            for link in links {
                to = Some(match (link, to) {
                    (Link::Filter(s), None) if has(set(*s), x) => continue,
                    (Link::Filter(_), None) => return none(),
                    (Link::Filter(s), Some(to)) => and(&to, set(*s)),
                    (Link::Step(r), _) => of(*r),
                });
            }
            to.unwrap_or_else(none)
        }
        _ => none(),
    }
}

fn inverse_row<const W: usize>(rows: &[Bits<W>], y: usize, n: usize) -> Bits<W> {
    let mut row = none();
    for (x, preds) in rows[..n].iter().enumerate() {
        if has(preds, y) {
            add(&mut row, x);
        }
    }
    row
}

/// Computes checks over a graph. One serves all graphs of a search.
pub(super) struct Evaluation<const W: usize> {
    rows: Vec<Bits<W>>,
    /// For which graph each slot was computed last.
    computed: Vec<u64>,
    graph: u64,
}

/// A graph, as far as a check sees it.
pub(super) struct Seen<'g, const W: usize> {
    pub n: usize,
    pub visible: Bits<W>,
    pub kept: &'g Kept<W>,
    /// Coherence: rows by event.
    pub co: &'g [Bits<W>],
    pub values: &'g [Option<Value>],
}

impl<const W: usize> Evaluation<W> {
    pub fn new(code: &Code) -> Evaluation<W> {
        Evaluation {
            rows: vec![none(); code.n_whole * capacity::<W>()],
            computed: vec![0; code.slots.len()],
            graph: 0,
        }
    }

    /// Another graph.
    pub fn begin(&mut self) {
        self.graph += 1;
    }

    /// Does a check hold?
    pub fn holds(&mut self, code: &Code, check: &Check, seen: &Seen<W>) -> bool {
        let n = seen.n;
        let is_empty_slot = |slot: &usize| {
            let slot = &code.slots[*slot];
            match slot.is_set {
                true => is_empty(&and(seen.kept.set(slot.at), &seen.visible)),
                false => seen.kept.rel(slot.at)[..n].iter().all(is_empty),
            }
        };
        if !check.negated
            && !check.guards.is_empty()
            && check.guards.iter().all(|list| list.iter().any(is_empty_slot))
        {
            return true;
        }
        for slot in &check.code {
            if self.computed[*slot] != self.graph {
                self.compute(code, *slot, seen);
                self.computed[*slot] = self.graph;
            }
        }
        let slot = &code.slots[check.slot];
        let all = below(n);
        let plain = if slot.is_set {
            match check.test {
                TestKind::Empty => is_empty(&and(&self.set(code, check.slot, seen), &all)),
                _ => true,
            }
        } else {
            let rows = self.rel(code, check.slot, seen);
            match check.test {
                // A fixed relation leads back in the order of causes.
                TestKind::Acyclic if slot.class == Class::Fixed => (0..n).all(|x| !has(&rows[x], x)),
                TestKind::Acyclic => is_acyclic(rows, &seen.visible),
                TestKind::Irreflexive => (0..n).all(|x| !has(&rows[x], x)),
                TestKind::Empty => rows[..n].iter().all(is_empty),
            }
        };
        plain != check.negated
    }

    fn rel<'r>(&'r self, code: &Code, slot: usize, seen: &'r Seen<W>) -> &'r [Bits<W>] {
        let slot = &code.slots[slot];
        match slot.class {
            Class::Whole if slot.kind == Kind::Base(Base::Co) => seen.co,
            Class::Whole => &self.rows[slot.at * capacity::<W>()..(slot.at + 1) * capacity::<W>()],
            _ => seen.kept.rel(slot.at),
        }
    }

    fn set(&self, code: &Code, slot: usize, seen: &Seen<W>) -> Bits<W> {
        let slot = &code.slots[slot];
        match slot.class {
            Class::Whole => self.rows[slot.at * capacity::<W>()],
            _ => and(seen.kept.set(slot.at), &seen.visible),
        }
    }

    fn compute(&mut self, code: &Code, slot: usize, seen: &Seen<W>) {
        if let Kind::Fix { group, variable } = code.slots[slot].kind {
            self.settle(code, group, seen);
            let from = code.slots[variable].at * capacity::<W>();
            let to = code.slots[slot].at * capacity::<W>();
            self.rows.copy_within(from..from + capacity::<W>(), to);
            return;
        }
        let own = &code.slots[slot];
        if matches!(own.kind, Kind::Variable | Kind::Base(_)) {
            return;
        }
        let n = seen.n;
        let all = below(n);
        let visible = &seen.visible;
        let (before, after) = self.rows.split_at_mut(own.at * capacity::<W>());
        let out = &mut after[..capacity::<W>()];
        let rel = |slot: usize| -> &[Bits<W>] {
            let slot = &code.slots[slot];
            match slot.class {
                Class::Whole if slot.kind == Kind::Base(Base::Co) => seen.co,
                Class::Whole => &before[slot.at * capacity::<W>()..(slot.at + 1) * capacity::<W>()],
                _ => seen.kept.rel(slot.at),
            }
        };
        let set = |slot: usize| -> &Bits<W> {
            let slot = &code.slots[slot];
            match slot.class {
                Class::Whole => &before[slot.at * capacity::<W>()],
                _ => seen.kept.set(slot.at),
            }
        };
        if own.is_set {
            out[0] = match &own.kind {
                Kind::All => *visible,
                Kind::Union(list) => list.iter().fold(none(), |sum, slot| or(&sum, set(*slot))),
                Kind::Inter(a, b) => and(set(*a), set(*b)),
                Kind::Diff(a, b) => without(set(*a), set(*b)),
                Kind::Compl(a) => without(visible, set(*a)),
                Kind::Domain(a) => rel(*a)[..n].iter().fold(none(), |sum, row| or(&sum, row)),
                Kind::Range(a) => {
                    let mut range = none();
                    for (x, row) in rel(*a)[..n].iter().enumerate() {
                        if !is_empty(&and(row, &all)) {
                            add(&mut range, x);
                        }
                    }
                    range
                }
                _ => none(),
            };
            out[0] = and(&out[0], visible);
            return;
        }
        match &own.kind {
            Kind::Union(list) => {
                let first = rel(list[0]);
                out[..n].copy_from_slice(&first[..n]);
                for slot in &list[1..] {
                    for (out, row) in out[..n].iter_mut().zip(rel(*slot)) {
                        *out = or(out, row);
                    }
                }
                out[..n].iter_mut().for_each(|row| *row = and(row, &all));
            }
            Kind::Inter(a, b) => {
                let (a, b) = (rel(*a), rel(*b));
                for x in 0..n {
                    out[x] = and(&and(&a[x], &b[x]), &all);
                }
            }
            Kind::Diff(a, b) => {
                let (a, b) = (rel(*a), rel(*b));
                for x in 0..n {
                    out[x] = and(&without(&a[x], &b[x]), &all);
                }
            }
            Kind::Compl(a) => {
                let a = rel(*a);
                for x in 0..n {
                    out[x] = if has(visible, x) { without(visible, &a[x]) } else { none() };
                }
            }
            Kind::Seq(links) => {
                for (x, out) in out[..n].iter_mut().enumerate() {
                    *out = and(&sequence(links, x, &rel, &set), &all);
                }
            }
            Kind::Inverse(a) => {
                out[..n].fill(none());
                for (x, row) in rel(*a)[..n].iter().enumerate() {
                    each(&and(row, &all), |y| add(&mut out[y], x));
                }
            }
            Kind::Product(a, b) => {
                let (a, b) = (and(set(*a), visible), set(*b));
                for (x, out) in out[..n].iter_mut().enumerate() {
                    *out = if has(b, x) { a } else { none() };
                }
            }
            Kind::ToId(a) => {
                let a = set(*a);
                for (x, out) in out[..n].iter_mut().enumerate() {
                    *out = if has(a, x) { one(x) } else { none() };
                }
            }
            Kind::Opt(a) | Kind::Plus(a) | Kind::Star(a) => {
                for (out, row) in out[..n].iter_mut().zip(rel(*a)) {
                    *out = and(row, &all);
                }
                if !matches!(own.kind, Kind::Opt(_)) {
                    close(&mut out[..n]);
                }
                if !matches!(own.kind, Kind::Plus(_)) {
                    each(visible, |x| add(&mut out[x], x));
                }
            }
            Kind::DifferentValues(a) => {
                let a = rel(*a);
                for x in 0..n {
                    out[x] = different(&and(&a[x], &all), x, seen.values);
                }
            }
            _ => out[..n].fill(none()),
        }
    }

    /// Runs a recursive group until nothing changes.
    fn settle(&mut self, code: &Code, group: usize, seen: &Seen<W>) {
        let group = &code.groups[group];
        for variable in &group.variables {
            let at = code.slots[*variable].at * capacity::<W>();
            self.rows[at..at + seen.n.max(1)].fill(none());
        }
        loop {
            for slot in &group.code {
                self.compute(code, *slot, seen);
            }
            let mut changed = false;
            for (variable, body) in group.variables.iter().zip(&group.bodies) {
                let is_set = code.slots[*variable].is_set;
                let to = code.slots[*variable].at * capacity::<W>();
                for x in 0..if is_set { 1 } else { seen.n } {
                    let new = match is_set {
                        true => self.set(code, *body, seen),
                        false => self.rel(code, *body, seen)[x],
                    };
                    changed |= new != self.rows[to + x];
                    self.rows[to + x] = new;
                }
            }
            if !changed {
                return;
            }
        }
    }
}
