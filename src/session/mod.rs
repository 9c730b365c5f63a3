//! A session: models loaded once, tests run under them, what became of each as a [`Report`].
//!
//! This is the layer that ties the others together; it knows neither flags nor output. A test under a model is a pure
//! function of the files and the [`Settings`]: a session may be used from many threads at once.

mod allows;
mod annotations;
mod auto;
mod compare;
mod compiled;
mod coverage;
mod details;
mod expect;
mod explained;
mod fence;
mod lint;
mod load;
mod locks;
mod models;
mod notice;
#[cfg(test)]
mod notice_tests;
mod pipeline;
mod programs;
mod report;
mod rules;
mod separate;
mod shelf;
#[cfg(test)]
mod sizes_tests;
pub(crate) mod states;
mod surveyed;
mod told;
mod trees;
mod variants;

pub use crate::execution::{AtBound, Execution};
pub use compare::Compared;
pub use coverage::{Coverage, Idle, Noticed, Part, Sizes, Suggest, coverage};
pub use details::{Depth, Details, Refused, holds};
pub use expect::{Expectation, Expectations, Judgement};
pub use explained::Explained;
pub use fence::{Changes, Fenced, Goal, Runnable};
pub use lint::lint_model;
pub use load::{Failure, Input, ModelKey, Prepared, prepare_model};
pub use models::{CheckedModel, bell_words, check_model, lower_name};
pub use pipeline::{STACK, in_order};
pub use programs::prepare_for_programs;
pub use report::{Answer, Phases, Qualifier, Report, Verdict};
pub use report::{UnitId, UnitReport};
pub use separate::{Asked, Relation, Separation, separate};
pub use surveyed::Survey;
pub use told::{ByTests, Told, by_tests};

use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::arch::ArchId;
use crate::cat::Loader;
use crate::condition::Quantifier;
use crate::diag::{Diagnostic, Diagnostics, Remedy, Severity};
use crate::explore::{self, Listed, Portion};
use crate::files::{Disk, Files};
use crate::limits::{self, Budget, Stopped};
use crate::litmus::{Lowered, Overrides, QUESTION, Test};
use crate::mapping::Mapping;
use crate::outcome::{Completeness, Outcome, WhyEmpty};
use crate::program::{CellSizes, Mixed};
use crate::source::Sources;
use crate::variant::Variant;
use shelf::Shelf;

/// Everything a session is told once.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where models, includes, bell and macro files are looked for, after the current directory.
    pub include: Vec<PathBuf>,
    /// Where all files are read from.
    pub files: Arc<dyn Files>,
    /// Variants in force besides those that a test names itself.
    pub variants: Vec<Variant>,
    /// The bell file.
    pub bell: Option<String>,
    /// The file of C macros (`.def`).
    pub macros: Option<String>,
    /// Refuse a model whose header names another architecture than the test's?
    pub arch_check: bool,
    /// Apply `filter` clauses?
    pub filter: bool,
    /// Unrolling bound where the test does not give its own.
    pub unroll: Option<u32>,
    /// Other names, kinds and conditions than tests have themselves.
    pub overrides: Arc<Overrides>,
    /// Let executions through that fail a check?
    pub let_through: bool,
    /// Leave candidates out that are not coherent, whatever the model says (herd7's `-optace true`)?
    pub coherent: bool,
    /// Keep only executions that fail every check that is skipped (herd7's `-strictskip true`)?
    pub strict_skip: bool,
    /// Take no offence at names of checks to skip that a model does not have, as herd7 does not?
    pub skips_are_hints: bool,
    /// Refuse tests that ask what nobody means to ask (warnings `question::…`)?
    pub strict: bool,
    /// Executions to show, besides counting them.
    pub shown: Option<explore::Request>,
    /// What to look into besides, for a page.
    pub depth: Option<Depth>,
    /// Compile C tests by this mapping, and run what comes out?
    pub compile: Option<Arc<Mapping>>,
    /// What the part of the search that is done is called, where it is one.
    pub unit: Option<UnitId>,
    /// The search.
    pub explore: explore::Options,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            include: Vec::new(),
            files: Arc::new(Disk),
            variants: Vec::new(),
            bell: None,
            macros: None,
            arch_check: true,
            filter: true,
            unroll: None,
            overrides: Arc::default(),
            let_through: false,
            coherent: false,
            strict_skip: false,
            skips_are_hints: false,
            strict: false,
            shown: None,
            compile: None,
            depth: None,
            unit: None,
            explore: explore::Options::default(),
        }
    }
}

/// The process takes some memory for itself; a limit below this one bounds the table of states only.
const LEAST_MEMORY: u64 = 64 << 20;

impl Settings {
    /// A loader of models that looks where these settings say.
    pub fn loader(&self) -> Loader {
        Loader::reading(self.include.clone(), Arc::clone(&self.files))
    }

    /// What one test may take, from now on, whatever is done with it.
    pub fn budget(&self) -> Budget {
        let memory = self.explore.max_memory.map(|bytes| bytes.max(LEAST_MEMORY));
        let memory = memory.or(limits::current().memory);
        let interrupt = self.explore.interrupt.clone().or(limits::current().interrupt);
        Budget::starting_now(self.explore.timeout, memory, interrupt)
    }
}

/// Models loaded once, tests run under them.
#[derive(Debug, Default)]
pub struct Session {
    settings: Settings,
    models: Shelf,
}

impl Session {
    /// A session with these settings.
    pub fn new(settings: Settings) -> Session {
        Session { settings, models: Shelf::default() }
    }

    /// What it was told.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The model of that key, loaded the first time it is asked for.
    fn model(&self, key: ModelKey) -> Result<Arc<Prepared>, Arc<Failure>> {
        self.models.model(&self.settings, key)
    }

    /// Runs one test under one model (`None`: the default one of its architecture).
    pub fn run(&self, input: &Input, model: Option<&str>) -> Report {
        self.look_at(input, model, true)
    }

    /// Reads and lowers one test without running it.
    pub fn check(&self, input: &Input) -> Report {
        self.look_at(input, None, false)
    }

    /// Shows the executions of a test that a model allows to `see`, one by one, as they are found, until it breaks off. The report has no
    /// outcome where the test or the model is wrong.
    pub fn each_execution(
        &self,
        input: &Input,
        model: Option<&str>,
        request: &explore::Request,
        see: &mut (dyn FnMut(&Lowered, crate::execution::Execution) -> ControlFlow<()> + Send),
    ) -> Report {
        let mut report = Report::new(input.name(), model);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        let answer = self.within_limits(|| {
            let parsed = self.parsed(input, &mut report, &mut diagnostics)?;
            let (test, prepared) = self.loaded(&parsed, &mut report, &mut diagnostics)?;
            let mut options = self.settings.explore.clone();
            options.unroll = test.unroll.or(self.settings.unroll).unwrap_or(options.unroll);
            let mut see = |execution| see(&test, execution);
            match explore::each_execution(&test, &prepared.model, None, &options, request, &mut see) {
                Ok(outcome) => Some(Answer { test, outcome: Some(outcome) }),
                Err(diagnostic) => {
                    diagnostics.error(diagnostic);
                    None
                }
            }
        });
        match answer {
            Ok(answer) => report.answer = answer,
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
            }
        }
        report.diagnostics = diagnostics.take();
        report
    }

    fn look_at(&self, input: &Input, model: Option<&str>, execute: bool) -> Report {
        let mut report = Report::new(input.name(), model);
        let mut diagnostics = Diagnostics::new();
        report.sources = Sources::layered();
        match self.within_limits(|| self.answer(input, execute, &mut report, &mut diagnostics)) {
            Ok(answer) => report.answer = answer,
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
            }
        }
        report.diagnostics = diagnostics.take();
        if self.settings.strict {
            refuse_questions(&mut report);
        }
        report
    }

    /// Does what is to be done with one test, in the time and memory that it may take. A defect of ours, too, must not take the rest of a
    /// campaign with it.
    fn within_limits<R>(&self, work: impl FnOnce() -> R) -> Result<R, Diagnostic> {
        let budget = self.settings.budget();
        match std::panic::catch_unwind(AssertUnwindSafe(|| budget.run(work))) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(why)) => Err(Diagnostic::stopped(why, "before the search began")),
            Err(payload) => Err(internal(&*payload)),
        }
    }

    /// The steps of one run. `None`: the reason is among the diagnostics.
    fn answer(
        &self,
        input: &Input,
        execute: bool,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<Answer> {
        let parsed = self.parsed(input, report, diagnostics)?;
        if !execute {
            let start = Instant::now();
            let test = load::lower(&self.settings, &parsed, None, &mut report.sources, diagnostics)?;
            report.phases.lower = start.elapsed();
            return Some(Answer { test, outcome: None });
        }

        let (test, prepared) = self.loaded(&parsed, report, diagnostics)?;

        let start = Instant::now();
        let mut options = self.settings.explore.clone();
        options.unroll = test.unroll.or(self.settings.unroll).unwrap_or(options.unroll);
        let shown = self.settings.shown.as_ref().filter(|request| request.show != explore::Show::Forbidden);
        options.keep = shown.map(|request| Arc::new(explore::Keeping::new(request)));
        let key = load::key(&self.settings, report.model.as_deref(), &parsed);
        let run = |test: &Lowered, prepared: &Prepared| auto::answer(test, &prepared.model, &options);
        let (test, prepared, outcome) = self.in_any_sizes(test, prepared, key, run);
        report.phases.explore = start.elapsed();
        report.unit = self.settings.unit.clone().map(|id| UnitReport::new(id, options.unit.as_deref()));
        match outcome {
            Ok(mut outcome) => {
                // herd7's `-speedcheck fast`: one execution that matters was all that was asked for.
                let enough = options.speedcheck && options.max_executions == Some(1);
                if enough && outcome.completeness == Completeness::ExecutionLimit {
                    outcome.completeness = Completeness::Decided;
                }
                for warning in outcome.warnings.drain(..) {
                    diagnostics.warn(warning);
                }
                if let (true, Some(span)) =
                    (outcome.why_empty == Some(WhyEmpty::Filtered), parsed.fin.filter_span)
                {
                    let message = "the filter refuses every execution that the model allows";
                    diagnostics.warn(
                        Diagnostic::warning("question::filter", message).at(span, "holds in none of them"),
                    );
                }
                outcome.why_empty = outcome.why_empty.map(locks::deadlock);
                self.show(&test, &prepared, &options, &outcome, report, diagnostics);
                if let Some(depth) = &self.settings.depth {
                    let details = self.details(depth, &test, &prepared, &options, &outcome, &report.sources);
                    report.details = Some(Box::new(details));
                }
                Some(Answer { test, outcome: Some(outcome) })
            }
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
                None
            }
        }
    }

    /// Reads a test.
    fn parsed(&self, input: &Input, report: &mut Report, diagnostics: &mut Diagnostics) -> Option<Test> {
        let start = Instant::now();
        let mut parsed = load::parse(input, &*self.settings.files, &mut report.sources, diagnostics)?;
        report.name = parsed.name.clone();
        report.arch = Some(parsed.arch);
        report.condition = parsed.fin.condition_span;
        report.phases.parse = start.elapsed();
        if let Err(diagnostic) = self.settings.overrides.apply(&mut parsed, &mut report.sources) {
            diagnostics.error(diagnostic);
            return None;
        }
        report.name = parsed.name.clone();
        if let (Some(mapping), ArchId::C) = (&self.settings.compile, parsed.arch) {
            parsed = compiled::assembly(&parsed, mapping, report, diagnostics)?;
        }
        if let Err(diagnostic) = variants::check(&self.settings, &parsed) {
            diagnostics.error(diagnostic);
            return None;
        }
        Some(parsed)
    }

    /// Loads the model of a test, and lowers the test for it.
    fn loaded(
        &self,
        parsed: &Test,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Lowered, Arc<Prepared>)> {
        let start = Instant::now();
        let prepared = self.prepared(parsed, report.model.clone().as_deref(), report, diagnostics)?;
        report.model_name = Some(prepared.name.clone());
        report.skipped_checks = prepared.skipped.clone();
        report.phases.model = start.elapsed();

        let start = Instant::now();
        let mut test =
            load::lower(&self.settings, parsed, Some(&prepared), &mut report.sources, diagnostics)?;
        if parsed.arch == ArchId::C
            && let Err(diagnostic) = load::fit_c(&mut test.program, &prepared, self.settings.arch_check)
        {
            diagnostics.error(diagnostic);
            return None;
        }
        compiled::named_as_in_c(&mut test, &report.compiled);
        report.phases.lower = start.elapsed();
        Some((test, prepared))
    }

    /// The model of that name, for that test. `None`: the reason is among the diagnostics.
    fn prepared(
        &self,
        parsed: &Test,
        model: Option<&str>,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<Arc<Prepared>> {
        let prepared = match self.model(load::key(&self.settings, model, parsed)) {
            Ok(prepared) => prepared,
            Err(failure) => {
                report.sources.put_on(Arc::clone(&failure.sources));
                for diagnostic in &failure.diagnostics {
                    diagnostics.error(diagnostic.clone());
                }
                report.model_failed = !failure.other_arch;
                report.other_arch = failure.other_arch;
                return None;
            }
        };
        report.sources.put_on(Arc::clone(&prepared.sources));
        for warning in &prepared.warnings {
            diagnostics.warn(warning.clone());
        }
        if self.settings.arch_check
            && let Err(diagnostic) = load::same_arch(&prepared.name, prepared.arch, parsed.arch)
        {
            diagnostics.error(diagnostic);
            report.other_arch = true;
            return None;
        }
        Some(prepared)
    }

    /// Works on a test. Where its accesses turn out to be of several sizes, memory is cut up and the work done again.
    fn in_any_sizes<T>(
        &self,
        mut test: Lowered,
        prepared: Arc<Prepared>,
        key: ModelKey,
        work: impl Fn(&Lowered, &Prepared) -> Result<T, Diagnostic>,
    ) -> (Lowered, Arc<Prepared>, Result<T, Diagnostic>) {
        if let Some(Portion::Listed(Listed { mixed: true, .. })) = self.settings.explore.unit.as_deref()
            && let Ok(single_copy) = self.model(ModelKey { single_copy: true, ..key.clone() })
        {
            test.program.features.mixed = Mixed::AsNeeded;
            let outcome = work(&test, &single_copy);
            return (test, single_copy, outcome);
        }
        let outcome = work(&test, &prepared);
        let one_size = |diagnostic: &Diagnostic| diagnostic.remedy == Some(Remedy::MixedSizes);
        let mixed = outcome.as_ref().err().is_some_and(one_size);
        if !mixed || test.program.conventions.sizes == CellSizes::Approximate {
            return (test, prepared, outcome);
        }
        let Ok(single_copy) = self.model(ModelKey { single_copy: true, ..key }) else {
            return (test, prepared, outcome);
        };
        test.program.features.mixed = Mixed::AsNeeded;
        let outcome = work(&test, &single_copy);
        (test, single_copy, outcome)
    }

    /// Looks for the executions to show.
    fn show(
        &self,
        test: &Lowered,
        prepared: &Prepared,
        options: &explore::Options,
        outcome: &Outcome,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(request) = &self.settings.shown else { return };
        report.shows = true;
        if request.show == explore::Show::Forbidden {
            match self.forbidden(test, prepared, options, &report.sources) {
                Ok(mut executions) => {
                    executions.truncate(request.limit.unwrap_or(usize::MAX));
                    report.executions = executions;
                }
                Err(diagnostic) => diagnostics.warn(diagnostic),
            }
            return;
        }
        if !worth_looking(&request.show, outcome, test.condition.quantifier) {
            return;
        }
        let too_long = |why| Diagnostic {
            severity: Severity::Warning,
            code: "graph::timeout",
            ..Diagnostic::stopped(why, "before all executions to show were found")
        };
        let found = limits::catch(|| explore::executions(test, &prepared.model, options, request));
        match found.unwrap_or_else(|why| Err(too_long(why))) {
            Ok((executions, seen)) => {
                let cut = match seen.completeness {
                    Completeness::TimedOut => Some(Stopped::Time),
                    Completeness::MemoryLimit => Some(Stopped::Memory),
                    Completeness::Interrupted => Some(Stopped::Interrupt),
                    _ => None,
                };
                if let (Some(why), true) = (cut, executions.len() < request.limit.unwrap_or(usize::MAX)) {
                    diagnostics.warn(too_long(why));
                }
                let none = executions.is_empty();
                let drawn = executions.first().map(|first| first.shown.as_slice()).unwrap_or_default();
                // `rmw` is drawn wherever it is known; a model need not mention it.
                for name in request.names.iter().filter(|name| *name != "rmw") {
                    if !none && !drawn.iter().any(|(drawn, _)| drawn == name) {
                        let message = format!("there is no relation `{name}` to draw in this model");
                        diagnostics.warn(Diagnostic::warning("graph::no-such-relation", message).help(
                            "`litmus model show` lists its definitions, `litmus doc` the predefined names",
                        ));
                    }
                }
                report.executions = executions;
            }
            Err(diagnostic) => diagnostics.warn(diagnostic),
        }
    }
}

/// Can there be an execution to show?
fn worth_looking(show: &explore::Show, outcome: &Outcome, quantifier: Quantifier) -> bool {
    use explore::Show;
    let satisfying = match (show, quantifier) {
        (Show::Prop, _) => true,
        (Show::Neg, _) => false,
        (Show::Cond, quantifier) => quantifier != Quantifier::NotExists,
        (Show::Wit, quantifier) => quantifier != Quantifier::Forall,
        (Show::All | Show::Flag(_) | Show::Flagged, _) => return !outcome.is_empty(),
        (Show::Forbidden, _) => return true,
    };
    if satisfying { outcome.positive > 0 } else { outcome.negative > 0 }
}

/// Makes errors of warnings about questions that nobody means to ask.
fn refuse_questions(report: &mut Report) {
    for diagnostic in &mut report.diagnostics {
        if diagnostic.severity == Severity::Warning && diagnostic.code.starts_with(QUESTION) {
            diagnostic.severity = Severity::Error;
            report.answer = None;
        }
    }
}

/// An error about ourselves.
fn internal(payload: &(dyn std::any::Any + Send)) -> Diagnostic {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Diagnostic::internal(text)
}

/// An error about a file that cannot be read.
fn unreadable(what: &str, name: &str, error: &std::io::Error) -> Diagnostic {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        std::io::ErrorKind::IsADirectory => "it is a directory".to_string(),
        _ => error.to_string(),
    };
    Diagnostic::error("file::unreadable", format!("cannot read {what} `{name}`: {reason}"))
}
