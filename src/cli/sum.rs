//! `litmus merge --sum`: the histograms of several runs of one test on hardware, added up.

use std::collections::BTreeMap;

use super::blocks::Block;
use crate::outcome::Count;

/// The blocks of one test, as one block: counts and times are added, the verdict follows from the counts. `None`: one of them is not a
/// histogram, or they are about different conditions.
pub fn sum(blocks: &[&Block]) -> Option<String> {
    let (first, _) = blocks.split_first()?;
    let mut states: BTreeMap<&str, (Count, bool)> = BTreeMap::new();
    let (mut positive, mut negative, mut time) = (Count::ZERO, Count::ZERO, 0f64);
    for block in blocks {
        let mut counted = false;
        for line in block.text.lines() {
            if let Some((count, marked, state)) = outcome(line) {
                states.entry(state).or_insert((Count::ZERO, marked)).0 += count;
            } else if let Some((yes, no)) = witnesses(line) {
                positive += yes;
                negative += no;
                counted = true;
            } else if let Some(seconds) = line.strip_prefix("Time ").and_then(|rest| rest.rsplit(' ').next())
            {
                time += seconds.parse::<f64>().unwrap_or(0.0);
            }
        }
        if !counted || !block.text.lines().any(|line| line.starts_with("Histogram (")) {
            return None;
        }
    }
    let condition = |block: &&Block| block.text.lines().find_map(condition_of).map(str::to_string);
    if blocks.iter().any(|block| condition(block) != condition(first)) {
        return None;
    }
    let kind = first.text.lines().next()?.rsplit(' ').next()?;
    let holds = match kind {
        "Forbidden" => positive.is_zero(),
        "Required" => negative.is_zero(),
        _ => positive > 0,
    };
    let observation = match (positive.is_zero(), negative.is_zero()) {
        (true, _) => "Never",
        (_, true) => "Always",
        _ => "Sometimes",
    };
    let mut out = String::new();
    for line in first.text.lines() {
        if line.starts_with("Histogram (") {
            out += &format!("Histogram ({} states)\n", states.len());
            for (state, (count, marked)) in &states {
                out += &format!("{count:<8}{}>{state}\n", if *marked { '*' } else { ':' });
            }
        } else if outcome(line).is_some() {
            continue;
        } else if matches!(line, "Ok" | "No") {
            out += if holds { "Ok\n" } else { "No\n" };
        } else if witnesses(line).is_some() {
            out += &format!("Positive: {positive}, Negative: {negative}\n");
        } else if let (Some(condition), true) = (condition_of(line), line.contains(" is ")) {
            let word = if holds { "validated" } else { "NOT validated" };
            out += &format!("Condition {condition} is {word}\n");
        } else if line.starts_with("Observation ") {
            out += &format!("Observation {} {observation} {positive} {negative}\n", first.name);
        } else if line.starts_with("Time ") {
            out += &format!("Time {} {time:.2}\n", first.name);
        } else {
            out += line;
            out.push('\n');
        }
    }
    Some(out)
}

/// `500   :>0:R0=1;`: how often, whether it satisfies the condition, and the state.
fn outcome(line: &str) -> Option<(Count, bool, &str)> {
    let (count, state) = line.split_once('>')?;
    let marked = count.ends_with('*');
    let count = count.strip_suffix(['*', ':'])?.trim().parse().ok()?;
    Some((count, marked, state))
}

/// `Positive: 1, Negative: 999`.
fn witnesses(line: &str) -> Option<(Count, Count)> {
    let (positive, negative) = line.strip_prefix("Positive: ")?.split_once("Negative: ")?;
    Some((positive.trim().trim_end_matches(',').parse().ok()?, negative.trim().parse().ok()?))
}

/// `Condition exists (…) is validated`: the condition.
fn condition_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("Condition ")?;
    Some(
        rest.strip_suffix(" is NOT validated").or_else(|| rest.strip_suffix(" is validated")).unwrap_or(rest),
    )
}
