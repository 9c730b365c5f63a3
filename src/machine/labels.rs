//! What holds in a state, put together from its parts: what a thread's state or the memory decides by itself is computed once for each of them.

use super::proposition::{Concerns, Propositions};
use super::state::Parts;

/// Which propositions hold, by the parts of a state.
pub(super) struct Labels<'q> {
    propositions: &'q Propositions,
    /// By thread, then by its state.
    of_thread: Vec<Vec<u64>>,
    of_memory: Vec<u64>,
    /// Propositions that a thread, the memory, or only both together decide.
    by_thread: Vec<u64>,
    by_memory: u64,
    rest: Vec<usize>,
    /// Values that the rest looks at are those of the machine: how many parts it had when we last looked.
    parts: usize,
}

impl<'q> Labels<'q> {
    pub fn new(propositions: &'q Propositions, n_threads: usize) -> Labels<'q> {
        let mut labels = Labels {
            propositions,
            of_thread: vec![Vec::new(); n_threads],
            of_memory: Vec::new(),
            by_thread: vec![0; n_threads],
            by_memory: 0,
            rest: Vec::new(),
            parts: 0,
        };
        for number in 0..propositions.len() {
            match propositions.concerns(number) {
                Concerns::Thread(thread) => labels.by_thread[thread] |= 1 << number,
                Concerns::Memory => labels.by_memory |= 1 << number,
                Concerns::More => labels.rest.push(number),
            }
        }
        labels
    }

    /// Looks at the parts of states that came since the last time.
    #[inline]
    pub fn keep_up(&mut self, machine: &Parts) {
        if self.parts != machine.count {
            self.look(machine);
        }
    }

    #[cold]
    fn look(&mut self, machine: &Parts) {
        self.parts = machine.count;
        let held = |decided: u64, holds: &dyn Fn(usize) -> bool| {
            let numbers = (0..self.propositions.len()).filter(|number| decided >> number & 1 == 1);
            numbers.filter(|number| holds(*number)).fold(0, |mask, number| mask | 1 << number)
        };
        for (thread, known) in self.of_thread.iter_mut().enumerate() {
            for local in known.len()..machine.locals[thread].len() {
                let holds = |number| self.propositions.of_thread(number, machine, thread, local as u32);
                known.push(held(self.by_thread[thread], &holds));
            }
        }
        for memory in self.of_memory.len()..machine.memories.len() {
            let holds = |number| self.propositions.of_memory(number, machine, memory as u32);
            self.of_memory.push(held(self.by_memory, &holds));
        }
    }

    /// Which propositions hold in a state.
    #[inline]
    pub fn hold(&self, machine: &Parts, row: &[u32]) -> u64 {
        let mut holds = self.of_memory[row[self.of_thread.len()] as usize];
        for (known, local) in self.of_thread.iter().zip(row) {
            holds |= known[*local as usize];
        }
        for number in &self.rest {
            holds |= u64::from(self.propositions.of_state(*number, machine, row)) << number;
        }
        holds
    }
}
