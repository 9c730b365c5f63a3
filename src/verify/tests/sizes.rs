//! Memory that is accessed in several sizes.

use super::language::alone;
use super::link::{linked_under, ran_under};
use super::{HEADERS, Verdict, answer, asked, two, verify};

const UNION: &str =
    "#include <string.h>\n#include <stdint.h>\nunion u { int i; unsigned char b[4]; unsigned short h[2]; };";

#[test]
fn parts_of_numbers() {
    for (globals, right, wrong) in [
        ("union u c;", "c.i = 258; assert(c.b[0] == 2 && c.b[1] == 1);", "c.i = 258; assert(c.b[1] == 2);"),
        ("union u c = { 258 };", "assert(c.h[0] == 258 && c.b[1] == 1);", "assert(c.b[0] == 1);"),
        (
            "",
            "union u c; c.i = -1; c.b[3] = 1; assert(c.i == 0x1ffffff);",
            "union u c; c.b[1] = 1; assert(c.i == 256);",
        ),
        (
            "",
            "int x = 258; char *p = (char *)&x; assert(p[1] == 1); p[0] = 0; assert(x == 256);",
            "int x = 258; assert(*(char *)&x == 1);",
        ),
        (
            "char room[8];",
            "*(int *)room = 258; assert(room[0] == 2);",
            "*(int *)room = 258; assert(room[1] == 2);",
        ),
        (
            "",
            "uint64_t n; uint32_t w[2] = { 1, 2 }; memcpy(&n, w, 8); assert(n == 0x200000001); memcpy(w, (char *)&n + 4, 4); assert(w[0] == 2);",
            "uint64_t n; uint32_t w[2] = { 1, 2 }; memcpy(&n, w, 8); assert(n == 0x100000002);",
        ),
    ] {
        let globals = format!("{UNION} {globals}");
        assert_eq!(alone(&globals, right), Verdict::Safe, "{right}");
        assert_eq!(alone(&globals, wrong), Verdict::Unsafe, "{wrong}");
    }
}

#[test]
fn memory_that_is_always_used_the_same_way() {
    assert_eq!(
        alone("char room[8];", "*(int *)(room + 4) = 258; assert(*(int *)(room + 4) == 258);"),
        Verdict::Safe
    );
    let cleared = "void *p = malloc(8); memset(p, 0, 8); int *q = p; assert(q[1] == 0); q[1] = 3; assert(q[1] == 3); free(p);";
    assert_eq!(alone("#include <string.h>", cleared), Verdict::Safe);
}

#[test]
fn addresses_in_pieces() {
    let body = "int x = 7; int *p = &x; unsigned char b[8]; memcpy(b, &p, 8); int *q; memcpy(&q, b, 8); assert(*q == 7 && q == p);
        struct { char tag; int *at; } s = { 1, &x }, t; memcpy(&t, &s, sizeof s); assert(*t.at == 7 && t.tag == 1);";
    assert_eq!(alone(UNION, body), Verdict::Safe);
}

/// What another thread writes in other sizes.
#[test]
fn parts_that_two_threads_know() {
    let globals = format!("{UNION} static union u c; static atomic_int full;");
    let send = "c.b[0] = 1; c.b[1] = 2; c.h[1] = 0; full = 1;";
    let receive = |wanted: u32| format!("if (full) assert(c.i == {wanted});");
    for model in ["sc", "tso", "rc11"] {
        assert_eq!(verify(&two(&globals, send, &receive(0x201), ""), model, None).0, Verdict::Safe);
        assert_eq!(verify(&two(&globals, send, &receive(0x102), ""), model, None).0, Verdict::Unsafe);
    }
    // Neighbours are no race, one byte for two is.
    let (first, second) = ("c.b[0] = 1;", "c.b[1] = 2;");
    assert_eq!(verify(&two(&globals, first, second, "assert(c.i == 0x201);"), "rc11", None).0, Verdict::Safe);
    assert_eq!(verify(&two(&globals, first, "c.h[0] = 2;", ""), "rc11", None).0, Verdict::Unsafe);
}

const PAIR: &str = "struct pair { int a, b; }; struct top { void *at; unsigned long n; };";

#[test]
fn atomic_structures() {
    let globals = format!("{PAIR} static _Atomic struct pair head = {{ 1, 1 }};");
    let write = "struct pair x = { 2, 2 }; atomic_store(&head, x);";
    let read = "struct pair q = atomic_load(&head); assert(q.a == q.b);";
    assert_eq!(verify(&two(&globals, write, read, ""), "rc11", None), (Verdict::Safe, 2, 0));
    let read = "struct pair q = head; assert(q.a == 1 || q.b == 2); head = (struct pair){ 3, 3 };";
    assert_eq!(verify(&two(&globals, write, read, ""), "rc11", None).0, Verdict::Safe);
    let swap = "struct pair e = { 1, 1 }, d = { 5, 6 }; if (!atomic_compare_exchange_strong(&head, &e, d)) assert(e.a == 2 && e.b == 2);";
    assert_eq!(verify(&two(&globals, write, swap, ""), "rc11", None), (Verdict::Safe, 2, 0));
    let swap =
        "struct pair e = { 1, 1 }, d = { 5, 6 }; assert(atomic_compare_exchange_strong(&head, &e, d));";
    assert_eq!(verify(&two(&globals, write, swap, ""), "rc11", None).0, Verdict::Unsafe);
}

/// The head of a stack with a number: 16 bytes, with members that are looked at by themselves.
#[test]
fn a_pointer_and_a_number_at_once() {
    let globals = format!("{PAIR} static struct top head; static int x;");
    let write = "struct top t = { &x, 1 }; __atomic_store(&head, &t, __ATOMIC_RELEASE);";
    let read = "struct top q; __atomic_load(&head, &q, __ATOMIC_ACQUIRE); assert((q.at == 0) == (q.n == 0));";
    let end = "assert(head.n == 1 && head.at == &x); head.n = 4; struct top e = { &x, 4 }, d = { 0, 2 };
        assert(__atomic_compare_exchange(&head, &e, &d, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)); assert(!head.at && head.n == 2);";
    assert_eq!(verify(&two(&globals, write, read, end), "rc11", None), (Verdict::Safe, 2, 0));
    let torn = "struct top q; q.at = head.at; q.n = head.n; assert((q.at == 0) == (q.n == 0));";
    assert_eq!(verify(&two(&globals, write, torn, ""), "rc11", None).0, Verdict::Unsafe);
}

/// A word and its halves, all of them atomic.
const HALVES: &str = "#include <stdint.h>\nstatic union { _Atomic uint64_t all; struct { _Atomic uint32_t lock, n; } half; } w;";

#[test]
fn atomic_loads_of_a_part() {
    let count = "uint64_t old = atomic_load(&w.all); while (!atomic_compare_exchange_strong(&w.all, &old, old + (1ull << 32))) ;";
    let look = |wanted: &str| {
        format!("uint32_t n = atomic_load_explicit(&w.half.n, memory_order_acquire); assert(n {wanted});")
    };
    for model in ["sc", "tso", "rc11", "aarch64", "riscv"] {
        let end = "assert(atomic_load(&w.half.n) == 1 && atomic_load(&w.half.lock) == 0);";
        assert_eq!(verify(&two(HALVES, count, &look("<= 1"), end), model, None).0, Verdict::Safe, "{model}");
        assert_eq!(verify(&two(HALVES, count, &look("== 0"), ""), model, None).0, Verdict::Unsafe, "{model}");
    }
    // It synchronises as the whole does.
    let globals = format!("{HALVES} static int data;");
    let send = "data = 1; atomic_store_explicit(&w.all, 1ull << 32, memory_order_release);";
    let receive = "if (atomic_load_explicit(&w.half.n, memory_order_acquire)) assert(data == 1);";
    assert_eq!(verify(&two(&globals, send, receive, ""), "rc11", None).0, Verdict::Safe);
    let broken = receive.replace("acquire", "relaxed");
    assert_eq!(verify(&two(&globals, send, &broken, ""), "rc11", None).0, Verdict::Unsafe);
}

/// Bytes of a word that others update as a whole, stored plainly: the update would be lost in between.
#[test]
fn plain_stores_to_a_part_of_what_is_updated() {
    let globals = "union { _Atomic unsigned w; unsigned char b[4]; } u;";
    let text = |second: &str, end: &str| two(globals, "u.b[0] = 1;", second, end);
    let torn = text("atomic_fetch_add(&u.w, 0x100);", "assert(u.w == 0x101);");
    for model in ["sc", "tso", "aarch64"] {
        let [Err(said)] = &ran_under(model, false, &[("main.c", &torn)])[..] else { panic!("{model}") };
        assert!(said.contains("error[c::mixed-size]") && said.contains("this update"), "{said}");
    }
    for model in ["sc", "rc11"] {
        assert_eq!(ran_under(model, true, &[("main.c", &torn)]), [Ok(Verdict::Unsafe)], "{model}");
    }
    // Bytes that nobody takes as a whole at the same time.
    let apart = text("u.b[1] = 1;", "assert(u.w == 0x101);").replace("_Atomic ", "");
    assert_eq!(ran_under("tso", false, &[("main.c", &apart)]), [Ok(Verdict::Safe)]);
}

#[test]
fn atomic_updates_of_a_part() {
    let (count, flag) = ("atomic_fetch_add(&w.half.n, 2);", "atomic_exchange(&w.half.lock, 7);");
    let whole = "uint64_t old = atomic_fetch_add(&w.all, 1ull << 32); assert((uint32_t)old == 0);";
    for model in ["sc", "tso", "pso"] {
        let end = "assert(w.all == 0x300000000ull && w.half.n == 3);";
        assert_eq!(verify(&two(HALVES, count, whole, end), model, None).0, Verdict::Safe, "{model}");
        assert_eq!(verify(&two(HALVES, flag, whole, ""), model, None).0, Verdict::Unsafe, "{model}");
        let end = "assert(w.all == 0x200000007ull);";
        let stores = "atomic_store(&w.half.lock, 7);";
        let looks = "atomic_load(&w.all); atomic_fetch_add(&w.half.n, 2);";
        assert_eq!(verify(&two(HALVES, stores, looks, end), model, None).0, Verdict::Safe, "{model}");
    }
    // The kernel's way: a copy of the word is changed in one of its halves.
    let copied = "#include <stdint.h>\nstruct ref { union { _Atomic(int64_t) both; struct { _Atomic(int32_t) lock, n; }; }; }; static struct ref r;";
    let get = "struct ref old; old.both = atomic_load(&r.both);
        while (old.lock == 0) { struct ref new = old; new.n++; if (atomic_compare_exchange_strong(&r.both, (int64_t *)&old.both, new.both)) break; }";
    assert_eq!(
        verify(&two(copied, get, get, "assert(r.n == 2 && r.lock == 0);"), "sc", None).0,
        Verdict::Safe
    );
    assert_eq!(verify(&two(copied, get, get, "assert(r.n == 1);"), "sc", None).0, Verdict::Unsafe);
    for model in ["rc11", "aarch64"] {
        let found = linked_under(model, &[("main.c", &two(HALVES, count, whole, ""))]);
        assert!(matches!(&found[..], [Err(said)] if said.contains("atomic update of 4 bytes")), "{found:?}");
    }
}

#[test]
fn atomic_accesses_of_two_sizes_are_refused() {
    let globals = format!("{UNION} static union u c;");
    let first = "__atomic_store_n(&c.i, 1, __ATOMIC_RELAXED);";
    let second = "__atomic_store_n(&c.b[0], 2, __ATOMIC_RELAXED);";
    let [Err(said)] = &linked_under("rc11", &[("main.c", &two(&globals, first, second, ""))])[..] else {
        panic!("no model that we have says what this does");
    };
    assert!(said.contains("error[c::mixed-size]") && said.contains("of 1 byte, part of 4 bytes"), "{said}");
    // Neither is part of the other.
    let (first_half, between) =
        ("__atomic_store_n((int *)room, 1, 0);", "__atomic_store_n((int *)(room + 2), 1, 0);");
    let (answer, said) = asked(&two("static char room[8];", first_half, between, ""), "rc11", None);
    assert_eq!(answer.verdict, Verdict::Unknown);
    assert!(said.contains("error[grow::mixed-size]") && said.contains("several sizes"), "{said}");
    let text = format!("{HEADERS}{globals}int main(void) {{ {first} assert(c.b[0] == 1); return 0; }}");
    assert_eq!(verify(&text, "rc11", None).0, Verdict::Safe);
}

#[test]
fn every_violation_of_memory_that_has_to_be_made_again() {
    let text = two(
        "union { unsigned word; unsigned char byte[4]; } u; atomic_int x;",
        "x = 1;",
        "if (x == 0) { assert(x == 1); return 0; } u.word = 0x01020304; if (u.byte[0] == 4) assert(x == 2);",
        "",
    );
    let answer = answer(&text, "sc", None);
    let found: Vec<String> = answer.violations.iter().map(|v| v.property.to_string()).collect();
    assert_eq!(found.len(), 2, "{found:?}");
}
