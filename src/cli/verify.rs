//! `litmus verify`.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::{Machine, Options, Orders};
use crate::diag::{self, Class, Diagnostic, Severity};
use crate::limits::{self, Budget, Gauge, Stopped};
use crate::program::Program;
use crate::program::shapes::Shapes;
use crate::report::program::{self, Checked, Detail};
use crate::session;
use crate::source::Sources;
use crate::verify::{self, Answer, Files, Kind, Loaded, Ran, Verdict, load};

use super::console::Console;
use super::progress::Progress;
use super::verify_args::{IgnoreArg, ThreadsArg, TraceArg, VerifyArgs, VerifyEngineArg, VerifyFormatArg};
use super::{Done, Exit, plan};

/// How deep functions may call themselves: tried first, and the most without a bound.
const SHALLOW: u32 = 4;
const DEEP: u32 = 64;

/// Checks programs.
pub fn verify(
    args: &VerifyArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let settings = session::Settings { include: args.include.clone(), ..session::Settings::default() };
    let prepared = match session::prepare_for_programs(&settings, &args.model) {
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
    let mut defines = args.define.clone();
    if orders == Orders::Machine(Machine::Kernel) {
        defines.push("__LITMUS_LKMM".to_string());
    }
    let reading = preprocess::Settings { defines, folders: args.include.clone() };
    let mut exit = Exit::Success;
    // The solver does not see by itself that a pass of a loop changes nothing.
    let marks_waits = verify::marks_waits(&prepared.model) || args.engine != VerifyEngineArg::Grow;
    let mut all = Vec::new();
    for files in &verify::programs(&args.files, &reading) {
        let file = &files.main;
        let start = Instant::now();
        let gauge = Arc::new(Gauge::default());
        let is_watched = console.err_is_terminal && !console.quiet;
        let progress = Progress::new(is_watched, 1, &gauge);
        let budget = budget(args);
        let settings =
            verify::Settings { gauge: is_watched.then_some(gauge), marks_waits, ..settings_of(args, orders) };
        let search = || {
            deepen(files, &reading, &settings, |program, settings| match only_reads(args) {
                true => None,
                false => Some(verify::run(program, &prepared.model, settings)),
            })
        };
        let ran = budget.run(|| match looks_for_livelocks(args) {
            true => patiently(search, || endless(args, files, &prepared)),
            false => search(),
        });
        let (Loaded { program: translated, mut diagnostics, sources, .. }, result) =
            ran.unwrap_or_else(|why| (Loaded::stopped(why, file), None));
        err.write_all(diag::render_all(&diagnostics, &sources, console.color_err).as_bytes())?;
        if let (Some(ThreadsArg::Events), Some(translated)) = (args.show_threads_as, &translated) {
            let name = file.display().to_string();
            out.write_all(program::threads(&name, &args.model, translated, &sources).as_bytes())?;
        }
        let answer = match result {
            Some(Ok(answer)) => Some(answer),
            Some(Err(diagnostic)) => {
                err.write_all(diag::render(&diagnostic, &sources, console.color_err).as_bytes())?;
                diagnostics.push(diagnostic);
                None
            }
            None => None,
        };
        progress.finish();
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
        let work = args.stats.then(|| program::work(&checked));
        match args.format {
            VerifyFormatArg::Text => out.write_all(program::text(&checked, detail(args.trace)).as_bytes())?,
            _ => all.push(checked),
        }
        if let Some(work) = work {
            err.write_all(work.as_bytes())?;
        }
        // After Ctrl-C nothing new is begun.
        if exit == Exit::Interrupted {
            break;
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

/// A search that takes longer may be one that never comes to its end.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often whoever watches a search looks at the time.
const GLANCE: Duration = Duration::from_millis(50);

/// The stack of whoever looks for loops without an end.
const STACK: usize = 1 << 28;

/// Are programs only translated?
fn only_reads(args: &VerifyArgs) -> bool {
    args.check || args.show_threads_as.is_some()
}

fn looks_for_livelocks(args: &VerifyArgs) -> bool {
    let long = args.timeout.is_none_or(|seconds| seconds > 3.0 * PATIENCE.as_secs_f64());
    let ignored = args.ignore.iter().any(|ignored| matches!(ignored, IgnoreArg::Liveness));
    let all = args.unroll.is_some() || args.keep_going || only_reads(args);
    long && !ignored && !all && args.engine == VerifyEngineArg::Grow
}

/// A search that is through has seen the end of every loop. While one that takes long goes on, it is asked whether it can end at all.
fn patiently(
    search: impl Fn() -> (Loaded, Ran),
    endless: impl FnOnce() -> Option<(Loaded, Ran)> + Send,
) -> (Loaded, Ran) {
    let process = limits::current();
    let stop = Arc::new(AtomicBool::new(false));
    let over = Arc::new(AtomicBool::new(false));
    let begun = Instant::now();
    let watch = || {
        let mut endless = Some(endless);
        let mut found = None;
        while !over.load(Ordering::Relaxed) {
            std::thread::park_timeout(GLANCE);
            if process.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                stop.store(true, Ordering::Relaxed);
            }
            if begun.elapsed() >= PATIENCE
                && let Some(endless) = endless.take()
            {
                let budget = Budget { interrupt: Some(over.clone()), ..process.clone() };
                found = budget.run(endless).ok().flatten();
                stop.fetch_or(found.is_some(), Ordering::Relaxed);
            }
        }
        found
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let Ok(watcher) = builder.spawn_scoped(scope, watch) else { return search() };
        let budget = Budget { interrupt: Some(stop.clone()), ..process.clone() };
        let tell = Tell(&over);
        let searched = budget.run(&search);
        drop(tell);
        watcher.thread().unpark();
        let found = watcher.join();
        let is_through = |ran: &Ran| !matches!(ran, Some(Ok(a)) if a.stopped == Some(Stopped::Interrupt));
        match (searched, found) {
            (Ok((loaded, ran)), _) if is_through(&ran) => (loaded, ran),
            (_, Ok(Some(found))) => found,
            (Ok(stopped), _) => stopped,
            (Err(why), _) => limits::stop(why),
        }
    })
}

/// Tells that the search is over, also when it is left by a panic.
struct Tell<'a>(&'a AtomicBool);

impl Drop for Tell<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A loop that goes round for ever and changes something.
fn endless(args: &VerifyArgs, files: &Files, prepared: &session::Prepared) -> Option<(Loaded, Ran)> {
    let reading = preprocess::Settings { defines: args.define.clone(), folders: args.include.clone() };
    let options = Options {
        recursion: SHALLOW as usize,
        orders: Orders::Fences,
        samples: false,
        uninitialised: false,
        marks_waits: true,
    };
    let mut loaded = load(files, &reading, options, &Shapes::default());
    let answer = verify::livelock(loaded.program.take()?, &prepared.model)?;
    Some((loaded, Some(Ok(answer))))
}

/// What one file may take, from now on.
fn budget(args: &VerifyArgs) -> Budget {
    let process = limits::current();
    let timeout = args.timeout.map(plan::duration);
    Budget::starting_now(timeout, args.max_memory.or(process.memory), process.interrupt)
}

/// Runs a file. Functions that call themselves are inlined a few times, and more often where some execution calls them deeper.
fn deepen(
    files: &Files,
    reading: &preprocess::Settings,
    settings: &verify::Settings,
    run: impl Fn(&Program, &verify::Settings) -> Ran,
) -> (Loaded, Ran) {
    let most = settings.unroll.unwrap_or(DEEP);
    let mut depth = SHALLOW.min(most);
    let mut last: Option<(Loaded, Ran)> = None;
    loop {
        let options = Options {
            recursion: depth as usize,
            orders: settings.orders,
            samples: true,
            uninitialised: true,
            marks_waits: settings.marks_waits,
        };
        let settings = verify::Settings { recursion: depth, ..settings.clone() };
        let read = |shapes: &Shapes| load(files, reading, options, shapes);
        let (loaded, result) = verify::run_fitted(read, |program| run(program, &settings));
        let deeper = matches!(&result, Some(Ok(a)) if a.too_deep && a.verdict != Verdict::Unsafe);
        match last {
            // What was read and is too large one step deeper is known as deep as it could be read.
            Some(last) if loaded.program.is_none() => return last,
            _ if !deeper || depth >= most => return (loaded, result),
            _ => last = Some((loaded, result)),
        }
        depth = (2 * depth).min(most);
    }
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
        every_pass: false,
        unroll: args.unroll,
        keep_going: args.keep_going,
        orders,
        ignore: args.ignore.iter().map(kind).collect(),
        races: args.races,
        all_blocked: args.all_blocked,
        every_round: args.every_round,
        every_thread: args.no_symmetry,
        gauge: None,
        recursion: 0,
        marks_waits: false,
        engine: match args.engine {
            VerifyEngineArg::Grow => verify::Engine::Grow,
            VerifyEngineArg::Sat => verify::Engine::Sat,
            VerifyEngineArg::Auto => verify::Engine::Auto,
            VerifyEngineArg::States => verify::Engine::States,
        },
        jobs: usize::from(args.jobs),
        looks: None,
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
        Some(Verdict::SafeUpTo(_) | Verdict::Unknown) => {
            answer.and_then(|answer| answer.stopped).map_or(Exit::Limit, Exit::stopped)
        }
        None if diagnostics.iter().all(|d| d.severity != Severity::Error) => Exit::Success,
        None => class_of(diagnostics),
    }
}

fn class_of(diagnostics: &[Diagnostic]) -> Exit {
    let errors = || diagnostics.iter().filter(|d| d.severity == Severity::Error);
    match errors().find_map(|d| if let Class::Limit(why) = d.class { Some(why) } else { None }) {
        Some(why) => Exit::stopped(why),
        None if errors().all(|d| d.class == Class::Unsupported) => Exit::Unsupported,
        None => Exit::BadInput,
    }
}

/// The first of interrupted, bad input, unsupported, violated, limit.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Interrupted => 5,
        Exit::BadInput => 4,
        Exit::Unsupported => 3,
        Exit::Failed => 2,
        Exit::Limit => 1,
        _ => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}
