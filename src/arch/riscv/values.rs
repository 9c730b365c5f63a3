//! What instructions compute: values, sizes, extensions. Expected values are from the manual.

use super::RiscV;
use crate::arch::testing::run;

fn values(init: &str, code: &[&str]) -> String {
    run(&RiscV, init, code)
}

#[test]
fn arithmetic_of_64_bits() {
    assert_eq!(values("x5=7; x6=-2", &["add x7,x5,x6", "sub x8,x5,x6"]), "x5=7; x6=-2; x7=5; x8=9;");
    assert_eq!(values("x5=12; x6=10", &["and x7,x5,x6", "or x8,x5,x6", "xor x9,x5,x6"]), {
        "x5=12; x6=10; x7=8; x8=14; x9=6;"
    });
    assert_eq!(values("x5=-1", &["slti x6,x5,0", "sltiu x7,x5,0", "sltu x8,x0,x5", "slt x9,x0,x5"]), {
        "x5=-1; x6=1; x8=1;"
    });
    assert_eq!(values("x5=-8; x6=65", &["sra x7,x5,x6", "srl x8,x5,x6", "sll x9,x5,x6"]), {
        "x5=-8; x6=65; x7=-4; x8=9223372036854775804; x9=-16;"
    });
    assert_eq!(values("x5=-8", &["srai x6,x5,1", "srli x7,x5,60", "slli x8,x5,1"]), {
        "x5=-8; x6=-4; x7=15; x8=-16;"
    });
}

#[test]
fn arithmetic_of_32_bits_is_sign_extended() {
    assert_eq!(values("x5=2147483647", &["addiw x6,x5,1", "addi x7,x5,1"]), {
        "x5=2147483647; x6=-2147483648; x7=2147483648;"
    });
    assert_eq!(values("x5=4294967288; x6=33", &["sraw x7,x5,x6", "srlw x8,x5,x6", "sllw x9,x5,x6"]), {
        "x5=4294967288; x6=33; x7=-4; x8=2147483644; x9=-16;"
    });
    assert_eq!(values("x5=4294967288", &["srliw x6,x5,4", "sraiw x7,x5,1", "sext.w x8,x5"]), {
        "x5=4294967288; x6=268435455; x7=-4; x8=-8;"
    });
    assert_eq!(values("", &["lui x5,1048575", "lui x6,1"]), "x5=-4096; x6=4096;");
}

#[test]
fn multiplication_and_division() {
    assert_eq!(
        values("x5=-3; x6=2", &["mul x7,x5,x6", "mulh x8,x5,x6", "mulhu x9,x5,x6", "mulhsu x10,x5,x6"]),
        { "x5=-3; x6=2; x7=-6; x8=-1; x9=1; x10=-1;" }
    );
    assert_eq!(
        values("x5=-7; x6=2", &["div x7,x5,x6", "rem x8,x5,x6", "divu x9,x5,x6", "remu x10,x5,x6"]),
        { "x5=-7; x6=2; x7=-3; x8=-1; x9=9223372036854775804; x10=1;" }
    );
    assert_eq!(values("x5=-7", &["div x7,x5,x0", "rem x8,x5,x0", "divu x9,x5,x0", "remu x10,x5,x0"]), {
        "x5=-7; x7=-1; x8=-7; x9=-1; x10=-7;"
    });
    assert_eq!(values("x5=4294967289; x6=2", &["divw x7,x5,x6", "remw x8,x5,x6", "divuw x9,x5,x6"]), {
        "x5=4294967289; x6=2; x7=-3; x8=-1; x9=2147483644;"
    });
}

#[test]
fn single_bits() {
    let code = ["bset x7,x5,x6", "bclr x8,x5,x6", "binv x9,x5,x6", "bext x10,x5,x6", "bexti x11,x5,2"];
    assert_eq!(values("x5=12; x6=66", &code), "x5=12; x6=66; x7=12; x8=8; x9=8; x10=1; x11=1;");
    assert_eq!(values("x5=0", &["bseti x6,x5,63", "binvi x7,x5,4", "bclri x8,x6,63"]), {
        "x6=-9223372036854775808; x7=16;"
    });
}

#[test]
fn counts_rotations_and_words() {
    assert_eq!(values("x5=-2", &["cpop x6,x5", "cpopw x7,x5", "ctzw x8,x5", "clzw x9,x5", "ctzw x10,x0"]), {
        "x5=-2; x6=63; x7=31; x8=1; x10=32;"
    });
    assert_eq!(values("x5=281474976710913", &["orc.b x6,x5", "cpop x7,x5"]), {
        "x5=281474976710913; x6=71776119061282815; x7=3;"
    });
    assert_eq!(values("x5=4294967297; x6=1", &["rolw x7,x5,x6", "rorw x8,x5,x6", "roriw x9,x5,4"]), {
        "x5=4294967297; x6=1; x7=2; x8=-2147483648; x9=268435456;"
    });
    assert_eq!(values("x5=-1; x6=1", &["add.uw x7,x5,x6", "sh1add.uw x8,x5,x6", "slli.uw x9,x5,4"]), {
        "x5=-1; x6=1; x7=4294967296; x8=8589934591; x9=68719476720;"
    });
}

#[test]
fn what_depends_on_a_comparison() {
    assert_eq!(values("x5=7; x6=2", &["czero.eqz x7,x5,x6", "czero.nez x8,x5,x6", "czero.eqz x9,x5,x0"]), {
        "x5=7; x6=2; x7=7;"
    });
    assert_eq!(values("x5=7; x6=-2", &["sgt x7,x5,x6", "sgtu x8,x5,x6"]), "x5=7; x6=-2; x7=1;");
}

#[test]
fn pseudo_instructions() {
    assert_eq!(values("x5=4", &["neg x6,x5", "not x7,x5", "seqz x8,x5", "snez x9,x5", "mv x10,x5"]), {
        "x5=4; x6=-4; x7=-5; x9=1; x10=4;"
    });
    assert_eq!(values("x5=-4", &["sgtz x6,x5", "sltz x7,x5", "zext.b x8,x5", "zext.w x9,x5"]), {
        "x5=-4; x7=1; x8=252; x9=4294967292;"
    });
    assert_eq!(values("", &["li x5,18446744073709551615", "li x0,3", "addi x6,x0,2"]), "x5=-1; x6=2;");
    assert_eq!(
        values(
            "x5=40; x6=3",
            &["ctz x7,x5", "clz x8,x5", "andn x9,x5,x6", "ror x10,x6,x6", "sh2add x11,x6,x5"]
        ),
        { "x5=40; x6=3; x7=3; x8=58; x9=40; x10=6917529027641081856; x11=52;" }
    );
}

#[test]
fn loads_extend_and_stores_cut() {
    assert_eq!(
        values(
            "x6=&x; x:8=-1",
            &["lb x7,0(x6)", "lbu x8,0(x6)", "lhu x9,0(x6)", "lw x10,0(x6)", "lwu x11,0(x6)"]
        ),
        { "x6=x; x7=-1; x8=255; x9=65535; x10=-1; x11=4294967295; x=-1;" }
    );
    assert_eq!(values("x5=-1; x6=&x; x:8=0", &["sh x5,0(x6)"]), "x5=-1; x6=x; x=65535;");
    assert_eq!(values("x5=1; x6=&x; x:4=0; x+4:4=0", &["sw x5,4(x6)"]), "x5=1; x6=x; x+4=1;");
}

#[test]
fn atomics() {
    assert_eq!(values("x5=3; x6=&x; x:4=-5", &["amoadd.w x7,x5,(x6)"]), "x5=3; x6=x; x7=-5; x=-2;");
    assert_eq!(values("x5=3; x6=&x; x:4=-5", &["amomaxu.w x7,x5,(x6)"]), "x5=3; x6=x; x7=-5; x=-5;");
    assert_eq!(values("x5=3; x6=&x; x:4=-5", &["amomax.w x7,x5,(x6)"]), "x5=3; x6=x; x7=-5; x=3;");
    assert_eq!(values("x5=3; x6=&x; x:8=9", &["amoswap.d.aqrl x0,x5,(x6)"]), "x5=3; x6=x; x=3;");
    assert_eq!(values("x5=257; x6=&x; x:1=255", &["amoadd.b x7,x5,(x6)"]), "x5=257; x6=x; x7=-1;");
    assert_eq!(values("x5=3; x6=&x; x7=9; x:8=9", &["amocas.d x7,x5,(x6)"]), "x5=3; x6=x; x7=9; x=3;");
    assert_eq!(values("x5=3; x6=&x; x7=8; x:8=9", &["amocas.d x7,x5,(x6)"]), "x5=3; x6=x; x7=9; x=9;");
}

#[test]
fn a_store_conditional_needs_its_reservation() {
    assert_eq!(values("x5=3; x6=&x; x:4=1", &["sc.w x7,x5,(x6)"]), "x5=3; x6=x; x7=1; x=1;");
    assert_eq!(values("x5=3; x6=&x; x:4=1", &["lr.w x8,(x6)", "sc.w x7,x5,(x6)"]), {
        "x5=3; x6=x; x7=1; x8=1; x=1;\nx5=3; x6=x; x8=1; x=3;"
    });
    assert_eq!(values("x5=3; x6=&x; x9=&y; x:4=1; y:4=0", &["lr.w x8,(x9)", "sc.w x7,x5,(x6)"]), {
        "x5=3; x6=x; x7=1; x9=y; x=1;"
    });
}

#[test]
fn control_flow() {
    assert_eq!(values("x5=-1; x6=1", &["bltu x5,x6,L", "li x7,1", "L: nop"]), "x5=-1; x6=1; x7=1;");
    assert_eq!(values("x5=-1; x6=1", &["blt x5,x6,L", "li x7,1", "L: nop"]), "x5=-1; x6=1;");
    assert_eq!(values("x5=1", &["bgtz x5,L", "li x7,1", "L: nop"]), "x5=1;");
    assert_eq!(values("x5=1", &["beqz x5,L", "ret", "L: li x7,1"]), "x5=1;");
    assert_eq!(values("", &["jal L", "j E", "L: li x7,1", "ret", "E: li x8,2"]), "x1=100004; x7=1; x8=2;");
    assert_eq!(values("", &["la x5,L", "jr x5", "li x7,1", "L: nop"]), "x5=P0:L;");
}
