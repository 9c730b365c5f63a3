//! Outcomes: final states, logs of them, and how logs compare.

mod cause;
mod compare;
mod count;
mod format;
mod lines;
pub(crate) mod log;
mod rename;
mod result;
mod states;

pub use cause::{Cause, Counts, WhyEmpty};
pub use compare::{Difference, Hashes, Relation, compare};
pub use count::{Count, NotACount};
pub use format::{StateStyle, bindings, format_state, shown_value};
pub use lines::Lines;
pub use log::{Log, LogTest, LogVerdict, State, Width};
pub use rename::{LeftOut, Renaming, rename};
pub use result::{Completeness, Observation, Outcome, Stats, Uncompleted};
pub use states::{Collector, States};
