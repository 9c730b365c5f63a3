//! A `.litmus` file as written: everything with its place, nothing resolved yet.

use crate::arch::ArchId;
use crate::condition::Quantifier;
use crate::source::{SourceId, Span};

use crate::program::ScopeTree;

/// A parsed test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The file it came from.
    pub source: SourceId,
    /// The architecture named in the header.
    pub arch: ArchId,
    /// The test's name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// The doc string of the header.
    pub doc: Option<String>,
    /// `KEY=value` lines, in order.
    pub info: Vec<Info>,
    /// The initial state, in order.
    pub init: Vec<Init>,
    /// The program.
    pub code: Code,
    /// `scopes:` trees.
    pub scopes: Vec<ScopeTree>,
    /// `levels:` trees.
    pub levels: Vec<ScopeTree>,
    /// `regions:` entries: global and region.
    pub regions: Vec<(String, String)>,
    /// Where these three stand.
    pub extras: Span,
    /// Locations, filter and condition.
    pub fin: Final,
    /// The file's own proposition, where another took its place: the hash is of this one.
    pub own_prop: Option<Prop>,
}

impl Test {
    /// The value of an info field; keys compare without case.
    pub fn info(&self, key: &str) -> Option<&Info> {
        self.info.iter().find(|info| info.key.eq_ignore_ascii_case(key))
    }
}

/// One `KEY=value` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The key, as spelled.
    pub key: String,
    /// The rest of the line.
    pub value: String,
    /// The value's place.
    pub span: Span,
}

/// The program part of a file.
#[derive(Clone, Debug)]
pub enum Code {
    /// Assembly: one column per thread.
    Table(Table),
    /// C: the text between the initial state and the condition, as it stands.
    C(Region),
}

/// A piece of the file, verbatim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The text.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// An assembly program.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The threads, P0 first.
    pub columns: Vec<Column>,
    /// Fault handlers (`P0.F`): the thread, and the handler's code. In the order of the table.
    pub handlers: Vec<(usize, Column)>,
    /// What the columns are, from the left.
    pub order: Vec<ColumnKind>,
}

/// What stands in a column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// A thread, by number.
    Thread(usize),
    /// A fault handler, by its place in [`Table::handlers`].
    Handler(usize),
}

/// One thread of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The place of `P0` in the header row.
    pub span: Span,
    /// Names after `P0:`.
    pub annotations: Vec<(String, Span)>,
    /// Its cells that are not empty, from the top.
    pub cells: Vec<Cell>,
}

/// A cell that is not empty: labels, then perhaps an instruction.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Labels in front of the instruction.
    pub labels: Vec<(String, Span)>,
    /// The instruction, without blanks around it; comments in it are blanked out. Empty: labels only.
    pub text: String,
    /// The instruction's place.
    pub span: Span,
}

/// A place that holds a value, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Loc {
    /// `0:X1`.
    Reg {
        /// The thread.
        thread: usize,
        /// The register as spelled.
        name: String,
    },
    /// `%x`: a register that the test leaves open.
    Symbolic(String),
    /// `x`.
    Global(String),
    /// `x[1]`.
    Cell(String, u64),
    /// Page-table entries, tags, physical addresses …: the text as herd7 hashes it.
    Special(String),
}

/// A value, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Const {
    /// A number, with its spelling.
    Int {
        /// The spelling.
        text: String,
        /// What it says.
        value: i128,
    },
    /// The address of a global.
    Global(String),
    /// The address of an array element.
    Element(String, u64),
    /// The address of an instruction.
    Label {
        /// The thread.
        thread: usize,
        /// The label.
        name: String,
    },
    /// Page-table entries, tags, instructions as values …: the text as herd7 hashes it.
    Special(String),
}

/// A declared type, as written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Ty {
    /// None.
    #[default]
    None,
    /// `*x`: a pointer to nobody knows what.
    Pointer,
    /// `T x`.
    Named(String),
    /// `_Atomic T x`.
    Atomic(String),
    /// `T *x`.
    NamedPointer(String),
    /// `T x[n]`.
    Array(String, u64),
}

/// One entry of the initial state.
#[derive(Clone, Debug)]
pub struct Init {
    /// The whole entry.
    pub span: Span,
    /// What is set.
    pub loc: Loc,
    /// Its place.
    pub loc_span: Span,
    /// The declared type.
    pub ty: Ty,
    /// The type's place (the entry's if there is none).
    pub ty_span: Span,
    /// The value or, for an array, the values; none: 0.
    pub values: Vec<Const>,
    /// The value's place (the entry's if there is none).
    pub value_span: Span,
}

/// What follows the program.
#[derive(Clone, Debug)]
pub struct Final {
    /// `locations`.
    pub locations: Vec<Item>,
    /// `filter`.
    pub filter: Option<Prop>,
    /// The condition's shape.
    pub quantifier: Quantifier,
    /// What the condition says.
    pub prop: Prop,
    /// Where the condition stands; none: there is none, which says `forall true`.
    pub condition_span: Option<Span>,
    /// Where the filter stands.
    pub filter_span: Option<Span>,
}

/// One item of `locations`.
#[derive(Clone, Debug)]
pub enum Item {
    /// A location; for an array, all of it.
    Loc(Loc, Span),
    /// A fault.
    Fault(Fault, Span),
}

/// A proposition, as written.
#[derive(Clone, Debug)]
pub enum Prop {
    /// `true`.
    True,
    /// `false`.
    False,
    /// `x=1`.
    Atom(Atom),
    /// `fault(P0,x)`.
    Fault(Fault, Span),
    /// `not p`, `~p`, and `x!=1`.
    Not(Box<Prop>),
    /// `p /\ q`.
    And(Vec<Prop>),
    /// `p \/ q`.
    Or(Vec<Prop>),
    /// `p => q`.
    Implies(Box<Prop>, Box<Prop>),
}

/// `loc = value`.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The left side.
    pub left: Loc,
    /// Its place.
    pub left_span: Span,
    /// The right side.
    pub right: Side,
    /// Its place.
    pub right_span: Span,
}

/// The right side of an atom.
#[derive(Clone, Debug)]
pub enum Side {
    /// A value.
    Const(Const),
    /// `{1,2}`: the values of an array.
    Array(Vec<Const>),
    /// The contents of another place.
    Loc(Loc),
}

/// A fault, as an atom names it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fault {
    /// The thread.
    pub thread: usize,
    /// The label of the faulting instruction.
    pub label: Option<String>,
    /// The location.
    pub loc: Option<String>,
    /// The kind of fault, as written.
    pub kind: Option<String>,
}

impl std::fmt::Display for Fault {
    /// What stands between the parentheses: `P0:L0,x,MMU:Translation`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "P{}", self.thread)?;
        if let Some(label) = &self.label {
            write!(f, ":{label}")?;
        }
        for part in [&self.loc, &self.kind].into_iter().flatten() {
            write!(f, ",{part}")?;
        }
        Ok(())
    }
}

impl Prop {
    /// Calls `see` on every atom and `fault` on every fault, from the left.
    pub fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Atom), fault: &mut impl FnMut(&'a Fault)) {
        match self {
            Prop::True | Prop::False => {}
            Prop::Atom(atom) => see(atom),
            Prop::Fault(f, _) => fault(f),
            Prop::Not(p) => p.visit(see, fault),
            Prop::And(ps) | Prop::Or(ps) => ps.iter().for_each(|p| p.visit(see, fault)),
            Prop::Implies(a, b) => {
                a.visit(see, fault);
                b.visit(see, fault);
            }
        }
    }
}
