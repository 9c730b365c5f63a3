//! `litmus check`.

use std::io::Write;

use super::args::CheckArgs;
use super::console::Console;
use super::{Done, Stop};

/// Not there yet.
pub fn check(
    _args: &CheckArgs,
    _console: &Console,
    _out: &mut (dyn Write + Send),
    _err: &mut (dyn Write + Send),
) -> Done {
    Err(Stop::Unsupported("`litmus check` is not there yet".to_string()))
}
