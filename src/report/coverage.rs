//! Which parts of a model tests notice: a report, a marked listing, data.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::cat::mutate::Kind;
use crate::session::{Coverage, Noticed, Part};

use super::several;

fn percent((covered, all): (usize, usize)) -> String {
    if all == 0 { "100%".to_string() } else { format!("{:.0}%", 100.0 * covered as f64 / all as f64) }
}

/// A part's text, on one line.
fn words(coverage: &Coverage, part: &Part) -> String {
    let text: Vec<&str> = coverage.sources.text(part.span).split_whitespace().collect();
    let text = text.join(" ");
    match text.char_indices().nth(70) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text,
    }
}

/// What no test notices, file by file, and how much is covered.
pub fn text(coverage: &Coverage, model: &str) -> String {
    let mut text = String::new();
    for part in coverage.parts.iter().filter(|part| part.noticed == Noticed::Not) {
        let (line, column) = coverage.sources.line_column(part.span);
        let file = &coverage.sources.get(part.span.source).name;
        let _ = writeln!(text, "{file}:{line}:{column}: {}: {}", part.kind.words(), words(coverage, part));
        if let Some(test) = &part.suggestion {
            let _ = writeln!(text, "    {} would notice", test.name);
        }
    }
    let (covered, all) = coverage.figures();
    let _ = writeln!(
        text,
        "{model}: {} notice {covered} of {} ({})",
        several(coverage.tests as u64, "test"),
        several(all as u64, "change"),
        percent((covered, all))
    );
    if coverage.idle > 0 {
        let _ = writeln!(text, "{} more change nothing on this architecture", coverage.idle);
    }
    if coverage.foreign > 0 {
        let _ = writeln!(
            text,
            "{} for other architectures passed over",
            several(coverage.foreign as u64, "test")
        );
    }
    if !coverage.unanswered.is_empty() {
        let _ = writeln!(text, "left out, without an answer: {}", names(coverage).join(", "));
    }
    text
}

/// The files of the model, each line with what is noticed of it: `+` all, `-` nothing, `~` some.
pub fn listing(coverage: &Coverage) -> String {
    let mut files: BTreeMap<u32, BTreeMap<usize, (usize, usize)>> = BTreeMap::new();
    for part in &coverage.parts {
        let (line, _) = coverage.sources.line_column(part.span);
        let lines = files.entry(part.span.source.0).or_default();
        let (covered, all) = lines.entry(line).or_default();
        *covered += usize::from(part.noticed != Noticed::Not);
        *all += 1;
    }
    let mut text = String::new();
    for (source, lines) in files {
        let source = coverage.sources.get(crate::source::SourceId(source));
        let _ = writeln!(text, "==== {}", source.name);
        for (number, line) in source.text.lines().enumerate() {
            let mark = match lines.get(&(number + 1)) {
                None => "     ".to_string(),
                Some((covered, all)) => {
                    let sign = if covered == all {
                        '+'
                    } else if *covered == 0 {
                        '-'
                    } else {
                        '~'
                    };
                    format!("{sign}{covered}/{all} ")
                }
            };
            let _ = writeln!(text, "{mark:6}| {line}");
        }
    }
    text
}

/// Everything, as data.
#[derive(Serialize, Debug)]
pub struct CoverageRecord {
    model: String,
    tests: usize,
    changes: usize,
    noticed: usize,
    unanswered: Vec<String>,
    parts: Vec<PartRecord>,
}

#[derive(Serialize, Debug)]
struct PartRecord {
    file: String,
    line: usize,
    column: usize,
    change: &'static str,
    text: String,
    noticed: bool,
    by: Option<String>,
    suggestion: Option<String>,
}

/// The record of a coverage.
pub fn record(coverage: &Coverage, model: &str) -> CoverageRecord {
    let (noticed, changes) = coverage.figures();
    let parts = coverage.parts.iter().map(|part| {
        let (line, column) = coverage.sources.line_column(part.span);
        PartRecord {
            file: coverage.sources.get(part.span.source).name.clone(),
            line,
            column,
            change: part.kind.words(),
            text: words(coverage, part),
            noticed: part.noticed != Noticed::Not,
            by: match &part.noticed {
                Noticed::By(test) => Some(test.clone()),
                Noticed::ByModel | Noticed::Not => None,
            },
            suggestion: part.suggestion.as_ref().map(|test| test.text.clone()),
        }
    });
    CoverageRecord {
        model: model.to_string(),
        tests: coverage.tests,
        changes,
        noticed,
        unanswered: names(coverage),
        parts: parts.collect(),
    }
}

/// Checks that no test needs, as the others imply them there.
pub fn unneeded(coverage: &Coverage) -> String {
    let idle = |part: &&Part| part.kind == Kind::Check && part.noticed == Noticed::Not;
    let mut text = String::new();
    for part in coverage.parts.iter().filter(idle) {
        let (line, column) = coverage.sources.line_column(part.span);
        let file = &coverage.sources.get(part.span.source).name;
        let _ = writeln!(
            text,
            "{file}:{line}:{column}: on {} the other checks imply this one: {}",
            several(coverage.tests as u64, "test"),
            words(coverage, part)
        );
    }
    text
}

/// The names of tests without an answer.
fn names(coverage: &Coverage) -> Vec<String> {
    coverage.unanswered.iter().map(|report| report.title().to_string()).collect()
}
