//! Statements.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::{Current, Entity, Parsed, Parser};
use crate::arch::c::preprocess::Kind;
use crate::arch::c::unit::tree::{Expr, ExprKind, Life, Operator, Part, Stmt, StmtKind};
use crate::arch::c::unit::types::{FunctionTy, Ty};
use crate::diag::Diagnostic;
use crate::source::Span;

/// Instructions that order everything before them with everything after them.
const FENCES: [&str; 10] =
    ["mfence", "sync", "hwsync", "dmb", "dsb", "fence", "lock; addl", "lock addl", "lock;addl", "membar"];

impl Parser {
    /// Up to the closing brace. What is wrong in one statement does not hide what is wrong in the next.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Stmt>> {
        let mut all = Vec::new();
        while !self.is("}") && self.peek().kind != Kind::End {
            let (from, depth) = (self.at, self.depth);
            let scopes = self.scopes.len();
            match self.nested(|p| p.statement(&mut all)) {
                Ok(()) => {}
                Err(diagnostic) => {
                    self.errors.push(diagnostic);
                    self.depth = depth;
                    self.scopes.truncate(scopes);
                    self.tags.truncate(scopes);
                    self.skip_statement(from);
                    if self.errors.len() > 100 {
                        return Err(
                            Diagnostic::error("c::errors", "too many errors").at(self.span(), "stopped here")
                        );
                    }
                }
            }
        }
        Ok(all)
    }

    fn skip_statement(&mut self, from: usize) {
        self.at = self.at.max(from);
        let mut depth = self.braces_since(from);
        loop {
            if depth == 0 && self.is("}") || self.peek().kind == Kind::End {
                return;
            }
            let token = self.bump();
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            if depth == 0 && (token.is(";") || token.is("}")) {
                return;
            }
        }
    }

    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{", "before the block")?;
        self.enter();
        let stmts = self.statements()?;
        self.leave();
        self.expect("}", "after the block")?;
        Ok(stmts)
    }

    /// One statement as a block of its own.
    fn inner(&mut self) -> Parsed<Box<Stmt>> {
        let start = self.span();
        let mut all = Vec::new();
        self.enter();
        self.nested(|p| p.statement(&mut all))?;
        // A label stands before the statement it belongs to.
        while matches!(all.last().map(|s: &Stmt| &s.kind), Some(StmtKind::Label(_) | StmtKind::Case(_))) {
            self.nested(|p| p.statement(&mut all))?;
        }
        self.leave();
        let span = self.since(start);
        Ok(Box::new(match all.len() {
            1 => all.remove(0),
            _ => Stmt { kind: StmtKind::Block(all), span },
        }))
    }

    /// One statement, or the declarations of one line.
    fn statement(&mut self, all: &mut Vec<Stmt>) -> Parsed<()> {
        self.cleanup = None;
        self.attributes()?;
        let start = self.span();
        let token = self.peek().clone();
        let word = if token.kind == Kind::Ident { &*token.text } else { "" };
        let kind = match word {
            _ if self.is("{") => StmtKind::Block(self.block()?),
            _ if self.eat(";") => StmtKind::Empty,
            "if" => {
                self.bump();
                let condition = self.condition()?;
                let then = self.inner()?;
                let otherwise = if self.eat("else") { Some(self.inner()?) } else { None };
                StmtKind::If(condition, then, otherwise)
            }
            "while" => {
                self.bump();
                let condition = self.condition()?;
                StmtKind::While(condition, self.inner()?)
            }
            "do" => {
                self.bump();
                let body = self.inner()?;
                self.expect("while", "after the body of `do`")?;
                let condition = self.condition()?;
                self.expect(";", "after `do … while`")?;
                StmtKind::DoWhile(body, condition)
            }
            "for" => self.for_loop()?,
            "switch" => {
                self.bump();
                self.expect("(", "after `switch`")?;
                let value = self.expression()?;
                let value = self.rvalue(value);
                self.expect(")", "after the value")?;
                let ty = value.ty.promoted();
                if ty.as_int().is_none() {
                    let message = format!("`switch` needs an integer, not `{}`", self.describe(&ty));
                    return Err(Diagnostic::error("c::type", message).at(value.span, "this value"));
                }
                let value = self.convert(value, &ty)?;
                StmtKind::Switch(value, self.inner()?)
            }
            "case" => {
                self.bump();
                let low = self.constant_expression()?;
                let high = if self.eat("...") { self.constant_expression()? } else { low };
                self.expect(":", "after `case`")?;
                StmtKind::Case(Some((low, high)))
            }
            "default" if self.ahead(1).is(":") => {
                self.bump();
                self.bump();
                StmtKind::Case(None)
            }
            "break" | "continue" => {
                self.bump();
                self.expect(";", "here")?;
                if word == "break" { StmtKind::Break } else { StmtKind::Continue }
            }
            "goto" => {
                self.bump();
                if self.peek().kind != Kind::Ident {
                    return Err(Diagnostic::unsupported("c::goto", "`goto` needs the name of a label")
                        .at(self.span(), "this is computed"));
                }
                let label = self.bump().text.to_string();
                self.expect(";", "after `goto`")?;
                StmtKind::Goto(label)
            }
            "return" => self.return_statement()?,
            "asm" => StmtKind::Expr(self.assembly()?),
            "_Static_assert" => {
                self.static_assert()?;
                return Ok(());
            }
            _ if !word.is_empty() && self.ahead(1).is(":") && !self.ahead(2).is(":") => {
                if word.starts_with("__CPROVER_ASYNC") {
                    self.bump();
                    self.bump();
                    let started = self.started_by_label(start)?;
                    all.push(Stmt { kind: StmtKind::Expr(started), span: self.since(start) });
                    return Ok(());
                }
                self.bump();
                self.bump();
                self.attributes()?;
                self.new_label(&token.text, start)?;
                StmtKind::Label(word.to_string())
            }
            _ if self.at_type() => return self.declaration(all),
            _ => {
                let value = self.expression()?;
                self.expect(";", "after the expression")?;
                StmtKind::Expr(value)
            }
        };
        all.push(Stmt { kind, span: self.since(start) });
        Ok(())
    }

    /// `__CPROVER_ASYNC_1: statement`: a thread that runs the statement, as a function of its own.
    fn started_by_label(&mut self, start: Span) -> Parsed<Expr> {
        let name = format!("__CPROVER_ASYNC_{}", self.unit.functions.len());
        let types = Rc::new(FunctionTy { result: Ty::INT, params: Vec::new(), variadic: false });
        let id = self.declare_function(&Arc::from(name.as_str()), &types, true, start)?;
        // It has the variables of no function but its own.
        let around = self.scopes.split_off(1);
        let tags = self.tags.split_off(1);
        let function = self.function.replace(Current { name, result: Ty::INT, labels: HashMap::new() });
        let body = self.inner();
        self.function = function;
        self.scopes.truncate(1);
        self.scopes.extend(around);
        self.tags.truncate(1);
        self.tags.extend(tags);
        let help = "a thread that a label starts has the variables of no function: start it by `pthread_create`, and hand them on";
        self.unit.functions[id].body = Some(vec![*body.map_err(|diagnostic| diagnostic.help(help))?]);
        let none = Expr::int(0, Ty::ULONG, start);
        let function = self.function_name(id, start);
        let function = self.rvalue(function);
        let kind = ExprKind::Builtin("spawn", vec![none.clone(), function, none]);
        Ok(Expr { kind, ty: Ty::Void, span: self.since(start) })
    }

    /// A label stands in one place of its function.
    fn new_label(&mut self, label: &Arc<str>, span: Span) -> Parsed<()> {
        let labels = self.function.as_mut().map(|function| &mut function.labels);
        match labels.and_then(|labels| labels.insert(Arc::clone(label), span)) {
            Some(first) if first != span => {
                let twice = Diagnostic::error("c::duplicate", format!("`{label}:` stands there twice"));
                Err(twice.at(span, "here").at(first, "and here"))
            }
            _ => Ok(()),
        }
    }

    fn condition(&mut self) -> Parsed<Expr> {
        self.expect("(", "before the condition")?;
        let value = self.expression()?;
        let value = self.truth(value)?;
        self.expect(")", "after the condition")?;
        Ok(value)
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect("(", "after `for`")?;
        self.enter();
        let mut first = Vec::new();
        if !self.eat(";") {
            self.nested(|p| p.statement(&mut first))?;
        }
        let condition = match self.is(";") {
            true => None,
            false => {
                let value = self.expression()?;
                Some(self.truth(value)?)
            }
        };
        self.expect(";", "after the condition")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")", "after the step")?;
        let body = self.inner()?;
        self.leave();
        Ok(StmtKind::For(first, condition, step, body))
    }

    fn return_statement(&mut self) -> Parsed<StmtKind> {
        let span = self.bump().span;
        if self.eat(";") {
            return Ok(StmtKind::Return(None));
        }
        let value = self.expression()?;
        let result = self.function.as_ref().map_or(Ty::Void, |f| f.result.clone());
        self.expect(";", "after the result")?;
        if *result.plain() == Ty::Void {
            // `return f();` where both give nothing.
            return match value.ty.plain() {
                Ty::Void => Ok(StmtKind::Return(Some(value))),
                _ => Err(Diagnostic::error("c::void", "a function without a result returns a value")
                    .at(span, "here")),
            };
        }
        Ok(StmtKind::Return(Some(self.convert(value, &result)?)))
    }

    /// A declaration inside a function.
    fn declaration(&mut self, all: &mut Vec<Stmt>) -> Parsed<()> {
        let specifiers = self.specifiers()?;
        let for_all = self.cleanup.take();
        while !self.is(";") {
            self.computed_lengths.clear();
            self.cleanup = for_all.clone();
            let (name, mut ty, span, _) = self.declarator_with_params(specifiers.ty.clone())?;
            if name.is_empty() {
                return Err(self.unexpected("a name"));
            }
            let local = !specifiers.typedef && !specifiers.is_extern && !specifiers.is_static;
            if let Some(length) = self.computed_lengths.first() {
                if !local || specifiers.thread_local {
                    return Err(computed(length));
                }
                let mut lengths = std::mem::take(&mut self.computed_lengths).into_iter();
                ty = self.with_sizes(&name, &ty, &mut lengths, all)?;
                if let Some(length) = lengths.next() {
                    return Err(computed(&length));
                }
            }
            if let Ty::Computed(element, size) = &ty {
                if self.is("=") {
                    return Err(Diagnostic::error(
                        "c::initial-value",
                        "an array of a computed length has no initial value",
                    )
                    .at(self.span(), "here")
                    .help("give it its values by `memset`, or in a loop"));
                }
                self.computed_array(&name, element, *size, span, all)?;
            } else if specifiers.typedef {
                self.declare(&name, Entity::Type(ty, span), span)?;
            } else if let Ty::Function(function) = &ty {
                if self.is("{") {
                    let inside =
                        Diagnostic::unsupported("c::nested", "functions inside functions are not supported");
                    return Err(inside
                        .at(span, "this one")
                        .help("if the function around it ends before, its `}` is missing"));
                }
                self.declare_function(&name, function, false, span)?;
            } else if specifiers.is_extern {
                self.is_still(&name, &Entity::Variable(0), Some(&ty), 0, span)?;
                let id = match self.known_variable(&name, false) {
                    Some(known) => known,
                    None => self.variable(&name, ty, Life::Static, span),
                };
                self.unit.variables[id].addressed = true;
                self.unit.variables[id].escapes = true;
                if self.scopes[0].insert(Arc::clone(&name), Entity::Variable(id)).is_none() {
                    self.share(&name, Entity::Variable(id), false);
                }
            } else {
                let keeps = specifiers.is_static || specifiers.thread_local;
                let life = match (specifiers.thread_local, specifiers.is_static) {
                    (true, _) => Life::Thread,
                    (_, true) => Life::Static,
                    _ => Life::Block,
                };
                let full = match (&self.function, keeps) {
                    (Some(function), true) => format!("{}.{name}", function.name),
                    _ => name.to_string(),
                };
                let id = self.variable(&full, ty, life, span);
                if life == Life::Static {
                    self.unit.variables[id].addressed = true;
                    self.unit.variables[id].escapes = true;
                }
                self.declare(&name, Entity::Variable(id), span)?;
                let cleanup = self.cleanup.take();
                if self.eat("=") {
                    self.initialise(id)?;
                }
                let ty = self.unit.variables[id].ty.clone();
                self.holds_something(&ty, span)?;
                self.size_of(&ty, span)?;
                if life == Life::Block {
                    all.push(Stmt { kind: StmtKind::Declare(id), span: self.since(span) });
                    if let Some((function, at)) = cleanup {
                        let call = self.cleanup_call(&function, id, at)?;
                        all.push(Stmt { kind: StmtKind::Cleanup(call), span: at });
                    }
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";", "after the declaration")?;
        Ok(())
    }

    /// `f(&x)`, at the end of the block of a variable.
    fn cleanup_call(&mut self, function: &Arc<str>, variable: usize, span: Span) -> Parsed<Expr> {
        let Some(Entity::Function(id)) = self.find(function).cloned() else {
            return Err(self.unknown_function(function, span));
        };
        let callee = self.function_name(id, span);
        let callee = self.rvalue(callee);
        let ty = self.unit.variables[variable].ty.clone();
        let object = Expr { kind: ExprKind::Var(variable), ty: ty.clone(), span };
        let address = Expr { kind: ExprKind::AddressOf(Box::new(object)), ty: ty.pointer(), span };
        let types = Rc::clone(&self.unit.functions[id].types);
        let address = match types.params.first() {
            Some(param) => self.convert(address, param)?,
            None => address,
        };
        let ty = types.result.plain().clone();
        Ok(Expr { kind: ExprKind::Call(Box::new(callee), vec![address]), ty, span })
    }

    /// A type whose arrays have computed lengths, the innermost first: a variable of its own knows the size of each.
    pub(super) fn with_sizes(
        &mut self,
        name: &Arc<str>,
        ty: &Ty,
        lengths: &mut dyn Iterator<Item = Expr>,
        all: &mut Vec<Stmt>,
    ) -> Parsed<Ty> {
        let (element, known) = match ty {
            Ty::Pointer(target) => return Ok(self.with_sizes(name, target, lengths, all)?.pointer()),
            Ty::Array(element, known) => (self.with_sizes(name, element, lengths, all)?, *known),
            other => return Ok(other.clone()),
        };
        let length = match known {
            Some(n) if !matches!(element, Ty::Computed(..)) => {
                return Ok(Ty::Array(Rc::new(element), Some(n)));
            }
            Some(n) => Expr::int(i128::from(n), Ty::ULONG, self.span()),
            None => match lengths.next() {
                Some(length) => length,
                None => return Ok(Ty::Array(Rc::new(element), None)),
            },
        };
        let (at, wide) = (length.span, Ty::ULONG);
        let length = self.convert(length, &wide)?;
        let each = self.size_value(&element, at)?;
        let kind = ExprKind::Binary(Operator::Mul, Box::new(length), Box::new(each));
        let size = self.variable(&format!("{name}.size"), wide.clone(), Life::Block, at);
        let value = Expr { kind, ty: wide.clone(), span: at };
        self.unit.variables[size].init = Some(vec![Part { offset: 0, ty: wide, bits: None, value }]);
        all.push(Stmt { kind: StmtKind::Declare(size), span: at });
        Ok(Ty::Computed(Rc::new(element), size))
    }

    /// `int a[n];`: a pointer to as much room as is asked for.
    fn computed_array(
        &mut self,
        name: &Arc<str>,
        element: &Ty,
        size: usize,
        span: Span,
        all: &mut Vec<Stmt>,
    ) -> Parsed<()> {
        let pointer = element.pointer();
        let array = self.variable(name, pointer.clone(), Life::Block, span);
        let asked = Expr { kind: ExprKind::Var(size), ty: Ty::ULONG, span };
        let value = Expr { kind: ExprKind::Builtin("alloca", vec![asked]), ty: pointer.clone(), span };
        self.unit.variables[array].init = Some(vec![Part { offset: 0, ty: pointer, bits: None, value }]);
        self.computed_sizes.insert(array, size);
        self.declare(name, Entity::Variable(array), span)?;
        all.push(Stmt { kind: StmtKind::Declare(array), span: self.since(span) });
        Ok(())
    }

    /// `asm volatile ("mfence" ::: "memory");`
    fn assembly(&mut self) -> Parsed<Expr> {
        let start = self.bump().span;
        while self.eat("volatile") || self.eat("goto") || self.eat("inline") {}
        self.expect("(", "after `asm`")?;
        let mut template = String::new();
        while self.peek().kind == Kind::Str {
            template.push_str(self.bump().text.trim_matches('"'));
        }
        let mut depth = 1;
        while depth > 0 {
            let token = self.bump();
            if token.kind == Kind::End {
                return Err(self.unexpected("`)`"));
            }
            depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        }
        self.expect(";", "after `asm`")?;
        let span = self.since(start);
        let text = template.replace("\\n", " ").replace("\\t", " ");
        let text = text.trim();
        let name = match text {
            "" | "nop" | "pause" | "yield" | "rep; nop" | "rep;nop" => "nothing",
            // What orders all but a store and a later load: `__ATOMIC_ACQ_REL`.
            "lwsync" | "sfence" | "lfence" => {
                let order = Expr::int(4, Ty::INT, span);
                return Ok(Expr { kind: ExprKind::Builtin("thread_fence", vec![order]), ty: Ty::Void, span });
            }
            _ if FENCES.iter().any(|fence| text.starts_with(fence)) => "full_fence",
            _ => {
                // The semicolon is where the next statement is looked for.
                self.at -= 1;
                return Err(Diagnostic::unsupported(
                    "c::asm",
                    "inline assembly, other than fences, is not supported",
                )
                .at(span, "here")
                .help("write the access in C, with the builtins of <stdatomic.h>"));
            }
        };
        Ok(Expr { kind: ExprKind::Builtin(name, Vec::new()), ty: Ty::Void, span })
    }
}

pub(super) fn computed(length: &Expr) -> Diagnostic {
    Diagnostic::unsupported("c::array", "the length of an array must be a constant")
        .at(length.span, "this one is computed")
}
