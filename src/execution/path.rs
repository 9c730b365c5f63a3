//! One way through one thread, with what it assumes about the values read.

use crate::diag::Diagnostic;
use crate::program::{BinOp, Property, Reg, UnOp, Value};
use crate::source::Span;

use super::edges::Edges;
use super::{Cut, Event, SymVal};

/// A finished path of a thread. Events are numbered from 0 in the order they were made; symbolic values name reads by
/// those numbers.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The events, in the order they were made.
    pub events: Vec<Event>,
    /// What its instructions settle among them.
    pub edges: Edges,
    /// What the path assumes.
    pub constraints: Constraints,
    /// Values that it assumes to be equal by a collision of their signatures, or not to be.
    pub collisions: Vec<(SymVal, SymVal, bool)>,
    /// The final value of each register that the thread wrote, or that starts non-zero.
    pub final_regs: Vec<(Reg, SymVal)>,
    /// The faults on it that the test asks for, by number.
    pub faults: Vec<usize>,
    /// The loop that was cut off at the end of this path.
    pub cut: Option<Cut>,
    /// What an execution that takes this path does wrong.
    pub violations: Vec<Violation>,
    /// Did the last of them end the thread?
    pub aborted: bool,
    /// What an execution that takes this path asks for and cannot be given.
    pub error: Option<Diagnostic>,
}

/// A property of the program that some execution violates, and where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Violation {
    /// The statement.
    pub place: Span,
    /// What it does.
    pub property: Property,
}

impl Violation {
    /// What the user is told.
    pub fn warning(&self) -> Diagnostic {
        let (code, message, here) = match &self.property {
            Property::Assertion(text) => {
                ("execution::assertion", "an execution violates an assertion", format!("`{text}` is false"))
            }
            Property::Arithmetic(text) => {
                ("execution::arithmetic", "an execution computes what has no result", text.clone())
            }
            Property::Null => {
                ("execution::null-pointer", "an execution follows a null pointer", "this access".to_string())
            }
            Property::Uninitialised => (
                "execution::uninitialised",
                "an execution reads a variable that it has not written",
                "read here, and taken to be 0".to_string(),
            ),
            other => ("execution::outside", "an execution accesses no object of the test", other.to_string()),
        };
        let warning = Diagnostic::warning(code, message).at(self.place, here);
        if self.property == Property::Uninitialised {
            return warning;
        }
        warning.note("executions that do this have no final state: they are not among the outcomes")
    }
}

/// What a path assumes: values that must be non-zero (`true`) or zero (`false`).
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    list: Vec<(SymVal, bool)>,
    /// What follows from the list: symbolic values that are known here.
    facts: Vec<(SymVal, Value)>,
}

impl Constraints {
    /// All of them, in the order they were met.
    pub fn list(&self) -> &[(SymVal, bool)] {
        &self.list
    }

    /// The same constraints on other values.
    pub fn map(&self, f: &impl Fn(&SymVal) -> SymVal) -> Constraints {
        let list = self.list.iter().map(|(value, holds)| (f(value), *holds)).collect();
        Constraints { list, facts: Vec::new() }
    }

    /// The value as far as it is known here.
    pub fn fold(&self, value: &SymVal, bits: u32) -> SymVal {
        if self.facts.is_empty() || value.known().is_some() {
            return value.clone();
        }
        if let Some((_, known)) = self.facts.iter().find(|(v, _)| v == value) {
            return SymVal::Known(*known);
        }
        match value {
            SymVal::Known(_) | SymVal::Read(_) => value.clone(),
            SymVal::Unary(op, a) => SymVal::unary(*op, self.fold(a, bits), bits),
            SymVal::Binary(op, a, b) => SymVal::binary(*op, self.fold(a, bits), self.fold(b, bits), bits),
        }
    }

    /// Is the condition known to hold, or known not to?
    pub fn decide(&self, condition: &SymVal, bits: u32) -> Option<bool> {
        let (condition, wanted) = normal(condition, true, bits);
        if let Some((_, holds)) = self.list.iter().find(|(c, _)| *c == condition) {
            return Some(*holds == wanted);
        }
        self.fold(&condition, bits).known().map(|value| (value != Value::ZERO) == wanted)
    }

    /// Assumes that `condition` is non-zero (or zero, if `holds` is false). `false`: that contradicts what is assumed already.
    #[must_use]
    pub fn assume(&mut self, condition: &SymVal, holds: bool, bits: u32) -> bool {
        if let Some(known) = self.decide(condition, bits) {
            return known == holds;
        }
        let (condition, holds) = normal(condition, holds, bits);
        match (&condition, holds) {
            (SymVal::Binary(BinOp::Eq, a, b), true) => {
                if let Some(value) = b.known() {
                    self.facts.push(((**a).clone(), value));
                } else if let Some(value) = a.known() {
                    self.facts.push(((**b).clone(), value));
                }
            }
            (_, false) => self.facts.push((condition.clone(), Value::ZERO)),
            (_, true) => {}
        }
        self.list.push((condition, holds));
        true
    }
}

/// One spelling for conditions that say the same.
fn normal(condition: &SymVal, holds: bool, bits: u32) -> (SymVal, bool) {
    match condition {
        SymVal::Unary(UnOp::IsZero, a) => normal(a, !holds, bits),
        SymVal::Binary(BinOp::Ne, a, b) => (SymVal::Binary(BinOp::Eq, a.clone(), b.clone()), !holds),
        SymVal::Binary(BinOp::Sub | BinOp::Xor, a, b) => {
            normal(&SymVal::binary(BinOp::Eq, (**a).clone(), (**b).clone(), bits), !holds, bits)
        }
        _ => (condition.clone(), holds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eq(read: u32, n: i128) -> SymVal {
        SymVal::binary(BinOp::Eq, SymVal::Read(read), Value::Int(n).into(), 64)
    }

    #[test]
    fn a_condition_met_again_is_known() {
        let mut constraints = Constraints::default();
        assert!(constraints.assume(&eq(0, 1), false, 64));
        assert_eq!(constraints.decide(&eq(0, 1), 64), Some(false));
        let ne = SymVal::binary(BinOp::Ne, SymVal::Read(0), Value::ONE.into(), 64);
        assert_eq!(constraints.decide(&ne, 64), Some(true));
        assert_eq!(constraints.decide(&eq(1, 1), 64), None);
    }

    #[test]
    fn an_equality_decides_others() {
        let mut constraints = Constraints::default();
        assert!(constraints.assume(&eq(0, 1), true, 64));
        assert_eq!(constraints.decide(&eq(0, 2), 64), Some(false));
        let sum = SymVal::binary(BinOp::Add, SymVal::Read(0), SymVal::Read(0), 64);
        assert_eq!(constraints.fold(&sum, 64), SymVal::Known(Value::Int(2)));
        assert!(!constraints.assume(&eq(0, 2), true, 64));
        assert_eq!(constraints.list().len(), 1);
    }

    #[test]
    fn a_zero_is_a_fact() {
        let mut constraints = Constraints::default();
        assert!(constraints.assume(&SymVal::Read(3), false, 64));
        assert_eq!(constraints.decide(&eq(3, 1), 64), Some(false));
    }
}
