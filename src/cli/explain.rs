//! `litmus explain`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::explain::{Answer, Explanation};
use crate::litmus::Lowered;
use crate::report::explain;
use crate::report::graph::{self, Graph, Style};
use crate::report::html::Opens;
use crate::report::{Format, Html, Item, Summary};
use crate::session::{Input, Session};

use super::args::{Bounds, Reading};
use super::console::Console;
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop, tests_arg};

// The arguments.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// The test: a file, or `-` for standard input
    #[arg(value_name = "TEST", add = super::complete::tests())]
    pub test: String,
    /// The model: a file, or the name of one of ours [default: that of the test's architecture]
    #[arg(short, long = "model", value_name = "MODEL", add = super::complete::models())]
    pub model: Option<String>,
    /// The outcome to account for, as a condition says it: '1:X0=1 /\\ 1:X2=0' [default: that of the test]
    #[arg(long, value_name = "CONDITION")]
    pub outcome: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub bounds: Bounds,
    /// The form of the explanation
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    pub format: ExplainFormat,
    /// Also look for the smallest sets of fences or stronger accesses that forbid the outcome
    #[arg(long)]
    pub fix: bool,
    /// Write the page, or pictures, to FILE; of several pictures, the second is FILE-2, and so on
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The form of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExplainFormat {
    /// Words
    Text,
    /// For programs
    Json,
    /// A picture of each reason, the cycle highlighted
    Svg,
    /// The same for Graphviz
    Dot,
    /// A page for a browser: the explanation, the other outcomes, and their executions
    Html,
}

/// Says why an outcome can, or cannot, happen.
pub fn explain(
    args: &ExplainArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, model, .. } = plan::reading(&args.reading)?;
    args.bounds.apply(&mut settings);
    let (inputs, errors) = tests_arg::collect(std::slice::from_ref(&args.test));
    if let Some(message) = errors.into_iter().next() {
        return Err(Stop::Usage(message));
    }
    let model = args.model.clone().or(model);
    if args.format == ExplainFormat::Html {
        settings.depth = Some(plan::depth(4, &[], inputs.len()));
        return page(args, &Session::new(settings), &inputs, model.as_deref(), console, out, err);
    }
    let session = Session::new(settings);
    let mut exit = Exit::Success;
    for input in &inputs {
        let start = Instant::now();
        let explained = session.explain(input, model.as_deref(), args.outcome.as_deref());
        let late = args.bounds.timeout.is_some_and(|limit| start.elapsed().as_secs_f64() >= limit);
        err.write_all(console.diagnostics(&explained.report).as_bytes())?;
        match &explained.answer {
            Some((test, explanation)) => {
                show(args, test, explanation, out)?;
                let allowed = matches!(explanation.answer, Answer::Allowed { .. });
                if late && matches!(explanation.answer, Answer::Forbidden { incomplete: true, .. }) {
                    exit = Exit::Limit;
                }
                if args.fix && allowed && args.format == ExplainFormat::Text {
                    let fenced = session.repair(input, model.as_deref(), args.outcome.as_deref());
                    if let Some((_, repairs)) = fenced.answer {
                        write!(out, "\n{}", explain::repairs(&repairs))?;
                    }
                }
            }
            None => exit = Exit::of_report(&explained.report),
        }
    }
    Ok(exit)
}

/// The explanation as a page, with everything around it.
fn page(
    args: &ExplainArgs,
    session: &Session,
    inputs: &[Input],
    model: Option<&str>,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let name = model.unwrap_or("default").to_string();
    let mut page = Html::new(vec![name], Opens::Why, Style::default());
    let mut text = Vec::new();
    let mut summary = Summary::default();
    let start = Instant::now();
    page.begin(&mut text)?;
    for input in inputs {
        let mut report = session.run(input, model);
        if args.outcome.is_some() && report.answer.is_some() {
            let explained = session.explain(input, model, args.outcome.as_deref());
            match explained.answer {
                Some((_, explanation)) => {
                    if let Some(details) = &mut report.details {
                        details.question = Some(explanation);
                    }
                }
                // What is wrong with the outcome asked about is wrong with the question.
                None => report = explained.report,
            }
        }
        err.write_all(console.diagnostics(&report).as_bytes())?;
        let item = Item { report: &report, judgement: None };
        summary.add(&item);
        page.test(&item, &mut text)?;
    }
    summary.seconds = start.elapsed().as_secs_f64();
    page.end(&summary, &mut text)?;
    match &args.output {
        None => out.write_all(&text)?,
        Some(path) => std::fs::write(path, text)
            .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))?,
    }
    Ok(Exit::of(&summary, false))
}

/// The explanation in the form asked for.
fn show(
    args: &ExplainArgs,
    test: &Lowered,
    explanation: &Explanation,
    out: &mut (dyn Write + Send),
) -> Result<(), Stop> {
    let style = Style::default();
    let draw = |graph: &Graph| match args.format {
        ExplainFormat::Dot => graph::dot(graph, &style),
        _ => graph::svg(graph),
    };
    match args.format {
        ExplainFormat::Text => out.write_all(explain::text(explanation).as_bytes())?,
        ExplainFormat::Json => {
            let text = serde_json::to_string_pretty(explanation).map_err(std::io::Error::from)?;
            writeln!(out, "{text}")?;
        }
        ExplainFormat::Html | ExplainFormat::Svg | ExplainFormat::Dot => {
            for (index, graph) in explain::pictures(explanation, test, &style).iter().enumerate() {
                match &args.output {
                    None => out.write_all(draw(graph).as_bytes())?,
                    Some(path) => std::fs::write(numbered(path, index), draw(graph))?,
                }
            }
        }
    }
    Ok(())
}

/// The path of the n-th picture.
fn numbered(path: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{}{extension}", index + 1))
}
