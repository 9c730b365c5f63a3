//! The plain evaluator: the value of a node, given concrete values of everything dynamic.
//!
//! Slow, short and close to the definitions: the oracle runs on it, and the explorer's bounds are
//! tested against it. Static nodes can be computed once and shared by many evaluations.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::base::no_value;
use super::{Base, Expr, ExprId, FixId, Interp, Model, Pool, Sort, Test, TestKind, Universe, Val, ValueTest};
use crate::diag::Diagnostic;
use crate::limits;
use crate::relation::{Rel, Set};

/// Why an evaluation gave no value.
#[derive(Clone, Debug)]
pub enum EvalError {
    /// A run-time error of the model.
    Model(Diagnostic),
    /// A `when` test of a recursive definition failed: the execution is rejected.
    Rejected,
    /// It needs a choice of the model that is not made yet.
    Open,
}

impl EvalError {
    /// As an error of the model, where no other is expected.
    pub fn diagnostic(self) -> Diagnostic {
        match self {
            EvalError::Model(diagnostic) => diagnostic,
            EvalError::Rejected => Diagnostic::internal("a `when` fails after it held"),
            EvalError::Open => Diagnostic::internal("a `with` choice is used before it is made"),
        }
    }
}

impl From<Diagnostic> for EvalError {
    fn from(diagnostic: Diagnostic) -> EvalError {
        EvalError::Model(diagnostic)
    }
}

/// An evaluation in progress: values found so far, by node.
#[derive(Clone)]
pub struct Plain<'a> {
    pool: &'a Pool,
    universe: &'a dyn Universe,
    n: usize,
    visible: Set,
    cache: Vec<Option<Arc<Val>>>,
    /// Nodes that mention a recursion variable, valid for its current value only.
    scratch: FxHashMap<ExprId, Arc<Val>>,
    variables: FxHashMap<(FixId, u32), Arc<Val>>,
    /// Pairs of events whose values are as asked.
    by_values: Vec<(ValueTest, Rel)>,
}

impl<'a> Plain<'a> {
    /// An evaluation over the events of `universe`.
    pub fn new(model: &'a Model, universe: &'a dyn Universe) -> Plain<'a> {
        Plain {
            pool: &model.pool,
            universe,
            n: universe.n_events(),
            visible: universe.visible(),
            cache: vec![None; model.pool.len()],
            scratch: FxHashMap::default(),
            variables: FxHashMap::default(),
            by_values: Vec::new(),
        }
    }

    /// Number of events.
    pub fn n_events(&self) -> usize {
        self.n
    }

    /// Gives a dynamic base its value.
    pub fn set(&mut self, id: ExprId, value: Val) {
        self.cache[id.0 as usize] = Some(Arc::new(value));
    }

    /// Says which pairs of events hold values as asked.
    pub fn set_by_values(&mut self, test: ValueTest, pairs: Rel) {
        self.by_values.push((test, pairs));
    }

    /// The value of a node.
    ///
    /// # Errors
    /// A run-time error of the model, or a failed `when`.
    pub fn eval(&mut self, id: ExprId) -> Result<Arc<Val>, EvalError> {
        let slot = id.0 as usize;
        if let Some(value) = &self.cache[slot] {
            return Ok(value.clone());
        }
        if let Some(value) = self.scratch.get(&id) {
            return Ok(value.clone());
        }
        let value = Arc::new(self.compute(id)?);
        if self.mentions_variable(id) {
            self.scratch.insert(id, value.clone());
        } else {
            self.cache[slot] = Some(value.clone());
        }
        Ok(value)
    }

    /// Does a test hold?
    ///
    /// # Errors
    /// As [`Plain::eval`].
    pub fn holds(&mut self, test: &Test) -> Result<bool, EvalError> {
        let value = self.eval(test.expr)?;
        let plain = match (&*value, test.kind) {
            (Val::Rel(rel), TestKind::Acyclic) => rel.is_acyclic(),
            (Val::Rel(rel), TestKind::Irreflexive) => rel.is_irreflexive(),
            (Val::Rel(rel), TestKind::Empty) => rel.is_empty(),
            (Val::Set(set), TestKind::Empty) => set.is_empty(),
            (Val::Set(_), _) => true,
            _ => return Err(not_relational().into()),
        };
        Ok(plain != test.negated)
    }

    fn mentions_variable(&self, id: ExprId) -> bool {
        self.pool.mentions_fix_var(id)
    }

    /// The value of a node as a set.
    ///
    /// # Errors
    /// As [`Plain::eval`]; or the node is not a set.
    pub fn set_of(&mut self, id: ExprId) -> Result<Set, EvalError> {
        match &*self.eval(id)? {
            Val::Set(set) => Ok(set.clone()),
            _ => Err(not_relational().into()),
        }
    }

    /// The value of a node as a relation.
    ///
    /// # Errors
    /// As [`Plain::eval`]; or the node is not a relation.
    pub fn rel_of(&mut self, id: ExprId) -> Result<Rel, EvalError> {
        match &*self.eval(id)? {
            Val::Rel(rel) => Ok(rel.clone()),
            _ => Err(not_relational().into()),
        }
    }

    fn compute(&mut self, id: ExprId) -> Result<Val, EvalError> {
        limits::poll();
        let pool = self.pool;
        let n = self.n;
        let sort = pool.sort(id);
        Ok(match pool.expr(id) {
            Expr::Base(base, sort) => match self.universe.base(base) {
                Some(value) => value,
                // Nobody carries the name.
                None if matches!(base, Base::Named(_)) => empty(*sort, n),
                None => return Err(no_value(base).into()),
            },
            Expr::Choice(..) => return Err(EvalError::Open),
            Expr::FixVar(fix, index, sort) => match self.variables.get(&(*fix, *index)) {
                Some(value) => (**value).clone(),
                None => empty(*sort, n),
            },
            Expr::Fix(fix, index, _) => self.fixpoint(*fix)?[*index as usize].clone(),
            Expr::Empty(sort) => empty(*sort, n),
            Expr::Universe(Sort::Set) => Val::Set(self.visible.clone()),
            Expr::Universe(_) => Val::Rel(Rel::product(&self.visible, &self.visible)),
            Expr::Id => Val::Rel(Rel::id_on(&self.visible)),
            Expr::Union(children) if sort == Sort::Set => {
                let mut result = Set::empty(n);
                for child in children {
                    result.union_with(&self.set_of(*child)?);
                }
                Val::Set(result)
            }
            Expr::Union(children) => {
                let mut result = Rel::empty(n);
                for child in children {
                    result.union_with(&self.rel_of(*child)?);
                }
                Val::Rel(result)
            }
            Expr::Inter(a, b) if sort == Sort::Set => Val::Set(self.set_of(*a)?.inter(&self.set_of(*b)?)),
            Expr::Inter(a, b) => Val::Rel(self.rel_of(*a)?.inter(&self.rel_of(*b)?)),
            Expr::Diff(a, b) if sort == Sort::Set => Val::Set(self.set_of(*a)?.diff(&self.set_of(*b)?)),
            Expr::Diff(a, b) => Val::Rel(self.rel_of(*a)?.diff(&self.rel_of(*b)?)),
            Expr::Compl(a) if sort == Sort::Set => {
                let inner = self.set_of(*a)?;
                Val::Set(self.visible.diff(&inner))
            }
            Expr::Compl(a) => Val::Rel(Rel::product(&self.visible, &self.visible).diff(&self.rel_of(*a)?)),
            Expr::Seq(children) => {
                let mut result = self.rel_of(children[0])?;
                for child in &children[1..] {
                    result = result.seq(&self.rel_of(*child)?);
                }
                Val::Rel(result)
            }
            Expr::Inverse(a) => Val::Rel(self.rel_of(*a)?.inverse()),
            Expr::Product(a, b) => Val::Rel(Rel::product(&self.set_of(*a)?, &self.set_of(*b)?)),
            Expr::ToId(a) => Val::Rel(Rel::id_on(&self.set_of(*a)?)),
            Expr::Domain(a) => Val::Set(self.rel_of(*a)?.domain()),
            Expr::Range(a) => Val::Set(self.rel_of(*a)?.range()),
            Expr::Opt(a) => Val::Rel(self.rel_of(*a)?.union(&Rel::id_on(&self.visible))),
            Expr::Plus(a) => Val::Rel(self.rel_of(*a)?.plus()),
            Expr::Star(a) => Val::Rel(self.rel_of(*a)?.plus().union(&Rel::id_on(&self.visible))),
            Expr::ByValues(test, a) => {
                let rel = self.rel_of(*a)?;
                match self.by_values.iter().find(|(known, _)| known == test) {
                    Some((_, pairs)) => Val::Rel(rel.inter(pairs)),
                    None => Val::Rel(rel),
                }
            }
            Expr::Interp(interp, _) => {
                let Interp { inputs, function } = pool.interp(*interp).clone();
                let mut values = Vec::with_capacity(inputs.len());
                for input in inputs {
                    values.push((*self.eval(input)?).clone());
                }
                function.eval(&values, self.universe)?
            }
        })
    }

    /// The values of a recursive group at the start of its iteration and after each of its steps: one body is evaluated in each. `None`:
    /// a value lost something on the way, or the group has a `when`.
    ///
    /// # Errors
    /// As [`Plain::eval`].
    pub fn rounds(&mut self, fix: FixId) -> Result<Option<Vec<Vec<Arc<Val>>>>, EvalError> {
        let group = self.pool.fix(fix).clone();
        if group.when.is_some() {
            return Ok(None);
        }
        let start = |body: &ExprId| Arc::new(empty(self.pool.sort(*body), self.n));
        let mut values: Vec<Arc<Val>> = group.bodies.iter().map(start).collect();
        let mut states = vec![values.clone()];
        loop {
            let mut settled = true;
            for (index, body) in group.bodies.iter().enumerate() {
                self.assume(fix, &values);
                let new = self.eval(*body)?;
                if !included(&values[index], &new) {
                    return Ok(None);
                }
                settled &= included(&new, &values[index]);
                values[index] = new;
                states.push(values.clone());
            }
            if settled {
                self.scratch.clear();
                return Ok(Some(states));
            }
        }
    }

    /// The values that the variables of a recursive group have now.
    pub fn variables(&self, fix: FixId) -> Vec<Arc<Val>> {
        let bodies = &self.pool.fix(fix).bodies;
        let nothing = |body: &ExprId| Arc::new(empty(self.pool.sort(*body), self.n));
        let value = |(index, body): (usize, &ExprId)| {
            self.variables.get(&(fix, index as u32)).cloned().unwrap_or_else(|| nothing(body))
        };
        bodies.iter().enumerate().map(value).collect()
    }

    /// From now on the variables of a recursive group have these values.
    pub fn assume(&mut self, fix: FixId, values: &[Arc<Val>]) {
        self.scratch.clear();
        for (index, value) in values.iter().enumerate() {
            self.variables.insert((fix, index as u32), value.clone());
        }
    }

    /// Iterates a recursive group as herd7 does: in order, each body seeing what this round has updated; the newest
    /// values are the result once each is included in the one before.
    fn fixpoint(&mut self, fix: FixId) -> Result<Vec<Val>, EvalError> {
        let group = self.pool.fix(fix).clone();
        let sorts: Vec<Sort> = group.bodies.iter().map(|b| self.pool.sort(*b)).collect();
        for (index, sort) in sorts.iter().enumerate() {
            self.variables.insert((fix, index as u32), Arc::new(empty(*sort, self.n)));
        }
        // A round that changes a monotone group adds a pair; others are given as many rounds, then refused.
        let limit = (self.n * self.n + 2) * group.bodies.len().max(1) + 16;
        for _ in 0..limit {
            let mut settled = true;
            for (index, body) in group.bodies.iter().enumerate() {
                self.scratch.clear();
                let new = self.eval(*body)?;
                let old = self.variables.insert((fix, index as u32), new.clone());
                settled &= old.is_some_and(|old| included(&new, &old));
            }
            self.scratch.clear();
            if let Some(test) = &group.when {
                if !self.holds(test)? {
                    return Err(EvalError::Rejected);
                }
                self.scratch.clear();
            }
            if settled {
                let take = |index| (*self.variables[&(fix, index as u32)]).clone();
                return Ok((0..group.bodies.len()).map(take).collect());
            }
        }
        Err(group.does_not_settle().into())
    }
}

fn not_relational() -> Diagnostic {
    Diagnostic::internal("expected a set or a relation of events")
}

/// The empty value of a sort.
pub(crate) fn empty(sort: Sort, n: usize) -> Val {
    match sort {
        Sort::Set => Val::Set(Set::empty(n)),
        _ => Val::Rel(Rel::empty(n)),
    }
}

fn included(new: &Val, old: &Val) -> bool {
    match (new, old) {
        (Val::Set(a), Val::Set(b)) => a.is_subset(b),
        (Val::Rel(a), Val::Rel(b)) => a.is_subset(b),
        _ => false,
    }
}
