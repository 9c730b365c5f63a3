//! `litmus model`.

use std::io::Write;

use super::args::ModelArgs;
use super::console::Console;
use super::{Done, Stop};

/// Not there yet.
pub fn model(
    _args: &ModelArgs,
    _console: &Console,
    _out: &mut (dyn Write + Send),
    _err: &mut (dyn Write + Send),
) -> Done {
    Err(Stop::Unsupported("`litmus model` is not there yet".to_string()))
}
