//! What was counted before: where the same is left to choose, in the same circumstances, the same comes of it.
//!
//! The order of critical sections before a point, or which of several atomics came first, is soon history: what comes later does not notice. Where a search grows
//! large, what is left at each node is looked up ([`super::residual`]); what was found there is kept as a list of what the final state shows of it, each with
//! its number of executions, and handed to whoever comes to the same point on another way. Orders are then decided from their beginning on,
//! so that what is decided becomes history as soon as possible.

use std::ops::ControlFlow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Mode;
use super::choices::State;
use super::problem::{LastVar, ReadVar};
use super::residual::loose;
use super::search::{Branch, Search};
use crate::outcome::Count;
use crate::program::Value;
use crate::relation::rows::{self, Row};

/// So many looks are free; after that, one in so many must find something.
const LOOKS: u32 = 512;
const PAYS: u32 = 3;

/// Choices that are soon made.
const FEW: usize = 3;

/// What is kept, in words.
const MAX_WORDS: usize = 2 << 20;

/// What the final state shows of a part of an execution, as numbers of values and of events.
type Shown = Box<[u32]>;

/// All that a part of a search found.
type Found = Rc<[(Shown, Count)]>;

/// What a part of the search is to find out: values of reads that are not known yet, final writes that are not.
#[derive(Default)]
pub(super) struct Frame {
    reads: Vec<usize>,
    lasts: Vec<usize>,
    found: FxHashMap<Shown, Count>,
}

/// What was counted before.
pub(super) struct Repeats<const W: usize> {
    /// May it be looked for at all?
    allowed: bool,
    /// Is all known that is to be known beforehand?
    ready: bool,
    nodes: u32,
    words: usize,
    known: FxHashMap<Box<[u64]>, Found>,
    frames: Vec<Frame>,
    values: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
    /// The reads that each write's value depends on.
    pub depends_on: Vec<Vec<usize>>,
    /// The reads whose values the final state may show, by event.
    matters: Vec<bool>,
    pub relevant: Vec<Row<W>>,
}

impl<const W: usize> Default for Repeats<W> {
    fn default() -> Repeats<W> {
        Repeats {
            allowed: true,
            ready: false,
            nodes: 0,
            words: 0,
            known: FxHashMap::default(),
            frames: Vec::new(),
            values: Vec::new(),
            numbers: FxHashMap::default(),
            depends_on: Vec::new(),
            matters: Vec::new(),
            relevant: Vec::new(),
        }
    }
}

impl<const W: usize> Repeats<W> {
    /// The number of a value.
    pub fn number(&mut self, value: Value) -> u32 {
        let next = self.values.len() as u32;
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        number
    }
}

impl<const W: usize> Search<'_, '_, W> {
    /// One more node; is it worth to look whether what is left was counted before?
    pub(super) fn may_repeat(&mut self, state: &mut State<W>) -> bool {
        if self.repeats.nodes < self.options.large {
            self.repeats.nodes += 1;
            return false;
        }
        if !self.repeats.allowed {
            return false;
        }
        if !self.repeats.ready {
            self.repeats.ready = true;
            self.repeats.allowed = self.can_repeat();
            if !self.repeats.allowed {
                return false;
            }
            let row_of = |read: &ReadVar| {
                let mut row = rows::zero();
                read.candidates.iter().for_each(|write| rows::put(&mut row, *write));
                row
            };
            let root: Vec<Row<W>> = self.problem.reads.iter().map(row_of).collect();
            self.repeats.depends_on = (0..self.eval.n).map(|event| self.depends_on(event)).collect();
            self.repeats.matters = self.matter_at_the_end(&root);
        }
        // What is nearly through is sooner done than looked up.
        self.repeating_pays()
            && !self.builds_all(state)
            && self.choices_left(state) > FEW.min(self.options.large as usize)
    }

    fn repeating_pays(&self) -> bool {
        self.sink.looks < LOOKS || self.sink.hits * PAYS >= self.sink.looks
    }

    /// Only who counts all executions, and has no other questions.
    fn can_repeat(&self) -> bool {
        let test = self.sink.test();
        self.options.mode == Mode::Count
            && !self.options.speedcheck
            && test.filter.is_none()
            && !test.program.machine.signs
            && self.sink.listed().is_none()
            && self.sink.watch.is_none()
    }

    /// Goes on from a node: by what was found where the same was left, if there is such a node.
    pub(super) fn explore_anew(
        &mut self,
        depth: usize,
        state: &mut State<W>,
        branch: Branch,
    ) -> ControlFlow<()> {
        let Some(key) = self.residual(state) else {
            self.repeats.allowed = false;
            return self.branch_out(depth, state, branch);
        };
        self.sink.looks += 1;
        let frame = self.frame(state);
        if let Some(found) = self.repeats.known.get(&key) {
            self.sink.hits += 1;
            let found = Rc::clone(found);
            return self.hand_over(state, &frame, &found);
        }
        self.repeats.frames.push(frame);
        let order = if self.repeating_pays() { self.widest_order(state) } else { None };
        let flow = match order {
            Some(index) => self.by_first(depth, state, index),
            None => self.branch_out(depth, state, branch),
        };
        let mut frame = self.repeats.frames.pop().unwrap_or_default();
        let found: Found = std::mem::take(&mut frame.found).into_iter().collect();
        let size = key.len() + found.iter().map(|(shown, _)| 6 + shown.len()).sum::<usize>();
        if flow.is_continue() && self.repeats.words + size < MAX_WORDS {
            self.repeats.words += size;
            self.repeats.known.insert(key, Rc::clone(&found));
        }
        let handed = self.hand_over(state, &frame, &found);
        flow?;
        handed
    }

    /// What is to be found out from a state on.
    fn frame(&self, state: &State<W>) -> Frame {
        let problem = self.problem;
        let is_open = |(read, row): &(usize, &Row<W>)| match problem.plain_values {
            true => problem.looked_at[*read] && rows::count(row) > 1,
            false => self.repeats.matters[problem.reads[*read].event] && self.waits(state, *read),
        };
        let reads = state.candidates.iter().enumerate().filter(is_open);
        let reads = reads.map(|(read, _)| problem.reads[read].event).collect();
        let is_known = |last: &&LastVar| {
            let rel = state.order(last.choice);
            let is_last =
                |write: &usize| last.writes.iter().all(|o| o == write || rows::has(&rel[*o], *write));
            last.writes.iter().any(is_last)
        };
        let of_orders = problem.last_of_order.iter().filter(|last| !is_known(last));
        let finals = problem.finals.iter().zip(&state.finals).filter(|(_, row)| rows::count(row) > 1);
        let lasts = of_orders.chain(finals.map(|(last, _)| last)).map(|last| last.position).collect();
        Frame { reads, lasts, found: FxHashMap::default() }
    }

    /// Takes executions for the part of the search that is under way. False: there is none, and they are to be told.
    pub(super) fn keep(&mut self, values: &[Option<Value>], last: &[usize], ways: &Count) -> bool {
        let Some(mut frame) = self.repeats.frames.pop() else { return false };
        let mut shown = Vec::with_capacity(frame.reads.len() + frame.lasts.len());
        for event in &frame.reads {
            shown.push(values[*event].map_or(0, |value| 1 + self.repeats.number(value)));
        }
        shown.extend(frame.lasts.iter().map(|position| last[*position] as u32));
        match frame.found.get_mut(&shown[..]) {
            Some(sum) => *sum += ways,
            None => {
                frame.found.insert(shown.into_boxed_slice(), ways.clone());
            }
        }
        self.repeats.frames.push(frame);
        true
    }

    /// Hands over what was found from a state on.
    fn hand_over(&mut self, state: &State<W>, frame: &Frame, found: &Found) -> ControlFlow<()> {
        if found.is_empty() {
            return ControlFlow::Continue(());
        }
        let problem = self.problem;
        let mut values = vec![None; problem.n_values];
        for (read, row) in problem.reads.iter().zip(&state.candidates) {
            values[read.event] = match problem.plain_values {
                true => rows::lowest(row).and_then(|write| problem.known_values[write]),
                false => state.values[read.event],
            };
        }
        self.find_last(state);
        let mut last = self.last.clone();
        for (shown, ways) in found.iter() {
            let (reads, lasts) = shown.split_at(frame.reads.len());
            for (event, number) in frame.reads.iter().zip(reads) {
                values[*event] = number.checked_sub(1).map(|number| self.repeats.values[number as usize]);
            }
            for (position, event) in frame.lasts.iter().zip(lasts) {
                last[*position] = *event as usize;
            }
            self.accept(state, &values, &last, ways)?;
        }
        ControlFlow::Continue(())
    }

    /// The order with the most events that are not ordered yet, of those that a check still asks about: the others are counted in the end.
    fn widest_order(&self, state: &State<W>) -> Option<usize> {
        let mut widest = (None, 1);
        for (index, order) in self.problem.orders.iter().enumerate() {
            if !state.loose.has(index) {
                continue;
            }
            let loose = loose(state.order(order.choice), &order.over, &self.eval.over[index]);
            let width = rows::count(&loose);
            if width > widest.1 && self.hangs_on(order.choice, &loose) {
                widest = (Some(index), width);
            }
        }
        widest.0
    }

    /// Decides which of the events that are not ordered yet comes first.
    fn by_first(&mut self, depth: usize, state: &State<W>, index: usize) -> ControlFlow<()> {
        let order = &self.problem.orders[index];
        let rel = state.order(order.choice);
        let loose = loose(rel, &order.over, &self.eval.over[index]);
        let is_first = |event: &usize| !rows::bits(loose).any(|other| rows::has(&rel[other], *event));
        let firsts: Vec<usize> = rows::bits(loose).filter(is_first).collect();
        self.share /= firsts.len().max(1) as f64;
        for first in firsts {
            let next = &mut self.states[depth + 1];
            next.copy_from(state);
            let rel = next.order_mut(order.choice);
            if rows::bits(loose)
                .filter(|other| *other != first)
                .all(|other| rows::add_closed(rel, first, other))
            {
                self.explore(depth + 1)?;
            }
        }
        self.refuted = false;
        ControlFlow::Continue(())
    }
}
