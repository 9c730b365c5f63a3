//! The bounds of what is chosen, from the state of the search.

use super::code::{Code, Side};
use super::search::{Search, State, alternatives, option_row};
use crate::relation::rows::{self, Row};

impl<const W: usize> Search<'_, '_, W> {
    /// Puts the bounds of what is chosen into their slots.
    pub(super) fn load(&mut self, state: &State<W>) {
        let problem = self.problem;
        let mut must = std::mem::take(&mut self.fresh);
        let mut may = std::mem::take(&mut self.fresh_may);
        for slot in &problem.bases {
            let info = &problem.code.slots[*slot as usize];
            let size = if info.is_set { 1 } else { self.n };
            must[..size].fill(rows::zero());
            may[..size].fill(rows::zero());
            match info.code {
                Code::Rf => {
                    for (index, read) in problem.reads.iter().enumerate() {
                        let row = state.candidates[index];
                        for write in rows::bits(row) {
                            rows::put(&mut may[write], read.number);
                        }
                        if rows::count(&row) == 1
                            && let Some(write) = rows::lowest(&row)
                        {
                            rows::put(&mut must[write], read.number);
                        }
                    }
                }
                Code::Choice(choice) => self.load_choice(state, choice, &mut must[..size], &mut may[..size]),
                Code::Fw => (must[0], may[0]) = self.final_writes(state),
                _ => may[..size].fill(self.all),
            }
            self.store(*slot, Side::Must, &must[..size]);
            self.store(*slot, Side::May, &may[..size]);
        }
        self.fresh = must;
        self.fresh_may = may;
    }

    fn load_choice(&self, state: &State<W>, choice: usize, must: &mut [Row<W>], may: &mut [Row<W>]) {
        let problem = self.problem;
        let rel = &state.orders[choice * self.n..(choice + 1) * self.n];
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
            let rel = &state.orders[last.choice * self.n..(last.choice + 1) * self.n];
            let mut left = rows::zero();
            for write in &last.writes {
                if !last.writes.iter().any(|other| rows::has(&rel[*write], *other)) {
                    rows::put(&mut left, *write);
                }
            }
            add(&left);
        }
        state.finals.iter().for_each(add);
        (must, may)
    }
}
