//! Exceptions, fault handlers, and instructions as data.

use super::{Told, told};

/// The state lines, then `positive negative`, then flags and messages.
fn answer(text: &str, variants: &[&str], model: Option<&str>) -> String {
    let Told { mut lines, flags, messages } = told(text, variants, model);
    lines.extend(flags);
    lines.extend((!messages.is_empty()).then_some(messages));
    lines.join("\n")
}

/// A test of one thread and perhaps its handler, cells separated by `;`.
fn one(init: &str, code: &str, handler: &str, fin: &str) -> String {
    let cells = |code: &str| -> Vec<String> {
        code.split(';').map(|cell| cell.trim().to_string()).filter(|cell| !cell.is_empty()).collect()
    };
    let (code, handler) = (cells(code), cells(handler));
    let mut text =
        format!("AArch64 T\n{{ {init} }}\n P0 {};\n", if handler.is_empty() { "" } else { "| P0.F " });
    for row in 0..code.len().max(handler.len()) {
        let cell = |column: &[String]| column.get(row).cloned().unwrap_or_default();
        text += &match handler.is_empty() {
            true => format!(" {} ;\n", cell(&code)),
            false => format!(" {} | {} ;\n", cell(&code), cell(&handler)),
        };
    }
    text + fin + "\n"
}

#[test]
fn a_call_without_a_handler() {
    let test = one(
        "0:X1=x;",
        "MOV W0,#1; L0: SVC #3; L1: STR W0,[X1]",
        "",
        "locations [0:ELR_EL1; 0:ESR_EL1; x;] exists (fault(P0:L0,SupervisorCall))",
    );
    let line = |x: u8| {
        format!("0:ELR_EL1=label:\"P0:L1\"; 0:ESR_EL1=1442840579; [x]={x}; Fault(P0:L0,SupervisorCall);\n1 0")
    };
    assert_eq!(answer(&test, &[], None), line(0));
    assert_eq!(answer(&test, &["fatal"], None), line(0));
    assert_eq!(answer(&test, &["handled"], None), line(1));
    assert_eq!(answer(&test, &["faultToNext"], None), line(1));
    let unlabelled = one("", "L0: SVC #0; NOP", "", "locations [0:ELR_EL1; fault(P0);]");
    assert_eq!(answer(&unlabelled, &[], None), "0:ELR_EL1=100004; Fault(P0:L0,SupervisorCall);\n1 0");
}

#[test]
fn an_undefined_instruction() {
    let test = |fin: &str| one("0:X1=x;", "MOV W0,#1; L0: UDF #0; STR W0,[X1]", "", fin);
    let asked = test("exists (fault(P0:L0,UndefinedInstruction))");
    assert_eq!(answer(&asked, &[], None), " Fault(P0:L0,UndefinedInstruction);\n1 0");
    assert_eq!(answer(&asked, &["faultToNext"], None), " Fault(P0:L0,UndefinedInstruction);\n1 0");
    // Run again it faults again, which nobody handles.
    assert!(answer(&asked, &["handled"], None).starts_with("0 0"));
    assert_eq!(answer(&test("exists (fault(P0,x))"), &[], None), "  ~Fault(P0,x);\n0 1");
    let either = test("exists (fault(P0:L0,SupervisorCall) \\/ fault(P0:L0))");
    assert_eq!(
        answer(&either, &[], None),
        " Fault(P0:L0,UndefinedInstruction); ~Fault(P0:L0,SupervisorCall);\n1 0"
    );
}

#[test]
fn handlers() {
    let goes_on = one(
        "0:X1=x;",
        "MOV W0,#1; L0: UDF #0; STR W2,[X1]; L1: STR W0,[X1]",
        "ADR X5,L1; MSR ELR_EL1,X5; ERET",
        "locations [0:X5; 0:ELR_EL1; x; fault(P0);]",
    );
    let line =
        "0:X5=label:\"P0:L1\"; 0:ELR_EL1=label:\"P0:L1\"; [x]=1; Fault(P0:L0,UndefinedInstruction);\n1 0";
    assert_eq!(answer(&goes_on, &[], None), line);
    assert_eq!(answer(&goes_on, &["faultToNext"], None), line);
    let twice = one(
        "",
        "L0: SVC #1; L1: SVC #2; ADD W4,W0,#0",
        "ADD W0,W0,#1; ERET",
        "locations [0:X0; 0:X4; fault(P0);]",
    );
    assert_eq!(
        answer(&twice, &[], None),
        "0:X0=2; 0:X4=2; Fault(P0:L0,SupervisorCall); Fault(P0:L1,SupervisorCall);\n1 0"
    );
    let inside = one(
        "0:X1=x;",
        "MOV W0,#1; L0: SVC #1; L1: ADD W0,W0,#1; L2: SVC #2",
        "STR W0,[X1]; B L1",
        "locations [x; fault(P0);]",
    );
    insta::assert_snapshot!(answer(&inside, &[], None), @r"
    0 0
    warning[program::fault-in-handler]: a fault inside a fault handler: outcomes may be missing
      ┌─ test:7:6
      │
    7 │  L2: SVC #2 |  ;
      │      ^^^^^^ faults here, in the handler
    ");
}

/// Entry by a call is as good as an ISB, unless the system says that it is not.
#[test]
fn the_entry_synchronizes_the_context() {
    let test = "AArch64 MP\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n P0 | P1 ;\n MOV W0,#1 | LDR W0,[X1] ;\n STR W0,[X1] | CBNZ W0,L ;\n\
                DMB ST | L: SVC #0 ;\n STR W0,[X3] | LDR W2,[X3] ;\nexists (1:X0=1 /\\ 1:X2=0)\n";
    let positive = |variants: &[&str]| answer(test, variants, None).lines().last().unwrap().to_string();
    assert_eq!(positive(&["handled"]), "0 3");
    assert_eq!(positive(&["handled", "exs"]), "1 3");
    assert_eq!(positive(&["handled", "exs", "eis"]), "0 3");
}

#[test]
fn labels_and_instructions_are_values() {
    let test = one(
        "0:X1=P0:L0; 0:X2=NOP; 0:X3=instr:\"MOV W0,#1\";",
        "LDR W4,[X1]; ADR X5,L1; L0: ADD W6,W6,#1; L1: NOP",
        "",
        "locations [0:X1; 0:X2; 0:X3; 0:X4; 0:X5; 0:X6;]",
    );
    assert_eq!(
        answer(&test, &[], None),
        "0:X1=label:\"P0:L0\"; 0:X2=NOP; 0:X3=instr:\"MOV W0,#1\"; 0:X4=instr:\"ADD W6,W6,#1\"; \
         0:X5=label:\"P0:L1\"; 0:X6=1;\n1 0"
    );
    let asked = |value: &str| {
        one("0:X1=P0:L0;", "LDR W4,[X1]; L0: B L1; L1: NOP", "", &format!("exists (0:X4={value})"))
    };
    assert_eq!(answer(&asked("instr:\"B .+4\""), &[], None), "0:X4=instr:\"B .+4\";\n1 0");
    assert_eq!(answer(&asked("NOP"), &[], None), "0:X4=instr:\"B .+4\";\n0 1");
    let store = one("0:X1=P0:L0; 0:X2=NOP;", "STR W2,[X1]; L0: B L1; L1: NOP", "", "locations [0:X2;]");
    insta::assert_snapshot!(answer(&store, &[], None), @r"
    error[program::store-to-code]: store to P0:L0 requires instruction fetches
      ┌─ test:4:2
      │
    4 │  STR W2,[X1] ;
      │  ^^^^^^^^^^^ overwrites an instruction
      │
      = help: add `-variant ifetch`
    ");
}

#[test]
fn modified_code() {
    let code = |middle: &str| {
        one(
            "0:X1=P0:L0; 0:X2=NOP;",
            &format!("STR W2,[X1]; {middle} L0: B L1; MOV W3,#1; L1:"),
            "",
            "exists (0:X3=1)",
        )
    };
    assert_eq!(answer(&code(""), &["ifetch"], None), "0:X3=0;\n0:X3=1;\n1 1");
    let maintained = code("DC CVAU,X1; DSB ISH; IC IVAU,X1; DSB ISH; ISB;");
    assert_eq!(answer(&maintained, &["ifetch"], None), "0:X3=1;\n1 0");
    // An integer is no instruction.
    let garbage = one(
        "0:X1=P0:L0; 0:X2=5;",
        "STR W2,[X1]; L0: B L1; MOV W3,#1; L1:",
        "",
        "locations [fault(P0:L0); 0:ELR_EL1;] exists (0:X3=1)",
    );
    assert_eq!(
        answer(&garbage, &["ifetch"], None),
        "0:X3=0; 0:ELR_EL1=0;  ~Fault(P0:L0);\n0:X3=0; 0:ELR_EL1=label:\"P0:L0\"; Fault(P0:L0,UndefinedInstruction);\n0 2"
    );
    // What was fetched decides, not what stood there: herd7 loses this one.
    let load = one(
        "0:X1=P0:L0; 0:X2=instr:\"LDR W0,[X4]\"; x=5; 0:X4=x;",
        "MOV W0,#0; STR W2,[X1]; L0: NOP; CBZ W0,L1; MOV W3,#1; L1:",
        "",
        "locations [0:X0; 0:X3;]",
    );
    assert!(answer(&load, &["ifetch"], None).contains("0:X0=5; 0:X3=1;"));
}

/// An instruction that was loaded and is stored elsewhere is the same one.
#[test]
fn what_is_copied_must_not_be_modified() {
    let code = "LDR W2,[X3]; L0: DSB ST; STR W2,[X1]; L1: B L2; L2:";
    let told = answer(&one("0:X1=P0:L1; 0:X3=P0:L0;", code, "", "forall (true)"), &["ifetch"], None);
    assert!(told.contains("violates-CMODX-requirements"), "{told}");
}

/// Branches lie in memory with an offset: one with a label is no instruction when it is fetched. What only takes an address is one.
#[test]
fn what_is_fetched_may_have_a_label() {
    let test = |put: &str| {
        let init = format!("0:X1=P0:L0; 0:X2=instr:\"{put}\";");
        let code = "STR W2,[X1]; L0: NOP; MOV W0,#1; L1:";
        answer(&one(&init, code, "", "locations [fault(P0:L0);] exists (0:X0=1)"), &["ifetch"], None)
    };
    let fault = "0:X0=0; Fault(P0:L0,UndefinedInstruction);\n0:X0=1;  ~Fault(P0:L0);\n1 1";
    for branch in ["B L1", "B L0", "BL L1", "CBZ X0,L1", "TBZ X0,#1,L1"] {
        assert_eq!(test(branch), fault, "{branch}");
    }
    assert_eq!(test("B .+8"), "0:X0=0;  ~Fault(P0:L0);\n0:X0=1;  ~Fault(P0:L0);\n1 1");
    assert!(test("ADR X3,L1").starts_with("0:X0=1;  ~Fault(P0:L0);\n2 0"));
}

/// `NOP` is written so on every architecture that has instructions as values, and shown so.
#[test]
fn what_is_fetched_may_lead_nowhere() {
    let test = one("0:X1=P0:L0; 0:X2=instr:\"B .+8\";", "STR W2,[X1]; L0: NOP", "", "locations [0:X2;]");
    insta::assert_snapshot!(answer(&test, &["ifetch"], None), @r#"
    error[program::no-branch-target]: `instr:"B .+8"` leads out of the code from here
      ┌─ test:5:6
      │
    5 │  L0: NOP ;
      │      ^^^ fetched from here
    "#);
}

#[test]
fn no_operation_as_a_value() {
    let test = "PPC T\n{ ins_t x=NOP; 0:r1=instr:\"add r1,r1,r1\"; 0:r2=x; 1:r2=x; }\n P0 | P1 ;\n\
                stw r1,0(r2) | lwz r1,0(r2) ;\nexists (1:r1=NOP)\n";
    assert_eq!(answer(test, &[], None), "1:r1=NOP;\n1:r1=instr:\"add r1,r1,r1\";\n1 1");
}

/// Two fetches of one thread are not in order: the second may see the older instruction.
#[test]
fn fetches_are_not_coherent() {
    let test = "AArch64 T\n{ 0:X1=P1:M0; 0:X2=NOP; 1:X1=P1:M0; }\n P0 | P1 ;\n STR W2,[X1] | BL M0 ;\n | MOV W2,W0 ;\n\
                | MOV W0,#0 ;\n | BL M0 ;\n | B E ;\n | M0: B .+8 ;\n | MOV W0,#1 ;\n | RET ;\n | E: ;\n\
                exists (1:X2=1 /\\ 1:X0=0)\n";
    assert_eq!(answer(test, &["ifetch"], None).lines().last(), Some("1 3"));
}
