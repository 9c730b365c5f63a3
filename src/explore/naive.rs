//! The oracle: every `rf`, every final write, every `with`, filtered by the plain semantics.
//!
//! Slow, short and obviously right. `litmus run --engine naive` reaches it.

use std::ops::ControlFlow;

use super::candidates::Candidate;
use super::finals::{Finals, Registers};
use super::sink::Sink;
use super::steps::Ended;
use super::{Options, steps, witness};
use crate::execution::{View, World};
use crate::model::{Model, Plain, ValueTest};
use crate::outcome::Counts;
use crate::program::Value;
use crate::relation::Rel;

/// Runs one world.
pub(super) fn run(model: &Model, view: &View, options: &Options, sink: &mut Sink) -> ControlFlow<()> {
    let base = Plain::new(model, view);
    let mut sources = Vec::new();
    each_rf(view.world, &mut sources, &mut |sources| {
        sink.graph()?;
        match values(view.world, sources, view.names.program.bits) {
            Some(values) => candidate(model, &base, view, options, sources, &values, sink),
            None => {
                sink.value_conflict();
                ControlFlow::Continue(())
            }
        }
    })
}

/// Every way to give each read a source.
fn each_rf(
    world: &World,
    sources: &mut Vec<usize>,
    f: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match world.reads.get(sources.len()) {
        None => f(sources),
        Some((_, candidates)) => candidates.iter().try_for_each(|write| {
            sources.push(*write);
            let flow = each_rf(world, sources, f);
            sources.pop();
            flow
        }),
    }
}

/// The values that all reads have under these sources; `None` if they justify only themselves or contradict the path.
pub(super) fn values(world: &World, sources: &[usize], bits: u32) -> Option<Vec<Option<Value>>> {
    let (values, all) = solve(world, sources, bits);
    let holds = world.constraints.iter().all(|(value, expected)| match value.eval(&values, bits) {
        Ok(Some(value)) => (value != Value::ZERO) == *expected,
        _ => true,
    });
    (all && holds).then_some(values)
}

/// Values that follow from the sources of the first reads; are they all there?
fn solve(world: &World, sources: &[usize], bits: u32) -> (Vec<Option<Value>>, bool) {
    let mut values = vec![None; world.events.len()];
    loop {
        let mut changed = false;
        for ((read, _), source) in world.reads.iter().zip(sources) {
            if values[*read].is_none()
                && let Some(written) = world.events[*source].written_value()
                && let Ok(Some(value)) = written.eval(&values, bits)
            {
                values[*read] = Some(value);
                changed = true;
            }
        }
        if !changed {
            let all = world.reads.iter().all(|(read, _)| values[*read].is_some());
            return (values, all);
        }
    }
}

/// One `rf` with its values: every choice of final writes, then the model.
fn candidate(
    model: &Model,
    base: &Plain,
    view: &View,
    options: &Options,
    sources: &[usize],
    values: &[Option<Value>],
    sink: &mut Sink,
) -> ControlFlow<()> {
    each_final(view.world, &mut Vec::new(), &mut |last| {
        run_model(model, base, view, options, &Candidate { sources, values, last }, sink)
    })
}

/// The plain evaluator with everything that the candidate fixes.
pub(super) fn prepare<'p>(
    model: &'p Model,
    base: &Plain<'p>,
    view: &View,
    candidate: &Candidate,
) -> Plain<'p> {
    let mut plain = base.clone();
    candidate.fill(model, view, &mut plain);
    plain
}

/// Runs the model plainly over one candidate and records what it accepts.
pub(super) fn run_model(
    model: &Model,
    base: &Plain,
    view: &View,
    options: &Options,
    candidate: &Candidate,
    sink: &mut Sink,
) -> ControlFlow<()> {
    let registers = Registers::new(view, &sink.test().observed);
    let finals = Finals::new(view, candidate.values, candidate.last, &registers);
    if !sink.wanted(&|o| finals.value(o)) {
        return ControlFlow::Continue(());
    }
    if let Some(look) = &mut sink.look {
        look(view.world, candidate)?;
        return sink.look_at_limits();
    }
    let plain = prepare(model, base, view, candidate);
    let given = steps::Given { skip: &options.skip_checks, co: None };
    let mut rejected = Counts::new();
    let mut accepted = 0;
    let flow = steps::run(model, 0, plain, given, &mut |ended| {
        let (found, plain) = match ended {
            Ended::Accepted(found, plain) => (found, plain),
            Ended::Rejected(cause) => {
                *rejected.entry(cause).or_insert(0) += 1;
                // Choices of the model may be many, and none of them accepted.
                return sink.tick();
            }
        };
        accepted += 1;
        if let Some(illegal) = finals.illegal(&sink.test().observed) {
            return sink.fail(illegal);
        }
        if let Some(watch) = &mut sink.watch {
            match witness::of(model, view, candidate, &finals, found, plain, watch) {
                Ok(flow) => flow?,
                Err(diagnostic) => return sink.fail(diagnostic),
            }
            sink.look_at_limits()?;
        }
        sink.record(&|o| finals.value(o), found)?;
        sink.tick()
    });
    for (name, count) in &rejected {
        sink.pruned(name, *count);
    }
    *sink.outcome.candidates.get_or_insert(0) += accepted + rejected.values().sum::<u64>();
    match flow {
        Ok(flow) => flow,
        Err(diagnostic) => sink.fail(diagnostic),
    }
}

/// Every choice of final writes: for each observed cell one of its writes, the initial one only if there is no other.
fn each_final(
    world: &World,
    last: &mut Vec<usize>,
    f: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match world.observed.get(last.len()) {
        None => f(last),
        Some(loc) => final_candidates(world, usize::from(loc.0)).iter().try_for_each(|write| {
            last.push(*write);
            let flow = each_final(world, last, f);
            last.pop();
            flow
        }),
    }
}

/// The writes that can be a cell's last.
pub(super) fn final_candidates(world: &World, loc: usize) -> &[usize] {
    let writes = &world.writes[loc];
    if writes.len() > 1 { &writes[1..] } else { writes }
}

/// Pairs of events whose values are as asked.
pub(super) fn by_values(test: ValueTest, view: &View, values: &[Option<Value>]) -> Rel {
    let (world, program, n) = (view.world, view.names.program, view.names.n);
    let own: Vec<Option<Value>> =
        (0..n).map(|event| event_value(world, values, event, program.bits)).collect();
    let holds = |a: usize, b: usize| {
        // What is not known in the end is no value at all.
        world.test_values(test, program, (a, own[a]), (b, own[b])).unwrap_or(test == ValueTest::Different)
    };
    Rel::of(n, (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| holds(*a, *b)))
}

/// The single value of an event, if it has one that is known. One-event read-modify-writes have two.
pub(super) fn event_value(world: &World, values: &[Option<Value>], event: usize, bits: u32) -> Option<Value> {
    let event = &world.events[event];
    if event.written.is_some() {
        return None;
    }
    event.value.as_ref().and_then(|value| value.eval(values, bits).ok().flatten())
}
