//! The engine that grows executions, against the explorer and the oracle.

use litmus::arch::ArchId;
use litmus::explore::{self, Engine, Mode, Options};
use litmus::grow;
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::session::{Session, Settings};

use crate::program::{Arch, Program};
use crate::random::Random;
use crate::{Library, arch_id, candidates, cases, figures, lower, options};

#[derive(Default)]
struct Tally {
    cases: u64,
    executions: u64,
    refused: u64,
}

/// Compares the two engines in all modes.
fn compare(test: &Lowered, model: &Model, told: &dyn Fn() -> String, tally: &mut Tally) {
    let found = explore::run(test, model, &options(Mode::Count, Engine::Explore, 1));
    let grown = explore::run(test, model, &options(Mode::Count, Engine::Grow, 1));
    let (found, grown) = match (found, grown) {
        (Ok(found), Ok(grown)) => (found, grown),
        (Err(_), Err(_)) => return,
        (Ok(_), Err(error)) if error.code.starts_with("grow::") => {
            tally.refused += 1;
            return;
        }
        (found, grown) => panic!("only one has an answer: {found:?}\n{grown:?}\n{}", told()),
    };
    tally.cases += 1;
    tally.executions += found.stats.executions;
    assert_eq!(figures(&found), figures(&grown), "count: {}", told());
    let states = explore::run(test, model, &options(Mode::States, Engine::Grow, 1)).expect("states");
    assert!(states.states.keys().eq(found.states.keys()), "states: {}", told());
    let checked = explore::run(test, model, &options(Mode::Check, Engine::Grow, 1)).expect("a verdict");
    if !found.undefined {
        assert_eq!(checked.holds(&test.condition), found.holds(&test.condition), "check: {}", told());
    }
}

#[test]
fn growing_equals_exploring_under_the_models_of_the_library() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(40, 300) {
        let mut random = Random::new(case ^ 0x6E0 << 36);
        let arch = *random.pick(&[Arch::X86, Arch::C, Arch::X86, Arch::C, Arch::AArch64, Arch::RiscV]);
        let program = Program::random(arch, &mut random);
        let test = lower(&session, &program.text());
        if candidates(&test) > 2000.0 {
            continue;
        }
        let names: &[&'static str] = match arch_id(arch) {
            ArchId::C => &["rc11", "sc", "tso", "pso"],
            ArchId::X86 => &["x86tso", "tso", "sc", "pso"],
            _ => &["sc", "tso", "pso"],
        };
        let name = *random.pick(names);
        let model = library.get(name, arch);
        if let Err(why) = grow::plan(model) {
            panic!("{name}: {why}");
        }
        compare(&test, model, &|| format!("case {case} under {name}\n{}", program.text()), &mut tally);
    }
    println!("{} cases, {} executions, {} refused", tally.cases, tally.executions, tally.refused);
    assert!(tally.refused < tally.cases / 4 && tally.executions > 2 * tally.cases);
}

#[test]
fn growing_equals_exploring_on_loops() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(20, 60) {
        let mut random = Random::new(case ^ 0x7E0 << 36);
        let text = crate::loops::program(&mut random);
        let test = lower(&session, &text);
        let name = *random.pick(&["rc11", "sc", "tso", "pso"]);
        let model = library.get(name, Arch::C);
        compare(&test, model, &|| format!("case {case} under {name}\n{text}"), &mut tally);
    }
    assert!(tally.refused == 0 && tally.executions > 2 * tally.cases);
}

/// Waiting loses no outcome of the unrolled program, and has none that more rounds would not have.
#[test]
fn waiting_changes_no_outcome() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    for case in cases(20, 200) {
        let mut random = Random::new(case ^ 0x7E0 << 36);
        let text = crate::loops::program(&mut random);
        let test = lower(&session, &text);
        let name = *random.pick(&["rc11", "sc", "tso", "pso"]);
        let model = library.get(name, Arch::C);
        let states = |unroll: u32, awaits: bool| {
            let options = Options { unroll, awaits, ..options(Mode::States, Engine::Grow, 1) };
            explore::run(&test, model, &options).expect("states")
        };
        let waiting = states(3, true);
        for unroll in [2, 3] {
            let unrolled = states(unroll, false);
            for state in unrolled.states.keys() {
                assert!(waiting.states.contains(&state), "case {case} under {name}: {state:?}\n{text}");
            }
            if unrolled.cuts.is_empty() {
                assert!(waiting.states.keys().eq(unrolled.states.keys()), "case {case} under {name}\n{text}");
            }
        }
    }
}
