//! Bounds of recursive definitions: rounds from nothing upwards, until nothing is added.

use smallvec::SmallVec;

use super::{Bounds, Cell, Place};
use crate::diag::Diagnostic;
use crate::model::{Expr, ExprId, FixId, Sort};

impl Bounds<'_> {
    /// A recursive group. One that is monotone in its own variables has a least fixpoint on either bound;
    /// any other is run only on exact inputs, exactly as the plain evaluator runs it.
    pub(super) fn fixpoint(&mut self, id: ExprId, fix: FixId, index: u32) -> Result<Cell, Diagnostic> {
        let pool = self.pool;
        let group = pool.fix(fix);
        let mut exact = true;
        for (base, _) in &pool.node(id).dynamics.bases {
            exact &= self.place(*base)?.is_exact();
        }
        let is_monotone = pool.fix_is_monotone(fix);
        if group.when.is_some() || !is_monotone && !exact {
            return Ok(self.opaque(id));
        }
        if let Some(parts) = pool.closure_of(fix) {
            return self.closure(fix, &parts);
        }
        let nothing = self.nothing();
        for position in 0..group.bodies.len() {
            self.variables.insert((fix, position as u32), Place::exact(nothing));
        }
        self.round += 1;
        let limit = (self.shape.n * self.shape.n + 2) * 2 * group.bodies.len().max(1) + 16;
        // What later rounds leave behind is dropped; the variables have a place of their own from the second round on.
        let mut homes: Vec<Place> = Vec::new();
        for round in 0..limit {
            let end = self.words.len();
            let mut settled = true;
            for (position, body) in group.bodies.iter().enumerate() {
                let new = self.place(*body)?;
                // What is chosen may be known and what is read not yet: what a body asks about values is open then.
                if !is_monotone && !new.is_exact() {
                    self.round += 1;
                    return Ok(self.opaque(id));
                }
                let old =
                    self.variables.get(&(fix, position as u32)).copied().unwrap_or(Place::exact(nothing));
                let size = self.size(pool.sort(*body));
                settled &= self.is_within(new.must, old.must, size) && self.is_within(new.may, old.may, size);
                let new = match homes.get(position) {
                    Some(home) => self.copy_to(new, *home, size),
                    None => new,
                };
                self.variables.insert((fix, position as u32), new);
                self.round += 1;
            }
            if round == 0 {
                for (position, body) in group.bodies.iter().enumerate() {
                    let size = self.size(pool.sort(*body));
                    let home = Place { must: self.words.len(), may: self.words.len() + size };
                    self.words.resize(home.may + size, 0);
                    let now = self.variables[&(fix, position as u32)];
                    let moved = self.copy_to(now, home, size);
                    self.variables.insert((fix, position as u32), moved);
                    homes.push(home);
                }
            } else if !settled {
                self.words.truncate(end);
            }
            if settled {
                return self.settled(fix, index);
            }
        }
        Err(group.does_not_settle())
    }

    /// The values of a recursive group are found. Once more with these, to leave the bounds of the inner nodes behind.
    fn settled(&mut self, fix: FixId, index: u32) -> Result<Cell, Diagnostic> {
        let pool = self.pool;
        let group = pool.fix(fix);
        for body in &group.bodies {
            self.place(*body)?;
        }
        for (position, body) in group.bodies.iter().enumerate() {
            let value = Cell::Rows(self.variables[&(fix, position as u32)]);
            if let Some(variable) = pool.fix_var_node(fix, position as u32) {
                self.cells[variable.0 as usize] = value;
            }
            if let Some(node) = pool.find(&Expr::Fix(fix, position as u32, pool.sort(*body))) {
                self.cells[node.0 as usize] = value;
                if let Some(round) = self.round_of.get_mut(node.0 as usize) {
                    *round = self.round;
                }
            }
        }
        Ok(Cell::Rows(self.variables[&(fix, index)]))
    }

    /// A definition `r = a | b | r; r`: the transitive closure of what does not mention `r`. Rounds would come to the same, each of them as large.
    fn closure(&mut self, fix: FixId, parts: &[ExprId]) -> Result<Cell, Diagnostic> {
        let mut places: SmallVec<[Place; 16]> = SmallVec::new();
        for part in parts {
            let place = self.place(*part)?;
            if !self.is_nothing(place) {
                places.push(place);
            }
        }
        let exact = places.iter().all(|place| place.is_exact());
        let (size, shape) = (self.size(Sort::Rel), self.shape);
        let closed = self.make_bounds(Sort::Rel, exact, |before, out, side| {
            for place in &places {
                let at = side.of(*place);
                out.iter_mut().zip(&before[at..at + size]).for_each(|(a, b)| *a |= b);
            }
            shape.close(out);
        });
        self.variables.insert((fix, 0), closed);
        self.round += 1;
        self.settled(fix, 0)
    }

    /// Copies a value to a place; what was exact stays so.
    fn copy_to(&mut self, from: Place, home: Place, size: usize) -> Place {
        self.words.copy_within(from.must..from.must + size, home.must);
        if from.is_exact() {
            return Place::exact(home.must);
        }
        self.words.copy_within(from.may..from.may + size, home.may);
        home
    }

    fn is_within(&self, a: usize, b: usize, size: usize) -> bool {
        let (a, b) = (&self.words[a..a + size], &self.words[b..b + size]);
        a.iter().zip(b).all(|(a, b)| a & !b == 0)
    }
}
