//! Random programs under random models and under every model of the library: the explorer against the oracle, against
//! machines that run programs step by step, and against itself with other workers and its threads in another order.
//!
//! `LITMUS_CASES=1000000 cargo test --release --test property` runs a million cases; `LITMUS_SEED=n` starts at another
//! one. A failure names the case, the test and the model.

mod alike;
mod bounds;
mod explain;
mod grow;
mod holes;
mod hostile;
mod kept;
mod loops;
mod machine;
mod many;
mod mapping;
mod merged;
mod metamorphic;
mod model;
mod print;
mod program;
mod random;
mod solver;
mod states;
mod store_buffers;
mod twins;
mod two_models;
mod waiting;
mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use litmus::arch::ArchId;
use litmus::condition::Observable;
use litmus::execution::unfold;
use litmus::explore::{self, Engine, Mode, Options};
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::outcome::{Completeness, Count, Outcome};
use litmus::program::Value;
use litmus::session::{Input, Session, Settings, check_model};

use machine::Queue;
use program::{Arch, Program, Seen};
use random::Random;

/// The most candidates that the oracle is asked to try.
const CANDIDATES: f64 = 120.0;

/// How long the oracle may take for one case.
const PATIENCE: Duration = Duration::from_secs(5);

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// The cases of a test: a share of all that are asked for.
fn cases(share: u64, by_default: u64) -> std::ops::Range<u64> {
    let n = number("LITMUS_CASES", 0) * share / 100;
    let first = number("LITMUS_SEED", 1);
    first..first + if n == 0 { by_default } else { n }
}

fn arch_id(arch: Arch) -> ArchId {
    match arch {
        Arch::X86 => ArchId::X86,
        Arch::AArch64 => ArchId::AArch64,
        Arch::Arm => ArchId::Arm,
        Arch::Ppc => ArchId::Ppc,
        Arch::RiscV => ArchId::RiscV,
        Arch::Mips => ArchId::Mips,
        Arch::C | Arch::Kernel => ArchId::C,
    }
}

/// Models of the library by name and architecture, each lowered once.
#[derive(Default)]
struct Library(BTreeMap<(&'static str, &'static str), Model>);

impl Library {
    fn get(&mut self, name: &'static str, arch: Arch) -> &Model {
        let id = arch_id(arch);
        self.0.entry((name, id.name())).or_insert_with(|| load(name, id, &Settings::default()))
    }
}

fn load(name: &str, arch: ArchId, settings: &Settings) -> Model {
    let checked = check_model(settings, name, Some(arch), false);
    checked.model.unwrap_or_else(|| panic!("{name} on {arch:?}: {:?}", checked.diagnostics))
}

/// Loads a model from its text.
fn load_text(text: &str, arch: ArchId) -> Model {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("property-{}-{count}.cat", std::process::id());
    std::fs::write(folder.join(&name), text).expect("a place for models");
    let settings = Settings { include: vec![folder.clone()], ..Settings::default() };
    let checked = check_model(&settings, &name, Some(arch), false);
    std::fs::remove_file(folder.join(&name)).expect("the model");
    checked.model.unwrap_or_else(|| panic!("{text}\n{:?}", checked.diagnostics))
}

/// Reads a test.
fn lower(session: &Session, text: &str) -> Lowered {
    let input = Input::Text { name: "random.litmus".to_string(), text: Arc::from(text) };
    let report = session.check(&input);
    match report.answer {
        Some(answer) => answer.test,
        None => panic!("{text}\n{:?}", report.diagnostics),
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
    let Ok(worlds) = unfold(&test.program, 2, &cells) else { return 0.0 };
    let of_world = |world: litmus::execution::World| {
        let reads: f64 = world.reads.iter().map(|(_, candidates)| candidates.len() as f64).product();
        let orders = world.writes.iter().map(|writes| (1..writes.len()).map(|n| n as f64).product::<f64>());
        reads * orders.product::<f64>()
    };
    worlds.take(200).map(of_world).sum()
}

fn options(mode: Mode, engine: Engine, jobs: usize) -> Options {
    Options { mode, engine, jobs, ..Options::default() }
}

fn figures(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        outcome.states.clone(),
        outcome.positive.clone(),
        outcome.negative.clone(),
        outcome.flags.clone(),
        outcome.undefined,
    )
}

/// What a run of many cases looked at.
#[derive(Default)]
struct Tally {
    cases: u64,
    executions: u64,
    pruned: u64,
    empty: u64,
    passed_over: u64,
}

/// Compares all modes with the oracle.
fn compare(test: &Lowered, model: &Model, told: &dyn Fn() -> String, tally: &mut Tally) {
    // A model may multiply a few candidates by the orders of several `with`: the oracle would never end.
    let patience = Options { timeout: Some(PATIENCE), ..options(Mode::Count, Engine::Naive, 1) };
    let oracle = explore::run(test, model, &patience);
    if oracle.as_ref().is_ok_and(|oracle| oracle.completeness == Completeness::TimedOut) {
        tally.passed_over += 1;
        return;
    }
    let found = explore::run(test, model, &options(Mode::Count, Engine::Explore, 1));
    tally.cases += 1;
    let (oracle, found) = match (oracle, found) {
        (Ok(oracle), Ok(found)) => (oracle, found),
        (Err(_), Err(_)) => return,
        (oracle, found) => panic!("only one has an answer: {oracle:?}\n{found:?}\n{}", told()),
    };
    assert_eq!(figures(&oracle), figures(&found), "count: {}", told());
    let anew = Options { large: 0, ..options(Mode::Count, Engine::Explore, 1) };
    let anew = explore::run(test, model, &anew).expect("a count");
    assert_eq!(figures(&oracle), figures(&anew), "what repeats itself: {}", told());
    tally.executions += oracle.stats.executions.saturating_word();
    tally.pruned += found.stats.pruned.values().sum::<u64>();
    tally.empty += u64::from(oracle.stats.executions == 0);
    let states = explore::run(test, model, &options(Mode::States, Engine::Explore, 1)).expect("states");
    assert!(states.states.keys().eq(oracle.states.keys()), "states: {}", told());
    assert_eq!((&states.flags, states.undefined), (&oracle.flags, oracle.undefined), "states: {}", told());
    let checked = explore::run(test, model, &options(Mode::Check, Engine::Explore, 1)).expect("a verdict");
    assert_eq!(checked.undefined, oracle.undefined, "check: {}", told());
    if !oracle.undefined {
        assert_eq!(checked.holds(&test.condition), oracle.holds(&test.condition), "check: {}", told());
    }
}

/// Random programs small enough for the oracle, each under a model of the library that fits. `salt` makes them others than those of the next test.
fn under_the_library(
    cases: std::ops::Range<u64>,
    salt: u64,
    mut judge: impl FnMut(&Lowered, &Model, &dyn Fn() -> String, &mut Random),
) {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    for case in cases {
        let mut random = Random::new(case ^ salt);
        let arch = *random.pick(&Arch::ALL);
        let program = Program::random(arch, &mut random);
        let test = lower(&session, &program.text());
        if candidates(&test) > CANDIDATES {
            continue;
        }
        let name = *random.pick(arch.models());
        let model = library.get(name, arch);
        judge(&test, model, &|| format!("case {case} under {name}\n{}", program.text()), &mut random);
    }
}

#[test]
fn explorer_equals_oracle_under_the_models_of_the_library() {
    let mut tally = Tally::default();
    under_the_library(cases(49, 400), 0, |test, model, told, _| compare(test, model, told, &mut tally));
    tally.must_be_telling();
}

#[test]
fn explorer_equals_oracle_under_random_models() {
    let session = Session::new(Settings::default());
    let mut tally = Tally::default();
    /// Programs per model: lowering a model takes longer than running a small program.
    const PROGRAMS: u64 = 5;
    let cases = cases(45, 500);
    for case in cases.start..cases.start + (cases.end - cases.start).div_ceil(PROGRAMS) {
        let mut random = Random::new(case ^ 0x5EED << 32);
        let arch = *random.pick(&[Arch::X86, Arch::AArch64, Arch::RiscV, Arch::Ppc, Arch::C]);
        let text = model::random(&mut random);
        let model = load_text(&text, arch_id(arch));
        for _ in 0..PROGRAMS {
            let program = Program::random(arch, &mut random);
            let test = lower(&session, &program.text());
            if candidates(&test) <= CANDIDATES {
                let told = || format!("case {case}\n{text}\n{}", program.text());
                compare(&test, &model, &told, &mut tally);
            }
        }
    }
    tally.must_be_telling();
}

#[test]
fn explorer_equals_oracle_under_hostile_models() {
    let session = Session::new(Settings::default());
    let mut tally = Tally::default();
    let (checks, flags) = (hostile::many_checks(), hostile::many_flags());
    let many = [("many-checks", &*checks), ("many-flags", &*flags)];
    let models: Vec<(&str, &str)> = hostile::MODELS.into_iter().chain(many).collect();
    let cases = cases(2, 8 * models.len() as u64);
    let programs = (cases.end - cases.start).div_ceil(models.len() as u64);
    for (number, (name, text)) in models.iter().enumerate() {
        for arch in [Arch::X86, Arch::AArch64] {
            let model = load_text(&format!("\"{name}\"\n{text}\n"), arch_id(arch));
            let before = tally.executions;
            if arch == Arch::X86 && !text.contains("linearisations") {
                let told = || format!("the ring under {name}: {text}");
                compare(&lower(&session, hostile::RING), &model, &told, &mut tally);
            }
            for case in cases.start..cases.start + programs.div_ceil(2) {
                let mut random = Random::new(case ^ (number as u64) << 48);
                let program = Program::random(arch, &mut random);
                let test = lower(&session, &program.text());
                // Orders of everything are many.
                let most = if text.contains("linearisations") { 6.0 } else { CANDIDATES };
                if candidates(&test) <= most {
                    let told = || format!("case {case} under {name}: {text}\n{}", program.text());
                    compare(&test, &model, &told, &mut tally);
                }
            }
            // With enough programs, every model but one allows something.
            let none = tally.executions == before && programs > 100;
            let expected = name.starts_with("assert") || *name == "choice-of-none";
            assert!(!none || expected, "{name} allows nothing");
        }
    }
    tally.must_be_telling();
}

impl Tally {
    /// Cases in which nothing happens show nothing.
    fn must_be_telling(&self) {
        println!(
            "{} cases, {} executions, {} refuted branches, {} without any execution; {} too long for the oracle",
            self.cases, self.executions, self.pruned, self.empty, self.passed_over
        );
        assert!(self.passed_over <= self.cases / 1000, "{} cases passed over", self.passed_over);
        assert!(self.executions > 2 * self.cases, "{} executions in {} cases", self.executions, self.cases);
        assert!(self.pruned > self.cases / 4, "{} branches refuted in {} cases", self.pruned, self.cases);
    }
}

/// The states found, by names instead of positions.
fn named_states(test: &Lowered, outcome: &Outcome) -> BTreeMap<Vec<(String, Value)>, Count> {
    let program = &test.program;
    let name = |observable: &Observable| match observable {
        Observable::Reg(thread, reg) => format!("{thread}:{}", program.regs.name(*reg)),
        Observable::Loc(loc) => program.locations[usize::from(loc.0)].name.clone(),
        Observable::Fault(_) | Observable::Faults => "faults".to_string(),
        Observable::Assumed => "signatures".to_string(),
        other => panic!("{other:?}"),
    };
    let named = |(state, count): (Vec<Value>, Count)| {
        let mut state: Vec<_> = test.shown.iter().map(name).zip(state.iter().copied()).collect();
        state.sort();
        (state, count)
    };
    outcome.states.iter().map(named).collect()
}

#[test]
fn explorer_equals_machines() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut turns: BTreeMap<&str, Model> = BTreeMap::new();
    let mut n_states = 0;
    let cases = cases(2, 400);
    for case in cases.clone() {
        let mut random = Random::new(case ^ 0xAC << 40);
        let arch = Arch::ALL[random.below(7)];
        let mut program = Program::random(arch, &mut random);
        program.filter = None;
        program.locations = program.observables();
        let text = program.text();
        let test = lower(&session, &text);
        let mut machines = vec![(Queue::None, "turns")];
        if arch == Arch::X86 {
            machines.push((Queue::Fifo, "x86tso"));
        }
        for (queue, name) in machines {
            let model = match queue {
                Queue::None => turns.entry(arch_id(arch).name()).or_insert_with(|| {
                    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/property");
                    let settings = Settings { include: vec![folder.into()], ..Settings::default() };
                    load("turns.cat", arch_id(arch), &settings)
                }),
                Queue::Fifo => library.get(name, arch),
            };
            let outcome =
                explore::run(&test, model, &options(Mode::States, Engine::Explore, 1)).expect("states");
            let listed: BTreeSet<Vec<(String, Value)>> = named_states(&test, &outcome).into_keys().collect();
            let names: Vec<String> = program.locations.iter().map(|seen| program.seen(*seen)).collect();
            let by_machine = machine::run(&program, queue);
            let expected: BTreeSet<Vec<(String, Value)>> = by_machine
                .iter()
                .map(|state| {
                    let values = state.iter().map(|n| Value::Int(i128::from(*n)));
                    let mut state: Vec<_> = names.iter().cloned().zip(values).collect();
                    state.sort();
                    state
                })
                .collect();
            assert_eq!(listed, expected, "case {case} under {name}\n{text}");
            let holds = by_machine.iter().any(|state| {
                let at = |seen: Seen| {
                    let position = program.locations.iter().position(|other| *other == seen);
                    state[position.expect("all are shown")]
                };
                program.condition.holds(&at)
            });
            let found =
                explore::run(&test, model, &options(Mode::Count, Engine::Explore, 1)).expect("counts");
            assert_eq!(holds, found.positive > 0, "condition of case {case} under {name}\n{text}");
            n_states += expected.len() as u64;
        }
    }
    assert!(n_states > 3 * (cases.end - cases.start), "{n_states} states");
}

#[test]
fn the_order_of_threads_and_the_number_of_workers_change_nothing() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    for case in cases(2, 120) {
        let mut random = Random::new(case ^ 0x0D << 44);
        let arch = *random.pick(&Arch::ALL);
        let program = Program::random(arch, &mut random);
        let name = *random.pick(arch.models());
        let test = lower(&session, &program.text());
        if candidates(&test) > 20.0 * CANDIDATES {
            continue;
        }
        let model = library.get(name, arch);
        let told = || format!("case {case} under {name}\n{}", program.text());
        let one = explore::run(&test, model, &options(Mode::Count, Engine::Explore, 1)).expect("an answer");
        for jobs in [2, 3, 8] {
            let shared = explore::run(&test, model, &options(Mode::Count, Engine::Explore, jobs));
            assert_eq!(figures(&one), figures(&shared.expect("an answer")), "{jobs} workers, {}", told());
        }
        // Another order of the threads, and back to the old names.
        let mut order: Vec<usize> = (0..program.threads.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        let permuted = program.permuted(&order);
        let other_test = lower(&session, &permuted.text());
        let other =
            explore::run(&other_test, model, &options(Mode::Count, Engine::Explore, 1)).expect("an answer");
        let back = |state: Vec<(String, Value)>| {
            let mut state: Vec<(String, Value)> = state
                .into_iter()
                .map(|(name, value)| match name.split_once(':') {
                    Some((thread, reg)) => {
                        let thread: usize = thread.parse().expect("a thread");
                        (format!("{}:{reg}", order[thread]), value)
                    }
                    None => (name, value),
                })
                .collect();
            state.sort();
            state
        };
        let renamed: BTreeMap<_, _> =
            named_states(&other_test, &other).into_iter().map(|(state, n)| (back(state), n)).collect();
        assert_eq!(named_states(&test, &one), renamed, "threads {order:?}, {}", told());
        assert_eq!((&one.positive, &one.negative), (&other.positive, &other.negative), "{}", told());
        assert_eq!((&one.flags, one.undefined), (&other.flags, other.undefined), "{}", told());
    }
}
