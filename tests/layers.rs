//! The layers of `docs/architecture.md` hold: no folder under `src/` uses one that the table there does not let it use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// One folder of the table.
#[derive(Debug, PartialEq, Eq)]
struct Folder {
    /// The row it stands in, counted from the top.
    row: usize,
    /// What it must not use although it stands below.
    never: BTreeSet<String>,
}

/// The table: folders by name.
fn layers(page: &str) -> BTreeMap<String, Folder> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| folders |")).skip(2);
    let mut folders = BTreeMap::new();
    for (row, line) in rows.take_while(|line| line.starts_with('|')).enumerate() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), 3, "three cells: {line}");
        for name in quoted(cells[0]) {
            let known = folders.insert(name.clone(), Folder { row, never: quoted(cells[2]) });
            assert_eq!(known, None, "`{name}` stands in the table once");
        }
    }
    folders
}

/// The words between backticks.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// The files of the tree that are compiled into the library or the command: tests may use what they like.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.trim_end_matches(".rs");
        if stem == "tests" || stem == "testing" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// The folders that a text names after `crate::`, outside of comments and of what is for tests only.
fn used(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    // Modules of tests stand at the end of a file; single items for tests elsewhere use nothing forbidden.
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => found.extend(first_words(list)),
            None => found.extend(word(rest)),
        }
    }
    found
}

/// The first word of each member of a list in braces, up to its end.
fn first_words(list: &str) -> Vec<String> {
    let (mut depth, mut at_start, mut words) = (0, true, Vec::new());
    for (index, c) in list.char_indices() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            c if at_start && !c.is_whitespace() => {
                words.extend(word(&list[index..]));
                at_start = false;
            }
            _ => {}
        }
    }
    words
}

fn word(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_string())
}

#[test]
fn no_folder_uses_one_that_the_table_does_not_let_it_use() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/architecture.md")).expect("the page");
    let table = layers(&page);
    assert!(table.len() > 20, "the table was found");
    let mut all = Vec::new();
    files(&root.join("src"), &mut all);
    assert!(all.len() > 100, "the files were found");
    let mut wrong = Vec::new();
    for path in all {
        let inside = path.strip_prefix(root.join("src")).expect("under src");
        let top = inside.components().next().expect("a name").as_os_str().to_string_lossy();
        let own = top.trim_end_matches(".rs");
        if own == "lib" {
            continue;
        }
        let Some(from) = table.get(own) else {
            wrong.push(format!("src/{own} is not in the table"));
            continue;
        };
        for name in used(&fs::read_to_string(&path).expect("text")) {
            // Names that the crate's root exports are the facade's.
            let folder = if name.starts_with(char::is_uppercase) || name == "run" { "facade" } else { &name };
            let Some(to) = table.get(folder) else {
                wrong.push(format!("{}: `crate::{name}` is not in the table", inside.display()));
                continue;
            };
            if folder != own && (to.row <= from.row || from.never.contains(folder)) {
                wrong.push(format!("{}: `{own}` must not use `{folder}`", inside.display()));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "not allowed by docs/architecture.md:\n{}", wrong.join("\n"));
}

#[test]
fn what_the_reader_of_imports_sees() {
    let text = "use crate::diag::{self, Span};\n// crate::no\nuse crate::{model, cat::{Loader, ast}, source};\nlet x = crate::relation::Rel;";
    let expected = ["cat", "diag", "model", "relation", "source"].map(String::from);
    assert_eq!(used(text), BTreeSet::from(expected));
    let tests = "use crate::diag;\n#[cfg(test)]\nmod tests {\nuse crate::cli;\n}";
    assert_eq!(used(tests), BTreeSet::from(["diag".to_string()]));
    let table =
        layers("| folders | make | never |\n|---|---|---|\n| `a`, `b` | x | `c` |\n| `c` | y | |\n\nrest");
    assert_eq!(table["b"], Folder { row: 0, never: BTreeSet::from(["c".to_string()]) });
    assert_eq!(table["c"].row, 1);
}
