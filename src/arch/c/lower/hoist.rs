//! Statements inside expressions: calls of helper functions, and the comma operator.
//!
//! They are taken out, in the order they are written, and run before the expression, which then finds their results
//! in hidden registers. What only one branch of `&&`, `||` or `?:` may run becomes an `if`.

use super::scope::Variable;
use super::{Lowering, analysis};
use crate::arch::c::ast::{Expr, ExprKind, Logical, Stmt, StmtKind};
use crate::arch::c::types::CType;
use crate::diag::Diagnostic;
use crate::source::Span;

impl Lowering<'_> {
    /// The expression without statements inside; those have been run.
    pub(super) fn hoist(&mut self, e: &Expr) -> Result<Expr, Diagnostic> {
        if !self.has_statements(e) {
            return Ok(e.clone());
        }
        let kind = match &e.kind {
            ExprKind::Call { name, args, .. } if self.helper(name).is_some() => {
                let args = args.iter().map(|arg| self.hoist(arg)).collect::<Result<Vec<_>, _>>()?;
                return self.inline(name, &args, e.span);
            }
            ExprKind::Comma(left, right) => {
                let left = Stmt { span: left.span, kind: StmtKind::Expr((**left).clone()) };
                self.statement(&left)?;
                return self.hoist(right);
            }
            ExprKind::Logical(op, left, right) if self.has_statements(right) => {
                return self.hoist_logical(*op, left, right, e.span);
            }
            ExprKind::Conditional(cond, then, otherwise)
                if self.has_statements(then) || self.has_statements(otherwise) =>
            {
                let result = self.hidden("choice", CType::LONG, e.span);
                let assign = |value: &Expr| Box::new(assignment(&result, value.clone()));
                let kind = StmtKind::If((**cond).clone(), assign(then), Some(assign(otherwise)));
                self.statement(&Stmt { kind, span: e.span })?;
                return Ok(result);
            }
            ExprKind::Call { name, name_span, args } => {
                let args = args.iter().map(|arg| self.hoist(arg)).collect::<Result<Vec<_>, _>>()?;
                ExprKind::Call { name: name.clone(), name_span: *name_span, args }
            }
            ExprKind::Intrinsic(call) => {
                let mut call = call.clone();
                call.args = call.args.iter().map(|arg| self.hoist(arg)).collect::<Result<Vec<_>, _>>()?;
                ExprKind::Intrinsic(call)
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, self.hoisted(a)?),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, self.hoisted(a)?, self.hoisted(b)?),
            ExprKind::Logical(op, a, b) => ExprKind::Logical(*op, self.hoisted(a)?, self.hoisted(b)?),
            ExprKind::Conditional(a, b, c) => {
                ExprKind::Conditional(self.hoisted(a)?, self.hoisted(b)?, self.hoisted(c)?)
            }
            ExprKind::Assign(op, a, b) => ExprKind::Assign(*op, self.hoisted(a)?, self.hoisted(b)?),
            ExprKind::Step { op, prefix, operand } => {
                ExprKind::Step { op: *op, prefix: *prefix, operand: self.hoisted(operand)? }
            }
            ExprKind::Cast(ty, a) => ExprKind::Cast(ty.clone(), self.hoisted(a)?),
            ExprKind::Index(a, b) => ExprKind::Index(self.hoisted(a)?, self.hoisted(b)?),
            ExprKind::Int { .. } | ExprKind::Name(_) | ExprKind::SizeOf(_) | ExprKind::SizeOfExpr(_) => {
                e.kind.clone()
            }
        };
        Ok(Expr { kind, span: e.span })
    }

    fn hoisted(&mut self, e: &Expr) -> Result<Box<Expr>, Diagnostic> {
        Ok(Box::new(self.hoist(e)?))
    }

    fn has_statements(&self, e: &Expr) -> bool {
        analysis::any(e, &|part| match &part.kind {
            ExprKind::Call { name, .. } => self.helper(name).is_some(),
            ExprKind::Comma(..) => true,
            _ => false,
        })
    }

    /// `t = a != 0; if (t) t = b != 0;`, and the like for `||`.
    fn hoist_logical(
        &mut self,
        op: Logical,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<Expr, Diagnostic> {
        let result = self.hidden("logical", CType::INT, span);
        let truth = |e: &Expr| {
            let not = |e: Expr| Expr {
                span: e.span,
                kind: ExprKind::Unary(crate::arch::c::ast::UnaryOp::Not, Box::new(e)),
            };
            not(not(e.clone()))
        };
        self.statement(&assignment(&result, truth(left)))?;
        let guard = match op {
            Logical::And => result.clone(),
            Logical::Or => Expr {
                span,
                kind: ExprKind::Unary(crate::arch::c::ast::UnaryOp::Not, Box::new(result.clone())),
            },
        };
        let then = Box::new(assignment(&result, truth(right)));
        self.statement(&Stmt { kind: StmtKind::If(guard, then, None), span })?;
        Ok(result)
    }

    /// A new register that the test cannot name, as an expression.
    pub(super) fn hidden(&mut self, what: &str, ty: CType, span: Span) -> Expr {
        let name = format!("{what}#{}", self.fresh());
        let reg = self.tables.regs.intern(&format!("P{}.{name}", self.thread));
        self.scopes.declare_outermost(&name, Variable::Register { reg, ty }, span);
        Expr { kind: ExprKind::Name(name), span }
    }
}

/// `target = value;`
pub fn assignment(target: &Expr, value: Expr) -> Stmt {
    let span = value.span;
    let assign = ExprKind::Assign(None, Box::new(target.clone()), Box::new(value));
    Stmt { kind: StmtKind::Expr(Expr { kind: assign, span }), span }
}
