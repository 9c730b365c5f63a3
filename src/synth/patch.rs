//! Changes of a program's text: a fence put before an access, or an access made stronger.

use std::ops::Range;

use crate::litmus::Test;
use crate::litmus::ast::Code;
use crate::program::{Op, Program};
use crate::source::{SourceId, Span};

use super::dependency;
use super::statements::{Statement, statement_of, statements};
use super::vocabulary::{Form, Stronger, Vocabulary};

/// A change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The thread.
    pub thread: usize,
    /// The access before which a fence goes, or which becomes stronger: its number among the accesses of the thread.
    pub access: usize,
    /// The place of that access.
    pub span: Span,
    /// What is done.
    pub what: What,
    /// What it is called in a list of prices.
    pub name: &'static str,
    /// What it costs.
    pub cost: u32,
}

/// What is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// This goes before the access, at that place of the text.
    Insert {
        /// The fence.
        fence: &'static str,
        /// The place.
        at: usize,
        /// Braces are needed, up to there.
        alone: Option<usize>,
        /// It goes after the access instead: before a jump, or at the end of a block.
        after: bool,
    },
    /// This text takes the place of another.
    Replace {
        /// The new text.
        new: String,
        /// Where the old one stands.
        at: Range<usize>,
        /// What it adds to the access (see [`Stronger`]).
        adds: u8,
        /// The text that stands for two such changes that add different things.
        joined: Option<&'static str>,
    },
    /// The access depends on an earlier read.
    Depend {
        /// What goes before it, a line each; `%a` is what the access is based on.
        lines: String,
        /// What it is then based on.
        base: Option<String>,
        /// A label of the access itself.
        label: Option<String>,
        /// Where the access stands.
        at: usize,
    },
    /// The write does not wait in a buffer.
    Atomic {
        /// The cell; whichever it writes to if that is known only at run time.
        cell: Option<usize>,
        /// Its number among the writes of the thread.
        write: usize,
    },
}

impl What {
    /// The text of an access that is made to depend on a read.
    pub fn dependent(&self, own: &str) -> Option<String> {
        match self {
            What::Depend { lines, base, label, .. } => {
                Some(dependency::rest_on(own, lines, base.as_deref(), label.as_deref()))
            }
            _ => None,
        }
    }

    /// Is the text that comes out the same?
    fn same_as(&self, other: &What) -> bool {
        match (self, other) {
            (What::Insert { fence: a, at: x, .. }, What::Insert { fence: b, at: y, .. }) => (a, x) == (b, y),
            _ => self == other,
        }
    }
}

impl Change {
    /// Does the change do nothing where another has been made?
    pub fn covered_by(&self, others: &[&Change]) -> bool {
        others.contains(&self)
            || match &self.what {
                What::Replace { at, adds, .. } => {
                    let there = others.iter().fold(0, |sum, other| match &other.what {
                        What::Replace { at: place, adds, .. } if place == at => sum | adds,
                        _ => sum,
                    });
                    there & adds == *adds
                }
                _ => false,
            }
    }
}

/// An access: the place of its instruction, and where a fence before it goes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Access {
    span: Span,
    before: usize,
    alone: Option<usize>,
    /// Does a fence before it come after another access?
    later: bool,
    /// It is a write, and control goes elsewhere after it, from there: another place for a fence.
    leaves: Option<(usize, Option<usize>)>,
}

/// The accesses of each thread, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    threads: Vec<Vec<Access>>,
}

impl Places {
    /// Of a test.
    pub fn new(test: &Test, program: &Program, text: &str) -> Places {
        match &test.code {
            Code::Table(_) => Places::of(program, test.source, &|_| None),
            Code::C(_) => Places::of_c(program, test.source, text),
        }
    }

    /// Of a C program.
    pub fn of_c(program: &Program, source: SourceId, text: &str) -> Places {
        let all = statements(text);
        let mut places = Places::of(program, source, &|at| statement_of(&all, at).cloned());
        for (accesses, thread) in places.threads.iter_mut().zip(&program.threads) {
            accesses.retain(|access| statement_of(&all, access.span.start as usize).is_some());
            for access in accesses {
                let at = access.span.start as usize;
                let writes = |instr: &crate::program::Instr| {
                    instr.span == access.span && instr.ops.iter().any(is_write)
                };
                let own = statement_of(&all, at).map_or(at, |statement| statement.own.end);
                let next = all.iter().filter(|other| other.before >= own).min_by_key(|other| other.before);
                if thread.code.iter().any(writes) {
                    access.leaves = next.filter(|next| next.leaves).map(|next| (next.before, next.alone));
                }
            }
        }
        places
    }

    fn of(program: &Program, source: SourceId, statement: &dyn Fn(usize) -> Option<Statement>) -> Places {
        let places = |code: &[crate::program::Instr]| {
            let touches = |instr: &&crate::program::Instr| {
                instr.span.source == source && instr.ops.iter().any(is_access)
            };
            let mut spans: Vec<Span> = code.iter().filter(touches).map(|instr| instr.span).collect();
            spans.sort_by_key(|span| (span.start, span.end));
            spans.dedup();
            let loops = goes_back(code);
            let access = |(number, span): (usize, Span)| {
                let start = span.start as usize;
                let statement = statement(start);
                Access {
                    span,
                    before: statement.as_ref().map_or(start, |statement| statement.before),
                    alone: statement.and_then(|statement| statement.alone),
                    // Before the first access of a thread a fence orders nothing, unless the thread comes back to it.
                    later: number > 0 || loops,
                    leaves: None,
                }
            };
            spans.into_iter().enumerate().map(access).collect()
        };
        Places { threads: program.threads.iter().map(|thread| places(&thread.code)).collect() }
    }
}

/// Does a thread jump back?
fn goes_back(code: &[crate::program::Instr]) -> bool {
    fn back(op: &Op, here: usize) -> bool {
        match op {
            Op::Jump { target: crate::program::Target::Pc(pc) } | Op::Goto { pc } => *pc <= here,
            Op::If { then, otherwise, .. } => then.iter().chain(otherwise).any(|op| back(op, here)),
            _ => false,
        }
    }
    code.iter().enumerate().any(|(here, instr)| instr.ops.iter().any(|op| back(op, here)))
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

/// Is it a write, or may it be one?
fn is_write(op: &Op) -> bool {
    match op {
        Op::Store { .. } => true,
        Op::If { then, otherwise, .. } => then.iter().chain(otherwise).any(is_write),
        _ => false,
    }
}

/// Every single change that a vocabulary has for a test or a program.
pub fn changes(vocabulary: &Vocabulary, places: &Places, text: &str) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    // Threads that run the same text have their changes in common.
    let mut add = |change: Change| {
        if !all.iter().any(|known| known.what.same_as(&change.what)) {
            all.push(change);
        }
    };
    for (thread, accesses) in places.threads.iter().enumerate() {
        for (number, access) in accesses.iter().enumerate() {
            let Access { span, before, alone, later, leaves } = *access;
            let places = later.then_some((before, alone, false));
            for (at, alone, after) in places.into_iter().chain(leaves.map(|(at, alone)| (at, alone, true))) {
                for fence in vocabulary.fences {
                    let what = What::Insert { fence: fence.text, at, alone, after };
                    add(Change { thread, access: number, span, what, name: fence.name, cost: fence.cost });
                }
            }
            for stronger in vocabulary.accesses {
                for (at, new) in replaced(stronger, span, text, thread_text(accesses, text)) {
                    let (adds, joined) = (stronger.adds, stronger.joined);
                    let what = What::Replace { new, at, adds, joined };
                    let (name, cost) = (stronger.name, stronger.cost);
                    add(Change { thread, access: number, span, what, name, cost });
                }
            }
            for dependency in vocabulary.dependencies {
                for (earlier, read) in accesses[..number].iter().enumerate() {
                    let label = format!("LD{thread}{number}{earlier}{}", dependency.name.len());
                    if let Some(what) = dependency::made(dependency, (read.span, earlier), span, &label, text)
                    {
                        let (name, cost) = (dependency.name, dependency.cost);
                        add(Change { thread, access: number, span, what, name, cost });
                    }
                }
            }
        }
    }
    all
}

/// The text from the first access of a thread to its last, and whatever stands beside it: registers that it uses are named there.
fn thread_text<'t>(accesses: &[Access], text: &'t str) -> &'t str {
    let start = accesses.first().map_or(0, |access| access.span.start as usize);
    let end = accesses.last().map_or(0, |access| access.span.end as usize);
    text.get(start..end).unwrap_or("")
}

/// The places of an access that a stronger form changes, and the new text of each.
fn replaced(stronger: &Stronger, span: Span, text: &str, thread: &str) -> Vec<(Range<usize>, String)> {
    let whole = span.start as usize..span.end as usize;
    let Some(own) = text.get(whole.clone()) else { return Vec::new() };
    match stronger.form {
        Form::Mnemonic(plain, strong) => {
            let rest = own.trim_start();
            let name = rest.split_whitespace().next().unwrap_or("");
            // Strong forms take a plain address only.
            let simple = own.contains('[') && own.trim_end().ends_with(']') && own.matches(',').count() == 1;
            match name.eq_ignore_ascii_case(plain) && simple {
                true => vec![(whole, format!("{strong} {}", rest[name.len()..].trim_start()))],
                false => Vec::new(),
            }
        }
        Form::Pattern(plain, strong) => dependency::matched(plain, own)
            .map(|parts| vec![(whole, parts.filled(strong))])
            .unwrap_or_default(),
        Form::Exchange => exchange(own, thread).map(|new| vec![(whole, new)]).unwrap_or_default(),
        Form::Words(plain, strong) => {
            let occurrences = own.match_indices(plain).map(|(at, _)| at);
            occurrences
                .filter(|at| stronger.fits(&own[..*at], &own[*at..]))
                .filter_map(|at| {
                    let end = at + plain.len();
                    let start = whole.start;
                    // `READ_ONCE(*x)` becomes `smp_load_acquire((x))`: the bracket opened here is closed after the operand.
                    match strong.ends_with("((") {
                        true => {
                            let close = own[end..].find([',', ')'])? + end;
                            Some((start + at..start + close, format!("{strong}{})", &own[end..close])))
                        }
                        false => Some((start + at..start + end, strong.to_string())),
                    }
                })
                .collect()
        }
    }
}

/// `MOV [x],$1` as an exchange: the value goes to a register that is not used, then both are exchanged.
fn exchange(own: &str, thread: &str) -> Option<String> {
    let rest = own.trim().strip_prefix("MOV").or_else(|| own.trim().strip_prefix("mov"))?;
    let (to, value) = rest.trim().split_once(',')?;
    let (to, value) = (to.trim(), value.trim());
    if !to.starts_with('[') {
        return None;
    }
    let upper = thread.to_ascii_uppercase();
    let free = ["EDI", "ESI", "EDX", "ECX", "EBX"].into_iter().find(|name| !upper.contains(&name[1..]))?;
    Some(format!("MOV {free},{value}\nXCHG {to},{free}"))
}

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

/// A C text with changes made: a fence before a statement that begins its line is a line of its own.
pub fn edited(text: &str, changes: &[&Change]) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut closed: Vec<usize> = Vec::new();
    for change in joined(changes) {
        match &change.what {
            What::Replace { new, at, .. } => edits.push((at.clone(), new.clone())),
            What::Insert { fence, at, alone: None, .. } => {
                let line = text[..*at].rfind('\n').map_or(0, |newline| newline + 1);
                let indent = &text[line..*at];
                let with = match indent.trim().is_empty() {
                    // A fence before the brace that ends a body stands as deep as the body.
                    true if text[*at..].starts_with('}') => format!("{}{fence}\n{indent}", step(indent)),
                    true => format!("{fence}\n{indent}"),
                    false => format!("{fence} "),
                };
                edits.push((*at..*at, with));
            }
            What::Insert { fence, at, alone: Some(end), .. } => {
                let first = !closed.contains(end);
                edits.push((*at..*at, format!("{}{fence} ", if first { "{ " } else { "" })));
                if first {
                    edits.push((*end..*end, " }".to_string()));
                    closed.push(*end);
                }
            }
            // Only of tests in a table.
            What::Depend { .. } | What::Atomic { .. } => {}
        }
    }
    // Where several go to one place they come in the order they were asked for.
    edits.sort_by_key(|(range, _)| range.start);
    let mut new = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    for (range, with) in edits {
        new += &text[copied..range.start.max(copied)];
        new += &with;
        copied = copied.max(range.end);
    }
    new + &text[copied..]
}
