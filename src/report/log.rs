//! herd7's log.

use std::io::{self, Write};

use super::herd::{Style, write_block};
use super::{Format, Item};

/// herd7's log, a block a test. A test without an answer has none, nor has one whose search was cut short: its figures would pass for
/// whole ones wherever the log goes.
#[derive(Default, Debug)]
pub struct Log {
    style: Style,
}

impl Log {
    /// A log of that style; each block gets its own time.
    pub fn new(style: Style) -> Log {
        Log { style }
    }
}

impl Format for Log {
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        let Some((answer, outcome)) = item.report.answer.as_ref().zip(item.report.outcome()) else {
            return Ok(());
        };
        if item.report.is_cut_short() {
            return Ok(());
        }
        self.style.time = Some(item.report.phases.total());
        write_block(out, &answer.test, outcome, &self.style)
    }
}
