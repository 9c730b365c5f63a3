//! One execution graph: events are added at the ends of threads, and taken off again.
//!
//! An event is known by its *slot*, which it keeps as long as it is there; the order in which events were added is a list. So a graph
//! that loses some events when a read is given another source keeps the rows of all others as they are: what an event
//! comes after never goes before it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bits::{Bits, add, and, each, first_free, has, none, one, or, remove, without};
use super::cells::Cells;
use super::code::{Base, Code};
use super::kept::{Facts, Kept, Which};
use super::members::Table;
use super::node::{Bound, NONE, Node, Role, Thread};
use super::state::{Join, Leaf, Spawn, State, Stop};
use crate::program::Value;

/// A graph.
pub(super) struct Graph<'p, const W: usize> {
    /// By slot; what is not present is stale.
    pub events: Vec<Node<'p>>,
    /// By slot: a number that tells this event, with the source that it has, from all others that are or were in any graph.
    pub stamps: Vec<u64>,
    pub values: Vec<Option<Value>>,
    pub present: Bits<W>,
    /// Slots in the order in which events were added.
    pub order: Vec<u16>,
    /// What was there when an event was added.
    pub earlier: Vec<Bits<W>>,
    pub threads: Vec<Thread<'p, W>>,
    /// Events of each cell.
    pub cells: Vec<Bits<W>>,
    /// Writes of each cell, in coherence order.
    pub co: Vec<Vec<u16>>,
    pub co_rows: Vec<Bits<W>>,
    /// Events of the same instruction instance so far, by event.
    pub instances: Vec<Bits<W>>,
    pub po: Vec<Bits<W>>,
    /// What must be there for an event to be: all that its thread did before, what its read takes, and so on.
    pub prefix: Vec<Bits<W>>,
    /// Likewise, with what threads did that are like its own and come first; empty as long as no two threads are alike.
    pub needs: Vec<Bits<W>>,
    pub visible: Bits<W>,
    pub initial: Bits<W>,
    pub kept: Kept<W>,
    /// What threads had inherited before each event.
    pub inherited: Vec<Bits<W>>,
    /// By flag: events that are known to have no pair with any event that was there.
    pub clean: Vec<Bits<W>>,
    /// A read-modify-write (one event) whose write has no place in the coherence order yet.
    pub pending: Option<Pending>,
}

/// An update that waits for its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pending {
    pub update: usize,
    /// What has not been checked either: the write that it was given in a revisit, if that was an update that had no place, what that was given, and so on.
    pub unchecked: Vec<usize>,
}

impl<'p, const W: usize> Graph<'p, W> {
    /// No event at all.
    pub fn empty(code: &Code) -> Graph<'p, W> {
        Graph {
            events: Vec::with_capacity(64 * W),
            stamps: vec![0; 64 * W],
            values: vec![None; 64 * W],
            present: none(),
            order: Vec::with_capacity(64 * W),
            earlier: vec![none(); 64 * W],
            threads: Vec::new(),
            cells: Vec::new(),
            co: Vec::new(),
            co_rows: vec![none(); 64 * W],
            instances: vec![none(); 64 * W],
            po: vec![none(); 64 * W],
            prefix: vec![none(); 64 * W],
            needs: Vec::new(),
            visible: none(),
            initial: none(),
            kept: Kept::new(code),
            inherited: vec![none(); 64 * W],
            clean: vec![none(); code.n_settled],
            pending: None,
        }
    }

    /// Initial writes only.
    pub fn new(code: &Code, initial: &[Value], stops: Vec<Stop<'p>>, members: &Table) -> Graph<'p, W> {
        let mut graph = Graph::empty(code);
        graph.threads = stops.into_iter().map(|stop| Thread::new(Arc::new(stop))).collect();
        graph.cells = vec![none(); initial.len()];
        graph.co = vec![Vec::new(); initial.len()];
        for (cell, value) in initial.iter().enumerate() {
            graph.initial(code, cell as u16, Some(*value), members);
        }
        graph
    }

    /// Adds the initial write of a cell.
    fn initial(&mut self, code: &Code, cell: u16, value: Option<Value>, members: &Table) {
        let slot = self.push(Node::initial(cell, value, members.initial));
        self.co[usize::from(cell)].push(slot as u16);
        self.fill(code, &[slot]);
    }

    /// Room for what is known of a cell.
    fn know(&mut self, cell: usize) {
        if self.cells.len() <= cell {
            self.cells.resize(cell + 1, none());
            self.co.resize(cell + 1, Vec::new());
        }
    }

    /// Sees to it that a cell made while the program runs has its initial write. It belongs to the step that comes next.
    pub fn ensure(&mut self, code: &Code, cell: u16, cells: &Cells, members: &Table) {
        let number = usize::from(cell);
        self.know(number);
        if self.co[number].is_empty() {
            self.initial(code, cell, cells.initial_of(number), members);
        }
    }

    /// How many events there are.
    pub fn n(&self) -> usize {
        self.order.len()
    }

    /// Room for so many more events?
    pub fn has_room(&self, more: usize) -> bool {
        self.n() + more <= 64 * W
    }

    /// The event that was added last.
    pub fn newest(&self) -> usize {
        self.order.last().map_or(0, |slot| usize::from(*slot))
    }

    /// Adds an event, without its rows; its slot.
    pub fn push(&mut self, mut node: Node<'p>) -> usize {
        let x = first_free(&self.present);
        self.stamps[x] = stamp();
        self.earlier[x] = self.present;
        add(&mut self.present, x);
        self.order.push(x as u16);
        if node.is_visible() {
            add(&mut self.visible, x);
        }
        if node.cell != NONE {
            // An event may name a cell that nobody accesses.
            self.know(usize::from(node.cell));
            add(&mut self.cells[usize::from(node.cell)], x);
        }
        self.values[x] = node.value();
        self.clean.iter_mut().for_each(|clean| remove(clean, x));
        self.co_rows[x] = none();
        if node.is_initial() {
            add(&mut self.initial, x);
            self.instances[x] = none();
            self.po[x] = none();
            self.inherited[x] = none();
        } else {
            self.append(&mut node, x);
        }
        match self.events.get_mut(x) {
            Some(slot) => *slot = node,
            None => self.events.push(node),
        }
        x
    }

    /// Puts an event at the end of its thread.
    fn append(&mut self, node: &mut Node<'p>, x: usize) {
        let own = usize::from(node.place.thread);
        let thread = &self.threads[own];
        node.previous = thread.last;
        node.peer = self.peer_of_next(own);
        let same = thread.last != NONE
            && self.events[usize::from(thread.last)].place.instance == node.place.instance;
        let before = if same { self.instances[usize::from(thread.last)] } else { none() };
        self.instances[x] = or(&before, &one(x));
        let mut po = and(&without(&thread.events, &before), &self.visible);
        // Inside an instruction: what it comes from.
        each(&before, |y| {
            let place = self.events[y].place.own;
            if self.events[y].is_visible() && place < 64 && node.inner >> place & 1 == 1 {
                add(&mut po, y);
            }
        });
        self.inherited[x] = self.threads[own].inherited;
        if let Role::Join(child) = node.role {
            let child = &self.threads[usize::from(child)];
            let joined = or(&child.events, &child.inherited);
            self.threads[own].inherited = or(&self.threads[own].inherited, &joined);
        }
        po = or(&po, &and(&self.threads[own].inherited, &self.visible));
        self.po[x] = if node.is_visible() { po } else { none() };
        add(&mut self.threads[own].events, x);
        self.threads[own].last = x as u16;
        if let Role::Spawn(child) = node.role {
            let inherited = or(&self.po[x], &one(x));
            let child = self.thread(usize::from(child));
            child.spawner = x as u16;
            child.inherited = inherited;
        }
    }

    /// A thread, which is there from now on.
    fn thread(&mut self, number: usize) -> &mut Thread<'p, W> {
        while self.threads.len() <= number {
            self.threads.push(Thread::new(Arc::new(Stop::Unborn)));
        }
        &mut self.threads[number]
    }

    /// Prefixes and rows of some events, each after those that it has edges from.
    pub fn fill(&mut self, code: &Code, events: &[usize]) {
        self.fill_rows(code, events, Which::All);
    }

    fn fill_rows(&mut self, code: &Code, events: &[usize], which: Which) {
        for x in events {
            let node = &self.events[*x];
            let mut prefix = none();
            let mut after = |y: usize, all: &[Bits<W>]| {
                prefix = or(&prefix, &all[y]);
                add(&mut prefix, y);
            };
            if node.previous != NONE {
                after(usize::from(node.previous), &self.prefix);
            } else if !node.is_initial() {
                let spawner = self.threads[usize::from(node.place.thread)].spawner;
                if spawner != NONE {
                    after(usize::from(spawner), &self.prefix);
                }
            }
            if let Role::Join(child) = node.role {
                let last = self.threads[usize::from(child)].last;
                if last != NONE {
                    after(usize::from(last), &self.prefix);
                }
            }
            if node.source != NONE {
                after(usize::from(node.source), &self.prefix);
            }
            self.prefix[*x] = prefix;
            self.fill_needs(*x);
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.add(code, events, which, &self.facts());
        self.kept = kept;
    }

    /// What rows are computed from.
    pub fn facts(&self) -> Facts<'_, 'p, W> {
        Facts {
            nodes: &self.events,
            present: self.present,
            visible: self.visible,
            initial: self.initial,
            threads: &self.threads,
            cells: &self.cells,
            instances: &self.instances,
            po: &self.po,
            values: &self.values,
        }
    }

    /// Makes the events from some place in the list on a step; its last one is the head.
    fn close(&mut self, from: usize, before: Arc<Stop<'p>>) {
        let count = self.n() - from;
        let head = self.newest();
        self.events[head].count = count as u16;
        self.events[head].before = Some(before);
    }

    /// Rows of the events from some place in the list on.
    fn fill_from(&mut self, code: &Code, from: usize) {
        match self.order[from..] {
            [x] => self.fill(code, &[usize::from(x)]),
            _ => {
                let events: Vec<usize> = self.order[from..].iter().map(|x| usize::from(*x)).collect();
                self.fill(code, &events);
            }
        }
    }

    /// A step of a thread: the events made before an access, and the access. The slot of the access.
    pub fn step(
        &mut self,
        code: &Code,
        leaf: &Leaf<'p>,
        bound: Bound<'p>,
        cells: &Cells,
        members: &Table,
    ) -> usize {
        let first = self.n();
        self.ensure(code, leaf.access.cell, cells, members);
        let from = self.n();
        for event in &leaf.state.fresh {
            self.push(Node::plain(event));
        }
        let head = self.push(Node::access(&leaf.access, &bound));
        let thread = usize::from(leaf.access.place.thread);
        let before = std::mem::replace(&mut self.threads[thread].stop, bound.stop);
        self.close(first, before);
        self.fill_from(code, from);
        head
    }

    /// A thread starts another.
    pub fn spawn(&mut self, code: &Code, spawn: &Spawn<'p>, (child, parent): (Stop<'p>, Stop<'p>)) {
        self.events_of(code, &spawn.state, Role::Spawn(spawn.child), Some(Arc::new(parent)));
        self.thread(usize::from(spawn.child)).stop = Arc::new(child);
    }

    /// A thread has waited for another.
    pub fn join(&mut self, code: &Code, join: &Join<'p>, next: Arc<Stop<'p>>) {
        self.events_of(code, &join.state, Role::Join(join.target), Some(next));
    }

    /// The events that a thread made after its last access.
    pub fn flush(&mut self, code: &Code, thread: usize) {
        let stop = self.threads[thread].stop.clone();
        let Some(state) = stop.last() else { return };
        self.events_of(code, state, Role::Nothing, None);
        self.threads[thread].flushed = true;
    }

    /// Adds the events that a thread has made as a step, the last of them with a role, if it is given one.
    fn events_of(&mut self, code: &Code, state: &State<'p>, role: Role, next: Option<Arc<Stop<'p>>>) {
        let from = self.n();
        let Some((last, others)) = state.fresh.split_last() else { return };
        for event in others {
            self.push(Node::plain(event));
        }
        let mut node = Node::plain(last);
        if role != Role::Nothing {
            node.role = role;
        }
        self.push(node);
        let thread = usize::from(last.place.thread);
        let before = self.threads[thread].stop.clone();
        if let Some(next) = next {
            self.threads[thread].stop = next;
        }
        self.close(from, before);
        self.fill_from(code, from);
    }

    /// A choice of the machine.
    pub fn choose(
        &mut self,
        code: &Code,
        thread: usize,
        (way, stop): (usize, Arc<Stop<'p>>),
        members: &Table,
    ) {
        let from = self.n();
        let instance = match self.threads[thread].last {
            NONE => 0,
            last => self.events[usize::from(last)].place.instance,
        };
        let before = std::mem::replace(&mut self.threads[thread].stop, stop);
        self.push(Node::choice(thread, instance, way, members.choice));
        self.close(from, before);
        self.fill_from(code, from);
    }

    /// Gives a read that was added last its source.
    pub fn bind(&mut self, code: &Code, read: usize, bound: Bound<'p>) {
        let node = &mut self.events[read];
        (node.source, node.read, node.written) = (bound.source, bound.read, bound.written);
        (node.way, node.canonical) = (bound.way, bound.canonical);
        self.values[read] = node.value();
        self.clean.iter_mut().for_each(|clean| remove(clean, read));
        let thread = usize::from(node.place.thread);
        self.threads[thread].stop = bound.stop;
        self.stamps[read] = stamp();
        self.fill_rows(code, &[read], Which::Bound);
    }

    /// Takes the last step off.
    pub fn pop(&mut self) {
        let head = self.newest();
        let node = &mut self.events[head];
        let thread = usize::from(node.place.thread);
        let count = node.count.max(1);
        if let Some(before) = node.before.take() {
            self.threads[thread].stop = before;
            self.threads[thread].flushed = false;
        }
        if let Role::Spawn(child) = self.events[head].role {
            self.threads[usize::from(child)] = Thread::new(Arc::new(Stop::Unborn));
        }
        for _ in 0..count {
            let Some(x) = self.order.pop() else { return };
            let x = usize::from(x);
            self.stamps[x] = 0;
            remove(&mut self.present, x);
            remove(&mut self.visible, x);
            let node = &self.events[x];
            if node.cell != NONE {
                remove(&mut self.cells[usize::from(node.cell)], x);
            }
            if node.is_initial() {
                remove(&mut self.initial, x);
                self.co[usize::from(node.cell)].clear();
                continue;
            }
            let thread = &mut self.threads[thread];
            remove(&mut thread.events, x);
            thread.last = node.previous;
            thread.inherited = self.inherited[x];
        }
    }

    /// All events, each after what it has edges from: a read may be older than its source.
    pub fn by_prefix(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.n());
        let mut done: Bits<W> = none();
        let mut late: Vec<(u16, usize)> = Vec::new();
        for x in &self.order {
            let x = usize::from(*x);
            let source = self.events[x].source;
            if source != NONE && !has(&done, usize::from(source)) {
                late.push((source, x));
                continue;
            }
            let mut at = order.len();
            order.push(x);
            add(&mut done, x);
            // Those that were waiting for it.
            while at < order.len() {
                let now = order[at] as u16;
                late.retain(|(source, read)| {
                    let waited = *source == now;
                    if waited {
                        order.push(*read);
                        add(&mut done, *read);
                    }
                    !waited
                });
                at += 1;
            }
        }
        order
    }
}

/// A number that was never given before. Each worker has its own.
fn stamp() -> u64 {
    static WORKERS: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
    NEXT.with(|next| {
        if next.get() & ((1 << 40) - 1) == 0 {
            next.set(WORKERS.fetch_add(1, Ordering::Relaxed) << 40);
        }
        next.set(next.get() + 1);
        next.get()
    })
}

/// Where a base relation leads to an event from, among all that is there.
pub(super) fn base_row<const W: usize>(facts: &Facts<W>, base: Base, y: usize) -> Bits<W> {
    let node = &facts.nodes[y];
    if !has(&facts.visible, y) {
        return none();
    }
    match base {
        Base::Loc if node.cell != NONE => facts.cells[usize::from(node.cell)],
        Base::Int if !node.is_initial() => {
            and(&facts.threads[usize::from(node.place.thread)].events, &facts.visible)
        }
        Base::Ext if node.is_initial() => without(&facts.visible, &facts.initial),
        Base::Ext => without(&facts.visible, &facts.threads[usize::from(node.place.thread)].events),
        Base::SameInstance if !node.is_initial() => {
            let mut same = none();
            each(&and(&facts.threads[usize::from(node.place.thread)].events, &facts.visible), |z| {
                if facts.nodes[z].place.instance == node.place.instance {
                    add(&mut same, z);
                }
            });
            same
        }
        _ => none(),
    }
}
