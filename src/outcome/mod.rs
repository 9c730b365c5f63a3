//! Outcomes: final states, conditions and verdicts.

mod condition;

pub use condition::{Atom, Condition, Observable, Prop, Quantifier};
