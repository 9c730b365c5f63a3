//! Signed pointers and guarded control stacks.

use super::{Told, told};

/// The state lines, then `positive negative`, then messages.
fn answer(init: &str, code: &str, fin: &str, variants: &[&str]) -> String {
    let cells: Vec<String> = code.split(';').map(|cell| format!(" {} ;\n", cell.trim())).collect();
    let text = format!("AArch64 T\n{{ {init} }}\n P0 ;\n{}{fin}\n", cells.concat());
    let Told { mut lines, messages, .. } = told(&text, variants, None);
    lines.extend((!messages.is_empty()).then_some(messages));
    lines.join("\n")
}

#[test]
fn a_signature_is_right_by_chance() {
    let answer = |variants: &[&str]| {
        let init = "int64_t x=42; 0:X0=x; int64_t 0:X1=53;";
        answer(init, "AUTDA X0,X1", "locations [0:X0; fault(P0);]", variants)
    };
    let both = "0:X0=x;  ~Fault(P0);\n0:X0=x;  ~Fault(P0); pacda(x,0x35)=x;\n2 0";
    assert_eq!(answer(&["pauth1"]), both);
    assert_eq!(answer(&["pauth2"]), both);
    assert_eq!(
        answer(&["pauth2", "fpac"]),
        "0:X0=x;  ~Fault(P0); pacda(x,0x35)=x;\n0:X0=x; Fault(P0,PacCheck:DA);\n2 0"
    );
    // A key that is not enabled signs nothing.
    assert_eq!(answer(&["pauth2", "no-key-da"]), "0:X0=x;  ~Fault(P0);\n1 0");
}

#[test]
fn a_signed_pointer_is_no_address() {
    let load = |variants: &[&str]| {
        let init = "int64_t x=42; 0:X0=pacda(x,53);";
        answer(init, "L0: LDR X2,[X0]", "locations [0:X2; fault(P0);]", variants)
    };
    assert_eq!(
        load(&["pauth2"]),
        "0:X2=0; Fault(P0:L0,x,D-MMU:Translation);\n0:X2=42;  ~Fault(P0); pacda(x,0x35)=x;\n2 0"
    );
}

/// A final state has no signatures; a condition that has one adds an assumption.
#[test]
fn conditions_assume() {
    let init = "int64_t x=42; 0:X0=x; int64_t 0:X1=53;";
    let asked = |fin: &str| answer(init, "PACDA X0,X1", fin, &["pauth2"]);
    assert_eq!(asked("exists (0:X0=pacda(x,53))"), "0:X0=x;\n0:X0=x; pacda(x,0x35)=x;\n1 1");
    assert_eq!(asked("exists (0:X0=x)"), "0:X0=x;\n1 0");
    assert!(asked("exists (0:X0=pacda(x,53) \\/ 0:X0=pacdb(x,1))").ends_with("\n2 1"));
    assert!(asked("exists (0:X0=pacda(x,53) /\\ 0:X0=pacdb(x,1))").ends_with("\n1 2"));
    assert_eq!(asked("filter (0:X0=pacda(x,53))\nexists (x=1)"), "[x]=42; pacda(x,0x35)=x;\n0 1");
}

/// Equations of all comparisons together must have a solution.
#[test]
fn assumptions_are_consistent() {
    let init = "0:X0=x; 0:X1=x; int64_t 0:X5=1; int64_t 0:X6=2; 0:X8=x;";
    let code =
        "PACDA X0,X5; PACDA X1,X6; CMP X0,X1; CSET W3,EQ; CMP X0,X8; CSET W4,EQ; CMP X1,X8; CSET W7,EQ";
    assert_eq!(
        answer(init, code, "locations [0:X3; 0:X4; 0:X7;]", &["pauth2"]),
        "0:X3=0; 0:X4=0; 0:X7=0;\n\
         0:X3=0; 0:X4=0; 0:X7=1; pacda(x,0x2)=x;\n\
         0:X3=0; 0:X4=1; 0:X7=0; pacda(x,0x1)=x;\n\
         0:X3=1; 0:X4=0; 0:X7=0; pacda(x,0x1)=pacda(x,0x2);\n\
         0:X3=1; 0:X4=1; 0:X7=1; pacda(x,0x2)=x; pacda(x,0x1)=x;\n5 0"
    );
    let init = "0:X0=x; int64_t 0:X5=1; x=7;";
    let code = "PACDA X0,X5; AUTDB X0,X5; LDR W2,[X0]";
    assert_eq!(
        answer(init, code, "locations [0:X2; fault(P0);]", &["pauth2", "fpac", "faultToNext"]),
        "0:X2=0; Fault(P0,PacCheck:DB); Fault(P0,x,D-MMU:Translation);\n\
         0:X2=7;  ~Fault(P0); pacda(x,0x1)=pacdb(x,0x1);\n\
         0:X2=7; Fault(P0,PacCheck:DB); pacda(x,0x1)=x;\n3 0"
    );
    let init = "int64_t x=1; int64_t y=pacda(x,53); 0:X1=y; 0:X2=x; 0:X3=x;";
    assert_eq!(
        answer(init, "CAS X2,X3,[X1]", "locations [0:X2; y;]", &["pauth2"]),
        "0:X2=x; [y]=x;\n0:X2=x; [y]=x; pacda(x,0x35)=x;\n4 0"
    );
}

#[test]
fn what_signing_cannot_do() {
    insta::assert_snapshot!(
        answer("0:X0=x;", "PACDZA X0; PACDZB X0", "locations [0:X0;]", &["pauth2"]),
        @"
    error[program::illegal-operation]: signing has no meaning for pacda(x,0x0) and 0
      ┌─ test:5:2
      │
    5 │  PACDZB X0 ;
      │  ^^^^^^^^^ computed here
      │
      = note: addresses are symbols: constants are added to them, and they are compared with each other
    "
    );
    assert!(
        answer(
            "0:X0=x;",
            "PACDZA X0; PACDZB X0; PACDZA X0; PACDZB X0",
            "locations [0:X0;]",
            &["pauth2", "const-pac-field"]
        )
        .ends_with("\n1 0")
    );
    insta::assert_snapshot!(answer("0:X0=5;", "XPACD X0", "locations [0:X0;]", &["pauth1"]), @"
    error[program::illegal-operation]: looking at the signature has no meaning for 5
      ┌─ test:4:2
      │
    4 │  XPACD X0 ;
      │  ^^^^^^^^ computed here
      │
      = note: addresses are symbols: constants are added to them, and they are compared with each other
    ");
    insta::assert_snapshot!(answer("0:X0=x;", "PACDZA X0", "locations [0:X0;]", &[]), @"
    error[arch::unsupported-instruction]: `PACDZA` needs pointer authentication: --variant pauth1 or pauth2
      ┌─ test:4:2
      │
    4 │  PACDZA X0 ;
      │  ^^^^^^ there are none without it
    ");
    insta::assert_snapshot!(answer("0:X0=x;", "PACDZA X0", "locations [0:X0;]", &["pauth1", "pauth2"]), @"
    error[variant::contradiction]: `pauth1` and `pauth2` are two versions of the same: only one can be

    error[arch::unsupported-instruction]: `PACDZA` needs pointer authentication: --variant pauth1 or pauth2
      ┌─ test:4:2
      │
    4 │  PACDZA X0 ;
      │  ^^^^^^ there are none without it
    ");
    insta::assert_snapshot!(answer("0:X0=x;", "PACDZA X0", "locations [0:X0;]", &["pauth1", "fpac"]), @"
    error[variant::contradiction]: `fpac` is an extension of `pauth2`, which is not there

    error[arch::unsupported-instruction]: `PACDZA` needs pointer authentication: --variant pauth1 or pauth2
      ┌─ test:4:2
      │
    4 │  PACDZA X0 ;
      │  ^^^^^^ there are none without it
    ");
}

/// Nothing orders the accesses to a guarded stack: a return may read what stood there before the call.
#[test]
fn calls_and_returns() {
    let init = "SS(x,2); 0:GCSPR_EL1=&x[2];";
    let code = "BL L; M: MOV W1,#1; B E; L: NOP; N: RET; E:";
    let fin = "locations [x; 0:X30; 0:X1; 0:GCSPR_EL1; fault(P0);]";
    assert_eq!(
        answer(init, code, fin, &["shadowstack"]),
        "0:X1=0; 0:X30=label:\"P0:M\"; 0:GCSPR_EL1=x+8; x={0,label:\"P0:M\"}; Fault(P0:N,GCS:PRET);\n\
         0:X1=1; 0:X30=label:\"P0:M\"; 0:GCSPR_EL1=x+16; x={0,label:\"P0:M\"};  ~Fault(P0);\n2 0"
    );
    assert_eq!(
        answer(init, code, fin, &[]),
        "0:X1=1; 0:X30=label:\"P0:M\"; 0:GCSPR_EL1=x+16; x={0,0};  ~Fault(P0);\n1 0"
    );
    let init = "SS(x,2); 0:GCSPR_EL1=&x[2]; 0:X0=4;";
    let code = "GCSPUSHM X0; GCSB DSYNC; DSB SY; GCSPOPM X1";
    assert_eq!(answer(init, code, "locations [0:X1;]", &["shadowstack"]), "0:X1=0;\n0:X1=4;\n2 0");
}

#[test]
fn switching_stacks() {
    let init =
        |cap: &str| format!("SS(x,1); SS(y,2)=ssval_t: {{0,SSCap(y,{cap})}}; 0:GCSPR_EL1=&x[1]; 0:X0=&y[1];");
    let fin = "locations [0:X1; x; y; 0:GCSPR_EL1; fault(P0);]";
    assert_eq!(
        answer(&init("1"), "GCSSS1 X0; GCSSS2 X1", fin, &["shadowstack"]),
        "0:X1=0; 0:GCSPR_EL1=y+8; x=0; y={0,x+13}; Fault(P0,GCS:SS2);\n\
         0:X1=x; 0:GCSPR_EL1=y+16; x=x+1; y={0,x+13};  ~Fault(P0);\n4 0"
    );
    assert_eq!(
        answer(&init("9"), "GCSSS1 X0", fin, &["shadowstack"]),
        "0:X1=0; 0:GCSPR_EL1=x+8; x=0; y={0,y+9}; Fault(P0,GCS:SS1);\n2 0"
    );
}

#[test]
fn what_stacks_cannot_do() {
    insta::assert_snapshot!(answer("SS(x,1);", "GCSPUSHM X3", "locations [x;]", &[]), @"
    error[arch::unsupported-instruction]: `GCSPUSHM` needs guarded control stacks: --variant shadowstack
      ┌─ test:4:2
      │
    4 │  GCSPUSHM X3 ;
      │  ^^^^^^^^ there are none without it
    ");
    insta::assert_snapshot!(answer("SS(x,0);", "NOP", "locations [x;]", &["shadowstack"]), @"
    error[litmus::bad-stack]: a guarded stack has a name and a number of entries
      ┌─ test:2:3
      │
    2 │ { SS(x,0); }
      │   ^^^^^^^ write it as `SS(x,2)`
    ");
    insta::assert_snapshot!(answer("x=1; [PTE(x)]=(valid:0);", "NOP", "locations [x;]", &[]), @"
    [x]=1;
    1 0
    warning[litmus::no-page-tables]: without page tables nobody looks at this entry
      ┌─ test:2:8
      │
    2 │ { x=1; [PTE(x)]=(valid:0); }
      │        ^^^^^^^^^^^^^^^^^^ left out
      │
      = help: page tables come with the variant `vmsa`

    warning[question::location]: nothing reads or writes `x`
      ┌─ test:5:12
      │
    5 │ locations [x;]
      │            ^ this is its initial value, whatever happens
    ");
}
