//! Tests of the format as a whole, from text to [`Lowered`].

mod corpus;
mod refused;
mod taken;

use super::*;
use crate::diag::{Color, render_all};
use crate::source::Sources;

/// Parses and lowers a text: what came out, or the diagnostics as a person reads them.
fn load(text: &str) -> Result<Lowered, String> {
    let mut sources = Sources::new();
    let source = sources.add("t.litmus", text);
    parse(&sources, source)
        .and_then(|test| lower(&test, &LowerOptions::default()))
        .map_err(|diagnostics| render_all(&diagnostics, &sources, Color::Never))
}
