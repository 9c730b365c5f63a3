//! Expressions, by C's own precedence.

use super::{KEYWORDS, Parser};
use crate::arch::c::ast::{BinaryOp, Expr, ExprKind, Intrinsic, IntrinsicCall, Logical, UnaryOp};
use crate::arch::c::lex::Tok;
use crate::arch::c::types::CType;
use crate::diag::Diagnostic;
use crate::source::Span;

/// An infix operator with its strength: a larger number binds tighter.
fn infix(punct: &str) -> Option<(u8, Infix)> {
    use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
    let entry = match punct {
        "||" => (1, Infix::Logical(Logical::Or)),
        "&&" => (2, Infix::Logical(Logical::And)),
        "|" => (3, Infix::Binary(Or)),
        "^" => (4, Infix::Binary(Xor)),
        "&" => (5, Infix::Binary(And)),
        "==" => (6, Infix::Binary(Eq)),
        "!=" => (6, Infix::Binary(Ne)),
        "<" => (7, Infix::Binary(Lt)),
        "<=" => (7, Infix::Binary(Le)),
        ">" => (7, Infix::Binary(Gt)),
        ">=" => (7, Infix::Binary(Ge)),
        "<<" => (8, Infix::Binary(Shl)),
        ">>" => (8, Infix::Binary(Shr)),
        "+" => (9, Infix::Binary(Add)),
        "-" => (9, Infix::Binary(Sub)),
        "*" => (10, Infix::Binary(Mul)),
        "/" => (10, Infix::Binary(Div)),
        "%" => (10, Infix::Binary(Rem)),
        _ => return None,
    };
    Some(entry)
}

#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    Logical(Logical),
}

/// The operator inside `+=` and its like.
fn compound(punct: &str) -> Option<Option<BinaryOp>> {
    Some(match punct {
        "=" => None,
        "+=" => Some(BinaryOp::Add),
        "-=" => Some(BinaryOp::Sub),
        "*=" => Some(BinaryOp::Mul),
        "/=" => Some(BinaryOp::Div),
        "%=" => Some(BinaryOp::Rem),
        "&=" => Some(BinaryOp::And),
        "|=" => Some(BinaryOp::Or),
        "^=" => Some(BinaryOp::Xor),
        "<<=" => Some(BinaryOp::Shl),
        ">>=" => Some(BinaryOp::Shr),
        _ => return None,
    })
}

impl Parser {
    /// An expression, comma operator included.
    pub(super) fn expression(&mut self) -> Result<Expr, Diagnostic> {
        let mut left = self.assignment()?;
        while self.eat(",") {
            let below = self.height;
            let right = self.assignment()?;
            self.grow(below.max(self.height))?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// An expression without a comma outside parentheses.
    pub(super) fn assignment(&mut self) -> Result<Expr, Diagnostic> {
        self.nested(|p| {
            let left = p.conditional()?;
            let Tok::Punct(punct) = *p.peek() else { return Ok(left) };
            let Some(op) = compound(punct) else { return Ok(left) };
            p.bump();
            let below = p.height;
            let right = p.assignment()?;
            p.grow(below.max(p.height))?;
            let span = left.span.to(right.span);
            Ok(Expr { kind: ExprKind::Assign(op, Box::new(left), Box::new(right)), span })
        })
    }

    pub(super) fn conditional(&mut self) -> Result<Expr, Diagnostic> {
        let cond = self.binary(0)?;
        if !self.eat("?") {
            return Ok(cond);
        }
        let mut below = self.height;
        let then = self.nested(Self::expression)?;
        below = below.max(self.height);
        self.expect(":", "in `… ? … : …`")?;
        let otherwise = self.nested(Self::conditional)?;
        self.grow(below.max(self.height))?;
        let span = cond.span.to(otherwise.span);
        Ok(Expr { kind: ExprKind::Conditional(Box::new(cond), Box::new(then), Box::new(otherwise)), span })
    }

    /// Operators that bind tighter than `strength`, to the left.
    fn binary(&mut self, strength: u8) -> Result<Expr, Diagnostic> {
        let mut left = self.unary()?;
        loop {
            let Tok::Punct(punct) = *self.peek() else { return Ok(left) };
            let Some((tighter, op)) = infix(punct).filter(|(s, _)| *s > strength) else { return Ok(left) };
            self.bump();
            let below = self.height;
            let right = self.nested(|p| p.binary(tighter))?;
            self.grow(below.max(self.height))?;
            let span = left.span.to(right.span);
            let (left_box, right_box) = (Box::new(left), Box::new(right));
            let kind = match op {
                Infix::Binary(op) => ExprKind::Binary(op, left_box, right_box),
                Infix::Logical(op) => ExprKind::Logical(op, left_box, right_box),
            };
            left = Expr { kind, span };
        }
    }

    fn unary(&mut self) -> Result<Expr, Diagnostic> {
        self.nested(Self::unary_inner)
    }

    fn unary_inner(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.span();
        let prefix = match self.peek() {
            Tok::Punct("+") => Some(UnaryOp::Plus),
            Tok::Punct("-") => Some(UnaryOp::Neg),
            Tok::Punct("!") => Some(UnaryOp::Not),
            Tok::Punct("~") => Some(UnaryOp::Complement),
            Tok::Punct("*") => Some(UnaryOp::Deref),
            Tok::Punct("&") => Some(UnaryOp::AddressOf),
            _ => None,
        };
        if let Some(op) = prefix {
            self.bump();
            let operand = self.unary()?;
            self.grow(self.height)?;
            return Ok(Expr { span: start.to(operand.span), kind: ExprKind::Unary(op, Box::new(operand)) });
        }
        if self.is("++") || self.is("--") {
            let op = if self.is("++") { BinaryOp::Add } else { BinaryOp::Sub };
            self.bump();
            let operand = Box::new(self.unary()?);
            self.grow(self.height)?;
            let span = start.to(operand.span);
            return Ok(Expr { kind: ExprKind::Step { op, prefix: true, operand }, span });
        }
        if self.eat_word("sizeof") {
            let kind = if self.is("(") && self.is_type_word(1) {
                self.bump();
                let ty = self.full_type()?.ty;
                self.expect(")", "after the type")?;
                ExprKind::SizeOf(ty)
            } else {
                ExprKind::SizeOfExpr(Box::new(self.unary()?))
            };
            return Ok(Expr { kind, span: self.since(start) });
        }
        if self.is("(") && self.is_type_word(1) {
            self.bump();
            let ty = self.full_type()?.ty;
            self.expect(")", "after the type of a cast")?;
            let operand = self.unary()?;
            self.grow(self.height)?;
            return Ok(Expr { span: start.to(operand.span), kind: ExprKind::Cast(ty, Box::new(operand)) });
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Result<Expr, Diagnostic> {
        let mut expr = self.primary()?;
        loop {
            let start = expr.span;
            if self.eat("[") {
                let below = self.height;
                let index = self.nested(Self::expression)?;
                self.grow(below.max(self.height))?;
                self.expect("]", "after the index")?;
                expr =
                    Expr { kind: ExprKind::Index(Box::new(expr), Box::new(index)), span: self.since(start) };
            } else if self.is("++") || self.is("--") {
                let op = if self.is("++") { BinaryOp::Add } else { BinaryOp::Sub };
                self.bump();
                self.grow(self.height)?;
                expr = Expr {
                    kind: ExprKind::Step { op, prefix: false, operand: Box::new(expr) },
                    span: self.since(start),
                };
            } else if self.is("->") || self.is(".") {
                return Err(Diagnostic::unsupported("c::struct", "structures are not supported")
                    .at(self.span(), "this selects a field")
                    .help("use one global per field"));
            } else if self.is("(") {
                return Err(Diagnostic::unsupported(
                    "c::call",
                    "only functions can be called, by their name",
                )
                .at(start, "not the name of a function"));
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.span();
        self.height = 1;
        match self.peek().clone() {
            Tok::Int { value, unsigned, long, decimal } => {
                self.bump();
                let ty = constant_type(value, unsigned, long, decimal);
                Ok(Expr { kind: ExprKind::Int { value, ty }, span: start })
            }
            Tok::Ident(name) if !KEYWORDS.contains(&name.as_str()) => {
                self.bump();
                if let Some(kind) = Intrinsic::parse(&name) {
                    return self.intrinsic(kind, start);
                }
                if !self.is("(") {
                    return Ok(named_value(name, start));
                }
                self.bump();
                let args = self.arguments()?;
                let span = self.since(start);
                Ok(Expr { kind: ExprKind::Call { name, name_span: start, args }, span })
            }
            Tok::Punct("(") => {
                self.bump();
                if self.is("{") {
                    return Err(Diagnostic::unsupported(
                        "c::statement-expression",
                        "`({ … })` is not supported",
                    )
                    .at(start, "a block as an expression"));
                }
                let inner = self.nested(Self::expression)?;
                self.expect(")", "after the expression")?;
                Ok(Expr { span: self.since(start), ..inner })
            }
            Tok::Str => {
                Err(Diagnostic::unsupported("c::string", "strings are not supported").at(start, "here"))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// Arguments up to the closing parenthesis.
    fn arguments(&mut self) -> Result<Vec<Expr>, Diagnostic> {
        let mut args = Vec::new();
        let mut below = self.height;
        while !self.is(")") {
            args.push(self.nested(Self::assignment)?);
            below = below.max(self.height);
            if !self.eat(",") {
                break;
            }
        }
        self.grow(below)?;
        self.expect(")", "after the arguments")?;
        Ok(args)
    }

    /// `__name{annotations}(arguments)`.
    fn intrinsic(&mut self, kind: Intrinsic, start: Span) -> Result<Expr, Diagnostic> {
        let mut annots = Vec::new();
        if self.eat("{") {
            while !self.is("}") {
                annots.push(self.annotation()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("}", "after the annotations")?;
        }
        let mut call = IntrinsicCall { kind, annots, op: None, args: Vec::new() };
        if self.eat("(") {
            if kind.has_operator() {
                call.args.push(self.nested(Self::assignment)?);
                self.expect(",", "after the address")?;
                call.op = Some(self.operator()?);
                self.expect(",", "after the operator")?;
            }
            call.args.extend(self.arguments()?);
        }
        let span = self.since(start);
        let (least, most) = kind.arity();
        if call.args.len() < least || call.args.len() > most {
            let message = format!("`{}` takes {least} argument(s), {} given", kind.name(), call.args.len());
            return Err(Diagnostic::error("c::argument-count", message).at(span, "this intrinsic"));
        }
        Ok(Expr { kind: ExprKind::Intrinsic(call), span })
    }

    /// `after-unlock-lock`: names joined by `-`.
    fn annotation(&mut self) -> Result<String, Diagnostic> {
        let mut text = String::new();
        loop {
            match self.peek() {
                Tok::Ident(word) => text.push_str(word),
                _ => return Err(self.unexpected("an annotation")),
            }
            self.bump();
            if !self.eat("-") {
                return Ok(text);
            }
            text.push('-');
        }
    }

    /// The operator argument of `__atomic_op` and its like.
    fn operator(&mut self) -> Result<BinaryOp, Diagnostic> {
        let op = match self.peek() {
            Tok::Punct("&") if self.is_at(1, "~") => {
                self.bump();
                BinaryOp::AndNot
            }
            Tok::Punct("+") => BinaryOp::Add,
            Tok::Punct("-") => BinaryOp::Sub,
            Tok::Punct("&") => BinaryOp::And,
            Tok::Punct("|") => BinaryOp::Or,
            Tok::Punct("^") => BinaryOp::Xor,
            _ => return Err(self.unexpected("one of `+ - & | ^ &~`")),
        };
        self.bump();
        Ok(op)
    }
}

/// The type of a constant: the first that can hold it.
fn constant_type(value: i128, unsigned: bool, long: bool, decimal: bool) -> CType {
    let candidates = [CType::INT, CType::UINT, CType::LONG, CType::ULONG, CType::int(16, true)];
    let fits = |ty: &CType| {
        let int = ty.as_int().unwrap_or(crate::arch::c::types::IntType {
            bytes: 16,
            signed: true,
            boolean: false,
            atomic: false,
        });
        let bits = 8 * u32::from(int.bytes) - u32::from(int.signed);
        (bits >= 127 || value < 1i128 << bits)
            && (!unsigned || !int.signed)
            && (!long || int.bytes >= 8)
            && (unsigned || !decimal || int.signed)
    };
    candidates.iter().find(|ty| fits(ty)).cloned().unwrap_or(CType::int(16, true))
}

/// Names that are constants everywhere.
fn named_value(name: String, span: Span) -> Expr {
    let value = match name.as_str() {
        "NULL" | "false" => Some((0, CType::INT)),
        "true" => Some((1, CType::INT)),
        _ => limit(&name),
    };
    match value {
        Some((value, ty)) => Expr { kind: ExprKind::Int { value, ty }, span },
        None => Expr { kind: ExprKind::Name(name), span },
    }
}

/// The constants of `limits.h` and `stdint.h`.
fn limit(name: &str) -> Option<(i128, CType)> {
    let (ty, bound) = name.rsplit_once('_')?;
    let (bytes, signed) = match ty {
        "CHAR" | "SCHAR" | "INT8" => (1, true),
        "UCHAR" | "UINT8" => (1, false),
        "SHRT" | "INT16" => (2, true),
        "USHRT" | "UINT16" => (2, false),
        "INT" | "INT32" => (4, true),
        "UINT" | "UINT32" => (4, false),
        "LONG" | "LLONG" | "INT64" | "INTPTR" | "PTRDIFF" => (8, true),
        "ULONG" | "ULLONG" | "UINT64" | "UINTPTR" | "SIZE" => (8, false),
        _ => return None,
    };
    let bits = 8 * u32::from(bytes) - u32::from(signed);
    let value = match bound {
        "MAX" => (1i128 << bits) - 1,
        "MIN" if signed => -(1i128 << bits),
        _ => return None,
    };
    Some((value, CType::int(bytes, signed).promoted()))
}
