//! An explanation in words.

use std::fmt::Write;

use crate::explain::{Answer, Edge, Event, Explanation, Flagged, Link, Near, Place, Shape, Way, Witness};
use crate::report::several;
use crate::synth::{Change, Ended, Repairs, What};

/// The explanation as text.
pub fn text(explanation: &Explanation) -> String {
    let mut out = String::new();
    let Explanation { test, model, outcome, answer, flags, .. } = explanation;
    match answer {
        Answer::Forbidden { candidates, ways, incomplete } => {
            let _ = writeln!(out, "{test} under {model}: {outcome} cannot happen.");
            let ways_to = match candidates {
                1 => "There is one way to bring it about, and it is refused.".to_string(),
                n => {
                    let reasons = several(ways.len() as u64, "reason");
                    match incomplete {
                        true => format!("The first {n} ways to bring it about are refused, for {reasons}."),
                        false => {
                            format!("There are {n} ways to bring it about; each is refused, for {reasons}.")
                        }
                    }
                }
            };
            let _ = writeln!(out, "{ways_to}");
            for (index, way) in ways.iter().enumerate() {
                out.push('\n');
                tell_way(&mut out, way, index, ways.len());
            }
            if *incomplete {
                let _ = writeln!(out, "\nThere are more ways than were looked at.");
            }
        }
        Answer::Allowed { witness, near } => {
            let _ = writeln!(out, "{test} under {model}: {outcome} can happen, for example so:");
            tell_witness(&mut out, witness);
            for near in near {
                tell_near(&mut out, near);
            }
        }
        Answer::NoSource { missing } => {
            let _ = writeln!(out, "{test} under {model}: {outcome} cannot happen, whatever the model.");
            for line in missing {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    for flagged in flags {
        out.push('\n');
        tell_flag(&mut out, flagged);
    }
    out
}

fn tell_near(out: &mut String, near: &Near) {
    let name = near.check.name.as_deref().unwrap_or("a check without a name");
    let missing: Vec<String> = near.missing.iter().map(|(a, b)| format!("{a} before {b}")).collect();
    let place = near.check.place.as_ref().map(|place| format!(" ({})", spot(place))).unwrap_or_default();
    let lacking = near.lacking.as_ref().zip(near.missing.first());
    let _ = match lacking {
        Some((part, (a, b))) => {
            writeln!(out, "  `{name}`{place} would forbid it if `{part}` led from {a} to {b}.")
        }
        None => writeln!(out, "  `{name}`{place} would forbid it if it ordered {}.", missing.join(" and ")),
    };
}

fn tell_flag(out: &mut String, flagged: &Flagged) {
    let name = flagged.check.name.as_deref().unwrap_or("a check without a name");
    let place = flagged.check.place.as_ref().map(|place| format!(" ({})", spot(place))).unwrap_or_default();
    let said = flagged.check.place.as_ref().map(|place| place.text.as_str()).unwrap_or_default();
    let _ = writeln!(out, "Flag `{name}`{place}: {said}");
    for id in &flagged.accesses {
        tell_event(out, id, flagged.witness.events.iter().find(|event| event.id == *id));
    }
    if let Some(link) = flagged.links.first() {
        let names: Vec<&str> = link.names.iter().map(|named| named.name.as_str()).collect();
        if let Some(place) = &link.model {
            let _ = writeln!(out, "      {} [{}: {}]", names.join(" > "), spot(place), place.text);
        }
    }
    tell_reads(out, &flagged.witness.reads);
}

/// What refuses one execution, in words.
pub fn way(way: &Way) -> String {
    let mut out = String::new();
    tell_way(&mut out, way, 0, 1);
    out
}

fn tell_way(out: &mut String, way: &Way, index: usize, of: usize) {
    if of > 1 {
        let _ = writeln!(out, "Reason {} of {of}, {}:", index + 1, several(way.candidates, "way"));
    }
    tell_reads(out, &way.reads);
    for edge in &way.given {
        let _ = writeln!(out, "  where {} is before {} in {}", edge.from, edge.to, edge.relation);
    }
    let name = way.check.name.as_deref().unwrap_or("a check without a name");
    let place = way.check.place.as_ref().map(|place| format!(" ({})", spot(place))).unwrap_or_default();
    let said = way.check.place.as_ref().map(|place| place.text.as_str()).unwrap_or_default();
    let _ = match way.shape {
        Shape::Cycle => writeln!(out, "  `{name}` forbids cycles{place}: {said}\n  and here is one:"),
        Shape::Pair => writeln!(out, "  `{name}` forbids such a pair{place}: {said}"),
        Shape::Event => writeln!(out, "  `{name}` forbids such an event{place}: {said}"),
        Shape::Missing => writeln!(out, "  `{name}` wants something that is not there{place}: {said}"),
    };
    let event = |id: &str| way.events.iter().find(|event| event.id == id);
    let mut last = None;
    for link in &way.links {
        if last != Some(&link.from) {
            tell_event(out, &link.from, event(&link.from));
        }
        tell_link(out, link);
        tell_event(out, &link.to, event(&link.to));
        last = Some(&link.to);
    }
}

fn tell_event(out: &mut String, id: &str, event: Option<&Event>) {
    let Some(event) = event else {
        let _ = writeln!(out, "    {id}");
        return;
    };
    let thread = event.thread.map(|thread| format!("P{thread}")).unwrap_or_default();
    let place = match &event.place {
        Some(place) => format!("  {thread}, line {}: {}", place.line, place.text),
        None => "  initially".to_string(),
    };
    let _ = writeln!(out, "    {id}: {}{place}", event.action);
}

fn tell_link(out: &mut String, link: &Link) {
    let names: Vec<&str> = link.names.iter().map(|named| named.name.as_str()).collect();
    let name = if names.is_empty() { String::new() } else { format!("{}: ", names.join(" > ")) };
    match link.words.as_slice() {
        [one] => {
            let _ = writeln!(out, "      {name}{one}");
        }
        several => {
            if !names.is_empty() {
                let _ = writeln!(out, "      {}:", names.join(" > "));
            }
            for words in several {
                let _ = writeln!(out, "        {words}");
            }
        }
    }
    if let Some(place) = &link.model {
        let _ = writeln!(out, "          [{}: {}]", spot(place), place.text);
    }
}

fn tell_witness(out: &mut String, witness: &Witness) {
    for event in &witness.events {
        tell_event(out, &event.id, Some(event));
    }
    tell_reads(out, &witness.reads);
}

fn tell_reads(out: &mut String, reads: &[Edge]) {
    let told: Vec<String> =
        reads.iter().map(|edge| format!("{} reads from {}", edge.to, edge.from)).collect();
    if !told.is_empty() {
        let _ = writeln!(out, "  {}", told.join(", "));
    }
}

fn spot(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}

/// Repairs as text: what to change, and the changed test.
pub fn repairs(found: &Repairs) -> String {
    let mut out = String::new();
    let Some(best) = found.list.first() else {
        let more = if matches!(found.ended, Ended::Stopped { .. }) { " that was tried" } else { "" };
        let _ = writeln!(out, "No set of fences, stronger accesses or dependencies{more} forbids it.");
        return out;
    };
    let n = best.changes.len() as u64;
    let _ = writeln!(out, "{} would forbid it. The smallest repairs, cheapest first:", several(n, "change"));
    for repair in found.list.iter().take(SHOWN) {
        let told: Vec<String> = repair.changes.iter().map(change).collect();
        let _ = writeln!(out, "  {}", told.join(", and "));
    }
    if found.list.len() > SHOWN {
        let _ = writeln!(out, "  and {} more", found.list.len() - SHOWN);
    }
    let _ = writeln!(out, "\nThe first of them:\n\n{}", best.text.trim_end());
    out
}

/// How many repairs are listed.
const SHOWN: usize = 8;

/// A change in words.
fn change(change: &Change) -> String {
    let (thread, access) = (change.thread, change.access + 1);
    match &change.what {
        What::Insert { fence, after: true, .. } => format!("`{fence}` after access {access} of P{thread}"),
        What::Insert { fence, .. } => format!("`{fence}` before access {access} of P{thread}"),
        What::Replace { new, .. } => {
            format!("access {access} of P{thread} as `{}`", new.trim().replace('\n', "; "))
        }
        What::Depend { .. } => {
            format!("access {access} of P{thread} dependent on an earlier read (`{}`)", change.name)
        }
        What::Atomic { .. } => format!("access {access} of P{thread} atomic"),
    }
}
