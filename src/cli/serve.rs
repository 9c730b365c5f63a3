//! `litmus serve`.

use std::io::Write;

use clap::Args;

use crate::limits;
use crate::serve::{Limits, Playground};

use super::args::{seconds, size};
use super::console::{Console, interrupt_flag};
use super::plan::duration;
use super::{Done, Exit, Stop};

// The arguments.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// The port to listen on; 0: any that is free
    #[arg(long, value_name = "N", default_value = "7878")]
    pub port: u16,
    /// Time limit of each request, in seconds
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    pub timeout: f64,
    /// Memory limit: bytes, or a number with K, M or G [default: half of the machine's memory, at most 2G]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<u64>,
    /// Requests answered at the same time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,
}

/// A request may have so many bytes.
const SIZE: u64 = 256 << 10;
const MEMORY: u64 = 2 << 30;

/// Serves the playground until Ctrl-C.
pub fn serve(
    args: &ServeArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let limits = Limits {
        time: duration(args.timeout),
        memory: args.max_memory.unwrap_or_else(|| limits::memory::default_limit().min(MEMORY)),
        size: SIZE,
        workers: args.jobs.map_or(cores, usize::from),
    };
    let playground = Playground::new(args.port, limits, interrupt_flag()).map_err(|error| {
        Stop::Usage(format!(
            "cannot listen on port {} of this machine: {error}; --port takes another",
            args.port
        ))
    })?;
    writeln!(out, "http://127.0.0.1:{}/", playground.port())?;
    out.flush()?;
    console.note(err, "only this machine reaches it; Ctrl-C ends it");
    playground.run();
    Ok(Exit::Success)
}
