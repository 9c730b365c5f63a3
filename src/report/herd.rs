//! One test's block of herd7's log, line for line. Compatibility with herd7's text lives here and in
//! [`crate::outcome::format_state`].

use std::io::{self, Write};
use std::time::Duration;

use crate::litmus::{Hexa, Lowered};
use crate::outcome::{Outcome, Quantifier, StateStyle, format_state, sorted_states};

/// What the user may change about a block.
#[derive(Clone, Debug)]
pub struct Style {
    /// Numbers in hexadecimal.
    pub hexa: bool,
    /// Globals in brackets in state lines.
    pub brackets: bool,
    /// Print the number of candidates, if it is known.
    pub candidates: bool,
    /// A flag that makes the verdict `Undef`.
    pub bad_flag: Option<String>,
    /// Only executions that matter to the condition were kept: `Always` and `Never` must not be read off the counts alone.
    pub speedcheck: bool,
    /// The time to print; none: no such line.
    pub time: Option<Duration>,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            hexa: false,
            brackets: true,
            candidates: false,
            bad_flag: None,
            speedcheck: false,
            time: None,
        }
    }
}

/// Writes the block of a test that was run.
///
/// # Errors
/// Those of `out`.
pub fn write_block(out: &mut dyn Write, test: &Lowered, outcome: &Outcome, style: &Style) -> io::Result<()> {
    let name = &test.name;
    let quantifier = test.condition.quantifier;
    let kind = match quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    writeln!(out, "Test {name} {kind}")?;
    writeln!(out, "States {}", outcome.states.len())?;
    let state_style = StateStyle { hexa: style.hexa, brackets: style.brackets };
    for values in sorted_states(outcome.states.keys(), &test.program) {
        writeln!(out, "{}", format_state(values, test, &state_style))?;
    }
    let cut = if outcome.cuts.is_empty() { "" } else { "Loop " };
    let bad = style.bad_flag.as_ref().is_some_and(|flag| outcome.flags.contains(flag));
    let verdict = match (outcome.undefined || bad, outcome.holds(&test.condition)) {
        (true, _) => "Undef",
        (false, true) => "Ok",
        (false, false) => "No",
    };
    writeln!(out, "{cut}{verdict}")?;
    writeln!(out, "Witnesses")?;
    let (positive, negative) = match quantifier {
        Quantifier::NotExists => (outcome.negative, outcome.positive),
        Quantifier::Exists | Quantifier::Forall => (outcome.positive, outcome.negative),
    };
    writeln!(out, "Positive: {positive} Negative: {negative}")?;
    let undefined = outcome.undefined.then_some("*undef*");
    for flag in undefined.into_iter().chain(outcome.flags.iter().map(String::as_str)) {
        writeln!(out, "Flag {flag}")?;
    }
    if style.hexa {
        writeln!(out, "Condition {}", test.condition_template.render(&test.program, Hexa::Yes))?;
    } else {
        writeln!(out, "Condition {}", test.condition_text)?;
    }
    let observation = match (outcome.positive, outcome.negative) {
        // What was left out would have been of the other kind.
        (_, 0) if style.speedcheck && quantifier == Quantifier::Forall => "Always",
        (1.., _) | (_, 1..) if style.speedcheck => "Sometimes",
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    writeln!(out, "Observation {name} {observation} {} {}", outcome.positive, outcome.negative)?;
    if let Some(time) = style.time {
        writeln!(out, "Time {name} {:.2}", time.as_secs_f64())?;
    }
    if let Some(candidates) = outcome.candidates.filter(|_| style.candidates) {
        writeln!(out, "Candidates {name} {candidates}")?;
    }
    for hash in &test.hashes {
        writeln!(out, "Hash={hash}")?;
    }
    writeln!(out)
}
