//! `main` that works beside the threads that it has started.

use super::{HEADERS, asked};
use crate::verify::Verdict;

/// One that `main` starts, and what `main` does in the meantime.
fn with_main(globals: &str, thread: &str, beside: &str, end: &str) -> String {
    format!(
        "{HEADERS}{globals}\nvoid *other(void *p) {{ {thread} return 0; }}\n\
         int main(void) {{ pthread_t a; pthread_create(&a, 0, other, 0); {beside} pthread_join(a, 0); {end} return 0; }}\n"
    )
}

/// The same by two threads; what `main` has in variables of its own is handed on by others.
fn with_two(globals: &str, thread: &str, beside: &str, end: &str) -> String {
    format!(
        "{HEADERS}{globals}\nvoid *other(void *p) {{ {thread} return 0; }}\nvoid *beside(void *p) {{ {beside} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, other, 0); pthread_create(&b, 0, beside, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); {end} return 0; }}\n"
    )
}

const MODELS: [&str; 5] = ["aarch64", "riscv", "ppc", "armv7", "lkmm"];

#[test]
fn main_is_a_thread_like_the_others() {
    let load = |to: &str, cell: &str| format!("{to} = atomic_load_explicit(&{cell}, memory_order_relaxed);");
    let store =
        |cell: &str, what: &str| format!("atomic_store_explicit(&{cell}, {what}, memory_order_relaxed);");
    let fence = "atomic_thread_fence(memory_order_seq_cst);";
    let (mut safe, mut violated) = (0, 0);
    for other in [store("x", "1"), format!("{fence} {}", store("x", "1"))] {
        for own in [
            store("y", "1"),
            format!("if (r) {}", store("y", "1")),
            format!("for (int i = 0; i < 2; i++) {}", store("y", "i")),
            format!("{} {}", load("int t", "x"), store("y", "1 + 0 * t")),
        ] {
            let other = load("s", "y") + &other;
            let own = load("r", "x") + &own;
            let end = "assert(!(r == 1 && s == 1));";
            let beside = with_main("atomic_int x, y; int s;", &other, &format!("int {own}"), end);
            let two = with_two("atomic_int x, y; int s, r;", &other, &own, end);
            for model in ["riscv", "ppc", "lkmm"] {
                let (answer, said) = asked(&beside, model, None);
                let (apart, _) = asked(&two, model, None);
                assert_ne!(apart.verdict, Verdict::Unknown, "{model}: {two}");
                assert_eq!(answer.verdict, apart.verdict, "{model}: {said}\n{beside}");
                match answer.verdict {
                    Verdict::Unsafe => violated += 1,
                    _ => safe += 1,
                }
                for violation in &answer.violations {
                    let named = |thread: &str| thread == "main" || thread == "thread 1";
                    let by = violation.trace.iter().map(|step| step.thread.as_str());
                    let from = violation.trace.iter().filter_map(|step| step.from.as_ref());
                    assert!(by.chain(from.map(|(thread, _)| thread.as_str())).all(named), "{beside}");
                    assert!(violation.trace.iter().all(|step| !step.what.contains("beside")), "{beside}");
                }
            }
        }
    }
    assert!(safe > 3 && violated > 3, "{safe} safe, {violated} violated");
}

#[test]
fn what_main_has_at_hand_goes_along() {
    // A number that it had before, one that it has afterwards, and one that a branch may leave as it was.
    let text = |wanted: &str| {
        with_main(
            "atomic_int x, y; int s;",
            "s = atomic_load_explicit(&y, memory_order_relaxed); atomic_store_explicit(&x, 1, memory_order_relaxed);",
            "int kept = 7, r = atomic_load_explicit(&x, memory_order_relaxed); atomic_store_explicit(&y, 3, memory_order_relaxed); if (r) kept = 9;",
            &format!("assert({wanted});"),
        )
    };
    for model in MODELS {
        let (answer, said) = asked(&text("kept == (r ? 9 : 7) && (s == 0 || s == 3)"), model, None);
        assert_eq!(answer.verdict, Verdict::Safe, "{model}: {said}");
        let (answer, said) = asked(&text("!(kept == 9 && s == 3)"), model, None);
        assert_eq!(answer.verdict, Verdict::Unsafe, "{model}: {said}");
    }
}

#[test]
fn what_an_index_leads_to_is_in_its_array() {
    // The second thread only ever writes to `b`: nothing leads back to what the first one has loaded from `a`, whatever the index.
    let text = |to: &str| {
        with_two(
            "atomic_int a[4], b[4], i;",
            "int n = atomic_load_explicit(&i, memory_order_relaxed); atomic_load_explicit(&a[n & 3], memory_order_relaxed); atomic_store_explicit(&b[0], 1, memory_order_relaxed);",
            &format!(
                "int n = atomic_load_explicit(&b[0], memory_order_relaxed); atomic_store_explicit(&{to}[1], 1, memory_order_relaxed);"
            ),
            "",
        )
    };
    let complete = |text: &str| {
        let (answer, said) = asked(text, "aarch64", None);
        assert_eq!(answer.verdict, Verdict::Safe, "{said}");
        answer.complete
    };
    assert_eq!(complete(&text("b")), 2);
    // Here it does: `a[n & 3]` may be read from what the second thread writes.
    assert_eq!(complete(&text("a")), 2);
}
