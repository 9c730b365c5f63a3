//! What the details of an instruction set's events mean to a model.

use std::sync::Arc;

use litmus::diag::{Color, render_all};
use litmus::session::{Input, Session, Settings};

/// A test under a model: positive and negative executions.
fn counts(text: &str, model: Option<&str>) -> (u64, u64) {
    let input = Input::Text { name: "test".into(), text: Arc::from(text) };
    let report = Session::new(Settings::default()).run(&input, model);
    let outcome = report.answer.as_ref().and_then(|answer| answer.outcome.as_ref());
    let Some(outcome) = outcome else {
        panic!("{}", render_all(&report.diagnostics, &report.sources, Color::Never));
    };
    (outcome.positive.saturating_word(), outcome.negative.saturating_word())
}

/// Store buffering on X86_64 with something between the store and the load of each thread.
fn store_buffering(between: &str) -> (u64, u64) {
    let row = |i: &str| format!(" {} | {} ;\n", i.trim(), i.trim().replace("L0", "L1"));
    let rows: String = between.split(';').map(row).collect();
    let text = format!(
        "X86_64 SB\n{{ x=0; y=0; z=0; uint64_t 0:rbx=1; uint64_t 1:rbx=1; }}\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n\
         {rows} movl (y),%eax | movl (x),%eax ;\n L0: | L1: ;\nexists (0:rax=0 /\\ 1:rax=0)\n"
    );
    counts(&text, Some("x86tso-mixed"))
}

#[test]
fn a_jump_of_x86_orders_nothing() {
    assert_eq!(store_buffering("cmpl $0,%ebx; je L0").0, 1);
    assert_eq!(store_buffering("nop").0, 1);
    assert_eq!(store_buffering("mfence").0, 0);
}

#[test]
fn sfence_lfence_and_clflush_are_no_full_fences() {
    for weak in ["sfence", "lfence", "clflush (z)", "clflushopt (z)", "sfence; lfence"] {
        assert_eq!(store_buffering(weak).0, 1, "{weak}");
    }
    for strong in ["mfence", "xchgl %ebx,(z)", "lock addl $1,(z)"] {
        assert_eq!(store_buffering(strong).0, 0, "{strong}");
    }
}

/// Message passing on X86_64 with that writer.
fn message_passing(writer: &str) -> (u64, u64) {
    let rows: String = writer
        .split(';')
        .zip(["movl (y),%eax", "movl (x),%ebx", "nop", "nop"])
        .map(|(w, r)| format!(" {} | {r} ;\n", w.trim()))
        .collect();
    let text =
        format!("X86_64 MP\n{{ x=0; y=0; 0:rcx=1; }}\n P0 | P1 ;\n{rows}exists (1:rax=1 /\\ 1:rbx=0)\n");
    counts(&text, Some("x86tso-mixed"))
}

#[test]
fn a_non_temporal_store_is_passed_by_later_stores() {
    assert_eq!(message_passing("movl $1,(x); movl $1,(y)").0, 0);
    assert_eq!(message_passing("movnti %ecx,(x); movl $1,(y)").0, 1);
    assert_eq!(message_passing("movnti %ecx,(x); sfence; movl $1,(y)").0, 0);
    assert_eq!(message_passing("movnti %ecx,(x); mfence; movl $1,(y)").0, 0);
    assert_eq!(message_passing("movnti %ecx,(x); lfence; movl $1,(y)").0, 1);
}

/// The choice of a conditional access is no event of a model that looks at all of them, and yet a control dependency.
#[test]
fn the_choice_of_a_conditional_access_is_seen_in_ctrl_alone() {
    let text = "ARM LB\n{ 0:R1=x; 0:R2=y; 0:R4=1; 1:R1=x; 1:R2=y; 1:R4=1; }\n P0 | P1 ;\n LDR R0,[R1] | LDR R0,[R2] ;\n\
                CMP R0,#1 | CMP R0,#1 ;\n STRNE R4,[R2] | STRNE R4,[R1] ;\nexists (0:R0=0)\n";
    let with = |rule: &str| {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("m.cat");
        std::fs::write(&model, format!("\"m\"\ninclude \"cos.cat\"\n{rule}\n")).unwrap();
        counts(text, Some(&model.display().to_string()))
    };
    let all = with("");
    assert_eq!(with("empty _ \\ M as only-accesses"), all);
    assert_eq!(with("empty B as no-branches"), all);
    assert!(with("empty ctrl & (R * W) as no-control").0 < all.0);
}

#[test]
fn a_failing_compare_and_swap_may_write_back() {
    let cas = |expected: u32| {
        format!("AArch64 C\n{{ 0:X1=x; 0:X2={expected}; x=3; }}\n P0 ;\n CAS W2,W0,[X1] ;\nexists (0:X2=3)\n")
    };
    assert_eq!(counts(&cas(7), None), (2, 0));
    assert_eq!(counts(&cas(3), None), (2, 0));
    let model = |rule: &str| {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("m.cat");
        std::fs::write(&model, format!("\"m\"\ninclude \"cos.cat\"\n{rule}\n")).unwrap();
        counts(&cas(7), Some(&model.display().to_string()))
    };
    assert_eq!(model("empty W & X as no-write-back"), (1, 0));
    // The value may come from memory only: nothing hangs on the comparison but the write.
    assert_eq!(model("empty [B]; iico_ctrl; [Wreg] as memory"), (2, 0));
}

/// The halves of a compare-and-swap pair are two accesses, those of an exclusive pair are one.
#[test]
fn what_is_one_access() {
    let pair = |code: &str| {
        let text = format!("AArch64 P\n{{ uint64_t x[2]; 0:X1=x; }}\n P0 ;\n {code} ;\nexists (0:X2=0)\n");
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("m.cat");
        std::fs::write(&model, "\"m\"\ninclude \"cos.cat\"\nempty (sm \\ id) as one\n").unwrap();
        counts(&text, Some(&model.display().to_string())).0 > 0
    };
    assert!(pair("CASP X2,X3,X4,X5,[X1]"));
    assert!(pair("LDP X2,X3,[X1]"));
    assert!(!pair("LDXP X2,X3,[X1]"));
}

/// As the manual has them, where herd7 7.58 does not: see `docs/from-herd7.md`.
#[test]
fn dependencies_of_stores() {
    let exclusive = "AArch64 LB\n{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }\n P0 | P1 ;\n LDXR W9,[X2] | LDR W0,[X2] ;\n\
        LDR W0,[X1] | EOR W3,W0,W0 ;\n EOR W3,W0,W0 | ADD W3,W3,#1 ;\n ADD W3,W3,#1 | STR W3,[X1] ;\n\
        STXR W5,W3,[X2] | ;\nexists (0:X0=1 /\\ 1:X0=1)\n";
    assert_eq!(counts(exclusive, None), (0, 5));
    let post = "AArch64 MP\n{ int a[2]; 0:X1=a; 0:X3=y; 1:X1=a; 1:X3=y; }\n P0 | P1 ;\n MOV W0,#1 | LDR W2,[X3] ;\n\
        STR W0,[X1,#4] | STR W2,[X1],#4 ;\n DMB SY | LDR W4,[X1] ;\n STR W0,[X3] | ;\nexists (1:X2=1 /\\ 1:X4=0)\n";
    assert_eq!(counts(post, None), (1, 3));
}

/// Sizes of BPF decide nothing, until an access is to the inside of a cell.
#[test]
fn bpf_accesses_the_inside_of_a_cell() {
    let test = |writer: &str, read: &str, asked: &str| {
        let code = format!(" P0 | P1 ;\n {writer} | {read} ;\nexists ({asked})\n");
        counts(
            &format!("BPF parts\n{{ uint64_t x=0x1122; 0:r1=x; 0:r3=3; 1:r1=x; uint64_t 1:r2; }}\n{code}"),
            None,
        )
    };
    assert_eq!(test("*(u8 *)(r1 + 0) = 261", "r2 = *(u64 *)(r1 + 0)", "1:r2=261"), (1, 1));
    assert_eq!(test("*(u8 *)(r1 + 1) = 261", "r2 = *(u16 *)(r1 + 0)", "1:r2=1314"), (1, 1));
    assert_eq!(test("lock *(u32 *)(r1 + 4) += r3", "r2 = *(u64 *)(r1 + 0)", "1:r2=12884906274"), (1, 1));
}
