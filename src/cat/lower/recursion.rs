//! `let rec`.
//!
//! Functions close over each other. Sets and relations become a recursive group of the pool, iterated from empty when
//! the model runs; the forms that denote a closure become one. What the pool cannot express is iterated here, in a
//! concrete run.

use std::sync::Arc;

use super::defer::{Code, Want};
use super::env::{Env, Place, Slot};
use super::error::{Eval, Stop, no_operator, wrong_sort};
use super::free;
use super::interpreter::Interpreter;
use super::value::{Closure, Group, Type, Value};
use crate::cat::ast::{Binding, Expr, ExprKind, Ident, Params, Pattern, Test};
use crate::diag::Diagnostic;
use crate::model::{self, ExprId, FixId, Sort};
use crate::source::Span;

/// More rounds than any system that settles needs.
const ROUND_LIMIT: usize = 100_000;

/// Binds all functions of a group.
pub(super) fn bind_group(env: &mut Env, group: &Arc<Group>) {
    for (index, (name, params, body)) in group.functions.iter().enumerate() {
        let closure = Closure {
            params: params.clone(),
            body: body.clone(),
            env: group.env.clone(),
            group: Some(group.clone()),
            name: Some(name.name.clone()),
            identity: (group.age, index),
        };
        env.bind(name.name.clone(), Slot::Value(Value::Closure(Arc::new(closure))));
    }
}

/// A binding that is a function.
fn as_function(binding: &Binding) -> Option<(Ident, Params, Expr)> {
    match &binding.pattern {
        Pattern::Function { name, params } => Some((name.clone(), params.clone(), binding.expr.clone())),
        Pattern::Name(Some(name)) => match &*binding.expr.kind {
            ExprKind::Fun { params, body } => Some((name.clone(), params.clone(), body.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Is the binding that of a function?
pub(super) fn is_function(binding: &Binding) -> bool {
    as_function(binding).is_some()
}

/// `x = e1 | … | x;x | …`, with `x` nowhere else: the `e`s.
pub(super) fn closure_form(binding: &Binding) -> Option<Vec<Expr>> {
    let Pattern::Name(Some(name)) = &binding.pattern else { return None };
    let ExprKind::Union(items) = &*binding.expr.kind else { return None };
    let is_self = |e: &Expr| matches!(&*e.kind, ExprKind::Var(n) if *n == name.name);
    let twice = |e: &Expr| matches!(&*e.kind, ExprKind::Seq(s) if s.len() == 2 && s.iter().all(is_self));
    let (recursive, others): (Vec<&Expr>, Vec<&Expr>) = items.iter().partition(|e| twice(e));
    let fits =
        !recursive.is_empty() && !others.is_empty() && others.iter().all(|e| !free::occurs(&name.name, e));
    fits.then(|| others.into_iter().cloned().collect())
}

/// The parts of a group: its functions, and its values in order.
struct Parts {
    functions: Vec<(Ident, Params, Expr)>,
    values: Vec<(Option<Ident>, Expr)>,
}

impl Interpreter<'_> {
    /// What the names of a `let rec` are bound to.
    pub(super) fn rec_slots(
        &mut self,
        env: &Env,
        bindings: &[Binding],
        when: Option<&Test>,
        span: Span,
    ) -> Eval<Vec<(Arc<str>, Slot)>> {
        let mut parts = Parts { functions: Vec::new(), values: Vec::new() };
        for binding in bindings {
            match (as_function(binding), &binding.pattern) {
                (Some(function), _) => parts.functions.push(function),
                (None, Pattern::Name(name)) => parts.values.push((name.clone(), binding.expr.clone())),
                (None, _) => {
                    return Err(Diagnostic::error(
                        "cat::recursive-tuple",
                        "a tuple cannot be defined recursively",
                    )
                    .at(binding.span, "only functions, sets and relations can")
                    .into());
                }
            }
        }
        let names = free::of_group(bindings, when);
        let base = self.restrict(env, &names, None)?;
        let age = self.next_age();
        if parts.values.is_empty() {
            return Ok(function_slots(&self.group(&parts, base, age)));
        }
        if self.is_concrete() {
            return self.iterate(&parts, &base, age, span);
        }
        self.fixpoint(&parts, &base, bindings, when, age, span)
    }

    fn group(&self, parts: &Parts, env: Env, age: u64) -> Arc<Group> {
        Arc::new(Group { functions: parts.functions.clone(), env, age })
    }

    /// The environment of the right-hand sides, for these values.
    fn rec_env(&self, parts: &Parts, base: &Env, values: &[Value], age: u64) -> Env {
        let mut env = base.clone();
        for ((name, _), value) in parts.values.iter().zip(values) {
            if let Some(name) = name {
                env.bind_at(name.name.clone(), Slot::Value(value.clone()), Place::bound(name.span));
            }
        }
        let group = self.group(parts, env.clone(), age);
        bind_group(&mut env, &group);
        env
    }

    fn rec_result(&self, parts: &Parts, base: &Env, values: Vec<Value>, age: u64) -> Vec<(Arc<str>, Slot)> {
        let env = self.rec_env(parts, base, &values, age);
        let mut slots = function_slots(&self.group(parts, env, age));
        let named = parts.values.iter().zip(values);
        slots.extend(
            named.filter_map(|((name, _), value)| Some((name.as_ref()?.name.clone(), Slot::Value(value)))),
        );
        slots
    }

    /// Rounds on actual values: in order, each seeing what this round has updated, until all are included in what they were.
    fn iterate(&mut self, parts: &Parts, base: &Env, age: u64, span: Span) -> Eval<Vec<(Arc<str>, Slot)>> {
        let mut values = vec![Value::Empty; parts.values.len()];
        for _ in 0..ROUND_LIMIT {
            let mut settled = true;
            for (index, (_, expr)) in parts.values.iter().enumerate() {
                let env = self.rec_env(parts, base, &values, age);
                let new = (self.eval(&env, expr)?, expr.span);
                if !matches!(
                    new.0,
                    Value::Empty | Value::Set(_) | Value::Rel(_) | Value::ClassRel(_) | Value::Values(_)
                ) {
                    return Err(no_operator("recursion", &new));
                }
                settled &= self.subset(&new, &(values[index].clone(), expr.span))?;
                values[index] = new.0;
            }
            if settled {
                return Ok(self.rec_result(parts, base, values, age));
            }
        }
        Err(Stop::Fatal(Arc::new(
            Diagnostic::error("cat::rec-does-not-settle", "this recursive definition does not settle")
                .at(span, "still changing after many rounds"),
        )))
    }

    /// A recursive group of the pool.
    fn fixpoint(
        &mut self,
        parts: &Parts,
        base: &Env,
        bindings: &[Binding],
        when: Option<&Test>,
        age: u64,
        span: Span,
    ) -> Eval<Vec<(Arc<str>, Slot)>> {
        let n = parts.values.len();
        let names: Vec<String> =
            parts.values.iter().map(|(name, _)| name.as_ref().map_or("_", |n| &n.name).to_owned()).collect();
        let Some(a) = self.lowering() else { return Err(Stop::NoValue) };
        let fix = a.pool.new_fix(names);
        a.pool.set_fix_span(fix, span);
        let first_node = a.pool.len();

        // The first round, from `{}`, tells the sorts.
        let mut variables = vec![Value::Empty; n];
        let mut all_known = true;
        for _ in 0..=n {
            let mut found = false;
            for (index, (_, expr)) in parts.values.iter().enumerate() {
                if !matches!(variables[index], Value::Empty) {
                    continue;
                }
                let env = self.rec_env(parts, base, &variables, age);
                let value = (self.eval(&env, expr)?, expr.span);
                let sort = match value.0.type_of() {
                    Type::Empty => continue,
                    Type::Events => Sort::Set,
                    Type::Rel => Sort::Rel,
                    Type::Unknown if matches!(value.0, Value::Unknown) => {
                        variables[index] = Value::Unknown;
                        continue;
                    }
                    Type::Unknown | Type::Set(_) => {
                        all_known &= value.0.is_known();
                        return if all_known {
                            self.iterate(parts, base, age, span)
                        } else {
                            self.interpreted(parts, base, bindings, age, span)
                        };
                    }
                    _ => return Err(no_operator("recursion", &value)),
                };
                variables[index] = self.node(model::Expr::FixVar(fix, index as u32, sort))?;
                found = true;
            }
            if !found {
                break;
            }
        }
        for (index, variable) in variables.iter_mut().enumerate() {
            if matches!(variable, Value::Empty) {
                *variable = self.node(model::Expr::FixVar(fix, index as u32, Sort::Rel))?;
            }
        }

        let env = self.rec_env(parts, base, &variables, age);
        let mut bodies = Vec::with_capacity(n);
        for ((_, expr), variable) in parts.values.iter().zip(&variables) {
            let value = (self.eval(&env, expr)?, expr.span);
            bodies.push(match variable {
                Value::Unknown => Value::Unknown,
                Value::Node(_, Sort::Set) => self.as_set(&value, false)?,
                _ => self.as_rel(&value, false)?,
            });
        }
        if variables.iter().chain(&bodies).any(|v| matches!(v, Value::Unknown)) {
            return Ok(self.rec_result(parts, base, vec![Value::Unknown; n], age));
        }
        if self.leaf_mentions(fix, first_node) {
            return self.interpreted(parts, base, bindings, age, span);
        }
        let sort = |v: &Value| if matches!(v, Value::Node(_, Sort::Set)) { Sort::Set } else { Sort::Rel };
        let sorts: Vec<Sort> = variables.iter().map(sort).collect();
        let ids = bodies.iter().zip(&sorts).map(|(v, s)| self.id_of(v, *s)).collect::<Result<Vec<_>, _>>()?;
        let test = when.map(|t| self.test_node(&env, t)).transpose()?;
        if let ([body], None, [Value::Node(variable, _)]) = (ids.as_slice(), test, variables.as_slice())
            && let Some(closed) = self.closed_form(*body, *variable)?
        {
            return Ok(self.rec_result(parts, base, vec![closed], age));
        }
        if let Some(a) = self.lowering() {
            for (index, (_, expr)) in parts.values.iter().enumerate() {
                a.origins.note_body(fix, index as u32, expr.span);
            }
            a.pool.set_bodies(fix, ids, test);
        }
        let mut values = Vec::with_capacity(n);
        for (index, sort) in sorts.into_iter().enumerate() {
            values.push(self.node(model::Expr::Fix(fix, index as u32, sort))?);
        }
        Ok(self.rec_result(parts, base, values, age))
    }

    /// Does a leaf made since read a variable of the group?
    fn leaf_mentions(&mut self, fix: FixId, since: usize) -> bool {
        let Some(a) = self.lowering() else { return false };
        (since..a.pool.len()).any(|index| {
            let node = a.pool.node(ExprId(index as u32));
            let own = |base: ExprId| matches!(a.pool.expr(base), model::Expr::FixVar(f, ..) if *f == fix);
            matches!(node.expr, model::Expr::Interp(..)) && node.dynamics.bases.iter().any(|(b, _)| own(*b))
        })
    }

    /// Each value as a leaf that iterates on actual events.
    fn interpreted(
        &mut self,
        parts: &Parts,
        base: &Env,
        bindings: &[Binding],
        age: u64,
        span: Span,
    ) -> Eval<Vec<(Arc<str>, Slot)>> {
        let bindings = Arc::new(bindings.to_vec());
        let mut values = Vec::with_capacity(parts.values.len());
        // The leaf's own list has the functions first, then the named values.
        let mut index = parts.functions.len();
        for (name, expr) in &parts.values {
            if name.is_none() {
                values.push(Value::Empty);
                continue;
            }
            let at = if parts.values.len() == 1 { expr.span } else { span };
            values.push(self.defer_as(Code::Rec(bindings.clone(), index), base.clone(), at, Want::Any)?);
            index += 1;
        }
        Ok(self.rec_result(parts, base, values, age))
    }

    /// The closure that a group of one denotes, if its body is a union of parts without the variable `x`, of `x;x`, and of
    /// `b;x` and `x;c` with `b` and `c` free of it: `(b* ; a ; c*)+`, without the `+` if `x;x` is not there.
    fn closed_form(&mut self, body: ExprId, variable: ExprId) -> Eval<Option<Value>> {
        let Some(a) = self.lowering() else { return Ok(None) };
        let free_of = |id: ExprId| {
            matches!(a.pool.node(id).dynamics.of(variable), model::Polarity::None) && id != variable
        };
        if free_of(body) {
            let sort = a.pool.sort(body);
            return Ok(Some(Value::Node(body, sort)));
        }
        let children = match a.pool.expr(body) {
            model::Expr::Union(children) => children.clone(),
            _ => vec![body],
        };
        let (mut start, mut before, mut after, mut twice) = (Vec::new(), Vec::new(), Vec::new(), false);
        for child in children {
            if free_of(child) {
                start.push(child);
            } else if child == variable {
                // `x | …` adds nothing.
            } else if let model::Expr::Seq(steps) = a.pool.expr(child) {
                match steps.as_slice() {
                    [x, y] if *x == variable && *y == variable => twice = true,
                    [first @ .., x] if *x == variable && first.iter().all(|s| free_of(*s)) => {
                        before.push(first.to_vec());
                    }
                    [x, rest @ ..] if *x == variable && rest.iter().all(|s| free_of(*s)) => {
                        after.push(rest.to_vec());
                    }
                    _ => return Ok(None),
                }
            } else {
                return Ok(None);
            }
        }
        if a.pool.sort(variable) != Sort::Rel {
            return Ok(None);
        }
        let mut star = |lists: Vec<Vec<ExprId>>| {
            let parts = lists.into_iter().map(|l| a.pool.intern(model::Expr::Seq(l))).collect();
            let union = a.pool.intern(model::Expr::Union(parts));
            a.pool.intern(model::Expr::Star(union))
        };
        let mut steps = Vec::new();
        let (has_before, has_after) = (!before.is_empty(), !after.is_empty());
        let (left, right) = (has_before.then(|| star(before)), has_after.then(|| star(after)));
        let middle = a.pool.intern(model::Expr::Union(start));
        steps.extend(left);
        steps.push(middle);
        steps.extend(right);
        let mut result = a.pool.intern(model::Expr::Seq(steps));
        if twice {
            result = a.pool.intern(model::Expr::Plus(result));
        }
        Ok(Some(Value::Node(result, Sort::Rel)))
    }

    /// A test as the core has it.
    pub(super) fn test_node(&mut self, env: &Env, test: &Test) -> Eval<model::Test> {
        use crate::cat::ast::TestKind;
        let value = (self.eval(env, &test.expr)?, test.expr.span);
        let kind = match test.kind {
            TestKind::Acyclic => model::TestKind::Acyclic,
            TestKind::Irreflexive => model::TestKind::Irreflexive,
            TestKind::Empty => model::TestKind::Empty,
        };
        let (value, sort) = match (&value.0, kind) {
            (Value::Node(_, Sort::Set), model::TestKind::Empty) => (value.0.clone(), Sort::Set),
            (Value::Node(_, Sort::Other), model::TestKind::Empty) => {
                let leaf =
                    self.defer_as(Code::Value(value.clone()), Env::default(), value.1, Want::Emptiness)?;
                (leaf, Sort::Rel)
            }
            (Value::Explicit(_) | Value::Values(_) | Value::Tuple(_), _) => {
                return Err(wrong_sort("a relation", &value));
            }
            _ => (self.as_rel(&value, false)?, Sort::Rel),
        };
        let expr = self.id_of(&value, sort)?;
        Ok(model::Test { kind, negated: test.negated, expr })
    }
}

fn function_slots(group: &Arc<Group>) -> Vec<(Arc<str>, Slot)> {
    let mut env = Env::default();
    bind_group(&mut env, group);
    let mut slots: Vec<_> = env.locals().map(|(name, slot)| (name.clone(), slot.clone())).collect();
    slots.reverse();
    slots
}
