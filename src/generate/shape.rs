//! The names of cycles: `MP`, `SB`, `IRIW` …, and what their threads are made of.

use super::cycle::{Cycle, Step, rotated};
use super::dialect::Dialect;
use super::edge::{Edge, How};
use super::layout::{Access, Layout};

/// The names that people know, by the first and last access of each thread. All threads with two ends go from one location to another.
const KNOWN: &[(&str, &[&str])] = &[
    ("MP", &["WW", "RR"]),
    ("SB", &["WR", "WR"]),
    ("LB", &["RW", "RW"]),
    ("S", &["WW", "RW"]),
    ("R", &["WW", "WR"]),
    ("2+2W", &["WW", "WW"]),
    ("WRC", &["W", "RW", "RR"]),
    ("WWC", &["W", "RW", "RW"]),
    ("RWC", &["W", "RR", "WR"]),
    ("WRW+WR", &["W", "RW", "WR"]),
    ("WRR+2W", &["W", "RR", "WW"]),
    ("WRW+2W", &["W", "RW", "WW"]),
    ("ISA2", &["WW", "RW", "RR"]),
    ("Z6.0", &["WW", "RW", "WR"]),
    ("Z6.1", &["WW", "WW", "RW"]),
    ("Z6.2", &["WW", "RW", "RW"]),
    ("Z6.3", &["WW", "WW", "RR"]),
    ("Z6.4", &["WW", "WR", "WR"]),
    ("Z6.5", &["WW", "WW", "WR"]),
    ("W+RWC", &["WW", "RR", "WR"]),
    ("3.SB", &["WR", "WR", "WR"]),
    ("3.LB", &["RW", "RW", "RW"]),
    ("3.2W", &["WW", "WW", "WW"]),
    ("IRIW", &["W", "RR", "W", "RR"]),
    ("IRRWIW", &["W", "RR", "W", "RW"]),
    ("IRWIW", &["W", "RW", "W", "RW"]),
];

/// Those on one location.
const COHERENCE: &[(&str, &[&str])] = &[
    ("CoRR", &["W", "RR"]),
    ("CoRW2", &["W", "RW"]),
    ("CoWW", &["WW"]),
    ("CoRW1", &["RW"]),
    ("CoWR", &["WR"]),
];

/// The shape of a cycle, and the step that its first thread starts with.
pub(super) fn name(cycle: &Cycle) -> (String, usize) {
    if cycle.steps.iter().any(|step| matches!(step.edge, Edge::Torn { .. })) {
        return ("Atom".to_string(), 0);
    }
    let n = cycle.steps.len();
    let starts: Vec<usize> = (0..n).filter(|at| cycle.steps[(at + n - 1) % n].edge.external()).collect();
    let of = |list: &[(&str, &[&str])], threads: &[String]| {
        let same = |(_, known): &&(&str, &[&str])| known.iter().eq(threads.iter());
        list.iter().find(same).map(|(name, _)| (*name).to_string())
    };
    let one_location = !cycle.steps.iter().any(|step| step.edge.moves());
    let list = if one_location { COHERENCE } else { KNOWN };
    let mut known: Vec<(Vec<Step>, String, usize)> = Vec::new();
    for &at in &starts {
        let steps = rotated(&cycle.steps, at);
        if let Some(name) = of(list, &threads(&steps, one_location)) {
            known.push((steps, name, at));
        }
    }
    if let Some((_, name, at)) = known.into_iter().min() {
        return (name, at);
    }
    // Threads that write first come first.
    let of_start = |at: usize| {
        let steps = rotated(&cycle.steps, at);
        (threads(&steps, one_location).join("+"), std::cmp::Reverse(steps), at)
    };
    let (name, _, at) = starts.into_iter().map(of_start).max().unwrap_or_default();
    (if one_location { format!("Co{name}") } else { name }, at)
}

/// The ends of each thread: `WR`; one that ends where it began has an `s`.
fn threads(steps: &[Step], one_location: bool) -> Vec<String> {
    let mut threads = Vec::new();
    let (mut first, mut moved) = (None, false);
    for step in steps {
        let (from, _) = step.edge.ends();
        let inside = first.is_some();
        let begin = *first.get_or_insert(from);
        if step.edge.external() {
            let mut name = begin.letter().to_string();
            if inside {
                name.push(from.letter());
                if !moved && !one_location {
                    name.push('s');
                }
            }
            threads.push(name);
            (first, moved) = (None, false);
        } else {
            moved |= step.edge.moves();
        }
    }
    threads
}

/// The name of a test: its shape, then what each thread has besides plain accesses in program order.
pub(super) fn test_name(layout: &Layout, dialect: Dialect) -> String {
    let word = |access: &Access| dialect.annotations(access.dir)[usize::from(access.annotation)];
    let bare = |access: &Access| {
        let plain = matches!(access.before, None | Some(Edge::Po { how: How::Plain, .. }));
        plain && access.annotation == 0
    };
    if dialect != Dialect::C && layout.threads.iter().flatten().all(bare) {
        return layout.shape.clone();
    }
    let alone = |thread: &&Vec<Access>| thread.len() == 1;
    let singles = layout.threads.iter().filter(alone).any(|thread| !word(&thread[0]).is_empty());
    let mut name = layout.shape.clone();
    for thread in &layout.threads {
        let mut parts: Vec<String> = Vec::new();
        for (at, access) in thread.iter().enumerate() {
            match access.before {
                None => {}
                Some(Edge::Internal(com)) => parts.push(format!("{com:?}i").to_lowercase()),
                Some(Edge::Rmw) => parts.push("rmw".to_string()),
                Some(Edge::LxSx) => parts.push(dialect.pair_name().to_string()),
                Some(Edge::Po { how: How::Plain, .. }) if dialect == Dialect::C => {}
                Some(Edge::Po { how: How::Plain, same: true, .. }) => parts.push("pos".to_string()),
                Some(Edge::Po { how, .. }) => parts.push(dialect.how_name(how)),
                Some(Edge::External(_) | Edge::Torn { .. }) => {}
            }
            // An access between two edges that say nothing of what it does says it itself.
            let silent = |edge: Option<Edge>| matches!(edge, Some(Edge::Po { how, .. }) if how != How::Data);
            if silent(access.before) && silent(thread.get(at + 1).and_then(|next| next.before)) {
                parts.push(access.dir.letter().to_string());
            }
            if !word(access).is_empty() {
                parts.push(word(access).to_string());
            }
        }
        if thread.len() == 1 && !singles {
            continue;
        }
        if parts.is_empty() {
            parts.push("P".to_string());
        }
        name += &format!("+{}", parts.join("-"));
    }
    name
}
