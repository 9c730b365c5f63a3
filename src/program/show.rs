//! Values as text.

use std::fmt::Write;

use super::{Program, Type, Value};

/// A value as its type shows it.
pub fn format_value(value: Value, ty: Type, program: &Program, hexa: bool) -> String {
    let mut text = String::new();
    push_value(&mut text, value, ty, program, hexa);
    text
}

/// Likewise, at the end of a text.
pub fn push_value(text: &mut String, value: Value, ty: Type, program: &Program, hexa: bool) {
    // Writing to a string does not fail.
    let _ = match value {
        Value::Int(_) => match ty.truncate(value) {
            Value::Int(n) if hexa => {
                let bits = 8 * u32::from(ty.bytes);
                let masked = if bits < 128 { n & ((1i128 << bits) - 1) } else { n };
                write!(text, "{masked:#x}")
            }
            Value::Int(n) if ty.bytes >= 16 && !ty.signed => write!(text, "{}", n as u128),
            Value::Int(n @ 0..=9) => text.write_char(char::from(b'0' + n as u8)),
            Value::Int(n) => write!(text, "{n}"),
            other => text.write_str(&program.show(other)),
        },
        Value::Code { thread, pc } => match program.label_at(thread.into(), pc.into()) {
            Some(label) => write!(text, "label:\"P{thread}:{label}\""),
            None if hexa => write!(text, "{:#x}", program.code_number(thread.into(), pc.into())),
            None => write!(text, "{}", program.code_number(thread.into(), pc.into())),
        },
        _ => text.write_str(&program.show(value)),
    };
}
