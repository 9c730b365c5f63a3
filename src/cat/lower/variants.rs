//! Variant names and conditions on them (CAT.md 3.11).

use super::error::Eval;
use super::interpreter::Interpreter;
use crate::cat::ast::Variant;
use crate::diag::Diagnostic;

/// Names that mean another one.
const ALIASES: &[(&str, &str)] = &[
    ("amox0", "specialx0"),
    ("x0", "specialx0"),
    ("back", "backcompat"),
    ("scdepend", "fullscdepend"),
    ("notweakpred", "notweakpredicated"),
    ("tagmem", "memtag"),
    ("mte", "memtag"),
    ("instance", "instances"),
    ("kvm", "vmsa"),
    ("nobranch", "noptebranch"),
    ("pte-squared", "pte2"),
    ("cu", "constrainedunpredictable"),
    ("self", "ifetch"),
    ("skip", "faulttonext"),
    ("aslaarch64", "asl_aarch64"),
    ("asl+aarch64", "asl_aarch64"),
];

/// Names that a condition can ask about.
const KNOWN: &[&str] = &[
    "success",
    "instr",
    "specialx0",
    "normw",
    "acqrelasfence",
    "backcompat",
    "fullscdepend",
    "splittedrmw",
    "switchdepscwrite",
    "switchdepscresult",
    "lrscdiffok",
    "mixed",
    "unaligned",
    "dontcheckmixed",
    "notweakpredicated",
    "lkmmv1",
    "lkmmv2",
    "memtag",
    "cutoff",
    "morello",
    "neon",
    "sve",
    "sme",
    "deps",
    "instances",
    "vmsa",
    "ets",
    "ets2",
    "ets3",
    "exs",
    "eis",
    "eos",
    "noptebranch",
    "pte2",
    "optrfrmw",
    "constrainedunpredictable",
    "exp",
    "ifetch",
    "shadowstack",
    "cos-opt",
    "test",
    "asl",
    "asl_aarch64",
    "aslv0",
    "aslv1",
    "asltype+warn",
    "asltype+silence",
    "asltype+check",
    "asl+aarch64+udf",
    "s128",
    "strict",
    "warn",
    "telechat",
    "nv2",
    "oldsolver",
    "oota",
    "pauth1",
    "pauth2",
    "no-key-da",
    "no-key-db",
    "no-key-ia",
    "no-key-ib",
    "const-pac-field",
    "fpac",
    "d128",
    "dic",
    "idc",
];

/// Names that configure herd's engine; a model never sees them as set.
const ENGINE: &[&str] =
    &["fatal", "handled", "faulttonext", "sync", "async", "asym", "store-only", "precise", "imprecise"];

/// The canonical lower-case name of a variant; `None` if there is none of that name.
/// `sve:256` sets `sve`.
pub fn canonical_variant(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let base = match lower.split_once(':') {
        Some((base @ ("sve" | "sme"), width)) if width.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => lower.as_str(),
    };
    let base = ALIASES.iter().find(|(alias, _)| *alias == base).map_or(base, |(_, name)| name);
    let bytes = base.as_bytes();
    let switch = matches!(bytes, [b't', a, b] if a.is_ascii_digit() && b.is_ascii_digit());
    (switch || KNOWN.contains(&base) || ENGINE.contains(&base)).then(|| base.to_owned())
}

impl Interpreter<'_> {
    /// Does a variant condition hold?
    pub(super) fn variant(&mut self, condition: &Variant) -> Eval<bool> {
        Ok(match condition {
            Variant::Name(name, span) => match canonical_variant(name) {
                Some(name) => !ENGINE.contains(&name.as_str()) && self.declared.variants.contains(&name),
                None => {
                    let mut warning = Diagnostic::warning(
                        "cat::unknown-variant",
                        format!("there is no variant `{name}`: taken as not set"),
                    )
                    .at(*span, "no such variant");
                    let lower = name.to_ascii_lowercase();
                    if let Some(near) = crate::diag::nearest(&lower, KNOWN.iter().copied()) {
                        warning = warning.help(format_args!("did you mean `{near}`?"));
                    }
                    if let Some(a) = self.lowering()
                        && !a.warnings.contains(&warning)
                    {
                        a.warnings.push(warning);
                    }
                    false
                }
            },
            Variant::Not(inner) => !self.variant(inner)?,
            Variant::And(a, b) => self.variant(a)? && self.variant(b)?,
            Variant::Or(a, b) => self.variant(a)? || self.variant(b)?,
        })
    }
}
