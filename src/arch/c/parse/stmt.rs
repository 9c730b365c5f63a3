//! Statements and declarations.

use super::{Parser, Tok};
use crate::arch::c::ast::{Declarator, ExprKind, Init, Stmt, StmtKind};
use crate::arch::c::types::CType;
use crate::diag::{Diagnostic, nearest};
use crate::source::Span;

impl Parser {
    /// Statements up to a `}` (or the end), which stays.
    pub(super) fn statements(&mut self) -> Result<Vec<Stmt>, Diagnostic> {
        let mut result = Vec::new();
        while !self.is("}") && !self.at_end() {
            result.push(self.statement()?);
        }
        Ok(result)
    }

    fn statement(&mut self) -> Result<Stmt, Diagnostic> {
        let start = self.span();
        let kind = self.nested(Self::statement_kind)?;
        Ok(Stmt { kind, span: self.since(start) })
    }

    fn body(&mut self) -> Result<Box<Stmt>, Diagnostic> {
        Ok(Box::new(self.statement()?))
    }

    fn statement_kind(&mut self) -> Result<StmtKind, Diagnostic> {
        if self.eat(";") {
            return Ok(StmtKind::Empty);
        }
        if self.is("{") {
            self.bump();
            let body = self.statements()?;
            self.expect("}", "after the block")?;
            return Ok(StmtKind::Block(body));
        }
        if let Tok::Ident(word) = self.peek().clone() {
            if let Some(kind) = self.keyword_statement(&word)? {
                return Ok(kind);
            }
            if self.is_at(1, ":") && !self.at_type() {
                self.bump();
                self.bump();
                return Ok(StmtKind::Label(word));
            }
            if self.at_type() {
                let declarators = self.declaration()?;
                self.expect(";", "after the declaration")?;
                return Ok(StmtKind::Decl(declarators));
            }
        }
        if let (Tok::Ident(word), Tok::Ident(_)) = (self.peek(), self.peek_at(1)) {
            return Err(unknown_type(word, self.span()));
        }
        let expr = self.expression()?;
        // Statement macros are written with and without a semicolon inside `.def` files.
        if !(self.is("}") && matches!(expr.kind, ExprKind::Intrinsic(_))) {
            self.expect(";", "after the statement")?;
        }
        Ok(StmtKind::Expr(expr))
    }

    fn keyword_statement(&mut self, word: &str) -> Result<Option<StmtKind>, Diagnostic> {
        let kind = match word {
            "if" => {
                self.bump();
                let cond = self.condition("if")?;
                let then = self.body()?;
                let otherwise = if self.eat_word("else") { Some(self.body()?) } else { None };
                StmtKind::If(cond, then, otherwise)
            }
            "while" => {
                self.bump();
                StmtKind::While(self.condition("while")?, self.body()?)
            }
            "do" => {
                self.bump();
                let body = self.body()?;
                if !self.eat_word("while") {
                    return Err(self.unexpected("`while` after the body of `do`"));
                }
                let cond = self.condition("while")?;
                self.expect(";", "after `do … while (…)`")?;
                StmtKind::DoWhile(body, cond)
            }
            "for" => self.for_loop()?,
            "switch" => {
                self.bump();
                StmtKind::Switch(self.condition("switch")?, self.body()?)
            }
            "case" => {
                self.bump();
                let value = self.conditional()?;
                self.expect(":", "after `case …`")?;
                StmtKind::Case(Some(value))
            }
            "default" => {
                self.bump();
                self.expect(":", "after `default`")?;
                StmtKind::Case(None)
            }
            "goto" => {
                self.bump();
                let (label, _) = self.name("a label after `goto`")?;
                self.expect(";", "after `goto …`")?;
                StmtKind::Goto(label)
            }
            "break" | "continue" => {
                self.bump();
                self.expect(";", &format!("after `{word}`"))?;
                if word == "break" { StmtKind::Break } else { StmtKind::Continue }
            }
            "return" => {
                self.bump();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect(";", "after `return`")?;
                StmtKind::Return(value)
            }
            "else" => {
                return Err(Diagnostic::error("c::syntax", "`else` without an `if`").at(self.span(), "here"));
            }
            "typedef" | "asm" | "__asm__" => {
                return Err(Diagnostic::unsupported("c::statement", format!("`{word}` is not supported"))
                    .at(self.span(), "this statement"));
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn condition(&mut self, keyword: &str) -> Result<crate::arch::c::ast::Expr, Diagnostic> {
        self.expect("(", &format!("after `{keyword}`"))?;
        let cond = self.expression()?;
        self.expect(")", &format!("after the condition of `{keyword}`"))?;
        Ok(cond)
    }

    fn for_loop(&mut self) -> Result<StmtKind, Diagnostic> {
        self.bump();
        self.expect("(", "after `for`")?;
        let start = self.span();
        let init = if self.is(";") {
            None
        } else if self.at_type() {
            Some(StmtKind::Decl(self.declaration()?))
        } else {
            Some(StmtKind::Expr(self.expression()?))
        };
        let init = init.map(|kind| Box::new(Stmt { kind, span: self.since(start) }));
        self.expect(";", "after the first part of `for`")?;
        let cond = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";", "after the condition of `for`")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")", "after the last part of `for`")?;
        Ok(StmtKind::For(init, cond, step, self.body()?))
    }

    /// `int a, *b = e`, without the semicolon.
    fn declaration(&mut self) -> Result<Vec<Declarator>, Diagnostic> {
        let first = self.at;
        let base = self.specifiers()?.ty;
        let is_static = self.words_since(first).any(|word| word == "static");
        let mut result = Vec::new();
        if self.is(";") {
            return Ok(result);
        }
        loop {
            result.push(Declarator { is_static, ..self.declarator(&base)? });
            if !self.eat(",") {
                return Ok(result);
            }
        }
    }

    pub(super) fn declarator(&mut self, base: &CType) -> Result<Declarator, Diagnostic> {
        let typed = self.stars(super::types::TypeAndText { ty: base.clone(), text: String::new() });
        let (name, span) = self.name("the name of a variable")?;
        self.declarator_after(name, span, typed.ty)
    }

    /// What follows the name: array bounds and the initial value.
    pub(super) fn declarator_after(
        &mut self,
        name: String,
        span: Span,
        mut ty: CType,
    ) -> Result<Declarator, Diagnostic> {
        let mut bound = None;
        if self.eat("[") {
            bound = Some(match self.peek() {
                Tok::Int { value, .. } => {
                    let value = usize::try_from(*value).ok().filter(|n| (1..=1024).contains(n));
                    let Some(value) = value else {
                        return Err(Diagnostic::unsupported("c::array", "an array of this size")
                            .at(self.span(), "between 1 and 1024 elements"));
                    };
                    self.bump();
                    Some(value)
                }
                _ => None,
            });
            self.expect("]", "after the bound of the array")?;
            if self.is("[") {
                return Err(Diagnostic::unsupported("c::array", "arrays of arrays are not supported")
                    .at(self.span(), "second dimension"));
            }
        }
        let init = if self.eat("=") { Some(self.initialiser()?) } else { None };
        if let Some(bound) = bound {
            let listed = match &init {
                Some(Init::List(list, _)) => Some(list.len()),
                _ => None,
            };
            let Some(length) = bound.or(listed) else {
                return Err(Diagnostic::error("c::array", format!("how long is the array `{name}`?"))
                    .at(span, "neither a bound nor a list of values"));
            };
            ty = CType::Array(Box::new(ty), length);
        }
        Ok(Declarator { name, ty, init, is_static: false, span })
    }

    fn initialiser(&mut self) -> Result<Init, Diagnostic> {
        if !self.is("{") {
            return Ok(Init::Value(self.assignment()?));
        }
        let start = self.span();
        self.bump();
        let mut list = Vec::new();
        while !self.is("}") {
            list.push(self.assignment()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}", "after the list of values")?;
        Ok(Init::List(list, self.since(start)))
    }
}

/// Two names in a row: the first should be a type.
fn unknown_type(word: &str, span: Span) -> Diagnostic {
    if matches!(word, "float" | "double" | "_Complex") {
        return Diagnostic::unsupported("c::type", "floating point is not supported").at(span, "this type");
    }
    let diagnostic = Diagnostic::error("c::type", format!("`{word}` is not a known type")).at(span, "here");
    match nearest(word, KNOWN_TYPES) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// Types to offer where one is misspelt.
const KNOWN_TYPES: [&str; 24] = [
    "int",
    "unsigned",
    "signed",
    "char",
    "short",
    "long",
    "bool",
    "_Bool",
    "void",
    "intptr_t",
    "uintptr_t",
    "size_t",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "atomic_int",
    "atomic_t",
    "spinlock_t",
    "return",
];
