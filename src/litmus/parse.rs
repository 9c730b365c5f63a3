//! Text → [`Test`]: cuts the file into regions and parses each.

use std::path::Path;

use crate::arch::ArchId;
use crate::condition::Quantifier;
use crate::diag::Diagnostic;
use crate::source::{SourceId, Sources, Span};

use super::ast::{Code, Final, Init, Loc, Prop, Region, Table, Test};
use super::header::{header, info_fields};
use super::scopes::{Extras, WORDS, extras};
use super::split::{Regions, SplitError, find_init, split};
use super::text::{Comments, skip_comment, skip_string};

/// Parses a registered file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(sources: &Sources, source: SourceId) -> Result<Test, Vec<Diagnostic>> {
    let file = sources.get(source);
    let stem = Path::new(&file.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or("test");
    parse_text(&file.text, source, stem)
}

fn parse_text(text: &str, source: SourceId, stem: &str) -> Result<Test, Vec<Diagnostic>> {
    let header = header(text, source, stem).map_err(|error| vec![error])?;
    let is_c = header.arch == ArchId::C;
    let regions =
        split(text, header.end, is_c).map_err(|error| vec![split_error(text, header.end, source, error)])?;
    let mut diags = Vec::new();
    let keep = |diags: &mut Vec<Diagnostic>, error: Box<Diagnostic>| diags.push(*error);

    let init =
        super::init::init(text, regions.init.start, regions.init.end, source).unwrap_or_else(|error| {
            keep(&mut diags, error);
            Vec::new()
        });
    check_duplicates(&init, &mut diags);
    let (code, extra_start) = code(text, &regions, header.arch, source, &mut diags);
    let extra = extras(text, extra_start, regions.program.end, source).unwrap_or_else(|error| {
        keep(&mut diags, error);
        Extras::default()
    });
    let fin = super::finals::fin(text, regions.fin.start, regions.fin.end, source).unwrap_or_else(|error| {
        keep(&mut diags, error);
        Final {
            locations: Vec::new(),
            filter: None,
            quantifier: Quantifier::Forall,
            prop: Prop::True,
            condition_span: None,
            filter_span: None,
        }
    });
    if let Code::Table(table) = &code {
        check_labels(table, &mut diags);
    }
    if !diags.is_empty() {
        return Err(diags);
    }
    let info_end = find_init(text, header.end).unwrap_or(text.len());
    Ok(Test {
        source,
        arch: header.arch,
        name: header.name,
        name_span: header.name_span,
        doc: header.doc,
        info: info_fields(text, header.end..info_end, source),
        init,
        code,
        scopes: extra.scopes,
        levels: extra.levels,
        regions: extra.regions,
        extras: trimmed(text, extra_start, regions.program.end, source),
        fin,
        own_prop: None,
    })
}

/// The place of bytes `from..to`, without the blanks around.
fn trimmed(text: &str, from: usize, to: usize, source: SourceId) -> Span {
    let part = &text[from..to];
    let start = to - part.trim_start().len();
    Span::new(source, start, start + part.trim().len())
}

fn split_error(text: &str, from: usize, source: SourceId, error: SplitError) -> Diagnostic {
    match error {
        SplitError::NoInit => {
            // The first line that is not empty after the header, or else the header's end.
            let rest = &text[from..];
            let start = from + rest.len() - rest.trim_start().len();
            let line = text[start..].split('\n').next().unwrap_or("").trim_end().len();
            let (start, line) = if line == 0 { (from, 0) } else { (start, line) };
            Diagnostic::error("litmus::no-init", "the test has no initial state")
                .at(Span::new(source, start, start + line), "expected `{ … }` before the program")
                .help("an empty initial state is written `{}`")
        }
        SplitError::UnclosedInit(open) => {
            Diagnostic::error("litmus::unclosed-init", "the initial state is never closed")
                .at(Span::new(source, open, open + 1), "no `}` for this")
        }
    }
}

/// The program, and where `scopes:` and the like start after it.
fn code(
    text: &str,
    regions: &Regions,
    arch: ArchId,
    source: SourceId,
    diags: &mut Vec<Diagnostic>,
) -> (Code, usize) {
    let (from, to) = (regions.program.start, regions.program.end);
    if arch != ArchId::C {
        let (table, end) = super::table::table(text, from, to, arch, source, diags);
        return (Code::Table(table), end);
    }
    let end = find_c_extras(text, from, to);
    if text[from..end].trim().is_empty() {
        diags.push(
            Diagnostic::error("litmus::no-program", "the test has no program")
                .at(Span::new(source, from, from), "expected `P0(…) { … }` after the initial state"),
        );
    }
    (Code::C(Region { text: text[from..end].to_string(), span: Span::new(source, from, end) }), end)
}

/// Where `regions:` or the like starts after the functions of a C program.
fn find_c_extras(text: &str, from: usize, to: usize) -> usize {
    let region = &text[..to];
    let (mut at, mut depth) = (from, 0usize);
    while at < to {
        if let Some(end) = skip_comment(region, at, Comments::C).or_else(|| skip_string(region, at)) {
            at = end;
            continue;
        }
        match text.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            byte if depth == 0 && byte.is_ascii_alphabetic() => {
                let rest = &region[at..];
                let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                if WORDS.contains(&&rest[..len]) && rest[len..].trim_start().starts_with(':') {
                    return at;
                }
                at += len;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    to
}

/// A location set twice.
fn check_duplicates(init: &[Init], diags: &mut Vec<Diagnostic>) {
    for (index, entry) in init.iter().enumerate() {
        if let Some(first) = init[..index].iter().find(|first| first.loc == entry.loc) {
            let name = match &entry.loc {
                Loc::Reg { thread, name } => format!("{thread}:{name}"),
                Loc::Symbolic(name) => format!("%{name}"),
                Loc::Global(name) | Loc::Special(name) => name.clone(),
                Loc::Cell(name, index) => format!("{name}[{index}]"),
            };
            diags.push(
                Diagnostic::error("litmus::set-twice", format!("`{name}` is initialized more than once"))
                    .at(entry.loc_span, "again here")
                    .at(first.loc_span, "first here"),
            );
        }
    }
}

/// A label that stands twice. Labels are global: a name is one place.
fn check_labels(table: &Table, diags: &mut Vec<Diagnostic>) {
    let mut seen: Vec<(&str, Span)> = Vec::new();
    for (name, span) in table.columns.iter().flat_map(|c| &c.cells).flat_map(|cell| &cell.labels) {
        if let Some((_, first)) = seen.iter().find(|(other, _)| other == name) {
            diags.push(
                Diagnostic::error("litmus::duplicate-label", format!("label `{name}` occurs more than once"))
                    .at(*span, "again here")
                    .at(*first, "first here"),
            );
        } else {
            seen.push((name, *span));
        }
    }
}
