//! `junit`: what CI systems read. A violation is a `failure`, bad input and limits are an `error`, what is not supported is `skipped`.

use super::{Checked, Detail, text};
use crate::diag::{Class, Color, render};
use crate::report::junit::escape;
use crate::verify::Verdict;

/// One test case for each program.
pub fn junit(all: &[Checked]) -> String {
    let (mut cases, mut failures, mut errors, mut skipped) = (String::new(), 0, 0, 0);
    for checked in all {
        cases += &format!(
            "  <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"{:.6}\">\n",
            escape(&checked.file),
            escape(&checked.model),
            escape(&checked.file),
            checked.seconds
        );
        let mut child = |tag: &str, message: &str, text: &str| {
            cases += &format!("    <{tag} message=\"{}\">{}</{tag}>\n", escape(message), escape(text));
        };
        match checked.answer.as_ref().map(|answer| (answer.verdict, answer)) {
            Some((Verdict::Unsafe, answer)) => {
                failures += 1;
                let first = answer.violations.first().map(|v| v.property.to_string()).unwrap_or_default();
                child("failure", &first, &text(checked, Detail::Short));
            }
            Some((Verdict::Safe, _)) => {}
            other => {
                let first = checked.errors().next();
                let rendered = first.map(|d| render(d, &checked.sources, Color::Never)).unwrap_or_default();
                let message = first.map_or_else(|| checked.verdict(), |d| d.message.clone());
                match first {
                    Some(d) if d.class == Class::Unsupported => {
                        skipped += 1;
                        child("skipped", &message, &rendered);
                    }
                    _ => {
                        errors += 1;
                        let more = other.map(|_| text(checked, Detail::Short)).unwrap_or_default();
                        child("error", &message, &format!("{rendered}{more}"));
                    }
                }
            }
        }
        cases += "  </testcase>\n";
    }
    let seconds: f64 = all.iter().map(|checked| checked.seconds).sum();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"litmus verify\" tests=\"{}\" failures=\"{failures}\" \
         errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.6}\">\n{cases}</testsuite>\n</testsuites>\n",
        all.len()
    )
}
