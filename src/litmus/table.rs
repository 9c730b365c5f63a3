//! Cuts an assembly program into columns and cells.

use crate::arch::ArchId;
use crate::diag::{Diagnostic, nearest};
use crate::source::{SourceId, Span};

use super::ast::{Cell, Column, ColumnKind, Table};
use super::split::FINAL_WORDS;
use super::text::{Comments, blank_comments, skip_string};

/// Parses the table at the start of bytes `from..to` of `text`; also says where it ends: the rest is
/// `scopes:` and the like.
pub fn table(
    text: &str,
    from: usize,
    to: usize,
    arch: ArchId,
    source: SourceId,
    diags: &mut Vec<Diagnostic>,
) -> (Table, usize) {
    let region = blank_comments(&text[from..to], Comments::Nested);
    let mut rows = Rows { region: &region, at: 0, base: from, source, locks: locks(arch) };
    let mut table = Table::default();
    if !rows.header(&mut table, diags) {
        return (table, to);
    }
    while !rows.at_end() {
        if rows.at_extra() {
            return (table, from + rows.at);
        }
        let Some(cells) = rows.row() else {
            diags.push(rows.unfinished());
            break;
        };
        rows.fill(&mut table, &cells, diags);
    }
    (table, to)
}

/// Do instructions of this architecture have a `lock;` prefix, whose semicolon does not end a row?
fn locks(arch: ArchId) -> bool {
    matches!(arch, ArchId::X86 | ArchId::X86_64)
}

struct Rows<'a> {
    /// The program, comments blanked out.
    region: &'a str,
    at: usize,
    /// Where the region starts in the file.
    base: usize,
    source: SourceId,
    locks: bool,
}

/// A cell as a byte range of the region, without blanks around it.
type RawCell = std::ops::Range<usize>;

impl Rows<'_> {
    fn span(&self, range: RawCell) -> Span {
        Span::new(self.source, self.base + range.start, self.base + range.end)
    }

    fn rest(&self) -> &str {
        &self.region[self.at..]
    }

    fn at_end(&self) -> bool {
        self.rest().trim().is_empty()
    }

    /// Does `scopes:`, `levels:` or `regions:` stand here?
    fn at_extra(&self) -> bool {
        let rest = self.rest().trim_start();
        super::scopes::WORDS
            .iter()
            .any(|word| rest.strip_prefix(word).is_some_and(|after| after.trim_start().starts_with(':')))
    }

    /// The cells of the next row, stepping over its `;`. None: there is no `;`.
    fn row(&mut self) -> Option<Vec<RawCell>> {
        let mut cells = Vec::new();
        let (mut start, mut at) = (self.at, self.at);
        while let Some(c) = self.region[at..].chars().next() {
            if let Some(end) = skip_string(self.region, at) {
                at = end;
                continue;
            }
            if c == '|' || c == ';' {
                let cell = self.trim(start..at);
                if c == ';' && self.locks && self.is_lock(cell.clone()) {
                    at += 1;
                    continue;
                }
                cells.push(cell);
                start = at + 1;
                if c == ';' {
                    self.at = at + 1;
                    return Some(cells);
                }
            }
            at += c.len_utf8();
        }
        None
    }

    fn is_lock(&self, cell: RawCell) -> bool {
        let text = &self.region[cell];
        let instruction = text.rsplit(':').next().unwrap_or(text);
        instruction.trim().eq_ignore_ascii_case("lock")
    }

    fn trim(&self, range: RawCell) -> RawCell {
        let text = &self.region[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        start..start + text.trim().len()
    }

    /// The row of thread names. False: there is none, no use in going on.
    fn header(&mut self, table: &mut Table, diags: &mut Vec<Diagnostic>) -> bool {
        let blank = self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n', ';']).len();
        self.at += blank;
        let start = self.at;
        if self.at_end() {
            diags.push(
                Diagnostic::error("litmus::no-program", "the test has no program")
                    .at(self.span(0..0), "expected ` P0 | P1 ;` after the initial state"),
            );
            return false;
        }
        let Some(cells) = self.row() else {
            diags.push(self.unfinished());
            return false;
        };
        for cell in cells {
            if let Some((thread, column)) = self.handler(cell.clone()) {
                table.order.push(ColumnKind::Handler(table.handlers.len()));
                table.handlers.push((thread, column));
                continue;
            }
            match self.column(table.columns.len(), cell) {
                Ok(column) => {
                    table.order.push(ColumnKind::Thread(table.columns.len()));
                    table.columns.push(column);
                }
                Err(error) => {
                    diags.push(error);
                    // What follows is misread as often as not: one message is enough.
                    self.at = start;
                    return false;
                }
            }
        }
        true
    }

    /// A column of a fault handler, `P0.F`.
    fn handler(&self, cell: RawCell) -> Option<(usize, Column)> {
        let thread = thread_number(self.region[cell.clone()].strip_suffix(".F")?)?;
        Some((thread, Column { span: self.span(cell), annotations: Vec::new(), cells: Vec::new() }))
    }

    /// One thread name: `P0`, `P0:a,b`.
    fn column(&self, index: usize, cell: RawCell) -> Result<Column, Diagnostic> {
        let text = &self.region[cell.clone()];
        let (name, annotations) = match text.split_once(':') {
            Some((name, annotations)) => (name.trim(), annotations),
            None => (text, ""),
        };
        if let Some(line) = text.find('\n') {
            let first = self.trim(cell.start..cell.start + line);
            return Err(Diagnostic::error(
                "litmus::unfinished-row",
                "the row of the threads has no `;` at its end",
            )
            .at(self.span(first), "this row goes on to the next line"));
        }
        if text.is_empty() && self.region[..cell.start].trim_end().ends_with('|') {
            let bars = self.region[..cell.start].trim_end().len() - 1;
            return Err(Diagnostic::error("litmus::bad-threads", "there is a thread without a name")
                .at(self.span(bars..cell.end + 1), "nothing between the two")
                .help("threads are separated by one `|`"));
        }
        if thread_number(name) != Some(index) {
            let shown = cell.start..cell.end.max(cell.start + 1).min(self.region.len());
            return Err(Diagnostic::error("litmus::bad-threads", "threads must be P0, P1, … in order")
                .at(self.span(shown), format!("expected `P{index}`")));
        }
        let offset = cell.start + text.len() - annotations.len();
        let annotations = pieces(annotations, ',')
            .map(|(at, name)| (name.to_string(), self.span(offset + at..offset + at + name.len())))
            .collect();
        Ok(Column { span: self.span(cell), annotations, cells: Vec::new() })
    }

    /// Adds a row's cells to their columns.
    fn fill(&self, table: &mut Table, cells: &[RawCell], diags: &mut Vec<Diagnostic>) {
        let n_threads = table.order.len();
        if cells.len() == 1 && cells[0].is_empty() {
            return;
        }
        if cells.len() != n_threads {
            let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
            let row = cells[0].start..cells[cells.len() - 1].end;
            let spans = || table.columns.iter().chain(table.handlers.iter().map(|(_, column)| column));
            let start = spans().map(|column| column.span).min_by_key(|span| span.start);
            let end = spans().map(|column| column.span).max_by_key(|span| span.start);
            let (Some(start), Some(end)) = (start, end) else { return };
            let header = start.to(end);
            // Two rows for want of a `;` look like a long one: some cell of it goes over the end of its line.
            let broken = cells.iter().find_map(|cell| {
                let end = self.region[cell.clone()].find('\n')?;
                Some(cells[0].start..cell.start + end)
            });
            if let Some(first) = broken.filter(|_| cells.len() > n_threads) {
                diags.push(
                    Diagnostic::error("litmus::unfinished-row", "a row of the program has no `;` at its end")
                        .at(self.span(self.trim(first)), "this row"),
                );
                return;
            }
            diags.push(
                Diagnostic::error(
                    "litmus::cell-count",
                    format!(
                        "{} in a row of {}",
                        plural(cells.len(), "cell"),
                        plural(n_threads, if table.handlers.is_empty() { "thread" } else { "column" })
                    ),
                )
                .at(self.span(row), "this row")
                .at(
                    header,
                    format!(
                        "{} here",
                        plural(n_threads, if table.handlers.is_empty() { "thread" } else { "column" })
                    ),
                ),
            );
            return;
        }
        for (kind, cell) in table.order.iter().zip(cells) {
            if !cell.is_empty() {
                let column = match kind {
                    ColumnKind::Thread(thread) => &mut table.columns[*thread],
                    ColumnKind::Handler(handler) => &mut table.handlers[*handler].1,
                };
                match self.cell(cell.clone()) {
                    Ok(cell) => column.cells.push(cell),
                    Err(error) => diags.push(error),
                }
            }
        }
    }

    /// Labels and instruction of a cell.
    fn cell(&self, range: RawCell) -> Result<Cell, Diagnostic> {
        let mut labels = Vec::new();
        let mut at = range.start;
        while let Some(len) = label_len(&self.region[at..range.end]) {
            let name = &self.region[at..at + len];
            if name == "codevar" {
                return Err(Diagnostic::unsupported(
                    "litmus::template",
                    "this is a template for another tool, not a test that can be run",
                )
                .at(self.span(range), "a `codevar` stands for code to be filled in"));
            }
            labels.push((name.to_string(), self.span(at..at + len)));
            let after = &self.region[at + len..range.end];
            let colon = after.find(':').unwrap_or(0) + 1;
            at += len + colon + after[colon..].len() - after[colon..].trim_start().len();
        }
        Ok(Cell { labels, text: self.region[at..range.end].to_string(), span: self.span(at..range.end) })
    }

    /// The complaint about a row without `;`.
    fn unfinished(&self) -> Diagnostic {
        let all = self.trim(self.at..self.region.len());
        let line = all.start..all.start + self.region[all.clone()].find('\n').unwrap_or(all.len());
        let word: String = self.region[line.clone()].chars().take_while(char::is_ascii_alphabetic).collect();
        let error = Diagnostic::error("litmus::unfinished-row", "a row of the program has no `;` at its end")
            .at(self.span(self.trim(line)), "this row");
        match nearest(&word, FINAL_WORDS) {
            Some(near) => error.help(format!("if this is the condition: did you mean `{near}`?")),
            None => error,
        }
    }
}

/// The number in `P0`.
fn thread_number(name: &str) -> Option<usize> {
    name.strip_prefix('P')?.parse().ok()
}

/// The length of the label that a cell starts with, if it does: a name with `:` after it.
fn label_len(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if !(first.is_ascii_alphabetic() || matches!(first, '_' | '.' | '$')) {
        return None;
    }
    let len = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-' | '/')))
        .unwrap_or(text.len());
    text[len..].trim_start().starts_with(':').then_some(len)
}

/// The non-empty pieces of a list, trimmed, each with its offset.
fn pieces(text: &str, separator: char) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split(separator).filter_map(move |piece| {
        let at = start + piece.len() - piece.trim_start().len();
        start += piece.len() + 1;
        (!piece.trim().is_empty()).then_some((at, piece.trim()))
    })
}
