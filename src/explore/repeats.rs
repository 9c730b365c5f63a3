//! What was counted before: where the same is left to choose, in the same circumstances, the same comes of it.
//!
//! The order of critical sections before a point, or which of several atomics came first, is soon history: what comes later does not notice. Where a search grows
//! large, what is left at each node is looked up ([`super::residual`]); what was found there is kept as a list of what the final state shows of it, each with
//! its number of executions, and handed to whoever comes to the same point on another way. Orders are then decided from their beginning on,
//! so that what is decided becomes history as soon as possible.

use std::ops::ControlFlow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::choices::State;
use super::problem::{Problem, ReadVar};
use super::residual::loose;
use super::search::{Branch, Search};
use super::sink::Sink;
use super::{Mode, Options};
use crate::outcome::Count;
use crate::program::Value;
use crate::relation::rows::{self, Row};

/// Choices that are soon made.
const FEW: usize = 3;

/// So many alternatives are many, as a power of two.
const MUCH: f64 = 24.0;

/// What is kept, in words.
const MAX_WORDS: usize = 2 << 20;

/// A key, as 128 bits: that two of the few thousand keys of a search have the same is less likely than that the machine errs.
type Digest = [u64; 2];

fn digest(key: &[u64]) -> Digest {
    // Each word goes into both halves, which have nothing in common but that. (The factors are the first digits of pi and e, made odd.)
    const FACTORS: Digest = [0x243f_6a88_85a3_08d3, 0xb7e1_5162_8aed_2a6b];
    let mixed = |half: u64, word: u64, factor: u64| {
        let product = u128::from(half ^ word) * u128::from(factor);
        (product as u64 ^ (product >> 64) as u64).wrapping_add(word.rotate_left(32))
    };
    let length = key.len() as u64;
    let [mut one, mut other] = [length ^ FACTORS[1], length ^ FACTORS[0]];
    for word in key {
        one = mixed(one, *word, FACTORS[0]);
        other = mixed(other, *word, FACTORS[1]);
    }
    [mixed(one, other, FACTORS[1]), mixed(other, one, FACTORS[0])]
}

/// Whether looking pays, over all worlds of a test.
pub(crate) struct Looks {
    /// What looking may cost, in nodes of the search: what it has saved so far, and something to begin with.
    credit: u64,
    /// Nodes since there was none left.
    passed: u64,
    /// Is the search one worker's, on trial, as long as looking pays?
    trial: Trial,
}

/// Workers do not tell each other what they have counted, and whatever two of them decide before they part never becomes history. So one searches alone
/// where looking pays; where it does not, several share the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Trial {
    #[default]
    None,
    Goes,
    Failed,
}

impl Looks {
    /// What a look costs, about. (Noting what is left takes an evaluation, and more.)
    const COST: u64 = 4;
    /// So many things found are handed on in the time that a node takes, about.
    const ENTRIES: u64 = 4;
    const FIRST: u64 = 4096;
    const MOST: u64 = 4 * Looks::FIRST;
    /// Where looking has not paid, once in so many nodes it is tried again: a search may come to a part where it does.
    const SELDOM: u64 = 256;

    /// A search that is to stop as soon as looking does not pay.
    pub fn on_trial() -> Looks {
        Looks { trial: Trial::Goes, ..Looks::default() }
    }

    /// Has it turned out not to pay?
    pub fn has_failed(&self) -> bool {
        self.trial == Trial::Failed
    }

    /// It does not pay.
    fn fail(&mut self) {
        if self.trial == Trial::Goes {
            self.trial = Trial::Failed;
        }
    }

    /// At one more node: is it worth a look?
    fn next(&mut self) -> bool {
        if let Some(left) = self.credit.checked_sub(Looks::COST) {
            self.credit = left;
            return true;
        }
        self.fail();
        self.passed = (self.passed + 1) % Looks::SELDOM;
        self.passed == 0
    }

    /// So many nodes were saved, at the price of handing on what was found.
    fn saved(&mut self, nodes: u64, found: usize) {
        self.credit =
            self.credit.saturating_add(nodes).saturating_sub(found as u64 / Looks::ENTRIES).min(Looks::MOST);
    }

    /// What was found in a part of the search has to be handed on once more.
    fn lost(&mut self, found: usize) {
        self.credit = self.credit.saturating_sub(found as u64 / Looks::ENTRIES);
    }
}

impl Default for Looks {
    fn default() -> Looks {
        Looks { credit: Looks::FIRST, passed: 0, trial: Trial::None }
    }
}

/// What the final state shows of a part of an execution, as numbers of values and of events.
type Shown = Box<[u32]>;

/// All that a part of a search found, and how many nodes it took.
#[derive(Clone)]
struct Found {
    all: Rc<[(Shown, Count)]>,
    nodes: u64,
}

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
    /// Nodes with something to choose, so far; with those that were saved.
    nodes: u64,
    words: usize,
    /// What is left at the node at hand.
    key: Vec<u64>,
    known: FxHashMap<Digest, Found>,
    frames: Vec<Frame>,
    values: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
    /// One more than the numbers of the least integers: most values are such. 0 for none.
    least: [u32; 8],
    /// What is shown of the execution at hand.
    shows: Vec<u32>,
    /// The reads that each write's value depends on.
    pub depends_on: Vec<Vec<usize>>,
    /// The reads whose values the final state shows, by event.
    shown: Vec<bool>,
    /// The reads whose values it may show, as they are or by what is computed from them.
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
            key: Vec::new(),
            known: FxHashMap::default(),
            frames: Vec::new(),
            values: Vec::new(),
            numbers: FxHashMap::default(),
            least: [0; 8],
            shows: Vec::new(),
            depends_on: Vec::new(),
            shown: Vec::new(),
            matters: Vec::new(),
            relevant: Vec::new(),
        }
    }
}

impl<const W: usize> Repeats<W> {
    /// The number of a value.
    pub fn number(&mut self, value: Value) -> u32 {
        let least = if let Value::Int(least @ 0..8) = value { Some(least as usize) } else { None };
        if let Some(known @ 1..) = least.map(|least| self.least[least]) {
            return known - 1;
        }
        let next = self.values.len() as u32;
        let number = *self.numbers.entry(value).or_insert(next);
        if let Some(least) = least {
            self.least[least] = number + 1;
        }
        if number == next {
            self.values.push(value);
        }
        number
    }
}

/// Only who counts all executions, and has no other questions.
fn can_repeat(options: &Options, sink: &Sink) -> bool {
    let test = sink.test();
    options.mode == Mode::Count
        && !options.speedcheck
        && test.filter.is_none()
        && !test.program.machine.signs
        && sink.listed().is_none()
        && sink.watch.is_none()
}

/// Is a search one that looks from its first node on?
pub(super) fn looks_at_once(problem: &Problem, options: &Options, sink: &Sink) -> bool {
    problem.alternatives() > MUCH && can_repeat(options, sink)
}

impl<const W: usize> Search<'_, '_, W> {
    /// One more node; is it worth to look whether what is left was counted before?
    pub(super) fn may_repeat(&mut self, state: &mut State<W>) -> bool {
        // How the first choices are made decides what repeats itself later. So where much is to be chosen, one looks from the first node on.
        if self.repeats.nodes == 0 && self.problem.alternatives() > MUCH {
            self.repeats.nodes = u64::from(self.options.large);
        }
        self.repeats.nodes += 1;
        if self.repeats.nodes <= u64::from(self.options.large) || !self.repeats.allowed {
            return false;
        }
        if !self.repeats.ready {
            self.repeats.ready = true;
            self.repeats.allowed = can_repeat(self.options, self.sink);
            if !self.repeats.allowed {
                self.sink.looks.fail();
                return false;
            }
            let row_of = |read: &ReadVar| {
                let mut row = rows::zero();
                read.candidates.iter().for_each(|write| rows::put(&mut row, *write));
                row
            };
            let root: Vec<Row<W>> = self.problem.reads.iter().map(row_of).collect();
            self.repeats.depends_on = (0..self.eval.n).map(|event| self.depends_on(event)).collect();
            self.repeats.shown = vec![false; self.problem.n_values];
            let shown = self.problem.reads.iter().zip(&self.problem.looked_at).filter(|(_, shown)| **shown);
            shown.for_each(|(read, _)| self.repeats.shown[read.event] = true);
            self.repeats.matters = self.matter_at_the_end(&root);
        }
        // What is nearly through is sooner done than looked up.
        if self.builds_all(state) {
            self.sink.looks.fail();
            return false;
        }
        if self.choices_left(state) <= FEW.min(self.options.large as usize) {
            return false;
        }
        self.sink.looks.next()
    }

    /// Goes on from a node: by what was found where the same was left, if there is such a node.
    pub(super) fn explore_anew(
        &mut self,
        depth: usize,
        state: &mut State<W>,
        branch: Branch,
    ) -> ControlFlow<()> {
        let mut key = std::mem::take(&mut self.repeats.key);
        key.clear();
        let frame = self.frame(state, &mut key);
        let noted = self.residual(state, &mut key);
        let digest = digest(&key);
        self.repeats.key = key;
        if noted.is_none() {
            self.repeats.allowed = false;
            self.sink.looks.fail();
            return self.branch_out(depth, state, branch);
        }
        if let Some(found) = self.repeats.known.get(&digest) {
            self.sink.looks.saved(found.nodes, found.all.len());
            self.repeats.nodes = self.repeats.nodes.saturating_add(found.nodes);
            let all = Rc::clone(&found.all);
            all.iter().for_each(|(_, ways)| self.sink.keep(ways));
            return self.hand_over(state, &frame, &all);
        }
        let before = self.repeats.nodes;
        self.repeats.frames.push(frame);
        let flow = match self.widest_order(state) {
            Some(index) => self.by_first(depth, state, index),
            None => self.branch_out(depth, state, branch),
        };
        let mut frame = self.repeats.frames.pop().unwrap_or_default();
        let all: Rc<[_]> = std::mem::take(&mut frame.found).into_iter().collect();
        self.sink.looks.lost(all.len());
        let size = 6 + all.iter().map(|(shown, _)| 6 + shown.len()).sum::<usize>();
        if flow.is_continue() && self.repeats.words + size < MAX_WORDS {
            self.repeats.words += size;
            let nodes = self.repeats.nodes - before;
            self.repeats.known.insert(digest, Found { all: Rc::clone(&all), nodes });
        }
        let handed = self.hand_over(state, &frame, &all);
        flow?;
        handed
    }

    /// What is to be found out from a state on, noted in a key: what is kept under it is a list of just that. Of an order that shows its last write, the key has the
    /// writes that may be it: one that is ordered with all others is not among what is left to choose, and may be the first or the last.
    fn frame(&self, state: &State<W>, key: &mut Vec<u64>) -> Frame {
        let problem = self.problem;
        let is_open = |(read, row): &(usize, &Row<W>)| match problem.plain_values {
            true => problem.looked_at[*read] && rows::count(row) > 1,
            false => self.repeats.matters[problem.reads[*read].event] && self.waits(state, *read),
        };
        let reads = state.candidates.iter().enumerate().filter(is_open);
        let reads: Vec<usize> = reads.map(|(read, _)| problem.reads[read].event).collect();
        key.extend(reads.iter().map(|event| *event as u64));
        key.push(u64::MAX);
        let of_orders = problem.last_of_order.iter().map(|last| (last, last.ends(state)));
        let finals = problem.finals.iter().zip(state.finals.iter().copied());
        let mut lasts = Vec::new();
        for (last, row) in of_orders.chain(finals) {
            let is_open = rows::count(&row) > 1;
            // What is kept are the values that the final write depends on, so it must be the same one.
            let waits = |write: usize| self.repeats.depends_on[write].iter().any(|read| reads.contains(read));
            if is_open || rows::bits(row).any(waits) {
                key.push(last.position as u64);
                key.extend(row);
            }
            if is_open {
                lasts.push(last.position);
            }
        }
        key.push(u64::MAX);
        Frame { reads, lasts, found: FxHashMap::default() }
    }

    /// Are executions kept for the part of the search that is under way?
    pub(super) fn is_kept(&self) -> bool {
        !self.repeats.frames.is_empty()
    }

    /// Takes executions for the part of the search that is under way. False: there is none, and they are to be told.
    pub(super) fn keep(&mut self, values: &[Option<Value>], last: &[usize], ways: &Count) -> bool {
        let Some(mut frame) = self.repeats.frames.pop() else { return false };
        let mut shown = std::mem::take(&mut self.repeats.shows);
        shown.clear();
        // Of the reads that a final value may depend on, those that this one does depend on.
        let index = &self.problem.code.numbering.index;
        let final_writes: Vec<usize> = last.iter().filter_map(|write| index[*write]).collect();
        for event in &frame.reads {
            let depends = |write: &usize| self.repeats.depends_on[*write].contains(event);
            let value =
                values[*event].filter(|_| self.repeats.shown[*event] || final_writes.iter().any(depends));
            shown.push(value.map_or(0, |value| 1 + self.repeats.number(value)));
        }
        shown.extend(frame.lasts.iter().map(|position| last[*position] as u32));
        match frame.found.get_mut(&shown[..]) {
            Some(sum) => *sum += ways,
            None => {
                frame.found.insert(shown[..].into(), ways.clone());
            }
        }
        self.repeats.shows = shown;
        self.repeats.frames.push(frame);
        true
    }

    /// Hands over what was found from a state on.
    fn hand_over(&mut self, state: &State<W>, frame: &Frame, found: &[(Shown, Count)]) -> ControlFlow<()> {
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
        let before = self.hits();
        self.kept_whole = true;
        for (shown, ways) in found {
            let (reads, lasts) = shown.split_at(frame.reads.len());
            for (event, number) in frame.reads.iter().zip(reads) {
                values[*event] = number.checked_sub(1).map(|number| self.repeats.values[number as usize]);
            }
            for (position, event) in frame.lasts.iter().zip(lasts) {
                last[*position] = *event as usize;
            }
            self.accept(state, &values, &last, ways)?;
        }
        self.kept_whole = false;
        self.keep_sources(before, &state.candidates);
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

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::digest;

    /// Keys that differ in few bits, in the order of their words, or in their length.
    #[test]
    fn halves_of_digests_tell_keys_apart() {
        let mut keys = vec![vec![], vec![0], vec![0, 0], vec![0, 0, 0]];
        for (a, b) in (0..64).flat_map(|a| (0..64).map(move |b| (a, b))) {
            keys.extend([vec![1 << a, 1 << b], vec![1 << a | 1 << b, u64::MAX, 7], vec![a, 0, b]]);
        }
        keys.sort_unstable();
        keys.dedup();
        for half in [0, 1] {
            let halves: FxHashSet<u64> = keys.iter().map(|key| digest(key)[half]).collect();
            assert_eq!(halves.len(), keys.len());
        }
    }
}
