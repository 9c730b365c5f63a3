//! herd7's log.

use std::io::{self, Write};

use super::{Format, Item, states};

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
        let _ = &self.options;
        let name = &answer.test.name;
        writeln!(out, "Test {name} {}", answer.kind())?;
        writeln!(out, "States {}", outcome.states.len())?;
        for line in states::lines(answer) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)
    }
}
