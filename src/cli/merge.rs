//! `litmus merge`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::blocks::{Block, blocks};
use super::records;
use super::sum::sum;
use super::{Done, Exit, MAX_LOG, Stop};
use crate::limits;
use crate::report::several;

#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Logs, in the order of the parts
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,
    /// Add up the histograms of several runs of a test on hardware
    #[arg(long)]
    pub sum: bool,
    /// Put the units of single searches together (`litmus run --unit`)
    #[arg(long, conflicts_with = "sum")]
    pub units: bool,
    /// Write the joined log to FILE
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What makes two results one test's: its name, and its hashes.
type Key<'a> = (&'a str, Vec<&'a str>);

/// Joins logs, in the order given. A test (a name and a hash) that is there twice with the same answer is taken once; with another
/// answer it is an error.
pub fn merge(args: &MergeArgs, out: &mut (dyn Write + Send), err: &mut (dyn Write + Send)) -> Done {
    let mut texts: Vec<String> = args.logs.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    if args.sum {
        texts.iter_mut().for_each(end_block);
    }
    if args.units {
        let joined = join_units(&texts, args)?;
        return write_joined(&joined, args, out).map(|()| Exit::Success);
    }
    let mut joined = String::new();
    let mut runs: Vec<(Key, Vec<Block>)> = Vec::new();
    let mut at: HashMap<Key, usize> = HashMap::new();
    let mut seen: HashMap<Key, Vec<(String, &Path)>> = HashMap::new();
    let (mut conflicts, mut tests) = (0, 0);
    for (text, path) in texts.iter().zip(&args.logs) {
        let found =
            if records::looks_like_jsonl(text) { lines(text, path)? } else { log_blocks(text, path)? };
        if found.is_empty() && !text.trim().is_empty() {
            let path = path.display();
            let why = "is it a log of herd7, litmus7 or ours?";
            return Err(Stop::Usage(format!("there is no result in `{path}`: {why}")));
        }
        if found.is_empty() {
            let _ = writeln!(err, "{}: no result in it", path.display());
        }
        for block in found {
            if args.sum {
                let key = (block.name, block.hashes.clone());
                let index = *at.entry(key.clone()).or_insert(runs.len());
                if index == runs.len() {
                    runs.push((key, Vec::new()));
                }
                runs[index].1.push(block);
                continue;
            }
            let before = seen.entry((block.name, block.hashes)).or_default();
            let answer = without_times(block.text);
            match before.iter().find(|(other, _)| *other == answer) {
                Some(_) => continue,
                None if before.is_empty() => {}
                None => {
                    conflicts += 1;
                    let runs = block.text.lines().any(|line| line.starts_with("Histogram "));
                    let _ = writeln!(
                        err,
                        "error: {} has different answers in {} and {}{}",
                        block.name,
                        before[0].1.display(),
                        path.display(),
                        if runs { ": runs of a machine are added up by --sum" } else { "" }
                    );
                }
            }
            before.push((answer, path));
            tests += 1;
            joined += block.text;
        }
    }
    for ((name, _), blocks) in &runs {
        let Some(block) = sum(&blocks.iter().collect::<Vec<_>>()) else {
            return Err(Stop::Usage(format!(
                "the results of {name} cannot be added up: they are not all histograms of one condition, as litmus7 prints them"
            )));
        };
        tests += 1;
        joined += &block;
    }
    write_joined(&joined, args, out)?;
    if let Some(path) = &args.output {
        let (tests, logs) = (several(tests as u64, "test"), several(texts.len() as u64, "log"));
        let _ = writeln!(err, "{tests} of {logs} in {}", path.display());
    }
    Ok(if conflicts > 0 { Exit::Failed } else { Exit::Success })
}

/// The time is the last that hardware says of a test: with it a block is complete, also where no empty line follows at the end of the file.
fn end_block(text: &mut String) {
    if text.ends_with('\n') && text.lines().last().is_some_and(|line| line.starts_with("Time ")) {
        text.push('\n');
    }
}

/// The logs of whole searches, from all their units.
fn join_units(texts: &[String], args: &MergeArgs) -> Result<String, Stop> {
    let mut searches: Vec<Vec<records::Saved>> = Vec::new();
    for (text, path) in texts.iter().zip(&args.logs) {
        for saved in records::read(text, path)? {
            let same = |units: &Vec<records::Saved>| {
                units.first().is_some_and(|first| {
                    (&first.name, &first.hash, &first.model) == (&saved.name, &saved.hash, &saved.model)
                })
            };
            match searches.iter().position(same) {
                Some(index) => searches[index].push(saved),
                None => searches.push(vec![saved]),
            }
        }
    }
    let mut joined = String::new();
    for units in &searches {
        let whole = records::join(units).map_err(Stop::Usage)?;
        joined += &whole.block().unwrap_or_default();
    }
    Ok(joined)
}

fn write_joined(joined: &str, args: &MergeArgs, out: &mut (dyn Write + Send)) -> Result<(), Stop> {
    match &args.output {
        None => out.write_all(joined.as_bytes())?,
        Some(path) => {
            let file = File::create(path)
                .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))?;
            let mut file = BufWriter::new(file);
            file.write_all(joined.as_bytes())?;
            file.flush()?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Stop> {
    match limits::read_file(path, MAX_LOG) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n")),
        Err(error) => Err(Stop::Usage(format!("cannot read `{}`: {error}", path.display()))),
    }
}

/// The blocks of a log, all complete.
fn log_blocks<'a>(text: &'a str, path: &Path) -> Result<Vec<Block<'a>>, Stop> {
    let (found, cut) = blocks(text);
    match cut {
        None => Ok(found),
        Some(name) => Err(Stop::Usage(format!(
            "{}: the last block, of test {name}, is not complete (an interrupted run? `litmus run --resume` takes it up)",
            path.display()
        ))),
    }
}

fn lines<'a>(text: &'a str, path: &Path) -> Result<Vec<Block<'a>>, Stop> {
    let mut found = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        // The name is borrowed from the text: the value itself is only checked.
        let value: serde_json::Value = serde_json::from_str(line)
            .map_err(|error| Stop::Usage(format!("{}:{}: {error}", path.display(), index + 1)))?;
        if !value["schema"].is_string() {
            return Err(Stop::Usage(format!("{}:{}: not a result of litmus", path.display(), index + 1)));
        }
        let field = |key: &str| line.split_once(key).and_then(|(_, rest)| rest.split('"').next());
        let name = field("\"name\":\"").unwrap_or(line);
        // Another test, or another model.
        let hashes = [field("\"hash\":[\""), field("\"model\":\"")].into_iter().flatten().collect();
        found.push(Block { name, hashes, text: line });
    }
    Ok(found)
}

/// What makes two answers equal: everything but times.
fn without_times(block: &str) -> String {
    if block.starts_with('{') {
        let mut value: serde_json::Value = serde_json::from_str(block).unwrap_or_default();
        if let Some(object) = value.as_object_mut() {
            object.remove("time");
            object.remove("stats");
            object.remove("file");
        }
        return value.to_string();
    }
    block.lines().filter(|line| !line.starts_with("Time ")).collect::<Vec<_>>().join("\n")
}
