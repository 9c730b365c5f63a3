//! What instructions compute: values, sizes, flags. Expected values are from the manual.

use super::AArch64;
use crate::arch::testing::run;

fn values(init: &str, code: &[&str]) -> String {
    run(&AArch64, init, code)
}

/// N, Z, C and V after an instruction.
fn flags(init: &str, code: &str) -> String {
    let code = [code, "CSET W10,MI", "CSET W11,EQ", "CSET W12,CS", "CSET W13,VS"];
    let names = [("X10=1;", 'N'), ("X11=1;", 'Z'), ("X12=1;", 'C'), ("X13=1;", 'V')];
    let shown = values(init, &code);
    names.iter().map(|(set, name)| if shown.contains(set) { *name } else { '-' }).collect()
}

#[test]
fn the_32_bit_view_clears_the_upper_half() {
    assert_eq!(values("X1=-1", &["MOV W0,W1", "ADD W2,W1,#1", "EOR W3,W1,W1", "MVN W4,WZR"]), {
        "X0=4294967295; X1=-1; X4=4294967295;"
    });
    assert_eq!(values("X1=-1", &["LSR W0,W1,#28", "ASR W2,W1,#28", "ASR X3,X1,#28", "LSL W4,W1,#31"]), {
        "X0=15; X1=-1; X2=4294967295; X3=-1; X4=2147483648;"
    });
    assert_eq!(values("X1=1; X2=33", &["LSL W0,W1,W2", "LSL X3,X1,X2", "ROR W4,W1,W1", "ROR X5,X1,#4"]), {
        "X0=2; X1=1; X2=33; X3=8589934592; X4=2147483648; X5=1152921504606846976;"
    });
}

#[test]
fn operands_are_shifted_and_extended() {
    assert_eq!(
        values("X1=1; X2=255", &["ADD X0,X1,X2,LSL #4", "SUB X3,X1,X2,LSR #1", "ADD X4,X1,#1,LSL #12"]),
        { "X0=4081; X1=1; X2=255; X3=-126; X4=4097;" }
    );
    assert_eq!(
        values("X1=1; X2=255", &["ADD X0,X1,W2,SXTB", "ADD X3,X1,W2,SXTB #1", "ADD X4,X1,W2,UXTB #2"]),
        { "X1=1; X2=255; X3=-1; X4=1021;" }
    );
    assert_eq!(values("X1=4294967295", &["SXTW X0,W1", "UXTB W2,W1", "SXTH W3,W1", "SXTB X4,W1"]), {
        "X0=-1; X1=4294967295; X2=255; X3=4294967295; X4=-1;"
    });
}

#[test]
fn wide_moves() {
    assert_eq!(
        values("X1=-1", &["MOVZ X0,#1,LSL #48", "MOVN W2,#0", "MOVK X1,#0,LSL #16", "MOVN X3,#1,LSL #16"]),
        { "X0=281474976710656; X1=-4294901761; X2=4294967295; X3=-65537;" }
    );
    assert_eq!(values("", &["MOV W0,#-1", "MOV X1,#-1"]), "X0=4294967295; X1=-1;");
}

#[test]
fn multiplication_and_division() {
    assert_eq!(
        values(
            "X1=-3; X2=2; X3=10",
            &["MADD X0,X1,X2,X3", "MSUB X4,X1,X2,X3", "MNEG W5,W1,W2", "MUL X6,X1,X2"]
        ),
        { "X0=4; X1=-3; X2=2; X3=10; X4=16; X5=6; X6=-6;" }
    );
    assert_eq!(
        values("X1=-3; X2=2", &["SMULL X0,W1,W2", "UMULL X4,W1,W2", "SMULH X5,X1,X2", "UMULH X6,X1,X2"]),
        { "X0=-6; X1=-3; X2=2; X4=8589934586; X5=-1; X6=1;" }
    );
    assert_eq!(
        values("X1=-7; X2=2", &["SDIV X0,X1,X2", "UDIV W3,W1,W2", "SDIV X4,X1,XZR", "SDIV W5,W1,W2"]),
        { "X0=-3; X1=-7; X2=2; X3=2147483644; X5=4294967293;" }
    );
}

#[test]
fn bits() {
    assert_eq!(values("X1=2", &["CLZ W0,W1", "CLZ X2,X1", "RBIT W3,W1", "CLS X4,X1", "REV W5,W1"]), {
        "X0=30; X1=2; X2=62; X3=1073741824; X4=61; X5=33554432;"
    });
    assert_eq!(values("X1=-2", &["ABS X0,X1", "ABS W2,W1", "REV16 W3,W1", "CLS X4,X1", "CLZ X5,X1"]), {
        "X0=2; X1=-2; X2=2; X3=4294967039; X4=62;"
    });
    assert_eq!(
        values(
            "X1=2748; X2=-1",
            &["UBFX X0,X1,#4,#4", "SBFX X3,X1,#4,#4", "BFI X2,X1,#4,#8", "UBFIZ W4,W1,#8,#4"]
        ),
        { "X0=11; X1=2748; X2=-1073; X3=-5; X4=3072;" }
    );
    assert_eq!(
        values("X1=1; X2=2", &["EXTR X0,X1,X2,#1", "BFXIL X1,X2,#1,#1", "BIC X3,X2,#2", "ORN W4,WZR,W2"]),
        { "X0=-9223372036854775807; X1=1; X2=2; X4=4294967293;" }
    );
}

#[test]
fn cleared_fields_and_trailing_zeros() {
    assert_eq!(
        values("X1=-1; X2=-1; X3=-1", &["BFC X1,#4,#8", "BFC W2,#0,#32", "BFC X3,#0,#64"]),
        "X1=-4081;"
    );
    assert_eq!(values("X1=8", &["CTZ X0,X1", "CTZ W2,W1", "CTZ W3,WZR", "CTZ X4,XZR"]), {
        "X0=3; X1=8; X2=3; X3=32; X4=64;"
    });
}

#[test]
fn immediates_of_sums_may_be_multiples_of_4096() {
    assert_eq!(values("X1=1", &["ADD X0,X1,#4096", "SUB X2,X1,#16773120", "CMP X1,#8192", "CSET W3,LT"]), {
        "X0=4097; X1=1; X2=-16773119; X3=1; NZCV=8;"
    });
}

#[test]
fn flags_of_sums_and_differences() {
    assert_eq!(flags("X0=1; X1=2", "CMP W0,W1"), "N---");
    assert_eq!(flags("X0=2; X1=2", "CMP W0,W1"), "-ZC-");
    assert_eq!(flags("X0=2147483648; X1=1", "CMP W0,W1"), "--CV");
    assert_eq!(flags("X0=2147483647; X1=1", "ADDS W2,W0,W1"), "N--V");
    assert_eq!(flags("X0=4294967295; X1=1", "ADDS W2,W0,W1"), "-ZC-");
    assert_eq!(flags("X0=4294967295; X1=1", "ADDS X2,X0,X1"), "----");
    assert_eq!(flags("X0=-1", "CMN X0,#1"), "-ZC-");
    assert_eq!(flags("X0=-1", "TST X0,X0"), "N---");
    assert_eq!(flags("X0=0", "NEGS W1,W0"), "-ZC-");
    assert_eq!(flags("X0=&x; X1=&x; x=0", "CMP X0,X1"), "-ZC-");
    assert_eq!(flags("X0=6", "CMP W0,#-6"), "----");
}

#[test]
fn carries() {
    let code = ["ADDS X4,X0,X2", "ADC X5,X1,X3", "SUBS X6,X0,X2", "SBC X7,X1,X3"];
    assert_eq!(values("X0=-1; X1=5; X2=1; X3=7", &code), {
        "X0=-1; X1=5; X2=1; X3=7; X5=13; X6=-2; X7=-2; NZCV=10;"
    });
    assert_eq!(values("X0=0; X1=5; X2=1; X3=3", &["SUBS X4,X0,X2", "SBCS X5,X1,X3"]), {
        "X1=5; X2=1; X3=3; X4=-1; X5=1; NZCV=2;"
    });
}

#[test]
fn carries_into_a_negation() {
    assert_eq!(values("X0=1; X1=5", &["CMP X0,#1", "NGC X2,X1", "CMP X0,#2", "NGC W3,W1"]), {
        "X0=1; X1=5; X2=-5; X3=4294967290; NZCV=8;"
    });
    assert_eq!(values("X1=0", &["CMP X1,#0", "NGCS X2,X1"]), "NZCV=6;");
}

#[test]
fn extremes() {
    let code = [
        "SMAX X0,X1,X2",
        "SMIN W3,W1,W2",
        "UMAX X4,X1,X2",
        "UMIN W5,W1,W2",
        "SMAX X6,X1,#-2",
        "UMIN X7,X2,#1",
    ];
    assert_eq!(values("X1=-3; X2=2", &code), {
        "X0=2; X1=-3; X2=2; X3=4294967293; X4=-3; X5=2; X6=-2; X7=1;"
    });
}

#[test]
fn conditions() {
    assert_eq!(
        values("X0=5; X1=7", &["CMP W0,#5", "CSEL W2,W0,W1,EQ", "CSINC W3,W0,W1,NE", "CSNEG W4,W0,W1,LT"]),
        { "X0=5; X1=7; X2=5; X3=8; X4=4294967289; NZCV=6;" }
    );
    assert_eq!(
        values(
            "X0=5",
            &["CMP W0,#6", "CSET W1,LO", "CSETM W2,LT", "CINC W3,W0,GT", "CINV X4,X0,LE", "CNEG X5,X0,MI"]
        ),
        { "X0=5; X1=1; X2=4294967295; X3=5; X4=-6; X5=-5; NZCV=8;" }
    );
    assert_eq!(
        values("X0=5", &["CMP W0,#5", "CCMP W0,#4,#0,EQ", "CSET W1,HI", "CCMP W0,#4,#4,EQ", "CSET W2,EQ"]),
        { "X0=5; X1=1; X2=1; NZCV=4;" }
    );
    assert_eq!(values("", &["CMP XZR,#0", "MRS X0,NZCV", "MSR NZCV,XZR", "CSET W1,EQ"]), "X0=1610612736;");
    assert_eq!(values("", &["CMP XZR,#0", "B.NONE L", "MOV W1,#1", "L: B.ANY E", "MOV W2,#2", "E: NOP"]), {
        "X2=2; NZCV=6;"
    });
}

#[test]
fn system_registers_keep_what_is_written() {
    let code = ["MSR TPIDR_EL0,X1", "MOV X1,#0", "MRS X0,TPIDR_EL0", "MRS X2,CTR_EL0"];
    assert_eq!(values("X1=-7; CTR_EL0=3", &code), "X0=-7; X2=3; CTR_EL0=3; TPIDR_EL0=-7;");
}

#[test]
fn loads_and_stores() {
    assert_eq!(values("X1=&x; x:1=-1", &["LDRB W0,[X1]", "LDRSB W2,[X1]", "LDRSB X3,[X1]"]), {
        "X0=255; X1=x; X2=4294967295; X3=-1; x=-1;"
    });
    assert_eq!(values("X0=511; X1=&x; x:1=0", &["STRB W0,[X1]"]), "X0=511; X1=x; x=-1;");
    assert_eq!(
        values("X1=&x; X2=1; x=1; x+4=2", &["LDR W0,[X1,X2,LSL #2]", "LDR W3,[X1],#4", "LDR W4,[X1]"]),
        { "X0=2; X1=x+4; X2=1; X3=1; X4=2; x=1; x+4=2;" }
    );
    assert_eq!(
        values("X1=&x; X2=-4; x=1; x+4=2", &["STR W2,[X1,#4]!", "LDRSW X3,[X1]", "LDR W4,[X1,W2,SXTW]"]),
        { "X1=x+4; X2=-4; X3=-4; X4=1; x=1; x+4=-4;" }
    );
    assert_eq!(values("X1=&x; x=1; x+4=-2", &["LDP W2,W3,[X1]", "LDPSW X4,X5,[X1]", "STP W3,W2,[X1]"]), {
        "X1=x; X2=1; X3=4294967294; X4=1; X5=-2; x=-2; x+4=1;"
    });
    assert_eq!(values("X0=7; X1=&x; x=1; x+4=2", &["LDAPR W2,[X1],#4", "STLR W0,[X1,#-4]!"]), {
        "X0=7; X1=x; X2=1; x=7; x+4=2;"
    });
    assert_eq!(values("X0=511; X1=&x; x:1=0", &["STTRB W0,[X1]", "LDTRSB X2,[X1]", "LDTRB W3,[X1]"]), {
        "X0=511; X1=x; X2=-1; X3=255; x=-1;"
    });
    assert_eq!(
        values("X0=3; x=0", &["LDR X1,=x", "STLUR W0,[X1]", "LDAPUR W2,[X1]"]),
        "X0=3; X1=x; X2=3; x=3;"
    );
}

#[test]
fn atomics() {
    assert_eq!(values("X0=3; X1=&x; x=-5", &["LDADD W0,W2,[X1]"]), "X0=3; X1=x; X2=4294967291; x=-2;");
    assert_eq!(values("X0=3; X1=&x; x=-5", &["LDSMAX W0,W2,[X1]"]), "X0=3; X1=x; X2=4294967291; x=3;");
    assert_eq!(values("X0=3; X1=&x; x=-5", &["STUMAX W0,[X1]"]), "X0=3; X1=x; x=-5;");
    assert_eq!(values("X0=6; X1=&x; x=5", &["LDCLR W0,W2,[X1]", "LDSET W0,W3,[X1]", "LDEOR W0,W4,[X1]"]), {
        "X0=6; X1=x; X2=5; X3=1; X4=7; x=1;"
    });
    assert_eq!(values("X0=3; X1=&x; x=5", &["SWPAL W0,W2,[X1]"]), "X0=3; X1=x; X2=5; x=3;");
    assert_eq!(values("X0=5; X1=&x; X2=9; x=5", &["CASA W0,W2,[X1]"]), "X0=5; X1=x; X2=9; x=9;");
    assert_eq!(values("X0=4; X1=&x; X2=9; x=5", &["CAS W0,W2,[X1]"]), "X0=5; X1=x; X2=9; x=5;");
    assert_eq!(values("X0=1; X1=2; X6=&x; X2=8; X3=9; x=1; x+4=2", &["CASP W0,W1,W2,W3,[X6]"]), {
        "X0=1; X1=2; X2=8; X3=9; X6=x; x=8; x+4=9;"
    });
}

#[test]
fn exclusives() {
    assert_eq!(values("X0=3; X1=&x; x=1", &["STXR W2,W0,[X1]"]), "X0=3; X1=x; X2=1; x=1;");
    assert_eq!(values("X0=3; X1=&x; x=1", &["LDAXR W3,[X1]", "STLXR W2,W0,[X1]"]), {
        "X0=3; X1=x; X2=1; X3=1; x=1;\nX0=3; X1=x; X3=1; x=3;"
    });
    assert_eq!(values("X0=3; X1=&x; x=1", &["LDXR W3,[X1]", "CLREX", "STXR W2,W0,[X1]"]), {
        "X0=3; X1=x; X2=1; X3=1; x=1;"
    });
    assert_eq!(values("X0=3; X1=&x; X5=4; x=1; x+4=2", &["LDXP W3,W4,[X1]", "STXP W2,W0,W5,[X1]"]), {
        "X0=3; X1=x; X2=1; X3=1; X4=2; X5=4; x=1; x+4=2;\nX0=3; X1=x; X3=1; X4=2; X5=4; x=3; x+4=4;"
    });
}

#[test]
fn control_flow() {
    assert_eq!(values("X0=4294967296", &["CBZ W0,L", "MOV W1,#1", "L: NOP"]), "X0=4294967296;");
    assert_eq!(values("X0=4294967296", &["TBNZ X0,#32,L", "MOV W1,#1", "L: NOP"]), "X0=4294967296;");
    assert_eq!(
        values("", &["BL L", "B E", "L: MOV W1,#1", "RET", "E: MOV W2,#2"]),
        "X1=1; X2=2; X30=100004;"
    );
    assert_eq!(values("X0=3", &["L: ADD W1,W1,#2", "SUBS W0,W0,#1", "B.GT L"]), "X1=6; NZCV=6;");
    assert_eq!(values("", &["ADR X0,L", "BR X0", "MOV W1,#1", "L: NOP"]), "X0=P0:L;");
    assert_eq!(values("", &["B .+8", "MOV W1,#1", "MOV W2,#2"]), "X2=2;");
    assert_eq!(values("", &["B $a/b", "MOV W1,#1", "$a/b: CBZ W2,x-1", "MOV W1,#2", "x-1: NOP"]), "");
}
