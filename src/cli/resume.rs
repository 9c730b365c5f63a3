//! `--resume`: taking up an interrupted run.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::limits;
use crate::session::Input;

use super::args::FormatArg;
use super::blocks::blocks;
use super::{MAX_LOG, Stop};

/// What an interrupted run left behind.
#[derive(Debug, Default, PartialEq)]
pub struct Kept {
    /// Where complete results stand in the file: from which byte to which. There may be more of them than anybody wants in memory.
    pub places: Vec<Range<u64>>,
    /// The tests that they are of.
    pub tests: Vec<String>,
    /// What to tell the user about the others.
    pub notes: Vec<String>,
}

/// A test as logs know it: its name and its hashes.
pub type Identity = (String, Vec<String>);

/// Reads the output of an interrupted run and removes the tests from `inputs` that it already holds: by name and hash, so that a test
/// that has changed since is run again. What comes after the last complete result is dropped. A file that does not exist is
/// an empty one.
pub fn take_up(
    file: &Path,
    format: FormatArg,
    model: Option<&str>,
    inputs: &mut Vec<Input>,
    identify: &dyn Fn(&Input) -> Option<Identity>,
) -> Result<Kept, Stop> {
    let (begins, name) = match format {
        FormatArg::Herd => ("Test ", "herd"),
        FormatArg::Jsonl => ("{", "jsonl"),
        _ => return Err(Stop::Usage("--resume goes with --format herd or jsonl".to_string())),
    };
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::default()),
        Err(error) => return Err(Stop::Usage(format!("cannot read `{}`: {error}", file.display()))),
    };
    let cannot = |error: io::Error| Stop::Usage(format!("cannot read `{}`: {error}", file.display()));
    // What is dropped is lost: a file of another kind must not be taken for a run that was cut at once.
    let mut start = Vec::new();
    opened.take(64).read_to_end(&mut start).map_err(cannot)?;
    let start = String::from_utf8_lossy(&start);
    let start = start.trim_start();
    if !start.starts_with(begins) && !begins.starts_with(start) {
        let file = file.display();
        return Err(Stop::Usage(format!(
            "`{file}` is not the output of `litmus run --format {name}`: it stays as it is"
        )));
    }
    let results = match format {
        FormatArg::Jsonl => records(file, model)?,
        _ => {
            let bytes = limits::read_file(file, MAX_LOG).map_err(cannot)?;
            // A run that was cut may end inside a letter.
            let text = match std::str::from_utf8(&bytes) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
            };
            log_results(text)
        }
    };
    Ok(keep(&results, inputs, identify))
}

/// One complete result of the file.
#[derive(Debug)]
struct Found {
    name: String,
    hashes: Vec<String>,
    place: Range<u64>,
    /// Is it an answer, and a whole one? Others are tried again.
    whole: bool,
}

/// The complete blocks of a log.
fn log_results(text: &str) -> Vec<Found> {
    let (blocks, _) = blocks(text);
    blocks
        .into_iter()
        .map(|block| Found {
            name: block.name.to_string(),
            hashes: block.hashes.iter().map(|hash| (*hash).to_string()).collect(),
            place: place(text, block.text),
            whole: true,
        })
        .collect()
}

/// Where a part of a text stands in it.
fn place(text: &str, part: &str) -> Range<u64> {
    let from = part.as_ptr() as usize - text.as_ptr() as usize;
    from as u64..(from + part.len()) as u64
}

/// The lines of a `jsonl` file, one at a time; the last one may be half a line.
fn records(file: &Path, model: Option<&str>) -> Result<Vec<Found>, Stop> {
    let mut results = Vec::new();
    let mut reader = BufReader::new(File::open(file)?);
    let (mut line, mut from) = (Vec::new(), 0);
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if length == 0 || line.last() != Some(&b'\n') {
            break;
        }
        let place = from..from + length;
        from += length;
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&line) else { continue };
        if let (Some(used), Some(asked)) = (value["model"].as_str(), model)
            && used != asked
        {
            return Err(Stop::Usage(format!(
                "`{}` holds results of the model `{used}`, not of `{asked}`",
                file.display()
            )));
        }
        let Some(name) = value["name"].as_str() else { continue };
        let hashes = value["hash"].as_array().into_iter().flatten();
        let qualifier = value["qualifier"]["kind"].as_str().unwrap_or_default();
        results.push(Found {
            name: name.to_string(),
            hashes: hashes.filter_map(|hash| hash.as_str()).map(String::from).collect(),
            place,
            whole: matches!(qualifier, "complete" | "bounded" | "decided"),
        });
    }
    Ok(results)
}

/// Keeps the results that stand for a test as it is now; each stands for one test only.
fn keep(results: &[Found], inputs: &mut Vec<Input>, identify: &dyn Fn(&Input) -> Option<Identity>) -> Kept {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, result) in results.iter().enumerate().filter(|(_, result)| result.whole) {
        by_name.entry(&result.name).or_default().push(index);
    }
    let mut kept = Kept::default();
    let mut stays: Vec<bool> = results.iter().map(|result| result.whole).collect();
    inputs.retain(|input| {
        // Only the parser knows what a test is called: there may be comments before its header, and names have their own rules.
        let Some((name, hashes)) = identify(input) else { return true };
        let Some(left) = by_name.get_mut(name.as_str()) else { return true };
        if let Some(at) = left.iter().position(|index| results[*index].hashes == hashes) {
            left.remove(at);
            return false;
        }
        // The test has changed: what the file says of it is about another one.
        if let Some(stale) = left.pop() {
            stays[stale] = false;
            kept.notes.push(format!("{}: {name} has changed since, it is run again", input.name()));
        }
        true
    });
    for (result, _) in results.iter().zip(&stays).filter(|(_, stays)| **stays) {
        match kept.places.last_mut() {
            Some(last) if last.end == result.place.start => last.end = result.place.end,
            _ => kept.places.push(result.place.clone()),
        }
        kept.tests.push(result.name.clone());
    }
    kept
}

/// A log that is being written: nobody else writes it meanwhile.
#[derive(Debug)]
pub struct Held {
    lock: PathBuf,
}

impl Held {
    /// Takes the log for this process.
    ///
    /// # Errors
    /// Another process has it.
    pub fn new(log: &Path) -> Result<Held, Stop> {
        let mut name = log.as_os_str().to_owned();
        name.push(".lock");
        let lock = PathBuf::from(name);
        // Twice: the first may find the lock of a process that is gone.
        for _ in 0..2 {
            match OpenOptions::new().write(true).create_new(true).open(&lock) {
                Ok(mut file) => {
                    write!(file, "{}", std::process::id())?;
                    return Ok(Held { lock });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let holder = std::fs::read_to_string(&lock).unwrap_or_default();
                    let gone = holder.parse::<u32>().is_ok_and(|id| !is_running(id));
                    if !gone {
                        let (log, lock) = (log.display(), lock.display());
                        return Err(Stop::Usage(format!(
                            "`{log}` is being written by process {holder}; if that is not so, remove `{lock}`"
                        )));
                    }
                    let _ = std::fs::remove_file(&lock);
                }
                Err(error) => {
                    return Err(Stop::Usage(format!("cannot write `{}`: {error}", lock.display())));
                }
            }
        }
        Err(Stop::Usage(format!("cannot take the lock `{}`", lock.display())))
    }

    /// Leaves in the log what is kept of it, and opens it for more. Whatever happens meanwhile, the log is there, as it was or as it is to be.
    pub fn open(&self, log: &Path, kept: &[Range<u64>]) -> io::Result<File> {
        let appended = || OpenOptions::new().append(true).create(true).open(log);
        // Often only half a result at the end is to go.
        if let ([], Err(_)) | ([Range { start: 0, .. }], Ok(_)) = (kept, std::fs::metadata(log)) {
            let file = appended()?;
            file.set_len(kept.first().map_or(0, |place| place.end))?;
            return Ok(file);
        }
        let mut name = log.as_os_str().to_owned();
        name.push(".new");
        let mut new = File::create(&name)?;
        let mut old = File::open(log)?;
        for place in kept {
            old.seek(SeekFrom::Start(place.start))?;
            io::copy(&mut (&mut old).take(place.end - place.start), &mut new)?;
        }
        new.sync_all()?;
        std::fs::rename(&name, log)?;
        appended()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.lock);
    }
}

/// Is there a process of that number? Where nobody can tell: yes.
fn is_running(id: u32) -> bool {
    let processes = Path::new("/proc/self");
    !processes.exists() || Path::new("/proc").join(id.to_string()).exists()
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "places are ranges of bytes")]
mod tests {
    use super::*;

    /// Tests `A`, `B` and `C` with the hashes 1, 2 and 3.
    fn inputs(folder: &Path) -> Vec<Input> {
        ["A", "B", "C"]
            .iter()
            .map(|name| {
                let path = folder.join(format!("{name}.litmus"));
                std::fs::write(&path, format!("X86 {name}\n{{}}\n")).unwrap();
                Input::File(path)
            })
            .collect()
    }

    fn name(input: &Input) -> Option<String> {
        let Input::File(path) = input else { return None };
        Some(path.file_stem()?.to_string_lossy().into_owned())
    }

    fn identify(input: &Input) -> Option<Identity> {
        let name = name(input)?;
        let hash = match name.as_str() {
            "A" => "1",
            "B" => "2",
            _ => "3",
        };
        Some((name, vec![hash.to_string()]))
    }

    fn left(inputs: &[Input]) -> Vec<String> {
        inputs.iter().filter_map(name).collect()
    }

    const A: &str = "Test A Allowed\nStates 1\n\nOk\nObservation A Always 1 0\nHash=1\n\n";

    #[test]
    fn complete_blocks_are_kept_and_their_tests_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let mut inputs = inputs(dir.path());
        let log = dir.path().join("log");
        std::fs::write(&log, format!("{A}Test B Allowed\nStates 3\n0:EAX=")).unwrap();
        let kept = take_up(&log, FormatArg::Herd, None, &mut inputs, &identify).unwrap();
        assert_eq!(kept.places, [0..A.len() as u64]);
        assert_eq!((kept.tests.len(), left(&inputs)), (1, vec!["B".to_string(), "C".to_string()]));
    }

    #[test]
    fn a_test_that_has_changed_is_run_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut inputs = inputs(dir.path());
        let log = dir.path().join("log");
        let old = A.replace("Hash=1", "Hash=0");
        std::fs::write(&log, format!("{old}{}", A.replace(" A ", " B ").replace("Hash=1", "Hash=2")))
            .unwrap();
        let kept = take_up(&log, FormatArg::Herd, None, &mut inputs, &identify).unwrap();
        assert_eq!((kept.tests.len(), left(&inputs)), (1, vec!["A".to_string(), "C".to_string()]));
        assert!(kept.notes[0].ends_with("A has changed since, it is run again"), "{:?}", kept.notes);
    }

    #[test]
    fn a_log_has_one_writer() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let held = Held::new(&log).unwrap();
        let Err(Stop::Usage(message)) = Held::new(&log) else { panic!("taken twice") };
        let wanted = format!("is being written by process {};", std::process::id());
        assert!(message.contains(&wanted), "{message}");
        std::fs::write(&log, "kept\nhalf").unwrap();
        held.open(&log, &[0..5]).unwrap().write_all(b"more\n").unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "kept\nmore\n");
        std::fs::write(&log, "old\nkept\nold\nkept too\n").unwrap();
        held.open(&log, &[4..9, 13..22]).unwrap().write_all(b"more\n").unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "kept\nkept too\nmore\n");
        held.open(&log, &[]).unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "");
        drop(held);
        // One whose holder is gone is nobody's.
        std::fs::write(dir.path().join("log.lock"), "4294967294").unwrap();
        assert!(Held::new(&log).is_ok());
    }

    #[test]
    fn half_a_line_of_jsonl_and_what_was_cut_short_are_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let mut inputs = inputs(dir.path());
        let file = dir.path().join("results.jsonl");
        let line = |name: &str, hash: u32, kind: &str| {
            format!(
                "{{\"name\":\"{name}\",\"model\":\"sc\",\"hash\":[\"{hash}\"],\"qualifier\":{{\"kind\":\"{kind}\"}}}}\n"
            )
        };
        let whole = line("A", 1, "complete");
        std::fs::write(&file, format!("{whole}{}{{\"name\":\"C", line("B", 2, "interrupted"))).unwrap();
        let kept = take_up(&file, FormatArg::Jsonl, Some("sc"), &mut inputs, &identify).unwrap();
        assert_eq!(kept.places, [0..whole.len() as u64]);
        assert_eq!(left(&inputs), ["B", "C"]);
        let Err(Stop::Usage(message)) = take_up(&file, FormatArg::Jsonl, Some("tso"), &mut inputs, &identify)
        else {
            panic!("taken")
        };
        assert!(message.ends_with("holds results of the model `sc`, not of `tso`"), "{message}");
    }
}
