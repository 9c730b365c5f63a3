//! ARM: 32-bit, upper-case canonical text.

mod lower;
mod memory;
mod syntax;
mod table;
#[cfg(test)]
mod tests;

use crate::arch::{ArchId, ColumnCx, Isa};
use crate::diag::Diagnostic;
use crate::program::Instr;
use crate::source::Span;

/// The instruction set.
pub struct Arm;

/// Registers in the order of state lines.
const REGISTERS: [&str; 17] =
    ["R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "SP", "LR", "PC", "FP"];

/// Other names of registers.
const ALIASES: [(&str, &str); 4] = [("IP", "R12"), ("R13", "SP"), ("R14", "LR"), ("R15", "PC")];

/// The canonical name of a register, in any case.
fn canonical(name: &str) -> Option<&'static str> {
    let upper = name.to_ascii_uppercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == upper).map(|(_, name)| *name);
    alias.or_else(|| REGISTERS.into_iter().find(|register| *register == upper))
}

impl Isa for Arm {
    fn id(&self) -> ArchId {
        ArchId::Arm
    }

    fn bits(&self) -> u32 {
        32
    }

    fn register(&self, name: &str) -> Option<String> {
        canonical(name).map(str::to_string)
    }

    fn register_order(&self, name: &str) -> u32 {
        REGISTERS.iter().position(|register| *register == name).unwrap_or(REGISTERS.len()) as u32
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let (text, insn) = syntax::parse(cx, text, span)?;
        Ok(Instr { text, span, ops: lower::lower(cx, &insn) })
    }

    fn sets(&self) -> Vec<String> {
        let fences = ["DMB", "DSB"]
            .into_iter()
            .flat_map(|fence| table::OPTIONS.iter().map(move |(_, suffix)| format!("{fence}{suffix}")));
        ["X", "EX", "A", "L", "AL", "ISB"].map(String::from).into_iter().chain(fences).collect()
    }

    fn default_model(&self) -> &'static str {
        "arm"
    }
}
