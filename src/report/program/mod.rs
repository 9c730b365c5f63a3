//! What became of programs: text, JSON, JUnit, SARIF.

mod json;
mod junit;
mod sarif;
mod text;
mod threads;
mod work;

pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use text::{Detail, text};
pub use threads::threads;
pub use work::work;

use crate::diag::Diagnostic;
use crate::program::Property;
use crate::source::{Sources, Span};
use crate::verify::{Answer, Verdict};

/// A program that was looked at.
#[derive(Debug)]
pub struct Checked {
    /// The file.
    pub file: String,
    /// The model, as asked for.
    pub model: String,
    /// What is known of it, if it could be run.
    pub answer: Option<Answer>,
    /// What is wrong with the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The file and its headers.
    pub sources: Sources,
    /// How long it took.
    pub seconds: f64,
}

impl Checked {
    /// The verdict in words.
    pub fn verdict(&self) -> String {
        match self.answer.as_ref().map(|answer| answer.verdict) {
            Some(Verdict::Safe) => "Safe".to_string(),
            Some(Verdict::SafeUpTo(n)) => format!("Safe up to {n}"),
            Some(Verdict::Unsafe) => "Unsafe".to_string(),
            Some(Verdict::Unknown) => "Unknown".to_string(),
            None => "Error".to_string(),
        }
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().chain(self.answer.iter().flat_map(|answer| &answer.errors))
    }
}

/// File, line and column of a place.
pub(super) fn place(span: Span, sources: &Sources) -> (String, usize, usize) {
    let (line, column) = sources.line_column(span);
    (sources.get(span.source).name.clone(), line, column)
}

/// A stable word for a property.
pub fn word(property: &Property) -> &'static str {
    match property {
        Property::Assertion(_) => "assertion",
        Property::Race => "data-race",
        Property::Null => "null-pointer",
        Property::OutOfBounds => "out-of-bounds",
        Property::UseAfterFree => "use-after-free",
        Property::DoubleFree => "double-free",
        Property::Uninitialised => "uninitialised",
        Property::Leak => "leak",
        Property::Lock(_) => "lock",
        Property::Deadlock => "deadlock",
        Property::Liveness => "liveness",
        Property::Livelock => "livelock",
        Property::Thread => "thread",
        Property::Arithmetic(_) => "arithmetic",
        Property::BeforeLife => "before-life",
        Property::Overflow => "signed-overflow",
        Property::Shift => "shift",
    }
}
