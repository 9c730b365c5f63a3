//! The program unrolled once: events with the conditions under which they happen.

use rustc_hash::FxHashMap;

use super::value::Sv;
use crate::execution::{Cut, EventKind};
use crate::program::{Program, Property, Reg, SetName, Sym, Value};
use crate::sat::solver::Lit;
use crate::source::Span;

/// The number of an event.
pub type NodeId = usize;

/// An event.
pub struct Node<'p> {
    /// Its thread.
    pub thread: u16,
    /// Equal for the events of one executed instruction; in program order.
    pub instance: u32,
    /// Events of the same instruction that come before it.
    pub inner: Vec<NodeId>,
    pub code: u16,
    pub pc: u32,
    pub kind: EventKind,
    pub cell: Option<usize>,
    /// The object that it accesses, and the byte in it.
    pub at: Option<(Sym, i64)>,
    pub sets: &'p [SetName],
    /// Where this is true, it happens.
    pub guard: Lit,
    pub read: Option<Sv>,
    pub written: Option<Sv>,
    pub role: Role,
}

impl Node<'_> {
    pub fn reads(&self) -> bool {
        matches!(self.kind, EventKind::Read | EventKind::Rmw)
    }

    pub fn writes(&self) -> bool {
        matches!(self.kind, EventKind::Write | EventKind::Rmw)
    }
}

/// What an event does besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    None,
    /// It starts a thread.
    Spawn(u16),
    /// It waited for the end of one.
    Join(u16),
}

/// A thread.
pub struct Thread {
    /// The code that it runs.
    pub code: u16,
    /// Where this is true, it comes to its end.
    pub ended: Lit,
    /// What its registers hold then.
    pub registers: Vec<Sv>,
    /// Its events, in program order.
    pub nodes: Vec<NodeId>,
}

/// What a thread must not do, where the literal is true.
pub struct Violation {
    pub literal: Lit,
    pub property: Property,
    pub thread: u16,
    pub span: Span,
}

/// A thread that does not go on, where the literal is true.
pub struct Waiting {
    pub literal: Lit,
    pub thread: u16,
    pub code: u16,
    pub pc: u32,
    pub why: Why,
}

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// That what it assumes holds: for ever.
    Assumption,
    /// Something that another thread may do.
    Others,
    /// The end of a thread.
    Join(u16),
}

/// All of it.
pub struct Graph<'p> {
    pub nodes: Vec<Node<'p>>,
    pub threads: FxHashMap<u16, Thread>,
    /// What each cell holds at first.
    pub initial: Vec<Value>,
    pub violations: Vec<Violation>,
    pub waiting: Vec<Waiting>,
    pub cuts: Vec<(Lit, Cut)>,
}

impl<'p> Graph<'p> {
    /// Nothing yet.
    pub fn new(program: &'p Program) -> Graph<'p> {
        Graph {
            nodes: Vec::new(),
            threads: FxHashMap::default(),
            initial: program.locations.iter().map(|cell| cell.init).collect(),
            violations: Vec::new(),
            waiting: Vec::new(),
            cuts: Vec::new(),
        }
    }

    /// What a register holds when its thread has ended.
    pub fn register(&self, thread: u16, reg: Reg) -> Option<&Sv> {
        self.threads.get(&thread)?.registers.get(usize::from(reg.0))
    }
}

/// What is known beforehand of the values that a cell can hold.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// Numbers of so many bits.
    Int(usize),
    /// These.
    Listed(Vec<Value>),
}

impl Shape {
    /// Makes room for a value. `true`: there was none.
    pub fn widen(&mut self, value: &Shape, width: usize) -> bool {
        match (&mut *self, value) {
            (Shape::Int(own), Shape::Int(other)) if other <= own => false,
            (Shape::Int(own), Shape::Int(other)) => {
                // What grows in small steps would grow for long.
                *own = if *own >= 4 { (*other).max(*own * 2).min(width) } else { *other };
                true
            }
            (Shape::Listed(own), Shape::Listed(other)) => {
                let before = own.len();
                own.extend(other.iter().filter(|v| !own.contains(v)).copied().collect::<Vec<_>>());
                own.len() > before
            }
            (Shape::Int(_), Shape::Listed(_)) => {
                *self = Shape::Listed(vec![Value::ZERO]);
                self.widen(value, width);
                true
            }
            // Numbers and addresses in one cell: the numbers must be known.
            (Shape::Listed(_), Shape::Int(_)) => false,
        }
    }
}
