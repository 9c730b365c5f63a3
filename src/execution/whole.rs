//! An execution as data: what graphs are drawn from, and other programs are handed.

use super::Event;
use crate::program::Value;
use crate::relation::Rel;

/// One execution, with the values of the names that were asked for.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its events: memory events thread by thread, initial writes, other events; register events last.
    pub events: Vec<Event>,
    /// For each event, the value it reads and the value it writes.
    pub values: Vec<(Option<Value>, Option<Value>)>,
    /// Program order.
    pub po: Rel,
    /// Reads-from.
    pub rf: Rel,
    /// Coherence, where the model chooses or defines one.
    pub co: Rel,
    /// From-reads: `rf^-1 ; co`.
    pub fr: Rel,
    /// What the model `show`s and what was asked for by name, in that order.
    pub shown: Vec<(String, Rel)>,
    /// The final state: the values of what the test shows.
    pub state: Vec<Value>,
    /// Does it satisfy the proposition of the condition?
    pub positive: bool,
    /// The flags it raises.
    pub flags: Vec<String>,
    /// The check that refuses it; none: the model accepts it.
    pub refused: Option<String>,
    /// What the other model says of it, where there is another.
    pub against: Option<OtherVerdict>,
}

impl Execution {
    /// Was a thread of it cut off at a bound?
    pub fn is_cut(&self) -> bool {
        self.events.iter().any(|event| event.sets.iter().any(|set| set == "CutOff"))
    }
}

/// What another model says of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OtherVerdict {
    /// Some choice of its own makes all its checks hold.
    Accepted,
    /// None does: for each choice tried, the check that failed, in the model's order and without repetition.
    Rejected(Vec<String>),
}
