//! `json`: one document; `jsonl`: one object a line, each complete in itself.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::record::{Record, SCHEMA};
use super::{Format, Item, Summary};

/// One document, written as the results come.
#[derive(Default, Debug)]
pub struct Json {
    written: bool,
}

impl Format for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "{{\n\"schema\": {},\n\"tool\": {},\n\"results\": [",
            json!(SCHEMA),
            json!({ "name": "litmus", "version": env!("CARGO_PKG_VERSION") })
        )
    }

    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.written { b",\n" } else { b"\n" })?;
        self.written = true;
        serde_json::to_writer(out, &Record::new(item)).map_err(io::Error::from)
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n],\n\"summary\": {}\n}}", summary_object(summary))
    }
}

fn summary_object(summary: &Summary) -> serde_json::Value {
    json!({
        "tests": summary.tests,
        "answered": summary.answered,
        "bad_input": summary.bad_input,
        "unsupported": summary.unsupported,
        "limited": summary.limited,
        "bounded": summary.bounded,
        "failed": summary.failed,
        "seconds": summary.seconds,
    })
}

/// A record that says itself what it is.
#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    #[serde(flatten)]
    record: Record<'a>,
}

/// One object a line.
#[derive(Default, Debug)]
pub struct JsonLines;

impl Format for JsonLines {
    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        let line = Line { schema: SCHEMA, record: Record::new(item) };
        serde_json::to_writer(&mut *out, &line).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}
