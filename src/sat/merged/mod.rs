//! Programs as one graph: threads are run once, on all their ways together, values are bits, and events happen where their guards are true.
//!
//! `thread` and `ops` run the program; `bits` and `value` are what it computes with; `memory` adds who reads from whom and the order of writes.
//! `axioms` has the solver watch the model's checks for cycles by itself. Each assignment is an execution (`proposal`), which the model looks at, and refutes, as everywhere else.

mod axioms;
mod bits;
mod execution;
mod graph;
mod memory;
mod ops;
mod patterns;
mod proposal;
mod thread;
mod value;

pub use execution::Whole;

use crate::diag::Diagnostic;
use crate::execution::Cut;
use crate::explore::bind;
use crate::grow;
use crate::limits::{self, Stopped};
use crate::model::{CheckKind, EvalError, Model, Step, Val};
use crate::program::Program;
use crate::sat::judge::coherence;
use crate::sat::reason::reasons;
use crate::sat::solver::{Lit, Solver};

use memory::{Problem, first_shapes, widen};
use patterns::Patterns;
use proposal::{Before, Proposal};
use thread::Runner;

/// So many reasons are learnt from one failed check.
const REASONS: usize = 40;

/// More runs than this to find out what cells can hold, and they hold too much.
const RUNS: usize = 40;

/// Figures of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Events of the program, unrolled.
    pub events: usize,
    /// Variables of the solver.
    pub variables: usize,
    /// Clauses, those learnt from the model included.
    pub clauses: u64,
    /// Assignments that were looked at.
    pub proposals: u64,
    /// Reasons learnt from the model.
    pub reasons: u64,
}

/// A program before a solver.
pub struct Search<'p> {
    program: &'p Program,
    model: &'p Model,
    problem: Problem<'p>,
    stats: Stats,
}

/// Says why an execution that the model accepts is none after all: steps, by the numbers of its events, that must not come together; none of them: all of it.
pub type Refuse<'r> = dyn Fn(&Whole) -> Option<Vec<(usize, usize)>> + 'r;

/// What an execution is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// That a thread does what it must not do.
    Violation,
    /// That a loop is cut.
    Cut,
    /// That a thread waits for what never comes.
    Blocked,
}

impl<'p> Search<'p> {
    /// Unrolls a program, loops so often.
    ///
    /// # Errors
    /// The program does what bits cannot say, or the model is none of those that programs are run under.
    pub fn new(program: &'p Program, model: &'p Model, unroll: u32) -> Result<Search<'p>, Diagnostic> {
        if let Err(why) = grow::plan_of_all(model) {
            let message = format!("programs are not run under {}: {why}", model.name);
            return Err(Diagnostic::unsupported("sat::model", message));
        }
        let empty = Runner::new(program, Vec::new(), unroll);
        let mut shapes = first_shapes(&empty.graph, &empty.gates);
        for _ in 0..RUNS {
            let mut runner = Runner::new(program, shapes.clone(), unroll);
            runner.run()?;
            if widen(&mut shapes, &runner.graph, &runner.gates) {
                continue;
            }
            let Runner { graph, gates, .. } = runner;
            let mut patterns = Patterns::new(model, program.conventions);
            let mut problem = Problem::new(graph, gates, &mut patterns)?;
            axioms::watch(&mut problem, model, program.conventions);
            let stats = Stats { events: problem.graph.nodes.len(), ..Stats::default() };
            return Ok(Search { program, model, problem, stats });
        }
        Err(thread::unsupported("cells that hold more and more values", None))
    }

    /// Figures so far.
    pub fn stats(&self) -> Stats {
        Stats {
            variables: self.problem.gates.solver.n_variables(),
            clauses: self.problem.gates.clauses,
            ..self.stats
        }
    }

    /// The loops that may be cut.
    pub fn cuts(&self) -> impl Iterator<Item = &Cut> {
        self.problem.graph.cuts.iter().map(|(_, cut)| cut)
    }

    /// Can a thread wait for what never comes, as far as its own text tells?
    pub fn may_wait(&self) -> bool {
        self.problem.graph.waiting.iter().any(|waiting| waiting.why == graph::Why::Others)
    }

    /// An execution that the model accepts, and that is as asked. `None`: there is none. What it shows holds until the next question.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn find(&mut self, wanted: Wanted, refuse: &Refuse) -> Result<Option<Whole<'_, 'p>>, Diagnostic> {
        let graph = &self.problem.graph;
        let some: Vec<Lit> = match wanted {
            Wanted::Violation => graph.violations.iter().map(|violation| violation.literal).collect(),
            Wanted::Cut => graph.cuts.iter().map(|(literal, _)| *literal).collect(),
            Wanted::Blocked => {
                let others = graph.waiting.iter().filter(|waiting| waiting.why == graph::Why::Others);
                others.map(|waiting| waiting.literal).collect()
            }
        };
        let asked = self.problem.gates.solver.variable(true);
        let clause: Vec<Lit> = some.into_iter().chain([!asked]).collect();
        self.problem.gates.clause(&clause);
        while let Some(proposal) = self.propose(asked)? {
            let mut found = Vec::new();
            if !self.refuted(&proposal, &mut found)? {
                let whole = Whole::new(&self.problem, proposal);
                let Some(cycle) = refuse(&whole) else {
                    // It is built again for whoever asked: nothing has changed since.
                    let proposal = whole.into_proposal();
                    return Ok(Some(Whole::new(&self.problem, proposal)));
                };
                found.push(whole.reason(&cycle, self.model));
            }
            self.stats.reasons += found.len() as u64;
            found.iter().for_each(|reason| self.problem.learn(reason));
        }
        Ok(None)
    }

    /// The next assignment whose orders are orders.
    fn propose(&mut self, asked: Lit) -> Result<Option<Proposal<'p>>, Diagnostic> {
        loop {
            limits::poll();
            self.stats.proposals += 1;
            match self.problem.gates.solver.solve(&[asked]) {
                Some(true) => {}
                Some(false) => return Ok(None),
                None => {
                    let why = limits::look().unwrap_or(Stopped::Time);
                    return Err(Diagnostic::stopped(why, "before the solver had an answer"));
                }
            }
            let proposal = Proposal::read(&self.problem, self.program.conventions);
            if proposal.turns.is_empty() {
                return Ok(Some(proposal));
            }
            for [a, b, c] in proposal.turns {
                for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                    self.problem.keep_transitive(a, b, c);
                }
            }
        }
    }

    /// Does the model refuse a proposal? The reasons are added to those found.
    fn refuted(
        &self,
        proposal: &Proposal<'p>,
        found: &mut Vec<crate::sat::proposal::Reason>,
    ) -> Result<bool, Diagnostic> {
        let model = self.model;
        let ground = Before { proposal, model, co: coherence(model) };
        let mut plain = proposal.evaluation(model);
        for step in &model.steps {
            limits::poll();
            match step {
                Step::Check { kind: CheckKind::Plain, test, .. } => match plain.holds(test) {
                    Ok(true) => {}
                    Ok(false) => found.extend(reasons(&ground, &[], test, &mut plain, REASONS)),
                    Err(EvalError::Rejected) => found.push(crate::sat::reason::Ground::whole(&ground)),
                    Err(error) => return Err(error.diagnostic()),
                },
                Step::With { choice, .. } => bind(model, &mut plain, *choice, Val::Rel(proposal.co())),
                Step::Fail { diagnostic } => return Err(diagnostic.clone()),
                Step::Check { .. } => {}
            }
        }
        Ok(!found.is_empty())
    }
}
