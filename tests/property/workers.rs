//! Several workers on one large search: the same answer, and no more work than one of them has by itself.

use litmus::explore::{self, Engine, Mode};
use litmus::outcome::Outcome;
use litmus::session::{Session, Settings};

use crate::program::Arch;
use crate::{Library, figures, lower, options};

fn test(threads: usize, code: &dyn Fn(usize) -> String) -> String {
    let thread = |n: usize| format!("P{n}(atomic_int *x, atomic_int *y) {{\n{}}}\n", code(n));
    let threads: String = (0..threads).map(thread).collect();
    format!("C workers\n{{}}\n{threads}locations [x; y; 0:r; 1:r;]\nexists (0:r=1)\n")
}

/// With so many workers.
fn run(text: &str, jobs: usize) -> Outcome {
    let session = Session::new(Settings::default());
    let test = lower(&session, text);
    let mut library = Library::default();
    let model = library.get("tso", Arch::C);
    explore::run(&test, model, &options(Mode::Count, Engine::Explore, jobs)).expect("a count")
}

/// Where what is left repeats itself, one worker is sooner through than two that do not tell each other what they have counted.
#[test]
fn what_repeats_itself_is_counted_once_by_several_workers() {
    let update = |_: usize| "  int r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);\n".to_string();
    let text = test(8, &update);
    let alone = run(&text, 1);
    assert_eq!(alone.stats.executions.to_string(), "40320");
    for jobs in [2, 3] {
        let together = run(&text, jobs);
        assert_eq!(figures(&together), figures(&alone));
        assert!(together.stats.graphs <= alone.stats.graphs, "{} graphs", together.stats.graphs);
    }
}

/// Where nothing does, they share the search.
#[test]
fn what_does_not_repeat_itself_is_shared() {
    let crossed = |n: usize| {
        let (one, other) = if n.is_multiple_of(2) { ("x", "y") } else { ("y", "x") };
        format!(
            "  atomic_store_explicit({one}, {}, memory_order_relaxed);\n  int r = atomic_load_explicit({other}, memory_order_relaxed);\n  int s = atomic_load_explicit({one}, memory_order_relaxed);\n",
            n + 1
        )
    };
    let text = test(5, &crossed);
    let alone = run(&text, 1);
    assert!(alone.stats.executions > 1000);
    for jobs in [2, 3] {
        assert_eq!(figures(&run(&text, jobs)), figures(&alone));
    }
}

/// Where there are many worlds, each is looked into by one of them.
#[test]
fn worlds_are_searched_once() {
    let branches = |n: usize| {
        let (one, other) = if n.is_multiple_of(2) { ("x", "y") } else { ("y", "x") };
        let load = |name: &str, cell: &str| {
            format!("  int {name} = atomic_load_explicit({cell}, memory_order_relaxed);\n")
        };
        let store = |asked: &str, cell: &str, value: usize| {
            format!("  if ({asked}) {{ atomic_store_explicit({cell}, {value}, memory_order_relaxed); }}\n")
        };
        let first = format!("  atomic_store_explicit({one}, {}, memory_order_relaxed);\n", n + 1);
        let [r, s] = [load("r", other), load("s", one)];
        first + &r + &store("r", one, n + 11) + &s + &store(&format!("s == {}", n + 1), other, n + 21)
    };
    let text = test(3, &branches);
    let alone = run(&text, 1);
    assert!(alone.stats.worlds >= 64 && alone.stats.executions > 100);
    for jobs in [2, 3] {
        let together = run(&text, jobs);
        assert_eq!(figures(&together), figures(&alone));
        assert_eq!(together.stats.graphs, alone.stats.graphs, "{jobs} workers");
    }
}

/// So do those who let executions grow: each graph is visited by one of them, and counted once.
#[test]
fn executions_that_grow_are_shared() {
    let crossed = |n: usize| {
        let (one, other) = if n.is_multiple_of(2) { ("x", "y") } else { ("y", "x") };
        format!(
            "  atomic_store_explicit({one}, {}, memory_order_relaxed);\n  int r = atomic_load_explicit({other}, memory_order_relaxed);\n",
            n + 1
        )
    };
    let grown = |text: &str, jobs: usize| {
        let session = Session::new(Settings::default());
        let test = lower(&session, text);
        let mut library = Library::default();
        let model = library.get("tso", Arch::C);
        explore::run(&test, model, &options(Mode::Count, Engine::Grow, jobs)).expect("a count")
    };
    for threads in [2, 3, 5] {
        let text = test(threads, &crossed);
        let alone = grown(&text, 1);
        for jobs in [2, 3, 8] {
            let together = grown(&text, jobs);
            assert_eq!(figures(&together), figures(&alone));
            let work = |outcome: &Outcome| {
                (outcome.stats.graphs, outcome.stats.revisits, outcome.stats.pruned.clone())
            };
            assert_eq!(work(&together), work(&alone), "{threads} threads, {jobs} workers");
        }
    }
}
