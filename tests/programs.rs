//! Programs from the command line to the verdict: the benchmarks of Abdulla and others, Stateless model checking for TSO and PSO (TACAS 2015), in
//! sources of our own, each with the fences of no model, of TSO and of PSO.

#[path = "programs/concurrent.rs"]
mod concurrent;
#[path = "programs/fuzz.rs"]
mod fuzz;

use std::path::Path;
use std::process::Command;

/// Runs `litmus verify`: the word of the verdict, the exit code, the number of executions.
fn verify(file: &str, model: &str, args: &[&str]) -> (String, i32, u64) {
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
    let figures = text.lines().last().unwrap_or("").split_whitespace();
    let count = figures.filter_map(|word| word.parse::<u64>().ok()).sum();
    (word, run.status.code().unwrap_or(-1), count)
}

/// File, more arguments, the verdicts under sc, tso and pso (S safe, U unsafe), and the numbers of executions: complete, blocked, cut and violating ones
/// together. Bounds and verdicts are those of the paper.
const TABLE: &[(&str, &[&str], &str, [u64; 3])] = &[
    ("peterson.c", &[], "SUU", [10, 30, 42]),
    ("peterson.c", &["-D", "TSO"], "SSU", [10, 10, 32]),
    ("peterson.c", &["-D", "PSO"], "SSS", [10, 10, 10]),
    ("dekker.c", &["--unroll", "10"], "SUU", [12, 18, 30]),
    ("dekker.c", &["--unroll", "10", "-D", "TSO"], "SSU", [12, 12, 24]),
    ("dekker.c", &["--unroll", "10", "-D", "PSO"], "SSS", [12, 12, 14]),
    ("lamport.c", &["--unroll", "8"], "SUU", [32, 60, 234]),
    ("lamport.c", &["--unroll", "8", "-D", "TSO"], "SSU", [32, 32, 96]),
    ("lamport.c", &["--unroll", "8", "-D", "PSO"], "SSS", [32, 32, 46]),
    ("szymanski.c", &[], "SUU", [103, 1022, 1270]),
    ("szymanski.c", &["-D", "TSO"], "SSU", [103, 103, 115]),
    ("szymanski.c", &["-D", "PSO"], "SSS", [103, 103, 103]),
    ("dcl.c", &["--unroll", "7"], "SSU", [6, 6, 8]),
    ("dcl.c", &["--unroll", "7", "-D", "PSO"], "SSS", [6, 6, 6]),
    ("pgsql.c", &["--unroll", "8"], "SSU", [16, 16, 90]),
    ("pgsql.c", &["--unroll", "8", "-D", "PSO"], "SSS", [16, 16, 16]),
    ("pgsql_bnd.c", &["-D", "N=2", "-D", "PSO"], "SSS", [85, 85, 85]),
    ("parker.c", &["--unroll", "10"], "SUU", [69, 83, 91]),
    ("parker.c", &["--unroll", "10", "-D", "PSO"], "SSS", [69, 75, 83]),
    // As the reference counts them: loops that wait are unrolled to the bound, and locks are words of the program's own.
    ("dekker.c", &["--unroll", "10", "--every-round"], "SUU", [234, 240, 658]),
    ("dekker.c", &["--unroll", "10", "--every-round", "-D", "TSO"], "SSU", [234, 234, 652]),
    ("dekker.c", &["--unroll", "10", "--every-round", "-D", "PSO"], "SSS", [234, 234, 246]),
    ("dcl.c", &["--unroll", "7", "--every-round", "-D", "WORDS"], "SSU", [7, 7, 9]),
    ("dcl.c", &["--unroll", "7", "--every-round", "-D", "WORDS", "-D", "PSO"], "SSS", [7, 7, 7]),
    // Rounds as far as a test may take; the sums are those of Fibonacci's numbers.
    ("fib.c", &["-D", "N=2", "-D", "LIMIT=8"], "SSS", [0; 3]),
    ("fib.c", &["-D", "N=2", "-D", "LIMIT=7"], "UUU", [0; 3]),
    ("fib.c", &["-D", "JOIN", "-D", "LIMIT=144"], "SSS", [8953, 19404, 19404]),
    ("fib.c", &["-D", "N=3", "-D", "JOIN", "-D", "LIMIT=20"], "UUU", [0; 3]),
    ("indexer.c", &["--unroll", "5"], "SSS", [7, 7, 7]),
    ("stack.c", &["-D", "SIZE=3"], "SSS", [0; 3]),
    ("stack.c", &["-D", "SIZE=3", "-D", "UNSAFE"], "UUU", [0; 3]),
];

#[test]
fn the_verdicts_of_table_1() {
    let mut wrong = Vec::new();
    for (file, args, verdicts, counts) in TABLE {
        for ((model, verdict), count) in ["sc", "tso", "pso"].iter().zip(verdicts.chars()).zip(counts) {
            let mut args = args.to_vec();
            args.extend(["--keep-going", "--all-blocked", "--no-symmetry"]);
            args.extend(["--ignore", "race", "--ignore", "liveness"]);
            let (word, code, found) = verify(file, model, &args);
            let right = match verdict {
                'U' => word.starts_with("Unsafe") && code == 1,
                _ => {
                    word.starts_with("Safe up to") && code == 4 || word.starts_with("Safe under") && code == 0
                }
            };
            if !right || *count != 0 && found != *count {
                let told = format!("{file} {args:?} under {model}: {word}, exit {code}, {found} executions");
                wrong.push(format!("{told}; wanted {verdict}, {count}"));
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

/// A solver gives the same verdicts, where it takes the program at all.
#[test]
fn the_solver_gives_the_same_verdicts() {
    let (mut answered, mut refused) = (0, Vec::new());
    // How rounds of loops are counted is nothing to a solver.
    for (file, args, verdicts, _) in TABLE.iter().filter(|(_, args, ..)| !args.contains(&"--every-round")) {
        for (model, verdict) in ["sc", "tso", "pso"].iter().zip(verdicts.chars()) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(file);
            let run = Command::new(env!("CARGO_BIN_EXE_litmus"))
                .arg("verify")
                .arg(&path)
                .args(["-m", model, "--timeout", "20", "--engine", "sat"])
                .args(["--ignore", "lock"])
                .args(*args)
                .output()
                .expect("litmus runs");
            let text = String::from_utf8_lossy(&run.stdout).into_owned();
            let is = |word: &str| text.contains(&format!(": {word}"));
            match run.status.code() {
                Some(3) => refused.push(format!("{file} {args:?} under {model}")),
                _ if is("Unknown") => {
                    refused.push(format!("{file} {args:?} under {model}: no answer in time"))
                }
                code => {
                    let wanted = if verdict == 'U' { "Unsafe" } else { "Safe" };
                    assert!(is(wanted), "{file} {model} {args:?}: {code:?}\n{text}");
                    answered += 1;
                }
            }
        }
    }
    println!("{answered} answered; not: {refused:#?}");
    assert!(answered > 40, "{refused:#?}");
}

/// Store buffers as variables of a program, with a step of the machine as a part that nothing comes between. Three threads have too many executions to be listed; two have few enough
/// for `--keep-going`, which lists them all.
#[test]
fn parts_that_nothing_comes_between_by_states() {
    let by_states = ["--engine", "states", "--ignore", "race"];
    let growing = ["--keep-going", "--ignore", "race"];
    for (args, wanted) in [(&[][..], "Safe"), (&["-D", "BROKEN"][..], "Unsafe")] {
        let (word, ..) = verify("buffers.c", "sc", &[args, &["--ignore", "race"]].concat());
        assert!(word.starts_with(wanted), "three threads {args:?}: {word}");
        for threads in ["THREADS=1", "THREADS=2"] {
            let args = [args, &["-D", threads, "-D", "FEWER"]].concat();
            let (states, ..) = verify("buffers.c", "sc", &[&args[..], &by_states].concat());
            let (grown, ..) = verify("buffers.c", "sc", &[&args[..], &growing].concat());
            assert_eq!(states, grown, "{args:?}");
        }
    }
}

/// What states do not say is said.
#[test]
fn states_are_for_sequential_consistency() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus/programs/ticket.c");
    let run = Command::new(env!("CARGO_BIN_EXE_litmus"))
        .arg("verify")
        .arg(&path)
        .args(["-m", "rc11", "--engine", "states"])
        .output()
        .expect("litmus runs");
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    let first = "error[verify::states]: states do not say all that is asked of this program";
    assert_eq!((run.status.code(), text.lines().next()), (Some(3), Some(first)), "{text}");
}

/// Programs without such parts have the same verdict by their states, where these say all that is asked.
#[test]
fn states_give_the_same_verdicts() {
    let mut answered = 0;
    for (file, args, verdicts, _) in TABLE.iter().filter(|(_, args, ..)| !args.contains(&"--every-round")) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(file);
        let run = Command::new(env!("CARGO_BIN_EXE_litmus"))
            .arg("verify")
            .arg(&path)
            .args(["-m", "sc", "--timeout", "30", "--engine", "states"])
            .args(["--ignore", "race", "--ignore", "lock", "--ignore", "memory", "--ignore", "liveness"])
            .args(*args)
            .output()
            .expect("litmus runs");
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        match run.status.code() {
            // A loop that goes round for ever.
            Some(3) => {}
            code => {
                let wanted = if verdicts.starts_with('U') { ": Unsafe" } else { ": Safe" };
                assert!(text.contains(wanted), "{file} {args:?}: {code:?}\n{text}");
                answered += 1;
            }
        }
    }
    assert!(answered > 20, "{answered} answered");
}

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
        for (broken, all) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut run = Command::new(env!("CARGO_BIN_EXE_litmus"));
            run.current_dir(&folder).arg("verify").args(&listed).args(["-m", model, "--timeout", "60"]);
            if broken {
                run.args(["-D", "BROKEN"]);
            }
            if all {
                run.arg("--all-blocked");
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

/// Programs of the gallery are safe on machines, too, which may do more than any of the models above.
#[test]
fn the_gallery_on_machines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus/programs");
    let listed: Vec<String> = GALLERY.iter().map(|(name, _)| format!("{name}.c")).collect();
    for model in ["aarch64", "riscv", "ppc", "armv7"] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_litmus"));
        run.current_dir(&folder).arg("verify").args(&listed).args(["-m", model, "--timeout", "60"]);
        let output = run.output().expect("litmus runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let wanted: Vec<String> = listed.iter().map(|name| format!("{name}: Safe under {model}")).collect();
        let found: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(found, wanted, "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// How many fences make a program safe, at least: the changes of `litmus fence --fewest`.
fn fences(file: &str, model: &str, args: &[&str]) -> Option<usize> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(file);
    let run = Command::new(env!("CARGO_BIN_EXE_litmus"))
        .arg("fence")
        .arg(&path)
        .args(["-m", model, "--fewest", "--format", "json"])
        .args(args)
        .output()
        .expect("litmus runs");
    let record: serde_json::Value = serde_json::from_slice(&run.stdout).ok()?;
    assert_eq!(record["optimal"], true, "{file} {model}: {record}");
    record["repairs"][0]["changes"].as_array().map(Vec::len)
}

/// File, model, more arguments, the fewest fences, and how many the paper puts there by hand (each thread counted).
const PLACEMENTS: &[(&str, &str, &[&str], usize, usize)] = &[
    ("peterson.c", "tso", &[], 2, 2),
    ("peterson.c", "pso", &[], 6, 6),
    // Both threads run one macro, or one function: a fence there is one in each.
    ("pgsql.c", "pso", &["--unroll", "3"], 1, 2),
    ("dcl.c", "pso", &["--unroll", "3"], 1, 2),
    ("dekker.c", "tso", &["--unroll", "3"], 2, 4),
    ("dekker.c", "pso", &["--unroll", "3"], 4, 6),
    ("lamport.c", "tso", &["--unroll", "3"], 4, 4),
    ("parker.c", "tso", &["--unroll", "2"], 1, 1),
];

/// Likewise, as far as the paper goes; these take longer.
const MORE_PLACEMENTS: &[(&str, &str, &[&str], usize, usize)] = &[
    ("pgsql.c", "pso", &["--unroll", "8"], 1, 2),
    ("dcl.c", "pso", &["--unroll", "7"], 1, 2),
    ("dekker.c", "tso", &["--unroll", "10"], 2, 4),
    ("dekker.c", "pso", &["--unroll", "10"], 4, 6),
    ("szymanski.c", "tso", &[], 2, 8),
    ("szymanski.c", "pso", &[], 4, 10),
    ("lamport.c", "tso", &["--unroll", "8"], 4, 4),
    ("lamport.c", "pso", &["--unroll", "8"], 6, 6),
    ("parker.c", "tso", &["--unroll", "10"], 1, 1),
    ("parker.c", "pso", &["--unroll", "10"], 1, 1),
];

/// The hand placements of the paper against our optima; with `LITMUS_FENCES=all` those that take longer, too.
#[test]
fn fewest_fences() {
    let all = std::env::var("LITMUS_FENCES").is_ok_and(|which| which == "all");
    let more = if all { MORE_PLACEMENTS } else { &[] };
    let mut wrong = Vec::new();
    for (file, model, args, fewest, by_hand) in PLACEMENTS.iter().chain(more) {
        assert!(fewest <= by_hand);
        let found = fences(file, model, args);
        if found != Some(*fewest) {
            wrong.push(format!("{file} {args:?} under {model}: {found:?}, not {fewest}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
