use super::X86_64;
use crate::arch::testing::{listing, run};

#[test]
fn canonical_text() {
    insta::assert_snapshot!(listing(&X86_64, &[
        "movl $1,(x)",
        "MOVQ %RBX,(x)",
        "mov [y] , eax",
        "movl $1,(%rcx)",
        "movq 0(%rax,%rbx,8),%rcx",
        "movq -8(%rax),%tmp",
        "movl x(%rip),%eax",
        "NOPL %cs:0(%rax,%eax,0)",
        "endbr64",
        "lock; incl (x)",
        "lock xaddq %rax,(x)",
        "cmpxchgq (x),%rbx",
        "cmpxchgq %rbx,(x)",
        "jlt L0",
        "setnb %al",
        "xchgl (x),%eax",
        "uxch %rax,(x)",
        "movnti %eax,(x)",
        "clflushopt (x)",
        "movzbl %al,%ecx",
        "ret",
        "mfence",
    ]), @r"
    movl $1,(x)
    movq %rbx,(x)
    mov (y),%eax
    movl $1,(%rcx)
    movq (%rax, %rbx,8),%rcx
    movq -8(%rax),%tmp
    movl (x),%eax
    NOP
    NOP
    lock; incl (x)
    lock; xaddq %rax,(x)
    cmpxchgq (x),%rbx
    cmpxchgq %rbx,(x)
    jl L0
    setnb %al
    xchgl (x),%eax
    uxch %rax,(x)
    movnti %eax,(x)
    clflushopt (x)
    movzbl %al,%ecx
    ret
    mfence
    ");
}

#[test]
fn what_cannot_be() {
    insta::assert_snapshot!(listing(&X86_64, &[
        "movx $1,(x)",
        "movq %eax,(x)",
        "movl (x),(y)",
        "movl %eax,$1",
        "movl x,%eax",
        "movl x(%rax),%eax",
        "lock movl $1,(x)",
        "movd %xmm0,%eax",
        "je nowhere",
    ]), @r"
    error[arch::unknown-instruction]: unknown X86_64 instruction `movx`
      ┌─ test.litmus:1:1
      │
    1 │ movx $1,(x)
      │ ^^^^ not an instruction that this tool knows
      │
      = help: did you mean `mov`?


    error[arch::bad-operand]: `%eax` has 4 byte(s), the operation 8
      ┌─ test.litmus:1:6
      │
    1 │ movq %eax,(x)
      │      ^^^^ too narrow


    error[arch::bad-operand]: `mov` cannot take two operands in memory
      ┌─ test.litmus:1:6
      │
    1 │ movl (x),(y)
      │      ^^^ the other one is in memory too


    error[arch::bad-operand]: `$1` cannot stand here
      ┌─ test.litmus:1:11
      │
    1 │ movl %eax,$1
      │           ^^ the destination is a register or memory


    error[arch::unknown-register]: `x` is not a register of X86_64
      ┌─ test.litmus:1:6
      │
    1 │ movl x,%eax
      │      ^ expected a register
      │
      = help: did you mean `ax`?
      = help: the memory cell of that name is `(x)`


    error[arch::bad-operand]: `x` relative to something else than `%rip`
      ┌─ test.litmus:1:8
      │
    1 │ movl x(%rax),%eax
      │        ^ expected `(%rip)`


    error[arch::bad-lock]: illegal `lock` prefix
      ┌─ test.litmus:1:1
      │
    1 │ lock movl $1,(x)
      │ ^^^^ not on this instruction
      │
      = note: `lock` goes with a read-modify-write of memory: add, adc, sub, sbb, and, or, xor, inc, dec, neg, not, bts, btr, btc, xadd, cmpxchg, xchg


    error[arch::unsupported-instruction]: `movd` belongs to the vector extensions, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ movd %xmm0,%eax
      │ ^^^^ no answer can be given for this test


    error[arch::unknown-label]: thread P0 has no label `nowhere`
      ┌─ test.litmus:1:4
      │
    1 │ je nowhere
      │    ^^^^^^^ branches only go to labels of their own thread
    ");
}

#[test]
fn parts_of_registers() {
    let all = [
        run(&X86_64, "rax=-1", &["movb $1,%al"]),
        run(&X86_64, "rax=-1", &["movb $1,%ah"]),
        run(&X86_64, "rax=-1", &["movw $1,%ax"]),
        run(&X86_64, "rax=-1", &["movl $1,%eax"]),
        run(&X86_64, "rax=-1", &["movl $-1,%eax"]),
        run(&X86_64, "rax=-1", &["movq $-1,%rbx", "movl %eax,%ecx", "movzbl %ah,%edx", "movsbq %al,%rsi"]),
        run(&X86_64, "rax=2147483648", &["movslq %eax,%rbx", "shll $1,%eax"]),
        run(&X86_64, "rbx=-1", &["cmovcl %ecx,%ebx"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    rax=-255;
    rax=-65025;
    rax=-65535;
    rax=1;
    rax=4294967295;
    rax=-1; rbx=-1; rcx=4294967295; rdx=255; rsi=-1;
    rbx=-2147483648; zf=1; cf=1;
    rbx=4294967295;
    ");
}

#[test]
fn memory() {
    let all = [
        run(&X86_64, "x:8=0", &["movl $-1,(x)", "movq (x),%rax"]),
        run(&X86_64, "x:8=-1", &["movl (x),%eax", "movb (x),%bl"]),
        run(&X86_64, "rax=&t; rbx=1; t:8=1; t+8:8=-1", &["movq 0(%rax,%rbx,8),%rcx"]),
        run(&X86_64, "x=6", &["lock addl $-7,(x)"]),
        run(&X86_64, "rax=2; x:8=7", &["lock xaddq %rax,(x)"]),
        run(&X86_64, "rax=7; rbx=9; x:8=7", &["lock cmpxchgq (x),%rbx"]),
        run(&X86_64, "rax=6; rbx=9; x:8=7", &["lock cmpxchgq %rbx,(x)"]),
        run(&X86_64, "rax=1", &["cmpl $1,%eax", "je L0", "movl $1,%ebx", "L0: ret", "movl $1,%ecx"]),
        run(&X86_64, "rax=5; x=1", &["clflush (x)", "movnti %eax,(x)"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    rax=4294967295; x=4294967295;
    rax=4294967295; rbx=255; x=-1;
    rax=t; rbx=1; rcx=-1; t=1; t+8=-1;
    sf=1; x=-1;
    rax=7; x=9;
    rax=7; rbx=9; zf=1; x=9;
    rax=7; rbx=9; sf=1; cf=1; x=7;
    rax=1; zf=1;
    rax=5; x=5;
    ");
}

#[test]
fn carries_products_rotations_and_bits() {
    let all = [
        run(&X86_64, "rax=-1; rbx=1; rcx=5; rdx=7", &["addq %rbx,%rax", "adcq %rdx,%rcx"]),
        run(&X86_64, "rax=0; rbx=1; rcx=5; rdx=3", &["subq %rbx,%rax", "sbbq %rdx,%rcx"]),
        run(&X86_64, "rax=4294967295; rbx=0", &["addl $1,%eax", "adcl $-1,%ebx"]),
        run(&X86_64, "rax=-3; rbx=7", &["imulq %rbx,%rax", "imul $-2,%rbx,%rcx"]),
        run(&X86_64, "rax=65536; rbx=65536", &["imull %ebx,%eax"]),
        run(&X86_64, "rax=65536; rbx=65536", &["imulq %rbx,%rax"]),
        run(&X86_64, "rax=9223372036854775807", &["imulq $2,%rax"]),
        run(&X86_64, "rax=3; rbx=1", &["rorq $1,%rax", "roll $31,%ebx"]),
        run(&X86_64, "rax=1; rcx=0", &["rorl %cl,%eax"]),
        run(&X86_64, "rax=4; rbx=66", &["btq %rbx,%rax", "btcl $0,%eax"]),
        run(&X86_64, "x=5", &["lock btsl $1,(x)", "lock btrl $0,(x)"]),
        run(&X86_64, "rax=1", &["bswap %eax", "bswap %rax"]),
        run(&X86_64, "rax=2147483648", &["cltq"]),
        run(&X86_64, "rax=32768", &["cwtl"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    rbx=1; rcx=13; rdx=7;
    rax=-1; rbx=1; rcx=1; rdx=3;
    zf=1; cf=1;
    rax=-21; rbx=7; rcx=-14;
    rbx=65536; cf=1; of=1;
    rax=4294967296; rbx=65536;
    rax=-2; cf=1; of=1;
    rax=-9223372036854775807; rbx=2147483648;
    rax=1;
    rax=5; rbx=66;
    cf=1; x=6;
    rax=4294967296;
    rax=-2147483648;
    rax=4294934528;
    ");
}

#[test]
fn hints_and_what_is_not_handled() {
    insta::assert_snapshot!(listing(&X86_64, &[
        "rep nop",
        "prefetchw (x)",
        "imul $-2,%rbx,%rcx",
        "btsq %rax,(x)",
        "pushq %rax",
        "lock cmpxchg16b (x)",
        "lock imulq (x),%rax",
    ]), @r"
    NOP
    NOP
    imul $-2,%rbx,%rcx
    error[arch::bad-operand]: a register numbers the bits of memory beyond the operand
      ┌─ test.litmus:1:6
      │
    1 │ btsq %rax,(x)
      │      ^^^^ wanted here: an immediate


    error[arch::unsupported-instruction]: `pushq` belongs to code with a stack, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ pushq %rax
      │ ^^^^^ no answer can be given for this test


    error[arch::unsupported-instruction]: `cmpxchg16b` belongs to accesses of two registers at once, and is not supported
      ┌─ test.litmus:1:6
      │
    1 │ lock cmpxchg16b (x)
      │      ^^^^^^^^^^ no answer can be given for this test


    error[arch::bad-lock]: illegal `lock` prefix
      ┌─ test.litmus:1:1
      │
    1 │ lock imulq (x),%rax
      │ ^^^^ not on this instruction
      │
      = note: `lock` goes with a read-modify-write of memory: add, adc, sub, sbb, and, or, xor, inc, dec, neg, not, bts, btr, btc, xadd, cmpxchg, xchg
    ");
}

#[test]
fn addresses_as_immediates_and_shifts_by_nothing() {
    let all = [
        run(&X86_64, "x=3", &["movq $x,%rax", "movl (%rax),%ebx"]),
        run(&X86_64, "x:8=0; y=0", &["movq $y,(x)"]),
        run(&X86_64, "rax=1; rbx=1; rcx=32", &["cmpq $1,%rax", "shll %cl,%ebx", "shrq $0,%rax"]),
        run(&X86_64, "rax=1; rbx=1; rcx=1", &["cmpq $1,%rax", "shll %cl,%ebx"]),
        run(&X86_64, "rax=1", &["shl 2,%eax", "addl -1,%eax"]),
        run(&X86_64, "x=0", &["movq %rax,$x"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    rax=x; rbx=3; x=3;
    x=y;
    rax=1; rbx=1; rcx=32; zf=1;
    rax=1; rbx=2; rcx=1;
    rax=3; cf=1;
    error[arch::bad-operand]: `$x` cannot stand here
      ┌─ test.litmus:1:11
      │
    1 │ movq %rax,$x
      │           ^^ the destination is a register or memory
    ");
}
