//! `litmus diff`.

use super::{MP, SB, folder, litmus_in, shown};

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
    insta::assert_snapshot!(diff(&["sc.log", "sc.log"], 0), @"");
    insta::assert_snapshot!(diff(&["sc.log", "x86tso.log"], 1), @"");
    insta::assert_snapshot!(diff(&["--only-differences", "x86tso.log", "sc.log"], 1), @"");
    insta::assert_snapshot!(diff(&["sc.log", "gone.log"], 2), @"");
    insta::assert_snapshot!(diff(&["sc.log", "SB.litmus"], 2), @"");
}

#[test]
fn hardware_against_a_model_that_is_run() {
    let dir = logs();
    let run =
        litmus_in(dir.path(), &["diff", "--run", "board.log", "MP.litmus", "-m", "x86tso"]).assert().code(1);
    insta::assert_snapshot!(shown(&run), @"");
    litmus_in(dir.path(), &["diff", "--run", "x86tso.log", "SB.litmus", "MP.litmus", "-m", "x86tso"])
        .assert()
        .code(0);
}
