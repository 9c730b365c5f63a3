//! Properties of whole executions: memory that is gone, races, locks.

use super::facts::{Before, Facts, atomic, is_in, writes};
use super::{grace, sections, trace};
use crate::arch::c::unit::lower::{Machine, Orders};
use crate::execution::EventKind;
use crate::grow::{Event, Execution};
use crate::program::threads::{DESTROY, LOCK, MAY_RACE, SECTION_BEGIN, UNLOCK};
use crate::program::{Op, Program, Property, Storage, Sym, Value};
use crate::source::Span;

/// What an execution violates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which property.
    pub property: Property,
    /// Who takes part in it, where, and how.
    pub parts: Vec<Part>,
    /// The events that it is about; none: the whole execution.
    pub events: Vec<usize>,
}

/// One side of a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The thread.
    pub thread: String,
    /// Where.
    pub span: Span,
    /// The text there.
    pub text: String,
    /// What it does there.
    pub does: String,
}

/// What there is to look for in a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Objects come to their end.
    frees: bool,
    /// Objects are made.
    pub makes: bool,
    /// Locks are taken.
    pub locks: bool,
    /// Parts that nothing may come between.
    pub sections: bool,
}

impl Wanted {
    /// Is something looked for that hangs on which event comes before which? On a cycle each comes before each, and nothing would be found there.
    pub fn looks_at_order(self) -> bool {
        self.frees || self.locks || self.sections
    }

    /// Is something looked for in what was done on the way, which cannot be seen from where an execution has come to?
    pub fn looks_back(self) -> bool {
        self.frees || self.locks || self.makes
    }

    pub fn of(program: &Program) -> Wanted {
        let mut wanted = Wanted { frees: false, makes: false, locks: false, sections: false };
        let ops = program.threads.iter().flat_map(|t| &t.code).flat_map(|instr| &instr.ops);
        for op in ops {
            match op {
                Op::Free { .. } => wanted.frees = true,
                Op::Alloc { kind: Storage::Heap, .. } => wanted.makes = true,
                Op::Store { sets, .. } | Op::CompareExchange { sets, .. } => {
                    wanted.locks |= sets.iter().any(|s| s == LOCK || s == UNLOCK || s == DESTROY);
                }
                Op::Fence { sets, .. } => {
                    wanted.sections |= sets.iter().any(|s| s == SECTION_BEGIN);
                }
                _ => {}
            }
        }
        wanted
    }
}

/// One side, as a message has it.
pub(super) fn part(event: &Event, program: &Program, does: impl Into<String>) -> Option<Part> {
    let instr = program.threads.get(usize::from(event.code))?.code.get(event.pc as usize)?;
    Some(Part {
        thread: trace::name(event.thread, program),
        span: instr.span,
        text: instr.text.clone(),
        does: does.into(),
    })
}

fn verb(event: &Event) -> &'static str {
    match event.kind {
        EventKind::Rmw => "updates",
        _ if writes(event) => "writes",
        _ => "reads",
    }
}

/// The first thing that an execution violates as a whole.
pub(super) fn check(
    execution: &dyn Execution,
    program: &Program,
    wanted: Wanted,
    orders: Orders,
) -> Option<Finding> {
    if !wanted.frees && !wanted.locks && !wanted.makes {
        return None;
    }
    let facts = Facts::new(execution);
    let lock = if wanted.locks { lock_error(&facts, program) } else { None };
    lock.or_else(|| if wanted.frees { lifetime(&facts, program, orders) } else { None })
        .or_else(|| if wanted.makes && orders == Orders::Sets { unborn(&facts, program) } else { None })
}

/// What comes before what for the life of objects: by what the language promises, or in every run that is this execution.
fn life_order(facts: &Facts, orders: Orders) -> Before {
    match orders {
        Orders::Sets | Orders::Dependent => Before::happens(facts),
        Orders::Machine(Machine::Kernel) => grace::closure(facts, sequential(facts)),
        Orders::Fences | Orders::Machine(_) => Before::closure(facts.events.len(), &sequential(facts)),
    }
}

/// Order of threads, reads, coherence.
pub(super) fn sequential(facts: &Facts) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for thread in &facts.threads {
        edges.extend(thread.windows(2).map(|pair| (pair[0], pair[1])));
    }
    for (n, event) in facts.all() {
        if let Some(first) = event.spawns.and_then(|child| facts.threads.get(usize::from(child))?.first()) {
            edges.push((n, *first));
        }
        if let Some(last) = event.joins.and_then(|child| facts.threads.get(usize::from(child))?.last()) {
            edges.push((*last, n));
        }
        if let (Some(source), Some(cell)) = (event.source, event.cell) {
            edges.push((source, n));
            // From a read to the write that came after its source.
            let order = facts.coherence.get(usize::from(cell)).map_or(&[][..], Vec::as_slice);
            let at = order.iter().position(|w| *w == source);
            if let Some(next) = at.and_then(|at| order.get(at + 1)).filter(|next| **next != n) {
                edges.push((n, *next));
            }
        }
    }
    for order in &facts.coherence {
        edges.extend(order.windows(2).map(|pair| (pair[0], pair[1])));
    }
    edges
}

/// An access to an object that is not before its end; an object that ends twice.
fn lifetime(facts: &Facts, program: &Program, orders: Orders) -> Option<Finding> {
    let ends: Vec<(usize, &Event)> = facts.all().filter(|(_, e)| e.frees.is_some()).collect();
    if ends.is_empty() {
        return None;
    }
    for (at, (n, first)) in ends.iter().enumerate() {
        if let Some((m, second)) = ends[at + 1..].iter().find(|(_, e)| e.frees == first.frees) {
            let parts = [part(first, program, "frees it"), part(second, program, "frees it")];
            let parts = parts.into_iter().flatten().collect();
            let events = vec![*n, *m];
            return Some(Finding { property: Property::DoubleFree, parts, events });
        }
    }
    let before = life_order(facts, orders);
    for (end, freeing) in &ends {
        for (n, access) in facts.accesses() {
            let same = access.at.is_some_and(|(object, _)| Some(object) == freeing.frees);
            if same && access.thread != freeing.thread && !before.has(n, *end) {
                let parts = [part(access, program, verb(access)), part(freeing, program, "ends its life")];
                let parts = parts.into_iter().flatten().collect();
                let events = vec![n, *end];
                return Some(Finding { property: Property::UseAfterFree, parts, events });
            }
        }
    }
    None
}

/// An access to an object that another thread has made, which is not ordered after that.
fn unborn(facts: &Facts, program: &Program) -> Option<Finding> {
    let made = facts.execution.made();
    let maker = |e: &Event| {
        let object = e.at?.0;
        made.iter().find(|(thread, made)| made.object == object && Some(*thread) != e.thread)
    };
    let foreign: Vec<_> = facts.accesses().filter_map(|(n, e)| Some((n, e, maker(e)?))).collect();
    if foreign.is_empty() {
        return None;
    }
    let before = Before::happens(facts);
    for (n, access, (thread, made)) in foreign {
        let since = facts.threads.get(usize::from(*thread)).map_or(&[][..], Vec::as_slice).iter();
        let later = |m: &&usize| facts.events[**m].as_ref().is_some_and(|e| e.instance >= made.instance);
        if made.kind != Storage::Heap || since.filter(later).any(|m| before.has(*m, n)) {
            continue;
        }
        let making = place(*thread, made.code, made.pc, program)
            .map(|part| Part { does: "makes it".to_string(), ..part });
        let parts = [part(access, program, verb(access)), making].into_iter().flatten().collect();
        return Some(Finding { property: Property::BeforeLife, parts, events: vec![n] });
    }
    None
}

/// Objects that are there at the end of a program although nothing says where they are any more.
pub(super) fn leaks(execution: &dyn Execution, program: &Program) -> Vec<Finding> {
    let made: Vec<_> = execution.made().into_iter().filter(|(_, made)| made.kind == Storage::Heap).collect();
    if made.is_empty() {
        return Vec::new();
    }
    let facts = Facts::new(execution);
    let is_freed = |object: Sym| facts.all().any(|(_, e)| e.frees == Some(object));
    // Who points to whom, by the last write of each cell.
    let last = facts.coherence.iter().filter_map(|order| facts.events[*order.last()?].as_ref());
    let pointers: Vec<(Sym, Sym)> = last
        .filter_map(|e| match (e.at, e.written) {
            (Some((from, _)), Some(Value::Addr { sym, .. })) => Some((from, sym)),
            _ => None,
        })
        .collect();
    let made_by_threads: Vec<Sym> = execution.made().iter().map(|(_, made)| made.object).collect();
    let mut known: Vec<Sym> = pointers.iter().map(|(from, _)| *from).collect();
    known.retain(|object| !made_by_threads.contains(object));
    let mut at = 0;
    while let Some(object) = known.get(at).copied() {
        for (_, to) in pointers.iter().filter(|(from, _)| *from == object) {
            if !known.contains(to) {
                known.push(*to);
            }
        }
        at += 1;
    }
    let lost = made.into_iter().filter(|(_, made)| !known.contains(&made.object) && !is_freed(made.object));
    lost.filter_map(|(thread, made)| {
        let part = place(thread, made.code, made.pc, program)?;
        Some(Finding { property: Property::Leak, parts: vec![part], events: Vec::new() })
    })
    .collect()
}

/// The place of an instruction, without more to be said.
pub(super) fn place(thread: u16, code: u16, pc: u32, program: &Program) -> Option<Part> {
    let instr = program.threads.get(usize::from(code))?.code.get(pc as usize)?;
    Some(Part {
        thread: trace::name(Some(thread), program),
        span: instr.span,
        text: instr.text.clone(),
        does: String::new(),
    })
}

/// Two accesses that race: by different threads, to one cell, one a write and one plain, and neither happens before the other.
pub(super) fn race(execution: &dyn Execution, program: &Program) -> Option<Finding> {
    let facts = Facts::new(execution);
    let before = Before::happens(&facts).and(&sections::order(&facts));
    let all: Vec<(usize, &Event)> = facts.accesses().filter(|(_, e)| !is_in(e, MAY_RACE)).collect();
    for (n, a) in all.iter().filter(|(_, e)| !atomic(e)) {
        for (m, b) in &all {
            let conflict = a.cell == b.cell && a.thread != b.thread && (writes(a) || writes(b));
            if conflict && !before.has(*n, *m) && !before.has(*m, *n) {
                let (a, b) = if (a.thread, *n) < (b.thread, *m) { (a, b) } else { (b, a) };
                let side = |e: &Event| {
                    let how = if atomic(e) { "" } else { ", not atomically" };
                    part(e, program, format!("{}{how}", verb(e)))
                };
                let parts = [side(a), side(b)].into_iter().flatten().collect();
                return Some(Finding { property: Property::Race, parts, events: vec![*n, *m] });
            }
        }
    }
    None
}

/// A lock given back by who does not hold it, or used after its end. Of several, the one that says most.
fn lock_error(facts: &Facts, program: &Program) -> Option<Finding> {
    let mut best: Option<(usize, Finding)> = None;
    for (n, event) in facts.accesses() {
        let (unlock, destroy) = (is_in(event, UNLOCK), is_in(event, DESTROY));
        let previous = match unlock || destroy {
            true => facts.previous(n),
            false if is_in(event, LOCK) => event.source,
            false => None,
        };
        let Some(before) = previous.and_then(|p| facts.events[p].as_ref()) else { continue };
        let held = is_in(before, LOCK);
        let (rank, text, does, did) = match () {
            () if is_in(before, DESTROY) => {
                (0, "a lock is used after it was destroyed", "uses it", "destroys it")
            }
            () if destroy && held => (1, "a lock is destroyed while it is held", "destroys it", "holds it"),
            () if unlock && held && before.thread != event.thread => {
                (2, "a lock is given back by a thread that does not hold it", "unlocks it", "holds it")
            }
            () if unlock && !held => {
                (3, "a lock is given back that nobody holds", "unlocks it", "was the last to change it")
            }
            () => continue,
        };
        if best.as_ref().is_none_or(|(known, _)| rank < *known) {
            let other = if before.thread.is_some() { part(before, program, did) } else { None };
            let parts = part(event, program, does).into_iter().chain(other).collect();
            let events = previous.into_iter().chain([n]).collect();
            best = Some((rank, Finding { property: Property::Lock(text.to_string()), parts, events }));
        }
    }
    best.map(|(_, finding)| finding)
}
