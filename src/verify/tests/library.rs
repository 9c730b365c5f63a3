//! What functions of the C library do.

use super::language::alone;
use super::{HEADERS, Verdict, answer, two, verify};
use crate::program::Property;

#[test]
fn memory_that_grows_and_moves() {
    let globals = "#include <string.h>";
    let grow = "int *p = malloc(4); *p = 7; p = realloc(p, 8); p[1] = 8; assert(p[0] == 7 && p[1] == 8); p = realloc(p, 4); assert(*p == 7); free(p);";
    assert_eq!(alone(globals, grow), Verdict::Safe);
    assert_eq!(alone(globals, "int *p = realloc(0, 4); *p = 1; free(p);"), Verdict::Safe);
    assert_eq!(
        alone(globals, "int *p = malloc(4); *p = 7; int *q = realloc(p, 8); assert(*p == 7); free(q);"),
        Verdict::Unsafe
    );
    assert_eq!(alone(globals, "int *p = malloc(4); p = realloc(p, 8); assert(p[1] == 0);"), Verdict::Unsafe);
    let overlap = "char b[] = \"abcdef\"; memmove(b + 1, b, 3); assert(!strcmp(b, \"aabcef\")); memmove(b, b + 1, 4); assert(!strcmp(b, \"abceef\"));";
    assert_eq!(alone(globals, overlap), Verdict::Safe);
}

/// A signal wakes one of those who wait, and it may be either.
#[test]
fn a_signal_wakes_one() {
    let globals =
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int go;";
    let waits = "pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);";
    let wakes = |how: &str| {
        format!("pthread_mutex_lock(&m); go = 1; pthread_cond_{how}(&c); pthread_mutex_unlock(&m);")
    };
    let two_wait = |how: &str| {
        let start = "pthread_t third; pthread_create(&third, 0, waiter, 0);";
        two(
            &format!("{globals} void *waiter(void *p) {{ {waits} return 0; }}"),
            &format!("{start} {} pthread_join(third, 0);", wakes(how)),
            waits,
            "",
        )
    };
    assert_eq!(verify(&two_wait("broadcast"), "rc11", None).0, Verdict::Safe);
    let answer = answer(&two_wait("signal"), "rc11", None);
    assert_eq!(answer.verdict, Verdict::Unsafe);
    assert!(answer.violations.iter().all(|v| v.property == Property::Deadlock));
    assert_eq!(verify(&two(globals, &wakes("signal"), waits, ""), "rc11", None).0, Verdict::Safe);
}

#[test]
fn destructors_of_keys() {
    let globals = "pthread_key_t k; int done; void fin(void *p) { done += *(int *)p; free(p); }";
    let own = |end: &str| {
        format!(
            "int *p = malloc(4); *p = 2; pthread_setspecific(k, p); assert(pthread_getspecific(k) == p); {end}"
        )
    };
    let text = |end: &str, sum: u32| {
        format!(
            "{HEADERS}{globals} void *f(void *u) {{ {} return 0; }}
            int main(void) {{ pthread_key_create(&k, fin); pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(done == {sum}); return 0; }}",
            own(end)
        )
    };
    for end in ["", "pthread_exit(0);"] {
        assert_eq!(verify(&text(end, 2), "rc11", None).0, Verdict::Safe);
        assert_eq!(verify(&text(end, 0), "rc11", None).0, Verdict::Unsafe);
    }
    assert_eq!(verify(&text("pthread_setspecific(k, 0); free(p);", 0), "rc11", None).0, Verdict::Safe);
}

/// What `gcc -E` leaves of a program: the system's headers give way to ours.
#[test]
fn files_that_a_compiler_has_preprocessed() {
    let text = |wanted: u32| {
        format!(
            "# 0 \"a.c\"\n# 1 \"/usr/include/pthread.h\" 1 3 4\ntypedef union {{ int hidden; }} pthread_mutex_t;\n# 2 \"a.c\" 2\n\
             # 1 \"/usr/lib/gcc/x86_64-linux-gnu/13/include/stdatomic.h\" 1 3 4\n# 3 \"a.c\" 2\n\
             pthread_mutex_t m = {{ {{ 0, 0, 0, 0, PTHREAD_MUTEX_TIMED_NP, 0, 0, {{ 0, 0 }} }} }};\n\
             pthread_cond_t c = {{ {{ {{0}}, {{0}}, {{0, 0}}, 0, 0, {{0, 0}}, 0, 0 }} }}; _Atomic int n; pthread_once_t o = 0;\n\
             void *f(void *p) {{ pthread_mutex_lock(&m); __extension__ ({{ __auto_type at = (&n); __typeof__ ((void)0, *at) v = (3); __atomic_store (at, &v, (5)); }});\n\
             pthread_cond_signal(&c); pthread_mutex_unlock(&m); return ((void *)0); }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, ((void *)0), f, ((void *)0)); pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);\n\
             ((void) sizeof ((n == {wanted}) ? 1 : 0), __extension__ ({{ if (n == {wanted}) ; else __assert_fail (\"n\", \"a.c\", 5, __extension__ __PRETTY_FUNCTION__); }})); pthread_join(t, 0); return 0; }}\n"
        )
    };
    assert_eq!(verify(&text(3), "rc11", None).0, Verdict::Safe);
    assert_eq!(verify(&text(4), "rc11", None).0, Verdict::Unsafe);
}
