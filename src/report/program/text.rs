//! For people.

use std::fmt::Write;

use super::{Checked, place};
use crate::program::Property;
use crate::report::several;
use crate::source::{Sources, Span};
use crate::verify::{By, Step, Violation};

/// How much of an execution is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// The steps that the violation depends on.
    #[default]
    Short,
    /// Every step.
    Full,
    /// The steps side by side, one column for each thread.
    Graph,
}

/// The verdict, what is violated, how it comes about, the figures.
pub fn text(checked: &Checked, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(checked, detail, &mut out);
    out
}

fn write(checked: &Checked, detail: Detail, out: &mut String) -> std::fmt::Result {
    let Some(answer) = &checked.answer else { return Ok(()) };
    let sources = &checked.sources;
    writeln!(out, "{}: {} under {}", checked.file, checked.verdict(), checked.model)?;
    for violation in &answer.violations {
        self::violation(violation, sources, out)?;
        match (violation.executions, violation.parts.len()) {
            (1, 0 | 1) => {}
            (1, _) => writeln!(out, "   how it comes about:")?,
            (n, _) => writeln!(out, "   in {n} executions; one of them:")?,
        }
        match detail {
            Detail::Short => steps(violation.trace.iter().filter(|step| step.matters), sources, out)?,
            Detail::Full => steps(violation.trace.iter(), sources, out)?,
            Detail::Graph => columns(&violation.trace, sources, out)?,
        }
    }
    for warning in &answer.warnings {
        out.push_str("  warning: ");
        let mut text = String::new();
        self::violation(warning, sources, &mut text)?;
        out.push_str(text.trim_start());
        if warning.property == Property::Race {
            writeln!(out, "    {} has no rule for it, C has; --races makes it a violation", checked.model)?;
        }
    }
    if let Some(why) = answer.stopped {
        let what = crate::diag::Diagnostic::stopped(why, "").message;
        writeln!(out, "  {}: what was not looked at may violate something", what.trim_end())?;
    }
    for cut in &answer.cuts {
        let what = if cut.is_recursion { "recursion" } else { "a loop" };
        writeln!(out, "  {what} was cut at {}", at(cut.span, sources))?;
    }
    match answer.by {
        By::Growing => writeln!(
            out,
            "  {} complete, {} blocked, {} cut, {} violating{}",
            answer.complete,
            answer.blocked,
            answer.cut,
            answer.violating,
            if answer.symmetric { ", up to exchange of threads" } else { "" }
        ),
        By::States(states) => writeln!(
            out,
            "  by {}: {} complete, {} blocked, {} cut, {} violating, up to the state that they end in",
            several(states, "state"),
            answer.complete,
            answer.blocked,
            answer.cut,
            answer.violating
        ),
        By::Solver(stats) => writeln!(
            out,
            "  by the solver: {}, {}, {}",
            several(stats.events as u64, "event"),
            several(stats.proposals, "proposal"),
            several(stats.reasons, "reason")
        ),
    }
}

fn at(span: Span, sources: &Sources) -> String {
    let (file, line, _) = place(span, sources);
    format!("{file}:{line}")
}

fn violation(violation: &Violation, sources: &Sources, out: &mut String) -> std::fmt::Result {
    let parts = &violation.parts;
    match &parts[..] {
        [] => writeln!(out, "  {}", violation.property),
        [one] if one.does.is_empty() => {
            writeln!(out, "  {} at {}, by {}", violation.property, at(one.span, sources), one.thread)
        }
        _ => {
            writeln!(out, "  {}", violation.property)?;
            let width = parts.iter().map(|part| part.thread.len()).max().unwrap_or(0);
            for part in parts {
                let place = at(part.span, sources);
                let text = if part.text.is_empty() { String::new() } else { format!("  {}", part.text) };
                writeln!(out, "    {:<width$}  {place}{text}: {}", part.thread, part.does)?;
            }
            Ok(())
        }
    }
}

fn steps<'s>(steps: impl Iterator<Item = &'s Step>, sources: &Sources, out: &mut String) -> std::fmt::Result {
    let steps: Vec<&Step> = steps.collect();
    let width = steps.iter().map(|step| step.thread.len()).max().unwrap_or(0);
    for step in steps {
        let text = if step.text.is_empty() { String::new() } else { format!("  {}", step.text) };
        let what = what(step, sources);
        writeln!(out, "    {:<width$}  {}{text}: {what}", step.thread, at(step.span, sources))?;
    }
    Ok(())
}

/// What happened, and where a value came from.
pub(super) fn what(step: &Step, sources: &Sources) -> String {
    match &step.from {
        Some((thread, span)) => {
            let (file, line, _) = place(*span, sources);
            match file == place(step.span, sources).0 {
                true => format!("{}, written by {thread} in line {line}", step.what),
                false => format!("{}, written by {thread} in {file}:{line}", step.what),
            }
        }
        None => step.what.clone(),
    }
}

/// One column for each thread, time going down.
fn columns(trace: &[Step], sources: &Sources, out: &mut String) -> std::fmt::Result {
    let mut threads: Vec<&str> = Vec::new();
    for step in trace.iter().filter(|step| step.matters) {
        if !threads.contains(&step.thread.as_str()) {
            threads.push(&step.thread);
        }
    }
    let label = |step: &Step| format!("{}: {}", place(step.span, sources).1, what(step, sources));
    let width = |thread: &str| {
        let own = trace.iter().filter(|step| step.matters && step.thread == thread);
        own.map(|step| label(step).chars().count()).max().unwrap_or(0).max(thread.len())
    };
    let widths: Vec<usize> = threads.iter().map(|thread| width(thread)).collect();
    let mut line = |cells: Vec<String>| {
        let padded: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(out, "    {}", padded.join(" | ").trim_end())
    };
    line(threads.iter().map(|thread| (*thread).to_string()).collect())?;
    line(widths.iter().map(|width| "-".repeat(*width)).collect())?;
    for step in trace.iter().filter(|step| step.matters) {
        line(threads.iter().map(|t| if *t == step.thread { label(step) } else { String::new() }).collect())?;
    }
    Ok(())
}
