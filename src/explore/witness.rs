//! Executions one by one, with the values of the model's names: what graphs are drawn from.
//!
//! Counting needs none of this, so the search proper does not carry it. Whoever wants to look at executions runs the
//! search with a [`Watch`]: `rf` and the final writes are still chosen with bounds, and the plain run of the model then
//! has a value for every name.

use std::ops::ControlFlow;

use super::against;
use super::candidates::Candidate;
use super::drive::{Job, run_into};
use super::finals::{Finals, Registers};
use super::kept::Kept;
use super::sink::{Found, Sink};
use super::{Mode, Options};
use crate::condition::{Condition, Quantifier};
use crate::diag::Diagnostic;
use crate::execution::{Execution, View};
use crate::litmus::Lowered;
use crate::model::{Base, EvalError, Expr, ExprId, Model, Plain, Sort, Step, Universe, Val};
use crate::outcome::Outcome;
use crate::relation::Rel;

/// Which of the accepted executions to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Show {
    /// Those that satisfy the proposition of the condition.
    Prop,
    /// Those that violate it.
    Neg,
    /// Those that speak for the condition: satisfying for `exists` and `forall`, violating for `~exists`.
    Cond,
    /// Those that decide the condition: satisfying for `exists` and `~exists`, violating for `forall`.
    Wit,
    /// All.
    All,
    /// Those that raise a flag of that name.
    Flag(String),
    /// Those that raise any flag, or whose behaviour is undefined.
    Flagged,
    /// Those that the model refuses and that would decide the condition: one for each reason.
    Forbidden,
}

impl Show {
    pub(super) fn wants(&self, positive: bool, found: &Found, quantifier: Quantifier) -> bool {
        let Found { flags, undefined, .. } = *found;
        match self {
            Show::Prop => positive,
            Show::Neg => !positive,
            Show::Cond => positive == (quantifier != Quantifier::NotExists),
            Show::Wit => positive == (quantifier != Quantifier::Forall),
            Show::All => true,
            Show::Flag(name) => flags.contains(&name.as_str()),
            Show::Flagged => undefined || !flags.is_empty(),
            // Whoever accepts an execution does not refuse it.
            Show::Forbidden => false,
        }
    }
}

/// What to show of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Which executions.
    pub show: Show,
    /// At most so many; `None`: all.
    pub limit: Option<usize>,
    /// Names of the model whose values are wanted besides those that it `show`s itself.
    pub names: Vec<String>,
}

impl Request {
    /// Every execution, and no more of it than there always is.
    pub fn all() -> Request {
        Request { show: Show::All, limit: None, names: Vec::new() }
    }
}

/// Everyone who looks on.
pub(super) struct Watch<'w> {
    request: &'w Request,
    condition: &'w Condition,
    test: &'w Lowered,
    /// Another model, to be asked about each execution.
    pub against: Option<&'w Model>,
    see: &'w mut (dyn FnMut(Execution) -> ControlFlow<()> + Send),
}

/// The executions of a test that a model accepts, in a fixed order, and what is known of all of them together. Where the
/// request is met before the end of the search, the outcome is that of the part seen.
///
/// # Errors
/// As [`super::run`].
pub fn executions(
    test: &Lowered,
    model: &Model,
    options: &Options,
    request: &Request,
) -> Result<(Vec<Execution>, Outcome), Diagnostic> {
    let mut found = Vec::new();
    let limit = request.limit.unwrap_or(usize::MAX);
    let mut see = |execution| {
        found.push(execution);
        if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let kept = options.keep.as_deref().and_then(|keeping| keeping.take(request));
    let outcome = match kept {
        Some(kept) => again(test, model, options, request, kept, &mut see)?,
        None => each_execution(test, model, None, options, request, &mut see)?,
    };
    Ok((found, outcome))
}

/// Shows executions that a run has kept, and looks for no others.
fn again(
    test: &Lowered,
    model: &Model,
    options: &Options,
    request: &Request,
    kept: Kept,
    see: &mut (dyn FnMut(Execution) -> ControlFlow<()> + Send),
) -> Result<Outcome, Diagnostic> {
    let options = watched(options, request);
    let watch = Watch { request, condition: &test.condition, test, against: None, see };
    let mut sink = Sink::watched(test, &options, watch);
    let registers = model.needs_register_events();
    kept.look_into(&Job { test, model, options: &options, registers }, &mut sink);
    sink.finish()
}

/// How executions are looked for that are to be shown.
fn watched(options: &Options, request: &Request) -> Options {
    Options {
        mode: Mode::Count,
        jobs: 1,
        max_executions: None,
        // Only those that decide the condition: no other need be looked for.
        speedcheck: request.show == Show::Wit,
        keep: None,
        ..options.clone()
    }
}

/// Shows the executions of a test that `model` accepts and `request` asks for to `see`, each with what `other` says of it, and
/// returns what is known of all of them together: that of the part seen, where `see` breaks off.
///
/// # Errors
/// As [`super::run`].
pub fn each_execution(
    test: &Lowered,
    model: &Model,
    other: Option<&Model>,
    options: &Options,
    request: &Request,
    see: &mut (dyn FnMut(Execution) -> ControlFlow<()> + Send),
) -> Result<Outcome, Diagnostic> {
    let options = watched(options, request);
    let watch = Watch { request, condition: &test.condition, test, against: other, see };
    run_into(test, model, &options, Sink::watched(test, &options, watch))
}

/// Shows an accepted execution to whoever looks on.
pub(super) fn of(
    model: &Model,
    view: &View,
    candidate: &Candidate,
    finals: &Finals,
    found: &Found,
    plain: &mut Plain,
    watch: &mut Watch,
) -> Result<ControlFlow<()>, Diagnostic> {
    let positive = watch.condition.prop.holds(&|o| finals.value(o));
    if !watch.request.show.wants(positive, found, watch.condition.quantifier) {
        return Ok(ControlFlow::Continue(()));
    }
    let raised = found.flags.iter().map(|flag| (*flag).to_string()).collect();
    let names = &watch.request.names;
    let execution = execution(watch.test, model, view, candidate, finals, plain, names)?;
    let against = match watch.against {
        Some(other) => {
            let co = coherence(model).map(|_| &execution.co);
            Some(against::judge(other, view, candidate, co).map_err(Diagnostic::without_places)?)
        }
        None => None,
    };
    Ok((watch.see)(Execution { positive, flags: raised, against, ..execution }))
}

impl Candidate<'_> {
    /// The candidate as data, with the values that an evaluation has for the model's names.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn execution(
        &self,
        test: &Lowered,
        model: &Model,
        view: &View,
        plain: &mut Plain,
        names: &[String],
    ) -> Result<Execution, Diagnostic> {
        let registers = Registers::new(view, &test.observed);
        let finals = Finals::new(view, self.values, self.last, &registers);
        let positive = test.condition.prop.holds(&|o| finals.value(o));
        let execution = execution(test, model, view, self, &finals, plain, names)?;
        Ok(Execution { positive, ..execution })
    }
}

/// An execution as data.
fn execution(
    test: &Lowered,
    model: &Model,
    view: &View,
    candidate: &Candidate,
    finals: &Finals,
    plain: &mut Plain,
    names: &[String],
) -> Result<Execution, Diagnostic> {
    let world = view.world;
    let n = view.names.n;
    let bits = view.names.program.bits;
    let rf = candidate.rf(world, n);
    let co = match coherence(model) {
        Some(node) => value(plain, node)?,
        None => None,
    };
    let co = co.unwrap_or_else(|| Rel::empty(n));
    let fr = rf.inverse().seq(&co).diff(&Rel::identity(n));
    let po = world.rel(&Base::Po, &view.names).unwrap_or_else(|| Rel::empty(n));
    let mut shown = Vec::new();
    for (label, node) in &model.shown {
        if let Some(rel) = value(plain, *node)? {
            shown.push((label.clone(), rel));
        }
    }
    for name in names {
        if shown.iter().any(|(label, _)| label == name) {
            continue;
        }
        let across = |rel: &Rel, internal: bool| {
            let inside = |(a, b): &(usize, usize)| {
                let (a, b) = (&world.events[*a], &world.events[*b]);
                a.thread.is_some() && a.thread == b.thread
            };
            Rel::of(n, rel.iter().filter(|pair| inside(pair) == internal))
        };
        let rel = match name.as_str() {
            "po" => Some(po.clone()),
            "rf" => Some(rf.clone()),
            "co" => Some(co.clone()),
            "fr" => Some(fr.clone()),
            "rfi" => Some(across(&rf, true)),
            "rfe" => Some(across(&rf, false)),
            "coi" => Some(across(&co, true)),
            "coe" => Some(across(&co, false)),
            "fri" => Some(across(&fr, true)),
            "fre" => Some(across(&fr, false)),
            _ => match model.definitions.iter().rev().find(|d| d.name == *name) {
                Some(definition) => value(plain, definition.expr)?,
                None => match view.base(&Base::of(name)) {
                    Some(Val::Rel(rel)) => Some(rel),
                    _ => None,
                },
            },
        };
        if let Some(rel) = rel {
            shown.push((name.clone(), rel));
        }
    }
    let eval = |value: &crate::execution::SymVal| value.eval(candidate.values, bits).ok().flatten();
    let values = world.events.iter().enumerate().map(|(number, event)| {
        let read = if event.is_read() { candidate.values.get(number).copied().flatten() } else { None };
        (read, event.written_value().and_then(eval))
    });
    Ok(Execution {
        values: values.collect(),
        events: world.events.clone(),
        po,
        rf,
        co,
        fr,
        shown,
        state: test.shown.iter().map(|observable| finals.value(*observable)).collect(),
        positive: false,
        flags: Vec::new(),
        refused: None,
        against: None,
    })
}

/// The relation that a model calls `co`: one it chooses, or else one it defines.
fn coherence(model: &Model) -> Option<ExprId> {
    let chosen = model.steps.iter().rev().find_map(|step| match step {
        Step::With { choice, name, .. } if name == "co" => model.pool.find(&Expr::Choice(*choice, Sort::Rel)),
        _ => None,
    });
    chosen.or_else(|| model.definitions.iter().rev().find(|d| d.name == "co").map(|d| d.expr))
}

/// The value of a node as a relation; `None` if it is something else.
fn value(plain: &mut Plain, node: ExprId) -> Result<Option<Rel>, Diagnostic> {
    match plain.eval(node) {
        Ok(value) => Ok(match &*value {
            Val::Rel(rel) => Some(rel.clone()),
            _ => None,
        }),
        Err(EvalError::Rejected | EvalError::Open) => Ok(None),
        Err(EvalError::Model(diagnostic)) => Err(diagnostic),
    }
}
