//! Free variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cat::ast::{Binding, Expr, ExprKind, Ident, Ins, InsKind, Params, Pattern, Test};
use crate::source::Span;

/// The free variables of a function, in order of name.
pub(super) fn of_function(params: &Params, body: &Expr) -> Vec<Arc<str>> {
    let mut free = Free::default();
    free.function(params, body);
    free.found.into_keys().collect()
}

/// The free variables of an expression.
pub(super) fn of_expr(expr: &Expr) -> Vec<Arc<str>> {
    let mut free = Free::default();
    free.expr(expr);
    free.found.into_keys().collect()
}

/// The free variables of a sequence of instructions.
pub(super) fn of_body(params: &Params, body: &[Ins]) -> Vec<Arc<str>> {
    let mut free = Free::default();
    free.scoped(param_names(params), |f| f.body(body));
    free.found.into_keys().collect()
}

/// The free variables of the right-hand sides of a `let rec`, its own names left out.
pub(super) fn of_group(bindings: &[Binding], when: Option<&Test>) -> Vec<Arc<str>> {
    let mut free = Free::default();
    let names: Vec<&Ident> = bindings.iter().flat_map(|b| bound_names(&b.pattern)).collect();
    free.scoped(names, |f| {
        for binding in bindings {
            f.binding(binding);
        }
        if let Some(test) = when {
            f.expr(&test.expr);
        }
    });
    free.found.into_keys().collect()
}

/// Does the name occur free in the expression?
pub(super) fn occurs(name: &str, expr: &Expr) -> bool {
    place(name, expr).is_some()
}

/// Where the name first occurs free in the expression.
pub(super) fn place(name: &str, expr: &Expr) -> Option<Span> {
    let mut free = Free::default();
    free.expr(expr);
    free.found.get(name).copied()
}

/// The names a pattern binds.
pub(super) fn bound_names(pattern: &Pattern) -> Vec<&Ident> {
    match pattern {
        Pattern::Name(name) => name.iter().collect(),
        Pattern::Tuple(names) => names.iter().flatten().collect(),
        Pattern::Function { name, .. } => vec![name],
    }
}

fn param_names(params: &Params) -> Vec<&Ident> {
    match params {
        Params::One(name) => name.iter().collect(),
        Params::Tuple(names) => names.iter().flatten().collect(),
    }
}

#[derive(Default)]
struct Free {
    bound: Vec<Arc<str>>,
    found: BTreeMap<Arc<str>, Span>,
}

impl Free {
    fn scoped<'a>(&mut self, names: impl IntoIterator<Item = &'a Ident>, f: impl FnOnce(&mut Free)) {
        let depth = self.bound.len();
        self.bound.extend(names.into_iter().map(|n| n.name.clone()));
        f(self);
        self.bound.truncate(depth);
    }

    fn name(&mut self, name: &Arc<str>, span: Span) {
        if !self.bound.contains(name) {
            self.found.entry(name.clone()).or_insert(span);
        }
    }

    fn function(&mut self, params: &Params, body: &Expr) {
        self.scoped(param_names(params), |f| f.expr(body));
    }

    fn binding(&mut self, binding: &Binding) {
        match &binding.pattern {
            Pattern::Function { params, .. } => self.function(params, &binding.expr),
            _ => self.expr(&binding.expr),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Var(name) => self.name(name, expr.span),
            ExprKind::App(f, a) => {
                self.name(&f.name, f.span);
                self.expr(a);
            }
            ExprKind::Fun { params, body } => self.function(params, body),
            ExprKind::Let { rec, bindings, body } => {
                if !rec {
                    bindings.iter().for_each(|b| self.binding(b));
                }
                self.scoped(bindings.iter().flat_map(|b| bound_names(&b.pattern)), |f| {
                    if *rec {
                        bindings.iter().for_each(|b| f.binding(b));
                    }
                    f.expr(body);
                });
            }
            ExprKind::MatchSet { scrutinee, empty, before, element, rest, body } => {
                self.expr(scrutinee);
                self.expr(empty);
                let names = before.iter().flatten().chain(element).chain(rest);
                self.scoped(names, |f| f.expr(body));
            }
            _ => expr.each_part(|part| self.expr(part)),
        }
    }

    /// Instructions: what they bind stays bound to the end of the body.
    fn body(&mut self, body: &[Ins]) {
        for ins in body {
            match &ins.kind {
                InsKind::Let { bindings } => {
                    bindings.iter().for_each(|b| self.binding(b));
                    self.bind(bindings);
                }
                InsKind::LetRec { bindings, when } => {
                    self.bind(bindings);
                    bindings.iter().for_each(|b| self.binding(b));
                    if let Some(test) = when {
                        self.expr(&test.expr);
                    }
                }
                InsKind::Match { scrutinee, clauses } => {
                    self.expr(scrutinee);
                    clauses.iter().for_each(|(_, body)| self.body(body));
                }
                InsKind::Check { test, .. } => self.expr(&test.expr),
                InsKind::ShowAs { expr, .. } => self.expr(expr),
                InsKind::Call { name, arg, .. } => {
                    self.name(&name.name, name.span);
                    self.expr(arg);
                }
                InsKind::Forall { name, set, body } => {
                    self.expr(set);
                    self.scoped([name], |f| f.body(body));
                }
                InsKind::With { name, set } => {
                    self.expr(set);
                    self.bound.push(name.name.clone());
                }
                InsKind::If { then, otherwise, .. } => {
                    self.body(then);
                    self.body(otherwise);
                }
                InsKind::Procedure { name, params, body, .. } => {
                    self.bound.push(name.name.clone());
                    self.scoped(param_names(params), |f| f.body(body));
                }
                InsKind::Enum { name, .. } => self.bound.push(name.name.clone()),
                InsKind::Show { names } => names.iter().for_each(|n| self.name(&n.name, n.span)),
                InsKind::Unshow { .. }
                | InsKind::Include { .. }
                | InsKind::Debug { .. }
                | InsKind::Instructions { .. }
                | InsKind::Default { .. } => {}
            }
        }
    }

    fn bind(&mut self, bindings: &[Binding]) {
        let names = bindings.iter().flat_map(|b| bound_names(&b.pattern));
        self.bound.extend(names.map(|n| n.name.clone()));
    }
}
