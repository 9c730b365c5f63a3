//! The variants that a test asks for.

use crate::diag::{Diagnostic, nearest};
use crate::variant::{self, Variant};

use super::Test;

/// Those of its `Variant=` line, in order.
///
/// # Errors
/// There is none of that name: what the test means is not known.
pub fn variants(test: &Test) -> Result<Vec<Variant>, Diagnostic> {
    let Some(info) = test.info("Variant") else { return Ok(Vec::new()) };
    let parse = |name| {
        Variant::parse(name).ok_or_else(|| {
            let message = format!("there is no variant `{name}`");
            let error = Diagnostic::error("variant::unknown", message).at(info.span, "the test asks for it");
            match nearest(&name.to_ascii_lowercase(), Variant::names()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            }
        })
    };
    variant::split(&info.value).map(parse).collect()
}
