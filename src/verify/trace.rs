//! An execution as a schedule: one line per step.
//!
//! Under SC, TSO and PSO the schedule is one of the machine: a write is done by its thread at one step and becomes visible to others at a later one. That there is
//! such an order of all steps, each read finding what it found in the execution, is a proof that the machine can do it. Under other models
//! steps come after what they depend on.

use super::facts::{Facts, is_in, reads, writes};
use crate::execution::EventKind;
use crate::grow::{Event, Execution, Printed};
use crate::program::threads::{DOUBLE, FLOAT};
use crate::program::{Op, Program, Sym, Value, print};
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
    /// Of a read: the other thread that wrote the value, and where.
    pub from: Option<(String, Span)>,
    /// Does the violation depend on it?
    pub matters: bool,
}

/// The machine whose steps a schedule has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Machine {
    /// Every write is visible at once.
    Sc,
    /// Writes of a thread become visible in their order.
    Tso,
    /// Writes of a thread to one cell become visible in their order.
    Pso,
    /// None: a model of a language.
    #[default]
    None,
}

impl Machine {
    /// The machine of a model.
    pub fn of(model: &str) -> Machine {
        match model {
            "SC" => Machine::Sc,
            // Without forwarding there are fewer executions, and each is one of the machine's.
            "TSO" | "ASE18-TSO" => Machine::Tso,
            "PSO" | "ASE18-PSO" => Machine::Pso,
            _ => Machine::None,
        }
    }
}

/// Something that happens: an event, or a write becoming visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Event(usize),
    Visible(usize),
}

/// The steps of an execution; those that the given events depend on matter.
pub(super) fn of(
    execution: &dyn Execution,
    program: &Program,
    machine: Machine,
    roots: &[usize],
) -> Vec<Step> {
    let facts = Facts::new(execution);
    let matters = |n: usize| roots.is_empty() || roots.iter().any(|r| *r == n || execution.is_before(n, *r));
    // Where reads and the order of threads go round, there is none: then as events are numbered.
    let numbered = || (0..facts.events.len()).map(Node::Event).collect();
    let order =
        schedule(&facts, machine).or_else(|| schedule(&facts, Machine::None)).unwrap_or_else(numbered);
    let mut printed = Printing::of(execution);
    let mut steps = Vec::new();
    for (position, node) in order.iter().enumerate() {
        let (number, visible) = match node {
            Node::Event(n) => (*n, false),
            Node::Visible(n) => (*n, true),
        };
        let Some(event) = &facts.events[number] else { continue };
        // A write that lands at once is one step.
        let at_once = |write: usize, from: usize| order.get(from) == Some(&Node::Visible(write));
        let buffered = machine != Machine::None && event.kind == EventKind::Write;
        if visible && position > 0 && order[position - 1] == Node::Event(number) {
            continue;
        }
        if !visible {
            steps.extend(printed.before(event, program));
        }
        let mut new = step(event, &facts, program);
        if let Some(step) = &mut new {
            // What a string that stands in the text holds is seen there.
            let is_text = event.written.is_none() && cell(event, program).starts_with('"');
            step.matters = matters(number) && (!is_text || roots.contains(&number));
            if visible {
                step.from = None;
                step.what =
                    format!("{} = {} is visible now", cell(event, program), shown(event.written, program));
            } else if buffered && machine != Machine::Sc && !at_once(number, position + 1) {
                step.what.push_str(", not visible yet");
            }
        }
        steps.extend(new);
    }
    steps.extend(printed.rest(program));
    steps
}

/// What threads print, until it has its place among the steps.
struct Printing(Vec<(u16, Printed)>);

impl Printing {
    fn of(execution: &dyn Execution) -> Printing {
        Printing(execution.printed())
    }

    /// What the thread of an event has printed before it.
    fn before(&mut self, event: &Event, program: &Program) -> Vec<Step> {
        let earlier = |(thread, printed): &mut (u16, Printed)| {
            Some(*thread) == event.thread && printed.instance < event.instance
        };
        self.0
            .extract_if(.., earlier)
            .filter_map(|(thread, printed)| text(thread, &printed, program))
            .collect()
    }

    /// What threads print after their last steps.
    fn rest(self, program: &Program) -> Vec<Step> {
        self.0.iter().filter_map(|(thread, printed)| text(*thread, printed, program)).collect()
    }
}

/// The step of something printed. Nothing depends on it.
fn text(thread: u16, printed: &Printed, program: &Program) -> Option<Step> {
    let instr = program.threads.get(usize::from(printed.code))?.code.get(printed.pc as usize)?;
    let format = instr.ops.iter().find_map(|op| match op {
        Op::Print { format, .. } => Some(format),
        _ => None,
    })?;
    let text = print::filled(format, &printed.values, |v| value(v, program));
    Some(Step {
        thread: name(Some(thread), program),
        span: instr.span,
        text: instr.text.clone(),
        what: format!("prints {text:?}"),
        from: None,
        matters: false,
    })
}

/// An order of all that happens, if there is one.
fn schedule(facts: &Facts, machine: Machine) -> Option<Vec<Node>> {
    let n = facts.events.len();
    // Events first, then writes becoming visible.
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); 2 * n];
    let mut waits = vec![0usize; 2 * n];
    let mut edge = |a: usize, b: usize| {
        if a != b {
            after[a].push(b);
            waits[b] += 1;
        }
    };
    let delayed = |e: &Event| e.kind == EventKind::Write && matches!(machine, Machine::Tso | Machine::Pso);
    // When others see it.
    let seen = |w: usize| match &facts.events[w] {
        Some(e) if delayed(e) => n + w,
        _ => w,
    };
    let mut present = vec![false; 2 * n];
    for (x, event) in facts.all().filter(|(_, e)| e.thread.is_some()) {
        present[x] = true;
        if delayed(event) {
            present[n + x] = true;
            edge(x, n + x);
        }
        if let Some(first) = event.spawns.and_then(|child| facts.threads.get(usize::from(child))?.first()) {
            edge(x, *first);
        }
        if let Some(last) = event.joins.and_then(|child| facts.threads.get(usize::from(child))?.last()) {
            edge(*last, x);
        }
        let Some(source) = event.source.filter(|_| reads(event)) else { continue };
        let own = facts.events[source].as_ref().and_then(|e| e.thread) == event.thread;
        if facts.events[source].as_ref().is_some_and(|e| e.thread.is_some()) {
            edge(if own { source } else { seen(source) }, x);
        }
        if machine == Machine::None {
            continue;
        }
        // It reads before the next write is seen.
        let order =
            event.cell.and_then(|cell| facts.coherence.get(usize::from(cell))).map_or(&[][..], Vec::as_slice);
        let next = order.iter().position(|w| *w == source).and_then(|at| order.get(at + 1));
        if let Some(next) = next.filter(|next| **next != x) {
            edge(x, seen(*next));
        }
    }
    for thread in &facts.threads {
        thread.windows(2).for_each(|pair| edge(pair[0], pair[1]));
        for (at, x) in thread.iter().enumerate() {
            let Some(event) = &facts.events[*x] else { continue };
            let full =
                event.kind == EventKind::Rmw || event.kind == EventKind::Fence && is_in(event, "MFENCE");
            let stores = event.kind == EventKind::Fence && is_in(event, "SFENCE");
            for y in &thread[..at] {
                let Some(earlier) = facts.events[*y].as_ref().filter(|e| delayed(e)) else { continue };
                if full {
                    edge(n + y, *x);
                }
                if stores {
                    thread[at + 1..]
                        .iter()
                        .filter(|z| facts.events[**z].as_ref().is_some_and(delayed))
                        .for_each(|z| edge(n + y, n + z));
                }
                if delayed(event) && (machine == Machine::Tso || earlier.cell == event.cell) {
                    edge(n + y, n + x);
                }
            }
        }
    }
    if machine != Machine::None {
        for order in &facts.coherence {
            let real = |w: &usize| facts.events[*w].as_ref().is_some_and(|e| e.thread.is_some());
            let order: Vec<usize> = order.iter().copied().filter(real).collect();
            order.windows(2).for_each(|pair| edge(seen(pair[0]), seen(pair[1])));
        }
    }
    sorted(facts, &after, &mut waits, &present)
}

/// One thread goes on as long as it can, and a write lands as soon as it may.
fn sorted(facts: &Facts, after: &[Vec<usize>], waits: &mut [usize], present: &[bool]) -> Option<Vec<Node>> {
    let n = facts.events.len();
    let thread = |x: usize| facts.events[x % n.max(1)].as_ref().and_then(|e| e.thread);
    let mut left: Vec<usize> = (0..2 * n).filter(|x| present[*x]).collect();
    let mut order = Vec::with_capacity(left.len());
    let mut last: Option<usize> = None;
    while !left.is_empty() {
        let ready: Vec<usize> = left.iter().copied().filter(|x| waits[*x] == 0).collect();
        let lands = last.and_then(|last| ready.iter().find(|x| **x == last + n));
        let same = || ready.iter().find(|x| **x < n && last.is_some_and(|last| thread(last) == thread(**x)));
        let next = *lands.or_else(same).or_else(|| ready.iter().find(|x| **x < n)).or(ready.first())?;
        left.retain(|x| *x != next);
        after[next].iter().for_each(|x| waits[*x] -= 1);
        order.push(if next < n { Node::Event(next) } else { Node::Visible(next - n) });
        last = Some(next);
    }
    Some(order)
}

/// What to call a thread: the engine numbers those that were started after all that the program has.
pub(super) fn name(thread: Option<u16>, program: &Program) -> String {
    match thread.map(usize::from) {
        Some(0) => "main".to_string(),
        Some(thread) => format!("thread {}", (thread + 1).saturating_sub(program.threads.len())),
        None => "the start".to_string(),
    }
}

fn shown(read: Option<Value>, program: &Program) -> String {
    read.map_or("?".to_string(), |v| value(v, program))
}

/// The step of an event, if it is one to be shown.
pub(super) fn step(event: &Event, facts: &Facts, program: &Program) -> Option<Step> {
    let instr = program.threads.get(usize::from(event.code))?.code.get(event.pc as usize)?;
    let cell = cell(event, program);
    let show = |read: Option<Value>| number(event, read).unwrap_or_else(|| shown(read, program));
    let source = event.source.and_then(|source| facts.events[source].as_ref());
    let initial = if source.is_some_and(|e| e.thread.is_none()) { ", its initial value" } else { "" };
    let from = source.filter(|e| e.thread.is_some() && e.thread != event.thread).and_then(|e| {
        let code = &program.threads.get(usize::from(e.code))?.code;
        Some((name(e.thread, program), code.get(e.pc as usize)?.span))
    });
    let what = match (event.kind, event.spawns, event.joins) {
        (_, Some(child), _) => format!("starts {}", name(Some(child), program)),
        (_, _, Some(child)) => format!("joins {}", name(Some(child), program)),
        (EventKind::Read, ..) => format!("reads {cell} = {}{initial}", show(event.read)),
        (EventKind::Rmw, ..) if !writes(event) => format!("reads {cell} = {}{initial}", show(event.read)),
        (EventKind::Write, ..) => format!("writes {cell} = {}", show(event.written)),
        (EventKind::Rmw, ..) => {
            let comma = if initial.is_empty() { "" } else { "," };
            format!("{cell}: {}{initial}{comma} becomes {}", show(event.read), show(event.written))
        }
        _ if event.frees.is_some() => {
            let of = event.frees.map_or_else(String::new, |sym| object(sym, program));
            format!("{of} comes to its end")
        }
        _ => return None,
    };
    let thread = name(event.thread, program);
    Some(Step { thread, span: instr.span, text: instr.text.clone(), what, from, matters: true })
}

/// The value of an access to a floating-point number.
fn number(event: &Event, value: Option<Value>) -> Option<String> {
    let bits = value?.as_int()?;
    let is = |set: &str| event.sets.iter().any(|own| own == set);
    match () {
        () if is(FLOAT) => Some(format!("{:?}", f32::from_bits(bits as u32))),
        () if is(DOUBLE) => Some(format!("{:?}", f64::from_bits(bits as u64))),
        () => None,
    }
}

/// What to call the cell of an event. Objects made while the program ran are numbered.
pub(super) fn cell(event: &Event, program: &Program) -> String {
    if let Some(known) = event.cell.and_then(|cell| program.locations.get(usize::from(cell))) {
        return known.name.clone();
    }
    match event.at {
        Some((sym, 0)) => object(sym, program),
        Some((sym, offset)) => format!("{}+{offset}", object(sym, program)),
        None => "memory".to_string(),
    }
}

/// What to call an object.
fn object(sym: Sym, program: &Program) -> String {
    match usize::from(sym.0).checked_sub(program.symbols.len()) {
        None => program.symbol(sym).to_string(),
        Some(number) => format!("object {}", number + 1),
    }
}

/// A value as the trace shows it.
pub(super) fn value(value: Value, program: &Program) -> String {
    match value {
        Value::Addr { sym, offset: 0 } => format!("&{}", object(sym, program)),
        Value::Addr { sym, offset } => format!("&{}+{offset}", object(sym, program)),
        other => program.show(other),
    }
}
