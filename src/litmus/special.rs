//! Values and places that only some machines have: page table entries, physical addresses, tags.

use crate::diag::Diagnostic;
use crate::program::{Key, Oa, Pte, Space, Sym, Value, signature};
use crate::source::Span;

use super::entries::{Output, Written};
use super::names::{Names, special};

/// What a name with something around it stands for, as texts of the initial state and of conditions have it.
pub enum Named<'t> {
    /// `PTE(x)`.
    Entry(&'t str),
    /// `PTE(PTE(x))`.
    Table(&'t str),
    /// `PA(x)`.
    Physical(&'t str),
    /// `tag(x)`, `tag(x+16)`.
    Tag(&'t str, i64),
    /// `SSCap(x,1)`: an entry of a guarded control stack.
    Cap(&'t str, i64),
    /// `pacda(x,53)`, `pac(x,da,53)`.
    Signed(&'t str, Key, i128),
}

impl<'t> Named<'t> {
    /// Reads the text that the parser has made of it.
    pub fn parse(text: &'t str) -> Option<Named<'t>> {
        if let Some(name) = text.strip_prefix("pte_") {
            let inner = ["PTE(", "TTD("].iter().find_map(|word| name.strip_prefix(word));
            return Some(match inner.and_then(|inner| inner.strip_suffix(')')) {
                Some(name) => Named::Table(name.trim()),
                None => Named::Entry(name),
            });
        }
        if let Some(name) = text.strip_prefix("phy_") {
            return Some(Named::Physical(name));
        }
        if let Some(signed) = text.strip_prefix("pac") {
            let (key, inner) = signed.split_once('(')?;
            let mut parts = inner.strip_suffix(')')?.split(',').map(str::trim);
            let name = parts.next()?;
            let key = if key.is_empty() { parts.next()? } else { key };
            let modifier = number(parts.next()?)?;
            let known = parts.next().is_none();
            return known.then_some(()).and(Some(Named::Signed(name, Key::parse(key)?, modifier)));
        }
        if let Some(inner) = text.strip_prefix("SSCap(") {
            let (name, offset) = inner.strip_suffix(')')?.split_once(',')?;
            return Some(Named::Cap(name.trim(), i64::try_from(number(offset.trim())?).ok()?));
        }
        let inner = text.strip_prefix("tag(").or_else(|| text.strip_prefix("TAG("))?.strip_suffix(')')?;
        let (name, offset) = with_offset(inner);
        Some(Named::Tag(name, offset))
    }

    /// The symbol.
    pub fn symbol(&self) -> &'t str {
        match self {
            Named::Entry(name)
            | Named::Table(name)
            | Named::Physical(name)
            | Named::Tag(name, _)
            | Named::Cap(name, _)
            | Named::Signed(name, ..) => name,
        }
    }
}

/// A number, in decimal or hexadecimal.
fn number(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
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
        if let Some(Named::Signed(name, key, modifier)) = Named::parse(text) {
            self.program.machine.signs = true;
            let pointer = Value::addr(self.symbol(name));
            let signed = signature::sign(pointer, self.int(modifier, text, span)?, key, true);
            return signed.ok_or_else(|| special(text, span));
        }
        if let Some(Named::Cap(name, offset)) = Named::parse(text) {
            return Ok(Value::Addr { sym: self.symbol(name), offset });
        }
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
            Some(Named::Table(name)) if self.program.machine.squared => {
                return Ok(Value::TableAddr(self.symbol(name)));
            }
            Some(Named::Physical(name)) => {
                let (name, offset) = with_offset(name);
                return Ok(Value::Phys { sym: self.symbol(name), offset });
            }
            Some(Named::Table(_) | Named::Tag(..) | Named::Cap(..) | Named::Signed(..)) => {
                return Err(special(text, span));
            }
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
            Some(("oa", address)) => match Output::parse(address.trim()).map(|output| self.output(output)) {
                Some(Oa::Phys(sym)) => Ok(Value::Translated(Some((sym, 0)))),
                _ => Err(special(inner, span)),
            },
            _ => Err(special(inner, span)),
        }
    }

    /// An output address.
    fn output(&mut self, output: Output) -> Oa {
        match output {
            Output::Physical(name) => Oa::Phys(self.symbol(name)),
            Output::Entry(name) => Oa::Pte(self.symbol(name)),
        }
    }

    /// `oa:PA(x), valid:0, attrs:(NSH)`.
    fn entry(&mut self, inner: &str, own: Option<Sym>, span: Span) -> Result<Pte, Diagnostic> {
        let written = Written::parse(inner).map_err(|message| {
            Diagnostic::error("litmus::bad-entry", message).at(span, "in this page table entry")
        })?;
        let oa = match written.output {
            Some(output) => self.output(output),
            None => own.map_or(Oa::Empty, Oa::Phys),
        };
        Ok(Pte { oa, ..written.entry })
    }

    /// The cell of a place with something around its name.
    pub fn special_place(&mut self, text: &str, span: Span) -> Result<super::names::Place, Diagnostic> {
        let (space, name, offset) = match Named::parse(text) {
            Some(Named::Entry(name)) => (Space::Pte, name, 0),
            Some(Named::Table(name)) => (Space::Table, name, 0),
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
