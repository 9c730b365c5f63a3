//! Canonical text, values and diagnostics.

use super::Bpf;
use crate::arch::testing::{canonical, refused};

fn text(cell: &str) -> String {
    canonical(&Bpf, cell)
}

#[test]
fn instructions_print_as_herd7_prints_them() {
    assert_eq!(text("r0=*(u32*)(r1+0)"), "r0 = *(u32 *) (r1 + 0)");
    assert_eq!(text("*(u32 *)(R1 + 0) = 5"), "*(u32 *)(r1 + 0) = 5");
    assert_eq!(text("*(u8 *)(r10 -4)=r3"), "*(u8 *)(fp - 4) = r3");
    assert_eq!(text("r0 = load_acquire((u32 *)(r1 + 0))"), "r0 = load_acquire((u32 *) (r1 + 0))");
    assert_eq!(text("store_release((u8 *)(fp -4), r3)"), "store_release ((u8 *)(fp - 4), r3)");
    // The register that is named before an atomic is not looked at: the operand takes the old value.
    assert_eq!(
        text("r5 = atomic_fetch_add((u32 *)(r1 + 0), r2)"),
        "r2 = atomic_fetch_add((u32 *)(r1 + 0), r2)"
    );
    assert_eq!(text("r2 = xchg_64(r1 + 0, r2)"), "r2 = xchg_64(r1 + 0, r2)");
    assert_eq!(text("r2 = xchg_32_32(r1 + 0, r2)"), "r2 = xchg32_32(r1 + 0, r2)");
    assert_eq!(text("r3 = cmpxchg32_32(r1 + 0, r4, r2)"), "r0 = cmpxchg32_32(r1 + 0, r0, r2)");
    assert_eq!(text("lock *(u32 *)(r1 + 0) += r2"), "lock *(u32 *)(r1 + 0) += r2");
    assert_eq!(text("r3 -= 1"), "r3 -= 1");
    assert_eq!(text("r3 s>>= r4"), "r3 s>>= r4");
    assert_eq!(text("r0 = -1"), "r0 = -1");
    assert_eq!(text("if r0 >= -3 goto L0"), "if r0 >= -3 goto L0");
    assert_eq!(text("goto L0"), "goto L0");
}

#[test]
fn values() {
    let run = |init: &str, code: &[&str]| crate::arch::testing::run(&Bpf, init, code);
    assert_eq!(run("x:8=4; r1=&x", &["r2 = *(u8 *)(r1 + 0)", "r2 += 3", "*(u8 *)(r1 + 0) = r2"]), {
        "r1=x; r2=7; x=7;"
    });
    assert_eq!(
        run("x:8=4; r1=&x; r2=3", &["r2 = atomic_fetch_xor((u64 *)(r1 + 0), r2)"]),
        "r1=x; r2=4; x=7;"
    );
    assert_eq!(run("x:8=4; r1=&x; r2=3", &["lock *(u64 *)(r1 + 0) |= r2"]), "r1=x; r2=3; x=7;");
    assert_eq!(run("x:8=4; r1=&x; r2=3", &["r2 = xchg_64(r1 + 0, r2)"]), "r1=x; r2=4; x=3;");
    assert_eq!(run("x:8=4; r1=&x; r0=4; r2=9", &["r0 = cmpxchg_64(r1 + 0, r0, r2)"]), {
        "r0=4; r1=x; r2=9; x=9;"
    });
    assert_eq!(run("x:8=4; r1=&x; r2=9", &["r0 = cmpxchg_64(r1 + 0, r0, r2)"]), "r0=4; r1=x; r2=9; x=4;");
    assert_eq!(run("r1=-7", &["r1 /= 2", "r2 = -16", "r2 >>= 60", "r3 = -16", "r3 s>>= 2"]), {
        "r1=-3; r2=15; r3=-4;"
    });
    assert_eq!(run("r1=-1", &["if r1 < 0 goto L", "r2 = 1", "L: r3 = 1"]), "r1=-1; r3=1;");
    // Offsets have 16 bits.
    assert_eq!(run("x:8=4; r1=&x", &["r2 = *(u64 *)(r1 + 65536)"]), "r1=x; r2=4; x=4;");
}

#[test]
fn what_is_wrong_is_named() {
    let says = |cell: &str, message: &str| {
        let text = refused(&Bpf, cell);
        assert!(text.contains(message), "{text}");
    };
    says("r0 = atomic_fetch_sub((u32 *)(r1 + 0), r2)", "did you mean `atomic_fetch_add`?");
    says("r0 = *(s8 *)(r1 + 0)", "sizes are u8, u16, u32 and u64");
    says("r0 = *(u8 *)(r1)", "expected an offset, found `)`");
    says("lock *(u8 *)(r1 + 0) -= r2", "atomic operations are +=, &=, |= and ^=");
    says("if r1 <= 2 goto L0", "expected a register or a number");
    says("w0 = 1", "`w0` is not a register of BPF");
    says("exit", "unknown BPF instruction `exit`");
}
