//! Tests that tell models apart, for people and for machines.

use std::fmt::Write as _;

use serde::Serialize;

use crate::generate::{Cycle, Generated};
use crate::session::{ByTests, Relation, Report, Separation};

use super::graph::{self, Graph, Style};
use super::several;

/// The models, by the names that the user gave them.
#[derive(Clone, Debug)]
pub struct Names<'n> {
    /// In their order.
    pub models: Vec<&'n str>,
}

/// How a test of a cycle is written for a model.
pub type Written<'w> = &'w dyn Fn(&Cycle, usize) -> Option<Generated>;

/// What is known of two models, in a line.
pub fn verdict(separation: &Separation, names: &Names) -> String {
    let (first, second) = (names.models[0], names.models[1]);
    let tests = several(separation.tests as u64, "test");
    let size = separation.size;
    match separation.relation(0, 1) {
        Relation::Same => {
            format!("no difference between {first} and {second} in {tests} of up to {size} edges\n")
        }
        Relation::Weaker => {
            format!(
                "{first} is weaker than {second}: it allows more, and no less in {tests} of up to {size} edges\n"
            )
        }
        Relation::Stronger => {
            format!(
                "{first} is stronger than {second}: it allows less, and no more in {tests} of up to {size} edges\n"
            )
        }
        Relation::Incomparable => {
            format!("{first} and {second} are incomparable: each allows what the other forbids\n")
        }
    }
}

/// The smallest test that one model allows and the other forbids, with the execution.
pub fn found(
    names: &Names,
    (first, second): (usize, usize),
    count: usize,
    test: &Generated,
    shown: &Report,
) -> String {
    let (first, second) = (names.models[first], names.models[second]);
    let more = match count {
        1 => String::new(),
        n => format!(" (the smallest of {n} found)"),
    };
    let mut text = format!("{first} allows {}, and {second} forbids it{more}:\n{}", test.name, test.text);
    if let (Some(answer), Some(execution)) = (&shown.answer, shown.executions.first()) {
        let graph = Graph::new(execution, &answer.test, first, &Style::default());
        let _ = write!(text, "{}", graph::text(&graph));
    }
    text
}

/// How all pairs of models relate, and the tests that say it.
pub fn table(separation: &Separation, names: &Names, written: Written) -> String {
    let n = names.models.len();
    let width = names.models.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let mut text = format!("{:width$}", "");
    for name in &names.models {
        let _ = write!(text, "  {name:>width$}");
    }
    text.push('\n');
    for row in 0..n {
        let _ = write!(text, "{:width$}", names.models[row]);
        for column in 0..n {
            let cell = match separation.relation(row, column) {
                _ if row == column => "=",
                Relation::Same => "same",
                Relation::Weaker => "weaker",
                Relation::Stronger => "stronger",
                Relation::Incomparable => "both",
            };
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "each row against the columns, `both`: each allows what the other forbids; in {} of up to {} edges\n",
        several(separation.tests as u64, "test"),
        separation.size
    );
    for ((first, second), (cycle, count)) in &separation.found {
        let (one, other) = (names.models[*first], names.models[*second]);
        let test = written(cycle, *first).map_or(String::new(), |test| test.name);
        let _ = writeln!(text, "{one} allows and {other} forbids: {test} ({count} in all)");
    }
    text
}

/// Tests given that tell two models apart, smallest first.
pub fn told(found: &ByTests, [first, second]: [&str; 2]) -> String {
    let mut text = String::new();
    let width = found.told.iter().map(|told| told.name.chars().count()).max().unwrap_or(0);
    for told in &found.told {
        for (states, one, other) in [(&told.only[0], first, second), (&told.only[1], second, first)] {
            let Some(state) = states.first() else { continue };
            let more = match states.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            let _ = writeln!(text, "{:width$}  {one} allows and {other} forbids: {state}{more}", told.name);
        }
    }
    let more = |side: usize| found.told.iter().filter(|told| !told.only[side].is_empty()).count();
    let tests = several(found.tests as u64, "test");
    let _ = match (more(0), more(1)) {
        (0, 0) => writeln!(text, "no difference between {first} and {second} in {tests}"),
        (n, 0) => {
            writeln!(text, "{first} is weaker than {second}: it allows more in {n} of {tests}, and no less")
        }
        (0, n) => {
            writeln!(text, "{first} is stronger than {second}: it allows less in {n} of {tests}, and no more")
        }
        (n, m) => writeln!(
            text,
            "{first} and {second} are incomparable: of {tests}, the first allows more in {n}, the second in {m}"
        ),
    };
    text
}

/// The same as data.
pub fn told_record(found: &ByTests, [first, second]: [&str; 2]) -> ToldRecord {
    let told = found.told.iter().map(|told| ToldTest {
        name: told.name.clone(),
        file: told.file.clone(),
        size: told.size,
        only_first: told.only[0].clone(),
        only_second: told.only[1].clone(),
    });
    ToldRecord {
        models: [first.to_string(), second.to_string()],
        tests: found.tests,
        without_answer: found.failed.len(),
        separating: told.collect(),
    }
}

/// Tests given that tell two models apart.
#[derive(Serialize, Debug)]
pub struct ToldRecord {
    models: [String; 2],
    tests: usize,
    without_answer: usize,
    separating: Vec<ToldTest>,
}

/// One of them.
#[derive(Serialize, Debug)]
struct ToldTest {
    name: String,
    file: String,
    size: usize,
    only_first: Vec<String>,
    only_second: Vec<String>,
}

/// What is known, as data.
#[derive(Serialize, Debug)]
pub struct SeparationRecord {
    models: Vec<String>,
    tests: usize,
    size: usize,
    separating: Vec<SeparatingRecord>,
}

/// One direction of a pair.
#[derive(Serialize, Debug)]
struct SeparatingRecord {
    allowed_by: String,
    forbidden_by: String,
    count: usize,
    name: String,
    test: String,
}

/// Everything found.
pub fn record(separation: &Separation, names: &Names, written: Written) -> SeparationRecord {
    let separating = separation.found.iter().filter_map(|((first, second), (cycle, count))| {
        let test = written(cycle, *first)?;
        Some(SeparatingRecord {
            allowed_by: names.models[*first].to_string(),
            forbidden_by: names.models[*second].to_string(),
            count: *count,
            name: test.name,
            test: test.text,
        })
    });
    SeparationRecord {
        models: names.models.iter().map(|name| (*name).to_string()).collect(),
        tests: separation.tests,
        size: separation.size,
        separating: separating.collect(),
    }
}
