//! Small changes of a model: a rule left out, a member of a union, a restriction lifted. Who asks which of them any test notices knows which
//! lines of a model its tests cover.

use super::ast::{CheckKind, Cond, Expr, ExprKind, File, Ins, InsKind, Pattern};
use crate::source::Span;

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A check is left out.
    Check,
    /// A member of a union is left out.
    Member,
    /// Half of an intersection is left out, or what a difference takes away is not.
    Restriction,
}

impl Kind {
    /// What is done, in words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Check => "without this check",
            Kind::Member => "without this member of the union",
            Kind::Restriction => "without this restriction",
        }
    }
}

/// A change of the text of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutation {
    /// What is changed.
    pub kind: Kind,
    /// The text that it is about.
    pub span: Span,
    /// The text that goes, and what stands in its place: `None` for the text of another place.
    pub edit: Edit,
    /// Does it stand in a function, which may be interpreted?
    pub in_function: bool,
}

/// How a text is changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// This text goes.
    Delete(Span),
    /// This text becomes the empty set or relation, whichever it is.
    Empty(Span),
    /// The first text becomes the second, which is a part of it.
    Keep(Span, Span),
}

impl Edit {
    /// The changed text of the file.
    pub fn apply(&self, text: &str) -> String {
        let part = |span: &Span| text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let (span, instead) = match self {
            Edit::Delete(span) => (span, String::new()),
            // Of its own kind, whether it is a set or a relation.
            Edit::Empty(span) => (span, format!("(({0}) \\ ({0}))", part(span))),
            Edit::Keep(span, kept) => (span, format!("({})", part(kept))),
        };
        format!("{}{instead}{}", &text[..span.start as usize], &text[span.end as usize..])
    }
}

/// All small changes of a file, in the order of its text.
pub fn mutations(file: &File) -> Vec<Mutation> {
    let mut found = Vec::new();
    file.body.iter().for_each(|ins| of_ins(ins, &mut found));
    found.sort_by_key(|mutation| (mutation.span.start, mutation.span.end, mutation.kind));
    found
}

fn of_ins(ins: &Ins, found: &mut Vec<Mutation>) {
    match &ins.kind {
        InsKind::Let { bindings } | InsKind::LetRec { bindings, .. } => {
            for binding in bindings {
                let before = found.len();
                of_expr(&binding.expr, found);
                if matches!(binding.pattern, Pattern::Function { .. }) {
                    found[before..].iter_mut().for_each(|mutation| mutation.in_function = true);
                }
            }
        }
        InsKind::Check { kind, test } => {
            if matches!(kind, CheckKind::Plain | CheckKind::Flag) {
                found.push(Mutation {
                    kind: Kind::Check,
                    span: ins.span,
                    edit: Edit::Delete(ins.span),
                    in_function: false,
                });
            }
            of_expr(&test.expr, found);
        }
        InsKind::Match { clauses, .. } => {
            clauses.iter().flat_map(|(_, body)| body).for_each(|ins| of_ins(ins, found));
        }
        InsKind::Procedure { body, .. } | InsKind::Forall { body, .. } => {
            body.iter().for_each(|ins| of_ins(ins, found));
        }
        InsKind::If { then, otherwise, .. } => {
            then.iter().chain(otherwise).for_each(|ins| of_ins(ins, found));
        }
        _ => {}
    }
}

fn of_expr(expr: &Expr, found: &mut Vec<Mutation>) {
    match &*expr.kind {
        ExprKind::Union(members) => {
            for member in members {
                // An empty member is a way to begin a list.
                if !matches!(*member.kind, ExprKind::Zero | ExprKind::EmptySet) {
                    let edit = Edit::Empty(member.span);
                    found.push(Mutation { kind: Kind::Member, span: member.span, edit, in_function: false });
                }
                of_expr(member, found);
            }
        }
        ExprKind::Inter(left, right) => {
            for (gone, kept) in [(left, right), (right, left)] {
                let edit = Edit::Keep(expr.span, kept.span);
                found.push(Mutation { kind: Kind::Restriction, span: gone.span, edit, in_function: false });
            }
            all(&[left, right], found);
        }
        ExprKind::Diff(left, right) => {
            let edit = Edit::Keep(expr.span, left.span);
            found.push(Mutation { kind: Kind::Restriction, span: right.span, edit, in_function: false });
            all(&[left, right], found);
        }
        ExprKind::Seq(list) | ExprKind::Tuple(list) | ExprKind::Explicit(list) => {
            list.iter().for_each(|part| of_expr(part, found));
        }
        ExprKind::Add(a, b) | ExprKind::Product(a, b) | ExprKind::AppExpr(a, b) | ExprKind::Try(a, b) => {
            all(&[a, b], found);
        }
        ExprKind::Compl(a)
        | ExprKind::Opt(a)
        | ExprKind::Plus(a)
        | ExprKind::Star(a)
        | ExprKind::Inverse(a)
        | ExprKind::ToId(a)
        | ExprKind::App(_, a) => all(&[a], found),
        ExprKind::Fun { body, .. } => {
            let before = found.len();
            of_expr(body, found);
            found[before..].iter_mut().for_each(|mutation| mutation.in_function = true);
        }
        ExprKind::Let { bindings, body, .. } => {
            bindings.iter().for_each(|binding| of_expr(&binding.expr, found));
            of_expr(body, found);
        }
        ExprKind::If { cond, then, otherwise } => {
            if let Cond::Eq(a, b) | Cond::Subset(a, b) | Cond::In(a, b) = &**cond {
                all(&[a, b], found);
            }
            all(&[then, otherwise], found);
        }
        ExprKind::MatchTag { clauses, .. } => {
            clauses.iter().for_each(|(_, body)| of_expr(body, found));
        }
        ExprKind::MatchSet { empty, body, .. } => all(&[empty, body], found),
        ExprKind::Zero | ExprKind::EmptySet | ExprKind::Universe | ExprKind::Tag(_) | ExprKind::Var(_) => {}
    }
}

fn all(exprs: &[&Expr], found: &mut Vec<Mutation>) {
    exprs.iter().for_each(|expr| of_expr(expr, found));
}
