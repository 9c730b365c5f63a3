//! What `verify` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::{seconds, size};
use super::complete;

#[derive(Args, Debug, Clone)]
pub struct VerifyArgs {
    /// C files
    #[arg(value_name = "FILE", required = true, add = complete::programs())]
    pub files: Vec<PathBuf>,
    /// The memory model: a name of ours, or a `cat` file
    #[arg(short, long, value_name = "MODEL", default_value = "rc11", add = complete::models())]
    pub model: String,
    /// Run loops and recursion at most N times [default: as often as it takes]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,
    /// Define a macro (repeatable)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Search DIR for headers and models (repeatable)
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Look for every violation, not only the first
    #[arg(long)]
    pub keep_going: bool,
    /// List all executions in which a thread waits, and not only those in which it cannot but wait: the verdict is the same, and comes later
    #[arg(long)]
    pub all_blocked: bool,
    /// What is done without it, too
    #[arg(long, hide = true, conflicts_with = "all_blocked")]
    pub fewer_blocked: bool,
    /// Run loops that only wait round by round, to the bound, as an unrolling does: the verdict is the same, there are more executions
    #[arg(long, requires = "unroll")]
    pub every_round: bool,
    /// Count executions, too, that differ only in which of several threads is which: the verdict is the same, there are more executions
    #[arg(long)]
    pub no_symmetry: bool,
    /// Time limit per file, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Stop a file for which the process takes more than SIZE: bytes, or a number with K, M or G [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<u64>,
    /// Only read and translate the files; report everything that is not supported
    #[arg(long)]
    pub check: bool,
    /// Only read and translate the files; show what threads and locks are for the model
    #[arg(long, value_name = "HOW", conflicts_with_all = ["check", "format"])]
    pub show_threads_as: Option<ThreadsArg>,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: VerifyFormatArg,
    /// How much of a violating execution to show
    #[arg(long, value_name = "HOW", default_value = "short")]
    pub trace: TraceArg,
    /// Say what the search did: graphs, reads given a later write, what refuted how many
    #[arg(long)]
    pub stats: bool,
    /// Under sc, tso and pso: a data race is a violation, not a warning
    #[arg(long)]
    pub races: bool,
    /// Properties not to look at (repeatable)
    #[arg(long, value_name = "PROPERTY")]
    pub ignore: Vec<IgnoreArg>,
    /// How executions are found
    #[arg(long, value_name = "ENGINE", default_value = "grow")]
    pub engine: VerifyEngineArg,
    /// Worker threads of the search; which violation is found first is then chance
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
}

/// How `verify` finds executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum VerifyEngineArg {
    /// One after the other, each once
    Grow,
    /// A solver proposes executions, the model refutes them: programs with many branches. Loops without `--unroll` are run 4 times
    Sat,
    /// Both at once on two cores, and who is through first answers; on one core, by an estimate
    Auto,
    /// Under sc: each state once, however many executions come to it
    States,
}

/// How `verify` shows threads and locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ThreadsArg {
    /// The events that each call becomes, with the sets that the model knows them by
    Events,
}

/// The form of what `verify` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum VerifyFormatArg {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// JUnit XML, for CI
    Junit,
    /// SARIF 2.1.0, for code review
    Sarif,
}

/// How much of an execution `verify` shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TraceArg {
    /// The steps that the violation depends on
    Short,
    /// Every step
    Full,
    /// One column for each thread
    Graph,
}

/// Properties that `verify` need not look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum IgnoreArg {
    /// Data races
    Race,
    /// Locks given back by others, used after their end
    Lock,
    /// Threads that wait for each other
    Deadlock,
    /// Loops that wait for ever
    Liveness,
    /// Objects that one thread ends while another uses them
    Memory,
}
