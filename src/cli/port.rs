//! `litmus port` and `litmus robust`: one test, two models.

use std::io::Write;

use crate::compare::{Answer, Effort, Granularity};
use crate::mapping::Mapping;
use crate::report::port::{PortRecord, Wording, line, text};
use crate::report::several;
use crate::session::{Compared, Session, in_order};

use super::args::{ComparisonArgs, EngineArg, PortArgs, PortFormat, RobustArgs};
use super::console::{Console, interrupt_flag};
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop, tests_arg};

/// Is what the target allows allowed by the source?
pub fn port(
    args: &PortArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let question = Question {
        wording: Wording::Port,
        source: &args.from,
        target: &args.to,
        effort: Effort::Decide,
        mapping: super::compile::mapping(args.compile.as_deref(), args.mapping.as_ref())?,
    };
    compare(&question, &args.comparison, console, out, err)
}

/// Does the program behave under a model as it does under SC?
pub fn robust(
    args: &RobustArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let question = Question {
        wording: Wording::Robust,
        source: &args.against,
        target: &args.model,
        effort: Effort::Count,
        mapping: None,
    };
    compare(&question, &args.comparison, console, out, err)
}

struct Question<'a> {
    wording: Wording,
    source: &'a str,
    target: &'a str,
    effort: Effort,
    mapping: Option<Mapping>,
}

/// What became of the tests.
#[derive(Default)]
struct Tally {
    tests: u64,
    yes: u64,
    no: u64,
    limited: bool,
    unsupported: bool,
    bad: bool,
}

impl Tally {
    fn add(&mut self, compared: &Compared) {
        use crate::diag::Class;
        use crate::outcome::Completeness;
        self.tests += 1;
        match compared.answer.as_ref().map(|(_, comparison)| comparison) {
            None => match compared.report.error().map(|error| error.class) {
                Some(Class::Unsupported) => self.unsupported = true,
                _ => self.bad = true,
            },
            Some(comparison) => {
                match comparison.answer {
                    Answer::NotPortable { .. } => self.no += 1,
                    _ => self.yes += 1,
                }
                self.limited |= !matches!(
                    comparison.completeness,
                    Completeness::Complete | Completeness::Bounded | Completeness::Decided
                );
            }
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Tally { bad: true, .. } => Exit::BadInput,
            Tally { unsupported: true, .. } => Exit::Unsupported,
            Tally { no: 1.., .. } => Exit::Failed,
            Tally { limited: true, .. } => Exit::Limit,
            _ => Exit::Success,
        }
    }
}

fn compare(
    question: &Question,
    args: &ComparisonArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, .. } = plan::reading(&args.reading)?;
    args.bounds.apply(&mut settings);
    plan::bounds(EngineArg::Worlds, args.cut, args.bound_events)?;
    settings.explore.at_bound = args.cut.into();
    settings.explore.bound_events = args.bound_events;
    settings.explore.interrupt = Some(interrupt_flag());
    let (inputs, errors) = tests_arg::collect(&args.tests.tests);
    let mut tally = Tally { bad: !errors.is_empty(), ..Tally::default() };
    for message in errors {
        let _ = writeln!(err, "error: {message}");
    }
    let by_states = args.states || question.mapping.is_some();
    let granularity = if by_states { Granularity::States } else { Granularity::Executions };
    let Question { wording, source, target, effort, ref mapping } = *question;
    let session = Session::new(settings);
    let (jobs, _) = plan::workers(args.jobs, inputs.len());
    let one = inputs.len() == 1;
    let mut told = super::console::Repeated::default();
    let mut rows = Vec::new();
    let mut failure = Ok(());
    in_order(
        inputs.len(),
        jobs,
        |index| match mapping {
            Some(mapping) => session.compare_compiled(&inputs[index], source, target, mapping),
            None => session.compare(&inputs[index], source, target, granularity, effort),
        },
        |_, compared| {
            tally.add(&compared);
            let _ = err.write_all(console.diagnostics_once(&compared.report, &mut told).as_bytes());
            match args.format {
                PortFormat::Json => {
                    let record = PortRecord::new(&compared, wording, granularity);
                    failure = serde_json::to_writer(&mut *out, &record)
                        .map_err(std::io::Error::from)
                        .and_then(|()| writeln!(out));
                }
                PortFormat::Text if one => failure = write!(out, "{}", text(&compared, wording, granularity)),
                PortFormat::Text => rows.push((
                    compared.report.title().to_string(),
                    matches!(&compared.answer, Some((_, c)) if matches!(c.answer, Answer::NotPortable { .. })),
                    line(&compared, wording, granularity),
                )),
            }
            failure.is_ok()
        },
    );
    let _ = err.write_all(told.summary().as_bytes());
    failure.map_err(Stop::Io)?;
    if args.format == PortFormat::Text && !one {
        let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        for (name, marked, line) in &rows {
            writeln!(out, "{} {name:width$}  {line}", if *marked { '!' } else { ' ' })?;
        }
        let word = if wording == Wording::Port { "portable" } else { "robust" };
        writeln!(
            out,
            "{} of {} {word}, {} not (marked !)",
            tally.yes,
            several(tally.tests, "test"),
            tally.no
        )?;
    }
    Ok(tally.exit())
}
