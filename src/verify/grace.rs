//! Grace periods of RCU: what they put before what.
//!
//! A read-side critical section and a grace period of another thread do not lie inside each other: the section ends before the grace period does, or begins
//! after it began. Where a part of the section comes before the grace period, all of it does; where a part comes after it, likewise.

use super::facts::{Before, Facts, is_in};

/// The closure of an order, with what grace periods add to it.
pub(super) fn closure(facts: &Facts, mut edges: Vec<(usize, usize)>) -> Before {
    let sections = sections(facts);
    let periods: Vec<usize> =
        facts.all().filter(|(_, e)| is_in(e, "lkmm-sync-rcu")).map(|(period, _)| period).collect();
    loop {
        let before = Before::closure(facts.events.len(), &edges);
        let known = edges.len();
        for section in &sections {
            let (Some(first), Some(last)) = (section.first(), section.last()) else { continue };
            for period in &periods {
                if section.iter().any(|e| before.has(*e, *period)) && !before.has(*last, *period) {
                    edges.push((*last, *period));
                }
                if section.iter().any(|e| before.has(*period, *e)) && !before.has(*period, *first) {
                    edges.push((*period, *first));
                }
            }
        }
        if edges.len() == known {
            return before;
        }
    }
}

/// The events of each outermost section, from its beginning to its end or that of its thread.
fn sections(facts: &Facts) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for thread in &facts.threads {
        let mut open: Option<Vec<usize>> = None;
        for n in thread {
            let Some(event) = &facts.events[*n] else { continue };
            if is_in(event, "lkmm-rcu-lock") && open.is_none() {
                open = Some(Vec::new());
            }
            open.iter_mut().for_each(|section| section.push(*n));
            if is_in(event, "lkmm-rcu-unlock") {
                all.extend(open.take());
            }
        }
        all.extend(open);
    }
    all
}
