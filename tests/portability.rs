//! Portability by states against complete logs of states, on the x86 tests of the corpus: a hundred of them, or with `LITMUS_ORACLE=all` each.

mod corpus;

use std::collections::BTreeSet;

use litmus::compare::{Answer, Effort, Granularity, observed, portability};
use litmus::explore::{self, Mode, Options};
use litmus::litmus::Lowered;
use litmus::model::Model;
use litmus::program::Value;
use litmus::session::{Input, Session, Settings, check_model};

fn model(settings: &Settings, name: &str, arch: litmus::arch::ArchId) -> Model {
    check_model(settings, name, Some(arch), true).model.expect("a model")
}

fn states(test: &Lowered, model: &Model, options: &Options) -> BTreeSet<Vec<Value>> {
    let outcome =
        explore::run(test, model, &Options { mode: Mode::States, ..options.clone() }).expect("an answer");
    outcome.states.keys().map(|state| state.to_vec()).collect()
}

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn equals_complete_logs_on_the_x86_tests() {
    let corpus = corpus::folder();
    let settings = corpus::settings(&corpus, "x86", "x86tso");
    let names = ["sc", "tso", "pso"];
    let models = names.map(|name| model(&settings, name, litmus::arch::ArchId::X86));
    let session = Session::new(settings);
    let options = Options::default();
    let (mut portable, mut not) = (0, 0);
    let files = corpus::tests_of(&corpus, "x86");
    let all = std::env::var("LITMUS_ORACLE").is_ok_and(|which| which == "all");
    let files = if all { files } else { corpus::spread(files, 100) };
    for file in files {
        let report = session.check(&Input::File(file.clone()));
        let Some(answer) = report.answer else { continue };
        let all = observed(&answer.test, (&models[0], &models[1]), Granularity::States);
        let logs: Vec<BTreeSet<Vec<Value>>> =
            models.iter().map(|model| states(&all, model, &options)).collect();
        for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
            let found = portability(
                &answer.test,
                &models[from],
                &models[to],
                Granularity::States,
                Effort::Decide,
                &options,
            );
            let found = found.expect("an answer");
            let expected = logs[to].is_subset(&logs[from]);
            let yes = matches!(found.answer, Answer::Portable);
            assert_eq!(yes, expected, "{}: from {} to {}", file.display(), names[from], names[to]);
            portable += u64::from(yes);
            not += u64::from(!yes);
        }
    }
    println!("{portable} portable, {not} not");
    assert!(portable > 0 && not > 0);
}
