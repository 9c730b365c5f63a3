//! What became of one test under one model.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Details;
use crate::arch::ArchId;
use crate::condition::Quantifier;
use crate::diag::{Class, Diagnostic, Severity};
use crate::execution::{CutBy, Execution};
use crate::explore::{Portion, Subtree};
use crate::limits::Stopped;
use crate::litmus::Lowered;
use crate::outcome::{Completeness, Outcome};
use crate::source::{Sources, Span};

/// Time spent, by phase.
#[derive(Clone, Copy, Default, Debug)]
pub struct Phases {
    /// Reading and parsing the test.
    pub parse: Duration,
    /// Waiting for the model: loading it, the first time.
    pub model: Duration,
    /// Lowering the test.
    pub lower: Duration,
    /// Searching.
    pub explore: Duration,
}

impl Phases {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.parse + self.model + self.lower + self.explore
    }
}

/// A test that was understood, and its outcome if it was run.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The test.
    pub test: Lowered,
    /// What it can do. `None`: it was only checked.
    pub outcome: Option<Outcome>,
}

/// The one word that a log's verdict line ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The condition holds.
    Ok,
    /// It does not.
    No,
    /// An accepted execution has undefined behaviour.
    Undef,
}

impl Verdict {
    /// As a log says it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Ok => "Ok",
            Verdict::No => "No",
            Verdict::Undef => "Undef",
        }
    }
}

impl Answer {
    /// The verdict, if the test was run.
    pub fn verdict(&self) -> Option<Verdict> {
        let outcome = self.outcome.as_ref()?;
        Some(if outcome.undefined {
            Verdict::Undef
        } else if outcome.holds(&self.test.condition) {
            Verdict::Ok
        } else {
            Verdict::No
        })
    }

    /// herd7's word for the condition's shape.
    pub fn kind(&self) -> &'static str {
        match self.test.condition.quantifier {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::Forall => "Required",
        }
    }

    /// `Never`, `Sometimes` or `Always`.
    pub fn observation(&self) -> Option<&'static str> {
        Some(self.outcome.as_ref()?.observation(&self.test.condition).word())
    }
}

/// How far a verdict can be trusted, or why there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Qualifier {
    /// Everything was looked at.
    Complete,
    /// Everything up to the bound on loops.
    Bounded,
    /// Enough to decide the condition.
    Decided,
    /// The time limit was hit.
    TimedOut,
    /// `--max-executions` was hit.
    ExecutionLimit,
    /// The memory limit was hit.
    MemoryLimit,
    /// The user interrupted it.
    Interrupted,
    /// The test was read and not run.
    Checked,
    /// It uses what is not supported.
    Unsupported,
    /// It is wrong.
    Error,
}

impl Qualifier {
    /// As reports say it.
    pub fn word(self) -> &'static str {
        match self {
            Qualifier::Complete => "complete",
            Qualifier::Bounded => "bounded",
            Qualifier::Decided => "decided",
            Qualifier::TimedOut => "timeout",
            Qualifier::ExecutionLimit => "execution-limit",
            Qualifier::MemoryLimit => "memory-limit",
            Qualifier::Interrupted => "interrupted",
            Qualifier::Checked => "checked",
            Qualifier::Unsupported => "unsupported",
            Qualifier::Error => "error",
        }
    }

    /// Did a limit cut the search short?
    pub fn is_limit(self) -> bool {
        matches!(self, Qualifier::TimedOut | Qualifier::ExecutionLimit | Qualifier::MemoryLimit)
    }
}

/// What a part of a search is called.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct UnitId {
    /// Its number, from 1 on; `12.3` is the third part of the twelfth.
    pub number: String,
    /// Of how many.
    pub of: usize,
    /// How the search was cut: parts of different cuts do not go together.
    pub plan: String,
}

/// What became of a part of a search.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct UnitReport {
    /// Which.
    #[serde(flatten)]
    pub id: UnitId,
    /// In so many parts, which are called after it, is what it left to others.
    pub left: usize,
    /// What it left.
    #[serde(skip)]
    pub rest: Vec<Subtree>,
}

impl UnitReport {
    /// A unit that proves too big is cut into so many at most.
    const PARTS: usize = 8;

    /// Of a part that was done.
    pub fn new(id: UnitId, portion: Option<&Portion>) -> UnitReport {
        let rest = match portion {
            Some(Portion::Listed(listed)) => listed.rest(),
            _ => Vec::new(),
        };
        UnitReport { id, left: rest.len().min(UnitReport::PARTS), rest }
    }
}

/// What became of one test under one model.
#[derive(Clone, Debug)]
pub struct Report {
    /// The test's file as typed (`-` for standard input).
    pub file: String,
    /// The test's name, empty if its header could not be read.
    pub name: String,
    /// Its architecture, if it has one.
    pub arch: Option<ArchId>,
    /// The model asked for; `None`: the default one.
    pub model: Option<String>,
    /// The model used, by name.
    pub model_name: Option<String>,
    /// Checks of the model that were left out (`--skip-checks`).
    pub skipped_checks: Vec<String>,
    /// Is the model one for another architecture than the test's?
    pub other_arch: bool,
    /// Is it the model that could not be loaded (and every other test will fail likewise)?
    pub model_failed: bool,
    /// Which part of the search was done; none: all of it.
    pub unit: Option<UnitReport>,
    /// Where its condition stands.
    pub condition: Option<Span>,
    /// Where the variables of a C test are that was compiled: thread, variable, register.
    pub compiled: Vec<(usize, String, String)>,
    /// Files that the spans below point into.
    pub sources: Sources,
    /// Errors, warnings and notes, in the order found.
    pub diagnostics: Vec<Diagnostic>,
    /// What came out, unless there is an error among the diagnostics.
    pub answer: Option<Answer>,
    /// Were executions asked for?
    pub shows: bool,
    /// Those executions.
    pub executions: Vec<Execution>,
    /// What there is to see besides, where it was asked for.
    pub details: Option<Box<Details>>,
    /// Time spent.
    pub phases: Phases,
}

impl Report {
    /// Nothing known yet but what was asked for.
    pub fn new(file: String, model: Option<&str>) -> Report {
        Report {
            file,
            name: String::new(),
            arch: None,
            model: model.map(str::to_string),
            model_name: None,
            skipped_checks: Vec::new(),
            other_arch: false,
            compiled: Vec::new(),
            model_failed: false,
            unit: None,
            condition: None,
            sources: Sources::new(),
            diagnostics: Vec::new(),
            answer: None,
            shows: false,
            executions: Vec::new(),
            details: None,
            phases: Phases::default(),
        }
    }

    /// The name to show: the test's, or its file's.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.file } else { &self.name }
    }

    /// The error that stopped it, if one did.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error)
    }

    /// The outcome, if it was run.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.answer.as_ref()?.outcome.as_ref()
    }

    /// The verdict, if it was run.
    pub fn verdict(&self) -> Option<Verdict> {
        self.answer.as_ref()?.verdict()
    }

    /// How far the verdict can be trusted.
    pub fn qualifier(&self) -> Qualifier {
        match (&self.answer, self.error()) {
            (None, Some(error)) if error.class == Class::Unsupported => Qualifier::Unsupported,
            (None, Some(Diagnostic { class: Class::Limit(why), .. })) => match why {
                Stopped::Time => Qualifier::TimedOut,
                Stopped::Memory => Qualifier::MemoryLimit,
                Stopped::Interrupt => Qualifier::Interrupted,
            },
            (None, _) => Qualifier::Error,
            (Some(Answer { outcome: None, .. }), _) => Qualifier::Checked,
            (Some(Answer { outcome: Some(outcome), .. }), _) => match outcome.completeness {
                Completeness::Complete => Qualifier::Complete,
                Completeness::Bounded => Qualifier::Bounded,
                Completeness::TimedOut => Qualifier::TimedOut,
                Completeness::ExecutionLimit => Qualifier::ExecutionLimit,
                Completeness::MemoryLimit => Qualifier::MemoryLimit,
                Completeness::Interrupted => Qualifier::Interrupted,
                Completeness::Decided => Qualifier::Decided,
            },
        }
    }

    /// Did a limit (not a loop bound) cut the search short, or what came after it?
    pub fn hit_limit(&self) -> bool {
        let hit = |diagnostic: &Diagnostic| {
            matches!(diagnostic.class, Class::Limit(Stopped::Time | Stopped::Memory))
        };
        self.qualifier().is_limit() || self.diagnostics.iter().any(hit)
    }

    /// Is the answer less than was asked for: a limit was hit, or the run interrupted?
    pub fn is_cut_short(&self) -> bool {
        self.qualifier().is_limit() || self.qualifier() == Qualifier::Interrupted
    }

    /// Everything that a reader of the verdict should know besides it: what was cut short, what refused every execution, or what
    /// is wrong or not supported, and where.
    pub fn remark(&self) -> Option<String> {
        if let (None, Some(error)) = (&self.answer, self.error()) {
            let place = error.labels.first().map(|(span, _)| {
                let (line, _) = self.sources.line_column(*span);
                format!(" ({}:{line})", self.sources.get(span.source).name)
            });
            return Some(format!("{}{}", error.message, place.unwrap_or_default()));
        }
        let empty = self.outcome().and_then(|outcome| outcome.why_empty.as_ref());
        let empty = empty.map(|why| format!("no execution at all: {why}"));
        let parts: Vec<String> =
            [self.without_checks(), empty, self.caveat()].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Which checks of the model were left out, in words.
    pub fn without_checks(&self) -> Option<String> {
        let names: Vec<String> = self.skipped_checks.iter().map(|name| format!("`{name}`")).collect();
        let checks = if names.len() == 1 { "check" } else { "checks" };
        (!names.is_empty()).then(|| format!("without the {checks} {}", names.join(", ")))
    }

    /// The qualifier in a sentence, where there is something to say: what is certain, and what may be missing.
    pub fn caveat(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        let outcome = answer.outcome.as_ref()?;
        let seen = match (answer.test.condition.quantifier, outcome.positive > 0, outcome.negative > 0) {
            (Quantifier::Exists, true, _) => "the condition is certain to hold: a witness was found",
            (Quantifier::NotExists, true, _) => {
                "the condition is certain to fail: a counterexample was found"
            }
            (Quantifier::Forall, _, true) => "the condition is certain to fail: a counterexample was found",
            _ => "the verdict is not certain: what was not explored may change it",
        };
        let what = self.cut_short()?;
        Some(format!("{what}; outcomes may be missing, those shown are certain; {seen}"))
    }

    /// What kept the search from being complete, in words.
    pub fn cut_short(&self) -> Option<String> {
        let outcome = self.outcome()?;
        Some(match outcome.completeness {
            Completeness::Complete | Completeness::Decided => return None,
            Completeness::Bounded => {
                let mut loops: Vec<String> = Vec::new();
                for cut in &outcome.cuts {
                    let (line, _) = self.sources.line_column(cut.span);
                    let what = match cut.by {
                        CutBy::Rounds => {
                            format!("the loop at {} of P{} (line {line})", cut.label, cut.thread)
                        }
                        CutBy::Events => format!("P{} after {}", cut.thread, cut.label),
                    };
                    if !loops.contains(&what) {
                        loops.push(what);
                    }
                }
                let events = outcome.cuts.iter().any(|cut| cut.by == CutBy::Events);
                let option = if events { "--bound-events" } else { "--unroll" };
                format!("bounded: {} was cut off by {option}", loops.join(", "))
            }
            Completeness::TimedOut => "the time limit was reached".to_string(),
            Completeness::ExecutionLimit => "the limit on executions was reached".to_string(),
            Completeness::MemoryLimit => "the memory limit was reached".to_string(),
            Completeness::Interrupted => "interrupted".to_string(),
        })
    }
}
