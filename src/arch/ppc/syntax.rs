//! Power text: `stw r1,0(r2)`, `cmpw cr1,r1,r2`, `bne cr1,L0`.

use super::table::{self, Entry, Kind};
use super::{Ppc, general};
use crate::arch::operands::{self, Arg};
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, Isa, errors};
use crate::diag::Diagnostic;
use crate::program::Reg;
use crate::source::Span;

/// An instruction, parsed.
#[derive(Clone, Debug)]
pub struct Insn {
    /// From the table.
    pub entry: &'static Entry,
    /// Does it set condition field 0?
    pub record: bool,
    /// Operands, as the table's pattern has them.
    pub args: Vec<Arg>,
}

/// Parses one cell: canonical text and instruction.
pub fn parse(cx: &mut ColumnCx, text: &str, span: Span) -> Result<(String, Insn), Diagnostic> {
    let mut s = Scanner::new(text, span);
    let (word, at) = s.word("an instruction")?;
    let (mut entry, record) = table::find(word).ok_or_else(|| match s.peek() {
        Some(Token::Punct('(')) => {
            errors::unsupported(word, "macros that stand for several instructions", at)
        }
        _ => errors::unknown_instruction("PPC", word, at, table::TABLE.iter().map(|entry| entry.name)),
    })?;
    match entry.kind {
        // A prediction says nothing about what may happen.
        Kind::JumpIf { .. } | Kind::CountDown { .. } => _ = s.eat('-') || s.eat('+'),
        Kind::Fence("SYNC") => entry = synchronization(entry, &mut s)?,
        _ => {}
    }
    let mut args = operands::read(entry.slots, cx, &mut s, register)?;
    if entry.kind == Kind::SubtractImmediate {
        args[2] = Arg::Imm(-args[2].int());
    }
    let mut printed = entry.printed.unwrap_or(entry.name).to_string();
    if record && entry.record == table::Record::Dot {
        printed.push('.');
    }
    let mut text = operands::print(&printed, &args);
    // herd7 prints a blank before the mask of a rotation, and before the source of `extsw`, and hashes it.
    let blank_before = match entry.kind {
        Kind::RotateMask | Kind::RotateInsert => Some(3),
        Kind::SignExtend(32) => Some(1),
        _ => None,
    };
    if let Some(at) = blank_before {
        let (before, after) = (operands::print(&printed, &args[..at]), operands::print("", &args[at..]));
        text = format!("{before},{after}");
    }
    Ok((text, Insn { entry, record, args }))
}

/// `sync` takes a number that says which fence it is.
fn synchronization(sync: &'static Entry, s: &mut Scanner) -> Result<&'static Entry, Diagnostic> {
    if sync.name != "sync" || !matches!(s.peek(), Some(Token::Number(_))) {
        return Ok(sync);
    }
    match s.number("which fence")? {
        (0, _) => Ok(sync),
        (1, _) => Ok(table::find("lwsync").map_or(sync, |(entry, _)| entry)),
        (n, at) => Err(errors::out_of_range(at, n, "0 (sync) or 1 (lwsync)")),
    }
}

fn register(cx: &mut ColumnCx, s: &mut Scanner) -> Result<(Reg, String), Diagnostic> {
    if s.peek() == Some(Token::Punct('%')) {
        s.next();
        let (name, _) = s.word("the name of a symbolic register")?;
        let name = format!("%{name}");
        return Ok((cx.regs.intern(&name), name));
    }
    let (word, at) = s.word("a register")?;
    match general(word).and_then(|_| Ppc.register(word)) {
        Some(name) => Ok((cx.regs.intern(&name), name)),
        None => Err(errors::unknown_register("PPC", word, at, [])
            .help("the general registers are r0 to r31; `%name` is one that the tool chooses")),
    }
}
