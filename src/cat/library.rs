//! The files of `cat/`, compiled in, so that the command needs no data directory.

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

/// The file of that name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

macro_rules! files {
    ($($kind:ident $name:literal)*) => {
        &[$(Entry { name: $name, kind: Kind::$kind, text: include_str!(concat!("../../cat/", $name)) }),*]
    };
}

static ENTRIES: &[Entry] = files! {
    Model "sc.cat"
    Part "stdlib.cat"
    Part "cos.cat"
    Part "cross.cat"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_file_says_what_it_is() {
        for (index, entry) in ENTRIES.iter().enumerate() {
            assert!(ENTRIES[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
            assert!(entry.summary().len() > 10, "{}: no opening comment", entry.name);
            assert!(entry.text.is_ascii(), "{}: only ASCII is legal everywhere", entry.name);
        }
    }

    #[test]
    fn nothing_in_the_folder_was_forgotten() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cat");
        for file in std::fs::read_dir(folder).unwrap() {
            let name = file.unwrap().file_name().to_string_lossy().into_owned();
            assert!(name.ends_with(".md") || entry(&name).is_some(), "{name} is not in the table");
        }
    }
}
