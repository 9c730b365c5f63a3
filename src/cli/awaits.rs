//! `litmus await`: does every loop end?

use std::io::Write;
use std::sync::Arc;

use crate::machine::{self, Awaited, Watch};
use crate::report::several;
use crate::report::trace::Teller;
use crate::session::Session;

use super::console::Console;
use super::ltl::{Read, class, model_name, options, settings, stopped};
use super::machine_args::{AwaitArgs, MachineArg};
use super::progress::Progress;
use super::{Done, Exit};

/// Looks at the loops one by one.
pub fn awaits(
    args: &AwaitArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let args = &args.machine;
    let settings = settings(args)?;
    let budget = settings.budget();
    let session = Session::new(settings);
    let read = Read::new(&session, args);
    err.write_all(console.diagnostics(&read.report).as_bytes())?;
    let Some(runnable) = &read.runnable else { return Ok(read.exit()) };
    let program = &runnable.system.program;
    let watch = Arc::new(Watch::default());
    let mut options = options(args, runnable, &read.report)?;
    options.watch = Some(Arc::clone(&watch));
    let sources = &read.report.sources;
    let machine = match args.model {
        MachineArg::Sc => String::new(),
        model => format!(" ({} with buffers of {})", model_name(model), args.buffer),
    };
    let mut exit = Exit::Success;
    let loops = machine::loops(program);
    for each in &loops {
        let place = format!("P{}, line {}", each.thread, sources.line_column(each.span).0);
        if each.exits.is_empty() {
            writeln!(out, "{place}: this loop has no end")?;
            continue;
        }
        let progress = Progress::of_states(console.err_is_terminal && !console.quiet, &watch);
        let found = budget.run(|| machine::ends(&runnable.system, each, &options));
        progress.finish();
        match found {
            Ok(Ok(Awaited::Ends { complete })) => {
                let bound =
                    if complete { "" } else { ", up to that bound: some writes had to wait for a place" };
                writeln!(out, "{place}: ends{machine}{bound}")?;
            }
            Ok(Ok(Awaited::Unreached)) => {}
            Ok(Ok(Awaited::Endless)) => writeln!(out, "{place}: this loop has no end")?,
            Ok(Ok(Awaited::MayNotEnd(lasso))) => {
                exit = Exit::Failed;
                writeln!(out, "{place}: may run for ever{machine}")?;
                write!(out, "{}", Teller { program, sources }.lasso(&lasso))?;
            }
            Ok(Err(diagnostic)) => {
                err.write_all(crate::diag::render(&diagnostic, sources, console.color_err).as_bytes())?;
                return Ok(class(&diagnostic));
            }
            Err(why) => return stopped(why, &watch, out),
        }
    }
    if loops.is_empty() {
        writeln!(out, "{}", several(0u64, "loop"))?;
    }
    Ok(exit)
}
