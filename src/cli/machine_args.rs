//! What `ltl`, `await` and `fence` take: a program, the machine with store buffers, and which of its runs count.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::{PortFormat, Reading, seconds, size};

// A program, and the machine that it runs on.
#[derive(Args, Debug)]
pub struct MachineArgs {
    /// The program: a test, a C file, or a system of processes in DVE
    #[arg(value_name = "FILE")]
    pub file: String,
    /// sc, tso or pso: how writes reach the memory
    #[arg(short, long = "model", value_enum, value_name = "MODEL", default_value = "sc")]
    pub model: MachineArg,
    /// At most K writes of a thread to one location wait
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u8).range(1..))]
    pub buffer: u8,
    /// Writes that do not wait: lines `LOCATION`, `LOCATION P0:LABEL` or `LOCATION P0:LINE`; `*` for any location
    #[arg(long, value_name = "FILE")]
    pub atomic: Option<PathBuf>,
    /// When an atomic write may be done: when no write of its own thread waits, or of any
    #[arg(long, value_enum, value_name = "RULE", default_value = "own")]
    pub atomic_rule: AtomicArg,
    /// Look at every interleaving, also at those that differ in nothing that a formula can see
    #[arg(long)]
    pub full: bool,
    /// Define a macro for C programs (repeatable)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Time limit, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Most memory: bytes, or a number with K, M or G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    pub max_memory: u64,
    /// Look for runs that go on for ever depth first, by one worker: takes less memory, and may take longer
    #[arg(long)]
    pub depth_first: bool,
    /// Workers; the answer is the same with any number of them [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

#[derive(Args, Debug)]
pub struct LtlArgs {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// The formula: X F G U R W, ! && || ->, and propositions such as `x==1`, `0:r0!=2`, `P0@label`, `empty(P0)`, `ended(P0)`
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    pub formula: String,
    /// Which runs count: none (all), memory (no write waits for ever), all (besides, no thread is passed over for ever)
    #[arg(long, value_enum, value_name = "WHICH", default_value = "memory", num_args = 0..=1, default_missing_value = "all")]
    pub fair: FairArg,
    /// Look for a state where the formula (without temporal operators) holds, instead
    #[arg(long)]
    pub reach: bool,
    /// text, or json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: PortFormat,
}

#[derive(Args, Debug)]
pub struct AwaitArgs {
    #[command(flatten)]
    pub machine: MachineArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MachineArg {
    Sc,
    Tso,
    Pso,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FairArg {
    None,
    Memory,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AtomicArg {
    Own,
    Global,
}
