use super::Mips;
use crate::arch::testing::{listing, run};

#[test]
fn canonical_text() {
    insta::assert_snapshot!(listing(&Mips, &[
        "ori $2,$0,1",
        "sw $a0 , 0 ( v0 )",
        "lw $t0,($sp)",
        "ld a0, 8(a1)",
        "move $a1, $a2",
        "lui $a7,65535",
        "dext $t2,$t1,3,16",
        "beq $2,$3,L0",
        "bgez ra,LC00",
        "b L0",
        "jr $31",
        "sync",
        "ll $2,0(%x)",
        "sc $2,0(%x)",
    ]), @r"
    ori $2,$0,1
    sw $4,0($2)
    lw $8,0($29)
    ld $4,8($5)
    move $5,$6
    lui $a7,65535
    dext $10,$9,3,16
    beq $2,$3,L0
    bgez $31,LC00
    b L0
    jr $31
    sync
    ll $2,0(%x)
    sc $2,0(%x)
    ");
}

#[test]
fn what_cannot_be() {
    insta::assert_snapshot!(listing(&Mips, &[
        "addw $1,$2,$3",
        "sw $32,0($2)",
        "sw $2,0(x)",
        "lw $2,$3",
        "sync 0",
    ]), @r"
    error[arch::unknown-instruction]: unknown MIPS instruction `addw`
      ┌─ test.litmus:1:1
      │
    1 │ addw $1,$2,$3
      │ ^^^^ not an instruction that this tool knows
      │
      = help: did you mean `add`?


    error[arch::unknown-register]: `$32` is not a register of MIPS
      ┌─ test.litmus:1:4
      │
    1 │ sw $32,0($2)
      │    ^^^ expected a register
      │
      = help: registers are $0 to $31, or their ABI names with or without `$`


    error[arch::unknown-register]: `x` is not a register of MIPS
      ┌─ test.litmus:1:9
      │
    1 │ sw $2,0(x)
      │         ^ expected a register
      │
      = help: registers are $0 to $31, or their ABI names with or without `$`


    error[arch::bad-operand]: expected an address `n(register)`, found `$`
      ┌─ test.litmus:1:7
      │
    1 │ lw $2,$3
      │       ^ here


    error[arch::bad-operand]: expected the end of the instruction, found `0`
      ┌─ test.litmus:1:6
      │
    1 │ sync 0
      │      ^ here
    ");
}

#[test]
fn arithmetic() {
    let all = [
        run(
            &Mips,
            "$1=7; $2=-2",
            &["addu $3,$1,$2", "subu $4,$1,$2", "slt $5,$2,$1", "sltu $6,$2,$1", "nor $7,$1,$1"],
        ),
        run(&Mips, "$1=2147483647", &["addiu $2,$1,1", "daddiu $3,$1,1", "sll $4,$1,1", "dsll $5,$1,1"]),
        run(
            &Mips,
            "$1=-1",
            &["srl $2,$1,28", "sra $3,$1,28", "dsrl $4,$1,60", "dext $5,$1,4,8", "andi $6,$1,65535"],
        ),
        run(
            &Mips,
            "",
            &["li $2,65535", "li $3,-1", "lui $4,65535", "ori $5,$0,1", "addiu $0,$0,1", "move $6,$5"],
        ),
        run(&Mips, "$1=&x; x=0", &["daddiu $2,$1,4", "addiu $3,$1,-4"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    $1=7; $2=-2; $3=5; $4=9; $5=1; $7=-8;
    $1=2147483647; $2=-2147483648; $3=2147483648; $4=-2; $5=4294967294;
    $1=-1; $2=15; $3=-1; $4=15; $5=255; $6=65535;
    $2=65535; $3=-1; $4=-65536; $5=1; $6=1;
    $1=x; $2=x+4; $3=x-4;
    ");
}

#[test]
fn memory_and_control() {
    let all = [
        run(&Mips, "$1=&x; x=-1", &["lw $2,0($1)", "lwu $3,0($1)", "lbu $4,0($1)", "lh $5,0($1)"]),
        run(&Mips, "$1=&x; $2=-1; x=0; x+4=0", &["sw $2,4($1)", "lw $3,4($1)"]),
        run(&Mips, "$1=&x; $2=9; x=3", &["ll $3,0($1)", "sc $2,0($1)"]),
        run(&Mips, "$1=&x; $2=9; x=3", &["sc $2,0($1)"]),
        run(&Mips, "$1=-1", &["bltz $1,L0", "li $2,1", "L0: bgez $1,L1", "li $3,1", "L1: nop"]),
        run(&Mips, "$1=1; $2=1", &["bne $1,$2,L0", "beq $1,$2,L0", "li $3,1", "L0: nop"]),
        run(&Mips, "", &["jal L0", "li $1,1", "b L1", "L0: li $2,1", "jr $31", "L1: li $3,1"]),
        run(&Mips, "", &["li $1,1", "jr $ra", "li $2,1"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    $1=x; $2=-1; $3=4294967295; $4=255; $5=-1; x=-1;
    $1=x; $2=-1; $3=-1; x+4=-1;
    $1=x; $2=1; $3=3; x=9;
    $1=x; $3=3; x=3;
    $1=x; x=3;
    $1=-1; $3=1;
    $1=1; $2=1;
    $1=1; $2=1; $3=1; $31=100004;
    $1=1;
    ");
}

#[test]
fn what_assemblers_and_compilers_write() {
    let all = [
        run(&Mips, "$1=-16; $2=34", &["sllv $3,$1,$2", "srlv $4,$1,$2", "srav $5,$1,$2", "dsllv $6,$1,$2"]),
        run(&Mips, "$1=-16; $2=66", &["dsrlv $3,$1,$2", "dsrav $4,$1,$2"]),
        run(
            &Mips,
            "$1=511",
            &["not $2,$1", "negu $3,$1", "dneg $4,$1", "seb $5,$1", "seh $6,$1", "clz $7,$1"],
        ),
        run(&Mips, "$1=-1; $2=5", &["sgt $3,$2,$1", "sgtu $4,$2,$1", "seq $5,$1,$1", "sne $6,$1,$2"]),
        run(&Mips, "$1=7; $2=0; $3=9; $4=9", &["movz $3,$1,$2", "movn $4,$1,$2"]),
        run(&Mips, "$1=7; $2=3; $3=9; $4=9", &["seleqz $3,$1,$2", "selnez $4,$1,$2"]),
        run(&Mips, "x=3", &["la $fp,x", "lw $1,0($s8)", "dli $2,-5"]),
        run(
            &Mips,
            "$1=-1; $2=1",
            &["blt $1,$2,a/b", "li $3,1", "a/b: bltu $1,$2,L1", "li $4,1", "L1: pref 0,8($1)"],
        ),
        run(&Mips, "", &["bal L0", "li $1,1", "b L1", "L0: li $2,1", "jr.hb $31", "L1: ehb"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    $1=-16; $2=34; $3=-64; $4=1073741820; $5=-4; $6=-274877906944;
    $1=-16; $2=66; $3=4611686018427387900; $4=-4;
    $1=511; $2=-512; $3=-511; $4=-511; $5=-1; $6=511; $7=23;
    $1=-1; $2=5; $3=1; $5=1; $6=1;
    $1=7; $3=7; $4=9;
    $1=7; $2=3; $4=7;
    $1=3; $2=-5; $30=x; x=3;
    $1=-1; $2=1; $4=1;
    $1=1; $2=1; $31=100004;
    ");
    insta::assert_snapshot!(listing(&Mips, &["la $2,y", "jalr $2", "mult $2,$3", "beql $2,$3,L0", "syscall"]), @r"
    la $2,y
    jalr $2
    error[arch::unsupported-instruction]: `mult` belongs to code with the registers HI and LO, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ mult $2,$3
      │ ^^^^ no answer can be given for this test


    error[arch::unsupported-instruction]: `beql` belongs to branches with a delay slot that may be skipped, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ beql $2,$3,L0
      │ ^^^^ no answer can be given for this test


    error[arch::unsupported-instruction]: `syscall` belongs to exceptions, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ syscall
      │ ^^^^^^^ no answer can be given for this test
    ");
}
