//! Machine-readable output.

use super::{BAD, MP, SB, folder, litmus_in, stdout};

#[test]
fn csv() {
    let dir = folder(&[("SB.litmus", SB), ("BAD.litmus", BAD)]);
    let args = ["run", "SB.litmus", "BAD.litmus", "-m", "x86tso", "--format", "csv", "--expect", "never"];
    let text = stdout(&litmus_in(dir.path(), &args).assert().code(2));
    let rows: Vec<Vec<&str>> = text.split("\r\n").map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0][..8], ["file", "test", "arch", "model", "status", "kind", "verdict", "observation"]);
    assert_eq!(
        rows[1][..11],
        ["SB.litmus", "SB", "X86", "x86tso", "answered", "Allowed", "Ok", "Sometimes", "1", "3", "4"]
    );
    assert_eq!(rows[1][12..14], ["complete", "failed"]);
    assert_eq!(rows[2][4], "error");
}

#[test]
fn junit() {
    let dir = folder(&[("SB.litmus", SB), ("BAD.litmus", BAD)]);
    let args = ["run", "SB.litmus", "BAD.litmus", "-m", "x86tso", "--format", "junit", "--expect", "never"];
    let text = stdout(&litmus_in(dir.path(), &args).assert().code(2));
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"), "{text}");
    assert!(
        text.contains("<testsuite name=\"litmus\" tests=\"2\" failures=\"1\" errors=\"1\" skipped=\"0\""),
        "{text}"
    );
    assert!(text.contains("<failure message=\"expected the observation Never, got Sometimes\">"), "{text}");
    // Every tag that is opened is closed.
    for tag in ["testsuites", "testsuite", "testcase", "failure", "error", "system-out"] {
        let opened = text.matches(&format!("<{tag} ")).count() + text.matches(&format!("<{tag}>")).count();
        assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn json_lines_are_complete_in_themselves() {
    let dir = folder(&[("SB.litmus", SB), ("BAD.litmus", BAD)]);
    let args = ["run", "SB.litmus", "BAD.litmus", "-m", "x86tso", "-m", "sc", "--format", "jsonl"];
    let text = stdout(&litmus_in(dir.path(), &args).assert().code(2));
    let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["model"], "x86tso");
    assert_eq!(lines[1]["model"], "sc");
    assert_eq!(lines[0]["states"][0]["line"], "0:EAX=0; 1:EAX=0;");
    assert_eq!(lines[0]["states"][0]["satisfies"], true);
    assert_eq!(lines[0]["states"][1]["values"]["1:EAX"], "1");
    assert_eq!(lines[3]["status"], "error");
    assert_eq!(lines[3]["diagnostics"][0]["places"][0]["line"], 4);
}

#[test]
fn tables_for_pages() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP)]);
    let run = |format: &str| {
        let args = ["run", "SB.litmus", "MP.litmus", "-m", "sc", "-m", "x86tso", "--format", format];
        stdout(&litmus_in(dir.path(), &args).assert().code(0))
    };
    insta::assert_snapshot!(run("markdown"), @r"
    | Test | sc | x86tso |
    |---|---|---|
    | **SB** | No Never 0/3 | Ok Sometimes 1/4 |
    | MP | No Never 0/3 | No Never 0/3 |
    ");
    insta::assert_snapshot!(run("latex"), @r"
    \begin{tabular}{lll}
    \hline
    Test & sc & x86tso \\
    \hline
    \textbf{SB} & No Never 0/3 & Ok Sometimes 1/4 \\
    MP & No Never 0/3 & No Never 0/3 \\
    \hline
    \end{tabular}
    ");
}
