//! Parts of a thread that nothing may come between: `__VERIFIER_atomic_begin` to `__VERIFIER_atomic_end`.
//!
//! A section is one operation: sequentially consistent with respect to what is before and after it in its thread, and nobody sees a part of it. The engine
//! knows fences at both ends; an execution in which an event of another thread falls between two events of a section, by what the order of threads,
//! reads and coherence say, is none.

use super::check::sequential;
use super::facts::{Before, Facts, is_in};
use crate::grow::Execution;
use crate::program::threads::{SECTION_BEGIN, SECTION_END};

/// Each event, or the first one of its section; and is it in one?
fn names(facts: &Facts) -> (Vec<usize>, Vec<bool>) {
    let mut name: Vec<usize> = (0..facts.events.len()).collect();
    let mut inside = vec![false; facts.events.len()];
    for thread in &facts.threads {
        let mut first = None;
        for n in thread {
            let Some(event) = &facts.events[*n] else { continue };
            if is_in(event, SECTION_BEGIN) && first.is_none() {
                first = Some(*n);
            }
            if let Some(first) = first {
                name[*n] = first;
                inside[*n] = true;
            }
            if is_in(event, SECTION_END) {
                first = None;
            }
        }
    }
    (name, inside)
}

/// Steps that lead from a section out of it and back.
pub(super) fn cycle(execution: &dyn Execution) -> Vec<(usize, usize)> {
    let facts = Facts::new(execution);
    let (name, inside) = names(&facts);
    let mut out: Vec<Vec<(usize, usize)>> = vec![Vec::new(); name.len()];
    for (a, b) in sequential(&facts).into_iter().filter(|(a, b)| name[*a] != name[*b]) {
        out[name[a]].push((a, b));
    }
    let mut shortest: Option<Vec<(usize, usize)>> = None;
    for start in (0..name.len()).filter(|n| inside[*n] && name[*n] == *n) {
        let mut came: Vec<Option<(usize, usize)>> = vec![None; name.len()];
        let mut line = vec![start];
        let mut at = 0;
        while let Some(here) = line.get(at).copied().filter(|_| came[start].is_none()) {
            at += 1;
            for step in &out[here] {
                let to = name[step.1];
                if came[to].is_none() {
                    came[to] = Some(*step);
                    line.push(to);
                }
            }
        }
        let mut steps = Vec::new();
        let mut last = came[start];
        while let Some(step) = last {
            steps.push(step);
            last = if name[step.0] == start { None } else { came[name[step.0]] };
        }
        if !steps.is_empty() && shortest.as_ref().is_none_or(|known| steps.len() < known.len()) {
            shortest = Some(steps);
        }
    }
    shortest.unwrap_or_default()
}

/// From the end of each section to the begin of another that comes after it, as two events say: who is in one has all before it done, as if a lock were held.
/// Those in no section have no such order.
pub(super) fn order(facts: &Facts) -> Vec<(usize, usize)> {
    let (name, inside) = names(facts);
    if !inside.contains(&true) {
        return Vec::new();
    }
    let last = |first: usize| (0..name.len()).rev().find(|n| name[*n] == first).unwrap_or(first);
    let mut edges: Vec<(usize, usize)> = sequential(facts)
        .into_iter()
        .filter(|(a, b)| inside[*a] && inside[*b] && name[*a] != name[*b])
        .map(|(a, b)| (last(name[a]), name[b]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Can every section be one step?
pub(super) fn hold(execution: &dyn Execution) -> bool {
    let facts = Facts::new(execution);
    let (name, inside) = names(&facts);
    let broken = |edges: &[(usize, usize)]| -> Vec<usize> {
        let contracted: Vec<(usize, usize)> =
            edges.iter().map(|(a, b)| (name[*a], name[*b])).filter(|(a, b)| a != b).collect();
        let before = Before::closure(facts.events.len(), &contracted);
        (0..name.len()).filter(|n| inside[*n] && name[*n] == *n && before.has(*n, *n)).collect()
    };
    let edges = sequential(&facts);
    let all = broken(&edges);
    if all.is_empty() {
        return true;
    }
    if !broken(&firm(&facts, &inside, &edges)).is_empty() {
        return false;
    }
    // A cycle that is there without sections, too, is one that a weak model allows: it says nothing about them.
    let whole = Before::closure(facts.events.len(), &edges);
    all.iter().all(|first| (0..name.len()).any(|m| name[m] == *first && whole.has(m, m)))
}

/// The steps that no model undoes: all but those of a thread from one access outside of sections to the next, which may be out of order. Between a section and what its thread does
/// before and after there are full fences.
fn firm(facts: &Facts, inside: &[bool], edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let of = |n: usize| facts.events[n].as_ref().map(|event| (event.thread, event.instance));
    let is_firm = |(a, b): (usize, usize)| match (of(a), of(b)) {
        (Some(one), Some(other)) => inside[a] || inside[b] || one.0 != other.0 || one == other,
        _ => true,
    };
    let mut firm: Vec<(usize, usize)> = edges.iter().copied().filter(|edge| is_firm(*edge)).collect();
    for thread in &facts.threads {
        for (at, n) in thread.iter().enumerate().filter(|(_, n)| !inside[**n]) {
            let before = thread[..at].iter().rfind(|m| inside[**m]);
            let after = thread[at..].iter().find(|m| inside[**m]);
            firm.extend(before.map(|m| (*m, *n)));
            firm.extend(after.map(|m| (*n, *m)));
        }
    }
    firm
}
