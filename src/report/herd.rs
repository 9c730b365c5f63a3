//! One test's block of herd7's log, line for line. Compatibility with herd7's text lives here and in
//! [`crate::outcome::format_state`], which [`Lines`] puts together from pieces.

use std::io::{self, Write};
use std::time::Duration;

use crate::condition::Quantifier;
use crate::litmus::{Hexa, Lowered};
use crate::outcome::{Lines, Outcome, StateStyle, Uncompleted};

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
    /// The time to print; none: no such line.
    pub time: Option<Duration>,
}

impl Default for Style {
    fn default() -> Style {
        Style { hexa: false, brackets: true, candidates: false, bad_flag: None, time: None }
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
    let mut lines = Lines::new(&outcome.states, test, state_style, usize::MAX);
    while let Some((line, _)) = lines.advance() {
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
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
        Quantifier::NotExists => (&outcome.negative, &outcome.positive),
        Quantifier::Exists | Quantifier::Forall => (&outcome.positive, &outcome.negative),
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
    let observation = outcome.observation(&test.condition).word();
    writeln!(out, "Observation {name} {observation} {} {}", outcome.positive, outcome.negative)?;
    let Uncompleted { states, executions } = &outcome.uncompleted;
    if *executions > 0 {
        writeln!(out, "Uncompleted {name} {executions}")?;
        let mut lines = Lines::new(states, test, state_style, usize::MAX);
        while let Some((line, _)) = lines.advance() {
            writeln!(out, "Uncompleted {line}")?;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Cut, CutBy};
    use crate::litmus::{LowerOptions, lower, parse};
    use crate::outcome::Count;
    use crate::program::Value;
    use crate::source::{Sources, Span};

    /// The block of a test with registers 0:EAX and location x, ending in the given states.
    fn block(condition: &str, states: &[[i128; 2]], change: impl FnOnce(&mut Outcome, &mut Style)) -> String {
        let mut sources = Sources::new();
        let text = format!("X86 SB\n{{}}\n P0 ;\n MOV EAX,[x] ;\nlocations [0:EAX; x;]\n{condition}\n");
        let source = sources.add("SB.litmus", text);
        let test = parse(&sources, source).expect("parses");
        let span = Span::new(test.source, 0, 1);
        let test = lower(&test, &LowerOptions::default()).expect("lowers");
        let mut outcome = Outcome::default();
        let mut listed = Vec::new();
        for state in states {
            let values = state.map(Value::Int).to_vec();
            let value = |wanted| {
                let index = test.shown.iter().position(|o| *o == wanted).expect("shown");
                values[index]
            };
            if test.condition.prop.holds(&value) {
                outcome.positive += 1;
            } else {
                outcome.negative += 1;
            }
            listed.push((values, Count::ONE));
        }
        outcome.states = listed.into_iter().collect();
        let mut style = Style::default();
        change(&mut outcome, &mut style);
        if style.candidates {
            outcome.cuts.push(Cut { thread: 0, label: "L0".to_string(), span, by: CutBy::Rounds });
        }
        let mut out = Vec::new();
        write_block(&mut out, &test, &outcome, &style).expect("writes to memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn an_allowed_test() {
        let states = [[1, 0], [-1, 2], [0, 1], [1, 0]];
        insta::assert_snapshot!(block("exists (0:EAX=1 /\\ x=0)", &states, |_, _| ()), @r"
        Test SB Allowed
        States 3
        0:EAX=-1; [x]=2;
        0:EAX=0; [x]=1;
        0:EAX=1; [x]=0;
        Ok
        Witnesses
        Positive: 2 Negative: 2
        Condition exists (0:EAX=1 /\ [x]=0)
        Observation SB Sometimes 2 2
        Hash=16aa875ff273062bf64b2a88fafd4d65
        ");
    }

    #[test]
    fn a_forbidden_test_counts_the_other_way_round() {
        insta::assert_snapshot!(block("~exists (x=1)", &[[0, 1], [0, 2], [0, 3]], |_, _| ()), @r"
        Test SB Forbidden
        States 3
        0:EAX=0; [x]=1;
        0:EAX=0; [x]=2;
        0:EAX=0; [x]=3;
        No
        Witnesses
        Positive: 2 Negative: 1
        Condition ~exists ([x]=1)
        Observation SB Sometimes 1 2
        Hash=16aa875ff273062bf64b2a88fafd4d65
        ");
    }

    #[test]
    fn a_required_test_without_executions_holds() {
        insta::assert_snapshot!(block("forall (x=1)", &[], |_, _| ()), @r"
        Test SB Required
        States 0
        Ok
        Witnesses
        Positive: 0 Negative: 0
        Condition forall ([x]=1)
        Observation SB Never 0 0
        Hash=16aa875ff273062bf64b2a88fafd4d65
        ");
    }

    #[test]
    fn loops_flags_candidates_time_and_hexadecimal() {
        let change = |outcome: &mut Outcome, style: &mut Style| {
            outcome.flags.extend(["race".to_string(), "deadlock".to_string()]);
            outcome.undefined = true;
            outcome.candidates = Some(12);
            *style = Style {
                hexa: true,
                brackets: false,
                candidates: true,
                time: Some(Duration::from_millis(1234)),
                ..Style::default()
            };
        };
        insta::assert_snapshot!(block("exists (x=-1)", &[[16, -1]], change), @r"
        Test SB Allowed
        States 1
        0:EAX=0x10; x=0xffffffff;
        Loop Undef
        Witnesses
        Positive: 1 Negative: 0
        Flag *undef*
        Flag deadlock
        Flag race
        Condition exists ([x]=0xffffffff)
        Observation SB Always 1 0
        Time SB 1.23
        Candidates SB 12
        Hash=16aa875ff273062bf64b2a88fafd4d65
        ");
    }

    #[test]
    fn a_bad_flag_makes_the_verdict_undefined() {
        let change = |outcome: &mut Outcome, style: &mut Style| {
            outcome.flags.insert("race".to_string());
            style.bad_flag = Some("race".to_string());
        };
        let text = block("exists (x=1)", &[[0, 1]], change);
        assert!(text.contains("\nUndef\n"), "{text}");
    }
}
