//! Programs under sequential consistency by their states: what threads go on from, and what memory holds.
//!
//! Executions that come to the same state go on in the same ways, so that each state is looked at once, however many executions lead to it. A part of a thread that nothing
//! comes between is one step; what a thread does that no other will notice belongs to the step before it. What is found at an end is shown as an execution: the steps that led there are made again, on a graph.
//!
//! A thread that would only wait is put off as long as another can go on: it changes nothing, and what it would have read is not what it reads in the end.

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::finish::{Ended, waiting};
use super::later::Later;
use super::rounds::Rounds;
use super::snapshot::{Numbered, Snapshots};
use super::state::{Join, Plain, State, Stop};
use super::ways::Ways;
use super::workers::Shared;
use super::{Setting, Stats, Visitor};
use crate::execution::EventKind;
use crate::program::threads::{SECTION_BEGIN, SECTION_END};
use crate::program::{Op, Program, Value, any_op};
use crate::relation::Set;

/// A thread's step: which thread, and which of the ways it had.
pub(super) type Taken = (u16, u16);

/// A program that has more threads at once may go on starting them for ever, and never come back to a state.
const THREADS: usize = 32;

/// Events of one step at most, where others could go on in between and would not notice.
const UNNOTICED: usize = 64;

/// So many states pass between two looks at the limits.
const TICKS: u64 = 64;

/// Where a thread is.
#[derive(Clone)]
struct At<'p> {
    stop: Arc<Stop<'p>>,
    /// Is it in a part that nothing comes between?
    inside: bool,
    /// What it has read since it last changed something, where it may come to wait: whether it waits for ever hangs on that.
    looks: u32,
    number: u32,
}

/// A state.
#[derive(Clone, Default)]
struct Now<'p> {
    threads: Vec<At<'p>>,
    /// By cell: the number of what it holds; 0 for what it held at first.
    memory: Vec<u32>,
    /// Threads that were waited for, as they are on the way here; it does not tell states from each other.
    joined: Vec<u16>,
}

/// A state on the way, with those that come next.
struct Step<'p> {
    key: Box<[u32]>,
    number: u32,
    next: std::vec::IntoIter<(Now<'p>, Vec<Taken>)>,
    /// How many steps had led there.
    taken: usize,
}

/// Why a search by states does not come to its end.
pub(super) enum Halt {
    /// Whoever looks on has seen enough.
    Enough,
    /// States do not say what is asked: a thread waits for another in a part that nothing comes between, or there are ever more threads.
    Unfit,
}

type Walked<T> = Result<T, Halt>;

pub(super) struct States<'s, 'p> {
    setting: &'s Setting<'s, 'p>,
    visitor: &'s mut (dyn Visitor + Send),
    ways: Ways<'p>,
    snapshots: Snapshots<'p>,
    values: Vec<Option<Value>>,
    later: Later,
    looks: Numbered<Vec<(u32, u16, u32)>>,
    looked: Vec<Vec<(u32, u16, u32)>>,
    /// By code: may a thread come to wait there?
    may_wait: Vec<bool>,
    /// By code: has it a loop?
    has_loops: Vec<bool>,
    /// States met, with their numbers: are they left for good?
    met: FxHashMap<Box<[u32]>, (u32, bool)>,
    /// Where runs may come back to states: what leads from which to which.
    rounds: Option<Rounds>,
    taken: Vec<Taken>,
    stats: Stats,
}

impl<'s, 'p> States<'s, 'p> {
    /// May a run go round for ever (`goes_round`), or is that nothing that states can tell?
    pub fn new(
        setting: &'s Setting<'s, 'p>,
        goes_round: bool,
        visitor: &'s mut (dyn Visitor + Send),
    ) -> States<'s, 'p> {
        let stepper = setting.stepper;
        let program = stepper.program;
        let bounded = stepper.unroll < u32::MAX - 1;
        let may_wait = (0..program.threads.len())
            .map(|code| stepper.loops.is_some_and(|loops| loops.has_any(code)) || awaits(program, code));
        States {
            setting,
            visitor,
            ways: Ways::default(),
            snapshots: Snapshots::new(program, stepper.loops, bounded),
            values: Vec::new(),
            later: Later::new(program, stepper.cells),
            looks: Numbered::default(),
            looked: vec![Vec::new()],
            may_wait: may_wait.collect(),
            has_loops: (0..program.threads.len())
                .map(|code| stepper.loops.is_none_or(|loops| loops.has_any(code)))
                .collect(),
            met: FxHashMap::default(),
            rounds: (!goes_round).then(Rounds::default),
            taken: Vec::new(),
            stats: Stats { refuted: vec![0; setting.code.checks.len()], ..Stats::default() },
        }
    }

    /// Goes through all states. Were there any that states do not say enough of?
    pub fn walk(mut self) -> Option<Stats> {
        let program = self.setting.stepper.program;
        let threads = (0..program.threads.len())
            .map(|thread| At {
                stop: Arc::new(self.setting.stepper.start(thread)),
                inside: false,
                looks: 0,
                number: 0,
            })
            .collect();
        let mut first = Now { threads, ..Now::default() };
        first.threads.iter_mut().for_each(|at| self.settle(at));
        match self.go(first) {
            Ok(()) if self.rounds.as_ref().is_some_and(|rounds| !rounds.end()) => None,
            Ok(()) | Err(Halt::Enough) => Some(Stats { steps: self.met.len() as u64, ..self.stats }),
            Err(Halt::Unfit) => None,
        }
    }

    fn go(&mut self, first: Now<'p>) -> Walked<()> {
        let mut steps: Vec<Step<'p>> = Vec::new();
        steps.extend(self.enter(&first, None)?);
        while let Some(step) = steps.last_mut() {
            self.taken.truncate(step.taken);
            let Some((next, taken)) = step.next.next() else {
                if let Some(step) = steps.pop() {
                    self.met.insert(step.key, (step.number, true));
                }
                continue;
            };
            let from = taken.first().map(|(thread, _)| (step.number, *thread));
            self.taken.extend(taken);
            steps.extend(self.enter(&next, from)?);
        }
        Ok(())
    }

    /// A state that a thread led to from another: all that come next, if it has not been met.
    fn enter(&mut self, now: &Now<'p>, from: Option<(u32, u16)>) -> Walked<Option<Step<'p>>> {
        self.stats.steps += 1;
        if self.stats.steps.is_multiple_of(TICKS) && self.visitor.look().is_break() {
            return Err(Halt::Enough);
        }
        if now.threads.len() > THREADS {
            return Err(Halt::Unfit);
        }
        let key = self.key(now);
        let known = self.met.len() as u32;
        let (number, is_left) = match self.met.entry(key.clone()) {
            Entry::Vacant(entry) => {
                entry.insert((known, false));
                (known, None)
            }
            Entry::Occupied(met) => (met.get().0, Some(met.get().1)),
        };
        if let Some(rounds) = &mut self.rounds {
            if is_left.is_none() {
                rounds.state();
            }
            if let Some((before, thread)) = from {
                // A run that comes back to where it was may go on for ever.
                rounds.step(before, thread, number, is_left == Some(false));
            }
        }
        if is_left.is_some() {
            return Ok(None);
        }
        // Who has made a read that it waits with might have gone on waiting before it: what comes of that is another state.
        let waits = |at: &At| matches!(&*at.stop, Stop::Blocked(_));
        if let Some(rounds) = self.rounds.as_mut().filter(|_| now.threads.iter().any(waits)) {
            rounds.leave(number);
        }
        let is_wrong = |at: &At| matches!(&*at.stop, Stop::Violation(..));
        let mut next = Vec::new();
        if !now.threads.iter().any(is_wrong) {
            let mut put_off = Vec::new();
            let threads = 0..now.threads.len();
            // What one does that nobody else notices comes before all else: in every other order it would come to the same.
            let alone = threads.clone().find(|thread| self.is_unnoticed(now, *thread));
            for thread in alone.map_or(threads, |thread| thread..thread + 1) {
                match self.readiness(now, thread) {
                    Readiness::Now => {
                        if let Some(rounds) = &mut self.rounds {
                            rounds.may_go_on(number, thread);
                        }
                        self.step(now, thread, &mut next)?;
                    }
                    Readiness::Last => put_off.push(thread),
                    Readiness::Never => {}
                }
            }
            if next.is_empty() {
                put_off.into_iter().try_for_each(|thread| self.step(now, thread, &mut next))?;
            }
        }
        if next.is_empty() {
            self.end(now)?;
        }
        Ok(Some(Step { key, number, next: next.into_iter(), taken: self.taken.len() }))
    }

    /// A state as numbers: where threads are, and what memory holds, as far as a thread may read it.
    fn key(&self, now: &Now<'p>) -> Box<[u32]> {
        let mut key: Vec<u32> = now.threads.iter().map(|at| at.number).collect();
        key.push(u32::MAX);
        let after = key.len();
        key.extend_from_slice(&now.memory);
        let program = self.setting.stepper.program;
        let places: SmallVec<[&Set; 8]> = now
            .threads
            .iter()
            .filter_map(|at| looking(program, &at.stop))
            .map(|state| self.later.reads(state.code(), state.pc() as usize))
            .collect();
        let n_static = self.setting.stepper.cells.initial().len();
        for (cell, content) in key[after..].iter_mut().enumerate().take(n_static) {
            if *content != 0 && !places.iter().any(|later| later.contains(cell)) {
                *content = 0;
            }
        }
        while key.len() > after && key.last() == Some(&0) {
            key.pop();
        }
        key.into()
    }

    /// When a thread goes on.
    fn readiness(&mut self, now: &Now<'p>, thread: usize) -> Readiness {
        let at = &now.threads[thread];
        match &*at.stop {
            Stop::Access(leaves) if leaves[0].access.kind == EventKind::Write => Readiness::Now,
            Stop::Access(leaves) => {
                let value = self.value(now, leaves[0].access.cell);
                match self.ways.of(self.setting.stepper, &at.stop, value).waits {
                    true => Readiness::Last,
                    false => Readiness::Now,
                }
            }
            Stop::Choice(_) | Stop::Spawn(_) => Readiness::Now,
            Stop::Join(join) if has_ended(now, join) => Readiness::Now,
            _ => Readiness::Never,
        }
    }

    /// Is what a thread does next of no consequence to what others may do, and they to it? A part that nothing comes between is done as a whole.
    fn is_unnoticed(&mut self, now: &Now<'p>, thread: usize) -> bool {
        let at = &now.threads[thread];
        if at.stop.state().is_some_and(|state| passes(at.inside, &state.fresh)) {
            return false;
        }
        match &*at.stop {
            Stop::Spawn(_) => true,
            Stop::Join(join) => has_ended(now, join),
            // Others must not be kept waiting for ever.
            Stop::Access(leaves) => {
                self.has_loops.get(leaves[0].state.code()) == Some(&false)
                    && self.is_own(now, thread, leaves[0].access.cell)
                    && self.readiness(now, thread) == Readiness::Now
            }
            _ => false,
        }
    }

    /// Will no other thread access a cell before this one has ended?
    fn is_own(&self, now: &Now<'p>, thread: usize, cell: u16) -> bool {
        let program = self.setting.stepper.program;
        let cell = usize::from(cell);
        if cell >= self.setting.stepper.cells.initial().len() {
            return false;
        }
        let is_child = |other: &usize| {
            let at = &now.threads[*other];
            !matches!(&*at.stop, Stop::Unborn) && !now.joined.contains(&(*other as u16))
        };
        // The threads that others may wait for while this one goes on.
        let waited_for = (0..now.threads.len()).filter(is_child).filter(|other| *other != thread).count();
        now.threads.iter().enumerate().filter(|(other, _)| *other != thread).all(|(_, at)| match &*at.stop {
            Stop::Join(join) if usize::from(join.target) == thread => true,
            stop => looking(program, stop).is_none_or(|state| {
                !self.later.touches(state.code(), state.pc() as usize, waited_for).contains(cell)
            }),
        })
    }

    /// What a cell holds.
    fn value(&self, now: &Now<'p>, cell: u16) -> Option<Value> {
        match now.memory.get(usize::from(cell)) {
            None | Some(0) => self.setting.stepper.cells.initial_of(usize::from(cell)),
            Some(number) => self.values.get(*number as usize).copied().flatten(),
        }
    }

    fn write(&mut self, now: &mut Now<'p>, cell: u16, value: Value) {
        let index = usize::from(cell);
        let is_first = self.setting.stepper.cells.initial_of(index) == Some(value);
        let number = if is_first { 0 } else { self.snapshots.content(Some(value)) };
        if self.values.len() <= number as usize {
            self.values.resize(number as usize + 1, None);
        }
        self.values[number as usize] = Some(value);
        if now.memory.len() <= index {
            now.memory.resize(index + 1, 0);
        }
        now.memory[index] = number;
        while now.memory.last() == Some(&0) {
            now.memory.pop();
        }
    }

    /// The states that a thread leads to: by its next access, and by all that nothing comes between.
    fn step(&mut self, now: &Now<'p>, thread: usize, found: &mut Vec<(Now<'p>, Vec<Taken>)>) -> Walked<()> {
        let mut open = vec![(now.clone(), Vec::new())];
        while let Some((now, taken)) = open.pop() {
            let mut before = Some(taken);
            let mut all = self.ways_on(now, thread)?.into_iter().peekable();
            while let Some((mut next, way, goes_on)) = all.next() {
                let taken = if all.peek().is_some() { before.clone() } else { before.take() };
                let mut taken = taken.unwrap_or_default();
                taken.push((thread as u16, way));
                if goes_on || taken.len() < UNNOTICED && self.is_unnoticed(&next, thread) {
                    open.push((next, taken));
                    continue;
                }
                self.settle(&mut next.threads[thread]);
                found.push((next, taken));
            }
        }
        Ok(())
    }

    /// What one event of a thread, or one choice, leads to; must more come before any other thread goes on?
    fn ways_on(&mut self, mut now: Now<'p>, thread: usize) -> Walked<Vec<(Now<'p>, u16, bool)>> {
        let stepper = self.setting.stepper;
        let at = now.threads[thread].clone();
        let mut all = Vec::new();
        match &*at.stop {
            Stop::Access(leaves) => {
                let access = &leaves[0].access;
                let is_write = access.kind == EventKind::Write;
                let inside = passes(at.inside, &leaves[0].state.fresh);
                let cell = access.cell;
                let value = if is_write { access.value } else { self.value(&now, cell) };
                let ways = self.ways.of(stepper, &at.stop, value);
                let n = if is_write { 1 } else { ways.ways.len() };
                for (number, way) in ways.ways.iter().enumerate().take(n) {
                    // Most often there is one way.
                    let mut next = match number + 1 == n {
                        true => std::mem::take(&mut now),
                        false => now.clone(),
                    };
                    if let Some(written) = way.written {
                        self.write(&mut next, cell, written);
                    }
                    let changes = way.written.is_some() && way.written != value || is_write;
                    let looks = match changes {
                        true => 0,
                        false => self.looked_at(&at, &leaves[way.leaf].state, (cell, value)),
                    };
                    let goes_on = inside && !is_over(&way.stop);
                    next.threads[thread] = At { stop: way.stop.clone(), inside, looks, number: 0 };
                    all.push((next, number as u16, goes_on));
                }
            }
            Stop::Choice(stops) => {
                for (way, stop) in stops.iter().enumerate() {
                    let stop = self.ways.chosen(stepper, stop);
                    // Nobody sees a choice: it belongs to what comes after it.
                    let inside = at.inside && !is_over(&stop);
                    let goes_on = inside || matches!(&*stop, Stop::Access(_) | Stop::Choice(_));
                    let mut next = now.clone();
                    next.threads[thread] = At { stop, ..at.clone() };
                    all.push((next, way as u16, goes_on));
                }
            }
            Stop::Spawn(spawn) => {
                let inside = passes(at.inside, &spawn.state.fresh);
                let (child, parent) = stepper.spawn(spawn);
                let mut next = now.clone();
                let new = |stop| At { stop: Arc::new(stop), inside: false, looks: 0, number: 0 };
                while next.threads.len() <= usize::from(spawn.child) {
                    next.threads.push(new(Stop::Unborn));
                }
                let mut child = new(child);
                self.settle(&mut child);
                next.threads[usize::from(spawn.child)] = child;
                let goes_on = inside && !is_over(&parent);
                next.threads[thread] = At { inside, ..new(parent) };
                all.push((next, 0, goes_on));
            }
            Stop::Join(join) => {
                // Others would have to go on in the middle of what nothing comes between.
                if !has_ended(&now, join) {
                    return Err(Halt::Unfit);
                }
                let inside = passes(at.inside, &join.state.fresh);
                let result = stepper.result(&now.threads[usize::from(join.target)].stop);
                let stop = self.ways.joined(stepper, (&at.stop, join), result);
                let goes_on = inside && !is_over(&stop);
                let mut next = now.clone();
                next.joined.push(join.target);
                next.threads[thread] = At { stop, inside, looks: 0, number: 0 };
                all.push((next, 0, goes_on));
            }
            _ => {}
        }
        Ok(all)
    }

    /// The number of what a thread has looked at, with one more.
    fn looked_at(&mut self, at: &At<'p>, state: &State<'p>, (cell, value): (u16, Option<Value>)) -> u32 {
        if !self.may_wait.get(state.code()).copied().unwrap_or(true) {
            return 0;
        }
        let number = self.snapshots.content(value);
        let mut looks = self.looked[at.looks as usize].clone();
        // The last look of each instruction at each cell counts.
        looks.retain(|(pc, of, _)| (*pc, *of) != (state.pc(), cell));
        looks.push((state.pc(), cell, number));
        let (number, is_new) = self.looks.of(looks.clone());
        if is_new {
            self.looked.push(looks);
        }
        number
    }

    /// Numbers the place that a thread has come to, and takes the first like it instead.
    fn settle(&mut self, at: &mut At<'p>) {
        at.inside &= !is_over(&at.stop);
        let more = [u64::from(at.looks), u64::from(at.inside)];
        (at.number, at.stop) = self.snapshots.number(&at.stop, more);
    }

    /// No thread goes on.
    fn end(&mut self, now: &Now<'p>) -> Walked<()> {
        let stops = || now.threads.iter().map(|at| &*at.stop);
        let ended = Ended::at(stops(), true);
        let has_cautions = stops().filter_map(Stop::state).any(|state| !state.cautions.is_empty());
        if !has_cautions && !self.visitor.wants(&ended, &waiting(stops())) {
            self.stats.count(&ended);
            return Ok(());
        }
        let shown = match self.taken.len() {
            0..=96 => self.show::<4>().or_else(|| self.show::<16>()).or_else(|| self.show::<64>()),
            _ => self.show::<16>().or_else(|| self.show::<64>()),
        };
        match shown {
            Some(ControlFlow::Continue(())) => Ok(()),
            Some(ControlFlow::Break(())) => Err(Halt::Enough),
            None => Err(Halt::Unfit),
        }
    }

    /// Shows the execution that the steps make; nothing, if there is no room for it.
    fn show<const W: usize>(&mut self) -> Option<ControlFlow<()>> {
        let shared = Shared::collecting();
        let mut search = self.setting.search::<W>(&mut *self.visitor, &shared);
        std::mem::swap(&mut search.ways, &mut self.ways);
        let mut graph = self.setting.first::<W>();
        let shown = search.follow(&mut graph, &self.taken);
        std::mem::swap(&mut search.ways, &mut self.ways);
        let stats = search.stats;
        if shown.is_some() {
            self.stats.add(&stats);
        }
        shown
    }
}

#[derive(PartialEq, Eq)]
enum Readiness {
    Now,
    /// When no other does.
    Last,
    Never,
}

fn has_ended(now: &Now, join: &Join) -> bool {
    now.threads.get(usize::from(join.target)).is_some_and(|at| matches!(&*at.stop, Stop::Ended(_)))
}

/// Is a thread in a part that nothing comes between, after these events?
fn passes(inside: bool, events: &[Plain]) -> bool {
    let is = |event: &Plain, name: &str| event.sets.iter().any(|set| set == name);
    events
        .iter()
        .fold(inside, |inside, event| (inside || is(event, SECTION_BEGIN)) && !is(event, SECTION_END))
}

/// Is the part that a thread was in over where it has come to?
fn is_over(stop: &Stop) -> bool {
    let ends = |event: &Plain| event.sets.iter().any(|set| set == SECTION_END);
    stop.last().is_some() || stop.state().is_some_and(|state| state.fresh.iter().any(ends))
}

/// Where a thread is that may look at memory again. Whether one waits for ever hangs on what it would see; one whose assumption does not hold sees nothing any more.
fn looking<'a, 'p>(program: &Program, stop: &'a Stop<'p>) -> Option<&'a State<'p>> {
    match stop {
        Stop::Unborn | Stop::Ended(_) | Stop::Violation(..) => None,
        Stop::Blocked(state) => {
            let awaits = |op: &Op| matches!(op, Op::Await { .. });
            let waits =
                state.waits() || state.is_repeated || any_op(&state.control.instr(program).ops, awaits);
            waits.then_some(state)
        }
        _ => stop.state(),
    }
}

/// Does a thread wait for others in that code?
fn awaits(program: &Program, code: usize) -> bool {
    program.threads[code].code.iter().any(|instr| any_op(&instr.ops, |op| matches!(op, Op::Await { .. })))
}
