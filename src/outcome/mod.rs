//! Outcomes: final states, conditions and verdicts.

mod condition;
mod expect;
mod report;
mod result;

pub use condition::{Atom, Condition, Observable, Prop, Quantifier};
pub use expect::{Expectation, Expectations};
pub use report::{Answer, Phases, Report, Verdict};
pub use result::{Completeness, Outcome, Stats};
