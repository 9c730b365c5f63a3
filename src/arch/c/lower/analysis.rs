//! What a function does with its names, found before it is translated.

use std::collections::BTreeSet;

use crate::arch::c::ast::{Declarator, Expr, ExprKind, Init, Stmt, StmtKind, UnaryOp};

/// Facts about the names of a function.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Names that are assigned to.
    pub assigned: BTreeSet<String>,
    /// Names whose address is taken.
    pub address_taken: BTreeSet<String>,
    /// Names that are declared.
    pub declared: BTreeSet<String>,
    /// Labels.
    pub labels: BTreeSet<String>,
}

/// The facts of a function body.
pub fn function(body: &[Stmt]) -> Facts {
    let mut facts = Facts::default();
    statements(body, &mut |e| note(e, &mut facts), &mut |_| {});
    let mut declared = BTreeSet::new();
    statements(body, &mut |_| {}, &mut |d| {
        declared.insert(d.name.clone());
    });
    facts.declared = declared;
    labels(body, &mut facts.labels);
    facts
}

fn labels(body: &[Stmt], found: &mut BTreeSet<String>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Label(name) => {
                found.insert(name.clone());
            }
            StmtKind::Block(inner) => labels(inner, found),
            StmtKind::If(_, then, otherwise) => {
                labels(std::slice::from_ref(then), found);
                if let Some(otherwise) = otherwise {
                    labels(std::slice::from_ref(otherwise), found);
                }
            }
            StmtKind::While(_, inner)
            | StmtKind::DoWhile(inner, _)
            | StmtKind::For(_, _, _, inner)
            | StmtKind::Switch(_, inner) => labels(std::slice::from_ref(inner), found),
            _ => {}
        }
    }
}

fn note(e: &Expr, facts: &mut Facts) {
    match &e.kind {
        ExprKind::Assign(_, target, _) | ExprKind::Step { operand: target, .. } => {
            if let ExprKind::Name(name) = &target.kind {
                facts.assigned.insert(name.clone());
            }
        }
        ExprKind::Unary(UnaryOp::AddressOf, target) => {
            if let ExprKind::Name(name) = &target.kind {
                facts.address_taken.insert(name.clone());
            }
        }
        _ => {}
    }
}

/// Does some sub-expression (the whole included) satisfy `f`?
pub fn any(e: &Expr, f: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    visit(e, &mut |part| found |= f(part));
    found
}

/// Calls `f` on an expression and all its parts.
pub fn visit(e: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(e);
    match &e.kind {
        ExprKind::Int { .. } | ExprKind::Name(_) | ExprKind::SizeOf(_) => {}
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::SizeOfExpr(a) => visit(a, f),
        ExprKind::Step { operand, .. } => visit(operand, f),
        ExprKind::Binary(_, a, b)
        | ExprKind::Logical(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Index(a, b)
        | ExprKind::Comma(a, b) => {
            visit(a, f);
            visit(b, f);
        }
        ExprKind::Conditional(a, b, c) => {
            visit(a, f);
            visit(b, f);
            visit(c, f);
        }
        ExprKind::Call { args, .. } => args.iter().for_each(|arg| visit(arg, f)),
        ExprKind::Intrinsic(call) => call.args.iter().for_each(|arg| visit(arg, f)),
    }
}

/// Calls `f` on every expression and `d` on every declaration of statements.
pub fn statements(body: &[Stmt], f: &mut dyn FnMut(&Expr), d: &mut dyn FnMut(&Declarator)) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Empty
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
            StmtKind::Decl(list) => {
                for declarator in list {
                    d(declarator);
                    match &declarator.init {
                        Some(Init::Value(e)) => visit(e, f),
                        Some(Init::List(list, _)) => list.iter().for_each(|e| visit(e, f)),
                        None => {}
                    }
                }
            }
            StmtKind::Expr(e) => visit(e, f),
            StmtKind::Block(inner) => statements(inner, f, d),
            StmtKind::If(c, then, otherwise) => {
                visit(c, f);
                statements(std::slice::from_ref(then), f, d);
                if let Some(otherwise) = otherwise {
                    statements(std::slice::from_ref(otherwise), f, d);
                }
            }
            StmtKind::While(c, inner) | StmtKind::DoWhile(inner, c) | StmtKind::Switch(c, inner) => {
                visit(c, f);
                statements(std::slice::from_ref(inner), f, d);
            }
            StmtKind::For(init, c, step, inner) => {
                if let Some(init) = init {
                    statements(std::slice::from_ref(init), f, d);
                }
                c.iter().chain(step).for_each(|e| visit(e, f));
                statements(std::slice::from_ref(inner), f, d);
            }
            StmtKind::Case(e) | StmtKind::Return(e) => e.iter().for_each(|e| visit(e, f)),
        }
    }
}

/// Does control never come out at the end of a statement?
pub fn never_falls_through(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::Block(body) => body.last().is_some_and(never_falls_through),
        StmtKind::If(_, then, Some(otherwise)) => never_falls_through(then) && never_falls_through(otherwise),
        _ => false,
    }
}
