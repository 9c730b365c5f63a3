//! MIPS text: `lw $2,0($3)`, `beq $2,$3,L0`.

use super::table::{self, Entry};
use super::{ABI, canonical, number};
use crate::arch::operands::{self, Arg};
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::Reg;
use crate::source::Span;

/// An instruction, parsed.
#[derive(Clone, Debug)]
pub struct Insn {
    /// From the table.
    pub entry: &'static Entry,
    /// Operands, as the table's pattern has them.
    pub args: Vec<Arg>,
}

/// Parses one cell: canonical text and instruction.
pub fn parse(cx: &mut ColumnCx, text: &str, span: Span) -> Result<(String, Insn), Diagnostic> {
    let mut s = Scanner::new(text, span);
    let (word, at) = s.word("an instruction")?;
    let entry = table::TABLE.iter().find(|entry| entry.name == word).ok_or_else(|| {
        if let Some((_, what)) = table::UNSUPPORTED.iter().find(|(name, _)| *name == word) {
            return errors::unsupported(word, what, at);
        }
        errors::unknown_instruction("MIPS", word, at, table::TABLE.iter().map(|entry| entry.name))
    })?;
    let args = operands::read(entry.slots, cx, &mut s, register)?;
    Ok((operands::print(entry.name, &args), Insn { entry, args }))
}

fn register(cx: &mut ColumnCx, s: &mut Scanner) -> Result<(Reg, String), Diagnostic> {
    let mark = s.mark();
    if s.eat('%') {
        let (name, _) = s.word("the name of a symbolic register")?;
        let name = format!("%{name}");
        return Ok((cx.regs.intern(&name), name));
    }
    let dollar = s.eat('$');
    let name = match s.peek() {
        Some(Token::Number(n)) if dollar => {
            s.next();
            format!("${n}")
        }
        Some(Token::Word(word)) => {
            s.next();
            word.to_string()
        }
        _ => return Err(s.unexpected("a register")),
    };
    match number(&name) {
        Some(number) => {
            let name = canonical(number);
            Ok((cx.regs.intern(&name), name))
        }
        None => Err(errors::unknown_register("MIPS", &name, s.since(mark), ABI)
            .help("registers are $0 to $31, or their ABI names with or without `$`")),
    }
}
