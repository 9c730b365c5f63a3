//! Interval evaluation: what is certainly in a node's value, and what can be in it at most.
//!
//! Each dynamic base has bounds `[must, may]`; those of a compound expression follow from its
//! parts. Where both bounds meet the value is *exact*, and stays so below this point of the search.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::plain::empty;
use super::{Expr, ExprId, FixId, Interp, Model, Pool, Sort, Universe, Val};
use crate::diag::Diagnostic;
use crate::relation::{Rel, Set};

/// The bounds of a value. Exact bounds share one allocation.
#[derive(Clone, Debug)]
pub struct Bound {
    /// In every completion.
    pub must: Arc<Val>,
    /// In some completion, at most.
    pub may: Arc<Val>,
}

impl Bound {
    /// A known value.
    pub fn exact(value: Val) -> Bound {
        let must = Arc::new(value);
        Bound { may: must.clone(), must }
    }

    /// Two bounds; exact if they are equal.
    pub fn new(must: Val, may: Val) -> Bound {
        let equal = match (&must, &may) {
            (Val::Set(a), Val::Set(b)) => a == b,
            (Val::Rel(a), Val::Rel(b)) => a == b,
            _ => false,
        };
        if equal { Bound::exact(must) } else { Bound { must: Arc::new(must), may: Arc::new(may) } }
    }

    /// Do the bounds meet?
    pub fn is_exact(&self) -> bool {
        Arc::ptr_eq(&self.must, &self.may)
    }
}

/// An interval evaluation in progress.
pub struct Bounds<'a> {
    pool: &'a Pool,
    universe: &'a dyn Universe,
    n: usize,
    visible: Set,
    cache: Vec<Option<Bound>>,
    /// Nodes that mention a recursion variable: valid for its current bounds only.
    scratch: FxHashMap<ExprId, Bound>,
    /// The last such values, once their group has settled.
    settled: FxHashMap<ExprId, Bound>,
    variables: FxHashMap<(FixId, u32), Bound>,
    /// Nodes whose value cannot be bounded before everything they depend on is known.
    opaque: FxHashSet<ExprId>,
}

impl<'a> Bounds<'a> {
    /// An evaluation over the events of `universe`.
    pub fn new(model: &'a Model, universe: &'a dyn Universe) -> Bounds<'a> {
        Bounds {
            pool: &model.pool,
            universe,
            n: universe.n_events(),
            visible: universe.visible(),
            cache: vec![None; model.pool.len()],
            scratch: FxHashMap::default(),
            settled: FxHashMap::default(),
            variables: FxHashMap::default(),
            opaque: FxHashSet::default(),
        }
    }

    /// Number of events.
    pub fn n_events(&self) -> usize {
        self.n
    }

    /// The visible events.
    pub fn visible(&self) -> &Set {
        &self.visible
    }

    /// Gives a dynamic base its bounds.
    pub fn set(&mut self, id: ExprId, bound: Bound) {
        self.cache[id.0 as usize] = Some(bound);
    }

    /// Can the node's value not be bounded before everything it depends on is known?
    pub fn is_opaque(&self, id: ExprId) -> bool {
        self.opaque.contains(&id)
    }

    /// Bounds already computed (for nodes inside a recursive definition: at its fixpoint).
    pub fn known(&self, id: ExprId) -> Option<&Bound> {
        self.cache[id.0 as usize].as_ref().or_else(|| self.settled.get(&id))
    }

    /// The bounds of a node.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn eval(&mut self, id: ExprId) -> Result<Bound, Diagnostic> {
        if let Some(bound) = &self.cache[id.0 as usize] {
            return Ok(bound.clone());
        }
        if let Some(bound) = self.scratch.get(&id) {
            return Ok(bound.clone());
        }
        let bound = self.compute(id)?;
        if self.pool.mentions_fix_var(id) {
            self.scratch.insert(id, bound.clone());
        } else {
            self.cache[id.0 as usize] = Some(bound.clone());
        }
        Ok(bound)
    }

    /// Nothing is known of the value but its sort.
    pub fn anything(&self, sort: Sort) -> Bound {
        let full = match sort {
            Sort::Set => Val::Set(Set::full(self.n)),
            _ => Val::Rel(Rel::full(self.n)),
        };
        Bound::new(empty(sort, self.n), full)
    }

    fn opaque(&mut self, id: ExprId) -> Bound {
        self.opaque.insert(id);
        self.anything(self.pool.sort(id))
    }

    fn map(&mut self, a: ExprId, f: impl Fn(&Val) -> Val) -> Result<Bound, Diagnostic> {
        let a = self.eval(a)?;
        if a.is_exact() {
            return Ok(Bound::exact(f(&a.must)));
        }
        Ok(Bound::new(f(&a.must), f(&a.may)))
    }

    fn map2(&mut self, a: ExprId, b: ExprId, f: impl Fn(&Val, &Val) -> Val) -> Result<Bound, Diagnostic> {
        let (a, b) = (self.eval(a)?, self.eval(b)?);
        if a.is_exact() && b.is_exact() {
            return Ok(Bound::exact(f(&a.must, &b.must)));
        }
        Ok(Bound::new(f(&a.must, &b.must), f(&a.may, &b.may)))
    }

    fn compute(&mut self, id: ExprId) -> Result<Bound, Diagnostic> {
        let pool = self.pool;
        let n = self.n;
        let visible = self.visible.clone();
        match pool.expr(id) {
            Expr::Base(name, sort) => {
                Ok(Bound::exact(self.universe.base(name).unwrap_or_else(|| empty(*sort, n))))
            }
            // Choices are given their bounds when their `with` is met; before that nothing is known.
            Expr::Choice(..) => Ok(self.opaque(id)),
            Expr::FixVar(fix, index, sort) => Ok(self
                .variables
                .get(&(*fix, *index))
                .cloned()
                .unwrap_or_else(|| Bound::exact(empty(*sort, n)))),
            Expr::Fix(fix, index, _) => self.fixpoint(id, *fix, *index),
            Expr::Empty(sort) => Ok(Bound::exact(empty(*sort, n))),
            Expr::Universe(Sort::Set) => Ok(Bound::exact(Val::Set(visible))),
            Expr::Universe(_) => Ok(Bound::exact(Val::Rel(Rel::product(&visible, &visible)))),
            Expr::Id => Ok(Bound::exact(Val::Rel(Rel::id_on(&visible)))),
            Expr::Union(children) => self.fold(children, union),
            Expr::Seq(children) => self.fold(children, |a, b| match (a, b) {
                (Val::Rel(a), Val::Rel(b)) => Val::Rel(a.seq(b)),
                _ => mismatch(),
            }),
            Expr::Inter(a, b) => self.map2(*a, *b, |a, b| match (a, b) {
                (Val::Set(a), Val::Set(b)) => Val::Set(a.inter(b)),
                (Val::Rel(a), Val::Rel(b)) => Val::Rel(a.inter(b)),
                _ => mismatch(),
            }),
            Expr::Product(a, b) => self.map2(*a, *b, |a, b| match (a, b) {
                (Val::Set(a), Val::Set(b)) => Val::Rel(Rel::product(a, b)),
                _ => mismatch(),
            }),
            Expr::Diff(a, b) => {
                let (a, b) = (self.eval(*a)?, self.eval(*b)?);
                if a.is_exact() && b.is_exact() {
                    return Ok(Bound::exact(difference(&a.must, &b.must)));
                }
                Ok(Bound::new(difference(&a.must, &b.may), difference(&a.may, &b.must)))
            }
            Expr::Compl(a) => {
                let a = self.eval(*a)?;
                let all = match pool.sort(id) {
                    Sort::Set => Val::Set(visible),
                    _ => Val::Rel(Rel::product(&visible, &visible)),
                };
                if a.is_exact() {
                    return Ok(Bound::exact(difference(&all, &a.must)));
                }
                Ok(Bound::new(difference(&all, &a.may), difference(&all, &a.must)))
            }
            Expr::Inverse(a) => self.map(*a, |a| on_rel(a, Rel::inverse)),
            Expr::ToId(a) => self.map(*a, |a| match a {
                Val::Set(set) => Val::Rel(Rel::id_on(set)),
                _ => mismatch(),
            }),
            Expr::Domain(a) => self.map(*a, |a| match a {
                Val::Rel(rel) => Val::Set(rel.domain()),
                _ => mismatch(),
            }),
            Expr::Range(a) => self.map(*a, |a| match a {
                Val::Rel(rel) => Val::Set(rel.range()),
                _ => mismatch(),
            }),
            Expr::Opt(a) => self.map(*a, |a| on_rel(a, |r| r.union(&Rel::id_on(&visible)))),
            Expr::Plus(a) => self.map(*a, |a| on_rel(a, Rel::plus)),
            Expr::Star(a) => self.map(*a, |a| on_rel(a, |r| r.plus().union(&Rel::id_on(&visible)))),
            Expr::DifferentValues(a) => {
                let a = self.eval(*a)?;
                let Val::Rel(may) = &*a.may else { return Ok(a) };
                Ok(Bound::new(Val::Rel(Rel::empty(n)), Val::Rel(may.clone())))
            }
            Expr::Interp(interp, _) => {
                let Interp { inputs, function } = pool.interp(*interp).clone();
                let mut values = Vec::with_capacity(inputs.len());
                for input in inputs {
                    let bound = self.eval(input)?;
                    if !bound.is_exact() {
                        return Ok(self.opaque(id));
                    }
                    values.push((*bound.must).clone());
                }
                Ok(Bound::exact(function.eval(&values, self.universe)?))
            }
        }
    }

    fn fold(&mut self, children: &[ExprId], f: impl Fn(&Val, &Val) -> Val) -> Result<Bound, Diagnostic> {
        let mut result = self.eval(children[0])?;
        for child in &children[1..] {
            let next = self.eval(*child)?;
            result = if result.is_exact() && next.is_exact() {
                Bound::exact(f(&result.must, &next.must))
            } else {
                Bound::new(f(&result.must, &next.must), f(&result.may, &next.may))
            };
        }
        Ok(result)
    }

    /// A recursive group. One that is monotone in its own variables has a least fixpoint on either bound;
    /// any other is run only on exact inputs, exactly as the plain evaluator runs it.
    fn fixpoint(&mut self, id: ExprId, fix: FixId, index: u32) -> Result<Bound, Diagnostic> {
        let group = self.pool.fix(fix).clone();
        let mut exact = true;
        for (base, _) in self.pool.node(id).dynamics.bases.clone() {
            exact &= self.eval(base)?.is_exact();
        }
        if (!self.pool.fix_is_monotone(fix) || group.when.is_some()) && !exact || group.when.is_some() {
            return Ok(self.opaque(id));
        }
        for (position, body) in group.bodies.iter().enumerate() {
            let start = Bound::exact(empty(self.pool.sort(*body), self.n));
            self.variables.insert((fix, position as u32), start);
        }
        let limit = (self.n * self.n + 2) * 2 * group.bodies.len().max(1) + 16;
        for _ in 0..limit {
            let mut settled = true;
            for (position, body) in group.bodies.iter().enumerate() {
                self.scratch.clear();
                let new = self.eval(*body)?;
                let old = self.variables.insert((fix, position as u32), new.clone());
                settled &=
                    old.is_some_and(|old| included(&new.must, &old.must) && included(&new.may, &old.may));
            }
            if settled {
                // Once more with the final values, to leave the bounds of the inner nodes behind.
                self.scratch.clear();
                for body in &group.bodies {
                    self.eval(*body)?;
                }
                let last = std::mem::take(&mut self.scratch);
                self.settled.extend(last);
                for (position, body) in group.bodies.iter().enumerate() {
                    let value = self.variables[&(fix, position as u32)].clone();
                    if let Some(variable) = self.pool.fix_var_node(fix, position as u32) {
                        self.settled.insert(variable, value.clone());
                    }
                    let node = Expr::Fix(fix, position as u32, self.pool.sort(*body));
                    match self.pool.find(&node) {
                        Some(node) if self.pool.mentions_fix_var(node) => {
                            self.scratch.insert(node, value);
                        }
                        Some(node) => self.cache[node.0 as usize] = Some(value),
                        None => {}
                    }
                }
                return Ok(self.variables[&(fix, index)].clone());
            }
        }
        Err(group.does_not_settle())
    }
}

fn mismatch() -> Val {
    // Lowering checks sorts; an ill-sorted node cannot be built.
    Val::Rel(Rel::empty(0))
}

fn on_rel(value: &Val, f: impl Fn(&Rel) -> Rel) -> Val {
    match value {
        Val::Rel(rel) => Val::Rel(f(rel)),
        _ => mismatch(),
    }
}

fn union(a: &Val, b: &Val) -> Val {
    match (a, b) {
        (Val::Set(a), Val::Set(b)) => Val::Set(a.union(b)),
        (Val::Rel(a), Val::Rel(b)) => Val::Rel(a.union(b)),
        _ => mismatch(),
    }
}

fn difference(a: &Val, b: &Val) -> Val {
    match (a, b) {
        (Val::Set(a), Val::Set(b)) => Val::Set(a.diff(b)),
        (Val::Rel(a), Val::Rel(b)) => Val::Rel(a.diff(b)),
        _ => mismatch(),
    }
}

fn included(new: &Val, old: &Val) -> bool {
    match (new, old) {
        (Val::Set(a), Val::Set(b)) => a.is_subset(b),
        (Val::Rel(a), Val::Rel(b)) => a.is_subset(b),
        _ => false,
    }
}
