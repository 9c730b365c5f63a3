//! What refutes branches, and why there may be no execution at all.

use std::collections::BTreeMap;
use std::fmt;

use crate::execution::Cut;

/// What refuted a branch, ruled out an alternative, or was found to hold whatever is chosen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// Several checks together: no choice was left.
    NoChoice,
    /// A `with` that has nothing to choose from, whichever it is.
    NothingToChoose,
    /// What an order of the model must contain.
    Order,
    /// A check without a name.
    Unnamed,
    /// The check of that name.
    Check(String),
    /// The `with` of that name.
    With(String),
    /// The `when` of a recursion.
    When,
}

impl Cause {
    /// A check, by its name if it has one.
    pub fn check(name: Option<&str>) -> Cause {
        name.map_or(Cause::Unnamed, |name| Cause::Check(name.to_string()))
    }

    /// Is it one check or choice of the model, and not the search as a whole?
    pub fn is_models(&self) -> bool {
        matches!(self, Cause::Unnamed | Cause::Check(_) | Cause::With(_) | Cause::When)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::NoChoice => f.write_str("(no choice left)"),
            Cause::NothingToChoose => f.write_str("(nothing to choose from)"),
            Cause::Order => f.write_str("(order)"),
            Cause::Unnamed => f.write_str("(unnamed)"),
            Cause::Check(name) => f.write_str(name),
            Cause::With(name) => write!(f, "with {name}"),
            Cause::When => f.write_str("when"),
        }
    }
}

/// How often each cause did what it did.
pub type Counts = BTreeMap<Cause, u64>;

/// Why there is no execution at all.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WhyEmpty {
    /// The test's `filter` lets none of the executions through that the model allows.
    Filtered,
    /// Every execution waits for something that never comes, in these ways.
    Deadlock(Vec<&'static str>),
    /// Every candidate was refuted, so often by each.
    Refuted(Counts),
    /// Every path was cut at the unrolling bound, at these labels.
    Cut(Vec<String>),
    /// No candidate has consistent values.
    Values,
    /// The program has no path to its end.
    NoPath,
}

impl WhyEmpty {
    /// Because of these cuts.
    pub fn cut(cuts: &[Cut]) -> WhyEmpty {
        let mut labels: Vec<String> = Vec::new();
        for cut in cuts {
            if !labels.contains(&cut.label) {
                labels.push(cut.label.clone());
            }
        }
        WhyEmpty::Cut(labels)
    }
}

impl fmt::Display for WhyEmpty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyEmpty::Filtered => f.write_str(
                "the `filter` of the test lets none of the executions through that the model allows",
            ),
            WhyEmpty::Deadlock(reasons) => {
                write!(f, "deadlock, in every execution: {}", reasons.join(", or "))
            }
            WhyEmpty::Refuted(counts) => {
                let most = counts.iter().max_by_key(|(_, count)| **count);
                let Some((cause, count)) = most else { return f.write_str("every candidate was refuted") };
                write!(f, "every candidate was refuted: `{cause}` refuted {count}")?;
                let others = counts.iter().filter(|(other, _)| *other != cause);
                let others: Vec<String> = others.map(|(other, count)| format!("`{other}` {count}")).collect();
                if others.is_empty() { Ok(()) } else { write!(f, " (others: {})", others.join(", ")) }
            }
            WhyEmpty::Cut(labels) => {
                write!(f, "every path was cut at the bound (at {})", labels.join(", "))
            }
            WhyEmpty::Values => f.write_str("no candidate has consistent values"),
            WhyEmpty::NoPath => f.write_str("the program has no path to its end"),
        }
    }
}
