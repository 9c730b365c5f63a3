//! Which extensions of the machine a test is run with: herd7's `-variant`, as far as the program side knows them.

use crate::variant::Variant;

/// May accesses of several sizes go to one location?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mixed {
    /// No: an access is to a whole cell. What does not fit is refused.
    #[default]
    No,
    /// Yes, because the test needs it: cells are cut up as far as its accesses ask for, and aligned accesses are
    /// single-copy atomic whatever the model says.
    AsNeeded,
    /// Yes, as asked for (`-variant mixed`), with herd7's rules on alignment. What is atomic the model says.
    Asked,
}

/// What becomes of a thread that faults and has no handler of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnFault {
    /// It ends (`fatal`, `precise`).
    #[default]
    Fatal,
    /// The instruction is run again, as if its cause had been removed (`handled`, `imprecise`).
    Handled,
    /// It goes on with the next instruction (`faultToNext`, `skip`).
    Skip,
}

/// The extensions in force.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Accesses of several sizes.
    pub mixed: Mixed,
    /// Where memory is cut up: parts of at most that many bytes, even where no access asks for it.
    pub granule: Option<u8>,
    /// Accesses that are not aligned.
    pub unaligned: bool,
    /// Instructions are fetched from memory, and may be overwritten (`ifetch`, `self`).
    pub ifetch: bool,
    /// After a fault.
    pub on_fault: OnFault,
}

impl Features {
    /// From variants; those that are no feature of the machine are passed over. Of two about the same thing the last wins.
    pub fn of(variants: &[Variant]) -> Features {
        let mut features = Features::default();
        for variant in variants {
            match variant {
                Variant::Mixed => features.mixed = Mixed::Asked,
                Variant::Unaligned => features.unaligned = true,
                Variant::Ifetch => features.ifetch = true,
                Variant::Fatal => features.on_fault = OnFault::Fatal,
                Variant::Handled => features.on_fault = OnFault::Handled,
                Variant::FaultToNext => features.on_fault = OnFault::Skip,
                _ => {}
            }
        }
        features
    }

    /// Are accesses cut into parts?
    pub fn splits(&self) -> bool {
        self.mixed != Mixed::No
    }
}
