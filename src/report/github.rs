//! `github`: workflow commands that GitHub shows beside the lines of a change.

use std::io::{self, Write};

use super::findings::findings;
use super::{Format, Item, Summary, several};
use crate::diag::Severity;

/// One line for each finding, and one about the run.
#[derive(Default, Debug)]
pub struct Github;

impl Format for Github {
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        for finding in findings(item) {
            let level = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "notice",
            };
            let place = match finding.place {
                Some((line, column)) => format!(",line={line},col={column}"),
                None => String::new(),
            };
            writeln!(
                out,
                "::{level} file={}{place},title={}::{}",
                property(&finding.file),
                property(finding.rule),
                data(&finding.message)
            )?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let wrong = summary.failed + summary.bad_input + summary.unsupported + summary.limited;
        let tests = several(summary.tests as u64, "test");
        writeln!(out, "::notice title=litmus::{tests}, {} answered, {wrong} to look at", summary.answered)
    }
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command, which ends at a comma or a colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
