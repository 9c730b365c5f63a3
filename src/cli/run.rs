//! `litmus run`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::diag::Diagnostic;
use crate::limits::{Expected, Gauge};
use crate::litmus::{Seen, Sighting};
use crate::outcome::{Cause, Counts, WhyEmpty};
use crate::report::graph::Style;
use crate::report::herd;
use crate::report::html::Opens;
use crate::report::{
    Csv, Format, Github, Html, Item, Json, JsonLines, Junit, Log, Markup, Sarif, Sqlite, Summary, Table,
    several,
};
use crate::session::{Qualifier, Report};
use crate::session::{STACK, Session, in_order, states};

use super::args::{FormatArg, RunArgs};
use super::console::{Console, Repeated, interrupt_flag};
use super::plan::RunPlan;
use super::progress::Progress;
use super::{Done, Exit, Stop, VERSION, emit, estimate};

/// Runs tests under models.
pub fn run(
    args: &RunArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let mut plan = RunPlan::new(args)?;
    if args.estimate {
        return estimate::estimate(&plan, console, out, err);
    }
    let mut file;
    let out: &mut (dyn Write + Send) = match &plan.output {
        None => out,
        Some(_) if plan.format == FormatArg::Sqlite => out,
        Some(path) => {
            let created = match &plan.held {
                Some(held) => held.open(path, &plan.kept),
                None => File::create(path),
            };
            let created = created
                .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))?;
            file = BufWriter::new(created);
            &mut file
        }
    };
    if args.emit.is_some() {
        let done = emit::dimacs(&plan, console, out, err)?;
        out.flush()?;
        return Ok(done);
    }
    for note in &plan.notes {
        console.note(err, note);
    }
    if !plan.kept_names.is_empty() {
        let kept = several(plan.kept_names.len() as u64, "result");
        let left = several(plan.inputs.len() as u64, "test");
        console.note(err, &format!("{kept} kept, {left} left"));
    }
    let color = console.color_out && plan.output.is_none();
    let models = plan.models.iter().map(|m| m.clone().unwrap_or_else(|| "default".to_string())).collect();
    let mut format: Box<dyn Format> = match plan.format {
        FormatArg::Herd => Box::new(Log::new(herd::Style { hexa: plan.hexa, ..herd::Style::default() })),
        FormatArg::Json => Box::new(Json::default()),
        FormatArg::Jsonl => match plan.unit.take() {
            Some(unit) => Box::new(unit),
            None => Box::new(JsonLines),
        },
        FormatArg::Csv => Box::new(Csv),
        FormatArg::Junit => Box::new(Junit::default()),
        FormatArg::Sqlite => {
            // Pages of it are written out of order.
            let Some(path) = &plan.output else {
                return Err(Stop::Usage("--format sqlite goes with -o FILE".to_string()));
            };
            Box::new(
                Sqlite::create(path, VERSION)
                    .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))?,
            )
        }
        FormatArg::Github => Box::new(Github),
        FormatArg::Sarif => Box::new(Sarif::default()),
        FormatArg::Markdown => Box::new(Table::new(models, false).marked_up(Markup::Markdown)),
        FormatArg::Latex => Box::new(Table::new(models, false).marked_up(Markup::Latex)),
        FormatArg::Html => {
            let style = Style { hexa: plan.hexa, ..Style::default() };
            let mut page = Html::new(models, Opens::Table, style);
            let ended = drive(&mut plan, &mut page, console, out, err)?;
            out.flush()?;
            if page.trimmed() > 0 {
                let tests = several(page.trimmed() as u64, "test");
                console
                    .note(err, &format!("no executions of {tests} are in the page: it would be too large"));
            }
            return Ok(if ended.interrupted {
                Exit::Interrupted
            } else {
                Exit::of(&ended.summary, plan.strict)
            });
        }
        FormatArg::Table => {
            let width = console.width.filter(|_| plan.output.is_none());
            Box::new(Table::new(models, color).within(width))
        }
    };
    let ended = drive(&mut plan, format.as_mut(), console, out, err)?;
    out.flush()?;
    Ok(if ended.interrupted { Exit::Interrupted } else { Exit::of(&ended.summary, plan.strict) })
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// What became of the tests.
    pub summary: Summary,
    /// By Ctrl-C?
    pub interrupted: bool,
    /// Was there a model that could not be loaded?
    pub model_failed: bool,
}

/// Runs a plan: results through `format` to `out`, in order, as they come; everything else to `err`.
pub fn drive(
    plan: &mut RunPlan,
    format: &mut dyn Format,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Result<Ended, Stop> {
    let start = Instant::now();
    let interrupt = interrupt_flag();
    plan.settings.explore.interrupt = Some(interrupt.clone());
    let gauge = Arc::new(Gauge::default());
    if plan.inputs.len() * plan.models.len() == 1 {
        plan.settings.explore.gauge = Some(Arc::clone(&gauge));
    }
    // The process ends soon after; freeing models piece by piece is a fifteenth of a run of one small test.
    let session = ManuallyDrop::new(Session::new(plan.settings.clone()));
    let n = plan.inputs.len() * plan.models.len();
    // Where results come by on the same terminal they are progress enough.
    let streamed =
        matches!(plan.format, FormatArg::Herd | FormatArg::Json | FormatArg::Jsonl | FormatArg::Csv);
    let crossed = console.out_is_terminal && streamed && plan.output.is_none();
    // A single test shows nothing before it is done.
    let wanted = console.err_is_terminal && !console.quiet && (!crossed || n == 1);
    let progress = Progress::new(wanted, n, &gauge);
    if wanted && n == 1 {
        look_ahead(plan, &gauge);
    }
    let mut summary = Summary::default();
    for message in &plan.input_errors {
        summary.bad_input += 1;
        let _ = writeln!(err, "error: {message}");
    }
    let mut told = Told::default();
    let mut drawing = plan.drawing.take();
    if let Some(drawing) = drawing.as_mut().filter(|_| plan.output.is_none()) {
        drawing.width = console.width;
    }
    let plan = &*plan;
    let mut seen = Seen::default();
    let mut run_names: BTreeSet<String> = plan.kept_names.iter().cloned().collect();
    let mut failure: io::Result<()> = format.begin(out);
    if failure.is_ok() {
        in_order(
            n,
            plan.jobs,
            |index| {
                let input = &plan.inputs[index / plan.models.len()];
                // After Ctrl-C nothing new is begun; the tests under way report what they have.
                let skip = interrupt.load(Ordering::Relaxed);
                (!skip).then(|| session.run(input, plan.models[index % plan.models.len()].as_deref()))
            },
            |_, report| {
                let Some(report) = report else { return false };
                if plan.each_once {
                    let test = report.answer.as_ref().map(|answer| &answer.test);
                    match test.map(|test| seen.note(&test.name, &test.hashes, &report.file)) {
                        None | Some(Sighting::New) => {}
                        Some(Sighting::Again) => return true,
                        Some(Sighting::OtherTest(first)) => {
                            let name = &report.name;
                            let _ = writeln!(
                                err,
                                "error: {}: another test is called {name}, too (previous file {first})",
                                report.file
                            );
                            return !plan.stop_at_error;
                        }
                    }
                }
                let judgement = if plan.expectations.is_empty() {
                    None
                } else {
                    run_names.insert(report.name.clone());
                    let lines = report.answer.as_ref().map(states::lines).unwrap_or_default();
                    plan.expectations.judge(&report, &lines)
                };
                let item = Item { report: &report, judgement: judgement.as_ref() };
                summary.add(&item);
                if plan.models.len() > 1 && report.other_arch {
                    summary.bad_input -= 1;
                    summary.not_applicable += 1;
                }
                let text = told.about(plan, &item, console);
                if !text.is_empty() {
                    progress.suspend(|| {
                        let _ = err.write_all(text.as_bytes());
                    });
                }
                failure = format.test(&item, out);
                // Someone may be reading along; results are never held back longer than a moment.
                if let (Some(drawing), true) = (&mut drawing, failure.is_ok()) {
                    match plan.settings.budget().run(|| drawing.draw(&report, out)) {
                        Ok(Ok(said)) if said.is_empty() || console.quiet => {}
                        Ok(Ok(said)) => progress.suspend(|| {
                            let _ = err.write_all(said.as_bytes());
                        }),
                        Ok(Err(error)) => failure = Err(error),
                        Err(why) => {
                            summary.limited += 1;
                            let stopped = Diagnostic::stopped(why, "while an execution was drawn");
                            let _ = writeln!(err, "{}: {}", report.title(), stopped.message);
                        }
                    }
                }
                if failure.is_ok() {
                    failure = told.flush(out);
                }
                progress.inc(1);
                failure.is_ok() && !(plan.stop_at_error && report.answer.is_none())
            },
        );
    }
    progress.finish();
    failure?;
    summary.bad_input += told.fit_for_none;
    summary.seconds = start.elapsed().as_secs_f64();
    format.end(&summary, out)?;
    out.flush()?;
    let _ = err.write_all(told.repeated.summary().as_bytes());
    if told.not_run > 0 {
        let _ = writeln!(
            err,
            "{} not run: the model could not be loaded",
            several(told.not_run as u64, "more test")
        );
    }
    let interrupted = interrupt.load(Ordering::Relaxed);
    let missed = plan.expectations.without(&run_names);
    if let (Some((file, _)), false, false, [_, ..]) =
        (&plan.expectations.by_name, plan.is_part, interrupted, missed.as_slice())
    {
        summary.failed += missed.len();
        let _ = writeln!(err, "error: `{file}` expects something of {}: not run", named(&missed));
    }
    if interrupted {
        let what = if plan.models.len() > 1 { "runs" } else { "tests" };
        let _ = writeln!(err, "interrupted: {} of {n} {what} were looked at", summary.tests);
    }
    if (n > 1 && console.err_is_terminal && !console.quiet) || console.verbose > 0 {
        let _ = match plan.models.len() {
            0 | 1 => writeln!(err, "{summary}"),
            models => {
                writeln!(
                    err,
                    "{} under {models} models, {}",
                    several(plan.inputs.len() as u64, "test"),
                    summary.results()
                )
            }
        };
    }
    Ok(Ended { summary, interrupted, model_failed: !told.broken_models.is_empty() })
}

/// After a while, looks how large the search is that is under way.
fn look_ahead(plan: &RunPlan, gauge: &Arc<Gauge>) {
    const PATIENCE: Duration = Duration::from_secs(2);
    let mut settings = plan.settings.clone();
    settings.explore.gauge = None;
    let (input, model, gauge) = (plan.inputs[0].clone(), plan.models[0].clone(), Arc::downgrade(gauge));
    // Nobody waits for it: it ends with the command, if not before.
    let builder = std::thread::Builder::new().stack_size(STACK);
    let _ = builder.spawn(move || {
        std::thread::sleep(PATIENCE);
        let is_over = || {
            gauge.upgrade().is_none_or(|gauge| {
                let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
                read(&gauge.graphs) == 0 && read(&gauge.executions) == 0
            })
        };
        if is_over() {
            return;
        }
        let guess = Session::new(settings).guess(&input, model.as_deref(), estimate::SEED);
        if let (Some(guess), Some(gauge)) = (guess, gauge.upgrade()) {
            let (graphs, executions) = (guess.0.mean, guess.1.mean);
            let (least, most) = guess.1.range();
            let _ = gauge.expected.set(Expected { graphs, executions, least, most });
        }
    });
}

/// A few names, and how many more.
fn named(names: &[&str]) -> String {
    const FEW: usize = 5;
    match names.len() {
        n if n <= FEW => names.join(", "),
        n => format!("{} and {} more", names[..FEW].join(", "), n - FEW),
    }
}

/// What has been said on standard error, so that nothing is said ten thousand times.
#[derive(Default)]
struct Told {
    default_models: BTreeSet<String>,
    skipped_checks: BTreeSet<String>,
    broken_models: BTreeSet<Option<String>>,
    repeated: Repeated,
    /// Tests whose models so far are all for other architectures.
    unfit: Option<(String, usize)>,
    /// Tests that no model of the run is for.
    fit_for_none: usize,
    /// The last file, and what was said of it.
    last: Option<(String, String)>,
    /// Tests passed over for a model that could not be loaded, after the first.
    not_run: usize,
    flushed: Option<Instant>,
}

impl Told {
    /// Everything about a result that does not belong into the output itself.
    fn about(&mut self, plan: &RunPlan, item: &Item, console: &Console) -> String {
        let report = item.report;
        let mut text = String::new();
        if let (None, Some(name), Some(arch)) = (&report.model, &report.model_name, report.arch) {
            let line = format!("{}: no -m given, using the model {name}\n", arch.name());
            if !console.quiet && self.default_models.insert(line.clone()) {
                text += &line;
            }
        }
        if let (Some(without), Some(name), false) =
            (report.without_checks(), &report.model_name, console.quiet)
        {
            let line = format!("{name}: {without}\n");
            if self.skipped_checks.insert(line.clone()) {
                text += &line;
            }
        }
        if report.model_failed && !self.broken_models.insert(report.model.clone()) {
            self.not_run += 1;
            return String::new();
        }
        if plan.models.len() > 1 && report.other_arch {
            // Among several models some may be for other architectures; that none is for this one is an error.
            let (file, models) = self.unfit.take().unwrap_or_default();
            let models = if file == report.file { models + 1 } else { 1 };
            self.unfit = Some((report.file.clone(), models));
            if models == plan.models.len() {
                self.fit_for_none += 1;
                let arch = report.arch.map_or("its architecture", |arch| arch.name());
                text += &format!("error: {}: none of the models is for {arch}\n", report.file);
            }
            return text;
        }
        let said = console.diagnostics_once(report, &mut self.repeated);
        // What is wrong with the test itself is as wrong under the next model.
        if plan.models.len() == 1 {
            text += &said;
        } else {
            let about_test = (report.file.clone(), said);
            if self.last.as_ref() != Some(&about_test) {
                text += &about_test.1;
            }
            self.last = Some(about_test);
        }
        if let Some(reason) = item.failed() {
            text += &format!("{}: {}: {reason}\n", report.file, report.title());
        }
        if !console.quiet && plan.format == FormatArg::Herd {
            text += &herd_warnings(report);
        }
        // That it is for the filter is a warning, which points at it.
        let empty = report.outcome().filter(|outcome| outcome.why_empty != Some(WhyEmpty::Filtered));
        if let (Some(why), false) = (empty.and_then(|outcome| outcome.why_empty.as_ref()), console.quiet) {
            text += &format!("{}: {}: no execution at all: {why}\n", report.file, report.title());
        }
        // That a result is missing is no note, and is told even when quiet.
        if let (Some(caveat), true) = (report.caveat(), !console.quiet || report.is_cut_short()) {
            text += &format!("{}: {}: {caveat}\n", report.file, report.title());
        }
        if plan.format == FormatArg::Herd && report.is_cut_short() && !console.quiet {
            text += &seen_so_far(report);
        }
        if plan.stats {
            text += &figures(report);
        }
        text
    }

    fn flush(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let now = Instant::now();
        if self.flushed.is_none_or(|last| now - last > Duration::from_millis(100)) {
            self.flushed = Some(now);
            out.flush()?;
        }
        Ok(())
    }
}

/// herd7's warning about a loop, word for word; where it is known that nothing is missing, there is none.
pub fn herd_warnings(report: &Report) -> String {
    if report.qualifier() == Qualifier::Complete {
        return String::new();
    }
    let cuts = report.outcome().map(|o| o.cuts.as_slice()).unwrap_or_default();
    let labels: BTreeSet<&str> = cuts.iter().map(|cut| cut.label.as_str()).collect();
    labels
        .iter()
        .map(|label| {
            format!(
                "Warning: File \"{}\": unrolling limit exceeded at {label}, legal outcomes may be missing.\n",
                report.file
            )
        })
        .collect()
}

/// What is known of a test that has no block in the log because its search was cut short.
fn seen_so_far(report: &Report) -> String {
    const MOST: usize = 20;
    let Some((answer, outcome)) = report.answer.as_ref().zip(report.outcome()) else { return String::new() };
    let (lines, more) = states::first_lines(answer, MOST);
    let condition = &answer.test.condition_text;
    let proposition = condition.split_once(' ').map_or(condition.as_str(), |(_, proposition)| proposition);
    let mut text = format!(
        "  not in the log; seen so far: {}, {} of them with {}\n",
        several(outcome.executions(), "execution"),
        outcome.positive,
        proposition
    );
    for line in lines {
        text += &format!("  {line}\n");
    }
    if more > 0 {
        text += &format!("  and {more} more states\n");
    }
    text
}

/// `--stats`.
fn figures(report: &Report) -> String {
    let Some(outcome) = report.outcome() else { return String::new() };
    let stats = &outcome.stats;
    let seconds = stats.time.as_secs_f64();
    let rate = |n: f64| if seconds > 0.0 { n / seconds } else { 0.0 };
    let mut text = format!(
        "{}: {} in {seconds:.4} s ({:.0}/s), {} ({:.0}/s)\n",
        report.title(),
        several(&stats.executions, "execution"),
        rate(stats.executions.as_f64()),
        several(stats.graphs, "graph"),
        rate(stats.graphs as f64),
    );
    let mut line = |count: u64, what: &str| {
        if count > 0 {
            text += &format!("  {count:>10} {what}\n");
        }
    };
    line(stats.worlds, "worlds: combinations of paths, one of each thread");
    line(stats.speculated, "paths speculated, at branches and addresses not known yet");
    line(stats.proposals, "executions proposed by the solver");
    line(stats.clauses, "clauses that it was given");
    line(stats.revisits, "reads given a write that came later");
    line(stats.residual.saturating_word(), "executions with a cycle of po and rf, by worlds");
    line(stats.with_holes.saturating_word(), "executions with a cycle of po and rf, grown with holes");
    line(u64::from(stats.no_residual), "search left out: no execution can have a cycle of po and rf here");
    line(stats.blocked, "executions in which a thread waits for what never comes");
    line(
        stats.value_conflicts,
        "branches dropped for values that contradict each other or come out of thin air",
    );
    for (check, count) in most_first(&stats.entailed) {
        match check {
            Cause::Order => {
                line(count, "times what an order must contain was found to add nothing, and dropped")
            }
            check => line(count, &format!("times {check} was found to hold whatever is chosen, and dropped")),
        }
    }
    for (check, count) in most_first(&stats.ruled_out) {
        match check {
            Cause::Order => line(count, "alternatives never tried: ruled out by what an order must contain"),
            check => line(count, &format!("alternatives never tried: ruled out by {check}")),
        }
    }
    for (check, count) in most_first(&stats.pruned) {
        match check {
            Cause::NoChoice => line(count, "branches refuted by several checks together: no choice was left"),
            Cause::Order => line(count, "branches refuted by what an order of the model must contain"),
            check => line(count, &format!("branches refuted by {check}")),
        }
    }
    text
}

/// Counts by name, the largest first.
fn most_first(counts: &Counts) -> Vec<(&Cause, u64)> {
    let mut sorted: Vec<(&Cause, u64)> = counts.iter().map(|(cause, count)| (cause, *count)).collect();
    // Those of the search before those of the model, which are in the order of their names.
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    sorted
}
