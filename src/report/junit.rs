//! `junit`: what CI systems read. An expectation that failed is a `failure`, bad input an `error`, what we do not
//! support is `skipped` (with its reason), and a limit that was hit an `error` too.

use std::io::{self, Write};

use super::{Format, Item, Summary};
use crate::session::{Judgement, Qualifier, states};

/// JUnit XML. The counts stand in the opening tag, so cases are kept until the end.
#[derive(Default, Debug)]
pub struct Junit {
    cases: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Format for Junit {
    fn test(&mut self, item: &Item, _out: &mut dyn Write) -> io::Result<()> {
        let report = item.report;
        self.tests += 1;
        let model = report.model_name.as_deref().or(report.model.as_deref()).unwrap_or("default");
        self.cases += &format!(
            "  <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"{:.6}\">\n",
            escape(report.title()),
            escape(model),
            escape(&report.file),
            report.phases.total().as_secs_f64()
        );
        let mut child = |tag: &str, message: &str, text: &str| {
            self.cases += &format!("    <{tag} message=\"{}\">{}</{tag}>\n", escape(message), escape(text));
        };
        if let Some(error) = report.error().filter(|_| report.answer.is_none()) {
            let text = crate::diag::render(error, &report.sources, crate::diag::Color::Never);
            if report.qualifier() == Qualifier::Unsupported {
                self.skipped += 1;
                child("skipped", &error.message, &text);
            } else {
                self.errors += 1;
                child("error", &error.message, &text);
            }
        } else if let Some(Judgement::Violated(reason)) = item.judgement {
            self.failures += 1;
            child("failure", reason, "");
        } else if report.hit_limit() {
            self.errors += 1;
            child("error", &report.caveat().unwrap_or_default(), "");
        } else if let Some(Judgement::Undecided(reason)) = item.judgement {
            self.errors += 1;
            child("error", reason, "");
        }
        if let Some(answer) = &report.answer {
            let lines = states::lines(answer).join("\n");
            let verdict = report.verdict().map_or("", |v| v.word());
            let qualifier = report.remark().unwrap_or_else(|| report.qualifier().word().to_string());
            let flags = answer.outcome.iter().flat_map(|outcome| &outcome.flags);
            let flags: String = flags.map(|flag| format!("Flag {flag}\n")).collect();
            self.cases += &format!(
                "    <system-out>{} {verdict} ({})\n{}\n{}{}</system-out>\n",
                escape(answer.kind()),
                escape(&qualifier),
                escape(&lines),
                escape(&flags),
                escape(&answer.test.condition_text)
            );
        }
        self.cases += "  </testcase>\n";
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"litmus\" tests=\"{}\" failures=\"{}\" \
             errors=\"{}\" skipped=\"{}\" time=\"{:.6}\">\n{}</testsuite>\n</testsuites>\n",
            self.tests, self.failures, self.errors, self.skipped, summary.seconds, self.cases
        )
    }
}

/// Text as XML character data or attribute value; control characters that XML forbids become `?`.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_is_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1}"), "a&lt;b &amp; &quot;c&quot;?");
    }
}
