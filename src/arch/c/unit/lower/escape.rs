//! Which variables must be in memory, and which of them other threads can reach.

use std::collections::HashSet;

use crate::arch::c::unit::tree::{Expr, ExprKind, Life, Operator, Stmt, StmtKind, Unit};
use crate::arch::c::unit::types::Ty;

/// Marks them.
pub(super) fn mark(unit: &mut Unit) {
    // Parameters that are only looked through let nothing out; which these are depends on those that they are handed to.
    let mut found = Found { unit, leaking: HashSet::new(), escaping: Vec::new(), lent: Vec::new() };
    loop {
        let known = found.leaking.len();
        found.escaping.clear();
        found.lent.clear();
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
        if found.leaking.len() == known {
            break;
        }
    }
    let Found { escaping, lent, .. } = found;
    for id in lent {
        unit.variables[id].addressed = true;
    }
    for id in escaping {
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

/// Is its first argument the address of an object that it accesses, and no more?
fn accesses(builtin: &str) -> bool {
    matches!(
        builtin,
        "load" | "store" | "init" | "clear" | "exchange" | "compare_exchange" | "bool_cas" | "val_cas"
    ) || builtin.starts_with("fetch_")
        || builtin.ends_with("_fetch")
}

struct Found<'a> {
    unit: &'a Unit,
    /// Variables whose value may get anywhere.
    leaking: HashSet<usize>,
    /// Variables whose address may.
    escaping: Vec<usize>,
    /// Variables whose address is handed to functions that only look through it.
    lent: Vec<usize>,
}

impl Found<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Cleanup(e) => self.value(e),
            StmtKind::Block(all) => all.iter().for_each(|s| self.stmt(s)),
            StmtKind::If(e, then, otherwise) => {
                self.look(e);
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            StmtKind::While(e, body) | StmtKind::DoWhile(body, e) | StmtKind::Switch(e, body) => {
                self.look(e);
                self.stmt(body);
            }
            StmtKind::For(first, condition, step, body) => {
                first.iter().for_each(|s| self.stmt(s));
                condition.iter().for_each(|e| self.look(e));
                step.iter().for_each(|e| self.value(e));
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

    /// A value that is only compared.
    fn look(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(_) => {}
            ExprKind::Not(a) | ExprKind::Cast(a) => self.look(a),
            ExprKind::Logical(_, a, b) => {
                self.look(a);
                self.look(b);
            }
            ExprKind::Binary(op, a, b) if op.compares() => {
                self.look(a);
                self.look(b);
            }
            _ => self.value(e),
        }
    }

    /// An address handed to a function that only looks through it.
    fn lend(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(_) => {}
            ExprKind::Cast(inner) => self.lend(inner),
            ExprKind::AddressOf(inner) => {
                let mut base = &**inner;
                while let ExprKind::Member(next, ..) = &base.kind {
                    base = next;
                }
                if let ExprKind::Var(id) = base.kind {
                    self.lent.push(id);
                }
                match &base.kind {
                    ExprKind::Deref(pointer) => self.pointer(pointer),
                    ExprKind::Var(_) => {}
                    _ => self.value(e),
                }
            }
            ExprKind::Binary(Operator::Add | Operator::Sub, base, index) => {
                self.lend(base);
                self.value(index);
            }
            _ => self.value(e),
        }
    }

    /// The address of an object that is read or written in place.
    fn pointer(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(_) => {}
            // As what it is, it may be in a register.
            ExprKind::AddressOf(inner) if e.ty.target().map(Ty::plain) == Some(inner.ty.plain()) => {
                self.object(inner);
            }
            ExprKind::AddressOf(_) => self.lend(e),
            // Beside an object there is memory, so it is in memory itself.
            ExprKind::Binary(Operator::Add | Operator::Sub, base, index) => {
                self.lend(base);
                self.value(index);
            }
            _ => self.value(e),
        }
    }

    fn value(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Function(_) => {}
            ExprKind::Var(id) => {
                self.leaking.insert(*id);
            }
            ExprKind::Literal(_) | ExprKind::Member(..) | ExprKind::Deref(_) => self.object(e),
            ExprKind::AddressOf(inner) => {
                self.escape(inner);
                self.object(inner);
            }
            ExprKind::Not(a) => self.look(a),
            ExprKind::Cast(a) if e.ty == Ty::Void => self.look(a),
            ExprKind::Neg(a) | ExprKind::Complement(a) | ExprKind::Cast(a) => self.value(a),
            ExprKind::Binary(op, ..) if op.compares() => self.look(e),
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) | ExprKind::Comma(a, b) => {
                self.value(a);
                self.value(b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.look(a);
                self.value(b);
                self.value(c);
            }
            ExprKind::Assign(target, value) | ExprKind::Update { target, value, .. } => {
                self.object(target);
                self.value(value);
            }
            ExprKind::Call(callee, args) => {
                self.value(callee);
                let function = match callee.kind {
                    ExprKind::Function(id) if self.unit.functions[id].body.is_some() => Some(id),
                    _ => None,
                };
                for (index, arg) in args.iter().enumerate() {
                    let param = function.and_then(|id| self.unit.functions[id].params.get(index).copied());
                    match param.is_some_and(|param| !self.leaking.contains(&param)) {
                        true => self.lend(arg),
                        false => self.value(arg),
                    }
                }
            }
            ExprKind::Builtin(name, args) => {
                for (index, arg) in args.iter().enumerate() {
                    if index == 0 && accesses(name) {
                        self.lend(arg);
                        continue;
                    }
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
            // The address of a part lets the whole out.
            ExprKind::Deref(pointer) => self.value(pointer),
            _ => {}
        }
    }
}

/// Every outermost expression of a statement.
pub(super) fn expressions(stmt: &Stmt, f: &mut dyn FnMut(&Expr)) {
    match &stmt.kind {
        StmtKind::Expr(e) | StmtKind::Cleanup(e) | StmtKind::Return(Some(e)) => f(e),
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
