use super::X86;
use crate::arch::testing::listing;

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
      = note: `lock` goes with a read-modify-write of memory: add, sub, and, or, xor, inc, dec, neg, not, xadd, cmpxchg, xchg


    error[arch::bad-lock]: illegal `lock` prefix
      ┌─ test.litmus:1:1
      │
    1 │ lock add EAX,$1
      │ ^^^^ not on this instruction
      │
      = note: `lock` goes with a read-modify-write of memory: add, sub, and, or, xor, inc, dec, neg, not, xadd, cmpxchg, xchg


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
