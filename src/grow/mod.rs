//! The engine for programs: executions grow one event at a time, and reads are revisited by writes that come later.
//!
//! Where `explore` unfolds every thread by itself and then looks for values that fit, threads here are run on the values that
//! they read, so that no branch is taken that no execution takes. [`plan`] says whether a model can be run in this way, from what the
//! model is; [`explore`] runs it.

mod awaits;
mod bits;
mod bounds;
mod cells;
mod compile;
mod decide;
mod finish;
mod graph;
mod members;
mod rows;
mod search;
mod sketch;
mod step;
mod usual;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::diag::Diagnostic;
use crate::model::Model;
use crate::program::Program;

pub use decide::{Plan, plan};
pub use finish::{Ended, Event, Execution, Found, Violation};

/// Settings of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Unrolling bound of loops.
    pub unroll: u32,
    /// Names of checks to skip.
    pub skip_checks: Vec<String>,
    /// Is an access that leads nowhere a violation ([`Ended::Violation`]), and not an error of the test?
    pub properties: bool,
    /// Leave out rounds of loops that change nothing, where the model allows it: a thread that would go on waiting is blocked.
    pub awaits: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { unroll: 2, skip_checks: Vec::new(), properties: false, awaits: false }
    }
}

/// Who is told of the executions.
pub trait Visitor {
    /// An execution that the model accepts. Break: that is enough.
    fn execution(&mut self, ended: Ended, found: &Found, execution: &dyn Execution) -> ControlFlow<()>;
    /// Asked now and then whether to go on.
    fn look(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// The search cannot go on.
    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()>;
}

/// Figures of a search.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Graphs visited.
    pub steps: u64,
    /// Graphs that were checked.
    pub checked: u64,
    /// Reads given a write that came later.
    pub revisits: u64,
    /// Executions in which every thread came to its end.
    pub complete: u64,
    /// Executions in which a thread waits for what never comes.
    pub blocked: u64,
    /// Executions in which a loop was cut.
    pub cut: u64,
    /// Executions in which a thread did what it must not do.
    pub violating: u64,
    /// Graphs refuted, by the number of the check.
    refuted: Vec<u64>,
    /// Graphs refuted, by the name of the check.
    pub pruned: BTreeMap<String, u64>,
}

impl Stats {
    fn count(&mut self, ended: &Ended) {
        match ended {
            Ended::Complete => self.complete += 1,
            Ended::Blocked => self.blocked += 1,
            Ended::Cut(_) => self.cut += 1,
            Ended::Violation(_) => self.violating += 1,
            Ended::Error(_) => {}
        }
    }
}

/// Runs a program under a model that [`plan`] accepts.
///
/// # Errors
/// The model cannot be run by this engine.
pub fn explore(
    program: &Program,
    model: &Model,
    options: &Options,
    visitor: &mut dyn Visitor,
) -> Result<Stats, Diagnostic> {
    let mut compiled = compile::compile(model, &options.skip_checks).map_err(|why| refused(model, &why))?;
    decide::decide(model, &mut compiled).map_err(|why| refused(model, &why))?;
    compiled.derive();
    compiled.arrange();
    let cells = cells::Cells::new(program);
    let loops = awaits::Loops::new(program);
    let stepper = step::Stepper {
        program,
        unroll: options.unroll,
        cells: &cells,
        orders_updates: compiled.orders_updates,
        reads_first: compiled.reads_first,
        properties: options.properties,
        loops: (options.awaits && decide::allows_fewer_events(&compiled)).then_some(&loops),
    };
    let members = members::Table::new(program, &compiled);
    macro_rules! run {
        ($words:literal) => {{
            let stops = (0..program.threads.len()).map(|thread| stepper.start(thread)).collect();
            let mut graph = graph::Graph::<$words>::new(&compiled, cells.initial(), stops, &members);
            let mut search = search::Search::<$words> {
                stepper: &stepper,
                code: &compiled,
                members: &members,
                evaluation: rows::Evaluation::new(&compiled),
                stats: Stats { refuted: vec![0; compiled.checks.len()], ..Stats::default() },
                visitor,
            };
            let _ = search.visit(&mut graph);
            search.stats
        }};
    }
    let mut stats = match cells.initial().len() {
        0..16 if !options.properties => run!(1),
        _ => run!(4),
    };
    for (index, count) in stats.refuted.iter().enumerate().filter(|(_, count)| **count > 0) {
        *stats.pruned.entry(compiled.checks[index].name.clone()).or_insert(0) += count;
    }
    Ok(stats)
}

fn refused(model: &Model, why: &str) -> Diagnostic {
    Diagnostic::unsupported(
        "grow::model",
        format!("{} cannot be run by growing executions: {why}", model.name),
    )
    .help("`--engine worlds` runs every model")
}
