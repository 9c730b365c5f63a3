//! Which variables must be in memory, and which of them other threads can reach.

use crate::arch::c::unit::tree::{Expr, ExprKind, Life, Operator, Stmt, StmtKind, Unit};

/// Marks them.
pub(super) fn mark(unit: &mut Unit) {
    let mut found = Found::default();
    for function in &unit.functions {
        for stmt in function.body.iter().flatten() {
            found.stmt(stmt);
        }
    }
    for variable in &unit.variables {
        for part in variable.init.iter().flatten() {
            found.value(&part.value);
        }
    }
    for id in found.escaping {
        unit.variables[id].addressed = true;
        unit.variables[id].escapes = true;
    }
    for variable in &mut unit.variables {
        if variable.life == Life::Static {
            variable.addressed = true;
            variable.escapes = true;
        }
        if !variable.ty.is_scalar() {
            variable.addressed = true;
        }
    }
}

/// For each builtin: the arguments that are addresses of places which it only reads or writes.
pub(super) fn places(builtin: &str) -> &'static [usize] {
    match builtin {
        "spawn" | "pthread_create" => &[0],
        "pthread_join" => &[1],
        "compare_exchange" => &[1],
        "compare_exchange_from" => &[1, 2],
        "load_to" | "store_from" => &[1],
        "exchange_from" => &[1, 2],
        _ => &[],
    }
}

#[derive(Default)]
struct Found {
    escaping: Vec<usize>,
}

impl Found {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.value(e),
            StmtKind::Block(all) => all.iter().for_each(|s| self.stmt(s)),
            StmtKind::If(e, then, otherwise) => {
                self.value(e);
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            StmtKind::While(e, body) | StmtKind::DoWhile(body, e) | StmtKind::Switch(e, body) => {
                self.value(e);
                self.stmt(body);
            }
            StmtKind::For(first, condition, step, body) => {
                first.iter().for_each(|s| self.stmt(s));
                condition.iter().chain(step).for_each(|e| self.value(e));
                self.stmt(body);
            }
            StmtKind::Return(Some(e)) => self.value(e),
            _ => {}
        }
    }

    /// An object that is read or written in place.
    fn object(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(_) | ExprKind::Literal(_) => {}
            ExprKind::Member(inner, ..) => self.object(inner),
            ExprKind::Deref(pointer) => self.pointer(pointer),
            _ => self.value(e),
        }
    }

    /// The address of an object that is read or written in place.
    fn pointer(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::AddressOf(inner) => self.object(inner),
            ExprKind::Binary(Operator::Add | Operator::Sub, base, index) => {
                self.pointer(base);
                self.value(index);
            }
            _ => self.value(e),
        }
    }

    fn value(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Function(_) => {}
            ExprKind::Var(_) | ExprKind::Literal(_) | ExprKind::Member(..) | ExprKind::Deref(_) => {
                self.object(e)
            }
            ExprKind::AddressOf(inner) => {
                self.escape(inner);
                self.object(inner);
            }
            ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Complement(a) | ExprKind::Cast(a) => {
                self.value(a)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) | ExprKind::Comma(a, b) => {
                self.value(a);
                self.value(b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.value(a);
                self.value(b);
                self.value(c);
            }
            ExprKind::Assign(target, value) | ExprKind::Update { target, value, .. } => {
                self.object(target);
                self.value(value);
            }
            ExprKind::Call(callee, args) => {
                self.value(callee);
                args.iter().for_each(|e| self.value(e));
            }
            ExprKind::Builtin(name, args) => {
                for (index, arg) in args.iter().enumerate() {
                    match places(name).contains(&index) {
                        true => self.pointer(arg),
                        false => self.value(arg),
                    }
                }
            }
            ExprKind::Statements(stmts) => stmts.iter().for_each(|s| self.stmt(s)),
        }
    }

    fn escape(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(id) | ExprKind::Literal(id) => self.escaping.push(*id),
            ExprKind::Member(inner, ..) => self.escape(inner),
            _ => {}
        }
    }
}

/// Every outermost expression of a statement.
pub(super) fn expressions(stmt: &Stmt, f: &mut dyn FnMut(&Expr)) {
    match &stmt.kind {
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) => f(e),
        StmtKind::Block(all) => all.iter().for_each(|s| expressions(s, f)),
        StmtKind::If(e, then, otherwise) => {
            f(e);
            expressions(then, f);
            if let Some(otherwise) = otherwise {
                expressions(otherwise, f);
            }
        }
        StmtKind::While(e, body) | StmtKind::DoWhile(body, e) | StmtKind::Switch(e, body) => {
            f(e);
            expressions(body, f);
        }
        StmtKind::For(first, condition, step, body) => {
            first.iter().for_each(|s| expressions(s, f));
            condition.iter().chain(step).for_each(&mut *f);
            expressions(body, f);
        }
        _ => {}
    }
}

/// An expression and what is in it, functions called by name left out.
pub(super) fn visit(e: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(e);
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Function(_) | ExprKind::Var(_) | ExprKind::Literal(_) => {}
        ExprKind::Deref(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Member(a, ..)
        | ExprKind::Neg(a)
        | ExprKind::Not(a)
        | ExprKind::Complement(a)
        | ExprKind::Cast(a) => visit(a, f),
        ExprKind::Binary(_, a, b)
        | ExprKind::Logical(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Assign(a, b) => {
            visit(a, f);
            visit(b, f);
        }
        ExprKind::Update { target, value, .. } => {
            visit(target, f);
            visit(value, f);
        }
        ExprKind::Conditional(a, b, c) => {
            visit(a, f);
            visit(b, f);
            visit(c, f);
        }
        ExprKind::Call(callee, args) => {
            if !matches!(callee.kind, ExprKind::Function(_)) {
                visit(callee, f);
            }
            args.iter().for_each(|e| visit(e, f));
        }
        ExprKind::Builtin(_, args) => args.iter().for_each(|e| visit(e, f)),
        ExprKind::Statements(stmts) => stmts.iter().for_each(|s| expressions(s, &mut |e| visit(e, f))),
    }
}
