//! Tests with threads that run the same code: the outcomes of all executions are found, although those that differ only in which thread is which are listed once.

use std::fmt::Write as _;
use std::time::Duration;

use litmus::explore::{self, Engine, Mode, Options};
use litmus::grow;
use litmus::outcome::Completeness;
use litmus::session::{Session, Settings};

use crate::program::Arch;
use crate::random::Random;
use crate::{Library, cases, lower, options};

/// What takes longer is left out.
const PATIENCE: Duration = Duration::from_millis(400);

const MODELS: [&str; 9] = ["rc11", "rc20", "sc", "tso", "pso", "imm", "minimal", "rmo", "rc11"];

/// The statements of a thread.
fn body(random: &mut Random) -> String {
    let mut text = "  int r0 = 0;\n  int r1 = 0;\n".to_string();
    for _ in 0..1 + random.below(3) {
        let cell = *random.pick(&["x", "x", "y"]);
        let reg = *random.pick(&["r0", "r1"]);
        let value = 1 + random.below(2);
        let read = *random.pick(&["relaxed", "acquire", "seq_cst"]);
        let written = *random.pick(&["relaxed", "release", "seq_cst"]);
        let load = format!("atomic_load_explicit({cell}, memory_order_{read})");
        let line = match random.below(14) {
            0..=3 => format!("{reg} = {load};"),
            4..=5 => format!("atomic_store_explicit({cell}, {value}, memory_order_{written});"),
            6 => format!("atomic_store_explicit({cell}, r0 + 1, memory_order_{written});"),
            7..=9 => format!("{reg} = atomic_fetch_add_explicit({cell}, {value}, memory_order_{read});"),
            10 => format!("{reg} = atomic_exchange_explicit({cell}, {value}, memory_order_{read});"),
            11 => format!("if ({load} == {value}) {{ {reg} = 1; }}"),
            12 => format!("while ({load} == 0) {{ {reg} = {reg} + 1; }}"),
            _ => format!("atomic_thread_fence(memory_order_{});", random.pick(&["seq_cst", "acq_rel"])),
        };
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// A test, and how many of its threads are like another one.
fn test(random: &mut Random) -> (String, usize) {
    let mut bodies = vec![body(random)];
    let mut kinds = vec![0usize; 2 + usize::from(random.chance(40))];
    if random.chance(50) {
        bodies.push(body(random));
        let at = random.below(kinds.len() + 1);
        kinds.insert(at, 1);
        if kinds.len() < 4 && random.chance(30) {
            kinds.push(1);
        }
    }
    let mut text = "C alike\n{ }\n".to_string();
    let mut shown = String::new();
    for (thread, kind) in kinds.iter().enumerate() {
        let _ = writeln!(text, "\nP{thread}(atomic_int *x, atomic_int *y) {{\n{}}}", bodies[*kind]);
        for reg in ["r0", "r1"] {
            // Not all need be looked at.
            if random.chance(70) {
                let _ = write!(shown, "{thread}:{reg}; ");
            }
        }
    }
    let number = random.below(3);
    let thread = random.below(kinds.len());
    let _ =
        writeln!(text, "\nlocations [{shown}x;]\nexists ({thread}:r0={number} /\\ y={})", random.below(2));
    let same = bodies.len() == 2 && bodies[0] == bodies[1];
    let alike =
        kinds.iter().enumerate().filter(|(at, kind)| kinds[..*at].contains(kind) || same && *at > 0).count();
    (text, alike)
}

#[test]
fn outcomes_are_all_there_where_threads_are_taken_for_each_other() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let (mut compared, mut outcomes, mut worth, mut fewer) = (0u64, 0u64, 0u64, 0u64);
    for case in cases(20, 300) {
        let mut random = Random::new(case ^ 0x5B0 << 36);
        let (text, alike) = test(&mut random);
        let name = *random.pick(&MODELS);
        let model = library.get(name, Arch::C);
        let lowered = lower(&session, &text);
        let told = || format!("case {case} under {name}\n{text}");
        let kinds = grow::alike(&lowered.program, model, &[]);
        let found: usize = kinds.iter().map(|kind| kind.len() - 1).sum();
        // Where executions may be left to closed worlds, threads are not taken for each other.
        let is_whole = grow::leaves_out(&lowered.program, model, &[]) == Some(false);
        assert_eq!(found, if is_whole { alike } else { 0 }, "{}", told());
        let run = |mode: Mode, engine: Engine, jobs: usize| {
            let options = Options { timeout: Some(PATIENCE), ..options(mode, engine, jobs) };
            explore::run(&lowered, model, &options).expect("an answer")
        };
        let worlds = run(Mode::States, Engine::Explore, 1);
        let all = run(Mode::Count, Engine::Grow, 1);
        let few = run(Mode::States, Engine::Grow, 1);
        if [&worlds, &all, &few].iter().any(|found| found.completeness == Completeness::TimedOut) {
            continue;
        }
        assert!(few.states.keys().eq(worlds.states.keys()), "{}\n{few:?}\n{worlds:?}", told());
        assert!(all.states.keys().eq(worlds.states.keys()), "{}", told());
        assert_eq!((&few.positive, &few.negative), (&worlds.positive, &worlds.negative), "{}", told());
        assert_eq!(few.undefined, worlds.undefined, "{}", told());
        assert_eq!(few.completeness, all.completeness, "{}", told());
        let cuts = |found: &litmus::outcome::Outcome| {
            let mut cuts: Vec<String> = found.cuts.iter().map(|cut| format!("{cut:?}")).collect();
            cuts.sort();
            cuts
        };
        assert_eq!(cuts(&few), cuts(&all), "{}", told());
        let two = run(Mode::States, Engine::Grow, 2);
        assert!(
            two.completeness == Completeness::TimedOut || two.states.keys().eq(few.states.keys()),
            "{}",
            told()
        );
        if !few.undefined {
            let holds = run(Mode::Check, Engine::Grow, 1).holds(&lowered.condition);
            assert_eq!(holds, worlds.holds(&lowered.condition), "check: {}", told());
        }
        compared += 1;
        outcomes += few.states.len() as u64;
        fewer += u64::from(few.stats.graphs * 10 < all.stats.graphs * 8);
        worth += u64::from(found > 0);
    }
    println!(
        "{compared} tests, {outcomes} outcomes, {worth} with threads that are alike, {fewer} with a fifth fewer graphs for that"
    );
    // By tests, not by all their graphs: a few large ones, which some machines have time for, would decide.
    assert!(worth > 0 && fewer * 2 > worth);
}
