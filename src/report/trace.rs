//! Runs of the machine with store buffers, one line a step.

use std::fmt;

use serde::Serialize;

use crate::machine::{Action, Effect, Lasso, TraceStep};
use crate::program::{Program, Value};
use crate::source::Sources;

/// A run as it is shown: what leads to the cycle, and the cycle, if it has one.
#[derive(Serialize, Debug)]
pub struct Trace {
    stem: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<Vec<Line>>,
}

/// One step.
#[derive(Serialize, Debug)]
struct Line {
    thread: Option<usize>,
    /// The line of the file that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    instruction: String,
    what: String,
}

/// Tells runs of a program.
#[derive(Clone, Copy, Debug)]
pub struct Teller<'a> {
    /// The program.
    pub program: &'a Program,
    /// The files that it stands in.
    pub sources: &'a Sources,
}

impl Teller<'_> {
    /// A run that ends.
    pub fn path(self, steps: &[TraceStep]) -> Trace {
        Trace { stem: self.lines(steps), cycle: None }
    }

    /// A run that goes on for ever, or one whose end does not matter.
    pub fn lasso(self, lasso: &Lasso) -> Trace {
        let cycle = (!lasso.cycle.is_empty()).then(|| self.lines(&lasso.cycle));
        Trace { stem: self.lines(&lasso.stem), cycle }
    }

    fn lines(self, steps: &[TraceStep]) -> Vec<Line> {
        steps.iter().map(|step| self.line(step)).collect()
    }

    fn line(self, step: &TraceStep) -> Line {
        let program = self.program;
        let by = |thread: usize| Line {
            thread: Some(thread),
            line: None,
            instruction: String::new(),
            what: String::new(),
        };
        match step {
            TraceStep::Stutter => Line { thread: None, what: "nothing moves any more".to_string(), ..by(0) },
            TraceStep::Done(Action::Land { thread, cell: of, value }) => {
                let what =
                    format!("its write {} := {} reaches memory", cell(program, *of), program.show(*value));
                Line { what, ..by(*thread) }
            }
            TraceStep::Done(Action::Move { thread, text, span, effect, .. }) => {
                let line = span.map(|span| self.sources.line_column(span).0);
                Line { line, instruction: text.clone(), what: done(program, effect), ..by(*thread) }
            }
        }
    }
}

fn cell(program: &Program, cell: usize) -> String {
    program.locations.get(cell).map_or("an object".to_string(), |cell| cell.name.clone())
}

/// What a thread did, in words.
fn done(program: &Program, effect: &Effect) -> String {
    let cell = |of: usize| cell(program, of);
    let show = |value: Value| program.show(value);
    match effect {
        Effect::Local => String::new(),
        Effect::Read { cell: of, value, own: false } => {
            format!("reads {} = {}", cell(*of), show(*value))
        }
        Effect::Read { cell: of, value, own: true } => {
            format!("reads {} = {} from its own buffer", cell(*of), show(*value))
        }
        Effect::Buffer { cell: of, value } => {
            format!("{} := {} waits in its buffer", cell(*of), show(*value))
        }
        Effect::Write { cell: of, value } => format!("{} := {}", cell(*of), show(*value)),
        Effect::Update { cell: of, old, new } => {
            format!("{}: {} -> {}, in one step", cell(*of), show(*old), show(*new))
        }
        Effect::Fence => "passes the fence".to_string(),
        Effect::Violation(property) => format!("{property}: it stops"),
        Effect::Spawn(other) => format!("starts P{other}"),
        Effect::Join(other) => format!("P{other} has ended"),
        Effect::Several(all) => {
            let all: Vec<String> = all.iter().map(|effect| done(program, effect)).collect();
            all.join(", ")
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || self.stem.iter().chain(self.cycle.iter().flatten());
        let width = all().map(|line| line.instruction.chars().count()).max().unwrap_or(0).min(50);
        let digits = all().filter_map(|line| line.line).max().unwrap_or(0).to_string().len();
        let mut number = 0;
        for (title, lines) in [("", Some(&self.stem)), ("then for ever:", self.cycle.as_ref())] {
            let Some(lines) = lines else { continue };
            if !title.is_empty() {
                writeln!(f, "{title}")?;
            }
            // Steps that do nothing to memory are left out, unless there is nothing else.
            let tells = |line: &&Line| !line.what.is_empty();
            let silent = !lines.iter().any(|line| tells(&line));
            for line in lines.iter().filter(|line| silent || tells(line)) {
                number += 1;
                let thread = line.thread.map_or_else(String::new, |thread| format!("P{thread}"));
                let place = line.line.map_or_else(String::new, |line| format!("line {line}"));
                let text = format!(
                    "{number:>4}  {thread:<3} {place:<at$}  {:<width$}  {}",
                    line.instruction,
                    line.what,
                    at = digits + "line ".len()
                );
                writeln!(f, "{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}
