//! A program and what a compiler makes of it: is every outcome of the one an outcome of the other?

use std::collections::{BTreeMap, BTreeSet};

use super::{Answer, Comparison, states, undefined};
use crate::diag::Diagnostic;
use crate::explore::{self, Mode, Options};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Completeness, Count, Outcome, StateStyle, bindings, format_state};
use crate::program::Value;

/// Can the compiled test, under the target model, end in a state that the source test, under its own model, cannot? States are compared by the
/// names that both have.
///
/// # Errors
/// As [`explore::run`], for either model.
pub fn compilation(
    source: (&Lowered, &Model),
    target: (&Lowered, &Model),
    options: &Options,
) -> Result<Comparison, Diagnostic> {
    let options = &Options { mode: Mode::States, speedcheck: false, ..options.clone() };
    let written = &Lowered { filter: None, ..states::everything_observed(source.0) };
    let compiled = &Lowered { filter: None, ..target.0.clone() };
    let ours = explore::run(written, source.1, options).map_err(Diagnostic::without_places)?;
    if let Some(flags) = undefined(written, source.1, &ours) {
        return Ok(Comparison {
            answer: Answer::Undefined { flags },
            of_target: Count::ZERO,
            of_both: Count::ZERO,
            of_source: None,
            counted: false,
            completeness: Completeness::Complete,
        });
    }
    let theirs = explore::run(compiled, target.1, options)?;
    let style = StateStyle::default();
    let named = |test: &Lowered, state: &[Value]| bindings(state, test, &style);
    let first = |test: &Lowered, outcome: &Outcome| -> BTreeSet<String> {
        outcome
            .states
            .keys()
            .next()
            .map_or(BTreeSet::new(), |state| named(test, &state).into_keys().collect())
    };
    // A compiler has registers of its own, and so has a program that calls functions.
    let (mine, yours) = (first(written, &ours), first(compiled, &theirs));
    let common: BTreeSet<&String> = mine.intersection(&yours).collect();
    let seen = |test: &Lowered, state: &[Value]| -> BTreeMap<String, String> {
        named(test, state).into_iter().filter(|(name, _)| common.contains(name)).collect()
    };
    let theirs_named: Vec<(Vec<Value>, BTreeMap<String, String>)> =
        theirs.states.keys().map(|state| (state.to_vec(), seen(compiled, &state))).collect();
    let ours_named: BTreeSet<BTreeMap<String, String>> =
        ours.states.keys().map(|state| seen(written, &state)).collect();
    let of_both = theirs_named.iter().filter(|(_, state)| ours_named.contains(state)).count() as u64;
    let new = theirs_named.iter().find(|(_, state)| !ours_named.contains(state));
    let answer = match new {
        None => Answer::Portable,
        Some((state, _)) => {
            states::all_known(&ours)?;
            let execution = states::ending_in(compiled, target.1, options, state, false)?;
            let state = format_state(state, compiled, &style);
            Answer::NotPortable { execution: Box::new(execution), state, failed: Vec::new() }
        }
    };
    let completeness =
        states::left_out(&answer, (written, source.1, &ours), (compiled, target.1, &theirs), options);
    Ok(Comparison {
        answer,
        of_target: Count::from(theirs_named.len() as u64),
        of_both: Count::from(of_both),
        of_source: Some(Count::from(ours_named.len() as u64)),
        counted: true,
        completeness,
    })
}
