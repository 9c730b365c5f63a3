//! Variants that would change the answer and that we do not have: refused, never passed over.

use super::Settings;
use crate::diag::Diagnostic;
use crate::litmus::{self, Test};
use crate::source::Span;
use crate::variant::{self, Support, Variant};

/// Refuses a test under variants, its own or those asked for, that we do not have.
pub(super) fn check(settings: &Settings, test: &Test) -> Result<(), Diagnostic> {
    for variant in &settings.variants {
        one(*variant, variant.name(), None)?;
    }
    let own = litmus::variants(test)?;
    if let Some(info) = test.info("Variant") {
        for (variant, name) in own.into_iter().zip(variant::split(&info.value)) {
            one(variant, name, Some(info.span))?;
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

fn one(variant: Variant, name: &str, span: Option<Span>) -> Result<(), Diagnostic> {
    if variant.support() != Support::Missing {
        return Ok(());
    }
    let diagnostic =
        Diagnostic::unsupported("variant::unsupported", format!("the variant `{name}` is not supported"));
    Err(match span {
        Some(span) => diagnostic.at(span, "the test asks for it"),
        None => diagnostic.note("it would change the answer, so the test is not run without it"),
    })
}
