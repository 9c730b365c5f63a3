//! Executions as whoever asked for them sees them.

use super::bits::{count, has};
use super::code::Check;
use super::graph::Graph;
use super::node::{Kind, NONE, Role};
use super::state::{Caution, Made, Printed, State, Stop};
use crate::diag::{Diagnostic, Remedy};
use crate::execution::{Cut, EventKind};
use crate::model::CheckKind;
use crate::program::{IllegalOp, Property, Reg, SetName, Sym, Value};
use crate::source::Span;

/// How an execution ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// Every thread came to its end.
    Complete,
    /// Some thread waits for what never comes.
    Blocked,
    /// A loop was cut in some thread.
    Cut(Vec<Cut>),
    /// A thread asks for what cannot be given.
    Error(Box<Diagnostic>),
    /// A thread did what it must not do.
    Violation(Violation),
}

/// What a thread did that it must not do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What is wrong.
    pub property: Property,
    /// The thread.
    pub thread: usize,
    /// The instruction.
    pub span: Span,
}

impl Ended {
    /// Of a test, an execution in which a thread waits for ever is none. Of a program (`properties`) it is one as far as it goes: where another thread was cut, or
    /// asked for what cannot be given, nobody knows what would have come there.
    pub(super) fn of<const W: usize>(graph: &Graph<W>, properties: bool) -> Ended {
        Ended::at(graph.threads.iter().map(|thread| &*thread.stop), properties)
    }

    /// Likewise, by where threads have come to.
    pub(super) fn at<'s, 'p: 's>(stops: impl Iterator<Item = &'s Stop<'p>>, properties: bool) -> Ended {
        let mut cuts = Vec::new();
        let mut blocked = false;
        let mut waits = false;
        let mut error = None;
        for (number, stop) in stops.enumerate() {
            match stop {
                // Whatever others do, it has been done.
                Stop::Violation(_, property, span) => {
                    let property = property.clone();
                    return Ended::Violation(Violation { property, thread: number, span: *span });
                }
                Stop::Join(_) => waits = true,
                Stop::Cut(_, cut) => cuts.push(cut.clone()),
                Stop::Error(_, diagnostic) if error.is_none() => error = Some(diagnostic.clone()),
                Stop::Blocked(_) => blocked = true,
                _ => {}
            }
        }
        match error.map(|diagnostic| Ended::Error(Box::new(diagnostic))) {
            // What this engine cannot do may be what others wait for.
            Some(error) if error.is_given_up() => error,
            _ if blocked && !properties => Ended::Blocked,
            Some(error) => error,
            None if !cuts.is_empty() => Ended::Cut(cuts),
            None if blocked || waits => Ended::Blocked,
            None => Ended::Complete,
        }
    }

    /// Is it where this engine cannot go on? What the model says of the whole execution is not known then.
    pub(super) fn is_given_up(&self) -> bool {
        matches!(self, Ended::Error(diagnostic) if diagnostic.remedy == Some(Remedy::OtherEngine))
    }
}

/// What a model notes about an execution that it accepts.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The flags it raises.
    pub flags: Vec<String>,
    /// Did it fail an `undefined_unless`?
    pub undefined: bool,
}

impl Found {
    pub(super) fn take(&mut self, flag: &Check, holds: bool) {
        match flag.kind {
            CheckKind::Flag if holds => self.flags.push(flag.name.clone()),
            CheckKind::UndefinedUnless if !holds => self.undefined = true,
            _ => {}
        }
    }
}

/// An event of an execution.
#[derive(Clone, Debug)]
pub struct Event<'e> {
    /// Its thread; initial writes have none.
    pub thread: Option<u16>,
    /// Which executed instruction of the thread it belongs to.
    pub instance: u32,
    /// The thread in whose code its instruction stands, and its index there.
    pub code: u16,
    /// The index of its instruction.
    pub pc: u32,
    /// What it is.
    pub kind: EventKind,
    /// Its memory cell.
    pub cell: Option<u16>,
    /// The object that it accesses, and the byte in it.
    pub at: Option<(Sym, i64)>,
    /// Sets that it is in besides those that follow from its kind.
    pub sets: &'e [SetName],
    /// The value it reads.
    pub read: Option<Value>,
    /// The value it writes.
    pub written: Option<Value>,
    /// The event it reads from.
    pub source: Option<usize>,
    /// The thread that it starts.
    pub spawns: Option<u16>,
    /// The thread that it waited for.
    pub joins: Option<u16>,
    /// The object whose life it ends.
    pub frees: Option<Sym>,
}

/// A thread that does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The thread.
    pub thread: u16,
    /// The code that it runs, and the instruction that it is at.
    pub code: u16,
    /// The index of the instruction.
    pub pc: u32,
    /// Why.
    pub why: Why,
    /// The first executed instruction of its last round, where it waits in a loop and that is known.
    pub since: Option<u32>,
}

/// Why a thread does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It waits for the end of that thread.
    Join(u16),
    /// It came back to the head of a loop as it had left it.
    Loop,
    /// Its instruction says so: an assumption, or something that is waited for.
    Instruction,
    /// A loop was cut, something went wrong, or it has come to where fewer reads would have brought it: it might go on.
    Given,
}

/// An execution. Events are numbered in the order in which they were found; choices of the machine are among them, as
/// events of no kind, and [`Execution::event`] has nothing for them.
pub trait Execution {
    /// How many events there are.
    fn n_events(&self) -> usize;
    /// An event.
    fn event(&self, number: usize) -> Option<Event<'_>>;
    /// The writes of each cell, in coherence order.
    fn coherence(&self) -> Vec<Vec<usize>>;
    /// The last value of a register; an error if it was computed from what has no meaning.
    ///
    /// # Errors
    /// The operation without meaning.
    fn register(&self, thread: usize, reg: Reg) -> Result<Value, IllegalOp>;
    /// Must all of the first event come before the second one: by the order of their thread, by reads, by starts and ends of threads?
    fn is_before(&self, first: usize, second: usize) -> bool;
    /// The objects that threads have made.
    fn made(&self) -> Vec<(u16, Made)> {
        Vec::new()
    }
    /// What C has no rule for, by thread.
    fn cautions(&self) -> Vec<(u16, Caution)> {
        Vec::new()
    }
    /// What threads have printed, in their order.
    fn printed(&self) -> Vec<(u16, Printed)> {
        Vec::new()
    }
    /// The threads that have not come to their end.
    fn waiting(&self) -> Vec<Waiting> {
        Vec::new()
    }
    /// The last value of a cell.
    fn memory(&self, cell: usize) -> Value;
    /// A text that tells this execution from every other of the same program.
    fn key(&self) -> String;
}

impl<const W: usize> Graph<'_, W> {
    /// What the states of threads have, with the numbers of the threads.
    fn each_state<T>(&self, of: impl Fn(&State) -> Vec<T>) -> Vec<(u16, T)> {
        let threads = self.threads.iter().enumerate();
        threads
            .filter_map(|(number, thread)| Some((number as u16, thread.stop.state()?)))
            .flat_map(|(number, state)| of(state).into_iter().map(move |one| (number, one)))
            .collect()
    }

    /// The place of an event in the order in which events were found.
    fn number(&self, slot: u16) -> Option<usize> {
        let slot = usize::from(slot);
        has(&self.present, slot).then(|| count(&self.earlier[slot]))
    }
}

impl<const W: usize> Execution for Graph<'_, W> {
    fn n_events(&self) -> usize {
        self.n()
    }

    fn event(&self, number: usize) -> Option<Event<'_>> {
        let node = &self.events[usize::from(*self.order.get(number)?)];
        let Kind::Event(kind) = node.kind else { return None };
        let some = |n: u16| Some(n).filter(|n| *n != NONE);
        Some(Event {
            thread: some(node.place.thread),
            instance: node.place.instance,
            code: node.place.code,
            pc: node.place.pc,
            kind,
            cell: some(node.cell),
            at: node.at,
            sets: node.sets,
            read: node.read,
            written: node.written,
            source: some(node.source).and_then(|source| self.number(source)),
            spawns: if let Role::Spawn(thread) = node.role { Some(thread) } else { None },
            joins: if let Role::Join(thread) = node.role { Some(thread) } else { None },
            frees: if let Role::Free(object) = node.role { Some(object) } else { None },
        })
    }

    fn coherence(&self) -> Vec<Vec<usize>> {
        self.co.iter().map(|order| order.iter().filter_map(|w| self.number(*w)).collect()).collect()
    }

    fn register(&self, thread: usize, reg: Reg) -> Result<Value, IllegalOp> {
        self.threads.get(thread).and_then(|t| t.stop.last()).map_or(Ok(Value::ZERO), |s| s.register(reg))
    }

    fn is_before(&self, first: usize, second: usize) -> bool {
        let (Some(first), Some(second)) = (self.order.get(first), self.order.get(second)) else {
            return false;
        };
        has(&self.prefix[usize::from(*second)], usize::from(*first))
    }

    fn made(&self) -> Vec<(u16, Made)> {
        let of = |state: &State| state.objects.clone();
        self.each_state(of)
    }

    fn cautions(&self) -> Vec<(u16, Caution)> {
        let of = |state: &State| state.cautions.clone();
        self.each_state(of)
    }

    fn printed(&self) -> Vec<(u16, Printed)> {
        let of = |state: &State| state.printed.clone();
        self.each_state(of)
    }

    fn waiting(&self) -> Vec<Waiting> {
        waiting(self.threads.iter().map(|thread| &*thread.stop))
    }

    fn memory(&self, cell: usize) -> Value {
        let last = self.co.get(cell).and_then(|order| order.last());
        last.and_then(|w| self.events[usize::from(*w)].written).unwrap_or(Value::ZERO)
    }

    fn key(&self) -> String {
        use std::fmt::Write as _;
        // Events by thread and place there.
        let mut name = vec![(NONE, 0usize); self.events.len()];
        let mut counts = vec![0usize; self.threads.len()];
        for e in &self.order {
            let node = &self.events[usize::from(*e)];
            name[usize::from(*e)] = match node.place.thread {
                NONE => (NONE, usize::from(node.cell)),
                thread => {
                    counts[usize::from(thread)] += 1;
                    (thread, counts[usize::from(thread)])
                }
            };
        }
        let mut lines: Vec<String> = Vec::new();
        for e in &self.order {
            let node = &self.events[usize::from(*e)];
            let mut line = format!("{:?} {:?} {} {}", name[usize::from(*e)], node.kind, node.cell, node.way);
            if node.source != NONE {
                let _ = write!(line, " from {:?}", name[usize::from(node.source)]);
            }
            lines.push(line);
        }
        lines.sort();
        for order in &self.co {
            lines.push(format!("{:?}", order.iter().map(|w| name[usize::from(*w)]).collect::<Vec<_>>()));
        }
        lines.join("\n")
    }
}

/// Those of some threads that have not come to their end, by where they have come to.
pub(super) fn waiting<'s, 'p: 's>(stops: impl Iterator<Item = &'s Stop<'p>>) -> Vec<Waiting> {
    let waiting = |(number, stop): (usize, &Stop)| {
        let (state, why) = match stop {
            Stop::Join(join) => (&join.state, Why::Join(join.target)),
            Stop::Blocked(state) if state.waits() => (state, Why::Loop),
            Stop::Blocked(state) if state.is_repeated => (state, Why::Given),
            Stop::Blocked(state) => (state, Why::Instruction),
            Stop::Cut(state, _) | Stop::Error(state, _) | Stop::Violation(state, ..) => (state, Why::Given),
            _ => return None,
        };
        let since = if why == Why::Loop { state.last_round() } else { None };
        Some(Waiting { thread: number as u16, code: state.code() as u16, pc: state.pc(), why, since })
    };
    stops.enumerate().filter_map(waiting).collect()
}
