//! From a file to a program.

use std::path::Path;

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

/// Reads a C file.
///
/// It is parsed on a stack that holds what is nested deeply.
pub fn load(path: &Path, settings: &preprocess::Settings, options: Options, shapes: &Shapes) -> Loaded {
    match limits::read_file(path, limits::MAX_TEXT) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            load_text(path, text, settings, options, shapes)
        }
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            let diagnostics = vec![Diagnostic::error("file::unreadable", message)];
            Loaded { program: None, diagnostics, sources: Sources::new(), main: SourceId(0) }
        }
    }
}

/// Reads a C text; headers are looked for as if it stood at that path.
pub fn load_text(
    path: &Path,
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
    path: &Path,
    text: String,
    settings: &preprocess::Settings,
    options: Options,
    shapes: &Shapes,
) -> Loaded {
    let mut sources = Sources::new();
    // A mark of the order of bytes says nothing.
    let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
    let text = preprocess::with_our_headers(&text).unwrap_or(text);
    let main = sources.add(path.display().to_string(), text);
    let result = preprocess(&mut sources, main, settings)
        .map_err(|diagnostic| vec![diagnostic])
        .and_then(|tokens| parse(tokens, &mut sources))
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

/// Does a text begin with the name of an architecture?
fn is_a_test(text: &str) -> bool {
    let first = text.split_whitespace().next();
    ArchId::ALL.iter().any(|arch| first == Some(arch.name()))
}
