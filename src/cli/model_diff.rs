//! `litmus model diff`: tests that tell models apart.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::cat::library;
use crate::explore::Mode;
use crate::generate::{Dialect, Generated, Vocabulary};
use crate::report::separate::{self, Names};
use crate::session::{Asked, Session, Settings, Sizes, by_tests, check_model, separate as tell_apart};

use super::args::{PortFormat, Reading, seconds};
use super::console::{Console, Repeated, interrupt_flag};
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop, generate, model, tests_arg};

#[derive(Args, Debug)]
pub struct ModelDiffArgs {
    /// Two models, or more of them for a table of all pairs
    #[arg(value_name = "MODEL", required = true, num_args = 2.., add = super::complete::models())]
    pub models: Vec<String>,
    /// Compare the outcomes of these tests instead: files, folders, lists (repeatable; two models)
    #[arg(long, value_name = "TEST", num_args = 1.., conflicts_with_all = ["arch", "size", "edges", "all", "output"])]
    pub tests: Vec<String>,
    /// Write the tests for this architecture [default: each model's own, what they have in common]
    #[arg(long, value_name = "ARCH")]
    pub arch: Option<String>,
    /// Edges of the cycles: a number to go up to, or `A..B` [default: 4; up to 6 where that finds nothing and there are few
    /// tests]
    #[arg(long, value_name = "N", value_parser = up_to)]
    pub size: Option<(usize, usize)>,
    /// What cycles are made of, as in `litmus gen`
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub edges: Vec<String>,
    /// Put all tests up to the size to the models, also when they have been told apart both ways
    #[arg(long)]
    pub all: bool,
    /// Write the tests found to DIR
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// text, or json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: PortFormat,
    #[command(flatten)]
    pub reading: Reading,
    /// Time limit per test and model, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Worker threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

/// The sizes of cycles where none are given, and how far to go on where they are too few to say much.
pub(super) const SIZES: Sizes = Sizes { from: 2, to: 4, further: 6, few: 1000 };

fn up_to(text: &str) -> Result<(usize, usize), String> {
    let (from, to) = generate::sizes(text)?;
    Ok(if text.contains("..") { (from, to) } else { (2, to) })
}

/// Tells models apart.
pub fn diff(
    args: &ModelDiffArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, .. } = plan::reading(&args.reading)?;
    if let Some(exit) = model::unreadable(&args.models, &settings, console, err) {
        return Ok(exit);
    }
    if !args.tests.is_empty() {
        return by_given(args, settings, console, out, err);
    }
    settings.explore.mode = Mode::Check;
    settings.explore.timeout = args.timeout.map(plan::duration).or(settings.explore.timeout);
    settings.explore.interrupt = Some(interrupt_flag());
    let (dialects, vocabulary) = dialects(args, &settings, console)?;
    let mut of_kernel = settings.clone();
    plan::with_companions(&mut of_kernel, args.models.iter().map(String::as_str));
    let (session, of_kernel) = (Session::new(settings), Session::new(of_kernel));
    let models = args.models.iter().zip(dialects);
    let asked = |(model, dialect): (&String, Dialect)| {
        let session = if dialect == Dialect::Kernel { &of_kernel } else { &session };
        Asked { session, model: model.clone(), dialect }
    };
    let models: Vec<Asked> = models.map(asked).collect();
    let (jobs, _) = plan::workers(args.jobs, usize::MAX);
    let mut sizes = args.size.unwrap_or((SIZES.from, SIZES.to));
    let mut told = tell_apart(&models, &vocabulary, sizes, jobs, args.all);
    while let Ok(separation) = &told
        && args.size.is_none()
        && separation.found.is_empty()
        && separation.tests < SIZES.few
        && sizes.1 < SIZES.further
    {
        sizes.1 += 1;
        told = tell_apart(&models, &vocabulary, sizes, jobs, args.all);
    }
    let separation = match told {
        Ok(separation) => separation,
        Err(report) => {
            let _ = err.write_all(console.diagnostics(&report).as_bytes());
            return Ok(Exit::of_report(&report));
        }
    };
    let names = Names { models: models.iter().map(|asked| asked.model.as_str()).collect() };
    let written = |cycle: &crate::generate::Cycle, model: usize| cycle.test(models[model].dialect);
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|error| {
            Stop::Usage(format!("cannot make the folder `{}`: {error}", folder.display()))
        })?;
        for ((first, second), (cycle, _)) in &separation.found {
            for model in [*first, *second] {
                if let Some(test) = written(cycle, model) {
                    let arch = models[model].dialect.name().to_lowercase();
                    generate::write_file(
                        folder,
                        &Generated { name: format!("{}-{arch}", test.name), ..test },
                    )?;
                }
            }
        }
    }
    match (args.format, models.len()) {
        (PortFormat::Json, _) => {
            let record = separate::record(&separation, &names, &written);
            serde_json::to_writer_pretty(&mut *out, &record).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        (PortFormat::Text, 2) => {
            write!(out, "{}", separate::verdict(&separation, &names))?;
            for (first, second) in [(0, 1), (1, 0)] {
                let Some((cycle, count)) = separation.found.get(&(first, second)) else { continue };
                let Some(test) = written(cycle, first) else { continue };
                let shown = models[first].session.shown(&test, &models[first].model);
                write!(out, "\n{}", separate::found(&names, (first, second), *count, &test, &shown))?;
            }
        }
        (PortFormat::Text, _) => write!(out, "{}", separate::table(&separation, &names, &written))?,
    }
    Ok(if separation.found.is_empty() { Exit::Success } else { Exit::Failed })
}

/// Which of the tests given tell the models apart?
fn by_given(
    args: &ModelDiffArgs,
    mut settings: Settings,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let [first, second] = args.models.as_slice() else {
        return Err(Stop::Usage("--tests compares two models".to_string()));
    };
    settings.explore.mode = Mode::States;
    settings.explore.timeout = args.timeout.map(plan::duration).or(settings.explore.timeout);
    settings.explore.interrupt = Some(interrupt_flag());
    plan::with_companions(&mut settings, args.models.iter().map(String::as_str));
    let (inputs, errors) = tests_arg::collect(&args.tests);
    for message in &errors {
        let _ = writeln!(err, "error: {message}");
    }
    let (jobs, _) = plan::workers(args.jobs, inputs.len());
    let found = by_tests(&Session::new(settings), [first, second], &inputs, jobs);
    let mut told = Repeated::default();
    for report in &found.failed {
        let _ = err.write_all(console.diagnostics_once(report, &mut told).as_bytes());
    }
    let _ = err.write_all(told.summary().as_bytes());
    match args.format {
        PortFormat::Json => {
            let record = separate::told_record(&found, [first, second]);
            serde_json::to_writer_pretty(&mut *out, &record).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        PortFormat::Text if found.tests == 0 => writeln!(out, "no test that both models answer")?,
        PortFormat::Text => write!(out, "{}", separate::told(&found, [first, second]))?,
    }
    Ok(match (errors.is_empty(), found.failed.first()) {
        (false, _) => Exit::BadInput,
        (_, Some(report)) => Exit::of_report(report),
        _ if found.told.is_empty() => Exit::Success,
        _ => Exit::Failed,
    })
}

/// The dialect of each model, and what the tests are made of.
fn dialects(
    args: &ModelDiffArgs,
    settings: &Settings,
    console: &Console,
) -> Result<(Vec<Dialect>, Vocabulary), Stop> {
    let own: Vec<Option<Dialect>> = match &args.arch {
        Some(word) => vec![Some(generate::dialect_with(word, settings, console)?); args.models.len()],
        None => args.models.iter().map(|model| dialect_of(model, settings)).collect(),
    };
    // A model of any architecture is asked in the language of the others.
    let other = own.iter().flatten().next().copied().unwrap_or(Dialect::AArch64);
    let dialects: Vec<Dialect> = own.iter().map(|dialect| dialect.unwrap_or(other)).collect();
    let one = dialects.windows(2).all(|pair| pair[0] == pair[1]);
    // What a model for all machines does not know of would only make noise.
    let known = own.iter().all(Option::is_some) || matches!(dialects[0], Dialect::X86 | Dialect::X86_64);
    let vocabulary = match (args.edges.as_slice(), one) {
        ([], true) if known => Vocabulary::all(dialects[0]),
        ([], _) => Vocabulary::shared(&dialects).without_atomics(),
        (words, true) => generate::vocabulary(dialects[0], words)?,
        // In the words of the first: what the architectures share.
        (words, false) => {
            let whose = "what these architectures have in common";
            generate::restricted(&Vocabulary::shared(&dialects), words, whose)?
        }
    };
    Ok((dialects, vocabulary))
}

/// What tests for a model are written in; `None`: anything.
pub(super) fn dialect_of(model: &str, settings: &Settings) -> Option<Dialect> {
    let checked = check_model(settings, model, None, true);
    let kernel = checked.model.as_ref().is_some_and(|model| model.name.contains("LKMM"))
        || library::companions(model).is_some();
    if kernel { Some(Dialect::Kernel) } else { checked.arch.and_then(Dialect::of) }
}
