//! Parts of a thread that nothing may come between: `__VERIFIER_atomic_begin` to `__VERIFIER_atomic_end`.
//!
//! A section is one operation: sequentially consistent with respect to what is before and after it in its thread, and nobody sees a part of it. The engine
//! knows fences at both ends; an execution in which an event of another thread falls between two events of a section, by what the order of threads,
//! reads and coherence say, is none.

use super::check::sequential;
use super::facts::{Before, Facts, is_in};
use crate::grow::Execution;
use crate::program::threads::{SECTION_BEGIN, SECTION_END};

/// Can every section be one step?
pub(super) fn hold(execution: &dyn Execution) -> bool {
    let facts = Facts::new(execution);
    // Each event, or the first one of its section.
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
    let edges = sequential(&facts);
    let contracted: Vec<(usize, usize)> =
        edges.iter().map(|(a, b)| (name[*a], name[*b])).filter(|(a, b)| a != b).collect();
    let before = Before::closure(facts.events.len(), &contracted);
    let broken: Vec<usize> =
        (0..name.len()).filter(|n| inside[*n] && name[*n] == *n && before.has(*n, *n)).collect();
    if broken.is_empty() {
        return true;
    }
    // A cycle that is there without sections, too, is one that a weak model allows: it says nothing about them.
    let whole = Before::closure(facts.events.len(), &edges);
    broken.iter().all(|first| (0..name.len()).any(|m| name[m] == *first && whole.has(m, m)))
}
