//! `litmus verify`.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::arch::ArchId;
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::{Options, Orders};
use crate::diag::{self, Class, Diagnostic, Severity};
use crate::report::program::{self, Checked, Detail};
use crate::session;
use crate::source::Sources;
use crate::verify::{self, Answer, Kind, Loaded, Verdict, load};

use super::args::{IgnoreArg, TraceArg, VerifyArgs, VerifyFormatArg};
use super::console::Console;
use super::{Done, Exit};

/// How deep functions may call themselves without a bound.
const RECURSION: usize = 16;

/// Checks programs.
pub fn verify(
    args: &VerifyArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let settings = session::Settings { include: args.include.clone(), ..session::Settings::default() };
    let prepared = match session::prepare_model(&settings, &args.model, ArchId::C) {
        Ok(prepared) => prepared,
        Err(failure) => {
            let text = diag::render_all(&failure.diagnostics, &failure.sources, console.color_err);
            err.write_all(text.as_bytes())?;
            return Ok(Exit::BadInput);
        }
    };
    let orders = match verify::orders_for(&prepared.model, prepared.arch) {
        Ok(orders) => orders,
        Err(diagnostic) => {
            err.write_all(diag::render(&diagnostic, &Sources::new(), console.color_err).as_bytes())?;
            return Ok(Exit::Unsupported);
        }
    };
    let reading = preprocess::Settings { defines: args.define.clone(), folders: args.include.clone() };
    let options = Options { recursion: args.unroll.map_or(RECURSION, |n| n as usize), orders };
    let mut exit = Exit::Success;
    let mut all = Vec::new();
    for file in &args.files {
        let start = Instant::now();
        let Loaded { program, mut diagnostics, sources, .. } = load(file, &reading, options);
        err.write_all(diag::render_all(&diagnostics, &sources, console.color_err).as_bytes())?;
        let answer = match &program {
            Some(program) if !args.check => {
                match verify::run(program, &prepared.model, &settings_of(args, orders)) {
                    Ok(answer) => Some(answer),
                    Err(diagnostic) => {
                        err.write_all(diag::render(&diagnostic, &sources, console.color_err).as_bytes())?;
                        diagnostics.push(diagnostic);
                        None
                    }
                }
            }
            _ => None,
        };
        if let Some(answer) = &answer {
            err.write_all(diag::render_all(&answer.errors, &sources, console.color_err).as_bytes())?;
        }
        exit = worse(exit, exit_of(answer.as_ref(), &diagnostics));
        let checked = Checked {
            file: file.display().to_string(),
            model: args.model.clone(),
            answer,
            diagnostics,
            sources,
            seconds: start.elapsed().as_secs_f64(),
        };
        match args.format {
            VerifyFormatArg::Text => out.write_all(program::text(&checked, detail(args.trace)).as_bytes())?,
            _ => all.push(checked),
        }
    }
    let document = match args.format {
        VerifyFormatArg::Text => String::new(),
        VerifyFormatArg::Json => program::json(&all),
        VerifyFormatArg::Junit => program::junit(&all),
        VerifyFormatArg::Sarif => program::sarif(&all),
    };
    out.write_all(document.as_bytes())?;
    Ok(exit)
}

fn settings_of(args: &VerifyArgs, orders: Orders) -> verify::Settings {
    let kind = |ignored: &IgnoreArg| match ignored {
        IgnoreArg::Race => Kind::Race,
        IgnoreArg::Lock => Kind::Lock,
        IgnoreArg::Deadlock => Kind::Deadlock,
        IgnoreArg::Liveness => Kind::Liveness,
        IgnoreArg::Memory => Kind::Memory,
    };
    verify::Settings {
        unroll: args.unroll,
        keep_going: args.keep_going,
        timeout: args.timeout.map(Duration::from_secs_f64),
        orders,
        ignore: args.ignore.iter().map(kind).collect(),
        races: args.races,
        fewer_blocked: args.fewer_blocked,
    }
}

fn detail(arg: TraceArg) -> Detail {
    match arg {
        TraceArg::Short => Detail::Short,
        TraceArg::Full => Detail::Full,
        TraceArg::Graph => Detail::Graph,
    }
}

fn exit_of(answer: Option<&Answer>, diagnostics: &[Diagnostic]) -> Exit {
    match answer.map(|answer| answer.verdict) {
        Some(Verdict::Safe) => Exit::Success,
        Some(Verdict::Unsafe) => Exit::Failed,
        Some(Verdict::Unknown) if answer.is_some_and(|answer| !answer.errors.is_empty()) => {
            class_of(answer.map_or(&[], |answer| &answer.errors))
        }
        Some(Verdict::SafeUpTo(_) | Verdict::Unknown) => Exit::Limit,
        None if diagnostics.iter().all(|d| d.severity != Severity::Error) => Exit::Success,
        None => class_of(diagnostics),
    }
}

fn class_of(diagnostics: &[Diagnostic]) -> Exit {
    let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    if errors.all(|d| d.class == Class::Unsupported) { Exit::Unsupported } else { Exit::BadInput }
}

/// The first of bad input, unsupported, violated, limit.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::BadInput => 4,
        Exit::Unsupported => 3,
        Exit::Failed => 2,
        Exit::Limit => 1,
        _ => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}
