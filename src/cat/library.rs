//! The files of `cat/`, compiled in, so that the command needs no data directory.

use crate::variant::Variant;

/// One file.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, as models include it.
    pub name: &'static str,
    /// Is it a model, to be given to `-m`?
    pub kind: Kind,
    /// Its text.
    pub text: &'static str,
}

/// What a file is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A model.
    Model,
    /// Something that models include.
    Part,
    /// Annotations that go with a model.
    Bell,
    /// C functions that go with a model.
    Def,
}

impl Entry {
    /// The first sentence of its opening comment, in one line.
    pub fn summary(&self) -> String {
        let comment = self.text.split_once("(*").map_or("", |(_, rest)| rest);
        let comment = comment.split_once("*)").map_or(comment, |(comment, _)| comment);
        let words: Vec<&str> = comment.split_whitespace().collect();
        let text = words.join(" ");
        match text.split_once(". ") {
            Some((sentence, _)) => sentence.to_string(),
            None => text.trim_end_matches('.').to_string(),
        }
    }
}

/// All files, models first, each kind in the order to list it.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// What a model of the library is run with, where the user names nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Companions {
    /// Its bell file.
    pub bell: &'static str,
    /// Its C functions.
    pub macros: &'static str,
    /// The variant it needs.
    pub variant: Variant,
}

/// What goes with the model of that name.
pub fn companions(name: &str) -> Option<Companions> {
    let name = name.strip_suffix(".cat").unwrap_or(name);
    let lkmm = Companions { bell: "lkmm.bell", macros: "lkmm.def", variant: Variant::LkmmV2 };
    matches!(name, "lkmm" | "linux-kernel").then_some(lkmm)
}

/// The file of that name, ours or herd7's.
pub fn entry(name: &str) -> Option<&'static Entry> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    ENTRIES.iter().find(|entry| entry.name == name)
}

macro_rules! files {
    ($($kind:ident $name:literal)*) => {
        &[$(Entry { name: $name, kind: Kind::$kind, text: include_str!(concat!("../../cat/", $name)) }),*]
    };
}

static ENTRIES: &[Entry] = files! {
    Model "sc.cat"
    Model "tso.cat"
    Model "pso.cat"
    Model "ase18-tso.cat"
    Model "ase18-pso.cat"
    Model "rmo.cat"
    Model "weak.cat"
    Model "nofence.cat"
    Model "x86tso.cat"
    Model "x86tso-mixed.cat"
    Model "armv7.cat"
    Model "arm-a9.cat"
    Model "aarch64.cat"
    Model "ppc.cat"
    Model "riscv.cat"
    Model "mips.cat"
    Model "bpf.cat"
    Model "c11.cat"
    Model "rc11.cat"
    Model "rc20.cat"
    Model "imm.cat"
    Model "lkmm.cat"
    Model "uni.cat"
    Model "minimal.cat"
    Model "naked.cat"
    Part "stdlib.cat"
    Part "cos.cat"
    Part "cross.cat"
    Part "full-fences.cat"
    Part "weak-base.cat"
    Part "herding.cat"
    Part "armv7-base.cat"
    Part "aarch64deps.cat"
    Part "aarch64-exceptions.cat"
    Part "aarch64-fetch.cat"
    Part "aarch64-modified.cat"
    Part "aarch64-tables.cat"
    Part "aarch64-tlbi.cat"
    Part "aarch64-bbm.cat"
    Part "aarch64-tags.cat"
    Part "aarch64-stacks.cat"
    Part "fences.cat"
    Part "x86fences.cat"
    Part "armfences.cat"
    Part "aarch64fences.cat"
    Part "ppcfences.cat"
    Part "mipsfences.cat"
    Part "filters.cat"
    Part "lkmm-locks.cat"
    Part "lkmm-programs.cat"
    Part "aarch64-programs.cat"
    Part "dat3m.cat"
    Bell "lkmm.bell"
    Def "lkmm.def"
};

/// Names that herd7's library has for files that we call otherwise.
static ALIASES: &[(&str, &str)] = &[
    ("arm.cat", "armv7.cat"),
    ("armllh.cat", "arm-a9.cat"),
    ("c11_partialSC.cat", "c11.cat"),
    ("uniproc.cat", "uni.cat"),
    ("cos-opt.cat", "cos.cat"),
    ("linux-kernel.cat", "lkmm.cat"),
    ("linux-kernel.bell", "lkmm.bell"),
    ("linux-kernel.def", "lkmm.def"),
    ("lock.cat", "lkmm-locks.cat"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_file_says_what_it_is() {
        for (index, entry) in ENTRIES.iter().enumerate() {
            assert!(ENTRIES[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
            if entry.kind != Kind::Def {
                assert!(entry.summary().len() > 10, "{}: no opening comment", entry.name);
            }
            assert!(entry.text.is_ascii(), "{}: only ASCII is legal everywhere", entry.name);
        }
    }

    #[test]
    fn aliases_lead_somewhere_and_hide_nothing() {
        for (alias, name) in ALIASES {
            assert!(ENTRIES.iter().any(|entry| entry.name == *name), "{name}");
            assert!(ENTRIES.iter().all(|entry| entry.name != *alias), "{alias}");
        }
    }

    #[test]
    fn every_file_parses() {
        for entry in ENTRIES {
            let mut sources = crate::source::Sources::new();
            let source = sources.add(entry.name, entry.text);
            if entry.kind == Kind::Def {
                continue;
            }
            let mut diags = crate::diag::Diagnostics::new();
            let result = crate::cat::parse(&sources, source, &mut diags);
            let messages = crate::diag::render_all(diags.list(), &sources, crate::diag::Color::Never);
            assert!(result.is_ok() && messages.is_empty(), "{messages}");
        }
    }

    #[test]
    fn nothing_in_the_folder_was_forgotten() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cat");
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap();
            // Mappings have a table of their own.
            if file.path().is_dir() {
                continue;
            }
            let name = file.file_name().to_string_lossy().into_owned();
            assert!(name.ends_with(".md") || entry(&name).is_some(), "{name} is not in the table");
        }
    }
}
