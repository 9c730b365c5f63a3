//! Arithmetic on concrete values.
//!
//! Integers wrap to the program's width. Addresses move by constants and compare with each other; an address never
//! equals an integer. Whatever else is asked of an address has no answer: [`IllegalOp`].

use std::cmp::Ordering;

use crate::diag::Diagnostic;
use crate::source::Span;

use super::floats;
use super::{Attrs, BinOp, Oa, Program, Sym, UnOp, Value, signature};

/// An operation that has no meaning for its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalOp {
    /// One operand.
    Unary(UnOp, Value),
    /// Two operands.
    Binary(BinOp, Value, Value),
}

impl IllegalOp {
    /// What a variable holds that was never written: the page of a number, which no program of C asks for.
    pub const UNINITIALISED: IllegalOp = IllegalOp::Unary(UnOp::EntryOf, Value::ZERO);

    /// What the user is told, with the instruction that computes such a value.
    pub fn diagnostic(&self, program: &Program, place: Option<Span>) -> Diagnostic {
        let diagnostic = Diagnostic::unsupported("program::illegal-operation", self.describe(program)).note(
            "addresses are symbols: constants are added to them, and they are compared with each other",
        );
        match place {
            Some(span) => diagnostic.at(span, "computed here"),
            None => diagnostic,
        }
    }

    /// One line, with the names of the program.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            IllegalOp::Unary(op, a) => format!("{} has no meaning for {}", op.words(), program.show(*a)),
            IllegalOp::Binary(op, a, b) => {
                format!("{} has no meaning for {} and {}", op.words(), program.show(*a), program.show(*b))
            }
        }
    }
}

/// The number as a signed one of `bits` bits.
pub fn wrap(n: i128, bits: u32) -> i128 {
    if bits == 0 || bits >= 128 {
        return n;
    }
    let shift = 128 - bits;
    n << shift >> shift
}

/// The number as an unsigned one of `bits` bits.
fn unsigned(n: i128, bits: u32) -> u128 {
    if bits >= 128 { n as u128 } else { n as u128 & ((1u128 << bits) - 1) }
}

fn truth(b: bool) -> Value {
    Value::Int(i128::from(b))
}

impl UnOp {
    /// Does it turn each number into a number?
    pub fn is_arithmetic(self) -> bool {
        // Some of the others have a meaning for some numbers.
        matches!(
            self,
            UnOp::Not
                | UnOp::Neg
                | UnOp::IsZero
                | UnOp::SignExtend(_)
                | UnOp::ZeroExtend(_)
                | UnOp::Bit(_)
                | UnOp::Offset
                | UnOp::AsNumber
                | UnOp::WithLow { .. }
                | UnOp::ReverseBits(_)
                | UnOp::ReverseBytes { .. }
                | UnOp::ToFloat(_)
                | UnOp::FromFloat(_)
                | UnOp::Rounded { .. }
                | UnOp::CountLeadingZeros(_)
        )
    }
}

impl BinOp {
    /// Does it turn every two numbers into a number?
    pub fn is_arithmetic(self) -> bool {
        !matches!(self, BinOp::Translate | BinOp::Follow | BinOp::WithTag | BinOp::Sign { .. })
    }
}

/// `op(a)`.
///
/// # Errors
/// The operation has no meaning for the operand.
pub fn eval_unary(op: UnOp, a: Value, bits: u32) -> Result<Value, IllegalOp> {
    let n = match (op, a) {
        (
            UnOp::EntryOf
            | UnOp::TableOf
            | UnOp::IsEntry
            | UnOp::Walk(_)
            | UnOp::Updated(_)
            | UnOp::Report
            | UnOp::IsTagged
            | UnOp::TagOf
            | UnOp::Untag
            | UnOp::TagCell
            | UnOp::Canonical
            | UnOp::Unauthentic(_),
            Value::Int(_),
        ) => return special(op, a).ok_or(IllegalOp::Unary(op, a)),
        (UnOp::AsNumber, Value::Int(_)) | (UnOp::Extent, Value::Int(0)) => return Ok(a),
        (UnOp::AsAddress, Value::Int(n)) => return Ok(address_of(n).unwrap_or(a)),
        (_, Value::Int(n)) => n,
        (UnOp::IsZero, _) => return Ok(Value::ZERO),
        (UnOp::SignExtend(_) | UnOp::ZeroExtend(_), Value::Pte(_)) => return Err(IllegalOp::Unary(op, a)),
        (UnOp::SignExtend(_) | UnOp::ZeroExtend(_), address) => return Ok(address),
        _ => return special(op, a).ok_or(IllegalOp::Unary(op, a)),
    };
    let result = match op {
        UnOp::Not => !n,
        UnOp::Neg => n.wrapping_neg(),
        UnOp::IsZero => i128::from(n == 0),
        UnOp::SignExtend(low) => wrap(n, u32::from(low)),
        UnOp::ZeroExtend(low) => unsigned(n, u32::from(low)) as i128,
        UnOp::Bit(bit) => (n >> bit.min(127)) & 1,
        UnOp::Offset => n,
        UnOp::WithLow { bits: low, value } => n >> low << low | i128::from(value),
        UnOp::ReverseBits(low) => {
            let low = u32::from(low).clamp(1, 128);
            (unsigned(n, low).reverse_bits() >> (128 - low)) as i128
        }
        UnOp::ReverseBytes { bytes, group } => reverse_bytes(n, bytes, group),
        UnOp::ToFloat(bytes) => floats::from_integer(n, bytes),
        UnOp::FromFloat(bytes) => floats::to_integer(n, bytes),
        UnOp::Rounded { from, to } => floats::to_bits(floats::from_bits(n, from), to),
        UnOp::CountLeadingZeros(low) => {
            let low = u32::from(low).clamp(1, 128);
            i128::from(unsigned(n, low).leading_zeros() - (128 - low))
        }
        _ => return Err(IllegalOp::Unary(op, a)),
    };
    Ok(Value::Int(wrap(result, bits)))
}

/// What only addresses, page table entries and tags have.
fn special(op: UnOp, a: Value) -> Option<Value> {
    Some(match (op, a) {
        (UnOp::Offset, Value::Addr { offset, .. }) => Value::Int(offset.into()),
        (UnOp::Offset, Value::Code { .. }) => Value::ZERO,
        (UnOp::WithLow { bits, value }, Value::Addr { sym, offset }) => {
            Value::Addr { sym, offset: offset >> bits << bits | i64::from(value) }
        }
        (UnOp::AsNumber, Value::Addr { sym, offset }) => {
            Value::Int(ADDRESSES << 48 | i128::from(sym.0) << 32 | i128::from(u32::try_from(offset).ok()?))
        }
        (UnOp::AsAddress, Value::Addr { .. }) => a,
        (UnOp::Canonical, _) => signature::canonical(a),
        (UnOp::Unauthentic(key), _) => return signature::with_error(a, key),
        (UnOp::IsEntry, Value::PteAddr(_)) => Value::ONE,
        (UnOp::IsEntry, _) => Value::ZERO,
        (UnOp::EntryOf | UnOp::TableOf, Value::Addr { sym, .. } | Value::Tagged { sym, .. }) => {
            Value::PteAddr(sym)
        }
        (UnOp::TableOf, Value::PteAddr(sym)) => Value::TableAddr(sym),
        (UnOp::Walk(walk), Value::Pte(pte)) => Value::Int(walk.outcome(&pte) as i128),
        (UnOp::Updated(dirty), Value::Pte(pte)) => Value::Pte(pte.updated(dirty)),
        (UnOp::Report, Value::Phys { sym, offset }) => Value::Translated(Some((sym, offset))),
        (UnOp::Report, Value::Int(0)) => Value::Translated(None),
        (UnOp::IsTagged, Value::Pte(pte)) => truth(pte.attrs == Attrs::Tagged),
        (UnOp::IsTagged, _) => Value::ZERO,
        // Green, where none is written.
        (UnOp::TagOf, Value::Addr { .. }) => Value::Tag(0),
        (UnOp::TagOf, Value::Tagged { tag, .. } | Value::Tag(tag)) => Value::Tag(tag),
        (UnOp::Untag, Value::Tagged { sym, offset, .. }) => Value::Addr { sym, offset },
        (UnOp::Untag, Value::Addr { .. } | Value::Phys { .. }) => a,
        (
            UnOp::TagCell,
            Value::Tagged { sym, offset, .. } | Value::Addr { sym, offset } | Value::Phys { sym, offset },
        ) => Value::TagAddr { sym, offset: offset.div_euclid(GRANULE) * GRANULE },
        _ => return None,
    })
}

/// The highest 16 bits of numbers that stand for addresses: such that no program computes with them. Below them are the symbol and the offset.
const ADDRESSES: i128 = 0x7a1c;

/// The address that a number stands for.
fn address_of(n: i128) -> Option<Value> {
    let is_one = n >> 48 == ADDRESSES;
    is_one.then(|| Value::Addr { sym: Sym((n >> 32) as u16), offset: i64::from(n as u32) })
}

/// Bits of an address below the page number.
const PAGE_BITS: i128 = 12;

/// Bytes that share a tag.
const GRANULE: i64 = 16;

fn reverse_bytes(n: i128, bytes: u8, group: u8) -> i128 {
    let mut input = n.to_le_bytes();
    let bytes = usize::from(bytes).min(input.len());
    let group = usize::from(group).clamp(1, input.len());
    for chunk in input[..bytes].chunks_mut(group) {
        chunk.reverse();
    }
    unsigned(i128::from_le_bytes(input), 8 * bytes as u32) as i128
}

/// `op(a, b)`.
///
/// # Errors
/// The operation has no meaning for the operands.
pub fn eval_binary(op: BinOp, a: Value, b: Value, bits: u32) -> Result<Value, IllegalOp> {
    match (a, b) {
        _ if !op.is_arithmetic() => paired(op, a, b).ok_or(IllegalOp::Binary(op, a, b)),
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int(integers(op, a, b, bits))),
        _ => addresses(op, a, b, bits).ok_or(IllegalOp::Binary(op, a, b)),
    }
}

fn integers(op: BinOp, a: i128, b: i128, bits: u32) -> i128 {
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    // A shift by the width or more (or by a negative number) leaves nothing but the sign.
    let shift = u32::try_from(b).ok().filter(|s| *s < bits);
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div => {
            if b == 0 {
                0
            } else {
                a.wrapping_div(b)
            }
        }
        BinOp::Rem => {
            if b == 0 {
                a
            } else {
                a.wrapping_rem(b)
            }
        }
        BinOp::Divu => ua.checked_div(ub).unwrap_or(0) as i128,
        BinOp::Remu => ua.checked_rem(ub).unwrap_or(ua) as i128,
        BinOp::MulHigh => a.wrapping_mul(b) >> bits.min(127),
        BinOp::MulHighu => (ua.wrapping_mul(ub) >> bits.min(127)) as i128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::AndNot => a & !b,
        BinOp::Shl => shift.map_or(0, |s| a << s),
        BinOp::Lsr => shift.map_or(0, |s| (ua >> s) as i128),
        BinOp::Asr => a >> shift.unwrap_or(127),
        BinOp::Eq => i128::from(a == b),
        BinOp::Ne => i128::from(a != b),
        BinOp::Lt => i128::from(a < b),
        BinOp::Le => i128::from(a <= b),
        BinOp::Gt => i128::from(a > b),
        BinOp::Ge => i128::from(a >= b),
        BinOp::Ltu => i128::from(ua < ub),
        BinOp::Leu => i128::from(ua <= ub),
        BinOp::Gtu => i128::from(ua > ub),
        BinOp::Geu => i128::from(ua >= ub),
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Minu => ua.min(ub) as i128,
        BinOp::Maxu => ua.max(ub) as i128,
        BinOp::Float(op, bytes) => floats::compute(op, a, b, bytes),
        // Not for numbers: answered before.
        BinOp::Translate | BinOp::Follow | BinOp::WithTag | BinOp::Sign { .. } => 0,
    };
    wrap(result, bits)
}

/// What takes an address and something that goes with it.
fn paired(op: BinOp, a: Value, b: Value) -> Option<Value> {
    match (op, a, b) {
        (BinOp::Sign { key, any }, _, _) => signature::sign(a, b, key, any),
        (BinOp::Translate, Value::Pte(pte), Value::Addr { offset, .. } | Value::Tagged { offset, .. }) => {
            match pte.oa {
                Oa::Phys(sym) => Some(Value::Phys { sym, offset }),
                // Nothing is there: no cell has such an address.
                Oa::Empty | Oa::Pte(_) => Some(Value::Int(0)),
            }
        }
        (BinOp::Follow, Value::Pte(pte), _) => {
            let offset = match b {
                Value::Addr { offset, .. } | Value::Tagged { offset, .. } => offset,
                Value::PteAddr(_) => 0,
                _ => return None,
            };
            Some(pte.oa.leads_to(offset))
        }
        (BinOp::WithTag, Value::Addr { sym, offset } | Value::Tagged { sym, offset, .. }, _) => {
            match eval_unary(UnOp::TagOf, b, 64) {
                Ok(Value::Tag(tag)) => Some(Value::Tagged { sym, tag, offset }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// An address moved by a number of bytes.
fn moved(address: Value, by: i128) -> Option<Value> {
    let by = by as i64;
    Some(match address {
        Value::Addr { sym, offset } => Value::Addr { sym, offset: offset.wrapping_add(by) },
        Value::Phys { sym, offset } => Value::Phys { sym, offset: offset.wrapping_add(by) },
        Value::Tagged { sym, tag, offset } => Value::Tagged { sym, tag, offset: offset.wrapping_add(by) },
        Value::TagAddr { sym, offset } => Value::TagAddr { sym, offset: offset.wrapping_add(by) },
        Value::Signed { of, field } => signature::moved(of, field, by),
        // Instructions have four bytes.
        Value::Code { thread, pc } if by % 4 == 0 => {
            Value::Code { thread, pc: u16::try_from(i64::from(pc) + by / 4).ok()? }
        }
        _ => return None,
    })
}

/// Objects begin at addresses that are multiples of this, so that the lowest bits of an address are those of its offset: programs keep marks there.
const ALIGNMENT: i128 = 16;

/// What is asked of the lowest bits of an address.
fn low_bits(op: BinOp, a: Value, b: Value, bits: u32) -> Option<Value> {
    let (sym, offset, n, first) = match (a, b) {
        (Value::Addr { sym, offset }, Value::Int(n)) => (sym, offset, n, true),
        (Value::Int(n), Value::Addr { sym, offset }) => (sym, offset, n, false),
        _ => return None,
    };
    let n = wrap(n, bits.min(64));
    let low = |n: i128| (0..ALIGNMENT).contains(&n);
    let wide = i128::from(offset);
    let address = |offset: i128| Some(Value::Addr { sym, offset: offset as i64 });
    match op {
        BinOp::And if low(n) => Some(Value::Int(wide & n)),
        BinOp::And if low(!n) => address(wide & n),
        BinOp::AndNot if first && low(n) => address(wide & !n),
        BinOp::AndNot if first && low(!n) => Some(Value::Int(wide & !n)),
        BinOp::Or if low(n) => address(wide | n),
        BinOp::Xor if low(n) => address(wide ^ n),
        BinOp::Rem | BinOp::Remu if first && n > 0 && ALIGNMENT % n == 0 => {
            Some(Value::Int(wide.rem_euclid(n)))
        }
        _ => marked(op, sym, offset, n, first),
    }
}

/// Addresses have 48 bits: programs keep marks and counts in the 16 above. Here they are part of the offset, so that nothing can be accessed there.
fn marked(op: BinOp, sym: Sym, offset: i64, n: i128, first: bool) -> Option<Value> {
    const WHERE: u64 = (1 << 48) - ALIGNMENT as u64;
    let (bits, n) = (offset as u64, n as u64);
    // Before the object: nobody knows which bits those are.
    if bits >> 47 & 1 == 1 {
        return None;
    }
    let number = |n: u64| Some(Value::Int(i128::from(n as i64)));
    let address = |bits: u64| Some(Value::Addr { sym, offset: bits as i64 });
    match op {
        BinOp::And if n & WHERE == 0 => number(bits & n),
        BinOp::And if n & WHERE == WHERE => address(bits & n),
        BinOp::AndNot if first && n & WHERE == 0 => address(bits & !n),
        BinOp::AndNot if first && n & WHERE == WHERE => number(bits & !n),
        BinOp::Or if n & WHERE == 0 => address(bits | n),
        BinOp::Xor if n & WHERE == 0 => address(bits ^ n),
        BinOp::Lsr if first && (48..64).contains(&n) => number(bits >> n),
        BinOp::Asr if first && (48..64).contains(&n) => number((bits as i64 >> n) as u64),
        _ => None,
    }
}

/// At least one operand is an address.
fn addresses(op: BinOp, a: Value, b: Value, bits: u32) -> Option<Value> {
    let ones = |v: Value| matches!(v, Value::Int(n) if wrap(n, bits) == -1);
    let is = |v: Value, n: i128| v == Value::Int(n);
    match op {
        BinOp::Eq => return Some(truth(a == b)),
        BinOp::Ne => return Some(truth(a != b)),
        BinOp::Add => {
            return match (a, b) {
                (v, Value::Int(0)) | (Value::Int(0), v) => Some(v),
                (address, Value::Int(n)) | (Value::Int(n), address) => moved(address, n),
                _ => None,
            };
        }
        BinOp::Sub => {
            return match (a, b) {
                (v, Value::Int(0)) => Some(v),
                (address, Value::Int(n)) if !matches!(address, Value::Instr(_)) => {
                    moved(address, n.wrapping_neg())
                }
                _ if a == b => Some(Value::ZERO),
                (Value::Addr { sym: s, offset: x }, Value::Addr { sym: t, offset: y }) if s == t => {
                    Some(Value::Int(i128::from(x) - i128::from(y)))
                }
                (Value::Code { thread: s, pc: x }, Value::Code { thread: t, pc: y }) if s == t => {
                    Some(Value::Int(4 * (i128::from(x) - i128::from(y))))
                }
                // Signed pointers that are not the same: that is all that is known.
                (Value::Signed { .. }, Value::Signed { .. } | Value::Addr { .. } | Value::Code { .. })
                | (Value::Addr { .. } | Value::Code { .. }, Value::Signed { .. }) => Some(Value::ONE),
                // Where the distance is not known: what a comparison by subtraction needs, and no more.
                (Value::Addr { .. } | Value::Tagged { .. }, Value::Addr { .. } | Value::Tagged { .. })
                | (Value::Code { .. }, Value::Code { .. })
                | (Value::Instr(_), Value::Instr(_) | Value::Int(_))
                | (Value::Int(_), Value::Instr(_))
                | (Value::Pte(_), Value::Pte(_))
                | (Value::Tag(_), Value::Tag(_)) => Some(Value::Int(match a.cmp(&b) {
                    Ordering::Less => -1,
                    Ordering::Equal => 0,
                    Ordering::Greater => 1,
                })),
                _ => None,
            };
        }
        BinOp::Or | BinOp::AndNot => {
            if let (Value::Pte(pte), Value::Int(mask)) = (a, b) {
                return pte.with_bits(mask, op == BinOp::Or).map(Value::Pte);
            }
        }
        BinOp::And => {
            if let (Value::Pte(pte), Value::Int(mask)) | (Value::Int(mask), Value::Pte(pte)) = (a, b) {
                return Some(Value::Int(pte.bits() & mask));
            }
        }
        BinOp::Lsr => {
            if let (Value::Addr { sym, .. } | Value::Tagged { sym, .. }, Value::Int(PAGE_BITS)) = (a, b) {
                return Some(Value::Page(sym));
            }
        }
        _ => {}
    }
    if let Some(value) = low_bits(op, a, b, bits) {
        return Some(value);
    }
    match op {
        BinOp::Xor if a == b => return Some(Value::ZERO),
        BinOp::Xor | BinOp::Or if is(b, 0) => return Some(a),
        BinOp::Xor | BinOp::Or if is(a, 0) => return Some(b),
        BinOp::And | BinOp::Or | BinOp::Min | BinOp::Max | BinOp::Minu | BinOp::Maxu if a == b => {
            return Some(a);
        }
        BinOp::And | BinOp::Mul if is(a, 0) || is(b, 0) => return Some(Value::ZERO),
        BinOp::And if ones(b) => return Some(a),
        BinOp::And if ones(a) => return Some(b),
        BinOp::AndNot if a == b || is(a, 0) || ones(b) => return Some(Value::ZERO),
        BinOp::AndNot | BinOp::Shl | BinOp::Lsr | BinOp::Asr if is(b, 0) => return Some(a),
        BinOp::Mul if is(b, 1) => return Some(a),
        BinOp::Mul if is(a, 1) => return Some(b),
        _ => {}
    }
    let order = order(a, b)?;
    Some(truth(match op {
        BinOp::Lt | BinOp::Ltu => order == Ordering::Less,
        BinOp::Le | BinOp::Leu => order != Ordering::Greater,
        BinOp::Gt | BinOp::Gtu => order == Ordering::Greater,
        BinOp::Ge | BinOp::Geu => order != Ordering::Less,
        _ => return None,
    }))
}

/// Addresses of objects lie between these, as on any machine with an empty first page: numbers beyond are no addresses (`MAP_FAILED`, the errors of the kernel).
const FIRST_ADDRESS: i128 = 1 << 12;
const LAST_ADDRESS: i128 = 1 << 47;

/// How two values compare, where that is known: addresses are above zero and small numbers, and those of one symbol compare by offset.
fn order(a: Value, b: Value) -> Option<Ordering> {
    match (a, b) {
        _ if a == b => Some(Ordering::Equal),
        (Value::Addr { sym: s, offset: x }, Value::Addr { sym: t, offset: y }) if s == t => Some(x.cmp(&y)),
        (Value::Signed { .. }, _) | (_, Value::Signed { .. }) => Some(Ordering::Greater),
        (Value::Int(0), _) => Some(Ordering::Less),
        (_, Value::Int(0)) => Some(Ordering::Greater),
        (Value::Addr { .. }, Value::Int(n)) if n <= FIRST_ADDRESS => Some(Ordering::Greater),
        (Value::Addr { .. }, Value::Int(n)) if n >= LAST_ADDRESS => Some(Ordering::Less),
        (Value::Int(_), Value::Addr { .. }) => order(b, a).map(Ordering::reverse),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Sym;

    const X: Value = Value::Addr { sym: Sym(0), offset: 0 };
    const X4: Value = Value::Addr { sym: Sym(0), offset: 4 };
    const Y: Value = Value::Addr { sym: Sym(1), offset: 0 };

    fn int(n: i128) -> Value {
        Value::Int(n)
    }

    #[test]
    fn integers_wrap_to_the_width() {
        let max = int(i128::from(i32::MAX));
        assert_eq!(eval_binary(BinOp::Add, max, int(1), 32), Ok(int(i128::from(i32::MIN))));
        assert_eq!(eval_binary(BinOp::Add, max, int(1), 64), Ok(int(1 << 31)));
        assert_eq!(eval_binary(BinOp::Mul, int(i128::MAX), int(2), 128), Ok(int(-2)));
        assert_eq!(eval_unary(UnOp::Not, int(0), 64), Ok(int(-1)));
    }

    #[test]
    fn shifts_past_the_width_leave_nothing() {
        assert_eq!(eval_binary(BinOp::Lsr, int(-1), int(60), 64), Ok(int(15)));
        assert_eq!(eval_binary(BinOp::Divu, int(-1), int(1 << 62), 64), Ok(int(3)));
        assert_eq!(eval_binary(BinOp::Divu, int(-1), int(0), 64), Ok(int(0)));
        assert_eq!(eval_binary(BinOp::Remu, int(-1), int(10), 64), Ok(int(5)));
        assert_eq!(eval_binary(BinOp::MulHigh, int(-1), int(2), 64), Ok(int(-1)));
        assert_eq!(eval_binary(BinOp::MulHighu, int(-1), int(2), 64), Ok(int(1)));
        assert_eq!(eval_binary(BinOp::Shl, int(1), int(64), 64), Ok(int(0)));
        assert_eq!(eval_binary(BinOp::Asr, int(-8), int(99), 64), Ok(int(-1)));
    }

    #[test]
    fn unsigned_comparisons_are_at_the_width() {
        assert_eq!(eval_binary(BinOp::Gtu, int(-1), int(1), 32), Ok(int(1)));
        assert_eq!(eval_binary(BinOp::Gt, int(-1), int(1), 32), Ok(int(0)));
        assert_eq!(eval_binary(BinOp::Maxu, int(-1), int(1), 32), Ok(int(-1)));
    }

    #[test]
    fn extensions_and_reversals() {
        assert_eq!(eval_unary(UnOp::SignExtend(8), int(0xff), 64), Ok(int(-1)));
        assert_eq!(eval_unary(UnOp::ZeroExtend(32), int(-1), 64), Ok(int(0xffff_ffff)));
        assert_eq!(
            eval_unary(UnOp::ReverseBytes { bytes: 4, group: 2 }, int(0x1122_3344), 64),
            Ok(int(0x2211_4433))
        );
        assert_eq!(eval_unary(UnOp::ReverseBits(8), int(1), 64), Ok(int(0x80)));
        assert_eq!(eval_unary(UnOp::CountLeadingZeros(32), int(1), 64), Ok(int(31)));
    }

    #[test]
    fn addresses_move_and_compare() {
        assert_eq!(eval_binary(BinOp::Add, int(4), X, 64), Ok(X4));
        assert_eq!(eval_binary(BinOp::Sub, X4, int(4), 64), Ok(X));
        assert_eq!(eval_binary(BinOp::Sub, X4, X, 64), Ok(int(4)));
        assert_eq!(eval_binary(BinOp::Xor, X, X, 64), Ok(int(0)));
        assert_eq!(eval_binary(BinOp::Eq, X, int(0), 64), Ok(int(0)));
        assert_eq!(eval_binary(BinOp::Lt, int(0), X, 64), Ok(int(1)));
        assert_eq!(eval_unary(UnOp::IsZero, X, 64), Ok(int(0)));
    }

    #[test]
    fn other_arithmetic_on_addresses_is_illegal() {
        assert!(eval_binary(BinOp::Add, X, Y, 64).is_err());
        assert!(eval_binary(BinOp::Xor, X, Y, 64).is_err());
        assert!(eval_binary(BinOp::Lt, X, Y, 64).is_err());
        assert!(eval_unary(UnOp::Neg, X, 64).is_err());
    }
}
