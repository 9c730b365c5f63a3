//! Conditions over final states, resolved: no names left.

use crate::program::{LocId, Program, Reg, Type, Value};

/// Something that a final state has a value for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Observable {
    /// A register of a thread.
    Reg(u16, Reg),
    /// A memory cell.
    Loc(LocId),
    /// Did a fault happen that a pattern of the program asks for?
    Fault(u16),
    /// All faults that the patterns of the program ask for, as a set.
    Faults,
}

/// The shape of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// `exists`.
    Exists,
    /// `~exists`.
    NotExists,
    /// `forall`.
    Forall,
}

/// An atomic proposition. Both sides are compared after truncation to `ty`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// `x = 1`, `0:X1 = x`.
    Equals {
        /// The left side.
        left: Observable,
        /// Its declared type.
        ty: Type,
        /// The right side.
        value: Value,
    },
    /// `0:X1 = 1:X2`, `x = [y]`.
    Same {
        /// The left side.
        left: Observable,
        /// Its declared type.
        ty: Type,
        /// The right side.
        right: Observable,
    },
}

/// A proposition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prop {
    True,
    False,
    Atom(Atom),
    Not(Box<Prop>),
    And(Vec<Prop>),
    Or(Vec<Prop>),
    Implies(Box<Prop>, Box<Prop>),
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Its shape.
    pub quantifier: Quantifier,
    /// What it says.
    pub prop: Prop,
}

impl Prop {
    /// Does it hold, where `value` gives the final values?
    pub fn holds(&self, value: &impl Fn(Observable) -> Value) -> bool {
        match self {
            Prop::True => true,
            Prop::False => false,
            Prop::Atom(Atom::Equals { left, ty, value: right }) => {
                ty.truncate(value(*left)) == ty.truncate(*right)
            }
            Prop::Atom(Atom::Same { left, ty, right }) => {
                ty.truncate(value(*left)) == ty.truncate(value(*right))
            }
            Prop::Not(p) => !p.holds(value),
            Prop::And(ps) => ps.iter().all(|p| p.holds(value)),
            Prop::Or(ps) => ps.iter().any(|p| p.holds(value)),
            Prop::Implies(a, b) => !a.holds(value) || b.holds(value),
        }
    }
}

/// The declared type of something observed: `int` unless the test says otherwise.
pub fn type_of(program: &Program, observable: Observable) -> Type {
    match observable {
        Observable::Reg(thread, reg) => {
            let declared = program.reg_types.iter().find(|(t, r, _)| (*t, *r) == (thread as usize, reg));
            declared.map_or(Type::INT, |(_, _, ty)| *ty)
        }
        Observable::Loc(loc) => program.locations.get(loc.0 as usize).map_or(Type::INT, |l| l.ty),
        Observable::Fault(_) | Observable::Faults => Type { bytes: 16, signed: true },
    }
}
