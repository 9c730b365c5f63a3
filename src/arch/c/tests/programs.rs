//! What statements become.

use super::{DEF, check, check_body, translate};
use crate::arch::c::KernelVersion;

#[test]
fn kernel_accesses_expand_to_marked_events() {
    insta::assert_snapshot!(check("
        P0(int *x, int *y) { WRITE_ONCE(*x, 1); smp_mb(); smp_store_release(y, 1); }
        P1(int *x, int *y) { int r0 = smp_load_acquire(y); int r1; r1 = READ_ONCE(*x) + r0; }
    "), @r"
    P0
     0: t0 = &x; t1 = 1; W[t0]{ONCE,NA}=t1
     1: F{MB,NA}
     2: t0 = &y; t1 = 1; W[t0]{RELEASE,NA}=t1
    P1
     0: t0 = &y; t1 = R[t0]{ACQUIRE,NA}; r0 := t1
     1: t0 = &x; t1 = R[t0]{ONCE,NA}; t2 = r0; t3 = t1 + t2; t4 = SignExtend(32) t3; r1 := t4
    ");
}

#[test]
fn c11_accesses_carry_their_memory_order() {
    insta::assert_snapshot!(check("
        P0(atomic_int *x, int *y) {
            *y = 1;
            atomic_store_explicit(x, 1, memory_order_release);
            atomic_thread_fence(memory_order_seq_cst);
            int r0 = atomic_load(x);
            atomic_fetch_add_explicit(x, r0, memory_order_relaxed);
            int r1 = atomic_exchange(x, 3);
        }
    "), @r"
    P0
     0: t0 = &y; t1 = 1; W[t0]{NA}=t1
     1: t0 = &x; t1 = 1; W[t0]{REL,A}=t1
     2: F{SC,NA}
     3: t0 = &x; t1 = R[t0]{SC,A}; r0 := t1
     4: t0 = &x; t1 = r0; t2 = RMW[t0]{RLX,A,RMW}(t3 = t2 + t1; t4 = SignExtend(32) t3; t4)
     5: t0 = &x; t1 = 3; t2 = RMW[t0]{SC,A,RMW}(t1); r1 := t2
    ");
}

#[test]
fn compare_exchange_reads_what_it_expects_from_memory() {
    insta::assert_snapshot!(check("
        P0(atomic_int *x) {
            int e = 1;
            int r0 = atomic_compare_exchange_strong_explicit(x, &e, 2, memory_order_acq_rel, memory_order_relaxed);
            int r1 = atomic_compare_exchange_weak(x, &e, 3);
        }
    "), @r"
    P0
     0: t0 = &0:e; t1 = &x; t2 = R[t0]{NA}; choice { t4 = 2; t5 = RMW[t1]{ACQ_REL,A,RMW}(t4) ctrl(t2); t6 = t5 == t2; assume t6; t7 = 1; t3 = t7 from(t5) } or { t8 = R[t1]{RLX,A} ctrl(t2); t9 = t8 != t2; assume t9; W[t0]{NA}=t8 ctrl(t8); t10 = 0; t3 = t10 from(t8) }; r0 := t3
     1: t0 = &0:e; t1 = &x; t2 = R[t0]{NA}; choice { t4 = 3; t5 = RMW[t1]{SC,A,RMW}(t4) ctrl(t2); t6 = t5 == t2; assume t6; t7 = 1; t3 = t7 from(t5) } or { t8 = R[t1]{SC,A} ctrl(t2); W[t0]{NA}=t8 ctrl(t8); t9 = 0; t3 = t9 from(t8) }; r1 := t3
    ");
}

#[test]
fn only_the_branches_of_if_are_under_its_control() {
    insta::assert_snapshot!(check_body("
        int r0 = READ_ONCE(*x);
        if (r0 == 1) { WRITE_ONCE(*y, 1); } else WRITE_ONCE(*y, 2);
        if (READ_ONCE(*y)) smp_mb();
        WRITE_ONCE(*x, 3);
    "), @r"
    P0
     0: t0 = &x; t1 = R[t0]{ONCE,NA}; r0 := t1
     1: save 1; cond(; t0 = r0; t1 = 1; t2 = t0 == t1; ); if t2 {  } else { goto 4 }
     2: t0 = &y; t1 = 1; W[t0]{ONCE,NA}=t1
     3: goto 5
     4: t0 = &y; t1 = 2; W[t0]{ONCE,NA}=t1
     5: restore 1
     6: save 2; cond(; t0 = &y; t1 = R[t0]{ONCE,NA}; ); if t1 {  } else { goto 8 }
     7: F{MB,NA}
     8: restore 2
     9: t0 = &x; t1 = 3; W[t0]{ONCE,NA}=t1
    ");
}

#[test]
fn what_a_jump_skips_is_under_its_condition_up_to_the_label() {
    insta::assert_snapshot!(check_body("
        int r0 = READ_ONCE(*x);
        if (r0) goto out;
        WRITE_ONCE(*y, 1);
        out: WRITE_ONCE(*y, 2);
    "), @r"
    P0
     0: save 1
     1: t0 = &x; t1 = R[t0]{ONCE,NA}; r0 := t1
     2: save 2; cond(; t0 = r0; ); if t0 {  } else { goto 4 }
     3: jump 6
     4: nop
     5: t0 = &y; t1 = 1; W[t0]{ONCE,NA}=t1
     6: restore 1
     7: t0 = &y; t1 = 2; W[t0]{ONCE,NA}=t1
    ");
}

#[test]
fn loops() {
    insta::assert_snapshot!(check_body("
        while (READ_ONCE(*x) == 0) smp_mb();
        for (int i = 0; i < 2; i++) { if (i) continue; WRITE_ONCE(*y, i); }
        do { smp_mb(); break; } while (1);
        do { smp_mb(); } while (0);
    "), @r"
    P0
     0: enter 1; save 2
     1: cond(; t0 = &x; t1 = R[t0]{ONCE,NA}; t2 = 0; t3 = t1 == t2; ); if t3 {  } else { goto 5 }
     2: loop 1
     3: F{MB,NA}
     4: goto 1
     5: restore 2
     6: t0 = 0; i := t0
     7: enter 3; save 4
     8: cond(; t0 = i; t1 = 2; t2 = t0 < t1; ); if t2 { loop 3 } else { goto 15 }
     9: save 5; cond(; t0 = i; ); if t0 {  } else { goto 11 }
     10: goto 13
     11: nop
     12: t0 = &y; t1 = i; W[t0]{ONCE,NA}=t1
     13: t0 = i; t1 = 1; t2 = t0 + t1; t3 = SignExtend(32) t2; i := t3
     14: goto 8
     15: restore 4
     16: enter 6; save 7
     17: F{MB,NA}
     18: goto 20
     19: cond(; t0 = 1; ); loop 6; if t0 { goto 17 } else {  }
     20: restore 7
     21: enter 8; save 9
     22: F{MB,NA}
     23: restore 9
    ");
}

#[test]
fn switch_compares_and_falls_through() {
    insta::assert_snapshot!(check_body("
        switch (READ_ONCE(*x)) {
        case 1: WRITE_ONCE(*y, 1);
        case 2: WRITE_ONCE(*y, 2); break;
        default: smp_mb();
        }
    "), @r"
    P0
     0: save 1; cond(; t0 = &x; t1 = R[t0]{ONCE,NA}; ); t4 = 1; t5 = t1 == t4; if t5 { goto 1 } else { t2 = 2; t3 = t1 == t2; if t3 { goto 2 } else { goto 4 } }
     1: t0 = &y; t1 = 1; W[t0]{ONCE,NA}=t1
     2: t0 = &y; t1 = 2; W[t0]{ONCE,NA}=t1
     3: goto 5
     4: F{MB,NA}
     5: restore 1
    ");
}

#[test]
fn backward_jumps_count() {
    insta::assert_snapshot!(check_body("again: if (!READ_ONCE(*x)) goto again; WRITE_ONCE(*y, 1);"), @r"
    P0
     0: save 1
     1: restore 1
     2: save 2; cond(; t0 = &x; t1 = R[t0]{ONCE,NA}; t2 = IsZero t1; ); if t2 {  } else { goto 4 }
     3: jump 1
     4: nop
     5: t0 = &y; t1 = 1; W[t0]{ONCE,NA}=t1
    ");
}

#[test]
fn read_modify_writes_of_the_kernel() {
    insta::assert_snapshot!(check("
        P0(atomic_t *x) {
            int r0 = xchg(x, 2);
            r0 = cmpxchg(x, r0, 3);
            atomic_inc(x);
            r0 = atomic_add_return(2, x);
            r0 = atomic_fetch_andnot(1, x);
            r0 = atomic_add_unless(x, 1, 0);
        }
    "), @r"
    P0
     0: t0 = &x; t1 = 2; t2 = R[t0]{MB,NA,RMW}; W[t0]{MB,NA,RMW}=t1 ctrl(t2) as t3; r0 := t2
     1: t0 = &x; t1 = r0; choice { t3 = 3; t4 = R[t0]{MB,NA,RMW}; t5 = t4 == t1; assume t5; W[t0]{MB,NA,RMW}=t3 ctrl(t1,t4) as t6; t2 = t4 from() } or { t7 = R[t0]{MB,NA,RMW}; t8 = t7 != t1; assume t8; t2 = t7 from() }; r0 := t2
     2: t0 = 1; t1 = &x; t2 = R[t1]{NORETURN,NA,RMW}; t3 = t2 + t0; t4 = SignExtend(32) t3; W[t1]{NORETURN,NA,RMW}=t4 as t5
     3: t0 = 2; t1 = &x; t2 = R[t1]{MB,NA,RMW}; t3 = t2 + t0; t4 = SignExtend(32) t3; W[t1]{MB,NA,RMW}=t4 as t5; r0 := t4
     4: t0 = 1; t1 = &x; t2 = R[t1]{MB,NA,RMW}; t3 = t2 AndNot t0; W[t1]{MB,NA,RMW}=t3 as t4; t5 = t2 from(t0); r0 := t5
     5: t0 = &x; t1 = 0; choice { t3 = 1; t4 = R[t0]{MB,NA,RMW}; t5 = t4 != t1; assume t5; t6 = t4 + t3; t7 = SignExtend(32) t6; W[t0]{MB,NA,RMW}=t7 ctrl(t1) as t8; t9 = 1; t2 = t9 from(t4,t1) } or { t10 = R[t0]{MB,NA,RMW}; t11 = t10 == t1; assume t11; t12 = 0; t2 = t12 from(t10,t1) }; r0 := t2
    ");
}

#[test]
fn the_older_kernel_model_puts_fences_around() {
    let text =
        "P0(atomic_t *x) { int r0 = __xchg{mb}(x, 2); r0 = __xchg{acquire}(x, 1); __atomic_op(x,+,1); }";
    let checked = translate(text, Some(DEF), KernelVersion::V1);
    let program = checked.program.as_ref().map(super::printer::program).unwrap_or_default();
    insta::assert_snapshot!(program, @r"
    P0
     0: t0 = &x; t1 = 2; F{Mb,NA} as t2; t3 = R[t0]{Once,NA,RMW} order(t2); W[t0]{Once,NA,RMW}=t1 ctrl(t3) as t4; F{Mb,NA} order(t3,t4) as t5; r0 := t3
     1: t0 = &x; t1 = 1; t2 = R[t0]{Acquire,NA,RMW}; W[t0]{Once,NA,RMW}=t1 ctrl(t2) as t3; r0 := t2
     2: t0 = 1; t1 = &x; t2 = R[t1]{Noreturn,NA,RMW}; t3 = t2 + t0; t4 = SignExtend(32) t3; W[t1]{Once,NA,RMW}=t4 as t5
    ");
}

#[test]
fn locks() {
    insta::assert_snapshot!(check("
        P0(spinlock_t *l, struct srcu_struct *s) {
            spin_lock(l);
            spin_unlock(l);
            int r0 = spin_trylock(l);
            int r1 = spin_is_locked(l);
            synchronize_srcu(s);
        }
    "), @r"
    P0
     0: t0 = &l; E[t0]{LK,LKR,NA} as t1; E[t0]{LK,LKW,NA} ctrl(t1)
     1: t0 = &l; E[t0]{UL,NA}
     2: t0 = &l; choice { E[t0]{LK,LKR,NA} as t2; E[t0]{LK,LKW,NA} ctrl(t2); t1 = 1 } or { E[t0]{LF,NA} as t3; t4 = 0; t1 = t4 from(t3) }; r0 := t1
     3: t0 = &l; choice { E[t0]{RL,NA} as t2; t3 = 1; t1 = t3 from(t2) } or { E[t0]{RU,NA} as t4; t5 = 0; t1 = t5 from(t4) }; r1 := t1
     4: t0 = &s; E[t0]{Sync-srcu,NA} as t1
    ");
}

#[test]
fn helper_functions_are_inlined() {
    insta::assert_snapshot!(check("
        #define FLAG 1
        #define PUBLISH(p, v) smp_store_release(p, v)
        static int wait_for(int *p) { while (READ_ONCE(*p) != FLAG) ; return READ_ONCE(*p); }
        void publish(int *p, int v) { PUBLISH(p, v); }
        P0(int *x, int *y) { publish(x, FLAG + 1); int r0 = wait_for(y) + 2; }
    "), @r"
    P0
     0: t0 = 1; t1 = 1; t2 = t0 + t1; t3 = SignExtend(32) t2; P0.publish.v#2 := t3
     1: t0 = &x; t1 = P0.publish.v#2; W[t0]{RELEASE,NA}=t1
     2: enter 5; save 6
     3: cond(; t0 = &y; t1 = R[t0]{ONCE,NA}; t2 = 1; t3 = t1 != t2; ); if t3 {  } else { goto 6 }
     4: loop 5
     5: goto 3
     6: restore 6
     7: t0 = &y; t1 = R[t0]{ONCE,NA}; P0.wait_for#4 := t1
     8: goto 9
     9: t0 = P0.wait_for#4; t1 = 2; t2 = t0 + t1; t3 = SignExtend(32) t2; r0 := t3
    ");
}

#[test]
fn calls_in_one_branch_of_an_expression_become_an_if() {
    insta::assert_snapshot!(check("
        int get(int *p) { return READ_ONCE(*p); }
        P0(int *x, int *y) { int r0 = READ_ONCE(*x) && get(y); }
    "), @r"
    P0
     0: t0 = &x; t1 = R[t0]{ONCE,NA}; t2 = IsZero t1; t3 = IsZero t2; P0.logical#1 := t3
     1: save 2; cond(; t0 = P0.logical#1; ); if t0 {  } else { goto 5 }
     2: t0 = &y; t1 = R[t0]{ONCE,NA}; P0.get#4 := t1
     3: goto 4
     4: t0 = P0.get#4; t1 = IsZero t0; t2 = IsZero t1; P0.logical#1 := t2
     5: restore 2
     6: t0 = P0.logical#1; r0 := t0
    ");
}

#[test]
fn short_circuit_is_a_choice_inside_the_statement() {
    insta::assert_snapshot!(check_body("
        int r0 = READ_ONCE(*x) || READ_ONCE(*y);
        int r1 = r0 && r0 < 3;
        int r2 = r0 ? READ_ONCE(*y) : 7;
    "), @"
    P0
     0: save 1; cond(; t1 = &x; t2 = R[t1]{ONCE,NA}; ); if t2 { t3 = 1; t0 = t3 from(t2) } else { t4 = &y; t5 = R[t4]{ONCE,NA}; t6 = 0; t7 = t5 != t6; t0 = t7 from(t2) }; restore 1; r0 := t0
     1: t0 = r0; ReadRegWith { dst: Tmp(1), reg: Reg(2), port: Data, extra: Extra { ctrl: [], order: [], data: [], done: None } }; t2 = 3; t3 = t1 < t2; t4 = 0; t5 = t0 != t4; t6 = 0; t7 = t3 != t6; t8 = t5 & t7; r1 := t8
     2: save 2; cond(; t1 = r0; ); if t1 { t2 = &y; t3 = R[t2]{ONCE,NA}; t0 = t3 from(t1) } else { t4 = 7; t0 = t4 from(t1) }; restore 2; r2 := t0
    ");
}

#[test]
fn globals_locals_in_memory_and_arrays() {
    let checked = translate(
        "int g = 3; int v[2] = {1, 2};
         P0(int *x) { int a[2] = {5}; int b; int *p = &b; *p = g; a[1] = v[*x]; b++; preset = 1; }",
        Some(DEF),
        KernelVersion::V2,
    );
    let program = checked.program.as_ref().map(super::printer::program).unwrap_or_default();
    let globals: Vec<String> = checked
        .lowered
        .iter()
        .flat_map(|lowered| &lowered.globals)
        .map(|g| format!("{} {:?} {:?} {:?}", g.name, g.elements, g.init, g.origin))
        .collect();
    insta::assert_snapshot!(format!("{}{program}{}", checked.report, globals.join("\n")), @r#"
    P0
     0: t0 = &0:b; p := t0
     1: t0 = p; t1 = &g; t2 = R[t1]{NA}; W[t0]{NA}=t2
     2: t0 = &0:a; t1 = 1; t2 = 4; t3 = t1 * t2; t4 = t0 + t3; t5 = &v; t6 = &x; t7 = R[t6]{NA}; t8 = 4; t9 = t7 * t8; t10 = t5 + t9; t11 = R[t10]{NA}; W[t4]{NA}=t11
     3: t0 = &0:b; t1 = R[t0]{NA}; t2 = 1; t3 = t1 + t2; t4 = SignExtend(32) t3; W[t0]{NA}=t4
     4: t0 = 1; preset := t0
    g None [Int(3)] Declared
    v Some(2) [Int(1), Int(2)] Declared
    x None [] Parameter
    0:a Some(2) [Int(5)] Local { thread: 0, name: "a" }
    0:b None [] Local { thread: 0, name: "b" }
    "#);
}

#[test]
fn the_text_that_herd7_hashes() {
    let checked = translate(
        "P0 (atomic_int* x, volatile int *y) {\n  *y = 1; // why\n}\nvoid P1(int **p, const int *q){ smp_mb(); }\nregions: x: PROP",
        Some(DEF),
        KernelVersion::V2,
    );
    let lowered = checked.lowered.expect("a right test");
    insta::assert_snapshot!(lowered.hash_cells.join("|"), @r"
    P0(_Atomic int* x, volatile int* y) {

      *y = 1; // why

    }
    |P1(int** p, int const* q) {
     smp_mb(); 
    }
    ");
}
