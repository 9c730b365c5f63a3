//! `litmus herd`: herd7's command line.

use std::io::Write;

use crate::explore::Engine;
use crate::limits;
use crate::report::Log;
use crate::report::graph::Style;
use crate::report::herd::Style as LogStyle;
use crate::session::Input;

use super::args::HerdArgs;
use super::console::Console;
use super::drawing::{Drawing, Form, Place};
use super::herd_options::{HerdOptions, find, searched};
use super::herd_table::{Class, OPTIONS};
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
    let drawing = drawing(&options)?;
    if options.tests.is_empty() {
        // As herd7: names of tests on standard input.
        options.tests =
            std::io::stdin().lines().map_while(Result::ok).filter(|line| !line.is_empty()).collect();
    }
    let (mut inputs, input_errors) = tests_arg::collect(&options.tests);
    if options.only.is_some() || !options.except.is_empty() {
        inputs.retain(|input| header_name(input).is_none_or(|name| options.selects(&name)));
    }
    let mut settings = settings_of(&options);
    settings.skips_are_hints = true;
    if options.candidates {
        // Only who tries all of them can count them.
        settings.explore.engine = Engine::Naive;
    }
    if drawing.is_some() {
        settings.shown = options.graphs.request();
    }
    let (jobs, inner) = workers(None, inputs.len());
    settings.explore.jobs = inner;
    let draws = settings.shown.is_some();
    let mut plan = RunPlan {
        drawing,
        hexa: options.hexa,
        stop_at_error: options.exit,
        each_once: true,
        ..RunPlan::plain((inputs, input_errors), options.model.clone(), settings, jobs)
    };
    let style = LogStyle {
        hexa: options.hexa,
        brackets: options.brackets,
        candidates: options.candidates,
        bad_flag: options.bad_flag.clone(),
        time: None,
    };
    let console = Console {
        quiet: console.quiet || options.quiet,
        verbose: console.verbose.max(options.verbose),
        ..*console
    };
    let unused = &options.graphs.unused;
    if draws && !unused.is_empty() {
        console.note(err, &format!("no effect on our graphs: {}", unused.join(", ")));
    }
    let ended = drive(&mut plan, &mut Log::new(style), &console, out, err)?;
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

/// `-o`, with what is to be drawn there.
fn drawing(options: &HerdOptions) -> Result<Option<Drawing>, Stop> {
    let Some(output) = &options.output else { return Ok(None) };
    let graphs = &options.graphs;
    let place = match output.as_str() {
        "-" => Place::HerdOutput(graphs.program().to_string()),
        folder => Place::HerdFile { folder: folder.into(), suffix: options.suffix.clone() },
    };
    let style = Style { hexa: options.hexa, brackets: options.brackets, ..graphs.style.clone() };
    let mut drawing = Drawing::new(place, Form::Dot, style);
    if let Some(name) = &graphs.header {
        let Some(path) = find(name, &options.include) else {
            return Err(Stop::Usage(format!(
                "`-dotheader`: cannot find `{name}`{}",
                searched(&options.include)
            )));
        };
        drawing.header = limits::read_text(&path)
            .map_err(|error| Stop::Usage(format!("cannot read `{}`: {error}", path.display())))?;
    }
    Ok(Some(drawing))
}

fn help() -> String {
    let names = |wanted: &dyn Fn(&Class) -> bool| {
        let names: Vec<String> = OPTIONS
            .iter()
            .filter(|(_, _, class)| wanted(class))
            .map(|(name, ..)| format!("-{name}"))
            .collect();
        filled(&names)
    };
    let mut refused = String::new();
    for (name, _, class) in OPTIONS {
        match class {
            Class::Only(value, why) => refused += &format!("  -{name}, unless {value}: {why}\n"),
            Class::Absent(why) => refused += &format!("  -{name}: {why}\n"),
            Class::Ours | Class::Graph | Class::Layout => {}
        }
    }
    format!(
        "Usage: litmus herd [OPTION]... [TEST]...\n\nTaken, as herd7 takes them:\n{}\nGraphs (with -o):\n{}\nTaken, without effect on \
         our graphs:\n{}\nRefused:\n{refused}\n{}\n",
        names(&|class| *class == Class::Ours),
        names(&|class| *class == Class::Graph),
        names(&|class| *class == Class::Layout),
        super::help::HERD
    )
}

/// Words in lines of a readable length.
fn filled(words: &[String]) -> String {
    let mut text = String::new();
    let mut line = String::from(" ");
    for word in words {
        if line.len() + word.len() + 1 > 100 {
            text += &format!("{line}\n");
            line = String::from(" ");
        }
        line += &format!(" {word}");
    }
    text + &format!("{line}\n")
}

/// The name in a test's header line, without parsing the test: as herd7 selects tests by name.
fn header_name(input: &Input) -> Option<String> {
    let Input::File(path) = input else { return None };
    let bytes = limits::read_file(path, limits::MAX_TEXT).ok()?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let line = bytes.split(|b| *b == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let name = line.split_whitespace().nth(1)?;
    if name == "--" {
        return Some(path.file_stem()?.to_string_lossy().into_owned());
    }
    Some(name.strip_suffix(".litmus").unwrap_or(name).to_string())
}
