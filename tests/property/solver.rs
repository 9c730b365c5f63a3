//! The solver against the explorer and the oracle, on random programs.

use litmus::explore::{self, Engine, Mode};
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::sat;
use litmus::session::{Session, Settings};

use crate::program::{Arch, Program};
use crate::random::Random;
use crate::{
    Library, arch_id, candidates, cases, hostile, load_text, lower, model, options, under_the_library,
};

#[derive(Default)]
struct Tally {
    cases: u64,
    states: u64,
    refused: u64,
    rounds: u64,
}

/// The same states, flags, cut loops and verdicts, or errors on both sides.
fn compare(test: &Lowered, model: &Model, other: Engine, told: &dyn Fn() -> String, tally: &mut Tally) {
    let expected = explore::run(test, model, &options(Mode::States, other, 1));
    let solved = sat::run(test, model, &options(Mode::States, Engine::Sat, 1));
    let (expected, solved) = match (expected, solved) {
        (Ok(expected), Ok(solved)) => (expected, solved),
        (Err(_), Err(_)) => return,
        (Ok(_), Err(error)) if error.code.starts_with("sat::") => {
            tally.refused += 1;
            return;
        }
        (expected, solved) => panic!("only one has an answer: {expected:?}\n{solved:?}\n{}", told()),
    };
    tally.cases += 1;
    tally.states += expected.states.len() as u64;
    tally.rounds += solved.stats.graphs;
    let keys = |outcome: &litmus::outcome::Outcome| outcome.states.keys().collect::<Vec<_>>();
    assert_eq!(keys(&expected), keys(&solved), "states: {}", told());
    assert_eq!((&expected.flags, expected.undefined), (&solved.flags, solved.undefined), "flags: {}", told());
    assert_eq!(expected.violations, solved.violations, "violations: {}", told());
    assert_eq!(expected.completeness, solved.completeness, "completeness: {}", told());
    assert_eq!(expected.why_empty.is_some(), solved.why_empty.is_some(), "why empty: {}", told());
    let checked = sat::run(test, model, &options(Mode::Check, Engine::Sat, 1)).expect("a verdict");
    assert_eq!(checked.undefined, expected.undefined, "check: {}", told());
    if !expected.undefined {
        assert_eq!(checked.holds(&test.condition), expected.holds(&test.condition), "check: {}", told());
    }
}

impl Tally {
    fn must_be_telling(&self) {
        let Tally { cases, states, refused, rounds } = self;
        println!("{cases} cases, {states} states, {rounds} proposals; {refused} refused");
        assert!(self.states > self.cases && self.refused <= self.cases / 4);
    }
}

#[test]
fn the_solver_equals_the_explorer_under_the_models_of_the_library() {
    let mut tally = Tally::default();
    under_the_library(cases(20, 240), 0x5A7 << 36, |test, model, told, random| {
        let other = *random.pick(&[Engine::Explore, Engine::Naive]);
        compare(test, model, other, told, &mut tally);
    });
    tally.must_be_telling();
}

#[test]
fn the_solver_equals_the_explorer_under_other_models() {
    let session = Session::new(Settings::default());
    let mut tally = Tally::default();
    let random_models = cases(4, 25).map(|case| {
        let mut random = Random::new(case ^ 0x5A8 << 36);
        (case, model::random(&mut random), random)
    });
    let hostile = hostile::MODELS.into_iter().enumerate().map(|(number, (name, text))| {
        let case = number as u64;
        (case, format!("\"{name}\"\n{text}\n"), Random::new(case ^ 0x5A9 << 36))
    });
    for (case, text, mut random) in random_models.chain(hostile) {
        let arch = *random.pick(&[Arch::X86, Arch::AArch64, Arch::RiscV]);
        let model = load_text(&text, arch_id(arch));
        for _ in 0..4 {
            let program = Program::random(arch, &mut random);
            let test = lower(&session, &program.text());
            let most = if text.contains("linearisations") { 6.0 } else { 40.0 };
            if candidates(&test) <= most {
                let told = || format!("case {case}\n{text}\n{}", program.text());
                compare(&test, &model, Engine::Explore, &told, &mut tally);
            }
        }
    }
    println!("{} cases, {} refused", tally.cases, tally.refused);
}

#[test]
fn the_solver_equals_the_explorer_on_loops() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(4, 40) {
        let mut random = Random::new(case ^ 0x5AA << 36);
        let text = crate::loops::program(&mut random);
        let test = lower(&session, &text);
        let name = *random.pick(&["rc11", "sc", "tso", "pso"]);
        let model = library.get(name, Arch::C);
        compare(&test, model, Engine::Explore, &|| format!("case {case} under {name}\n{text}"), &mut tally);
    }
    println!("{} cases, {} states, {} proposals", tally.cases, tally.states, tally.rounds);
}

/// Two threads and many doors: at each, a thread raises its flag, looks at the other's, and goes in if that is down. Every door is a branch, so
/// that a thread has 2^N paths. Nobody meets the other behind a door under SC; with buffers somebody does, unless there are fences.
fn doors(rounds: usize, fenced: bool) -> String {
    let thread = |number: usize, own: &str, other: &str, inside: &str| {
        let names = [own, other, inside];
        let parameters: Vec<String> =
            (0..rounds).flat_map(|i| names.map(|name| format!("atomic_int* {name}{i}"))).collect();
        let mut text = format!("P{number} ({}) {{\n", parameters.join(", "));
        for i in 0..rounds {
            let fence = if fenced { "  atomic_thread_fence(memory_order_seq_cst);\n" } else { "" };
            text += &format!(
                "  atomic_store_explicit({own}{i}, 1, memory_order_relaxed);\n{fence}  int r{i} = \
                 atomic_load_explicit({other}{i}, memory_order_relaxed);\n  if (r{i} == 0) {{ \
                 atomic_store_explicit({inside}{i}, 1, memory_order_relaxed); }}\n"
            );
        }
        text + "}\n"
    };
    let met: Vec<String> = (0..rounds).map(|i| format!("(c{i}=1 /\\ d{i}=1)")).collect();
    let threads = thread(0, "a", "b", "c") + &thread(1, "b", "a", "d");
    format!("C doors-{rounds}\n{{}}\n{threads}exists ({})\n", met.join(" \\/ "))
}

#[test]
fn doors_are_safe_or_not() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    for (model, fenced, met) in [
        ("sc", false, false),
        ("tso", false, true),
        ("pso", false, true),
        ("tso", true, false),
        ("pso", true, false),
    ] {
        let test = lower(&session, &doors(5, fenced));
        let model_ = library.get(model, Arch::C);
        let solved = sat::run(&test, model_, &options(Mode::Check, Engine::Sat, 1)).expect("a verdict");
        assert_eq!(solved.positive > 0, met, "{model}, fences: {fenced}");
    }
}

/// The figures of `docs/solver.md`.
#[test]
#[ignore = "takes minutes"]
fn figures() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let limit = Some(std::time::Duration::from_secs(60));
    for (model, fenced) in [("sc", false), ("tso", false), ("pso", false), ("tso", true), ("pso", true)] {
        for rounds in [2, 4, 6, 8, 10] {
            let test = lower(&session, &doors(rounds, fenced));
            let model_ = library.get(model, Arch::C);
            let mut line = format!("{model:4} fences: {fenced:5} doors: {rounds:2}");
            for engine in [Engine::Auto, Engine::Sat] {
                let options = litmus::explore::Options { timeout: limit, ..options(Mode::Check, engine, 1) };
                let started = std::time::Instant::now();
                let found = match engine {
                    Engine::Sat => sat::run(&test, model_, &options),
                    _ => explore::run(&test, model_, &options),
                };
                let answer = match found {
                    Ok(found) if found.completeness == litmus::outcome::Completeness::TimedOut => {
                        "-".to_string()
                    }
                    Ok(found) => format!("{} after {}", found.positive > 0, found.stats.graphs),
                    Err(error) => error.code.to_string(),
                };
                line += &format!("  {engine:?}: {answer} in {:.2} s", started.elapsed().as_secs_f64());
            }
            println!("{line}");
        }
    }
}
