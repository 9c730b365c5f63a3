//! The registry of the sets and relations that are bound before a model starts.
//!
//! A model is lowered against it, an execution gives each entry a value, and `litmus doc` shows it. Whoever adds a line here is told by the
//! compiler where a value is missing.

use std::fmt;
use std::sync::Arc;

use super::Sort;
use crate::diag::Diagnostic;

/// When a name of the registry is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Always.
    Always,
    /// Unless the model computes dependencies itself (variant `deps`).
    Dependencies,
    /// Under the variants `instr` and `success`.
    Instr,
    /// Under the variant `ifetch`.
    Ifetch,
    /// Under the variant `vmsa`.
    Vmsa,
    /// If the bell file or the test declares it.
    Declared,
}

/// An entry of the registry.
#[derive(Clone, Debug)]
pub struct Registered {
    /// What is bound.
    pub base: Base,
    /// Its name.
    pub name: &'static str,
    /// Set or relation.
    pub sort: Sort,
    /// When it is bound.
    pub when: When,
    /// What it is.
    pub text: &'static str,
}

macro_rules! registry {
    ($($variant:ident $sort:ident $when:ident $name:literal $text:literal,)*) => {
        /// A set or relation that is bound before a model starts.
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Base {
            $(#[doc = concat!("`", $name, "`: ", $text)] $variant,)*
            /// The events that carry a name (of an architecture, a bell file, a test), or the relation of a scope. Lowering has made sure that the
            /// name is declared; that nobody carries it is no error.
            Named(Arc<str>),
        }

        /// All that have a meaning of their own on every architecture.
        pub const REGISTRY: &[Registered] = &[$(Registered {
            base: Base::$variant,
            name: $name,
            sort: Sort::$sort,
            when: When::$when,
            text: $text,
        },)*];

        impl Base {
            /// The base of that name.
            pub fn of(name: &str) -> Base {
                match name {
                    $($name => Base::$variant,)*
                    _ => Base::Named(Arc::from(name)),
                }
            }

            /// Its name.
            pub fn name(&self) -> &str {
                match self {
                    $(Base::$variant => $name,)*
                    Base::Named(name) => name,
                }
            }
        }
    };
}

#[rustfmt::skip]
registry! {
    Id Rel Always "id" "Identity on all events.",
    Po Rel Always "po" "Program order: between events of different instructions of one thread, in the order of execution. Initial writes are in no po.",
    Rf Rel Always "rf" "Reads-from: from a write to each read that takes its value from it. Initial writes are events, so every read has exactly one source.",
    Int Rel Always "int" "Internal: pairs of events of one thread.",
    Ext Rel Always "ext" "External: pairs of events of different threads; an initial write is external to every thread's events.",
    Loc Rel Always "loc" "Same location: pairs of events on one memory location.",
    Addr Rel Dependencies "addr" "Address dependency: from a read to an access whose address was computed from the value read.",
    Data Rel Dependencies "data" "Data dependency: from a read to a write whose value was computed from the value read.",
    Ctrl Rel Dependencies "ctrl" "Control dependency: from a read to everything after a branch that was decided by the value read.",
    Depend Rel Always "depend" "Raw dependencies through registers.",
    Control Rel Always "control" "Control of structured conditionals (C).",
    Success Rel Always "success" "From a store-conditional to what depends on its success (variant `success`).",
    Tst Rel Always "tst" "Always empty; kept for old models.",
    IicoData Rel Always "iico_data" "Inside one instruction: data flow, register events included.",
    IicoCtrl Rel Always "iico_ctrl" "Inside one instruction: control.",
    IicoOrder Rel Always "iico_order" "Inside one instruction: order without flow of data.",
    RfReg Rel Always "rf-reg" "Reads-from through registers.",
    SameInstance Rel Always "same-instance" "Events of the same executed instruction.",
    SameInstr Rel Always "same-instr" "Events of the same instruction of the program, in any iteration.",
    SameStatic Rel Always "same-static" "The same event of the same instruction of the program, in any iteration.",
    SameLowOrderBits Rel Always "same-low-order-bits" "Accesses at the same offset within their symbols.",
    Si Rel Always "si" "Parts of one single-copy-atomic access; without mixed sizes, identity on memory events.",
    Sm Rel Always "sm" "The same as `si`.",
    Aligned Rel Always "aligned" "`si` restricted to aligned accesses (mixed sizes only).",
    Pco Rel Always "pco" "Partial coherence: initial write first, the chosen final write last.",
    PartialPo Rel Always "partial_po" "Order inside instructions given in ASL; empty here.",
    EquivSpec Rel Always "equiv-spec" "Bisimilar instances.",
    Instr Rel Instr "instr" "Same thread and index (variants `instr` and `success`).",
    InvDomain Rel Vmsa "inv-domain" "From a TLB invalidation to the page-table accesses it affects, and back (variant `vmsa`).",
    Alias Rel Vmsa "alias" "Page-table accesses with equal output address (variant `vmsa`).",
    PteToPa Rel Vmsa "PTEtoPA" "From a page-table access to the physical address it maps to (variant `vmsa`).",
    NextLevel Rel Declared "next-level" "From a level of the test's `levels:` tree to the next.",
    M Set Always "M" "Memory accesses: reads and writes.",
    R Set Always "R" "Reads from memory.",
    W Set Always "W" "Writes to memory, initial ones included.",
    Iw Set Always "IW" "Initial writes.",
    Fw Set Always "FW" "Final writes: the last write of each location that the condition, `locations` or `filter` observes. Other locations have none.",
    Exp Set Always "Exp" "Explicit accesses: those that the program asks for.",
    NExp Set Always "NExp" "Implicit accesses: page-table walks, instruction fetches, tag checks.",
    Spec Set Always "SPEC" "Speculated events.",
    Exec Set Always "EXEC" "Events that are not speculated.",
    Spurious Set Always "SPURIOUS" "Spurious hardware updates of page-table entries.",
    F Set Always "F" "Fences of all kinds.",
    B Set Always "B" "Branches.",
    Bcc Set Always "BCC" "Conditional branches.",
    Pred Set Always "PRED" "Decisions of predicated instructions.",
    RegReads Set Always "Rreg" "Register reads; empty unless register events are visible (`catdep`).",
    RegWrites Set Always "Wreg" "Register writes; empty unless register events are visible (`catdep`).",
    AddrReads Set Always "ADDR" "Register reads that feed an address; empty unless register events are visible (`catdep`).",
    DataReads Set Always "DATA" "Register reads that feed a stored value; empty unless register events are visible (`catdep`).",
    InstrAccesses Set Ifetch "Instr" "Accesses to instructions as data (variant `ifetch`).",
    RestrictedCmodx Set Ifetch "Restricted-CMODX" "Accesses to instructions that must not be modified while they may run (variant `ifetch`).",
}

impl Base {
    /// Is it the search that decides it, not the program?
    pub fn is_dynamic(&self) -> bool {
        matches!(self, Base::Rf | Base::Fw)
    }

    /// Does the path of a thread decide it, for pairs of events of that thread?
    pub fn is_of_path(&self) -> bool {
        matches!(
            self,
            Base::Addr
                | Base::Data
                | Base::Ctrl
                | Base::Depend
                | Base::Control
                | Base::IicoData
                | Base::IicoCtrl
                | Base::IicoOrder
                | Base::RfReg
                | Base::SameStatic
        )
    }

    /// Is it about register events?
    pub fn is_about_registers(&self) -> bool {
        matches!(self, Base::RfReg | Base::RegReads | Base::RegWrites | Base::AddrReads | Base::DataReads)
    }
}

#[cfg(test)]
impl Base {
    /// Nothing, as the value of a base of the registry: for universes of tests that give values only to some.
    pub(crate) fn nothing(&self, n: usize) -> Option<super::Val> {
        let entry = REGISTRY.iter().find(|entry| entry.base == *self)?;
        Some(super::plain::empty(entry.sort, n))
    }
}

/// What to say of a base that the engine gives no value.
pub(super) fn no_value(base: &Base) -> Diagnostic {
    Diagnostic::internal(format!("`{base}` is bound, but has no value in an execution"))
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_one_base() {
        for entry in REGISTRY {
            assert_eq!(Base::of(entry.name), entry.base);
            assert_eq!(entry.base.name(), entry.name);
        }
        assert_eq!(Base::of("DMB.SY").name(), "DMB.SY");
    }
}
