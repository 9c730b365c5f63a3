//! An execution as a schedule: one line per step.

use crate::execution::EventKind;
use crate::grow::{Event, Execution};
use crate::program::{Program, Value};
use crate::source::Span;

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The thread.
    pub thread: String,
    /// Where.
    pub span: Span,
    /// The source text.
    pub text: String,
    /// What happened.
    pub what: String,
}

/// The steps of an execution, each after all that must come before it.
pub(super) fn of(execution: &dyn Execution, program: &Program) -> Vec<Step> {
    let events: Vec<Option<Event>> = (0..execution.n_events()).map(|n| execution.event(n)).collect();
    let mut left: Vec<usize> =
        (0..events.len()).filter(|n| events[*n].as_ref().is_some_and(|e| e.thread.is_some())).collect();
    let mut steps = Vec::new();
    let mut last = None;
    while !left.is_empty() {
        let ready = |n: usize| !left.iter().any(|m| *m != n && execution.is_before(*m, n));
        // As long as it can, one thread goes on.
        let same =
            left.iter().position(|n| events[*n].as_ref().is_some_and(|e| e.thread == last) && ready(*n));
        let position = same.or_else(|| left.iter().position(|n| ready(*n))).unwrap_or(0);
        let n = left.remove(position);
        if let Some(event) = &events[n] {
            last = event.thread;
            steps.extend(step(event, &events, program));
        }
    }
    steps
}

/// What to call a thread: the engine numbers those that were started after all that the program has.
pub(super) fn name(thread: Option<u16>, program: &Program) -> String {
    match thread.map(usize::from) {
        Some(0) => "main".to_string(),
        Some(thread) => format!("thread {}", (thread + 1).saturating_sub(program.threads.len())),
        None => "the start".to_string(),
    }
}

fn step(event: &Event, events: &[Option<Event>], program: &Program) -> Option<Step> {
    let instr = program.threads.get(usize::from(event.code))?.code.get(event.pc as usize)?;
    let known = event.cell.and_then(|cell| program.locations.get(usize::from(cell)));
    let cell = known.map_or_else(|| "memory".to_string(), |cell| cell.name.clone());
    let show = |value: Option<Value>| value.map_or("?".to_string(), |v| program.show(v));
    let from = || match event.source.and_then(|source| events.get(source)).and_then(Option::as_ref) {
        Some(source) if source.thread.is_none() => "its initial value".to_string(),
        Some(source) => format!("from {}", name(source.thread, program)),
        None => "?".to_string(),
    };
    let what = match (event.kind, event.spawns, event.joins) {
        (_, Some(child), _) => format!("starts {}", name(Some(child), program)),
        (_, _, Some(child)) => format!("joins {}", name(Some(child), program)),
        (EventKind::Read, ..) => format!("reads {cell} = {}, {}", show(event.read), from()),
        (EventKind::Write, ..) => format!("writes {cell} = {}", show(event.written)),
        (EventKind::Rmw, ..) if event.written.is_none() => {
            format!("reads {cell} = {}, {}", show(event.read), from())
        }
        (EventKind::Rmw, ..) => {
            format!("{cell}: {} becomes {}, {}", show(event.read), show(event.written), from())
        }
        _ if event.frees.is_some() => "frees the object".to_string(),
        _ => return None,
    };
    Some(Step { thread: name(event.thread, program), span: instr.span, text: instr.text.clone(), what })
}

/// The places of two accesses that race: of different threads, to one cell, one of them a write and one of them plain, and
/// neither before the other by the threads' own order and what they read.
pub(super) fn race(execution: &dyn Execution, program: &Program) -> Vec<Span> {
    let events: Vec<(usize, Event)> =
        (0..execution.n_events()).filter_map(|n| execution.event(n).map(|e| (n, e))).collect();
    let plain = |e: &Event| !e.sets.iter().any(|set| set == "A");
    let writes = |e: &Event| matches!(e.kind, EventKind::Write | EventKind::Rmw);
    let accesses = |e: &Event| e.thread.is_some() && (writes(e) || e.kind == EventKind::Read);
    let place = |e: &Event| {
        program.threads.get(usize::from(e.code)).and_then(|t| t.code.get(e.pc as usize)).map(|i| i.span)
    };
    let mut fallback = Vec::new();
    for (n, a) in events.iter().filter(|(_, e)| accesses(e) && plain(e)) {
        for (m, b) in events.iter().filter(|(_, e)| accesses(e)) {
            if a.cell != b.cell || a.thread == b.thread || !(writes(a) || writes(b)) {
                continue;
            }
            let places: Vec<Span> = [place(a), place(b)].into_iter().flatten().collect();
            if !execution.is_before(*n, *m) && !execution.is_before(*m, *n) {
                return places;
            }
            if fallback.is_empty() {
                fallback = places;
            }
        }
    }
    fallback
}
