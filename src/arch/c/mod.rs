//! C: the tests of C11 and of the Linux kernel.
//!
//! The program region goes through `lex`, `parse` (a syntax tree, `ast`) and `lower` (micro-ops). Functions of
//! `.def` files (`macros`) are expanded on the way, so that the kernel's functions are data, not code of this crate.

pub(crate) mod ast;
mod builtins;
mod conventions;
mod known;
pub(crate) mod lex;
pub(crate) mod locks;
pub(crate) mod lower;
pub(crate) mod macros;
pub(crate) mod orders;
pub(crate) mod parse;
pub mod preprocess;
pub(crate) mod types;
pub mod unit;

#[cfg(test)]
mod tests;

pub use lower::{Global, KernelVersion, Lowered, Options, Origin, Tables};
pub use macros::Macros;

use crate::diag::{Diagnostics, Reported};
use crate::source::Span;

/// Width of the values of a C program in bits: enough for every type, which cut their values themselves.
pub use conventions::conventions;
pub use lower::BITS;

/// Parses and translates the program region of a C test; `region` is the span of `text` in its file.
///
/// # Errors
/// The program is not the C that we know; everything wrong with it has been reported.
pub fn lower_threads(
    text: &str,
    region: Span,
    options: Options,
    tables: Tables,
    diags: &mut Diagnostics,
) -> Result<Lowered, Reported> {
    let unit = parse::unit(text, region).map_err(|diagnostic| diags.error(diagnostic))?;
    lower::lower(&unit, text, region, options, tables, diags)
}
