//! The corpus: where it is, what its suites are run with. It is no part of the repository.

use std::path::{Path, PathBuf};

use litmus::session::Settings;
use litmus::variant::Variant;

/// Where it is, if it is there: `LITMUS_CORPUS`, or a folder beside the repository.
pub fn folder() -> PathBuf {
    std::env::var_os("LITMUS_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from)
}

/// Settings for a suite under a model. Models of the corpus are named as files, ours by their names.
pub fn settings(corpus: &Path, suite: &str, model: &str) -> Settings {
    let mut settings = Settings::default();
    if model.ends_with(".cat") {
        settings.include.push(corpus.join("cat/herd"));
    }
    settings.variants.extend(variants(suite).split(',').filter_map(Variant::parse));
    settings
}

/// The variants under which a suite is run, besides those that its tests ask for.
fn variants(suite: &str) -> &str {
    match suite.strip_prefix("extensions/").unwrap_or(suite) {
        "instr-c" => "S128",
        "arm64-mixed" | "arm64-cata-mixed" | "aarch64-mixed" => "mixed",
        "arm64-vmsa+ifetch" => "vmsa,ifetch",
        "arm64-self" => "ifetch",
        "arm64-cata-ifetch" => "ifetch,fatal",
        "arm64-kvm" => "vmsa",
        "arm64-cata-vmsa" => "vmsa,fatal",
        "arm64-mte" | "arm64-cata-mte" => "memtag,precise",
        "arm64-vmsa+mte" => "memtag,precise,vmsa",
        _ => "",
    }
}

/// The tests of a suite, by name.
pub fn tests_of(corpus: &Path, suite: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus.join(suite).join("tests")).expect("a folder of tests");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "litmus"));
    files.sort();
    files
}

/// That many of them, evenly.
pub fn spread(files: Vec<PathBuf>, n: usize) -> Vec<PathBuf> {
    let step = files.len().div_ceil(n).max(1);
    files.into_iter().step_by(step).collect()
}
