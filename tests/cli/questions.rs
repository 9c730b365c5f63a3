//! Questions that nobody meant to ask: a warning that points, and an error under `--strict`.

use super::{SB, folder, litmus_in, stderr, stdout};

const STORE: &str = "AArch64 A\n{ 0:X2=x; }\n P0          ;\n MOV W0,#1   ;\n STR W0,[X2] ;\nexists (x=1)\n";

/// What is said of a test, by `run` and by `check` alike; both refuse it when strict. The answer on standard output is that of a test
/// without any doubt.
fn asked(test: &str) -> String {
    let dir = folder(&[("T.litmus", test)]);
    let run = |args: &[&str]| litmus_in(dir.path(), args).assert();
    let said = stderr(&run(&["check", "T.litmus"]).code(0));
    assert!(stderr(&run(&["run", "T.litmus"])).ends_with(&said), "check says something else");
    assert!(stderr(&run(&["herd", "T.litmus"])).ends_with(&said), "herd says something else");
    assert_eq!(stderr(&run(&["check", "T.litmus", "-q"]).code(0)), "");
    let json = stdout(&run(&["run", "T.litmus", "--format", "json"]));
    let code = if said.is_empty() { 0 } else { 2 };
    assert_eq!(json.contains("\"question::"), !said.is_empty(), "{json}");
    run(&["check", "T.litmus", "--strict"]).code(code);
    run(&["run", "T.litmus", "--strict"]).code(code);
    said
}

#[test]
fn no_doubt() {
    assert_eq!(asked(SB), "");
    assert_eq!(asked(STORE), "");
    assert_eq!(asked(&STORE.replace("exists (x=1)", "locations [x;]")), "");
    // Set by the initial state, read from memory, or a cell that only a pointer leads to.
    assert_eq!(asked(&STORE.replace("(x=1)", "(0:X2=x)")), "");
    assert_eq!(
        asked(
            "AArch64 A\n{ 0:X1=p; int64_t p=x; }\n P0 ;\n LDR X2,[X1] ;\n LDR W3,[X2] ;\nexists (0:X3=0 /\\ x=0)\n"
        ),
        ""
    );
    // Written by the code of another thread, which this one runs.
    assert_eq!(
        asked(
            "AArch64 A\n{ 1:X1=P0:L; }\n P0 | P1 ;\n B E | BLR X1 ;\nL: | ;\n MOV W9,#1 | ;\n RET | ;\nE: | ;\nexists (1:X9=1)\n"
        ),
        ""
    );
    assert_eq!(
        asked("C A\n{}\nP0 (int *x) { int r0 = *x; int *p = x; *p = 2; }\nexists (0:r0=0 /\\ x=2)\n"),
        ""
    );
}

#[test]
fn registers_that_nothing_writes() {
    insta::assert_snapshot!(asked(&SB.replace("1:EAX=0", "1:EBX=0")), @r"
    warning[question::register]: no instruction of P1 writes `1:EBX`
      ┌─ T.litmus:6:20
      │
    6 │ exists (0:EAX=0 /\ 1:EBX=0)
      │                    ^^^^^ this is 0, whatever happens
      │
      = help: did you mean `1:EAX`?
    ");
    insta::assert_snapshot!(asked(&STORE.replace("(x=1)", "(x=1 /\\ 0:X3=0 /\\ 0:X3=1)")), @r"
    warning[question::register]: no instruction of P0 writes `0:X3`
      ┌─ T.litmus:6:16
      │
    6 │ exists (x=1 /\ 0:X3=0 /\ 0:X3=1)
      │                ^^^^ this is 0, whatever happens
      │
      = help: did you mean `0:X0`?
    ");
    insta::assert_snapshot!(asked("C A\n{}\nP0 (int *x) { int r0 = *x; }\nexists (0:r1=0)\n"), @r"
    warning[question::register]: no statement of P0 writes `0:r1`
      ┌─ T.litmus:4:9
      │
    4 │ exists (0:r1=0)
      │         ^^^^ this is 0, whatever happens
      │
      = help: did you mean `0:r0`?
    ");
}

#[test]
fn locations_that_nothing_touches() {
    insta::assert_snapshot!(asked(&SB.replace("{}", "{ X=0; }").replace("1:EAX=0", "X=0")), @r"
    warning[question::location]: nothing reads or writes `X`
      ┌─ T.litmus:6:20
      │
    6 │ exists (0:EAX=0 /\ X=0)
      │                    ^ this is its initial value, whatever happens
      │
      = help: did you mean `x`? Capitals matter
    ");
    insta::assert_snapshot!(asked(&SB.replace("exists", "locations [z;]\nexists")), @r"
    warning[question::location]: nothing reads or writes `z`
      ┌─ T.litmus:6:12
      │
    6 │ locations [z;]
      │            ^ this is its initial value, whatever happens
    ");
}

#[test]
fn no_condition_at_all() {
    insta::assert_snapshot!(asked(&SB.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "")), @r"
    warning[question::no-condition]: the test has no condition: its answer is always Ok
      ┌─ T.litmus:1:5
      │
    1 │ X86 SB
      │     ^^ this test asks nothing
      │
      = help: end it with `exists (…)`, `~exists (…)`, `forall (…)` or `locations […]`
    ");
}

#[test]
fn address_registers_that_nothing_sets() {
    let dir = folder(&[("T.litmus", &STORE.replace("[X2]", "[X1]"))]);
    let check = litmus_in(dir.path(), &["check", "T.litmus"]).assert().code(0);
    insta::assert_snapshot!(stderr(&check), @r"
    warning[question::unset-address]: nothing sets `0:X1`, and this is an access through it
      ┌─ T.litmus:5:2
      │
    5 │  STR W0,[X1] ;
      │  ^^^^^^^^^^^ an access to address 0
      │
      = help: is `0:X1=x;` missing in the initial state?
    ");
    // No execution gets past it.
    let run = litmus_in(dir.path(), &["run", "T.litmus", "-q"]).assert().code(2);
    insta::assert_snapshot!(stderr(&run), @r"
    error[program::non-symbolic-address]: non symbolic address: [0] is the address of no location
      ┌─ T.litmus:5:2
      │
    5 │  STR W0,[X1] ;
      │  ^^^^^^^^^^^ this access
      │
      = help: is `0:X1=x;` missing in the initial state?
    ");
    litmus_in(dir.path(), &["check", "T.litmus", "--strict"]).assert().code(2);
}

#[test]
fn filters_that_refuse_everything() {
    let dir = folder(&[("T.litmus", &SB.replace("exists", "filter (0:EAX=2)\nexists"))]);
    for mode in ["count", "states", "check"] {
        let run = litmus_in(dir.path(), &["run", "T.litmus", "-m", "sc", "--mode", mode]).assert().code(0);
        insta::allow_duplicates! {
            insta::assert_snapshot!(stderr(&run), @r"
            warning[question::filter]: the filter refuses every execution that the model allows
              ┌─ T.litmus:6:1
              │
            6 │ filter (0:EAX=2)
              │ ^^^^^^^^^^^^^^^^ holds in none of them
            ");
        }
        litmus_in(dir.path(), &["run", "T.litmus", "-m", "sc", "--mode", mode, "--strict"]).assert().code(2);
    }
}
