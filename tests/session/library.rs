//! The model library and the tests that come with it: what each model allows.

use std::path::Path;

use litmus::arch::ArchId;
use litmus::cat::library::{self, Kind};
use litmus::diag::{Color, render_all};
use litmus::session::{Input, Session, Settings, check_model};

/// A test of `litmus/` under a model (`None`: the default one): number of states, positive and negative executions.
fn run(test: &str, model: Option<&str>) -> (usize, u64, u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus").join(format!("{test}.litmus"));
    let report = Session::new(Settings::default()).run(&Input::File(path), model);
    let outcome = report.answer.as_ref().and_then(|answer| answer.outcome.as_ref());
    let Some(outcome) = outcome else {
        panic!("{test} under {model:?}: {}", render_all(&report.diagnostics, &report.sources, Color::Never));
    };
    (outcome.states.len(), outcome.positive.saturating_word(), outcome.negative.saturating_word())
}

fn allows(test: &str, model: Option<&str>) -> bool {
    run(test, model).1 > 0
}

/// All tests of `litmus/`, by name.
fn tests() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".litmus").map(str::to_string))
        .collect();
    names.sort();
    names
}

#[test]
fn every_model_checks() {
    for entry in library::entries().iter().filter(|entry| entry.kind == Kind::Model) {
        let own = check_model(&Settings::default(), entry.name, None, false);
        let archs = match own.arch {
            Some(arch) => vec![arch],
            None if entry.name == "x86tso-mixed.cat" => vec![ArchId::X86_64, ArchId::X86],
            None if entry.name.starts_with("lkmm") => vec![ArchId::C],
            None => ArchId::ALL.to_vec(),
        };
        for arch in archs {
            let checked = check_model(&Settings::default(), entry.name, Some(arch), false);
            let messages = render_all(&checked.diagnostics, &checked.sources, Color::Never);
            assert!(
                checked.model.is_some() && messages.is_empty(),
                "{} for {arch:?}:\n{messages}",
                entry.name
            );
        }
    }
}

/// The findings of the evaluation that these models and tests come from, on ARM tests.
#[test]
fn findings() {
    // 2w2r: weak has one outcome more than SC, the first read 1 and the second 0.
    let ((sc, sc_positive, _), (weak, weak_positive, _)) =
        (run("2w2r", Some("sc")), run("2w2r", Some("weak")));
    assert_eq!((weak, weak_positive, sc_positive), (sc + 1, 1, 0));
    let models = ["sc", "tso", "weak", "nofence", "armv7", "arm-a9"];
    for model in models {
        // One reader sees a location go backwards, or two disagree: the Cortex-A9 only.
        assert_eq!(allows("cow2r", Some(model)), model == "arm-a9", "cow2r under {model}");
        assert_eq!(allows("coww2r2r", Some(model)), model == "arm-a9", "coww2r2r under {model}");
        // A fence between the reads helps.
        assert!(!allows("corr-fenced-arm", Some(model)), "corr-fenced-arm under {model}");
        // Message passing with fences: broken only where fences do nothing.
        assert_eq!(allows("mp", Some(model)), model == "nofence", "mp under {model}");
        // Without: only where the two writes and the two reads stay in order.
        assert_eq!(
            allows("mp-plain", Some(model)),
            !["sc", "tso"].contains(&model),
            "mp-plain under {model}"
        );
    }
    // The erratum is about reads only.
    for test in ["cowr-arm", "corw-arm", "coww-arm"] {
        assert!(!allows(test, Some("arm-a9")), "{test}");
    }
}

/// The classic shapes under the default model of each architecture.
#[test]
fn classic_shapes() {
    let mut seen = 0;
    for test in tests() {
        let (shape, arch) = test.rsplit_once('-').unwrap_or((&test, ""));
        let expected = match (shape, arch) {
            (_, "x86") => ["sb", "sb-rfis", "r", "peterson-entry", "dekker"].contains(&shape),
            (_, "arm" | "aarch64" | "ppc" | "riscv") => match shape {
                "sb-lwsync" => true,
                "mp-lwsync" | "mp-st-ld" | "mp-ww-rr" => false,
                _ => !shape.starts_with("co") && !shape.ends_with("-fenced"),
            },
            _ => continue,
        };
        assert_eq!(allows(&test, None), expected, "{test}");
        seen += 1;
    }
    assert!(seen > 70, "only {seen} tests");
}

/// The same shapes on ARM under models of other machines: what each of these allows.
#[test]
fn classic_shapes_on_other_machines() {
    let allowed = |model: &str| {
        let tests = tests().into_iter().filter(|test| test.ends_with("-arm"));
        let allowed: Vec<String> = tests.filter(|test| allows(test, Some(model))).collect();
        allowed.join(" ").replace("-arm", "")
    };
    insta::assert_snapshot!(allowed("sc"), @"");
    insta::assert_snapshot!(allowed("tso"), @"r sb");
    insta::assert_snapshot!(allowed("pso"), @"2+2w isa2 r s sb");
    insta::assert_snapshot!(allowed("rmo"), @"2+2w corr iriw isa2 lb r s sb wrc");
    insta::assert_snapshot!(allowed("weak"), @"2+2w iriw isa2 r s sb wrc");
    insta::assert_snapshot!(allowed("nofence"), @"2+2w iriw isa2 r s sb sb-fenced wrc");
    insta::assert_snapshot!(allowed("uni"), @"2+2w iriw isa2 lb r s sb sb-fenced wrc");
    insta::assert_snapshot!(allowed("minimal"), @"2+2w corr corr-fenced corw cowr coww iriw isa2 lb r s sb sb-fenced wrc");
}

/// The TSO and PSO of the ASE 2018 paper forward no stores: a read that takes the value of a write still in the queue is what they lack, and all that
/// they lack on these shapes.
#[test]
fn no_stores_are_forwarded_in_the_models_of_ase_2018() {
    for (ours, theirs) in [("tso", "ase18-tso"), ("pso", "ase18-pso")] {
        let mut differ = Vec::new();
        for test in tests().into_iter().filter(|test| test.ends_with("-x86")) {
            match (allows(&test, Some(ours)), allows(&test, Some(theirs))) {
                (true, false) => differ.push(test),
                (false, true) => panic!("{theirs} allows {test}, which {ours} forbids"),
                _ => {}
            }
        }
        assert_eq!(differ, ["sb-rfis-x86"], "{ours} against {theirs}");
    }
}

/// A model in the manner of Dat3M runs after its prelude: coherence, fences by the names of instructions, and `po` inside atomic ones.
#[test]
fn a_model_of_another_tool() {
    let dir = tempfile::tempdir().unwrap();
    let model = dir.path().join("tso.cat");
    let text = "include \"dat3m.cat\"\n\
        let fence = po; [mfence]; po\n\
        let implied = po & W*R & ((M * A) | (A * M))\n\
        acyclic po-loc | co | fr | rf as uniproc\n\
        empty rmw & (fre; coe)\n\
        acyclic (po & (R*M | W*W)) | fence | implied | co | fr | rfe as tso\n";
    std::fs::write(&model, text).unwrap();
    let model = model.display().to_string();
    for test in tests().iter().filter(|test| test.ends_with("-x86")) {
        assert_eq!(run(test, Some(&model)), run(test, Some("x86tso")), "{test}");
    }
    assert!(allows("sb-x86", Some(&model)) && !allows("sb-fenced-x86", Some(&model)));
}
