//! What the grammar's actions call: makers of nodes that keep count of how deep the tree gets.
//!
//! Every pass after the parser walks the tree by recursion, so no tree deeper than [`MAX_DEPTH`] may leave here. A node
//! that would be deeper is replaced by a leaf, and its place is remembered: [`super::parse`] then reports it.

use std::iter::Peekable;
use std::sync::Arc;
use std::vec;

use rustc_hash::FxHashMap;

use super::ast::{Binding, Cond, Expr, ExprKind, Ident, Ins, InsKind, Params, Pattern, Test, Variant};
use crate::source::{SourceId, Span};
use crate::variant::{self, Variants};

/// The deepest tree we accept. The deepest published model needs less than thirty.
pub const MAX_DEPTH: u32 = 256;

/// Something with the height of the tree below it.
pub struct Tall<T> {
    pub node: T,
    pub height: u32,
}

/// An expression being built.
pub type TallExpr = Tall<Expr>;

/// The operators that rows are made of, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Op {
    /// `|`.
    Union,
    /// `++`.
    Add,
    /// `;`.
    Seq,
    /// `\`.
    Diff,
    /// `&`.
    Inter,
}

impl Op {
    /// The weakest operator that binds more strongly.
    fn stronger(self) -> Option<Op> {
        match self {
            Op::Union => Some(Op::Add),
            Op::Add => Some(Op::Seq),
            Op::Seq => Some(Op::Diff),
            Op::Diff => Some(Op::Inter),
            Op::Inter => None,
        }
    }
}

/// Shared state of one parse.
pub struct Builder<'s> {
    source: SourceId,
    names: FxHashMap<&'s str, Arc<str>>,
    asks: Variants,
    /// The first node that was too deep.
    pub too_deep: Option<Span>,
}

impl<'s> Builder<'s> {
    /// A builder of nodes of `source`.
    pub fn new(source: SourceId) -> Builder<'s> {
        Builder { source, names: FxHashMap::default(), asks: Variants::new(), too_deep: None }
    }

    /// The file being parsed.
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// Notes that a condition names a variant.
    pub fn asks_for(&mut self, name: &str) {
        self.asks.extend(variant::Variant::parse(name));
    }

    /// The variants that conditions name.
    pub fn asks(&mut self) -> Variants {
        std::mem::take(&mut self.asks)
    }

    /// The span from byte `start` to byte `end`.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    /// The shared copy of a name.
    pub fn name(&mut self, name: &'s str) -> Arc<str> {
        self.names.entry(name).or_insert_with(|| Arc::from(name)).clone()
    }

    /// A name with its place.
    pub fn ident(&mut self, start: usize, name: &'s str, end: usize) -> Ident {
        Ident { name: self.name(name), span: self.span(start, end) }
    }

    /// Is a node whose children have these heights too deep? Remembers the first that is.
    fn height(&mut self, span: Span, children: impl IntoIterator<Item = u32>) -> Option<u32> {
        let height = children.into_iter().max().unwrap_or(0) + 1;
        if height > MAX_DEPTH {
            self.too_deep.get_or_insert(span);
            return None;
        }
        Some(height)
    }

    /// An expression of which the children have the given heights.
    pub fn expr(
        &mut self,
        start: usize,
        end: usize,
        kind: ExprKind,
        children: impl IntoIterator<Item = u32>,
    ) -> TallExpr {
        let span = self.span(start, end);
        match self.height(span, children) {
            Some(height) => Tall { node: Expr { kind: Arc::new(kind), span }, height },
            None => Tall { node: Expr { kind: Arc::new(ExprKind::Zero), span }, height: 1 },
        }
    }

    /// An expression without children.
    pub fn leaf(&mut self, start: usize, end: usize, kind: ExprKind) -> TallExpr {
        self.expr(start, end, kind, [])
    }

    /// An expression with one child.
    pub fn unary(&mut self, start: usize, end: usize, make: fn(Expr) -> ExprKind, arg: TallExpr) -> TallExpr {
        self.expr(start, end, make(arg.node), [arg.height])
    }

    /// An expression with two children.
    pub fn binary(
        &mut self,
        start: usize,
        end: usize,
        make: fn(Expr, Expr) -> ExprKind,
        left: TallExpr,
        right: TallExpr,
    ) -> TallExpr {
        self.expr(start, end, make(left.node, right.node), [left.height, right.height])
    }

    /// An expression with two children or more, from the first to the last.
    pub fn nary(&mut self, make: fn(Vec<Expr>) -> ExprKind, parts: Vec<TallExpr>) -> TallExpr {
        let parts = separate(parts);
        let (start, end) = (parts.node[0].span.start, parts.node[parts.node.len() - 1].span.end);
        self.expr(start as usize, end as usize, make(parts.node), [parts.height])
    }

    /// Operands with operators between them.
    pub fn row(&mut self, first: TallExpr, rest: Vec<(Op, TallExpr)>) -> TallExpr {
        match rest.is_empty() {
            true => first,
            false => self.climb(first, &mut rest.into_iter().peekable(), Op::Union),
        }
    }

    /// What begins with that operand, up to the first operator that is weaker. It calls itself with stronger operators only.
    fn climb(
        &mut self,
        first: TallExpr,
        rest: &mut Peekable<vec::IntoIter<(Op, TallExpr)>>,
        weakest: Op,
    ) -> TallExpr {
        let mut left = first;
        while let Some(op) = rest.peek().map(|(op, _)| *op).filter(|op| *op >= weakest) {
            let mut parts = vec![left];
            while let Some((_, operand)) = rest.next_if(|(next, _)| *next == op) {
                parts.push(match op.stronger() {
                    Some(stronger) => self.climb(operand, rest, stronger),
                    None => operand,
                });
            }
            left = self.joined(op, parts);
        }
        left
    }

    /// Two operands or more with the same operator between them.
    fn joined(&mut self, op: Op, mut parts: Vec<TallExpr>) -> TallExpr {
        match op {
            Op::Union => self.nary(ExprKind::Union, parts),
            Op::Seq => self.nary(ExprKind::Seq, parts),
            Op::Diff => {
                let first = parts.remove(0);
                parts.into_iter().fold(first, |left, right| self.between(ExprKind::Diff, left, right))
            }
            Op::Add | Op::Inter => {
                let make = if op == Op::Add { ExprKind::Add } else { ExprKind::Inter };
                let last = parts.pop().expect("two operands at least");
                parts.into_iter().rev().fold(last, |right, left| self.between(make, left, right))
            }
        }
    }

    /// An expression with two children, from the first to the second.
    fn between(&mut self, make: fn(Expr, Expr) -> ExprKind, left: TallExpr, right: TallExpr) -> TallExpr {
        let (start, end) = (left.node.span.start, right.node.span.end);
        self.binary(start as usize, end as usize, make, left, right)
    }

    /// `( e )`: the expression itself, its place now with the parentheses.
    pub fn parens(&mut self, start: usize, end: usize, inner: TallExpr) -> TallExpr {
        let span = self.span(start, end);
        match self.height(span, [inner.height]) {
            Some(height) => Tall { node: Expr { kind: inner.node.kind, span }, height },
            None => self.leaf(start, end, ExprKind::Zero),
        }
    }

    /// `f x y`: the application of a name.
    pub fn apply(&mut self, start: usize, head: Ident, args: Vec<(TallExpr, usize)>) -> TallExpr {
        let mut args = args.into_iter();
        let Some((first, end)) = args.next() else {
            let (start, end) = (head.span.start as usize, head.span.end as usize);
            return self.leaf(start, end, ExprKind::Var(head.name));
        };
        let call = self.expr(start, end, ExprKind::App(head, first.node), [first.height]);
        args.fold(call, |call, (arg, end)| self.binary(start, end, ExprKind::AppExpr, call, arg))
    }

    /// An instruction whose blocks have the given heights (expressions are counted apart).
    pub fn ins(
        &mut self,
        start: usize,
        end: usize,
        kind: InsKind,
        blocks: impl IntoIterator<Item = u32>,
    ) -> Box<Tall<Ins>> {
        let span = self.span(start, end);
        Box::new(match self.height(span, blocks) {
            Some(height) => Tall { node: Ins { kind, span }, height },
            None => Tall { node: Ins { kind: InsKind::Show { names: Vec::new() }, span }, height: 1 },
        })
    }

    /// A variant condition of which the children have the given heights.
    pub fn variant(
        &mut self,
        start: usize,
        end: usize,
        variant: Variant,
        children: impl IntoIterator<Item = u32>,
    ) -> Tall<Variant> {
        let span = self.span(start, end);
        match self.height(span, children) {
            Some(height) => Tall { node: variant, height },
            None => Tall { node: Variant::Name(String::new(), span), height: 1 },
        }
    }

    /// One binding.
    pub fn binding(
        &mut self,
        start: usize,
        end: usize,
        pattern: Pattern,
        expr: TallExpr,
    ) -> Box<Tall<Binding>> {
        let span = self.span(start, end);
        Box::new(Tall { node: Binding { pattern, expr: expr.node, span }, height: expr.height })
    }

    /// `let … in e`.
    pub fn let_in(
        &mut self,
        start: usize,
        end: usize,
        rec: bool,
        bindings: Tall<Vec<Binding>>,
        body: TallExpr,
    ) -> TallExpr {
        let heights = [bindings.height, body.height];
        self.expr(start, end, ExprKind::Let { rec, bindings: bindings.node, body: body.node }, heights)
    }

    /// `if c then e else e`.
    pub fn if_then(
        &mut self,
        start: usize,
        end: usize,
        cond: Tall<Cond>,
        then: TallExpr,
        otherwise: TallExpr,
    ) -> TallExpr {
        let heights = [cond.height, then.height, otherwise.height];
        let kind = ExprKind::If { cond: Box::new(cond.node), then: then.node, otherwise: otherwise.node };
        self.expr(start, end, kind, heights)
    }
}

/// The two clauses of a match on a set.
pub struct SetClauses {
    pub empty: TallExpr,
    pub element: ElementClause,
}

/// `p | e ++ s -> body`.
pub struct ElementClause {
    pub before: Option<Option<Ident>>,
    pub element: Option<Ident>,
    pub rest: Option<Ident>,
    pub body: TallExpr,
}

impl SetClauses {
    /// The whole match.
    pub fn on(self, scrutinee: TallExpr) -> (ExprKind, [u32; 3]) {
        let ElementClause { before, element, rest, body } = self.element;
        let heights = [scrutinee.height, self.empty.height, body.height];
        let kind = ExprKind::MatchSet {
            scrutinee: scrutinee.node,
            empty: self.empty.node,
            before,
            element,
            rest,
            body: body.node,
        };
        (kind, heights)
    }
}

/// Nodes and the greatest of their heights.
pub fn separate<T>(items: Vec<Tall<T>>) -> Tall<Vec<T>> {
    let height = items.iter().map(|item| item.height).max().unwrap_or(0);
    Tall { node: items.into_iter().map(|item| item.node).collect(), height }
}

/// Nodes that were boxed, and the greatest of their heights.
pub fn unboxed<T>(items: Vec<Box<Tall<T>>>) -> Tall<Vec<T>> {
    let height = items.iter().map(|item| item.height).max().unwrap_or(0);
    Tall { node: items.into_iter().map(|item| item.node).collect(), height }
}

/// Clauses and the greatest of their heights.
pub fn separate_clauses<P, T>(items: Vec<(P, Tall<T>)>) -> Tall<Vec<(P, T)>> {
    let height = items.iter().map(|(_, item)| item.height).max().unwrap_or(0);
    Tall { node: items.into_iter().map(|(pattern, item)| (pattern, item.node)).collect(), height }
}

/// A comparison.
pub fn compare(make: fn(Expr, Expr) -> Cond, left: TallExpr, right: TallExpr) -> Tall<Cond> {
    Tall { height: left.height.max(right.height), node: make(left.node, right.node) }
}

/// Parameters between parentheses: a single one is no tuple.
pub fn params(mut formals: Vec<Option<Ident>>) -> Params {
    match formals.len() {
        1 => Params::One(formals.remove(0)),
        _ => Params::Tuple(formals),
    }
}

/// Names on the left of a `let`: a single one is no tuple.
pub fn pattern(mut formals: Vec<Option<Ident>>) -> Pattern {
    match formals.len() {
        1 => Pattern::Name(formals.remove(0)),
        _ => Pattern::Tuple(formals),
    }
}

/// A test with its name attached.
pub fn named(mut test: Box<Test>, name: Option<Ident>, span: Span) -> Box<Test> {
    test.name = name;
    test.span = span;
    test
}
