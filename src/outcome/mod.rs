//! Outcomes: final states, conditions and verdicts.

mod compare;
mod condition;
mod expect;
mod format;
pub mod log;
mod report;
mod result;

pub use compare::{Difference, Hashes, Relation, compare};
pub use condition::{Atom, Condition, Observable, Prop, Quantifier};
pub use expect::{Expectation, Expectations};
pub use format::{StateStyle, format_state, format_value, sorted_states, type_of};
pub use log::{Log, LogTest, LogVerdict, State, Width};
pub use report::{Answer, Phases, Report, Verdict};
pub use result::{Completeness, Outcome, Stats};
