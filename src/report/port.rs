//! What two models say about tests: `litmus port` and `litmus robust`.

use std::fmt::Write as _;

use serde::Serialize;

use crate::compare::{Answer, Granularity};
use crate::explain::Way;
use crate::outcome::{Completeness, Count};
use crate::session::{Compared, Execution, Report};

use super::explain;
use super::graph::{self, Graph, Style};
use super::{Witness, several};

/// The words that a command uses for the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wording {
    /// `litmus port`: portable or not.
    Port,
    /// `litmus robust`: robust or not.
    Robust,
}

impl Wording {
    fn yes(self) -> &'static str {
        match self {
            Wording::Port => "portable",
            Wording::Robust => "robust",
        }
    }

    fn no(self) -> &'static str {
        match self {
            Wording::Port => "not portable",
            Wording::Robust => "not robust",
        }
    }
}

/// One word for the answer, as JSON has it.
pub fn word(compared: &Compared, wording: Wording) -> &'static str {
    let Some((_, comparison)) = &compared.answer else { return "error" };
    match comparison.answer {
        Answer::Portable if !comparison.is_decided() => "not decided",
        Answer::Portable => wording.yes(),
        Answer::Undefined { .. } => "undefined",
        Answer::NotPortable { .. } => wording.no(),
    }
}

/// What may be missing, if something may.
fn caveat(completeness: &Completeness) -> Option<&'static str> {
    match completeness {
        Completeness::Complete | Completeness::Decided => None,
        Completeness::Bounded => Some("up to the bound"),
        Completeness::TimedOut => Some("the time limit was reached"),
        Completeness::ExecutionLimit => Some("the limit on executions was reached"),
        Completeness::MemoryLimit => Some("the memory limit was reached"),
        Completeness::Interrupted => Some("interrupted"),
    }
}

/// The answer in one line: `not portable: sc fails, 1 of 4 executions`.
pub fn line(compared: &Compared, wording: Wording, granularity: Granularity) -> String {
    let Some((_, comparison)) = &compared.answer else {
        return "no answer".to_string();
    };
    let noun = match granularity {
        Granularity::Executions => "execution",
        Granularity::States => "state",
    };
    let mut line = word(compared, wording).to_string();
    match &comparison.answer {
        Answer::Portable => {
            let _ = match &comparison.of_target {
                none if none.is_zero() && !comparison.counted => {
                    write!(line, ": no execution of many fails a check")
                }
                of_target => write!(line, ": {}", several(of_target, noun)),
            };
            if let Some(all) = &comparison.of_source {
                let _ = write!(line, ", {} of {}", all, compared.source);
            }
        }
        Answer::Undefined { flags } => {
            let _ = write!(line, " under {}", compared.source);
            if !flags.is_empty() {
                let _ = write!(line, " ({})", flags.join(", "));
            }
            let _ = write!(line, ": {}", wording.yes());
        }
        Answer::NotPortable { failed, .. } => {
            if let Some(first) = failed.first() {
                let _ = write!(line, " ({first})");
            }
            let of_target = &comparison.of_target;
            let new = of_target - &comparison.of_both;
            let _ = match (comparison.counted, new.is_zero()) {
                (true, _) => write!(line, ": {new} of {}", several(of_target, noun)),
                // Found by a search, which ended with it.
                (false, true) if *of_target > 0 => {
                    write!(line, ": at least 1 of {}", several(of_target, noun))
                }
                (false, true) => write!(line, ": 1 of many executions"),
                (false, false) => write!(line, ": {new} of the first {}", several(of_target, noun)),
            };
            if let Some(all) = &comparison.of_source {
                let _ = write!(line, ", {} of {}", all, compared.source);
            }
        }
    }
    if let Some(caveat) = caveat(&comparison.completeness) {
        let _ = write!(line, "; {caveat}");
    }
    if comparison.is_vacuous() {
        line += ", which cuts all of them off: `--cut keep` compares what there is up to there";
    }
    line
}

/// The answer to one test, in full: the verdict, and the execution that decides it.
pub fn text(compared: &Compared, wording: Wording, granularity: Granularity) -> String {
    let Some((test, comparison)) = &compared.answer else { return String::new() };
    let target = target(&compared.report);
    let source = &compared.source;
    let line = line(compared, wording, granularity);
    let mut text = match wording {
        Wording::Port => format!("{}, from {source} to {target}: {line}\n", compared.report.title()),
        Wording::Robust => format!("{}, {target} against {source}: {line}\n", compared.report.title()),
    };
    let Answer::NotPortable { execution, state, failed } = &comparison.answer else { return text };
    match failed.as_slice() {
        [] => {
            let _ = writeln!(text, "{target} reaches this final state, and {source} does not:\n  {state}");
        }
        [one] => {
            let _ = writeln!(
                text,
                "{target} allows this execution, and {source} does not: its check `{one}` fails"
            );
        }
        several => {
            let names = several.join("`, `");
            let _ = writeln!(
                text,
                "{target} allows this execution, and {source} does not: whatever it chooses, one of its checks `{names}` \
                 fails"
            );
        }
    }
    text += &graph::text(&Graph::new(execution, test, target, &Style::default()));
    if let Some(way) = &compared.as_written {
        let _ = writeln!(text, "why {source} refuses it, in the test as it was written:");
        text += &explain::way(way);
    }
    if let Some(first) = compared.why.first() {
        let _ = writeln!(text, "why {source} refuses it:");
        text += &explain::way(first);
        if let more @ 1.. = compared.why.len() - 1 {
            let _ = writeln!(text, "and likewise for {} of {source}", several(more as u64, "other choice"));
        }
    }
    text
}

/// The picture of the execution that decides, with what the source forbids of it highlighted.
pub fn picture(compared: &Compared, style: &Style) -> Option<Graph> {
    let (test, comparison) = compared.answer.as_ref()?;
    let Answer::NotPortable { execution, .. } = &comparison.answer else { return None };
    let target = target(&compared.report);
    Some(match compared.why.first() {
        Some(way) => {
            let way = Way { execution: Execution::clone(execution), ..way.clone() };
            Graph::refused(&way, test, &format!("{target}, not {}", compared.source), style)
        }
        None => Graph::new(execution, test, target, style),
    })
}

/// The model on the other side.
fn target(report: &Report) -> &str {
    report.model_name.as_deref().or(report.model.as_deref()).unwrap_or("the target")
}

/// One test as data for machines.
#[derive(Serialize, Debug)]
pub struct PortRecord {
    file: String,
    name: String,
    from: String,
    to: String,
    /// The mapping that made the test, where that is not the same for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapping: Option<String>,
    answer: &'static str,
    compared: &'static str,
    complete: bool,
    /// Are the figures those of everything that the target allows?
    counted: bool,
    of_target: Option<Count>,
    of_both: Option<Count>,
    of_source: Option<Count>,
    failed: Vec<String>,
    /// What the source refuses of the execution: as in explanations.
    why: Vec<Way>,
    state: Option<String>,
    execution: Option<Witness>,
    error: Option<String>,
}

impl PortRecord {
    /// Likewise, of a test that this mapping made.
    #[must_use]
    pub fn by(self, mapping: &str) -> PortRecord {
        PortRecord { mapping: Some(mapping.to_string()), ..self }
    }

    /// The record of an answer.
    pub fn new(compared: &Compared, wording: Wording, granularity: Granularity) -> PortRecord {
        let comparison = compared.answer.as_ref().map(|(_, comparison)| comparison);
        let mut record = PortRecord {
            file: compared.report.file.clone(),
            name: compared.report.name.clone(),
            from: compared.source.clone(),
            to: target(&compared.report).to_string(),
            mapping: None,
            answer: word(compared, wording),
            compared: match granularity {
                Granularity::Executions => "executions",
                Granularity::States => "states",
            },
            complete: comparison.is_some_and(|comparison| caveat(&comparison.completeness).is_none()),
            counted: comparison.is_some_and(|comparison| comparison.counted),
            of_target: comparison.map(|comparison| comparison.of_target.clone()),
            of_both: comparison.map(|comparison| comparison.of_both.clone()),
            of_source: comparison.and_then(|comparison| comparison.of_source.clone()),
            failed: Vec::new(),
            why: compared.why.iter().chain(&compared.as_written).cloned().collect(),
            state: None,
            execution: None,
            error: compared.report.error().map(|error| error.message.clone()),
        };
        if let Some((test, comparison)) = &compared.answer
            && let Answer::NotPortable { execution, state, failed } = &comparison.answer
        {
            record.failed.clone_from(failed);
            record.state = Some(state.clone());
            record.execution = Some(Witness::new(execution, test));
        }
        record
    }
}
