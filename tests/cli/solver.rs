//! `--engine sat`, from the outside.

use litmus::sat::{Batsat, Lit, Solver};

use crate::{litmus, litmus_in, shown};

/// Solves a file in the format of DIMACS.
fn solve(text: &str) -> bool {
    let mut solver = Batsat::new();
    let mut variables: Vec<Lit> = Vec::new();
    let mut clauses = 0;
    let mut promised = (0, 0);
    for line in text.lines().filter(|line| !line.starts_with('c')) {
        if let Some(sizes) = line.strip_prefix("p cnf ") {
            let mut sizes = sizes.split(' ').map(|n| n.parse::<usize>().expect("a number"));
            promised = (sizes.next().expect("variables"), sizes.next().expect("clauses"));
            variables = (0..promised.0).map(|_| solver.variable(false)).collect();
            continue;
        }
        let numbers: Vec<i64> = line.split(' ').map(|n| n.parse().expect("a literal")).collect();
        let (end, literals) = numbers.split_last().expect("a clause");
        assert_eq!(*end, 0);
        let literal = |n: &i64| {
            let variable = variables[n.unsigned_abs() as usize - 1];
            if *n > 0 { variable } else { !variable }
        };
        solver.clause(&literals.iter().map(literal).collect::<Vec<_>>());
        clauses += 1;
    }
    assert_eq!(clauses, promised.1);
    solver.solve(&[]).expect("no limit")
}

#[test]
fn what_is_emitted_has_the_same_answer() {
    for (test, model, allowed) in [
        ("sb-x86", "sc", false),
        ("sb-x86", "tso", true),
        ("sb-rfis-x86", "tso", true),
        ("sb-rfis-x86", "ase18-tso", false),
        ("mp-fenced-aarch64", "aarch64", false),
        ("iriw-ppc", "ppc", true),
        ("peterson-entry-x86", "sc", false),
        ("peterson-entry-x86", "x86tso", true),
    ] {
        let file = format!("litmus/{test}.litmus");
        let args = ["run", "--engine", "sat", "--emit", "dimacs", "-m", model, &file];
        let output = litmus(&args).assert().success();
        let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        assert_eq!(solve(&text), allowed, "{test} under {model}");
        let said = if allowed { "\nc satisfiable:" } else { "\nc unsatisfiable:" };
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn clauses_say_what_their_variables_mean() {
    let args = ["run", "--engine", "sat", "--emit", "dimacs", "-m", "sc", "litmus/sb-x86.litmus"];
    insta::assert_snapshot!(shown(&litmus(&args).assert()));
    let args = ["run", "--emit", "dimacs", "litmus/sb-x86.litmus"];
    insta::assert_snapshot!(shown(&litmus(&args).assert()));
}

/// A program in a file of its own.
fn verify(text: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program.c"), text).expect("written");
    let all = [&["verify", "program.c", "--engine", "sat"], args].concat();
    shown(&litmus_in(folder.path(), &all).assert())
}

const RACY: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y;\n\
    void *t(void *p) { x = 1; y = 1; return 0; }\n\
    int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); int r = y; assert(!r || x); pthread_join(a, 0); return 0; }\n";

#[test]
fn a_program_and_who_says_so() {
    let text = verify(RACY, &["-m", "tso"]);
    assert!(text.starts_with("program.c: Safe under tso\n  by the solver: "), "{text}");
    let text = verify(RACY, &["-m", "pso"]);
    assert!(
        text.starts_with("program.c: Unsafe under pso\n  assertion violated: !r || x at program.c:5"),
        "{text}"
    );
    assert!(text.contains("  by the solver: ") && text.contains("reads x = 0, its initial value"), "{text}");
    let text = verify(RACY, &["-m", "pso", "--format", "json"]);
    assert!(text.contains("\"engine\": \"sat\"") && text.contains("\"proposals\""), "{text}");
    let test =
        ["run", "--engine", "sat", "--mode", "check", "-m", "sc", "--format", "json", "litmus/sb-x86.litmus"];
    let output = litmus(&test).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("\"engine\":\"sat\""), "{text}");
}

#[test]
fn programs_that_it_does_not_take() {
    insta::assert_snapshot!(verify(RACY, &["-m", "rc11"]));
    insta::assert_snapshot!(verify(RACY, &["-m", "c11", "--ignore", "race"]));
    let heap = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }\n";
    insta::assert_snapshot!(verify(heap, &["-m", "sc"]));
    let long = "int x;\nint main(void) { for (int i = 0; i < 200000; i++) x = i; return 0; }\n";
    insta::assert_snapshot!(verify(long, &["-m", "sc"]));
}

#[test]
fn both_engines_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program.c"), RACY).expect("written");
    for (model, verdict, code) in [("tso", "Safe", 0), ("pso", "Unsafe", 1)] {
        let args = ["verify", "program.c", "--engine", "auto", "-m", model, "--ignore", "race"];
        let output = litmus_in(folder.path(), &args).assert().code(code);
        let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        assert!(text.contains(&format!("{verdict} under {model}")), "{text}");
    }
}

/// Two readers and many writers, each of a variable of its own: under SC no two variables are seen to be written in two orders. There are too many executions
/// to look at each of them, and few reasons.
fn many_writers(n: usize) -> String {
    let mut text = "C many-writers\n{}\n".to_string();
    for i in 0..n {
        text +=
            &format!("P{i} (atomic_int* x{i}) {{ atomic_store_explicit(x{i}, 1, memory_order_relaxed); }}\n");
    }
    let parameters: Vec<String> = (0..n).map(|i| format!("atomic_int* x{i}")).collect();
    let read = |i: usize| format!("  int r{i} = atomic_load_explicit(x{i}, memory_order_relaxed);\n");
    let (up, down): (String, String) = ((0..n).map(read).collect(), (0..n).rev().map(read).collect());
    for (thread, reads) in [(n, up), (n + 1, down)] {
        text += &format!("P{thread} ({}) {{\n{reads}}}\n", parameters.join(", "));
    }
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let seen: Vec<String> = pairs
        .map(|(i, j)| format!("({n}:r{i}=1 /\\ {n}:r{j}=0 /\\ {0}:r{j}=1 /\\ {0}:r{i}=0)", n + 1))
        .collect();
    text + &format!("exists ({})\n", seen.join(" \\/ "))
}

/// Where the explorer has no answer for long, the solver gives one, and the answer says so.
#[test]
fn the_solver_joins_an_explorer_that_is_stuck() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("test.litmus"), many_writers(16)).expect("written");
    let args = ["run", "test.litmus", "-m", "sc", "--mode", "check", "--engine", "auto", "--format", "json"];
    let output = litmus_in(folder.path(), &args).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("\"verdict\":\"No\"") && text.contains("\"engine\":\"sat\""), "{text}");
}

/// A program of several hundred lines, with explicit store buffers: the solver needs one proposal, since it watches the orders by itself.
#[test]
fn long_programs_with_store_buffers() {
    for (family, verdict) in [("wmm", "unsafe"), ("wmm-safe", "safe")] {
        for model in ["sc", "tso", "pso", "ase18-tso"] {
            let args = ["bench", family, "--engine", "sat", "-m", model, "--sizes", "4"];
            let output = litmus(&args).assert().success();
            let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
            let row: Vec<&str> = text.lines().last().unwrap_or_default().split_whitespace().collect();
            assert_eq!((row[3], *row.last().unwrap_or(&"")), ("1", verdict), "{model}\n{text}");
        }
    }
}

/// One thread writes to many variables, the other reads them from the last to the first and finds the first one unwritten: then it has found none written. Of the ways to
/// bring that about, all but one are refused.
#[test]
fn a_witness_among_very_many_ways() {
    const N: usize = 14;
    let parameters: Vec<String> = (0..N).map(|i| format!("atomic_int* x{i}")).collect();
    let parameters = parameters.join(", ");
    let write = |i: usize| format!("  atomic_store_explicit(x{i}, 1, memory_order_relaxed);\n");
    let read = |i: usize| format!("  int r{i} = atomic_load_explicit(x{i}, memory_order_relaxed);\n");
    let (writes, reads): (String, String) = ((0..N).map(write).collect(), (0..N).rev().map(read).collect());
    let text = format!(
        "C chain\n{{}}\nP0 ({parameters}) {{\n{writes}}}\nP1 ({parameters}) {{\n{reads}}}\nexists (1:r0=0)\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("chain.litmus"), text).expect("written");
    let output = litmus_in(folder.path(), &["explain", "chain.litmus", "-m", "sc"]).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.starts_with("chain under sc: 1:r0=0 can happen"), "{text}");
}

/// Faults are part of final states, and conditions ask for them one by one.
#[test]
fn faults_in_final_states() {
    for test in ["call", "guarded", "retag", "unmap"] {
        let file = format!("litmus/arm/{test}.litmus");
        for mode in ["check", "states"] {
            let args = ["run", &file, "--mode", mode, "-q", "--format", "csv"];
            let told = |engine: &str| {
                let output = litmus(&[&args[..], &["--engine", engine]].concat()).output().expect("it runs");
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let row = text.lines().nth(1).unwrap_or_default().to_string();
                // File, name, model and what is said of the condition; figures of the search differ.
                row.split(',').take(8).map(str::to_string).collect::<Vec<String>>()
            };
            assert_eq!(told("worlds"), told("sat"), "{test}, {mode}");
        }
    }
}

#[test]
fn final_states_of_two_models() {
    for (test, from, to, code) in
        [("sb-x86", "sc", "tso", 1), ("mp-x86", "sc", "tso", 0), ("sb-rfis-x86", "ase18-tso", "tso", 1)]
    {
        let file = format!("litmus/{test}.litmus");
        let args = ["port", "--states", "--from", from, "--to", to, &file];
        let asked = litmus(&args).assert().code(code);
        let solved = litmus(&[&args[..], &["--engine", "sat"]].concat()).assert().code(code);
        // The solver does not count the states of the source, and ends with the first that is new.
        let rest = |text: String| text.lines().skip(1).map(str::to_string).collect::<Vec<_>>();
        assert_eq!(rest(shown(&asked)), rest(shown(&solved)));
    }
    let args = ["port", "--from", "sc", "--to", "tso", "litmus/sb-x86.litmus", "--engine", "sat"];
    litmus(&args).assert().code(2);
}
