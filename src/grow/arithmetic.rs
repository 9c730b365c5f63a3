//! What a thread computes by itself: numbers, and what they depend on.

use crate::diag::Diagnostic;
use crate::program::{BinOp, IllegalOp, Op, Property, Tmp, UnOp, Value, eval_binary, eval_unary};

use super::flow;
use super::state::{Held, State, set};
use super::step::Stepper;

impl<'p> Stepper<'p> {
    pub(super) fn compute(&self, state: &mut State<'p>, op: &Op) -> Result<(), Diagnostic> {
        let bits = self.program.bits;
        let (dst, held) = match op {
            Op::Const { dst, value } => (*dst, Held { value: Ok(*value), ..Held::ZERO }),
            Op::Unary { dst, op, a } => {
                let of = self.held(state, *a);
                let value = of.value.and_then(|a| match (op, a) {
                    (UnOp::Extent, Value::Addr { sym, .. }) => {
                        let size = self.cells.extent(sym).ok_or(IllegalOp::Unary(*op, a))?;
                        Ok(Value::Int(size.into()))
                    }
                    _ => eval_unary(*op, a, bits),
                });
                // What a type of signed numbers cannot hold.
                if matches!(op, UnOp::SignExtend(_))
                    && state.sum == Some(*a)
                    && value != of.value
                    && self.properties
                {
                    self.caution(state, Property::Overflow);
                }
                // What only says so in another form is not looked at.
                self.tells_if(of.tells && value != of.value);
                self.tells_if(*op == UnOp::AsNumber && of.value.is_ok_and(|value| self.is_made(value)));
                (*dst, Held { value, ..of })
            }
            Op::Binary { dst, op, a, b } => {
                let (left, right) = (self.held(state, *a), self.held(state, *b));
                let value = match (left.value, right.value) {
                    (Ok(a), Ok(b)) => eval_binary(*op, a, b, bits),
                    (Err(illegal), _) | (_, Err(illegal)) => Err(illegal),
                };
                state.sum = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul).then_some(*dst);
                self.tells_if(left.tells || right.tells);
                if let (Ok(a @ Value::Addr { sym: s, .. }), Ok(b @ Value::Addr { sym: t, .. })) =
                    (left.value, right.value)
                {
                    let ordered = s != t && !matches!(op, BinOp::Eq | BinOp::Ne);
                    self.tells_if(ordered && (self.is_made(a) || self.is_made(b)));
                }
                // What is subtracted from itself is known, whatever it is.
                let cancels = a == b && matches!(op, BinOp::Sub | BinOp::Xor | BinOp::Eq | BinOp::Ne);
                (
                    *dst,
                    Held {
                        value,
                        constant: left.constant && right.constant || cancels,
                        causes: left.causes | right.causes,
                        newest: left.newest.max(right.newest),
                        tells: false,
                        reads: left.reads | right.reads,
                    },
                )
            }
            Op::Taint { dst, a, also } => {
                let mut held = self.held(state, *a);
                for tmp in also {
                    let other = self.held(state, *tmp);
                    held.causes |= other.causes;
                    held.newest = held.newest.max(other.newest);
                    held.reads |= other.reads;
                }
                (*dst, held)
            }
            _ => {
                return Err(Diagnostic::internal("only computations may stand in a read-modify-write")
                    .at(self.instr(state).span, "here"));
            }
        };
        set(state, dst, held);
        flow::computed(state, op);
        Ok(())
    }
}

/// What a read-modify-write consumes besides its address, apart from the value that it reads.
pub(super) fn operands(ops: &[Op], update: Tmp, consumed: &mut Vec<Tmp>) {
    let mut made = Vec::new();
    for op in ops {
        match op {
            Op::Const { dst, .. } => made.push(*dst),
            Op::Unary { dst, a, .. } => {
                consumed.push(*a);
                made.push(*dst);
            }
            Op::Binary { dst, a, b, .. } => {
                consumed.extend([*a, *b]);
                made.push(*dst);
            }
            Op::Taint { dst, a, also } => {
                consumed.push(*a);
                consumed.extend(also);
                made.push(*dst);
            }
            _ => {}
        }
    }
    consumed.push(update);
    consumed.retain(|tmp| !made.contains(tmp));
}
