//! The search: every consistent graph exactly once, with one graph in memory.
//!
//! A read takes each write that is there; a write takes each place in the coherence order, and is offered to the reads that are
//! there already. Giving a read a write that came later throws away what was added in between and what the write does not need.
//! Many graphs lead to the same one in this way; only the one in which everything thrown away was as late as it could be (each read
//! from the last write, each write the last) may do so. After Kokologiannakis, Marmanis, Gladstein and Vafeiadis, Truly stateless,
//! optimal dynamic partial order reduction, POPL 2022.
//!
//! A thread that would only wait, or never writes, is put off as long as another can go on: which thread goes on is free to choose.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::bits::{first, has, is_empty, remove, without};
use super::code::Code;
use super::evaluate::Evaluation;
use super::finish::{Ended, Found};
use super::graph::{Graph, Pending};
use super::levels::Top;
use super::node::{Bound, NONE};
use super::state::{Join, Leaf, Stop};
use super::step::Stepper;
use super::ways::Ways;
use super::workers::Shared;
use super::{Stats, Visitor};
use crate::diag::{Diagnostic, Remedy};
use crate::execution::EventKind;
use crate::program::Value;

/// How many steps pass between two looks at the limits.
const TICKS: u64 = 1024;

pub(super) struct Search<'s, 'p, const W: usize> {
    pub stepper: &'s Stepper<'p>,
    pub code: &'s Code,
    pub evaluation: Evaluation<W>,
    pub ways: Ways<'p>,
    /// Graphs to be used again.
    pub spare: Vec<Graph<'p, W>>,
    pub stats: Stats,
    pub visitor: &'s mut (dyn Visitor + Send),
    pub shared: &'s Shared<'p, W>,
    /// The first levels, as long as it walks them; and the level that it is at.
    pub top: Option<Top<'s>>,
    pub depth: usize,
    /// How many events the execution had that was found last.
    pub ended_at: usize,
    /// Are executions in which a thread waits listed, whatever it waits for?
    pub all_blocked: bool,
}

/// When a thread goes on.
#[derive(PartialEq, Eq)]
enum Readiness {
    Now,
    /// When no other can.
    Last,
}

impl<'p, const W: usize> Search<'_, 'p, W> {
    /// Works on graphs until there are no more.
    pub fn work(mut self) -> Stats {
        while let Some(mut graph) = self.shared.take() {
            if self.explore(&mut graph).is_break() {
                self.shared.stop();
            }
        }
        self.stats
    }

    /// Counts a step, and looks at limits now and then.
    pub fn tick(&mut self) -> ControlFlow<()> {
        self.stats.steps += 1;
        // Steps of large graphs take longer.
        if self.stats.steps.is_multiple_of((TICKS / (W * W) as u64).max(1)) {
            self.visitor.look()?;
            if self.shared.is_stopped() || self.stepper.twins.is_some_and(|twins| twins.are_told_apart()) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// How many events a thread may add in its next step.
    pub fn room_for(&self, stop: &Stop<'p>) -> usize {
        match stop {
            Stop::Access(leaves) => leaves.iter().map(|leaf| leaf.state.fresh.len()).max().unwrap_or(0) + 2,
            Stop::Choice(_) => 1,
            Stop::Spawn(spawn) => spawn.state.fresh.len(),
            Stop::Join(join) => join.state.fresh.len(),
            _ => stop.last().map_or(0, |state| state.fresh.len()),
        }
    }

    pub fn explore(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        self.tick()?;
        if let Some(pending) = graph.pending.take() {
            let flow = self.write(graph, &pending);
            graph.pending = Some(pending);
            return flow;
        }
        let Some(thread) = self.next(graph) else { return self.part(|search| search.end(graph)) };
        let stop = graph.threads[thread].stop.clone();
        if matches!(&*stop, Stop::Unborn | Stop::Ready(_)) {
            return ControlFlow::Continue(());
        }
        if !graph.has_room(self.room_for(&stop)) {
            return self.part(|search| search.make_room(graph));
        }
        if let Some(twins) = self.stepper.twins
            && graph.stops_joining(thread, &stop)
        {
            twins.tell();
        }
        match &*stop {
            Stop::Access(leaves) if leaves.len() == 1 && leaves[0].access.kind == EventKind::Write => {
                self.plain_write(graph, &stop, &leaves[0])
            }
            Stop::Access(leaves) => self.read(graph, &stop, leaves),
            Stop::Choice(stops) => {
                for (way, stop) in stops.iter().enumerate() {
                    let stop = self.ways.chosen(self.stepper, stop);
                    graph.choose(self.code, thread, (way, stop), self.stepper.members);
                    let flow = match graph.is_in_turn(graph.newest()) {
                        true => self.visit(graph),
                        false => ControlFlow::Continue(()),
                    };
                    graph.pop();
                    flow?;
                }
                ControlFlow::Continue(())
            }
            Stop::Spawn(spawn) => {
                graph.spawn(self.code, spawn, self.stepper.spawn(spawn));
                if let Some(twins) = self.stepper.twins
                    && graph.pair(spawn)
                {
                    twins.found();
                }
                let flow = self.visit(graph);
                graph.pop();
                flow
            }
            Stop::Join(join) => {
                let next = self.joined(graph, &stop, join);
                graph.join(self.code, join, next);
                let flow = self.visit(graph);
                graph.pop();
                flow
            }
            _ => {
                graph.flush(self.code, thread);
                let flow = self.visit(graph);
                graph.pop();
                flow
            }
        }
    }

    /// Where a thread goes on that has waited for another.
    pub fn joined(&mut self, graph: &Graph<'p, W>, stop: &Arc<Stop<'p>>, join: &Join<'p>) -> Arc<Stop<'p>> {
        let result = self.stepper.result(&graph.threads[usize::from(join.target)].stop);
        self.ways.joined(self.stepper, (stop, join), result)
    }

    /// The thread to go on with: one that is inside an instruction (the write of a read-modify-write comes right after its read), else the
    /// first that can and does not merely wait, else the first that can.
    pub fn next(&mut self, graph: &Graph<'p, W>) -> Option<usize> {
        if let Some(inside) = graph.threads.iter().position(|thread| thread.stop.is_inside())
            && let Stop::Access(leaves) = &*graph.threads[inside].stop
            && (leaves[0].access.kind == EventKind::Write
                || self.readiness(graph, &graph.threads[inside].stop, &leaves[0]) == Readiness::Now)
        {
            return Some(inside);
        }
        let mut last = None;
        for number in 0..graph.threads.len() {
            let thread = &graph.threads[number];
            let can = match &*thread.stop {
                Stop::Access(leaves) if leaves[0].access.kind == EventKind::Write => true,
                Stop::Access(leaves) => match self.readiness(graph, &thread.stop, &leaves[0]) {
                    Readiness::Now => true,
                    Readiness::Last => {
                        last = last.or(Some(number));
                        false
                    }
                },
                Stop::Choice(_) | Stop::Spawn(_) => true,
                Stop::Unborn | Stop::Ready(_) => false,
                Stop::Join(join) => {
                    graph.threads.get(usize::from(join.target)).is_some_and(|target| target.has_ended())
                }
                stop => stop.last().is_some_and(|state| !state.fresh.is_empty() && !thread.flushed),
            };
            if can {
                return Some(number);
            }
        }
        last
    }

    /// Should a thread that is at a read go on?
    fn readiness(&mut self, graph: &Graph<'p, W>, stop: &Arc<Stop<'p>>, leaf: &Leaf<'p>) -> Readiness {
        if self.all_blocked {
            return Readiness::Now;
        }
        let cell = usize::from(leaf.access.cell);
        let last = graph.co.get(cell).and_then(|order| order.last()).copied();
        let waits = self.stepper.only_look[usize::from(leaf.access.place.code)]
            || self.ways.of(self.stepper, stop, self.value(graph, cell, last)).waits;
        if waits { Readiness::Last } else { Readiness::Now }
    }

    /// The value that a write gives to its cell; without a write: of a cell that has just come into being.
    pub fn value(&self, graph: &Graph<'p, W>, cell: usize, write: Option<u16>) -> Option<Value> {
        match write {
            Some(write) => graph.events[usize::from(write)].written,
            None => self.stepper.cells.initial_of(cell),
        }
    }

    fn plain_write(
        &mut self,
        graph: &mut Graph<'p, W>,
        stop: &Arc<Stop<'p>>,
        leaf: &Leaf<'p>,
    ) -> ControlFlow<()> {
        let value = leaf.access.value.unwrap_or(Value::ZERO);
        let found = self.ways.of(self.stepper, stop, Some(value));
        let Some(way) = found.ways.first() else { return ControlFlow::Continue(()) };
        let bound = way.writing();
        let write = graph.step(self.code, leaf, bound, self.stepper.cells, self.stepper.members);
        let flow = self.write(graph, &Pending { update: write, unchecked: Vec::new() });
        graph.pop();
        flow
    }

    /// A read takes each write of its cell that it may.
    fn read(
        &mut self,
        graph: &mut Graph<'p, W>,
        stop: &Arc<Stop<'p>>,
        leaves: &[Leaf<'p>],
    ) -> ControlFlow<()> {
        let cell = usize::from(leaves[0].access.cell);
        let unbound =
            || Bound { source: NONE, read: None, written: None, stop: stop.clone(), way: 0, canonical: true };
        let mut floor = usize::MAX;
        for leaf in leaves {
            let read = graph.step(self.code, leaf, unbound(), self.stepper.cells, self.stepper.members);
            floor = floor.min(graph.floor(self.code, read));
            if leaves.len() > 1 {
                graph.pop();
            }
        }
        let is_alone = leaves.len() == 1;
        let n = graph.co.get(cell).map_or(0, Vec::len).max(1);
        let mut flow = ControlFlow::Continue(());
        let mut older = self.all_blocked.then_some(true);
        'sources: for at in (floor..n).rev() {
            let source = graph.co.get(cell).and_then(|order| order.get(at)).copied();
            let value = self.value(graph, cell, source);
            let found = self.ways.of(self.stepper, stop, value);
            // It would wait for ever: only a read of the last write can be given another source later.
            if found.waits
                && at + 1 < n
                && !*older.get_or_insert_with(|| graph.older_may_matter(self.stepper, &leaves[0].access))
            {
                continue;
            }
            if found.waits
                && !self.all_blocked
                && let [way] = &found.ways[..]
                && graph.waits_after_older(self.stepper, &way.stop, &leaves[way.leaf].access)
            {
                continue;
            }
            for way in &found.ways {
                let leaf = &leaves[way.leaf];
                let read = match is_alone {
                    true => graph.newest(),
                    false => graph.step(self.code, leaf, unbound(), self.stepper.cells, self.stepper.members),
                };
                let bound = way.reading(graph.co[cell][at], value);
                graph.bind(self.code, read, bound);
                let is_update = leaf.access.kind == EventKind::Rmw;
                flow = if (self.code.updates_follow || !is_update) && !graph.is_in_turn(read) {
                    ControlFlow::Continue(())
                } else if is_update {
                    graph.pending = Some(Pending { update: read, unchecked: Vec::new() });
                    let flow = self.visit(graph);
                    graph.pending = None;
                    flow
                } else if at + 1 == n && graph.is_quiet(self.code, read) || self.is_consistent(graph, &[read])
                {
                    self.visit(graph)
                } else {
                    ControlFlow::Continue(())
                };
                if !is_alone {
                    graph.pop();
                }
                if flow.is_break() {
                    break 'sources;
                }
            }
        }
        if is_alone {
            graph.pop();
        }
        flow
    }

    /// The places in the coherence order that a write may take.
    pub fn places(&self, graph: &Graph<'p, W>, write: usize) -> std::ops::RangeInclusive<usize> {
        let node = &graph.events[write];
        let n = graph.co[usize::from(node.cell)].len();
        if node.is_rmw() && self.code.updates_follow {
            return match graph.position(usize::from(node.source)) {
                Some(at) => at + 1..=at + 1,
                None => 1..=n,
            };
        }
        graph.floor(self.code, write) + 1..=n
    }

    /// A write that has been added takes each place that it may, and is offered to reads.
    fn write(&mut self, graph: &mut Graph<'p, W>, pending: &Pending) -> ControlFlow<()> {
        let write = pending.update;
        let cell = usize::from(graph.events[write].cell);
        let rival = match graph.events[write].is_rmw() && self.code.updates_follow {
            true => graph.rival(write),
            false => None,
        };
        // What is still to be checked where the write is offered to reads: that it fits in nowhere may be due to what goes then.
        let mut unchecked = &pending.unchecked[..];
        if rival.is_none() {
            let two = [write, unchecked.first().copied().unwrap_or(write)];
            let many: Vec<usize>;
            let new = match unchecked.len() {
                0 => &two[..1],
                1 => &two[..],
                _ => {
                    many = [&[write][..], unchecked].concat();
                    &many[..]
                }
            };
            for at in self.places(graph, write).rev() {
                graph.place(write, at);
                let is_last = at + 1 == graph.co[cell].len() && graph.is_last_update(write);
                let quiet = is_last && new.len() <= 2 && new.iter().all(|x| graph.is_quiet(self.code, *x));
                let flow = if graph.is_in_turn(write) && (quiet || self.is_consistent(graph, new)) {
                    unchecked = &[];
                    self.visit(graph)
                } else {
                    ControlFlow::Continue(())
                };
                graph.unplace(write, at);
                flow?;
            }
        }
        let mut others = without(&graph.cells[cell], graph.needs(write));
        remove(&mut others, write);
        while let Some(read) = first(&others) {
            remove(&mut others, read);
            if !graph.events[read].is_read() {
                continue;
            }
            // Large graphs take long to copy, and a write may have many reads to be offered to.
            if W > 4 {
                self.visitor.look()?;
            }
            self.revisit(graph, read, (write, unchecked), rival)?;
        }
        ControlFlow::Continue(())
    }

    /// Gives a read a write that came later. Some of what that needs may not have been checked.
    fn revisit(
        &mut self,
        graph: &Graph<'p, W>,
        read: usize,
        (write, unchecked): (usize, &[usize]),
        rival: Option<usize>,
    ) -> ControlFlow<()> {
        let Some(deleted) = graph.deleted(read, write) else { return ControlFlow::Continue(()) };
        // Two updates of one write: one of them must go, or read from the other.
        if rival.is_some_and(|rival| rival != read && !has(&deleted, rival)) {
            return ControlFlow::Continue(());
        }
        let Some(before) = graph.events[read].before.clone() else { return ControlFlow::Continue(()) };
        let Stop::Access(leaves) = &*before else { return ControlFlow::Continue(()) };
        if leaves.len() > 1 && !graph.events[read].canonical {
            return ControlFlow::Continue(());
        }
        let value = graph.events[write].written;
        let found = self.ways.of(self.stepper, &before, value);
        for way in &found.ways {
            self.stats.revisits += 1;
            let bound = way.reading(write as u16, value);
            let mut other = self.spare.pop().unwrap_or_else(|| Graph::empty(self.code));
            let leaf = (&leaves[way.leaf], bound);
            let read = other.revisit(graph, self.code, (read, write), &deleted, leaf);
            if let Some(pending) = &mut other.pending {
                pending.unchecked.extend(unchecked);
            }
            let two = [write, read];
            let many: Vec<usize>;
            let new = match unchecked {
                [] => &two[..],
                _ => {
                    many = [&two[..], unchecked].concat();
                    &many[..]
                }
            };
            let flow = self.places(&other, write).rev().try_for_each(|at| {
                other.place(write, at);
                let is_last = || {
                    let cell = usize::from(other.events[write].cell);
                    at + 1 == other.co[cell].len() && other.is_last_update(write)
                };
                let quiet = |x: usize| other.is_quiet(self.code, x);
                let in_turn = other.is_in_turn(write) && (other.pending.is_some() || other.is_in_turn(read));
                let fine = in_turn
                    && (other.pending.is_some()
                        || unchecked.is_empty() && is_last() && quiet(write) && quiet(read)
                        || self.is_consistent(&other, new));
                let flow = if fine { self.visit(&mut other) } else { ControlFlow::Continue(()) };
                other.unplace(write, at);
                flow
            });
            self.spare.push(other);
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Is a graph consistent? It was before these events were added.
    pub fn is_consistent(&mut self, graph: &Graph<'p, W>, new: &[usize]) -> bool {
        self.stats.checked += 1;
        self.evaluation.begin();
        let seen = graph.seen();
        for (index, check) in self.code.checks.iter().enumerate().take_while(|(_, check)| check.prunes) {
            let holds = match &check.exact {
                Some(floor) => new.iter().all(|x| graph.respects(self.code, floor, *x)),
                None => self.evaluation.holds(self.code, check, &seen, new),
            };
            if !holds {
                self.stats.refuted[index] += 1;
                return false;
            }
        }
        true
    }

    /// Do the checks hold that are asked of whole executions only?
    pub fn is_accepted(&mut self, graph: &Graph<'p, W>) -> bool {
        self.evaluation.begin();
        let seen = graph.seen();
        for (index, check) in self.code.checks.iter().enumerate() {
            if !check.prunes && !self.evaluation.holds(self.code, check, &seen, &[]) {
                self.stats.refuted[index] += 1;
                return false;
            }
        }
        true
    }

    /// No thread goes on.
    pub fn end(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        self.ended_at = graph.n();
        let mut found = Found::default();
        let ended = Ended::of(graph, self.stepper.properties);
        if ended.is_given_up() {
            return self.visitor.execution(ended, &found, &*graph);
        }
        if !self.code.flags.is_empty() || self.code.checks.iter().any(|check| !check.prunes) {
            if !self.is_accepted(graph) {
                return ControlFlow::Continue(());
            }
            let mut clean = std::mem::take(&mut graph.clean);
            let seen = graph.seen();
            for flag in &self.code.flags {
                let holds = match flag.settled {
                    Some(number) => {
                        let new = without(&graph.present, &clean[number]);
                        let touched = self.evaluation.touched(self.code, flag, &new, &seen);
                        clean[number] = without(&graph.present, &touched);
                        is_empty(&touched) != flag.negated
                    }
                    None => self.evaluation.holds(self.code, flag, &seen, &[]),
                };
                found.take(flag, holds);
            }
            graph.clean = clean;
        }
        self.stats.count(&ended);
        self.visitor.execution(ended, &found, &*graph)
    }

    /// An execution has more events than there is room for.
    pub fn too_large(&mut self) -> ControlFlow<()> {
        self.visitor.fail(too_many_events(64 * W))
    }

    /// Goes on with more room for events.
    fn make_room(&mut self, graph: &Graph<'p, W>) -> ControlFlow<()> {
        match W {
            1 => self.wider::<2>(graph),
            2 => self.wider::<4>(graph),
            4 => self.wider::<16>(graph),
            16 => self.wider::<64>(graph),
            _ => self.too_large(),
        }
    }

    fn wider<const V: usize>(&mut self, graph: &Graph<'p, W>) -> ControlFlow<()> {
        let shared = self.shared.alone::<V>();
        let mut search = self.widened(&shared);
        let flow = search.explore(&mut graph.widened(search.code));
        let (ways, stats) = (search.ways, search.stats);
        self.ways = ways;
        self.stats.add(&stats);
        flow
    }

    /// A search on graphs of at most 64 `V` events that takes over for a while.
    pub fn widened<'a, const V: usize>(&'a mut self, shared: &'a Shared<'p, V>) -> Search<'a, 'p, V> {
        Search {
            stepper: self.stepper,
            code: self.code,
            evaluation: Evaluation::new(self.code),
            ways: std::mem::take(&mut self.ways),
            spare: Vec::new(),
            stats: Stats { refuted: vec![0; self.code.checks.len()], ..Stats::default() },
            visitor: &mut *self.visitor,
            shared,
            top: None,
            depth: 0,
            ended_at: 0,
            all_blocked: self.all_blocked,
        }
    }
}

/// The code of what is said where an execution goes on and on.
pub const TOO_MANY_EVENTS: &str = "grow::too-many-events";

fn too_many_events(most: usize) -> Diagnostic {
    Diagnostic::unsupported(TOO_MANY_EVENTS, format!("an execution has more than {most} events"))
        .unless(Remedy::OtherEngine)
        .help("fewer rounds of its loops (--unroll) make it smaller")
}
