//! `litmus bench wmm`: programs that grow, and how long a verdict takes.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use super::args::EngineArg;
use super::bench::BenchArgs;
use super::console::Console;
use super::{Done, Exit, Stop, plan};
use crate::arch::ArchId;
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::Options;
use crate::bench::wmm;
use crate::diag;
use crate::limits::{self, Budget};
use crate::program::shapes::Shapes;
use crate::report::several;
use crate::session;
use crate::source::Sources;
use crate::verify::{self, By, Engine, Verdict};

/// The families of programs: name, is the program safe, and what it is.
pub const FAMILIES: [(&str, bool, &str); 2] = [
    ("wmm", false, "programs: three threads with explicit store buffers, N blocks each; unsafe"),
    ("wmm-safe", true, "the same, with every buffer flushed and fences; safe"),
];

/// Generates and measures programs of these sizes.
pub fn bench(
    args: &BenchArgs,
    safe: bool,
    sizes: &[usize],
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    if let Some(folder) = &args.emit {
        let failed =
            |error: std::io::Error| Stop::Usage(format!("cannot write to `{}`: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(failed)?;
        for size in sizes {
            fs::write(folder.join(format!("{}-{size}.c", args.family)), wmm(*size, safe)).map_err(failed)?;
        }
        let _ = writeln!(err, "{} in {}", several(sizes.len() as u64, "program"), folder.display());
        return Ok(Exit::Success);
    }
    let engine = match args.search.engine {
        EngineArg::Auto => Engine::Auto,
        EngineArg::Grow => Engine::Grow,
        EngineArg::Sat => Engine::Sat,
        _ => return Err(Stop::Usage("programs are run by --engine grow, sat or auto".to_string())),
    };
    let prepared = session::prepare_model(&session::Settings::default(), &args.model, ArchId::C);
    let prepared = prepared.map_err(|failure| {
        Stop::Usage(diag::render_all(&failure.diagnostics, &failure.sources, console.color_err))
    })?;
    let said = |diagnostic: diag::Diagnostic, sources: &Sources| {
        Stop::Usage(diag::render(&diagnostic, sources, console.color_err))
    };
    let orders = verify::orders_for(&prepared.model, prepared.arch);
    let orders = orders.map_err(|diagnostic| said(diagnostic, &Sources::new()))?;
    let settings =
        verify::Settings { orders, engine, ignore: vec![verify::Kind::Race], ..verify::Settings::default() };
    writeln!(out, "{} under {}", args.family, args.model)?;
    writeln!(
        out,
        "{:>6} {:>7} {:>8} {:>9} {:>8} {:>10}  verdict",
        "size", "lines", "accesses", "proposals", "reasons", "seconds"
    )?;
    let mut exit = Exit::Success;
    for size in sizes {
        let text = wmm(*size, safe);
        let lines = text.lines().count();
        let start = Instant::now();
        let process = limits::current();
        let timeout = args.search.bounds.each.timeout.map(plan::duration);
        let budget = Budget::starting_now(timeout, process.memory, process.interrupt);
        let options = Options { recursion: 4, orders, samples: true, uninitialised: true, marks_waits: true };
        let reading = preprocess::Settings::default();
        let loaded = verify::load_text(Path::new(&args.family), text, &reading, options, &Shapes::default());
        let Some(program) = loaded.program else {
            err.write_all(
                diag::render_all(&loaded.diagnostics, &loaded.sources, console.color_err).as_bytes(),
            )?;
            return Ok(Exit::BadInput);
        };
        let ran = budget.run(|| verify::run(&program, &prepared.model, &settings));
        let seconds = start.elapsed().as_secs_f64();
        let answer = match ran {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(diagnostic)) => return Err(said(diagnostic, &loaded.sources)),
            Err(_) => None,
        };
        let (accesses, proposals, reasons) = match answer.as_ref().map(|answer| answer.by) {
            Some(By::Solver(stats)) => {
                (stats.events.to_string(), stats.proposals.to_string(), stats.reasons.to_string())
            }
            _ => ("-".to_string(), "-".to_string(), "-".to_string()),
        };
        let verdict = match answer.map(|answer| answer.verdict) {
            Some(Verdict::Safe) => "safe",
            Some(Verdict::Unsafe) => "unsafe",
            Some(Verdict::SafeUpTo(_)) => "safe up to a bound",
            Some(Verdict::Unknown) | None => "none: a limit was hit",
        };
        writeln!(
            out,
            "{size:>6} {lines:>7} {accesses:>8} {proposals:>9} {reasons:>8} {seconds:>10.3}  {verdict}"
        )?;
        out.flush()?;
        if verdict.starts_with("none") {
            exit = Exit::Limit;
            break;
        }
    }
    Ok(exit)
}
