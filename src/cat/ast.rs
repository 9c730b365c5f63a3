//! The abstract syntax of `cat` and `bell` files. Every node has its span.

use std::sync::Arc;

use crate::source::{SourceId, Span};
use crate::variant::Variants;

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Arc<str>,
    /// Where.
    pub span: Span,
}

/// One file.
#[derive(Clone, Debug)]
pub struct File {
    /// The file itself.
    pub source: SourceId,
    /// Header items: architecture or name.
    pub header: Vec<String>,
    /// `catdep`.
    pub catdep: bool,
    /// The variants that a condition somewhere in it names.
    pub asks: Variants,
    /// The instructions.
    pub body: Vec<Ins>,
}

/// An instruction with its place.
#[derive(Clone, Debug)]
pub struct Ins {
    /// What.
    pub kind: InsKind,
    /// Where.
    pub span: Span,
}

/// Instructions.
#[derive(Clone, Debug)]
pub enum InsKind {
    Enum {
        name: Ident,
        tags: Vec<Ident>,
    },
    Let {
        bindings: Vec<Binding>,
    },
    LetRec {
        bindings: Vec<Binding>,
        when: Option<Test>,
    },
    Match {
        scrutinee: Expr,
        clauses: Vec<(Option<Ident>, Vec<Ins>)>,
    },
    Check {
        kind: CheckKind,
        test: Test,
    },
    Show {
        names: Vec<Ident>,
    },
    ShowAs {
        expr: Expr,
        name: Ident,
    },
    Unshow {
        names: Vec<Ident>,
    },
    Include {
        path: String,
    },
    Procedure {
        name: Ident,
        params: Params,
        body: Arc<Vec<Ins>>,
        rec: bool,
    },
    Call {
        name: Ident,
        arg: Expr,
        label: Option<Ident>,
    },
    Debug {
        expr: Expr,
    },
    Forall {
        name: Ident,
        set: Expr,
        body: Arc<Vec<Ins>>,
    },
    With {
        name: Ident,
        set: Expr,
    },
    If {
        cond: Variant,
        then: Vec<Ins>,
        otherwise: Vec<Ins>,
    },
    /// Bell: `instructions X[…]`.
    Instructions {
        name: Ident,
        args: Vec<Expr>,
    },
    /// Bell: `default X[…]`.
    Default {
        name: Ident,
        args: Vec<Expr>,
    },
}

/// What becomes of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckKind {
    Plain,
    Flag,
    UndefinedUnless,
    Assert,
}

/// `acyclic`, `irreflexive`, `empty`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestKind {
    Acyclic,
    Irreflexive,
    Empty,
}

/// A test, perhaps negated, perhaps named.
#[derive(Clone, Debug)]
pub struct Test {
    pub negated: bool,
    pub kind: TestKind,
    pub expr: Expr,
    pub name: Option<Ident>,
    pub span: Span,
}

/// One binding of a `let`.
#[derive(Clone, Debug)]
pub struct Binding {
    pub pattern: Pattern,
    pub expr: Expr,
    pub span: Span,
}

/// What a binding binds.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A name, or `_`.
    Name(Option<Ident>),
    /// A tuple of names.
    Tuple(Vec<Option<Ident>>),
    /// A function definition: the binding's expression is its body.
    Function { name: Ident, params: Params },
}

/// Parameters: one, or a tuple.
#[derive(Clone, Debug)]
pub enum Params {
    One(Option<Ident>),
    Tuple(Vec<Option<Ident>>),
}

/// A variant condition.
#[derive(Clone, Debug)]
pub enum Variant {
    Name(String, Span),
    Not(Box<Variant>),
    And(Box<Variant>, Box<Variant>),
    Or(Box<Variant>, Box<Variant>),
}

/// The condition of an expression `if`.
#[derive(Clone, Debug)]
pub enum Cond {
    Eq(Expr, Expr),
    Subset(Expr, Expr),
    In(Expr, Expr),
    Variant(Variant),
}

/// An expression. Boxed behind `Arc`, so that closures share it.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What.
    pub kind: Arc<ExprKind>,
    /// Where.
    pub span: Span,
}

impl Expr {
    /// Visits the expressions that it is made of, one level down, in the order of the text.
    pub fn each_part<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        match &*self.kind {
            ExprKind::Zero
            | ExprKind::EmptySet
            | ExprKind::Universe
            | ExprKind::Tag(_)
            | ExprKind::Var(_) => {}
            ExprKind::Union(list)
            | ExprKind::Seq(list)
            | ExprKind::Tuple(list)
            | ExprKind::Explicit(list) => list.iter().for_each(visit),
            ExprKind::Add(a, b)
            | ExprKind::Diff(a, b)
            | ExprKind::Inter(a, b)
            | ExprKind::Product(a, b)
            | ExprKind::AppExpr(a, b)
            | ExprKind::Try(a, b) => [a, b].into_iter().for_each(visit),
            ExprKind::Compl(a)
            | ExprKind::Opt(a)
            | ExprKind::Plus(a)
            | ExprKind::Star(a)
            | ExprKind::Inverse(a)
            | ExprKind::ToId(a)
            | ExprKind::App(_, a)
            | ExprKind::Fun { body: a, .. } => visit(a),
            ExprKind::Let { bindings, body, .. } => {
                bindings.iter().map(|binding| &binding.expr).chain([body]).for_each(visit);
            }
            ExprKind::If { cond, then, otherwise } => {
                if let Cond::Eq(a, b) | Cond::Subset(a, b) | Cond::In(a, b) = &**cond {
                    [a, b].into_iter().for_each(&mut visit);
                }
                [then, otherwise].into_iter().for_each(visit);
            }
            ExprKind::MatchTag { scrutinee, clauses } => {
                [scrutinee].into_iter().chain(clauses.iter().map(|(_, body)| body)).for_each(visit);
            }
            ExprKind::MatchSet { scrutinee, empty, body, .. } => {
                [scrutinee, empty, body].into_iter().for_each(visit);
            }
        }
    }
}

/// Expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `0`.
    Zero,
    /// `{}`.
    EmptySet,
    /// `_`.
    Universe,
    /// `'t`.
    Tag(Arc<str>),
    Var(Arc<str>),
    Union(Vec<Expr>),
    Seq(Vec<Expr>),
    Tuple(Vec<Expr>),
    /// `{a, b}`, at least one element.
    Explicit(Vec<Expr>),
    /// `a ++ b`.
    Add(Expr, Expr),
    Diff(Expr, Expr),
    Inter(Expr, Expr),
    Product(Expr, Expr),
    Compl(Expr),
    Opt(Expr),
    Plus(Expr),
    Star(Expr),
    Inverse(Expr),
    ToId(Expr),
    App(Ident, Expr),
    /// Application of something that is not a plain name (`f x y` is `(f x) y`).
    AppExpr(Expr, Expr),
    Fun {
        params: Params,
        body: Expr,
    },
    Let {
        rec: bool,
        bindings: Vec<Binding>,
        body: Expr,
    },
    Try(Expr, Expr),
    If {
        cond: Box<Cond>,
        then: Expr,
        otherwise: Expr,
    },
    MatchTag {
        scrutinee: Expr,
        clauses: Vec<(Option<Ident>, Expr)>,
    },
    MatchSet {
        scrutinee: Expr,
        empty: Expr,
        /// `p | e ++ s`: the optional first name is `p`.
        before: Option<Option<Ident>>,
        element: Option<Ident>,
        rest: Option<Ident>,
        body: Expr,
    },
}
