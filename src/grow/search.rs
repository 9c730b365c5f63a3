//! The search: every consistent graph exactly once, with one graph in memory.
//!
//! A read takes each write that is there; a write takes each place in the coherence order, and is offered to the reads that are
//! there already. Giving a read a write that came later throws away what was added in between and what the write does not need.
//! Many graphs lead to the same one in this way; only the one in which everything thrown away was as late as it could be (each read
//! from the last write, each write the last) may do so. After Kokologiannakis, Marmanis, Gladstein and Vafeiadis, Truly stateless,
//! optimal dynamic partial order reduction, POPL 2022.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::bits::{each, has};
use super::compile::Code;
use super::finish::{Ended, Found};
use super::graph::{Bound, Graph, Members, NONE};
use super::rows::Evaluation;
use super::step::{Leaf, Stepper, Stop};
use super::workers::Shared;
use super::{Stats, Visitor};
use crate::diag::Diagnostic;
use crate::execution::EventKind;
use crate::program::{Property, Value};

/// How many steps pass between two looks at the limits.
const TICKS: u64 = 1024;

pub(super) struct Search<'s, 'p, const W: usize> {
    pub stepper: &'s Stepper<'p>,
    pub code: &'s Code,
    pub members: &'s dyn Members,
    pub evaluation: Evaluation<W>,
    pub stats: Stats,
    pub visitor: &'s mut (dyn Visitor + Send),
    pub shared: &'s Shared<'p, W>,
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

    /// Everything that can come of a graph that is consistent; by someone else, if someone has nothing to do.
    fn visit(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        if self.shared.give(graph) {
            return ControlFlow::Continue(());
        }
        self.explore(graph)
    }

    fn explore(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        self.stats.steps += 1;
        // Steps of large graphs take longer.
        if self.stats.steps.is_multiple_of(TICKS / (W * W) as u64) {
            self.visitor.look()?;
            if self.shared.is_stopped() {
                return ControlFlow::Break(());
            }
        }
        if let Some(update) = graph.pending.take() {
            let flow = self.write(graph, update);
            graph.pending = Some(update);
            return flow;
        }
        let Some(thread) = next(graph) else { return self.end(graph) };
        let stop = graph.threads[thread].stop.clone();
        match &*stop {
            Stop::Access(leaves) => {
                if !graph.has_room(leaves.iter().map(|leaf| leaf.state.fresh.len()).max().unwrap_or(0) + 2) {
                    return self.visitor.fail(too_many_events(64 * W));
                }
                match leaves[..] {
                    [ref leaf] if leaf.access.kind == EventKind::Write => {
                        let value = leaf.access.value.unwrap_or(Value::ZERO);
                        let (written, next) = self.stepper.resume(leaf, value);
                        let bound = Bound {
                            source: NONE,
                            read: None,
                            written,
                            stop: Arc::new(next),
                            way: 0,
                            canonical: true,
                        };
                        let write = graph.step(self.code, leaf, bound, self.stepper.cells, self.members);
                        let flow = self.write(graph, write);
                        graph.pop();
                        flow
                    }
                    _ => self.read(graph, leaves),
                }
            }
            Stop::Choice(stops) => {
                if !graph.has_room(1) {
                    return self.visitor.fail(too_many_events(64 * W));
                }
                for (way, stop) in stops.iter().enumerate() {
                    graph.choose(self.code, thread, way, stop.clone());
                    let flow = self.visit(graph);
                    graph.pop();
                    flow?;
                }
                ControlFlow::Continue(())
            }
            Stop::Spawn(spawn) => {
                if !graph.has_room(spawn.state.fresh.len()) {
                    return self.visitor.fail(too_many_events(64 * W));
                }
                graph.spawn(self.code, spawn, self.stepper.spawn(spawn), self.members);
                let flow = self.visit(graph);
                graph.pop();
                flow
            }
            Stop::Join(join) => {
                if !graph.has_room(join.state.fresh.len()) {
                    return self.visitor.fail(too_many_events(64 * W));
                }
                let result = graph.threads[usize::from(join.target)].stop.last().map(|state| {
                    let code = &self.stepper.program.threads[state.code()];
                    code.result.map_or(Ok(Value::ZERO), |reg| state.register(reg))
                });
                let next = self.stepper.join(join, result.unwrap_or(Ok(Value::ZERO)));
                graph.join(self.code, join, next, self.members);
                let flow = self.visit(graph);
                graph.pop();
                flow
            }
            Stop::Unborn => ControlFlow::Continue(()),
            Stop::Violation(state, ..)
            | Stop::Ended(state)
            | Stop::Blocked(state)
            | Stop::Cut(state, _)
            | Stop::Error(state, _) => {
                if !graph.has_room(state.fresh.len()) {
                    return self.visitor.fail(too_many_events(64 * W));
                }
                graph.flush(self.code, thread, self.members);
                let flow = self.visit(graph);
                graph.pop();
                flow
            }
        }
    }

    /// A read takes each write of its cell that it may.
    fn read(&mut self, graph: &mut Graph<'p, W>, leaves: &[Leaf<'p>]) -> ControlFlow<()> {
        let cell = usize::from(leaves[0].access.cell);
        let unbound = |graph: &Graph<'p, W>, leaf: &Leaf<'p>| Bound {
            source: NONE,
            read: None,
            written: None,
            stop: graph.threads[usize::from(leaf.access.place.thread)].stop.clone(),
            way: 0,
            canonical: true,
        };
        let mut floor = usize::MAX;
        for leaf in leaves {
            let bound = unbound(graph, leaf);
            let read = graph.step(self.code, leaf, bound, self.stepper.cells, self.members);
            floor = floor.min(graph.floor(self.code, read));
            if leaves.len() > 1 {
                graph.pop();
            }
        }
        let is_alone = leaves.len() == 1;
        let n = graph.co.get(cell).map_or(0, Vec::len).max(1);
        let mut flow = ControlFlow::Continue(());
        for at in (floor..n).rev() {
            let source = graph.co.get(cell).and_then(|order| order.get(at)).copied();
            for (leaf, bound) in self.ways(graph, leaves, source) {
                let read = match is_alone {
                    true => graph.n() - 1,
                    false => {
                        let bound = unbound(graph, leaf);
                        graph.step(self.code, leaf, bound, self.stepper.cells, self.members)
                    }
                };
                let source = graph.co[cell][at];
                graph.bind(self.code, read, Bound { source, ..bound });
                flow = if leaf.access.kind == EventKind::Rmw {
                    graph.pending = Some(read);
                    let flow = self.visit(graph);
                    graph.pending = None;
                    flow
                } else if self.is_consistent(graph, &[read]) {
                    self.visit(graph)
                } else {
                    ControlFlow::Continue(())
                };
                if !is_alone {
                    graph.pop();
                }
                if flow.is_break() {
                    break;
                }
            }
            if flow.is_break() {
                break;
            }
        }
        if is_alone {
            graph.pop();
        }
        flow
    }

    /// The ways in which a thread goes on from a read of that source.
    fn ways<'l>(
        &mut self,
        graph: &Graph<'p, W>,
        leaves: &'l [Leaf<'p>],
        source: Option<u16>,
    ) -> Vec<(&'l Leaf<'p>, Bound<'p>)> {
        let written = match source {
            Some(source) => graph.events[usize::from(source)].written,
            // The cell has just come into being.
            None => self.stepper.cells.initial_of(usize::from(leaves[0].access.cell)),
        };
        let source = source.unwrap_or(NONE);
        let value = written.unwrap_or(Value::ZERO);
        let mut ways = Vec::with_capacity(1);
        let mut blocked = Vec::new();
        for (way, leaf) in leaves.iter().enumerate() {
            if leaf.access.wanted.is_some_and(|(wanted, equal)| (wanted == value) != equal) {
                continue;
            }
            let (new, mut stop) = self.stepper.resume(leaf, value);
            if written.is_none() {
                stop = self.stepper.violation(leaf, Property::Uninitialised);
            }
            // A way that the value does not choose is none.
            let refused = leaves.len() > 1
                && matches!(&stop, Stop::Blocked(state) if state.instance == leaf.state.instance);
            let bound = Bound {
                source,
                read: Some(value),
                written: new.filter(|_| leaf.access.kind == EventKind::Rmw),
                stop: Arc::new(stop),
                way: way as u16,
                canonical: ways.is_empty(),
            };
            if refused { blocked.push((leaf, bound)) } else { ways.push((leaf, bound)) }
        }
        if ways.is_empty() {
            blocked.truncate(1);
            return blocked;
        }
        ways
    }

    /// The places in the coherence order that a write may take.
    fn places(&self, graph: &Graph<'p, W>, write: usize) -> std::ops::RangeInclusive<usize> {
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
    fn write(&mut self, graph: &mut Graph<'p, W>, write: usize) -> ControlFlow<()> {
        let cell = usize::from(graph.events[write].cell);
        let rival = match graph.events[write].is_rmw() && self.code.updates_follow {
            true => graph.rival(write),
            false => None,
        };
        if rival.is_none() {
            for at in self.places(graph, write).rev() {
                graph.place(write, at);
                let flow = if self.is_consistent(graph, &[write]) {
                    self.visit(graph)
                } else {
                    ControlFlow::Continue(())
                };
                graph.unplace(write, at);
                flow?;
            }
        }
        let mut reads = Vec::new();
        each(&graph.cells[cell], |e| {
            if e != write && graph.events[e].is_read() && !has(&graph.prefix[write], e) {
                reads.push(e);
            }
        });
        for read in reads {
            let Some(deleted) = graph.deleted(read, write) else { continue };
            // Two updates of one write: one of them must go, or read from the other.
            if rival.is_some_and(|rival| rival != read && !has(&deleted, rival)) {
                continue;
            }
            let Some(before) = graph.events[read].before.clone() else { continue };
            let Stop::Access(leaves) = &*before else { continue };
            if leaves.len() > 1 && !graph.events[read].canonical {
                continue;
            }
            for (leaf, bound) in self.ways(graph, leaves, Some(write as u16)) {
                self.stats.revisits += 1;
                let (mut other, number) =
                    graph.revisited(self.code, (read, write), &deleted, leaf, bound, self.members);
                for at in self.places(&other, number).rev() {
                    other.place(number, at);
                    let pending = other.pending.is_some();
                    let flow = if pending || self.is_consistent(&other, &[]) {
                        self.visit(&mut other)
                    } else {
                        ControlFlow::Continue(())
                    };
                    other.unplace(number, at);
                    flow?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Is a graph consistent? It was before these events were added; none given: it may be any.
    fn is_consistent(&mut self, graph: &Graph<'p, W>, new: &[usize]) -> bool {
        self.stats.checked += 1;
        self.evaluation.begin();
        let seen = graph.seen();
        for (index, check) in self.code.checks.iter().enumerate().take_while(|(_, check)| check.prunes) {
            let holds = match &check.exact {
                Some(floor) if !new.is_empty() => new.iter().all(|x| graph.respects(self.code, floor, *x)),
                _ => self.evaluation.holds(self.code, check, &seen),
            };
            if !holds {
                self.stats.refuted[index] += 1;
                return false;
            }
        }
        true
    }

    /// No thread goes on.
    fn end(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        let mut found = Found::default();
        if !self.code.flags.is_empty() || self.code.checks.iter().any(|check| !check.prunes) {
            graph.fill_late(self.code);
            let seen = graph.seen();
            self.evaluation.begin();
            for (index, check) in self.code.checks.iter().enumerate() {
                if !self.evaluation.holds(self.code, check, &seen) {
                    self.stats.refuted[index] += 1;
                    return ControlFlow::Continue(());
                }
            }
            for flag in &self.code.flags {
                found.take(flag, self.evaluation.holds(self.code, flag, &seen));
            }
        }
        let ended = Ended::of(graph);
        self.stats.count(&ended);
        self.visitor.execution(ended, &found, &*graph)
    }
}

/// The thread to go on with: one that is inside an instruction (the write of a read-modify-write comes right after its read), else the
/// first that can.
fn next<const W: usize>(graph: &Graph<W>) -> Option<usize> {
    if let Some(inside) = graph.threads.iter().position(|thread| thread.stop.is_inside()) {
        return Some(inside);
    }
    graph.threads.iter().position(|thread| match &*thread.stop {
        Stop::Access(_) | Stop::Choice(_) | Stop::Spawn(_) => true,
        Stop::Unborn => false,
        Stop::Join(join) => graph.threads.get(usize::from(join.target)).is_some_and(|t| t.has_ended()),
        stop => stop.last().is_some_and(|state| !state.fresh.is_empty() && !thread.flushed),
    })
}

fn too_many_events(most: usize) -> Diagnostic {
    Diagnostic::unsupported("grow::too-many-events", format!("an execution has more than {most} events"))
        .help("fewer rounds of its loops (--unroll) make it smaller")
}
