//! The outermost level: threads, helper functions, globals, `regions:`.

use super::{Definition, DefinitionBody, Parser};
use crate::arch::c::ast::{Declarator, Helper, Param, ThreadFn, Unit};
use crate::arch::c::lex::Tok;
use crate::arch::c::types::CType;
use crate::diag::Diagnostic;
use crate::source::Span;

impl Parser {
    pub(super) fn unit(&mut self) -> Result<Unit, Diagnostic> {
        let mut unit = Unit::default();
        while !self.at_end() {
            if self.is_word("regions") && self.is_at(1, ":") {
                self.regions(&mut unit)?;
            } else if self.is("{") {
                return Err(Diagnostic::unsupported("c::global-block", "a block outside every function")
                    .at(self.span(), "here")
                    .help("declare globals in the initial state, or as `int x = 1;` between the functions"));
            } else {
                self.item(&mut unit)?;
            }
        }
        self.check_threads(&unit)?;
        Ok(unit)
    }

    fn check_threads(&self, unit: &Unit) -> Result<(), Diagnostic> {
        if unit.threads.is_empty() {
            return Err(Diagnostic::error("c::no-threads", "this test has no threads")
                .at(self.region.sub(0, 0), "expected `P0(…) { … }`"));
        }
        for (index, thread) in unit.threads.iter().enumerate() {
            if thread.index != index {
                let message =
                    format!("threads are P0, P1, … in order: expected P{index}, found P{}", thread.index);
                return Err(Diagnostic::error("c::thread-order", message).at(thread.span, "this thread"));
            }
        }
        Ok(())
    }

    /// A thread, a helper function or a global.
    fn item(&mut self, unit: &mut Unit) -> Result<(), Diagnostic> {
        let typed = self.at_type();
        let result = if typed { Some(self.specifiers()?) } else { None };
        let result = match result {
            Some(base) => self.stars(base).ty,
            None => CType::Void,
        };
        let (name, span) = self.name("a thread such as `P0`, a function or a declaration")?;
        if self.is("(") {
            let params = self.params(thread_index(&name).is_some())?;
            let (body, body_span) = self.function_body()?;
            match thread_index(&name) {
                Some(index) => unit.threads.push(ThreadFn { index, span, params, body, body_span }),
                None => unit.helpers.push(Helper { name, span, result, params, body }),
            }
            return Ok(());
        }
        if !typed {
            return Err(self.unexpected("`(` after the name of a function"));
        }
        let first = self.declarator_after(name, span, result.clone())?;
        unit.globals.push(first);
        while self.eat(",") {
            let next: Declarator = self.declarator(&result)?;
            unit.globals.push(next);
        }
        self.expect(";", "after the declaration")?;
        Ok(())
    }

    fn params(&mut self, thread: bool) -> Result<Vec<Param>, Diagnostic> {
        self.expect("(", "before the parameters")?;
        let mut params: Vec<Param> = Vec::new();
        if self.is_word("void") && self.is_at(1, ")") {
            self.bump();
        }
        while !self.is(")") {
            if !(self.at_type() || self.is("(") && self.is_type_word(1)) {
                return Err(self.unexpected("the type of a parameter"));
            }
            let mut ty = self.full_type()?;
            let (name, span) = self.name("the name of a parameter")?;
            if self.eat("[") {
                if !self.is("]") {
                    self.bump();
                }
                self.expect("]", "after the bound of the array")?;
                ty.ty = ty.ty.pointer();
                ty.text.push('*');
            }
            if thread && ty.ty.target().is_none() {
                return Err(Diagnostic::error("c::parameter", format!("`{name}` is not a pointer"))
                    .at(span, "parameters of a thread are pointers to globals")
                    .help(format!(
                        "`{}* {name}` gives the thread the address of the global `{name}`",
                        ty.text
                    )));
            }
            if let Some(other) = params.iter().find(|p| p.name == name) {
                return Err(Diagnostic::error("c::duplicate", format!("`{name}` is a parameter twice"))
                    .at(span, "again here")
                    .at(other.span, "first here"));
            }
            params.push(Param { name, ty: ty.ty, type_text: ty.text, span });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the parameters")?;
        Ok(params)
    }

    /// `{ … }`, and the span of what is between the braces.
    fn function_body(&mut self) -> Result<(Vec<crate::arch::c::ast::Stmt>, Span), Diagnostic> {
        let open = self.expect("{", "before the body of the function")?;
        let body = self.statements()?;
        let close = self.expect("}", "after the body of the function")?;
        let span = Span { source: open.source, start: open.end, end: close.start.max(open.end) };
        Ok((body, span))
    }

    /// `regions: x: shared, y: local`.
    fn regions(&mut self, unit: &mut Unit) -> Result<(), Diagnostic> {
        self.bump();
        self.bump();
        loop {
            let (global, _) = self.name("the name of a global")?;
            self.expect(":", "after the global")?;
            while let Tok::Ident(region) = self.peek() {
                unit.regions.push((global.clone(), region.clone()));
                self.bump();
            }
            if !self.eat(",") {
                break;
            }
        }
        self.eat(";");
        Ok(())
    }

    /// One entry of a `.def` file.
    pub(super) fn definition(&mut self) -> Result<Definition, Diagnostic> {
        let (name, span) = self.name("the name of a function")?;
        self.expect("(", "after the name of the function")?;
        let mut params = Vec::new();
        while !self.is(")") {
            params.push(self.name("the name of a parameter")?.0);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the parameters")?;
        let body = if self.is("{") {
            self.bump();
            let body = self.statements()?;
            self.expect("}", "after the body of the function")?;
            DefinitionBody::Stmts(body)
        } else {
            DefinitionBody::Expr(self.expression()?)
        };
        Ok(Definition { name, span, params, body })
    }
}

/// `P12` is thread 12.
fn thread_index(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('P')?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}
