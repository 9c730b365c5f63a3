//! The rows that are kept with a graph: of expressions that an event settles when it is added.

use super::bits::{Bits, add, and, each, has, is_empty, last, none, one, or, remove, without};
use super::code::{Base, Code, Link};
use super::graph::base_row;
use super::node::{Node, Thread};
use super::recipe::Of;
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

/// Rows of each event, one for each relation that is kept: the events that have an edge to it. Sets have one row each.
#[derive(Default)]
pub(super) struct Kept<const W: usize> {
    /// By event, then by relation.
    rows: Vec<Bits<W>>,
    n_rows: usize,
    sets: Vec<Bits<W>>,
    /// By which recipe the sets have each event.
    recipes: Vec<u16>,
}

/// No recipe.
const NONE: u16 = u16::MAX;

pub(super) const fn capacity<const W: usize>() -> usize {
    64 * W
}

/// Which rows of an event are computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// Those that depend on what it reads.
    Bound,
}

/// Rows of all events in one relation.
#[derive(Clone, Copy)]
pub(super) struct Column<'k, const W: usize> {
    rows: &'k [Bits<W>],
    n_rows: usize,
}

impl<const W: usize> Column<'_, W> {
    #[inline]
    pub fn of(&self, x: usize) -> &Bits<W> {
        &self.rows[x * self.n_rows]
    }
}

impl<const W: usize> Kept<W> {
    pub fn new(code: &Code) -> Kept<W> {
        Kept {
            rows: vec![none(); code.n_rows * capacity::<W>()],
            n_rows: code.n_rows,
            sets: vec![none(); code.n_sets],
            recipes: vec![NONE; capacity::<W>()],
        }
    }

    pub fn rel(&self, at: usize) -> Column<'_, W> {
        Column { rows: &self.rows[at..], n_rows: self.n_rows }
    }

    #[inline]
    pub fn row(&self, at: usize, x: usize) -> &Bits<W> {
        &self.rows[x * self.n_rows + at]
    }

    pub fn set(&self, at: usize) -> &Bits<W> {
        &self.sets[at]
    }

    /// Takes the rows of an event of another graph.
    pub fn copy_event(&mut self, other: &Kept<W>, x: usize) {
        let all = x * self.n_rows..(x + 1) * self.n_rows;
        self.rows[all.clone()].copy_from_slice(&other.rows[all]);
    }

    /// Takes the sets of another graph.
    pub fn copy_sets(&mut self, other: &Kept<W>) {
        self.sets.copy_from_slice(&other.sets);
        self.recipes.copy_from_slice(&other.recipes);
    }

    /// Computes the rows of some events, each after those that it has edges from.
    pub fn add(&mut self, code: &Code, events: &[usize], which: Which, facts: &Facts<W>) {
        if which == Which::All {
            events.iter().for_each(|x| self.add_to_sets(code, *x, facts.nodes[*x].recipe));
        }
        for x in events {
            look_if_large::<W>();
            let recipe = code.recipes.get(facts.nodes[*x].recipe);
            let rows = match which {
                Which::All => {
                    self.rows[x * self.n_rows..(x + 1) * self.n_rows].fill(none());
                    &recipe.rows
                }
                Which::Bound => &recipe.bound,
            };
            for row in rows {
                match self.is_member(&row.of, *x) {
                    None => self.rows[x * self.n_rows + row.at] = self.found(&row.of, row.at, *x, facts),
                    Some(true) => add(&mut self.sets[row.at], *x),
                    Some(false) => remove(&mut self.sets[row.at], *x),
                }
            }
        }
    }

    /// Puts an event into the sets that such an event is in. Often the last one in its place was such an event, too.
    fn add_to_sets(&mut self, code: &Code, x: usize, recipe: u16) {
        if std::mem::replace(&mut self.recipes[x], recipe) == recipe {
            return;
        }
        for (set, is_in) in &code.recipes.get(recipe).sets {
            match is_in {
                true => add(&mut self.sets[*set], x),
                false => remove(&mut self.sets[*set], x),
            }
        }
    }

    /// Is an event in a set? `None`: that is not a set.
    #[inline]
    fn is_member(&self, of: &Of, x: usize) -> Option<bool> {
        let is_in = |set: usize| has(&self.sets[set], x);
        Some(match of {
            Of::InRange(a) => !is_empty(self.row(*a, x)),
            Of::InAny(list) => list.iter().any(|set| is_in(*set)),
            Of::InBoth(a, b) => is_in(*a) && is_in(*b),
            Of::InFirst(a, b) => is_in(*a) && !is_in(*b),
            Of::NotIn(a) => !is_in(*a),
            _ => return None,
        })
    }

    /// What leads to an event in a relation.
    #[inline]
    fn found(&self, of: &Of, at: usize, x: usize, facts: &Facts<W>) -> Bits<W> {
        let row = |at: usize| self.row(at, x);
        match of {
            Of::Base(Base::Po) => facts.po[x],
            Of::Base(Base::Rf) => match facts.nodes[x].source {
                super::node::NONE => none(),
                source => one(usize::from(source)),
            },
            Of::Base(base @ (Base::Addr | Base::Data | Base::Ctrl)) => facts.depended(x, *base),
            Of::Base(Base::SameInstance) => and(&facts.instances[x], &facts.visible),
            Of::Base(base) => base_row(facts, *base, x),
            Of::Own => one(x),
            Of::OwnIn(set) => {
                if has(&self.sets[*set], x) {
                    one(x)
                } else {
                    none()
                }
            }
            Of::All => facts.visible,
            Of::Set(set) => and(&self.sets[*set], &facts.visible),
            Of::SetFor(set, own) => match has(&self.sets[*own], x) {
                true => and(&self.sets[*set], &facts.visible),
                false => none(),
            },
            Of::Union(list) => list.iter().fold(none(), |all, at| or(&all, row(*at))),
            Of::Inter(a, b) => and(row(*a), row(*b)),
            Of::Diff(a, b) => without(row(*a), row(*b)),
            Of::Compl(a) => without(&facts.visible, row(*a)),
            Of::Seq(links) => self.sequence(links, x, facts),
            Of::Opt(a) => or(row(*a), &one(x)),
            Of::Plus(a) => self.closed(*a, at, x),
            Of::Star(a) => or(&self.closed(*a, at, x), &one(x)),
            Of::DifferentValues(a) => different(row(*a), x, facts.values),
            Of::InRange(_) | Of::InAny(_) | Of::InBoth(..) | Of::InFirst(..) | Of::NotIn(_) => none(),
        }
    }

    /// The predecessors of an event under the closure of a relation, given the closed rows of those under the relation.
    fn closed(&self, of: usize, at: usize, x: usize) -> Bits<W> {
        let row = self.row(of, x);
        let mut all = *row;
        // What is closed already need not be looked at again.
        let mut left = *row;
        remove(&mut left, x);
        while let Some(y) = last(&left) {
            let its = self.row(at, y);
            all = or(&all, its);
            left = without(&left, its);
            remove(&mut left, y);
        }
        all
    }

    /// The predecessors of an event under a composition.
    fn sequence(&self, links: &[Link], x: usize, facts: &Facts<W>) -> Bits<W> {
        let mut row: Option<Bits<W>> = None;
        for link in links.iter().rev() {
            let next = match (link, &row) {
                (Link::Filter(s), None) if has(&self.sets[*s], x) => one(x),
                (Link::Filter(_), None) => none(),
                // Sets may have bits of events that are no longer there.
                (Link::Filter(s), Some(row)) => and(&and(row, &self.sets[*s]), &facts.present),
                (Link::Step(r), None) => *self.row(*r, x),
                (Link::Step(r), Some(row)) => {
                    let mut all = none();
                    each(row, |y| all = or(&all, self.row(*r, y)));
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
}

/// Where graphs are large, making all rows of one anew takes longer than a limit may be overstepped.
fn look_if_large<const W: usize>() {
    if W > 4 {
        limits::poll_now();
    }
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
