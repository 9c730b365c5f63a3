//! A model and small changes of it, over one pool: what they have in common is the same node, so that whoever looks at all of them computes it once.

use rustc_hash::FxHashMap;

use super::{Expr, ExprId, FixId, Interp, InterpId, Model, Pool, Step, Test};
use crate::source::SourceId;

/// A model and changed ones, over one pool.
#[derive(Debug)]
pub struct Joined {
    /// The model. Its pool has the expressions of the changed ones, too.
    pub model: Model,
    /// For each changed model the steps in which it differs; `None`: it cannot be put beside the model.
    pub changed: Vec<Option<Vec<Pair>>>,
    /// Leaves of changed models that do the same as one of the model, on other inputs.
    leaves: FxHashMap<InterpId, InterpId>,
}

/// A step of the model, and what it is in a changed one. Where one is missing, the other has a step more.
#[derive(Clone, Debug)]
pub struct Pair {
    /// In the model.
    pub own: Option<Step>,
    /// In the changed one.
    pub changed: Option<Step>,
}

/// A changed model, and the file that was changed.
pub type Changed<'m> = (&'m Model, SourceId);

/// Puts changed models beside a model. Functions must be the same in all of them: those that are interpreted cannot be compared.
pub fn join<'m>(own: &Model, changed: impl Iterator<Item = Option<Changed<'m>>>) -> Joined {
    let mut joined = Joined { model: own.clone(), changed: Vec::new(), leaves: FxHashMap::default() };
    for changed in changed {
        let pairs = changed.and_then(|(model, file)| pairs(own, model, file, &mut joined));
        joined.changed.push(pairs);
    }
    joined
}

impl Joined {
    /// Do two leaves work alike, whatever their inputs are?
    pub fn work_alike(&self, one: InterpId, other: InterpId) -> bool {
        let origin = |leaf: InterpId| self.leaves.get(&leaf).copied().unwrap_or(leaf);
        origin(one) == origin(other)
    }
}

/// The steps in which a changed model differs.
fn pairs(own: &Model, changed: &Model, file: SourceId, joined: &mut Joined) -> Option<Vec<Pair>> {
    if own.catdep != changed.catdep || own.needs_register_events() != changed.needs_register_events() {
        return None;
    }
    // A choice is known by its number.
    let choices = |model: &Model| -> Vec<_> {
        let choice = |step: &Step| match step {
            Step::With { choice, name, .. } => Some((*choice, name.clone())),
            _ => None,
        };
        model.steps.iter().filter_map(choice).collect()
    };
    if choices(own) != choices(changed) {
        return None;
    }
    let mut copy = Copy {
        own: &own.pool,
        old: &changed.pool,
        file,
        new: std::mem::take(&mut joined.model.pool),
        fixes: FxHashMap::default(),
        known: FxHashMap::default(),
        leaves: &mut joined.leaves,
    };
    let steps: Vec<Step> = changed.steps.iter().map(|step| copy.step(step)).collect();
    joined.model.pool = copy.new;
    side_by_side(&own.steps, &steps)
}

fn side_by_side(own: &[Step], changed: &[Step]) -> Option<Vec<Pair>> {
    let before = own.iter().zip(changed).take_while(|(one, other)| are_one(one, other)).count();
    let (own, changed) = (&own[before..], &changed[before..]);
    let after =
        own.iter().rev().zip(changed.iter().rev()).take_while(|(one, other)| are_one(one, other)).count();
    let (own, changed) = (&own[..own.len() - after], &changed[..changed.len() - after]);
    if own.len() == changed.len() {
        let differing = own.iter().zip(changed).filter(|(one, other)| !are_one(one, other));
        let pair =
            |(one, other): (&Step, &Step)| Pair { own: Some(one.clone()), changed: Some(other.clone()) };
        return Some(differing.map(pair).collect());
    }
    let alone = |step: &Step| Pair { own: Some(step.clone()), changed: None };
    changed.is_empty().then(|| own.iter().map(alone).collect())
}

/// Are two steps over one pool the same?
fn are_one(one: &Step, other: &Step) -> bool {
    match (one, other) {
        (Step::Check { kind, test, name, .. }, Step::Check { kind: k, test: t, name: n, .. }) => {
            (kind, test, name) == (k, t, n)
        }
        (Step::With { choice, from, .. }, Step::With { choice: c, from: f, .. }) => (choice, from) == (c, f),
        _ => false,
    }
}

/// Expressions of a changed model, put into the pool that began as the model's own.
struct Copy<'p> {
    own: &'p Pool,
    old: &'p Pool,
    /// The file that was changed.
    file: SourceId,
    new: Pool,
    fixes: FxHashMap<FixId, FixId>,
    known: FxHashMap<ExprId, ExprId>,
    leaves: &'p mut FxHashMap<InterpId, InterpId>,
}

impl Copy<'_> {
    fn step(&mut self, step: &Step) -> Step {
        match step {
            Step::Check { kind, test, name, span } => {
                Step::Check { kind: *kind, test: self.test(test), name: name.clone(), span: *span }
            }
            Step::With { choice, name, from, span } => {
                Step::With { choice: *choice, name: name.clone(), from: self.expr(*from), span: *span }
            }
            Step::Fail { .. } => step.clone(),
        }
    }

    fn test(&mut self, test: &Test) -> Test {
        Test { expr: self.expr(test.expr), ..*test }
    }

    fn all(&mut self, ids: &[ExprId]) -> Vec<ExprId> {
        ids.iter().map(|id| self.expr(*id)).collect()
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let old = self.old;
        let new = match old.expr(id) {
            Expr::FixVar(fix, index, sort) => {
                let fix = self.fix(*fix);
                self.new.intern(Expr::FixVar(fix, *index, *sort))
            }
            Expr::Fix(fix, index, sort) => {
                let fix = self.fix(*fix);
                self.new.intern(Expr::Fix(fix, *index, *sort))
            }
            Expr::Interp(leaf, _) => self.leaf(id, *leaf),
            other => {
                let expr = other.with_operands(|operand| self.expr(operand));
                self.new.intern(expr)
            }
        };
        self.known.insert(id, new);
        new
    }

    /// A leaf is the model's own if it is of the same number and has the same inputs; one whose text may have been changed is another.
    fn leaf(&mut self, id: ExprId, leaf: InterpId) -> ExprId {
        let old = self.old;
        let theirs = old.interp(leaf);
        let sort = old.sort(id);
        let inputs = self.all(&theirs.inputs);
        let own = self.own.find(&Expr::Interp(leaf, sort)).filter(|_| {
            let function = &self.own.interp(leaf).function;
            function.describe() == theirs.function.describe() && function.written_in() != Some(self.file)
        });
        if let Some(own) = own
            && self.own.interp(leaf).inputs == inputs
        {
            return own;
        }
        let new = self.new.new_interp(Interp { inputs, function: theirs.function.clone() }, sort);
        if let (Some(_), Expr::Interp(new, _)) = (own, self.new.expr(new)) {
            self.leaves.insert(*new, leaf);
        }
        new
    }

    /// A recursion is first taken for the model's own of the same number; it is, if its bodies then are.
    fn fix(&mut self, fix: FixId) -> FixId {
        if let Some(known) = self.fixes.get(&fix) {
            return *known;
        }
        let old = self.old;
        let theirs = old.fix(fix);
        if (fix.0 as usize) < self.own.n_fixes() && self.own.fix(fix).names == theirs.names {
            let own = self.own.fix(fix);
            let before = (self.fixes.clone(), self.known.clone());
            self.fixes.insert(fix, fix);
            let bodies = self.all(&theirs.bodies);
            let when = theirs.when.as_ref().map(|when| self.test(when));
            if own.bodies == bodies && own.when == when {
                return fix;
            }
            (self.fixes, self.known) = before;
        }
        let new = self.new.new_fix(theirs.names.clone());
        self.fixes.insert(fix, new);
        let bodies = self.all(&theirs.bodies);
        let when = theirs.when.as_ref().map(|when| self.test(when));
        self.new.set_bodies(new, bodies, when);
        new
    }
}
