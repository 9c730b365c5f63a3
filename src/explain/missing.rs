//! Outcomes that nobody can bring about: which value is it that no write has?

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::Question;
use crate::condition::{Atom, Condition, Observable, Prop, Quantifier};
use crate::diag::Diagnostic;
use crate::execution::View;
use crate::explore::{self, candidates};
use crate::litmus::Lowered;
use crate::program::{Program, Value};

/// How many executions are looked at for the values that there are.
const LOOKED_AT: usize = 20_000;

/// Something that the outcome wants of a register or cell.
struct Want<'w> {
    atom: &'w Atom,
    holds: bool,
}

/// Why no choice of sources gives the outcome, in words.
///
/// # Errors
/// A path of the program that is not supported.
pub fn missing(question: &Question) -> Result<Vec<String>, Diagnostic> {
    let test = question.test;
    let mut wants = Vec::new();
    collect(&test.condition.prop, true, &mut wants);
    let any =
        Lowered { condition: Condition { quantifier: Quantifier::Exists, prop: Prop::True }, ..test.clone() };
    let mut seen: BTreeMap<Observable, BTreeSet<Value>> = BTreeMap::new();
    let mut looked_at = 0;
    candidates(&any, question.options, &mut |world, candidate| {
        let view = View { world, names: explore::names(test, question.model, world) };
        for observable in wants.iter().flat_map(|want| observables(want.atom)) {
            let value = candidate.final_value(test, &view, observable);
            seen.entry(observable).or_default().insert(value);
        }
        looked_at += 1;
        if looked_at < LOOKED_AT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    if looked_at == 0 {
        return Ok(vec!["No path of the program runs to its end within the unrolling bound.".to_string()]);
    }
    let mut lines = Vec::new();
    for want in &wants {
        let Atom::Equals { left, ty, value } = want.atom else { continue };
        let Some(values) = seen.get(left) else { continue };
        let fits = |v: &Value| (ty.truncate(*v) == ty.truncate(*value)) == want.holds;
        if values.iter().any(fits) {
            continue;
        }
        let shown: Vec<String> = values.iter().map(|value| test.program.show(*value)).collect();
        let name = name(*left, &test.program);
        let wanted = test.program.show(*value);
        lines.push(match (left, want.holds) {
            (Observable::Reg(..), true) => {
                format!(
                    "{name} is never {wanted}: nobody writes a value that would make it so. It can be {}.",
                    list(&shown)
                )
            }
            (Observable::Loc(_), true) => {
                format!(
                    "{name} never ends as {wanted}: nobody writes that to it. It can end as {}.",
                    list(&shown)
                )
            }
            (Observable::Fault(_) | Observable::Faults | Observable::Assumed, true) => {
                "Such a fault never happens.".to_string()
            }
            (_, false) => format!("{name} is always {}.", list(&shown)),
        });
    }
    if lines.is_empty() {
        lines.push(
            "Each of these values can be had by itself, but no choice of sources gives them all at once."
                .to_string(),
        );
    }
    Ok(lines)
}

/// The parts of a proposition that must all have one truth value.
fn collect<'p>(prop: &'p Prop, holds: bool, wants: &mut Vec<Want<'p>>) {
    match (prop, holds) {
        (Prop::And(parts), true) | (Prop::Or(parts), false) => {
            parts.iter().for_each(|part| collect(part, holds, wants));
        }
        (Prop::Or(parts), true) | (Prop::And(parts), false) if parts.len() == 1 => {
            collect(&parts[0], holds, wants)
        }
        (Prop::Not(inner), _) => collect(inner, !holds, wants),
        (Prop::Implies(a, b), false) => {
            collect(a, true, wants);
            collect(b, false, wants);
        }
        (Prop::Atom(atom), _) => wants.push(Want { atom, holds }),
        _ => {}
    }
}

fn observables(atom: &Atom) -> Vec<Observable> {
    match atom {
        Atom::Equals { left, .. } => vec![*left],
        Atom::Same { left, right, .. } => vec![*left, *right],
    }
}

fn name(observable: Observable, program: &Program) -> String {
    match observable {
        Observable::Reg(thread, reg) => format!("{thread}:{}", program.regs.name(reg)),
        Observable::Loc(loc) => {
            let cell = program.locations.get(usize::from(loc.0));
            format!("[{}]", cell.map_or("?", |cell| cell.name.as_str()))
        }
        Observable::Fault(_) | Observable::Faults | Observable::Assumed => "a fault".to_string(),
    }
}

/// `0`, `0 or 1`, `0, 1 or 2`.
fn list(values: &[String]) -> String {
    match values {
        [] => "nothing".to_string(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
