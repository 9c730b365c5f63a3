//! What a run asks of final states (`filter`, the condition in mode *check*), as constraints on values.
//!
//! Known early they refute candidates early; whatever cannot be said here is looked at when an execution is complete.

use super::{Mode, Options};
use crate::condition::{Atom, Observable, Prop, Quantifier};
use crate::execution::{SymVal, World};
use crate::litmus::Lowered;
use crate::program::{BinOp, LocId, Type, UnOp, Value, wrap};

/// Requirements on the final state of every execution asked for.
#[derive(Default)]
pub(super) struct Goal {
    /// Values that must be non-zero (`true`) or zero (`false`).
    pub constraints: Vec<(SymVal, bool)>,
    /// Cells that must, or must not, end with a value (of a type).
    pub cells: Vec<(LocId, Type, Value, bool)>,
}

/// The requirements of a run in one world.
pub(super) fn goal(test: &Lowered, options: &Options, world: &World) -> Goal {
    // Whether signed pointers are what the condition wants may be a matter of assumptions.
    if test.program.machine.signs {
        return Goal::default();
    }
    let mut cx = Collector { world, bits: test.program.bits, goal: Goal::default() };
    if let Some(filter) = &test.filter {
        cx.require(filter, true);
    }
    if options.speedcheck || options.mode == Mode::Check {
        cx.require(&test.condition.prop, test.condition.quantifier != Quantifier::Forall);
    }
    cx.goal
}

struct Collector<'c> {
    world: &'c World,
    bits: u32,
    goal: Goal,
}

impl Collector<'_> {
    /// Takes the parts of a proposition that must all have one truth value.
    fn require(&mut self, prop: &Prop, expected: bool) {
        match (prop, expected) {
            (Prop::And(parts), true) | (Prop::Or(parts), false) => {
                parts.iter().for_each(|part| self.require(part, expected));
            }
            (Prop::Not(inner), _) => self.require(inner, !expected),
            (Prop::Implies(a, b), false) => {
                self.require(a, true);
                self.require(b, false);
            }
            (Prop::Atom(Atom::Equals { left: Observable::Loc(loc), ty, value }), _) => {
                // A cell that is cut up is looked at in the end.
                let places = self.world.cells.of(*loc);
                if places.len() == 1 {
                    let place = LocId(places.start as u16);
                    self.goal.cells.push((place, *ty, ty.truncate(*value), expected));
                }
            }
            (Prop::Atom(Atom::Equals { left: left @ Observable::Reg(..), ty, value }), _) => {
                let right = SymVal::Known(self.constant(*ty, *value));
                self.equal(*left, *ty, right, expected);
            }
            (Prop::Atom(Atom::Same { left, ty, right }), _) => {
                if let (Observable::Reg(..), Some(right)) = (left, self.register(*right)) {
                    let right = self.truncated(right, *ty);
                    self.equal(*left, *ty, right, expected);
                }
            }
            _ => {}
        }
    }

    fn equal(&mut self, left: Observable, ty: Type, right: SymVal, expected: bool) {
        if let Some(left) = self.register(left) {
            let left = self.truncated(left, ty);
            let same = SymVal::binary(BinOp::Eq, left, right, self.bits);
            self.goal.constraints.push((same, expected));
        }
    }

    /// The final value of a register.
    fn register(&self, observable: Observable) -> Option<SymVal> {
        let Observable::Reg(thread, reg) = observable else { return None };
        let own = self.world.final_regs.iter().find(|((t, r), _)| *t == usize::from(thread) && *r == reg);
        Some(own.map_or(SymVal::ZERO, |(_, value)| value.clone()))
    }

    /// The value as conditions compare it: cut to its type, then kept as registers keep numbers.
    fn truncated(&self, value: SymVal, ty: Type) -> SymVal {
        let bits = 8 * u32::from(ty.bytes);
        match value {
            SymVal::Known(value) => SymVal::Known(self.constant(ty, value)),
            value if bits >= self.bits => value,
            value if ty.signed => SymVal::unary(UnOp::SignExtend(bits as u8), value, self.bits),
            value => SymVal::unary(UnOp::ZeroExtend(bits as u8), value, self.bits),
        }
    }

    fn constant(&self, ty: Type, value: Value) -> Value {
        match ty.truncate(value) {
            Value::Int(n) => Value::Int(wrap(n, self.bits)),
            address => address,
        }
    }
}
