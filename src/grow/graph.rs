//! One execution graph, and what is done to it: events are added at the ends of threads, taken off again, and thrown away
//! when a read is given a source that came later.

use std::sync::Arc;

use super::bits::{Bits, add, and, below, each, has, none, one, or, remove, without};
use super::bounds::Floor;
use super::cells::Cells;
use super::compile::{Base, Code};
use super::rows::{Facts, Kept, Seen};
use super::step::{Access, Join, Leaf, Place, Plain, Spawn, State, Stop};
use crate::execution::EventKind;
use crate::program::{SetName, Sym, Value};

/// No event.
pub(super) const NONE: u16 = u16::MAX;

/// An event of a graph. Its number is its place in the order in which events were added.
#[derive(Clone)]
pub(super) struct Node<'p> {
    pub place: Place,
    pub kind: Kind,
    pub cell: u16,
    /// The object that an access goes to, and the byte in it.
    pub at: Option<(Sym, i64)>,
    pub sets: &'p [SetName],
    pub members: u128,
    pub read: Option<Value>,
    pub written: Option<Value>,
    /// Where a read takes its value from.
    pub source: u16,
    /// The last event of its step: what was added together goes together.
    pub head: u16,
    /// Of a head: where the thread was before the step, and the first event of the step.
    pub before: Option<Arc<Stop<'p>>>,
    pub first: u16,
    /// Of a head: which of the ways to go on was taken, and is it the one that a deleted event must have taken?
    pub way: u16,
    pub canonical: bool,
    inner: u64,
    /// What it does to threads and objects.
    pub role: Role,
}

/// What an event does besides being one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Nothing,
    /// Starts that thread.
    Spawn(u16),
    /// Waits for that thread.
    Join(u16),
    /// Ends the life of that object.
    Free(Sym),
}

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An event of the program.
    Event(EventKind),
    /// A choice of the machine: no event that the model sees.
    Choice,
}

impl Node<'_> {
    pub fn is_read(&self) -> bool {
        matches!(self.kind, Kind::Event(EventKind::Read | EventKind::Rmw))
    }

    pub fn is_write(&self) -> bool {
        matches!(self.kind, Kind::Event(EventKind::Init | EventKind::Write | EventKind::Rmw))
    }

    pub fn is_rmw(&self) -> bool {
        self.kind == Kind::Event(EventKind::Rmw)
    }
}

/// A thread of a graph.
#[derive(Clone)]
pub(super) struct Thread<'p, const W: usize> {
    pub stop: Arc<Stop<'p>>,
    /// Have the events that it made since its last access been added, although there is no next one?
    pub flushed: bool,
    pub events: Bits<W>,
    last: u16,
    /// The event that started it.
    spawner: u16,
    /// Events of other threads that all it does comes after: what was there when it was started, and what it waited for.
    inherited: Bits<W>,
}

impl<'p, const W: usize> Thread<'p, W> {
    fn new(stop: Arc<Stop<'p>>) -> Thread<'p, W> {
        Thread { stop, flushed: false, events: none(), last: NONE, spawner: NONE, inherited: none() }
    }

    /// Has it come to its end, with all its events added?
    pub fn has_ended(&self) -> bool {
        matches!(&*self.stop, Stop::Ended(state) if state.fresh.is_empty() || self.flushed)
    }
}

/// A graph.
#[derive(Clone)]
pub(super) struct Graph<'p, const W: usize> {
    pub events: Vec<Node<'p>>,
    pub values: Vec<Option<Value>>,
    pub threads: Vec<Thread<'p, W>>,
    /// Events of each cell.
    pub cells: Vec<Bits<W>>,
    /// Writes of each cell, in coherence order.
    pub co: Vec<Vec<u16>>,
    pub co_rows: Vec<Bits<W>>,
    /// Events of the same instruction instance so far, by event.
    instances: Vec<Bits<W>>,
    po: Vec<Bits<W>>,
    /// What must be there for an event to be: all that its thread did before, what its read takes, and so on.
    pub prefix: Vec<Bits<W>>,
    visible: Bits<W>,
    initial: Bits<W>,
    kept: Kept<W>,
    /// What threads had inherited before each event.
    inherited: Vec<Bits<W>>,
    /// A read-modify-write (one event) whose write has no place in the coherence order yet.
    pub pending: Option<usize>,
}

/// What an access finds: its source and the value there, and what it makes of it.
pub(super) struct Bound<'p> {
    pub source: u16,
    pub read: Option<Value>,
    pub written: Option<Value>,
    pub stop: Arc<Stop<'p>>,
    pub way: u16,
    pub canonical: bool,
}

/// How events of a graph get their memberships.
pub(super) trait Members: Sync {
    fn members(&self, kind: EventKind, thread: Option<u16>, cell: Option<u16>, sets: &[SetName]) -> u128;
}

impl<'p, const W: usize> Graph<'p, W> {
    /// Initial writes only.
    pub fn new(code: &Code, initial: &[Value], stops: Vec<Stop<'p>>, members: &dyn Members) -> Graph<'p, W> {
        let mut graph = Graph {
            events: Vec::with_capacity(64 * W),
            values: Vec::with_capacity(64 * W),
            threads: stops.into_iter().map(|stop| Thread::new(Arc::new(stop))).collect(),
            cells: vec![none(); initial.len()],
            co: vec![Vec::new(); initial.len()],
            co_rows: vec![none(); 64 * W],
            instances: vec![none(); 64 * W],
            po: vec![none(); 64 * W],
            prefix: vec![none(); 64 * W],
            visible: none(),
            initial: none(),
            kept: Kept::new(code),
            inherited: vec![none(); 64 * W],
            pending: None,
        };
        for (cell, value) in initial.iter().enumerate() {
            graph.initial(code, cell as u16, Some(*value), members);
        }
        graph
    }

    /// Adds the initial write of a cell.
    fn initial(&mut self, code: &Code, cell: u16, value: Option<Value>, members: &dyn Members) {
        let number = self.n() as u16;
        self.push(Node {
            place: Place { thread: NONE, code: 0, pc: 0, instance: 0, own: 0 },
            kind: Kind::Event(EventKind::Init),
            cell,
            at: None,
            sets: &[],
            members: members.members(EventKind::Init, None, Some(cell), &[]),
            read: None,
            written: value,
            source: NONE,
            head: number,
            before: None,
            first: number,
            way: 0,
            canonical: true,
            inner: 0,
            role: Role::Nothing,
        });
        self.co[usize::from(cell)].push(number);
        self.fill(code, &[usize::from(number)]);
    }

    /// Sees to it that a cell made while the program runs has its initial write. It belongs to the step that comes next.
    fn ensure(&mut self, code: &Code, cell: u16, cells: &Cells, members: &dyn Members) {
        let number = usize::from(cell);
        if self.cells.len() <= number {
            self.cells.resize(number + 1, none());
            self.co.resize(number + 1, Vec::new());
        }
        if self.co[number].is_empty() {
            self.initial(code, cell, cells.initial_of(number), members);
        }
    }

    pub fn n(&self) -> usize {
        self.events.len()
    }

    /// Room for so many more events?
    pub fn has_room(&self, more: usize) -> bool {
        self.n() + more <= 64 * W
    }

    pub fn seen(&self) -> Seen<'_, W> {
        Seen { n: self.n(), visible: self.visible, kept: &self.kept, co: &self.co_rows, values: &self.values }
    }

    /// Adds an event, without its rows.
    fn push(&mut self, node: Node<'p>) {
        let x = self.n();
        if node.kind != Kind::Choice {
            add(&mut self.visible, x);
        }
        if node.cell != NONE {
            add(&mut self.cells[usize::from(node.cell)], x);
        }
        self.values.push(match (node.read, node.written) {
            (Some(_), Some(_)) => None,
            (read, written) => read.or(written),
        });
        self.co_rows[x] = none();
        if node.place.thread == NONE {
            add(&mut self.initial, x);
            self.instances[x] = none();
            self.po[x] = none();
        } else {
            let thread = &self.threads[usize::from(node.place.thread)];
            let last = thread.last;
            let same = last != NONE && self.events[usize::from(last)].place.instance == node.place.instance;
            let earlier = if same { self.instances[usize::from(last)] } else { none() };
            self.instances[x] = or(&earlier, &one(x));
            let mut po = and(&without(&thread.events, &earlier), &self.visible);
            // Inside an instruction: what it comes from.
            each(&earlier, |y| {
                let own = self.events[y].place.own;
                if self.events[y].kind != Kind::Choice && own < 64 && node.inner >> own & 1 == 1 {
                    add(&mut po, y);
                }
            });
            let own = usize::from(node.place.thread);
            self.inherited[x] = self.threads[own].inherited;
            if let Role::Join(child) = node.role {
                let child = &self.threads[usize::from(child)];
                let joined = or(&child.events, &child.inherited);
                self.threads[own].inherited = or(&self.threads[own].inherited, &joined);
            }
            po = or(&po, &and(&self.threads[own].inherited, &self.visible));
            self.po[x] = if node.kind == Kind::Choice { none() } else { po };
            add(&mut self.threads[own].events, x);
            self.threads[own].last = x as u16;
            if let Role::Spawn(child) = node.role {
                let inherited = or(&self.po[x], &one(x));
                let child = self.thread(usize::from(child));
                child.spawner = x as u16;
                child.inherited = inherited;
            }
        }
        self.events.push(node);
    }

    /// A thread, which is there from now on.
    fn thread(&mut self, number: usize) -> &mut Thread<'p, W> {
        while self.threads.len() <= number {
            self.threads.push(Thread::new(Arc::new(Stop::Unborn)));
        }
        &mut self.threads[number]
    }

    /// Prefixes and rows of some events, each after those that it has edges from.
    fn fill(&mut self, code: &Code, events: &[usize]) {
        self.fill_slots(code, &code.kept, events);
    }

    /// The rows that only whole executions need.
    pub fn fill_late(&mut self, code: &Code) {
        if !code.late.is_empty() {
            let order = self.by_prefix();
            self.fill_slots(code, &code.late, &order);
        }
    }

    fn fill_slots(&mut self, code: &Code, slots: &[usize], events: &[usize]) {
        for x in events {
            let node = &self.events[*x];
            let mut prefix = none();
            if node.place.thread != NONE {
                // Events of a thread are in order.
                let own = and(&self.threads[usize::from(node.place.thread)].events, &below(*x));
                prefix = own;
                let spawner = self.threads[usize::from(node.place.thread)].spawner;
                if let Some(last) = last_of(&own) {
                    prefix = or(&prefix, &self.prefix[last]);
                } else if spawner != NONE {
                    prefix = or(&self.prefix[usize::from(spawner)], &one(usize::from(spawner)));
                }
            }
            if let Role::Join(child) = node.role
                && let Some(last) = last_of(&self.threads[usize::from(child)].events)
            {
                prefix = or(&prefix, &or(&self.prefix[last], &one(last)));
            }
            if node.source != NONE {
                let source = usize::from(node.source);
                prefix = or(&prefix, &self.prefix[source]);
                add(&mut prefix, source);
            }
            self.prefix[*x] = prefix;
        }
        let Graph { events: nodes, threads, cells, visible, initial, kept, po, values, instances, .. } = self;
        let settled = |base: Base, y: usize| {
            let node = &nodes[y];
            if !has(visible, y) {
                return none();
            }
            match base {
                Base::Loc if node.cell != NONE => cells[usize::from(node.cell)],
                Base::Int if node.place.thread != NONE => {
                    and(&threads[usize::from(node.place.thread)].events, visible)
                }
                Base::Ext if node.place.thread == NONE => without(visible, initial),
                Base::Ext => without(visible, &threads[usize::from(node.place.thread)].events),
                Base::SameInstance if node.place.thread != NONE && y + 1 == nodes.len() => {
                    and(&instances[y], visible)
                }
                Base::SameInstance if node.place.thread != NONE => {
                    let mut same = none();
                    each(&and(&threads[usize::from(node.place.thread)].events, visible), |z| {
                        if nodes[z].place.instance == node.place.instance {
                            add(&mut same, z);
                        }
                    });
                    same
                }
                _ => none(),
            }
        };
        let facts = Facts {
            n: nodes.len(),
            visible: *visible,
            members: &|x| nodes[x].members,
            po,
            source: &|x| Some(usize::from(nodes[x].source)).filter(|source| *source != usize::from(NONE)),
            is_memory: &|x| nodes[x].is_read() || nodes[x].is_write(),
            settled: &settled,
            values,
        };
        kept.add(code, slots, events, &facts);
    }

    fn plain(&mut self, event: &Plain<'p>, head: u16, members: &dyn Members) {
        self.push(node_of(event, head, members));
    }

    fn access(
        &mut self,
        (access, first): (&Access<'p>, u16),
        before: Arc<Stop<'p>>,
        bound: &Bound<'p>,
        members: &dyn Members,
    ) {
        let head = self.n() as u16;
        self.push(Node {
            place: access.place,
            kind: Kind::Event(access.kind),
            cell: access.cell,
            at: Some(access.at),
            sets: access.sets,
            members: members.members(access.kind, Some(access.place.thread), Some(access.cell), access.sets),
            read: bound.read,
            written: bound.written,
            source: bound.source,
            head,
            before: Some(before),
            first,
            way: bound.way,
            canonical: bound.canonical,
            inner: access.inner,
            role: Role::Nothing,
        });
    }

    /// A step of a thread: the events made before an access, and the access. The number of the access.
    pub fn step(
        &mut self,
        code: &Code,
        leaf: &Leaf<'p>,
        bound: Bound<'p>,
        cells: &Cells,
        members: &dyn Members,
    ) -> usize {
        let first = self.n();
        self.ensure(code, leaf.access.cell, cells, members);
        let from = self.n();
        let head = from + leaf.state.fresh.len();
        for event in &leaf.state.fresh {
            self.plain(event, head as u16, members);
        }
        let thread = usize::from(leaf.access.place.thread);
        let before = self.threads[thread].stop.clone();
        self.access((&leaf.access, first as u16), before, &bound, members);
        self.threads[thread].stop = bound.stop;
        match head - from {
            0 => self.fill(code, &[head]),
            _ => self.fill(code, &(from..=head).collect::<Vec<_>>()),
        }
        head
    }

    /// A thread starts another.
    pub fn spawn(
        &mut self,
        code: &Code,
        spawn: &Spawn<'p>,
        (child, parent): (Stop<'p>, Stop<'p>),
        members: &dyn Members,
    ) {
        let thread = self.events_of(&spawn.state, Role::Spawn(spawn.child), members);
        self.threads[thread].stop = Arc::new(parent);
        self.thread(usize::from(spawn.child)).stop = Arc::new(child);
        self.fill_step(code);
    }

    /// A thread has waited for another.
    pub fn join(&mut self, code: &Code, join: &Join<'p>, next: Stop<'p>, members: &dyn Members) {
        let thread = self.events_of(&join.state, Role::Join(join.target), members);
        self.threads[thread].stop = Arc::new(next);
        self.fill_step(code);
    }

    /// Adds the events that a thread has made as a step, the last of them with a role; the thread's number.
    fn events_of(&mut self, state: &State<'p>, role: Role, members: &dyn Members) -> usize {
        let first = self.n();
        let head = first + state.fresh.len() - 1;
        let Some((last, others)) = state.fresh.split_last() else { return 0 };
        others.iter().for_each(|event| self.plain(event, head as u16, members));
        let thread = usize::from(last.place.thread);
        let before = self.threads[thread].stop.clone();
        self.push(Node {
            role,
            before: Some(before),
            first: first as u16,
            ..node_of(last, head as u16, members)
        });
        thread
    }

    fn fill_step(&mut self, code: &Code) {
        let Some(head) = self.events.last() else { return };
        let first = usize::from(head.first);
        self.fill(code, &(first..self.n()).collect::<Vec<_>>());
    }

    /// A choice of the machine.
    pub fn choose(&mut self, code: &Code, thread: usize, way: usize, stop: Arc<Stop<'p>>) {
        let number = self.n() as u16;
        let instance = match self.threads[thread].last {
            NONE => 0,
            last => self.events[usize::from(last)].place.instance,
        };
        let before = std::mem::replace(&mut self.threads[thread].stop, stop);
        self.push(Node {
            place: Place { thread: thread as u16, code: 0, pc: 0, instance, own: u8::MAX },
            kind: Kind::Choice,
            cell: NONE,
            at: None,
            sets: &[],
            members: 0,
            read: None,
            written: None,
            source: NONE,
            head: number,
            before: Some(before),
            first: number,
            way: way as u16,
            canonical: way == 0,
            inner: 0,
            role: Role::Nothing,
        });
        self.fill(code, &[usize::from(number)]);
    }

    /// The events that a thread made after its last access.
    pub fn flush(&mut self, code: &Code, thread: usize, members: &dyn Members) {
        let stop = self.threads[thread].stop.clone();
        let Some(state) = stop.last() else { return };
        let first = self.n();
        let head = first + state.fresh.len() - 1;
        for event in &state.fresh {
            self.plain(event, head as u16, members);
        }
        let node = &mut self.events[head];
        node.first = first as u16;
        node.before = Some(stop.clone());
        self.threads[thread].flushed = true;
        self.fill(code, &(first..=head).collect::<Vec<_>>());
    }

    /// Takes the last step off.
    pub fn pop(&mut self) {
        let Some(head) = self.events.last() else { return };
        let first = usize::from(head.first);
        let thread = usize::from(head.place.thread);
        if let Some(before) = head.before.clone() {
            self.threads[thread].stop = before;
            self.threads[thread].flushed = false;
        }
        if let Role::Spawn(child) = head.role {
            let child = &mut self.threads[usize::from(child)];
            *child = Thread::new(Arc::new(Stop::Unborn));
        }
        while self.n() > first {
            let x = self.n() - 1;
            let Some(node) = self.events.pop() else { break };
            self.values.pop();
            remove(&mut self.visible, x);
            if node.cell != NONE {
                remove(&mut self.cells[usize::from(node.cell)], x);
            }
            if node.place.thread == NONE {
                remove(&mut self.initial, x);
                self.co[usize::from(node.cell)].clear();
                continue;
            }
            remove(&mut self.threads[thread].events, x);
            self.threads[thread].inherited = self.inherited[x];
        }
        self.threads[thread].last = last_of(&self.threads[thread].events).map_or(NONE, |x| x as u16);
    }

    /// The place in the coherence order of its cell below which an event must not read or be put.
    pub fn floor(&self, code: &Code, x: usize) -> usize {
        code.floors.iter().map(|floor| self.floor_along(code, floor, x)).max().unwrap_or(0)
    }

    /// Likewise, by one bound.
    pub fn floor_along(&self, code: &Code, floor: &Floor, x: usize) -> usize {
        let cell = usize::from(self.events[x].cell);
        let order = &self.co[cell];
        let before = and(&self.kept.rel(code.slots[floor.slot].at)[x], &self.cells[cell]);
        let mut lowest = order.iter().rposition(|w| has(&before, usize::from(*w))).unwrap_or(0);
        if floor.through_reads {
            each(&before, |e| {
                let source = self.events[e].source;
                if source != NONE && !order[lowest..].is_empty() {
                    let at = order[lowest..].iter().rposition(|w| *w == source);
                    lowest += at.unwrap_or(0);
                }
            });
        }
        lowest
    }

    /// The place of a write in the coherence order of its cell.
    pub fn position(&self, write: usize) -> Option<usize> {
        let order = &self.co[usize::from(self.events[write].cell)];
        order.iter().position(|w| usize::from(*w) == write)
    }

    /// Does a new event respect a bound?
    pub fn respects(&self, code: &Code, floor: &Floor, x: usize) -> bool {
        let node = &self.events[x];
        let lowest = self.floor_along(code, floor, x);
        let reads = !node.is_read() || self.position(usize::from(node.source)).is_none_or(|at| at >= lowest);
        let writes =
            !node.is_write() || self.position(x).is_none_or(|at| at > lowest || node.is_rmw() && at > 0);
        reads && writes
    }

    /// Gives a read that was added last its source.
    pub fn bind(&mut self, code: &Code, read: usize, bound: Bound<'p>) {
        let node = &mut self.events[read];
        (node.source, node.read, node.written) = (bound.source, bound.read, bound.written);
        (node.way, node.canonical) = (bound.way, bound.canonical);
        self.values[read] = match (node.read, node.written) {
            (Some(_), Some(_)) => None,
            (read, written) => read.or(written),
        };
        let thread = usize::from(node.place.thread);
        self.threads[thread].stop = bound.stop;
        self.fill_slots(code, &code.bound, &[read]);
    }

    /// Another read-modify-write (one event) that reads what `update` reads.
    pub fn rival(&self, update: usize) -> Option<usize> {
        let node = &self.events[update];
        let mut rival = None;
        each(&self.cells[usize::from(node.cell)], |e| {
            let other = &self.events[e];
            if e != update && other.is_rmw() && other.source == node.source {
                rival = Some(e);
            }
        });
        rival
    }

    /// Puts a write into the coherence order.
    pub fn place(&mut self, write: usize, at: usize) {
        let order = &mut self.co[usize::from(self.events[write].cell)];
        order.insert(at, write as u16);
        let mut row = none();
        order[..at].iter().for_each(|before| add(&mut row, usize::from(*before)));
        for after in &order[at + 1..] {
            add(&mut self.co_rows[usize::from(*after)], write);
        }
        self.co_rows[write] = row;
    }

    /// Takes a write out of the coherence order again.
    pub fn unplace(&mut self, write: usize, at: usize) {
        let order = &mut self.co[usize::from(self.events[write].cell)];
        order.remove(at);
        for after in &order[at..] {
            remove(&mut self.co_rows[usize::from(*after)], write);
        }
        self.co_rows[write] = none();
    }

    /// Is an event as it would be if everything that `write` does not need had been added as late as can be?
    fn is_maximal(&self, e: usize, write: usize) -> bool {
        let node = &self.events[e];
        let mut previous = or(&below(e + 1), &self.prefix[write]);
        let later = |from: usize, previous: &Bits<W>| {
            let order = &self.co[usize::from(node.cell)];
            let position = order.iter().position(|w| usize::from(*w) == from);
            position.is_some_and(|at| order[at + 1..].iter().any(|w| has(previous, usize::from(*w))))
        };
        if node.is_write() {
            let mut is_read = false;
            each(&and(&self.cells[usize::from(node.cell)], &previous), |r| {
                is_read |= usize::from(self.events[r].source) == e;
            });
            if is_read || later(e, &previous) {
                return false;
            }
        }
        if node.is_read() {
            remove(&mut previous, e);
            let source = usize::from(node.source);
            if !has(&previous, source) || later(source, &previous) {
                return false;
            }
        }
        true
    }

    /// The events that go if `read` is given `write` as its source; `None` if that is not how this graph is to be left.
    pub fn deleted(&self, read: usize, write: usize) -> Option<Bits<W>> {
        let keep = or(&or(&below(read + 1), &self.prefix[write]), &one(write));
        let first = usize::from(self.events[write].first);
        let mut deleted = without(&without(&below(self.n()), &keep), &self.initial);
        // What was made just before the write belongs to it.
        for own in first..write {
            remove(&mut deleted, own);
        }
        let mut maximal = self.is_maximal(read, write);
        each(&deleted, |e| {
            let node = &self.events[e];
            maximal = maximal && (usize::from(node.head) != e || node.canonical && self.is_maximal(e, write));
        });
        maximal.then_some(deleted)
    }

    /// The graph in which `read` takes its value from `write`, and `deleted` is gone. The write has no place in the
    /// coherence order there. Also its number.
    pub fn revisited(
        &self,
        code: &Code,
        (read, write): (usize, usize),
        deleted: &Bits<W>,
        leaf: &Leaf<'p>,
        mut bound: Bound<'p>,
        members: &dyn Members,
    ) -> (Graph<'p, W>, usize) {
        let mut new = Graph {
            events: Vec::with_capacity(64 * W),
            values: Vec::with_capacity(64 * W),
            threads: self
                .threads
                .iter()
                .map(|thread| Thread { flushed: thread.flushed, ..Thread::new(thread.stop.clone()) })
                .collect(),
            cells: vec![none(); self.cells.len()],
            co: Vec::with_capacity(self.co.len()),
            co_rows: vec![none(); 64 * W],
            instances: vec![none(); 64 * W],
            po: vec![none(); 64 * W],
            prefix: vec![none(); 64 * W],
            visible: none(),
            initial: none(),
            kept: Kept::new(code),
            inherited: vec![none(); 64 * W],
            pending: None,
        };
        // Threads go back to where they were before the first of their events that goes.
        let mut back = vec![false; self.threads.len()];
        each(deleted, |e| {
            let node = &self.events[e];
            let thread = usize::from(node.place.thread);
            if usize::from(node.head) == e
                && !std::mem::replace(&mut back[thread], true)
                && let Some(before) = &node.before
            {
                new.threads[thread].stop = before.clone();
                new.threads[thread].flushed = false;
            }
        });
        each(deleted, |e| {
            if let Role::Spawn(child) = self.events[e].role {
                new.threads[usize::from(child)].stop = Arc::new(Stop::Unborn);
            }
        });
        let reader = usize::from(self.events[read].place.thread);
        let first_read = usize::from(self.events[read].first);
        let mut numbers = vec![NONE; self.n()];
        let mut new_read = 0;
        for (e, node) in self.events.iter().enumerate() {
            let initial = node.place.thread == NONE;
            if (has(deleted, e) || (first_read..read).contains(&e)) && !initial {
                continue;
            }
            if e == read {
                // Its cell has an initial write: the write that it reads from is there.
                let first = new.n() as u16;
                let head = first + leaf.state.fresh.len() as u16;
                leaf.state.fresh.iter().for_each(|event| new.plain(event, head, members));
                new_read = new.n();
                numbers[e] = new_read as u16;
                let before = node.before.clone().unwrap_or_else(|| self.threads[reader].stop.clone());
                new.access((&leaf.access, first), before, &bound, members);
                continue;
            }
            let shift = |x: u16| x - (e as u16 - new.n() as u16);
            let mut node = node.clone();
            node.head = node.head - e as u16 + new.n() as u16;
            if node.before.is_some() {
                node.first = shift(node.first);
            } else if initial {
                (node.head, node.first) = (new.n() as u16, new.n() as u16);
            }
            numbers[e] = new.n() as u16;
            new.push(node);
        }
        bound.source = numbers[write];
        let new_write = usize::from(numbers[write]);
        for (e, node) in self.events.iter().enumerate() {
            if numbers[e] != NONE && e != read && node.source != NONE {
                new.events[usize::from(numbers[e])].source = numbers[usize::from(node.source)];
            }
        }
        new.events[new_read].source = bound.source;
        new.threads[reader].stop = bound.stop;
        new.threads[reader].flushed = false;
        for order in &self.co {
            let gone = |w: &u16| numbers[usize::from(*w)] == NONE || usize::from(*w) == read;
            let order: Vec<u16> =
                order.iter().filter(|w| !gone(w)).map(|w| numbers[usize::from(*w)]).collect();
            let mut row = none();
            for write in &order {
                new.co_rows[usize::from(*write)] = row;
                add(&mut row, usize::from(*write));
            }
            new.co.push(order);
        }
        if new.events[new_read].is_rmw() {
            new.pending = Some(new_read);
        }
        let order = new.by_prefix();
        new.fill(code, &order);
        (new, new_write)
    }

    /// All events, each after what it has edges from: a read may be older than its source.
    fn by_prefix(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.n());
        let mut late: Vec<(u16, usize)> = Vec::new();
        for x in 0..self.n() {
            let source = self.events[x].source;
            if source != NONE && usize::from(source) > x {
                late.push((source, x));
                continue;
            }
            let from = order.len();
            order.push(x);
            // Those that were waiting for it.
            let mut at = from;
            while at < order.len() {
                let now = order[at] as u16;
                late.retain(|(source, read)| {
                    let waited = *source == now;
                    if waited {
                        order.push(*read);
                    }
                    !waited
                });
                at += 1;
            }
        }
        order
    }
}

fn node_of<'p>(event: &Plain<'p>, head: u16, members: &dyn Members) -> Node<'p> {
    Node {
        place: event.place,
        kind: Kind::Event(event.kind),
        cell: event.cell.unwrap_or(NONE),
        at: None,
        sets: event.sets,
        members: members.members(event.kind, Some(event.place.thread), event.cell, event.sets),
        read: None,
        written: None,
        source: NONE,
        head,
        before: None,
        first: 0,
        way: 0,
        canonical: true,
        inner: event.inner,
        role: event.frees.map_or(Role::Nothing, Role::Free),
    }
}

fn last_of<const W: usize>(bits: &Bits<W>) -> Option<usize> {
    let word = bits.iter().rposition(|word| *word != 0)?;
    Some(word * 64 + 63 - bits[word].leading_zeros() as usize)
}
