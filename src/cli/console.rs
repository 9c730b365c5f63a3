//! The terminal, or what stands in its place.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::diag::{self, Color};
use crate::outcome::Report;

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
            err_is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// The diagnostics of a report, as text; warnings and notes are left out when quiet.
    pub fn diagnostics(&self, report: &Report) -> String {
        let wanted = report.diagnostics.iter().filter(|d| !self.quiet || d.severity == diag::Severity::Error);
        let text = diag::render_all(wanted, &report.sources, self.color_err);
        // An error without a place must still say which test it is about.
        let placed = report.diagnostics.iter().all(|d| !d.labels.is_empty());
        if text.is_empty() || placed { text } else { format!("{}: {text}", report.file) }
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
