//! Results as a database of SQLite: one file, for questions that nobody has thought of yet. The tables are described in `docs/campaigns.md`.
//!
//! The file is written by ourselves (`file`), not by the library: that takes a C compiler and half a minute of every installation, and we only ever add rows.

mod file;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::Value;

use super::record::Record;
use super::{Format, Item, Summary};
use file::{Cell, Database, TableId};

const RESULTS: &str = "CREATE TABLE results (id INTEGER PRIMARY KEY, test TEXT, hash TEXT, file TEXT, arch TEXT, model TEXT, \
    status TEXT, kind TEXT, condition TEXT, verdict TEXT, observation TEXT, positive INTEGER, negative INTEGER, \
    qualifier TEXT, met INTEGER, message TEXT, seconds REAL)";
const STATES: &str = "CREATE TABLE states (id INTEGER PRIMARY KEY, result INTEGER REFERENCES results, state TEXT, witnesses INTEGER)";
const FLAGS: &str =
    "CREATE TABLE flags (id INTEGER PRIMARY KEY, result INTEGER REFERENCES results, flag TEXT)";
const RUNS: &str =
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, version TEXT, schema INTEGER, results INTEGER, seconds REAL)";

/// Writes results to a database.
#[derive(Debug)]
pub struct Sqlite {
    database: Option<Database<BufWriter<File>>>,
    results: TableId,
    states: TableId,
    flags: TableId,
    runs: TableId,
    written: i64,
    version: &'static str,
}

impl Sqlite {
    /// A database in this file, which is emptied; `version`: who writes it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path, version: &'static str) -> io::Result<Sqlite> {
        let mut database = Database::new(BufWriter::with_capacity(1 << 16, File::create(path)?));
        let results = database.table("results", RESULTS);
        let states = database.table("states", STATES);
        let flags = database.table("flags", FLAGS);
        let runs = database.table("runs", RUNS);
        Ok(Sqlite { database: Some(database), results, states, flags, runs, written: 0, version })
    }

    /// Adds a result, as `--format jsonl` has it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, record: &Value) -> io::Result<()> {
        let Some(database) = &mut self.database else { return Ok(()) };
        let text = |value: &Value| Cell::from(value.as_str());
        // What no column of integers can hold is text.
        let number = |value: &Value| match value.as_i64() {
            Some(number) => Cell::Int(number),
            None if value.is_null() => Cell::Null,
            None => Cell::Text(value.as_str().map_or_else(|| value.to_string(), str::to_string)),
        };
        let message = record["diagnostics"].as_array().and_then(|all| {
            all.iter().find(|one| one["severity"] == "error").and_then(|one| one["message"].as_str())
        });
        let row = [
            text(&record["name"]),
            text(&record["hash"][0]),
            text(&record["file"]),
            text(&record["arch"]),
            text(&record["model"]),
            text(&record["status"]),
            text(&record["kind"]),
            text(&record["condition"]),
            text(&record["verdict"]),
            text(&record["observation"]),
            number(&record["positive"]),
            number(&record["negative"]),
            text(&record["qualifier"]["kind"]),
            Cell::from(record["expectation"]["met"].as_bool().map(i64::from)),
            Cell::from(message),
            record["time"]["total"].as_f64().map_or(Cell::Null, Cell::Real),
        ];
        let result = database.insert(self.results, &row)?;
        self.written = result;
        for state in record["states"].as_array().into_iter().flatten() {
            let row = [Cell::Int(result), text(&state["line"]), number(&state["witnesses"])];
            database.insert(self.states, &row)?;
        }
        for flag in record["flags"].as_array().into_iter().flatten() {
            database.insert(self.flags, &[Cell::Int(result), text(flag)])?;
        }
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn close(&mut self, seconds: Option<f64>) -> io::Result<()> {
        let Some(mut database) = self.database.take() else { return Ok(()) };
        let run = [
            Cell::Text(self.version.to_string()),
            Cell::Int(1),
            Cell::Int(self.written),
            seconds.map_or(Cell::Null, Cell::Real),
        ];
        database.insert(self.runs, &run)?;
        database.finish()
    }
}

impl Format for Sqlite {
    fn test(&mut self, item: &Item, _out: &mut dyn Write) -> io::Result<()> {
        let record = serde_json::to_value(Record::new(item)).map_err(io::Error::from)?;
        self.add(&record)
    }

    fn end(&mut self, summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        self.close(Some(summary.seconds))
    }
}
