//! MIPS: 64-bit, lower case, registers `$n`. Branches have no delay slot, as in assembler code before reordering.

mod lower;
mod syntax;
mod table;
#[cfg(test)]
mod tests;

use crate::arch::{ArchId, ColumnCx, Isa};
use crate::diag::Diagnostic;
use crate::program::Instr;
use crate::source::Span;

/// The instruction set.
pub struct Mips;

/// ABI names of the registers, by number; the last four have no number.
const ABI: [&str; 36] = [
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0",
    "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra", "a4", "a5",
    "a6", "a7",
];

/// The number of a register, written `$n`, `$name` or `name`.
fn number(name: &str) -> Option<usize> {
    if let Some(digits) = name.strip_prefix('$')
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
    {
        return digits.parse().ok().filter(|n| *n < 32);
    }
    let bare = name.strip_prefix('$').unwrap_or(name);
    // The frame pointer has two names.
    let bare = if bare == "s8" { "fp" } else { bare };
    ABI.iter().position(|abi| *abi == bare)
}

/// The canonical name of a register.
fn canonical(number: usize) -> String {
    if number < 32 { format!("${number}") } else { format!("${}", ABI[number]) }
}

impl Isa for Mips {
    fn id(&self) -> ArchId {
        ArchId::Mips
    }

    fn bits(&self) -> u32 {
        64
    }

    fn register(&self, name: &str) -> Option<String> {
        number(name).map(canonical)
    }

    fn register_order(&self, name: &str) -> u32 {
        number(name).unwrap_or(ABI.len()) as u32
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let (text, insn) = syntax::parse(cx, text, span)?;
        Ok(Instr { text, span, ops: lower::lower(cx, &insn) })
    }

    fn sets(&self) -> Vec<String> {
        ["X", "EX", "SYNC"].map(String::from).to_vec()
    }

    fn default_model(&self) -> &'static str {
        "mips"
    }
}
