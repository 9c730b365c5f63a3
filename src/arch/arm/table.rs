//! The instructions of ARMv7 (with ARMv8's AArch32 acquire and release), as data.

use crate::program::{BinOp, UnOp};

/// What operands an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// None.
    None,
    /// Anything, not looked at.
    Ignored,
    /// `Rd,Rn,operand` or `Rd,operand` (then `Rn` is `Rd`).
    Three,
    /// `Rd,operand`.
    Two,
    /// `Rd,#n`.
    RegImm,
    /// `Rd,Rn,Rm`.
    Registers,
    /// `Rd,Rm`.
    RegReg,
    /// Four registers.
    Four,
    /// `Rd,Rn,#lsb,#width`.
    Field,
    /// `Rd,#lsb,#width`.
    OwnField,
    /// `Rt,address`.
    Access,
    /// `Rt,[Rn]`.
    Plain,
    /// `Rd,Rt,[Rn]`.
    Conditional,
    /// `Rt,Rt2,address` or `Rt,address`.
    Pair,
    /// `Rn[!],{list}`.
    Multiple,
    /// A label.
    Label,
    /// `Rn,label`.
    RegLabel,
    /// A register.
    Reg,
    /// A barrier option, or none.
    Option,
}

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing.
    Nop,
    /// `Rd := Rn + operand`.
    Add,
    /// `Rd := Rn - operand`.
    Sub,
    /// `Rd := operand - Rn`.
    ReverseSub,
    /// `Rd := Rn + operand + C`.
    AddCarry,
    /// `Rd := Rn - operand - 1 + C`.
    SubCarry,
    /// `Rd := operand - Rn - 1 + C`.
    ReverseSubCarry,
    /// `Rd := -Rm`.
    Negate,
    /// `Rd := Rn op operand`, or a shift.
    Logic(BinOp),
    /// `Rd := Rn | ~operand`.
    OrNot,
    /// `Rd := Rn rotated right`.
    RotateRight,
    /// `Rd := Rn * Rm`.
    Multiply,
    /// `Rd := Ra op Rn * Rm`.
    MultiplyAdd(BinOp),
    /// `RdLo,RdHi := Rn * Rm`; the function of the upper half.
    MultiplyLong(BinOp),
    /// `Rd := Rn / Rm`.
    Divide(BinOp),
    /// `Rd := f(Rm)`.
    Unary(UnOp),
    /// `Rd :=` a field of `Rn`.
    ExtractField { signed: bool },
    /// A field of `Rd :=` the low bits of `Rn`.
    InsertField,
    /// A field of `Rd := 0`.
    ClearField,
    /// `Rd := operand`.
    Move,
    /// `Rd := ~operand`.
    MoveNot,
    /// `Rd := n`, 16 bits.
    MoveWide,
    /// Upper half of `Rd := n`.
    MoveTop,
    /// `Rd :=` low bits of `Rm`.
    Extend { bits: u8, signed: bool },
    /// Flags of `Rn - operand`.
    Compare,
    /// Flags of `Rn + operand`.
    CompareNegative,
    /// Flags of `Rn & operand`.
    Test,
    /// Flags of `Rn ^ operand`.
    TestEqual,
    /// Memory to register.
    Load { bytes: u8, signed: bool, sets: &'static [&'static str], exclusive: bool },
    /// Register to memory.
    Store { bytes: u8, sets: &'static [&'static str] },
    /// Register to memory if the reservation holds; status in the first operand.
    StoreExclusive { bytes: u8, sets: &'static [&'static str] },
    /// Two words from memory.
    LoadPair,
    /// Two words to memory.
    StorePair,
    /// Several words from memory.
    LoadMultiple(Direction),
    /// Several words to memory.
    StoreMultiple(Direction),
    /// Drops the reservation.
    ClearExclusive,
    /// Jump.
    Jump,
    /// Jump with return address in `LR`.
    Call,
    /// Jump to the address in a register.
    JumpTo,
    /// Likewise, with return address in `LR`.
    CallTo,
    /// Jump if the register is zero, or is not.
    JumpIfZero(bool),
    /// A barrier, by the name of its set, to which the option is added.
    Fence(&'static str),
    /// `ISB`.
    InstructionFence,
}

/// Where the words of several registers are, seen from the base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the base up.
    IncrementAfter,
    /// From the word after the base up.
    IncrementBefore,
    /// Up to the base.
    DecrementAfter,
    /// Up to the word before the base.
    DecrementBefore,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The mnemonic, upper case, without flag and condition suffixes.
    pub name: &'static str,
    /// Its operands.
    pub shape: Shape,
    /// What it does.
    pub kind: Kind,
    /// Does an `S` make it set the flags?
    pub flags: bool,
    /// What it is printed as.
    pub printed: &'static str,
}

const fn data(name: &'static str, shape: Shape, kind: Kind) -> Entry {
    Entry { name, shape, kind, flags: true, printed: name }
}

const fn entry(name: &'static str, shape: Shape, kind: Kind) -> Entry {
    Entry { name, shape, kind, flags: false, printed: name }
}

const fn load(name: &'static str, bytes: u8, signed: bool) -> Entry {
    entry(name, Shape::Access, Kind::Load { bytes, signed, sets: &[], exclusive: false })
}

const fn acquire(name: &'static str, bytes: u8) -> Entry {
    // herd7's `AL` holds what `A` holds.
    entry(name, Shape::Plain, Kind::Load { bytes, signed: false, sets: &["A", "AL"], exclusive: false })
}

const fn exclusive(name: &'static str, bytes: u8) -> Entry {
    entry(name, Shape::Plain, Kind::Load { bytes, signed: false, sets: &["EX"], exclusive: true })
}

const fn acquire_exclusive(name: &'static str, bytes: u8) -> Entry {
    entry(name, Shape::Plain, Kind::Load { bytes, signed: false, sets: &["EX", "A", "AL"], exclusive: true })
}

const fn store(name: &'static str, bytes: u8) -> Entry {
    entry(name, Shape::Access, Kind::Store { bytes, sets: &[] })
}

const fn release(name: &'static str, bytes: u8) -> Entry {
    entry(name, Shape::Plain, Kind::Store { bytes, sets: &["L"] })
}

const fn store_exclusive(name: &'static str, bytes: u8) -> Entry {
    entry(name, Shape::Conditional, Kind::StoreExclusive { bytes, sets: &["EX"] })
}

const fn release_exclusive(name: &'static str, bytes: u8) -> Entry {
    entry(name, Shape::Conditional, Kind::StoreExclusive { bytes, sets: &["EX", "L"] })
}

const fn load_multiple(name: &'static str, printed: &'static str, direction: Direction) -> Entry {
    Entry { printed, ..entry(name, Shape::Multiple, Kind::LoadMultiple(direction)) }
}

const fn store_multiple(name: &'static str, printed: &'static str, direction: Direction) -> Entry {
    Entry { printed, ..entry(name, Shape::Multiple, Kind::StoreMultiple(direction)) }
}

/// All instructions.
pub const TABLE: &[Entry] = &[
    data("ADD", Shape::Three, Kind::Add),
    data("SUB", Shape::Three, Kind::Sub),
    data("RSB", Shape::Three, Kind::ReverseSub),
    data("AND", Shape::Three, Kind::Logic(BinOp::And)),
    data("ORR", Shape::Three, Kind::Logic(BinOp::Or)),
    data("EOR", Shape::Three, Kind::Logic(BinOp::Xor)),
    Entry { printed: "EOR", ..data("XOR", Shape::Three, Kind::Logic(BinOp::Xor)) },
    data("BIC", Shape::Three, Kind::Logic(BinOp::AndNot)),
    data("ORN", Shape::Three, Kind::OrNot),
    data("ADC", Shape::Three, Kind::AddCarry),
    data("SBC", Shape::Three, Kind::SubCarry),
    data("RSC", Shape::Three, Kind::ReverseSubCarry),
    data("NEG", Shape::RegReg, Kind::Negate),
    // Encodings with a wider immediate.
    Entry { printed: "ADD", ..entry("ADDW", Shape::Three, Kind::Add) },
    Entry { printed: "SUB", ..entry("SUBW", Shape::Three, Kind::Sub) },
    data("LSL", Shape::Three, Kind::Logic(BinOp::Shl)),
    data("LSR", Shape::Three, Kind::Logic(BinOp::Lsr)),
    data("ASR", Shape::Three, Kind::Logic(BinOp::Asr)),
    data("ROR", Shape::Three, Kind::RotateRight),
    data("MUL", Shape::Registers, Kind::Multiply),
    data("MLA", Shape::Four, Kind::MultiplyAdd(BinOp::Add)),
    entry("MLS", Shape::Four, Kind::MultiplyAdd(BinOp::Sub)),
    entry("UMULL", Shape::Four, Kind::MultiplyLong(BinOp::MulHighu)),
    entry("SMULL", Shape::Four, Kind::MultiplyLong(BinOp::MulHigh)),
    entry("UDIV", Shape::Registers, Kind::Divide(BinOp::Divu)),
    entry("SDIV", Shape::Registers, Kind::Divide(BinOp::Div)),
    entry("CLZ", Shape::RegReg, Kind::Unary(UnOp::CountLeadingZeros(32))),
    entry("RBIT", Shape::RegReg, Kind::Unary(UnOp::ReverseBits(32))),
    entry("REV", Shape::RegReg, Kind::Unary(UnOp::ReverseBytes { bytes: 4, group: 4 })),
    entry("REV16", Shape::RegReg, Kind::Unary(UnOp::ReverseBytes { bytes: 4, group: 2 })),
    entry("UBFX", Shape::Field, Kind::ExtractField { signed: false }),
    entry("SBFX", Shape::Field, Kind::ExtractField { signed: true }),
    entry("BFI", Shape::Field, Kind::InsertField),
    entry("BFC", Shape::OwnField, Kind::ClearField),
    data("MOV", Shape::Two, Kind::Move),
    data("MVN", Shape::Two, Kind::MoveNot),
    entry("MOVW", Shape::RegImm, Kind::MoveWide),
    entry("MOVT", Shape::RegImm, Kind::MoveTop),
    entry("UXTB", Shape::RegReg, Kind::Extend { bits: 8, signed: false }),
    entry("UXTH", Shape::RegReg, Kind::Extend { bits: 16, signed: false }),
    entry("SXTB", Shape::RegReg, Kind::Extend { bits: 8, signed: true }),
    entry("SXTH", Shape::RegReg, Kind::Extend { bits: 16, signed: true }),
    entry("CMP", Shape::Two, Kind::Compare),
    entry("CMN", Shape::Two, Kind::CompareNegative),
    entry("TST", Shape::Two, Kind::Test),
    entry("TEQ", Shape::Two, Kind::TestEqual),
    load("LDR", 4, false),
    load("LDRB", 1, false),
    load("LDRH", 2, false),
    load("LDRSB", 1, true),
    load("LDRSH", 2, true),
    // Unprivileged: no test has privileges to lose.
    load("LDRT", 4, false),
    load("LDRBT", 1, false),
    load("LDRHT", 2, false),
    load("LDRSBT", 1, true),
    load("LDRSHT", 2, true),
    acquire("LDA", 4),
    acquire("LDAB", 1),
    acquire("LDAH", 2),
    exclusive("LDREX", 4),
    exclusive("LDREXB", 1),
    exclusive("LDREXH", 2),
    acquire_exclusive("LDAEX", 4),
    acquire_exclusive("LDAEXB", 1),
    acquire_exclusive("LDAEXH", 2),
    store("STR", 4),
    store("STRB", 1),
    store("STRH", 2),
    store("STRT", 4),
    store("STRBT", 1),
    store("STRHT", 2),
    release("STL", 4),
    release("STLB", 1),
    release("STLH", 2),
    store_exclusive("STREX", 4),
    store_exclusive("STREXB", 1),
    store_exclusive("STREXH", 2),
    release_exclusive("STLEX", 4),
    release_exclusive("STLEXB", 1),
    release_exclusive("STLEXH", 2),
    entry("CLREX", Shape::None, Kind::ClearExclusive),
    entry("LDRD", Shape::Pair, Kind::LoadPair),
    entry("STRD", Shape::Pair, Kind::StorePair),
    load_multiple("LDM", "LDM", Direction::IncrementAfter),
    load_multiple("LDMIA", "LDM", Direction::IncrementAfter),
    load_multiple("LDMFD", "LDM", Direction::IncrementAfter),
    load_multiple("LDMIB", "LDMIB", Direction::IncrementBefore),
    load_multiple("LDMDA", "LDMDA", Direction::DecrementAfter),
    load_multiple("LDMDB", "LDMDB", Direction::DecrementBefore),
    load_multiple("LDMEA", "LDMDB", Direction::DecrementBefore),
    store_multiple("STM", "STM", Direction::IncrementAfter),
    store_multiple("STMIA", "STM", Direction::IncrementAfter),
    store_multiple("STMEA", "STM", Direction::IncrementAfter),
    store_multiple("STMIB", "STMIB", Direction::IncrementBefore),
    store_multiple("STMDA", "STMDA", Direction::DecrementAfter),
    store_multiple("STMDB", "STMDB", Direction::DecrementBefore),
    store_multiple("STMFD", "STMDB", Direction::DecrementBefore),
    entry("B", Shape::Label, Kind::Jump),
    entry("BL", Shape::Label, Kind::Call),
    entry("BX", Shape::Reg, Kind::JumpTo),
    entry("BLX", Shape::Reg, Kind::CallTo),
    entry("CBZ", Shape::RegLabel, Kind::JumpIfZero(true)),
    entry("CBNZ", Shape::RegLabel, Kind::JumpIfZero(false)),
    entry("DMB", Shape::Option, Kind::Fence("DMB")),
    entry("DSB", Shape::Option, Kind::Fence("DSB")),
    entry("ISB", Shape::Option, Kind::InstructionFence),
    entry("NOP", Shape::None, Kind::Nop),
    entry("YIELD", Shape::None, Kind::Nop),
    entry("WFE", Shape::None, Kind::Nop),
    entry("SEV", Shape::None, Kind::Nop),
    entry("SEVL", Shape::None, Kind::Nop),
    entry("CSDB", Shape::None, Kind::Nop),
    entry("PLD", Shape::Ignored, Kind::Nop),
    entry("PLDW", Shape::Ignored, Kind::Nop),
    entry("PLI", Shape::Ignored, Kind::Nop),
    // The stack is not memory of the test.
    Entry { printed: "NOP", ..entry("PUSH", Shape::Ignored, Kind::Nop) },
    Entry { printed: "NOP", ..entry("POP", Shape::Ignored, Kind::Nop) },
];

const EXCEPTIONS: &str = "exceptions";
const DOUBLES: &str = "exclusive accesses of 64 bits";
const SYSTEM: &str = "system code";

/// Legal instructions that are not handled, and what they belong to.
pub const UNSUPPORTED: &[(&str, &str)] = &[
    ("SVC", EXCEPTIONS),
    ("UDF", EXCEPTIONS),
    ("BKPT", EXCEPTIONS),
    ("HVC", EXCEPTIONS),
    ("SMC", EXCEPTIONS),
    ("WFI", EXCEPTIONS),
    ("LDREXD", DOUBLES),
    ("STREXD", DOUBLES),
    ("LDAEXD", DOUBLES),
    ("STLEXD", DOUBLES),
    ("SWP", "atomic swaps, which the architecture no longer has"),
    ("SWPB", "atomic swaps, which the architecture no longer has"),
    ("MRS", SYSTEM),
    ("MSR", SYSTEM),
    ("MRC", SYSTEM),
    ("MCR", SYSTEM),
];

/// Options of `DMB` and `DSB`, with the suffix of the set.
pub const OPTIONS: [(&str, &str); 8] = [
    ("SY", ""),
    ("ST", ".ST"),
    ("ISH", ".ISH"),
    ("ISHST", ".ISHST"),
    ("NSH", ".NSH"),
    ("NSHST", ".NSHST"),
    ("OSH", ".OSH"),
    ("OSHST", ".OSHST"),
];

/// Conditions on the flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// How it is written.
    pub name: &'static str,
    /// What it tests.
    pub test: Test,
    /// Does it hold when the test fails?
    pub negated: bool,
}

/// The tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// Z.
    Equal,
    /// C.
    Carry,
    /// N.
    Minus,
    /// V.
    Overflow,
    /// C and not Z.
    Higher,
    /// N = V.
    GreaterEqual,
    /// N = V and not Z.
    Greater,
    /// Always.
    Always,
}

const fn condition(name: &'static str, test: Test, negated: bool) -> Condition {
    Condition { name, test, negated }
}

/// All conditions.
pub const CONDITIONS: &[Condition] = &[
    condition("EQ", Test::Equal, false),
    condition("NE", Test::Equal, true),
    condition("CS", Test::Carry, false),
    condition("HS", Test::Carry, false),
    condition("CC", Test::Carry, true),
    condition("LO", Test::Carry, true),
    condition("MI", Test::Minus, false),
    condition("PL", Test::Minus, true),
    condition("VS", Test::Overflow, false),
    condition("VC", Test::Overflow, true),
    condition("HI", Test::Higher, false),
    condition("LS", Test::Higher, true),
    condition("GE", Test::GreaterEqual, false),
    condition("LT", Test::GreaterEqual, true),
    condition("GT", Test::Greater, false),
    condition("LE", Test::Greater, true),
    condition("AL", Test::Always, false),
];

/// A mnemonic taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The instruction.
    pub entry: &'static Entry,
    /// Does it set the flags?
    pub set_flags: bool,
    /// When it is executed; `None`: always.
    pub condition: Option<Condition>,
}

/// Takes a mnemonic (upper case) apart: name, `S`, condition. The longest name that works wins.
pub fn find(mnemonic: &str) -> Option<Found> {
    let mut candidates: Vec<&'static Entry> =
        TABLE.iter().filter(|entry| mnemonic.starts_with(entry.name)).collect();
    candidates.sort_by_key(|entry| std::cmp::Reverse(entry.name.len()));
    candidates.into_iter().find_map(|entry| {
        let rest = &mnemonic[entry.name.len()..];
        let plain = suffix(rest).map(|condition| Found { entry, set_flags: false, condition });
        let with_flags = |rest: &str| {
            if !entry.flags {
                return None;
            }
            let before = rest.strip_prefix('S').and_then(suffix);
            let after = rest.strip_suffix('S').and_then(suffix);
            before.or(after).map(|condition| Found { entry, set_flags: true, condition })
        };
        plain.or_else(|| with_flags(rest))
    })
}

/// The condition that a suffix is: `Some(None)` for none at all.
fn suffix(rest: &str) -> Option<Option<Condition>> {
    if rest.is_empty() {
        return Some(None);
    }
    let condition = CONDITIONS.iter().find(|condition| condition.name == rest)?;
    Some((condition.test != Test::Always).then_some(*condition))
}
