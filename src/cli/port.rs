//! `litmus port` and `litmus robust`: one test, two models.

use std::io::Write;
use std::path::Path;

use crate::compare::{Answer, Effort, Granularity};
use crate::explore::Engine;
use crate::mapping::Mapping;
use crate::report::graph::{self, Style};
use crate::report::port::{PortRecord, Wording, line, picture, text};
use crate::report::several;
use crate::session::{Compared, Session, in_order};

use super::args::{EngineArg, GraphArg, PortFormat};
use super::console::{Console, interrupt_flag};
use super::plan::{self, Resolved};
use super::port_args::{CompareEngineArg, ComparisonArgs, PortArgs, RobustArgs};
use super::{Done, Exit, Stop, drawing, port_mappings, tests_arg};

/// Is what the target allows allowed by the source?
pub fn port(
    args: &PortArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let by = match args.compile.as_deref() {
        Some("all") if args.to.is_some() => {
            let message =
                "`--compile all` runs each mapping's output under the model of its target: leave --to out";
            return Err(Stop::Usage(message.to_string()));
        }
        Some("all") if args.mapping.is_some() => {
            let message =
                "`--compile all` is every mapping of ours: leave --mapping out, or name its machine";
            return Err(Stop::Usage(message.to_string()));
        }
        Some("all") => By::EveryMapping,
        name => super::compile::mapping(name, args.mapping.as_ref())?.map_or(By::Itself, By::Mapping),
    };
    let question = Question {
        wording: Wording::Port,
        source: &args.from,
        target: args.to.as_deref(),
        effort: Effort::Decide,
        by,
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
        target: Some(&args.model),
        effort: Effort::Count,
        by: By::Itself,
    };
    compare(&question, &args.comparison, console, out, err)
}

struct Question<'a> {
    wording: Wording,
    source: &'a str,
    /// `None`: the model of the mapping's target.
    target: Option<&'a str>,
    effort: Effort,
    by: By,
}

/// How a test comes to the target.
enum By {
    /// As it is.
    Itself,
    /// Compiled.
    Mapping(Mapping),
    /// Compiled in every way that there is.
    EveryMapping,
}

/// Draws the execution that decides, if one does.
fn draw(folder: &Path, form: Option<GraphArg>, compared: &Compared) -> std::io::Result<()> {
    let style = Style::default();
    let Some(graph) = picture(compared, &style) else { return Ok(()) };
    let (text, extension) = match form {
        Some(GraphArg::Dot) => (graph::dot(&graph, &style), "dot"),
        Some(GraphArg::Text) => (graph::text(&graph), "txt"),
        Some(GraphArg::Svg) | None => (graph::svg(&graph), "svg"),
    };
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{}.{extension}", drawing::file_name(compared.report.title()))), text)
}

/// What became of the tests.
#[derive(Default)]
pub(super) struct Tally {
    tests: u64,
    yes: u64,
    no: u64,
    undefined: u64,
    open: u64,
    limited: bool,
    unsupported: bool,
    bad: bool,
}

impl Tally {
    pub(super) fn add(&mut self, compared: &Compared) {
        use crate::diag::Class;
        self.tests += 1;
        match compared.answer.as_ref().map(|(_, comparison)| comparison) {
            None => match compared.report.error().map(|error| error.class) {
                Some(Class::Unsupported) => self.unsupported = true,
                Some(Class::Limit(_)) => self.limited = true,
                _ => self.bad = true,
            },
            Some(comparison) => {
                self.undefined += u64::from(matches!(comparison.answer, Answer::Undefined { .. }));
                match comparison.answer {
                    Answer::NotPortable { .. } => self.no += 1,
                    _ if comparison.is_decided() => self.yes += 1,
                    _ => self.open += 1,
                }
                self.limited |= !comparison.is_decided();
            }
        }
    }

    pub(super) fn exit(&self) -> Exit {
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
    let bounded = if args.engine == CompareEngineArg::Grow { EngineArg::Grow } else { EngineArg::Worlds };
    args.bounds.apply(bounded, &mut settings)?;
    settings.explore.interrupt = Some(interrupt_flag());
    let (inputs, errors) = tests_arg::collect(&args.tests.tests);
    let mut tally = Tally { bad: !errors.is_empty(), ..Tally::default() };
    for message in errors {
        let _ = writeln!(err, "error: {message}");
    }
    let by_states = args.states || !matches!(question.by, By::Itself);
    settings.explore.engine = match args.engine {
        CompareEngineArg::Sat if !args.states => {
            return Err(Stop::Usage("--engine sat goes with --states".to_string()));
        }
        CompareEngineArg::Grow if !args.states => {
            return Err(Stop::Usage("--engine grow goes with --states".to_string()));
        }
        CompareEngineArg::Grow => Engine::Grow,
        CompareEngineArg::Sat => Engine::Sat,
        CompareEngineArg::Auto if args.states => Engine::Auto,
        CompareEngineArg::Auto | CompareEngineArg::Worlds => Engine::Explore,
        CompareEngineArg::Naive => Engine::Naive,
    };
    let granularity = if by_states { Granularity::States } else { Granularity::Executions };
    let Question { wording, source, target, effort, ref by } = *question;
    if let By::Itself = by {
        plan::with_companions(&mut settings, [Some(source), target].into_iter().flatten());
    }
    let session = Session::new(settings);
    if let By::EveryMapping = by {
        if args.graph.is_some() {
            return Err(Stop::Usage("--graph is for one mapping at a time".to_string()));
        }
        return port_mappings::table(&session, &inputs, source, args, &mut tally, console, (out, err));
    }
    let (jobs, _) = plan::workers(args.jobs, inputs.len());
    let one = inputs.len() == 1;
    let mut told = super::console::Repeated::default();
    let mut rows = Vec::new();
    let mut failure = Ok(());
    in_order(
        inputs.len(),
        jobs,
        |index| match by {
            By::Mapping(mapping) => session.compare_compiled(&inputs[index], source, target, mapping),
            _ => session.compare(&inputs[index], source, target.unwrap_or(source), granularity, effort),
        },
        |_, compared| {
            tally.add(&compared);
            if let Some(folder) = &args.graph {
                failure = draw(folder, args.graph_format, &compared);
            }
            let _ = err.write_all(console.diagnostics_once(&compared.report, &mut told).as_bytes());
            match args.format {
                _ if failure.is_err() => {}
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
        let open = if tally.open > 0 { format!(", {} not decided", tally.open) } else { String::new() };
        let undefined = match tally.undefined {
            0 => String::new(),
            some => format!(" ({some} undefined under {source})"),
        };
        let without = match tally.tests - tally.yes - tally.no - tally.open {
            0 => String::new(),
            some => format!(", {some} without an answer"),
        };
        let (yes, no, tests) = (tally.yes, tally.no, several(tally.tests, "test"));
        writeln!(out, "{yes} of {tests} {word}{undefined}, {no} not (marked !){open}{without}")?;
    }
    Ok(tally.exit())
}
