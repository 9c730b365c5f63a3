//! Grace periods of RCU, and of each structure of SRCU: what they put before what.
//!
//! A read-side critical section and a grace period of another thread do not lie inside each other: the section ends before the grace period does, or begins
//! after it began. Where a part of the section comes before the grace period, all of it does; where a part comes after it, likewise.

use super::facts::{Before, Facts, is_in};

/// What begins and ends sections, and the grace periods that wait for them; of SRCU, those of the same structure.
const KINDS: [(&str, &str, &str); 3] = [
    ("lkmm-rcu-lock", "lkmm-rcu-unlock", "lkmm-sync-rcu"),
    ("lkmm-srcu-lock-0", "lkmm-srcu-unlock-0", "lkmm-sync-srcu"),
    ("lkmm-srcu-lock-1", "lkmm-srcu-unlock-1", "lkmm-sync-srcu"),
];

/// The closure of an order, with what grace periods add to it.
pub(super) fn closure(facts: &Facts, mut edges: Vec<(usize, usize)>) -> Before {
    let mut pairs = Vec::new();
    for (lock, unlock, sync) in KINDS {
        let periods: Vec<_> = facts.all().filter(|(_, e)| is_in(e, sync)).map(|(n, e)| (n, e.cell)).collect();
        for (section, cell) in sections(facts, lock, unlock) {
            let same = periods.iter().filter(|(_, of)| *of == cell);
            pairs.extend(same.map(|(period, _)| (section.clone(), *period)));
        }
    }
    loop {
        let before = Before::closure(facts.events.len(), &edges);
        let known = edges.len();
        for (section, period) in &pairs {
            let (Some(first), Some(last)) = (section.first(), section.last()) else { continue };
            if section.iter().any(|e| before.has(*e, *period)) && !before.has(*last, *period) {
                edges.push((*last, *period));
            }
            if section.iter().any(|e| before.has(*period, *e)) && !before.has(*period, *first) {
                edges.push((*period, *first));
            }
        }
        if edges.len() == known {
            return before;
        }
    }
}

/// The events of each outermost section, from its beginning to its end or that of its thread, and the cell that it is about.
fn sections(facts: &Facts, lock: &str, unlock: &str) -> Vec<(Vec<usize>, Option<u16>)> {
    let mut all = Vec::new();
    for thread in &facts.threads {
        let mut open: Option<(Vec<usize>, Option<u16>)> = None;
        for n in thread {
            let Some(event) = &facts.events[*n] else { continue };
            if is_in(event, lock) && open.is_none() {
                open = Some((Vec::new(), event.cell));
            }
            open.iter_mut().for_each(|(section, _)| section.push(*n));
            if is_in(event, unlock) {
                all.extend(open.take());
            }
        }
        all.extend(open);
    }
    all
}
