//! Accesses of several sizes: what they mean, that nothing need be asked for, and that cutting memory up only where a test needs it
//! gives what cutting it into bytes gives.

use std::sync::Arc;

use super::{Input, Report, Session, Settings, load};
use crate::diag::{Color, render_all};
use crate::explore::{self, Engine};
use crate::outcome::Outcome;
use crate::program::Mixed;

fn report(text: &str, variants: &[&str], model: Option<&str>) -> Report {
    let input = Input::Text { name: "test".into(), text: Arc::from(text) };
    let variants = variants.iter().filter_map(|variant| crate::variant::Variant::parse(variant)).collect();
    Session::new(Settings { variants, ..Settings::default() }).run(&input, model)
}

/// The state lines, then `positive negative`.
fn states(text: &str, variants: &[&str], model: Option<&str>) -> String {
    let report = report(text, variants, model);
    let Some(answer) = &report.answer else {
        return render_all(&report.diagnostics, &report.sources, Color::Never);
    };
    let outcome = answer.outcome.as_ref().unwrap();
    let style = crate::outcome::StateStyle { hexa: true, ..Default::default() };
    let lines = outcome.states.listed(&answer.test.program, usize::MAX);
    let mut text: Vec<String> =
        lines.map(|(state, _)| crate::outcome::format_state(&state, &answer.test, &style)).collect();
    text.push(format!("{} {}", outcome.positive, outcome.negative));
    text.join("\n")
}

#[test]
fn half_of_a_location() {
    let test = "AArch64 T\n{ uint64_t x; 0:X1=x; 1:X1=x; uint64_t 1:X0; }\n P0 | P1 ;\n MOV W0,#1 | LDR X0,[X1] ;\n\
                STR W0,[X1,#4] | ;\nexists (1:X0=0x100000000)\n";
    let expected = "1:X0=0x0;\n1:X0=0x100000000;\n1 1";
    assert_eq!(states(test, &["mixed"], None), expected);
    assert_eq!(states(test, &[], None), expected);
}

#[test]
fn objects_of_c() {
    let test = "C T\n{ uint16_t x=0; }\nP0 (atomic_ushort* x) { atomic_store_explicit((atomic_uchar*)x + 1, 2, memory_order_relaxed); }\n\
                P1 (atomic_ushort* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (1:r0=512)\n";
    assert_eq!(states(test, &[], Some("rc11")), "1:r0=0x0;\n1:r0=0x200;\n1 1");
    // A narrow read of a wide value.
    let test = "C T\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 257, memory_order_relaxed); }\n\
                P1 (atomic_uchar* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (1:r0=1)\n";
    assert_eq!(states(test, &[], Some("rc11")), "1:r0=0x0;\n1:r0=0x1;\n1 1");
}

/// Both halves are written, in order; one read of the whole does not see the second alone.
#[test]
fn a_wide_read_is_not_torn() {
    let test = "AArch64 T\n{ uint64_t x; 0:X1=x; 1:X1=x; uint64_t 1:X0; }\n P0 | P1 ;\n MOV W0,#1 | LDR X0,[X1] ;\n\
                STR W0,[X1] | ;\n DMB SY | ;\n STR W0,[X1,#4] | ;\nexists (1:X0=0x100000000)\n";
    assert_eq!(states(test, &["mixed"], None), "1:X0=0x0;\n1:X0=0x1;\n1:X0=0x100000001;\n0 3");
    // A model that says nothing of it: only where memory is cut up unasked are accesses atomic.
    let dir = tempfile::tempdir().unwrap();
    let model = dir.path().join("none.cat");
    std::fs::write(&model, "\"none\"\ninclude \"cos.cat\"\nacyclic po-loc | rf | co | fr\n").unwrap();
    let model = model.display().to_string();
    let whole = "AArch64 T\n{ uint64_t x; 0:X1=x; 1:X1=x; uint64_t 0:X0=0x100000001; uint64_t 1:X0; 1:X3=x; }\n P0 | P1 ;\n\
                 STR X0,[X1] | LDR X0,[X1] ;\n | LDR W2,[X3] ;\nexists (1:X0=1)\n";
    assert!(states(whole, &["mixed"], Some(&model)).contains("1:X0=0x1;"));
    assert!(!states(whole, &[], Some(&model)).contains("1:X0=0x1;"));
}

#[test]
fn a_store_exclusive_wants_the_same_size() {
    let test = |store: &str| {
        format!(
            "AArch64 T\n{{ uint64_t x; 0:X1=x; }}\n P0 ;\n LDXR X2,[X1] ;\n {store} ;\nlocations [0:X4;]\n"
        )
    };
    assert_eq!(states(&test("STXR W4,X3,[X1]"), &["mixed"], None), "0:X4=0x0;\n0:X4=0x1;\n2 0");
    assert_eq!(states(&test("STXR W4,W3,[X1]"), &["mixed"], None), "0:X4=0x1;\n1 0");
}

#[test]
fn every_architecture() {
    let tests = [
        "X86_64 T\n{ uint64_t x=0x100000002; }\n P0 ;\n movb $5,(x) ;\n movq (x),%rax ;\nlocations [x;]\n",
        "X86 T\n{ x=0x102; 0:EBX=x; }\n P0 ;\n MOVB [x],$5 ;\n MOV EAX,[x] ;\nlocations [x;]\n",
        "RISCV T\n{ uint64_t x=0x100000002; 0:x6=x; }\n P0 ;\n addi x5,x0,5 ;\n sb x5,0(x6) ;\n ld x7,0(x6) ;\nlocations [x;]\n",
        "PPC T\n{ uint64_t x=0x100000002; 0:r6=x; }\n P0 ;\n li r5,5 ;\n stb r5,0(r6) ;\n ld r7,0(r6) ;\nlocations [x;]\n",
        "ARM T\n{ uint32_t x=0x102; 0:R6=x; }\n P0 ;\n MOV R5,#5 ;\n STRB R5,[R6] ;\n LDR R7,[R6] ;\nlocations [x;]\n",
        "MIPS T\n{ uint64_t x=0x100000002; 0:$6=x; }\n P0 ;\n li $5,5 ;\n sb $5,0($6) ;\n ld $7,0($6) ;\nlocations [x;]\n",
        "AArch64 T\n{ uint64_t x=0x100000002; 0:X6=x; }\n P0 ;\n MOV W5,#5 ;\n STRB W5,[X6] ;\n LDR X7,[X6] ;\nlocations [x;]\n",
    ];
    for test in tests {
        let expected =
            if test.starts_with("X86 ") || test.starts_with("ARM") { "0x105" } else { "0x100000005" };
        assert_eq!(states(test, &[], None), format!("[x]={expected};\n1 0"), "{test}");
    }
}

#[test]
fn bounds_and_alignment() {
    let test = |load: &str| {
        format!("AArch64 T\n{{ uint32_t x[3]; 0:X1=x; }}\n P0 ;\n LDR {load} ;\nlocations [0:X0;]\n")
    };
    assert_eq!(states(&test("X0,[X1]"), &["mixed"], None), "0:X0=0x0;\n1 0");
    insta::assert_snapshot!(states(&test("X0,[X1,#4]"), &["mixed"], None), @r"
    error[program::unaligned]: unaligned access: x+4, 8 bytes
      ┌─ test:4:2
      │
    4 │  LDR X0,[X1,#4] ;
      │  ^^^^^^^^^^^^^^ this access
      │
      = note: `--variant mixed,unaligned` allows it; so does a run without `mixed`, where it is one access for each byte
    ");
    insta::assert_snapshot!(states(&test("X0,[X1,#8]"), &["mixed"], None), @r"
    error[program::out-of-bounds]: access out of bounds: x+8, 8 bytes
      ┌─ test:4:2
      │
    4 │  LDR X0,[X1,#8] ;
      │  ^^^^^^^^^^^^^^ this access
      │
      = note: `x` has 3 elements of 4 bytes
    ");
    assert_eq!(states(&test("X0,[X1,#4]"), &["mixed", "unaligned"], None), "0:X0=0x0;\n1 0");
}

/// Without a variant an access that is not aligned is one for each byte, in no order; under `mixed,unaligned` it is one, as herd7 has it.
#[test]
fn unaligned_accesses_are_torn() {
    let test = |store: &str| {
        format!(
            "AArch64 T\n{{ uint8_t x[32]; 0:X5=x; 1:X5=x; 0:X4=0x1122; }}\n P0 | P1 ;\n {store} | LDRB W1,[X5,#16] ;\n \
             | EOR W3,W1,W1 ;\n | ADD W4,W3,#15 ;\n | LDRB W2,[X5,W4,SXTW] ;\nexists (1:X1=0x11 /\\ 1:X2=0)\n"
        )
    };
    let plain = test("STRH W4,[X5,#15]");
    assert!(states(&plain, &[], None).ends_with("\n1 3"), "{}", states(&plain, &[], None));
    assert!(states(&plain, &["mixed", "unaligned"], None).ends_with("\n0 3"));
    in_parts_as_in_bytes(&plain);
    // Both of the same bytes: neither is one access.
    let twice = "AArch64 T\n{ uint64_t x; 0:X1=x; 1:X1=x; 0:X0=0x1122; }\n P0 | P1 ;\n STRH W0,[X1,#1] | LDRH W0,[X1,#1] ;\n\
                 locations [1:X0;]\n";
    assert_eq!(states(twice, &[], None), "1:X0=0x0;\n1:X0=0x22;\n1:X0=0x1100;\n1:X0=0x1122;\n4 0");
    in_parts_as_in_bytes(twice);
    let atomic = "AArch64 T\n{ uint8_t x[32]; 0:X1=x; }\n P0 ;\n ADD X1,X1,#15 ;\n SWPH W4,W6,[X1] ;\nlocations [0:X6;]\n";
    insta::assert_snapshot!(states(atomic, &[], None), @r"
    error[program::unaligned]: unaligned access: x+15, 2 bytes
      ┌─ test:5:2
      │
    5 │  SWPH W4,W6,[X1] ;
      │  ^^^^^^^^^^^^^^^ this access
      │
      = note: an exclusive, an atomic, an acquire or a release must be aligned: this one would fault
    ");
}

/// Values of a cell that was cut up are in the order of those of one that was not.
#[test]
fn states_in_order() {
    let test = "AArch64 T\n{ uint64_t x; uint64_t 0:X0=0x8000000000000000; 0:X1=x; 1:X1=x; 1:X0=1; }\n P0 | P1 ;\n\
                STR X0,[X1] | STRB W0,[X1,#7] ;\nlocations [x;]\n";
    assert_eq!(states(test, &["mixed"], None), "[x]=0x8000000000000000;\n[x]=0x100000000000000;\n2 0");
}

/// How an architecture writes an access.
struct Syntax {
    arch: &'static str,
    init: &'static str,
    store: fn(thread: usize, bytes: u8, offset: u8, value: u8) -> Vec<String>,
    load: fn(thread: usize, bytes: u8, offset: u8, to: usize) -> String,
    register: fn(usize) -> String,
}

const SYNTAXES: [Syntax; 7] = [
    Syntax {
        arch: "RISCV",
        init: "0:x6=x; 1:x6=x;",
        store: |_, bytes, offset, value| {
            let store = if bytes == 1 { "sb" } else { "sh" };
            vec![format!("addi x5,x0,{}", word(bytes, value)), format!("{store} x5,{offset}(x6)")]
        },
        load: |_, bytes, offset, to| {
            format!("{} x{},{offset}(x6)", if bytes == 1 { "lbu" } else { "lhu" }, 10 + to)
        },
        register: |to| format!("x{}", 10 + to),
    },
    Syntax {
        arch: "PPC",
        init: "0:r6=x; 1:r6=x;",
        store: |_, bytes, offset, value| {
            let store = if bytes == 1 { "stb" } else { "sth" };
            vec![format!("li r5,{}", word(bytes, value)), format!("{store} r5,{offset}(r6)")]
        },
        load: |_, bytes, offset, to| {
            format!("{} r{},{offset}(r6)", if bytes == 1 { "lbz" } else { "lhz" }, 10 + to)
        },
        register: |to| format!("r{}", 10 + to),
    },
    Syntax {
        arch: "ARM",
        init: "0:R6=x; 1:R6=x;",
        store: |_, bytes, offset, value| {
            let store = if bytes == 1 { "STRB" } else { "STRH" };
            vec![format!("MOV R5,#{}", word(bytes, value)), format!("{store} R5,[R6,#{offset}]")]
        },
        load: |_, bytes, offset, to| {
            format!("{} R{},[R6,#{offset}]", if bytes == 1 { "LDRB" } else { "LDRH" }, to)
        },
        register: |to| format!("R{to}"),
    },
    Syntax {
        arch: "AArch64",
        init: "0:X6=x; 1:X6=x;",
        store: |_, bytes, offset, value| {
            let store = if bytes == 1 { "STRB" } else { "STRH" };
            vec![format!("MOV W5,#{}", word(bytes, value)), format!("{store} W5,[X6,#{offset}]")]
        },
        load: |_, bytes, offset, to| {
            format!("{} W{},[X6,#{offset}]", if bytes == 1 { "LDRB" } else { "LDRH" }, 10 + to)
        },
        register: |to| format!("X{}", 10 + to),
    },
    Syntax {
        arch: "MIPS",
        init: "0:$6=x; 1:$6=x;",
        store: |_, bytes, offset, value| {
            let store = if bytes == 1 { "sb" } else { "sh" };
            vec![format!("li $5,{}", word(bytes, value)), format!("{store} $5,{offset}($6)")]
        },
        load: |_, bytes, offset, to| {
            format!("{} ${},{offset}($6)", if bytes == 1 { "lbu" } else { "lhu" }, 10 + to)
        },
        register: |to| format!("${}", 10 + to),
    },
    Syntax {
        arch: "X86_64",
        init: "",
        store: |_, bytes, offset, value| {
            let store = if bytes == 1 { "movb" } else { "movw" };
            vec![format!("{store} ${},(x+{offset})", word(bytes, value))]
        },
        load: |_, bytes, offset, to| {
            let load = if bytes == 1 { "movzbl" } else { "movzwl" };
            format!("{load} (x+{offset}),%e{}x", ["a", "b"][to])
        },
        register: |to| format!("r{}x", ["a", "b"][to]),
    },
    Syntax {
        arch: "X86",
        init: "",
        store: |_, bytes, offset, value| {
            let width = if bytes == 1 { "byte" } else { "word" };
            vec![format!("mov {width} ptr [x+{offset}],${}", word(bytes, value))]
        },
        load: |_, bytes, offset, to| {
            let width = if bytes == 1 { "byte" } else { "word" };
            format!("movzx E{}X,{width} ptr [x+{offset}]", ["A", "B"][to])
        },
        register: |to| format!("E{}X", ["A", "B"][to]),
    },
];

/// Atomic instructions and exclusives of four bytes: what they are, the value in a register, and the registers that tell what happened.
struct Atomics {
    arch: &'static str,
    codes: &'static [&'static [&'static str]],
    init: &'static str,
    seen: &'static [&'static str],
}

const ATOMICS: [Atomics; 7] = [
    Atomics {
        arch: "RISCV",
        codes: &[
            &["lr.w x12,0(x6)", "sc.w x13,x7,0(x6)"],
            &["amoswap.w x12,x7,(x6)"],
            &["amoadd.w x12,x7,(x6)"],
        ],
        init: "0:x7=0x1020304;",
        seen: &["0:x12", "0:x13"],
    },
    Atomics {
        arch: "PPC",
        codes: &[&["lwarx r12,r0,r6", "stwcx. r7,r0,r6"]],
        init: "0:r7=0x1020304;",
        seen: &["0:r12"],
    },
    Atomics {
        arch: "ARM",
        codes: &[&["LDREX R2,[R6]", "STREX R3,R7,[R6]"]],
        init: "0:R7=0x1020304;",
        seen: &["0:R2", "0:R3"],
    },
    Atomics {
        arch: "AArch64",
        codes: &[
            &["LDXR W12,[X6]", "STXR W13,W7,[X6]"],
            &["SWP W7,W12,[X6]"],
            &["LDADDAL W7,W12,[X6]"],
            &["CAS W12,W7,[X6]"],
        ],
        init: "0:X7=0x1020304;",
        seen: &["0:X12", "0:X13"],
    },
    Atomics {
        arch: "MIPS",
        codes: &[&["ll $12,0($6)", "sc $7,0($6)"]],
        init: "0:$7=0x1020304;",
        seen: &["0:$12", "0:$7"],
    },
    Atomics {
        arch: "X86_64",
        codes: &[&["xchgl %ecx,(x)"], &["lock addl $16909060,(x)"], &["lock incb (x+1)"]],
        init: "0:rcx=0x1020304;",
        seen: &["0:rcx"],
    },
    Atomics {
        arch: "X86",
        codes: &[&["xchg [x],ECX"], &["lock; add [x],$16909060"]],
        init: "0:ECX=0x1020304;",
        seen: &["0:ECX"],
    },
];

/// An atomic of four bytes against a store and a load of one byte or two, somewhere in them.
fn random_atomic(atomics: &Atomics, seed: &mut u64) -> String {
    let syntax = SYNTAXES.iter().find(|syntax| syntax.arch == atomics.arch).unwrap();
    let mut next = |n: u64| draw(seed, n);
    let code = atomics.codes[next(atomics.codes.len() as u64) as usize];
    let mut place = || [(1, 0), (1, 1), (1, 3), (2, 0), (2, 2)][next(5) as usize];
    let ((bytes, offset), (read, at)) = (place(), place());
    let mut other = (syntax.store)(1, bytes, offset, 5);
    let load = (syntax.load)(1, read, at, 0);
    other.insert(if next(2) == 0 { 0 } else { other.len() }, load);
    let length = code.len().max(other.len());
    let cell = |row: usize| other.get(row).map_or("", String::as_str);
    let rows: String =
        (0..length).map(|row| format!(" {} | {} ;\n", code.get(row).unwrap_or(&""), cell(row))).collect();
    format!(
        "{} T\n{{ uint32_t x; {} {} }}\n P0 | P1 ;\n{rows}locations [x; 1:{}; {};]\n",
        syntax.arch,
        syntax.init,
        atomics.init,
        (syntax.register)(0),
        atomics.seen.join("; ")
    )
}

/// Likewise in C, of two bytes against one.
fn random_atomic_c(seed: &mut u64) -> String {
    let mut next = |n: u64| draw(seed, n) as usize;
    let whole = [
        "atomic_exchange_explicit(x, 770, memory_order_relaxed)",
        "atomic_fetch_add_explicit(x, 258, memory_order_relaxed)",
    ][next(2)];
    let byte = ["(atomic_uchar*)x", "(atomic_uchar*)x + 1"];
    let (update, read) = (byte[next(2)], byte[next(2)]);
    format!(
        "C T\n{{ uint16_t x=0; }}\nP0 (atomic_ushort* x) {{ int r0 = {whole}; }}\nP1 (atomic_ushort* x) {{ int r0 = \
         atomic_fetch_add_explicit({update}, 3, memory_order_relaxed); int r1 = atomic_load_explicit({read}, \
         memory_order_relaxed); }}\nlocations [x; 0:r0; 1:r0; 1:r1;]\n"
    )
}

/// A value whose bytes are all the same.
fn word(bytes: u8, value: u8) -> u32 {
    u32::from(value) * if bytes == 1 { 1 } else { 0x101 }
}

/// The next number below `n`.
fn draw(seed: &mut u64, n: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % n
}

/// A random test of C: two threads that read and write one or two bytes of one object.
fn random_c(seed: &mut u64) -> String {
    let mut text = "C T\n{ uint16_t x=0; }\n".to_string();
    let mut observed = vec!["x".to_string()];
    for thread in 0..2 {
        text += &format!("P{thread} (atomic_ushort* x) {{");
        for place in 0..2 {
            let at = ["(atomic_uchar*)x", "(atomic_uchar*)x + 1", "x", "x"][draw(seed, 4) as usize];
            if draw(seed, 2) == 0 {
                let value = word(if at == "x" { 2 } else { 1 }, 1 + draw(seed, 3) as u8);
                text += &format!(" atomic_store_explicit({at}, {value}, memory_order_relaxed);");
            } else {
                text += &format!(" int r{place} = atomic_load_explicit({at}, memory_order_relaxed);");
                observed.push(format!("{thread}:r{place}"));
            }
        }
        text += " }\n";
    }
    format!("{text}locations [{};]\n", observed.join("; "))
}

/// A random test: two threads that read and write one or two bytes of one location.
fn random_test(syntax: &Syntax, seed: &mut u64) -> String {
    let mut next = |n: u64| draw(seed, n);
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut observed = vec!["x".to_string()];
    for thread in 0..2 {
        let mut code = Vec::new();
        for place in 0..2 {
            let (bytes, offset) = [(1, 0), (1, 1), (2, 0), (2, 0)][next(4) as usize];
            if next(2) == 0 {
                code.extend((syntax.store)(thread, bytes, offset, 1 + next(3) as u8));
            } else {
                code.push((syntax.load)(thread, bytes, offset, place));
                observed.push(format!("{thread}:{}", (syntax.register)(place)));
            }
        }
        columns.push(code);
    }
    let length = columns.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |thread: usize, row: usize| columns[thread].get(row).cloned().unwrap_or_default();
    let rows: String = (0..length).map(|row| format!(" {} | {} ;\n", cell(0, row), cell(1, row))).collect();
    format!(
        "{} T\n{{ uint16_t x; {} }}\n P0 | P1 ;\n{rows}locations [{};]\n",
        syntax.arch,
        syntax.init,
        observed.join("; ")
    )
}

/// How many random tests of each syntax.
fn cases() -> usize {
    std::env::var("LITMUS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(3)
}

#[test]
fn as_good_as_byte_by_byte() {
    let mut seed = 7;
    for _ in 0..cases() {
        SYNTAXES.iter().for_each(|syntax| in_parts_as_in_bytes(&random_test(syntax, &mut seed)));
        in_parts_as_in_bytes(&random_c(&mut seed));
    }
}

#[test]
fn atomics_and_exclusives_byte_by_byte() {
    let mut seed = 11;
    for _ in 0..cases() {
        ATOMICS.iter().for_each(|atomics| in_parts_as_in_bytes(&random_atomic(atomics, &mut seed)));
        in_parts_as_in_bytes(&random_atomic_c(&mut seed));
    }
}

/// The answer with memory cut up as needed, and into bytes; and that of the oracle.
fn in_parts_as_in_bytes(text: &str) {
    let report = report(text, &[], None);
    let Some(answer) = report.answer else {
        panic!("{text}{}", render_all(&report.diagnostics, &report.sources, Color::Never));
    };
    let settings = Settings::default();
    let input = Input::Text { name: "test".into(), text: Arc::from(text) };
    let mut sources = crate::source::Sources::new();
    let parsed =
        load::parse(&input, &crate::files::Disk, &mut sources, &mut crate::diag::Diagnostics::new()).unwrap();
    let key = super::ModelKey { single_copy: true, ..load::key(&settings, None, &parsed) };
    let prepared = load::prepare(&settings, &key).unwrap();
    let run = |mixed: Mixed, granule: Option<u8>, engine: Engine| -> Outcome {
        let mut test = answer.test.clone();
        test.program.features.mixed = mixed;
        test.program.features.granule = granule;
        let options = explore::Options { engine, ..explore::Options::default() };
        explore::run(&test, &prepared.model, &options).unwrap()
    };
    let figures =
        |outcome: &Outcome| (outcome.states.clone(), outcome.positive.clone(), outcome.negative.clone());
    let bytes = run(Mixed::AsNeeded, Some(1), Engine::default());
    let parts = run(Mixed::AsNeeded, None, Engine::default());
    assert_eq!(figures(&bytes), figures(&parts), "{text}");
    let oracle = run(Mixed::AsNeeded, None, Engine::Naive);
    assert_eq!(figures(&parts), figures(&oracle), "{text}");
    let found = answer.outcome.as_ref().unwrap();
    assert_eq!(figures(found), figures(&bytes), "{text}");
}
