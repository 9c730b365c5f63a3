//! What a model can ask about the values that events hold.

/// A question about the values of two events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ValueTest {
    /// Do they not hold two equal values?
    Different,
    /// Are both page table entries, with one output address?
    SameOutput,
    /// Is one of them a page table entry that allows writes?
    OneWritable,
    /// Is the first a page table entry that leads to the cell of the second?
    LeadsTo,
    /// Is the first a page table entry of that sort?
    Entry(&'static str),
}

/// Sets of events with page table entries for values, by name, each with the sort of entries in it.
pub const ENTRY_SETS: &[(&str, &str)] = &[
    ("PTEV", "valid"),
    ("PTEINV", "invalid"),
    ("PTEAF0", "af:0"),
    ("PTEDB0", "db:0"),
    ("PTEMemAttr", ""),
    ("PTENormal", "Normal"),
    ("PTETaggedNormal", "TaggedNormal"),
    ("PTENSH", "NSH"),
    ("PTEISH", "ISH"),
    ("PTEOSH", "OSH"),
    ("PTEiWB", "iWB"),
    ("PTEiWT", "iWT"),
    ("PTEiNC", "iNC"),
    ("PTEoWB", "oWB"),
    ("PTEoWT", "oWT"),
    ("PTEoNC", "oNC"),
    ("PTEDevice-GRE", "Device-GRE"),
    ("PTEDevice-nGRE", "Device-nGRE"),
    ("PTEDevice-nGnRE", "Device-nGnRE"),
    ("PTEDevice-nGnRnE", "Device-nGnRnE"),
];

impl ValueTest {
    /// The name that models use for it.
    pub fn name(self) -> &'static str {
        match self {
            ValueTest::Different => "different-values",
            ValueTest::SameOutput => "same-oa",
            ValueTest::OneWritable => "at-least-one-writable",
            ValueTest::LeadsTo => "leads-to",
            ValueTest::Entry(_) => "entries",
        }
    }
}
