//! Operators.

use super::constant::compute;
use super::{Parsed, Parser};
use crate::arch::c::unit::tree::{Expr, ExprKind, Operator};
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::source::Span;

/// Operators by precedence, loosest first; `&&` and `||` are above them.
const LEVELS: [&[(&str, Operator)]; 8] = [
    &[("|", Operator::Or)],
    &[("^", Operator::Xor)],
    &[("&", Operator::And)],
    &[("==", Operator::Eq), ("!=", Operator::Ne)],
    &[("<=", Operator::Le), (">=", Operator::Ge), ("<", Operator::Lt), (">", Operator::Gt)],
    &[("<<", Operator::Shl), (">>", Operator::Shr)],
    &[("+", Operator::Add), ("-", Operator::Sub)],
    &[("*", Operator::Mul), ("/", Operator::Div), ("%", Operator::Rem)],
];

const ASSIGNMENTS: [(&str, Operator); 10] = [
    ("+=", Operator::Add),
    ("-=", Operator::Sub),
    ("*=", Operator::Mul),
    ("/=", Operator::Div),
    ("%=", Operator::Rem),
    ("&=", Operator::And),
    ("|=", Operator::Or),
    ("^=", Operator::Xor),
    ("<<=", Operator::Shl),
    (">>=", Operator::Shr),
];

impl Parser {
    /// With commas.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut left = self.assignment()?;
        while self.eat(",") {
            let right = self.assignment()?;
            let right = self.rvalue(right);
            let span = left.span.to(right.span);
            let ty = right.ty.clone();
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), ty, span };
        }
        Ok(left)
    }

    /// Without commas.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let left = p.conditional()?;
            if p.is("=") {
                let at = p.bump().span;
                p.needs_object(&left, at)?;
                let right = p.assignment()?;
                let right = p.convert(right, &left.ty)?;
                let (ty, span) = (left.ty.plain().clone(), left.span.to(right.span));
                return Ok(Expr { kind: ExprKind::Assign(Box::new(left), Box::new(right)), ty, span });
            }
            let Some((_, op)) = ASSIGNMENTS.iter().find(|(text, _)| p.is(text)) else { return Ok(left) };
            let at = p.bump().span;
            let right = p.assignment()?;
            p.update(*op, left, right, false, at)
        })
    }

    fn needs_object(&self, e: &Expr, at: Span) -> Parsed<()> {
        match e.is_object() && !matches!(e.ty.plain(), Ty::Array(..) | Ty::Computed(..) | Ty::Function(_)) {
            true => self.needs_mutable(e, at),
            false => Err(Diagnostic::error("c::assign", "only an object can be assigned to")
                .at(at, "here")
                .at(e.span, "this is none")),
        }
    }

    /// Nobody assigns to what is `const`.
    fn needs_mutable(&self, e: &Expr, at: Span) -> Parsed<()> {
        let why = match e.ty.is_constant() {
            true => "",
            false if self.has_constants(&e.ty) => " as a whole: a member of it is `const`",
            false => return Ok(()),
        };
        let message = format!("an object of type `{}` does not change{why}", self.describe(&e.ty));
        let diagnostic = Diagnostic::error("c::const", message).at(at, "changed here").at(e.span, "this one");
        Err(match e.kind {
            ExprKind::Var(id) => diagnostic.at(self.unit.variables[id].span, "declared here"),
            _ => diagnostic,
        })
    }

    /// Is a member `const`, at any depth?
    fn has_constants(&self, ty: &Ty) -> bool {
        let Ty::Record(id) = ty.plain() else { return false };
        let mut fields = self.unit.records[*id].fields.iter().map(|field| &field.ty);
        fields.any(|ty| {
            let mut element = ty;
            while let Ty::Array(inner, _) = element {
                element = inner;
            }
            element.is_constant() || self.has_constants(element)
        })
    }

    /// `a op= b`; gives the old value if asked.
    pub(super) fn update(
        &mut self,
        op: Operator,
        left: Expr,
        right: Expr,
        old: bool,
        at: Span,
    ) -> Parsed<Expr> {
        self.needs_object(&left, at)?;
        let right = self.rvalue(right);
        let span = left.span.to(right.span);
        let ty = left.ty.plain().clone();
        let (work, value) = match &ty {
            Ty::Pointer(target) => {
                if !matches!(op, Operator::Add | Operator::Sub) {
                    return Err(
                        Diagnostic::error("c::type", "pointers only move back and forth").at(at, "here")
                    );
                }
                (ty.clone(), self.scaled(right, target)?)
            }
            _ if matches!(op, Operator::Shl | Operator::Shr) => {
                let work = ty.promoted();
                (work, self.convert(right, &Ty::INT)?)
            }
            _ => {
                let work = ty.common(&right.ty);
                let value = self.convert(right, &work)?;
                (work, value)
            }
        };
        let kind = ExprKind::Update { op, target: Box::new(left), value: Box::new(value), work, old };
        Ok(Expr { kind, ty, span })
    }

    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.logical_or()?;
        if !self.is("?") {
            return Ok(condition);
        }
        self.bump();
        let condition = self.truth(condition)?;
        let (then, condition) = match self.is(":") {
            // `a ?: b`.
            true => (condition.clone(), condition),
            false => (self.expression()?, condition),
        };
        self.expect(":", "between the two values")?;
        let otherwise = self.nested(Self::conditional)?;
        let (then, otherwise) = (self.rvalue(then), self.rvalue(otherwise));
        let ty = match (then.ty.plain(), otherwise.ty.plain()) {
            (a, b) if a == b => a.clone(),
            (Ty::Void, _) | (_, Ty::Void) => Ty::Void,
            (Ty::Pointer(target), Ty::Pointer(_)) if *target.plain() == Ty::Void => {
                otherwise.ty.plain().clone()
            }
            (a, b) => a.common(b),
        };
        let then = self.convert(then, &ty)?;
        let otherwise = self.convert(otherwise, &ty)?;
        let span = condition.span.to(otherwise.span);
        if let Some(known) = self.constant_of(&condition)
            && self.constant_of(&then).is_some()
            && self.constant_of(&otherwise).is_some()
        {
            return Ok(if known != 0 { then } else { otherwise });
        }
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Ok(Expr { kind, ty, span })
    }

    fn logical_or(&mut self) -> Parsed<Expr> {
        let mut left = self.logical_and()?;
        while self.eat("||") {
            let right = self.logical_and()?;
            left = self.logical(false, left, right)?;
        }
        Ok(left)
    }

    fn logical_and(&mut self) -> Parsed<Expr> {
        let mut left = self.level(0)?;
        while self.eat("&&") {
            let right = self.level(0)?;
            left = self.logical(true, left, right)?;
        }
        Ok(left)
    }

    fn logical(&mut self, and: bool, left: Expr, right: Expr) -> Parsed<Expr> {
        let (left, right) = (self.truth(left)?, self.truth(right)?);
        let span = left.span.to(right.span);
        let e = Expr { kind: ExprKind::Logical(and, Box::new(left), Box::new(right)), ty: Ty::INT, span };
        Ok(match self.constant_of(&e) {
            Some(n) => Expr::int(n, Ty::INT, span),
            None => e,
        })
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.nested(Self::unary) };
        let mut left = self.level(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(text, _)| self.is(text)) {
            let at = self.bump().span;
            let right = self.level(level + 1)?;
            left = self.binary(*op, left, right, at)?;
        }
        Ok(left)
    }

    /// A number of elements as a number of bytes.
    /// The size of a type as a value: a constant, or what a variable holds.
    pub(super) fn size_value(&mut self, ty: &Ty, span: Span) -> Parsed<Expr> {
        Ok(match ty.plain() {
            Ty::Computed(_, size) => Expr { kind: ExprKind::Var(*size), ty: Ty::ULONG, span },
            _ => Expr::int(i128::from(self.size_of(ty, span)?), Ty::ULONG, span),
        })
    }

    pub(super) fn scaled(&mut self, index: Expr, target: &Ty) -> Parsed<Expr> {
        let span = index.span;
        if index.ty.as_int().is_none() {
            let message = format!("a pointer moves by an integer, not by `{}`", self.describe(&index.ty));
            return Err(Diagnostic::error("c::type", message).at(span, "this value"));
        }
        let index = self.convert(index, &Ty::LONG)?;
        let size = Expr { ty: Ty::LONG, ..self.size_value(target, span)? };
        self.binary(Operator::Mul, index, size, span)
    }

    pub(super) fn binary(&mut self, op: Operator, left: Expr, right: Expr, at: Span) -> Parsed<Expr> {
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        let span = left.span.to(right.span);
        let make = |a: Expr, b: Expr, ty: Ty| Expr {
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
            ty,
            span,
        };
        for side in [&left, &right] {
            if !side.ty.is_scalar() {
                return Err(Diagnostic::error(
                    "c::type",
                    format!("no operator works on `{}`", self.describe(&side.ty)),
                )
                .at(at, "here")
                .at(side.span, "this operand"));
            }
        }
        let pointers = (left.ty.plain().clone(), right.ty.plain().clone());
        match (&pointers.0, &pointers.1) {
            (Ty::Pointer(target), Ty::Pointer(_)) if op == Operator::Sub => {
                let size = self.size_of(target, span)?;
                let bytes = make(left, right, Ty::LONG);
                let size = Expr::int(i128::from(size.max(1)), Ty::LONG, span);
                return self.binary(Operator::Div, bytes, size, at);
            }
            (Ty::Pointer(_), _) | (_, Ty::Pointer(_)) if op.compares() => {
                let ty = if matches!(pointers.0, Ty::Pointer(_)) { pointers.0 } else { pointers.1 };
                let (left, right) = (self.convert(left, &ty)?, self.convert(right, &ty)?);
                return Ok(make(left, right, Ty::INT));
            }
            (Ty::Pointer(target), _) if matches!(op, Operator::Add | Operator::Sub) => {
                let bytes = self.scaled(right, target)?;
                return Ok(make(left, bytes, pointers.0.clone()));
            }
            (_, Ty::Pointer(target)) if op == Operator::Add => {
                let bytes = self.scaled(left, target)?;
                return Ok(make(right, bytes, pointers.1.clone()));
            }
            (Ty::Pointer(_), _) | (_, Ty::Pointer(_)) => {
                return Err(Diagnostic::error("c::type", "pointers are only moved and compared")
                    .at(at, "here")
                    .help("cast it to `uintptr_t` to compute with its bits"));
            }
            _ => {}
        }
        let (work, left, right) = match op {
            Operator::Shl | Operator::Shr => {
                let work = left.ty.promoted();
                let right_ty = right.ty.promoted();
                (work.clone(), self.convert(left, &work)?, self.convert(right, &right_ty)?)
            }
            _ => {
                let work = left.ty.common(&right.ty);
                (work.clone(), self.convert(left, &work)?, self.convert(right, &work)?)
            }
        };
        let whole = matches!(
            op,
            Operator::Rem | Operator::And | Operator::Or | Operator::Xor | Operator::Shl | Operator::Shr
        );
        if let (true, Ty::Float(_)) = (whole, &work) {
            return Err(Diagnostic::error("c::type", "this operator works on integers only").at(at, "here"));
        }
        let ty = if op.compares() { Ty::INT } else { work.clone() };
        if let (Some(a), Some(b), Some(int)) =
            (self.constant_of(&left), self.constant_of(&right), work.as_int())
            && let Some(n) = compute(op, a, b, int)
        {
            return Ok(Expr::int(n, ty, span));
        }
        Ok(make(left, right, ty))
    }
}
