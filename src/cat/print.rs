//! Expressions back to text: one line, every operand that is not atomic in parentheses, so that the shape of the tree
//! can be read off.

use std::fmt;

use super::ast::{Binding, Cond, Expr, ExprKind, Ident, Params, Pattern, Variant};

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            ExprKind::Zero => f.write_str("0"),
            ExprKind::EmptySet => f.write_str("{}"),
            ExprKind::Universe => f.write_str("_"),
            ExprKind::Tag(name) => write!(f, "'{name}"),
            ExprKind::Var(name) => f.write_str(name),
            ExprKind::Union(parts) => separated(f, parts, " | "),
            ExprKind::Seq(parts) => separated(f, parts, "; "),
            ExprKind::Tuple(parts) => {
                f.write_str("(")?;
                separated(f, parts, ", ")?;
                f.write_str(")")
            }
            ExprKind::Explicit(parts) => {
                f.write_str("{")?;
                separated(f, parts, ", ")?;
                f.write_str("}")
            }
            ExprKind::Add(a, b) => write!(f, "{} ++ {}", Operand(a), Operand(b)),
            ExprKind::Diff(a, b) => write!(f, "{} \\ {}", Operand(a), Operand(b)),
            ExprKind::Inter(a, b) => write!(f, "{} & {}", Operand(a), Operand(b)),
            ExprKind::Product(a, b) => write!(f, "{} * {}", Operand(a), Operand(b)),
            ExprKind::Compl(a) => write!(f, "~{}", Operand(a)),
            ExprKind::Opt(a) => write!(f, "{}?", Operand(a)),
            ExprKind::Plus(a) => write!(f, "{}+", Operand(a)),
            ExprKind::Star(a) => write!(f, "{}*", Operand(a)),
            ExprKind::Inverse(a) => write!(f, "{}^-1", Operand(a)),
            ExprKind::ToId(a) => write!(f, "[{a}]"),
            ExprKind::App(name, a) => write!(f, "{} {}", name.name, Operand(a)),
            ExprKind::AppExpr(a, b) => write!(f, "{} {}", Operand(a), Operand(b)),
            ExprKind::Fun { params, body } => write!(f, "fun {params} -> {body}"),
            ExprKind::Let { rec, bindings, body } => {
                write!(f, "let {}", if *rec { "rec " } else { "" })?;
                for (index, binding) in bindings.iter().enumerate() {
                    write!(f, "{}{binding}", if index == 0 { "" } else { " and " })?;
                }
                write!(f, " in {body}")
            }
            ExprKind::Try(a, b) => write!(f, "try {a} with {b}"),
            ExprKind::If { cond, then, otherwise } => write!(f, "if {cond} then {then} else {otherwise}"),
            ExprKind::MatchTag { scrutinee, clauses } => {
                write!(f, "match {scrutinee} with")?;
                for (tag, body) in clauses {
                    match tag {
                        Some(tag) => write!(f, " || '{} -> {body}", tag.name)?,
                        None => write!(f, " || _ -> {body}")?,
                    }
                }
                f.write_str(" end")
            }
            ExprKind::MatchSet { scrutinee, empty, before, element, rest, body } => {
                write!(f, "match {scrutinee} with {{}} -> {empty} || ")?;
                if let Some(before) = before {
                    write!(f, "{} | ", name_or_wildcard(before))?;
                }
                write!(f, "{} ++ {} -> {body} end", name_or_wildcard(element), name_or_wildcard(rest))
            }
        }
    }
}

/// An operand: in parentheses unless it cannot be misread.
struct Operand<'a>(&'a Expr);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0.kind {
            ExprKind::Zero
            | ExprKind::EmptySet
            | ExprKind::Universe
            | ExprKind::Tag(_)
            | ExprKind::Var(_)
            | ExprKind::Tuple(_)
            | ExprKind::Explicit(_)
            | ExprKind::ToId(_) => self.0.fmt(f),
            _ => write!(f, "({})", self.0),
        }
    }
}

fn separated(f: &mut fmt::Formatter<'_>, parts: &[Expr], separator: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        write!(f, "{}{}", if index == 0 { "" } else { separator }, Operand(part))?;
    }
    Ok(())
}

fn name_or_wildcard(name: &Option<Ident>) -> &str {
    name.as_ref().map_or("_", |ident| &ident.name)
}

fn tuple(f: &mut fmt::Formatter<'_>, names: &[Option<Ident>]) -> fmt::Result {
    let names: Vec<&str> = names.iter().map(name_or_wildcard).collect();
    write!(f, "({})", names.join(", "))
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Params::One(name) => f.write_str(name_or_wildcard(name)),
            Params::Tuple(names) => tuple(f, names),
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Pattern::Name(name) => f.write_str(name_or_wildcard(name))?,
            Pattern::Tuple(names) => tuple(f, names)?,
            Pattern::Function { name, params } => write!(f, "{} {params}", name.name)?,
        }
        write!(f, " = {}", self.expr)
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cond::Eq(a, b) => write!(f, "{a} = {b}"),
            Cond::Subset(a, b) => write!(f, "{a} subset {b}"),
            Cond::In(a, b) => write!(f, "{a} in {b}"),
            Cond::Variant(variant) => variant.fmt(f),
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variant::Name(name, _) => write!(f, "\"{name}\""),
            Variant::Not(inner) => write!(f, "not {inner}"),
            Variant::And(a, b) => write!(f, "({a} && {b})"),
            Variant::Or(a, b) => write!(f, "({a} || {b})"),
        }
    }
}
