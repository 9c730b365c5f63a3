//! Fairness: what must happen again and again on a run that counts, as sets of steps.

use super::check::Fairness;
use super::state::Parts;
use super::step::{Machine, Step};
use super::{Buffers, Options};
use crate::diag::Diagnostic;

/// What must happen infinitely often on a fair run.
pub(super) struct FairSets {
    first: u32,
    threads: bool,
    /// A set per thread (TSO), or per thread and cell (PSO).
    per_cell: bool,
    memory: bool,
    n_threads: u32,
    n_cells: u32,
    pub all: u64,
    /// Which queues hold something, by thread and its state.
    queues: Vec<Vec<u64>>,
    /// How many parts states had when we last looked.
    parts: usize,
}

impl FairSets {
    pub fn new(
        machine: &Machine,
        options: &Options,
        fairness: Fairness,
        first: u32,
    ) -> Result<FairSets, Diagnostic> {
        let n_threads = machine.n_threads() as u32;
        let n_cells = machine.program.locations.len() as u32;
        let memory = fairness != Fairness::None && options.buffers != Buffers::None;
        let threads = fairness == Fairness::All;
        let per_cell = options.buffers == Buffers::PerCell;
        let of_memory = if memory { n_threads * if per_cell { n_cells } else { 1 } } else { 0 };
        let n = of_memory + if threads { n_threads } else { 0 };
        if first + n > 64 {
            return Err(Diagnostic::unsupported(
                "ltl::fairness",
                format!(
                    "fairness of {n_threads} threads and {n_cells} locations needs more sets than there is room for"
                ),
            ));
        }
        let all = if n == 0 { 0 } else { (u64::MAX >> (64 - n)) << first };
        let queues = vec![Vec::new(); n_threads as usize];
        Ok(FairSets { first, threads, per_cell, memory, n_threads, n_cells, all, queues, parts: 0 })
    }

    /// Looks at the states of threads that came since the last time.
    ///
    /// # Errors
    /// A write waits for which there is no set.
    pub fn keep_up(&mut self, parts: &Parts) -> Result<(), Diagnostic> {
        if !self.memory || self.parts == parts.count {
            return Ok(());
        }
        self.parts = parts.count;
        for (thread, known) in self.queues.iter_mut().enumerate() {
            for local in known.len()..parts.locals[thread].len() {
                let mut mask = 0;
                for write in &parts.locals[thread].get(local as u32).pending {
                    match self.per_cell {
                        false => mask = 1,
                        true if u32::from(write.cell) < self.n_cells => mask |= 1 << write.cell,
                        true => {
                            let message =
                                "fairness for writes to objects that are made while the program runs (pso)";
                            return Err(Diagnostic::unsupported("ltl::fairness", message));
                        }
                    }
                }
                known.push(mask);
            }
        }
        Ok(())
    }

    /// The sets that each step from a state is in.
    pub fn of(&self, row: &[u32], steps: &[(usize, Step)], sets: &mut Vec<u64>) {
        sets.clear();
        sets.resize(steps.len(), 0);
        if self.all == 0 {
            return;
        }
        let mut always = self.all;
        let per_thread = if self.per_cell { self.n_cells } else { 1 };
        let of_memory = self.first + if self.threads { self.n_threads } else { 0 };
        if self.memory {
            for (thread, (known, local)) in self.queues.iter().zip(row).enumerate() {
                always &= !(known[*local as usize] << (of_memory + thread as u32 * per_thread));
            }
        }
        for ((thread, step), sets) in steps.iter().zip(sets.iter_mut()) {
            let thread = *thread as u32;
            match step.landed() {
                None if self.threads => {
                    let bit = 1 << (self.first + thread);
                    always &= !bit;
                    *sets |= bit;
                }
                Some(cell) if self.memory => {
                    let cell = if self.per_cell { u32::from(cell) } else { 0 };
                    *sets |= 1 << (of_memory + thread * per_thread + cell);
                }
                _ => {}
            }
        }
        sets.iter_mut().for_each(|sets| *sets |= always);
    }
}
