//! The instructions of MIPS, as data.

use crate::arch::operands::Slot;
use crate::program::{BinOp, UnOp};

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing.
    Nop,
    /// `rd := rs op rt`.
    Registers { op: BinOp, width: Width },
    /// `rd := ~(rs | rt)`.
    Nor,
    /// `rd := rs op rt`, a shift: only the low bits of the amount count.
    ShiftBy { op: BinOp, width: Width },
    /// `rd := f(rs)`, the result sign-extended if it has 32 bits.
    Unary { op: UnOp, width: Width },
    /// `rd := rs` if the comparison of `rt` with zero holds.
    MoveIf(BinOp),
    /// `rd := rs`, or 0 if the comparison of `rt` with zero does not hold.
    Select(BinOp),
    /// `rd :=` a comparison with its operands the other way round.
    Swapped(BinOp),
    /// `rd :=` the address of a global.
    LoadAddress,
    /// `rd := rs op n`, the immediate of 16 bits, sign-extended or not.
    Immediate { op: BinOp, width: Width, signed: bool },
    /// `rd := rs op n`, a shift; `plus` is added to the amount.
    Shift { op: BinOp, width: Width, plus: u8 },
    /// `rd := n`.
    LoadImmediate,
    /// `rd := n << 16`, sign-extended from 32 bits.
    LoadUpper,
    /// `rd := rs`.
    Move,
    /// `rd :=` the bits of `rs` from the first number, as many as the second says.
    Extract(Width),
    /// Memory to register.
    Load { bytes: u8, signed: bool, linked: bool },
    /// Register to memory.
    Store { bytes: u8 },
    /// Register to memory if the link holds; 1 or 0 to the register.
    StoreConditional { bytes: u8 },
    /// `SYNC`.
    Fence,
    /// Jump.
    Jump,
    /// Jump with return address in `$31`.
    Call,
    /// Jump to the address in a register.
    JumpTo,
    /// Likewise, with return address in `$31`.
    CallTo,
    /// Jump on a comparison of two registers.
    JumpIf(BinOp),
    /// Jump on a comparison of a register with zero.
    JumpIfZero(BinOp),
}

/// Of what width a computation is. Results of 32 bits are sign-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Word,
    Double,
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
}

use Slot::{Global, Imm, Label, Mem, Reg};
use Width::{Double, Word};

const R3: &[Slot] = &[Reg, Reg, Reg];
const R2: &[Slot] = &[Reg, Reg];
const R2I: &[Slot] = &[Reg, Reg, Imm];
const R2I2: &[Slot] = &[Reg, Reg, Imm, Imm];
const RI: &[Slot] = &[Reg, Imm];
const RM: &[Slot] = &[Reg, Mem];
const R2L: &[Slot] = &[Reg, Reg, Label];
const RL: &[Slot] = &[Reg, Label];

const fn entry(name: &'static str, slots: &'static [Slot], kind: Kind) -> Entry {
    Entry { name, slots, kind }
}

const fn regs(name: &'static str, op: BinOp, width: Width) -> Entry {
    entry(name, R3, Kind::Registers { op, width })
}

const fn imm(name: &'static str, op: BinOp, width: Width, signed: bool) -> Entry {
    entry(name, R2I, Kind::Immediate { op, width, signed })
}

const fn shift(name: &'static str, op: BinOp, width: Width, plus: u8) -> Entry {
    entry(name, R2I, Kind::Shift { op, width, plus })
}

const fn load(name: &'static str, bytes: u8, signed: bool) -> Entry {
    entry(name, RM, Kind::Load { bytes, signed, linked: false })
}

const fn shift_by(name: &'static str, op: BinOp, width: Width) -> Entry {
    entry(name, R3, Kind::ShiftBy { op, width })
}

const fn unary(name: &'static str, op: UnOp, width: Width) -> Entry {
    entry(name, R2, Kind::Unary { op, width })
}

/// All instructions.
pub const TABLE: &[Entry] = &[
    regs("add", BinOp::Add, Word),
    regs("addu", BinOp::Add, Word),
    regs("sub", BinOp::Sub, Word),
    regs("subu", BinOp::Sub, Word),
    regs("mul", BinOp::Mul, Word),
    regs("dadd", BinOp::Add, Double),
    regs("daddu", BinOp::Add, Double),
    regs("dsub", BinOp::Sub, Double),
    regs("dsubu", BinOp::Sub, Double),
    regs("slt", BinOp::Lt, Double),
    regs("sltu", BinOp::Ltu, Double),
    regs("and", BinOp::And, Double),
    regs("or", BinOp::Or, Double),
    regs("xor", BinOp::Xor, Double),
    entry("nor", R3, Kind::Nor),
    imm("addi", BinOp::Add, Word, true),
    imm("addiu", BinOp::Add, Word, true),
    imm("subi", BinOp::Sub, Word, true),
    imm("subiu", BinOp::Sub, Word, true),
    imm("daddi", BinOp::Add, Double, true),
    imm("daddiu", BinOp::Add, Double, true),
    imm("slti", BinOp::Lt, Double, true),
    imm("sltiu", BinOp::Ltu, Double, true),
    imm("andi", BinOp::And, Double, false),
    imm("ori", BinOp::Or, Double, false),
    imm("xori", BinOp::Xor, Double, false),
    shift("sll", BinOp::Shl, Word, 0),
    shift("srl", BinOp::Lsr, Word, 0),
    shift("sra", BinOp::Asr, Word, 0),
    shift("dsll", BinOp::Shl, Double, 0),
    shift("dsrl", BinOp::Lsr, Double, 0),
    shift("dsra", BinOp::Asr, Double, 0),
    shift("dsll32", BinOp::Shl, Double, 32),
    shift("dsrl32", BinOp::Lsr, Double, 32),
    shift("dsra32", BinOp::Asr, Double, 32),
    shift_by("sllv", BinOp::Shl, Word),
    shift_by("srlv", BinOp::Lsr, Word),
    shift_by("srav", BinOp::Asr, Word),
    shift_by("dsllv", BinOp::Shl, Double),
    shift_by("dsrlv", BinOp::Lsr, Double),
    shift_by("dsrav", BinOp::Asr, Double),
    unary("not", UnOp::Not, Double),
    unary("neg", UnOp::Neg, Word),
    unary("negu", UnOp::Neg, Word),
    unary("dneg", UnOp::Neg, Double),
    unary("dnegu", UnOp::Neg, Double),
    unary("seb", UnOp::SignExtend(8), Double),
    unary("seh", UnOp::SignExtend(16), Double),
    unary("clz", UnOp::CountLeadingZeros(32), Double),
    unary("dclz", UnOp::CountLeadingZeros(64), Double),
    regs("dmul", BinOp::Mul, Double),
    regs("seq", BinOp::Eq, Double),
    regs("sne", BinOp::Ne, Double),
    entry("sgt", R3, Kind::Swapped(BinOp::Lt)),
    entry("sgtu", R3, Kind::Swapped(BinOp::Ltu)),
    entry("movz", R3, Kind::MoveIf(BinOp::Eq)),
    entry("movn", R3, Kind::MoveIf(BinOp::Ne)),
    entry("seleqz", R3, Kind::Select(BinOp::Eq)),
    entry("selnez", R3, Kind::Select(BinOp::Ne)),
    entry("la", &[Reg, Global], Kind::LoadAddress),
    entry("dla", &[Reg, Global], Kind::LoadAddress),
    entry("dli", RI, Kind::LoadImmediate),
    entry("li", RI, Kind::LoadImmediate),
    entry("lui", RI, Kind::LoadUpper),
    entry("move", R2, Kind::Move),
    entry("ext", R2I2, Kind::Extract(Word)),
    entry("dext", R2I2, Kind::Extract(Double)),
    load("lb", 1, true),
    load("lbu", 1, false),
    load("lh", 2, true),
    load("lhu", 2, false),
    load("lw", 4, true),
    load("lwu", 4, false),
    load("ld", 8, true),
    entry("ll", RM, Kind::Load { bytes: 4, signed: true, linked: true }),
    entry("lld", RM, Kind::Load { bytes: 8, signed: true, linked: true }),
    entry("sb", RM, Kind::Store { bytes: 1 }),
    entry("sh", RM, Kind::Store { bytes: 2 }),
    entry("sw", RM, Kind::Store { bytes: 4 }),
    entry("sd", RM, Kind::Store { bytes: 8 }),
    entry("sc", RM, Kind::StoreConditional { bytes: 4 }),
    entry("scd", RM, Kind::StoreConditional { bytes: 8 }),
    entry("sync", &[], Kind::Fence),
    entry("b", &[Label], Kind::Jump),
    entry("j", &[Label], Kind::Jump),
    entry("jal", &[Label], Kind::Call),
    entry("bal", &[Label], Kind::Call),
    entry("jr", &[Reg], Kind::JumpTo),
    entry("jr.hb", &[Reg], Kind::JumpTo),
    entry("jalr", &[Reg], Kind::CallTo),
    entry("beq", R2L, Kind::JumpIf(BinOp::Eq)),
    entry("bne", R2L, Kind::JumpIf(BinOp::Ne)),
    entry("blt", R2L, Kind::JumpIf(BinOp::Lt)),
    entry("ble", R2L, Kind::JumpIf(BinOp::Le)),
    entry("bgt", R2L, Kind::JumpIf(BinOp::Gt)),
    entry("bge", R2L, Kind::JumpIf(BinOp::Ge)),
    entry("bltu", R2L, Kind::JumpIf(BinOp::Ltu)),
    entry("bleu", R2L, Kind::JumpIf(BinOp::Leu)),
    entry("bgtu", R2L, Kind::JumpIf(BinOp::Gtu)),
    entry("bgeu", R2L, Kind::JumpIf(BinOp::Geu)),
    entry("beqz", RL, Kind::JumpIfZero(BinOp::Eq)),
    entry("bnez", RL, Kind::JumpIfZero(BinOp::Ne)),
    entry("blez", RL, Kind::JumpIfZero(BinOp::Le)),
    entry("bgtz", RL, Kind::JumpIfZero(BinOp::Gt)),
    entry("bltz", RL, Kind::JumpIfZero(BinOp::Lt)),
    entry("bgez", RL, Kind::JumpIfZero(BinOp::Ge)),
    entry("nop", &[], Kind::Nop),
    entry("ssnop", &[], Kind::Nop),
    entry("ehb", &[], Kind::Nop),
    entry("pause", &[], Kind::Nop),
    entry("pref", &[Imm, Mem], Kind::Nop),
];

const EXCEPTIONS: &str = "exceptions";
const DELAYED: &str = "branches with a delay slot that may be skipped";
const HI_LO: &str = "code with the registers HI and LO";
const CACHES: &str = "cache management";

/// Legal instructions that are not handled, and what they belong to.
pub const UNSUPPORTED: &[(&str, &str)] = &[
    ("syscall", EXCEPTIONS),
    ("break", EXCEPTIONS),
    ("teq", EXCEPTIONS),
    ("eret", EXCEPTIONS),
    ("beql", DELAYED),
    ("bnel", DELAYED),
    ("beqzl", DELAYED),
    ("bnezl", DELAYED),
    ("mult", HI_LO),
    ("multu", HI_LO),
    ("dmult", HI_LO),
    ("div", HI_LO),
    ("divu", HI_LO),
    ("mfhi", HI_LO),
    ("mflo", HI_LO),
    ("cache", CACHES),
    ("synci", CACHES),
];
