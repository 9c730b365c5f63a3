//! `table`: one line a test, one column a model, differences marked.

use std::io::{self, Write};

use super::markup::{Markup, write_table};
use super::{Format, Item, Summary, several};
use crate::session::{Qualifier, Report};

/// Rows are kept until the end, a few words each, so that columns line up.
#[derive(Debug)]
pub struct Table {
    models: Vec<String>,
    rows: Vec<Row>,
    color: bool,
    width: Option<usize>,
    markup: Option<Markup>,
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

impl Row {
    /// Do the models that have an answer have different ones? One that has none says nothing about the others.
    fn differs(&self) -> bool {
        let mut answers = self.cells.iter().filter(|cell| cell.answered);
        let first = answers.next();
        answers.any(|cell| first.is_some_and(|first| cell.key != first.key))
    }
}

/// A name in so many characters: its beginning and its end.
fn shortened(name: &str, width: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= width || width < 3 {
        return name.to_string();
    }
    let tail = (width - 1) / 2;
    let head = width - 1 - tail;
    chars[..head].iter().chain(&['…']).chain(&chars[chars.len() - tail..]).collect()
}

impl Table {
    /// A table with one column for each model.
    pub fn new(models: Vec<String>, color: bool) -> Table {
        Table { models, rows: Vec::new(), color, width: None, markup: None }
    }

    /// Not wider than so many characters, if that can be: names are shortened, and columns come one below the other.
    pub fn within(self, width: Option<usize>) -> Table {
        Table { width, ..self }
    }

    /// For a page, not for a terminal.
    pub fn marked_up(self, markup: Markup) -> Table {
        Table { markup: Some(markup), ..self }
    }

    fn write_marked_up(&self, markup: Markup, out: &mut dyn Write) -> io::Result<()> {
        let heads: Vec<&str> =
            std::iter::once("Test").chain(self.models.iter().map(String::as_str)).collect();
        let cells = |row: &Row| row.cells.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        let texts: Vec<(bool, &str, Vec<String>)> =
            self.rows.iter().map(|row| (row.differs(), row.name.as_str(), cells(row))).collect();
        let rows: Vec<(bool, Vec<&str>)> = texts
            .iter()
            .map(|(differs, name, cells)| {
                (*differs, std::iter::once(*name).chain(cells.iter().map(String::as_str)).collect())
            })
            .collect();
        write_table(out, markup, &heads, &rows)
    }

    /// How wide the column of names is, and which columns go side by side.
    #[allow(clippy::single_range_in_vec_init)]
    fn layout(&self, names: usize, widths: &[usize]) -> (usize, Vec<std::ops::Range<usize>>) {
        const SHORTEST: usize = 16;
        let Some(room) = self.width else { return (names, vec![0..widths.len()]) };
        let wide = |range: std::ops::Range<usize>| widths[range].iter().map(|width| width + 2).sum::<usize>();
        let left = room.saturating_sub(2 + wide(0..widths.len()));
        if left >= names.min(SHORTEST) {
            return (names.min(left), vec![0..widths.len()]);
        }
        let names = names.min(SHORTEST.max(room / 3));
        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        for column in 0..widths.len() {
            match groups.last_mut() {
                Some(group) if 2 + names + wide(group.start..column + 1) <= room => group.end = column + 1,
                _ => groups.push(column..column + 1),
            }
        }
        (names, groups)
    }
}

fn cell(report: &Report) -> Cell {
    let Some((answer, outcome)) = report.answer.as_ref().zip(report.outcome()) else {
        let text = if report.other_arch { "n/a" } else { report.qualifier().word() }.to_string();
        return Cell { key: text.clone(), text, answered: false };
    };
    let verdict = report.verdict().map_or("?", |v| v.word());
    let observation = answer.observation().unwrap_or("?");
    let mark = match report.qualifier() {
        Qualifier::Complete | Qualifier::Decided => "",
        other => &format!(" ({})", other.word()),
    };
    // Values, not their number: two models can allow as many outcomes and yet not the same ones.
    let states: Vec<_> = outcome.states.keys().collect();
    Cell {
        text: format!("{verdict} {observation} {}/{}{mark}", outcome.positive, outcome.executions()),
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
        if let Some(markup) = self.markup {
            return self.write_marked_up(markup, out);
        }
        let first = self.rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max("Test".len());
        let widths: Vec<usize> = (0..self.models.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
                let widest = cells.map(|c| c.text.chars().count()).max().unwrap_or(0);
                widest.max(self.models[column].chars().count())
            })
            .collect();
        let (first, groups) = self.layout(first, &widths);
        let mut different = 0;
        for (number, group) in groups.into_iter().enumerate() {
            let mut line = format!("  {:first$}", "Test");
            for column in group.clone() {
                line += &format!("  {:width$}", self.models[column], width = widths[column]);
            }
            writeln!(out, "{}{}", if number > 0 { "\n" } else { "" }, line.trim_end())?;
            for row in &self.rows {
                let differs = row.differs();
                different += usize::from(differs && number == 0);
                let mut line = format!("{:first$}", shortened(&row.name, first));
                for (column, cell) in
                    row.cells.iter().enumerate().filter(|(column, _)| group.contains(column))
                {
                    line += &format!("  {:width$}", cell.text, width = widths[column]);
                }
                let line = line.trim_end();
                match (differs, self.color) {
                    (true, true) => writeln!(out, "\x1b[1;33m! {line}\x1b[0m")?,
                    (true, false) => writeln!(out, "! {line}")?,
                    (false, _) => writeln!(out, "  {line}")?,
                }
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
