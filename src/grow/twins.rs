//! Threads that are like each other: of executions that differ only in which of them is which, one is enough.
//!
//! Threads that one thread starts one after the other, with nothing but starts in between, on the same code with the same arguments are *twins*. As long as two
//! of them read the same writes they do the same, each event of the one having a *peer* in the other. Where they part, the events in question
//! access one cell, and coherence orders them (or they chose differently, and choices are ordered): the lower thread is to be the one that comes first.
//! (Threads of a test are twins from the beginning if their code and their registers are the same: [`super::alike`].)
//! Every execution can be brought into this form by renaming threads, and just one way of doing so is looked at.
//!
//! Graphs that are not in this form are dropped on the way. That needs care with revisits, since these throw away events, and with them the
//! reason for which a graph was dropped. So what a thread does *needs* what its lower twins did in its place: a write does not revisit what the twin
//! below did, as if it had been read. The graphs from which a read is to be revisited, where everything that will be thrown away is as late as
//! can be, are then in the right form whenever what comes of it is: an event that reads the last write, or is the last write, comes after those of all twins. Where
//! an event hangs on one of a twin by way of reads, that goes before coherence: else there might be a circle, under models in which coherence may go against
//! what is read. After Kokologiannakis, Marmanis and Vafeiadis, Spore: combining symmetry and partial order reduction, PLDI 2024.
//!
//! All this is right only if nothing tells twins from each other. Their names, and what they give back, are followed: where one is looked at, or one twin is waited for
//! without the others, the search is given up.

use std::sync::atomic::{AtomicBool, Ordering};

use super::bits::{Bits, add, each, first, has, none, or, remove};
use super::graph::Graph;
use super::node::{Kind, NONE, Node, Role};
use super::state::{Held, Spawn, Stop};
use super::step::Stepper;
use crate::program::{Reg, Value};

/// What is known of twins in a search.
pub(super) struct Twins {
    /// Of each thread that is there from the beginning, the one before it that is like it.
    alike: Vec<u16>,
    found: AtomicBool,
    told: AtomicBool,
}

impl Twins {
    /// To begin with.
    pub fn of(alike: Vec<u16>) -> Twins {
        let found = alike.iter().any(|other| *other != NONE);
        Twins { alike, found: found.into(), told: false.into() }
    }

    /// There are some.
    pub fn found(&self) {
        self.found.store(true, Ordering::Relaxed);
    }

    /// Something tells threads from each other.
    pub fn tell(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    /// Are there any?
    pub fn are_there(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }

    /// Are there some that something tells from each other?
    pub fn are_told_apart(&self) -> bool {
        self.told.load(Ordering::Relaxed) && self.are_there()
    }
}

impl Stepper<'_> {
    /// Notes that what a thread looks at says which thread is which.
    pub(super) fn tells_if(&self, tells: bool) {
        if tells && let Some(twins) = self.twins {
            twins.tell();
        }
    }

    /// The address of an object that a thread has made?
    pub(super) fn is_made(&self, value: Value) -> bool {
        matches!(value, Value::Addr { sym, .. } if !self.cells.is_static(sym))
    }
}

impl<'p, const W: usize> Graph<'p, W> {
    /// All that an event needs, with what the lower twins of its thread did.
    pub fn needs(&self, x: usize) -> &Bits<W> {
        self.needs.get(x).unwrap_or(&self.prefix[x])
    }

    /// Finds out what an event needs, if there are twins: what its prefix needs, and its peer.
    pub fn fill_needs(&mut self, x: usize) {
        if self.needs.is_empty() {
            return;
        }
        let node = &self.events[x];
        let thread = node.place.thread;
        let mut needs = self.prefix[x];
        let mut after = |y: u16| {
            if y != NONE {
                needs = or(&needs, &self.needs[usize::from(y)]);
                add(&mut needs, usize::from(y));
            }
        };
        [node.previous, node.source, node.peer].into_iter().for_each(&mut after);
        if thread != NONE {
            after(self.threads[usize::from(thread)].spawner);
        }
        if let Role::Join(child) = node.role {
            after(self.threads[usize::from(child)].last);
        }
        self.needs[x] = needs;
    }

    /// Takes over what events of another graph need.
    pub fn copy_needs(&mut self, other: &Graph<'p, W>, keep: &Bits<W>) {
        if self.needs.is_empty() && other.needs.is_empty() {
            return;
        }
        self.needs.resize(64 * W, none());
        each(keep, |x| self.needs[x] = *other.needs(x));
    }

    /// Threads that are like each other from the beginning are known as twins.
    pub fn pair_all(&mut self, twins: &Twins) {
        if twins.alike.iter().any(|other| *other != NONE) {
            self.needs.clone_from(&self.prefix);
        }
        for (thread, other) in self.threads.iter_mut().zip(&twins.alike) {
            thread.twin = *other;
        }
    }

    /// Is the thread that was just started a twin of one that was started before it, with nothing but starts in between? Then it is known as
    /// one from now on.
    pub fn pair(&mut self, spawn: &Spawn<'p>) -> bool {
        let mut at = self.newest();
        let twin = loop {
            let node = &self.events[at];
            if node.count != 1 || node.previous == NONE {
                return false;
            }
            at = usize::from(node.previous);
            let before = &self.events[at];
            let (Role::Spawn(child), Some(stop)) = (before.role, &before.before) else { return false };
            if matches!(&**stop, Stop::Spawn(other) if are_alike(other, spawn)) {
                break child;
            }
        };
        self.threads[usize::from(spawn.child)].twin = twin;
        if self.needs.is_empty() {
            self.needs.clone_from(&self.prefix);
        }
        true
    }

    /// The peer of what a thread does next.
    pub fn peer_of_next(&self, thread: usize) -> u16 {
        let thread = &self.threads[thread];
        if thread.twin == NONE {
            return NONE;
        }
        if thread.last == NONE {
            return self.next_in(thread.twin, NONE);
        }
        let last = &self.events[usize::from(thread.last)];
        let mut peer = last.peer;
        while peer != NONE {
            let other = &self.events[usize::from(peer)];
            if is_same(last, other) {
                return self.next_in(other.place.thread, peer);
            }
            peer = other.peer;
        }
        NONE
    }

    /// The event of a thread that comes right after one of its events.
    fn next_in(&self, thread: u16, previous: u16) -> u16 {
        let mut events = self.threads[usize::from(thread)].events;
        while let Some(x) = first(&events) {
            remove(&mut events, x);
            if self.events[x].previous == previous {
                return x as u16;
            }
        }
        NONE
    }

    /// Does an access or a choice that has just been made come after those of the lower twins that did the same before?
    pub fn is_in_turn(&self, x: usize) -> bool {
        let node = &self.events[x];
        let mut peer = node.peer;
        while peer != NONE {
            let number = usize::from(peer);
            let other = &self.events[number];
            let source = usize::from(node.source);
            // It hangs on what this one did.
            if node.source != NONE && (source == number || has(self.needs(source), number)) {
                return true;
            }
            match (node.kind, other.kind) {
                // The first is the one that a deleted event must have taken: it comes last.
                (Kind::Choice, Kind::Choice) if other.way < node.way => return false,
                (Kind::Event(_), Kind::Event(_)) if node.cell == other.cell && node.cell != NONE => {
                    match (self.rank(number), self.rank(x)) {
                        (Some(its), Some(own)) if its > own => return false,
                        _ => {}
                    }
                }
                (Kind::Choice, Kind::Choice) => {}
                // What cannot be compared comes in any order.
                _ => return true,
            }
            peer = other.peer;
        }
        true
    }

    /// The place of an access in the order of all accesses to its cell that coherence gives; of an update without a place, that of its read.
    fn rank(&self, x: usize) -> Option<usize> {
        let node = &self.events[x];
        let place = if node.is_write() { self.position(x) } else { None };
        match place {
            Some(at) => Some(2 * at),
            None if node.source != NONE => self.position(usize::from(node.source)).map(|at| 2 * at + 1),
            None => None,
        }
    }

    /// Has a thread waited for some twins, and goes on to something else before it has waited for all of them?
    pub fn stops_joining(&self, thread: usize, stop: &Stop<'p>) -> bool {
        if stop.last().is_some() || matches!(stop, Stop::Join(join) if join.state.fresh.len() == 1) {
            return false;
        }
        let mut joined = Vec::new();
        let mut at = self.threads[thread].last;
        while at != NONE {
            let node = &self.events[usize::from(at)];
            let Role::Join(child) = node.role else { break };
            joined.push(child);
            at = if node.count == 1 { node.previous } else { NONE };
        }
        let eldest: Vec<u16> = joined.iter().map(|child| self.eldest(*child)).collect();
        let all = if joined.is_empty() { 0 } else { self.threads.len() as u16 };
        (0..all).any(|thread| eldest.contains(&self.eldest(thread)) && !joined.contains(&thread))
    }

    /// The lowest twin of a thread.
    fn eldest(&self, mut thread: u16) -> u16 {
        while let Some(of) = self.threads.get(usize::from(thread))
            && of.twin != NONE
        {
            thread = of.twin;
        }
        thread
    }
}

/// Do two threads run the same code with the same arguments?
fn are_alike(a: &Spawn, b: &Spawn) -> bool {
    let same = |(one, other): (&(Reg, Held), &(Reg, Held))| {
        one.0 == other.0 && one.1.value == other.1.value && one.1.constant == other.1.constant
    };
    a.code == b.code && a.args.len() == b.args.len() && a.args.iter().zip(&b.args).all(same)
}

/// Did a thread just what its twin did? Then they go on alike.
fn is_same(node: &Node, peer: &Node) -> bool {
    node.kind == peer.kind
        && !node.is_write()
        && (node.source, node.cell, node.way) == (peer.source, peer.cell, peer.way)
        && node.role == Role::Nothing
        && peer.role == Role::Nothing
}
