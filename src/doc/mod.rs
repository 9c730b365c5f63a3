//! What the names of the cat language mean: predefined sets and relations, primitives, and what `stdlib.cat` and `cos.cat` define; checks of the
//! library's models; the words of an answer, and of a test about its machine.

mod checks;
mod definition;
mod machine;
mod names;
mod values;
mod words;

pub use checks::{check_names, checks};
pub use definition::definition;
pub use names::names;
pub use values::{InTest, Members, in_test};
pub use words::{Word, word, words};

use crate::arch::ArchId;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A set of events.
    Set,
    /// A relation over events.
    Relation,
    /// A function or primitive.
    Function,
    /// A procedure.
    Procedure,
    /// Syntax.
    Syntax,
}

impl Sort {
    /// In a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Sort::Set => "set of events",
            Sort::Relation => "relation",
            Sort::Function => "function",
            Sort::Procedure => "procedure",
            Sort::Syntax => "syntax",
        }
    }
}

/// Who defines a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The engine, before the model runs.
    Predefined,
    /// The engine, as a function.
    Primitive,
    /// `stdlib.cat`, which every model runs after.
    Stdlib,
    /// `cos.cat`, for models that include it.
    Cos,
    /// The language itself.
    Language,
}

impl Origin {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Origin::Predefined => "predefined",
            Origin::Primitive => "primitive",
            Origin::Stdlib => "defined in stdlib.cat, which always runs first",
            Origin::Cos => "defined in cos.cat, for models that include it",
            Origin::Language => "part of the language",
        }
    }
}

/// One name.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// As models spell it. `DMB.*` stands for a group: see `members`.
    pub name: &'static str,
    /// Set, relation, function …
    pub sort: Sort,
    /// Who defines it.
    pub origin: Origin,
    /// Architectures that have it; empty: all of them.
    pub archs: &'static [ArchId],
    /// What it is.
    pub text: &'static str,
    /// The names of a group (`DMB.SY` …); empty: just `name`.
    pub members: &'static [&'static str],
}

impl Name {
    /// Is `word` this name, or a member of this group?
    pub fn is(&self, word: &str) -> bool {
        self.name == word || self.members.contains(&word)
    }

    /// Does the architecture have it?
    pub fn on(&self, arch: ArchId) -> bool {
        self.archs.is_empty() || self.archs.contains(&arch)
    }

    /// Its architectures, in words.
    pub fn arch_words(&self) -> String {
        if self.archs.is_empty() {
            return "every architecture".to_string();
        }
        self.archs.iter().map(|arch| arch.name()).collect::<Vec<_>>().join(", ")
    }
}

/// Every entry for a word: a name can mean different things on different architectures.
pub fn lookup(word: &str) -> Vec<&'static Name> {
    names().iter().filter(|name| name.is(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_ask_about_is_there() {
        for word in
            ["X", "_", "lxsx", "DMB.SY", "rmw", "po", "R", "Fence.rw.w", "linearisations", "co", "FW", "RMW"]
        {
            assert!(!lookup(word).is_empty(), "{word}");
        }
    }

    #[test]
    fn no_name_is_explained_twice_for_one_architecture() {
        for arch in ArchId::ALL {
            let mut seen = std::collections::BTreeSet::new();
            for name in names().iter().filter(|name| name.on(arch)) {
                assert!(seen.insert(name.name), "{} on {}", name.name, arch.name());
            }
        }
    }

    #[test]
    fn the_sets_of_every_instruction_set_are_explained() {
        for arch in ArchId::ALL {
            let Some(isa) = crate::arch::isa(arch) else { continue };
            for set in isa.sets() {
                assert!(
                    lookup(&set).iter().any(|name| name.on(arch)),
                    "`{set}` of {} is not in the table",
                    arch.name()
                );
            }
        }
    }
}
