//! A test run by the engine that grows executions, with its answers in the same form.

use std::ops::ControlFlow;

use super::Options;
use super::cycles;
use super::drive::Job;
use super::exchange::Exchange;
use super::probe::Random;
use super::sink::{self, Sink};
use super::survey::Guess;
use crate::condition::Observable;
use crate::diag::{Diagnostic, Remedy};
use crate::execution::{AtBound, Violation, Worlds};
use crate::grow::{self, Ended, Execution, Visitor};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Cause, Count, Outcome};
use crate::program::{Instr, Op, Program, Value, any_op};

/// Runs a test under a model.
pub(super) fn run(
    test: &Lowered,
    model: &Model,
    options: &Options,
    sink: Sink,
) -> Result<Outcome, Diagnostic> {
    takes(test)?;
    let alike = alike(test, model, options);
    let settings = grow::Options { symmetry: !alike.is_empty(), ..settings(test, options) };
    // One worker decides and stops; several would each have to be told.
    let alone = options.mode == super::Mode::Check || options.max_executions.is_some();
    let jobs = if alone { 1 } else { options.jobs.max(1) };
    let started = sink.started();
    let goes_on = options.mode == super::Mode::Check && may_go_wrong(&test.program);
    let mut own = Recorder::new(sink, goes_on, &alike);
    let mut more: Vec<Recorder> =
        (1..jobs).map(|_| Recorder::new(Sink::continued(test, options, started), goes_on, &alike)).collect();
    let stats = {
        let mut visitors: Vec<&mut (dyn Visitor + Send)> = vec![&mut own];
        visitors.extend(more.iter_mut().map(|recorder| recorder as &mut (dyn Visitor + Send)));
        grow::explore_together(&test.program, model, &settings, &mut visitors)?
    };
    let (mut sink, exchange) = (own.sink, own.exchange);
    more.into_iter().for_each(|recorder| sink.join(recorder.sink));
    if let Some(exchange) = exchange {
        exchange.cuts(&test.program, &mut sink.outcome.cuts);
    }
    if stats.leaves_out && !sink.is_stopped() {
        residual(test, model, options, goes_on, &mut sink)?;
    }
    sink.outcome.stats.graphs += stats.steps;
    sink.outcome.stats.revisits += stats.revisits;
    sink.outcome.stats.blocked += stats.blocked;
    for (name, count) in &stats.pruned {
        sink::add(&mut sink.outcome.stats.pruned, &Cause::check(Some(name)), *count);
    }
    sink.finish()
}

/// What the search in order does not list: executions with a cycle of program order and `rf`, if there may be any. With holes, where all of them are sure to grow in that way;
/// else by closed worlds.
fn residual(
    test: &Lowered,
    model: &Model,
    options: &Options,
    goes_on: bool,
    sink: &mut Sink,
) -> Result<(), Diagnostic> {
    let worlds = match limits::catch(|| super::drive::unfolded(test, options)) {
        Ok(worlds) => worlds?,
        Err(why) => {
            let _ = sink.stop(why.into());
            return Ok(());
        }
    };
    match limits::catch(|| cycles::may_be(test, model, &options.skip_checks, &worlds)) {
        Ok(true) => {}
        Ok(false) => {
            sink.outcome.stats.no_residual = true;
            return Ok(());
        }
        Err(why) => {
            let _ = sink.stop(why.into());
            return Ok(());
        }
    }
    if !options.awaits
        && options.max_executions.is_none()
        && cycles::touch_cells_once(test, &worlds)
        && grow::loose_but_for_cells(&test.program, model, &options.skip_checks)
        && with_holes(test, model, options, goes_on, sink)?
    {
        return Ok(());
    }
    let model = grow::residual(model);
    let registers = model.needs_register_events();
    let before = sink.outcome.stats.executions.clone();
    Job { test, model: &model, options, registers }.look_into_all(worlds, sink);
    let stats = &mut sink.outcome.stats;
    stats.residual += &stats.executions - &before;
    Ok(())
}

/// Lets executions with a cycle of program order and `rf` grow with holes. False: these may not be all, and what was found is forgotten.
fn with_holes(
    test: &Lowered,
    model: &Model,
    options: &Options,
    goes_on: bool,
    sink: &mut Sink,
) -> Result<bool, Diagnostic> {
    let mut own = Sink::continued(test, options, sink.started());
    own.until_undefined = sink.until_undefined;
    let mut recorder = Recorder { sink: own, goes_on, exchange: None };
    let settings = grow::Options { lists: grow::Lists::Cyclic, ..settings(test, options) };
    let stats = grow::explore(&test.program, model, &settings, &mut recorder)?;
    if stats.astray > 0 {
        return Ok(false);
    }
    let found = recorder.sink.outcome.stats.executions.clone();
    sink.join(recorder.sink);
    sink.outcome.stats.with_holes += found;
    sink.outcome.stats.graphs += stats.steps;
    sink.outcome.stats.revisits += stats.revisits;
    Ok(true)
}

/// Which threads are taken for each other, by kind: where only outcomes are asked for, and what is wrong in one of them is not said of each.
fn alike(test: &Lowered, model: &Model, options: &Options) -> Vec<Vec<usize>> {
    let counts = options.mode == super::Mode::Count || options.max_executions.is_some();
    if counts || may_go_wrong(&test.program) {
        return Vec::new();
    }
    grow::alike(&test.program, model, &options.skip_checks)
}

fn settings(test: &Lowered, options: &Options) -> grow::Options {
    let leaves_loops = options.at_bound == AtBound::Exit;
    grow::Options {
        unroll: test.unroll.unwrap_or(options.unroll),
        leaves_loops,
        skip_checks: options.skip_checks.clone(),
        // A round that changes nothing brings a loop that is left closer to its end.
        awaits: options.awaits && !leaves_loops,
        ..grow::Options::default()
    }
}

/// Can the test be run by this engine?
pub(super) fn takes(test: &Lowered) -> Result<(), Diagnostic> {
    let faults =
        |o: &Observable| matches!(o, Observable::Fault(_) | Observable::Faults | Observable::Assumed);
    if test.program.features.mixed == crate::program::Mixed::Asked {
        return Err(needs_another("grow::mixed-size", "accesses of several sizes"));
    }
    if test.observed.iter().any(faults) {
        return Err(needs_another("grow::faults", "faults"));
    }
    if !test.scopes.is_empty() || !test.regions.is_empty() {
        return Err(needs_another("grow::scopes", "scopes and regions"));
    }
    Ok(())
}

/// How many graphs and executions there are, by random walks.
pub(super) fn walks(
    test: &Lowered,
    model: &Model,
    options: &Options,
    random: &mut Random,
) -> Result<(Guess, Guess), Diagnostic> {
    takes(test)?;
    let mut recorder = Recorder { sink: Sink::new(test, options), goes_on: false, exchange: None };
    let mut pick = |n: usize| random.below(n);
    let walks = grow::walks(&test.program, model, &settings(test, options), &mut recorder, WALKS, &mut pick)?;
    Ok((Guess::of(walks.iter().map(|walk| walk.graphs)), Guess::of(walks.iter().map(|walk| walk.executions))))
}

/// Random walks for an estimate.
const WALKS: usize = 2000;

/// Has a test so many combinations of paths that it is better run by growing executions, and are these all that there are? `None`: more paths than can be listed.
pub(super) fn suits(test: &Lowered, model: &Model, options: &Options, worlds: Option<&Worlds>) -> bool {
    let combinations = worlds.map_or(usize::MAX, |worlds| {
        worlds.n_paths().iter().fold(1usize, |product, paths| product.saturating_mul(*paths))
    });
    if combinations <= MANY || !test.scopes.is_empty() || !test.regions.is_empty() {
        return false;
    }
    match grow::leaves_out(&test.program, model, &options.skip_checks) {
        Some(true) => worlds.is_some_and(|worlds| {
            limits::catch(|| cycles::may_be(test, model, &options.skip_checks, worlds)).is_ok_and(|may| !may)
        }),
        grows => grows == Some(false),
    }
}

/// More combinations of paths than this are too many to look into one by one.
const MANY: usize = 2_000;

/// Puts executions into the outcome.
struct Recorder<'t> {
    sink: Sink<'t>,
    /// Once the condition is decided, look for executions that go wrong?
    goes_on: bool,
    /// Which threads are taken for each other, if some are.
    exchange: Option<Exchange>,
}

/// Has a program, by its text, anything in it that a thread must not do?
fn may_go_wrong(program: &Program) -> bool {
    let checked = |op: &Op| matches!(op, Op::Assert { .. } | Op::Free { .. } | Op::Alloc { .. });
    let is_checked = |instr: &Instr| any_op(&instr.ops, checked);
    program.conventions.undefined_behaviour && program.threads.iter().any(|t| t.code.iter().any(is_checked))
}

impl Visitor for Recorder<'_> {
    fn execution(&mut self, ended: Ended, found: &grow::Found, execution: &dyn Execution) -> ControlFlow<()> {
        match ended {
            Ended::Complete => {}
            Ended::Blocked => return ControlFlow::Continue(()),
            Ended::Cut(cuts) => {
                for cut in cuts {
                    if !self.sink.outcome.cuts.contains(&cut) {
                        self.sink.outcome.cuts.push(cut);
                    }
                }
                return ControlFlow::Continue(());
            }
            Ended::Error(diagnostic) => return self.sink.fail(*diagnostic),
            Ended::Violation(found) => {
                let violation = Violation { place: found.span, property: found.property };
                self.sink.outcome.violations.insert(violation);
                return ControlFlow::Continue(());
            }
        }
        let value = |observable: Observable| match observable {
            Observable::Reg(thread, reg) => {
                execution.register(usize::from(thread), reg).unwrap_or(Value::ZERO)
            }
            Observable::Loc(loc) => execution.memory(usize::from(loc.0)),
            // Refused above.
            Observable::Fault(_) | Observable::Faults | Observable::Assumed => Value::ZERO,
        };
        let Some(mut exchange) = self.exchange.take() else { return self.record(&value, found, execution) };
        let flow = exchange.each(&value, &mut |exchanged| {
            self.sink.tick()?;
            self.record(&|observable| value(exchanged.observable(observable)), found, execution)
        });
        self.exchange = Some(exchange);
        flow
    }

    fn look(&mut self) -> ControlFlow<()> {
        self.sink.look_at_limits()
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        self.sink.fail(diagnostic)
    }
}

impl<'t> Recorder<'t> {
    fn new(sink: Sink<'t>, goes_on: bool, alike: &[Vec<usize>]) -> Recorder<'t> {
        let exchange = (!alike.is_empty()).then(|| Exchange::new(sink.test(), alike.to_vec()));
        Recorder { sink, goes_on, exchange }
    }

    /// Notes a final state.
    fn record(
        &mut self,
        value: &impl Fn(Observable) -> Value,
        found: &grow::Found,
        execution: &dyn Execution,
    ) -> ControlFlow<()> {
        if self.sink.is_decided() || !self.sink.wanted(value) {
            return ControlFlow::Continue(());
        }
        for observable in &self.sink.test().observed {
            if let Observable::Reg(thread, reg) = observable
                && let Err(illegal) = execution.register(usize::from(*thread), *reg)
            {
                let diagnostic = illegal.diagnostic(&self.sink.test().program, None);
                return self.sink.fail(diagnostic);
            }
        }
        let flags: Vec<&str> = found.flags.iter().map(String::as_str).collect();
        let flow = self
            .sink
            .record(value, &sink::Found { flags: &flags, undefined: found.undefined, ways: &Count::ONE });
        match flow {
            ControlFlow::Break(()) if self.goes_on && self.sink.is_decided() => ControlFlow::Continue(()),
            flow => flow,
        }
    }
}

fn needs_another(code: &'static str, what: &str) -> Diagnostic {
    Diagnostic::unsupported(code, format!("{what} need another engine"))
        .unless(Remedy::OtherEngine)
        .help("`--engine worlds` runs every test")
}
