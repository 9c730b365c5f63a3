//! What has become of a campaign: how far its parts are, what they found, what is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde_json::Value;

use super::super::VERSION;
use super::{Campaign, CollectFormat, Done, Exit, Stop};
use crate::report::{Sqlite, several};

/// What the results of one part say.
#[derive(Default)]
struct Part {
    /// Files that have a result.
    tests: BTreeSet<String>,
    /// Results by what became of them.
    by_status: BTreeMap<String, usize>,
    /// The whole results, as they stand.
    lines: Vec<String>,
    /// The exit code of the last try, if it came to its end.
    exit: Option<i32>,
}

fn read(folder: &Path, number: u32) -> Result<Part, Stop> {
    let mut part = Part::default();
    let exit = fs::read_to_string(folder.join(format!("part-{number}.exit"))).ok();
    part.exit = exit.and_then(|text| text.trim().parse().ok());
    let path = Campaign::results(folder, number);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(part),
        Err(error) => return Err(Stop::Usage(format!("cannot read `{}`: {error}", path.display()))),
    };
    for line in BufReader::new(file).lines() {
        let line = line?;
        // A part that is being written ends in the middle of a line.
        let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
        let word = |name: &str| value[name].as_str().unwrap_or_default().to_string();
        part.tests.insert(word("file"));
        *part.by_status.entry(word("status")).or_default() += 1;
        part.lines.push(line);
    }
    Ok(part)
}

/// Says how far each part is.
pub fn status(folder: &Path, out: &mut (dyn Write + Send)) -> Done {
    let campaign = Campaign::read(folder)?;
    let (mut tests, mut ended) = (0, 0);
    for number in 1..=campaign.parts {
        let part = read(folder, number)?;
        tests += part.lines.len();
        ended += u32::from(part.exit.is_some());
        let state = match part.exit {
            Some(code) => format!("ended with {code}"),
            None if part.lines.is_empty() => "not begun".to_string(),
            None => "under way".to_string(),
        };
        writeln!(out, "part {number}: {}, {state}", several(part.lines.len() as u64, "result"))?;
    }
    writeln!(out, "{tests} of {} tests, {ended} of {} parts ended", campaign.tests.len(), campaign.parts)?;
    Ok(Exit::Success)
}

/// Joins the results, in order, and says what is missing: then it fails.
pub fn collect(
    folder: &Path,
    format: CollectFormat,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let campaign = Campaign::read(folder)?;
    let path = folder.join("all.jsonl");
    let mut all = BufWriter::new(
        File::create(&path)
            .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))?,
    );
    let base = folder.join("all.db");
    let mut database = match format {
        CollectFormat::Jsonl => None,
        CollectFormat::Sqlite => Some(
            Sqlite::create(&base, VERSION)
                .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", base.display())))?,
        ),
    };
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut by_status: BTreeMap<String, usize> = BTreeMap::new();
    let (mut results, mut not_ended) = (0, Vec::new());
    for number in 1..=campaign.parts {
        let part = read(folder, number)?;
        // An interrupted part has no code of its own, or that of a signal.
        if part.exit.is_none_or(|code| code > 5) {
            not_ended.push(number.to_string());
        }
        for line in &part.lines {
            writeln!(all, "{line}")?;
            if let (Some(database), Ok(record)) = (&mut database, serde_json::from_str(line)) {
                database.add(&record)?;
            }
        }
        results += part.lines.len();
        seen.extend(part.tests);
        for (status, count) in part.by_status {
            *by_status.entry(status).or_default() += count;
        }
    }
    all.flush()?;
    if let Some(database) = &mut database {
        database.close(None)?;
        writeln!(out, "{}", base.display())?;
    }
    let missing: Vec<&String> = campaign.tests.iter().filter(|test| !seen.contains(*test)).collect();
    let counts: Vec<String> = by_status.iter().map(|(status, count)| format!("{count} {status}")).collect();
    writeln!(out, "{}: {} ({})", path.display(), several(results as u64, "result"), counts.join(", "))?;
    if !not_ended.is_empty() {
        writeln!(err, "error: parts that did not come to their end: {}", not_ended.join(", "))?;
    }
    for test in missing.iter().take(10) {
        writeln!(err, "error: no result of {test}")?;
    }
    if missing.len() > 10 {
        writeln!(err, "error: nor of {} more", missing.len() - 10)?;
    }
    if !missing.is_empty() || !not_ended.is_empty() {
        writeln!(err, "parts can be started again (`sh task.sh K` in the folder): they keep what they have")?;
        return Ok(Exit::Failed);
    }
    Ok(Exit::Success)
}
