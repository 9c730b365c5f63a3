//! The `.litmus` format: header, initial state, program table, condition.

pub mod ast;
mod cursor;
mod finals;
mod header;
mod init;
mod lex;
mod parse;
mod scopes;
mod split;
mod table;
mod text;

#[cfg(test)]
mod tests;

pub use ast::Test;
pub use parse::parse;

use crate::outcome::{Condition, Observable, Prop};
use crate::program::Program;

/// A test, parsed and lowered: ready to run, with all that its output needs.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The name in its header.
    pub name: String,
    /// The program.
    pub program: Program,
    /// The condition.
    pub condition: Condition,
    /// `filter`.
    pub filter: Option<Prop>,
    /// What a state line shows, in order.
    pub shown: Vec<Observable>,
    /// Everything observed by condition, `locations` or `filter`.
    pub observed: Vec<Observable>,
    /// `Unroll=n` of the info fields.
    pub unroll: Option<u32>,
    /// `Variant=…` of the info fields, as written.
    pub variants: Vec<String>,
    /// The hash to print, if any.
    pub hashes: Vec<String>,
    /// The condition as herd7 prints it (`exists (0:EAX=1)`).
    pub condition_text: String,
    /// Scope trees, regions: name to event-set or relation sources, for LISA and C with bell.
    pub scopes: Vec<ScopeTree>,
    /// `regions:` entries: global and region.
    pub regions: Vec<(String, String)>,
}

/// A node of a scope tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeTree {
    /// The scope's name.
    pub name: String,
    /// Subtrees.
    pub children: Vec<ScopeTree>,
    /// Threads directly in it.
    pub threads: Vec<usize>,
}
