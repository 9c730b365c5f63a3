//! Notes on where nodes come from: [`crate::model::Origins`].
//!
//! Made while a model is lowered, never in a concrete run, which makes no nodes.

use std::sync::Arc;

use super::env::{Place, Slot};
use super::error::{Eval, Placed};
use super::interpreter::Interpreter;
use super::ops::Op;
use super::value::Value;
use crate::model::{Operator, Spot, Written};
use crate::source::Span;

impl Interpreter<'_> {
    /// Applies an operator that stands in the text.
    pub(super) fn operate_here(&mut self, op: Op, args: Vec<Placed>, span: Span) -> Eval {
        let Some(operator) = operator(op).filter(|_| !self.is_concrete()) else {
            return self.operate(op, args, span);
        };
        let parts: Vec<Spot> = args.iter().filter_map(spot).collect();
        let value = self.operate(op, args, span)?;
        self.note(span, &value, Written::Operator(operator, parts));
        Ok(value)
    }

    /// Notes that a name stands for a value.
    pub(super) fn note_name(
        &mut self,
        name: &Arc<str>,
        span: Span,
        value: &Value,
        slot: &Slot,
        place: Place,
    ) {
        let Some(a) = self.lowering() else { return };
        if let Some(bound) = place.bound {
            a.origins.note_use(span, bound);
        }
        let text = match slot {
            Slot::Thunk(thunk) | Slot::Part(thunk, _) => Some(thunk.expr.span),
            Slot::Value(_) => place.value,
        };
        if let Value::Node(id, _) = value {
            self.note(span, value, Written::Name(name.clone(), text.map(|text| (text, *id))));
        }
    }

    /// Notes that a call of a function gave a value.
    pub(super) fn note_call(&mut self, name: &Arc<str>, span: Span, value: &Value, function: &Value) {
        if let (Value::Node(id, _), Value::Closure(closure)) = (value, function) {
            self.note(span, value, Written::Call(name.clone(), (closure.body.span, *id)));
        }
    }

    fn note(&mut self, span: Span, value: &Value, written: Written) {
        if let (Value::Node(id, _), Some(a)) = (value, self.lowering()) {
            a.origins.note(span, *id, written);
        }
    }
}

fn spot(value: &Placed) -> Option<Spot> {
    match value.0 {
        Value::Node(id, _) => Some((value.1, id)),
        _ => None,
    }
}

fn operator(op: Op) -> Option<Operator> {
    Some(match op {
        Op::Union => Operator::Union,
        Op::Inter => Operator::Inter,
        Op::Diff => Operator::Diff,
        Op::Compl => Operator::Compl,
        Op::Seq => Operator::Seq,
        Op::Product => Operator::Product,
        Op::Inverse => Operator::Inverse,
        Op::ToId => Operator::ToId,
        Op::Opt => Operator::Opt,
        Op::Plus => Operator::Plus,
        Op::Star => Operator::Star,
        Op::Add | Op::Explicit => return None,
    })
}
