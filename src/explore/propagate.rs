//! What follows from the choices made: refuted branches, decided choices, entailed checks.

use super::choices::{State, alternatives};
use super::code::Code;
use super::evaluator::{holds, option_row};
use super::mask::Mask;
use super::search::{Branch, Search};
use crate::relation::rows::{self, Row};

impl<const W: usize> Search<'_, '_, W> {
    /// Runs the code on the bounds until nothing new follows; then says what to decide next. `None`: refuted.
    pub(super) fn propagate(&mut self, state: &mut State<W>) -> Option<Branch> {
        let problem = self.problem;
        loop {
            if !self.solve_values(state) {
                return None;
            }
            if state.is_settled() {
                // Every check is entailed: what is left need only be listed.
                if !state.open_flags.is_empty() {
                    let left = self.choices_left(state);
                    self.probe(state, left);
                }
                return Some(self.branch(state));
            }
            // The bases of orders are always needed.
            self.eval.wanted = state.open | Mask::always();
            self.eval.load(state);
            self.eval.run_items(&problem.code.main, state);
            let mut changed = false;
            for (index, order) in problem.orders.iter().enumerate() {
                if order.base.is_none() || !state.open_orders.has(index) {
                    continue;
                }
                match self.eval.contain_base(state, index, order) {
                    Some(more) => changed |= more,
                    None => {
                        self.tally.pruned[problem.checks.len()] += 1;
                        return None;
                    }
                }
            }
            // With a single choice left, trying it is as cheap as refuting it.
            let left = self.choices_left(state);
            let last = left <= 1;
            for index in 0..problem.checks.len() {
                if state.open.has(index) && !self.eval.check(index, !last) {
                    self.tally.pruned[index] += 1;
                    return None;
                }
            }
            if last {
                if !changed {
                    return Some(self.branch(state));
                }
                continue;
            }
            if self.options.attribute {
                self.attribute(state);
            }
            self.eval.refute(state, None);
            match self.apply(state) {
                Some(more) => changed |= more,
                None => {
                    self.tally.pruned[problem.checks.len() + 1] += 1;
                    return None;
                }
            }
            if !changed {
                self.probe(state, left);
                return Some(self.branch(state));
            }
        }
    }

    /// Looks for checks that hold in every completion, and closes them; likewise for flags that are sure to be raised or
    /// not to be. Costs about as much as another evaluation, so it is only done where much is left to choose, or where it
    /// has paid off so far; always where subtrees are shared out, since what has paid off differs from worker to worker.
    fn probe(&mut self, state: &mut State<W>, left: usize) {
        let problem = self.problem;
        let pays =
            self.is_the_same_for_all() || self.tally.hits * 4 >= self.tally.probes || self.tally.probes < 16;
        if left < 2 || (left < 5 && !pays) {
            return;
        }
        self.tally.probes += 1;
        self.eval.probing = true;
        // Flags are worth a look only where they are evaluated at every leaf otherwise.
        let flags = !state.open_flags.is_empty();
        if flags {
            self.eval.wanted = Mask::ALL;
            self.eval.load(state);
        }
        self.eval.run_items(&problem.code.main, state);
        if flags {
            self.eval.run_items(&problem.code.late, state);
        }
        self.eval.probing = false;
        let before = (state.open, state.open_orders, state.open_flags);
        for (index, order) in problem.orders.iter().enumerate() {
            let may_close = Mask::can_close(index) && state.open_orders.has(index);
            let Some(slot) = order.base.filter(|_| may_close) else { continue };
            let (at, size) = self.eval.place(slot);
            self.eval.scratch[..size].copy_from_slice(&self.eval.may[at..at + size]);
            rows::close(&mut self.eval.scratch[..size]);
            let rel = state.order(order.choice);
            let over = self.eval.over[index];
            let inside = |a: &usize| {
                rows::is_zero(&rows::and_not(&rows::and(&self.eval.scratch[*a], &over), &rel[*a]))
            };
            if order.over.iter().all(inside) {
                state.open_orders.close(index);
            }
        }
        if flags {
            for (index, flag) in problem.flags.iter().enumerate() {
                if Mask::can_close(index) && state.open_flags.has(index) {
                    let (at, size) = self.eval.place(flag.slot);
                    let sure = if holds(flag.test, &self.eval.may[at..at + size]) {
                        Some(!flag.negated)
                    } else if !holds(flag.test, &self.eval.must[at..at + size]) {
                        Some(flag.negated)
                    } else {
                        None
                    };
                    if let Some(sure) = sure {
                        state.open_flags.close(index);
                        if sure {
                            state.flags_hold |= Mask::of(index);
                        }
                    }
                }
            }
        }
        self.entail(state, left);
        if before != (state.open, state.open_orders, state.open_flags) {
            self.tally.hits += 1;
            before.0.without(state.open).for_each(|check| self.tally.entailed[check] += 1);
            self.tally.entailed[problem.checks.len()] += before.1.without(state.open_orders).count() as u64;
        }
    }

    /// How much is left to choose, as far as it is interesting: reads, options and final writes, and pairs of orders.
    pub(super) fn choices_left(&self, state: &mut State<W>) -> usize {
        let several = |row: &&Row<W>| rows::count(row) > 1;
        self.open_pairs(state, 5)
            + state.candidates.iter().filter(several).count()
            + state.options.iter().filter(|mask| mask.count_ones() > 1).count()
            + state.finals.iter().filter(several).count()
    }

    /// How many pairs of events are not ordered yet, up to a bound. Notes which orders have none.
    fn open_pairs(&self, state: &mut State<W>, enough: usize) -> usize {
        let mut found = 0;
        for (index, order) in self.problem.orders.iter().enumerate() {
            if !state.loose.has(index) {
                continue;
            }
            let rel = state.order(order.choice);
            let size = order.over.len();
            let decided: u32 =
                order.over.iter().map(|a| rows::count(&rows::and(&rel[*a], &self.eval.over[index]))).sum();
            let open = size * (size - 1) / 2 - decided as usize;
            if open == 0 {
                state.loose.close(index);
            }
            found += open;
            if found >= enough {
                break;
            }
        }
        found
    }

    /// Counts what each check rules out on its own.
    fn attribute(&mut self, state: &State<W>) {
        let size = |state: &State<W>| {
            let alternatives: u32 = state.candidates.iter().map(rows::count).sum();
            let options: u32 = state.options.iter().map(|mask| mask.count_ones()).sum();
            let ordered: u32 = state.orders.iter().map(rows::count).sum();
            (alternatives + options, ordered)
        };
        for by in 0..=self.problem.checks.len() {
            self.eval.refute(state, Some(by));
            let mut without = state.clone();
            self.apply(&mut without);
            let (before, after) = (size(state), size(&without));
            self.tally.ruled_out[by] += u64::from(before.0 - after.0 + after.1 - before.1);
        }
    }

    /// Takes what the refuting pass found. `None`: nothing is left for some choice.
    fn apply(&mut self, state: &mut State<W>) -> Option<bool> {
        let problem = self.problem;
        let mut changed = false;
        for slot in &problem.bases {
            let at = self.eval.offset[*slot as usize];
            match problem.code.slots[*slot as usize].code {
                Code::Rf => {
                    for (index, read) in problem.reads.iter().enumerate() {
                        let row = state.candidates[index];
                        if rows::count(&row) == 1 {
                            continue;
                        }
                        for write in rows::bits(row) {
                            if rows::has(&self.eval.forbidden[at + write], read.number) {
                                rows::drop_bit(&mut state.candidates[index], write);
                                changed = true;
                            }
                        }
                        if rows::is_zero(&state.candidates[index]) {
                            return None;
                        }
                    }
                }
                Code::Choice(choice) => {
                    let rel = state.order_mut(choice);
                    for (index, order) in problem.orders.iter().enumerate() {
                        if order.choice != choice {
                            continue;
                        }
                        for a in &order.over {
                            // (a, b) is impossible and not decided yet: b comes before a.
                            let mut open = rows::and(&self.eval.forbidden[at + a], &self.eval.over[index]);
                            open = rows::and_not(&open, &rel[*a]);
                            rows::drop_bit(&mut open, *a);
                            for b in rows::bits(open) {
                                if !rows::has(&rel[b], *a) {
                                    if !rows::add_closed(rel, b, *a) {
                                        return None;
                                    }
                                    changed = true;
                                }
                            }
                        }
                    }
                    let size = if problem.code.slots[*slot as usize].is_set { 1 } else { self.eval.n };
                    for (index, variable) in problem.options.iter().enumerate() {
                        if variable.choice != choice || state.options[index].count_ones() == 1 {
                            continue;
                        }
                        for option in alternatives(state.options[index]) {
                            let bad = (0..size).any(|row| {
                                let value = option_row(problem, &variable.options[option], row);
                                !rows::is_zero(&rows::and(&value, &self.eval.forbidden[at + row]))
                            });
                            if bad {
                                state.options[index] &= !(1 << option);
                                changed = true;
                            }
                        }
                        if state.options[index] == 0 {
                            return None;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(changed)
    }
}
