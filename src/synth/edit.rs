//! The text of a program with changes made.

use std::cmp::Reverse;
use std::ops::Range;

use super::patch::{Change, What};
use super::statements::Slot;
use crate::litmus::Test;
use crate::litmus::ast::Code;

/// A test's text with changes made. `None`: they do not fit it.
pub fn apply(test: &Test, text: &str, changes: &[&Change]) -> Option<String> {
    match &test.code {
        Code::Table(_) => table(test, text, changes),
        Code::C(_) => Some(edited(text, changes)),
    }
}

/// Changes that replace one text as one: the one that adds what all of them do, or what stands for them together.
fn joined(changes: &[&Change]) -> Vec<Change> {
    let mut kept: Vec<Change> = Vec::new();
    for change in changes {
        let What::Replace { at, adds: more, .. } = &change.what else {
            kept.push((*change).clone());
            continue;
        };
        let same =
            |other: &&mut Change| matches!(&other.what, What::Replace { at: place, .. } if place == at);
        let Some(known) = kept.iter_mut().find(same) else {
            kept.push((*change).clone());
            continue;
        };
        if let What::Replace { new, adds, joined, .. } = &mut known.what {
            if more & *adds == *adds {
                known.what = change.what.clone();
            } else if more & *adds != *more {
                *adds |= more;
                *new = joined.unwrap_or("").to_string();
            }
        }
    }
    kept
}

/// The table written anew: a cell more moves those below it down.
fn table(test: &Test, text: &str, changes: &[&Change]) -> Option<String> {
    let Code::Table(table) = &test.code else { return None };
    let changes = joined(changes);
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut last = 0;
    let first = table.columns.iter().map(|column| column.span.start as usize).min()?;
    for (thread, column) in table.columns.iter().enumerate() {
        let mut cells = Vec::new();
        for cell in &column.cells {
            last = last.max(cell.span.end as usize);
            let here = || changes.iter().filter(|c| c.thread == thread && c.span == cell.span);
            let mut labels: String = cell.labels.iter().map(|(label, _)| format!("{label}: ")).collect();
            // A jump to the access comes to the fence, too.
            for change in here() {
                if let What::Insert { fence, .. } = &change.what {
                    cells.push(format!("{}{fence}", std::mem::take(&mut labels)));
                }
            }
            let replaced = here().find_map(|change| match &change.what {
                What::Replace { new, .. } => Some(new.clone()),
                _ => None,
            });
            let mut own = replaced.unwrap_or_else(|| cell.text.clone());
            for change in here() {
                own = change.what.dependent(&own).unwrap_or(own);
            }
            for line in own.split('\n') {
                cells.push(format!("{}{line}", std::mem::take(&mut labels)));
            }
        }
        columns.push(cells);
    }
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let header_end = text[first..].find(';')? + first + 1;
    let end = text[last.max(header_end)..].find(';').map_or(header_end, |at| last.max(header_end) + at + 1);
    let header: Vec<&str> = text[start..header_end].trim_end_matches(';').split('|').map(str::trim).collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, cells)| {
            let widest = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            widest.max(header.get(at).map_or(2, |name| name.chars().count()))
        })
        .collect();
    let row = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> =
            (0..columns.len()).map(|at| format!("{:width$}", cell(at), width = widths[at])).collect();
        format!(" {} ;\n", cells.join(" | "))
    };
    let mut new = row(&|at| (*header.get(at).unwrap_or(&"")).to_string());
    for line in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        new += &row(&|at| columns[at].get(line).cloned().unwrap_or_default());
    }
    Some(format!("{}{}{}", &text[..start], new.trim_end_matches('\n'), &text[end..]))
}

/// How much deeper the inside of a block stands than its end.
fn step(indent: &str) -> &'static str {
    if indent.contains('\t') {
        "\t"
    } else if indent.len().is_multiple_of(4) {
        "    "
    } else {
        "  "
    }
}

/// What is put somewhere, or takes the place of something. Of what is put to one place, that which belongs to what ends there comes first, the inner
/// before the outer.
struct Edit {
    at: Range<usize>,
    order: (u8, Reverse<usize>, u8),
    text: String,
}

/// A C text with changes made: a fence before a statement that begins its line is a line of its own.
pub fn edited(text: &str, changes: &[&Change]) -> String {
    let mut edits: Vec<Edit> = Vec::new();
    let mut closed: Vec<Range<usize>> = Vec::new();
    for change in joined(changes) {
        match &change.what {
            What::Replace { new, at, .. } => {
                edits.push(Edit { at: at.clone(), order: (2, Reverse(0), 0), text: new.clone() });
            }
            What::Insert { fence, slot, .. } => insert(text, fence, slot, &mut closed, &mut edits),
            // Only of tests in a table.
            What::Depend { .. } | What::Atomic { .. } => {}
        }
    }
    // Otherwise in the order they were asked for.
    edits.sort_by_key(|edit| (edit.at.start, edit.order));
    let mut new = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    for Edit { at, text: with, .. } in edits {
        new += &text[copied..at.start.max(copied)];
        new += &with;
        copied = copied.max(at.end);
    }
    new + &text[copied..]
}

/// A fence in its place, with the braces that it needs.
fn insert(text: &str, fence: &str, slot: &Slot, closed: &mut Vec<Range<usize>>, edits: &mut Vec<Edit>) {
    let mut put = |at: usize, order, text: String| edits.push(Edit { at: at..at, order, text });
    let Slot { at, behind, braces } = slot;
    let Some(braces) = braces else {
        match behind {
            true => put(*at, (0, Reverse(*at), 0), after(text, *at, fence)),
            false => put(*at, (1, Reverse(0), 1), before(text, *at, fence)),
        }
        return;
    };
    if !closed.contains(braces) {
        put(braces.start, (1, Reverse(0), 0), "{ ".to_string());
        put(braces.end, (0, Reverse(braces.start), 1), " }".to_string());
        closed.push(braces.clone());
    }
    match behind {
        true => put(*at, (0, Reverse(braces.start), 0), format!(" {fence}")),
        false => put(*at, (1, Reverse(0), 1), format!("{fence} ")),
    }
}

/// A fence before what begins at a place.
fn before(text: &str, at: usize, fence: &str) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line..at];
    if !indent.trim().is_empty() {
        return format!("{fence} ");
    }
    // A fence before the brace that ends a body stands as deep as the body.
    let deeper = if text[at..].starts_with('}') { step(indent) } else { "" };
    let own = format!("{deeper}{fence}");
    format!("{own}{}\n{indent}", joint(text, line, indent.len() + own.len()))
}

/// A fence after what ends at a place.
fn after(text: &str, at: usize, fence: &str) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = text[at..].lines().next().unwrap_or("");
    if !rest.trim().is_empty() {
        return format!(" {fence}");
    }
    let indent: String = text[line..].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    format!("\n{indent}{fence}")
}

/// How a line of so many columns ends that goes before another: in the body of a macro, which goes on over lines, as the lines there do.
fn joint(text: &str, line: usize, columns: usize) -> String {
    let own = text[line..].lines().next().unwrap_or("");
    let previous = text[..line].lines().next_back().unwrap_or("");
    let goes_on = [own, previous].into_iter().find(|line| line.ends_with('\\'));
    goes_on.map_or(String::new(), |line| {
        format!("{}\\", " ".repeat(line.len().saturating_sub(columns + 1).max(1)))
    })
}
