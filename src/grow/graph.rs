//! One execution graph, and what is done to it: events are added at the ends of threads, taken off again, and thrown away
//! when a read is given a source that came later.

use std::sync::Arc;

use super::bits::{Bits, add, and, below, each, has, none, one, or, remove, without};
use super::compile::{Base, Code};
use super::rows::{Facts, Kept, Seen};
use super::step::{Access, Leaf, Place, Plain, Stop};
use crate::execution::EventKind;
use crate::program::{SetName, Value};

/// No event.
pub(super) const NONE: u16 = u16::MAX;

/// An event of a graph. Its number is its place in the order in which events were added.
#[derive(Clone)]
pub(super) struct Node<'p> {
    pub place: Place,
    pub kind: Kind,
    pub cell: u16,
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
pub(super) trait Members {
    fn members(&self, kind: EventKind, thread: Option<u16>, cell: Option<u16>, sets: &[SetName]) -> u128;
}

impl<'p, const W: usize> Graph<'p, W> {
    /// Initial writes only.
    pub fn new(code: &Code, initial: &[Value], stops: Vec<Stop<'p>>, members: &dyn Members) -> Graph<'p, W> {
        let thread = |stop| Thread { stop: Arc::new(stop), flushed: false, events: none(), last: NONE };
        let mut graph = Graph {
            events: Vec::with_capacity(64 * W),
            values: Vec::with_capacity(64 * W),
            threads: stops.into_iter().map(thread).collect(),
            cells: vec![none(); initial.len()],
            co: vec![Vec::new(); initial.len()],
            co_rows: vec![none(); 64 * W],
            instances: vec![none(); 64 * W],
            po: vec![none(); 64 * W],
            prefix: vec![none(); 64 * W],
            visible: none(),
            initial: none(),
            kept: Kept::new(code),
            pending: None,
        };
        for (cell, value) in initial.iter().enumerate() {
            let number = graph.events.len() as u16;
            let cell = cell as u16;
            let node = Node {
                place: Place { thread: NONE, code: 0, pc: 0, instance: 0, own: 0 },
                kind: Kind::Event(EventKind::Init),
                cell,
                sets: &[],
                members: members.members(EventKind::Init, None, Some(cell), &[]),
                read: None,
                written: Some(*value),
                source: NONE,
                head: number,
                before: None,
                first: number,
                way: 0,
                canonical: true,
                inner: 0,
            };
            graph.push(node);
            graph.co[usize::from(cell)].push(number);
            graph.fill(code, &[usize::from(number)]);
        }
        graph
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
            let thread = &mut self.threads[usize::from(node.place.thread)];
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
            self.po[x] = if node.kind == Kind::Choice { none() } else { po };
            add(&mut thread.events, x);
            thread.last = x as u16;
        }
        self.events.push(node);
    }

    /// Prefixes and rows of some events, each after those that it has edges from.
    fn fill(&mut self, code: &Code, events: &[usize]) {
        for x in events {
            let node = &self.events[*x];
            let mut prefix = none();
            if node.place.thread != NONE {
                // Events of a thread are in order.
                let own = and(&self.threads[usize::from(node.place.thread)].events, &below(*x));
                prefix = own;
                if let Some(last) = last_of(&own) {
                    prefix = or(&prefix, &self.prefix[last]);
                }
            }
            if node.source != NONE {
                let source = usize::from(node.source);
                prefix = or(&prefix, &self.prefix[source]);
                add(&mut prefix, source);
            }
            self.prefix[*x] = prefix;
        }
        let Graph { events: nodes, threads, cells, visible, initial, kept, po, values, .. } = self;
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
        kept.add(code, events, &facts);
    }

    fn plain(&mut self, event: &Plain<'p>, head: u16, members: &dyn Members) {
        self.push(Node {
            place: event.place,
            kind: Kind::Event(event.kind),
            cell: event.cell.unwrap_or(NONE),
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
        });
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
        });
    }

    /// A step of a thread: the events made before an access, and the access. The number of the access.
    pub fn step(&mut self, code: &Code, leaf: &Leaf<'p>, bound: Bound<'p>, members: &dyn Members) -> usize {
        let first = self.n();
        let head = first + leaf.state.fresh.len();
        for event in &leaf.state.fresh {
            self.plain(event, head as u16, members);
        }
        let thread = usize::from(leaf.access.place.thread);
        let before = self.threads[thread].stop.clone();
        self.access((&leaf.access, first as u16), before, &bound, members);
        self.threads[thread].stop = bound.stop;
        let new: [usize; 64] = std::array::from_fn(|k| first + k);
        match head - first {
            0..64 => self.fill(code, &new[..=head - first]),
            _ => self.fill(code, &(first..=head).collect::<Vec<_>>()),
        }
        head
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
        while self.n() > first {
            let x = self.n() - 1;
            let Some(node) = self.events.pop() else { break };
            self.values.pop();
            remove(&mut self.visible, x);
            if node.cell != NONE {
                remove(&mut self.cells[usize::from(node.cell)], x);
            }
            remove(&mut self.threads[thread].events, x);
        }
        self.threads[thread].last = last_of(&self.threads[thread].events).map_or(NONE, |x| x as u16);
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
        let mut deleted = without(&below(self.n()), &keep);
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
                .map(|t| Thread { events: none(), last: NONE, ..t.clone() })
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
        let reader = usize::from(self.events[read].place.thread);
        let first_read = usize::from(self.events[read].first);
        let mut numbers = vec![NONE; self.n()];
        let mut new_read = 0;
        for (e, node) in self.events.iter().enumerate() {
            if has(deleted, e) || (first_read..read).contains(&e) {
                continue;
            }
            if e == read {
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
            } else if node.place.thread == NONE {
                node.first = e as u16;
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
            let gone = |w: &u16| has(deleted, usize::from(*w)) || usize::from(*w) == read;
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

fn last_of<const W: usize>(bits: &Bits<W>) -> Option<usize> {
    let word = bits.iter().rposition(|word| *word != 0)?;
    Some(word * 64 + 63 - bits[word].leading_zeros() as usize)
}
