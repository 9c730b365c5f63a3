//! How the events of a program are read, where architectures differ.

use rustc_hash::FxHashSet;

/// What an architecture says of the events of its programs. Nobody above it asks which architecture it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conventions {
    /// The architecture's name, for messages.
    pub arch: &'static str,
    /// Names of the event sets that a model may use besides those of every architecture.
    pub sets: FxHashSet<String>,
    /// Is a read-modify-write one event? The sets `X` and `RMW` are then those events.
    pub one_event_rmw: bool,
    /// Is there a set `NA` of everything that is not in `A`?
    pub non_atomics: bool,
    /// Does `po` hold the order inside an instruction, too (between events that are not register events)?
    pub po_inside: bool,
    /// Do dependencies flow through control inside an instruction (`iico_ctrl`), too?
    pub control_flows: bool,
    /// Is a jump on a known value followed as often as it is taken, so that counted loops end?
    pub follows_known_jumps: bool,
    /// Is it the program's fault, and not the test's, if a variable is read before it is written, or an access goes to no object?
    pub undefined_behaviour: bool,
    /// How accesses may differ in size from their cell.
    pub sizes: CellSizes,
}

/// How accesses may differ in size from the cell they go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellSizes {
    /// An access is to a whole object, and the types that tests write are only approximate: nothing is looked at.
    Approximate,
    /// An access to the start of an object is to all of it, whatever size it names, as long as no access is to the inside of one.
    Whole,
    /// They may differ as long as it does not show; narrow reads are not cut to their size where cells are whole.
    Typed,
    /// They may differ as long as it does not show. Instructions cut narrow reads to their size.
    Hidden,
    /// They must not differ.
    Declared,
}
