//! One test's result as data for machines: what `json` and `jsonl` print. The schema is in `docs/schema/`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::diag::{Class, Diagnostic, Severity};
use crate::litmus::Lowered;
use crate::outcome::{Count, Counts, Outcome, StateStyle, Stats, bindings, format_state};
use crate::session::{self, Judgement, Report, UnitReport};
use crate::source::Sources;

use super::{Item, Witness};

/// The version of the schema: its major number changes when a field changes meaning or goes away.
pub const SCHEMA: &str = "litmus-results/1";

/// One test under one model.
#[derive(Serialize, Debug)]
pub struct Record<'a> {
    /// The file as typed.
    pub file: String,
    /// The test's name, empty if its header could not be read.
    pub name: String,
    /// Which part of the search this is (`--unit`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'a UnitReport>,
    /// The architecture.
    pub arch: Option<&'static str>,
    /// What was asked, and answered.
    #[serde(flatten)]
    pub answer: Answer,
    /// Final states, in the log's order: made one by one, as they are written.
    #[serde(serialize_with = "state_list")]
    pub states: &'a Report,
    /// Executions that come to the bound on loops, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncompleted: Option<Uncompleted>,
    /// Flags of the model, by name.
    pub flags: Vec<String>,
    /// How far the verdict can be trusted.
    pub qualifier: Qualifier,
    /// Why there is no execution at all.
    pub why_empty: Option<String>,
    /// The test's hashes.
    pub hash: Vec<String>,
    /// What was expected, where something was.
    pub expectation: Option<Expected>,
    /// Errors, warnings and notes.
    pub diagnostics: Vec<Message>,
    /// Seconds by phase.
    pub time: Time,
    /// Figures of the search.
    pub stats: Option<Figures>,
    /// Executions, where `--show` asks for some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<Vec<Witness>>,
}

/// What a model says of a test.
#[derive(Serialize, Debug)]
pub struct Answer {
    /// The model's name.
    pub model: Option<String>,
    /// Checks of the model that were left out.
    pub skipped_checks: Vec<String>,
    /// `answered`, `unsupported`, `limited` (a limit was hit before there was anything to tell) or `error`.
    pub status: &'static str,
    /// `Allowed`, `Forbidden` or `Required`.
    pub kind: Option<&'static str>,
    /// The condition as herd7 prints it.
    pub condition: Option<String>,
    /// `Ok`, `No` or `Undef`.
    pub verdict: Option<&'static str>,
    /// `Never`, `Sometimes` or `Always`.
    pub observation: Option<&'static str>,
    /// Executions that satisfy the proposition.
    pub positive: Option<Count>,
    /// Executions that do not.
    pub negative: Option<Count>,
}

impl Answer {
    fn new(report: &Report) -> Answer {
        let answer = report.answer.as_ref();
        let outcome = report.outcome();
        Answer {
            model: report.model_name.clone().or_else(|| report.model.clone()),
            skipped_checks: report.skipped_checks.clone(),
            status: super::status(report),
            kind: answer.map(|a| a.kind()),
            condition: answer.map(|a| a.test.condition_text.clone()),
            verdict: report.verdict().map(|v| v.word()),
            observation: answer.and_then(|a| a.observation()),
            positive: outcome.map(|o| o.positive.clone()),
            negative: outcome.map(|o| o.negative.clone()),
        }
    }
}

/// Executions that were cut off: they decide nothing.
#[derive(Serialize, Debug)]
pub struct Uncompleted {
    /// How many there are.
    pub executions: Count,
    /// What they show when they are cut off: lines as in a log.
    pub states: Vec<String>,
}

/// One final state.
#[derive(Serialize, Debug)]
pub struct State {
    /// The line of the log.
    pub line: String,
    /// Value by location.
    pub values: BTreeMap<String, String>,
    /// Executions that end in it.
    pub witnesses: Count,
    /// Does the condition's proposition hold in it?
    pub satisfies: bool,
}

/// How far a verdict can be trusted.
#[derive(Serialize, Debug)]
pub struct Qualifier {
    /// `complete`, `bounded`, `timeout`, …
    pub kind: &'static str,
    /// Is nothing missing?
    pub complete: bool,
    /// In words, where there is something to say.
    pub text: Option<String>,
    /// Loops cut at the unrolling bound.
    pub loops: Vec<Loop>,
}

/// A loop that was cut.
#[derive(Serialize, Debug)]
pub struct Loop {
    /// The thread.
    pub thread: usize,
    /// Its label.
    pub label: String,
    /// The line of the jump.
    pub line: usize,
}

/// An expectation and whether it was met.
#[derive(Serialize, Debug)]
pub struct Expected {
    /// Was it?
    pub met: bool,
    /// What was wrong.
    pub reason: Option<String>,
}

/// A diagnostic.
#[derive(Serialize, Debug)]
pub struct Message {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// `bad-input` or `unsupported`.
    pub class: &'static str,
    /// A stable slug.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// Places, the primary one first.
    pub places: Vec<Place>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// A place in a file.
#[derive(Serialize, Debug)]
pub struct Place {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is said about it.
    pub text: String,
}

/// Seconds by phase.
#[derive(Serialize, Debug)]
pub struct Time {
    pub parse: f64,
    pub model: f64,
    pub lower: f64,
    pub explore: f64,
    pub total: f64,
}

/// Figures of a search.
#[derive(Serialize, Debug)]
pub struct Figures {
    /// Closed unfoldings.
    pub worlds: u64,
    /// Partial graphs.
    pub graphs: u64,
    /// Branches refuted, by check.
    pub pruned: BTreeMap<String, u64>,
    /// Checks entailed.
    pub entailed: u64,
    /// Likewise, by check.
    pub entailed_by: BTreeMap<String, u64>,
    /// Alternatives ruled out untried, by check; counted with `--stats`.
    pub ruled_out: BTreeMap<String, u64>,
    /// Speculations.
    pub speculated: u64,
    /// Executions reported.
    pub executions: Count,
    /// Value conflicts.
    pub value_conflicts: u64,
    /// Candidates as herd7 counts them, where known.
    pub candidates: Option<u64>,
    /// Who gave the answer, if that was not the explorer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'static str>,
    /// Executions that a solver proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposals: Option<u64>,
}

impl<'a> Record<'a> {
    /// The record of a result.
    pub fn new(item: &Item<'a>) -> Record<'a> {
        let report = item.report;
        let answer = report.answer.as_ref();
        let outcome = report.outcome();
        let phases = report.phases;
        Record {
            file: report.file.clone(),
            name: report.name.clone(),
            unit: report.unit.as_ref(),
            arch: report.arch.map(|arch| arch.name()),
            answer: Answer::new(report),
            states: report,
            uncompleted: answer.and_then(|answer| uncompleted(&answer.test, answer.outcome.as_ref()?)),
            flags: outcome.map(|o| o.flags.iter().cloned().collect()).unwrap_or_default(),
            qualifier: Qualifier {
                kind: report.qualifier().word(),
                complete: report.qualifier() == session::Qualifier::Complete,
                text: report.remark(),
                loops: loops(report),
            },
            why_empty: outcome.and_then(|o| o.why_empty.as_ref()).map(ToString::to_string),
            hash: answer.map(|a| a.test.hashes.clone()).unwrap_or_default(),
            expectation: item.judgement.map(|judgement| Expected {
                met: *judgement == Judgement::Met,
                reason: judgement.reason().map(str::to_string),
            }),
            diagnostics: report.diagnostics.iter().map(|d| message(d, &report.sources)).collect(),
            time: Time {
                parse: phases.parse.as_secs_f64(),
                model: phases.model.as_secs_f64(),
                lower: phases.lower.as_secs_f64(),
                explore: phases.explore.as_secs_f64(),
                total: phases.total().as_secs_f64(),
            },
            stats: outcome.map(|o| figures(&o.stats, o.candidates)),
            executions: answer
                .filter(|_| report.shows)
                .map(|answer| report.executions.iter().map(|e| Witness::new(e, &answer.test)).collect()),
        }
    }
}

fn uncompleted(test: &Lowered, outcome: &Outcome) -> Option<Uncompleted> {
    let found = &outcome.uncompleted;
    let lines = found.states.listed(&test.program, usize::MAX);
    let states = || lines.map(|(values, _)| format_state(&values, test, &StateStyle::default())).collect();
    (found.executions > 0).then(|| Uncompleted { executions: found.executions.clone(), states: states() })
}

/// There may be half a million: never all at once.
fn state_list<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
    let Some((answer, outcome)) = report.answer.as_ref().zip(report.outcome()) else {
        return serializer.collect_seq(std::iter::empty::<State>());
    };
    let test = &answer.test;
    let style = StateStyle::default();
    serializer.collect_seq(outcome.states.listed(&test.program, usize::MAX).map(|(values, witnesses)| {
        let line = format_state(&values, test, &style);
        let satisfies = session::holds(test, &values);
        State { values: bindings(&values, test, &style), line, witnesses, satisfies }
    }))
}

fn loops(report: &Report) -> Vec<Loop> {
    let cuts = report.outcome().map(|o| o.cuts.as_slice()).unwrap_or_default();
    cuts.iter()
        .map(|cut| Loop {
            thread: cut.thread,
            label: cut.label.clone(),
            line: report.sources.line_column(cut.span).0,
        })
        .collect()
}

fn message(diagnostic: &Diagnostic, sources: &Sources) -> Message {
    Message {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        class: match diagnostic.class {
            Class::BadInput => "bad-input",
            Class::Unsupported => "unsupported",
            Class::Limit(_) => "limit",
        },
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        places: diagnostic
            .labels
            .iter()
            .map(|(span, text)| {
                let (line, column) = sources.line_column(*span);
                Place { file: sources.get(span.source).name.clone(), line, column, text: text.clone() }
            })
            .collect(),
        notes: diagnostic.notes.clone(),
    }
}

fn by_name(counts: &Counts) -> BTreeMap<String, u64> {
    counts.iter().map(|(cause, count)| (cause.to_string(), *count)).collect()
}

fn figures(stats: &Stats, candidates: Option<u64>) -> Figures {
    Figures {
        worlds: stats.worlds,
        graphs: stats.graphs,
        pruned: by_name(&stats.pruned),
        entailed: stats.entailed.values().sum(),
        entailed_by: by_name(&stats.entailed),
        ruled_out: by_name(&stats.ruled_out),
        speculated: stats.speculated,
        executions: stats.executions.clone(),
        value_conflicts: stats.value_conflicts,
        candidates,
        engine: (stats.proposals > 0).then_some("sat"),
        proposals: (stats.proposals > 0).then_some(stats.proposals),
    }
}
