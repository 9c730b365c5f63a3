//! Tokens of the initial state and of the final part.

use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

use super::text::{COMMENTS, Comments, connective, skip_comment, skip_string};

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A number; its spelling is the text under its span.
    Num(i128),
    /// A name or keyword, also `$a0` and `x.atag`.
    Name(String),
    /// `P0`.
    Proc(usize),
    /// `%x`, without the `%`.
    Symbolic(String),
    /// `"…"`, without the quotes.
    Str(String),
    /// `` `…` ``, with the quotes.
    Raw(String),
    /// Punctuation and operators.
    Sym(&'static str),
    /// The end of the section.
    End,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub struct Lexeme {
    /// What.
    pub token: Token,
    /// Where.
    pub span: Span,
}

const SYMBOLS: [&str; 24] = [
    "/\\", "\\/", "=>", "==", "!=", "<>", "=", "~", "(", ")", "[", "]", "{", "}", ";", ":", ",", "*", "&",
    "+", "-", "<", ">", "|",
];

/// Cuts a section into tokens; the last is [`Token::End`]. `text` is the whole file, `from..to` the section.
pub fn lex(text: &str, from: usize, to: usize, source: SourceId) -> Result<Vec<Lexeme>, Diagnostic> {
    let section = &text[..to];
    let mut lexemes = Vec::new();
    let mut at = from;
    while let Some(c) = section[at..].chars().next() {
        if c.is_whitespace() || c == '\u{feff}' {
            at += c.len_utf8();
            continue;
        }
        if let Some(end) = skip_comment(section, at, Comments::All) {
            at = end;
            continue;
        }
        let (token, len) = token(&section[at..]).ok_or_else(|| {
            if section[at..].starts_with("(*") || section[at..].starts_with("/*") {
                return Diagnostic::error("litmus::open-comment", "a comment is never closed")
                    .at(Span::new(source, at, at + 2), "this one");
            }
            let message = format!("unexpected character `{}`", c.escape_debug());
            let error = Diagnostic::error("litmus::bad-character", message).at(
                Span::new(source, at, at + c.len_utf8()),
                "no part of an initial state or a condition looks like this",
            );
            match (c, connective(c.encode_utf8(&mut [0; 4]))) {
                (_, Some(ours)) => error.help(format!("`{c}` is written `{ours}` here")),
                ('#', None) => error.help(COMMENTS),
                _ => error,
            }
        })?;
        lexemes.push(Lexeme { token, span: Span::new(source, at, at + len) });
        at += len;
    }
    // The end is shown right after the last token, not below blank lines.
    let end = lexemes.last().map_or(from, |last: &Lexeme| last.span.end as usize);
    lexemes.push(Lexeme { token: Token::End, span: Span::new(source, end, end) });
    Ok(lexemes)
}

/// The token that a text starts with, and its length.
fn token(text: &str) -> Option<(Token, usize)> {
    let first = text.chars().next()?;
    if let Some(end) = skip_string(text, 0) {
        return Some((Token::Str(text[1..end - 1].to_string()), end));
    }
    if first == '`' {
        let end = text[1..].find('`')? + 2;
        return Some((Token::Raw(text[..end].to_string()), end));
    }
    if let Some((value, len)) = number(text) {
        return Some((Token::Num(value), len));
    }
    if first == '%' {
        let len = name_len(&text[1..]);
        return (len > 0).then(|| (Token::Symbolic(text[1..=len].to_string()), len + 1));
    }
    if first == '(' && text[1..].starts_with('*') {
        return None;
    }
    if first.is_ascii_alphabetic() || matches!(first, '_' | '.' | '$') {
        let len = name_len(text);
        let word = &text[..len];
        let number =
            word.strip_prefix('P').filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        let token = match number.and_then(|n| n.parse().ok()) {
            Some(thread) => Token::Proc(thread),
            None => Token::Name(word.to_string()),
        };
        return Some((token, len));
    }
    let symbol = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol))?;
    Some((Token::Sym(symbol), symbol.len()))
}

/// `-?[0-9]+` or `0x…`. Too large for 128 bits: the largest number, which every architecture refuses.
fn number(text: &str) -> Option<(i128, usize)> {
    let digits = |s: &str, hex: bool| {
        s.bytes().take_while(|b| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() }).count()
    };
    if text.starts_with("0x") || text.starts_with("0X") {
        let len = digits(&text[2..], true);
        if len > 0 {
            return Some((i128::from_str_radix(&text[2..2 + len], 16).unwrap_or(i128::MAX), 2 + len));
        }
    }
    let sign = usize::from(text.starts_with('-'));
    let len = digits(&text[sign..], false);
    (len > 0).then(|| (text[..sign + len].parse().unwrap_or(i128::MAX), sign + len))
}

/// Length of the name at the start. `/` and `-` are part of names, but not where they start `/\`, a comment or `->`.
fn name_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut len = 0;
    while let Some(&byte) = bytes.get(len) {
        let next = bytes.get(len + 1).copied().unwrap_or(b' ');
        let part = match byte {
            b'_' | b'.' | b'$' => true,
            b'/' => len > 0 && !matches!(next, b'\\' | b'/' | b'*'),
            b'-' => len > 0 && next != b'>',
            _ => byte.is_ascii_alphanumeric(),
        };
        if !part {
            break;
        }
        len += 1;
    }
    len
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Num(n) => write!(f, "`{n}`"),
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Proc(n) => write!(f, "`P{n}`"),
            Token::Symbolic(name) => write!(f, "`%{name}`"),
            Token::Str(text) => write!(f, "`\"{text}\"`"),
            Token::Raw(text) => f.write_str(text),
            Token::Sym(symbol) => write!(f, "`{symbol}`"),
            Token::End => f.write_str("the end"),
        }
    }
}
