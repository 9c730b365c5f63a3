//! Initial values: lists with and without braces, designators, strings.

use super::{Parsed, Parser};
use crate::arch::c::preprocess::{Kind, string_bytes};
use crate::arch::c::unit::tree::{Expr, Part};
use crate::arch::c::unit::types::{Place, Ty};
use crate::diag::Diagnostic;

impl Parser {
    /// The initial value of a variable, after the `=`.
    pub(super) fn initialise(&mut self, id: usize) -> Parsed<()> {
        let ty = self.unit.variables[id].ty.clone();
        let (parts, length) = self.initial_value(&ty)?;
        if let (Ty::Array(target, None), Some(n)) = (&ty, length) {
            self.unit.variables[id].ty = Ty::Array(target.clone(), Some(n));
        }
        self.unit.variables[id].init = Some(parts);
        Ok(())
    }

    /// The parts of an initial value, and the length of an array whose length it tells.
    pub(super) fn initial_value(&mut self, ty: &Ty) -> Parsed<(Vec<Part>, Option<u64>)> {
        let mut parts = Vec::new();
        let length = self.nested(|p| p.value(ty, 0, None, &mut parts, None))?;
        Ok((parts, length))
    }

    /// One object. `first`: an expression that was read already; for arrays, the number of elements is given back.
    fn value(
        &mut self,
        ty: &Ty,
        offset: u64,
        bits: Option<(u8, u8)>,
        parts: &mut Vec<Part>,
        first: Option<Expr>,
    ) -> Parsed<Option<u64>> {
        if self.depth > 80 {
            return Err(
                Diagnostic::unsupported("c::nesting", "this is nested too deeply").at(self.span(), "here")
            );
        }
        if let (Ty::Array(target, length), None) = (ty.plain(), &first)
            && target.as_int().is_some_and(|int| int.bytes == 1)
        {
            let braces = self.is("{") && self.ahead(1).kind == Kind::Str;
            if braces || self.peek().kind == Kind::Str {
                if braces {
                    self.bump();
                }
                let n = self.string_value(target, *length, offset, parts)?;
                if braces {
                    self.eat(",");
                    self.expect("}", "after the string")?;
                }
                return Ok(Some(n));
            }
        }
        if first.is_none() && self.is("{") && self.ahead(1).is("{") && self.is_opaque(ty) {
            self.foreign_value()?;
            return Ok(None);
        }
        match ty.plain() {
            Ty::Array(..) | Ty::Record(_) if first.is_none() && self.is("{") => {
                self.bump();
                self.depth += 1;
                let result = self.list(ty, offset, parts, None, true);
                self.depth -= 1;
                let n = result?;
                self.expect("}", "after the values")?;
                Ok(n)
            }
            Ty::Array(..) | Ty::Record(_) => {
                let e = match first {
                    Some(e) => e,
                    None => self.assignment()?,
                };
                if e.ty.plain() == ty.plain() {
                    parts.push(Part { offset, ty: ty.clone(), bits, value: e });
                    return Ok(None);
                }
                self.depth += 1;
                let result = self.list(ty, offset, parts, Some(e), false);
                self.depth -= 1;
                result
            }
            _ => {
                let braces = first.is_none() && self.eat("{");
                let e = match first {
                    Some(e) => e,
                    None if braces && self.is("}") => Expr::int(0, Ty::INT, self.span()),
                    None => self.assignment()?,
                };
                let value = self.convert(e, ty)?;
                parts.push(Part { offset, ty: ty.clone(), bits, value });
                if braces {
                    self.eat(",");
                    self.expect("}", "after the value")?;
                }
                Ok(None)
            }
        }
    }

    /// Is it a type of a library that our headers have another one for?
    fn is_opaque(&self, ty: &Ty) -> bool {
        matches!(ty.plain(), Ty::Record(id) if self.unit.records[*id].name.starts_with("__litmus_"))
    }

    /// The value that another system's header gives to a lock: all zeros, whatever its members are.
    fn foreign_value(&mut self) -> Parsed<()> {
        let start = self.span();
        let mut open = 0usize;
        loop {
            let token = self.bump();
            match &*token.text {
                "{" => open += 1,
                "}" => open -= 1,
                kind if kind.contains("RECURSIVE") || kind.contains("ERRORCHECK") => {
                    return Err(Diagnostic::unsupported(
                        "c::initial-value",
                        "a lock of another kind that starts with a value of its library",
                    )
                    .at(token.span, "here")
                    .help("make it with `pthread_mutex_init`"));
                }
                _ if token.kind == Kind::End => {
                    return Err(Diagnostic::error(
                        "c::syntax",
                        "expected `}` after the values, found the end of the file",
                    )
                    .at(start, "they begin here"));
                }
                _ => {}
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn string_value(
        &mut self,
        target: &Ty,
        length: Option<u64>,
        offset: u64,
        parts: &mut Vec<Part>,
    ) -> Parsed<u64> {
        let span = self.span();
        let mut bytes = Vec::new();
        while self.peek().kind == Kind::Str {
            let text = self.bump().text;
            bytes.extend(string_bytes(&text));
        }
        bytes.push(0);
        let n = length.unwrap_or(bytes.len() as u64);
        bytes.truncate(n as usize);
        for (index, byte) in bytes.iter().enumerate() {
            let value = self.convert(Expr::int(i128::from(*byte), Ty::INT, span), target)?;
            parts.push(Part { offset: offset + index as u64, ty: target.clone(), bits: None, value });
        }
        Ok(n)
    }

    /// The members of an aggregate, one after the other. Gives the number of elements.
    fn list(
        &mut self,
        ty: &Ty,
        offset: u64,
        parts: &mut Vec<Part>,
        mut first: Option<Expr>,
        braced: bool,
    ) -> Parsed<Option<u64>> {
        let mut next = 0u64;
        let mut most = 0u64;
        loop {
            if braced && self.is("}") && first.is_none() {
                break;
            }
            let start = self.span();
            let designated = braced
                && (self.is("[") || self.is(".") || self.peek().kind == Kind::Ident && self.ahead(1).is(":"));
            if designated {
                let (low, high, target, inside, bits) = self.designator(ty)?;
                let from = self.at;
                for index in low..=high {
                    self.at = from;
                    let stride = match ty.plain() {
                        Ty::Array(element, _) => {
                            element.size(&self.unit.records).unwrap_or(0) * (index - low)
                        }
                        _ => 0,
                    };
                    self.value(&target, offset + inside + stride, bits, parts, None)?;
                }
                next = high + 1;
            } else {
                let Some((inside, target, bits)) = self.member_at(ty, next) else {
                    if !braced {
                        break;
                    }
                    return Err(Diagnostic::error("c::initial-value", "more values than there is room for")
                        .at(start, "this one is too many"));
                };
                self.value(&target, offset + inside, bits, parts, first.take())?;
                next += 1;
            }
            most = most.max(next);
            if braced {
                if !self.eat(",") {
                    break;
                }
            } else {
                // Without braces: as many as there are members, the rest belongs to what is around.
                let more = self.member_at(ty, next).is_some()
                    && matches!(ty.plain(), Ty::Array(_, Some(_)) | Ty::Record(_));
                if !more
                    || !self.is(",")
                    || self.ahead(1).is("}")
                    || self.ahead(1).is(".")
                    || self.ahead(1).is("[")
                {
                    break;
                }
                self.bump();
            }
        }
        Ok(Some(most))
    }

    /// The member with that number: type, offset, bits.
    fn member_at(&self, ty: &Ty, index: u64) -> Option<Place> {
        match ty.plain() {
            Ty::Array(target, length) => {
                let size = target.size(&self.unit.records)?;
                (length.is_none_or(|n| index < n)).then(|| (index * size, (**target).clone(), None))
            }
            Ty::Record(id) => {
                let record = &self.unit.records[*id];
                if record.union && index > 0 {
                    return None;
                }
                let field = record.fields.get(index as usize)?;
                Some((field.offset, field.ty.clone(), field.bits))
            }
            _ => None,
        }
    }

    /// `[2]`, `[1 ... 3]`, `.a.b[0]`, up to and with the `=`: first and last index of the outermost level, then type, offset and bits of
    /// what is meant.
    #[allow(clippy::type_complexity)]
    fn designator(&mut self, ty: &Ty) -> Parsed<(u64, u64, Ty, u64, Option<(u8, u8)>)> {
        let (mut target, mut offset, mut bits) = (ty.clone(), 0u64, None);
        let mut outermost: Option<(u64, u64)> = None;
        loop {
            let start = self.span();
            let (low, high) = if self.eat("[") {
                let low = self.constant_expression()?;
                let high = if self.eat("...") { self.constant_expression()? } else { low };
                self.expect("]", "after the index")?;
                let Ty::Array(element, length) = target.plain().clone() else {
                    return Err(Diagnostic::error("c::initial-value", "an index into what is no array")
                        .at(start, "here"));
                };
                let inside = |n: i128| n >= 0 && length.is_none_or(|length| n < i128::from(length));
                if !inside(low) || !inside(high) || high - low > 65_536 {
                    return Err(
                        Diagnostic::error("c::initial-value", "an index outside the array").at(start, "here")
                    );
                }
                offset += low as u64 * self.size_of(&element, start)?;
                target = (*element).clone();
                (low as u64, (high as u64).max(low as u64))
            } else if self.is(".") || self.peek().kind == Kind::Ident && self.ahead(1).is(":") {
                let old = !self.eat(".");
                let name = self.bump().text;
                if old {
                    self.bump();
                }
                let Ty::Record(id) = target.plain() else {
                    return Err(Diagnostic::error(
                        "c::initial-value",
                        format!("`.{name}` of what is no structure"),
                    )
                    .at(start, "here"));
                };
                let record = &self.unit.records[*id];
                let position = record.fields.iter().position(|f| f.name == *name);
                let Some((at, ty, b)) = record.member(&name, &self.unit.records) else {
                    return Err(Diagnostic::error("c::member", format!("there is no member `{name}`"))
                        .at(start, "here"));
                };
                offset += at;
                target = ty;
                bits = b;
                let index = position.unwrap_or(0) as u64;
                if old {
                    let (low, high) = outermost.unwrap_or((index, index));
                    return Ok((low, high, target, offset, bits));
                }
                (index, index)
            } else {
                break;
            };
            outermost.get_or_insert((low, high));
        }
        self.expect("=", "after the designator")?;
        let (low, high) = outermost.unwrap_or((0, 0));
        Ok((low, high, target, offset, bits))
    }
}
