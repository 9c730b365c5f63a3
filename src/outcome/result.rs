//! What a run found.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::condition::{Condition, Quantifier};
use crate::diag::Diagnostic;
use crate::execution::{Cut, Violation};

use super::{Count, Counts, States, WhyEmpty};

/// How far an answer can be trusted: outcomes seen stay seen, but some may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Completeness {
    /// Everything was explored.
    #[default]
    Complete,
    /// Loops were cut at the unrolling bound: see [`Outcome::cuts`].
    Bounded,
    /// The time limit was hit.
    TimedOut,
    /// `--max-executions` was hit.
    ExecutionLimit,
    /// The memory limit was hit.
    MemoryLimit,
    /// The user interrupted the run.
    Interrupted,
    /// The search stopped as soon as the condition was decided (mode *check*).
    Decided,
}

/// Figures of a search.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Stats {
    /// Closed unfoldings looked at.
    pub worlds: u64,
    /// Partial graphs built.
    pub graphs: u64,
    /// Branches refuted, by what refuted them.
    pub pruned: Counts,
    /// How often each check was found to hold in every completion, and was dropped.
    pub entailed: Counts,
    /// Alternatives that were never tried, by the check that rules them out (one may be ruled out by several). Counted
    /// only if asked for, see [`crate::explore::Options::attribute`].
    pub ruled_out: Counts,
    /// Paths taken on speculation: at a branch or an address that hangs on a value not known yet, one path goes on and
    /// each other alternative becomes one more. Every read is bound after all paths are known, so none is put off.
    pub speculated: u64,
    /// Executions that the solver proposed ([`crate::explore::Engine::Sat`]).
    pub proposals: u64,
    /// Clauses that it was given.
    pub clauses: u64,
    /// Executions reported.
    pub executions: Count,
    /// Reads given a write that came later ([`crate::explore::Engine::Grow`]).
    pub revisits: u64,
    /// Those of the executions that were found by closed worlds because they do not grow: with a cycle of program order and `rf`.
    pub residual: Count,
    /// Was it known, from the program and the model, that there are none of these, so that nobody looked?
    pub no_residual: bool,
    /// Those of the executions with such a cycle that grew with holes.
    pub with_holes: Count,
    /// Executions in which some thread waits for what never comes (likewise).
    pub blocked: u64,
    /// Candidates whose values contradict each other or justify only themselves.
    pub value_conflicts: u64,
    /// Time in the search.
    pub time: Duration,
}

/// The answer to "what can this test do under this model?".
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Final states (values of `Lowered::shown`, in that order) with the number of executions that end in each.
    /// In mode *states* the numbers are 1.
    pub states: States,
    /// Executions that satisfy the condition's proposition.
    pub positive: Count,
    /// Executions that do not.
    pub negative: Count,
    /// Flags raised by accepted executions (`*undef*` is not among them).
    pub flags: BTreeSet<String>,
    /// Did an accepted execution fail an `undefined_unless`?
    pub undefined: bool,
    /// Loops that were cut, each once.
    pub cuts: Vec<Cut>,
    /// Executions that come to the bound on loops, where they are asked for.
    pub uncompleted: Uncompleted,
    /// What accepted executions do wrong, each once.
    pub violations: BTreeSet<Violation>,
    /// Accepted plus explicitly rejected candidates (only the naive engine counts them as herd7 does).
    pub candidates: Option<u64>,
    /// Can more outcomes exist?
    pub completeness: Completeness,
    /// Were only executions looked for that decide the condition (mode *check*, herd7's `-speedcheck`)? Nothing is known then of
    /// how many there are of the other kind.
    pub only_deciding: bool,
    /// Why there is no execution at all, where that is so.
    pub why_empty: Option<WhyEmpty>,
    /// What is to be said about it besides.
    pub warnings: Vec<Diagnostic>,
    /// Figures.
    pub stats: Stats,
}

/// Executions that a bound on loops cut off: what they show is not final, and decides nothing.
#[derive(Clone, Default, Debug)]
pub struct Uncompleted {
    /// What they show when they are cut off.
    pub states: States,
    /// How many there are.
    pub executions: Count,
}

/// How often a proposition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    /// In no execution.
    Never,
    /// In some, or (where only executions that decide the condition were looked for) it is not known that in all or in none.
    Sometimes,
    /// In all.
    Always,
}

impl Observation {
    /// As a log says it.
    pub fn word(self) -> &'static str {
        match self {
            Observation::Never => "Never",
            Observation::Sometimes => "Sometimes",
            Observation::Always => "Always",
        }
    }
}

impl Outcome {
    /// How many executions there are.
    pub fn executions(&self) -> Count {
        &self.positive + &self.negative
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.positive.is_zero() && self.negative.is_zero()
    }

    /// How often the condition's proposition holds.
    pub fn observation(&self, condition: &Condition) -> Observation {
        match (self.positive.saturating_word(), self.negative.saturating_word()) {
            // What was left out would have been of the other kind.
            (_, 0) if self.only_deciding && condition.quantifier == Quantifier::Forall => Observation::Always,
            (1.., _) | (_, 1..) if self.only_deciding => Observation::Sometimes,
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
            _ => Observation::Sometimes,
        }
    }

    /// Was everything looked at that was to be looked at, or may there be more executions than were found?
    pub fn is_whole(&self) -> bool {
        matches!(self.completeness, Completeness::Complete | Completeness::Decided)
    }

    /// Is there an execution that satisfies the condition's proposition, and is there one that does not? `None`: not known.
    pub fn kinds_found(&self, condition: &Condition) -> (Option<bool>, Option<bool>) {
        let (positive, negative) = (self.positive > 0, self.negative > 0);
        let whole = self.is_whole();
        if !self.only_deciding {
            let decided = self.completeness == Completeness::Decided;
            let known = |found: bool| (found || (whole && !decided)).then_some(found);
            return (known(positive), known(negative));
        }
        let none = self.why_empty.is_some();
        // One kind was looked for. If there is none of it, all that there is is of the other.
        let other = |found: bool| if found || !whole { None } else { Some(!none) };
        match condition.quantifier {
            Quantifier::Forall => {
                ((positive).then_some(true).or(other(negative)), (negative || whole).then_some(negative))
            }
            _ => ((positive || whole).then_some(positive), negative.then_some(true).or(other(positive))),
        }
    }

    /// Does the condition hold?
    pub fn holds(&self, condition: &Condition) -> bool {
        match condition.quantifier {
            Quantifier::Exists => self.positive > 0,
            Quantifier::NotExists => self.positive.is_zero(),
            Quantifier::Forall => self.negative.is_zero(),
        }
    }
}
