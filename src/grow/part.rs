//! The part of a model that is about a program: what it says of events that the program has none of is left out.
//!
//! The kernel's model chooses, besides a coherence order, whom a lock that is found taken or free was taken or given back by. A program without locks leaves
//! it one way each to do so, and no other engine need be asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::compile::in_set_by_kind;
use super::usual;
use crate::execution::EventKind;
use crate::model::{
    Base, CheckKind, ChoiceId, Expr, ExprId, FixId, Interp, Model, Pool, Sort, Step, Test, TestKind,
};
use crate::program::fences::full_fence;
use crate::program::{BranchKind, Instr, Op, Program, SetName, each_op};

/// The model as it is where some predefined sets are empty; it makes at most one choice. `None`: it is not simpler.
pub(super) fn without(model: &Model, is_absent: &dyn Fn(&str) -> bool) -> Option<Model> {
    let mut part = Part {
        pool: model.pool.clone(),
        is_absent,
        known: FxHashMap::default(),
        trivial: Vec::new(),
        orders: Vec::new(),
    };
    let usual = model.usual_coherence()?;
    let mut steps = Vec::new();
    let mut bases = Vec::new();
    for step in &model.steps {
        match step {
            Step::With { choice, name, from, span } => {
                let from = part.rewritten(*from);
                let rest = Model { pool: part.pool.clone(), ..model.clone() };
                if usual::is_nothing(&rest, from) {
                    part.trivial.push(*choice);
                    part.known.clear();
                    continue;
                }
                let (choice, name, span) = (*choice, name.clone(), *span);
                let base = usual::base(&rest, from)?;
                part.orders.push(choice);
                part.known.clear();
                if base != usual {
                    // All orders are tried; those that do not contain what they must are refused.
                    let over = part.orders(base, choice, usual);
                    let test = Test { kind: TestKind::Empty, negated: false, expr: over };
                    steps.push(Step::Check {
                        kind: CheckKind::Plain,
                        test,
                        name: Some(format!("{name}-base")),
                        span,
                    });
                    bases.push(base);
                }
                steps.push(Step::With { choice, name, from, span });
            }
            Step::Check { kind, test, name, span } => {
                let test = Test { expr: part.rewritten(test.expr), ..*test };
                let (kind, name, span) = (*kind, name.clone(), *span);
                steps.push(Step::Check { kind, test, name, span });
            }
            Step::Fail { .. } => return None,
        }
    }
    let is_empty = |expr: ExprId| matches!(part.pool.expr(expr), Expr::Empty(_));
    steps.retain(|step| match step {
        Step::Check { kind: CheckKind::Flag, test, .. } if is_empty(test.expr) => !test.negated,
        Step::Check { test, .. } if is_empty(test.expr) => test.negated,
        // That what an order contains has no cycle goes without saying.
        Step::Check { kind: CheckKind::Plain, test, .. } => {
            !(test.kind == TestKind::Acyclic && !test.negated && bases.contains(&test.expr))
        }
        _ => true,
    });
    Some(Model { pool: part.pool, steps, ..model.clone() })
}

/// The predefined sets that all that stands in the way is about, besides those that every program has: choices of a model, recursions that do not only
/// grow, and checks that look at final writes.
pub(super) fn chosen_from(model: &Model) -> BTreeSet<String> {
    let pool = &model.pool;
    let mut names = BTreeSet::new();
    let mut seen = vec![false; pool.len()];
    let mut work: Vec<ExprId> = Vec::new();
    let last = pool.find_base(&Base::Fw, Sort::Set);
    for step in &model.steps {
        match step {
            Step::With { from, .. } => work.push(*from),
            Step::Check { test, .. } if last.is_some_and(|last| reaches(pool, test.expr, last)) => {
                work.push(test.expr);
            }
            _ => {}
        }
    }
    let fixes = (0..pool.len())
        .map(|id| ExprId(id as u32))
        .filter(|id| matches!(pool.expr(*id), Expr::Fix(fix, ..) if !pool.fix_is_monotone(*fix)));
    work.extend(fixes);
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        if let Expr::Base(base @ Base::Named(_), Sort::Set) = pool.expr(id) {
            names.insert(base.name().to_string());
        }
        work.extend(pool.parts(id));
    }
    names.retain(|name| !is_by_kind(name));
    names
}

/// The predefined sets that a model mentions.
pub(super) fn sets(model: &Model) -> impl Iterator<Item = &str> {
    let exprs = (0..model.pool.len()).map(|id| model.pool.expr(ExprId(id as u32)));
    exprs.filter_map(|expr| match expr {
        Expr::Base(base, Sort::Set) => Some(base.name()),
        _ => None,
    })
}

/// Is a set of that name one that kinds of events decide?
fn is_by_kind(name: &str) -> bool {
    in_set_by_kind(EventKind::Fence, name).is_some() || matches!(name, "NA" | "X" | "RMW" | "A")
}

/// Has a program no event in a set?
pub(super) fn is_absent(program: &Program) -> impl Fn(&str) -> bool + use<> {
    let mut names: BTreeSet<String> = full_fence().iter().map(ToString::to_string).collect();
    fn collect(ops: &[Op], names: &mut BTreeSet<String>) {
        for op in ops {
            let mut take = |sets: &[SetName]| names.extend(sets.iter().map(ToString::to_string));
            match op {
                Op::Load { sets, .. }
                | Op::Store { sets, .. }
                | Op::Rmw { sets, .. }
                | Op::Fence { sets, .. }
                | Op::Other { sets, .. }
                | Op::Named { sets, .. }
                | Op::Mark { sets, .. } => take(sets),
                Op::CompareExchange { sets, failure, .. } => {
                    take(sets);
                    take(failure);
                }
                Op::Branch { kind: BranchKind::Return, .. } => take(&["EXC-RET".into()]),
                Op::If { then, otherwise, .. } | Op::Conditional { then, otherwise, .. } => {
                    collect(then, names);
                    collect(otherwise, names);
                    continue;
                }
                Op::Choice { branches } => {
                    branches.iter().for_each(|ops| collect(ops, names));
                    continue;
                }
                _ => {}
            }
        }
    }
    for thread in &program.threads {
        thread.code.iter().for_each(|Instr { ops, .. }| collect(ops, &mut names));
        names.extend(thread.annotations.iter().map(ToString::to_string));
    }
    move |name: &str| !is_by_kind(name) && !names.contains(name)
}

/// Has a program no event in a set, such sets included as kinds of events decide?
pub(super) fn is_missing(program: &Program) -> impl Fn(&str) -> bool + use<> {
    let mut names: BTreeSet<String> = full_fence().iter().map(ToString::to_string).collect();
    let mut has_updates = false;
    for thread in &program.threads {
        names.extend(thread.annotations.iter().map(ToString::to_string));
        for instr in &thread.code {
            each_op(&instr.ops, &mut |op| match op {
                Op::CompareExchange { sets, failure, .. } => {
                    has_updates = true;
                    names.extend(sets.iter().chain(failure).map(ToString::to_string));
                }
                Op::Rmw { sets, .. } => {
                    has_updates = true;
                    names.extend(sets.iter().map(ToString::to_string));
                }
                Op::Load { sets, .. }
                | Op::Store { sets, .. }
                | Op::Fence { sets, .. }
                | Op::Other { sets, .. }
                | Op::Named { sets, .. }
                | Op::Fault { sets, .. }
                | Op::Mark { sets, .. } => names.extend(sets.iter().map(ToString::to_string)),
                _ => {}
            });
        }
    }
    let lacks_updates = program.conventions.one_event_rmw && !has_updates;
    move |name: &str| match name {
        "RMW" | "X" => lacks_updates && !names.contains(name),
        _ => !is_by_kind(name) && name != "EXC-RET" && !names.contains(name),
    }
}

struct Part<'a> {
    pool: Pool,
    is_absent: &'a dyn Fn(&str) -> bool,
    known: FxHashMap<ExprId, ExprId>,
    /// Choices that have but the empty relation to choose.
    trivial: Vec<ChoiceId>,
    /// Choices of an order of each cell's writes.
    orders: Vec<ChoiceId>,
}

impl Part<'_> {
    /// Pairs that an order must contain and does not.
    fn orders(&mut self, base: ExprId, choice: ChoiceId, usual: ExprId) -> ExprId {
        // What is always known of coherence is always contained.
        let none = self.pool.intern(Expr::Empty(Sort::Rel));
        let known = std::mem::take(&mut self.known);
        self.known.insert(usual, none);
        let rest = self.rewritten(base);
        self.known = known;
        let pool = &mut self.pool;
        let closed = pool.intern(Expr::Plus(rest));
        let loc = pool.base(Base::Loc, Sort::Rel);
        let writes = pool.base(Base::W, Sort::Set);
        let both = pool.intern(Expr::Product(writes, writes));
        let same = pool.intern(Expr::Inter(loc, both));
        let over = pool.intern(Expr::Inter(same, closed));
        let order = pool.intern(Expr::Choice(choice, Sort::Rel));
        pool.intern(Expr::Diff(over, order))
    }

    fn rewritten(&mut self, id: ExprId) -> ExprId {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let new = self.rewrite(id);
        self.known.insert(id, new);
        new
    }

    fn rewrite(&mut self, id: ExprId) -> ExprId {
        let expr = self.pool.expr(id).clone();
        let new = match expr {
            Expr::Base(ref base @ Base::Named(_), Sort::Set) if (self.is_absent)(base.name()) => {
                Expr::Empty(Sort::Set)
            }
            Expr::Choice(choice, sort) if self.trivial.contains(&choice) => Expr::Empty(sort),
            Expr::Fix(fix, index, sort) => return self.group(id, fix, index, sort),
            Expr::Interp(interp, sort) => {
                let Interp { inputs, function } = self.pool.interp(interp);
                let (inputs, function) = (inputs.clone(), Arc::clone(function));
                let new: Vec<ExprId> = inputs.iter().map(|input| self.rewritten(*input)).collect();
                return match new == inputs {
                    true => id,
                    false => self.pool.new_interp(Interp { inputs: new, function }, sort),
                };
            }
            Expr::Base(..)
            | Expr::Choice(..)
            | Expr::FixVar(..)
            | Expr::Empty(_)
            | Expr::Universe(_)
            | Expr::Id => return id,
            Expr::Union(list) => Expr::Union(list.into_iter().map(|child| self.rewritten(child)).collect()),
            Expr::Seq(list) => Expr::Seq(list.into_iter().map(|child| self.rewritten(child)).collect()),
            Expr::Inter(a, b) => Expr::Inter(self.rewritten(a), self.rewritten(b)),
            Expr::Diff(a, b) => Expr::Diff(self.rewritten(a), self.rewritten(b)),
            Expr::Product(a, b) => Expr::Product(self.rewritten(a), self.rewritten(b)),
            Expr::Compl(a) => Expr::Compl(self.rewritten(a)),
            Expr::Inverse(a) => Expr::Inverse(self.rewritten(a)),
            Expr::ToId(a) => Expr::ToId(self.rewritten(a)),
            Expr::Domain(a) => Expr::Domain(self.rewritten(a)),
            Expr::Range(a) => Expr::Range(self.rewritten(a)),
            Expr::Opt(a) => Expr::Opt(self.rewritten(a)),
            Expr::Plus(a) => {
                let a = self.rewritten(a);
                // An order is closed.
                match self.pool.expr(a) {
                    Expr::Choice(choice, _) if self.orders.contains(choice) => return a,
                    _ => Expr::Plus(a),
                }
            }
            Expr::Star(a) => Expr::Star(self.rewritten(a)),
            Expr::ByValues(test, a) => Expr::ByValues(test, self.rewritten(a)),
        };
        self.pool.intern(new)
    }

    /// A recursive group is empty if nothing comes of nothing.
    fn group(&mut self, id: ExprId, fix: FixId, index: u32, sort: Sort) -> ExprId {
        let group = self.pool.fix(fix).clone();
        if group.when.is_some() {
            return id;
        }
        let before = self.known.clone();
        for index in 0..group.bodies.len() as u32 {
            if let Some(variable) = self.pool.fix_var_node(fix, index) {
                let none = self.pool.intern(Expr::Empty(self.pool.sort(variable)));
                self.known.insert(variable, none);
            }
        }
        let bodies: Vec<ExprId> = group.bodies.iter().map(|body| self.rewritten(*body)).collect();
        self.known = before;
        if bodies.iter().all(|body| matches!(self.pool.expr(*body), Expr::Empty(_))) {
            return self.pool.intern(Expr::Empty(sort));
        }
        let new = self.pool.new_fix(group.names.clone());
        let before = self.known.clone();
        for index in 0..group.bodies.len() as u32 {
            if let Some(variable) = self.pool.fix_var_node(fix, index) {
                let own = self.pool.intern(Expr::FixVar(new, index, self.pool.sort(variable)));
                self.known.insert(variable, own);
            }
        }
        let bodies: Vec<ExprId> = group.bodies.iter().map(|body| self.rewritten(*body)).collect();
        self.pool.set_bodies(new, bodies, None);
        self.known = before;
        self.pool.intern(Expr::Fix(new, index, sort))
    }
}

/// Does an expression mention another?
fn reaches(pool: &Pool, from: ExprId, to: ExprId) -> bool {
    let mut seen = vec![false; pool.len()];
    let mut work = vec![from];
    while let Some(id) = work.pop() {
        if id == to {
            return true;
        }
        if !std::mem::replace(&mut seen[id.0 as usize], true) {
            work.extend(pool.parts(id));
        }
    }
    false
}
