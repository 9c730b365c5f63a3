//! Each property, with a program that has it and one that does not.

use super::{HEADERS, Settings, Verdict, answer, run, two, with};
use crate::program::Property;
use crate::verify::Kind;

/// The properties that a program violates.
fn violated(text: &str, model: &str) -> Vec<Property> {
    let mut all: Vec<Property> =
        answer(text, model, None).violations.into_iter().map(|v| v.property).collect();
    all.sort();
    all.dedup();
    all
}

fn safe(text: &str) {
    for model in ["sc", "tso", "pso", "rc11"] {
        assert_eq!(violated(text, model), Vec::new(), "{model}\n{text}");
    }
}

#[track_caller]
fn unsafe_everywhere(text: &str, property: &Property) {
    for model in ["sc", "tso", "pso", "rc11"] {
        let found = violated(text, model);
        assert!(found.contains(property), "{model}: {found:?}\n{text}");
    }
}

fn lock_error(text: &str, part: &str) {
    for model in ["sc", "rc11"] {
        let found = violated(text, model);
        let has = |p: &Property| matches!(p, Property::Lock(text) if text.contains(part));
        assert!(found.iter().any(has), "{model}: {found:?}\n{text}");
    }
}

/// A thread that looks at several cells in each round, at others than the last writes at first: where it would then wait, nothing is to be seen that is not seen where it goes on, unless it has looked
/// at what somebody writes without care.
#[test]
fn rounds_that_look_at_several_cells() {
    let text = |between: &str, careless: &str| {
        format!(
            "{HEADERS}atomic_int turn, data; int n;\n\
             void *writer(void *p) {{ for (int i = 1; i <= 2; i++) {{\n\
             atomic_store_explicit(&turn, 2 * i - 1, memory_order_relaxed);\n\
             atomic_store_explicit(&data, i, memory_order_release);\n\
             atomic_store_explicit(&turn, 2 * i, memory_order_release); }}\n\
             {careless} return 0; }}\n\
             void *reader(void *p) {{ for (;;) {{\n\
             int before = atomic_load_explicit(&turn, memory_order_acquire); if (before % 2) {{ {between} continue; }}\n\
             int k = atomic_load_explicit(&data, memory_order_acquire);\n\
             if (atomic_load_explicit(&turn, memory_order_relaxed) == before) return 0; }} }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, reader, 0);\n\
             pthread_create(&b, 0, writer, 0); return 0; }}\n"
        )
    };
    for model in ["rc11", "imm", "tso", "aarch64", "riscv"] {
        let run = |text: &str| {
            let few = with(text, model, run);
            let all = with(text, model, |program, model, settings| {
                run(program, model, &Settings { all_blocked: true, ..settings.clone() })
            });
            (few.expect("an answer"), all.expect("an answer"))
        };
        let (few, all) = run(&text("", ""));
        assert_eq!((few.verdict, few.blocked), (Verdict::Safe, 0), "{model}");
        assert_eq!((all.verdict, all.complete), (Verdict::Safe, few.complete), "{model}");
        assert!(all.blocked > 10, "{model}: {}", all.blocked);
    }
    for model in ["rc11", "rc20"] {
        let racy = text("int k = n;", "n = 1;");
        let settings =
            |all_blocked| Settings { ignore: vec![Kind::Liveness], all_blocked, ..Settings::default() };
        for all_blocked in [false, true] {
            let answer = with(&racy, model, |program, model, own| {
                run(program, model, &Settings { orders: own.orders, ..settings(all_blocked) })
            });
            let answer = answer.expect("an answer");
            assert_eq!(answer.verdict, Verdict::Unsafe, "{model} {all_blocked}");
        }
    }
}

/// A thread that waits races with a plain write if it reads what was there before, and not if it reads what is there in the end.
#[test]
fn a_read_that_waits_races() {
    let text = format!(
        "{HEADERS}atomic_int x, y;\n\
         void *one(void *p) {{ atomic_init(&x, 0); atomic_store_explicit(&y, 1, memory_order_release); return 0; }}\n\
         void *two(void *p) {{ while (atomic_load_explicit(&y, memory_order_acquire) != 1) ;\n\
         atomic_store_explicit(&x, 2, memory_order_release); return 0; }}\n\
         void *three(void *p) {{ while (atomic_load_explicit(&x, memory_order_acquire) != 1) ; return 0; }}\n\
         int main(void) {{ pthread_t a, b, c; pthread_create(&a, 0, one, 0);\n\
         pthread_create(&b, 0, two, 0); pthread_create(&c, 0, three, 0); return 0; }}\n"
    );
    with(&text, "rc11", |program, model, settings| {
        for all_blocked in [false, true] {
            let settings = Settings { ignore: vec![Kind::Liveness], all_blocked, ..settings.clone() };
            let answer = run(program, model, &settings).expect("an answer");
            assert_eq!(answer.verdict, Verdict::Unsafe, "{all_blocked}");
            assert_eq!(answer.violations[0].property, Property::Race, "{all_blocked}");
        }
    });
}

#[test]
fn memory_that_another_thread_frees() {
    let globals = "_Atomic(int *) shared; atomic_int done;";
    let maker =
        "int *q = malloc(sizeof(int)); *q = 1; atomic_store_explicit(&shared, q, memory_order_release);";
    let reader = "int *q = atomic_load_explicit(&shared, memory_order_acquire); if (q) *q = 2;";
    unsafe_everywhere(&two(globals, &format!("{maker} free(q);"), reader, ""), &Property::UseAfterFree);
    let waits = "while (!atomic_load_explicit(&done, memory_order_acquire)) ; free(q);";
    let tells = "atomic_store_explicit(&done, 1, memory_order_release);";
    safe(&two(globals, &format!("{maker} {waits}"), &format!("{reader} {tells}"), ""));
    // Relaxed, it is not known when the other is done with it; a machine that keeps its writes in order does know.
    let relaxed = tells.replace("memory_order_release", "memory_order_relaxed");
    let relaxed = two(globals, &format!("{maker} {waits}"), &format!("{reader} {relaxed}"), "");
    assert!(violated(&relaxed, "rc11").contains(&Property::UseAfterFree));
    let twice = "int *q = atomic_exchange(&shared, 0); if (q) free(q);";
    safe(&two(globals, twice, twice, "").replace("pthread_t a, b;", "pthread_t a, b; shared = malloc(4);"));
    let both = "free(shared);";
    unsafe_everywhere(
        &two(globals, both, both, "").replace("pthread_t a, b;", "pthread_t a, b; shared = malloc(4);"),
        &Property::DoubleFree,
    );
}

#[test]
fn a_local_variable_that_another_thread_still_uses() {
    let body = |wait: &str| {
        let first = format!("int x = 0; atomic_store(&shared, &x); {wait}");
        two(
            "_Atomic(int *) shared; atomic_int done;",
            &first,
            "int *q = shared; if (q) *q = 1; done = 1;",
            "",
        )
    };
    unsafe_everywhere(&body(""), &Property::UseAfterFree);
    safe(&body("while (!done) ;"));
}

#[test]
fn locks() {
    let globals = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;";
    let body = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    safe(&two(globals, body, body, "pthread_mutex_destroy(&m); assert(x == 2);"));
    lock_error(&two(globals, body, "pthread_mutex_unlock(&m);", ""), "does not hold it");
    lock_error(&two(globals, body, body, "pthread_mutex_unlock(&m);"), "nobody holds");
    lock_error(&two(globals, body, body, "pthread_mutex_destroy(&m); pthread_mutex_lock(&m);"), "destroyed");
    lock_error(&two(globals, body, "pthread_mutex_destroy(&m);", ""), "destroyed");
    unsafe_everywhere(
        &two(globals, body, "pthread_mutex_lock(&m); pthread_mutex_lock(&m);", ""),
        &Property::Deadlock,
    );
    let tries = "if (!pthread_mutex_trylock(&m)) { x++; pthread_mutex_unlock(&m); }";
    safe(&two(globals, tries, tries, "assert(x >= 1 && x <= 2);"));
}

#[test]
fn recursive_mutexes() {
    let text = |kind: &str| {
        let body = "pthread_mutex_lock(&m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); x++; pthread_mutex_unlock(&m);";
        two("pthread_mutex_t m; int x;", body, body, "assert(x == 4);").replace(
            "pthread_t a, b;",
            &format!(
                "pthread_t a, b; pthread_mutexattr_t t; pthread_mutexattr_init(&t); pthread_mutexattr_settype(&t, {kind}); pthread_mutex_init(&m, &t);"
            ),
        )
    };
    for model in ["sc", "rc11"] {
        assert_eq!(violated(&text("PTHREAD_MUTEX_RECURSIVE"), model), Vec::new(), "{model}");
        assert_eq!(violated(&text("PTHREAD_MUTEX_NORMAL"), model), [Property::Deadlock], "{model}");
    }
}

#[test]
fn deadlock() {
    let globals = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;";
    let nested = |a: &str, b: &str| {
        format!(
            "pthread_mutex_lock(&{a}); pthread_mutex_lock(&{b}); pthread_mutex_unlock(&{b}); pthread_mutex_unlock(&{a});"
        )
    };
    safe(&two(globals, &nested("m", "n"), &nested("m", "n"), ""));
    unsafe_everywhere(&two(globals, &nested("m", "n"), &nested("n", "m"), ""), &Property::Deadlock);
    let found = answer(&two(globals, &nested("m", "n"), &nested("n", "m"), ""), "sc", None);
    let parts: Vec<String> =
        found.violations[0].parts.iter().map(|p| format!("{}: {} {}", p.thread, p.text, p.does)).collect();
    insta::assert_snapshot!(parts.join("\n"), @r"
    main: pthread_join(a, 0) waits for the end of thread 1
    thread 1: pthread_mutex_lock(&n) waits for ever: n.__held stays 1, from thread 2
    thread 2: pthread_mutex_lock(&m) waits for ever: m.__held stays 1, from thread 1
    ");
}

#[test]
fn loops_that_nobody_ends() {
    let globals = "atomic_int flag, other;";
    safe(&two(globals, "while (!flag) ;", "flag = 1;", ""));
    unsafe_everywhere(&two(globals, "while (!flag) ;", "other = 1;", ""), &Property::Liveness);
    let cross = |a: &str, b: &str| format!("while (!{a}) ; {b} = 1;");
    unsafe_everywhere(
        &two(globals, &cross("flag", "other"), &cross("other", "flag"), ""),
        &Property::Liveness,
    );
    // Something was read and written in the round before.
    let rounds = "for (int i = 1; i < 3; i++) { while (flag < i) ; other = other + 1; }";
    unsafe_everywhere(&two(globals, rounds, "flag = 1;", ""), &Property::Liveness);
    safe(&two(globals, rounds, "flag = 2;", "assert(other == 2);"));
    // An assumption that does not hold is nobody's fault.
    safe(&two(globals, "__VERIFIER_assume(flag);", "other = 1;", ""));
}

#[test]
fn conditions_barriers_semaphores_readers_and_writers() {
    let globals = "#include <semaphore.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
                   pthread_barrier_t bar; sem_t s; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_once_t o = PTHREAD_ONCE_INIT;\n\
                   int x, ready; void once(void) { x++; }";
    let waits =
        "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); x++; pthread_mutex_unlock(&m);";
    let tells = "pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);";
    safe(&two(globals, waits, tells, "assert(x == 1);"));
    let silent = "pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m);";
    unsafe_everywhere(&two(globals, waits, silent, ""), &Property::Deadlock);
    let init = |text: String, code: &str| text.replace("pthread_t a, b;", &format!("pthread_t a, b; {code}"));
    let meets = "pthread_barrier_wait(&bar);";
    safe(&init(
        two(globals, &format!("x = 1; {meets}"), &format!("{meets} assert(x == 1);"), ""),
        "pthread_barrier_init(&bar, 0, 2);",
    ));
    unsafe_everywhere(
        &init(two(globals, meets, "", ""), "pthread_barrier_init(&bar, 0, 2);"),
        &Property::Deadlock,
    );
    lock_error(&two(globals, meets, "", ""), "barrier");
    let down = "sem_wait(&s); x++; sem_post(&s);";
    safe(&init(two(globals, down, down, "assert(x == 2);"), "sem_init(&s, 0, 1);"));
    unsafe_everywhere(&init(two(globals, down, down, ""), "sem_init(&s, 0, 0);"), &Property::Deadlock);
    let reads = "pthread_rwlock_rdlock(&l); int r = x; assert(r != 1); pthread_rwlock_unlock(&l);";
    let writes = "pthread_rwlock_wrlock(&l); x = 1; x = 2; pthread_rwlock_unlock(&l);";
    safe(&two(globals, reads, writes, ""));
    lock_error(&two(globals, reads, "pthread_rwlock_unlock(&l);", ""), "nobody holds");
    let first = "pthread_once(&o, once);";
    safe(&two(globals, first, first, "assert(x == 1);"));
}

#[test]
fn threads_come_to_a_barrier_in_one_order() {
    let counts = |n: usize, count: usize, body: &str| {
        let text = format!(
            "{HEADERS}pthread_barrier_t bar; atomic_int told; void *work(void *p) {{ {body} return 0; }}\n\
             int main(void) {{ pthread_t t[{n}]; pthread_barrier_init(&bar, 0, {count});\n\
             for (int i = 0; i < {n}; i++) pthread_create(&t[i], 0, work, 0);\n\
             for (int i = 0; i < {n}; i++) pthread_join(t[i], 0); assert(told <= {n} / {count}); return 0; }}\n"
        );
        ["sc", "tso", "rc11"].map(|model| {
            let answer = answer(&text, model, None);
            assert_eq!(answer.violating, 0, "{model} {text}");
            answer.complete
        })
    };
    let meet = "pthread_barrier_wait(&bar);";
    assert_eq!(counts(3, 3, meet), [1; 3]);
    assert_eq!(counts(3, 3, &meet.repeat(2)), [1; 3]);
    // Four in two pairs: one of three ways to pair them, either pair first.
    assert_eq!(counts(4, 2, meet), [6; 3]);
    // Any of them may be the one that is told.
    assert_eq!(counts(3, 3, "if (pthread_barrier_wait(&bar)) told++;"), [3; 3]);
    let looks = "if (pthread_barrier_wait(&bar) == PTHREAD_BARRIER_SERIAL_THREAD) told++; pthread_barrier_wait(&bar); assert(told == 1);";
    assert_eq!(counts(2, 2, looks), [2; 3]);
}

#[test]
fn a_lock_that_is_only_taken_to_look_is_no_round() {
    let globals = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int done;";
    let looks = "for (;;) { pthread_mutex_lock(&m); if (done) { pthread_mutex_unlock(&m); break; } pthread_mutex_unlock(&m); }";
    let tells = "pthread_mutex_lock(&m); done = 1; pthread_mutex_unlock(&m);";
    for model in ["sc", "tso", "rc11"] {
        let found = answer(&two(globals, looks, tells, ""), model, None);
        assert_eq!((found.verdict, found.complete), (Verdict::Safe, 1), "{model}");
    }
    unsafe_everywhere(&two(globals, looks, "", ""), &Property::Liveness);
    // Who tries a lock sees that it was taken.
    let tries = "if (pthread_mutex_trylock(&m)) done = 1; else pthread_mutex_unlock(&m);";
    let seen = answer(&two(globals, looks, tries, "assert(!done);"), "sc", Some(3));
    assert!(seen.violating > 0);
}

#[test]
fn a_store_into_what_nobody_knows_of_is_made_again() {
    let globals = "struct node { int value; _Atomic(struct node *) next; }; _Atomic(struct node *) top;";
    let push = "struct node *n = malloc(sizeof *n); n->value = 1;
        for (;;) { struct node *old = atomic_load(&top); atomic_store(&n->next, old); if (atomic_compare_exchange_strong(&top, &old, n)) break; }";
    let ends = "int n = 0; for (struct node *p = top; p; p = p->next) n++; assert(n == 2);";
    for model in ["sc", "tso", "rc11"] {
        let found = answer(&two(globals, push, push, ends), model, None);
        assert_eq!((found.verdict, found.complete), (Verdict::Safe, 2), "{model}");
    }
    // Where a round looks at what the one before it wrote, all of them count.
    let looks = "int *n = malloc(sizeof *n); *n = 0; while (!atomic_load(&flag)) { *n += 1; if (*n == 3) break; } assert(*n < 3); free(n);";
    unsafe_everywhere(
        &two("atomic_int flag;", looks, "flag = 1;", ""),
        &Property::Assertion("*n < 3".to_string()),
    );
}

#[test]
fn an_object_that_is_not_known_to_be_there() {
    let makes = "int *q = malloc(sizeof(int)); atomic_store_explicit(&shared, q, memory_order_ORDER);";
    let uses = "int *q = atomic_load_explicit(&shared, memory_order_acquire); if (q) *q = 1;";
    let text = |order: &str| two("_Atomic(int *) shared;", &makes.replace("ORDER", order), uses, "");
    assert_eq!(violated(&text("relaxed"), "rc11"), [Property::BeforeLife]);
    assert_eq!(violated(&text("release"), "rc11"), []);
}

#[test]
fn what_is_warned_of() {
    let warned = |globals: &str, body: &str| {
        let text =
            format!("{HEADERS}#include <limits.h>\n{globals}\nint main(void) {{ {body} return 0; }}\n");
        let answer = answer(&text, "rc11", None);
        assert_eq!(answer.verdict, Verdict::Safe, "{body}");
        answer.warnings.into_iter().map(|w| w.property).collect::<Vec<_>>()
    };
    let none: [Property; 0] = [];
    assert_eq!(warned("", "int *p = malloc(4); *p = 1;"), [Property::Leak]);
    assert_eq!(warned("", "int *p = malloc(4); *p = 1; free(p);"), none);
    assert_eq!(
        warned("int *g; struct { int **q; } s;", "int **p = malloc(8); *p = malloc(4); s.q = p;"),
        none
    );
    assert_eq!(warned("int *g;", "g = malloc(4); g = 0;"), [Property::Leak]);
    assert_eq!(warned("int n = INT_MAX;", "n = n + 1;"), [Property::Overflow]);
    assert_eq!(warned("int n = INT_MAX;", "n++;"), [Property::Overflow]);
    assert_eq!(warned("int n = 65536;", "n *= n;"), [Property::Overflow]);
    assert_eq!(
        warned("unsigned n = UINT_MAX; char c = 127; atomic_int a = INT_MAX;", "n++; c++; a++; n = n * n;"),
        none
    );
    assert_eq!(warned("int n = 32;", "int m = 1 << n;"), [Property::Shift]);
    assert_eq!(warned("int n = -1;", "unsigned m = 8u >> n;"), [Property::Shift]);
    assert_eq!(warned("int n = 31;", "unsigned m = 1u << n; m >>= n; long l = 1L << (n + 32);"), none);
}

#[test]
fn races_under_models_without_a_rule() {
    let racy = two("int x;", "x = 1;", "x = 2;", "");
    for model in ["sc", "tso", "pso"] {
        let answer = answer(&racy, model, None);
        assert_eq!((answer.verdict, answer.warnings.len()), (Verdict::Safe, 1), "{model}");
    }
    assert_eq!(violated(&racy, "rc11"), [Property::Race]);
    let locked = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    let fine = two("int x; pthread_mutex_t m;", locked, locked, "");
    assert_eq!(answer(&fine, "tso", None).warnings.len(), 0);
}

#[test]
fn integers_of_any_value() {
    let main = |body: &str| format!("{HEADERS}int main(void) {{ {body} return 0; }}\n");
    safe(&main("int n = __VERIFIER_nondet_int(); if (n > 5) assert(n != 5); else assert(n != 6);"));
    let broken = Property::Assertion("n != 17".to_string());
    unsafe_everywhere(&main("int n = __VERIFIER_nondet_int(); assert(n != 17);"), &broken);
    let property = Property::Assertion("n >= 0".to_string());
    unsafe_everywhere(&main("int n = __VERIFIER_nondet_int(); assert(n >= 0);"), &property);
    safe(&main("unsigned n = __VERIFIER_nondet_uint(); assert(n >= 0);"));
    safe(&main(
        "int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 2 && n < 9); int a[9]; a[n] = n * n; assert(a[n] <= 64);",
    ));
    let too_far =
        main("int n = __VERIFIER_nondet_int(); __VERIFIER_assume(0 <= n && n <= 9); int a[9]; a[n] = 1;");
    unsafe_everywhere(&too_far, &Property::OutOfBounds);
    let text = main("switch (__VERIFIER_nondet_int()) { case 3: break; case 7: assert(0); default: break; }");
    unsafe_everywhere(&text, &Property::Assertion("0".to_string()));
    let six = main("int n = 0; while (__VERIFIER_nondet_bool() && n < 3) n++; assert(n < 3);");
    unsafe_everywhere(&six, &Property::Assertion("n < 3".to_string()));
}

#[test]
fn parts_that_nothing_comes_between() {
    let globals = "atomic_int x; int y;";
    let plain = "int r = atomic_load(&x); atomic_store(&x, r + 1);";
    let whole = format!("__VERIFIER_atomic_begin(); {plain} __VERIFIER_atomic_end();");
    let property = Property::Assertion("x == 2".to_string());
    unsafe_everywhere(&two(globals, plain, plain, "assert(x == 2);"), &property);
    safe(&two(globals, &whole, &whole, "assert(x == 2);"));
    // Nobody comes between, even who has no section of its own.
    let both =
        "__VERIFIER_atomic_begin(); atomic_store(&x, 1); atomic_store(&x, 2); __VERIFIER_atomic_end();";
    let looks = "assert(atomic_load(&x) != 1);";
    safe(&two(globals, both, looks, ""));
    let named = "void __VERIFIER_atomic_add(void) { int r = x; x = r + 1; }";
    safe(&two(
        &format!("{globals} {named}"),
        "__VERIFIER_atomic_add();",
        "__VERIFIER_atomic_add();",
        "assert(x == 2);",
    ));
    // Two threads are never in sections at once: what they do there is no race, and what came before one is done in the next.
    let inside = |of: &str| format!("__VERIFIER_atomic_begin(); {of} __VERIFIER_atomic_end();");
    safe(&two("int n;", &inside("n++;"), &inside("n++;"), "assert(n == 2);"));
    let tells = format!("y = 1; {}", inside("n = 1;"));
    let hears = |then: &str| format!("int r; {} if (r) {then}", inside("r = n;"));
    safe(&two("int n, y;", &tells, &hears("assert(y == 1);"), ""));
    let race = two("int n;", &inside("n++;"), "n++;", "");
    assert!(violated(&race, "rc11").contains(&Property::Race), "outside of a section");
}

#[test]
fn threads_know_themselves() {
    let text = two(
        "pthread_t me[2]; pthread_key_t key;",
        "me[0] = pthread_self(); pthread_setspecific(key, &me[0]); assert(pthread_getspecific(key) == &me[0]);",
        "me[1] = pthread_self(); assert(!pthread_getspecific(key));",
        "assert(pthread_equal(me[0], a)); assert(me[1] == b); assert(pthread_self() != a);",
    )
    .replace("pthread_t a, b;", "pthread_t a, b; pthread_key_create(&key, 0);");
    safe(&text);
}

#[test]
fn bits_of_numbers() {
    safe(&format!(
        "{HEADERS}int main(void) {{ unsigned n = 40; assert(__builtin_ffs(n) == 4); assert(__builtin_ctz(n) == 3);\n\
         assert(__builtin_clz(n) == 26); assert(__builtin_popcount(n) == 2); assert(__builtin_ffs(0) == 0);\n\
         unsigned long m = 1UL << 40; assert(__builtin_clzl(m) == 23); assert(__builtin_ffsl(m) == 41); return 0; }}\n"
    ));
}

/// Two threads in the kernel's C.
fn kernel(globals: &str, first: &str, second: &str) -> String {
    two(&format!("{globals}\n"), first, second, "")
        .replace("#include <stdatomic.h>", "#include <linux/spinlock.h>")
}

#[test]
fn functions_of_the_kernel() {
    let globals = "int x, flag; spinlock_t l; atomic_t n = ATOMIC_INIT(0); unsigned long bits;";
    let safe_in = |text: &str, models: &[&str]| {
        for model in models {
            assert_eq!(violated(text, model), Vec::new(), "{model}\n{text}");
        }
    };
    let (sends, looks) = (
        "WRITE_ONCE(x, 1); smp_store_release(&flag, 1);",
        "if (smp_load_acquire(&flag)) BUG_ON(!READ_ONCE(x));",
    );
    safe(&kernel(globals, sends, looks));
    let fences = (
        "WRITE_ONCE(x, 1); smp_wmb(); WRITE_ONCE(flag, 1);",
        "if (READ_ONCE(flag)) { smp_rmb(); BUG_ON(!READ_ONCE(x)); }",
    );
    safe(&kernel(globals, fences.0, fences.1));
    let weak = kernel(globals, &fences.0.replace("smp_wmb();", ""), fences.1);
    safe_in(&weak, &["sc", "tso"]);
    assert_eq!(violated(&weak, "pso").len(), 1);
    let locked = "unsigned long flags; spin_lock_irqsave(&l, flags); x++; spin_unlock_irqrestore(&l, flags); atomic_inc(&n);";
    safe(&two_kernel(globals, locked, "BUG_ON(x != 2 || atomic_read(&n) != 2);"));
    let bit = "if (!test_and_set_bit(3, &bits)) x++;";
    safe(&two_kernel(globals, bit, "BUG_ON(x != 1 || bits != 8);"));
    let counts = "BUG_ON(atomic_add_return(2, &n) < 2); atomic_add_unless(&n, 1, 4);";
    safe(&two_kernel(globals, counts, "BUG_ON(atomic_read(&n) < 4);"));
    let reads = "rcu_read_lock(); int *q = rcu_dereference(shared); BUG_ON(*q == 0); rcu_read_unlock();";
    let frees = |wait: &str| {
        format!(
            "int *q = shared, *r = kmalloc(sizeof *r, GFP_KERNEL); *r = 2; rcu_assign_pointer(shared, r); {wait} kfree(q);"
        )
    };
    let start = |text: String| {
        text.replace("pthread_t a, b;", "pthread_t a, b; shared = kmalloc(4, 0); *shared = 1;")
    };
    let globals = "int *shared;";
    let right = start(kernel(globals, reads, &frees("synchronize_rcu();")));
    safe_in(&right, &["sc", "tso"]);
    let wrong = start(kernel(globals, reads, &frees("")));
    assert!(violated(&wrong, "tso").contains(&Property::UseAfterFree));
}

fn two_kernel(globals: &str, body: &str, end: &str) -> String {
    two(globals, body, body, end).replace("#include <stdatomic.h>", "#include <linux/atomic.h>")
}

#[test]
fn consume_is_acquire() {
    let text = two(
        "_Atomic(int *) shared; int x;",
        "x = 1; atomic_store_explicit(&shared, &x, memory_order_release);",
        "int *q = atomic_load_explicit(&shared, memory_order_consume); if (q) assert(*q == 1);",
        "",
    );
    safe(&text);
}

#[test]
fn preprocessed_files() {
    let text = "typedef unsigned long int pthread_t;
        typedef union { struct __pthread_mutex_s { int __lock; unsigned int __count; int __owner; int __kind; } __data; char __size[16]; long int __align; } pthread_mutex_t;
        extern int pthread_create (pthread_t *__restrict __newthread, const void *__attr, void *(*__start_routine) (void *), void *__restrict __arg) __attribute__ ((__nothrow__));
        extern int pthread_join (pthread_t __th, void **__thread_return);
        extern int pthread_mutex_lock (pthread_mutex_t *__mutex) __attribute__ ((__nothrow__ , __leaf__));
        extern int pthread_mutex_unlock (pthread_mutex_t *__mutex);
        extern void __assert_fail (const char *__assertion, const char *__file, unsigned int __line, const char *__function);
        extern void abort (void);
        void reach_error() { ((void) sizeof ((0) ? 1 : 0), __extension__ ({ if (0) ; else __assert_fail (\"0\", \"t.c\", 3, __extension__ __PRETTY_FUNCTION__); })); }
        void __VERIFIER_assert(int expression) { if (!expression) { ERROR: {reach_error();abort();} }; return; }
        extern int __VERIFIER_nondet_int(void);
        int x; pthread_mutex_t m = { { 0, 0, 0, 0 } };
        void *thread(void *arg) { LOCK x = x + 1; UNLOCK return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, thread, 0); pthread_create(&b, 0, thread, 0);
        pthread_join(a, 0); pthread_join(b, 0); __VERIFIER_assert(x == 2); return 0; }\n";
    let fine = text.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);");
    safe(&fine);
    let broken = text.replace("UNLOCK", "").replace("LOCK", "");
    assert_eq!(violated(&broken, "sc"), [Property::Assertion("the call of an error function".to_string())]);
}
