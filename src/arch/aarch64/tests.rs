//! Canonical text and diagnostics.

use super::AArch64;
use crate::arch::testing::{canonical, refused};

fn text(cell: &str) -> String {
    canonical(&AArch64, cell)
}

#[test]
fn instructions_print_as_herd7_prints_them() {
    assert_eq!(text("mov w0, #1"), "MOV W0,#1");
    assert_eq!(text("LDR x1,[LR,#0]"), "LDR X1,[X30]");
    assert_eq!(text("LDR W1,[X2, w3, sxtw]"), "LDR W1,[X2,W3,SXTW]");
    assert_eq!(text("LDR W1,[X2,X3,LSL #2]"), "LDR W1,[X2,X3,LSL #2]");
    assert_eq!(text("LDR W1,[X2],#4"), "LDR W1,[X2],#4");
    assert_eq!(text("LDP W1,W3,[X2],#8"), "LDP W1,W3,[X2],#8");
    assert_eq!(text("STR W1,[X2,#-4]!"), "STR W1,[X2,#-4]!");
    assert_eq!(text("LDUR W1,[X2,#4]"), "LDUR W1,[X2,#4]");
    assert_eq!(text("NEG W0,W1"), "SUB W0,WZR,W1");
    assert_eq!(text("SUBS WZR,W1,W2"), "CMP W1,W2");
    assert_eq!(text("CSINC W0,WZR,WZR,EQ"), "CSET W0,NE");
    assert_eq!(text("ADR X0,L0"), "ADR X0,L0");
    assert_eq!(text("LDXP X0,X1,[X2]"), "LDXP X0,X1,[X2]");
    assert_eq!(text("B.HS L0"), "B.CS L0");
    assert_eq!(text("B .+4"), "B .+4");
    assert_eq!(text("ADD X0,X1,W2,SXTW #2"), "ADD X0,X1,W2,SXTW #2");
    assert_eq!(text("LDADDALH W0,WZR,[X1]"), "LDADDALH W0,WZR,[X1]");
    assert_eq!(text("DMB ishld"), "DMB ISHLD");
    assert_eq!(text("MADD W0,W1,W2,WZR"), "MUL W0,W1,W2");
    assert_eq!(text("MOVZ W0,#42,LSL #16"), "MOVZ W0,#42,LSL #16");
    assert_eq!(text("ADD X0,X0,X1,LSR #0"), "ADD X0,X0,X1");
    assert_eq!(text("LDR W1,[X2,X3,LSL]"), "LDR W1,[X2,X3]");
    assert_eq!(text("STLR X1,[X2,#-8]!"), "STLR X1,[X2,#-8]!");
    assert_eq!(text("HINT #3"), "NOP");
    assert_eq!(text("HLT #1"), "NOP");
    assert_eq!(text("bti c"), "BTI C");
    assert_eq!(text("CLREX"), "CLREX");
    assert_eq!(text("MRS X0,ctr_el0"), "MRS X0,CTR_EL0");
    assert_eq!(text("ADD X0,X1,#4096"), "ADD X0,X1,#4096");
}

#[test]
fn conditions_on_predicates_are_conditions() {
    let spellings = ["NONE", "ANY", "NLAST", "LAST", "FIRST", "NFIRST", "PLAST", "TCONT", "TSTOP"]
        .map(|c| format!("B.{c} L0"));
    let shown: Vec<String> = spellings.iter().map(|cell| text(cell)).collect();
    assert_eq!(shown.join("; "), {
        "B.EQ L0; B.NE L0; B.CS L0; B.CC L0; B.MI L0; B.PL L0; B.LS L0; B.GE L0; B.LT L0"
    });
}

#[test]
fn what_is_not_handled_is_named() {
    insta::assert_snapshot!(refused(&AArch64, "LDLAR W0,[X1]"), @r"
    error[arch::unsupported-instruction]: `LDLAR` belongs to limited ordering regions, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ LDLAR W0,[X1]
      │ ^^^^^ no answer can be given for this test
    ");
    insta::assert_snapshot!(refused(&AArch64, "SWPPAL X0,X1,[X2]"), @r"
    error[arch::unsupported-instruction]: `SWPPAL` belongs to atomics of 128 bits, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ SWPPAL X0,X1,[X2]
      │ ^^^^^^ no answer can be given for this test
    ");
    insta::assert_snapshot!(refused(&AArch64, "MRS X0,SCTLR_EL1"), @r"
    error[arch::unsupported-register]: system register `SCTLR_EL1` is not handled
      ┌─ test.litmus:1:8
      │
    1 │ MRS X0,SCTLR_EL1
      │        ^^^^^^^^^ what it does is not known here
      │
      = help: the ones that are: NZCV, VNCR_EL2, ELR_EL1, ESR_EL1, PAR_EL1, TFSR_ELx, GCSPR_EL1, CTR_EL0, DCIZ_EL0, MDCCSR_EL0, DBGDTR_EL0, DBGDTRRX_EL0, DBGDTRTX_EL0, TPIDR_EL0, TPIDRRO_EL0
    ");
    insta::assert_snapshot!(refused(&AArch64, "BTI X0"), @r"
    error[arch::bad-operand]: `BTI` does not take this operand
      ┌─ test.litmus:1:5
      │
    1 │ BTI X0
      │     ^^ one too many
    ");
    insta::assert_snapshot!(refused(&AArch64, "ADD X0,X1,#4097"), @r"
    error[arch::out-of-range]: immediate 4097 is out of range
      ┌─ test.litmus:1:11
      │
    1 │ ADD X0,X1,#4097
      │           ^^^^^ allowed here: -4095 to 4095
    ");
}

#[test]
fn unknown_instructions_get_a_suggestion() {
    insta::assert_snapshot!(refused(&AArch64, "STXPR W0,W1,[X2]"), @r"
    error[arch::unknown-instruction]: unknown AArch64 instruction `STXPR`
      ┌─ test.litmus:1:1
      │
    1 │ STXPR W0,W1,[X2]
      │ ^^^^^ not an instruction that this tool knows
      │
      = help: did you mean `STXP`?
    ");
    insta::assert_snapshot!(refused(&AArch64, "STG X0,[X1]"), @r"
    error[arch::unsupported-instruction]: `STG` needs memory tags: --variant memtag
      ┌─ test.litmus:1:1
      │
    1 │ STG X0,[X1]
      │ ^^^ there are none without it
    ");
    insta::assert_snapshot!(refused(&AArch64, "LDR Q0,[X1]"), @r"
    error[arch::unsupported-instruction]: `Q0` belongs to Advanced SIMD (-variant neon), and is not supported
      ┌─ test.litmus:1:5
      │
    1 │ LDR Q0,[X1]
      │     ^^ no answer can be given for this test
    ");
    insta::assert_snapshot!(refused(&AArch64, "PACDA X0,X1"), @"
    error[arch::unsupported-instruction]: `PACDA` needs pointer authentication: --variant pauth1 or pauth2
      ┌─ test.litmus:1:1
      │
    1 │ PACDA X0,X1
      │ ^^^^^ there are none without it
    ");
}

#[test]
fn operands_are_checked() {
    insta::assert_snapshot!(refused(&AArch64, "LDR W0,[X1,#5000000]"), @r"
    error[arch::out-of-range]: immediate 5000000 is out of range
      ┌─ test.litmus:1:8
      │
    1 │ LDR W0,[X1,#5000000]
      │        ^^^^^^^^^^^^^ allowed here: -256 to 16380
    ");
    insta::assert_snapshot!(refused(&AArch64, "MOV W31,#1"), @r"
    error[arch::unknown-register]: `W31` is not a register of AArch64
      ┌─ test.litmus:1:5
      │
    1 │ MOV W31,#1
      │     ^^^ expected a register
    ");
    insta::assert_snapshot!(refused(&AArch64, "STLR W0,[X1,#4]"), @r"
    error[arch::bad-operand]: `STLR` takes an address of the form `[Xn]` or `[Xn,#-4]!`
      ┌─ test.litmus:1:9
      │
    1 │ STLR W0,[X1,#4]
      │         ^^^^^^^ this address
    ");
    insta::assert_snapshot!(refused(&AArch64, "ADD X0,X1,W2"), @r"
    error[arch::bad-operand]: `W2` is not as wide as the other registers
      ┌─ test.litmus:1:11
      │
    1 │ ADD X0,X1,W2
      │           ^^ wrong width
      │
      = help: extend it: `,SXTW` or `,UXTW`
    ");
    insta::assert_snapshot!(refused(&AArch64, "DMB"), @r"
    error[arch::bad-operand]: `DMB` needs one more operand: what the barrier orders, such as `SY`
      ┌─ test.litmus:1:4
      │
    1 │ DMB
      │    ^ missing
    ");
    insta::assert_snapshot!(refused(&AArch64, "DMB FULL"), @r"
    error[arch::bad-operand]: expected a barrier option
      ┌─ test.litmus:1:5
      │
    1 │ DMB FULL
      │     ^^^^ not a barrier option
      │
      = help: the options are SY, LD, ST, OSH, OSHLD, OSHST, ISH, ISHLD, ISHST, NSH, NSHLD, NSHST
    ");
    insta::assert_snapshot!(refused(&AArch64, "CBNZ W0,L1"), @r"
    error[arch::unknown-label]: thread P0 has no label `L1`
      ┌─ test.litmus:1:9
      │
    1 │ CBNZ W0,L1
      │         ^^ branches only go to labels of their own thread
      │
      = help: did you mean `L0`?
    ");
    insta::assert_snapshot!(refused(&AArch64, "LDR W0"), @r"
    error[arch::bad-operand]: `LDR` needs one more operand: an address, such as `[X1]`
      ┌─ test.litmus:1:7
      │
    1 │ LDR W0
      │       ^ missing
    ");
    insta::assert_snapshot!(refused(&AArch64, "LDR W0,[W1]"), @r"
    error[arch::bad-operand]: `W1` cannot hold an address
      ┌─ test.litmus:1:9
      │
    1 │ LDR W0,[W1]
      │         ^^ expected an X register or SP
    ");
    insta::assert_snapshot!(refused(&AArch64, "ISB ISH"), @r"
    error[arch::bad-operand]: `ISB` does not take this operand
      ┌─ test.litmus:1:5
      │
    1 │ ISB ISH
      │     ^^^ one too many
    ");
}
