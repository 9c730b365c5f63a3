//! Final states as text.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write;

use crate::condition::{Observable, type_of};
use crate::litmus::{Lowered, Shown, ShownKind};
use crate::program::{Assumptions, Oa, Program, Pte, Sym, Type, Value, push_value};

/// How values and locations look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateStyle {
    /// Numbers in hexadecimal.
    pub hexa: bool,
    /// Globals in brackets.
    pub brackets: bool,
}

impl Default for StateStyle {
    fn default() -> StateStyle {
        StateStyle { hexa: false, brackets: true }
    }
}

/// A state line: `0:EAX=0; [x]=1;`. `values` are those of `Lowered::shown`.
pub fn format_state(values: &[Value], test: &Lowered, style: &StateStyle) -> String {
    let mut line = String::new();
    for shown in &test.display {
        if !line.is_empty() {
            line.push(' ');
        }
        push_binding(&mut line, values, shown, test, style);
    }
    push_rest(&mut line, values, test);
    line
}

/// What a state line says of no place.
pub(super) fn push_rest(line: &mut String, values: &[Value], test: &Lowered) {
    push_faults(line, values, test);
    push_assumptions(line, values, test);
}

/// The faults that happened, then those that the test asks for and that did not; a blank before all that.
fn push_faults(line: &mut String, values: &[Value], test: &Lowered) {
    let asked = &test.program.faults;
    if asked.patterns.is_empty() {
        return;
    }
    let set = fault_set(values, test);
    let happened: Vec<String> =
        asked.of(set).iter().map(|fault| format!("Fault({});", asked.show(fault))).collect();
    line.push(' ');
    line.push_str(&happened.join(" "));
    for (index, pattern) in asked.patterns.iter().enumerate() {
        if !asked.holds(set, index) {
            let _ = write!(line, " ~Fault({});", pattern.text);
        }
    }
}

/// What is assumed of signatures; a blank before each equation.
fn push_assumptions(line: &mut String, values: &[Value], test: &Lowered) {
    if let Some(at) = test.shown.iter().position(|observable| *observable == Observable::Assumed) {
        let assumed = Assumptions::of(values.get(at).and_then(|value| value.as_int()).unwrap_or(0));
        for equation in assumed.show(&test.program) {
            let _ = write!(line, " {equation};");
        }
    }
}

/// The value of something in a final state, as far as it is shown.
pub fn shown_value(values: &[Value], test: &Lowered, wanted: Observable) -> Value {
    if let Observable::Fault(pattern) = wanted {
        return Value::Int(test.program.faults.holds(fault_set(values, test), usize::from(pattern)).into());
    }
    let at = test.shown.iter().position(|shown| *shown == wanted);
    at.and_then(|at| values.get(at).copied()).unwrap_or(Value::ZERO)
}

/// The set of faults of a state.
fn fault_set(values: &[Value], test: &Lowered) -> i128 {
    let position = test.shown.iter().position(|observable| *observable == Observable::Faults);
    position.and_then(|at| values.get(at)?.as_int()).unwrap_or(0)
}

/// The bindings of a state: what it shows, each with its value.
pub fn bindings(values: &[Value], test: &Lowered, style: &StateStyle) -> BTreeMap<String, String> {
    let binding = |shown: &Shown| {
        let (mut place, mut value) = (String::new(), String::new());
        push_place(&mut place, shown, style);
        push_shown(&mut value, values, shown, test, style);
        (place, value)
    };
    test.display.iter().map(binding).collect()
}

/// The value of one place, or the values of an array.
pub(super) fn push_binding(
    line: &mut String,
    values: &[Value],
    shown: &Shown,
    test: &Lowered,
    style: &StateStyle,
) {
    push_place(line, shown, style);
    line.push('=');
    push_shown(line, values, shown, test, style);
    line.push(';');
}

fn push_place(line: &mut String, shown: &Shown, style: &StateStyle) {
    match &shown.kind {
        ShownKind::Register { thread, name } => {
            let _ = write!(line, "{thread}:");
            line.push_str(name);
        }
        ShownKind::Global(name) if style.brackets => {
            line.push('[');
            line.push_str(name);
            line.push(']');
        }
        ShownKind::Global(name) | ShownKind::Element(name) | ShownKind::Array { name, .. } => {
            line.push_str(name);
        }
    }
}

fn push_shown(line: &mut String, values: &[Value], shown: &Shown, test: &Lowered, style: &StateStyle) {
    let push = |line: &mut String, index: usize| {
        let observable = test.shown.get(index);
        let ty = observable.map_or(Type::INT, |observable| type_of(&test.program, *observable));
        if let Some(value) = values.get(index) {
            push_value(line, *value, ty, &test.program, style.hexa);
        }
    };
    let len = match &shown.kind {
        ShownKind::Array { len, .. } if shown.place().is_none() => *len,
        _ => return push(line, shown.first),
    };
    line.push('{');
    for index in shown.first..shown.first + len {
        if index > shown.first {
            line.push(',');
        }
        push(line, index);
    }
    line.push('}');
}

/// Integers by value, then instructions (`NOP` first), then code by label, then addresses by name, then what only some machines have.
pub(super) fn compare(a: Value, b: Value, program: &Program) -> Ordering {
    let rank = |value: Value| match value {
        Value::Int(_) => 0,
        Value::Instr(_) => 1,
        Value::Code { .. } => 2,
        Value::Addr { .. } => 3,
        Value::Signed { .. } | Value::Tagged { .. } => 4,
        Value::Tag(_) => 5,
        Value::Phys { .. } => 6,
        Value::PteAddr(_) | Value::TableAddr(_) | Value::Page(_) | Value::TagAddr { .. } => 7,
        Value::Pte(_) => 8,
        Value::Translated(_) => 9,
    };
    let name = |sym: Sym| program.symbol(sym);
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Addr { sym: a, offset: from }, Value::Addr { sym: b, offset: to })
        | (Value::Phys { sym: a, offset: from }, Value::Phys { sym: b, offset: to })
        | (Value::TagAddr { sym: a, offset: from }, Value::TagAddr { sym: b, offset: to }) => {
            name(a).cmp(name(b)).then(from.cmp(&to))
        }
        (Value::Instr(a), Value::Instr(b)) => {
            let text = |number: u16| program.instructions.get(usize::from(number)).map(String::as_str);
            let order = |number: u16| (text(number) != Some("NOP"), text(number));
            order(a).cmp(&order(b))
        }
        (Value::Tagged { sym: a, tag: s, offset: from }, Value::Tagged { sym: b, tag: t, offset: to }) => {
            name(a).cmp(name(b)).then(program.tag(s).cmp(program.tag(t))).then(from.cmp(&to))
        }
        (Value::Tag(a), Value::Tag(b)) => program.tag(a).cmp(program.tag(b)),
        (Value::Code { thread: a, pc: from }, Value::Code { thread: b, pc: to }) => (a, from).cmp(&(b, to)),
        (Value::PteAddr(a), Value::PteAddr(b)) | (Value::Page(a), Value::Page(b)) => name(a).cmp(name(b)),
        (Value::Pte(a), Value::Pte(b)) => compare_entries(&a, &b, program),
        (a, b) => rank(a).cmp(&rank(b)).then_with(|| a.cmp(&b)),
    }
}

/// Entries by their fields, output addresses by name.
fn compare_entries(a: &Pte, b: &Pte, program: &Program) -> Ordering {
    let output = |oa: Oa| match oa {
        Oa::Empty => (0, ""),
        Oa::Phys(sym) => (1, program.symbol(sym)),
        Oa::Pte(sym) => (2, program.symbol(sym)),
    };
    let same = |pte: &Pte| Pte { oa: Oa::Empty, ..*pte };
    (a.executable, a.attrs, output(a.oa))
        .cmp(&(b.executable, b.attrs, output(b.oa)))
        .then_with(|| same(a).cmp(&same(b)))
}
