//! Functions of `.def` files: `READ_ONCE(X) __load{ONCE}(X)`.
//!
//! They expand on syntax trees: an argument stays one operand whatever its text. Functions that stand for an expression
//! and functions that stand for statements live in separate name spaces, as in herd7.

use std::collections::HashMap;

use super::ast::{Declarator, Expr, ExprKind, Init, Stmt, StmtKind};
use super::parse::{self, DefinitionBody};
use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

/// Everything that the `.def` files of a run define.
#[derive(Clone, Debug, Default)]
pub struct Macros {
    exprs: HashMap<String, Macro<Expr>>,
    stmts: HashMap<String, Macro<Vec<Stmt>>>,
    /// The files read, in order, as messages name them.
    files: Vec<String>,
}

/// One function.
#[derive(Clone, Debug)]
pub struct Macro<T> {
    /// Where it is defined.
    pub span: Span,
    params: Vec<String>,
    body: T,
}

impl Macros {
    /// No function at all.
    pub fn new() -> Macros {
        Macros::default()
    }

    /// Adds the functions of a file; a later definition replaces an earlier one.
    ///
    /// # Errors
    /// The file is not of the form of a `.def` file.
    pub fn add(&mut self, name: &str, source: SourceId, text: &str) -> Result<(), Diagnostic> {
        let region = Span::new(source, 0, text.len());
        for definition in parse::definitions(text, region)? {
            let parse::Definition { name, span, params, body } = definition;
            match body {
                DefinitionBody::Expr(body) => {
                    self.exprs.insert(name, Macro { span, params, body });
                }
                DefinitionBody::Stmts(body) => {
                    self.stmts.insert(name, Macro { span, params, body });
                }
            }
        }
        self.files.push(name.to_string());
        Ok(())
    }

    /// The function of that name that stands for an expression.
    pub fn expr(&self, name: &str) -> Option<&Macro<Expr>> {
        self.exprs.get(name)
    }

    /// The function of that name that stands for statements.
    pub fn stmts(&self, name: &str) -> Option<&Macro<Vec<Stmt>>> {
        self.stmts.get(name)
    }

    /// Every name defined, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.exprs.keys().chain(self.stmts.keys()).map(String::as_str)
    }

    /// The files read.
    pub fn files(&self) -> &[String] {
        &self.files
    }
}

impl<T: Substitute> Macro<T> {
    /// The body with the arguments in place. The whole stands where the call stands.
    ///
    /// # Errors
    /// The number of arguments is wrong.
    pub fn expand(&self, name: &str, call: Span, args: &[Expr]) -> Result<T, Diagnostic> {
        if args.len() != self.params.len() {
            let message = format!("`{name}` takes {} argument(s), {} given", self.params.len(), args.len());
            return Err(Diagnostic::error("c::argument-count", message)
                .at(call, "this call")
                .at(self.span, "defined here"));
        }
        let bound = self.params.iter().map(String::as_str).zip(args).collect();
        Ok(self.body.substitute(&Substitution { bound, call }))
    }
}

/// Names bound to the arguments of a call, and the place of that call.
pub struct Substitution<'a> {
    bound: HashMap<&'a str, &'a Expr>,
    call: Span,
}

/// Trees in which names can be replaced.
pub trait Substitute {
    /// A copy with every bound name replaced. Parts of the body take the place of the call; arguments keep theirs.
    fn substitute(&self, with: &Substitution) -> Self;
}

impl<T: Substitute> Substitute for Box<T> {
    fn substitute(&self, with: &Substitution) -> Self {
        Box::new(T::substitute(self, with))
    }
}

impl<T: Substitute> Substitute for Option<T> {
    fn substitute(&self, with: &Substitution) -> Self {
        self.as_ref().map(|inner| inner.substitute(with))
    }
}

impl<T: Substitute> Substitute for Vec<T> {
    fn substitute(&self, with: &Substitution) -> Self {
        self.iter().map(|inner| inner.substitute(with)).collect()
    }
}

impl Substitute for Expr {
    fn substitute(&self, with: &Substitution) -> Expr {
        use ExprKind as K;
        let kind = match &self.kind {
            K::Name(name) => match with.bound.get(name.as_str()) {
                Some(argument) => return (*argument).clone(),
                None => K::Name(name.clone()),
            },
            K::Int { .. } | K::SizeOf(_) => self.kind.clone(),
            K::Unary(op, a) => K::Unary(*op, a.substitute(with)),
            K::Binary(op, a, b) => K::Binary(*op, a.substitute(with), b.substitute(with)),
            K::Logical(op, a, b) => K::Logical(*op, a.substitute(with), b.substitute(with)),
            K::Conditional(a, b, c) => {
                K::Conditional(a.substitute(with), b.substitute(with), c.substitute(with))
            }
            K::Assign(op, a, b) => K::Assign(*op, a.substitute(with), b.substitute(with)),
            K::Step { op, prefix, operand } => {
                K::Step { op: *op, prefix: *prefix, operand: operand.substitute(with) }
            }
            K::Cast(ty, a) => K::Cast(ty.clone(), a.substitute(with)),
            K::SizeOfExpr(a) => K::SizeOfExpr(a.substitute(with)),
            K::Index(a, b) => K::Index(a.substitute(with), b.substitute(with)),
            K::Comma(a, b) => K::Comma(a.substitute(with), b.substitute(with)),
            K::Call { name, args, .. } => {
                K::Call { name: name.clone(), name_span: with.call, args: args.substitute(with) }
            }
            K::Intrinsic(call) => {
                let mut call = call.clone();
                call.args = call.args.substitute(with);
                K::Intrinsic(call)
            }
        };
        Expr { kind, span: with.call }
    }
}

impl Substitute for Stmt {
    fn substitute(&self, with: &Substitution) -> Stmt {
        use StmtKind as K;
        let kind = match &self.kind {
            K::Empty | K::Label(_) | K::Goto(_) | K::Break | K::Continue => self.kind.clone(),
            K::Decl(list) => K::Decl(list.substitute(with)),
            K::Expr(e) => K::Expr(e.substitute(with)),
            K::Block(body) => K::Block(body.substitute(with)),
            K::If(c, t, e) => K::If(c.substitute(with), t.substitute(with), e.substitute(with)),
            K::While(c, body) => K::While(c.substitute(with), body.substitute(with)),
            K::DoWhile(body, c) => K::DoWhile(body.substitute(with), c.substitute(with)),
            K::For(init, c, step, body) => K::For(
                init.substitute(with),
                c.substitute(with),
                step.substitute(with),
                body.substitute(with),
            ),
            K::Switch(e, body) => K::Switch(e.substitute(with), body.substitute(with)),
            K::Case(e) => K::Case(e.substitute(with)),
            K::Return(e) => K::Return(e.substitute(with)),
        };
        Stmt { kind, span: with.call }
    }
}

impl Substitute for Declarator {
    fn substitute(&self, with: &Substitution) -> Declarator {
        let init = self.init.as_ref().map(|init| match init {
            Init::Value(e) => Init::Value(e.substitute(with)),
            Init::List(list, span) => Init::List(list.substitute(with), *span),
        });
        Declarator { init, ..self.clone() }
    }
}
