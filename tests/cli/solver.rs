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

#[test]
fn final_states_of_two_models() {
    for (test, from, to, code) in
        [("sb-x86", "sc", "tso", 1), ("mp-x86", "sc", "tso", 0), ("sb-rfis-x86", "ase18-tso", "tso", 1)]
    {
        let file = format!("litmus/{test}.litmus");
        let args = ["port", "--states", "--from", from, "--to", to, &file];
        let asked = litmus(&args).assert().code(code);
        let solved = litmus(&[&args[..], &["--engine", "sat"]].concat()).assert().code(code);
        assert_eq!(shown(&asked), shown(&solved));
    }
    let args = ["port", "--from", "sc", "--to", "tso", "litmus/sb-x86.litmus", "--engine", "sat"];
    litmus(&args).assert().code(2);
}
