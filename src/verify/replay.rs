//! An execution that is to be shown, looked at once more: by the rules of RC11 as its authors wrote them down, on the events alone. Nothing of the engine's
//! evaluation of the model is used.

use super::facts::{Before, Facts, is_in, reads, writes};
use crate::execution::EventKind;
use crate::grow::Event;

/// Larger executions take too long.
const MOST: usize = 400;

/// What is wrong with an execution under RC11, if something is.
pub(super) fn refuted(facts: &Facts) -> Option<&'static str> {
    if facts.events.len() > MOST {
        return None;
    }
    let places = Places::of(facts);
    for (n, event) in facts.all().filter(|(_, e)| reads(e) && e.thread.is_some()) {
        let source = event.source.and_then(|source| facts.events[source].as_ref());
        let Some(source) = source else { return Some("a read without a write") };
        // A cell that holds nothing yet is read as such.
        if source.cell != event.cell || source.written.is_some() && source.written != event.read {
            return Some("a read of what its write did not write");
        }
        let follows = places.at(n) == event.source.and_then(|s| places.at(s)).map(|at| at + 1);
        if event.kind == EventKind::Rmw && writes(event) && !follows {
            return Some("atomicity");
        }
    }
    let hb = Before::happens(facts);
    let n = facts.events.len();
    let pairs = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b);
    if pairs().any(|(a, b)| hb.has(a, b) && (hb.has(b, a) || places.eco(facts, b, a))) {
        return Some("coherence");
    }
    is_cyclic(facts, &hb, &places).then_some("SC")
}

/// The place of each write in the order of its cell.
struct Places(Vec<Option<usize>>);

impl Places {
    fn of(facts: &Facts) -> Places {
        let mut places = vec![None; facts.events.len()];
        for order in &facts.coherence {
            order.iter().enumerate().for_each(|(at, write)| places[*write] = Some(at));
        }
        Places(places)
    }

    fn at(&self, write: usize) -> Option<usize> {
        self.0[write]
    }

    /// Reads, coherence, and from a read to later writes: does one come before the other by any of them?
    fn eco(&self, facts: &Facts, a: usize, b: usize) -> bool {
        let (Some(one), Some(other)) = (&facts.events[a], &facts.events[b]) else { return false };
        if one.cell.is_none() || one.cell != other.cell || a == b {
            return false;
        }
        let seen = |n: usize, e: &Event| match writes(e) {
            true => (self.at(n), true),
            false => (e.source.and_then(|source| self.at(source)), false),
        };
        match (seen(a, one), seen(b, other)) {
            ((Some(x), _), (Some(y), _)) if x < y => true,
            // A write, and a read of it.
            ((Some(x), true), (Some(y), false)) => x == y,
            _ => false,
        }
    }

    /// Coherence, and from a read to later writes.
    fn mo_or_rb(&self, facts: &Facts, a: usize, b: usize) -> bool {
        facts.events[b].as_ref().is_some_and(writes) && self.eco(facts, a, b)
    }
}

/// Do sequentially consistent events make a cycle?
fn is_cyclic(facts: &Facts, hb: &Before, places: &Places) -> bool {
    let is_sc = |e: &Event| e.thread.is_some() && is_in(e, "SC");
    let sc: Vec<usize> = facts.all().filter(|(_, e)| is_sc(e)).map(|(n, _)| n).collect();
    if sc.len() < 2 {
        return false;
    }
    let n = facts.events.len();
    let event = |x: usize| facts.events[x].as_ref();
    let is_fence = |x: usize| event(x).is_some_and(|e| e.kind == EventKind::Fence);
    let cell = |x: usize| event(x).and_then(|e| e.cell);
    let same_cell = |a: usize, b: usize| cell(a).is_some() && cell(a) == cell(b);
    let thread = |x: usize| event(x).and_then(|e| e.thread);
    let sb = |a: usize, b: usize| thread(a).is_some() && thread(a) == thread(b) && hb.has(a, b);
    let other = |a: usize, b: usize| sb(a, b) && !same_cell(a, b);
    let eco = |a: usize, b: usize| places.eco(facts, a, b);
    let then_hb = rows(n, &other, &|a, b| hb.has(a, b));
    let around = rows(n, &|a, b| then_hb[a][b], &other);
    let scb = |a: usize, b: usize| {
        sb(a, b) || hb.has(a, b) && same_cell(a, b) || places.mo_or_rb(facts, a, b) || around[a][b]
    };
    let from = |a: usize, b: usize| a == b || is_fence(a) && hb.has(a, b);
    let to = |a: usize, b: usize| a == b || is_fence(b) && hb.has(a, b);
    let base = rows(n, &from, &scb);
    let after = rows(n, &|a, b| is_fence(a) && hb.has(a, b), &eco);
    let mut edges = Vec::new();
    for &a in &sc {
        for &b in &sc {
            let fences = is_fence(a) && is_fence(b);
            let by_fences = || hb.has(a, b) || (0..n).any(|y| after[a][y] && hb.has(y, b));
            if (0..n).any(|y| base[a][y] && to(y, b)) || fences && by_fences() {
                edges.push((a, b));
            }
        }
    }
    let before = Before::closure(n, &edges);
    sc.iter().any(|x| before.has(*x, *x) || edges.contains(&(*x, *x)))
}

/// One relation after another.
fn rows(
    n: usize,
    first: &dyn Fn(usize, usize) -> bool,
    second: &dyn Fn(usize, usize) -> bool,
) -> Vec<Vec<bool>> {
    (0..n)
        .map(|a| {
            let mut row = vec![false; n];
            for x in (0..n).filter(|x| first(a, *x)) {
                row.iter_mut().enumerate().for_each(|(b, there)| *there = *there || second(x, b));
            }
            row
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::refuted;
    use crate::execution::EventKind;
    use crate::grow::{Event, Execution};
    use crate::program::{IllegalOp, Reg, SetName, Value};
    use crate::verify::facts::Facts;

    /// Events in an order of their threads, and the writes of each cell.
    struct Fake(Vec<Fact>, Vec<Vec<usize>>, Vec<SetName>);

    /// Thread, kind, cell, value, and what is read from.
    type Fact = (Option<u16>, EventKind, u16, i128, Option<usize>);

    impl Execution for Fake {
        fn n_events(&self) -> usize {
            self.0.len()
        }

        fn event(&self, number: usize) -> Option<Event<'_>> {
            let (thread, kind, cell, value, source) = self.0[number];
            let value = Some(Value::Int(value));
            Some(Event {
                thread,
                instance: number as u32,
                code: 0,
                pc: 0,
                kind,
                cell: Some(cell),
                at: None,
                sets: &self.2,
                read: value.filter(|_| kind == EventKind::Read),
                written: value.filter(|_| kind != EventKind::Read),
                source,
                spawns: None,
                joins: None,
                frees: None,
            })
        }

        fn coherence(&self) -> Vec<Vec<usize>> {
            self.1.clone()
        }

        fn register(&self, _: usize, _: Reg) -> Result<Value, IllegalOp> {
            Ok(Value::ZERO)
        }

        fn is_before(&self, first: usize, second: usize) -> bool {
            let thread = |n: usize| self.0[n].0;
            first < second && (thread(first).is_none() || thread(first) == thread(second))
        }

        fn memory(&self, _: usize) -> Value {
            Value::ZERO
        }

        fn key(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn what_rc11_forbids_is_refuted() {
        use EventKind::{Init, Read, Write};
        let two = |sets: &[&str], r: (i128, usize), s: (i128, usize)| {
            let events = vec![
                (None, Init, 0, 0, None),
                (None, Init, 1, 0, None),
                (Some(0), Write, 0, 1, None),
                (Some(0), Read, 1, r.0, Some(r.1)),
                (Some(1), Write, 1, 1, None),
                (Some(1), Read, 0, s.0, Some(s.1)),
            ];
            let sets = sets.iter().map(|set| SetName::from(set.to_string())).collect();
            let fake = Fake(events, vec![vec![0, 2], vec![1, 4]], sets);
            refuted(&Facts::new(&fake))
        };
        assert_eq!(two(&["SC", "A"], (0, 1), (0, 0)), Some("SC"));
        assert_eq!(two(&["RLX", "A"], (0, 1), (0, 0)), None);
        assert_eq!(two(&["SC", "A"], (0, 1), (1, 2)), None);
        assert_eq!(two(&["SC", "A"], (1, 1), (1, 2)), Some("a read of what its write did not write"));
        // Two reads of one thread, the later one of the earlier write.
        let events = vec![
            (None, Init, 0, 0, None),
            (Some(0), Write, 0, 1, None),
            (Some(1), Read, 0, 1, Some(1)),
            (Some(1), Read, 0, 0, Some(0)),
        ];
        let fake = Fake(events, vec![vec![0, 1]], vec![SetName::from("A".to_string())]);
        assert_eq!(refuted(&Facts::new(&fake)), Some("coherence"));
    }
}
