//! Why an outcome can, or cannot, happen.
//!
//! [`explain`] goes through every way to bring an outcome about (each `rf`, each choice of final writes), runs the model over it, and
//! where a check refuses it finds the shortest cycle (or offending pair) of that check, down to base edges. The answer is data
//! ([`Explanation`]); how it is shown is the business of `report`.

mod audit;
mod close;
mod cost;
mod data;
mod derive;
pub(crate) mod events;
mod flags;
mod missing;
mod refute;
mod surface;
mod tell;

pub use data::{
    Answer, Check, Edge, Event, Explanation, Flagged, Link, Named, Near, Place, Shape, Way, Witness,
};

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHasher};

use crate::condition::{Condition, Prop, Quantifier};
use crate::diag::Diagnostic;
use crate::execution::{Execution, View, World};
use crate::explore::{self, Candidate, Engine, Mode, candidates};
use crate::litmus::Lowered;
use crate::model::{EvalError, Model};
use crate::outcome::Completeness;
use crate::relation::Rel;
use crate::sat;
use crate::source::Sources;

use refute::{Fate, Reason, Refuter};
use surface::Surface;
use tell::Teller;

/// How many candidates are looked at.
const CANDIDATES: u64 = 50_000;

/// After so many that are refused, a solver is asked for one that is not.
const PATIENCE: u64 = 500;

/// So long it may look.
const LONG: Duration = Duration::from_secs(10);

/// A question.
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// The test; its condition is the outcome asked about (for `forall`: what violates it).
    pub test: &'q Lowered,
    /// The model.
    pub model: &'q Model,
    /// What the model is called.
    pub model_name: &'q str,
    /// The files that spans point into.
    pub sources: &'q Sources,
    /// Limits, checks to skip.
    pub options: &'q explore::Options,
}

/// Explains why an outcome can, or cannot, happen.
///
/// # Errors
/// A run-time error of the model, or a path of the program that is not supported.
pub fn explain(question: &Question) -> Result<Explanation, Diagnostic> {
    let test = &about(question.test);
    let question = &Question { test, ..*question };
    let mut surface = Surface::new(question.model);
    let mut ways = Ways::default();
    let mut failed = None;
    let completeness = candidates(test, question.options, &mut |world, candidate| match ways.look(
        question,
        &mut surface,
        world,
        candidate,
    ) {
        Ok(flow) => flow,
        Err(diagnostic) => {
            failed = Some(diagnostic);
            ControlFlow::Break(())
        }
    })?;
    if let Some(diagnostic) = failed {
        return Err(diagnostic);
    }
    let cut = !matches!(completeness, Completeness::Complete | Completeness::Bounded);
    let answer = match (ways.witness, ways.candidates) {
        (Some((witness, near)), _) => Answer::Allowed { witness: Box::new(witness), near },
        (None, 0) => Answer::NoSource { missing: missing::missing(question)? },
        (None, candidates) => {
            Answer::Forbidden { candidates, ways: ways.list, incomplete: cut || ways.incomplete }
        }
    };
    Ok(Explanation {
        schema: data::SCHEMA,
        test: test.name.clone(),
        model: question.model_name.to_string(),
        outcome: tell::outcome(question.test),
        answer,
        flags: flags::flagged(question, &mut surface)?,
    })
}

/// Every reason why a way to bring an outcome about is refused, also where other ways are not.
///
/// # Errors
/// As [`explain`].
pub fn refused(question: &Question) -> Result<Vec<Way>, Diagnostic> {
    let test = &about(question.test);
    let question = &Question { test, ..*question };
    let mut surface = Surface::new(question.model);
    let mut ways = Ways { past_witnesses: true, ..Ways::default() };
    let mut failed = None;
    candidates(test, question.options, &mut |world, candidate| {
        ways.look(question, &mut surface, world, candidate).unwrap_or_else(|diagnostic| {
            failed = Some(diagnostic);
            ControlFlow::Break(())
        })
    })?;
    match failed {
        Some(diagnostic) => Err(diagnostic),
        None => Ok(ways.list),
    }
}

/// Why the model refuses an execution that was found under another one: the same sources, final writes and, where it has one, order of
/// writes. One way for each choice that the model has left; none if it accepts it after all.
///
/// # Errors
/// As [`explain`].
pub fn violated(question: &Question, execution: &Execution) -> Result<Vec<Way>, Diagnostic> {
    let mut surface = Surface::new(question.model);
    let mut found = Ok(Vec::new());
    explore::recall(question.test, question.options, execution, &mut |world, candidate| {
        let view = View { world, names: explore::names(question.test, question.model, world) };
        let n = view.names.n;
        let co = Rel::of(n, execution.co.iter().filter(|(a, b)| *a < n && *b < n));
        let co = (!co.is_empty()).then_some(&co);
        let skip = &question.options.skip_checks;
        found = Refuter::run_wanted(&mut surface, &view, candidate, skip, (None, co)).and_then(|fate| {
            let Fate::Refused(reasons, _) = fate else { return Ok(Vec::new()) };
            let mut ways = Ways::default();
            for reason in &reasons {
                let way = ways.add(question, &surface, &view, candidate, reason)?;
                ways.list[way].candidates = 1;
                // The order of writes is the execution's own, not one case of several.
                ways.list[way].given.retain(|edge| edge.relation != "co");
            }
            Ok(ways.list)
        });
    })?;
    found
}

/// What an [`audit`] found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Ways to bring the outcome about: sources of reads and final writes.
    pub candidates: u64,
    /// Reasons looked at.
    pub reasons: u64,
    /// Base edges of their cycles and chains.
    pub edges: u64,
    /// Was an execution accepted?
    pub allowed: bool,
    /// What is wrong with the reasons.
    pub faults: Vec<String>,
    /// Ways that no reason was found for, because there were more choices than are looked at.
    pub incomplete: bool,
}

/// Judges the reasons of every way to bring an outcome about: the printed cycle is one of the check's relation, each base edge is in its
/// base relation, and none can be left out.
///
/// # Errors
/// As [`explain`].
pub fn audit(question: &Question) -> Result<Audit, Diagnostic> {
    let test = &about(question.test);
    let question = &Question { test, ..*question };
    let mut surface = Surface::new(question.model);
    let mut audit = Audit::default();
    let mut failed = None;
    candidates(test, question.options, &mut |world, candidate| {
        let view = View { world, names: explore::names(test, question.model, world) };
        audit.candidates += 1;
        match Refuter::run(&mut surface, &view, candidate, &question.options.skip_checks) {
            Ok(Fate::Accepted(..)) => {
                audit.allowed = true;
                ControlFlow::Break(())
            }
            Ok(Fate::Refused(reasons, more)) => {
                audit.incomplete |= more;
                for reason in &reasons {
                    audit.reasons += 1;
                    audit.edges += reason.offence.derivation().map_or(0, |d| d.steps.len() as u64);
                    audit.faults.extend(audit::faults(&mut surface, &view, candidate, reason));
                }
                if audit.candidates < CANDIDATES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            }
            Err(diagnostic) => {
                failed = Some(diagnostic);
                ControlFlow::Break(())
            }
        }
    })?;
    match failed {
        Some(diagnostic) => Err(diagnostic),
        None => Ok(audit),
    }
}

/// The test with the outcome in question as its condition.
fn about(test: &Lowered) -> Lowered {
    let prop = match test.condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => test.condition.prop.clone(),
        Quantifier::Forall => Prop::Not(Box::new(test.condition.prop.clone())),
    };
    Lowered { condition: Condition { quantifier: Quantifier::Exists, prop }, ..test.clone() }
}

/// The ways found so far.
#[derive(Default)]
struct Ways {
    list: Vec<Way>,
    candidates: u64,
    witness: Option<(Witness, Vec<Near>)>,
    incomplete: bool,
    /// Go on where an execution is accepted?
    past_witnesses: bool,
    index: FxHashMap<String, usize>,
    /// Reasons that hold for every candidate of a world that has these pairs of `rf`, and these final writes.
    sweeping: FxHashMap<(u64, Vec<usize>), Vec<Sweep>>,
}

struct Sweep {
    rf: Vec<(usize, usize)>,
    way: usize,
}

impl Ways {
    fn look(
        &mut self,
        question: &Question,
        surface: &mut Surface,
        world: &World,
        candidate: &Candidate,
    ) -> Result<ControlFlow<()>, Diagnostic> {
        if self.candidates >= CANDIDATES {
            self.incomplete = true;
            return Ok(ControlFlow::Break(()));
        }
        self.candidates += 1;
        if self.candidates == PATIENCE && !self.past_witnesses {
            self.solve(question, surface)?;
            if self.witness.is_some() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let key = (fingerprint(world), candidate.last.to_vec());
        let reads_from = |(write, read): &(usize, usize)| {
            let position = world.reads.iter().position(|(r, _)| r == read);
            position.is_some_and(|position| candidate.sources[position] == *write)
        };
        let swept =
            self.sweeping.get(&key).and_then(|list| list.iter().find(|s| s.rf.iter().all(reads_from)));
        if let Some(sweep) = swept {
            self.list[sweep.way].candidates += 1;
            return Ok(ControlFlow::Continue(()));
        }
        self.judge(question, surface, world, candidate, &key)
    }

    /// Asks a solver for an execution that the model accepts: there may be more ways than can be looked at one by one. What a solver cannot be asked stays unknown.
    fn solve(&mut self, question: &Question, surface: &mut Surface) -> Result<(), Diagnostic> {
        let options = explore::Options {
            mode: Mode::Check,
            engine: Engine::Sat,
            timeout: Some(question.options.timeout.unwrap_or(LONG).min(LONG)),
            ..question.options.clone()
        };
        let mut judged = Ok(ControlFlow::Continue(()));
        let mut look = |world: &World, candidate: &Candidate| {
            let key = (fingerprint(world), candidate.last.to_vec());
            judged = self.judge(question, surface, world, candidate, &key);
            ControlFlow::Break(())
        };
        let _ = sat::witness(question.test, question.model, &options, &mut look);
        judged.map(|_| ())
    }

    fn judge(
        &mut self,
        question: &Question,
        surface: &mut Surface,
        world: &World,
        candidate: &Candidate,
        key: &(u64, Vec<usize>),
    ) -> Result<ControlFlow<()>, Diagnostic> {
        let view = View { world, names: explore::names(question.test, question.model, world) };
        match Refuter::run(surface, &view, candidate, &question.options.skip_checks)? {
            Fate::Accepted(..) if self.past_witnesses => Ok(ControlFlow::Continue(())),
            Fate::Accepted(mut plain, flags) => {
                let po = world
                    .rel(&crate::model::Base::Po, &view.names)
                    .unwrap_or_else(|| Rel::empty(view.names.n));
                let memory = |event: usize| world.events[event].is_memory();
                let rf = candidate.rf(world, view.names.n);
                let near =
                    close::near(surface, &mut plain, [&po, &rf], &memory, &question.options.skip_checks)
                        .map_err(EvalError::diagnostic)?;
                let teller = Teller::new(question, surface, world);
                let near = near.iter().map(|near| teller.near(near)).collect();
                self.witness = Some((teller.witness(&view, candidate, &mut plain, &flags)?, near));
                Ok(ControlFlow::Break(()))
            }
            Fate::Refused(reasons, more) => {
                self.incomplete |= more;
                let single = reasons.len() == 1;
                let mut counted = Vec::new();
                for reason in reasons {
                    let way = self.add(question, surface, &view, candidate, &reason)?;
                    if !counted.contains(&way) {
                        counted.push(way);
                        self.list[way].candidates += 1;
                    }
                    if single && !reason.fragile && !reason.local && reason.chosen.is_empty() {
                        let sweep = Sweep { rf: reason.rf, way };
                        self.sweeping.entry(key.clone()).or_default().push(sweep);
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    /// The way that a reason belongs to, new or old.
    fn add(
        &mut self,
        question: &Question,
        surface: &Surface,
        view: &View,
        candidate: &Candidate,
        reason: &Reason,
    ) -> Result<usize, Diagnostic> {
        let teller = Teller::new(question, surface, view.world);
        let key = teller.key(reason);
        if let Some(way) = self.index.get(&key) {
            return Ok(*way);
        }
        self.list.push(teller.way(view, candidate, reason)?);
        self.index.insert(key, self.list.len() - 1);
        Ok(self.list.len() - 1)
    }
}

/// Tells worlds apart: by their events, and by what depends on what in them.
fn fingerprint(world: &World) -> u64 {
    let mut hasher = FxHasher::default();
    for event in &world.events {
        (event.thread, event.instance, event.pc, event.kind, event.loc, &event.sets).hash(&mut hasher);
    }
    (world.edges.all(), world.faults).hash(&mut hasher);
    format!("{:?}", world.constraints).hash(&mut hasher);
    hasher.finish()
}
