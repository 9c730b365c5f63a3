use super::Ppc;
use crate::arch::testing::{listing, run};

#[test]
fn canonical_text() {
    insta::assert_snapshot!(listing(&Ppc, &[
        "stw R1 , 0 ( r2 )",
        "lwz r1,4,r2",
        "ld r1,8(r2)",
        "std r1,8(r2)",
        "ldx r1,r2,r3",
        "stdx r1,r2,r3",
        "hwsync",
        "subi r3,r1,2",
        "add. r1,r2,r3",
        "andi. r1,r2,255",
        "cmpw r1,r2",
        "cmpw cr0,r1,r2",
        "cmpwi cr7,r1,-3",
        "beq L0",
        "bnl cr2,LC00",
        "b L0",
        "bl LC00",
        "stwcx. r1,r0,r2",
        "rlwinm r1,r2,4,0,27",
        "extsw r1,r2",
        "lis r1,-1",
        "mr r1,%tmp",
        "com \"anything; goes\"",
    ]), @r#"
    stw r1,0(r2)
    lwz r1,4(r2)
    lwz r1,8(r2)
    stw r1,8(r2)
    lwzx r1,r2,r3
    stwx r1,r2,r3
    sync
    addi r3,r1,-2
    add. r1,r2,r3
    andi. r1,r2,255
    cmpw r1,r2
    cmpw r1,r2
    cmpwi cr7,r1,-3
    beq  L0
    bge  cr2,LC00
    b   L0
    bl   LC00
    stwcx. r1,r0,r2
    rlwinm r1,r2,4, 0,27
    extsw r1, r2
    lis r1,-1
    mr r1,%tmp
    com "anything; goes"
    "#);
}

#[test]
fn what_cannot_be() {
    insta::assert_snapshot!(listing(&Ppc, &[
        "lwsyncc",
        "stw r1,0(r32)",
        "stw r1,0(x)",
        "stw r1",
        "li r1",
        "li r1,r2",
        "cmpw cr8,r1,r2",
        "beq nowhere",
        "sync r1",
        "Li r1,1",
    ]), @r"
    error[arch::unknown-instruction]: unknown PPC instruction `lwsyncc`
      ┌─ test.litmus:1:1
      │
    1 │ lwsyncc
      │ ^^^^^^^ not an instruction that this tool knows
      │
      = help: did you mean `lwsync`?


    error[arch::unknown-register]: `r32` is not a register of PPC
      ┌─ test.litmus:1:10
      │
    1 │ stw r1,0(r32)
      │          ^^^ expected a register
      │
      = help: the general registers are r0 to r31; `%name` is one that the tool chooses


    error[arch::unknown-register]: `x` is not a register of PPC
      ┌─ test.litmus:1:10
      │
    1 │ stw r1,0(x)
      │          ^ expected a register
      │
      = help: the general registers are r0 to r31; `%name` is one that the tool chooses


    error[arch::bad-operand]: expected `,`, found the end of the cell
      ┌─ test.litmus:1:7
      │
    1 │ stw r1
      │       ^ here


    error[arch::bad-operand]: expected `,`, found the end of the cell
      ┌─ test.litmus:1:6
      │
    1 │ li r1
      │      ^ here


    error[arch::bad-operand]: expected a number, found `r2`
      ┌─ test.litmus:1:7
      │
    1 │ li r1,r2
      │       ^^ here


    error[arch::bad-operand]: no condition field `cr8`
      ┌─ test.litmus:1:6
      │
    1 │ cmpw cr8,r1,r2
      │      ^^^ cr0 to cr7


    error[arch::unknown-label]: thread P0 has no label `nowhere`
      ┌─ test.litmus:1:5
      │
    1 │ beq nowhere
      │     ^^^^^^^ branches only go to labels of their own thread


    error[arch::bad-operand]: expected the end of the instruction, found `r1`
      ┌─ test.litmus:1:6
      │
    1 │ sync r1
      │      ^^ here


    error[arch::unknown-instruction]: unknown PPC instruction `Li`
      ┌─ test.litmus:1:1
      │
    1 │ Li r1,1
      │ ^^ not an instruction that this tool knows
      │
      = help: did you mean `li`?
    ");
}

#[test]
fn arithmetic() {
    let all = [
        run(&Ppc, "r1=7; r2=-2", &["add r3,r1,r2", "sub r4,r1,r2", "subf r5,r1,r2", "neg r6,r1"]),
        run(&Ppc, "r1=9; r2=-4", &["mullw r3,r1,r2", "divw r4,r1,r2", "nor r5,r1,r2", "andc r6,r1,r2"]),
        run(
            &Ppc,
            "r1=4294967295; r2=2",
            &["mullw r3,r1,r2", "divwu r4,r1,r2", "extsw r5,r1", "cntlzw r6,r2"],
        ),
        run(
            &Ppc,
            "r1=4294967295; r2=33",
            &["slw r3,r1,r2", "sraw r4,r1,r2", "srawi r5,r1,4", "srwi r6,r1,4"],
        ),
        run(&Ppc, "r1=-1; r2=31", &["slw r3,r1,r2", "sld r4,r1,r2", "clrldi r5,r1,60", "clrlwi r6,r1,28"]),
        run(&Ppc, "r1=305419896", &["rlwinm r2,r1,8,0,31", "rlwinm r3,r1,0,24,31", "rlwinm r4,r1,4,28,3"]),
        run(&Ppc, "r1=-1; r2=0", &["rlwimi r2,r1,4,30,31"]),
        run(
            &Ppc,
            "r0=5; r1=5",
            &["addi r2,r0,1", "addi r3,r1,1", "addis r4,r1,1", "lis r5,-32768", "ori r6,r1,65535"],
        ),
        run(&Ppc, "r1=5", &["add. r2,r1,r1", "mfcr r3"]),
        run(&Ppc, "r1=5", &["xor. r2,r1,r1"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    r1=7; r2=-2; r3=5; r4=9; r5=-9; r6=-7;
    r1=9; r2=-4; r3=-36; r4=-2; r5=2; r6=1;
    r1=4294967295; r2=2; r3=-2; r4=2147483647; r5=-1; r6=30;
    r1=4294967295; r2=33; r4=-1; r5=-1; r6=268435455;
    r1=-1; r2=31; r3=2147483648; r4=-2147483648; r5=15; r6=15;
    r1=305419896; r2=878082066; r3=120; r4=2541551369005826049;
    r1=-1; r2=3;
    r0=5; r1=5; r2=1; r3=6; r4=65541; r5=-2147483648; r6=65535;
    r1=5; r2=10; r3=1073741824; CR0.gt=1;
    r1=5; CR0.eq=1;
    ");
}

#[test]
fn comparisons_and_branches() {
    let less =
        |compare: &str, branch: &str| run(&Ppc, "r1=-1; r2=1", &[compare, branch, "li r3,1", "L0: nop"]);
    let all = [
        less("cmpw r1,r2", "blt L0"),
        less("cmplw r1,r2", "blt L0"),
        less("cmpw cr3,r1,r2", "blt cr3,L0"),
        less("cmpw cr3,r1,r2", "blt L0"),
        less("cmpwi r1,-1", "beq L0"),
        less("cmplwi r2,1", "bne L0"),
        less("cmpd r1,r2", "bng L0"),
        run(&Ppc, "r1=3", &["mtctr r1", "L0: addi r2,r2,1", "bdnz L0"]),
        run(&Ppc, "", &["bl L0", "li r1,1", "b L1", "L0: li r2,1", "blr", "L1: li r3,1"]),
        run(&Ppc, "", &["li r1,1", "blr", "li r2,1"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    r1=-1; r2=1; CR0.lt=1;
    r1=-1; r2=1; r3=1; CR0.gt=1;
    r1=-1; r2=1; CR3.lt=1;
    r1=-1; r2=1; r3=1; CR3.lt=1;
    r1=-1; r2=1; CR0.eq=1;
    r1=-1; r2=1; r3=1; CR0.eq=1;
    r1=-1; r2=1; CR0.lt=1;
    r1=3; r2=3;
    r1=1; r2=1; r3=1; LR=100004;
    r1=1;
    ");
}

#[test]
fn memory() {
    let all = [
        run(
            &Ppc,
            "r2=&x; x=-1",
            &["lwz r1,0(r2)", "lwa r3,0(r2)", "lhz r4,0(r2)", "lha r5,0(r2)", "lbz r6,0(r2)"],
        ),
        run(&Ppc, "r2=&x; x:8=-1", &["ld r1,0(r2)", "lwz r3,0(r2)"]),
        run(&Ppc, "r1=-1; r2=&x; x=0", &["stw r1,0(r2)", "lwz r3,0(r2)"]),
        run(&Ppc, "r1=511; r2=&x; x:1=0", &["stb r1,0(r2)", "lbz r3,0(r2)"]),
        run(&Ppc, "r1=9; r2=&x; r3=4; x=0; x+4=0", &["stwx r1,r2,r3", "stwux r1,r2,r3", "lwzx r4,r0,r2"]),
        run(&Ppc, "r1=9; r2=&x; x=3; x+4=4", &["lwzu r4,4(r2)", "stwu r1,-4(r2)"]),
        run(&Ppc, "r2=&x; x=3; x+4=4", &["lmw r30,0(r2)"]),
        run(&Ppc, "r30=1; r31=2; r2=&x; x=3; x+4=4", &["stmw r30,0(r2)"]),
        run(&Ppc, "r2=&x; r5=9; x=3", &["lwarx r1,r0,r2", "stwcx. r5,r0,r2"]),
        run(&Ppc, "r2=&x; r3=&y; r5=9; x=3; y=4", &["lwarx r1,r0,r2", "stwcx. r5,r0,r3"]),
        run(&Ppc, "r2=&x; r5=9; x=3", &["stwcx. r5,r0,r2"]),
        run(&Ppc, "r2=1", &["lwz r1,0(r2)"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    r1=4294967295; r2=x; r3=-1; r4=65535; r5=-1; r6=255; x=-1;
    r1=-1; r2=x; r3=4294967295; x=-1;
    r1=-1; r2=x; r3=4294967295; x=-1;
    r1=511; r2=x; r3=255; x=-1;
    r1=9; r2=x+4; r3=4; r4=9; x+4=9;
    r1=9; r2=x; r4=4; x=9; x+4=4;
    r2=x; r30=3; r31=4; x=3; x+4=4;
    r2=x; r30=1; r31=2; x=1; x+4=2;
    r1=3; r2=x; r5=9; CR0.eq=1; x=9;
    r1=3; r2=x; r5=9; x=3;
    r1=3; r2=x; r3=y; r5=9; x=3; y=4;
    r2=x; r5=9; x=3;
    non symbolic address: [1] is the address of no location
    ");
}

#[test]
fn what_assemblers_and_compilers_write() {
    insta::assert_snapshot!(listing(&Ppc, &[
        "lwarx r1,0,r3",
        "ldarx r1,0,r3,1",
        "stwcx. r1,0,r3",
        "lwzx r1,0,r3",
        "bne- L0",
        "beq+ cr1,L0",
        "bdnz- L0",
        "sync 0",
        "sync 1",
        "sync 2",
        "dcbt 0,r3",
        "add r1,0,r3",
        "LOCK(r1)",
    ]), @r"
    lwarx r1,0,r3
    ldarx r1,0,r3
    stwcx. r1,0,r3
    lwzx r1,0,r3
    bne  L0
    beq  cr1,L0
    bdnz L0
    sync
    lwsync
    error[arch::out-of-range]: immediate 2 is out of range
      ┌─ test.litmus:1:6
      │
    1 │ sync 2
      │      ^ allowed here: 0 (sync) or 1 (lwsync)


    dcbt 0,r3
    error[arch::bad-operand]: expected a register, found `0`
      ┌─ test.litmus:1:8
      │
    1 │ add r1,0,r3
      │        ^ here


    error[arch::unsupported-instruction]: `LOCK` belongs to macros that stand for several instructions, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ LOCK(r1)
      │ ^^^^ no answer can be given for this test
    ");
    let all = [
        run(&Ppc, "r2=&x; r5=9; x=3", &["L0: lwarx r1,0,r2", "stwcx. r5,0,r2", "bne- L0"]),
        run(&Ppc, "r2=&x; r3=&y; x=-1; y=-2", &["lhau r1,0(r2)", "lwaux r4,r3,r0"]),
        run(&Ppc, "r1=5", &["addic r2,r1,-6", "subfic r3,r1,3", "subic r4,r1,1", "addic. r5,r1,-5"]),
        run(&Ppc, "r1=1", &["cmpwi r1,1", "beq a/b-1", "li r2,2", "a/b-1: li r3,3"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    r1=3; r2=x; r5=9; CR0.eq=1; x=9;
    r1=3; r2=x; r5=9; x=3;
    r1=-1; r2=x; r3=y; r4=-2; x=-1; y=-2;
    r1=5; r2=-1; r3=-2; r4=4; CR0.eq=1;
    r1=1; r3=3; CR0.eq=1;
    ");
}
