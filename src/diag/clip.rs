//! Long lines, cut to what a person can read around the place that a message points at.

use std::ops::Range;

use codespan_reporting::files::{Error, Files, line_starts};

/// Lines up to this many bytes are shown whole.
const WHOLE: usize = 400;
/// How much is shown before the place.
const BEFORE: usize = 60;
/// How much is shown from its start on.
const AFTER: usize = 100;

/// One file as it is shown: its long lines that are pointed at are cut, and columns are still those of the whole line.
pub(super) struct Clipped {
    name: String,
    text: String,
    starts: Vec<usize>,
    /// Lines that were cut, with the number of characters that are missing at their start.
    cut: Vec<(usize, usize)>,
}

impl Clipped {
    /// The file, and where `places` are in it.
    pub(super) fn new(name: String, text: &str, places: &[Range<usize>]) -> (Clipped, Vec<Range<usize>>) {
        let mut windows: Vec<Window> = Vec::new();
        for place in places {
            for at in [place.start.min(text.len()), place.end.min(text.len())] {
                let line = line_around(text, at);
                if line.len() > WHOLE && !windows.iter().any(|w| w.line == line) {
                    windows.push(Window::around(text, line, at));
                }
            }
        }
        windows.sort_by_key(|window| window.line.start);
        let (mut shown, mut from, mut cut) = (String::new(), 0, Vec::new());
        for window in &windows {
            shown.push_str(&text[from..window.line.start]);
            let missing = text[window.line.start..window.kept.start].chars().count();
            // The mark stands for one of the characters.
            cut.push((shown.len(), missing.saturating_sub(1)));
            shown.push_str(window.before());
            shown.push_str(&text[window.kept.clone()]);
            shown.push_str(window.after());
            from = window.line.end;
        }
        shown.push_str(&text[from..]);
        let places = places.iter().map(|p| {
            let (start, end) = (moved(&windows, p.start), moved(&windows, p.end));
            start..end.max(start)
        });
        let starts: Vec<usize> = line_starts(&shown).collect();
        let cut = cut.into_iter().map(|(at, n)| (starts.partition_point(|s| *s <= at) - 1, n)).collect();
        let places = places.collect();
        (Clipped { name, text: shown, starts, cut }, places)
    }
}

/// The part of a line that is shown.
struct Window {
    line: Range<usize>,
    kept: Range<usize>,
}

const MARK: &str = "…";

impl Window {
    fn around(text: &str, line: Range<usize>, at: usize) -> Window {
        let mut start = at.saturating_sub(BEFORE).max(line.start);
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = (at + AFTER).min(line.end);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Window { line, kept: start..end }
    }

    fn before(&self) -> &'static str {
        if self.kept.start > self.line.start { MARK } else { "" }
    }

    fn after(&self) -> &'static str {
        if self.kept.end < self.line.end { MARK } else { "" }
    }
}

/// Where a place of the text is in the text shown.
fn moved(windows: &[Window], at: usize) -> usize {
    let mut missing = 0;
    for window in windows {
        if at < window.line.start {
            break;
        }
        let marks = window.before().len() + window.after().len();
        if at <= window.line.end {
            let inside = at.clamp(window.kept.start, window.kept.end) - window.kept.start;
            return window.line.start + window.before().len() + inside - missing;
        }
        missing += window.line.len() - window.kept.len() - marks;
    }
    at - missing
}

fn line_around(text: &str, at: usize) -> Range<usize> {
    let at = at.min(text.len());
    let bytes = text.as_bytes();
    let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(text.len(), |i| at + i);
    start..end
}

/// The files that one message points into.
pub(super) struct ClippedFiles(pub(super) Vec<Clipped>);

impl ClippedFiles {
    fn file(&self, id: usize) -> Result<&Clipped, Error> {
        self.0.get(id).ok_or(Error::FileMissing)
    }
}

impl<'a> Files<'a> for ClippedFiles {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.name)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.text)
    }

    fn line_index(&'a self, id: usize, byte: usize) -> Result<usize, Error> {
        Ok(self.file(id)?.starts.partition_point(|start| *start <= byte).saturating_sub(1))
    }

    fn column_number(&'a self, id: usize, line: usize, byte: usize) -> Result<usize, Error> {
        let file = self.file(id)?;
        let range = self.line_range(id, line)?;
        let column = codespan_reporting::files::column_index(&file.text, range, byte) + 1;
        Ok(column + file.cut.iter().find(|(l, _)| *l == line).map_or(0, |(_, missing)| *missing))
    }

    fn line_range(&'a self, id: usize, line: usize) -> Result<Range<usize>, Error> {
        let file = self.file(id)?;
        let given = line;
        let start = *file.starts.get(line).ok_or(Error::LineTooLarge { given, max: file.starts.len() })?;
        Ok(start..file.starts.get(line + 1).copied().unwrap_or(file.text.len()))
    }
}
