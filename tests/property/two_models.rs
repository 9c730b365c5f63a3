//! Questions about two models, against the sets of executions that the oracle lists for each.

use std::collections::BTreeMap;

use litmus::compare::{Answer, Effort, Granularity, observed, portability};
use litmus::diag::Class;
use litmus::explore::{self, Engine, Mode, Options, Request};
use litmus::litmus::Lowered;
use litmus::model::{Model, violating};
use litmus::outcome::Count;
use litmus::session::{Session, Settings};

use super::program::{Arch, Program};
use super::random::Random;
use super::{CANDIDATES, Library, arch_id, candidates, cases, load_text, lower, options};

type Pairs = Vec<(usize, usize)>;

/// Every execution that a model allows, as the oracle finds them: events, `rf` and `co`, and how many are alike in these. (A compare-and-swap that succeeds is two executions, which
/// differ only inside the instruction.)
fn graphs(test: &Lowered, model: &Model) -> BTreeMap<(Vec<String>, Pairs, Pairs), u64> {
    let naive = options(Mode::Count, Engine::Naive, 1);
    let (found, _) = explore::executions(test, model, &naive, &Request::all()).expect("executions");
    let graph = |execution: &litmus::execution::Execution| {
        let events = execution.events.iter().filter(|event| !event.is_register());
        let events = events.map(|event| format!("{:?} {:?}", event.thread, event.kind)).collect();
        (events, execution.rf.iter().collect(), execution.co.iter().collect())
    };
    let mut counts = BTreeMap::new();
    found.iter().for_each(|execution| *counts.entry(graph(execution)).or_insert(0) += 1);
    counts
}

/// What was compared.
#[derive(Default)]
struct Tally {
    portable: usize,
    not: usize,
    searched: usize,
    /// Pairs of models of which one looks at final writes.
    final_writes: usize,
}

impl Tally {
    /// Compares executions; how many are new.
    fn executions(
        &mut self,
        test: &Lowered,
        source: &Model,
        target: &Model,
        told: &dyn Fn() -> String,
    ) -> u64 {
        let (ours, theirs) = (graphs(test, source), graphs(test, target));
        let whole = Options::default();
        let answer = portability(test, source, target, Granularity::Executions, Effort::Count, &whole)
            .expect("an answer");
        let beyond = |(graph, count): (&_, &u64)| count.saturating_sub(ours.get(graph).copied().unwrap_or(0));
        let new: u64 = theirs.iter().map(beyond).sum();
        match answer.answer {
            Answer::Portable => {
                assert_eq!(new, 0, "{}", told());
                self.portable += 1;
            }
            Answer::NotPortable { .. } => {
                assert!(new > 0, "{}", told());
                self.not += 1;
            }
            other => panic!("{other:?}\n{}", told()),
        }
        assert_eq!(answer.of_source, Some(Count::from(ours.values().sum::<u64>())), "{}", told());
        assert_eq!(&answer.of_target - &answer.of_both, new, "{}", told());
        new
    }

    /// Compares what is said of two models with the executions that the oracle lists.
    fn add(&mut self, test: &Lowered, source: &Model, target: &Model, told: &dyn Fn() -> String) {
        // Which writes are final (`FW`) a model is told of those that are observed: by the test itself, and where all are.
        if source.looks_at_final_writes() || target.looks_at_final_writes() {
            self.executions(test, source, target, told);
            self.final_writes += 1;
        }
        let test = &observed(test, (source, target), Granularity::States);
        let new = self.executions(test, source, target, told);
        let whole = Options::default();
        let by_states = portability(test, source, target, Granularity::States, Effort::Decide, &whole)
            .expect("an answer");
        if new == 0 {
            assert!(matches!(by_states.answer, Answer::Portable), "{}", told());
        }
        // The solver looks for a state that is new, and is not told any.
        let solver = Options { engine: Engine::Sat, ..Options::default() };
        let solved = portability(test, source, target, Granularity::States, Effort::Decide, &solver);
        let portable = |answer: &Answer| matches!(answer, Answer::Portable);
        match solved {
            Ok(solved) => assert_eq!(portable(&solved.answer), portable(&by_states.answer), "{}", told()),
            Err(error) => assert_eq!(error.class, Class::Unsupported, "{error:?}"),
        }
        // A search for what a check of the source forbids finds something where there is something.
        if let Some(turned) = violating(target, source) {
            let any = Options { mode: Mode::States, ..Options::default() };
            let violated = |model: &Model| {
                let found = explore::run(test, model, &any).expect("an answer");
                !found.states.is_empty()
            };
            assert_eq!(turned.iter().any(violated), new > 0, "{}", told());
            self.searched += 1;
        }
    }
}

#[test]
fn a_program_is_portable_where_the_oracle_lists_nothing_new() {
    let session = Session::new(Settings::default());
    let mut library = Library::default();
    let mut tally = Tally::default();
    for case in cases(2, 150) {
        let mut random = Random::new(case ^ 0x2A << 40);
        let arch = *random.pick(&[Arch::X86, Arch::AArch64, Arch::Arm, Arch::Ppc, Arch::RiscV, Arch::Mips]);
        let mut program = Program::random(arch, &mut random);
        program.filter = None;
        let test = lower(&session, &program.text());
        if candidates(&test) > CANDIDATES {
            continue;
        }
        // A model without a coherence order has no execution in common with one that has.
        let models: Vec<&'static str> =
            arch.models().iter().copied().filter(|name| *name != "naked").collect();
        let source = if random.chance(60) { "sc" } else { *random.pick(&models) };
        let target = *random.pick(&models);
        let (ours, theirs) = (library.get(source, arch).clone(), library.get(target, arch).clone());
        let told = || format!("case {case}, from {source} to {target}\n{}", program.text());
        tally.add(&test, &ours, &theirs, &told);
    }
    let Tally { portable, not, searched, .. } = tally;
    println!("{portable} portable, {not} not; {searched} searched for a violation");
    assert!(portable > 20 && not > 5 && searched > 20, "{portable} portable, {not} not, {searched} searched");
}

/// Likewise, where the models are as random as the program.
#[test]
fn random_models_are_compared_as_the_oracle_lists_their_executions() {
    let session = Session::new(Settings::default());
    let mut tally = Tally::default();
    for case in cases(2, 150) {
        let mut random = Random::new(case ^ 0x5B << 40);
        let arch = *random.pick(&[Arch::X86, Arch::AArch64, Arch::Ppc, Arch::RiscV]);
        let mut program = Program::random(arch, &mut random);
        program.filter = None;
        let test = lower(&session, &program.text());
        if candidates(&test) > CANDIDATES {
            continue;
        }
        // Both choose the order of writes alike, and nothing else, which would count as one more execution.
        let mut model = || loop {
            let text = super::model::random(&mut random);
            if text.contains("cos.cat") && !text.contains("undefined_unless") && !text.contains("with ") {
                return (load_text(&text, arch_id(arch)), text);
            }
        };
        let ((ours, source), (theirs, target)) = (model(), model());
        let told = || format!("case {case}, from\n{source}to\n{target}{}", program.text());
        tally.add(&test, &ours, &theirs, &told);
    }
    let Tally { portable, not, searched, final_writes } = tally;
    println!(
        "{portable} portable, {not} not; {searched} searched for a violation, {final_writes} by final writes"
    );
    assert!(portable > 10 && not > 5 && searched > 5, "{portable} portable, {not} not, {searched} searched");
}
