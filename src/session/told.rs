//! Which of the tests given tell two models apart?

use std::collections::BTreeSet;

use super::{Input, Report, Session, in_order};
use crate::outcome::{StateStyle, format_state};

/// What two models say of one test.
#[derive(Clone, Debug)]
pub struct Told {
    /// The test's name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// How many instructions it has.
    pub size: usize,
    /// Outcomes that the first allows and the second does not, and the other way round.
    pub only: [Vec<String>; 2],
}

/// What became of the tests.
#[derive(Debug, Default)]
pub struct ByTests {
    /// Those with an answer under both models that differ, smallest first.
    pub told: Vec<Told>,
    /// How many had an answer under both.
    pub tests: usize,
    /// Those that had none.
    pub failed: Vec<Report>,
}

/// Compares the outcomes of tests under two models.
pub fn by_tests(session: &Session, models: [&str; 2], inputs: &[Input], jobs: usize) -> ByTests {
    let mut all = ByTests::default();
    in_order(
        inputs.len(),
        jobs,
        |at| models.map(|model| session.run(&inputs[at], Some(model))),
        |_, reports| {
            let whole = |report: &Report| report.outcome().is_some() && !report.is_cut_short();
            if let Some(at) = reports.iter().position(|report| !whole(report)) {
                let [first, second] = reports;
                all.failed.push(if at == 0 { first } else { second });
                return true;
            }
            all.tests += 1;
            let [first, second] = [states(&reports[0]), states(&reports[1])];
            if first != second {
                let size = reports[0].answer.as_ref().map_or(0, |answer| {
                    answer.test.program.threads.iter().map(|thread| thread.code.len()).sum()
                });
                all.told.push(Told {
                    name: reports[0].title().to_string(),
                    file: reports[0].file.clone(),
                    size,
                    only: [
                        first.difference(&second).cloned().collect(),
                        second.difference(&first).cloned().collect(),
                    ],
                });
            }
            true
        },
    );
    all.told.sort_by(|a, b| (a.size, &a.name).cmp(&(b.size, &b.name)));
    all
}

/// The outcomes of a test, as logs have them.
fn states(report: &Report) -> BTreeSet<String> {
    let Some(answer) = &report.answer else { return BTreeSet::new() };
    let Some(outcome) = &answer.outcome else { return BTreeSet::new() };
    let style = StateStyle::default();
    outcome.states.keys().map(|state| format_state(&state, &answer.test, &style)).collect()
}
