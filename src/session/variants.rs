//! Variants that would change the answer and that we do not have: refused, never passed over.

use super::Settings;
use crate::cat::lower::canonical_variant;
use crate::diag::Diagnostic;
use crate::litmus::Test;
use crate::source::Span;

/// Variants that change what a program does or which executions there are. Those that only a model reads, that configure faults (no test
/// that we answer has one), or that name what we do anyway, are not among them.
const UNSUPPORTED: &[&str] = &[
    "success",
    "instr",
    "specialx0",
    "normw",
    "acqrelasfence",
    "fullscdepend",
    "splittedrmw",
    "switchdepscwrite",
    "switchdepscresult",
    "lrscdiffok",
    "notweakpredicated",
    "memtag",
    "cutoff",
    "morello",
    "neon",
    "sve",
    "sme",
    "deps",
    "vmsa",
    "noptebranch",
    "pte2",
    "constrainedunpredictable",
    "shadowstack",
    "asl",
    "asl_aarch64",
    "aslv0",
    "aslv1",
    "oota",
    "pauth1",
    "pauth2",
    "fpac",
    "const-pac-field",
    "d128",
];

/// Refuses a test under variants, its own or those asked for, that we do not have.
pub(super) fn check(settings: &Settings, test: &Test) -> Result<(), Diagnostic> {
    for name in &settings.variants {
        one(name, None)?;
    }
    if let Some(info) = test.info("Variant") {
        for name in info.value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            one(name, Some(info.span))?;
        }
    }
    if let Some(info) = test.info("CacheType") {
        let known = |word: &&str| ["dic", "idc"].iter().any(|known| word.eq_ignore_ascii_case(known));
        if let Some(word) = info.value.split_whitespace().find(|word| !known(word)) {
            let message = format!("`{word}` is no feature of the caches");
            return Err(Diagnostic::error("litmus::cache-type", message)
                .at(info.span, "the features are DIC and IDC, with blanks between"));
        }
    }
    Ok(())
}

fn one(name: &str, span: Option<Span>) -> Result<(), Diagnostic> {
    match canonical_variant(name) {
        Some(canonical) if UNSUPPORTED.contains(&canonical.as_str()) => {
            let diagnostic = Diagnostic::unsupported(
                "variant::unsupported",
                format!("the variant `{name}` is not supported"),
            );
            Err(match span {
                Some(span) => diagnostic.at(span, "the test asks for it"),
                None => diagnostic.note("it would change the answer, so the test is not run without it"),
            })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_that_herd7_has() {
        for name in UNSUPPORTED {
            assert_eq!(canonical_variant(name).as_deref(), Some(*name));
        }
    }
}
