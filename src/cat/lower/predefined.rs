//! The names that are bound before a model starts (CAT.md 4.2 to 4.5).

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Sort;

/// Relations of every architecture.
const RELATIONS: &[&str] = &[
    "id",
    "po",
    "int",
    "ext",
    "loc",
    "same-low-order-bits",
    "rf",
    "rf-reg",
    "iico_data",
    "iico_ctrl",
    "iico_order",
    "same-instance",
    "same-instr",
    "same-static",
    "depend",
    "control",
    "success",
    "tst",
    "sm",
    "si",
    "aligned",
    "pco",
    "partial_po",
    "equiv-spec",
];

/// Dependencies that herd computes, unless asked not to (`-variant deps`).
const DEPENDENCIES: &[&str] = &["addr", "data", "ctrl"];

/// Relations about page tables (`-variant vmsa`).
const VMSA_RELATIONS: &[&str] = &["inv-domain", "alias", "PTEtoPA"];

/// Sets about instructions as data (`-variant ifetch`).
const IFETCH_SETS: &[&str] = &["Instr", "Restricted-CMODX"];

/// Sets of every architecture.
const SETS: &[&str] = &[
    "M", "R", "W", "IW", "FW", "Exp", "NExp", "SPEC", "EXEC", "SPURIOUS", "F", "B", "BCC", "PRED", "Rreg",
    "Wreg", "ADDR", "DATA",
];

/// The names bound before a model starts, with their sorts.
#[derive(Clone, Debug, Default)]
pub struct Predefined {
    names: BTreeMap<String, Sort>,
}

impl Predefined {
    /// Those of every architecture, under these variants (lower case, canonical names).
    pub fn new(variants: &BTreeSet<String>) -> Predefined {
        let mut result = Predefined::default();
        result.add_sets(SETS.iter().copied());
        result.add_relations(RELATIONS.iter().copied());
        if !variants.contains("deps") {
            result.add_relations(DEPENDENCIES.iter().copied());
        }
        if variants.contains("vmsa") {
            result.add_relations(VMSA_RELATIONS.iter().copied());
        }
        if variants.contains("ifetch") {
            result.add_sets(IFETCH_SETS.iter().copied());
        }
        if variants.contains("instr") || variants.contains("success") {
            result.add_relations(["instr"]);
        }
        result
    }

    /// Adds event sets: those of an architecture, of a bell file, of thread annotations. A relation of the same name stays.
    pub fn add_sets<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            self.names.entry(name.to_owned()).or_insert(Sort::Set);
        }
    }

    /// Adds relations: scopes, for instance. They replace sets of the same name.
    pub fn add_relations<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            self.names.insert(name.to_owned(), Sort::Rel);
        }
    }

    /// What the name denotes, if it is bound.
    pub fn sort(&self, name: &str) -> Option<Sort> {
        self.names.get(name).copied()
    }

    /// All names, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Sort)> {
        self.names.iter().map(|(name, sort)| (name.as_str(), *sort))
    }
}
