//! Parts of a search that can be handed to someone else: the search keeps nothing, so that the decisions which lead to a subtree are all there is to it.

use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;
use std::time::Duration;

use crate::diag::Diagnostic;

/// One decision of the search in a world. Numbers are those of the world's problem: they mean the same to every process that runs the same
/// test under the same model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Decision {
    /// A read takes its value from a write.
    Read(u32, u32),
    /// A choice of the model is made in one way.
    Option(u32, u32),
    /// In an order, one event comes before another.
    Order(u32, u32, u32),
    /// A write is the last of its cell.
    Final(u32, u32),
}

/// A part of the tree of a search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subtree {
    /// Worlds, by number: from the first on, up to before the second.
    Worlds(u64, u64),
    /// What the search finds in one world after these decisions.
    Node(u64, Vec<Decision>),
}

/// When a part that proves too big is to leave what it has not begun to others.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Patience {
    /// After so many graphs.
    pub graphs: Option<u64>,
    /// After so long.
    pub time: Option<Duration>,
}

/// The part of a search that is to be done.
#[derive(Debug)]
pub enum Portion {
    /// This one, from 0 on, of so many that are cut without looking.
    Even(usize, usize),
    /// These subtrees.
    Listed(Listed),
}

/// Subtrees to be searched.
#[derive(Debug, Default)]
pub struct Listed {
    /// In any order; none lies in another.
    pub subtrees: Vec<Subtree>,
    /// Is memory cut up, because accesses of the test are of several sizes?
    pub mixed: bool,
    /// When to leave the rest to others.
    pub patience: Patience,
    /// What was left.
    pub rest: Mutex<Vec<Subtree>>,
}

impl Listed {
    /// What was left to others so far.
    pub fn rest(&self) -> Vec<Subtree> {
        self.rest.lock().unwrap_or_else(|poison| poison.into_inner()).clone()
    }

    /// Leaves a subtree to others.
    pub(super) fn leave(&self, subtree: Subtree) {
        self.rest.lock().unwrap_or_else(|poison| poison.into_inner()).push(subtree);
    }

    /// Where to begin in a world: after which decisions. None at all: the world is someone else's.
    pub(super) fn starts(&self, world: u64) -> Vec<Vec<Decision>> {
        let start = |subtree: &Subtree| match subtree {
            Subtree::Worlds(from, to) => (*from..*to).contains(&world).then(Vec::new),
            Subtree::Node(its, decisions) => (*its == world).then(|| decisions.clone()),
        };
        self.subtrees.iter().filter_map(start).collect()
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Decision::Read(read, write) => write!(f, "r{read}={write}"),
            Decision::Option(variable, option) => write!(f, "a{variable}={option}"),
            Decision::Order(order, from, to) => write!(f, "o{order}={from}<{to}"),
            Decision::Final(cell, write) => write!(f, "f{cell}={write}"),
        }
    }
}

impl FromStr for Decision {
    type Err = ();

    fn from_str(text: &str) -> Result<Decision, ()> {
        let number = |text: &str| text.parse::<u32>().map_err(|_| ());
        let (variable, value) = text.split_once('=').ok_or(())?;
        let (kind, variable) = variable.split_at_checked(1).ok_or(())?;
        let variable = number(variable)?;
        Ok(match kind {
            "r" => Decision::Read(variable, number(value)?),
            "a" => Decision::Option(variable, number(value)?),
            "f" => Decision::Final(variable, number(value)?),
            "o" => {
                let (from, to) = value.split_once('<').ok_or(())?;
                Decision::Order(variable, number(from)?, number(to)?)
            }
            _ => return Err(()),
        })
    }
}

impl fmt::Display for Subtree {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Subtree::Worlds(from, to) => write!(f, "w{from}-{to}"),
            Subtree::Node(world, decisions) => {
                write!(f, "w{world}")?;
                decisions.iter().try_for_each(|decision| write!(f, " {decision}"))
            }
        }
    }
}

impl FromStr for Subtree {
    type Err = ();

    fn from_str(text: &str) -> Result<Subtree, ()> {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let world = words.next().and_then(|word| word.strip_prefix('w')).ok_or(())?;
        match world.split_once('-') {
            Some((from, to)) if words.next().is_none() => {
                Ok(Subtree::Worlds(from.parse().map_err(|_| ())?, to.parse().map_err(|_| ())?))
            }
            Some(_) => Err(()),
            None => Ok(Subtree::Node(
                world.parse().map_err(|_| ())?,
                words.map(Decision::from_str).collect::<Result<_, _>>()?,
            )),
        }
    }
}

/// A unit whose decisions the search does not have.
pub(super) fn not_of_this_test(decision: &dyn fmt::Display) -> Diagnostic {
    Diagnostic::error("explore::unit", format!("this unit is not one of this search: it has no `{decision}`"))
        .help("a unit is for the test, the model and the version of litmus that it was split by")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_are_read_as_they_are_written() {
        let decisions = vec![
            Decision::Read(3, 7),
            Decision::Option(0, 1),
            Decision::Order(1, 9, 4),
            Decision::Final(2, 5),
        ];
        for (subtree, text) in [
            (Subtree::Worlds(4, 90), "w4-90"),
            (Subtree::Node(12, decisions), "w12 r3=7 a0=1 o1=9<4 f2=5"),
            (Subtree::Node(0, Vec::new()), "w0"),
        ] {
            assert_eq!(subtree.to_string(), text);
            assert_eq!(text.parse(), Ok(subtree));
        }
        for wrong in ["", "w", "x1", "w1 r", "w1 r=", "w1 q0=1", "w1-2 r0=1", "w1 o0=1", "w1 é=1"] {
            assert_eq!(wrong.parse::<Subtree>(), Err(()), "{wrong}");
        }
    }
}
