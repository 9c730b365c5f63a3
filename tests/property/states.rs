//! Programs by their states against executions that grow: the same verdict, with parts that nothing comes between and without.

use std::fmt::Write as _;
use std::path::Path;

use litmus::arch::c::preprocess;
use litmus::arch::c::unit::lower;
use litmus::program::shapes::Shapes;
use litmus::session::{Settings, prepare_for_programs};
use litmus::verify::{self, Answer, By, Engine, Kind, Verdict};

use crate::cases;
use crate::random::Random;

/// Executions grow for so many looks at the limits; a program that takes longer is left out.
const MANY: u32 = 300;

/// Statements of a thread: accesses, choices, loops that wait, with parts that nothing comes between around some of them.
fn body(random: &mut Random, length: usize) -> String {
    let mut text = "    int r = 0;\n".to_string();
    let mut inside = false;
    for _ in 0..length {
        if random.chance(35) {
            let mark = if inside { "end" } else { "begin" };
            let _ = writeln!(text, "    __VERIFIER_atomic_{mark}();");
            inside = !inside;
        }
        let cell = *random.pick(&["x", "x", "y", "z", "w"]);
        let value = 1 + random.below(2);
        let line = match random.below(16) {
            0..=3 => format!("r = {cell};"),
            4..=6 => format!("{cell} = {value};"),
            7..=8 => format!("{cell} = {cell} + {value};"),
            9 => format!("{cell} = r;"),
            10 => format!("r = atomic_fetch_add(&{cell}, {value});"),
            11 => format!("if (r == {}) {cell} = {value};", random.below(2)),
            // What nobody reads in the end is no part of a state from some place on.
            12 => format!("w = __VERIFIER_nondet_bool(); {cell} = w;"),
            13 => format!("__VERIFIER_assume({cell} != {value});"),
            14 if !inside => format!("while ({cell} == 0) {{ }}"),
            _ => format!("{{ int e = {cell}; if (e > 1) r = y + e; }}"),
        };
        let _ = writeln!(text, "    {line}");
    }
    text + if inside { "    __VERIFIER_atomic_end();\n" } else { "" }
}

/// A program; what is claimed in the end is left open.
fn program(random: &mut Random) -> String {
    let mut text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n\
        _Bool __VERIFIER_nondet_bool(void);\nvoid __VERIFIER_assume(int);\n\
        void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\natomic_int w, x, y, z;\n"
        .to_string();
    let threads = 2 + random.below(2);
    for thread in 0..threads {
        let length = 1 + random.below(if threads == 2 { 6 } else { 3 });
        let _ = writeln!(text, "void *t{thread}(void *p) {{\n{}    return 0;\n}}", body(random, length));
    }
    let _ = writeln!(text, "int main(void) {{\n    pthread_t t[{threads}];");
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, t{thread}, 0);");
    }
    if random.chance(30) {
        text += &body(random, 2);
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    text + "    CLAIM\n    return 0;\n}\n"
}

#[test]
fn states_have_the_verdict_of_executions() {
    let prepared = prepare_for_programs(&Settings::default(), "sc").expect("a model");
    let orders = verify::orders_for(&prepared.model, prepared.arch).expect("a model of C");
    let (mut compared, mut safe, mut states, mut executions, mut unfit) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut many = 0u64;
    for case in cases(20, 150) {
        let mut random = Random::new(case ^ 0x57A << 36);
        let pattern = program(&mut random);
        let liveness = random.chance(50);
        for _ in 0..4 {
            let [x, y, z] = [0; 3].map(|_: i32| random.below(4));
            let claim = match random.below(2) {
                0 => format!("assert(!(x == {x} && y == {y} && z == {z}));"),
                _ => format!("assert(!(x == {x} && y == {y}));"),
            };
            let text = pattern.replace("CLAIM", &claim);
            let loaded = verify::load_text(
                Path::new("random.c"),
                text.clone(),
                &preprocess::Settings::default(),
                lower::Options {
                    recursion: 4,
                    orders,
                    samples: false,
                    uninitialised: false,
                    marks_waits: false,
                },
                &Shapes::default(),
            );
            let lowered = loaded.program.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
            let ignore = match liveness {
                true => vec![Kind::Race],
                false => vec![Kind::Race, Kind::Liveness, Kind::Deadlock],
            };
            let run = |engine: Engine| -> Option<Answer> {
                // All of them, so that no engine gives way to another.
                let keep_going = engine == Engine::Grow;
                let settings = verify::Settings {
                    orders,
                    engine,
                    keep_going,
                    ignore: ignore.clone(),
                    looks: keep_going.then_some(MANY),
                    ..Default::default()
                };
                verify::run(&lowered, &prepared.model, &settings).ok()
            };
            let grown = run(Engine::Grow).expect("executions grow");
            if grown.verdict == Verdict::Unknown && grown.errors.is_empty() {
                many += 1;
                continue;
            }
            let Some(walked) = run(Engine::States) else {
                unfit += 1;
                continue;
            };
            assert_eq!(grown.verdict, walked.verdict, "case {case}, liveness {liveness}\n{text}");
            assert_ne!(grown.verdict, Verdict::Unknown, "case {case}\n{text}\n{:?}", grown.errors);
            let By::States(n) = walked.by else { panic!("case {case}: not by states") };
            compared += 1;
            safe += u64::from(grown.verdict == Verdict::Safe);
            states += n;
            executions += grown.complete + grown.blocked + grown.violating;
        }
    }
    println!(
        "{compared} programs, {safe} safe, {unfit} not for states, {many} too large: {executions} executions, {states} states"
    );
    assert!((unfit + many) * 5 < compared && safe * 10 > compared && safe * 10 < compared * 9);
}
