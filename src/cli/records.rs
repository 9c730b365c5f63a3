//! Results read back from `--format jsonl`: as a log, and units of one search put together.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use super::Stop;
use crate::outcome::Count;
use crate::session::UnitId;

/// What a result says, as far as a log shows it.
#[derive(Deserialize, Clone, Debug)]
pub struct Saved {
    pub name: String,
    pub model: Option<String>,
    kind: Option<String>,
    condition: Option<String>,
    verdict: Option<String>,
    positive: Option<Count>,
    negative: Option<Count>,
    #[serde(default)]
    states: Option<Vec<SavedState>>,
    #[serde(default)]
    flags: Vec<String>,
    qualifier: SavedQualifier,
    #[serde(default)]
    pub hash: Vec<String>,
    /// Which part of the search it is.
    #[serde(default)]
    unit: Option<SavedUnit>,
    time: SavedTime,
}

#[derive(Deserialize, Clone, Debug)]
struct SavedState {
    line: String,
    witnesses: Option<Count>,
}

#[derive(Deserialize, Clone, Debug)]
struct SavedUnit {
    #[serde(flatten)]
    id: UnitId,
    left: usize,
}

#[derive(Deserialize, Clone, Debug)]
struct SavedQualifier {
    kind: String,
    #[serde(default)]
    loops: Vec<serde_json::Value>,
}

#[derive(Deserialize, Clone, Copy, Debug)]
struct SavedTime {
    total: f64,
}

/// The results of a file, one a line.
pub fn read(text: &str, path: &Path) -> Result<Vec<Saved>, Stop> {
    let wrong =
        |line: usize, why: &dyn std::fmt::Display| Stop::Usage(format!("{}:{line}: {why}", path.display()));
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line)
                .map_err(|error| wrong(index + 1, &format!("not a result of litmus: {error}")))
        })
        .collect()
}

/// Is it such a file?
pub fn looks_like_jsonl(text: &str) -> bool {
    text.starts_with('{')
}

impl Saved {
    /// As a block of a log; `None`: there is no answer.
    pub fn block(&self) -> Option<String> {
        let (kind, verdict, condition) =
            (self.kind.as_ref()?, self.verdict.as_ref()?, self.condition.as_ref()?);
        let (positive, negative) = (self.positive.as_ref()?, self.negative.as_ref()?);
        let states = self.states.as_deref().unwrap_or_default();
        let mut text = format!("Test {} {kind}\nStates {}\n", self.name, states.len());
        for state in states {
            let _ = writeln!(text, "{}", state.line);
        }
        let cut = if self.qualifier.loops.is_empty() { "" } else { "Loop " };
        let _ = writeln!(text, "{cut}{verdict}\nWitnesses");
        let (first, second) = if kind == "Forbidden" { (negative, positive) } else { (positive, negative) };
        let _ = writeln!(text, "Positive: {first} Negative: {second}");
        let undefined = (verdict == "Undef").then_some("*undef*");
        for flag in undefined.into_iter().chain(self.flags.iter().map(String::as_str)) {
            let _ = writeln!(text, "Flag {flag}");
        }
        let observation = match (positive.is_zero(), negative.is_zero()) {
            (true, _) => "Never",
            (_, true) => "Always",
            _ => "Sometimes",
        };
        let _ = writeln!(
            text,
            "Condition {condition}\nObservation {} {observation} {positive} {negative}",
            self.name
        );
        let _ = writeln!(text, "Time {} {:.2}", self.name, self.time.total);
        for hash in &self.hash {
            let _ = writeln!(text, "Hash={hash}");
        }
        text.push('\n');
        Some(text)
    }
}

/// The whole of a search from its units, all of them there.
pub fn join(units: &[Saved]) -> Result<Saved, String> {
    let Some(first) = units.first() else { return Err("there is no unit".to_string()) };
    let name = &first.name;
    let mut there: BTreeMap<&str, &SavedUnit> = BTreeMap::new();
    let mut cut: Option<&UnitId> = None;
    for saved in units {
        let Some(unit) = &saved.unit else { return Err(format!("a result of {name} is not a unit's")) };
        let UnitId { number, of, plan } = &unit.id;
        let known = cut.get_or_insert(&unit.id);
        if known.of != *of {
            return Err(format!("{name} was split into {} units, and into {of}", known.of));
        }
        if known.plan != *plan {
            return Err(format!(
                "unit {number}/{of} of {name} is not of the same split as unit {}",
                known.number
            ));
        }
        let kind = &saved.qualifier.kind;
        if !matches!(kind.as_str(), "complete" | "bounded") {
            return Err(format!("unit {number}/{of} of {name} did not come to its end: {kind}"));
        }
        if there.insert(number, unit).is_some() {
            return Err(format!("unit {number}/{of} of {name} is there twice"));
        }
    }
    let of = cut.map_or(0, |cut| cut.of);
    // Those of the split, and those that a unit left to others.
    let mut wanted: Vec<String> = (1..=of).rev().map(|number| number.to_string()).collect();
    while let Some(number) = wanted.pop() {
        let Some(unit) = there.remove(number.as_str()) else {
            return Err(format!("unit {number}/{of} of {name} is missing"));
        };
        wanted.extend((1..=unit.left).rev().map(|part| format!("{number}.{part}")));
    }
    if let Some(number) = there.keys().next() {
        return Err(format!("unit {number}/{of} of {name} is not one of its search"));
    }
    let mut whole = first.clone();
    whole.unit = None;
    let mut states: BTreeMap<Vec<Key>, SavedState> = BTreeMap::new();
    let (mut positive, mut negative) = (Count::ZERO, Count::ZERO);
    whole.time.total = 0.0;
    for unit in units {
        positive += unit.positive.clone().unwrap_or_default();
        negative += unit.negative.clone().unwrap_or_default();
        whole.time.total += unit.time.total;
        for flag in &unit.flags {
            if !whole.flags.contains(flag) {
                whole.flags.push(flag.clone());
            }
        }
        for cut in &unit.qualifier.loops {
            if !whole.qualifier.loops.contains(cut) {
                whole.qualifier.loops.push(cut.clone());
            }
        }
        for state in unit.states.iter().flatten() {
            let key = state.line.split(';').map(Key::of).collect();
            states
                .entry(key)
                .and_modify(|known| {
                    known.witnesses =
                        known.witnesses.as_ref().zip(state.witnesses.as_ref()).map(|(a, b)| a + b)
                })
                .or_insert_with(|| state.clone());
        }
    }
    whole.flags.sort();
    let undefined = units.iter().any(|unit| unit.verdict.as_deref() == Some("Undef"));
    let holds = match whole.kind.as_deref() {
        Some("Required") => negative.is_zero(),
        Some("Forbidden") => positive.is_zero(),
        _ => positive > 0,
    };
    let verdict = if undefined {
        "Undef"
    } else if holds {
        "Ok"
    } else {
        "No"
    };
    whole.verdict = Some(verdict.to_string());
    (whole.positive, whole.negative) = (Some(positive), Some(negative));
    whole.states = Some(states.into_values().collect());
    Ok(whole)
}

/// The order in which states are listed: by value, numbers as such.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(i128),
    Text(String),
}

impl Key {
    fn of(binding: &str) -> Key {
        let value = binding.split_once('=').map_or(binding, |(_, value)| value).trim();
        value.parse().map_or_else(|_| Key::Text(value.to_string()), Key::Number)
    }
}
