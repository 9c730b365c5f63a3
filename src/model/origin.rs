//! Where expressions come from: the text that each node was written as, and the definition that each name means.
//!
//! Lowering evaluates functions, includes and names away, and the pool merges what is equal. What a reader of the model
//! wants to know afterwards is here: at this place of the text stands that node, made of those parts, each with its own
//! place. One text may be several nodes (the body of a function), and one node may be written at several places, so that the
//! key is both.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{ExprId, FixId};
use crate::source::Span;

/// A node at the place where it is written.
pub type Spot = (Span, ExprId);

/// An operator of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    Union,
    Inter,
    Diff,
    Compl,
    Seq,
    Product,
    Inverse,
    ToId,
    Opt,
    Plus,
    Star,
}

/// How a node is written at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// An operator and its operands, those left out that are nothing or everything.
    Operator(Operator, Vec<Spot>),
    /// A name. Where its value is written, if that is somewhere.
    Name(Arc<str>, Option<Spot>),
    /// A call of a function of the model, and its body.
    Call(Arc<str>, Spot),
}

/// Where the nodes of a pool come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    written: FxHashMap<Spot, Written>,
    places: FxHashMap<ExprId, Vec<Span>>,
    definitions: FxHashMap<Span, Span>,
    bodies: FxHashMap<(FixId, u32), Span>,
}

impl Origins {
    /// Notes how a node is written at a place. The first word counts.
    pub fn note(&mut self, span: Span, node: ExprId, written: Written) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.written.entry((span, node)) {
            entry.insert(written);
            self.places.entry(node).or_default().push(span);
        }
    }

    /// Notes what a name means: where it is used, and where it is bound.
    pub fn note_use(&mut self, used: Span, bound: Span) {
        self.definitions.insert(used, bound);
    }

    /// Notes where the right-hand side of a recursive definition stands.
    pub fn note_body(&mut self, fix: FixId, index: u32, span: Span) {
        self.bodies.insert((fix, index), span);
    }

    /// How a node is written at a place.
    pub fn written(&self, spot: Spot) -> Option<&Written> {
        self.written.get(&spot)
    }

    /// Where the right-hand side of a recursive definition stands.
    pub fn body(&self, fix: FixId, index: u32) -> Option<Span> {
        self.bodies.get(&(fix, index)).copied()
    }

    /// The places where a node is written, in the order in which they were evaluated.
    pub fn places(&self, node: ExprId) -> &[Span] {
        self.places.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Where a node is written inside a stretch of text (the longest such place), or else anywhere.
    pub fn place_near(&self, node: ExprId, near: Option<Span>) -> Option<Span> {
        let places = self.places(node);
        let inside = |span: &&Span| {
            near.is_some_and(|n| n.source == span.source && n.start <= span.start && span.end <= n.end)
        };
        let within = places.iter().filter(inside).max_by_key(|span| span.end - span.start);
        within.or_else(|| places.first()).copied()
    }

    /// What the name used at a place means: where it is bound. `None`: it is predefined, or no name.
    pub fn definition(&self, used: Span) -> Option<Span> {
        self.definitions.get(&used).copied()
    }

    /// Every use of a name that the model defines, with the place where that is.
    pub fn uses(&self) -> impl Iterator<Item = (Span, Span)> + '_ {
        self.definitions.iter().map(|(used, bound)| (*used, *bound))
    }
}
