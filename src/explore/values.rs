//! Values: those that follow from the reads bound so far, and the constraints that they must meet.

use super::choices::State;
use super::domains::Candidates;
use super::problem::{Problem, Reader};
use super::search::{Search, Tally};
use crate::program::Value;
use crate::relation::rows::{self, Row};

impl<const W: usize> Search<'_, '_, W> {
    /// Binds values that follow, and drops candidates that contradict a constraint. False: a contradiction.
    pub(super) fn solve_values(&mut self, state: &mut State<W>) -> bool {
        let problem = self.problem;
        if problem.plain_values {
            return true;
        }
        if !self.settle(state) {
            self.sink.value_conflict();
            return false;
        }
        loop {
            let mut changed = false;
            for (index, read) in problem.reads.iter().enumerate() {
                if state.values[read.event].is_some() || rows::count(&state.candidates[index]) != 1 {
                    continue;
                }
                let Some(write) = rows::lowest(&state.candidates[index]) else { continue };
                if let Some(value) = self.written(&state.values, write) {
                    state.values[read.event] = Some(value);
                    changed = true;
                }
            }
            for (position, constraint) in problem.constraints.iter().enumerate() {
                if !state.unmet.has(position) {
                    continue;
                }
                let mut unknown = constraint.reads.iter().filter(|event| state.values[**event].is_none());
                match (unknown.next().copied(), unknown.next()) {
                    (None, _) if !self.satisfied(&state.values, constraint) => {
                        self.sink.value_conflict();
                        return false;
                    }
                    // Values that are known stay as they are.
                    (None, _) => state.unmet.close(position),
                    (Some(event), None) => {
                        // Only one read left: try each of its candidates whose value is known.
                        let Some(index) = problem.reads.iter().position(|r| r.event == event) else {
                            continue;
                        };
                        for write in rows::bits(state.candidates[index]) {
                            let Some(value) = self.written(&state.values, write) else { continue };
                            state.values[event] = Some(value);
                            let fits = self.satisfied(&state.values, constraint);
                            state.values[event] = None;
                            if !fits {
                                rows::drop_bit(&mut state.candidates[index], write);
                                changed = true;
                            }
                        }
                        if rows::is_zero(&state.candidates[index]) {
                            self.sink.value_conflict();
                            return false;
                        }
                    }
                    _ => {}
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// Drops sources that no value can come from. False: nothing is left for some read.
    fn settle(&mut self, state: &mut State<W>) -> bool {
        let same = self.is_the_same_for_all();
        let Some(domains) = &mut self.domains else { return true };
        // What has not paid off so far will hardly do so later: a wrong value is found when it is known, at the latest. Where subtrees are shared out, all workers must find the same.
        let Tally { settle_looks: looks, settle_hits: hits, .. } = &mut self.tally;
        if self.settled == state.candidates || !same && *looks >= 64 && *hits * 16 < *looks {
            return true;
        }
        *looks += 1;
        let position = |event: &usize| self.problem.reads.iter().position(|read| read.event == *event);
        let places: Vec<usize> = domains.reads.iter().filter_map(position).collect();
        let mut sources =
            Sources { candidates: &mut state.candidates, problem: self.problem, places: &places };
        let before: u32 = sources.candidates.iter().map(rows::count).sum();
        if !domains.settle(&mut sources) {
            *hits += 1;
            return false;
        }
        let after: u32 = sources.candidates.iter().map(rows::count).sum();
        *hits += u32::from(after < before);
        self.settled.clone_from(&state.candidates);
        true
    }

    /// What a write writes, as far as it is known.
    pub(super) fn written(&self, values: &[Option<Value>], write: usize) -> Option<Value> {
        let event = self.problem.code.numbering.kept[write];
        let value = self.problem.world.events[event].written_value()?;
        value.eval(values, self.problem.bits).ok().flatten()
    }

    pub(super) fn satisfied(&self, values: &[Option<Value>], constraint: &Reader) -> bool {
        match constraint.value.eval(values, self.problem.bits) {
            Ok(Some(value)) => (value != Value::ZERO) == constraint.expected,
            // An operation without meaning is reported when an execution gets to the end with it.
            Ok(None) | Err(_) => true,
        }
    }
}

/// The sources that a search has left.
struct Sources<'s, const W: usize> {
    candidates: &'s mut [Row<W>],
    problem: &'s Problem<'s>,
    /// Where the reads stand among those of the problem.
    places: &'s [usize],
}

impl<const W: usize> Candidates for Sources<'_, W> {
    fn each(&self, read: usize, see: &mut dyn FnMut(usize)) {
        let kept = &self.problem.code.numbering.kept;
        rows::bits(self.candidates[self.places[read]]).for_each(|write| see(kept[write]));
    }

    fn count(&self, read: usize) -> usize {
        rows::count(&self.candidates[self.places[read]]) as usize
    }

    fn drop_source(&mut self, read: usize, write: usize) {
        if let Some(number) = self.problem.code.numbering.index[write] {
            rows::drop_bit(&mut self.candidates[self.places[read]], number);
        }
    }
}
