//! The rows that are kept with a graph: of expressions that an event settles when it is added.

use super::bits::{Bits, add, and, each, has, is_empty, none, one, or, remove, union_of, without};
use super::code::{Base, Class, Code, Kind, Link};
use super::graph::base_row;
use super::node::{Node, Thread};
use crate::limits;
use crate::program::Value;

/// What rows are computed from.
pub(super) struct Facts<'g, 'p, const W: usize> {
    /// Events by slot.
    pub nodes: &'g [Node<'p>],
    pub present: Bits<W>,
    /// Events that the model sees.
    pub visible: Bits<W>,
    pub initial: Bits<W>,
    pub threads: &'g [Thread<'p, W>],
    pub cells: &'g [Bits<W>],
    /// Events of the same instruction instance, as far as they were there.
    pub instances: &'g [Bits<W>],
    /// Program order.
    pub po: &'g [Bits<W>],
    /// Values that events hold.
    pub values: &'g [Option<Value>],
}

impl<const W: usize> Facts<'_, '_, W> {
    /// The events that an event depends on.
    fn depended(&self, x: usize, base: Base) -> Bits<W> {
        let Some(reasons) = &self.nodes[x].reasons else { return none() };
        let numbers = match base {
            Base::Addr => &reasons.addr,
            Base::Data => &reasons.data,
            _ => &reasons.ctrl,
        };
        let mut row = none();
        if numbers.is_empty() || !has(&self.visible, x) {
            return row;
        }
        let thread = &self.threads[usize::from(self.nodes[x].place.thread)];
        each(&and(&thread.events, &self.visible), |y| {
            let number = self.nodes[y].reasons.as_ref().map(|reasons| reasons.number);
            if y != x && number.is_some_and(|number| numbers.has(number)) {
                add(&mut row, y);
            }
        });
        row
    }
}

/// Rows by slot of the code, one for each event: the events that have an edge to it. Sets have one row.
#[derive(Default)]
pub(super) struct Kept<const W: usize> {
    rows: Vec<Bits<W>>,
}

pub(super) const fn capacity<const W: usize>() -> usize {
    64 * W
}

impl<const W: usize> Kept<W> {
    pub fn new(code: &Code) -> Kept<W> {
        Kept { rows: vec![none(); code.n_kept * capacity::<W>()] }
    }

    pub fn rel(&self, at: usize) -> &[Bits<W>] {
        &self.rows[at * capacity::<W>()..(at + 1) * capacity::<W>()]
    }

    pub fn set(&self, at: usize) -> &Bits<W> {
        &self.rows[at * capacity::<W>()]
    }

    /// Takes the rows of the first `n` events of another graph.
    pub fn copy_from(&mut self, other: &Kept<W>, n: usize) {
        for (own, its) in
            self.rows.chunks_exact_mut(capacity::<W>()).zip(other.rows.chunks_exact(capacity::<W>()))
        {
            own[..n].copy_from_slice(&its[..n]);
        }
    }

    /// Computes the rows of some events, each after those that it has edges from.
    pub fn add(&mut self, code: &Code, slots: &[usize], events: &[usize], facts: &Facts<W>) {
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
                        Kind::Member(bit) => facts.nodes[*x].members >> bit & 1 == 1,
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
            } else if slot.class == Class::Settled {
                for x in events {
                    look_if_large::<W>();
                    own[*x] = and(&settled_row(&slot.kind, *x, facts, &rel, &set), &facts.present);
                }
            } else {
                for x in events {
                    look_if_large::<W>();
                    own[*x] = fixed_row(&slot.kind, *x, facts, &rel, &set, own);
                }
            }
        }
    }
}

/// Where graphs are large, making all rows of one anew takes longer than a limit may be overstepped.
fn look_if_large<const W: usize>() {
    if W > 4 {
        limits::poll_now();
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
        Kind::Base(Base::Rf) if visible => match facts.nodes[x].source {
            super::node::NONE => none(),
            source => one(usize::from(source)),
        },
        Kind::Base(base @ (Base::Addr | Base::Data | Base::Ctrl)) => facts.depended(x, *base),
        Kind::Base(Base::SameAccess) if facts.nodes[x].is_read() || facts.nodes[x].is_write() => one(x),
        Kind::Id if visible => one(x),
        Kind::Union(list) => list.iter().fold(none(), |all, slot| or(&all, &rel(*slot)[x])),
        Kind::Inter(a, b) => and(&rel(*a)[x], &rel(*b)[x]),
        Kind::Diff(a, b) => without(&rel(*a)[x], &rel(*b)[x]),
        Kind::Seq(links) => sequence(links, x, facts, rel, set),
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

/// Without the events of the same value.
pub(super) fn different<const W: usize>(row: &Bits<W>, x: usize, values: &[Option<Value>]) -> Bits<W> {
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
fn sequence<'r, const W: usize>(
    links: &[Link],
    x: usize,
    facts: &Facts<W>,
    rel: &impl Fn(usize) -> &'r [Bits<W>],
    set: &impl Fn(usize) -> &'r Bits<W>,
) -> Bits<W> {
    let mut row: Option<Bits<W>> = None;
    for link in links.iter().rev() {
        let next = match (link, &row) {
            (Link::Filter(s), None) if has(set(*s), x) => one(x),
            (Link::Filter(_), None) => none(),
            // Sets may have bits of events that are no longer there.
            (Link::Filter(s), Some(row)) => and(&and(row, set(*s)), &facts.present),
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

/// The row of an event in a settled relation, as far as it leads from what is there.
fn settled_row<'r, const W: usize>(
    kind: &Kind,
    y: usize,
    facts: &Facts<W>,
    rel: &impl Fn(usize) -> &'r [Bits<W>],
    set: &impl Fn(usize) -> &'r Bits<W>,
) -> Bits<W> {
    let visible = &facts.visible;
    match kind {
        Kind::Base(Base::SameInstance) => and(&facts.instances[y], visible),
        Kind::Base(which) => base_row(facts, *which, y),
        Kind::All if has(visible, y) => *visible,
        Kind::Union(list) => list.iter().fold(none(), |all, slot| or(&all, &rel(*slot)[y])),
        Kind::Inter(a, b) => and(&rel(*a)[y], &rel(*b)[y]),
        Kind::Diff(a, b) => without(&rel(*a)[y], &rel(*b)[y]),
        Kind::Compl(a) if has(visible, y) => without(visible, &rel(*a)[y]),
        Kind::Seq(links) => sequence(links, y, facts, rel, set),
        Kind::Product(a, b) if has(set(*b), y) => and(set(*a), visible),
        Kind::Opt(a) if has(visible, y) => or(&rel(*a)[y], &one(y)),
        Kind::Opt(a) => rel(*a)[y],
        Kind::DifferentValues(a) => different(&rel(*a)[y], y, facts.values),
        _ => none(),
    }
}
