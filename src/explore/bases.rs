//! The bounds of what is chosen, from the state of the search.

use super::choices::{State, alternatives};
use super::code::{Code, OptionVar, Side, Slot};
use super::evaluator::{Evaluator, option_row};
use crate::relation::rows::{self, Row};

impl<const W: usize> Evaluator<'_, W> {
    /// Puts the bounds of what is chosen into their slots: of what is chosen otherwise than when this was done last.
    pub(super) fn load(&mut self, state: &State<W>) {
        let problem = self.problem;
        for slot in &problem.bases {
            match problem.code.slots[*slot as usize].code {
                Code::Rf => self.load_reads(*slot, state),
                Code::Choice(choice) => {
                    let same_options = |(index, variable): (usize, &OptionVar)| {
                        variable.choice != choice || state.options[index] == self.loaded.options[index]
                    };
                    let same = self.has_loaded
                        && state.order(choice) == self.loaded.order(choice)
                        && problem.options.iter().enumerate().all(same_options);
                    if !same {
                        self.load_choice(*slot, choice, state);
                    }
                }
                Code::Fw => {
                    let (must, may) = self.final_writes(state);
                    self.store(*slot, Side::Must, &[must]);
                    self.store(*slot, Side::May, &[may]);
                }
                _ if self.has_loaded => {}
                _ => {
                    let (at, size) = self.place(*slot);
                    self.may[at..at + size].fill(self.all);
                }
            }
        }
        self.loaded.n = state.n;
        self.loaded.candidates.clone_from(&state.candidates);
        self.loaded.orders.clone_from(&state.orders);
        self.loaded.options.clone_from(&state.options);
        self.has_loaded = true;
    }

    fn load_reads(&mut self, slot: Slot, state: &State<W>) {
        let at = self.offset[slot as usize];
        let (mut must_changed, mut may_changed) = (false, false);
        for (index, read) in self.problem.reads.iter().enumerate() {
            let row = state.candidates[index];
            let before = if self.has_loaded { self.loaded.candidates[index] } else { rows::zero() };
            if row == before {
                continue;
            }
            may_changed = true;
            rows::bits(before).for_each(|write| rows::drop_bit(&mut self.may[at + write], read.number));
            rows::bits(row).for_each(|write| rows::put(&mut self.may[at + write], read.number));
            let single = |row: &Row<W>| if rows::count(row) == 1 { rows::lowest(row) } else { None };
            if let Some(write) = single(&before) {
                must_changed = true;
                rows::drop_bit(&mut self.must[at + write], read.number);
            }
            if let Some(write) = single(&row) {
                must_changed = true;
                rows::put(&mut self.must[at + write], read.number);
            }
        }
        self.clock += 1;
        for (side, changed) in [(Side::Must, must_changed), (Side::May, may_changed)] {
            if changed {
                self.changed[side as usize][slot as usize] = self.clock;
            }
        }
    }

    fn load_choice(&mut self, slot: Slot, choice: usize, state: &State<W>) {
        let mut must = std::mem::take(&mut self.fresh);
        let mut may = std::mem::take(&mut self.fresh_may);
        let (_, size) = self.place(slot);
        must[..size].fill(rows::zero());
        may[..size].fill(rows::zero());
        self.choice_bounds(state, choice, &mut must[..size], &mut may[..size]);
        self.store(slot, Side::Must, &must[..size]);
        self.store(slot, Side::May, &may[..size]);
        self.fresh = must;
        self.fresh_may = may;
    }

    fn choice_bounds(&self, state: &State<W>, choice: usize, must: &mut [Row<W>], may: &mut [Row<W>]) {
        let problem = self.problem;
        let rel = state.order(choice);
        for (index, order) in problem.orders.iter().enumerate() {
            if order.choice != choice {
                continue;
            }
            let over = self.over[index];
            for a in &order.over {
                must[*a] = rows::or(&must[*a], &rel[*a]);
                let mut after = over;
                rows::drop_bit(&mut after, *a);
                may[*a] = rows::or(&may[*a], &after);
            }
            for a in &order.over {
                for b in rows::bits(rel[*a]) {
                    rows::drop_bit(&mut may[b], *a);
                }
            }
        }
        for (index, variable) in problem.options.iter().enumerate() {
            if variable.choice != choice {
                continue;
            }
            for row in 0..must.len() {
                let mut certain: Row<W> = self.all;
                let mut possible = rows::zero();
                for option in alternatives(state.options[index]) {
                    let value = option_row(problem, &variable.options[option], row);
                    certain = rows::and(&certain, &value);
                    possible = rows::or(&possible, &value);
                }
                must[row] = rows::or(&must[row], &certain);
                may[row] = rows::or(&may[row], &possible);
            }
        }
    }

    /// Bounds of the set of final writes.
    fn final_writes(&self, state: &State<W>) -> (Row<W>, Row<W>) {
        let (mut must, mut may) = (rows::zero(), rows::zero());
        let mut add = |row: &Row<W>| {
            may = rows::or(&may, row);
            if rows::count(row) == 1 {
                must = rows::or(&must, row);
            }
        };
        for last in &self.problem.last_of_order {
            add(&last.ends(state));
        }
        state.finals.iter().for_each(add);
        (must, may)
    }
}
