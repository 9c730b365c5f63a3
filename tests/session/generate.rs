//! What every generated test is: forbidden under SC, and possible at all.

use std::sync::Arc;

use litmus::explore::{Mode, Options};
use litmus::generate::{Dialect, Vocabulary, cycles};
use litmus::session::{Input, Session, Settings};

#[test]
fn generated_tests_are_forbidden_under_sc_and_not_by_their_own_text() {
    let explore = Options { mode: Mode::Check, ..Options::default() };
    let settings = |macros: Option<&str>| Settings {
        explore: explore.clone(),
        arch_check: false,
        macros: macros.map(str::to_string),
        ..Settings::default()
    };
    for dialect in Dialect::ALL {
        let session = Session::new(settings((dialect == Dialect::Kernel).then_some("lkmm.def")));
        // These two have so many of five that listing them takes seconds.
        let longest = if matches!(dialect, Dialect::C | Dialect::AArch64) { 4 } else { 5 };
        for size in 2..=longest {
            let all = cycles(&Vocabulary::all(dialect), size);
            // Some of each size: all kinds of edges are among them.
            let step = all.len() / 40 + 1;
            for test in all.iter().step_by(step).filter_map(|cycle| cycle.test(dialect)) {
                let input = Input::Text { name: test.name.clone(), text: Arc::from(test.text.as_str()) };
                for (model, allowed) in [("sc", false), ("minimal", true)] {
                    match session.allows(&input, model) {
                        Ok(found) => assert_eq!(found, allowed, "{model}\n{}", test.text),
                        Err(report) => panic!("{:?}\n{}", report.diagnostics, test.text),
                    }
                }
            }
        }
    }
}
