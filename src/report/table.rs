//! `table`: one line a test, one column a model, differences marked.

use std::io::{self, Write};

use super::{Format, Item, Summary, several};
use crate::session::Report;

/// Rows are kept until the end, a few words each, so that columns line up.
#[derive(Debug)]
pub struct Table {
    models: Vec<String>,
    rows: Vec<Row>,
    color: bool,
}

#[derive(Debug)]
struct Row {
    file: String,
    name: String,
    cells: Vec<Cell>,
}

#[derive(Debug, PartialEq)]
struct Cell {
    text: String,
    /// What makes two cells equal: verdict and number of states, not the counts of witnesses.
    key: String,
    /// Is it an answer at all?
    answered: bool,
}

impl Table {
    /// A table with one column for each model.
    pub fn new(models: Vec<String>, color: bool) -> Table {
        Table { models, rows: Vec::new(), color }
    }
}

fn cell(report: &Report) -> Cell {
    let Some((answer, outcome)) = report.answer.as_ref().zip(report.outcome()) else {
        let text = report.qualifier().to_string();
        return Cell { key: text.clone(), text, answered: false };
    };
    let verdict = report.verdict().map_or("?", |v| v.word());
    let observation = answer.observation().unwrap_or("?");
    let mark = match report.qualifier() {
        "complete" | "decided" => "",
        word => &format!(" ({word})"),
    };
    // Values, not their number: two models can allow as many outcomes and yet not the same ones.
    let states: Vec<_> = outcome.states.keys().collect();
    Cell {
        text: format!(
            "{verdict} {observation} {}/{}{mark}",
            outcome.positive,
            outcome.positive + outcome.negative
        ),
        key: format!("{verdict} {states:?}"),
        answered: true,
    }
}

impl Format for Table {
    fn test(&mut self, item: &Item, _out: &mut dyn Write) -> io::Result<()> {
        let report = item.report;
        let cell = cell(report);
        match self.rows.last_mut() {
            Some(row) if row.file == report.file && row.cells.len() < self.models.len() => {
                row.cells.push(cell)
            }
            _ => self.rows.push(Row {
                file: report.file.clone(),
                name: report.title().to_string(),
                cells: vec![cell],
            }),
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let first = self.rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max("Test".len());
        let widths: Vec<usize> = (0..self.models.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
                let widest = cells.map(|c| c.text.chars().count()).max().unwrap_or(0);
                widest.max(self.models[column].chars().count())
            })
            .collect();
        let mut line = format!("  {:first$}", "Test");
        for (model, width) in self.models.iter().zip(&widths) {
            line += &format!("  {model:width$}");
        }
        writeln!(out, "{}", line.trim_end())?;
        let mut different = 0;
        for row in &self.rows {
            // A model that has no answer says nothing about the others.
            let mut answers = row.cells.iter().filter(|cell| cell.answered);
            let first_answer = answers.next();
            let differs = answers.any(|cell| first_answer.is_some_and(|first| cell.key != first.key));
            different += usize::from(differs);
            let mut line = format!("{:first$}", row.name);
            for (cell, width) in row.cells.iter().zip(&widths) {
                line += &format!("  {:width$}", cell.text);
            }
            let line = line.trim_end();
            match (differs, self.color) {
                (true, true) => writeln!(out, "\x1b[1;33m! {line}\x1b[0m")?,
                (true, false) => writeln!(out, "! {line}")?,
                (false, _) => writeln!(out, "  {line}")?,
            }
        }
        if self.models.len() > 1 {
            let tests = several(self.rows.len() as u64, "test");
            let differ = if different == 1 { "differs" } else { "differ" };
            writeln!(out, "{different} of {tests} {differ} between the models (marked !)")?;
        }
        let _ = summary;
        Ok(())
    }
}
