//! Canonical text, annotations and diagnostics.

use super::{Annotations, Lisa, check};
use crate::arch::testing::{canonical, parse, refused};
use crate::diag::{Color, render};

fn text(cell: &str) -> String {
    canonical(&Lisa, cell)
}

#[test]
fn instructions_print_as_herd7_prints_them() {
    assert_eq!(text("r[once]  r01 x"), "r[once] r1 x");
    assert_eq!(text("w[] x+4 r2"), "w[] x+4 r2");
    assert_eq!(text("f[rcu_read_lock]"), "f[rcu_read_lock]");
    assert_eq!(text("f[rcu-lock , mb]"), "f[rcu-lock,mb]");
    assert_eq!(text("rmw[acquire] r1 (add r1 1) x"), "rmw[acquire] r1 (add r1 1) x");
    assert_eq!(text("mov r1 (xor r2 r2)"), "mov r1 (xor r2 r2)");
    assert_eq!(text("b[] r1 L0"), "b[] r1 L0");
    assert_eq!(text("b[] L0"), "b[] L0");
}

#[test]
fn operands_are_checked() {
    insta::assert_snapshot!(refused(&Lisa, "rd[once] r1 x"), @r"
    error[arch::unknown-instruction]: unknown LISA instruction `rd`
      ┌─ test.litmus:1:1
      │
    1 │ rd[once] r1 x
      │ ^^ not an instruction that this tool knows
      │
      = help: did you mean `r`?
    ");
    insta::assert_snapshot!(refused(&Lisa, "r[once] x r1"), @r"
    error[arch::bad-operand]: expected a register, found `x`
      ┌─ test.litmus:1:9
      │
    1 │ r[once] x r1
      │         ^ registers are r0, r1, …
    ");
    insta::assert_snapshot!(refused(&Lisa, "w[] x y"), @r"
    error[arch::bad-operand]: `y` is a global: only registers and numbers can be stored
      ┌─ test.litmus:1:7
      │
    1 │ w[] x y
      │       ^ here
    ");
    insta::assert_snapshot!(refused(&Lisa, "mov r1 (mul r1 r2)"), @r"
    error[arch::bad-operand]: unknown operation `mul`
      ┌─ test.litmus:1:9
      │
    1 │ mov r1 (mul r1 r2)
      │         ^^^ here
      │
      = help: the operations are add, and, xor, eq, neq
    ");
    insta::assert_snapshot!(refused(&Lisa, "f[mb] {L0}{L0}"), @r"
    error[arch::unsupported-instruction]: fences between sets of labels are not handled
      ┌─ test.litmus:1:7
      │
    1 │ f[mb] {L0}{L0}
      │       ^ this set of labels
    ");
}

struct Declared;

impl Annotations for Declared {
    fn allows(&self, kind: &str, annotations: &[String]) -> bool {
        kind == "R" && annotations == ["once"]
    }
    fn default_of(&self, kind: &str) -> Option<Vec<String>> {
        (kind == "R").then(|| vec!["once".into()])
    }
    fn tags(&self, _: &str) -> Vec<String> {
        vec!["once".into()]
    }
}

#[test]
fn annotations_are_checked_against_the_bell_file() {
    let (_, instr) = parse(&Lisa, "r[] r1 x");
    let mut instr = instr.expect("a read");
    check(&mut instr, &Declared).expect("the default");
    assert!(format!("{:?}", instr.ops).contains("\"Once\""));

    let (sources, instr) = parse(&Lisa, "r[onse] r1 x");
    let error = check(&mut instr.expect("a read"), &Declared).expect_err("not declared");
    insta::assert_snapshot!(render(&error, &sources, Color::Never), @r"
    error[arch::undeclared-annotation]: the bell file declares no instruction R with the annotations `[onse]`
      ┌─ test.litmus:1:1
      │
    1 │ r[onse] r1 x
      │ ^^^^^^^^^^^^ this instruction
      │
      = help: did you mean `once`?
    ");
}

#[test]
fn values() {
    let run = |init: &str, code: &[&str]| crate::arch::testing::run(&Lisa, init, code);
    assert_eq!(run("x:8=4", &["r[] r1 x", "mov r2 (add r1 3)", "w[] x r2"]), "r1=4; r2=7; x=7;");
    assert_eq!(run("x:8=4", &["rmw[] r1 (add r1 1) x"]), "r1=4; x=5;");
    assert_eq!(run("x:8=4; r1=9", &["rmw[] r2 r1 x"]), "r1=9; r2=4; x=9;");
    assert_eq!(run("x:8=4", &["mov r1 x", "r[] r2 r1", "mov r3 (eq r2 4)", "mov r4 (neq r2 4)"]), {
        "r1=x; r2=4; r3=1; x=4;"
    });
    assert_eq!(run("r1=1", &["b[] r1 L", "mov r2 1", "L: mov r3 1"]), "r1=1; r3=1;");
}
