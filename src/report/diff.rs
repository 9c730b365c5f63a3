//! The comparison of two logs, in plain words.

use std::io::{self, Write};

use crate::outcome::{Difference, Log, LogTest, Relation};

/// One side of a comparison, for sentences.
#[derive(Clone, Debug)]
pub struct Side {
    /// The file's name, or `the model`.
    pub name: String,
    /// Are its outcomes observations of hardware?
    pub hardware: bool,
    /// Was it run for the comparison, and not read from a log?
    pub ran: bool,
}

impl Side {
    /// The side of tests that were run.
    pub fn run() -> Side {
        Side { name: "the model".to_string(), hardware: false, ran: true }
    }

    fn missing(&self) -> String {
        match self.ran {
            true => "no answer: not among the tests given, or not run to its end".to_string(),
            false => format!("missing in {}", self.name),
        }
    }

    /// A side named after its file; it is hardware if its log has histograms.
    pub fn of(name: impl Into<String>, log: &Log) -> Side {
        Side { name: name.into(), hardware: log.tests.iter().any(|test| test.hardware), ran: false }
    }
}

/// What to show.
#[derive(Clone, Copy, Default, Debug)]
pub struct DiffOptions {
    /// Leave out tests that agree.
    pub only_differences: bool,
    /// Numbers of witnesses must agree, too.
    pub counts: bool,
}

/// How many tests there are of each kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Tests on both sides.
    pub compared: usize,
    /// With the same outcomes.
    pub same: usize,
    /// The second side allows more.
    pub weaker: usize,
    /// The second side allows less.
    pub stronger: usize,
    /// Each side allows something that the other does not.
    pub incomparable: usize,
    /// Same outcomes, but another verdict or, where it matters, other numbers of witnesses.
    pub otherwise: usize,
    /// One name, two tests.
    pub mismatched: usize,
    /// Missing in the second.
    pub only_left: usize,
    /// Missing in the first.
    pub only_right: usize,
}

impl Tally {
    /// Is everything equal?
    pub fn equal(&self) -> bool {
        self.same == self.compared && self.mismatched + self.only_left + self.only_right == 0
    }
}

/// Writes a comparison: a line a test, its differing outcomes below it, a summary at the end.
pub fn write_diff(
    out: &mut dyn Write,
    differences: &[Difference],
    left: &Side,
    right: &Side,
    options: DiffOptions,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    for difference in differences {
        let remark = remark(difference, options);
        let differs = count(&mut tally, difference, remark.is_some());
        if !differs && options.only_differences {
            continue;
        }
        let word = match difference.relation {
            Relation::Same if differs => "differs",
            Relation::OnlyLeft | Relation::OnlyRight => "missing",
            Relation::HashMismatch => "other test",
            relation => relation.word(),
        };
        writeln!(out, "{word:13} {}", difference.name)?;
        for state in &difference.only_left {
            writeln!(out, "              {}", sentence(left, right, &state.to_string()))?;
        }
        for state in &difference.only_right {
            writeln!(out, "              {}", sentence(right, left, &state.to_string()))?;
        }
        match difference.relation {
            Relation::HashMismatch => {
                let hash = |test: Option<&LogTest>| test.and_then(|t| t.hash.clone()).unwrap_or_default();
                writeln!(
                    out,
                    "              not the same test: hash {} in {}, {} in {}",
                    hash(difference.left),
                    left.name,
                    hash(difference.right),
                    right.name
                )?;
            }
            Relation::OnlyLeft => writeln!(out, "              {}", right.missing())?,
            Relation::OnlyRight => writeln!(out, "              {}", left.missing())?,
            _ => {}
        }
        if let Some(remark) = remark {
            writeln!(out, "              {remark}")?;
        }
    }
    writeln!(out, "{}", summary(&tally, left, right))?;
    Ok(tally)
}

/// Counts one difference; is it one at all?
fn count(tally: &mut Tally, difference: &Difference, remarkable: bool) -> bool {
    let slot = match difference.relation {
        Relation::HashMismatch => &mut tally.mismatched,
        Relation::OnlyLeft => &mut tally.only_left,
        Relation::OnlyRight => &mut tally.only_right,
        _ => {
            tally.compared += 1;
            match difference.relation {
                Relation::Weaker => &mut tally.weaker,
                Relation::Stronger => &mut tally.stronger,
                Relation::Incomparable => &mut tally.incomparable,
                _ if remarkable => &mut tally.otherwise,
                _ => &mut tally.same,
            }
        }
    };
    *slot += 1;
    difference.relation != Relation::Same || remarkable
}

/// "hardware showed X, the model forbids it".
fn sentence(with: &Side, without: &Side, state: &str) -> String {
    match (with.hardware, without.hardware) {
        (true, false) => format!("{} showed {state} and {} forbids it", with.name, without.name),
        (false, true) => format!("{} allows {state} but {} did not show it", with.name, without.name),
        (true, true) => format!("{} showed {state} and {} did not", with.name, without.name),
        (false, false) => format!("{} allows {state} and {} forbids it", with.name, without.name),
    }
}

/// What differs besides the outcomes.
fn remark(difference: &Difference, options: DiffOptions) -> Option<String> {
    let (left, right) = (difference.left?, difference.right?);
    if difference.relation == Relation::HashMismatch {
        return None;
    }
    if difference.verdict_differs && difference.relation == Relation::Same {
        return Some(format!("verdict {} against {}", left.verdict.word(), right.verdict.word()));
    }
    if options.counts && difference.witnesses_differ {
        let show =
            |test: &LogTest| test.witnesses.as_ref().map_or("?".to_string(), |(p, n)| format!("{p}/{n}"));
        return Some(format!("witnesses (positive/negative) {} against {}", show(left), show(right)));
    }
    None
}

fn summary(tally: &Tally, left: &Side, right: &Side) -> String {
    let mut parts = vec![format!("{} the same", tally.same)];
    let mut add = |count: usize, text: String| {
        if count > 0 {
            parts.push(format!("{count} {text}"));
        }
    };
    add(tally.weaker, format!("weaker ({} allows more)", right.name));
    add(tally.stronger, format!("stronger ({} allows less)", right.name));
    add(tally.incomparable, "incomparable".to_string());
    add(tally.otherwise, "with the same outcomes but another verdict or other counts".to_string());
    add(tally.mismatched, "not comparable: one name, two tests".to_string());
    add(tally.only_left, format!("only in {}", left.name));
    add(tally.only_right, format!("only in {}", right.name));
    format!("{} compared: {}", super::several(tally.compared as u64, "test"), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Hashes, Width, compare};

    fn shown(a: &str, b: &str, options: DiffOptions) -> String {
        let (a, b) = (Log::read(a, Width::Int32), Log::read(b, Width::Int32));
        let mut out = Vec::new();
        let (left, right) = (Side::of("board.log", &a), Side::of("the model", &b));
        write_diff(&mut out, &compare(&a, &b, Hashes::Matter), &left, &right, options).unwrap();
        String::from_utf8(out).unwrap()
    }

    const MODEL: &str = "Test MP Allowed\nStates 2\n1:R0=0; 1:R1=0;\n1:R0=1; 1:R1=1;\nNo\nWitnesses\nPositive: 0 Negative: 2\nHash=aa\n\n\
                         Test SB Allowed\nStates 1\n0:R0=0;\nOk\nWitnesses\nPositive: 1 Negative: 0\nHash=bb\n\n";

    #[test]
    fn hardware_against_a_model() {
        let board = "Test MP Allowed\nHistogram (2 states)\n10 :>1:R0=0; 1:R1=0;\n3 :>1:R0=1; 1:R1=0;\nOk\nHash=aa\n\n";
        insta::assert_snapshot!(shown(board, MODEL, DiffOptions::default()), @r"
        incomparable  MP
                      board.log showed 1:R0=1; 1:R1=0; and the model forbids it
                      the model allows 1:R0=1; 1:R1=1; but board.log did not show it
        missing       SB
                      missing in board.log
        1 test compared: 0 the same, 1 incomparable, 1 only in the model
        ");
    }

    #[test]
    fn counts_matter_when_asked() {
        let other = MODEL.replace("Positive: 1", "Positive: 4");
        insta::assert_snapshot!(shown(MODEL, &other, DiffOptions { only_differences: true, counts: false }), @"2 tests compared: 2 the same");
        insta::assert_snapshot!(shown(MODEL, &other, DiffOptions { only_differences: true, counts: true }), @r"
        differs       SB
                      witnesses (positive/negative) 1/0 against 4/0
        2 tests compared: 1 the same, 1 with the same outcomes but another verdict or other counts
        ");
    }

    #[test]
    fn one_name_two_tests() {
        let other = MODEL.replace("Hash=bb", "Hash=cc");
        insta::assert_snapshot!(shown(MODEL, &other, DiffOptions { only_differences: true, counts: false }), @r"
        other test    SB
                      not the same test: hash bb in board.log, cc in the model
        1 test compared: 1 the same, 1 not comparable: one name, two tests
        ");
    }
}
