//! The notation of BPF instructions, read and written.

use std::fmt::{self, Display};

use super::{NAME, register_name, register_number};
use crate::arch::errors;
use crate::arch::scan::{Scanner, Token};
use crate::diag::Diagnostic;
use crate::program::BinOp;
use crate::source::Span;

/// A register, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register(pub u32);

/// A register or a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Reg(Register),
    Int(i64),
}

/// Where an access goes: a register plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    pub base: Register,
    /// As written; the machine takes its low 16 bits, with their sign.
    pub offset: i64,
}

/// What an atomic instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomic {
    /// The operand itself.
    Exchange,
    /// A function of what was there and the operand.
    Fetch(Alu),
}

/// An operation of the arithmetic unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alu {
    /// As written: `+=`.
    pub sign: &'static str,
    /// What it computes.
    pub op: BinOp,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// As written.
    pub sign: &'static str,
    /// What it computes.
    pub op: BinOp,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Insn {
    /// `rd = source`.
    Move(Register, Source),
    /// `rd op= source`.
    Alu(Alu, Register, Source),
    /// `rd = *(uN *)(rs + k)`.
    Load { to: Register, from: Address, bits: u8, acquire: bool },
    /// `*(uN *)(rd + k) = source`.
    Store { to: Address, value: Source, bits: u8 },
    /// `store_release((uN *)(rd + k), rs)`.
    StoreRelease { to: Address, value: Register, bits: u8 },
    /// An atomic whose old value goes back into its operand.
    Atomic { op: Atomic, at: Address, operand: Register, bits: u8 },
    /// `lock *(uN *)(rd + k) op= rs`.
    Lock { op: Alu, at: Address, operand: Register, bits: u8 },
    /// Compares with `r0`, which takes the old value.
    CompareExchange { at: Address, new: Register, bits: u8 },
    /// `goto label`.
    Goto { label: String, span: Span },
    /// `if rd cmp source goto label`.
    If { comparison: Comparison, left: Register, right: Source, label: String, span: Span },
}

const fn alu(sign: &'static str, op: BinOp) -> Alu {
    Alu { sign, op }
}

/// Arithmetic, the longer signs before those that they start with.
const ALU: &[Alu] = &[
    alu("s>>=", BinOp::Asr),
    alu("<<=", BinOp::Shl),
    alu(">>=", BinOp::Lsr),
    alu("+=", BinOp::Add),
    alu("-=", BinOp::Sub),
    alu("*=", BinOp::Mul),
    alu("/=", BinOp::Div),
    alu("%=", BinOp::Rem),
    alu("&=", BinOp::And),
    alu("|=", BinOp::Or),
    alu("^=", BinOp::Xor),
];

const COMPARISONS: &[Comparison] = &[
    Comparison { sign: "==", op: BinOp::Eq },
    Comparison { sign: "!=", op: BinOp::Ne },
    Comparison { sign: ">=", op: BinOp::Ge },
    Comparison { sign: "<", op: BinOp::Lt },
];

/// Atomics that give back the old value, by the end of their name.
const FETCH: &[(&str, &str)] = &[("add", "+="), ("and", "&="), ("or", "|="), ("xor", "^=")];

/// Words that may open an instruction or stand after its `=`, for advice.
const WORDS: &[&str] = &[
    "lock",
    "goto",
    "if",
    "store_release",
    "load_acquire",
    "atomic_fetch_add",
    "atomic_fetch_and",
    "atomic_fetch_or",
    "atomic_fetch_xor",
    "xchg_64",
    "xchg_32_32",
    "cmpxchg_64",
    "cmpxchg32_32",
];

/// Reads one instruction.
pub fn parse(s: &mut Scanner) -> Result<Insn, Diagnostic> {
    let insn = instruction(s)?;
    s.end()?;
    Ok(insn)
}

fn instruction(s: &mut Scanner) -> Result<Insn, Diagnostic> {
    if s.peek() == Some(Token::Punct('*')) {
        let (bits, to) = cell(s)?;
        s.expect('=')?;
        return Ok(Insn::Store { to, value: source(s)?, bits });
    }
    match s.peek() {
        Some(Token::Word("goto")) => {
            s.next();
            let (label, span) = s.label("a label")?;
            Ok(Insn::Goto { label: label.to_string(), span })
        }
        Some(Token::Word("if")) => {
            s.next();
            let left = register(s)?;
            let comparison = signed(s, COMPARISONS, |c| c.sign, "a comparison (==, !=, <, >=)")?;
            let right = source(s)?;
            match s.word("goto")? {
                ("goto", _) => {}
                (_, span) => return Err(errors::bad_operand(span, "expected `goto`", "here")),
            }
            let (label, span) = s.label("a label")?;
            Ok(Insn::If { comparison, left, right, label: label.to_string(), span })
        }
        Some(Token::Word("lock")) => {
            s.next();
            let (bits, at) = cell(s)?;
            let here = s.here();
            let op = signed(s, ALU, |a| a.sign, "an operation")?;
            if !FETCH.iter().any(|(_, sign)| *sign == op.sign) {
                return Err(Diagnostic::unsupported(
                    "arch::unsupported-instruction",
                    format!("there is no atomic `{}`", op.sign),
                )
                .at(here, "atomic operations are +=, &=, |= and ^="));
            }
            Ok(Insn::Lock { op, at, operand: register(s)?, bits })
        }
        Some(Token::Word("store_release")) => {
            s.next();
            s.expect('(')?;
            let bits = size(s)?;
            let to = address(s)?;
            s.expect(',')?;
            let value = register(s)?;
            s.expect(')')?;
            Ok(Insn::StoreRelease { to, value, bits })
        }
        _ => {
            let to = register(s)?;
            match try_sign(s, ALU, |a| a.sign) {
                Some(op) => Ok(Insn::Alu(op, to, source(s)?)),
                None => {
                    s.expect('=')?;
                    assignment(s, to)
                }
            }
        }
    }
}

/// What stands after `rd =`.
fn assignment(s: &mut Scanner, to: Register) -> Result<Insn, Diagnostic> {
    match s.peek() {
        Some(Token::Punct('*')) => {
            let (bits, from) = cell(s)?;
            Ok(Insn::Load { to, from, bits, acquire: false })
        }
        Some(Token::Word(word)) if register_number(word).is_none() => {
            let (_, span) = s.word("an operation")?;
            // Nothing else may be named here: a load, an exchange, or one of the fetching atomics.
            let fetch = word.strip_prefix("atomic_fetch_");
            if word == "load_acquire" {
                s.expect('(')?;
                let bits = size(s)?;
                let from = address(s)?;
                s.expect(')')?;
                return Ok(Insn::Load { to, from, bits, acquire: true });
            }
            if let Some((_, sign)) = FETCH.iter().find(|(name, _)| Some(*name) == fetch)
                && let Some(op) = ALU.iter().find(|alu| alu.sign == *sign)
            {
                s.expect('(')?;
                let bits = size(s)?;
                let at = address(s)?;
                s.expect(',')?;
                let operand = register(s)?;
                s.expect(')')?;
                return Ok(Insn::Atomic { op: Atomic::Fetch(*op), at, operand, bits });
            }
            let bits = match word {
                "xchg_64" | "cmpxchg_64" => 64,
                "xchg_32_32" | "cmpxchg32_32" => 32,
                _ => return Err(errors::unknown_instruction(NAME, word, span, WORDS.iter().copied())),
            };
            s.expect('(')?;
            let at = displaced(s)?;
            s.expect(',')?;
            let first = register(s)?;
            if word.starts_with("xchg") {
                s.expect(')')?;
                return Ok(Insn::Atomic { op: Atomic::Exchange, at, operand: first, bits });
            }
            s.expect(',')?;
            let new = register(s)?;
            s.expect(')')?;
            Ok(Insn::CompareExchange { at, new, bits })
        }
        _ => Ok(Insn::Move(to, source(s)?)),
    }
}

/// `*(uN *)(r + k)`.
fn cell(s: &mut Scanner) -> Result<(u8, Address), Diagnostic> {
    s.expect('*')?;
    Ok((size(s)?, address(s)?))
}

/// `(uN *)`.
fn size(s: &mut Scanner) -> Result<u8, Diagnostic> {
    s.expect('(')?;
    let (word, span) = s.word("a size (u8, u16, u32, u64)")?;
    let bits = match word {
        "u8" => 8,
        "u16" => 16,
        "u32" => 32,
        "u64" => 64,
        _ => {
            return Err(errors::bad_operand(
                span,
                format!("`{word}` is not a size"),
                "sizes are u8, u16, u32 and u64",
            ));
        }
    };
    s.expect('*')?;
    s.expect(')')?;
    Ok(bits)
}

/// `(r + k)`.
fn address(s: &mut Scanner) -> Result<Address, Diagnostic> {
    s.expect('(')?;
    let address = displaced(s)?;
    s.expect(')')?;
    Ok(address)
}

/// `r + k`.
fn displaced(s: &mut Scanner) -> Result<Address, Diagnostic> {
    let base = register(s)?;
    Ok(Address { base, offset: integer(s, "an offset")? })
}

fn register(s: &mut Scanner) -> Result<Register, Diagnostic> {
    let (word, span) = s.word("a register")?;
    match register_number(word) {
        Some(number) => Ok(Register(number)),
        None if s.at_end() || WORDS.contains(&word) => {
            Err(errors::unknown_instruction(NAME, word, span, WORDS.iter().copied()))
        }
        None => {
            let names: Vec<String> = (0..=super::FRAME).map(register_name).collect();
            Err(errors::unknown_register(NAME, word, span, names.iter().map(String::as_str)))
        }
    }
}

fn source(s: &mut Scanner) -> Result<Source, Diagnostic> {
    match s.peek() {
        Some(Token::Word(_)) => Ok(Source::Reg(register(s)?)),
        _ => Ok(Source::Int(integer(s, "a register or a number")?)),
    }
}

fn integer(s: &mut Scanner, wanted: &str) -> Result<i64, Diagnostic> {
    let (value, span) = s.number(wanted)?;
    i64::try_from(value)
        .map_err(|_| errors::out_of_range(span, value, errors::range(i64::MIN.into(), i64::MAX.into())))
}

fn signed<T: Copy>(
    s: &mut Scanner,
    table: &[T],
    sign: impl Fn(&T) -> &'static str,
    wanted: &str,
) -> Result<T, Diagnostic> {
    try_sign(s, table, sign).ok_or_else(|| s.unexpected(wanted))
}

/// Takes the first sign of the table that is next.
fn try_sign<T: Copy>(s: &mut Scanner, table: &[T], sign: impl Fn(&T) -> &'static str) -> Option<T> {
    table.iter().copied().find(|entry| {
        let mut ahead = *s;
        let matches = sign(entry).chars().all(|c| match ahead.next() {
            Some(Token::Punct(p)) => p == c,
            Some(Token::Word("s")) => c == 's',
            _ => false,
        });
        if matches {
            *s = ahead;
        }
        matches
    })
}

impl Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&register_name(self.0))
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Reg(register) => write!(f, "{register}"),
            Source::Int(value) => write!(f, "{value}"),
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.offset < 0 { '-' } else { '+' };
        write!(f, "{} {sign} {}", self.base, self.offset.unsigned_abs())
    }
}

/// As herd7 prints it: tests are known by a hash of this text.
impl Display for Insn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Insn::Move(to, value) => write!(f, "{to} = {value}"),
            Insn::Alu(op, to, value) => write!(f, "{to} {} {value}", op.sign),
            Insn::Load { to, from, bits, acquire: false } => write!(f, "{to} = *(u{bits} *) ({from})"),
            Insn::Load { to, from, bits, acquire: true } => {
                write!(f, "{to} = load_acquire((u{bits} *) ({from}))")
            }
            Insn::Store { to, value, bits } => write!(f, "*(u{bits} *)({to}) = {value}"),
            Insn::StoreRelease { to, value, bits } => {
                write!(f, "store_release ((u{bits} *)({to}), {value})")
            }
            Insn::Atomic { op: Atomic::Exchange, at, operand, bits } => {
                let size = if *bits == 64 { "_64" } else { "32_32" };
                write!(f, "{operand} = xchg{size}({at}, {operand})")
            }
            Insn::Atomic { op: Atomic::Fetch(op), at, operand, bits } => {
                let name = FETCH.iter().find(|(_, sign)| *sign == op.sign).map_or("", |(name, _)| name);
                write!(f, "{operand} = atomic_fetch_{name}((u{bits} *)({at}), {operand})")
            }
            Insn::Lock { op, at, operand, bits } => {
                write!(f, "lock *(u{bits} *)({at}) {} {operand}", op.sign)
            }
            Insn::CompareExchange { at, new, bits } => {
                let size = if *bits == 64 { "_64" } else { "32_32" };
                write!(f, "r0 = cmpxchg{size}({at}, r0, {new})")
            }
            Insn::Goto { label, .. } => write!(f, "goto {label}"),
            Insn::If { comparison, left, right, label, .. } => {
                write!(f, "if {left} {} {right} goto {label}", comparison.sign)
            }
        }
    }
}
