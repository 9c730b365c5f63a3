//! The fences that order writes with what comes after them, under the names that models know them by. `cat/full-fences.cat` says the same to models.

use std::borrow::Cow;

use super::SetName;

/// Fences that order everything before them with everything after them.
pub const FULL: [&str; 14] = [
    "MFENCE",
    "DMB",
    "DSB",
    "DMB.SY",
    "DSB.SY",
    "DMB.ISH",
    "DSB.ISH",
    "DMB.OSH",
    "DSB.OSH",
    "DMB.NSH",
    "DSB.NSH",
    "SYNC",
    "Fence.rw.rw",
    "Mb",
];

/// The memory order that makes a full fence of a fence in C.
pub const FULL_ORDER: &str = "SC";

/// Fences that order writes with later writes, at least; the full ones are not repeated.
pub const STORES: [&str; 12] = [
    "SFENCE",
    "DMB.ST",
    "DSB.ST",
    "DMB.ISHST",
    "DSB.ISHST",
    "LWSYNC",
    "EIEIO",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.w",
    "Fence.tso",
    "Wmb",
];

/// The sets of a fence that orders everything under every model of the library. The memory order of C11 is not among them: what it
/// needs comes with `po`, and a sequentially consistent fence would forbid more than a language promises.
pub fn full_fence() -> Vec<SetName> {
    FULL.into_iter().chain(["FULL"]).map(Cow::Borrowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names between `try` and `with` in a part of the file for models.
    fn named(text: &str) -> Vec<&str> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let start = |pair: &&[&str]| pair[0].ends_with("(try");
        let mut names: Vec<&str> = words.windows(2).filter(start).map(|pair| pair[1]).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn models_know_the_same_fences() {
        let text = include_str!("../../cat/full-fences.cat");
        let (full, stores) = text.split_once("let STORE").expect("two sets");
        // `F & SC` is the one that is no name.
        let mut expected: Vec<&str> = FULL.into_iter().chain(["F"]).collect();
        expected.sort_unstable();
        assert_eq!(named(full), expected);
        assert!(full.contains(&format!("try F & {FULL_ORDER} with")));
        let mut expected = STORES.to_vec();
        expected.sort_unstable();
        assert_eq!(named(stores), expected);
    }
}
