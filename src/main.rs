//! The `litmus` command.

use std::io::{BufWriter, stderr, stdout};
use std::process::ExitCode;

use litmus::session::STACK;

/// A fifth of the time of a small test goes into memory management otherwise.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(run);
    match spawned.map(std::thread::JoinHandle::join) {
        Ok(Ok(exit)) => exit,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // No room for a thread with that stack: the one there is serves all but absurd inputs.
        Err(_) => run(),
    }
}

fn run() -> ExitCode {
    let mut out = BufWriter::new(stdout());
    let exit = litmus::cli::main(std::env::args_os(), &mut out, &mut stderr());
    ExitCode::from(exit.code())
}
