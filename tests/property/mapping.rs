//! Compilation mappings: what random C programs become does only what the programs may do.
//!
//! RC11 is the judge: both mappings to Power are sound for it, and for C11 as it was first written neither is.

use std::sync::Arc;

use litmus::compare::Answer;
use litmus::explore::Options;
use litmus::mapping::Mapping;
use litmus::session::{Compared, Input, Session, Settings};

use super::program::{Arch, Program};
use super::random::Random;
use super::{CANDIDATES, PATIENCE, candidates, cases, lower};

/// Mappings that are sound for RC11, which forbids load buffering.
const SOUND: [&str; 5] = ["x86", "aarch64-rc11", "armv7-rc11", "ppc-rc11", "riscv-rc11"];

/// A random C program in which every access is atomic, so that there is no race, and every compare-and-exchange names a variable.
fn program(random: &mut Random) -> String {
    let mut program = Program::random(Arch::C, random);
    program.filter = None;
    let mut text = String::new();
    let mut expected = 0;
    // What is expected stands in variables here.
    let written = program.text().replace(", atomic_int *c0, atomic_int *c1", "").replace("c0=0; c1=1;\n", "");
    for line in written.lines() {
        let words: Vec<&str> = line.trim().trim_end_matches(';').split(" = ").collect();
        let new = match words.as_slice() {
            [to, from] if to.starts_with('r') && from.starts_with('*') => {
                format!("  {to} = atomic_load_explicit({}, memory_order_relaxed);", &from[1..])
            }
            [to, value] if to.starts_with('*') => {
                format!("  atomic_store_explicit({}, {value}, memory_order_relaxed);", &to[1..])
            }
            [to, call] if call.starts_with("atomic_compare_exchange") => {
                let (before, after) = call.split_once(", c").expect("an expected value");
                let (value, rest) = after.split_once(", ").expect("a new value");
                expected += 1;
                format!("  int e{expected} = {value};\n  {to} = {before}, &e{expected}, {rest};")
            }
            _ => line.to_string(),
        };
        text += &new;
        text.push('\n');
    }
    text
}

fn compared(session: &Session, text: &str, mapping: &Mapping) -> Compared {
    let input = Input::Text { name: "random.litmus".to_string(), text: Arc::from(text) };
    session.compare_compiled(&input, "rc11", None, mapping)
}

#[test]
fn published_mappings_are_sound_on_random_programs() {
    let explore = Options { timeout: Some(PATIENCE), ..Options::default() };
    let session = Session::new(Settings { explore, ..Settings::default() });
    let mappings = SOUND.map(|name| Mapping::library(name).expect("a mapping"));
    let (mut sound, mut programs, mut refused) = (0, 0, 0);
    for case in cases(10, 60) {
        let mut random = Random::new(case ^ 0x3A9 << 36);
        let text = program(&mut random);
        if candidates(&lower(&session, &text)) > CANDIDATES {
            continue;
        }
        programs += 1;
        for mapping in &mappings {
            let compared = compared(&session, &text, mapping);
            let told = || format!("case {case}, {}\n{text}\n{:?}", mapping.name, compared.report.diagnostics);
            match compared.answer.as_ref().map(|(_, comparison)| &comparison.answer) {
                Some(Answer::Portable | Answer::Undefined { .. }) => sound += 1,
                Some(Answer::NotPortable { state, .. }) => panic!("{state}\n{}", told()),
                Some(other) => panic!("{other:?}\n{}", told()),
                // Registers are few on some machines.
                None => {
                    let known = compared.report.error().is_some_and(|error| {
                        error.code == "compile::unsupported" || error.message.contains("limit")
                    });
                    assert!(known, "{}", told());
                    refused += 1;
                }
            }
        }
    }
    println!("{programs} programs by {} mappings: {sound} sound, {refused} refused", SOUND.len());
    assert!(sound > 20 && refused < sound, "{sound} sound, {refused} refused");
}
