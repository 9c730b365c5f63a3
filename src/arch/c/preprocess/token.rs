//! Preprocessing tokens, and cutting a file into them.

use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Ident,
    /// A number as the preprocessor has it: what is wrong with it is found later.
    Number,
    Char,
    Str,
    Punct,
    /// A character that C has no use for.
    Other,
    End,
}

/// A token. Its span is in the file of the user: for what a macro makes, the place where the macro is used.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// As written.
    pub text: Arc<str>,
    /// Where.
    pub span: Span,
    /// Is there white space before it?
    pub space: bool,
    /// Is it the first of its line?
    pub first: bool,
    /// Macros that it came from, and that it must not name again.
    pub hidden: Vec<Arc<str>>,
}

impl Token {
    /// Is it that punctuation mark or word?
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Punct | Kind::Ident) && &*self.text == text
    }
}

/// Punctuation marks, longest first.
const MARKS: [&str; 50] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=",
    "+=", "-=", "&=", "^=", "|=", "##", "[", "]", "(", ")", "{", "}", ".", "&", "*", "+", "-", "~", "!", "/",
    "%", "<", ">", "^", "|", "?", ":", ";", "=", ",", "#", "@", "\\",
];

/// Cuts a file into tokens; comments and joined lines are white space.
///
/// # Errors
/// A comment, string or character that does not end.
pub fn tokens(source: SourceId, text: &str) -> Result<Vec<Token>, Diagnostic> {
    let mut lexer = Lexer { source, text, bytes: text.as_bytes(), at: 0, space: false, first: true };
    let mut all = Vec::new();
    while let Some(token) = lexer.next()? {
        all.push(token);
    }
    Ok(all)
}

struct Lexer<'a> {
    source: SourceId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    space: bool,
    first: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// A backslash at the end of a line joins it with the next: how many bytes that is.
    fn joint(&self, at: usize) -> usize {
        match (self.bytes.get(at), self.bytes.get(at + 1), self.bytes.get(at + 2)) {
            (Some(b'\\'), Some(b'\n'), _) => 2,
            (Some(b'\\'), Some(b'\r'), Some(b'\n')) => 3,
            _ => 0,
        }
    }

    fn blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            let joint = self.joint(self.at);
            if joint > 0 {
                self.at += joint;
                self.space = true;
                continue;
            }
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.first = true;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += self.joint(self.at).max(1);
                    }
                }
                (b'/', b'*') => {
                    let start = self.at;
                    match self.text[self.at + 2..].find("*/") {
                        Some(length) => self.at += length + 4,
                        None => {
                            return Err(Diagnostic::error("c::comment", "this comment does not end")
                                .at(Span::new(self.source, start, start + 2), "starts here"));
                        }
                    }
                }
                _ => return Ok(()),
            }
            self.space = true;
        }
    }

    fn next(&mut self) -> Result<Option<Token>, Diagnostic> {
        crate::limits::poll();
        self.blank()?;
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        let here = self.peek(0);
        let kind = if here.is_ascii_alphabetic() || here == b'_' || here == b'$' || here >= 0x80 {
            match (here, self.peek(1), self.peek(2)) {
                (b'L' | b'u' | b'U', quote @ (b'"' | b'\''), _) => {
                    self.at += 1;
                    self.quoted(quote, start)?
                }
                (b'u', b'8', b'"') => {
                    self.at += 2;
                    self.quoted(b'"', start)?
                }
                _ => {
                    self.run(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80);
                    Kind::Ident
                }
            }
        } else if here.is_ascii_digit() || here == b'.' && self.peek(1).is_ascii_digit() {
            self.number();
            Kind::Number
        } else if here == b'"' || here == b'\'' {
            self.quoted(here, start)?
        } else if let Some(mark) = MARKS.iter().find(|mark| self.text[self.at..].starts_with(**mark)) {
            self.at += mark.len();
            Kind::Punct
        } else {
            self.at += 1;
            Kind::Other
        };
        let written = &self.text[start..self.at];
        let text: Arc<str> = match written.contains('\\') {
            true => written.replace("\\\r\n", "").replace("\\\n", "").into(),
            false => written.into(),
        };
        let token = Token {
            kind,
            text,
            span: Span::new(self.source, start, self.at),
            space: self.space,
            first: self.first,
            hidden: Vec::new(),
        };
        (self.space, self.first) = (false, false);
        Ok(Some(token))
    }

    fn run(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() {
            let joint = self.joint(self.at);
            if joint > 0 {
                self.at += joint;
            } else if belongs(self.peek(0)) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn number(&mut self) {
        while self.at < self.bytes.len() {
            let here = self.peek(0);
            if matches!(here, b'e' | b'E' | b'p' | b'P') && matches!(self.peek(1), b'+' | b'-') {
                self.at += 2;
            } else if here.is_ascii_alphanumeric() || here == b'.' || here == b'_' {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn quoted(&mut self, quote: u8, start: usize) -> Result<Kind, Diagnostic> {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\\' if self.at + 1 < self.bytes.len() => {
                    self.at += 2;
                    while !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                }
                b'\n' | 0 if self.at >= self.bytes.len() || self.peek(0) == b'\n' => {
                    let what = if quote == b'"' { "string" } else { "character" };
                    return Err(Diagnostic::error(
                        "c::quote",
                        format!("this {what} does not end on its line"),
                    )
                    .at(Span::new(self.source, start, self.at), "starts here"));
                }
                here => {
                    self.at += 1;
                    if here == quote {
                        return Ok(if quote == b'"' { Kind::Str } else { Kind::Char });
                    }
                }
            }
        }
    }
}

/// The bytes of a string or character, quotes and escapes taken away.
pub fn string_bytes(text: &str) -> Vec<u8> {
    let quote = text.find(['"', '\'']).unwrap_or(0);
    let inner = text[quote + 1..].strip_suffix(['"', '\'']).unwrap_or("").as_bytes();
    let mut bytes = Vec::new();
    let mut at = 0;
    while at < inner.len() {
        if inner[at] != b'\\' {
            bytes.push(inner[at]);
            at += 1;
            continue;
        }
        at += 1;
        let escape = inner.get(at).copied().unwrap_or(b'\\');
        at += 1;
        match escape {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'v' => bytes.push(11),
            b'e' => bytes.push(27),
            b'x' => {
                let digits = inner[at..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
                let text = std::str::from_utf8(&inner[at..at + digits]).unwrap_or("0");
                bytes.push(u64::from_str_radix(text, 16).unwrap_or(0) as u8);
                at += digits;
            }
            b'0'..=b'7' => {
                let digits =
                    inner[at - 1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(*b)).count();
                let text = std::str::from_utf8(&inner[at - 1..at - 1 + digits]).unwrap_or("0");
                bytes.push(u32::from_str_radix(text, 8).unwrap_or(0) as u8);
                at += digits - 1;
            }
            other => bytes.push(other),
        }
    }
    bytes
}
