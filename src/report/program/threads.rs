//! What threads and locks of a program are for a model: the events that each call becomes.

use std::fmt::Write;

use super::place;
use crate::program::threads::{DESTROY, LOCK, SECTION_BEGIN, SECTION_END, UNLOCK};
use crate::program::{Op, Program, SetName, Start, each_op, fences};
use crate::source::Sources;

/// The sets by which the rest of litmus knows such an event; no model looks at them.
const OWN: [&str; 5] = [LOCK, UNLOCK, DESTROY, SECTION_BEGIN, SECTION_END];

/// One line for each place that starts or joins a thread, takes or gives back a lock, or begins or ends a part that nothing comes between.
pub fn threads(file: &str, model: &str, program: &Program, sources: &Sources) -> String {
    let mut out = format!("{file}: threads under {model}\n");
    let full = shown(&fences::full_fence());
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "  program order goes from the start of a thread into it, and from its end to who joins it"
    );
    let _ = writeln!(out, "  a full fence is in all of {full}, so that every model knows it");
    for thread in &program.threads {
        let mut lines: Vec<String> = Vec::new();
        for instr in &thread.code {
            let mut events = Vec::new();
            each_op(&instr.ops, &mut |op| events.extend(event(op)));
            if events.is_empty() {
                continue;
            }
            let (name, line, _) = place(instr.span, sources);
            let line = format!("    {name}:{line}  {}: {}\n", instr.text, events.join("; "));
            // What is inlined several times is said once.
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let code = if thread.start == Start::Spawned { "a thread that is started" } else { "main" };
        if !lines.is_empty() {
            let _ = writeln!(out, "  {code}");
            out.extend(lines);
        }
    }
    out
}

/// The event that an operation on threads or locks is, with the sets that models know it by.
fn event(op: &Op) -> Option<String> {
    let (what, sets) = match op {
        Op::Spawn { .. } => {
            return Some("a full fence, and one more as the first event of the thread".to_string());
        }
        Op::Join { .. } => {
            return Some("a full fence, after the one that is the last event of the thread".to_string());
        }
        Op::Load { sets, .. } => ("reads", sets),
        Op::Store { sets, .. } => ("writes", sets),
        Op::Rmw { sets, .. } => ("updates", sets),
        Op::CompareExchange { sets, .. } => ("a compare-exchange", sets),
        Op::Fence { sets, .. } => ("a fence", sets),
        _ => return None,
    };
    let role = match sets.iter().find_map(|set| OWN.iter().find(|own| set == **own)) {
        Some(&LOCK) => "takes the lock: ",
        Some(&UNLOCK) => "gives the lock back: ",
        Some(&DESTROY) => "ends the lock: ",
        Some(&SECTION_BEGIN) => "begins what is one step: ",
        Some(_) => "ends what is one step: ",
        None => return None,
    };
    Some(format!("{role}{what} [{}]", shown(sets)))
}

fn shown(sets: &[SetName]) -> String {
    let known: Vec<&str> = sets.iter().map(|set| &**set).filter(|set| !OWN.contains(set)).collect();
    known.join(" ")
}
