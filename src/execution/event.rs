//! Events.

use std::sync::Arc;

use crate::program::{BranchKind, IllegalOp, LocId, Port, Program, Reg, SetName, Value};
use crate::source::Span;

use super::SymVal;
use super::cells::{Extent, Part};

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// Initial write of a cell.
    Init,
    /// Memory read.
    Read,
    /// Memory write.
    Write,
    /// One event that reads and writes.
    Rmw,
    /// Fence.
    Fence,
    /// Branch.
    Branch(BranchKind),
    /// Any other, by its sets alone.
    Other,
    /// Register read.
    RegRead(Reg, Port),
    /// Register write.
    RegWrite(Reg),
}

/// An event of a world.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its thread; initial writes have none.
    pub thread: Option<u16>,
    /// Which executed instruction of the thread it belongs to, in program order.
    pub instance: u32,
    /// The instruction: an index into the code of thread `code`.
    pub pc: u32,
    /// The thread in whose code the instruction stands: its own, unless it jumped elsewhere.
    pub code: u16,
    /// What it is.
    pub kind: EventKind,
    /// The cell, for memory events (and others that have one).
    pub loc: Option<LocId>,
    /// The part of memory, where cells are cut up.
    pub part: Option<Arc<Part>>,
    /// The address that it names, for faults and maintenance, which access no cell.
    pub at: Option<Value>,
    /// Size of a memory access in bytes; initial writes have none.
    pub size: Option<u8>,
    /// The bytes of the whole access that it belongs to, where sizes are mixed.
    pub extent: Option<Extent>,
    /// Which access of its thread it belongs to: where cells are cut up, several events are one access.
    pub access: u32,
    /// The value read or written (for [`EventKind::Rmw`]: read).
    pub value: Option<SymVal>,
    /// The value written by an [`EventKind::Rmw`].
    pub written: Option<SymVal>,
    /// Predefined sets it is in, besides those that follow from its kind.
    pub sets: Vec<SetName>,
}

impl Event {
    /// In `R`?
    pub fn is_read(&self) -> bool {
        matches!(self.kind, EventKind::Read | EventKind::Rmw)
    }

    /// In `W`?
    pub fn is_write(&self) -> bool {
        matches!(self.kind, EventKind::Init | EventKind::Write | EventKind::Rmw)
    }

    /// In `M`?
    pub fn is_memory(&self) -> bool {
        self.is_read() || self.is_write()
    }

    /// An access that the instruction does not name: a fetch, a walk of page tables, a tag check. Those are in `NExp`.
    pub fn is_implicit(&self) -> bool {
        self.sets.iter().any(|set| set == "NExp")
    }

    /// In that set, besides those that follow from its kind?
    pub fn is_in(&self, name: &str) -> bool {
        self.sets.iter().any(|set| set == name)
    }

    /// A fault?
    pub fn is_fault(&self) -> bool {
        self.kind == EventKind::Other && self.sets.iter().any(|set| set == "FAULT")
    }

    /// A register event?
    pub fn is_register(&self) -> bool {
        matches!(self.kind, EventKind::RegRead(..) | EventKind::RegWrite(_))
    }

    /// One that no model sees: only dependencies go through it.
    pub fn is_hidden(&self) -> bool {
        matches!(self.kind, EventKind::Branch(kind) if kind.is_hidden())
    }

    /// Of the inside of an instruction: a register event, or a hidden one.
    pub fn is_internal(&self) -> bool {
        self.is_register() || self.is_hidden()
    }

    /// The value that a read of this write takes.
    pub fn written_value(&self) -> Option<&SymVal> {
        match self.kind {
            EventKind::Rmw => self.written.as_ref(),
            EventKind::Init | EventKind::Write => self.value.as_ref(),
            _ => None,
        }
    }

    /// Does its value hold that operation without meaning, given those of some reads?
    pub fn needs(&self, illegal: IllegalOp, reads: &[Option<Value>], bits: u32) -> bool {
        let values = [&self.value, &self.written].into_iter().flatten();
        values.into_iter().any(|value| value.eval(reads, bits) == Err(illegal))
    }

    /// The place of its instruction.
    pub fn place(&self, program: &Program) -> Option<Span> {
        self.thread?;
        Some(program.threads.get(usize::from(self.code))?.code.get(self.pc as usize)?.span)
    }
}
