//! Statements.

use std::collections::HashMap;

use crate::arch::c::unit::tree::{Expr, ExprKind, Stmt, StmtKind};
use crate::diag::Diagnostic;
use crate::program::Op;
use crate::source::Span;

use super::awaits::Waiting;
use super::code::{Label, Ops};
use super::value::Rv;
use super::{Lowering, Slot};

/// More than this are not told.
const MAX_ERRORS: usize = 50;

impl Lowering<'_> {
    /// A block. Where it is an expression, the value of its last statement.
    pub(super) fn block(&mut self, stmts: &[Stmt], value: bool) -> Result<Option<Rv>, Diagnostic> {
        let depth = self.code.depth;
        let left = self.frame().cleanups.len();
        let mut last = None;
        for (index, stmt) in stmts.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Expr(e) if value && index + 1 == stmts.len() => {
                    last = Some(match e.ty.is_scalar() || e.ty == super::Ty::Void {
                        true => self.expr(e)?,
                        false => self.record(e)?,
                    });
                }
                // What is wrong in one statement does not hide what is wrong in the next.
                _ => {
                    if let Err(diagnostic) = self.stmt(stmt) {
                        self.errors.push(diagnostic);
                        if self.errors.len() > MAX_ERRORS {
                            return Err(Diagnostic::error("c::errors", "too many errors")
                                .at(stmt.span, "stopped here"));
                        }
                    }
                }
            }
        }
        if self.frame().cleanups.len() > left {
            // What the block gives was computed before.
            if let (Some(value), Some(stmt)) = (last.take(), stmts.last()) {
                last = Some(self.kept(value, stmt.span)?);
            }
            self.clean_up(left)?;
            self.frame().cleanups.truncate(left);
        }
        self.code.depth = depth;
        Ok(last)
    }

    /// What is done when blocks are left, but for the outermost of it.
    fn clean_up(&mut self, left: usize) -> Result<(), Diagnostic> {
        let calls: Vec<Expr> = self.frame().cleanups.iter().skip(left).rev().cloned().collect();
        for call in &calls {
            let depth = self.code.depth;
            self.expr(call)?;
            self.code.depth = depth;
        }
        Ok(())
    }

    /// A call whose value nobody looks at, of a function that a header has in a form for that.
    fn discarded(&self, e: &Expr) -> Option<Expr> {
        match &e.kind {
            ExprKind::Cast(inner) if e.ty == super::Ty::Void => self.discarded(inner),
            ExprKind::Call(callee, args) => {
                let ExprKind::Function(id) = callee.kind else { return None };
                let name = format!("__discarded_{}", self.unit.functions[id].name);
                let other = self.unit.functions.iter().position(|f| f.name == name)?;
                let callee = Expr { kind: ExprKind::Function(other), ..(**callee).clone() };
                Some(Expr { kind: ExprKind::Call(Box::new(callee), args.clone()), ..e.clone() })
            }
            _ => None,
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Result<(), Diagnostic> {
        let depth = self.code.depth;
        let mut keep = depth;
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => {
                let other = self.discarded(e);
                self.expr(other.as_ref().unwrap_or(e))?;
            }
            StmtKind::Declare(id) => {
                let slot = match self.frame().ends.get(id) {
                    Some(reg) => Slot::Memory(*reg),
                    None => self.new_slot(*id)?,
                };
                keep = self.code.depth;
                self.frame().slots.insert(*id, slot);
                self.bring_to_life(*id, slot, false)?;
            }
            StmtKind::Cleanup(call) => self.frame().cleanups.push(call.clone()),
            StmtKind::Block(all) => {
                self.block(all, false)?;
            }
            StmtKind::If(condition, then, otherwise) => {
                let (no, end) = (self.code.label(), self.code.label());
                let control = self.control_begins(span);
                self.jump_unless(condition, no)?;
                self.stmt(then)?;
                if let Some(otherwise) = otherwise {
                    self.goto(end, span);
                    self.code.place(no);
                    self.stmt(otherwise)?;
                } else {
                    self.code.place(no);
                }
                self.code.place(end);
                // If one branch goes elsewhere, what follows is what the condition let through.
                if !leaves(then) && !otherwise.as_ref().is_some_and(|stmt| leaves(stmt)) {
                    self.control_ends(control, span);
                }
            }
            StmtKind::While(condition, body) => self.loop_over(Some(condition), None, body, span)?,
            StmtKind::For(first, condition, step, body) => {
                for stmt in first {
                    self.stmt(stmt)?;
                    keep = keep.max(depth);
                }
                self.loop_over(condition.as_ref(), step.as_ref(), body, span)?;
                keep = depth;
            }
            StmtKind::DoWhile(body, condition) => self.do_while(body, condition, span)?,
            StmtKind::Switch(value, body) => self.switch(value, body, span)?,
            StmtKind::Case(_) => self.case(span)?,
            StmtKind::Label(name) => {
                let label = self.named_label(name);
                self.code.place(label);
                self.code.names.push((name.clone(), label));
                // A `goto` backwards comes by here again.
                let id = self.fresh_loop();
                self.op(Op::LoopHead { id }, span);
            }
            StmtKind::Goto(name) => {
                self.frame().gotos.push((name.clone(), span));
                let left = self.frame().depths.get(name).copied().unwrap_or(0);
                self.clean_up(left)?;
                let label = self.named_label(name);
                self.goto(label, span);
            }
            StmtKind::Break | StmtKind::Continue => {
                let frame = self.frame();
                let targets =
                    if matches!(stmt.kind, StmtKind::Break) { &frame.breaks } else { &frame.continues };
                let Some((label, left)) = targets.last().copied() else {
                    return Err(
                        Diagnostic::error("c::break", "there is no loop to leave here").at(span, "here")
                    );
                };
                self.clean_up(left)?;
                self.goto(label, span);
            }
            StmtKind::Return(value) => {
                let (end, result) = (self.frame().end, self.frame().result);
                if let Some(e) = value {
                    self.give(e, result)?;
                }
                self.clean_up(0)?;
                self.goto(end, span);
            }
        }
        self.code.depth = keep;
        Ok(())
    }

    /// Puts the result of a function where it goes.
    fn give(&mut self, e: &Expr, result: Option<crate::program::Reg>) -> Result<(), Diagnostic> {
        if e.ty.is_scalar() {
            let value = self.expr(e)?;
            if let Some(reg) = result {
                self.write(reg, &value, e.span);
            }
        } else if e.ty == super::Ty::Void {
            self.expr(e)?;
        } else {
            let from = self.record(e)?;
            if let Some(reg) = result {
                self.copy(&Rv::Reg(reg), &from, &e.ty, e.span)?;
            }
        }
        Ok(())
    }

    pub(super) fn op(&mut self, op: Op, span: Span) {
        let mut ops = Ops::default();
        ops.push(op);
        self.emit(ops, span);
    }

    fn named_label(&mut self, name: &str) -> Label {
        if let Some(label) = self.frame().labels.get(name) {
            return *label;
        }
        let label = self.code.label();
        self.frame().labels.insert(name.to_string(), label);
        label
    }

    /// `while` and `for`.
    fn loop_over(
        &mut self,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let id = self.fresh_loop();
        let (top, next, end) = (self.code.label(), self.code.label(), self.code.label());
        let control = self.control_begins(span);
        self.op(Op::LoopEnter { id }, span);
        self.code.place(top);
        let depth = self.code.depth;
        let parts: Vec<&Expr> = condition.into_iter().chain(step).collect();
        let waiting = self.pass_begins(&parts, body, span)?;
        self.waiting.extend(waiting.as_ref().map(|w| w.dirty));
        let head = Op::LoopHead { id };
        match condition {
            // Inside the branch: a pass that known numbers decide is not counted.
            Some(condition) => self.branch(condition, end, false, Some(head))?,
            None => self.op(head, span),
        }
        let left = self.frame().cleanups.len();
        self.frame().breaks.push((end, left));
        self.frame().continues.push((next, left));
        let result = self.stmt(body);
        self.frame().breaks.pop();
        self.frame().continues.pop();
        result?;
        self.code.place(next);
        if let Some(step) = step {
            let depth = self.code.depth;
            self.expr(step)?;
            self.code.depth = depth;
        }
        self.end_of_pass(waiting.as_ref(), span);
        self.goto(top, span);
        self.code.place(end);
        self.control_ends(control, span);
        self.code.depth = depth;
        Ok(())
    }

    fn end_of_pass(&mut self, waiting: Option<&Waiting>, span: Span) {
        if let Some(waiting) = waiting {
            self.pass_ends(waiting, span);
            self.waiting.pop();
        }
    }

    fn do_while(&mut self, body: &Stmt, condition: &Expr, span: Span) -> Result<(), Diagnostic> {
        let id = self.fresh_loop();
        let (top, next, end) = (self.code.label(), self.code.label(), self.code.label());
        let control = self.control_begins(span);
        self.op(Op::LoopEnter { id }, span);
        self.code.place(top);
        let depth = self.code.depth;
        let waiting = self.pass_begins(&[condition], body, span)?;
        self.waiting.extend(waiting.as_ref().map(|w| w.dirty));
        let left = self.frame().cleanups.len();
        self.frame().breaks.push((end, left));
        self.frame().continues.push((next, left));
        let result = self.stmt(body);
        self.frame().breaks.pop();
        self.frame().continues.pop();
        result?;
        self.code.place(next);
        self.branch(condition, end, false, Some(Op::LoopHead { id }))?;
        self.end_of_pass(waiting.as_ref(), span);
        self.goto(top, span);
        self.code.depth = depth;
        self.code.place(end);
        self.control_ends(control, span);
        Ok(())
    }
}

/// Does a statement never go on to the next one?
fn leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::Block(all) => all.last().is_some_and(leaves),
        StmtKind::If(_, then, Some(otherwise)) => leaves(then) && leaves(otherwise),
        _ => false,
    }
}

/// How much there is to be done when the blocks around each label are left.
pub(super) fn depths_of_labels(stmts: &[Stmt]) -> HashMap<String, usize> {
    fn look(stmts: &[Stmt], mut depth: usize, found: &mut HashMap<String, usize>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Cleanup(_) => depth += 1,
                StmtKind::Label(name) => {
                    found.insert(name.clone(), depth);
                }
                StmtKind::Block(all) => look(all, depth, found),
                StmtKind::If(_, then, otherwise) => {
                    look(std::slice::from_ref(then), depth, found);
                    otherwise.iter().for_each(|stmt| look(std::slice::from_ref(stmt), depth, found));
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Switch(_, body)
                | StmtKind::For(_, _, _, body) => look(std::slice::from_ref(body), depth, found),
                _ => {}
            }
        }
    }
    let mut found = HashMap::new();
    look(stmts, 0, &mut found);
    found
}
