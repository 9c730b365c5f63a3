//! A few hundred small tests over all syntaxes, made here from classic shapes, with the answers that they must get.
//!
//! `answers.txt` holds, for each test under each model: the verdict, how many executions satisfy the proposition and how many do not, and how
//! many final states there are. They were measured once, held against the oracle, and, where the corpus has a test of that name, against what herd7
//! says of it. `LITMUS_ANSWERS=write cargo test --test conformance` writes the file anew: look at the difference.

mod shape;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use litmus::explore::Engine;
use litmus::session::{Input, Session, Settings, Verdict};

use shape::{Syntax, Test, tests};

/// What a test must say, as a line of the file says it.
fn answer(session: &Session, test: &Test, model: &str) -> String {
    let input = Input::Text { name: format!("{}.litmus", test.name), text: test.text.as_str().into() };
    let report = session.run(&input, Some(model));
    let Some(outcome) = report.outcome() else {
        panic!("{} under {model}:\n{}\n{:?}", test.name, test.text, report.diagnostics);
    };
    let verdict = report.verdict().map_or("?", Verdict::word);
    format!("{verdict} {} {} {}", outcome.positive, outcome.negative, outcome.states.len())
}

fn key(syntax: Syntax, test: &Test, model: &str) -> String {
    format!("{syntax:?} {model} {}", test.name)
}

/// The answers of a syntax, by key.
fn answers(syntax: Syntax, settings: &Settings) -> BTreeMap<String, String> {
    let session = Session::new(settings.clone());
    let mut all = BTreeMap::new();
    for test in tests(syntax) {
        for model in syntax.models() {
            let known = all.insert(key(syntax, &test, model), answer(&session, &test, model));
            assert_eq!(known, None, "{} is there twice", test.name);
        }
    }
    all
}

fn path() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/answers.txt")
}

#[test]
fn every_test_gets_the_answer_it_must_get() {
    let mut found = BTreeMap::new();
    for syntax in Syntax::ALL {
        found.extend(answers(syntax, &Settings::default()));
    }
    assert!(found.len() > 300, "{} tests", found.len());
    if std::env::var_os("LITMUS_ANSWERS").is_some_and(|word| word == "write") {
        let mut text = String::new();
        for (key, answer) in &found {
            let _ = writeln!(text, "{key}: {answer}");
        }
        std::fs::write(path(), text).expect("written");
        return;
    }
    let known = std::fs::read_to_string(path()).expect("answers");
    let known: BTreeMap<String, String> = known
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(key, answer)| (key.to_string(), answer.to_string()))
        .collect();
    let mut wrong = Vec::new();
    for (key, answer) in &found {
        match known.get(key) {
            Some(known) if known == answer => {}
            Some(known) => wrong.push(format!("{key}: {answer}, not {known}")),
            None => wrong.push(format!("{key}: {answer}, but no answer is known")),
        }
    }
    wrong.extend(
        known.keys().filter(|key| !found.contains_key(*key)).map(|key| format!("{key}: no such test")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_oracle_says_the_same() {
    let mut settings = Settings::default();
    settings.explore.engine = Engine::Naive;
    for syntax in Syntax::ALL {
        let plain = answers(syntax, &settings);
        let fast = answers(syntax, &Settings::default());
        for (key, answer) in plain {
            assert_eq!(fast.get(&key), Some(&answer), "{key}");
        }
    }
}
