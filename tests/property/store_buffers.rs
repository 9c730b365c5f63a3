//! The machine with store buffers against the explorer: the same final states under sc, tso and pso.

use std::collections::BTreeSet;

use litmus::arch::ArchId;
use litmus::explore::{self, Engine, Mode};
use litmus::machine::{self, AtomicRule, Buffers, Fault, Limits, Options};
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
            let rules = Options { buffers, buffer: 64, atomic: Vec::new(), atomic_rule: AtomicRule::Own };
            let limits = Limits { bytes: 1 << 30, go_on: &|_| true };
            let by_machine = match machine::final_states(&test.program, &test.shown, &rules, &limits) {
                Ok(states) => states,
                Err(Fault::Program(why)) if why.code == "machine::operation" => continue,
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
