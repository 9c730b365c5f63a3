//! What CI systems show beside a line of a file: everything that is wrong with a test, with its place.

use super::Item;
use crate::diag::{Diagnostic, Severity};
use crate::session::Report;
use crate::source::Span;

/// Something that a reader of a test should see at a line of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable slug: a diagnostic's code, or one of our own.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
    /// The file.
    pub file: String,
    /// Line and column, from 1, where they are known.
    pub place: Option<(usize, usize)>,
}

/// An answer that is not the one expected.
pub const EXPECTATION: &str = "unexpected-answer";

/// A limit that left an answer incomplete.
pub const INCOMPLETE: &str = "incomplete-answer";

/// All that is to be said about a test: what is wrong with its text, and with its answer.
pub fn findings(item: &Item) -> Vec<Finding> {
    let report = item.report;
    let mut all: Vec<Finding> = report.diagnostics.iter().map(|d| of_diagnostic(d, report)).collect();
    let model = report.model_name.as_deref().or(report.model.as_deref()).unwrap_or("the default model");
    let title = report.title();
    let mut answer = |severity: Severity, rule: &'static str, message: String| {
        let (file, place) = match report.condition {
            Some(span) => at(report, span),
            None => (report.file.clone(), None),
        };
        all.push(Finding { severity, rule, message, file, place });
    };
    if let Some(reason) = item.failed() {
        answer(Severity::Error, EXPECTATION, format!("{title} under {model}: {reason}"));
    } else if let (true, Some(caveat)) = (report.hit_limit(), report.caveat()) {
        answer(Severity::Warning, INCOMPLETE, format!("{title} under {model}: {caveat}"));
    }
    all
}

fn of_diagnostic(diagnostic: &Diagnostic, report: &Report) -> Finding {
    let (file, place) = match diagnostic.labels.first() {
        Some((span, _)) => at(report, *span),
        None => (report.file.clone(), None),
    };
    let mut message = diagnostic.message.clone();
    for text in diagnostic.labels.first().map(|(_, text)| text).into_iter().chain(&diagnostic.notes) {
        if !text.is_empty() {
            message += "\n";
            message += text;
        }
    }
    Finding { severity: diagnostic.severity, rule: diagnostic.code, message, file, place }
}

fn at(report: &Report, span: Span) -> (String, Option<(usize, usize)>) {
    (report.sources.get(span.source).name.clone(), Some(report.sources.line_column(span)))
}
