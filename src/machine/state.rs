//! States of the machine, each stored once: a state is a row of numbers, one per thread and one for the memory, and each number
//! stands for a local state that is stored once, too. Programs have few local states and many combinations of them.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::program::Value;

/// A write that has not landed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pending {
    /// The cell.
    pub cell: u16,
    /// The value.
    pub value: Value,
    /// How many fences for stores lie between this write and the oldest that waits.
    pub epoch: u8,
}

/// How far a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Where {
    /// Not started yet.
    Waiting,
    /// Before that instruction.
    At(u32),
    /// At its end.
    Ended,
    /// Stuck for good: an assumption failed.
    Blocked,
}

/// One thread: where it is, what it holds, what of its writes has not landed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Local {
    pub at: Where,
    pub slots: Box<[Value]>,
    /// The oldest first.
    pub pending: Vec<Pending>,
    /// Did it pass a fence for stores since its last write, with writes still waiting? The next write is of a later epoch.
    pub fenced: bool,
}

impl Local {
    /// Adds a write.
    pub fn push(&mut self, cell: u16, value: Value) {
        let last = self.pending.last().map_or(0, |last| last.epoch);
        let epoch = last + u8::from(self.fenced && !self.pending.is_empty());
        self.pending.push(Pending { cell, value, epoch });
        self.fenced = false;
    }

    /// Takes a write out; epochs count from the oldest that is left.
    pub fn land(&mut self, index: usize) -> Pending {
        let write = self.pending.remove(index);
        let oldest = self.pending.first().map_or(0, |first| first.epoch);
        self.pending.iter_mut().for_each(|write| write.epoch -= oldest);
        self.fenced &= !self.pending.is_empty();
        write
    }
}

/// The values of all cells.
pub(super) type Memory = Box<[Value]>;

/// A store that keeps one copy of each value.
pub(super) struct Interned<T> {
    table: HashTable<u32>,
    list: Vec<T>,
    bytes: usize,
}

impl<T: Hash + Eq + Clone> Interned<T> {
    pub fn new() -> Interned<T> {
        Interned { table: HashTable::new(), list: Vec::new(), bytes: 0 }
    }

    pub fn get(&self, number: u32) -> &T {
        &self.list[number as usize]
    }

    /// The number of a value, new or old; `bytes` is what it takes besides the table.
    pub fn number(&mut self, value: T, bytes: usize) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        if let Some(found) = self.table.find(hash, |number| self.list[*number as usize] == value) {
            return *found;
        }
        let number = self.list.len() as u32;
        self.bytes += bytes + size_of::<T>() + 2 * size_of::<u32>();
        self.list.push(value);
        let list = &self.list;
        self.table.insert_unique(hash, number, |number| FxBuildHasher.hash_one(&list[*number as usize]));
        number
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Rows of numbers of one length, each stored once.
pub(super) struct Rows {
    width: usize,
    table: HashTable<u32>,
    cells: Vec<u32>,
}

impl Rows {
    pub fn new(width: usize) -> Rows {
        Rows { width, table: HashTable::new(), cells: Vec::new() }
    }

    pub fn get(&self, number: u32) -> &[u32] {
        let start = number as usize * self.width;
        &self.cells[start..start + self.width]
    }

    pub fn len(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    pub fn number(&mut self, row: &[u32]) -> u32 {
        let (width, cells) = (self.width, &self.cells);
        let of = |number: u32| &cells[number as usize * width..][..width];
        let hash = mixed(row);
        if let Some(found) = self.table.find(hash, |number| same(of(*number), row)) {
            return *found;
        }
        let number = self.len() as u32;
        self.table.insert_unique(hash, number, |number| mixed(of(*number)));
        self.cells.extend_from_slice(row);
        number
    }

    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<u32>() + self.table.capacity() * (size_of::<u32>() + 1)
    }
}

/// Rows are short: a loop is faster than a call.
#[inline]
fn same(a: &[u32], b: &[u32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

#[inline]
fn mixed(row: &[u32]) -> u64 {
    row.iter().fold(0, |hash, number| {
        let hash = (hash ^ u64::from(*number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    })
}
