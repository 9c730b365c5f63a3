//! Operands as written, and whether they fit the instruction.

use super::lower::Operand;
use super::table::{self, Entry, Found, Shape};
use crate::arch::errors;
use crate::arch::scan::{Scanner, Token};
use crate::diag::Diagnostic;
use crate::source::Span;

/// An operand with its text and place.
pub struct Written {
    /// The operand.
    pub operand: Operand,
    /// Its canonical text.
    pub text: String,
    /// Its place.
    pub span: Span,
    /// Size of a `dword ptr` prefix.
    pub bytes: Option<u8>,
}

/// A `lock` prefix must be legal.
pub fn check_lock(lock: Option<Span>, legal: bool) -> Result<(), Diagnostic> {
    match lock {
        Some(at) if !legal => Err(Diagnostic::error("arch::bad-lock", "illegal `lock` prefix")
            .at(at, "not on this instruction")
            .note("`lock` goes with a read-modify-write of memory: add, adc, sub, sbb, and, or, xor, inc, dec, neg, not, bts, btr, btc, xadd, cmpxchg, xchg")),
        _ => Ok(()),
    }
}

/// The operands must be of the instruction's shape, with at most one in memory.
pub fn check_shape(shape: Shape, name: &str, operands: &[Written], at: Span) -> Result<(), Diagnostic> {
    use Operand::{Imm, Mem, Reg};
    let wanted: &[fn(&Operand) -> bool] = match shape {
        Shape::Ignored => return Ok(()),
        Shape::None | Shape::Label => &[],
        Shape::Dest => &[|o| !o.is_immediate()],
        Shape::DestSource => &[|o| !o.is_immediate(), |_| true],
        Shape::DestReg => &[|o| !o.is_immediate(), |o| matches!(o, Reg(_))],
        Shape::RegSource => &[|o| matches!(o, Reg(_)), |o| !o.is_immediate()],
        Shape::RegMem => &[|o| matches!(o, Reg(_)), |o| matches!(o, Mem(_))],
        Shape::Mem => &[|o| matches!(o, Mem(_))],
        Shape::MemReg => &[|o| matches!(o, Mem(_)), |o| matches!(o, Reg(_))],
        Shape::Exchange => &[|o| !o.is_immediate(), |o| !o.is_immediate()],
        Shape::Shift | Shape::BitTest => &[|o| !o.is_immediate(), |o| !matches!(o, Mem(_))],
        Shape::Multiply if operands.len() == 3 => {
            &[|o| matches!(o, Reg(_)), |o| !o.is_immediate(), |o| matches!(o, Imm(_))]
        }
        Shape::Multiply => &[|o| matches!(o, Reg(_)), |_| true],
        Shape::Reg => &[|o| matches!(o, Reg(_))],
    };
    if operands.len() != wanted.len() {
        let count = |n: usize| if n == 1 { "1 operand".to_string() } else { format!("{n} operands") };
        let message = format!("`{name}` takes {}, not {}", count(wanted.len()), operands.len());
        return Err(match operands.get(wanted.len()) {
            Some(extra) => errors::bad_operand(extra.span, message, "this one is too much"),
            None => errors::bad_operand(at, message, "this instruction"),
        });
    }
    for (written, fits) in operands.iter().zip(wanted) {
        if !fits(&written.operand) {
            let message = format!("`{}` cannot stand here", written.text);
            return Err(errors::bad_operand(written.span, message, shape_text(shape)));
        }
    }
    if let (Shape::BitTest, [Written { operand: Mem(_), .. }, Written { operand: Reg(_), span, .. }]) =
        (shape, operands)
    {
        let message = "a register numbers the bits of memory beyond the operand";
        return Err(errors::bad_operand(*span, message, "wanted here: an immediate"));
    }
    if operands.iter().filter(|o| matches!(o.operand, Mem(_))).count() > 1 {
        let second = &operands[1];
        return Err(errors::bad_operand(
            second.span,
            format!("`{name}` cannot take two operands in memory"),
            "the other one is in memory too",
        ));
    }
    Ok(())
}

fn shape_text(shape: Shape) -> &'static str {
    match shape {
        Shape::None | Shape::Label | Shape::Ignored => "unexpected",
        Shape::Dest => "a register or memory is wanted",
        Shape::DestSource => "the destination is a register or memory",
        Shape::DestReg => "wanted: register or memory, then a register",
        Shape::RegSource => "wanted: a register, then register or memory",
        Shape::RegMem => "wanted: a register, then memory",
        Shape::Mem => "memory is wanted",
        Shape::MemReg => "wanted: memory, then a register",
        Shape::Exchange => "registers or memory are wanted",
        Shape::Shift => "wanted: register or memory, then an immediate or CL",
        Shape::BitTest => "wanted: register or memory, then an immediate or a register",
        Shape::Multiply => "wanted: a register, then a source, then perhaps an immediate",
        Shape::Reg => "a register is wanted",
    }
}

/// How an instruction begins.
pub struct Opening {
    /// The instruction.
    pub found: Found,
    /// Where `lock` stands before it.
    pub lock: Option<Span>,
    /// Where its mnemonic stands.
    pub at: Span,
}

/// Takes prefixes and mnemonic; `extra` are the instructions that this architecture has besides those of both.
pub fn opening(s: &mut Scanner, arch: &str, extra: &[Entry]) -> Result<Opening, Diagnostic> {
    let (mut word, mut at) = s.word("an instruction")?;
    let lock = word.eq_ignore_ascii_case("lock").then_some(at);
    if lock.is_some() {
        s.eat(';');
        (word, at) = s.word("an instruction after `lock`")?;
    }
    if repeats_nothing(s, word) {
        word = "pause";
    }
    let mnemonic = word.to_ascii_lowercase();
    let found = table::find(&mnemonic, extra).ok_or_else(|| match table::unsupported(&mnemonic) {
        Some(what) => errors::unsupported(word, what, at),
        None => {
            let known = table::mnemonics(extra);
            errors::unknown_instruction(arch, word, at, known.iter().map(String::as_str))
        }
    })?;
    Ok(Opening { found, lock, at })
}

/// Takes the rest of `rep; nop`, which is how `pause` was written before it had a name.
fn repeats_nothing(s: &mut Scanner, word: &str) -> bool {
    if !word.eq_ignore_ascii_case("rep") {
        return false;
    }
    let mut ahead = *s;
    ahead.eat(';');
    let is_nop = matches!(ahead.next(), Some(Token::Word(next)) if next.eq_ignore_ascii_case("nop"));
    let found = is_nop && ahead.at_end();
    if found {
        *s = ahead;
    }
    found
}

/// Takes a displacement: a number of 32 bits.
pub fn displacement(s: &mut Scanner) -> Result<i128, Diagnostic> {
    let (value, at) = s.number("a displacement")?;
    if (-(1 << 31)..1 << 32).contains(&value) {
        Ok(value)
    } else {
        Err(errors::out_of_range(at, value, "32 bits"))
    }
}

/// Takes the factor of an index register. 0 occurs in padding instructions.
pub fn scale(s: &mut Scanner) -> Result<i128, Diagnostic> {
    let (value, at) = s.number("a scale")?;
    if [0, 1, 2, 4, 8].contains(&value) {
        Ok(value)
    } else {
        Err(errors::out_of_range(at, value, "1, 2, 4 or 8"))
    }
}
