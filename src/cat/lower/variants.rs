//! Conditions on variants.

use super::error::Eval;
use super::interpreter::Interpreter;
use crate::cat::ast::Variant as Condition;
use crate::diag::Diagnostic;
use crate::variant::Variant;

impl Interpreter<'_> {
    /// Does a variant condition hold?
    pub(super) fn variant(&mut self, condition: &Condition) -> Eval<bool> {
        Ok(match condition {
            Condition::Name(name, span) => match Variant::parse(name) {
                Some(variant) => variant.is_for_models() && self.declared.variants.contains(&variant),
                None => {
                    let mut warning = Diagnostic::warning(
                        "cat::unknown-variant",
                        format!("there is no variant `{name}`: taken as not set"),
                    )
                    .at(*span, "no such variant");
                    let lower = name.to_ascii_lowercase();
                    if let Some(near) = crate::diag::nearest(&lower, Variant::names()) {
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
            Condition::Not(inner) => !self.variant(inner)?,
            Condition::And(a, b) => self.variant(a)? && self.variant(b)?,
            Condition::Or(a, b) => self.variant(a)? || self.variant(b)?,
        })
    }
}
