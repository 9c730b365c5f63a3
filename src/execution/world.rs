//! A world: one path per thread, put together.

use std::sync::{Arc, OnceLock};

use crate::diag::Diagnostic;
use crate::program::{Conventions, LocId, Reg, Value};

use super::base::Tags;
use super::cells::Cells;
use super::path::{Path, Violation};
use super::updates::Update;
use super::{Cut, Dependencies, Edges, Event, EventKind, SymVal};

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
    /// What the instructions of each thread settle among its events.
    pub edges: Edges,
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

impl World {
    pub(super) fn new(paths: &[&Path], cells: &Arc<Cells>, observed: &[LocId], updates: &[Update]) -> World {
        let numbers = Numbering::new(paths, cells.len() + 2 * updates.len());
        let mut world = World {
            events: Vec::new(),
            n_memory: numbers.n_memory,
            n_main: numbers.n_main,
            constraints: Vec::new(),
            collisions: Vec::new(),
            final_regs: Vec::new(),
            writes: vec![Vec::new(); cells.len()],
            reads: Vec::new(),
            edges: Edges::default(),
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
            world.edges.extend_with(&path.edges, pairs);
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
        // Each number is given once: events go to their places, which is less to move than in sorting them.
        let mut placed: Vec<Option<Event>> = events.iter().map(|_| None).collect();
        for (number, event) in events {
            placed[number as usize] = Some(event);
        }
        world.events = placed.into_iter().flatten().collect();
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
            for (source, to) in self.edges.iico() {
                if *source == from && !caused.contains(to) {
                    caused.push(*to);
                }
            }
        }
        caused
    }
}

/// The numbers that the events of the paths get in a world.
pub(super) struct Numbering {
    /// By thread and number in the path.
    pub(super) of: Vec<Vec<u32>>,
    first_init: u32,
    n_memory: usize,
    n_main: usize,
    n_all: usize,
}

impl Numbering {
    pub(super) fn new(paths: &[&Path], n_cells: usize) -> Numbering {
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
