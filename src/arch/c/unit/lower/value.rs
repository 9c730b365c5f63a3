//! Values not computed yet: trees over constants and registers.
//!
//! An access or a branch computes the tree where it needs it; what must outlive an instruction is in a register.

use std::rc::Rc;

use crate::arch::c::lower::BITS;
use crate::arch::c::unit::types::{IntTy, Ty};
use crate::program::{BinOp, Reg, UnOp, Value, eval_binary, eval_unary};

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Rv {
    Const(Value),
    Reg(Reg),
    Unary(UnOp, Rc<Rv>),
    Binary(BinOp, Rc<Rv>, Rc<Rv>),
}

impl Rv {
    pub const ZERO: Rv = Rv::Const(Value::ZERO);

    pub fn int(n: i128) -> Rv {
        Rv::Const(Value::Int(n))
    }

    pub fn known(&self) -> Option<Value> {
        match self {
            Rv::Const(value) => Some(*value),
            _ => None,
        }
    }

    pub fn unary(op: UnOp, a: Rv) -> Rv {
        if let Rv::Const(value) = a
            && let Ok(value) = eval_unary(op, value, BITS)
        {
            return Rv::Const(value);
        }
        // What is cut to that size already stays.
        if let (UnOp::SignExtend(_) | UnOp::ZeroExtend(_), Rv::Unary(inner, _)) = (op, &a)
            && *inner == op
        {
            return a;
        }
        Rv::Unary(op, Rc::new(a))
    }

    pub fn binary(op: BinOp, a: Rv, b: Rv) -> Rv {
        if let (Rv::Const(x), Rv::Const(y)) = (&a, &b)
            && !(matches!(op, BinOp::Div | BinOp::Rem) && *y == Value::ZERO)
            && let Ok(value) = eval_binary(op, *x, *y, BITS)
        {
            return Rv::Const(value);
        }
        if matches!(op, BinOp::Add | BinOp::Sub) && b == Rv::ZERO {
            return a;
        }
        Rv::Binary(op, Rc::new(a), Rc::new(b))
    }

    /// As an integer type holds it.
    pub fn narrow(self, int: IntTy) -> Rv {
        let bits = 8 * int.bytes;
        match () {
            () if int.boolean => match &self {
                Rv::Binary(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, ..)
                | Rv::Unary(UnOp::IsZero, _) => self,
                _ => Rv::binary(BinOp::Ne, self, Rv::ZERO),
            },
            () if int.bytes >= 16 => self,
            () if int.signed => Rv::unary(UnOp::SignExtend(bits), self),
            () => Rv::unary(UnOp::ZeroExtend(bits), self),
        }
    }

    /// As an object of that type holds it.
    pub fn held(self, ty: &Ty) -> Rv {
        match ty.as_int() {
            Some(int) => self.narrow(int),
            None => self,
        }
    }

    /// How many nodes it has, up to a bound.
    pub fn weight(&self) -> usize {
        match self {
            Rv::Const(_) | Rv::Reg(_) => 1,
            Rv::Unary(_, a) => 1 + a.weight(),
            Rv::Binary(_, a, b) => 1 + a.weight() + b.weight(),
        }
    }
}
