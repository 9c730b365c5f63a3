//! The `.litmus` format: header, initial state, program table, condition.

pub(crate) mod ast;
mod code;
mod cursor;
mod entries;
mod finals;
mod hash;
mod header;
mod init;
mod lex;
mod lower;
mod lower_c;
mod machine;
mod names;
mod observe;
mod overrides;
mod parse;
mod questions;
mod scopes;
mod seen;
mod special;
mod split;
mod table;
mod template;
mod text;
mod types;
mod variants;

#[cfg(test)]
mod tests;

pub use ast::Test;
pub use lower::{LowerOptions, lower};
pub use overrides::Overrides;
pub use parse::parse;
pub use questions::PREFIX as QUESTION;
pub use seen::{Seen, Sighting};
pub use template::{Hexa, Piece, Template};
pub use variants::variants;

use crate::arch::ArchId;
use crate::condition::{Condition, Observable, Prop};
use crate::diag::Diagnostic;
use crate::program::{Program, ScopeTree};
use crate::variant::Variant;

/// A test, parsed and lowered: ready to run, with all that its output needs.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The name in its header.
    pub name: String,
    /// The architecture it is written for.
    pub arch: ArchId,
    /// The program.
    pub program: Program,
    /// The condition.
    pub condition: Condition,
    /// `filter`.
    pub filter: Option<Prop>,
    /// The values of a final state that a state line shows, in order.
    pub shown: Vec<Observable>,
    /// How a state line shows them.
    pub display: Vec<Shown>,
    /// Everything observed by condition, `locations` or `filter`.
    pub observed: Vec<Observable>,
    /// `Unroll=n` of the info fields.
    pub unroll: Option<u32>,
    /// The variants in force: those asked for, then those of its own `Variant=` line.
    pub variants: Vec<Variant>,
    /// The hash to print, if any.
    pub hashes: Vec<String>,
    /// The condition as herd7 prints it (`exists (0:EAX=1)`).
    pub condition_text: String,
    /// The same, with the form of numbers left open.
    pub condition_template: Template,
    /// Scope trees, regions: name to event-set or relation sources, for LISA and C with bell.
    pub scopes: Vec<ScopeTree>,
    /// `regions:` entries: global and region.
    pub regions: Vec<(String, String)>,
    /// What is right, but deserves a word.
    pub warnings: Vec<Diagnostic>,
}

impl Lowered {
    /// A test made from a program that was not read from a file: no filter, no hash, `shown` observed.
    pub fn for_program(
        arch: ArchId,
        program: Program,
        condition: Condition,
        shown: Vec<Observable>,
    ) -> Lowered {
        Lowered {
            name: "program".to_string(),
            arch,
            program,
            condition,
            filter: None,
            observed: shown.clone(),
            shown,
            display: Vec::new(),
            unroll: None,
            variants: Vec::new(),
            hashes: Vec::new(),
            condition_text: String::new(),
            condition_template: Template::default(),
            scopes: Vec::new(),
            regions: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// One binding of a state line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it shows.
    pub kind: ShownKind,
    /// Where its first value stands among `Lowered::shown`.
    pub first: usize,
}

impl Shown {
    /// Where its value stands among `Lowered::shown`; none: it has several. An array of one element is shown as that element, as herd7 shows it.
    pub fn place(&self) -> Option<usize> {
        match self.kind {
            ShownKind::Array { len, .. } if len != 1 => None,
            _ => Some(self.first),
        }
    }
}

/// What a binding of a state line shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownKind {
    /// `0:X1`.
    Register {
        /// The thread.
        thread: u16,
        /// The canonical name.
        name: String,
    },
    /// `[x]`.
    Global(String),
    /// `x[1]`.
    Element(String),
    /// `x={1,2}`.
    Array {
        /// The name.
        name: String,
        /// How many elements.
        len: usize,
    },
}
