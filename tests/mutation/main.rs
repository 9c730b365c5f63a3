//! Inputs of every kind, broken at random: each gets an answer or a diagnostic, in bounded time. No panic, no internal error, no exit code but the
//! documented ones.
//!
//! A few thousand by default; `LITMUS_CASES=1000000 cargo test --release --test mutation -- --nocapture` for a million of each kind that is asked for,
//! `LITMUS_SEED` for others. The same numbers give the same inputs on every machine.

mod random;
mod seeds;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use litmus::diag::{Class, Diagnostic};
use litmus::explore;
use litmus::session::{Input, Session, Settings, check_model};

use random::{Random, mutated, words};

/// A test to run under mutated models, and against mutated logs.
const SB: &str = "X86 SB\n{}\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

/// A test of the kernel's, for its bell and macro files.
const KERNEL: &str = "C K\n{}\nP0 (int *x, int *y) { WRITE_ONCE(*x, 1); smp_wmb(); smp_store_release(y, 1); }\nP1 (int *x, int *y) { int r0 = smp_load_acquire(y); int r1 = READ_ONCE(*x); }\nexists (1:r0=1 /\\ 1:r1=0)\n";

/// One for bell files of any kind.
const SCOPED: &str = "LISA S\n{}\n P0 | P1 ;\n w[ONCE] x 1 | r[ACQUIRE] r1 y ;\n f[wmb] | r[ONCE] r2 x ;\n w[RELEASE] y 1 | ;\nexists (1:r1=1 /\\ 1:r2=0)\n";

/// An input that takes longer than this hangs. Far more than any limit that it runs under.
const PATIENCE: Duration = Duration::from_secs(60);

/// The search of one input takes no more than so many executions, and no longer than this.
const EXECUTIONS: u64 = 64;
const TIMEOUT: Duration = Duration::from_secs(2);

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

fn settings() -> Settings {
    let explore = explore::Options {
        max_executions: Some(EXECUTIONS),
        timeout: Some(TIMEOUT),
        max_memory: Some(64 << 20),
        ..explore::Options::default()
    };
    Settings { unroll: Some(1), explore, ..Settings::default() }
}

/// The files of a folder of the repository with an extension.
fn files(folder: &str, extension: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let named = paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == extension));
    named.map(|path| std::fs::read_to_string(path).expect("text")).collect()
}

/// How often each kind of answer came.
type Tally = BTreeMap<&'static str, u64>;

/// Breaks texts `share` times (or as often as asked for) and hands each to `judge`, which says what came of it.
fn run(
    kind: &str,
    share: u64,
    own: &[&str],
    more: &[String],
    judge: impl Fn(&str, &Path) -> &'static str + Send + Sync,
) {
    let texts: Vec<&str> = own.iter().copied().chain(more.iter().map(String::as_str)).collect();
    let words = words(&texts);
    let cases = match number("LITMUS_CASES", 0) {
        0 => share,
        n => n,
    };
    let seed = number("LITMUS_SEED", 1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let current = AtomicU64::new(0);
    let (send, receive) = channel();
    let input = |case: u64| {
        let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1).wrapping_add(case));
        mutated(&mut random, &texts, &words)
    };
    let tally = std::thread::scope(|scope| {
        let work = || {
            let mut tally = Tally::new();
            for case in 0..cases {
                current.store(case, Ordering::Relaxed);
                let text = input(case);
                let said = catch_unwind(AssertUnwindSafe(|| judge(&text, folder.path())));
                let said = said.unwrap_or_else(|_| panic!("{kind}, case {case}: a panic\n{text}"));
                assert!(!said.starts_with("WRONG"), "{kind}, case {case}: {said}\n{text}");
                *tally.entry(said).or_default() += 1;
                let _ = send.send(());
            }
            drop(send);
            tally
        };
        let worker =
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).expect("a thread");
        loop {
            match receive.recv_timeout(PATIENCE) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    let case = current.load(Ordering::Relaxed);
                    // A thread that hangs cannot be ended: the process can.
                    eprintln!("{kind}, case {case}: no answer within {PATIENCE:?}\n{}", input(case));
                    std::process::exit(101);
                }
            }
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    println!("{kind}: {cases} inputs: {tally:?}");
}

/// What a list of diagnostics comes to.
fn refused<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> &'static str {
    let mut said = "WRONG: refused without a reason";
    for diagnostic in diagnostics {
        match (diagnostic.code, diagnostic.class) {
            ("internal::error", _) => return "WRONG: an internal error",
            (_, Class::Unsupported) => said = "unsupported",
            _ => said = "refused",
        }
    }
    said
}

fn run_text(session: &Session, text: &str, model: Option<&str>) -> &'static str {
    let report = session.run(&Input::Text { name: "t.litmus".to_string(), text: Arc::from(text) }, model);
    match report.outcome() {
        Some(outcome) if outcome.is_whole() => "answered",
        Some(_) => "cut short",
        None => refused(&report.diagnostics),
    }
}

/// The model of a test that has no default one.
fn model_of(text: &str) -> Option<&'static str> {
    let kernel = text.contains("smp_") || text.contains("READ_ONCE");
    if text.starts_with("LISA") { Some("sc") } else { kernel.then_some("lkmm") }
}

/// The command, inside this process.
fn command(args: &[&str]) -> &'static str {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = std::iter::once("litmus").chain(args.iter().copied()).map(std::ffi::OsString::from);
    let exit = litmus::cli::main(args, &mut out, &mut err);
    if String::from_utf8_lossy(&err).contains("internal error") {
        return "WRONG: an internal error";
    }
    match exit.code() {
        0 => "answered",
        1 => "not as expected",
        2 => "refused",
        3 => "unsupported",
        4 => "cut short",
        _ => "WRONG: another exit code",
    }
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file in the temporary folder");
    path.display().to_string()
}

/// What is broken is right to begin with: else a change to it would prove little.
#[test]
fn the_texts_are_right() {
    let session = Session::new(settings());
    for text in seeds::TESTS.iter().copied().chain(files("litmus", "litmus").iter().map(String::as_str)) {
        let said = run_text(&session, text, model_of(text));
        assert!(["answered", "cut short"].contains(&said), "{said}\n{text}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for text in seeds::MODELS {
        let model = written(folder.path(), "m.cat", text);
        let checked = check_model(&settings(), &model, None, false);
        assert!(checked.model.is_some(), "{text}\n{:?}", checked.diagnostics);
    }
    for (bell, model, test) in [(seeds::BELLS[0], "sc", SCOPED), (&files("cat", "bell")[0], "lkmm", KERNEL)] {
        let bell = written(folder.path(), "m.bell", bell);
        let session = Session::new(Settings { bell: Some(bell), ..settings() });
        assert_eq!(run_text(&session, test, Some(model)), "answered");
    }
}

#[test]
fn tests() {
    let session = Session::new(settings());
    run("tests", 1500, seeds::TESTS, &files("litmus", "litmus"), |text, _| {
        run_text(&session, text, model_of(text))
    });
}

#[test]
fn models() {
    run("models", 400, seeds::MODELS, &files("cat", "cat"), |text, folder| {
        let model = written(folder, "m.cat", text);
        let checked = check_model(&settings(), &model, None, false);
        match checked.model {
            None => refused(&checked.diagnostics),
            Some(_) => run_text(&Session::new(settings()), SB, Some(&model)),
        }
    });
}

#[test]
fn bells() {
    run("bell files", 200, seeds::BELLS, &files("cat", "bell"), |text, folder| {
        let bell = written(folder, "m.bell", text);
        let session = Session::new(Settings { bell: Some(bell), ..settings() });
        let kernel = run_text(&session, KERNEL, Some("lkmm"));
        if kernel == "refused" { run_text(&session, SCOPED, Some("sc")) } else { kernel }
    });
}

#[test]
fn macros() {
    run("macro files", 200, seeds::DEFS, &files("cat", "def"), |text, folder| {
        let macros = written(folder, "m.def", text);
        let session = Session::new(Settings { macros: Some(macros), ..settings() });
        run_text(&session, KERNEL, Some("lkmm"))
    });
}

/// Read, but nothing is run under them: an option may name a file to write.
#[test]
fn configurations() {
    run("configurations", 400, seeds::CFGS, &[], |text, folder| {
        let (conf, test) = (written(folder, "m.cfg", text), written(folder, "SB.litmus", SB));
        command(&["check", "-q", "--conf", &conf, &test])
    });
}

#[test]
fn logs() {
    run("logs", 400, seeds::LOGS, &[], |text, folder| {
        let (log, other) = (written(folder, "a.log", text), written(folder, "b.log", seeds::LOGS[0]));
        let test = written(folder, "SB.litmus", SB);
        let answers = [
            command(&["diff", &log, &other]),
            command(&["diff", &other, &log]),
            command(&["merge", &log, &other]),
            command(&["run", "-q", "-m", "sc", &test, "--expect", &log]),
            command(&["run", "-q", "-m", "sc", &test, "--resume", &log]),
        ];
        answers.into_iter().find(|said| said.starts_with("WRONG")).unwrap_or(answers[0])
    });
}

/// Read and translated; those that can be run are, for a moment.
#[test]
fn programs() {
    run("C programs", 200, seeds::PROGRAMS, &files("litmus/programs", "c"), |text, folder| {
        let program = written(folder, "p.c", text);
        let checked = command(&["verify", "-q", "--check", &program]);
        let run = command(&["verify", "-q", "--unroll", "1", "--timeout", "0.02", &program]);
        if run.starts_with("WRONG") { run } else { checked }
    });
}

#[test]
fn systems() {
    run("DVE systems", 200, seeds::SYSTEMS, &files("litmus/dve", "dve"), |text, folder| {
        let system = written(folder, "s.dve", text);
        command(&["ltl", "-q", "--timeout", "0.02", &system, "F G x==1"])
    });
}

#[test]
fn formulas() {
    run("formulas", 400, seeds::FORMULAS, &[], |text, folder| {
        let test = written(folder, "SB.litmus", SB);
        command(&["ltl", "-q", "--timeout", "0.05", "-m", "tso", &test, "--", text])
    });
}

#[test]
fn mappings() {
    let test = "C c\n{}\nP0(atomic_int *x, int *y) { *y = 1; atomic_store_explicit(x, 1, memory_order_release); }\nP1(atomic_int *x, int *y) { int r0 = atomic_load(x); int r1 = *y; int r2 = atomic_fetch_add(x, 1); atomic_thread_fence(memory_order_seq_cst); }\nexists (1:r0=1)\n";
    run("mappings", 200, &[], &files("cat/mappings", "map"), |text, folder| {
        let (map, test) = (written(folder, "m.map", text), written(folder, "c.litmus", test));
        command(&["compile", "-q", "--mapping", &map, &test])
    });
}
