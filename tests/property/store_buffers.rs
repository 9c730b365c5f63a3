//! The machine with store buffers against the explorer: the same final states under sc, tso and pso.

use std::collections::BTreeSet;

use litmus::arch::ArchId;
use litmus::explore::{self, Engine, Mode};
use litmus::machine::{self, Buffers, Options, System};
use litmus::program::Value;
use litmus::session::{Session, Settings};

use super::program::{Arch, Program};
use super::random::Random;
use super::{CANDIDATES, Library, candidates, cases, load, lower, options};

#[test]
fn the_machine_with_store_buffers_equals_the_explorer() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    // As `sc`, with atomic instructions in one step.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/property");
    let settings = Settings { include: vec![folder.into()], ..Settings::default() };
    let turns = load("turns.cat", ArchId::X86, &settings);
    let (mut compared, mut n_states) = (0, 0);
    for case in cases(2, 200) {
        let mut random = Random::new(case ^ 0x5B << 40);
        let mut program = Program::random(Arch::X86, &mut random);
        program.filter = None;
        program.locations = program.observables();
        let test = lower(&session, &program.text());
        if candidates(&test) > 20.0 * CANDIDATES {
            continue;
        }
        for (name, buffers) in [("sc", Buffers::None), ("tso", Buffers::Fifo), ("pso", Buffers::PerCell)] {
            // More places than a thread makes writes: none ever waits for one.
            let rules = rules(buffers, 64, true);
            let by_machine =
                match machine::final_states(&System::from(test.program.clone()), &test.shown, &rules) {
                    Ok(states) => states,
                    Err(why) if why.code == "machine::operation" => continue,
                    Err(fault) => panic!("case {case}: {fault:?}\n{}", program.text()),
                };
            let model = if name == "sc" { &turns } else { library.get(name, Arch::X86) };
            let outcome =
                explore::run(&test, model, &options(Mode::States, Engine::Explore, 1)).expect("states");
            let listed: BTreeSet<Vec<Value>> = outcome.states.keys().collect();
            assert_eq!(by_machine, listed, "case {case} under {name}\n{}", program.text());
            compared += 1;
            n_states += listed.len();
        }
    }
    println!("{compared} runs compared, {n_states} states");
    assert!(compared > 100 && n_states > 2 * compared, "{compared} runs compared, {n_states} states");
}

/// A larger buffer has every final state of a smaller one, and one that never fills has no more than that.
#[test]
fn larger_buffers_have_more_states() {
    let session = Session::new(Settings::default());
    let (mut compared, mut more) = (0, 0);
    for case in cases(2, 100) {
        let mut random = Random::new(case ^ 0x6B << 40);
        let program = Program::random(Arch::X86, &mut random);
        let test = lower(&session, &program.text());
        let system = System::from(test.program.clone());
        for buffers in [Buffers::Fifo, Buffers::PerCell] {
            let mut smaller: Option<BTreeSet<Vec<Value>>> = None;
            for buffer in [1, 2, 3, 64] {
                let rules = rules(buffers, buffer, true);
                let Ok(states) = machine::final_states(&system, &test.shown, &rules) else { continue };
                if let Some(smaller) = &smaller {
                    assert!(smaller.is_subset(&states), "case {case}, {buffer}\n{}", program.text());
                    more += usize::from(smaller.len() < states.len());
                    compared += 1;
                }
                smaller = Some(states);
            }
        }
    }
    println!("{compared} compared, {more} with more");
    assert!(compared > 100, "{compared} compared");
}

fn rules(buffers: Buffers, buffer: usize, reduction: bool) -> Options {
    Options { buffers, buffer, reduction, ..Options::default() }
}

/// Leaving interleavings out changes no answer, and leaves some out.
#[test]
fn the_reduction_changes_no_answer() {
    let session = Session::new(Settings::default());
    let (mut compared, mut violated, mut fewer) = (0, 0, 0);
    for case in cases(2, 150) {
        let mut random = Random::new(case ^ 0x7B << 40);
        let program = Program::random(Arch::X86, &mut random);
        let test = lower(&session, &program.text());
        let system = System::from(test.program.clone());
        let names: Vec<&str> = test.program.locations.iter().map(|cell| cell.name.as_str()).collect();
        let mut literal = || match random.below(5) {
            0 => format!("ended(P{})", random.below(test.program.threads.len())),
            1 => format!("empty(P{})", random.below(test.program.threads.len())),
            _ => format!("{} == {}", names[random.below(names.len())], random.below(3)),
        };
        let formula = match case % 3 {
            0 => format!("G !({} && {})", literal(), literal()),
            1 => format!("G ({} -> ({} W {}))", literal(), literal(), literal()),
            _ => format!("({}) R !({} && {})", literal(), literal(), literal()),
        };
        let property = machine::parse(&formula, &test.program).expect("a formula");
        for buffers in [Buffers::None, Buffers::Fifo, Buffers::PerCell] {
            let run = |reduction| {
                machine::check(&system, &property, &rules(buffers, 2, reduction), machine::Fairness::Memory)
            };
            let (Ok((reduced, few)), Ok((full, all))) = (run(true), run(false)) else { continue };
            let holds = |answer: &machine::Answer| matches!(answer, machine::Answer::Holds { .. });
            assert_eq!(holds(&reduced), holds(&full), "case {case}: {formula}\n{}", program.text());
            if holds(&full) {
                assert_eq!(reduced, full, "case {case}: {formula}\n{}", program.text());
                fewer += usize::from(few.states < all.states);
            }
            compared += 1;
            violated += usize::from(!holds(&full));
        }
    }
    println!("{compared} compared, {violated} violated, {fewer} with fewer states");
    assert!(
        compared > 100 && violated > 20 && fewer > 20,
        "{compared} compared, {violated} violated, {fewer} fewer"
    );
}

/// Programs with loops and formulas about what goes on for ever: layer by layer, with any number of workers, and depth first there is the same
/// answer.
#[test]
fn runs_that_go_on_for_ever_are_found_either_way() {
    let session = Session::new(Settings::default());
    let (mut compared, mut violated) = (0, 0);
    for case in cases(2, 100) {
        let mut random = Random::new(case ^ 0x8B << 40);
        let text = crate::loops::program(&mut random);
        let test = lower(&session, &text);
        let system = System::from(test.program.clone());
        let n = test.program.threads.len();
        let mut literal = || match random.below(4) {
            0 => format!("ended(P{})", random.below(n)),
            1 => format!("empty(P{})", random.below(n)),
            _ => format!("{} == {}", ["x", "y"][random.below(2)], random.below(3)),
        };
        let formula = match case % 5 {
            0 => format!("F ({} && {})", literal(), literal()),
            1 => format!("G ({} -> F {})", literal(), literal()),
            2 => format!("F G {} || G F {}", literal(), literal()),
            3 => format!("({} U {}) || X F {}", literal(), literal(), literal()),
            _ => format!("G (X {} -> F ended(P0))", literal()),
        };
        let property = machine::parse(&formula, &test.program).expect("a formula");
        for (buffers, fairness) in [
            (Buffers::None, machine::Fairness::None),
            (Buffers::None, machine::Fairness::All),
            (Buffers::Fifo, machine::Fairness::Memory),
            (Buffers::PerCell, machine::Fairness::All),
        ] {
            let run = |jobs, depth_first| {
                let options = Options { jobs, depth_first, ..rules(buffers, 1, true) };
                machine::check(&system, &property, &options, fairness)
            };
            let (layers, workers, depth) = (run(1, false), run(3, false), run(1, true));
            assert_eq!(layers, workers, "case {case}: {formula}\n{text}");
            let (Ok((layers, _)), Ok((depth, _))) = (layers, depth) else { continue };
            let holds = |answer: &machine::Answer| matches!(answer, machine::Answer::Holds { .. });
            assert_eq!(holds(&layers), holds(&depth), "case {case}: {formula}\n{text}");
            compared += 1;
            violated += usize::from(!holds(&layers));
        }
    }
    println!("{compared} compared, {violated} violated");
    assert!(
        compared > 100 && violated > 20 && violated + 20 < compared,
        "{compared} compared, {violated} violated"
    );
}
