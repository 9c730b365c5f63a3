//! What a machine has besides registers and memory.

use super::Managed;

/// Page tables and tags of a test: nothing of them for most.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Machine {
    /// What the test says hardware does to page tables anywhere; none: there are no page tables.
    pub tables: Option<Managed>,
    /// Are page table entries themselves reached through page tables?
    pub squared: bool,
    /// The names of tags, those that instructions make up first.
    pub tags: Vec<String>,
    /// Are there signed pointers? What they assume is then part of a final state.
    pub signs: bool,
}
