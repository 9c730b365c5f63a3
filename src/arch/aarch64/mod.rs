//! AArch64: the base instruction set with exclusives, LSE atomics, RCpc loads and ordered pairs.

mod access;
mod alu;
mod branch;
mod exception;
mod flags;
mod lower;
mod memory;
mod missing;
mod signing;
mod stacks;
mod syntax;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod tlb;
mod translate;
#[cfg(test)]
mod values;

use super::{ArchId, ColumnCx, Isa, scan::Scanner};
use crate::diag::Diagnostic;
use crate::program::{CellSizes, Conventions, Instr, Op, Tmp, Value};
use crate::source::Span;

/// How messages call it.
const NAME: &str = "AArch64";

/// Number of general-purpose registers, zero register not counted.
const REGISTERS: u8 = 31;

/// The instruction set.
pub struct AArch64;

impl Isa for AArch64 {
    fn id(&self) -> ArchId {
        ArchId::AArch64
    }

    fn bits(&self) -> u32 {
        64
    }

    fn register(&self, name: &str) -> Option<String> {
        if let Some(system) = table::system_register(name) {
            return Some(system.into());
        }
        match syntax::named(name)? {
            (syntax::Name::Zero, syntax::Width::X) => Some("XZR".into()),
            (syntax::Name::Sp, syntax::Width::X) => Some("SP".into()),
            (syntax::Name::Number(number), syntax::Width::X) => Some(syntax::numbered(number).into_owned()),
            // Tests name whole registers: a W name would not say what the upper half holds.
            _ => None,
        }
    }

    fn register_order(&self, name: &str) -> u32 {
        match syntax::named(name) {
            Some((syntax::Name::Zero, _)) => 0,
            Some((syntax::Name::Sp, _)) => 1,
            Some((syntax::Name::Number(number), _)) => 2 + u32::from(number),
            _ => u32::MAX,
        }
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let mut scanner = Scanner::new(text, span);
        let mnemonic = syntax::mnemonic(&mut scanner)?;
        let operands = syntax::operands(&mut scanner, cx)?;
        let (text, ops) = lower::lower(&mnemonic, &operands, cx, span)?;
        Ok(Instr { text, span, ops })
    }

    fn undefined(&self, cx: &mut ColumnCx) -> Vec<Op> {
        lower::undefined(cx)
    }

    fn fetch(&self, cx: &mut ColumnCx, at: Value, word: Tmp, span: Span) -> Vec<Op> {
        lower::fetch(cx, at, word, span)
    }

    fn has_code_in_memory(&self) -> bool {
        true
    }

    /// Those that may be modified while they are run: branches without a condition on flags, and what does nothing.
    fn is_restricted(&self, text: &str) -> bool {
        const MODIFIABLE: [&str; 9] = ["B", "BL", "CBZ", "CBNZ", "TBZ", "TBNZ", "ISB", "NOP", "SVC"];
        !MODIFIABLE.contains(&text.split(' ').next().unwrap_or(""))
    }

    fn sets(&self) -> Vec<String> {
        let fixed = [
            "X",
            "EX",
            "A",
            "Q",
            "L",
            "NoRet",
            "NT",
            "S",
            "AF",
            "DB",
            "E0",
            "E1",
            "E2",
            "E3",
            "TLBIIS",
            "TLBInXS",
            "ISB",
            "GCSB.DSYNC",
            "GCS",
            "IC.IALLU",
            "IC.IALLUIS",
            "IC.IVAU",
            "IC.IVAUIS",
            "MMU",
            "D-MMU",
            "Translation",
            "AccessFlag",
            "Permission",
            "Exclusive",
            "TagCheck",
            "PacCheck",
            "UndefinedInstruction",
            "SVC",
            "GCSCheck",
        ];
        let mut sets: Vec<String> = fixed.map(String::from).to_vec();
        for (_, dmb, dsb) in table::BARRIERS {
            sets.extend([dmb.to_string(), dsb.to_string()]);
        }
        for operation in ["I", "C", "CI", "Z"] {
            for by in ["VA", "SW"] {
                sets.extend(["C", "U"].iter().map(|to| format!("DC.{operation}{by}{to}")));
            }
        }
        sets
    }

    fn conventions(&self, usual: Conventions) -> Conventions {
        Conventions { control_flows: true, follows_known_jumps: true, sizes: CellSizes::Declared, ..usual }
    }

    fn default_model(&self) -> &'static str {
        "aarch64"
    }
}
