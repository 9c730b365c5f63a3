//! Flags and undefined behaviour: which accesses, in which execution.

use std::ops::ControlFlow;

use super::Question;
use super::data::Flagged;
use super::refute::{Fate, Offence, Refuter, offence};
use super::surface::Surface;
use super::tell::Teller;
use crate::condition::{Condition, Prop, Quantifier};
use crate::diag::Diagnostic;
use crate::execution::View;
use crate::explore::{self, Mode, Options, candidates};
use crate::litmus::Lowered;
use crate::model::{CheckKind, Step};

/// How many candidates are looked at.
const LOOKED_AT: usize = 20_000;

/// For each flag that an execution of the test raises (whatever its outcome), and for undefined behaviour: the first such execution.
///
/// # Errors
/// A run-time error of the model, or a path of the program that is not supported.
pub fn flagged(question: &Question, surface: &mut Surface) -> Result<Vec<Flagged>, Diagnostic> {
    let model = question.model;
    let is_flag = |step: &Step| {
        matches!(step, Step::Check { kind: CheckKind::Flag | CheckKind::UndefinedUnless, name, .. }
            if !name.as_ref().is_some_and(|name| question.options.skip_checks.contains(name)))
    };
    if !model.steps.iter().any(is_flag) {
        return Ok(Vec::new());
    }
    let any = Lowered {
        condition: Condition { quantifier: Quantifier::Exists, prop: Prop::True },
        ..question.test.clone()
    };
    let options = Options { mode: Mode::States, jobs: 1, speedcheck: false, ..question.options.clone() };
    let outcome = explore::run(&any, model, &options)?;
    let raised = |step: &Step| match step {
        Step::Check { kind: CheckKind::Flag, name: Some(name), .. } => outcome.flags.contains(name),
        Step::Check { kind: CheckKind::UndefinedUnless, .. } => outcome.undefined,
        _ => false,
    };
    let mut wanted: Vec<usize> =
        (0..model.steps.len()).filter(|at| is_flag(&model.steps[*at]) && raised(&model.steps[*at])).collect();
    let mut found = Vec::new();
    let mut failed = None;
    let mut looked_at = 0;
    if wanted.is_empty() {
        return Ok(found);
    }
    candidates(&any, question.options, &mut |world, candidate| {
        let view = View { world, names: explore::names(question.test, model, world) };
        let mut look = || -> Result<(), Diagnostic> {
            let fate = Refuter::run_wanted(
                surface,
                &view,
                candidate,
                &question.options.skip_checks,
                (Some(&wanted), None),
            )?;
            let Fate::Accepted(mut plain, flags) = fate else { return Ok(()) };
            for step in &flags {
                if !wanted.contains(step) {
                    continue;
                }
                wanted.retain(|other| other != step);
                let Step::Check { test, span, .. } = &model.steps[*step] else { continue };
                let offence = offence(surface, test, Some(*span), &mut plain)?;
                let teller = Teller::new(question, surface, world);
                let witness = teller.witness(&view, candidate, &mut plain, &flags)?;
                let (shape, links) = teller.shape(&offence, &witness.execution);
                let accesses = match &offence {
                    Offence::Pair(a, b, _) => vec![teller.id(*a), teller.id(*b)],
                    Offence::Event(event) => vec![teller.id(*event)],
                    _ => Vec::new(),
                };
                found.push(Flagged { check: teller.check(*step), shape, accesses, links, witness });
            }
            Ok(())
        };
        if let Err(diagnostic) = look() {
            failed = Some(diagnostic);
            return ControlFlow::Break(());
        }
        looked_at += 1;
        if wanted.is_empty() || looked_at >= LOOKED_AT {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    match failed {
        Some(diagnostic) => Err(diagnostic),
        None => Ok(found),
    }
}
