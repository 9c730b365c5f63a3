//! Repairs: the smallest sets of changes (fences, stronger accesses) that make an outcome impossible.
//!
//! What there is to change comes from a [`vocabulary()`], where it goes from [`patch`]; whether a changed test still allows the outcome
//! is asked of whoever can say, so that nothing here knows how tests are run.

pub mod patch;
pub mod vocabulary;

use patch::{Change, Places, What, apply, changes};
use vocabulary::vocabulary;

use crate::litmus::Test;
use crate::program::Program;

/// The most changes of a repair.
pub const MOST: usize = 3;

/// How many changed tests are run at most.
const TRIES: usize = 20_000;

/// A set of changes that makes the outcome impossible; none of them can be left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// The changes.
    pub changes: Vec<Change>,
    /// What they cost together.
    pub cost: u32,
    /// The changed test.
    pub text: String,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Repairs {
    /// All repairs of the smallest size, the cheapest first.
    pub list: Vec<Repair>,
    /// Was the search cut short?
    pub incomplete: bool,
    /// How many changed tests were run.
    pub tried: usize,
}

/// The smallest repairs of a test. `forbids` says whether a changed test makes the outcome impossible; `None`: it cannot be run.
pub fn repairs(
    test: &Test,
    program: &Program,
    text: &str,
    forbids: &mut dyn FnMut(&str) -> Option<bool>,
) -> Repairs {
    let mut found = Repairs::default();
    let Some(vocabulary) = vocabulary(test.arch, text) else { return found };
    let places = Places::new(program);
    let all = changes(&vocabulary, &places, text);
    for size in 1..=MOST {
        let mut picked = Vec::new();
        search(&all, 0, size, &mut picked, &mut |set| {
            if found.tried >= TRIES {
                found.incomplete = true;
                return false;
            }
            found.tried += 1;
            if let Some(changed) = apply(test, &places, text, set)
                && forbids(&changed) == Some(true)
            {
                let changes: Vec<Change> = set.iter().map(|change| (*change).clone()).collect();
                let cost = changes.iter().map(|change| change.cost).sum();
                found.list.push(Repair { changes, cost, text: changed });
            }
            true
        });
        if !found.list.is_empty() || found.incomplete {
            break;
        }
    }
    found.list.sort_by_key(|repair| repair.cost);
    found
}

/// Every set of that many changes, at most one fence and one stronger form for each access.
fn search<'c>(
    all: &'c [Change],
    from: usize,
    left: usize,
    picked: &mut Vec<&'c Change>,
    f: &mut dyn FnMut(&[&Change]) -> bool,
) -> bool {
    if left == 0 {
        return f(picked);
    }
    for at in from..all.len() {
        let change = &all[at];
        let clash = |other: &&Change| {
            (other.thread, other.access) == (change.thread, change.access)
                && matches!(other.what, What::Insert(_)) == matches!(change.what, What::Insert(_))
        };
        if picked.iter().any(clash) {
            continue;
        }
        picked.push(change);
        let go_on = search(all, at + 1, left - 1, picked, f);
        picked.pop();
        if !go_on {
            return false;
        }
    }
    true
}
