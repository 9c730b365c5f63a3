//! `litmus ltl`: formulas about programs whose loops need not end.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::arch::c::preprocess;
use crate::diag::{Diagnostic, Diagnostics};
use crate::limits::Stopped;
use crate::machine::{
    self, Answer, AtomicRule, AtomicWrite, Buffers, Fairness, Figures, LtlProperty, Options, System, Watch,
};
use crate::program::Program;
use crate::report::{several, trace};
use crate::session::{Input, Report, Runnable, Session, Settings};
use crate::source::Sources;

use super::args::PortFormat;
use super::console::{Console, interrupt_flag};
use super::machine_args::{AtomicArg, FairArg, LtlArgs, MachineArg, MachineArgs};
use super::plan::{self, Resolved};
use super::progress::Progress;
use super::{Done, Exit, Stop};

/// Checks a formula, or looks for a state.
pub fn ltl(
    args: &LtlArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let settings = settings(&args.machine)?;
    let budget = settings.budget();
    let session = Session::new(settings);
    let read = Read::new(&session, &args.machine);
    err.write_all(console.diagnostics(&read.report).as_bytes())?;
    let Some(runnable) = &read.runnable else { return Ok(read.exit()) };
    let program = &runnable.system.program;
    let property =
        machine::parse(&args.formula, program).map_err(|wrong| Stop::Usage(wrong.shown(&args.formula)))?;
    if args.reach && property.formula.is_temporal() {
        let message = "--reach looks for a state: its formula has no temporal operators";
        return Err(Stop::Usage(format!("{message}\n  {}", args.formula)));
    }
    let watch = Arc::new(Watch::default());
    let mut options = options(&args.machine, runnable, &read.report)?;
    options.watch = Some(Arc::clone(&watch));
    let sources = &read.report.sources;
    let question =
        Question { args, system: &runnable.system, sources, property: &property, options: &options };
    let start = Instant::now();
    let progress = Progress::of_states(console.err_is_terminal && !console.quiet, &watch);
    let found = budget.run(|| question.ask());
    progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    match found {
        Ok(Ok(found)) => {
            if !console.quiet && args.format == PortFormat::Text {
                writeln!(err, "{}", found.in_figures(seconds))?;
            }
            question.tell(&found, seconds, out)
        }
        Ok(Err(diagnostic)) => {
            let sources = &read.report.sources;
            err.write_all(crate::diag::render(&diagnostic, sources, console.color_err).as_bytes())?;
            Ok(class(&diagnostic))
        }
        Err(why) => stopped(why, &watch, out),
    }
}

/// A program that was read, or what is wrong with it.
pub(super) struct Read {
    pub report: Report,
    pub runnable: Option<Runnable>,
}

impl Read {
    pub fn new(session: &Session, args: &MachineArgs) -> Read {
        let input = Input::File(args.file.clone().into());
        let reading =
            preprocess::Settings { defines: args.define.clone(), folders: args.reading.include.clone() };
        let mut report = Report::new(input.name(), None);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        let runnable = session.program(&input, &reading, &mut report, &mut diagnostics);
        report.diagnostics = diagnostics.take();
        Read { report, runnable }
    }

    /// The exit code where there is no program.
    pub fn exit(&self) -> Exit {
        self.report.error().map_or(Exit::BadInput, class)
    }
}

pub(super) fn class(diagnostic: &Diagnostic) -> Exit {
    Exit::of_class(diagnostic.class)
}

/// The settings of the session: what is read, and what the run may take.
pub(super) fn settings(args: &MachineArgs) -> Result<Settings, Stop> {
    let Resolved { mut settings, .. } = plan::reading(&args.reading)?;
    let limits = &mut settings.explore;
    limits.timeout = args.timeout.map(plan::duration).or(limits.timeout);
    limits.max_memory = Some(args.max_memory);
    limits.interrupt = Some(interrupt_flag());
    Ok(settings)
}

pub(super) fn stopped(why: Stopped, watch: &Watch, out: &mut (dyn Write + Send)) -> Done {
    let what = match why {
        Stopped::Interrupt => return Ok(Exit::Interrupted),
        Stopped::Memory => "the memory limit was reached (--max-memory)",
        Stopped::Time => "the time limit was reached",
    };
    let states = watch.states.load(Ordering::Relaxed);
    writeln!(out, "no answer: {what}, with {} met", several(states, "state"))?;
    Ok(Exit::Limit)
}

/// The machine that the arguments ask for.
pub(super) fn options(args: &MachineArgs, runnable: &Runnable, report: &Report) -> Result<Options, Stop> {
    let atomic = match &args.atomic {
        Some(path) => atomic_writes(path, &runnable.system.program, &report.sources)?,
        None => Vec::new(),
    };
    let reduction = !args.full;
    let (_, jobs) = plan::workers(args.jobs, 1);
    let machine = machine_options(args.model, args.buffer, args.atomic_rule);
    Ok(Options { atomic, reduction, jobs, depth_first: args.depth_first, ..machine })
}

/// A machine without atomic writes.
pub(super) fn machine_options(model: MachineArg, buffer: u8, rule: AtomicArg) -> Options {
    Options {
        buffers: match model {
            MachineArg::Sc => Buffers::None,
            MachineArg::Tso => Buffers::Fifo,
            MachineArg::Pso => Buffers::PerCell,
        },
        buffer: usize::from(buffer),
        atomic_rule: match rule {
            AtomicArg::Own => AtomicRule::Own,
            AtomicArg::Global => AtomicRule::Global,
        },
        ..Options::default()
    }
}

pub(super) fn fairness(arg: FairArg) -> Fairness {
    match arg {
        FairArg::None => Fairness::None,
        FairArg::Memory => Fairness::Memory,
        FairArg::All => Fairness::All,
    }
}

pub(super) fn model_name(model: MachineArg) -> &'static str {
    match model {
        MachineArg::Sc => "sc",
        MachineArg::Tso => "tso",
        MachineArg::Pso => "pso",
    }
}

struct Question<'a> {
    args: &'a LtlArgs,
    system: &'a System,
    sources: &'a Sources,
    property: &'a LtlProperty,
    options: &'a Options,
}

/// What a search found.
struct Found {
    /// `holds`, `violated`, `reachable` or `unreachable`.
    word: &'static str,
    complete: bool,
    trace: Option<trace::Trace>,
    figures: Figures,
}

impl Found {
    fn in_figures(&self, seconds: f64) -> String {
        let Figures { states, transitions, bytes, .. } = self.figures;
        format!("{states} states, {transitions} transitions, {:.1} MB, {seconds:.2} s", bytes as f64 / 1e6)
    }
}

impl Question<'_> {
    fn ask(&self) -> Result<Found, Diagnostic> {
        let Question { args, system, sources, property, options } = *self;
        let teller = trace::Teller { program: &system.program, sources };
        if args.reach {
            let (path, complete, figures) = machine::reach(system, property, options)?;
            let word = if path.is_some() { "reachable" } else { "unreachable" };
            let trace = path.map(|path| teller.path(&path));
            return Ok(Found { word, complete, trace, figures });
        }
        let (answer, figures) = machine::check(system, property, options, fairness(args.fair))?;
        Ok(match answer {
            Answer::Holds { complete } => Found { word: "holds", complete, trace: None, figures },
            Answer::Violated(lasso) => {
                let trace = Some(teller.lasso(&lasso));
                Found { word: "violated", complete: true, trace, figures }
            }
        })
    }

    fn tell(&self, found: &Found, seconds: f64, out: &mut (dyn Write + Send)) -> Done {
        let args = self.args;
        let figures = &found.figures;
        let machine = &args.machine;
        let model = model_name(machine.model);
        if args.format == PortFormat::Json {
            let record = serde_json::json!({
                "file": machine.file,
                "formula": args.formula,
                "model": model,
                "buffer": machine.buffer,
                "answer": found.word,
                "complete": found.complete,
                "trace": found.trace,
                "states": figures.states,
                "transitions": figures.transitions,
                "bytes": figures.bytes,
                "seconds": seconds,
            });
            writeln!(out, "{record}")?;
        } else {
            let bound = match (machine.model, found.complete) {
                (MachineArg::Sc, _) => String::new(),
                // A run that was found is one, whatever was not looked at.
                _ if found.trace.is_some() => format!(", {model} with buffers of {}", machine.buffer),
                (_, true) => format!(", {model} with buffers of {}", machine.buffer),
                (_, false) => format!(
                    " up to buffers of {}: some writes had to wait for a free place ({model}; --buffer K)",
                    machine.buffer
                ),
            };
            writeln!(out, "{}{bound}: {}", found.word, args.formula)?;
            if let Some(trace) = &found.trace {
                write!(out, "{trace}")?;
            }
        }
        Ok(match found.word {
            "holds" | "reachable" => Exit::Success,
            _ => Exit::Failed,
        })
    }
}

/// Reads which writes are atomic: `x`, `x P0:label` or `x P0:12` (a line of the program), a line each; `*` for any location.
fn atomic_writes(path: &Path, program: &Program, sources: &Sources) -> Result<Vec<AtomicWrite>, Stop> {
    let shown = path.display();
    let text = crate::limits::read_text(path)
        .map_err(|error| Stop::Usage(format!("cannot read `{shown}`: {error}")))?;
    let mut writes = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let wrong = |what: String| Stop::Usage(format!("{shown}:{}: {what}", number + 1));
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let cell = match name {
            "*" => None,
            _ => Some(
                program
                    .locations
                    .iter()
                    .position(|cell| cell.name == name)
                    .ok_or_else(|| wrong(format!("there is no location `{name}`")))?,
            ),
        };
        let Some(place) = words.next() else {
            writes.push(AtomicWrite { cell, place: None });
            continue;
        };
        let (thread, label) = place
            .split_once(':')
            .and_then(|(thread, label)| Some((thread.strip_prefix('P')?.parse::<usize>().ok()?, label)))
            .ok_or_else(|| wrong(format!("`{place}` is not of the form P0:LABEL")))?;
        let Some(of) = program.threads.get(thread) else {
            return Err(wrong(format!("there is no thread P{thread}")));
        };
        let before = writes.len();
        if let Ok(line) = label.parse::<usize>() {
            let here = |instr: &&(usize, &crate::program::Instr)| sources.line_column(instr.1.span).0 == line;
            let found = of.code.iter().enumerate().collect::<Vec<_>>();
            let places = found.iter().filter(here).map(|(at, _)| Some((thread, *at)));
            writes.extend(places.map(|place| AtomicWrite { cell, place }));
        } else if let Some((_, at)) = of.labels.iter().find(|(known, _)| known == label) {
            // A label stands before its instruction: the first that does something is meant.
            let first = (*at..of.code.len()).find(|at| !of.code[*at].text.is_empty()).unwrap_or(*at);
            writes.push(AtomicWrite { cell, place: Some((thread, first)) });
        }
        if writes.len() == before {
            return Err(wrong(format!(
                "thread P{thread} has no label `{label}`, and nothing at such a line"
            )));
        }
    }
    Ok(writes)
}
