//! `json`: one document. Its schema is `docs/schema/litmus-programs-1.schema.json`.

use serde_json::{Value, json};

use super::{Checked, place, word};
use crate::diag::Severity;
use crate::limits::Stopped;
use crate::source::{Sources, Span};
use crate::verify::{By, Verdict, Violation};

/// The version of the form.
const SCHEMA: &str = "litmus-programs-1";

/// All that is known of some programs.
pub fn json(all: &[Checked]) -> String {
    let results: Vec<Value> = all.iter().map(result).collect();
    let document = json!({
        "schema": SCHEMA,
        "tool": { "name": "litmus", "version": env!("CARGO_PKG_VERSION") },
        "results": results,
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn result(checked: &Checked) -> Value {
    let errors: Vec<Value> = checked
        .errors()
        .map(|d| {
            let labels: Vec<Value> = d
                .labels
                .iter()
                .map(|(span, text)| with_place(json!({ "text": text }), *span, &checked.sources))
                .collect();
            let severity = if d.severity == Severity::Error { "error" } else { "warning" };
            json!({ "code": d.code, "severity": severity, "message": d.message, "labels": labels, "notes": d.notes })
        })
        .collect();
    let mut value = json!({
        "file": checked.file,
        "model": checked.model,
        "seconds": checked.seconds,
        "diagnostics": errors,
    });
    let Some(answer) = &checked.answer else {
        value["verdict"] = json!("error");
        return value;
    };
    value["verdict"] = json!(match answer.verdict {
        Verdict::Safe => "safe",
        Verdict::SafeUpTo(_) => "safe-up-to",
        Verdict::Unsafe => "unsafe",
        Verdict::Unknown => "unknown",
    });
    if let Verdict::SafeUpTo(n) = answer.verdict {
        value["bound"] = json!(n);
    }
    if let Some(why) = answer.stopped {
        value["stopped"] = json!(match why {
            Stopped::Time => "time",
            Stopped::Memory => "memory",
            Stopped::Interrupt => "interrupt",
        });
    }
    value["engine"] = json!(match answer.by {
        By::Growing => "grow",
        By::Solver(_) => "sat",
        By::States(_) => "states",
    });
    if let By::States(states) = answer.by {
        value["states"] = json!(states);
    }
    if let By::Solver(stats) = answer.by {
        value["solver"] = json!({
            "events": stats.events,
            "variables": stats.variables,
            "clauses": stats.clauses,
            "proposals": stats.proposals,
            "reasons": stats.reasons,
        });
    }
    value["executions"] = json!({
        "complete": answer.complete,
        "blocked": answer.blocked,
        "cut": answer.cut,
        "violating": answer.violating,
        "symmetry": answer.symmetric,
    });
    let all =
        |list: &[Violation]| list.iter().map(|v| violation(v, &checked.sources)).collect::<Vec<Value>>();
    value["violations"] = json!(all(&answer.violations));
    value["warnings"] = json!(all(&answer.warnings));
    let cuts: Vec<Value> =
        answer.cuts.iter().map(|s| with_place(json!({}), s.span, &checked.sources)).collect();
    value["cuts"] = json!(cuts);
    value
}

fn with_place(mut value: Value, span: Span, sources: &Sources) -> Value {
    let (file, line, column) = place(span, sources);
    value["file"] = json!(file);
    value["line"] = json!(line);
    value["column"] = json!(column);
    value
}

fn violation(violation: &Violation, sources: &Sources) -> Value {
    let parts: Vec<Value> = violation
        .parts
        .iter()
        .map(|part| {
            let value = json!({ "thread": part.thread, "text": part.text, "does": part.does });
            with_place(value, part.span, sources)
        })
        .collect();
    let trace: Vec<Value> = violation
        .trace
        .iter()
        .map(|step| {
            let mut value = json!({
                "thread": step.thread, "text": step.text, "what": step.what, "matters": step.matters,
            });
            if let Some((thread, span)) = &step.from {
                value["from"] = with_place(json!({ "thread": thread }), *span, sources);
            }
            with_place(value, step.span, sources)
        })
        .collect();
    json!({
        "property": word(&violation.property),
        "message": violation.property.to_string(),
        "parts": parts,
        "executions": violation.executions,
        "trace": trace,
    })
}
