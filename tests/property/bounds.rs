//! Bounds on the events of a thread: what is within them is what is found without, and what is cut off is what the oracle finds.

use std::collections::{BTreeMap, BTreeSet};

use litmus::execution::{AtBound, EventKind, Execution};
use litmus::explore::{self, Engine, Mode, Options, Request};
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::outcome::{Completeness, Outcome};
use litmus::session::{Session, Settings};

use super::program::Arch;
use super::random::Random;
use super::{Library, PATIENCE, candidates, cases, lower, options};

/// The most events that one thread has in an execution.
fn longest(execution: &Execution) -> u32 {
    let mut of: BTreeMap<u16, u32> = BTreeMap::new();
    for event in &execution.events {
        let local =
            matches!(event.kind, EventKind::RegRead(..) | EventKind::RegWrite(_) | EventKind::Branch(_));
        if let (Some(thread), false) = (event.thread, local) {
            *of.entry(thread).or_default() += 1;
        }
    }
    of.into_values().max().unwrap_or(0)
}

type Graph = (Vec<String>, Vec<(usize, usize)>, Vec<(usize, usize)>);

fn graph(execution: &Execution) -> Graph {
    let events = execution.events.iter().filter(|event| !event.is_register());
    let events = events.map(|event| format!("{:?} {:?} {}", event.thread, event.kind, event.pc)).collect();
    (events, execution.rf.iter().collect(), execution.co.iter().collect())
}

fn graphs(test: &Lowered, model: &Model, options: &Options, most: u32) -> BTreeSet<Graph> {
    let (found, _) = explore::executions(test, model, options, &Request::all()).expect("executions");
    found.iter().filter(|execution| longest(execution) <= most).map(graph).collect()
}

#[test]
fn executions_of_few_events() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let (mut within, mut kept, mut whole) = (0, 0, 0);
    for case in cases(4, 40) {
        let mut random = Random::new(case ^ 0xB0D << 36);
        let text = crate::loops::program(&mut random);
        let test = lower(&session, &text);
        if candidates(&test) > 300.0 {
            continue;
        }
        let name = *random.pick(&["rc11", "sc", "tso", "pso"]);
        let model = library.get(name, Arch::C);
        let most = 2 + random.below(5) as u32;
        let told = || format!("case {case} under {name}, {most} events\n{text}");
        // In so many events, a loop is run so many times at most.
        let far = Options { unroll: most, ..options(Mode::Count, Engine::Explore, 1) };
        let near = Options { bound_events: Some(most), ..options(Mode::Count, Engine::Explore, 1) };
        let (all, found) = (graphs(&test, model, &far, most), graphs(&test, model, &near, u32::MAX));
        assert_eq!(found, all, "{}", told());
        within += found.len();
        let run = |engine: Engine| {
            let bounded = Options { at_bound: AtBound::Keep, timeout: Some(PATIENCE), ..near.clone() };
            explore::run(&test, model, &Options { engine, ..bounded }).expect("an answer")
        };
        let (kept_now, expected) = (run(Engine::Auto), run(Engine::Naive));
        if expected.completeness == Completeness::TimedOut {
            continue;
        }
        let numbers =
            |o: &Outcome| (o.positive.clone(), o.negative.clone(), o.uncompleted.executions.clone());
        assert_eq!(numbers(&kept_now), numbers(&expected), "{}", told());
        let cut = |o: &Outcome| o.uncompleted.states.keys().collect::<Vec<_>>();
        assert_eq!(cut(&kept_now), cut(&expected), "{}", told());
        kept += kept_now.uncompleted.executions.saturating_word();
        // A bound that no execution comes to is said to be none.
        let plain = Options { engine: Engine::Auto, ..near };
        let answer = explore::run(&test, model, &plain).expect("an answer");
        if answer.completeness == Completeness::Complete && !answer.cuts.is_empty() {
            let more = Options { unroll: most + 2, ..options(Mode::Count, Engine::Auto, 1) };
            let more = explore::run(&test, model, &more).expect("an answer");
            assert_eq!(numbers(&answer), numbers(&more), "{}", told());
            whole += 1;
        }
    }
    println!(
        "{within} executions within the bound, {kept} cut off at it, {whole} answers complete although a path was cut"
    );
    assert!(within > 0 && kept > 0);
}
