//! `csv`: one row a test, for spreadsheets (RFC 4180).

use std::io::{self, Write};

use super::{Format, Item};
use crate::outcome::Count;
use crate::session::Judgement;

/// The columns.
const HEADER: &str = "file,test,arch,model,status,kind,verdict,observation,positive,negative,states,flags,qualifier,expectation,\
                      seconds,executions,graphs,condition,message";

/// One row a test.
#[derive(Default, Debug)]
pub struct Csv;

impl Format for Csv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{HEADER}\r\n")
    }

    fn test(&mut self, item: &Item, out: &mut dyn Write) -> io::Result<()> {
        let report = item.report;
        let answer = report.answer.as_ref();
        let outcome = report.outcome();
        let number = |n: Option<Count>| n.map_or(String::new(), |n| n.to_string());
        let text = |s: Option<&str>| s.unwrap_or_default().to_string();
        let status = super::status(report);
        let expectation = match item.judgement {
            None => "",
            Some(Judgement::Met) => "met",
            Some(Judgement::Undecided(_)) => "undecided",
            Some(Judgement::Violated(_)) => "failed",
        };
        let row = [
            report.file.clone(),
            report.name.clone(),
            text(report.arch.map(|a| a.name())),
            text(report.model_name.as_deref().or(report.model.as_deref())),
            status.to_string(),
            text(answer.map(|a| a.kind())),
            text(report.verdict().map(|v| v.word())),
            text(answer.and_then(|a| a.observation())),
            number(outcome.map(|o| o.positive.clone())),
            number(outcome.map(|o| o.negative.clone())),
            number(outcome.map(|o| Count::from(o.states.len() as u64))),
            outcome.map_or(String::new(), |o| o.flags.iter().cloned().collect::<Vec<_>>().join(" ")),
            report.qualifier().word().to_string(),
            expectation.to_string(),
            format!("{:.6}", report.phases.total().as_secs_f64()),
            number(outcome.map(|o| o.stats.executions.clone())),
            number(outcome.map(|o| Count::from(o.stats.graphs))),
            text(answer.map(|a| a.test.condition_text.as_str())),
            item.failed().map(String::from).or_else(|| report.remark()).unwrap_or_default(),
        ];
        let row: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        write!(out, "{}\r\n", row.join(","))
    }
}

/// A cell, quoted where needed.
pub fn escape(cell: &str) -> String {
    // A spreadsheet takes what begins like this for a formula, and computes it.
    let quoted;
    let cell = match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err() {
        true => {
            quoted = format!("'{cell}");
            &quoted
        }
        false => cell,
    };
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_only_where_they_must_be() {
        assert_eq!(escape("SB+mfences"), "SB+mfences");
        assert_eq!(escape("a,b"), "\"a,b\"");
        assert_eq!(escape("=1+1"), "'=1+1");
        assert_eq!(escape("@A,1"), "\"'@A,1\"");
        assert_eq!(escape("-1"), "-1");
        assert_eq!(escape("say \"x\""), "\"say \"\"x\"\"\"");
    }
}
