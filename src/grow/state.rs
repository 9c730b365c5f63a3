//! Where a thread is, and where it has come to.

use std::sync::Arc;

use super::flow::{self, Flow, Numbers, Reasons};
use super::node::Sorted;
use crate::diag::Diagnostic;
use crate::execution::{Cut, EventKind};
use crate::program::control::Control;
use crate::program::{
    IllegalOp, Op, Program, Property, Reg, SetName, Storage, Sym, Tmp, Value, head_of_looks,
};
use crate::source::Span;

/// A value in a temporary or register.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub value: Result<Value, IllegalOp>,
    /// Does it depend on no read? Loops over such values are not counted against the unrolling bound.
    pub constant: bool,
    /// The events of this instruction instance that it comes from, and those that these come from.
    pub causes: u64,
    /// The number of the newest event that it comes from directly, plus one.
    pub newest: u32,
    /// Does it say which thread is which?
    pub tells: bool,
    /// The reads of its thread that it comes from, by number ([`reads`]).
    pub reads: u64,
}

impl Held {
    pub const ZERO: Held =
        Held { value: Ok(Value::ZERO), constant: true, causes: 0, newest: 0, tells: false, reads: 0 };
}

/// Around a branch: where its condition comes from.
#[derive(Clone)]
pub(super) struct Guard {
    /// The causes of the condition, and the newest of them.
    pub causes: u64,
    pub newest: u32,
    /// The number of events when the branch was entered.
    pub entered: u32,
    /// Likewise for dependencies, where they are followed.
    pub flow: Option<flow::Guard>,
}

/// Where a thread is.
#[derive(Clone)]
pub(super) struct State<'p> {
    pub thread: u16,
    pub control: Control<'p, Guard>,
    /// Has this instruction instance made an access already?
    pub accessed: bool,
    pub tmps: Vec<Held>,
    /// Shared with the places that it was at until it writes one.
    pub regs: Arc<Vec<Held>>,
    pub reserved: Option<Value>,
    /// What registers held at the last pass through a loop that was known to be taken.
    pub passes: Vec<(u32, u64)>,
    /// Events made so far, register events included.
    pub count: u32,
    /// How many events of this instance the graph has, and the cells of the reads among them.
    pub own: u8,
    pub reads: Vec<(u8, u16)>,
    /// Has this instruction instance written?
    pub wrote: bool,
    /// Events made since the last access.
    pub fresh: Vec<Plain<'p>>,
    /// How many threads it has started, and objects made.
    pub spawned: u16,
    pub made: u16,
    /// Is it one that another thread started?
    pub is_child: bool,
    /// What private objects hold.
    pub private: Vec<((Sym, i64), Held)>,
    /// Objects whose life it has ended.
    pub freed: Vec<Sym>,
    /// Has it come back to the head of a loop as it left it?
    pub waits: bool,
    /// How many reads it has made.
    pub n_reads: u32,
    /// The reads that it hangs on that it has come here, and what it has accessed on the way ([`reads`]).
    pub hangs: u64,
    /// How often it has changed something that others may see, or it may see itself.
    pub changes: u32,
    /// Locks that it holds, as far as taking and giving back are all that is done with locks.
    pub held: Vec<u16>,
    /// Objects that it has made.
    pub objects: Vec<Made>,
    /// Those of them that nobody else can know of.
    pub unshared: Vec<Sym>,
    /// Cells that a round has written which may be left out, once they are written again before anybody looks.
    pub owed: Option<Vec<u16>>,
    /// The last sum, difference or product.
    pub sum: Option<Tmp>,
    /// What C has no rule for, and what it went on after.
    pub cautions: Vec<Caution>,
    /// What it has printed.
    pub printed: Vec<Printed>,
    /// Would it be where it is with fewer reads?
    pub is_repeated: bool,
    /// The read that it has just made, and nothing after it.
    pub latest: Option<Look<'p>>,
    /// How it came to the heads of loops last.
    pub arrivals: Vec<Arrival<'p>>,
    /// Dependencies, where the model looks at them.
    pub flow: Option<Arc<Flow>>,
}

/// An object that a thread has made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Made {
    /// The object.
    pub object: Sym,
    /// How long it lives.
    pub kind: Storage,
    /// The code that made it, and the instruction there.
    pub code: u16,
    /// The index of the instruction.
    pub pc: u32,
    /// Which executed instruction of the thread that was.
    pub instance: u32,
}

/// Something that C has no rule for, after which a program may go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caution {
    /// What it is.
    pub property: Property,
    /// The code, and the instruction there.
    pub code: u16,
    /// The index of the instruction.
    pub pc: u32,
}

/// Something that a thread has printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The code, and the instruction there.
    pub code: u16,
    /// The index of the instruction.
    pub pc: u32,
    /// Which executed instruction of the thread that was.
    pub instance: u32,
    /// The values that it shows; `None` for one without a meaning.
    pub values: Vec<Option<Value>>,
}

/// A read that was made: where the thread was, and which of the accesses there it made.
#[derive(Clone)]
pub(super) struct Look<'p> {
    pub before: Arc<Stop<'p>>,
    pub leaf: usize,
}

impl<'p> Look<'p> {
    pub fn leaf(&self) -> Option<&Leaf<'p>> {
        match &*self.before {
            Stop::Access(leaves) => leaves.get(self.leaf),
            _ => None,
        }
    }
}

/// A thread at the head of a loop.
#[derive(Clone)]
pub(super) struct Arrival<'p> {
    pub at: Head,
    /// The read that brought it there.
    pub by: Option<Look<'p>>,
    /// What reads just like that one have read since.
    pub since: Vec<Value>,
    /// Cells of objects of its own that it has written since.
    pub hidden: Vec<u16>,
    /// How many instructions it had executed.
    pub instance: u32,
}

/// How a thread is at the head of a loop, as far as it will look.
#[derive(Clone, PartialEq)]
pub(super) struct Head {
    pub code: u16,
    pub pc: u32,
    pub changes: u32,
    /// The locks that it holds.
    pub held: Vec<u16>,
    /// What objects that nobody else sees hold, in short.
    pub private: u64,
    /// What the live registers hold, and what that depends on.
    pub live: Vec<Result<Value, IllegalOp>>,
    pub reasons: Vec<Numbers>,
}

/// An event without a value: a fence, a branch, any other.
#[derive(Clone)]
pub(super) struct Plain<'p> {
    pub place: Place,
    pub kind: EventKind,
    pub cell: Option<u16>,
    pub sets: &'p [SetName],
    pub sorted: Sorted,
    /// The events of its instruction that are before it in program order.
    pub inner: u64,
    /// The object whose life it ends.
    pub frees: Option<Sym>,
    /// What it depends on, where dependencies are followed.
    pub reasons: Option<Arc<Reasons>>,
}

/// Where an event stands in its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub thread: u16,
    pub code: u16,
    pub pc: u32,
    pub instance: u32,
    /// The position among the events of its instance.
    pub own: u8,
}

/// A memory access about to be made.
#[derive(Clone)]
pub(super) struct Access<'p> {
    pub place: Place,
    pub kind: EventKind,
    pub cell: u16,
    /// The object, and the byte in it.
    pub at: (Sym, i64),
    pub sets: &'p [SetName],
    pub sorted: Sorted,
    /// The events that it comes from, inside its instruction.
    pub causes: u64,
    /// The events of its instruction that are before it in program order.
    pub inner: u64,
    /// The value of a plain write.
    pub value: Option<Value>,
    /// The reads that it hangs on that it is made, where and with what value, and its own number among reads.
    pub hangs: u64,
    pub number: u32,
    /// Of a compare-exchange: the value that it must read, or must not.
    pub wanted: Option<(Value, bool)>,
    pub op: &'p Op,
    /// What it depends on, where dependencies are followed.
    pub reasons: Option<Arc<Reasons>>,
}

/// A thread about to start another.
pub(super) struct Spawn<'p> {
    pub state: State<'p>,
    /// The new thread's number, and the code that it runs.
    pub child: u16,
    pub code: u16,
    pub args: Vec<(Reg, Held)>,
    pub dst: Tmp,
    pub own: u8,
    /// Where the new thread finds its own handle.
    pub register: Reg,
}

/// A thread about to wait for another.
pub(super) struct Join<'p> {
    pub state: State<'p>,
    pub target: u16,
    pub dst: Option<Tmp>,
    pub own: u8,
}

/// A thread about to make an access.
#[derive(Clone)]
pub(super) struct Leaf<'p> {
    pub state: State<'p>,
    pub access: Access<'p>,
}

/// Where a thread has come to.
pub(super) enum Stop<'p> {
    /// At an access: one way, or several reads of one cell of which the value read will choose one.
    Access(Vec<Leaf<'p>>),
    /// At a choice of the machine.
    Choice(Vec<Arc<Stop<'p>>>),
    /// About to go on: one way of a choice that has not been looked at.
    Ready(Box<State<'p>>),
    /// Not started yet.
    Unborn,
    /// About to start a thread; the fence that this makes is the last of the events made.
    Spawn(Box<Spawn<'p>>),
    /// About to wait for a thread; likewise.
    Join(Box<Join<'p>>),
    /// At something that it must not do.
    Violation(State<'p>, Property, Span),
    /// At its end.
    Ended(State<'p>),
    /// An assumption does not hold.
    Blocked(State<'p>),
    /// A loop was run as often as the bound allows.
    Cut(State<'p>, Cut),
    /// It asks for what cannot be given.
    Error(State<'p>, Diagnostic),
}

impl<'p> Stop<'p> {
    /// In the middle of an instruction that has made an access already?
    pub fn is_inside(&self) -> bool {
        match self {
            Stop::Access(leaves) => leaves.iter().any(|leaf| leaf.state.accessed),
            _ => false,
        }
    }

    /// The state of a thread, if it has one.
    pub fn state(&self) -> Option<&State<'p>> {
        match self {
            Stop::Access(leaves) => leaves.first().map(|leaf| &leaf.state),
            Stop::Choice(stops) => stops.first().and_then(|stop| stop.state()),
            Stop::Ready(state) => Some(state),
            Stop::Unborn => None,
            Stop::Spawn(spawn) => Some(&spawn.state),
            Stop::Join(join) => Some(&join.state),
            other => other.last(),
        }
    }

    /// The state of a thread that is not going on.
    pub fn last(&self) -> Option<&State<'p>> {
        match self {
            Stop::Access(_)
            | Stop::Choice(_)
            | Stop::Ready(_)
            | Stop::Unborn
            | Stop::Spawn(_)
            | Stop::Join(_) => None,
            Stop::Violation(state, ..)
            | Stop::Ended(state)
            | Stop::Blocked(state)
            | Stop::Cut(state, _)
            | Stop::Error(state, _) => Some(state),
        }
    }
}

impl State<'_> {
    /// Has nothing changed since the last pass through a loop that can end it?
    pub fn goes_round(&mut self, id: u32) -> bool {
        use std::hash::{Hash, Hasher};
        let mut hasher = rustc_hash::FxHasher::default();
        for held in self.regs.iter().filter(|held| held.constant) {
            held.value.hash(&mut hasher);
        }
        let now = hasher.finish();
        match self.passes.iter_mut().find(|(loop_id, _)| *loop_id == id) {
            Some((_, last)) => std::mem::replace(last, now) == now,
            None => {
                self.passes.push((id, now));
                false
            }
        }
    }

    /// The instruction that it is at.
    pub fn pc(&self) -> u32 {
        self.control.pc
    }

    /// Is it at the head of a loop that it has come back to as it left it?
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// The first instruction of its last round, if it is at the head of a loop that it has come to before.
    pub fn last_round(&self) -> Option<u32> {
        self.last_arrival(self.control.pc)
    }

    /// Likewise, if it waits at the end of a loop that only looks.
    pub fn only_round(&self, program: &Program) -> Option<u32> {
        let code = &program.threads[self.code()].code;
        self.last_arrival(head_of_looks(code, self.control.pc as usize)? as u32)
    }

    fn last_arrival(&self, pc: u32) -> Option<u32> {
        let there = |arrival: &&Arrival| (arrival.at.code, arrival.at.pc) == (self.control.code, pc);
        self.arrivals.iter().find(there).map(|arrival| arrival.instance)
    }

    /// Whose code it runs.
    pub fn code(&self) -> usize {
        usize::from(self.control.code)
    }

    /// The value of a register.
    pub fn register(&self, reg: Reg) -> Result<Value, IllegalOp> {
        self.regs.get(reg.0 as usize).map_or(Ok(Value::ZERO), |held| held.value)
    }
}

/// Why a thread does not simply go on.
pub(super) enum Halt<'p> {
    Stop(Box<Stop<'p>>),
    Error(Diagnostic),
    Violation(Property),
}

impl From<Diagnostic> for Halt<'_> {
    fn from(diagnostic: Diagnostic) -> Self {
        match diagnostic.message.ends_with(UNWRITTEN) {
            true => Halt::Violation(Property::Uninitialised),
            false => Halt::Error(diagnostic),
        }
    }
}

/// The use of a register that was never written: a violation.
pub(super) const UNWRITTEN: &str = "a variable is read that was never written";

/// The read of a thread with that number, among those that something comes from. All from some number on are taken for one.
pub(super) fn reads(number: u32) -> u64 {
    1 << number.min(63)
}

pub(super) fn bit(own: u8) -> u64 {
    1u64.checked_shl(u32::from(own)).unwrap_or(0)
}

pub(super) fn set(state: &mut State, tmp: Tmp, mut held: Held) {
    let index = tmp.0 as usize;
    held.constant &= !state.control.is_forked();
    if state.tmps.len() <= index {
        state.tmps.resize(index + 1, Held::ZERO);
    }
    state.tmps[index] = held;
}
