//! Programs as people write them: what suites of other tools and textbooks have, right and broken.

use super::{Verdict, answer};

const THREADS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n";

#[track_caller]
fn is(text: &str, model: &str, wanted: Verdict) {
    let found = answer(text, model, None);
    assert_eq!(found.verdict, wanted, "{model}: {:?}\n{text}", found.violations);
}

/// One program, right as it is and broken with one text in the place of another.
#[track_caller]
fn right_and_broken(text: &str, part: &str, instead: &str) {
    assert!(text.contains(part), "{part}");
    is(text, "sc", Verdict::Safe);
    is(&text.replace(part, instead), "sc", Verdict::Unsafe);
}

#[test]
fn parameters_of_old() {
    let text = "add(a, b) int a; int b; { return a + b; }\nmain() { int n; n = add(1, 2); assert(n == 3); }";
    right_and_broken(text, "add(1, 2)", "add(1, 3)");
    // Declared only after it is called; a name in parentheses; lengths that other parameters tell.
    let text = "int (twice)(int n) { return n + n; } int main(void) { assert(later(twice(2)) == 5); } int later(int n) { return n + 1; }";
    right_and_broken(text, "== 5", "== 4");
    let text = "int sum(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n; i++) s += a[i][m - 1]; return s; }
        int main(void) { int a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; assert(sum(2, 3, a) == 9); int k = 5; assert(sizeof(int[k][2]) == 40); }";
    right_and_broken(text, "a[i][m - 1]", "a[i][0]");
}

#[test]
fn what_is_done_when_a_block_is_left() {
    let text = "static int log; static void done(int *n) { log = log * 10 + *n; }
        #define LATER __attribute__((cleanup(done)))
        static int f(int how) { LATER int a = 1; for (int i = 0; i < 1; i++) { LATER int b = 2; if (how == 1) return log; if (how == 2) break; if (how == 3) goto out; }
          { LATER int c = 3; } out: return 7; }
        int main(void) { assert(f(0) == 7 && log == 231); log = 0; assert(f(1) == 0 && log == 21); log = 0; f(2); assert(log == 231); log = 0; f(3); assert(log == 21); }";
    right_and_broken(text, "log == 231); log = 0; f(3)", "log == 13); log = 0; f(3)");
    // A mutex that is given back by itself.
    let text = format!(
        "{THREADS}static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n; static void back(pthread_mutex_t **m) {{ pthread_mutex_unlock(*m); }}
        static void *t(void *a) {{ __attribute__((cleanup(back))) pthread_mutex_t *held = &m; pthread_mutex_lock(held); n++; return 0; }}
        int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, &n); pthread_join(a, 0); pthread_join(b, 0); assert(n == 2); }}"
    );
    right_and_broken(&text, "__attribute__((cleanup(back)))", "");
    let text = format!(
        "{THREADS}static int flag; static void set(void *n) {{ flag = *(int *)n; }}
        static void *t(void *a) {{ static int n = 5; pthread_cleanup_push(set, &n); if (a) pthread_exit(0); pthread_cleanup_pop(0); return 0; }}
        int main(void) {{ pthread_t a; pthread_create(&a, 0, t, &flag); pthread_join(a, 0); assert(flag == 5); }}"
    );
    right_and_broken(&text, "if (a) pthread_exit(0);", "");
}

#[test]
fn functions_of_the_library_as_values() {
    let text = format!(
        "{THREADS}static pthread_key_t key; static void *t(void *a) {{ pthread_setspecific(key, malloc(4)); return 0; }}
        int main(void) {{ void (*give)(void *) = free; void *p = malloc(4); give(p); FREE pthread_key_create(&key, free); pthread_t a; pthread_create(&a, 0, t, 0); pthread_join(a, 0); }}"
    );
    right_and_broken(&text.replace("FREE", "give(0);"), "give(0);", "give(p);");
    // A program may have its own function of a name that a header has.
    let text = "#include <string.h>\nsize_t strlen(const char *s) { return 42; } int main(void) { assert(strlen(\"a\") == 42); }";
    right_and_broken(text, "== 42); }", "== 1); }");
}

#[test]
fn a_file_with_the_declarations_of_its_system() {
    let text = "typedef unsigned long int pthread_t; typedef union { char __size[40]; long int __align; } pthread_mutex_t; typedef union { char __size[48]; long __align; } pthread_cond_t;
        extern int pthread_create(pthread_t *__restrict, const void *__restrict, void *(*)(void *), void *__restrict) __attribute__((__nothrow__)); extern int pthread_join(pthread_t, void **);
        extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *); extern int pthread_cond_wait(pthread_cond_t *__restrict, pthread_mutex_t *__restrict);
        extern int pthread_cond_signal(pthread_cond_t *); extern unsigned long strlen(const char *__s); extern void abort(void); void reach_error() { abort(); }
        pthread_mutex_t m; pthread_cond_t c; int ready;
        void *t(void *a) { pthread_mutex_lock(&m); ready = strlen(\"ab\"); pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
        int main() { pthread_t a; pthread_create(&a, 0, t, 0); pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); if (ready != 2) reach_error(); pthread_join(a, 0); return 0; }";
    right_and_broken(text, "ready != 2", "ready == 2");
    is(&text.replace("pthread_cond_signal(&c);", ""), "sc", Verdict::Unsafe);
}

#[test]
fn names_of_other_tools() {
    let text = "int nondet_int(); _Bool nondet_bool(); int x; int main() { int n = nondet_int(); __CPROVER_assume(n > 3); __ESBMC_assert(n > 2, \"n\"); if (nondet_bool()) x = 1; assert(x < 2); }";
    right_and_broken(text, "n > 2", "n > 4");
}

#[test]
fn numbers_with_a_point() {
    let text = format!(
        "{THREADS}#include <stdio.h>\nstatic double sum; static float part = 1.5f; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static void *t(void *a) {{ double v = *(double *)a; pthread_mutex_lock(&m); sum += v; pthread_mutex_unlock(&m); return 0; }}
        int main(void) {{ double v[2] = {{ 1.25, .5 }}; pthread_t a, b; pthread_create(&a, 0, t, v); pthread_create(&b, 0, t, v + 1); pthread_join(a, 0); pthread_join(b, 0);
        assert(sum == 1.75); assert(0.1 + 0.2 != 0.3 && 0.1f != 0.1); int i = 7; i /= 2.0; i += 0.6; assert(i == 3 && (int)-2.9 == -2 && -part < 0); assert(!-0.0 && 0.25); printf(\"%f\", sum); }}"
    );
    right_and_broken(&text, "sum == 1.75", "sum == 1.7");
}

#[test]
fn enumerations_as_wide_as_they_need() {
    let text = "enum e { LOW, HIGH = 0x8000000000000000 }; enum f { A, B }; enum e f(void) { return HIGH; } int main(void) { assert(f() == 0x8000000000000000); assert(sizeof(enum e) == 8 && sizeof(enum f) == 4); enum f x = A; x--; assert(x > B); }";
    right_and_broken(text, "x > B", "x < B");
}

#[test]
fn marks_in_the_upper_bits_of_pointers() {
    let text = "#include <stdint.h>\nstatic int x[2]; int main(void) { uint64_t p = (uint64_t)&x[1] | (uint64_t)7 << 48; assert(p >> 48 == 7); int *q = (int *)(p & ((1ull << 48) - 1)); assert(q == &x[1]); *q = 1;
        p += 1ull << 48; assert(p >> 48 == 8 && (p & ~0xffff000000000000) == (uint64_t)q); }";
    right_and_broken(text, "*q = 1", "*(int *)p = 1");
}

#[test]
fn loops_without_an_end() {
    // Within bounds, where an execution goes on and on.
    let text = format!(
        "{THREADS}#define N 1000000\nstatic int n; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static void *t(void *a) {{ for (int i = 0; i < N; i++) {{ pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); }} return 0; }}
        int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); }}"
    );
    assert!(matches!(answer(&text, "rc11", None).verdict, Verdict::SafeUpTo(_)));
    is(
        &text.replace("pthread_mutex_lock(&m);", "").replace("pthread_mutex_unlock(&m);", ""),
        "rc11",
        Verdict::Unsafe,
    );
    let text = format!(
        "{THREADS}static int s; static void *t(void *a) {{ s++; assert(s == 1); s--; return 0; }} int main(void) {{ pthread_t a; while (1) pthread_create(&a, 0, t, 0); }}"
    );
    is(&text, "sc", Verdict::Unsafe);
}

#[test]
fn who_waits_at_the_end() {
    // The end of `main` is the end of who waits for what it keeps.
    let text = format!(
        "{THREADS}static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static void *t(void *a) {{ pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }}
        int main(void) {{ pthread_t a; pthread_mutex_lock(&m); pthread_create(&a, 0, t, 0); return 0; }}"
    );
    is(&text, "sc", Verdict::Safe);
    is(&text.replace("&a, 0, t, 0); return 0;", "&a, 0, t, 0); pthread_exit(0);"), "sc", Verdict::Unsafe);
    // Who serves others for ever waits for the next one, until the program ends.
    let text = "#include <stdatomic.h>\n#include <pthread.h>\nstatic atomic_int asked, told; static void *serve(void *a) { while (1) { while (asked == 0) ; asked = 0; told = 1; } return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, serve, 0); asked = 1; while (told == 0) ; return 0; }";
    is(text, "sc", Verdict::Safe);
    is(&text.replace("told == 0) ; return 0;", "told == 0) ; pthread_exit(0);"), "sc", Verdict::Unsafe);
    is(&text.replace("while (1) {", "{"), "sc", Verdict::Safe);
    // Two that wait for each other serve nobody, whatever loops they are in.
    let text = "#include <stdatomic.h>\n#include <pthread.h>\nstatic atomic_int one, two; static void *first(void *a) { for (;;) { one = 1; while (two) ; one = 0; } return 0; }
        static void *second(void *a) { for (;;) { two = 1; while (one) ; two = 0; } return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, first, 0); pthread_create(&b, 0, second, 0); return 0; }";
    is(text, "sc", Verdict::Unsafe);
    // On a machine an exchange is two events: one that puts back what it read changes nothing.
    let text = "#include <stdatomic.h>\n#include <pthread.h>\nstatic atomic_int held; static void *t(void *a) { for (;;) { if (!atomic_exchange_explicit(&held, 1, memory_order_acquire)) break; while (atomic_load_explicit(&held, memory_order_relaxed)) ; }
        atomic_store_explicit(&held, 0, memory_order_release); return 0; } int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); }";
    for model in ["aarch64", "ppc", "riscv", "rc11"] {
        is(text, model, Verdict::Safe);
    }
    is(
        &text.replace("atomic_store_explicit(&held, 0, memory_order_release);", ""),
        "aarch64",
        Verdict::Unsafe,
    );
    // A mutex that is recursive from the start.
    let text = format!(
        "{THREADS}static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; int main(void) {{ pthread_mutex_lock(&m); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); return 0; }}"
    );
    right_and_broken(&text, "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP", "PTHREAD_MUTEX_INITIALIZER");
}

#[test]
fn a_structure_that_was_never_written_is_copied_for_others_to_see() {
    let text = format!(
        "{THREADS}struct pair {{ int a, b; }} shared; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static void *t(void *x) {{ pthread_mutex_lock(&m); struct pair mine = shared; pthread_mutex_unlock(&m); return 0; }}
        int main(void) {{ pthread_t a; struct pair none; pthread_create(&a, 0, t, 0); LOCK(&m); shared = none; pthread_mutex_unlock(&m); pthread_join(a, 0); }}"
    );
    let text = text.replace("LOCK", "pthread_mutex_lock");
    is(&text, "rc11", Verdict::Safe);
    let broken = text.replace(
        "struct pair mine = shared; pthread_mutex_unlock(&m);",
        "pthread_mutex_unlock(&m); struct pair mine = shared;",
    );
    is(&broken, "rc11", Verdict::Unsafe);
}

#[test]
fn what_snprintf_does_not_know_is_no_error_of_the_program() {
    let text = "#include <stdio.h>\nint main(void) { char b[32]; snprintf(b, 32, \"%g\", 0.5); }";
    assert!(matches!(answer(text, "sc", None).verdict, Verdict::SafeUpTo(_)));
}

#[test]
fn a_thread_that_waits_does_not_hide_one_that_was_cut() {
    // Each thread waits for ever but the third: how many there are is what the bound on the loop says.
    let text = format!(
        "{THREADS}static int n; static void *t(void *a) {{ __VERIFIER_atomic_begin(); int mine = ++n; __VERIFIER_atomic_end(); __VERIFIER_assume(mine == LAST); assert(0); return 0; }}
        int main(void) {{ pthread_t a; while (1) pthread_create(&a, 0, t, 0); }}"
    );
    is(&text.replace("LAST", "3"), "sc", Verdict::Unsafe);
    let verdict = answer(&text.replace("LAST", "300"), "sc", Some(2)).verdict;
    assert_eq!(verdict, Verdict::SafeUpTo(2));
}

#[test]
fn loops_that_end_by_choice_wait_for_nothing() {
    let text = format!(
        "{THREADS}static int x, flag; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static void *t(void *a) {{ while (LOOKS __VERIFIER_nondet_int()) {{ pthread_mutex_lock(&m); if (x < 3) x++; pthread_mutex_unlock(&m); }} return 0; }}
        int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); pthread_join(a, 0); assert(x <= 3); }}"
    );
    is(&text.replace("LOOKS", ""), "sc", Verdict::Safe);
    // A choice about something else: the flag stays as it is.
    let text = format!(
        "{THREADS}static int x, flag; static void *t(void *a) {{ while (!flag) {{ if (__VERIFIER_nondet_bool()) {{ int mine = x; }} }} return 0; }}
        int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); pthread_join(a, 0); }}"
    );
    is(&text, "sc", Verdict::Unsafe);
}

#[test]
fn what_nobody_defines_gives_any_number() {
    let text = "int sensor(int channel); void tell(const char *what); int main(void) { int v = sensor(2); tell(\"v\"); int n = v > 10 ? 10 : v < 0 ? 0 : 5; assert(n <= 10); }";
    right_and_broken(text, "n <= 10", "n < 10");
    let text =
        "int sensor(int channel); int main(void) { int v = sensor(2); int w = v * 2; assert(w != 6); }";
    is(text, "sc", Verdict::Unsafe);
    let (found, said) = super::asked(&text.replace("!= 6", "!= 24691357"), "sc", None);
    assert!(found.verdict == Verdict::Unknown && said.contains("c::nondet"), "{said}");
}

#[test]
fn strings_that_are_printed_are_read() {
    let text = format!(
        "{THREADS}#include <stdio.h>\n#include <string.h>\nstatic char name[4] = \"ab\"; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static void *t(void *a) {{ pthread_mutex_lock(&m); strcpy(name, \"xyz\"); pthread_mutex_unlock(&m); return 0; }}
        int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); pthread_mutex_lock(&m); printf(\"%d %s\", 1, name); pthread_mutex_unlock(&m); pthread_join(a, 0); puts(name); }}"
    );
    is(&text, "rc11", Verdict::Safe);
    is(
        &text.replace(
            "printf(\"%d %s\", 1, name); pthread_mutex_unlock(&m);",
            "pthread_mutex_unlock(&m); printf(\"%d %s\", 1, name);",
        ),
        "rc11",
        Verdict::Unsafe,
    );
    // One that does not end; as far as the format goes.
    let text = "#include <stdio.h>\nint main(void) { char s[2] = { 1, 2 }; printf(\"%.2s\", s); }";
    right_and_broken(text, "%.2s", "%s");
}

#[test]
fn what_is_read_from_outside_is_anything() {
    let text = "#include <stdio.h>\nint main(void) { int c = getchar(); if (c == EOF) return 0; assert(c >= 0 && c < 256); }";
    right_and_broken(text, "if (c == EOF) return 0;", "");
    let text = "#include <stdio.h>\nint main(void) { int n; if (scanf(\"%d\", &n) != 1) return 1; assert(n != 2); FILE *f = fopen(\"in\", \"r\"); if (!f) return 1; fclose(f); }";
    is(text, "sc", Verdict::Unsafe);
    let text = "#include <stdio.h>\nint main(void) { char line[2]; if (!fgets(line, 4, stdin)) return 1; }";
    let (found, said) = super::asked(text, "sc", None);
    assert_eq!(found.verdict, Verdict::Unsafe, "{said}");
}

#[test]
fn threads_that_are_cancelled() {
    let text = format!(
        "{THREADS}#include <unistd.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int x;
        static void back(void *p) {{ pthread_mutex_unlock(p); }}
        static void *t(void *p) {{ pthread_mutex_lock(&m); pthread_cleanup_push(back, &m); while (!x) pthread_cond_wait(&c, &m); pthread_cleanup_pop(1); return 0; }}
        static void *u(void *p) {{ for (;;) sleep(1); }}
        int main(void) {{ pthread_t a, b; void *r; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0); pthread_cancel(a); pthread_cancel(b); pthread_join(a, &r); assert(r == PTHREAD_CANCELED); pthread_join(b, &r);
        pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }}"
    );
    right_and_broken(&text, "pthread_cleanup_push(back, &m);", "pthread_cleanup_push(free, 0);");
    let text = format!(
        "{THREADS}static int x; static void *t(void *p) {{ pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0); x = 1; pthread_testcancel(); x = 2; return 0; }}
        int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); pthread_cancel(a); pthread_join(a, 0); assert(x == 2); }}"
    );
    right_and_broken(&text, "PTHREAD_CANCEL_DISABLE", "PTHREAD_CANCEL_ENABLE");
}

#[test]
fn threads_that_labels_start() {
    // What macros make: the address of a variable, and what is there.
    let text = "int v; int main() { unsigned r, q; if (*&v == 0) *&v = 2, *&r = 1; else *&r = 0; *&q = 3; assert(r == 1 && *&q == 3); }";
    right_and_broken(text, "*&q = 3", "*&q = 4");
    let text = "int x, a, b; void inc(void) { __CPROVER_atomic_begin(); x = x + 1; __CPROVER_atomic_end(); }
        int main() { __CPROVER_ASYNC_1: inc(), a = 1; __CPROVER_ASYNC_2: { inc(); b = 1; } __CPROVER_assume(a && b); assert(x == 2); }";
    right_and_broken(text, "__CPROVER_atomic_begin(); x = x + 1; __CPROVER_atomic_end();", "x = x + 1;");
}

#[test]
fn a_range_that_a_function_assumes() {
    let text = "extern void abort(void); extern int __VERIFIER_nondet_int(void); int n; void assume_abort_if_not(int c) { if (!c) { abort(); } }
        int main(void) { n = __VERIFIER_nondet_int(); assume_abort_if_not(n > 0 && n < 5); int k = __VERIFIER_nondet_int(); assume_abort_if_not(0 <= k && k < 3); assert(n * 2 + k < 11); }";
    right_and_broken(text, "< 11", "< 10");
    // Parts mean what they mean, whatever a program says they do.
    let text = "int lock, x; void __VERIFIER_atomic_begin() { __VERIFIER_assume(lock == 0); lock = 1; } void __VERIFIER_atomic_end() { __VERIFIER_assume(lock == 1); lock = 0; }
        void *t(void *a) { __VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end(); return __VERIFIER_nondet_pointer(); }
        int main(void) { unsigned long a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); assert(x == 2); }";
    right_and_broken(text, "__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();", "x = x + 1;");
}

#[test]
fn addresses_and_numbers_compare() {
    let text = "#include <stdatomic.h>\nstatic _Atomic double d = 1.5; static _Atomic float e = 2; int main(void) { d += 0.5; d++; e *= 2.0f; assert(d == 3.0 && e == 4.0f); }";
    right_and_broken(text, "d == 3.0", "d == 2.0");
    let text = "#include <stdlib.h>\n#include <string.h>\nint main(void) { void *p = malloc(4), *e = (void *)-12L; assert((unsigned long)p < (unsigned long)-4095 && p != (void *)-1 && (unsigned long)e >= (unsigned long)-4095 && (long)p > 4096); free(p);
        int a[2] = { 1, 2 }, b[2]; assert(!memcpy_s(b, sizeof b, a, sizeof a) && b[1] == 2); long double d = 0.5L; d += 1; assert(d == 1.5L && sizeof d == 16); }";
    right_and_broken(text, "(long)p > 4096", "(long)p < 4096");
}

#[test]
fn a_program_is_called_by_its_name_alone() {
    let text = "#include <stdio.h>\nint main(int argc, char *argv[]) { if (argc != 1) return 1; printf(\"%s\", argv[0]); assert(argv[0][0] && !argv[argc] && argc == 1); }";
    right_and_broken(text, "argc == 1", "argc == 2");
}

#[test]
fn functions_of_numbers_with_a_point() {
    let text = "#include <assert.h>\n#include <math.h>\nint main(void) { double x = sqrt(16.0) + pow(2, 3); assert(x == 12.0 && floor(log2(9.0)) == 3.0);
        assert(sqrtf(2.25f) == 1.5f && fmod(7, 4) == 3 && lround(-2.5) == -3 && isnan(sqrt(-1)) && fmax(NAN, 1) == 1); }";
    right_and_broken(text, "x == 12.0", "x == 11.0");
}

/// A header has functions that nobody calls: what they would do says nothing of the program.
#[test]
fn threads_of_c11_under_machines() {
    let text = "#include <assert.h>\n#include <stdatomic.h>\n#include <threads.h>\natomic_int x; int a, b;
        int w(void *p) { atomic_store_explicit(&x, 1, memory_order_relaxed); atomic_store_explicit(&x, 2, memory_order_relaxed); return 0; }
        int r(void *p) { a = atomic_load_explicit(&x, memory_order_relaxed); b = atomic_load_explicit(&x, memory_order_relaxed); return 0; }
        int main(void) { thrd_t s, t; thrd_create(&s, w, 0); thrd_create(&t, r, 0); thrd_join(s, 0); thrd_join(t, 0); assert(a <= b); }";
    for model in ["aarch64", "riscv", "imm"] {
        is(text, model, Verdict::Safe);
        is(&text.replace("a <= b", "a >= b"), model, Verdict::Unsafe);
    }
}

#[test]
fn threads_of_the_kernel() {
    let text = "#include <linux/kthread.h>\n#include <linux/wait.h>\nstatic DECLARE_WAIT_QUEUE_HEAD(q); static int ready, data;
        static int waker(void *p) { data = 1; smp_store_release(&ready, 1); wake_up(&q); return 0; }
        static int sleeper(void *p) { wait_event(q, smp_load_acquire(&ready)); BUG_ON(data != 1); return 0; }
        int main(void) { struct task_struct *a = kthread_run(waker, 0, \"a\"), *b = kthread_run(sleeper, 0, \"b\"); if (IS_ERR(a)) return 1; kthread_stop(a); kthread_stop(b); return 0; }";
    for model in ["sc", "lkmm"] {
        let found = answer(text, model, None);
        assert_eq!((found.verdict, found.warnings.len()), (Verdict::Safe, 0), "{model}");
        // Nobody wakes it up; what it waits for comes too early.
        is(&text.replace(" wake_up(&q);", ""), model, Verdict::Unsafe);
        is(
            &text.replace("data = 1; smp_store_release(&ready, 1);", "WRITE_ONCE(ready, 1); data = 1;"),
            model,
            Verdict::Unsafe,
        );
    }
    let text = "#include <linux/kthread.h>\nstatic int rounds;
        static int worker(void *p) { while (!kthread_should_stop()) cpu_relax(); WRITE_ONCE(rounds, 1); return 0; }
        int main(void) { struct task_struct *a = kthread_run(worker, 0, \"a\"); kthread_stop(a); BUG_ON(READ_ONCE(rounds) != 1); return 0; }";
    is(text, "sc", Verdict::Safe);
    is(&text.replace("kthread_stop(a);", ""), "sc", Verdict::Unsafe);
}

/// What a thread waits for is all that it looked at in its last round, and nothing of the rounds before.
#[test]
fn a_loop_inside_the_loop_that_waits() {
    let text = "#include <stdatomic.h>\n#include <assert.h>\n#include <pthread.h>\nstatic atomic_int f[2];
        static int any(void) { for (int i = 0; i < 2; i++) if (f[i] == 2) return 1; return 0; }
        static void *t(void *a) { f[0] = 1; f[0] = 2; return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); while (!any()) ; pthread_join(a, 0); assert(f[0] == 2); }";
    for model in ["sc", "tso", "rc11"] {
        is(text, model, Verdict::Safe);
        is(&text.replace("f[0] = 2; return", "f[1] = 1; return"), model, Verdict::Unsafe);
    }
    // Where it waits, the cells that it looked at before it came there count no more.
    let text = "#include <stdatomic.h>\n#include <pthread.h>\nstatic struct node { struct node *_Atomic next; atomic_int go; } n[2]; static struct node *_Atomic first = n;
        static void *t(void *a) { first = &n[1]; n[0].go = 1; return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); struct node *at; do at = first; while (!at->go); pthread_join(a, 0); }";
    is(text, "sc", Verdict::Unsafe);
    is(&text.replace("n[0].go = 1;", "n[1].go = 1;"), "sc", Verdict::Safe);
}

/// Reference counts, threads that are woken up first, and what is left to do after a grace period.
#[test]
fn what_the_kernel_counts_and_defers() {
    let text = "#include <linux/kref.h>\n#include <linux/slab.h>\n#include <linux/kthread.h>\n#include <linux/completion.h>
        struct data { int value; struct kref refs; }; static int released; static DECLARE_COMPLETION(done);
        static void release(struct kref *k) { struct data *d = container_of(k, struct data, refs); released += d->value; kfree(d); }
        static int worker(void *p) { struct data *d = p; BUG_ON(d->value != 5); kref_put(&d->refs, release); complete(&done); return 0; }
        int main(void) { struct data *d = kzalloc(sizeof *d, GFP_KERNEL); kref_init(&d->refs); kref_get(&d->refs);
          struct task_struct *t = kthread_create(worker, d, \"w\"); if (IS_ERR(t)) return PTR_ERR(t);
          d->value = 5; wake_up_process(t); kref_put(&d->refs, release); wait_for_completion(&done); kthread_stop(t); BUG_ON(released != 5); return 0; }";
    is(text, "sc", Verdict::Safe);
    is(&text.replace("kref_get(&d->refs);", ""), "sc", Verdict::Unsafe);
    let early = text.replace("d->value = 5; wake_up_process(t);", "wake_up_process(t); d->value = 5;");
    is(&early, "sc", Verdict::Unsafe);
    let text = "#include <linux/rculist.h>\n#include <linux/slab.h>\nstruct rec { int key; struct list_head list; struct rcu_head rcu; };
        static LIST_HEAD(all); static int freed; static void give_back(struct rcu_head *h) { kfree(container_of(h, struct rec, rcu)); freed = 1; }
        static void *reader(void *a) { struct rec *r; rcu_read_lock(); list_for_each_entry_rcu(r, &all, list) BUG_ON(READ_ONCE(r->key) != 1); rcu_read_unlock(); return a; }
        int main(void) { pthread_t a; struct rec *r = kmalloc(sizeof *r, GFP_KERNEL); r->key = 1; list_add_tail_rcu(&r->list, &all); pthread_create(&a, 0, reader, 0);
          list_del_rcu(&r->list); call_rcu(&r->rcu, give_back); rcu_barrier(); BUG_ON(!freed); pthread_join(a, 0); return 0; }";
    is(text, "sc", Verdict::Safe);
    is(&text.replace("call_rcu(&r->rcu, give_back);", "give_back(&r->rcu);"), "sc", Verdict::Unsafe);
    is(&text.replace("rcu_barrier();", ""), "sc", Verdict::Unsafe);
}

#[test]
fn lists_of_the_kernel() {
    let text = "#include <linux/llist.h>\n#include <linux/list.h>\n#include <linux/kernel.h>\n#include <pthread.h>
        struct work { int n; struct llist_node node; struct hlist_node hash; struct list_head list; }; static LLIST_HEAD(head); static HLIST_HEAD(bucket); static LIST_HEAD(one); static LIST_HEAD(two);
        static struct work w[2] = { { .n = 1 }, { .n = 2 } }; static void *add(void *a) { llist_add(&((struct work *)a)->node, &head); return 0; }
        int main(void) { pthread_t a, b; int sum = 0; struct work *pos, *next; pthread_create(&a, 0, add, &w[0]); pthread_create(&b, 0, add, &w[1]); pthread_join(a, 0); pthread_join(b, 0);
          struct llist_node *first = llist_del_all(&head); llist_for_each_entry_safe(pos, next, first, node) sum += pos->n; BUG_ON(sum != 3 || !llist_empty(&head));
          hlist_add_head(&w[0].hash, &bucket); hlist_add_head(&w[1].hash, &bucket); hlist_del(&w[0].hash); hlist_for_each_entry(pos, &bucket, hash) BUG_ON(pos->n != 2);
          list_add(&w[0].list, &one); list_add_tail(&w[1].list, &one); BUG_ON(list_is_singular(&one) || list_last_entry(&one, struct work, list)->n != 2);
          list_splice_init(&one, &two); list_move(&w[1].list, &one); BUG_ON(list_first_entry_or_null(&two, struct work, list) != &w[0]); list_del_init(&w[0].list); BUG_ON(!list_empty(&two)); return 0; }";
    is(text, "sc", Verdict::Safe);
    is(
        &text.replace(
            "llist_add(&((struct work *)a)->node, &head);",
            "struct work *k = a; k->node.next = head.first; head.first = &k->node;",
        ),
        "sc",
        Verdict::Unsafe,
    );
    is(&text.replace("hlist_del(&w[0].hash);", ""), "sc", Verdict::Unsafe);
}
