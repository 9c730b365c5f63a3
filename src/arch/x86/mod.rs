//! X86: 32-bit, Intel order, upper-case canonical text.

pub(crate) mod lower;
pub(crate) mod operands;
mod syntax;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use crate::arch::{ArchId, ColumnCx};
use crate::diag::Diagnostic;
use crate::program::Instr;
use crate::source::Span;

/// The instruction set.
pub struct X86;

/// Registers in the order of state lines.
const REGISTERS: [&str; 13] =
    ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP", "EIP", "ZF", "SF", "CF", "OF"];

/// Parts of registers: name, whole register, bytes, second byte.
const PARTS: [(&str, &str, u8, bool); 16] = [
    ("AX", "EAX", 2, false),
    ("BX", "EBX", 2, false),
    ("CX", "ECX", 2, false),
    ("DX", "EDX", 2, false),
    ("SI", "ESI", 2, false),
    ("DI", "EDI", 2, false),
    ("BP", "EBP", 2, false),
    ("SP", "ESP", 2, false),
    ("AL", "EAX", 1, false),
    ("BL", "EBX", 1, false),
    ("CL", "ECX", 1, false),
    ("DL", "EDX", 1, false),
    ("AH", "EAX", 1, true),
    ("BH", "EBX", 1, true),
    ("CH", "ECX", 1, true),
    ("DH", "EDX", 1, true),
];

/// A register or a part of one, in any case: whole register, bytes, second byte.
fn part(name: &str) -> Option<(&'static str, u8, bool)> {
    if let Some(whole) = REGISTERS.iter().find(|r| r.eq_ignore_ascii_case(name)) {
        return Some((whole, 4, false));
    }
    PARTS
        .iter()
        .find(|(part, ..)| part.eq_ignore_ascii_case(name))
        .map(|(_, whole, bytes, high)| (*whole, *bytes, *high))
}

impl X86 {
    fn names() -> impl Iterator<Item = &'static str> {
        REGISTERS.into_iter().chain(PARTS.iter().map(|(name, ..)| *name))
    }
}

impl crate::arch::Isa for X86 {
    fn id(&self) -> ArchId {
        ArchId::X86
    }

    fn bits(&self) -> u32 {
        32
    }

    fn register(&self, name: &str) -> Option<String> {
        REGISTERS.iter().find(|r| r.eq_ignore_ascii_case(name)).map(|r| r.to_string())
    }

    fn register_order(&self, name: &str) -> u32 {
        REGISTERS.iter().position(|r| *r == name).unwrap_or(REGISTERS.len()) as u32
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let (text, insn) = syntax::parse(cx, text, span)?;
        let machine = lower::Machine {
            bits: 32,
            memory: &[],
            accumulator: cx.regs.intern("EAX"),
            zf: cx.regs.intern("ZF"),
            sf: cx.regs.intern("SF"),
            cf: cx.regs.intern("CF"),
            of: cx.regs.intern("OF"),
        };
        Ok(Instr { text, span, ops: lower::lower(&machine, &insn) })
    }

    fn sets(&self) -> Vec<String> {
        ["X", "MFENCE", "SFENCE", "LFENCE"].map(String::from).to_vec()
    }

    fn default_model(&self) -> &'static str {
        "x86tso"
    }
}
