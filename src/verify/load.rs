//! From a file to a program.

use std::path::Path;

use crate::arch::c::preprocess::{self, preprocess};
use crate::arch::c::unit::lower::{Options, lower};
use crate::arch::c::unit::parse::parse;
use crate::diag::Diagnostic;
use crate::program::Program;
use crate::source::Sources;

/// A file that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The program, if nothing is wrong with it.
    pub program: Option<Program>,
    /// Everything that is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The file and its headers.
    pub sources: Sources,
}

/// Reads a C file.
///
/// It is parsed on a stack that holds what is nested deeply.
pub fn load(path: &Path, settings: &preprocess::Settings, options: Options) -> Loaded {
    std::thread::scope(|scope| {
        let work = || read(path, settings, options);
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let loaded = worker.ok().and_then(|worker| worker.join().ok());
        loaded.unwrap_or_else(|| Loaded {
            program: None,
            diagnostics: vec![Diagnostic::internal("the file could not be read")],
            sources: Sources::new(),
        })
    })
}

/// The stack of the parser.
const STACK: usize = 256 << 20;

fn read(path: &Path, settings: &preprocess::Settings, options: Options) -> Loaded {
    let mut sources = Sources::new();
    let name = path.display().to_string();
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            let diagnostic = Diagnostic::error("file::unreadable", format!("cannot read `{name}`: {error}"));
            return Loaded { program: None, diagnostics: vec![diagnostic], sources };
        }
    };
    let file = sources.add(name, text);
    let result = preprocess(&mut sources, file, settings)
        .map_err(|diagnostic| vec![diagnostic])
        .and_then(parse)
        .and_then(|unit| lower(unit, &sources, options));
    match result {
        Ok(program) => Loaded { program: Some(program), diagnostics: Vec::new(), sources },
        Err(diagnostics) => Loaded { program: None, diagnostics, sources },
    }
}
