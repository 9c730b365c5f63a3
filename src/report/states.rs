//! State lines of a result.

use std::collections::BTreeMap;

use crate::outcome::{StateStyle, first_states, format_state, sorted_states};
use crate::program::Value;
use crate::session::Answer;

/// The state lines of an answer, in the order of a log.
pub fn lines(answer: &Answer) -> Vec<String> {
    states(answer).into_iter().map(|state| state.line).collect()
}

/// The first of them, and how many more there are.
pub fn first_lines(answer: &Answer, most: usize) -> (Vec<String>, usize) {
    let Some(outcome) = &answer.outcome else { return (Vec::new(), 0) };
    let style = StateStyle::default();
    let sorted = first_states(outcome.states.keys(), &answer.test.program, most);
    let more = outcome.states.len() - sorted.len();
    (sorted.into_iter().map(|values| format_state(values, &answer.test, &style)).collect(), more)
}

/// One final state.
pub struct State<'a> {
    /// As a log shows it.
    pub line: String,
    /// The values of `Lowered::shown`.
    pub values: &'a [Value],
    /// The number of executions that end in it.
    pub witnesses: u64,
}

/// The final states of an answer, in the order of a log.
pub fn states(answer: &Answer) -> Vec<State<'_>> {
    let Some(outcome) = &answer.outcome else { return Vec::new() };
    let style = StateStyle::default();
    sorted_states(outcome.states.keys(), &answer.test.program)
        .into_iter()
        .map(|values| State {
            line: format_state(values, &answer.test, &style),
            values,
            witnesses: outcome.states.get(values).copied().unwrap_or(0),
        })
        .collect()
}

/// The bindings of a state line: location to value.
pub fn bindings(line: &str) -> BTreeMap<String, String> {
    line.split(';')
        .filter_map(|part| part.trim().split_once('='))
        .map(|(place, value)| (place.to_string(), value.to_string()))
        .collect()
}
