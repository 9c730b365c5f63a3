//! The wording of what can be wrong with an instruction, the same for every instruction set.

use std::fmt::Display;

use crate::diag::{Diagnostic, nearest};
use crate::source::Span;

/// A mnemonic that the instruction set does not have.
pub fn unknown_instruction<'a>(
    arch: &str,
    mnemonic: &str,
    span: Span,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("arch::unknown-instruction", format!("unknown {arch} instruction `{mnemonic}`"))
            .at(span, "not an instruction that this tool knows");
    // Tables have one case; what is offered has the user's.
    let shouted = mnemonic.chars().all(|c| !c.is_ascii_lowercase());
    let known: Vec<String> = known
        .into_iter()
        .map(|name| if shouted { name.to_ascii_uppercase() } else { name.to_string() })
        .collect();
    match nearest(mnemonic, known.iter().map(String::as_str)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// An operand of the wrong shape or value.
pub fn bad_operand(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
    Diagnostic::error("arch::bad-operand", message).at(span, label)
}

/// A name where a register belongs, that is none.
pub fn unknown_register<'a>(
    arch: &str,
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("arch::unknown-register", format!("`{name}` is not a register of {arch}"))
            .at(span, "expected a register");
    match nearest(name, known) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// An immediate that does not fit.
pub fn out_of_range(span: Span, value: i128, allowed: impl Display) -> Diagnostic {
    Diagnostic::error("arch::out-of-range", format!("immediate {value} is out of range"))
        .at(span, format!("allowed here: {allowed}"))
}

/// A range, in words.
pub fn range(min: i128, max: i128) -> String {
    if min == max { format!("only {min}") } else { format!("{min} to {max}") }
}

/// A branch to a label that the thread does not have.
pub fn unknown_label(label: &str, thread: usize, span: Span, known: &[(String, usize)]) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("arch::unknown-label", format!("thread P{thread} has no label `{label}`"))
            .at(span, "branches only go to labels of their own thread");
    match nearest(label, known.iter().map(|(name, _)| name.as_str())) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// A legal instruction of an extension that this tool does not handle.
pub fn unsupported(mnemonic: &str, extension: &str, span: Span) -> Diagnostic {
    Diagnostic::unsupported(
        "arch::unsupported-instruction",
        format!("`{mnemonic}` belongs to {extension}, and is not supported"),
    )
    .at(span, "no answer can be given for this test")
}
