//! The command line as typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::{Stop, complete, help, plan};
use crate::session::{AtBound, Settings};

/// Which outcomes does a memory model allow a concurrent test?
#[derive(Parser, Debug)]
#[command(
    name = "litmus",
    version = super::VERSION,
    after_help = help::TOP,
    arg_required_else_help = true,
    max_term_width = 110,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// When to colour.
    #[arg(
        long,
        global = true,
        display_order = 900,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        help = "When to colour: auto, always or never (NO_COLOR is respected)"
    )]
    pub color: When,
    /// Say less: no notes, no progress, no summary; errors are still told
    #[arg(short, long, global = true, display_order = 901)]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true, display_order = 902, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

/// `auto`, `always`, `never`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

// Deferred: a run builds the options of its own subcommand, not of thirty. What is built late has the last word: a doc comment on a struct of options
// would replace the description of each subcommand that has them.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub enum Command {
    /// Run tests under a model and print herd7's log
    #[command(after_help = help::RUN)]
    Run(Box<RunArgs>),
    /// Take herd7's own options and .cfg files, with their meaning
    #[command(after_help = help::HERD, disable_help_flag = true)]
    Herd(HerdArgs),
    /// Read and lower tests without running them; report each failure by its reason
    #[command(after_help = help::CHECK)]
    Check(CheckArgs),
    /// Check C programs with threads and assertions under a model
    #[command(after_help = help::VERIFY)]
    Verify(Box<super::verify_args::VerifyArgs>),
    /// Look at memory models
    #[command(after_help = help::MODEL)]
    Model(super::model::ModelArgs),
    /// Compare the outcomes of two logs, or of a log and a run
    #[command(after_help = help::DIFF)]
    Diff(super::diff::DiffArgs),
    /// May a program move from one model to another: is all that the second allows allowed by the first?
    #[command(after_help = help::PORT)]
    Port(super::port_args::PortArgs),
    /// Does a program behave under a model as it does under sequential consistency?
    #[command(after_help = help::ROBUST)]
    Robust(super::port_args::RobustArgs),
    /// Does a formula of linear temporal logic hold on every run, loops without bound included?
    #[command(after_help = help::LTL)]
    Ltl(super::machine_args::LtlArgs),
    /// Spread a run over many machines: Slurm, or GNU parallel
    #[command(after_help = help::CAMPAIGN)]
    Campaign(super::campaign::CampaignArgs),
    /// Does every loop end, if every thread that can move does and every write lands?
    #[command(after_help = help::AWAIT)]
    Await(super::machine_args::AwaitArgs),
    /// The cheapest fences, stronger accesses or atomic writes that make a property hold, and a patch
    #[command(after_help = help::FENCE)]
    Fence(super::fence::FenceArgs),
    /// Cut one large search into units, for many machines
    #[command(after_help = help::SPLIT)]
    Split(super::split::SplitArgs),
    /// Join the logs of a campaign's parts
    #[command(after_help = help::MERGE)]
    Merge(super::merge::MergeArgs),
    /// Say why an outcome can, or cannot, happen
    #[command(after_help = help::EXPLAIN)]
    Explain(super::explain::ExplainArgs),
    /// Generate tests from cycles of accesses
    #[command(after_help = help::GEN)]
    Gen(super::generate::GenArgs),

    /// A playground in the browser: type a test and a model, see what can happen and why
    #[cfg(feature = "serve")]
    #[command(after_help = help::SERVE)]
    Serve(super::serve::ServeArgs),
    /// Write C tests as the instructions that a compiler makes of them
    #[command(after_help = help::COMPILE)]
    Compile(super::compile::CompileArgs),
    /// Explain a name of the cat language, a check of a model, a word of an answer: `X`, `lxsx`, `external`, `Allowed` …
    #[command(after_help = help::DOC)]
    Doc(super::doc::DocArgs),
    /// Generate families of tests of growing size and measure them
    #[command(after_help = help::BENCH)]
    Bench(super::bench::BenchArgs),
    /// Print a completion script for a shell
    #[command(after_help = help::COMPLETIONS)]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = help::MAN)]
    Man,
}

// Tests to look at.
#[derive(Args, Debug, Clone, Default)]
pub struct Tests {
    /// Tests: files, folders (searched recursively), @lists, glob patterns, `-` for standard input
    #[arg(value_name = "TEST", required = true, add = complete::tests())]
    pub tests: Vec<String>,
}

// Where models come from and how tests are read.
#[derive(Args, Debug, Clone, Default)]
pub struct Reading {
    /// Search DIR for models, includes, bell, macro and configuration files (repeatable)
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Variants of the semantics, as in herd7
    #[arg(long, value_name = "A,B", value_delimiter = ',', add = complete::variants())]
    pub variant: Vec<String>,
    /// Bell file: annotations that instructions may carry
    #[arg(long, value_name = "FILE")]
    pub bell: Option<String>,
    /// Macros of C tests
    #[arg(long, value_name = "FILE.def")]
    pub macros: Option<String>,
    /// herd7 configuration file
    #[arg(long, value_name = "FILE.cfg")]
    pub conf: Option<String>,
    /// Accept a model of another architecture
    #[arg(long)]
    pub no_arch_check: bool,
}

// How to search.
#[derive(Args, Debug, Clone)]
pub struct Search {
    /// What to find out
    #[arg(long, value_enum, default_value = "count")]
    pub mode: ModeArg,
    /// How to find it out
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineArg,
    /// Leave out rounds of loops that change nothing: a thread waits until it can go on (--engine grow)
    #[arg(long)]
    pub awaits: bool,
    #[command(flatten)]
    pub bounds: LoopBounds,
    /// Worker threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Stop a test after N executions
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,
    /// Stop a test for which the process takes more than SIZE: bytes, or a number with K, M or G [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<u64>,
    /// Checks of the model to leave out
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub skip_checks: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ModeArg {
    /// Every execution, with herd7's figures
    Count,
    /// Every outcome, no figures
    States,
    /// Decide the condition and stop
    Check,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CutArg {
    /// They are not listed, as in herd7
    Drop,
    /// They are listed apart, cut off as they are, and decide nothing
    Keep,
    /// They leave the loop, whatever its condition says
    Exit,
}

impl From<CutArg> for AtBound {
    fn from(arg: CutArg) -> AtBound {
        match arg {
            CutArg::Drop => AtBound::Drop,
            CutArg::Keep => AtBound::Keep,
            CutArg::Exit => AtBound::Exit,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineArg {
    /// Whichever suits the test and the model
    Auto,
    /// Closed worlds: the paths of all threads first, then what they read
    Worlds,
    /// Executions that grow event by event, for models that allow it
    Grow,
    /// Another name of `worlds`
    Explore,
    /// The oracle: enumerate everything, then filter
    Naive,
    /// A solver proposes executions, the model refutes them: for modes check and states
    Sat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EmitArg {
    /// Clauses in the format of DIMACS, with comments that say what the variables mean
    Dimacs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FormatArg {
    /// herd7's log
    Herd,
    /// One JSON document
    Json,
    /// One JSON object a line, streamed
    Jsonl,
    /// One row a test
    Csv,
    /// JUnit XML, for CI
    Junit,
    /// Annotations of a GitHub workflow: what is wrong, at its line
    Github,
    /// SARIF 2.1.0: the same, for code scanning
    Sarif,
    /// A database of SQLite, in the file of -o
    Sqlite,
    /// One line a test, one column a model
    Table,
    /// The same table, in Markdown
    Markdown,
    /// The same table, in LaTeX
    Latex,
    /// A page for a browser: the table, and behind each answer the executions and the reasons
    Html,
}

/// The form of graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum GraphArg {
    /// Pictures for a browser
    Svg,
    /// For Graphviz
    Dot,
    /// For a terminal
    Text,
}

/// Which executions to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ShowArg {
    /// Those that decide the condition: satisfying for exists and ~exists, violating for forall
    Wit,
    /// Those that satisfy the proposition
    Prop,
    /// Those that violate it
    Neg,
    /// Those that speak for the condition
    Cond,
    /// All
    All,
    /// Those that raise a flag, or whose behaviour is undefined
    Flagged,
    /// Those that the model refuses and that would decide the condition, one for each reason
    Forbidden,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub tests: Tests,
    /// The model: a file, or the name of one of ours (`litmus model list`); several give a table
    #[arg(short, long = "model", value_name = "MODEL", add = complete::models())]
    pub model: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub search: Search,
    /// Compile C tests by this mapping (`litmus compile`), and run what comes out; other tests are run as they are
    #[arg(long, value_name = "MAPPING")]
    pub compile_to: Option<String>,
    /// Likewise, by a mapping file of your own
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Output format [default: herd, or table with several models]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FormatArg>,
    /// Write the output to FILE
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the tests must say: ok, no, never, sometimes, always, allowed, forbidden, required, or a file: a reference log, or
    /// lines `NAME WORD`
    #[arg(long, value_name = "WORD|FILE")]
    pub expect: Option<String>,
    /// A violated `forall` or `~exists`, a flag of the model, undefined behaviour, no execution at all, a loop cut at the bound: each fails the
    /// run
    #[arg(long)]
    pub strict: bool,
    /// Figures of each search on standard error
    #[arg(long)]
    pub stats: bool,
    /// Take up an interrupted run: keep what FILE holds, append the rest
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub resume: Option<PathBuf>,
    /// Run only the K-th of N parts of the tests
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(usize, usize)>,
    /// Do a part of a search: the K-th of N, or unit K of FILE (`litmus split`). `litmus merge --units` puts the results together
    #[arg(long, value_name = "K/N|FILE:K", value_parser = super::units::UnitArg::parse, conflicts_with_all = ["expect", "strict", "resume"])]
    pub unit: Option<super::units::UnitArg>,
    /// A unit of FILE that has visited N graphs, or took so long (`90s`), leaves the rest in units to others
    #[arg(long, value_name = "N|SECONDS", value_parser = super::units::patience, requires = "unit")]
    pub split_after: Option<crate::explore::Patience>,
    /// Where these units go [default: beside FILE, by the name of the unit]
    #[arg(long, value_name = "UNITS", requires = "split_after")]
    pub rest: Option<PathBuf>,
    /// Do not run: say how many executions there are, and how long they take, by random walks
    #[arg(long, conflicts_with_all = ["unit", "expect", "strict", "resume", "graph"])]
    pub estimate: bool,
    /// Do not show results: write what the solver was given, and learnt, until it could decide the condition (`--engine sat`)
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["unit", "expect", "strict", "resume", "graph", "estimate"])]
    pub emit: Option<EmitArg>,
    /// Draw executions into DIR, a file each; `-`: as text, after the result
    #[arg(long, value_name = "DIR", help_heading = "Graphs")]
    pub graph: Option<PathBuf>,
    /// The form of graphs [default: svg; text on standard output]
    #[arg(long, value_enum, value_name = "FORM", requires = "graph", help_heading = "Graphs")]
    pub graph_format: Option<GraphArg>,
    /// Which of the executions that the model allows to draw, or to list in json and jsonl [default: wit]
    #[arg(long, value_enum, value_name = "WHICH", help_heading = "Graphs")]
    pub show: Option<ShowArg>,
    /// Draw, or list, at most N executions of a test
    #[arg(long, value_name = "N", default_value = "4", help_heading = "Graphs", value_parser = at_least_one)]
    pub graphs: usize,
    /// Relations of the model to draw besides po, rf, co, fr and those that it shows itself
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Graphs", add = complete::relations())]
    pub draw: Vec<String>,
    /// Print integers in hexadecimal
    #[arg(long)]
    pub hexa: bool,
}

// How far one test is looked at.
#[derive(Args, Debug, Clone, Default)]
pub struct Bounds {
    /// Unroll loops N times (a test's own Unroll= wins) [default: 2]
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,
    /// Time limit per test, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
}

impl Bounds {
    /// Settings with these bounds, where there are any.
    pub fn apply(&self, settings: &mut Settings) {
        settings.unroll = self.unroll.or(settings.unroll);
        settings.explore.timeout = self.timeout.map(plan::duration).or(settings.explore.timeout);
    }
}

// Likewise, and what becomes of executions that go further. (No comment of documentation: a command that these are part of would take it for its own.)
#[derive(Args, Debug, Clone)]
pub struct LoopBounds {
    #[command(flatten)]
    pub each: Bounds,
    /// Bound the events of each thread, not the rounds of its loops: accesses, fences and the like, those of registers not counted
    #[arg(long, value_name = "K", conflicts_with = "unroll")]
    pub bound_events: Option<u32>,
    /// What becomes of executions that come to the bound
    #[arg(long, value_enum, value_name = "WHAT", default_value = "drop")]
    pub cut: CutArg,
}

impl LoopBounds {
    /// Settings with these bounds, if the engine knows of them. What it does not know of is refused, not passed over.
    pub fn apply(&self, engine: EngineArg, settings: &mut Settings) -> Result<(), Stop> {
        let refused = match (engine, self.cut, self.bound_events) {
            (_, CutArg::Exit, Some(_)) => {
                "`--cut exit` leaves loops, and `--bound-events` does not count their rounds: give --unroll"
            }
            (EngineArg::Grow, _, Some(_)) => "`--engine grow` bounds the rounds of loops: give --unroll",
            (EngineArg::Grow | EngineArg::Sat, CutArg::Keep, _) => {
                "`--cut keep` is for --engine worlds and naive"
            }
            (EngineArg::Sat, CutArg::Exit, _) => "`--cut exit` is for --engine worlds, grow and naive",
            _ => {
                self.each.apply(settings);
                settings.explore.at_bound = self.cut.into();
                settings.explore.bound_events = self.bound_events;
                return Ok(());
            }
        };
        Err(Stop::Usage(refused.to_string()))
    }
}

#[derive(Args, Debug)]
pub struct HerdArgs {
    /// herd7's options and tests
    #[arg(value_name = "OPTION|TEST", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<String>,
}

#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub tests: Tests,
    /// A model: only its bell file and variants matter
    #[arg(short, long = "model", value_name = "MODEL", add = complete::models())]
    pub model: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Refuse tests that ask what nobody means to ask: warnings `question::…` are errors
    #[arg(long)]
    pub strict: bool,
    /// Worker threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

/// Text for people, or one JSON object a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PortFormat {
    Text,
    Json,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s.is_finite() => Ok(s),
        _ => Err("a positive number of seconds is needed".to_string()),
    }
}

pub(super) fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        _ => None,
    };
    let bytes = digits.parse::<u64>().ok().zip(shift).and_then(|(n, shift)| n.checked_mul(1 << shift));
    bytes.filter(|n| *n > 0).ok_or_else(|| "a size is needed, such as 500000, 64K, 100M or 2G".to_string())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("a number from 1 on is needed; without --graph nothing is drawn".to_string()),
    }
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((k, n)) if (1..=n).contains(&k) => Ok((k, n)),
        _ => Err("K/N with 1 <= K <= N is needed, such as 2/8".to_string()),
    }
}
