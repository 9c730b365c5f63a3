//! Canonical text and diagnostics.

use super::RiscV;
use crate::arch::testing::{canonical, refused};

fn text(cell: &str) -> String {
    canonical(&RiscV, cell)
}

#[test]
fn instructions_print_as_herd7_prints_them() {
    assert_eq!(text("ori a0, zero , 1"), "ori x10,x0,1");
    assert_eq!(text("xori x5,x6,-1"), " xori x5,x6,-1");
    assert_eq!(text("addi x5,x6,0"), "mv x5,x6");
    assert_eq!(text("lw x5,(x6)"), "lw x5,0(x6)");
    assert_eq!(text("amoswap.w.aqrl x5,x6,0(x7)"), "amoswap.w.aqrl x5,x6,(x7)");
    assert_eq!(text("lr.w.rl x5,(x6)"), "lr.w x5,0(x6)");
    assert_eq!(text("sc.d.aq x5,x7,(x6)"), "sc.d x5,x7,0(x6)");
    assert_eq!(text("fence"), "fence rw,rw");
    assert_eq!(text("fence iorw,ow"), "fence iorw,ow");
    assert_eq!(text("NOP"), "nop");
    assert_eq!(text("bne x5,s10,L0"), "bne x5,x26,L0");
}

#[test]
fn unknown_instructions_get_a_suggestion() {
    insta::assert_snapshot!(refused(&RiscV, "amoad.w x5,x6,(x7)"), @r"
    error[arch::unknown-instruction]: unknown RISC-V instruction `amoad.w`
      ┌─ test.litmus:1:1
      │
    1 │ amoad.w x5,x6,(x7)
      │ ^^^^^^^ not an instruction that this tool knows
      │
      = help: did you mean `amoadd.w`?
    ");
    insta::assert_snapshot!(refused(&RiscV, "sw.aq x5,0(x6)"), @r"
    error[arch::bad-operand]: `sw` cannot be `.aq`
      ┌─ test.litmus:1:1
      │
    1 │ sw.aq x5,0(x6)
      │ ^^^^^ order that this access cannot have
      │
      = help: `sw` takes the order suffixes `.rl` and `.aq.rl`
    ");
    insta::assert_snapshot!(refused(&RiscV, "csrrw x5,x6,x7"), @r"
    error[arch::unsupported-instruction]: `csrrw` belongs to the Zicsr extension, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ csrrw x5,x6,x7
      │ ^^^^^ no answer can be given for this test
    ");
}

#[test]
fn operands_are_checked() {
    insta::assert_snapshot!(refused(&RiscV, "lw x5,4096(x6)"), @r"
    error[arch::out-of-range]: immediate 4096 is out of range
      ┌─ test.litmus:1:7
      │
    1 │ lw x5,4096(x6)
      │       ^^^^ allowed here: -2048 to 2047
    ");
    insta::assert_snapshot!(refused(&RiscV, "add x5,x32,x6"), @r"
    error[arch::unknown-register]: `x32` is not a register of RISC-V
      ┌─ test.litmus:1:8
      │
    1 │ add x5,x32,x6
      │        ^^^ expected a register
    ");
    insta::assert_snapshot!(refused(&RiscV, "lr.w x5,4(x6)"), @r"
    error[arch::out-of-range]: immediate 4 is out of range
      ┌─ test.litmus:1:9
      │
    1 │ lr.w x5,4(x6)
      │         ^ allowed here: only 0
    ");
    insta::assert_snapshot!(refused(&RiscV, "sw x5 0(x6)"), @r"
    error[arch::bad-operand]: expected `,`, found `0`
      ┌─ test.litmus:1:7
      │
    1 │ sw x5 0(x6)
      │       ^ here
    ");
    insta::assert_snapshot!(refused(&RiscV, "fence rw,wr"), @r"
    error[arch::bad-operand]: `wr` does not say what a fence orders
      ┌─ test.litmus:1:10
      │
    1 │ fence rw,wr
      │          ^^ expected letters of `iorw`, in that order
    ");
    insta::assert_snapshot!(refused(&RiscV, "bne x5,x0,L1"), @r"
    error[arch::unknown-label]: thread P0 has no label `L1`
      ┌─ test.litmus:1:11
      │
    1 │ bne x5,x0,L1
      │           ^^ branches only go to labels of their own thread
      │
      = help: did you mean `L0`?
    ");
    insta::assert_snapshot!(refused(&RiscV, "add x5,x6"), @r"
    error[arch::bad-operand]: expected `,`, found the end of the cell
      ┌─ test.litmus:1:10
      │
    1 │ add x5,x6
      │          ^ here
    ");
}
