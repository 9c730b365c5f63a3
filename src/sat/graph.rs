//! The program unrolled once: what the paths of a thread have in common is there once.
//!
//! An event of one path and an event of another are the same *node* if they come from the same instruction, executed for the same number
//! of times, and nothing that a model sees of the event itself is different. What differs from path to path is kept with the node: the
//! paths that it is on, and the value that it writes on each.

use rustc_hash::FxHashMap;

use crate::execution::{Event, EventKind, Extent, Path, SymVal, Worlds};
use crate::limits;
use crate::program::{LocId, Reg, SetName, Value};
use crate::relation::Set;

/// The number of a node.
pub type NodeId = usize;

/// An event of some paths of a thread, or an initial write.
pub struct Node {
    /// Its thread; an initial write has none.
    pub thread: Option<usize>,
    /// The paths of the thread that it is on.
    pub paths: Set,
    /// The instruction that it belongs to, executed for that time: equal numbers, equal instances.
    pub instance: usize,
    /// Its place in memory.
    pub place: Option<usize>,
    /// What it writes, as a function of other nodes, and on which paths.
    pub written: Vec<(SymVal, Set)>,
}

/// One path of a thread.
pub struct Way {
    /// The node of each of its events.
    pub nodes: Vec<NodeId>,
    /// What it assumes, of values of nodes.
    pub constraints: Vec<(SymVal, bool)>,
    /// The final values of its registers.
    pub registers: Vec<(Reg, SymVal)>,
}

/// A thread.
pub struct Thread {
    /// Its paths.
    pub ways: Vec<Way>,
    /// Do all paths agree on which of two instances comes first, where they have both?
    pub one_order: bool,
}

/// All threads.
pub struct Graph {
    pub nodes: Vec<Node>,
    pub threads: Vec<Thread>,
    /// The initial write of each place.
    pub initial: Vec<NodeId>,
    /// The writes of each place, the initial one first.
    pub writes: Vec<Vec<NodeId>>,
    /// Reads of memory.
    pub reads: Vec<NodeId>,
    /// Writes that a read causes inside its own instruction: read, write, and the paths on which that is so.
    pub caused: FxHashMap<(NodeId, NodeId), Set>,
}

/// What makes events of several paths one node.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    instance: usize,
    rank: u32,
    access: u32,
    kind: EventKind,
    loc: Option<LocId>,
    at: Option<Value>,
    size: Option<u8>,
    extent: Option<Extent>,
    sets: Vec<SetName>,
}

impl Graph {
    /// Of all paths of a program.
    pub fn new(worlds: &Worlds) -> Graph {
        let init = &worlds.cells().init;
        let node = |(place, value): (usize, &Value)| Node {
            thread: None,
            paths: Set::empty(0),
            instance: usize::MAX,
            place: Some(place),
            written: vec![(SymVal::Known(*value), Set::empty(0))],
        };
        let mut graph = Graph {
            nodes: init.iter().enumerate().map(node).collect(),
            threads: Vec::new(),
            initial: (0..init.len()).collect(),
            writes: (0..init.len()).map(|place| vec![place]).collect(),
            reads: Vec::new(),
            caused: FxHashMap::default(),
        };
        for (thread, paths) in worlds.paths().into_iter().enumerate() {
            graph.add(thread, &paths);
        }
        graph
    }

    /// What a node writes on a path of its thread, and on which paths it writes just that.
    pub fn written(&self, node: NodeId, chosen: &[usize]) -> Option<&(SymVal, Set)> {
        let Node { thread, written, .. } = &self.nodes[node];
        match thread {
            None => written.first(),
            Some(thread) => written.iter().find(|(_, paths)| paths.contains(chosen[*thread])),
        }
    }

    fn add(&mut self, thread: usize, paths: &[&Path]) {
        let mut keys: FxHashMap<Key, NodeId> = FxHashMap::default();
        let mut instances: FxHashMap<(u16, u32, u32), usize> = FxHashMap::default();
        let mut order: Vec<Vec<usize>> = Vec::new();
        let mut ways = Vec::with_capacity(paths.len());
        for (number, path) in paths.iter().enumerate() {
            limits::poll();
            let mut way = Way { nodes: Vec::new(), constraints: Vec::new(), registers: Vec::new() };
            let mut times: FxHashMap<(u16, u32), u32> = FxHashMap::default();
            // Of the instances met so far: number in the path, number among all, rank of the next event, first access.
            let mut known: FxHashMap<u32, (usize, u32, u32)> = FxHashMap::default();
            let mut line: Vec<(u32, usize)> = Vec::new();
            for event in &path.events {
                let (instance, rank, first) = known.entry(event.instance).or_insert_with(|| {
                    let time = times.entry((event.code, event.pc)).or_insert(0);
                    *time += 1;
                    let fresh = instances.len();
                    let instance = *instances.entry((event.code, event.pc, *time)).or_insert(fresh);
                    line.push((event.instance, instance));
                    (instance, 0, event.access)
                });
                let key = Key {
                    instance: *instance,
                    rank: *rank,
                    access: event.access.wrapping_sub(*first),
                    kind: event.kind,
                    loc: event.loc,
                    at: event.at,
                    size: event.size,
                    extent: event.extent,
                    sets: event.sets.clone(),
                };
                *rank += 1;
                let instance = *instance;
                let node = *keys.entry(key).or_insert_with(|| {
                    self.nodes.push(Node {
                        thread: Some(thread),
                        paths: Set::empty(paths.len()),
                        instance,
                        place: event.loc.map(|loc| usize::from(loc.0)).filter(|_| event.is_memory()),
                        written: Vec::new(),
                    });
                    self.nodes.len() - 1
                });
                let known = &mut self.nodes[node].paths;
                if known.is_empty() && event.is_memory() {
                    if event.is_read() {
                        self.reads.push(node);
                    }
                    if let (true, Some(loc)) = (event.is_write(), event.loc) {
                        self.writes[usize::from(loc.0)].push(node);
                    }
                }
                known.insert(number);
                way.nodes.push(node);
            }
            let rename = |local: u32| way.nodes[local as usize] as u32;
            for (event, node) in path.events.iter().zip(&way.nodes) {
                let Some(value) = event.written_value() else { continue };
                let value = value.renumber(&rename);
                let written = &mut self.nodes[*node].written;
                match written.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, paths)) => paths.insert(number),
                    None => written.push((value, Set::of(paths.len(), [number]))),
                }
            }
            let list = path.constraints.list().iter();
            let constraints = list.map(|(value, holds)| (value.renumber(&rename), *holds)).collect();
            let list = path.final_regs.iter();
            let registers = list.map(|(reg, value)| (*reg, value.renumber(&rename))).collect();
            self.find_caused(path, &way.nodes, number, paths.len());
            (way.constraints, way.registers) = (constraints, registers);
            line.sort_unstable();
            order.push(line.into_iter().map(|(_, instance)| instance).collect());
            ways.push(way);
        }
        let one_order = is_one_order(&order, instances.len());
        self.threads.push(Thread { ways, one_order });
    }

    /// What reads cause inside their own instructions.
    fn find_caused(&mut self, path: &Path, nodes: &[NodeId], number: usize, n_paths: usize) {
        let mut next: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        path.edges.iico().for_each(|(from, to)| next.entry(*from).or_default().push(*to));
        for (read, event) in path.events.iter().enumerate().filter(|(_, event)| event.is_read()) {
            let mut caused = vec![read as u32];
            let mut at = 0;
            while let Some(from) = caused.get(at) {
                at += 1;
                for to in next.get(from).into_iter().flatten() {
                    if !caused.contains(to) {
                        caused.push(*to);
                    }
                }
            }
            let same = |write: &Event| write.is_write() && write.loc == event.loc;
            for write in caused.into_iter().map(|write| write as usize) {
                if write != read && same(&path.events[write]) {
                    let pair = (nodes[read], nodes[write]);
                    self.caused.entry(pair).or_insert_with(|| Set::empty(n_paths)).insert(number);
                }
            }
        }
    }
}

/// Is there one order that all these lines follow?
fn is_one_order(lines: &[Vec<usize>], n: usize) -> bool {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); n];
    for pair in lines.iter().flat_map(|line| line.windows(2)) {
        if !next[pair[0]].contains(&pair[1]) {
            next[pair[0]].push(pair[1]);
        }
    }
    let mut before = vec![0; n];
    next.iter().flatten().for_each(|to| before[*to] += 1);
    let mut free: Vec<usize> = (0..n).filter(|at| before[*at] == 0).collect();
    let mut seen = 0;
    while let Some(at) = free.pop() {
        seen += 1;
        for to in &next[at] {
            before[*to] -= 1;
            if before[*to] == 0 {
                free.push(*to);
            }
        }
    }
    seen == n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_one_order_or_not() {
        assert!(is_one_order(&[vec![0, 1, 3], vec![0, 2, 3], vec![1, 2]], 4));
        assert!(!is_one_order(&[vec![0, 1], vec![1, 2], vec![2, 0]], 3));
    }
}
