//! Jumps on conditions.

use crate::arch::c::unit::tree::{Expr, ExprKind};
use crate::diag::Diagnostic;
use crate::program::{Op, Port, Tmp, Value};
use crate::source::Span;

use super::code::{Code, Label, Ops};
use super::machine::Machine;
use super::value::Rv;
use super::{Lowering, Orders};

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
                        let cond = self.condition(&mut ops, &value);
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

    /// The value that a jump hangs on, and what that makes of later events.
    pub(super) fn condition(&self, ops: &mut Ops, value: &Rv) -> Tmp {
        match self.options.orders {
            Orders::Sets | Orders::Fences => ops.value(value, Port::None),
            Orders::Machine(Machine::Kernel) => {
                ops.push(Op::CondBegin);
                let cond = ops.value(value, Port::None);
                ops.push(Op::CondEnd);
                cond
            }
            Orders::Dependent | Orders::Machine(_) => {
                let cond = ops.value(value, Port::None);
                ops.branch(cond);
                cond
            }
        }
    }

    /// From here on conditions are in force, where that ends again.
    pub(super) fn control_begins(&mut self, span: Span) -> Option<u32> {
        // Elsewhere a condition is in force for good.
        if self.options.orders != Orders::Machine(Machine::Kernel) {
            return None;
        }
        let id = self.fresh_loop();
        self.op(Op::ControlSave { id }, span);
        Some(id)
    }

    /// What has come into force since is so no more.
    pub(super) fn control_ends(&mut self, begun: Option<u32>, span: Span) {
        if let Some(id) = begun {
            self.op(Op::ControlRestore { id }, span);
        }
    }

    fn run(&mut self, op: Option<Op>, span: Span) {
        if let Some(op) = op {
            let mut ops = Ops::default();
            ops.push(op);
            self.emit(ops, span);
        }
    }
}
