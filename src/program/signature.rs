//! Signed pointers (pointer authentication): what their upper bits hold, and which of these may be equal by chance.
//!
//! The field of a pointer is a set of signatures, combined by exclusive or; none: the pointer is canonical. A signature is a function of
//! a key, a modifier and the pointer that nobody knows, so that any two fields may be equal: an execution *assumes* that they
//! are, or that they are not. All assumptions of an execution together are linear equations over signatures, which must have a
//! solution: [`Assumptions`].

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::{Program, Sym, Value};

/// A key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    DA,
    DB,
    IA,
    IB,
}

impl Key {
    /// All of them.
    pub const ALL: [Key; 4] = [Key::DA, Key::DB, Key::IA, Key::IB];

    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        ["da", "db", "ia", "ib"][self as usize]
    }

    /// By its name, in lower or upper case.
    pub fn parse(name: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| key.name() == name.to_ascii_lowercase())
    }

    /// Is it one of the two that are called A?
    fn is_a(self) -> bool {
        matches!(self, Key::DA | Key::IA)
    }
}

/// A pointer without its field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Pointer {
    /// To data.
    Data(Sym, i64),
    /// To an instruction: thread and program counter.
    Code(u16, u16),
}

impl Pointer {
    /// The pointer in a value, if it is one.
    fn of(value: Value) -> Option<Pointer> {
        match value {
            Value::Addr { sym, offset } => Some(Pointer::Data(sym, offset)),
            Value::Code { thread, pc } => Some(Pointer::Code(thread, pc)),
            Value::Signed { of, .. } => Some(of),
            _ => None,
        }
    }

    /// As a canonical pointer.
    pub fn value(self) -> Value {
        match self {
            Pointer::Data(sym, offset) => Value::Addr { sym, offset },
            Pointer::Code(thread, pc) => Value::Code { thread, pc },
        }
    }

    fn offset(self) -> i64 {
        match self {
            Pointer::Data(_, offset) => offset,
            Pointer::Code(..) => 0,
        }
    }

    /// Its name, without an offset.
    fn name(self, program: &Program) -> String {
        match self {
            Pointer::Data(sym, _) => program.symbol(sym).to_string(),
            Pointer::Code(..) => program.show(self.value()),
        }
    }
}

/// A part of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Part {
    /// A signature: of a pointer as it was then, under a key and a modifier.
    Signature(Key, Value, Pointer),
    /// What a failed authentication leaves: never equal to anything else.
    Error(Pointer, bool),
}

impl Part {
    /// The order in which parts are shown and eliminated: by key, modifier as text, offset and name.
    fn order(&self, other: &Part, program: &Program) -> Ordering {
        match (self, other) {
            (Part::Signature(key, modifier, of), Part::Signature(key2, modifier2, of2)) => key
                .cmp(key2)
                .then_with(|| modifier_text(*modifier, program).cmp(&modifier_text(*modifier2, program)))
                .then_with(|| of.offset().cmp(&of2.offset()))
                .then_with(|| of.name(program).cmp(&of2.name(program))),
            (Part::Error(of, a), Part::Error(of2, a2)) => {
                of.name(program).cmp(&of2.name(program)).then(a.cmp(a2))
            }
            (Part::Signature(..), Part::Error(..)) => Ordering::Less,
            (Part::Error(..), Part::Signature(..)) => Ordering::Greater,
        }
    }

    fn name(&self, program: &Program) -> String {
        let (Part::Signature(_, _, of) | Part::Error(of, _)) = self;
        of.name(program)
    }
}

fn modifier_text(modifier: Value, program: &Program) -> String {
    match modifier {
        Value::Int(n) => format!("{:#x}", n as u64),
        other => program.show(other),
    }
}

/// Parts, each once, in the order of their type: a sum.
type Parts = Vec<Part>;

/// The sum of two fields: parts that are in both cancel out.
fn sum(a: &[Part], b: &[Part]) -> Parts {
    let only = |from: &[Part], not: &[Part]| -> Parts {
        from.iter().filter(|part| !not.contains(part)).copied().collect()
    };
    let mut all = only(a, b);
    all.extend(only(b, a));
    all.sort();
    all
}

/// Things that have numbers, the same for the whole process: values are small and must be copied freely.
struct Numbered<T>(Mutex<(Vec<T>, HashMap<T, u32>)>);

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn new() -> Numbered<T> {
        Numbered(Mutex::new((Vec::new(), HashMap::new())))
    }

    fn number(&self, thing: T) -> u32 {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = all.1.get(&thing) {
            return *number;
        }
        let number = all.0.len() as u32;
        all.0.push(thing.clone());
        all.1.insert(thing, number);
        number
    }

    fn get(&self, number: u32) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.get(number as usize).cloned()
    }
}

static FIELDS: LazyLock<Numbered<Parts>> = LazyLock::new(Numbered::new);
static ASSUMED: LazyLock<Numbered<Assumptions>> = LazyLock::new(Numbered::new);

/// The field of a pointer that is not canonical.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Field(u32);

/// The field in a value: nothing for canonical pointers, and for what is no pointer.
fn parts(value: Value) -> Parts {
    match value {
        Value::Signed { field, .. } => FIELDS.get(field.0).unwrap_or_default(),
        _ => Parts::new(),
    }
}

fn with_parts(of: Pointer, parts: Parts) -> Value {
    match parts.is_empty() {
        true => of.value(),
        false => Value::Signed { of, field: Field(FIELDS.number(parts)) },
    }
}

/// The pointer with one more signature. `any`: of a pointer that is signed already, too. None: it cannot be signed.
pub fn sign(pointer: Value, modifier: Value, key: Key, any: bool) -> Option<Value> {
    let of = Pointer::of(pointer)?;
    let old = parts(pointer);
    if !any && !old.is_empty() {
        return None;
    }
    Some(with_parts(of, sum(&old, &[Part::Signature(key, modifier, of)])))
}

/// The pointer without its field; other values are as they are.
pub fn canonical(value: Value) -> Value {
    match value {
        Value::Signed { of, .. } => of.value(),
        other => other,
    }
}

/// What a failed authentication leaves of a pointer.
pub fn with_error(pointer: Value, key: Key) -> Option<Value> {
    let of = Pointer::of(pointer)?;
    let named = match of {
        Pointer::Data(sym, _) => Pointer::Data(sym, 0),
        code @ Pointer::Code(..) => code,
    };
    Some(with_parts(of, vec![Part::Error(named, key.is_a())]))
}

/// The same field on a pointer elsewhere.
pub fn moved(of: Pointer, field: Field, by: i64) -> Value {
    let of = match of {
        Pointer::Data(sym, offset) => Pointer::Data(sym, offset.wrapping_add(by)),
        Pointer::Code(thread, pc) => Pointer::Code(thread, pc.wrapping_add((by / 4) as u16)),
    };
    Value::Signed { of, field }
}

/// Are the values pointers that differ in nothing but their fields?
pub fn may_collide(a: Value, b: Value) -> bool {
    a != b && Pointer::of(a).is_some() && Pointer::of(a) == Pointer::of(b)
}

/// A signed pointer as it is shown.
pub fn show(of: Pointer, field: Field, program: &Program) -> String {
    let mut parts = FIELDS.get(field.0).unwrap_or_default();
    parts.sort_by(|a, b| a.order(b, program));
    nested(&parts, &of.name(program), of.offset(), program)
}

/// Signatures around each other, and an offset.
fn nested(parts: &[Part], name: &str, offset: i64, program: &Program) -> String {
    let (text, rest) = match parts.split_first() {
        None => (name.to_string(), offset),
        Some((Part::Signature(key, modifier, of), inner)) => {
            let inner = nested(inner, name, of.offset(), program);
            let modifier = modifier_text(*modifier, program);
            (format!("pac{}({inner},{modifier})", key.name()), offset - of.offset())
        }
        Some((Part::Error(_, a), inner)) => {
            let inner = nested(inner, name, 0, program);
            (format!("non-canonical({inner},{})", if *a { "A" } else { "B" }), offset)
        }
    };
    if rest == 0 { text } else { format!("{text}{rest:+}") }
}

/// What an execution assumes of signatures: some are sums of others, some sums are not zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Assumptions {
    /// Signatures that are known by others: those of the right sides are on no left side. Sorted by the order of their type.
    equal: Vec<(Part, Parts)>,
    /// Sums that are not zero, as many as have been assumed. Sorted.
    unequal: Vec<Parts>,
}

impl Assumptions {
    /// Those of a number.
    pub fn of(number: i128) -> Assumptions {
        u32::try_from(number).ok().and_then(|number| ASSUMED.get(number)).unwrap_or_default()
    }

    /// Their number.
    pub fn number(&self) -> i128 {
        ASSUMED.number(self.clone()).into()
    }

    /// A sum, as far as it can be told by others.
    fn reduced(&self, parts: &[Part]) -> Parts {
        let known = parts.iter().filter_map(|part| self.equal.iter().find(|(left, _)| left == part));
        known.fold(parts.to_vec(), |all, (left, right)| sum(&sum(&all, &[*left]), right))
    }

    /// Are the two values the same, as far as is assumed?
    pub fn holds(&self, a: Value, b: Value) -> bool {
        a == b || may_collide(a, b) && self.reduced(&sum(&parts(a), &parts(b))).is_empty()
    }

    /// Assumes that two values are the same, or that they are not. `false`: they cannot be.
    #[must_use]
    pub fn assume(&mut self, a: Value, b: Value, same: bool, program: &Program) -> bool {
        if !may_collide(a, b) {
            return (a == b) == same;
        }
        let all = self.reduced(&sum(&parts(a), &parts(b)));
        if !same {
            let possible = !all.is_empty();
            self.unequal.push(all);
            self.unequal.sort();
            return possible;
        }
        let signatures = all.iter().filter(|part| matches!(part, Part::Signature(..)));
        let Some(least) = signatures.min_by(|a, b| a.order(b, program)).copied() else {
            return all.is_empty();
        };
        let right = sum(&all, &[least]);
        let replace = |parts: &Parts| match parts.contains(&least) {
            true => sum(&sum(parts, &[least]), &right),
            false => parts.clone(),
        };
        self.equal.iter_mut().for_each(|(_, parts)| *parts = replace(parts));
        self.equal.push((least, right.clone()));
        self.equal.sort();
        self.unequal.iter_mut().for_each(|parts| *parts = replace(parts));
        self.unequal.sort();
        !self.unequal.iter().any(Vec::is_empty)
    }

    /// The equations, in the order of their left sides.
    fn equations(&self, program: &Program) -> Vec<(Part, Parts)> {
        let mut all = self.equal.clone();
        all.sort_by(|(a, _), (b, _)| a.order(b, program));
        all.iter_mut().for_each(|(_, right)| right.sort_by(|a, b| a.order(b, program)));
        all
    }

    /// The equations as state lines show them, the last one first.
    pub fn show(&self, program: &Program) -> Vec<String> {
        let side = |parts: &[Part], name: &str| nested(parts, name, 0, program);
        let line = |(left, right): &(Part, Parts)| {
            let name = left.name(program);
            format!("{}={}", side(&[*left], &name), side(right, &name))
        };
        self.equations(program).iter().rev().map(line).collect()
    }

    /// How state lines are ordered: by their equations.
    pub fn order(&self, other: &Assumptions, program: &Program) -> Ordering {
        let sides = |a: &[Part], b: &[Part]| {
            let pairs = a.iter().zip(b).map(|(a, b)| a.order(b, program));
            pairs.into_iter().find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
        };
        let (own, its) = (self.equations(program), other.equations(program));
        let pairs =
            own.iter().zip(&its).map(|((a, x), (b, y))| a.order(b, program).then_with(|| sides(x, y)));
        let first = pairs.into_iter().find(|order| order.is_ne());
        first.unwrap_or(own.len().cmp(&its.len())).then_with(|| self.unequal.cmp(&other.unequal))
    }
}
