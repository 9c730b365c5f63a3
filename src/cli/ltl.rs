//! `litmus ltl`: formulas about programs whose loops need not end.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::diag::Class;
use crate::machine::{
    self, Answer, AtomicRule, AtomicWrite, Buffers, Fairness, Fault, Figures, Limits, LtlProperty, Options,
};
use crate::program::Program;
use crate::report::trace;
use crate::session::{Input, Session};

use super::args::{AtomicArg, FairArg, LtlArgs, MachineArg, PortFormat};
use super::console::{Console, interrupt_flag};
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop};

/// Checks a formula, or looks for a state.
pub fn ltl(
    args: &LtlArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { settings, .. } = plan::reading(&args.reading)?;
    let report = Session::new(settings).check(&Input::File(args.file.clone().into()));
    err.write_all(console.diagnostics(&report).as_bytes())?;
    let Some(answer) = &report.answer else {
        return Ok(match report.error().map(|error| error.class) {
            Some(Class::Unsupported) => Exit::Unsupported,
            Some(Class::Limit(_)) => Exit::Limit,
            _ => Exit::BadInput,
        });
    };
    let program = &answer.test.program;
    let property = machine::parse(&args.formula, program).map_err(|wrong| {
        let before = args.formula[..wrong.at].chars().count();
        Stop::Usage(format!("{}\n  {}\n  {}^", wrong.message, args.formula, " ".repeat(before)))
    })?;
    let options = Options {
        buffers: match args.model {
            MachineArg::Sc => Buffers::None,
            MachineArg::Tso => Buffers::Fifo,
            MachineArg::Pso => Buffers::PerCell,
        },
        buffer: usize::from(args.buffer),
        atomic: match &args.atomic {
            Some(path) => atomic_writes(path, program)?,
            None => Vec::new(),
        },
        atomic_rule: match args.atomic_rule {
            AtomicArg::Own => AtomicRule::Own,
            AtomicArg::Global => AtomicRule::Global,
        },
    };
    let question = Question { args, program, property: &property, options: &options };
    let start = Instant::now();
    let interrupt = interrupt_flag();
    let deadline = args.timeout.map(Duration::from_secs_f64);
    let go_on = |_: usize| {
        !interrupt.load(Ordering::Relaxed) && deadline.is_none_or(|deadline| start.elapsed() < deadline)
    };
    let limits = Limits { bytes: usize::try_from(args.max_memory).unwrap_or(usize::MAX), go_on: &go_on };
    let found = question.ask(&limits);
    let seconds = start.elapsed().as_secs_f64();
    match found {
        Ok(found) => {
            if !console.quiet && args.format == PortFormat::Text {
                writeln!(err, "{}", found.in_figures(seconds))?;
            }
            question.tell(&found, seconds, out)
        }
        Err(Fault::Program(diagnostic)) => {
            let class = diagnostic.class;
            err.write_all(crate::diag::render(&diagnostic, &report.sources, console.color_err).as_bytes())?;
            Ok(match class {
                Class::Unsupported => Exit::Unsupported,
                Class::BadInput => Exit::BadInput,
                Class::Limit(_) => Exit::Limit,
            })
        }
        Err(Fault::Memory) => {
            writeln!(out, "no answer: the memory limit was reached (--max-memory)")?;
            Ok(Exit::Limit)
        }
        Err(Fault::Time) if interrupt.load(Ordering::Relaxed) => Ok(Exit::Interrupted),
        Err(Fault::Time) => {
            writeln!(out, "no answer: the time limit was reached")?;
            Ok(Exit::Limit)
        }
    }
}

struct Question<'a> {
    args: &'a LtlArgs,
    program: &'a Program,
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
    fn ask(&self, limits: &Limits) -> Result<Found, Fault> {
        let Question { args, program, property, options } = self;
        if args.reach {
            let (path, complete, figures) = machine::reach(program, property, options, limits)?;
            let word = if path.is_some() { "reachable" } else { "unreachable" };
            let trace = path.map(|path| trace::Trace::path(program, &path));
            return Ok(Found { word, complete, trace, figures });
        }
        let fairness = match args.fair {
            FairArg::None => Fairness::None,
            FairArg::Memory => Fairness::Memory,
            FairArg::All => Fairness::All,
        };
        let (answer, figures) = machine::check(program, property, options, fairness, limits)?;
        Ok(match answer {
            Answer::Holds { complete } => Found { word: "holds", complete, trace: None, figures },
            Answer::Violated(lasso) => {
                let trace = Some(trace::Trace::lasso(program, &lasso));
                Found { word: "violated", complete: true, trace, figures }
            }
        })
    }

    fn tell(&self, found: &Found, seconds: f64, out: &mut (dyn Write + Send)) -> Done {
        let args = self.args;
        let figures = &found.figures;
        let model = match args.model {
            MachineArg::Sc => "sc",
            MachineArg::Tso => "tso",
            MachineArg::Pso => "pso",
        };
        if args.format == PortFormat::Json {
            let record = serde_json::json!({
                "file": args.file,
                "formula": args.formula,
                "model": model,
                "buffer": args.buffer,
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
            let bound = match (args.model, found.complete) {
                (MachineArg::Sc, _) => String::new(),
                // A run that was found is one, whatever was not looked at.
                _ if found.trace.is_some() => format!(", {model} with buffers of {}", args.buffer),
                (_, true) => format!(", {model} with buffers of {}", args.buffer),
                (_, false) => format!(
                    " up to buffers of {}: some writes had to wait for a free place ({model}; --buffer K)",
                    args.buffer
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

/// Reads which writes are atomic: `x`, or `x P0:label`, a line each.
fn atomic_writes(path: &Path, program: &Program) -> Result<Vec<AtomicWrite>, Stop> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
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
        let cell = program
            .locations
            .iter()
            .position(|cell| cell.name == name)
            .ok_or_else(|| wrong(format!("there is no location `{name}`")))?;
        let place = match words.next() {
            None => None,
            Some(place) => {
                let (thread, label) = place
                    .split_once(':')
                    .and_then(|(thread, label)| {
                        Some((thread.strip_prefix('P')?.parse::<usize>().ok()?, label))
                    })
                    .ok_or_else(|| wrong(format!("`{place}` is not of the form P0:LABEL")))?;
                let labels =
                    program.threads.get(thread).map(|thread| thread.labels.as_slice()).unwrap_or_default();
                let at = labels.iter().find(|(known, _)| known == label).map(|(_, at)| *at);
                // A label stands before its instruction: the first that does something is meant.
                let at = at.ok_or_else(|| wrong(format!("thread P{thread} has no label `{label}`")))?;
                let code = &program.threads[thread].code;
                Some((thread, (at..code.len()).find(|at| !code[*at].text.is_empty()).unwrap_or(at)))
            }
        };
        writes.push(AtomicWrite { cell, place });
    }
    Ok(writes)
}
