//! A graph with holes: events that are there before some of their thread that come earlier in program order.
//!
//! Such an event *floats*: it is known what it is and where in its thread, since all that it hangs on is there; the thread goes on from before the first event that is missing. When it comes to the
//! place of an event that floats, the event *lands*.

use std::sync::Arc;

use super::bits::{Bits, add, and, each, has, is_empty, none, one, or, remove, without};
use super::code::Code;
use super::evaluate::Evaluation;
use super::graph::Graph;
use super::kept::Which;
use super::node::{Bound, NONE, Node, Role, Thread};
use super::state::{Leaf, Stop, reads};
use super::widen::wide;

/// A graph, with what floats in it.
pub(super) struct Holed<'p, const W: usize> {
    pub graph: Graph<'p, W>,
    pub floating: Bits<W>,
    /// Of each event: those that were added together with it, and itself.
    steps: Vec<Bits<W>>,
}

impl<'p, const W: usize> Holed<'p, W> {
    pub fn new(graph: Graph<'p, W>) -> Holed<'p, W> {
        let mut holed = Holed { graph, floating: none(), steps: vec![none(); 64 * W] };
        holed.noted(0);
        holed
    }

    pub fn copy(&self, code: &Code) -> Holed<'p, W> {
        let mut graph = self.graph.copy(code);
        graph.prefix.copy_from_slice(&self.graph.prefix);
        Holed { graph, floating: self.floating, steps: self.steps.clone() }
    }

    /// The same graph, with room for 64 `V` events.
    pub fn widened<const V: usize>(&self, code: &Code) -> Holed<'p, V> {
        let mut graph = self.graph.widened::<V>(code);
        let mut steps = vec![none(); 64 * V];
        steps.iter_mut().zip(&self.steps).for_each(|(own, step)| *own = wide(step));
        graph.prefix.iter_mut().zip(&self.graph.prefix).for_each(|(own, prefix)| *own = wide(prefix));
        let mut holed = Holed { graph, floating: wide(&self.floating), steps };
        holed.relate_all(code);
        holed
    }

    /// The place of an event in its thread.
    fn at(&self, x: usize) -> (u32, u8) {
        let place = self.graph.events[x].place;
        (place.instance, place.own)
    }

    /// The events of a thread, in order.
    fn of_thread(&self, thread: usize) -> Vec<usize> {
        let mut events = Vec::new();
        each(&self.graph.threads[thread].events, |x| events.push(x));
        events.sort_by_key(|x| self.at(*x));
        events
    }

    /// The events that a thread has come past, in order.
    fn landed(&self, thread: usize) -> Vec<usize> {
        let mut landed = Vec::new();
        let mut last = self.graph.threads[thread].last;
        while last != NONE {
            landed.push(usize::from(last));
            last = self.graph.events[usize::from(last)].previous;
        }
        landed.reverse();
        landed
    }

    /// Program order of a thread, and all that follows from it.
    fn relate(&mut self, code: &Code, thread: usize) {
        let events = self.of_thread(thread);
        let graph = &mut self.graph;
        let mut before: Bits<W> = none();
        let mut own: Bits<W> = none();
        let mut instance = None;
        for x in &events {
            let node = &graph.events[*x];
            if instance != Some(node.place.instance) {
                instance = Some(node.place.instance);
                before = or(&before, &own);
                own = none();
            }
            let mut po = and(&before, &graph.visible);
            each(&and(&own, &graph.visible), |y| {
                let place = graph.events[y].place.own;
                if place < 64 && node.inner >> place & 1 == 1 {
                    add(&mut po, y);
                }
            });
            let mut inherited = graph.inherited[*x];
            if let Role::Join(child) = node.role {
                let child = &graph.threads[usize::from(child)];
                inherited = or(&inherited, &or(&child.events, &child.inherited));
            }
            po = or(&po, &and(&inherited, &graph.visible));
            graph.po[*x] = if node.is_visible() { po } else { none() };
            add(&mut own, *x);
            graph.instances[*x] = own;
        }
        let mut kept = std::mem::take(&mut graph.kept);
        kept.add(code, &events, Which::All, &graph.facts());
        graph.kept = kept;
    }

    /// Likewise, of all threads.
    fn relate_all(&mut self, code: &Code) {
        (0..self.graph.threads.len()).for_each(|thread| self.relate(code, thread));
    }

    /// Notes the events that were added from some place in the list on as a step, and what they need.
    pub fn added(&mut self, code: &Code, evaluation: &mut Evaluation<W>, from: usize) {
        let mut step: Bits<W> = none();
        for x in &self.graph.order[from..] {
            let x = usize::from(*x);
            match self.graph.events[x].is_initial() {
                true => self.steps[x] = one(x),
                false => add(&mut step, x),
            }
        }
        let head = self.graph.newest();
        each(&step, |x| self.steps[x] = step);
        self.relate(code, usize::from(self.graph.events[head].place.thread));
        self.fill(code, evaluation, head);
    }

    /// Notes initial writes that were added from some place in the list on.
    pub fn noted(&mut self, from: usize) {
        for x in &self.graph.order[from..] {
            self.steps[usize::from(*x)] = one(usize::from(*x));
        }
    }

    /// Finds out what the step of an event needs.
    fn fill(&mut self, code: &Code, evaluation: &mut Evaluation<W>, head: usize) {
        let graph = &self.graph;
        let step = self.steps[head];
        let own = usize::from(graph.events[head].place.thread);
        let thread = &graph.threads[own];
        let mut needed: Bits<W> = or(&thread.inherited, &graph.inherited[head]);
        if thread.spawner != NONE {
            add(&mut needed, usize::from(thread.spawner));
        }
        evaluation.begin();
        let seen = graph.seen();
        let mut before: Bits<W> = none();
        each(&thread.events, |y| {
            let (node, other) = (&graph.events[head], &graph.events[y]);
            let is_later = match other.is_visible() {
                true => self.at(y) > self.at(head),
                // A choice has no place of its own in its instruction.
                false => other.place.instance > node.place.instance,
            };
            if has(&step, y) || is_later {
                return;
            }
            add(&mut before, y);
            let decides = !other.is_visible() || matches!(other.role, Role::Spawn(_) | Role::Join(_));
            let hangs = other.is_read() && node.hangs & reads(other.number) != 0;
            if decides || hangs || other.place.instance == node.place.instance {
                add(&mut needed, y);
            }
        });
        // Only accesses can be there before others.
        let is_access = graph.events[head].at.is_some();
        each(&step, |x| {
            for slot in &code.prefix {
                let row = evaluation.row_of(code, *slot, x, &seen);
                needed = or(&needed, &and(&row, &or(&before, &thread.inherited)));
            }
            let source = graph.events[x].source;
            if source != NONE {
                add(&mut needed, usize::from(source));
            }
        });
        if !is_access {
            needed = or(&needed, &before);
        }
        if let Role::Join(child) = graph.events[head].role {
            let child = &graph.threads[usize::from(child)];
            needed = or(&needed, &or(&child.events, &child.inherited));
        }
        let mut prefix = needed;
        each(&needed, |y| {
            let unit = self.unit(y, head);
            prefix = or(&prefix, &unit);
            each(&unit, |z| prefix = or(&prefix, &graph.prefix[z]));
        });
        each(&step, |x| {
            self.graph.prefix[x] = or(&prefix, &step);
            remove(&mut self.graph.prefix[x], x);
        });
    }

    /// The step of an event, and of all others of its instruction.
    fn unit(&self, y: usize, head: usize) -> Bits<W> {
        let graph = &self.graph;
        let node = &graph.events[y];
        if node.is_initial() {
            return one(y);
        }
        let own = &graph.events[head].place;
        let mut unit = self.steps[y];
        loop {
            let mut more = unit;
            each(&unit, |x| {
                let place = &graph.events[x].place;
                if (place.thread, place.instance) == (own.thread, own.instance) {
                    return;
                }
                each(&graph.threads[usize::from(place.thread)].events, |z| {
                    if graph.events[z].place.instance == place.instance {
                        more = or(&more, &self.steps[z]);
                    }
                });
            });
            if more == unit {
                return unit;
            }
            unit = more;
        }
    }

    /// An event that floats where a thread is.
    pub fn landing(&self, thread: usize) -> Option<usize> {
        if is_empty(&self.floating) {
            return None;
        }
        let Stop::Access(leaves) = &*self.graph.threads[thread].stop else { return None };
        let place = leaves.first()?.access.place;
        let mut found = None;
        each(&and(&self.floating, &self.graph.threads[thread].events), |x| {
            if self.at(x) == (place.instance, place.own) {
                found = Some(x);
            }
        });
        found
    }

    /// Does some event of a thread float?
    pub fn floats(&self, thread: usize) -> bool {
        !is_empty(&and(&self.floating, &self.graph.threads[thread].events))
    }

    /// Is the event that floats what a thread is about to do?
    pub fn is_same(&self, x: usize, leaf: &Leaf<'p>) -> bool {
        let node = &self.graph.events[x];
        let access = &leaf.access;
        let mut step = Vec::new();
        each(&self.steps[x], |y| {
            if y != x {
                step.push(y);
            }
        });
        step.sort_by_key(|y| self.at(*y));
        let same = |(y, event): (&usize, &super::state::Plain<'p>)| {
            self.at(*y) == (event.place.instance, event.place.own)
                && self.graph.events[*y].place.pc == event.place.pc
                && self.graph.events[*y].members == event.sorted.members
        };
        node.kind == super::node::Kind::Event(access.kind)
            && node.cell == access.cell
            && node.members == access.sorted.members
            && node.place.pc == access.place.pc
            && step.len() == leaf.state.fresh.len()
            && step.iter().zip(&leaf.state.fresh).all(same)
    }

    /// The thread has come to an event that floats.
    pub fn land(&mut self, x: usize, stop: Arc<Stop<'p>>) {
        let thread = usize::from(self.graph.events[x].place.thread);
        let mut step = Vec::new();
        each(&self.steps[x], |y| step.push(y));
        step.sort_by_key(|y| self.at(*y));
        let graph = &mut self.graph;
        for y in step {
            graph.events[y].previous = graph.threads[thread].last;
            graph.threads[thread].last = y as u16;
            remove(&mut self.floating, y);
        }
        let before = std::mem::replace(&mut graph.threads[thread].stop, stop);
        graph.threads[thread].flushed = false;
        graph.events[x].before = Some(before);
    }

    /// This graph in which `read` takes its value from `write`, and `deleted` is gone. The write has no place in the coherence order there. `None`: the read
    /// would make another number of events.
    pub fn revisited(
        &self,
        code: &Code,
        evaluation: &mut Evaluation<W>,
        read: usize,
        deleted: &Bits<W>,
        (leaf, bound): (&Leaf<'p>, Bound<'p>),
    ) -> Option<Holed<'p, W>> {
        let mut other = Holed {
            graph: Graph::empty(code),
            floating: without(&self.floating, deleted),
            steps: self.steps.clone(),
        };
        other.graph.become_part_of(&self.graph, deleted);
        let reader = usize::from(self.graph.events[read].place.thread);
        for number in 0..self.graph.threads.len() {
            other.go_back(self, number, (number == reader).then_some(read), deleted);
        }
        each(deleted, |e| {
            if let Role::Spawn(child) = self.graph.events[e].role {
                other.graph.threads[usize::from(child)] = Thread::new(Arc::new(Stop::Unborn));
            }
        });
        let graph = &mut other.graph;
        let mut step = Vec::new();
        each(&self.steps[read], |y| {
            if y != read {
                step.push(y);
            }
        });
        step.sort_by_key(|y| self.at(*y));
        if step.len() != leaf.state.fresh.len() {
            return None;
        }
        for (y, event) in step.iter().zip(&leaf.state.fresh) {
            let previous = graph.events[*y].previous;
            graph.events[*y] = Node { previous, ..Node::plain(event) };
        }
        // An update that reads something else is put elsewhere.
        if let Some(at) = graph.position(read) {
            graph.unplace(read, at);
        }
        let old = &graph.events[read];
        let (previous, count, before) = (old.previous, old.count, old.before.clone());
        graph.events[read] = Node { previous, count, before, ..Node::access(&leaf.access, &bound) };
        graph.values[read] = graph.events[read].value();
        if graph.threads[reader].last == read as u16 {
            graph.threads[reader].stop = bound.stop;
        }
        other.relate_all(code);
        other.fill(code, evaluation, read);
        Some(other)
    }

    /// A thread goes back to before its first event that is gone, or to right after the read that is given another source. What is left of it after that floats.
    fn go_back(&mut self, other: &Holed<'p, W>, number: usize, read: Option<usize>, gone: &Bits<W>) {
        let landed = other.landed(number);
        let first = landed.iter().position(|x| has(gone, *x));
        let read = read.and_then(|read| landed.iter().position(|x| *x == read)).map(|at| at + 1);
        let thread = &mut self.graph.threads[number];
        let from = &other.graph.threads[number];
        (thread.last, thread.inherited) = (from.last, from.inherited);
        (thread.stop, thread.flushed) = (from.stop.clone(), from.flushed);
        let Some(at) = first.into_iter().chain(read).min() else { return };
        if let Some(next) = landed.get(at) {
            thread.inherited = other.graph.inherited[*next];
            let head = landed[at..].iter().find_map(|x| other.graph.events[*x].before.clone());
            if let Some(before) = head {
                thread.stop = before;
            }
            thread.flushed = false;
        }
        thread.last = if at == 0 { NONE } else { landed[at - 1] as u16 };
        for x in &landed[at..] {
            if !has(gone, *x) {
                add(&mut self.floating, *x);
            }
        }
    }

    /// Has it a cycle of program order and `rf`?
    pub fn is_cyclic(&self) -> bool {
        self.in_order().1
    }

    /// All events, each after those of its thread before it, its source, and what started it or was waited for. Where there is no such order, some read comes before its source; is there none?
    fn in_order(&self) -> (Vec<usize>, bool) {
        let graph = &self.graph;
        let mut done: Bits<W> = none();
        let mut order: Vec<usize> = Vec::new();
        let threads: Vec<Vec<usize>> = (0..graph.threads.len()).map(|thread| self.landed(thread)).collect();
        let mut next = vec![0; threads.len()];
        each(&graph.initial, |x| {
            order.push(x);
            add(&mut done, x);
        });
        let (mut cyclic, mut forced) = (false, false);
        while order.len() < graph.n() {
            let mut moved = false;
            for (number, events) in threads.iter().enumerate() {
                while let Some(x) = events.get(next[number]) {
                    let node = &graph.events[*x];
                    let spawner = graph.threads[number].spawner;
                    let joined = match node.role {
                        Role::Join(child) => next[usize::from(child)] == threads[usize::from(child)].len(),
                        _ => true,
                    };
                    let is_there = |x: u16| x == NONE || has(&done, usize::from(x));
                    if !joined || !is_there(spawner) || !forced && !is_there(node.source) {
                        break;
                    }
                    order.push(*x);
                    add(&mut done, *x);
                    next[number] += 1;
                    (moved, forced) = (true, false);
                }
            }
            if !moved && std::mem::replace(&mut forced, true) {
                break;
            }
            cyclic |= forced;
        }
        (order, cyclic)
    }

    /// The graph as it is shown: its events are in an order of their causes, as far as there is one.
    pub fn shown(mut self) -> Graph<'p, W> {
        let (order, _) = self.in_order();
        let graph = &mut self.graph;
        let mut known = none();
        for x in &order {
            graph.earlier[*x] = known;
            add(&mut known, *x);
        }
        graph.order = order.into_iter().map(|x| x as u16).collect();
        // What must come before an event: nothing of P, but all of its thread.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for x in graph.order.clone() {
                let x = usize::from(x);
                let node = &graph.events[x];
                if node.is_initial() {
                    graph.prefix[x] = none();
                    continue;
                }
                let own = usize::from(node.place.thread);
                let mut prefix = graph.prefix[x];
                let mut after = |y: u16| {
                    if y != NONE {
                        prefix = or(&prefix, &graph.prefix[usize::from(y)]);
                        add(&mut prefix, usize::from(y));
                    }
                };
                after(node.previous);
                after(node.source);
                after(graph.threads[own].spawner);
                if let Role::Join(child) = node.role {
                    after(graph.threads[usize::from(child)].last);
                }
                changed |= prefix != graph.prefix[x];
                graph.prefix[x] = prefix;
            }
        }
        self.graph
    }
}
