use super::X86;
use crate::arch::testing::{listing, run};

#[test]
fn canonical_text() {
    insta::assert_snapshot!(listing(&X86, &[
        "mov [x],$1",
        "MOVL EAX , [y]",
        "movq [ECX],7",
        "mov (EDX), eax",
        "xchg EAX,[x]",
        "lock; inc [x]",
        "LOCK ADD [x],$-2",
        "dec EBX",
        "cmp EAX,$1",
        "jz L0",
        "jlt LC00",
        "mfence",
        "cmovc EAX,EBX",
        "setnb [x]",
        "mov %a,[x+4]",
        "lea EAX,[EBX+ECX*4-8]",
        "mov byte ptr [x], AL",
    ]), @r"
    MOV [x],$1
    MOV EAX,[y]
    MOV [ECX],$7
    MOV [EDX],EAX
    XCHG EAX,[x]
    LOCK; INC  [x]
    LOCK; ADD [x],$-2
    DEC  EBX
    CMP  EAX,$1
    JE L0
    JL LC00
    MFENCE
    CMOVC EAX,EBX
    SETNB [x]
    MOV %a,[x+4]
    LEA EAX,[EBX+ECX*4-8]
    MOV [x],AL
    ");
}

#[test]
fn what_cannot_be() {
    insta::assert_snapshot!(listing(&X86, &[
        "mvo [x],$1",
        "mov [x],[y]",
        "mov $1,EAX",
        "mov EAX",
        "mov EAX,r8d",
        "lock mov [x],$1",
        "lock add EAX,$1",
        "je nowhere",
        "mov EAX,[x",
        "mfence EAX",
        "mov EAX,$4294967296",
    ]), @r"
    error[arch::unknown-instruction]: unknown X86 instruction `mvo`
      ┌─ test.litmus:1:1
      │
    1 │ mvo [x],$1
      │ ^^^ not an instruction that this tool knows
      │
      = help: did you mean `mov`?


    error[arch::bad-operand]: `mov` cannot take two operands in memory
      ┌─ test.litmus:1:9
      │
    1 │ mov [x],[y]
      │         ^^^ the other one is in memory too


    error[arch::bad-operand]: `$1` cannot stand here
      ┌─ test.litmus:1:5
      │
    1 │ mov $1,EAX
      │     ^^ the destination is a register or memory


    error[arch::bad-operand]: `mov` takes 2 operands, not 1
      ┌─ test.litmus:1:1
      │
    1 │ mov EAX
      │ ^^^ this instruction


    error[arch::unknown-register]: `r8d` is not a register of X86
      ┌─ test.litmus:1:9
      │
    1 │ mov EAX,r8d
      │         ^^^ expected a register


    error[arch::bad-lock]: illegal `lock` prefix
      ┌─ test.litmus:1:1
      │
    1 │ lock mov [x],$1
      │ ^^^^ not on this instruction
      │
      = note: `lock` goes with a read-modify-write of memory: add, adc, sub, sbb, and, or, xor, inc, dec, neg, not, bts, btr, btc, xadd, cmpxchg, xchg


    error[arch::bad-lock]: illegal `lock` prefix
      ┌─ test.litmus:1:1
      │
    1 │ lock add EAX,$1
      │ ^^^^ not on this instruction
      │
      = note: `lock` goes with a read-modify-write of memory: add, adc, sub, sbb, and, or, xor, inc, dec, neg, not, bts, btr, btc, xadd, cmpxchg, xchg


    error[arch::unknown-label]: thread P0 has no label `nowhere`
      ┌─ test.litmus:1:4
      │
    1 │ je nowhere
      │    ^^^^^^^ branches only go to labels of their own thread


    error[arch::bad-operand]: expected `]`, found the end of the cell
      ┌─ test.litmus:1:11
      │
    1 │ mov EAX,[x
      │           ^ here


    error[arch::bad-operand]: `mfence` takes 0 operands, not 1
      ┌─ test.litmus:1:8
      │
    1 │ mfence EAX
      │        ^^^ this one is too much


    error[arch::out-of-range]: immediate 4294967296 is out of range
      ┌─ test.litmus:1:9
      │
    1 │ mov EAX,$4294967296
      │         ^^^^^^^^^^^ allowed here: 32 bits
    ");
}

#[test]
fn moves_and_parts() {
    let all = [
        run(&X86, "EAX=-1", &["mov EBX,EAX", "mov AL,$1", "mov CL,AH", "mov DX,EAX"]),
        run(&X86, "EAX=-1; x=0", &["mov [x],EAX", "movb EBX,[x]", "mov ECX,[x]"]),
        run(
            &X86,
            "EAX=&x; x=3; x+4=4; EBX=1",
            &["mov ECX,[EAX+4]", "mov EDX,[EAX+EBX*4]", "lea ESI,[EAX+4]"],
        ),
        run(&X86, "EAX=5; EBX=6", &["xchg EAX,EBX"]),
        run(&X86, "EAX=5; x=6", &["xchg [x],EAX"]),
        run(&X86, "EAX=4294967295", &["mov EBX,$0xffffffff"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    EAX=-255; EBX=-1; ECX=255; EDX=65281;
    EAX=-1; EBX=255; ECX=-1; x=-1;
    EAX=x; EBX=1; ECX=4; EDX=4; ESI=x+4; x=3; x+4=4;
    EAX=6; EBX=5;
    EAX=6; x=5;
    EAX=-1; EBX=-1;
    ");
}

#[test]
fn arithmetic_and_flags() {
    let all = [
        run(&X86, "EAX=5", &["add EAX,$3"]),
        run(&X86, "EAX=5", &["sub EAX,$5"]),
        run(&X86, "EAX=5", &["sub EAX,$6"]),
        run(&X86, "EAX=2147483647", &["add EAX,$1"]),
        run(&X86, "EAX=-1", &["inc EAX"]),
        run(&X86, "EAX=255", &["add AL,$1"]),
        run(&X86, "EAX=128", &["neg AL", "not EBX"]),
        run(&X86, "EAX=3", &["shl EAX,$31", "sar EAX,$31"]),
        run(&X86, "EAX=3", &["test EAX,$4"]),
        run(&X86, "x=7", &["lock inc [x]", "lock; and [x],$12", "lock xor [x],$1", "dec [x]"]),
        run(&X86, "EAX=2; x=7", &["lock xadd [x],EAX"]),
        run(&X86, "EAX=7; EBX=9; x=7", &["lock cmpxchg [x],EBX"]),
        run(&X86, "EAX=6; EBX=9; x=7", &["lock cmpxchg [x],EBX"]),
        run(&X86, "EAX=&x; EBX=&x; x=0", &["cmp EAX,EBX", "sete CL"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    EAX=8;
    ZF=1;
    EAX=-1; SF=1; CF=1;
    EAX=-2147483648; SF=1; OF=1;
    ZF=1;
    ZF=1; CF=1;
    EAX=128; EBX=-1; SF=1; CF=1; OF=1;
    EAX=-1; SF=1;
    EAX=3; ZF=1;
    x=8;
    EAX=7; x=9;
    EAX=7; EBX=9; ZF=1; x=9;
    EAX=7; EBX=9; SF=1; CF=1; x=7;
    EAX=x; EBX=x; ECX=1; ZF=1;
    ");
}

#[test]
fn conditions() {
    let taken = |a: i64, b: i64| {
        let conditions =
            ["e", "ne", "b", "ae", "be", "a", "l", "ge", "le", "g", "s", "ns", "o", "no", "lt", "gt"];
        let holds = |condition: &&str| {
            let code = ["cmp EAX,EBX", &format!("j{condition} L0"), "mov ECX,$1", "L0: nop"];
            !run(&X86, &format!("EAX={a}; EBX={b}"), &code).contains("ECX=1")
        };
        let list: Vec<&str> = conditions.into_iter().filter(holds).collect();
        format!("{a} {b}: {}", list.join(" "))
    };
    let all =
        [taken(1, 1), taken(1, 2), taken(2, 1), taken(-1, 1), taken(1, -1), taken(i64::from(i32::MIN), 1)];
    insta::assert_snapshot!(all.join("\n"), @r"
    1 1: e ae be ge le ns no
    1 2: ne b be l le s no lt
    2 1: ne ae a ge g ns no gt
    -1 1: ne ae a l le s no lt
    1 -1: ne b be ge g ns no gt
    -2147483648 1: ne ae a l le ns o lt
    ");
}

#[test]
fn widening_carries_and_products() {
    let all = [
        run(&X86, "EBX=511", &["movzx EAX,BL", "movsx ECX,BL", "movsx EDX,BX"]),
        run(&X86, "x=-1", &["movzx EAX,byte ptr [x]", "movsx EBX,word ptr [x]"]),
        run(&X86, "x=-1", &["movzx EAX,[x]"]),
        run(&X86, "EAX=-1; EBX=1; ECX=5", &["add EAX,EBX", "adc ECX,EBX"]),
        run(&X86, "EAX=65536; EBX=32768", &["imul EAX,EBX"]),
        run(&X86, "x=3", &["mov EAX,offset x", "mov EBX,[EAX]"]),
        run(&X86, "EAX=3; EBX=2", &["ror EAX,1", "imul EBX,EBX,-5"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    EAX=255; EBX=511; ECX=-1; EDX=511;
    EAX=255; EBX=-1; x=-1;
    error[arch::bad-operand]: how wide is the source of `movzx`?
      ┌─ test.litmus:1:11
      │
    1 │ movzx EAX,[x]
      │           ^^^ expected `byte ptr` or `word ptr` before it


    EBX=1; ECX=7;
    EAX=-2147483648; EBX=32768; CF=1; OF=1;
    EAX=x; EBX=3; x=3;
    EAX=-2147483647; EBX=-10;
    ");
}
