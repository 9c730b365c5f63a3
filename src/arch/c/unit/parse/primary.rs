//! Names, numbers, strings, and what stands directly before or after them.

use std::sync::Arc;

use super::{Entity, Parsed, Parser};
use crate::arch::c::preprocess::{Kind, headers, string_bytes};
use crate::arch::c::unit::tree::{Expr, ExprKind, Life, Operator, Part};
use crate::arch::c::unit::types::{FunctionTy, Ty};
use crate::diag::{Diagnostic, nearest};
use crate::program::floats;
use crate::source::Span;

/// Words that no expression has.
const STATEMENTS: [&str; 12] =
    ["break", "case", "continue", "default", "do", "else", "for", "goto", "if", "return", "switch", "while"];

impl Parser {
    pub(super) fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let token = self.peek().clone();
        match &*token.text {
            "++" | "--" if token.kind == Kind::Punct => {
                self.bump();
                let operand = self.nested(Self::unary)?;
                let op = if &*token.text == "++" { Operator::Add } else { Operator::Sub };
                let one = Expr::int(1, Ty::INT, start);
                return self.update(op, operand, one, false, start);
            }
            "&" if token.kind == Kind::Punct => {
                self.bump();
                let operand = self.nested(Self::cast)?;
                let span = start.to(operand.span);
                if let Ty::Function(_) = operand.ty.plain() {
                    return Ok(self.rvalue(operand));
                }
                // `&a[0]` is `a`, `&*p` is `p`.
                if let ExprKind::Deref(pointer) = operand.kind {
                    return Ok(Expr { ty: operand.ty.pointer(), ..*pointer });
                }
                if !operand.is_object() {
                    return Err(Diagnostic::error("c::address", "only objects have an address")
                        .at(span, "this is none"));
                }
                if let ExprKind::Member(_, _, Some(_)) = operand.kind {
                    return Err(
                        Diagnostic::error("c::address", "bit-fields have no address").at(span, "here")
                    );
                }
                let ty = operand.ty.pointer();
                return Ok(Expr { kind: ExprKind::AddressOf(Box::new(operand)), ty, span });
            }
            "*" if token.kind == Kind::Punct => {
                self.bump();
                let operand = self.nested(Self::cast)?;
                return self.deref(operand, start);
            }
            "+" | "-" | "~" | "!" if token.kind == Kind::Punct => {
                self.bump();
                let operand = self.nested(Self::cast)?;
                return self.prefix(&token.text, operand, start);
            }
            "sizeof" | "_Alignof" if token.kind == Kind::Ident => {
                self.bump();
                let from = self.at;
                let ty = if self.is("(") && self.is_type_at(1) {
                    self.bump();
                    self.computed_lengths.clear();
                    let ty = self.type_name()?;
                    self.expect(")", "after the type")?;
                    // `(T){ … }`: the size of what it makes.
                    if self.is("{") {
                        self.at = from;
                        self.nested(Self::cast)?.ty
                    } else if token.is("sizeof") && !self.computed_lengths.is_empty() {
                        let mut lengths = std::mem::take(&mut self.computed_lengths).into_iter();
                        let span = self.since(start);
                        return self.computed_size(&ty, &mut lengths, span);
                    } else {
                        ty
                    }
                } else {
                    let operand = self.nested(Self::unary)?;
                    if let ExprKind::Var(id) = operand.kind
                        && let Some(size) = self.computed_sizes.get(&id).filter(|_| token.is("sizeof"))
                    {
                        let (kind, span) = (ExprKind::Var(*size), self.since(start));
                        return Ok(Expr { kind, ty: Ty::ULONG, span });
                    }
                    operand.ty
                };
                let span = self.since(start);
                return match &*token.text {
                    "sizeof" => self.size_value(&ty, span),
                    _ => Ok(Expr::int(i128::from(ty.align(&self.unit.records)), Ty::ULONG, span)),
                };
            }
            "__extension__" => {
                self.bump();
                return self.nested(Self::cast);
            }
            _ => {}
        }
        if self.is("(") && self.is_type_at(1) {
            return self.cast();
        }
        self.postfix()
    }

    /// The size of a type whose arrays have computed lengths, the innermost first.
    fn computed_size(
        &mut self,
        ty: &Ty,
        lengths: &mut dyn Iterator<Item = Expr>,
        span: Span,
    ) -> Parsed<Expr> {
        let Ty::Array(element, known) = ty else { return self.size_value(ty, span) };
        let each = self.computed_size(element, lengths, span)?;
        let length = match known {
            Some(n) => Some(Expr::int(i128::from(*n), Ty::ULONG, span)),
            None => lengths.next(),
        };
        let Some(length) = length else { return self.size_value(ty, span) };
        let length = self.convert(length, &Ty::ULONG)?;
        let kind = ExprKind::Binary(Operator::Mul, Box::new(length), Box::new(each));
        Ok(Expr { kind, ty: Ty::ULONG, span })
    }

    fn prefix(&mut self, text: &str, operand: Expr, start: Span) -> Parsed<Expr> {
        let operand = self.rvalue(operand);
        let span = start.to(operand.span);
        if text == "!" {
            let operand = self.truth(operand)?;
            let e = Expr { kind: ExprKind::Not(Box::new(operand)), ty: Ty::INT, span };
            return Ok(self.folded(e));
        }
        let ty = operand.ty.promoted();
        if ty.as_int().is_none() && !(matches!(ty, Ty::Float(_)) && text != "~") {
            return Err(Diagnostic::error("c::type", format!("`{text}` needs a number")).at(span, "here"));
        }
        let operand = self.convert(operand, &ty)?;
        let kind = match text {
            "+" => return Ok(operand),
            "-" => ExprKind::Neg(Box::new(operand)),
            _ => ExprKind::Complement(Box::new(operand)),
        };
        Ok(self.folded(Expr { kind, ty, span }))
    }

    fn folded(&self, e: Expr) -> Expr {
        match self.constant_of(&e) {
            Some(n) => Expr::int(n, e.ty, e.span),
            None => e,
        }
    }

    fn deref(&mut self, operand: Expr, start: Span) -> Parsed<Expr> {
        let operand = self.rvalue(operand);
        let span = start.to(operand.span);
        match operand.ty.plain().clone() {
            Ty::Pointer(target) => {
                let ty = (*target).clone();
                Ok(Expr { kind: ExprKind::Deref(Box::new(operand)), ty, span })
            }
            other => {
                Err(Diagnostic::error("c::type", format!("`{}` points at nothing", self.describe(&other)))
                    .at(span, "used as a pointer here"))
            }
        }
    }

    /// `(T) e` and `(T){ … }`.
    fn cast(&mut self) -> Parsed<Expr> {
        if !(self.is("(") && self.is_type_at(1)) {
            return self.nested(Self::unary);
        }
        let start = self.bump().span;
        let ty = self.type_name()?;
        self.expect(")", "after the type")?;
        if self.is("{") {
            let id = self.variable("literal", ty.clone(), Life::Block, start);
            let (parts, length) = self.initial_value(&ty)?;
            let ty = match (&ty, length) {
                (Ty::Array(target, None), Some(n)) => Ty::Array(target.clone(), Some(n)),
                _ => ty,
            };
            let variable = &mut self.unit.variables[id];
            variable.ty = ty.clone();
            variable.init = Some(parts);
            if self.function.is_none() {
                variable.life = Life::Static;
                let e = Expr { kind: ExprKind::Var(id), ty, span: self.since(start) };
                return self.postfix_of(e);
            }
            let e = Expr { kind: ExprKind::Literal(id), ty, span: self.since(start) };
            return self.postfix_of(e);
        }
        let operand = self.nested(Self::cast)?;
        let span = start.to(operand.span);
        let mut e = match ty.plain() {
            // A structure to itself.
            Ty::Record(_) if operand.ty.plain() == ty.plain() => operand,
            _ => self.convert(operand, &ty)?,
        };
        e.span = span;
        Ok(e)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let e = self.primary()?;
        self.postfix_of(e)
    }

    fn postfix_of(&mut self, mut e: Expr) -> Parsed<Expr> {
        loop {
            let start = e.span;
            if self.eat("[") {
                let index = self.expression()?;
                self.expect("]", "after the index")?;
                let sum = self.binary(Operator::Add, e, index, start)?;
                e = self.deref(sum, start)?;
                e.span = self.since(start);
            } else if self.eat(".") {
                e = self.member(e)?;
            } else if self.eat("->") {
                let object = self.deref(e, start)?;
                e = self.member(object)?;
            } else if self.is("++") || self.is("--") {
                let op = if self.is("++") { Operator::Add } else { Operator::Sub };
                let at = self.bump().span;
                let one = Expr::int(1, Ty::INT, at);
                e = self.update(op, e, one, true, at)?;
                e.span = start.to(at);
            } else if self.is("(") {
                e = self.call(e)?;
            } else {
                return Ok(e);
            }
        }
    }

    pub(super) fn member(&mut self, object: Expr) -> Parsed<Expr> {
        let token = self.bump();
        let Ty::Record(id) = object.ty.plain() else {
            return Err(Diagnostic::error(
                "c::member",
                format!("`{}` has no members", self.describe(&object.ty)),
            )
            .at(token.span, "this member")
            .at(object.span, "of this"));
        };
        let record = &self.unit.records[*id];
        let Some((offset, ty, bits)) = record.member(&token.text, &self.unit.records) else {
            let names: Vec<&str> = record.fields.iter().map(|f| f.name.as_str()).collect();
            let what = match record.complete {
                true => format!("`{}` has no member `{}`", self.describe(&object.ty), token.text),
                false => format!("the members of `{}` are not known here", self.describe(&object.ty)),
            };
            let diagnostic = Diagnostic::error("c::member", what).at(token.span, "here");
            return Err(match nearest(&token.text, names) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
        };
        let ty = if object.ty.is_constant() { ty.constant() } else { ty };
        let span = object.span.to(token.span);
        Ok(Expr { kind: ExprKind::Member(Box::new(object), offset, bits), ty, span })
    }

    fn call(&mut self, callee: Expr) -> Parsed<Expr> {
        let start = callee.span;
        let callee = self.rvalue(callee);
        let function = match callee.ty.plain() {
            Ty::Pointer(target) => match target.plain() {
                Ty::Function(function) => function.clone(),
                _ => return Err(Self::no_function(start)),
            },
            _ => return Err(Self::no_function(start)),
        };
        self.expect("(", "before the arguments")?;
        let mut args = Vec::new();
        while !self.is(")") {
            let e = self.assignment()?;
            args.push(match function.params.get(args.len()) {
                Some(ty) => self.convert(e, ty)?,
                None => self.further_argument(e)?,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the arguments")?;
        let span = self.since(start);
        let wrong =
            args.len() < function.params.len() || args.len() > function.params.len() && !function.variadic;
        if wrong {
            return Err(Diagnostic::error(
                "c::arguments",
                match function.params.len() {
                    1 => format!("this function takes one argument, not {}", args.len()),
                    n => format!("this function takes {n} arguments, not {}", args.len()),
                },
            )
            .at(span, "called here"));
        }
        let ty = function.result.plain().clone();
        Ok(Expr { kind: ExprKind::Call(Box::new(callee), args), ty, span })
    }

    /// An argument beyond the parameters.
    pub(super) fn further_argument(&mut self, e: Expr) -> Parsed<Expr> {
        match e.ty.plain() {
            Ty::Float(4) => self.convert(e, &Ty::Float(8)),
            _ => Ok(self.rvalue(e)),
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        let span = token.span;
        match token.kind {
            Kind::Number => {
                self.bump();
                number(&token.text, span)
            }
            Kind::Char => {
                self.bump();
                let value = string_bytes(&token.text).first().copied().unwrap_or(0);
                Ok(Expr::int(i128::from(value as i8), Ty::INT, span))
            }
            Kind::Str => {
                let mut bytes = Vec::new();
                while self.peek().kind == Kind::Str {
                    let text = self.bump().text;
                    bytes.extend(string_bytes(&text));
                }
                Ok(self.string(bytes, span))
            }
            Kind::Ident => self.name(&token.text, span),
            Kind::Punct if token.is("(") => {
                self.bump();
                if self.is("{") {
                    return self.statement_expression(span);
                }
                let mut e = self.expression()?;
                self.expect(")", "after the expression")?;
                e.span = self.since(span);
                Ok(e)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn string(&mut self, mut bytes: Vec<u8>, span: Span) -> Expr {
        bytes.push(0);
        let text = String::from_utf8_lossy(&bytes[..bytes.len() - 1]).into_owned();
        let ty = Ty::Array(std::rc::Rc::new(Ty::CHAR), Some(bytes.len() as u64));
        let id = self.variable(&format!("{text:?}"), ty.clone(), Life::Static, span);
        let parts = bytes.iter().enumerate().map(|(index, byte)| Part {
            offset: index as u64,
            ty: Ty::CHAR,
            bits: None,
            value: Expr::int(i128::from(*byte as i8), Ty::CHAR, span),
        });
        self.unit.variables[id].init = Some(parts.collect());
        Expr { kind: ExprKind::Var(id), ty, span }
    }

    /// `({ …; e; })`.
    fn statement_expression(&mut self, start: Span) -> Parsed<Expr> {
        self.bump();
        self.enter();
        let errors = self.errors.len();
        let stmts = self.statements()?;
        self.leave();
        self.expect("}", "after the statements")?;
        self.expect(")", "after the statements")?;
        if self.errors.len() > errors {
            // Said already, once.
            return Err(self.errors.pop().unwrap_or_else(|| self.unexpected("a statement")));
        }
        let ty = match stmts.last().map(|s| &s.kind) {
            Some(crate::arch::c::unit::tree::StmtKind::Expr(e)) => e.ty.decayed(),
            _ => Ty::Void,
        };
        Ok(Expr { kind: ExprKind::Statements(stmts), ty, span: self.since(start) })
    }

    fn name(&mut self, name: &Arc<str>, span: Span) -> Parsed<Expr> {
        self.bump();
        if &**name == "__FUNCTION__" {
            let text = self.function.as_ref().map_or("", |f| f.name.as_str()).as_bytes().to_vec();
            return Ok(self.string(text, span));
        }
        if &**name == "_Generic" {
            return self.generic();
        }
        if STATEMENTS.contains(&&**name) {
            let message = format!("expected an expression, found `{name}`");
            return Err(Diagnostic::error("c::syntax", message).at(span, "here"));
        }
        self.unit.has_kinds |= matches!(&**name, "__PTHREAD_RECURSIVE" | "__PTHREAD_ERRORCHECK");
        let entity = self.find(name).cloned();
        let defined = match &entity {
            Some(Entity::Function(id)) => self.unit.functions[*id].body.is_some(),
            Some(_) => true,
            None => false,
        };
        if !defined
            && self.is("(")
            && let Some(e) = self.builtin(name, span)?
        {
            return Ok(e);
        }
        match entity {
            Some(Entity::Variable(id)) => {
                let ty = self.unit.variables[id].ty.clone();
                Ok(Expr { kind: ExprKind::Var(id), ty, span })
            }
            Some(Entity::Constant(n, _)) => {
                let ty = match n {
                    _ if i32::try_from(n).is_ok() => Ty::INT,
                    _ if u32::try_from(n).is_ok() => Ty::UINT,
                    _ if i64::try_from(n).is_ok() => Ty::LONG,
                    _ => Ty::ULONG,
                };
                Ok(Expr::int(n, ty, span))
            }
            Some(Entity::Function(id)) => Ok(self.function_name(id, span)),
            Some(Entity::Type(..)) => Err(Diagnostic::error("c::syntax", format!("`{name}` is a type"))
                .at(span, "a value is needed here")),
            // As in C of old: it is declared, or defined, later, and gives an `int`.
            None if self.is("(") => {
                let types = FunctionTy { result: Ty::INT, params: Vec::new(), variadic: true };
                let id = self.declare_function(name, &std::rc::Rc::new(types), false, span)?;
                self.undeclared.push((id, span));
                Ok(self.function_name(id, span))
            }
            None => {
                let names: Vec<String> =
                    self.scopes.iter().flat_map(|scope| scope.keys().map(|k| k.to_string())).collect();
                let diagnostic = Diagnostic::error("c::unknown-name", format!("nobody declares `{name}`"))
                    .at(span, "used here");
                let near = nearest(name, names.iter().map(String::as_str));
                Err(match (headers::declaring(name), near) {
                    (Some(header), _) => diagnostic.help(format!("`#include <{header}>` declares it")),
                    (None, Some(near)) => diagnostic.help(format!("did you mean `{near}`?")),
                    (None, None) => diagnostic,
                })
            }
        }
    }

    /// Something that is no function before a `(`: as often as not, a statement that does not end.
    fn no_function(callee: Span) -> Diagnostic {
        Diagnostic::error("c::call", "this is no function")
            .at(callee, "called here")
            .help("if a statement ends there, its `;` is missing")
    }

    pub(super) fn function_name(&mut self, id: usize, span: Span) -> Expr {
        self.used.insert(id);
        let function = &self.unit.functions[id];
        let types = &function.types;
        let ty = Ty::Function(std::rc::Rc::clone(types));
        Expr { kind: ExprKind::Function(id), ty, span }
    }

    /// `_Generic(e, T: a, default: b)`.
    fn generic(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.expect("(", "after `_Generic`")?;
        let subject = self.assignment()?;
        let wanted = subject.ty.decayed();
        let mut chosen: Option<Expr> = None;
        let mut otherwise: Option<Expr> = None;
        while self.eat(",") {
            if self.eat("default") {
                self.expect(":", "after `default`")?;
                otherwise = Some(self.assignment()?);
                continue;
            }
            let ty = self.type_name()?;
            self.expect(":", "after the type")?;
            let e = self.assignment()?;
            if chosen.is_none() && (*ty.plain() == wanted) {
                chosen = Some(e);
            }
        }
        self.expect(")", "after the choices")?;
        chosen.or(otherwise).ok_or_else(|| {
            Diagnostic::error("c::generic", format!("no choice for `{}`", self.describe(&wanted)))
                .at(start, "here")
        })
    }
}

/// An integer with the type that its size and suffix give it.
fn number(text: &str, span: Span) -> Parsed<Expr> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let float = !hex && (lower.contains('.') || lower.contains('e')) || hex && lower.contains('p');
    if float {
        let digits = lower.trim_end_matches(['f', 'l']);
        let bytes = match lower[digits.len()..].chars().next() {
            Some('f') => 4,
            Some(_) => 16,
            None => 8,
        };
        let value: Option<f64> = if hex { None } else { digits.parse().ok() };
        let Some(value) = value else {
            return Err(Diagnostic::unsupported("c::float", "this number is not supported").at(span, "here"));
        };
        return Ok(Expr::int(floats::to_bits(value, bytes), Ty::Float(bytes), span));
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (digits, radix) = match () {
        () if hex => (&digits[2..], 16),
        () if digits.starts_with("0b") => (&digits[2..], 2),
        () if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        () => (digits, 10),
    };
    let value = i128::from_str_radix(digits, radix)
        .map_err(|_| Diagnostic::error("c::number", format!("`{text}` is no number")).at(span, "here"))?;
    let (unsigned, long) = (suffix.contains('u'), suffix.contains('l'));
    let fits = |ty: &Ty| {
        ty.as_int().is_some_and(|int| {
            let bits = 8 * u32::from(int.bytes) - u32::from(int.signed);
            value < 1i128 << bits
        })
    };
    let candidates = [Ty::INT, Ty::UINT, Ty::LONG, Ty::ULONG];
    let allowed = candidates.iter().filter(|ty| {
        let int = ty.as_int();
        int.is_some_and(|int| {
            (!unsigned || !int.signed) && (!long || int.bytes == 8) && (int.signed || unsigned || radix != 10)
        })
    });
    let ty = allowed.into_iter().find(|ty| fits(ty)).cloned().unwrap_or(Ty::ULONG);
    if value >= 1i128 << 64 {
        return Err(Diagnostic::error("c::number", format!("`{text}` fits no type")).at(span, "here"));
    }
    Ok(Expr::int(value, ty, span))
}
