//! `litmus model coverage`: which parts of a model tests notice.

use std::io::Write;

use clap::{Args, ValueEnum};

use crate::explore::Mode;
use crate::generate::{Dialect, Vocabulary};
use crate::report::{coverage as report, several};
use crate::session::{Coverage, Input, Settings, Sizes, Suggest, coverage};

use super::args::{Reading, seconds};
use super::console::{Console, interrupt_flag};
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop, generate, model_diff, tests_arg};

#[derive(Args, Debug)]
pub struct ModelCoverageArgs {
    /// The model
    #[arg(value_name = "MODEL", add = super::complete::models())]
    pub model: String,
    /// Tests: files, folders, lists (repeatable)
    #[arg(long, value_name = "TEST", required = true, num_args = 1..)]
    pub tests: Vec<String>,
    /// For each change that no test notices, look for one that would
    #[arg(long)]
    pub suggest: bool,
    /// With --suggest: edges of the cycles [default: 2 to 4; up to 6 where there are few tests]
    #[arg(long, value_name = "N", value_parser = generate::sizes)]
    pub size: Option<(usize, usize)>,
    /// text: what no test notices; listing: the model with marks; json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: CoverageFormat,
    #[command(flatten)]
    pub reading: Reading,
    /// Time limit per test, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Worker threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CoverageFormat {
    Text,
    Listing,
    Json,
}

/// Looks for parts of a model that no test notices.
pub fn cover(
    args: &ModelCoverageArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, .. } = plan::reading(&args.reading)?;
    settings.explore.mode = Mode::States;
    settings.explore.timeout = args.timeout.map(plan::duration).or(settings.explore.timeout);
    settings.explore.interrupt = Some(interrupt_flag());
    let (inputs, errors) = tests_arg::collect(&args.tests);
    if let Some(message) = errors.first() {
        return Err(Stop::Usage(message.clone()));
    }
    let suggest = match args.suggest {
        false => None,
        true => {
            let dialect = model_diff::dialect_of(&args.model, &settings).unwrap_or(Dialect::X86);
            let sizes = match args.size {
                Some((from, to)) => Sizes { from, to, further: to, few: 0 },
                None => model_diff::SIZES,
            };
            Some(Suggest { vocabulary: Vocabulary::all(dialect), sizes })
        }
    };
    let (jobs, _) = plan::workers(args.jobs, usize::MAX);
    let coverage = match covered(&settings, &args.model, &inputs, jobs, suggest.as_ref(), console, err) {
        Ok(coverage) => coverage,
        Err(exit) => return Ok(exit),
    };
    let mut exit = Exit::Success;
    for report in &coverage.unanswered {
        let _ = err.write_all(console.diagnostics(report).as_bytes());
        exit = Exit::of_report(report);
    }
    match args.format {
        CoverageFormat::Text => write!(out, "{}", report::text(&coverage, &args.model))?,
        CoverageFormat::Listing => write!(out, "{}", report::listing(&coverage))?,
        CoverageFormat::Json => {
            let record = report::record(&coverage, &args.model);
            serde_json::to_writer_pretty(&mut *out, &record).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(exit)
}

/// The coverage, if there are tests to cover anything.
fn covered(
    settings: &Settings,
    model: &str,
    inputs: &[Input],
    jobs: usize,
    suggest: Option<&Suggest>,
    console: &Console,
    err: &mut (dyn Write + Send),
) -> Result<Coverage, Exit> {
    if let Some(exit) = super::model::unreadable([&model.to_string()], settings, console, err) {
        return Err(exit);
    }
    let coverage = coverage(settings, model, inputs, jobs, suggest).map_err(|report| {
        let _ = err.write_all(console.diagnostics(&report).as_bytes());
        Exit::of_report(&report)
    })?;
    if coverage.tests > 0 {
        return Ok(coverage);
    }
    for report in &coverage.unanswered {
        let _ = err.write_all(console.diagnostics(report).as_bytes());
    }
    let why = match coverage.foreign {
        0 => String::new(),
        foreign => format!(": {} for other architectures", several(foreign as u64, "test")),
    };
    let _ = writeln!(err, "error: there is no test that `{model}` has an answer for{why}");
    Err(Exit::BadInput)
}

/// Checks that none of the tests needs, a line each.
pub(super) fn unneeded(
    settings: &Settings,
    model: &str,
    tests: &[String],
    console: &Console,
    err: &mut (dyn Write + Send),
) -> Result<Result<String, Exit>, Stop> {
    if tests.is_empty() {
        return Ok(Ok(String::new()));
    }
    let mut settings = settings.clone();
    settings.explore.mode = Mode::States;
    let (inputs, errors) = tests_arg::collect(tests);
    if let Some(message) = errors.first() {
        return Err(Stop::Usage(message.clone()));
    }
    let (jobs, _) = plan::workers(None, usize::MAX);
    Ok(covered(&settings, model, &inputs, jobs, None, console, err)
        .map(|coverage| report::unneeded(&coverage)))
}
