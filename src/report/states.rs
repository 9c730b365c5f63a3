//! State lines of a result.

use std::collections::BTreeMap;

use crate::outcome::{Answer, Observable};
use crate::program::Value;

/// The state lines of an answer, in the order of `Outcome::states`.
pub fn lines(answer: &Answer) -> Vec<String> {
    let Some(outcome) = &answer.outcome else { return Vec::new() };
    let program = &answer.test.program;
    let show = |value: &Value| match value {
        Value::Int(n) => n.to_string(),
        Value::Addr { sym, .. } => program.symbols[sym.0 as usize].clone(),
        Value::Code { thread, pc } => format!("P{thread}+{pc}"),
    };
    let place = |observable: &Observable| match observable {
        Observable::Reg(thread, reg) => format!("{thread}:{}", program.regs.name(*reg)),
        Observable::Loc(loc) => format!("[{}]", program.locations[loc.0 as usize].name),
    };
    outcome
        .states
        .keys()
        .map(|values| {
            let cells = answer.test.shown.iter().zip(values);
            let cells: Vec<String> = cells.map(|(o, v)| format!("{}={};", place(o), show(v))).collect();
            cells.join(" ")
        })
        .collect()
}

/// The bindings of a state line: location to value.
pub fn bindings(line: &str) -> BTreeMap<String, String> {
    line.split(';')
        .filter_map(|part| part.trim().split_once('='))
        .map(|(place, value)| (place.to_string(), value.to_string()))
        .collect()
}
