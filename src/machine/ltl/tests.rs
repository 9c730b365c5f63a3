//! Random formulas on random lassos: the automaton and the emptiness check against the definition of the logic.

use super::automaton::{Automaton, translate};
use super::emptiness::{Graph, accepting_run};
use super::eval::holds_on;
use super::formula::{Atom, Formula};

/// The product of an automaton with one word.
struct Product<'a> {
    automaton: &'a Automaton,
    word: &'a [u64],
    back: usize,
}

impl Graph for Product<'_> {
    type Stop = std::convert::Infallible;

    fn initial(&mut self) -> Result<Vec<u32>, Self::Stop> {
        Ok(vec![0])
    }

    fn successors(&mut self, state: u32, steps: &mut Vec<(u32, u64)>) -> Result<(), Self::Stop> {
        let n = self.word.len() as u32;
        let (at, of) = (state % n, state / n);
        let next = if at + 1 < n { at + 1 } else { self.back as u32 };
        for step in &self.automaton.states[of as usize] {
            if step.enabled(self.word[at as usize]) {
                steps.push((step.to * n + next, step.accepts));
            }
        }
        Ok(())
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

fn formula(random: &mut Random, depth: usize) -> Formula {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(12) {
            0 => Formula::True,
            1 => Formula::False,
            n => Formula::Literal(Atom((n % 3) as u8), random.below(2) == 0),
        };
    }
    let a = formula(random, depth - 1);
    match random.below(9) {
        0 => a.next(),
        1 => a.eventually(),
        2 => a.always(),
        3 => a.negated(),
        4 => a.and(formula(random, depth - 1)),
        5 => a.or(formula(random, depth - 1)),
        6 => a.until(formula(random, depth - 1)),
        7 => a.release(formula(random, depth - 1)),
        _ => a.eventually().always(),
    }
}

#[test]
fn automata_accept_what_formulas_say() {
    let cases: u64 = std::env::var("LITMUS_LTL").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let (mut yes, mut no) = (0, 0);
    for case in 0..cases {
        let mut random = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.below(2);
        let depth = 1 + random.below(3);
        let formula = formula(&mut random, depth);
        let Ok(automaton) = translate(&formula) else { continue };
        for _ in 0..4 {
            let n = 1 + random.below(6);
            let word: Vec<u64> = (0..n).map(|_| random.below(8) as u64).collect();
            let back = random.below(n);
            let expected = holds_on(&formula, &word, back)[0];
            let all = (1u64 << automaton.n_sets) - 1;
            let mut product = Product { automaton: &automaton, word: &word, back };
            let Ok(run) = accepting_run(&mut product, all);
            assert_eq!(run.is_some(), expected, "{formula} on {word:?} back to {back}");
            if let Some(run) = run {
                check(&mut product, &run, all);
                yes += 1;
            } else {
                no += 1;
            }
        }
    }
    println!("{yes} hold, {no} do not");
    assert!(yes > cases / 2 && no > cases / 2, "{yes} hold, {no} do not");
}

/// A lasso is one: each step is a step of the graph, and the cycle takes one of each set.
fn check(graph: &mut Product, run: &super::emptiness::Lasso, all: u64) {
    let states: Vec<u32> = run.stem.iter().chain(&run.cycle).copied().chain([run.cycle[0]]).collect();
    assert_eq!(states[0], 0);
    let mut sets = 0;
    let mut steps = Vec::new();
    for (at, pair) in states.windows(2).enumerate() {
        steps.clear();
        let Ok(()) = graph.successors(pair[0], &mut steps);
        let all_of_it: Vec<u64> =
            steps.iter().filter(|(to, _)| *to == pair[1]).map(|(_, sets)| *sets).collect();
        assert!(!all_of_it.is_empty(), "no step");
        if at >= run.stem.len() {
            sets |= all_of_it.iter().fold(0, |a, b| a | b);
        }
    }
    assert_eq!(sets & all, all);
}
