//! Programs under the models of machines and of the kernel.

use super::{HEADERS, asked, two};
use crate::program::Property;
use crate::verify::{By, Verdict};

const MACHINES: [&str; 4] = ["aarch64", "armv7", "ppc", "riscv"];

/// The verdict under a model; data races of machines are only warned of.
fn verdict(text: &str, model: &str) -> Verdict {
    asked(text, model, None).0.verdict
}

fn everywhere(text: &str, models: &[&str], expected: Verdict) {
    for model in models {
        assert_eq!(verdict(text, model), expected, "{model}: {text}");
    }
}

/// Load and store `x` and `y` in some order: message passing, store buffering, with orders to be filled in.
fn passing(write: &str, read: &str) -> String {
    two(
        "atomic_int x, y;",
        &format!("atomic_store_explicit(&x, 1, memory_order_relaxed); {write}"),
        &format!("{read} if (r) assert(atomic_load_explicit(&x, memory_order_relaxed));"),
        "",
    )
}

#[test]
fn messages_on_machines() {
    let relaxed = passing(
        "atomic_store_explicit(&y, 1, memory_order_relaxed);",
        "int r = atomic_load_explicit(&y, memory_order_relaxed);",
    );
    everywhere(&relaxed, &MACHINES, Verdict::Unsafe);
    let ordered = passing(
        "atomic_store_explicit(&y, 1, memory_order_release);",
        "int r = atomic_load_explicit(&y, memory_order_acquire);",
    );
    everywhere(&ordered, &MACHINES, Verdict::Safe);
    let fences = passing(
        "atomic_thread_fence(memory_order_release); atomic_store_explicit(&y, 1, memory_order_relaxed);",
        "int r = atomic_load_explicit(&y, memory_order_relaxed); atomic_thread_fence(memory_order_acquire);",
    );
    everywhere(&fences, &MACHINES, Verdict::Safe);
    // A read-modify-write takes part in it as a store and as a load.
    let updates = passing(
        "atomic_fetch_add_explicit(&y, 1, memory_order_release);",
        "int r = atomic_fetch_add_explicit(&y, 1, memory_order_acquire);",
    );
    everywhere(&updates, &MACHINES, Verdict::Safe);
    let exchanges = passing(
        "int e = 0; atomic_compare_exchange_strong_explicit(&y, &e, 1, memory_order_release, memory_order_relaxed);",
        "int o = 1; int r = atomic_compare_exchange_strong_explicit(&y, &o, 2, memory_order_acquire, memory_order_acquire);",
    );
    everywhere(&exchanges, &MACHINES, Verdict::Safe);
    let weak = exchanges.replace("memory_order_release", "memory_order_relaxed");
    everywhere(&weak, &["aarch64", "ppc", "riscv"], Verdict::Unsafe);
}

#[test]
fn buffers_on_machines() {
    let text = two(
        "atomic_int x, y; int r, s;",
        "atomic_store_explicit(&x, 1, ORDER); r = atomic_load_explicit(&y, ORDER);",
        "atomic_store_explicit(&y, 1, ORDER); s = atomic_load_explicit(&x, ORDER);",
        "assert(r || s);",
    );
    everywhere(&text.replace("ORDER", "memory_order_seq_cst"), &MACHINES, Verdict::Safe);
    everywhere(&text.replace("ORDER", "memory_order_relaxed"), &MACHINES, Verdict::Unsafe);
}

/// Load buffering: each thread reads, and then writes what the other reads.
fn buffered_loads(first: &str, second: &str) -> String {
    two(
        "atomic_int x, y, z; int u, v;",
        &format!("int r = atomic_load_explicit(&x, memory_order_relaxed); {first} u = r;"),
        &format!("int r = atomic_load_explicit(&y, memory_order_relaxed); {second} v = r;"),
        "assert(!(u == 1 && v == 1));",
    )
}

/// Executions that do not grow, one event after the other, are found all the same.
#[test]
fn stores_overtake_loads() {
    let (x, y) = (
        "atomic_store_explicit(&x, 1, memory_order_relaxed);",
        "atomic_store_explicit(&y, 1, memory_order_relaxed);",
    );
    let all = ["aarch64", "armv7", "ppc", "riscv", "imm"];
    everywhere(&buffered_loads(y, x), &all, Verdict::Unsafe);
    // What depends on a load does not overtake it: its value, its address, its condition. On one side it is not enough.
    let value = "atomic_store_explicit(&y, r, memory_order_relaxed);";
    let under = format!("if (r) {y}");
    for kept in [value, under.as_str(), "atomic_store_explicit(&y, 1, memory_order_release);"] {
        everywhere(&buffered_loads(kept, x), &all, Verdict::Unsafe);
        let other = kept.replace("&y", "&x");
        everywhere(&buffered_loads(kept, &other), &all, Verdict::Safe);
    }
    // Through another cell: what is written to it, read again and tested.
    let through = format!(
        "atomic_store_explicit(&z, r, memory_order_relaxed); if (atomic_load_explicit(&z, memory_order_relaxed)) {y}"
    );
    everywhere(&buffered_loads(&through, &format!("if (r) {x}")), &all, Verdict::Safe);
    everywhere(&buffered_loads(y, x), &["rc11"], Verdict::Safe);
}

#[test]
fn a_trace_of_stores_that_overtake_loads() {
    let text = buffered_loads(
        "atomic_store_explicit(&y, 1, memory_order_relaxed);",
        "atomic_store_explicit(&x, 1, memory_order_relaxed);",
    );
    let trace = |text: &str| {
        let answer = asked(text, "aarch64", None).0;
        let steps = answer.violations.iter().flat_map(|violation| &violation.trace);
        steps.map(|step| format!("{}: {}", step.thread, step.what)).collect::<Vec<String>>()
    };
    let expected = [
        "main: starts thread 1",
        "main: starts thread 2",
        "thread 1: reads x = 1",
        "thread 1: writes y = 1",
        "thread 1: writes u = 1",
        "thread 2: reads y = 1",
        "thread 2: writes x = 1",
        "thread 2: writes v = 1",
        "main: joins thread 1",
        "main: joins thread 2",
        "main: reads u = 1",
        "main: reads v = 1",
    ];
    assert_eq!(trace(&text), expected);
    // A thread that looks itself.
    let text = text
        .replace("u = r;", "assert(!r);")
        .replace("v = r;", "")
        .replace("atomic_store_explicit(&x", "if (r) atomic_store_explicit(&x");
    let expected = [
        "main: starts thread 1",
        "main: starts thread 2",
        "thread 1: reads x = 1",
        "thread 1: writes y = 1",
        "thread 2: reads y = 1",
        "thread 2: writes x = 1",
    ];
    assert_eq!(trace(&text), expected);
}

/// Nobody closes the cycle, by what is read and written.
#[test]
fn stores_overtake_loads_to_no_effect() {
    let text = two(
        "atomic_int x, y, z;",
        "int r = atomic_load_explicit(&x, memory_order_relaxed); atomic_store_explicit(&y, 1, memory_order_relaxed); assert(r != 2);",
        "atomic_store_explicit(&x, 1, memory_order_relaxed); int r = atomic_load_explicit(&y, memory_order_relaxed); atomic_store_explicit(&z, 1, memory_order_relaxed);",
        "",
    );
    everywhere(&text, &["aarch64", "ppc", "riscv"], Verdict::Safe);
}

/// A store that overtakes a load without a cycle: the write of one thread comes before what another has read already.
#[test]
fn stores_overtake_loads_without_a_cycle() {
    let text = two(
        "atomic_int x, y; int u;",
        "atomic_store_explicit(&x, 2, memory_order_relaxed); atomic_store_explicit(&y, 1, memory_order_release);",
        "u = atomic_load_explicit(&y, memory_order_relaxed); atomic_store_explicit(&x, 1, memory_order_relaxed);",
        "assert(!(u == 1 && atomic_load_explicit(&x, memory_order_relaxed) == 2));",
    );
    everywhere(&text, &["aarch64", "ppc", "riscv"], Verdict::Unsafe);
}

/// `main` may take part between the last start and the first join. Where it does so before, they are not looked at, and that is told.
#[test]
fn stores_that_overtake_loads_beside_main() {
    let text = buffered_loads(
        "atomic_store_explicit(&y, 1, memory_order_relaxed);",
        "atomic_store_explicit(&x, 1, memory_order_relaxed);",
    );
    let text = text
        .replace(
            "pthread_join(a, 0);",
            "atomic_store_explicit(&z, 1, memory_order_relaxed); pthread_join(a, 0);",
        )
        .replace(
            "int r = atomic_load_explicit(&x",
            "int q = atomic_load_explicit(&z, memory_order_relaxed); int r = atomic_load_explicit(&x",
        );
    assert_eq!(asked(&text, "riscv", None).0.verdict, Verdict::Unsafe);
    let text = text.replace("assert(", "(void)(");
    let (answer, said) = asked(&text, "ppc", None);
    assert_eq!(answer.verdict, Verdict::Safe, "{said}");
    let store = "atomic_store_explicit(&z, 1, memory_order_relaxed);";
    let between = text.replace(store, "").replace("pthread_create(&b", &format!("{store} pthread_create(&b"));
    let (answer, said) = asked(&between, "ppc", None);
    assert_eq!(answer.verdict, Verdict::Unknown);
    assert!(said.contains("`main` works on what the threads work on, too"), "{said}");
}

/// Who reads a pointer and then what it points at reads in order, without a fence.
#[test]
fn addresses_keep_order() {
    let text = two(
        "int x, z; int *_Atomic y = &z;",
        "x = 1; atomic_store_explicit(&y, &x, memory_order_release);",
        "int *q = atomic_load_explicit(&y, memory_order_relaxed); int v = *q; if (q == &x) assert(v);",
        "",
    );
    everywhere(&text, &MACHINES, Verdict::Safe);
}

#[test]
fn mutexes_on_machines() {
    let text = two(
        "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        "assert(x == 2);",
    );
    for model in MACHINES.into_iter().chain(["lkmm"]) {
        let answer = asked(&text, model, None).0;
        assert_eq!((answer.complete, answer.violating, answer.warnings.len()), (2, 0, 0), "{model}");
    }
    let race = text.replace("pthread_mutex_lock(&m);", "").replace("pthread_mutex_unlock(&m);", "");
    everywhere(&race, &MACHINES, Verdict::Unsafe);
}

/// Independent readers of independent writes: only machines that show a write to all at once keep them together.
#[test]
fn writes_reach_others_at_once_or_not() {
    let read = |first: &str, second: &str, to: &str| {
        format!(
            "{to} = 2 * atomic_load_explicit(&{first}, memory_order_acquire); {to} += atomic_load_explicit(&{second}, memory_order_acquire);"
        )
    };
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\natomic_int x, y; int r, s;\n\
         void *f(void *p) {{ atomic_store_explicit(&x, 1, memory_order_release); return 0; }}\n\
         void *g(void *p) {{ atomic_store_explicit(&y, 1, memory_order_release); return 0; }}\n\
         void *h(void *p) {{ {} return 0; }}\nvoid *i(void *p) {{ {} return 0; }}\n\
         int main(void) {{ pthread_t t[4]; void *(*all[])(void *) = {{ f, g, h, i }};\n\
         for (int n = 0; n < 4; n++) pthread_create(&t[n], 0, all[n], 0);\n\
         for (int n = 0; n < 4; n++) pthread_join(t[n], 0);\n assert(!(r == 2 && s == 2)); return 0; }}\n",
        read("x", "y", "r"),
        read("y", "x", "s"),
    );
    everywhere(&text, &["aarch64", "riscv"], Verdict::Safe);
    everywhere(&text, &["ppc", "rc11"], Verdict::Unsafe);
}

fn kernel(globals: &str, first: &str, second: &str, end: &str) -> String {
    // The names of C's atomic functions are the kernel's, too.
    let text = two(&format!("#include <linux/rcupdate.h>\n{globals}"), first, second, end);
    text.replace("#include <stdatomic.h>\n", "")
}

#[test]
fn the_kernels_model() {
    let passing = |write: &str, read: &str| {
        let first = format!("WRITE_ONCE(x, 1); {write} WRITE_ONCE(y, 1);");
        let second = format!("int r = READ_ONCE(y); {read} if (r) BUG_ON(!READ_ONCE(x));");
        kernel("int x, y;", &first, &second, "")
    };
    assert_eq!(verdict(&passing("", ""), "lkmm"), Verdict::Unsafe);
    assert_eq!(verdict(&passing("smp_wmb();", ""), "lkmm"), Verdict::Unsafe);
    assert_eq!(verdict(&passing("smp_wmb();", "smp_rmb();"), "lkmm"), Verdict::Safe);
    assert_eq!(verdict(&passing("smp_mb();", "smp_mb();"), "lkmm"), Verdict::Safe);
    let buffers = |fence: &str| {
        let first = format!("WRITE_ONCE(x, 1); {fence} r = READ_ONCE(y);");
        let second = format!("WRITE_ONCE(y, 1); {fence} s = READ_ONCE(x);");
        kernel("int x, y, r, s;", &first, &second, "BUG_ON(!r && !s);")
    };
    assert_eq!(verdict(&buffers(""), "lkmm"), Verdict::Unsafe);
    assert_eq!(verdict(&buffers("smp_wmb();"), "lkmm"), Verdict::Unsafe);
    assert_eq!(verdict(&buffers("smp_mb();"), "lkmm"), Verdict::Safe);
}

/// A store under a condition does not overtake what the condition looked at, and nobody goes on from a lock that is taken.
#[test]
fn locks_after_loads_in_the_kernels_model() {
    let text = |first: &str, second: &str| {
        let globals = "#include <linux/spinlock.h>\nDEFINE_SPINLOCK(lock); int flag, data;";
        kernel(globals, &format!("spin_lock(&lock); {first} spin_unlock(&lock);"), second, "")
    };
    let section = "spin_lock(&lock); WRITE_ONCE(data, 2); spin_unlock(&lock);";
    let writes = "WRITE_ONCE(flag, 1);";
    let guarded = text(writes, &format!("if (READ_ONCE(flag)) {{ {section} }}"));
    assert_eq!(verdict(&guarded, "lkmm"), Verdict::Safe);
    let free = text(writes, "int s = READ_ONCE(flag); spin_lock(&lock); spin_unlock(&lock);");
    assert_eq!(verdict(&free, "lkmm"), Verdict::Safe);
    // After the condition a store may overtake what it looked at, and errors with locks are not looked for in such executions.
    let after = "if (READ_ONCE(flag)) { int s = 1; } WRITE_ONCE(data, 2);";
    assert_eq!(
        verdict(&text(&format!("int r = READ_ONCE(data); {writes}"), after), "lkmm"),
        Verdict::Unknown
    );
}

/// A loop that only looks waits, whatever its round looks like; one that writes goes on.
#[test]
fn rounds_that_only_look_on_machines() {
    let ring = "
        #include <stdatomic.h>
        #include <stdbool.h>
        #include <pthread.h>
        #include <assert.h>
        atomic_uint head, tail; int items[2];
        bool push(int v) {
            unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
            if (t - atomic_load_explicit(&head, memory_order_acquire) == 2) return false;
            items[t % 2] = v;
            atomic_store_explicit(&tail, t + 1, memory_order_release);
            return true;
        }
        bool pop(int *v) {
            unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
            if (atomic_load_explicit(&tail, memory_order_acquire) == h) return false;
            *v = items[h % 2];
            atomic_store_explicit(&head, h + 1, memory_order_release);
            return true;
        }
        void *producer(void *arg) { for (int i = 1; i <= 3; i++) while (!push(i)); return 0; }
        void *consumer(void *arg) {
            for (int i = 1; i <= 3; i++) { int v; while (!pop(&v)); assert(v == i); }
            return 0;
        }
        int main(void) {
            pthread_t a, b;
            pthread_create(&a, 0, producer, 0); pthread_create(&b, 0, consumer, 0);
            pthread_join(a, 0); pthread_join(b, 0);
        }";
    everywhere(ring, &MACHINES, Verdict::Safe);
    let broken = ring.replace("t + 1, memory_order_release", "t + 1, memory_order_relaxed");
    everywhere(&broken, &MACHINES, Verdict::Unsafe);
}

#[test]
fn rcu_in_the_kernels_model() {
    let text = |wait: &str| {
        kernel(
            "struct s { int v; } a, b; struct s *gp = &a;",
            "rcu_read_lock(); struct s *q = rcu_dereference(gp); BUG_ON(READ_ONCE(q->v) == 7); rcu_read_unlock();",
            &format!("rcu_assign_pointer(gp, &b); {wait} WRITE_ONCE(a.v, 7);"),
            "",
        )
    };
    assert_ne!(verdict(&text("synchronize_rcu();"), "lkmm"), Verdict::Unsafe);
    assert_eq!(verdict(&text("smp_mb();"), "lkmm"), Verdict::Unsafe);
    // Sections inside each other are one.
    let nested = text("synchronize_rcu();")
        .replace("rcu_read_lock();", "rcu_read_lock(); rcu_read_lock(); rcu_read_unlock();");
    assert_ne!(verdict(&nested, "lkmm"), Verdict::Unsafe);
}

/// Who frees after a grace period frees what no reader has any more.
#[test]
fn memory_after_a_grace_period() {
    let globals = "#include <linux/slab.h>\nstruct foo { int a; }; static struct foo other = { 1 }; static struct foo *gp;";
    let reader = "struct foo *it; rcu_read_lock(); it = rcu_dereference(gp); BUG_ON(it && it->a != 1); rcu_read_unlock();";
    let updater =
        |wait: &str| format!("struct foo *o = gp; rcu_assign_pointer(gp, &other); {wait} kfree(o);");
    let text = |wait: &str| {
        kernel(globals, reader, &updater(wait), "").replace(
            "int main(void) { ",
            "int main(void) { gp = kmalloc(sizeof(*gp), GFP_KERNEL); gp->a = 1; ",
        )
    };
    assert_eq!(verdict(&text("synchronize_rcu();"), "lkmm"), Verdict::Safe);
    assert_eq!(verdict(&text(""), "lkmm"), Verdict::Unsafe);
}

#[test]
fn races_in_the_kernels_model() {
    let text = kernel("int x;", "x = 1;", "int r = x;", "");
    let found = asked(&text, "lkmm", None).0.violations;
    assert!(found.iter().any(|violation| violation.property == Property::Race), "{found:?}");
    let marked = kernel("int x;", "WRITE_ONCE(x, 1);", "int r = READ_ONCE(x);", "");
    assert_ne!(verdict(&marked, "lkmm"), Verdict::Unsafe);
    // A race that the program knows of is not reported, whichever of the two accesses says so; the others are.
    let known = |first: &str, second: &str| verdict(&kernel("int x, y;", first, second, ""), "lkmm");
    assert_eq!(known("x = 1;", "int r = data_race(x);"), Verdict::Safe);
    assert_eq!(known("data_race(x = 1);", "int r = x;"), Verdict::Safe);
    assert_eq!(known("data_race(x++);", "int r = data_race(x + y);"), Verdict::Safe);
    assert_eq!(known("x = 1; y = 1;", "int r = data_race(x); r = y;"), Verdict::Unsafe);
}

/// Who sees the accesses of two sections out of order sees no more than that: neither section comes between the accesses of the other.
#[test]
fn sections_that_are_seen_out_of_order() {
    let text = format!(
        "{HEADERS}atomic_int a, b, c, d, e;
         #define GET(x) atomic_load_explicit(&x, memory_order_relaxed)
         #define PUT(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
         #define BOTH(x, y) __VERIFIER_atomic_begin(); PUT(x, 1); PUT(y, 1); PUT(c, GET(c) + 1); __VERIFIER_atomic_end(); return 0
         int seen;
         void *one(void *u) {{ BOTH(a, b); }}
         void *two(void *u) {{ BOTH(d, e); }}
         void *sees(void *u) {{ int r = GET(b), s = GET(a), t = GET(e), v = GET(d); seen = r && !s && t && !v; return 0; }}
         int main(void) {{ pthread_t x, y, z; pthread_create(&x, 0, one, 0); pthread_create(&y, 0, two, 0); pthread_create(&z, 0, sees, 0);
           pthread_join(x, 0); pthread_join(y, 0); pthread_join(z, 0); assert(GET(c) == 2); assert(MAY || !seen); return 0; }}"
    );
    for model in ["aarch64", "riscv", "rc11"] {
        assert_eq!(verdict(&text.replace("MAY", "1"), model), Verdict::Safe, "{model}");
        assert_eq!(verdict(&text.replace("MAY", "0"), model), Verdict::Unsafe, "{model}");
    }
}

/// What a thread reads again with an acquire keeps what it read first before all that follows, unless it reads what it has stored in between.
#[test]
fn cells_that_are_read_again() {
    let text = |between: &str, order: &str, end: &str| {
        two(
            "atomic_int x, y; void *third(void *p) { return 0; }",
            &format!(
                "int e = 0; atomic_compare_exchange_strong_explicit(&x, &e, 2, memory_order_relaxed, memory_order_relaxed); {between}
                 int r = atomic_load_explicit(&x, {order}); atomic_store_explicit(&y, 1, memory_order_relaxed); assert(e != 1);"
            ),
            "int s = atomic_load_explicit(&y, memory_order_relaxed); atomic_store_explicit(&x, s, memory_order_relaxed);",
            end,
        )
    };
    // Executions with a cycle are not looked for where threads start after others have ended: it is known that there are none.
    let later = "pthread_t c; pthread_create(&c, 0, third, 0); pthread_join(c, 0);";
    assert_eq!(verdict(&text("", "memory_order_acquire", later), "aarch64"), Verdict::Safe);
    assert_eq!(verdict(&text("", "memory_order_acquire", ""), "aarch64"), Verdict::Safe);
    assert_eq!(verdict(&text("", "memory_order_relaxed", ""), "aarch64"), Verdict::Unsafe);
    let stores = "atomic_store_explicit(&x, 3, memory_order_relaxed);";
    assert_eq!(verdict(&text(stores, "memory_order_acquire", ""), "aarch64"), Verdict::Unsafe);
}

/// A lock by a pointer, as libraries have them: whoever calls gives each function another address in turn.
const SLEEPING: &str = r#"
    atomic_int turn;
    void sleep_on(atomic_int *m, int v) {
        int s = atomic_load_explicit(&turn, memory_order_acquire);
        if (atomic_load_explicit(m, memory_order_acquire) != v) return;
        while (atomic_load_explicit(&turn, memory_order_acquire) == s) ;
    }
    void wake(atomic_int *m) { atomic_fetch_add_explicit(&turn, 1, memory_order_release); }
    void lock(atomic_int *m) {
        int free = 0;
        if (atomic_compare_exchange_strong_explicit(m, &free, 1, memory_order_acquire, memory_order_acquire)) return;
        for (;;) {
            int taken = 1;
            atomic_compare_exchange_strong_explicit(m, &taken, 2, memory_order_relaxed, memory_order_relaxed);
            sleep_on(m, 2);
            free = 0;
            if (atomic_compare_exchange_strong_explicit(m, &free, 2, memory_order_acquire, memory_order_acquire)) return;
        }
    }
    void unlock(atomic_int *m) {
        int taken = 1;
        if (atomic_compare_exchange_strong_explicit(m, &taken, 0, memory_order_release, memory_order_relaxed)) return;
        atomic_store_explicit(m, 0, memory_order_release);
        wake(m);
    }
    atomic_int guard; int n;"#;

#[test]
fn calls_with_addresses_of_their_own() {
    let body = "lock(&guard); n = n + 1; unlock(&guard);";
    let text = two(SLEEPING, body, body, "assert(n == 2);");
    for model in ["aarch64", "riscv"] {
        let (answer, _) = asked(&text, model, None);
        assert_eq!(answer.verdict, Verdict::Safe, "{model}");
        // Where it was lost which cell a call looks at, closed worlds were asked, to a bound.
        assert_eq!((answer.cut, answer.by), (0, By::Growing), "{model}");
    }
}

/// The same structure, another one, none; sections of two structures that overlap; objects that are freed.
#[test]
fn srcu_in_the_kernels_model_and_elsewhere() {
    let globals = "struct s { int v; } a, b; struct s *gp = &a; DEFINE_SRCU(ss); DEFINE_STATIC_SRCU(other);";
    let reader = "int i = srcu_read_lock(&ss); struct s *q = srcu_dereference(gp, &ss); BUG_ON(READ_ONCE(q->v) == 7); srcu_read_unlock(&ss, i);";
    let waiting = |wait: &str| {
        kernel(globals, reader, &format!("rcu_assign_pointer(gp, &b); {wait} WRITE_ONCE(a.v, 7);"), "")
    };
    let overlapping = |first: &str, second: &str| {
        let reader = format!(
            "int i = srcu_read_lock(&ss), j = srcu_read_lock(&other); {first} struct s *q = srcu_dereference(gp, &ss);
            BUG_ON(q && q->v != 1); {second}"
        );
        kernel(
            "struct s { int v; }; struct s *gp; struct srcu_struct ss, other;",
            &reader,
            "struct s *o = gp; rcu_assign_pointer(gp, 0); synchronize_srcu(&ss); kfree(o);",
            "",
        )
        .replace(
            "int main(void) {",
            "int main(void) { struct s *f = kmalloc(sizeof(*f), GFP_KERNEL); f->v = 1; gp = f; init_srcu_struct(&ss);",
        )
    };
    let (one, both) = ("srcu_read_unlock(&ss, i);", "srcu_read_unlock(&ss, i); srcu_read_unlock(&other, j);");
    for model in ["lkmm", "sc", "tso", "rc11"] {
        assert_eq!(verdict(&waiting("synchronize_srcu(&ss);"), model), Verdict::Safe, "{model}");
        for wait in ["synchronize_srcu(&other);", "synchronize_rcu();", "smp_mb();"] {
            assert_eq!(verdict(&waiting(wait), model), Verdict::Unsafe, "{model} {wait}");
        }
        assert_eq!(verdict(&overlapping("", both), model), Verdict::Safe, "{model}");
        let safe = overlapping("srcu_read_unlock(&other, j);", one);
        assert_eq!(verdict(&safe, model), Verdict::Safe, "{model}");
        let early = overlapping(one, "srcu_read_unlock(&other, j);");
        assert_eq!(verdict(&early, model), Verdict::Unsafe, "{model}");
    }
    // A cookie is that of its section.
    let swapped = overlapping("", "srcu_read_unlock(&ss, j); srcu_read_unlock(&other, i);");
    assert_eq!(verdict(&swapped, "lkmm"), Verdict::Unsafe);
}
