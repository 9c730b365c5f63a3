//! The instructions of x86, as data. Both widths use this table; their syntaxes differ.

use crate::program::BinOp;

/// What operands an instruction takes, destination first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// None.
    None,
    /// Anything at all: the operands of a no-operation.
    Ignored,
    /// A register or memory.
    Dest,
    /// A register or memory; a register, memory or an immediate.
    DestSource,
    /// A register or memory; a register.
    DestReg,
    /// A register; a register or memory.
    RegSource,
    /// A register; memory.
    RegMem,
    /// Memory.
    Mem,
    /// Memory; a register.
    MemReg,
    /// Two of register or memory.
    Exchange,
    /// A register or memory; an immediate or `CL`.
    Shift,
    /// A register or memory; an immediate or (not for memory) a register.
    BitTest,
    /// A register; a source; perhaps an immediate.
    Multiply,
    /// A register.
    Reg,
    /// A label.
    Label,
}

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing.
    Nop,
    /// `dst := src`.
    Move,
    /// `dst := src`, a store in `NT`.
    MoveNonTemporal,
    /// `dst := src`, widened from a smaller size (given by the source operand or the mnemonic).
    Extend { signed: bool, from: u8 },
    /// `dst := dst op src`, with flags.
    Arith(Arith),
    /// `dst := dst ± src ± carry`, with flags.
    WithCarry { sub: bool },
    /// `dst := dst * src`, or `src * n`; carry and overflow say that it does not fit.
    Multiply,
    /// `dst := dst` rotated; the carry is the last bit moved.
    Rotate { left: bool },
    /// Carry `:=` a bit of `dst`, which is then set, cleared or inverted: `dst op (1 << n)`.
    BitTest(Option<BinOp>),
    /// `dst := dst` with its bytes in the other order.
    SwapBytes,
    /// The accumulator's low bytes, sign-extended to twice as many.
    ExtendAccumulator,
    /// Flags of `dst - src`.
    Compare,
    /// Flags of `dst & src`.
    Test,
    /// `dst := dst ± 1`, with all flags but carry.
    Step(Arith),
    /// `dst := -dst`, with flags.
    Negate,
    /// `dst := ~dst`, no flags.
    Complement,
    /// `dst` and `src` swap; with memory: locked.
    Exchange { locked: bool },
    /// `dst` and `src` swap, then `dst := dst + src`.
    ExchangeAdd,
    /// If the accumulator equals `dst` then `dst := src` else accumulator `:= dst`.
    CompareExchange,
    /// `dst := src` if the condition holds.
    ConditionalMove(Condition),
    /// `dst := 1` if the condition holds, else 0.
    Set(Condition),
    /// Unconditional jump.
    Jump,
    /// Conditional jump.
    JumpIf(Condition),
    /// The thread ends.
    Return,
    /// `dst :=` the address of `src`.
    Address,
    /// A fence, by its set.
    Fence(&'static str),
    /// Cache line flush, by its set.
    Flush(&'static str),
}

/// Arithmetic with flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arith {
    Add,
    Sub,
    /// No carry, no overflow.
    Logic(BinOp),
    /// Shifts: the carry is the last bit shifted out; overflow is left at 0.
    Shift(BinOp),
}

/// A condition on the flags: a basic one, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The flags tested.
    pub test: Test,
    /// Holds when they do not.
    pub negated: bool,
}

/// The basic conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    Overflow,
    /// Below: carry.
    Below,
    Equal,
    /// Below or equal: carry or zero.
    BelowEqual,
    Sign,
    /// Less: sign differs from overflow.
    Less,
    /// Less or equal.
    LessEqual,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The mnemonic, lower case, without size suffix.
    pub name: &'static str,
    /// Its operands.
    pub shape: Shape,
    /// What it does.
    pub kind: Kind,
    /// May it carry a `lock` prefix?
    pub lockable: bool,
    /// Does it take a size suffix (`b`, `w`, `l`, `q`)?
    pub sized: bool,
}

const fn entry(name: &'static str, shape: Shape, kind: Kind) -> Entry {
    Entry { name, shape, kind, lockable: false, sized: true }
}

const fn lockable(name: &'static str, shape: Shape, kind: Kind) -> Entry {
    Entry { name, shape, kind, lockable: true, sized: true }
}

const fn unsized_(name: &'static str, shape: Shape, kind: Kind) -> Entry {
    Entry { name, shape, kind, lockable: false, sized: false }
}

/// All instructions but the conditional ones, which are made of [`CONDITIONS`].
pub const TABLE: &[Entry] = &[
    entry("mov", Shape::DestSource, Kind::Move),
    lockable("add", Shape::DestSource, Kind::Arith(Arith::Add)),
    lockable("sub", Shape::DestSource, Kind::Arith(Arith::Sub)),
    lockable("and", Shape::DestSource, Kind::Arith(Arith::Logic(BinOp::And))),
    lockable("or", Shape::DestSource, Kind::Arith(Arith::Logic(BinOp::Or))),
    lockable("xor", Shape::DestSource, Kind::Arith(Arith::Logic(BinOp::Xor))),
    entry("shl", Shape::Shift, Kind::Arith(Arith::Shift(BinOp::Shl))),
    entry("sal", Shape::Shift, Kind::Arith(Arith::Shift(BinOp::Shl))),
    entry("shr", Shape::Shift, Kind::Arith(Arith::Shift(BinOp::Lsr))),
    entry("sar", Shape::Shift, Kind::Arith(Arith::Shift(BinOp::Asr))),
    lockable("adc", Shape::DestSource, Kind::WithCarry { sub: false }),
    lockable("sbb", Shape::DestSource, Kind::WithCarry { sub: true }),
    entry("imul", Shape::Multiply, Kind::Multiply),
    entry("rol", Shape::Shift, Kind::Rotate { left: true }),
    entry("ror", Shape::Shift, Kind::Rotate { left: false }),
    entry("bt", Shape::BitTest, Kind::BitTest(None)),
    lockable("bts", Shape::BitTest, Kind::BitTest(Some(BinOp::Or))),
    lockable("btr", Shape::BitTest, Kind::BitTest(Some(BinOp::AndNot))),
    lockable("btc", Shape::BitTest, Kind::BitTest(Some(BinOp::Xor))),
    entry("bswap", Shape::Reg, Kind::SwapBytes),
    entry("cmp", Shape::DestSource, Kind::Compare),
    entry("test", Shape::DestSource, Kind::Test),
    lockable("inc", Shape::Dest, Kind::Step(Arith::Add)),
    lockable("dec", Shape::Dest, Kind::Step(Arith::Sub)),
    lockable("neg", Shape::Dest, Kind::Negate),
    lockable("not", Shape::Dest, Kind::Complement),
    lockable("xchg", Shape::Exchange, Kind::Exchange { locked: true }),
    lockable("uxch", Shape::Exchange, Kind::Exchange { locked: false }),
    lockable("xadd", Shape::DestReg, Kind::ExchangeAdd),
    lockable("cmpxchg", Shape::DestReg, Kind::CompareExchange),
    entry("lea", Shape::RegMem, Kind::Address),
    unsized_("jmp", Shape::Label, Kind::Jump),
    unsized_("ret", Shape::None, Kind::Return),
    unsized_("mfence", Shape::None, Kind::Fence("MFENCE")),
    unsized_("sfence", Shape::None, Kind::Fence("SFENCE")),
    unsized_("lfence", Shape::None, Kind::Fence("LFENCE")),
    entry("nop", Shape::Ignored, Kind::Nop),
    unsized_("pause", Shape::None, Kind::Nop),
    unsized_("endbr64", Shape::None, Kind::Nop),
    unsized_("prefetcht0", Shape::Mem, Kind::Nop),
    unsized_("prefetcht1", Shape::Mem, Kind::Nop),
    unsized_("prefetcht2", Shape::Mem, Kind::Nop),
    unsized_("prefetchnta", Shape::Mem, Kind::Nop),
    unsized_("prefetchw", Shape::Mem, Kind::Nop),
];

const VECTORS: &str = "the vector extensions";
const STACK: &str = "code with a stack";
const SYSTEM: &str = "system code";
const WIDE: &str = "accesses of two registers at once";
const STRINGS: &str = "string operations";

/// Legal instructions that are not handled, and what they belong to. Some have size suffixes.
pub const UNSUPPORTED: &[(&str, &str)] = &[
    ("movd", VECTORS),
    ("movntdqa", VECTORS),
    ("movdqa", VECTORS),
    ("movdqu", VECTORS),
    ("movaps", VECTORS),
    ("movups", VECTORS),
    ("push", STACK),
    ("pop", STACK),
    ("call", STACK),
    ("leave", STACK),
    ("hlt", SYSTEM),
    ("ud2", SYSTEM),
    ("int", SYSTEM),
    ("int3", SYSTEM),
    ("cpuid", SYSTEM),
    ("serialize", SYSTEM),
    ("syscall", SYSTEM),
    ("cmpxchg8b", WIDE),
    ("cmpxchg16b", WIDE),
    ("mul", WIDE),
    ("div", WIDE),
    ("idiv", WIDE),
    ("movsd", STRINGS),
    ("stosb", STRINGS),
    ("stosq", STRINGS),
];

/// What an instruction that is not handled belongs to.
pub fn unsupported(mnemonic: &str) -> Option<&'static str> {
    let find = |name: &str| UNSUPPORTED.iter().find(|(known, _)| *known == name).map(|(_, what)| *what);
    find(mnemonic).or_else(|| find(mnemonic.strip_suffix(['b', 'w', 'l', 'q'])?))
}

/// Conditions by the suffix of `j…`, `set…` and `cmov…`; the last column is how herd7 prints it after `j`.
pub const CONDITIONS: &[(&str, Condition, &str)] = &[
    ("e", holds(Test::Equal), "e"),
    ("z", holds(Test::Equal), "e"),
    ("ne", fails(Test::Equal), "ne"),
    ("nz", fails(Test::Equal), "ne"),
    ("l", holds(Test::Less), "l"),
    ("lt", holds(Test::Less), "l"),
    ("nge", holds(Test::Less), "l"),
    ("ge", fails(Test::Less), "ge"),
    ("nl", fails(Test::Less), "ge"),
    ("le", holds(Test::LessEqual), "le"),
    ("ng", holds(Test::LessEqual), "le"),
    ("g", fails(Test::LessEqual), "g"),
    ("gt", fails(Test::LessEqual), "g"),
    ("nle", fails(Test::LessEqual), "g"),
    ("s", holds(Test::Sign), "s"),
    ("ns", fails(Test::Sign), "ns"),
    ("o", holds(Test::Overflow), "o"),
    ("no", fails(Test::Overflow), "no"),
    ("b", holds(Test::Below), "b"),
    ("c", holds(Test::Below), "c"),
    ("nae", holds(Test::Below), "nae"),
    ("ae", fails(Test::Below), "ae"),
    ("nb", fails(Test::Below), "nb"),
    ("nc", fails(Test::Below), "nc"),
    ("be", holds(Test::BelowEqual), "be"),
    ("na", holds(Test::BelowEqual), "na"),
    ("a", fails(Test::BelowEqual), "a"),
    ("nbe", fails(Test::BelowEqual), "nbe"),
];

const fn holds(test: Test) -> Condition {
    Condition { test, negated: false }
}

const fn fails(test: Test) -> Condition {
    Condition { test, negated: true }
}

/// An instruction found, with the name that it is printed under.
#[derive(Clone, Debug)]
pub struct Found {
    /// The instruction.
    pub entry: Entry,
    /// Lower case, without size suffix.
    pub printed: String,
    /// Operand size of the suffix, in bytes.
    pub suffix: Option<u8>,
}

/// Looks a mnemonic (lower case) up in [`TABLE`], `extra` and the conditional instructions, with or without a suffix.
pub fn find(mnemonic: &str, extra: &[Entry]) -> Option<Found> {
    if let Some(found) = exact(mnemonic, extra) {
        return Some(found);
    }
    let bytes = match mnemonic.chars().next_back()? {
        'b' => 1,
        'w' => 2,
        'l' => 4,
        'q' => 8,
        _ => return None,
    };
    let found = exact(&mnemonic[..mnemonic.len() - 1], extra)?;
    found.entry.sized.then_some(Found { suffix: Some(bytes), ..found })
}

fn exact(name: &str, extra: &[Entry]) -> Option<Found> {
    if let Some(entry) = TABLE.iter().chain(extra).find(|entry| entry.name == name) {
        return Some(Found { entry: *entry, printed: name.to_string(), suffix: None });
    }
    let conditional = |prefix: &str| {
        let suffix = name.strip_prefix(prefix)?;
        CONDITIONS.iter().find(|(spelling, ..)| *spelling == suffix)
    };
    if let Some((_, condition, printed)) = conditional("j") {
        let entry = unsized_("j", Shape::Label, Kind::JumpIf(*condition));
        return Some(Found { entry, printed: format!("j{printed}"), suffix: None });
    }
    if let Some((_, condition, _)) = conditional("set") {
        let entry = unsized_("set", Shape::Dest, Kind::Set(*condition));
        return Some(Found { entry, printed: name.to_string(), suffix: None });
    }
    let (_, condition, _) = conditional("cmov")?;
    let entry = entry("cmov", Shape::RegSource, Kind::ConditionalMove(*condition));
    Some(Found { entry, printed: name.to_string(), suffix: None })
}

/// All mnemonics, for "did you mean".
pub fn mnemonics(extra: &[Entry]) -> Vec<String> {
    let plain = TABLE.iter().chain(extra).map(|entry| entry.name.to_string());
    let conditional = CONDITIONS.iter().flat_map(|(spelling, ..)| {
        ["j", "set", "cmov"].into_iter().map(move |prefix| format!("{prefix}{spelling}"))
    });
    plain.chain(conditional).chain(["lock".to_string()]).collect()
}
