//! Concrete values and the small ids used throughout the program side.

/// A register (or C local), an index into the program's [`super::RegTable`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Reg(pub u16);

/// A symbol (the name of a global), an index into `Program::symbols`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sym(pub u16);

/// A memory cell, an index into `Program::locations`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocId(pub u16);

use super::pte::Pte;
use super::signature::{Field, Pointer};

/// A concrete value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// An integer, kept as a signed number of the program's width (`Program::bits`).
    Int(i128),
    /// The address of a symbol plus a byte offset.
    Addr {
        /// The symbol.
        sym: Sym,
        /// Offset in bytes.
        offset: i64,
    },
    /// The address of an instruction: thread and program counter.
    Code {
        /// The thread.
        thread: u16,
        /// The index of the instruction.
        pc: u16,
    },
    /// An instruction, an index into `Program::instructions`.
    Instr(u16),
    /// A physical address: where the page tables lead.
    Phys {
        /// The symbol whose memory it is.
        sym: Sym,
        /// Offset in bytes.
        offset: i64,
    },
    /// The address of the page table entry of a symbol.
    PteAddr(Sym),
    /// The address of the entry of the page on which the page table entry of a symbol lies.
    TableAddr(Sym),
    /// The page of a symbol, as TLB maintenance names it.
    Page(Sym),
    /// A page table entry.
    Pte(Pte),
    /// What an address translation gave: a physical address, or none.
    Translated(Option<(Sym, i64)>),
    /// The address of a symbol with a tag, an index into `Machine::tags`.
    Tagged {
        /// The symbol.
        sym: Sym,
        /// The tag.
        tag: u16,
        /// Offset in bytes.
        offset: i64,
    },
    /// A pointer whose upper bits are not those of an address: signed, or signed and found wrong.
    Signed {
        /// The pointer.
        of: Pointer,
        /// What its upper bits hold.
        field: Field,
    },
    /// A tag.
    Tag(u16),
    /// The address of the tag of a granule.
    TagAddr {
        /// The symbol.
        sym: Sym,
        /// Offset of the granule in bytes.
        offset: i64,
    },
}

impl Value {
    /// Zero.
    pub const ZERO: Value = Value::Int(0);
    /// One.
    pub const ONE: Value = Value::Int(1);

    /// The address of a symbol.
    pub fn addr(sym: Sym) -> Value {
        Value::Addr { sym, offset: 0 }
    }

    /// The integer, if it is one.
    pub fn as_int(self) -> Option<i128> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }
}
