//! What a thread's machine has besides the base architecture: the variants that instructions know of.

use crate::program::{Key, Managed};

/// Extensions in force for the code of one column.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extensions {
    /// Page tables, and how accesses go through them.
    pub tables: Option<Tables>,
    /// Tags of memory, and how they are checked.
    pub tags: Option<TagChecks>,
    /// Signed pointers, and what becomes of wrong ones.
    pub signing: Option<Signing>,
    /// Accesses of several sizes.
    pub mixed: bool,
    /// Guarded control stacks.
    pub stacks: bool,
    /// Nested virtualization: some registers live in memory.
    pub nested: bool,
    /// Has the thread a fault handler?
    pub handler: bool,
}

/// Page tables, as a thread sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tables {
    /// What hardware manages for the thread.
    pub managed: Managed,
    /// What the test says of all threads, or of this one.
    pub announced: Managed,
    /// Is the thread unprivileged?
    pub user: bool,
    /// Are the entries themselves reached through page tables (`pte2`)?
    pub squared: bool,
    /// Is there no branch between an entry and what hangs on it (`noptebranch`)?
    pub silent: bool,
}

/// Signed pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signing {
    /// What a failed authentication does.
    pub version: SigningVersion,
    /// May a signed pointer be signed again (`const-pac-field`)?
    pub adds_up: bool,
    /// Keys with which nothing is done.
    pub disabled: [bool; 4],
}

impl Signing {
    /// Is nothing done with that key?
    pub fn is_disabled(self, key: Key) -> bool {
        self.disabled[key as usize]
    }
}

/// What a failed authentication does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SigningVersion {
    /// It leaves an error code in the pointer (`pauth1`).
    First,
    /// It leaves the sum of both signatures (`pauth2`).
    Second,
    /// It faults (`fpac`).
    Faulting,
}

/// How tags are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TagChecks {
    /// When a mismatch is noticed.
    pub mode: TagMode,
    /// Are loads left alone?
    pub stores_only: bool,
}

impl TagChecks {
    /// Is the access left unchecked?
    pub fn skips(self, writes: bool) -> bool {
        self.stores_only && !writes
    }

    /// Is a mismatch noticed only some time later?
    pub fn is_late(self, writes: bool) -> bool {
        match self.mode {
            TagMode::Synchronous => false,
            TagMode::Asynchronous => true,
            TagMode::Asymmetric => writes,
        }
    }
}

/// When a mismatch of tags is noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TagMode {
    /// Before the access.
    #[default]
    Synchronous,
    /// Some time later.
    Asynchronous,
    /// Before a load, and some time after a store.
    Asymmetric,
}
