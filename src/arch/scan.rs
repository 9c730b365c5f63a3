//! A scanner for one program cell: words, numbers and punctuation, each with its place.
//!
//! Shared by all instruction sets. It knows no syntax beyond tokens; blanks and `(* … *)` comments are skipped.

use super::errors;
use crate::diag::Diagnostic;
use crate::source::Span;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// A letter, `_` or `.`, then letters, digits, `_` and `.`.
    Word(&'a str),
    /// Decimal digits, or `0x` and hexadecimal ones. Never negative: a sign is punctuation.
    Number(i128),
    /// Anything else, one character.
    Punct(char),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(word) => f.write_str(word),
            Token::Number(number) => write!(f, "{number}"),
            Token::Punct(punct) => write!(f, "{punct}"),
        }
    }
}

/// A cell being read from left to right. Copy it to look ahead.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    span: Span,
    /// End of the last token taken, for spans of what was just read.
    last: usize,
}

impl<'a> Scanner<'a> {
    /// At the start of a cell whose text stands at `span`.
    pub fn new(text: &'a str, span: Span) -> Scanner<'a> {
        Scanner { text, at: 0, span, last: 0 }
    }

    /// Offset of the next token, to be given to [`Scanner::since`].
    pub fn mark(&self) -> usize {
        self.skip_blanks()
    }

    /// The span from a mark to the last token taken.
    pub fn since(&self, mark: usize) -> Span {
        self.span.sub(mark, self.last.saturating_sub(mark))
    }

    /// The span of the next token (empty, at the end, if there is none).
    pub fn here(&self) -> Span {
        let mut ahead = *self;
        let mark = ahead.mark();
        match ahead.next() {
            Some(_) => ahead.since(mark),
            None => self.span.sub(self.text.trim_end().len(), 0),
        }
    }

    /// The next token, not taken.
    pub fn peek(&self) -> Option<Token<'a>> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Takes the next token.
    #[allow(clippy::should_implement_trait)] // An iterator would borrow; callers interleave other methods.
    pub fn next(&mut self) -> Option<Token<'a>> {
        self.at = self.skip_blanks();
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let (token, len) = match *bytes.first()? {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => {
                let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
                let len = bytes.iter().position(|byte| !inside(byte)).unwrap_or(bytes.len());
                (Token::Word(&rest[..len]), len)
            }
            b'0'..=b'9' => number(rest),
            byte if byte.is_ascii() => (Token::Punct(char::from(byte)), 1),
            _ => {
                let first = rest.chars().next()?;
                (Token::Punct(first), first.len_utf8())
            }
        };
        self.at += len;
        self.last = self.at;
        Some(token)
    }

    /// Takes `punct` if it is next.
    pub fn eat(&mut self, punct: char) -> bool {
        // Asked of most cells in most places: nothing is read for the answer.
        let start = self.skip_blanks();
        let found = self.text[start..].starts_with(punct);
        if found {
            self.at = start + punct.len_utf8();
            self.last = self.at;
        }
        found
    }

    /// Takes `punct`, or says that it is missing.
    pub fn expect(&mut self, punct: char) -> Result<(), Diagnostic> {
        if self.eat(punct) { Ok(()) } else { Err(self.unexpected(&format!("`{punct}`"))) }
    }

    /// Takes a word.
    pub fn word(&mut self, wanted: &str) -> Result<(&'a str, Span), Diagnostic> {
        let mark = self.mark();
        match self.peek() {
            Some(Token::Word(word)) => {
                self.next();
                Ok((word, self.since(mark)))
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    /// Takes a label, which may have signs in it that no other word has: `L/1`, `$x`, `end-2`.
    pub fn label(&mut self, wanted: &str) -> Result<(&'a str, Span), Diagnostic> {
        let start = self.skip_blanks();
        let rest = &self.text[start..];
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '$')) {
            return Err(self.unexpected(wanted));
        }
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '/' | '-');
        let len = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        self.at = start + len;
        self.last = self.at;
        Ok((&rest[..len], self.since(start)))
    }

    /// Takes a number with an optional sign.
    pub fn number(&mut self, wanted: &str) -> Result<(i128, Span), Diagnostic> {
        let mark = self.mark();
        let mut ahead = *self;
        let negative = ahead.eat('-');
        if !negative {
            ahead.eat('+');
        }
        match ahead.next() {
            Some(Token::Number(value)) => {
                *self = ahead;
                Ok((if negative { -value } else { value }, self.since(mark)))
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    /// Takes a text in double quotes, and gives what stands between them.
    pub fn quoted(&mut self) -> Result<&'a str, Diagnostic> {
        let start = self.skip_blanks();
        let inner = self.text[start..].strip_prefix('"').and_then(|rest| Some(&rest[..rest.find('"')?]));
        let Some(inner) = inner else { return Err(self.unexpected("a text in double quotes")) };
        self.at = start + inner.len() + 2;
        self.last = self.at;
        Ok(inner)
    }

    /// What is left, as a list with commas between its members; it may be empty.
    pub fn comma_separated<T, E>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        let mut list = Vec::new();
        if self.at_end() {
            return Ok(list);
        }
        loop {
            list.push(one(self)?);
            if !self.eat(',') {
                return Ok(list);
            }
        }
    }

    /// Is nothing left?
    pub fn at_end(&self) -> bool {
        self.skip_blanks() == self.text.len()
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Diagnostic> {
        if self.at_end() { Ok(()) } else { Err(self.unexpected("the end of the instruction")) }
    }

    /// The next token is not what it should be.
    pub fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            Some(token) => format!("`{token}`"),
            None => "the end of the cell".to_string(),
        };
        errors::bad_operand(self.here(), format!("expected {wanted}, found {found}"), "here")
    }

    fn skip_blanks(&self) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            while at < bytes.len() && bytes[at].is_ascii_whitespace() {
                at += 1;
            }
            if !bytes[at..].starts_with(b"(*") {
                return at;
            }
            let mut depth = 0usize;
            while at < bytes.len() {
                if self.text.as_bytes()[at..].starts_with(b"(*") {
                    depth += 1;
                    at += 2;
                } else if self.text.as_bytes()[at..].starts_with(b"*)") {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        break;
                    }
                } else {
                    at += 1;
                }
            }
            // A comment that never ends reaches the end of the text, which is a character boundary.
        }
    }
}

/// The number at the start of `rest`, and its length. What overflows is cut to `i128::MAX`: out of every range.
fn number(rest: &str) -> (Token<'_>, usize) {
    let (digits, radix, prefix) = match rest.get(..2) {
        Some("0x" | "0X") if rest[2..].starts_with(|c: char| c.is_ascii_hexdigit()) => (&rest[2..], 16, 2),
        _ => (rest, 10, 0),
    };
    let len = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = i128::from_str_radix(&digits[..len], radix).unwrap_or(i128::MAX);
    (Token::Number(value), prefix + len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn scanner(text: &str) -> Scanner<'_> {
        Scanner::new(text, Span::new(SourceId(0), 10, 10 + text.len()))
    }

    #[test]
    fn cuts_a_cell_into_tokens_and_skips_comments() {
        let mut s = scanner("lr.w x5,(* a (* b *) *) -0x10(%y) (* open");
        let mut tokens = Vec::new();
        while let Some(token) = s.next() {
            tokens.push(token.to_string());
        }
        assert_eq!(tokens, ["lr.w", "x5", ",", "-", "16", "(", "%", "y", ")"]);
    }

    #[test]
    fn spans_point_at_what_was_read() {
        let mut s = scanner("sw x5, -4(x6)");
        s.next();
        s.next();
        s.next();
        let (value, span) = s.number("an offset").expect("a number");
        assert_eq!((value, span.start, span.end), (-4, 17, 19));
        assert_eq!(s.here().start, 19);
    }

    #[test]
    fn labels_have_more_signs_than_words() {
        let mut s = scanner(" $a/b-1.c , 2");
        let (name, span) = s.label("a label").expect("a label");
        assert_eq!((name, span.start, span.end), ("$a/b-1.c", 11, 19));
        assert_eq!(s.next(), Some(Token::Punct(',')));
        assert!(s.label("a label").is_err());
        assert_eq!(s.next(), Some(Token::Number(2)));
    }

    #[test]
    fn numbers_too_large_do_not_panic() {
        let mut s = scanner("99999999999999999999999999999999999999999999999999");
        assert_eq!(s.next(), Some(Token::Number(i128::MAX)));
    }
}
