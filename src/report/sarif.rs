//! `sarif`: the format in which tools that look at sources exchange what they find (SARIF 2.1.0).

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::findings::{EXPECTATION, Finding, INCOMPLETE, findings};
use super::{Format, Item, Summary};
use crate::diag::Severity;

/// One document; results are kept until the end, as the rules they name come first.
#[derive(Default, Debug)]
pub struct Sarif {
    found: Vec<Finding>,
}

impl Format for Sarif {
    fn test(&mut self, item: &Item, _out: &mut dyn Write) -> io::Result<()> {
        self.found.extend(findings(item));
        Ok(())
    }

    fn end(&mut self, _summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &document(&self.found))?;
        writeln!(out)
    }
}

/// The document with these findings.
pub fn document(found: &[Finding]) -> Value {
    let rules: BTreeSet<&str> = found.iter().map(|finding| finding.rule).collect();
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| match description(rule) {
            Some(text) => json!({ "id": rule, "shortDescription": { "text": text } }),
            None => json!({ "id": rule }),
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "litmus", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": found.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn description(rule: &str) -> Option<&'static str> {
    Some(match rule {
        EXPECTATION => "The answer is not the one expected",
        INCOMPLETE => "A limit left the answer incomplete",
        _ => return None,
    })
}

fn result(finding: &Finding) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri(&finding.file) } });
    if let Some((line, column)) = finding.place {
        location["region"] = json!({ "startLine": line, "startColumn": column });
    }
    json!({
        "ruleId": finding.rule,
        "level": match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": location }],
    })
}

/// A path as a relative reference: what is not plain is escaped.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    let mut out = String::new();
    for byte in path.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    if path.starts_with('/') { format!("file://{out}") } else { out }
}
