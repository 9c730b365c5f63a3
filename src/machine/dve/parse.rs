//! The text of a DVE program as a tree.

use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

/// A whole file.
#[derive(Default, Debug)]
pub(super) struct File {
    pub globals: Vec<Variable>,
    pub processes: Vec<Process>,
}

/// The types there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// 0 to 255.
    Byte,
    /// 16 bits with a sign.
    Int,
}

#[derive(Debug)]
pub(super) struct Variable {
    pub name: String,
    pub width: Width,
    /// A constant: its value is known, and it is never assigned.
    pub constant: bool,
    /// Its length, if it is an array.
    pub len: Option<Expr>,
    pub init: Vec<Expr>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Process {
    pub name: String,
    pub locals: Vec<Variable>,
    pub states: Vec<(String, Span)>,
    pub init: Option<(String, Span)>,
    pub transitions: Vec<Transition>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Transition {
    pub from: (String, Span),
    pub to: (String, Span),
    pub guards: Vec<Expr>,
    pub effects: Vec<(Place, Expr)>,
    /// From the name of the first state to the closing brace.
    pub span: Span,
}

/// What can be assigned: a variable, or an element of an array.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub name: String,
    pub index: Option<Box<Expr>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(i128),
    Read(Place),
    /// A process is in a state.
    At(String, String, Span),
    /// A variable of another process.
    Other(String, Place),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

pub(super) fn parse(text: &str, source: SourceId) -> Result<File, Diagnostic> {
    let mut parser = Parser { text, source, tokens: lex(text, source)?, at: 0, depth: 0 };
    parser.file()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Token {
    start: usize,
    end: usize,
}

/// Signs of several characters, longest first.
const SIGNS: [&str; 12] = ["->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "++", "--", ":="];

fn lex(text: &str, source: SourceId) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        if first.is_alphanumeric() || first == '_' {
            at += rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
        } else if "{}[]();,.<>=+-*/%&|^~!?".contains(first) {
            at += 1;
        } else {
            return Err(Diagnostic::error(
                "dve::character",
                format!("`{first}` is not part of a DVE program"),
            )
            .at(Span::new(source, at, at + first.len_utf8()), "here"));
        }
        tokens.push(Token { start, end: at });
    }
    Ok(tokens)
}

struct Parser<'t> {
    text: &'t str,
    source: SourceId,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// Expressions nested deeper than this are refused.
const MAX_DEPTH: usize = 200;

impl<'t> Parser<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).map_or("", |token| &self.text[token.start..token.end])
    }

    fn span(&self) -> Span {
        let end = self.text.len();
        let token = self.tokens.get(self.at).copied().unwrap_or(Token { start: end, end });
        Span::new(self.source, token.start, token.end)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_it = self.peek() == word;
        self.at += usize::from(is_it);
        is_it
    }

    fn wrong(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            "" => "the end of the file".to_string(),
            word => format!("`{word}`"),
        };
        Diagnostic::error("dve::syntax", format!("expected {expected}, found {found}"))
            .at(self.span(), "here")
    }

    fn expect(&mut self, word: &str) -> Result<(), Diagnostic> {
        if self.takes(word) { Ok(()) } else { Err(self.wrong(&format!("`{word}`"))) }
    }

    fn unsupported(&self, what: &str) -> Diagnostic {
        Diagnostic::unsupported("dve::unsupported", format!("{what} of DVE are not supported"))
            .at(self.span(), "here")
    }

    fn name(&mut self) -> Result<(String, Span), Diagnostic> {
        let word = self.peek();
        let span = self.span();
        match word.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_') {
            true => {
                self.at += 1;
                Ok((word.to_string(), span))
            }
            false => Err(self.wrong("a name")),
        }
    }

    fn file(&mut self) -> Result<File, Diagnostic> {
        let mut file = File::default();
        loop {
            match self.peek() {
                "" => return Ok(file),
                "process" => {
                    let process = self.process()?;
                    file.processes.push(process);
                }
                "system" => {
                    self.at += 1;
                    match self.peek() {
                        "async" => self.at += 1,
                        "sync" => return Err(self.unsupported("synchronous systems")),
                        _ => return Err(self.wrong("`async`")),
                    }
                    if self.peek() == "property" {
                        return Err(self.unsupported("property processes"));
                    }
                    self.expect(";")?;
                }
                "channel" => return Err(self.unsupported("channels")),
                _ => self.variables(&mut file.globals)?,
            }
        }
    }

    fn variables(&mut self, list: &mut Vec<Variable>) -> Result<(), Diagnostic> {
        let constant = self.takes("const");
        let width = match self.peek() {
            "byte" => Width::Byte,
            "int" => Width::Int,
            _ => return Err(self.wrong("a declaration or a process")),
        };
        self.at += 1;
        loop {
            let (name, span) = self.name()?;
            let mut len = None;
            if self.takes("[") {
                len = Some(self.expr()?);
                self.expect("]")?;
            }
            let mut init = Vec::new();
            if self.takes("=") {
                if self.takes("{") {
                    while !self.takes("}") {
                        init.push(self.expr()?);
                        if !self.takes(",") && self.peek() != "}" {
                            return Err(self.wrong("`,` or `}`"));
                        }
                    }
                } else {
                    init.push(self.expr()?);
                }
            }
            list.push(Variable { name, width, constant, len, init, span });
            if !self.takes(",") {
                return self.expect(";");
            }
        }
    }

    fn process(&mut self) -> Result<Process, Diagnostic> {
        self.expect("process")?;
        let (name, span) = self.name()?;
        self.expect("{")?;
        let mut process = Process {
            name,
            locals: Vec::new(),
            states: Vec::new(),
            init: None,
            transitions: Vec::new(),
            span,
        };
        while !self.takes("}") {
            match self.peek() {
                "state" => {
                    self.at += 1;
                    process.states.extend(self.names()?);
                }
                "init" => {
                    self.at += 1;
                    process.init = Some(self.name()?);
                    self.expect(";")?;
                }
                // Which states of a process accept matters to property processes only.
                "accept" => {
                    self.at += 1;
                    self.names()?;
                }
                "commit" => return Err(self.unsupported("committed states")),
                "assert" => return Err(self.unsupported("assertions")),
                "trans" => {
                    self.at += 1;
                    self.transitions(&mut process.transitions)?;
                }
                _ => self.variables(&mut process.locals)?,
            }
        }
        Ok(process)
    }

    fn names(&mut self) -> Result<Vec<(String, Span)>, Diagnostic> {
        let mut list = vec![self.name()?];
        while self.takes(",") {
            list.push(self.name()?);
        }
        self.expect(";")?;
        Ok(list)
    }

    fn transitions(&mut self, list: &mut Vec<Transition>) -> Result<(), Diagnostic> {
        if self.takes(";") {
            return Ok(());
        }
        loop {
            let start = self.span();
            // A transition without a source has that of the one before it.
            let from = match (self.peek(), list.last()) {
                ("->", Some(last)) => last.from.clone(),
                _ => self.name()?,
            };
            self.expect("->")?;
            let to = self.name()?;
            self.expect("{")?;
            let (mut guards, mut effects) = (Vec::new(), Vec::new());
            loop {
                match self.peek() {
                    "guard" => {
                        self.at += 1;
                        guards.push(self.expr()?);
                        while self.takes(",") {
                            guards.push(self.expr()?);
                        }
                        self.expect(";")?;
                    }
                    "effect" => {
                        self.at += 1;
                        loop {
                            let place = self.place()?;
                            self.expect("=")?;
                            effects.push((place, self.expr()?));
                            if !self.takes(",") {
                                break;
                            }
                        }
                        self.expect(";")?;
                    }
                    "sync" => return Err(self.unsupported("channels")),
                    _ => break,
                }
            }
            let span = start.to(self.span());
            self.expect("}")?;
            list.push(Transition { from, to, guards, effects, span });
            if !self.takes(",") {
                return self.expect(";");
            }
        }
    }

    fn place(&mut self) -> Result<Place, Diagnostic> {
        let (name, span) = self.name()?;
        let mut index = None;
        if self.takes("[") {
            index = Some(Box::new(self.expr()?));
            self.expect("]")?;
        }
        Ok(Place { name, index, span })
    }

    fn expr(&mut self) -> Result<Expr, Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = "an expression is nested too deeply";
            return Err(Diagnostic::error("dve::syntax", message).at(self.span(), "here"));
        }
        let expr = self.binary(0);
        self.depth -= 1;
        expr
    }

    fn binary(&mut self, level: usize) -> Result<Expr, Diagnostic> {
        /// Binary signs from the loosest to the tightest, each with the one it is another spelling of.
        const LEVELS: [&[(&str, &str)]; 10] = [
            &[("imply", "imply")],
            &[("or", "||"), ("||", "||")],
            &[("and", "&&"), ("&&", "&&")],
            &[("|", "|")],
            &[("^", "^")],
            &[("&", "&")],
            &[("==", "=="), ("!=", "!=")],
            &[("<", "<"), ("<=", "<="), (">", ">"), (">=", ">=")],
            &[("<<", "<<"), (">>", ">>"), ("+", "+"), ("-", "-")],
            &[("*", "*"), ("/", "/"), ("%", "%")],
        ];
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((_, sign)) = signs.iter().find(|(sign, _)| *sign == self.peek()) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expr::Binary(sign, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Diagnostic> {
        for (word, sign) in [("not", "!"), ("!", "!"), ("-", "-"), ("~", "~")] {
            if self.takes(word) {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(self.wrong("fewer signs"));
                }
                let inside = self.unary();
                self.depth -= 1;
                return Ok(Expr::Unary(sign, Box::new(inside?)));
            }
        }
        if self.takes("(") {
            let inside = self.expr()?;
            self.expect(")")?;
            return Ok(inside);
        }
        let word = self.peek();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let number = word.parse().map_err(|_| self.wrong("a number"))?;
            self.at += 1;
            return Ok(Expr::Number(number));
        }
        match word {
            "true" | "false" => {
                self.at += 1;
                return Ok(Expr::Number(i128::from(word == "true")));
            }
            _ => {}
        }
        let place = self.place()?;
        if place.index.is_none() && self.takes(".") {
            let (state, span) = self.name()?;
            return Ok(Expr::At(place.name, state, place.span.to(span)));
        }
        if place.index.is_none() && self.takes("->") {
            return Ok(Expr::Other(place.name, self.place()?));
        }
        Ok(Expr::Read(place))
    }
}
