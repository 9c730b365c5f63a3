//! Which parts of a model tests notice: a report, a marked listing, data.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::cat::mutate::Kind;
use crate::session::{Coverage, Noticed, Part};
use crate::source::Span;
use crate::variant::Variant;

use super::several;

fn percent((covered, all): (usize, usize)) -> String {
    if all == 0 { "100%".to_string() } else { format!("{:.0}%", 100.0 * covered as f64 / all as f64) }
}

/// A part's text, on one line.
fn words(coverage: &Coverage, span: Span) -> String {
    let text: Vec<&str> = coverage.sources.text(span).split_whitespace().collect();
    let text = text.join(" ");
    match text.char_indices().nth(70) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text,
    }
}

/// Where a part stands, and what is changed.
fn change(coverage: &Coverage, kind: Kind, span: Span) -> String {
    let (line, column) = coverage.sources.line_column(span);
    let file = &coverage.sources.get(span.source).name;
    format!("{file}:{line}:{column}: {}: {}", kind.words(), words(coverage, span))
}

/// More tests without an answer than these are counted.
const NAMED: usize = 8;

/// What no test notices, file by file, and how much is covered.
pub fn text(coverage: &Coverage, model: &str) -> String {
    let mut text = String::new();
    let kinds = [
        (Noticed::Not, "no outcome of these tests hangs on"),
        (Noticed::Absent, "none of these tests has what this is about"),
    ];
    for (noticed, heading) in kinds {
        let mut parts = coverage.parts.iter().filter(|part| part.noticed == noticed).peekable();
        if parts.peek().is_some() {
            let _ = writeln!(text, "{heading}:");
        }
        for part in parts {
            let _ = writeln!(text, "  {}", change(coverage, part.kind, part.span));
            if let Some(test) = &part.suggestion {
                let _ = writeln!(text, "      {} would notice", test.name);
            }
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
    let absent = coverage.absent();
    if absent > 0 {
        let present = all - absent;
        let _ = writeln!(
            text,
            "{absent} of the others are about what none of these tests has; of the {present} left that is {}",
            percent((covered, present))
        );
    }
    if let Some(size) = coverage.suggested {
        let open =
            coverage.parts.iter().filter(|part| !part.noticed.is_noticed() && part.suggestion.is_none());
        let open = several(open.count() as u64, "change");
        let _ = writeln!(text, "no generated test of up to {size} edges notices {open}");
    }
    text += &idle(coverage);
    if coverage.foreign > 0 {
        let _ = writeln!(
            text,
            "{} for other architectures passed over",
            several(coverage.foreign as u64, "test")
        );
    }
    if !coverage.unanswered.is_empty() {
        let names = names(coverage);
        let (named, more) = names.split_at(names.len().min(NAMED));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let _ = writeln!(text, "left out, without an answer: {}{more}", named.join(", "));
    }
    text
}

/// Changes that no test of this kind can notice, by what would bring them in.
fn idle(coverage: &Coverage) -> String {
    let mut by_variant: BTreeMap<&str, u64> = BTreeMap::new();
    let mut text = String::new();
    for idle in &coverage.idle {
        *by_variant.entry(idle.needs.map_or("", Variant::name)).or_default() += 1;
    }
    if let Some(never) = by_variant.remove("") {
        let _ = writeln!(text, "{never} more change nothing on this architecture");
    }
    if !by_variant.is_empty() {
        let counts: Vec<String> =
            by_variant.iter().map(|(variant, count)| format!("{count} for {variant}")).collect();
        let _ = writeln!(text, "more that only tests of a variant can notice: {}", counts.join(", "));
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
        *covered += usize::from(part.noticed.is_noticed());
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
    /// Those of the others that no test has anything of.
    absent: usize,
    unanswered: Vec<String>,
    parts: Vec<PartRecord>,
    /// What changes nothing for these tests.
    idle: Vec<IdleRecord>,
}

#[derive(Serialize, Debug)]
struct IdleRecord {
    file: String,
    line: usize,
    column: usize,
    change: &'static str,
    text: String,
    /// The variant that brings it in.
    variant: Option<&'static str>,
}

#[derive(Serialize, Debug)]
struct PartRecord {
    file: String,
    line: usize,
    column: usize,
    change: &'static str,
    text: String,
    noticed: bool,
    absent: bool,
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
            text: words(coverage, part.span),
            noticed: part.noticed.is_noticed(),
            absent: part.noticed == Noticed::Absent,
            by: match &part.noticed {
                Noticed::By(test) => Some(test.clone()),
                Noticed::ByModel | Noticed::Not | Noticed::Absent => None,
            },
            suggestion: part.suggestion.as_ref().map(|test| test.text.clone()),
        }
    });
    let idle = coverage.idle.iter().map(|idle| {
        let (line, column) = coverage.sources.line_column(idle.span);
        IdleRecord {
            file: coverage.sources.get(idle.span.source).name.clone(),
            line,
            column,
            change: idle.kind.words(),
            text: words(coverage, idle.span),
            variant: idle.needs.map(Variant::name),
        }
    });
    CoverageRecord {
        model: model.to_string(),
        tests: coverage.tests,
        changes,
        noticed,
        absent: coverage.absent(),
        unanswered: names(coverage),
        parts: parts.collect(),
        idle: idle.collect(),
    }
}

/// Checks that no test needs, as the others imply them there.
pub fn unneeded(coverage: &Coverage) -> String {
    let idle = |part: &&Part| part.kind == Kind::Check && !part.noticed.is_noticed();
    let mut text = String::new();
    for part in coverage.parts.iter().filter(idle) {
        let (line, column) = coverage.sources.line_column(part.span);
        let file = &coverage.sources.get(part.span.source).name;
        let _ = writeln!(
            text,
            "{file}:{line}:{column}: on {} the other checks imply this one: {}",
            several(coverage.tests as u64, "test"),
            words(coverage, part.span)
        );
    }
    text
}

/// The names of tests without an answer.
fn names(coverage: &Coverage) -> Vec<String> {
    coverage.unanswered.iter().map(|report| report.title().to_string()).collect()
}
