//! `litmus model coverage`: which parts of a model tests notice.

use std::io::Write;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::explore::Mode;
use crate::generate::{Dialect, Vocabulary};
use crate::report::coverage as report;
use crate::session::{Settings, Suggest, coverage};

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
    /// With --suggest: edges of the cycles
    #[arg(long, value_name = "N", default_value = "2..4", value_parser = generate::sizes)]
    pub size: (usize, usize),
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
    settings.explore.timeout = args.timeout.map(Duration::from_secs_f64).or(settings.explore.timeout);
    settings.explore.interrupt = Some(interrupt_flag());
    let (inputs, errors) = tests_arg::collect(&args.tests);
    if let Some(message) = errors.first() {
        return Err(Stop::Usage(message.clone()));
    }
    let suggest = match args.suggest {
        false => None,
        true => {
            let dialect = model_diff::dialect_of(&args.model, &settings).unwrap_or(Dialect::X86);
            Some(Suggest { vocabulary: Vocabulary::all(dialect), sizes: args.size })
        }
    };
    let (jobs, _) = plan::workers(args.jobs, usize::MAX);
    let coverage = match coverage(&settings, &args.model, &inputs, jobs, suggest.as_ref()) {
        Ok(coverage) => coverage,
        Err(report) => {
            let _ = err.write_all(console.diagnostics(&report).as_bytes());
            return Ok(Exit::of_report(&report));
        }
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

/// Checks that none of the tests needs, a line each.
pub(super) fn unneeded(settings: &Settings, model: &str, tests: &[String]) -> Result<String, Stop> {
    if tests.is_empty() {
        return Ok(String::new());
    }
    let mut settings = settings.clone();
    settings.explore.mode = Mode::States;
    let (inputs, errors) = tests_arg::collect(tests);
    if let Some(message) = errors.first() {
        return Err(Stop::Usage(message.clone()));
    }
    let (jobs, _) = plan::workers(None, usize::MAX);
    let coverage = coverage(&settings, model, &inputs, jobs, None)
        .map_err(|_| Stop::Usage(format!("the model `{model}` has no answer for these tests")))?;
    Ok(report::unneeded(&coverage))
}
