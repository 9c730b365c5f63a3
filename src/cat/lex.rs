//! Tokens of the `cat` language.
//!
//! [`Tokens`] yields what the grammar consumes. Besides dropping blanks and comments it decides the one thing that a
//! single token of lookahead after reduction cannot: whether a `*` is a closure (`r*`) or a product (`A * B`), by the
//! token that follows it.

use std::fmt;

use logos::{Lexer, Logos, Skip};

/// A token. The names shown to users are those of its `Display`.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(error = LexError)]
#[logos(extras = Comments)]
#[logos(skip(r"[ \t\r\n]+"))]
#[logos(skip(r"(//|#)[^\n]*", allow_greedy = true))]
pub enum Token<'s> {
    #[regex(r"_?[A-Za-z][A-Za-z0-9_.\-]*'?", |lex| lex.slice())]
    Ident(&'s str),
    /// Without its leading quote.
    #[regex(r"'_?[A-Za-z][A-Za-z0-9_.\-]*'?", |lex| &lex.slice()[1..])]
    Tag(&'s str),
    /// Without its quotes.
    #[token("\"", string)]
    Str(&'s str),

    #[token("let")]
    Let,
    #[token("rec")]
    Rec,
    #[token("and")]
    And,
    #[token("when")]
    When,
    #[token("acyclic")]
    Acyclic,
    #[token("irreflexive")]
    Irreflexive,
    #[token("show")]
    Show,
    #[token("unshow")]
    Unshow,
    #[token("empty")]
    Empty,
    #[token("subset")]
    Subset,
    #[token("as")]
    As,
    #[token("fun")]
    Fun,
    #[token("in")]
    In,
    #[token("undefined_unless")]
    UndefinedUnless,
    #[token("flag")]
    Flag,
    #[token("assert")]
    Assert,
    #[token("include")]
    Include,
    #[token("variant")]
    Variant,
    #[token("begin")]
    Begin,
    #[token("end")]
    End,
    #[token("procedure")]
    Procedure,
    #[token("call")]
    Call,
    #[token("enum")]
    Enum,
    #[token("debug")]
    Debug,
    #[token("match")]
    Match,
    #[token("with")]
    With,
    #[token("forall")]
    Forall,
    #[token("from")]
    From,
    #[token("do")]
    Do,
    #[token("try")]
    Try,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("catdep")]
    Catdep,
    #[token("instructions")]
    Instructions,
    #[token("default")]
    Default,
    #[token("not")]
    Not,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("_")]
    Underscore,
    #[token("0")]
    Zero,
    #[token("|")]
    Bar,
    #[token("||")]
    BarBar,
    #[token("&")]
    Amp,
    #[token("&&")]
    AmpAmp,
    /// `*` before anything that cannot start an operand: reflexive-transitive closure.
    #[token("*")]
    Star,
    /// `*` before an operand: product of sets. Only [`Tokens`] makes it.
    Times,
    #[token("~")]
    Tilde,
    #[token("+")]
    Plus,
    #[token("++")]
    PlusPlus,
    #[token("^")]
    Hat,
    #[token("-1")]
    MinusOne,
    #[token("\\")]
    Backslash,
    #[token("?")]
    Question,
    #[token("=")]
    Equal,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token("->")]
    Arrow,

    #[token("(*", nested_comment)]
    #[token("/*", flat_comment)]
    Comment,
}

/// What the lexer cannot make a token of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LexError {
    /// A character that starts no token.
    #[default]
    Stray,
    /// The file ends inside a comment.
    UnterminatedComment,
    /// The file ends inside a string.
    UnterminatedString,
}

/// What was learnt about the comments of a file.
#[derive(Clone, Copy, Default, Debug)]
pub struct Comments {
    /// The first comment that is closed only if comments do not nest, and the last `(*` inside it.
    pub unbalanced: Option<(usize, usize)>,
}

/// The words with which an instruction starts.
pub const INSTRUCTION_WORDS: &[&str] = &[
    "acyclic",
    "irreflexive",
    "empty",
    "let",
    "show",
    "unshow",
    "include",
    "flag",
    "assert",
    "undefined_unless",
    "procedure",
    "call",
    "enum",
    "forall",
    "instructions",
    "default",
    "debug",
];

/// A lexical error with its place, or a token with its place.
pub type Spanned<'s> = Result<(usize, Token<'s>, usize), (usize, LexError, usize)>;

/// The tokens of a text, `*` told apart.
pub struct Tokens<'s> {
    lexer: logos::SpannedIter<'s, Token<'s>>,
    ahead: Option<Option<Spanned<'s>>>,
    /// The last token handed out and the one before it: when the parser refuses the last, the other is its context.
    last: Option<Token<'s>>,
    previous: Option<Token<'s>>,
    first: Option<(usize, Token<'s>, usize)>,
    count: usize,
    arguments: Vec<(usize, &'s str)>,
}

impl<'s> Tokens<'s> {
    /// The tokens of `text` from this byte on.
    pub fn new(text: &'s str, start: usize) -> Tokens<'s> {
        let mut lexer = Token::lexer(text);
        lexer.bump(start);
        Tokens {
            lexer: lexer.spanned(),
            ahead: None,
            last: None,
            previous: None,
            first: None,
            count: 0,
            arguments: Vec::new(),
        }
    }

    /// What was learnt about comments so far.
    pub fn comments(&self) -> Comments {
        self.lexer.extras
    }

    /// The last token handed out.
    pub fn last(&self) -> Option<Token<'s>> {
        self.last
    }

    /// The token before the last one handed out.
    pub fn previous(&self) -> Option<Token<'s>> {
        self.previous
    }

    /// The first token of the file.
    pub fn first(&self) -> Option<(usize, Token<'s>, usize)> {
        self.first
    }

    /// The first token of the file, if no more than three were handed out: what a misspelt keyword there leads to is
    /// noticed only after the header that it was taken for.
    pub fn mistaken_header(&self) -> Option<(usize, Token<'s>, usize)> {
        self.first.filter(|_| self.count <= 3)
    }

    /// The names handed out so far that start a line, and are arguments of what ends the line before: each with its place.
    pub fn arguments(&self) -> &[(usize, &'s str)] {
        &self.arguments
    }

    fn starts_line(&self, at: usize) -> bool {
        self.lexer.source()[..at].trim_end_matches([' ', '\t']).ends_with('\n')
    }

    fn pull(&mut self) -> Option<Spanned<'s>> {
        self.lexer.next().map(|(result, span)| match result {
            Ok(token) => Ok((span.start, token, span.end)),
            Err(error) => Err((span.start, error, span.end)),
        })
    }
}

impl<'s> Iterator for Tokens<'s> {
    type Item = Spanned<'s>;

    fn next(&mut self) -> Option<Spanned<'s>> {
        crate::limits::poll();
        let mut current = match self.ahead.take() {
            Some(token) => token,
            None => self.pull(),
        };
        if let Some(Ok((start, Token::Star, end))) = current {
            let next = self.pull();
            let product = matches!(next, Some(Ok((_, token, _))) if token.starts_operand());
            self.ahead = Some(next);
            current = Some(Ok((start, if product { Token::Times } else { Token::Star }, end)));
        }
        if let Some(Ok(spanned)) = current {
            if let (start, Token::Ident(word), _) = spanned
                && self.last.is_some_and(Token::ends_operand)
                && self.starts_line(start)
            {
                self.arguments.push((start, word));
            }
            self.previous = self.last.replace(spanned.1);
            self.first.get_or_insert(spanned);
            self.count += 1;
        }
        current
    }
}

impl Token<'_> {
    /// Can it start the right operand of a product? `~` is ours: herd7 wants parentheses in `A * ~B`.
    pub fn starts_operand(self) -> bool {
        matches!(
            self,
            Token::Ident(_)
                | Token::Tag(_)
                | Token::Zero
                | Token::Underscore
                | Token::LParen
                | Token::LBracket
                | Token::LBrace
                | Token::Begin
                | Token::Tilde
        )
    }
}

fn string<'s>(lex: &mut Lexer<'s, Token<'s>>) -> Result<&'s str, LexError> {
    let rest = lex.remainder();
    match memchr(rest, b'"') {
        Some(end) => {
            lex.bump(end + 1);
            Ok(&rest[..end])
        }
        None => Err(LexError::UnterminatedString),
    }
}

/// `(* … *)`, nesting; quotes inside mean nothing.
fn nested_comment<'s>(lex: &mut Lexer<'s, Token<'s>>) -> Result<Skip, LexError> {
    let rest = lex.remainder().as_bytes();
    let mut depth = 1usize;
    let mut innermost = 0;
    let mut at = 0;
    while lex.extras.unbalanced.is_none() && at + 1 < rest.len() {
        match &rest[at..at + 2] {
            b"(*" => {
                depth += 1;
                innermost = at;
                at += 2;
            }
            b"*)" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    lex.bump(at);
                    return Ok(Skip);
                }
            }
            _ => at += 1,
        }
    }
    // Never closed. If there is a `*)` at all the author did not mean comments to nest (Dat3M's do not): say so, and
    // do not look again.
    match lex.remainder().find("*)") {
        Some(end) => {
            let inner = lex.span().end + innermost;
            lex.extras.unbalanced.get_or_insert((lex.span().start, inner));
            lex.bump(end + 2);
            Ok(Skip)
        }
        None => Err(LexError::UnterminatedComment),
    }
}

/// `/* … */`, not nesting: Dat3M's models use it, herd7 rejects it.
fn flat_comment<'s>(lex: &mut Lexer<'s, Token<'s>>) -> Result<Skip, LexError> {
    match lex.remainder().find("*/") {
        Some(end) => {
            lex.bump(end + 2);
            Ok(Skip)
        }
        None => Err(LexError::UnterminatedComment),
    }
}

fn memchr(text: &str, byte: u8) -> Option<usize> {
    text.as_bytes().iter().position(|b| *b == byte)
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Ident(name) => write!(f, "identifier `{name}`"),
            Token::Tag(name) => write!(f, "tag `'{name}`"),
            Token::Str(_) => write!(f, "string"),
            other => write!(f, "`{}`", other.text()),
        }
    }
}

impl Token<'_> {
    /// Can it end an operand, so that an operator may follow?
    pub fn ends_operand(self) -> bool {
        matches!(
            self,
            Token::Ident(_)
                | Token::Tag(_)
                | Token::Zero
                | Token::Underscore
                | Token::RParen
                | Token::RBracket
                | Token::RBrace
                | Token::End
                | Token::Plus
                | Token::Star
                | Token::Question
                | Token::MinusOne
        )
    }

    /// Is it a reserved word?
    pub fn is_keyword(self) -> bool {
        self.text().starts_with(|c: char| c.is_ascii_lowercase())
    }

    /// The text of a token that has only one.
    fn text(self) -> &'static str {
        match self {
            Token::Ident(_) | Token::Tag(_) | Token::Str(_) | Token::Comment => "",
            Token::Let => "let",
            Token::Rec => "rec",
            Token::And => "and",
            Token::When => "when",
            Token::Acyclic => "acyclic",
            Token::Irreflexive => "irreflexive",
            Token::Show => "show",
            Token::Unshow => "unshow",
            Token::Empty => "empty",
            Token::Subset => "subset",
            Token::As => "as",
            Token::Fun => "fun",
            Token::In => "in",
            Token::UndefinedUnless => "undefined_unless",
            Token::Flag => "flag",
            Token::Assert => "assert",
            Token::Include => "include",
            Token::Variant => "variant",
            Token::Begin => "begin",
            Token::End => "end",
            Token::Procedure => "procedure",
            Token::Call => "call",
            Token::Enum => "enum",
            Token::Debug => "debug",
            Token::Match => "match",
            Token::With => "with",
            Token::Forall => "forall",
            Token::From => "from",
            Token::Do => "do",
            Token::Try => "try",
            Token::If => "if",
            Token::Then => "then",
            Token::Else => "else",
            Token::Catdep => "catdep",
            Token::Instructions => "instructions",
            Token::Default => "default",
            Token::Not => "not",
            Token::LParen => "(",
            Token::RParen => ")",
            Token::LBrace => "{",
            Token::RBrace => "}",
            Token::LBracket => "[",
            Token::RBracket => "]",
            Token::Underscore => "_",
            Token::Zero => "0",
            Token::Bar => "|",
            Token::BarBar => "||",
            Token::Amp => "&",
            Token::AmpAmp => "&&",
            Token::Star | Token::Times => "*",
            Token::Tilde => "~",
            Token::Plus => "+",
            Token::PlusPlus => "++",
            Token::Hat => "^",
            Token::MinusOne => "-1",
            Token::Backslash => "\\",
            Token::Question => "?",
            Token::Equal => "=",
            Token::Semicolon => ";",
            Token::Comma => ",",
            Token::Arrow => "->",
        }
    }
}
