//! Threads that wait for ever: deadlock, and loops that nobody ends.
//!
//! A thread that waits is shown by the engine with the values that it has read. Where each of them is what its cell holds at the end, looking again finds the
//! same: it waits for ever, if nobody else goes on. Where one is not, the thread goes on in another execution.

use super::check::{Finding, Part};
use super::facts::{Facts, is_in, reads, writes};
use super::{chosen, trace};
use crate::grow::{Event, Execution, Waiting, Why};
use crate::machine;
use crate::program::threads::{LOCK, UNLOCK};
use crate::program::{Awaited, Instr, Op, Program, Property, Value, head_of_looks};

/// The threads of an execution that wait for ever, if they do.
pub(super) fn stuck(execution: &dyn Execution, program: &Program) -> Option<Finding> {
    let waiting = execution.waiting();
    let mut loops = false;
    let mut locks = false;
    for thread in &waiting {
        match awaited(thread, program) {
            Some(Awaited::Loop) => loops = true,
            Some(Awaited::Library) => locks = true,
            None if matches!(thread.why, Why::Join(_)) => {}
            // An assumption, or a bound: nothing is known.
            None => return None,
        }
    }
    if !loops && !locks {
        // Threads that join each other.
        let joins = |w: &Waiting| matches!(w.why, Why::Join(to) if waiting.iter().any(|o| o.thread == to));
        if waiting.is_empty() || !waiting.iter().all(joins) {
            return None;
        }
    }
    let facts = Facts::new(execution);
    // The end of `main` ends all threads: who waits for what it has kept does not wait for long.
    let is_over = !waiting.iter().any(|w| w.thread == 0) && !program.threads.first().is_some_and(|t| t.exits);
    let mut parts = Vec::new();
    for thread in &waiting {
        if let Why::Join(other) = thread.why {
            let does = format!("waits for the end of {}", trace::name(Some(other), program));
            parts.extend(part(thread, program, does));
            continue;
        }
        let round = round(thread, program);
        let looked = last_look(thread, round, &facts, program);
        let last_write = |e: &Event| {
            let order = e.cell.and_then(|cell| facts.coherence.get(usize::from(cell)));
            order.and_then(|order| order.last()).and_then(|w| facts.events[*w].as_ref())
        };
        let last = |e: &Event| last_write(e).and_then(|w| w.written);
        if looked.is_empty() || !looked.iter().all(|e| e.read.is_some() && e.read == last(e)) {
            return None;
        }
        // Whichever write of that value it has read, it is the last one that it comes to see.
        let by_main = |e: &&Event| last_write(e).is_some_and(|w| w.thread == Some(0));
        if is_over && looked.iter().any(by_main) {
            return None;
        }
        // One that waits for another that waits is not waiting to serve.
        let by_waiting = |e: &&Event| {
            let by = last_write(e).and_then(|w| w.thread);
            by != Some(thread.thread) && waiting.iter().any(|other| by == Some(other.thread))
        };
        if is_over && serves(thread, program) && !looked.iter().all(by_waiting) {
            return None;
        }
        let code = &program.threads[usize::from(thread.code)].code;
        if round.is_some_and(|(head, last)| chosen::ends_by_choice(code, head, last)) {
            return None;
        }
        parts.extend(part(thread, program, describe(&looked, &facts, program)));
    }
    let property = if locks || !loops { Property::Deadlock } else { Property::Liveness };
    Some(Finding { property, parts, events: Vec::new() })
}

fn part(thread: &Waiting, program: &Program, does: String) -> Option<Part> {
    let code = &program.threads.get(usize::from(thread.code))?.code;
    let instr = code.get(thread.pc as usize)?;
    Some(Part {
        thread: trace::name(Some(thread.thread), program),
        span: instr.span,
        text: instr.text.clone(),
        does,
    })
}

/// What a thread waits for, if its instruction says so.
pub(super) fn awaited(thread: &Waiting, program: &Program) -> Option<Awaited> {
    fn find(ops: &[Op]) -> Option<Awaited> {
        ops.iter().find_map(|op| match op {
            Op::Await { what, .. } => Some(*what),
            Op::If { then, otherwise, .. } => find(then).or_else(|| find(otherwise)),
            _ => None,
        })
    }
    match thread.why {
        Why::Loop => Some(Awaited::Loop),
        Why::Instruction => {
            let code = &program.threads.get(usize::from(thread.code))?.code;
            find(&code.get(thread.pc as usize)?.ops)
        }
        Why::Join(_) | Why::Given => None,
    }
}

/// What a thread read when it last looked: of each instruction of the loop, or of the library function, and of each cell there, the last time. (An instruction
/// in a loop inside that loop looks at several.)
fn last_look<'f>(
    thread: &Waiting,
    round: Option<(usize, usize)>,
    facts: &'f Facts,
    program: &Program,
) -> Vec<&'f Event<'f>> {
    let code = &program.threads[usize::from(thread.code)].code;
    let at = thread.pc as usize;
    let inside = |e: &Event| match round {
        _ if thread.since.is_some_and(|since| e.instance < since) => false,
        Some((head, _)) => e.pc as usize >= head && (thread.why == Why::Loop || e.pc as usize <= at),
        None => code.get(e.pc as usize).map(|instr| instr.span) == code.get(at).map(|instr| instr.span),
    };
    let events = facts.threads.get(usize::from(thread.thread)).map_or(&[][..], Vec::as_slice);
    let mut seen: Vec<(u32, Option<u16>)> = Vec::new();
    let mut looked = Vec::new();
    let events: Vec<&Event> = events.iter().rev().filter_map(|n| facts.events[*n].as_ref()).collect();
    for (at, event) in events.iter().copied().enumerate() {
        // The first half of an update that is two events on a machine.
        let half = events.get(at + 1).filter(|e| !reads(event) && e.pc == event.pc && e.cell == event.cell);
        let read = event.read.or_else(|| half.and_then(|e| e.read));
        // What it changed before it began to wait is done.
        let changes = writes(event) && event.written != read;
        // A lock that is taken to look, and given back.
        if thread.why == Why::Loop && (is_in(event, LOCK) || is_in(event, UNLOCK)) {
            continue;
        }
        if event.code != thread.code || !inside(event) || changes {
            break;
        }
        if reads(event) && !seen.contains(&(event.pc, event.cell)) {
            seen.push((event.pc, event.cell));
            looked.push(event);
        }
    }
    looked
}

/// The first and the last instruction of the loop that a thread waits in, if it is one.
fn round(thread: &Waiting, program: &Program) -> Option<(usize, usize)> {
    let code = &program.threads[usize::from(thread.code)].code;
    let at = thread.pc as usize;
    match thread.why {
        Why::Loop => Some(innermost(code, at)),
        Why::Instruction => head_of_looks(code, at).map(|head| (head, at + 1)),
        Why::Join(_) | Why::Given => None,
    }
}

/// Is it in a loop without a way out? A thread that serves others for ever is meant to wait for the next, until the program ends.
fn serves(thread: &Waiting, program: &Program) -> bool {
    let at = thread.pc as usize;
    let is_around = |each: &machine::Loop| {
        each.code == usize::from(thread.code)
            && (each.first..=each.last).contains(&at)
            && each.exits.is_empty()
    };
    machine::loops(program).iter().any(is_around)
}

/// The innermost loop around an instruction.
fn innermost(code: &[Instr], at: usize) -> (usize, usize) {
    let back = |pc: usize| {
        let mut found = Vec::new();
        machine::targets(&code[pc].ops, &mut found);
        found
    };
    let head = (at..code.len()).find_map(|pc| back(pc).into_iter().filter(|to| *to <= at).max());
    let Some(head) = head else { return (at, at) };
    let last = (at..code.len()).rev().find(|pc| back(*pc).contains(&head));
    (head, last.unwrap_or(at))
}

fn describe(looked: &[&Event], facts: &Facts, program: &Program) -> String {
    let one = |e: &&Event| {
        let by = match e.source.and_then(|w| facts.events[w].as_ref()) {
            Some(w) if w.thread.is_some() => format!(", from {}", trace::name(w.thread, program)),
            _ => String::new(),
        };
        let value = trace::value(e.read.unwrap_or(Value::ZERO), program);
        format!("{} stays {value}{by}", trace::cell(e, program))
    };
    let mut all: Vec<String> = looked.iter().rev().map(one).collect();
    all.dedup();
    format!("waits for ever: {}", all.join(", "))
}
