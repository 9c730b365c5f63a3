//! Generates the parser of the cat language from `src/cat/grammar.lalrpop`, and notes the commit for `--version`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/cat/grammar.lalrpop");
    lalrpop::Configuration::new()
        .use_cargo_dir_conventions()
        .emit_rerun_directives(true)
        .process()
        .expect("src/cat/grammar.lalrpop is a valid grammar");
    version();
    corpus();
}

/// `cfg(corpus)`: the reference corpus is there (`LITMUS_CORPUS`, or `../shared/corpus`), so tests over it are run and not ignored.
fn corpus() {
    println!("cargo:rustc-check-cfg=cfg(corpus)");
    println!("cargo:rerun-if-env-changed=LITMUS_CORPUS");
    let folder = std::env::var("LITMUS_CORPUS").unwrap_or_else(|_| "../shared/corpus".to_string());
    if Path::new(&folder).join("cat").is_dir() {
        println!("cargo:rustc-cfg=corpus");
    }
}

/// `LITMUS_VERSION`: the package version and, where git can tell, the commit. A source archive has no git: that is fine.
fn version() {
    let mut version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    if Path::new(".git").exists() {
        for file in [".git/HEAD", ".git/logs/HEAD"] {
            if Path::new(file).exists() {
                println!("cargo:rerun-if-changed={file}");
            }
        }
        let git = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).output();
        if let Some(output) = git.ok().filter(|output| output.status.success()) {
            let commit = String::from_utf8_lossy(&output.stdout);
            version = format!("{version} ({})", commit.trim());
        }
    }
    println!("cargo:rustc-env=LITMUS_VERSION={version}");
}
