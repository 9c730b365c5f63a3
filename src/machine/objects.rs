//! Cells of memory by their addresses: those that the program has from the start, and those of objects that it makes while it runs.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::state::Memory;
use crate::program::{Program, Storage, Sym, Value};

/// The cells.
pub(super) struct Cells {
    /// Those of the program.
    fixed: FxHashMap<(u16, i64), u16>,
    n_symbols: usize,
    objects: Vec<Storage>,
    /// Those of objects, numbered as they are met.
    made: RefCell<Made>,
}

#[derive(Default)]
struct Made {
    numbers: FxHashMap<(u16, i64), u16>,
    of: Vec<u16>,
}

/// The offset of the cell that says whether an object lives.
const LIFE: i64 = i64::MIN;

impl Cells {
    pub fn new(program: &Program, objects: &[Storage]) -> Cells {
        let cells = program.locations.iter().enumerate();
        let fixed = cells.map(|(number, cell)| ((cell.sym.0, cell.offset), number as u16)).collect();
        let n_symbols = program.symbols.len();
        Cells { fixed, n_symbols, objects: objects.to_vec(), made: RefCell::default() }
    }

    /// The cell at an address.
    pub fn at(&self, value: Value) -> Option<u16> {
        let Value::Addr { sym, offset } = value else { return None };
        if usize::from(sym.0) < self.n_symbols {
            return self.fixed.get(&(sym.0, offset)).copied();
        }
        Some(self.of_object(sym.0, offset))
    }

    fn of_object(&self, sym: u16, offset: i64) -> u16 {
        let mut made = self.made.borrow_mut();
        let next = (self.fixed.len() + made.of.len()) as u16;
        let number = *made.numbers.entry((sym, offset)).or_insert(next);
        if number == next {
            made.of.push(sym);
        }
        number
    }

    /// How objects of a place live.
    pub fn storage(&self, sym: Sym) -> Option<Storage> {
        usize::from(sym.0).checked_sub(self.n_symbols).and_then(|place| self.objects.get(place)).copied()
    }

    /// Can no other thread get at the cell?
    pub fn is_private(&self, cell: u16) -> bool {
        let Some(number) = usize::from(cell).checked_sub(self.fixed.len()) else { return false };
        let sym = self.made.borrow().of.get(number).copied();
        sym.is_some_and(|sym| self.storage(Sym(sym)) == Some(Storage::Private))
    }

    /// Is it a cell of that object?
    pub fn belongs(&self, cell: u16, sym: Sym) -> bool {
        let number = usize::from(cell).checked_sub(self.fixed.len());
        number.is_some_and(|number| self.made.borrow().of.get(number) == Some(&sym.0))
    }

    /// The memory with a fresh object of a place. `None`: the last one still lives, and there is room for one.
    pub fn with_object(&self, memory: &Memory, sym: Sym) -> Option<Memory> {
        let life = self.of_object(sym.0, LIFE);
        let heap = self.storage(sym) == Some(Storage::Heap);
        if heap && read(memory, life) != Value::ZERO {
            return None;
        }
        let mut new = memory.clone();
        for cell in self.fixed.len()..new.len() {
            if self.belongs(cell as u16, sym) {
                new[cell] = Value::ZERO;
            }
        }
        Some(if heap { written(&new, life, Value::Int(1)) } else { new })
    }

    /// The memory without an object.
    pub fn without_object(&self, memory: &Memory, sym: Sym) -> Memory {
        written(memory, self.of_object(sym.0, LIFE), Value::ZERO)
    }
}

/// What a cell holds. Cells that nobody has written yet need not be there.
pub(super) fn read(memory: &Memory, cell: u16) -> Value {
    memory.get(usize::from(cell)).copied().unwrap_or(Value::ZERO)
}

/// The memory with another value in a cell.
pub(super) fn written(memory: &Memory, cell: u16, value: Value) -> Memory {
    let index = usize::from(cell);
    let mut new = memory.to_vec();
    if index >= new.len() {
        new.resize(index + 1, Value::ZERO);
    }
    new[index] = value;
    // A cell that is not there and one that holds 0 are the same.
    new.into()
}
