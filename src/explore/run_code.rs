//! Running the code of a world on the current bounds.

use super::code::{Code, Item, Slot};
use super::search::{Search, State};
use crate::relation::rows::{self, Row};

/// Which bound an operand is read from.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Must,
    May,
}

impl<const W: usize> Search<'_, '_, W> {
    /// Runs code in order; loops until their variables settle.
    pub(super) fn run_items(&mut self, items: &[Item], state: &State<W>) {
        for item in items {
            match item {
                Item::Op(slot) => self.step(*slot, state),
                Item::Loop { body, variables } => self.run_loop(body, variables, state),
            }
        }
    }

    fn run_loop(&mut self, body: &[Item], variables: &[(Slot, Slot)], state: &State<W>) {
        for (variable, _) in variables {
            let (at, size) = self.place(*variable);
            self.must[at..at + size].fill(rows::zero());
            self.may[at..at + size].fill(rows::zero());
        }
        loop {
            self.run_items(body, state);
            let mut settled = true;
            for (variable, result) in variables {
                let (at, size) = self.place(*variable);
                let (from, _) = self.place(*result);
                for row in 0..size {
                    let (must, may) = (self.must[from + row], self.may[from + row]);
                    settled &= rows::is_zero(&rows::and_not(&must, &self.must[at + row]));
                    settled &= rows::is_zero(&rows::and_not(&may, &self.may[at + row]));
                    self.must[at + row] = must;
                    self.may[at + row] = may;
                }
            }
            if settled {
                return;
            }
        }
    }

    /// First row and number of rows of a slot.
    pub(super) fn place(&self, slot: Slot) -> (usize, usize) {
        let size = if self.problem.code.slots[slot as usize].is_set { 1 } else { self.n };
        (self.offset[slot as usize], size)
    }

    fn step(&mut self, slot: Slot, state: &State<W>) {
        let info = &self.problem.code.slots[slot as usize];
        if info.checks & self.wanted == 0 {
            return;
        }
        if let Code::DifferentValues(a) = info.code {
            return self.different_values(slot, a, state);
        }
        if info.need_must || self.probing {
            self.compute(slot, Side::Must);
        }
        if info.need_may || self.probing {
            self.compute(slot, Side::May);
        }
    }

    fn compute(&mut self, slot: Slot, side: Side) {
        let problem = self.problem;
        let n = self.n;
        let info = &problem.code.slots[slot as usize];
        let (at, size) = (self.offset[slot as usize], if info.is_set { 1 } else { n });
        let (must, may) = (&mut self.must, &mut self.may);
        let (same, other) = if side == Side::Must { (must, may) } else { (may, must) };
        // Operands stand before their result, so that the buffer can be split there.
        let (before, rest) = same.split_at_mut(at);
        let out = &mut rest[..size];
        let offset = &self.offset;
        let rel = |s: &Slot| offset[*s as usize];
        match &info.code {
            Code::Const
            | Code::Rf
            | Code::Fw
            | Code::Choice(_)
            | Code::Variable
            | Code::Opaque
            | Code::DifferentValues(_) => {}
            Code::Result(a) => out.copy_from_slice(&before[rel(a)..rel(a) + size]),
            Code::Union(children) => {
                let first = rel(&children[0]);
                out.copy_from_slice(&before[first..first + size]);
                for child in &children[1..] {
                    rows::union_with(out, &before[rel(child)..rel(child) + size]);
                }
            }
            Code::Inter(a, b) => {
                let (a, b) = (&before[rel(a)..], &before[rel(b)..]);
                for row in 0..size {
                    out[row] = rows::and(&a[row], &b[row]);
                }
            }
            Code::Diff(a, b) => {
                let (a, b) = (&before[rel(a)..], &other[rel(b)..]);
                for row in 0..size {
                    out[row] = rows::and_not(&a[row], &b[row]);
                }
            }
            Code::Compl(a) => {
                let a = &other[rel(a)..];
                for row in 0..size {
                    let seen = info.is_set || rows::has(&self.visible, row);
                    out[row] = if seen { rows::and_not(&self.visible, &a[row]) } else { rows::zero() };
                }
            }
            Code::Seq(a, b) => {
                rows::seq(out, &before[rel(a)..rel(a) + n], &before[rel(b)..rel(b) + n]);
            }
            Code::Inverse(a) => rows::inverse(out, &before[rel(a)..rel(a) + n]),
            Code::Product(a, b) => {
                let (a, b) = (before[rel(a)], before[rel(b)]);
                for (event, row) in out.iter_mut().enumerate() {
                    *row = if rows::has(&a, event) { b } else { rows::zero() };
                }
            }
            Code::ToId(a) => {
                let a = before[rel(a)];
                for (event, row) in out.iter_mut().enumerate() {
                    *row = rows::zero();
                    if rows::has(&a, event) {
                        rows::put(row, event);
                    }
                }
            }
            Code::Domain(a) => {
                let mut set: Row<W> = rows::zero();
                for (event, row) in before[rel(a)..rel(a) + n].iter().enumerate() {
                    if !rows::is_zero(row) {
                        rows::put(&mut set, event);
                    }
                }
                out[0] = set;
            }
            Code::Range(a) => {
                out[0] = before[rel(a)..rel(a) + n].iter().fold(rows::zero(), |set, row| rows::or(&set, row));
            }
            Code::Opt(a) | Code::Plus(a) | Code::Star(a) => {
                out.copy_from_slice(&before[rel(a)..rel(a) + n]);
                if !matches!(info.code, Code::Opt(_)) {
                    rows::close(out);
                }
                if !matches!(info.code, Code::Plus(_)) {
                    for event in rows::bits(self.visible) {
                        rows::put(&mut out[event], event);
                    }
                }
            }
        }
    }

    /// Pairs whose values are known to differ are certain, those known to be equal impossible.
    fn different_values(&mut self, slot: Slot, a: Slot, state: &State<W>) {
        let at = self.offset[slot as usize];
        let from = self.offset[a as usize];
        for x in 0..self.n {
            let mut must = rows::zero();
            let mut may = rows::zero();
            for y in rows::bits(rows::or(&self.may[from + x], &self.must[from + x])) {
                let equal = self.problem.same_value(&state.values, x, y);
                if equal == Some(false) && rows::has(&self.must[from + x], y) {
                    rows::put(&mut must, y);
                }
                if equal != Some(true) {
                    rows::put(&mut may, y);
                }
            }
            self.must[at + x] = must;
            self.may[at + x] = may;
        }
    }
}
