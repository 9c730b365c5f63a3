//! Programs in C from text to final state: what a compiler makes of them, and which outcomes the models of the library allow.

use litmus::diag::{Color, render_all};
use litmus::outcome::Outcome;
use litmus::session::{Input, Session, Settings};

fn run(text: &str, model: &str) -> Outcome {
    let input = Input::Text { name: "test.litmus".to_string(), text: text.into() };
    let mut settings = Settings::default();
    settings.explore.unroll = 8;
    let report = Session::new(settings).run(&input, Some(model));
    match report.answer.and_then(|answer| answer.outcome) {
        Some(outcome) => outcome,
        None => panic!("{text}\n{}", render_all(&report.diagnostics, &report.sources, Color::Never)),
    }
}

/// A thread of its own ends with these values and no others.
#[track_caller]
fn ends(functions: &str, body: &str, condition: &str) {
    let text = format!("C T\n{{}}\n{functions}\nP0(int *x, int *y) {{ {body} }}\nexists ({condition})\n");
    let outcome = run(&text, "rc11");
    assert!(outcome.positive > 0 && outcome.negative == 0, "{body}: {outcome:?}");
}

#[test]
fn pointers_and_arrays() {
    ends(
        "",
        "int a[4] = {1,2,3,4}; int *p = a; int r0 = *p++; int r1 = *++p; int r2 = p[1]; int r3 = p - a; int r4 = &a[3] - p;
         int r5 = (p > a) + (p == &a[2]) * 2; int r6 = sizeof(a) / sizeof(a[0]); int r7 = sizeof(p);",
        r"0:r0=1 /\ 0:r1=3 /\ 0:r2=4 /\ 0:r3=2 /\ 0:r4=1 /\ 0:r5=3 /\ 0:r6=4 /\ 0:r7=8",
    );
    ends(
        "",
        "int a[3] = {0}; int *e = a + 3; int n = 0; for (int *p = a; p < e; p++) { *p = n * n; n++; }
         int r0 = a[0] + a[1] * 10 + a[2] * 100; int r1 = e - a; int r2 = *(e - 1); int *q = x; int **pp = &q; *pp = y; **pp = 9;",
        r"0:r0=410 /\ 0:r1=3 /\ 0:r2=4 /\ x=0 /\ y=9",
    );
    // An array of a block starts anew each time.
    ends(
        "",
        "int r0 = 0; for (int k = 0; k < 3; k++) { int z[2] = {k}; z[1] += 5; r0 = r0 * 100 + z[0] * 10 + z[1]; }",
        "0:r0=51525",
    );
    // Every value but 0 becomes 1, in memory as in registers.
    ends(
        "",
        "_Bool m = 128; _Bool *p = &m; _Bool a[2] = {48}; int r0 = *p + a[0] * 10 + a[1] * 100;",
        "0:r0=11",
    );
}

#[test]
fn statements() {
    ends(
        "",
        "int r0 = 0; for (int i = 0; i < 4; i++) { switch (i) { case 1: continue; case 2: break; default: r0 += 100; } r0 += i; }
         int r1 = 0; back: r1++; if (r1 < 4) goto back; int r2 = 0; do { if (++r2 == 2) continue; if (r2 > 4) break; } while (r2 < 10);",
        r"0:r0=205 /\ 0:r1=4 /\ 0:r2=5",
    );
    ends(
        "",
        "int r0; int r1 = 0; if ((r0 = r1 + 3) > 2) r1 = r0; int r2 = 0; while ((r2 += 2) < 9) r1++; int r3 = (r0 = 5) && (r1 = 6);
         int r4 = 0 && (r0 = 7); int r5 = 1 || (r0 = 8); int r6 = 1 ? (1, 2) : 3;",
        r"0:r0=5 /\ 0:r1=6 /\ 0:r2=10 /\ 0:r3=1 /\ 0:r4=0 /\ 0:r5=1 /\ 0:r6=2",
    );
}

#[test]
fn helpers_and_macros() {
    ends(
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))
         #define SET(x, v) do { (x) = (v); } while (0)
         static int early(int a) { if (a == 0) return 7; for (int i = 0; i < 3; i++) { if (i == 1) return i; } return 9; }
         static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
         static unsigned char small(int a) { return a; }",
        "int r0 = early(0) * 10 + early(5); int a = 1; int b = 2; swap(&a, &b); int r1 = a * 10 + b; int r2 = small(257);
         int r3 = 0; SET(r3, MIN(4, 3)); swap(x, y);",
        r"0:r0=71 /\ 0:r1=21 /\ 0:r2=1 /\ 0:r3=3",
    );
}

#[test]
fn read_modify_writes() {
    let text = |body: &str, condition: &str| {
        format!("C T\n{{ x=5; }}\nP0(atomic_int *x) {{ {body} }}\nexists ({condition})\n")
    };
    let always = |body: &str, condition: &str| {
        let outcome = run(&text(body, condition), "rc11");
        assert!(outcome.positive > 0 && outcome.negative == 0, "{body}: {outcome:?}");
    };
    always(
        "int r0 = atomic_fetch_min(x, 3); int r1 = atomic_fetch_max(x, 10); int r2 = atomic_fetch_max(x, 2); int r3 = atomic_load(x);",
        r"0:r0=5 /\ 0:r1=3 /\ 0:r2=10 /\ 0:r3=10",
    );
    // Two in one expression, in either order.
    always("int r0 = atomic_fetch_add(x, 1) + atomic_fetch_add(x, 1);", r"0:r0=11 /\ x=7");
    always(
        "int e = 5; int r0 = atomic_compare_exchange_strong(x, &e, 1); int r1 = e;",
        r"0:r0=1 /\ x=1 /\ 0:r1=5",
    );
    always(
        "int e = 4; int r0 = atomic_compare_exchange_strong(x, &e, 1); int r1 = e;",
        r"0:r0=0 /\ x=5 /\ 0:r1=5",
    );
    // The weak one may fail although the values agree.
    let weak = text(
        "int e = 5; int r0 = atomic_compare_exchange_weak(x, &e, 1); int r1 = e;",
        r"0:r0=0 /\ x=5 /\ 0:r1=5",
    );
    let outcome = run(&weak, "rc11");
    assert!(outcome.positive > 0 && outcome.negative > 0, "{outcome:?}");
}

/// Message passing: forbidden if and only if the write releases and the read acquires.
#[test]
fn every_memory_order() {
    let writes = [
        ("atomic_store_explicit(f, 1, memory_order_relaxed);", false),
        ("atomic_store_explicit(f, 1, memory_order_release);", true),
        ("atomic_store(f, 1);", true),
        ("atomic_exchange_explicit(f, 1, memory_order_acquire);", false),
        ("atomic_exchange_explicit(f, 1, memory_order_acq_rel);", true),
        ("atomic_fetch_add(f, 1);", true),
        (
            "atomic_thread_fence(memory_order_release); atomic_store_explicit(f, 1, memory_order_relaxed);",
            true,
        ),
        (
            "atomic_thread_fence(memory_order_acquire); atomic_store_explicit(f, 1, memory_order_relaxed);",
            false,
        ),
        (
            "int e = 0; atomic_compare_exchange_strong_explicit(f, &e, 1, memory_order_release, memory_order_relaxed);",
            true,
        ),
    ];
    let reads = [
        ("int r0 = atomic_load_explicit(f, memory_order_relaxed);", false),
        ("int r0 = atomic_load_explicit(f, memory_order_acquire);", true),
        ("int r0 = atomic_load(f);", true),
        ("int r0 = atomic_fetch_or_explicit(f, 0, memory_order_release);", false),
        (
            "int r0 = atomic_load_explicit(f, memory_order_relaxed); atomic_thread_fence(memory_order_acquire);",
            true,
        ),
        (
            "int e = 7; atomic_compare_exchange_strong_explicit(f, &e, 1, memory_order_acq_rel, memory_order_acquire); int r0 = e;",
            true,
        ),
        (
            "int e = 7; atomic_compare_exchange_strong_explicit(f, &e, 1, memory_order_acq_rel, memory_order_relaxed); int r0 = e;",
            false,
        ),
    ];
    for (write, releases) in writes {
        for (read, acquires) in reads {
            let text = format!(
                "C MP\n{{}}
                 P0(atomic_int *d, atomic_int *f) {{ atomic_store_explicit(d, 1, memory_order_relaxed); {write} }}
                 P1(atomic_int *d, atomic_int *f) {{ {read} int r1 = atomic_load_explicit(d, memory_order_relaxed); }}
                 exists (1:r0=1 /\\ 1:r1=0)\n"
            );
            let outcome = run(&text, "rc11");
            assert_eq!(outcome.positive == 0, releases && acquires, "{write} {read}");
        }
    }
}

#[test]
fn a_static_local_outlives_its_block() {
    ends(
        "int count() { static int n = 5; n++; return n; }",
        "int r0 = count(); int r1 = count(); static int k = 3; k += r1; int r2 = k;",
        r"0:r0=6 /\ 0:r1=7 /\ 0:r2=10",
    );
}

/// Both threads add to `x` under a lock.
fn increments(lock: &str, unlock: &str, ty: &str) -> String {
    let body = format!("{{ {lock}(l); int r = *x; *x = r + 1; {unlock}(l); }}");
    format!("C L\n{{}}\nP0(int *x, {ty} *l) {body}\nP1(int *x, {ty} *l) {body}\nexists (x=2)\n")
}

#[test]
fn a_lock_is_a_lock_under_every_model() {
    for (lock, unlock, ty, models) in [
        ("mtx_lock", "mtx_unlock", "mtx_t", ["sc", "tso", "pso", "rc11", "c11"].as_slice()),
        ("spin_lock", "spin_unlock", "spinlock_t", ["lkmm"].as_slice()),
    ] {
        for model in models {
            let outcome = run(&increments(lock, unlock, ty), model);
            assert!(outcome.positive > 0 && outcome.negative == 0, "{lock} under {model}: {outcome:?}");
        }
    }
}

#[test]
fn memory_orders_are_refused_where_nobody_looks_at_them() {
    let text = "C SB\n{}\nP0(atomic_int *x, atomic_int *y) { atomic_store(x, 1); int r = atomic_load(y); }\n\
                P1(atomic_int *x, atomic_int *y) { atomic_store(y, 1); int r = atomic_load(x); }\n\
                exists (0:r=0 /\\ 1:r=0)\n";
    let input = Input::Text { name: "SB.litmus".to_string(), text: text.into() };
    let session = Session::new(Settings::default());
    for model in ["tso", "pso"] {
        let report = session.run(&input, Some(model));
        let text = render_all(&report.diagnostics, &report.sources, Color::Never);
        let wanted = format!(
            "error[model::memory-orders]: the model `{model}` knows no memory orders: it takes every access for a plain one"
        );
        assert_eq!(text.lines().next(), Some(wanted.as_str()));
    }
    for model in ["sc", "rc11", "c11"] {
        assert_eq!(run(text, model).positive, 0, "{model}");
    }
    // Relaxed accesses ask for no more than a machine does.
    let relaxed = text.replace("atomic_store(x, 1)", "atomic_store_explicit(x, 1, memory_order_relaxed)");
    let relaxed = relaxed.replace("atomic_store(y, 1)", "atomic_store_explicit(y, 1, memory_order_relaxed)");
    let relaxed = relaxed.replace("atomic_load(y)", "atomic_load_explicit(y, memory_order_relaxed)");
    let relaxed = relaxed.replace("atomic_load(x)", "atomic_load_explicit(x, memory_order_relaxed)");
    assert!(run(&relaxed, "tso").positive > 0);
}
