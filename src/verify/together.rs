//! What several workers found, as one answer.

use super::run::{Answer, Violation};

impl Answer {
    /// Adds what another worker found. Each execution was shown to one of them.
    pub(super) fn join(&mut self, other: Answer) {
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.cut += other.cut;
        self.violating += other.violating;
        join_all(&mut self.violations, other.violations);
        join_all(&mut self.warnings, other.warnings);
        self.cuts.extend(other.cuts);
        self.cuts.sort_unstable();
        self.cuts.dedup();
        self.too_deep |= other.too_deep;
        self.gave_up |= other.gave_up;
        self.errors.extend(other.errors);
        // One error of a kind and place is enough, and workers meet the same ones.
        self.errors.dedup_by(|a, b| a.message == b.message);
        self.stopped = self.stopped.or(other.stopped);
    }
}

/// One of each property and place, in the order of the places: who found which first is chance.
fn join_all(all: &mut Vec<Violation>, others: Vec<Violation>) {
    let places = |v: &Violation| v.parts.iter().map(|part| part.span).collect::<Vec<_>>();
    for other in others {
        let same = |v: &&mut Violation| v.property == other.property && places(v) == places(&other);
        match all.iter_mut().find(same) {
            Some(known) => known.executions += other.executions,
            None => all.push(other),
        }
    }
    all.sort_by_cached_key(places);
}
