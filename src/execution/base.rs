//! What a model can ask about a world by name: predefined sets and relations.

use std::cmp::Reverse;

use smallvec::SmallVec;

use crate::model::{Base, Group, Universe, Val, ValueTest};
use crate::program::{self, BranchKind, LocId, Port, Program, ScopeTree, SetName, Space, Value};
use crate::relation::{Rel, Set};

use super::{Event, EventKind, SymVal, World};

/// What names mean, besides the world itself.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The program.
    pub program: &'a Program,
    /// Scope trees of the test.
    pub scopes: &'a [ScopeTree],
    /// Regions of the test: global and region.
    pub regions: &'a [(String, String)],
    /// Are register events among the events that the model sees (`catdep`)?
    pub registers_visible: bool,
    /// Sets and relations are over `0..n`: all events, or only those that are not register events.
    pub n: usize,
}

/// The relation from the events of a level to those of the level below; among the scope trees, a tree of that name has the threads of both.
pub const NEXT_LEVEL: &str = "next-level";

/// Sets that events are in by name, over all events; hidden ones are in none. Models ask for many more names than a test has events for.
pub(super) type Tags = Vec<(SetName, Set)>;

impl World {
    /// The events that are in a set by its name.
    fn tagged(&self, name: &str) -> Option<&Set> {
        let tags = self.tags.get_or_init(|| {
            let mut tags = Tags::new();
            for (number, event) in self.events.iter().enumerate().filter(|(_, event)| !event.is_hidden()) {
                for name in &event.sets {
                    match tags.iter_mut().find(|(known, _)| known == name) {
                        Some((_, set)) => set.insert(number),
                        None => tags.push((name.clone(), Set::of(self.events.len(), [number]))),
                    }
                }
            }
            tags
        });
        tags.iter().find(|(known, _)| known == name).map(|(_, set)| set)
    }

    /// Those of the events that the model sees, for which something holds.
    fn select(&self, names: &Names, holds: impl Fn(&Event) -> bool) -> Set {
        let wanted = |e: &usize| names.sees(&self.events[*e]) && holds(&self.events[*e]);
        Set::of(names.n, (0..self.end_of_seen(names)).filter(wanted))
    }

    /// From here on there are only events that the model does not see.
    fn end_of_seen(&self, names: &Names) -> usize {
        if names.registers_visible { names.n } else { names.n.min(self.n_main) }
    }

    /// A predefined set that the program fixes. `None`: there is no set of that name here.
    pub fn set(&self, base: &Base, names: &Names) -> Option<Set> {
        let kind = |wanted: EventKind| self.select(names, |e| e.kind == wanted);
        Some(match base {
            Base::M => self.select(names, Event::is_memory),
            Base::Exp => self.select(names, |e| e.is_memory() && !e.is_implicit()),
            Base::NExp => self.select(names, |e| e.is_memory() && e.is_implicit()),
            Base::R => self.select(names, Event::is_read),
            Base::W => self.select(names, Event::is_write),
            Base::Iw => kind(EventKind::Init),
            Base::F => kind(EventKind::Fence),
            Base::B => self.select(names, |e| matches!(e.kind, EventKind::Branch(_))),
            Base::InstrAccesses => self.select(names, |e| e.is_memory() && names.is_code(e)),
            Base::RestrictedCmodx => {
                self.select(names, |e| e.is_memory() && names.is_code(e) && self.is_restricted(e, names))
            }
            Base::Bcc => kind(EventKind::Branch(BranchKind::Bcc)),
            Base::Pred => kind(EventKind::Branch(BranchKind::Pred)),
            Base::RegReads => self.select(names, |e| matches!(e.kind, EventKind::RegRead(..))),
            Base::RegWrites => self.select(names, |e| matches!(e.kind, EventKind::RegWrite(_))),
            Base::AddrReads => self.select(names, |e| matches!(e.kind, EventKind::RegRead(_, Port::Addr))),
            Base::DataReads => self.select(names, |e| matches!(e.kind, EventKind::RegRead(_, Port::Data))),
            Base::Exec => self.select(names, |_| true),
            Base::Spurious => self.named("SPURIOUS", names),
            Base::Spec => Set::empty(names.n),
            Base::Named(name) if &**name == "T" => {
                self.select(names, |e| e.is_memory() && self.holds(e, Space::Tag, names))
            }
            Base::Named(name)
                if names.program.machine.tables.is_some() && matches!(&**name, "PTE" | "D-PTE") =>
            {
                let data = &**name == "D-PTE";
                self.select(names, |e| {
                    e.is_memory() && self.is_entry(e, names) && !(data && e.is_in(program::FETCH))
                })
            }
            Base::Named(name) if names.program.machine.tables.is_some() && &**name == "PA" => {
                self.select(names, |e| e.is_memory() && self.holds(e, Space::Data, names))
            }
            Base::Named(name) => {
                let name: &str = name;
                let conventions = names.program.conventions;
                let set = match name {
                    "NA" if conventions.non_atomics => self.select(names, |e| !e.is_in("A")),
                    "EXC-RET" => kind(EventKind::Branch(BranchKind::Return)),
                    "X" | "RMW" if conventions.one_event_rmw => {
                        self.select(names, |e| e.kind == EventKind::Rmw || e.is_in("X") || e.is_in("RMW"))
                    }
                    _ => self.named(name, names),
                };
                let is_annotation =
                    || names.program.threads.iter().any(|t| t.annotations.iter().any(|a| a == name));
                if set.is_empty() && !names.declares(name) && !is_annotation() {
                    return None;
                }
                set
            }
            _ => return None,
        })
    }

    /// The events that carry a name, are in a region of that name, or of a thread of that name.
    fn named(&self, name: &str, names: &Names) -> Set {
        let mut set = match self.tagged(name) {
            Some(tagged) => tagged.within(&Set::below(self.end_of_seen(names), names.n)),
            None => Set::empty(names.n),
        };
        let threads = &names.program.threads;
        if !names.regions.is_empty() || threads.iter().any(|t| !t.annotations.is_empty()) {
            set.union_with(&self.select(names, |e| {
                let annotated =
                    |thread: u16| threads[usize::from(thread)].annotations.iter().any(|a| a == name);
                names.regions_of(e).any(|region| upper(region) == name) || e.thread.is_some_and(annotated)
            }));
        }
        set
    }

    /// A predefined relation that the program fixes. `None`: there is no relation of that name here.
    pub fn rel(&self, base: &Base, names: &Names) -> Option<Rel> {
        let n = names.n;
        let pairs = |list: &[(u32, u32)]| {
            let within = list.iter().filter(|(a, b)| (*a as usize) < n && (*b as usize) < n);
            Rel::of(n, within.map(|(a, b)| (*a as usize, *b as usize)))
        };
        let cut = |rel: &Rel| match rel.n() == n {
            true => rel.clone(),
            false => Rel::of(n, rel.iter().filter(|(a, b)| *a < n && *b < n)),
        };
        // Over the events that the model sees.
        let over = |f: &dyn Fn(&Event, &Event) -> bool| {
            let seen: Vec<usize> = (0..n).filter(|e| names.sees(&self.events[*e])).collect();
            let mut rel = Rel::empty(n);
            for a in &seen {
                for b in &seen {
                    if f(&self.events[*a], &self.events[*b]) {
                        rel.insert(*a, *b);
                    }
                }
            }
            rel
        };
        let dependencies = || self.dependencies(names.program.conventions);
        Some(match base {
            Base::Id => Rel::id_on(&self.visible(names)),
            Base::Po => {
                let seen = self.visible(names);
                let mut po = self.program_order(n);
                if names.program.conventions.po_inside {
                    // Also the order inside an instruction, between events that are not register events.
                    self.add_intra_order(&mut po);
                }
                match seen.len() == n {
                    true => po,
                    false => po.restrict(&seen),
                }
            }
            Base::Int => self.classes(n, |e| e.thread.filter(|_| names.sees(e))),
            Base::Ext => {
                let seen = self.visible(names);
                let threads = self.classes(n, |e| names.sees(e).then_some(e.thread));
                Rel::product(&seen, &seen).diff(&threads)
            }
            Base::Loc => self.classes(n, |e| place(e).filter(|_| names.sees(e))),
            Base::InvDomain => self.invalidated(names),
            Base::Alias => Rel::empty(n),
            Base::SameLowOrderBits => {
                let offset = |e: &Event| match &e.part {
                    Some(part) => Some(part.offset),
                    None => e.loc.map(|loc| names.program.locations[loc.0 as usize].offset),
                };
                self.classes(n, |e| offset(e).filter(|_| names.sees(e)))
            }
            Base::RfReg => pairs(&self.edges.rf_reg),
            Base::IicoData => pairs(&self.edges.iico_data),
            Base::IicoCtrl => pairs(&self.edges.iico_ctrl),
            Base::IicoOrder => pairs(&self.edges.iico_order),
            Base::SameInstance => self.same(n, |e| e.instance),
            Base::SameInstr | Base::Instr => self.same(n, |e| (e.code, e.pc)),
            Base::SameStatic => {
                let rank = self.ranks();
                let mut rel = Rel::empty(n);
                for (a, b) in self.same(n, |e| (e.code, e.pc)).iter() {
                    if rank[a] == rank[b] {
                        rel.insert(a, b);
                    }
                }
                rel
            }
            Base::Addr => cut(&dependencies().addr),
            Base::Data => cut(&dependencies().data),
            Base::Ctrl => cut(&dependencies().ctrl),
            Base::Depend => cut(&dependencies().depend),
            Base::Control => pairs(&self.edges.control),
            Base::Sm | Base::Si => {
                let alone = |e: &Event| e.is_memory() || !self.cells.is_split() && e.is_fault();
                let mut rel = Rel::empty(n);
                for (number, event) in self.events[..n].iter().enumerate() {
                    if alone(event) && names.sees(event) {
                        rel.insert(number, number);
                    }
                }
                // Only memory events are parts of accesses, and they come first: most of a world need not be looked at.
                let memory = self.n_memory.min(n);
                for (a, one) in self.events[..memory].iter().enumerate() {
                    for (b, other) in self.events[..memory].iter().enumerate() {
                        if is_one_access(one, other) {
                            rel.insert(a, b);
                        }
                    }
                }
                rel
            }
            Base::Aligned if self.cells.is_split() => {
                let aligned = |e: &Event| e.extent.is_some_and(|extent| extent.is_aligned());
                over(&|a, b| a.is_memory() && aligned(a) && (std::ptr::eq(a, b) || is_one_access(a, b)))
            }
            Base::Success | Base::Tst | Base::Aligned | Base::PartialPo | Base::EquivSpec => Rel::empty(n),
            Base::NextLevel => {
                let parents = names.scopes.iter().filter(|tree| tree.name == NEXT_LEVEL);
                let pairs: Vec<(&[usize], &[usize])> = parents
                    .flat_map(|tree| tree.children.iter().map(|c| (&*tree.threads, &*c.threads)))
                    .collect();
                over(&|a, b| match (a.thread, b.thread) {
                    (Some(a), Some(b)) => {
                        let (a, b) = (usize::from(a), usize::from(b));
                        pairs.iter().any(|(upper, lower)| upper.contains(&a) && lower.contains(&b))
                    }
                    _ => false,
                })
            }
            Base::Named(name) => {
                let mut classes = Vec::new();
                for tree in names.scopes {
                    scope_classes(tree, name, &mut classes);
                }
                if classes.is_empty() {
                    return None;
                }
                over(&|a, b| match (a.thread, b.thread) {
                    (Some(a), Some(b)) => {
                        classes.iter().any(|c| c.contains(&usize::from(a)) && c.contains(&usize::from(b)))
                    }
                    _ => false,
                })
            }
            _ => return None,
        })
    }

    /// The cell of the program that an event is about.
    pub(super) fn cell(&self, event: &Event) -> Option<LocId> {
        event.part.as_ref().map_or(event.loc, |part| Some(part.cell))
    }

    /// Is the instruction that it reads or writes one that must not be modified while it may run? One that depends on where a
    /// read takes it from counts only where that is known.
    fn is_restricted(&self, event: &Event, names: &Names) -> bool {
        let value = event.written_value().or(event.value.as_ref());
        let value = value.and_then(|value| self.only_value(value, names, names.n));
        matches!(value, Some(Value::Instr(number)) if names.program.restricted.contains(&number))
            || event.is_in("Restricted-CMODX")
    }

    /// A value that follows from reads with one write each to take theirs from, in at most so many steps.
    fn only_value(&self, value: &SymVal, names: &Names, steps: usize) -> Option<Value> {
        if steps == 0 || value.known().is_some() {
            return value.known();
        }
        let [read] = value.reads()[..] else { return None };
        let (_, candidates) = self.reads.iter().find(|(event, _)| *event == read as usize)?;
        let [write] = candidates[..] else { return None };
        let taken = self.only_value(self.events[write].written_value()?, names, steps - 1)?;
        value.eval_with(&|r| (r == read).then_some(taken), names.program.bits).ok()?
    }

    /// Is its cell one of these?
    fn holds(&self, event: &Event, space: Space, names: &Names) -> bool {
        self.cell(event).is_some_and(|cell| names.program.locations[usize::from(cell.0)].space == space)
    }

    /// Is its cell a page table entry, whatever of?
    fn is_entry(&self, event: &Event, names: &Names) -> bool {
        self.holds(event, Space::Pte, names) || self.holds(event, Space::Table, names)
    }

    /// Which page table accesses each TLB maintenance concerns, and back: those of the page it names, or all.
    fn invalidated(&self, names: &Names) -> Rel {
        let mut rel = Rel::empty(names.n);
        for (from, tlbi) in self.events[..names.n].iter().enumerate().filter(|(_, e)| e.is_in("TLBI")) {
            for (to, event) in self.events[..names.n].iter().enumerate() {
                let at_entry = self.is_entry(event, names);
                let sym = self.cell(event).map(|cell| names.program.locations[usize::from(cell.0)].sym);
                let concerned = match tlbi.at {
                    None => at_entry,
                    Some(Value::Page(page)) => {
                        let walk = self.holds(event, Space::Pte, names);
                        walk && event.is_memory() && sym == Some(page)
                    }
                    Some(_) => false,
                };
                if concerned {
                    rel.insert(from, to);
                    rel.insert(to, from);
                }
            }
        }
        rel
    }

    /// The events that the model sees.
    pub fn visible(&self, names: &Names) -> Set {
        // Those that no model sees are among the last.
        match names.registers_visible && names.n > self.n_main {
            true => self.select(names, |_| true),
            false => Set::below(self.end_of_seen(names), names.n),
        }
    }

    /// Pairs of events of one thread in different instruction instances, in order; over the first `n` events.
    pub fn program_order(&self, n: usize) -> Rel {
        let events = &self.events[..n];
        let mut threads: Vec<Vec<(u32, usize)>> = Vec::new();
        for (number, event) in events.iter().enumerate() {
            let Some(thread) = event.thread.map(usize::from) else { continue };
            if threads.len() <= thread {
                threads.resize_with(thread + 1, Vec::new);
            }
            threads[thread].push((event.instance, number));
        }
        let mut rel = Rel::empty(n);
        for mut thread in threads {
            // From the last instruction to the first: before all that has been seen.
            thread.sort_unstable_by_key(|(instance, _)| Reverse(*instance));
            let mut later = Set::empty(n);
            for instruction in thread.chunk_by(|one, other| one.0 == other.0) {
                instruction.iter().for_each(|(_, event)| rel.set_row(*event, &later));
                instruction.iter().for_each(|(_, event)| later.insert(*event));
            }
        }
        rel
    }

    /// Events with equal keys, each with itself, too; those without a key are left out.
    fn classes<K: PartialEq>(&self, n: usize, key: impl Fn(&Event) -> Option<K>) -> Rel {
        let mut classes: Vec<(K, Set)> = Vec::new();
        for (number, event) in self.events[..n].iter().enumerate() {
            let Some(key) = key(event) else { continue };
            match classes.iter_mut().find(|(known, _)| *known == key) {
                Some((_, class)) => class.insert(number),
                None => classes.push((key, Set::of(n, [number]))),
            }
        }
        Rel::of_classes(n, classes.iter().map(|(_, class)| class))
    }

    /// Adds the order inside instructions, between events that are not register events: it leads through these.
    fn add_intra_order(&self, rel: &mut Rel) {
        let main = self.n_main.min(rel.n());
        let mut next: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); self.events.len()];
        for (from, to) in self.edges.iico() {
            next[*from as usize].push(*to);
        }
        let mut left = Vec::new();
        for from in (0..main).filter(|event| !next[*event].is_empty()) {
            let mut seen = Set::empty(self.events.len());
            left.push(from as u32);
            while let Some(event) = left.pop() {
                for to in &next[event as usize] {
                    let to = *to as usize;
                    if !seen.contains(to) {
                        seen.insert(to);
                        left.push(to as u32);
                        if to < main {
                            rel.insert(from, to);
                        }
                    }
                }
            }
        }
    }

    /// Events of one thread with equal keys.
    fn same<K: PartialEq>(&self, n: usize, key: impl Fn(&Event) -> K) -> Rel {
        self.classes(n, |e| Some((e.thread?, key(e))))
    }

    /// How many events of the same instruction instance and of the same sort come before each event.
    fn ranks(&self) -> Vec<(u8, usize)> {
        let sort = |e: &Event| match e.kind {
            EventKind::RegRead(..) => 0,
            EventKind::RegWrite(_) => 1,
            EventKind::Read | EventKind::Rmw => 2,
            EventKind::Write | EventKind::Init => 3,
            EventKind::Fence => 4,
            EventKind::Branch(_) => 5,
            EventKind::Other => 6,
        };
        let mut ranks = Vec::with_capacity(self.events.len());
        for (number, event) in self.events.iter().enumerate() {
            let before = self.events[..number].iter().filter(|e| {
                e.thread == event.thread && e.instance == event.instance && sort(e) == sort(event)
            });
            ranks.push((sort(event), before.count()));
        }
        ranks
    }
}

impl Names<'_> {
    #[inline]
    fn sees(&self, event: &Event) -> bool {
        if self.registers_visible { !event.is_hidden() } else { !event.is_internal() }
    }

    /// Is there a set of that name even if no event is in it?
    fn declares(&self, name: &str) -> bool {
        self.program.conventions.sets.contains(name)
    }

    /// Is it about a cell that holds an instruction?
    fn is_code(&self, event: &Event) -> bool {
        let cell = event.part.as_ref().map_or(event.loc, |part| Some(part.cell));
        let sym = cell.map(|loc| self.program.locations[usize::from(loc.0)].sym);
        self.program.code_cells.iter().any(|cell| Some(cell.sym) == sym)
    }

    fn regions_of<'s>(&'s self, event: &Event) -> impl Iterator<Item = &'s str> {
        let cell = event.part.as_ref().map_or(event.loc, |part| Some(part.cell));
        let name = cell.map(|loc| self.program.locations[loc.0 as usize].name.as_str());
        self.regions
            .iter()
            .filter(move |(global, _)| Some(global.as_str()) == name)
            .map(|(_, region)| region.as_str())
    }
}

/// Two events of one access: parts of it, where cells are cut up, or the halves of an exclusive pair. (Plain pairs are two
/// accesses, and so are, for herd7, the halves of a compare-and-swap pair.) The initial writes of one cell are one, too.
fn is_one_access(a: &Event, b: &Event) -> bool {
    if a.thread.is_none() {
        let cell = |e: &Event| e.part.as_ref().map(|part| part.cell);
        return b.thread.is_none() && cell(a).is_some() && cell(a) == cell(b);
    }
    let exclusive = || [a, b].iter().all(|e| e.sets.iter().any(|s| s == "EX"));
    (a.thread, a.instance) == (b.thread, b.instance)
        && (a.is_read(), a.is_write()) == (b.is_read(), b.is_write())
        && a.is_memory()
        && b.is_memory()
        && (a.access == b.access || exclusive())
}

/// Where an event is: its memory cell, its register, or the symbol of the address that it names.
fn place(event: &Event) -> Option<(u8, u16, u16)> {
    match (event.kind, event.loc, event.at) {
        (EventKind::RegRead(reg, _) | EventKind::RegWrite(reg), ..) => Some((1, event.thread?, reg.0)),
        (_, Some(loc), _) => Some((0, 0, loc.0)),
        (_, None, Some(Value::Page(sym))) => Some((2, 0, sym.0)),
        (_, None, Some(Value::Addr { sym, .. } | Value::Tagged { sym, .. })) => Some((3, 0, sym.0)),
        _ => None,
    }
}

/// The name of a set made from a tag: its first letter in upper case.
fn upper(tag: &str) -> String {
    let mut chars = tag.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// The classes of threads of every node named `name`.
fn scope_classes(tree: &ScopeTree, name: &str, classes: &mut Vec<Vec<usize>>) {
    if tree.name == name {
        let mut threads = Vec::new();
        threads_of(tree, &mut threads);
        classes.push(threads);
    }
    for child in &tree.children {
        scope_classes(child, name, classes);
    }
}

fn threads_of(tree: &ScopeTree, threads: &mut Vec<usize>) {
    threads.extend_from_slice(&tree.threads);
    for child in &tree.children {
        threads_of(child, threads);
    }
}

/// A world as interpreted leaves of a model see it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The world.
    pub world: &'a World,
    /// What names mean.
    pub names: Names<'a>,
}

impl<'a> View<'a> {
    /// The same without register events, where names say nothing of these: what a model says of the others by name is the same.
    pub fn without_registers(&self) -> Option<View<'a>> {
        let View { world, names } = *self;
        let nameless = |event: &Event| event.sets.is_empty() || event.is_hidden();
        let annotated = names.program.threads.iter().any(|thread| !thread.annotations.is_empty());
        let can = names.n > world.n_main && !annotated && world.events[world.n_main..].iter().all(nameless);
        can.then_some(View { world, names: Names { n: world.n_main, ..names } })
    }
}

impl Universe for View<'_> {
    fn n_events(&self) -> usize {
        self.names.n
    }

    fn visible(&self) -> Set {
        self.world.visible(&self.names)
    }

    fn base(&self, base: &Base) -> Option<Val> {
        // Where both exist the relation wins.
        let rel = self.world.rel(base, &self.names).map(Val::Rel);
        rel.or_else(|| self.world.set(base, &self.names).map(Val::Set))
    }

    fn lacks(&self, base: &Base) -> bool {
        /// Names that events have without carrying them.
        const MEANT: [&str; 8] = ["T", "PTE", "D-PTE", "PA", "NA", "EXC-RET", "X", "RMW"];
        let Base::Named(name) = base else { return false };
        let Names { program, scopes, regions, .. } = self.names;
        self.world.tagged(name).is_none()
            && !MEANT.contains(&&**name)
            && scopes.is_empty()
            && regions.is_empty()
            && program.threads.iter().all(|thread| thread.annotations.is_empty())
    }

    fn location_classes(&self) -> Vec<Set> {
        let mut classes: Vec<((u8, u16, u16), Set)> = Vec::new();
        for number in 0..self.names.n {
            let event = &self.world.events[number];
            let Some(place) = place(event).filter(|_| self.names.sees(event)) else { continue };
            match classes.iter_mut().find(|(p, _)| *p == place) {
                Some((_, set)) => set.insert(number),
                None => classes.push((place, Set::of(self.names.n, [number]))),
            }
        }
        classes.into_iter().map(|(_, set)| set).collect()
    }

    fn test_values(&self, test: ValueTest, a: usize, b: usize) -> Option<bool> {
        self.world.test_possible(test, self.names.program, a, b)
    }

    fn groups(&self) -> Option<Vec<Group>> {
        self.world.groups(&self.names)
    }

    fn events_of_location(&self, name: &str) -> Option<Set> {
        let loc = self.names.program.locations.iter().position(|cell| cell.name == name)?;
        let places = self.world.cells.of(LocId(loc as u16));
        let here = |e: &usize| self.world.events[*e].loc.is_some_and(|l| places.contains(&usize::from(l.0)));
        Some(Set::of(self.names.n, (0..self.names.n).filter(here)))
    }
}
