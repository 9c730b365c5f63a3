//! What a thread's machine has besides the base architecture: the variants that instructions know of.

use crate::program::Managed;

/// Extensions in force for the code of one column.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extensions {
    /// Page tables, and how accesses go through them.
    pub tables: Option<Tables>,
    /// Tags of memory, and how they are checked.
    pub tags: Option<TagChecks>,
    /// Accesses of several sizes.
    pub mixed: bool,
    /// Guarded control stacks.
    pub stacks: bool,
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
}

/// How tags are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TagChecks {
    /// When a mismatch is noticed.
    pub mode: TagMode,
    /// Are loads left alone?
    pub stores_only: bool,
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
