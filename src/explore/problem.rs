//! One world and one model, ready to be searched: what is left to choose, and what decides.

use super::choices::State;
use super::code::{Check, OptionVar, OrderVar, Slot};
use super::compile::Compiled;
use super::domains::Domains;
use super::finals::Registers;
use super::mask::Mask;
use super::naive::event_value;
use crate::execution::{SymVal, View, World};
use crate::model::{Model, ValueTest};
use crate::program::Value;
use crate::relation::rows::{self, Row};

/// A read of the world.
pub(super) struct ReadVar {
    /// Its event in the world.
    pub event: usize,
    /// Its number in the search.
    pub number: usize,
    /// Writes it may take its value from, by number.
    pub candidates: Vec<usize>,
    /// Is it the read of a read-modify-write?
    pub updates: bool,
}

/// An observed cell: its last write is to be chosen, or is the last of an order.
pub(super) struct LastVar {
    /// The order choice, where it is the last of an order.
    pub choice: usize,
    /// The writes in question, by number.
    pub writes: Vec<usize>,
    /// Position in `World::observed`.
    pub position: usize,
}

impl LastVar {
    /// The writes that may still be the last of their order.
    pub fn ends<const W: usize>(&self, state: &State<W>) -> Row<W> {
        let rel = state.order(self.choice);
        let mut ends = rows::zero();
        let is_end = |write: &&usize| !self.writes.iter().any(|other| rows::has(&rel[**write], *other));
        self.writes.iter().filter(is_end).for_each(|write| rows::put(&mut ends, *write));
        ends
    }
}

/// A constraint on values.
pub(super) struct Reader {
    /// Must be non-zero, or zero.
    pub value: SymVal,
    /// Which.
    pub expected: bool,
    /// The reads it mentions.
    pub reads: Vec<usize>,
}

/// A world to be searched.
pub(super) struct Problem<'p> {
    pub world: &'p World,
    pub view: &'p View<'p>,
    pub bits: u32,
    pub code: Compiled,
    /// Visible events, by number.
    pub visible: Vec<usize>,
    /// Constant slots with their rows, but for those that are empty.
    pub constants: Vec<(Slot, Vec<u64>)>,
    /// What recursion variables certainly hold before anything is chosen: where their loops begin.
    pub floors: Vec<(Slot, Vec<u64>)>,
    /// Words per row of constants and options.
    pub words: usize,
    /// Slots of what is chosen.
    pub bases: Vec<Slot>,
    pub reads: Vec<ReadVar>,
    pub orders: Vec<OrderVar>,
    pub options: Vec<OptionVar>,
    pub finals: Vec<LastVar>,
    pub last_of_order: Vec<LastVar>,
    /// What the orders contain from the start: choice, from, to.
    pub ordered: Vec<(usize, usize, usize)>,
    /// Pairs of writes that the condition asked for puts into an order: choice, earlier, last.
    pub must_be_last: Vec<(usize, usize, usize)>,
    pub n_choices: usize,
    /// Plain checks not decided at the root.
    pub checks: Vec<Check>,
    /// Flags and assertions not decided at the root.
    pub flags: Vec<Check>,
    /// Flags that every execution of this world raises.
    pub sure_flags: Vec<String>,
    /// Does every execution of this world fail an `undefined_unless`?
    pub sure_undefined: bool,
    pub constraints: Vec<Reader>,
    /// All written values are known and there is no constraint: nothing to solve.
    pub plain_values: bool,
    /// Reads that some constraint or some written value depends on, by event: until they are bound values are to be
    /// solved. (All reads, where the model compares values.)
    pub value_reads: Vec<usize>,
    /// For each read: does the final state show it?
    pub looked_at: Vec<bool>,
    pub n_values: usize,
    /// The value of each write that is known from the start, by number.
    pub known_values: Vec<Option<Value>>,
    /// Where the final value of each observed register stands in `World::final_regs`.
    pub registers: Registers,
    /// The orders whose base is not known from the start.
    pub open_orders: Mask,
    /// The model must be run plainly on every complete candidate (it has parts that cannot be bounded).
    pub plain_leaf: bool,
    /// No operation of this world can be without meaning.
    pub harmless: bool,
    pub model: &'p Model,
}

impl Problem<'_> {
    /// Is there enough to choose for several workers?
    pub fn is_large(&self) -> bool {
        // Tests share out even small searches.
        self.alternatives() > if cfg!(test) { 2.0 } else { 12.0 }
    }

    /// Is there so much to choose that a worker may ask others for help who have worlds of their own to look into?
    pub fn is_huge(&self) -> bool {
        self.alternatives() > if cfg!(test) { 6.0 } else { 30.0 }
    }

    /// How many alternatives there are, about, as a power of two.
    pub fn alternatives(&self) -> f64 {
        let reads = self.reads.iter().map(|read| (read.candidates.len() as f64).log2()).sum::<f64>();
        let orders = self.orders.iter().map(|order| order.over.len() as f64).sum::<f64>();
        reads + orders
    }

    /// The values that reads can have, where knowing them helps.
    pub fn domains(&self) -> Option<Domains<'_>> {
        if self.plain_values {
            return None;
        }
        let constraints = self.constraints.iter().map(|constraint| (&constraint.value, constraint.expected));
        let is_read = |event: &usize| self.reads.iter().any(|read| read.event == *event);
        Domains::of(self.world, constraints, self.bits).filter(|domains| domains.reads.iter().all(is_read))
    }

    /// Are the values of two events (by number) certainly as asked, or certainly not? `None`: not known.
    pub fn test_values(&self, test: ValueTest, values: &[Option<Value>], a: usize, b: usize) -> Option<bool> {
        let kept = &self.code.numbering.kept;
        let (a, b) = (kept[a], kept[b]);
        let value = |event: usize| event_value(self.world, values, event, self.bits);
        self.world.test_values(test, self.view.names.program, (a, value(a)), (b, value(b)))
    }
}
