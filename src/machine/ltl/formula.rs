//! Formulas of linear temporal logic, in negation normal form.

use std::fmt;

/// An atomic proposition, by its number in the table of whoever made the formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Atom(pub u8);

/// At most so many different propositions in one formula: what holds in a state is one machine word.
pub const MAX_ATOMS: usize = 64;

/// A formula in negation normal form: negation stands before propositions only.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Formula {
    /// Always true.
    True,
    /// Never true.
    False,
    /// A proposition, or its negation (`false`).
    Literal(Atom, bool),
    /// Both.
    And(Box<Formula>, Box<Formula>),
    /// One or the other.
    Or(Box<Formula>, Box<Formula>),
    /// In the next state.
    Next(Box<Formula>),
    /// The second comes, and the first holds until then.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds up to and with the first, or for ever.
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// A proposition.
    pub fn atom(atom: Atom) -> Formula {
        Formula::Literal(atom, true)
    }

    /// How many operators and propositions are in it.
    pub fn size(&self) -> usize {
        1 + match self {
            Formula::True | Formula::False | Formula::Literal(..) => 0,
            Formula::Next(of) => of.size(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
                a.size() + b.size()
            }
        }
    }

    /// Conjunction.
    pub fn and(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::True, it) | (it, Formula::True) => it,
            (Formula::False, _) | (_, Formula::False) => Formula::False,
            (a, b) if a == b => a,
            (a, b) => Formula::And(Box::new(a), Box::new(b)),
        }
    }

    /// Disjunction.
    pub fn or(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::False, it) | (it, Formula::False) => it,
            (Formula::True, _) | (_, Formula::True) => Formula::True,
            (a, b) if a == b => a,
            (a, b) => Formula::Or(Box::new(a), Box::new(b)),
        }
    }

    /// `X`.
    pub fn next(self) -> Formula {
        match self {
            Formula::True | Formula::False => self,
            other => Formula::Next(Box::new(other)),
        }
    }

    /// `self U other`.
    pub fn until(self, other: Formula) -> Formula {
        match (self, other) {
            (_, it @ (Formula::True | Formula::False)) => it,
            (Formula::False, it) => it,
            // F F a = F a
            (Formula::True, Formula::Until(first, second)) if *first == Formula::True => {
                Formula::Until(first, second)
            }
            (a, b) => Formula::Until(Box::new(a), Box::new(b)),
        }
    }

    /// `self R other`.
    pub fn release(self, other: Formula) -> Formula {
        match (self, other) {
            (_, it @ (Formula::True | Formula::False)) => it,
            (Formula::True, it) => it,
            // G G a = G a
            (Formula::False, Formula::Release(first, second)) if *first == Formula::False => {
                Formula::Release(first, second)
            }
            (a, b) => Formula::Release(Box::new(a), Box::new(b)),
        }
    }

    /// `F self`.
    pub fn eventually(self) -> Formula {
        Formula::True.until(self)
    }

    /// `G self`.
    pub fn always(self) -> Formula {
        Formula::False.release(self)
    }

    /// The negation, in normal form again.
    pub fn negated(&self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Literal(atom, positive) => Formula::Literal(*atom, !positive),
            Formula::And(a, b) => a.negated().or(b.negated()),
            Formula::Or(a, b) => a.negated().and(b.negated()),
            Formula::Next(a) => a.negated().next(),
            Formula::Until(a, b) => a.negated().release(b.negated()),
            Formula::Release(a, b) => a.negated().until(b.negated()),
        }
    }

    /// Is a run that violates it lost after finitely many steps, whatever comes then? (`false`: perhaps it is, too.)
    pub fn is_safety(&self) -> bool {
        match self {
            Formula::True | Formula::False | Formula::Literal(..) => true,
            Formula::Until(..) => false,
            Formula::Next(a) => a.is_safety(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Release(a, b) => a.is_safety() && b.is_safety(),
        }
    }

    /// Does a formula without temporal operators hold where exactly these propositions do? Of others: if nothing changes any more.
    pub fn holds_now(&self, holds: u64) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Literal(atom, positive) => (holds >> atom.0 & 1 == 1) == *positive,
            Formula::And(a, b) => a.holds_now(holds) && b.holds_now(holds),
            Formula::Or(a, b) => a.holds_now(holds) || b.holds_now(holds),
            Formula::Next(a) | Formula::Until(_, a) | Formula::Release(_, a) => a.holds_now(holds),
        }
    }

    /// Does it speak of other states than this one?
    pub fn is_temporal(&self) -> bool {
        match self {
            Formula::True | Formula::False | Formula::Literal(..) => false,
            Formula::And(a, b) | Formula::Or(a, b) => a.is_temporal() || b.is_temporal(),
            Formula::Next(_) | Formula::Until(..) | Formula::Release(..) => true,
        }
    }

    /// Does it look at the next state? Reductions that leave steps out are not for such formulas.
    pub fn has_next(&self) -> bool {
        match self {
            Formula::True | Formula::False | Formula::Literal(..) => false,
            Formula::Next(_) => true,
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
                a.has_next() || b.has_next()
            }
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::True => f.write_str("true"),
            Formula::False => f.write_str("false"),
            Formula::Literal(atom, true) => write!(f, "p{}", atom.0),
            Formula::Literal(atom, false) => write!(f, "!p{}", atom.0),
            Formula::And(a, b) => write!(f, "({a} && {b})"),
            Formula::Or(a, b) => write!(f, "({a} || {b})"),
            Formula::Next(a) => write!(f, "X {a}"),
            Formula::Until(a, b) if **a == Formula::True => write!(f, "F {b}"),
            Formula::Until(a, b) => write!(f, "({a} U {b})"),
            Formula::Release(a, b) if **a == Formula::False => write!(f, "G {b}"),
            Formula::Release(a, b) => write!(f, "({a} R {b})"),
        }
    }
}
