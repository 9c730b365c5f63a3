//! `litmus diff`.

use std::io::Write;

use super::args::DiffArgs;
use super::console::Console;
use super::{Done, Stop};

/// Not there yet.
pub fn diff(
    _args: &DiffArgs,
    _console: &Console,
    _out: &mut (dyn Write + Send),
    _err: &mut (dyn Write + Send),
) -> Done {
    Err(Stop::Unsupported("`litmus diff` is not there yet".to_string()))
}
