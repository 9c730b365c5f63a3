//! The engine as a whole is tested against the others (`tests/property/grow.rs`); here: what it accepts, and that it finds nothing twice.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Ended, Execution, Found, Options, Stats, Visitor, explore, plan};
use crate::arch::ArchId;
use crate::diag::Diagnostic;
use crate::model::Model;
use crate::session::{Input, Session, Settings, check_model};

fn model(name: &str, arch: ArchId) -> Model {
    let checked = check_model(&Settings::default(), name, Some(arch), false);
    checked.model.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics))
}

/// Notes every execution.
#[derive(Default)]
struct Notes(Vec<String>);

impl Visitor for Notes {
    fn execution(&mut self, _: Ended, _: &Found, execution: &dyn Execution) -> ControlFlow<()> {
        self.0.push(execution.key());
        ControlFlow::Continue(())
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        panic!("{diagnostic:?}")
    }
}

fn executions(text: &str, name: &str, unroll: u32) -> Stats {
    executions_with(text, name, &Options { unroll, ..Options::default() })
}

fn executions_with(text: &str, name: &str, options: &Options) -> Stats {
    let session = Session::new(Settings::default());
    let report = session.check(&Input::Text { name: "t.litmus".to_string(), text: Arc::from(text) });
    let test = report.answer.expect("a test").test;
    let mut notes = Notes::default();
    let stats = explore(&test.program, &model(name, test.arch), options, &mut notes).expect("an answer");
    let different: BTreeSet<&String> = notes.0.iter().collect();
    assert_eq!(different.len(), notes.0.len(), "an execution was found twice");
    stats
}

#[test]
fn models_whose_program_order_and_reads_make_no_cycle_are_accepted() {
    for (name, arch) in [
        ("sc", ArchId::C),
        ("tso", ArchId::C),
        ("pso", ArchId::C),
        ("rc11", ArchId::C),
        ("x86tso", ArchId::X86),
        ("tso", ArchId::RiscV),
    ] {
        let plan = plan(&model(name, arch)).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(!plan.pruning.is_empty() && plan.is_whole(), "{name}: {plan:?}");
    }
}

#[test]
fn models_whose_program_order_and_reads_may_make_a_cycle_leave_some_to_worlds() {
    for (name, arch) in [
        ("minimal", ArchId::C),
        ("uni", ArchId::X86),
        ("rmo", ArchId::C),
        ("riscv", ArchId::RiscV),
        ("ppc", ArchId::Ppc),
        ("armv7", ArchId::Arm),
    ] {
        let plan = plan(&model(name, arch)).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(plan.residual && plan.without.is_empty(), "{name}: {plan:?}");
    }
}

#[test]
fn the_kernel_model_is_one_of_programs_without_locks() {
    let plan = plan(&model("lkmm", ArchId::C)).expect("a plan");
    assert!(plan.residual && plan.without.iter().any(|name| name == "LKR"), "{plan:?}");
    assert!(plan.pruning.iter().any(|name| name == "atomic"), "{plan:?}");
}

#[test]
fn other_models_are_refused_with_a_reason() {
    for (name, arch, why) in [
        ("aarch64", ArchId::AArch64, "it uses `iico_data`"),
        ("naked", ArchId::X86, "it chooses no coherence order"),
        ("c11", ArchId::C, "it makes more than one choice"),
    ] {
        assert_eq!(plan(&model(name, arch)), Err(why.to_string()), "{name}");
    }
}

const EXCHANGE_LOCK: &str = "C lock
{}
P0(atomic_int *l, int *x) { while (atomic_exchange(l, 1) != 0) { } int r0 = *x; *x = r0 + 1; atomic_store(l, 0); }
P1(atomic_int *l, int *x) { while (atomic_exchange(l, 1) != 0) { } int r0 = *x; *x = r0 + 1; atomic_store(l, 0); }
exists (x=1)
";

#[test]
fn a_lock_has_the_executions_that_it_has() {
    // Each order of the two threads, the second one after up to two failures, or cut.
    let stats = executions(EXCHANGE_LOCK, "rc11", 2);
    assert_eq!((stats.complete, stats.cut, stats.blocked), (6, 2, 0), "{stats:?}");
}

#[test]
fn a_compare_exchange_is_decided_by_what_it_reads() {
    let text = "C cas
{}
P0(atomic_int *x) { int e = 0; int r0 = atomic_compare_exchange_strong(x, &e, 1); }
P1(atomic_int *x) { int e = 0; int r0 = atomic_compare_exchange_strong(x, &e, 2); }
exists (0:r0=1 /\\ 1:r0=1)
";
    assert_eq!(executions(text, "rc11", 2).complete, 2);
}

/// Two threads that add each other's sum to their own, five times (Table 1 of the TACAS paper on Nidhugg, `fib_true_join`).
fn fib(rounds: usize) -> String {
    let body = |own: &str, other: &str| {
        let round = |n: usize| {
            format!(
                "int t{n} = atomic_load_explicit({own}, memory_order_relaxed);\nint u{n} = atomic_load_explicit({other}, memory_order_relaxed);\natomic_store_explicit({own}, t{n} + u{n}, memory_order_relaxed);\n"
            )
        };
        (0..rounds).map(round).collect::<String>()
    };
    format!(
        "C fib\n{{ i=1; j=1; }}\nP0(atomic_int *i, atomic_int *j) {{\n{}}}\nP1(atomic_int *i, atomic_int *j) {{\n{}}}\nexists (i=0)\n",
        body("i", "j"),
        body("j", "i")
    )
}

#[test]
fn the_sums_of_two_threads_have_the_executions_of_the_reference() {
    for (name, rounds, expected) in
        [("sc", 4, 1_107), ("tso", 4, 1_764), ("sc", 5, 8_953), ("rc11", 4, 1_764)]
    {
        assert_eq!(executions(&fib(rounds), name, 2).complete, expected, "{name}, {rounds} rounds");
    }
}

/// Threads that take an exchange lock so many times each.
fn exchange_locks(threads: usize, times: usize) -> String {
    let section = |thread: usize| {
        format!(
            "while (atomic_exchange_explicit(l, 1, memory_order_acquire) != 0) {{ }}\n*x = {};\natomic_store_explicit(l, 0, memory_order_release);\n",
            thread + 1
        )
    };
    let thread = |n: usize| format!("P{n}(atomic_int *l, int *x) {{\n{}}}\n", section(n).repeat(times));
    format!("C locks\n{{}}\n{}exists (x=0)\n", (0..threads).map(thread).collect::<String>())
}

#[test]
fn with_waiting_a_lock_has_one_execution_for_each_order_of_its_owners() {
    let options = Options { awaits: true, ..Options::default() };
    for (threads, times, expected) in [(2, 1, 2), (3, 1, 6), (4, 1, 24), (2, 2, 6), (3, 2, 90)] {
        let stats = executions_with(&exchange_locks(threads, times), "rc11", &options);
        assert_eq!((stats.complete, stats.cut), (expected, 0), "{threads} threads, {times} times");
    }
}

/// An update that is given a write below one of its own thread is refused, also where updates were given to others before that was looked at.
#[test]
fn a_chain_of_updates_is_checked_from_end_to_end() {
    let add = |n: usize| format!("int r = atomic_fetch_add_explicit(x, {n}, memory_order_relaxed);\n");
    let write = "atomic_store_explicit(x, 30, memory_order_relaxed);\n";
    let bodies = [add(1), add(2), write.to_string() + &add(4), add(8)];
    let threads = bodies.iter().enumerate().map(|(n, body)| format!("P{n}(atomic_int *x) {{\n{body}}}\n"));
    let text = format!("C chain\n{{}}\n{}exists (x=30)\n", threads.collect::<String>());
    for name in ["rc11", "sc", "tso"] {
        assert_eq!(executions(&text, name, 2).complete, 60, "{name}");
    }
}

/// What is said of updates and of fences is left out of the code for a program that has none, and is there for one that has.
#[test]
fn checks_about_events_that_a_program_has_none_of_are_left_out() {
    let rc11 = model("rc11", ArchId::C);
    let names = |missing: &[&str]| {
        let is_missing = |name: &str| missing.contains(&name);
        let code = super::code_of(&rc11, &[], &|_| false, &is_missing, super::Lists::InOrder).expect("code");
        code.checks.iter().map(|check| check.name.clone()).collect::<Vec<String>>()
    };
    // A cycle of program order and `rf` is never made.
    assert_eq!(names(&[]), ["coherence", "coherence-of-updates", "atomicity", "SC"]);
    assert_eq!(names(&["SC"]), ["coherence", "coherence-of-updates", "atomicity"]);
}
