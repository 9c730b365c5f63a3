//! Models by themselves: checked without a test.

use std::sync::Arc;

use super::Settings;
use super::load::{Includes, model_arch, suggest_bell, with_companions};
use crate::arch::{self, ArchId};
use crate::cat::load::LIBRARY;
use crate::cat::lower::{Bell, LowerInput, Predefined, Purpose, lower, read_bell};
use crate::cat::{Loader, ast, parse};
use crate::diag::{Diagnostic, Diagnostics, Reported};
use crate::generate::Words;
use crate::model::{ExprId, Model, Vacuous, vacuous};
use crate::source::{Sources, Span};
use crate::variant::Variants;

/// A model that was looked at.
#[derive(Debug)]
pub struct CheckedModel {
    /// The file, as messages name it.
    pub file: String,
    /// The architecture it was lowered for; `None`: for all of them at once.
    pub arch: Option<ArchId>,
    /// The lowered model, if there is no error.
    pub model: Option<Model>,
    /// Names that nothing binds: an including model, or an architecture, would have to.
    pub unbound: Vec<(String, Span)>,
    /// What was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The files it came from.
    pub sources: Sources,
}

/// Parses, resolves and lowers a model, for an architecture or for the one that its header names. `fragments`: names that
/// nothing binds are collected, not reported.
pub fn check_model(settings: &Settings, name: &str, arch: Option<ArchId>, fragments: bool) -> CheckedModel {
    let mut checked = CheckedModel {
        file: name.to_string(),
        arch,
        model: None,
        unbound: Vec::new(),
        diagnostics: Vec::new(),
        sources: Sources::new(),
    };
    let mut diagnostics = Diagnostics::new();
    // A failure is among the diagnostics.
    let _ = check(settings, name, fragments, &mut checked, &mut diagnostics);
    checked.diagnostics = diagnostics.take();
    checked
}

fn check(
    settings: &Settings,
    name: &str,
    fragments: bool,
    checked: &mut CheckedModel,
    diagnostics: &mut Diagnostics,
) -> Result<(), Reported> {
    let sources = &mut checked.sources;
    let mut loader = settings.loader();
    let loaded = loader.model(sources, name, diagnostics)?;
    checked.file = sources.get(loaded.main.source).name.clone();
    let settings = &with_companions(settings, sources, &loaded.main);
    let header = loaded.main.header.first().and_then(|word| model_arch(word));
    checked.arch = checked.arch.or(header);
    let (bell_file, bell) = open_bell(settings, &mut loader, &loaded.stdlib, sources, diagnostics)?;
    let variants: Variants = settings.variants.iter().copied().collect();
    let mut names = predefined(checked.arch, &variants, bell.as_ref());
    names.add_sets(foreign_sets(&loaded.main.header));
    let input = LowerInput {
        bell: bell_file.as_deref(),
        library: Some(&loaded.stdlib),
        foreign_library: !sources.get(loaded.stdlib.source).name.starts_with(LIBRARY),
        variants,
        skip_checks: settings.explore.skip_checks.iter().cloned().collect(),
        purpose: if fragments { Purpose::CheckFragment } else { Purpose::Check },
        ..LowerInput::new(&loaded.main, name, names)
    };
    let lowered = lower(input, &mut Includes(&mut loader), sources, diagnostics);
    if lowered.is_err() && bell.is_none() {
        suggest_bell(&checked.file, &*settings.files, diagnostics);
    }
    let lowered = lowered?;
    // Of a model for all architectures a check may say nothing on one of them.
    if checked.arch == header {
        for check in vacuous(&lowered.model) {
            diagnostics.warn(never_violated(&check));
        }
    }
    checked.model = Some(lowered.model);
    checked.unbound = lowered.unbound.iter().map(|ident| (ident.name.to_string(), ident.span)).collect();
    Ok(())
}

/// The remark on a check that says nothing.
pub(super) fn never_violated(check: &Vacuous) -> Diagnostic {
    let what =
        check.name.as_ref().map_or_else(|| "this check".to_string(), |name| format!("the check `{name}`"));
    Diagnostic::warning("question::axiom", format!("no execution of any test can violate {what}"))
        .at(check.span, check.why)
}

/// The value of a name at the start of a model, after the standard library: the model `show NAME as it`, lowered for an architecture. `None`: the
/// name has no value there.
pub fn lower_name(settings: &Settings, name: &str, arch: ArchId) -> Option<(Model, ExprId)> {
    let (mut sources, mut diagnostics) = (Sources::new(), Diagnostics::new());
    let mut loader = settings.loader();
    let stdlib = loader.open(&mut sources, "stdlib.cat", None, &mut diagnostics, None).ok()?;
    let source = sources.add("name.cat", format!("show {name} as it"));
    let file = parse(&sources, source, &mut diagnostics).ok()?;
    let (bell_file, bell) = open_bell(settings, &mut loader, &stdlib, &mut sources, &mut diagnostics).ok()?;
    let variants: Variants = settings.variants.iter().copied().collect();
    let names = predefined(Some(arch), &variants, bell.as_ref());
    let input = LowerInput {
        bell: bell_file.as_deref(),
        library: Some(&stdlib),
        variants,
        ..LowerInput::new(&file, "name", names)
    };
    let lowered = lower(input, &mut Includes(&mut loader), &mut sources, &mut diagnostics).ok()?;
    let (_, value) = lowered.model.shown.iter().find(|(label, _)| label == "it")?;
    let value = *value;
    Some((lowered.model, value))
}

/// The bell file of the settings, parsed, and its declarations.
pub(super) fn open_bell(
    settings: &Settings,
    loader: &mut Loader,
    stdlib: &ast::File,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Result<(Option<Arc<ast::File>>, Option<Bell>), Reported> {
    let Some(name) = &settings.bell else { return Ok((None, None)) };
    let file = loader.open(sources, name, None, diagnostics, None)?;
    let bell = read_bell(&file, Some(stdlib), &mut Includes(loader), sources, diagnostics)?;
    Ok((Some(file), Some(bell)))
}

/// More ways to annotate an instruction than these make more tests than anybody looks at.
const ANNOTATIONS: usize = 24;

/// How the bell file of the settings lets instructions be annotated, for tests that are generated; without one: not at all.
///
/// # Errors
/// The file is wrong: what is.
pub fn bell_words(settings: &Settings) -> Result<&'static Words, Box<CheckedModel>> {
    let Some(name) = &settings.bell else { return Ok(&Words::NONE) };
    let (mut sources, mut diagnostics) = (Sources::new(), Diagnostics::new());
    let mut loader = settings.loader();
    let bell = loader
        .open(&mut sources, "stdlib.cat", None, &mut diagnostics, None)
        .and_then(|stdlib| open_bell(settings, &mut loader, &stdlib, &mut sources, &mut diagnostics));
    let Ok((_, Some(bell))) = bell else {
        return Err(Box::new(CheckedModel {
            file: name.clone(),
            arch: None,
            model: None,
            unbound: Vec::new(),
            diagnostics: diagnostics.take(),
            sources,
        }));
    };
    // Tags as they are declared: the first of an enumeration is the plainest.
    let declared = |tag: &&String| bell.enums.iter().flat_map(|(_, tags)| tags).position(|of| of == *tag);
    // With the default, or with nothing at all, an instruction is plain.
    let annotations = |kind: &str| -> Vec<String> {
        let plain = bell.default_of(kind).is_some() || bell.allows(kind, &[]);
        let lists = bell.instructions.iter().filter(|(of, lists)| of == kind && !lists.is_empty());
        let ways = lists.flat_map(|(_, lists)| {
            lists.iter().fold(vec![String::new()], |before, tags| {
                let comma = |before: &str| if before.is_empty() { "" } else { "," };
                let with = |tag: &String| -> Vec<String> {
                    before.iter().map(|before| format!("{before}{}{tag}", comma(before))).collect()
                };
                let mut tags: Vec<&String> = tags.iter().collect();
                tags.sort_by_key(declared);
                tags.into_iter().flat_map(with).take(ANNOTATIONS).collect()
            })
        });
        plain.then(String::new).into_iter().chain(ways).take(ANNOTATIONS).collect()
    };
    let accesses = |kind: &str| match annotations(kind) {
        none if none.is_empty() => vec![String::new()],
        some => some,
    };
    let fences = annotations("F").into_iter().filter(|fence| !fence.is_empty()).collect();
    Ok(Words::new(accesses("R"), accesses("W"), annotations("RMW").into_iter().next(), fences))
}

/// The sets of architectures that have models, but no tests here.
fn foreign_sets(header: &[String]) -> impl Iterator<Item = &'static str> {
    let sets: &[&str] = match header.first().map(String::as_str) {
        Some("BPF") => &["SC", "AQ", "RL"],
        Some("ASL") => &["ASLLocal", "WPC"],
        Some("JAVA" | "Java") => &["RMW", "REL", "ACQ", "RA", "V", "O"],
        _ => &[],
    };
    sets.iter().copied()
}

/// The names bound before a model starts, on an architecture or on any.
pub(super) fn predefined(arch: Option<ArchId>, variants: &Variants, bell: Option<&Bell>) -> Predefined {
    let mut predefined = Predefined::new(variants);
    let archs = arch.map_or(ArchId::ALL.to_vec(), |arch| vec![arch]);
    for arch in archs {
        predefined.add_sets(arch::conventions(arch).sets.iter().map(String::as_str));
    }
    if let Some(bell) = bell {
        predefined.add_sets(bell.sets().iter().map(String::as_str));
        predefined.add_relations(bell.relations().iter().map(String::as_str));
    }
    predefined
}
