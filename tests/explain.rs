//! Explanations of what the corpus forbids, judged: the cycle printed is one of the check's relation in that execution, each base edge is in
//! its base relation, and no edge can be left out. Whether an outcome is forbidden at all is asked of the explorer.
//!
//! By default a sample; `LITMUS_EXPLAIN=all cargo test --release --test explain -- --nocapture` takes every test of the corpus (`LITMUS_EXPLAIN_SUITE=riscv`: of suites that begin so), and prints how many
//! there are in each suite, how many ways to bring their outcomes about, and the time that an explanation takes.

mod corpus;

use std::path::Path;
use std::time::{Duration, Instant};

use litmus::condition::Quantifier;
use litmus::explain::Answer;
use litmus::explore::Mode;
use litmus::session::{Input, Session};

/// A suite, its model, and how many of its tests the sample takes.
const SUITES: [(&str, &str, usize); 42] = [
    ("x86", "x86tso.cat", 12),
    ("ppc", "ppc.cat", 12),
    ("riscv", "riscv.cat", 12),
    ("aarch64", "aarch64.cat", 12),
    ("arm", "arm.cat", 12),
    ("c11", "rc11.cat", 12),
    ("lkmm", "lkmm", 10),
    ("linux-catalogue", "lkmm", 10),
    ("instr-aarch64", "aarch64.cat", 10),
    ("instr-arm", "arm.cat", 5),
    ("instr-mips", "mips.cat", 8),
    ("instr-ppc", "ppc.cat", 5),
    ("instr-riscv", "riscv.cat", 5),
    ("instr-x86_64", "x86tso-mixed.cat", 5),
    ("instr-c", "rc11.cat", 5),
    ("extensions/arm64-cata-cas", "aarch64.cat", 3),
    ("extensions/arm64-cata-pick", "aarch64.cat", 3),
    ("extensions/arm64-cata-down-one-leg", "aarch64.cat", 3),
    ("extensions/instr-aarch32", "aarch32.cat", 3),
    ("extensions/arm64-cata", "aarch64.cat", 3),
    ("extensions/arm64-cata-readers-guide", "aarch64.cat", 3),
    ("extensions/arm64-cata-faults", "aarch64.cat", 3),
    ("extensions/arm64-cata-ifetch", "aarch64.cat", 3),
    ("extensions/arm64-self", "aarch64.cat", 3),
    ("extensions/arm64-mixed", "aarch64.cat", 3),
    ("extensions/arm64-cata-mixed", "aarch64.cat", 3),
    ("extensions/aarch64-mixed", "aarch64.cat", 3),
    ("extensions/cata-x86", "x86tso.cat", 3),
    ("extensions/cata-x86_64", "x86tso-mixed.cat", 3),
    ("extensions/cata-bpf", "bpf.cat", 3),
    ("extensions/arm64-kvm", "aarch64.cat", 3),
    ("extensions/arm64-cata-vmsa", "aarch64.cat", 3),
    ("extensions/arm64-cata-ets2", "aarch64.cat", 3),
    ("extensions/arm64-cata-ets3", "aarch64.cat", 3),
    ("extensions/arm64-cata-bbm", "aarch64.cat", 3),
    ("extensions/arm64-cata-mte", "aarch64.cat", 3),
    ("extensions/arm64-mte", "aarch64.cat", 3),
    ("extensions/arm64-vmsa+mte", "aarch64.cat", 3),
    ("extensions/arm64-pac", "aarch64.cat", 3),
    ("extensions/arm64-cata-pac", "aarch64.cat", 3),
    ("extensions/arm64-gcs", "aarch64.cat", 3),
    ("extensions/arm64-cata-gcs", "aarch64.cat", 3),
];

#[derive(Default)]
struct Tally {
    tests: usize,
    forbidden: usize,
    sourceless: usize,
    allowed: usize,
    refused: usize,
    long: usize,
    ways: u64,
    reasons: u64,
    edges: u64,
    times: Vec<Duration>,
}

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn what_the_corpus_forbids_is_explained() {
    let corpus = corpus::folder();
    let all = std::env::var("LITMUS_EXPLAIN").is_ok_and(|what| what == "all");
    let only = std::env::var("LITMUS_EXPLAIN_SUITE").ok();
    let mut wrong = Vec::new();
    let mut judged = 0;
    let mut times = Vec::new();
    for (suite, model, sample) in SUITES {
        if only.as_ref().is_some_and(|only| !suite.starts_with(only.as_str())) {
            continue;
        }
        let files = corpus::tests_of(&corpus, suite);
        let files = if all { files } else { corpus::spread(files, sample) };
        let mut tally = Tally::default();
        let mut settings = corpus::settings(&corpus, suite, model);
        settings.explore.mode = Mode::Check;
        settings.explore.timeout = Some(Duration::from_secs(10));
        let session = Session::new(settings);
        for file in &files {
            judge(&session, file, model, &mut tally, &mut wrong);
        }
        judged += tally.forbidden + tally.allowed + tally.sourceless;
        tally.times.sort();
        println!(
            "{suite} under {model}: {} tests, {} refused, {} too long, {} allowed, {} forbidden by values alone, {} by the model in {} ways \
             ({} reasons, {} base edges); median {:.1?}, longest {:.1?}",
            tally.tests,
            tally.refused,
            tally.long,
            tally.allowed,
            tally.sourceless,
            tally.forbidden,
            tally.ways,
            tally.reasons,
            tally.edges,
            tally.times.get(tally.times.len() / 2).copied().unwrap_or_default(),
            tally.times.last().copied().unwrap_or_default()
        );
        times.extend(tally.times);
    }
    times.sort();
    println!("median of all {:.1?}", times.get(times.len() / 2).copied().unwrap_or_default());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(only.is_some() || judged > 50, "only {judged} tests were judged");
}

fn judge(session: &Session, file: &Path, model: &str, tally: &mut Tally, wrong: &mut Vec<String>) {
    let input = Input::File(file.to_path_buf());
    tally.tests += 1;
    let report = session.run(&input, Some(model));
    let Some(answer) = &report.answer else {
        tally.refused += 1;
        return;
    };
    let Some(outcome) = &answer.outcome else { return };
    let allowed = match answer.test.condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => outcome.positive > 0,
        Quantifier::Forall => outcome.negative > 0,
    };
    let start = Instant::now();
    let explained = session.explain(&input, Some(model), None);
    let took = start.elapsed();
    let Some((_, explanation)) = explained.answer else {
        tally.refused += 1;
        return;
    };
    match &explanation.answer {
        Answer::Allowed { .. } if allowed => tally.allowed += 1,
        Answer::NoSource { missing } if !allowed => {
            tally.sourceless += 1;
            if missing.is_empty() {
                wrong.push(format!("{}: no word on what is missing", file.display()));
            }
        }
        Answer::Forbidden { incomplete: true, .. } => tally.long += 1,
        Answer::Forbidden { ways, candidates, .. } if !allowed => {
            tally.forbidden += 1;
            tally.ways += candidates;
            tally.times.push(took);
            if ways.is_empty() {
                wrong.push(format!("{}: no reason", file.display()));
            }
            let Some(audit) = session.audit(&input, Some(model), None) else {
                wrong.push(format!("{}: no audit", file.display()));
                return;
            };
            tally.reasons += audit.reasons;
            tally.edges += audit.edges;
            if audit.allowed {
                wrong.push(format!("{}: allowed in the audit", file.display()));
            }
            wrong.extend(audit.faults.iter().take(3).map(|fault| format!("{}: {fault}", file.display())));
        }
        other => {
            let what = if allowed { "allowed" } else { "forbidden" };
            wrong.push(format!("{}: {what}, but explained as {}", file.display(), kind(other)));
        }
    }
}

fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Allowed { .. } => "allowed",
        Answer::Forbidden { .. } => "forbidden",
        Answer::NoSource { .. } => "without sources",
        other => panic!("{other:?}"),
    }
}
