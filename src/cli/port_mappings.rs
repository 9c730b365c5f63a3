//! `litmus port --compile all`: C tests by every mapping, the table that compiler writers want.

use std::io::Write;

use crate::compare::{Answer, Granularity};
use crate::diag::Class;
use crate::mapping::{Mapping, NAMES};
use crate::report::port::{PortRecord, Wording};
use crate::report::several;
use crate::session::{Compared, Input, Session, in_order};

use super::args::PortFormat;
use super::console::{Console, Repeated};
use super::port::Tally;
use super::port_args::ComparisonArgs;
use super::{Done, Stop, plan};

/// What a mapping makes of a test, in a word.
fn cell(compared: &Compared) -> &'static str {
    match (&compared.answer, compared.report.error()) {
        (Some((_, comparison)), _) => match comparison.answer {
            Answer::NotPortable { .. } => "NO",
            Answer::Undefined { .. } => "undefined",
            Answer::Portable if !comparison.is_decided() => "open",
            Answer::Portable => "yes",
        },
        (None, Some(error)) if error.class == Class::Unsupported => "refused",
        (None, _) => "error",
    }
}

/// Compares every test with what each mapping makes of it, under the model of the mapping's target.
pub(super) fn table(
    session: &Session,
    inputs: &[Input],
    source: &str,
    args: &ComparisonArgs,
    tally: &mut Tally,
    console: &Console,
    (out, err): (&mut (dyn Write + Send), &mut (dyn Write + Send)),
) -> Done {
    let mappings: Vec<Mapping> = NAMES.iter().filter_map(|name| Mapping::library(name)).collect();
    let (jobs, _) = plan::workers(args.jobs, inputs.len());
    let mut rows: Vec<(String, Vec<&'static str>)> = Vec::new();
    let mut told = Repeated::default();
    let mut failure = Ok(());
    in_order(
        inputs.len(),
        jobs,
        |at| -> Vec<Compared> {
            let by = |mapping| session.compare_compiled(&inputs[at], source, None, mapping);
            mappings.iter().map(by).collect()
        },
        |_, all| {
            for (mapping, compared) in mappings.iter().zip(&all) {
                tally.add(compared);
                let _ = err.write_all(console.diagnostics_once(&compared.report, &mut told).as_bytes());
                if args.format == PortFormat::Json {
                    let record = PortRecord::new(compared, Wording::Port, Granularity::States);
                    failure = serde_json::to_writer(&mut *out, &record.by(&mapping.name))
                        .map_err(std::io::Error::from)
                        .and_then(|()| writeln!(out));
                }
            }
            let name = all.first().map_or(String::new(), |compared| compared.report.title().to_string());
            rows.push((name, all.iter().map(cell).collect()));
            failure.is_ok()
        },
    );
    let _ = err.write_all(told.summary().as_bytes());
    failure.map_err(Stop::Io)?;
    if args.format == PortFormat::Json {
        return Ok(tally.exit());
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let wide = |mapping: &Mapping| mapping.name.chars().count().max("undefined".len());
    write!(out, "{:width$}", "")?;
    for mapping in &mappings {
        write!(out, "  {:>1$}", mapping.name, wide(mapping))?;
    }
    writeln!(out)?;
    for (name, cells) in &rows {
        write!(out, "{name:width$}")?;
        for (cell, mapping) in cells.iter().zip(&mappings) {
            write!(out, "  {cell:>0$}", wide(mapping))?;
        }
        writeln!(out)?;
    }
    for (at, mapping) in mappings.iter().enumerate() {
        let count = |word: &str| rows.iter().filter(|(_, cells)| cells[at] == word).count();
        let (no, refused) = (count("NO"), count("refused") + count("error") + count("open"));
        let mut without = match count("undefined") {
            0 => String::new(),
            undefined => format!(", {undefined} of them undefined"),
        };
        if refused > 0 {
            without += &format!(", {refused} without an answer");
        }
        let tests = several((rows.len() - refused) as u64, "test");
        match no {
            0 => writeln!(out, "{}: sound for {source} on {tests}{without}", mapping.name)?,
            no => writeln!(out, "{}: not sound for {source}, on {no} of {tests}{without}", mapping.name)?,
        }
    }
    Ok(tally.exit())
}
