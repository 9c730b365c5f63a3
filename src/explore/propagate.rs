//! What follows from the choices made: refuted branches, decided choices, entailed checks.

use super::code::{Code, OrderVar, Side};
use super::entail::closable;
use super::search::{Branch, Search, State, alternatives, is_open, option_row};
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

impl<const W: usize> Search<'_, '_, W> {
    /// Runs the code on the bounds until nothing new follows; then says what to decide next. `None`: refuted.
    pub(super) fn propagate(&mut self, state: &mut State<W>) -> Option<Branch> {
        let problem = self.problem;
        loop {
            if !self.solve_values(state) {
                return None;
            }
            if state.open_orders == 0 && state.open & problem.all_checks == 0 {
                // Every check is entailed: what is left need only be listed.
                if state.open_flags != 0 {
                    let left = self.choices_left(state);
                    self.probe(state, left);
                }
                return Some(self.branch(state));
            }
            // The top bit stands for the bases of orders, which are always needed.
            self.wanted = state.open | 1 << 63;
            self.load(state);
            self.run_items(&problem.code.main, state);
            let mut changed = false;
            for (index, order) in problem.orders.iter().enumerate() {
                if order.base.is_none() || !is_open(state.open_orders, index) {
                    continue;
                }
                match self.contain_base(state, index, order) {
                    Some(more) => changed |= more,
                    None => {
                        self.pruned[problem.checks.len()] += 1;
                        return None;
                    }
                }
            }
            // With a single choice left, trying it is as cheap as refuting it.
            let left = self.choices_left(state);
            let last = left <= 1;
            for index in 0..problem.checks.len() {
                if is_open(state.open, index) && !self.check(index, !last) {
                    self.pruned[index] += 1;
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
            self.refute(state, None);
            match self.apply(state) {
                Some(more) => changed |= more,
                None => {
                    self.pruned[problem.checks.len() + 1] += 1;
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
    /// has paid off so far.
    fn probe(&mut self, state: &mut State<W>, left: usize) {
        let problem = self.problem;
        let pays = self.hits * 4 >= self.probes || self.probes < 16;
        if left < 2 || (left < 5 && !pays) {
            return;
        }
        self.probes += 1;
        self.probing = true;
        // Flags are worth a look only where they are evaluated at every leaf otherwise.
        let flags = state.open_flags != 0;
        if flags {
            self.wanted = !0;
            self.load(state);
        }
        self.run_items(&problem.code.main, state);
        if flags {
            self.run_items(&problem.code.late, state);
        }
        self.probing = false;
        let before = (state.open, state.open_orders, state.open_flags);
        for (index, order) in problem.orders.iter().enumerate().take(63) {
            let Some(slot) = order.base.filter(|_| state.open_orders >> index & 1 == 1) else { continue };
            let (at, size) = self.place(slot);
            self.scratch[..size].copy_from_slice(&self.may[at..at + size]);
            rows::close(&mut self.scratch[..size]);
            let rel = &state.orders[order.choice * self.n..(order.choice + 1) * self.n];
            let over = self.over[index];
            let inside =
                |a: &usize| rows::is_zero(&rows::and_not(&rows::and(&self.scratch[*a], &over), &rel[*a]));
            if order.over.iter().all(inside) {
                state.open_orders &= !(1 << index);
            }
        }
        if flags {
            for (index, flag) in problem.flags.iter().enumerate() {
                if closable(index, problem.flags.len()) && is_open(state.open_flags, index) {
                    let (at, size) = self.place(flag.slot);
                    let sure = if holds(flag.test, &self.may[at..at + size]) {
                        Some(!flag.negated)
                    } else if !holds(flag.test, &self.must[at..at + size]) {
                        Some(flag.negated)
                    } else {
                        None
                    };
                    if let Some(sure) = sure {
                        state.open_flags &= !(1 << index);
                        state.flags_hold |= u64::from(sure) << index;
                    }
                }
            }
        }
        self.entail(state, left);
        if before != (state.open, state.open_orders, state.open_flags) {
            self.hits += 1;
            rows::bits([before.0 & !state.open]).for_each(|check| self.entailed[check] += 1);
            self.entailed[problem.checks.len()] += u64::from((before.1 & !state.open_orders).count_ones());
        }
    }

    /// How much is left to choose, as far as it is interesting: reads, options and final writes, and pairs of orders.
    fn choices_left(&self, state: &mut State<W>) -> usize {
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
            if !is_open(state.loose, index) {
                continue;
            }
            let rel = &state.orders[order.choice * self.n..(order.choice + 1) * self.n];
            let size = order.over.len();
            let decided: u32 =
                order.over.iter().map(|a| rows::count(&rows::and(&rel[*a], &self.over[index]))).sum();
            let open = size * (size - 1) / 2 - decided as usize;
            if open == 0 && index < 64 {
                state.loose &= !(1 << index);
            }
            found += open;
            if found >= enough {
                break;
            }
        }
        found
    }

    /// Does a check still hold on what is certain? Leaves the closure behind, if the refuting pass is to follow.
    fn check(&mut self, index: usize, refuting: bool) -> bool {
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
    fn contain_base(&mut self, state: &mut State<W>, index: usize, order: &OrderVar) -> Option<bool> {
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
        let rel = &mut state.orders[order.choice * self.n..(order.choice + 1) * self.n];
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

    /// Counts what each check rules out on its own.
    fn attribute(&mut self, state: &State<W>) {
        let size = |state: &State<W>| {
            let alternatives: u32 = state.candidates.iter().map(rows::count).sum();
            let options: u32 = state.options.iter().map(|mask| mask.count_ones()).sum();
            let ordered: u32 = state.orders.iter().map(rows::count).sum();
            (alternatives + options, ordered)
        };
        for by in 0..=self.problem.checks.len() {
            self.refute(state, Some(by));
            let mut without = state.clone();
            self.apply(&mut without);
            let (before, after) = (size(state), size(&without));
            self.ruled_out[by] += u64::from(before.0 - after.0 + after.1 - before.1);
        }
    }

    /// Takes what the refuting pass found. `None`: nothing is left for some choice.
    fn apply(&mut self, state: &mut State<W>) -> Option<bool> {
        let problem = self.problem;
        let mut changed = false;
        for slot in &problem.bases {
            let at = self.offset[*slot as usize];
            match problem.code.slots[*slot as usize].code {
                Code::Rf => {
                    for (index, read) in problem.reads.iter().enumerate() {
                        let row = state.candidates[index];
                        if rows::count(&row) == 1 {
                            continue;
                        }
                        for write in rows::bits(row) {
                            if rows::has(&self.forbidden[at + write], read.number) {
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
                    let rel = &mut state.orders[choice * self.n..(choice + 1) * self.n];
                    for (index, order) in problem.orders.iter().enumerate() {
                        if order.choice != choice {
                            continue;
                        }
                        for a in &order.over {
                            // (a, b) is impossible and not decided yet: b comes before a.
                            let mut open = rows::and(&self.forbidden[at + a], &self.over[index]);
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
                    let size = if problem.code.slots[*slot as usize].is_set { 1 } else { self.n };
                    for (index, variable) in problem.options.iter().enumerate() {
                        if variable.choice != choice || state.options[index].count_ones() == 1 {
                            continue;
                        }
                        for option in alternatives(state.options[index]) {
                            let bad = (0..size).any(|row| {
                                let value = option_row(problem, &variable.options[option], row);
                                !rows::is_zero(&rows::and(&value, &self.forbidden[at + row]))
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

/// Does a relation (or set) have a property?
pub(super) fn holds<const W: usize>(test: TestKind, value: &[Row<W>]) -> bool {
    match test {
        TestKind::Empty => value.iter().all(rows::is_zero),
        TestKind::Irreflexive => !rows::reflexive(value),
        TestKind::Acyclic => rows::acyclic(value),
    }
}
