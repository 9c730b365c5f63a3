//! BPF: the instruction set of programs that the Linux kernel loads and runs, in the notation of its disassembler.
//!
//! A memory cell is one whole value: the size written in an access decides nothing, unless some access is to the inside of a cell.

mod lower;
mod syntax;
#[cfg(test)]
mod tests;

use super::{ArchId, ColumnCx, Isa, scan::Scanner};
use crate::diag::Diagnostic;
use crate::program::{CellSizes, Conventions, Instr};
use crate::source::Span;

/// How messages call it.
const NAME: &str = "BPF";

/// The number of the frame pointer.
const FRAME: u32 = 10;

/// The instruction set.
pub struct Bpf;

impl Isa for Bpf {
    fn id(&self) -> ArchId {
        ArchId::Bpf
    }

    fn bits(&self) -> u32 {
        64
    }

    fn register(&self, name: &str) -> Option<String> {
        register_number(name).map(register_name)
    }

    fn register_order(&self, name: &str) -> u32 {
        register_number(name).unwrap_or(u32::MAX)
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let insn = syntax::parse(&mut Scanner::new(text, span))?;
        let ops = lower::lower(&insn, cx)?;
        Ok(Instr { text: insn.to_string(), span, ops })
    }

    fn sets(&self) -> Vec<String> {
        ["X", "SC", "AQ", "RL"].map(String::from).to_vec()
    }

    fn conventions(&self, usual: Conventions) -> Conventions {
        Conventions { sizes: CellSizes::Whole, ..usual }
    }

    fn default_model(&self) -> &'static str {
        "bpf"
    }
}

/// `r0` to `r10`, the last one also `fp`.
fn register_number(name: &str) -> Option<u32> {
    match name {
        "fp" | "FP" => Some(FRAME),
        _ => {
            let digits = name.strip_prefix(['r', 'R'])?;
            let plain =
                digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
            digits.parse().ok().filter(|number| plain && *number <= FRAME)
        }
    }
}

fn register_name(number: u32) -> String {
    if number == FRAME { "fp".to_string() } else { format!("r{number}") }
}
