//! What stands outside every function.

use std::rc::Rc;
use std::sync::Arc;

use super::specifiers::Specifiers;
use super::{Current, Entity, Parsed, Parser};
use crate::arch::c::preprocess::Kind;
use crate::arch::c::unit::tree::{Function, Life};
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
        let mut depth = 0;
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
                self.define(&name, Entity::Type(ty));
            } else if let Ty::Function(function) = &ty {
                let id = self.declare_function(&name, function, span);
                if self.is("{") {
                    return self.body(id, &function.params.clone(), &params);
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

    pub(super) fn declare_function(&mut self, name: &Arc<str>, types: &Rc<FunctionTy>, span: Span) -> usize {
        let known = self.unit.functions.iter().position(|f| f.name == **name);
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
        id
    }

    fn body(&mut self, id: usize, types: &[Ty], names: &[(Arc<str>, Span)]) -> Parsed<()> {
        let name = self.unit.functions[id].name.clone();
        if self.unit.functions[id].body.is_some() {
            return Err(Diagnostic::error("c::duplicate", format!("`{name}` is defined twice"))
                .at(self.unit.functions[id].span, "here")
                .at(self.span(), "and here"));
        }
        self.enter();
        let mut params = Vec::new();
        for (ty, (name, span)) in types.iter().zip(names) {
            let variable = self.variable(name, ty.clone(), Life::Block, *span);
            self.define(name, Entity::Variable(variable));
            params.push(variable);
        }
        let result = self.unit.functions[id].result.clone();
        self.function = Some(Current { name, result });
        self.unit.functions[id].params = params;
        let opened = self.bump().span;
        let body = self.statements()?;
        let closed = self.expect("}", "after the body of the function");
        closed.map_err(|diagnostic| diagnostic.at(opened, "the body begins here"))?;
        self.function = None;
        self.leave();
        self.unit.functions[id].body = Some(body);
        Ok(())
    }

    fn global(&mut self, name: &Arc<str>, ty: Ty, specifiers: &Specifiers, span: Span) -> Parsed<()> {
        let life = if specifiers.thread_local { Life::Thread } else { Life::Static };
        let known = match self.scopes[0].get(name) {
            Some(Entity::Variable(known)) => Some(*known),
            _ => None,
        };
        let id = match known {
            Some(known) => {
                // The declaration that knows the length wins.
                if self.unit.variables[known].ty.size(&self.unit.records).is_none() {
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
        if self.eat("=") {
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
