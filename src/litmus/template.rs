//! The text of a condition, with holes where the user's choices decide how things look.

use std::fmt::Write as _;

use crate::condition::Quantifier;
use crate::program::{Program, Type, Value, push_value};

/// Decimal or hexadecimal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hexa {
    /// Decimal.
    #[default]
    No,
    /// Hexadecimal.
    Yes,
}

/// A piece of a condition's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// As it stands.
    Text(String),
    /// A register of a thread.
    Register(u16, String),
    /// A global, shown in brackets.
    Global(String),
    /// A value.
    Value(Value),
}

/// A condition's text before the last decisions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Template {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// Width of numbers in bytes; what does not fit is shown in full.
    pub bytes: u8,
}

impl Template {
    /// Adds text as it stands.
    pub fn push(&mut self, text: &str) {
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Piece::Text(text.to_string()));
        }
    }

    /// Adds a register of a thread.
    pub fn push_register(&mut self, thread: u16, name: &str) {
        self.pieces.push(Piece::Register(thread, name.to_string()));
    }

    /// The whole condition, of which this is the proposition.
    pub fn quantified(self, quantifier: Quantifier) -> Template {
        let word = match quantifier {
            Quantifier::Exists => "exists (",
            Quantifier::NotExists => "~exists (",
            Quantifier::Forall => "forall (",
        };
        let mut result = Template::default();
        result.push(word);
        result.pieces.extend(self.pieces);
        result.push(")");
        result
    }

    /// The text as herd7 prints it.
    pub fn render(&self, program: &Program, hexa: Hexa) -> String {
        // Values are printed in full, whatever the type of what they are compared with.
        let bits = 8 * u32::from(self.bytes);
        let fits = |n: i128| (1..127).contains(&bits) && (-(1i128 << (bits - 1))..1i128 << bits).contains(&n);
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Register(thread, name) => {
                    let _ = write!(text, "{thread}:{name}");
                }
                Piece::Global(name) => text.extend(["[", name, "]"]),
                Piece::Value(value) => {
                    let bytes = if value.as_int().is_some_and(fits) { self.bytes } else { 16 };
                    push_value(&mut text, *value, Type { bytes, signed: true }, program, hexa == Hexa::Yes);
                }
            }
        }
        text
    }
}
