//! The core that every model is lowered to: hash-consed expressions over sets and relations of
//! events, and the list of checks, choices and flags to run over them.
//!
//! Nothing here knows the syntax of `cat`. What `cat` can say and this core cannot (matching on sets, recursion over
//! them, sets of relations) is an [`Expr::Interp`] leaf: a function of other nodes, run when they are known.

mod apart;
mod base;
mod bounds;
mod buffer;
mod derived;
mod given;
mod join;
mod narrow;
mod origin;
mod plain;
mod pool;
mod recall;
mod same;
mod vacuous;
mod values;

#[cfg(test)]
mod tests;

pub use apart::{Apart, Group, LARGEST, Shared};
pub use base::{Base, REGISTRY, Registered, When};
pub use bounds::{Bound, Bounds, Rows};
pub use derived::Derived;
pub use given::violating;
pub use join::{Joined, Pair, join};
pub use narrow::Narrow;
pub use origin::{Operator, Origins, Spot, Written};
pub use plain::{EvalError, Plain};
pub use pool::{Dynamics, Node, Polarity, Pool};
pub use recall::{Recalled, Signature, Watched};
pub use same::same;
pub use vacuous::{Vacuous, vacuous};
pub use values::{ENTRY_SETS, ValueTest};

use std::fmt;
use std::sync::Arc;

use crate::relation::{Rel, Set};
use crate::source::{SourceId, Span};

/// A node of the pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub u32);

/// A `with` choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ChoiceId(pub u32);

/// A group of mutually recursive definitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FixId(pub u32);

/// An interpreted leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InterpId(pub u32);

/// What a node denotes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// A set of events.
    Set,
    /// A relation over events.
    Rel,
    /// Anything else (sets of relations, tuples …): only `Interp` nodes and `with` sources have it.
    Other,
}

/// An expression. Children are ids, so that equal expressions are one node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A set or relation that the program fixes (`po`, `W`, `addr`, `DMB.SY` …), or the search does (`rf`, `FW`): see
    /// [`Base::is_dynamic`].
    Base(Base, Sort),
    /// The value chosen by a `with`.
    Choice(ChoiceId, Sort),
    /// A recursion variable, inside the bodies of its own group only.
    FixVar(FixId, u32, Sort),
    /// The value of the `n`-th definition of a recursive group.
    Fix(FixId, u32, Sort),
    /// The empty set or relation.
    Empty(Sort),
    /// All events, or all pairs of events.
    Universe(Sort),
    /// Identity.
    Id,
    /// n-ary union, children sorted, all of one sort.
    Union(Vec<ExprId>),
    /// Intersection.
    Inter(ExprId, ExprId),
    /// Difference.
    Diff(ExprId, ExprId),
    /// Complement, within all (pairs of) visible events.
    Compl(ExprId),
    /// n-ary composition.
    Seq(Vec<ExprId>),
    /// Inverse.
    Inverse(ExprId),
    /// Product of two sets.
    Product(ExprId, ExprId),
    /// Identity on a set.
    ToId(ExprId),
    /// Sources of a relation.
    Domain(ExprId),
    /// Targets of a relation.
    Range(ExprId),
    /// `r?`.
    Opt(ExprId),
    /// `r+`.
    Plus(ExprId),
    /// `r*`.
    Star(ExprId),
    /// Pairs of `r` whose values are as a test asks (primitive `different-values`): depends on values, hence on `rf`.
    ByValues(ValueTest, ExprId),
    /// An interpreted leaf.
    Interp(InterpId, Sort),
}

impl Expr {
    /// The operands of an operator; none of anything else. Bodies of a recursion and inputs of a leaf are in the pool.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + '_ {
        let (few, many): ([Option<ExprId>; 2], &[ExprId]) = match self {
            Expr::Union(parts) | Expr::Seq(parts) => ([None; 2], parts),
            Expr::Inter(a, b) | Expr::Diff(a, b) | Expr::Product(a, b) => ([Some(*a), Some(*b)], &[]),
            Expr::Compl(a)
            | Expr::Inverse(a)
            | Expr::ToId(a)
            | Expr::Domain(a)
            | Expr::Range(a)
            | Expr::Opt(a)
            | Expr::Plus(a)
            | Expr::Star(a)
            | Expr::ByValues(_, a) => ([Some(*a), None], &[]),
            Expr::Base(..)
            | Expr::Choice(..)
            | Expr::FixVar(..)
            | Expr::Fix(..)
            | Expr::Empty(_)
            | Expr::Universe(_)
            | Expr::Id
            | Expr::Interp(..) => ([None; 2], &[]),
        };
        few.into_iter().flatten().chain(many.iter().copied())
    }

    /// The same operator on other operands; anything else as it is.
    pub(crate) fn with_operands(&self, mut f: impl FnMut(ExprId) -> ExprId) -> Expr {
        match self {
            Expr::Union(parts) => Expr::Union(parts.iter().map(|part| f(*part)).collect()),
            Expr::Seq(parts) => Expr::Seq(parts.iter().map(|part| f(*part)).collect()),
            Expr::Inter(a, b) => Expr::Inter(f(*a), f(*b)),
            Expr::Diff(a, b) => Expr::Diff(f(*a), f(*b)),
            Expr::Product(a, b) => Expr::Product(f(*a), f(*b)),
            Expr::Compl(a) => Expr::Compl(f(*a)),
            Expr::Inverse(a) => Expr::Inverse(f(*a)),
            Expr::ToId(a) => Expr::ToId(f(*a)),
            Expr::Domain(a) => Expr::Domain(f(*a)),
            Expr::Range(a) => Expr::Range(f(*a)),
            Expr::Opt(a) => Expr::Opt(f(*a)),
            Expr::Plus(a) => Expr::Plus(f(*a)),
            Expr::Star(a) => Expr::Star(f(*a)),
            Expr::ByValues(test, a) => Expr::ByValues(*test, f(*a)),
            other => other.clone(),
        }
    }
}

/// A concrete value of the interpreter, as the core sees it.
#[derive(Clone, Debug)]
pub enum Val {
    /// Event set.
    Set(Set),
    /// Relation.
    Rel(Rel),
    /// What a `with` can choose from.
    Choices(Choices),
    /// Any other value, opaque to the core.
    Opaque(Arc<dyn std::any::Any + Send + Sync>),
    /// Only as an input of [`Interpreted::eval`]: the value of this node is not known yet, because it depends on the
    /// search (the kernel's model orders writes on top of a relation that mentions `rf`). The function may pass it on, and
    /// may use it as the second argument of `linearisations`, which keeps it as [`OrderBase::Node`]; any other use of it is the error
    /// `model::unknown-input`, upon which the caller tries again once the value is known.
    Unknown(ExprId),
}

/// The alternatives of a `with`.
#[derive(Clone, Debug)]
pub enum Choices {
    /// Spelled out, in increasing order, without duplicates.
    List(Vec<Val>),
    /// Unions of one strict total order each. The sets ordered are pairwise disjoint.
    Orders(Vec<Order>),
    /// Unions of one relation from each list (the idiom `cross`).
    Cross(Vec<Vec<Rel>>),
}

/// All strict total orders on a set that contain a relation (`linearisations(over, base)`).
#[derive(Clone, Debug)]
pub struct Order {
    /// The events to order.
    pub over: Set,
    /// What each order must contain: its transitive closure, restricted to `over`. If that is cyclic there is no order.
    pub base: OrderBase,
}

/// The relation that an order must contain.
#[derive(Clone, Debug)]
pub enum OrderBase {
    /// Known.
    Rel(Rel),
    /// The value of that node, not known yet.
    Node(ExprId),
}

/// What an interpreted leaf may ask about the events of the execution besides its inputs.
pub trait Universe: Sync {
    /// Number of events.
    fn n_events(&self) -> usize;
    /// The visible events (`_`).
    fn visible(&self) -> Set;
    /// A predefined set or relation (static ones only). `None`: there is no such thing here.
    fn base(&self, base: &Base) -> Option<Val>;
    /// Is it certain, at a glance, that a predefined set or relation has nothing here? (Only `true` must be right.)
    fn lacks(&self, base: &Base) -> bool {
        let _ = base;
        false
    }
    /// Events grouped by exact location (for `classes-loc`), events without one left out; in order of first event.
    fn location_classes(&self) -> Vec<Set>;
    /// The events thread by thread, where it is known what predefined sets and relations hang on.
    fn groups(&self) -> Option<Vec<Group>> {
        None
    }
    /// Events whose location is the global `name` (for `loc2events`).
    fn events_of_location(&self, name: &str) -> Option<Set>;
    /// Are the values of two events as asked, whatever is chosen? `None`: that depends, or is not known.
    fn test_values(&self, test: ValueTest, a: usize, b: usize) -> Option<bool> {
        let _ = (test, a, b);
        None
    }
}

/// A function of other nodes that relational algebra cannot express.
pub trait Interpreted: Send + Sync {
    /// Its value, given those of its inputs. An error is a run-time error of the model (`fail`, a failed match …).
    fn eval(&self, inputs: &[Val], universe: &dyn Universe) -> Result<Val, crate::diag::Diagnostic>;
    /// How `litmus model show` prints it.
    fn describe(&self) -> String;
    /// The file that its own text stands in, if it has text of its own and not only values to work on.
    fn written_in(&self) -> Option<SourceId> {
        None
    }
}

/// An interpreted leaf and what it reads.
#[derive(Clone)]
pub struct Interp {
    /// Nodes whose values it is given, in order.
    pub inputs: Vec<ExprId>,
    /// The function.
    pub function: Arc<dyn Interpreted>,
}

impl fmt::Debug for Interp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Interp({:?}, {})", self.inputs, self.function.describe())
    }
}

/// A recursive group: iterated from empty, in order, each body seeing what this round has already updated,
/// until every new value is included in the one before.
#[derive(Clone, Debug)]
pub struct FixGroup {
    /// Names, for display.
    pub names: Vec<String>,
    /// One body per name; mentions `FixVar`s of this group.
    pub bodies: Vec<ExprId>,
    /// `when` test: evaluated each round; failure rejects the execution.
    pub when: Option<Test>,
    /// Where it stands, if it comes from a file.
    pub span: Option<Span>,
}

impl FixGroup {
    /// The error of a group that goes on changing.
    pub fn does_not_settle(&self) -> crate::diag::Diagnostic {
        let message = format!("the recursive definition of `{}` does not settle", self.names.join("`, `"));
        let diagnostic = crate::diag::Diagnostic::error("cat::rec-does-not-settle", message);
        match self.span {
            Some(span) => diagnostic.at(span, "still changing after many rounds"),
            None => diagnostic,
        }
        .note("it is computed in rounds, from empty, until no value gains anything; a definition that only grows settles")
    }
}

/// What a test asks of its argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TestKind {
    Acyclic,
    Irreflexive,
    Empty,
}

/// A test: does the relation (or set) have the property, or, negated, not have it?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Test {
    /// The property.
    pub kind: TestKind,
    /// Negated?
    pub negated: bool,
    /// Of what.
    pub expr: ExprId,
}

impl Test {
    /// `acyclic r+`, `irreflexive r+`: the same as `acyclic r`, and cheaper.
    pub fn normalised(&self, pool: &Pool) -> Test {
        match (self.kind, pool.expr(self.expr)) {
            (TestKind::Acyclic | TestKind::Irreflexive, Expr::Plus(inner)) => {
                Test { kind: TestKind::Acyclic, negated: self.negated, expr: *inner }
            }
            _ => *self,
        }
    }
}

/// What becomes of a test's answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckKind {
    /// Failure rejects the execution.
    Plain,
    /// Success records a flag.
    Flag,
    /// Failure records the flag `*undef*`.
    UndefinedUnless,
    /// Failure is an error of the test.
    Assert,
}

/// One step of a model, in order.
#[derive(Clone, Debug)]
pub enum Step {
    /// A check, flag or assertion.
    Check {
        /// What becomes of the answer.
        kind: CheckKind,
        /// The test.
        test: Test,
        /// Its name, if it has one.
        name: Option<String>,
        /// Where it stands.
        span: Span,
    },
    /// `with x from S`: everything after it runs once per element of `S`.
    With {
        /// The choice made.
        choice: ChoiceId,
        /// The name chosen, for display.
        name: String,
        /// Where it is chosen from (sort `Other`).
        from: ExprId,
        /// Where it stands.
        span: Span,
    },
    /// Evaluating this expression is an error of the model whenever the execution gets this far.
    Fail {
        /// What went wrong.
        diagnostic: crate::diag::Diagnostic,
    },
}

/// A definition worth showing: a `let` of the model, in order.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its value.
    pub expr: ExprId,
    /// Where it stands.
    pub span: Span,
}

/// A lowered model, for one architecture and one set of variants.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The name in its header, or the file's.
    pub name: String,
    /// All expressions.
    pub pool: Pool,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// The `let`s that the steps use and those of the model's own files, for display.
    pub definitions: Vec<Definition>,
    /// What `show` asks to be drawn: label and value.
    pub shown: Vec<(String, ExprId)>,
    /// Where its expressions come from.
    pub origins: Origins,
    /// Does the model compute dependencies from register events itself (`catdep`)?
    pub catdep: bool,
    /// What it has chosen from so far.
    pub recalled: Recalled,
    /// What engines have made of it.
    pub derived: Derived,
    /// What it says of single threads, as far as it was asked.
    pub shared: Shared,
}

impl Model {
    /// Does the model look at register events?
    pub fn needs_register_events(&self) -> bool {
        let mut registers = REGISTRY.iter().filter(|entry| entry.base.is_about_registers());
        let named = |entry: &Registered| self.pool.find_base(&entry.base, entry.sort).is_some();
        self.catdep || registers.any(named)
    }

    /// Does one of its steps look at one of these predefined names?
    pub fn looks_at(&self, names: &[&str]) -> bool {
        let roots = self.steps.iter().filter_map(|step| match step {
            Step::Check { test, .. } => Some(test.expr),
            Step::With { from, .. } => Some(*from),
            Step::Fail { .. } => None,
        });
        self.mentions(roots.collect(), None, &|base| names.contains(&base.name()))
    }

    /// Does it look at final writes, and so at what a test observes, otherwise than by putting them last in an order of writes?
    pub fn looks_at_final_writes(&self) -> bool {
        let usual = self.usual_coherence();
        self.steps.iter().any(|step| {
            let (root, passed_over) = match step {
                Step::Check { test, .. } => (test.expr, None),
                Step::With { from, .. } => (*from, usual),
                Step::Fail { .. } => return false,
            };
            self.mentions(vec![root], passed_over, &|base| *base == Base::Fw)
        })
    }

    /// Is there such a base in these expressions? What is inside `passed_over` does not count.
    fn mentions(
        &self,
        mut work: Vec<ExprId>,
        passed_over: Option<ExprId>,
        such: &dyn Fn(&Base) -> bool,
    ) -> bool {
        let mut seen = vec![false; self.pool.len()];
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) || Some(id) == passed_over {
                continue;
            }
            match self.pool.expr(id) {
                Expr::Base(base, _) if such(base) => return true,
                Expr::Fix(fix, ..) | Expr::FixVar(fix, ..) => {
                    let group = self.pool.fix(*fix);
                    work.extend(group.bodies.iter().copied().chain(group.when.map(|test| test.expr)));
                }
                Expr::Interp(interp, _) => work.extend(&self.pool.interp(*interp).inputs),
                expr => work.extend(expr.operands()),
            }
        }
        false
    }

    /// What every coherence order contains, as models usually say it (`co0`, `pco`): the initial write of a cell is before its other
    /// writes, the final one after them.
    pub fn usual_coherence(&self) -> Option<ExprId> {
        let find = |expr: Expr| self.pool.find(&expr);
        let [loc, initial, writes, last] =
            [(Base::Loc, Sort::Rel), (Base::Iw, Sort::Set), (Base::W, Sort::Set), (Base::Fw, Sort::Set)]
                .map(|(base, sort)| find(Expr::Base(base, sort)));
        let (loc, initial, writes, last) = (loc?, initial?, writes?, last?);
        let first = find(Expr::Product(initial, find(Expr::Diff(writes, initial))?))?;
        let end = find(Expr::Product(find(Expr::Diff(writes, last))?, last))?;
        let both = find(Expr::Union(vec![first.min(end), first.max(end)]))?;
        find(Expr::Inter(loc.min(both), loc.max(both)))
    }
}
