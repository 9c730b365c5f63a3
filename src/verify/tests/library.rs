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

/// Each header by what it declares, as programs use it.
#[test]
fn what_headers_declare() {
    for (headers, globals, body) in [
        (
            "stdatomic uchar wchar stdint",
            "atomic_char16_t a; atomic_wchar_t b; atomic_int_least8_t c; atomic_uint_fast16_t d; atomic_int_fast64_t e;",
            "c = 127; c++; assert(c == INT8_MIN); assert(sizeof(d) == 8 && sizeof(a) == 2); assert(ATOMIC_SHORT_LOCK_FREE == 2 && INTMAX_MAX > 0);",
        ),
        (
            "stdlib string",
            "static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }",
            "int a[] = { 3, 1, 2 }, two = 2; qsort(a, 3, sizeof *a, less); assert(a[0] == 1 && a[1] == 2 && a[2] == 3);
             assert(bsearch(&two, a, 3, sizeof *a, less) == &a[1]); assert(atoi(\" -42x\") == -42 && strtol(\"0x1f\", 0, 0) == 31);
             char b[8] = \"ab\"; strncat(b, \"cdef\", 2); assert(!strcmp(b, \"abcd\") && strstr(b, \"cd\") == b + 2 && !strstr(b, \"x\"));
             assert(memchr(b, 'c', 4) == b + 2 && strnlen(b, 2) == 2);",
        ),
        (
            "stdio string",
            "",
            "char b[32]; assert(snprintf(b, sizeof b, \"%d-%s:%c|%03d|%4x|%lu\", -5, \"z\", 'q', 7, 255, 99ul) == 18);
             assert(!strcmp(b, \"-5-z:q|007|  ff|99\")); assert(snprintf(b, 4, \"%d\", 123456) == 6 && !strcmp(b, \"123\"));
             sprintf(b, \"%05d%%\", -42); assert(!strcmp(b, \"-0042%\"));
             sprintf(b, \"%-4d|%+d|%.3d|%5.1s|%hhd\", 7, 7, 7, \"ab\", 300); assert(!strcmp(b, \"7   |+7|007|    a|44\"));
             sprintf(b, \"%f %8.3f %.1f %.2f\", 1.5, -2.5, 9.95, 0.005); assert(!strcmp(b, \"1.500000   -2.500 9.9 0.01\"));",
        ),
        (
            "ctype iso646 stdckdint inttypes",
            "",
            "assert(isdigit('7') and not isalpha('7') and toupper('x') == 'X' and isspace('\\n'));
             int n; assert(ckd_add(&n, 2147483647, 1) and n == -2147483647 - 1 and not ckd_mul(&n, 6, 7) and n == 42);
             unsigned long u; assert(ckd_mul(&u, ~0ul, ~0ul) and u == 1); printf(\"%\" PRIu64 \"\\n\", u);",
        ),
        (
            "threads semaphore",
            "",
            "struct timespec t = { 0, 1 }; thrd_sleep(&t, 0); mtx_t m; mtx_init(&m, mtx_timed); assert(mtx_timedlock(&m, &t) == thrd_success); mtx_unlock(&m);
             sem_t s; sem_init(&s, 0, 1); assert(sem_timedwait(&s, &t) == 0 && sem_timedwait(&s, &t) == -1);",
        ),
        (
            "pthread",
            "static int n; static void done(void *p) { n += *(int *)p; }",
            "int one = 1; pthread_cleanup_push(done, &one); pthread_cleanup_pop(1); assert(n == 1); pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
             pthread_rwlockattr_t a; pthread_rwlockattr_init(&a); struct timespec t = { 0 }; assert(!pthread_rwlock_timedwrlock(&l, &t)); assert(pthread_rwlock_timedrdlock(&l, &t) == ETIMEDOUT); pthread_rwlock_unlock(&l);",
        ),
        (
            "stddef",
            "",
            "assert(__builtin_clzll(1) == 63 && __builtin_popcountl(-1) == 64 && __builtin_popcount(-1) == 32 && __builtin_parity(7) == 1 && __builtin_ctz(8) == 3);
             assert(__atomic_always_lock_free(4, 0) && __atomic_is_lock_free(8, 0)); int n; assert(!__builtin_sub_overflow(3, 5, &n) && n == -2);",
        ),
    ] {
        let includes: String = headers.split(' ').map(|name| format!("#include <{name}.h>\n")).collect();
        assert_eq!(alone(&format!("{includes}#include <stdio.h>\n{globals}"), body), Verdict::Safe, "{headers}");
    }
}

#[test]
fn what_the_kernel_has_of_atomic_numbers_and_locks() {
    let body = "atomic_set(&a, 5); WARN_ON(atomic_fetch_andnot(4, &a) != 5); WARN_ON(atomic_read(&a) != 1); WARN_ON(!atomic_inc_unless_negative(&a)); WARN_ON(atomic_dec_unless_positive(&a));
        atomic64_set(&b, -1); WARN_ON(atomic64_inc_unless_negative(&b)); WARN_ON(!atomic64_dec_unless_positive(&b)); WARN_ON(atomic64_read(&b) != -2);
        WARN_ON(!read_trylock(&l)); WARN_ON(write_trylock(&l)); read_unlock(&l); WARN_ON(!write_trylock(&l)); WARN_ON(read_trylock(&l)); write_unlock(&l);";
    let text = format!(
        "#include <linux/atomic.h>\natomic_t a; atomic64_t b; DEFINE_RWLOCK(l);\nint main(void) {{ {body} return 0; }}\n"
    );
    assert_eq!(verify(&text, "sc", None), (Verdict::Safe, 1, 0));
}

/// What is printed on the way to a violation is a step of it, with its values.
#[test]
fn what_a_program_prints_is_in_its_trace() {
    let text = two(
        "#include <stdio.h>\natomic_int x;",
        "for (int i = 0; i < 2; i++) printf(\"%s %d: %02d\\n\", \"round\", i, atomic_fetch_add(&x, 1));",
        "puts(\"nothing\");",
        "printf(\"x = %d, 100%%\\n\", atomic_load(&x)); assert(x == 3);",
    );
    let answer = answer(&text, "rc11", None);
    let steps = || answer.violations[0].trace.iter().filter(|step| step.what.starts_with("prints"));
    let of = |thread: &str| -> Vec<&str> {
        steps().filter(|step| step.thread == thread).map(|step| step.what.as_str()).collect()
    };
    assert_eq!(of("thread 1"), ["prints \"round 0: 00\\n\"", "prints \"round 1: 01\\n\""]);
    assert_eq!(of("thread 2"), ["prints \"nothing\\n\""]);
    assert_eq!(of("main"), ["prints \"x = 2, 100%\\n\""]);
    assert!(steps().all(|step| !step.matters), "nothing depends on it");
    let trace = &answer.violations[0].trace;
    let at = |what: &str| trace.iter().position(|step| step.what.starts_with(what));
    assert!(at("prints \"round 0") < at("x: 1 becomes 2") && at("x: 1 becomes 2") < at("prints \"round 1"));
}

#[test]
fn floating_point_numbers_are_numbers_in_a_trace() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
        double d = 0.25; float f; _Atomic double a;\n\
        void *t(void *p) { d = d + 1; f = -2.5f; a = d; return 0; }\n\
        int main(void) { pthread_t t1; pthread_create(&t1, 0, t, 0); pthread_join(t1, 0); assert(d + f == a); return 0; }\n";
    let answer = answer(text, "sc", None);
    let said: Vec<&str> = answer.violations[0].trace.iter().map(|step| step.what.as_str()).collect();
    for what in ["reads d = 0.25, its initial value", "writes d = 1.25", "writes f = -2.5", "writes a = 1.25"]
    {
        assert!(said.contains(&what), "{what}: {said:?}");
    }
}
