//! From files to a model and a test: the adapter to the front ends.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Settings, unreadable};
use crate::arch::ArchId;
use crate::diag::{Diagnostic, Diagnostics};
use crate::litmus::{self, Lowered, Test};
use crate::model::Model;
use crate::source::Sources;

/// Where a test comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// A text at hand, under a name.
    Text {
        /// What messages call it.
        name: String,
        /// The test.
        text: Arc<str>,
    },
}

impl Input {
    /// What messages call it.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Stdin => "-".to_string(),
            Input::Text { name, .. } => name.clone(),
        }
    }

    fn text(&self) -> Result<Arc<str>, Diagnostic> {
        let bytes = match self {
            Input::Text { text, .. } => return Ok(Arc::clone(text)),
            Input::File(path) => std::fs::read(path),
            Input::Stdin => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
            }
        };
        match bytes {
            Ok(bytes) => Ok(Arc::from(String::from_utf8_lossy(&bytes))),
            Err(error) => Err(unreadable("the test", &self.name(), &error)),
        }
    }
}

/// What a lowered model depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModelKey {
    /// As asked for; `None`: the architecture's default.
    pub model: Option<String>,
    /// The test's architecture.
    pub arch: ArchId,
    /// All variants in force, sorted, lower case.
    pub variants: Vec<String>,
}

/// A model ready for tests of one architecture.
#[derive(Debug)]
pub struct Prepared {
    /// Its name, as asked for or by default.
    pub name: String,
    /// The lowered model.
    pub model: Model,
    /// The files it came from.
    pub sources: Arc<Sources>,
}

/// A model that could not be loaded.
#[derive(Debug)]
pub struct Failure {
    /// Why.
    pub diagnostics: Vec<Diagnostic>,
    /// The files the reasons point into.
    pub sources: Arc<Sources>,
}

/// Reads and parses a test; what is wrong with it goes to `diagnostics`.
pub(super) fn parse(input: &Input, sources: &mut Sources, diagnostics: &mut Diagnostics) -> Option<Test> {
    let text = match input.text() {
        Ok(text) => text,
        Err(diagnostic) => {
            diagnostics.error(diagnostic);
            return None;
        }
    };
    let source = sources.add(input.name(), text);
    match litmus::parse(sources, source) {
        Ok(test) => Some(test),
        Err(errors) => {
            for error in errors {
                diagnostics.error(error);
            }
            None
        }
    }
}

/// What the model of this test depends on.
pub(super) fn key(settings: &Settings, model: Option<&str>, test: &Test) -> ModelKey {
    let own = test.info("Variant").map_or("", |info| info.value.as_str());
    let own = own.split(',').map(str::trim).filter(|v| !v.is_empty());
    let given = settings.variants.iter().map(String::as_str);
    let mut variants: Vec<String> = given.chain(own).map(str::to_ascii_lowercase).collect();
    variants.sort();
    variants.dedup();
    ModelKey { model: model.map(str::to_string), arch: test.arch, variants }
}

pub(super) fn prepare(_settings: &Settings, key: &ModelKey) -> Result<Prepared, Failure> {
    Err(Failure {
        diagnostics: vec![Diagnostic::unsupported(
            "model::no-loader",
            format!("cannot load {} yet", key.model.as_deref().unwrap_or("the default model")),
        )],
        sources: Arc::default(),
    })
}

pub(super) fn same_arch(_prepared: &Prepared, _arch: ArchId) -> Result<(), Diagnostic> {
    Ok(())
}

pub(super) fn lower(
    _settings: &Settings,
    _test: &Test,
    _prepared: &Prepared,
    _sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Lowered> {
    diagnostics.error(Diagnostic::unsupported("litmus::no-lowering", "cannot lower tests yet"));
    None
}
