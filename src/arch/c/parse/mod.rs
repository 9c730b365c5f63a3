//! From tokens to the syntax tree: recursive descent, one file per level of the language.

mod expr;
mod stmt;
mod types;
mod unit;

use super::ast::{Expr, Stmt, Unit};
use super::lex::{Tok, Token, tokens};
use crate::diag::{Class, Diagnostic};
use crate::source::Span;

/// Words that are never names.
const KEYWORDS: [&str; 20] = [
    "if", "else", "while", "do", "for", "switch", "case", "default", "goto", "break", "continue", "return",
    "sizeof", "struct", "union", "enum", "typedef", "static", "inline", "extern",
];

/// How deep expressions and statements may nest: far beyond any test, far below the end of the stack.
const MAX_DEPTH: u32 = 150;

/// How high an expression may be: `a + b + c` is one higher than `a + b`.
const MAX_HEIGHT: u32 = 200;

/// The program region of a C test; `region` is the span of `text` in its file.
///
/// # Errors
/// The first construct that is not C, or not the C that we know.
pub fn unit(text: &str, region: Span) -> Result<Unit, Diagnostic> {
    let mut parser = Parser::new(text, region)?;
    parser.unit().map_err(|error| parser.or_never_closed(error))
}

/// A `.def` file: functions that expand to expressions or to statements.
///
/// # Errors
/// The first construct that is not the C that we know.
pub fn definitions(text: &str, region: Span) -> Result<Vec<Definition>, Diagnostic> {
    let mut parser = Parser::new(text, region)?;
    let mut result = Vec::new();
    while !parser.at_end() {
        result.push(parser.definition().map_err(|error| parser.or_never_closed(error))?);
    }
    Ok(result)
}

/// One entry of a `.def` file.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The function defined.
    pub name: String,
    /// Where it is named.
    pub span: Span,
    /// Its parameters.
    pub params: Vec<String>,
    /// What it stands for.
    pub body: DefinitionBody,
}

/// What a `.def` function stands for.
#[derive(Clone, Debug)]
pub enum DefinitionBody {
    /// An expression.
    Expr(Expr),
    /// Statements.
    Stmts(Vec<Stmt>),
}

/// The state of a parse.
struct Parser {
    region: Span,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// Height of the expression parsed last.
    height: u32,
}

impl Parser {
    fn new(text: &str, region: Span) -> Result<Parser, Diagnostic> {
        Ok(Parser { region, tokens: tokens(text, region)?, at: 0, depth: 0, height: 0 })
    }

    fn peek(&self) -> &Tok {
        self.peek_at(0)
    }

    /// The token `ahead` tokens from here; the last one is always `End`.
    fn peek_at(&self, ahead: usize) -> &Tok {
        let index = (self.at + ahead).min(self.tokens.len() - 1);
        &self.tokens[index].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].span
    }

    /// The span from `start` to the token just read.
    fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1).and_then(|last| self.tokens.get(last)) {
            Some(token) => start.to(token.span),
            None => start,
        }
    }

    /// The words since the token of that number.
    fn words_since(&self, first: usize) -> impl Iterator<Item = &str> {
        self.tokens[first..self.at].iter().filter_map(|token| match &token.kind {
            Tok::Ident(word) => Some(word.as_str()),
            _ => None,
        })
    }

    fn at_end(&self) -> bool {
        *self.peek() == Tok::End
    }

    fn bump(&mut self) -> Token {
        crate::limits::poll();
        let token = self.tokens[self.at.min(self.tokens.len() - 1)].clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Tok::Punct(text) if *text == punct)
    }

    fn is_at(&self, ahead: usize, punct: &str) -> bool {
        matches!(self.peek_at(ahead), Tok::Punct(text) if *text == punct)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Ident(text) if text == word)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: &str, context: &str) -> Result<Span, Diagnostic> {
        let span = self.span();
        if self.eat(punct) { Ok(span) } else { Err(self.unexpected(&format!("`{punct}` {context}"))) }
    }

    /// A name that is no keyword.
    fn name(&mut self, what: &str) -> Result<(String, Span), Diagnostic> {
        let span = self.span();
        match self.peek() {
            Tok::Ident(name) if !KEYWORDS.contains(&name.as_str()) => {
                let name = name.clone();
                self.bump();
                Ok((name, span))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = self.peek().describe();
        Diagnostic::error("c::syntax", format!("expected {wanted}, found {found}"))
            .at(self.span(), "not expected here")
    }

    /// Where a brace is never closed, what follows is read as part of its block, and the syntax error is far from the cause.
    fn or_never_closed(&self, error: Diagnostic) -> Diagnostic {
        let mut open = Vec::new();
        for token in &self.tokens {
            match token.kind {
                Tok::Punct("{") => open.push(token.span),
                Tok::Punct("}") => drop(open.pop()),
                _ => {}
            }
        }
        match open.pop() {
            Some(span) if error.class == Class::BadInput => {
                Diagnostic::error("c::open-brace", "this `{` is never closed").at(span, "no `}` for this")
            }
            _ => error,
        }
    }

    /// An expression has been put on top of others of at most that height.
    fn grow(&mut self, below: u32) -> Result<(), Diagnostic> {
        self.height = below + 1;
        if self.height > MAX_HEIGHT {
            return Err(Diagnostic::unsupported("c::too-deep", "this expression is too long")
                .at(self.span(), format!("more than {MAX_HEIGHT} operators in a row")));
        }
        Ok(())
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::unsupported("c::too-deep", "this is nested too deeply")
                .at(self.span(), format!("more than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}
