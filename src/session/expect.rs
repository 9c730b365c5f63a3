//! What a test was expected to say.

use std::collections::{BTreeMap, BTreeSet};

use crate::outcome::{Log, LogTest, LogVerdict, State, Width};

use super::{Report, Verdict};

/// An expectation on one test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// The verdict of its condition.
    Verdict(&'static str),
    /// How often its proposition holds: `Never`, `Sometimes`, `Always`; `Allowed` is any but `Never`.
    Observation(&'static str),
    /// The verdict and the final states of a reference log.
    Log {
        /// Its verdict.
        verdict: LogVerdict,
        /// Its states.
        states: BTreeSet<State>,
    },
}

impl Expectation {
    /// From a word: `ok`, `no`, `undef`, `never`, `sometimes`, `always`, `allowed`, `forbidden`, `required` and herd7's
    /// kinds `Allow`, `Forbid`, `Require`.
    pub fn parse(word: &str) -> Option<Expectation> {
        Some(match word.to_ascii_lowercase().as_str() {
            "ok" => Expectation::Verdict("Ok"),
            "no" => Expectation::Verdict("No"),
            "undef" => Expectation::Verdict("Undef"),
            "never" | "forbid" | "forbidden" => Expectation::Observation("Never"),
            "sometimes" => Expectation::Observation("Sometimes"),
            "always" | "require" | "required" => Expectation::Observation("Always"),
            "allow" | "allowed" => Expectation::Observation("Allowed"),
            _ => return None,
        })
    }

    /// The words that [`Expectation::parse`] knows, for messages.
    pub const WORDS: &'static str = "ok, no, undef, never, sometimes, always, allowed, forbidden, required";

    /// `Some(what was wrong)` if the report does not meet the expectation. A test without an answer never does.
    pub fn violated_by(&self, report: &Report, states: &[String]) -> Option<String> {
        let Some((answer, verdict)) = report.answer.as_ref().zip(report.verdict()) else {
            return Some("there is no answer".to_string());
        };
        match self {
            Expectation::Verdict(wanted) => {
                let got = verdict.word();
                (got != *wanted).then(|| format!("expected the verdict {wanted}, got {got}"))
            }
            Expectation::Observation(wanted) => {
                let got = answer.observation().unwrap_or("Never");
                let met = if *wanted == "Allowed" { got != "Never" } else { got == *wanted };
                (!met).then(|| format!("expected the observation {wanted}, got {got}"))
            }
            Expectation::Log { verdict: wanted, states: expected } => {
                let got = match verdict {
                    Verdict::Ok => LogVerdict::Ok,
                    Verdict::No => LogVerdict::No,
                    Verdict::Undef => LogVerdict::Unknown,
                };
                if got != *wanted {
                    return Some(format!("expected the log's verdict {}, got {}", wanted.word(), got.word()));
                }
                let mine: BTreeSet<State> =
                    states.iter().map(|line| State::parse(line, Width::Int32)).collect();
                let missing: Vec<_> = expected.difference(&mine).collect();
                let extra: Vec<_> = mine.difference(expected).collect();
                (!missing.is_empty() || !extra.is_empty()).then(|| {
                    format!(
                        "states differ from the log's: {} missing{}, {} not in the log{}",
                        missing.len(),
                        first(&missing),
                        extra.len(),
                        first(&extra)
                    )
                })
            }
        }
    }
}

fn first(states: &[&State]) -> String {
    states.first().map_or(String::new(), |state| format!(" (`{state}`)"))
}

/// Expectations of a whole run.
#[derive(Clone, Default, Debug)]
pub struct Expectations {
    /// On every test.
    pub all: Option<Expectation>,
    /// On tests by name; these win.
    pub by_name: BTreeMap<String, Expectation>,
    /// `forall` and `~exists` conditions must hold.
    pub strict: bool,
}

impl Expectations {
    /// What is wrong with a report, if anything is. Tests that stopped with an error are not judged here: they have a
    /// diagnostic of their own.
    pub fn violated_by(&self, report: &Report, states: &[String]) -> Option<String> {
        report.outcome()?;
        if let Some(expectation) = self.by_name.get(&report.name).or(self.all.as_ref()) {
            return expectation.violated_by(report, states);
        }
        let answer = report.answer.as_ref()?;
        let asserted = answer.kind() != "Allowed";
        (self.strict && asserted && answer.verdict() != Some(Verdict::Ok))
            .then(|| format!("its condition is violated: {}", answer.test.condition_text))
    }

    /// What a log says of each of its tests.
    pub fn of_log(log: &Log) -> Expectations {
        let expectation = |test: &LogTest| Expectation::Log {
            verdict: test.verdict,
            states: test.states.keys().cloned().collect(),
        };
        let by_name = log.tests.iter().map(|test| (test.name.clone(), expectation(test))).collect();
        Expectations { by_name, ..Expectations::default() }
    }

    /// Nothing is expected?
    pub fn is_empty(&self) -> bool {
        self.all.is_none() && self.by_name.is_empty() && !self.strict
    }
}
