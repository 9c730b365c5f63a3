//! Executions to be shown that were kept while they were counted: those, and in the order, that a search for them finds.

use std::sync::Arc;

use litmus::explore::{self, Engine, Keeping, Mode, Options, Request, Show};
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::session::{Session, Settings};

use crate::program::{Arch, Program};
use crate::random::Random;
use crate::{Library, candidates, cases, lower, options};

/// What is seen of executions.
fn seen(test: &Lowered, model: &Model, options: &Options, request: &Request) -> Vec<String> {
    let (found, _) = explore::executions(test, model, options, request).expect("executions");
    found
        .iter()
        .map(|e| format!("{:?} {:?} {:?} {:?} {:?}", e.state, e.rf, e.co, e.values, e.flags))
        .collect()
}

fn requests() -> Vec<Request> {
    let shows = [Show::Prop, Show::Neg, Show::Cond, Show::Wit, Show::All, Show::Flagged];
    let limits = [None, Some(1), Some(3)];
    let request = |show: &Show, limit| Request { show: show.clone(), limit, names: Vec::new() };
    shows.iter().flat_map(|show| limits.map(|limit| request(show, limit))).collect()
}

/// Counts all, keeping what is asked for, and shows that.
fn kept(test: &Lowered, model: &Model, request: &Request, jobs: usize, large: u32) -> Vec<String> {
    let keep = Some(Arc::new(Keeping::new(request)));
    let options = Options { keep, large, ..options(Mode::Count, Engine::Explore, jobs) };
    explore::run(test, model, &options).expect("a count");
    seen(test, model, &options, request)
}

#[test]
fn what_is_kept_is_what_is_found() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut shown = 0;
    for case in cases(60, 400) {
        let mut random = Random::new(case ^ 0x4E97 << 36);
        let arch = *random.pick(&[Arch::X86, Arch::RiscV, Arch::C, Arch::Kernel]);
        let program = Program { filter: None, ..Program::random(arch, &mut random) };
        let test = lower(&session, &program.text());
        if candidates(&test) > 500.0 {
            continue;
        }
        let name = match arch {
            Arch::X86 => "tso",
            Arch::RiscV => "riscv",
            Arch::C => "rc11",
            _ => "lkmm",
        };
        let model = library.get(name, arch);
        let plain = options(Mode::Count, Engine::Explore, 1);
        if explore::run(&test, model, &plain).is_err() {
            continue;
        }
        let request = requests()[random.below(requests().len())].clone();
        let expected = seen(&test, model, &plain, &request);
        shown += expected.len();
        for (jobs, large) in [(1, 128), (1, 0), (2, 128)] {
            let found = kept(&test, model, &request, jobs, large);
            assert_eq!(found, expected, "{request:?} {jobs} {large} {}", program.text());
        }
    }
    assert!(shown > 0);
}

/// One execution of many thousands is found where it was counted.
#[test]
fn one_of_many_is_not_looked_for_again() {
    let n = 14;
    let threads: String = (0..n)
        .map(|k| {
            format!("P{k}(atomic_int *x) {{\n  int r = atomic_load_explicit(x, memory_order_relaxed);\n}}\n")
        })
        .collect();
    let all: Vec<String> = (0..n).map(|k| format!("{k}:r=1")).collect();
    let writer =
        format!("P{n}(atomic_int *x) {{\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}}\n");
    let text = format!("C readers\n{{}}\n{threads}{writer}exists ({})\n", all.join(" /\\ "));
    let session = Session::new(Settings::default());
    let test = lower(&session, &text);
    let mut library = Library::default();
    let model = library.get("sc", Arch::C);
    let request = Request { show: Show::Prop, limit: Some(1), names: Vec::new() };
    let keep = Some(Arc::new(Keeping::new(&request)));
    let options = Options { keep, ..options(Mode::Count, Engine::Explore, 1) };
    let counted = explore::run(&test, model, &options).expect("a count");
    assert_eq!(counted.stats.executions.to_string(), "16384");
    let (found, outcome) = explore::executions(&test, model, &options, &request).expect("executions");
    assert_eq!(found.len(), 1);
    assert!(outcome.stats.graphs < 100, "{} graphs", outcome.stats.graphs);
}
