//! All cycles of a size over a vocabulary, each once.

use super::dialect::Vocabulary;
use super::edge::{Com, Dir, Edge, How};
use crate::limits;

/// An edge, and the annotation of the access that it starts from (by its place in the dialect's list; the first is the plain one).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The edge.
    pub edge: Edge,
    /// How the access is annotated.
    pub annotation: u8,
}

/// A cycle of accesses: each step leads to the next, and the last to the first. It is the least of its rotations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cycle {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Cycle {
    /// The cycle that these steps make, from wherever it starts.
    pub fn new(steps: &[Step]) -> Cycle {
        let least = (0..steps.len()).map(|at| rotated(steps, at)).min();
        Cycle { steps: least.unwrap_or_default() }
    }

    /// Fences, dependencies, annotations and the like: what there is besides plain accesses.
    pub fn cost(&self) -> usize {
        self.steps.iter().map(|step| step.edge.cost() + usize::from(step.annotation > 0)).sum()
    }
}

pub(super) fn rotated(steps: &[Step], at: usize) -> Vec<Step> {
    [&steps[at..], &steps[..at]].concat()
}

/// All cycles of that many edges that say something new, those with the fewest decorations first.
///
/// Left out are those that a shorter cycle makes redundant: what two communications in a row say one says (`rf; fr` is `co`), a fence next to
/// plain program order, a branch before more of its thread; and those whose order of writes no condition can ask for.
pub fn cycles(vocabulary: &Vocabulary, size: usize) -> Vec<Cycle> {
    let edges = vocabulary.edges();
    let mut search = Search { vocabulary, edges: &edges, size, steps: Vec::new(), found: Vec::new() };
    search.extend();
    let mut found = search.found;
    if size == 3 {
        found.extend(vocabulary.torn());
    }
    // Those about values read come before those about the order of writes, which are harder to see.
    let orders = |cycle: &Cycle| cycle.steps.iter().filter(|step| step.edge.com() == Some(Com::Co)).count();
    found.sort_by_cached_key(|cycle| (cycle.cost(), orders(cycle), cycle.clone()));
    found
}

struct Search<'s> {
    vocabulary: &'s Vocabulary,
    edges: &'s [Edge],
    size: usize,
    steps: Vec<Step>,
    found: Vec<Cycle>,
}

impl Search<'_> {
    fn extend(&mut self) {
        limits::poll();
        let (first, last) = (self.steps.first().copied(), self.steps.last().copied());
        if let (true, Some(first), Some(last)) = (self.steps.len() == self.size, first, last) {
            let closes = last.edge.ends().1 == first.edge.ends().0 && follows(last.edge, first.edge);
            if closes && least(&self.steps) && sensible(&self.steps) && self.atomics_fit() {
                self.found.push(Cycle { steps: self.steps.clone() });
            }
            return;
        }
        for &edge in self.edges {
            // The least rotation starts with a communication between threads.
            if first.is_none() && !edge.external() {
                break;
            }
            if last.is_some_and(|last| last.edge.ends().1 != edge.ends().0 || !follows(last.edge, edge)) {
                continue;
            }
            for annotation in self.vocabulary.annotations(edge.ends().0) {
                let step = Step { edge, annotation };
                if first.is_some_and(|first| step < first) {
                    continue;
                }
                self.steps.push(step);
                if possible(&self.steps) {
                    self.extend();
                }
                self.steps.pop();
            }
        }
    }

    /// Is there an instruction for each read and write that are one?
    fn atomics_fit(&self) -> bool {
        let next = |at: usize| &self.steps[(at + 1) % self.steps.len()];
        (0..self.steps.len()).filter(|at| self.steps[*at].edge.is_atomic()).all(|at| {
            let (read, write) = (self.steps[at].annotation, next(at).annotation);
            match self.steps[at].edge {
                Edge::LxSx => self.vocabulary.dialect.reserves(read, write),
                _ => self.vocabulary.dialect.atomic_order(read, write).is_some(),
            }
        })
    }
}

/// May the second edge come right after the first?
fn follows(first: Edge, second: Edge) -> bool {
    use Edge::{External, Internal, Po};
    match (first, second) {
        // rf; fr is co, co; co is co, fr; co is fr.
        (External(_) | Internal(_), External(com) | Internal(com)) => com == Com::Rf,
        (first, second) if first.is_atomic() && second.is_atomic() => false,
        // What a write of the own thread hands to the read of an atomic instruction, or gets from it, says nothing more.
        (Internal(_), atomic) if atomic.is_atomic() => false,
        (atomic, Internal(Com::Co)) if atomic.is_atomic() => false,
        (Po { how: first, same, .. }, Po { how: second, same: also, .. }) => {
            // What comes after an address is known waits for it; otherwise two such edges in a row are one, or two cycles.
            same || also || (first == How::Addr && second == How::Plain)
        }
        _ => true,
    }
}

/// Can this become a cycle with something to say?
fn possible(steps: &[Step]) -> bool {
    // A thread with a long way inside adds nothing that a shorter one does not have.
    let inside = || steps.iter().rev().take_while(|step| !step.edge.external());
    let stays = |step: &&Step| matches!(step.edge, Edge::Po { same: true, .. });
    inside().count() <= 3
        && inside().filter(|step| step.edge.moves()).count() <= 2
        && inside().filter(stays).count() <= 1
}

/// Is no rotation smaller?
fn least(steps: &[Step]) -> bool {
    (1..steps.len()).all(|at| steps <= rotated(steps, at).as_slice())
}

/// Is it about something, and can a condition ask for it?
fn sensible(steps: &[Step]) -> bool {
    let moves = steps.iter().filter(|step| step.edge.moves()).count();
    let threads = steps.iter().filter(|step| step.edge.external()).count();
    let same = |step: &&Step| matches!(step.edge, Edge::Po { same: true, .. });
    let stays = steps.iter().filter(same).count();
    match (moves, threads) {
        // On one location there is one place where the cycle goes against the order of the writes.
        (0, _) => stays == 1 && writes_are_told_apart(steps),
        (1, _) | (_, 1) => false,
        // A thread that comes back to a location says what coherence says.
        _ if comes_back(steps, moves) => false,
        // Elsewhere two accesses of a thread to one location communicate, or both read.
        _ => {
            let plain = |step: &Step| {
                matches!(
                    step.edge,
                    Edge::Po { how: How::Plain, same: true, from: Dir::R, to: Dir::R }
                        | Edge::Po { same: false, .. }
                        | Edge::External(_)
                        | Edge::Internal(_)
                        | Edge::Rmw
                        | Edge::LxSx
                )
            };
            steps.iter().all(plain) && writes_are_told_apart(steps)
        }
    }
}

/// Is there a thread with all the changes of location, so that it ends where it began?
fn comes_back(steps: &[Step], moves: usize) -> bool {
    let from = steps.iter().position(|step| step.edge.external()).map_or(0, |at| at + 1);
    let mut own = 0;
    rotated(steps, from % steps.len()).iter().any(|step| {
        own += usize::from(step.edge.moves());
        let all = own == moves;
        if step.edge.external() {
            own = 0;
        }
        all
    })
}

/// Is the order of the writes to each location known from what is seen in the end? The last one is, and a thread's own are.
fn writes_are_told_apart(steps: &[Step]) -> bool {
    let n = steps.len();
    let start = super::layout::start(steps);
    // The threads that write a location, in the order of the writes.
    let mut writers: Vec<usize> = Vec::new();
    let mut thread = 0;
    for index in 0..n {
        let at = (start + index) % n;
        let before = steps[(at + n - 1) % n].edge;
        thread += usize::from(index > 0 && before.external());
        if index > 0 && before.moves() {
            writers.clear();
        }
        if steps[at].edge.ends().0 == Dir::W {
            writers.push(thread);
            let (_, earlier) = writers.split_last().unwrap_or((&0, &[]));
            if earlier.windows(2).any(|pair| pair[0] != pair[1]) {
                return false;
            }
        }
    }
    true
}
