//! `litmus diff`.

use super::{MP, SB, folder, litmus_in, shown, stderr, stdout};

const HARDWARE: &str = "Test MP Allowed\nHistogram (2 states)\n10    :>1:EAX=0; 1:EBX=0;\n2     *>1:EAX=1; 1:EBX=0;\nOk\n\
                        Witnesses\nPositive: 2, Negative: 10\nCondition exists (1:EAX=1 /\\ 1:EBX=0) is validated\n\n";

fn logs() -> tempfile::TempDir {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP), ("board.log", HARDWARE)]);
    for model in ["sc", "x86tso"] {
        let log = format!("{model}.log");
        litmus_in(dir.path(), &["run", "SB.litmus", "MP.litmus", "-m", model, "-o", &log]).assert().code(0);
    }
    dir
}

#[test]
fn equal_different_and_wrong() {
    let dir = logs();
    let diff = |args: &[&str], code| {
        let mut all = vec!["diff"];
        all.extend(args);
        shown(&litmus_in(dir.path(), &all).assert().code(code))
    };
    insta::assert_snapshot!(diff(&["sc.log", "sc.log"], 0), @r"
    same          MP
    same          SB
    2 tests compared: 2 the same
    --- exit 0
    ");
    insta::assert_snapshot!(diff(&["sc.log", "x86tso.log"], 1), @r"
    same          MP
    weaker        SB
                  x86tso.log allows 0:EAX=0; 1:EAX=0; and sc.log forbids it
    2 tests compared: 1 the same, 1 weaker (x86tso.log allows more)
    --- exit 1
    ");
    insta::assert_snapshot!(diff(&["--only-differences", "x86tso.log", "sc.log"], 1), @r"
    stronger      SB
                  x86tso.log allows 0:EAX=0; 1:EAX=0; and sc.log forbids it
    2 tests compared: 1 the same, 1 stronger (sc.log allows less)
    --- exit 1
    ");
    insta::assert_snapshot!(diff(&["sc.log", "gone.log"], 2), @r"
    --- stderr
    error: cannot read the log `gone.log`: No such file or directory (os error 2)
    --- exit 2
    ");
    insta::assert_snapshot!(diff(&["sc.log", "SB.litmus"], 2), @r"
    --- stderr
    error: there is no test in `SB.litmus`: is it a log of herd7, litmus7 or ours?
    --- exit 2
    ");
}

#[test]
fn hardware_against_a_model_that_is_run() {
    let dir = logs();
    let run =
        litmus_in(dir.path(), &["diff", "--run", "board.log", "MP.litmus", "-m", "x86tso"]).assert().code(1);
    insta::assert_snapshot!(shown(&run), @r"
    incomparable  MP
                  board.log showed 1:EAX=1; 1:EBX=0; and the model forbids it
                  the model allows 1:EAX=0; 1:EBX=1; but board.log did not show it
                  the model allows 1:EAX=1; 1:EBX=1; but board.log did not show it
    1 test compared: 0 the same, 1 incomparable
    --- exit 1
    ");
    litmus_in(dir.path(), &["diff", "--run", "x86tso.log", "SB.litmus", "MP.litmus", "-m", "x86tso"])
        .assert()
        .code(0);
}

/// A log that breaks off says nothing about what comes after: it forbids no outcome.
#[test]
fn a_log_that_breaks_off() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP)]);
    let log = stdout(&litmus_in(dir.path(), &["run", "MP.litmus", "SB.litmus", "-m", "sc"]).assert().code(0));
    std::fs::write(dir.path().join("whole.log"), &log).expect("a log");
    let second = log.rfind("Test SB").expect("a second test");
    let verdict = second + log[second..].find("\nNo\n").expect("its verdict");
    for end in [second + 8, second + 30, verdict - 10, verdict] {
        std::fs::write(dir.path().join("cut.log"), &log[..end]).expect("a log");
        let diff = litmus_in(dir.path(), &["diff", "cut.log", "whole.log"]).assert().code(1);
        let said = shown(&diff);
        assert!(
            said.contains("missing in cut.log") && said.contains("1 test compared: 1 the same"),
            "{said}"
        );
        assert!(said.contains("cut.log:14: the block of SB breaks off: passed over"), "{said}");
        let run =
            litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--expect", "cut.log"]).assert().code(2);
        assert_eq!(stderr(&run), "error: cut.log:14: the block of SB breaks off\n");
    }
}

#[test]
fn a_log_from_standard_input() {
    let dir = folder(&[("SB.litmus", SB)]);
    let log = stdout(&litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc"]).assert().code(0));
    std::fs::write(dir.path().join("sc.log"), &log).expect("a log");
    for args in [["diff", "-", "sc.log"], ["diff", "sc.log", "-"]] {
        litmus_in(dir.path(), &args).write_stdin(log.as_str()).assert().code(0);
    }
    litmus_in(dir.path(), &["diff", "-", "-"]).write_stdin(log.as_str()).assert().code(2);
    let json =
        stdout(&litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--format", "jsonl"]).assert());
    litmus_in(dir.path(), &["diff", "-", "sc.log"]).write_stdin(json).assert().code(0);
    let other = litmus_in(dir.path(), &["diff", "-", "sc.log"]).write_stdin("{\"a\":1}").assert().code(2);
    assert!(stderr(&other).contains("not a result of litmus"), "{}", stderr(&other));
}

/// What litmus7 prints.
pub const LITMUS7: &str = "Test SB Allowed\nHistogram (2 states)\n3       *>0:EAX=0; 1:EAX=0;\n997     :>0:EAX=1; 1:EAX=1;\nOk\n\nWitnesses\n\
                        Positive: 3, Negative: 997\nCondition exists (0:EAX=0 /\\ 1:EAX=0) is validated\n\
                        Hash=edd4722437d708675ed921e7607e77f0\nObservation SB Sometimes 3 997\nTime SB 0.25\n\n";

#[test]
fn soundness_is_about_what_was_observed() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP), ("hw.log", LITMUS7)]);
    let diff = |model: &str| {
        let args = ["diff", "--soundness", "hw.log", "--run", "-m", model, "SB.litmus", "MP.litmus"];
        litmus_in(dir.path(), &args).assert()
    };
    insta::assert_snapshot!(shown(&diff("sc").code(5)), @r"
    unsound       SB
                  0:EAX=0; 1:EAX=0; seen 3 times of 1000, forbidden
    2 outcomes of 1 test allowed, never observed
    1 test not in hw.log
    1 of 1 test with an outcome that was observed and is forbidden
    --- exit 5
    ");
    insta::assert_snapshot!(shown(&diff("x86tso").code(0)), @r"
    2 outcomes of 1 test allowed, never observed
    1 test not in hw.log
    0 of 1 test with an outcome that was observed and is forbidden
    --- exit 0
    ");
}

/// Hardware forbids nothing: logs given the wrong way round would always agree.
#[test]
fn soundness_asks_for_the_log_of_the_hardware_first() {
    let dir = folder(&[("SB.litmus", SB), ("hw.log", LITMUS7)]);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "-o", "model.log"]).assert().code(0);
    let diff =
        |args: &[&str]| shown(&litmus_in(dir.path(), &[&["diff", "--soundness"], args].concat()).assert());
    insta::assert_snapshot!(diff(&["model.log", "hw.log"]), @"
    --- stderr
    error: --soundness: `hw.log` has histograms of a run on hardware and `model.log` has none: give the log of the hardware first
    --- exit 2
    ");
    insta::assert_snapshot!(diff(&["hw.log", "hw.log"]), @"
    --- stderr
    error: --soundness: `hw.log` has histograms of a run on hardware, which forbids nothing
    --- exit 2
    ");
    insta::assert_snapshot!(diff(&["hw.log", "model.log", "--format", "json"]), @r#"
    {"hardware":"hw.log","model":"model.log","compared":1,"unsound":1,"undecided":0,"tests":[{"name":"SB","answer":"unsound","runs":1000,"outcomes":[{"state":"0:EAX=0; 1:EAX=0;","seen":3}]}],"never_observed":{"outcomes":2,"tests":1},"silent":0,"unpredicted":0,"mismatched":0}
    --- exit 5
    "#);
    litmus_in(dir.path(), &["diff", "hw.log", "model.log", "--format", "json"]).assert().code(2);
}

#[test]
fn histograms_are_added_up() {
    let none = "Test SB Allowed\nHistogram (1 states)\n500     :>0:EAX=1; 1:EAX=1;\nNo\n\nWitnesses\nPositive: 0, Negative: 500\n\
                Condition exists (0:EAX=0 /\\ 1:EAX=0) is NOT validated\nHash=edd4722437d708675ed921e7607e77f0\n\
                Observation SB Never 0 500\nTime SB 0.50\n\n";
    let dir = folder(&[
        ("a.log", none),
        ("b.log", LITMUS7),
        ("other.log", &LITMUS7.replace("1:EAX=0)", "1:EAX=2)")),
    ]);
    let merge = |args: &[&str]| litmus_in(dir.path(), &[&["merge", "--sum"], args].concat()).assert();
    insta::assert_snapshot!(stdout(&merge(&["a.log", "b.log"]).code(0)), @r"
    Test SB Allowed
    Histogram (2 states)
    3       *>0:EAX=0; 1:EAX=0;
    1497    :>0:EAX=1; 1:EAX=1;
    Ok

    Witnesses
    Positive: 3, Negative: 1497
    Condition exists (0:EAX=0 /\ 1:EAX=0) is validated
    Hash=edd4722437d708675ed921e7607e77f0
    Observation SB Sometimes 3 1497
    Time SB 0.75
    ");
    merge(&["a.log", "other.log"]).code(2);
}

/// What a C test allows, and what its assembly showed.
#[test]
fn assembly_against_its_source_by_names_given_by_hand() {
    let c = "Test MP Allowed\nStates 3\n1:r0=0; 1:r1=0;\n1:r0=0; 1:r1=1;\n1:r0=1; 1:r1=1;\nNo\nWitnesses\nPositive: 0 Negative: 3\nHash=aa\n\n";
    let asm = "Test MP Allowed\nStates 4\n1:X0=0; 1:X3=0; 1:X9=0;\n1:X0=0; 1:X3=1; 1:X9=1;\n1:X0=1; 1:X3=0; 1:X9=1;\n1:X0=1; 1:X3=1; 1:X9=1;\nOk\nWitnesses\nPositive: 1 Negative: 3\nHash=bb\n\n";
    let dir = folder(&[("c.log", c), ("asm.log", asm)]);
    let diff = |args: &[&str], code| {
        let all = [&["diff", "c.log", "asm.log"], args].concat();
        shown(&litmus_in(dir.path(), &all).assert().code(code))
    };
    insta::assert_snapshot!(diff(&["--map", "r0=X0,r1=X3"], 1), @"
    weaker        MP
                  asm.log allows 1:X0=1; 1:X3=0; and c.log forbids it
    1 test compared: 0 the same, 1 weaker (asm.log allows more)
    --- stderr
    not compared, only in asm.log: 1:X9
    --- exit 1
    ");
    insta::assert_snapshot!(diff(&["--map", "1:r0=1:X3", "--map", "1:r1=1:X3"], 2), @"
    --- stderr
    error: two names of `MP` in the first log become one by these names
    --- exit 2
    ");
    insta::assert_snapshot!(diff(&["--map", "X3=r1"], 2), @"
    --- stderr
    error: `X3=r1`: no state of the first log has `X3`: did you mean `r1=X3`?
    --- exit 2
    ");
    insta::assert_snapshot!(diff(&["--map", "r1"], 2), @"
    --- stderr
    error: invalid value 'r1' for '--map <A=B>': `r1` is no pair of names: `r0=X3`, `0:r0=0:X3` or `x=y`

    For more information, try '--help'.
    --- exit 2
    ");
    insta::assert_snapshot!(diff(&[], 1), @"
    other test    MP
                  not the same test: hash aa in c.log, bb in asm.log
    0 tests compared: 0 the same, 1 not comparable: one name, two tests
    --- exit 1
    ");
}
