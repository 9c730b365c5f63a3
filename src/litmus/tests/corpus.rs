//! Every test of the corpus, if it is there.

use super::super::*;
use crate::diag::{Class, Color, render_all};
use crate::source::Sources;

/// The corpus's tests.
fn corpus() -> Vec<std::path::PathBuf> {
    let root = std::env::var_os("LITMUS_CORPUS").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        Into::into,
    );
    let suites = std::fs::read_dir(&root).expect("the corpus");
    let folders = suites.flatten().map(|suite| suite.path().join("tests"));
    let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flat_map(|tests| tests.flatten());
    let mut paths: Vec<_> = files.map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "litmus"));
    paths.sort();
    paths
}

#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn every_corpus_test_parses() {
    let paths = corpus();
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

/// Name to hash, from the log of a corpus suite.
fn logged_hashes(suite: &std::path::Path) -> std::collections::HashMap<String, String> {
    let log = std::fs::read_to_string(suite.join("herd.log")).unwrap_or_default();
    let mut name = String::new();
    let mut hashes = std::collections::HashMap::new();
    for line in log.lines() {
        if let Some(rest) = line.strip_prefix("Test ") {
            name = rest.split(' ').next().unwrap_or("").to_string();
        } else if let Some(hash) = line.strip_prefix("Hash=") {
            hashes.insert(name.clone(), hash.to_string());
        }
    }
    hashes
}

/// Every test that herd7 has answered lowers, but for a few that we refuse, and has herd7's hash.
/// `LITMUS_SUITE=riscv` looks at one suite only.
#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn hashes_are_those_of_the_logs() {
    let paths = corpus();
    let only = std::env::var("LITMUS_SUITE").ok();
    let mut suites: std::collections::BTreeMap<String, [usize; 4]> = Default::default();
    let mut logs = std::collections::HashMap::new();
    let mut failures = String::new();
    let mut sources = Sources::new();
    let kernel = sources.add("lkmm.def", include_str!("../../../cat/lkmm.def"));
    let mut macros = crate::arch::c::Macros::new();
    macros.add("lkmm.def", kernel, &sources.get(kernel).text).expect("our own file");
    let options = LowerOptions { macros: std::sync::Arc::new(macros), ..LowerOptions::default() };
    for path in paths {
        let suite = path.parent().and_then(|p| p.parent()).expect("suite/tests/test").to_path_buf();
        let suite_name = suite.file_name().expect("named").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != suite_name) {
            continue;
        }
        let log = logs.entry(suite_name.clone()).or_insert_with(|| logged_hashes(&suite));
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("readable")).into_owned();
        let source = sources.add(path.display().to_string(), text);
        let counts = suites.entry(suite_name.clone()).or_default();
        counts[0] += 1;
        match parse(&sources, source).and_then(|test| lower(&test, &options)) {
            Err(diagnostics) => {
                let answered =
                    log.contains_key(path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(""));
                if answered && diagnostics.iter().any(|d| d.class != Class::Unsupported) {
                    failures.push_str(&render_all(&diagnostics, &sources, Color::Never));
                }
            }
            Ok(lowered) => {
                counts[1] += 1;
                let Some(expected) = log.get(&lowered.name) else { continue };
                counts[2] += 1;
                if lowered.hashes.first() == Some(expected) {
                    counts[3] += 1;
                    continue;
                }
                failures.push_str(&format!("hash differs: {}\n", path.display()));
                let code = lowered.program.threads.iter().flat_map(|thread| &thread.code);
                code.for_each(|instruction| failures.push_str(&format!("    {}\n", instruction.text)));
            }
        }
    }
    for (suite, [all, lowered, logged, same]) in suites {
        eprintln!(
            "{suite:16} {all:5} tests {lowered:5} lowered {logged:5} with a logged hash {same:5} agree"
        );
    }
    assert!(failures.is_empty(), "{failures}");
}
