//! Outcomes: final states, conditions and verdicts.

mod condition;
mod result;

pub use condition::{Atom, Condition, Observable, Prop, Quantifier};
pub use result::{Completeness, Outcome, Stats};
