//! The claims of the thesis that the project grew from (Bajczi 2020, sections 6.1 and 6.4), checked on ARM tests:
//! four tests under five models, their outcome sets written out, and Peterson's lock with loops.

use litmus::{Model, Test, run};

const MODELS: [&str; 5] = ["weak", "tso", "sc", "arm-a9", "nofence"];

fn states(test: &str, model: &str) -> Vec<String> {
    let test = Test::file(format!("{}/litmus/{test}.litmus", env!("CARGO_MANIFEST_DIR")));
    run(&test, &Model::named(model).expect("an embedded model")).expect("an answer").states()
}

/// Asserts the outcomes of a test under each of the five models: `usual` unless the model is listed.
fn check(test: &str, usual: &[&str], exceptions: &[(&str, &[&str])]) {
    for model in MODELS {
        let expected = exceptions.iter().find(|(name, _)| *name == model).map_or(usual, |(_, states)| states);
        assert_eq!(states(test, model), expected, "{test} under {model}");
    }
}

/// Two writes, two reads: `weak` (and the two faulty models) allow exactly one outcome more than SC.
#[test]
fn two_writes_two_reads() {
    let usual = &["1:R1=0; 1:R2=0;", "1:R1=0; 1:R2=1;", "1:R1=1; 1:R2=0;", "1:R1=1; 1:R2=1;"];
    let other0 = &["1:R1=0; 1:R2=0;", "1:R1=0; 1:R2=1;", "1:R1=1; 1:R2=1;"];
    check("2w2r", usual, &[("tso", &other0[..]), ("sc", &other0[..])]);
}

/// Only the Cortex-A9 lets one location go backwards.
#[test]
fn coherence_of_one_write() {
    let usual = &["1:R1=0; 1:R2=0;", "1:R1=0; 1:R2=1;", "1:R1=1; 1:R2=1;"];
    let other0 = &["1:R1=0; 1:R2=0;", "1:R1=0; 1:R2=1;", "1:R1=1; 1:R2=0;", "1:R1=1; 1:R2=1;"];
    check("cow2r", usual, &[("arm-a9", &other0[..])]);
}

/// Only on the Cortex-A9 do two readers disagree on the order of two writes.
#[test]
fn coherence_of_two_writes() {
    let usual = &[
        "2:R1=0; 2:R2=0; 3:R1=0; 3:R2=0;",
        "2:R1=0; 2:R2=0; 3:R1=0; 3:R2=1;",
        "2:R1=0; 2:R2=0; 3:R1=0; 3:R2=2;",
        "2:R1=0; 2:R2=0; 3:R1=1; 3:R2=1;",
        "2:R1=0; 2:R2=0; 3:R1=1; 3:R2=2;",
        "2:R1=0; 2:R2=0; 3:R1=2; 3:R2=1;",
        "2:R1=0; 2:R2=0; 3:R1=2; 3:R2=2;",
        "2:R1=0; 2:R2=1; 3:R1=0; 3:R2=0;",
        "2:R1=0; 2:R2=1; 3:R1=0; 3:R2=1;",
        "2:R1=0; 2:R2=1; 3:R1=0; 3:R2=2;",
        "2:R1=0; 2:R2=1; 3:R1=1; 3:R2=1;",
        "2:R1=0; 2:R2=1; 3:R1=1; 3:R2=2;",
        "2:R1=0; 2:R2=1; 3:R1=2; 3:R2=1;",
        "2:R1=0; 2:R2=1; 3:R1=2; 3:R2=2;",
        "2:R1=0; 2:R2=2; 3:R1=0; 3:R2=0;",
        "2:R1=0; 2:R2=2; 3:R1=0; 3:R2=1;",
        "2:R1=0; 2:R2=2; 3:R1=0; 3:R2=2;",
        "2:R1=0; 2:R2=2; 3:R1=1; 3:R2=1;",
        "2:R1=0; 2:R2=2; 3:R1=1; 3:R2=2;",
        "2:R1=0; 2:R2=2; 3:R1=2; 3:R2=1;",
        "2:R1=0; 2:R2=2; 3:R1=2; 3:R2=2;",
        "2:R1=1; 2:R2=1; 3:R1=0; 3:R2=0;",
        "2:R1=1; 2:R2=1; 3:R1=0; 3:R2=1;",
        "2:R1=1; 2:R2=1; 3:R1=0; 3:R2=2;",
        "2:R1=1; 2:R2=1; 3:R1=1; 3:R2=1;",
        "2:R1=1; 2:R2=1; 3:R1=1; 3:R2=2;",
        "2:R1=1; 2:R2=1; 3:R1=2; 3:R2=1;",
        "2:R1=1; 2:R2=1; 3:R1=2; 3:R2=2;",
        "2:R1=1; 2:R2=2; 3:R1=0; 3:R2=0;",
        "2:R1=1; 2:R2=2; 3:R1=0; 3:R2=1;",
        "2:R1=1; 2:R2=2; 3:R1=0; 3:R2=2;",
        "2:R1=1; 2:R2=2; 3:R1=1; 3:R2=1;",
        "2:R1=1; 2:R2=2; 3:R1=1; 3:R2=2;",
        "2:R1=1; 2:R2=2; 3:R1=2; 3:R2=2;",
        "2:R1=2; 2:R2=1; 3:R1=0; 3:R2=0;",
        "2:R1=2; 2:R2=1; 3:R1=0; 3:R2=1;",
        "2:R1=2; 2:R2=1; 3:R1=0; 3:R2=2;",
        "2:R1=2; 2:R2=1; 3:R1=1; 3:R2=1;",
        "2:R1=2; 2:R2=1; 3:R1=2; 3:R2=1;",
        "2:R1=2; 2:R2=1; 3:R1=2; 3:R2=2;",
        "2:R1=2; 2:R2=2; 3:R1=0; 3:R2=0;",
        "2:R1=2; 2:R2=2; 3:R1=0; 3:R2=1;",
        "2:R1=2; 2:R2=2; 3:R1=0; 3:R2=2;",
        "2:R1=2; 2:R2=2; 3:R1=1; 3:R2=1;",
        "2:R1=2; 2:R2=2; 3:R1=1; 3:R2=2;",
        "2:R1=2; 2:R2=2; 3:R1=2; 3:R2=1;",
        "2:R1=2; 2:R2=2; 3:R1=2; 3:R2=2;",
    ];
    let other0 = &[
        "2:R1=0; 2:R2=0; 3:R1=0; 3:R2=0;",
        "2:R1=0; 2:R2=0; 3:R1=0; 3:R2=1;",
        "2:R1=0; 2:R2=0; 3:R1=0; 3:R2=2;",
        "2:R1=0; 2:R2=0; 3:R1=1; 3:R2=0;",
        "2:R1=0; 2:R2=0; 3:R1=1; 3:R2=1;",
        "2:R1=0; 2:R2=0; 3:R1=1; 3:R2=2;",
        "2:R1=0; 2:R2=0; 3:R1=2; 3:R2=0;",
        "2:R1=0; 2:R2=0; 3:R1=2; 3:R2=1;",
        "2:R1=0; 2:R2=0; 3:R1=2; 3:R2=2;",
        "2:R1=0; 2:R2=1; 3:R1=0; 3:R2=0;",
        "2:R1=0; 2:R2=1; 3:R1=0; 3:R2=1;",
        "2:R1=0; 2:R2=1; 3:R1=0; 3:R2=2;",
        "2:R1=0; 2:R2=1; 3:R1=1; 3:R2=0;",
        "2:R1=0; 2:R2=1; 3:R1=1; 3:R2=1;",
        "2:R1=0; 2:R2=1; 3:R1=1; 3:R2=2;",
        "2:R1=0; 2:R2=1; 3:R1=2; 3:R2=0;",
        "2:R1=0; 2:R2=1; 3:R1=2; 3:R2=1;",
        "2:R1=0; 2:R2=1; 3:R1=2; 3:R2=2;",
        "2:R1=0; 2:R2=2; 3:R1=0; 3:R2=0;",
        "2:R1=0; 2:R2=2; 3:R1=0; 3:R2=1;",
        "2:R1=0; 2:R2=2; 3:R1=0; 3:R2=2;",
        "2:R1=0; 2:R2=2; 3:R1=1; 3:R2=0;",
        "2:R1=0; 2:R2=2; 3:R1=1; 3:R2=1;",
        "2:R1=0; 2:R2=2; 3:R1=1; 3:R2=2;",
        "2:R1=0; 2:R2=2; 3:R1=2; 3:R2=0;",
        "2:R1=0; 2:R2=2; 3:R1=2; 3:R2=1;",
        "2:R1=0; 2:R2=2; 3:R1=2; 3:R2=2;",
        "2:R1=1; 2:R2=0; 3:R1=0; 3:R2=0;",
        "2:R1=1; 2:R2=0; 3:R1=0; 3:R2=1;",
        "2:R1=1; 2:R2=0; 3:R1=0; 3:R2=2;",
        "2:R1=1; 2:R2=0; 3:R1=1; 3:R2=0;",
        "2:R1=1; 2:R2=0; 3:R1=1; 3:R2=1;",
        "2:R1=1; 2:R2=0; 3:R1=1; 3:R2=2;",
        "2:R1=1; 2:R2=0; 3:R1=2; 3:R2=0;",
        "2:R1=1; 2:R2=0; 3:R1=2; 3:R2=1;",
        "2:R1=1; 2:R2=0; 3:R1=2; 3:R2=2;",
        "2:R1=1; 2:R2=1; 3:R1=0; 3:R2=0;",
        "2:R1=1; 2:R2=1; 3:R1=0; 3:R2=1;",
        "2:R1=1; 2:R2=1; 3:R1=0; 3:R2=2;",
        "2:R1=1; 2:R2=1; 3:R1=1; 3:R2=0;",
        "2:R1=1; 2:R2=1; 3:R1=1; 3:R2=1;",
        "2:R1=1; 2:R2=1; 3:R1=1; 3:R2=2;",
        "2:R1=1; 2:R2=1; 3:R1=2; 3:R2=0;",
        "2:R1=1; 2:R2=1; 3:R1=2; 3:R2=1;",
        "2:R1=1; 2:R2=1; 3:R1=2; 3:R2=2;",
        "2:R1=1; 2:R2=2; 3:R1=0; 3:R2=0;",
        "2:R1=1; 2:R2=2; 3:R1=0; 3:R2=1;",
        "2:R1=1; 2:R2=2; 3:R1=0; 3:R2=2;",
        "2:R1=1; 2:R2=2; 3:R1=1; 3:R2=0;",
        "2:R1=1; 2:R2=2; 3:R1=1; 3:R2=1;",
        "2:R1=1; 2:R2=2; 3:R1=1; 3:R2=2;",
        "2:R1=1; 2:R2=2; 3:R1=2; 3:R2=0;",
        "2:R1=1; 2:R2=2; 3:R1=2; 3:R2=1;",
        "2:R1=1; 2:R2=2; 3:R1=2; 3:R2=2;",
        "2:R1=2; 2:R2=0; 3:R1=0; 3:R2=0;",
        "2:R1=2; 2:R2=0; 3:R1=0; 3:R2=1;",
        "2:R1=2; 2:R2=0; 3:R1=0; 3:R2=2;",
        "2:R1=2; 2:R2=0; 3:R1=1; 3:R2=0;",
        "2:R1=2; 2:R2=0; 3:R1=1; 3:R2=1;",
        "2:R1=2; 2:R2=0; 3:R1=1; 3:R2=2;",
        "2:R1=2; 2:R2=0; 3:R1=2; 3:R2=0;",
        "2:R1=2; 2:R2=0; 3:R1=2; 3:R2=1;",
        "2:R1=2; 2:R2=0; 3:R1=2; 3:R2=2;",
        "2:R1=2; 2:R2=1; 3:R1=0; 3:R2=0;",
        "2:R1=2; 2:R2=1; 3:R1=0; 3:R2=1;",
        "2:R1=2; 2:R2=1; 3:R1=0; 3:R2=2;",
        "2:R1=2; 2:R2=1; 3:R1=1; 3:R2=0;",
        "2:R1=2; 2:R2=1; 3:R1=1; 3:R2=1;",
        "2:R1=2; 2:R2=1; 3:R1=1; 3:R2=2;",
        "2:R1=2; 2:R2=1; 3:R1=2; 3:R2=0;",
        "2:R1=2; 2:R2=1; 3:R1=2; 3:R2=1;",
        "2:R1=2; 2:R2=1; 3:R1=2; 3:R2=2;",
        "2:R1=2; 2:R2=2; 3:R1=0; 3:R2=0;",
        "2:R1=2; 2:R2=2; 3:R1=0; 3:R2=1;",
        "2:R1=2; 2:R2=2; 3:R1=0; 3:R2=2;",
        "2:R1=2; 2:R2=2; 3:R1=1; 3:R2=0;",
        "2:R1=2; 2:R2=2; 3:R1=1; 3:R2=1;",
        "2:R1=2; 2:R2=2; 3:R1=1; 3:R2=2;",
        "2:R1=2; 2:R2=2; 3:R1=2; 3:R2=0;",
        "2:R1=2; 2:R2=2; 3:R1=2; 3:R2=1;",
        "2:R1=2; 2:R2=2; 3:R1=2; 3:R2=2;",
    ];
    check("coww2r2r", usual, &[("arm-a9", &other0[..])]);
}

/// Message passing with fences: broken only where fences are ignored.
#[test]
fn message_passing_with_fences() {
    let usual = &["1:R1=0; 1:R2=0;", "1:R1=0; 1:R2=1;", "1:R1=1; 1:R2=1;"];
    let other0 = &["1:R1=0; 1:R2=0;", "1:R1=0; 1:R2=1;", "1:R1=1; 1:R2=0;", "1:R1=1; 1:R2=1;"];
    check("mp", usual, &[("nofence", &other0[..])]);
}

/// Peterson's lock (6.4): safe on SC up to the bound, broken on weaker models, safe again with fences, and broken again
/// where fences are ignored. The loops are cut, and the answer says so.
#[test]
fn petersons_lock() {
    let verdict = |test: &str, model: &str| {
        let file = Test::file(format!("{}/litmus/{test}.litmus", env!("CARGO_MANIFEST_DIR")));
        let answers = run(&file, &Model::named(model).expect("an embedded model")).expect("an answer");
        assert!(!answers.is_complete(), "the loops of {test} are cut, and that is said");
        assert!(answers.executions() > 0);
        answers.condition_holds()
    };
    let broken: Vec<bool> = MODELS.iter().map(|model| verdict("peterson", model)).collect();
    assert_eq!(broken, [true, true, false, true, true], "{MODELS:?}");
    let broken: Vec<bool> = MODELS.iter().map(|model| verdict("peterson-fenced", model)).collect();
    assert_eq!(broken, [false, false, false, false, true], "{MODELS:?}");
}
