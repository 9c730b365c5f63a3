//! Places of threads by what they go on from: two threads at the same instruction that hold the same in all registers they may still look at go on in the same way,
//! however they have come there.
//!
//! What only says how a thread has come to where it is (how many instructions it has run, how many events it has made) does not count.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::awaits::{Live, Loops};
use super::state::{Access, Arrival, Held, Leaf, Look, Plain, State, Stop};
use crate::execution::EventKind;
use crate::program::{IllegalOp, Program, Value};

/// What a register or a cell may hold.
type Content = Result<Option<Value>, IllegalOp>;

/// Numbers for what is equal.
pub(super) struct Numbered<T> {
    known: FxHashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { known: FxHashMap::default() }
    }
}

impl<T: Eq + Hash> Numbered<T> {
    /// Its number, from 1 on; is it new?
    pub fn of(&mut self, one: T) -> (u32, bool) {
        let next = self.known.len() as u32 + 1;
        let number = *self.known.entry(one).or_insert(next);
        (number, number == next)
    }
}

/// The places that threads were at.
pub(super) struct Snapshots<'p> {
    program: &'p Program,
    live: Live,
    loops: Option<&'p Loops>,
    /// Do loops end after so many passes?
    bounded: bool,
    contents: Numbered<Content>,
    places: Numbered<Box<[u64]>>,
    /// One place for each number.
    first: Vec<Arc<Stop<'p>>>,
    /// What is said of the place that is being numbered.
    words: Vec<u64>,
}

impl<'p> Snapshots<'p> {
    pub fn new(program: &'p Program, loops: Option<&'p Loops>, bounded: bool) -> Snapshots<'p> {
        Snapshots {
            program,
            live: Live::new(program),
            loops,
            bounded,
            contents: Numbered::default(),
            places: Numbered::default(),
            first: Vec::new(),
            words: Vec::new(),
        }
    }

    /// The number of what a cell holds.
    pub fn content(&mut self, value: Option<Value>) -> u32 {
        self.contents.of(Ok(value)).0
    }

    /// The number of a place, with what else is to count, and the first place that had it.
    pub fn number(&mut self, stop: &Arc<Stop<'p>>, more: [u64; 2]) -> (u32, Arc<Stop<'p>>) {
        self.words.clear();
        self.words.extend(more);
        self.stop(stop);
        let (number, is_new) = self.places.of(self.words.as_slice().into());
        if is_new {
            self.first.push(stop.clone());
        }
        (number, self.first[number as usize - 1].clone())
    }

    fn say(&mut self, word: u64) {
        self.words.push(word);
    }

    fn all(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.words.push(words.len() as u64);
        self.words.extend(words);
    }

    fn value(&mut self, value: Result<Value, IllegalOp>) -> u64 {
        u64::from(self.contents.of(value.map(Some)).0)
    }

    /// What it holds, and whether loops over it are counted.
    fn held(&mut self, held: &Held) {
        let value = self.value(held.value);
        self.say(value << 1 | u64::from(held.constant));
    }

    fn stop(&mut self, stop: &Stop<'p>) {
        match stop {
            Stop::Access(leaves) => {
                self.say(leaves.len() as u64);
                leaves.iter().for_each(|leaf| self.leaf(leaf, true));
            }
            Stop::Choice(stops) => {
                self.say(1 << 32);
                self.say(stops.len() as u64);
                stops.iter().for_each(|stop| self.stop(stop));
            }
            Stop::Ready(state) => {
                self.say(2 << 32);
                self.state(state, true);
            }
            Stop::Unborn => self.say(3 << 32),
            Stop::Spawn(spawn) => {
                self.say(4 << 32);
                self.say(u64::from(spawn.child) << 16 | u64::from(spawn.code));
                self.say(u64::from(spawn.dst.0));
                for (reg, held) in &spawn.args {
                    self.say(u64::from(reg.0));
                    self.held(held);
                }
                self.state(&spawn.state, true);
            }
            Stop::Join(join) => {
                self.say(5 << 32);
                self.say(u64::from(join.target));
                self.say(join.dst.map_or(u64::MAX, |dst| u64::from(dst.0)));
                self.state(&join.state, true);
            }
            // Who does not go on looks at nothing any more.
            Stop::Violation(state, ..) => self.over(6, state),
            Stop::Ended(state) => {
                self.over(7, state);
                // Who waits for it gets that.
                if let Some(result) = self.program.threads[state.code()].result {
                    let value = self.value(state.register(result));
                    self.say(value);
                }
            }
            Stop::Blocked(state) => {
                let why = u64::from(state.waits) << 1 | u64::from(state.is_repeated);
                self.over(8 + why, state);
            }
            Stop::Cut(state, _) => self.over(12, state),
            Stop::Error(state, _) => self.over(13, state),
        }
    }

    /// A thread that does not go on: where, and what is told of it at the end.
    fn over(&mut self, kind: u64, state: &State<'p>) {
        self.say(kind << 32);
        self.say((state.code() as u64) << 32 | u64::from(state.pc()));
        self.told(state);
    }

    /// What is told of a thread at the end, whatever it did last.
    fn told(&mut self, state: &State<'p>) {
        self.all(state.cautions.iter().map(|caution| u64::from(caution.code) << 32 | u64::from(caution.pc)));
        self.all(state.objects.iter().map(|made| u64::from(made.object.0)));
        self.all(state.freed.iter().map(|object| u64::from(object.0)));
        self.fresh(&state.fresh);
    }

    /// Events that are made, but not seen yet: parts that nothing comes between begin and end there.
    fn fresh(&mut self, fresh: &[Plain<'p>]) {
        self.all(fresh.iter().map(|event| event.sets.as_ptr() as u64));
    }

    fn leaf(&mut self, leaf: &Leaf<'p>, with_loops: bool) {
        let Access { kind, cell, op, value, wanted, sets, .. } = &leaf.access;
        let kind = match kind {
            EventKind::Read => 0,
            EventKind::Write => 1,
            _ => 2,
        };
        self.say(kind << 16 | u64::from(*cell));
        self.say(std::ptr::from_ref(*op) as u64);
        self.say(sets.as_ptr() as u64);
        let value = value.map_or(0, |value| self.value(Ok(value)));
        self.say(value);
        let wanted = wanted.map_or(0, |(value, equal)| self.value(Ok(value)) << 1 | u64::from(equal));
        self.say(wanted);
        self.state(&leaf.state, with_loops);
    }

    fn state(&mut self, state: &State<'p>, with_loops: bool) {
        let words = &mut self.words;
        state.control.tell(self.bounded, &mut |word| words.push(word));
        let marks = [state.accessed, state.wrote, state.is_child, state.waits, state.is_repeated];
        self.say(marks.into_iter().fold(0, |all, mark| all << 1 | u64::from(mark)));
        self.say(u64::from(state.spawned) << 16 | u64::from(state.made));
        self.say(state.sum.map_or(u64::MAX, |sum| u64::from(sum.0)));
        let reserved = state.reserved.map_or(0, |value| self.value(Ok(value)));
        self.say(reserved);
        self.told(state);
        self.say(state.tmps.len() as u64);
        state.tmps.iter().for_each(|held| self.held(held));
        // The same for all that are at this instruction.
        let (code, pc) = (state.code(), state.pc() as usize);
        for at in 0..self.live.at(code, pc).len() {
            let reg = self.live.at(code, pc)[at];
            match state.regs.get(reg.0 as usize) {
                Some(held) => self.held(held),
                None => self.say(u64::MAX),
            }
        }
        self.say(state.private.len() as u64);
        for ((object, offset), held) in &state.private {
            self.say(u64::from(object.0));
            self.say(*offset as u64);
            self.held(held);
        }
        self.all(state.held.iter().map(|cell| u64::from(*cell)));
        self.all(state.unshared.iter().map(|object| u64::from(object.0)));
        let owed = state.owed.as_deref();
        self.say(u64::from(owed.is_some()));
        self.all(owed.unwrap_or_default().iter().map(|cell| u64::from(*cell)));
        if self.bounded {
            self.all(state.passes.iter().map(|(id, hash)| hash.rotate_left(7) ^ u64::from(*id)));
        }
        if with_loops && self.loops.is_some_and(|loops| loops.has_any(code)) {
            self.look(state.latest.as_ref());
            self.say(state.arrivals.len() as u64);
            state.arrivals.iter().for_each(|arrival| self.arrival(state, arrival));
        }
    }

    /// A read that may turn out to have led to the head of a loop.
    fn look(&mut self, look: Option<&Look<'p>>) {
        match look.and_then(Look::leaf) {
            Some(leaf) => self.leaf(leaf, false),
            None => self.say(u64::MAX),
        }
    }

    fn arrival(&mut self, state: &State<'p>, arrival: &Arrival<'p>) {
        let at = &arrival.at;
        self.say(u64::from(at.code) << 32 | u64::from(at.pc));
        // Has it changed anything since then?
        self.say(u64::from(state.changes == at.changes));
        self.all(at.held.iter().map(|cell| u64::from(*cell)));
        self.say(at.private);
        self.say(at.live.len() as u64);
        for value in &at.live {
            let value = self.value(*value);
            self.say(value);
        }
        self.look(arrival.by.as_ref());
        self.say(arrival.since.len() as u64);
        for value in &arrival.since {
            let value = self.value(Ok(*value));
            self.say(value);
        }
        self.all(arrival.hidden.iter().map(|cell| u64::from(*cell)));
    }
}
