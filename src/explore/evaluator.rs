//! The bounds of everything in a world, and when each was computed.
//!
//! The code of a world ([`super::code`]) gives each node of the model a slot; here every slot has a lower and an upper bound. What is chosen is put
//! into its slots ([`super::bases`]), the code is run ([`super::run_code`]), and what a check rules out is handed back ([`super::refute`]).

use super::choices::State;
use super::code::{OrderVar, Side};
use super::mask::Mask;
use super::problem::Problem;
use super::run_code::LastRun;
use crate::model::TestKind;
use crate::relation::rows::{self, Row};

/// A check looked at before: still valid while its slot has not changed since.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen {
    /// When.
    at: u64,
    /// Did it hold?
    holds: bool,
    /// Was the closure kept?
    closed: bool,
}

/// The bounds of one world.
pub(super) struct Evaluator<'s, const W: usize> {
    pub problem: &'s Problem<'s>,
    pub n: usize,
    pub all: Row<W>,
    pub visible: Row<W>,
    /// Lower bounds, by slot.
    pub must: Vec<Row<W>>,
    /// Upper bounds, by slot.
    pub may: Vec<Row<W>>,
    /// Lower bounds of recursion variables at the root, by slot; empty where there are none.
    pub floor: Vec<Row<W>>,
    /// Pairs that the refuting pass found impossible, by slot.
    pub forbidden: Vec<Row<W>>,
    /// Upper bounds at the root, by slot.
    pub ceiling: Vec<Row<W>>,
    pub has_ceiling: bool,
    /// First row of each slot.
    pub offset: Vec<usize>,
    /// Closures of the acyclicity checks, `n` rows each, and of the bases of orders.
    pub closures: Vec<Row<W>>,
    pub scratch: Vec<Row<W>>,
    pub scratch2: Vec<Row<W>>,
    /// What each order is over.
    pub over: Vec<Row<W>>,
    /// Where a new value is computed before it is compared with the old one.
    pub fresh: Vec<Row<W>>,
    /// Likewise, where both bounds are.
    pub fresh_may: Vec<Row<W>>,
    /// What the slots of choices hold at present.
    pub loaded: State<W>,
    pub has_loaded: bool,
    /// Counts changes of slots.
    pub clock: u64,
    /// When each bound of each slot was computed last.
    pub computed: [Vec<u64>; 2],
    /// When each bound of each slot changed last.
    pub changed: [Vec<u64>; 2],
    /// When each loop was run last: plainly, and with both bounds of everything.
    pub loops: Vec<[LastRun; 2]>,
    /// The last look at each check and at each base of an order.
    seen: Vec<Seen>,
    /// Compute both bounds of every slot, needed or not: to find checks that are entailed.
    pub probing: bool,
    /// Checks being evaluated: slots that only others need are skipped.
    pub wanted: Mask,
}

impl<'s, const W: usize> Evaluator<'s, W> {
    pub fn new(problem: &'s Problem<'s>) -> Evaluator<'s, W> {
        let n = problem.code.numbering.len();
        let mut offset = Vec::with_capacity(problem.code.slots.len());
        let mut total = 0;
        for slot in &problem.code.slots {
            offset.push(total);
            total += if slot.is_set { 1 } else { n };
        }
        let row_of = |events: &mut dyn Iterator<Item = usize>| {
            let mut row: Row<W> = rows::zero();
            events.for_each(|event| rows::put(&mut row, event));
            row
        };
        let n_slots = problem.code.slots.len();
        let n_closures = problem.checks.len() + problem.orders.len();
        Evaluator {
            problem,
            n,
            all: row_of(&mut (0..n)),
            visible: row_of(&mut problem.visible.iter().copied()),
            must: vec![rows::zero(); total],
            may: vec![rows::zero(); total],
            floor: vec![rows::zero(); if problem.floors.is_empty() { 0 } else { total }],
            forbidden: vec![rows::zero(); total],
            ceiling: Vec::new(),
            has_ceiling: false,
            offset,
            closures: vec![rows::zero(); n * n_closures],
            scratch: vec![rows::zero(); n],
            scratch2: vec![rows::zero(); n],
            over: problem.orders.iter().map(|o| row_of(&mut o.over.iter().copied())).collect(),
            fresh: vec![rows::zero(); n.max(1)],
            fresh_may: vec![rows::zero(); n.max(1)],
            loaded: State::default(),
            has_loaded: false,
            clock: 1,
            computed: [vec![0; n_slots], vec![0; n_slots]],
            changed: [vec![1; n_slots], vec![1; n_slots]],
            loops: vec![[LastRun::default(); 2]; problem.code.n_loops],
            seen: vec![Seen::default(); n_closures],
            probing: false,
            wanted: Mask::ALL,
        }
    }

    /// Gives the slots that never change their values, and loops their beginnings.
    pub fn fill_constants(&mut self) {
        for (slot, rows) in &self.problem.constants {
            let at = self.offset[*slot as usize];
            for (index, words) in rows.chunks_exact(self.problem.words).enumerate() {
                let row = from_words(words);
                self.must[at + index] = row;
                self.may[at + index] = row;
            }
        }
        for (slot, rows) in &self.problem.floors {
            let at = self.offset[*slot as usize];
            for (index, words) in rows.chunks_exact(self.problem.words).enumerate() {
                self.floor[at + index] = from_words(words);
            }
        }
    }

    /// Does a check still hold on what is certain? Leaves the closure behind, if the refuting pass is to follow.
    pub fn check(&mut self, index: usize, refuting: bool) -> bool {
        let check = &self.problem.checks[index];
        let (at, size) = self.place(check.slot);
        let seen = self.seen[index];
        let closes = refuting && check.test == TestKind::Acyclic && !check.negated;
        let side = if check.negated { Side::May } else { Side::Must };
        if seen.at >= self.changed[side as usize][check.slot as usize] && (seen.closed || !closes) {
            return seen.holds;
        }
        let answer = if check.negated {
            // Violated only if the property certainly holds.
            !holds(check.test, &self.may[at..at + size])
        } else if closes {
            let closure = &mut self.closures[index * self.n..(index + 1) * self.n];
            closure.copy_from_slice(&self.must[at..at + size]);
            rows::close(closure);
            !rows::reflexive(closure)
        } else {
            holds(check.test, &self.must[at..at + size])
        };
        self.seen[index] = Seen { at: self.clock, holds: answer, closed: closes };
        answer
    }

    /// An order contains the closure of its base: adds what is certain. `None`: a cycle.
    pub fn contain_base(&mut self, state: &mut State<W>, index: usize, order: &OrderVar) -> Option<bool> {
        let slot = order.base?;
        let at = self.offset[slot as usize];
        // Orders of one choice usually share their base: its closure is computed for the first.
        let first = self.problem.orders.iter().position(|o| o.base == order.base).unwrap_or(index);
        let place = (self.problem.checks.len() + first) * self.n;
        let shared = &mut self.seen[self.problem.checks.len() + first];
        let closure = &mut self.closures[place..place + self.n];
        if shared.at < self.changed[Side::Must as usize][slot as usize] {
            closure.copy_from_slice(&self.must[at..at + self.n]);
            rows::close(closure);
            shared.at = self.clock;
        }
        let over = self.over[index];
        let rel = state.order_mut(order.choice);
        let mut changed = false;
        for a in &order.over {
            let missing = rows::and_not(&rows::and(&closure[*a], &over), &rel[*a]);
            for b in rows::bits(missing) {
                if !rows::add_closed(rel, *a, b) {
                    return None;
                }
                changed = true;
            }
        }
        Some(changed)
    }
}

pub(super) fn option_row<const W: usize>(problem: &Problem, rows: &[u64], row: usize) -> Row<W> {
    from_words(&rows[row * problem.words..(row + 1) * problem.words])
}

fn from_words<const W: usize>(words: &[u64]) -> Row<W> {
    let mut row = rows::zero();
    row[..words.len()].copy_from_slice(words);
    row
}

/// Does a relation (or set) have a property?
pub(super) fn holds<const W: usize>(test: TestKind, value: &[Row<W>]) -> bool {
    match test {
        TestKind::Empty => value.iter().all(rows::is_zero),
        TestKind::Irreflexive => !rows::reflexive(value),
        TestKind::Acyclic => rows::acyclic(value),
    }
}
