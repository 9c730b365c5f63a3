//! What a test was expected to say.

use std::collections::{BTreeMap, BTreeSet};

use crate::condition::Quantifier;
use crate::outcome::{Log, LogTest, LogVerdict, Observation, Outcome, State, Width};

use super::{Answer, Report, Verdict};

/// An expectation on one test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// The verdict of its condition.
    Verdict(Verdict),
    /// How often its proposition holds.
    Observation(Observation),
    /// Its proposition holds in some execution.
    Allowed,
    /// The verdict and the final states of a reference log.
    Log {
        /// Its verdict.
        verdict: LogVerdict,
        /// Its states.
        states: BTreeSet<State>,
    },
}

/// What became of an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It is met, for certain.
    Met,
    /// The search did not go far enough to tell; why.
    Undecided(String),
    /// It is not met; what came instead.
    Violated(String),
}

impl Judgement {
    /// What is wrong, unless it is met.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Judgement::Met => None,
            Judgement::Undecided(reason) | Judgement::Violated(reason) => Some(reason),
        }
    }
}

impl Expectation {
    /// From a word: `ok`, `no`, `undef`, `never`, `sometimes`, `always`, `allowed`, `forbidden`, `required` and herd7's
    /// kinds `Allow`, `Forbid`, `Require`.
    pub fn parse(word: &str) -> Option<Expectation> {
        Some(match word.to_ascii_lowercase().as_str() {
            "ok" => Expectation::Verdict(Verdict::Ok),
            "no" => Expectation::Verdict(Verdict::No),
            "undef" => Expectation::Verdict(Verdict::Undef),
            "never" | "forbid" | "forbidden" => Expectation::Observation(Observation::Never),
            "sometimes" => Expectation::Observation(Observation::Sometimes),
            "always" | "require" | "required" => Expectation::Observation(Observation::Always),
            "allow" | "allowed" => Expectation::Allowed,
            _ => return None,
        })
    }

    /// The words that [`Expectation::parse`] knows, for messages.
    pub const WORDS: &'static str = "ok, no, undef, never, sometimes, always, allowed, forbidden, required";

    /// The expectation in words.
    fn wanted(&self) -> String {
        match self {
            Expectation::Verdict(verdict) => format!("the verdict {}", verdict.word()),
            Expectation::Observation(observation) => format!("the observation {}", observation.word()),
            Expectation::Allowed => "the observation Allowed".to_string(),
            Expectation::Log { verdict, .. } => format!("the log's verdict {}", verdict.word()),
        }
    }

    /// Is it met? A word is about every execution that there is: it is not met by a test that has none, and not decided by a
    /// search that was cut. A log is compared as it stands.
    fn judge(&self, report: &Report, answer: &Answer, outcome: &Outcome, states: &[String]) -> Judgement {
        if let Expectation::Log { verdict, states: expected } = self {
            return judge_by_log(*verdict, expected, answer, outcome, states);
        }
        let wanted = self.wanted();
        let undefined = *self == Expectation::Verdict(Verdict::Undef);
        if outcome.undefined {
            return match undefined {
                true => Judgement::Met,
                false => Judgement::Violated(format!("expected {wanted}, but its behaviour is undefined")),
            };
        }
        if let Some(violation) = outcome.violations.first() {
            let what = &violation.property;
            return Judgement::Violated(format!("expected {wanted}, but an execution goes wrong: {what}"));
        }
        if let Some(why) = &outcome.why_empty {
            return Judgement::Violated(format!(
                "expected {wanted}, but there is no execution at all: {why}"
            ));
        }
        let (positive, negative) = outcome.kinds_found(&answer.test.condition);
        let holds = match answer.test.condition.quantifier {
            Quantifier::Exists => positive,
            Quantifier::NotExists => not(positive),
            Quantifier::Forall => not(negative),
        };
        let met = match self {
            Expectation::Verdict(Verdict::Ok) => holds,
            Expectation::Verdict(Verdict::No) => not(holds),
            Expectation::Verdict(Verdict::Undef) | Expectation::Log { .. } => {
                outcome.is_whole().then_some(false)
            }
            Expectation::Observation(Observation::Never) => not(positive),
            Expectation::Observation(Observation::Always) => and(positive, not(negative)),
            Expectation::Observation(Observation::Sometimes) => and(positive, negative),
            Expectation::Allowed => positive,
        };
        let got = match self {
            Expectation::Verdict(_) => answer.verdict().map_or("nothing", Verdict::word),
            _ => outcome.observation(&answer.test.condition).word(),
        };
        match met {
            Some(true) => Judgement::Met,
            Some(false) => Judgement::Violated(format!("expected {wanted}, got {got}")),
            None => {
                let why = report.cut_short().unwrap_or_else(|| {
                    "--mode check looks only for executions that decide the condition".to_string()
                });
                Judgement::Undecided(format!("expected {wanted}, which is not certain: {why}"))
            }
        }
    }
}

fn judge_by_log(
    wanted: LogVerdict,
    expected: &BTreeSet<State>,
    answer: &Answer,
    outcome: &Outcome,
    states: &[String],
) -> Judgement {
    let got = match answer.verdict() {
        Some(Verdict::Ok) => LogVerdict::Ok,
        Some(Verdict::No) => LogVerdict::No,
        Some(Verdict::Undef) | None => LogVerdict::Unknown,
    };
    if got != wanted {
        let reason = format!("expected the log's verdict {}, got {}", wanted.word(), got.word());
        return Judgement::Violated(reason);
    }
    // Mode check stops at the first state that decides.
    if outcome.only_deciding {
        return Judgement::Met;
    }
    let mine: BTreeSet<State> = states.iter().map(|line| State::parse(line, Width::Int32)).collect();
    let missing: Vec<_> = expected.difference(&mine).collect();
    let extra: Vec<_> = mine.difference(expected).collect();
    if missing.is_empty() && extra.is_empty() {
        return Judgement::Met;
    }
    Judgement::Violated(format!(
        "states differ from the log's: {} missing{}, {} not in the log{}",
        missing.len(),
        first(&missing),
        extra.len(),
        first(&extra)
    ))
}

fn first(states: &[&State]) -> String {
    states.first().map_or(String::new(), |state| format!(" (`{state}`)"))
}

/// Negation and conjunction where some truth values are not known.
fn not(a: Option<bool>) -> Option<bool> {
    a.map(|a| !a)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Expectations of a whole run.
#[derive(Clone, Default, Debug)]
pub struct Expectations {
    /// On every test.
    pub all: Option<Expectation>,
    /// On tests by name, and the file that says so: one that it does not name fails.
    pub by_name: Option<(String, BTreeMap<String, Expectation>)>,
    /// Every assertion must hold, and nothing may be flagged, undefined or empty.
    pub strict: bool,
}

impl Expectations {
    /// What becomes of the expectations on a test; `None`: there are none, or the test stopped with an error, which has a diagnostic of its own.
    pub fn judge(&self, report: &Report, states: &[String]) -> Option<Judgement> {
        let answer = report.answer.as_ref()?;
        let outcome = answer.outcome.as_ref()?;
        let expectation = match (&self.by_name, &self.all) {
            (Some((file, by_name)), _) => match by_name.get(&report.name) {
                Some(expectation) => Some(expectation),
                None => return Some(Judgement::Violated(format!("`{file}` says nothing of this test"))),
            },
            (None, all) => all.as_ref(),
        };
        let judged = expectation.map(|expectation| expectation.judge(report, answer, outcome, states));
        if !self.strict || matches!(judged, Some(Judgement::Violated(_) | Judgement::Undecided(_))) {
            return judged;
        }
        Some(strictly(answer, outcome, expectation))
    }

    /// Names in the file that are not among these.
    pub fn without(&self, names: &BTreeSet<String>) -> Vec<&str> {
        let named = self.by_name.iter().flat_map(|(_, by_name)| by_name.keys());
        named.map(String::as_str).filter(|name| !names.contains(*name)).collect()
    }

    /// What a log says of each of its tests.
    pub fn of_log(file: &str, log: &Log) -> Expectations {
        let expectation = |test: &LogTest| Expectation::Log {
            verdict: test.verdict,
            states: test.states.keys().cloned().collect(),
        };
        let by_name = log.tests.iter().map(|test| (test.name.clone(), expectation(test))).collect();
        Expectations { by_name: Some((file.to_string(), by_name)), ..Expectations::default() }
    }

    /// Nothing is expected?
    pub fn is_empty(&self) -> bool {
        self.all.is_none() && self.by_name.is_none() && !self.strict
    }
}

/// What `--strict` asks of a test, besides what is expected of it in particular.
fn strictly(answer: &Answer, outcome: &Outcome, expected: Option<&Expectation>) -> Judgement {
    let by_log = matches!(expected, Some(Expectation::Log { .. }));
    if let Some(why) = &outcome.why_empty
        && !by_log
    {
        return Judgement::Violated(format!("there is no execution at all: {why}"));
    }
    if outcome.undefined && !by_log && expected != Some(&Expectation::Verdict(Verdict::Undef)) {
        return Judgement::Violated("its behaviour is undefined".to_string());
    }
    if let Some(violation) = outcome.violations.first() {
        return Judgement::Violated(format!("an execution goes wrong: {}", violation.property));
    }
    let flags: Vec<&str> = outcome.flags.iter().map(String::as_str).collect();
    if !flags.is_empty() {
        return Judgement::Violated(format!("the model flags it: {}", flags.join(", ")));
    }
    let asserted = answer.test.condition.quantifier != Quantifier::Exists;
    if expected.is_none() && asserted && answer.verdict() != Some(Verdict::Ok) {
        let condition = &answer.test.condition_text;
        return Judgement::Violated(format!("its condition is violated: {condition}"));
    }
    Judgement::Met
}
