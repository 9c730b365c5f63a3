//! Source files and spans: where a piece of text came from.

use std::sync::Arc;

/// A file registered in a [`Sources`] table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SourceId(pub u32);

/// A half-open byte range of one source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span of `source` from byte `start` to byte `end`.
    pub fn new(source: SourceId, start: usize, end: usize) -> Span {
        Span { source, start: start as u32, end: end.max(start) as u32 }
    }

    /// The smallest span that covers both (of one file; otherwise `self`).
    pub fn to(self, other: Span) -> Span {
        if self.source != other.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The sub-span of `len` bytes that starts `offset` bytes in.
    pub fn sub(self, offset: usize, len: usize) -> Span {
        let start = (self.start + offset as u32).min(self.end);
        Span { source: self.source, start, end: (start + len as u32).min(self.end.max(start)) }
    }
}

/// One registered file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name shown to the user: usually the path as typed.
    pub name: String,
    /// The text. Invalid UTF-8 was replaced when the file was read.
    pub text: Arc<str>,
}

/// All files read so far; grows only.
///
/// A table can stand on another one: see [`Sources::layered`].
#[derive(Clone, Default, Debug)]
pub struct Sources {
    files: Vec<Source>,
    first: u32,
    under: Option<Arc<Sources>>,
}

/// Ids of a layered table start here; no model has that many files.
const LAYER: u32 = 1 << 20;

impl Sources {
    /// An empty table.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// An empty table whose ids differ from those of any ordinary one, so that it can be put on top of one later.
    /// A campaign keeps the files of a model once, and those of each test only as long as that test is looked at.
    pub fn layered() -> Sources {
        Sources { files: Vec::new(), first: LAYER, under: None }
    }

    /// Puts this layered table on top of `under`: ids of both can then be looked up here.
    pub fn put_on(&mut self, under: Arc<Sources>) {
        debug_assert!(self.first > 0, "only a layered table can stand on another one");
        self.under = Some(under);
    }

    /// Does a file belong to this layered table itself, not to the one below it?
    pub fn is_layered(&self, id: SourceId) -> bool {
        self.first > 0 && id.0 >= self.first
    }

    /// Registers a text under a name.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> SourceId {
        let id = SourceId(self.first + self.files.len() as u32);
        self.files.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// All files of this table itself.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.files.iter().enumerate().map(|(at, source)| (SourceId(self.first + at as u32), source))
    }

    /// The file with that id.
    pub fn get(&self, id: SourceId) -> &Source {
        match &self.under {
            Some(under) if id.0 < self.first => under.get(id),
            _ => &self.files[(id.0 - self.first) as usize],
        }
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        let text = &self.get(span.source).text;
        text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column (both from 1, column in characters) of a span's start.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let text = &self.get(span.source).text;
        let mut at = (span.start as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// The files of this table itself, in the order added.
    pub fn own(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// All files, those of the table below first.
    pub fn all(&self) -> impl Iterator<Item = &Source> {
        self.under.iter().flat_map(|under| under.files.iter()).chain(&self.files)
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.files.iter().map(|file| &file.name)
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Is the table empty?
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layered_table_finds_the_files_of_both() {
        let mut model = Sources::new();
        let cat = model.add("m.cat", "acyclic po");
        let mut test = Sources::layered();
        let litmus = test.add("t.litmus", "X86 t");
        test.put_on(Arc::new(model));
        assert_ne!(cat, litmus);
        assert_eq!(test.get(cat).name, "m.cat");
        assert_eq!(test.text(Span::new(litmus, 0, 3)), "X86");
    }
}
