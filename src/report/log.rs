//! herd7's log.

use std::io::{self, Write};

use super::{Format, Item, states};

/// herd7's log, a block a test; a test without an answer has none.
#[derive(Default, Debug)]
pub struct Log {
    hexa: bool,
}

impl Log {
    /// A log, perhaps with integers in hexadecimal.
    pub fn new(hexa: bool) -> Log {
        Log { hexa }
    }
}

impl Format for Log {
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        let Some((answer, outcome)) = item.report.answer.as_ref().zip(item.report.outcome()) else {
            return Ok(());
        };
        let _ = self.hexa;
        let name = &answer.test.name;
        writeln!(out, "Test {name} {}", answer.kind())?;
        writeln!(out, "States {}", outcome.states.len())?;
        for line in states::lines(answer) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)
    }
}
