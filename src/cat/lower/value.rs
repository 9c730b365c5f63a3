//! What `cat` expressions evaluate to.
//!
//! One type serves two runs of the interpreter. While a model is lowered, event sets and relations are nodes of the
//! pool ([`Value::Node`]). When an interpreted leaf is evaluated on actual events, they are bit sets and matrices.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::choices::ValueSet;
use super::env::Env;
use super::prims::Prim;
use crate::cat::ast::{Expr, Ident, Ins, Params};
use crate::model::{ExprId, Sort};
use crate::relation::{Rel, Set};
use crate::source::Span;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// `{}`: an empty set or relation of anything.
    Empty,
    /// `_`: everything, of a sort that the context decides.
    Universe,
    /// Stands for what could not be evaluated, once that has been reported; goes everywhere, silently.
    Unknown,
    /// A set or relation of events not known yet; sort `Other` if not even that is known.
    Node(ExprId, Sort),
    Event(usize),
    Pair(usize, usize),
    Set(Arc<Set>),
    Rel(Arc<Rel>),
    /// A relation over event sets.
    ClassRel(Arc<BTreeSet<(Value, Value)>>),
    Tag(Arc<str>),
    /// A set of values.
    Values(Arc<ValueSet>),
    /// A set of values that are not all known yet, so that some of them may turn out equal.
    Explicit(Arc<Vec<Value>>),
    Tuple(Arc<Vec<Value>>),
    Closure(Arc<Closure>),
    Prim(Prim),
    Procedure(Arc<Procedure>),
}

/// A function with what it remembers.
#[derive(Debug)]
pub(super) struct Closure {
    pub params: Params,
    pub body: Expr,
    /// Free variables of the body.
    pub env: Env,
    /// The `let rec` group it belongs to: its members are visible in the body.
    pub group: Option<Arc<Group>>,
    /// Its own name, for messages.
    pub name: Option<Arc<str>>,
    /// Age, then index in its group: what functions are compared by.
    pub identity: (u64, usize),
}

/// Mutually recursive functions.
#[derive(Debug)]
pub(super) struct Group {
    pub functions: Vec<(Ident, Params, Expr)>,
    pub env: Env,
    pub age: u64,
}

/// A procedure.
#[derive(Debug)]
pub(super) struct Procedure {
    pub name: Ident,
    pub params: Params,
    pub body: Arc<Vec<Ins>>,
    pub env: Env,
    /// What of it the body uses, for runs that know no global names.
    pub captured: Env,
    pub rec: bool,
    pub span: Span,
}

/// The type of a value, for checks and messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Empty,
    Universe,
    /// Not known (yet): agrees with everything.
    Unknown,
    Event,
    Pair,
    Events,
    Rel,
    ClassRel,
    Tag,
    Set(Box<Type>),
    Tuple(Vec<Type>),
    Closure,
    Procedure,
}

impl Type {
    /// Can values of the two types be members of one set?
    pub(super) fn agrees(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Empty, Type::Empty) => false,
            (Type::Empty, t) | (t, Type::Empty) => {
                matches!(t, Type::Events | Type::Rel | Type::ClassRel | Type::Set(_))
            }
            (Type::Set(a), Type::Set(b)) => a.agrees(b),
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b))
            }
            (a, b) => a == b,
        }
    }

    /// The sort of the core that holds values of this type.
    pub(super) fn sort(&self) -> Sort {
        match self {
            Type::Events => Sort::Set,
            Type::Rel => Sort::Rel,
            _ => Sort::Other,
        }
    }
}

/// As messages put it: `a relation`, `a set of events` …
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Empty => write!(f, "the empty set"),
            Type::Universe => write!(f, "the universe `_`"),
            Type::Unknown => write!(f, "a value"),
            Type::Event => write!(f, "an event"),
            Type::Pair => write!(f, "a pair of events"),
            Type::Events => write!(f, "a set of events"),
            Type::Rel => write!(f, "a relation"),
            Type::ClassRel => write!(f, "a relation over classes"),
            Type::Tag => write!(f, "a tag"),
            Type::Set(element) => {
                let many = match **element {
                    Type::Events => "event sets",
                    Type::Rel => "relations",
                    Type::Tag => "tags",
                    Type::Closure => "functions",
                    Type::Tuple(_) => "tuples",
                    Type::Set(_) => "sets",
                    _ => "values",
                };
                write!(f, "a set of {many}")
            }
            Type::Tuple(parts) => match parts.len() {
                0 => write!(f, "the empty tuple `()`"),
                n => write!(f, "a tuple of {n}"),
            },
            Type::Closure => write!(f, "a function"),
            Type::Procedure => write!(f, "a procedure"),
        }
    }
}

impl Value {
    pub(super) fn set(set: Set) -> Value {
        Value::Set(Arc::new(set))
    }

    pub(super) fn rel(rel: Rel) -> Value {
        Value::Rel(Arc::new(rel))
    }

    pub(super) fn tuple(parts: Vec<Value>) -> Value {
        Value::Tuple(Arc::new(parts))
    }

    pub(super) fn values(set: ValueSet) -> Value {
        Value::Values(Arc::new(set))
    }

    /// Its type.
    pub(super) fn type_of(&self) -> Type {
        match self {
            Value::Empty => Type::Empty,
            Value::Universe => Type::Universe,
            Value::Unknown => Type::Unknown,
            Value::Node(_, Sort::Set) | Value::Set(_) => Type::Events,
            Value::Node(_, Sort::Rel) | Value::Rel(_) => Type::Rel,
            Value::Node(_, Sort::Other) => Type::Unknown,
            Value::Event(_) => Type::Event,
            Value::Pair(..) => Type::Pair,
            Value::ClassRel(_) => Type::ClassRel,
            Value::Tag(_) => Type::Tag,
            Value::Values(set) => Type::Set(Box::new(set.element.clone())),
            Value::Explicit(items) => {
                Type::Set(Box::new(items.first().map_or(Type::Unknown, Value::type_of)))
            }
            Value::Tuple(parts) => Type::Tuple(parts.iter().map(Value::type_of).collect()),
            Value::Closure(_) | Value::Prim(_) => Type::Closure,
            Value::Procedure(_) => Type::Procedure,
        }
    }

    /// Is everything about it known while the model is being lowered, so that it can be compared?
    pub(super) fn is_known(&self) -> bool {
        match self {
            Value::Node(..) | Value::Unknown | Value::Explicit(_) => false,
            Value::Tuple(parts) => parts.iter().all(Value::is_known),
            _ => true,
        }
    }

    /// Is it an empty set, relation or set of values, for certain?
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Value::Empty => true,
            Value::Set(set) => set.is_empty(),
            Value::Rel(rel) => rel.is_empty(),
            Value::ClassRel(rel) => rel.is_empty(),
            Value::Values(set) => set.is_empty(),
            _ => false,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Empty => 0,
            Value::Universe => 1,
            Value::Unknown => 2,
            Value::Node(..) => 3,
            Value::Event(_) => 4,
            Value::Pair(..) => 5,
            Value::Set(_) => 6,
            Value::Rel(_) => 7,
            Value::ClassRel(_) => 8,
            Value::Tag(_) => 9,
            Value::Values(_) => 10,
            Value::Explicit(_) => 11,
            Value::Tuple(_) => 12,
            Value::Closure(_) => 13,
            Value::Prim(_) => 14,
            Value::Procedure(_) => 15,
        }
    }
}

/// The order of elements: events by number, sets and relations by their contents, tags by name, tuples
/// part by part, functions by age. An empty set or relation equals `{}`.
impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (a, b) if a.is_empty() && b.is_empty() => Ordering::Equal,
            (Value::Node(a, _), Value::Node(b, _)) => a.cmp(b),
            (Value::Event(a), Value::Event(b)) => a.cmp(b),
            (Value::Pair(a, b), Value::Pair(c, d)) => (a, b).cmp(&(c, d)),
            (Value::Set(a), Value::Set(b)) => a.compare(b),
            (Value::Rel(a), Value::Rel(b)) => a.compare(b),
            (Value::ClassRel(a), Value::ClassRel(b)) => a.cmp(b),
            (Value::Tag(a), Value::Tag(b)) => a.cmp(b),
            (Value::Values(a), Value::Values(b)) => a.cmp(b),
            (Value::Explicit(a), Value::Explicit(b)) | (Value::Tuple(a), Value::Tuple(b)) => a.cmp(b),
            (Value::Closure(a), Value::Closure(b)) => a.identity.cmp(&b.identity),
            (Value::Prim(a), Value::Prim(b)) => a.cmp(b),
            (Value::Procedure(a), Value::Procedure(b)) => a.span.cmp(&b.span),
            (a, b) => a.rank().cmp(&b.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}
