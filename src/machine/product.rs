//! Machine and automaton side by side, and which steps of a state are followed.

use super::fair::FairSets;
use super::ltl::automaton::Automaton;
use super::ltl::emptiness::Graph;
use super::proposition::Propositions;
use super::step::{Machine, Next};
use crate::diag::Diagnostic;
use crate::limits;

/// Machine and automaton side by side.
pub(super) struct Product<'a, 'p> {
    pub machine: Machine<'p>,
    pub automaton: &'a Automaton,
    pub propositions: &'a Propositions,
    pub fair: FairSets,
    pub seen: Seen,
    pub next: Vec<Next>,
    pub sets: Vec<u64>,
    /// For each pair that was looked at, whose steps were followed: the thread, or all. None: all of all pairs.
    pub ample: Option<Vec<Ample>>,
}

/// Pairs of a state of the machine and one of the automaton, as one number, and which of them were met.
pub(super) struct Seen {
    /// States of the automaton.
    width: u32,
    bits: Vec<u64>,
    pub count: usize,
}

impl Seen {
    pub fn new(width: usize) -> Seen {
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

    fn has(&self, state: u32, of: u32) -> bool {
        let Ok(pair) = self.pair(state, of) else { return true };
        self.bits.get(pair as usize / 64).is_some_and(|word| word >> (pair % 64) & 1 == 1)
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

/// Whose steps are followed from a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ample {
    Unknown,
    All,
    Thread(u8),
}

impl Product<'_, '_> {
    /// The steps that are followed from a pair. Those of one thread are enough if they commute with whatever else may happen, change no
    /// proposition, and lead to pairs never met before, so that no step is put off round a cycle for ever.
    fn followed(
        &mut self,
        pair: u32,
        state: u32,
        of: u32,
        holds: u64,
        next: &mut Vec<Next>,
    ) -> Result<(), Diagnostic> {
        let Some(ample) = &mut self.ample else { return self.machine.successors(state, false, next) };
        let index = pair as usize;
        if index >= ample.len() {
            ample.resize(index + 1, Ample::Unknown);
        }
        let chosen = ample[index];
        if let Ample::Thread(thread) = chosen {
            self.machine.successors_of(state, usize::from(thread), next)?;
            next.retain(|step| step.landed.is_none());
            return Ok(());
        }
        for thread in 0..self.machine.compiled.threads.len() {
            let start = next.len();
            self.machine.successors_of(state, thread, next)?;
            if chosen == Ample::All {
                continue;
            }
            let moves = || next[start..].iter().filter(|step| step.landed.is_none());
            let steps = &self.automaton.states[of as usize];
            let new = |to: u32| {
                steps.iter().filter(|step| step.enabled(holds)).all(|step| !self.seen.has(to, step.to))
            };
            let enough = moves().next().is_some()
                && moves().all(|step| {
                    step.alone && self.propositions.hold(&self.machine, step.to) == holds && new(step.to)
                });
            if enough {
                next.drain(..start);
                next.retain(|step| step.landed.is_none());
                if let Some(ample) = &mut self.ample {
                    ample[index] = Ample::Thread(thread as u8);
                }
                return Ok(());
            }
        }
        if let Some(ample) = &mut self.ample {
            ample[index] = Ample::All;
        }
        Ok(())
    }
}

impl Graph for Product<'_, '_> {
    type Stop = Diagnostic;

    fn initial(&mut self) -> Result<Vec<u32>, Diagnostic> {
        let state = self.machine.initial()?;
        Ok(vec![self.seen.number(state, 0)?])
    }

    fn successors(&mut self, pair: u32, steps: &mut Vec<(u32, u64)>) -> Result<(), Diagnostic> {
        let (state, of) = self.seen.parts(pair);
        limits::poll();
        let holds = self.propositions.hold(&self.machine, state);
        if !self.automaton.states[of as usize].iter().any(|step| step.enabled(holds)) {
            return Ok(());
        }
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        self.followed(pair, state, of, holds, &mut next)?;
        let mut sets = std::mem::take(&mut self.sets);
        self.fair.of(&self.machine, state, &next, &mut sets)?;
        for step in self.automaton.states[of as usize].iter().filter(|step| step.enabled(holds)) {
            for (to, sets) in next.iter().zip(&sets) {
                steps.push((self.seen.number(to.to, step.to)?, sets | step.accepts));
            }
            if next.is_empty() {
                // Nothing moves any more: this state goes on for ever.
                steps.push((self.seen.number(state, step.to)?, self.fair.all | step.accepts));
            }
        }
        self.next = next;
        self.sets = sets;
        Ok(())
    }
}
