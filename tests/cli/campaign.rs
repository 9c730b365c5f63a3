//! Many tests in one run: order, parts, interruption.

use super::{MP, SB, folder, litmus, litmus_in, stderr, stdout, without_times};

fn log(args: &[&str]) -> String {
    let mut all = vec!["run", "litmus", "-q"];
    all.extend(args);
    without_times(&stdout(&litmus(&all).assert().code(0)))
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let one = log(&["--jobs", "1"]);
    assert!(one.matches("Test ").count() > 20);
    assert_eq!(one, log(&["--jobs", "2"]));
    assert_eq!(one, log(&["--jobs", "7"]));
}

#[test]
fn the_parts_make_the_whole() {
    let dir = folder(&[]);
    let root = env!("CARGO_MANIFEST_DIR");
    let tests = format!("{root}/litmus");
    let mut parts = Vec::new();
    for part in 1..=3 {
        let (shard, name) = (format!("{part}/3"), format!("{part}.log"));
        litmus_in(dir.path(), &["run", &tests, "-q", "--shard", &shard, "-o", &name]).assert().code(0);
        parts.push(name);
    }
    let merged = litmus_in(dir.path(), &["merge", &parts[0], &parts[1], &parts[2]]).assert().code(0);
    assert_eq!(without_times(&stdout(&merged)), log(&[]));
}

#[test]
fn an_interrupted_run_is_taken_up() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP)]);
    let run = |args: &[&str]| {
        let mut all = vec!["run", "SB.litmus", "MP.litmus", "-m", "sc"];
        all.extend(args);
        litmus_in(dir.path(), &all).assert().code(0)
    };
    run(&["-o", "whole.log"]);
    let whole = std::fs::read_to_string(dir.path().join("whole.log")).unwrap();
    // Cut in the middle of the second block.
    let cut = whole.find("Test MP").unwrap() + 20;
    std::fs::write(dir.path().join("part.log"), &whole[..cut]).unwrap();
    let resumed = run(&["--resume", "part.log"]);
    assert_eq!(stderr(&resumed), "1 result kept, 1 test left\n");
    let again = std::fs::read_to_string(dir.path().join("part.log")).unwrap();
    assert_eq!(without_times(&again), without_times(&whole));
    // Nothing is left to do, and a file that is not there yet is an empty one.
    assert_eq!(stderr(&run(&["--resume", "part.log"])), "2 results kept, 0 tests left\n");
    run(&["--resume", "new.log"]);
    let fresh = std::fs::read_to_string(dir.path().join("new.log")).unwrap();
    assert_eq!(without_times(&fresh), without_times(&whole));
}

#[test]
fn merging_finds_contradictions() {
    let dir = folder(&[("SB.litmus", SB)]);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "-o", "a.log"]).assert().code(0);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "-o", "b.log"]).assert().code(0);
    let merged = litmus_in(dir.path(), &["merge", "a.log", "b.log"]).assert().code(1);
    assert_eq!(stderr(&merged), "error: SB has different answers in a.log and b.log\n");
    let twice = litmus_in(dir.path(), &["merge", "a.log", "a.log"]).assert().code(0);
    assert_eq!(stdout(&twice).matches("Test SB").count(), 1);
    std::fs::write(dir.path().join("half.log"), "Test SB Allowed\nStates 3\n").unwrap();
    litmus_in(dir.path(), &["merge", "half.log"]).assert().code(2);
    litmus_in(dir.path(), &["merge", "gone.log"]).assert().code(2);
}

#[test]
fn tests_of_one_name_are_told_apart_by_their_hashes() {
    let dir = folder(&[("a/SB.litmus", SB), ("b/SB.litmus", &SB.replace("[y],$1", "[y],$2"))]);
    litmus_in(dir.path(), &["run", "a", "-m", "sc", "-o", "a.log"]).assert().code(0);
    litmus_in(dir.path(), &["run", "b", "-m", "sc", "-o", "b.log"]).assert().code(0);
    let merged = litmus_in(dir.path(), &["merge", "a.log", "b.log"]).assert().code(0);
    assert_eq!((stderr(&merged).as_str(), stdout(&merged).matches("Test SB").count()), ("", 2));
    // Taken up with the other test of that name: it is run.
    let resumed = litmus_in(dir.path(), &["run", "b", "-m", "sc", "--resume", "a.log"]).assert().code(0);
    assert_eq!(stderr(&resumed), "b/SB.litmus: SB has changed since, it is run again\n");
    let again = std::fs::read_to_string(dir.path().join("a.log")).unwrap();
    let alone = std::fs::read_to_string(dir.path().join("b.log")).unwrap();
    assert_eq!(without_times(&again), without_times(&alone));
}

#[cfg(unix)]
#[test]
fn control_c_prints_what_is_known() {
    use std::process::{Command, Stdio};
    let dir = folder(&[("SB.litmus", SB)]);
    litmus_in(dir.path(), &["bench", "incs", "--sizes", "12", "--emit", "."]).assert().code(0);
    let child = Command::new(env!("CARGO_BIN_EXE_litmus"))
        .args(["run", "SB.litmus", "incs-12.litmus", "-m", "sc"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{err}");
    // The log holds whole answers only; what is known of the other test is told beside it.
    assert!(out.contains("Test SB Allowed") && !out.contains("Test incs-12 Allowed"), "{out}");
    assert!(err.contains("incs-12: interrupted; outcomes may be missing"), "{err}");
    assert!(err.contains("  not in the log; seen so far: "), "{err}");
}

/// A terminal, as `script` of util-linux makes one; where that is missing there is nothing to test with.
#[test]
fn a_terminal_gets_colour_and_a_summary() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP)]);
    let line = format!("{} run SB.litmus MP.litmus -m sc -m x86tso", env!("CARGO_BIN_EXE_litmus"));
    let run = std::process::Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(dir.path())
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .output();
    let Ok(output) = run else {
        eprintln!("skipped: there is no `script` here");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\u{1b}[1;33m! SB"), "{text}");
    assert!(text.contains("2 tests under 2 models, 4 answered in "), "{text}");
}

/// What cannot be taken up is not thrown away.
#[test]
fn resuming_what_is_no_run() {
    let dir = folder(&[("SB.litmus", SB), ("notes.txt", "dear diary\n"), ("run.jsonl", "{\"schema\":1}\n")]);
    for (file, format) in
        [("notes.txt", "herd"), ("notes.txt", "jsonl"), ("run.jsonl", "herd"), ("new.json", "json")]
    {
        let before = std::fs::read_to_string(dir.path().join(file)).ok();
        let args = ["run", "SB.litmus", "-m", "sc", "--format", format, "--resume", file];
        let said = stderr(&litmus_in(dir.path(), &args).assert().code(2));
        assert!(said.contains("it stays as it is") || said.contains("goes with --format"), "{said}");
        assert_eq!(std::fs::read_to_string(dir.path().join(file)).ok(), before);
    }
    // A run that was cut in its first word.
    std::fs::write(dir.path().join("cut.log"), "Te").expect("a file");
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--resume", "cut.log"]).assert().code(0);
}

/// A stand-in for Slurm: runs the tasks of an array one after the other, the second one killed in the middle at first.
#[cfg(unix)]
const SBATCH: &str = r#"#!/bin/sh
for last in "$@"; do :; done
tasks=$(sed -n 's/^#SBATCH --array=1-//p' "$last")
if [ -n "$tasks" ]; then
  for task in $(seq "$tasks"); do
    SLURM_ARRAY_TASK_ID=$task sh "$last" 2>>tasks.err
    if [ "$task" = 2 ]; then
      # What a task that is killed leaves behind: half of a line, and no exit code.
      head -c 200 part-2.jsonl > torn && mv torn part-2.jsonl && rm part-2.exit
    fi
  done
  echo 7
else
  sh "$last" > summary.txt 2>&1
  echo 8
fi
"#;

#[cfg(unix)]
#[test]
fn a_campaign_is_submitted_collected_and_mended() {
    use std::os::unix::fs::PermissionsExt;
    let dir =
        folder(&[("SB.litmus", SB), ("MP.litmus", MP), ("bad.litmus", "X86 bad\n"), ("bin/sbatch", SBATCH)]);
    let sbatch = dir.path().join("bin/sbatch");
    std::fs::set_permissions(&sbatch, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", dir.path().join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let litmus = |args: &[&str]| {
        let mut command = litmus_in(dir.path(), args);
        command.env("PATH", &path);
        command.assert()
    };
    let blank = |text: String| text.replace(&dir.path().canonicalize().unwrap().display().to_string(), "DIR");
    let tests = ["SB.litmus", "MP.litmus", "bad.litmus"];
    let submitted =
        litmus(&[&["campaign"], &tests[..], &["-m", "sc", "--slurm", "2", "-o", "c"]].concat()).code(0);
    insta::assert_snapshot!(blank(stdout(&submitted)), @"3 tests in 2 parts: job 7, collected by job 8");
    insta::assert_snapshot!(blank(std::fs::read_to_string(dir.path().join("c/summary.txt")).unwrap()));
    insta::assert_snapshot!(stdout(&litmus(&["campaign", "status", "c"]).code(0)));
    litmus(&["campaign", "collect", "c"]).code(1);
    // Started again, the part keeps what it has; then nothing is missing.
    let again =
        std::process::Command::new("sh").args(["task.sh", "2"]).current_dir(dir.path().join("c")).status();
    assert!(again.is_ok_and(|status| status.success()));
    let collected = litmus(&["campaign", "collect", "c"]).code(0);
    insta::assert_snapshot!(blank(stdout(&collected)));
    // The same as one process would have found.
    let absolute = tests.map(|test| dir.path().canonicalize().unwrap().join(test).display().to_string());
    let mut one = vec!["run", "-m", "sc", "-q", "--format", "jsonl"];
    one.extend(absolute.iter().map(String::as_str));
    let without_figures = |text: String| -> Vec<serde_json::Value> {
        let mut lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.iter_mut().for_each(|line| line["time"] = serde_json::Value::Null);
        lines
    };
    let all = std::fs::read_to_string(dir.path().join("c/all.jsonl")).unwrap();
    assert_eq!(without_figures(all), without_figures(stdout(&litmus(&one).code(2))));
    // A second campaign does not write over the first.
    litmus(&["campaign", "SB.litmus", "--slurm", "2", "-o", "c"]).code(2);
}

/// One search in several parts is the same search.
#[test]
fn units_make_the_whole() {
    let dir = folder(&[("SB.litmus", SB)]);
    litmus_in(dir.path(), &["bench", "ring", "--sizes", "5", "--emit", "."]).assert().code(0);
    litmus_in(dir.path(), &["bench", "writers", "--sizes", "5", "--emit", "."]).assert().code(0);
    let tests = ["SB.litmus", "ring-5.litmus", "writers-5.litmus"];
    let mut files = Vec::new();
    for unit in 1..=3 {
        let (unit, file) = (format!("{unit}/3"), format!("{unit}.jsonl"));
        let args = [&["run", "-m", "x86tso", "-q", "--unit", &unit, "-o", &file], &tests[..]].concat();
        litmus_in(dir.path(), &args).assert().code(0);
        files.push(file);
    }
    let whole =
        litmus_in(dir.path(), &[&["run", "-m", "x86tso", "-q"], &tests[..]].concat()).assert().code(0);
    let joined =
        litmus_in(dir.path(), &["merge", "--units", &files[0], &files[1], &files[2]]).assert().code(0);
    assert_eq!(without_times(&stdout(&joined)), without_times(&stdout(&whole)));
    let part = litmus_in(dir.path(), &["merge", "--units", &files[0], &files[2]]).assert().code(2);
    insta::assert_snapshot!(stderr(&part), @"error: unit 2/3 of SB is missing");
}

/// Results in either form, and whole folders of them, are compared alike.
#[test]
fn logs_json_lines_and_folders_are_compared() {
    let dir = folder(&[("t/SB.litmus", SB), ("t/MP.litmus", MP), ("one/x", ""), ("two/x", "")]);
    for (model, folder) in [("sc", "one"), ("x86tso", "two")] {
        let run = |args: &[&str]| {
            litmus_in(dir.path(), &[&["run", "t", "-q", "-m", model], args].concat()).assert().code(0)
        };
        run(&["--format", "jsonl", "-o", &format!("{folder}/a.jsonl")]);
        run(&["-o", &format!("{folder}.log")]);
    }
    let diff = |a: &str, b: &str, code: i32| litmus_in(dir.path(), &["diff", a, b]).assert().code(code);
    diff("one.log", "one/a.jsonl", 0);
    diff("one", "one.log", 0);
    assert_eq!(
        stdout(&diff("one.log", "two.log", 1)).replace(".log", ""),
        stdout(&diff("one", "two", 1)).replace(".log", "")
    );
}

#[test]
fn what_ci_shows_beside_a_line() {
    let wrong = "X86 bad\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\n FROB EAX ;\nexists (x=1)\n";
    let dir = folder(&[("SB.litmus", SB), ("a b.litmus", wrong)]);
    let run = |format: &str| {
        let args =
            ["run", "SB.litmus", "a b.litmus", "-m", "sc", "-q", "--expect", "sometimes", "--format", format];
        stdout(&litmus_in(dir.path(), &args).assert().code(2))
    };
    insta::assert_snapshot!(run("github"));
    insta::assert_snapshot!(run("sarif"));
}
