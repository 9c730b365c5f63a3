//! An execution as properties look at it: its events by thread, and what comes before what.

use crate::execution::EventKind;
use crate::grow::{Event, Execution};
use crate::program::threads::ATOMIC;

/// The events of an execution.
pub(super) struct Facts<'e> {
    pub execution: &'e dyn Execution,
    pub events: Vec<Option<Event<'e>>>,
    /// The events of each thread, in its order.
    pub threads: Vec<Vec<usize>>,
    /// Writes of each cell, in coherence order.
    pub coherence: Vec<Vec<usize>>,
}

impl<'e> Facts<'e> {
    pub fn new(execution: &'e dyn Execution) -> Facts<'e> {
        let events: Vec<Option<Event>> = (0..execution.n_events()).map(|n| execution.event(n)).collect();
        let mut threads: Vec<Vec<usize>> = Vec::new();
        for (n, event) in events.iter().enumerate() {
            if let Some(thread) = event.as_ref().and_then(|e| e.thread) {
                let thread = usize::from(thread);
                threads.resize(threads.len().max(thread + 1), Vec::new());
                threads[thread].push(n);
            }
        }
        Facts { execution, events, threads, coherence: execution.coherence() }
    }

    /// The events that are some, with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Event<'e>)> {
        self.events.iter().enumerate().filter_map(|(n, e)| e.as_ref().map(|e| (n, e)))
    }

    /// Accesses of threads.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &Event<'e>)> {
        self.all().filter(|(_, e)| e.thread.is_some() && (writes(e) || reads(e)))
    }

    /// The write just before this one in the coherence order.
    pub fn previous(&self, write: usize) -> Option<usize> {
        let cell = usize::from(self.events[write].as_ref()?.cell?);
        let order = self.coherence.get(cell)?;
        let at = order.iter().position(|w| *w == write)?;
        order.get(at.checked_sub(1)?).copied()
    }

    /// All events, each after those that its thread, its source and the starts and ends of threads put before it.
    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<(usize, usize)> = (0..self.events.len())
            .map(|n| ((0..self.events.len()).filter(|m| self.execution.is_before(*m, n)).count(), n))
            .collect();
        // What is before it has fewer before itself.
        order.sort_unstable();
        order.into_iter().map(|(_, n)| n).collect()
    }
}

/// Does it write?
pub(super) fn writes(e: &Event) -> bool {
    match e.kind {
        EventKind::Write | EventKind::Init => true,
        EventKind::Rmw => e.written.is_some(),
        _ => false,
    }
}

/// Does it read?
pub(super) fn reads(e: &Event) -> bool {
    matches!(e.kind, EventKind::Read | EventKind::Rmw)
}

/// Is it in a set of that name?
pub(super) fn is_in(e: &Event, name: &str) -> bool {
    e.sets.iter().any(|set| set == name)
}

/// Is it an atomic access?
pub(super) fn atomic(e: &Event) -> bool {
    is_in(e, "A") || is_in(e, ATOMIC)
}

/// Which events come before which.
pub(super) struct Before {
    words: usize,
    rows: Vec<u64>,
}

impl Before {
    fn none(n: usize) -> Before {
        let words = n.div_ceil(64).max(1);
        Before { words, rows: vec![0; n * words] }
    }

    /// Does the first come before the second?
    pub fn has(&self, first: usize, second: usize) -> bool {
        self.rows[second * self.words + first / 64] >> (first % 64) & 1 == 1
    }

    fn add(&mut self, first: usize, second: usize) -> bool {
        let mut new = false;
        for word in 0..self.words {
            let mut from = self.rows[first * self.words + word];
            if word == first / 64 {
                from |= 1 << (first % 64);
            }
            let to = &mut self.rows[second * self.words + word];
            new |= from & !*to != 0;
            *to |= from;
        }
        new
    }

    /// The closure of some edges.
    pub fn closure(n: usize, edges: &[(usize, usize)]) -> Before {
        let mut before = Before::none(n);
        let mut changed = true;
        while changed {
            changed = false;
            for (a, b) in edges {
                changed |= before.add(*a, *b);
            }
        }
        before
    }

    /// With some edges more.
    pub fn and(mut self, edges: &[(usize, usize)]) -> Before {
        let n = self.rows.len() / self.words;
        let mut changed = true;
        while changed {
            changed = false;
            for (a, b) in edges {
                changed |= self.add(*a, *b);
                for later in 0..n {
                    changed |= self.has(*b, later) && self.add(*b, later);
                }
            }
        }
        self
    }

    /// Happens-before, as C11 has it: the order of threads, their starts and ends, and what releases and acquires make of reads.
    pub fn happens(facts: &Facts) -> Before {
        let mut before = Before::none(facts.events.len());
        let mut last: Vec<Option<usize>> = vec![None; facts.threads.len()];
        let mut spawner: Vec<Option<usize>> = vec![None; facts.threads.len()];
        for n in facts.in_order() {
            let Some(event) = &facts.events[n] else { continue };
            let Some(thread) = event.thread.map(usize::from) else { continue };
            if let Some(previous) = last[thread].or(spawner[thread]) {
                before.add(previous, n);
            }
            last[thread] = Some(n);
            if let Some(child) = event.spawns.map(usize::from)
                && let Some(place) = spawner.get_mut(child)
            {
                *place = Some(n);
            }
            if let Some(end) = event.joins.and_then(|child| last.get(usize::from(child)).copied().flatten()) {
                before.add(end, n);
            }
            for from in synchronises(facts, n, event, thread) {
                before.add(from, n);
            }
        }
        before
    }
}

fn releases(e: &Event) -> bool {
    ["REL", "ACQ_REL", "SC"].iter().any(|set| is_in(e, set))
}

fn acquires(e: &Event) -> bool {
    ["ACQ", "ACQ_REL", "SC", "CON"].iter().any(|set| is_in(e, set))
}

/// The releases that an event synchronises with.
fn synchronises(facts: &Facts, n: usize, event: &Event, thread: usize) -> Vec<usize> {
    let mut from = Vec::new();
    if !acquires(event) {
        return from;
    }
    if reads(event) && atomic(event) {
        heads(facts, event, &mut from);
    }
    if event.kind == EventKind::Fence {
        for earlier in facts.threads[thread].iter().take_while(|m| **m != n) {
            if let Some(e) = facts.events[*earlier].as_ref().filter(|e| reads(e) && atomic(e)) {
                heads(facts, e, &mut from);
            }
        }
    }
    from
}

/// The heads of the release sequences that a read takes its value from; fences, where these make a write a release.
fn heads(facts: &Facts, read: &Event, from: &mut Vec<usize>) {
    let mut source = read.source;
    while let Some(w) = source {
        let Some(write) = &facts.events[w] else { return };
        let Some(thread) = write.thread.filter(|_| atomic(write)) else { return };
        for m in facts.threads[usize::from(thread)].iter().take_while(|m| **m <= w) {
            let Some(e) = &facts.events[*m] else { continue };
            let same = *m == w || writes(e) && e.cell == write.cell && atomic(e);
            if releases(e) && (same || e.kind == EventKind::Fence) {
                from.push(*m);
            }
        }
        // A read-modify-write goes on with the sequence of what it read.
        source = match write.kind {
            EventKind::Rmw => write.source,
            EventKind::Write if is_in(write, "X") => read_of(facts, write),
            _ => None,
        };
    }
}

/// What the read of a read-modify-write of two events read, by its write.
fn read_of(facts: &Facts, write: &Event) -> Option<usize> {
    let own = facts.threads.get(usize::from(write.thread?))?.iter().filter_map(|m| facts.events[*m].as_ref());
    own.filter(|e| e.instance == write.instance && e.kind == EventKind::Read && e.cell == write.cell)
        .find_map(|e| e.source)
}
