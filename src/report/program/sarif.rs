//! `sarif`: what code review tools read (SARIF 2.1.0). The trace is a code flow.

use serde_json::{Value, json};

use super::text::what;
use super::{Checked, place, word};
use crate::diag::Severity;
use crate::source::{Sources, Span};
use crate::verify::Violation;

/// One run with the violations of all programs.
pub fn sarif(all: &[Checked]) -> String {
    let mut results = Vec::new();
    let mut rules: Vec<String> = Vec::new();
    for checked in all {
        for diagnostic in checked.errors() {
            let level = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
            let at: Vec<Value> =
                diagnostic.labels.iter().take(1).map(|(span, _)| location(*span, &checked.sources)).collect();
            add(&mut rules, diagnostic.code);
            results.push(json!({
                "ruleId": diagnostic.code, "level": level, "message": { "text": diagnostic.message }, "locations": at,
            }));
        }
        let Some(answer) = &checked.answer else { continue };
        for (level, list) in [("error", &answer.violations), ("warning", &answer.warnings)] {
            for violation in list {
                add(&mut rules, word(&violation.property));
                results.push(result(violation, level, checked));
            }
        }
    }
    let rules: Vec<Value> = rules.iter().map(|rule| json!({ "id": rule })).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "litmus", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn add(rules: &mut Vec<String>, rule: &str) {
    if !rules.iter().any(|known| known == rule) {
        rules.push(rule.to_string());
    }
}

fn location(span: Span, sources: &Sources) -> Value {
    let (file, line, column) = place(span, sources);
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": file }, "region": { "startLine": line, "startColumn": column },
    } })
}

fn result(violation: &Violation, level: &str, checked: &Checked) -> Value {
    let sources = &checked.sources;
    let with_text = |span: Span, text: String| {
        let mut value = location(span, sources);
        value["message"] = json!({ "text": text });
        value
    };
    let mut parts = violation.parts.iter().map(|p| with_text(p.span, format!("{}: {}", p.thread, p.does)));
    let locations: Vec<Value> = parts.next().into_iter().collect();
    let related: Vec<Value> = parts.collect();
    let steps: Vec<Value> = violation
        .trace
        .iter()
        .filter(|step| step.matters)
        .map(|step| json!({ "location": with_text(step.span, format!("{}: {}", step.thread, what(step, sources))) }))
        .collect();
    let message = format!("{} (under {})", violation.property, checked.model);
    json!({
        "ruleId": word(&violation.property),
        "level": level,
        "message": { "text": message },
        "locations": locations,
        "relatedLocations": related,
        "codeFlows": [{ "threadFlows": [{ "locations": steps }] }],
    })
}
