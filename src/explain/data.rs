//! An explanation as data: for text, JSON, pictures and pages.

use serde::Serialize;

use crate::execution::Execution;

/// The name of the schema of explanations.
pub const SCHEMA: &str = "litmus-explanation-1";

/// Why an outcome can, or cannot, happen.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The name of the schema that describes this.
    pub schema: &'static str,
    /// The test.
    pub test: String,
    /// The model.
    pub model: String,
    /// The outcome asked about, as a condition says it.
    pub outcome: String,
    /// What became of the question.
    #[serde(flatten)]
    pub answer: Answer,
    /// Flags that executions of the test raise, whatever their outcome, and undefined behaviour.
    pub flags: Vec<Flagged>,
}

/// A flag that is raised.
#[derive(Clone, Debug, Serialize)]
pub struct Flagged {
    /// The check.
    pub check: Check,
    /// How what it found looks.
    pub shape: Shape,
    /// The events concerned, by id.
    pub accesses: Vec<String>,
    /// Why.
    pub links: Vec<Link>,
    /// The execution.
    pub witness: Witness,
}

/// A check that an execution passes, and what it would take to fail it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Near {
    /// The check.
    pub check: Check,
    /// Pairs of events in program order, by id: were each ordered by the check's relation, it would have a cycle.
    pub missing: Vec<(String, String)>,
    /// That cycle: its events by id.
    pub cycle: Vec<String>,
    /// For `empty`: the part of its relation that lacks the missing pair, as the model has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacking: Option<String>,
}

/// What became of the question.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Answer {
    /// It cannot happen: every way to bring it about is refused.
    Forbidden {
        /// How many ways there are to give the reads their sources so that the outcome comes about, and choices of final writes.
        candidates: u64,
        /// The reasons, each with the ways that it refuses.
        ways: Vec<Way>,
        /// Was the search for ways cut short?
        incomplete: bool,
    },
    /// It can happen.
    Allowed {
        /// An execution that does it.
        witness: Box<Witness>,
        /// How close it comes to being refused.
        near: Vec<Near>,
    },
    /// Nobody can bring it about, whatever the model: values that no write has.
    NoSource {
        /// What cannot be had, in words.
        missing: Vec<String>,
    },
}

/// Ways to bring an outcome about that are refused for one reason.
#[derive(Clone, Debug, Serialize)]
pub struct Way {
    /// How many ways.
    pub candidates: u64,
    /// The check that refuses them.
    pub check: Check,
    /// How the offence looks.
    pub shape: Shape,
    /// The links of the cycle, or of the chain between the offending pair, in order; each with its base edges.
    pub links: Vec<Link>,
    /// Pairs of the model's own choices that are as here; otherwise another reason holds.
    pub given: Vec<Edge>,
    /// Where each read takes its value from, in the example.
    pub reads: Vec<Edge>,
    /// The events of the example.
    pub events: Vec<Event>,
    /// The example.
    #[serde(skip)]
    pub execution: Execution,
}

/// An execution that the model accepts.
#[derive(Clone, Debug, Serialize)]
pub struct Witness {
    /// Where each read takes its value from.
    pub reads: Vec<Edge>,
    /// Its events.
    pub events: Vec<Event>,
    /// The flags it raises, and checks whose failure leaves it undefined.
    pub flags: Vec<Check>,
    /// The execution.
    #[serde(skip)]
    pub execution: Execution,
}

/// A check of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Check {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it asks: `acyclic`, `irreflexive`, `empty`, perhaps after `~`.
    pub asks: String,
    /// Where it stands.
    pub place: Option<Place>,
}

/// How an offence looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shape {
    /// A cycle.
    Cycle,
    /// A pair of events.
    Pair,
    /// An event.
    Event,
    /// Something that is wanted is not there.
    Missing,
}

/// A piece of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What stands there.
    pub text: String,
}

/// An event of an example.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Event {
    /// Its letter; `init:x` for the initial write of `x`.
    pub id: String,
    /// Its thread; `null` for initial writes.
    pub thread: Option<u16>,
    /// What it does: `W[x]=1`.
    pub action: String,
    /// Its instruction, and where that stands.
    pub place: Option<Place>,
    /// Which event of the execution it is.
    #[serde(skip)]
    pub number: usize,
}

/// A pair of a relation that its author would call one edge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Link {
    /// From this event (by id).
    pub from: String,
    /// To that one.
    pub to: String,
    /// The names of the model around it, outermost first: `ob`, `bob`.
    pub names: Vec<Named>,
    /// The expression that has the pair.
    pub model: Option<Place>,
    /// The base edges that make it up, in order.
    pub edges: Vec<Edge>,
    /// In words, a line for each step.
    pub words: Vec<String>,
}

/// A name of the model, with its definition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it is defined; none: it is predefined.
    pub place: Option<Place>,
}

/// A base edge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Edge {
    /// From this event (by id).
    pub from: String,
    /// To that one.
    pub to: String,
    /// The relation: `po`, `rf`, `co`, `fr`, `addr` … or an expression of the model that was not looked into.
    pub relation: String,
    /// Is the pair of the relation the other way round (`rf^-1`)?
    pub backwards: bool,
    /// Where several chains join the same two events: which of them this is part of.
    pub strand: usize,
    /// What of the model put it there.
    pub model: Option<Place>,
    /// The events, by number.
    #[serde(skip)]
    pub pair: (usize, usize),
}
