//! The `litmus` command.

use std::io::{BufWriter, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = BufWriter::new(stdout());
    let exit = litmus::cli::main(std::env::args_os(), &mut out, &mut stderr());
    ExitCode::from(exit.code())
}
