//! Events in words: their letters, what they do, and the instruction they belong to.

use std::collections::BTreeMap;

use crate::arch::ArchId;
use crate::execution::{Event, EventKind};
use crate::litmus::Lowered;
use crate::program::{SetName, Space, Type, Value, format_value};

/// How values and cells are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Numbers in hexadecimal.
    pub hexa: bool,
    /// Globals in brackets.
    pub brackets: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look { hexa: false, brackets: true }
    }
}

/// Where an event stands among those of its thread.
pub fn order(event: &Event, number: usize) -> (Option<u16>, u32, usize) {
    (event.thread, event.instance, number)
}

/// A letter for each event that is not an initial write: `a`, `b`, … by thread and program order, what hardware does by itself last. Memory accesses and fences come first, so that
/// they have the same letters whatever else is shown.
pub fn letters(events: &[Event]) -> BTreeMap<usize, String> {
    let own = |e: &usize| events[*e].kind != EventKind::Init;
    let rank = |event: &Event| match is_usual(event) {
        true => 0,
        false if event.is_internal() => 2,
        false => 1,
    };
    let mut sorted: Vec<usize> = (0..events.len()).filter(own).collect();
    sorted.sort_by_key(|e| (rank(&events[*e]), events[*e].thread.is_none(), order(&events[*e], *e)));
    sorted.into_iter().enumerate().map(|(position, event)| (event, letter(position))).collect()
}

/// Is an event one that the usual picture has: memory, fences, faults and maintenance?
pub fn is_usual(event: &Event) -> bool {
    event.is_memory() || event.kind == EventKind::Fence || is_lock(event) || maintenance(event).is_some()
}

/// Types of faults, by the most telling of their sets.
const FAULTS: [(&str, &str); 8] = [
    ("TagCheck", "tag check"),
    ("PacCheck", "signature"),
    ("GCSCheck", "guarded stack"),
    ("Translation", "translation"),
    ("AccessFlag", "access flag"),
    ("Permission", "permission"),
    ("UndefinedInstruction", "undefined"),
    ("SVC", "call"),
];

/// What a fault is called, and maintenance of caches and of translations; none for other events.
fn maintenance(event: &Event) -> Option<String> {
    if event.kind != EventKind::Other {
        return None;
    }
    if event.is_fault() {
        let kind = FAULTS.iter().find(|(set, _)| event.is_in(set)).map_or("", |(_, kind)| kind);
        return Some(format!("fault: {kind}"));
    }
    let named = |set: &&SetName| ["DC.", "IC."].iter().any(|cache| set.starts_with(cache)) || **set == "TLBI";
    event.sets.iter().find(named).map(ToString::to_string)
}

/// Why an instruction makes an access that it does not name.
fn role(event: &Event, test: &Lowered) -> &'static str {
    let cell = event.loc.and_then(|loc| test.program.locations.get(usize::from(loc.0)));
    match cell {
        _ if !event.is_implicit() => "",
        _ if event.is_in("GCS") => " stack",
        Some(cell) if cell.space.is_entry() && event.is_read() => " walk",
        Some(cell) if cell.space.is_entry() => " update",
        Some(cell) if cell.space == Space::Tag => " tag check",
        _ => " fetch",
    }
}

/// The sets of accesses to locks, and what such an access does.
const LOCKS: [(&str, &str); 8] = [
    ("LKR", "Lock.R"),
    ("LKW", "Lock.W"),
    ("LS", "Lock"),
    ("LF", "Lock.failed"),
    ("RL", "Locked?"),
    ("RU", "Unlocked?"),
    ("UL", "Unlock"),
    ("LK", "Lock"),
];

/// Does an event take a lock, give it back, or look at it?
pub fn is_lock(event: &Event) -> bool {
    event.kind == EventKind::Other && !lock(event).is_empty()
}

fn lock(event: &Event) -> &'static str {
    let is = |set: &str| event.sets.iter().any(|own| own == set);
    LOCKS.iter().find(|(set, _)| is(set)).map_or("", |(_, what)| what)
}

/// How an access is ordered, as its instruction says: `.A`, `.L`, `.acq`, `.sc` …
pub fn annotations(event: &Event, test: &Lowered) -> String {
    const MACHINE: [(&str, &str); 8] = [
        ("A", "A"),
        ("Q", "Q"),
        ("L", "L"),
        ("AcqRel", "aq.rl"),
        ("Acq", "aq"),
        ("Rel", "rl"),
        ("AQ", "acq"),
        ("RL", "rel"),
    ];
    const C: [(&str, &str); 9] = [
        ("SC", "sc"),
        ("ACQ_REL", "acq_rel"),
        ("ACQ", "acq"),
        ("REL", "rel"),
        ("CON", "con"),
        ("RLX", "rlx"),
        ("Acquire", "acquire"),
        ("Release", "release"),
        ("Once", "once"),
    ];
    let list: &[(&str, &str)] = if test.program.conventions.arch == ArchId::C.name() { &C } else { &MACHINE };
    let is = |set: &str| event.sets.iter().any(|own| own == set);
    let first = list.iter().find(|(set, _)| is(set));
    first.map_or_else(String::new, |(_, what)| format!(".{what}"))
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
pub fn place(event: &Event, test: &Lowered, brackets: bool) -> String {
    match location(event, test) {
        Some(name) if brackets => format!("[{name}]"),
        Some(name) => name.to_string(),
        None => String::new(),
    }
}

/// `W[x]=1`.
pub fn action(event: &Event, values: &(Option<Value>, Option<Value>), test: &Lowered, look: Look) -> String {
    let ty = match (&event.part, event.loc) {
        (Some(part), _) => Type { bytes: part.bytes, signed: false },
        (None, Some(loc)) => test.program.locations.get(loc.0 as usize).map_or(Type::INT, |l| l.ty),
        (None, None) => Type::INT,
    };
    let show = |value: Option<Value>| match value {
        Some(value) => format_value(value, ty, &test.program, look.hexa),
        None => "?".to_string(),
    };
    let place = place(event, test, look.brackets);
    let how = format!("{}{}", annotations(event, test), role(event, test));
    // The name of what is done, and the place.
    let how = if event.is_implicit() && !look.brackets { format!("{how} ") } else { how };
    match event.kind {
        EventKind::Init | EventKind::Write => format!("W{how}{place}={}", show(values.1)),
        EventKind::Read => format!("R{how}{place}={}", show(values.0)),
        EventKind::Rmw => format!("RMW{how}{place}={}/{}", show(values.0), show(values.1)),
        _ if is_lock(event) => format!("{}{place}", kind(event, test)),
        _ if maintenance(event).is_some() => {
            let at = event.at.map(|address| format!("[{}]", test.program.show(address)));
            format!("{}{}", kind(event, test), at.unwrap_or(place))
        }
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
        EventKind::Other if is_lock(event) => lock(event).to_string(),
        EventKind::Other if maintenance(event).is_some() => maintenance(event).unwrap_or_default(),
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
