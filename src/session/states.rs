//! State lines of a result.

use crate::outcome::{Lines, StateStyle};

use super::Answer;

/// The state lines of an answer, in the order of a log.
pub fn lines(answer: &Answer) -> Vec<String> {
    first_lines(answer, usize::MAX).0
}

/// The first of them, and how many more there are.
pub fn first_lines(answer: &Answer, most: usize) -> (Vec<String>, usize) {
    let Some(outcome) = &answer.outcome else { return (Vec::new(), 0) };
    let mut written = Lines::new(&outcome.states, &answer.test, StateStyle::default(), most);
    let mut lines = Vec::new();
    while let Some((line, _)) = written.advance() {
        lines.push(line.to_string());
    }
    let more = outcome.states.len() - lines.len();
    (lines, more)
}
