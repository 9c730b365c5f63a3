//! What is left of a problem, as a key: two states with the same key have the same completions of what is still to be chosen.
//!
//! A check is a formula over what is not decided yet. From each open check the pass goes back through the code, as the refuting pass does, and notes
//! of every operand the pairs that a pair not decided yet hangs on: whether they are certain, or possible. Pairs that nothing hangs on any more are
//! history, and are not in the key. Of what is certain inside a closure only matters which end of an open pair it leads to which; of `acyclic`, only
//! what lies on a cycle of the upper bound.

use super::choices::State;
use super::code::{Code, Slot};
use super::evaluator::Evaluator;
use super::mask::Mask;
use super::search::Search;
use crate::model::TestKind;
use crate::relation::rows::{self, Row};

impl<const W: usize> Search<'_, '_, W> {
    /// Notes what is left in a key. `None`: that cannot be said.
    pub(super) fn residual(&mut self, state: &State<W>, key: &mut Vec<u64>) -> Option<()> {
        self.note_choices(state, key);
        self.repeats.relevant.clear();
        if !state.is_settled() {
            self.eval.wanted = state.open | Mask::always();
            self.eval.probing = true;
            self.eval.load(state);
            self.eval.run_items(&self.problem.code.main, state);
            self.eval.probing = false;
            let mut relevant = std::mem::take(&mut self.repeats.relevant);
            relevant.resize(self.eval.may.len(), rows::zero());
            let noted = Formulas { eval: &self.eval, relevant: &mut relevant, key }.note(state);
            self.repeats.relevant = relevant;
            noted?;
        }
        Some(())
    }

    /// Notes the alternatives that are left, and values that others hang on.
    fn note_choices(&mut self, state: &State<W>, key: &mut Vec<u64>) {
        let problem = self.problem;
        for (read, row) in state.candidates.iter().enumerate() {
            if rows::count(row) > 1 || self.waits(state, read) {
                key.push(read as u64);
                key.extend(row);
            }
        }
        key.push(u64::MAX);
        for (index, order) in problem.orders.iter().enumerate().filter(|(index, _)| state.loose.has(*index)) {
            let rel = state.order(order.choice);
            let loose = loose(rel, &order.over, &self.eval.over[index]);
            if !rows::is_zero(&loose) {
                key.push(index as u64);
                key.extend(loose);
                rows::bits(loose).for_each(|event| key.extend(rows::and(&rel[event], &loose)));
            }
        }
        key.push(u64::MAX);
        key.extend(&state.options);
        if problem.plain_values {
            return;
        }
        let mut live = vec![false; problem.n_values];
        for (read, row) in state.candidates.iter().enumerate() {
            if rows::count(row) > 1 || self.waits(state, read) {
                let sources = rows::bits(*row).flat_map(|write| &self.repeats.depends_on[write]);
                sources.for_each(|event| live[*event] = true);
            }
        }
        for constraint in &problem.constraints {
            if constraint.reads.iter().any(|event| state.values[*event].is_none()) {
                constraint.reads.iter().for_each(|event| live[*event] = true);
            }
        }
        for event in (0..live.len()).filter(|event| live[*event]) {
            key.push(event as u64);
            key.push(state.values[event].map_or(0, |value| 1 + u64::from(self.repeats.number(value))));
        }
        key.push(u64::MAX);
    }

    /// Is the value of a read not known, although its source may be?
    pub(super) fn waits(&self, state: &State<W>, read: usize) -> bool {
        !self.problem.plain_values && state.values[self.problem.reads[read].event].is_none()
    }
}

impl<const W: usize> Search<'_, '_, W> {
    /// Does anything that is not decided yet hang on how these events of a choice are ordered? (As of the state that was looked at last.)
    pub(super) fn hangs_on(&self, choice: usize, events: &Row<W>) -> bool {
        let is_it = |slot: &&Slot| matches!(self.problem.code.slots[**slot as usize].code, Code::Choice(other) if other == choice);
        self.problem.bases.iter().filter(is_it).any(|slot| {
            let at = self.eval.offset[*slot as usize];
            let relevant = |event: usize| self.repeats.relevant.get(at + event);
            rows::bits(*events)
                .any(|event| relevant(event).is_some_and(|row| !rows::is_zero(&rows::and(row, events))))
        })
    }
}

/// The events of an order that are not ordered with all others yet.
pub(super) fn loose<const W: usize>(rel: &[Row<W>], events: &[usize], over: &Row<W>) -> Row<W> {
    let mut before = vec![0u32; rel.len()];
    for event in events {
        rows::bits(rows::and(&rel[*event], over)).for_each(|later| before[later] += 1);
    }
    let mut loose: Row<W> = rows::zero();
    for event in events {
        let ordered = before[*event] + rows::count(&rows::and(&rel[*event], over));
        if (ordered as usize) + 1 < events.len() {
            rows::put(&mut loose, *event);
        }
    }
    loose
}

/// The formulas of the checks that are open: both bounds of all their slots are known.
struct Formulas<'f, 's, const W: usize> {
    eval: &'f Evaluator<'s, W>,
    /// Pairs that something not decided hangs on, by slot.
    relevant: &'f mut [Row<W>],
    key: &'f mut Vec<u64>,
}

impl<const W: usize> Formulas<'_, '_, W> {
    fn note(&mut self, state: &State<W>) -> Option<()> {
        let problem = self.eval.problem;
        for (index, check) in problem.checks.iter().enumerate().filter(|(index, _)| state.open.has(*index)) {
            if check.negated {
                return None;
            }
            let (at, size) = self.eval.place(check.slot);
            match check.test {
                TestKind::Empty => {
                    rows::union_with(&mut self.relevant[at..at + size], &self.eval.may[at..at + size])
                }
                TestKind::Irreflexive => {
                    for event in 0..size {
                        if rows::has(&self.eval.may[at + event], event) {
                            rows::put(&mut self.relevant[at + event], event);
                        }
                    }
                }
                TestKind::Acyclic => {
                    let mut round = self.eval.may[at..at + size].to_vec();
                    rows::close(&mut round);
                    let mut open = Vec::with_capacity(size);
                    for (event, row) in self.eval.may[at..at + size].iter().enumerate() {
                        let mut on_cycle: Row<W> = rows::zero();
                        rows::bits(rows::and_not(row, &self.eval.must[at + event]))
                            .filter(|to| rows::has(&round[*to], event))
                            .for_each(|to| rows::put(&mut on_cycle, to));
                        open.push(on_cycle);
                    }
                    if open.iter().all(rows::is_zero) {
                        continue;
                    }
                    self.key.push(index as u64);
                    let nowhere: Row<W> = rows::zero();
                    let here = |from: usize, to: usize| rows::has(&round[to], from);
                    self.note_ways(check.slot, &open, (&nowhere, &nowhere), &here);
                }
            }
        }
        for (index, order) in problem.orders.iter().enumerate() {
            if let Some(base) = order.base.filter(|_| state.open_orders.has(index)) {
                self.key.push((problem.checks.len() + index) as u64);
                self.note_base(base, state.order(order.choice), &self.eval.over[index]);
            }
        }
        self.key.push(u64::MAX);
        for slot in (0..problem.code.slots.len()).rev() {
            self.hand_on(slot as Slot)?;
        }
        Some(())
    }

    /// What the base of an order may still add to it: the pairs that it may lead to and the order does not have, and which of them go against the order.
    fn note_base(&mut self, base: Slot, rel: &[Row<W>], over: &Row<W>) {
        let (at, size) = self.eval.place(base);
        let mut ways = self.eval.may[at..at + size].to_vec();
        rows::close(&mut ways);
        let (mut from, mut to): (Row<W>, Row<W>) = (rows::zero(), rows::zero());
        for event in rows::bits(*over) {
            let added = rows::and_not(&rows::and(&ways[event], over), &rel[event]);
            if rows::is_zero(&added) {
                continue;
            }
            let mut against: Row<W> = rows::zero();
            rows::bits(added)
                .filter(|other| rows::has(&rel[*other], event))
                .for_each(|other| rows::put(&mut against, other));
            self.key.push(event as u64);
            self.key.extend(added);
            self.key.extend(against);
            rows::put(&mut from, event);
            to = rows::or(&to, &added);
        }
        self.key.push(u64::MAX);
        let steps = self.open_steps(base, &ways, (&from, &to));
        self.note_ways(base, &steps, (&from, &to), &|_, _| true);
    }

    /// The pairs of a relation that are open and lie on a way from some events to others, over pairs that are possible: `ways` is their closure.
    fn open_steps(&self, slot: Slot, ways: &[Row<W>], (from, to): (&Row<W>, &Row<W>)) -> Vec<Row<W>> {
        let (at, size) = self.eval.place(slot);
        let reaches = |x: usize, y: usize| x == y || rows::has(&ways[x], y);
        let row_of = |event: usize| {
            let mut row: Row<W> = rows::zero();
            let step = rows::and_not(&self.eval.may[at + event], &self.eval.must[at + event]);
            if !rows::is_zero(&step) && rows::bits(*from).any(|x| reaches(x, event)) {
                rows::bits(step)
                    .filter(|next| rows::bits(*to).any(|y| reaches(*next, y)))
                    .for_each(|next| rows::put(&mut row, next));
            }
            row
        };
        (0..size).map(row_of).collect()
    }

    /// Pairs of a relation that are open, of which a closure is to be known from some events to others: they are relevant, and so is where what is
    /// certain leads from their ends to their beginnings.
    fn note_ways(
        &mut self,
        slot: Slot,
        open: &[Row<W>],
        (from, to): (&Row<W>, &Row<W>),
        counts: &dyn Fn(usize, usize) -> bool,
    ) {
        let (at, size) = self.eval.place(slot);
        let (mut heads, mut tails) = (*from, *to);
        for (event, row) in open.iter().enumerate().filter(|(_, row)| !rows::is_zero(row)) {
            rows::put(&mut tails, event);
            heads = rows::or(&heads, row);
            self.relevant[at + event] = rows::or(&self.relevant[at + event], row);
            self.key.push(event as u64);
            self.key.extend(row);
        }
        self.key.push(u64::MAX);
        let mut certain = self.eval.must[at..at + size].to_vec();
        rows::close(&mut certain);
        for head in rows::bits(heads) {
            let mut reached: Row<W> = rows::zero();
            rows::bits(rows::and(&certain[head], &tails))
                .filter(|tail| counts(head, *tail))
                .for_each(|tail| rows::put(&mut reached, tail));
            if !rows::is_zero(&reached) {
                self.key.push(head as u64);
                self.key.extend(reached);
            }
        }
        self.key.push(u64::MAX);
    }

    /// Notes what is relevant of a slot, and what that hangs on. `None`: that cannot be said.
    fn hand_on(&mut self, slot: Slot) -> Option<()> {
        let (at, size) = self.eval.place(slot);
        let n = self.eval.n;
        if self.relevant[at..at + size].iter().all(rows::is_zero) {
            return Some(());
        }
        self.key.push(u64::from(slot));
        let mut open: Vec<Row<W>> = Vec::with_capacity(size);
        for row in 0..size {
            let relevant = self.relevant[at + row];
            if !rows::is_zero(&relevant) {
                self.key.push(row as u64);
                self.key.extend(relevant);
                self.key.extend(rows::and(&relevant, &self.eval.must[at + row]));
            }
            open.push(rows::and_not(&relevant, &self.eval.must[at + row]));
        }
        self.key.push(u64::MAX);
        if open.iter().all(rows::is_zero) {
            return Some(());
        }
        let place = |slot: Slot| self.eval.offset[slot as usize];
        let may = &self.eval.may;
        let relevant = &mut *self.relevant;
        let mut same = |child: Slot| {
            for (row, open) in open.iter().enumerate() {
                let to = place(child) + row;
                relevant[to] = rows::or(&relevant[to], &rows::and(open, &may[to]));
            }
        };
        match &self.eval.problem.code.slots[slot as usize].code {
            Code::Rf | Code::Fw | Code::Choice(_) | Code::Const => {}
            Code::Variable | Code::Opaque | Code::Result(_) | Code::ByValues(..) => return None,
            Code::Union(children) => children.iter().for_each(|child| same(*child)),
            Code::Inter(a, b) | Code::Diff(a, b) => {
                same(*a);
                same(*b);
            }
            Code::Compl(a) | Code::Opt(a) => same(*a),
            Code::Seq(a, b) => {
                let (a, b) = (place(*a), place(*b));
                for (x, open) in open.iter().enumerate().filter(|(_, row)| !rows::is_zero(row)) {
                    for via in rows::bits(may[a + x]) {
                        let hit = rows::and(&may[b + via], open);
                        if !rows::is_zero(&hit) {
                            rows::put(&mut relevant[a + x], via);
                            relevant[b + via] = rows::or(&relevant[b + via], &hit);
                        }
                    }
                }
            }
            Code::Inverse(a) => {
                let a = place(*a);
                for (x, open) in open.iter().enumerate() {
                    rows::bits(*open).for_each(|y| rows::put(&mut relevant[a + y], x));
                }
            }
            Code::Product(a, b) => {
                let (a, b) = (place(*a), place(*b));
                for (x, open) in open.iter().enumerate().filter(|(_, row)| !rows::is_zero(row)) {
                    rows::put(&mut relevant[a], x);
                    relevant[b] = rows::or(&relevant[b], open);
                }
            }
            Code::ToId(a) => {
                let a = place(*a);
                let diagonal = open.iter().enumerate().filter(|(x, row)| rows::has(row, *x));
                diagonal.for_each(|(x, _)| rows::put(&mut relevant[a], x));
            }
            Code::Domain(a) => {
                let a = place(*a);
                rows::bits(open[0]).for_each(|x| relevant[a + x] = rows::or(&relevant[a + x], &may[a + x]));
            }
            Code::Range(a) => {
                let a = place(*a);
                for x in 0..n {
                    relevant[a + x] = rows::or(&relevant[a + x], &rows::and(&may[a + x], &open[0]));
                }
            }
            Code::Plus(a) | Code::Star(a) => {
                let a = *a;
                // From the beginning of an open pair to its end, over pairs that are possible.
                let ways = &may[at..at + n];
                let (mut from, mut to): (Row<W>, Row<W>) = (rows::zero(), rows::zero());
                for (x, open) in open.iter().enumerate().filter(|(_, row)| !rows::is_zero(row)) {
                    rows::put(&mut from, x);
                    to = rows::or(&to, open);
                }
                let steps = self.open_steps(a, ways, (&from, &to));
                self.note_ways(a, &steps, (&from, &to), &|_, _| true);
            }
        }
        Some(())
    }
}
