//! Worlds: one path per thread, put together.

use std::sync::{Arc, OnceLock};

use crate::diag::Diagnostic;
use crate::program::{
    BinOp, Conventions, LocId, Managed, Program, Reg, SetName, UnOp, Value, WRITE_BACK, Walk, Walked,
};

use super::base::Tags;
use super::cells::Cells;
use super::granules;
use super::path::{Path, Violation};
use super::ranges::Ranges;
use super::sizes::Sizes;
use super::unfold::paths;
use super::{AtBound, Bound, Cut, Dependencies, Event, EventKind, SymVal};

/// A closed unfolding: one path per thread, plus the initial writes.
///
/// Events are numbered as herd7 does: memory events thread by thread in program order, the initial writes (one per cell,
/// in the order of the program's cells), then fences, branches and all others up to `n_main`, register events (and hidden ones) last.
#[derive(Clone, Debug)]
pub struct World {
    /// All events.
    pub events: Vec<Event>,
    /// Memory events, initial writes included: `events[..n_memory]`.
    pub n_memory: usize,
    /// Events that are neither register events nor hidden: `events[..n_main]`.
    pub n_main: usize,
    /// Conditions that hold on this path: the value must be non-zero (`true`) or zero (`false`).
    pub constraints: Vec<(SymVal, bool)>,
    /// Values that are assumed to be equal, or not to be: pointers may be by a collision of their signatures.
    pub collisions: Vec<(SymVal, SymVal, bool)>,
    /// Final value of every register that a thread ever wrote or that starts non-zero; others are 0.
    pub final_regs: Vec<((usize, Reg), SymVal)>,
    /// For each place in memory: its writes, the initial one first.
    pub writes: Vec<Vec<usize>>,
    /// Reads (plain ones and one-event RMWs) and the writes each may take its value from:
    /// same cell, not itself, not caused by the read inside its own instruction.
    pub reads: Vec<(usize, Vec<usize>)>,
    /// Intra-instruction causality: `(from, to)` pairs over all events.
    pub iico_data: Vec<(u32, u32)>,
    /// Likewise, control.
    pub iico_ctrl: Vec<(u32, u32)>,
    /// Likewise, order.
    pub iico_order: Vec<(u32, u32)>,
    /// Register reads-from: register write event to register read event.
    pub rf_reg: Vec<(u32, u32)>,
    /// Structured control (C): from what a condition read to the events it guards.
    pub control: Vec<(u32, u32)>,
    /// Which events feed the address of a memory event.
    pub addr_in: Vec<(u32, u32)>,
    /// Which events feed the value of a write.
    pub data_in: Vec<(u32, u32)>,
    /// The faults of this path that the test asks for, as a set.
    pub faults: i128,
    /// Loops cut on this path: its executions are dropped and announced.
    pub cuts: Vec<Cut>,
    /// What these paths do wrong.
    pub violations: Vec<Violation>,
    /// Did a thread end by that? Its executions have no final state.
    pub aborted: bool,
    /// What cannot be answered for on this path: if its values can be as the constraints say, the first of these is the
    /// answer to the whole test.
    pub errors: Vec<Diagnostic>,
    /// The places in memory: `Event::loc`, `writes` and `observed` number these.
    pub cells: Arc<Cells>,
    /// Places whose final value is observed: their last write is tried in all ways.
    pub observed: Vec<LocId>,
    /// The values that each event can have at all; none, or an empty list: not known.
    pub possible: Vec<Vec<Option<Value>>>,
    dependencies: OnceLock<Dependencies>,
    pub(super) tags: OnceLock<Tags>,
}

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
        let ages = |place: usize| managed && !cells.is_split() && program.locations[place].space.is_entry();
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

/// More writes than this after which hardware may set an access flag: each is a choice, and all of them together are too many.
const MAX_UPDATES: usize = 16;

fn too_many_updates(found: usize) -> Diagnostic {
    let message =
        format!("hardware may set access flags after {found} writes, and {MAX_UPDATES} are the most");
    Diagnostic::unsupported("program::too-many-updates", message)
        .help("`af:1` in entries leaves nothing to set; without `TTHM=HA` hardware sets none")
}

/// An entry whose access flag is clear, as hardware may leave it at any time.
pub(super) fn aged(value: Value) -> Option<Value> {
    match value {
        Value::Pte(pte) if pte.is_old() => Some(Value::Pte(pte.updated(false))),
        _ => None,
    }
}

/// An update of an access flag that no access asks for.
#[derive(Clone, Copy, Debug)]
struct Update {
    loc: LocId,
    /// The write after which it comes: thread and number in its path; none for the initial one.
    write: Option<(usize, u32)>,
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

impl World {
    fn new(paths: &[&Path], cells: &Arc<Cells>, observed: &[LocId], updates: &[Update]) -> World {
        let numbers = Numbering::new(paths, cells.len() + 2 * updates.len());
        let mut world = World {
            events: Vec::with_capacity(numbers.n_all),
            n_memory: numbers.n_memory,
            n_main: numbers.n_main,
            constraints: Vec::new(),
            collisions: Vec::new(),
            final_regs: Vec::new(),
            writes: vec![Vec::new(); cells.len()],
            reads: Vec::new(),
            iico_data: Vec::new(),
            iico_ctrl: Vec::new(),
            iico_order: Vec::new(),
            rf_reg: Vec::new(),
            control: Vec::new(),
            addr_in: Vec::new(),
            data_in: Vec::new(),
            faults: 0,
            cuts: Vec::new(),
            violations: Vec::new(),
            aborted: false,
            errors: Vec::new(),
            cells: Arc::clone(cells),
            observed: observed.to_vec(),
            possible: Vec::new(),
            dependencies: OnceLock::new(),
            tags: OnceLock::new(),
        };
        let mut events: Vec<(u32, Event)> = Vec::with_capacity(numbers.n_all);
        for (thread, path) in paths.iter().enumerate() {
            let number = |local: u32| numbers.of[thread][local as usize];
            for (local, event) in path.events.iter().enumerate() {
                let mut event = event.clone();
                event.value = event.value.map(|value| value.renumber(&number));
                event.written = event.written.map(|value| value.renumber(&number));
                events.push((number(local as u32), event));
            }
            let pairs = |list: &[(u32, u32)]| -> Vec<(u32, u32)> {
                list.iter().map(|(from, to)| (number(*from), number(*to))).collect()
            };
            world.iico_data.extend(pairs(&path.iico_data));
            world.iico_ctrl.extend(pairs(&path.iico_ctrl));
            world.iico_order.extend(pairs(&path.iico_order));
            world.rf_reg.extend(pairs(&path.rf_reg));
            world.control.extend(pairs(&path.control));
            world.addr_in.extend(pairs(&path.addr_in));
            world.data_in.extend(pairs(&path.data_in));
            let constraints = path.constraints.list().iter();
            world.constraints.extend(constraints.map(|(value, holds)| (value.renumber(&number), *holds)));
            let collisions = path.collisions.iter();
            world
                .collisions
                .extend(collisions.map(|(a, b, same)| (a.renumber(&number), b.renumber(&number), *same)));
            let regs = path.final_regs.iter();
            world.final_regs.extend(regs.map(|(reg, value)| ((thread, *reg), value.renumber(&number))));
            world.faults |= path.faults.iter().fold(0, |set, number| set | 1 << number);
            world.cuts.extend(path.cut.clone());
            world.violations.extend(path.violations.iter().cloned());
            world.aborted |= path.aborted;
            world.errors.extend(path.error.clone());
        }
        for (place, value) in cells.init.iter().enumerate() {
            let number = numbers.first_init + place as u32;
            events.push((
                number,
                Event {
                    thread: None,
                    instance: 0,
                    pc: 0,
                    code: 0,
                    kind: EventKind::Init,
                    loc: Some(LocId(place as u16)),
                    at: None,
                    part: cells.parts.get(place).cloned(),
                    size: None,
                    extent: None,
                    access: 0,
                    value: Some(SymVal::Known(*value)),
                    written: None,
                    sets: Vec::new(),
                },
            ));
        }
        for (index, update) in updates.iter().enumerate() {
            let read = numbers.first_init + (cells.len() + 2 * index) as u32;
            let after = match update.write {
                None => cells.init.get(usize::from(update.loc.0)).map(|value| SymVal::Known(*value)),
                Some((thread, local)) => {
                    let number = |local: u32| numbers.of[thread][local as usize];
                    let event = &paths[thread].events[local as usize];
                    event.written_value().map(|value| value.renumber(&number))
                }
            };
            world.add_update(read, update.loc, after, &mut events);
        }
        events.sort_by_key(|(number, _)| *number);
        world.events = events.into_iter().map(|(_, event)| event).collect();
        world.find_writes();
        world.find_reads();
        world
    }

    /// The writes of a cell that can be its last: the initial one only if there is no other.
    pub fn last_writes(&self, loc: LocId) -> &[usize] {
        match &self.writes[usize::from(loc.0)][..] {
            [_, later @ ..] if !later.is_empty() => later,
            all => all,
        }
    }

    /// Dependencies, computed when first asked for.
    pub fn dependencies(&self, conventions: &Conventions) -> &Dependencies {
        self.dependencies.get_or_init(|| Dependencies::new(self, conventions))
    }

    /// A read and a write of no thread: hardware sets the access flag of an entry that `after` has left without.
    fn add_update(&mut self, read: u32, loc: LocId, after: Option<SymVal>, events: &mut Vec<(u32, Event)>) {
        let bits = 64;
        let seen = SymVal::Read(read);
        let set = SymVal::unary(UnOp::Updated(false), seen.clone(), bits);
        for (number, kind, value) in
            [(read, EventKind::Read, seen.clone()), (read + 1, EventKind::Write, set)]
        {
            let sets = ["NExp", "X", "AF", "SPURIOUS"].map(SetName::Borrowed).to_vec();
            events.push((
                number,
                Event {
                    thread: None,
                    instance: read,
                    pc: 0,
                    code: 0,
                    kind,
                    loc: Some(loc),
                    at: None,
                    part: None,
                    size: Some(8),
                    extent: None,
                    access: number,
                    value: Some(value),
                    written: None,
                    sets,
                },
            ));
        }
        self.iico_data.push((read, read + 1));
        let walk = Walk {
            managed: Managed::AccessFlag,
            announced: Managed::AccessFlag,
            write: false,
            dirties: false,
            user: false,
            fetch: false,
        };
        let old = SymVal::binary(
            BinOp::Eq,
            SymVal::unary(UnOp::Walk(walk), seen.clone(), bits),
            Value::Int(Walked::SetsAccessFlag as i128).into(),
            bits,
        );
        self.constraints.push((old, true));
        if let Some(after) = after {
            self.constraints.push((SymVal::binary(BinOp::Eq, seen, after, bits), true));
        }
    }

    fn find_writes(&mut self) {
        let mut initial = Vec::new();
        for (number, event) in self.events[..self.n_memory].iter().enumerate() {
            let Some(loc) = event.loc else { continue };
            match event.kind {
                EventKind::Init => initial.push((loc, number)),
                _ if event.is_write() => self.writes[loc.0 as usize].push(number),
                _ => {}
            }
        }
        for (loc, number) in initial {
            self.writes[loc.0 as usize].insert(0, number);
        }
    }

    fn find_reads(&mut self) {
        for read in 0..self.n_memory {
            let event = &self.events[read];
            let (true, Some(loc)) = (event.is_read(), event.loc) else { continue };
            let caused = self.caused_by(read as u32);
            let writes = self.writes[loc.0 as usize].iter().copied();
            let candidates =
                writes.filter(|write| *write != read && !caused.contains(&(*write as u32))).collect();
            self.reads.push((read, candidates));
        }
    }

    /// What an event causes inside its own instruction.
    fn caused_by(&self, event: u32) -> Vec<u32> {
        let mut caused = vec![event];
        let mut at = 0;
        while let Some(&from) = caused.get(at) {
            at += 1;
            for (source, to) in self.iico_data.iter().chain(&self.iico_ctrl).chain(&self.iico_order) {
                if *source == from && !caused.contains(to) {
                    caused.push(*to);
                }
            }
        }
        caused
    }
}

/// The numbers that the events of the paths get in a world.
struct Numbering {
    /// By thread and number in the path.
    of: Vec<Vec<u32>>,
    first_init: u32,
    n_memory: usize,
    n_main: usize,
    n_all: usize,
}

impl Numbering {
    fn new(paths: &[&Path], n_cells: usize) -> Numbering {
        let mut of: Vec<Vec<u32>> = paths.iter().map(|path| vec![0; path.events.len()]).collect();
        let mut next = 0u32;
        let mut number = |next: &mut u32, chosen: &dyn Fn(&Event) -> bool| {
            for (thread, path) in paths.iter().enumerate() {
                for (local, event) in path.events.iter().enumerate() {
                    if chosen(event) {
                        of[thread][local] = *next;
                        *next += 1;
                    }
                }
            }
        };
        number(&mut next, &Event::is_memory);
        let first_init = next;
        next += n_cells as u32;
        let n_memory = next as usize;
        number(&mut next, &|event| !event.is_memory() && !event.is_internal());
        let n_main = next as usize;
        number(&mut next, &Event::is_internal);
        Numbering { of, first_init, n_memory, n_main, n_all: next as usize }
    }
}
