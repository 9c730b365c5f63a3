//! Conditions over final states, resolved: no names left.

use crate::program::signature::may_collide;
use crate::program::{Assumptions, LocId, Program, Reg, Type, Value};

/// Something that a final state has a value for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Observable {
    /// A register of a thread.
    Reg(u16, Reg),
    /// A memory cell.
    Loc(LocId),
    /// Did a fault happen that a pattern of the program asks for?
    Fault(u16),
    /// All faults that the patterns of the program ask for, as a set.
    Faults,
    /// What the execution assumes of signatures, by number (see [`Assumptions`]); negative: what cannot be.
    Assumed,
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
#[non_exhaustive]
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
                same(ty.truncate(value(*left)), ty.truncate(*right), value)
            }
            Prop::Atom(Atom::Same { left, ty, right }) => {
                same(ty.truncate(value(*left)), ty.truncate(value(*right)), value)
            }
            Prop::Not(p) => !p.holds(value),
            Prop::And(ps) => ps.iter().all(|p| p.holds(value)),
            Prop::Or(ps) => ps.iter().any(|p| p.holds(value)),
            Prop::Implies(a, b) => !a.holds(value) || b.holds(value),
        }
    }
}

/// Are two final values the same? Signed pointers may be by an assumption of the execution.
fn same(a: Value, b: Value, value: &impl Fn(Observable) -> Value) -> bool {
    a == b
        || may_collide(a, b) && Assumptions::of(value(Observable::Assumed).as_int().unwrap_or(0)).holds(a, b)
}

impl Prop {
    /// Under which assumptions on signatures it is true (if `holds`), or false: each once, in no order that matters.
    /// Comparisons with signed pointers may need one more assumption, or several.
    pub fn assumptions(
        &self,
        holds: bool,
        given: &Assumptions,
        value: &impl Fn(Observable) -> Value,
        program: &Program,
    ) -> Vec<Assumptions> {
        let atom = |a: Value, b: Value| {
            let mut assumed = given.clone();
            assumed.assume(a, b, holds, program).then_some(assumed).into_iter().collect()
        };
        let either = |parts: &mut dyn Iterator<Item = (&Prop, bool)>| {
            let mut all: Vec<Assumptions> = Vec::new();
            for (part, holds) in parts {
                for assumed in part.assumptions(holds, given, value, program) {
                    if !all.contains(&assumed) {
                        all.push(assumed);
                    }
                }
            }
            all
        };
        let both = |parts: &mut dyn Iterator<Item = (&Prop, bool)>| {
            let mut all = vec![given.clone()];
            for (part, holds) in parts {
                let mut next: Vec<Assumptions> = Vec::new();
                for assumed in all.iter().flat_map(|given| part.assumptions(holds, given, value, program)) {
                    if !next.contains(&assumed) {
                        next.push(assumed);
                    }
                }
                all = next;
            }
            all
        };
        match (self, holds) {
            (Prop::Atom(Atom::Equals { left, ty, value: right }), _)
                if !matches!(left, Observable::Fault(_) | Observable::Faults) =>
            {
                atom(ty.truncate(value(*left)), ty.truncate(*right))
            }
            (Prop::Atom(Atom::Same { left, ty, right }), _) => {
                atom(ty.truncate(value(*left)), ty.truncate(value(*right)))
            }
            (Prop::Not(inner), _) => inner.assumptions(!holds, given, value, program),
            (Prop::And(parts), true) | (Prop::Or(parts), false) => {
                both(&mut parts.iter().map(|part| (part, holds)))
            }
            (Prop::And(parts), false) | (Prop::Or(parts), true) => {
                either(&mut parts.iter().map(|part| (part, holds)))
            }
            (Prop::Implies(a, b), true) => either(&mut [(&**a, false), (&**b, true)].into_iter()),
            (Prop::Implies(a, b), false) => both(&mut [(&**a, true), (&**b, false)].into_iter()),
            (Prop::True | Prop::False | Prop::Atom(_), _) => match self.holds(value) == holds {
                true => vec![given.clone()],
                false => Vec::new(),
            },
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
        Observable::Fault(_) | Observable::Faults | Observable::Assumed => Type { bytes: 16, signed: true },
    }
}
