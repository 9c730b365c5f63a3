//! `litmus check`.

use std::collections::BTreeMap;
use std::io::Write;

use crate::report::{Item, Summary, several};
use crate::session::{Session, in_order};

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
