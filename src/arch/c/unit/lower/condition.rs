//! Jumps on conditions.

use crate::arch::c::unit::tree::{Expr, ExprKind};
use crate::diag::Diagnostic;
use crate::program::{Op, Port, Value};
use crate::source::Span;

use super::Lowering;
use super::code::{Code, Label, Ops};

impl Lowering<'_> {
    pub(super) fn goto(&mut self, label: Label, span: Span) {
        let mut ops = Ops::default();
        ops.push(Code::goto(label));
        self.emit(ops, span);
    }

    /// Goes to the label if the condition does not hold.
    pub(super) fn jump_unless(&mut self, e: &Expr, label: Label) -> Result<(), Diagnostic> {
        self.branch(e, label, false, None)
    }

    /// Goes to the label if the condition holds (or does not); where it goes on instead, runs `then` first.
    pub(super) fn branch(
        &mut self,
        e: &Expr,
        label: Label,
        holds: bool,
        then: Option<Op>,
    ) -> Result<(), Diagnostic> {
        let depth = self.code.depth;
        match &e.kind {
            ExprKind::Not(inner) => self.branch(inner, label, !holds, then)?,
            // `a && b` fails where either does; `a || b` holds where either does.
            ExprKind::Logical(and, a, b) if *and != holds => {
                self.branch(a, label, holds, None)?;
                self.branch(b, label, holds, None)?;
                self.run(then, e.span);
            }
            ExprKind::Logical(_, a, b) => {
                let skip = self.code.label();
                self.branch(a, skip, !holds, None)?;
                self.branch(b, label, holds, None)?;
                self.code.place(skip);
                self.run(then, e.span);
            }
            _ => {
                let value = self.expr(e)?;
                match value.known() {
                    Some(known) if (known != Value::ZERO) == holds => self.goto(label, e.span),
                    Some(_) => self.run(then, e.span),
                    None => {
                        let mut ops = Ops::default();
                        let cond = ops.value(&value, Port::None);
                        let go = vec![Code::goto(label)];
                        let on: Vec<Op> = then.into_iter().collect();
                        let (then, otherwise) = if holds { (go, on) } else { (on, go) };
                        ops.push(Op::If { cond, then, otherwise });
                        self.emit(ops, e.span);
                    }
                }
            }
        }
        self.code.depth = depth;
        Ok(())
    }

    fn run(&mut self, op: Option<Op>, span: Span) {
        if let Some(op) = op {
            let mut ops = Ops::default();
            ops.push(op);
            self.emit(ops, span);
        }
    }
}
