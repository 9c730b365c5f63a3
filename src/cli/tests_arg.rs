//! Tests as typed: files, folders, lists, patterns, standard input.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::limits;
use crate::session::Input;

/// The tests that the arguments name, in order, and what was wrong with some of the arguments.
pub fn collect(args: &[String]) -> (Vec<Input>, Vec<String>) {
    let mut inputs = Vec::new();
    let mut errors = Vec::new();
    for arg in args {
        if arg == "-" {
            if inputs.iter().any(|input| matches!(input, Input::Text { .. })) {
                errors.push("standard input (`-`) can be read only once".to_string());
                continue;
            }
            // Once, however many models and passes there are.
            let mut bytes = Vec::new();
            let most = limits::MAX_TEXT;
            match std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes) {
                Ok(_) if bytes.len() as u64 > most => {
                    errors.push(format!("standard input is longer than {} MB", most >> 20));
                }
                Ok(_) if bytes.contains(&0) => {
                    errors.push("standard input is not text: it holds a NUL byte".to_string());
                }
                Ok(_) => {
                    let text = Arc::from(String::from_utf8_lossy(&bytes));
                    inputs.push(Input::Text { name: "-".to_string(), text });
                }
                Err(error) => errors.push(format!("cannot read standard input: {error}")),
            }
        } else {
            add(Path::new(arg), &mut inputs, &mut errors, 0);
        }
    }
    (inputs, errors)
}

fn add(path: &Path, inputs: &mut Vec<Input>, errors: &mut Vec<String>, depth: usize) {
    let shown = path.display();
    let is_list = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'));
    // herd7's lists are files whose name begins with `@`; elsewhere `@path` means the list at `path`.
    let named = shown
        .to_string()
        .strip_prefix('@')
        .map(PathBuf::from)
        .filter(|list| !path.exists() && list.is_file());
    if let Some(list) = named {
        add_list(&list, inputs, errors, depth);
    } else if is_list {
        add_list(path, inputs, errors, depth);
    } else if path.is_dir() {
        let mut found = Vec::new();
        let before = errors.len();
        walk(path, &mut found, errors);
        if found.is_empty() && errors.len() == before {
            errors.push(format!("there is no .litmus file in `{shown}`"));
        }
        inputs.extend(found.into_iter().map(Input::File));
    } else if path.exists() {
        inputs.push(Input::File(path.to_path_buf()));
    } else if path.to_string_lossy().contains(['*', '?', '[']) {
        let found: Vec<PathBuf> = match glob::glob(&path.to_string_lossy()) {
            Ok(paths) => paths.filter_map(Result::ok).collect(),
            Err(error) => return errors.push(format!("`{shown}` is not a pattern: {error}")),
        };
        if found.is_empty() {
            errors.push(format!("no file matches `{shown}`"));
        }
        let mut matched = Vec::new();
        for path in found {
            add(&path, &mut matched, errors, depth + 1);
        }
        // `**` matches a folder and those in it.
        let mut seen = HashSet::new();
        inputs.extend(matched.into_iter().filter(|input| seen.insert(input.name())));
    } else {
        // Left to the reader of the test, so that the error stands where the test would.
        inputs.push(Input::File(path.to_path_buf()));
    }
}

/// `@file`, whether `@` is part of the name or not: one path a line, relative to the list's folder; empty lines and lines starting with `#` are skipped.
fn add_list(path: &Path, inputs: &mut Vec<Input>, errors: &mut Vec<String>, depth: usize) {
    let shown = path.display();
    if depth > 50 {
        return errors.push(format!("lists include each other without end: {shown}"));
    }
    let bytes = match limits::read_file(path, limits::MAX_TEXT) {
        Ok(bytes) => bytes,
        Err(error) => return errors.push(format!("cannot read the list `{shown}`: {error}")),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    for line in String::from_utf8_lossy(&bytes).lines() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            add(&folder.join(line), inputs, errors, depth + 1);
        }
    }
}

/// All `.litmus` files below a folder, in byte order of their paths, folder by folder. One that cannot be read does not hide the others.
fn walk(folder: &Path, found: &mut Vec<PathBuf>, errors: &mut Vec<String>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return errors.push(format!("cannot read the folder `{}`: {error}", folder.display())),
    };
    // What an entry is stands beside its name: nobody need ask again.
    let kind = |entry: std::fs::DirEntry| Some((entry.file_name(), entry.path(), entry.file_type().ok()?));
    let mut entries: Vec<_> = entries.filter_map(Result::ok).filter_map(kind).collect();
    entries.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    for (_, path, kind) in entries {
        // A link to a folder above would never end; links to files are fine.
        if kind.is_dir() {
            walk(&path, found, errors);
        } else if path.extension().is_some_and(|ext| ext == "litmus") {
            if kind.is_file() || path.is_file() {
                found.push(path);
            } else if kind.is_symlink() && !path.exists() {
                errors.push(format!("`{}` is a link to a file that is not there", path.display()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_lists_and_patterns() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        for name in ["b.litmus", "a.litmus", "sub/c.litmus", "note.txt"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::fs::write(at("@all"), "# some\nb.litmus\n\n@more\n").unwrap();
        std::fs::write(at("@more"), "sub/c.litmus\r\n").unwrap();
        let names = |args: &[PathBuf]| {
            let args: Vec<String> = args.iter().map(|p| p.display().to_string()).collect();
            let (inputs, errors) = collect(&args);
            let base = |i: &Input| Path::new(&i.name()).file_name().unwrap().to_string_lossy().into_owned();
            (inputs.iter().map(base).collect::<Vec<_>>().join(" "), errors.len())
        };
        assert_eq!(names(&[dir.path().to_path_buf()]), ("a.litmus b.litmus c.litmus".to_string(), 0));
        assert_eq!(names(&[at("@all")]), ("b.litmus c.litmus".to_string(), 0));
        assert_eq!(names(&[at("[ab].litmus")]), ("a.litmus b.litmus".to_string(), 0));
        std::fs::create_dir(at("sub/sub")).unwrap();
        std::fs::write(at("sub/sub/d.litmus"), "").unwrap();
        assert_eq!(names(&[at("**")]), ("c.litmus d.litmus".to_string(), 0));
        assert_eq!(names(&[at("z*.litmus"), at("@none")]), (String::new(), 2));
        assert_eq!(names(&[at("gone.litmus")]), ("gone.litmus".to_string(), 0));
    }
}
