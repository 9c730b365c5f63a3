//! What holds for every instruction set.

use proptest::prelude::*;

use super::testing::parse;
use super::{ArchId, isa};

/// Words and signs that instructions are made of, so that random cells get past the mnemonic.
const PIECES: &[&str] = &[
    "mov",
    "MOV",
    "movl",
    "lock",
    "xchg",
    "cmpxchg",
    "add",
    "addi",
    "stw",
    "lwz",
    "ld",
    "std",
    "lwarx",
    "stwcx.",
    "cmpw",
    "beq",
    "rlwinm",
    "lmw",
    "com",
    "LDR",
    "STR",
    "LDM",
    "LDRD",
    "STREX",
    "DMB",
    "MOVT",
    "ANDEQ",
    "lw",
    "sw",
    "li",
    "dext",
    "sc",
    "fence",
    "amoadd.w",
    "r[once]",
    "w[]",
    "b[]",
    "r1",
    "r31",
    "R0",
    "R12",
    "$3",
    "$zero",
    "EAX",
    "al",
    "%rax",
    "%cs:",
    "X0",
    "W1",
    "x5",
    "%a",
    "cr7",
    "cr9",
    "x",
    "L0",
    "nowhere",
    "0",
    "1",
    "-1",
    "31",
    "0x7fffffffffffffffffffffffffffffff",
    "99999999999999999999999999999999999999999999999",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "#",
    "$",
    "!",
    ";",
    "*",
    "+",
    "-",
    ":",
    "\"",
    "(*",
    "*)",
    "é",
    "lsl",
    "ptr",
    "dword",
];

proptest! {
    #[test]
    fn no_cell_makes_a_parser_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..10), glue in "[ ,]?") {
        let cell = pieces.join(&glue);
        for arch in ArchId::ALL {
            if let Some(isa) = isa(arch) {
                let (_, result) = parse(isa, &cell);
                if let Err(diagnostic) = result {
                    prop_assert!(!diagnostic.labels.is_empty(), "an error of {arch:?} points nowhere: {cell}");
                }
            }
        }
    }

    #[test]
    fn what_is_printed_is_read_again(arch in prop::sample::select(&ArchId::ALL[..]), pieces in prop::collection::vec(prop::sample::select(PIECES), 1..8)) {
        let Some(isa) = isa(arch) else { return Ok(()) };
        // herd7's own printing of MOVW and MOVT is no ARM text.
        if let (_, Ok(instr)) = parse(isa, &pieces.join(" "))
            && (!instr.text.starts_with("MOV") || arch != ArchId::Arm) {
                let (_, again) = parse(isa, &instr.text);
                prop_assert!(again.is_ok_and(|again| again.text == instr.text), "{arch:?}: {}", instr.text);
            }
    }
}
