//! The names that are bound before a model starts.

use std::collections::BTreeMap;

use crate::model::{ENTRY_SETS, REGISTRY, Sort, When};
use crate::variant::{Variant, Variants};

/// The names bound before a model starts, with their sorts.
#[derive(Clone, Debug, Default)]
pub struct Predefined {
    names: BTreeMap<String, Sort>,
}

impl Predefined {
    /// The variants that they depend on.
    pub const ASKS: [Variant; 5] =
        [Variant::Vmsa, Variant::Deps, Variant::Instr, Variant::Success, Variant::Ifetch];

    /// Those of every architecture, under these variants.
    pub fn new(variants: &Variants) -> Predefined {
        let mut result = Predefined::default();
        if variants.contains(&Variant::Vmsa) {
            let tables = ["PTE", "D-PTE", "PA"].into_iter().chain(ENTRY_SETS.iter().map(|(name, _)| *name));
            result.names.extend(tables.map(|name| (name.to_owned(), Sort::Set)));
        }
        for entry in REGISTRY {
            let bound = match entry.when {
                When::Always => true,
                When::Dependencies => !variants.contains(&Variant::Deps),
                When::Instr => variants.contains(&Variant::Instr) || variants.contains(&Variant::Success),
                When::Ifetch => variants.contains(&Variant::Ifetch),
                When::Vmsa => variants.contains(&Variant::Vmsa),
                When::Declared => false,
            };
            if bound {
                result.names.insert(entry.name.to_owned(), entry.sort);
            }
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
