//! What programs are written with.

use super::{HEADERS, Verdict, answer, asked, two, verify};
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::{Options, Orders};
use crate::program::shapes::Shapes;
use crate::session;
use crate::verify::{livelock, load_text};

/// The verdict of a program of one thread.
pub(super) fn alone(globals: &str, body: &str) -> Verdict {
    verify(&format!("{HEADERS}{globals}\nint main(void) {{ {body} return 0; }}\n"), "rc11", None).0
}

#[test]
fn recursion_that_is_too_deep_is_cut_and_not_forgotten() {
    let sum = "int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }";
    assert_eq!(alone(sum, "assert(sum(5) == 15);"), Verdict::Safe);
    assert_eq!(alone(sum, "assert(sum(5) == 16);"), Verdict::Unsafe);
    let text = format!("{HEADERS}{sum}\nint main(void) {{ assert(sum(20) == 1); return 0; }}\n");
    let answer = answer(&text, "rc11", None);
    assert!(answer.too_deep);
    assert_eq!((answer.complete, answer.cut), (0, 1));
}

#[test]
fn marks_in_the_low_bits_of_pointers() {
    let body = "int *p = malloc(4); uintptr_t m = (uintptr_t)p | 1; *p = 7;
        assert(m & 1); assert((m & ~(uintptr_t)1) == (uintptr_t)p); assert(*(int *)(m & ~1ul) == 7);
        assert((m ^ 1) == (uintptr_t)p); assert((uintptr_t)p % 8 == 0); free(p);";
    assert_eq!(alone("#include <stdint.h>", body), Verdict::Safe);
    assert_eq!(
        alone("#include <stdint.h>", "int x = 1; uintptr_t m = (uintptr_t)&x + 2; assert(!(m & 2));"),
        Verdict::Unsafe
    );
}

#[test]
fn a_thread_runs_what_a_pointer_says() {
    let text = format!(
        "{HEADERS}int x; void *one(void *p) {{ x = 1; return 0; }} void *two(void *p) {{ x = 2; return 0; }}
        struct {{ void *(*run)(void *); }} table[] = {{ {{ one }}, {{ two }} }};
        int main(void) {{ pthread_t t; int n = 1; pthread_create(&t, 0, table[n].run, 0); pthread_join(t, 0); assert(x == 2); }}"
    );
    assert_eq!(verify(&text, "rc11", None), (Verdict::Safe, 1, 0));
}

#[test]
fn assertions_that_are_switched_off() {
    let text = |before: &str| {
        format!("{before}\n#include <assert.h>\nint x; int main(void) {{ assert(x++ == 1); return x; }}\n")
    };
    assert_eq!(verify(&text(""), "sc", None).0, Verdict::Unsafe);
    assert_eq!(verify(&text("#define NDEBUG"), "sc", None).0, Verdict::Safe);
}

#[test]
fn what_a_comma_does_is_done() {
    let globals = "int n; int bump(void) { n++; return 0; }";
    assert_eq!(alone(globals, "if ((bump(), 0) || (bump(), 0)) n = 9; assert(n == 2);"), Verdict::Safe);
}

#[test]
fn values_of_bit_fields() {
    let fields = "struct { unsigned f : 5; int g : 6; } s;";
    assert_eq!(
        alone(
            fields,
            "s.f = 3; s.g = -4; assert(s.g < s.f && s.f > -1); assert((s.g = 45) == -19); assert((s.f += 30) == 1); assert(++s.g == -18);"
        ),
        Verdict::Safe
    );
    assert_eq!(alone(fields, "s.f = 3; s.g = -4; assert(s.g > s.f);"), Verdict::Unsafe);
}

#[test]
fn arguments_beyond_the_parameters() {
    let sum = "#include <stdarg.h>
        static int sum(int n, ...) { va_list l; int s = 0; va_start(l, n); while (n--) s += va_arg(l, int); va_end(l); return s; }";
    assert_eq!(alone(sum, "assert(sum(3, 1, 2, 4) == 7);"), Verdict::Safe);
    assert_eq!(alone(sum, "assert(sum(1, 2) == 3);"), Verdict::Unsafe);
}

#[test]
fn numbers_of_any_value_that_are_too_many() {
    let globals = "extern int __VERIFIER_nondet_int(void);";
    let (answer, said) = asked(
        &format!("{globals}\nint main(void) {{ int x = __VERIFIER_nondet_int(); x = x * x; return x; }}"),
        "rc11",
        None,
    );
    assert_eq!(answer.verdict, Verdict::Unknown);
    assert!(said.contains("error[c::nondet]"), "{said}");
    // What some value violates is violated.
    assert_eq!(
        alone(globals, "int x = __VERIFIER_nondet_int(); int y = x + 1; assert(y != 3);"),
        Verdict::Unsafe
    );
    assert_eq!(alone(globals, "unsigned x = __VERIFIER_nondet_int() % 5u; assert(x < 5);"), Verdict::Safe);
}

#[test]
fn a_loop_that_holds_what_it_read_waits_too() {
    let text = two("atomic_int x;", "x = 1; x = 2; x = 3; x = 4;", "int a = x; while (a != 9) a = x;", "");
    let answer = answer(&text, "rc11", None);
    assert_eq!((answer.complete, answer.cut), (0, 0));
    assert!(answer.violations.iter().any(|v| v.property == crate::program::Property::Liveness));
}

#[test]
fn headers_of_the_kernel_are_one() {
    let text = "#include <linux/spinlock.h>\n#include <linux/rcupdate.h>\n#include <linux/list.h>\n#include <linux/slab.h>
        struct item { int n; struct list_head node; struct rcu_head rcu; };
        static LIST_HEAD(items); static DEFINE_SPINLOCK(lock);
        static void *add(void *p) {
            struct item *i = kmalloc(sizeof(*i), GFP_KERNEL); i->n = 3;
            spin_lock(&lock); list_add_rcu(&i->node, &items); spin_unlock(&lock); return 0; }
        static void *look(void *p) {
            struct item *i; rcu_read_lock();
            list_for_each_entry_rcu(i, &items, node) WARN_ON(i->n != 3);
            rcu_read_unlock(); return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0); pthread_create(&b, 0, look, 0); pthread_join(a, 0); pthread_join(b, 0); }";
    assert_eq!(verify(text, "tso", None).0, Verdict::Safe);
    assert_eq!(verify(text, "rc11", None).0, Verdict::Safe);
}

#[test]
fn variables_that_were_never_written() {
    assert_eq!(alone("", "int x; if (x > 2) return 1;"), Verdict::Unsafe);
    assert_eq!(alone("", "int x; int y = x; if (y) return 1;"), Verdict::Unsafe);
    assert_eq!(alone("int c;", "int x; if (!c) x = 1; if (!c && x) c = 2;"), Verdict::Safe);
    assert_eq!(alone("", "int i, s; for (i = 0, s = 0; i < 3; i++) s += i; assert(s == 3);"), Verdict::Safe);
    // A whole object may be copied before all of it was written.
    let pair = "struct pair { int a, b; }; struct pair half(void) { struct pair p; p.a = 3; return p; }";
    assert_eq!(alone(pair, "struct pair q = half(); assert(q.a == 3);"), Verdict::Safe);
    assert_eq!(alone(pair, "struct pair q = half(); assert(q.b == 3);"), Verdict::Unsafe);
    let bits = "struct bits { unsigned a : 1, b : 3; };";
    assert_eq!(alone(bits, "struct bits s; s.a = 1; s.b = 5; assert(s.a == 1 && s.b == 5);"), Verdict::Safe);
    let made =
        "struct bits *s = malloc(sizeof *s); s->a = 1; s->b = 5; assert(s->a == 1 && s->b == 5); free(s);";
    assert_eq!(alone(bits, made), Verdict::Safe);
    let waits = two("atomic_int x;", "int r; do { r = x; } while (r != 1);", "x = 1;", "");
    assert_eq!(verify(&waits, "rc11", None), (Verdict::Safe, 1, 0));
}

#[test]
fn what_is_lent_to_a_function_is_nobody_elses() {
    // The loop waits, although it hands out the address of a variable of its own.
    let globals =
        "atomic_int full; int item; static int pop(int *v) { if (!full) return 0; *v = item; return 1; }";
    let text = two(
        globals,
        "item = 3; full = 1;",
        "for (;;) { int v; if (pop(&v)) { assert(v == 3); break; } }",
        "",
    );
    for model in ["sc", "rc11"] {
        assert_eq!(verify(&text, model, None), (Verdict::Safe, 1, 0), "{model}");
    }
    // Where a function keeps the address, others may come by it.
    for keep in ["shared = p;", "int *q = p; shared = q;", "shared = &p[0];", "keep(p);"] {
        let globals = format!(
            "_Atomic(int *) shared; static void keep(int *p) {{ shared = p; }} static void share(int *p) {{ {keep} }}"
        );
        let text =
            two(&globals, "int x = 1; share(&x); while (x == 1) ;", "int *q = shared; if (q) *q = 2;", "");
        assert_eq!(verify(&text, "sc", None).0, Verdict::Unsafe, "{keep}");
        let answer = answer(&text, "sc", None);
        assert!(
            answer.violations.iter().all(|v| v.property != crate::program::Property::Uninitialised),
            "{keep}"
        );
    }
}

/// What stands beside an object is reached through its address, so it is in memory.
#[test]
fn addresses_beside_a_local() {
    assert_eq!(
        alone("", "int x = 3; *(&x + 0) = 4; assert(x == 4); (&x)[0] = 5; assert(x == 5);"),
        Verdict::Safe
    );
    assert_eq!(alone("", "int x = 3; *(&x + 0) = 4; assert(x == 3);"), Verdict::Unsafe);
    assert_eq!(alone("", "int x = 3; *(&x + 1) = 4;"), Verdict::Unsafe);
}

#[test]
fn arrays_of_a_length_that_is_computed() {
    assert_eq!(
        alone(
            "",
            "int n = 3; int a[n]; for (int i = 0; i < n; i++) a[i] = i; assert(a[2] == 2 && sizeof(a) == 12);"
        ),
        Verdict::Safe
    );
    assert_eq!(alone("", "int n = 3; int a[n]; a[n] = 1;"), Verdict::Unsafe);
    let rows = "int n = 2, m = 3; int a[n][m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 10 * i + j; m = 9;
        assert(a[1][2] == 12 && sizeof a == 24 && sizeof a[0] == 12 && &a[1][0] - &a[0][0] == 3); int k = 3; int (*p)[k] = a; assert(p[1][1] == 11 && *(*(p + 1) + 2) == 12);
        char b[2][n][3]; b[1][1][2] = 7; assert(sizeof b == 12 && sizeof b[1] == 6 && ((char *)b)[11] == 7);";
    assert_eq!(alone("", rows), Verdict::Safe);
    assert_eq!(alone("", "int n = 2; int a[n][n]; a[1][2] = 1;"), Verdict::Unsafe);
    assert_eq!(
        alone(
            "int sum(int n, int a[n]) { return n ? a[0] + sum(n - 1, a + 1) : 0; }",
            "int a[3] = { 1, 2, 3 }; assert(sum(3, a) == 6);"
        ),
        Verdict::Safe
    );
}

#[test]
fn copies_of_a_size_that_is_computed() {
    let text = "int n = 2, a[3] = { 1, 2, 3 }, b[3] = { 0 }; memcpy(b, a, n * sizeof(int)); assert(b[1] == 2 && b[2] == 0); memset(a, 0, n * sizeof(int)); assert(!a[1] && a[2] == 3);";
    assert_eq!(alone("#include <string.h>\n", text), Verdict::Safe);
    let dup = "char *s = strdup(\"ab\"); assert(s[1] == 'b' && !s[2]); free(s);";
    assert_eq!(alone("#include <string.h>\n", dup), Verdict::Safe);
}

/// That it is called is the error, whatever it does.
#[test]
fn functions_that_nobody_may_call() {
    assert_eq!(alone("void reach_error(void) {}", "int n = 1; if (n) reach_error();"), Verdict::Unsafe);
    assert_eq!(alone("void reach_error(void) {}", "int n = 1; if (!n) reach_error();"), Verdict::Safe);
}

/// A loop that changes something in each round is none that only waits: the machine finds the run that comes back to where it was.
#[test]
fn loops_that_go_round_for_ever() {
    let found = |first: &str, second: &str, model: &str| {
        let path = std::path::Path::new("program.c");
        let text = two("atomic_int x, y;", first, second, "");
        let options = Options {
            recursion: 4,
            orders: Orders::Fences,
            samples: false,
            uninitialised: false,
            marks_waits: true,
        };
        let loaded = load_text(path, text, &preprocess::Settings::default(), options, &Shapes::default());
        let prepared = session::prepare_for_programs(&session::Settings::default(), model).expect(model);
        livelock(loaded.program.expect("C"), &prepared.model)
            .map(|answer| answer.violations[0].property.clone())
    };
    for model in ["sc", "tso", "rc11"] {
        // Each waits until the other gives way, and gives way itself.
        let polite =
            |own: &str, other: &str| format!("{own} = 1; while ({other}) {{ {own} = 0; {own} = 1; }}");
        let never = found(&polite("x", "y"), &polite("y", "x"), model);
        assert_eq!(never, Some(crate::program::Property::Livelock), "{model}");
        assert_eq!(found("x = 1; y = 1;", "while (!y) x = 2;", model), None, "{model}");
        // One that is never left is meant to go on; one that waits for what never comes is not.
        assert_eq!(found("while (1) x = 1 - x;", "y = 1;", model), None, "{model}");
        assert_eq!(
            found("while (!y) x = 1 - x;", "x = 1;", model),
            Some(crate::program::Property::Livelock),
            "{model}"
        );
    }
}
