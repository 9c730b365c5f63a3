//! Which parts of a model do tests notice? The model is changed a little in every way there is; a part is covered if some test has other
//! outcomes without it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::load::{Includes, prepare_model, with_companions};
use super::models::{open_bell, predefined};
use super::notice::{Asked, Asking, Asks, Change, Seen, rounds};
use super::{Input, Report, Session, Settings, in_order};
use crate::cat::load::LIBRARY;
use crate::cat::lower::{LowerInput, lower};
use crate::cat::mutate::{Kind, Mutation, mutations};
use crate::diag::Diagnostics;
use crate::files::Files;
use crate::generate::{Generated, Vocabulary};
use crate::model::same;
use crate::source::{SourceId, Sources, Span};
use crate::variant::Variants;

/// A model's parts, and what notices each.
#[derive(Debug)]
pub struct Coverage {
    /// The parts, file by file, in the order of the text.
    pub parts: Vec<Part>,
    /// How many tests there are that the model has an answer for.
    pub tests: usize,
    /// Tests that it has none for, and why.
    pub unanswered: Vec<Report>,
    /// Tests for other architectures than the model's.
    pub foreign: usize,
    /// Changes that change nothing on this architecture, left out of the figures.
    pub idle: usize,
    /// The files of the model.
    pub sources: Sources,
}

/// One small change of a model.
#[derive(Clone, Debug)]
pub struct Part {
    /// What is changed.
    pub kind: Kind,
    /// The text that it is about.
    pub span: Span,
    /// Who notices.
    pub noticed: Noticed,
    /// A generated test that would.
    pub suggestion: Option<Generated>,
}

/// Who notices a change of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Noticed {
    /// A test, by name.
    By(String),
    /// The model does not work without this part.
    ByModel,
    /// Nobody.
    Not,
}

impl Coverage {
    /// Parts that a test or the model notices, and all of them.
    pub fn figures(&self) -> (usize, usize) {
        let covered = self.parts.iter().filter(|part| part.noticed != Noticed::Not).count();
        (covered, self.parts.len())
    }
}

/// What changes of tests are looked for.
pub struct Suggest {
    /// What the tests are made of.
    pub vocabulary: Vocabulary,
    /// The sizes of their cycles.
    pub sizes: (usize, usize),
}

/// Changes a model in every small way and asks which of the tests notice.
///
/// # Errors
/// The model is wrong: what it says of the first test.
pub fn coverage(
    settings: &Settings,
    model: &str,
    inputs: &[Input],
    jobs: usize,
    suggest: Option<&Suggest>,
) -> Result<Coverage, Box<Report>> {
    let base = Session::new(settings.clone());
    let Begun { asking, tests, unanswered, foreign, idle, sources } = begin(&base, model, inputs, jobs)?;
    let mut noticed = vec![Noticed::Not; asking.changes.len()];
    let mut open: Vec<usize> = (0..noticed.len()).collect();
    rounds(
        tests.len(),
        jobs,
        &mut open,
        |test, open| asking.noticed(&tests[test], open, Asks::Outcomes),
        |change, test, seen| {
            noticed[change] = match seen {
                Seen::Other => Noticed::By(tests[test].name.clone()),
                Seen::NoAnswer => Noticed::ByModel,
            }
        },
    );
    let answered = tests.len();
    drop(tests);
    let mut suggestions = vec![None; noticed.len()];
    if let Some(suggest) = suggest {
        asking.suggest(suggest, jobs, &mut open, &mut suggestions);
    }
    let parts = asking.changes.iter().zip(noticed).zip(suggestions);
    let parts = parts.map(|((change, noticed), suggestion)| Part {
        kind: change.mutation.kind,
        span: change.mutation.span,
        noticed,
        suggestion,
    });
    let parts = parts.collect();
    Ok(Coverage { parts, tests: answered, unanswered, foreign, idle, sources })
}

/// All that is there before the first test is asked.
pub(super) struct Begun<'a> {
    pub asking: Asking<'a>,
    /// Tests that the model has an answer for.
    pub tests: Vec<Asked>,
    unanswered: Vec<Report>,
    foreign: usize,
    idle: usize,
    sources: Sources,
}

/// Runs all tests under the model, and makes all changes of it.
pub(super) fn begin<'a>(
    base: &'a Session,
    model: &'a str,
    inputs: &[Input],
    jobs: usize,
) -> Result<Begun<'a>, Box<Report>> {
    let Some((settings, sources, changes)) = changes(base.settings(), model) else {
        let nothing =
            Input::Text { name: model.to_string(), text: Arc::from("X86 empty\n{}\n P0 ;\nexists (true)\n") };
        return Err(Box::new(base.run(inputs.first().unwrap_or(&nothing), Some(model))));
    };
    let mut tests = Vec::new();
    let mut unanswered = Vec::new();
    let mut foreign = 0;
    in_order(
        inputs.len(),
        jobs,
        |at| Asked::new(base, model, &inputs[at]),
        |_, asked| {
            match asked {
                Ok(asked) => tests.push(asked),
                Err(report) if report.other_arch => foreign += 1,
                Err(report) => unanswered.push(*report),
            }
            true
        },
    );
    // Who is told that a test notices would rather look at a small one.
    tests.sort_by_key(|test| test.size);
    let arch = tests.first().map(|test| test.arch);
    let prepared = |settings: &Settings| Some(prepare_model(settings, model, arch?).ok()?.model);
    let own = prepared(&settings);
    let mut changed = Vec::new();
    let mut idle = 0;
    in_order(
        changes.len(),
        jobs,
        |at| {
            let (path, mutation) = &changes[at];
            let settings = with_change(&settings, &sources, path, mutation);
            let other = prepared(&settings);
            if let (Some(own), Some(other), false) = (&own, &other, mutation.in_function)
                && same(own, other)
            {
                return None;
            }
            Some(Change { session: Session::new(settings), model: other, mutation: mutation.clone() })
        },
        |_, change| {
            idle += usize::from(change.is_none());
            changed.extend(change);
            true
        },
    );
    let asking = Asking::new(base, model, &settings.variants, (own, arch), changed);
    Ok(Begun { asking, tests, unanswered, foreign, idle, sources })
}

/// The settings with what belongs to the model, its files, and all small changes of them.
type Changes = (Settings, Sources, Vec<(PathBuf, Mutation)>);

fn changes(settings: &Settings, model: &str) -> Option<Changes> {
    let (mut sources, mut diagnostics) = (Sources::new(), Diagnostics::new());
    let mut loader = settings.loader();
    let loaded = loader.model(&mut sources, model, &mut diagnostics).ok()?;
    let settings = with_companions(settings, &sources, &loaded.main);
    let arch = loaded.main.header.first().and_then(|word| super::load::model_arch(word));
    let (bell_file, bell) =
        open_bell(&settings, &mut loader, &loaded.stdlib, &mut sources, &mut diagnostics).ok()?;
    let variants: Variants = settings.variants.iter().copied().collect();
    let names = predefined(arch, &variants, bell.as_ref());
    let input = LowerInput {
        bell: bell_file.as_deref(),
        library: Some(&loaded.stdlib),
        variants,
        purpose: crate::cat::lower::Purpose::CheckFragment,
        ..LowerInput::new(&loaded.main, model, names)
    };
    // Lowering opens all that the model includes.
    lower(input, &mut Includes(&mut loader), &mut sources, &mut diagnostics).ok()?;
    let mut found = Vec::new();
    let mut seen = BTreeMap::new();
    for number in 0..sources.len() {
        let id = SourceId(number as u32);
        let name = sources.get(id).name.clone();
        let place = PathBuf::from(name.strip_prefix(LIBRARY).unwrap_or(&name));
        let shared = |file: &str| place.file_name().is_some_and(|own| own == file);
        let cat = place.extension().is_some_and(|extension| extension == "cat") || id == loaded.main.source;
        if !cat
            || shared("stdlib.cat")
            || shared("cos.cat")
            || shared("cross.cat")
            || seen.insert(name.clone(), ()).is_some()
        {
            continue;
        }
        let Ok(file) = crate::cat::parse(&sources, id, &mut diagnostics) else { continue };
        found.extend(mutations(&file).into_iter().map(|mutation| (place.clone(), mutation)));
    }
    Some((settings, sources, found))
}

/// The settings, reading the changed file in place of its own.
fn with_change(settings: &Settings, sources: &Sources, path: &Path, mutation: &Mutation) -> Settings {
    let text = mutation.edit.apply(&sources.get(mutation.span.source).text);
    let files = Arc::new(Overlay { below: Arc::clone(&settings.files), path: path.to_path_buf(), text });
    Settings { files, ..settings.clone() }
}

/// One file in the place of another, or where there was none.
#[derive(Debug)]
struct Overlay {
    below: Arc<dyn Files>,
    path: PathBuf,
    text: String,
}

impl Files for Overlay {
    fn read(&self, path: &Path, most: u64) -> std::io::Result<Option<Vec<u8>>> {
        if path == self.path { Ok(Some(self.text.clone().into_bytes())) } else { self.below.read(path, most) }
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.below.is_folder(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path == self.path || self.below.is_file(path)
    }
}
