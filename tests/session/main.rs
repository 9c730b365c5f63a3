//! Whole tests through a session: from text to final states and diagnostics.

mod bad_input;
mod c;
mod code;
mod corpus;
mod generate;
mod isa;
mod library;
mod pointer;
mod vm;

use std::sync::Arc;

use litmus::diag::{Color, render_all};
use litmus::outcome::{StateStyle, format_state};
use litmus::session::{Input, Session, Settings};
use litmus::variant::Variant;

/// What is said of a test.
struct Told {
    /// The state lines, then `positive negative`; none where there is no answer.
    lines: Vec<String>,
    flags: Vec<String>,
    messages: String,
}

fn told(text: &str, variants: &[&str], model: Option<&str>) -> Told {
    let input = Input::Text { name: "test".into(), text: Arc::from(text) };
    let variants = variants.iter().filter_map(|variant| Variant::parse(variant)).collect();
    let report = Session::new(Settings { variants, ..Settings::default() }).run(&input, model);
    let messages = render_all(&report.diagnostics, &report.sources, Color::Never);
    let Some(answer) = &report.answer else {
        return Told { lines: Vec::new(), flags: Vec::new(), messages };
    };
    let outcome = answer.outcome.as_ref().unwrap();
    let states = outcome.states.listed(&answer.test.program, usize::MAX);
    let mut lines: Vec<String> =
        states.map(|(state, _)| format_state(&state, &answer.test, &StateStyle::default())).collect();
    lines.push(format!("{} {}", outcome.positive, outcome.negative));
    let flags = outcome.flags.iter().map(|flag| format!("flag {flag}")).collect();
    Told { lines, flags, messages }
}
