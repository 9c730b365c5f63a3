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
    /// What each thread may write, by cell.
    written: Vec<Vec<Range>>,
    init: Vec<Value>,
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
            for (thread, paths) in threads.iter_mut().enumerate() {
                paths.retain(|path| ranges.allow(thread, path));
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
        let written = vec![vec![Some(BTreeSet::new()); init.len()]; threads.len()];
        let mut ranges = Ranges { cells, written, init: init.to_vec(), aging: aging.to_vec(), bits };
        loop {
            let mut changed = false;
            for (thread, path) in
                threads.iter().enumerate().flat_map(|(n, paths)| paths.iter().map(move |path| (n, path)))
            {
                for event in &path.events {
                    if let (Some(loc), Some(value)) = (event.loc, event.written_value()) {
                        changed |= match value.known() {
                            // Nearly all values, and nearly always known to the cell.
                            Some(known) if ranges.has(thread, loc, known) => false,
                            _ => ranges.add(thread, loc, ranges.values(path, value)),
                        };
                    }
                }
            }
            if !changed {
                return ranges;
            }
        }
    }

    fn has(&self, thread: usize, loc: LocId, value: Value) -> bool {
        self.written[thread][usize::from(loc.0)].as_ref().is_none_or(|known| known.contains(&value))
    }

    /// A thread may write these values. `true`: that was not known.
    fn add(&mut self, thread: usize, loc: LocId, values: Range) -> bool {
        let place = usize::from(loc.0);
        let ages = self.aging.get(place) == Some(&true);
        let mut changed = false;
        for cell in [&mut self.written[thread][place], &mut self.cells[place]] {
            let Some(known) = cell else { continue };
            match &values {
                Some(values) => {
                    let before = known.len();
                    if ages {
                        known.extend(values.iter().copied().filter_map(aged));
                    }
                    known.extend(values);
                    changed |= known.len() > before;
                    if known.len() > MAX_VALUES {
                        *cell = None;
                    }
                }
                None => {
                    *cell = None;
                    changed = true;
                }
            }
        }
        changed
    }

    /// May a read of a path find that value in its cell without the path's own writes?
    fn is_given(&self, thread: usize, loc: LocId, value: Value) -> bool {
        let place = usize::from(loc.0);
        let init = self.init[place];
        let first = init == value || self.aging[place] && aged(init) == Some(value);
        first || (0..self.written.len()).any(|other| other != thread && self.has(other, loc, value))
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

    /// Can the path's constraints hold, each by itself, and all together?
    fn allow(&self, thread: usize, path: &Path) -> bool {
        let each = path.constraints.list().iter().all(|(condition, holds)| {
            let mut possible = false;
            let complete = self.combinations(path, &condition.reads(), &mut |reads| {
                possible |= self.may_hold(condition, *holds, reads);
                !possible
            });
            possible || !complete
        });
        each && self.allow_together(thread, path)
    }

    /// May a condition have that answer? (An operation without meaning counts as yes: it is reported later.)
    fn may_hold(&self, condition: &SymVal, holds: bool, reads: &dyn Fn(u32) -> Option<Value>) -> bool {
        match condition.eval_with(reads, self.bits) {
            Ok(Some(value)) => (value != Value::ZERO) == holds,
            Ok(None) | Err(_) => true,
        }
    }

    /// Is there a value for each read such that all constraints hold? `true` also where that takes too long to find out.
    fn allow_together(&self, thread: usize, path: &Path) -> bool {
        let mut together = Together {
            ranges: self,
            thread,
            path,
            conditions: Vec::new(),
            values: Vec::new(),
            left: MAX_COMBINATIONS,
        };
        for (condition, holds) in path.constraints.list() {
            let reads = condition.reads();
            // A condition is looked at as soon as the last of its reads has a value.
            let Some(last) = reads.iter().max() else { continue };
            together.conditions.push((*last, condition, *holds));
        }
        if together.conditions.len() < 2 {
            return true;
        }
        let mut reads: Vec<u32> =
            path.constraints.list().iter().flat_map(|(condition, _)| condition.reads()).collect();
        reads.sort_unstable();
        reads.dedup();
        together.fits(&reads)
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

/// The search for values of all the reads that a path's constraints mention.
struct Together<'t> {
    ranges: &'t Ranges,
    thread: usize,
    path: &'t Path,
    /// With the last of the reads that each mentions.
    conditions: Vec<(u32, &'t SymVal, bool)>,
    values: Vec<(u32, Value)>,
    /// How many more values are tried.
    left: usize,
}

impl Together<'_> {
    fn fits(&mut self, reads: &[u32]) -> bool {
        let Some((read, rest)) = reads.split_first() else { return self.are_written() };
        let loc = self.path.events[*read as usize].loc;
        let ranges = self.ranges;
        let Some(range) = loc.and_then(|loc| ranges.cells[usize::from(loc.0)].as_ref()) else {
            // Any value: conditions that mention it may hold.
            return self.fits(rest);
        };
        for value in range {
            if self.left == 0 {
                return true;
            }
            self.left -= 1;
            self.values.push((*read, *value));
            let known = |read: u32| self.known(read);
            let mut here = self.conditions.iter().filter(|(last, _, _)| last == read);
            let fits = here.all(|(_, condition, holds)| ranges.may_hold(condition, *holds, &known))
                && self.fits(rest);
            self.values.pop();
            if fits {
                return true;
            }
        }
        false
    }

    fn known(&self, read: u32) -> Option<Value> {
        self.values.iter().find(|(r, _)| *r == read).map(|(_, value)| *value)
    }

    /// Has each value been there, or does this path itself write it?
    fn are_written(&self) -> bool {
        self.values.iter().all(|(read, value)| {
            let Some(loc) = self.path.events[*read as usize].loc else { return true };
            let ages = self.ranges.aging[usize::from(loc.0)];
            let own = || self.path.events.iter().filter(|event| event.loc == Some(loc));
            self.ranges.is_given(self.thread, loc, *value)
                || own().filter_map(|event| event.written_value()).any(|written| {
                    match written.eval_with(&|read| self.known(read), self.ranges.bits) {
                        Ok(Some(written)) => written == *value || ages && aged(written) == Some(*value),
                        Ok(None) | Err(_) => true,
                    }
                })
        })
    }
}
