//! Maintenance of what is kept of page tables, and translations by instruction.

use super::lower::{Lower, Text};
use super::syntax::{Kind, Width};
use crate::arch::errors;
use crate::diag::Diagnostic;
use crate::program::{Extra, Op, Port, SetName};

/// The register that takes the result of `AT`.
const RESULT: &str = "PAR_EL1";

/// What TLB maintenance is about: the name, and whether a register says which page.
const TLBI: [(&str, bool); 10] = [
    ("VMALLS12", false),
    ("VMALL", false),
    ("ALL", false),
    ("ASID", true),
    ("VAAL", true),
    ("VAA", true),
    ("VAL", true),
    ("VA", true),
    ("IPAS2L", true),
    ("IPAS2", true),
];

impl Lower<'_, '_> {
    /// `TLBI op{,Xt}`.
    pub fn invalidate(&mut self) -> Result<Text, Diagnostic> {
        let Some(Kind::Name(name)) = self.peek() else {
            return Err(self.expected("what to invalidate, such as `VAAE1IS`"));
        };
        let name = name.clone();
        let here = self.here();
        self.skip();
        let upper = name.to_ascii_uppercase();
        let unknown = || {
            errors::bad_operand(
                here,
                format!("`{name}` is no TLB maintenance that is known here"),
                "not known",
            )
        };
        let (what, by_page) =
            TLBI.iter().find(|(what, _)| upper.starts_with(what)).copied().ok_or_else(unknown)?;
        let rest = &upper[what.len()..];
        let (level, rest) = match rest.get(..2) {
            Some("E1") => ("E1", &rest[2..]),
            Some("E2") => ("E2", &rest[2..]),
            Some("E3") => ("E3", &rest[2..]),
            _ => return Err(unknown()),
        };
        let mut sets = vec!["TLBI", level];
        let (shared, rest) = match rest.strip_prefix("IS") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        if shared {
            sets.push("TLBIIS");
        }
        match rest {
            "" => {}
            "NXS" => sets.push("TLBInXS"),
            _ => return Err(unknown()),
        }
        let mut text = upper.clone();
        let at = match self.peek() {
            Some(_) => {
                let rt = self.reg_of(Width::X)?;
                text = format!("{upper},{rt}");
                Some(self.read(rt, Width::X, Port::Addr))
            }
            None => None,
        };
        let at = if by_page { Some(at.unwrap_or_else(|| self.b.int(0))) } else { None };
        if at.is_none() {
            sets.push("no-loc");
        }
        let sets = sets.into_iter().map(SetName::Borrowed).collect();
        self.b.push(Op::Named { at, sets, extra: Extra::default() });
        Ok(Text::Operands(text))
    }

    /// `AT S1E1R, Xt`.
    pub fn address_translate(&mut self) -> Result<Text, Diagnostic> {
        let Some(Kind::Name(name)) = self.peek() else {
            return Err(self.expected("a translation, such as `S1E1R`"));
        };
        let name = name.to_ascii_uppercase();
        let here = self.here();
        let known = name.strip_prefix("S1E").or_else(|| name.strip_prefix("S12E"));
        let parts = known.and_then(|rest| {
            let level = rest.chars().next().filter(|c| ('0'..='3').contains(c))?;
            let write = match &rest[1..] {
                "R" => false,
                "W" => true,
                _ => return None,
            };
            Some((level == '0', write))
        });
        let Some((_, write)) = parts else {
            return Err(errors::bad_operand(
                here,
                format!("`{name}` is no translation that is known here"),
                "not known",
            ));
        };
        self.skip();
        let rt = self.reg_of(Width::X)?;
        let Some(tables) = self.cx.extensions.tables else {
            return Err(self.needs("page tables: --variant vmsa"));
        };
        let addr = self.read(rt, Width::X, Port::None);
        let result = self.report_translation(addr, write, tables.user, tables);
        let register = self.cx.regs.intern(RESULT);
        self.b.write(register, result);
        Ok(Text::Operands(format!("{name}, {rt}")))
    }
}
