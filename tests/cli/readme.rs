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

#[test]
fn the_sessions_of_the_readme_are_real() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("litmus")).unwrap();
    std::fs::create_dir(folder.path().join("litmus/programs")).unwrap();
    std::fs::create_dir(folder.path().join("litmus/arm")).unwrap();
    for part in ["litmus", "litmus/programs", "litmus/arm"] {
        for entry in std::fs::read_dir(root().join(part)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                std::fs::copy(entry.path(), folder.path().join(part).join(entry.file_name())).unwrap();
            }
        }
    }
    let pages = [
        "README.md",
        "docs/getting-started.md",
        "docs/graphs.md",
        "docs/two-models.md",
        "docs/ltl.md",
        "docs/programs.md",
        "docs/arm.md",
    ];
    let text = |page: &str| std::fs::read_to_string(root().join(page)).unwrap();
    let sessions: Vec<(String, String)> = pages.iter().flat_map(|page| sessions(&text(page))).collect();
    assert!(sessions.len() >= 10, "{sessions:?}");
    for (command, printed) in sessions {
        let words = words(&command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = litmus_in(folder.path(), &words).assert();
        assert_eq!(
            without_times(stdout(&run).trim_end()),
            without_times(printed.trim_end()),
            "litmus {command}"
        );
    }
}

/// The picture that the book shows is the one that the command draws.
#[test]
fn the_picture_of_the_book_is_real() {
    let folder = tempfile::tempdir().unwrap();
    let test = root().join("litmus/mp-plain.litmus");
    let test = test.to_str().unwrap();
    litmus_in(folder.path(), &["run", test, "-m", "armv7", "--graph", "."]).assert().code(0);
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
fn the_index_names_every_page() {
    let index = std::fs::read_to_string(root().join("docs/index.md")).unwrap();
    for page in pages().iter().filter(|page| page.parent().is_some_and(|p| p.ends_with("docs"))) {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            name == "index.md" || index.contains(&format!("]({name})")),
            "{name} is not in docs/index.md"
        );
    }
}
