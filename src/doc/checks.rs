//! Checks of the library's models by name: axioms and flags.

use crate::cat::library::{self, Entry};

/// A check of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The file of the library.
    pub file: &'static str,
    /// Its line there.
    pub line: usize,
    /// What stands there, in one line.
    pub text: String,
    /// The comment above it.
    pub comment: Option<String>,
    /// Does it raise a flag, where others refuse the execution?
    pub is_flag: bool,
}

/// Words that a check begins with.
const STARTS: [&str; 7] = ["acyclic", "irreflexive", "empty", "~", "flag", "undefined_unless", "assert"];

/// A check that is longer is none.
const LONGEST: usize = 20;

/// The checks of that name, in the order of the library.
pub fn checks(name: &str) -> Vec<Check> {
    library::entries()
        .iter()
        .flat_map(named_checks)
        .filter(|(own, _)| own == name)
        .map(|(_, check)| check)
        .collect()
}

/// The names of all checks of the library.
pub fn check_names() -> Vec<String> {
    let mut names: Vec<String> =
        library::entries().iter().flat_map(named_checks).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    names
}

/// The named checks of a file.
fn named_checks(entry: &'static Entry) -> Vec<(String, Check)> {
    let lines: Vec<&str> = entry.text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let first = line.split_whitespace().next().unwrap_or_default();
        if !STARTS.iter().any(|word| first == *word || (*word == "~" && first.starts_with('~'))) {
            continue;
        }
        // Up to its name, over as many lines as it takes; another statement or an empty line ends it before.
        let mut text = String::new();
        for part in lines[start..].iter().take(LONGEST).take_while(|line| !line.trim().is_empty()) {
            text += &format!("{}{}", if text.is_empty() { "" } else { " " }, part.trim());
            if text.contains(" as ") {
                break;
            }
        }
        let Some((_, name)) = text.rsplit_once(" as ") else { continue };
        let name = name.split_whitespace().next().unwrap_or_default().to_string();
        let check = Check {
            file: entry.name,
            line: start + 1,
            comment: comment_above(&lines[..start]),
            is_flag: first == "flag",
            text,
        };
        found.push((name, check));
    }
    found
}

/// The comment that ends on the last of these lines, in one line.
fn comment_above(lines: &[&str]) -> Option<String> {
    let last = lines.last()?.trim();
    if !last.ends_with("*)") {
        return None;
    }
    let start = lines.iter().rposition(|line| line.trim_start().starts_with("(*"))?;
    let words: Vec<&str> = lines[start..].iter().flat_map(|line| line.split_whitespace()).collect();
    let text = words.join(" ");
    Some(text.trim_start_matches("(*").trim_end_matches("*)").trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axioms_and_flags_of_the_library_are_found() {
        let sc = checks("sc");
        assert!(
            sc.iter().any(|check| check.file == "sc.cat" && check.text.starts_with("acyclic po")),
            "{sc:?}"
        );
        let external = checks("external");
        assert!(external.iter().any(|check| check.file == "aarch64.cat"), "{external:?}");
        let races = checks("data-race");
        assert!(!races.is_empty() && races.iter().all(|check| check.is_flag), "{races:?}");
        assert!(check_names().len() > 20, "{:?}", check_names());
    }

    #[test]
    fn a_comment_belongs_to_the_check_below_it() {
        assert_eq!(comment_above(&["let x = 1", "(* One", "   two. *)"]), Some("One two.".to_string()));
        assert_eq!(comment_above(&["(* One *)", ""]), None);
        assert_eq!(comment_above(&[]), None);
    }
}
