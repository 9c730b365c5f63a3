//! The engine for programs: executions grow one event at a time, and reads are revisited by writes that come later.
//!
//! Where `explore` unfolds every thread by itself and then looks for values that fit, threads here are run on the values that
//! they read, so that no branch is taken that no execution takes. [`plan`] says whether a model can be run in this way, from what the
//! model is; [`explore`] runs it.

mod again;
mod alike;
mod arithmetic;
mod arrive;
mod awaits;
mod bits;
mod bounds;
mod cells;
mod code;
mod coherence;
mod compile;
mod decide;
mod evaluate;
mod fewer;
mod filling;
mod finish;
mod flow;
mod forks;
mod graph;
mod holes;
mod keeps;
mod kept;
mod later;
mod levels;
mod members;
mod memory;
mod node;
mod older;
mod ops;
mod part;
mod prefix;
mod recipe;
mod revisit;
mod rounds;
mod search;
mod sketch;
mod snapshot;
mod state;
mod states;
mod step;
mod twins;
mod usual;
mod ways;
mod widen;
mod workers;

#[cfg(test)]
mod tests;

use compile::OrderOn;
use fewer::Fewer;
use levels::{Sharing, Top};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::diag::{Diagnostic, Remedy};
use crate::limits;
use crate::model::Model;
use crate::program::shapes::Reshapes;
use crate::program::{Op, Program, Start, Sym};

pub use decide::{Plan, plan, plan_of_all, residual};
pub use finish::{Ended, Event, Execution, Found, Violation, Waiting, Why};
pub use keeps::{Keeps, Shape, Way};
pub(crate) use older::is_plain;
pub use search::TOO_MANY_EVENTS;
pub use state::{Caution, Made, Printed};
pub(crate) use workers::STACK;

/// Settings of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Unrolling bound of loops.
    pub unroll: u32,
    /// At that bound a loop is left as if its condition had failed, and is not cut.
    pub leaves_loops: bool,
    /// Does the bound count passes, too, that numbers decide which are known?
    pub every_pass: bool,
    /// Names of checks to skip.
    pub skip_checks: Vec<String>,
    /// Is an access that leads nowhere a violation ([`Ended::Violation`]), and not an error of the test?
    pub properties: bool,
    /// Leave out rounds of loops that change nothing, where the model allows it: a thread that would go on waiting is blocked.
    pub awaits: bool,
    /// List every execution in which a thread waits for what never comes, and not only those in which it cannot but wait. (For a program, these are all where others may show an error.)
    pub all_blocked: bool,
    /// The objects with a name that plain writes may go to after threads were started; none: nothing is known of that.
    pub plainly_written: Option<FxHashSet<Sym>>,
    /// Take executions for one that differ in which of several threads is which, where these run the same code with the same arguments and nothing tells them
    /// from each other. Where [`Stats::told_apart`] says that something does, not all executions were listed.
    /// For programs whose atomic updates are one event each: a twin would need the read of another one without its write, which cannot be added to every graph.
    pub symmetry: bool,
    /// Told how a program is to be made again whose accesses do not fit their cells.
    pub reshapes: Reshapes,
    /// The executions that are listed.
    pub lists: Lists,
    /// May a run go round for ever, and that is nothing to tell? (By states; whoever lists executions never tells.)
    pub goes_round: bool,
}

/// Which executions a search lists.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lists {
    /// Those without a cycle of program order and `rf`.
    #[default]
    InOrder,
    /// Those without a cycle of `rf` and what the model makes of program order.
    Loose,
    /// Those of them that have a cycle of program order and `rf`.
    Cyclic,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            unroll: 2,
            leaves_loops: false,
            every_pass: false,
            skip_checks: Vec::new(),
            properties: false,
            awaits: false,
            all_blocked: false,
            plainly_written: None,
            symmetry: false,
            reshapes: Reshapes::default(),
            lists: Lists::default(),
            goes_round: false,
        }
    }
}

/// Who is told of the executions.
pub trait Visitor {
    /// An execution that the model accepts. Break: that is enough.
    fn execution(&mut self, ended: Ended, found: &Found, execution: &dyn Execution) -> ControlFlow<()>;
    /// An execution came to its end, of which only that is known so far, and where threads wait. Is it to be shown? One that is not is not an execution that this visitor is told of.
    fn wants(&mut self, _ended: &Ended, _waiting: &[Waiting]) -> bool {
        true
    }
    /// Asked now and then whether to go on.
    fn look(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// The search cannot go on.
    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()>;
}

/// What one walk stands for. The mean over all walks is the truth.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Walk {
    /// Graphs that are visited.
    pub graphs: f64,
    /// Executions in which every thread comes to its end.
    pub executions: f64,
    /// All executions, however they end.
    pub ends: f64,
}

/// Figures of a search.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Graphs visited.
    pub steps: u64,
    /// Graphs that were checked.
    pub checked: u64,
    /// Reads given a write that came later.
    pub revisits: u64,
    /// Executions in which every thread came to its end.
    pub complete: u64,
    /// Executions in which a thread waits for what never comes.
    pub blocked: u64,
    /// Executions in which a loop was cut.
    pub cut: u64,
    /// Executions in which a thread did what it must not do.
    pub violating: u64,
    /// Graphs refuted, by the number of the check.
    refuted: Vec<u64>,
    /// Graphs refuted, by the name of the check.
    pub pruned: BTreeMap<String, u64>,
    /// May the model accept executions with a cycle of program order and `rf`? They were not looked for.
    pub leaves_out: bool,
    /// Graphs in which something hung on what it was not known to hang on: executions may be missing.
    pub astray: u64,
    /// Were executions taken for one that differ in which of several threads is which?
    pub symmetric: bool,
    /// Something tells such threads from each other: executions may be missing, and the search was given up.
    pub told_apart: bool,
}

impl Stats {
    /// Adds those of another worker.
    fn add(&mut self, other: &Stats) {
        self.steps += other.steps;
        self.checked += other.checked;
        self.revisits += other.revisits;
        self.astray += other.astray;
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.cut += other.cut;
        self.violating += other.violating;
        self.refuted.iter_mut().zip(&other.refuted).for_each(|(own, its)| *own += its);
    }

    /// Executions, however they ended.
    fn ended(&self) -> u64 {
        self.complete + self.blocked + self.cut + self.violating
    }

    fn count(&mut self, ended: &Ended) {
        match ended {
            Ended::Complete => self.complete += 1,
            Ended::Blocked => self.blocked += 1,
            Ended::Cut(_) => self.cut += 1,
            Ended::Violation(_) => self.violating += 1,
            Ended::Error(_) => {}
        }
    }
}

/// Runs a program under a model that [`plan`] accepts.
///
/// # Errors
/// The model cannot be run by this engine.
pub fn explore(
    program: &Program,
    model: &Model,
    options: &Options,
    visitor: &mut (dyn Visitor + Send),
) -> Result<Stats, Diagnostic> {
    explore_together(program, model, options, &mut [visitor])
}

/// Likewise, with one worker for each visitor. Each execution is shown to one of them.
///
/// # Errors
/// The model cannot be run by this engine.
pub fn explore_together(
    program: &Program,
    model: &Model,
    options: &Options,
    visitors: &mut [&mut (dyn Visitor + Send)],
) -> Result<Stats, Diagnostic> {
    prepared(program, model, options, |search, n_events| {
        let mut stats = match n_events {
            _ if options.lists != Lists::InOrder => search.fill(n_events, options.lists, visitors),
            0..=64 => search.run::<1>(visitors),
            65..=128 => search.run::<2>(visitors),
            129..=256 => search.run::<4>(visitors),
            257..=1024 => search.run::<16>(visitors),
            _ => search.run::<64>(visitors),
        };
        stats.leaves_out = search.code.residual;
        if let Some(twins) = search.stepper.twins {
            (stats.symmetric, stats.told_apart) = (twins.are_there(), twins.are_told_apart());
        }
        for (index, count) in stats.refuted.iter().enumerate().filter(|(_, count)| **count > 0) {
            *stats.pruned.entry(search.code.checks[index].name.clone()).or_insert(0) += count;
        }
        stats
    })
}

/// Are the executions that a model accepts of a program those of threads that take turns on one memory, as far as its checks say so by themselves?
pub fn is_sequential(program: &Program, model: &Model, skip_checks: &[String]) -> bool {
    let code = code_for(program, model, skip_checks, Lists::InOrder);
    code.as_ref().as_ref().is_ok_and(|code| code.is_sequential() && code.flags.is_empty() && !code.depends)
}

/// Runs a program under such a model by its states: of all executions that come to an end in one state, one is shown. `None`: states do not say what is asked.
///
/// # Errors
/// The model cannot be run by this engine.
pub fn states(
    program: &Program,
    model: &Model,
    options: &Options,
    visitor: &mut (dyn Visitor + Send),
) -> Result<Option<Stats>, Diagnostic> {
    if !is_sequential(program, model, &options.skip_checks) {
        return Ok(None);
    }
    prepared(program, model, options, |search, _| {
        states::States::new(search, options.goes_round, visitor).walk()
    })
}

/// Walks from the beginning to the end of an execution, at each step by one of the graphs that are next: `pick` says which of so many.
///
/// # Errors
/// The model cannot be run by this engine.
pub fn walks(
    program: &Program,
    model: &Model,
    options: &Options,
    visitor: &mut (dyn Visitor + Send),
    n: usize,
    pick: &mut (dyn FnMut(usize) -> usize + Send),
) -> Result<Vec<Walk>, Diagnostic> {
    prepared(program, model, options, |search, n_events| match n_events {
        0..=64 => search.walks::<1>(visitor, n, pick),
        65..=128 => search.walks::<2>(visitor, n, pick),
        129..=256 => search.walks::<4>(visitor, n, pick),
        _ => search.walks::<16>(visitor, n, pick),
    })
}

/// Does the engine see by itself, under that model, where a loop only waits, whatever its rounds do?
pub fn sees_waiting(model: &Model) -> bool {
    let sets = part::chosen_from(model);
    code_of(model, &[], &|name| sets.contains(name), &|_| false, Lists::InOrder)
        .is_ok_and(|code| fewer::fewer(&code) == Fewer::Any)
}

/// Can the executions of a program grow under a model? If so: may there be others, with a cycle of program order and `rf`?
pub fn leaves_out(program: &Program, model: &Model, skip_checks: &[String]) -> Option<bool> {
    code_for(program, model, skip_checks, Lists::InOrder).as_ref().as_ref().ok().map(|code| code.residual)
}

/// The threads of a test that are taken for each other from the beginning where that is asked for ([`Options::symmetry`]), by kind.
pub fn alike(program: &Program, model: &Model, skip_checks: &[String]) -> Vec<Vec<usize>> {
    let code = code_for(program, model, skip_checks, Lists::InOrder);
    code.as_ref().as_ref().map_or(Vec::new(), |code| alike::kinds(&code.alike(program)))
}

/// The code of a model for a program, made once for all programs with events in the same sets.
fn code_for(
    program: &Program,
    model: &Model,
    skip_checks: &[String],
    lists: Lists,
) -> Arc<Result<code::Code, String>> {
    let (is_absent, is_missing) = (part::is_absent(program), part::is_missing(program));
    let loose = lists != Lists::InOrder;
    let mut key = format!("{skip_checks:?}{loose}");
    for name in part::sets(model) {
        key.push(char::from(b'0' + u8::from(is_absent(name)) + 2 * u8::from(is_missing(name))));
    }
    model.derived.get(key, || code_of(model, skip_checks, &is_absent, &is_missing, lists))
}

/// Where executions of a program are listed that have no cycle of `rf` and what a model makes of program order: must any other that the model accepts go through two accesses of one thread to one
/// cell, or through an instruction that reads and writes?
pub fn loose_but_for_cells(program: &Program, model: &Model, skip_checks: &[String]) -> bool {
    let code = code_for(program, model, skip_checks, Lists::Loose);
    code.as_ref().as_ref().is_ok_and(|code| code.orders_prefix())
}

/// The code of a model, or of what is left of it where some sets are empty, without what is said of sets that are missing.
fn code_of(
    model: &Model,
    skip_checks: &[String],
    is_absent: &dyn Fn(&str) -> bool,
    is_missing: &dyn Fn(&str) -> bool,
    lists: Lists,
) -> Result<code::Code, String> {
    let mut code = match decide::built(model, skip_checks, OrderOn::Usual) {
        Ok(code) if code.checks.iter().all(|check| check.prunes) => code,
        // What stands in the way of asking early may be about events that the program does not have: pairs of reservations and conditional stores, for one.
        Ok(code) => part::without(model, is_absent)
            .and_then(|part| decide::built(&part, skip_checks, OrderOn::Usual).ok())
            .unwrap_or(code),
        Err(why) => {
            let part = part::without(model, is_absent).ok_or(why)?;
            decide::built(&part, skip_checks, OrderOn::Checked)?
        }
    };
    code.shrink(is_missing);
    match lists {
        Lists::InOrder => code.derive(),
        Lists::Loose | Lists::Cyclic => code.loosen(),
    }
    code.arrange();
    Ok(code)
}

/// Makes all ready for a search, with the number of events that an execution may have.
fn prepared<R>(
    program: &Program,
    model: &Model,
    options: &Options,
    work: impl FnOnce(&Setting, usize) -> R,
) -> Result<R, Diagnostic> {
    let code = code_for(program, model, &options.skip_checks, options.lists);
    let code = code.as_ref().as_ref().map_err(|why| refused(model, why))?;
    let cells = cells::Cells::new(program);
    let loops = awaits::Loops::new(program, !options.properties);
    let members = members::Table::new(program, code);
    let fewer = fewer::fewer(code);
    let alike = if options.symmetry { code.alike(program) } else { Vec::new() };
    let twins = twins::Twins::of(alike);
    let stepper = step::Stepper {
        program,
        members: &members,
        unroll: options.unroll,
        leaves_loops: options.leaves_loops,
        every_pass: options.every_pass,
        cells: &cells,
        orders_updates: code.orders_updates,
        reads_first: code.reads_first,
        properties: options.properties,
        plainly_written: options.plainly_written.as_ref(),
        only_look: older::only_look(program),
        reshapes: &options.reshapes,
        locks_only_wait: arrive::locks_only_wait(program),
        depends: code.depends,
        twins: options.symmetry.then_some(&twins),
        loops: (options.awaits && fewer != Fewer::Nothing).then_some(&loops),
        fewer,
    };
    let all_blocked = options.all_blocked || options.properties && !code.outlasts();
    let search = Setting { code, stepper: &stepper, all_blocked };
    let n_events = match program.threads.iter().any(|thread| thread.start == Start::Spawned) {
        true => search.pilot(),
        false => room(program, options.unroll),
    };
    Ok(work(&search, n_events))
}

/// A guess at how many events an execution may have: all that the text of the threads can make, loops as often as they are run.
fn room(program: &Program, unroll: u32) -> usize {
    fn events(ops: &[Op]) -> usize {
        ops.iter()
            .map(|op| match op {
                Op::Load { .. }
                | Op::Store { .. }
                | Op::Rmw { .. }
                | Op::CompareExchange { .. }
                | Op::Fence { .. }
                | Op::Other { .. }
                | Op::Branch { .. }
                | Op::Spawn { .. }
                | Op::Join { .. }
                | Op::Free { .. } => 1,
                Op::If { then, otherwise, .. } => events(then).max(events(otherwise)),
                Op::Conditional { then, otherwise, .. } => 1 + events(then).max(events(otherwise)),
                Op::Choice { branches } => 1 + branches.iter().map(|ops| events(ops)).max().unwrap_or(0),
                Op::Nondet { .. } => 1,
                _ => 0,
            })
            .sum()
    }
    let mut sum = program.locations.len();
    for (code, thread) in program.threads.iter().enumerate() {
        let all: usize = thread.code.iter().map(|instr| events(&instr.ops)).sum();
        let loops = awaits::Loops::new(program, true);
        let heads = (0..thread.code.len()).filter(|pc| loops.at(code, *pc).is_some()).count();
        sum += all * if heads == 0 { 1 } else { 1 + heads.min(2) * unroll as usize };
    }
    sum
}

/// What the workers of a search have in common.
struct Setting<'s, 'p> {
    code: &'s code::Code,
    stepper: &'s step::Stepper<'p>,
    all_blocked: bool,
}

impl<'p> Setting<'_, 'p> {
    /// The number of events of one execution, and some more.
    fn pilot(&self) -> usize {
        let mut first = First(0);
        let cells = if self.stepper.properties { 0 } else { self.stepper.program.locations.len() + 8 };
        match cells {
            0..=128 => self.run::<2>(&mut [&mut first]),
            _ => self.run::<16>(&mut [&mut first]),
        };
        (first.0 + first.0 / 8).max(cells)
    }

    /// The graph that all begins with.
    fn first<const W: usize>(&self) -> graph::Graph<'p, W> {
        let program = self.stepper.program;
        let stops = (0..program.threads.len()).map(|thread| self.stepper.start(thread)).collect();
        // A program may have many cells, and an execution looks at few: each gets its initial write when it is first looked at.
        let initial = if self.stepper.properties { &[] } else { self.stepper.cells.initial() };
        let mut graph = graph::Graph::<'p, W>::new(self.code, initial, stops, self.stepper.members);
        if let Some(twins) = self.stepper.twins {
            graph.pair_all(twins);
        }
        graph
    }

    /// One worker.
    fn search<'a, const W: usize>(
        &'a self,
        visitor: &'a mut (dyn Visitor + Send),
        shared: &'a workers::Shared<'p, W>,
    ) -> search::Search<'a, 'p, W> {
        search::Search::<W> {
            stepper: self.stepper,
            code: self.code,
            evaluation: evaluate::Evaluation::new(self.code),
            ways: ways::Ways::default(),
            spare: Vec::new(),
            stats: self.figures(),
            visitor,
            shared,
            top: None,
            depth: 0,
            ended_at: 0,
            all_blocked: self.all_blocked,
        }
    }

    /// Walks on graphs of at most 64 `W` events.
    fn walks<const W: usize>(
        &self,
        visitor: &mut (dyn Visitor + Send),
        n: usize,
        pick: &mut (dyn FnMut(usize) -> usize + Send),
    ) -> Vec<Walk> {
        let shared = &workers::Shared::collecting();
        let mut search = self.search::<W>(visitor, shared);
        let mut walks = Vec::new();
        for _ in 0..n {
            let (mut graph, mut weight) = (self.first::<W>(), 1.0);
            let mut walk = Walk::default();
            loop {
                let (complete, ended) = (search.stats.complete, search.stats.ended());
                walk.graphs += weight;
                // Someone may have had enough, or the graph may be too large.
                if search.explore(&mut graph).is_break() {
                    return walks;
                }
                let mut next = shared.collected();
                walk.executions += weight * (search.stats.complete - complete) as f64;
                walk.ends += weight * (search.stats.ended() - ended) as f64;
                if next.is_empty() {
                    break;
                }
                weight *= next.len() as f64;
                graph = next.swap_remove(pick(next.len()));
            }
            walks.push(walk);
        }
        walks
    }

    /// Goes through graphs with holes, with one worker.
    fn fill(&self, n_events: usize, lists: Lists, visitors: &mut [&mut (dyn Visitor + Send)]) -> Stats {
        let Some(visitor) = visitors.first_mut() else { return Stats::default() };
        let mut stats = Stats::default();
        std::thread::scope(|scope| {
            let work = limits::handed_on(|| match n_events + n_events / 8 {
                0..=64 => self.filling::<1>(lists, &mut **visitor),
                65..=128 => self.filling::<2>(lists, &mut **visitor),
                129..=256 => self.filling::<4>(lists, &mut **visitor),
                _ => self.filling::<16>(lists, &mut **visitor),
            });
            let builder = std::thread::Builder::new().stack_size(workers::STACK);
            if let Ok(handle) = builder.spawn_scoped(scope, work) {
                match handle.join() {
                    Ok(found) => stats = found,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        stats
    }

    fn filling<const W: usize>(&self, lists: Lists, visitor: &mut (dyn Visitor + Send)) -> Stats {
        let shared = workers::Shared::collecting();
        let search = self.search::<W>(visitor, &shared);
        let mut filling = filling::Filling { search, only_cyclic: lists == Lists::Cyclic };
        let _ = filling.explore(holes::Holed::new(self.first::<W>()));
        filling.search.stats
    }

    /// Figures to begin with.
    fn figures(&self) -> Stats {
        Stats { refuted: vec![0; self.code.checks.len()], ..Stats::default() }
    }

    /// Runs one worker for each visitor, on graphs of at most 64 `W` events.
    fn run<const W: usize>(&self, visitors: &mut [&mut (dyn Visitor + Send)]) -> Stats {
        let sharing = if visitors.len() > 1 { self.sharing::<W>(visitors.len()) } else { Sharing::Small };
        let (workers, levels) = match &sharing {
            Sharing::Small => (1, None),
            Sharing::ByLevels(levels) => (visitors.len(), Some(levels)),
            Sharing::ByGraphs => (visitors.len(), None),
        };
        let shared = &workers::Shared::new(workers, levels.is_none().then(|| self.first::<W>()));
        let worker = |number: usize, visitor: &mut (dyn Visitor + Send)| {
            let mut search = self.search(visitor, shared);
            let Some(levels) = levels else { return search.work() };
            search.top = Some(Top::new(levels, self.figures()));
            search.work_from(&mut self.first::<W>(), number == 0)
        };
        let mut all = self.figures();
        std::thread::scope(|scope| {
            let worker = &worker;
            let handles: Vec<_> = visitors
                .iter_mut()
                .take(workers)
                .enumerate()
                .filter_map(|(number, visitor)| {
                    let builder = std::thread::Builder::new().stack_size(workers::STACK);
                    let work = limits::handed_on(move || worker(number, &mut **visitor));
                    builder.spawn_scoped(scope, work).ok()
                })
                .collect();
            for handle in handles {
                match handle.join() {
                    Ok(stats) => all.add(&stats),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        all
    }
}

/// Stops at the first execution, and knows how large it is.
struct First(usize);

impl Visitor for First {
    fn execution(&mut self, _: Ended, _: &Found, execution: &dyn Execution) -> ControlFlow<()> {
        self.0 = execution.n_events();
        ControlFlow::Break(())
    }

    fn fail(&mut self, _: Diagnostic) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

fn refused(model: &Model, why: &str) -> Diagnostic {
    Diagnostic::unsupported(
        "grow::model",
        format!("{} cannot be run by growing executions: {why}", model.name),
    )
    .unless(Remedy::OtherEngine)
    .help("`--engine worlds` runs every model")
}
