//! The relation of a check as its author wrote it: names, functions and operators with their places, on top of the nodes of the pool.
//!
//! The pool merges and flattens; a reader of an explanation wants the text. Where the text is not known (a closure that a
//! recursive definition became), the pool's own expression stands in.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::{Expr, ExprId, Model, Operator, Sort, Spot, Written};
use crate::source::Span;

/// Index of a surface node.
pub type At = usize;

/// Relations that everyone in the field takes for granted: an explanation stops at them.
const KNOWN: [&str; 9] = ["rf", "co", "fr", "addr", "data", "ctrl", "rmw", "lxsx", "amo"];

/// Relations that restrict others, and explain nothing by themselves.
const FILTERS: [&str; 8] = ["int", "ext", "loc", "id", "same-loc", "same-instance", "sm", "si"];

/// A node of the surface.
#[derive(Clone, Debug)]
pub struct Node {
    /// The node of the pool.
    pub id: ExprId,
    /// Where it is written.
    pub span: Option<Span>,
    /// The name or function used here.
    pub name: Option<Arc<str>>,
    /// What it is made of.
    pub form: Form,
}

/// What a surface node is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// An edge that is not looked into. For well-known derived ones: what it would be made of.
    Leaf(Option<At>),
    /// The value of another node: a name, a call.
    Same(At),
    /// The value of a recursive definition: its right-hand side.
    Rec(At),
    /// Any of these.
    Union(Vec<At>),
    /// One after the other.
    Seq(Vec<At>),
    /// All of these at once; then the filters.
    Both(Vec<At>, Vec<At>),
    /// Pairs of the first that are not in the second.
    Minus(At, At),
    /// Backwards.
    Inverse(At),
    /// At most one step.
    Opt(At),
    /// One step or more.
    Plus(At),
    /// Any number of steps.
    Star(At),
    /// Staying where one is, if that is in a set (or anywhere).
    Stay(Option<At>),
}

/// The surface of one model, built as far as it was asked for.
pub struct Surface<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its nodes.
    pub nodes: Vec<Node>,
    known: FxHashMap<ExprId, Arc<str>>,
    index: FxHashMap<(Option<Span>, ExprId, bool), At>,
}

impl<'m> Surface<'m> {
    /// An empty surface.
    pub fn new(model: &'m Model) -> Surface<'m> {
        let mut known = FxHashMap::default();
        for definition in &model.definitions {
            let name = definition.name.as_str();
            let is_known = KNOWN.contains(&name) || name.ends_with("-dep");
            if is_known && model.pool.sort(definition.expr) == Sort::Rel {
                known.entry(definition.expr).or_insert_with(|| Arc::from(name));
            }
        }
        Surface { model, nodes: Vec::new(), known, index: FxHashMap::default() }
    }

    /// The surface node of an expression that is written near a place.
    pub fn node(&mut self, near: Option<Span>, id: ExprId) -> At {
        let span = self.model.origins.place_near(id, near);
        self.build(span.or(near), id, true)
    }

    /// A closure around a node: cycles of `acyclic`.
    pub fn closure(&mut self, of: At) -> At {
        let node = Node { form: Form::Plus(of), name: None, ..self.nodes[of].clone() };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The place closest to a node where something is written.
    pub fn span(&self, at: At) -> Option<Span> {
        self.nodes[at].span
    }

    fn build(&mut self, span: Option<Span>, id: ExprId, stop: bool) -> At {
        let key = (span, id, stop);
        if let Some(at) = self.index.get(&key) {
            return *at;
        }
        let at = self.nodes.len();
        self.index.insert(key, at);
        let name = match span.and_then(|span| self.model.origins.written((span, id))) {
            Some(Written::Name(name, _) | Written::Call(name, _)) => Some(name.clone()),
            _ => None,
        };
        self.nodes.push(Node { id, span, name, form: Form::Leaf(None) });
        let form = match self.known.get(&id).cloned() {
            Some(known) if stop => {
                self.nodes[at].name = Some(known);
                let inner = (!self.model.pool.is_static(id)).then(|| self.build(span, id, false));
                Form::Leaf(inner.filter(|inner| self.nodes[*inner].form != Form::Leaf(None)))
            }
            _ => match self.form(span, id) {
                Form::Same(inner) if self.comes_back(inner, at) => {
                    let expr = self.model.pool.expr(id).clone();
                    self.core(span, &expr)
                }
                form => form,
            },
        };
        self.nodes[at].form = form;
        at
    }

    /// Do names lead from one node to another? Functions that hand on what they are given may lead back to where one began.
    fn comes_back(&self, mut from: At, to: At) -> bool {
        while from != to {
            match self.nodes[from].form {
                Form::Same(inner) if inner != from => from = inner,
                _ => return false,
            }
        }
        true
    }

    fn form(&mut self, span: Option<Span>, id: ExprId) -> Form {
        if self.model.pool.sort(id) != Sort::Rel {
            return Form::Leaf(None);
        }
        let expr = self.model.pool.expr(id).clone();
        if let Expr::FixVar(fix, index, _) | Expr::Fix(fix, index, _) = expr {
            let body = self.model.pool.fix(fix).bodies.get(index as usize).copied();
            let place = self.model.origins.body(fix, index);
            return match body {
                Some(body) => Form::Rec(self.build(place.or(span), body, true)),
                None => Form::Leaf(None),
            };
        }
        let written = span.and_then(|span| self.model.origins.written((span, id))).cloned();
        match written {
            Some(Written::Name(_, Some(spot))) if spot != (spot.0, id) || Some(spot.0) != span => {
                Form::Same(self.spot(spot))
            }
            Some(Written::Call(_, spot)) if Some(spot.0) != span => Form::Same(self.spot(spot)),
            Some(Written::Operator(operator, parts)) => match self.operator(operator, &parts) {
                Some(form) => form,
                None => self.core(span, &expr),
            },
            _ => self.core(span, &expr),
        }
    }

    /// A part of a text; the exact place may hold no note (an `if`, a `let … in`), then one inside it does.
    fn spot(&mut self, (span, id): Spot) -> At {
        match self.model.origins.written((span, id)) {
            Some(_) => self.build(Some(span), id, true),
            None => self.node(Some(span), id),
        }
    }

    fn spots(&mut self, parts: &[Spot]) -> Vec<At> {
        parts.iter().map(|part| self.spot(*part)).collect()
    }

    fn operator(&mut self, operator: Operator, parts: &[Spot]) -> Option<Form> {
        if parts.iter().any(|(_, id)| self.model.pool.sort(*id) == Sort::Other) {
            return None;
        }
        Some(match (operator, parts) {
            (Operator::Union, [_, ..]) => Form::Union(self.spots(parts)),
            (Operator::Seq, [_, ..]) => Form::Seq(self.spots(parts)),
            (Operator::Inter, [_, _]) => self.both(parts),
            (Operator::Diff, [a, b]) => Form::Minus(self.spot(*a), self.spot(*b)),
            (Operator::Inverse, [a]) => Form::Inverse(self.spot(*a)),
            (Operator::ToId, [a]) => Form::Stay(Some(self.spot(*a))),
            (Operator::Opt, [a]) => Form::Opt(self.spot(*a)),
            (Operator::Plus, [a]) => Form::Plus(self.spot(*a)),
            (Operator::Star, [a]) => Form::Star(self.spot(*a)),
            _ => return None,
        })
    }

    /// Without a text: what the pool has.
    fn core(&mut self, span: Option<Span>, expr: &Expr) -> Form {
        let mut child = |id: &ExprId| self.node(span, *id);
        match expr {
            Expr::Union(parts) => Form::Union(parts.iter().map(child).collect()),
            Expr::Seq(parts) => Form::Seq(parts.iter().map(child).collect()),
            Expr::Inter(a, b) => {
                let spots = [*a, *b].map(|id| (self.model.origins.place_near(id, span), id));
                let parts: Vec<At> =
                    spots.into_iter().map(|(place, id)| self.build(place.or(span), id, true)).collect();
                self.split(&parts)
            }
            Expr::Diff(a, b) => Form::Minus(child(a), child(b)),
            Expr::Inverse(a) => Form::Inverse(child(a)),
            Expr::Opt(a) => Form::Opt(child(a)),
            Expr::Plus(a) => Form::Plus(child(a)),
            Expr::Star(a) => Form::Star(child(a)),
            Expr::ToId(a) => Form::Stay(Some(child(a))),
            Expr::Id => Form::Stay(None),
            Expr::ByValues(_, a) => Form::Same(child(a)),
            _ => Form::Leaf(None),
        }
    }

    fn both(&mut self, parts: &[Spot]) -> Form {
        let parts = self.spots(parts);
        self.split(&parts)
    }

    /// An intersection: what explains, and what only restricts.
    fn split(&mut self, parts: &[At]) -> Form {
        let (filters, main): (Vec<At>, Vec<At>) = parts.iter().partition(|at| self.is_filter(**at));
        match main.is_empty() {
            true => Form::Both(filters[..1].to_vec(), filters[1..].to_vec()),
            false => Form::Both(main, filters),
        }
    }

    fn is_filter(&self, at: At) -> bool {
        let node = &self.nodes[at];
        if node.name.as_ref().is_some_and(|name| FILTERS.contains(&&**name)) {
            return true;
        }
        match self.model.pool.expr(node.id) {
            Expr::Base(name, _) => FILTERS.contains(&name.name()),
            Expr::Product(..) | Expr::Id | Expr::Universe(_) | Expr::Compl(_) | Expr::ToId(_) => true,
            _ => false,
        }
    }
}
