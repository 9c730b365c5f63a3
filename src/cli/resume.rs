//! `--resume`: taking up an interrupted run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::session::Input;

use super::Stop;
use super::args::FormatArg;

/// What an interrupted run left behind.
#[derive(Debug, Default, PartialEq)]
pub struct Kept {
    /// Complete results, as they stand in the file.
    pub text: Vec<u8>,
    /// How many.
    pub tests: usize,
}

/// Reads the output of an interrupted run and removes the tests from `inputs` that it already holds. What comes after the last
/// complete result is dropped. A file that does not exist is an empty one.
pub fn take_up(file: &Path, format: FormatArg, inputs: &mut Vec<Input>) -> Result<Kept, Stop> {
    let text = match std::fs::read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Kept::default()),
        Err(error) => return Err(Stop::Usage(format!("cannot read `{}`: {error}", file.display()))),
    };
    match format {
        FormatArg::Herd => Ok(take_log(&text, inputs)),
        FormatArg::Jsonl => Ok(take_jsonl(&text, inputs)),
        _ => Err(Stop::Usage("--resume goes with --format herd or jsonl".to_string())),
    }
}

/// A block is complete when its empty line is there. Blocks carry the test's name, not its file: each block stands for the first
/// file with a test of that name that has not had one yet.
fn take_log(text: &str, inputs: &mut Vec<Input>) -> Kept {
    let end = text.rfind("\n\n").map_or(0, |at| at + 2);
    let whole = &text[..end];
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut tests = 0;
    for line in whole.lines() {
        if let Some(name) = line.strip_prefix("Test ").and_then(|rest| rest.split_whitespace().next()) {
            *names.entry(name).or_default() += 1;
            tests += 1;
        }
    }
    inputs.retain(|input| {
        let left = header_name(input).and_then(|name| names.get_mut(name.as_str()));
        match left {
            Some(left @ 1..) => {
                *left -= 1;
                false
            }
            _ => true,
        }
    });
    Kept { text: whole.as_bytes().to_vec(), tests }
}

fn take_jsonl(text: &str, inputs: &mut Vec<Input>) -> Kept {
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    let mut tests = 0;
    for line in text[..end].lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(file) = value["file"].as_str() {
            *files.entry(file.to_string()).or_default() += 1;
            tests += 1;
        }
    }
    inputs.retain(|input| match files.get_mut(&input.name()) {
        Some(left @ 1..) => {
            *left -= 1;
            false
        }
        _ => true,
    });
    Kept { text: text.as_bytes()[..end].to_vec(), tests }
}

/// The name in a test's header line, without parsing the test.
pub fn header_name(input: &Input) -> Option<String> {
    let Input::File(path) = input else { return None };
    let bytes = std::fs::read(path).ok()?;
    let line = bytes.split(|b| *b == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let name = line.split_whitespace().nth(1)?;
    if name == "--" {
        return Some(path.file_stem()?.to_string_lossy().into_owned());
    }
    Some(name.strip_suffix(".litmus").unwrap_or(name).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_blocks_are_kept_and_their_tests_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let mut inputs: Vec<Input> = ["A", "B", "C"]
            .iter()
            .map(|name| {
                let path = dir.path().join(format!("{name}.litmus"));
                std::fs::write(&path, format!("X86 {name}\n{{}}\n")).unwrap();
                Input::File(path)
            })
            .collect();
        let log = dir.path().join("log");
        std::fs::write(&log, "Test A Allowed\nStates 0\nHash=1\n\nTest B Allowed\nStates 3\n0:EAX=").unwrap();
        let kept = take_up(&log, FormatArg::Herd, &mut inputs).unwrap();
        assert_eq!(String::from_utf8(kept.text).unwrap(), "Test A Allowed\nStates 0\nHash=1\n\n");
        assert_eq!(kept.tests, 1);
        assert!(inputs.iter().all(|i| !i.name().ends_with("A.litmus")) && inputs.len() == 2);
    }

    #[test]
    fn half_a_line_of_jsonl_is_dropped() {
        let mut inputs = vec![Input::File("a".into()), Input::File("b".into())];
        let kept = take_jsonl("{\"file\":\"a\"}\n{\"file\":\"b", &mut inputs);
        assert_eq!(kept.tests, 1);
        assert_eq!(inputs, [Input::File("b".into())]);
    }
}
