//! The engine that grows executions, against the explorer and the oracle.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use litmus::arch::ArchId;
use litmus::diag::Diagnostic;
use litmus::execution::AtBound;
use litmus::explore::{self, Engine, Mode, Options};
use litmus::grow;
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::outcome::{Completeness, Outcome};
use litmus::session::{Session, Settings};

use crate::program::{Arch, Program};
use crate::random::Random;
use crate::{Library, arch_id, candidates, cases, figures, lower, options};

#[derive(Default)]
struct Tally {
    cases: u64,
    executions: u64,
    refused: u64,
    passed_over: u64,
    by_oracle: u64,
}

/// So many executions of a program are told apart.
const MANY: usize = 5_000;

/// Notes executions.
#[derive(Default)]
pub struct Notes {
    seen: BTreeSet<String>,
    pub twice: Option<String>,
}

impl grow::Visitor for Notes {
    fn execution(
        &mut self,
        _: grow::Ended,
        _: &grow::Found,
        execution: &dyn grow::Execution,
    ) -> ControlFlow<()> {
        let key = execution.key();
        if !self.seen.insert(key.clone()) {
            self.twice = Some(key);
        }
        // Texts take room.
        if self.seen.len() < MANY { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn fail(&mut self, _: Diagnostic) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// How long the explorer may take for one case.
const PATIENCE: Duration = Duration::from_secs(2);

/// The oracle is asked of cases with at most so many candidates.
const FEW: f64 = 100.0;

/// Programs with loops, and models for them.
fn loops(random: &mut Random) -> (String, Arch, &'static str) {
    match random.below(6) {
        0 => (crate::loops::kernel(random), Arch::Kernel, "lkmm"),
        1 => (crate::loops::riscv(random), Arch::RiscV, *random.pick(&["riscv", "riscv", "rmo", "tso"])),
        _ => {
            let text = crate::loops::program(random);
            (text, Arch::C, *random.pick(&["rc11", "rc20", "sc", "tso", "pso", "rmo"]))
        }
    }
}

/// Compares the two engines in all modes.
fn compare(test: &Lowered, model: &Model, told: &dyn Fn() -> String, tally: &mut Tally) {
    // Loops have many paths, and the explorer multiplies them.
    let patience = Options { timeout: Some(PATIENCE), ..options(Mode::Count, Engine::Explore, 1) };
    let found = explore::run(test, model, &patience);
    if found.as_ref().is_ok_and(|found| found.completeness == Completeness::TimedOut) {
        tally.passed_over += 1;
        return;
    }
    let grown = explore::run(test, model, &options(Mode::Count, Engine::Grow, 1));
    let (found, grown) = match (found, grown) {
        (Ok(found), Ok(grown)) => (found, grown),
        (Err(_), Err(_)) => return,
        (Ok(_), Err(error)) if error.code.starts_with("grow::") => {
            tally.refused += 1;
            return;
        }
        (found, grown) => panic!("only one has an answer: {found:?}\n{grown:?}\n{}", told()),
    };
    tally.cases += 1;
    tally.executions += found.stats.executions.saturating_word();
    assert_eq!(figures(&found), figures(&grown), "count: {}", told());
    if candidates(test) <= FEW {
        let oracle = explore::run(test, model, &options(Mode::Count, Engine::Naive, 1)).expect("an oracle");
        assert_eq!(figures(&oracle), figures(&grown), "oracle: {}", told());
        tally.by_oracle += 1;
    }
    let mut notes = Notes::default();
    grow::explore(&test.program, model, &grow::Options::default(), &mut notes).expect("executions");
    assert_eq!(notes.twice, None, "twice: {}", told());
    let states = explore::run(test, model, &options(Mode::States, Engine::Grow, 1)).expect("states");
    assert!(states.states.keys().eq(found.states.keys()), "states: {}", told());
    let checked = explore::run(test, model, &options(Mode::Check, Engine::Grow, 1)).expect("a verdict");
    if !found.undefined {
        assert_eq!(checked.holds(&test.condition), found.holds(&test.condition), "check: {}", told());
    }
}

#[test]
fn growing_equals_exploring_under_the_models_of_the_library() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(40, 300) {
        let mut random = Random::new(case ^ 0x6E0 << 36);
        let arch = *random.pick(&[
            Arch::X86,
            Arch::C,
            Arch::AArch64,
            Arch::RiscV,
            Arch::RiscV,
            Arch::Ppc,
            Arch::Arm,
            Arch::Mips,
            Arch::Kernel,
        ]);
        let program = Program::random(arch, &mut random);
        let test = lower(&session, &program.text());
        if candidates(&test) > 2000.0 {
            continue;
        }
        let names: &[&'static str] = match arch_id(arch) {
            ArchId::C if arch == Arch::Kernel => &["lkmm"],
            ArchId::C => &["rc11", "sc", "tso", "pso", "rmo", "minimal"],
            ArchId::X86 => &["x86tso", "tso", "sc", "pso"],
            // These have dependencies, and cycles of program order and `rf`.
            ArchId::RiscV => &["riscv", "rmo", "tso"],
            ArchId::Ppc => &["ppc", "rmo"],
            ArchId::Arm => &["armv7", "arm-a9"],
            ArchId::Mips => &["mips", "rmo"],
            _ => &["sc", "tso", "pso", "rmo"],
        };
        let name = *random.pick(names);
        let model = library.get(name, arch);
        if let Err(why) = grow::plan(model) {
            panic!("{name}: {why}");
        }
        compare(&test, model, &|| format!("case {case} under {name}\n{}", program.text()), &mut tally);
    }
    println!(
        "{} cases ({} by the oracle), {} executions, {} refused",
        tally.cases, tally.by_oracle, tally.executions, tally.refused
    );
    assert!(tally.by_oracle > 0 && tally.refused < tally.cases / 4 && tally.executions > 2 * tally.cases);
}

/// A model that may be run by growing executions, or nearly so: no cycle of program order and `rf`, and more.
pub fn model_text(random: &mut Random) -> String {
    const KEPT: [&str; 7] = [
        "po",
        "po \\ (W * R)",
        "po \\ (W * M)",
        "po & loc",
        "[R];po | po;[W]",
        "po;[F];po",
        "(po & loc) | [F];po",
    ];
    // Some have no value out of thin air by dependencies only.
    const THIN: [&str; 4] = ["po | rf", "po | rf", "addr | data | ctrl;[W] | rf", "ctrl | data | rfe"];
    const MORE: [&str; 11] = [
        "acyclic addr;po | ctrl;[W] | rfe | fre",
        "irreflexive data;rfi;addr;fr",
        "acyclic co | (po & (W * W))",
        "irreflexive fr;rf;po",
        "empty [R];(fr;co) & int",
        "acyclic (po;rfe)+ | fr",
        "irreflexive (rf | co | fr)+;(po | rf)+",
        "empty (co & ext);[W & domain(po)];(co & ext)",
        "acyclic different-values(co) | rf",
        "irreflexive co;rf;po;fr",
        "~empty rf & ext",
    ];
    let kept = *random.pick(&KEPT);
    let thin = *random.pick(&THIN);
    let mut text = format!(
        "include \"cos.cat\"\nacyclic {thin} as thin\nacyclic (po & loc) | rf | co | fr as coherence\nacyclic {kept} | rfe | co | fr as order\n"
    );
    for n in 0..random.below(3) {
        text += &format!("{} as more{n}\n", random.pick(&MORE));
    }
    if random.below(2) == 0 {
        text += "flag ~empty rfe;po;rfe as passed\n";
    }
    text
}

#[test]
fn growing_equals_exploring_under_random_models() {
    let session = Session::new(Settings::default());
    let mut tally = Tally::default();
    /// Programs per model: lowering a model takes longer than running a small program.
    const PROGRAMS: u64 = 6;
    let (mut models, mut accepted) = (0, 0);
    for case in cases(20 / PROGRAMS, 40) {
        let mut random = Random::new(case ^ 0x8E0 << 36);
        let arch = *random.pick(&[Arch::X86, Arch::C, Arch::RiscV]);
        let text = match random.below(3) {
            0 => crate::model::random(&mut random),
            _ => model_text(&mut random),
        };
        let model = crate::load_text(&text, arch_id(arch));
        models += 1;
        if grow::plan(&model).is_err() {
            continue;
        }
        accepted += 1;
        for _ in 0..PROGRAMS {
            let program = match arch == Arch::C && random.below(2) == 0 {
                true => crate::loops::program(&mut random),
                false => Program::random(arch, &mut random).text(),
            };
            let test = lower(&session, &program);
            if candidates(&test) <= 2000.0 {
                compare(&test, &model, &|| format!("case {case} under\n{text}\n{program}"), &mut tally);
            }
        }
    }
    println!("{} cases, {} executions, {accepted} of {models} models", tally.cases, tally.executions);
    assert!(accepted * 3 > models && tally.executions > 2 * tally.cases);
}

#[test]
fn growing_equals_exploring_on_loops() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(20, 40) {
        let mut random = Random::new(case ^ 0x7E0 << 36);
        let (text, arch, name) = loops(&mut random);
        let test = lower(&session, &text);
        let model = library.get(name, arch);
        compare(&test, model, &|| format!("case {case} under {name}\n{text}"), &mut tally);
    }
    println!(
        "{} cases ({} by the oracle), {} executions; {} too long",
        tally.cases, tally.by_oracle, tally.executions, tally.passed_over
    );
    assert!(tally.passed_over < tally.cases && tally.refused == 0 && tally.executions > 2 * tally.cases);
}

/// Loops that are left at the bound have the executions that the explorer finds, one by one.
#[test]
fn growing_equals_exploring_where_loops_are_left() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let (mut compared, mut more) = (0, 0);
    for case in cases(12, 40) {
        let mut random = Random::new(case ^ 0x9E0 << 36);
        let (text, arch, name) = loops(&mut random);
        let test = lower(&session, &text);
        let model = library.get(name, arch);
        let unroll = 1 + random.below(2) as u32;
        let run = |at_bound: AtBound, engine: Engine| {
            let timeout = Some(PATIENCE);
            let options = Options { unroll, at_bound, timeout, ..options(Mode::Count, engine, 1) };
            explore::run(&test, model, &options)
        };
        // What cannot be run, and what there is no time for, says nothing.
        let Ok(found) = run(AtBound::Exit, Engine::Explore) else { continue };
        let grown = run(AtBound::Exit, Engine::Grow).expect("executions");
        if [&found, &grown].iter().any(|outcome| outcome.completeness == Completeness::TimedOut) {
            continue;
        }
        assert_eq!(found.completeness, grown.completeness, "case {case} under {name}\n{text}");
        assert_eq!(figures(&found), figures(&grown), "case {case} under {name}, {unroll} rounds\n{text}");
        compared += 1;
        let dropped = run(AtBound::Drop, Engine::Grow).expect("executions");
        more += u64::from(dropped.stats.executions != grown.stats.executions);
    }
    println!("{compared} programs, {more} with executions that leave a loop");
    assert!(4 * more > compared);
}

/// Waiting loses no outcome of the unrolled program, and has none that more rounds would not have.
#[test]
fn waiting_changes_no_outcome() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    for case in cases(20, 200) {
        let mut random = Random::new(case ^ 0x7E0 << 36);
        let (text, arch, name) = loops(&mut random);
        let test = lower(&session, &text);
        let model = library.get(name, arch);
        let states = |unroll: u32, awaits: bool| {
            let timeout = Some(PATIENCE);
            let options = Options { unroll, awaits, timeout, ..options(Mode::States, Engine::Grow, 1) };
            // What does not grow is looked for by worlds, of which loops have many.
            let states = explore::run(&test, model, &options).expect("states");
            (states.completeness != Completeness::TimedOut).then_some(states)
        };
        let Some(waiting) = states(3, true) else { continue };
        for unroll in [2, 3] {
            let Some(unrolled) = states(unroll, false) else { continue };
            for state in unrolled.states.keys() {
                assert!(waiting.states.contains(&state), "case {case} under {name}: {state:?}\n{text}");
            }
            if unrolled.cuts.is_empty() {
                assert!(waiting.states.keys().eq(unrolled.states.keys()), "case {case} under {name}\n{text}");
            }
        }
    }
}

/// An answer that is said to be complete, although loops were cut, is that of more rounds, too.
#[test]
fn a_bound_that_no_execution_reaches() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let (mut settled, mut cut) = (0, 0);
    for case in cases(8, 25) {
        let mut random = Random::new(case ^ 0x6E0 << 36);
        let text = crate::loops::program(&mut random);
        let test = lower(&session, &text);
        let name = *random.pick(&["rc11", "sc", "tso", "pso"]);
        let model = library.get(name, Arch::C);
        let run = |unroll: u32, engine: Engine| {
            let options = Options { unroll, ..options(Mode::Count, engine, 1) };
            explore::run(&test, model, &options).expect("an answer")
        };
        let found = run(2, Engine::Auto);
        if found.cuts.is_empty() {
            continue;
        }
        cut += 1;
        if found.completeness == Completeness::Complete {
            settled += 1;
            let more = run(4, Engine::Grow);
            assert!(more.cuts.is_empty(), "case {case} under {name}\n{text}");
            let numbers = |outcome: &Outcome| (outcome.positive.clone(), outcome.negative.clone());
            assert_eq!(numbers(&found), numbers(&more), "case {case} under {name}\n{text}");
            assert!(found.states.keys().eq(more.states.keys()), "case {case} under {name}\n{text}");
        }
    }
    println!("{settled} of {cut} answers with loops that were cut are complete");
    assert!(settled > 0 && settled < cut);
}

/// Executions that are cut off, or leave their loop, are those of the oracle.
#[test]
fn executions_at_the_bound_are_those_of_the_oracle() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let (mut kept, mut left) = (0, 0);
    for case in cases(8, 25) {
        let mut random = Random::new(case ^ 0x5E0 << 36);
        let text = crate::loops::program(&mut random);
        let test = lower(&session, &text);
        if candidates(&test) > 2000.0 {
            continue;
        }
        let name = *random.pick(&["rc11", "sc", "tso", "pso"]);
        let model = library.get(name, Arch::C);
        for at_bound in [AtBound::Keep, AtBound::Exit] {
            let run = |engine: Engine| {
                let options = Options { unroll: 1, at_bound, ..options(Mode::Count, engine, 1) };
                explore::run(&test, model, &options).expect("an answer")
            };
            let (found, expected) = (run(Engine::Auto), run(Engine::Naive));
            let numbers =
                |o: &Outcome| (o.positive.clone(), o.negative.clone(), o.uncompleted.executions.clone());
            assert_eq!(numbers(&found), numbers(&expected), "case {case} under {name}, {at_bound:?}\n{text}");
            assert!(found.states.keys().eq(expected.states.keys()), "case {case} under {name}\n{text}");
            let cut = |outcome: &Outcome| outcome.uncompleted.states.keys().collect::<Vec<_>>();
            assert_eq!(cut(&found), cut(&expected), "case {case} under {name}\n{text}");
            match at_bound {
                AtBound::Keep => kept += found.uncompleted.executions.saturating_word(),
                _ => left += found.executions().saturating_word(),
            }
        }
    }
    println!("{kept} executions cut off, {left} where loops may be left");
    assert!(kept > 0 && left > 0);
}

/// A verdict needs one witness, and looks no further.
#[test]
fn a_verdict_stops_at_the_first_witness() {
    let thread = |n: usize| {
        let line = "  int rN = atomic_load_explicit(x, memory_order_relaxed);\n  atomic_store_explicit(x, rN + 1, memory_order_relaxed);\n";
        let lines: String = (0..3).map(|r| line.replace('N', &r.to_string())).collect();
        format!("P{n}(atomic_int *x) {{\n{lines}}}\n")
    };
    let text = format!("C incs\n{{}}\n{}{}exists (x=3)\n", thread(0), thread(1));
    let session = Session::new(Settings::default());
    let test = lower(&session, &text);
    let mut library = Library::default();
    // It has no race that would make the whole program undefined.
    let model = library.get("tso", Arch::C);
    let graphs = |mode: Mode| {
        let found = explore::run(&test, model, &options(mode, Engine::Grow, 1)).expect("an answer");
        assert!(found.holds(&test.condition), "{mode:?}");
        found.stats.graphs
    };
    let (all, few) = (graphs(Mode::Count), graphs(Mode::Check));
    assert!(few * 4 < all, "{few} graphs of {all}");
}

/// A stack of two pushes and two pops. Where a push writes its node anew in each round, others may see what a round that failed has
/// written: such a round is none that may be left out.
const STACK: &str = "C treiber
{ int next[3]; }
PUSH(0, 1)
PUSH(1, 2)
POP(2)
POP(3)
locations [2:r; 2:n; 3:r; 3:n; top;]
exists (top=0)
";

#[test]
fn rounds_that_write_are_not_left_out() {
    let push = |thread: &str, node: &str| {
        format!(
            "P{thread}(atomic_int *top, atomic_int *next) {{\n  int o = 0;\n  while (o == 0) {{\n    int t = atomic_load_explicit(top, memory_order_relaxed);\n    atomic_store_explicit(next + {node}, t, memory_order_relaxed);\n    o = atomic_compare_exchange_strong_explicit(top, &t, {node}, memory_order_release, memory_order_relaxed);\n  }}\n}}\n"
        )
    };
    let pop = |thread: &str| {
        format!(
            "P{thread}(atomic_int *top, atomic_int *next) {{\n  int o = 0;\n  int r = 0;\n  int n = 0;\n  while (o == 0) {{\n    r = atomic_load_explicit(top, memory_order_acquire);\n    o = 1;\n    if (r) {{\n      n = atomic_load_explicit(next + r, memory_order_relaxed);\n      int e = r;\n      o = atomic_compare_exchange_strong_explicit(top, &e, n, memory_order_relaxed, memory_order_relaxed);\n    }}\n  }}\n}}\n"
        )
    };
    let text = STACK
        .replace("PUSH(0, 1)", &push("0", "1"))
        .replace("PUSH(1, 2)", &push("1", "2"))
        .replace("POP(2)", &pop("2"))
        .replace("POP(3)", &pop("3"));
    let session = Session::new(Settings::default());
    let test = lower(&session, &text);
    let mut library = Library::default();
    for name in ["sc", "tso", "rc11"] {
        let model = library.get(name, Arch::C);
        let states = |unroll: u32, awaits: bool| {
            let options = Options { unroll, awaits, ..options(Mode::States, Engine::Grow, 1) };
            explore::run(&test, model, &options).expect("states")
        };
        let (waiting, unrolled) = (states(2, true), states(2, false));
        assert!(waiting.states.keys().eq(unrolled.states.keys()), "{name}");
        assert!(unrolled.states.keys().count() > 10, "{name}");
    }
}
