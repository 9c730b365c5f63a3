//! Several workers on one search: whoever has nothing to do takes a graph that another gives away, with all that can come of it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::code::Code;
use super::graph::Graph;

/// The stack of a worker: the search goes one call deeper with each event and each revisit.
pub(crate) const STACK: usize = 1 << 28;

/// So many events are missing in a graph that is worth giving away.
const FAR: usize = 6;

/// What the workers of a search share.
pub(super) struct Shared<'p, const W: usize> {
    waiting: Mutex<Waiting<'p, W>>,
    changed: Condvar,
    /// How many workers have nothing to do and nothing to take.
    hungry: AtomicUsize,
    stopped: Arc<AtomicBool>,
    workers: usize,
    /// Does someone take every graph, to look at it later?
    collects: bool,
}

struct Waiting<'p, const W: usize> {
    graphs: Vec<Graph<'p, W>>,
    idle: usize,
}

impl<'p, const W: usize> Shared<'p, W> {
    /// For so many workers, with one graph to begin with unless they have one.
    pub fn new(workers: usize, first: Option<Graph<'p, W>>) -> Shared<'p, W> {
        Shared {
            waiting: Mutex::new(Waiting { graphs: first.into_iter().collect(), idle: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: Arc::default(),
            workers,
            collects: false,
        }
    }

    /// For one worker that has its graph already, and stops when these are stopped.
    pub fn alone<const V: usize>(&self) -> Shared<'p, V> {
        Shared {
            waiting: Mutex::new(Waiting { graphs: Vec::new(), idle: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: self.stopped.clone(),
            workers: 1,
            collects: self.collects,
        }
    }

    /// For someone who takes every graph, to look at it later.
    pub fn collecting() -> Shared<'p, W> {
        Shared {
            waiting: Mutex::new(Waiting { graphs: Vec::new(), idle: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(usize::MAX),
            stopped: Arc::default(),
            workers: 1,
            collects: true,
        }
    }

    /// The graphs that were given away.
    pub fn collected(&self) -> Vec<Graph<'p, W>> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner).graphs)
    }

    /// Gives a graph away, if someone waits for one. Not one that is nearly as large as the last execution: what comes of it is sooner done than handed over.
    pub fn give(&self, graph: &Graph<'p, W>, code: &Code, ended_at: usize) -> bool {
        if self.collects {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).graphs.push(graph.copy(code));
            return true;
        }
        if self.hungry.load(Ordering::Relaxed) == 0 || graph.n() + FAR > ended_at {
            return false;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.idle <= waiting.graphs.len() {
            return false;
        }
        waiting.graphs.push(graph.copy(code));
        self.hungry.store(waiting.idle - waiting.graphs.len(), Ordering::Relaxed);
        self.changed.notify_one();
        true
    }

    /// Takes a graph, or waits for one; `None` once there will be no more.
    pub fn take(&self) -> Option<Graph<'p, W>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.idle += 1;
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(graph) = waiting.graphs.pop() {
                waiting.idle -= 1;
                self.hungry.store(waiting.idle.saturating_sub(waiting.graphs.len()), Ordering::Relaxed);
                return Some(graph);
            }
            if waiting.idle == self.workers {
                self.stop();
                return None;
            }
            self.hungry.store(waiting.idle, Ordering::Relaxed);
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the search for all workers.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Has someone ended the search?
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
