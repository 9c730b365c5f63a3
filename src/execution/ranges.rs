//! What each cell can hold at all, as far as the paths of the threads tell.
//!
//! A value that an execution reads was written, and what was written follows from other values read, and so on down to
//! constants (values that justify only themselves are no executions). So the least sets that hold the initial values and
//! are closed under what the paths write bound every value; a path that needs another one is dropped, and what it
//! would have written with it.

use std::collections::BTreeSet;

use crate::program::{LocId, Value};

use super::SymVal;
use super::path::Path;
use super::updates::aged;

/// More values than this in one cell: anything.
const MAX_VALUES: usize = 32;

/// More combinations of values than this: not tried.
const MAX_COMBINATIONS: usize = 4096;

/// Values that a cell can hold; `None`: not bounded.
type Range = Option<BTreeSet<Value>>;

/// Looks at one combination of values of some reads; `false`: that is enough.
type See<'a> = dyn FnMut(&dyn Fn(u32) -> Option<Value>) -> bool + 'a;

/// A bound on what each cell can hold.
pub(super) struct Ranges {
    cells: Vec<Range>,
    /// Places with entries whose access flag hardware may set.
    aging: Vec<bool>,
    bits: u32,
}

impl Ranges {
    /// Of the paths of all threads; drops paths that cannot be taken.
    pub(super) fn new(init: &[Value], aging: &[bool], threads: &mut [Vec<Path>], bits: u32) -> Ranges {
        loop {
            let ranges = Ranges::closed(init, aging, threads, bits);
            let count = |threads: &[Vec<Path>]| threads.iter().map(Vec::len).sum::<usize>();
            let before = count(threads);
            for paths in threads.iter_mut() {
                paths.retain(|path| ranges.allow(path));
            }
            if count(threads) == before {
                return ranges;
            }
        }
    }

    fn closed(init: &[Value], aging: &[bool], threads: &[Vec<Path>], bits: u32) -> Ranges {
        let values = |(place, value): (usize, &Value)| {
            let aged = aged(*value).filter(|_| aging[place]);
            Some(std::iter::once(*value).chain(aged).collect())
        };
        let cells = init.iter().enumerate().map(values).collect();
        let mut ranges = Ranges { cells, aging: aging.to_vec(), bits };
        loop {
            let mut changed = false;
            for path in threads.iter().flatten() {
                for event in &path.events {
                    if let (Some(loc), Some(value)) = (event.loc, event.written_value()) {
                        changed |= match value.known() {
                            // Nearly all values, and nearly always known to the cell.
                            Some(known) if ranges.has(loc, known) => false,
                            _ => ranges.add(loc, ranges.values(path, value)),
                        };
                    }
                }
            }
            if !changed {
                return ranges;
            }
        }
    }

    fn has(&self, loc: LocId, value: Value) -> bool {
        self.cells[usize::from(loc.0)].as_ref().is_none_or(|known| known.contains(&value))
    }

    fn add(&mut self, loc: LocId, values: Range) -> bool {
        let cell = &mut self.cells[usize::from(loc.0)];
        let Some(known) = cell else { return false };
        match values {
            Some(values) => {
                let before = known.len();
                if self.aging.get(usize::from(loc.0)) == Some(&true) {
                    known.extend(values.iter().copied().filter_map(aged));
                }
                known.extend(values);
                let after = known.len();
                if after > MAX_VALUES {
                    *cell = None;
                }
                after > before
            }
            None => {
                *cell = None;
                true
            }
        }
    }

    /// The values that a symbolic value of a path can have.
    pub(super) fn values(&self, path: &Path, value: &SymVal) -> Range {
        if let Some(known) = value.known() {
            return Some(BTreeSet::from([known]));
        }
        let mut values = BTreeSet::new();
        let complete = self.combinations(path, &value.reads(), &mut |reads| {
            match value.eval_with(reads, self.bits) {
                Ok(Some(value)) => values.insert(value),
                // An operation without meaning is reported where it is met.
                Ok(None) | Err(_) => return false,
            };
            true
        });
        complete.then_some(values)
    }

    /// Can the path's constraints hold, each by itself?
    fn allow(&self, path: &Path) -> bool {
        path.constraints.list().iter().all(|(condition, holds)| {
            let mut possible = false;
            let complete = self.combinations(path, &condition.reads(), &mut |reads| {
                possible |= match condition.eval_with(reads, self.bits) {
                    Ok(Some(value)) => (value != Value::ZERO) == *holds,
                    Ok(None) | Err(_) => true,
                };
                !possible
            });
            possible || !complete
        })
    }

    /// Calls `see` with every combination of values of the reads, until it says no. `false`: stopped, or not bounded.
    fn combinations(&self, path: &Path, reads: &[u32], see: &mut See) -> bool {
        let mut ranges: Vec<Vec<Value>> = Vec::with_capacity(reads.len());
        let mut total = 1usize;
        for read in reads {
            let loc = path.events[*read as usize].loc;
            let Some(range) = loc.and_then(|loc| self.cells[usize::from(loc.0)].as_ref()) else {
                return false;
            };
            total = total.saturating_mul(range.len());
            ranges.push(range.iter().copied().collect());
        }
        if total > MAX_COMBINATIONS {
            return false;
        }
        for mut number in 0..total {
            let mut chosen = Vec::with_capacity(reads.len());
            for range in &ranges {
                chosen.push(range[number % range.len()]);
                number /= range.len();
            }
            let value = |read: u32| reads.iter().position(|r| *r == read).map(|at| chosen[at]);
            if !see(&value) {
                return false;
            }
        }
        true
    }
}
