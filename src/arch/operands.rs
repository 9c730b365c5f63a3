//! Operand lists of load/store machines, read and printed by pattern: an instruction table says which slots a
//! mnemonic has, and everything else follows.

use super::scan::{Scanner, Token};
use super::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::{Reg, Sym};
use crate::source::Span;

/// What may stand at one place of an operand list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A register.
    Reg,
    /// A register, or `0`.
    RegOrZero,
    /// An integer.
    Imm,
    /// A comma and an integer, which may be left out: they change nothing.
    Hint,
    /// A label of the thread.
    Label,
    /// The name of a global.
    Global,
    /// `offset(register)`, or `(register)`.
    Mem,
    /// `offset(register)` or `offset,register`.
    MemOrPair,
    /// `crN` and a comma, which may be left out: then field 0.
    Field,
    /// A quoted text.
    Text,
}

/// What was written there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A register, with its canonical name.
    Reg(Reg, String),
    /// An integer.
    Imm(i128),
    /// The program counter of a label, with its name.
    Label(usize, String),
    /// A global, with its name.
    Global(Sym, String),
    /// Offset and base of an address.
    Mem(i128, Reg, String),
    /// A condition field.
    Field(u8),
    /// A quoted text.
    Text(String),
}

impl Arg {
    /// The register, of a register or an address.
    pub fn reg(&self) -> Option<Reg> {
        match self {
            Arg::Reg(reg, _) | Arg::Mem(_, reg, _) => Some(*reg),
            _ => None,
        }
    }

    /// The integer, of an immediate or an address.
    pub fn int(&self) -> i128 {
        match self {
            Arg::Imm(n) | Arg::Mem(n, ..) => *n,
            _ => 0,
        }
    }

    /// The label's program counter.
    pub fn pc(&self) -> usize {
        match self {
            Arg::Label(pc, _) => *pc,
            _ => 0,
        }
    }
}

/// Reads a register: its id and canonical name. Each instruction set brings its own.
pub type ReadReg = fn(&mut ColumnCx, &mut Scanner) -> Result<(Reg, String), Diagnostic>;

/// Reads the operands of a pattern; nothing may follow them.
pub fn read(
    slots: &[Slot],
    cx: &mut ColumnCx,
    s: &mut Scanner,
    register: ReadReg,
) -> Result<Vec<Arg>, Diagnostic> {
    let mut args = Vec::with_capacity(slots.len());
    // A field that was left out takes its comma with it.
    let mut comma = false;
    for slot in slots {
        if *slot == Slot::Field {
            let field = field(s)?;
            comma = field.is_some();
            args.push(Arg::Field(field.unwrap_or(0)));
            continue;
        }
        if *slot == Slot::Hint {
            if s.eat(',') {
                immediate(s)?;
            }
            continue;
        }
        if comma {
            s.expect(',')?;
        }
        comma = true;
        args.push(one(*slot, cx, s, register)?);
    }
    s.end()?;
    Ok(args)
}

fn one(slot: Slot, cx: &mut ColumnCx, s: &mut Scanner, register: ReadReg) -> Result<Arg, Diagnostic> {
    Ok(match slot {
        Slot::Reg => {
            let (reg, name) = register(cx, s)?;
            Arg::Reg(reg, name)
        }
        Slot::RegOrZero if s.peek() == Some(Token::Number(0)) => {
            s.next();
            Arg::Imm(0)
        }
        Slot::RegOrZero => one(Slot::Reg, cx, s, register)?,
        Slot::Imm | Slot::Hint => Arg::Imm(immediate(s)?),
        Slot::Label => {
            let (name, at) = s.label("a label")?;
            Arg::Label(label(cx, name, at)?, name.to_string())
        }
        Slot::Global => {
            let (name, _) = s.word("the name of a global")?;
            Arg::Global(super::symbol(cx, name), name.to_string())
        }
        Slot::Mem | Slot::MemOrPair => {
            let offset = if s.peek() == Some(Token::Punct('(')) {
                0
            } else {
                immediate_for(s, "an address `n(register)`")?
            };
            let pair = slot == Slot::MemOrPair && s.eat(',');
            if !pair {
                s.expect('(')?;
            }
            let (reg, name) = register(cx, s)?;
            if !pair {
                s.expect(')')?;
            }
            Arg::Mem(offset, reg, name)
        }
        Slot::Text => Arg::Text(s.quoted()?.to_string()),
        Slot::Field => Arg::Field(0),
    })
}

/// Takes `crN` if it is next.
fn field(s: &mut Scanner) -> Result<Option<u8>, Diagnostic> {
    let Some(Token::Word(word)) = s.peek() else { return Ok(None) };
    let Some(digits) = word.strip_prefix("cr").or_else(|| word.strip_prefix("CR")) else { return Ok(None) };
    match digits.parse::<u8>() {
        Ok(n) if n < 8 => {
            s.next();
            Ok(Some(n))
        }
        Ok(_) => Err(errors::bad_operand(s.here(), format!("no condition field `{word}`"), "cr0 to cr7")),
        Err(_) => Ok(None),
    }
}

fn immediate(s: &mut Scanner) -> Result<i128, Diagnostic> {
    immediate_for(s, "a number")
}

fn immediate_for(s: &mut Scanner, wanted: &str) -> Result<i128, Diagnostic> {
    let (value, span) = s.number(wanted)?;
    if !(-(1 << 63)..1 << 64).contains(&value) {
        return Err(errors::out_of_range(span, value, "64 bits"));
    }
    Ok(value)
}

/// The program counter of a label.
pub fn label(cx: &ColumnCx, name: &str, at: Span) -> Result<usize, Diagnostic> {
    let found = cx.labels.iter().find(|(label, _)| label == name);
    found.map(|(_, pc)| *pc).ok_or_else(|| errors::unknown_label(name, cx.thread, at, cx.labels))
}

/// `mnemonic a,b,d(c)`: canonical text. Condition field 0 is not shown.
pub fn print(mnemonic: &str, args: &[Arg]) -> String {
    let shown: Vec<String> = args
        .iter()
        .filter_map(|arg| match arg {
            Arg::Reg(_, name) | Arg::Label(_, name) | Arg::Global(_, name) => Some(name.clone()),
            Arg::Imm(n) => Some(n.to_string()),
            Arg::Mem(offset, _, name) => Some(format!("{offset}({name})")),
            Arg::Field(0) => None,
            Arg::Field(n) => Some(format!("cr{n}")),
            Arg::Text(text) => Some(format!("\"{text}\"")),
        })
        .collect();
    if shown.is_empty() { mnemonic.to_string() } else { [mnemonic, " ", &shown.join(",")].concat() }
}
