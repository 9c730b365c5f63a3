//! Very many small programs, with loops, updates, locks, indexed cells and awaits, each under a model that grows: `grow` against `worlds`, one by one in
//! one process. What is compared is what the other tests compare; what takes long is left to them: programs have few paths, a random model is
//! used for many programs, and the oracle and the other modes are asked about some of the cases.
//!
//! `LITMUS_CASES=1000000 cargo test --release --test property many:: -- --nocapture` runs a million.

use std::time::Duration;

use litmus::execution::unfold;
use litmus::explore::{self, Engine, Mode, Options};
use litmus::grow;
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::outcome::Completeness;
use litmus::session::{Session, Settings};

use crate::grow::{Notes, model_text};
use crate::program::{Arch, Program};
use crate::random::Random;
use crate::{Library, arch_id, candidates, cases, figures, lower, options};

/// More combinations of paths are left to the other tests.
const PATHS: usize = 32;

/// What takes `worlds` longer is left to them, too: a few paths may have many values to be solved.
const PATIENCE: Duration = Duration::from_millis(20);

/// One case in so many is also shown to the oracle, if it has few candidates, and asked in the other modes.
const SELDOM: u64 = 8;

/// A random model is used for so many programs.
const PROGRAMS: u64 = 64;

/// Models of the library that grow, by architecture.
const MODELS: [(Arch, &[&str]); 9] = [
    (Arch::C, &["rc11", "rc20", "sc", "tso", "pso", "rmo", "imm", "minimal"]),
    (Arch::C, &["rc11", "rc20", "sc", "tso", "pso", "rmo", "imm", "minimal"]),
    (Arch::Kernel, &["lkmm"]),
    (Arch::RiscV, &["riscv", "riscv", "rmo", "tso"]),
    (Arch::X86, &["x86tso", "tso", "sc", "pso", "rmo"]),
    (Arch::Ppc, &["ppc", "rmo"]),
    (Arch::Arm, &["armv7", "arm-a9"]),
    (Arch::Mips, &["mips", "rmo"]),
    (Arch::AArch64, &["sc", "tso", "pso", "rmo"]),
];

#[derive(Default)]
struct Tally {
    compared: u64,
    executions: u64,
    looped: u64,
    large: u64,
    slow: u64,
    refused: u64,
    oracle: u64,
    random: u64,
}

/// A program with a loop in it, if there are any for its architecture and it is to have one.
fn program(arch: Arch, random: &mut Random) -> String {
    match arch {
        Arch::C if random.chance(75) => crate::loops::program(random),
        Arch::Kernel if random.chance(60) => crate::loops::kernel(random),
        Arch::RiscV if random.chance(60) => crate::loops::riscv(random),
        _ => Program::random(arch, random).text(),
    }
}

/// Has a test few combinations of paths?
fn is_small(test: &Lowered) -> bool {
    let Ok(worlds) = unfold(&test.program, 2, &[]) else { return false };
    worlds.n_paths().iter().fold(1usize, |product, paths| product.saturating_mul(*paths)) <= PATHS
}

/// Compares the engines on one case.
fn compare(case: u64, test: &Lowered, model: &Model, told: &dyn Fn() -> String, tally: &mut Tally) {
    let patience = Options { timeout: Some(PATIENCE), ..options(Mode::Count, Engine::Explore, 1) };
    let found = explore::run(test, model, &patience);
    if found.as_ref().is_ok_and(|found| found.completeness == Completeness::TimedOut) {
        tally.large += 1;
        return;
    }
    let patience = Options { timeout: Some(4 * PATIENCE), ..options(Mode::Count, Engine::Grow, 1) };
    let grown = explore::run(test, model, &patience);
    // Where a model's checks can only be asked at the end, all that might be has to grow.
    if grown.as_ref().is_ok_and(|grown| grown.completeness == Completeness::TimedOut) {
        tally.slow += 1;
        return;
    }
    let (found, grown) = match (found, grown) {
        (Ok(found), Ok(grown)) => (found, grown),
        (Err(_), Err(_)) => return,
        (Ok(_), Err(error)) if error.code.starts_with("grow::") => {
            tally.refused += 1;
            return;
        }
        (found, grown) => panic!("only one has an answer: {found:?}\n{grown:?}\n{}", told()),
    };
    assert_eq!(figures(&found), figures(&grown), "count: {}", told());
    tally.compared += 1;
    tally.executions += found.stats.executions.saturating_word();
    tally.looped += u64::from(!grown.cuts.is_empty());
    let mut notes = Notes::default();
    grow::explore(&test.program, model, &grow::Options::default(), &mut notes).expect("executions");
    assert_eq!(notes.twice, None, "twice: {}", told());
    if !case.is_multiple_of(SELDOM) {
        return;
    }
    if candidates(test) <= 100.0 {
        let oracle = explore::run(test, model, &options(Mode::Count, Engine::Naive, 1)).expect("an oracle");
        assert_eq!(figures(&oracle), figures(&grown), "oracle: {}", told());
        tally.oracle += 1;
    }
    let run = |mode: Mode, jobs: usize| {
        explore::run(test, model, &options(mode, Engine::Grow, jobs)).expect("an answer")
    };
    assert_eq!(figures(&run(Mode::Count, 2)), figures(&grown), "two workers: {}", told());
    assert!(run(Mode::States, 1).states.keys().eq(found.states.keys()), "states: {}", told());
    if !found.undefined {
        let holds = run(Mode::Check, 1).holds(&test.condition);
        assert_eq!(holds, found.holds(&test.condition), "check: {}", told());
    }
}

#[test]
fn growing_equals_exploring_on_very_many_programs() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    let mut own: Option<(u64, String, Arch, Model)> = None;
    let all = cases(100, 1500);
    for case in all.clone() {
        let mut random = Random::new(case ^ 0xAE0 << 36);
        let by_random = random.chance(30);
        let (arch, name, model): (Arch, &str, &Model) = if by_random {
            // Of the case that it was made for, so that every case can be run by itself.
            let made_for = case / PROGRAMS;
            let (_, text, arch, model) = match own.take() {
                Some(known) if known.0 == made_for => own.insert(known),
                _ => own.insert(random_model(made_for)),
            };
            tally.random += 1;
            (*arch, text, model)
        } else {
            let (arch, names) = random.pick(&MODELS);
            let name = *random.pick(names);
            (*arch, name, library.get(name, *arch))
        };
        let text = program(arch, &mut random);
        let test = lower(&session, &text);
        if !is_small(&test) {
            tally.large += 1;
            continue;
        }
        compare(case, &test, model, &|| format!("case {case} under {name}\n{text}"), &mut tally);
        if (case + 1 - all.start).is_multiple_of(50_000) {
            println!("{} cases: {} compared", case + 1 - all.start, tally.compared);
        }
    }
    println!(
        "{} compared ({} with loops cut, {} by the oracle, {} under random models), {} executions; {} too large, {} too slow to grow, {} refused",
        tally.compared,
        tally.looped,
        tally.oracle,
        tally.random,
        tally.executions,
        tally.large,
        tally.slow,
        tally.refused
    );
    assert!(
        tally.refused < tally.compared / 4
            && tally.large < tally.compared
            && tally.slow < tally.compared / 50
    );
    assert!(tally.executions > 2 * tally.compared && tally.looped > tally.compared / 20 && tally.oracle > 0);
}

/// A random model that grows.
fn random_model(number: u64) -> (u64, String, Arch, Model) {
    let mut random = Random::new(number ^ 0xBE0 << 36);
    loop {
        let arch = *random.pick(&[Arch::X86, Arch::C, Arch::C, Arch::RiscV]);
        let text = match random.below(4) {
            0 => crate::model::random(&mut random),
            _ => model_text(&mut random),
        };
        let model = crate::load_text(&text, arch_id(arch));
        if grow::plan(&model).is_ok() {
            return (number, text, arch, model);
        }
    }
}
