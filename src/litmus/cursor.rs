//! Walking over tokens: what the parsers of the initial state and of the final part share.

use crate::diag::Diagnostic;
use crate::source::Span;

use super::ast::{Const, Loc};
use super::lex::{Lexeme, Token};
use super::text::connective;

/// A place in a list of tokens that ends with [`Token::End`].
pub struct Cursor<'a> {
    text: &'a str,
    lexemes: &'a [Lexeme],
    at: usize,
    depth: usize,
    /// `the initial state`, `the condition`: for messages.
    section: &'static str,
}

/// A parse that may have failed.
pub type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Words that cannot name a location.
const RESERVED: [&str; 33] = [
    "NOP",
    "nop",
    "pac",
    "pacda",
    "pacdb",
    "pacia",
    "pacib",
    "not",
    "true",
    "false",
    "observed",
    "Observed",
    "and",
    "exists",
    "forall",
    "final",
    "with",
    "locations",
    "filter",
    "fault",
    "Fault",
    "tag",
    "TAG",
    "attrs",
    "Attrs",
    "oa",
    "PTE",
    "TTD",
    "PA",
    "SS",
    "SSCap",
    "_Atomic",
    "ATOMIC_INIT",
];

impl<'a> Cursor<'a> {
    /// A cursor at the first token. `text` is the whole file.
    pub fn new(text: &'a str, lexemes: &'a [Lexeme], section: &'static str) -> Cursor<'a> {
        Cursor { text, lexemes, at: 0, depth: 0, section }
    }

    /// The next token.
    pub fn peek(&self) -> &'a Token {
        self.peek_at(0)
    }

    /// The token `ahead` places on.
    pub fn peek_at(&self, ahead: usize) -> &'a Token {
        &self.lexemes[(self.at + ahead).min(self.lexemes.len() - 1)].token
    }

    /// The place of the next token.
    pub fn span(&self) -> Span {
        self.lexemes[self.at].span
    }

    /// The place of the token before.
    pub fn last_span(&self) -> Span {
        self.lexemes[self.at.saturating_sub(1)].span
    }

    /// From `start` up to the token before.
    pub fn since(&self, start: Span) -> Span {
        if self.last_span().end >= start.start { start.to(self.last_span()) } else { start }
    }

    /// Steps over a token.
    pub fn bump(&mut self) {
        crate::limits::poll();
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
    }

    /// Steps over this symbol if it is next.
    pub fn eat(&mut self, symbol: &'static str) -> bool {
        let here = *self.peek() == Token::Sym(symbol);
        if here {
            self.bump();
        }
        here
    }

    /// Steps over this word if it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let here = self.is_word(word);
        if here {
            self.bump();
        }
        here
    }

    /// Is this word next?
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == word)
    }

    /// Is the symbol `ahead` places on this one?
    pub fn is_sym(&self, ahead: usize, symbol: &'static str) -> bool {
        *self.peek_at(ahead) == Token::Sym(symbol)
    }

    /// Steps over a symbol that must be next.
    pub fn expect(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    /// The complaint that something else stands here.
    pub fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let message = match self.peek() {
            Token::End => format!("{} ends too early", self.section),
            token => format!("unexpected {token} in {}", self.section),
        };
        let error =
            Diagnostic::error("litmus::syntax", message).at(self.span(), format!("expected {expected}"));
        let written = match self.peek() {
            Token::Sym(symbol) => *symbol,
            Token::Name(name) => name.as_str(),
            _ => "",
        };
        Box::new(match connective(written).filter(|_| self.section == "the condition") {
            Some(ours) => error.help(format!("`{written}` is written `{ours}` here")),
            None => error,
        })
    }

    /// One level of nesting deeper, unless that is too deep.
    pub fn deeper(&mut self, limit: usize) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= limit {
            return Ok(());
        }
        let message = format!("{} is nested too deeply", self.section);
        let error = Diagnostic::error("litmus::too-deep", message)
            .at(self.span(), format!("more than {limit} levels"));
        Err(Box::new(error))
    }

    /// One level back.
    pub fn shallower(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// A number that counts something.
    pub fn index(&mut self) -> Parsed<u64> {
        match self.peek() {
            Token::Num(n) if (0..=65_535).contains(n) => {
                self.bump();
                Ok(*n as u64)
            }
            _ => Err(self.unexpected("a small number")),
        }
    }

    /// A thread: `0` or `P0`.
    pub fn thread(&mut self) -> Parsed<usize> {
        match self.peek() {
            Token::Proc(n) => {
                self.bump();
                Ok(*n)
            }
            _ => self.index().map(|n| n as usize),
        }
    }

    /// Does `0:` or `P0:` stand here?
    pub fn at_thread(&self) -> bool {
        matches!(self.peek(), Token::Num(_) | Token::Proc(_)) && self.is_sym(1, ":")
    }

    /// A name that may be a location's.
    pub fn name(&mut self, expected: &str) -> Parsed<String> {
        match self.peek() {
            Token::Name(name) if RESERVED.contains(&name.as_str()) => {
                let error = Diagnostic::error("litmus::reserved", format!("`{name}` is a reserved word"))
                    .at(self.span(), "cannot name a location");
                Err(Box::new(error))
            }
            Token::Name(name) => {
                self.bump();
                Ok(name.clone())
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// `0:X1`, `%x`, `x`, `x[1]`, `PTE(x)`, `[x]` (only if `brackets`).
    pub fn loc(&mut self, brackets: bool) -> Parsed<Loc> {
        if self.at_thread() {
            let thread = self.thread()?;
            self.expect(":")?;
            return match self.peek() {
                Token::Name(name) => {
                    self.bump();
                    Ok(Loc::Reg { thread, name: name.clone() })
                }
                Token::Symbolic(name) => {
                    // herd7 has no such thing; with a thread there is no doubt about what is meant.
                    self.bump();
                    Ok(Loc::Reg { thread, name: format!("%{name}") })
                }
                _ => Err(self.unexpected("a register")),
            };
        }
        if let Token::Symbolic(name) = self.peek() {
            self.bump();
            return Ok(Loc::Symbolic(name.clone()));
        }
        if brackets && self.eat("[") {
            let loc = self.loc(false)?;
            self.expect("]")?;
            return Ok(loc);
        }
        if let Some(text) = self.special()? {
            return Ok(Loc::Special(text));
        }
        let name = self.name("a location or a register (`x`, `0:R1`)")?;
        if self.is_sym(0, "[") {
            self.bump();
            let index = self.index()?;
            self.expect("]")?;
            return Ok(Loc::Cell(name, index));
        }
        if let Some(special) = dotted(&name) {
            return Ok(Loc::Special(special));
        }
        if self.is_sym(0, ":") && matches!(self.peek_at(1), Token::Name(_)) {
            self.bump();
            let tag = self.name("a tag")?;
            return Ok(Loc::Special(format!("{name}:{tag}")));
        }
        Ok(Loc::Global(name))
    }

    /// A value: a number, an address, a label …
    pub fn value(&mut self) -> Parsed<Const> {
        match self.peek() {
            Token::Num(value) => {
                let text = self.text(self.span()).to_string();
                self.bump();
                Ok(Const::Int { text, value: *value })
            }
            Token::Raw(text) => {
                self.bump();
                Ok(Const::Special(text.clone()))
            }
            Token::Sym(":") => {
                self.bump();
                Ok(Const::Special(format!(":{}", self.name("a tag")?)))
            }
            Token::Name(name) if name == "NOP" || name == "nop" => {
                self.bump();
                Ok(Const::Special("NOP".to_string()))
            }
            Token::Name(name) if name == "label" && self.is_sym(1, ":") => {
                self.bump();
                self.bump();
                self.quoted_label()
            }
            Token::Name(name) if name == "instr" && self.is_sym(1, ":") => {
                self.bump();
                self.bump();
                let Token::Str(text) = self.peek() else {
                    return Err(self.unexpected("an instruction in double quotes"));
                };
                self.bump();
                Ok(Const::Special(format!("instr:\"{text}\"")))
            }
            _ => match self.loc(false)? {
                Loc::Global(name) => Ok(Const::Global(name)),
                Loc::Cell(name, index) => Ok(Const::Element(name, index)),
                Loc::Special(text) => Ok(Const::Special(text)),
                Loc::Reg { .. } | Loc::Symbolic(_) => Err(Box::new(
                    Diagnostic::error("litmus::syntax", format!("expected a value in {}", self.section))
                        .at(self.last_span(), "this is a register"),
                )),
            },
        }
    }

    /// The string of `label:"P0:L0"`.
    fn quoted_label(&mut self) -> Parsed<Const> {
        if let Token::Str(text) = self.peek()
            && let Some((thread, name)) = text.split_once(':')
            && let Ok(thread) = thread.trim_start_matches('P').parse()
        {
            self.bump();
            return Ok(Const::Label { thread, name: name.to_string() });
        }
        Err(self.unexpected("a label such as `\"P0:L0\"`"))
    }

    /// `PTE(x)`, `tag(x)`, `pac(x,k,n)` … as herd7 hashes them.
    fn special(&mut self) -> Parsed<Option<String>> {
        const WORDS: [&str; 12] =
            ["PTE", "TTD", "PA", "tag", "TAG", "pac", "pacda", "pacdb", "pacia", "pacib", "SS", "SSCap"];
        let Token::Name(word) = self.peek() else { return Ok(None) };
        if !WORDS.contains(&word.as_str()) || !self.is_sym(1, "(") {
            return Ok(None);
        }
        self.bump();
        let inner = self.balanced()?;
        Ok(Some(match word.as_str() {
            "PTE" | "TTD" => format!("pte_{inner}"),
            "PA" => format!("phy_{inner}"),
            word => format!("{word}({inner})"),
        }))
    }

    /// The text between parentheses, which start here, without blanks around it.
    pub fn balanced(&mut self) -> Parsed<String> {
        let start = self.span();
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Token::Sym("(") => depth += 1,
                Token::Sym(")") => depth -= 1,
                Token::End => return Err(self.unexpected("`)`")),
                _ => {}
            }
            self.bump();
            if depth == 0 {
                let all = self.text(self.since(start));
                let inner = all.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                return Ok(inner.unwrap_or(all).trim().to_string());
            }
        }
    }
}

/// `pte_x`, `phy_x`, `x.atag`: other spellings of `PTE(x)`, `PA(x)`, `tag(x)`.
fn dotted(name: &str) -> Option<String> {
    let tagged = name.strip_suffix(".atag").map(|x| format!("tag({x})"));
    let other = (name.starts_with("pte_") || name.starts_with("phy_")).then(|| name.to_string());
    tagged.or(other)
}
