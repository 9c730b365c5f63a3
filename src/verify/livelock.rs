//! Loops that go round for ever and change something in each round: no engine that lists executions comes to their end.
//!
//! The machine with store buffers numbers its states, so that a run that comes back to one is a run for ever. What it finds with buffers as the model has them, or without any, is a run
//! of the model; what it does not find is left to the search.

use std::time::Duration;

use super::check::Part;
use super::run::{Answer, By, Verdict, Violation};
use super::trace::Step;
use crate::limits::{self, Budget, memory};
use crate::machine::{self, Action, Awaited, Buffers, Effect, Lasso, Loop, Options, System, TraceStep};
use crate::model::Model;
use crate::program::{Op, Program, Property, any_op};

/// It may take so long, and so many bytes: the search is what the machine is for.
const PATIENCE: Duration = Duration::from_millis(700);
const ROOM: u64 = 16 << 20;

/// A fair run for ever through a loop that changes something. The program was lowered for the machine.
pub fn livelock(program: Program, model: &Model) -> Option<Answer> {
    let loops = suspects(&program);
    if loops.is_empty() {
        return None;
    }
    let buffers = match model.name.as_str() {
        "TSO" => Buffers::Fifo,
        "PSO" => Buffers::PerCell,
        _ => Buffers::None,
    };
    let options = Options { buffers, ..Options::default() };
    let system = System::from(program);
    let process = limits::current();
    let room = memory::live().saturating_add(ROOM);
    let memory = Some(process.memory.map_or(room, |most| most.min(room)));
    let budget = Budget::starting_now(Some(PATIENCE), memory, process.interrupt);
    let found = budget.run(|| {
        loops.iter().find_map(|each| match machine::ends(&system, each, &options) {
            Ok(Awaited::MayNotEnd(lasso)) => Some((each, Some(lasso))),
            Ok(Awaited::Endless) => Some((each, None)),
            _ => None,
        })
    });
    let (each, lasso) = found.ok().flatten()?;
    Some(told(&system.program, each, lasso.as_ref()))
}

/// The loops of a program that may go round for ever and change something, where that would be wrong.
pub(super) fn suspects(program: &Program) -> Vec<Loop> {
    // What is chosen anew in each round may be chosen in the same way for ever: that says nothing.
    if any(program, &|op| matches!(op, Op::Nondet { .. })) {
        return Vec::new();
    }
    // A thread that serves for ever is written as a loop without a way out, and means it.
    let suspect = |each: &Loop| !each.exits.is_empty() && changes(program, each);
    machine::loops(program).into_iter().filter(suspect).collect()
}

fn told(program: &Program, each: &Loop, lasso: Option<&Lasso>) -> Answer {
    let name = |thread: usize| if thread == 0 { "main".to_string() } else { format!("thread {thread}") };
    let does = match lasso {
        Some(_) => "goes round for ever in some runs, though every thread moves and every write lands",
        None => "goes round for ever in every run that comes here",
    };
    let (thread, does) = (name(each.thread), does.to_string());
    let part = Part { thread, span: each.span, text: String::new(), does };
    let mut trace = Vec::new();
    let (stem, cycle) = lasso.map_or((&[][..], &[][..]), |lasso| (&lasso.stem[..], &lasso.cycle[..]));
    for (at, step) in stem.iter().chain(cycle).enumerate() {
        let TraceStep::Done(action) = step else { continue };
        let (thread, text, span, what) = match action {
            Action::Land { thread, cell, value } => {
                let what = format!("{} = {} is visible now", of(program, *cell), program.show(*value));
                (*thread, String::new(), None, what)
            }
            Action::Move { thread, text, span, effect, .. } => {
                (*thread, text.clone(), *span, done(program, effect))
            }
        };
        let Some(span) = span.filter(|_| !what.is_empty()) else { continue };
        let what = if at >= stem.len() { format!("{what}, again and again") } else { what };
        trace.push(Step { thread: name(thread), span, text, what, from: None, matters: true });
    }
    let violation = Violation { property: Property::Livelock, parts: vec![part], executions: 1, trace };
    Answer {
        verdict: Verdict::Unsafe,
        violating: 1,
        violations: vec![violation],
        ..Answer::none(By::Growing)
    }
}

fn of(program: &Program, cell: usize) -> String {
    program.locations.get(cell).map_or("an object".to_string(), |cell| cell.name.clone())
}

fn done(program: &Program, effect: &Effect) -> String {
    let pair = |cell: usize, value| format!("{} = {}", of(program, cell), program.show(value));
    match effect {
        Effect::Local | Effect::Fence | Effect::Violation(_) => String::new(),
        Effect::Read { cell, value, .. } => format!("reads {}", pair(*cell, *value)),
        Effect::Buffer { cell, value } => format!("writes {}, not visible yet", pair(*cell, *value)),
        Effect::Write { cell, value } => format!("writes {}", pair(*cell, *value)),
        Effect::Update { cell, old, new } => {
            format!("{}: {} becomes {}", of(program, *cell), program.show(*old), program.show(*new))
        }
        Effect::Spawn(thread) => format!("starts thread {thread}"),
        Effect::Join(thread) => format!("waits for thread {thread}"),
        Effect::Several(all) => {
            let all: Vec<String> = all.iter().map(|effect| done(program, effect)).collect();
            all.into_iter().filter(|what| !what.is_empty()).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Does a round of it write to memory? What only waits, or counts in registers, is nothing for the machine.
pub(super) fn changes(program: &Program, each: &Loop) -> bool {
    let written = |op: &Op| matches!(op, Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. });
    let code = program.threads.get(each.code).map_or(&[][..], |thread| &thread.code[..]);
    code.get(each.first..=each.last)
        .is_some_and(|instrs| instrs.iter().any(|instr| any_op(&instr.ops, written)))
}

fn any(program: &Program, wanted: &dyn Fn(&Op) -> bool) -> bool {
    program.threads.iter().flat_map(|thread| &thread.code).any(|instr| any_op(&instr.ops, wanted))
}
