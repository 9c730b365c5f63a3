//! Units of one search: as they stand in a file, as they are run, and what they leave to others.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use md5::{Digest, Md5};
use serde::{Deserialize, Serialize};

use super::args::{FormatArg, RunArgs, seconds};
use super::{MAX_LOG, Stop, VERSION};
use crate::explore::{Engine, Listed, Mode, Patience, Portion, Subtree};
use crate::limits;
use crate::report::{Format, Item, JsonLines, Summary};
use crate::session::{Settings, UnitId};
use crate::source::Sources;

/// Units that are numbers only: the K-th of N.
const EVEN: &str = "even";
const SCHEMA: &str = "litmus-unit/1";

/// A unit as typed.
#[derive(Clone, PartialEq, Debug)]
pub enum UnitArg {
    /// The K-th of N.
    Even(usize, usize),
    /// One of a file.
    Of(PathBuf, String),
}

impl UnitArg {
    pub fn parse(text: &str) -> Result<UnitArg, String> {
        let even = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match (even, text.rsplit_once(':')) {
            (Some((k, n)), _) if (1..=n).contains(&k) => Ok(UnitArg::Even(k, n)),
            (None, Some((file, number))) if !file.is_empty() && !number.is_empty() => {
                Ok(UnitArg::Of(PathBuf::from(file), number.to_string()))
            }
            _ => {
                Err("K/N with 1 <= K <= N is needed, such as 2/8, or FILE:K, such as units.jsonl:12"
                    .to_string())
            }
        }
    }
}

/// A number of graphs, or a time.
pub fn patience(text: &str) -> Result<Patience, String> {
    let wrong = || "a number of graphs is needed, or a time in seconds, such as 90s".to_string();
    match text.strip_suffix('s') {
        Some(time) => Ok(Patience {
            time: Some(super::plan::duration(seconds(time).map_err(|_| wrong())?)),
            graphs: None,
        }),
        None => match text.parse() {
            Ok(graphs) if graphs > 0 => Ok(Patience { graphs: Some(graphs), time: None }),
            _ => Err(wrong()),
        },
    }
}

/// A unit as a line of a file.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Unit {
    schema: String,
    /// What it is called.
    pub unit: UnitId,
    /// The test, by name.
    test: String,
    /// What it was split from: the version, the texts of the test and the model, the settings.
    basis: Basis,
    /// Is memory cut up, because accesses are of several sizes?
    mixed: bool,
    /// How many graphs the search visits in it, by estimate; not known of what was left over.
    graphs: Option<f64>,
    /// How many executions it has, likewise.
    executions: Option<f64>,
    /// What is to be searched: decisions from the root to a subtree.
    subtrees: Vec<String>,
}

/// What decisions mean something in.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Basis {
    version: String,
    texts: String,
    settings: String,
}

impl Basis {
    /// Of a test and a model that were read, with these settings.
    pub fn new(sources: &Sources, settings: &Settings) -> Basis {
        let mut texts = Md5::new();
        sources.all().for_each(|source| texts.update(source.text.as_bytes()));
        let search = &settings.explore;
        let told = (
            (&settings.variants, settings.filter, settings.unroll, settings.coherent, settings.strict_skip),
            (&settings.overrides, settings.let_through, settings.compile.is_some()),
            (
                search.unroll,
                (search.at_bound, search.bound_events),
                search.engine,
                search.awaits,
                search.speedcheck,
                &search.skip_checks,
            ),
        );
        Basis {
            version: VERSION.to_string(),
            texts: hex(&texts.finalize()),
            settings: hex(&Md5::digest(format!("{told:?}"))),
        }
    }

    /// Why decisions of another basis mean nothing here.
    fn differs(&self, other: &Basis) -> Option<&'static str> {
        let parts = [
            (self.version == other.version, "by another version of litmus"),
            (
                self.texts == other.texts,
                "from another test, or under another model: their texts are not these",
            ),
            (self.settings == other.settings, "with other options: give those of `litmus split`"),
        ];
        parts.into_iter().find(|(same, _)| !same).map(|(_, why)| why)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A part of a search as it is to be written, with the graphs and executions that it seems to have.
pub struct Weighed {
    pub subtrees: Vec<Subtree>,
    pub graphs: f64,
    pub executions: f64,
}

/// The units of a search that was cut.
pub fn cut(test: &str, basis: &Basis, mixed: bool, parts: &[Weighed]) -> Vec<Unit> {
    let mut plan = Md5::new();
    plan.update(format!("{basis:?} {test}"));
    let texts: Vec<Vec<String>> =
        parts.iter().map(|part| part.subtrees.iter().map(Subtree::to_string).collect()).collect();
    plan.update(format!("{texts:?}"));
    let plan = hex(&plan.finalize()[..8]);
    let unit = |(index, (part, subtrees)): (usize, (&Weighed, Vec<String>))| Unit {
        schema: SCHEMA.to_string(),
        unit: UnitId { number: (index + 1).to_string(), of: parts.len(), plan: plan.clone() },
        test: test.to_string(),
        basis: basis.clone(),
        mixed,
        graphs: Some(part.graphs.round()),
        executions: Some(part.executions.round()),
        subtrees,
    };
    parts.iter().zip(texts).enumerate().map(unit).collect()
}

/// Writes units, one a line.
pub fn write(units: &[Unit], out: &mut dyn Write) -> io::Result<()> {
    for unit in units {
        serde_json::to_writer(&mut *out, unit).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn read(path: &Path, number: &str) -> Result<Unit, Stop> {
    let shown = path.display();
    let bytes = limits::read_file(path, MAX_LOG)
        .map_err(|error| Stop::Usage(format!("cannot read `{shown}`: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut numbers = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: &str| Stop::Usage(format!("{shown}:{}: not a unit of a search: {why}", index + 1));
        let unit: Unit = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
        if unit.schema != SCHEMA {
            return Err(wrong(&format!("its schema is `{}`, not `{SCHEMA}`", unit.schema)));
        }
        if unit.unit.number == number {
            return Ok(unit);
        }
        numbers.push(unit.unit.number);
    }
    let there = match (numbers.first(), numbers.last()) {
        (Some(first), Some(last)) => format!("it has {first} to {last}"),
        _ => "it has none".to_string(),
    };
    Err(Stop::Usage(format!("there is no unit {number} in `{shown}`: {there}")))
}

/// A unit of a file that is to be done, and the form of its result.
#[derive(Debug)]
pub struct UnitFile {
    unit: Unit,
    /// Where what it leaves to others goes.
    rest: PathBuf,
    settings: Settings,
}

/// `--unit`: the part of the search that is to be done.
pub fn portion(args: &RunArgs, settings: &mut Settings) -> Result<Option<UnitFile>, Stop> {
    let Some(unit) = &args.unit else { return Ok(None) };
    if args.format.is_some_and(|format| format != FormatArg::Jsonl) {
        return Err(Stop::Usage(
            "--unit goes with --format jsonl: its results are no answers yet".to_string(),
        ));
    }
    if settings.explore.mode != Mode::Count || settings.explore.max_executions.is_some() {
        return Err(Stop::Usage("--unit counts executions: it goes with --mode count alone".to_string()));
    }
    if !matches!(settings.explore.engine, Engine::Auto | Engine::Explore) {
        return Err(Stop::Usage("--unit goes with the engine `worlds`".to_string()));
    }
    match unit {
        UnitArg::Even(number, of) => {
            if args.split_after.is_some() {
                let why = "--split-after goes with a unit of a file (`litmus split`): the K-th of N has no name for its parts";
                return Err(Stop::Usage(why.to_string()));
            }
            settings.unit = Some(UnitId { number: number.to_string(), of: *of, plan: EVEN.to_string() });
            settings.explore.unit = Some(Arc::new(Portion::Even(number - 1, *of)));
            Ok(None)
        }
        UnitArg::Of(path, number) => {
            let unit = read(path, number)?;
            let subtrees = unit.subtrees.iter().map(|text| {
                text.parse().map_err(|()| Stop::Usage(format!("{}: `{text}` is no subtree", path.display())))
            });
            let listed = Listed {
                subtrees: subtrees.collect::<Result<_, _>>()?,
                mixed: unit.mixed,
                patience: args.split_after.unwrap_or_default(),
                ..Listed::default()
            };
            let before = settings.clone();
            settings.unit = Some(unit.unit.clone());
            settings.explore.unit = Some(Arc::new(Portion::Listed(listed)));
            let beside = path.with_extension(format!("{number}.jsonl"));
            let rest = args.rest.clone().unwrap_or(beside);
            Ok(Some(UnitFile { unit, rest, settings: before }))
        }
    }
}

impl Format for UnitFile {
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        let basis = Basis::new(&item.report.sources, &self.settings);
        if let (Some(why), Some(_)) = (self.unit.basis.differs(&basis), &item.report.answer) {
            return Err(io::Error::other(format!("unit {} was split {why}", self.unit.unit.number)));
        }
        // First what is left: a result that mentions it must not be there alone.
        if let Some(unit) = item.report.unit.as_ref().filter(|unit| unit.left > 0) {
            let mut parts: Vec<Unit> = (1..=unit.left)
                .map(|number| Unit {
                    unit: UnitId { number: format!("{}.{number}", unit.id.number), ..unit.id.clone() },
                    subtrees: Vec::new(),
                    graphs: None,
                    executions: None,
                    ..self.unit.clone()
                })
                .collect();
            // Small subtrees come first, large ones last: dealt out in turn.
            for (index, subtree) in unit.rest.iter().enumerate() {
                parts[index % unit.left].subtrees.push(subtree.to_string());
            }
            let cannot = |error: io::Error| {
                io::Error::other(format!("cannot write the rest to `{}`: {error}", self.rest.display()))
            };
            let file = File::create(&self.rest).map_err(cannot)?;
            write(&parts, &mut BufWriter::new(file)).map_err(cannot)?;
        }
        JsonLines.test(item, out)
    }

    fn end(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
