//! Programs of several files.
//!
//! The files are read one after the other, each with names, tags and types of its own; functions and variables that are not `static` are found again by their
//! names, so that what one file declares is what the other defines. Headers of ours are in each of them: what they define is there once.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Entity, Object, Parsed, Parser};
use crate::arch::c::preprocess::{Kind, Token};
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

impl Parser {
    /// Another file: nothing is declared in it yet.
    pub(super) fn begin_file(&mut self, tokens: Vec<Token>) {
        let end = || Token {
            kind: Kind::End,
            text: "".into(),
            span: Span::new(SourceId(0), 0, 0),
            space: true,
            first: true,
            hidden: Vec::new(),
        };
        self.tokens = if tokens.is_empty() { vec![end()] } else { tokens };
        self.at = 0;
        self.scopes = vec![HashMap::new()];
        self.tags = vec![HashMap::new()];
        self.defined_here.clear();
        self.first_record = self.unit.records.len();
    }

    /// The function of that name, where it was declared before: in this file, or, unless it is `static`, in another one.
    pub(super) fn known_function(&self, name: &str, is_static: bool) -> Option<usize> {
        let here = self.scopes.first().and_then(|scope| scope.get(name));
        match here.or_else(|| self.known.get(name).filter(|_| !is_static)) {
            Some(Entity::Function(id)) => Some(*id),
            _ => None,
        }
    }

    /// Likewise, the variable.
    pub(super) fn known_variable(&self, name: &str, is_static: bool) -> Option<usize> {
        let here = self.scopes.first().and_then(|scope| scope.get(name));
        match here.or_else(|| self.known.get(name).filter(|_| !is_static)) {
            Some(Entity::Variable(id)) => Some(*id),
            _ => None,
        }
    }

    /// Other files mean the same by that name. What a header of ours has is there once, `static` or not.
    pub(super) fn share(&mut self, name: &Arc<str>, entity: Entity, is_static: bool) {
        if !is_static {
            self.known.insert(Arc::clone(name), entity);
        }
    }

    /// This file defines that variable: no other one does.
    pub(super) fn define_variable(&mut self, id: usize, name: &str, span: Span) -> Parsed<()> {
        let is_new = self.defined_here.insert(Object::Variable(id));
        match self.defined.insert(id, span) {
            Some(first) if is_new && !self.is_ours(span) => {
                Err(Diagnostic::error("c::duplicate", format!("two files define `{name}`"))
                    .at(first, "here")
                    .at(span, "and here")
                    .help("`extern` in all files but one, or `static` where each has its own"))
            }
            _ => Ok(()),
        }
    }

    /// Are the objects of two types made alike? Two files may have the same structure, each by its own declaration.
    pub(super) fn alike(&self, a: &Ty, b: &Ty) -> bool {
        let (Ty::Record(a), Ty::Record(b)) = (a, b) else { return false };
        let of_two_files = (*a < self.first_record) != (*b < self.first_record);
        let whole = |id: usize| {
            let record = &self.unit.records[id];
            (record.complete, record.union, record.name.clone(), record.size)
        };
        let scalars = |id: usize| {
            let leaves = Ty::Record(id).leaves(&self.unit.records).into_iter();
            leaves.map(|leaf| (leaf.offset, leaf.path, leaf.ty.size(&self.unit.records)))
        };
        of_two_files && whole(*a) == whole(*b) && scalars(*a).eq(scalars(*b))
    }
}
