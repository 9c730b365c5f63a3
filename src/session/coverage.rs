//! Which parts of a model do tests notice? The model is changed a little in every way there is; a part is covered if some test has other
//! outcomes without it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::load::{Includes, prepare_model, with_companions};
use super::models::{open_bell, predefined};
use super::touched::Groups;
use super::{Asked, Input, Report, Session, Settings, in_order};
use crate::cat::load::LIBRARY;
use crate::cat::lower::{LowerInput, lower};
use crate::cat::mutate::{Kind, Mutation, mutations};
use crate::diag::Diagnostics;
use crate::files::Files;
use crate::generate::{Generated, Vocabulary};
use crate::model::same;
use crate::outcome::StateStyle;
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
    let Some((settings, sources, changes)) = changes(settings, model) else {
        let nothing =
            Input::Text { name: model.to_string(), text: Arc::from("X86 empty\n{}\n P0 ;\nexists (true)\n") };
        return Err(Box::new(base.run(inputs.first().unwrap_or(&nothing), Some(model))));
    };
    let (mut known, mut tests) = (Vec::new(), Vec::new());
    let mut unanswered = Vec::new();
    let mut foreign = 0;
    let mut arch = None;
    in_order(
        inputs.len(),
        jobs,
        |at| (base.run(&inputs[at], Some(model)), at),
        |_, (report, at)| {
            match answer(&report) {
                Some(answer) => {
                    arch = arch.or(report.arch);
                    // A test with variants of its own is run under a model of its own.
                    let lowered = report.answer.as_ref().map(|answer| answer.test.clone());
                    let lowered = lowered.filter(|test| test.variants == settings.variants);
                    known.push((&inputs[at], report.title().to_string(), answer));
                    tests.push(lowered);
                }
                None if report.other_arch => foreign += 1,
                None => unanswered.push(report),
            }
            true
        },
    );
    let prepared = |settings: &Settings| prepare_model(settings, model, arch?).ok();
    let own = prepared(&settings);
    let unroll = settings.explore.unroll;
    let groups = own.as_ref().map(|own| Groups::new(&own.model, unroll, tests.iter().map(Option::as_ref)));
    drop(tests);
    // Who noticed something before is asked first.
    let lately = AtomicUsize::new(0);
    let mut parts = Vec::new();
    let mut idle = 0;
    in_order(
        changes.len(),
        jobs,
        |at| {
            let (path, mutation) = &changes[at];
            let changed = with_change(&settings, &sources, path, mutation);
            let other = if mutation.in_function { None } else { prepared(&changed) };
            if let (Some(own), Some(other)) = (&own, &other)
                && same(&own.model, &other.model)
            {
                return None;
            }
            let other = other.as_ref().map(|other| &other.model);
            let may_notice = groups.as_ref().map(|groups| groups.may_notice(other));
            let changed = Session::new(changed);
            let mut noticed = Noticed::Not;
            let first = lately.load(Ordering::Relaxed);
            let order = known.iter().enumerate().skip(first).chain(known.iter().enumerate().take(first));
            let order = order.filter(|(number, _)| may_notice.as_ref().is_none_or(|may| may(*number)));
            for (number, (input, name, before)) in order {
                match answer(&changed.run(input, Some(model))) {
                    None => noticed = Noticed::ByModel,
                    Some(after) if after != *before => {
                        noticed = Noticed::By(name.clone());
                        lately.store(number, Ordering::Relaxed);
                    }
                    Some(_) => continue,
                }
                break;
            }
            let suggestion = match (&noticed, suggest) {
                (Noticed::Not, Some(suggest)) => suggestion(&base, &changed, model, suggest),
                _ => None,
            };
            Some(Part { kind: mutation.kind, span: mutation.span, noticed, suggestion })
        },
        |_, part| {
            idle += usize::from(part.is_none());
            parts.extend(part);
            true
        },
    );
    Ok(Coverage { parts, tests: known.len(), unanswered, foreign, idle, sources })
}

/// The smallest test that tells a model from the changed one.
fn suggestion(base: &Session, changed: &Session, model: &str, suggest: &Suggest) -> Option<Generated> {
    let dialect = suggest.vocabulary.dialect;
    let asked = |session| Asked { session, model: model.to_string(), dialect };
    let found = super::separate::first(&[asked(base), asked(changed)], &suggest.vocabulary, suggest.sizes)?;
    found.test(dialect)
}

/// All that a test's answer is made of; `None`: it has none.
fn answer(report: &Report) -> Option<(BTreeSet<String>, BTreeSet<String>, bool)> {
    let answer = report.answer.as_ref()?;
    let outcome = answer.outcome.as_ref()?;
    let style = StateStyle::default();
    let states =
        outcome.states.keys().map(|state| crate::outcome::format_state(&state, &answer.test, &style));
    Some((states.collect(), outcome.flags.clone(), outcome.undefined))
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
