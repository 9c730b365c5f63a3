//! What the arguments ask for, resolved: files read, defaults filled in, environment looked at. Below this nothing knows
//! flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::cat::library;
use crate::explore::{Engine, Mode, Options, Request, Show};
use crate::limits;
use crate::outcome::{Log, Width};
use crate::report::graph::Style;
use crate::session::{Depth, Input, Session, Settings};
use crate::session::{Expectation, Expectations};
use crate::variant::Variant;

use super::args::{EngineArg, FormatArg, GraphArg, ModeArg, Reading, RunArgs, Search, ShowArg};
use super::drawing::{Drawing, Form, Place};
use super::herd_options::{HerdOptions, Refused};
use super::resume::{self, Held};
use super::tests_arg;
use super::units::{self, UnitFile};
use super::{MAX_LOG, Stop};

/// A run, ready to start.
#[derive(Debug)]
pub struct RunPlan {
    /// The tests.
    pub inputs: Vec<Input>,
    /// What was wrong with some of the arguments.
    pub input_errors: Vec<String>,
    /// The models; `None`: the default one of each test's architecture.
    pub models: Vec<Option<String>>,
    /// How to load and search.
    pub settings: Settings,
    /// Workers over tests.
    pub jobs: usize,
    /// The form of the output.
    pub format: FormatArg,
    /// Graphs of executions.
    pub drawing: Option<Drawing>,
    /// Where it goes; `None`: standard output.
    pub output: Option<PathBuf>,
    /// Results kept from an interrupted run: they stand at the start of the output.
    pub kept: Vec<std::ops::Range<u64>>,
    /// The tests that those are of.
    pub kept_names: Vec<String>,
    /// Is it only a part of the tests that is run (`--shard`)?
    pub is_part: bool,
    /// The log of that run, which nobody else may write.
    pub held: Option<Held>,
    /// What to say before the run.
    pub notes: Vec<String>,
    /// What is expected.
    pub expectations: Expectations,
    /// `--strict`.
    pub strict: bool,
    /// `--stats`.
    pub stats: bool,
    /// Integers in hexadecimal.
    pub hexa: bool,
    /// End the run at the first test that fails.
    pub stop_at_error: bool,
    /// As herd7: a test that comes again is passed over, another test of a known name is refused.
    pub each_once: bool,
    /// The unit to be done, where it is one of a file.
    pub unit: Option<UnitFile>,
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Stop {
        match refused {
            Refused::Wrong(message) => Stop::Usage(message),
            Refused::Missing(message) => Stop::Unsupported(message),
        }
    }
}

/// Settings of a configuration file, those of the command line on top.
pub struct Resolved {
    /// The session's settings.
    pub settings: Settings,
    /// The model that the configuration file names.
    pub model: Option<String>,
    /// `hexa` of the configuration file.
    pub hexa: bool,
}

/// Where models come from and how tests are read.
pub fn reading(args: &Reading) -> Result<Resolved, Stop> {
    let mut herd = HerdOptions { include: args.include.clone(), ..HerdOptions::default() };
    if let Some(dir) = std::env::var_os("HERDLIB").filter(|dir| !dir.is_empty()) {
        herd.include.push(PathBuf::from(dir));
    }
    if let Some(conf) = &args.conf {
        herd.read_conf(conf, 0)?;
    }
    for name in &args.variant {
        let variant = Variant::parse(name)
            .ok_or_else(|| Stop::Usage(format!("--variant: there is no variant `{name}`")))?;
        herd.variants.push(variant);
    }
    herd.bell = args.bell.clone().or(herd.bell);
    herd.macros = args.macros.clone().or(herd.macros);
    herd.arch_check &= !args.no_arch_check;
    Ok(Resolved { model: herd.model.clone(), hexa: herd.hexa, settings: settings_of(&herd) })
}

/// An output file must not be one that is still to be read: it is emptied first. `named` are files by the names of models,
/// which may be found elsewhere and leave out their extension.
fn keep_inputs(output: &Path, inputs: &[Input], named: &[&String], include: &[PathBuf]) -> Result<(), Stop> {
    // A device or a pipe is not emptied.
    let Ok(target) = output.metadata() else { return Ok(()) };
    if !target.is_file() {
        return Ok(());
    }
    let Some(target) = identity(output) else { return Ok(()) };
    let is_target = |path: &Path| identity(path).is_some_and(|path| path == target);
    let tests = inputs.iter().any(|input| matches!(input, Input::File(path) if is_target(path)));
    let folders = || std::iter::once(Path::new("")).chain(include.iter().map(PathBuf::as_path));
    let model = |name: &&String| {
        let spellings = [(*name).clone(), format!("{name}.cat")];
        folders().any(|folder| spellings.iter().any(|name| is_target(&folder.join(name))))
    };
    if tests || named.iter().any(model) {
        let message = format!("`{}` is read by this run: its output cannot go there", output.display());
        return Err(Stop::Usage(message));
    }
    Ok(())
}

/// What tells one file from another, by whatever name: one look at each, however deep it lies.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// What tells one file from another, by whatever name.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// The session settings that herd7's options ask for.
pub fn settings_of(herd: &HerdOptions) -> Settings {
    use super::herd_options::Speedcheck;
    Settings {
        include: herd.include.clone(),
        files: Arc::new(crate::files::Disk),
        variants: herd.variants.clone(),
        bell: herd.bell.clone(),
        macros: herd.macros.clone(),
        arch_check: herd.arch_check,
        filter: herd.filter,
        unroll: herd.unroll,
        overrides: Arc::new(herd.overrides.clone()),
        let_through: herd.let_through,
        coherent: herd.coherent,
        strict_skip: herd.strict_skip,
        skips_are_hints: false,
        strict: false,
        shown: None,
        compile: None,
        depth: None,
        unit: None,
        explore: Options {
            timeout: herd.timeout.map(duration),
            max_memory: Some(limits::memory::default_limit()),
            speedcheck: herd.speedcheck != Speedcheck::False,
            max_executions: (herd.speedcheck == Speedcheck::Fast).then_some(1),
            skip_checks: herd.skip_checks.clone(),
            ..Options::default()
        },
    }
}

/// So many seconds; more than can be written down are as good as no limit.
pub fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// What goes with one of the models (the kernel's functions and events) is there for all of them: tests are written with it.
pub fn with_companions<'m>(settings: &mut Settings, models: impl IntoIterator<Item = &'m str>) {
    if let Some(companions) = models.into_iter().find_map(library::companions) {
        settings.bell.get_or_insert_with(|| companions.bell.to_string());
        settings.macros.get_or_insert_with(|| companions.macros.to_string());
        if ![Variant::LkmmV1, Variant::LkmmV2].iter().any(|version| settings.variants.contains(version)) {
            settings.variants.push(companions.variant);
        }
    }
}

/// Adds the search options to settings.
pub fn search(settings: &mut Settings, args: &Search) -> Result<(), Stop> {
    args.bounds.apply(args.engine, settings)?;
    let options = &mut settings.explore;
    options.mode = match args.mode {
        ModeArg::Count => Mode::Count,
        ModeArg::States => Mode::States,
        ModeArg::Check => Mode::Check,
    };
    options.engine = match args.engine {
        EngineArg::Auto => Engine::Auto,
        EngineArg::Worlds | EngineArg::Explore => Engine::Explore,
        EngineArg::Grow => Engine::Grow,
        EngineArg::Naive => Engine::Naive,
        EngineArg::Sat => Engine::Sat,
    };
    options.awaits = args.awaits;
    options.max_executions = args.max_executions.or(options.max_executions);
    options.max_memory = Some(args.max_memory.unwrap_or_else(limits::memory::default_limit));
    options.skip_checks.extend(args.skip_checks.iter().cloned());
    Ok(())
}

/// Workers over tests, and workers inside each test: many tests keep all workers busy by themselves.
pub fn workers(jobs: Option<u16>, tests: usize) -> (usize, usize) {
    let jobs = match jobs {
        Some(jobs) => usize::from(jobs),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let outer = jobs.min(tests.max(1));
    (outer, (jobs / outer).max(1))
}

impl RunPlan {
    /// Tests under a model, with nothing else asked for: herd7's log on standard output.
    pub fn plain(
        (inputs, input_errors): (Vec<Input>, Vec<String>),
        model: Option<String>,
        settings: Settings,
        jobs: usize,
    ) -> RunPlan {
        RunPlan {
            inputs,
            input_errors,
            models: vec![model],
            settings,
            jobs,
            format: FormatArg::Herd,
            drawing: None,
            output: None,
            kept: Vec::new(),
            kept_names: Vec::new(),
            is_part: false,
            held: None,
            notes: Vec::new(),
            expectations: Expectations::default(),
            strict: false,
            stats: false,
            hexa: false,
            stop_at_error: false,
            each_once: false,
            unit: None,
        }
    }

    /// Of `litmus run`.
    pub fn new(args: &RunArgs) -> Result<RunPlan, Stop> {
        let Resolved { mut settings, model, hexa } = reading(&args.reading)?;
        search(&mut settings, &args.search)?;
        settings.compile =
            super::compile::mapping(args.compile_to.as_deref(), args.mapping.as_ref())?.map(Arc::new);
        let models: Vec<Option<String>> = match (args.model.as_slice(), model) {
            ([], model) => vec![model],
            (models, _) => models.iter().cloned().map(Some).collect(),
        };
        let unit = units::portion(args, &mut settings)?;
        let format = match (args.format, models.len()) {
            (None, _) if args.unit.is_some() => FormatArg::Jsonl,
            (Some(FormatArg::Herd), 2..) => {
                return Err(Stop::Usage(
                    "the herd format holds one model at a time; with several -m use --format table, html, json, jsonl, csv \
                     or junit"
                        .to_string(),
                ));
            }
            (Some(format), _) => format,
            (None, 1) => FormatArg::Herd,
            (None, _) => FormatArg::Table,
        };
        let (mut inputs, input_errors) = tests_arg::collect(&args.tests.tests);
        if let Some((part, parts)) = args.shard {
            inputs = shard(inputs, part, parts);
        }
        let mut output = args.output.clone();
        if let Some(path) = output.as_ref().or(args.resume.as_ref()) {
            let named: Vec<&String> =
                models.iter().flatten().chain(&settings.bell).chain(&settings.macros).collect();
            keep_inputs(path, &inputs, &named, &settings.include)?;
        }
        let (mut kept, mut kept_names, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut held = None;
        if let Some(file) = &args.resume {
            if models.len() > 1 {
                return Err(Stop::Usage("--resume goes with one model".to_string()));
            }
            held = Some(Held::new(file)?);
            let session = Session::new(settings.clone());
            let identify = |input: &Input| {
                let test = session.check(input).answer?.test;
                Some((test.name, test.hashes))
            };
            let taken = resume::take_up(file, format, models[0].as_deref(), &mut inputs, &identify)?;
            (kept, kept_names, notes) = (taken.places, taken.tests, taken.notes);
            output = Some(file.clone());
        }
        let runs = inputs.len() * models.len();
        if unit.is_some() && runs != 1 {
            return Err(Stop::Usage(
                "a unit of a file is one of a single test under a single model".to_string(),
            ));
        }
        let drawing = drawing(args, &mut settings, format, models.len(), runs, hexa || args.hexa)?;
        let (jobs, inner) = workers(args.search.jobs, inputs.len() * models.len());
        settings.explore.jobs = inner;
        settings.explore.attribute = args.stats;
        let mut expectations = match &args.expect {
            Some(expect) => expectations(expect)?,
            None => Expectations::default(),
        };
        expectations.strict = args.strict;
        settings.strict = args.strict;
        Ok(RunPlan {
            inputs,
            input_errors,
            models,
            settings,
            jobs,
            format,
            drawing,
            output,
            kept,
            kept_names,
            is_part: args.shard.is_some(),
            held,
            notes,
            expectations,
            strict: args.strict,
            stats: args.stats,
            hexa: hexa || args.hexa,
            stop_at_error: false,
            each_once: false,
            unit,
        })
    }
}

/// `--graph`, `--show` and what goes with them.
fn drawing(
    args: &RunArgs,
    settings: &mut Settings,
    format: FormatArg,
    models: usize,
    runs: usize,
    hexa: bool,
) -> Result<Option<Drawing>, Stop> {
    if format == FormatArg::Html {
        return page(args, settings, runs);
    }
    let listed = args.show.is_some() && matches!(format, FormatArg::Json | FormatArg::Jsonl);
    if args.graph.is_none() && !listed {
        return if args.show.is_some() || !args.draw.is_empty() {
            let given = if args.show.is_some() { "--show" } else { "--draw" };
            Err(Stop::Usage(format!("{given} goes with --graph, or with --format json or jsonl and --show")))
        } else {
            Ok(None)
        };
    }
    let show = match args.show {
        Some(ShowArg::Wit) | None => Show::Wit,
        Some(ShowArg::Prop) => Show::Prop,
        Some(ShowArg::Neg) => Show::Neg,
        Some(ShowArg::Cond) => Show::Cond,
        Some(ShowArg::All) => Show::All,
        Some(ShowArg::Flagged) => Show::Flagged,
        Some(ShowArg::Forbidden) => Show::Forbidden,
    };
    // Read-modify-writes belong together, whether or not the model says so.
    let names: Vec<String> = std::iter::once("rmw".to_string()).chain(args.draw.iter().cloned()).collect();
    settings.shown = Some(Request { show, limit: Some(args.graphs), names });
    let Some(place) = &args.graph else { return Ok(None) };
    let place = if place.as_os_str() == "-" {
        if format != FormatArg::Herd {
            return Err(Stop::Usage(
                "--graph - goes with the herd format; give a folder to have graphs beside another one"
                    .to_string(),
            ));
        }
        Place::Output
    } else {
        std::fs::create_dir_all(place).map_err(|error| {
            Stop::Usage(format!("--graph: cannot make the folder `{}`: {error}", place.display()))
        })?;
        Place::Files(place.clone())
    };
    let form = match (args.graph_format, &place) {
        (Some(GraphArg::Svg), _) => Form::Svg,
        (Some(GraphArg::Dot), _) => Form::Dot,
        (Some(GraphArg::Text), _) | (None, Place::Output) => Form::Text,
        (None, _) => Form::Svg,
    };
    let style = Style { hexa, names: args.draw.clone(), ..Style::default() };
    let mut drawing = Drawing::new(place, form, style);
    drawing.by_model = models > 1;
    drawing.limit = Some(args.graphs);
    Ok(Some(drawing))
}

/// What a page of so many results looks into.
fn page(args: &RunArgs, settings: &mut Settings, runs: usize) -> Result<Option<Drawing>, Stop> {
    if let Some(given) =
        [(args.graph.is_some(), "--graph"), (args.show.is_some(), "--show")].iter().find(|(given, _)| *given)
    {
        return Err(Stop::Usage(format!(
            "the page shows executions of every outcome: {} says nothing to it",
            given.1
        )));
    }
    settings.depth = Some(depth(args.graphs, &args.draw, runs));
    Ok(None)
}

/// How far a page of so many results looks into each of them. Of a campaign it takes the first execution of each outcome, and the reason for its
/// conditions: it stays small enough to be opened.
pub fn depth(graphs: usize, draw: &[String], runs: usize) -> Depth {
    const USUAL: [&str; 4] = ["rmw", "addr", "data", "ctrl"];
    let names = USUAL.iter().map(|name| (*name).to_string()).chain(draw.iter().cloned()).collect();
    match runs {
        0..200 => Depth { executions: graphs, refused: 12, names, time: Duration::from_secs(3) },
        200..1000 => Depth { executions: graphs.min(2), refused: 4, names, time: Duration::from_millis(800) },
        _ => Depth { executions: 1, refused: 1, names, time: Duration::from_millis(200) },
    }
}

/// The `part`-th of `parts` slices, of sizes that differ by one at most. Slices, not every n-th test: the logs of all parts, one
/// after the other, are then the log of the whole.
pub fn shard<T>(items: Vec<T>, part: usize, parts: usize) -> Vec<T> {
    let n = items.len();
    let (start, end) = ((part - 1) * n / parts, part * n / parts);
    items.into_iter().skip(start).take(end - start).collect()
}

/// `--expect`: a word for all tests, or a file.
fn expectations(expect: &str) -> Result<Expectations, Stop> {
    if let Some(all) = Expectation::parse(expect) {
        return Ok(Expectations { all: Some(all), ..Expectations::default() });
    }
    let words = Expectation::WORDS;
    if !Path::new(expect).is_file() {
        return Err(Stop::Usage(format!("--expect takes {words}, or a file; there is no file `{expect}`")));
    }
    let bytes = limits::read_file(Path::new(expect), MAX_LOG)
        .map_err(|e| Stop::Usage(format!("cannot read `{expect}`: {e}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut by_name = BTreeMap::new();
    if text.lines().any(|line| line.starts_with("States ") || line.starts_with("Histogram (")) {
        let log = Log::read(&text, Width::Int32);
        if let Some((name, line)) = log.broken.first() {
            return Err(Stop::Usage(format!("{expect}:{line}: the block of {name} breaks off")));
        }
        return Ok(Expectations::of_log(expect, &log));
    }
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parsed = line
            .split_once(char::is_whitespace)
            .and_then(|(name, word)| Some((name, Expectation::parse(word.trim())?)));
        let Some((name, expectation)) = parsed else {
            return Err(Stop::Usage(format!(
                "{expect}:{}: `{line}` is not of the form `NAME WORD` with one of {words}",
                index + 1
            )));
        };
        let before = by_name.insert(name.to_string(), expectation.clone());
        if before.is_some_and(|before| before != expectation) {
            return Err(Stop::Usage(format!(
                "{expect}:{}: something else is expected of {name} above",
                index + 1
            )));
        }
    }
    if by_name.is_empty() {
        return Err(Stop::Usage(format!("there is no expectation in `{expect}`")));
    }
    Ok(Expectations { by_name: Some((expect.to_string(), by_name)), ..Expectations::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        for parts in 1..9 {
            let all: Vec<usize> = (1..=parts).flat_map(|part| shard((0..7).collect(), part, parts)).collect();
            assert_eq!(all, (0..7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn one_test_gets_all_workers() {
        assert_eq!(workers(Some(8), 1), (1, 8));
        assert_eq!(workers(Some(8), 3), (3, 2));
        assert_eq!(workers(Some(8), 1000), (8, 1));
        assert_eq!(workers(Some(1), 0), (1, 1));
    }
}
