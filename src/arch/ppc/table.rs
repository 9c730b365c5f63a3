//! The instructions of Power, as data.

use crate::arch::operands::Slot;
use crate::program::BinOp;

/// Two-operand arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alu {
    /// The function of the full registers.
    Full(BinOp),
    /// `b - a`.
    SubtractFrom,
    /// The complement of the function.
    Not(BinOp),
    /// `a | ~b`.
    OrNot,
    /// The function of the sign-extended low words.
    Word(BinOp),
    /// The function of the zero-extended low words.
    UnsignedWord(BinOp),
    /// Shift of the low word by 6 bits of the second operand; 32 and more leaves zeros (or signs).
    ShiftWord(BinOp),
    /// Shift of the register by 7 bits of the second operand; 64 and more leaves zeros (or signs).
    ShiftDouble(BinOp),
}

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing.
    Nop,
    /// `rD := f(rA, rB)`.
    Registers(Alu),
    /// `rD := f(rA, n << shift)`.
    Immediate { alu: Alu, shift: u8 },
    /// `rD := (rA|0) + (n << shift)`: here `r0` stands for zero.
    AddImmediate { shift: u8 },
    /// `rD := (rA|0) - n`: printed as the addition of `-n`.
    SubtractImmediate,
    /// `rD := n << shift`.
    Load { shift: u8 },
    /// `rD := rA`.
    Move,
    /// `rD := ~rA`.
    Complement,
    /// `rD := -rA`.
    Negate,
    /// `rD :=` low bits of `rA`, sign-extended.
    SignExtend(u8),
    /// `rD :=` number of leading zeros of the low bits.
    CountLeadingZeros(u8),
    /// `rD :=` `rA` with the upper `n` bits cleared (of the low `bits`).
    ClearLeft { bits: u8 },
    /// `rD :=` the low word of `rA` rotated left by the first number, and masked by the other two.
    RotateMask,
    /// Likewise, inserted into `rD` under the mask.
    RotateInsert,
    /// Condition field `:=` comparison of `rA` with a register or a number.
    Compare { bits: u8, signed: bool },
    /// Memory to register.
    Read { bytes: u8, signed: bool, update: bool, reserve: bool },
    /// Register to memory.
    Write { bytes: u8, update: bool, conditional: bool },
    /// Memory to the registers from `rD` to `r31`.
    ReadMultiple,
    /// The registers from `rS` to `r31` to memory.
    WriteMultiple,
    /// A fence, by its set.
    Fence(&'static str),
    /// Jump.
    Jump,
    /// Jump, with the return address in the link register.
    Call,
    /// Jump to the link register.
    Return,
    /// Jump to the count register.
    JumpCount,
    /// Conditional jump on a bit of a condition field: 0 less, 1 greater, 2 equal.
    JumpIf { bit: u8, value: bool },
    /// Count register down by one; jump if it is not zero (or if it is).
    CountDown { zero: bool },
    /// A special register to a general one.
    MoveFrom(&'static str),
    /// A general register to a special one.
    MoveTo(&'static str),
    /// The condition register to a general one.
    MoveFromCondition,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The mnemonic.
    pub name: &'static str,
    /// Its operands.
    pub slots: &'static [Slot],
    /// What it does.
    pub kind: Kind,
    /// What it is printed as, if not by its own name.
    pub printed: Option<&'static str>,
    /// Does a final `.` set condition field 0? (`Some(true)`: the name has it already.)
    pub record: Record,
}

/// Whether an instruction records its result in condition field 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// Never.
    No,
    /// If the mnemonic is followed by a dot.
    Dot,
    /// Always.
    Always,
}

use Slot::{Field, Hint, Imm, Label, Mem, MemOrPair, Reg, RegOrZero, Text};

const R3: &[Slot] = &[Reg, Reg, Reg];
/// Two registers are an address; the first may be `0`.
const RX: &[Slot] = &[Reg, RegOrZero, Reg];
const RXH: &[Slot] = &[Reg, RegOrZero, Reg, Hint];
const X: &[Slot] = &[RegOrZero, Reg];
const R2: &[Slot] = &[Reg, Reg];
const R2I: &[Slot] = &[Reg, Reg, Imm];
const RI: &[Slot] = &[Reg, Imm];
const R1: &[Slot] = &[Reg];
const R2I3: &[Slot] = &[Reg, Reg, Imm, Imm, Imm];
const CRR: &[Slot] = &[Field, Reg, Reg];
const CRI: &[Slot] = &[Field, Reg, Imm];
const CL: &[Slot] = &[Field, Label];

const fn entry(name: &'static str, slots: &'static [Slot], kind: Kind) -> Entry {
    Entry { name, slots, kind, printed: None, record: Record::No }
}

const fn dotted(name: &'static str, slots: &'static [Slot], kind: Kind) -> Entry {
    Entry { name, slots, kind, printed: None, record: Record::Dot }
}

const fn recording(name: &'static str, slots: &'static [Slot], kind: Kind) -> Entry {
    Entry { name, slots, kind, printed: None, record: Record::Always }
}

const fn alias(name: &'static str, slots: &'static [Slot], kind: Kind, printed: &'static str) -> Entry {
    Entry { name, slots, kind, printed: Some(printed), record: Record::No }
}

const fn alu(name: &'static str, alu: Alu) -> Entry {
    dotted(name, R3, Kind::Registers(alu))
}

const fn imm(name: &'static str, alu: Alu, shift: u8) -> Entry {
    entry(name, R2I, Kind::Immediate { alu, shift })
}

const fn load(name: &'static str, slots: &'static [Slot], bytes: u8) -> Entry {
    entry(name, slots, Kind::Read { bytes, signed: false, update: false, reserve: false })
}

const fn signed(name: &'static str, slots: &'static [Slot], bytes: u8) -> Entry {
    entry(name, slots, Kind::Read { bytes, signed: true, update: false, reserve: false })
}

const fn store(name: &'static str, slots: &'static [Slot], bytes: u8) -> Entry {
    entry(name, slots, Kind::Write { bytes, update: false, conditional: false })
}

const fn load_update(name: &'static str, slots: &'static [Slot], bytes: u8) -> Entry {
    entry(name, slots, Kind::Read { bytes, signed: false, update: true, reserve: false })
}

const fn store_update(name: &'static str, slots: &'static [Slot], bytes: u8) -> Entry {
    entry(name, slots, Kind::Write { bytes, update: true, conditional: false })
}

const fn reserve(name: &'static str, bytes: u8) -> Entry {
    entry(name, RXH, Kind::Read { bytes, signed: false, update: false, reserve: true })
}

const fn conditional(name: &'static str, bytes: u8) -> Entry {
    entry(name, RX, Kind::Write { bytes, update: false, conditional: true })
}

const fn compare(name: &'static str, slots: &'static [Slot], bits: u8, signed: bool) -> Entry {
    entry(name, slots, Kind::Compare { bits, signed })
}

/// A conditional branch. herd7 prints two blanks after it.
const fn branch(name: &'static str, printed: &'static str, bit: u8, value: bool) -> Entry {
    alias(name, CL, Kind::JumpIf { bit, value }, printed)
}

const MEM: &[Slot] = &[Reg, MemOrPair];

/// All instructions.
pub const TABLE: &[Entry] = &[
    // Arithmetic and logic of registers.
    alu("add", Alu::Full(BinOp::Add)),
    alu("sub", Alu::Full(BinOp::Sub)),
    alu("subf", Alu::SubtractFrom),
    alu("mullw", Alu::Word(BinOp::Mul)),
    alu("mulld", Alu::Full(BinOp::Mul)),
    alu("divw", Alu::Word(BinOp::Div)),
    alu("divwu", Alu::UnsignedWord(BinOp::Div)),
    alu("divd", Alu::Full(BinOp::Div)),
    alu("divdu", Alu::Full(BinOp::Divu)),
    alu("and", Alu::Full(BinOp::And)),
    alu("or", Alu::Full(BinOp::Or)),
    alu("xor", Alu::Full(BinOp::Xor)),
    alu("andc", Alu::Full(BinOp::AndNot)),
    alu("orc", Alu::OrNot),
    alu("nor", Alu::Not(BinOp::Or)),
    alu("nand", Alu::Not(BinOp::And)),
    alu("eqv", Alu::Not(BinOp::Xor)),
    alu("slw", Alu::ShiftWord(BinOp::Shl)),
    alu("srw", Alu::ShiftWord(BinOp::Lsr)),
    alu("sraw", Alu::ShiftWord(BinOp::Asr)),
    alu("sld", Alu::ShiftDouble(BinOp::Shl)),
    alu("srd", Alu::ShiftDouble(BinOp::Lsr)),
    alu("srad", Alu::ShiftDouble(BinOp::Asr)),
    dotted("neg", R2, Kind::Negate),
    dotted("not", R2, Kind::Complement),
    dotted("mr", R2, Kind::Move),
    dotted("extsb", R2, Kind::SignExtend(8)),
    dotted("extsh", R2, Kind::SignExtend(16)),
    dotted("extsw", R2, Kind::SignExtend(32)),
    dotted("cntlzw", R2, Kind::CountLeadingZeros(32)),
    dotted("cntlzd", R2, Kind::CountLeadingZeros(64)),
    // With an immediate.
    entry("addi", R2I, Kind::AddImmediate { shift: 0 }),
    entry("addis", R2I, Kind::AddImmediate { shift: 16 }),
    alias("subi", R2I, Kind::SubtractImmediate, "addi"),
    imm("ori", Alu::Full(BinOp::Or), 0),
    imm("oris", Alu::Full(BinOp::Or), 16),
    imm("xori", Alu::Full(BinOp::Xor), 0),
    imm("xoris", Alu::Full(BinOp::Xor), 16),
    recording("andi.", R2I, Kind::Immediate { alu: Alu::Full(BinOp::And), shift: 0 }),
    recording("andis.", R2I, Kind::Immediate { alu: Alu::Full(BinOp::And), shift: 16 }),
    imm("mulli", Alu::Full(BinOp::Mul), 0),
    // These also set a carry, which nothing here reads.
    imm("addic", Alu::Full(BinOp::Add), 0),
    recording("addic.", R2I, Kind::Immediate { alu: Alu::Full(BinOp::Add), shift: 0 }),
    imm("subic", Alu::Full(BinOp::Sub), 0),
    imm("subfic", Alu::SubtractFrom, 0),
    dotted("slwi", R2I, Kind::Immediate { alu: Alu::ShiftWord(BinOp::Shl), shift: 0 }),
    dotted("srwi", R2I, Kind::Immediate { alu: Alu::ShiftWord(BinOp::Lsr), shift: 0 }),
    dotted("srawi", R2I, Kind::Immediate { alu: Alu::ShiftWord(BinOp::Asr), shift: 0 }),
    dotted("sldi", R2I, Kind::Immediate { alu: Alu::ShiftDouble(BinOp::Shl), shift: 0 }),
    dotted("srdi", R2I, Kind::Immediate { alu: Alu::ShiftDouble(BinOp::Lsr), shift: 0 }),
    dotted("sradi", R2I, Kind::Immediate { alu: Alu::ShiftDouble(BinOp::Asr), shift: 0 }),
    dotted("clrldi", R2I, Kind::ClearLeft { bits: 64 }),
    dotted("clrlwi", R2I, Kind::ClearLeft { bits: 32 }),
    dotted("rlwinm", R2I3, Kind::RotateMask),
    dotted("rlwimi", R2I3, Kind::RotateInsert),
    entry("li", RI, Kind::Load { shift: 0 }),
    entry("lis", RI, Kind::Load { shift: 16 }),
    // Comparisons.
    compare("cmpw", CRR, 32, true),
    compare("cmpwi", CRI, 32, true),
    compare("cmplw", CRR, 32, false),
    compare("cmplwi", CRI, 32, false),
    compare("cmpd", CRR, 64, true),
    compare("cmpdi", CRI, 64, true),
    compare("cmpld", CRR, 64, false),
    compare("cmpldi", CRI, 64, false),
    // Loads.
    load("lbz", MEM, 1),
    load("lhz", MEM, 2),
    load("lwz", MEM, 4),
    alias("ld", MEM, Kind::Read { bytes: 8, signed: false, update: false, reserve: false }, "lwz"),
    signed("lha", MEM, 2),
    signed("lwa", MEM, 4),
    load("lbzx", RX, 1),
    load("lhzx", RX, 2),
    load("lwzx", RX, 4),
    alias("ldx", RX, Kind::Read { bytes: 8, signed: false, update: false, reserve: false }, "lwzx"),
    signed("lhax", RX, 2),
    signed("lwax", RX, 4),
    load_update("lbzu", MEM, 1),
    load_update("lhzu", MEM, 2),
    load_update("lwzu", MEM, 4),
    load_update("ldu", MEM, 8),
    entry("lhau", MEM, Kind::Read { bytes: 2, signed: true, update: true, reserve: false }),
    entry("lhaux", R3, Kind::Read { bytes: 2, signed: true, update: true, reserve: false }),
    entry("lwaux", R3, Kind::Read { bytes: 4, signed: true, update: true, reserve: false }),
    load_update("lbzux", R3, 1),
    load_update("lhzux", R3, 2),
    load_update("lwzux", R3, 4),
    load_update("ldux", R3, 8),
    reserve("lbarx", 1),
    reserve("lharx", 2),
    reserve("lwarx", 4),
    reserve("ldarx", 8),
    entry("lmw", &[Reg, Mem], Kind::ReadMultiple),
    // Stores.
    store("stb", MEM, 1),
    store("sth", MEM, 2),
    store("stw", MEM, 4),
    alias("std", MEM, Kind::Write { bytes: 8, update: false, conditional: false }, "stw"),
    store("stbx", RX, 1),
    store("sthx", RX, 2),
    store("stwx", RX, 4),
    alias("stdx", RX, Kind::Write { bytes: 8, update: false, conditional: false }, "stwx"),
    store_update("stbu", MEM, 1),
    store_update("sthu", MEM, 2),
    store_update("stwu", MEM, 4),
    store_update("stdu", MEM, 8),
    store_update("stbux", R3, 1),
    store_update("sthux", R3, 2),
    store_update("stwux", R3, 4),
    store_update("stdux", R3, 8),
    conditional("stbcx.", 1),
    conditional("sthcx.", 2),
    conditional("stwcx.", 4),
    conditional("stdcx.", 8),
    entry("stmw", &[Reg, Mem], Kind::WriteMultiple),
    // Fences.
    entry("sync", &[], Kind::Fence("SYNC")),
    alias("hwsync", &[], Kind::Fence("SYNC"), "sync"),
    entry("lwsync", &[], Kind::Fence("LWSYNC")),
    entry("isync", &[], Kind::Fence("ISYNC")),
    entry("eieio", &[], Kind::Fence("EIEIO")),
    // Control.
    alias("b", &[Label], Kind::Jump, "b  "),
    alias("bl", &[Label], Kind::Call, "bl  "),
    entry("blr", &[], Kind::Return),
    entry("bctr", &[], Kind::JumpCount),
    branch("beq", "beq ", 2, true),
    branch("bne", "bne ", 2, false),
    branch("blt", "blt ", 0, true),
    branch("bge", "bge ", 0, false),
    branch("bnl", "bge ", 0, false),
    branch("bgt", "bgt ", 1, true),
    branch("ble", "ble ", 1, false),
    branch("bng", "ble ", 1, false),
    entry("bdnz", &[Label], Kind::CountDown { zero: false }),
    entry("bdz", &[Label], Kind::CountDown { zero: true }),
    // Special registers.
    entry("mflr", R1, Kind::MoveFrom("LR")),
    entry("mtlr", R1, Kind::MoveTo("LR")),
    entry("mfctr", R1, Kind::MoveFrom("CTR")),
    entry("mtctr", R1, Kind::MoveTo("CTR")),
    entry("mfcr", R1, Kind::MoveFromCondition),
    // Nothing that a memory model sees.
    entry("nop", &[], Kind::Nop),
    entry("dcbf", X, Kind::Nop),
    entry("dcbst", X, Kind::Nop),
    entry("dcbt", X, Kind::Nop),
    entry("dcbtst", X, Kind::Nop),
    entry("com", &[Text], Kind::Nop),
];

/// The instruction of a mnemonic, and whether it records its result.
pub fn find(mnemonic: &str) -> Option<(&'static Entry, bool)> {
    if let Some(entry) = TABLE.iter().find(|entry| entry.name == mnemonic) {
        return Some((entry, entry.record == Record::Always));
    }
    let stem = mnemonic.strip_suffix('.')?;
    TABLE.iter().find(|entry| entry.name == stem && entry.record == Record::Dot).map(|entry| (entry, true))
}
