//! Constant expressions.

use super::convert::{convert_constant, wrap};
use super::{Parsed, Parser};
use crate::arch::c::unit::tree::{Expr, ExprKind, Operator};
use crate::arch::c::unit::types::{IntTy, Ty};
use crate::diag::Diagnostic;

/// The value of an operator on numbers of that type; `None` where C has none.
pub(in super::super) fn compute(op: Operator, a: i128, b: i128, ty: IntTy) -> Option<i128> {
    let unsigned = |n: i128| if ty.signed || ty.bytes >= 16 { n } else { wrap(n, ty) };
    let (a, b) = (unsigned(a), unsigned(b));
    let width = 8 * i128::from(ty.bytes);
    Some(match op {
        Operator::Add => wrap(a.wrapping_add(b), ty),
        Operator::Sub => wrap(a.wrapping_sub(b), ty),
        Operator::Mul => wrap(a.wrapping_mul(b), ty),
        Operator::Div => wrap(a.checked_div(b)?, ty),
        Operator::Rem => wrap(a.checked_rem(b)?, ty),
        Operator::And => a & b,
        Operator::Or => a | b,
        Operator::Xor => a ^ b,
        Operator::Shl if (0..width).contains(&b) => wrap(a.wrapping_shl(b as u32), ty),
        Operator::Shr if (0..width).contains(&b) => a >> b,
        Operator::Shl | Operator::Shr => return None,
        Operator::Eq => i128::from(a == b),
        Operator::Ne => i128::from(a != b),
        Operator::Lt => i128::from(a < b),
        Operator::Le => i128::from(a <= b),
        Operator::Gt => i128::from(a > b),
        Operator::Ge => i128::from(a >= b),
    })
}

impl Parser {
    /// The number that an expression is, if it is one already now.
    pub(super) fn constant_of(&self, e: &Expr) -> Option<i128> {
        Some(match &e.kind {
            ExprKind::Int(n) => *n,
            ExprKind::Cast(inner) => {
                let n = self.constant_of(inner)?;
                match e.ty.plain() {
                    to if matches!(inner.ty.plain(), Ty::Float(_)) || matches!(to, Ty::Float(_)) => {
                        convert_constant(n, inner.ty.plain(), to)?
                    }
                    Ty::Int(int) => wrap(n, *int),
                    Ty::Pointer(_) => n,
                    _ => return None,
                }
            }
            ExprKind::Neg(inner) => wrap(self.constant_of(inner)?.wrapping_neg(), e.ty.as_int()?),
            ExprKind::Complement(inner) => wrap(!self.constant_of(inner)?, e.ty.as_int()?),
            ExprKind::Not(inner) => i128::from(self.constant_of(inner)? == 0),
            ExprKind::Binary(op, a, b) => {
                compute(*op, self.constant_of(a)?, self.constant_of(b)?, a.ty.as_int()?)?
            }
            ExprKind::Logical(and, a, b) => {
                let a = self.constant_of(a)? != 0;
                match (and, a) {
                    (true, false) => 0,
                    (false, true) => 1,
                    _ => i128::from(self.constant_of(b)? != 0),
                }
            }
            ExprKind::Conditional(c, a, b) => match self.constant_of(c)? {
                0 => self.constant_of(b)?,
                _ => self.constant_of(a)?,
            },
            // What is done on the way is no constant.
            ExprKind::Comma(a, b) => self.constant_of(a).and(self.constant_of(b))?,
            // `offsetof` as of old: `&((T *)0)->m`.
            ExprKind::AddressOf(inner) => self.address_constant(inner)?,
            _ => return None,
        })
    }

    fn address_constant(&self, e: &Expr) -> Option<i128> {
        match &e.kind {
            ExprKind::Deref(pointer) => self.constant_of(pointer),
            ExprKind::Member(inner, offset, None) => {
                Some(self.address_constant(inner)? + i128::from(*offset))
            }
            _ => None,
        }
    }

    pub(super) fn constant_expression(&mut self) -> Parsed<i128> {
        let e = self.nested(Self::conditional)?;
        self.constant_of(&e)
            .filter(|_| e.ty.as_int().is_some() || matches!(e.ty.plain(), Ty::Pointer(_)))
            .ok_or_else(|| {
                Diagnostic::error("c::constant", "a constant is needed here").at(e.span, "this is none")
            })
    }
}
