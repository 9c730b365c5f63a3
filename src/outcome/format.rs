//! Final states as text.

use crate::litmus::{Lowered, Shown, ShownKind};
use crate::program::{Program, Type, Value};

use super::Observable;

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

/// The declared type of something observed: `int` unless the test says otherwise.
pub fn type_of(program: &Program, observable: Observable) -> Type {
    match observable {
        Observable::Reg(thread, reg) => {
            let declared = program.reg_types.iter().find(|(t, r, _)| (*t, *r) == (thread as usize, reg));
            declared.map_or(Type::INT, |(_, _, ty)| *ty)
        }
        Observable::Loc(loc) => program.locations.get(loc.0 as usize).map_or(Type::INT, |l| l.ty),
    }
}

/// A value as its type shows it.
pub fn format_value(value: Value, ty: Type, program: &Program, hexa: bool) -> String {
    match value {
        Value::Int(_) => match ty.truncate(value) {
            Value::Int(n) if hexa => {
                let bits = 8 * u32::from(ty.bytes);
                let masked = if bits < 128 { n & ((1i128 << bits) - 1) } else { n };
                format!("{masked:#x}")
            }
            Value::Int(n) if ty.bytes >= 16 && !ty.signed => (n as u128).to_string(),
            Value::Int(n) => n.to_string(),
            other => program.show(other),
        },
        Value::Code { .. } => format!("label:\"{}\"", program.show(value)),
        Value::Addr { .. } => program.show(value),
    }
}

/// A state line: `0:EAX=0; [x]=1;`. `values` are those of `Lowered::shown`.
pub fn format_state(values: &[Value], test: &Lowered, style: &StateStyle) -> String {
    let mut line = String::new();
    for shown in &test.display {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&binding(values, shown, test, style));
    }
    if !test.faults.is_empty() {
        // None of them can have happened; herd7 leaves a blank for those that have.
        line.push(' ');
        for fault in &test.faults {
            line.push_str(&format!(" ~Fault({fault});"));
        }
    }
    line
}

fn binding(values: &[Value], shown: &Shown, test: &Lowered, style: &StateStyle) -> String {
    let value = |index: usize| {
        let observable = test.shown.get(index);
        let ty = observable.map_or(Type::INT, |observable| type_of(&test.program, *observable));
        values
            .get(index)
            .map_or_else(String::new, |value| format_value(*value, ty, &test.program, style.hexa))
    };
    match &shown.kind {
        ShownKind::Register { thread, name } => format!("{thread}:{name}={};", value(shown.first)),
        ShownKind::Global(name) if style.brackets => format!("[{name}]={};", value(shown.first)),
        ShownKind::Global(name) | ShownKind::Element(name) => format!("{name}={};", value(shown.first)),
        ShownKind::Array { name, len } => {
            let values: Vec<String> = (shown.first..shown.first + len).map(value).collect();
            format!("{name}={{{}}};", values.join(","))
        }
    }
}

/// States in the order of a log: by their values in display order, addresses by name.
pub fn sorted_states<'a>(
    states: impl IntoIterator<Item = &'a Vec<Value>>,
    program: &Program,
) -> Vec<&'a Vec<Value>> {
    let mut states: Vec<&Vec<Value>> = states.into_iter().collect();
    states.sort_by_cached_key(|values| {
        values.iter().map(|value| sort_key(*value, program)).collect::<Vec<_>>()
    });
    states
}

/// Integers by value, then addresses by name, then code.
fn sort_key(value: Value, program: &Program) -> (u8, i128, String, i64) {
    match value {
        Value::Int(n) => (0, n, String::new(), 0),
        Value::Addr { sym, offset } => {
            (1, 0, program.symbols.get(sym.0 as usize).cloned().unwrap_or_default(), offset)
        }
        Value::Code { thread, pc } => (2, i128::from(thread), String::new(), i64::from(pc)),
    }
}
