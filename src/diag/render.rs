//! Diagnostics as text. The only file that names codespan-reporting.

use codespan_reporting::diagnostic as codespan;
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;

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
    let mut files = SimpleFiles::new();
    let mut ids = Vec::new();
    for (span, _) in &diagnostic.labels {
        if !ids.iter().any(|(source, _)| *source == span.source) {
            let source = sources.get(span.source);
            let id = files.add(source.name.clone(), source.text.to_string());
            ids.push((span.source, id));
        }
    }
    let labels = diagnostic.labels.iter().enumerate().map(|(index, (span, text))| {
        let id = ids.iter().find(|(source, _)| *source == span.source).map_or(0, |(_, id)| *id);
        let range = span.start as usize..span.end as usize;
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

/// All of them, one after the other.
pub fn render_all<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &Sources,
    color: Color,
) -> String {
    diagnostics.into_iter().map(|d| render(d, sources, color)).collect()
}
