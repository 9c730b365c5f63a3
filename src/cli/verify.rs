//! `litmus verify`.

use std::io::Write;
use std::time::Duration;

use crate::arch::ArchId;
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::Options;
use crate::diag::{self, Class, Diagnostic, Severity};
use crate::session;
use crate::source::{Sources, Span};
use crate::verify::{self, Answer, Verdict, load};

use super::args::VerifyArgs;
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
    for file in &args.files {
        let loaded = load(file, &reading, options);
        err.write_all(diag::render_all(&loaded.diagnostics, &loaded.sources, console.color_err).as_bytes())?;
        let Some(program) = &loaded.program else {
            exit = worse(exit, class_of(&loaded.diagnostics));
            continue;
        };
        if args.check {
            continue;
        }
        let settings = verify::Settings {
            unroll: args.unroll,
            keep_going: args.keep_going,
            timeout: args.timeout.map(Duration::from_secs_f64),
        };
        match verify::run(program, &prepared.model, &settings) {
            Ok(answer) => {
                let errors = &answer.errors;
                err.write_all(diag::render_all(errors, &loaded.sources, console.color_err).as_bytes())?;
                show(&file.display().to_string(), &answer, &loaded.sources, args, out)?;
                exit = worse(
                    exit,
                    match answer.verdict {
                        Verdict::Safe => Exit::Success,
                        Verdict::Unsafe => Exit::Failed,
                        Verdict::Unknown if !errors.is_empty() => class_of(errors),
                        Verdict::SafeUpTo(_) | Verdict::Unknown => Exit::Limit,
                    },
                );
            }
            Err(diagnostic) => {
                err.write_all(diag::render(&diagnostic, &loaded.sources, console.color_err).as_bytes())?;
                exit = worse(exit, class_of(&[diagnostic]));
            }
        }
    }
    Ok(exit)
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

fn place(span: Span, sources: &Sources) -> String {
    let (line, _) = sources.line_column(span);
    format!("{}:{line}", sources.get(span.source).name)
}

fn show(
    file: &str,
    answer: &Answer,
    sources: &Sources,
    args: &VerifyArgs,
    out: &mut (dyn Write + Send),
) -> std::io::Result<()> {
    let verdict = match answer.verdict {
        Verdict::Safe => "Safe".to_string(),
        Verdict::SafeUpTo(n) => format!("Safe up to {n}"),
        Verdict::Unsafe => "Unsafe".to_string(),
        Verdict::Unknown => "Unknown".to_string(),
    };
    writeln!(out, "{file}: {verdict} under {}", args.model)?;
    for violation in &answer.violations {
        let places: Vec<String> = violation.places.iter().map(|span| place(*span, sources)).collect();
        let at = if places.is_empty() { String::new() } else { format!(" at {}", places.join(" and ")) };
        let by = violation.thread.as_ref().map(|thread| format!(", by {thread}")).unwrap_or_default();
        writeln!(out, "  {}{at}{by}", violation.property)?;
        let width = violation.trace.iter().map(|step| step.thread.len()).max().unwrap_or(0);
        for step in &violation.trace {
            let text = if step.text.is_empty() { String::new() } else { format!("  {}", step.text) };
            writeln!(out, "    {:<width$}  {}{text}: {}", step.thread, place(step.span, sources), step.what)?;
        }
    }
    for cut in &answer.cuts {
        writeln!(out, "  a loop was cut at {}", place(*cut, sources))?;
    }
    writeln!(
        out,
        "  {} complete, {} blocked, {} cut, {} violating",
        answer.complete, answer.blocked, answer.cut, answer.violating
    )
}
