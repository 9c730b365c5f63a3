//! State lines of a result.

use crate::outcome::{StateStyle, format_state};

use super::Answer;

/// The state lines of an answer, in the order of a log.
pub fn lines(answer: &Answer) -> Vec<String> {
    first_lines(answer, usize::MAX).0
}

/// The first of them, and how many more there are.
pub fn first_lines(answer: &Answer, most: usize) -> (Vec<String>, usize) {
    let Some(outcome) = &answer.outcome else { return (Vec::new(), 0) };
    let style = StateStyle::default();
    let listed = outcome.states.listed(&answer.test.program, most);
    let lines: Vec<String> = listed.map(|(values, _)| format_state(&values, &answer.test, &style)).collect();
    let more = outcome.states.len() - lines.len();
    (lines, more)
}
