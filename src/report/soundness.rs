//! Is a model sound for what hardware does? Only what was observed and the model forbids matters.

use std::io::{self, Write};

use serde::Serialize;

use super::{Side, several};
use crate::outcome::{Count, Difference, Relation};

/// What a comparison of observations with a model comes to.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Soundness {
    /// Where the observations come from.
    pub hardware: String,
    /// Where the answers of the model come from.
    pub model: String,
    /// Tests on both sides.
    pub compared: usize,
    /// Tests with an outcome that was observed and is forbidden.
    pub unsound: usize,
    /// Tests with an outcome that was observed and that a cut loop of the model's side may have hidden.
    pub undecided: usize,
    /// Those tests.
    pub tests: Vec<Suspect>,
    /// Outcomes that are allowed and were not observed.
    pub never_observed: Unseen,
    /// Tests that only the model has.
    pub silent: usize,
    /// Tests that only the hardware has.
    pub unpredicted: usize,
    /// Pairs of tests of one name that are different tests.
    pub mismatched: usize,
}

/// Outcomes, and of how many tests they are.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Debug)]
pub struct Unseen {
    pub outcomes: usize,
    pub tests: usize,
}

/// A test with outcomes that the model does not have.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Suspect {
    pub name: String,
    pub answer: Judged,
    /// How often the test was run.
    pub runs: Count,
    pub outcomes: Vec<Observed>,
}

/// What is wrong with a test's outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// The model forbids them.
    Unsound,
    /// A loop that was cut may hide them.
    Undecided,
}

/// An outcome, and how often it was seen.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Observed {
    pub state: String,
    pub seen: Count,
}

impl Soundness {
    /// Of `hardware` (the left side of each difference) and `model`.
    pub fn new(differences: &[Difference], hardware: &Side, model: &Side) -> Soundness {
        let mut found = Soundness {
            hardware: hardware.name.clone(),
            model: model.name.clone(),
            compared: 0,
            unsound: 0,
            undecided: 0,
            tests: Vec::new(),
            never_observed: Unseen::default(),
            silent: 0,
            unpredicted: 0,
            mismatched: 0,
        };
        for difference in differences {
            match difference.relation {
                Relation::OnlyLeft => found.unpredicted += 1,
                Relation::OnlyRight => found.silent += 1,
                Relation::HashMismatch => found.mismatched += 1,
                _ => found.add(difference),
            }
        }
        found
    }

    /// A test that both sides have.
    fn add(&mut self, difference: &Difference) {
        self.compared += 1;
        let (Some(left), Some(right)) = (difference.left, difference.right) else { return };
        self.never_observed.outcomes += difference.only_right.len();
        self.never_observed.tests += usize::from(!difference.only_right.is_empty());
        if difference.only_left.is_empty() {
            return;
        }
        // What a cut loop hides is not forbidden.
        let answer = if right.cut { Judged::Undecided } else { Judged::Unsound };
        match answer {
            Judged::Unsound => self.unsound += 1,
            Judged::Undecided => self.undecided += 1,
        }
        let outcomes = difference.only_left.iter().map(|state| Observed {
            state: state.to_string(),
            seen: left.states.get(*state).cloned().unwrap_or_default(),
        });
        self.tests.push(Suspect {
            name: difference.name.to_string(),
            answer,
            runs: left.states.values().sum(),
            outcomes: outcomes.collect(),
        });
    }

    /// What was observed though it is forbidden, and how often; everything else in a line.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for test in &self.tests {
            let (word, why) = match test.answer {
                Judged::Unsound => ("unsound", "forbidden"),
                Judged::Undecided => ("undecided", "perhaps in a loop that was cut"),
            };
            writeln!(out, "{word:13} {}", test.name)?;
            for Observed { state, seen } in &test.outcomes {
                let times = several(seen.clone(), "time");
                writeln!(out, "              {state} seen {times} of {}, {why}", test.runs)?;
            }
        }
        let mut line = |count: usize, text: String| match count {
            0 => Ok(()),
            _ => writeln!(out, "{text}"),
        };
        let tests = |n: usize| several(n as u64, "test");
        let never = several(self.never_observed.outcomes as u64, "outcome");
        line(
            self.never_observed.outcomes,
            format!("{never} of {} allowed, never observed", tests(self.never_observed.tests)),
        )?;
        line(self.silent, format!("{} not in {}", tests(self.silent), self.hardware))?;
        line(self.unpredicted, format!("{} without an answer of {}", tests(self.unpredicted), self.model))?;
        let pairs = several(self.mismatched as u64, "pair");
        line(self.mismatched, format!("{pairs} of one name and different hashes"))?;
        let compared = tests(self.compared);
        writeln!(out, "{} of {compared} with an outcome that was observed and is forbidden", self.unsound)
    }
}
