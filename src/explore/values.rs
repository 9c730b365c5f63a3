//! Values: those that follow from the reads bound so far, and the constraints that they must meet.

use super::problem::Reader;
use super::search::{Search, State};
use crate::program::Value;
use crate::relation::rows;

impl<const W: usize> Search<'_, '_, W> {
    /// Binds values that follow, and drops candidates that contradict a constraint. False: a contradiction.
    pub(super) fn solve_values(&mut self, state: &mut State<W>) -> bool {
        let problem = self.problem;
        if problem.plain_values {
            return true;
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
            for constraint in &problem.constraints {
                let mut unknown = constraint.reads.iter().filter(|event| state.values[**event].is_none());
                match (unknown.next().copied(), unknown.next()) {
                    (None, _) if !self.satisfied(&state.values, constraint) => {
                        self.sink.value_conflict();
                        return false;
                    }
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
