//! Explanations of random programs: every outcome that a model forbids has a reason that the audit finds right, and only those.

use litmus::condition::{Atom, Condition, Prop, Quantifier};
use litmus::explain::{Audit, Question, audit};
use litmus::program::Type;
use litmus::source::Sources;

use super::*;

/// The most forbidden outcomes of one program that are explained.
const OUTCOMES: usize = 3;

#[derive(Default)]
struct Explained {
    outcomes: u64,
    forbidden: u64,
    reasons: u64,
    edges: u64,
    incomplete: u64,
}

/// A test that asks for one final state.
fn asking(test: &Lowered, state: &[Value]) -> Lowered {
    let ty = Type { bytes: 8, signed: true };
    let atoms = test.shown.iter().zip(state);
    let atoms = atoms.map(|(left, value)| Prop::Atom(Atom::Equals { left: *left, ty, value: *value }));
    let condition = Condition { quantifier: Quantifier::Exists, prop: Prop::And(atoms.collect()) };
    Lowered { condition, ..test.clone() }
}

fn judge(test: &Lowered, model: &Model, told: &dyn Fn() -> String, tally: &mut Explained) {
    let options = Options { timeout: Some(PATIENCE), ..options(Mode::States, Engine::Explore, 1) };
    let (Ok(all), Ok(allowed)) =
        (explore::run(test, &Model::default(), &options), explore::run(test, model, &options))
    else {
        return;
    };
    if [&all, &allowed].iter().any(|outcome| outcome.completeness == Completeness::TimedOut) {
        return;
    }
    let forbidden = all.states.keys().filter(|state| !allowed.states.contains(state)).take(OUTCOMES);
    let some_allowed = allowed.states.keys().take(1);
    for state in forbidden.chain(some_allowed) {
        let asked = asking(test, &state);
        let question = Question {
            test: &asked,
            model,
            model_name: "model",
            sources: &Sources::new(),
            options: &options,
        };
        let Ok(Audit { reasons, edges, allowed: found, faults, incomplete, .. }) = audit(&question) else {
            continue;
        };
        tally.outcomes += 1;
        tally.reasons += reasons;
        tally.edges += edges;
        tally.incomplete += u64::from(incomplete);
        tally.forbidden += u64::from(!found);
        if !incomplete {
            assert_eq!(found, allowed.states.contains(&state), "{state:?}: {}", told());
        }
        assert!(faults.is_empty(), "{state:?}: {faults:?}\n{}", told());
        assert!(found || incomplete || reasons > 0, "{state:?}: no reason\n{}", told());
    }
}

impl Explained {
    fn must_be_telling(&self) {
        println!(
            "{} outcomes, {} forbidden, {} reasons with {} base edges; {} with more choices than are looked at",
            self.outcomes, self.forbidden, self.reasons, self.edges, self.incomplete
        );
        assert!(self.forbidden > self.outcomes / 4, "{} of {} are forbidden", self.forbidden, self.outcomes);
        assert!(self.edges > self.reasons, "{} edges in {} reasons", self.edges, self.reasons);
    }
}

#[test]
fn what_the_models_of_the_library_forbid_is_explained() {
    let mut tally = Explained::default();
    under_the_library(cases(10, 120), 0xE1 << 40, |test, model, told, _| {
        judge(test, model, told, &mut tally)
    });
    tally.must_be_telling();
}

#[test]
fn what_random_models_forbid_is_explained() {
    let session = Session::new(Settings::default());
    let mut tally = Explained::default();
    for case in cases(10, 100) {
        let mut random = Random::new(case ^ 0xE2 << 40);
        let arch = *random.pick(&[Arch::X86, Arch::AArch64, Arch::RiscV, Arch::Ppc, Arch::C]);
        let text = model::random(&mut random);
        let model = load_text(&text, arch_id(arch));
        let program = Program::random(arch, &mut random);
        let test = lower(&session, &program.text());
        if candidates(&test) <= CANDIDATES {
            judge(&test, &model, &|| format!("case {case}\n{text}\n{}", program.text()), &mut tally);
        }
    }
    println!("{} outcomes, {} forbidden, {} reasons", tally.outcomes, tally.forbidden, tally.reasons);
}
