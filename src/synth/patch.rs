//! Changes of a test's text: a fence put before an access, or an access made stronger.

use crate::litmus::Test;
use crate::litmus::ast::Code;
use crate::program::{Op, Program};
use crate::source::Span;

use super::vocabulary::Vocabulary;

/// A change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The thread.
    pub thread: usize,
    /// The access before which a fence goes, or which becomes stronger: its number among the accesses of the thread.
    pub access: usize,
    /// What is done.
    pub what: What,
    /// What it costs.
    pub cost: u32,
}

/// What is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// This goes before the access.
    Insert(&'static str),
    /// This text takes the place of the access's.
    Replace(String),
}

/// The accesses of a thread, in the order of its text: the places of their instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// For each thread.
    pub threads: Vec<Vec<Span>>,
}

impl Places {
    /// Of a program.
    pub fn new(program: &Program) -> Places {
        let places = |code: &[crate::program::Instr]| {
            let mut spans: Vec<Span> =
                code.iter().filter(|instr| instr.ops.iter().any(is_access)).map(|instr| instr.span).collect();
            spans.sort_by_key(|span| span.start);
            spans.dedup();
            spans
        };
        Places { threads: program.threads.iter().map(|thread| places(&thread.code)).collect() }
    }
}

/// Does an operation touch memory, or may it?
fn is_access(op: &Op) -> bool {
    match op {
        Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } => true,
        Op::If { then, otherwise, .. } | Op::Conditional { then, otherwise, .. } => {
            then.iter().chain(otherwise).any(is_access)
        }
        Op::Choice { branches } => branches.iter().flatten().any(is_access),
        _ => false,
    }
}

/// Every single change that a vocabulary has for a test.
pub fn changes(vocabulary: &Vocabulary, places: &Places, text: &str) -> Vec<Change> {
    let mut all = Vec::new();
    for (thread, spans) in places.threads.iter().enumerate() {
        for (access, span) in spans.iter().enumerate() {
            // Before the first access of a thread a fence orders nothing.
            if access > 0 {
                let inserted = vocabulary.fences.iter().map(|fence| Change {
                    thread,
                    access,
                    what: What::Insert(fence.text),
                    cost: fence.cost,
                });
                all.extend(inserted);
            }
            let own = text.get(span.start as usize..span.end as usize).unwrap_or("");
            for stronger in vocabulary.accesses {
                if let Some(new) = replaced(own, stronger.plain, stronger.strong) {
                    all.push(Change { thread, access, what: What::Replace(new), cost: stronger.cost });
                }
            }
        }
    }
    all
}

/// The text of an access with a stronger form in it.
fn replaced(own: &str, plain: &str, strong: &str) -> Option<String> {
    match plain.ends_with(' ') {
        // An instruction: its name is the first word, and strong forms take a plain address only.
        true => {
            let rest = own.trim_start();
            let name = rest.split_whitespace().next()?;
            let simple = own.contains('[') && own.trim_end().ends_with(']') && own.matches(',').count() == 1;
            (name.eq_ignore_ascii_case(plain.trim()) && simple)
                .then(|| format!("{strong}{}", rest[name.len()..].trim_start()))
        }
        false => {
            let at = own.find(plain)?;
            let end = at + plain.len();
            // `READ_ONCE(*x)` becomes `smp_load_acquire((x))`: the bracket opened here is closed after the operand.
            let tail = match strong.ends_with("((") {
                true => {
                    let close = own[end..].find([',', ')'])? + end;
                    format!("{}){}", &own[end..close], &own[close..])
                }
                false => own[end..].to_string(),
            };
            Some(format!("{}{strong}{tail}", &own[..at]))
        }
    }
}

/// A test's text with changes made. `None`: they do not fit it.
pub fn apply(test: &Test, places: &Places, text: &str, changes: &[&Change]) -> Option<String> {
    match &test.code {
        Code::Table(_) => table(test, places, text, changes),
        Code::C(_) => Some(lines(places, text, changes)),
    }
}

/// The table written anew: a cell more moves those below it down.
fn table(test: &Test, places: &Places, text: &str, changes: &[&Change]) -> Option<String> {
    let Code::Table(table) = &test.code else { return None };
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut last = 0;
    let first = table.columns.iter().map(|column| column.span.start as usize).min()?;
    for (thread, column) in table.columns.iter().enumerate() {
        let mut cells = Vec::new();
        for cell in &column.cells {
            last = last.max(cell.span.end as usize);
            let access = places.threads.get(thread)?.iter().position(|span| *span == cell.span);
            let here = || changes.iter().filter(|c| c.thread == thread && Some(c.access) == access);
            for change in here() {
                if let What::Insert(fence) = &change.what {
                    cells.push((*fence).to_string());
                }
            }
            let labels: String = cell.labels.iter().map(|(label, _)| format!("{label}: ")).collect();
            let replaced = here().find_map(|change| match &change.what {
                What::Replace(new) => Some(new.clone()),
                What::Insert(_) => None,
            });
            cells.push(format!("{labels}{}", replaced.unwrap_or_else(|| cell.text.clone())));
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

/// A program in lines: a fence is a line of its own.
fn lines(places: &Places, text: &str, changes: &[&Change]) -> String {
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for change in changes {
        let Some(span) = places.threads.get(change.thread).and_then(|spans| spans.get(change.access)) else {
            continue;
        };
        let (start, end) = (span.start as usize, span.end as usize);
        match &change.what {
            What::Replace(new) => edits.push((start, end, new.clone())),
            What::Insert(fence) => {
                let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
                let indent: String =
                    text[line..].chars().take_while(|c| c.is_whitespace() && *c != '\n').collect();
                edits.push((line, line, format!("{indent}{fence}\n")));
            }
        }
    }
    edits.sort_by_key(|(start, end, _)| (*start, *end));
    let mut new = text.to_string();
    for (start, end, with) in edits.iter().rev() {
        new.replace_range(*start..*end, with);
    }
    new
}
