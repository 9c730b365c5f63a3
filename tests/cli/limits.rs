//! Limits: what is known is printed, what is certain is said, and the exit code tells.

use super::{SB, folder, litmus_in, shown, stderr};

#[test]
fn a_limit_on_executions() {
    let dir = folder(&[("SB.litmus", SB)]);
    let mut run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--max-executions", "2"]);
    insta::assert_snapshot!(shown(&run.assert().code(4)), @r"
    --- stderr
    SB.litmus: SB: the limit on executions was reached; outcomes may be missing, those shown are certain; the verdict is not certain: what was not explored may change it
      not in the log; seen so far: 2 executions, 0 of them with (0:EAX=0 /\ 1:EAX=0)
      0:EAX=1; 1:EAX=0;
      0:EAX=1; 1:EAX=1;
    --- exit 4
    ");
}

#[test]
fn a_limit_on_memory() {
    let dir = folder(&[("SB.litmus", SB)]);
    let mut run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "--max-memory", "100"]);
    insta::assert_snapshot!(shown(&run.assert().code(4)), @r"
    --- stderr
    SB.litmus: SB: the memory limit was reached; outcomes may be missing, those shown are certain; the verdict is not certain: what was not explored may change it
      not in the log; seen so far: 1 execution, 0 of them with (0:EAX=0 /\ 1:EAX=0)
      0:EAX=1; 1:EAX=1;
    --- exit 4
    ");
    let enough =
        litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "--max-memory", "64k"]).assert().code(0);
    assert_eq!(stderr(&enough), "");
}

/// Memory is bounded before the search, too.
#[test]
fn a_limit_on_memory_while_a_test_is_read() {
    let rows: String = (0..500_000).map(|n| format!(" MOV EAX,${} ;\n", n % 1000)).collect();
    let long = format!("X86 long\n{{}}\n P0 ;\n{rows}exists (0:EAX=1)\n");
    let dir = folder(&[("long.litmus", &long)]);
    let run =
        litmus_in(dir.path(), &["run", "long.litmus", "-m", "sc", "--max-memory", "1K"]).assert().code(4);
    let said = "error[limit::memory]: the memory limit was reached before the search began";
    assert!(stderr(&run).contains(said), "{}", stderr(&run));
}

#[test]
fn a_size_is_a_number_with_a_unit() {
    let dir = folder(&[("SB.litmus", SB)]);
    for wrong in ["0", "1T", "G", "-1", "99999999999G", "1.5G", "1 G", ""] {
        let mut run =
            litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", &format!("--max-memory={wrong}")]);
        let said = stderr(&run.assert().code(2));
        assert!(
            said.contains("a size is needed, such as") || said.contains("a value is required"),
            "{wrong}: {said}"
        );
    }
}

/// Values that only justify each other: that no execution takes the loop once more must be found without trying all sources.
#[test]
fn a_time_limit_holds_while_paths_are_looked_at() {
    let test = "AArch64 chain
{ 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; 2:X1=x; 2:X5=z; 3:X5=z; }
 P0          | P1          | P2           | P3          ;
 L0:         | L1:         | LDR W0,[X5]  | MOV W0,#1   ;
 LDR W0,[X1] | LDR W0,[X3] | CBZ W0,E     | STR W0,[X5] ;
 STR W0,[X3] | STR W0,[X1] | LDR W2,[X1]  |             ;
 CBNZ W0,L0  | CBNZ W0,L1  | ADD W2,W2,#1 |             ;
             |             | STR W2,[X1]  |             ;
             |             | E:           |             ;
exists (0:X0=7 /\\ 1:X0=7)
";
    let dir = folder(&[("chain.litmus", test)]);
    let started = std::time::Instant::now();
    // In time or not, on this machine: it must end.
    let args = ["run", "chain.litmus", "-m", "uni", "--unroll", "5", "--timeout", "1"];
    let code = litmus_in(dir.path(), &args).assert().get_output().status.code();
    assert!(code == Some(0) || code == Some(4), "{code:?}");
    assert!(started.elapsed() < std::time::Duration::from_secs(30), "the time limit was not looked at");
}

#[test]
fn a_time_limit() {
    let dir = folder(&[("SB.litmus", SB)]);
    litmus_in(dir.path(), &["bench", "incs", "--sizes", "12", "--emit", "."]).assert().code(0);
    let args = ["run", "SB.litmus", "incs-12.litmus", "-m", "sc", "--timeout", "0.3", "--engine", "naive"];
    let run = litmus_in(dir.path(), &args).assert().code(4);
    let said = stderr(&run);
    assert!(
        said.starts_with("incs-12.litmus: incs-12: the time limit was reached; outcomes may be missing"),
        "{said}"
    );
}

/// Undefined behaviour decides the verdict in every mode, also of executions that the condition does not ask about.
#[test]
fn a_race_is_undefined_in_every_mode() {
    let test = "C race
{}
P0(int *x) { *x = 1; }
P1(int *x) { int r0 = *x; }
exists (1:r0=5)
";
    let dir = folder(&[("race.litmus", test)]);
    for mode in ["count", "states", "check"] {
        let run =
            litmus_in(dir.path(), &["run", "race.litmus", "-m", "rc11", "--mode", mode]).assert().code(0);
        assert!(super::stdout(&run).contains("\nUndef\n"), "{mode}");
    }
}
