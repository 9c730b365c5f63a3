//! `litmus ltl`: workers, limits, and what is asked.

use super::{folder, litmus, litmus_in, stderr, stdout};

/// Standard output, and the first figures of standard error: states and transitions.
fn told(args: &[&str]) -> (i32, String, String) {
    let run = litmus(args).assert();
    let code = run.get_output().status.code().unwrap_or(-1);
    let figures = stderr(&run).split(", ").take(2).collect::<Vec<_>>().join(", ");
    (code, stdout(&run), figures)
}

/// The answer, the run that is shown and the figures are the same however many work.
#[test]
fn workers_find_the_same() {
    let file = "litmus/dve/szymanski-3.dve";
    for (args, code) in [
        (&["false", "--reach", "-m", "tso"][..], 1),
        (&["P0@cs && P2@cs", "--reach", "-m", "tso"], 0),
        (&["G !(P0@cs && P1@cs)", "-m", "tso"], 1),
        (&["G !(P0@cs && P1@cs)", "-m", "tso", "--full"], 1),
        (&["G !(P0@cs && P1@cs)", "-m", "sc"], 0),
        (&["G (P0@door -> F P0@cs)", "-m", "sc", "--fair"], 0),
        (&["G (P0@door -> F P0@cs)", "-m", "sc"], 1),
        (&["G F P1@cs", "-m", "tso"], 1),
    ] {
        let with = |jobs: &str| told(&[&["ltl", file], args, &["--jobs", jobs]].concat());
        let alone = with("1");
        assert_eq!(alone.0, code, "{args:?}: {}", alone.1);
        for jobs in ["2", "5"] {
            assert_eq!(with(jobs), alone, "{args:?} with {jobs} workers");
        }
    }
}

/// Depth first or layer by layer, the verdict is the same.
#[test]
fn depth_first_finds_no_less() {
    for (file, formula, model) in [
        ("litmus/peterson-loop.litmus", "G (P0@try -> F P0@cs)", "sc"),
        ("litmus/peterson-loop.litmus", "G (P0@try -> F P0@cs)", "tso"),
        ("litmus/dve/anderson.dve", "G (P0@wait -> F P0@cs)", "sc"),
        ("litmus/dve/szymanski-2.dve", "G F P0@cs", "pso"),
        ("litmus/dve/counters.dve", "F (x == 2 && y > 0)", "tso"),
    ] {
        for fair in ["none", "memory", "all"] {
            let args = ["ltl", file, formula, "-m", model, "--fair", fair];
            let layers = litmus(&args).assert().get_output().status.code();
            let depth = litmus(&[&args[..], &["--depth-first"]].concat()).assert().get_output().status.code();
            assert_eq!(layers, depth, "{args:?}");
            assert!(matches!(layers, Some(0 | 1)), "{args:?}");
        }
    }
}

/// Time and memory are limited, and what was hit is said.
#[test]
fn limits_of_a_search() {
    let many = ["ltl", "litmus/dve/peterson-4.dve", "false", "--reach", "-m", "tso"];
    let time = litmus(&[&many[..], &["--timeout", "0.3"]].concat()).assert().code(4);
    assert!(stdout(&time).contains("no answer: the time limit was reached"), "{}", stdout(&time));
    let live = ["ltl", "litmus/dve/peterson-4.dve", "G (P0@cs -> F P0@out)", "--fair", "-m", "tso"];
    for more in ["--jobs=2", "--depth-first"] {
        let run = litmus(&[&live[..], &["--timeout", "0.3", more]].concat()).assert().code(4);
        assert!(stdout(&run).contains("no answer: the time limit was reached"), "{}", stdout(&run));
    }
    for jobs in ["1", "3"] {
        let memory = litmus(&[&many[..], &["--max-memory", "8M", "--jobs", jobs]].concat()).assert().code(4);
        assert!(stdout(&memory).contains("the memory limit was reached"), "{}", stdout(&memory));
    }
}

/// Operators in letters, in ASCII and as signs.
#[test]
fn operators_have_several_spellings() {
    let file = "litmus/peterson-loop.litmus";
    for formula in [
        "G !(P0@cs && P1@cs)",
        "[] ~(P0@cs /\\ P1@cs)",
        "\u{25a1}\u{ac}(P0@cs \u{2227} P1@cs)",
        "not F (P0@cs and P1@cs)",
        "!<>(P0@cs & P1@cs)",
        "\u{ac}\u{25c7}(P0@cs \u{2227} P1@cs)",
        "false R !(P0@cs && P1@cs)",
        "!(true U (P0@cs && P1@cs))",
        "(!(P0@cs && P1@cs)) W false",
        "G (P0@cs => !P1@cs)",
        "G (P0@cs \u{2192} \u{ac}P1@cs)",
        "!(P0@cs && P1@cs) && X G !(P0@cs && P1@cs)",
        "!(P0@cs && P1@cs) && () G !(P0@cs && P1@cs)",
        "\u{25cb} G !(P0@cs && P1@cs)",
    ] {
        litmus(&["ltl", file, formula, "-m", "sc"]).assert().code(0);
        litmus(&["ltl", file, formula, "-m", "tso"]).assert().code(1);
    }
}

#[test]
fn questions_that_are_none() {
    let file = "litmus/peterson-loop.litmus";
    let usage = |args: &[&str]| stderr(&litmus(&[&["ltl", file], args].concat()).assert().code(2));
    assert!(usage(&["F turn == 1", "--reach"]).contains("its formula has no temporal operators"));
    assert!(usage(&["G P0@nowhere"]).contains("thread P0 has no label `nowhere` (cs, try)"));
    assert!(usage(&["G empty(P7)"]).contains("there is no thread P7"));
    assert!(usage(&["G (turn == 1"]).contains("expected `)`"));
    assert!(usage(&["G turn == 1", "--buffer", "0"]).contains("0"));
}

/// Registers against memory: what no part of a state decides by itself.
#[test]
fn propositions_over_several_parts() {
    let test = "C t\n{}\nP0(int *x) {\n  int r = *x;\n  *x = r + 1;\nend: ;\n}\nP1(int *x) {\n  int r = *x;\n  *x = r + 1;\n}\nexists (x=2)\n";
    let dir = folder(&[("T.litmus", test)]);
    let code = |formula: &str, code: i32| {
        litmus_in(dir.path(), &["ltl", "T.litmus", formula, "-m", "tso", "--fair"]).assert().code(code);
    };
    code("G (ended(P0) && ended(P1) && empty(P0) && empty(P1) -> x == 0:r + 1)", 2);
    code("G (ended(P0) && ended(P1) -> 0:r == 1:r)", 1);
    code("F (ended(P0) && ended(P1) && 0:r < x && 1:r < x)", 0);
    code("F (ended(P0) && ended(P1) && (0:r == 1:r || 0:r != 1:r) && x > 0)", 0);
    code("G !(0:r > x)", 0);
}

/// Who waits in a C program, in a loop or for a lock, goes on when it can.
#[test]
fn threads_of_c_programs_that_wait() {
    for (file, model) in [("litmus/programs/peterson.c", "tso"), ("litmus/programs/dekker.c", "sc")] {
        litmus(&["ltl", file, "F ended(P0)", "-m", model, "--fair"]).assert().code(0);
    }
    // Threads that are started in a loop; one more than there is room for.
    let many = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int next, now;\nint x;\n\
                void *f(void *p) {\n  int mine = atomic_fetch_add(&next, 1);\n  while (atomic_load(&now) != mine)\n    ;\n\
                in: x = x + 1;\n  atomic_store(&now, mine + 1);\n  return 0;\n}\n\
                int main(void) { pthread_t t[N]; for (int i = 0; i < N; i++) pthread_create(&t[i], 0, f, 0);\n\
                for (int i = 0; i < N; i++) pthread_join(t[i], 0);\n  return 0; }\n";
    let dir = folder(&[("t.c", many)]);
    let of = |n: &'static str, formula: &'static str| ["ltl", "t.c", formula, "-m", "tso", "--fair", "-D", n];
    litmus_in(dir.path(), &of("N=3", "F (ended(P0) && x == 3)")).assert().code(0);
    litmus_in(dir.path(), &of("N=2", "G !(P1@in && P2@in) && F (ended(P0) && x == 2)")).assert().code(0);
    let run = litmus_in(dir.path(), &of("N=5", "F ended(P0)")).assert().code(3);
    assert!(stderr(&run).contains("error[machine::spawn-again]: more than 4 threads"), "{}", stderr(&run));
    let run = litmus_in(dir.path(), &["await", "t.c", "-m", "tso", "-D", "N=2"]).assert().code(0);
    let loops = stdout(&run);
    assert!(loops.contains("P2, line 7: ends (tso with buffers of 1)"), "{loops}");
    assert!(!loops.contains("P3,"), "threads that nobody starts: {loops}");
    let locks = "#include <pthread.h>\npthread_mutex_t m, n;\nint x;\n\
                 void *f(void *p) { pthread_mutex_lock(&m); A\nx = x + 1; B\npthread_mutex_unlock(&m); return 0; }\n\
                 void *g(void *p) { C\npthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); D\nreturn 0; }\n\
                 int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0);\n\
                 pthread_join(s, 0); pthread_join(t, 0); return x; }\n";
    let program = |parts: [&str; 4]| {
        let names = ["A\n", "B\n", "C\n", "D\n"].into_iter().zip(parts);
        names.fold(locks.to_string(), |text, (name, part)| text.replace(name, &format!("{part}\n")))
    };
    let (lock, unlock) = ("pthread_mutex_lock(&n);", "pthread_mutex_unlock(&n);");
    let right = program(["", "", "", ""]);
    let stuck = program([lock, unlock, lock, unlock]);
    let dir = folder(&[("right.c", &right), ("stuck.c", &stuck)]);
    let formula = "F (ended(P0) && x == 2)";
    litmus_in(dir.path(), &["ltl", "right.c", formula, "-m", "tso", "--fair"]).assert().code(0);
    let run = litmus_in(dir.path(), &["ltl", "stuck.c", formula, "-m", "tso", "--fair"]).assert().code(1);
    assert!(stdout(&run).contains("then for ever:"), "{}", stdout(&run));
}

/// A chain of `U` has a way to hold for each choice in it: it is refused, and not waited for.
#[test]
fn formulas_with_too_many_ways_are_refused() {
    let formula = format!("flag0==0 {}", "U (flag0==0 || flag1==1 && turn==0)".repeat(24));
    let assert = litmus(&["ltl", "litmus/peterson-loop.litmus", &formula, "-m", "sc"]).assert().code(3);
    assert!(stderr(&assert).contains("ways to go on"), "{}", stderr(&assert));
}
