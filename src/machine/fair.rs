//! Fairness: what must happen again and again on a run that counts, as sets of steps.

use super::check::Fairness;
use super::step::{Machine, Next};
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
    /// Which queues hold something, by local state, where that is known.
    queues: Vec<u64>,
}

impl FairSets {
    pub fn new(
        machine: &Machine,
        options: &Options,
        fairness: Fairness,
        first: u32,
    ) -> Result<FairSets, Diagnostic> {
        let n_threads = machine.compiled.threads.len() as u32;
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
        Ok(FairSets { first, threads, per_cell, memory, n_threads, n_cells, all, queues: Vec::new() })
    }

    /// The sets that each step from a state is in.
    pub fn of(
        &mut self,
        machine: &Machine,
        state: u32,
        steps: &[Next],
        sets: &mut Vec<u64>,
    ) -> Result<(), Diagnostic> {
        sets.clear();
        sets.resize(steps.len(), 0);
        if self.all == 0 {
            return Ok(());
        }
        let row = machine.rows.get(state);
        let mut always = self.all;
        let per_thread = if self.per_cell { self.n_cells } else { 1 };
        let of_memory = self.first + if self.threads { self.n_threads } else { 0 };
        if self.memory {
            for (thread, local) in row.iter().enumerate().take(self.n_threads as usize) {
                always &= !(self.waiting(machine, *local)? << (of_memory + thread as u32 * per_thread));
            }
        }
        for (step, sets) in steps.iter().zip(sets.iter_mut()) {
            match step.landed {
                None if self.threads => {
                    let bit = 1 << (self.first + step.thread as u32);
                    always &= !bit;
                    *sets |= bit;
                }
                Some(cell) if self.memory => {
                    let cell = if self.per_cell { cell as u32 } else { 0 };
                    *sets |= 1 << (of_memory + step.thread as u32 * per_thread + cell);
                }
                _ => {}
            }
        }
        sets.iter_mut().for_each(|sets| *sets |= always);
        Ok(())
    }

    /// Which queues of a thread hold something.
    fn waiting(&mut self, machine: &Machine, local: u32) -> Result<u64, Diagnostic> {
        let index = local as usize;
        if index >= self.queues.len() {
            self.queues.resize(index + 1, u64::MAX);
        }
        if self.queues[index] == u64::MAX {
            let mut mask = 0;
            for write in &machine.locals.get(local).pending {
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
            self.queues[index] = mask;
        }
        Ok(self.queues[index])
    }
}
