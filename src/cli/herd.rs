//! `litmus herd`.

use std::io::Write;

use super::args::HerdArgs;
use super::console::Console;
use super::{Done, Stop};

/// Not there yet.
pub fn herd(
    _args: &HerdArgs,
    _console: &Console,
    _out: &mut (dyn Write + Send),
    _err: &mut (dyn Write + Send),
) -> Done {
    Err(Stop::Unsupported("`litmus herd` is not there yet".to_string()))
}
