//! The README shows real sessions, and links lead somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{litmus_in, stdout, without_times, words};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `$ litmus …` lines of indented blocks, each with the lines printed below it.
fn sessions(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("    ") {
            Some(line) if line.starts_with("$ litmus ") => {
                found.push((line["$ litmus ".len()..].to_string(), String::new()));
                open = true;
            }
            Some(line) if open => {
                if let Some((_, output)) = found.last_mut() {
                    *output += &format!("{line}\n");
                }
            }
            None if line.is_empty() && open => {
                if let Some((_, output)) = found.last_mut() {
                    *output += "\n";
                }
            }
            _ => open = false,
        }
    }
    found
}

/// Files that a page shows: blocks that begin with their language and name.
fn files(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for language in ["cat", "litmus"] {
        for block in text.split(&format!("\n```{language} ")).skip(1) {
            let (name, rest) = block.split_once('\n').unwrap();
            found.push((name, rest.split("```").next().unwrap()));
        }
    }
    found
}

/// A text without lines of files of the library: those may move.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(".cat:");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + ".cat:#" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[test]
fn the_sessions_of_the_book_are_real() {
    let folder = tempfile::tempdir().unwrap();
    for part in ["litmus", "litmus/programs", "litmus/arm", "litmus/dve", "tests/kernel"] {
        std::fs::create_dir_all(folder.path().join(part)).unwrap();
        for entry in std::fs::read_dir(root().join(part)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                std::fs::copy(entry.path(), folder.path().join(part).join(entry.file_name())).unwrap();
            }
        }
    }
    let mut run = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (name, text) in files(&text) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        for (command, printed) in sessions(&text) {
            run += 1;
            let words = words(&command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let done = litmus_in(folder.path(), &words).assert();
            assert_eq!(
                without_lines(&without_times(stdout(&done).trim_end())),
                without_lines(&without_times(printed.trim_end())),
                "{}: litmus {command}",
                page.display()
            );
        }
    }
    assert!(run >= 25, "only {run} sessions");
}

/// The picture that the book shows is the one that the command draws.
#[test]
fn the_picture_of_the_book_is_real() {
    let folder = tempfile::tempdir().unwrap();
    let test = root().join("litmus/mp-plain.litmus");
    let test = test.to_str().unwrap();
    litmus_in(folder.path(), &["run", test, "-m", "armv7", "--graph", "."]).assert().code(0);
    let explained = root().join("litmus/mp-fenced-aarch64.litmus");
    let why = litmus_in(folder.path(), &["explain", explained.to_str().unwrap(), "--format", "svg"]).assert();
    assert_eq!(stdout(&why), std::fs::read_to_string(root().join("docs/plots/why-mp-fenced.svg")).unwrap());
    let drawn = std::fs::read_to_string(folder.path().join("mp-plain-1.svg")).unwrap();
    let shown = std::fs::read_to_string(root().join("docs/plots/mp-plain.svg")).unwrap();
    assert_eq!(drawn, shown);
}

/// Markdown files of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("CHANGELOG.md")];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ext| ext == "md") {
            pages.push(path);
        }
    }
    pages
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = BTreeSet::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            if !page.parent().unwrap().join(target).exists() {
                broken.insert(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for page in pages().iter().filter(|page| page.parent().is_some_and(|p| p.ends_with("docs"))) {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let listed = summary.matches(&format!("]({name})")).count();
        assert_eq!(listed, usize::from(name != "SUMMARY.md"), "{name} in docs/SUMMARY.md");
    }
}
