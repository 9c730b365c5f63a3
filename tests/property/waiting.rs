//! Programs in which threads wait: the verdict is the same whether all executions with a thread that waits are listed, or only those in which it cannot but wait.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use litmus::arch::c::preprocess;
use litmus::arch::c::unit::lower;
use litmus::limits::Budget;
use litmus::program::shapes::Shapes;
use litmus::session::{Settings, prepare_for_programs};
use litmus::verify::{self, Kind, Verdict};

use crate::cases;
use crate::random::Random;

/// A program that takes longer is left out.
const PATIENCE: Duration = Duration::from_millis(500);

const ALL: [Kind; 5] = [Kind::Race, Kind::Lock, Kind::Deadlock, Kind::Liveness, Kind::Memory];

/// A statement of a thread.
fn statement(random: &mut Random) -> String {
    let cell = *random.pick(&["x", "x", "y"]);
    let value = random.below(3);
    let read = *random.pick(&["acquire", "acquire", "relaxed", "seq_cst"]);
    let written = *random.pick(&["release", "release", "relaxed", "seq_cst"]);
    let load = |what: &str| format!("atomic_load_explicit({what}, memory_order_{read})");
    let store =
        |what: &str, value: &str| format!("atomic_store_explicit({what}, {value}, memory_order_{written});");
    let comparison = *random.pick(&["==", "!="]);
    let other = if cell == "x" { "&y" } else { "&x" };
    match random.below(22) {
        0..=3 => format!("while ({} {comparison} {value}) {{ }}", load(&format!("&{cell}"))),
        4..=6 => store(&format!("&{cell}"), &value.to_string()),
        7..=8 => format!("atomic_init(&{cell}, {value});"),
        9 => "n = n + 1;".to_string(),
        10 => "pthread_mutex_lock(&m); n = n + 1; pthread_mutex_unlock(&m);".to_string(),
        11 => (*random.pick(&["pthread_mutex_destroy(&m);", "pthread_mutex_init(&m, 0);"])).to_string(),
        12 => format!("__VERIFIER_assume({} {comparison} {value});", load(&format!("&{cell}"))),
        13..=14 => {
            let publish = store("&p", "q");
            let after = store("&q->v", &value.to_string());
            format!("{{ struct s *q = malloc(sizeof *q); atomic_store(&q->v, 1); {publish} {after} }}")
        }
        15 => {
            let (q, v) = (load("&p"), load("&q->v"));
            let free = if random.chance(30) { " free(q);" } else { "" };
            format!("{{ struct s *q = {q}; if (q) {{ while ({v} {comparison} {value}) {{ }}{free} }} }}")
        }
        16 => format!("{{ struct s *q = {}; if (q) free(q); }}", load("&p")),
        17 => format!("while ({} {comparison} {}) {{ }}", load("&x"), load("&y")),
        18..=20 => {
            // Rounds of several reads, some of which may race, or be made of what others did before.
            let between = *random.pick(&["", "", "int k = n; ", "if (n == 2) break; "]);
            let first = format!("if ({} {comparison} {value}) continue;", load(&format!("&{cell}")));
            let second = format!("if ({} == {}) break;", load(other), random.below(3));
            format!("while (1) {{ {first} {between}{second} }}")
        }
        _ => format!("while (atomic_exchange_explicit(&{cell}, 1, memory_order_{read}) == 1) {{ }}"),
    }
}

fn program(random: &mut Random) -> String {
    let threads = 2 + random.below(2);
    let mut text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
        void __VERIFIER_assume(int);\nstruct s { atomic_int v; };\n\
        atomic_int x, y;\n_Atomic(struct s *) p;\nint n;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        .to_string();
    for thread in 0..threads {
        let _ = writeln!(text, "void *thread{thread}(void *a) {{");
        for _ in 0..1 + random.below(3) {
            let _ = writeln!(text, "    {}", statement(random));
        }
        text += "    return 0;\n}\n";
    }
    let _ = writeln!(text, "int main(void) {{\n    pthread_t t[{threads}];");
    for thread in 0..threads {
        if random.chance(20) {
            let _ = writeln!(text, "    {}", statement(random));
        }
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, thread{thread}, 0);");
    }
    if random.chance(50) {
        let _ = writeln!(text, "    pthread_join(t[{}], 0);", random.below(threads));
        let _ = writeln!(text, "    {}", statement(random));
    }
    text + "    return 0;\n}\n"
}

#[test]
fn what_is_wrong_is_found_without_all_that_wait() {
    let names = ["rc11", "rc11", "rc20", "imm", "sc", "tso", "pso", "aarch64", "lkmm"];
    let mut models = BTreeMap::new();
    let (mut compared, mut unsafe_ones, mut fewer) = (0usize, 0usize, 0usize);
    for case in cases(40, 250) {
        let mut random = Random::new(case ^ 0x4A0 << 36);
        let text = program(&mut random);
        let name = *random.pick(&names);
        let only =
            *random.pick(&[Kind::Race, Kind::Race, Kind::Lock, Kind::Deadlock, Kind::Liveness, Kind::Memory]);
        let prepared = models
            .entry(name)
            .or_insert_with(|| prepare_for_programs(&Settings::default(), name).expect("a model"));
        let orders = verify::orders_for(&prepared.model, prepared.arch).expect("a model of C");
        let loaded = verify::load_text(
            Path::new("random.c"),
            text.clone(),
            &preprocess::Settings::default(),
            lower::Options {
                recursion: 4,
                orders,
                samples: false,
                uninitialised: false,
                marks_waits: verify::marks_waits(&prepared.model),
            },
            &Shapes::default(),
        );
        let lowered = loaded.program.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
        let run = |all_blocked: bool| {
            let settings = verify::Settings {
                unroll: Some(2),
                orders,
                races: true,
                ignore: ALL.into_iter().filter(|kind| *kind != only).collect(),
                all_blocked,
                ..verify::Settings::default()
            };
            let budget = Budget::starting_now(Some(PATIENCE), None, None);
            budget
                .run(|| verify::run(&lowered, &prepared.model, &settings))
                .ok()
                .map(|ran| ran.expect("an answer"))
        };
        let Some(all) = run(true).filter(|all| all.stopped.is_none()) else { continue };
        let Some(few) = run(false).filter(|few| few.stopped.is_none()) else { continue };
        // What cannot be answered may come before or after what is wrong.
        if all.errors.is_empty() && few.errors.is_empty() {
            assert_eq!(all.verdict, few.verdict, "case {case} under {name}, {only:?}\n{text}");
            compared += 1;
            unsafe_ones += usize::from(all.verdict == Verdict::Unsafe);
            fewer += usize::from(few.blocked < all.blocked);
        }
    }
    println!("{compared} programs, {unsafe_ones} unsafe, {fewer} with fewer executions listed");
    assert!(unsafe_ones > compared / 20 && fewer > compared / 20);
}
