//! Symbolic values: functions of what reads return.

use std::sync::Arc;

use crate::program::{BinOp, IllegalOp, UnOp, Value, eval_binary, eval_unary};

/// A value that may depend on reads not bound yet.
///
/// Made by [`SymVal::unary`] and [`SymVal::binary`], which fold what is known. An operation without meaning (see
/// [`IllegalOp`]) is kept as it is, so that only an execution that needs its value fails.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymVal {
    /// Known.
    Known(Value),
    /// What the read event with that index returns.
    Read(u32),
    /// A function of one.
    Unary(UnOp, Arc<SymVal>),
    /// A function of two.
    Binary(BinOp, Arc<SymVal>, Arc<SymVal>),
}

impl From<Value> for SymVal {
    fn from(value: Value) -> SymVal {
        SymVal::Known(value)
    }
}

impl SymVal {
    /// Zero.
    pub const ZERO: SymVal = SymVal::Known(Value::ZERO);

    /// The value, if it depends on no read.
    pub fn known(&self) -> Option<Value> {
        match self {
            SymVal::Known(value) => Some(*value),
            _ => None,
        }
    }

    /// `op(a)`, folded as far as it goes.
    pub fn unary(op: UnOp, a: SymVal, bits: u32) -> SymVal {
        if let SymVal::Known(value) = a {
            if let Ok(value) = eval_unary(op, value, bits) {
                return SymVal::Known(value);
            }
        }
        match (op, &a) {
            (UnOp::SignExtend(n), _) if u32::from(n) >= bits => a,
            (UnOp::ZeroExtend(n), _) if u32::from(n) >= bits => a,
            (UnOp::ZeroExtend(n), SymVal::Unary(UnOp::ZeroExtend(m), _)) if *m <= n => a,
            (UnOp::ZeroExtend(_) | UnOp::SignExtend(_), _) if a.is_truth() => a,
            (UnOp::IsZero, SymVal::Unary(UnOp::IsZero, inner)) if inner.is_truth() => (**inner).clone(),
            (UnOp::IsZero, SymVal::Binary(BinOp::Eq, x, y)) => {
                SymVal::Binary(BinOp::Ne, x.clone(), y.clone())
            }
            (UnOp::IsZero, SymVal::Binary(BinOp::Ne, x, y)) => {
                SymVal::Binary(BinOp::Eq, x.clone(), y.clone())
            }
            (UnOp::Not, SymVal::Unary(UnOp::Not, inner)) => (**inner).clone(),
            _ => SymVal::Unary(op, Arc::new(a)),
        }
    }

    /// `op(a, b)`, folded as far as it goes.
    pub fn binary(op: BinOp, a: SymVal, b: SymVal, bits: u32) -> SymVal {
        if let (SymVal::Known(x), SymVal::Known(y)) = (&a, &b) {
            return match eval_binary(op, *x, *y, bits) {
                Ok(value) => SymVal::Known(value),
                Err(_) => SymVal::Binary(op, Arc::new(a), Arc::new(b)),
            };
        }
        if a == b {
            match op {
                BinOp::Xor | BinOp::Sub | BinOp::AndNot => return SymVal::ZERO,
                BinOp::Ne | BinOp::Lt | BinOp::Gt | BinOp::Ltu | BinOp::Gtu => return SymVal::ZERO,
                BinOp::Eq | BinOp::Le | BinOp::Ge | BinOp::Leu | BinOp::Geu => {
                    return SymVal::Known(Value::ONE);
                }
                BinOp::And | BinOp::Or | BinOp::Min | BinOp::Max | BinOp::Minu | BinOp::Maxu => return a,
                _ => {}
            }
        }
        let is = |v: &SymVal, n: i128| matches!(v, SymVal::Known(Value::Int(m)) if *m == n);
        match op {
            BinOp::Add | BinOp::Or | BinOp::Xor if is(&a, 0) => return b,
            BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::AndNot if is(&b, 0) => return a,
            BinOp::Shl | BinOp::Lsr | BinOp::Asr if is(&b, 0) => return a,
            BinOp::And | BinOp::Mul if is(&a, 0) || is(&b, 0) => return SymVal::ZERO,
            BinOp::AndNot if is(&a, 0) || is(&b, -1) => return SymVal::ZERO,
            BinOp::And if is(&a, -1) => return b,
            BinOp::And if is(&b, -1) => return a,
            BinOp::Mul if is(&a, 1) => return b,
            BinOp::Mul if is(&b, 1) => return a,
            // A truth value compared with 0 or 1 is itself, or its negation.
            BinOp::Eq if is(&b, 0) && a.is_truth() => return SymVal::unary(UnOp::IsZero, a, bits),
            BinOp::Ne if is(&b, 0) && a.is_truth() => return a,
            BinOp::Eq if is(&b, 1) && a.is_truth() => return a,
            BinOp::Ne if is(&b, 1) && a.is_truth() => return SymVal::unary(UnOp::IsZero, a, bits),
            _ => {}
        }
        SymVal::Binary(op, Arc::new(a), Arc::new(b))
    }

    /// Can it only be 0 or 1?
    fn is_truth(&self) -> bool {
        match self {
            SymVal::Known(value) => *value == Value::ZERO || *value == Value::ONE,
            SymVal::Read(_) => false,
            SymVal::Unary(op, _) => matches!(op, UnOp::IsZero | UnOp::Bit(_)),
            SymVal::Binary(op, ..) => matches!(
                op,
                BinOp::Eq
                    | BinOp::Ne
                    | BinOp::Lt
                    | BinOp::Le
                    | BinOp::Gt
                    | BinOp::Ge
                    | BinOp::Ltu
                    | BinOp::Leu
                    | BinOp::Gtu
                    | BinOp::Geu
            ),
        }
    }

    /// The value, given those of some reads; `None` if a read it needs is not among them.
    ///
    /// # Errors
    /// An operation on it has no meaning.
    pub fn eval(&self, reads: &[Option<Value>], bits: u32) -> Result<Option<Value>, IllegalOp> {
        self.eval_with(&|read| reads.get(read as usize).copied().flatten(), bits)
    }

    /// The same, with the reads as a function.
    ///
    /// # Errors
    /// An operation on it has no meaning.
    pub fn eval_with(
        &self,
        reads: &impl Fn(u32) -> Option<Value>,
        bits: u32,
    ) -> Result<Option<Value>, IllegalOp> {
        Ok(match self {
            SymVal::Known(value) => Some(*value),
            SymVal::Read(read) => reads(*read),
            SymVal::Unary(op, a) => match a.eval_with(reads, bits)? {
                Some(a) => Some(eval_unary(*op, a, bits)?),
                None => None,
            },
            SymVal::Binary(op, a, b) => match (a.eval_with(reads, bits)?, b.eval_with(reads, bits)?) {
                (Some(a), Some(b)) => Some(eval_binary(*op, a, b, bits)?),
                _ => None,
            },
        })
    }

    /// The reads it mentions, each once, in increasing order.
    pub fn reads(&self) -> Vec<u32> {
        let mut list = Vec::new();
        self.collect_reads(&mut list);
        list.sort_unstable();
        list.dedup();
        list
    }

    fn collect_reads(&self, list: &mut Vec<u32>) {
        match self {
            SymVal::Known(_) => {}
            SymVal::Read(read) => list.push(*read),
            SymVal::Unary(_, a) => a.collect_reads(list),
            SymVal::Binary(_, a, b) => {
                a.collect_reads(list);
                b.collect_reads(list);
            }
        }
    }

    /// The same function of reads with other numbers.
    #[must_use]
    pub fn renumber(&self, map: &impl Fn(u32) -> u32) -> SymVal {
        match self {
            SymVal::Known(value) => SymVal::Known(*value),
            SymVal::Read(read) => SymVal::Read(map(*read)),
            SymVal::Unary(op, a) => SymVal::Unary(*op, Arc::new(a.renumber(map))),
            SymVal::Binary(op, a, b) => {
                SymVal::Binary(*op, Arc::new(a.renumber(map)), Arc::new(b.renumber(map)))
            }
        }
    }
}
