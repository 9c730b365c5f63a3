//! RISC-V: RV64I with M, A, Zacas, Zabha, the load-acquires and store-releases of Zalasr, and the usual
//! pseudo-instructions.

mod lower;
mod syntax;
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod values;

use super::{ArchId, ColumnCx, Isa, scan::Scanner};
use crate::diag::Diagnostic;
use crate::program::Instr;
use crate::source::Span;

/// How messages call it.
const NAME: &str = "RISC-V";

/// The instruction set.
pub struct RiscV;

impl Isa for RiscV {
    fn id(&self) -> ArchId {
        ArchId::RiscV
    }

    fn bits(&self) -> u32 {
        64
    }

    fn register(&self, name: &str) -> Option<String> {
        register_number(name).map(|number| format!("x{number}"))
    }

    fn register_order(&self, name: &str) -> u32 {
        register_number(name).unwrap_or(u32::MAX)
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let mut scanner = Scanner::new(text, span);
        let mnemonic_span = scanner.here();
        let mnemonic = syntax::mnemonic(&mut scanner)?;
        if let table::Form::Unsupported(extension) = mnemonic.entry.form {
            return Err(super::errors::unsupported(mnemonic.entry.name, extension, mnemonic_span));
        }
        let operands = syntax::operands(&mut scanner, cx, mnemonic.entry.form)?;
        let text = lower::text(&mnemonic, &operands);
        let ops = lower::ops(&mnemonic, &operands, cx)?;
        Ok(Instr { text, span, ops })
    }

    fn sets(&self) -> Vec<String> {
        let mut sets: Vec<String> =
            ["X", "EX", "Acq", "Rel", "AcqRel", "Sc", "Fence.i", "Fence.tso"].map(String::from).to_vec();
        for before in ["r", "w", "rw"] {
            sets.extend(["r", "w", "rw"].iter().map(|after| format!("Fence.{before}.{after}")));
        }
        sets
    }

    fn default_model(&self) -> &'static str {
        "riscv"
    }
}

/// The number of a register, by its `x` or ABI name.
fn register_number(name: &str) -> Option<u32> {
    if let Some(digits) = name.strip_prefix('x') {
        let canonical = digits == "0" || !digits.starts_with(['0', '+']);
        return digits.parse().ok().filter(|n| *n < 32 && canonical);
    }
    table::ABI_NAMES.iter().position(|names| names.contains(&name)).map(|number| number as u32)
}

/// All names of registers, for suggestions.
fn register_names() -> impl Iterator<Item = &'static str> {
    table::ABI_NAMES.iter().flat_map(|names| names.iter().copied())
}
