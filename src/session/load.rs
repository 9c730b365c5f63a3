//! From files to a model and a test: the adapter to the front ends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::annotations;
use super::models::{never_violated, open_bell, predefined};
use super::{Settings, rules, trees, unreadable};
use crate::arch::c::{Macros, locks};
use crate::arch::{self, ArchId};
use crate::cat::lower::{Bell, Files, LowerInput, Predefined, Purpose};
use crate::cat::{self, Loader, ast, library};
use crate::diag::{Diagnostic, Diagnostics, Remedy, Reported, nearest};

use crate::limits::{self, Stopped};
use crate::litmus::{self, LowerOptions, Lowered, Test};
use crate::mapping::{self, Mapping};
use crate::model::{CheckKind, Model, Step, vacuous};
use crate::program::Program;
use crate::source::{Sources, Span};
use crate::variant::{Variant, Variants};

/// Where a test comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Input {
    /// A file.
    File(PathBuf),
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
            Input::Text { name, .. } => name.clone(),
        }
    }

    pub(super) fn text(&self, files: &dyn crate::files::Files) -> Result<Arc<str>, Diagnostic> {
        let bytes = match self {
            Input::Text { text, .. } => return Ok(Arc::clone(text)),
            Input::File(path) => match files.read(path, limits::MAX_TEXT) {
                Ok(Some(bytes)) => Ok(bytes),
                Ok(None) if files.is_folder(path) => Err(std::io::ErrorKind::IsADirectory.into()),
                Ok(None) => Err(std::io::ErrorKind::NotFound.into()),
                Err(error) => Err(error),
            },
        };
        match bytes {
            Ok(bytes) if bytes.contains(&0) => {
                let message = format!("`{}` is not a text file: it holds a NUL byte", self.name());
                Err(Diagnostic::error("file::not-text", message))
            }
            Ok(bytes) => Ok(crate::files::text(&bytes)),
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
    /// All variants in force.
    pub variants: Variants,
    /// Is every aligned access single-copy atomic, whatever the model says?
    pub single_copy: bool,
}

/// A model ready for tests of one architecture.
#[derive(Debug)]
pub struct Prepared {
    /// Its name, as asked for or by default.
    pub name: String,
    /// The architecture that its header names, if it names one.
    pub arch: Option<ArchId>,
    /// The lowered model.
    pub model: Model,
    /// The declarations of the bell file.
    pub bell: Option<Bell>,
    /// The functions of the `.def` file.
    pub macros: Arc<Macros>,
    /// The variants asked for and those that the model brings along, in order; not those of a test.
    pub variants: Vec<Variant>,
    /// The variants that anything of it asks about: under others it is the same.
    pub asks: Variants,
    /// Checks that are left out, by name.
    pub skipped: Vec<String>,
    /// What was remarked while loading.
    pub warnings: Vec<Diagnostic>,
    /// The files it came from.
    pub sources: Arc<Sources>,
    /// What has been read of them.
    pub loader: Loader,
}

/// A model that could not be loaded.
#[derive(Debug)]
pub struct Failure {
    /// Why.
    pub diagnostics: Vec<Diagnostic>,
    /// The files the reasons point into.
    pub sources: Arc<Sources>,
    /// Is it for another architecture than the test's? Then that is the reason: names it needs are not there.
    pub other_arch: bool,
}

impl Failure {
    /// It takes too long, or too much.
    pub fn stopped(why: Stopped) -> Failure {
        let diagnostics = vec![Diagnostic::stopped(why, "while the model was loaded")];
        Failure { diagnostics, sources: Arc::default(), other_arch: false }
    }
}

/// Reads and parses a test; what is wrong with it goes to `diagnostics`.
pub(super) fn parse(
    input: &Input,
    files: &dyn crate::files::Files,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Test> {
    let text = match input.text(files) {
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
            let name = input.name();
            let other = other_kind(&name, &sources.get(source).text);
            for error in errors {
                diagnostics.error(match &other {
                    Some(way_on) if error.remedy == Some(Remedy::OtherCommand) => error.help(way_on),
                    _ => error,
                });
            }
            None
        }
    }
}

/// What to do with a file that is no test, as its first line or its name tells.
fn other_kind(name: &str, text: &str) -> Option<String> {
    let first = text.trim_start().trim_start_matches('#').trim_start();
    let directives = ["include", "define", "ifdef", "ifndef", "pragma"];
    let is_c = text.trim_start().starts_with('#') && directives.iter().any(|word| first.starts_with(word));
    match Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        extension if is_c && !["c", "h"].contains(&extension) => Some(format!(
            "`litmus verify` reads C programs: `litmus verify {name}`; a test starts with a line `C NAME`"
        )),
        "cat" => Some(format!(
            "a `.cat` file is a model: `litmus model check {name}`, or `-m {name}` to run tests under it"
        )),
        "c" | "h" => Some(format!(
            "`litmus verify` reads C programs: `litmus verify {name}`; a test starts with a line `C NAME`"
        )),
        "bell" => Some(format!("a `.bell` file goes with a model: `--bell {name}`")),
        "def" => Some(format!("a `.def` file has macros of C tests: `--macros {name}`")),
        "cfg" => Some(format!("a `.cfg` file has options of herd7: `--conf {name}`")),
        _ => None,
    }
}

/// What the model of this test depends on.
pub(super) fn key(settings: &Settings, model: Option<&str>, test: &Test) -> ModelKey {
    // What is wrong with its own has been said before.
    let own = litmus::variants(test).unwrap_or_default();
    // What the caches do by themselves; a model asks for it as for a variant.
    let caches = test.info("CacheType").map_or("", |info| info.value.as_str()).split_whitespace();
    // Instructions that need not be thrown out of their cache need not be cleaned from the other one either.
    let caches = caches.flat_map(|word| match word.eq_ignore_ascii_case("dic") {
        true => vec![Variant::Dic, Variant::Idc],
        false => vec![Variant::Idc],
    });
    let variants = settings.variants.iter().copied().chain(own).chain(caches).collect();
    ModelKey { model: model.map(str::to_string), arch: test.arch, variants, single_copy: false }
}

/// Loads and lowers a model.
pub(super) fn prepare(settings: &Settings, key: &ModelKey) -> Result<Prepared, Failure> {
    prepare_after(None, settings, key)
}

/// Likewise, after a model of the same settings: what was read for that one need not be read again.
pub(super) fn prepare_after(
    other: Option<&Prepared>,
    settings: &Settings,
    key: &ModelKey,
) -> Result<Prepared, Failure> {
    let shared = other.map(|other| other.model.shared.clone()).unwrap_or_default();
    // What is to be said about a file is said where it is read.
    let other = other.filter(|other| other.warnings.is_empty());
    let mut sources = other.map_or_else(Sources::new, |other| (*other.sources).clone());
    let loader = other.map_or_else(|| settings.loader(), |other| other.loader.clone());
    let mut diagnostics = Diagnostics::new();
    let mut arch = None;
    match load_model(settings, loader, key, &mut arch, &mut sources, &mut diagnostics) {
        Ok(mut prepared) => {
            prepared.model.shared = shared;
            prepared.sources = Arc::new(sources);
            prepared.warnings = diagnostics.take();
            Ok(prepared)
        }
        Err(_) => {
            let name = key.model.as_deref().unwrap_or_default();
            let arch = arch.or_else(|| made_for(name)).filter(|_| settings.arch_check);
            let other = same_arch(name, arch, key.arch).err();
            Err(Failure {
                other_arch: other.is_some(),
                diagnostics: other.map_or_else(|| diagnostics.take(), |other| vec![other]),
                sources: Arc::new(sources),
            })
        }
    }
}

/// Loads and lowers a model for programs of an architecture.
///
/// # Errors
/// There is no such model, or it is wrong.
pub fn prepare_model(settings: &Settings, name: &str, arch: ArchId) -> Result<Prepared, Failure> {
    let variants = settings.variants.iter().copied().collect();
    prepare(settings, &ModelKey { model: Some(name.to_string()), arch, variants, single_copy: false })
}

fn load_model(
    settings: &Settings,
    mut loader: Loader,
    key: &ModelKey,
    arch: &mut Option<ArchId>,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Result<Prepared, Reported> {
    let name = match (&key.model, default_model(key.arch)) {
        (Some(name), _) => name.clone(),
        (None, Some(name)) => name,
        (None, None) => {
            let arch = key.arch.name();
            let message = format!("there is no default model for {arch}");
            return Err(diagnostics
                .error(Diagnostic::error("model::no-default", message).help("name a model with -m")));
        }
    };
    let mut variants = key.variants.clone();
    let loaded = loader.model(sources, &name, diagnostics)?;
    *arch = header_arch(&loaded.main);
    let settings = &with_companions(settings, sources, &loaded.main);
    variants.extend(&settings.variants);
    let (bell_file, bell) = open_bell(settings, &mut loader, &loaded.stdlib, sources, diagnostics)?;
    let macros = Arc::new(open_macros(settings, &loader, sources, diagnostics)?);
    let predefined = predefined(Some(key.arch), &variants, bell.as_ref());
    if settings.coherent {
        variants.insert(Variant::CosOpt);
    }
    let rules = match rules::text(settings.coherent, &variants) {
        Some(text) => {
            let source = sources.add("<candidates>", text);
            Some(cat::parse(sources, source, diagnostics)?)
        }
        None => None,
    };
    let after = match key.single_copy {
        true => {
            let source = sources.add("<single-copy>", rules::SINGLE_COPY);
            Some(cat::parse(sources, source, diagnostics)?)
        }
        false => None,
    };
    let input = LowerInput {
        after: after.as_ref(),
        model: &loaded.main,
        file_name: &name,
        rules: rules.as_ref(),
        strict_skip: settings.strict_skip,
        bell: bell_file.as_deref(),
        library: Some(&loaded.stdlib),
        foreign_library: false,
        predefined,
        variants,
        skip_checks: settings.explore.skip_checks.iter().cloned().collect(),
        purpose: Purpose::Run,
    };
    let lowered = cat::lower::lower(input, &mut Includes(&mut loader), sources, diagnostics);
    if lowered.is_err() && bell.is_none() {
        suggest_bell(&sources.get(loaded.main.source).name, &*settings.files, diagnostics);
    }
    let mut lowered = lowered?;
    no_such_checks(settings, &name, &lowered, diagnostics)?;
    // Of a model for all architectures a check may say something on others than this one.
    if settings.strict && header_arch(&loaded.main) == Some(key.arch) {
        for check in vacuous(&lowered.model) {
            diagnostics.warn(never_violated(&check));
        }
    }
    if settings.let_through {
        let own = |name: &Option<String>| name.as_deref() != Some(rules::NAME);
        let rejects =
            |step: &Step| matches!(step, Step::Check { kind: CheckKind::Plain, name, .. } if own(name));
        lowered.model.steps.retain(|step| !rejects(step));
    }
    Ok(Prepared {
        name,
        arch: header_arch(&loaded.main),
        model: lowered.model,
        bell,
        macros,
        variants: settings.variants.clone(),
        asks: loader.asks().into_iter().chain(Predefined::ASKS).chain(rules::ASKS).collect(),
        skipped: lowered.skipped.into_iter().collect(),
        sources: Arc::default(),
        warnings: Vec::new(),
        loader,
    })
}

/// The model of an architecture, where none is asked for.
fn default_model(arch: ArchId) -> Option<String> {
    let name = match arch::isa(arch) {
        Some(isa) => isa.default_model(),
        None if arch == ArchId::C => "c11",
        None => "",
    };
    // By the name that `litmus model list` has.
    let listed = library::entry(&format!("{name}.cat")).and_then(|entry| entry.name.strip_suffix(".cat"));
    (!name.is_empty()).then(|| listed.unwrap_or(name).to_string())
}

/// Refuses to skip checks that the model does not have.
fn no_such_checks(
    settings: &Settings,
    model: &str,
    lowered: &cat::lower::Lowered,
    diagnostics: &mut Diagnostics,
) -> Result<(), Reported> {
    // One that must fail, and is not there, leaves no execution: that is herd7's answer, not a slip.
    if settings.strict_skip {
        return Ok(());
    }
    let names = lowered.model.steps.iter().filter_map(|step| match step {
        Step::Check { name: Some(name), .. } if name != rules::NAME => Some(name),
        _ => None,
    });
    let names: BTreeSet<&String> = names.chain(&lowered.skipped).collect();
    let mut refused = Ok(());
    for wrong in settings.explore.skip_checks.iter().filter(|name| !lowered.skipped.contains(*name)) {
        let message = format!("there is no check `{wrong}` to skip in the model `{model}`");
        let known: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        let help = match (nearest(wrong, known.iter().copied()), known.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "none of its checks has a name".to_string(),
            (None, known) => format!("there are {}", known.join(", ")),
        };
        if settings.skips_are_hints {
            diagnostics.warn(Diagnostic::warning("model::no-such-check", message).help(help));
        } else {
            refused = Err(diagnostics.error(Diagnostic::error("model::no-such-check", message).help(help)));
        }
    }
    refused
}

/// The sets of accesses with memory orders.
pub(super) const ORDERS: [&str; 5] = ["RLX", "ACQ", "REL", "ACQ_REL", "CON"];

/// What a C program asks of a model: locks get a meaning where the model gives them none, and memory orders are refused where it does not look at
/// them.
pub(super) fn fit_c(program: &mut Program, prepared: &Prepared, check: bool) -> Result<(), Diagnostic> {
    let model = &prepared.model;
    // Under sequential consistency no order adds anything.
    let strongest = model.name == "SC";
    if check
        && !strongest
        && let Some(span) = locks::ordered_access(program)
        && !model.looks_at(&ORDERS)
    {
        let name = &prepared.name;
        let message =
            format!("the model `{name}` knows no memory orders: it takes every access for a plain one");
        return Err(Diagnostic::unsupported("model::memory-orders", message)
            .at(span, "this access has an order")
            .help("c11 and rc11 are models of C; sc asks for no orders")
            .help("`--no-arch-check` asks the model all the same"));
    }
    if locks::are_in(program) && !model.looks_at(&locks::SETS) {
        locks::as_accesses(program);
    }
    Ok(())
}

/// The settings with what a model of the library brings along, where the user names nothing else.
pub(super) fn with_companions(settings: &Settings, sources: &Sources, main: &ast::File) -> Settings {
    let mut settings = settings.clone();
    let file = &sources.get(main.source).name;
    let companions = file.strip_prefix(cat::load::LIBRARY).and_then(library::companions);
    if let Some(companions) = companions {
        settings.bell.get_or_insert_with(|| companions.bell.to_string());
        settings.macros.get_or_insert_with(|| companions.macros.to_string());
        if ![Variant::LkmmV1, Variant::LkmmV2].iter().any(|version| settings.variants.contains(version)) {
            settings.variants.push(companions.variant);
        }
    }
    settings
}

/// A name that a model does not have may be declared by the bell file that stands beside it.
pub(super) fn suggest_bell(model: &str, files: &dyn crate::files::Files, diagnostics: &mut Diagnostics) {
    let [bell, cfg] = ["bell", "cfg"].map(|extension| Path::new(model).with_extension(extension));
    if !files.is_file(&bell) {
        return;
    }
    let mut help = format!("a bell file stands beside the model: try `--bell {}`", bell.display());
    if files.is_file(&cfg) {
        help += &format!(", or all that belongs to it: `litmus herd -conf {}`", cfg.display());
    }
    for diagnostic in diagnostics.take() {
        let unknown = diagnostic.remedy == Some(Remedy::OtherFile);
        // Errors and warnings alike: they have been counted already.
        diagnostics.warn(if unknown { diagnostic.help(&help) } else { diagnostic });
    }
}

/// The functions of the `.def` file of the settings.
fn open_macros(
    settings: &Settings,
    loader: &Loader,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Result<Macros, Reported> {
    let mut macros = Macros::new();
    if let Some(name) = &settings.macros {
        let found = loader.find(name, None).map_err(|diagnostic| diagnostics.error(diagnostic))?;
        let source = sources.add(found.name.clone(), Arc::clone(&found.text));
        macros.add(name, source, &found.text).map_err(|diagnostic| diagnostics.error(diagnostic))?;
    }
    Ok(macros)
}

/// Includes are found as models are.
pub(super) struct Includes<'a>(pub(super) &'a mut Loader);

impl Files for Includes<'_> {
    fn open(
        &mut self,
        name: &str,
        from: Option<Span>,
        sources: &mut Sources,
        diagnostics: &mut Diagnostics,
    ) -> Result<Arc<ast::File>, Reported> {
        self.0.open(sources, name, from.map(|span| span.source), diagnostics, from)
    }
}

/// The architecture that a model's header names, if it names one.
fn header_arch(model: &ast::File) -> Option<ArchId> {
    model.header.first().and_then(|word| model_arch(word))
}

/// The architecture that the first word of a model's header names, if it is one.
pub(super) fn model_arch(word: &str) -> Option<ArchId> {
    match word {
        "RISC-V" => Some(ArchId::RiscV),
        _ => ArchId::parse(word),
    }
}

/// The architecture that a model of the library is the one for.
fn made_for(model: &str) -> Option<ArchId> {
    match model {
        "lkmm" => Some(ArchId::C),
        _ => ArchId::ALL.into_iter().find(|arch| default_model(*arch).as_deref() == Some(model)),
    }
}

/// The mapping that makes instructions of an architecture of C.
fn compiled_for(arch: ArchId) -> Option<&'static str> {
    mapping::NAMES.into_iter().find(|name| Mapping::library(name).is_some_and(|known| known.target == arch))
}

/// A model whose header names another architecture than the test's is refused.
pub(super) fn same_arch(name: &str, model: Option<ArchId>, arch: ArchId) -> Result<(), Diagnostic> {
    match model {
        Some(model) if model != arch => Err(Diagnostic::error(
            "model::other-architecture",
            format!("the test is for {}, but the model `{}` is for {}", arch.name(), name, model.name()),
        )
        .help(match (default_model(arch), compiled_for(model)) {
            (_, Some(mapping)) if arch == ArchId::C => format!(
                "a C test runs there once it is compiled: `run --compile-to {mapping}`, `port --compile {mapping}`; \
                 --no-arch-check takes it as it is"
            ),
            (Some(fits), _) if fits != name => {
                format!("`{fits}` is a model for {}; --no-arch-check takes this one all the same", arch.name())
            }
            _ => "name another model, or give --no-arch-check".to_string(),
        })),
        _ => Ok(()),
    }
}

/// Lowers a parsed test. Without a model at hand, the kernel's functions are those of our own `lkmm.def`.
pub(super) fn lower(
    settings: &Settings,
    test: &Test,
    prepared: Option<&Prepared>,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Lowered> {
    let options = match prepared {
        Some(prepared) => {
            LowerOptions { variants: prepared.variants.clone(), macros: Arc::clone(&prepared.macros) }
        }
        None => {
            let loader = settings.loader();
            let macros = open_macros(settings, &loader, sources, diagnostics).ok()?;
            LowerOptions { variants: settings.variants.clone(), macros: Arc::new(macros) }
        }
    };
    let mut result = litmus::lower(test, &options);
    if prepared.is_none() && is_kernel_test(&result) {
        let kernel = Settings { macros: Some("lkmm.def".to_string()), ..settings.clone() };
        let loader = settings.loader();
        let macros = open_macros(&kernel, &loader, sources, diagnostics).ok()?;
        let variants = vec![Variant::LkmmV2];
        result = litmus::lower(test, &LowerOptions { variants, macros: Arc::new(macros) });
    }
    match result {
        Ok(mut lowered) => {
            if !settings.filter {
                lowered.filter = None;
            }
            for warning in lowered.warnings.drain(..) {
                diagnostics.warn(warning);
            }
            if let Some(bell) = prepared.and_then(|prepared| prepared.bell.as_ref()) {
                annotations::check(&mut lowered, bell, diagnostics)?;
                trees::complete(&mut lowered, test, bell, diagnostics)?;
            }
            Some(lowered)
        }
        Err(errors) => {
            for error in once(errors) {
                diagnostics.error(error);
            }
            None
        }
    }
}

/// A test that lacks the kernel's functions lacks all of them: the first says it.
fn once(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let lacking = |error: &Diagnostic| error.remedy == Some(Remedy::KernelFunctions);
    let more = errors.iter().filter(|error| lacking(error)).count().saturating_sub(1);
    if let Some(first) = errors.iter().position(lacking).filter(|_| more > 0) {
        let calls = if more == 1 { "call" } else { "calls" };
        errors[first] = errors[first].clone().note(format!("so are {more} more {calls} in this test"));
        let mut at = 0;
        errors.retain(|error| {
            at += 1;
            at <= first + 1 || !lacking(error)
        });
    }
    errors
}

/// Did a test fail for want of the kernel's functions?
fn is_kernel_test(result: &Result<Lowered, Vec<Diagnostic>>) -> bool {
    matches!(result, Err(errors) if errors.iter().any(|error| error.remedy == Some(Remedy::KernelFunctions)))
}
