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
use super::{Stats, Visitor};
use crate::diag::Diagnostic;
use crate::execution::EventKind;

/// How many steps pass between two looks at the limits.
const TICKS: u64 = 1024;

pub(super) struct Search<'s, 'p, const W: usize> {
    pub stepper: &'s Stepper<'p>,
    pub code: &'s Code,
    pub members: &'s dyn Members,
    pub evaluation: Evaluation<W>,
    pub stats: Stats,
    pub visitor: &'s mut dyn Visitor,
}

impl<'p, const W: usize> Search<'_, 'p, W> {
    /// Everything that can come of a graph that is consistent.
    pub fn visit(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        self.stats.steps += 1;
        if self.stats.steps.is_multiple_of(TICKS) {
            self.visitor.look()?;
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
                if !graph.has_room(leaves.iter().map(|leaf| leaf.state.fresh.len()).max().unwrap_or(0) + 1) {
                    return self.visitor.fail(too_many_events(64 * W));
                }
                match leaves[..] {
                    [ref leaf] if leaf.access.kind == EventKind::Write => {
                        let value = leaf.access.value.unwrap_or(crate::program::Value::ZERO);
                        let (written, next) = self.stepper.resume(leaf, value);
                        let bound = Bound {
                            source: NONE,
                            read: None,
                            written,
                            stop: Arc::new(next),
                            way: 0,
                            canonical: true,
                        };
                        let write = graph.step(self.code, leaf, bound, self.members);
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
            Stop::Ended(state) | Stop::Blocked(state) | Stop::Cut(state, _) | Stop::Error(state, _) => {
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

    /// A read takes each write of its cell.
    fn read(&mut self, graph: &mut Graph<'p, W>, leaves: &[Leaf<'p>]) -> ControlFlow<()> {
        let cell = usize::from(leaves[0].access.cell);
        for at in (0..graph.co[cell].len()).rev() {
            let source = graph.co[cell][at];
            for (leaf, bound) in self.ways(graph, leaves, source) {
                let is_update = leaf.access.kind == EventKind::Rmw;
                let read = graph.step(self.code, leaf, bound, self.members);
                let flow = if is_update {
                    graph.pending = Some(read);
                    let flow = self.visit(graph);
                    graph.pending = None;
                    flow
                } else if self.is_consistent(graph) {
                    self.visit(graph)
                } else {
                    ControlFlow::Continue(())
                };
                graph.pop();
                flow?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The ways in which a thread goes on from a read of that source.
    fn ways<'l>(
        &mut self,
        graph: &Graph<'p, W>,
        leaves: &'l [Leaf<'p>],
        source: u16,
    ) -> Vec<(&'l Leaf<'p>, Bound<'p>)> {
        let value = graph.events[usize::from(source)].written.unwrap_or(crate::program::Value::ZERO);
        let mut ways = Vec::with_capacity(1);
        let mut blocked = Vec::new();
        for (way, leaf) in leaves.iter().enumerate() {
            let (written, stop) = self.stepper.resume(leaf, value);
            // A way that the value does not choose is none.
            let refused = leaves.len() > 1
                && matches!(&stop, Stop::Blocked(state) if state.instance == leaf.state.instance);
            let bound = Bound {
                source,
                read: Some(value),
                written: written.filter(|_| leaf.access.kind == EventKind::Rmw),
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

    /// A write that has been added takes each place, and is offered to reads.
    fn write(&mut self, graph: &mut Graph<'p, W>, write: usize) -> ControlFlow<()> {
        let cell = usize::from(graph.events[write].cell);
        for at in (1..=graph.co[cell].len()).rev() {
            graph.place(write, at);
            let flow = if self.is_consistent(graph) { self.visit(graph) } else { ControlFlow::Continue(()) };
            graph.unplace(write, at);
            flow?;
        }
        let mut reads = Vec::new();
        each(&graph.cells[cell], |e| {
            if e != write && graph.events[e].is_read() && !has(&graph.prefix[write], e) {
                reads.push(e);
            }
        });
        for read in reads {
            let Some(deleted) = graph.deleted(read, write) else { continue };
            let Some(before) = graph.events[read].before.clone() else { continue };
            let Stop::Access(leaves) = &*before else { continue };
            if leaves.len() > 1 && !graph.events[read].canonical {
                continue;
            }
            for (leaf, bound) in self.ways(graph, leaves, write as u16) {
                self.stats.revisits += 1;
                let (mut other, number) =
                    graph.revisited(self.code, (read, write), &deleted, leaf, bound, self.members);
                for at in (1..=other.co[cell].len()).rev() {
                    other.place(number, at);
                    let flow = if other.pending.is_some() || self.is_consistent(&other) {
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

    fn is_consistent(&mut self, graph: &Graph<'p, W>) -> bool {
        self.stats.checked += 1;
        let seen = graph.seen();
        for (index, check) in self.code.checks.iter().enumerate().take_while(|(_, check)| check.prunes) {
            if !self.evaluation.holds(self.code, check, &seen) {
                *self.stats.refuted.entry(index).or_insert(0) += 1;
                return false;
            }
        }
        true
    }

    /// No thread goes on.
    fn end(&mut self, graph: &mut Graph<'p, W>) -> ControlFlow<()> {
        let mut found = Found::default();
        if !self.code.flags.is_empty() || self.code.checks.iter().any(|check| !check.prunes) {
            let seen = graph.seen();
            for (index, check) in self.code.checks.iter().enumerate() {
                if !self.evaluation.holds(self.code, check, &seen) {
                    *self.stats.refuted.entry(index).or_insert(0) += 1;
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
    graph.threads.iter().position(|thread| match thread.stop.last() {
        None => true,
        Some(state) => !state.fresh.is_empty() && !thread.flushed,
    })
}

fn too_many_events(most: usize) -> Diagnostic {
    Diagnostic::unsupported("grow::too-many-events", format!("an execution has more than {most} events"))
        .help("fewer rounds of its loops (--unroll) make it smaller")
}
