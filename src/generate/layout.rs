//! From a cycle to threads: which access goes where, with which value.

use super::cycle::{Cycle, Step, rotated};
use super::edge::{Dir, Edge};
use super::shape;

/// An access of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Does it read or write?
    pub dir: Dir,
    /// Its annotation, by its place in the dialect's list.
    pub annotation: u8,
    /// The location, in the order in which the threads name them.
    pub location: usize,
    /// The value that it writes, or that the condition asks it to read.
    pub value: usize,
    /// The edge that leads to it from the access before it in its thread.
    pub before: Option<Edge>,
}

/// A test before it is written in any dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The shape, as everybody calls it or by its accesses.
    pub shape: String,
    /// The threads.
    pub threads: Vec<Vec<Access>>,
    /// Final values that the condition asks for.
    pub finals: Vec<(usize, usize)>,
}

/// The access to start from, so that all accesses to one location come in the order in which the cycle goes through it.
pub(super) fn start(steps: &[Step]) -> usize {
    let after = |wanted: &dyn Fn(Edge) -> bool| steps.iter().position(|step| wanted(step.edge));
    let cut = after(&|edge| edge.moves()).or(after(&|edge| matches!(edge, Edge::Po { same: true, .. })));
    cut.map_or(0, |at| (at + 1) % steps.len())
}

/// Threads, locations and values of a cycle.
pub(super) fn layout(cycle: &Cycle) -> Layout {
    let n = cycle.steps.len();
    let (shape, at) = shape::name(cycle);
    let steps = rotated(&cycle.steps, at);

    // Along each location, a write adds one, a read sees what is there.
    let first = start(&steps);
    let (mut place, mut value) = (0, 0);
    let mut seen = vec![(0, 0); n];
    let mut last_of: Vec<(usize, usize)> = vec![(0, 0)];
    for index in 0..n {
        let event = (first + index) % n;
        let before = steps[(event + n - 1) % n].edge;
        if index > 0 && before.moves() {
            place += 1;
            value = 0;
            last_of.push((0, 0));
        }
        if steps[event].edge.ends().0 == Dir::W {
            value += 1;
            last_of[place] = (last_of[place].0 + 1, value);
        }
        seen[event] = (place, value);
    }

    // Locations are named as the threads come to them.
    let mut named: Vec<usize> = Vec::new();
    let mut threads: Vec<Vec<Access>> = Vec::new();
    for event in 0..n {
        let before = steps[(event + n - 1) % n].edge;
        let (place, value) = seen[event];
        let location = named.iter().position(|known| *known == place).unwrap_or_else(|| {
            named.push(place);
            named.len() - 1
        });
        let opens = event == 0 || before.external();
        if opens {
            threads.push(Vec::new());
        }
        let Step { edge, annotation } = steps[event];
        let access =
            Access { dir: edge.ends().0, annotation, location, value, before: (!opens).then_some(before) };
        if let Some(thread) = threads.last_mut() {
            thread.push(access);
        }
    }
    // The write of a torn access stands behind its read.
    for step in steps {
        if let Edge::Torn { pair } = step.edge
            && let Some(thread) = threads.pop_if(|thread| thread.len() == 1)
        {
            let before = Some(if pair { Edge::LxSx } else { Edge::Rmw });
            let write = thread.into_iter().map(|access| Access { before, ..access });
            threads[0].extend(write);
        }
    }
    let finals = named.iter().enumerate().filter_map(|(location, place)| {
        let (writes, value) = last_of[*place];
        (writes > 1).then_some((location, value))
    });
    let finals = finals.collect();
    Layout { shape, threads, finals }
}
