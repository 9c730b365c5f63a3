//! Memory orders of C11, annotations of the kernel model: what an access is marked with, and the event sets that
//! this puts it in.

use crate::program::SetName;

/// The memory orders of C11.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryOrder {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl MemoryOrder {
    /// All of them, with the names that C gives them and those of the model side.
    const ALL: [(MemoryOrder, &'static str, &'static str); 6] = [
        (MemoryOrder::Relaxed, "memory_order_relaxed", "RLX"),
        (MemoryOrder::Consume, "memory_order_consume", "CON"),
        (MemoryOrder::Acquire, "memory_order_acquire", "ACQ"),
        (MemoryOrder::Release, "memory_order_release", "REL"),
        (MemoryOrder::AcqRel, "memory_order_acq_rel", "ACQ_REL"),
        (MemoryOrder::SeqCst, "memory_order_seq_cst", "SC"),
    ];

    /// By its C name.
    pub fn parse(name: &str) -> Option<MemoryOrder> {
        MemoryOrder::ALL.into_iter().find(|(_, text, _)| *text == name).map(|(order, ..)| order)
    }

    /// The C names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        MemoryOrder::ALL.into_iter().map(|(_, text, _)| text)
    }

    /// The event set.
    pub fn set(self) -> &'static str {
        MemoryOrder::ALL.into_iter().find(|(order, ..)| *order == self).map_or("", |(_, _, set)| set)
    }

    /// The C name.
    pub fn name(self) -> &'static str {
        MemoryOrder::ALL.into_iter().find(|(order, ..)| *order == self).map_or("", |(_, name, _)| name)
    }

    /// The order of the failing read of a compare-exchange whose success has this order.
    pub fn on_failure(self) -> MemoryOrder {
        match self {
            MemoryOrder::Release => MemoryOrder::Relaxed,
            MemoryOrder::AcqRel => MemoryOrder::Acquire,
            other => other,
        }
    }
}

/// What an access or fence is marked with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Nothing: a plain access.
    Plain,
    /// A C11 memory order.
    Order(MemoryOrder),
    /// Annotations of a bell file.
    Annots(Vec<String>),
}

impl Mark {
    /// One annotation.
    pub fn annot(name: &str) -> Mark {
        Mark::Annots(vec![name.to_string()])
    }

    /// Its memory order.
    pub fn order(&self) -> Option<MemoryOrder> {
        match self {
            Mark::Order(order) => Some(*order),
            _ => None,
        }
    }

    /// The event sets of an access so marked. `NA` holds everything but accesses with a memory order.
    pub fn access_sets(&self) -> Vec<SetName> {
        let mut sets = self.common_sets();
        sets.push(if matches!(self, Mark::Order(_)) { "A".into() } else { "NA".into() });
        sets
    }

    /// The event sets of a half of a read-modify-write, or of a whole one.
    pub fn rmw_sets(&self) -> Vec<SetName> {
        let mut sets = self.access_sets();
        sets.extend(["RMW".into(), "X".into()]);
        sets
    }

    /// The event sets of a fence.
    pub fn fence_sets(&self) -> Vec<SetName> {
        let mut sets = self.common_sets();
        sets.push("NA".into());
        sets
    }

    fn common_sets(&self) -> Vec<SetName> {
        match self {
            Mark::Plain => Vec::new(),
            Mark::Order(order) => vec![order.set().into()],
            Mark::Annots(annots) => {
                let mut sets: Vec<SetName> = annots.iter().map(|a| annotation_set(a).into()).collect();
                if !annots.is_empty() {
                    sets.push("annot".into());
                }
                sets
            }
        }
    }
}

/// The set of the events that carry an annotation: its first letter becomes upper case.
pub fn annotation_set(annot: &str) -> String {
    let mut chars = annot.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
