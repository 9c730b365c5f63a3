//! The terminal, or what stands in its place.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::diag::{self, Color, Severity};
use crate::report::several;
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
    /// How wide what people read on standard output may be; `None`: as wide as it is.
    pub width: Option<usize>,
}

/// The width of the terminal that standard output is, or what `COLUMNS` says of it.
fn width_of_output() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    said.or_else(|| seen().map(|(terminal_size::Width(width), _)| usize::from(width)))
        .filter(|width| *width > 0)
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
            width: width_of_output(),
        }
    }

    /// The diagnostics of a report, as text; warnings and notes are left out when quiet.
    pub fn diagnostics(&self, report: &Report) -> String {
        self.diagnostics_once(report, &mut Repeated::default())
    }

    /// Likewise; what is wrong with a model, and has been told before, is counted.
    pub fn diagnostics_once(&self, report: &Report, told: &mut Repeated) -> String {
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
            // Who names the test says something new each time.
            if diagnostic.message.contains(&report.file) {
                text += &rendered;
            } else if told.is_new(&rendered, &diagnostic.message, is_error) {
                text += &format!("{}: {rendered}", report.file);
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

/// Messages that were told for one test and hold for others as well.
#[derive(Default, Debug)]
pub struct Repeated {
    /// As told, with the message alone and how many more tests it holds for; `None`: a warning, which nobody counts.
    told: Vec<(String, String, Option<u64>)>,
}

impl Repeated {
    /// Is this said for the first time? If not, it is counted.
    fn is_new(&mut self, rendered: &str, message: &str, is_error: bool) -> bool {
        let before = self.told.iter_mut().find(|(told, ..)| told == rendered);
        match before {
            Some((_, _, Some(more))) => *more += 1,
            Some(_) => {}
            None => {
                self.told.push((rendered.to_string(), message.to_string(), is_error.then_some(0)));
                return true;
            }
        }
        false
    }

    /// What is left to say at the end: how often each was passed over.
    pub fn summary(&self) -> String {
        let again = self.told.iter().filter_map(|(_, message, more)| Some((message, (*more)?)));
        let line = |(message, more): (&String, u64)| {
            format!("the same in {}: {message}\n", several(more, "more test"))
        };
        again.filter(|(_, more)| *more > 0).map(line).collect()
    }
}

/// The flag that Ctrl-C sets, one for the process; the second Ctrl-C ends it.
pub fn interrupt_flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let install = || {
        let flag = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&flag);
        // Someone else in the process may have a handler: then that one serves.
        let _ = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
        flag
    };
    Arc::clone(FLAG.get_or_init(install))
}
