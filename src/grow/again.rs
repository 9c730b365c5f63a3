//! Steps made again on a graph, one after the other: each read takes the last write, and each write is the last of its cell.

use std::ops::ControlFlow;

use super::graph::Graph;
use super::node::{Bound, NONE};
use super::search::Search;
use super::state::Stop;
use super::states::Taken;
use crate::execution::EventKind;

impl<'p, const W: usize> Search<'_, 'p, W> {
    /// Makes steps, and shows the execution that they make; nothing, if there is no room for it, or the model does not accept it.
    pub fn follow(&mut self, graph: &mut Graph<'p, W>, steps: &[Taken]) -> Option<ControlFlow<()>> {
        for (thread, way) in steps {
            self.take(graph, usize::from(*thread), usize::from(*way))?;
        }
        for thread in 0..graph.threads.len() {
            self.flush(graph, thread)?;
        }
        let all: Vec<usize> = graph.order.iter().map(|x| usize::from(*x)).collect();
        (self.is_consistent(graph, &all) && self.is_accepted(graph)).then(|| self.end(graph))
    }

    /// Adds what a thread has done since its last access, if it does not go on.
    fn flush(&mut self, graph: &mut Graph<'p, W>, thread: usize) -> Option<()> {
        let at = &graph.threads[thread];
        let has_more = at.stop.last().is_some_and(|state| !state.fresh.is_empty() && !at.flushed);
        if has_more {
            let room = self.room_for(&at.stop);
            graph.has_room(room).then_some(())?;
            graph.flush(self.code, thread);
        }
        Some(())
    }

    fn take(&mut self, graph: &mut Graph<'p, W>, thread: usize, way: usize) -> Option<()> {
        let (cells, members) = (self.stepper.cells, self.stepper.members);
        let stop = graph.threads.get(thread)?.stop.clone();
        graph.has_room(self.room_for(&stop)).then_some(())?;
        match &*stop {
            Stop::Access(leaves) if leaves[0].access.kind == EventKind::Write => {
                let found = self.ways.of(self.stepper, &stop, leaves[0].access.value);
                let write = graph.step(self.code, &leaves[0], found.ways.first()?.writing(), cells, members);
                place_last(graph, write);
            }
            Stop::Access(leaves) => {
                let cell = usize::from(leaves[0].access.cell);
                let last = graph.co.get(cell).and_then(|order| order.last()).copied();
                let value = self.value(graph, cell, last);
                let found = self.ways.of(self.stepper, &stop, value);
                let way = found.ways.get(way)?;
                let unbound = Bound {
                    source: NONE,
                    read: None,
                    written: None,
                    stop: stop.clone(),
                    way: 0,
                    canonical: true,
                };
                let read = graph.step(self.code, &leaves[way.leaf], unbound, cells, members);
                let source = *graph.co[cell].last()?;
                graph.bind(self.code, read, way.reading(source, value));
                if graph.events[read].is_rmw() {
                    place_last(graph, read);
                }
            }
            Stop::Choice(stops) => {
                let stop = self.ways.chosen(self.stepper, stops.get(way)?);
                graph.choose(self.code, thread, (way, stop), members);
            }
            Stop::Spawn(spawn) => graph.spawn(self.code, spawn, self.stepper.spawn(spawn)),
            Stop::Join(join) => {
                self.flush(graph, usize::from(join.target))?;
                let next = self.joined(graph, &stop, join);
                graph.join(self.code, join, next);
            }
            _ => return None,
        }
        Some(())
    }
}

fn place_last<const W: usize>(graph: &mut Graph<W>, write: usize) {
    let at = graph.co[usize::from(graph.events[write].cell)].len();
    graph.place(write, at);
}
