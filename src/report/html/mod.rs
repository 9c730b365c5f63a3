//! `html`: one page that needs nothing else, no network either: a table of tests by models, and what is behind each answer.
//!
//! The data of each test stands in the page as JSON, in an element of its own, and is read when someone opens the test: so pages of
//! thousands of tests come up at once. Style and program are the files beside this one.

pub(crate) mod data;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::graph::Style;
use super::{Format, Item, Summary};
use data::{Result, Row, SCHEMA, Test};

/// The style of the page.
pub const CSS: &str = include_str!("page.css");
/// What every page can do: pictures, explanations, a test under models.
pub const CORE: &str = include_str!("core.js");
/// The table of tests.
const REPORT: &str = include_str!("report.js");

/// A page may hold so many bytes of executions and reasons.
const ROOM: usize = 64 << 20;

/// What the page opens with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opens {
    /// The table.
    Table,
    /// The first test, at the explanation of its condition.
    Why,
}

/// The page, written as the results come.
#[derive(Debug)]
pub struct Html {
    models: Vec<String>,
    opens: Opens,
    style: Style,
    rows: Vec<Row>,
    test: Option<Test>,
    written: usize,
    trimmed: usize,
}

impl Html {
    /// A page about tests under these models.
    pub fn new(models: Vec<String>, opens: Opens, style: Style) -> Html {
        Html { models, opens, style, rows: Vec::new(), test: None, written: 0, trimmed: 0 }
    }

    /// How many tests have no executions and reasons in the page, for want of room.
    pub fn trimmed(&self) -> usize {
        self.trimmed
    }

    /// Writes the test that is complete.
    fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(mut test) = self.test.take() else { return Ok(()) };
        let mut text = script_json(&test)?;
        if self.written + text.len() > ROOM {
            for result in &mut test.results {
                result.trim();
            }
            self.trimmed += 1;
            text = script_json(&test)?;
        } else {
            self.written += text.len();
        }
        element(out, &format!("test-{}", self.rows.len() - 1), &text)
    }
}

impl Format for Html {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let what = self.models.join(", ");
        head(
            out,
            &format!("litmus: {what}"),
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
        )
    }

    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        if self.test.as_ref().is_none_or(|test| test.results.len() == self.models.len()) {
            self.flush(out)?;
            self.rows.push(Row::new(item.report));
            self.test = Some(Test { text: data::text(item.report), results: Vec::new() });
        }
        if let (Some(row), Some(test)) = (self.rows.last_mut(), &mut self.test) {
            row.add(item);
            test.results.push(Result::new(item, &self.style));
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        self.flush(out)?;
        let index = json!({
            "schema": SCHEMA,
            "tool": { "name": "litmus", "version": env!("CARGO_PKG_VERSION") },
            "models": self.models,
            "opens": match self.opens { Opens::Table => "table", Opens::Why => "why" },
            "tests": self.rows,
            "summary": summary.results(),
        });
        element(out, "index", &script_json(&index)?)?;
        writeln!(out, "<script>\n{CORE}\n{REPORT}</script>\n</body>\n</html>")
    }
}

/// A whole page: data by the ids of their elements, and programs, one after the other.
pub fn page(title: &str, policy: &str, data: &[(&str, &serde_json::Value)], programs: &[&str]) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = head(&mut out, title, policy);
    for (id, value) in data {
        let _ = element(&mut out, id, &script_json(value).unwrap_or_default());
    }
    let _ = writeln!(out, "<script>\n{}</script>\n</body>\n</html>", programs.join("\n"));
    String::from_utf8_lossy(&out).into_owned()
}

/// The start of a page. `policy`: what it may load and run.
fn head(out: &mut dyn Write, title: &str, policy: &str) -> io::Result<()> {
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" \
         content=\"light dark\">\n<title>{title}</title>\n<style>\n{CSS}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n\
         <noscript>This page needs JavaScript. `litmus run --format table` prints the same as text.</noscript>"
    )
}

/// Data as an element of the page.
fn element(out: &mut dyn Write, id: &str, text: &str) -> io::Result<()> {
    writeln!(out, "<script type=\"application/json\" id=\"{id}\">{text}</script>")
}

/// JSON that cannot end the element that it stands in, nor begin another.
fn script_json(data: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(data)?.replace('<', "\\u003c"))
}
