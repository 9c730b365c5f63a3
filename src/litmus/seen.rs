//! Tells tests that come twice from tests that only share a name.

use std::collections::HashMap;

/// The tests seen so far in a campaign, by name.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    tests: HashMap<String, (Vec<String>, String)>,
}

/// What is known of a test that comes along.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sighting {
    /// A new name.
    New,
    /// The same test, from the same file or another.
    Again,
    /// Another test of the same name; the file of the first.
    OtherTest(String),
}

impl Seen {
    /// Notes a test with its hashes and file.
    pub fn note(&mut self, name: &str, hashes: &[String], file: &str) -> Sighting {
        match self.tests.get(name) {
            None => {
                self.tests.insert(name.to_string(), (hashes.to_vec(), file.to_string()));
                Sighting::New
            }
            Some((known, _)) if known == hashes => Sighting::Again,
            Some((_, first)) => Sighting::OtherTest(first.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_hashes_decide() {
        let mut seen = Seen::default();
        let mut note = |name: &str, hash: &str, file: &str| seen.note(name, &[hash.to_string()], file);
        assert_eq!(note("SB", "1", "a/SB.litmus"), Sighting::New);
        assert_eq!(note("MP", "1", "a/MP.litmus"), Sighting::New);
        assert_eq!(note("SB", "1", "b/SB.litmus"), Sighting::Again);
        assert_eq!(note("SB", "2", "c/SB.litmus"), Sighting::OtherTest("a/SB.litmus".to_string()));
    }
}
