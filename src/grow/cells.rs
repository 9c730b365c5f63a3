//! Memory cells by address.

use rustc_hash::FxHashMap;

use crate::program::{Program, Sym, Value};

/// The cells of a program.
pub(super) struct Cells {
    by_address: FxHashMap<(Sym, i64), u16>,
    initial: Vec<Value>,
}

impl Cells {
    pub fn new(program: &Program) -> Cells {
        let addresses = program.locations.iter().enumerate();
        Cells {
            by_address: addresses.map(|(n, cell)| ((cell.sym, cell.offset), n as u16)).collect(),
            initial: program.locations.iter().map(|cell| cell.init).collect(),
        }
    }

    /// The cell at an address.
    pub fn at(&self, sym: Sym, offset: i64) -> Option<u16> {
        self.by_address.get(&(sym, offset)).copied()
    }

    /// Initial values, by cell.
    pub fn initial(&self) -> &[Value] {
        &self.initial
    }
}
