//! Runs of the machine with store buffers, one line a step.

use std::fmt;

use serde::Serialize;

use crate::machine::{Action, Effect, Lasso, TraceStep};
use crate::program::{Program, Value};

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
    instruction: String,
    what: String,
}

impl Trace {
    /// A run that ends.
    pub fn path(program: &Program, steps: &[TraceStep]) -> Trace {
        Trace { stem: lines(program, steps), cycle: None }
    }

    /// A run that goes on for ever, or one whose end does not matter.
    pub fn lasso(program: &Program, lasso: &Lasso) -> Trace {
        let cycle = (!lasso.cycle.is_empty()).then(|| lines(program, &lasso.cycle));
        Trace { stem: lines(program, &lasso.stem), cycle }
    }
}

fn lines(program: &Program, steps: &[TraceStep]) -> Vec<Line> {
    steps.iter().map(|step| line(program, step)).collect()
}

fn line(program: &Program, step: &TraceStep) -> Line {
    let cell =
        |cell: usize| program.locations.get(cell).map_or("an object".to_string(), |cell| cell.name.clone());
    let show = |value: Value| program.show(value);
    match step {
        TraceStep::Stutter => {
            Line { thread: None, instruction: String::new(), what: "nothing moves any more".to_string() }
        }
        TraceStep::Done(Action::Land { thread, cell: of, value }) => Line {
            thread: Some(*thread),
            instruction: String::new(),
            what: format!("its write {} := {} reaches memory", cell(*of), show(*value)),
        },
        TraceStep::Done(Action::Move { thread, text, effect, .. }) => {
            let what = done(program, effect);
            Line { thread: Some(*thread), instruction: text.clone(), what }
        }
    }
}

/// What a thread did, in words.
fn done(program: &Program, effect: &Effect) -> String {
    let cell =
        |cell: usize| program.locations.get(cell).map_or("an object".to_string(), |cell| cell.name.clone());
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
        Effect::Violation(property) => format!("violates {property:?}"),
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
                let text = format!("{number:>4}  {thread:<3} {:<width$}  {}", line.instruction, line.what);
                writeln!(f, "{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}
