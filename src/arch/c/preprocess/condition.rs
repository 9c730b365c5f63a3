//! The condition of `#if`.

use super::token::{Kind, Token};
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
            None => Ok(value != 0),
        }
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

    fn conditional(&mut self) -> Result<i128, Diagnostic> {
        let condition = self.level(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.part(condition != 0, Self::conditional)?;
        if !self.eat(":") {
            return Err(self.wrong(self.span));
        }
        let otherwise = self.part(condition == 0, Self::conditional)?;
        Ok(if condition != 0 { then } else { otherwise })
    }

    /// A part, which may not count.
    fn part(
        &mut self,
        counts: bool,
        parse: impl FnOnce(&mut Self) -> Result<i128, Diagnostic>,
    ) -> Result<i128, Diagnostic> {
        self.unused += usize::from(!counts);
        let value = parse(self);
        self.unused -= usize::from(!counts);
        value
    }

    fn level(&mut self, level: usize) -> Result<i128, Diagnostic> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|op| self.peek().is_some_and(|t| t.is(op))) {
            let span = self.tokens[self.at].span;
            self.at += 1;
            let counts = !matches!((*operator, left != 0), ("||", true) | ("&&", false));
            let right = self.part(counts, |parser| parser.level(level + 1))?;
            if matches!(*operator, "/" | "%") && right == 0 && self.unused == 0 {
                return Err(Diagnostic::error("c::if", "a division by zero in a condition").at(span, "here"));
            }
            left = match *operator {
                "||" => i128::from(left != 0 || right != 0),
                "&&" => i128::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i128::from(left == right),
                "!=" => i128::from(left != right),
                "<=" => i128::from(left <= right),
                ">=" => i128::from(left >= right),
                "<" => i128::from(left < right),
                ">" => i128::from(left > right),
                "<<" => left.checked_shl(right as u32).unwrap_or(0),
                ">>" => left.checked_shr(right as u32).unwrap_or(0),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                // In a part that does not count, a division by zero is harmless.
                "/" => left.checked_div(right).unwrap_or(0),
                _ => left.checked_rem(right).unwrap_or(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i128, Diagnostic> {
        let Some(token) = self.peek() else { return Err(self.wrong(self.span)) };
        self.at += 1;
        match (token.kind, &*token.text) {
            (_, "!") => Ok(i128::from(self.unary()? == 0)),
            (_, "~") => Ok(!self.unary()?),
            (_, "-") => Ok(-self.unary()?),
            (_, "+") => self.unary(),
            (_, "(") => {
                let value = self.conditional()?;
                if self.eat(")") { Ok(value) } else { Err(self.wrong(token.span)) }
            }
            (Kind::Number, text) => number(text).ok_or_else(|| self.wrong(token.span)),
            (Kind::Char, text) => Ok(text.as_bytes().get(1).map_or(0, |byte| i128::from(*byte))),
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
                Ok(i128::from(name == "true"))
            }
            _ => Err(self.wrong(token.span)),
        }
    }
}

/// An integer with its prefix; suffixes change nothing here.
fn number(text: &str) -> Option<i128> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i128::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = text.strip_prefix("0b").or_else(|| text.strip_prefix("0B")) {
        return i128::from_str_radix(digits, 2).ok();
    }
    match text.len() > 1 && text.starts_with('0') {
        true => i128::from_str_radix(&text[1..], 8).ok(),
        false => text.parse().ok(),
    }
}
