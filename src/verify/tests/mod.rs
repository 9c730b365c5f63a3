//! Programs from text to verdict.

mod beside;
mod language;
mod library;
mod link;
mod machines;
mod people;
mod properties;
mod rounds;
mod sizes;

use super::{Answer, Files, Settings, Verdict, load, orders_for, run, run_fitted};
use crate::arch::ArchId;
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::{Machine, Options, Orders};
use crate::diag::{Color, render_all};
use crate::model::Model;
use crate::program::Program;
use crate::program::shapes::Shapes;
use crate::session;

/// All that is known of a program.
fn answer(text: &str, model: &str, unroll: Option<u32>) -> Answer {
    let (answer, said) = asked(text, model, unroll);
    assert!(answer.errors.is_empty(), "{said}");
    answer
}

/// Likewise, with what could not be answered.
fn asked(text: &str, model: &str, unroll: Option<u32>) -> (Answer, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    let prepared = session::prepare_for_programs(&session::Settings::default(), model).expect(model);
    let orders = orders_for(&prepared.model, prepared.arch).expect(model);
    let mut reading = preprocess::Settings::default();
    if orders == Orders::Machine(Machine::Kernel) {
        reading.defines.push("__LITMUS_LKMM".to_string());
    }
    let options = Options { recursion: 8, orders, samples: true, uninitialised: true, marks_waits: false };
    let settings = Settings {
        unroll,
        keep_going: true,
        orders,
        every_thread: true,
        all_blocked: true,
        ..Settings::default()
    };
    let (loaded, ran) = run_fitted(
        |shapes| load(&Files::from(path.as_path()), &reading, options, shapes),
        |program| Some(run(program, &prepared.model, &settings)),
    );
    let Some(program) = &loaded.program else {
        panic!("{}", render_all(&loaded.diagnostics, &loaded.sources, Color::Never));
    };
    let answer = match ran.expect("it was run") {
        Ok(answer) => answer,
        Err(why) => panic!("{}", render_all(&[why], &loaded.sources, Color::Never)),
    };
    if answer.errors.is_empty() {
        // Whoever finds them, there are as many.
        let alike = Settings { every_thread: false, ..settings.clone() };
        let alike = run(program, &prepared.model, &alike).expect("an answer");
        let fewer = Settings { all_blocked: false, ..settings.clone() };
        let fewer = run(program, &prepared.model, &fewer).expect("an answer");
        assert_eq!((fewer.verdict, fewer.complete), (answer.verdict, answer.complete), "{text}");
        let together = run(program, &prepared.model, &Settings { jobs: 3, ..settings }).expect("an answer");
        let figures = |a: &Answer| (a.verdict, a.complete, a.blocked, a.cut, a.violating, a.violations.len());
        assert_eq!(figures(&together), figures(&answer), "{text}");
        // Threads that are like each other change no verdict.
        let found = |a: &Answer| (a.verdict, a.complete > 0, a.blocked > 0, a.cut > 0, a.violations.len());
        assert_eq!(found(&alike), found(&answer), "{text}");
        assert!(alike.symmetric || figures(&alike) == figures(&answer), "{text}");
    }
    let said = render_all(&answer.errors, &loaded.sources, Color::Never);
    (answer, said)
}

/// Reads a program for a model, to be run as a test likes.
fn with<T>(text: &str, model: &str, look: impl Fn(&Program, &Model, &Settings) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    let prepared = session::prepare_for_programs(&session::Settings::default(), model).expect(model);
    let orders = orders_for(&prepared.model, prepared.arch).expect(model);
    let options = Options { recursion: 8, orders, samples: true, uninitialised: true, marks_waits: false };
    let files = Files::from(path.as_path());
    let loaded = load(&files, &preprocess::Settings::default(), options, &Shapes::default());
    let settings = Settings { orders, ..Settings::default() };
    look(&loaded.program.expect("C"), &prepared.model, &settings)
}

/// The verdict and the numbers of complete and violating executions.
fn verify(text: &str, model: &str, unroll: Option<u32>) -> (Verdict, u64, u64) {
    let answer = answer(text, model, unroll);
    (answer.verdict, answer.complete, answer.violating)
}

const HEADERS: &str =
    "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n#include <stdlib.h>\n";

/// Two threads, joined by `main`.
fn two(globals: &str, first: &str, second: &str, end: &str) -> String {
    format!(
        "{HEADERS}{globals}\nvoid *first(void *p) {{ {first} return 0; }}\nvoid *second(void *p) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, first, 0); pthread_create(&b, 0, second, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); {end} return 0; }}\n"
    )
}

#[test]
fn store_buffering() {
    let text = two(
        "atomic_int x, y; int r, s;",
        "atomic_store_explicit(&x, 1, memory_order_relaxed); r = atomic_load_explicit(&y, memory_order_relaxed);",
        "atomic_store_explicit(&y, 1, memory_order_relaxed); s = atomic_load_explicit(&x, memory_order_relaxed);",
        "assert(r || s);",
    );
    assert_eq!(verify(&text, "sc", None), (Verdict::Safe, 3, 0));
    assert_eq!(verify(&text, "tso", None), (Verdict::Unsafe, 3, 1));
    assert_eq!(verify(&text, "rc11", None), (Verdict::Unsafe, 3, 1));
    let strong = text.replace("memory_order_relaxed", "memory_order_seq_cst");
    for model in ["sc", "tso", "rc11"] {
        assert_eq!(verify(&strong, model, None), (Verdict::Safe, 3, 0), "{model}");
    }
}

/// What is looked at again is what the engine finds: with every execution a violation, each is looked at.
#[test]
fn executions_stand_when_they_are_looked_at_again() {
    for (first, second) in [
        ("x = 1; r = y;", "y = 1; s = x;"),
        (
            "atomic_store_explicit(&x, 1, memory_order_relaxed); atomic_thread_fence(memory_order_seq_cst); r = y;",
            "y = 1; s = x; x++;",
        ),
        ("x = 1; y = 2;", "r = atomic_fetch_add_explicit(&y, 1, memory_order_acq_rel); s = x;"),
        ("x = 1; x = 2;", "r = x; s = x;"),
    ] {
        for end in ["r * 4 + s", "x * 4 + y", "r * 4 + x", "s * 4 + y"] {
            for n in 0..12 {
                let text = two("atomic_int x, y, r, s;", first, second, &format!("assert({end} != {n});"));
                answer(&text, "rc11", None);
            }
        }
    }
}

#[test]
fn release_sequences_of_two_standards() {
    let text = two(
        "atomic_int flag; int data;",
        "data = 1; atomic_store_explicit(&flag, 1, memory_order_release); atomic_store_explicit(&flag, 2, memory_order_relaxed);",
        "if (atomic_load_explicit(&flag, memory_order_acquire) == 2) assert(data == 1);",
        "",
    );
    assert_eq!(verify(&text, "rc11", None), (Verdict::Safe, 3, 0));
    assert_eq!(verify(&text, "rc20", None).0, Verdict::Unsafe);
}

/// What strongly happens before another is in the order of sequentially consistent accesses, within one location, too, since C++20.
#[test]
fn sequential_consistency_of_two_standards() {
    let text = format!(
        "{HEADERS}atomic_int x, y; int a, b, c;\n\
         void *f(void *p) {{ x = 1; atomic_store_explicit(&x, 2, memory_order_release); return 0; }}\n\
         void *g(void *p) {{ a = atomic_load_explicit(&x, memory_order_acquire); b = y; return 0; }}\n\
         void *h(void *p) {{ y = 1; c = x; return 0; }}\n\
         int main(void) {{ pthread_t t[3]; void *(*all[])(void *) = {{ f, g, h }};\n\
         for (int n = 0; n < 3; n++) pthread_create(&t[n], 0, all[n], 0);\n\
         for (int n = 0; n < 3; n++) pthread_join(t[n], 0);\n\
         assert(!(a == 2 && b == 0 && c == 0)); return 0; }}\n"
    );
    assert_eq!(verify(&text, "rc11", None).0, Verdict::Unsafe);
    assert_eq!(verify(&text, "rc20", None).0, Verdict::Safe);
}

#[test]
fn a_model_of_another_language_is_refused() {
    let settings = session::Settings::default();
    let said = |model: &str| {
        let prepared = session::prepare_model(&settings, model, ArchId::C).expect(model);
        let refused = orders_for(&prepared.model, prepared.arch).expect_err(model);
        let text = render_all(&[refused], &crate::source::Sources::new(), Color::Never);
        text.lines().next().unwrap_or("").to_string()
    };
    assert_eq!(
        said("rmo"),
        "error[verify::model]: the model `RMO` has no meaning for the memory orders of C"
    );
}

#[test]
fn memory_errors_are_violations() {
    for body in [
        "int *p = malloc(4); free(p); return *p;",
        "int *p = malloc(4); free(p); free(p); return 0;",
        "int *p = 0; return *p;",
        "int a[2] = { 1 }; int i = 2; return a[i];",
        "int x = 3, y = x - 3; return x / y;",
    ] {
        let text = format!("{HEADERS}int body(void) {{ {body} }}\nint main(void) {{ return body(); }}\n");
        assert_eq!(verify(&text, "sc", None).0, Verdict::Unsafe, "{body}");
    }
}

#[test]
fn a_mutex_excludes_and_its_order_counts() {
    let body = "pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m);";
    let text = two("int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", body, body, "assert(x == 2);");
    for model in ["sc", "tso", "pso", "rc11"] {
        assert_eq!(verify(&text, model, None), (Verdict::Safe, 2, 0), "{model}");
    }
    let broken = two("int x;", "x = x + 1;", "x = x + 1;", "assert(x == 2);");
    assert_eq!(verify(&broken, "sc", None).0, Verdict::Unsafe);
}

#[test]
fn a_loop_that_waits_is_no_loop() {
    let text = two(
        "atomic_int flag; int data;",
        "data = 42; atomic_store_explicit(&flag, 1, memory_order_release);",
        "while (!atomic_load_explicit(&flag, memory_order_acquire)) ; assert(data == 42);",
        "",
    );
    for model in ["sc", "tso", "rc11"] {
        assert_eq!(verify(&text, model, None), (Verdict::Safe, 1, 0), "{model}");
    }
    let lock = "int free = 0; while (!atomic_compare_exchange_strong(&l, &free, 1)) free = 0; x++; atomic_store(&l, 0);";
    let spin = two("atomic_int l; int x;", lock, lock, "assert(x == 2);");
    assert_eq!(verify(&spin, "rc11", None), (Verdict::Safe, 2, 0));
    let exchange = "while (atomic_exchange(&l, 1)) ; x++; atomic_store(&l, 0);";
    let spin = two("atomic_int l; int x;", exchange, exchange, "assert(x == 2);");
    assert_eq!(verify(&spin, "sc", None), (Verdict::Safe, 2, 0));
}

#[test]
fn a_round_that_reads_as_the_line_before_the_loop_did_is_no_round() {
    let counts = |body: &str, model: &str| {
        let text = two("atomic_int x;", body, body, "");
        let writer = "void *third(void *p) { atomic_store(&x, 1); return 0; }\nint main(void) { pthread_t c; pthread_create(&c, 0, third, 0);";
        verify(&text.replace("int main(void) {", writer), model, None)
    };
    for model in ["sc", "tso", "rc11"] {
        let inside =
            "int r; do r = atomic_load(&x); while (!atomic_compare_exchange_strong(&x, &r, r + 10));";
        let wanted = counts(inside, model);
        assert_eq!(wanted.0, Verdict::Safe);
        for body in [
            "int r = atomic_load(&x); while (!atomic_compare_exchange_strong(&x, &r, r + 10)) ;",
            "int r = atomic_load(&x); for (;;) { if (atomic_compare_exchange_strong(&x, &r, r + 10)) break; }",
            "int r = atomic_load(&x), n = 0; while (!atomic_compare_exchange_strong(&x, &r, r + 10)) { n = 1; if (n) r = atomic_load(&x); n = 0; }",
        ] {
            assert_eq!(counts(body, model), wanted, "{model}: {body}");
        }
        // An order of its own makes another read of it.
        let weaker = "int r = atomic_load_explicit(&x, memory_order_relaxed); while (!atomic_compare_exchange_strong(&x, &r, r + 10)) ;";
        if model == "rc11" {
            assert_ne!(counts(weaker, model), wanted);
        }
    }
    // What one round found is not lost in the next, and who waits for ever is still seen to.
    let last = two(
        "atomic_int x;",
        "int r = atomic_load(&x); while (r != 2) r = atomic_load(&x);",
        "for (int i = 0; i < 8; i++) atomic_store(&x, i);",
        "",
    );
    for model in ["sc", "tso", "rc11"] {
        assert_eq!(answer(&last, model, None).violations[0].property, crate::program::Property::Liveness);
        assert_eq!(answer(&last, model, None).complete, 1, "{model}");
    }
}

#[test]
fn sequential_programs_compute_what_c_says() {
    for (body, value) in [
        ("int a[3] = { [1] = 5, 7 }; return a[0] + a[1] * 10 + a[2] * 100;", 750),
        (
            "struct { int x; char y[2]; } s = { 3, { 1, 2 } }, t; t = s; t.y[1] = 9; return t.x * 100 + t.y[1] * 10 + s.y[1];",
            392,
        ),
        ("unsigned char c = 250; c += 10; return c;", 4),
        (
            "int n = 0; for (int i = 0; i < 5; i++) { if (i == 1) continue; if (i == 4) break; n = n * 10 + i; } return n;",
            23,
        ),
        ("int n = 0, i = 0; again: n += i; if (++i < 4) goto again; return n;", 6),
        (
            "int r = 0; for (int i = 0; i < 4; i++) switch (i) { case 1: r += 10; case 2: r += 100; break; default: r += 1; } return r;",
            212,
        ),
        ("long p = 1L << 40; return (int)(p >> 38) + (sizeof(long) == 8);", 5),
        ("int x = 5, *p = &x; *p += 2; return ({ int t = x; t * 2; });", 14),
        ("int x = -7; return x / 2 * 100 + x % 3 * 10 + (x >> 1);", -314),
        ("unsigned u = 0; u--; return u == 4294967295U && u > 0 && (int)u == -1;", 1),
        (
            "int *p = malloc(3 * sizeof(int)); p[0] = 1; p[1] = 2; p[2] = p[0] + p[1]; int r = p[2]; free(p); return r;",
            3,
        ),
        ("struct n { int v; struct n *next; } a = { 1, 0 }, b = { 2, &a }; return b.next->v + b.v * 10;", 21),
        ("int (*f)(int) = twice; return f(4) + apply(twice, 3);", 14),
        ("return fact(5);", 120),
        ("int i = 3; int j = i++ + 2; int k = --i * 10; return i * 10000 + j * 100 + k;", 30530),
        ("return (1 ? 2 : 3) + (0 || 5) * 10 + (4 && 0) * 100 + !7 + ~0;", 11),
        ("struct { unsigned a : 3; unsigned b : 5; } f = { 9, 17 }; f.b++; return f.a * 100 + f.b;", 118),
        ("char s[] = \"ab\"; return s[0] + s[1] + sizeof s;", 198),
        ("static int k = 2; k *= 3; return k + next() + next();", 9),
    ] {
        let text = format!(
            "{HEADERS}int twice(int n) {{ return 2 * n; }}\nint apply(int (*f)(int), int n) {{ return f(n); }}\n\
             int fact(int n) {{ return n < 2 ? 1 : n * fact(n - 1); }}\nint next(void) {{ static int n; return ++n; }}\n\
             int body(void) {{ {body} }}\nint main(void) {{ assert(body() == {value}); return 0; }}\n"
        );
        assert_eq!(verify(&text, "sc", None).0, Verdict::Safe, "{body}");
        let wrong = text.replace(&format!("== {value})"), &format!("== {value} + 1)"));
        assert_eq!(verify(&wrong, "sc", None).0, Verdict::Unsafe, "{body}");
    }
}

#[test]
fn violations_by_executions_with_holes() {
    let load = "atomic_load_explicit(&x, memory_order_relaxed)";
    let thread = "void *t(void *p) { b = atomic_load_explicit(&y, memory_order_relaxed); STORE return 0; }";
    let store = "atomic_store_explicit(&x, 1, memory_order_relaxed);";
    // `main` works beside the thread, and an object is made while it runs.
    let body = format!(
        "pthread_t a; pthread_create(&a, 0, t, 0); int r = {load}; int *n = malloc(sizeof *n); *n = 1; \
         atomic_store_explicit(&y, *n, memory_order_relaxed); free(n); pthread_join(a, 0); assert(!(r == 1 && b == 1));"
    );
    for what in [
        store.to_string(),
        format!("if (b) {store}"),
        format!("atomic_thread_fence(memory_order_acquire); {store}"),
    ] {
        let thread = thread.replace("STORE", &what);
        let text =
            format!("{HEADERS}atomic_int x, y; int b;\n{thread}\nint main(void) {{ {body} return 0; }}\n");
        for model in ["riscv", "aarch64", "ppc", "lkmm"] {
            let (answer, said) = asked(&text, model, None);
            assert_eq!(answer.verdict, Verdict::Unsafe, "{model}: {what}: {said}");
            let trace = &answer.violations[0].trace;
            assert!(trace.iter().any(|step| step.what.starts_with("reads x = 1")), "{model}: {trace:?}");
            assert!(trace.iter().any(|step| step.what.starts_with("reads y = 1")), "{model}: {trace:?}");
        }
    }
}

#[test]
fn what_is_not_looked_at_is_told() {
    // Each thread reads first, and might read what the other writes after it. `main` has waited for a thread before it starts them.
    let text = two(
        "atomic_int x, y;",
        "int r = atomic_load_explicit(&x, memory_order_relaxed); atomic_store_explicit(&y, 1, memory_order_relaxed);",
        "int s = atomic_load_explicit(&y, memory_order_relaxed); atomic_store_explicit(&x, 1, memory_order_relaxed);",
        "",
    );
    let text = text.replace(
        "pthread_create(&a, 0, first, 0);",
        "pthread_create(&a, 0, third, 0); pthread_join(a, 0); pthread_create(&a, 0, first, 0);",
    );
    let text = text.replace(
        "int main",
        "void *third(void *p) { atomic_store_explicit(&y, 2, memory_order_relaxed); return 0; }\nint main",
    );
    for model in ["riscv", "aarch64"] {
        let (answer, said) = asked(&text, model, None);
        assert_eq!(answer.verdict, Verdict::Safe, "{model}: {said}");
        // Both threads may read what the other writes.
        assert!(answer.complete > asked(&text, "sc", None).0.complete, "{model}: {said}");
    }
    // A cell is accessed twice: what the machine keeps of program order may lead round.
    let twice = text.replace("int s =", "int t = atomic_load_explicit(&y, memory_order_relaxed); int s =");
    for (model, text) in [("riscv", &twice), ("aarch64", &twice), ("ppc", &text)] {
        let (answer, said) = asked(text, model, None);
        assert_eq!(answer.verdict, Verdict::Unknown, "{model}: {said}");
        assert!(said.contains("error[verify::cycles]") && said.contains("keeps of program order"), "{said}");
    }
    // One that is not ordered is enough.
    let text = text.replace(
        "atomic_store_explicit(&x",
        "atomic_thread_fence(memory_order_seq_cst); atomic_store_explicit(&x",
    );
    assert_eq!(asked(&text, "ppc", None).0.verdict, Verdict::Unknown);
    // What the program itself orders needs no branch: a condition, a fence, what is stored, a release; and it takes two threads.
    let load = |cell: &str| format!("int r = atomic_load_explicit(&{cell}, memory_order_relaxed);");
    let store =
        |cell: &str, what: &str| format!("atomic_store_explicit(&{cell}, {what}, memory_order_relaxed);");
    for (first, second) in [
        (format!("if (r) {}", store("y", "1")), format!("for (int i = 0; i < r; i++) {}", store("x", "1"))),
        (format!("atomic_thread_fence(memory_order_acquire); {}", store("y", "1")), store("x", "r + 1")),
        ("atomic_store_explicit(&y, 1, memory_order_release);".to_string(), store("x", "r")),
        // Nobody closes the cycle.
        (store("z", "1"), String::new()),
    ] {
        let text = two("atomic_int x, y, z;", &(load("x") + &first), &(load("y") + &second), "");
        for model in ["riscv", "aarch64"] {
            let (answer, said) = asked(&text, model, None);
            assert_eq!(answer.verdict, Verdict::Safe, "{model}: {first} {second}: {said}");
        }
    }
}
