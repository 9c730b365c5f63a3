//! Register names, memory cells and their types.

use super::value::{Reg, Sym, Value};

/// The integer type of a memory cell or register: what is printed, and how conditions compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// Size in bytes.
    pub bytes: u8,
    /// Printed signed or unsigned.
    pub signed: bool,
}

impl Type {
    /// `int`: what an undeclared location or register has.
    pub const INT: Type = Type { bytes: 4, signed: true };

    /// The value as this type holds it: integers are cut to its size, with its sign; addresses stay.
    pub fn truncate(self, value: Value) -> Value {
        match value {
            Value::Int(n) if self.bytes < 16 => {
                let bits = 8 * u32::from(self.bytes);
                let low = n & ((1i128 << bits) - 1);
                let negative = self.signed && low >> (bits - 1) & 1 == 1;
                Value::Int(if negative { low - (1i128 << bits) } else { low })
            }
            other => other,
        }
    }
}

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Space {
    /// Data.
    #[default]
    Data,
    /// The tag of a granule of its symbol.
    Tag,
    /// The page table entry of its symbol.
    Pte,
    /// The entry of the page on which that entry lies, where entries are reached through entries.
    Table,
}

impl Space {
    /// Is it a page table entry, whatever of?
    pub fn is_entry(self) -> bool {
        matches!(self, Space::Pte | Space::Table)
    }
}

/// A memory cell.
#[derive(Clone, Debug)]
pub struct Location {
    /// What it holds.
    pub space: Space,
    /// Its name as printed in states: `x`, or `x[1]` for an element of an array.
    pub name: String,
    /// The symbol it belongs to.
    pub sym: Sym,
    /// Byte offset from the symbol.
    pub offset: i64,
    /// Declared type, or `int`.
    pub ty: Type,
    /// Was the type written in the test?
    pub declared: bool,
    /// Initial value.
    pub init: Value,
}

/// Interned register names. The arch decides the canonical spelling.
#[derive(Clone, Default, Debug)]
pub struct RegTable {
    names: Vec<String>,
}

impl RegTable {
    /// The id of a (canonical) name, new or old.
    pub fn intern(&mut self, name: &str) -> Reg {
        if let Some(reg) = self.find(name) {
            return reg;
        }
        self.names.push(name.to_string());
        Reg((self.names.len() - 1) as u16)
    }

    /// The id of a name already there.
    pub fn find(&self, name: &str) -> Option<Reg> {
        self.names.iter().position(|n| n == name).map(|index| Reg(index as u16))
    }

    /// The canonical name.
    pub fn name(&self, reg: Reg) -> &str {
        &self.names[reg.0 as usize]
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
