//! How far a piece of work is, for whoever looks on.

use std::sync::atomic::AtomicU64;

/// How far the search of one test or program is.
#[derive(Debug, Default)]
pub struct Gauge {
    /// Worlds begun.
    pub worlds: AtomicU64,
    /// Partial graphs built.
    pub graphs: AtomicU64,
    /// Executions found.
    pub executions: AtomicU64,
    /// The part of the tree that is done, in millionths, as an estimate: as if all alternatives had as much below them.
    pub done: AtomicU64,
    /// How large the search is, by estimate.
    pub expected: std::sync::OnceLock<Expected>,
}

/// How large a search seems to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expected {
    /// Graphs that are visited.
    pub graphs: f64,
    /// Executions that there are.
    pub executions: f64,
    /// At least, likely.
    pub least: f64,
    /// At most, likely.
    pub most: f64,
}
