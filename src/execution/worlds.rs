//! The worlds of a program: which paths of its threads go together.

use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::program::{LocId, Managed, Program, Value, WRITE_BACK};

use super::cells::Cells;
use super::path::Path;
use super::ranges::Ranges;
use super::sizes::Sizes;
use super::unfold::paths;
use super::updates::{MAX_UPDATES, Update, aged, too_many_updates};
use super::world::{Numbering, World};
use super::{AtBound, Bound, Cut, SymVal, granules};

/// Unfolds a program: all its worlds, made one at a time.
///
/// # Errors
/// A thread that does not end, or has too many paths.
pub fn unfold(program: &Program, unroll: u32, observed: &[LocId]) -> Result<Worlds, Diagnostic> {
    unfold_to(program, Bound { unroll, events: None, at: AtBound::Drop }, observed)
}

/// Likewise, with any bound.
///
/// # Errors
/// As [`unfold`].
pub fn unfold_to(program: &Program, bound: Bound, observed: &[LocId]) -> Result<Worlds, Diagnostic> {
    let mut warnings = Vec::new();
    let mut threads = (0..program.threads.len())
        .map(|thread| paths(program, thread, bound, &mut warnings))
        .collect::<Result<Vec<_>, _>>()?;
    let cells = match program.features.splits() {
        true => granules::split(program, &mut threads)?,
        false => Cells::whole(program),
    };
    Ok(Worlds { warnings, ..Worlds::new(program, threads, cells, observed) })
}

/// The worlds of a program, in a fixed order. Combinations of paths that contradict each other in an obvious way
/// (a path needs a value that nobody writes) are skipped.
pub struct Worlds {
    /// What is to be said about paths that were left out.
    pub warnings: Vec<Diagnostic>,
    bits: u32,
    cells: Arc<Cells>,
    observed: Vec<LocId>,
    sizes: Sizes,
    threads: Vec<Vec<Candidate>>,
    /// By place: may hardware set the access flag of the entry in it at any time?
    aging: Vec<bool>,
    /// The updates that hardware may make by itself on the paths chosen, and which choice of them is the next world.
    updates: Option<(Vec<Update>, u64)>,
    /// For each thread: what any of its paths may write.
    any: Vec<Offers>,
    /// The paths chosen, up to the thread being decided.
    chosen: Vec<usize>,
    finished: bool,
    /// Are paths left out that a loop bound cut off?
    whole_only: bool,
    /// How many cuts were known when that was last asked.
    known_cuts: usize,
}

/// A path with what it wants of others and what it has for them.
struct Candidate {
    path: Path,
    wants: Vec<Want>,
    offers: Offers,
    /// Writes after which hardware may set an access flag.
    old: Vec<u32>,
}

/// A read whose value alone decides some of the path's constraints.
struct Want {
    loc: LocId,
    read: u32,
    constraints: Vec<(SymVal, bool)>,
}

/// For each cell: the values written to it, `None` for one that is not known.
type Offers = Vec<Vec<Option<Value>>>;

impl Worlds {
    fn new(program: &Program, mut threads: Vec<Vec<Path>>, cells: Cells, observed: &[LocId]) -> Worlds {
        let places = observed.iter().flat_map(|cell| cells.of(*cell));
        let observed = places.map(|place| LocId(place as u16)).collect();
        let managed = program.machine.tables.is_some_and(|managed| managed != Managed::Software);
        let is_entry = |cell: usize| program.locations[cell].space.is_entry();
        let ages = |place: usize| {
            managed && is_entry(cells.parts.get(place).map_or(place, |part| usize::from(part.cell.0)))
        };
        let aging: Vec<bool> = (0..cells.len()).map(ages).collect();
        let ranges = Ranges::new(&cells.init, &aging, &mut threads, program.bits);
        let threads: Vec<Vec<Candidate>> = threads
            .into_iter()
            .map(|paths| paths.into_iter().map(|path| Candidate::new(path, &ranges, &aging)).collect())
            .collect();
        let any = threads
            .iter()
            .map(|candidates: &Vec<Candidate>| {
                let mut all: Offers = vec![Vec::new(); cells.len()];
                for candidate in candidates {
                    for (all, own) in all.iter_mut().zip(&candidate.offers) {
                        for value in own {
                            if !all.contains(value) {
                                all.push(*value);
                            }
                        }
                    }
                }
                all
            })
            .collect();
        Worlds {
            warnings: Vec::new(),
            bits: program.bits,
            cells: Arc::new(cells),
            observed,
            sizes: Sizes::new(program),
            threads,
            aging,
            updates: None,
            any,
            chosen: vec![0],
            finished: false,
            whole_only: false,
            known_cuts: 0,
        }
    }

    /// How many paths each thread has.
    pub fn n_paths(&self) -> Vec<usize> {
        self.threads.iter().map(Vec::len).collect()
    }

    /// Is there a path on which a thread does what it must not do?
    pub fn may_go_wrong(&self) -> bool {
        self.threads.iter().flatten().any(|candidate| !candidate.path.violations.is_empty())
    }

    /// These loops are known to be cut off somewhere. Executions of cut paths are dropped: once no path has another loop to tell of, paths that were cut are left out.
    pub fn knows_cuts(&mut self, known: &[Cut]) {
        if self.whole_only || known.len() == self.known_cuts {
            return;
        }
        self.known_cuts = known.len();
        let paths = || self.threads.iter().flatten().map(|candidate| &candidate.path);
        self.whole_only = paths().all(|path| path.cut.as_ref().is_none_or(|cut| known.contains(cut)))
            && paths().all(|path| path.error.is_none());
    }

    /// The part of the combinations of paths that has been looked at.
    pub fn done(&self) -> f64 {
        if self.finished {
            return 1.0;
        }
        let (mut part, mut share) = (0.0, 1.0);
        for (paths, chosen) in self.threads.iter().zip(&self.chosen) {
            share /= paths.len().max(1) as f64;
            part += *chosen as f64 * share;
        }
        part.min(1.0)
    }

    /// The share that one combination of paths has of all.
    pub fn share(&self) -> f64 {
        self.threads.iter().map(|paths| 1.0 / paths.len().max(1) as f64).product()
    }

    fn candidate(&self, thread: usize) -> &Candidate {
        &self.threads[thread][self.chosen[thread]]
    }

    /// Can every read of the paths chosen so far get a value that they allow, as far as one read alone tells?
    fn is_feasible(&self) -> bool {
        (0..self.chosen.len()).all(|thread| {
            self.candidate(thread).wants.iter().all(|want| {
                let ages = self.aging[want.loc.0 as usize];
                let init = std::iter::once(Some(self.cells.init[want.loc.0 as usize]));
                let written = (0..self.threads.len()).flat_map(|other| {
                    let offers = match other < self.chosen.len() {
                        true => &self.candidate(other).offers,
                        false => &self.any[other],
                    };
                    offers[want.loc.0 as usize].iter().copied()
                });
                init.chain(written).any(|value| {
                    let aged = || value.and_then(aged).is_some_and(|v| want.accepts(Some(v), self.bits));
                    want.accepts(value, self.bits) || ages && aged()
                })
            })
        })
    }

    /// The updates of access flags that no access asks for: hardware may make one after any write that leaves a flag clear.
    fn possible_updates(&self) -> Vec<Update> {
        let mut all: Vec<Update> = Vec::new();
        for (place, value) in self.cells.init.iter().enumerate().filter(|(place, _)| self.aging[*place]) {
            if aged(*value).is_some() {
                all.push(Update { loc: LocId(place as u16), write: None });
            }
        }
        for thread in 0..self.threads.len() {
            let candidate = self.candidate(thread);
            let updates =
                candidate.old.iter().map(|event| (*event, candidate.path.events[*event as usize].loc));
            all.extend(
                updates.filter_map(|(event, loc)| Some(Update { loc: loc?, write: Some((thread, event)) })),
            );
        }
        all
    }

    /// The next world of the paths chosen: hardware makes each of the possible updates, or does not.
    fn next_choice(&mut self) -> Option<World> {
        let (all, choice) = match self.updates.take() {
            Some(updates) => updates,
            None => (self.possible_updates(), 0),
        };
        if all.len() > MAX_UPDATES {
            if choice > 0 {
                return None;
            }
            let mut world = self.build(&[]);
            world.errors.push(too_many_updates(all.len()));
            self.updates = Some((all, 1));
            return Some(world);
        }
        if choice >> all.len() != 0 {
            return None;
        }
        let chosen: Vec<Update> = (0..all.len()).filter(|n| choice >> n & 1 == 1).map(|n| all[n]).collect();
        self.updates = Some((all, choice + 1));
        Some(self.build(&chosen))
    }

    fn build(&self, updates: &[Update]) -> World {
        let paths: Vec<&Path> = (0..self.threads.len()).map(|thread| &self.candidate(thread).path).collect();
        self.put_together(&paths, updates)
    }

    fn put_together(&self, paths: &[&Path], updates: &[Update]) -> World {
        let mut world = World::new(paths, &self.cells, &self.observed, updates);
        if !self.cells.is_split() {
            world.errors.extend(self.sizes.mixed(&world));
        }
        world
    }

    /// The paths of each thread, without those that need a value that nobody writes.
    pub fn paths(&self) -> Vec<Vec<&Path>> {
        self.threads.iter().map(|paths| paths.iter().map(|candidate| &candidate.path).collect()).collect()
    }

    /// The world of one path per thread, by number, with the numbers that the events of the paths have in it.
    pub fn world_of(&self, chosen: &[usize]) -> (World, Vec<Vec<u32>>) {
        let path = |(thread, path): (usize, &usize)| &self.threads[thread][*path].path;
        let paths: Vec<&Path> = chosen.iter().enumerate().map(path).collect();
        let numbers = Numbering::new(&paths, self.cells.len());
        (self.put_together(&paths, &[]), numbers.of)
    }

    /// The places in memory.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// May hardware write by itself? One path per thread is then several worlds.
    pub fn has_updates(&self) -> bool {
        let old = |(place, value): (usize, &Value)| self.aging[place] && aged(*value).is_some();
        self.cells.init.iter().enumerate().any(old)
            || self.threads.iter().flatten().any(|candidate| !candidate.old.is_empty())
    }

    /// May a world have accesses of different sizes to one cell? (Only `true` may be wrong.)
    pub fn may_mix_sizes(&self) -> bool {
        let events = self.threads.iter().flatten().flat_map(|candidate| &candidate.path.events);
        !self.cells.is_split() && self.sizes.may_mix(events)
    }
}

impl Worlds {
    /// The next world. Between the combinations of paths that it skips it asks now and then whether to go on; if not, there
    /// is no next world.
    pub fn next_while(&mut self, go_on: &mut dyn FnMut() -> bool) -> Option<World> {
        if self.threads.is_empty() && !self.finished {
            self.finished = true;
            return Some(World::new(&[], &self.cells, &self.observed, &[]));
        }
        if self.updates.is_some() {
            if let Some(world) = self.next_choice() {
                return Some(world);
            }
            if let Some(last) = self.chosen.last_mut() {
                *last += 1;
            }
        }
        let mut skipped = 0u32;
        while !self.finished {
            let level = self.chosen.len() - 1;
            if self.chosen[level] == self.threads[level].len() {
                self.chosen.pop();
                match self.chosen.last_mut() {
                    Some(last) => *last += 1,
                    None => self.finished = true,
                }
            } else if self.whole_only && self.candidate(level).path.cut.is_some() {
                self.chosen[level] += 1;
            } else if !self.is_feasible() {
                self.chosen[level] += 1;
                skipped += 1;
                if skipped.is_multiple_of(1024) && !go_on() {
                    self.finished = true;
                }
            } else if level + 1 == self.threads.len() {
                return self.next_choice();
            } else {
                self.chosen.push(0);
            }
        }
        None
    }
}

impl Iterator for Worlds {
    type Item = World;

    fn next(&mut self) -> Option<World> {
        self.next_while(&mut || true)
    }
}

impl Candidate {
    fn new(path: Path, ranges: &Ranges, aging: &[bool]) -> Candidate {
        let n_cells = aging.len();
        let mut wants: Vec<Want> = Vec::new();
        for (condition, holds) in path.constraints.list() {
            let [read] = condition.reads()[..] else { continue };
            let Some(loc) = path.events[read as usize].loc else { continue };
            match wants.iter_mut().find(|want| want.read == read) {
                Some(want) => want.constraints.push((condition.clone(), *holds)),
                None => wants.push(Want { loc, read, constraints: vec![(condition.clone(), *holds)] }),
            }
        }
        let mut offers: Offers = vec![Vec::new(); n_cells];
        let mut old = Vec::new();
        for (number, event) in path.events.iter().enumerate() {
            if let (Some(loc), Some(value)) = (event.loc, event.written_value()) {
                let values: Vec<Option<Value>> = match ranges.values(&path, value) {
                    Some(values) => values.into_iter().map(Some).collect(),
                    None => vec![None],
                };
                let ages = |value: &Option<Value>| value.is_none_or(|value| aged(value).is_some());
                if aging[loc.0 as usize]
                    && !event.is_implicit()
                    && !event.is_in(WRITE_BACK)
                    && values.iter().any(ages)
                {
                    old.push(number as u32);
                }
                let offers = &mut offers[loc.0 as usize];
                for value in values {
                    if !offers.contains(&value) {
                        offers.push(value);
                    }
                }
            }
        }
        Candidate { path, wants, offers, old }
    }
}

impl Want {
    /// May the read take this value? (An operation without meaning counts as yes: it is reported later.)
    fn accepts(&self, value: Option<Value>, bits: u32) -> bool {
        let Some(value) = value else { return true };
        self.constraints.iter().all(|(condition, holds)| {
            match condition.eval_with(&|read| (read == self.read).then_some(value), bits) {
                Ok(Some(result)) => (result != Value::ZERO) == *holds,
                Ok(None) | Err(_) => true,
            }
        })
    }
}
