//! Diagnostics: what went wrong, where, and what would help.
//!
//! A [`Diagnostic`] is data; `render` turns it into text. Passes report into a [`Diagnostics`]
//! sink, whose [`Diagnostics::error`] is the only maker of a [`Reported`], so that no pass can
//! fail without having told the user.

mod clip;
mod nearest;
mod render;

pub use nearest::{is_slip, nearest};
pub use render::{Color, render, render_all};

use crate::limits::Stopped;
use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// The answer stands, but look here.
    Warning,
    /// No answer.
    Error,
}

/// What kind of failure an error is: it decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Class {
    /// The input is wrong.
    #[default]
    BadInput,
    /// The input may be fine, but we do not handle it (yet).
    Unsupported,
    /// It may be fine, but it takes more than it may.
    Limit(Stopped),
}

/// What would give an answer after all. Whoever can do that tries it before anybody is told of the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// To wait until the search has decided a value.
    DecidedInputs,
    /// Another engine: one that does not list all paths first, or one that does.
    OtherEngine,
    /// Memory cut into bytes.
    MixedSizes,
    /// The functions of the Linux kernel.
    KernelFunctions,
    /// A file that defines the name: a bell file, or one that includes this one.
    OtherFile,
    /// A command for files of another kind.
    OtherCommand,
}

/// One message with its places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Bad input or unsupported.
    pub class: Class,
    /// What would help, where something in reach might.
    pub remedy: Option<Remedy>,
    /// A stable slug, such as `cat::set-as-relation`.
    pub code: &'static str,
    /// The message itself, one line.
    pub message: String,
    /// Places, the first is the primary one.
    pub labels: Vec<(Span, String)>,
    /// Further remarks: `help: …` and `note: …` lines.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            class: Class::BadInput,
            remedy: None,
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// An error about something legal that this tool does not handle.
    pub fn unsupported(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { class: Class::Unsupported, ..Diagnostic::error(code, message) }
    }

    /// An error about ourselves: something holds that should never hold, whatever the input.
    pub fn internal(message: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::unsupported("internal::error", format!("internal error: {message}")).note(
            "this is a defect of litmus, not of its input; please report it with the test and the model",
        )
    }

    /// An error about something that takes too much.
    pub fn stopped(why: Stopped, doing: &str) -> Diagnostic {
        let (code, what) = match why {
            Stopped::Time => ("limit::time", "the time limit was reached"),
            Stopped::Memory => ("limit::memory", "the memory limit was reached"),
            Stopped::Interrupt => ("limit::interrupted", "interrupted"),
        };
        Diagnostic { class: Class::Limit(why), ..Diagnostic::error(code, format!("{what} {doing}")) }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// There may be an answer in another way.
    pub fn unless(self, remedy: Remedy) -> Diagnostic {
        Diagnostic { remedy: Some(remedy), ..self }
    }

    /// Adds a place; the first one added is the primary one.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }

    /// Without its places, for a reader who does not have the files they are in.
    pub fn without_places(self) -> Diagnostic {
        Diagnostic { labels: Vec::new(), ..self }
    }

    /// Adds a `help:` line.
    pub fn help(mut self, text: impl std::fmt::Display) -> Diagnostic {
        self.notes.push(format!("help: {text}"));
        self
    }

    /// Adds a `note:` line.
    pub fn note(mut self, text: impl std::fmt::Display) -> Diagnostic {
        self.notes.push(format!("note: {text}"));
        self
    }
}

/// Proof that an error reached the user; only [`Diagnostics::error`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported(());

/// The sink of a run's diagnostics.
#[derive(Clone, Default, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// An empty sink.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Records an error.
    pub fn error(&mut self, diagnostic: impl Into<Diagnostic>) -> Reported {
        self.list.push(diagnostic.into());
        Reported(())
    }

    /// Records a warning or a note.
    pub fn warn(&mut self, diagnostic: impl Into<Diagnostic>) {
        self.list.push(diagnostic.into());
    }

    /// Everything recorded, in order.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Is there an error among them?
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// Moves everything out.
    pub fn take(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.list)
    }
}
