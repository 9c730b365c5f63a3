//! Extensions of Armv8 together, and instructions that go through all of them: what a test says, and what is answered.

use super::{folder, litmus_in, stderr, stdout};

/// States and witnesses of a test: variants, initial state, code and the end.
fn answer(variants: &str, init: &str, code: &str, end: &str) -> String {
    let test = format!("AArch64 T\nVariant={variants}\n{{ {init} }}\n{code}\n{end}\n");
    let dir = folder(&[("T.litmus", &test)]);
    let log = stdout(&litmus_in(dir.path(), &["run", "T.litmus"]).assert());
    let kept = |line: &&str| {
        !["Test", "Ok", "No", "Witn", "Cond", "Obs", "Time", "Hash", "Flag"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    log.lines().filter(kept).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn code_is_fetched_through_page_tables() {
    let code = " P0 ;\n L0: MOV W0,#1 ;\n";
    let end = "exists (fault(P0:L0,I-MMU:Permission))";
    assert_eq!(
        answer("vmsa,ifetch", "[PTE(P0:L0)]=(oa:PA(P0:L0), x:0);", code, end),
        "States 1\n Fault(P0:L0,label:\"P0:L0\",I-MMU:Permission);\nPositive: 1 Negative: 0"
    );
    // Data accesses to a page that may not be executed are none of its business.
    assert_eq!(
        answer("vmsa", "[PTE(x)]=(x:0); 0:X1=x; x=3;", " P0 ;\n LDR W0,[X1] ;\n", "exists (0:X0=3)"),
        "States 1\n0:X0=3;\nPositive: 1 Negative: 0"
    );
}

#[test]
fn a_page_of_code_may_lead_to_another() {
    let init = "[PTE(P0:L0)]=(oa:PA(P0:L1)); [PTE(P0:L1)]=(oa:PA(P0:L1));";
    let code = " P0 ;\n L0: ADD W0,W0,#1 ;\n ADD W1,W1,#1 ;\n .pagealign ;\n L1: ADD W0,W0,#4 ;\n B .+8 ;\n NOP ;\n NOP ;\n";
    // The second instruction of the second page jumps over the third: on the first page, too, there is none.
    assert_eq!(
        answer("vmsa,ifetch", init, code, "locations [0:X0;0:X1;] exists (0:X0=8)"),
        "States 1\n0:X0=8; 0:X1=0;\nPositive: 1 Negative: 0"
    );
}

#[test]
fn pages_of_code_that_are_none() {
    let said = |test: &str| {
        let dir = folder(&[("T.litmus", test)]);
        stderr(&litmus_in(dir.path(), &["run", "T.litmus"]).assert().code(2))
    };
    let unknown = said(
        "AArch64 T\nVariant=vmsa,ifetch\n{ [PTE(P0:L1)]=(valid:0); }\n P0 ;\n L0: NOP ;\nexists (0:X0=0)\n",
    );
    assert!(unknown.contains("P0 has no label `L1`"), "{unknown}");
    let empty = said("AArch64 T\nVariant=vmsa,ifetch\n{ }\n P0 ;\n NOP ;\n .pagealign ;\nexists (0:X0=0)\n");
    assert!(empty.contains("no instruction on the next page"), "{empty}");
    let elsewhere = said("X86 T\n{ }\n P0 ;\n .pagealign ;\nexists (0:EAX=0)\n");
    assert!(elsewhere.contains("error[arch::"), "{elsewhere}");
}

#[test]
fn what_is_written_over_an_instruction_goes_through_all_stages() {
    let init = "0:X1=P0:L0; 0:X2=instr:\"LDR W0,[X4]\"; 0:X4=x; x=5; [PTE(x)]=(valid:0);";
    let code = " P0 ;\n STR W2,[X1] ;\n L0: NOP ;\n";
    assert_eq!(
        answer("vmsa,ifetch", init, code, "locations [0:X0;] exists (fault(P0:L0,x))"),
        "States 2\n0:X0=0;  ~Fault(P0:L0,x);\n0:X0=0; Fault(P0:L0,x,D-MMU:Translation);\nPositive: 1 Negative: 1"
    );
}

#[test]
fn instructions_are_equal_by_where_they_lead() {
    let init = "0:X8=P1:L0; 0:X9=P1:L1; 0:X3=instr:\"ADR X0,.+4\";";
    let code = " P0 | P1 ;\n LDR W1,[X8] | B L2 ;\n LDR W2,[X9] | L0: ADR X0,L1 ;\n CMP W2,W1 | L1: ADR X0,L2 ;\n \
                CSET W4,EQ | L2: ;\n CMP W3,W1 | ;\n CSET W5,EQ | ;\n";
    assert_eq!(
        answer("fatal", init, code, "locations [0:X1;0:X4;0:X5;]"),
        "States 1\n0:X1=instr:\"ADR X0,.+4\"; 0:X4=1; 0:X5=1;\nPositive: 1 Negative: 0"
    );
    let init = "0:X1=P0:L0; 0:X2=instr:\"LDR W0,[X4],#4\"; int x[2]={5,6}; 0:X4=x;";
    let code = " P0 ;\n STR W2,[X1] ;\n L0: NOP ;\n";
    assert_eq!(
        answer("ifetch", init, code, "locations [0:X0;0:X4;]"),
        "States 2\n0:X0=0; 0:X4=x;\n0:X0=5; 0:X4=x+4;\nPositive: 2 Negative: 0"
    );
}

#[test]
fn tags_and_zeros_are_written_by_two_translations() {
    let init = "x=1; [PTE(x)]=(valid:0); 0:X0=x; 0:X1=x:red; 1:X1=(oa:PA(x)); 1:X0=PTE(x);";
    let code = " P0 | P1 ;\n L0: STZG X1,[X0] | STR X1,[X0] ;\n";
    // Neither, the tag or the zero alone, each before a fault; both; and the fault of the second that is tried first.
    assert_eq!(
        answer("memtag,vmsa", init, code, "locations [x;tag(x);] exists (fault(P0:L0,x))"),
        "States 4\n[x]=0; [tag(x)]=:green; Fault(P0:L0,x,D-MMU:Translation);\n\
         [x]=0; [tag(x)]=:red;  ~Fault(P0:L0,x);\n\
         [x]=1; [tag(x)]=:green; Fault(P0:L0,x,D-MMU:Translation);\n\
         [x]=1; [tag(x)]=:red; Fault(P0:L0,x,D-MMU:Translation);\nPositive: 4 Negative: 1"
    );
}

#[test]
fn a_failing_comparison_may_be_checked_like_a_load() {
    let code = " P0 ;\n MOV W0,#1 ;\n CAS W0,WZR,[X9] ;\n";
    let states = "States 2\n  ~Fault(P0,x);\n Fault(P0,x:red,TagCheck);\n";
    assert_eq!(
        answer("memtag,store-only", "0:X9=x:red;", code, "exists (~fault(P0,x))"),
        format!("{states}Positive: 2 Negative: 3")
    );
}

#[test]
fn signed_pointers_go_with_page_tables_and_tags() {
    let code = " P0 ;\n PACDZA X0 ;\n L0: LDR W1,[X0] ;\n";
    let init = "0:X0=x; x=7;";
    let states =
        "States 2\n0:X1=0; Fault(P0:L0,x,D-MMU:Translation);\n0:X1=7;  ~Fault(P0:L0,x); pacda(x,0x0)=x;\n";
    for variants in ["vmsa,pauth2", "memtag,pauth2", "pauth2"] {
        assert_eq!(
            answer(variants, init, code, "locations [0:X1;] exists (fault(P0:L0,x))"),
            format!("{states}Positive: 1 Negative: 1"),
            "{variants}"
        );
    }
}

#[test]
fn registers_live_in_memory_under_nested_virtualization() {
    let init = "uint64_t page[100]; 0:VNCR_EL2=page; 1:X1=page;";
    let code = " P0 | P1 ;\n MOV X0,#1 | LDR X0,[X1,#312] ;\n MSR ESR_EL1,X0 | ;\n MRS X2,ESR_EL1 | ;\n";
    assert_eq!(
        answer("nv2", init, code, "locations [0:X2;1:X0;]"),
        "States 2\n0:X2=1; 1:X0=0;\n0:X2=1; 1:X0=1;\nPositive: 2 Negative: 0"
    );
}

/// A granule has 16 bytes: of an array that is several elements, which can only be cleared where sizes may be mixed.
#[test]
fn zeros_in_a_granule_of_an_array() {
    let (init, code) = ("int t[8]={1,2,3,4,5,6,7,8}; 0:X1=t:green; 0:X3=t:red;", " P0 ;\n STZG X3,[X1] ;\n");
    assert_eq!(
        answer("memtag,mixed", init, code, "locations [t;]"),
        "States 1\nt={0,0,0,0,5,6,7,8};\nPositive: 1 Negative: 0"
    );
    let test = format!("AArch64 T\nVariant=memtag\n{{ {init} }}\n{code}locations [t;]\n");
    let dir = folder(&[("T.litmus", &test)]);
    let said = stderr(&litmus_in(dir.path(), &["run", "T.litmus"]).assert().code(3));
    assert!(
        said.contains("error[program::mixed-size]: `t` is an array, of which 16 bytes are cleared"),
        "{said}"
    );
    assert!(said.contains("--variant mixed has accesses of several sizes"), "{said}");
}
