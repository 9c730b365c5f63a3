//! `litmus bench`.

use std::io::Write;

use super::args::BenchArgs;
use super::console::Console;
use super::{Done, Stop};

/// Not there yet.
pub fn bench(
    _args: &BenchArgs,
    _console: &Console,
    _out: &mut (dyn Write + Send),
    _err: &mut (dyn Write + Send),
) -> Done {
    Err(Stop::Unsupported("`litmus bench` is not there yet".to_string()))
}
