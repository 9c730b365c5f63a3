//! Page table entries as tests write them: `(oa:PA(x), valid:0, attrs:(NSH))`.

use crate::program::{Attrs, Oa, Pte};

/// The output address of an entry, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<'t> {
    /// `PA(x)`.
    Physical(&'t str),
    /// `PTE(x)`.
    Entry(&'t str),
}

impl<'t> Output<'t> {
    /// `PA(x)`, `PTE(x)`, `TTD(x)`, or the older `phy_x`, `pte_x`.
    pub fn parse(text: &'t str) -> Option<Output<'t>> {
        if let Some(name) = text.strip_prefix("phy_") {
            return Some(Output::Physical(name));
        }
        if let Some(name) = text.strip_prefix("pte_") {
            return Some(Output::Entry(name));
        }
        let (word, rest) = text.split_once('(')?;
        let name = rest.strip_suffix(')')?.trim();
        match word.trim() {
            "PA" => Some(Output::Physical(name)),
            "PTE" | "TTD" => Some(Output::Entry(name)),
            _ => None,
        }
    }
}

/// An entry as written; what it does not say is as by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written<'t> {
    /// Where it leads, if it says so.
    pub output: Option<Output<'t>>,
    /// Everything else.
    pub entry: Pte,
}

impl<'t> Written<'t> {
    /// Reads what stands between the parentheses.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(inner: &'t str) -> Result<Written<'t>, String> {
        let (mut output, mut entry) = (None, Pte::of(Oa::Empty));
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
                    let read = Output::parse(value);
                    output = Some(read.ok_or_else(|| format!("`{value}` is no output address"))?);
                }
                ("attrs" | "Attrs", _) => {
                    let list = value.trim_start_matches('(').trim_end_matches(')');
                    words.extend(list.split(',').map(str::trim).filter(|word| !word.is_empty()));
                }
                ("valid", Some(flag)) => entry.valid = flag,
                ("af", Some(flag)) => entry.af = flag,
                ("db", Some(flag)) => entry.db = flag,
                ("dbm", Some(flag)) => entry.dbm = flag,
                ("el0", Some(flag)) => entry.el0 = flag,
                ("x", Some(flag)) => entry.executable = flag,
                ("valid" | "af" | "db" | "dbm" | "el0" | "x", None) => {
                    return Err(format!("`{name}` is 0 or 1, not `{value}`"));
                }
                _ => return Err(format!("an entry has no property `{name}`")),
            }
        }
        if !words.is_empty() {
            entry.attrs =
                Attrs::parse(&words).map_err(|word| format!("`{word}` is no memory attribute here"))?;
        }
        Ok(Written { output, entry })
    }

    /// What hashes are made of: the older properties always, the others where they are not as by default. `own`: the symbol whose entry it is.
    pub fn hashed(&self, own: Option<&str>) -> String {
        let output = match (self.output, own) {
            (Some(Output::Physical(name)), _) | (None, Some(name)) => format!("phy_{name}"),
            (Some(Output::Entry(name)), _) => format!("pte_{name}"),
            (None, None) => "phy_".to_string(),
        };
        let Pte { af, db, dbm, valid, el0, executable, attrs, .. } = self.entry;
        let flag = |name: &str, value: bool| format!("{name}:{}", u8::from(value));
        let mut parts = vec![format!("oa:{output}")];
        parts.extend([("af", af), ("db", db), ("dbm", dbm), ("valid", valid)].map(|(n, v)| flag(n, v)));
        let newer = [("el0", el0), ("x", executable)].into_iter().filter(|(_, value)| !value);
        parts.extend(newer.map(|(name, value)| flag(name, value)));
        if attrs != Attrs::DEFAULT {
            parts.push(attrs.words().join(","));
        }
        format!("({})", parts.join(", "))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_have_older_properties_always() {
        let hashed = |text: &str, own| Written::parse(text).map(|entry| entry.hashed(own));
        assert_eq!(hashed("valid:0", Some("x")).as_deref(), Ok("(oa:phy_x, af:1, db:1, dbm:0, valid:0)"));
        assert_eq!(
            hashed("oa:PTE(y), el0:0, attrs:(Device-GRE)", Some("x")).as_deref(),
            Ok("(oa:pte_y, af:1, db:1, dbm:0, valid:1, el0:0, Device-GRE)")
        );
        assert!(hashed("valid:2", None).is_err());
    }
}
