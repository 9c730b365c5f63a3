//! Power: 64-bit, lower case.

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
pub struct Ppc;

/// The number of a general register, in any case.
fn general(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(['r', 'R'])?;
    let canonical = digits == "0" || !digits.starts_with('0');
    digits.parse().ok().filter(|n| *n < 32 && canonical && digits.bytes().all(|b| b.is_ascii_digit()))
}

impl Isa for Ppc {
    fn id(&self) -> ArchId {
        ArchId::Ppc
    }

    fn bits(&self) -> u32 {
        64
    }

    fn register(&self, name: &str) -> Option<String> {
        if let Some(number) = general(name) {
            return Some(format!("r{number}"));
        }
        let name = name.to_ascii_uppercase();
        matches!(name.as_str(), "LR" | "CTR").then_some(name)
    }

    fn register_order(&self, name: &str) -> u32 {
        general(name).unwrap_or(match name {
            "LR" => 32,
            "CTR" => 33,
            _ => 34,
        })
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let (text, insn) = syntax::parse(cx, text, span)?;
        Ok(Instr { text, span, ops: lower::lower(cx, &insn) })
    }

    fn sets(&self) -> Vec<String> {
        ["X", "EX", "SYNC", "LWSYNC", "ISYNC", "EIEIO"].map(String::from).to_vec()
    }

    fn default_model(&self) -> &'static str {
        "ppc"
    }
}
