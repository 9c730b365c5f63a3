//! Machine and automaton side by side, for questions that fairness decides: every step is followed.

use super::fair::FairSets;
use super::labels::Labels;
use super::layers::full;
use super::ltl::automaton::Automaton;
use super::ltl::emptiness::Graph;
use super::rows::Rows;
use super::step::{Machine, Step};
use crate::diag::Diagnostic;
use crate::limits;

/// Machine and automaton side by side.
pub(super) struct Product<'a, 'p> {
    pub machine: Machine<'p>,
    pub rows: Rows,
    pub automaton: &'a Automaton,
    pub labels: Labels<'a>,
    pub fair: FairSets,
    pub seen: Seen,
    /// Steps of the machine, for figures.
    pub transitions: u64,
    next: Vec<(usize, Step)>,
    to: Vec<u32>,
    sets: Vec<u64>,
}

/// Pairs of a state of the machine and one of the automaton, as one number, and which of them were met.
pub(super) struct Seen {
    /// States of the automaton.
    width: u32,
    bits: Vec<u64>,
    pub count: usize,
}

impl Seen {
    fn new(width: usize) -> Seen {
        Seen { width: width as u32, bits: Vec::new(), count: 0 }
    }

    /// The state of the machine and that of the automaton.
    pub fn parts(&self, pair: u32) -> (u32, u32) {
        (pair / self.width, pair % self.width)
    }

    fn pair(&self, state: u32, of: u32) -> Result<u32, Diagnostic> {
        state.checked_mul(self.width).and_then(|first| first.checked_add(of)).ok_or_else(|| {
            let message = format!("more than {} states of machine and automaton", u32::MAX);
            Diagnostic::unsupported("ltl::too-large", message)
        })
    }

    /// The number of a pair, which is met now.
    fn number(&mut self, state: u32, of: u32) -> Result<u32, Diagnostic> {
        let pair = self.pair(state, of)?;
        let index = pair as usize / 64;
        if index >= self.bits.len() {
            self.bits.resize(index + 1, 0);
        }
        let bit = 1 << (pair % 64);
        self.count += usize::from(self.bits[index] & bit == 0);
        self.bits[index] |= bit;
        Ok(pair)
    }

    pub fn bytes(&self) -> usize {
        self.bits.capacity() * size_of::<u64>()
    }
}

impl<'a, 'p> Product<'a, 'p> {
    pub fn new(
        machine: Machine<'p>,
        automaton: &'a Automaton,
        labels: Labels<'a>,
        fair: FairSets,
    ) -> Product<'a, 'p> {
        Product {
            rows: Rows::new(machine.n_threads() + 1),
            machine,
            automaton,
            labels,
            fair,
            seen: Seen::new(automaton.states.len()),
            transitions: 0,
            next: Vec::new(),
            to: Vec::new(),
            sets: Vec::new(),
        }
    }

    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.machine.bytes() + self.seen.bytes()
    }

    /// What holds in the machine's state of a pair.
    pub fn holds(&self, pair: u32) -> u64 {
        self.labels.hold(&self.machine.parts, self.rows.get(self.seen.parts(pair).0))
    }
}

impl Graph for Product<'_, '_> {
    type Stop = Diagnostic;

    fn initial(&mut self) -> Result<Vec<u32>, Diagnostic> {
        let row = self.machine.initial()?;
        self.labels.keep_up(&self.machine.parts);
        self.fair.keep_up(&self.machine.parts)?;
        let state = self.rows.number(&row).map_err(full)?;
        Ok(vec![self.seen.number(state, 0)?])
    }

    fn successors(&mut self, pair: u32, steps: &mut Vec<(u32, u64)>) -> Result<(), Diagnostic> {
        let (state, of) = self.seen.parts(pair);
        limits::poll();
        if self.transitions % (1 << 16) < 4
            && let Some(watch) = &self.machine.options.watch
        {
            watch.tell(self.rows.len() as u64, self.transitions, 0);
        }
        let row = self.rows.get(state);
        let holds = self.labels.hold(&self.machine.parts, row);
        if !self.automaton.states[of as usize].iter().any(|step| step.enabled(holds)) {
            return Ok(());
        }
        let n_threads = self.machine.n_threads();
        let row: smallvec::SmallVec<[u32; 16]> = row.into();
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        for thread in 0..n_threads {
            if let Some(known) = self.machine.known.get(&row, thread) {
                next.extend(known.iter().map(|step| (thread, *step)));
                continue;
            }
            let mut found = Vec::new();
            self.machine.steps(&row, thread, &mut found)?;
            next.extend(found.into_iter().map(|step| (thread, step)));
        }
        self.transitions += next.len() as u64;
        self.labels.keep_up(&self.machine.parts);
        self.fair.keep_up(&self.machine.parts)?;
        let mut sets = std::mem::take(&mut self.sets);
        self.fair.of(&row, &next, &mut sets);
        let mut to = std::mem::take(&mut self.to);
        to.clear();
        let mut target = row.clone();
        for (thread, step) in &next {
            step.apply(*thread, n_threads, &mut target);
            to.push(self.rows.number(&target).map_err(full)?);
            target.copy_from_slice(&row);
        }
        for step in self.automaton.states[of as usize].iter().filter(|step| step.enabled(holds)) {
            for (to, sets) in to.iter().zip(&sets) {
                steps.push((self.seen.number(*to, step.to)?, sets | step.accepts));
            }
            if to.is_empty() {
                // Nothing moves any more: this state goes on for ever.
                steps.push((self.seen.number(state, step.to)?, self.fair.all | step.accepts));
            }
        }
        self.next = next;
        self.to = to;
        self.sets = sets;
        Ok(())
    }
}
