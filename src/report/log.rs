//! herd7's log.

use std::io::{self, Write};

use super::herd::{Style, write_block};
use super::{Format, Item};

/// herd7's log, a block a test; a test without an answer has none.
#[derive(Default, Debug)]
pub struct Log {
    options: LogOptions,
}

/// What herd7 lets its user change about the log.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// Integers in hexadecimal.
    pub hexa: bool,
    /// Brackets around globals in state lines.
    pub brackets: bool,
    /// A line with the number of candidates.
    pub candidates: bool,
    /// A flag that makes the verdict `Undef`.
    pub bad_flag: Option<String>,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions { hexa: false, brackets: true, candidates: false, bad_flag: None }
    }
}

impl Log {
    /// A log.
    pub fn new(options: LogOptions) -> Log {
        Log { options }
    }
}

impl Format for Log {
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        let Some((answer, outcome)) = item.report.answer.as_ref().zip(item.report.outcome()) else {
            return Ok(());
        };
        let style = Style {
            hexa: self.options.hexa,
            brackets: self.options.brackets,
            candidates: self.options.candidates,
            bad_flag: self.options.bad_flag.clone(),
            time: Some(item.report.phases.total()),
        };
        write_block(out, &answer.test, outcome, &style)
    }
}
