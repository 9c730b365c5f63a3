//! The tokens of C, with `#define` already expanded.
//!
//! Comments are dropped. Macros of the test itself are expanded here, on tokens, as the language has it; the functions of
//! a `.def` file are expanded much later, on syntax trees.

use std::collections::HashMap;

use crate::diag::Diagnostic;
use crate::source::Span;

/// A token and where it stands. Tokens that come out of a `#define` stand where the macro was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Tok,
    /// Where.
    pub span: Span,
}

/// Kinds of tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tok {
    /// A name or a keyword.
    Ident(String),
    /// An integer constant with its suffix decoded.
    Int {
        /// Its value.
        value: i128,
        /// A `u` suffix.
        unsigned: bool,
        /// An `l` or `ll` suffix.
        long: bool,
        /// Written in decimal: such constants never become unsigned by themselves.
        decimal: bool,
    },
    /// A string literal (only ever refused, but refused by name).
    Str,
    /// An operator or other punctuation.
    Punct(&'static str),
    /// The end of the text.
    End,
}

impl Tok {
    /// The token as a message names it.
    pub fn describe(&self) -> String {
        match self {
            Tok::Ident(name) => format!("`{name}`"),
            Tok::Int { value, .. } => format!("`{value}`"),
            Tok::Str => "a string".to_string(),
            Tok::Punct(text) => format!("`{text}`"),
            Tok::End => "the end of the program".to_string(),
        }
    }
}

/// The operators that begin with a byte, longest first, so that the first match is the right one.
fn operators(first: u8) -> &'static [&'static str] {
    match first {
        b'<' => &["<<=", "<=", "<<", "<"],
        b'>' => &[">>=", ">=", ">>", ">"],
        b'.' => &["...", "."],
        b'&' => &["&&", "&=", "&"],
        b'|' => &["||", "|=", "|"],
        b'=' => &["==", "="],
        b'!' => &["!=", "!"],
        b'+' => &["+=", "++", "+"],
        b'-' => &["-=", "--", "->", "-"],
        b'*' => &["*=", "*"],
        b'/' => &["/=", "/"],
        b'%' => &["%=", "%"],
        b'^' => &["^=", "^"],
        b'~' => &["~"],
        b'?' => &["?"],
        b':' => &[":"],
        b';' => &[";"],
        b',' => &[","],
        b'(' => &["("],
        b')' => &[")"],
        b'[' => &["["],
        b']' => &["]"],
        b'{' => &["{"],
        b'}' => &["}"],
        _ => &[],
    }
}

/// The operator that a text begins with.
fn punctuation(text: &str) -> Option<&'static str> {
    let first = *text.as_bytes().first()?;
    operators(first).iter().find(|operator| text.starts_with(**operator)).copied()
}

/// Can it stand in a name?
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How deep macros may expand inside each other.
const EXPANSION_DEPTH: usize = 64;

/// Cuts `text` into tokens; `region` is the span of `text` in its file.
///
/// # Errors
/// The first thing that is no token, or a preprocessor line that we do not know.
pub fn tokens(text: &str, region: Span) -> Result<Vec<Token>, Diagnostic> {
    let mut lexer = Lexer { text, region, at: 0, defines: HashMap::new() };
    let raw = lexer.all()?;
    let mut result = match lexer.defines.is_empty() {
        true => raw,
        false => {
            let mut expanded = Vec::with_capacity(raw.len() + 1);
            expand(&raw, &lexer.defines, &mut Vec::new(), &mut expanded)?;
            expanded
        }
    };
    let end = region.sub(text.len(), 0);
    result.push(Token { kind: Tok::End, span: end });
    Ok(result)
}

/// A macro of the test.
struct Define {
    /// `None`: without an argument list.
    params: Option<Vec<String>>,
    body: Vec<Token>,
}

struct Lexer<'a> {
    text: &'a str,
    region: Span,
    at: usize,
    defines: HashMap<String, Define>,
}

impl Lexer<'_> {
    fn span(&self, from: usize) -> Span {
        self.region.sub(from, self.at - from)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn all(&mut self) -> Result<Vec<Token>, Diagnostic> {
        // A test is short, and its tokens are about as long as this, blanks included.
        let mut result = Vec::with_capacity(self.text.len().min(4096) / 3 + 1);
        while let Some(token) = self.next_token()? {
            result.push(token);
        }
        Ok(result)
    }

    fn next_token(&mut self) -> Result<Option<Token>, Diagnostic> {
        crate::limits::poll();
        loop {
            self.skip_blanks()?;
            if self.peek() != Some('#') {
                break;
            }
            self.directive()?;
        }
        let start = self.at;
        let Some(first) = self.peek() else { return Ok(None) };
        let kind = if first.is_ascii_alphabetic() || first == '_' {
            Tok::Ident(self.take_while(is_name).to_string())
        } else if first.is_ascii_digit() {
            self.number()?
        } else if first == '\'' {
            self.character()?
        } else if first == '"' {
            self.string()?
        } else if let Some(punct) = punctuation(self.rest()) {
            self.at += punct.len();
            Tok::Punct(punct)
        } else {
            self.at += first.len_utf8();
            return Err(Diagnostic::error("c::bad-character", format!("`{first}` is no part of C"))
                .at(self.span(start), "this character"));
        };
        Ok(Some(Token { kind, span: self.span(start) }))
    }

    /// Takes bytes as long as they are such; it ends between characters, because what is not ASCII is kept, or not, as a whole.
    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &str {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        self.at += rest.iter().position(|byte| !keep(*byte)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace());
            match self.text.as_bytes().get(self.at) {
                Some(b'/' | b'\\') => {}
                // Blanks that are not ASCII, and one that Rust does not count among the ASCII ones.
                Some(byte) if !byte.is_ascii() || *byte == 0x0b => {
                    self.at += self.rest().len() - self.rest().trim_start().len();
                    if !matches!(self.peek(), Some('/' | '\\')) {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
            if self.rest().starts_with("//") {
                self.take_while(|byte| byte != b'\n');
            } else if self.rest().starts_with("/*") {
                let start = self.at;
                match self.rest().find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        self.at += 2;
                        return Err(Diagnostic::error("c::open-comment", "this comment is never closed")
                            .at(self.span(start), "opened here"));
                    }
                }
            } else if self.rest().starts_with("\\\n") {
                self.at += 2;
            } else {
                return Ok(());
            }
        }
    }

    fn number(&mut self) -> Result<Tok, Diagnostic> {
        let start = self.at;
        let lower = self.take_while(is_name).to_ascii_lowercase();
        let suffix_at = lower.find(['u', 'l']);
        let (digits, suffix) = lower.split_at(suffix_at.unwrap_or(lower.len()));
        let (radix, digits) = if let Some(hex) = digits.strip_prefix("0x") {
            (16, hex)
        } else if let Some(binary) = digits.strip_prefix("0b") {
            (2, binary)
        } else if digits.len() > 1 && digits.starts_with('0') {
            (8, &digits[1..])
        } else {
            (10, digits)
        };
        let value = i128::from_str_radix(digits, radix).ok();
        match (value, suffix) {
            (Some(value), "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") => Ok(Tok::Int {
                value,
                unsigned: suffix.contains('u'),
                long: suffix.contains('l'),
                decimal: radix == 10,
            }),
            _ => {
                let word = &self.text[start..self.at];
                Err(Diagnostic::error("c::bad-number", format!("`{word}` is no integer constant"))
                    .at(self.span(start), "this number"))
            }
        }
    }

    fn character(&mut self) -> Result<Tok, Diagnostic> {
        let start = self.at;
        let mut chars = self.rest().chars().skip(1);
        let (value, length) = match (chars.next(), chars.next(), chars.next()) {
            // Numbers: `'\x41'`, `'\101'`.
            (Some('\\'), Some(first), Some(second))
                if first == 'x' || (first.is_digit(8) && second != '\'') =>
            {
                let digits = self.rest()[2..].split('\'').next().unwrap_or("");
                let value = match digits.strip_prefix('x') {
                    Some(hexadecimal) => u8::from_str_radix(hexadecimal, 16),
                    None => u8::from_str_radix(digits, 8),
                };
                // A `char` is signed.
                (value.ok().map(|n| i128::from(n as i8)), digits.len() + 3)
            }
            (Some('\\'), Some(escape), Some('\'')) => {
                let value = match escape {
                    'n' => Some(10),
                    't' => Some(9),
                    'r' => Some(13),
                    '0' => Some(0),
                    '\\' | '\'' | '"' => Some(escape as i128),
                    _ => None,
                };
                (value, 4)
            }
            (Some(c), Some('\''), _) if c != '\'' && c.is_ascii() => (Some(c as i128), 3),
            _ => (None, 1),
        };
        self.at += length.min(self.rest().len());
        match value {
            Some(value) => Ok(Tok::Int { value, unsigned: false, long: false, decimal: true }),
            None => Err(Diagnostic::error("c::bad-character", "this character constant is not understood")
                .at(self.span(start), "here")),
        }
    }

    fn string(&mut self) -> Result<Tok, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let length = self.rest().find(['"', '\n']).filter(|at| self.rest()[*at..].starts_with('"'));
        match length {
            Some(length) => {
                self.at += length + 1;
                Ok(Tok::Str)
            }
            None => Err(Diagnostic::error("c::open-string", "this string is never closed")
                .at(self.span(start), "opened here")),
        }
    }

    /// A line that starts with `#`; `\` at its end continues it.
    fn directive(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        let mut line = String::new();
        loop {
            line.push_str(self.take_while(|byte| byte != b'\n'));
            if !line.ends_with('\\') || self.rest().is_empty() {
                break;
            }
            // Blanks of the same length keep the spans of the body right.
            line.pop();
            line.push_str("  ");
            self.at += 1;
        }
        let whole = self.span(start);
        let inner = line[1..].trim_start();
        let word: String = inner.chars().take_while(char::is_ascii_alphabetic).collect();
        match word.as_str() {
            "define" => {
                let offset = line.len() - inner.len() + word.len();
                self.define(&line[offset..], whole.sub(offset, line.len() - offset))
            }
            "include" | "pragma" | "undef" | "" => Ok(()),
            _ => Err(Diagnostic::unsupported("c::directive", format!("`#{word}` is not supported"))
                .at(whole, "this preprocessor line")
                .help("`#define` of simple macros is; `#include` and `#pragma` are ignored")),
        }
    }

    fn define(&mut self, text: &str, region: Span) -> Result<(), Diagnostic> {
        let mut inner = Lexer { text, region, at: 0, defines: HashMap::new() };
        let mut body = inner.all()?;
        if body.is_empty() {
            return Err(Diagnostic::error("c::define", "`#define` without a name").at(region, "here"));
        }
        let name = body.remove(0);
        let Tok::Ident(word) = name.kind else {
            return Err(
                Diagnostic::error("c::define", "`#define` without a name").at(name.span, "not a name")
            );
        };
        // Only a parenthesis that touches the name opens an argument list.
        let touching =
            body.first().is_some_and(|t| t.kind == Tok::Punct("(") && t.span.start == name.span.end);
        let params = if touching { Some(parameters(&mut body, name.span)?) } else { None };
        self.defines.insert(word, Define { params, body });
        Ok(())
    }
}

/// Takes `( a, b )` off the front.
fn parameters(body: &mut Vec<Token>, name: Span) -> Result<Vec<String>, Diagnostic> {
    let close = body.iter().position(|t| t.kind == Tok::Punct(")"));
    let Some(close) = close else {
        return Err(Diagnostic::error("c::define", "the argument list of this macro is never closed")
            .at(name, "here"));
    };
    let list: Vec<Token> = body.drain(..=close).collect();
    let mut params = Vec::new();
    for token in &list {
        match &token.kind {
            Tok::Ident(param) => params.push(param.clone()),
            Tok::Punct("(" | ")" | ",") => {}
            other => {
                return Err(Diagnostic::unsupported(
                    "c::define",
                    format!("{} as a macro's argument", other.describe()),
                )
                .at(token.span, "not a name"));
            }
        }
    }
    Ok(params)
}

/// Appends `input` to `output` with every macro expanded. `active` are the macros being expanded: C does not expand a
/// macro inside itself.
fn expand(
    input: &[Token],
    defines: &HashMap<String, Define>,
    active: &mut Vec<String>,
    output: &mut Vec<Token>,
) -> Result<(), Diagnostic> {
    let mut at = 0;
    while let Some(token) = input.get(at) {
        at += 1;
        let define = match &token.kind {
            Tok::Ident(name) if !active.contains(name) => defines.get(name).map(|define| (name, define)),
            _ => None,
        };
        let Some((name, define)) = define else {
            output.push(token.clone());
            continue;
        };
        if active.len() >= EXPANSION_DEPTH {
            return Err(Diagnostic::error("c::define", "macros are nested too deeply").at(token.span, "here"));
        }
        let mut arguments = HashMap::new();
        if let Some(params) = &define.params {
            if input.get(at).map(|t| &t.kind) != Some(&Tok::Punct("(")) {
                output.push(token.clone());
                continue;
            }
            let (given, next) = macro_arguments(input, at, token.span)?;
            at = next;
            let count = if given.len() == 1 && given[0].is_empty() { 0 } else { given.len() };
            if count != params.len() {
                let message = format!("`{name}` takes {} argument(s), {count} given", params.len());
                return Err(Diagnostic::error("c::argument-count", message).at(token.span, "this macro"));
            }
            for (param, tokens) in params.iter().zip(given) {
                let mut expanded = Vec::new();
                expand(&tokens, defines, active, &mut expanded)?;
                arguments.insert(param.clone(), expanded);
            }
        }
        let mut replaced = Vec::new();
        for part in &define.body {
            match &part.kind {
                Tok::Ident(word) if arguments.contains_key(word) => {
                    replaced.extend(arguments[word].iter().cloned())
                }
                kind => replaced.push(Token { kind: kind.clone(), span: token.span }),
            }
        }
        active.push(name.clone());
        expand(&replaced, defines, active, output)?;
        active.pop();
    }
    Ok(())
}

/// The arguments of a macro call whose `(` is at `at`, and where the text goes on after its `)`.
fn macro_arguments(input: &[Token], at: usize, name: Span) -> Result<(Vec<Vec<Token>>, usize), Diagnostic> {
    let mut arguments = vec![Vec::new()];
    let mut depth = 0;
    for (index, token) in input.iter().enumerate().skip(at) {
        match token.kind {
            Tok::Punct("(") => depth += 1,
            Tok::Punct(")") => depth -= 1,
            _ => {}
        }
        match token.kind {
            Tok::Punct("(") if depth == 1 => {}
            Tok::Punct(")") if depth == 0 => return Ok((arguments, index + 1)),
            Tok::Punct(",") if depth == 1 => arguments.push(Vec::new()),
            _ => {
                if let Some(last) = arguments.last_mut() {
                    last.push(token.clone());
                }
            }
        }
    }
    Err(Diagnostic::error("c::open-parenthesis", "the arguments of this macro are never closed")
        .at(name, "no `)` for its `(`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    #[test]
    fn blanks_of_all_kinds_and_comments_lie_between_tokens() {
        let text = "int\u{a0}/* é */ x\u{b} = 0x1fUL;// ü\n\\\ny\u{2003}// last";
        let source = Sources::new().add("t", text);
        let found = tokens(text, Span::new(source, 0, text.len())).unwrap();
        let shown: Vec<String> = found.iter().map(|token| token.kind.describe()).collect();
        assert_eq!(shown, ["`int`", "`x`", "`=`", "`31`", "`;`", "`y`", "the end of the program"]);
        assert!(
            found.iter().all(|token| text.get(token.span.start as usize..token.span.end as usize).is_some())
        );
        let wrong = "x = é;";
        let source = Sources::new().add("t", wrong);
        assert_eq!(
            tokens(wrong, Span::new(source, 0, wrong.len())).unwrap_err().message,
            "`é` is no part of C"
        );
    }
}
