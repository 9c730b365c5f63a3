//! Diagnostics as text. Only this file and `clip` name codespan-reporting.

use std::ops::Range;

use codespan_reporting::diagnostic as codespan;
use codespan_reporting::term;

use super::clip::{Clipped, ClippedFiles};
use super::{Diagnostic, Severity};
use crate::source::Sources;

/// Colour or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// ANSI escape sequences.
    Always,
    /// Plain text.
    Never,
}

/// One diagnostic, with the lines it points at.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, color: Color) -> String {
    // Only the files pointed at are handed to codespan, so that long campaigns stay cheap.
    let mut ids = Vec::new();
    for (span, _) in &diagnostic.labels {
        if !ids.contains(&span.source) {
            ids.push(span.source);
        }
    }
    let mut files = ClippedFiles(Vec::new());
    let mut ranges = vec![(0, 0..0); diagnostic.labels.len()];
    for (id, source) in ids.iter().enumerate() {
        let here = diagnostic.labels.iter().enumerate().filter(|(_, (span, _))| span.source == *source);
        let (indices, spans): (Vec<usize>, Vec<Range<usize>>) =
            here.map(|(index, (span, _))| (index, span.start as usize..span.end as usize)).unzip();
        let source = sources.get(*source);
        let (file, places) = Clipped::new(source.name.clone(), &source.text, &spans);
        files.0.push(file);
        for (index, place) in indices.into_iter().zip(places) {
            ranges[index] = (id, place);
        }
    }
    let labels = diagnostic.labels.iter().enumerate().map(|(index, (_, text))| {
        let (id, range) = ranges[index].clone();
        let label = if index == 0 {
            codespan::Label::primary(id, range)
        } else {
            codespan::Label::secondary(id, range)
        };
        label.with_message(text)
    });
    let severity = match diagnostic.severity {
        Severity::Note => codespan::Severity::Note,
        Severity::Warning => codespan::Severity::Warning,
        Severity::Error => codespan::Severity::Error,
    };
    let shown = codespan::Diagnostic::new(severity)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_labels(labels.collect())
        .with_notes(diagnostic.notes.clone());
    let config = term::Config::default();
    let result = match color {
        Color::Never => term::emit_into_string(&config, &files, &shown),
        Color::Always => {
            let mut buffer = term::termcolor::Buffer::ansi();
            term::emit_to_write_style(&mut buffer, &config, &files, &shown)
                .map(|()| String::from_utf8_lossy(buffer.as_slice()).into_owned())
        }
    };
    result.unwrap_or_else(|_| format!("error[{}]: {}\n", diagnostic.code, diagnostic.message))
}

/// More than so many at once help nobody.
const MOST: usize = 100;

/// All of them, one after the other; of very many the first, errors before the rest, and how many there are.
pub fn render_all<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &Sources,
    color: Color,
) -> String {
    let mut all: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    let left_out = all.len().saturating_sub(MOST);
    if left_out > 0 {
        all.sort_by_key(|d| std::cmp::Reverse(d.severity));
        all.truncate(MOST);
    }
    let mut text: String = all.into_iter().map(|d| render(d, sources, color)).collect();
    if left_out > 0 {
        text.push_str(&format!("… and {left_out} more messages\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn at(text: &str, ranges: &[(usize, usize)]) -> String {
        let mut sources = Sources::new();
        let source = sources.add("model.cat", text);
        let mut d = Diagnostic::error("cat::x", "wrong");
        for (start, end) in ranges {
            d = d.at(Span::new(source, *start, *end), "here");
        }
        render(&d, &sources, Color::Never)
    }

    #[test]
    fn long_lines_are_cut_and_columns_stay() {
        let line = "0123456789".repeat(100_000);
        insta::assert_snapshot!(at(&line, &[(500_003, 500_007)]), @r"
        error[cat::x]: wrong
          ┌─ model.cat:1:500004
          │
        1 │ …3456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012…
          │                                                              ^^^^ here
        ");
        insta::assert_snapshot!(at(&line, &[(3, 7)]), @r"
        error[cat::x]: wrong
          ┌─ model.cat:1:4
          │
        1 │ 0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012…
          │    ^^^^ here
        ");
        insta::assert_snapshot!(at(&line, &[(999_990, 1_000_000)]), @r"
        error[cat::x]: wrong
          ┌─ model.cat:1:999991
          │
        1 │ …0123456789012345678901234567890123456789012345678901234567890123456789
          │                                                              ^^^^^^^^^^ here
        ");
        // Both ends of a place, and two places, in lines that are cut; the second of one line only if it is near.
        let lines = format!("short\n{line}\nshort\n{}\nend", "é".repeat(1_000));
        insta::assert_snapshot!(at(&lines, &[(1_000_011, 1_000_013), (600, 700), (0, 5)]), @r"
        error[cat::x]: wrong
          ┌─ model.cat:3:5
          │  
        1 │   short
          │   ----- here
        2 │   …4567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123…
          │                                                                ---------------------------------------------------------------------------------------------------- here
        3 │   short
          │ ╭─────^
        4 │ │ éééééééééééééééééééééééééééééééééééééééééééééééééé…
          │ ╰^ here
        ");
    }

    #[test]
    fn of_very_many_the_first() {
        let mut sources = Sources::new();
        let source = sources.add("model.cat", "x");
        let d = |_| Diagnostic::warning("cat::x", "wrong").at(Span::new(source, 0, 1), "here");
        let mut all: Vec<Diagnostic> = (0..1_000).map(d).collect();
        all.push(Diagnostic::error("cat::y", "worse"));
        let text = render_all(&all, &sources, Color::Never);
        assert!(text.starts_with("error[cat::y]"));
        assert!(text.ends_with("… and 901 more messages\n"), "{text}");
    }
}
