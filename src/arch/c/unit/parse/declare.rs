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
            let (outer, _) = self.suffix(ty)?;
            let end = self.at;
            self.at = inside + 1;
            let result = self.nested(|p| p.declarator_with_params(outer))?;
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
            } else if self.is("__attribute__") {
                self.attributes()?;
            } else if !(self.eat("const") || self.eat("volatile") || self.eat("restrict")) {
                return Ok(ty);
            }
        }
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
                    let mut depth = 0;
                    while depth > 0 || !self.is("]") {
                        let token = self.bump();
                        if token.kind == Kind::End {
                            return Err(self.unexpected("`]`"));
                        }
                        depth += i32::from(token.is("[")) - i32::from(token.is("]"));
                    }
                    None
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
            if matches!(element, Ty::Function(_) | Ty::Void) {
                return Err(Diagnostic::error("c::array", "an array of what has no size").at(start, "here"));
            }
            return Ok((Ty::Array(Rc::new(element), length), Vec::new()));
        }
        if self.is("(") {
            self.bump();
            let mut params = Vec::new();
            let mut names = Vec::new();
            let mut variadic = false;
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
                let specifiers = self.nested(Self::specifiers)?;
                // Of an array that is a parameter only the elements count.
                self.is_parameter = true;
                let declared = self.declarator(specifiers.ty);
                self.is_parameter = false;
                let (name, ty, span) = declared?;
                let ty = match ty {
                    Ty::Array(target, _) => Ty::Pointer(target),
                    Ty::Function(_) => ty.pointer(),
                    other => other,
                };
                params.push(ty);
                names.push((name, span));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", "after the parameters")?;
            let function = FunctionTy { result: ty, params, variadic };
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
