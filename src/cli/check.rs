//! `litmus check`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::{Options, Orders};
use crate::diag::{self, Class, Diagnostic, Severity};
use crate::program::shapes::Shapes;
use crate::report::{Item, Summary, several};
use crate::session::{Session, in_order};
use crate::verify;

use super::args::CheckArgs;
use super::console::{Console, Repeated};
use super::plan::{self, Resolved};
use super::{Done, Exit, tests_arg};

/// Reads and lowers tests: failures on standard error, a count of them by reason on standard output.
pub fn check(
    args: &CheckArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, .. } = plan::reading(&args.reading)?;
    settings.strict = args.strict;
    let (programs, tests): (Vec<String>, Vec<String>) =
        args.tests.tests.iter().cloned().partition(|arg| is_program(arg));
    if !programs.is_empty() && tests.is_empty() {
        return check_programs(&programs, console, out, err);
    }
    let (inputs, errors) = tests_arg::collect(&args.tests.tests);
    let mut summary = Summary { bad_input: errors.len(), ..Summary::default() };
    for message in errors {
        let _ = writeln!(err, "error: {message}");
    }
    let session = Session::new(settings);
    let (jobs, _) = plan::workers(args.jobs, inputs.len());
    // By code and, where the message names what is missing, by that: "unknown instruction" alone says too little.
    let mut reasons: BTreeMap<(&'static str, String), Vec<String>> = BTreeMap::new();
    let mut told = Repeated::default();
    in_order(
        inputs.len(),
        jobs,
        |index| session.check(&inputs[index]),
        |_, report| {
            summary.add(&Item { report: &report, judgement: None });
            let _ = err.write_all(console.diagnostics_once(&report, &mut told).as_bytes());
            if let Some(error) = report.error() {
                let key = (error.code, error.message.clone());
                reasons.entry(key).or_default().push(report.file.clone());
            }
            true
        },
    );
    let _ = err.write_all(told.summary().as_bytes());
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
    for ((code, message), files) in &reasons {
        writeln!(out, "{:>6}  {message} [{code}], first in {}", files.len(), files[0])?;
    }
    let failed = summary.tests - summary.answered;
    writeln!(out, "{} read, {failed} refused", several(summary.tests as u64, "test"))?;
    Ok(Exit::of(&summary, false))
}

/// A C file that is no litmus test: those begin with `C` and a name.
fn is_program(arg: &str) -> bool {
    let path = Path::new(arg);
    let named = path.extension().is_some_and(|end| end == "c" || end == "i");
    let text = || crate::limits::read_text(path).unwrap_or_default();
    named && {
        let text = text();
        let mut words = text.split_whitespace();
        words.next() != Some("C")
    }
}

/// Everything in programs that `litmus verify` does not support, each with its place.
fn check_programs(
    files: &[String],
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let (mut refused, mut bad) = (0, 0);
    let reading = preprocess::Settings::default();
    let paths: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let programs = verify::programs(&paths, &reading);
    for files in &programs {
        let options = Options {
            recursion: 16,
            orders: Orders::Sets,
            samples: false,
            uninitialised: false,
            marks_waits: false,
        };
        let loaded = verify::load(files, &reading, options, &Shapes::default());
        err.write_all(diag::render_all(&loaded.diagnostics, &loaded.sources, console.color_err).as_bytes())?;
        let errors: Vec<&Diagnostic> =
            loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        refused += usize::from(!errors.is_empty());
        bad += usize::from(errors.iter().any(|d| d.class != Class::Unsupported));
        for error in errors {
            let place = error.labels.first().map_or_else(String::new, |(span, _)| {
                let (line, _) = loaded.sources.line_column(*span);
                format!("{}:{line}: ", loaded.sources.get(span.source).name)
            });
            writeln!(out, "{place}{} [{}]", error.message, error.code)?;
        }
    }
    writeln!(out, "{} read, {refused} refused", several(programs.len() as u64, "program"))?;
    Ok(match (bad, refused) {
        (0, 0) => Exit::Success,
        (0, _) => Exit::Unsupported,
        _ => Exit::BadInput,
    })
}
