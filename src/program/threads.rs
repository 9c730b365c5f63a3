//! Threads that start threads: the events and the order that this makes, the same under every model.
//!
//! [`super::Op::Spawn`], the start of the spawned thread, its end, and [`super::Op::Join`] make one fence event each, a member of the sets of [`super::fences::full_fence`].
//! `po` holds, besides what it holds within a thread, the pairs from the fence of a spawn (and all before it) to the events of the new thread,
//! and from the events of a thread that has ended to the fence of the join that waited for it (and all after it); `int` and `ext` stay
//! relations between events of one thread and of two. So any model that has program order and full fences knows threads, and none has to read or
//! write a cell for it: a program has no more executions than its own accesses make.

/// The set of an access that takes a lock, or tries to.
pub const LOCK: &str = "mutex-lock";
/// The set of a write that gives a lock back.
pub const UNLOCK: &str = "mutex-unlock";
/// The set of a write that ends a lock.
pub const DESTROY: &str = "mutex-destroy";
/// The set of an access that copies part of a whole object: what was never written stays so.
pub const COPY: &str = "copy";
/// The set of a read of a word of which some bits are about to be written: the others need not have been.
pub const PART: &str = "part";
/// The sets of accesses to floating-point numbers of 4 and of more bytes: their values are the bits of one.
pub const FLOAT: &str = "float";
/// See [`FLOAT`].
pub const DOUBLE: &str = "double";
/// The set of accesses that are atomic in the source, where `A` means something else.
pub const ATOMIC: &str = "atomic";
/// The set of accesses that may race, as the program says itself (`data_race(x)` in the kernel).
pub const MAY_RACE: &str = "lkmm-data-race";
/// The set of a fence that begins a part of a thread that nothing may come between.
pub const SECTION_BEGIN: &str = "atomic-begin";
/// The set of a fence that ends one.
pub const SECTION_END: &str = "atomic-end";
