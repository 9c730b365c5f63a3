//! Declarators: stars, arrays, functions around a name.

use std::rc::Rc;
use std::sync::Arc;

use super::{Parsed, Parser};
use crate::arch::c::preprocess::Kind;
use crate::arch::c::unit::types::{FunctionTy, Ty};
use crate::diag::Diagnostic;
use crate::source::Span;

impl Parser {
    /// `*x[3]` and the like, around a base type: name, type, place. The name may be missing where a type alone is meant.
    pub(super) fn declarator(&mut self, base: Ty) -> Parsed<(Arc<str>, Ty, Span)> {
        let (name, ty, span, _) = self.nested(|p| p.declarator_with_params(base))?;
        Ok((name, ty, span))
    }

    /// The same, with the names of the parameters of a function.
    #[allow(clippy::type_complexity)]
    pub(super) fn declarator_with_params(
        &mut self,
        base: Ty,
    ) -> Parsed<(Arc<str>, Ty, Span, Vec<(Arc<str>, Span)>)> {
        let mut ty = self.stars(base)?;
        let start = self.span();
        // `(*f)(int)`: what is inside applies after what follows.
        if self.is("(") && !self.is_type_at(1) && !self.ahead(1).is(")") {
            let inside = self.at;
            self.skip_parentheses()?;
            let (outer, params) = self.suffix(ty)?;
            let end = self.at;
            self.at = inside + 1;
            let mut result = self.nested(|p| p.declarator_with_params(outer))?;
            // `(f)(int a)`: a name in parentheses, as if there were none.
            if self.at == inside + 2 {
                result.3 = params;
            }
            self.expect(")", "after the name")?;
            self.at = end;
            return Ok(result);
        }
        let name = match self.peek().kind {
            Kind::Ident => self.bump().text,
            _ => "".into(),
        };
        self.asm_name()?;
        self.attributes()?;
        let params;
        (ty, params) = self.suffix(ty)?;
        self.asm_name()?;
        self.attributes()?;
        Ok((name, ty, start, params))
    }

    fn asm_name(&mut self) -> Parsed<()> {
        if self.is("asm") && self.ahead(1).is("(") {
            self.bump();
            self.skip_parentheses()?;
        }
        Ok(())
    }

    fn stars(&mut self, base: Ty) -> Parsed<Ty> {
        let mut ty = base;
        loop {
            if self.eat("*") {
                ty = ty.pointer();
            } else if self.eat("_Atomic") {
                ty = Ty::Atomic(Rc::new(ty));
            } else if self.eat("const") {
                ty = ty.constant();
            } else if self.is("__attribute__") {
                self.attributes()?;
            } else if !(self.eat("volatile") || self.eat("restrict")) {
                return Ok(ty);
            }
        }
    }

    /// To the `]` that closes what was opened before.
    fn skip_to_bracket(&mut self) -> Parsed<()> {
        let mut depth = 0;
        while depth > 0 || !self.is("]") {
            let token = self.bump();
            if token.kind == Kind::End {
                return Err(self.unexpected("`]`"));
            }
            depth += i32::from(token.is("[")) - i32::from(token.is("]"));
        }
        Ok(())
    }

    /// Arrays and parameters after a name.
    #[allow(clippy::type_complexity)]
    fn suffix(&mut self, ty: Ty) -> Parsed<(Ty, Vec<(Arc<str>, Span)>)> {
        if self.is("[") {
            let start = self.bump().span;
            while self.eat("static") || self.eat("const") || self.eat("restrict") || self.eat("volatile") {}
            let length = match self.is("]") {
                true => None,
                false if std::mem::take(&mut self.is_parameter) => {
                    self.skip_to_bracket()?;
                    None
                }
                false if self.in_parameters > 0 => {
                    let from = self.at;
                    let length = self.nested(Self::conditional);
                    match length.ok().filter(|_| self.is("]")).and_then(|length| self.constant_of(&length)) {
                        Some(n) => u64::try_from(n).ok(),
                        // The body knows the other parameters.
                        None => {
                            self.at = from;
                            self.skip_to_bracket()?;
                            let tokens = self.tokens[from..self.at].to_vec();
                            self.expect("]", "after the length of the array")?;
                            let (element, _) = self.nested(|p| p.suffix(ty))?;
                            self.lengths_of_parameters.push((self.in_parameters - 1, tokens));
                            return Ok((Ty::Array(Rc::new(element), None), Vec::new()));
                        }
                    }
                }
                false => {
                    let length = self.nested(Self::conditional)?;
                    let Some(n) = self.constant_of(&length) else {
                        if self.function.is_none() {
                            return Err(super::stmt::computed(&length));
                        }
                        // A declaration inside a function knows what to do with it.
                        self.expect("]", "after the length of the array")?;
                        let (element, _) = self.nested(|p| p.suffix(ty))?;
                        self.computed_lengths.push(length);
                        return Ok((Ty::Array(Rc::new(element), None), Vec::new()));
                    };
                    let n = u64::try_from(n).map_err(|_| {
                        Diagnostic::error("c::array", format!("an array of {n} elements"))
                            .at(length.span, "here")
                    })?;
                    Some(n)
                }
            };
            self.expect("]", "after the length of the array")?;
            let (element, _) = self.nested(|p| p.suffix(ty))?;
            if matches!(element.plain(), Ty::Function(_) | Ty::Void) {
                return Err(Diagnostic::error("c::array", "an array of what has no size").at(start, "here"));
            }
            return Ok((Ty::Array(Rc::new(element), length), Vec::new()));
        }
        if self.is("(") {
            let start = self.bump().span;
            let mut params = Vec::new();
            let mut names = Vec::new();
            let mut variadic = false;
            let outer = self.in_parameters;
            self.lengths_of_parameters.clear();
            if self.is("void") && self.ahead(1).is(")") {
                self.bump();
            } else if self.is(")") {
                variadic = true;
            }
            while !self.is(")") {
                if self.eat("...") {
                    variadic = true;
                    break;
                }
                // `f(a, b)` of old: the types follow.
                if self.peek().kind == Kind::Ident
                    && !self.at_type()
                    && (self.ahead(1).is(",") || self.ahead(1).is(")"))
                    && (names.is_empty() || variadic)
                {
                    let token = self.bump();
                    params.push(Ty::INT);
                    names.push((token.text, token.span));
                    variadic = true;
                    if !self.eat(",") {
                        break;
                    }
                    continue;
                }
                let specifiers = self.nested(Self::specifiers)?;
                // Of an array that is a parameter only the elements count.
                self.is_parameter = true;
                self.in_parameters = params.len() + 1;
                let storage = specifiers.is_static || specifiers.is_extern || specifiers.typedef;
                let declared = self.declarator(specifiers.ty);
                self.is_parameter = false;
                self.in_parameters = outer;
                let (name, ty, span) = declared?;
                if storage {
                    let message = "a parameter is neither `static` nor `extern` nor a `typedef`";
                    return Err(Diagnostic::error("c::parameter", message).at(span, "this one"));
                }
                self.holds_something(&ty, span)?;
                params.push(ty.into_parameter());
                names.push((name, span));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", "after the parameters")?;
            if matches!(ty, Ty::Array(..) | Ty::Function(_)) {
                let message = format!("a function does not give `{}`", self.describe(&ty));
                return Err(Diagnostic::error("c::type", message)
                    .at(self.since(start), "this function")
                    .help("let it give a pointer"));
            }
            // A value is not `const`, only an object.
            let function = FunctionTy { result: ty.mutable().clone(), params, variadic };
            return Ok((Ty::Function(Rc::new(function)), names));
        }
        Ok((ty, Vec::new()))
    }

    /// A type without a name, as in casts.
    pub(super) fn type_name(&mut self) -> Parsed<Ty> {
        let specifiers = self.nested(Self::specifiers)?;
        let (name, ty, span) = self.declarator(specifiers.ty)?;
        match name.is_empty() {
            true => Ok(ty),
            false => {
                Err(Diagnostic::error("c::type", format!("`{name}` has no place in a type")).at(span, "here"))
            }
        }
    }
}
