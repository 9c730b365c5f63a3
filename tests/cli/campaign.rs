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

/// A search is cut into units that are lists of decisions; one that proves too big is cut again; together they are the search.
#[test]
fn a_split_search_is_the_search() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP)]);
    let litmus = |args: &[&str], code: i32| litmus_in(dir.path(), args).assert().code(code);
    litmus(&["bench", "ring", "--sizes", "6", "--emit", "."], 0);
    litmus(&["bench", "writers", "--sizes", "4", "--emit", "."], 0);
    litmus(&["bench", "incs", "--sizes", "5", "--emit", "."], 0);
    for (test, model, units) in
        [("SB", "sc", 3), ("ring-6", "x86tso", 7), ("writers-4", "sc", 64), ("incs-5", "x86tso", 2)]
    {
        let file = format!("{test}.litmus");
        let whole = stdout(&litmus(&["run", "-q", "-m", model, &file], 0));
        litmus(&["split", &file, "-m", model, "-q", "--units", &units.to_string(), "-o", "u.jsonl"], 0);
        let text = std::fs::read_to_string(dir.path().join("u.jsonl")).unwrap();
        let mut waiting: Vec<(String, String)> =
            (1..=text.lines().count()).map(|number| ("u.jsonl".to_string(), number.to_string())).collect();
        assert!(!waiting.is_empty() && waiting.len() <= units, "{text}");
        let mut results = Vec::new();
        // Units give up early, and leave the rest to others, and so on.
        while let Some((units, number)) = waiting.pop() {
            let (unit, result, rest) = (
                format!("{units}:{number}"),
                format!("{test}-{number}.jsonl"),
                format!("rest-{number}.jsonl"),
            );
            litmus(
                &[
                    "run",
                    &file,
                    "-q",
                    "-m",
                    model,
                    "--unit",
                    &unit,
                    "--split-after",
                    "40",
                    "--rest",
                    &rest,
                    "-o",
                    &result,
                ],
                0,
            );
            results.push(result);
            if let Ok(text) = std::fs::read_to_string(dir.path().join(&rest)) {
                waiting.extend(
                    (1..=text.lines().count()).map(|part| (rest.clone(), format!("{number}.{part}"))),
                );
            }
        }
        let all: Vec<&str> =
            ["merge", "--units"].into_iter().chain(results.iter().map(String::as_str)).collect();
        assert_eq!(without_times(&stdout(&litmus(&all, 0))), without_times(&whole), "{test}");
        assert!(test != "incs-5" || results.len() > units, "no unit of {test} was cut again");
        if test == "incs-5" {
            let without: Vec<&str> = all.iter().copied().filter(|name| *name != "incs-5-2.jsonl").collect();
            insta::assert_snapshot!(stderr(&litmus(&without, 2)), @"error: unit 2/2 of incs-5 is missing");
            let part =
                results.iter().find(|name| name.contains('.') && name.matches('.').count() == 2).unwrap();
            let without: Vec<&str> = all.iter().copied().filter(|name| name != part).collect();
            let number = part.trim_start_matches("incs-5-").trim_end_matches(".jsonl");
            assert_eq!(
                stderr(&litmus(&without, 2)),
                format!("error: unit {number}/2 of incs-5 is missing\n")
            );
        }
        for number in 1..=9 {
            let _ = std::fs::remove_file(dir.path().join(format!("rest-{number}.jsonl")));
        }
    }
    // A unit is for the test, the model and the options that it was split from.
    litmus(&["split", "SB.litmus", "-m", "sc", "-q", "--units", "2", "-o", "sb.jsonl"], 0);
    let run = |args: &[&str]| stderr(&litmus(&[&["run", "-q", "--unit", "sb.jsonl:1"], args].concat(), 2));
    insta::assert_snapshot!(run(&["SB.litmus", "-m", "x86tso"]), @"error: unit 1 was split from another test, or under another model: their texts are not these");
    insta::assert_snapshot!(run(&["MP.litmus", "-m", "sc"]), @"error: unit 1 was split from another test, or under another model: their texts are not these");
    insta::assert_snapshot!(run(&["SB.litmus", "-m", "sc", "--unroll", "3"]), @"error: unit 1 was split with other options: give those of `litmus split`");
    let other = litmus(&["run", "SB.litmus", "-m", "sc", "-q", "--unit", "sb.jsonl:9"], 2);
    insta::assert_snapshot!(stderr(&other), @"error: there is no unit 9 in `sb.jsonl`: it has 1 to 1");
    // One that somebody has changed.
    let text = std::fs::read_to_string(dir.path().join("sb.jsonl")).unwrap();
    let mut unit: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    unit["subtrees"] = serde_json::json!(["w0 r99=1"]);
    std::fs::write(dir.path().join("sb.jsonl"), unit.to_string() + "\n").unwrap();
    let said = run(&["SB.litmus", "-m", "sc"]);
    assert!(
        said.contains("error[explore::unit]: this unit is not one of this search: it has no `r99=1`"),
        "{said}"
    );
    unit["subtrees"] = serde_json::json!(["w0 what"]);
    std::fs::write(dir.path().join("sb.jsonl"), unit.to_string() + "\n").unwrap();
    assert!(run(&["SB.litmus", "-m", "sc"]).contains("`w0 what` is no subtree"));
    std::fs::write(dir.path().join("bad.jsonl"), "{}\n").unwrap();
    litmus(&["run", "SB.litmus", "-m", "sc", "-q", "--unit", "bad.jsonl:1"], 2);
}

/// The truth lies in the range that is given for it, in most cases.
#[test]
fn estimates_are_near_the_truth() {
    use litmus::explore::Guess;
    use litmus::session::{Input, Session, Settings};
    let dir = folder(&[]);
    let (mut inside, mut all) = (0, 0);
    for (family, size, model) in [
        ("ring", "7", "x86tso"),
        ("ring", "5", "sc"),
        ("writers", "5", "sc"),
        ("incs", "5", "x86tso"),
        ("coherence", "5", "sc"),
        ("loop", "4", "sc"),
        ("threads", "6", "x86tso"),
        ("variables", "6", "x86tso"),
    ] {
        litmus_in(dir.path(), &["bench", family, "--sizes", size, "--emit", "."]).assert().code(0);
        let input = Input::File(dir.path().join(format!("{family}-{size}.litmus")));
        let session = Session::new(Settings::default());
        let report = session.run(&input, Some(model));
        let truth = report.outcome().expect("an answer").stats.executions.as_f64();
        for seed in 1..=3 {
            let (_, survey) = session.survey(&input, Some(model), 64, seed);
            let guess = Guess::sum(survey.expect("a survey").shares.iter().map(|share| share.executions));
            let (least, most) = guess.range();
            all += 1;
            // What every walk says is the truth, but for rounding.
            inside += u32::from(least <= truth * 1.000_001 && truth <= most * 1.000_001);
        }
    }
    assert!(inside * 4 >= all * 3, "{inside} of {all}");
    // In words, before anything is run for long.
    let said =
        stdout(&litmus_in(dir.path(), &["run", "ring-5.litmus", "-m", "sc", "--estimate"]).assert().code(0));
    assert!(said.starts_with("ring-5: ") && said.contains(" executions"), "{said}");
}

/// Results as a database, asked as the documentation does.
#[test]
fn results_are_asked_in_sql() {
    let wrong = "X86 bad\n{ x=0; }\n P0 ;\n FROB EAX ;\nexists (x=1)\n";
    let dir = folder(&[("t/SB.litmus", SB), ("t/MP.litmus", MP), ("t/bad.litmus", wrong)]);
    let run = |model: &str, file: &str| {
        let args = ["run", "t", "-q", "-m", model, "--format", "sqlite", "-o", file, "--expect", "never"];
        litmus_in(dir.path(), &args).assert().code(2);
    };
    run("sc", "last-week.db");
    run("x86tso", "now.db");
    let base = rusqlite::Connection::open(dir.path().join("now.db")).unwrap();
    let ask = |query: &str| -> Vec<String> {
        let mut statement = base.prepare(query).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            let value = |column: usize| -> rusqlite::Result<String> {
                Ok(match row.get_ref(column)? {
                    rusqlite::types::ValueRef::Null => "-".to_string(),
                    rusqlite::types::ValueRef::Integer(n) => n.to_string(),
                    rusqlite::types::ValueRef::Real(_) => "real".to_string(),
                    value => value.as_str().unwrap().to_string(),
                })
            };
            Ok((0..columns).map(|column| value(column).unwrap()).collect::<Vec<_>>().join(" | "))
        });
        rows.unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(ask("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(
        ask(
            "SELECT test, arch, model, status, verdict, observation, positive, negative, met, seconds FROM results"
        ),
        [
            "MP | X86 | x86tso | answered | No | Never | 0 | 3 | 1 | real",
            "SB | X86 | x86tso | answered | Ok | Sometimes | 1 | 3 | 0 | real",
            "bad | X86 | x86tso | error | - | - | - | - | - | real",
        ]
    );
    assert_eq!(ask("SELECT count(*), max(result) FROM states"), ["7 | 2"]);
    assert_eq!(ask("SELECT results FROM runs"), ["3"]);
    // The queries of the documentation.
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/campaigns.md")).unwrap();
    let blocks: Vec<&str> =
        page.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 3, "the queries are gone from the page");
    let path = dir.path().join("last-week.db").display().to_string();
    let mut answers = Vec::new();
    for block in blocks {
        for query in block.split_inclusive(";\n") {
            let query = query.trim().replace("last-week.db", &path);
            match query.starts_with("ATTACH") {
                true => base.execute_batch(&query).unwrap(),
                false => answers.push(ask(query.trim_end_matches(';')).join("\n")),
            }
        }
    }
    insta::assert_snapshot!(answers.join("\n--\n"));
    litmus_in(dir.path(), &["run", "t/SB.litmus", "--format", "sqlite"]).assert().code(2);
}

/// Rows longer than a page, and more than a tree of one level holds.
#[test]
fn a_large_database_is_whole() {
    let dir = folder(&[]);
    let long = "x".repeat(9000);
    let line = |n: usize| {
        let condition = if n.is_multiple_of(100) { long.as_str() } else { "exists (x=1)" };
        let states: Vec<serde_json::Value> = (0..n % 5)
            .map(|s| serde_json::json!({"line": format!("x={s};"), "witnesses": 1u64 << (s * 13)}))
            .collect();
        serde_json::json!({"schema": "litmus-results/1", "file": format!("/t/{n}"), "name": format!("t{n}"), "arch": "X86",
            "model": "sc", "status": "answered", "condition": condition, "positive": n, "negative": n * n * n,
            "states": states, "flags": [], "hash": ["00"], "time": {"total": 0.5}})
        .to_string()
            + "\n"
    };
    let n = 30_000;
    let c = dir.path().join("c");
    std::fs::create_dir(&c).unwrap();
    let tests: Vec<String> = (0..n).map(|n| format!("/t/{n}")).collect();
    let campaign = serde_json::json!({"tests": tests, "options": [], "parts": 1});
    std::fs::write(c.join("campaign.json"), campaign.to_string()).unwrap();
    std::fs::write(c.join("part-1.jsonl"), (0..n).map(line).collect::<String>()).unwrap();
    std::fs::write(c.join("part-1.exit"), "0\n").unwrap();
    litmus_in(dir.path(), &["campaign", "collect", "c", "--format", "sqlite"]).assert().code(0);
    let base = rusqlite::Connection::open(c.join("all.db")).unwrap();
    let one = |query: &str| -> i64 { base.query_row(query, [], |row| row.get(0)).unwrap() };
    let check: String = base.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    assert_eq!(one("SELECT count(*) FROM results"), n as i64);
    assert_eq!(one("SELECT sum(negative = positive * positive * positive) FROM results"), n as i64);
    assert_eq!(one("SELECT sum(length(condition) = 9000) FROM results"), 300);
    assert_eq!(one("SELECT count(*) FROM states"), 60_000);
    assert_eq!(
        one("SELECT count(*) FROM states JOIN results ON result = results.id WHERE positive % 5 = 0"),
        0
    );
    assert_eq!(one("SELECT max(witnesses) FROM states"), 1 << 39);
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
