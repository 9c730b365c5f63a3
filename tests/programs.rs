//! Programs from the command line to the verdict: the benchmarks of Abdulla and others, Stateless model checking for TSO and PSO (TACAS 2015), in
//! sources of our own, each with the fences of no model, of TSO and of PSO.

use std::path::Path;
use std::process::Command;

/// Runs `litmus verify`: the word of the verdict, and the exit code.
fn verify(file: &str, model: &str, args: &[&str]) -> (String, i32) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(file);
    let run = Command::new(env!("CARGO_BIN_EXE_litmus"))
        .arg("verify")
        .arg(&path)
        .args(["-m", model, "--timeout", "60"])
        .args(args)
        .output()
        .expect("litmus runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let word = text.lines().next().and_then(|line| line.split(": ").nth(1)).unwrap_or("").to_string();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(!word.is_empty(), "{file} {model} {args:?}: {errors}");
    (word, run.status.code().unwrap_or(-1))
}

/// File, more arguments, and the verdicts under sc, tso and pso: S safe, U unsafe.
const TABLE: &[(&str, &[&str], &str)] = &[
    ("peterson.c", &[], "SUU"),
    ("peterson.c", &["-D", "TSO"], "SSU"),
    ("peterson.c", &["-D", "PSO"], "SSS"),
    ("dekker.c", &["--unroll", "4"], "SUU"),
    ("dekker.c", &["--unroll", "4", "-D", "TSO"], "SSU"),
    ("dekker.c", &["--unroll", "4", "-D", "PSO"], "SSS"),
    ("lamport.c", &["--unroll", "4"], "SUU"),
    ("lamport.c", &["--unroll", "4", "-D", "TSO"], "SSU"),
    ("lamport.c", &["--unroll", "4", "-D", "PSO"], "SSS"),
    ("szymanski.c", &[], "SUU"),
    ("szymanski.c", &["-D", "TSO"], "SSU"),
    ("szymanski.c", &["-D", "PSO"], "SSS"),
    ("dcl.c", &["--unroll", "3"], "SSU"),
    ("dcl.c", &["--unroll", "3", "-D", "PSO"], "SSS"),
    ("pgsql.c", &["--unroll", "4"], "SSU"),
    ("pgsql.c", &["--unroll", "4", "-D", "PSO"], "SSS"),
    ("parker.c", &["--unroll", "2"], "SUU"),
    ("parker.c", &["--unroll", "2", "-D", "PSO"], "SSS"),
    // Rounds as far as a test may take; the sums are those of Fibonacci's numbers.
    ("fib.c", &["-D", "N=2", "-D", "LIMIT=8"], "SSS"),
    ("fib.c", &["-D", "N=2", "-D", "LIMIT=7"], "UUU"),
    ("fib.c", &["-D", "N=3", "-D", "JOIN", "-D", "LIMIT=21"], "SSS"),
    ("fib.c", &["-D", "N=3", "-D", "JOIN", "-D", "LIMIT=20"], "UUU"),
    ("indexer.c", &[], "SSS"),
    ("stack.c", &["-D", "SIZE=2"], "SSS"),
    ("stack.c", &["-D", "SIZE=2", "-D", "UNSAFE"], "UUU"),
];

#[test]
fn the_verdicts_of_table_1() {
    let mut wrong = Vec::new();
    for (file, args, verdicts) in TABLE {
        for (model, verdict) in ["sc", "tso", "pso"].iter().zip(verdicts.chars()) {
            let (word, code) = verify(file, model, args);
            let right = match verdict {
                'U' => word.starts_with("Unsafe") && code == 1,
                _ => {
                    word.starts_with("Safe up to") && code == 4 || word.starts_with("Safe under") && code == 0
                }
            };
            if !right {
                wrong.push(format!("{file} {args:?} under {model}: {word}, exit {code}, not {verdict}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
