//! An execution found before, as the candidate that it came from: another model may be asked about that very one.

use super::Options;
use super::candidates::Candidate;
use super::drive::unfolded;
use super::naive::{final_candidates, values};
use crate::condition::Observable;
use crate::diag::Diagnostic;
use crate::execution::{Event, Execution, Path, World, Worlds};
use crate::litmus::Lowered;
use crate::program::Value;

/// Shows `look` the candidate of an execution of the test: its world, sources and final writes. `false`: there is none.
///
/// # Errors
/// A path of the program that is not supported.
pub fn recall(
    test: &Lowered,
    options: &Options,
    execution: &Execution,
    look: &mut dyn FnMut(&World, &Candidate),
) -> Result<bool, Diagnostic> {
    let worlds = unfolded(test, options)?;
    for world in likely(&worlds, execution) {
        if look_at(test, &world, execution, look) {
            return Ok(true);
        }
    }
    for world in worlds {
        crate::limits::poll();
        if look_at(test, &world, execution, look) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The worlds of those paths that have the execution's events: there may be many others.
fn likely<'w>(worlds: &'w Worlds, execution: &Execution) -> impl Iterator<Item = World> + use<'w> {
    let key = |event: &Event| (event.instance, event.pc, event.code);
    let paths = worlds.paths();
    let fitting = |(thread, paths): (usize, &Vec<&Path>)| {
        let of_thread =
            |event: &&Event| event.thread.map(usize::from) == Some(thread) && !event.is_register();
        let mut events: Vec<_> = execution.events.iter().filter(of_thread).map(key).collect();
        events.sort_unstable();
        let fits = |(number, path): (usize, &&Path)| {
            let mut own: Vec<_> = path.events.iter().filter(|event| !event.is_register()).map(key).collect();
            own.sort_unstable();
            (own == events).then_some(number)
        };
        paths.iter().enumerate().filter_map(fits).collect::<Vec<usize>>()
    };
    let fitting: Vec<Vec<usize>> = paths.iter().enumerate().map(fitting).collect();
    let n: usize = fitting.iter().map(Vec::len).product();
    (0..n).map(move |mut number| {
        crate::limits::poll();
        let choose = |paths: &Vec<usize>| {
            let chosen = paths[number % paths.len()];
            number /= paths.len();
            chosen
        };
        let chosen: Vec<usize> = fitting.iter().map(choose).collect();
        worlds.world_of(&chosen).0
    })
}

/// Shows the candidate, if it is one of this world.
fn look_at(
    test: &Lowered,
    world: &World,
    execution: &Execution,
    look: &mut dyn FnMut(&World, &Candidate),
) -> bool {
    let bits = test.program.bits;
    if !same(&world.events, &execution.events) {
        return false;
    }
    let from = |read: usize, writes: &[usize]| {
        writes.iter().copied().find(|write| execution.rf.contains(*write, read))
    };
    let sources: Option<Vec<usize>> = world.reads.iter().map(|(read, writes)| from(*read, writes)).collect();
    let Some(sources) = sources else { return false };
    let Some(values) = values(world, &sources, bits) else { return false };
    let last = last_writes(test, world, execution, &values);
    look(world, &Candidate { sources: &sources, values: &values, last: &last });
    true
}

/// Are these the same events? Values follow from the sources.
fn same(a: &[Event], b: &[Event]) -> bool {
    let key = |event: &Event| (event.thread, event.instance, event.pc, event.code, event.kind, event.loc);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| key(a) == key(b))
}

/// The last write of each observed cell: by the order of writes, or by the final value where there is no order.
fn last_writes(test: &Lowered, world: &World, execution: &Execution, values: &[Option<Value>]) -> Vec<usize> {
    let ends = |loc: crate::program::LocId| {
        let shown = test.shown.iter().position(|observable| *observable == Observable::Loc(loc));
        shown.and_then(|at| execution.state.get(at).copied())
    };
    let last = |loc: &crate::program::LocId| {
        let writes = final_candidates(world, usize::from(loc.0));
        let is_last = |write: &&usize| !writes.iter().any(|other| execution.co.contains(**write, *other));
        let fits = |write: &&usize| {
            let written = world.events[**write].written_value();
            let value = written.and_then(|value| value.eval(values, test.program.bits).ok().flatten());
            ends(*loc).is_none_or(|end| value == Some(end))
        };
        let by_value = writes.iter().filter(is_last).find(fits);
        by_value.or(writes.iter().find(is_last)).or(writes.last()).copied().unwrap_or(0)
    };
    world.observed.iter().map(last).collect()
}
