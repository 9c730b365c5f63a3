//! Where executions go: states, counts, flags, and the limits that stop a search.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::candidates::Look;
use super::kept::{Kept, Sources};
use super::repeats::Looks;
use super::unit::{Decision, Listed, Subtree};
use super::witness::Watch;
use super::{Mode, Options, Portion};
use crate::condition::{Observable, Prop, Quantifier};
use crate::diag::Diagnostic;
use crate::execution::Violation;
use crate::limits::{self, Stopped};
use crate::litmus::Lowered;
use crate::outcome::{Cause, Collector, Completeness, Count, Counts, Outcome};
use crate::program::{Assumptions, Value};

/// How many graphs pass between two looks at the clock.
const TICKS: u32 = 32;

/// What it takes to put one state in its place in the end.
const SORTED_IN: Duration = Duration::from_nanos(1200);

/// The table is made anew for the answer.
const TABLES: u64 = 2;

/// What one execution adds.
pub(crate) struct Found<'f> {
    /// Names of the flags it raises.
    pub flags: &'f [&'f str],
    /// Did it fail an `undefined_unless`?
    pub undefined: bool,
    /// How many executions there are with this final state: those that differ only in what it does not show.
    pub ways: &'f Count,
}

/// Collects the outcome of one test.
pub(crate) struct Sink<'t> {
    test: &'t Lowered,
    options: &'t Options,
    /// The answer so far; its states are filled in by [`Sink::finish`].
    pub outcome: Outcome,
    /// The first error that ends the run.
    pub error: Option<Diagnostic>,
    states: Collector,
    /// Where executions that come to the bound on loops end.
    uncompleted: Collector,
    key: Vec<u32>,
    /// Is an execution with undefined behaviour enough?
    pub until_undefined: bool,
    /// Bytes that the table may take.
    max_memory: u64,
    stopped: Option<Completeness>,
    started: Instant,
    ticks: u32,
    /// Worlds, graphs and executions that the gauge knows of (as far as they fit into a word).
    told: (u64, u64, u64),
    /// How much of the world at hand is done, as an estimate; what was done before it, and its share of all.
    pub part: f64,
    before: f64,
    of_all: f64,
    /// Does it pay to look whether what is left was counted before?
    pub looks: Looks,
    /// Executions found so far in parts of a search that are handed over when they are done.
    kept: u64,
    /// Stop after so many graphs.
    pub most_graphs: u64,
    /// The world being looked into, and where to begin in it: after which decisions.
    pub(super) world: (u64, Vec<Vec<Decision>>),
    /// Has this part of a search proved too big? What has not begun is left to others.
    too_big: bool,
    /// Executions to be shown later, where some are.
    pub(super) keeps: Option<Kept>,
    /// Do other workers look into other worlds meanwhile?
    pub(super) beside_others: bool,
    /// The number of the world at hand, of all.
    pub(super) number: usize,
    /// Only these executions of the world at hand are asked for, if there are any.
    pub(super) only: Vec<Sources>,
    /// Someone who looks at every accepted execution.
    pub(super) watch: Option<Watch<'t>>,
    /// Someone who looks at every candidate, whatever the model says of it (with a solver: at those that it accepts).
    pub look: Option<&'t mut Look<'t>>,
}

impl<'t> Sink<'t> {
    /// A collector for one run.
    pub fn new(test: &'t Lowered, options: &'t Options) -> Sink<'t> {
        Sink {
            test,
            options,
            outcome: Outcome::default(),
            error: None,
            states: Collector::default(),
            uncompleted: Collector::default(),
            key: Vec::new(),
            until_undefined: false,
            max_memory: options.max_memory.unwrap_or(u64::MAX),
            stopped: None,
            started: Instant::now(),
            ticks: 0,
            told: (0, 0, 0),
            part: 0.0,
            before: 0.0,
            of_all: 1.0,
            looks: Looks::default(),
            kept: 0,
            most_graphs: u64::MAX,
            world: (0, vec![Vec::new()]),
            too_big: false,
            keeps: Kept::of(options),
            beside_others: false,
            number: 0,
            only: Vec::new(),
            watch: None,
            look: None,
        }
    }

    /// A collector that shows every accepted execution to `watch`.
    pub(super) fn watched(test: &'t Lowered, options: &'t Options, watch: Watch<'t>) -> Sink<'t> {
        Sink { watch: Some(watch), ..Sink::new(test, options) }
    }

    /// A collector for a part of a run that began at `started`.
    pub fn continued(test: &'t Lowered, options: &'t Options, started: Instant) -> Sink<'t> {
        let own = Sink::new(test, options);
        Sink { started, max_memory: own.max_memory / options.jobs.max(1) as u64, ..own }
    }

    /// When the run began.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Adds what a part found.
    pub fn join(&mut self, part: Sink) {
        let stats = &mut self.outcome.stats;
        stats.worlds += part.outcome.stats.worlds;
        stats.graphs += part.outcome.stats.graphs;
        stats.executions += &part.outcome.stats.executions;
        stats.value_conflicts += part.outcome.stats.value_conflicts;
        let part_stats = &part.outcome.stats;
        for (own, its) in [
            (&mut stats.pruned, &part_stats.pruned),
            (&mut stats.entailed, &part_stats.entailed),
            (&mut stats.ruled_out, &part_stats.ruled_out),
        ] {
            its.iter().for_each(|(cause, count)| add(own, cause, *count));
        }
        self.outcome.positive += part.outcome.positive;
        self.outcome.negative += part.outcome.negative;
        self.outcome.flags.extend(part.outcome.flags);
        self.outcome.undefined |= part.outcome.undefined;
        self.states.join(&part.states);
        self.uncompleted.join(&part.uncompleted);
        self.outcome.uncompleted.executions += part.outcome.uncompleted.executions;
        self.outcome.violations.extend(part.outcome.violations);
        for cut in part.outcome.cuts {
            if !self.outcome.cuts.contains(&cut) {
                self.outcome.cuts.push(cut);
            }
        }
        if let (Some(keeps), Some(kept)) = (&mut self.keeps, part.keeps) {
            keeps.join(kept);
        }
        if let Some(error) = part.error {
            self.error.get_or_insert(error);
        }
        if let Some(why) = part.stopped {
            self.stopped.get_or_insert(why);
        }
    }

    /// Adds executions that come to the bound on loops: they decide nothing.
    pub fn join_uncompleted(&mut self, part: Sink) {
        self.outcome.uncompleted.executions += part.outcome.executions();
        self.uncompleted.join(&part.states);
        if let Some(error) = part.error {
            self.error.get_or_insert(error);
        }
        if let Some(why) = part.stopped.filter(|why| *why != Completeness::Decided) {
            self.stopped.get_or_insert(why);
        }
    }

    /// The test.
    pub fn test(&self) -> &'t Lowered {
        self.test
    }

    /// One more partial graph; time to stop?
    pub fn graph(&mut self) -> ControlFlow<()> {
        self.outcome.stats.graphs += 1;
        if self.looks.has_failed() {
            return ControlFlow::Break(());
        }
        self.tick()
    }

    /// The list of subtrees that is to be searched, where it is one.
    pub fn listed(&self) -> Option<&'t Listed> {
        match self.options.unit.as_deref() {
            Some(Portion::Listed(listed)) => Some(listed),
            _ => None,
        }
    }

    /// Is what comes after these decisions left to others?
    pub fn leaves(&self, decisions: &[Decision]) -> bool {
        if let (true, Some(listed)) = (self.too_big, self.listed()) {
            listed.leave(Subtree::Node(self.world.0, decisions.to_vec()));
            return true;
        }
        false
    }

    /// Has this part of a search proved too big?
    pub fn is_too_big(&self) -> bool {
        self.too_big
    }

    /// Some work was done; time to stop?
    pub fn tick(&mut self) -> ControlFlow<()> {
        self.ticks += 1;
        if let Some(listed) = self.listed() {
            let graphs = self.outcome.stats.graphs;
            self.too_big |= listed.patience.graphs.is_some_and(|most| graphs >= most);
        }
        if self.outcome.stats.graphs >= self.most_graphs {
            return self.stop(Completeness::ExecutionLimit);
        }
        if self.ticks >= TICKS {
            self.ticks = 0;
            return self.look_at_limits();
        }
        ControlFlow::Continue(())
    }

    /// Stops if a limit is hit.
    pub fn look_at_limits(&mut self) -> ControlFlow<()> {
        // States are put together and sorted at the end: that, too, is to be done in time.
        let ending = SORTED_IN * u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        if self.options.timeout.is_some_and(|limit| self.started.elapsed() + ending > limit) {
            return self.stop(Completeness::TimedOut);
        }
        if self.options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return self.stop(Completeness::Interrupted);
        }
        if let Some(most) = self.listed().and_then(|listed| listed.patience.time) {
            self.too_big |= self.started.elapsed() >= most;
        }
        self.show_progress();
        match limits::look() {
            Some(why) => self.stop(why.into()),
            None => ControlFlow::Continue(()),
        }
    }

    /// Stops the search: for good, with what is known so far. A search that has decided the condition, and goes on for what else may go wrong,
    /// has not come to its end either.
    pub fn stop(&mut self, why: Completeness) -> ControlFlow<()> {
        match self.stopped {
            None | Some(Completeness::Decided) => self.stopped = Some(why),
            Some(_) => {}
        }
        ControlFlow::Break(())
    }

    /// Has something ended the search?
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Is the condition decided? What is left to look for is executions that go wrong.
    pub fn is_decided(&self) -> bool {
        self.stopped == Some(Completeness::Decided)
    }

    /// Executions were found that are handed over later.
    pub fn keep(&mut self, ways: &Count) {
        self.kept = self.kept.saturating_add(ways.saturating_word());
    }

    /// Tells whoever looks on how far the search is.
    fn show_progress(&mut self) {
        let Some(gauge) = &self.options.gauge else { return };
        let stats = &self.outcome.stats;
        let (worlds, graphs, executions) = self.told;
        let all = stats.executions.saturating_word().max(self.kept);
        gauge.worlds.fetch_add(stats.worlds - worlds, Ordering::Relaxed);
        gauge.graphs.fetch_add(stats.graphs - graphs, Ordering::Relaxed);
        gauge.executions.fetch_add(all - executions, Ordering::Relaxed);
        self.told = (stats.worlds, stats.graphs, all);
        let done = self.before + self.part.min(1.0) * self.of_all;
        gauge.done.store((done * 1e6) as u64, Ordering::Relaxed);
    }

    /// A world is begun: so much of all is done before it, and it is so much of all.
    pub fn begin(&mut self, before: f64, of_all: f64) {
        (self.part, self.before, self.of_all) = (0.0, before, of_all);
    }

    /// Ends the run with an error.
    pub fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        self.error.get_or_insert(diagnostic);
        ControlFlow::Break(())
    }

    /// Branches refuted by something.
    pub fn pruned(&mut self, cause: &Cause, count: u64) {
        add(&mut self.outcome.stats.pruned, cause, count);
    }

    /// A candidate whose values contradict each other or justify only themselves.
    pub fn value_conflict(&mut self) {
        self.outcome.stats.value_conflicts += 1;
    }

    /// Is an execution with these final values asked for at all (`filter`, `-speedcheck`, mode *check*)?
    pub fn wanted(&self, value: &impl Fn(Observable) -> Value) -> bool {
        let signs = self.test.program.machine.signs;
        let assumed = if signs { value(Observable::Assumed).as_int() } else { None };
        if assumed.is_some_and(|number| number < 0) {
            return false;
        }
        let may = |prop: &Prop, holds: bool| match assumed {
            Some(number) => {
                let given = Assumptions::of(number);
                !prop.assumptions(holds, &given, value, &self.test.program).is_empty()
            }
            None => prop.holds(value) == holds,
        };
        if self.test.filter.as_ref().is_some_and(|filter| !may(filter, true)) {
            return false;
        }
        if !self.options.speedcheck && self.options.mode != Mode::Check {
            return true;
        }
        may(&self.test.condition.prop, self.test.condition.quantifier != Quantifier::Forall)
    }

    /// One more accepted execution; where signatures are assumed to be equal, one for each way in which the condition is true or false.
    pub fn record(&mut self, value: &impl Fn(Observable) -> Value, found: &Found) -> ControlFlow<()> {
        if !self.test.program.machine.signs {
            return self.record_one(value, found);
        }
        let given = Assumptions::of(value(Observable::Assumed).as_int().unwrap_or(0));
        // What is hidden but for some signatures being equal is shown with these.
        let given = match &self.test.filter {
            Some(filter) => filter.assumptions(true, &given, value, &self.test.program),
            None => vec![given],
        };
        for (given, holds) in given.iter().flat_map(|given| [(given, true), (given, false)]) {
            let prop = &self.test.condition.prop;
            for assumed in prop.assumptions(holds, given, value, &self.test.program) {
                let number = Value::Int(assumed.number());
                let value = |o: Observable| if o == Observable::Assumed { number } else { value(o) };
                self.record_one(&value, found)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn record_one(&mut self, value: &impl Fn(Observable) -> Value, found: &Found) -> ControlFlow<()> {
        // Who only wants to know the outcomes counts nothing.
        let ways = if self.options.mode == Mode::Count { found.ways } else { &Count::ONE };
        self.outcome.stats.executions += ways;
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        for shown in &self.test.shown {
            key.push(self.states.number(value(*shown)));
        }
        let positive = self.states.add(&key, ways, || self.test.condition.prop.holds(value));
        self.key = key;
        if let Some(keeps) = &mut self.keeps {
            keeps.see(self.options, &self.test.condition, positive, found);
        }
        if positive {
            self.outcome.positive += ways;
        } else {
            self.outcome.negative += ways;
        }
        for flag in found.flags {
            if !self.outcome.flags.contains(*flag) {
                self.outcome.flags.insert((*flag).to_string());
            }
        }
        self.outcome.undefined |= found.undefined;
        if self.options.mode == Mode::Check || self.until_undefined && found.undefined {
            return self.stop(Completeness::Decided);
        }
        if self.options.max_executions.is_some_and(|limit| self.outcome.stats.executions >= limit) {
            return self.stop(Completeness::ExecutionLimit);
        }
        if self.states.bytes() * TABLES > self.max_memory {
            return self.stop(Completeness::MemoryLimit);
        }
        ControlFlow::Continue(())
    }

    /// The answer.
    pub fn finish(mut self) -> Result<Outcome, Diagnostic> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let counting = self.options.mode == Mode::Count;
        if self.options.mode == Mode::States {
            // How many executions were looked at on the way to an outcome depends on who looked, and on nothing else.
            let all = self.states.len() as u64;
            let marked = self.states.marked() as u64;
            (self.outcome.positive, self.outcome.negative) = (Count::from(marked), Count::from(all - marked));
        }
        if !counting {
            self.states.forget_counts();
        }
        self.outcome.states = self.states.finish();
        if !counting {
            self.uncompleted.forget_counts();
        }
        self.outcome.uncompleted.states = self.uncompleted.finish();
        self.outcome.completeness = match self.stopped {
            Some(why) => why,
            None if !self.outcome.cuts.is_empty() => Completeness::Bounded,
            None => Completeness::Complete,
        };
        self.outcome.stats.time = self.started.elapsed();
        self.outcome.warnings.extend(self.outcome.violations.iter().map(Violation::warning));
        Ok(self.outcome)
    }
}

impl From<Stopped> for Completeness {
    fn from(why: Stopped) -> Completeness {
        match why {
            Stopped::Time => Completeness::TimedOut,
            Stopped::Memory => Completeness::MemoryLimit,
            Stopped::Interrupt => Completeness::Interrupted,
        }
    }
}

/// Adds to a count.
pub(super) fn add(counts: &mut Counts, cause: &Cause, count: u64) {
    match counts.get_mut(cause) {
        Some(sum) => *sum += count,
        None if count > 0 => {
            counts.insert(cause.clone(), count);
        }
        None => {}
    }
}
