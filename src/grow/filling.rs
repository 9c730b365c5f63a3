//! The search for models that do not order all of a thread: every consistent graph without a cycle of P and `rf` ([`super::prefix`]).
//!
//! It goes as [`super::search`] does, with P in the place of program order: a write is offered to every read that it does not need, also to one of its own thread, and takes with it what it needs
//! only. What is left then may have holes ([`super::holes`]). After Kokologiannakis and Vafeiadis, HMC: Model checking for hardware memory models, ASPLOS 2020.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::bits::{first, has, is_empty, remove, without};
use super::finish::{Ended, Found};
use super::graph::Pending;
use super::holes::Holed;
use super::node::{Bound, NONE};
use super::search::Search;
use super::state::{Leaf, Stop};
use crate::execution::EventKind;
use crate::program::Value;

/// A search that goes on from graphs with holes.
pub(super) struct Filling<'a, 'p, const W: usize> {
    pub search: Search<'a, 'p, W>,
    /// Are only executions told of that have a cycle of program order and `rf`?
    pub only_cyclic: bool,
}

/// What comes of the events that float, where threads have gone on.
enum Landed {
    All,
    /// A thread ends before one of them: no execution comes of this graph.
    Never,
}

impl<'p, const W: usize> Filling<'_, 'p, W> {
    pub fn explore(&mut self, mut holed: Holed<'p, W>) -> ControlFlow<()> {
        self.search.tick()?;
        if let Some(pending) = holed.graph.pending.take() {
            return self.write(&mut holed, pending.update);
        }
        if matches!(self.land(&mut holed), Landed::Never) {
            return ControlFlow::Continue(());
        }
        let Some(thread) = self.search.next(&holed.graph) else { return self.end(holed) };
        let stop = holed.graph.threads[thread].stop.clone();
        if !holed.graph.has_room(self.search.room_for(&stop)) {
            return self.make_room(&holed);
        }
        match &*stop {
            Stop::Access(leaves) if leaves.len() == 1 && leaves[0].access.kind == EventKind::Write => {
                self.plain_write(holed, &stop, &leaves[0])
            }
            Stop::Access(leaves) => self.read(holed, &stop, leaves),
            Stop::Choice(stops) => {
                for (way, stop) in stops.iter().enumerate() {
                    let stop = self.search.ways.chosen(self.search.stepper, stop);
                    let mut next = holed.copy(self.search.code);
                    let from = next.graph.n();
                    next.graph.choose(self.search.code, thread, (way, stop), self.search.stepper.members);
                    self.added(&mut next, from);
                    self.explore(next)?;
                }
                ControlFlow::Continue(())
            }
            Stop::Unborn | Stop::Ready(_) => ControlFlow::Continue(()),
            Stop::Spawn(spawn) => {
                let from = holed.graph.n();
                holed.graph.spawn(self.search.code, spawn, self.search.stepper.spawn(spawn));
                self.added(&mut holed, from);
                self.explore(holed)
            }
            Stop::Join(join) => {
                let from = holed.graph.n();
                let next = self.search.joined(&holed.graph, &stop, join);
                holed.graph.join(self.search.code, join, next);
                self.added(&mut holed, from);
                self.explore(holed)
            }
            _ => {
                let from = holed.graph.n();
                holed.graph.flush(self.search.code, thread);
                self.added(&mut holed, from);
                self.explore(holed)
            }
        }
    }

    /// Goes on with more room for events.
    fn make_room(&mut self, holed: &Holed<'p, W>) -> ControlFlow<()> {
        match W {
            1 => self.wider::<2>(holed),
            2 => self.wider::<4>(holed),
            4 => self.wider::<16>(holed),
            _ => self.search.too_large(),
        }
    }

    fn wider<const V: usize>(&mut self, holed: &Holed<'p, W>) -> ControlFlow<()> {
        let shared = self.search.shared.alone::<V>();
        let code = self.search.code;
        let mut filling = Filling { search: self.search.widened(&shared), only_cyclic: self.only_cyclic };
        let flow = filling.explore(holed.widened(code));
        let (ways, stats) = (filling.search.ways, filling.search.stats);
        self.search.ways = ways;
        self.search.stats.add(&stats);
        flow
    }

    fn added(&mut self, holed: &mut Holed<'p, W>, from: usize) {
        holed.added(self.search.code, &mut self.search.evaluation, from);
        // Reads that are not told from each other.
        if holed.graph.events[holed.graph.newest()].hangs >> 63 == 1 {
            self.search.stats.astray += 1;
        }
    }

    /// Lets land what threads have come to.
    fn land(&mut self, holed: &mut Holed<'p, W>) -> Landed {
        if is_empty(&holed.floating) {
            return Landed::All;
        }
        for thread in 0..holed.graph.threads.len() {
            while let Some(x) = holed.landing(thread) {
                let stop = holed.graph.threads[thread].stop.clone();
                match self.landed(holed, x, &stop) {
                    Some(next) => holed.land(x, next),
                    None => return self.astray(),
                }
            }
            if !holed.floats(thread) {
                continue;
            }
            match &*holed.graph.threads[thread].stop {
                Stop::Access(_) => {}
                // It went wrong before it came there.
                Stop::Violation(..) => return Landed::Never,
                // It would be there with fewer reads.
                Stop::Blocked(state) if state.waits() || state.is_repeated => return Landed::Never,
                _ => return self.astray(),
            }
        }
        Landed::All
    }

    /// Something hangs on what it was not known to hang on: executions may be missing.
    fn astray(&mut self) -> Landed {
        debug_assert!(false, "an event hangs on what it was not known to hang on");
        self.search.stats.astray += 1;
        Landed::Never
    }

    /// Where a thread is after an event that floats, if that is what it does.
    fn landed(&mut self, holed: &Holed<'p, W>, x: usize, stop: &Arc<Stop<'p>>) -> Option<Arc<Stop<'p>>> {
        let Stop::Access(leaves) = &**stop else { return None };
        let node = &holed.graph.events[x];
        let leaf = leaves.get(usize::from(node.way))?;
        if !holed.is_same(x, leaf) {
            return None;
        }
        let value = match node.source {
            NONE => leaf.access.value,
            source => self.search.value(&holed.graph, usize::from(node.cell), Some(source)),
        };
        let found = self.search.ways.of(self.search.stepper, stop, value);
        let way = found.ways.iter().find(|way| way.leaf == usize::from(node.way))?;
        (way.written == node.written).then(|| way.stop.clone())
    }

    fn plain_write(
        &mut self,
        mut holed: Holed<'p, W>,
        stop: &Arc<Stop<'p>>,
        leaf: &Leaf<'p>,
    ) -> ControlFlow<()> {
        let value = leaf.access.value.unwrap_or(Value::ZERO);
        let found = self.search.ways.of(self.search.stepper, stop, Some(value));
        let Some(way) = found.ways.first() else { return ControlFlow::Continue(()) };
        let bound = way.writing();
        let (write, from) = self.step(&mut holed, leaf, bound);
        self.added(&mut holed, from);
        self.write(&mut holed, write)
    }

    /// Makes an access; its event, and where in the list its step begins.
    fn step(&self, holed: &mut Holed<'p, W>, leaf: &Leaf<'p>, bound: Bound<'p>) -> (usize, usize) {
        let stepper = self.search.stepper;
        let from = holed.graph.n();
        let event = holed.graph.step(self.search.code, leaf, bound, stepper.cells, stepper.members);
        (event, from)
    }

    /// A read takes each write of its cell that it may.
    fn read(
        &mut self,
        mut holed: Holed<'p, W>,
        stop: &Arc<Stop<'p>>,
        leaves: &[Leaf<'p>],
    ) -> ControlFlow<()> {
        let stepper = self.search.stepper;
        let cell = usize::from(leaves[0].access.cell);
        let from = holed.graph.n();
        holed.graph.ensure(self.search.code, leaves[0].access.cell, stepper.cells, stepper.members);
        holed.noted(from);
        let n = holed.graph.co[cell].len();
        let mut older = self.search.all_blocked.then_some(true);
        for at in (0..n).rev() {
            let source = holed.graph.co[cell][at];
            let value = self.search.value(&holed.graph, cell, Some(source));
            let found = self.search.ways.of(stepper, stop, value);
            if found.waits
                && at + 1 < n
                && !*older.get_or_insert_with(|| holed.graph.older_may_matter(stepper, &leaves[0].access))
            {
                continue;
            }
            for way in &found.ways {
                let leaf = &leaves[way.leaf];
                let bound = way.reading(source, value);
                let mut next = holed.copy(self.search.code);
                let (read, from) = self.step(&mut next, leaf, bound);
                self.added(&mut next, from);
                if leaf.access.kind == EventKind::Rmw {
                    next.graph.pending = Some(Pending { update: read, unchecked: Vec::new() });
                } else if !self.search.is_consistent(&next.graph, &[]) {
                    continue;
                }
                self.explore(next)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// A write that has been added takes each place that it may, and is offered to reads.
    fn write(&mut self, holed: &mut Holed<'p, W>, write: usize) -> ControlFlow<()> {
        let graph = &holed.graph;
        let cell = usize::from(graph.events[write].cell);
        let rival = match graph.events[write].is_rmw() && self.search.code.updates_follow {
            true => graph.rival(write),
            false => None,
        };
        if rival.is_none() {
            self.placed(holed, write)?;
        }
        let graph = &holed.graph;
        let mut others = without(&graph.cells[cell], graph.needs(write));
        remove(&mut others, write);
        while let Some(read) = first(&others) {
            remove(&mut others, read);
            if holed.graph.events[read].is_read() {
                self.revisit(holed, read, write, rival)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// A write takes each place in the coherence order that it may.
    fn placed(&mut self, holed: &mut Holed<'p, W>, write: usize) -> ControlFlow<()> {
        for at in self.search.places(&holed.graph, write).rev() {
            holed.graph.place(write, at);
            let fine = holed.graph.pending.is_some() || self.search.is_consistent(&holed.graph, &[]);
            if fine {
                let mut next = holed.copy(self.search.code);
                next.graph.pending.clone_from(&holed.graph.pending);
                self.explore(next)?;
            }
            holed.graph.unplace(write, at);
        }
        ControlFlow::Continue(())
    }

    /// Gives a read a write that came later.
    fn revisit(
        &mut self,
        holed: &Holed<'p, W>,
        read: usize,
        write: usize,
        rival: Option<usize>,
    ) -> ControlFlow<()> {
        let graph = &holed.graph;
        let Some(deleted) = graph.deleted(read, write) else { return ControlFlow::Continue(()) };
        if rival.is_some_and(|rival| rival != read && !has(&deleted, rival)) {
            return ControlFlow::Continue(());
        }
        let Some(before) = graph.events[read].before.clone() else { return ControlFlow::Continue(()) };
        let Stop::Access(leaves) = &*before else { return ControlFlow::Continue(()) };
        if leaves.len() > 1 && !graph.events[read].canonical {
            return ControlFlow::Continue(());
        }
        let value = graph.events[write].written;
        let found = self.search.ways.of(self.search.stepper, &before, value);
        for way in &found.ways {
            self.search.stats.revisits += 1;
            let bound = way.reading(write as u16, value);
            let leaf = (&leaves[way.leaf], bound);
            let code = self.search.code;
            let other = holed.revisited(code, &mut self.search.evaluation, read, &deleted, leaf);
            let Some(mut other) = other else {
                let _ = self.astray();
                continue;
            };
            if other.graph.events[read].is_rmw() {
                other.graph.pending = Some(Pending { update: read, unchecked: Vec::new() });
            }
            self.placed(&mut other, write)?;
        }
        ControlFlow::Continue(())
    }

    /// No thread goes on.
    fn end(&mut self, holed: Holed<'p, W>) -> ControlFlow<()> {
        let search = &mut self.search;
        let graph = &holed.graph;
        let is_given_up = Ended::of(graph, search.stepper.properties).is_given_up();
        if !is_given_up && !search.is_accepted(graph) {
            return ControlFlow::Continue(());
        }
        let mut found = Found::default();
        let seen = graph.seen();
        for flag in &search.code.flags {
            found.take(flag, search.evaluation.holds(search.code, flag, &seen, &[]));
        }
        if self.only_cyclic && !holed.is_cyclic() {
            return ControlFlow::Continue(());
        }
        let graph = holed.shown();
        let ended = Ended::of(&graph, search.stepper.properties);
        search.stats.count(&ended);
        search.visitor.execution(ended, &found, &graph)
    }
}
