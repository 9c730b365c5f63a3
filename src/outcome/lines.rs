//! The lines of many states: a binding is written once for each value that a place has, not once for each state.

use crate::condition::Observable;
use crate::litmus::Lowered;
use crate::program::Value;

use super::format::{StateStyle, push_binding, push_rest};
use super::{Count, States};

/// The lines of states, in the order of a log.
pub struct Lines<'l> {
    states: &'l States,
    test: &'l Lowered,
    style: StateStyle,
    order: std::vec::IntoIter<u32>,
    /// Bindings that may be needed again, one after the other, each with a blank before it.
    text: String,
    /// Where each of them stands there, by place shown and number of the value; an empty range: it is not written yet.
    pieces: Vec<(u32, u32)>,
    /// Values that there are pieces for.
    kept: usize,
    /// Does a line say more than what places hold: faults, assumptions?
    rest: bool,
    line: String,
}

impl<'l> Lines<'l> {
    /// Where states have more values than that, bindings are not kept.
    const VALUES: usize = 256;

    /// Of the first `most` states of a test.
    pub fn new(states: &'l States, test: &'l Lowered, style: StateStyle, most: usize) -> Lines<'l> {
        let kept = Some(states.values().len()).filter(|values| *values <= Lines::VALUES).unwrap_or(0);
        Lines {
            states,
            test,
            style,
            order: states.display_order(&test.program, most).into_iter(),
            text: String::new(),
            pieces: vec![(0, 0); test.display.len() * kept],
            kept,
            rest: !test.program.faults.patterns.is_empty() || test.shown.contains(&Observable::Assumed),
            line: String::new(),
        }
    }

    /// The next line, without its end, and how many executions have that state.
    pub fn advance(&mut self) -> Option<(&str, Count)> {
        let at = self.order.next()? as usize;
        self.line.clear();
        // Only where something is to be written that is not kept.
        let mut state: Option<Vec<Value>> = None;
        for (place, shown) in self.test.display.iter().enumerate() {
            let values = || self.states.state(at);
            let number = shown.place().and_then(|place| self.states.number(at, place));
            match number.filter(|number| *number < self.kept) {
                None => {
                    let blank = if self.line.is_empty() { "" } else { " " };
                    self.line.push_str(blank);
                    push_binding(
                        &mut self.line,
                        state.get_or_insert_with(values),
                        shown,
                        self.test,
                        &self.style,
                    );
                }
                Some(number) => {
                    let piece = &mut self.pieces[place * self.kept + number];
                    if piece.0 == piece.1 {
                        piece.0 = self.text.len() as u32;
                        self.text.push(' ');
                        push_binding(
                            &mut self.text,
                            state.get_or_insert_with(values),
                            shown,
                            self.test,
                            &self.style,
                        );
                        piece.1 = self.text.len() as u32;
                    }
                    let from = piece.0 as usize + usize::from(self.line.is_empty());
                    self.line.push_str(&self.text[from..piece.1 as usize]);
                }
            }
        }
        if self.rest {
            push_rest(&mut self.line, &state.unwrap_or_else(|| self.states.state(at)), self.test);
        }
        Some((&self.line, self.states.count(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::litmus::{LowerOptions, lower, parse};
    use crate::outcome::format_state;
    use crate::source::Sources;

    /// Registers, a cell and an array, with values that are kept and more than are.
    #[test]
    fn as_each_state_for_itself() {
        let mut sources = Sources::new();
        let text = "C T\n{ int a[2]; }\nP0(int *x, int *y) { int r0 = *x; }\nlocations [0:r0; x; a; y;]\nexists (x=1)\n";
        let source = sources.add("T.litmus", text.to_string());
        let test = parse(&sources, source).expect("parses");
        let test = lower(&test, &LowerOptions::default()).expect("lowers");
        let width = test.shown.len();
        for most in [3, 400] {
            let state =
                |n: usize| (0..width).map(|at| Value::Int(((n * (at + 3)) % most) as i128 - 1)).collect();
            let states: States = (0..700).map(|n| (state(n), Count::from(n as u64 + 1))).collect();
            for style in [StateStyle::default(), StateStyle { hexa: true, brackets: false }] {
                let each = states.listed(&test.program, 500);
                let each: Vec<_> =
                    each.map(|(state, count)| (format_state(&state, &test, &style), count)).collect();
                let mut lines = Lines::new(&states, &test, style, 500);
                for (line, count) in &each {
                    assert_eq!(lines.advance(), Some((line.as_str(), count.clone())));
                }
                assert_eq!(lines.advance(), None);
                assert!(each.len() > 1);
            }
        }
    }
}
