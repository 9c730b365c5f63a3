//! DVE, the input language of the model checker DiVinE: processes as automata with guards and effects over shared variables.
//!
//! A transition is one step: its guard and its effects read, and its effects write, without anyone in between. Writes to shared variables
//! wait in the buffer of the process like any others. Channels and committed states are not read.

mod lower;
mod parse;

use crate::diag::Diagnostic;
use crate::source::{SourceId, Sources};

use super::System;

/// Reads a program.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(sources: &Sources, source: SourceId) -> Result<System, Diagnostic> {
    let file = parse::parse(&sources.get(source).text, source)?;
    lower::lower(&file, source)
}
