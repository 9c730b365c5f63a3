//! The instructions of AArch64, as data. A new instruction is a line here.

use self::Form::*;
use super::signing::{PointerOp, PointerRegs};
use super::stacks::StackOp;
use crate::program::{BinOp, Key, UnOp};

/// One mnemonic.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The mnemonic, in upper case, without the order and size suffixes of atomics.
    pub name: &'static str,
    /// Operand shape and meaning.
    pub form: Form,
}

/// What follows the mnemonic and what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `Rd,Rn,operand`: immediate, shifted register or (sums only) extended register.
    Alu(Alu, Flags),
    /// `Rn,operand`: flags only.
    Compare(Alu),
    /// `Rd,operand`: zero minus the operand.
    Negate(Flags),
    /// `Rd,operand`: complement.
    Not,
    /// `Rd,Rn,amount`: immediate or register.
    Shift(Shift),
    /// `Rd,Rn,Rm`: with the carry flag.
    Carry(Alu, Flags),
    /// `Rd,Rm`: zero minus the operand, with the carry flag.
    NegateCarry(Flags),
    /// `Rd,Rn,operand`: immediate of 8 bits or register; the larger or the smaller.
    Extreme(BinOp, Sign),
    /// `Rd,immediate` or `Rd,Rm`.
    Mov,
    /// `Rd,immediate{,LSL #n}`.
    MovWide(Wide),
    /// `Rd,Rn,Rm,Ra`.
    MulAdd(BinOp),
    /// `Rd,Rn,Rm`: product, added to or subtracted from zero.
    Mul(BinOp),
    /// `Xd,Wn,Wm,Xa`.
    MulAddLong(Sign, BinOp),
    /// `Xd,Wn,Wm`.
    MulLong(Sign, BinOp),
    /// `Xd,Xn,Xm`.
    MulHigh(Sign),
    /// `Rd,Rn,Rm`.
    Div(Sign),
    /// `Rd,Rn`.
    Unary(Unary),
    /// `Rd,Wn`: extension of the low bits.
    Extend(Sign, u8),
    /// `Rd,Rn,#r,#s`.
    BitField(BitField),
    /// `Rd,#lsb,#width`: zeros inserted.
    BitFieldClear,
    /// `Rd,Rn,Rm,#lsb`.
    Extract,
    /// `Rd,Rn,Rm,cond`.
    Select(Select),
    /// `Rd,Rn,cond`: both sources are `Rn`, condition inverted.
    SelectOne(Select),
    /// `Rd,cond`: both sources are zero, condition inverted.
    SelectNone(Select),
    /// `Rn,operand,#nzcv,cond`.
    CondCompare(Alu),
    /// `Xd,label`.
    Adr,
    /// `Rt,address`.
    Load(Access),
    /// `Rt,address`.
    Store(Access),
    /// `Rt1,Rt2,address`.
    LoadPair(Pair),
    /// `Xt1,Xt2,address`: two words, sign-extended.
    LoadPairSigned,
    /// `Rt1,Rt2,address`.
    StorePair(Pair),
    /// `Rt,[Xn]`: monitor set.
    LoadExclusive(Access),
    /// `Ws,Rt,[Xn]`.
    StoreExclusive(Access),
    /// `Rt1,Rt2,[Xn]`.
    LoadExclusivePair(&'static [&'static str]),
    /// `Ws,Rt1,Rt2,[Xn]`.
    StoreExclusivePair(&'static [&'static str]),
    /// `Rs,Rt,[Xn]`; order suffixes A, L, AL and size suffixes B, H.
    Swap,
    /// `Rs,Rt,[Xn]`; likewise.
    CompareSwap,
    /// `Rs1,Rs2,Rt1,Rt2,[Xn]`; order suffixes.
    CompareSwapPair,
    /// `Rs,Rt,[Xn]`; order and size suffixes.
    LoadOp(BinOp, Sign),
    /// `Rs,[Xn]`; order suffix L, and size suffixes.
    StoreOp(BinOp, Sign),
    /// `label`. The mnemonic of a conditional branch is `B.cond`.
    Branch,
    /// `Rt,label`.
    CompareBranch(BinOp),
    /// `Rt,#bit,label`.
    TestBranch(BinOp),
    /// `label`.
    BranchLink,
    /// `Xn`.
    BranchReg,
    /// `Xn`.
    BranchLinkReg,
    /// `{Xn}`.
    Return,
    /// `option`: the sets are named after mnemonic and option.
    Barrier,
    /// Nothing, or `SY`.
    Isb,
    /// `Xt,register`.
    ReadSystem,
    /// `register,Xt`.
    WriteSystem,
    /// Nothing, and nothing happens.
    Nop,
    /// `#n`, at most that: nothing happens, and herd7 prints it as `NOP`.
    Hint(i128),
    /// Nothing, or what may be branched to: a branch target.
    BranchTarget,
    /// Nothing, or `#n`: drops the reservation.
    ClearExclusive,
    /// `operation,address`: a hint.
    Prefetch,
    /// `#n`: no instruction.
    Undefined,
    /// `#n`: a call to the supervisor.
    SupervisorCall,
    /// Nothing: the return from an exception.
    ExceptionReturn,
    /// `operation{,address}`: maintenance of the data or the instruction cache.
    Cache {
        /// Which.
        instruction: bool,
    },
    /// Legal, but of an extension that is not handled.
    /// Guarded control stacks.
    Stack(StackOp),
    /// Signing of pointers.
    Pointer(PointerOp, PointerRegs),
    Unsupported(&'static str),
    /// `op{,Xt}`: TLB maintenance.
    Invalidate,
    /// `op, Xt`: the translation of an address.
    AddressTranslate,
    /// `Xt,[Xn,#k]`: the tags of so many granules, perhaps with zeros in them.
    StoreTag(bool, i64),
    /// `Xt,[Xn,#k]`.
    LoadTag,
    /// `Xd,Xn{,Xm}`.
    ChooseTag,
}

/// Does it set the condition flags?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flags {
    /// Yes.
    Set,
    /// No.
    Keep,
}

/// Two-operand functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alu {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// A logical function of the operands.
    Logic(BinOp),
    /// A logical function of the first operand and the complement of the second.
    LogicNot(BinOp),
}

/// Shifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// Left.
    Lsl,
    /// Right, zeros come in.
    Lsr,
    /// Right, the sign comes in.
    Asr,
    /// Right, what goes out comes in.
    Ror,
}

impl Shift {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Shift::Lsl => "LSL",
            Shift::Lsr => "LSR",
            Shift::Asr => "ASR",
            Shift::Ror => "ROR",
        }
    }
}

/// Moves of 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wide {
    /// The rest becomes zero.
    Zero,
    /// Complemented.
    Not,
    /// The rest is kept.
    Keep,
}

/// Signed or unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Signed.
    Signed,
    /// Unsigned.
    Unsigned,
}

/// One-operand functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// Reverses the bits.
    ReverseBits,
    /// Reverses the bytes in groups of that many bytes; 0: of the whole register.
    ReverseBytes(u8),
    /// Absolute value.
    Abs,
    /// Leading zeros.
    CountLeadingZeros,
    /// Leading bits equal to the sign, not counting it.
    CountLeadingSigns,
    /// Trailing zeros.
    CountTrailingZeros,
}

/// Bit field moves: `Rd,Rn,#a,#b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitField {
    /// The underlying instruction: `#immr,#imms`.
    Move(Fill),
    /// Extraction: `#lsb,#width`.
    Extract(Fill),
    /// Insertion at zero: `#lsb,#width`.
    Insert(Fill),
}

/// What is around a bit field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Zeros.
    Zeros,
    /// Copies of the sign above, zeros below.
    Sign,
    /// What was in the destination.
    Keep,
}

/// What a conditional select does to its second source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Select {
    /// Nothing.
    Copy,
    /// Adds one.
    Inc,
    /// Complements.
    Inv,
    /// Negates.
    Neg,
}

/// A memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Size in bytes; 0: that of the register.
    pub bytes: u8,
    /// How a load is extended.
    pub sign: Sign,
    /// Which addresses are legal.
    pub mode: Mode,
    /// Sets of its event.
    pub sets: &'static [&'static str],
}

/// Addressing modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// All.
    Any,
    /// `[Xn{,#signed 9 bits}]`.
    Unscaled,
    /// `[Xn]`, also written `[Xn,#0]`.
    Base,
    /// Likewise, or `[Xn],#size`.
    BaseThenUp,
    /// Likewise, or `[Xn,#-size]!`.
    DownThenBase,
}

/// Pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Sets of both events.
    pub sets: &'static [&'static str],
    /// Is one access ordered before the other?
    pub ordered: bool,
}

pub const fn e(name: &'static str, form: Form) -> Entry {
    Entry { name, form }
}

const fn access(bytes: u8, sign: Sign, mode: Mode, sets: &'static [&'static str]) -> Access {
    Access { bytes, sign, mode, sets }
}

const fn any(bytes: u8) -> Access {
    access(bytes, Sign::Unsigned, Mode::Any, &[])
}

const fn signed(bytes: u8) -> Access {
    access(bytes, Sign::Signed, Mode::Any, &[])
}

const fn unscaled(bytes: u8, sign: Sign, sets: &'static [&'static str]) -> Access {
    access(bytes, sign, Mode::Unscaled, sets)
}

const fn base(bytes: u8, sets: &'static [&'static str]) -> Access {
    access(bytes, Sign::Unsigned, Mode::Base, sets)
}

const fn pair(sets: &'static [&'static str], ordered: bool) -> Pair {
    Pair { sets, ordered }
}

const ACQUIRE: &[&str] = &["A"];
const ACQUIRE_PC: &[&str] = &["Q"];
const RELEASE: &[&str] = &["L"];
const EXCLUSIVE: &[&str] = &["EX"];
const EXCLUSIVE_ACQUIRE: &[&str] = &["EX", "A"];
const EXCLUSIVE_RELEASE: &[&str] = &["EX", "L"];

/// All mnemonics.
pub const TABLE: &[Entry] = &[
    // Arithmetic and logic.
    e("ADD", Alu(Alu::Add, Flags::Keep)),
    e("ADDS", Alu(Alu::Add, Flags::Set)),
    e("SUB", Alu(Alu::Sub, Flags::Keep)),
    e("SUBS", Alu(Alu::Sub, Flags::Set)),
    e("AND", Alu(Alu::Logic(BinOp::And), Flags::Keep)),
    e("ANDS", Alu(Alu::Logic(BinOp::And), Flags::Set)),
    e("ORR", Alu(Alu::Logic(BinOp::Or), Flags::Keep)),
    e("EOR", Alu(Alu::Logic(BinOp::Xor), Flags::Keep)),
    e("BIC", Alu(Alu::LogicNot(BinOp::And), Flags::Keep)),
    e("BICS", Alu(Alu::LogicNot(BinOp::And), Flags::Set)),
    e("ORN", Alu(Alu::LogicNot(BinOp::Or), Flags::Keep)),
    e("EON", Alu(Alu::LogicNot(BinOp::Xor), Flags::Keep)),
    e("CMP", Compare(Alu::Sub)),
    e("CMN", Compare(Alu::Add)),
    e("TST", Compare(Alu::Logic(BinOp::And))),
    e("NEG", Negate(Flags::Keep)),
    e("NEGS", Negate(Flags::Set)),
    e("MVN", Not),
    e("ADC", Carry(Alu::Add, Flags::Keep)),
    e("ADCS", Carry(Alu::Add, Flags::Set)),
    e("SBC", Carry(Alu::Sub, Flags::Keep)),
    e("SBCS", Carry(Alu::Sub, Flags::Set)),
    e("NGC", NegateCarry(Flags::Keep)),
    e("NGCS", NegateCarry(Flags::Set)),
    e("SMAX", Extreme(BinOp::Max, Sign::Signed)),
    e("SMIN", Extreme(BinOp::Min, Sign::Signed)),
    e("UMAX", Extreme(BinOp::Maxu, Sign::Unsigned)),
    e("UMIN", Extreme(BinOp::Minu, Sign::Unsigned)),
    e("LSL", Shift(Shift::Lsl)),
    e("LSR", Shift(Shift::Lsr)),
    e("ASR", Shift(Shift::Asr)),
    e("ROR", Shift(Shift::Ror)),
    e("LSLV", Shift(Shift::Lsl)),
    e("LSRV", Shift(Shift::Lsr)),
    e("ASRV", Shift(Shift::Asr)),
    e("RORV", Shift(Shift::Ror)),
    e("MOV", Mov),
    e("MOVZ", MovWide(Wide::Zero)),
    e("MOVN", MovWide(Wide::Not)),
    e("MOVK", MovWide(Wide::Keep)),
    e("MADD", MulAdd(BinOp::Add)),
    e("MSUB", MulAdd(BinOp::Sub)),
    e("MUL", Mul(BinOp::Add)),
    e("MNEG", Mul(BinOp::Sub)),
    e("SMADDL", MulAddLong(Sign::Signed, BinOp::Add)),
    e("SMSUBL", MulAddLong(Sign::Signed, BinOp::Sub)),
    e("UMADDL", MulAddLong(Sign::Unsigned, BinOp::Add)),
    e("UMSUBL", MulAddLong(Sign::Unsigned, BinOp::Sub)),
    e("SMULL", MulLong(Sign::Signed, BinOp::Add)),
    e("SMNEGL", MulLong(Sign::Signed, BinOp::Sub)),
    e("UMULL", MulLong(Sign::Unsigned, BinOp::Add)),
    e("UMNEGL", MulLong(Sign::Unsigned, BinOp::Sub)),
    e("SMULH", MulHigh(Sign::Signed)),
    e("UMULH", MulHigh(Sign::Unsigned)),
    e("SDIV", Div(Sign::Signed)),
    e("UDIV", Div(Sign::Unsigned)),
    e("RBIT", Unary(Unary::ReverseBits)),
    e("REV", Unary(Unary::ReverseBytes(0))),
    e("REV16", Unary(Unary::ReverseBytes(2))),
    e("REV32", Unary(Unary::ReverseBytes(4))),
    e("REV64", Unary(Unary::ReverseBytes(8))),
    e("ABS", Unary(Unary::Abs)),
    e("CLZ", Unary(Unary::CountLeadingZeros)),
    e("CLS", Unary(Unary::CountLeadingSigns)),
    e("CTZ", Unary(Unary::CountTrailingZeros)),
    e("SXTB", Extend(Sign::Signed, 8)),
    e("SXTH", Extend(Sign::Signed, 16)),
    e("SXTW", Extend(Sign::Signed, 32)),
    e("UXTB", Extend(Sign::Unsigned, 8)),
    e("UXTH", Extend(Sign::Unsigned, 16)),
    e("UXTW", Extend(Sign::Unsigned, 32)),
    e("UBFM", BitField(BitField::Move(Fill::Zeros))),
    e("SBFM", BitField(BitField::Move(Fill::Sign))),
    e("BFM", BitField(BitField::Move(Fill::Keep))),
    e("UBFX", BitField(BitField::Extract(Fill::Zeros))),
    e("SBFX", BitField(BitField::Extract(Fill::Sign))),
    e("BFXIL", BitField(BitField::Extract(Fill::Keep))),
    e("UBFIZ", BitField(BitField::Insert(Fill::Zeros))),
    e("SBFIZ", BitField(BitField::Insert(Fill::Sign))),
    e("BFI", BitField(BitField::Insert(Fill::Keep))),
    e("BFC", BitFieldClear),
    e("EXTR", Extract),
    e("CSEL", Select(Select::Copy)),
    e("CSINC", Select(Select::Inc)),
    e("CSINV", Select(Select::Inv)),
    e("CSNEG", Select(Select::Neg)),
    e("CINC", SelectOne(Select::Inc)),
    e("CINV", SelectOne(Select::Inv)),
    e("CNEG", SelectOne(Select::Neg)),
    e("CSET", SelectNone(Select::Inc)),
    e("CSETM", SelectNone(Select::Inv)),
    e("CCMP", CondCompare(Alu::Sub)),
    e("CCMN", CondCompare(Alu::Add)),
    e("ADR", Adr),
    // Memory.
    e("LDR", Load(any(0))),
    e("LDRB", Load(any(1))),
    e("LDRH", Load(any(2))),
    e("LDRSB", Load(signed(1))),
    e("LDRSH", Load(signed(2))),
    e("LDRSW", Load(signed(4))),
    e("STR", Store(any(0))),
    e("STRB", Store(any(1))),
    e("STRH", Store(any(2))),
    e("LDUR", Load(unscaled(0, Sign::Unsigned, &[]))),
    e("LDURB", Load(unscaled(1, Sign::Unsigned, &[]))),
    e("LDURH", Load(unscaled(2, Sign::Unsigned, &[]))),
    e("LDURSB", Load(unscaled(1, Sign::Signed, &[]))),
    e("LDURSH", Load(unscaled(2, Sign::Signed, &[]))),
    e("LDURSW", Load(unscaled(4, Sign::Signed, &[]))),
    e("STUR", Store(unscaled(0, Sign::Unsigned, &[]))),
    e("STURB", Store(unscaled(1, Sign::Unsigned, &[]))),
    e("STURH", Store(unscaled(2, Sign::Unsigned, &[]))),
    // Unprivileged: no test has privileges to lose.
    e("LDTR", Load(unscaled(0, Sign::Unsigned, &[]))),
    e("LDTRB", Load(unscaled(1, Sign::Unsigned, &[]))),
    e("LDTRH", Load(unscaled(2, Sign::Unsigned, &[]))),
    e("LDTRSB", Load(unscaled(1, Sign::Signed, &[]))),
    e("LDTRSH", Load(unscaled(2, Sign::Signed, &[]))),
    e("LDTRSW", Load(unscaled(4, Sign::Signed, &[]))),
    e("STTR", Store(unscaled(0, Sign::Unsigned, &[]))),
    e("STTRB", Store(unscaled(1, Sign::Unsigned, &[]))),
    e("STTRH", Store(unscaled(2, Sign::Unsigned, &[]))),
    e("LDAR", Load(base(0, ACQUIRE))),
    e("LDARB", Load(base(1, ACQUIRE))),
    e("LDARH", Load(base(2, ACQUIRE))),
    e("LDAPR", Load(access(0, Sign::Unsigned, Mode::BaseThenUp, ACQUIRE_PC))),
    e("LDAPRB", Load(base(1, ACQUIRE_PC))),
    e("LDAPRH", Load(base(2, ACQUIRE_PC))),
    e("LDAPUR", Load(unscaled(0, Sign::Unsigned, ACQUIRE_PC))),
    e("LDAPURB", Load(unscaled(1, Sign::Unsigned, ACQUIRE_PC))),
    e("LDAPURH", Load(unscaled(2, Sign::Unsigned, ACQUIRE_PC))),
    e("LDAPURSB", Load(unscaled(1, Sign::Signed, ACQUIRE_PC))),
    e("LDAPURSH", Load(unscaled(2, Sign::Signed, ACQUIRE_PC))),
    e("LDAPURSW", Load(unscaled(4, Sign::Signed, ACQUIRE_PC))),
    e("STLR", Store(access(0, Sign::Unsigned, Mode::DownThenBase, RELEASE))),
    e("STLRB", Store(base(1, RELEASE))),
    e("STLRH", Store(base(2, RELEASE))),
    e("STLUR", Store(unscaled(0, Sign::Unsigned, RELEASE))),
    e("STLURB", Store(unscaled(1, Sign::Unsigned, RELEASE))),
    e("STLURH", Store(unscaled(2, Sign::Unsigned, RELEASE))),
    e("LDP", LoadPair(pair(&[], false))),
    e("LDNP", LoadPair(pair(&["NT"], false))),
    e("LDIAPP", LoadPair(pair(ACQUIRE_PC, true))),
    e("LDAP", LoadPair(pair(ACQUIRE, false))),
    e("LDAPP", LoadPair(pair(ACQUIRE_PC, false))),
    e("LDPSW", LoadPairSigned),
    e("STP", StorePair(pair(&[], false))),
    e("STNP", StorePair(pair(&["NT"], false))),
    e("STILP", StorePair(pair(RELEASE, true))),
    e("STLP", StorePair(pair(RELEASE, false))),
    // Exclusives.
    e("LDXR", LoadExclusive(base(0, EXCLUSIVE))),
    e("LDXRB", LoadExclusive(base(1, EXCLUSIVE))),
    e("LDXRH", LoadExclusive(base(2, EXCLUSIVE))),
    e("LDAXR", LoadExclusive(base(0, EXCLUSIVE_ACQUIRE))),
    e("LDAXRB", LoadExclusive(base(1, EXCLUSIVE_ACQUIRE))),
    e("LDAXRH", LoadExclusive(base(2, EXCLUSIVE_ACQUIRE))),
    e("STXR", StoreExclusive(base(0, EXCLUSIVE))),
    e("STXRB", StoreExclusive(base(1, EXCLUSIVE))),
    e("STXRH", StoreExclusive(base(2, EXCLUSIVE))),
    e("STLXR", StoreExclusive(base(0, EXCLUSIVE_RELEASE))),
    e("STLXRB", StoreExclusive(base(1, EXCLUSIVE_RELEASE))),
    e("STLXRH", StoreExclusive(base(2, EXCLUSIVE_RELEASE))),
    e("LDXP", LoadExclusivePair(EXCLUSIVE)),
    e("LDAXP", LoadExclusivePair(EXCLUSIVE_ACQUIRE)),
    e("STXP", StoreExclusivePair(EXCLUSIVE)),
    e("STLXP", StoreExclusivePair(EXCLUSIVE_RELEASE)),
    e("CLREX", ClearExclusive),
    // Atomics.
    e("SWP", Swap),
    e("CAS", CompareSwap),
    e("CASP", CompareSwapPair),
    e("LDADD", LoadOp(BinOp::Add, Sign::Unsigned)),
    e("LDEOR", LoadOp(BinOp::Xor, Sign::Unsigned)),
    e("LDSET", LoadOp(BinOp::Or, Sign::Unsigned)),
    e("LDCLR", LoadOp(BinOp::AndNot, Sign::Unsigned)),
    e("LDSMAX", LoadOp(BinOp::Max, Sign::Signed)),
    e("LDSMIN", LoadOp(BinOp::Min, Sign::Signed)),
    e("LDUMAX", LoadOp(BinOp::Maxu, Sign::Unsigned)),
    e("LDUMIN", LoadOp(BinOp::Minu, Sign::Unsigned)),
    e("STADD", StoreOp(BinOp::Add, Sign::Unsigned)),
    e("STEOR", StoreOp(BinOp::Xor, Sign::Unsigned)),
    e("STSET", StoreOp(BinOp::Or, Sign::Unsigned)),
    e("STCLR", StoreOp(BinOp::AndNot, Sign::Unsigned)),
    e("STSMAX", StoreOp(BinOp::Max, Sign::Signed)),
    e("STSMIN", StoreOp(BinOp::Min, Sign::Signed)),
    e("STUMAX", StoreOp(BinOp::Maxu, Sign::Unsigned)),
    e("STUMIN", StoreOp(BinOp::Minu, Sign::Unsigned)),
    // Control.
    e("B", Branch),
    e("CBZ", CompareBranch(BinOp::Eq)),
    e("CBNZ", CompareBranch(BinOp::Ne)),
    e("TBZ", TestBranch(BinOp::Eq)),
    e("TBNZ", TestBranch(BinOp::Ne)),
    e("BL", BranchLink),
    e("BR", BranchReg),
    e("BLR", BranchLinkReg),
    e("RET", Return),
    e("DMB", Barrier),
    e("DSB", Barrier),
    e("ISB", Isb),
    e("MRS", ReadSystem),
    e("MSR", WriteSystem),
    e("NOP", Nop),
    e("YIELD", Nop),
    e("WFE", Nop),
    e("SEV", Nop),
    e("SEVL", Nop),
    e("CSDB", Nop),
    e("DGH", Nop),
    e("BTI", BranchTarget),
    e("HINT", Hint(127)),
    // Halting is for debuggers: without one, nothing happens.
    e("HLT", Hint(65535)),
    e("PRFM", Prefetch),
    e("PRFUM", Prefetch),
    e("SVC", SupervisorCall),
    e("UDF", Undefined),
    e("ERET", ExceptionReturn),
    e("TLBI", Invalidate),
    e("AT", AddressTranslate),
    e("IC", Cache { instruction: true }),
    e("DC", Cache { instruction: false }),
    e("STG", StoreTag(false, 1)),
    e("ST2G", StoreTag(false, 2)),
    e("STZG", StoreTag(true, 1)),
    e("STZ2G", StoreTag(true, 2)),
    e("LDG", LoadTag),
    e("IRG", ChooseTag),
    e("GCSPUSHM", Stack(StackOp::Push)),
    e("GCSPOPM", Stack(StackOp::Pop)),
    e("GCSSTR", Stack(StackOp::Store)),
    e("GCSSS1", Stack(StackOp::SwitchFirst)),
    e("GCSSS2", Stack(StackOp::SwitchSecond)),
    e("GCSB", Stack(StackOp::Barrier)),
    e("PACDA", Pointer(PointerOp::Sign(Key::DA), PointerRegs::Given)),
    e("PACDZA", Pointer(PointerOp::Sign(Key::DA), PointerRegs::GivenZero)),
    e("PACDB", Pointer(PointerOp::Sign(Key::DB), PointerRegs::Given)),
    e("PACDZB", Pointer(PointerOp::Sign(Key::DB), PointerRegs::GivenZero)),
    e("PACIA", Pointer(PointerOp::Sign(Key::IA), PointerRegs::Given)),
    e("PACIZA", Pointer(PointerOp::Sign(Key::IA), PointerRegs::GivenZero)),
    e("PACIB", Pointer(PointerOp::Sign(Key::IB), PointerRegs::Given)),
    e("PACIZB", Pointer(PointerOp::Sign(Key::IB), PointerRegs::GivenZero)),
    e("PACIAZ", Pointer(PointerOp::Sign(Key::IA), PointerRegs::LinkZero)),
    e("PACIASP", Pointer(PointerOp::Sign(Key::IA), PointerRegs::LinkSp)),
    e("PACIA1716", Pointer(PointerOp::Sign(Key::IA), PointerRegs::Fixed)),
    e("PACIBZ", Pointer(PointerOp::Sign(Key::IB), PointerRegs::LinkZero)),
    e("PACIBSP", Pointer(PointerOp::Sign(Key::IB), PointerRegs::LinkSp)),
    e("PACIB1716", Pointer(PointerOp::Sign(Key::IB), PointerRegs::Fixed)),
    e("AUTDA", Pointer(PointerOp::Authenticate(Key::DA), PointerRegs::Given)),
    e("AUTDZA", Pointer(PointerOp::Authenticate(Key::DA), PointerRegs::GivenZero)),
    e("AUTDB", Pointer(PointerOp::Authenticate(Key::DB), PointerRegs::Given)),
    e("AUTDZB", Pointer(PointerOp::Authenticate(Key::DB), PointerRegs::GivenZero)),
    e("AUTIA", Pointer(PointerOp::Authenticate(Key::IA), PointerRegs::Given)),
    e("AUTIZA", Pointer(PointerOp::Authenticate(Key::IA), PointerRegs::GivenZero)),
    e("AUTIB", Pointer(PointerOp::Authenticate(Key::IB), PointerRegs::Given)),
    e("AUTIZB", Pointer(PointerOp::Authenticate(Key::IB), PointerRegs::GivenZero)),
    e("AUTIAZ", Pointer(PointerOp::Authenticate(Key::IA), PointerRegs::LinkZero)),
    e("AUTIASP", Pointer(PointerOp::Authenticate(Key::IA), PointerRegs::LinkSp)),
    e("AUTIA1716", Pointer(PointerOp::Authenticate(Key::IA), PointerRegs::Fixed)),
    e("AUTIBZ", Pointer(PointerOp::Authenticate(Key::IB), PointerRegs::LinkZero)),
    e("AUTIBSP", Pointer(PointerOp::Authenticate(Key::IB), PointerRegs::LinkSp)),
    e("AUTIB1716", Pointer(PointerOp::Authenticate(Key::IB), PointerRegs::Fixed)),
    e("XPACD", Pointer(PointerOp::Strip, PointerRegs::GivenZero)),
    e("XPACI", Pointer(PointerOp::Strip, PointerRegs::GivenZero)),
];

/// Condition codes: name and (if there is one) the other name.
pub const CONDITIONS: [(&str, &str); 15] = [
    ("EQ", ""),
    ("NE", ""),
    ("CS", "HS"),
    ("CC", "LO"),
    ("MI", ""),
    ("PL", ""),
    ("VS", ""),
    ("VC", ""),
    ("HI", ""),
    ("LS", ""),
    ("GE", ""),
    ("LT", ""),
    ("GT", ""),
    ("LE", ""),
    ("AL", ""),
];

/// Spellings of conditions that tests of vector predicates are written with, after `B.`.
pub const PREDICATE_CONDITIONS: [(&str, &str); 9] = [
    ("NONE", "EQ"),
    ("ANY", "NE"),
    ("NLAST", "CS"),
    ("LAST", "CC"),
    ("FIRST", "MI"),
    ("NFIRST", "PL"),
    ("PLAST", "LS"),
    ("TCONT", "GE"),
    ("TSTOP", "LT"),
];

/// Points to the registers that live in memory under nested virtualization.
pub const NESTED_BASE: &str = "VNCR_EL2";

/// Those registers, and where they lie.
pub const NESTED: [(&str, i128); 3] = [(NESTED_BASE, 0xb0), ("ESR_EL1", 0x138), ("ELR_EL1", 0x230)];

/// System registers that are registers and no more: what is written there is read there.
pub const SYSTEM_REGISTERS: [&str; 14] = [
    NESTED_BASE,
    "ELR_EL1",
    "ESR_EL1",
    "PAR_EL1",
    "TFSR_ELx",
    "GCSPR_EL1",
    "CTR_EL0",
    "DCIZ_EL0",
    "MDCCSR_EL0",
    "DBGDTR_EL0",
    "DBGDTRRX_EL0",
    "DBGDTRTX_EL0",
    "TPIDR_EL0",
    "TPIDRRO_EL0",
];

/// The register of the condition flags.
pub const FLAGS: &str = "NZCV";

/// The canonical name of a system register.
pub fn system_register(name: &str) -> Option<&'static str> {
    std::iter::once(FLAGS).chain(SYSTEM_REGISTERS).find(|known| known.eq_ignore_ascii_case(name))
}

/// Options of `DMB` and `DSB`, and the set each makes.
pub const BARRIERS: [(&str, &str, &str); 12] = [
    ("SY", "DMB.SY", "DSB.SY"),
    ("LD", "DMB.LD", "DSB.LD"),
    ("ST", "DMB.ST", "DSB.ST"),
    ("OSH", "DMB.OSH", "DSB.OSH"),
    ("OSHLD", "DMB.OSHLD", "DSB.OSHLD"),
    ("OSHST", "DMB.OSHST", "DSB.OSHST"),
    ("ISH", "DMB.ISH", "DSB.ISH"),
    ("ISHLD", "DMB.ISHLD", "DSB.ISHLD"),
    ("ISHST", "DMB.ISHST", "DSB.ISHST"),
    ("NSH", "DMB.NSH", "DSB.NSH"),
    ("NSHLD", "DMB.NSHLD", "DSB.NSHLD"),
    ("NSHST", "DMB.NSHST", "DSB.NSHST"),
];

/// The micro-op of a function that a register's width does not change.
pub fn unary_op(unary: Unary, bits: u8) -> Option<UnOp> {
    match unary {
        Unary::ReverseBits => Some(UnOp::ReverseBits(bits)),
        Unary::ReverseBytes(0) => Some(UnOp::ReverseBytes { bytes: bits / 8, group: bits / 8 }),
        Unary::ReverseBytes(group) => Some(UnOp::ReverseBytes { bytes: bits / 8, group }),
        Unary::CountLeadingZeros => Some(UnOp::CountLeadingZeros(bits)),
        Unary::Abs | Unary::CountLeadingSigns | Unary::CountTrailingZeros => None,
    }
}
