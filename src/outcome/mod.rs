//! Outcomes: final states, logs of them, and how logs compare.

mod compare;
mod format;
pub mod log;
mod result;
mod states;

pub use compare::{Difference, Hashes, Relation, compare};
pub use format::{StateStyle, format_state};
pub use log::{Log, LogTest, LogVerdict, State, Width};
pub use result::{Completeness, Observation, Outcome, Stats};
pub use states::{Collector, States};
