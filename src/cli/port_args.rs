//! What `port` and `robust` take.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::{GraphArg, LoopBounds, PortFormat, Reading, Tests};
use super::complete;

// What `port` and `robust` have in common.
#[derive(Args, Debug)]
pub struct ComparisonArgs {
    #[command(flatten)]
    pub tests: Tests,
    /// Compare complete final states (all registers and locations) instead of executions
    #[arg(long)]
    pub states: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub bounds: LoopBounds,
    /// Worker threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// text: one test in full, several as a table; json: one object a line
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: PortFormat,
    /// Draw each execution that decides into DIR, what the other model forbids highlighted
    #[arg(long, value_name = "DIR")]
    pub graph: Option<PathBuf>,
    /// The form of the pictures [default: svg]
    #[arg(long, value_enum, value_name = "FORM", requires = "graph")]
    pub graph_format: Option<GraphArg>,
    /// Who finds the final states that --states compares
    #[arg(long, value_enum, default_value = "auto", value_name = "ENGINE")]
    pub engine: CompareEngineArg,
}

/// Who finds final states to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CompareEngineArg {
    /// The explorer, and where it takes long the solver
    Auto,
    /// The explorer
    Worlds,
    /// The engine that grows executions
    Grow,
    /// The oracle: everything there is is tried
    Naive,
    /// The solver
    Sat,
}

#[derive(Args, Debug)]
pub struct PortArgs {
    /// The model that the program was written for
    #[arg(long, value_name = "MODEL", add = complete::models())]
    pub from: String,
    /// The model that it is to run on [default with --compile and --mapping: that of the mapping's target]
    #[arg(long, value_name = "MODEL", required_unless_present_any = ["compile", "mapping"], add = complete::models())]
    pub to: Option<String>,
    /// The tests are C: compile them by this mapping for the model that they are to run on, and compare final states; `all`: a table of
    /// every mapping, each with its own model
    #[arg(long, value_name = "MAPPING")]
    pub compile: Option<String>,
    /// Likewise, by a mapping file of your own
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    #[command(flatten)]
    pub comparison: ComparisonArgs,
}

#[derive(Args, Debug)]
pub struct RobustArgs {
    /// The model that the program runs on
    #[arg(short, long = "model", value_name = "MODEL", add = complete::models())]
    pub model: String,
    /// The model that it is to be compared with
    #[arg(long, value_name = "MODEL", default_value = "sc", add = complete::models())]
    pub against: String,
    #[command(flatten)]
    pub comparison: ComparisonArgs,
}
