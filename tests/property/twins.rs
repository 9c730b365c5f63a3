//! Programs with threads that are like each other: of all executions that differ only in which of them is which, just one is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use litmus::arch::c::preprocess;
use litmus::arch::c::unit::lower;
use litmus::diag::Diagnostic;
use litmus::grow::{self, Ended, Execution, Found, Visitor};
use litmus::program::Program;
use litmus::program::shapes::Shapes;
use litmus::session::{Settings, prepare_for_programs};
use litmus::verify;

use crate::cases;
use crate::random::Random;

/// More executions than this: the next program.
const MANY: usize = 4000;

/// Statements of a thread.
fn body(random: &mut Random, length: usize) -> String {
    let mut text = "    int r = 0;\n".to_string();
    for _ in 0..length {
        let cell = *random.pick(&["x", "x", "y", "z"]);
        let order = *random.pick(&["relaxed", "relaxed", "seq_cst"]);
        let (read, written) = match order {
            "relaxed" => (*random.pick(&["relaxed", "acquire"]), *random.pick(&["relaxed", "release"])),
            other => (other, other),
        };
        let value = 1 + random.below(2);
        let load = format!("atomic_load_explicit(&{cell}, memory_order_{read})");
        let store = |what: &str| format!("atomic_store_explicit(&{cell}, {what}, memory_order_{written});");
        let update = |what: &str| format!("{what}&{cell}, {value}, memory_order_{order})");
        let line = match random.below(20) {
            0..=4 => format!("r = {load};"),
            5..=6 => store(&value.to_string()),
            7 => store("r + 1"),
            8..=9 => format!("r = {};", update("atomic_fetch_add_explicit(")),
            10 => format!("r = {};", update("atomic_exchange_explicit(")),
            11 => {
                let expected = *random.pick(&["0", "r"]);
                format!("{{ int e = {expected}; r = atomic_compare_exchange_strong(&{cell}, &e, {value}); }}")
            }
            12 => {
                format!(
                    "{{ int e = {load}; while (!atomic_compare_exchange_strong(&{cell}, &e, e + 1)) {{ }} }}"
                )
            }
            13 => format!("while ({load} == 0) {{ }}"),
            14..=15 => format!("if (r == {}) {}", random.below(2), store(&value.to_string())),
            16 => "pthread_mutex_lock(&m); n = n + 1; pthread_mutex_unlock(&m);".to_string(),
            17 => format!("atomic_thread_fence(memory_order_{});", random.pick(&["seq_cst", "acq_rel"])),
            18 => {
                let store = store("b");
                format!("{{ _Bool b = __VERIFIER_nondet_bool(); {store} }}")
            }
            _ => format!("while (atomic_exchange(&l, 1)) {{ }} r = {load}; atomic_store(&l, 0);"),
        };
        let _ = writeln!(text, "    {line}");
    }
    text + "    atomic_store_explicit(&w, r, memory_order_relaxed);\n"
}

/// A program, and how many threads are like each other.
fn program(random: &mut Random) -> (String, usize) {
    let twins = 2 + usize::from(random.chance(30)) + usize::from(random.chance(5));
    let mut length = 1 + random.below(if twins == 2 { 4 } else { 2 });
    let mut text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n\
        _Bool __VERIFIER_nondet_bool(void);\n\
        atomic_int x, y, z, l, w;\nint n;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        .to_string();
    let mut result = body(random, length);
    if random.chance(60) {
        // What is done last is seen by nobody, and makes executions many.
        result = result
            .lines()
            .filter(|line| !line.contains("&w"))
            .fold(String::new(), |all, line| all + line + "\n");
    }
    let _ = writeln!(text, "void *twin(void *p) {{\n{result}    return 0;\n}}");
    let others = random.below(3);
    let mut starts = "twin, ".repeat(twins);
    for other in 0..others {
        length = 1 + random.below(2);
        let other_body: String = body(random, length)
            .lines()
            .filter(|line| !line.contains("&w"))
            .map(|l| format!("{l}\n"))
            .collect();
        let _ = writeln!(text, "void *other{other}(void *p) {{\n{other_body}    return 0;\n}}");
        let _ = write!(starts, "other{other}, ");
    }
    let functions: Vec<&str> = starts.split_terminator(", ").collect();
    let _ = writeln!(text, "int main(void) {{\n    pthread_t t[{}];", functions.len());
    for (number, function) in functions.iter().enumerate() {
        let _ = writeln!(text, "    pthread_create(&t[{number}], 0, {function}, 0);");
    }
    if random.chance(20) {
        text += "    atomic_store_explicit(&x, 7, memory_order_relaxed);\n";
    }
    if random.chance(50) {
        for number in 0..functions.len() {
            let _ = writeln!(text, "    pthread_join(t[{number}], 0);");
        }
        if random.chance(50) {
            text += "    assert(x != 2 || y != 1);\n";
        }
    }
    (text + "    return 0;\n}\n", twins)
}

/// Executions up to the exchange of the first threads that are started: how often each was listed.
struct Orbits {
    twins: usize,
    first: usize,
    all_blocked: bool,
    seen: BTreeMap<String, usize>,
    total: usize,
}

impl Orbits {
    /// A text that all executions have that differ in which thread is which.
    fn orbit(&self, ended: &Ended, execution: &dyn Execution) -> String {
        let twins: Vec<usize> = (self.first..self.first + self.twins).collect();
        let mut orders = vec![Vec::new()];
        for _ in 0..self.twins {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<usize>| {
                    let left = twins.iter().filter(|twin| !order.contains(twin));
                    left.map(|twin| [order.clone(), vec![*twin]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        let events: Vec<_> = (0..execution.n_events()).map(|n| execution.event(n)).collect();
        let mut counts = BTreeMap::new();
        let names: Vec<(usize, usize)> = events
            .iter()
            .map(|event| match event {
                // Which of them is waited for first is nobody's business.
                Some(event) if event.joins.is_none() => {
                    let thread = event.thread.map_or(usize::MAX, usize::from);
                    let count = counts.entry(thread).or_insert(0);
                    *count += 1;
                    (thread, if event.thread.is_none() { event.cell.map_or(0, usize::from) } else { *count })
                }
                _ => (usize::MAX, usize::MAX),
            })
            .collect();
        let kind = match ended {
            Ended::Complete => "complete".to_string(),
            Ended::Violation(violation) => format!("{:?}", violation.property),
            Ended::Blocked => "blocked".to_string(),
            Ended::Cut(_) => "cut".to_string(),
            Ended::Error(why) => panic!("{why:?}"),
        };
        let told = |order: &Vec<usize>| {
            let name = |n: usize| match names[n] {
                (thread, count)
                    if thread != usize::MAX && thread >= self.first && thread < self.first + self.twins =>
                {
                    (order[thread - self.first], count)
                }
                other => other,
            };
            let mut lines: Vec<String> = Vec::new();
            for (n, event) in events.iter().enumerate() {
                let Some(event) = event else { continue };
                // Initial writes stay, once a cell has been looked at on the way.
                if event.joins.is_none() && event.thread.is_some() {
                    lines.push(format!(
                        "{:?} {:?} {:?} {:?} {:?} {:?}",
                        name(n),
                        event.kind,
                        event.cell,
                        event.read,
                        event.written,
                        event.source.map(name)
                    ));
                }
            }
            lines.sort();
            for order in execution.coherence().into_iter().filter(|order| order.len() > 1) {
                lines.push(format!("{:?}", order.into_iter().map(name).collect::<Vec<_>>()));
            }
            lines.join("\n")
        };
        kind + &orders.iter().map(told).min().unwrap_or_default()
    }
}

impl Visitor for Orbits {
    fn execution(&mut self, ended: Ended, _: &Found, execution: &dyn Execution) -> ControlFlow<()> {
        // Which threads wait in vain, if not all such executions are listed, is up to the search.
        if !self.all_blocked && matches!(ended, Ended::Blocked) {
            return ControlFlow::Continue(());
        }
        let orbit = self.orbit(&ended, execution);
        *self.seen.entry(orbit).or_insert(0) += 1;
        self.total += 1;
        if self.total < MANY { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        panic!("{diagnostic:?}")
    }
}

fn orbits(
    program: &Program,
    model: &litmus::model::Model,
    twins: usize,
    options: &grow::Options,
) -> Option<(Orbits, grow::Stats)> {
    let mut orbits = Orbits {
        twins,
        first: program.threads.len(),
        all_blocked: options.all_blocked,
        seen: BTreeMap::new(),
        total: 0,
    };
    let stats = grow::explore(program, model, options, &mut orbits).expect("executions");
    (orbits.total < MANY).then_some((orbits, stats))
}

#[test]
fn every_execution_is_found_up_to_exchange_of_threads() {
    let names = ["sc", "tso", "pso", "rc11", "rc20", "imm"];
    let mut models = BTreeMap::new();
    let (mut compared, mut without, mut with, mut many) = (0usize, 0usize, 0usize, 0usize);
    let mut twice = BTreeMap::new();
    for case in cases(20, 150) {
        let mut random = Random::new(case ^ 0x3E0 << 36);
        let (text, twins) = program(&mut random);
        let name = *random.pick(&names);
        let all_blocked = random.chance(50);
        let prepared = models
            .entry(name)
            .or_insert_with(|| prepare_for_programs(&Settings::default(), name).expect("a model"));
        let orders = verify::orders_for(&prepared.model, prepared.arch).expect("a model of C");
        let loaded = verify::load_text(
            Path::new("random.c"),
            text.clone(),
            &preprocess::Settings::default(),
            lower::Options { recursion: 4, orders, samples: false, uninitialised: false, marks_waits: false },
            &Shapes::default(),
        );
        let lowered = loaded.program.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
        let options = grow::Options {
            unroll: 2,
            properties: true,
            awaits: true,
            all_blocked,
            ..grow::Options::default()
        };
        let Some((all, _)) = orbits(&lowered, &prepared.model, twins, &options) else {
            many += 1;
            continue;
        };
        let symmetric = grow::Options { symmetry: true, ..options };
        let told = format!("case {case} under {name}, blocked {all_blocked}\n{text}");
        let (few, stats) = orbits(&lowered, &prepared.model, twins, &symmetric).expect("fewer executions");
        assert!(!stats.told_apart && stats.symmetric, "{told}");
        let keys = |orbits: &Orbits| orbits.seen.keys().cloned().collect::<BTreeSet<_>>();
        let (all_keys, few_keys) = (keys(&all), keys(&few));
        let lost: Vec<&String> = all_keys.difference(&few_keys).collect();
        assert!(lost.is_empty(), "{} of {} lost: {told}\n{}", lost.len(), all_keys.len(), lost[0]);
        assert_eq!(few_keys.difference(&all_keys).count(), 0, "more: {told}");
        let again = few.total - few_keys.len();
        if again > 0 {
            *twice.entry(name).or_insert(0) += again;
            assert!(!["sc", "tso", "pso"].contains(&name), "{again} twice: {told}");
        }
        compared += 1;
        without += all.total;
        with += few.total;
    }
    println!(
        "{compared} programs ({many} too large): {without} executions, {with} up to exchange; twice: {twice:?}"
    );
    assert!(with * 10 < without * 8 && many < compared);
}
