//! The events of a world, thread by thread, with all that the names of a model can say of them among themselves.

use crate::model::{Group, LARGEST};
use crate::program::{LocId, Program, Sym, Value};

use super::{Event, EventKind, Names, World};

/// Numbers in the order of their first mention: which ones they are in the test does not matter.
#[derive(Default)]
struct Numbers(Vec<u16>);

impl Numbers {
    /// Its number, and whether it is mentioned for the first time.
    fn of(&mut self, known: u16) -> (u64, bool) {
        match self.0.iter().position(|one| *one == known) {
            Some(at) => (at as u64, false),
            None => {
                self.0.push(known);
                (self.0.len() as u64 - 1, true)
            }
        }
    }
}

/// A group being put together.
#[derive(Default)]
struct Begun {
    key: Vec<u64>,
    members: Vec<u32>,
    n_events: u64,
    registers: Numbers,
    places: Numbers,
    cells: Numbers,
    symbols: Numbers,
    codes: Numbers,
}

impl World {
    /// The events of each thread, and those of none. `None`: names say more of them than what the threads do.
    pub(super) fn groups(&self, names: &Names) -> Option<Vec<Group>> {
        let program = names.program;
        let annotated = program.threads.iter().any(|thread| !thread.annotations.is_empty());
        if !names.scopes.is_empty() || !names.regions.is_empty() || annotated {
            return None;
        }
        let flags = [program.machine.tables.is_some(), self.cells.is_split(), names.registers_visible];
        let flags = flags.into_iter().fold(0, |all, flag| all << 1 | u64::from(flag));
        let conventions = std::ptr::from_ref(program.conventions) as usize as u64;
        let begin = |thread: usize| {
            let mut key = Vec::with_capacity(256);
            // The third is for the sizes.
            key.extend([conventions, flags << 1 | u64::from(thread < program.threads.len()), 0]);
            Begun { key, ..Begun::default() }
        };
        let mut groups: Vec<Begun> = (0..=program.threads.len()).map(begin).collect();
        let number_of = |event: &Event| event.thread.map_or(program.threads.len(), usize::from);
        let mut local: Vec<u64> = Vec::with_capacity(self.events.len());
        for (number, event) in self.events.iter().enumerate() {
            let group = &mut groups[number_of(event)];
            local.push(group.n_events);
            group.n_events += 1;
            if number < names.n {
                group.members.push(number as u32);
            }
            group.add(event, program);
        }
        if groups.iter().any(|group| group.members.len() > LARGEST) {
            return None;
        }
        for group in &mut groups {
            group.key[2] = group.n_events << 32 | group.members.len() as u64;
        }
        for (kind, list) in self.edges.all().into_iter().enumerate() {
            for (from, to) in list {
                let [from, to] = [*from as usize, *to as usize];
                let number = number_of(&self.events[from]);
                if number_of(&self.events[to]) != number {
                    return None;
                }
                groups[number].key.push((kind as u64) << 60 | local[from] << 30 | local[to]);
            }
        }
        Some(groups.into_iter().map(|Begun { key, members, .. }| Group { key, members }).collect())
    }
}

impl Begun {
    /// All of an event but its values.
    fn add(&mut self, event: &Event, program: &Program) {
        let mut register = |reg: crate::program::Reg| self.registers.of(reg.0).0 << 8;
        let kind = match event.kind {
            EventKind::Init => 0,
            EventKind::Read => 1,
            EventKind::Write => 2,
            EventKind::Rmw => 3,
            EventKind::Fence => 4,
            EventKind::Other => 5,
            EventKind::Branch(kind) => 6 | (kind as u64) << 4,
            EventKind::RegRead(reg, port) => 7 | (port as u64) << 4 | register(reg),
            EventKind::RegWrite(reg) => 8 | register(reg),
        };
        let (code, _) = self.codes.of(event.code);
        let (place, new) = event.loc.map_or((0, false), |loc| self.places.of(loc.0));
        let loc = event.loc.map_or(0, |_| place + 1);
        let at = self.address(event);
        let extent = event.extent.map_or(0, |extent| 1 + u64::from(extent.is_aligned()));
        self.key.extend([
            kind | u64::from(event.instance) << 24,
            u64::from(event.pc) << 32 | code << 16 | event.sets.len() as u64,
            loc << 32 | u64::from(event.access),
            at << 2 | extent,
        ]);
        if let (Some(loc), true) = (event.loc, new) {
            self.describe(loc, event, program);
        }
        for name in &event.sets {
            // The last piece is not full, so that names end where they end.
            let mut pieces = name.as_bytes().chunks_exact(8);
            let word = |piece: &[u8]| piece.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.key.extend(pieces.by_ref().map(word));
            self.key.push(word(pieces.remainder()));
        }
    }

    /// What there is to know of a place in memory.
    fn describe(&mut self, LocId(place): LocId, event: &Event, program: &Program) {
        let cell = event.part.as_ref().map_or(place, |part| part.cell.0);
        let location = &program.locations[usize::from(cell)];
        let offset = event.part.as_ref().map_or(location.offset, |part| part.offset);
        let is_code = program.code_cells.iter().any(|code| code.sym == location.sym);
        let (cell, _) = self.cells.of(cell);
        let symbol = self.symbol(location.sym);
        let space = location.space as u64;
        self.key.extend([symbol << 32 | cell << 16 | space << 1 | u64::from(is_code), offset as u64]);
    }

    /// The address that it names; 0: none.
    fn address(&mut self, event: &Event) -> u64 {
        match event.at {
            None => 0,
            Some(Value::Page(symbol)) => self.symbol(symbol) << 2 | 1,
            Some(Value::Addr { sym, .. } | Value::Tagged { sym, .. }) => self.symbol(sym) << 2 | 2,
            Some(_) => 3,
        }
    }

    fn symbol(&mut self, Sym(symbol): Sym) -> u64 {
        self.symbols.of(symbol).0
    }
}
