//! Programs from the command line to the verdict: the benchmarks of Abdulla and others, Stateless model checking for TSO and PSO (TACAS 2015), in
//! sources of our own, each with the fences of no model, of TSO and of PSO.

#[path = "programs/fuzz.rs"]
mod fuzz;

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

/// Programs of the gallery, with the verdicts of their broken forms under sc, tso, pso and rc11. As they are, they are safe.
const GALLERY: &[(&str, &str)] = &[
    ("bakery", "SUUU"),
    ("barrier", "UUUU"),
    ("chaselev", "SUUU"),
    ("clh", "UUUU"),
    ("dekker", "SUUU"),
    ("hazard", "UUUU"),
    ("mcs", "SSUU"),
    ("mpmc", "SSSU"),
    ("msqueue", "SSSU"),
    ("once", "SSSU"),
    ("peterson", "SUUU"),
    ("rcu", "UUUU"),
    ("rwlock", "UUUU"),
    ("seqlock", "SSSU"),
    ("spsc", "SSUU"),
    ("szymanski", "SUUU"),
    ("ticket", "SSUU"),
    ("treiber", "SSSU"),
    ("ttas", "SSUU"),
];

#[test]
fn the_gallery() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus/programs");
    let listed: Vec<String> = GALLERY.iter().map(|(name, _)| format!("{name}.c")).collect();
    let mut there: Vec<String> = std::fs::read_dir(&folder)
        .expect("the gallery")
        .filter_map(|entry| entry.ok().and_then(|entry| entry.file_name().into_string().ok()))
        .collect();
    there.sort();
    assert_eq!(there, listed);
    for (at, model) in ["sc", "tso", "pso", "rc11"].iter().enumerate() {
        for broken in [false, true] {
            let mut run = Command::new(env!("CARGO_BIN_EXE_litmus"));
            run.current_dir(&folder).arg("verify").args(&listed).args(["-m", model, "--timeout", "60"]);
            if broken {
                run.args(["-D", "BROKEN"]);
            }
            let output = run.output().expect("litmus runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let wanted: Vec<String> = GALLERY
                .iter()
                .map(|(name, verdicts)| match broken && verdicts.as_bytes()[at] == b'U' {
                    true => format!("{name}.c: Unsafe under {model}"),
                    false => format!("{name}.c: Safe under {model}"),
                })
                .collect();
            let found: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
            assert_eq!(found, wanted, "broken: {broken}\n{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
