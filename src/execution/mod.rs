//! Executions: events, and closed unfoldings of a program (worlds) that the explorer completes.
//!
//! The threads of a program are unfolded one by one, forking at every branch whose direction is not known (each fork
//! remembers its constraint on the values read). One path per thread makes a [`World`]: the events are fixed, and what
//! is left to choose is `rf`, the final writes, and what the model itself asks for (`co`).

mod event;
mod symbolic;

pub use event::{Event, EventKind};
pub use symbolic::SymVal;

use crate::program::{LocId, Reg};
use crate::source::Span;

/// A loop that the unrolling bound cut off on this path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The thread.
    pub thread: usize,
    /// What herd7 names in its warning: the label jumped to, or `While`.
    pub label: String,
    /// The jump.
    pub span: Span,
}

/// A closed unfolding: one path per thread, plus the initial writes.
///
/// Events are numbered: memory, fence, branch and other events thread by thread in program order (`0..n_main`
/// together with the initial writes, which come after the threads' memory events), register events last.
#[derive(Clone, Debug)]
pub struct World {
    /// All events.
    pub events: Vec<Event>,
    /// Events that are not register events: `events[..n_main]`.
    pub n_main: usize,
    /// Conditions that hold on this path: the value must be non-zero (`true`) or zero (`false`).
    pub constraints: Vec<(SymVal, bool)>,
    /// Final value of every register that a thread ever wrote or that starts non-zero; others are 0.
    pub final_regs: Vec<((usize, Reg), SymVal)>,
    /// For each memory cell: its writes, the initial one first.
    pub writes: Vec<Vec<usize>>,
    /// Reads (plain ones and one-event RMWs) and the writes each may take its value from:
    /// same cell, not itself, not caused by the read inside its own instruction.
    pub reads: Vec<(usize, Vec<usize>)>,
    /// Intra-instruction causality: `(from, to)` pairs over all events.
    pub iico_data: Vec<(u32, u32)>,
    /// Likewise, control.
    pub iico_ctrl: Vec<(u32, u32)>,
    /// Likewise, order.
    pub iico_order: Vec<(u32, u32)>,
    /// Register reads-from: register write event to register read event.
    pub rf_reg: Vec<(u32, u32)>,
    /// Loops cut on this path: its executions are dropped and announced.
    pub cuts: Vec<Cut>,
    /// Cells whose final value is observed: their last write is tried in all ways.
    pub observed: Vec<LocId>,
}
