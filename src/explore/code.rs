//! The search's own form of a model in one world: straight-line code over numbered slots.
//!
//! What is exact at the root of the search is a constant; the rest is one instruction per node. Events
//! that cannot matter to any dynamic value (most register events, fences that only sit inside
//! static relations) are left out of the numbering, so that rows stay one word wide.

use super::mask::Mask;
use crate::model::{Bounds, CheckKind, ExprId, TestKind, ValueTest};
use crate::outcome::Cause;
use crate::relation::Set;

/// A slot: a set or relation with its bounds during the search.
pub type Slot = u32;

/// One of the two bounds of a slot.
#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    /// The lower one.
    Must,
    /// The upper one.
    May,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Must, Side::May];

    /// The other one.
    pub fn other(self) -> Side {
        if self == Side::Must { Side::May } else { Side::Must }
    }
}

/// One instruction; its result goes to the slot it stands for.
#[derive(Clone, Debug)]
pub enum Code {
    /// Exact since the root.
    Const,
    /// Reads-from.
    Rf,
    /// The final writes.
    Fw,
    /// The value of the `n`-th choice.
    Choice(usize),
    /// A recursion variable.
    Variable,
    /// Nothing known before the end of the search.
    Opaque,
    Union(Vec<Slot>),
    Inter(Slot, Slot),
    Diff(Slot, Slot),
    Compl(Slot),
    Seq(Slot, Slot),
    Inverse(Slot),
    Product(Slot, Slot),
    ToId(Slot),
    Domain(Slot),
    Range(Slot),
    Opt(Slot),
    Plus(Slot),
    Star(Slot),
    ByValues(ValueTest, Slot),
    /// The value of a recursion variable once its loop has settled.
    Result(Slot),
}

impl Code {
    /// Calls `f` with each slot that the instruction reads, and whether a bound of the result comes from the operand's
    /// *other* bound (what grows with the operand shrinks the result).
    #[inline]
    pub fn operands(&self, mut f: impl FnMut(Slot, bool)) {
        match self {
            Code::Const | Code::Rf | Code::Fw | Code::Choice(_) | Code::Variable | Code::Opaque => {}
            Code::Union(children) => children.iter().for_each(|child| f(*child, false)),
            Code::Inter(a, b) | Code::Seq(a, b) | Code::Product(a, b) => {
                f(*a, false);
                f(*b, false);
            }
            Code::Diff(a, b) => {
                f(*a, false);
                f(*b, true);
            }
            Code::Compl(a) => f(*a, true),
            Code::Inverse(a)
            | Code::ToId(a)
            | Code::Domain(a)
            | Code::Range(a)
            | Code::Opt(a)
            | Code::Plus(a)
            | Code::Star(a)
            | Code::ByValues(_, a)
            | Code::Result(a) => f(*a, false),
        }
    }
}

/// Code in order; a loop runs its body until its variables settle.
#[derive(Clone, Debug)]
pub enum Item {
    /// One instruction.
    Op(Slot),
    /// A recursive group, monotone in its variables.
    Loop(Loop),
}

/// Code that is run again until its variables settle.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Which loop of the code this is.
    pub number: usize,
    /// The body.
    pub body: Vec<Item>,
    /// Variable and the slot that holds its new value after a round.
    pub variables: Vec<(Slot, Slot)>,
    /// What the body reads and does not compute.
    pub inputs: Vec<Slot>,
    /// Does it compare values, which are not in any slot?
    pub on_values: bool,
}

/// What a slot is.
#[derive(Clone, Debug)]
pub struct SlotInfo {
    /// How it is computed.
    pub code: Code,
    /// One row, or one row per event.
    pub is_set: bool,
    /// Must its lower bound be kept during the search?
    pub need_must: bool,
    /// Must its upper bound be kept during the search?
    pub need_may: bool,
    /// Only needed when an execution is complete (flags).
    pub late: bool,
    /// The checks that need it, by position (all bits: needed by an order, a flag, or a check past the mask's width).
    pub checks: Mask,
    /// Does the pass that refutes choices go through it?
    pub refutes: bool,
}

/// A check of the search.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name, for statistics.
    pub name: Cause,
    /// What becomes of the answer.
    pub kind: CheckKind,
    /// The test.
    pub test: TestKind,
    /// Negated?
    pub negated: bool,
    /// Of what.
    pub slot: Slot,
}

/// An order to be found (`with co from linearisations …`): one choice may be made of several.
#[derive(Clone, Debug)]
pub struct OrderVar {
    /// The choice it is part of.
    pub choice: usize,
    /// The events to order (numbered as the search does).
    pub over: Vec<usize>,
    /// What it must contain, if that is not known at the root.
    pub base: Option<Slot>,
}

/// A choice among relations or sets spelled out.
#[derive(Clone, Debug)]
pub struct OptionVar {
    /// The choice it is part of.
    pub choice: usize,
    /// Alternatives (at most 64), as rows of words in the numbering of the search; one row for a set.
    pub options: Vec<Vec<u64>>,
}

/// The events that matter: `kept[i]` is the world's event number `i` of the search.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// Kept events, in increasing order.
    pub kept: Vec<usize>,
    /// Inverse: `None` for those left out.
    pub index: Vec<Option<usize>>,
}

impl Numbering {
    /// Keeps the events of a set.
    pub fn new(kept: &Set) -> Numbering {
        let list: Vec<usize> = kept.iter().collect();
        let mut index = vec![None; kept.n()];
        for (position, event) in list.iter().enumerate() {
            index[*event] = Some(position);
        }
        Numbering { kept: list, index }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

/// Bounds at the root of the search, by node: what the compiler folds.
pub fn exact_at_root(bounds: &Bounds, id: ExprId) -> bool {
    bounds.known(id).is_some_and(|rows| rows.exact)
}
