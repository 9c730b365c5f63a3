//! The programs that rates are measured with, in small.

use std::ops::ControlFlow;
use std::path::Path;

use litmus::arch::ArchId;
use litmus::arch::c::preprocess;
use litmus::arch::c::unit::lower;
use litmus::diag::Diagnostic;
use litmus::grow::{self, Ended, Execution, Found, Visitor};
use litmus::program::shapes::Shapes;
use litmus::session::{Settings, check_model};
use litmus::verify;

/// Counts the executions of a program: those in which all threads end, and all others.
#[derive(Default)]
struct Counts;

impl Visitor for Counts {
    fn execution(&mut self, _: Ended, _: &Found, _: &dyn Execution) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        panic!("{diagnostic:?}")
    }
}

fn counts(file: &str, model: &str, defines: &[&str], options: &grow::Options) -> grow::Stats {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(file);
    let checked = check_model(&Settings::default(), model, Some(ArchId::C), false);
    let model = checked.model.expect("a model");
    let orders = verify::orders_for(&model, None).expect("a model of C");
    let reading = preprocess::Settings {
        defines: defines.iter().map(ToString::to_string).collect(),
        folders: Vec::new(),
    };
    let loaded = verify::load(
        &litmus::verify::Files::from(path.as_path()),
        &reading,
        lower::Options { recursion: 16, orders, samples: false, uninitialised: false, marks_waits: false },
        &Shapes::default(),
    );
    let program = loaded.program.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    grow::explore(&program, &model, options, &mut Counts).expect("an answer")
}

/// Programs that rates are measured with, in small: file, what is defined, and complete executions under rc11.
const RATES: &[(&str, &[&str], u64)] = &[
    ("rates/casrot.c", &["N=6"], 144),
    ("rates/grid.c", &["LONG=4"], 8788),
    ("rates/turns.c", &["ROUNDS=2"], 1848),
    ("rates/sums.c", &["N=3"], 2258),
    ("rates/lock.c", &["THREADS=4"], 24),
    ("rates/lock.c", &["THREADS=3", "TIMES=2"], 90),
    ("rates/lock.c", &["THREADS=3", "TTAS"], 36),
    ("rates/lock.c", &["THREADS=3", "TICKET"], 6),
    ("rates/mutex.c", &["THREADS=3", "TIMES=2"], 90),
];

/// Of executions that differ only in which of several threads is which, one is listed.
#[test]
fn threads_that_are_alike_are_taken_for_each_other() {
    for (file, defines, expected) in [
        ("rates/mutex.c", &["THREADS=5"][..], 1),
        ("rates/mutex.c", &["THREADS=3", "TIMES=2"], 15),
        ("rates/mutex.c", &["THREADS=4", "TIMES=2"], 105),
    ] {
        let options = grow::Options {
            unroll: u32::MAX - 1,
            properties: true,
            awaits: true,
            symmetry: true,
            ..grow::Options::default()
        };
        let stats = counts(file, "rc11", defines, &options);
        assert!(stats.symmetric && !stats.told_apart, "{stats:?}");
        assert_eq!((stats.complete, stats.violating), (expected, 0), "{file} {defines:?}: {stats:?}");
    }
    // Each has an argument of its own.
    let options =
        grow::Options { properties: true, awaits: true, symmetry: true, ..grow::Options::default() };
    assert!(!counts("rates/lock.c", "rc11", &["THREADS=3"], &options).symmetric);
}

/// What a thread that waits does not look at changes no complete execution.
#[test]
fn waiting_loses_no_complete_execution() {
    for (file, defines, expected) in RATES {
        for all_blocked in [false, true] {
            let options = grow::Options {
                unroll: u32::MAX - 1,
                properties: true,
                awaits: true,
                all_blocked,
                ..grow::Options::default()
            };
            let stats = counts(file, "rc11", defines, &options);
            assert_eq!((stats.complete, stats.violating), (*expected, 0), "{file} {defines:?}: {stats:?}");
        }
    }
}
