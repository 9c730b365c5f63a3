//! X86_64: AT&T order, lower-case canonical text. The instructions and their meaning are those of
//! [`crate::arch::x86`], on 64-bit registers.

mod syntax;
mod table;
#[cfg(test)]
mod tests;

use crate::arch::x86::lower::{self, Machine};
use crate::arch::{ArchId, ColumnCx, Isa};
use crate::diag::Diagnostic;
use crate::program::Instr;
use crate::source::Span;

/// The instruction set.
pub struct X86_64;

/// Whole registers in the order of state lines, with the names of their 4, 2 and 1 low bytes and of their second byte.
const REGISTERS: [(&str, [&str; 4]); 16] = [
    ("rax", ["eax", "ax", "al", "ah"]),
    ("rbx", ["ebx", "bx", "bl", "bh"]),
    ("rcx", ["ecx", "cx", "cl", "ch"]),
    ("rdx", ["edx", "dx", "dl", "dh"]),
    ("rsi", ["esi", "si", "sil", ""]),
    ("rdi", ["edi", "di", "dil", ""]),
    ("rbp", ["ebp", "bp", "bpl", ""]),
    ("rsp", ["esp", "sp", "spl", ""]),
    ("r8", ["r8d", "r8w", "r8b", ""]),
    ("r9", ["r9d", "r9w", "r9b", ""]),
    ("r10", ["r10d", "r10w", "r10b", ""]),
    ("r11", ["r11d", "r11w", "r11b", ""]),
    ("r12", ["r12d", "r12w", "r12b", ""]),
    ("r13", ["r13d", "r13w", "r13b", ""]),
    ("r14", ["r14d", "r14w", "r14b", ""]),
    ("r15", ["r15d", "r15w", "r15b", ""]),
];

/// Registers without parts.
const OTHERS: [&str; 6] = ["rip", "cs", "zf", "sf", "cf", "of"];

/// A register or a part of one, in any case: whole register, bytes, second byte.
fn part(name: &str) -> Option<(&'static str, u8, bool)> {
    let name = name.to_ascii_lowercase();
    if let Some(other) = OTHERS.into_iter().find(|other| *other == name) {
        return Some((other, 8, false));
    }
    REGISTERS.iter().find_map(|(whole, parts)| {
        if *whole == name {
            return Some((*whole, 8, false));
        }
        let index = parts.iter().position(|part| !part.is_empty() && *part == name)?;
        Some((*whole, [4, 2, 1, 1][index], index == 3))
    })
}

/// All names of registers, for "did you mean".
fn names() -> impl Iterator<Item = &'static str> {
    let all =
        REGISTERS.iter().flat_map(|(whole, parts)| std::iter::once(*whole).chain(parts.iter().copied()));
    all.filter(|name| !name.is_empty())
}

impl Isa for X86_64 {
    fn id(&self) -> ArchId {
        ArchId::X86_64
    }

    fn bits(&self) -> u32 {
        64
    }

    fn register(&self, name: &str) -> Option<String> {
        // Conditions and initial states name whole registers.
        part(name).filter(|(_, bytes, _)| *bytes == 8).map(|(whole, ..)| whole.to_string())
    }

    fn register_order(&self, name: &str) -> u32 {
        let general = REGISTERS.iter().position(|(whole, _)| *whole == name);
        let other = || OTHERS.iter().position(|other| *other == name).map(|n| n + REGISTERS.len());
        general.or_else(other).unwrap_or(REGISTERS.len() + OTHERS.len()) as u32
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let (text, insn) = syntax::parse(cx, text, span)?;
        let machine = Machine {
            bits: 64,
            // Memory is write-back cached.
            memory: &["WB"],
            accumulator: cx.regs.intern("rax"),
            zf: cx.regs.intern("zf"),
            sf: cx.regs.intern("sf"),
            cf: cx.regs.intern("cf"),
            of: cx.regs.intern("of"),
        };
        Ok(Instr { text, span, ops: lower::lower(&machine, &insn) })
    }

    fn sets(&self) -> Vec<String> {
        ["X", "NT", "UC", "WC", "WT", "WB", "MFENCE", "SFENCE", "LFENCE", "ClFlush", "ClFlushOpt"]
            .map(String::from)
            .to_vec()
    }

    fn default_model(&self) -> &'static str {
        "x86tso-mixed"
    }
}
