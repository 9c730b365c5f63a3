//! A program under a model: its executions, and what they violate.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::arch::ArchId;
use crate::arch::c::unit::lower::Orders;
use crate::diag::Diagnostic;
use crate::grow::{self, Ended, Execution, Found, Visitor};
use crate::model::Model;
use crate::program::{Program, Property};
use crate::source::Span;

use super::trace::{self, Step};

/// How to run it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Loops run at most so often; without a bound, as often as it takes.
    pub unroll: Option<u32>,
    /// Look for every violation, not only the first.
    pub keep_going: bool,
    /// Stop after that time.
    pub timeout: Option<Duration>,
}

/// What is known of a program.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Executions in which every thread came to its end.
    pub complete: u64,
    /// Executions in which a thread waits for what never comes.
    pub blocked: u64,
    /// Executions in which a loop was cut.
    pub cut: u64,
    /// Executions that violate a property.
    pub violating: u64,
    /// One violation of each kind and place.
    pub violations: Vec<Violation>,
    /// The loops that were cut.
    pub cuts: Vec<Span>,
    /// What could not be answered.
    pub errors: Vec<Diagnostic>,
}

/// The verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No execution violates anything.
    Safe,
    /// None within the bound; some execution reaches it.
    SafeUpTo(u32),
    /// One does.
    Unsafe,
    /// The search did not come to its end.
    Unknown,
}

/// A violated property.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which.
    pub property: Property,
    /// Where; a race has two places.
    pub places: Vec<Span>,
    /// By which thread.
    pub thread: Option<String>,
    /// How many executions violate it there, as far as was counted.
    pub executions: u64,
    /// One of them.
    pub trace: Vec<Step>,
}

/// What the memory orders of C become under a model.
///
/// # Errors
/// The model has no meaning for them.
pub fn orders_for(model: &Model, arch: Option<ArchId>) -> Result<Orders, Diagnostic> {
    if model.looks_at(&["RLX", "ACQ", "REL", "ACQ_REL", "CON"]) {
        return Ok(Orders::Sets);
    }
    match (model.name.as_str(), arch) {
        ("SC" | "TSO" | "PSO", _) => Ok(Orders::Fences),
        (name, None | Some(ArchId::C)) => Err(Diagnostic::unsupported(
            "verify::model",
            format!("the model `{name}` has no meaning for the memory orders of C"),
        )
        .help("rc11, c11, sc, tso and pso run C programs")),
        (name, Some(arch)) => Err(Diagnostic::unsupported(
            "verify::model",
            format!("`{name}` is a model of {} programs, not of C", arch.name()),
        )
        .help("rc11, c11, sc, tso and pso run C programs")),
    }
}

/// Runs a program under a model.
///
/// # Errors
/// The model does not fit the engine.
pub fn run(program: &Program, model: &Model, settings: &Settings) -> Result<Answer, Diagnostic> {
    let mut recorder = Recorder {
        program,
        settings,
        deadline: settings.timeout.map(|timeout| Instant::now() + timeout),
        answer: Answer {
            verdict: Verdict::Safe,
            complete: 0,
            blocked: 0,
            cut: 0,
            violating: 0,
            violations: Vec::new(),
            cuts: Vec::new(),
            errors: Vec::new(),
        },
        stopped: false,
    };
    // Every cell has an initial write, and there must be room for what the threads do.
    let cells = program.locations.len();
    if cells > 640 {
        return Err(Diagnostic::unsupported("c::too-large", "this program has too many memory cells"));
    }
    let options = grow::Options {
        events: (cells > 96).then_some(1024),
        unroll: settings.unroll.unwrap_or(u32::MAX - 1),
        properties: true,
        awaits: true,
        ..grow::Options::default()
    };
    grow::explore(program, model, &options, &mut recorder)?;
    let Recorder { mut answer, stopped, .. } = recorder;
    answer.verdict = match () {
        () if answer.violating > 0 => Verdict::Unsafe,
        () if stopped || !answer.errors.is_empty() => Verdict::Unknown,
        () if answer.cut > 0 => Verdict::SafeUpTo(settings.unroll.unwrap_or(0)),
        () => Verdict::Safe,
    };
    Ok(answer)
}

struct Recorder<'a> {
    program: &'a Program,
    settings: &'a Settings,
    deadline: Option<Instant>,
    answer: Answer,
    stopped: bool,
}

impl Recorder<'_> {
    fn violation(
        &mut self,
        property: Property,
        places: Vec<Span>,
        thread: Option<String>,
        execution: &dyn Execution,
    ) -> ControlFlow<()> {
        self.answer.violating += 1;
        let known = self.answer.violations.iter_mut().find(|v| v.property == property && v.places == places);
        match known {
            Some(violation) => violation.executions += 1,
            None => {
                let trace = trace::of(execution, self.program);
                self.answer.violations.push(Violation { property, places, thread, executions: 1, trace });
            }
        }
        match self.settings.keep_going {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

impl Visitor for Recorder<'_> {
    fn execution(&mut self, ended: Ended, found: &Found, execution: &dyn Execution) -> ControlFlow<()> {
        if let Ended::Violation(violation) = ended {
            let thread = trace::name(Some(violation.thread as u16), self.program);
            return self.violation(violation.property, vec![violation.span], Some(thread), execution);
        }
        if found.undefined {
            let places = trace::race(execution, self.program);
            return self.violation(Property::Race, places, None, execution);
        }
        match ended {
            Ended::Complete => self.answer.complete += 1,
            Ended::Blocked => self.answer.blocked += 1,
            Ended::Cut(cuts) => {
                self.answer.cut += 1;
                for cut in cuts {
                    if !self.answer.cuts.contains(&cut.span) {
                        self.answer.cuts.push(cut.span);
                    }
                }
            }
            Ended::Error(diagnostic) => {
                self.answer.errors.push(*diagnostic);
                return ControlFlow::Break(());
            }
            Ended::Violation(_) => {}
        }
        ControlFlow::Continue(())
    }

    fn look(&mut self) -> ControlFlow<()> {
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        self.answer.errors.push(diagnostic);
        ControlFlow::Break(())
    }
}
