//! The instructions of RISC-V, as data. A new instruction is a line here.

use crate::program::{BinOp, UnOp};

use self::Amo as A;
use self::Form::*;
use self::Fun::*;

/// One mnemonic.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The mnemonic, without size and order suffixes.
    pub name: &'static str,
    /// Operand shape and meaning.
    pub form: Form,
}

/// What follows the mnemonic and what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `rd,rs1,rs2`.
    Rrr(Fun, Width),
    /// `rd,rs2,rs1`: the operands the other way round.
    RrrSwapped(Fun, Width),
    /// `rd,rs1,immediate`.
    Rri(Fun, Width, Imm),
    /// `rd,rs`: a function of one.
    Rr(Unary),
    /// `rd,immediate`.
    Li,
    /// `rd,symbol`: address of a global or a label.
    La,
    /// `rd,immediate`: upper 20 bits.
    Lui,
    /// `rd,offset(rs)`; order suffix `.aq`, `.aq.rl`.
    Load {
        /// Size of the access.
        bytes: u8,
        /// Sign-extended?
        signed: bool,
    },
    /// `rs,offset(rs)`; order suffix `.rl`, `.aq.rl`.
    Store {
        /// Size of the access.
        bytes: u8,
    },
    /// `rd,(rs)`, with a size suffix.
    LoadReserve,
    /// `rd,rs,(rs)`, with a size suffix.
    StoreConditional,
    /// `rd,rs,(rs)`, with a size suffix.
    Atomic(Amo),
    /// `a,b` or nothing.
    Fence,
    /// A fence without operands: the set its event is in.
    FenceNamed(&'static str),
    /// `rs1,rs2,label`.
    Branch(BinOp),
    /// `rs2,rs1,label`: the operands the other way round.
    BranchSwapped(BinOp),
    /// `rs,label`: comparison with zero.
    BranchZero(BinOp),
    /// `rs,label`: comparison of zero with the register.
    BranchZeroSwapped(BinOp),
    /// `label`.
    Jump,
    /// `[rd,]label`.
    JumpLink,
    /// `rs`.
    JumpReg,
    /// `rs`, `rd,rs`, `rd,offset(rs)` or `rd,rs,offset`.
    JumpLinkReg,
    /// Nothing: jump to `ra`.
    Ret,
    /// Nothing, and nothing happens.
    Nop,
    /// Legal, but of an extension that is not handled.
    Unsupported(&'static str),
}

/// Do all bits count, or is it a 32-bit operation whose result is sign-extended?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 64 bits.
    X,
    /// 32 bits.
    W,
}

/// Range of an immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Imm {
    /// 12 bits, signed.
    Signed12,
    /// Amount of a shift.
    Shift,
}

/// Functions of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fun {
    /// As it is.
    Bin(BinOp),
    /// A shift: only the low bits of the amount count.
    Shift(BinOp),
    /// A rotation to the left.
    RotateLeft,
    /// A rotation to the right.
    RotateRight,
    /// `a op ~b`.
    WithNot(BinOp),
    /// `~(a ^ b)`.
    Xnor,
    /// `(a << n) + b`.
    ShiftAdd(u8),
    /// `(a << n) + b` of the low word of `a`, zero-extended.
    ShiftAddWord(u8),
    /// `a << n` of the low word of `a`, zero-extended.
    ShiftWord,
    /// `a` with the bit that `b` numbers set, cleared or inverted: `a op (1 << b)`.
    WithBit(BinOp),
    /// The bit of `a` that `b` numbers.
    Bit,
    /// `a`, or 0 if the comparison of `b` with zero holds.
    ZeroIf(BinOp),
    /// Signed division: by zero gives -1.
    Div,
    /// Unsigned division: by zero gives all ones.
    Divu,
    /// Signed remainder.
    Rem,
    /// Unsigned remainder.
    Remu,
    /// Upper half of the product of a signed and an unsigned number.
    MulHighSu,
}

/// Functions of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// The value itself.
    Move,
    /// As it is.
    Un(UnOp),
    /// Comparison with zero.
    Zero(BinOp),
    /// Comparison of zero with the value.
    ZeroSwapped(BinOp),
    /// Number of trailing zeros of the low bits.
    CountTrailingZeros(u8),
    /// Number of ones among the low bits.
    CountOnes(u8),
    /// Each byte that is not zero becomes all ones.
    SpreadBytes,
    /// Negation in 32 bits.
    NegWord,
}

/// Atomic memory operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amo {
    /// The new value is the operand.
    Swap,
    /// The new value is a function of old value and operand, both sign-extended.
    Signed(BinOp),
    /// Likewise, both zero-extended.
    Unsigned(BinOp),
    /// Compare and swap: the expected value is in `rd` (Zacas).
    Cas,
}

const fn e(name: &'static str, form: Form) -> Entry {
    Entry { name, form }
}

const CSR: &str = "the Zicsr extension";
const PRIVILEGED: &str = "the privileged architecture";
const FLOAT: &str = "the F and D extensions";
const CACHE: &str = "the cache-management extensions";

/// All mnemonics.
pub const TABLE: &[Entry] = &[
    // RV64I, register and register.
    e("add", Rrr(Bin(BinOp::Add), Width::X)),
    e("sub", Rrr(Bin(BinOp::Sub), Width::X)),
    e("and", Rrr(Bin(BinOp::And), Width::X)),
    e("or", Rrr(Bin(BinOp::Or), Width::X)),
    e("xor", Rrr(Bin(BinOp::Xor), Width::X)),
    e("slt", Rrr(Bin(BinOp::Lt), Width::X)),
    e("sltu", Rrr(Bin(BinOp::Ltu), Width::X)),
    e("sll", Rrr(Shift(BinOp::Shl), Width::X)),
    e("srl", Rrr(Shift(BinOp::Lsr), Width::X)),
    e("sra", Rrr(Shift(BinOp::Asr), Width::X)),
    e("addw", Rrr(Bin(BinOp::Add), Width::W)),
    e("subw", Rrr(Bin(BinOp::Sub), Width::W)),
    e("sllw", Rrr(Shift(BinOp::Shl), Width::W)),
    e("srlw", Rrr(Shift(BinOp::Lsr), Width::W)),
    e("sraw", Rrr(Shift(BinOp::Asr), Width::W)),
    // RV64I, register and immediate.
    e("addi", Rri(Bin(BinOp::Add), Width::X, Imm::Signed12)),
    e("andi", Rri(Bin(BinOp::And), Width::X, Imm::Signed12)),
    e("ori", Rri(Bin(BinOp::Or), Width::X, Imm::Signed12)),
    e("xori", Rri(Bin(BinOp::Xor), Width::X, Imm::Signed12)),
    e("slti", Rri(Bin(BinOp::Lt), Width::X, Imm::Signed12)),
    e("sltiu", Rri(Bin(BinOp::Ltu), Width::X, Imm::Signed12)),
    e("slli", Rri(Shift(BinOp::Shl), Width::X, Imm::Shift)),
    e("srli", Rri(Shift(BinOp::Lsr), Width::X, Imm::Shift)),
    e("srai", Rri(Shift(BinOp::Asr), Width::X, Imm::Shift)),
    e("addiw", Rri(Bin(BinOp::Add), Width::W, Imm::Signed12)),
    e("slliw", Rri(Shift(BinOp::Shl), Width::W, Imm::Shift)),
    e("srliw", Rri(Shift(BinOp::Lsr), Width::W, Imm::Shift)),
    e("sraiw", Rri(Shift(BinOp::Asr), Width::W, Imm::Shift)),
    e("lui", Lui),
    e("sgt", RrrSwapped(Bin(BinOp::Lt), Width::X)),
    e("sgtu", RrrSwapped(Bin(BinOp::Ltu), Width::X)),
    // Pseudo-instructions.
    e("nop", Nop),
    e("pause", Nop),
    e("li", Li),
    e("la", La),
    e("lla", La),
    e("mv", Rr(Unary::Move)),
    e("not", Rr(Unary::Un(UnOp::Not))),
    e("neg", Rr(Unary::Un(UnOp::Neg))),
    e("negw", Rr(Unary::NegWord)),
    e("seqz", Rr(Unary::Zero(BinOp::Eq))),
    e("snez", Rr(Unary::Zero(BinOp::Ne))),
    e("sltz", Rr(Unary::Zero(BinOp::Lt))),
    e("sgtz", Rr(Unary::ZeroSwapped(BinOp::Lt))),
    e("sext.b", Rr(Unary::Un(UnOp::SignExtend(8)))),
    e("sext.h", Rr(Unary::Un(UnOp::SignExtend(16)))),
    e("sext.w", Rr(Unary::Un(UnOp::SignExtend(32)))),
    e("zext.b", Rr(Unary::Un(UnOp::ZeroExtend(8)))),
    e("zext.h", Rr(Unary::Un(UnOp::ZeroExtend(16)))),
    e("zext.w", Rr(Unary::Un(UnOp::ZeroExtend(32)))),
    // Control flow.
    e("beq", Branch(BinOp::Eq)),
    e("bne", Branch(BinOp::Ne)),
    e("blt", Branch(BinOp::Lt)),
    e("bge", Branch(BinOp::Ge)),
    e("bltu", Branch(BinOp::Ltu)),
    e("bgeu", Branch(BinOp::Geu)),
    e("bgt", BranchSwapped(BinOp::Lt)),
    e("ble", BranchSwapped(BinOp::Ge)),
    e("bgtu", BranchSwapped(BinOp::Ltu)),
    e("bleu", BranchSwapped(BinOp::Geu)),
    e("beqz", BranchZero(BinOp::Eq)),
    e("bnez", BranchZero(BinOp::Ne)),
    e("bltz", BranchZero(BinOp::Lt)),
    e("bgez", BranchZero(BinOp::Ge)),
    e("bgtz", BranchZeroSwapped(BinOp::Lt)),
    e("blez", BranchZeroSwapped(BinOp::Ge)),
    e("j", Jump),
    e("jal", JumpLink),
    e("jr", JumpReg),
    e("jalr", JumpLinkReg),
    e("ret", Ret),
    // Memory.
    e("lb", Load { bytes: 1, signed: true }),
    e("lh", Load { bytes: 2, signed: true }),
    e("lw", Load { bytes: 4, signed: true }),
    e("ld", Load { bytes: 8, signed: true }),
    e("lbu", Load { bytes: 1, signed: false }),
    e("lhu", Load { bytes: 2, signed: false }),
    e("lwu", Load { bytes: 4, signed: false }),
    e("sb", Store { bytes: 1 }),
    e("sh", Store { bytes: 2 }),
    e("sw", Store { bytes: 4 }),
    e("sd", Store { bytes: 8 }),
    // A, Zacas, Zabha.
    e("lr", LoadReserve),
    e("sc", StoreConditional),
    e("amoswap", Atomic(A::Swap)),
    e("amoadd", Atomic(A::Signed(BinOp::Add))),
    e("amoand", Atomic(A::Signed(BinOp::And))),
    e("amoor", Atomic(A::Signed(BinOp::Or))),
    e("amoxor", Atomic(A::Signed(BinOp::Xor))),
    e("amomax", Atomic(A::Signed(BinOp::Max))),
    e("amomin", Atomic(A::Signed(BinOp::Min))),
    e("amomaxu", Atomic(A::Unsigned(BinOp::Maxu))),
    e("amominu", Atomic(A::Unsigned(BinOp::Minu))),
    e("amocas", Atomic(A::Cas)),
    // Fences.
    e("fence", Fence),
    e("fence.i", FenceNamed("Fence.i")),
    e("fence.tso", FenceNamed("Fence.tso")),
    // M.
    e("mul", Rrr(Bin(BinOp::Mul), Width::X)),
    e("mulh", Rrr(Bin(BinOp::MulHigh), Width::X)),
    e("mulhu", Rrr(Bin(BinOp::MulHighu), Width::X)),
    e("mulhsu", Rrr(MulHighSu, Width::X)),
    e("mulw", Rrr(Bin(BinOp::Mul), Width::W)),
    e("div", Rrr(Div, Width::X)),
    e("divu", Rrr(Divu, Width::X)),
    e("rem", Rrr(Rem, Width::X)),
    e("remu", Rrr(Remu, Width::X)),
    e("divw", Rrr(Div, Width::W)),
    e("divuw", Rrr(Divu, Width::W)),
    e("remw", Rrr(Rem, Width::W)),
    e("remuw", Rrr(Remu, Width::W)),
    // Zba, Zbb, Zbs, Zicond.
    e("sh1add", Rrr(ShiftAdd(1), Width::X)),
    e("sh2add", Rrr(ShiftAdd(2), Width::X)),
    e("sh3add", Rrr(ShiftAdd(3), Width::X)),
    e("sh1add.uw", Rrr(ShiftAddWord(1), Width::X)),
    e("sh2add.uw", Rrr(ShiftAddWord(2), Width::X)),
    e("sh3add.uw", Rrr(ShiftAddWord(3), Width::X)),
    e("add.uw", Rrr(ShiftAddWord(0), Width::X)),
    e("slli.uw", Rri(ShiftWord, Width::X, Imm::Shift)),
    e("andn", Rrr(WithNot(BinOp::And), Width::X)),
    e("orn", Rrr(WithNot(BinOp::Or), Width::X)),
    e("xnor", Rrr(Xnor, Width::X)),
    e("min", Rrr(Bin(BinOp::Min), Width::X)),
    e("max", Rrr(Bin(BinOp::Max), Width::X)),
    e("minu", Rrr(Bin(BinOp::Minu), Width::X)),
    e("maxu", Rrr(Bin(BinOp::Maxu), Width::X)),
    e("rol", Rrr(RotateLeft, Width::X)),
    e("ror", Rrr(RotateRight, Width::X)),
    e("rori", Rri(RotateRight, Width::X, Imm::Shift)),
    e("rolw", Rrr(RotateLeft, Width::W)),
    e("rorw", Rrr(RotateRight, Width::W)),
    e("roriw", Rri(RotateRight, Width::W, Imm::Shift)),
    e("bset", Rrr(WithBit(BinOp::Or), Width::X)),
    e("bseti", Rri(WithBit(BinOp::Or), Width::X, Imm::Shift)),
    e("bclr", Rrr(WithBit(BinOp::AndNot), Width::X)),
    e("bclri", Rri(WithBit(BinOp::AndNot), Width::X, Imm::Shift)),
    e("binv", Rrr(WithBit(BinOp::Xor), Width::X)),
    e("binvi", Rri(WithBit(BinOp::Xor), Width::X, Imm::Shift)),
    e("bext", Rrr(Bit, Width::X)),
    e("bexti", Rri(Bit, Width::X, Imm::Shift)),
    e("czero.eqz", Rrr(ZeroIf(BinOp::Eq), Width::X)),
    e("czero.nez", Rrr(ZeroIf(BinOp::Ne), Width::X)),
    e("clz", Rr(Unary::Un(UnOp::CountLeadingZeros(64)))),
    e("clzw", Rr(Unary::Un(UnOp::CountLeadingZeros(32)))),
    e("ctz", Rr(Unary::CountTrailingZeros(64))),
    e("ctzw", Rr(Unary::CountTrailingZeros(32))),
    e("cpop", Rr(Unary::CountOnes(64))),
    e("cpopw", Rr(Unary::CountOnes(32))),
    e("orc.b", Rr(Unary::SpreadBytes)),
    e("rev8", Rr(Unary::Un(UnOp::ReverseBytes { bytes: 8, group: 8 }))),
    // Recognised, not handled.
    e("auipc", Unsupported("position-dependent code")),
    e("call", Unsupported("code with functions")),
    e("tail", Unsupported("code with functions")),
    e("ecall", Unsupported(PRIVILEGED)),
    e("ebreak", Unsupported(PRIVILEGED)),
    e("mret", Unsupported(PRIVILEGED)),
    e("sret", Unsupported(PRIVILEGED)),
    e("wfi", Unsupported(PRIVILEGED)),
    e("sfence.vma", Unsupported(PRIVILEGED)),
    e("csrr", Unsupported(CSR)),
    e("csrw", Unsupported(CSR)),
    e("csrrw", Unsupported(CSR)),
    e("csrrs", Unsupported(CSR)),
    e("csrrc", Unsupported(CSR)),
    e("csrrwi", Unsupported(CSR)),
    e("csrrsi", Unsupported(CSR)),
    e("csrrci", Unsupported(CSR)),
    e("rdcycle", Unsupported(CSR)),
    e("flw", Unsupported(FLOAT)),
    e("fld", Unsupported(FLOAT)),
    e("fsw", Unsupported(FLOAT)),
    e("fsd", Unsupported(FLOAT)),
    e("cbo.clean", Unsupported(CACHE)),
    e("cbo.flush", Unsupported(CACHE)),
    e("cbo.inval", Unsupported(CACHE)),
    e("cbo.zero", Unsupported(CACHE)),
];

/// Registers: canonical name and ABI names, by number.
pub const ABI_NAMES: [&[&str]; 32] = [
    &["zero"],
    &["ra"],
    &["sp"],
    &["gp"],
    &["tp"],
    &["t0"],
    &["t1"],
    &["t2"],
    &["s0", "fp"],
    &["s1"],
    &["a0"],
    &["a1"],
    &["a2"],
    &["a3"],
    &["a4"],
    &["a5"],
    &["a6"],
    &["a7"],
    &["s2"],
    &["s3"],
    &["s4"],
    &["s5"],
    &["s6"],
    &["s7"],
    &["s8"],
    &["s9"],
    &["s10"],
    &["s11"],
    &["t3"],
    &["t4"],
    &["t5"],
    &["t6"],
];
