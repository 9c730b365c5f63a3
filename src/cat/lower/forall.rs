//! `forall`: over a set that is known its body is run once per member, in place. Over one that the execution decides, its
//! checks become leaves that run the body on each member then.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::defer::{Code, Want};
use super::env::{Env, Slot};
use super::error::{Eval, Placed, Stop, wrong_sort};
use super::exec::{Executor, Halt, check_kind, not_a_procedure};
use super::free;
use super::interpreter::Interpreter;
use super::value::{Procedure, Value};
use crate::cat::ast::{self, CheckKind, Expr, Ident, Ins, InsKind, Params, Test};
use crate::diag::Diagnostic;
use crate::limits;
use crate::model::{self, Sort, Step};
use crate::source::Span;

impl Executor<'_, '_> {
    pub(super) fn forall(
        &mut self,
        env: &Env,
        name: &Ident,
        set: &Expr,
        body: &Arc<Vec<Ins>>,
        span: Span,
    ) -> Result<(), Halt> {
        let value = (self.interpreter.eval(env, set)?, set.span);
        match &value.0 {
            Value::Empty | Value::Unknown => Ok(()),
            Value::Tag(_) | Value::Values(_) | Value::Explicit(_) => {
                for member in self.interpreter.members(&value)? {
                    let mut inner = env.local();
                    inner.bind(name.name.clone(), Slot::Value(member));
                    self.run(&mut inner, body)?;
                }
                Ok(())
            }
            Value::Node(_, Sort::Other) => self.forall_later(env, name, &value, body, span),
            _ => Err(wrong_sort("a set of values", &value).into()),
        }
    }

    /// A `forall` over a set that the run decides: its checks look at the members then.
    fn forall_later(
        &mut self,
        env: &Env,
        name: &Ident,
        set: &Placed,
        body: &Arc<Vec<Ins>>,
        span: Span,
    ) -> Result<(), Halt> {
        let body = &Arc::new(self.with_includes(body)?);
        let mut free = free::of_body(&Params::One(Some(name.clone())), body);
        free.retain(|n| *n != name.name);
        let captured = self.interpreter.restrict(env, &free, None)?;
        let mut checks: Vec<(CheckKind, Option<Ident>, Option<Span>)> = vec![(CheckKind::Plain, None, None)];
        collect_checks(body, &mut checks);
        for (kind, label, only) in checks {
            if label.as_ref().is_some_and(|n| self.skip.contains(&*n.name)) {
                continue;
            }
            let code = Code::Forall {
                name: Some(name.name.clone()),
                set: set.clone(),
                body: body.clone(),
                only,
                skip: Arc::new(self.skip.clone()),
            };
            let leaf = self.interpreter.defer_as(code, captured.clone(), span, Want::Rel)?;
            let Value::Node(expr, _) = leaf else { continue };
            let negated = kind == CheckKind::Flag;
            let test = model::Test { kind: model::TestKind::Empty, negated, expr };
            let name = label.map(|n| n.name.to_string());
            self.steps.push(Step::Check { kind: check_kind(kind), test, name, span });
        }
        Ok(())
    }
}

impl Executor<'_, '_> {
    /// Instructions with those of included files in place: a run has no files.
    fn with_includes(&mut self, body: &[Ins]) -> Result<Vec<Ins>, Halt> {
        let mut result = Vec::with_capacity(body.len());
        for ins in body {
            let kind = match &ins.kind {
                InsKind::Include { path } => {
                    let file = self.open_include(path, ins.span)?;
                    self.including.push((file.source, ins.span));
                    let inner = self.with_includes(&file.body);
                    self.including.pop();
                    result.extend(inner?);
                    continue;
                }
                InsKind::If { cond, then, otherwise } => InsKind::If {
                    cond: cond.clone(),
                    then: self.with_includes(then)?,
                    otherwise: self.with_includes(otherwise)?,
                },
                InsKind::Match { scrutinee, clauses } => {
                    let clauses =
                        clauses.iter().map(|(tag, body)| Ok((tag.clone(), self.with_includes(body)?)));
                    let clauses = clauses.collect::<Result<_, Halt>>()?;
                    InsKind::Match { scrutinee: scrutinee.clone(), clauses }
                }
                InsKind::Forall { name, set, body } => InsKind::Forall {
                    name: name.clone(),
                    set: set.clone(),
                    body: Arc::new(self.with_includes(body)?),
                },
                InsKind::Procedure { name, params, body, rec } => InsKind::Procedure {
                    name: name.clone(),
                    params: params.clone(),
                    body: Arc::new(self.with_includes(body)?),
                    rec: *rec,
                },
                other => other.clone(),
            };
            result.push(Ins { kind, span: ins.span });
        }
        Ok(result)
    }
}

/// Checks of the body that are not plain, with their places.
fn collect_checks(body: &[Ins], checks: &mut Vec<(CheckKind, Option<Ident>, Option<Span>)>) {
    for ins in body {
        match &ins.kind {
            InsKind::Check { kind, test } if *kind != CheckKind::Plain => {
                checks.push((*kind, test.name.clone(), Some(test.span)));
            }
            InsKind::Match { clauses, .. } => {
                clauses.iter().for_each(|(_, body)| collect_checks(body, checks))
            }
            InsKind::If { then, otherwise, .. } => {
                collect_checks(then, checks);
                collect_checks(otherwise, checks);
            }
            InsKind::Forall { body, .. } | InsKind::Procedure { body, .. } => collect_checks(body, checks),
            _ => {}
        }
    }
}

impl Interpreter<'_> {
    /// Runs the body of a `forall` on each member, in a concrete run: does a plain check fail for one (or, with `only`,
    /// does the check at that place have something to say)?
    pub(super) fn forall_fails(
        &mut self,
        env: &Env,
        name: Option<&Arc<str>>,
        set: &Placed,
        body: &[Ins],
        only: Option<Span>,
        skip: &BTreeSet<String>,
    ) -> Eval<bool> {
        for member in self.members(set)? {
            limits::poll();
            let mut inner = env.clone();
            if let Some(name) = name {
                inner.bind(name.clone(), Slot::Value(member));
            }
            if self.body_fails(&mut inner, body, only, skip)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn body_fails(
        &mut self,
        env: &mut Env,
        body: &[Ins],
        only: Option<Span>,
        skip: &BTreeSet<String>,
    ) -> Eval<bool> {
        for ins in body {
            let failed = match &ins.kind {
                InsKind::Let { bindings } => {
                    for (name, slot) in self.let_slots(env, bindings)? {
                        env.bind(name, slot);
                    }
                    false
                }
                InsKind::LetRec { bindings, when } => {
                    for (name, slot) in self.rec_slots(env, bindings, when.as_ref(), ins.span)? {
                        env.bind(name, slot);
                    }
                    false
                }
                InsKind::Check { kind, test } => {
                    let skipped = test.name.as_ref().is_some_and(|n| skip.contains(&*n.name));
                    let asked = match only {
                        Some(span) => test.span == span,
                        None => *kind == CheckKind::Plain,
                    };
                    asked && !skipped && self.holds(env, test)? == (*kind == CheckKind::Flag)
                }
                InsKind::If { cond, then, otherwise } => {
                    let body = if self.variant(cond)? { then } else { otherwise };
                    self.body_fails(env, body, only, skip)?
                }
                InsKind::Match { scrutinee, clauses } => {
                    let value = (self.eval(env, scrutinee)?, scrutinee.span);
                    match self.choose_clause(&value, clauses)? {
                        Some(body) => self.body_fails(env, body, only, skip)?,
                        None => false,
                    }
                }
                InsKind::Forall { name, set, body } => {
                    let set = (self.eval(env, set)?, set.span);
                    self.forall_fails(env, Some(&name.name), &set, body, only, skip)?
                }
                InsKind::Call { name, arg, label } => {
                    let skipped = |n: &Ident| skip.contains(&*n.name);
                    if skipped(name) || label.as_ref().is_some_and(skipped) {
                        continue;
                    }
                    let value = self.lookup(env, &name.name, name.span)?;
                    let arg = (self.eval(env, arg)?, arg.span);
                    let Value::Procedure(procedure) = &value else {
                        return Err(not_a_procedure(&value, name));
                    };
                    let mut inner = procedure.captured.clone();
                    if procedure.rec {
                        inner.bind(procedure.name.name.clone(), Slot::Value(value.clone()));
                    }
                    self.enter(ins.span)?;
                    self.bind_params(&mut inner, &procedure.params, &arg, Some(&name.name))?;
                    let failed = self.body_fails(&mut inner, &procedure.body, only, skip)?;
                    self.depth -= 1;
                    failed
                }
                InsKind::Procedure { name, params, body, rec } => {
                    let procedure = Procedure {
                        name: name.clone(),
                        params: params.clone(),
                        body: body.clone(),
                        env: env.clone(),
                        captured: env.clone(),
                        rec: *rec,
                        span: ins.span,
                    };
                    env.bind(name.name.clone(), Slot::Value(Value::Procedure(Arc::new(procedure))));
                    false
                }
                InsKind::Show { .. }
                | InsKind::ShowAs { .. }
                | InsKind::Unshow { .. }
                | InsKind::Debug { .. } => false,
                _ => {
                    return Err(Stop::Fatal(Arc::new(
                        Diagnostic::unsupported(
                            "cat::undecided",
                            "this instruction cannot stand in a `forall` over what the execution decides",
                        )
                        .at(ins.span, "in such a `forall`"),
                    )));
                }
            };
            if failed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does a test hold, in a concrete run?
    fn holds(&mut self, env: &Env, test: &Test) -> Eval<bool> {
        let value = (self.eval(env, &test.expr)?, test.expr.span);
        let plain = match (&value.0, test.kind) {
            (Value::Set(set), ast::TestKind::Empty) => set.is_empty(),
            (Value::Event(_) | Value::Pair(..), ast::TestKind::Empty) => false,
            (_, kind) => match self.as_rel(&value, true)? {
                Value::Rel(rel) => match kind {
                    ast::TestKind::Acyclic => rel.is_acyclic(),
                    ast::TestKind::Irreflexive => rel.is_irreflexive(),
                    ast::TestKind::Empty => rel.is_empty(),
                },
                Value::Node(id, _) => return Err(Stop::Needs(id)),
                _ => true,
            },
        };
        Ok(plain != test.negated)
    }
}
