//! Do two models say the same, step by step?

use std::collections::BTreeSet;

use super::{Expr, ExprId, FixId, Model, Step, Test};

/// Are the steps of two models the same expressions? Parts that are interpreted are the same if they stand at the same place and have the same
/// inputs: who changed the text of a function must look further.
pub fn same(a: &Model, b: &Model) -> bool {
    let mut pairs = Pairs { a, b, known: BTreeSet::new(), fixes: BTreeSet::new() };
    a.steps.len() == b.steps.len() && a.steps.iter().zip(&b.steps).all(|(one, other)| pairs.step(one, other))
}

struct Pairs<'m> {
    a: &'m Model,
    b: &'m Model,
    known: BTreeSet<(ExprId, ExprId)>,
    fixes: BTreeSet<FixId>,
}

impl Pairs<'_> {
    fn step(&mut self, one: &Step, other: &Step) -> bool {
        match (one, other) {
            (Step::Check { kind, test, name, .. }, Step::Check { kind: k, test: t, name: n, .. }) => {
                kind == k && name == n && self.test(test, t)
            }
            (Step::With { choice, from, .. }, Step::With { choice: c, from: f, .. }) => {
                choice == c && self.expr(*from, *f)
            }
            _ => false,
        }
    }

    fn test(&mut self, one: &Test, other: &Test) -> bool {
        (one.kind, one.negated) == (other.kind, other.negated) && self.expr(one.expr, other.expr)
    }

    fn all(&mut self, ones: &[ExprId], others: &[ExprId]) -> bool {
        ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| self.expr(*one, *other))
    }

    fn expr(&mut self, one: ExprId, other: ExprId) -> bool {
        if !self.known.insert((one, other)) {
            return true;
        }
        use Expr::*;
        let (a, b) = (self.a.pool.expr(one), self.b.pool.expr(other));
        match (a, b) {
            // Members are sorted by their numbers, which may differ.
            (Union(x), Union(y)) => {
                x.len() == y.len() && x.iter().all(|one| y.iter().any(|other| self.tried(*one, *other)))
            }
            (Seq(x), Seq(y)) => self.all(x, y),
            (Inter(x, y), Inter(u, v)) => {
                self.tried(*x, *u) && self.tried(*y, *v) || self.tried(*x, *v) && self.tried(*y, *u)
            }
            (Diff(x, y), Diff(u, v)) | (Product(x, y), Product(u, v)) => self.all(&[*x, *y], &[*u, *v]),
            (Compl(x), Compl(y))
            | (Inverse(x), Inverse(y))
            | (ToId(x), ToId(y))
            | (Domain(x), Domain(y))
            | (Range(x), Range(y))
            | (Opt(x), Opt(y))
            | (Plus(x), Plus(y))
            | (Star(x), Star(y)) => self.expr(*x, *y),
            (ByValues(s, x), ByValues(t, y)) => s == t && self.expr(*x, *y),
            (Fix(f, n, _), Fix(g, m, _)) => {
                f == g
                    && n == m
                    && (!self.fixes.insert(*f) || {
                        let (f, g) = (self.a.pool.fix(*f).bodies.clone(), self.b.pool.fix(*g).bodies.clone());
                        self.all(&f, &g)
                    })
            }
            (Interp(i, _), Interp(j, _)) => {
                let (x, y) = (self.a.pool.interp(*i).inputs.clone(), self.b.pool.interp(*j).inputs.clone());
                i == j && self.all(&x, &y)
            }
            _ => a == b,
        }
    }

    /// Without remembering a guess that fails.
    fn tried(&mut self, one: ExprId, other: ExprId) -> bool {
        let (known, fixes) = (self.known.clone(), self.fixes.clone());
        let same = self.expr(one, other);
        if !same {
            (self.known, self.fixes) = (known, fixes);
        }
        same
    }
}
