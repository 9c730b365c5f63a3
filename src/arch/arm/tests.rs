use super::Arm;
use crate::arch::testing::{listing, run};

#[test]
fn canonical_text() {
    insta::assert_snapshot!(listing(&Arm, &[
        "mov r0 , #1",
        "MOVNE R0,R1",
        "ldr R1, [ip]",
        "LDR R1,R2",
        "LDR R1,[R2,%i]",
        "LDR R1, [R0,#4]",
        "LDR R2, [R1, R3, lsl #2]",
        "streq R1,[R2]",
        "LDRD R4,[R1]",
        "LDRD R4,R5,[R1,#8]",
        "LDMIB R0, { R1, R2 }",
        "ldm R0!,{R1,R2,R3}",
        "ADDS R1,R2,#3",
        "add R1,#3",
        "ANDEQ R0,R0,R0",
        "eors R1,R2,R3",
        "xor R1,R2,R3",
        "MOVW R1,#7",
        "MOVT R1,#7",
        "MOVTEQ R1,#7",
        "CMP R1,#0",
        "BNE L0",
        "bls LC00",
        "BL L0",
        "BX LR",
        "CBNZ R1,L0",
        "DMB SY",
        "dmb",
        "DSB ishst",
        "ISB SY",
        "STREX R1,R2,[R3]",
        "STLEXNE R1,R2,[R3]",
        "LDAEX R1,[R3]",
        "PUSH {R1,LR}",
        "LDR R1,[R2],#4",
        "STR R1,[R2,#4]!",
    ]), @r"
    MOV R0,#1
    MOVNE R0,R1
    LDR R1,[R12]
    LDR R1,[R2]
    LDR R1,[R2,%i]
    LDR R1,[R0,#4]
    LDR R2,[R1,R3,lsl #2]
    STREQ R1,[R2]
    LDRD R4, R5, [R1]
    LDRD R4, R5, [R1, #8]
    LDMIB R0, {R1,R2}
    LDM R0!, {R1,R2,R3}
    ADDS R1,R2,#3
    ADD R1,R1,#3
    NOP
    EOR R1,R2,R3
    EOR R1,R2,R3
    MOVWR1, #7
    MOVT R1, #7
    MOVT EQR1, #7
    CMP R1,#0
    BNE L0
    BLS LC00
    BL L0
    BX LR
    CBNZ R1,L0
    DMB
    DMB
    DSB ISHST
    ISB
    STREX R1,R2,[R3]
    STLEXNE R1,R2,[R3]
    LDAEX R1,[R3]
    NOP
    LDR R1,[R2],#4
    STR R1,[R2,#4]!
    ");
}

#[test]
fn what_cannot_be() {
    insta::assert_snapshot!(listing(&Arm, &[
        "STRR R1,[R2]",
        "LDRS R1,[R2]",
        "MOV R1,R16",
        "MOV R1",
        "MOV #1,R1",
        "LDA R1,[R2,#4]",
        "DMB LD",
        "ISB ISH",
        "B nowhere",
        "MOVW R1,#65536",
        "MOV R1,#4294967296",
        "LDRD R12,[R1]",
    ]), @"
    error[arch::unknown-instruction]: unknown ARM instruction `STRR`
      ┌─ test.litmus:1:1
      │
    1 │ STRR R1,[R2]
      │ ^^^^ not an instruction that this tool knows
      │
      = help: did you mean `STR`?


    error[arch::unknown-instruction]: unknown ARM instruction `LDRS`
      ┌─ test.litmus:1:1
      │
    1 │ LDRS R1,[R2]
      │ ^^^^ not an instruction that this tool knows
      │
      = help: did you mean `LDRSB`?


    error[arch::unknown-register]: `R16` is not a register of ARM
      ┌─ test.litmus:1:8
      │
    1 │ MOV R1,R16
      │        ^^^ expected a register
      │
      = help: did you mean `R1`?


    error[arch::bad-operand]: expected `,`, found the end of the cell
      ┌─ test.litmus:1:7
      │
    1 │ MOV R1
      │       ^ here


    error[arch::bad-operand]: expected a register, found `#`
      ┌─ test.litmus:1:5
      │
    1 │ MOV #1,R1
      │     ^ here


    error[arch::bad-operand]: expected `]`, found `,`
      ┌─ test.litmus:1:11
      │
    1 │ LDA R1,[R2,#4]
      │           ^ here


    error[arch::bad-operand]: `LD` is not a barrier option
      ┌─ test.litmus:1:5
      │
    1 │ DMB LD
      │     ^^ SY, ST, ISH, ISHST, NSH, NSHST, OSH, OSHST


    error[arch::bad-operand]: `ISH` is not a barrier option
      ┌─ test.litmus:1:5
      │
    1 │ ISB ISH
      │     ^^^ SY


    error[arch::unknown-label]: thread P0 has no label `nowhere`
      ┌─ test.litmus:1:3
      │
    1 │ B nowhere
      │   ^^^^^^^ branches only go to labels of their own thread


    error[arch::out-of-range]: immediate 65536 is out of range
      ┌─ test.litmus:1:10
      │
    1 │ MOVW R1,#65536
      │          ^^^^^ allowed here: 0 to 65535


    error[arch::out-of-range]: immediate 4294967296 is out of range
      ┌─ test.litmus:1:9
      │
    1 │ MOV R1,#4294967296
      │         ^^^^^^^^^^ allowed here: 32 bits


    error[arch::bad-operand]: expected the second register of the pair, found `[`
      ┌─ test.litmus:1:10
      │
    1 │ LDRD R12,[R1]
      │          ^ here
    ");
}

#[test]
fn arithmetic_and_flags() {
    let all = [
        run(
            &Arm,
            "R1=7; R2=3",
            &["ADD R3,R1,R2", "SUB R4,R1,#8", "RSB R5,R1,#1", "MUL R6,R1,R2", "MVN R7,R1"],
        ),
        run(
            &Arm,
            "R1=7; R2=1",
            &["ADD R3,R1,R2,LSL #4", "ORR R4,R1,#8", "BIC R5,R1,R2", "ROR R6,R1,#1", "LSR R8,R1,R2"],
        ),
        run(&Arm, "R1=-1", &["UXTB R2,R1", "SXTH R3,R1", "ASR R4,R1,#31", "LSR R5,R1,#31"]),
        run(&Arm, "R1=65535", &["MOVW R1,#4660", "MOVT R1,#22136"]),
        run(&Arm, "R1=1", &["CMP R1,#1"]),
        run(&Arm, "R1=1", &["CMP R1,#2"]),
        run(&Arm, "R1=-2147483648", &["SUBS R2,R1,#1"]),
        run(&Arm, "R1=-1", &["ADDS R1,R1,#1"]),
        run(&Arm, "R1=5", &["EORS R2,R1,R1"]),
        run(&Arm, "R1=5", &["EOR R2,R1,R1"]),
        run(&Arm, "R1=4", &["TST R1,#3"]),
        run(&Arm, "R1=&x; R2=&x; x=0", &["CMP R1,R2", "MOVEQ R3,#1"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    R1=7; R2=3; R3=10; R4=-1; R5=-6; R6=21; R7=-8;
    R1=7; R2=1; R3=23; R4=15; R5=6; R6=-2147483645; R8=3;
    R1=-1; R2=255; R3=-1; R4=-1; R5=1;
    R1=1450709556;
    R1=1; C=1; Z=1;
    R1=1; N=1;
    R1=-2147483648; R2=2147483647; C=1; V=1;
    C=1; Z=1;
    R1=5; Z=1;
    R1=5;
    R1=4; Z=1;
    R1=x; R2=x; R3=1; C=1; Z=1;
    ");
}

#[test]
fn conditions() {
    let taken = |a: i64, b: i64| {
        let conditions = ["EQ", "NE", "CS", "CC", "MI", "PL", "VS", "VC", "HI", "LS", "GE", "LT", "GT", "LE"];
        let holds = |condition: &&str| {
            let init = format!("R1={a}; R2={b}");
            let code = ["CMP R1,R2", &format!("MOV{condition} R3,#1")];
            run(&Arm, &init, &code).contains("R3=1")
        };
        let list: Vec<&str> = conditions.into_iter().filter(holds).collect();
        format!("{a} {b}: {}", list.join(" "))
    };
    let all =
        [taken(1, 1), taken(1, 2), taken(2, 1), taken(-1, 1), taken(1, -1), taken(i64::from(i32::MIN), 1)];
    insta::assert_snapshot!(all.join("\n"), @r"
    1 1: EQ CS PL VC LS GE LE
    1 2: NE CC MI VC LS LT LE
    2 1: NE CS PL VC HI GE GT
    -1 1: NE CS MI VC HI LT LE
    1 -1: NE CC PL VC LS GE GT
    -2147483648 1: NE CS PL VS HI LT LE
    ");
}

#[test]
fn memory() {
    let all = [
        run(
            &Arm,
            "R1=&x; x=-2",
            &["LDR R2,[R1]", "LDRB R3,[R1]", "LDRSB R4,[R1]", "LDRH R5,[R1]", "LDRSH R6,[R1]"],
        ),
        run(&Arm, "R1=&x; x=1; x+4=2", &["LDRD R2,[R1]", "LDR R4,[R1],#4", "LDR R5,[R1]"]),
        run(&Arm, "R1=&x; R2=9; x=1; x+4=2", &["STR R2,[R1,#4]!"]),
        run(&Arm, "R1=&x; R2=9; R3=1; x=1; x+4=2", &["STR R2,[R1,R3,LSL #2]"]),
        run(&Arm, "R0=&x; x=1; x+4=2; x+8=3", &["LDMIB R0,{R1,R2}", "LDM R0!,{R3,R4,R5}"]),
        run(&Arm, "R0=&x; R1=7; R2=8; x=1; x+4=2", &["STM R0,{R1,R2}"]),
        run(&Arm, "R0=&x; R1=7; R2=8; x=1; x+4=2", &["STRD R1,R2,[R0]"]),
        run(&Arm, "R0=&x; R1=7; x=1", &["LDREX R2,[R0]", "STREX R3,R1,[R0]"]),
        run(&Arm, "R0=&x; R1=7; x=1", &["LDAEX R2,[R0]", "CLREX", "STLEX R3,R1,[R0]"]),
        run(&Arm, "R0=&x; R1=7; x=1", &["CMP R1,#7", "STRNE R1,[R0]", "LDREQ R2,[R0]"]),
        run(&Arm, "R0=&x; R1=7; x=1", &["LDA R2,[R0]", "STL R1,[R0]"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    R1=x; R2=-2; R3=254; R4=-2; R5=65534; R6=-2; x=-2;
    R1=x+4; R2=1; R3=2; R4=1; R5=2; x=1; x+4=2;
    R1=x+4; R2=9; x=1; x+4=9;
    R1=x; R2=9; R3=1; x=1; x+4=9;
    R0=x+12; R1=2; R2=3; R3=1; R4=2; R5=3; x=1; x+4=2; x+8=3;
    R0=x; R1=7; R2=8; x=7; x+4=8;
    R0=x; R1=7; R2=8; x=7; x+4=8;
    R0=x; R1=7; R2=1; R3=1; x=1;
    R0=x; R1=7; R2=1; x=7;
    R0=x; R1=7; R2=1; R3=1; x=1;
    R0=x; R1=7; R2=1; C=1; Z=1; x=1;
    R0=x; R1=7; R2=1; x=7;
    ");
}

#[test]
fn control() {
    let all = [
        run(&Arm, "R1=1", &["CBZ R1,L0", "MOV R2,#1", "L0: CBNZ R1,L1", "MOV R3,#1", "L1: NOP"]),
        run(&Arm, "", &["BL L0", "MOV R1,#1", "B L1", "L0: MOV R2,#1", "BX LR", "L1: MOV R3,#1"]),
        run(&Arm, "", &["MOV R1,#1", "BX LR", "MOV R2,#1"]),
        run(&Arm, "R1=2", &["L0: ADD R2,R2,#1", "SUBS R1,R1,#1", "BNE L0"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    R1=1; R2=1;
    R1=1; R2=1; R3=1; LR=100004;
    R1=1;
    R2=2; C=1; Z=1;
    ");
}

#[test]
fn carries_products_and_fields() {
    let all = [
        run(&Arm, "R1=-1; R2=1; R3=5; R4=7", &["ADDS R5,R1,R2", "ADC R6,R3,R4"]),
        run(&Arm, "R1=0; R2=1; R3=5; R4=3", &["SUBS R5,R1,R2", "SBCS R6,R3,R4"]),
        run(&Arm, "R1=3; R2=5", &["CMP R1,R1", "RSC R3,R1,R2"]),
        run(&Arm, "R1=3; R2=5; R3=7", &["MLA R4,R1,R2,R3", "MLS R5,R1,R2,R3", "NEG R6,R1", "ORN R7,R1,R2"]),
        run(&Arm, "R1=-1; R2=2", &["UMULL R3,R4,R1,R2", "SMULL R5,R6,R1,R2"]),
        run(&Arm, "R1=-7; R2=2", &["SDIV R3,R1,R2", "UDIV R4,R1,R2", "SDIV R5,R1,R6"]),
        run(&Arm, "R1=258", &["CLZ R2,R1", "RBIT R3,R1", "REV R4,R1", "REV16 R5,R1"]),
        run(
            &Arm,
            "R1=2748; R2=-1",
            &["UBFX R3,R1,#4,#4", "SBFX R4,R1,#4,#4", "BFI R2,R1,#8,#8", "BFC R1,#4,#28"],
        ),
        run(&Arm, "R1=2748; R2=-1", &["BFI R2,R1,#8,#8", "BFC R1,#4,#4"]),
        run(&Arm, "R1=1", &["ADD.W R2,R1,#1", "SUBW R3,R1,#2", "CMP R1,#1", "ADCEQS R4,R1,R1"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    R1=-1; R2=1; R3=5; R4=7; R6=13; C=1; Z=1;
    R2=1; R3=5; R4=3; R5=-1; R6=1; C=1;
    R1=3; R2=5; R3=2; C=1; Z=1;
    R1=3; R2=5; R3=7; R4=22; R5=-8; R6=-3; R7=-5;
    R1=-1; R2=2; R3=-2; R4=1; R5=-2; R6=-1;
    R1=-7; R2=2; R3=-3; R4=2147483644;
    R1=258; R2=23; R3=1082130432; R4=33619968; R5=513;
    R1=12; R2=-17153; R3=11; R4=-5;
    R1=2572; R2=-17153;
    R1=1; R2=2; R3=-1; R4=3;
    ");
}

#[test]
fn lists_literals_and_hints() {
    let all = [
        run(
            &Arm,
            "x=1; x+4=2; x+8=3",
            &["LDR R0,=x", "ADD R0,R0,#8", "LDMDB R0,{R1-R2}", "LDMDA R0!,{R3,R4}"],
        ),
        run(
            &Arm,
            "R0=&x; R1=7; R2=8; x=0; x+4=0; x+8=0",
            &["ADD R0,R0,#8", "STMFD R0!,{R1-R2}", "LDMFD R0!,{R3}"],
        ),
        run(&Arm, "R0=&x; R1=511; x:1=0", &["STRBT R1,[R0]", "LDRSBT R2,[R0]"]),
        run(&Arm, "", &["BL L0", "B L1", "L0: MOV R1,#1", "BX LR", "L1: YIELD", "WFE", "PLD [R2,#4]", "SEV"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    R0=x; R1=1; R2=2; R3=2; R4=3; x=1; x+4=2; x+8=3;
    R0=x+4; R1=7; R2=8; R3=7; x=7; x+4=8;
    R0=x; R1=511; R2=-1; x=-1;
    R1=1; LR=100004;
    ");
    insta::assert_snapshot!(listing(&Arm, &[
        "LDR R1,=y",
        "LDR.W R1,[R2]",
        "STMFD R0!,{R1-R3,LR}",
        "BLX R3",
        "UBFX R1,R2,#30,#3",
        "LDM R0,{R1-%a}",
        "LDREXD R0,R1,[R2]",
        "SVC #0",
    ]), @r"
    LDR R1,=y
    LDR R1,[R2]
    STMDB R0!, {R1,R2,R3,LR}
    BLX R3
    error[arch::out-of-range]: immediate 3 is out of range
      ┌─ test.litmus:1:17
      │
    1 │ UBFX R1,R2,#30,#3
      │                 ^ allowed here: 1 to 2


    error[arch::bad-operand]: not a range of registers
      ┌─ test.litmus:1:12
      │
    1 │ LDM R0,{R1-%a}
      │            ^^ its end


    error[arch::unsupported-instruction]: `LDREXD` belongs to exclusive accesses of 64 bits, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ LDREXD R0,R1,[R2]
      │ ^^^^^^ no answer can be given for this test


    error[arch::unsupported-instruction]: `SVC` belongs to exceptions, and is not supported
      ┌─ test.litmus:1:1
      │
    1 │ SVC #0
      │ ^^^ no answer can be given for this test
    ");
}
