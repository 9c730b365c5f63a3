//! Tests of the format as a whole: diagnostics, and every test of the corpus if it is there.

use super::*;
use crate::diag::{Color, render_all};
use crate::source::Sources;

/// The corpus's tests, if there is a corpus.
pub(super) fn corpus() -> Option<Vec<std::path::PathBuf>> {
    let root = std::env::var_os("LITMUS_CORPUS").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        Into::into,
    );
    let Ok(suites) = std::fs::read_dir(&root) else {
        eprintln!("skipped: no corpus at {}", root.display());
        return None;
    };
    let folders = suites.flatten().map(|suite| suite.path().join("tests"));
    let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flat_map(|tests| tests.flatten());
    let mut paths: Vec<_> = files.map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "litmus"));
    paths.sort();
    Some(paths)
}

#[test]
fn every_corpus_test_parses() {
    let Some(paths) = corpus() else { return };
    let mut failures = String::new();
    // Another tool's dialect of the initial state (`b = *(&a)`); herd7 refuses them too.
    let foreign = ["C-basic-03.litmus", "aba-array.litmus"];
    for path in paths.iter().filter(|path| !foreign.iter().any(|name| path.ends_with(name))) {
        let text = String::from_utf8_lossy(&std::fs::read(path).expect("readable")).into_owned();
        let mut sources = Sources::new();
        let source = sources.add(path.display().to_string(), text);
        if let Err(diagnostics) = parse(&sources, source) {
            failures.push_str(&render_all(&diagnostics, &sources, Color::Never));
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(paths.len() > 10_000, "only {} tests", paths.len());
}
