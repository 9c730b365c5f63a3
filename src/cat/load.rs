//! Finding, reading and parsing model files: on disk, on the search path, or in the library that comes with the command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{ast, library, parse};
use crate::diag::{Diagnostic, Diagnostics, Reported, Severity, nearest};
use crate::files::{self, Disk, Files};
use crate::limits;
use crate::source::{SourceId, Sources, Span};
use crate::variant::Variants;

/// Files larger than this are not models.
const MAX_BYTES: u64 = limits::MAX_TEXT;

/// Finds and parses `cat` and `bell` files, each once.
///
/// A name that starts with `/`, `./` or `../` is a path. Any other name is looked for in the current directory, in the
/// directories given (`-I`, then `$HERDLIB`), beside the file that includes it, and last in the library.
///
/// A loader goes with one [`Sources`] table: the trees it remembers point into it. A copy of it goes with a copy of the table.
#[derive(Clone, Debug)]
pub struct Loader {
    include_dirs: Vec<PathBuf>,
    files: Arc<dyn Files>,
    parsed: FxHashMap<String, Result<Arc<ast::File>, Reported>>,
}

/// A model and what always runs before it.
#[derive(Clone, Debug)]
pub struct LoadedModel {
    /// `stdlib.cat`: ours, unless the search path has another.
    pub stdlib: Arc<ast::File>,
    /// The model's own file; includes are opened as they are met.
    pub main: Arc<ast::File>,
}

/// A file that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What it is called in messages: the path, or `<library>/name`.
    pub name: String,
    /// Its text; invalid UTF-8 was replaced.
    pub text: Arc<str>,
}

impl Loader {
    /// A loader that searches `include_dirs`, in order, after the current directory.
    pub fn new(include_dirs: Vec<PathBuf>) -> Loader {
        Loader::reading(include_dirs, Arc::new(Disk))
    }

    /// Likewise, from files of the caller's.
    pub fn reading(include_dirs: Vec<PathBuf>, files: Arc<dyn Files>) -> Loader {
        Loader { include_dirs, files, parsed: FxHashMap::default() }
    }

    /// The model of that name (`.cat` may be left out), with the standard library.
    pub fn model(
        &mut self,
        sources: &mut Sources,
        name: &str,
        diags: &mut Diagnostics,
    ) -> Result<LoadedModel, Reported> {
        // Both are opened before either failure is returned, so that both are reported.
        let stdlib = self.open(sources, "stdlib.cat", None, diags, None);
        let main = self.open(sources, name, None, diags, None);
        Ok(LoadedModel { stdlib: stdlib?, main: main? })
    }

    /// The file of that name, parsed. `from` is the file that includes it and `at` the place where it does; a name
    /// asked for by the user has neither, and may leave out its `.cat`.
    ///
    /// A file is parsed once however often it is asked for.
    pub fn open(
        &mut self,
        sources: &mut Sources,
        name: &str,
        from: Option<SourceId>,
        diags: &mut Diagnostics,
        at: Option<Span>,
    ) -> Result<Arc<ast::File>, Reported> {
        let beside = from.map(|source| sources.get(source).name.clone());
        let found = match self.find(name, beside.as_deref()) {
            Ok(found) => found,
            Err(diagnostic) => {
                let diagnostic = match at {
                    Some(span) => diagnostic.at(span, "asked for here"),
                    None => diagnostic,
                };
                return Err(diags.error(diagnostic));
            }
        };
        if let Some(done) = self.parsed.get(&found.name) {
            return done.clone();
        }
        let source = sources.add(found.name.clone(), found.text);
        let mut found_wrong = Diagnostics::new();
        let mut result = parse(sources, source, &mut found_wrong).map(Arc::new);
        for diagnostic in found_wrong.take() {
            let diagnostic = match at {
                Some(span) => diagnostic.at(span, "included here"),
                None => diagnostic,
            };
            if diagnostic.severity == Severity::Error {
                result = Err(diags.error(diagnostic));
            } else {
                diags.warn(diagnostic);
            }
        }
        self.parsed.insert(found.name, result.clone());
        result
    }

    /// The variants that a condition in a file opened so far names.
    pub fn asks(&self) -> Variants {
        self.parsed.values().flatten().flat_map(|file| &file.asks).copied().collect()
    }

    /// Finds and reads a file of any kind (models, bell files, C macros, configurations). `beside` is the name of the
    /// file that asks for it.
    pub fn find(&self, name: &str, beside: Option<&str>) -> Result<Found, Diagnostic> {
        for spelling in spellings(name, beside.is_some()) {
            for place in self.places(&spelling, beside) {
                match &place {
                    Place::Disk(path) => {
                        if let Some(found) = self.read(path)? {
                            return Ok(found);
                        }
                    }
                    Place::Library => {
                        if let Some(entry) = library::entry(&spelling) {
                            return Ok(Found {
                                name: format!("{LIBRARY}{}", entry.name),
                                text: entry.text.into(),
                            });
                        }
                    }
                }
            }
        }
        Err(self.not_found(name, beside))
    }

    /// Where a name is looked for, in order.
    fn places(&self, name: &str, beside: Option<&str>) -> Vec<Place> {
        if ["/", "./", "../"].iter().any(|start| name.starts_with(start)) || Path::new(name).is_absolute() {
            return vec![Place::Disk(PathBuf::from(name))];
        }
        let mut places = vec![Place::Disk(PathBuf::from(name))];
        places.extend(self.include_dirs.iter().map(|dir| Place::Disk(dir.join(name))));
        if let Some(beside) = beside.filter(|beside| !beside.starts_with(LIBRARY)) {
            places.extend(Path::new(beside).parent().map(|dir| Place::Disk(dir.join(name))));
        }
        places.push(Place::Library);
        places
    }

    /// The file at a path; `None` if there is none (a folder is none).
    fn read(&self, path: &Path) -> Result<Option<Found>, Diagnostic> {
        let name = path.display().to_string();
        let bytes = self.files.read(path, MAX_BYTES).map_err(|error| {
            Diagnostic::error("cat::unreadable-file", format!("cannot read `{name}`: {error}"))
        })?;
        Ok(bytes.map(|bytes| Found { name, text: files::text(&bytes) }))
    }

    fn not_found(&self, name: &str, beside: Option<&str>) -> Diagnostic {
        let mut diagnostic = Diagnostic::error("cat::file-not-found", format!("cannot find `{name}`"));
        let stem = name.strip_suffix(".cat").unwrap_or(name);
        let known =
            library::entries().iter().map(|entry| entry.name.strip_suffix(".cat").unwrap_or(entry.name));
        if let Some(near) = nearest(stem, known) {
            diagnostic = diagnostic.help(format!("there is `{near}` in the library: did you mean that?"));
        }
        let mut searched = Vec::new();
        for spelling in spellings(name, beside.is_some()) {
            for place in self.places(&spelling, beside) {
                let shown = match &place {
                    Place::Disk(path) if self.files.is_folder(path) => format!("{place} (a folder)"),
                    _ => place.to_string(),
                };
                if !searched.contains(&shown) {
                    searched.push(shown);
                }
            }
        }
        diagnostic.note(format!("searched, in this order:\n  {}", searched.join("\n  ")))
    }
}

/// How messages name the library.
pub const LIBRARY: &str = "<library>/";

/// The diagnostic for a file that includes itself: `chain` are the `include`s that lead from the file back to it, the
/// outermost first, `at` the one that closes the cycle.
pub fn include_cycle(chain: &[Span], at: Span) -> Diagnostic {
    let mut diagnostic = Diagnostic::error("cat::include-cycle", "this file includes itself")
        .at(at, "this `include` closes the cycle");
    for span in chain.iter().filter(|span| **span != at) {
        diagnostic = diagnostic.at(*span, "through this one");
    }
    diagnostic.note("an included file runs in place, each time: this would never end")
}

/// A place to look at.
enum Place {
    Disk(PathBuf),
    Library,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Disk(path) => path.display().fmt(f),
            Place::Library => f.write_str("the library (`litmus model list`)"),
        }
    }
}

/// The names to try: a model asked for by the user may leave out its extension. The long form comes first, so that a
/// folder's `sc.cat` is preferred to an unrelated file `sc`.
fn spellings(name: &str, included: bool) -> Vec<String> {
    let known = ["cat", "bell", "def", "cfg"]
        .iter()
        .any(|ext| Path::new(name).extension().is_some_and(|e| e == *ext));
    if included || known {
        return vec![name.to_string()];
    }
    vec![format!("{name}.cat"), name.to_string()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Color, render_all};

    /// Opens `name` for the user and returns the name of the file found, or the diagnostics.
    fn opened(loader: &mut Loader, name: &str) -> String {
        let mut sources = Sources::new();
        let mut diags = Diagnostics::new();
        match loader.open(&mut sources, name, None, &mut diags, None) {
            Ok(file) => sources.get(file.source).name.clone(),
            Err(_) => render_all(diags.list(), &sources, Color::Never),
        }
    }

    #[test]
    fn library_files_with_and_without_extension() {
        assert_eq!(opened(&mut Loader::new(Vec::new()), "sc"), "<library>/sc.cat");
        assert_eq!(opened(&mut Loader::new(Vec::new()), "sc.cat"), "<library>/sc.cat");
        assert_eq!(opened(&mut Loader::new(Vec::new()), "stdlib.cat"), "<library>/stdlib.cat");
    }

    #[test]
    fn directories_win_over_the_library_in_order() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(second.path().join("sc.cat"), "SC").unwrap();
        let dirs = vec![first.path().to_path_buf(), second.path().to_path_buf()];
        assert_eq!(
            opened(&mut Loader::new(dirs.clone()), "sc"),
            second.path().join("sc.cat").display().to_string()
        );
        std::fs::write(first.path().join("sc.cat"), "SC").unwrap();
        assert_eq!(opened(&mut Loader::new(dirs), "sc"), first.path().join("sc.cat").display().to_string());
    }

    #[test]
    fn beside_the_including_file_but_after_the_path() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("part.cat"), "").unwrap();
        std::fs::write(dir.path().join("cos.cat"), "").unwrap();
        let including = dir.path().join("model.cat").display().to_string();
        let loader = Loader::new(Vec::new());
        let found = loader.find("part.cat", Some(&including)).unwrap();
        assert_eq!(found.name, dir.path().join("part.cat").display().to_string());
        // Beside comes before the library.
        let found = loader.find("cos.cat", Some(&including)).unwrap();
        assert_eq!(found.name, dir.path().join("cos.cat").display().to_string());
        assert_eq!(loader.find("cos.cat", Some("<library>/sc.cat")).unwrap().name, "<library>/cos.cat");
        // An include does not guess extensions.
        assert!(loader.find("part", Some(&including)).is_err());
    }

    #[test]
    fn parsed_once() {
        let mut loader = Loader::new(Vec::new());
        let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
        let first = loader.open(&mut sources, "cos.cat", None, &mut diags, None).unwrap();
        let second = loader.open(&mut sources, "cos.cat", Some(first.source), &mut diags, None).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(sources.len(), 1);
    }

    #[test]
    fn not_found() {
        let mut loader = Loader::new(vec![PathBuf::from("models"), PathBuf::from("more/models")]);
        insta::assert_snapshot!(opened(&mut loader, "arma9"), @r"
        error[cat::file-not-found]: cannot find `arma9`
         = help: there is `arm-a9` in the library: did you mean that?
         = note: searched, in this order:
             arma9.cat
             models/arma9.cat
             more/models/arma9.cat
             the library (`litmus model list`)
             arma9
             models/arma9
             more/models/arma9
        ");
        insta::assert_snapshot!(opened(&mut loader, "./nowhere/x.cat"), @r"
        error[cat::file-not-found]: cannot find `./nowhere/x.cat`
         = note: searched, in this order:
             ./nowhere/x.cat
        ");
        let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
        let source = sources.add("dir/model.cat", "include \"coss.cat\"\n");
        let at = Span::new(source, 0, 18);
        assert!(loader.open(&mut sources, "coss.cat", Some(source), &mut diags, Some(at)).is_err());
        insta::assert_snapshot!(render_all(diags.list(), &sources, Color::Never), @r#"
        error[cat::file-not-found]: cannot find `coss.cat`
          ┌─ dir/model.cat:1:1
          │
        1 │ include "coss.cat"
          │ ^^^^^^^^^^^^^^^^^^ asked for here
          │
          = help: there is `cos` in the library: did you mean that?
          = note: searched, in this order:
              coss.cat
              models/coss.cat
              more/models/coss.cat
              dir/coss.cat
              the library (`litmus model list`)
        "#);
    }

    #[test]
    fn a_cycle() {
        let mut sources = Sources::new();
        let a = sources.add("a.cat", "include \"b.cat\"\n");
        let b = sources.add("b.cat", "let x = po\ninclude \"a.cat\"\n");
        let diagnostic = include_cycle(&[Span::new(a, 0, 15)], Span::new(b, 11, 26));
        insta::assert_snapshot!(render_all(&[diagnostic], &sources, Color::Never), @r#"
        error[cat::include-cycle]: this file includes itself
          ┌─ b.cat:2:1
          │
        2 │ include "a.cat"
          │ ^^^^^^^^^^^^^^^ this `include` closes the cycle
          │
          ┌─ a.cat:1:1
          │
        1 │ include "b.cat"
          │ --------------- through this one
          │
          = note: an included file runs in place, each time: this would never end
        "#);
    }
}
