//! Is there an accepting run? Strongly connected components on the fly, and a lasso where the answer is yes.
//!
//! Couvreur's algorithm: a depth-first search that merges the components it closes and stops at the first whose steps are
//! in every acceptance set. States are numbered by whoever owns them.

use rustc_hash::FxHashMap;

/// A graph that is explored while it is made.
pub trait Graph {
    /// Why exploring may fail (a limit, a fault of the program).
    type Stop;

    /// The initial states.
    fn initial(&mut self) -> Result<Vec<u32>, Self::Stop>;

    /// The steps from a state: where to, and the acceptance sets that the step is in.
    fn successors(&mut self, state: u32, steps: &mut Vec<(u32, u64)>) -> Result<(), Self::Stop>;
}

/// An accepting run: a stem, then a cycle for ever. The last state of the cycle leads to its first one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// States from an initial one up to, and without, the first of the cycle.
    pub stem: Vec<u32>,
    /// The states of the cycle.
    pub cycle: Vec<u32>,
}

/// A component being built.
struct Component {
    /// Number of the state that it began with.
    root: u32,
    /// Sets of the step that led into it.
    entered_by: u64,
    /// Sets of the steps inside it.
    inside: u64,
}

/// A state whose steps are being followed: those from `at` on are left. They stand above those of the states below it.
struct Open {
    state: u32,
    first: usize,
    at: usize,
}

const CLOSED: u32 = u32::MAX;

/// An accepting run, if there is one: a run that takes a step of every set in `all` infinitely often.
///
/// # Errors
/// Exploring the graph failed.
pub fn accepting_run<G: Graph>(graph: &mut G, all: u64) -> Result<Option<Lasso>, G::Stop> {
    let mut numbers: Vec<u32> = Vec::new();
    let mut count = 0;
    let mut number_of = |numbers: &mut Vec<u32>, state: u32| -> (u32, bool) {
        let index = state as usize;
        if index >= numbers.len() {
            numbers.resize(index + 1, 0);
        }
        if numbers[index] == 0 {
            count += 1;
            numbers[index] = count;
            (count, true)
        } else {
            (numbers[index], false)
        }
    };
    for initial in graph.initial()? {
        let (number, new) = number_of(&mut numbers, initial);
        if !new {
            continue;
        }
        let mut components = vec![Component { root: number, entered_by: 0, inside: 0 }];
        // States of components that are not closed, in the order they were found.
        let mut live = vec![initial];
        let mut steps: Vec<(u32, u64)> = Vec::new();
        graph.successors(initial, &mut steps)?;
        let mut stack = vec![Open { state: initial, first: 0, at: 0 }];
        while let Some(top) = stack.last_mut() {
            let Some(&(to, accepts)) = steps.get(top.at) else {
                let state = top.state;
                steps.truncate(top.first);
                stack.pop();
                if components.last().is_some_and(|c| c.root == numbers[state as usize]) {
                    components.pop();
                    while let Some(closed) = live.pop() {
                        numbers[closed as usize] = CLOSED;
                        if closed == state {
                            break;
                        }
                    }
                }
                continue;
            };
            top.at += 1;
            let (number, new) = number_of(&mut numbers, to);
            if new {
                components.push(Component { root: number, entered_by: accepts, inside: 0 });
                live.push(to);
                // The steps of the new state come on top: what is left of the others comes after them again.
                let first = steps.len();
                graph.successors(to, &mut steps)?;
                stack.push(Open { state: to, first, at: first });
            } else if number != CLOSED {
                let mut sets = accepts;
                while let Some(last) = components.pop() {
                    sets |= last.inside;
                    if last.root <= number {
                        components.push(Component { inside: sets, ..last });
                        if sets & all == all {
                            let root = last.root;
                            let within = |state: u32| {
                                numbers
                                    .get(state as usize)
                                    .is_some_and(|n| *n != 0 && *n != CLOSED && *n >= root)
                            };
                            return lasso(graph, initial, &within, all).map(Some);
                        }
                        break;
                    }
                    sets |= last.entered_by;
                }
            }
        }
    }
    Ok(None)
}

/// A shortest stem to the component, and a short cycle inside it that takes a step of every set.
fn lasso<G: Graph>(
    graph: &mut G,
    initial: u32,
    within: &dyn Fn(u32) -> bool,
    all: u64,
) -> Result<Lasso, G::Stop> {
    let mut stem = vec![initial];
    if !within(initial) {
        let (way, _) = shortest(graph, initial, &|_| true, &|_, to, _| within(to))?;
        stem.extend(way);
    }
    let Some(start) = stem.pop() else { return Ok(Lasso { stem, cycle: Vec::new() }) };
    let mut cycle = vec![start];
    let (mut at, mut missing) = (start, all);
    // Set by set: the shortest way to a step that is in one of those still missing. Then back.
    loop {
        let (way, sets) = shortest(graph, at, within, &|_, to, sets| match missing {
            0 => to == start,
            _ => sets & missing != 0,
        })?;
        missing &= !sets;
        cycle.extend(&way);
        at = cycle[cycle.len() - 1];
        if missing == 0 && at == start {
            break;
        }
    }
    cycle.pop();
    Ok(Lasso { stem, cycle })
}

/// The shortest path from a state to one of a kind that can be reached from it: both ends included.
///
/// # Errors
/// Exploring the graph failed.
pub fn shortest_path<G: Graph>(
    graph: &mut G,
    from: u32,
    wanted: &dyn Fn(&G, u32) -> bool,
) -> Result<Vec<u32>, G::Stop> {
    let mut path = vec![from];
    if !wanted(graph, from) {
        let (way, _) = shortest(graph, from, &|_| true, &|graph, to, _| wanted(graph, to))?;
        path.extend(way);
    }
    Ok(path)
}

/// The shortest way through certain states whose last step is as wanted: its states but the first, and the sets of all its steps.
fn shortest<G: Graph>(
    graph: &mut G,
    from: u32,
    within: &dyn Fn(u32) -> bool,
    wanted: &dyn Fn(&G, u32, u64) -> bool,
) -> Result<(Vec<u32>, u64), G::Stop> {
    let mut before: FxHashMap<u32, (u32, u64)> = FxHashMap::default();
    let mut layer = vec![from];
    let mut steps = Vec::new();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for state in layer {
            steps.clear();
            graph.successors(state, &mut steps)?;
            for &(to, sets) in steps.iter().filter(|(to, _)| within(*to)) {
                if wanted(graph, to, sets) {
                    let (mut way, mut all, mut at) = (vec![to], sets, state);
                    while at != from {
                        way.push(at);
                        let (previous, sets) = before[&at];
                        all |= sets;
                        at = previous;
                    }
                    way.reverse();
                    return Ok((way, all));
                }
                if to != from && !before.contains_key(&to) {
                    before.insert(to, (state, sets));
                    next.push(to);
                }
            }
        }
        layer = next;
    }
    unreachable!("a component is strongly connected, and was reached")
}
