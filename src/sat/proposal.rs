//! One assignment of the solver, read as a candidate execution; its values; and what is wrong with them.

use rustc_hash::FxHashMap;

use super::encode::Encoding;
use super::graph::{Graph, NodeId};
use super::solver::{Lit, Solver};
use crate::execution::SymVal;
use crate::program::Value;
use crate::relation::Set;

/// Paths, sources and orders that the solver proposes.
pub struct Proposal {
    /// The path of each thread.
    pub chosen: Vec<usize>,
    /// The source of each executed read.
    pub sources: FxHashMap<NodeId, NodeId>,
    /// The executed writes of each place, the initial one first, in the order of coherence; empty where that is not an order.
    pub orders: Vec<Vec<NodeId>>,
    /// Triples of writes each of which is before the next, and the last before the first.
    pub turns: Vec<[NodeId; 3]>,
}

/// Why a proposal is none: facts that cannot all be true.
#[derive(Clone, Default, Debug)]
pub struct Reason {
    /// These nodes are executed.
    pub executed: Vec<NodeId>,
    /// These are not.
    pub skipped: Vec<NodeId>,
    /// One of these paths is taken, by thread.
    pub paths: Vec<(usize, Set)>,
    /// Sources of reads: write, read.
    pub rf: Vec<(NodeId, NodeId)>,
    /// Pairs of coherence.
    pub co: Vec<(NodeId, NodeId)>,
}

impl Reason {
    /// As a clause.
    pub fn clause(&self, encoding: &mut Encoding) -> Vec<Lit> {
        let mut facts = Vec::new();
        for (write, read) in &self.rf {
            let known = encoding.sources.get(read);
            let source = known.and_then(|sources| sources.iter().find(|(other, _)| other == write));
            facts.extend(source.map(|(_, literal)| *literal));
        }
        for (a, b) in &self.co {
            facts.push(encoding.before(*a, *b));
        }
        for (thread, paths) in &self.paths {
            facts.push(encoding.one_of(*thread, paths));
        }
        let implied = |node: &NodeId| self.rf.iter().any(|(write, read)| write == node || read == node);
        for node in self.executed.iter().filter(|node| !implied(node)) {
            facts.push(encoding.is_executed(*node));
        }
        facts.sort_unstable();
        facts.dedup();
        facts.into_iter().map(|fact| !fact).collect()
    }
}

impl Proposal {
    /// The assignment found last.
    pub fn read(encoding: &Encoding) -> Proposal {
        let graph = encoding.graph;
        let taken = |ways: &Vec<Lit>| ways.iter().position(|way| encoding.solver.is_true(*way)).unwrap_or(0);
        let chosen: Vec<usize> = encoding.ways.iter().map(taken).collect();
        let is_on = |node: NodeId| match graph.nodes[node].thread {
            Some(thread) => graph.nodes[node].paths.contains(chosen[thread]),
            None => true,
        };
        let mut sources = FxHashMap::default();
        for read in graph.reads.iter().filter(|read| is_on(**read)) {
            let found = encoding.sources[read].iter().find(|(_, literal)| encoding.solver.is_true(*literal));
            if let Some((write, _)) = found {
                sources.insert(*read, *write);
            }
        }
        let mut orders = Vec::with_capacity(graph.writes.len());
        let mut turns = Vec::new();
        for writes in &graph.writes {
            let here: Vec<NodeId> = writes.iter().copied().filter(|write| is_on(*write)).collect();
            let before = |a: NodeId, b: NodeId| encoding.solver.is_true(encoding.before(a, b));
            orders.push(in_line(&here, before, &mut turns).unwrap_or_default());
        }
        Proposal { chosen, sources, orders, turns }
    }

    /// Is all of this true of it?
    pub fn has(&self, reason: &Reason, graph: &Graph) -> bool {
        let is_on = |node: &NodeId| match graph.nodes[*node].thread {
            Some(thread) => graph.nodes[*node].paths.contains(self.chosen[thread]),
            None => true,
        };
        let before = |(a, b): &(NodeId, NodeId)| {
            let order = graph.nodes[*a].place.map(|place| &self.orders[place][..]).unwrap_or_default();
            let [a, b] = [a, b].map(|node| order.iter().position(|other| other == node));
            a.is_some() && b.is_some() && a < b
        };
        reason.executed.iter().all(is_on)
            && reason.paths.iter().all(|(thread, paths)| paths.contains(self.chosen[*thread]))
            && reason.rf.iter().all(|(write, read)| self.sources.get(read) == Some(write))
            && reason.co.iter().all(before)
    }

    /// Everything that it says, or, without coherence, all but that.
    pub fn whole(&self, graph: &Graph, coherence: bool) -> Reason {
        let path =
            |(thread, path): (usize, &usize)| (thread, Set::of(graph.threads[thread].ways.len(), [*path]));
        let mut reason = Reason {
            paths: self.chosen.iter().enumerate().map(path).collect(),
            rf: self.sources.iter().map(|(read, write)| (*write, *read)).collect(),
            ..Reason::default()
        };
        if coherence {
            for order in &self.orders {
                reason.co.extend(order.windows(2).skip(1).map(|pair| (pair[0], pair[1])));
            }
        }
        reason
    }

    /// The values of all reads, or why there are none that fit.
    pub fn values(&self, graph: &Graph, bits: u32) -> Result<FxHashMap<NodeId, Value>, Vec<Reason>> {
        let mut values: FxHashMap<NodeId, Value> = FxHashMap::default();
        loop {
            let mut changed = false;
            for (read, write) in &self.sources {
                if values.contains_key(read) {
                    continue;
                }
                let written = graph.written(*write, &self.chosen);
                let value = written.map(|(value, _)| eval(value, &values, bits));
                if let Some(Ok(Some(value))) = value {
                    values.insert(*read, value);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut reasons = Vec::new();
        if values.len() < self.sources.len() {
            let mut open: Vec<NodeId> = self.sources.keys().copied().collect();
            open.retain(|read| !values.contains_key(read));
            open.sort_unstable();
            reasons.push(self.thin_air(graph, open[0], &values, bits));
            return Err(reasons);
        }
        for (thread, path) in self.chosen.iter().enumerate() {
            for (value, holds) in &graph.threads[thread].ways[*path].constraints {
                let fits = match eval(value, &values, bits) {
                    Ok(Some(value)) => (value != Value::ZERO) == *holds,
                    _ => true,
                };
                if fits {
                    continue;
                }
                let assumed = |way: &super::graph::Way| way.constraints.contains(&(value.clone(), *holds));
                let ways = &graph.threads[thread].ways;
                let alike = ways.iter().enumerate().filter(|(_, way)| assumed(way)).map(|(path, _)| path);
                let mut reason =
                    Reason { paths: vec![(thread, Set::of(ways.len(), alike))], ..Reason::default() };
                self.rests_on(graph, value, &mut reason);
                reasons.push(reason);
            }
        }
        if reasons.is_empty() { Ok(values) } else { Err(reasons) }
    }

    /// All that a value follows from.
    fn rests_on(&self, graph: &Graph, value: &SymVal, reason: &mut Reason) {
        let mut open: Vec<NodeId> = value.reads().into_iter().map(|read| read as NodeId).collect();
        while let Some(read) = open.pop() {
            let Some(write) = self.sources.get(&read) else { continue };
            if reason.rf.contains(&(*write, read)) {
                continue;
            }
            reason.rf.push((*write, read));
            let Some((value, paths)) = graph.written(*write, &self.chosen) else { continue };
            if let Some(thread) = graph.nodes[*write].thread
                && graph.nodes[*write].written.len() > 1
            {
                reason.paths.push((thread, paths.clone()));
            }
            open.extend(value.reads().into_iter().map(|read| read as NodeId));
        }
    }

    /// Why a read has no value: values that justify only each other, or an operation without meaning.
    fn thin_air(&self, graph: &Graph, start: NodeId, values: &FxHashMap<NodeId, Value>, bits: u32) -> Reason {
        let mut line = vec![start];
        loop {
            let read = line[line.len() - 1];
            let mut reason = Reason::default();
            let Some((value, _)) =
                self.sources.get(&read).and_then(|write| graph.written(*write, &self.chosen))
            else {
                return self.whole(graph, false);
            };
            if eval(value, values, bits).is_err() {
                self.rests_on(graph, &SymVal::Read(read as u32), &mut reason);
                return reason;
            }
            let waits = value.reads().into_iter().map(|read| read as NodeId);
            let Some(next) = waits.into_iter().find(|read| !values.contains_key(read)) else {
                return self.whole(graph, false);
            };
            if let Some(begin) = line.iter().position(|read| *read == next) {
                for read in &line[begin..] {
                    let Some(write) = self.sources.get(read) else { continue };
                    reason.rf.push((*write, *read));
                    if let (Some(thread), Some((_, paths))) =
                        (graph.nodes[*write].thread, graph.written(*write, &self.chosen))
                        && graph.nodes[*write].written.len() > 1
                    {
                        reason.paths.push((thread, paths.clone()));
                    }
                }
                return reason;
            }
            line.push(next);
        }
    }
}

fn eval(
    value: &SymVal,
    values: &FxHashMap<NodeId, Value>,
    bits: u32,
) -> Result<Option<Value>, crate::program::IllegalOp> {
    value.eval_with(&|read| values.get(&(read as NodeId)).copied(), bits)
}

/// What is before what, as a list. `None`: it goes round, and `turns` has each three that do.
pub fn in_line<T: Copy + Ord>(
    all: &[T],
    before: impl Fn(T, T) -> bool,
    turns: &mut Vec<[T; 3]>,
) -> Option<Vec<T>> {
    let rank = |a: &T| all.iter().filter(|b| *b != a && before(**b, *a)).count();
    let mut ranked: Vec<(usize, T)> = all.iter().map(|one| (rank(one), *one)).collect();
    ranked.sort_unstable();
    let is_order = ranked.iter().enumerate().all(|(position, (rank, _))| position == *rank);
    let order: Vec<T> = ranked.into_iter().map(|(_, one)| one).collect();
    if is_order {
        return Some(order);
    }
    for (at, a) in order.iter().enumerate() {
        for (middle, b) in order.iter().enumerate().skip(at + 1) {
            for c in &order[middle + 1..] {
                if before(*a, *b) && before(*b, *c) && before(*c, *a) {
                    turns.push([*a, *b, *c]);
                } else if before(*b, *a) && before(*a, *c) && before(*c, *b) {
                    turns.push([*b, *a, *c]);
                }
            }
        }
    }
    None
}
