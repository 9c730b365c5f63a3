//! From a file to a program.

use std::path::Path;

use crate::arch::c::preprocess::{self, preprocess};
use crate::arch::c::unit::lower::{Options, lower};
use crate::arch::c::unit::parse::parse;
use crate::diag::Diagnostic;
use crate::program::Program;
use crate::source::{SourceId, Sources};

/// A file that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The program, if nothing is wrong with it.
    pub program: Option<Program>,
    /// Everything that is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The file and its headers.
    pub sources: Sources,
    /// The file itself.
    pub main: SourceId,
}

/// Reads a C file.
///
/// It is parsed on a stack that holds what is nested deeply.
pub fn load(path: &Path, settings: &preprocess::Settings, options: Options) -> Loaded {
    match std::fs::read(path) {
        Ok(bytes) => load_text(path, String::from_utf8_lossy(&bytes).into_owned(), settings, options),
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            let diagnostics = vec![Diagnostic::error("file::unreadable", message)];
            Loaded { program: None, diagnostics, sources: Sources::new(), main: SourceId(0) }
        }
    }
}

/// Reads a C text; headers are looked for as if it stood at that path.
pub fn load_text(path: &Path, text: String, settings: &preprocess::Settings, options: Options) -> Loaded {
    std::thread::scope(|scope| {
        let work = || read(path, text, settings, options);
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let loaded = worker.ok().and_then(|worker| worker.join().ok());
        loaded.unwrap_or_else(|| Loaded {
            program: None,
            diagnostics: vec![Diagnostic::internal("the file could not be read")],
            sources: Sources::new(),
            main: SourceId(0),
        })
    })
}

/// The stack of the parser.
const STACK: usize = 256 << 20;

fn read(path: &Path, text: String, settings: &preprocess::Settings, options: Options) -> Loaded {
    let mut sources = Sources::new();
    let main = sources.add(path.display().to_string(), text);
    let result = preprocess(&mut sources, main, settings)
        .map_err(|diagnostic| vec![diagnostic])
        .and_then(parse)
        .and_then(|unit| lower(unit, &sources, options));
    match result {
        Ok(program) => Loaded { program: Some(program), diagnostics: Vec::new(), sources, main },
        Err(diagnostics) => Loaded { program: None, diagnostics, sources, main },
    }
}
