//! Programs of several files.

use std::path::PathBuf;

use super::{Files, Settings, Verdict, load, orders_for, run, run_fitted};
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::Options;
use crate::diag::{Color, render_all};
use crate::session;
use crate::verify::programs;

/// The verdict on each program that files make, or what is wrong with it.
fn linked(files: &[(&str, &str)]) -> Vec<Result<Verdict, String>> {
    linked_under("sc", files)
}

/// Likewise, under that model.
pub(super) fn linked_under(model: &str, files: &[(&str, &str)]) -> Vec<Result<Verdict, String>> {
    ran_under(model, true, files)
}

/// Likewise; are races looked for?
pub(super) fn ran_under(model: &str, races: bool, files: &[(&str, &str)]) -> Vec<Result<Verdict, String>> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let sources = files.iter().filter(|(name, _)| name.ends_with(".c"));
    let paths: Vec<PathBuf> = sources.map(|(name, _)| folder.path().join(name)).collect();
    let prepared = session::prepare_for_programs(&session::Settings::default(), model).expect("a model");
    let orders = orders_for(&prepared.model, prepared.arch).expect("orders");
    let reading = preprocess::Settings::default();
    let options = Options { recursion: 8, orders, samples: true, uninitialised: true, marks_waits: false };
    let settings = Settings { orders, races, ..Settings::default() };
    let verdict = |files: &Files| {
        let (loaded, ran) = run_fitted(
            |shapes| load(files, &reading, options, shapes),
            |program| Some(run(program, &prepared.model, &settings)),
        );
        match ran {
            Some(Ok(answer)) => Ok(answer.verdict),
            Some(Err(why)) => Err(render_all(&[why], &loaded.sources, Color::Never)),
            None => Err(render_all(&loaded.diagnostics, &loaded.sources, Color::Never)),
        }
    };
    programs(&paths, &reading).iter().map(verdict).collect()
}

const COUNTER: &str = "#ifndef COUNTER\n#define COUNTER\n#include <pthread.h>\nstruct counter; struct pair { int a, b; };\n\
    extern struct counter *shared; extern int limit, table[]; void bump(struct counter *); int value(struct counter *); struct pair swapped(struct pair);\n\
    inline int twice(int n) { return n + n; }\n#endif\n";
const PART: &str = "#include \"counter.h\"\nstruct counter { pthread_mutex_t lock; int n; }; static struct counter one; struct counter *shared = &one;\n\
    int limit = 2, table[3] = { 1, 2, 3 }; static int calls = 10; static void note(void) { calls++; }\n\
    void bump(struct counter *c) { pthread_mutex_lock(&c->lock); c->n = c->n + 1; pthread_mutex_unlock(&c->lock); note(); }\n\
    int value(struct counter *c) { return twice(c->n) / 2; } struct pair swapped(struct pair p) { struct pair q = { p.b, p.a }; return q; }\n";
const MAIN: &str = "#include \"counter.h\"\n#include <assert.h>\nstatic int calls; static void note(void) { calls--; }\n\
    static void *t(void *p) { bump(p); return 0; }\n\
    int main(void) { pthread_t a; pthread_create(&a, 0, t, shared); pthread_join(a, 0); bump(shared); note(); struct pair p = { 1, 2 }, q = swapped(p);\n\
    assert(value(shared) == limit); assert(calls == -1 && q.a == 2 && table[2] == 3 && twice(2) == 4); }\n";

#[test]
fn files_are_one_program() {
    let header = ("counter.h", COUNTER);
    assert_eq!(linked(&[header, ("main.c", MAIN), ("part.c", PART)]), [Ok(Verdict::Safe)]);
    assert_eq!(linked(&[header, ("part.c", PART), ("main.c", MAIN)]), [Ok(Verdict::Safe)]);
    for (part, instead) in [("limit = 2", "limit = 3"), ("{ p.b, p.a }", "p"), ("1, 2, 3", "1, 2, 4")] {
        assert!(PART.contains(part), "{part}");
        let broken = PART.replace(part, instead);
        assert_eq!(linked(&[header, ("main.c", MAIN), ("part.c", &broken)]), [Ok(Verdict::Unsafe)], "{part}");
    }
    // Without the lock, two files race.
    let broken =
        PART.replace("pthread_mutex_lock(&c->lock);", "").replace("pthread_mutex_unlock(&c->lock);", "");
    let beside = MAIN.replace("pthread_join(a, 0); bump(shared);", "bump(shared); pthread_join(a, 0);");
    assert_eq!(linked(&[header, ("main.c", &beside), ("part.c", PART)]), [Ok(Verdict::Unsafe)]);
    assert_eq!(linked(&[header, ("main.c", &beside), ("part.c", &broken)]), [Ok(Verdict::Unsafe)]);
}

#[test]
fn each_main_is_a_program() {
    let right = "#include <assert.h>\nint f(void);\nint main(void) { assert(f() == 1); }";
    let wrong = "#include <assert.h>\nint f(void);\nint main(void) { assert(f() == 2); }";
    let part = "int f(void) { return 1; }";
    let found = linked(&[("right.c", right), ("part.c", part), ("wrong.c", wrong)]);
    assert_eq!(found, [Ok(Verdict::Safe), Ok(Verdict::Unsafe)]);
    let found = linked(&[("one.c", part), ("two.c", "int g(void) { return 1; }")]);
    assert!(
        found.iter().all(|found| found.as_ref().is_err_and(|said| said.contains("no `main`"))),
        "{found:?}"
    );
}

#[test]
fn what_two_files_define() {
    let main = "int x; int f(void) { return 1; } int main(void) { return f() + x; }";
    for (part, wanted) in [
        ("int x;", Some("two files define `x`")),
        ("int x = 3;", Some("two files define `x`")),
        ("int f(void) { return 2; }", Some("`f` is defined twice")),
        ("extern int x; static int f(void) { return x; }", None),
        ("static int x = 2; int g(void) { return x; }", None),
    ] {
        let found = linked(&[("main.c", main), ("part.c", part)]);
        match (wanted, &found[..]) {
            (None, [found]) => assert_eq!(*found, Ok(Verdict::Safe), "{part}"),
            (Some(wanted), [Err(said)]) => assert!(said.contains(wanted), "{part}: {said}"),
            _ => panic!("{part}: {found:?}"),
        }
    }
}
