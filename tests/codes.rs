//! Every diagnostic is seen by somebody before its user sees it: each code in the sources has a snapshot in a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Codes that no test shows, and why.
const NEVER_SHOWN: [(&str, &str); 3] = [
    ("grow::too-many-events", "an execution of a thousand events takes longer than a test may"),
    ("model::unknown-input", "asks the search to come back once a value is known; nobody reads it"),
    ("program::not-closed", "no litmus test can be made to start threads"),
];

#[test]
fn every_diagnostic_has_a_snapshot() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut made, mut shown) = (BTreeSet::new(), BTreeSet::new());
    for path in files(&root.join("src")).into_iter().chain(files(&root.join("tests"))) {
        let text = fs::read_to_string(&path).expect("a source file");
        let is_test = path.strip_prefix(root).is_ok_and(|path| path.to_string_lossy().contains("tests"));
        if !is_test {
            made.extend(text.split('"').filter(|part| is_code(part)).map(str::to_string));
        }
        for kind in ["error[", "warning[", "note["] {
            let after = text.split(kind).skip(1).filter_map(|rest| rest.split(']').next());
            shown.extend(after.filter(|part| is_code(part)).map(str::to_string));
        }
    }
    assert!(made.len() > 100, "only {} codes found: do they look different now?", made.len());
    let never: BTreeSet<String> = NEVER_SHOWN.iter().map(|(code, _)| code.to_string()).collect();
    let missing: Vec<_> = made.difference(&shown).filter(|code| !never.contains(*code)).collect();
    assert!(missing.is_empty(), "no snapshot shows {missing:?}");
    let shown_after_all: Vec<_> = never.iter().filter(|code| shown.contains(*code)).collect();
    assert!(shown_after_all.is_empty(), "listed as never shown, and shown: {shown_after_all:?}");
    let gone: Vec<_> = shown.difference(&made).collect();
    assert!(gone.is_empty(), "shown by a test, but not in the sources: {gone:?}");
}

/// `area::what-is-wrong`.
fn is_code(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    text.split_once("::").is_some_and(|(area, what)| plain(area) && plain(what))
}

/// Sources and snapshots.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "snap") {
            files.push(path);
        }
    }
    files
}
