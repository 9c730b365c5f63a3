//! Executions that grow with holes, against the explorer: all that have no cycle of `rf` and what a model makes of program order (P). They are those of the explorer, none twice, with all that have no
//! cycle of program order and `rf` among them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use litmus::arch::ArchId;
use litmus::diag::Diagnostic;
use litmus::explore::{self, Engine, Mode, Options};
use litmus::grow::{self, Lists};
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::outcome::Completeness;
use litmus::session::{Session, Settings};

use crate::program::{Arch, Program};
use crate::random::Random;
use crate::{Library, arch_id, candidates, cases, lower, options};

/// So many executions of a program are told apart.
const MANY: usize = 5_000;

/// Notes executions.
#[derive(Default)]
struct Notes {
    seen: BTreeSet<String>,
    complete: u64,
    twice: Option<String>,
    failed: Option<Diagnostic>,
}

impl grow::Visitor for Notes {
    fn execution(
        &mut self,
        ended: grow::Ended,
        _: &grow::Found,
        execution: &dyn grow::Execution,
    ) -> ControlFlow<()> {
        self.complete += u64::from(matches!(ended, grow::Ended::Complete));
        let key = execution.key();
        if !self.seen.insert(key.clone()) {
            self.twice = Some(key);
        }
        if self.seen.len() < MANY { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        self.failed = Some(diagnostic);
        ControlFlow::Break(())
    }
}

#[derive(Default, Debug)]
struct Tally {
    cases: u64,
    executions: u64,
    cyclic: u64,
    grown: u64,
    missed: u64,
    refused: u64,
    passed_over: u64,
}

fn notes(test: &Lowered, model: &Model, lists: Lists) -> (Notes, grow::Stats) {
    let mut notes = Notes::default();
    let options = grow::Options { lists, ..grow::Options::default() };
    let stats = grow::explore(&test.program, model, &options, &mut notes).expect("executions");
    (notes, stats)
}

fn compare(test: &Lowered, model: &Model, told: &dyn Fn() -> String, tally: &mut Tally) {
    let patience =
        Options { timeout: Some(Duration::from_secs(2)), ..options(Mode::Count, Engine::Explore, 1) };
    let Ok(found) = explore::run(test, model, &patience) else { return };
    if found.completeness == Completeness::TimedOut || found.stats.executions.saturating_word() > 2_000 {
        tally.passed_over += 1;
        return;
    }
    if explore::run(test, model, &options(Mode::Count, Engine::Grow, 1)).is_err() {
        tally.refused += 1;
        return;
    }
    let (in_order, _) = notes(test, model, Lists::InOrder);
    let (loose, stats) = notes(test, model, Lists::Loose);
    let (cyclic, _) = notes(test, model, Lists::Cyclic);
    if in_order.failed.is_some() {
        return;
    }
    assert!(loose.failed.is_none(), "{:?} {}", loose.failed, told());
    assert_eq!(stats.astray, 0, "astray: {}", told());
    assert_eq!(loose.twice, None, "twice: {}", told());
    let all = found.stats.executions.saturating_word();
    tally.cases += 1;
    tally.executions += all;
    tally.grown += cyclic.complete;
    tally.cyclic += all - in_order.complete;
    let lost = in_order.seen.difference(&loose.seen).next();
    assert_eq!(
        lost,
        None,
        "fewer than in order ({} and {}): {}",
        loose.seen.len(),
        in_order.seen.len(),
        told()
    );
    assert!(cyclic.seen.is_disjoint(&in_order.seen), "not cyclic: {}", told());
    assert_eq!(in_order.seen.len() + cyclic.seen.len(), loose.seen.len(), "sum: {}", told());
    assert!(loose.complete <= all, "more than there are: {} {}", loose.complete, told());
    tally.missed += all - loose.complete;
}

#[test]
fn growing_with_holes_equals_exploring() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(40, 300) {
        let mut random = Random::new(case ^ 0x401E << 36);
        let arch = *random.pick(&[
            Arch::RiscV,
            Arch::RiscV,
            Arch::Ppc,
            Arch::Arm,
            Arch::Mips,
            Arch::Kernel,
            Arch::AArch64,
        ]);
        let program = Program { filter: None, ..Program::random(arch, &mut random) };
        let test = lower(&session, &program.text());
        if candidates(&test) > 2000.0 {
            continue;
        }
        let names: &[&'static str] = match arch_id(arch) {
            ArchId::C => &["lkmm"],
            ArchId::RiscV => &["riscv", "rmo"],
            ArchId::Ppc => &["ppc", "rmo"],
            ArchId::Arm => &["armv7", "arm-a9"],
            ArchId::AArch64 => &["aarch64-programs.cat"],
            _ => &["rmo"],
        };
        let name = *random.pick(names);
        let model = library.get(name, arch);
        compare(&test, model, &|| format!("case {case} under {name}\n{}", program.text()), &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.cyclic == 0 || tally.grown > tally.cyclic / 3, "{tally:?}");
}

#[test]
fn growing_with_holes_equals_exploring_on_loops() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(20, 100) {
        let mut random = Random::new(case ^ 0x100B5 << 36);
        let (text, arch, name) = match random.below(3) {
            0 => (crate::loops::kernel(&mut random), Arch::Kernel, "lkmm"),
            1 => (crate::loops::program(&mut random), Arch::C, *random.pick(&["rmo", "imm"])),
            _ => (crate::loops::riscv(&mut random), Arch::RiscV, *random.pick(&["riscv", "riscv", "rmo"])),
        };
        let test = lower(&session, &text);
        let model = library.get(name, arch);
        compare(&test, model, &|| format!("case {case} under {name}\n{text}"), &mut tally);
    }
    println!("{tally:?}");
}
