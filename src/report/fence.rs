//! Repairs as people, patches and programs read them.

use std::fmt::Write;

use serde::Serialize;

use super::several;
use crate::synth::{Change, Ended, Repair, Repairs, What};

/// A repaired program, and what was asked of it.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The file.
    pub file: &'a str,
    /// Its text as it was.
    pub text: &'a str,
    /// The property, in words.
    pub property: &'a str,
    /// What was found.
    pub found: &'a Repairs,
}

/// Repairs for programs.
#[derive(Serialize, Debug)]
pub struct FenceRecord<'a> {
    file: &'a str,
    property: &'a str,
    /// `holds`, `repaired`, `impossible`, `stopped`.
    answer: &'static str,
    optimal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    repairs: Vec<RepairRecord<'a>>,
    candidates: usize,
    runs: usize,
}

#[derive(Serialize, Debug)]
struct RepairRecord<'a> {
    cost: u64,
    changes: Vec<ChangeRecord<'a>>,
    patch: String,
}

#[derive(Serialize, Debug)]
struct ChangeRecord<'a> {
    name: &'static str,
    thread: usize,
    line: usize,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    without: Option<&'a str>,
}

impl<'a> FenceRecord<'a> {
    /// Of what was found.
    pub fn new(told: &Told<'a>) -> FenceRecord<'a> {
        let found = told.found;
        let (answer, at_least, why) = match &found.ended {
            Ended::Already => ("holds", None, None),
            Ended::Impossible(left) => ("impossible", None, Some(left.as_str())),
            Ended::Optimal => ("repaired", None, None),
            Ended::Stopped { why, at_least } => ("stopped", Some(*at_least), Some(why.as_str())),
        };
        let change = |repair: &'a Repair, number: usize, change: &'a Change| ChangeRecord {
            name: change.name,
            thread: change.thread,
            line: line(told.text, change),
            what: words(told.text, change),
            without: repair.without.get(number).map(String::as_str),
        };
        let repairs = found.list.iter().map(|repair| RepairRecord {
            cost: repair.cost,
            changes: repair.changes.iter().enumerate().map(|(n, c)| change(repair, n, c)).collect(),
            patch: patch(told.file, told.text, &repair.text),
        });
        FenceRecord {
            file: told.file,
            property: told.property,
            answer,
            optimal: found.ended == Ended::Optimal,
            at_least,
            why,
            repairs: repairs.collect(),
            candidates: found.candidates,
            runs: found.runs,
        }
    }
}

/// Repairs for people.
pub fn text(told: &Told) -> String {
    let mut out = String::new();
    let Repairs { ended, list, candidates, runs } = told.found;
    let tried =
        format!("{} to choose from, {}", several(*candidates as u64, "change"), several(*runs as u64, "run"));
    match ended {
        Ended::Already => {
            let _ = writeln!(out, "nothing is needed: {}", told.property);
            return out;
        }
        Ended::Impossible(left) => {
            let _ = writeln!(
                out,
                "no repair ({tried}): even with all of them it is not so that {}",
                told.property
            );
            indented(&mut out, left);
            return out;
        }
        Ended::Optimal => {
            let several_of = if list.len() > 1 { format!("{} optima, ", list.len()) } else { String::new() };
            let cost = list.first().map_or(0, |best| best.cost);
            let _ = writeln!(out, "{several_of}cost {cost}, optimal ({tried}): {}", told.property);
        }
        Ended::Stopped { why, at_least } => {
            let _ = writeln!(out, "{why} ({tried}): whatever makes it hold costs {at_least} at least");
            match list.first() {
                Some(known) => {
                    let _ = writeln!(out, "cost {}, perhaps not the least: {}", known.cost, told.property);
                }
                None => return out,
            }
        }
    }
    for (number, repair) in list.iter().enumerate() {
        if number > 0 {
            let _ = writeln!(out, "or");
        }
        for (at, change) in repair.changes.iter().enumerate() {
            let _ = writeln!(out, "  {}", words(told.text, change));
            if let Some(how) = repair.without.get(at).filter(|how| !how.is_empty()) {
                match how.contains('\n') {
                    true => {
                        let _ = writeln!(out, "    without it:");
                        indented(&mut out, how);
                    }
                    false => {
                        let _ = writeln!(out, "    without it: {how}");
                    }
                }
            }
        }
    }
    if let Some(best) = list.first()
        && best.text != told.text
    {
        let _ = write!(out, "\n{}", patch(told.file, told.text, &best.text));
    }
    out
}

/// The atomic writes of a repair, a line each, as `litmus ltl --atomic` reads them.
pub fn atomic(text: &str, repair: &Repair, cells: &[String]) -> String {
    let mut out = String::new();
    for change in &repair.changes {
        if let What::Atomic { cell, .. } = change.what {
            let cell = cell.and_then(|cell| cells.get(cell)).map_or("*", String::as_str);
            let _ = writeln!(out, "{cell} P{}:{}", change.thread, line(text, change));
        }
    }
    out
}

fn indented(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "    {line}");
    }
}

/// The difference between two texts, as `patch` reads it.
pub fn patch(file: &str, old: &str, new: &str) -> String {
    similar::TextDiff::from_lines(old, new).unified_diff().context_radius(2).header(file, file).to_string()
}

/// The line of a change.
fn line(text: &str, change: &Change) -> usize {
    let at = (change.span.start as usize).min(text.len());
    text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
}

/// A change in words.
fn words(text: &str, change: &Change) -> String {
    let own = text.get(change.span.start as usize..change.span.end as usize).unwrap_or("").trim();
    // Lines of a macro go on.
    let own = own.lines().next().unwrap_or("").trim_end_matches('\\').trim_end();
    let place = format!("P{}, line {}", change.thread, line(text, change));
    match &change.what {
        What::Insert { fence, after: true, .. } => format!("{place}: `{fence}` after `{own}`"),
        What::Insert { fence, slot, .. } => {
            // The statement that it goes before, of which the access is a part.
            let begins = !slot.behind && slot.at < change.span.start as usize;
            let line = text.get(slot.at..).filter(|_| begins).and_then(|rest| rest.lines().next());
            let own = line.map_or(own, |line| line.trim_end_matches('\\').trim());
            format!("{place}: `{fence}` before `{own}`")
        }
        What::Replace { new, at, .. } => {
            let (start, end) = (change.span.start as usize, change.span.end as usize);
            let before = text.get(start..at.start.max(start)).unwrap_or("");
            let after = text.get(at.end.min(end)..end).unwrap_or("");
            let new = format!("{before}{new}{after}");
            format!("{place}: `{own}` becomes `{}`", new.trim().replace('\n', "; "))
        }
        What::Depend { .. } => {
            let new = change.what.dependent(own).unwrap_or_default();
            format!("{place}: `{own}` becomes `{}`", new.replace('\n', "; "))
        }
        What::Atomic { .. } => format!("{place}: `{own}` atomic"),
    }
}
