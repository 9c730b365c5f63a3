//! Programs with loops that need not end, on an explicit machine: program counters, registers, memory, and writes that wait in
//! store buffers. What bounded executions cannot answer is asked here: does every waiting thread get in, for ever?
//!
//! A buffer holds at most [`Options::buffer`] writes per cell and thread, so that the states are finite; where a write had to wait for a
//! free place the answer is one up to that bound.

mod check;
mod code;
pub mod ltl;
mod proposition;
mod state;
mod step;

pub use check::{Answer, Fairness, Figures, Lasso, Limits, TraceStep, check, final_states, reach};
pub use proposition::{Property as LtlProperty, Propositions, parse};
pub use step::{Action, Effect};

use crate::diag::Diagnostic;

/// How writes reach the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffers {
    /// At once: sequential consistency.
    None,
    /// In the order they were made: TSO.
    Fifo,
    /// In any order but for writes to one cell: PSO.
    PerCell,
}

/// When an atomic write may be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AtomicRule {
    /// When no write of its own thread waits: as a locked instruction.
    #[default]
    Own,
    /// When no write of any thread waits.
    Global,
}

/// A write that is to be atomic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomicWrite {
    /// The cell.
    pub cell: usize,
    /// Thread and instruction; every write to the cell if there is none.
    pub place: Option<(usize, usize)>,
}

/// The rules of the machine.
#[derive(Clone, Debug)]
pub struct Options {
    /// How writes reach the memory.
    pub buffers: Buffers,
    /// At most so many writes of one thread to one cell wait.
    pub buffer: usize,
    /// Writes that do not wait.
    pub atomic: Vec<AtomicWrite>,
    /// When they may be done.
    pub atomic_rule: AtomicRule,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The program does something that the machine cannot do.
    Program(Diagnostic),
    /// Out of memory, as far as it may be used.
    Memory,
    /// Out of time, or stopped by the user.
    Time,
}
