//! Compares two logs test by test.

use std::collections::BTreeMap;

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
    let by_name = |log: &'a Log| {
        let mut tests: BTreeMap<&'a str, Vec<&'a LogTest>> = BTreeMap::new();
        for test in &log.tests {
            let same = tests.entry(&test.name).or_default();
            // The first block of a test counts.
            if !same.iter().any(|other| hashes == Hashes::Ignored || other.hash == test.hash) {
                same.push(test);
            }
        }
        tests
    };
    let (left, mut right) = (by_name(left), by_name(right));
    let mut differences = Vec::new();
    for (name, tests) in left {
        let mut others = right.remove(name).unwrap_or_default();
        let mut alone = Vec::new();
        // Where several tests have one name, those that are the same test belong together.
        for test in tests {
            match others.iter().position(|other| other.hash == test.hash) {
                Some(at) => differences.push(one(name, Some(test), Some(others.remove(at)), hashes)),
                None => alone.push(test),
            }
        }
        let mut others = others.into_iter();
        differences.extend(alone.into_iter().map(|test| one(name, Some(test), others.next(), hashes)));
        differences.extend(others.map(|other| one(name, None, Some(other), hashes)));
    }
    let rest = right.into_iter().flat_map(|(name, tests)| tests.into_iter().map(move |test| (name, test)));
    differences.extend(rest.map(|(name, test)| one(name, None, Some(test), hashes)));
    differences.sort_by_key(|difference| difference.name);
    differences
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

    #[test]
    fn several_tests_of_one_name() {
        let left = log(&[("SB", &["x=1;"], "h"), ("SB", &["x=2;"], "k"), ("SB", &["x=3;"], "l")]);
        let right = log(&[("SB", &["x=2;"], "k"), ("SB", &["x=1;", "x=4;"], "h")]);
        let words = |left, right, hashes| -> Vec<&str> {
            compare(left, right, hashes).iter().map(|d| d.relation.word()).collect()
        };
        assert_eq!(words(&left, &right, Hashes::Matter), ["weaker", "same", "only-left"]);
        assert_eq!(words(&right, &left, Hashes::Matter), ["same", "stronger", "only-right"]);
        assert_eq!(words(&left, &right, Hashes::Ignored), ["incomparable"]);
    }
}
