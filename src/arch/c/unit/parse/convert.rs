//! Conversions: objects to values, values to types.

use super::{Parsed, Parser};
use crate::arch::c::unit::tree::{Expr, ExprKind, Operator};
use crate::arch::c::unit::types::{IntTy, Ty};
use crate::diag::Diagnostic;
use crate::program::floats;

/// A number as an integer type holds it.
pub(super) fn wrap(value: i128, ty: IntTy) -> i128 {
    if ty.boolean {
        return i128::from(value != 0);
    }
    if ty.bytes >= 16 {
        return value;
    }
    let bits = 8 * u32::from(ty.bytes);
    let low = value & ((1i128 << bits) - 1);
    if ty.signed && low >> (bits - 1) & 1 == 1 { low - (1i128 << bits) } else { low }
}

/// A number of one type as one of another, where one of them has a point.
pub(super) fn convert_constant(value: i128, from: &Ty, to: &Ty) -> Option<i128> {
    Some(match (from, to) {
        (Ty::Float(from), Ty::Float(to)) => floats::to_bits(floats::from_bits(value, *from), *to),
        (Ty::Float(from), Ty::Int(int)) if int.boolean => i128::from(floats::from_bits(value, *from) != 0.0),
        (Ty::Float(from), Ty::Int(int)) => wrap(floats::to_integer(value, *from), *int),
        (Ty::Int(_), Ty::Float(to)) => floats::from_integer(value, *to),
        _ => return None,
    })
}

impl Parser {
    /// An expression as a value: arrays and functions become addresses, `_Atomic` goes.
    pub(super) fn rvalue(&mut self, e: Expr) -> Expr {
        match e.ty.plain() {
            // A bit-field whose values an `int` can hold is one.
            Ty::Int(IntTy { bytes: 4, signed: false, .. })
                if matches!(e.kind, ExprKind::Member(_, _, Some((_, 0..32)))) =>
            {
                let span = e.span;
                Expr { kind: ExprKind::Cast(Box::new(e)), ty: Ty::INT, span }
            }
            Ty::Array(target, _) | Ty::Computed(target, _) => {
                let ty = Ty::Pointer(target.clone());
                let span = e.span;
                Expr { kind: ExprKind::AddressOf(Box::new(e)), ty, span }
            }
            Ty::Function(_) => {
                let (ty, span) = (e.ty.decayed(), e.span);
                match e.kind {
                    ExprKind::Deref(inner) => *inner,
                    kind => Expr { kind, ty, span },
                }
            }
            _ => e,
        }
    }

    /// As a value of that type.
    pub(super) fn convert(&mut self, e: Expr, ty: &Ty) -> Parsed<Expr> {
        let e = self.rvalue(e);
        let (from, to) = (e.ty.plain().clone(), ty.plain().clone());
        if from == to {
            return Ok(e);
        }
        if self.alike(&from, &to) {
            return Ok(Expr { ty: to, ..e });
        }
        match (&from, &to) {
            (_, Ty::Void) => {}
            (Ty::Int(_) | Ty::Pointer(_) | Ty::Float(_), Ty::Int(_) | Ty::Pointer(_) | Ty::Float(_)) => {}
            _ => {
                return Err(Diagnostic::error(
                    "c::type",
                    format!("`{}` cannot become `{}`", self.describe(&from), self.describe(&to)),
                )
                .at(e.span, "this value"));
            }
        }
        let span = e.span;
        match (&e.kind, &from, &to) {
            (ExprKind::Int(value), Ty::Float(_), _) | (ExprKind::Int(value), _, Ty::Float(_)) => {
                if let Some(value) = convert_constant(*value, &from, &to) {
                    return Ok(Expr::int(value, to, span));
                }
            }
            (ExprKind::Int(value), _, Ty::Int(int)) => return Ok(Expr::int(wrap(*value, *int), to, span)),
            _ => {}
        }
        // A pointer to another type is the same address.
        if matches!((&from, &to), (Ty::Pointer(_), Ty::Pointer(_))) && !matches!(e.kind, ExprKind::Int(_)) {
            return Ok(Expr { ty: to, ..e });
        }
        Ok(Expr { kind: ExprKind::Cast(Box::new(e)), ty: to, span })
    }

    /// As a condition: a scalar.
    pub(super) fn truth(&mut self, e: Expr) -> Parsed<Expr> {
        let e = self.rvalue(e);
        match e.ty.is_scalar() {
            // Zero has two signs.
            true if matches!(e.ty.plain(), Ty::Float(_)) => {
                let (zero, span) = (Expr::int(0, e.ty.plain().clone(), e.span), e.span);
                self.binary(Operator::Ne, e, zero, span)
            }
            true => Ok(e),
            false => Err(Diagnostic::error("c::type", format!("`{}` is no condition", self.describe(&e.ty)))
                .at(e.span, "here")),
        }
    }
}
