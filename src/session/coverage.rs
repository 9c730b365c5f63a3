//! Which parts of a model do tests notice? The model is changed a little in every way there is; a part is covered if some test has other
//! outcomes without it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::load::{Includes, ModelKey, with_companions};
use super::models::{open_bell, predefined};
use super::notice::{Asked, Asking, Asks, Change, Seen, rounds};
use super::{Input, Report, Session, Settings, in_order};
use crate::cat::load::LIBRARY;
use crate::cat::lower::{LowerInput, lower};
use crate::cat::mutate::{Kind, Mutation, mutations};
use crate::diag::Diagnostics;
use crate::files::Files;
use crate::generate::{Generated, Vocabulary};
use crate::source::{SourceId, Sources, Span};
use crate::variant::{Variant, Variants};

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
    /// Changes that change nothing for tests of these kinds, left out of the figures.
    pub idle: Vec<Idle>,
    /// Generated tests were looked for up to this size.
    pub suggested: Option<usize>,
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

/// A change that makes no other model: the part is not there on the architecture, or not without a variant.
#[derive(Clone, Debug)]
pub struct Idle {
    /// What is changed.
    pub kind: Kind,
    /// The text that it is about.
    pub span: Span,
    /// A variant that brings it in, if one does.
    pub needs: Option<Variant>,
}

/// Who notices a change of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Noticed {
    /// A test, by name.
    By(String),
    /// The model does not work without this part.
    ByModel,
    /// Nobody. Some test has what the part is about, but no outcome hangs on it.
    Not,
    /// Nobody can: no test has what the part is about, as far as was looked.
    Absent,
}

impl Noticed {
    /// Does a test, or the model, notice?
    pub fn is_noticed(&self) -> bool {
        matches!(self, Noticed::By(_) | Noticed::ByModel)
    }
}

impl Coverage {
    /// Parts that a test or the model notices, and all of them.
    pub fn figures(&self) -> (usize, usize) {
        let covered = self.parts.iter().filter(|part| part.noticed.is_noticed()).count();
        (covered, self.parts.len())
    }

    /// Parts that no test has anything of.
    pub fn absent(&self) -> usize {
        self.parts.iter().filter(|part| part.noticed == Noticed::Absent).count()
    }
}

/// What changes of tests are looked for.
pub struct Suggest {
    /// What the tests are made of.
    pub vocabulary: Vocabulary,
    /// The sizes of their cycles.
    pub sizes: Sizes,
}

/// Sizes of cycles: from one to another, and further as long as there are few.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The smallest.
    pub from: usize,
    /// The largest that is looked at in any case.
    pub to: usize,
    /// The largest.
    pub further: usize,
    /// So many tests are few.
    pub few: usize,
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
    let begun = begin(&base, model, inputs, jobs)?;
    let Begun { changes, tests, .. } = &begun;
    let mut noticed = vec![Noticed::Absent; changes.len()];
    let mut differs = vec![false; changes.len()];
    for (key, members) in begun.kinds() {
        let open: Vec<usize> = (0..changes.len()).filter(|change| !noticed[*change].is_noticed()).collect();
        let asking = Asking::new(&base, model, changes, key, &open, jobs);
        let mut open = asking.differ.clone();
        open.iter().for_each(|change| differs[*change] = true);
        rounds(
            members.len(),
            jobs,
            &mut open,
            |test, open| asking.noticed(members[test], open, Asks::Outcomes),
            |change, test, seen| {
                noticed[change] = match seen {
                    Seen::Other => Noticed::By(members[test].name.clone()),
                    Seen::NoAnswer => Noticed::ByModel,
                }
            },
        );
        for change in open.into_iter().filter(|change| asking.is_in_force(*change)) {
            noticed[change] = Noticed::Not;
        }
    }
    let mut suggestions = vec![None; changes.len()];
    let suggested = suggest.zip(begun.plain(settings, model)).map(|(suggest, key)| {
        let unnoticed = |change: &usize| !noticed[*change].is_noticed();
        let open: Vec<usize> = (0..changes.len()).filter(unnoticed).collect();
        let asking = Asking::new(&base, model, changes, &key, &open, jobs);
        asking.suggest(suggest, jobs, &mut asking.differ.clone(), &mut suggestions)
    });
    let needs = |change: usize| begun.needs(&base, settings, model, change);
    let mut idle = Vec::new();
    let still: Vec<usize> = (0..changes.len()).filter(|change| !differs[*change]).collect();
    in_order(
        still.len(),
        jobs,
        |at| needs(still[at]),
        |at, needs| {
            let Mutation { kind, span, .. } = changes[still[at]].mutation;
            idle.push(Idle { kind, span, needs });
            true
        },
    );
    let parts = changes.iter().zip(noticed).zip(suggestions).zip(differs);
    let parts = parts.filter(|(_, differs)| *differs).map(|(((change, noticed), suggestion), _)| Part {
        kind: change.mutation.kind,
        span: change.mutation.span,
        noticed,
        suggestion,
    });
    let (parts, tests) = (parts.collect(), tests.len());
    let Begun { unanswered, foreign, sources, .. } = begun;
    Ok(Coverage { parts, tests, unanswered, foreign, idle, suggested, sources })
}

/// All that is there before the first test is asked.
pub(super) struct Begun {
    pub changes: Vec<Change>,
    /// Tests that the model has an answer for.
    pub tests: Vec<Asked>,
    unanswered: Vec<Report>,
    foreign: usize,
    sources: Sources,
}

impl Begun {
    /// The tests by the model that they are run under: variants of their own make it another one. Those without any come first.
    pub fn kinds(&self) -> Vec<(&ModelKey, Vec<&Asked>)> {
        let mut kinds: Vec<(&ModelKey, Vec<&Asked>)> = Vec::new();
        for test in &self.tests {
            match kinds.iter_mut().find(|(key, _)| **key == test.key) {
                Some((_, members)) => members.push(test),
                None => kinds.push((&test.key, vec![test])),
            }
        }
        kinds.sort_by_key(|(key, _)| key.variants.len());
        kinds
    }

    /// The model for tests that name no variant, on the architecture of those that there are.
    fn plain(&self, settings: &Settings, model: &str) -> Option<ModelKey> {
        let arch = self.tests.first()?.key.arch;
        let variants = settings.variants.iter().copied().collect();
        Some(ModelKey { model: Some(model.to_string()), arch, variants, single_copy: false })
    }

    /// A variant that the model asks for, and under which the change makes another model.
    fn needs(&self, base: &Session, settings: &Settings, model: &str, change: usize) -> Option<Variant> {
        let key = self.plain(settings, model)?;
        let source = self.changes[change].mutation.span.source;
        let text = self.sources.get(source).text.to_ascii_lowercase();
        let asked = Variant::names().filter(|name| text.contains(&format!("\"{name}\"")));
        asked.filter_map(Variant::parse).find(|variant| {
            let mut key = key.clone();
            key.variants.insert(*variant);
            self.changes[change].changes_anything(base, &key)
        })
    }
}

/// Runs all tests under the model, and makes all changes of it.
pub(super) fn begin(
    base: &Session,
    model: &str,
    inputs: &[Input],
    jobs: usize,
) -> Result<Begun, Box<Report>> {
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
    let changes = changes.into_iter().map(|(path, mutation)| Change {
        session: Session::new(with_change(&settings, &sources, &path, &mutation)),
        mutation,
    });
    let changes = changes.collect();
    Ok(Begun { changes, tests, unanswered, foreign, sources })
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
