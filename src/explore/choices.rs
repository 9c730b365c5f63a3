//! What is chosen in a world, and what is left to choose.

use super::mask::Mask;
use crate::program::Value;
use crate::relation::rows::{self, Row};

/// What is chosen so far. Cheap to copy.
#[derive(Clone, Default)]
pub(super) struct State<const W: usize> {
    /// Writes each read may still take its value from.
    pub candidates: Vec<Row<W>>,
    /// What each order choice certainly contains: [`State::n`] rows per choice, transitively closed per order.
    pub orders: Vec<Row<W>>,
    /// Number of events.
    pub n: usize,
    /// Alternatives left, by option variable.
    pub options: Vec<u64>,
    /// Final writes left, by observed cell whose final write is not the last of an order.
    pub finals: Vec<Row<W>>,
    /// Values of the reads known so far, by event (empty where there is nothing to solve before the end).
    pub values: Vec<Option<Value>>,
    /// Constraints on values that are not known to hold yet.
    pub unmet: Mask,
    /// Orders that may have pairs not decided yet.
    pub loose: Mask,
    /// Checks that are not entailed yet.
    pub open: Mask,
    /// Orders whose base may still add to them.
    pub open_orders: Mask,
    /// Flags and assertions that are not decided yet.
    pub open_flags: Mask,
    /// Of those that are decided: do their tests hold?
    pub flags_hold: Mask,
}

impl<const W: usize> State<W> {
    /// What a choice of orders certainly contains.
    pub fn order(&self, choice: usize) -> &[Row<W>] {
        &self.orders[choice * self.n..(choice + 1) * self.n]
    }

    pub fn order_mut(&mut self, choice: usize) -> &mut [Row<W>] {
        &mut self.orders[choice * self.n..(choice + 1) * self.n]
    }

    /// Is there nothing left that a check or the base of an order could object to?
    pub fn is_settled(&self) -> bool {
        self.open_orders.is_empty() && self.open.is_empty()
    }

    pub fn copy_from(&mut self, other: &State<W>) {
        self.n = other.n;
        self.candidates.clone_from(&other.candidates);
        self.orders.clone_from(&other.orders);
        self.options.clone_from(&other.options);
        self.finals.clone_from(&other.finals);
        self.values.clone_from(&other.values);
        self.unmet = other.unmet;
        self.loose = other.loose;
        self.open = other.open;
        self.open_orders = other.open_orders;
        self.open_flags = other.open_flags;
        self.flags_hold = other.flags_hold;
    }
}

/// The alternatives of a mask.
pub(super) fn alternatives(mask: u64) -> impl Iterator<Item = usize> {
    rows::bits([mask])
}
