//! Faults: what a thread ran into, and how tests ask for it.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// A fault of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fault {
    /// The thread.
    pub thread: usize,
    /// All labels of the instruction, sorted.
    pub labels: Vec<String>,
    /// The address that was accessed, as it is shown.
    pub address: Option<String>,
    /// The symbol of that address.
    pub symbol: Option<String>,
    /// Its type: `UndefinedInstruction`, `D-MMU:Translation` …
    pub kind: String,
    /// What else is to be said.
    pub remark: Option<&'static str>,
}

impl Fault {
    /// The order of state lines: by thread, labels, address and type.
    fn order(&self, other: &Fault) -> Ordering {
        let rank = |f: &Fault| KINDS.iter().position(|kind| *kind == f.kind).unwrap_or(KINDS.len());
        let (own, its) =
            ((self.thread, &self.labels, &self.address), (other.thread, &other.labels, &other.address));
        own.cmp(&its).then(rank(self).cmp(&rank(other))).then_with(|| self.cmp(other))
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "P{}", self.thread)?;
        match &self.labels[..] {
            [] => {}
            [one] => write!(f, ":{one}")?,
            several => write!(f, ":{{{}}}", several.join(","))?,
        }
        if let Some(address) = &self.address {
            write!(f, ",{address}")?;
        }
        write!(f, ",{}", self.kind)?;
        self.remark.map_or(Ok(()), |remark| write!(f, ",{remark}"))
    }
}

/// `fault(P0:L0,x,TYPE)` of a condition: what it leaves out does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultPattern {
    /// The thread.
    pub thread: usize,
    /// A label of the instruction.
    pub label: Option<String>,
    /// The symbol.
    pub symbol: Option<String>,
    /// The type.
    pub kind: Option<String>,
    /// As it is shown.
    pub text: String,
}

impl FaultPattern {
    /// Is this one of those it asks for?
    pub fn matches(&self, fault: &Fault) -> bool {
        // `MMU:Translation` is any of them, `D-MMU:Translation` that of a data access.
        let same_kind = |kind: &String| {
            *kind == fault.kind
                || fault.kind.strip_prefix("D-").or(fault.kind.strip_prefix("I-")) == Some(kind)
        };
        self.thread == fault.thread
            && self.label.as_ref().is_none_or(|label| fault.labels.contains(label))
            && self.symbol.as_ref().is_none_or(|symbol| fault.symbol.as_ref() == Some(symbol))
            && self.kind.as_ref().is_none_or(same_kind)
    }
}

/// What a test wants to know of faults, and those that were met while it was unfolded.
///
/// A final state holds the set of faults that some pattern asks for, as a number: bit `n` for the fault number `n` of this table.
/// Faults get their numbers as they are met, which is in a fixed order.
#[derive(Clone, Default, Debug)]
pub struct Faults {
    /// The patterns, in the order of state lines.
    pub patterns: Vec<FaultPattern>,
    met: Arc<Mutex<Vec<Fault>>>,
}

/// Types in the order of state lines, before all others.
const KINDS: [&str; 17] = [
    "TagCheck",
    "UndefinedInstruction",
    "SupervisorCall",
    "I-MMU:Translation",
    "I-MMU:AccessFlag",
    "I-MMU:Permission",
    "D-MMU:Translation",
    "D-MMU:AccessFlag",
    "D-MMU:Permission",
    "GCS:PRET",
    "GCS:POPM",
    "GCS:SS1",
    "GCS:SS2",
    "PacCheck:DA",
    "PacCheck:DB",
    "PacCheck:IA",
    "PacCheck:IB",
];

impl Faults {
    /// The most faults of a test that can be told apart.
    pub const MOST: usize = 126;

    /// The number of a fault that some pattern asks for; `Err`: one too many.
    pub fn number(&self, fault: Fault) -> Result<Option<usize>, usize> {
        if !self.patterns.iter().any(|pattern| pattern.matches(&fault)) {
            return Ok(None);
        }
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = met.iter().position(|known| *known == fault) {
            return Ok(Some(number));
        }
        if met.len() == Faults::MOST {
            return Err(Faults::MOST);
        }
        met.push(fault);
        Ok(Some(met.len() - 1))
    }

    /// The faults of a set, in order.
    pub fn of(&self, set: i128) -> Vec<Fault> {
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let mut faults: Vec<Fault> = met
            .iter()
            .enumerate()
            .filter(|(n, _)| set >> n & 1 == 1)
            .map(|(_, fault)| fault.clone())
            .collect();
        faults.sort_by(Fault::order);
        faults
    }

    /// How two sets compare: as lists.
    pub fn compare(&self, a: i128, b: i128) -> Ordering {
        let (a, b) = (self.of(a), self.of(b));
        let pairs = a.iter().zip(&b).map(|(a, b)| a.order(b));
        pairs.into_iter().find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
    }

    /// A fault as state lines show it: its type is that of the least pattern that names one.
    pub fn show(&self, fault: &Fault) -> String {
        let typed = self.patterns.iter().rev().filter(|pattern| pattern.matches(fault));
        match typed.filter_map(|pattern| pattern.kind.clone()).next() {
            Some(kind) => Fault { kind, ..fault.clone() }.to_string(),
            None => fault.to_string(),
        }
    }

    /// Does a set hold a fault that the pattern asks for?
    pub fn holds(&self, set: i128, pattern: usize) -> bool {
        self.patterns.get(pattern).is_some_and(|pattern| self.of(set).iter().any(|f| pattern.matches(f)))
    }
}
