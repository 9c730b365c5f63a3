//! From a file to a program.

use std::path::{Path, PathBuf};

use crate::arch::ArchId;
use crate::arch::c::preprocess::{self, preprocess};
use crate::arch::c::unit::lower::{Options, lower};
use crate::arch::c::unit::parse::parse;
use crate::diag::Diagnostic;
use crate::limits::{self, Stopped};
use crate::program::Program;
use crate::program::shapes::Shapes;
use crate::source::{SourceId, Sources};

/// A file that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The program, if nothing is wrong with it.
    pub program: Option<Program>,
    /// Everything that is wrong with it, and what had to be supposed of it.
    pub diagnostics: Vec<Diagnostic>,
    /// The file and its headers.
    pub sources: Sources,
    /// The file itself.
    pub main: SourceId,
}

impl Loaded {
    /// Nothing: whoever read it was stopped.
    pub fn stopped(why: Stopped, path: &Path) -> Loaded {
        let diagnostic = Diagnostic::stopped(why, &format!("while `{}` was read", path.display()));
        Loaded { program: None, diagnostics: vec![diagnostic], sources: Sources::new(), main: SourceId(0) }
    }
}

/// Reads a program in C.
///
/// It is parsed on a stack that holds what is nested deeply.
pub fn load(files: &Files, settings: &preprocess::Settings, options: Options, shapes: &Shapes) -> Loaded {
    match text_of(&files.main) {
        Ok(text) => load_parts((&files.main, &files.parts), text, settings, options, shapes),
        Err(diagnostic) => Loaded {
            program: None,
            diagnostics: vec![diagnostic],
            sources: Sources::new(),
            main: SourceId(0),
        },
    }
}

/// The files of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// The one that has `main`.
    pub main: PathBuf,
    /// The others.
    pub parts: Vec<PathBuf>,
}

impl From<&Path> for Files {
    fn from(path: &Path) -> Files {
        Files { main: path.to_path_buf(), parts: Vec::new() }
    }
}

/// Files as programs: each that has a `main` is one, and those that have none are part of all of them, as if they were given to a compiler together.
pub fn programs(files: &[PathBuf], settings: &preprocess::Settings) -> Vec<Files> {
    let has_main: Vec<bool> = match files {
        [_] => vec![true],
        _ => files.iter().map(|file| defines_main(file, settings)).collect(),
    };
    let of =
        |wanted: bool| files.iter().zip(&has_main).filter(move |(_, has)| **has == wanted).map(|(f, _)| f);
    let parts: Vec<PathBuf> = of(false).cloned().collect();
    match of(true).next() {
        Some(_) => of(true).map(|main| Files { main: main.clone(), parts: parts.clone() }).collect(),
        // None of them has: each says so.
        None => files.iter().map(|file| Files::from(file.as_path())).collect(),
    }
}

/// Has a file a function `main`? One that cannot be read, or is no C, is taken for a program, which says what is wrong with it.
fn defines_main(path: &Path, settings: &preprocess::Settings) -> bool {
    let Ok(text) = text_of(path) else { return true };
    if is_a_test(&text) {
        return true;
    }
    let mut sources = Sources::new();
    let file = sources.add(path.display().to_string(), preprocess::plain_text(&text));
    let Ok(tokens) = preprocess(&mut sources, file, settings) else { return true };
    let mut depth = 0;
    tokens.windows(2).enumerate().any(|(at, pair)| {
        depth += i32::from(pair[0].is("{")) - i32::from(pair[0].is("}"));
        let body = || tokens[at..].iter().find(|token| token.is("{") || token.is(";"));
        depth == 0 && pair[0].is("main") && pair[1].is("(") && body().is_some_and(|token| token.is("{"))
    })
}

fn text_of(path: &Path) -> Result<String, Diagnostic> {
    limits::read_file(path, limits::MAX_TEXT)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|error| {
            let message = format!("cannot read `{}`: {error}", path.display());
            Diagnostic::error("file::unreadable", message)
        })
}

/// Reads a C text; headers are looked for as if it stood at that path.
pub fn load_text(
    path: &Path,
    text: String,
    settings: &preprocess::Settings,
    options: Options,
    shapes: &Shapes,
) -> Loaded {
    load_parts((path, &[]), text, settings, options, shapes)
}

fn load_parts(
    path: (&Path, &[PathBuf]),
    text: String,
    settings: &preprocess::Settings,
    options: Options,
    shapes: &Shapes,
) -> Loaded {
    std::thread::scope(|scope| {
        let work = limits::handed_on(|| read(path, text, settings, options, shapes));
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match worker.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Loaded {
                program: None,
                diagnostics: vec![Diagnostic::internal(format!("no thread to read it on: {error}"))],
                sources: Sources::new(),
                main: SourceId(0),
            },
        }
    })
}

/// The stack of the parser.
const STACK: usize = 256 << 20;

fn read(
    (path, parts): (&Path, &[PathBuf]),
    text: String,
    settings: &preprocess::Settings,
    options: Options,
    shapes: &Shapes,
) -> Loaded {
    let mut sources = Sources::new();
    let text = preprocess::plain_text(&text);
    let main = sources.add(path.display().to_string(), text);
    let result = tokens(&mut sources, main, parts, settings)
        .map_err(|diagnostic| vec![diagnostic])
        .and_then(|files| parse(files, &mut sources))
        .and_then(|unit| lower(unit, &sources, options, shapes));
    match result {
        Ok(mut program) => {
            let diagnostics = std::mem::take(&mut program.supposed);
            Loaded { program: Some(program), diagnostics, sources, main }
        }
        Err(mut diagnostics) => {
            if is_a_test(&sources.get(main).text) {
                let way_on = format!("this is a litmus test: `litmus run {}`", path.display());
                // One is enough: no line of it is C.
                diagnostics.truncate(1);
                diagnostics = diagnostics.into_iter().map(|diagnostic| diagnostic.help(&way_on)).collect();
            }
            Loaded { program: None, diagnostics, sources, main }
        }
    }
}

/// The tokens of each file.
fn tokens(
    sources: &mut Sources,
    main: SourceId,
    parts: &[PathBuf],
    settings: &preprocess::Settings,
) -> Result<Vec<Vec<preprocess::Token>>, Diagnostic> {
    let mut files = vec![preprocess(sources, main, settings)?];
    for path in parts {
        let text = preprocess::plain_text(&text_of(path)?);
        let part = sources.add(path.display().to_string(), text);
        files.push(preprocess(sources, part, settings)?);
    }
    Ok(files)
}

/// Does a text begin with the name of an architecture?
fn is_a_test(text: &str) -> bool {
    let first = text.split_whitespace().next();
    ArchId::ALL.iter().any(|arch| first == Some(arch.name()))
}
