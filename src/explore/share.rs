//! A search shared among workers: whole worlds where there are many, subtrees of one where it is large. The answer is the same at
//! every number of workers.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::drive::{Job, run_part};
use super::problem::Problem;
use super::repeats::{Looks, looks_at_once};
use super::search::Part;
use super::sink::Sink;
use super::{Mode, Options};
use crate::diag::Diagnostic;
use crate::execution::{Cut, World, Worlds};
use crate::limits;

/// From so many worlds on each worker takes whole ones: starting it costs as much as a small world.
pub(super) const MANY_WORLDS: usize = 64;

/// May the search be shared? Not where the order matters in which executions are found.
pub(super) fn may_share(options: &Options, sink: &Sink) -> bool {
    let in_order = options.max_executions.is_some() || sink.watch.is_some() || sink.until_undefined;
    options.jobs > 1 && options.mode != Mode::Check && options.unit.is_none() && !in_order
}

/// What one worker found.
struct Share<'t> {
    sink: Sink<'t>,
    /// Loops cut, by the number of the world that shows it.
    cuts: Vec<(usize, Cut)>,
    /// The error that ended it, likewise.
    error: Option<(usize, Diagnostic)>,
}

/// Hands worlds out to workers: those built already, then the others.
pub(super) fn over_worlds(job: &Job, built: Vec<World>, worlds: Worlds, sink: &mut Sink) {
    let started = sink.started();
    let budget = limits::current();
    let queue = Mutex::new(Queue { number: 0, built: built.into_iter(), worlds, known: Vec::new() });
    let over = AtomicBool::new(false);
    let work = || {
        let mut sink = Sink::continued(job.test, job.options, started);
        sink.beside_others = true;
        let mut share = Share { sink, cuts: Vec::new(), error: None };
        let stopped = budget.run(|| take_worlds(job, &queue, &over, &mut share));
        if let Err(why) = stopped {
            let _ = share.sink.stop(why.into());
        }
        share
    };
    let shares = in_threads(job.options.jobs, work);
    let (mut cuts, mut errors) = (Vec::new(), Vec::new());
    for mut share in shares {
        cuts.append(&mut share.cuts);
        errors.extend(share.error);
        sink.join(share.sink);
    }
    // As one worker would have met them.
    cuts.sort_by_key(|(number, _)| *number);
    for (_, cut) in cuts {
        if !sink.outcome.cuts.contains(&cut) {
            sink.outcome.cuts.push(cut);
        }
    }
    if let Some((_, error)) = errors.into_iter().min_by_key(|(number, _)| *number) {
        let _ = sink.fail(error);
    }
}

/// Worlds to be handed out.
struct Queue {
    /// Those handed out.
    number: usize,
    built: std::vec::IntoIter<World>,
    worlds: Worlds,
    /// Loops that are known to be cut off.
    known: Vec<Cut>,
}

fn take_worlds(job: &Job, queue: &Mutex<Queue>, over: &AtomicBool, share: &mut Share) {
    loop {
        let next = {
            let mut queue = queue.lock().unwrap_or_else(|poison| poison.into_inner());
            let Queue { number, built, worlds, .. } = &mut *queue;
            if over.load(Ordering::Relaxed) {
                return;
            }
            let world =
                built.next().or_else(|| worlds.next_while(&mut || share.sink.look_at_limits().is_continue()));
            let Some(world) = world else { return };
            share.sink.begin(worlds.done(), worlds.share());
            *number += 1;
            (*number, world)
        };
        let (number, world) = next;
        share.sink.number = number;
        let flow = job.look_into(world, &mut share.sink);
        // A sink looks for the loops that it does not know of yet: in every world, so that the first to show one is the same for all.
        let cuts = std::mem::take(&mut share.sink.outcome.cuts);
        if !cuts.is_empty() {
            let mut queue = queue.lock().unwrap_or_else(|poison| poison.into_inner());
            let Queue { worlds, known, .. } = &mut *queue;
            known.extend(cuts.iter().filter(|cut| !known.contains(cut)).cloned().collect::<Vec<_>>());
            worlds.knows_cuts(known);
        }
        share.cuts.extend(cuts.into_iter().map(|cut| (number, cut)));
        share.error = share.sink.error.take().map(|error| (number, error));
        if flow.is_break() || share.sink.look_at_limits().is_break() {
            // Worlds before this one are all under way.
            over.store(true, Ordering::Relaxed);
            return;
        }
    }
}

/// Shares a large search among workers. Each takes its own subtrees, so that the answer does not depend on their number.
pub(super) fn in_parts(problem: &Problem, options: &Options, sink: &mut Sink) -> ControlFlow<()> {
    let test = sink.test();
    let started = sink.started();
    let budget = limits::current();
    let search = |part: Part, own: &mut Sink| {
        let flow = budget.run(|| run_part(problem, options, (part, &[]), own));
        flow.unwrap_or_else(|why| own.stop(why.into()))
    };
    if looks_at_once(problem, options, sink) {
        let mut own = Sink::continued(test, options, started);
        own.looks = Looks::on_trial();
        let flow = search(Part::WHOLE, &mut own);
        if !own.looks.has_failed() {
            sink.join(own);
            return flow;
        }
    }
    let numbers = AtomicNumber::default();
    let work = || {
        let mut own = Sink::continued(test, options, started);
        let part = Part { number: numbers.next(), of: options.jobs };
        let flow = search(part, &mut own);
        (part.number, own, flow)
    };
    let mut parts = in_threads(options.jobs, work);
    parts.sort_by_key(|(number, ..)| *number);
    let mut flow = ControlFlow::Continue(());
    for (_, own, its) in parts {
        sink.join(own);
        if its.is_break() {
            flow = ControlFlow::Break(());
        }
    }
    flow
}

/// Numbers, each once.
#[derive(Default)]
struct AtomicNumber(std::sync::atomic::AtomicUsize);

impl AtomicNumber {
    fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// Does the same work in several threads. Panics go on to the caller.
fn in_threads<R: Send>(threads: usize, work: impl Fn() -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, R>| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().map(join).collect()
    })
}
