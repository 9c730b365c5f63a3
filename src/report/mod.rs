//! Results as people and programs read them: one file per form.

pub(crate) mod coverage;
mod csv;
mod diff;
pub(crate) mod explain;
pub(crate) mod fence;
mod findings;
mod github;
pub(crate) mod graph;
pub(crate) mod herd;
pub(crate) mod html;
mod json;
mod junit;
mod log;
mod markup;
mod model;
pub(crate) mod port;
pub(crate) mod program;
mod record;
mod sarif;
pub(crate) mod separate;
mod soundness;
mod sqlite;
mod table;
pub(crate) mod trace;
mod witness;

pub use csv::{Csv, escape as csv_escape};
pub use diff::{DiffOptions, Side, Tally, write_diff};
pub use findings::{Finding, findings};
pub use github::Github;
pub use html::Html;
pub use json::{Json, JsonLines};
pub use junit::Junit;
pub use log::Log;
pub use markup::Markup;
pub use model::{list_models, show_model};
pub use record::{Record, SCHEMA};
pub use sarif::{Sarif, document as sarif_document};
pub use soundness::Soundness;
pub use sqlite::Sqlite;
pub use table::Table;
pub use witness::{Witness, WitnessEvent};

use std::io::{self, Write};

use crate::outcome::Count;
use crate::session::{Judgement, Qualifier, Report};

/// One result on its way out.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// What became of the test.
    pub report: &'a Report,
    /// What became of what was expected of it, if something was.
    pub judgement: Option<&'a Judgement>,
}

impl Item<'_> {
    /// What was wrong, if an expectation was not met for certain.
    pub fn failed(&self) -> Option<&str> {
        self.judgement.and_then(Judgement::reason)
    }
}

/// Counts over a whole run.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Summary {
    /// Tests looked at (a test under two models counts twice).
    pub tests: usize,
    /// With an answer.
    pub answered: usize,
    /// Refused as wrong.
    pub bad_input: usize,
    /// Passed over, as the model is for another architecture and others of the run are not.
    pub not_applicable: usize,
    /// Refused as not supported.
    pub unsupported: usize,
    /// Cut short by a limit.
    pub limited: usize,
    /// Complete up to the unrolling bound only.
    pub bounded: usize,
    /// That did not meet their expectation.
    pub failed: usize,
    /// Where the search did not go far enough to tell.
    pub undecided: usize,
    /// Wall-clock time of the run.
    pub seconds: f64,
}

/// What became of a test, in one word.
fn status(report: &Report) -> &'static str {
    match report.qualifier() {
        failed @ (Qualifier::Unsupported | Qualifier::Error) => failed.word(),
        _ if report.answer.is_none() => "limited",
        _ => "answered",
    }
}

impl Summary {
    /// Counts one more result.
    pub fn add(&mut self, item: &Item) {
        self.tests += 1;
        match item.report.qualifier() {
            Qualifier::Unsupported => self.unsupported += 1,
            Qualifier::Error => self.bad_input += 1,
            _ => self.answered += usize::from(item.report.answer.is_some()),
        }
        self.limited += usize::from(item.report.hit_limit());
        self.bounded += usize::from(item.report.qualifier() == Qualifier::Bounded);
        match item.judgement {
            Some(Judgement::Violated(_)) => self.failed += 1,
            Some(Judgement::Undecided(_)) => self.undecided += 1,
            Some(Judgement::Met) | None => {}
        }
    }
}

impl Summary {
    /// How the results came out, and how long it took.
    pub fn results(&self) -> String {
        let parts = [
            (self.answered, "answered"),
            (self.bounded, "bounded by --unroll"),
            (self.limited, "cut short by a limit"),
            (self.not_applicable, "not applicable"),
            (self.unsupported, "not supported"),
            (self.bad_input, "with errors"),
            (self.failed, "not as expected"),
            (self.undecided, "not known to be as expected"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
        format!("{} in {:.2} s", words.join(", "), self.seconds)
    }
}

/// So many of something: `1 test`, `2 tests`.
pub fn several(n: impl Into<Count>, noun: &str) -> String {
    let n = n.into();
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", several(self.tests as u64, "test"), self.results())
    }
}

/// A form of output: results are handed over one by one, in order.
pub trait Format {
    /// Before the first result.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// One result.
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()>;

    /// After the last one.
    fn end(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
