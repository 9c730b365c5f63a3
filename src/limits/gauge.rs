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
}
