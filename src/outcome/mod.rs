//! Outcomes: final states, logs of them, and how logs compare.

mod compare;
mod format;
pub mod log;
mod result;

pub use compare::{Difference, Hashes, Relation, compare};
pub use format::{StateStyle, first_states, format_state, sorted_states};
pub use log::{Log, LogTest, LogVerdict, State, Width};
pub use result::{Completeness, Observation, Outcome, Stats};
