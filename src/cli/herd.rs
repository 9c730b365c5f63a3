//! `litmus herd`: herd7's command line.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::outcome::Expectations;
use crate::report::herd::Style;
use crate::report::{Format, Item, Log};

use super::args::{FormatArg, HerdArgs};
use super::console::Console;
use super::herd_options::{HerdOptions, Speedcheck};
use super::plan::{RunPlan, settings_of, workers};
use super::run::drive;
use super::{Done, Exit, Stop, tests_arg};

/// Runs tests as herd7 would.
pub fn herd(
    args: &HerdArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    if args.args.iter().any(|arg| matches!(arg.as_str(), "-help" | "--help" | "-h")) {
        write!(out, "{}", help())?;
        return Ok(Exit::Success);
    }
    if args.args.iter().any(|arg| matches!(arg.as_str(), "-version" | "--version")) {
        writeln!(out, "litmus {}", super::VERSION)?;
        return Ok(Exit::Success);
    }
    let mut options = HerdOptions::parse(&args.args)?;
    if options.show.is_some() && options.output.is_some() {
        return Err(Stop::Unsupported(
            "herd7's `-show` with `-o` (drawing executions) is not supported".to_string(),
        ));
    }
    if options.tests.is_empty() {
        // As herd7: names of tests on standard input.
        options.tests =
            std::io::stdin().lines().map_while(Result::ok).filter(|line| !line.is_empty()).collect();
    }
    let (mut inputs, input_errors) = tests_arg::collect(&options.tests);
    if options.only.is_some() || !options.except.is_empty() {
        inputs.retain(|input| super::resume::header_name(input).is_none_or(|name| options.selects(&name)));
    }
    let mut settings = settings_of(&options);
    let (jobs, inner) = workers(None, inputs.len());
    settings.explore.jobs = inner;
    let mut plan = RunPlan {
        inputs,
        input_errors,
        models: vec![options.model.clone()],
        settings,
        jobs,
        format: FormatArg::Herd,
        output: None,
        kept: Vec::new(),
        n_kept: 0,
        expectations: Expectations::default(),
        strict: false,
        stats: false,
        hexa: options.hexa,
        stop_at_error: options.exit,
        each_once: true,
    };
    let style = Style {
        hexa: options.hexa,
        brackets: options.brackets,
        candidates: options.candidates,
        bad_flag: options.bad_flag.clone(),
        speedcheck: options.speedcheck != Speedcheck::False,
        time: None,
    };
    let console = Console { quiet: console.quiet || options.quiet, verbose: console.verbose, ..*console };
    let ended =
        drive(&mut plan, &mut Distinct { log: Log::new(style), seen: BTreeSet::new() }, &console, out, err)?;
    // herd7's codes: a test that fails does not count; a model that does not load, or an argument that is no test, does.
    Ok(if ended.interrupted {
        Exit::Interrupted
    } else if ended.model_failed || !plan.input_errors.is_empty() {
        Exit::BadInput
    } else if options.exit && ended.summary.answered < ended.summary.tests {
        Exit::Failed
    } else {
        Exit::Success
    })
}

/// As herd7: a test with a name and hash already seen is not told twice.
struct Distinct {
    log: Log,
    seen: BTreeSet<(String, Vec<String>)>,
}

impl Format for Distinct {
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        let Some(answer) = &item.report.answer else { return Ok(()) };
        if !self.seen.insert((answer.test.name.clone(), answer.test.hashes.clone())) {
            return Ok(());
        }
        self.log.test(item, out)
    }
}

fn help() -> String {
    format!("Usage: litmus herd [OPTION]... [TEST]...\n\n{}\n", super::help::HERD)
}
