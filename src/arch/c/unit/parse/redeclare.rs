//! A name that one scope declares several times: as what it may be so, and as what not.

use std::sync::Arc;

use super::{Entity, Parsed, Parser, Tag};
use crate::arch::c::unit::types::{FunctionTy, Ty};
use crate::diag::Diagnostic;
use crate::source::Span;

impl Parser {
    /// Gives a name its meaning in the scope that is read, which has not told another one.
    pub(super) fn declare(&mut self, name: &Arc<str>, entity: Entity, span: Span) -> Parsed<()> {
        let ty = match &entity {
            Entity::Type(ty, _) => Some(ty.clone()),
            Entity::Variable(id) => Some(self.unit.variables[*id].ty.clone()),
            Entity::Function(_) | Entity::Constant(..) => None,
        };
        self.is_still(name, &entity, ty.as_ref(), self.scopes.len() - 1, span)?;
        self.define(name, entity);
        Ok(())
    }

    /// May that scope, having said what it has of the name, say this, too? Headers of ours may say what they like, and a macro's text stands in one place.
    pub(super) fn is_still(
        &self,
        name: &str,
        entity: &Entity,
        ty: Option<&Ty>,
        scope: usize,
        span: Span,
    ) -> Parsed<()> {
        let Some(known) = self.scopes[scope].get(name) else { return Ok(()) };
        let first = self.declared_at(known);
        if self.is_library || first == span || self.is_ours(first) || self.is_ours(span) {
            return Ok(());
        }
        let same_kind = std::mem::discriminant(known) == std::mem::discriminant(entity);
        let (code, message) = match (known, ty) {
            _ if !same_kind => {
                let message = format!("`{name}` is {} here, and {} there", kind(known), kind(entity));
                ("c::redeclared", message)
            }
            // What is only called gives whatever it turns out to.
            (Entity::Function(id), _) if self.undeclared.iter().any(|(known, _)| known == id) => {
                return Ok(());
            }
            (Entity::Type(known, _), Some(ty)) if compatible(known, ty) => return Ok(()),
            (Entity::Variable(id), Some(ty))
                if scope == 0 && compatible(&self.unit.variables[*id].ty, ty) =>
            {
                return Ok(());
            }
            (Entity::Function(id), Some(Ty::Function(types)))
                if fit(&self.unit.functions[*id].types, types) =>
            {
                return Ok(());
            }
            (Entity::Constant(..), _) => ("c::duplicate", format!("`{name}` is declared twice")),
            (Entity::Variable(_), _) if scope > 0 => ("c::duplicate", format!("`{name}` is declared twice")),
            _ => ("c::redeclared", format!("`{name}` is declared with two types")),
        };
        Err(Diagnostic::error(code, message).at(span, "declared again here").at(first, "declared before"))
    }

    fn declared_at(&self, entity: &Entity) -> Span {
        match entity {
            Entity::Variable(id) => self.unit.variables[*id].span,
            Entity::Function(id) => self.unit.functions[*id].span,
            Entity::Type(_, span) | Entity::Constant(_, span) => *span,
        }
    }

    /// Is the tag what the word says, and if the scope that is read defines it, has it not done so before?
    pub(super) fn is_free_tag(&self, name: &str, word: &str, defines: bool, span: Span) -> Parsed<()> {
        let scopes = if defines { &self.tags[self.tags.len() - 1..] } else { &self.tags };
        let Some(tag) = scopes.iter().rev().find_map(|tags| tags.get(name)) else { return Ok(()) };
        let (is_known, known, first) = match tag {
            Tag::Record(id, first) => {
                let record = &self.unit.records[*id];
                (record.complete, if record.union { "union" } else { "struct" }, *first)
            }
            Tag::Enum(_, first) => (true, "enum", *first),
        };
        if self.is_library || first == span || self.is_ours(first) || self.is_ours(span) {
            return Ok(());
        }
        let message = match known == word {
            false => format!("`{word} {name}` is `{known} {name}`"),
            true if defines && is_known => format!("`{word} {name}` is defined twice"),
            true => return Ok(()),
        };
        Err(Diagnostic::error("c::duplicate", message).at(span, "here").at(first, "declared before"))
    }
}

fn kind(entity: &Entity) -> &'static str {
    match entity {
        Entity::Type(..) => "a type",
        Entity::Variable(_) => "a variable",
        Entity::Function(_) => "a function",
        Entity::Constant(..) => "a constant",
    }
}

/// Can one object be declared with both types?
fn compatible(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Const(a), Ty::Const(b)) | (Ty::Atomic(a), Ty::Atomic(b)) | (Ty::Pointer(a), Ty::Pointer(b)) => {
            compatible(a, b)
        }
        (Ty::Array(a, n), Ty::Array(b, m)) => (n == m || n.is_none() || m.is_none()) && compatible(a, b),
        (Ty::Function(a), Ty::Function(b)) => fit(a, b),
        (Ty::Computed(..), _) | (_, Ty::Computed(..)) => true,
        _ => a == b,
    }
}

/// Likewise, one function. One whose parameters are not told, or not all of them, may have any.
fn fit(a: &FunctionTy, b: &FunctionTy) -> bool {
    let params = || a.params.iter().zip(&b.params).all(|(a, b)| compatible(a.mutable(), b.mutable()));
    let fits = a.variadic || b.variadic || a.params.len() == b.params.len() && params();
    fits && compatible(&a.result, &b.result)
}
