//! What the page knows: a row of each test for the table, and everything about a test for whoever opens it.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde::Serialize;

use crate::execution::Execution;
use crate::explain::{Explanation, Place, Way};
use crate::litmus::Lowered;
use crate::outcome::{Count, StateStyle, bindings, format_state};
use crate::program::Value;
use crate::report::graph::{Graph, Picture, Style};
use crate::report::record::{Answer, Expected, Message, Qualifier, Record};
use crate::report::{Item, explain};
use crate::session::{Details, Refused, Report, holds};

/// The version of the data: its number changes when a field changes meaning or goes away.
pub const SCHEMA: &str = "litmus-page/1";

/// Outcomes of a result that a page lists.
const STATES: usize = 500;

/// A row of the table.
#[derive(Serialize, Debug)]
pub struct Row {
    pub name: String,
    pub file: String,
    pub arch: Option<&'static str>,
    /// One for each model.
    pub cells: Vec<Cell>,
    /// Do the models that have an answer have different ones?
    pub differs: bool,
}

/// A result in a few words.
#[derive(Serialize, Debug)]
pub struct Cell {
    pub status: &'static str,
    pub kind: Option<&'static str>,
    pub verdict: Option<&'static str>,
    pub observation: Option<&'static str>,
    pub states: usize,
    pub qualifier: &'static str,
    pub flags: Vec<String>,
    /// Was it as expected? None: nothing was.
    pub met: Option<bool>,
    /// Is the model for another architecture?
    pub other_arch: bool,
    /// Tells answers apart.
    #[serde(skip)]
    key: Option<u64>,
}

impl Cell {
    fn new(item: &Item) -> Cell {
        let report = item.report;
        let record = Record::new(item);
        let outcome = report.outcome();
        let key = report.answer.as_ref().zip(outcome).map(|(answer, outcome)| {
            let mut hasher = FxHasher::default();
            record.answer.verdict.hash(&mut hasher);
            for (values, _) in outcome.states.listed(&answer.test.program, usize::MAX) {
                values.hash(&mut hasher);
            }
            hasher.finish()
        });
        Cell {
            status: record.answer.status,
            kind: record.answer.kind,
            verdict: record.answer.verdict,
            observation: record.answer.observation,
            states: outcome.map_or(0, |outcome| outcome.states.len()),
            qualifier: record.qualifier.kind,
            flags: record.flags,
            met: record.expectation.map(|expected| expected.met),
            other_arch: report.other_arch,
            key,
        }
    }
}

impl Row {
    /// The row of a test, with no cell yet.
    pub fn new(report: &Report) -> Row {
        Row {
            name: report.title().to_string(),
            file: report.file.clone(),
            arch: report.arch.map(|arch| arch.name()),
            cells: Vec::new(),
            differs: false,
        }
    }

    /// Adds the cell of the next model.
    pub fn add(&mut self, item: &Item) {
        self.cells.push(Cell::new(item));
        let mut keys = self.cells.iter().filter_map(|cell| cell.key);
        let first = keys.next();
        self.differs = keys.any(|key| Some(key) != first);
    }
}

/// All about a test.
#[derive(Serialize, Debug)]
pub struct Test {
    /// Its text, where it could be read.
    pub text: Option<String>,
    /// One for each model.
    pub results: Vec<Result>,
}

/// All about a test under a model.
#[derive(Serialize, Debug)]
pub struct Result {
    #[serde(flatten)]
    pub answer: Answer,
    pub flags: Vec<String>,
    pub qualifier: Qualifier,
    pub why_empty: Option<String>,
    pub expectation: Option<Expected>,
    pub diagnostics: Vec<Message>,
    pub seconds: f64,
    /// Outcomes that the model allows, in the order of a log.
    pub states: Vec<State>,
    /// How many more there are.
    pub more_states: usize,
    /// Outcomes that it refuses.
    pub refused: Vec<Forbidden>,
    /// Are those all?
    pub all_refused: bool,
    /// Why the outcome of the condition can, or cannot, happen.
    pub why: Option<Why>,
    /// Where relations of the model are defined.
    pub definitions: BTreeMap<String, Place>,
    /// Was looking for executions given up?
    pub cut: bool,
    /// Were executions and reasons left out, because the page would be too large?
    pub trimmed: bool,
}

/// An outcome that can happen.
#[derive(Serialize, Debug)]
pub struct State {
    pub line: String,
    pub values: BTreeMap<String, String>,
    pub witnesses: Count,
    pub satisfies: bool,
    pub executions: Vec<Seen>,
}

/// An execution.
#[derive(Serialize, PartialEq, Debug)]
pub struct Seen {
    pub flags: Vec<String>,
    pub picture: Picture,
}

/// An outcome that cannot happen.
#[derive(Serialize, Debug)]
pub struct Forbidden {
    pub line: String,
    pub values: BTreeMap<String, String>,
    pub satisfies: bool,
    /// Does the explanation of the condition say why?
    pub as_condition: bool,
    /// Why.
    pub ways: Vec<Way>,
    /// A picture of each way.
    pub pictures: Vec<Picture>,
}

/// An explanation, with its pictures: one for each reason or for the witness, then one for each flag.
#[derive(Serialize, Debug)]
pub struct Why {
    #[serde(flatten)]
    pub explanation: Explanation,
    pub pictures: Vec<Picture>,
}

impl Why {
    /// An explanation and its pictures.
    pub fn new(explanation: &Explanation, test: &Lowered, report: &Report) -> Why {
        let graphs = explain::pictures(explanation, test, &Style::default());
        let pictures = graphs.iter().map(|graph| Picture::new(graph, &report.sources)).collect();
        Why { explanation: explanation.clone(), pictures }
    }
}

/// The text of the test that a report is about.
pub fn text(report: &Report) -> Option<String> {
    report.sources.own().next().map(|source| source.text.to_string())
}

impl Result {
    /// Everything that a report says.
    pub fn new(item: &Item, style: &Style) -> Result {
        let report = item.report;
        let record = Record::new(item);
        let none = Details::default();
        let details = report.details.as_deref().unwrap_or(&none);
        let test = report.answer.as_ref().map(|answer| &answer.test);
        let drawn = Drawn { report, style, model: record.answer.model.clone().unwrap_or_default() };
        let (states, more_states) = drawn.states(details);
        Result {
            answer: record.answer,
            flags: record.flags,
            qualifier: record.qualifier,
            why_empty: record.why_empty,
            expectation: record.expectation,
            diagnostics: record.diagnostics,
            seconds: record.time.total,
            states,
            more_states,
            refused: test.map(|test| drawn.refused(details, test)).unwrap_or_default(),
            all_refused: details.all_refused,
            why: details.question.as_ref().zip(test).map(|(why, test)| Why::new(why, test, report)),
            definitions: details.definitions.clone(),
            cut: details.cut,
            trimmed: false,
        }
    }

    /// Leaves out what takes room.
    pub fn trim(&mut self) {
        self.trimmed = true;
        for state in &mut self.states {
            state.executions.clear();
        }
        for refused in &mut self.refused {
            refused.ways.clear();
            refused.pictures.clear();
            refused.as_condition = false;
        }
        self.why = None;
    }
}

/// Draws what a report shows.
struct Drawn<'r> {
    report: &'r Report,
    style: &'r Style,
    model: String,
}

impl Drawn<'_> {
    fn states(&self, details: &Details) -> (Vec<State>, usize) {
        let Some((answer, outcome)) = self.report.answer.as_ref().zip(self.report.outcome()) else {
            return (Vec::new(), 0);
        };
        let test = &answer.test;
        let mut executions: BTreeMap<&[Value], Vec<&Execution>> = BTreeMap::new();
        for execution in &details.executions {
            executions.entry(&execution.state).or_default().push(execution);
        }
        let states = outcome.states.listed(&test.program, STATES).map(|(values, witnesses)| {
            let (line, bound) = named(&values, test);
            let mut seen: Vec<Seen> = Vec::new();
            for execution in executions.get(values.as_slice()).into_iter().flatten() {
                let graph = Graph::new(execution, test, &self.model, self.style);
                let picture = Picture::new(&graph, &self.report.sources);
                let new = Seen { flags: execution.flags.clone(), picture };
                // Executions that differ only in what is not drawn are one picture.
                if !seen.contains(&new) {
                    seen.push(new);
                }
            }
            State { line, values: bound, witnesses, satisfies: holds(test, &values), executions: seen }
        });
        let states: Vec<State> = states.collect();
        let more = outcome.states.len() - states.len();
        (states, more)
    }

    fn refused(&self, details: &Details, test: &Lowered) -> Vec<Forbidden> {
        let refused = details.refused.iter().map(|Refused { state, ways, as_condition }| {
            let (line, values) = named(state, test);
            let draw = |way: &Way| {
                let graph = Graph::refused(way, test, &self.model, self.style);
                Picture::new(&graph, &self.report.sources)
            };
            Forbidden {
                line,
                values,
                satisfies: holds(test, state),
                as_condition: *as_condition,
                pictures: ways.iter().map(draw).collect(),
                ways: ways.clone(),
            }
        });
        refused.collect()
    }
}

/// A state as a log shows it, and value by value.
fn named(values: &[Value], test: &Lowered) -> (String, BTreeMap<String, String>) {
    let style = StateStyle::default();
    (format_state(values, test, &style), bindings(values, test, &style))
}
