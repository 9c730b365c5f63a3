//! The header line and the info fields.

use std::ops::Range;

use crate::arch::ArchId;
use crate::diag::{Diagnostic, Remedy, nearest};
use crate::source::{SourceId, Span};

use super::ast::Info;
use super::text::{Comments, skip_comment};

/// What the first lines of a file say.
#[derive(Clone, Debug)]
pub struct Header {
    /// The architecture.
    pub arch: ArchId,
    /// The name; `--` was replaced by the file's.
    pub name: String,
    /// Its place.
    pub name_span: Span,
    /// The doc string.
    pub doc: Option<String>,
    /// Where the header ends.
    pub end: usize,
}

/// Architectures of other tools' tests, or that herd7 knows and we do not.
const FOREIGN: [&str; 13] = [
    "CPP", "C++", "JAVA", "Java", "ASL", "PTX", "VULKAN", "OPENCL", "OpenCL", "GPU_PTX", "Vulkan", "IMM",
    "SPIRV",
];

/// Reads the header of a file. `file` is the file's base name without extension, for tests named `--`.
pub fn header(text: &str, source: SourceId, file: &str) -> Result<Header, Diagnostic> {
    let start = skip_front(text);
    let line_end = text[start..].find('\n').map_or(text.len(), |offset| start + offset);
    let span = |range: Range<usize>| Span::new(source, range.start, range.end);
    if start == text.len() {
        return Err(Diagnostic::error("litmus::empty", "the file is empty")
            .at(span(0..0), "expected `ARCH NAME`, the header of a litmus test"));
    }
    let word = word_end(text, start, |c| !c.is_whitespace());
    let arch_text = &text[start..word];
    let arch = match ArchId::parse(arch_text) {
        Some(arch) => arch,
        None => return Err(unknown_arch(arch_text, span(start..word))),
    };
    let name_start = text[word..line_end].find(|c: char| !c.is_whitespace()).map_or(line_end, |o| word + o);
    let name_end = word_end(text, name_start, is_name);
    if name_end == name_start {
        let at = line_end.min(word + 1);
        return Err(Diagnostic::error("litmus::no-name", "the test has no name")
            .at(span(start..at), format!("expected `{arch_text} NAME`")));
    }
    let name = match text[name_start..name_end].trim_end_matches(".litmus") {
        "--" => file,
        "" => &text[name_start..name_end],
        name => name,
    };
    let (doc, end) = doc_string(text, name_end, line_end);
    Ok(Header { arch, name: name.to_string(), name_span: span(name_start..name_end), doc, end })
}

fn unknown_arch(word: &str, span: Span) -> Diagnostic {
    if FOREIGN.contains(&word) {
        return Diagnostic::unsupported(
            "litmus::unsupported-arch",
            format!("tests for `{word}` are not supported"),
        )
        .at(span, "this architecture")
        .note(format!("supported: {}", arch_names()));
    }
    let upper = word.to_ascii_uppercase();
    let spelling = match upper.as_str() {
        "RISC-V" | "RISCV64" | "RV64" => Some("RISCV"),
        "X86-64" | "X64" | "AMD64" => Some("X86_64"),
        "POWER" | "POWERPC" | "PPC64" => Some("PPC"),
        "ARMV8" | "ARM64" => Some("AArch64"),
        "ARMV7" => Some("ARM"),
        _ => ArchId::ALL.into_iter().map(ArchId::name).find(|name| name.eq_ignore_ascii_case(word)),
    }
    .or_else(|| nearest(word, ArchId::ALL.iter().map(|arch| arch.name())));
    let error = Diagnostic::error("litmus::not-a-test", "this is not a litmus test")
        .unless(Remedy::OtherCommand)
        .at(span, "expected the name of an architecture");
    // Lines of C: whoever knows the file's name says what to do with it.
    if ["#include", "#define", "#ifdef", "#ifndef", "#pragma"].contains(&word) {
        return error;
    }
    if word.starts_with('#') {
        return error.help(super::text::COMMENTS);
    }
    match spelling {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error.note(format!("a test starts with `ARCH NAME`, ARCH being one of {}", arch_names())),
    }
}

fn arch_names() -> String {
    ArchId::ALL.map(ArchId::name).join(", ")
}

/// Byte-order mark, blank lines and comments in front of the header.
fn skip_front(text: &str) -> usize {
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        match skip_comment(text, at, Comments::All) {
            Some(end) => at = end,
            None => return at,
        }
    }
}

/// The doc string after the name, on the same line or the next; where the header ends.
fn doc_string(text: &str, from: usize, line_end: usize) -> (Option<String>, usize) {
    let after_line = (line_end + 1).min(text.len());
    let same_line = text[from..line_end].find('"').map(|offset| from + offset);
    let next_line = || {
        let line = text[after_line..].split('\n').next().unwrap_or("");
        let blank = line.len() - line.trim_start().len();
        line[blank..].starts_with('"').then_some(after_line + blank)
    };
    let Some(open) = same_line.or_else(next_line) else {
        return (None, line_end);
    };
    match text[open + 1..].find('"') {
        Some(len) => {
            let close = open + 1 + len;
            (Some(text[open + 1..close].to_string()), close + 1)
        }
        None => (None, line_end),
    }
}

/// The info fields between the header and the initial state.
pub fn info_fields(text: &str, range: Range<usize>, source: SourceId) -> Vec<Info> {
    let mut fields = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let line_start = at == 0 || text.as_bytes()[at - 1] == b'\n';
        if let Some((key, value)) = info_at(text, at).filter(|_| line_start) {
            let span = Span::new(source, value.start, value.end);
            fields.push(Info { key: text[key].to_string(), value: text[value].to_string(), span });
        } else if let Some(end) = skip_comment(text, at, Comments::All).filter(|end| *end <= range.end) {
            at = end;
            continue;
        }
        // To the next line, or to the next comment on this one.
        let rest = &text[at..range.end];
        let line = rest.find('\n').map_or(rest.len(), |offset| offset + 1);
        let comment = if line_start && info_at(text, at).is_some() {
            None
        } else {
            (1..line)
                .find(|o| rest.is_char_boundary(*o) && skip_comment(text, at + o, Comments::All).is_some())
        };
        at += comment.unwrap_or(line);
    }
    fields
}

/// `KEY = value` at a line start: the ranges of key and value.
pub fn info_at(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let bytes = text.as_bytes();
    if !bytes.get(at)?.is_ascii_alphabetic() {
        return None;
    }
    let key_end = word_end(text, at, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '-'));
    let blank = |c: char| matches!(c, ' ' | '\t' | '\r');
    let equals = word_end(text, key_end, blank);
    if bytes.get(equals) != Some(&b'=') {
        return None;
    }
    let start = word_end(text, equals + 1, blank);
    let end = text[start..].find('\n').map_or(text.len(), |offset| start + offset);
    let end = start + text[start..end].trim_end_matches('\r').len();
    Some((at..key_end, start..end))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '+' | '-' | '[' | ']' | ':')
}

fn word_end(text: &str, from: usize, part: impl Fn(char) -> bool) -> usize {
    text[from..].find(|c| !part(c)).map_or(text.len(), |offset| from + offset)
}
