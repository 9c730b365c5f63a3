//! Symbolic values: functions of what reads return.

use std::sync::Arc;

use crate::program::{BinOp, IllegalOp, UnOp, Value, eval_binary, eval_unary, wrap};

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
        if let SymVal::Known(value) = a
            && let Ok(value) = eval_unary(op, value, bits)
        {
            return SymVal::Known(value);
        }
        match (op, &a) {
            (UnOp::SignExtend(n), _) if u32::from(n) >= bits => a,
            (UnOp::ZeroExtend(n), _) if u32::from(n) >= bits => a,
            (UnOp::ZeroExtend(n) | UnOp::SignExtend(n), SymVal::Unary(UnOp::ZeroExtend(m), _)) if *m < n => a,
            (UnOp::SignExtend(n), SymVal::Unary(UnOp::SignExtend(m), _)) if *m <= n => a,
            // Only the low bits count, and the inner extension leaves them alone.
            (
                UnOp::ZeroExtend(n) | UnOp::SignExtend(n),
                SymVal::Unary(UnOp::ZeroExtend(m) | UnOp::SignExtend(m), inner),
            ) if *m >= n => SymVal::unary(op, (**inner).clone(), bits),
            (UnOp::ZeroExtend(n) | UnOp::SignExtend(n), _) if n > 1 && a.is_truth() => a,
            (UnOp::IsZero, SymVal::Unary(UnOp::IsZero, inner)) if inner.is_truth() => (**inner).clone(),
            (UnOp::IsZero, SymVal::Binary(BinOp::Eq, x, y)) => {
                SymVal::Binary(BinOp::Ne, x.clone(), y.clone())
            }
            (UnOp::IsZero, SymVal::Binary(BinOp::Ne, x, y)) => {
                SymVal::Binary(BinOp::Eq, x.clone(), y.clone())
            }
            (UnOp::Not, SymVal::Unary(UnOp::Not, inner)) => (**inner).clone(),
            // Bits of condition flags that were packed into one register.
            (UnOp::Bit(0), _) if a.is_truth() => a,
            (UnOp::Bit(_), _) if a.is_truth() => SymVal::ZERO,
            (UnOp::Bit(_), SymVal::Binary(BinOp::Or, x, y)) if a.is_flags() => {
                let (x, y) = (SymVal::unary(op, (**x).clone(), bits), SymVal::unary(op, (**y).clone(), bits));
                SymVal::binary(BinOp::Or, x, y, bits)
            }
            (UnOp::Bit(n), SymVal::Binary(BinOp::Shl, x, by)) if a.is_flags() => match **by {
                SymVal::Known(Value::Int(by)) if by == i128::from(n) => (**x).clone(),
                _ => SymVal::ZERO,
            },
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
            BinOp::Add | BinOp::Sub => {
                if let Some(sum) = SymVal::add_constants(op, &a, &b, bits) {
                    return sum;
                }
            }
            // A truth value compared with 0 or 1 is itself, or its negation.
            BinOp::Eq if is(&b, 0) && a.is_truth() => return SymVal::unary(UnOp::IsZero, a, bits),
            BinOp::Ne if is(&b, 0) && a.is_truth() => return a,
            BinOp::Eq if is(&b, 1) && a.is_truth() => return a,
            BinOp::Ne if is(&b, 1) && a.is_truth() => return SymVal::unary(UnOp::IsZero, a, bits),
            BinOp::Eq | BinOp::Ne => {
                if let Some((inner, other)) = SymVal::solve(&a, &b, bits) {
                    return match other {
                        Some(value) => SymVal::binary(op, inner, SymVal::Known(value), bits),
                        None => SymVal::Known(if op == BinOp::Eq { Value::ZERO } else { Value::ONE }),
                    };
                }
                // The known side stands right.
                if a.known().is_some() {
                    return SymVal::Binary(op, Arc::new(b), Arc::new(a));
                }
            }
            _ => {}
        }
        SymVal::Binary(op, Arc::new(a), Arc::new(b))
    }

    /// `(x + m) + n` as `x + (m + n)`, so that counters stay small.
    fn add_constants(op: BinOp, a: &SymVal, b: &SymVal, bits: u32) -> Option<SymVal> {
        let (inner, n) = match (op, a, b) {
            (BinOp::Add, SymVal::Known(Value::Int(n)), inner)
            | (BinOp::Add, inner, SymVal::Known(Value::Int(n))) => (inner, *n),
            (BinOp::Sub, inner, SymVal::Known(Value::Int(n))) => (inner, n.wrapping_neg()),
            _ => return None,
        };
        let SymVal::Binary(inner_op, x, m) = inner else { return None };
        let (BinOp::Add | BinOp::Sub, SymVal::Known(Value::Int(m))) = (inner_op, &**m) else { return None };
        let m = if *inner_op == BinOp::Add { *m } else { m.wrapping_neg() };
        let sum = SymVal::Known(Value::Int(wrap(m.wrapping_add(n), bits)));
        Some(SymVal::binary(BinOp::Add, (**x).clone(), sum, bits))
    }

    /// `f(x) = known`, where `f` adds, subtracts or flips a constant, as `x = other`; no `other`: it never holds.
    fn solve(a: &SymVal, b: &SymVal, bits: u32) -> Option<(SymVal, Option<Value>)> {
        let (SymVal::Binary(op, x, y), Some(wanted)) = (a, b.known()) else {
            let (SymVal::Binary(..), Some(_)) = (b, a.known()) else { return None };
            return SymVal::solve(b, a, bits);
        };
        let (inner, constant) = match (x.known(), y.known()) {
            (None, Some(constant)) => (x, constant),
            (Some(constant), None) if *op != BinOp::Sub => (y, constant),
            _ => return None,
        };
        let other = match (op, constant, wanted) {
            (BinOp::Add, Value::Int(_), _) => eval_binary(BinOp::Sub, wanted, constant, bits).ok()?,
            (BinOp::Sub, Value::Int(_), _) => eval_binary(BinOp::Add, wanted, constant, bits).ok()?,
            (BinOp::Xor, Value::Int(_), Value::Int(_)) => {
                eval_binary(BinOp::Xor, wanted, constant, bits).ok()?
            }
            // A base plus an index: the index must be an integer, so the symbol stays.
            (BinOp::Add, Value::Addr { sym, offset }, Value::Addr { sym: other, offset: end }) => {
                if sym != other {
                    return Some(((**inner).clone(), None));
                }
                Value::Int(wrap(i128::from(end) - i128::from(offset), bits))
            }
            (
                BinOp::Add,
                Value::Tagged { sym, tag, offset },
                Value::Tagged { sym: other, tag: its, offset: end },
            ) if sym == other && tag == its => Value::Int(wrap(i128::from(end) - i128::from(offset), bits)),
            (BinOp::Add, Value::Addr { .. } | Value::Tagged { .. }, _) => {
                return Some(((**inner).clone(), None));
            }
            _ => return None,
        };
        Some(((**inner).clone(), Some(other)))
    }

    /// Is it made of truth values, each shifted to its place?
    fn is_flags(&self) -> bool {
        match self {
            SymVal::Binary(BinOp::Or, a, b) => a.is_flags() && b.is_flags(),
            SymVal::Binary(BinOp::Shl, a, by) => {
                a.is_truth() && matches!(**by, SymVal::Known(Value::Int(0..32)))
            }
            SymVal::Known(Value::Int(0..16)) => true,
            _ => self.is_truth(),
        }
    }

    /// Can it only be 0 or 1?
    fn is_truth(&self) -> bool {
        match self {
            SymVal::Known(value) => *value == Value::ZERO || *value == Value::ONE,
            SymVal::Read(_) => false,
            SymVal::Unary(op, _) => matches!(op, UnOp::IsZero | UnOp::Bit(_)),
            SymVal::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, b) => a.is_truth() && b.is_truth(),
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

    /// Is it a number whenever all reads return numbers? Then no operation in it is without meaning.
    pub fn is_number(&self) -> bool {
        match self {
            SymVal::Known(value) => matches!(value, Value::Int(_)),
            SymVal::Read(_) => true,
            SymVal::Unary(op, a) => op.is_arithmetic() && a.is_number(),
            SymVal::Binary(op, a, b) => op.is_arithmetic() && a.is_number() && b.is_number(),
        }
    }

    /// A bound on it, if it has one: where it is an integer, it is not negative and of at most that many bits.
    pub fn unsigned_bits(&self) -> Option<u32> {
        match self {
            SymVal::Known(Value::Int(n)) if *n >= 0 => Some(128 - n.leading_zeros()),
            _ if self.is_truth() => Some(1),
            SymVal::Unary(UnOp::ZeroExtend(n), _) => Some(u32::from(*n)),
            SymVal::Binary(BinOp::And, a, b) => match (a.unsigned_bits(), b.unsigned_bits()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (bound, None) | (None, bound) => bound,
            },
            SymVal::Binary(BinOp::Or | BinOp::Xor, a, b) => Some(a.unsigned_bits()?.max(b.unsigned_bits()?)),
            _ => None,
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
        reads: &(impl Fn(u32) -> Option<Value> + ?Sized),
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

    /// Has it more than `limit` nodes, each counted as often as it is used? Everything that looks at a value takes that
    /// many steps.
    pub fn is_larger_than(&self, limit: usize) -> bool {
        fn count(value: &SymVal, left: &mut usize) -> bool {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            match value {
                SymVal::Known(_) | SymVal::Read(_) => true,
                SymVal::Unary(_, a) => count(a, left),
                SymVal::Binary(_, a, b) => count(a, left) && count(b, left),
            }
        }
        let mut left = limit;
        !count(self, &mut left)
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

    /// The same function of other values than reads.
    #[must_use]
    pub fn substitute(&self, read: &impl Fn(u32) -> SymVal, bits: u32) -> SymVal {
        match self {
            SymVal::Known(value) => SymVal::Known(*value),
            SymVal::Read(number) => read(*number),
            SymVal::Unary(op, a) => SymVal::unary(*op, a.substitute(read, bits), bits),
            SymVal::Binary(op, a, b) => {
                SymVal::binary(*op, a.substitute(read, bits), b.substitute(read, bits), bits)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::program::Sym;

    const UN_OPS: [UnOp; 9] = [
        UnOp::Not,
        UnOp::Neg,
        UnOp::IsZero,
        UnOp::SignExtend(1),
        UnOp::SignExtend(8),
        UnOp::ZeroExtend(8),
        UnOp::ZeroExtend(32),
        UnOp::Bit(1),
        UnOp::CountLeadingZeros(32),
    ];

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            (-3i128..=3).prop_map(Value::Int),
            (0u16..2, -1i64..=1).prop_map(|(sym, offset)| Value::Addr { sym: Sym(sym), offset: 4 * offset }),
        ]
    }

    /// An expression as written, and as the smart constructors make it.
    fn expression() -> impl Strategy<Value = (SymVal, SymVal)> {
        let leaf = prop_oneof![
            value().prop_map(|v| (SymVal::Known(v), SymVal::Known(v))),
            (0u32..3).prop_map(|r| (SymVal::Read(r), SymVal::Read(r))),
        ];
        leaf.prop_recursive(4, 24, 2, |inner| {
            prop_oneof![
                (prop::sample::select(&BinOp::ON_NUMBERS[..]), inner.clone(), inner.clone()).prop_map(
                    |(op, a, b)| (
                        SymVal::Binary(op, Arc::new(a.0), Arc::new(b.0)),
                        SymVal::binary(op, a.1, b.1, 32),
                    )
                ),
                (prop::sample::select(&UN_OPS[..]), inner)
                    .prop_map(|(op, a)| (SymVal::Unary(op, Arc::new(a.0)), SymVal::unary(op, a.1, 32))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Folding changes no value; it may give a value to what has none.
        #[test]
        fn folding_agrees_with_evaluation((plain, folded) in expression(), reads in [value(), value(), value()]) {
            let reads = reads.map(Some);
            if let Ok(value) = plain.eval(&reads, 32) {
                prop_assert_eq!(folded.eval(&reads, 32), Ok(value), "{:?} became {:?}", plain, folded);
            }
        }

        /// Of numbers come numbers, and every operation has a meaning.
        #[test]
        fn numbers_stay_numbers((plain, folded) in expression(), reads in [-3i128..=3, -3i128..=3, -3i128..=3]) {
            let reads = reads.map(|number| Some(Value::Int(number)));
            for value in [plain, folded].iter().filter(|value| value.is_number()) {
                prop_assert!(matches!(value.eval(&reads, 32), Ok(Some(Value::Int(_)))), "{:?}", value);
            }
        }

        /// What mentions no read is known, unless it has no meaning.
        #[test]
        fn without_reads_a_value_is_known((_, folded) in expression()) {
            if folded.reads().is_empty() && folded.eval(&[], 32).is_ok() {
                prop_assert!(folded.known().is_some());
            }
        }
    }

    fn read() -> SymVal {
        SymVal::Read(0)
    }

    fn int(n: i128) -> SymVal {
        SymVal::Known(Value::Int(n))
    }

    fn cell(offset: i64) -> SymVal {
        SymVal::Known(Value::Addr { sym: Sym(0), offset })
    }

    #[test]
    fn false_dependencies_fold_away() {
        for op in [BinOp::Xor, BinOp::Sub] {
            let zero = SymVal::binary(op, read(), read(), 64);
            assert_eq!(SymVal::binary(BinOp::Add, cell(0), zero, 64), cell(0));
        }
        assert_eq!(SymVal::binary(BinOp::And, read(), int(0), 64), int(0));
    }

    #[test]
    fn comparisons_are_solved_for_the_read() {
        let moved = SymVal::binary(BinOp::Add, read(), int(4), 64);
        let expected = SymVal::Binary(BinOp::Eq, Arc::new(read()), Arc::new(cell(4)));
        assert_eq!(SymVal::binary(BinOp::Eq, moved, cell(8), 64), expected);
        let indexed = SymVal::binary(BinOp::Add, cell(0), read(), 64);
        let expected = SymVal::Binary(BinOp::Eq, Arc::new(read()), Arc::new(int(8)));
        assert_eq!(SymVal::binary(BinOp::Eq, cell(8), indexed.clone(), 64), expected);
        let other = SymVal::Known(Value::Addr { sym: Sym(1), offset: 0 });
        assert_eq!(SymVal::binary(BinOp::Eq, indexed, other, 64), int(0));
    }

    #[test]
    fn what_is_arithmetic_has_a_meaning_for_all_numbers() {
        let others = [
            UnOp::Offset,
            UnOp::AsNumber,
            UnOp::WithLow { bits: 2, value: 1 },
            UnOp::ReverseBits(32),
            UnOp::ReverseBytes { bytes: 4, group: 2 },
            UnOp::ToFloat(4),
            UnOp::FromFloat(8),
            UnOp::Rounded { from: 8, to: 4 },
        ];
        for op in UN_OPS.into_iter().chain(others) {
            assert!(op.is_arithmetic(), "{op:?}");
            for number in [-7, 0, 1, 12, 1 << 31] {
                assert!(
                    matches!(eval_unary(op, Value::Int(number), 32), Ok(Value::Int(_))),
                    "{op:?} {number}"
                );
            }
        }
        let special = SymVal::Unary(UnOp::TagOf, Arc::new(read()));
        assert!(special.eval(&[Some(Value::ONE)], 32).is_err() && !special.is_number());
        assert!(!cell(0).is_number());
    }

    #[test]
    fn a_value_without_meaning_stays_as_it_is() {
        let sum = SymVal::binary(BinOp::Add, cell(0), cell(0), 64);
        assert_eq!(sum.known(), None);
        assert!(sum.eval(&[], 64).is_err());
    }

    #[test]
    fn a_packed_flag_comes_out_as_it_went_in() {
        let read = SymVal::Read(0);
        let zero = SymVal::binary(BinOp::Eq, read.clone(), SymVal::ZERO, 64);
        // The order of two symbols is not known, but only a condition that asks for it may notice.
        let (x, y) = (Value::addr(Sym(0)), Value::addr(Sym(1)));
        let negative = SymVal::binary(BinOp::Lt, x.into(), y.into(), 64);
        let shift = |value, by| SymVal::binary(BinOp::Shl, value, Value::Int(by).into(), 64);
        let flags = SymVal::binary(BinOp::Or, shift(negative.clone(), 3), shift(zero.clone(), 2), 64);
        assert_eq!(SymVal::unary(UnOp::Bit(2), flags.clone(), 64), zero);
        assert_eq!(SymVal::unary(UnOp::Bit(3), flags.clone(), 64), negative);
        assert_eq!(SymVal::unary(UnOp::Bit(0), flags, 64), SymVal::ZERO);
    }
}
