//! `litmus doc`.

use std::io::Write;

use super::args::DocArgs;
use super::console::Console;
use super::{Done, Stop};

/// Not there yet.
pub fn doc(
    _args: &DocArgs,
    _console: &Console,
    _out: &mut (dyn Write + Send),
    _err: &mut (dyn Write + Send),
) -> Done {
    Err(Stop::Unsupported("`litmus doc` is not there yet".to_string()))
}
