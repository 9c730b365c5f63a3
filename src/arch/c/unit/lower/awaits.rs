//! Loops that wait: a pass that has written nothing and changed no variable that the next one looks at would only come again with
//! another value read, so the thread waits there instead of going round. (A pass that wrote what was there already, as a lock that is taken does,
//! has written nothing.) After Kokologiannakis, Ren and Vafeiadis, Dynamic partial order reductions for spinloops, FMCAD 2021.

use std::collections::BTreeSet;

use crate::arch::c::unit::tree::{Expr, ExprKind, Life, Stmt, StmtKind, Unit};
use crate::diag::Diagnostic;
use crate::program::{Awaited, BinOp, Op, Port, Reg, UnOp};
use crate::source::Span;

use super::code::Ops;
use super::escape::{expressions, visit};
use super::value::Rv;
use super::{Lowering, Slot};

/// A loop that may turn out to wait.
pub(super) struct Waiting {
    /// Variables that a pass may change, and what they were at its start.
    kept: Vec<(Reg, Reg)>,
    /// Set where a pass wrote something.
    pub dirty: Reg,
}

impl Lowering<'_> {
    /// The start of a pass through a loop: remembers what it may change. `None` if every pass writes.
    pub(super) fn pass_begins(
        &mut self,
        parts: &[&Expr],
        body: &Stmt,
        span: Span,
    ) -> Result<Option<Waiting>, Diagnostic> {
        if !self.options.marks_waits {
            return Ok(None);
        }
        let mut found = Found { unit: self.unit, assigned: BTreeSet::new(), writes: false, depth: 0 };
        parts.iter().for_each(|e| found.expr(e));
        found.stmt(body);
        // What may not have been written yet is compared by the engine.
        let unwritten = |id: &usize| {
            let variable = &self.unit.variables[*id];
            self.options.uninitialised && variable.init.is_none() && variable.life == Life::Block
        };
        let params = self.frames.last().map(|frame| &self.unit.functions[frame.function].params);
        if found.writes
            || found.assigned.iter().any(|id| unwritten(id) && !params.is_some_and(|p| p.contains(id)))
        {
            return Ok(None);
        }
        let assigned: Vec<Reg> = found
            .assigned
            .iter()
            .filter_map(|id| match self.frames.last().and_then(|frame| frame.slots.get(id)) {
                Some(Slot::Register(reg)) => Some(*reg),
                _ => None,
            })
            .collect();
        let mut kept = Vec::new();
        let dirty = self.code.reg(span)?;
        self.write(dirty, &Rv::ZERO, span);
        for reg in assigned {
            let copy = self.code.reg(span)?;
            self.write(copy, &Rv::Reg(reg), span);
            kept.push((reg, copy));
        }
        Ok(Some(Waiting { kept, dirty }))
    }

    /// The end of a pass: where nothing changed, the thread waits.
    pub(super) fn pass_ends(&mut self, waiting: &Waiting, span: Span) {
        let mut same = Rv::unary(UnOp::IsZero, Rv::Reg(waiting.dirty));
        for (reg, copy) in &waiting.kept {
            let equal = Rv::binary(BinOp::Eq, Rv::Reg(*reg), Rv::Reg(*copy));
            same = Rv::binary(BinOp::And, same, equal);
        }
        let mut ops = Ops::default();
        let cond = ops.value(&same, Port::None);
        let never = ops.constant(0);
        ops.push(Op::If {
            cond,
            then: vec![Op::Await { cond: never, what: Awaited::Loop }],
            otherwise: Vec::new(),
        });
        self.emit(ops, span);
    }

    /// Registers to be set where something is written.
    pub(super) fn dirty(&self) -> Vec<Reg> {
        self.waiting.clone()
    }
}

/// What a pass may do.
struct Found<'a> {
    unit: &'a Unit,
    assigned: BTreeSet<usize>,
    writes: bool,
    depth: usize,
}

impl Found<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let mut inner: Vec<Expr> = Vec::new();
        expressions(stmt, &mut |e| inner.push(e.clone()));
        inner.iter().for_each(|e| self.expr(e));
        self.declarations(stmt);
    }

    /// Variables of the body come to life in each pass; their initial values are evaluated there.
    fn declarations(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(id) => {
                let variable = &self.unit.variables[*id];
                if variable.addressed {
                    self.writes = true;
                }
                let parts = variable.init.clone().unwrap_or_default();
                parts.iter().for_each(|part| self.expr(&part.value));
            }
            StmtKind::Block(all) => all.iter().for_each(|s| self.declarations(s)),
            StmtKind::If(_, then, otherwise) => {
                self.declarations(then);
                if let Some(otherwise) = otherwise {
                    self.declarations(otherwise);
                }
            }
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::Switch(_, body) => {
                self.declarations(body);
            }
            StmtKind::For(first, _, _, body) => {
                first.iter().for_each(|s| self.declarations(s));
                self.declarations(body);
            }
            // Out of the loop and back in: nobody knows.
            StmtKind::Goto(_) => self.writes = true,
            _ => {}
        }
    }

    fn expr(&mut self, e: &Expr) {
        let mut calls = Vec::new();
        let mut inner = Vec::new();
        visit(e, &mut |e| match &e.kind {
            ExprKind::Assign(target, _) | ExprKind::Update { target, .. } => inner.push((**target).clone()),
            ExprKind::Builtin(name, args) => match *name {
                "load" | "calls" | "self" | "await" | "thread_fence" | "signal_fence" | "synchronize"
                | "full_fence" | "kernel_fence" | "data_race" | "nothing" | "print" | "assume" | "assert"
                | "exchange" | "lock_exchange" | "test_and_set" | "bool_cas" | "val_cas" | "error"
                | "unreachable" => {}
                "compare_exchange" => match &args[1].kind {
                    ExprKind::AddressOf(target) => inner.push((**target).clone()),
                    _ => self.writes = true,
                },
                name if name.starts_with("fetch_") || name.ends_with("_fetch") => {}
                _ => self.writes = true,
            },
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Function(id) => calls.push(*id),
                _ => self.writes = true,
            },
            ExprKind::Literal(_) => self.writes = true,
            _ => {}
        });
        for target in inner {
            match &target.kind {
                ExprKind::Var(id) if !self.unit.variables[*id].addressed => {
                    self.assigned.insert(*id);
                }
                // `x += 1` of an atomic object is a read-modify-write, which tells by itself whether it changed anything.
                _ => self.writes = true,
            }
        }
        for id in calls {
            self.depth += 1;
            match &self.unit.functions[id].body {
                Some(body)
                    if self.depth < 8
                        && self.unit.functions[id]
                            .params
                            .iter()
                            .all(|p| !self.unit.variables[*p].addressed) =>
                {
                    body.iter().for_each(|s| self.stmt(s));
                }
                _ => self.writes = true,
            }
            self.depth -= 1;
        }
    }
}
