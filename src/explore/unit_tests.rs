//! Parts of a search are the search, and walks say how large it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::tests::{Random, random_model, random_program};
use super::*;
use crate::outcome::Count;
use crate::program::Value;

fn counting() -> Options {
    Options { engine: Engine::Explore, ..Options::default() }
}

/// The outcome of subtrees, and what they leave to others.
fn run_part(
    test: &Lowered,
    model: &Model,
    subtrees: Vec<Subtree>,
    patience: Patience,
) -> Result<(Outcome, Vec<Subtree>), Diagnostic> {
    // As they are written and read.
    let subtrees = subtrees.iter().map(|subtree| subtree.to_string().parse().expect("a subtree")).collect();
    let portion = Arc::new(Portion::Listed(Listed { subtrees, patience, ..Listed::default() }));
    let outcome = run(test, model, &Options { unit: Some(portion.clone()), ..counting() })?;
    let Portion::Listed(listed) = &*portion else { unreachable!("made above") };
    Ok((outcome, listed.rest()))
}

/// Figures of outcomes, added up.
#[derive(Default, PartialEq, Debug)]
struct Sum {
    states: BTreeMap<Vec<Value>, Count>,
    counts: (Count, Count),
    flags: BTreeSet<String>,
    undefined: bool,
}

impl Sum {
    fn add(&mut self, part: &Outcome) {
        self.counts.0 += &part.positive;
        self.counts.1 += &part.negative;
        self.flags.extend(part.flags.iter().cloned());
        self.undefined |= part.undefined;
        for (state, count) in part.states.iter() {
            *self.states.entry(state).or_default() += count;
        }
    }

    fn of(outcome: &Outcome) -> Sum {
        let mut sum = Sum::default();
        sum.add(outcome);
        sum
    }
}

#[test]
fn the_parts_of_a_search_are_the_search() {
    let (mut parts_seen, mut left_seen, mut executions) = (0, 0, 0);
    for seed in 1..=super::tests::cases() / 6 {
        let mut random = Random::new(seed ^ 0x5911_7000);
        let test = random_program(&mut random);
        let model = random_model(&mut random);
        let Ok(whole) = run(&test, &model, &counting()) else { continue };
        for parts in [1, 3, 40] {
            let shares = survey(&test, &model, &counting(), parts, seed).expect("a survey");
            parts_seen += shares.len();
            let mut sum = Sum::default();
            let mut waiting: Vec<Vec<Subtree>> =
                shares.into_iter().map(|share| vec![share.subtree]).collect();
            // Each part gives up after so many graphs, and the rest is done by others, and so on.
            let graphs = Some(1 + seed % 4).filter(|_| parts == 3);
            while let Some(subtrees) = waiting.pop() {
                let patience = Patience { graphs, time: None };
                let (outcome, rest) = run_part(&test, &model, subtrees, patience).expect("an answer");
                sum.add(&outcome);
                left_seen += rest.len();
                waiting.extend(rest.into_iter().map(|subtree| vec![subtree]));
            }
            assert_eq!(sum, Sum::of(&whole), "case {seed} in {parts} parts");
        }
        executions += whole.stats.executions.saturating_word();
    }
    assert!(executions > 50 && parts_seen > 200 && left_seen > 20, "{executions} {parts_seen} {left_seen}");
}

/// The mean over all walks is the truth: over many random ones it comes near.
#[test]
fn walks_say_how_large_a_search_is() {
    let (mut cases, mut strays) = (0, 0);
    for seed in 1..=150 {
        let mut random = Random::new(seed ^ 0x3A1C_5000);
        let test = random_program(&mut random);
        let model = random_model(&mut random);
        let Ok(whole) = run(&test, &model, &counting()) else { continue };
        if whole.stats.executions < 4 {
            continue;
        }
        // Many independent surveys of a few walks each.
        let mut guesses = Vec::new();
        for seed in 0..40 {
            let shares = survey(&test, &model, &counting(), 1, seed).expect("a survey");
            guesses.push(Guess::sum(shares.iter().map(|share| share.executions)).mean);
        }
        let all = Guess::of(guesses.iter().copied());
        let truth = whole.stats.executions.as_f64();
        let deviation = all.variance.sqrt().max(truth * 1e-9);
        assert!(
            (all.mean - truth).abs() < 6.0 * deviation + truth * 0.05,
            "case {seed}: {truth} is not {all:?}"
        );
        cases += 1;
        strays += u32::from((all.mean - truth).abs() > 3.0 * deviation);
    }
    assert!(cases > 8 && strays * 10 <= cases, "{strays} of {cases}");
}
