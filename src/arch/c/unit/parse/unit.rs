//! What stands outside every function.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::specifiers::Specifiers;
use super::{Current, Entity, Object, Parsed, Parser};
use crate::arch::c::preprocess::{Kind, Token};
use crate::arch::c::unit::tree::{Expr, Function, Life, Stmt};
use crate::arch::c::unit::types::{FunctionTy, Ty};
use crate::diag::Diagnostic;
use crate::source::Span;

impl Parser {
    pub(super) fn unit(&mut self) {
        while self.peek().kind != Kind::End {
            let from = self.at;
            if let Err(diagnostic) = self.item() {
                self.errors.push(diagnostic);
                self.scopes.truncate(1);
                self.tags.truncate(1);
                self.function = None;
                self.depth = 0;
                if self.errors.len() > 100 {
                    return;
                }
                self.skip_item(from);
            }
        }
    }

    /// To the end of a declaration that is wrong.
    fn skip_item(&mut self, from: usize) {
        self.at = self.at.max(from + 1);
        let mut depth = self.braces_since(from);
        loop {
            let token = self.bump();
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            if token.kind == Kind::End || depth <= 0 && (token.is(";") || token.is("}")) {
                return;
            }
        }
    }

    fn item(&mut self) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.is("_Static_assert") {
            return self.static_assert();
        }
        if self.is("asm") {
            self.bump();
            self.skip_parentheses()?;
            return Ok(());
        }
        // `f() { … }` of old gives an `int`.
        let old = self.peek().kind == Kind::Ident && self.ahead(1).is("(") && !self.at_type();
        let specifiers = match old {
            true => Specifiers {
                ty: Ty::INT,
                typedef: false,
                is_static: false,
                is_extern: false,
                is_inline: false,
                thread_local: false,
            },
            false => self.specifiers()?,
        };
        if self.eat(";") {
            return Ok(());
        }
        loop {
            let (name, ty, span, params) = self.declarator_with_params(specifiers.ty.clone())?;
            if name.is_empty() {
                return Err(self.unexpected("a name"));
            }
            if specifiers.typedef {
                self.declare(&name, Entity::Type(ty, span), span)?;
            } else if let Ty::Function(function) = &ty {
                let (mut function, mut params) = (Rc::clone(function), params);
                if !self.is("{") && !self.is(";") && !self.is(",") && !self.is("=") {
                    function = self.old_parameters(&function, &mut params)?;
                }
                let id = self.declare_function(&name, &function, specifiers.is_static, span)?;
                if self.is("{") {
                    return self.body(id, &function, &params, specifiers.is_inline, span);
                }
            } else {
                self.global(&name, ty, &specifiers, span)?;
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";", "after the declaration")?;
        Ok(())
    }

    /// `int f(a, b) int a; char *b; { … }`: the types of parameters that only have names yet.
    fn old_parameters(
        &mut self,
        function: &Rc<FunctionTy>,
        names: &mut [(Arc<str>, Span)],
    ) -> Parsed<Rc<FunctionTy>> {
        let mut types = (**function).clone();
        while !self.is("{") {
            let specifiers = self.specifiers()?;
            loop {
                let (name, ty, span) = self.declarator(specifiers.ty.clone())?;
                let Some(at) = names.iter().position(|(known, _)| *known == name) else {
                    return Err(Diagnostic::error("c::parameter", format!("`{name}` is no parameter"))
                        .at(span, "declared as one here"));
                };
                names[at].1 = span;
                types.params[at] = ty.into_parameter();
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";", "after the parameters")?;
        }
        Ok(Rc::new(types))
    }

    /// `f(int n, int a[][n])`: the lengths of arrays that other parameters tell.
    fn parameter_sizes(&mut self, params: &[usize], lengths: Vec<(usize, Vec<Token>)>) -> Parsed<Vec<Stmt>> {
        let mut stmts = Vec::new();
        for (at, param) in params.iter().enumerate() {
            let mut exprs = Vec::new();
            for (_, tokens) in lengths.iter().filter(|(of, _)| *of == at) {
                exprs.push(self.read_again(tokens)?);
            }
            if !exprs.is_empty() {
                let (name, ty) = (
                    self.unit.variables[*param].name.as_str().into(),
                    self.unit.variables[*param].ty.clone(),
                );
                self.unit.variables[*param].ty =
                    self.with_sizes(&name, &ty, &mut exprs.into_iter(), &mut stmts)?;
            }
        }
        Ok(stmts)
    }

    /// An expression that was passed over before.
    fn read_again(&mut self, tokens: &[Token]) -> Parsed<Expr> {
        let mut tokens = tokens.to_vec();
        let end = Token { kind: Kind::End, text: "".into(), ..self.peek().clone() };
        tokens.push(end);
        let kept = (std::mem::replace(&mut self.tokens, tokens), std::mem::replace(&mut self.at, 0));
        let e = self.conditional();
        (self.tokens, self.at) = kept;
        e
    }

    /// A body that is not looked at.
    fn skip_braces(&mut self) -> Parsed<()> {
        let mut depth = 0;
        loop {
            let token = self.bump();
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            if token.kind == Kind::End || depth == 0 {
                return Ok(());
            }
        }
    }

    pub(super) fn declare_function(
        &mut self,
        name: &Arc<str>,
        types: &Rc<FunctionTy>,
        is_static: bool,
        span: Span,
    ) -> Parsed<usize> {
        let ty = Ty::Function(Rc::clone(types));
        self.is_still(name, &Entity::Function(0), Some(&ty), 0, span)?;
        // What a header of ours has is there once, in however many files it is.
        let is_static = is_static && !self.is_ours(span);
        let known = self.known_function(name, is_static);
        // A function of a file's own is not the one that a header has.
        let known = known.filter(|id| !is_static || !self.is_ours(self.unit.functions[*id].span));
        let id = known.unwrap_or_else(|| {
            self.unit.functions.push(Function {
                name: name.to_string(),
                span,
                result: types.result.clone(),
                params: Vec::new(),
                body: None,
                types: Rc::clone(types),
            });
            self.unit.functions.len() - 1
        });
        // The declaration that tells the parameters wins.
        if self.unit.functions[id].body.is_none() {
            self.unit.functions[id].types = Rc::clone(types);
            self.unit.functions[id].result = types.result.clone();
        }
        if let Some(scope) = self.scopes.first_mut() {
            scope.insert(Arc::clone(name), Entity::Function(id));
        }
        // `static` once is `static` for the whole file.
        let is_known =
            known.is_some() && !matches!(self.known.get(name), Some(Entity::Function(same)) if *same == id);
        self.share(name, Entity::Function(id), is_static || is_known);
        Ok(id)
    }

    fn body(
        &mut self,
        id: usize,
        function: &Rc<FunctionTy>,
        names: &[(Arc<str>, Span)],
        is_inline: bool,
        span: Span,
    ) -> Parsed<()> {
        let name = self.unit.functions[id].name.clone();
        let lengths = std::mem::take(&mut self.lengths_of_parameters);
        // A program may have its own function of a name that a header of ours has.
        let ours = self.unit.functions[id].body.is_some() && self.is_ours(self.unit.functions[id].span);
        if ours && !self.is_ours(self.span()) {
            self.unit.functions[id].body = None;
            self.unit.functions[id].span = span;
            self.unit.functions[id].types = Rc::clone(function);
            self.unit.functions[id].result = function.result.clone();
        }
        let is_first_here = self.defined_here.insert(Object::Function(id));
        let elsewhere = is_first_here && (is_inline || self.is_ours(span));
        if (self.is_library || elsewhere) && self.unit.functions[id].body.is_some() {
            // The program has its own, or another file has the same.
            return self.skip_braces();
        }
        if self.unit.functions[id].body.is_some() {
            return Err(Diagnostic::error("c::duplicate", format!("`{name}` is defined twice"))
                .at(self.unit.functions[id].span, "here")
                .at(self.span(), "and here"));
        }
        self.enter();
        let mut params = Vec::new();
        for (ty, (name, span)) in function.params.iter().zip(names) {
            let variable = self.variable(name, ty.clone(), Life::Block, *span);
            self.declare(name, Entity::Variable(variable), *span)?;
            params.push(variable);
        }
        let result = self.unit.functions[id].result.clone();
        self.function = Some(Current { name, result, labels: HashMap::new() });
        let mut body = self.parameter_sizes(&params, lengths)?;
        self.unit.functions[id].params = params;
        let opened = self.bump().span;
        body.extend(self.statements()?);
        let closed = self.expect("}", "after the body of the function");
        closed.map_err(|diagnostic| diagnostic.at(opened, "the body begins here"))?;
        self.function = None;
        self.leave();
        self.unit.functions[id].body = Some(body);
        Ok(())
    }

    fn global(&mut self, name: &Arc<str>, ty: Ty, specifiers: &Specifiers, span: Span) -> Parsed<()> {
        self.is_still(name, &Entity::Variable(0), Some(&ty), 0, span)?;
        let life = if specifiers.thread_local { Life::Thread } else { Life::Static };
        let is_static = specifiers.is_static && !self.is_ours(span);
        let known = self.known_variable(name, is_static);
        let id = match known {
            Some(known) => {
                // The declaration that knows the length wins; another file has its own types.
                let is_new = !self.scopes[0].contains_key(name);
                let has_size = |ty: &Ty| ty.size(&self.unit.records).is_some();
                if !has_size(&self.unit.variables[known].ty) || is_new && has_size(&ty) {
                    self.unit.variables[known].ty = ty;
                }
                known
            }
            None => self.variable(name, ty, life, span),
        };
        if life == Life::Static {
            self.unit.variables[id].addressed = true;
            self.unit.variables[id].escapes = true;
        }
        self.define(name, Entity::Variable(id));
        let is_known =
            known.is_some() && !matches!(self.known.get(name), Some(Entity::Variable(same)) if *same == id);
        self.share(name, Entity::Variable(id), is_static || is_known);
        if !specifiers.is_extern || self.is("=") {
            self.define_variable(id, name, span)?;
        }
        if self.eat("=") {
            let variable = &self.unit.variables[id];
            if variable.init.is_some() && !self.is_library && !self.is_ours(span) {
                return Err(Diagnostic::error("c::duplicate", format!("`{name}` is defined twice"))
                    .at(variable.span, "here")
                    .at(span, "and here"));
            }
            self.initialise(id)?;
        }
        Ok(())
    }

    /// `_Static_assert(e, "…");`
    pub(super) fn static_assert(&mut self) -> Parsed<()> {
        let start = self.bump().span;
        self.expect("(", "after `_Static_assert`")?;
        let value = self.constant_expression()?;
        while !self.is(")") && self.peek().kind != Kind::End {
            self.bump();
        }
        self.expect(")", "after the assertion")?;
        self.expect(";", "after the assertion")?;
        match value {
            0 => Err(Diagnostic::error("c::static-assert", "this static assertion does not hold")
                .at(self.since(start), "here")),
            _ => Ok(()),
        }
    }
}
