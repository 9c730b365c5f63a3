//! `litmus model`.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::arch::ArchId;
use crate::cat::library;
use crate::diag::{self, Class, Severity, nearest};
use crate::litmus::QUESTION;
use crate::report::{self, several};
use crate::session::{CheckedModel, Settings, check_model, lint_model};

use super::args::Reading;
use super::console::Console;
use super::{Done, Exit, Stop, complete, help, model_coverage, model_diff, plan};

#[derive(Args, Debug)]
pub struct ModelArgs {
    #[command(subcommand)]
    pub command: ModelCommand,
}

#[derive(Subcommand, Debug)]
pub enum ModelCommand {
    /// The models that come with the command, a line each
    #[command(after_help = help::MODEL_LIST)]
    List,
    /// Parse, resolve and lower models; report every error
    #[command(after_help = help::MODEL_CHECK)]
    Check {
        /// Models: files, folders, or names of ours
        #[arg(value_name = "MODEL", required = true, add = complete::models())]
        models: Vec<String>,
        /// The files are parts, which other models include: names that nothing binds are counted, not refused
        #[arg(long)]
        parts: bool,
        /// Refuse models with checks that say nothing: warnings `question::…` are errors
        #[arg(long)]
        strict: bool,
        #[command(flatten)]
        reading: Reading,
    },
    /// Tell models apart: the smallest tests that one allows and another forbids
    #[command(after_help = help::MODEL_DIFF)]
    Diff(Box<super::model_diff::ModelDiffArgs>),
    /// What is odd about a model, though not wrong: unused and empty definitions, recursion that is not monotone, operators that bind
    /// otherwise than they look, with --tests also checks that no test needs
    #[command(after_help = help::MODEL_LINT)]
    Lint {
        /// The model
        model: String,
        /// The architecture to lower it for [default: the one in its header]
        #[arg(long, value_name = "ARCH")]
        arch: Option<String>,
        /// Tests that are to need each check
        #[arg(long, value_name = "TEST", num_args = 1..)]
        tests: Vec<String>,
        #[command(flatten)]
        reading: Reading,
    },
    /// Which parts of a model do tests notice?
    #[command(after_help = help::MODEL_COVERAGE)]
    Coverage(Box<super::model_coverage::ModelCoverageArgs>),
    /// Show a model as the tool understood it: definitions, axioms, what is static and what is dynamic
    #[command(after_help = help::MODEL_SHOW)]
    Show {
        /// The model
        model: String,
        /// The architecture to lower it for [default: the one in its header]
        #[arg(long, value_name = "ARCH")]
        arch: Option<String>,
        #[command(flatten)]
        reading: Reading,
    },
}

/// Looks at models.
pub fn model(
    args: &ModelArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    match &args.command {
        ModelCommand::List => {
            write!(out, "{}", report::list_models())?;
            Ok(Exit::Success)
        }
        ModelCommand::Diff(args) => model_diff::diff(args, console, out, err),
        ModelCommand::Coverage(args) => model_coverage::cover(args, console, out, err),
        ModelCommand::Lint { model, arch, tests, reading } => {
            let settings = plan::reading(reading)?.settings;
            let arch = arch.as_deref().map(parse_arch).transpose()?;
            let checked = lint_model(&settings, model, arch);
            let _ = out.write_all(rendered(&checked, console).as_bytes());
            if checked.model.is_none() {
                return Ok(exit_of(&[checked]));
            }
            let unneeded = match model_coverage::unneeded(&settings, model, tests, console, err)? {
                Ok(unneeded) => unneeded,
                Err(exit) => return Ok(exit),
            };
            write!(out, "{unneeded}")?;
            let found = checked.diagnostics.len() + unneeded.lines().count();
            writeln!(
                out,
                "{model}: {}",
                if found == 0 { "nothing odd".to_string() } else { several(found as u64, "remark") }
            )?;
            Ok(if found == 0 { Exit::Success } else { Exit::Failed })
        }
        ModelCommand::Check { models, parts, strict, reading } => {
            let settings = plan::reading(reading)?.settings;
            let mut checked = check_all(&expand(models)?, &settings, *parts);
            if *strict {
                checked.iter_mut().for_each(refuse_questions);
            }
            report_checked(&checked, console, out, err)
        }
        ModelCommand::Show { model, arch, reading } => {
            let settings = plan::reading(reading)?.settings;
            let arch = arch.as_deref().map(parse_arch).transpose()?;
            let checked = check_model(&settings, model, arch, false);
            let _ = err.write_all(rendered(&checked, console).as_bytes());
            let Some(model) = &checked.model else { return Ok(exit_of(&[checked])) };
            write!(out, "{}", report::show_model(model))?;
            match crate::grow::plan(model) {
                Ok(plan) => {
                    write!(out, "(* engines: worlds, grow")?;
                    if !plan.without.is_empty() {
                        write!(out, " (of programs without {})", plan.without.join(", "))?;
                    }
                    if !plan.last.is_empty() {
                        write!(out, "; asked of whole executions only: {}", plan.last.join(", "))?;
                    }
                    if plan.residual {
                        write!(
                            out,
                            "; executions with a cycle of `po` and `rf`, which it may allow: by worlds, where a test may have any"
                        )?;
                    }
                    writeln!(out, " *)")?;
                }
                Err(why) => writeln!(out, "(* engines: worlds; not grow, because {why} *)")?,
            }
            Ok(Exit::Success)
        }
    }
}

/// Checks models. Those that another one includes, and parts of our library, need not bind all names themselves.
fn check_all(names: &[String], settings: &Settings, parts: bool) -> Vec<CheckedModel> {
    let mut all: Vec<CheckedModel> =
        names.iter().map(|name| check_model(settings, name, None, parts)).collect();
    // One file may be named in several ways.
    let place = |name: &String| std::fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    let parts_of = |checked: &CheckedModel| {
        let own = place(&checked.file);
        checked.sources.names().map(place).filter(|name| *name != own).collect::<Vec<_>>()
    };
    let included: BTreeSet<PathBuf> = all.iter().flat_map(parts_of).collect();
    for (checked, name) in all.iter_mut().zip(names) {
        let part = library::entry(name).is_some_and(|entry| entry.kind == library::Kind::Part);
        if checked.model.is_none() && (part || included.contains(&place(&checked.file))) {
            *checked = check_model(settings, name, None, true);
        } else if let (None, Some(unbound)) =
            (&checked.model, checked.diagnostics.iter_mut().rfind(is_unbound))
        {
            unbound
                .notes
                .push("help: if another model includes this file and binds the name: --parts".to_string());
        }
    }
    all
}

/// Makes errors of warnings about what nobody means to say.
fn refuse_questions(checked: &mut CheckedModel) {
    for diagnostic in &mut checked.diagnostics {
        if diagnostic.code.starts_with(QUESTION) {
            diagnostic.severity = Severity::Error;
            checked.model = None;
        }
    }
}

fn is_unbound(diagnostic: &&mut diag::Diagnostic) -> bool {
    diagnostic.remedy == Some(diag::Remedy::OtherFile) && diagnostic.severity == Severity::Error
}

fn report_checked(
    all: &[CheckedModel],
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    for checked in all {
        let _ = err.write_all(rendered(checked, console).as_bytes());
        let shown = &checked.file;
        match &checked.model {
            None => writeln!(out, "{shown}: error")?,
            Some(model) => {
                let arch = checked.arch.map_or("any architecture", |arch| arch.name());
                let steps = several(model.steps.len() as u64, "step");
                writeln!(out, "{shown}: ok ({arch}, {steps}{})", open_names(checked))?;
            }
        }
        if console.verbose > 0 {
            for (name, span) in &checked.unbound {
                let (line, column) = checked.sources.line_column(*span);
                let file = &checked.sources.get(span.source).name;
                writeln!(out, "  {name} ({file}:{line}:{column}) is bound by nothing here")?;
            }
        }
    }
    Ok(exit_of(all))
}

/// What is said of names that nothing binds: a few are named, many counted.
fn open_names(checked: &CheckedModel) -> String {
    let names: Vec<&str> = checked.unbound.iter().map(|(name, _)| name.as_str()).collect();
    match names.as_slice() {
        [] => String::new(),
        few if few.len() <= 4 => format!(", bound by nothing here: {}", few.join(" ")),
        many => format!(", {} names are bound by nothing here: -v lists them", many.len()),
    }
}

/// Folders stand for the models in them.
fn expand(models: &[String]) -> Result<Vec<String>, Stop> {
    let mut names = Vec::new();
    for model in models {
        let path = Path::new(model);
        if !path.is_dir() {
            names.push(model.clone());
            continue;
        }
        let entries = std::fs::read_dir(path)
            .map_err(|error| Stop::Usage(format!("cannot read the folder `{model}`: {error}")))?;
        let mut files: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "cat"))
            .collect();
        if files.is_empty() {
            return Err(Stop::Usage(format!("there is no .cat file in `{model}`")));
        }
        files.sort();
        // As a path, so that it is this file and not one of the same name on the search path.
        names.extend(files.iter().map(|file| {
            match file.is_absolute() || file.starts_with("..") || file.starts_with(".") {
                true => file.display().to_string(),
                false => Path::new(".").join(file).display().to_string(),
            }
        }));
    }
    Ok(names)
}

pub(super) fn rendered(checked: &CheckedModel, console: &Console) -> String {
    let wanted = checked.diagnostics.iter().filter(|d| !console.quiet || d.severity == Severity::Error);
    diag::render_all(wanted, &checked.sources, console.color_err)
}

/// Models that cannot be read are told before any test is put to them.
pub(super) fn unreadable<'m>(
    models: impl IntoIterator<Item = &'m String>,
    settings: &Settings,
    console: &Console,
    err: &mut (dyn Write + Send),
) -> Option<Exit> {
    let checked = models.into_iter().map(|model| check_model(settings, model, None, true));
    let bad: Vec<CheckedModel> = checked.filter(|checked| checked.model.is_none()).collect();
    bad.iter().for_each(|checked| {
        let _ = err.write_all(rendered(checked, console).as_bytes());
    });
    (!bad.is_empty()).then(|| exit_of(&bad))
}

fn exit_of(all: &[CheckedModel]) -> Exit {
    let errors = || all.iter().filter(|c| c.model.is_none()).flat_map(|c| &c.diagnostics);
    let unsupported = |d: &diag::Diagnostic| d.class == Class::Unsupported;
    if all.iter().all(|c| c.model.is_some()) {
        Exit::Success
    } else if errors().filter(|d| d.severity == Severity::Error).all(unsupported) {
        Exit::Unsupported
    } else {
        Exit::BadInput
    }
}

/// An architecture as people write it.
pub fn parse_arch(word: &str) -> Result<ArchId, Stop> {
    ArchId::ALL.into_iter().find(|arch| arch.name().eq_ignore_ascii_case(word)).ok_or_else(|| {
        let names: Vec<&str> = ArchId::ALL.iter().map(|arch| arch.name()).collect();
        let hint =
            nearest(word, names.iter().copied()).map_or(String::new(), |n| format!(", did you mean {n}?"));
        Stop::Usage(format!("there is no architecture `{word}`{hint} (there are {})", names.join(", ")))
    })
}
