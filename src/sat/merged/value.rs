//! What registers and cells hold: a number made of bits, or one of a few addresses.

use std::rc::Rc;

use super::bits::{Bits, Gates, bit, negated, shorten};
use crate::program::{BinOp, UnOp, Value, eval_binary, eval_unary};
use crate::sat::solver::{Lit, Solver};

/// The offset of an address that lies in no cell of its object.
pub const OUTSIDE: i64 = i64::MIN;

/// More addresses than this at once are not looked at.
const MANY: usize = 256;

/// A value that follows from the choices of the solver.
#[derive(Clone, Debug)]
pub struct Sv {
    kind: Kind,
    /// Where this is true, it is a variable that was never written.
    pub undefined: Lit,
}

#[derive(Clone, Debug)]
enum Kind {
    Int(Rc<Bits>),
    /// One of these, as the literals say.
    Cases(Rc<Vec<(Lit, Value)>>),
    /// A number on one way and an address on another: nothing that can be worked with.
    Mixed,
}

/// What bits cannot say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotInBits(pub &'static str);

type Made = Result<Sv, NotInBits>;

impl Sv {
    pub fn int(bits: Bits, no: Lit) -> Sv {
        Sv { kind: Kind::Int(Rc::new(bits)), undefined: no }
    }

    pub fn constant(value: Value, gates: &Gates) -> Sv {
        match value {
            Value::Int(n) => Sv::int(gates.number(n), gates.no),
            other => Sv { kind: Kind::Cases(Rc::new(vec![(gates.yes, other)])), undefined: gates.no },
        }
    }

    pub fn truth(literal: Lit, gates: &Gates) -> Sv {
        let mut bits = vec![literal, gates.no];
        shorten(&mut bits);
        Sv::int(bits, gates.no)
    }

    pub fn cases(cases: Vec<(Lit, Value)>, gates: &mut Gates) -> Sv {
        // Each value once.
        let mut each: Vec<(Lit, Value)> = Vec::new();
        for (literal, value) in cases {
            if literal == gates.no {
                continue;
            }
            match each.iter().position(|(_, known)| *known == value) {
                Some(at) => each[at].0 = gates.or(each[at].0, literal),
                None => each.push((literal, value)),
            }
        }
        let numbers = each.iter().all(|(_, value)| value.as_int().is_some());
        if !numbers || each.is_empty() {
            return Sv { kind: Kind::Cases(Rc::new(each)), undefined: gates.no };
        }
        let mut all: Option<Bits> = None;
        for (literal, value) in each {
            let bits = gates.number(value.as_int().unwrap_or(0));
            all = Some(match all {
                None => bits,
                Some(others) => gates.choose_bits(literal, &bits, &others),
            });
        }
        Sv::int(all.unwrap_or_default(), gates.no)
    }

    /// What nobody may look at.
    pub fn mixed(gates: &Gates) -> Sv {
        Sv { kind: Kind::Mixed, undefined: gates.no }
    }

    pub fn is_mixed(&self) -> bool {
        matches!(self.kind, Kind::Mixed)
    }

    /// Its bits, if it is a number.
    pub fn bits(&self) -> Option<&Bits> {
        match &self.kind {
            Kind::Int(bits) => Some(bits),
            Kind::Cases(_) | Kind::Mixed => None,
        }
    }

    /// The values that it may have, if these are few.
    pub fn listed(&self, gates: &Gates) -> Option<Vec<(Lit, Value)>> {
        match &self.kind {
            Kind::Int(bits) => gates.constant(bits).map(|n| vec![(gates.yes, Value::Int(n))]),
            Kind::Cases(cases) => Some(cases.to_vec()),
            Kind::Mixed => None,
        }
    }

    /// The value, if it is known.
    pub fn known(&self, gates: &Gates) -> Option<Value> {
        match self.listed(gates)?.as_slice() {
            [(_, value)] => Some(*value),
            _ => None,
        }
    }

    /// What it is in the assignment found last.
    pub fn value(&self, gates: &Gates) -> Option<Value> {
        match &self.kind {
            Kind::Int(bits) => Some(Value::Int(gates.value(bits))),
            Kind::Cases(cases) => {
                cases.iter().find(|(literal, _)| gates.solver.is_true(*literal)).map(|(_, value)| *value)
            }
            Kind::Mixed => None,
        }
    }

    /// Is it not zero?
    pub fn holds(&self, gates: &mut Gates) -> Lit {
        match &self.kind {
            Kind::Int(bits) => gates.some_bit(bits),
            Kind::Cases(cases) => {
                let others = cases.iter().filter(|(_, value)| *value != Value::ZERO);
                gates.any(others.map(|(literal, _)| *literal).collect::<Vec<_>>())
            }
            Kind::Mixed => gates.no,
        }
    }

    pub fn also_undefined(mut self, more: Lit, gates: &mut Gates) -> Sv {
        self.undefined = gates.or(self.undefined, more);
        self
    }
}

/// The first where the condition is true, else the second.
pub fn choose(gates: &mut Gates, condition: Lit, then: &Sv, otherwise: &Sv) -> Made {
    let undefined = gates.choose(condition, then.undefined, otherwise.undefined);
    let kind = match (&then.kind, &otherwise.kind) {
        (Kind::Int(a), Kind::Int(b)) if Rc::ptr_eq(a, b) || a == b => then.kind.clone(),
        (Kind::Cases(a), Kind::Cases(b)) if Rc::ptr_eq(a, b) => then.kind.clone(),
        (Kind::Int(a), Kind::Int(b)) => Kind::Int(Rc::new(gates.choose_bits(condition, a, b))),
        // What was never written is anything.
        (kind, _) if otherwise.undefined == gates.yes => kind.clone(),
        (_, kind) if then.undefined == gates.yes => kind.clone(),
        _ => {
            let (Some(a), Some(b)) = (then.listed(gates), otherwise.listed(gates)) else {
                return Err(NotInBits("a value that is an address on one way and a number on another"));
            };
            let mut cases: Vec<(Lit, Value)> =
                a.into_iter().map(|(literal, value)| (gates.and(condition, literal), value)).collect();
            cases.extend(b.into_iter().map(|(literal, value)| (gates.and(!condition, literal), value)));
            Sv::cases(cases, gates).kind
        }
    };
    Ok(Sv { kind, undefined })
}

pub fn unary(gates: &mut Gates, op: UnOp, a: &Sv) -> Made {
    if op == UnOp::EntryOf {
        return Ok(Sv { undefined: gates.yes, ..Sv::constant(Value::ZERO, gates) });
    }
    let undefined = a.undefined;
    let made = match &a.kind {
        Kind::Int(bits) => {
            if let Some(n) = gates.constant(bits) {
                let value = eval_unary(op, Value::Int(n), gates.width as u32);
                Sv::constant(value.map_err(|_| NotInBits("an operation without meaning"))?, gates)
            } else {
                Sv::int(unary_bits(gates, op, bits)?, gates.no)
            }
        }
        Kind::Cases(cases) => {
            let width = gates.width as u32;
            let mut made = Vec::new();
            for (literal, value) in cases.iter() {
                if is_outside(*value) {
                    return Err(NotInBits("an address computed from a value that is not known"));
                }
                let value =
                    eval_unary(op, *value, width).map_err(|_| NotInBits("an operation without meaning"))?;
                made.push((*literal, value));
            }
            Sv::cases(made, gates)
        }
        Kind::Mixed => {
            return Err(NotInBits("a value that is an address on one way and a number on another"));
        }
    };
    Ok(made.also_undefined(undefined, gates))
}

fn unary_bits(gates: &mut Gates, op: UnOp, bits: &Bits) -> Result<Bits, NotInBits> {
    let width = gates.width;
    let mut made = match op {
        UnOp::Not => negated(bits),
        UnOp::Neg => {
            let zero = gates.number(0);
            gates.sub(&zero, bits)
        }
        UnOp::IsZero => vec![!gates.some_bit(bits), gates.no],
        UnOp::SignExtend(low) => (0..usize::from(low).clamp(1, width)).map(|at| bit(bits, at)).collect(),
        UnOp::ZeroExtend(low) if usize::from(low) < width => {
            (0..usize::from(low)).map(|at| bit(bits, at)).chain([gates.no]).collect()
        }
        UnOp::ZeroExtend(_) | UnOp::Offset => bits.clone(),
        UnOp::Bit(at) => vec![bit(bits, usize::from(at)), gates.no],
        UnOp::WithLow { bits: low, value } => {
            let n = bits.len().max(usize::from(low) + 1);
            (0..n)
                .map(|at| match at < usize::from(low) {
                    true => gates.literal(value >> at.min(7) & 1 == 1),
                    false => bit(bits, at),
                })
                .collect()
        }
        _ => return Err(NotInBits("an operation on bits that are not known")),
    };
    shorten(&mut made);
    Ok(made)
}

fn is_outside(value: Value) -> bool {
    matches!(value, Value::Addr { offset: OUTSIDE, .. })
}

pub fn binary(gates: &mut Gates, op: BinOp, a: &Sv, b: &Sv) -> Made {
    let undefined = gates.or(a.undefined, b.undefined);
    let made = match (&a.kind, &b.kind) {
        (Kind::Int(x), Kind::Int(y)) => numbers(gates, op, x, y)?,
        _ => addresses(gates, op, a, b)?,
    };
    Ok(made.also_undefined(undefined, gates))
}

fn numbers(gates: &mut Gates, op: BinOp, a: &Bits, b: &Bits) -> Made {
    if let (Some(a), Some(b)) = (gates.constant(a), gates.constant(b)) {
        let value = eval_binary(op, Value::Int(a), Value::Int(b), gates.width as u32);
        return Ok(Sv::constant(value.map_err(|_| NotInBits("an operation without meaning"))?, gates));
    }
    let truth = |literal: Lit, gates: &Gates| Ok(Sv::truth(literal, gates));
    let no = gates.no;
    let bits = match op {
        BinOp::Add => gates.add(a, b, no),
        BinOp::Sub => gates.sub(a, b),
        BinOp::Mul => gates.multiply(a, b),
        BinOp::Div => gates.divide(a, b, true).0,
        BinOp::Rem => gates.divide(a, b, true).1,
        BinOp::Divu => gates.divide(a, b, false).0,
        BinOp::Remu => gates.divide(a, b, false).1,
        BinOp::And => gates.each(a, b, Gates::and),
        BinOp::Or => gates.each(a, b, Gates::or),
        BinOp::Xor => gates.each(a, b, Gates::xor),
        BinOp::AndNot => gates.each(a, &negated(b), Gates::and),
        BinOp::Shl => gates.shifted(a, b, true, Some(no)),
        BinOp::Lsr => gates.shifted(a, b, false, Some(no)),
        BinOp::Asr => gates.shifted(a, b, false, None),
        BinOp::Eq | BinOp::Ne => {
            let same = gates.equal(a, b);
            return truth(if op == BinOp::Eq { same } else { !same }, gates);
        }
        BinOp::Lt | BinOp::Ge => {
            let less = gates.less(a, b);
            return truth(if op == BinOp::Lt { less } else { !less }, gates);
        }
        BinOp::Gt | BinOp::Le => {
            let less = gates.less(b, a);
            return truth(if op == BinOp::Gt { less } else { !less }, gates);
        }
        BinOp::Ltu | BinOp::Geu => {
            let less = gates.less_unsigned(a, b);
            return truth(if op == BinOp::Ltu { less } else { !less }, gates);
        }
        BinOp::Gtu | BinOp::Leu => {
            let less = gates.less_unsigned(b, a);
            return truth(if op == BinOp::Gtu { less } else { !less }, gates);
        }
        BinOp::Min | BinOp::Max => {
            let less = gates.less(a, b);
            gates.choose_bits(if op == BinOp::Min { less } else { !less }, a, b)
        }
        BinOp::Minu | BinOp::Maxu => {
            let less = gates.less_unsigned(a, b);
            gates.choose_bits(if op == BinOp::Minu { less } else { !less }, a, b)
        }
        _ => {
            return Err(NotInBits("the upper half of a product of values that are not known"));
        }
    };
    Ok(Sv::int(bits, no))
}

fn addresses(gates: &mut Gates, op: BinOp, a: &Sv, b: &Sv) -> Made {
    let width = gates.width as u32;
    if let (Some(left), Some(right)) = (a.listed(gates), b.listed(gates)) {
        if left.len() * right.len() > MANY {
            return Err(NotInBits("too many addresses"));
        }
        let mut made = Vec::new();
        for (first, x) in &left {
            for (second, y) in &right {
                let both = gates.and(*first, *second);
                if both == gates.no {
                    continue;
                }
                if is_outside(*x) || is_outside(*y) {
                    return Err(NotInBits("an address computed from a value that is not known"));
                }
                let value =
                    eval_binary(op, *x, *y, width).map_err(|_| NotInBits("an operation without meaning"))?;
                made.push((both, value));
            }
        }
        return Ok(Sv::cases(made, gates));
    }
    // An address and a number that is not known: no address is a number.
    let (cases, bits) = match (&a.kind, &b.kind) {
        (Kind::Cases(cases), Kind::Int(bits)) | (Kind::Int(bits), Kind::Cases(cases)) => (cases, bits),
        _ => return Err(NotInBits("an operation on addresses")),
    };
    match op {
        BinOp::Eq | BinOp::Ne => {
            let mut same = gates.no;
            for (literal, value) in cases.iter() {
                if let Value::Int(n) = value {
                    let number = gates.number(*n);
                    let equal = gates.equal(bits, &number);
                    let both = gates.and(*literal, equal);
                    same = gates.or(same, both);
                }
            }
            Ok(Sv::truth(if op == BinOp::Eq { same } else { !same }, gates))
        }
        _ => Err(NotInBits("an address moved by a value that is not known")),
    }
}

/// An address moved by a number that is not known: to one of these offsets from the object's beginning, or outside of it.
pub fn moved(
    gates: &mut Gates,
    base: &Sv,
    by: &Sv,
    minus: bool,
    offsets: &dyn Fn(crate::program::Sym) -> Vec<i64>,
) -> Made {
    let (Some(cases), Some(bits)) = (base.listed(gates), by.bits().cloned()) else {
        return Err(NotInBits("an address moved by a value that is not known"));
    };
    let undefined = gates.or(base.undefined, by.undefined);
    let mut made = Vec::new();
    for (literal, value) in cases {
        let Value::Addr { sym, offset } = value else {
            return Err(NotInBits("what is no address moved by a value that is not known"));
        };
        let mut inside = gates.no;
        for to in offsets(sym) {
            let distance = i128::from(to) - i128::from(offset);
            let number = gates.number(if minus { -distance } else { distance });
            let there = gates.equal(&bits, &number);
            let here = gates.and(literal, there);
            inside = gates.or(inside, there);
            made.push((here, Value::Addr { sym, offset: to }));
        }
        let out = gates.and(literal, !inside);
        made.push((out, Value::Addr { sym, offset: OUTSIDE }));
    }
    if made.len() > MANY {
        return Err(NotInBits("too many addresses"));
    }
    Ok(Sv::cases(made, gates).also_undefined(undefined, gates))
}
