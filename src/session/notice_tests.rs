//! What is passed over without a search is the same with it.

use std::path::Path;

use super::coverage::begin;
use super::notice::{Asking, Asks, Seen};
use super::{Input, Session, Settings};
use crate::explore::{Mode, Options};

/// Asks tests about all changes of a model, with and without a look at what can matter to them.
fn passed_over_is_not_noticed(model: &str, folder: &str, every: usize) -> (usize, usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = match Path::new(folder).is_absolute() {
        true => folder.into(),
        false => root.join(folder),
    };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "litmus"));
    files.sort();
    let inputs: Vec<Input> = files.into_iter().map(Input::File).collect();
    let explore = Options { mode: Mode::States, ..Options::default() };
    let base = Session::new(Settings { explore, ..Settings::default() });
    let Ok(begun) = begin(&base, model, &inputs, 1) else { panic!("{model}") };
    let (mut pairs, mut noticed) = (0, 0);
    let all: Vec<usize> = (0..begun.changes.len()).collect();
    for (key, tests) in begun.kinds() {
        let mut asking = Asking::new(&base, model, &begun.changes, key, &all, 1);
        let differ = asking.differ.clone();
        let names =
            |seen: Vec<(usize, Seen)>| -> Vec<usize> { seen.into_iter().map(|(change, _)| change).collect() };
        let tests: Vec<_> = tests.into_iter().step_by(every).collect();
        let ask = |asking: &Asking| -> Vec<Vec<usize>> {
            tests.iter().map(|test| names(asking.noticed(test, &differ, Asks::Outcomes))).collect()
        };
        let quickly = ask(&asking);
        asking.joined = None;
        let slowly = ask(&asking);
        for ((quickly, slowly), test) in quickly.iter().zip(&slowly).zip(&tests) {
            assert_eq!(quickly, slowly, "{} under {model}", test.name);
        }
        pairs += differ.len() * tests.len();
        noticed += slowly.iter().flatten().count();
    }
    (pairs, noticed)
}

#[test]
fn what_cannot_matter_is_not_noticed() {
    // Of `LITMUS_COVERAGE=MODEL:FOLDER:EVERY` those that it names.
    let asked = std::env::var("LITMUS_COVERAGE").unwrap_or_default();
    if let [model, folder, every] = asked.split(':').collect::<Vec<_>>()[..] {
        let (pairs, noticed) = passed_over_is_not_noticed(model, folder, every.parse().unwrap());
        println!("{model}: {noticed} of {pairs} pairs of a change and a test are noticed");
        return;
    }
    for (model, folder, every) in
        [("x86tso", "litmus", 6), ("rc11", "litmus", 30), ("ppc", "litmus", 30), ("lkmm", "tests/kernel", 8)]
    {
        let (pairs, noticed) = passed_over_is_not_noticed(model, folder, every);
        assert!(noticed > 0 && noticed < pairs, "{model}: {noticed} of {pairs}");
    }
}
