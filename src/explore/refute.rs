//! The refuting pass: from each check back to the choices that would violate it.
//!
//! For every slot it collects pairs that must not be in its value. At a check these are given by the check:
//! `acyclic r` forbids every pair that closes a cycle with what is certain, `irreflexive r` the diagonal, `empty r`
//! everything. An operator hands them on to its operands, given that the *other* operand contains what it
//! certainly contains. What arrives at `rf` or at an order is a choice that cannot be made. The pass is
//! sound for any model: it only uses lower bounds of operands in which the operator is monotone, and leaves
//! out the others.

use super::choices::State;
use super::code::{Code, Slot};
use super::evaluator::Evaluator;
use crate::model::TestKind;
use crate::relation::rows::{self, Row};

impl<const W: usize> Evaluator<'_, W> {
    /// Fills `forbidden` for every slot that leads to a choice; as far as one check knows (or, past the last of them, the
    /// bases of orders), if one is given.
    pub(super) fn refute(&mut self, state: &State<W>, by: Option<usize>) {
        if !self.has_ceiling {
            self.find_ceiling(state);
        }
        let problem = self.problem;
        let n = self.n;
        // The pass leaves zeros behind it, but for what it found out.
        for slot in &problem.bases {
            let (at, size) = self.place(*slot);
            self.forbidden[at..at + size].fill(rows::zero());
        }
        for (index, check) in problem.checks.iter().enumerate() {
            let info = &problem.code.slots[check.slot as usize];
            let open = state.open.has(index);
            if check.negated || !info.refutes || !open || by.is_some_and(|by| by != index) {
                continue;
            }
            let at = self.offset[check.slot as usize];
            let size = if info.is_set { 1 } else { n };
            match check.test {
                TestKind::Empty => self.forbidden[at..at + size].fill(self.all),
                TestKind::Irreflexive => {
                    for event in 0..n {
                        rows::put(&mut self.forbidden[at + event], event);
                    }
                }
                TestKind::Acyclic => {
                    let closure = &self.closures[index * n..(index + 1) * n];
                    for (to, row) in closure.iter().enumerate() {
                        let mut back = *row;
                        rows::put(&mut back, to);
                        for from in rows::bits(back) {
                            if rows::has(&self.ceiling[at + from], to) {
                                rows::put(&mut self.forbidden[at + from], to);
                            }
                        }
                    }
                }
            }
        }
        let bases = by.is_none_or(|by| by == problem.checks.len());
        for (first, base) in self.open_bases(state).into_iter().filter(|_| bases) {
            // The base's closure must not contain what the orders on top of it already deny.
            self.scratch.fill(rows::zero());
            for (index, order) in problem.orders.iter().enumerate() {
                if order.base != Some(base) || !state.open_orders.has(index) {
                    continue;
                }
                let rel = state.order(order.choice);
                for a in &order.over {
                    rows::put(&mut self.scratch[*a], *a);
                    for b in rows::bits(rows::and(&rel[*a], &self.over[index])) {
                        rows::put(&mut self.scratch[b], *a);
                    }
                }
            }
            let place = (problem.checks.len() + first) * n;
            let at = self.offset[base as usize];
            let closure = &self.closures[place..place + n];
            let (bad, ceiling) = (&self.scratch, &self.ceiling[at..at + n]);
            through_closure(&mut self.forbidden[at..at + n], bad, closure, ceiling, &mut self.scratch2);
        }
        for slot in (0..problem.code.slots.len()).rev() {
            let info = &problem.code.slots[slot];
            if info.refutes && info.need_must && !info.late {
                self.hand_on(slot as Slot);
            }
        }
    }

    /// The bases of orders that are open and lead to a choice, each with the first order that has it.
    fn open_bases(&self, state: &State<W>) -> Vec<(usize, Slot)> {
        let mut bases: Vec<(usize, Slot)> = Vec::new();
        for (index, order) in self.problem.orders.iter().enumerate() {
            if let Some(base) = order.base
                && state.open_orders.has(index)
                && self.problem.code.slots[base as usize].refutes
                && !bases.iter().any(|(_, b)| *b == base)
            {
                let first = self.problem.orders.iter().position(|o| o.base == Some(base));
                bases.push((first.unwrap_or(index), base));
            }
        }
        bases
    }

    /// Keeps the upper bounds of the root: a pair that is not in them needs no forbidding anywhere.
    fn find_ceiling(&mut self, state: &State<W>) {
        self.probing = true;
        self.run_items(&self.problem.code.main, state);
        self.probing = false;
        self.ceiling.clone_from(&self.may);
        self.has_ceiling = true;
    }

    fn hand_on(&mut self, slot: Slot) {
        let problem = self.problem;
        let n = self.n;
        let info = &problem.code.slots[slot as usize];
        let at = self.offset[slot as usize];
        let size = if info.is_set { 1 } else { n };
        // Operands stand before their result.
        let (before, rest) = self.forbidden.split_at_mut(at);
        let bad = &mut rest[..size];
        let ceiling = &self.ceiling;
        for (row, most) in bad.iter_mut().zip(&ceiling[at..at + size]) {
            *row = rows::and(row, most);
        }
        let bad = &*bad;
        if bad.iter().all(rows::is_zero) {
            return;
        }
        let offset = &self.offset;
        let place = |s: Slot| offset[s as usize];
        let leads = |s: Slot| problem.code.slots[s as usize].refutes;
        match &info.code {
            Code::Union(children) => {
                for child in children.iter().filter(|c| leads(**c)) {
                    rows::union_with(&mut before[place(*child)..place(*child) + size], bad);
                }
            }
            Code::Inter(a, b) => {
                for (to, other) in [(*a, *b), (*b, *a)] {
                    if leads(to) {
                        for row in 0..size {
                            let hit = rows::and(&bad[row], &self.must[place(other) + row]);
                            let out = &mut before[place(to) + row];
                            *out = rows::or(out, &hit);
                        }
                    }
                }
            }
            Code::Diff(a, b) => {
                if leads(*a) {
                    for row in 0..size {
                        let hit = rows::and_not(&bad[row], &self.may[place(*b) + row]);
                        let out = &mut before[place(*a) + row];
                        *out = rows::or(out, &hit);
                    }
                }
            }
            Code::Seq(a, b) => {
                if leads(*a) {
                    let second = &self.must[place(*b)..place(*b) + n];
                    for (x, bad_row) in bad.iter().enumerate().filter(|(_, row)| !rows::is_zero(row)) {
                        let out = &mut before[place(*a) + x];
                        for y in rows::bits(rows::and_not(&ceiling[place(*a) + x], out)) {
                            if !rows::is_zero(&rows::and(&second[y], bad_row)) {
                                rows::put(out, y);
                            }
                        }
                    }
                }
                if leads(*b) {
                    for (x, bad_row) in bad.iter().enumerate().filter(|(_, row)| !rows::is_zero(row)) {
                        for y in rows::bits(self.must[place(*a) + x]) {
                            let out = &mut before[place(*b) + y];
                            *out = rows::or(out, bad_row);
                        }
                    }
                }
            }
            Code::Inverse(a) => {
                for (x, row) in bad.iter().enumerate() {
                    for y in rows::bits(*row) {
                        rows::put(&mut before[place(*a) + y], x);
                    }
                }
            }
            Code::Product(a, b) => {
                let (first, second) = (self.must[place(*a)], self.must[place(*b)]);
                for (x, row) in bad.iter().enumerate() {
                    if leads(*a) && !rows::is_zero(&rows::and(row, &second)) {
                        rows::put(&mut before[place(*a)], x);
                    }
                    if leads(*b) && rows::has(&first, x) {
                        let out = &mut before[place(*b)];
                        *out = rows::or(out, row);
                    }
                }
            }
            Code::ToId(a) => {
                for (x, row) in bad.iter().enumerate() {
                    if rows::has(row, x) {
                        rows::put(&mut before[place(*a)], x);
                    }
                }
            }
            Code::Domain(a) => {
                for x in rows::bits(bad[0]) {
                    before[place(*a) + x] = self.all;
                }
            }
            Code::Range(a) => {
                for row in &mut before[place(*a)..place(*a) + n] {
                    *row = rows::or(row, &bad[0]);
                }
            }
            Code::Opt(a) => rows::union_with(&mut before[place(*a)..place(*a) + n], bad),
            Code::Plus(a) | Code::Star(a) => {
                let out = &mut before[place(*a)..place(*a) + n];
                let most = &ceiling[place(*a)..place(*a) + n];
                through_closure(out, bad, &self.must[at..at + n], most, &mut self.scratch2);
            }
            Code::Const
            | Code::Rf
            | Code::Fw
            | Code::Choice(_)
            | Code::Variable
            | Code::Opaque
            | Code::Compl(_)
            | Code::ByValues(..)
            | Code::Result(_) => {}
        }
        if !matches!(info.code, Code::Rf | Code::Fw | Code::Choice(_) | Code::Opaque) {
            rest[..size].fill(rows::zero());
        }
    }
}

/// Adds to `out` the pairs `(u, v)` with which the closure would contain a pair of `bad`:
/// `x ->* u`, `v ->* y`, `(x, y)` bad; as far as they are in `ceiling`.
fn through_closure<const W: usize>(
    out: &mut [Row<W>],
    bad: &[Row<W>],
    closure: &[Row<W>],
    ceiling: &[Row<W>],
    reach: &mut [Row<W>],
) {
    reach.copy_from_slice(bad);
    for (x, row) in bad.iter().enumerate() {
        if !rows::is_zero(row) {
            for u in rows::bits(closure[x]) {
                reach[u] = rows::or(&reach[u], row);
            }
        }
    }
    for (u, reached) in reach.iter().enumerate() {
        if rows::is_zero(reached) {
            continue;
        }
        out[u] = rows::or(&out[u], reached);
        for v in rows::bits(rows::and_not(&ceiling[u], &out[u])) {
            if !rows::is_zero(&rows::and(&closure[v], reached)) {
                rows::put(&mut out[u], v);
            }
        }
    }
}
