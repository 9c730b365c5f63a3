//! What comes of a value that a thread reads. A thread that reads the same values does the same: what it did is remembered for a while.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::node::{Bound, NONE};
use super::older::is_atomic;
use super::state::{Held, Join, Leaf, State, Stop};
use super::step::Stepper;
use crate::execution::EventKind;
use crate::program::threads::{COPY, PART};
use crate::program::{IllegalOp, Property, Value};

/// What is remembered takes so many bytes, about: half of it what was asked for lately, half what was asked for before that.
const ROOM: usize = 9 << 20;

/// A way in which a thread goes on from an access.
pub(super) struct Way<'p> {
    /// Which of the accesses that it was at.
    pub leaf: usize,
    pub written: Option<Value>,
    pub stop: Arc<Stop<'p>>,
    /// Is it the one that a deleted event must have taken?
    pub canonical: bool,
}

impl<'p> Way<'p> {
    /// An access that went this way, having read that value from a write.
    pub fn reading(&self, source: u16, value: Option<Value>) -> Bound<'p> {
        Bound {
            source,
            read: Some(value.unwrap_or(Value::ZERO)),
            written: self.written,
            stop: self.stop.clone(),
            way: self.leaf as u16,
            canonical: self.canonical,
        }
    }

    /// A plain write that went this way: it had no other.
    pub fn writing(&self) -> Bound<'p> {
        Bound {
            source: NONE,
            read: None,
            written: self.written,
            stop: self.stop.clone(),
            way: 0,
            canonical: true,
        }
    }
}

/// All ways.
pub(super) struct Found<'p> {
    pub ways: Vec<Way<'p>>,
    /// Does the thread only wait, having changed nothing?
    pub waits: bool,
}

/// A place that a thread was at, with what came of the value.
type Entry<'p> = (Arc<Stop<'p>>, Rc<Found<'p>>);

/// By the place that a thread was at, and the value.
type Known<'p> = FxHashMap<(usize, Option<Value>), Entry<'p>>;

/// What was found so far.
#[derive(Default)]
pub(super) struct Ways<'p> {
    known: Known<'p>,
    /// Bytes that it takes.
    size: usize,
    /// What was known before that; forgotten next, unless it is asked for.
    older: Known<'p>,
}

impl<'p> Ways<'p> {
    /// The ways in which a thread goes on from an access with a value read (or written); without one: from a cell that nobody has written.
    pub fn of(&mut self, stepper: &Stepper<'p>, stop: &Arc<Stop<'p>>, value: Option<Value>) -> Rc<Found<'p>> {
        self.recall(stop, value, || find(stepper, stop, value))
    }

    /// Where a thread goes on that has waited for another one with that result.
    pub fn joined(
        &mut self,
        stepper: &Stepper<'p>,
        (stop, join): (&Arc<Stop<'p>>, &Join<'p>),
        result: Result<Value, IllegalOp>,
    ) -> Arc<Stop<'p>> {
        match (join.dst, result) {
            (Some(_), Err(illegal)) => Arc::new(stepper.join(join, Err(illegal))),
            (dst, result) => {
                let value = if dst.is_some() { result.as_ref().ok().copied() } else { None };
                self.only(stop, value, || Arc::new(stepper.join(join, result)))
            }
        }
    }

    /// Where a thread goes on from one of the ways of a choice.
    pub fn chosen(&mut self, stepper: &Stepper<'p>, way: &Arc<Stop<'p>>) -> Arc<Stop<'p>> {
        match &**way {
            Stop::Ready(state) => self.only(way, None, || Arc::new(stepper.run((**state).clone()))),
            _ => way.clone(),
        }
    }

    /// The only way to go on from a place that is no access.
    fn only(
        &mut self,
        stop: &Arc<Stop<'p>>,
        value: Option<Value>,
        next: impl FnOnce() -> Arc<Stop<'p>>,
    ) -> Arc<Stop<'p>> {
        let way = |stop| Way { leaf: 0, written: None, stop, canonical: true };
        self.recall(stop, value, || Found { ways: vec![way(next())], waits: false }).ways[0].stop.clone()
    }

    /// What is known to come of a place and a value, or is found now.
    fn recall(
        &mut self,
        stop: &Arc<Stop<'p>>,
        value: Option<Value>,
        find: impl FnOnce() -> Found<'p>,
    ) -> Rc<Found<'p>> {
        let key = (Arc::as_ptr(stop) as usize, value);
        if let Some((_, found)) = self.known.get(&key) {
            return found.clone();
        }
        let entry = match self.older.remove(&key) {
            Some(entry) => entry,
            // The place is kept, so that no other one comes to stand where it stood.
            None => (stop.clone(), Rc::new(find())),
        };
        let found = entry.1.clone();
        if self.size >= ROOM / 2 {
            self.older = std::mem::take(&mut self.known);
            self.size = 0;
        }
        self.size += found.ways.iter().map(|way| size(&way.stop)).sum::<usize>();
        self.known.insert(key, entry);
        found
    }
}

/// About how many bytes a place takes.
fn size(stop: &Stop) -> usize {
    let one = |state: &State| {
        let regs = state.regs.len() * size_of::<Held>();
        size_of::<Leaf>() + regs + (state.private.len() + state.tmps.len()) * size_of::<Held>()
    };
    let n = if let Stop::Access(leaves) = stop { leaves.len() } else { 1 };
    size_of::<Stop>() + size_of::<Found>() + stop.state().map_or(0, |state| n * one(state))
}

fn find<'p>(stepper: &Stepper<'p>, before: &Arc<Stop<'p>>, found: Option<Value>) -> Found<'p> {
    let Stop::Access(leaves) = &**before else { return Found { ways: Vec::new(), waits: false } };
    let value = found.unwrap_or(Value::ZERO);
    let mut ways = Vec::with_capacity(1);
    let mut refused = Vec::new();
    for (number, leaf) in leaves.iter().enumerate() {
        if leaf.access.wanted.is_some_and(|(wanted, equal)| (wanted == value) != equal) {
            continue;
        }
        let (new, mut stop) = stepper.resume(before, number, value);
        // What is copied as a whole, or only in part replaced, need not have been written.
        let lenient = leaf.access.sets.iter().any(|set| set == COPY || set == PART);
        if found.is_none() && !lenient {
            stop = stepper.violation(leaf, Property::Uninitialised);
        }
        // A way that the value does not choose is none.
        let is_refused = leaves.len() > 1
            && matches!(&stop, Stop::Blocked(state) if state.control.instance == leaf.state.control.instance);
        let way = Way {
            leaf: number,
            written: new.filter(|_| leaf.access.kind != EventKind::Read),
            stop: Arc::new(stop),
            canonical: ways.is_empty(),
        };
        if is_refused { refused.push(way) } else { ways.push(way) }
    }
    if ways.is_empty() {
        refused.truncate(1);
        ways = refused;
    }
    // An access that may race is always made.
    let is_safe = |leaf: &Leaf| !stepper.program.conventions.non_atomics || is_atomic(leaf.access.sets);
    let waits = leaves.iter().all(is_safe)
        && ways.iter().all(|way| {
            matches!(&*way.stop, Stop::Blocked(_)) && way.written.is_none_or(|written| written == value)
        });
    Found { ways, waits }
}
