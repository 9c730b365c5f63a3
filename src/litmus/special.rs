//! Values and places that only some machines have: page table entries, physical addresses, tags.

use crate::diag::Diagnostic;
use crate::program::{Attrs, Oa, Pte, Space, Sym, Value};
use crate::source::Span;

use super::names::{Names, special};

/// What a name with something around it stands for, as texts of the initial state and of conditions have it.
pub enum Named<'t> {
    /// `PTE(x)`.
    Entry(&'t str),
    /// `PA(x)`.
    Physical(&'t str),
    /// `tag(x)`, `tag(x+16)`.
    Tag(&'t str, i64),
}

impl<'t> Named<'t> {
    /// Reads the text that the parser has made of it.
    pub fn parse(text: &'t str) -> Option<Named<'t>> {
        if let Some(name) = text.strip_prefix("pte_") {
            return Some(Named::Entry(name));
        }
        if let Some(name) = text.strip_prefix("phy_") {
            return Some(Named::Physical(name));
        }
        let inner = text.strip_prefix("tag(").or_else(|| text.strip_prefix("TAG("))?.strip_suffix(')')?;
        let (name, offset) = with_offset(inner);
        Some(Named::Tag(name, offset))
    }

    /// The symbol.
    pub fn symbol(&self) -> &'t str {
        match self {
            Named::Entry(name) | Named::Physical(name) | Named::Tag(name, _) => name,
        }
    }
}

/// `x+4` as `x` and 4.
fn with_offset(text: &str) -> (&str, i64) {
    match text.split_once('+') {
        Some((name, offset)) => (name.trim(), offset.trim().parse().unwrap_or(0)),
        None => (text.trim(), 0),
    }
}

impl Names<'_> {
    /// A value that is neither number nor plain address. `own`: the symbol whose entry is meant where none is written.
    pub fn special_value(&mut self, text: &str, own: Option<Sym>, span: Span) -> Result<Value, Diagnostic> {
        let tables = self.program.machine.tables.is_some();
        if !tables && !text.contains(':') {
            return Err(special(text, span));
        }
        if let Some(inner) = text.strip_prefix("parel1_t:(").and_then(|rest| rest.strip_suffix(')')) {
            return self.translated(inner, span);
        }
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return self.entry(inner, own, span).map(Value::Pte);
        }
        match Named::parse(text) {
            Some(Named::Entry(name)) => return Ok(Value::PteAddr(self.symbol(name))),
            Some(Named::Physical(name)) => {
                let (name, offset) = with_offset(name);
                return Ok(Value::Phys { sym: self.symbol(name), offset });
            }
            Some(Named::Tag(..)) => return Err(special(text, span)),
            None => {}
        }
        if self.program.machine.tags.is_empty() {
            return Err(special(text, span));
        }
        match text.split_once(':') {
            Some(("", tag)) => Ok(Value::Tag(self.tag(tag))),
            Some((name, tag)) if !name.contains(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) => {
                let (tag, offset) = with_offset(tag);
                Ok(Value::Tagged { sym: self.symbol(name), tag: self.tag(tag), offset })
            }
            _ => Err(special(text, span)),
        }
    }

    /// A tag, new or old.
    fn tag(&mut self, name: &str) -> u16 {
        let tags = &mut self.program.machine.tags;
        let index = tags.iter().position(|tag| tag == name).unwrap_or_else(|| {
            tags.push(name.to_string());
            tags.len() - 1
        });
        index as u16
    }

    fn translated(&mut self, inner: &str, span: Span) -> Result<Value, Diagnostic> {
        match inner.trim().split_once(':') {
            Some(("f", "1")) => Ok(Value::Translated(None)),
            Some(("oa", address)) => match self.output(address.trim()) {
                Some(Oa::Phys(sym)) => Ok(Value::Translated(Some((sym, 0)))),
                _ => Err(special(inner, span)),
            },
            _ => Err(special(inner, span)),
        }
    }

    /// `PA(x)`, `PTE(x)`.
    fn output(&mut self, text: &str) -> Option<Oa> {
        if let Some(name) = text.strip_prefix("phy_") {
            return Some(Oa::Phys(self.symbol(name)));
        }
        if let Some(name) = text.strip_prefix("pte_") {
            return Some(Oa::Pte(self.symbol(name)));
        }
        let (word, rest) = text.split_once('(')?;
        let name = rest.strip_suffix(')')?.trim();
        match word.trim() {
            "PA" => Some(Oa::Phys(self.symbol(name))),
            "PTE" | "TTD" => Some(Oa::Pte(self.symbol(name))),
            _ => None,
        }
    }

    /// `oa:PA(x), valid:0, attrs:(NSH)`.
    fn entry(&mut self, inner: &str, own: Option<Sym>, span: Span) -> Result<Pte, Diagnostic> {
        let bad = |message: String| {
            Diagnostic::error("litmus::bad-entry", message).at(span, "in this page table entry")
        };
        let mut pte = Pte::of(own.map_or(Oa::Empty, Oa::Phys));
        let mut words: Vec<&str> = Vec::new();
        for part in top_level(inner) {
            let Some((name, value)) = part.split_once(':') else {
                words.push(part);
                continue;
            };
            let (name, value) = (name.trim(), value.trim());
            let flag = match value {
                "0" => Some(false),
                "1" => Some(true),
                _ => None,
            };
            match (name, flag) {
                ("oa", _) => {
                    pte.oa =
                        self.output(value).ok_or_else(|| bad(format!("`{value}` is no output address")))?;
                }
                ("attrs" | "Attrs", _) => {
                    let list = value.trim_start_matches('(').trim_end_matches(')');
                    words.extend(list.split(',').map(str::trim).filter(|word| !word.is_empty()));
                }
                ("valid", Some(flag)) => pte.valid = flag,
                ("af", Some(flag)) => pte.af = flag,
                ("db", Some(flag)) => pte.db = flag,
                ("dbm", Some(flag)) => pte.dbm = flag,
                ("el0", Some(flag)) => pte.el0 = flag,
                ("x", Some(flag)) => pte.executable = flag,
                ("valid" | "af" | "db" | "dbm" | "el0" | "x", None) => {
                    return Err(bad(format!("`{name}` is 0 or 1, not `{value}`")));
                }
                _ => return Err(bad(format!("an entry has no property `{name}`"))),
            }
        }
        if !words.is_empty() {
            pte.attrs =
                Attrs::parse(&words).map_err(|word| bad(format!("`{word}` is no memory attribute here")))?;
        }
        Ok(pte)
    }

    /// The cell of a place with something around its name.
    pub fn special_place(&mut self, text: &str, span: Span) -> Result<super::names::Place, Diagnostic> {
        let (space, name, offset) = match Named::parse(text) {
            Some(Named::Entry(name)) => (Space::Pte, name, 0),
            Some(Named::Tag(name, offset)) => (Space::Tag, name, offset),
            _ => return Err(special(text, span)),
        };
        let sym = self.symbol(name);
        let found = self
            .program
            .locations
            .iter()
            .position(|cell| cell.space == space && cell.sym == sym && cell.offset == offset);
        match found {
            Some(index) => Ok(super::names::Place::One(crate::condition::Observable::Loc(
                crate::program::LocId(index as u16),
            ))),
            None => Err(special(text, span)),
        }
    }
}

/// The parts of a list, split at commas that are in no parentheses.
fn top_level(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
