//! `litmus herd`: herd7's options.

use super::{BAD, SB, folder, litmus, litmus_in, shown, stderr, stdout, without_times};

#[test]
fn the_log_is_that_of_run() {
    let herd = litmus(&["herd", "-model", "sc.cat", "litmus/mp-x86.litmus", "litmus/sb-x86.litmus"])
        .assert()
        .code(0);
    let run = litmus(&["run", "-m", "sc", "litmus/mp-x86.litmus", "litmus/sb-x86.litmus"]).assert().code(0);
    assert_eq!(without_times(&stdout(&herd)), without_times(&stdout(&run)));
}

#[test]
fn configuration_files() {
    let dir = folder(&[
        ("conf/my.cfg", "# ours\nmodel my.cat\nunroll 3\nsquished true\nhexa true\n"),
        ("conf/my.cat", "acyclic po | rf | rf^-1 as thin\n"),
        ("SB.litmus", SB),
    ]);
    let run = litmus_in(dir.path(), &["herd", "-conf", "my.cfg", "-I", "conf", "SB.litmus"]).assert().code(0);
    assert!(stdout(&run).contains("0:EAX=0x"), "{}", stdout(&run));
    let run = litmus_in(dir.path(), &["run", "--conf", "my.cfg", "-I", "conf", "SB.litmus"]).assert().code(0);
    assert!(stdout(&run).contains("0:EAX=0x"), "{}", stdout(&run));
}

#[test]
fn what_is_not_there_is_named() {
    let said = |args: &[&str], code| stderr(&litmus(args).assert().code(code));
    insta::assert_snapshot!(said(&["herd", "-modle", "sc.cat", "litmus/mp.litmus"], 2), @"error: herd7 has no option `-modle`, did you mean -model?");
    insta::assert_snapshot!(said(&["herd", "-restrict", "observed", "litmus/mp.litmus"], 3), @"error: herd7's `-restrict observed` is not supported, only `-restrict none`: outcomes are never left out");
    insta::assert_snapshot!(said(&["herd", "-evince", "litmus/mp.litmus"], 3), @"error: herd7's `-evince` is not supported: no viewer is started from here: draw with `-o DIR` and open the file");
    insta::assert_snapshot!(said(&["herd", "-conf", "gone.cfg", "litmus/mp.litmus"], 2), @"error: cannot find the configuration file `gone.cfg` in the current directory");
    insta::assert_snapshot!(said(&["herd", "-model", "gone.cat", "litmus/mp.litmus"], 2), @r"
    litmus/mp.litmus: error[cat::file-not-found]: cannot find `gone.cat`
     = note: searched, in this order:
         gone.cat
         the library (`litmus model list`)
    ");
}

#[test]
fn a_broken_test_does_not_change_the_exit_code_unless_asked_for() {
    let dir = folder(&[("1.litmus", BAD), ("2.litmus", SB)]);
    let run = litmus_in(dir.path(), &["herd", "-model", "sc.cat", "1.litmus", "2.litmus"]).assert().code(0);
    assert!(stdout(&run).starts_with("Test SB Allowed\n"));
    assert!(stderr(&run).contains("MOOV"));
    let run = litmus_in(dir.path(), &["herd", "-exit", "true", "-model", "sc.cat", "1.litmus", "2.litmus"])
        .assert()
        .code(1);
    assert_eq!(stdout(&run), "");
}

#[test]
fn names_of_tests_on_standard_input() {
    let run = litmus(&["herd", "-model", "sc.cat"]).write_stdin("litmus/mp-x86.litmus\n").assert().code(0);
    assert!(stdout(&run).starts_with("Test "));
}

#[test]
fn selection_and_speedcheck() {
    let dir = folder(&[("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["herd", "-model", "x86tso.cat", "-nonames", "SB", "SB.litmus"])
        .assert()
        .code(0);
    assert_eq!(stdout(&run), "");
    let run = litmus_in(dir.path(), &["herd", "-model", "x86tso.cat", "-speedcheck", "true", "SB.litmus"])
        .assert()
        .code(0);
    insta::assert_snapshot!(shown(&run), @r"
    Test SB Allowed
    States 1
    0:EAX=0; 1:EAX=0;
    Ok
    Witnesses
    Positive: 1 Negative: 0
    Condition exists (0:EAX=0 /\ 1:EAX=0)
    Observation SB Sometimes 1 0
    Time SB #
    Hash=edd4722437d708675ed921e7607e77f0

    --- exit 0
    ");
}
