//! The terminal, or what stands in its place.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::diag::{self, Color, Severity};
use crate::session::Report;

use super::args::When;

/// How to talk to the user.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// Colour on standard output?
    pub color_out: bool,
    /// Colour on standard error.
    pub color_err: Color,
    /// Say less.
    pub quiet: bool,
    /// Say more.
    pub verbose: u8,
    /// Is standard output a terminal?
    pub out_is_terminal: bool,
    /// Is standard error a terminal (progress bars go there)?
    pub err_is_terminal: bool,
}

/// Should standard output (or else standard error) be coloured?
pub fn color_wanted(when: When, out: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let terminal =
                if out { std::io::stdout().is_terminal() } else { std::io::stderr().is_terminal() };
            terminal
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && std::env::var_os("TERM").is_none_or(|value| value != "dumb")
        }
    }
}

impl Console {
    /// From the global options.
    pub fn new(when: When, quiet: bool, verbose: u8) -> Console {
        Console {
            color_out: color_wanted(when, true),
            color_err: if color_wanted(when, false) { Color::Always } else { Color::Never },
            quiet,
            verbose,
            out_is_terminal: std::io::stdout().is_terminal(),
            err_is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// The diagnostics of a report, as text; warnings and notes are left out when quiet.
    pub fn diagnostics(&self, report: &Report) -> String {
        self.diagnostics_once(report, &mut BTreeSet::new())
    }

    /// Likewise; what is wrong with a model, and has been told before, is said in a line.
    pub fn diagnostics_once(&self, report: &Report, told: &mut BTreeSet<String>) -> String {
        let mut text = String::new();
        for diagnostic in &report.diagnostics {
            if self.quiet && diagnostic.severity != Severity::Error {
                continue;
            }
            // Nothing points at the test: its file must be named all the same.
            let about_test = diagnostic.labels.iter().any(|(span, _)| report.sources.is_layered(span.source));
            if about_test {
                text += &diag::render(diagnostic, &report.sources, self.color_err);
                continue;
            }
            let rendered = diag::render(diagnostic, &report.sources, self.color_err);
            let is_error = diagnostic.severity == Severity::Error;
            let new = told.insert(rendered.clone());
            if diagnostic.message.contains(&report.file) {
                text += &rendered;
            } else if new || (is_error && diagnostic.labels.is_empty()) {
                text += &format!("{}: {rendered}", report.file);
            } else if is_error {
                text += &format!("{}: the same: {}\n", report.file, diagnostic.message);
            }
        }
        text
    }

    /// A remark that is left out when quiet.
    pub fn note(&self, err: &mut (dyn Write + Send), text: &str) {
        if !self.quiet {
            let _ = writeln!(err, "{text}");
        }
    }
}

/// A flag that Ctrl-C sets; the second Ctrl-C ends the process.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    // A second handler cannot be installed: then the first one serves (library use of `main`).
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    flag
}
