//! What states of the machine are made of. A state is a row of numbers, one per thread and one for the memory ([`super::rows`]); each number
//! stands for a local state that is stored once, too. Programs have few local states and many combinations of them.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::code::Compiled;
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

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The number of a value, and whether it is new; `bytes` is what it takes besides the table.
    pub fn number(&mut self, value: T, bytes: usize) -> (u32, bool) {
        let hash = FxBuildHasher.hash_one(&value);
        if let Some(found) = self.table.find(hash, |number| self.list[*number as usize] == value) {
            return (*found, false);
        }
        let number = self.list.len() as u32;
        self.bytes += bytes + size_of::<T>() + 2 * size_of::<u32>();
        self.list.push(value);
        let list = &self.list;
        self.table.insert_unique(hash, number, |number| FxBuildHasher.hash_one(&list[*number as usize]));
        (number, true)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What states are made of: the states that single threads were met in, and the memories.
pub(super) struct Parts {
    pub compiled: Compiled,
    /// By thread.
    pub locals: Vec<Interned<Local>>,
    pub memories: Interned<Memory>,
    /// How many of both there are.
    pub count: usize,
}

impl Parts {
    pub fn new(compiled: Compiled) -> Parts {
        let locals = compiled.threads.iter().map(|_| Interned::new()).collect();
        Parts { compiled, locals, memories: Interned::new(), count: 0 }
    }

    /// The state of a thread in a state.
    pub fn local(&self, row: &[u32], thread: usize) -> &Local {
        self.locals[thread].get(row[thread])
    }

    /// The memory in a state.
    pub fn memory(&self, row: &[u32]) -> &Memory {
        self.memories.get(row[self.locals.len()])
    }

    /// The number of a thread's state: what does not matter any more is 0 in it.
    pub fn number(&mut self, thread: usize, mut local: Local) -> u32 {
        let code = &self.compiled.threads[thread];
        let live = match local.at {
            Where::At(at) => Some(&code.live[at as usize]),
            Where::Ended | Where::Blocked => Some(&code.live[code.code.len() - 1]),
            Where::Waiting => None,
        };
        for (slot, live) in local.slots.iter_mut().zip(live.into_iter().flatten()) {
            if !live {
                *slot = Value::ZERO;
            }
        }
        let bytes = local.slots.len() * size_of::<Value>() + local.pending.len() * size_of::<Pending>();
        let (number, new) = self.locals[thread].number(local, bytes);
        self.count += usize::from(new);
        number
    }

    /// The number of a memory.
    pub fn number_of_memory(&mut self, memory: Memory) -> u32 {
        let bytes = memory.len() * size_of::<Value>();
        let (number, new) = self.memories.number(memory, bytes);
        self.count += usize::from(new);
        number
    }

    pub fn bytes(&self) -> usize {
        self.memories.bytes() + self.locals.iter().map(Interned::bytes).sum::<usize>()
    }
}
