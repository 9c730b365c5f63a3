//! Graphs of executions: `litmus run --graph`, herd7's `-show` and `-o`, and the options that change what a test is taken for.

use super::{SB, folder, litmus_in, shown, stderr, stdout};

const FENCED: &str = "X86 SB+mfences
{}
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MFENCE      | MFENCE      ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

#[test]
fn text_after_the_result() {
    let dir = folder(&[("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "tso", "--graph", "-"]).assert().code(0);
    insta::assert_snapshot!(shown(&run), @r"
    Test SB Allowed
    States 4
    0:EAX=0; 1:EAX=0;
    0:EAX=0; 1:EAX=1;
    0:EAX=1; 1:EAX=0;
    0:EAX=1; 1:EAX=1;
    Ok
    Witnesses
    Positive: 1 Negative: 3
    Condition exists (0:EAX=0 /\ 1:EAX=0)
    Observation SB Sometimes 1 3
    Time SB #
    Hash=edd4722437d708675ed921e7607e77f0

    Test SB, tso: 0:EAX=0; 1:EAX=0; satisfies the exists clause
      init: x=0, y=0
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  c: W[y]=1  MOV [y],$1
      b: R[y]=0  MOV EAX,[y]  |  d: R[x]=0  MOV EAX,[x]
      po: a -> b, c -> d
      rf: init -> b, init -> d
      fr: b -> c, d -> a

    --- exit 0
    ");
}

#[test]
fn a_file_for_each_execution() {
    let dir = folder(&[("SB.litmus", SB), ("F.litmus", FENCED)]);
    let at = dir.path();
    let run =
        litmus_in(at, &["run", "SB.litmus", "F.litmus", "-m", "tso", "--graph", "out/deep"]).assert().code(0);
    insta::assert_snapshot!(stderr(&run), @r"
    SB: drawn in out/deep/SB-1.svg
    SB+mfences: nothing to draw, none of the 3 executions that the model allows is of that kind (--show all draws them)
    ");
    let svg = std::fs::read_to_string(at.join("out/deep/SB-1.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");

    let all = ["run", "SB.litmus", "-m", "tso", "--graph", "all", "--show", "all", "--graph-format", "dot"];
    let run = litmus_in(at, &[&all[..], &["--graphs", "3"]].concat()).assert().code(0);
    insta::assert_snapshot!(stderr(&run), @r"
    SB: drawn in all/SB-1.dot
    SB: drawn in all/SB-2.dot
    SB: drawn in all/SB-3.dot
    SB: 3 executions drawn, there may be more (--graphs N)
    ");
    assert!(std::fs::read_to_string(at.join("all/SB-3.dot")).unwrap().starts_with("digraph G {"));
    assert!(!at.join("all/SB-4.dot").exists());
}

#[test]
fn models_and_tests_of_one_name_do_not_overwrite_each_other() {
    let dir = folder(&[("a/SB.litmus", SB), ("b/SB.litmus", SB)]);
    let at = dir.path();
    litmus_in(at, &["run", "a", "b", "-m", "tso", "-m", "pso", "--graph", "out", "-q"]).assert().code(0);
    let mut files: Vec<String> = std::fs::read_dir(at.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, ["SB.pso-1.svg", "SB.pso~2-1.svg", "SB.tso-1.svg", "SB.tso~2-1.svg"]);
}

#[test]
fn the_log_is_the_same_with_and_without_graphs() {
    let dir = folder(&[("SB.litmus", SB)]);
    let at = dir.path();
    let plain = litmus_in(at, &["run", "SB.litmus", "-m", "tso"]).assert().code(0);
    let drawn = litmus_in(at, &["run", "SB.litmus", "-m", "tso", "--graph", "out"]).assert().code(0);
    assert_eq!(super::without_times(&stdout(&plain)), super::without_times(&stdout(&drawn)));
}

#[test]
fn what_cannot_be() {
    let dir = folder(&[("SB.litmus", SB), ("file", "")]);
    let said = |args: &[&str]| stderr(&litmus_in(dir.path(), args).assert().code(2));
    insta::assert_snapshot!(said(&["run", "SB.litmus", "--graph", "-", "--format", "json"]), @"error: --graph - goes with the herd format; give a folder to have graphs beside another one");
    let message = said(&["run", "SB.litmus", "--graph", "file"]);
    assert!(message.starts_with("error: --graph: cannot make the folder `file`"), "{message}");
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "tso", "--graph", "out", "--draw", "hb2"]);
    insta::assert_snapshot!(stderr(&{ run }.assert().code(0)), @r"
    SB.litmus: warning[graph::no-such-relation]: there is no relation `hb2` to draw in this model
     = help: `litmus model show` lists its definitions, `litmus doc` the predefined names

    SB: drawn in out/SB-1.svg
    ");
    let message = said(&["run", "SB.litmus", "--show", "all"]);
    assert!(message.contains("--graph"), "{message}");
}

#[test]
fn as_herd7_draws() {
    let dir = folder(&[("SB.litmus", SB), ("F.litmus", FENCED), ("out/.keep", "")]);
    let at = dir.path();
    let herd = ["herd", "-model", "x86tso.cat", "-show", "prop", "-o", "out", "-suffix", "-tso"];
    let run = litmus_in(at, &[&herd[..], &["SB.litmus", "F.litmus"]].concat()).assert().code(0);
    assert_eq!(stderr(&run), "");
    let dot = std::fs::read_to_string(at.join("out/SB-tso.dot")).unwrap();
    assert_eq!(dot.matches("digraph G {").count(), 1);
    // The file is there, with nothing in it.
    assert_eq!(std::fs::read_to_string(at.join("out/F-tso.dot")).unwrap(), "");

    litmus_in(at, &["herd", "-model", "x86tso.cat", "-show", "all", "-o", "out", "SB.litmus"])
        .assert()
        .code(0);
    let dot = std::fs::read_to_string(at.join("out/SB.dot")).unwrap();
    assert_eq!(dot.matches("digraph G {").count(), 4);

    let run = litmus_in(at, &["herd", "-model", "x86tso.cat", "-show", "all", "-o", "gone", "SB.litmus"])
        .assert()
        .code(0);
    assert!(stderr(&run).starts_with("warning: cannot write `gone/SB.dot`: "), "{}", stderr(&run));
    let run = litmus_in(at, &["herd", "-model", "x86tso.cat", "-show", "wit", "-o", "-", "SB.litmus"])
        .assert()
        .code(0);
    let out = stdout(&run);
    assert!(out.contains("\nDOTBEGIN SB\nDOTCOM dot\ndigraph G {\n"), "{out}");
    assert!(out.ends_with("}\n\nDOTEND SB\n"), "{out}");
}

#[test]
fn other_names_kinds_and_conditions() {
    let dir = folder(&[
        ("SB.litmus", SB),
        ("names", "# theirs to ours\nSB Dekker\n"),
        ("kinds", "SB Forbid\n"),
        ("conds", "SB \"exists (0:EAX=1 /\\ 1:EAX=1)\"\n"),
        ("wrong", "\nSB Perhaps\n"),
        ("half", "SB\n"),
    ]);
    let at = dir.path();
    let herd = ["herd", "-model", "x86tso.cat", "SB.litmus"];
    let with = |more: &[&str], code| shown(&litmus_in(at, &[&herd[..], more].concat()).assert().code(code));
    insta::assert_snapshot!(with(&["-rename", "names", "-kinds", "kinds"], 0), @r"
    Test Dekker Forbidden
    States 4
    0:EAX=0; 1:EAX=0;
    0:EAX=0; 1:EAX=1;
    0:EAX=1; 1:EAX=0;
    0:EAX=1; 1:EAX=1;
    No
    Witnesses
    Positive: 3 Negative: 1
    Condition ~exists (0:EAX=0 /\ 1:EAX=0)
    Observation Dekker Sometimes 1 3
    Time Dekker #
    Hash=edd4722437d708675ed921e7607e77f0

    --- exit 0
    ");
    insta::assert_snapshot!(with(&["-conds", "conds"], 0), @r"
    Test SB Allowed
    States 4
    0:EAX=0; 1:EAX=0;
    0:EAX=0; 1:EAX=1;
    0:EAX=1; 1:EAX=0;
    0:EAX=1; 1:EAX=1;
    Ok
    Witnesses
    Positive: 1 Negative: 3
    Condition exists (0:EAX=1 /\ 1:EAX=1)
    Observation SB Sometimes 1 3
    Time SB #
    Hash=edd4722437d708675ed921e7607e77f0

    --- exit 0
    ");
    insta::assert_snapshot!(with(&["-kinds", "wrong"], 2), @r"
    --- stderr
    error: wrong:2: `Perhaps` is not a kind of test: Allow, Forbid or Require
    --- exit 2
    ");
    insta::assert_snapshot!(with(&["-rename", "half"], 2), @r"
    --- stderr
    error: half:1: a name and a value are needed
    --- exit 2
    ");
    insta::assert_snapshot!(with(&["-conds", "gone"], 2), @r"
    --- stderr
    error: cannot read `gone`: No such file or directory (os error 2)
    --- exit 2
    ");
}

#[test]
fn checks_can_be_passed_by() {
    let dir = folder(&[("F.litmus", FENCED)]);
    let at = dir.path();
    let observation = |through: &str| {
        let run = litmus_in(at, &["herd", "-model", "x86tso.cat", "-through", through, "F.litmus"]);
        let out = stdout(&{ run }.assert().code(0));
        out.lines().find(|line| line.starts_with("Observation")).unwrap().to_string()
    };
    assert_eq!(observation("none"), "Observation SB+mfences Never 0 3");
    assert_eq!(observation("all"), "Observation SB+mfences Sometimes 1 3");
}
