//! Compares two logs test by test.

use super::log::{Log, LogTest, State};

/// What two logs say about one test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference<'a> {
    /// The test's name.
    pub name: &'a str,
    /// The first log's account of it.
    pub left: Option<&'a LogTest>,
    /// The second log's.
    pub right: Option<&'a LogTest>,
    /// How their sets of states relate.
    pub relation: Relation,
    /// States that only the first has.
    pub only_left: Vec<&'a State>,
    /// States that only the second has.
    pub only_right: Vec<&'a State>,
    /// Do the verdicts differ?
    pub verdict_differs: bool,
    /// Do the numbers of witnesses differ (both being a simulator's)?
    pub witnesses_differ: bool,
}

/// How the states of the second log relate to those of the first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// The same set.
    Same,
    /// The second has all of the first's states and more.
    Weaker,
    /// The second has only some of the first's.
    Stronger,
    /// Each has states that the other has not.
    Incomparable,
    /// Both have the name, but it stands for different tests.
    HashMismatch,
    /// Only the first log has the test.
    OnlyLeft,
    /// Only the second log has it.
    OnlyRight,
}

impl Relation {
    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::Weaker => "weaker",
            Relation::Stronger => "stronger",
            Relation::Incomparable => "incomparable",
            Relation::HashMismatch => "hash-mismatch",
            Relation::OnlyLeft => "only-left",
            Relation::OnlyRight => "only-right",
        }
    }
}

/// Are tests of one name but different hashes the same test?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hashes {
    /// No: they are told apart.
    #[default]
    Matter,
    /// Names decide.
    Ignored,
}

/// Compares two logs; tests in alphabetical order.
pub fn compare<'a>(left: &'a Log, right: &'a Log, hashes: Hashes) -> Vec<Difference<'a>> {
    let by_name = |log: &'a Log| -> std::collections::BTreeMap<&'a str, &'a LogTest> {
        // The first block of a name counts.
        log.tests.iter().rev().map(|test| (test.name.as_str(), test)).collect()
    };
    let (left, right) = (by_name(left), by_name(right));
    let mut names: Vec<&str> = left.keys().chain(right.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .map(|name| one(name, left.get(name).copied(), right.get(name).copied(), hashes))
        .collect()
}

fn one<'a>(
    name: &'a str,
    left: Option<&'a LogTest>,
    right: Option<&'a LogTest>,
    hashes: Hashes,
) -> Difference<'a> {
    let mut difference = Difference {
        name,
        left,
        right,
        relation: Relation::Same,
        only_left: Vec::new(),
        only_right: Vec::new(),
        verdict_differs: false,
        witnesses_differ: false,
    };
    let (a, b) = match (left, right) {
        (Some(a), Some(b)) => (a, b),
        (Some(_), None) => {
            difference.relation = Relation::OnlyLeft;
            return difference;
        }
        _ => {
            difference.relation = Relation::OnlyRight;
            return difference;
        }
    };
    let mismatch = matches!((&a.hash, &b.hash), (Some(a), Some(b)) if a != b);
    if mismatch && hashes == Hashes::Matter {
        difference.relation = Relation::HashMismatch;
        return difference;
    }
    difference.only_left = a.states.keys().filter(|state| !b.states.contains_key(state)).collect();
    difference.only_right = b.states.keys().filter(|state| !a.states.contains_key(state)).collect();
    difference.relation = match (difference.only_left.is_empty(), difference.only_right.is_empty()) {
        (true, true) => Relation::Same,
        (true, false) => Relation::Weaker,
        (false, true) => Relation::Stronger,
        (false, false) => Relation::Incomparable,
    };
    difference.verdict_differs = a.verdict != b.verdict;
    difference.witnesses_differ = !a.hardware && !b.hardware && a.witnesses != b.witnesses;
    difference
}

#[cfg(test)]
mod tests {
    use super::super::log::Width;
    use super::*;

    fn log(tests: &[(&str, &[&str], &str)]) -> Log {
        let blocks = tests.iter().map(|(name, states, hash)| {
            let states: String = states.iter().map(|state| format!("{state}\n")).collect();
            format!("Test {name} Allowed\nStates {}\n{states}Ok\nHash={hash}\n\n", states.lines().count())
        });
        Log::read(&blocks.collect::<String>(), Width::Int32)
    }

    #[test]
    fn every_relation() {
        let left = log(&[
            ("same", &["x=1;"], "h"),
            ("more", &["x=1;"], "h"),
            ("less", &["x=1;", "x=2;"], "h"),
            ("both", &["x=1;"], "h"),
            ("other", &["x=1;"], "h"),
            ("gone", &["x=1;"], "h"),
        ]);
        let right = log(&[
            ("both", &["x=2;"], "h"),
            ("less", &["x=2;"], "h"),
            ("more", &["x=2;", "x=1;"], "h"),
            ("new", &[], "h"),
            ("other", &["x=1;"], "k"),
            ("same", &["[x]=0x1;"], "h"),
        ]);
        let words = |hashes| -> Vec<String> {
            let all = compare(&left, &right, hashes);
            all.iter().map(|d| format!("{} {}", d.name, d.relation.word())).collect()
        };
        let expected = [
            "both incomparable",
            "gone only-left",
            "less stronger",
            "more weaker",
            "new only-right",
            "other hash-mismatch",
            "same same",
        ];
        assert_eq!(words(Hashes::Matter), expected);
        assert_eq!(words(Hashes::Ignored)[5], "other same");
        let all = compare(&left, &right, Hashes::Matter);
        assert_eq!(all[2].only_left[0].to_string(), "x=1;");
        assert_eq!(all[3].only_right[0].to_string(), "x=2;");
    }
}
