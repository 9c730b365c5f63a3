//! The condition of `#if`.

use super::token::{Kind, Token, string_bytes};
use super::{Preprocessor, headers};
use crate::diag::Diagnostic;
use crate::source::Span;

impl Preprocessor<'_> {
    /// Is it true?
    pub(super) fn condition(&mut self, line: &[Token], span: Span) -> Result<bool, Diagnostic> {
        let mut plain = Vec::new();
        let mut at = 0;
        while at < line.len() {
            let token = &line[at];
            if token.is("defined") || token.is("__has_include") {
                let parenthesis = line.get(at + 1).is_some_and(|t| t.is("("));
                let first = at + 1 + usize::from(parenthesis);
                if parenthesis && !line[at..].iter().any(|t| t.is(")")) {
                    return Err(Diagnostic::error("c::if", "this `(` is not closed")
                        .at(line[at + 1].span, "after `defined`"));
                }
                let end = match parenthesis {
                    true => line[at..].iter().position(|t| t.is(")")).map_or(line.len(), |n| at + n),
                    false => first + 1,
                };
                let name: String =
                    line[first.min(line.len())..end.min(line.len())].iter().map(|t| &*t.text).collect();
                let holds = match token.is("defined") {
                    true => self.macros.contains_key(name.as_str()),
                    false => headers::find(name.trim_matches(['<', '>', '"'])).is_some(),
                };
                let text = if holds { "1" } else { "0" };
                plain.push(Token { kind: Kind::Number, text: text.into(), ..token.clone() });
                at = end + usize::from(parenthesis);
            } else {
                plain.push(token.clone());
                at += 1;
            }
        }
        let tokens = self.expand(plain)?;
        let mut parser = Parser { tokens: &tokens, at: 0, span, unused: 0 };
        let value = parser.conditional()?;
        match parser.peek() {
            Some(token) => Err(parser.wrong(token.span)),
            None => Ok(value.holds()),
        }
    }
}

/// A number of `intmax_t`, or of `uintmax_t`: the preprocessor knows no others.
#[derive(Clone, Copy)]
struct Number {
    value: i128,
    unsigned: bool,
}

impl Number {
    /// Wrapped around to the 64 bits that it has.
    fn new(value: i128, unsigned: bool) -> Self {
        let value = if unsigned { i128::from(value as u64) } else { i128::from(value as i64) };
        Self { value, unsigned }
    }

    fn truth(holds: bool) -> Self {
        Self { value: i128::from(holds), unsigned: false }
    }

    fn holds(self) -> bool {
        self.value != 0
    }

    /// As the operand of an operator whose other one is of that kind.
    fn beside(self, other: Self) -> Self {
        Self::new(self.value, self.unsigned || other.unsigned)
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    span: Span,
    /// In how many parts it is that do not count.
    unused: usize,
}

/// Operators by precedence, loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn wrong(&self, span: Span) -> Diagnostic {
        Diagnostic::error("c::if", "this is no condition that the preprocessor can compute").at(span, "here")
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|t| t.is(text));
        self.at += usize::from(found);
        found
    }

    fn conditional(&mut self) -> Result<Number, Diagnostic> {
        let condition = self.level(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.part(condition.holds(), Self::conditional)?;
        if !self.eat(":") {
            return Err(self.wrong(self.span));
        }
        let otherwise = self.part(!condition.holds(), Self::conditional)?;
        Ok(if condition.holds() { then.beside(otherwise) } else { otherwise.beside(then) })
    }

    /// A part, which may not count.
    fn part(
        &mut self,
        counts: bool,
        parse: impl FnOnce(&mut Self) -> Result<Number, Diagnostic>,
    ) -> Result<Number, Diagnostic> {
        self.unused += usize::from(!counts);
        let value = parse(self);
        self.unused -= usize::from(!counts);
        value
    }

    fn level(&mut self, level: usize) -> Result<Number, Diagnostic> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|op| self.peek().is_some_and(|t| t.is(op))) {
            let span = self.tokens[self.at].span;
            self.at += 1;
            let counts = !matches!((*operator, left.holds()), ("||", true) | ("&&", false));
            let right = self.part(counts, |parser| parser.level(level + 1))?;
            if matches!(*operator, "/" | "%") && !right.holds() && self.unused == 0 {
                return Err(Diagnostic::error("c::if", "a division by zero in a condition").at(span, "here"));
            }
            left = computed(operator, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Number, Diagnostic> {
        let Some(token) = self.peek() else { return Err(self.wrong(self.span)) };
        self.at += 1;
        match (token.kind, &*token.text) {
            (_, "!") => Ok(Number::truth(!self.unary()?.holds())),
            (_, "~") => self.unary().map(|n| Number::new(!n.value, n.unsigned)),
            (_, "-") => self.unary().map(|n| Number::new(-n.value, n.unsigned)),
            (_, "+") => self.unary(),
            (_, "(") => {
                let value = self.conditional()?;
                if self.eat(")") { Ok(value) } else { Err(self.wrong(token.span)) }
            }
            (Kind::Number, text) => number(text).ok_or_else(|| self.wrong(token.span)),
            (Kind::Char, text) => {
                let bytes = string_bytes(text);
                Ok(Number::new(bytes.first().map_or(0, |byte| i128::from(*byte as i8)), false))
            }
            // A name that is no macro is 0; one that looks like a function call too.
            (Kind::Ident, name) => {
                if self.peek().is_some_and(|t| t.is("(")) {
                    let mut depth = 0;
                    while let Some(t) = self.peek() {
                        self.at += 1;
                        depth += i32::from(t.is("(")) - i32::from(t.is(")"));
                        if depth == 0 {
                            break;
                        }
                    }
                }
                Ok(Number::truth(name == "true"))
            }
            _ => Err(self.wrong(token.span)),
        }
    }
}

/// What an operator gives: unsigned where one of its operands is, as in the language.
fn computed(operator: &str, left: Number, right: Number) -> Number {
    let (a, b) = (left.beside(right).value, right.beside(left).value);
    let arithmetic = |value: i128| Number::new(value, left.unsigned || right.unsigned);
    // The count of a shift does not make what is shifted unsigned.
    let shifted = |value: Option<i128>| Number::new(value.unwrap_or(0), left.unsigned);
    let count = u32::try_from(right.value).ok().filter(|count| *count < 64);
    match operator {
        "||" => Number::truth(left.holds() || right.holds()),
        "&&" => Number::truth(left.holds() && right.holds()),
        "==" => Number::truth(a == b),
        "!=" => Number::truth(a != b),
        "<=" => Number::truth(a <= b),
        ">=" => Number::truth(a >= b),
        "<" => Number::truth(a < b),
        ">" => Number::truth(a > b),
        "<<" => shifted(count.map(|count| left.value << count)),
        ">>" => shifted(count.map(|count| left.value >> count)),
        "|" => arithmetic(a | b),
        "^" => arithmetic(a ^ b),
        "&" => arithmetic(a & b),
        "+" => arithmetic(a + b),
        "-" => arithmetic(a - b),
        "*" => arithmetic(a.wrapping_mul(b)),
        // In a part that does not count, a division by zero is harmless.
        "/" => arithmetic(a.checked_div(b).unwrap_or(0)),
        _ => arithmetic(a.checked_rem(b).unwrap_or(0)),
    }
}

/// An integer with its prefix. One that is unsigned says so, or is too large for the signed ones.
fn number(text: &str) -> Option<Number> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let unsigned = text[digits.len()..].contains(['u', 'U']);
    let value = if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i128::from_str_radix(digits, 16).ok()?
    } else if let Some(digits) = digits.strip_prefix("0b").or_else(|| digits.strip_prefix("0B")) {
        i128::from_str_radix(digits, 2).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        i128::from_str_radix(&digits[1..], 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(Number::new(value, unsigned || value > i128::from(i64::MAX)))
}
