//! The events and threads of a graph.

use std::sync::Arc;

use super::bits::{Bits, none};
use super::flow::Reasons;
use super::state::{Access, Place, Plain, Stop};
use crate::execution::EventKind;
use crate::program::{SetName, Sym, Value};

/// No event.
pub(super) const NONE: u16 = u16::MAX;

/// An event of a graph.
#[derive(Clone)]
pub(super) struct Node<'p> {
    pub place: Place,
    pub kind: Kind,
    pub cell: u16,
    /// The object that an access goes to, and the byte in it.
    pub at: Option<(Sym, i64)>,
    pub sets: &'p [SetName],
    pub members: u128,
    /// What is computed of it.
    pub recipe: u16,
    pub read: Option<Value>,
    pub written: Option<Value>,
    /// Where a read takes its value from.
    pub source: u16,
    /// The event of its thread that came before it.
    pub previous: u16,
    /// What the next lower of the threads that are like its own, and did the same before, did in its place.
    pub peer: u16,
    /// Of the last event of a step (its head): how many events the step has; none for others. What was added together goes together.
    pub count: u16,
    /// Of a head: where the thread was before the step.
    pub before: Option<Arc<Stop<'p>>>,
    /// Of a head: which of the ways to go on was taken, and is it the one that a deleted event must have taken?
    pub way: u16,
    pub canonical: bool,
    pub inner: u64,
    /// The reads of its thread that it hangs on, and its own number among these ([`super::state::reads`]).
    pub hangs: u64,
    pub number: u32,
    /// What it depends on, where dependencies are followed.
    pub reasons: Option<Arc<Reasons>>,
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// An event of the program.
    Event(EventKind),
    /// A choice of the machine: no event that the model sees.
    Choice,
}

/// What a model can tell of an event by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Sort {
    pub kind: Kind,
    /// The predefined sets that it is in, by bit.
    pub members: u128,
}

/// The predefined sets that an event is in, and what is computed of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sorted {
    pub members: u128,
    pub recipe: u16,
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

impl<'p> Node<'p> {
    pub fn is_read(&self) -> bool {
        matches!(self.kind, Kind::Event(EventKind::Read | EventKind::Rmw))
    }

    pub fn is_write(&self) -> bool {
        matches!(self.kind, Kind::Event(EventKind::Init | EventKind::Write | EventKind::Rmw))
    }

    pub fn is_rmw(&self) -> bool {
        self.kind == Kind::Event(EventKind::Rmw)
    }

    pub fn is_visible(&self) -> bool {
        matches!(self.kind, Kind::Event(_))
    }

    pub fn is_initial(&self) -> bool {
        self.place.thread == NONE
    }

    /// The value that it holds: an update has two, and holds none.
    pub fn value(&self) -> Option<Value> {
        match (self.read, self.written) {
            (Some(_), Some(_)) => None,
            (read, written) => read.or(written),
        }
    }

    /// An initial write.
    pub fn initial(cell: u16, value: Option<Value>, Sorted { members, recipe }: Sorted) -> Node<'p> {
        Node {
            place: Place { thread: NONE, code: 0, pc: 0, instance: 0, own: 0 },
            kind: Kind::Event(EventKind::Init),
            cell,
            at: None,
            sets: &[],
            members,
            recipe,
            read: None,
            written: value,
            source: NONE,
            previous: NONE,
            peer: NONE,
            count: 0,
            before: None,
            way: 0,
            canonical: true,
            inner: 0,
            hangs: 0,
            number: 0,
            reasons: None,
            role: Role::Nothing,
        }
    }

    /// A choice that a thread makes.
    pub fn choice(thread: usize, instance: u32, way: usize, sorted: Sorted) -> Node<'p> {
        Node {
            place: Place { thread: thread as u16, code: 0, pc: 0, instance, own: u8::MAX },
            kind: Kind::Choice,
            cell: NONE,
            at: None,
            sets: &[],
            members: sorted.members,
            recipe: sorted.recipe,
            read: None,
            written: None,
            source: NONE,
            previous: NONE,
            peer: NONE,
            count: 0,
            before: None,
            way: way as u16,
            canonical: way == 0,
            inner: 0,
            hangs: 0,
            number: 0,
            reasons: None,
            role: Role::Nothing,
        }
    }

    /// An event without a value.
    pub fn plain(event: &Plain<'p>) -> Node<'p> {
        let Sorted { members, recipe } = event.sorted;
        Node {
            place: event.place,
            kind: Kind::Event(event.kind),
            cell: event.cell.unwrap_or(NONE),
            at: None,
            sets: event.sets,
            members,
            recipe,
            read: None,
            written: None,
            source: NONE,
            previous: NONE,
            peer: NONE,
            count: 0,
            before: None,
            way: 0,
            canonical: true,
            inner: event.inner,
            hangs: 0,
            number: 0,
            reasons: event.reasons.clone(),
            role: event.frees.map_or(Role::Nothing, Role::Free),
        }
    }

    /// A memory access.
    pub fn access(access: &Access<'p>, bound: &Bound<'p>) -> Node<'p> {
        let Sorted { members, recipe } = access.sorted;
        Node {
            place: access.place,
            kind: Kind::Event(access.kind),
            cell: access.cell,
            at: Some(access.at),
            sets: access.sets,
            members,
            recipe,
            read: bound.read,
            written: bound.written,
            source: bound.source,
            previous: NONE,
            peer: NONE,
            count: 0,
            before: None,
            way: bound.way,
            canonical: bound.canonical,
            inner: access.inner,
            hangs: access.hangs,
            number: access.number,
            reasons: access.reasons.clone(),
            role: Role::Nothing,
        }
    }
}

/// A thread of a graph.
#[derive(Clone)]
pub(super) struct Thread<'p, const W: usize> {
    pub stop: Arc<Stop<'p>>,
    /// Have the events that it made since its last access been added, although there is no next one?
    pub flushed: bool,
    pub events: Bits<W>,
    pub last: u16,
    /// The event that started it.
    pub spawner: u16,
    /// The thread started just before it that is like it.
    pub twin: u16,
    /// Events of other threads that all it does comes after: what was there when it was started, and what it waited for.
    pub inherited: Bits<W>,
}

impl<'p, const W: usize> Thread<'p, W> {
    pub fn new(stop: Arc<Stop<'p>>) -> Thread<'p, W> {
        Thread {
            stop,
            flushed: false,
            events: none(),
            last: NONE,
            spawner: NONE,
            twin: NONE,
            inherited: none(),
        }
    }

    /// Has it come to its end, with all its events added?
    pub fn has_ended(&self) -> bool {
        matches!(&*self.stop, Stop::Ended(state) if state.fresh.is_empty() || self.flushed)
    }
}
