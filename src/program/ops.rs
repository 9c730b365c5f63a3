//! The micro-operations.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::floats::FloatOp;
use super::signature::Key;
use super::value::{Reg, Value};

/// A temporary of one instruction instance: a value and the events it comes from.
/// Temporaries are assigned before they are used; an `If` may assign one in both branches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Tmp(pub u16);

/// The name of a predefined event set of the model side (`A`, `DMB.SY`, `Acq`, `X`, `Once`, …).
pub type SetName = Cow<'static, str>;

/// The set of writes that put back what was read, as a failing compare-and-swap may. No model knows it.
pub const WRITE_BACK: &str = "(write-back)";

/// The set of accesses to page table entries for the sake of a fetch. No model knows it.
pub const FETCH: &str = "(fetch)";

/// Size of a memory access in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AccessSize(pub u8);

/// Two-operand functions. The result is wrapped to the program's width.
/// Comparisons give 0 or 1. `add`/`sub` move addresses; equality works on every value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Signed division, rounding to zero; by zero gives 0.
    Div,
    /// Signed remainder; by zero gives the dividend.
    Rem,
    /// Unsigned division at the program's width; by zero gives 0.
    Divu,
    /// Unsigned remainder at the program's width; by zero gives the dividend.
    Remu,
    /// Upper half of the double-width signed product.
    MulHigh,
    /// Upper half of the double-width unsigned product (of widths up to 64).
    MulHighu,
    And,
    Or,
    Xor,
    /// `a & ~b`.
    AndNot,
    Shl,
    /// Logical shift right (of the unsigned value of the program's width).
    Lsr,
    /// Arithmetic shift right.
    Asr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Unsigned comparisons, at the program's width.
    Ltu,
    Leu,
    Gtu,
    Geu,
    Min,
    Max,
    Minu,
    Maxu,
    /// A page table entry and a virtual address: where in physical memory the entry leads.
    Translate,
    /// Likewise for the address of an entry, too, and entries may lead to entries.
    Follow,
    /// A pointer and another one (or a tag): the first with the tag of the second.
    WithTag,
    /// A pointer and a modifier: the pointer with one more signature under that key. `any`: even if it has some already.
    Sign {
        key: Key,
        any: bool,
    },
    /// Floating-point numbers of so many bytes.
    Float(FloatOp, u8),
}

impl BinOp {
    /// Is only told how two values relate, not what they are?
    pub fn compares(self) -> bool {
        use BinOp::{Eq, Ge, Geu, Gt, Gtu, Le, Leu, Lt, Ltu, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | Ltu | Leu | Gtu | Geu)
    }

    /// Those that are for numbers.
    #[cfg(test)]
    pub(crate) const ON_NUMBERS: [BinOp; 30] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Divu,
        BinOp::Remu,
        BinOp::MulHigh,
        BinOp::MulHighu,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::AndNot,
        BinOp::Shl,
        BinOp::Lsr,
        BinOp::Asr,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
        BinOp::Ltu,
        BinOp::Leu,
        BinOp::Gtu,
        BinOp::Geu,
        BinOp::Min,
        BinOp::Max,
        BinOp::Minu,
        BinOp::Maxu,
    ];

    /// What it does, in a message.
    pub(super) fn words(self) -> &'static str {
        match self {
            BinOp::Add => "addition",
            BinOp::Sub => "subtraction",
            BinOp::Mul | BinOp::MulHigh | BinOp::MulHighu => "multiplication",
            BinOp::Div | BinOp::Divu => "division",
            BinOp::Rem | BinOp::Remu => "the remainder of a division",
            BinOp::And | BinOp::AndNot => "bitwise `and`",
            BinOp::Or => "bitwise `or`",
            BinOp::Xor => "exclusive `or`",
            BinOp::Shl | BinOp::Lsr | BinOp::Asr => "a shift",
            BinOp::Eq | BinOp::Ne => "comparison for equality",
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => "comparison",
            BinOp::Ltu | BinOp::Leu | BinOp::Gtu | BinOp::Geu => "unsigned comparison",
            BinOp::Min | BinOp::Minu => "the minimum",
            BinOp::Max | BinOp::Maxu => "the maximum",
            BinOp::Translate | BinOp::Follow => "translation",
            BinOp::WithTag => "tagging",
            BinOp::Sign { .. } => "signing",
            BinOp::Float(..) => "floating-point arithmetic",
        }
    }
}

/// One-operand functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Bitwise complement.
    Not,
    /// Two's complement negation.
    Neg,
    /// 1 if the operand is 0, else 0.
    IsZero,
    /// Low `n` bits, sign-extended. On an address: unchanged.
    SignExtend(u8),
    /// Low `n` bits, zero-extended. On an address: unchanged.
    ZeroExtend(u8),
    /// Bit `n` as 0 or 1.
    Bit(u8),
    /// Reverse of the order of the low `n` bits.
    ReverseBits(u8),
    /// Reverse of the bytes in each group of `group` bytes among the low `bytes` bytes.
    ReverseBytes { bytes: u8, group: u8 },
    /// Number of leading zeros of the low `n` bits.
    CountLeadingZeros(u8),
    /// The address of the page table entry of a virtual address.
    EntryOf,
    /// Likewise, also of the address of an entry.
    TableOf,
    /// Is it the address of a page table entry?
    IsEntry,
    /// What becomes of an access through a page table entry: [`super::Walked`], as a number.
    Walk(super::Walk),
    /// A page table entry as hardware leaves it: with the access flag, and the dirty state if so.
    Updated(bool),
    /// What an address translation instruction leaves of a physical address, or of 0.
    Report,
    /// Does a page table entry say that its page has tags?
    IsTagged,
    /// The tag of a pointer.
    TagOf,
    /// The pointer without its tag.
    Untag,
    /// The address of the tag of the granule that a pointer points to.
    TagCell,
    /// The offset of an address from its symbol; a number itself; 0 for instructions.
    Offset,
    /// A number or an address, with its low bits (of the offset) replaced.
    WithLow { bits: u8, value: u8 },
    /// The pointer without signatures; anything else as it is.
    Canonical,
    /// What a failed authentication under that key leaves of a pointer.
    Unauthentic(Key),
    /// An address as a number that stands for it, where part of it is stored by itself; a number as it is.
    AsNumber,
    /// The address that a number stands for; any other number as it is.
    AsAddress,
    /// The number of bytes of the object that begins there; 0 for null. Only who makes objects can tell.
    Extent,
    /// An integer as a floating-point number of so many bytes.
    ToFloat(u8),
    /// A floating-point number of so many bytes as an integer.
    FromFloat(u8),
    /// A floating-point number of so many bytes as one of so many others.
    Rounded { from: u8, to: u8 },
}

impl UnOp {
    /// Is it part of an access, and wants the address that is accessed?
    pub fn wants_address(self) -> bool {
        matches!(
            self,
            UnOp::EntryOf
                | UnOp::TableOf
                | UnOp::IsEntry
                | UnOp::TagOf
                | UnOp::Untag
                | UnOp::TagCell
                | UnOp::Canonical
        )
    }

    /// What it does, in a message.
    pub(super) fn words(self) -> &'static str {
        match self {
            UnOp::Not => "bitwise `not`",
            UnOp::Neg => "negation",
            UnOp::IsZero => "comparison with zero",
            UnOp::SignExtend(_) | UnOp::ZeroExtend(_) => "extension of the low bits",
            UnOp::Bit(_) => "testing one bit",
            UnOp::ReverseBits(_) | UnOp::ReverseBytes { .. } => "reversal of the bits",
            UnOp::CountLeadingZeros(_) => "counting the leading zeros",
            UnOp::EntryOf | UnOp::TableOf | UnOp::IsEntry | UnOp::Report => "translation",
            UnOp::Walk(_) | UnOp::Updated(_) => "translation through a page table entry",
            UnOp::IsTagged | UnOp::TagOf | UnOp::Untag | UnOp::TagCell => "looking at the tag",
            UnOp::AsNumber | UnOp::AsAddress => "taking apart",
            UnOp::ToFloat(_) | UnOp::FromFloat(_) | UnOp::Rounded { .. } => "floating-point arithmetic",
            UnOp::Extent => "asking for the size of an object",
            UnOp::Offset | UnOp::WithLow { .. } => "looking at the low bits",
            UnOp::Canonical | UnOp::Unauthentic(_) => "looking at the signature",
        }
    }
}

/// Where control goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The instruction with that index in this thread (the thread's length: its end).
    Pc(usize),
    /// A code address held in a temporary.
    Indirect(Tmp),
}

/// The port a register read feeds (sets `ADDR` and `DATA` of the model side).
pub use port::Port;
mod port {
    /// The port a register read feeds.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum Port {
        /// Neither.
        #[default]
        None,
        /// Address of an access.
        Addr,
        /// Data of a store.
        Data,
    }
}

/// What a branch-like event is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BranchKind {
    /// A conditional branch: in `B` and `BCC`.
    Bcc,
    /// The choice of a predicated instruction: in `B` and `PRED`.
    Pred,
    /// Any other commit: in `B` only.
    Plain,
    /// The return from an exception: in `B` and `EXC-RET`.
    Return,
    /// A conditional jump of an architecture whose jumps make no event: control dependencies go through it, but no
    /// model sees it.
    HiddenBcc,
    /// Likewise for the choice of a predicated instruction.
    HiddenPred,
}

impl BranchKind {
    /// No model sees it?
    pub fn is_hidden(self) -> bool {
        matches!(self, BranchKind::HiddenBcc | BranchKind::HiddenPred)
    }
}

/// The loop that is always cut: where a function calls itself more deeply than is looked into.
pub const LOOP_CUT: u32 = u32::MAX;

/// The micro-operations of an instruction, run in order.
///
/// Events made: `ReadReg`, `WriteReg`, `Load`, `Store`, `Rmw`, `Fence`, `Branch`. An event gets an
/// `iico_data` edge from every source event of each temporary it consumes, an `iico_ctrl` edge from every
/// source event of each temporary in its `ctrl` list and of each enclosing [`Op::If`] condition (the latter only if
/// it has no other iico predecessor inside that branch), and an `iico_order` edge from the sources of its `order` list.
#[derive(Clone, Debug)]
pub enum Op {
    /// `dst := value`, no sources.
    Const { dst: Tmp, value: Value },
    /// `dst := op(a)`; sources of `a`.
    Unary { dst: Tmp, op: UnOp, a: Tmp },
    /// `dst := op(a, b)`; sources of both.
    Binary { dst: Tmp, op: BinOp, a: Tmp, b: Tmp },
    /// `dst := a`, with the sources of `a` and of every temporary in `also`
    /// (a data dependency that the value itself does not show).
    Taint { dst: Tmp, a: Tmp, also: Vec<Tmp> },
    /// `dst := a`, but with the sources of `from` alone.
    From { dst: Tmp, a: Tmp, from: Vec<Tmp> },
    /// Register read event; `dst` has it as its source.
    ReadReg { dst: Tmp, reg: Reg, port: Port },
    /// The same, with extra edges.
    ReadRegWith { dst: Tmp, reg: Reg, port: Port, extra: Extra },
    /// Register write event. `done`, if given, is a temporary whose source is this event.
    WriteReg { reg: Reg, src: Tmp, extra: Extra },
    /// Memory read event; `dst` has it as its source.
    Load { dst: Tmp, addr: Tmp, size: AccessSize, sets: Vec<SetName>, extra: Extra },
    /// Memory write event.
    Store { addr: Tmp, value: Tmp, size: AccessSize, sets: Vec<SetName>, extra: Extra },
    /// One event that reads and writes (C11 read-modify-writes): `dst` takes the old value, the new one is
    /// `update`, computed from `dst` by `ops` (only `Const`, `Unary`, `Binary`, `Taint` there).
    Rmw { dst: Tmp, addr: Tmp, ops: Vec<Op>, update: Tmp, size: AccessSize, sets: Vec<SetName>, extra: Extra },
    /// Compare-exchange: one event that reads and writes `desired` where the old value is `expected`, one that only reads (with the
    /// sets of `failure`) where it is not; `dst` takes the old value. For programs: litmus tests have a [`Op::Choice`] of the two.
    CompareExchange {
        dst: Tmp,
        addr: Tmp,
        expected: Tmp,
        desired: Tmp,
        size: AccessSize,
        sets: Vec<SetName>,
        failure: Vec<SetName>,
        extra: Extra,
    },
    /// Fence event.
    Fence { sets: Vec<SetName>, extra: Extra },
    /// Any other event without a value (cache maintenance, locks of the kernel model …): member of
    /// exactly `sets`, with a location if `addr` is given. `read` gives it a value to read, `write` one to write,
    /// without its being in `R`, `W` or `M`.
    Other { addr: Option<Tmp>, sets: Vec<SetName>, extra: Extra },
    /// An event that names an address without accessing it (TLB maintenance): member of exactly `sets`. Consumes `at`.
    Named { at: Option<Tmp>, sets: Vec<SetName>, extra: Extra },
    /// From here on the address in `addr` is known: forks over all there are if it is not.
    Pin { addr: Tmp },
    /// Branch event; consumes `cond` (data edge) if given. `extra.done` takes the value of `cond`, with this event as
    /// its only source: the condition of an [`Op::If`] whose events hang on the branch.
    Branch { kind: BranchKind, cond: Option<Tmp>, extra: Extra },
    /// Runs `then` if `cond` is not 0, `otherwise` if it is; forks if that is not known.
    If { cond: Tmp, then: Vec<Op>, otherwise: Vec<Op> },
    /// Forks: each of the lists in turn. For choices of the machine (a store-conditional's
    /// success, a weak compare-exchange's spurious failure).
    Choice { branches: Vec<Vec<Op>> },
    /// A path that cannot be (a constraint: `cond` is not 0).
    Assume { cond: Tmp },
    /// Runs `same` where the two values are equal, `differ` where they are not. Pointers that differ in nothing but their signatures may be
    /// equal by chance: then both, each with that assumption (see [`super::Assumptions`]).
    Collide { a: Tmp, b: Tmp, same: Vec<Op>, differ: Vec<Op> },
    /// The value must have a meaning, whether it is used or not: an execution in which it has none is an error of the program.
    Need { a: Tmp },
    /// Goes on where `cond` is not 0; where it is 0 the thread waits there, and if what it has read stays as it is, for ever.
    Await { cond: Tmp, what: Awaited },
    /// Continue at `target` after this instruction. A jump backwards counts against the unrolling bound.
    Jump { target: Target },
    /// An exception: an event in `sets`, at the address if there is one, and the end of the instruction. Where the thread goes on is the
    /// affair of its handler, or of the variants on faults (see [`super::OnFault`]).
    Fault { kind: SetName, sets: Vec<SetName>, addr: Option<Tmp>, resume: Resume, extra: Extra },
    /// Continue at the code address in `target` after this instruction, and be in no handler any more.
    ExceptionReturn { target: Tmp },
    /// Puts the events that `of` comes from into more sets.
    Mark { of: Tmp, sets: Vec<SetName> },
    /// The thread ends here.
    Stop,
    /// Load-reserve / store-conditional monitor. `Reserve` remembers the address and the size.
    Reserve { addr: Tmp, size: AccessSize },
    /// Runs `then` as a fork of success (if a reservation for the same address and size is there) and `otherwise` as failure;
    /// clears the reservation. Without a matching reservation: `otherwise` only.
    Conditional { addr: Tmp, size: AccessSize, then: Vec<Op>, otherwise: Vec<Op> },
    /// A bounded loop of structured C code: at most `--unroll` passes through this point per entry of the loop;
    /// the next is a cut. `id` names the loop. In a branch of an `If` whose condition is known it counts nothing:
    /// loops over known numbers end by themselves.
    LoopHead { id: u32 },
    /// Resets the count of `LoopHead { id }` (on entering the loop anew).
    LoopEnter { id: u32 },
    /// Continue at that instruction after this one, without counting against the unrolling bound: structured
    /// code bounds its loops with `LoopHead`.
    Goto { pc: usize },
    /// Events made from here to the matching `CondEnd` are the condition of a structured statement (C). A condition
    /// is evaluated inside one instruction; one may be inside another.
    CondBegin,
    /// The condition ends: every later event of the thread is under its control (relation `control`: pairs from
    /// each event of the condition, register events included, to each event under it), until `ControlRestore`
    /// takes the condition out of force.
    CondEnd,
    /// Remembers under `id` which conditions are in force now.
    ControlSave { id: u32 },
    /// Only the conditions remembered by the latest `ControlSave` of that `id` stay in force.
    ControlRestore { id: u32 },
    /// What the program prints: a format ([`super::print`]), and its values. Only traces look at it.
    Print { format: Arc<str>, args: Vec<Tmp> },
    /// A new thread runs `Program::threads[code]` (one that is [`super::Start::Spawned`]) with these registers set, the others 0; `dst` takes its
    /// handle, which only `Join` looks into. See `program::threads` for the events and the order that this makes.
    /// `own` is the register in which the new thread finds its own handle.
    Spawn { dst: Tmp, code: usize, args: Vec<(Reg, Tmp)>, own: Reg },
    /// Waits until that thread has ended; `dst` takes its result (`Thread::result`). A value that is no handle is a violation of [`Property::Thread`]; that it
    /// was joined before is not looked for.
    Join { thread: Tmp, dst: Option<Tmp> },
    /// A new object of `size` bytes; `dst` takes its address. Its cells are made by the accesses to it.
    Alloc { dst: Tmp, size: Tmp, kind: Storage, content: Content },
    /// The end of an object's life: `addr` is its first byte, or 0 (nothing happens). Accesses that do not happen before are
    /// [`Property::UseAfterFree`], ending it twice is [`Property::DoubleFree`]. Its `kind` must be that of the object.
    Free { addr: Tmp, kind: Storage },
    /// The property holds if `cond` is not 0. If it is 0 the execution violates it, and the thread ends here.
    Assert { cond: Tmp, property: Property },
    /// Any value from `low` to `high`, both included: a fork.
    Nondet { dst: Tmp, low: i128, high: i128 },
}

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Awaited {
    /// Another thread, which must do its part: a lock, a barrier, a signal.
    Library,
    /// A loop that only looks: the next instruction goes back to its head.
    Loop,
}

/// Where an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// Until it is freed; still there at the end, it is leaked.
    Heap,
    /// Until the block of its declaration is left.
    Stack,
    /// As [`Storage::Stack`], and no other thread can ever get its address: accesses to it make no events.
    Private,
}

/// What a new object holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// Zeros.
    Zero,
    /// Nothing that may be read: [`Property::Uninitialised`].
    Nothing,
}

/// What a program is not allowed to do. The place is that of the instruction.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Property {
    /// `assert`, with its condition as written.
    Assertion(String),
    /// Two conflicting accesses, not ordered, one of them not atomic.
    Race,
    /// An access through a null pointer.
    Null,
    /// An access outside every object, or through what is no address.
    OutOfBounds,
    /// An access to an object after its life.
    UseAfterFree,
    /// An object freed twice, or freed what was never allocated.
    DoubleFree,
    /// A read of what was never written.
    Uninitialised,
    /// An object never freed (a warning).
    Leak,
    /// A lock released that is not held, taken twice, or destroyed; what is wrong, in words.
    Lock(String),
    /// Threads that wait for each other.
    Deadlock,
    /// A loop that waits for ever though all writes have landed.
    Liveness,
    /// A loop that changes something in every round and never ends.
    Livelock,
    /// A join of what is no thread, or was joined before.
    Thread,
    /// Division by zero, and other arithmetic without a result.
    Arithmetic(String),
    /// An access to an object that another thread has made, before it can know that it is there.
    BeforeLife,
    /// A sum, difference or product of signed numbers that its type cannot hold (a warning).
    Overflow,
    /// A shift by less than nothing, or by as many bits as there are (a warning).
    Shift,
}

impl Property {
    /// Is it something to warn of, after which a program goes on?
    pub fn is_caution(&self) -> bool {
        matches!(self, Property::Overflow | Property::Shift | Property::Leak)
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Property::Assertion(text) => return write!(f, "assertion violated: {text}"),
            Property::Race => "data race",
            Property::Null => "access through a null pointer",
            Property::OutOfBounds => "access outside every object",
            Property::UseAfterFree => "use of an object after its life",
            Property::DoubleFree => "an object freed twice, or what is no object",
            Property::Uninitialised => "read of what was never written",
            Property::Leak => "an object is never freed",
            Property::Lock(text) => return write!(f, "lock error: {text}"),
            Property::Deadlock => "deadlock: nobody goes on",
            Property::Liveness => "a loop waits for ever: every write has landed, and nobody ends it",
            Property::Livelock => {
                "a loop goes round for ever, though every thread moves and every write lands"
            }
            Property::Thread => "a join of what is no other thread",
            Property::Arithmetic(text) => text,
            Property::BeforeLife => "use of an object that another thread has made, not ordered after that",
            Property::Overflow => "signed overflow",
            Property::Shift => "a shift by a negative number, or by as many bits as there are",
        })
    }
}

/// Temporaries of an instruction that are kept free for its fetch, where instructions are fetched.
pub const FETCH_TEMPORARIES: u16 = 3;

/// Where a thread goes on once an exception has been dealt with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resume {
    /// At the same instruction: a fault.
    Again,
    /// At the next one: a call.
    Next,
    /// Nothing is interrupted: the fault is noticed later, and nobody knows where it came from.
    Later,
}

/// Optional extras of an event-making op.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// `iico_ctrl` edges from the sources of these.
    pub ctrl: Vec<Tmp>,
    /// `iico_order` edges from the sources of these.
    pub order: Vec<Tmp>,
    /// More `iico_data` edges from the sources of these.
    pub data: Vec<Tmp>,
    /// A temporary to be bound to this event as its only source (value 0 unless the op says otherwise).
    pub done: Option<Tmp>,
}
