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
    let session = Session::new(Settings::default());
    let report = session.check(&Input::Text { name: "t.litmus".to_string(), text: Arc::from(text) });
    let test = report.answer.expect("a test").test;
    let mut notes = Notes::default();
    let options = Options { unroll, ..Options::default() };
    let stats = explore(&test.program, &model(name, test.arch), &options, &mut notes).expect("an answer");
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
        assert!(!plan.pruning.is_empty(), "{name}: {plan:?}");
    }
}

#[test]
fn other_models_are_refused_with_a_reason() {
    for (name, arch, why) in [
        ("minimal", ArchId::C, "it may allow cycles of program order and `rf`"),
        ("uni", ArchId::X86, "it may allow cycles of program order and `rf`"),
        ("lkmm", ArchId::C, "it makes more than one choice"),
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
