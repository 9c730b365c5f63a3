//! Small changes of a model: a rule left out, a member of a union, a restriction lifted. Who asks which of them any test notices knows which
//! lines of a model its tests cover.

use super::ast::{CheckKind, Expr, ExprKind, File, Ins, InsKind, Pattern};
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
    let before = found.len();
    let mut push = |kind, span, edit| found.push(Mutation { kind, span, edit, in_function: false });
    match &*expr.kind {
        ExprKind::Union(members) => {
            // An empty member is a way to begin a list.
            for member in members.iter().filter(|m| !matches!(*m.kind, ExprKind::Zero | ExprKind::EmptySet)) {
                push(Kind::Member, member.span, Edit::Empty(member.span));
            }
        }
        ExprKind::Inter(left, right) => {
            for (gone, kept) in [(left, right), (right, left)] {
                push(Kind::Restriction, gone.span, Edit::Keep(expr.span, kept.span));
            }
        }
        ExprKind::Diff(left, right) => {
            push(Kind::Restriction, right.span, Edit::Keep(expr.span, left.span));
        }
        _ => {}
    }
    expr.each_part(|part| of_expr(part, found));
    if matches!(*expr.kind, ExprKind::Fun { .. }) {
        found[before..].iter_mut().for_each(|mutation| mutation.in_function = true);
    }
}
