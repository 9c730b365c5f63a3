//! Running the code of a world on the current bounds.

use super::choices::State;
use super::code::{Code, Item, Loop, Side, Slot};
use super::evaluator::Evaluator;
use super::mask::Mask;
use crate::limits;
use crate::model::ValueTest;
use crate::relation::rows::{self, Row};

/// When a loop was last run, and for which checks: plainly, and with both bounds of everything.
#[derive(Clone, Copy, Default)]
pub(super) struct LastRun {
    at: u64,
    wanted: Mask,
}

// Nothing is computed twice from the same operands: each bound of each slot knows when it was computed last and when
// that last changed it, and is computed again only if an operand has changed since. Neighbouring branches of the search
// differ in one choice, and most of a model does not notice.
impl<const W: usize> Evaluator<'_, W> {
    /// Runs code in order; loops until their variables settle.
    pub(super) fn run_items(&mut self, items: &[Item], state: &State<W>) {
        for item in items {
            match item {
                Item::Op(slot) => self.step(*slot, state),
                Item::Loop(inner) => self.run_loop(inner, state),
            }
        }
    }

    fn run_loop(&mut self, inner: &Loop, state: &State<W>) {
        let before = self.loops[inner.number][usize::from(self.probing)];
        let stale =
            |slot: &Slot| Side::BOTH.iter().any(|s| self.changed[*s as usize][*slot as usize] > before.at);
        if before.at != 0
            && !inner.on_values
            && self.wanted.is_within(before.wanted)
            && !inner.inputs.iter().any(stale)
        {
            return;
        }
        let mut fresh = std::mem::take(&mut self.fresh_may);
        for (variable, _) in &inner.variables {
            let (at, size) = self.place(*variable);
            for side in self.sides(*variable) {
                // What is certain at the root is certain below it: a lower bound need not begin with nothing.
                match self.floor.get(at..at + size) {
                    Some(floor) if side == Side::Must => fresh[..size].copy_from_slice(floor),
                    _ => fresh[..size].fill(rows::zero()),
                }
                self.store(*variable, side, &fresh[..size]);
            }
        }
        loop {
            self.run_items(&inner.body, state);
            let mut settled = true;
            for (variable, result) in &inner.variables {
                let (at, size) = self.place(*variable);
                let (from, _) = self.place(*result);
                for side in self.sides(*variable) {
                    let values = if side == Side::Must { &self.must } else { &self.may };
                    let grown =
                        |row: usize| !rows::is_zero(&rows::and_not(&values[from + row], &values[at + row]));
                    settled &= !(0..size).any(grown);
                    fresh[..size].copy_from_slice(&values[from..from + size]);
                    self.store(*variable, side, &fresh[..size]);
                }
            }
            if settled {
                break;
            }
        }
        self.fresh_may = fresh;
        let now = LastRun { at: self.clock, wanted: self.wanted };
        self.loops[inner.number][0] = now;
        if self.probing {
            self.loops[inner.number][1] = now;
        }
    }

    /// The bounds of a slot that are kept at present.
    fn sides(&self, slot: Slot) -> impl Iterator<Item = Side> + use<W> {
        let info = &self.problem.code.slots[slot as usize];
        let (must, may) = (info.need_must || self.probing, info.need_may || self.probing);
        Side::BOTH.into_iter().filter(move |side| if *side == Side::Must { must } else { may })
    }

    /// Gives one bound of a slot its value.
    pub(super) fn store(&mut self, slot: Slot, side: Side, value: &[Row<W>]) {
        let at = self.offset[slot as usize];
        let kept = if side == Side::Must { &mut self.must } else { &mut self.may };
        if rows::replace(&mut kept[at..at + value.len()], value) {
            self.clock += 1;
            self.changed[side as usize][slot as usize] = self.clock;
        }
    }

    /// First row and number of rows of a slot.
    pub(super) fn place(&self, slot: Slot) -> (usize, usize) {
        let size = if self.problem.code.slots[slot as usize].is_set { 1 } else { self.n };
        (self.offset[slot as usize], size)
    }

    fn step(&mut self, slot: Slot, state: &State<W>) {
        let info = &self.problem.code.slots[slot as usize];
        if !info.checks.meets(self.wanted) {
            return;
        }
        if let Code::ByValues(test, a) = info.code {
            return self.by_values(slot, test, a, state);
        }
        for side in self.sides(slot) {
            if self.is_stale(slot, side) {
                // Small rows are computed in no time, and whoever walks the tree looks at the limits.
                if W > 1 {
                    limits::poll();
                }
                self.compute(slot, side);
            }
        }
    }

    /// Has an operand changed since this bound was computed?
    fn is_stale(&self, slot: Slot, side: Side) -> bool {
        let then = self.computed[side as usize][slot as usize];
        let mut stale = false;
        self.problem.code.slots[slot as usize].code.operands(|operand, flipped| {
            let from = if flipped { side.other() } else { side };
            stale |= self.changed[from as usize][operand as usize] > then;
        });
        stale
    }

    fn compute(&mut self, slot: Slot, side: Side) {
        let problem = self.problem;
        let n = self.n;
        let info = &problem.code.slots[slot as usize];
        let (at, size) = (self.offset[slot as usize], if info.is_set { 1 } else { n });
        let (must, may) = (&mut self.must, &mut self.may);
        let (before, other) = if side == Side::Must { (must, may) } else { (may, must) };
        let out = &mut self.fresh[..size];
        let offset = &self.offset;
        let rel = |s: &Slot| offset[*s as usize];
        match &info.code {
            Code::Const
            | Code::Rf
            | Code::Fw
            | Code::Choice(_)
            | Code::Variable
            | Code::Opaque
            | Code::ByValues(..) => {}
            Code::Result(a) => out.copy_from_slice(&before[rel(a)..rel(a) + size]),
            Code::Union(children) => {
                let (a, b) = (rel(&children[0]), rel(&children[1]));
                rows::union(out, &before[a..a + size], &before[b..b + size]);
                for child in &children[2..] {
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
        self.clock += 1;
        self.computed[side as usize][slot as usize] = self.clock;
        if rows::replace(&mut before[at..at + size], out) {
            self.changed[side as usize][slot as usize] = self.clock;
        }
    }

    /// Pairs whose values are known to be as asked are certain, those known not to be impossible.
    fn by_values(&mut self, slot: Slot, test: ValueTest, a: Slot, state: &State<W>) {
        let from = self.offset[a as usize];
        let mut fresh = std::mem::take(&mut self.fresh);
        // Each bound from the same bound of the operand: the other one may not be kept.
        for side in self.sides(slot) {
            let operand = if side == Side::Must { &self.must } else { &self.may };
            for x in 0..self.n {
                let mut row = rows::zero();
                for y in rows::bits(operand[from + x]) {
                    let holds = self.problem.test_values(test, &state.values, x, y);
                    let kept = if side == Side::Must { holds == Some(true) } else { holds != Some(false) };
                    if kept {
                        rows::put(&mut row, y);
                    }
                }
                fresh[x] = row;
            }
            self.store(slot, side, &fresh[..self.n]);
        }
        self.fresh = fresh;
    }
}
