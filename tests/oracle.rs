//! The explorer against the oracle on the corpus, in all three modes.
//!
//! By default a sample of small tests; `LITMUS_ORACLE=all cargo test --release --test oracle` takes every test that the
//! oracle finishes within `LITMUS_ORACLE_SECONDS` (2 unless told), and prints how many there are in each suite.

mod corpus;

use std::path::PathBuf;
use std::time::Duration;

use litmus::condition::Observable;
use litmus::execution::unfold;
use litmus::explore::{self, Engine, Mode, Options};
use litmus::litmus::Lowered;
use litmus::outcome::{Completeness, Outcome};
use litmus::session::{Input, Session, Settings};

/// A suite, the models it is run under, and the most of its tests that the sample takes.
const SUITES: [(&str, &[&str], usize); 44] = [
    ("x86", &["x86tso.cat", "sc", "uni", "minimal", "naked", "pso", "rmo"], 12),
    ("ppc", &["ppc.cat", "sc"], 16),
    ("riscv", &["riscv.cat", "tso"], 16),
    ("aarch64", &["aarch64.cat", "weak"], 16),
    ("arm", &["arm.cat", "armllh.cat", "nofence"], 16),
    ("c11", &["rc11.cat", "c11"], 16),
    ("lkmm", &["lkmm"], 24),
    ("linux-catalogue", &["lkmm"], 16),
    ("instr-aarch64", &["aarch64.cat"], 30),
    ("instr-arm", &["arm.cat"], 11),
    ("instr-mips", &["mips.cat"], 18),
    ("instr-ppc", &["ppc.cat"], 7),
    ("instr-riscv", &["riscv.cat"], 13),
    ("instr-x86_64", &["x86tso-mixed.cat"], 5),
    ("instr-c", &["rc11.cat"], 9),
    ("extensions/cata-bpf", &["bpf"], 12),
    ("extensions/cata-x86", &["x86tso.cat"], 6),
    ("extensions/cata-x86_64", &["x86tso-mixed.cat"], 6),
    ("extensions/cata-c11popl15", &["rc11.cat"], 4),
    ("extensions/instr-aarch32", &["aarch32.cat"], 6),
    ("extensions/aarch64-mixed", &["aarch64"], 12),
    ("extensions/arm64-cata", &["aarch64"], 6),
    ("extensions/arm64-cata-cas", &["aarch64"], 6),
    ("extensions/arm64-cata-pick", &["aarch64"], 6),
    ("extensions/arm64-cata-down-one-leg", &["aarch64"], 6),
    ("extensions/arm64-cata-readers-guide", &["aarch64"], 6),
    ("extensions/arm64-cata-ets3", &["aarch64"], 2),
    ("extensions/arm64-vmsa+ifetch", &["aarch64.cat", "aarch64"], 5),
    ("extensions/arm64-mixed", &["aarch64"], 6),
    ("extensions/arm64-cata-mixed", &["aarch64.cat"], 6),
    ("extensions/arm64-cata-faults", &["aarch64.cat", "aarch64"], 10),
    ("extensions/arm64-self", &["aarch64"], 8),
    ("extensions/arm64-cata-ifetch", &["aarch64.cat", "aarch64"], 10),
    ("extensions/arm64-kvm", &["aarch64"], 8),
    ("extensions/arm64-cata-vmsa", &["aarch64.cat", "aarch64"], 12),
    ("extensions/arm64-cata-ets2", &["aarch64"], 5),
    ("extensions/arm64-cata-bbm", &["aarch64"], 6),
    ("extensions/arm64-mte", &["aarch64"], 8),
    ("extensions/arm64-cata-mte", &["aarch64.cat", "aarch64"], 12),
    ("extensions/arm64-vmsa+mte", &["aarch64"], 5),
    ("extensions/arm64-pac", &["aarch64.cat", "aarch64"], 16),
    ("extensions/arm64-cata-pac", &["aarch64"], 12),
    ("extensions/arm64-gcs", &["aarch64.cat", "aarch64"], 8),
    ("extensions/arm64-cata-gcs", &["aarch64"], 12),
];

/// The most candidates that the oracle tries for a test of the sample.
const SAMPLE_CANDIDATES: f64 = 60.0;

#[derive(Default)]
struct Tally {
    tests: usize,
    finished: usize,
    equal: usize,
    refused: usize,
}

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn explorer_equals_oracle_on_the_corpus() {
    let corpus = corpus::folder();
    let all = std::env::var("LITMUS_ORACLE").is_ok_and(|what| what == "all");
    let seconds = std::env::var("LITMUS_ORACLE_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2.0);
    let only = std::env::var("LITMUS_ORACLE_SUITE").ok();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (suite, models, sample) in SUITES {
        if only.as_ref().is_some_and(|only| only != suite) {
            continue;
        }
        for model in models {
            let judge = Judge {
                settings: corpus::settings(&corpus, suite, model),
                model,
                limit: if all { Limit::Time(Duration::from_secs_f64(seconds)) } else { Limit::Candidates },
            };
            let files = corpus::tests_of(&corpus, suite);
            let files = if all { files } else { corpus::spread(files, sample) };
            let tally = judge.run(&files, &mut wrong);
            compared += tally.finished;
            println!(
                "{suite} under {model}: {} tests, {} refused, the oracle finished {}, equal {}",
                tally.tests, tally.refused, tally.finished, tally.equal
            );
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(only.is_some() || compared > 100, "only {compared} tests were compared");
}

/// Those of our own tests that are about extensions of Armv8: small ones, so that the oracle takes them all.
#[test]
fn explorer_equals_oracle_on_our_tests_of_armv8() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("litmus/arm");
    let entries = std::fs::read_dir(folder).expect("our own tests").flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "litmus")).collect();
    let mut wrong = Vec::new();
    let limit = Limit::Time(Duration::from_secs(60));
    let tally = Judge { settings: Settings::default(), model: "aarch64", limit }.run(&files, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tally.equal == files.len() && files.len() >= 9, "{} of {} compared", tally.equal, files.len());
}

enum Limit {
    /// Tests that the oracle finishes in time.
    Time(Duration),
    /// Tests with few candidates, whatever the machine.
    Candidates,
}

struct Judge<'j> {
    settings: Settings,
    model: &'j str,
    limit: Limit,
}

impl Judge<'_> {
    fn run(&self, files: &[PathBuf], wrong: &mut Vec<String>) -> Tally {
        let mut tally = Tally::default();
        let explore = |mode, engine, timeout| {
            let explore = Options { mode, engine, timeout, ..Options::default() };
            Session::new(Settings { explore, ..self.settings.clone() })
        };
        let timeout = match self.limit {
            Limit::Time(limit) => Some(limit),
            Limit::Candidates => None,
        };
        let reader = explore(Mode::Count, Engine::Explore, None);
        let oracle = explore(Mode::Count, Engine::Naive, timeout);
        // The explorer needs far less time than the oracle; if it does not, that is worth knowing.
        let modes = [Mode::Count, Mode::States, Mode::Check]
            .map(|mode| (mode, explore(mode, Engine::Explore, timeout.map(|t| t * 20))));
        for file in files {
            tally.tests += 1;
            let input = Input::File(file.clone());
            if matches!(self.limit, Limit::Candidates) {
                let Some(read) = reader.check(&input).answer else {
                    tally.refused += 1;
                    continue;
                };
                if candidates(&read.test) > SAMPLE_CANDIDATES {
                    continue;
                }
            }
            let report = oracle.run(&input, Some(self.model));
            if report.hit_limit() {
                continue;
            }
            let expected = report.answer.as_ref().and_then(|a| a.outcome.as_ref().map(|o| (&a.test, o)));
            tally.refused += usize::from(expected.is_none());
            tally.finished += usize::from(expected.is_some());
            let before = wrong.len();
            for (mode, session) in &modes {
                let found = session.run(&input, Some(self.model));
                let difference = match (expected, found.outcome()) {
                    (Some((test, expected)), Some(found)) => difference(*mode, test, expected, found),
                    (None, None) => None,
                    (expected, _) => Some(format!("only one of them answers: oracle {}", expected.is_some())),
                };
                if let Some(difference) = difference {
                    wrong.push(format!("{} under {}, {mode:?}: {difference}", file.display(), self.model));
                }
            }
            tally.equal += usize::from(expected.is_some() && wrong.len() == before);
        }
        tally
    }
}

/// How the explorer's answer in a mode differs from the oracle's.
fn difference(mode: explore::Mode, test: &Lowered, oracle: &Outcome, found: &Outcome) -> Option<String> {
    let differ = |what: &str| Some(format!("{what} differ(s)"));
    match mode {
        Mode::Count if found.states != oracle.states => differ("the count of a state"),
        Mode::Count if (&found.positive, &found.negative) != (&oracle.positive, &oracle.negative) => {
            differ("positive or negative")
        }
        Mode::Count | Mode::States if found.completeness != oracle.completeness => differ("completeness"),
        Mode::Count | Mode::States if found.cuts != oracle.cuts => differ("the loops cut"),
        Mode::Count | Mode::States
            if (&found.flags, found.undefined) != (&oracle.flags, oracle.undefined) =>
        {
            differ("flags")
        }
        Mode::States if !found.states.keys().eq(oracle.states.keys()) => differ("the states"),
        Mode::Check if found.undefined != oracle.undefined => differ("the verdict"),
        Mode::Check if !found.undefined && found.holds(&test.condition) != oracle.holds(&test.condition) => {
            differ("the verdict")
        }
        Mode::Check if found.completeness == Completeness::TimedOut => differ("completeness"),
        _ => None,
    }
}

/// How many candidates the oracle tries, if the model orders the writes of each cell.
fn candidates(test: &Lowered) -> f64 {
    let cells: Vec<_> = test
        .observed
        .iter()
        .filter_map(|o| match o {
            Observable::Loc(loc) => Some(*loc),
            _ => None,
        })
        .collect();
    let Ok(worlds) = unfold(&test.program, test.unroll.unwrap_or(2), &cells) else { return 0.0 };
    worlds
        .take(1000)
        .map(|world| {
            let reads: f64 = world.reads.iter().map(|(_, candidates)| candidates.len() as f64).product();
            let orders =
                world.writes.iter().map(|writes| (1..writes.len()).map(|n| n as f64).product::<f64>());
            reads * orders.product::<f64>()
        })
        .sum()
}
