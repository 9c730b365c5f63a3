//! From a test and a model to worlds, and from worlds to the outcome.

use std::ops::ControlFlow;

use super::domains::narrow_world;
use super::empty::why_empty;
use super::feasible::feasible;
use super::goal::goal;
use super::problem::Problem;
use super::root::{Built, build};
use super::search::{Part, Search};
use super::share::{MANY_WORLDS, in_parts, may_share, over_worlds};
use super::sink::Sink;
use super::unit::{Decision, Subtree};
use super::{Engine, Mode, Options, Portion, bound, growing, naive};
use crate::condition::Observable;
use crate::diag::{Diagnostic, Remedy};
use crate::execution::{AtBound, Bound, Names, View, World, Worlds, unfold_to};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::{CheckKind, Model, Step};
use crate::outcome::{Completeness, Outcome};

/// Runs a test under a model.
pub(super) fn run(test: &Lowered, model: &Model, options: &Options) -> Result<Outcome, Diagnostic> {
    if options.mode == Mode::Check && may_be_undefined(model, options) {
        // One execution with undefined behaviour decides the verdict, whatever its final state: all must be looked at.
        let all = Options { mode: Mode::States, jobs: 1, ..options.clone() };
        let mut sink = Sink::new(test, &all);
        sink.until_undefined = true;
        return run_into(test, model, &all, sink);
    }
    let sink = Sink::new(test, options);
    let started = sink.started();
    let mut outcome = run_into(test, model, options, sink)?;
    outcome.only_deciding = options.mode == Mode::Check || options.speedcheck;
    // Nothing that decides the condition: because there is nothing at all?
    if options.mode == Mode::Check && outcome.is_empty() && is_through(&outcome) {
        let any = Options {
            mode: Mode::States,
            max_executions: Some(1),
            speedcheck: false,
            jobs: 1,
            ..options.clone()
        };
        let found = run_into(test, model, &any, Sink::continued(test, &any, started))?;
        if !is_through(&found) && found.completeness != Completeness::ExecutionLimit {
            outcome.completeness = found.completeness;
        }
        outcome.why_empty = found.why_empty;
    }
    Ok(outcome)
}

/// Has the search seen all that there is, up to the bound on loops?
fn is_through(outcome: &Outcome) -> bool {
    matches!(outcome.completeness, Completeness::Complete | Completeness::Bounded)
}

/// Has the model a check whose failure leaves the behaviour undefined?
pub(crate) fn may_be_undefined(model: &Model, options: &Options) -> bool {
    model.steps.iter().any(|step| match step {
        Step::Check { kind: CheckKind::UndefinedUnless, name, .. } => {
            !name.as_ref().is_some_and(|name| options.skip_checks.contains(name))
        }
        _ => false,
    })
}

/// Likewise; what is found goes to a sink of the caller's.
pub(super) fn run_into(
    test: &Lowered,
    model: &Model,
    options: &Options,
    mut sink: Sink,
) -> Result<Outcome, Diagnostic> {
    if options.engine == Engine::Grow && sink.watch.is_none() {
        return growing::run(test, model, options, sink);
    }
    let other = sink.watch.as_ref().and_then(|watch| watch.against);
    let registers = model.needs_register_events() || other.is_some_and(Model::needs_register_events);
    let job = Job { test, model, options, registers };
    match limits::catch(|| unfolded(test, options)) {
        Err(why) => {
            let _ = sink.stop(why.into());
        }
        Ok(worlds) => {
            // Units are parts of worlds.
            let simple = options.unit.is_none() && is_simply_bounded(options) && sink.watch.is_none();
            if options.engine == Engine::Auto && simple && is_grown(test, model, options, &worlds) {
                match growing::run(test, model, options, Sink::new(test, options)) {
                    Err(error) if error.remedy == Some(Remedy::OtherEngine) => {}
                    answer => return answer,
                }
            }
            let mut worlds = worlds?;
            sink.outcome.warnings = std::mem::take(&mut worlds.warnings);
            // Each path of a thread beyond the first begins where one that was not known yet was taken for granted.
            let forks: usize = worlds.n_paths().iter().map(|paths| paths.saturating_sub(1)).sum();
            sink.outcome.stats.speculated = forks as u64;
            job.look_into_all(worlds, &mut sink);
        }
    }
    if let Some(keeping) = &options.keep {
        let kept = sink.keeps.take().filter(|_| !sink.is_stopped());
        keeping.note(kept);
    }
    let mut outcome = sink.finish()?;
    // A search that was cut short knows nothing of what it has not seen.
    let whole = is_through(&outcome);
    // Who asks only for executions that decide the condition learns nothing from there being none.
    let all = options.mode != Mode::Check && !options.speedcheck;
    if outcome.is_empty() && whole && all {
        outcome.why_empty = Some(why_empty(test, model, options, &outcome));
    }
    bound::examine(test, model, options, &mut outcome);
    Ok(outcome)
}

/// The worlds of a test.
pub(super) fn unfolded(test: &Lowered, options: &Options) -> Result<Worlds, Diagnostic> {
    let mut cells: Vec<_> = test
        .observed
        .iter()
        .filter_map(|o| match o {
            Observable::Loc(loc) => Some(*loc),
            _ => None,
        })
        .collect();
    cells.sort_unstable();
    cells.dedup();
    let bound = Bound {
        unroll: test.unroll.unwrap_or(options.unroll),
        events: options.bound_events,
        at: options.at_bound,
    };
    unfold_to(&test.program, bound, &cells)
}

/// Is it better run by growing executions: threads with many paths each, or too many even to list?
fn is_grown(test: &Lowered, model: &Model, options: &Options, worlds: &Result<Worlds, Diagnostic>) -> bool {
    match worlds {
        Ok(worlds) => growing::suits(test, model, options, Some(worlds)),
        Err(error) => error.remedy == Some(Remedy::OtherEngine) && growing::suits(test, model, options, None),
    }
}

/// Are executions bounded as engines other than the explorer bound them, by the rounds of loops, and not kept as they are there?
fn is_simply_bounded(options: &Options) -> bool {
    options.at_bound != AtBound::Keep && options.bound_events.is_none()
}

/// Would a run grow executions?
pub(super) fn grows(test: &Lowered, model: &Model, options: &Options) -> bool {
    match options.engine {
        Engine::Grow => true,
        Engine::Auto if !is_simply_bounded(options) => false,
        Engine::Auto => {
            is_grown(test, model, options, &unfolded(test, options)) && growing::takes(test).is_ok()
        }
        _ => false,
    }
}

/// One test under one model.
pub(super) struct Job<'t> {
    pub test: &'t Lowered,
    pub model: &'t Model,
    pub options: &'t Options,
    pub registers: bool,
}

impl Job<'_> {
    pub(super) fn look_into_all(&self, mut worlds: Worlds, sink: &mut Sink) {
        let mut built = Vec::new();
        if may_share(self.options, sink) {
            while built.len() < MANY_WORLDS
                && let Some(world) = worlds.next_while(&mut || sink.look_at_limits().is_continue())
            {
                built.push(world);
            }
            if built.len() == MANY_WORLDS {
                return over_worlds(self, built, worlds, sink);
            }
        }
        if self.options.unit.is_some() {
            return self.look_into_some(worlds, sink);
        }
        // What goes wrong is told whatever decides the condition.
        let goes_on = worlds.may_go_wrong();
        sink.begin(0.0, worlds.share());
        for world in built {
            sink.number += 1;
            if self.look_into(world, sink).is_break() || sink.look_at_limits().is_break() {
                return;
            }
        }
        while let Some(world) = worlds.next_while(&mut || sink.look_at_limits().is_continue()) {
            sink.number += 1;
            let over = self.look_into(world, sink).is_break() && !(goes_on && sink.is_decided());
            if over || sink.look_at_limits().is_break() {
                return;
            }
            if self.options.at_bound != AtBound::Keep {
                worlds.knows_cuts(&sink.outcome.cuts);
            }
            sink.begin(worlds.done(), worlds.share());
        }
    }

    /// Does the part of the search that was asked for. Worlds are numbered as they come, whatever was found in others.
    fn look_into_some(&self, mut worlds: Worlds, sink: &mut Sink) {
        let mut number = 0;
        while let Some(world) = worlds.next_while(&mut || sink.look_at_limits().is_continue()) {
            let starts = match sink.listed() {
                Some(listed) => listed.starts(number),
                None => vec![Vec::new()],
            };
            number += 1;
            if let (true, Some(listed)) = (sink.is_too_big(), sink.listed()) {
                starts.into_iter().for_each(|start| listed.leave(Subtree::Node(number - 1, start)));
                continue;
            }
            if starts.is_empty() {
                continue;
            }
            sink.world = (number - 1, starts);
            if self.look_into(world, sink).is_break() || sink.look_at_limits().is_break() {
                return;
            }
        }
    }

    /// A world as the model sees it.
    pub fn view<'w>(&'w self, world: &'w World) -> View<'w> {
        let names = Names {
            program: &self.test.program,
            scopes: &self.test.scopes,
            regions: &self.test.regions,
            registers_visible: self.model.catdep,
            n: if self.registers { world.events.len() } else { world.n_main },
        };
        View { world, names }
    }

    /// Completes one world.
    pub fn look_into(&self, mut world: World, sink: &mut Sink) -> ControlFlow<()> {
        sink.outcome.stats.worlds += 1;
        // The oracle tries all there is.
        if self.options.engine != Engine::Naive && !narrow_world(&mut world, &self.test.program) {
            sink.value_conflict();
            return ControlFlow::Continue(());
        }
        let view = self.view(&world);
        if let Err(diagnostic) = fits(view.names.n) {
            return sink.fail(diagnostic);
        }
        let before = sink.keeps.as_ref().map_or(0, |keeps| keeps.hits);
        let flow = match limits::catch(|| in_world(self.model, &view, self.options, sink)) {
            Ok(flow) => flow,
            Err(why) => sink.stop(why.into()),
        };
        if let Some(keeps) = &mut sink.keeps {
            keeps.end_world(sink.number, world, before);
        }
        flow
    }
}

fn in_world(model: &Model, view: &View, options: &Options, sink: &mut Sink) -> ControlFlow<()> {
    let world = view.world;
    if sink.is_decided() && world.violations.is_empty() {
        return ControlFlow::Continue(());
    }
    if let Some(error) = world.errors.first() {
        // The path cannot be answered for: an error, if the model accepts an execution that takes it.
        if is_feasible(view, sink)? && is_accepted(model, view, options, sink.test()) {
            return sink.fail(error.clone());
        }
        return ControlFlow::Continue(());
    }
    if !world.cuts.is_empty() {
        // Executions of cut paths are dropped; that there are some is announced, whatever the model says of them.
        if world.cuts.iter().any(|cut| !sink.outcome.cuts.contains(cut)) && is_feasible(view, sink)? {
            for cut in &world.cuts {
                if !sink.outcome.cuts.contains(cut) {
                    sink.outcome.cuts.push(cut.clone());
                }
            }
        }
        return match options.at_bound {
            AtBound::Keep if sink.watch.is_some() => search(model, view, options, sink),
            AtBound::Keep => {
                let mut apart = Sink::continued(sink.test(), options, sink.started());
                let flow = search(model, view, options, &mut apart);
                sink.join_uncompleted(apart);
                flow
            }
            AtBound::Drop | AtBound::Exit => ControlFlow::Continue(()),
        };
    }
    if world.violations.iter().any(|violation| !sink.outcome.violations.contains(violation))
        && is_feasible(view, sink)?
        && is_accepted(model, view, options, sink.test())
    {
        sink.outcome.violations.extend(world.violations.iter().cloned());
    }
    if world.aborted || sink.is_decided() {
        return ControlFlow::Continue(());
    }
    search(model, view, options, sink)
}

/// Can the reads of this world have values that fit its path? A break: a limit was hit first.
pub(super) fn is_feasible(view: &View, sink: &mut Sink) -> ControlFlow<(), bool> {
    let mut go_on = || sink.look_at_limits().is_continue();
    match feasible(view.world, view.names.program.bits, &mut go_on) {
        Some(feasible) => ControlFlow::Continue(feasible),
        None => ControlFlow::Break(()),
    }
}

/// Does the model accept any execution of this world?
pub(super) fn is_accepted(model: &Model, view: &View, options: &Options, test: &Lowered) -> bool {
    let test = Lowered { filter: None, ..test.clone() };
    let options = Options {
        mode: Mode::States,
        max_executions: Some(1),
        speedcheck: false,
        unit: None,
        ..options.clone()
    };
    let mut probe = Sink::new(&test, &options);
    let _ = search(model, view, &options, &mut probe);
    probe.error.is_some() || probe.outcome.stats.executions > 0
}

/// What is to be searched in a world.
pub(super) fn ready<'w>(
    model: &'w Model,
    view: &'w View<'w>,
    options: &Options,
    sink: &mut Sink,
) -> Result<Built<'w>, Diagnostic> {
    let goal = goal(sink.test(), options, view.world);
    let asked = (&goal, &sink.test().observed[..]);
    // Whoever looks at executions wants the values of the model's names, which the plain run has.
    let plainly = sink.watch.is_some() || sink.look.is_some();
    build(model, view, asked, &options.skip_checks, plainly, &mut sink.outcome.stats.entailed)
}

fn search(model: &Model, view: &View, options: &Options, sink: &mut Sink) -> ControlFlow<()> {
    if options.engine == Engine::Naive {
        return naive::run(model, view, options, sink);
    }
    match ready(model, view, options, sink) {
        Err(_) => {
            // An error only if a candidate gets that far. The plain run goes step by step, as herd7 does.
            if is_elsewhere(options, sink) {
                return ControlFlow::Continue(());
            }
            if is_feasible(view, sink)? {
                return naive::run(model, view, options, sink);
            }
            ControlFlow::Continue(())
        }
        Ok(Built::NotAsked) => ControlFlow::Continue(()),
        Ok(Built::Refuted(by)) => {
            sink.pruned(&by, 1);
            ControlFlow::Continue(())
        }
        Ok(Built::Ready(problem)) => {
            match options.unit.as_deref() {
                // A large world is shared by all units, a small one belongs to one of them.
                Some(Portion::Even(number, of)) if problem.is_large() => {
                    let part = Part { number: *number, of: *of };
                    return run_part(&problem, options, (part, &[]), sink);
                }
                Some(Portion::Even(..)) if is_elsewhere(options, sink) => {
                    return ControlFlow::Continue(());
                }
                Some(_) => {
                    for start in std::mem::take(&mut sink.world.1) {
                        run_part(&problem, options, (Part::WHOLE, &start), sink)?;
                    }
                    return ControlFlow::Continue(());
                }
                None => {}
            }
            let whole = options.jobs <= 1 || options.mode == Mode::Check || options.max_executions.is_some();
            // Where all workers have worlds to look into, sharing one is work for them all and starts threads besides.
            let large = if sink.beside_others { problem.is_huge() } else { problem.is_large() };
            if whole || !large {
                return run_part(&problem, options, (Part::WHOLE, &[]), sink);
            }
            in_parts(&problem, options, sink)
        }
    }
}

/// Does this world, which is not shared, belong to another part of the search?
fn is_elsewhere(options: &Options, sink: &Sink) -> bool {
    matches!(options.unit.as_deref(), Some(Portion::Even(number, of)) if sink.world.0 as usize % of != *number)
}

/// Searches one part of a world, after these decisions.
pub(super) fn run_part(
    problem: &Problem,
    options: &Options,
    part: (Part, &[Decision]),
    sink: &mut Sink,
) -> ControlFlow<()> {
    match problem.code.numbering.len() {
        0..=64 => Search::<1>::run(problem, options, part, sink),
        65..=128 => Search::<2>::run(problem, options, part, sink),
        129..=256 => Search::<4>::run(problem, options, part, sink),
        257..=512 => Search::<8>::run(problem, options, part, sink),
        513..=1024 => Search::<16>::run(problem, options, part, sink),
        n => sink.fail(too_many_events(n, 1024)),
    }
}

/// More events than this, and already the predefined relations take hundreds of megabytes.
const MAX_EVENTS: usize = 3_000;

/// Are so many events not too many?
pub(crate) fn fits(n: usize) -> Result<(), Diagnostic> {
    if n > MAX_EVENTS { Err(too_many_events(n, MAX_EVENTS)) } else { Ok(()) }
}

fn too_many_events(n: usize, most: usize) -> Diagnostic {
    Diagnostic::unsupported(
        "explore::too-many-events",
        format!("an execution of this test has {n} events; at most {most} are supported"),
    )
    .help("fewer rounds of its loops (--unroll), accesses or locations make it smaller")
}
