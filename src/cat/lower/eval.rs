//! Expressions to values.

use std::sync::Arc;

use super::choices::{Items, ValueSet};
use super::env::{Env, Slot};
use super::error::{Eval, Placed, Stop, wrong_sort};
use super::interpreter::Interpreter;
use super::ops::Op;
use super::shapes::{self, Shape};
use super::value::{Closure, Type, Value};
use crate::cat::ast::{Cond, Expr, ExprKind, Ident, Params};
use crate::diag::Diagnostic;
use crate::model::Sort;
use crate::source::Span;

impl Interpreter<'_> {
    /// The value of an expression. Each case is a function of its own: this one is on the stack many times over.
    pub(super) fn eval(&mut self, env: &Env, expr: &Expr) -> Eval {
        self.step()?;
        self.check_stack(expr.span)?;
        let span = expr.span;
        match &*expr.kind {
            ExprKind::Zero => self.empty(Sort::Rel),
            ExprKind::EmptySet => Ok(Value::Empty),
            ExprKind::Universe => Ok(Value::Universe),
            ExprKind::Tag(tag) => self.tag(tag, span),
            ExprKind::Var(name) => self.lookup(env, name, span),
            ExprKind::Union(items) => self.operands(Op::Union, env, items, span),
            ExprKind::Seq(items) => self.seq(env, items, span),
            ExprKind::Tuple(items) => self.tuple(env, items),
            ExprKind::Explicit(items) => self.operands(Op::Explicit, env, items, span),
            ExprKind::Add(a, b) => self.binary_operands(Op::Add, env, a, b, span),
            ExprKind::Diff(a, b) => self.binary_operands(Op::Diff, env, a, b, span),
            ExprKind::Inter(a, b) => self.binary_operands(Op::Inter, env, a, b, span),
            ExprKind::Product(a, b) => self.binary_operands(Op::Product, env, a, b, span),
            ExprKind::Compl(a) => self.unary_operand(Op::Compl, env, a, span),
            ExprKind::Opt(a) => self.unary_operand(Op::Opt, env, a, span),
            ExprKind::Plus(a) => self.unary_operand(Op::Plus, env, a, span),
            ExprKind::Star(a) => self.unary_operand(Op::Star, env, a, span),
            ExprKind::Inverse(a) => self.unary_operand(Op::Inverse, env, a, span),
            ExprKind::ToId(a) => self.unary_operand(Op::ToId, env, a, span),
            ExprKind::App(name, arg) => self.application(env, name, arg, span),
            ExprKind::AppExpr(function, arg) => self.general_application(env, function, arg, span),
            ExprKind::Fun { params, body } => self.closure(env, params, body),
            ExprKind::Let { .. } => self.let_in(env, expr),
            ExprKind::Try(first, second) => self.attempt(env, expr, first, second),
            ExprKind::If { .. } => self.conditional(env, expr),
            ExprKind::MatchTag { .. } => self.match_tag(env, expr),
            ExprKind::MatchSet { scrutinee, .. } => {
                let value = (self.eval(env, scrutinee)?, scrutinee.span);
                self.match_set(env, expr, &value)
            }
        }
    }

    fn tuple(&mut self, env: &Env, items: &[Expr]) -> Eval {
        let parts = items.iter().map(|e| self.eval(env, e)).collect::<Result<Vec<_>, _>>()?;
        Ok(Value::tuple(parts))
    }

    fn application(&mut self, env: &Env, name: &Ident, arg: &Expr, span: Span) -> Eval {
        let function = self.lookup(env, &name.name, name.span)?;
        let arg = (self.eval(env, arg)?, arg.span);
        let value = self.apply(&(function.clone(), name.span), &arg, span)?;
        self.note_call(&name.name, span, &value, &function);
        Ok(value)
    }

    fn general_application(&mut self, env: &Env, function: &Expr, arg: &Expr, span: Span) -> Eval {
        let function = (self.eval(env, function)?, function.span);
        let arg = (self.eval(env, arg)?, arg.span);
        self.apply(&function, &arg, span)
    }

    fn let_in(&mut self, env: &Env, expr: &Expr) -> Eval {
        let ExprKind::Let { rec, bindings, body } = &*expr.kind else { return Ok(Value::Unknown) };
        if let Some(value) = self.library_function(env, expr)? {
            return Ok(value);
        }
        let slots = match rec {
            true => self.rec_slots(env, bindings, None, expr.span)?,
            false => self.let_slots(env, bindings)?,
        };
        let mut env = env.clone();
        for (name, slot) in slots {
            env.bind(name, slot);
        }
        self.eval(&env, body)
    }

    fn conditional(&mut self, env: &Env, expr: &Expr) -> Eval {
        let ExprKind::If { cond, then, otherwise } = &*expr.kind else { return Ok(Value::Unknown) };
        match self.condition(env, cond)? {
            Some(true) => self.eval(env, then),
            Some(false) => self.eval(env, otherwise),
            None => self.defer_expr(env, expr),
        }
    }

    fn match_tag(&mut self, env: &Env, expr: &Expr) -> Eval {
        let ExprKind::MatchTag { scrutinee, clauses } = &*expr.kind else { return Ok(Value::Unknown) };
        let value = (self.eval(env, scrutinee)?, scrutinee.span);
        match self.choose_clause(&value, clauses)? {
            Some(body) => self.eval(env, body),
            None => self.defer_expr(env, expr),
        }
    }

    fn placed(&mut self, env: &Env, expr: &Expr) -> Eval<Placed> {
        Ok((self.eval(env, expr)?, expr.span))
    }

    fn operands(&mut self, op: Op, env: &Env, items: &[Expr], span: Span) -> Eval {
        let args = items.iter().map(|e| self.placed(env, e)).collect::<Result<Vec<_>, _>>()?;
        self.operate_here(op, args, span)
    }

    fn binary_operands(&mut self, op: Op, env: &Env, a: &Expr, b: &Expr, span: Span) -> Eval {
        let args = vec![self.placed(env, a)?, self.placed(env, b)?];
        self.operate_here(op, args, span)
    }

    fn unary_operand(&mut self, op: Op, env: &Env, a: &Expr, span: Span) -> Eval {
        let args = vec![self.placed(env, a)?];
        self.operate_here(op, args, span)
    }

    /// Composition: what comes after something certainly empty is not looked at, and `[_]` is skipped like `_`.
    fn seq(&mut self, env: &Env, items: &[Expr], span: Span) -> Eval {
        let mut args = Vec::with_capacity(items.len());
        for item in items {
            let value = match &*item.kind {
                ExprKind::ToId(inner) => match self.eval(env, inner)? {
                    Value::Universe => Value::Universe,
                    value => self.operate_here(Op::ToId, vec![(value, inner.span)], item.span)?,
                },
                _ => self.eval(env, item)?,
            };
            if self.certainly_empty(&value) && value.type_of() != Type::Events {
                return Ok(Value::Empty);
            }
            args.push((value, item.span));
        }
        self.operate_here(Op::Seq, args, span)
    }

    fn tag(&mut self, tag: &Arc<str>, span: Span) -> Eval {
        if self.declared.tags.contains_key(tag) {
            return Ok(Value::Tag(tag.clone()));
        }
        let mut d = Diagnostic::error("cat::unknown-tag", format!("tag `'{tag}` is not declared"))
            .at(span, "no `enum` declares it");
        if let Some(near) = crate::diag::nearest(tag, self.declared.tags.keys().map(|t| &**t)) {
            d = d.help(format_args!("did you mean `'{near}`?"));
        }
        Err(d.into())
    }

    /// A function value: it remembers its free variables now.
    fn closure(&mut self, env: &Env, params: &Params, body: &Expr) -> Eval {
        let names = self.free_variables(params, body);
        let env = self.restrict(env, &names, Some(body))?;
        let identity = (self.next_age(), 0);
        Ok(Value::Closure(Arc::new(Closure {
            params: params.clone(),
            body: body.clone(),
            env,
            group: None,
            name: None,
            identity,
        })))
    }

    /// Library functions that would be slow by their text.
    fn library_function(&mut self, env: &Env, expr: &Expr) -> Eval<Option<Value>> {
        Ok(match shapes::recognise(expr) {
            None => None,
            Some(Shape::Cross) => Some(Value::Prim(super::prims::Prim::Cross)),
            Some(Shape::Map(function)) => {
                let value = self.lookup(env, &function.name, function.span)?;
                Some(Value::Prim(super::prims::Prim::Map(Arc::new(value))))
            }
        })
    }

    /// Applies a function.
    pub(super) fn apply(&mut self, function: &Placed, arg: &Placed, span: Span) -> Eval {
        match &function.0 {
            Value::Closure(closure) => {
                self.enter(span)?;
                let result = self.call(closure, arg);
                self.depth -= 1;
                result.map_err(|stop| stop.within_call(span))
            }
            Value::Prim(prim) => {
                self.enter(span)?;
                let result = self.primitive(prim, arg, span);
                self.depth -= 1;
                result.map_err(|stop| stop.within_call(span))
            }
            Value::Unknown => Ok(Value::Unknown),
            Value::Node(_, Sort::Other) => self.defer_apply(function, arg, span),
            _ => Err(not_a_function(function, arg)),
        }
    }

    fn call(&mut self, closure: &Closure, arg: &Placed) -> Eval {
        let mut env = closure.env.clone();
        if let Some(group) = &closure.group {
            super::recursion::bind_group(&mut env, group);
        }
        self.bind_params(&mut env, &closure.params, arg, closure.name.as_deref())?;
        self.eval(&env, &closure.body)
    }

    /// `try e1 with e2`.
    fn attempt(&mut self, env: &Env, expr: &Expr, first: &Expr, second: &Expr) -> Eval {
        let depth = self.depth;
        let before = self.lowering().map(|a| (a.n_deferred, a.unbound.take()));
        let result = self.eval(env, first);
        self.depth = depth;
        let mut deferred = false;
        if let (Some((n, unbound)), Some(a)) = (before, self.lowering()) {
            deferred = a.n_deferred > n;
            a.unbound = unbound;
        }
        match result {
            // What is left to the run may fail there.
            Ok(_) if deferred => self.defer_expr(env, expr),
            Err(Stop::Error(_) | Stop::Unbound(..)) => self.eval(env, second),
            other => other,
        }
    }

    /// Does the condition hold? `None`: only the run will tell.
    fn condition(&mut self, env: &Env, cond: &Cond) -> Eval<Option<bool>> {
        let (a, b) = match cond {
            Cond::Variant(variant) => return self.variant(variant).map(Some),
            Cond::Eq(a, b) | Cond::Subset(a, b) | Cond::In(a, b) => (a, b),
        };
        let (a, b) = (self.placed(env, a)?, self.placed(env, b)?);
        if !self.is_concrete() {
            if let (Value::Node(a, _), Value::Node(b, _)) = (&a.0, &b.0)
                && a == b
                && !matches!(cond, Cond::In(..))
            {
                return Ok(Some(true));
            }
            if !(a.0.is_known() && b.0.is_known()) {
                return Ok(None);
            }
        }
        let answer = match cond {
            Cond::Eq(..) => self.equal(&a, &b),
            Cond::Subset(..) => self.subset(&a, &b),
            _ => self.member(&a, &b),
        };
        answer.map(Some)
    }

    fn equal(&mut self, a: &Placed, b: &Placed) -> Eval<bool> {
        self.known(a)?;
        self.known(b)?;
        match (&a.0, &b.0) {
            (Value::Values(x), Value::Values(y)) => {
                let x = x.members().map_err(|why| super::sets::cannot_list(why, a.1))?;
                let y = y.members().map_err(|why| super::sets::cannot_list(why, b.1))?;
                Ok(x == y)
            }
            (x, y) => Ok(x == y),
        }
    }

    pub(super) fn subset(&mut self, a: &Placed, b: &Placed) -> Eval<bool> {
        self.known(a)?;
        self.known(b)?;
        match (&a.0, &b.0) {
            (Value::Empty, _) | (_, Value::Universe) => Ok(true),
            (x, Value::Empty) => Ok(x.is_empty()),
            (Value::Set(x), Value::Set(y)) => Ok(x.is_subset(y)),
            (Value::Rel(x), Value::Rel(y)) => Ok(x.is_subset(y)),
            (Value::ClassRel(x), Value::ClassRel(y)) => Ok(x.is_subset(y)),
            (Value::Values(_), Value::Values(_)) => {
                let y = self.members(b)?;
                Ok(self.members(a)?.iter().all(|v| y.contains(v)))
            }
            _ => Err(super::error::mismatch("`subset`", a, b)),
        }
    }

    fn member(&mut self, x: &Placed, set: &Placed) -> Eval<bool> {
        self.known(x)?;
        self.known(set)?;
        match (&x.0, &set.0) {
            (_, Value::Universe) => Ok(true),
            (_, Value::Empty) => Ok(false),
            (Value::Event(event), Value::Set(set)) => Ok(set.contains(*event)),
            (Value::Pair(from, to), Value::Rel(rel)) => Ok(rel.contains(*from, *to)),
            (Value::Tuple(parts), Value::Rel(rel)) => match parts.as_slice() {
                [Value::Event(from), Value::Event(to)] => Ok(rel.contains(*from, *to)),
                _ => Err(wrong_sort("a pair of events", x)),
            },
            (value, Value::Values(_)) => Ok(self.members(set)?.contains(value)),
            _ => Err(super::error::mismatch("`in`", x, set)),
        }
    }

    fn known(&self, value: &Placed) -> Eval<()> {
        match &value.0 {
            Value::Node(id, _) => Err(Stop::Needs(*id)),
            Value::Universe => Err(wrong_sort("a set or a relation", value)),
            _ => Ok(()),
        }
    }

    /// The clause of a tag match; `None`: only the run will tell.
    pub(super) fn choose_clause<'c, T>(
        &mut self,
        value: &Placed,
        clauses: &'c [(Option<Ident>, T)],
    ) -> Eval<Option<&'c T>> {
        let tag = match &value.0 {
            Value::Tag(tag) => tag,
            Value::Node(_, Sort::Other) | Value::Unknown if !self.is_concrete() => return Ok(None),
            _ => return Err(wrong_sort("a tag", value)),
        };
        let found = clauses.iter().find(|(t, _)| t.as_ref().is_none_or(|t| t.name == *tag));
        match found {
            Some((_, body)) => Ok(Some(body)),
            None => Err(Diagnostic::error("cat::no-clause", format!("no clause matches `'{tag}`"))
                .at(value.1, format!("this is `'{tag}`"))
                .into()),
        }
    }

    /// A set match on a value.
    pub(super) fn match_set(&mut self, env: &Env, expr: &Expr, value: &Placed) -> Eval {
        let ExprKind::MatchSet { empty, before, element, rest, body, .. } = &*expr.kind else {
            return self.eval(env, expr);
        };
        match self.first_and_rest(value)? {
            Matched::Unknown => Ok(Value::Unknown),
            Matched::Later => self.defer_match(env, expr, value),
            Matched::Empty => self.eval(env, empty),
            Matched::Split(first, others) => {
                let mut env = env.clone();
                let before = before.as_ref().and_then(Option::as_ref);
                for (name, value) in
                    [(before, Value::Empty), (element.as_ref(), first), (rest.as_ref(), others)]
                {
                    if let Some(name) = name {
                        env.bind(name.name.clone(), Slot::Value(value));
                    }
                }
                self.eval(&env, body)
            }
        }
    }

    /// The smallest element of a set, and the others.
    fn first_and_rest(&mut self, value: &Placed) -> Eval<Matched> {
        Ok(match &value.0 {
            Value::Unknown => Matched::Unknown,
            v if self.certainly_empty(v) => Matched::Empty,
            Value::Set(set) => match set.first() {
                None => Matched::Empty,
                Some(first) => {
                    let mut others = (**set).clone();
                    others.remove(first);
                    Matched::Split(Value::Event(first), Value::set(others))
                }
            },
            Value::Rel(rel) => match rel.iter().next() {
                None => Matched::Empty,
                Some((from, to)) => {
                    let mut others = (**rel).clone();
                    others.remove(from, to);
                    Matched::Split(Value::Pair(from, to), Value::rel(others))
                }
            },
            Value::Values(set) => {
                let mut members = set.members().map_err(|why| super::sets::cannot_list(why, value.1))?;
                match members.pop_first() {
                    None => Matched::Empty,
                    Some(first) => {
                        let rest = ValueSet { element: set.element.clone(), items: Items::List(members) };
                        Matched::Split(first, Value::values(rest))
                    }
                }
            }
            Value::Node(id, _) if self.is_concrete() => return Err(Stop::Needs(*id)),
            Value::Node(..) | Value::Explicit(_) => Matched::Later,
            _ => return Err(wrong_sort("a set", value)),
        })
    }
}

/// What a set match finds.
enum Matched {
    Unknown,
    /// Only the run will tell.
    Later,
    Empty,
    Split(Value, Value),
}

fn not_a_function(function: &Placed, arg: &Placed) -> Stop {
    let kind = function.0.type_of();
    Diagnostic::error("cat::not-a-function", format!("{kind} is applied to an argument"))
        .at(function.1, format!("this is {kind}, not a function"))
        .at(arg.1, "the argument")
        .help("juxtaposition is application: is a `;`, `|` or `&` missing?")
        .into()
}
