//! A read is given a write that came later: what goes, and what is left.

use std::sync::Arc;

use super::bits::{Bits, add, and, each, has, is_empty, none, one, or, remove, without};
use super::code::Code;
use super::graph::{Graph, Pending};
use super::node::{Bound, NONE, Node, Role, Thread};
use super::state::{Leaf, Stop};

impl<'p, const W: usize> Graph<'p, W> {
    /// Is an event as it would be if everything that `write` does not need had been added as late as can be?
    fn is_maximal(&self, e: usize, write: usize) -> bool {
        let node = &self.events[e];
        let mut previous = or(&self.earlier[e], self.needs(write));
        add(&mut previous, e);
        if node.is_write() {
            let mut is_read = false;
            each(&and(&self.cells[usize::from(node.cell)], &previous), |r| {
                is_read |= usize::from(self.events[r].source) == e;
            });
            if is_read || self.has_later(e, &previous) {
                return false;
            }
        }
        if node.source != NONE {
            remove(&mut previous, e);
            let source = usize::from(node.source);
            if !has(&previous, source) || self.has_later(source, &previous) {
                return false;
            }
        }
        true
    }

    /// Is a later write of the same cell among some events?
    pub fn has_later(&self, write: usize, events: &Bits<W>) -> bool {
        let order = &self.co[usize::from(self.events[write].cell)];
        let position = order.iter().rposition(|w| usize::from(*w) == write);
        position.is_some_and(|at| order[at + 1..].iter().any(|w| has(events, usize::from(*w))))
    }

    /// The events that go if `read` is given `write` as its source; `None` if that is not how this graph is to be left.
    pub fn deleted(&self, read: usize, write: usize) -> Option<Bits<W>> {
        if !self.is_maximal(read, write) {
            return None;
        }
        let mut keep = or(&or(&self.earlier[read], self.needs(write)), &self.initial);
        add(&mut keep, read);
        add(&mut keep, write);
        let deleted = without(&self.present, &keep);
        for (word, bits) in deleted.iter().enumerate() {
            let mut left = *bits;
            while left != 0 {
                let e = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let node = &self.events[e];
                if node.count > 0 && !(node.canonical && self.is_maximal(e, write)) {
                    return None;
                }
            }
        }
        Some(deleted)
    }

    /// The events of the step of a head, without initial writes.
    fn step_of(&self, head: usize) -> Bits<W> {
        let mut step = one(head);
        let mut at = head;
        for _ in 1..self.events[head].count {
            match self.events[at].previous {
                NONE => break,
                previous if self.events[usize::from(previous)].count > 0 => break,
                previous => {
                    at = usize::from(previous);
                    add(&mut step, at);
                }
            }
        }
        step
    }

    /// Makes this the other graph without some events. Nothing that is left comes after any of them.
    pub fn become_part_of(&mut self, other: &Graph<'p, W>, gone: &Bits<W>) {
        let keep = without(&other.present, gone);
        let all = is_empty(gone);
        self.present = keep;
        self.visible = and(&other.visible, &keep);
        self.initial = other.initial;
        self.order.clear();
        self.order.extend(other.order.iter().filter(|x| has(&keep, usize::from(**x))));
        // Most of them are here already, from the last time that this graph was made from that one or one like it.
        let known = self.events.len();
        self.events.extend(other.events.iter().skip(known).cloned());
        self.kept.copy_sets(&other.kept);
        self.copy_needs(other, &keep);
        each(&keep, |x| {
            self.earlier[x] = and(&other.earlier[x], &keep);
            self.co_rows[x] = and(&other.co_rows[x], &keep);
            if self.stamps[x] == other.stamps[x] {
                return;
            }
            self.stamps[x] = other.stamps[x];
            if x < known {
                self.events[x].clone_from(&other.events[x]);
            }
            self.values[x] = other.values[x];
            self.instances[x] = other.instances[x];
            self.po[x] = other.po[x];
            self.prefix[x] = other.prefix[x];
            self.inherited[x] = other.inherited[x];
            self.kept.copy_event(&other.kept, x);
        });
        self.cells.clear();
        self.cells.extend(other.cells.iter().map(|cell| and(cell, &keep)));
        self.co.resize(other.co.len(), Vec::new());
        for (own, order) in self.co.iter_mut().zip(&other.co) {
            own.clear();
            own.extend(order.iter().filter(|w| has(&keep, usize::from(**w))));
        }
        self.threads.truncate(other.threads.len());
        for (own, thread) in self.threads.iter_mut().zip(&other.threads) {
            // Counting who holds a place takes longer than looking whether it is the same.
            if !Arc::ptr_eq(&own.stop, &thread.stop) {
                own.stop.clone_from(&thread.stop);
            }
            (own.flushed, own.last, own.spawner) = (thread.flushed, thread.last, thread.spawner);
            own.twin = thread.twin;
            (own.events, own.inherited) = (thread.events, thread.inherited);
        }
        let more = self.threads.len();
        self.threads.extend(other.threads[more..].iter().cloned());
        for (own, clean) in self.clean.iter_mut().zip(&other.clean) {
            *own = and(clean, &keep);
        }
        self.pending = None;
        if all {
            return;
        }
        // Threads go back to where they were before the first of their events that goes.
        for thread in &mut self.threads {
            while thread.last != NONE && has(gone, usize::from(thread.last)) {
                let node = &other.events[usize::from(thread.last)];
                thread.inherited = other.inherited[usize::from(thread.last)];
                if let Some(before) = &node.before {
                    thread.stop = before.clone();
                    thread.flushed = false;
                }
                thread.last = node.previous;
            }
            thread.events = and(&thread.events, &keep);
        }
        each(gone, |e| {
            if let Role::Spawn(child) = other.events[e].role {
                self.threads[usize::from(child)] = Thread::new(Arc::new(Stop::Unborn));
            }
        });
    }

    /// A graph like this one.
    pub fn copy(&self, code: &Code) -> Graph<'p, W> {
        let mut copy = Graph::empty(code);
        copy.become_part_of(self, &none());
        copy.pending.clone_from(&self.pending);
        copy
    }

    /// Makes this the other graph in which `read` takes its value from `write`, and `deleted` is gone. The write has no place in the
    /// coherence order there. The slot of the read.
    pub fn revisit(
        &mut self,
        other: &Graph<'p, W>,
        code: &Code,
        (read, write): (usize, usize),
        deleted: &Bits<W>,
        (leaf, bound): (&Leaf<'p>, Bound<'p>),
    ) -> usize {
        let new_read = self.replace(other, code, read, deleted, |graph| {
            // Its cell has an initial write: the write that it reads from is there.
            for event in &leaf.state.fresh {
                graph.push(Node::plain(event));
            }
            let read = graph.push(Node::access(&leaf.access, &bound));
            graph.events[read].source = write as u16;
        });
        let reader = usize::from(self.events[new_read].place.thread);
        self.threads[reader].stop = bound.stop;
        if self.events[new_read].is_rmw() {
            self.pending = Some(Pending { update: new_read, unchecked: vec![write] });
        }
        new_read
    }

    /// Makes this the other graph without some events, and with others in the place of the step of a read. The last of these.
    fn replace(
        &mut self,
        other: &Graph<'p, W>,
        code: &Code,
        read: usize,
        deleted: &Bits<W>,
        push: impl FnOnce(&mut Graph<'p, W>),
    ) -> usize {
        self.become_part_of(other, &or(deleted, &other.step_of(read)));
        let earlier = and(&other.earlier[read], &self.present);
        let at = self.order.iter().take_while(|x| has(&earlier, usize::from(**x))).count();
        let from = self.n();
        push(self);
        let head = self.newest();
        self.events[head].count = (self.n() - from) as u16;
        self.events[head].before.clone_from(&other.events[read].before);
        let events: Vec<usize> = self.order[from..].iter().map(|x| usize::from(*x)).collect();
        // It keeps its place in the order of events.
        let later = self.order[at..from].iter().map(|x| usize::from(*x)).collect::<Vec<_>>();
        self.order[at..].rotate_right(events.len());
        let mut known = earlier;
        for x in &events {
            self.earlier[*x] = known;
            add(&mut known, *x);
            later.iter().for_each(|y| add(&mut self.earlier[*y], *x));
        }
        self.fill(code, &events);
        head
    }
}
