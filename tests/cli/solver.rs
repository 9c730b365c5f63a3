//! `--engine sat`, from the outside.

use litmus::sat::{Batsat, Lit, Solver};

use crate::{litmus, shown};

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
