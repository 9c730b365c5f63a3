//! `litmus diff`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::limits;
use crate::outcome::{Hashes, Log, Renaming, Width, compare, rename};
use crate::report::herd::Style;
use crate::report::{DiffOptions, Log as LogFormat, Side, Soundness, write_diff};

use super::args::{PortFormat, Reading, seconds};
use super::console::Console;
use super::plan::{self, Resolved, RunPlan};
use super::run::drive;
use super::{Done, Exit, MAX_LOG, Stop, complete, records, tests_arg};

#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The first log: ours, herd7's or litmus7's; `-`: standard input
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The second log; with --run: tests to run
    #[arg(value_name = "B", required = true)]
    pub b: Vec<String>,
    /// Run the tests B and compare their outcomes with the log A
    #[arg(long)]
    pub run: bool,
    /// The model of --run
    #[arg(short, long = "model", value_name = "MODEL", requires = "run", add = complete::models())]
    pub model: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// With --run: unroll loops N times (a test's own Unroll= wins) [default: 2]
    #[arg(long, value_name = "N", requires = "run")]
    pub unroll: Option<u32>,
    /// With --run: worker threads [default: one per core]
    #[arg(short, long, value_name = "N", requires = "run", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// With --run: time limit per test, in seconds
    #[arg(long, value_name = "S", requires = "run", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Leave out tests that agree
    #[arg(long)]
    pub only_differences: bool,
    /// A is a log of hardware: say only what was observed though B forbids it, and how often (exit code 5)
    #[arg(long, conflicts_with_all = ["only_differences", "counts"])]
    pub soundness: bool,
    /// With --soundness: text, or one JSON object
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", requires = "soundness")]
    pub format: PortFormat,
    /// What B calls the registers and locations of A, as for a C test and its assembly: `r0=X3`, or `0:r0=0:X3` in one thread. What
    /// only one of them shows is left out, hashes do not matter
    #[arg(long, value_name = "A=B", value_delimiter = ',')]
    pub map: Vec<Renaming>,
    /// Match tests by name alone, whatever their hashes
    #[arg(long)]
    pub no_hash: bool,
    /// Numbers of witnesses must agree, too
    #[arg(long)]
    pub counts: bool,
    /// Compare numbers at 64 bits, not at 32
    #[arg(long)]
    pub int64: bool,
}

/// Compares two logs, or a log and a run.
pub fn diff(
    args: &DiffArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    if args.a == Path::new("-") && args.b.iter().any(|b| b == "-") {
        return Err(Stop::Usage("standard input (`-`) can be read only once".to_string()));
    }
    let width = if args.int64 { Width::Int64 } else { Width::Int32 };
    let mut left = read_log(&args.a, width, err)?;
    let left_side = Side::of(args.a.display().to_string(), &left);
    let mut failed = Exit::Success;
    let (mut right, right_side) = if args.run {
        let (text, exit) = run_tests(args, console, err)?;
        failed = exit;
        (Log::read(&text, width), Side::run())
    } else {
        let [path] = args.b.as_slice() else {
            return Err(Stop::Usage("two logs are compared; give --run to run tests".to_string()));
        };
        let log = read_log(Path::new(path), width, err)?;
        let side = Side::of(path.clone(), &log);
        (log, side)
    };
    if args.soundness && right_side.hardware {
        let (a, b) = (&left_side.name, &right_side.name);
        let message = match left_side.hardware {
            true => format!("--soundness: `{b}` has histograms of a run on hardware, which forbids nothing"),
            false => format!(
                "--soundness: `{b}` has histograms of a run on hardware and `{a}` has none: give the log of the hardware first"
            ),
        };
        return Err(Stop::Usage(message));
    }
    if !args.map.is_empty() {
        let out = rename(&mut left, &mut right, &args.map).map_err(Stop::Usage)?;
        for (places, side) in [(out.left, &left_side), (out.right, &right_side)] {
            let places: Vec<String> = places.into_iter().collect();
            if !places.is_empty() {
                console.note(err, &format!("not compared, only in {}: {}", side.name, places.join(", ")));
            }
        }
    }
    let hashes = if args.no_hash || !args.map.is_empty() { Hashes::Ignored } else { Hashes::Matter };
    let differences = compare(&left, &right, hashes);
    if args.soundness {
        let found = Soundness::new(&differences, &left_side, &right_side);
        match args.format {
            PortFormat::Text => found.write(out)?,
            PortFormat::Json => {
                let text = serde_json::to_string(&found).map_err(std::io::Error::from)?;
                writeln!(out, "{text}")?;
            }
        }
        return Ok(match (failed, found) {
            (Exit::BadInput | Exit::Interrupted, _) => failed,
            (_, Soundness { unsound: 1.., .. }) => Exit::Unsound,
            (Exit::Unsupported, _) => Exit::BadInput,
            (Exit::Limit, _) | (_, Soundness { undecided: 1.., .. }) => Exit::Limit,
            _ => Exit::Success,
        });
    }
    let options = DiffOptions { only_differences: args.only_differences, counts: args.counts };
    let tally = write_diff(out, &differences, &left_side, &right_side, options)?;
    Ok(match failed {
        Exit::Success | Exit::Failed => {
            if tally.equal() {
                Exit::Success
            } else {
                Exit::Failed
            }
        }
        Exit::Unsupported | Exit::Limit => Exit::BadInput,
        other => other,
    })
}

fn read_log(path: &Path, width: Width, err: &mut (dyn Write + Send)) -> Result<Log, Stop> {
    let shown = path.display();
    if path.is_dir() {
        return read_folder(path, width, err);
    }
    let bytes = match path.to_str() {
        Some("-") => limits::read_all(std::io::stdin(), MAX_LOG),
        _ => limits::read_file(path, MAX_LOG),
    };
    let bytes = bytes.map_err(|error| Stop::Usage(format!("cannot read the log `{shown}`: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let log = match records::looks_like_jsonl(&text) {
        true => Log::read(&as_log(&text, path)?, width),
        false => Log::read(&text, width),
    };
    for (name, line) in &log.broken {
        let _ = writeln!(err, "{shown}:{line}: the block of {name} breaks off: passed over");
    }
    if !log.tests.is_empty() || !log.broken.is_empty() {
        return Ok(log);
    }
    Err(Stop::Usage(format!("there is no test in `{shown}`: is it a log of herd7, litmus7 or ours?")))
}

/// Results of `--format jsonl` as the log that the run would have printed.
fn as_log(text: &str, path: &Path) -> Result<String, Stop> {
    Ok(records::read(text, path)?.iter().filter_map(records::Saved::block).collect())
}

/// All logs of a folder, as one.
fn read_folder(folder: &Path, width: Width, err: &mut (dyn Write + Send)) -> Result<Log, Stop> {
    let shown = folder.display();
    let entries = std::fs::read_dir(folder);
    let entries =
        entries.map_err(|error| Stop::Usage(format!("cannot read the folder `{shown}`: {error}")))?;
    let is_log = |path: &Path| path.extension().is_some_and(|end| end == "log" || end == "jsonl");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| is_log(path)).collect();
    paths.sort();
    if paths.is_empty() {
        return Err(Stop::Usage(format!("there is no .log and no .jsonl file in the folder `{shown}`")));
    }
    let mut all = Log::default();
    for path in paths {
        let log = read_log(&path, width, err)?;
        all.tests.extend(log.tests);
        all.broken.extend(log.broken);
    }
    Ok(all)
}

/// The log of the tests `B`.
fn run_tests(
    args: &DiffArgs,
    console: &Console,
    err: &mut (dyn Write + Send),
) -> Result<(String, Exit), Stop> {
    let Resolved { mut settings, model, .. } = plan::reading(&args.reading)?;
    let (inputs, input_errors) = tests_arg::collect(&args.b);
    settings.unroll = args.unroll.or(settings.unroll);
    settings.explore.timeout = args.timeout.map(plan::duration).or(settings.explore.timeout);
    let (jobs, inner) = plan::workers(args.jobs, inputs.len());
    settings.explore.jobs = inner;
    let model = args.model.clone().or(model);
    let mut plan = RunPlan::plain((inputs, input_errors), model, settings, jobs);
    let mut log = Vec::new();
    let ended = drive(&mut plan, &mut LogFormat::new(Style::default()), console, &mut log, err)?;
    let exit = if ended.interrupted { Exit::Interrupted } else { Exit::of(&ended.summary, false) };
    Ok((String::from_utf8_lossy(&log).into_owned(), exit))
}
