//! Events in words: their letters, what they do, and the instruction they belong to.

use std::collections::BTreeMap;

use crate::execution::{Event, EventKind};
use crate::litmus::Lowered;
use crate::program::{Type, Value, format_value};

use super::style::Style;

/// Where an event stands among those of its thread.
pub(super) fn order(event: &Event, number: usize) -> (Option<u16>, u32, usize) {
    (event.thread, event.instance, number)
}

/// A letter for each event that is not an initial write: `a`, `b`, … by thread and program order.
pub fn letters(events: &[Event], shown: &[usize]) -> BTreeMap<usize, String> {
    let mut sorted: Vec<usize> = shown.iter().copied().filter(|e| events[*e].thread.is_some()).collect();
    sorted.sort_by_key(|e| order(&events[*e], *e));
    sorted.into_iter().enumerate().map(|(position, event)| (event, letter(position))).collect()
}

/// `a` … `z`, `aa`, `ab` …
fn letter(position: usize) -> String {
    let last = char::from(b'a' + (position % 26) as u8);
    match position / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letter(more - 1)),
    }
}

/// The name of the place in memory that an event is about.
pub fn location<'a>(event: &'a Event, test: &'a Lowered) -> Option<&'a str> {
    match &event.part {
        Some(part) => Some(&part.name),
        None => Some(&test.program.locations.get(event.loc?.0 as usize)?.name),
    }
}

/// The cell of an event, as a test names it.
pub(super) fn place(event: &Event, test: &Lowered, brackets: bool) -> String {
    match location(event, test) {
        Some(name) if brackets => format!("[{name}]"),
        Some(name) => name.to_string(),
        None => String::new(),
    }
}

/// `W[x]=1`.
pub(super) fn action(
    event: &Event,
    values: &(Option<Value>, Option<Value>),
    test: &Lowered,
    style: &Style,
) -> String {
    let ty = match (&event.part, event.loc) {
        (Some(part), _) => Type { bytes: part.bytes, signed: false },
        (None, Some(loc)) => test.program.locations.get(loc.0 as usize).map_or(Type::INT, |l| l.ty),
        (None, None) => Type::INT,
    };
    let show = |value: Option<Value>| match value {
        Some(value) => format_value(value, ty, &test.program, style.hexa),
        None => "?".to_string(),
    };
    let place = place(event, test, style.brackets);
    match event.kind {
        EventKind::Init | EventKind::Write => format!("W{place}={}", show(values.1)),
        EventKind::Read => format!("R{place}={}", show(values.0)),
        EventKind::Rmw => format!("RMW{place}={}/{}", show(values.0), show(values.1)),
        _ => kind(event, test),
    }
}

fn kind(event: &Event, test: &Lowered) -> String {
    let register = |reg| test.program.regs.name(reg).to_string();
    match event.kind {
        EventKind::Init => "initial W".to_string(),
        EventKind::Read => "R".to_string(),
        EventKind::Write => "W".to_string(),
        EventKind::Rmw => "RMW".to_string(),
        EventKind::Fence => "F".to_string(),
        EventKind::Branch(_) => "branch".to_string(),
        EventKind::RegRead(reg, _) => format!("R {}", register(reg)),
        EventKind::RegWrite(reg) => format!("W {}", register(reg)),
        EventKind::Other => "event".to_string(),
    }
}

/// The instruction of an event.
pub fn instruction(event: &Event, test: &Lowered) -> String {
    if event.thread.is_none() {
        return String::new();
    }
    let code = test.program.threads.get(usize::from(event.code)).map(|thread| &thread.code);
    code.and_then(|code| code.get(event.pc as usize)).map_or_else(String::new, |i| i.text.trim().to_string())
}

/// An event without its values: `b: P0 W[x] (STR R0,[R1])`.
pub fn describe(event: &Event, letter: &str, test: &Lowered) -> String {
    let what = format!("{letter}: ");
    let kind = kind(event, test);
    let place = place(event, test, true);
    match event.thread {
        None => format!("{kind}{place}"),
        Some(thread) => format!("{what}P{thread} {kind}{place} ({})", instruction(event, test)),
    }
}
