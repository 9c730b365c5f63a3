//! "Did you mean …?": the known name closest to a misspelt one.

use std::cmp::Reverse;

/// The candidate nearest to `name` by edit distance, if one is near enough to be worth offering.
/// Ties go to one with the same digits (`LDRR` is rather `LDR` than `LD1R`), then to the one that begins alike for longer (`poo` is rather
/// `po` than `pco`), then to the alphabetically first, so that messages are stable.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    candidates
        .into_iter()
        // Each letter more or less is one change at least.
        .filter(|candidate| *candidate != name && candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| {
            let digits = digits(name) != digits(candidate);
            (distance(name, candidate), digits, Reverse(alike(name, candidate)), candidate)
        })
        .filter(|(distance, ..)| *distance <= limit)
        .min()
        .map(|(.., candidate)| candidate)
}

/// Is `name` one slip away from a known name: a letter too many, missing, wrong, or two exchanged? The first letter is never the wrong
/// one, and what differs by a digit is meant to: `vloc` is not `loc`, nor `SC1` `SC2`.
pub fn is_slip<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> bool {
    known.into_iter().any(|other| {
        name.chars().next() == other.chars().next()
            && !name.eq_ignore_ascii_case(other)
            && distance(name, other) == 1
            && digits(name) == digits(other)
    })
}

/// How many characters two names begin with in common.
fn alike(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Damerau-Levenshtein distance (adjacent transpositions count one), case differences count one in all.
fn distance(a: &str, b: &str) -> usize {
    if a.eq_ignore_ascii_case(b) {
        return 1;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 4 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{is_slip, nearest};

    #[test]
    fn a_slip_is_one_letter() {
        assert!(is_slip("po-lco", ["po-loc"]) && is_slip("rfee", ["rfe"]) && is_slip("dta", ["data"]));
        assert!(!is_slip("dmb.st", ["DMB.ST", "dmb.sy.x"]));
        assert!(!is_slip("vloc", ["loc"]) && !is_slip("SEM0", ["SEM1"]) && !is_slip("SEM", ["SEM1"]));
    }

    #[test]
    fn offers_the_closest_name_only_when_it_is_close() {
        assert_eq!(nearest("STLXP", ["STXP", "LDR"]), Some("STXP"));
        assert_eq!(nearest("rfee", ["rfe", "rfi", "po"]), Some("rfe"));
        assert_eq!(nearest("poo", ["pco", "po", "rf"]), Some("po"));
        assert_eq!(nearest("Po", ["po", "pox"]), Some("po"));
        assert_eq!(nearest("xyzzy", ["po", "rf"]), None);
    }
}
