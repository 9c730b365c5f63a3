//! Executions: events, and closed unfoldings of a program (worlds) that the explorer completes.
//!
//! The threads of a program are unfolded one by one, forking at every branch whose direction is not known (each fork
//! remembers its constraint on the values read). One path per thread makes a [`World`]: the events are fixed, and what
//! is left to choose is `rf`, the final writes, and what the model itself asks for (`co`).

mod base;
mod cells;
mod depend;
mod edges;
mod event;
mod granules;
mod groups;
mod path;
mod ranges;
mod sizes;
mod symbolic;
#[cfg(test)]
mod tests;
mod unfold;
mod updates;
mod values;
mod whole;
mod world;
mod worlds;

pub use base::{NEXT_LEVEL, Names, View};
pub use cells::{Cells, Extent, Part};
pub use depend::Dependencies;
pub use edges::Edges;
pub use event::{Event, EventKind};
pub use path::{Constraints, Path, Violation};
pub use symbolic::SymVal;
pub use whole::{Execution, OtherVerdict};
pub use world::World;
pub use worlds::{Worlds, unfold, unfold_to};

use crate::source::Span;

/// What becomes of a path that comes to the unrolling bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AtBound {
    /// It ends there; its executions are not listed.
    #[default]
    Drop,
    /// It ends there; its executions are listed apart.
    Keep,
    /// It leaves the loop there, whatever the condition says; where the loop has no way out, it ends.
    Exit,
}

/// How far threads are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// How often a loop is run.
    pub unroll: u32,
    /// How many events a thread may make, instead: accesses, fences and the like, not those of registers. An instruction that would make
    /// one too many is not begun.
    pub events: Option<u32>,
    /// What becomes of paths that come to the bound.
    pub at: AtBound,
}

/// Where a bound cut a path off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The thread.
    pub thread: usize,
    /// What herd7 names in its warning: the label jumped to, or `While`. For a bound on events, their number.
    pub label: String,
    /// The jump, or the instruction that was not begun.
    pub span: Span,
    /// Which bound it was.
    pub by: CutBy,
}

/// The bound that cut a path off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutBy {
    /// On the rounds of a loop.
    Rounds,
    /// On the events of the thread.
    Events,
}
