//! Programs with loops that need not end, on an explicit machine: program counters, registers, memory, and writes that wait in
//! store buffers. What bounded executions cannot answer is asked here: does every waiting thread get in, for ever?
//!
//! A buffer holds at most [`Options::buffer`] writes per cell and thread, so that the states are finite; where a write had to wait for a
//! free place the answer is one up to that bound. Time and memory are those of the budget in force ([`crate::limits`]).

mod awaits;
mod check;
mod code;
mod dve;
mod fair;
mod labels;
mod layers;
mod layout;
pub(crate) mod ltl;
mod objects;
mod product;
mod proposition;
mod rows;
mod state;
mod step;
mod stored;
mod text;
mod transitions;
mod ways;

pub(crate) use awaits::targets;
pub use awaits::{Awaited, Loop, ends, loops};
pub use check::{Answer, Fairness, Figures, Lasso, TraceStep, check, final_states, reach};
pub use dve::read as read_dve;
pub use proposition::{Property as LtlProperty, Propositions};
pub use step::{Action, Effect};
pub use text::parse;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::program::Program;

/// What the machine runs: a program, or processes as automata.
#[derive(Clone, Debug)]
pub struct System {
    /// The program; of automata, what they are called and where they stand.
    pub program: Program,
    /// The automata.
    compiled: Option<code::Compiled>,
}

impl From<Program> for System {
    fn from(program: Program) -> System {
        System { program, compiled: None }
    }
}

impl System {
    /// The writes that may wait: thread, instruction, and the cell where it is known.
    pub fn writes(&self) -> Vec<(usize, usize, Option<usize>)> {
        code::writes(self)
    }
}

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
    /// The cell; whichever it is if there is none.
    pub cell: Option<usize>,
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
    /// Leave out interleavings that differ in nothing that a formula can see.
    pub reduction: bool,
    /// Look for runs that go on for ever depth first, by one worker: takes less memory, and may take longer.
    pub depth_first: bool,
    /// How many workers there are.
    pub jobs: usize,
    /// Told how far a search is.
    pub watch: Option<Arc<Watch>>,
}

impl Default for Options {
    /// Sequential consistency, by one worker.
    fn default() -> Options {
        Options {
            buffers: Buffers::None,
            buffer: 1,
            atomic: Vec::new(),
            atomic_rule: AtomicRule::Own,
            reduction: true,
            depth_first: false,
            jobs: 1,
            watch: None,
        }
    }
}

/// How far a search is, for whoever looks on.
#[derive(Debug, Default)]
pub struct Watch {
    /// States met.
    pub states: AtomicU64,
    /// Steps taken.
    pub transitions: AtomicU64,
    /// States of the layer that is expanded; 0 if there are no layers.
    pub layer: AtomicU64,
}

impl Watch {
    fn tell(&self, states: u64, transitions: u64, layer: u64) {
        self.states.store(states, Ordering::Relaxed);
        self.transitions.store(transitions, Ordering::Relaxed);
        self.layer.store(layer, Ordering::Relaxed);
    }
}
