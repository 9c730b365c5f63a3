//! Clauses of memory: one source for each read that is executed, an order of the writes of each cell.

use rustc_hash::FxHashMap;

use super::bits::{Gates, bit};
use super::graph::{Graph, Node, NodeId, Role, Shape};
use super::patterns::{Pattern, Patterns};
use super::value::Sv;
use crate::diag::Diagnostic;
use crate::limits;
use crate::program::Value;
use crate::sat::proposal::Reason;
use crate::sat::solver::{Lit, Solver};

use super::thread::unsupported;

/// Cells with more writes than this get the clauses of transitivity when a proposal needs them.
const FEW_WRITES: usize = 8;

/// With more reads of a cell than this, which of two comes first is left to the model.
const MANY_READS: usize = 120;

/// A program in clauses.
pub struct Problem<'p> {
    pub gates: Gates,
    pub graph: Graph<'p>,
    /// For each read: where it may read from.
    pub sources: FxHashMap<NodeId, Vec<(NodeId, Lit)>>,
    /// The writes of each cell; its initial one is not among them.
    pub writes: Vec<Vec<NodeId>>,
    /// The first write of the pair is before the second; smaller number first.
    orders: FxHashMap<(NodeId, NodeId), Lit>,
    /// For reads with several sources: a literal that is true where it takes that one, or one before it in the list.
    passed: FxHashMap<NodeId, Vec<(NodeId, Lit)>>,
    /// The events that start threads, and those that waited for one.
    spawns: FxHashMap<u16, NodeId>,
    joins: Vec<NodeId>,
}

/// The shapes of cells by what they hold at first.
pub fn first_shapes(graph: &Graph, gates: &Gates) -> Vec<Shape> {
    let shape = |value: &Value| match value {
        Value::Int(n) => Shape::Int(gates.number(*n).len()),
        other => Shape::Listed(vec![*other]),
    };
    graph.initial.iter().map(shape).collect()
}

/// Makes room in cells for what is written to them. `true`: there was not enough.
pub fn widen(shapes: &mut [Shape], graph: &Graph, gates: &Gates) -> bool {
    let mut changed = false;
    for node in &graph.nodes {
        let (Some(cell), Some(value)) = (node.cell, &node.written) else { continue };
        let listed = value.listed(gates).map(|cases| cases.into_iter().map(|(_, value)| value).collect());
        let shape = match (value.bits(), listed) {
            (Some(bits), _) if matches!(shapes[cell], Shape::Int(_)) => Shape::Int(bits.len()),
            (_, Some(values)) => Shape::Listed(values),
            _ => continue,
        };
        changed |= shapes[cell].widen(&shape, gates.width);
    }
    changed
}

impl<'p> Problem<'p> {
    /// Of a program that was run.
    ///
    /// # Errors
    /// Values that bits cannot say.
    pub fn new(graph: Graph<'p>, gates: Gates, patterns: &mut Patterns) -> Result<Problem<'p>, Diagnostic> {
        let mut writes = vec![Vec::new(); graph.initial.len()];
        for (id, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.writes()) {
            if let Some(cell) = node.cell {
                writes[cell].push(id);
            }
        }
        let (mut spawns, mut joins) = (FxHashMap::default(), Vec::new());
        for (id, node) in graph.nodes.iter().enumerate() {
            match node.role {
                Role::Spawn(thread) => drop(spawns.insert(thread, id)),
                Role::Join(_) => joins.push(id),
                Role::None => {}
            }
        }
        let (sources, orders, passed) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        let mut problem = Problem { gates, graph, sources, writes, orders, passed, spawns, joins };
        problem.choose_sources(patterns)?;
        problem.choose_orders(patterns);
        (0..problem.writes.len()).for_each(|cell| problem.read_forwards(cell, patterns));
        Ok(problem)
    }

    /// The number of the initial write of a cell.
    pub fn initial(&self, cell: usize) -> NodeId {
        self.graph.nodes.len() + cell
    }

    /// The event of that number; an initial write is none.
    pub fn node(&self, id: NodeId) -> Option<&Node<'p>> {
        self.graph.nodes.get(id)
    }

    pub fn guard(&self, id: NodeId) -> Lit {
        self.node(id).map_or(self.gates.yes, |node| node.guard)
    }

    /// What a write writes.
    pub fn written(&self, id: NodeId) -> Option<Sv> {
        match self.node(id) {
            Some(node) => node.written.clone(),
            None => Some(Sv::constant(self.graph.initial[id - self.graph.nodes.len()], &self.gates)),
        }
    }

    /// Does the first event come before the second in program order, wherever both happen?
    fn before(&self, a_id: NodeId, b_id: NodeId) -> bool {
        let (a, b) = (&self.graph.nodes[a_id], &self.graph.nodes[b_id]);
        if a.thread == b.thread {
            return a.instance < b.instance || a.instance == b.instance && b.inner.contains(&a_id);
        }
        // Its thread was waited for.
        let waited = |join: &NodeId| {
            let node = &self.graph.nodes[*join];
            node.role == Role::Join(a.thread)
                && node.thread == b.thread
                && node.instance < b.instance
                && self.gates.implies(b.guard, node.guard)
        };
        if self.joins.iter().any(waited) {
            return true;
        }
        // Before the start of its thread, or of the thread that started that one, and so on.
        let mut thread = b.thread;
        while let Some(spawn) = self.spawns.get(&thread).map(|spawn| &self.graph.nodes[*spawn]) {
            if spawn.thread == a.thread {
                return a.instance < spawn.instance;
            }
            thread = spawn.thread;
        }
        false
    }

    /// The writes that a read may take its value from, as far as the model does not refuse that by itself.
    fn candidates(&self, read: NodeId, cell: usize, patterns: &mut Patterns) -> Vec<NodeId> {
        let nodes = &self.graph.nodes;
        let guard = nodes[read].guard;
        let writes = &self.writes[cell];
        // Writes that happen before it wherever it happens.
        let sure: Vec<NodeId> = writes
            .iter()
            .copied()
            .filter(|write| *write != read && self.before(*write, read))
            .filter(|write| self.gates.implies(guard, nodes[*write].guard))
            .collect();
        let mut candidates = Vec::new();
        let ignored = |patterns: &mut Patterns, later: &NodeId| {
            patterns.refuses(Pattern::Ignored, &[&nodes[*later], &nodes[read]])
        };
        if !sure.iter().any(|later| ignored(patterns, later)) {
            candidates.push(self.initial(cell));
        }
        for write in writes.iter().copied() {
            let own = &nodes[write];
            // No model that is run here has a read before its source in program order and `rf`.
            if write == read || own.guard == !guard || self.before(read, write) {
                continue;
            }
            let overwritten = |later: &NodeId| {
                *later != write
                    && self.before(write, *later)
                    && patterns.refuses(Pattern::Overwritten, &[own, &nodes[*later], &nodes[read]])
            };
            if !sure.iter().any(overwritten) {
                candidates.push(write);
            }
        }
        candidates
    }

    fn choose_sources(&mut self, patterns: &mut Patterns) -> Result<(), Diagnostic> {
        let reads: Vec<NodeId> =
            (0..self.graph.nodes.len()).filter(|id| self.graph.nodes[*id].reads()).collect();
        for read in reads {
            limits::poll();
            let node = &self.graph.nodes[read];
            let (Some(cell), guard) = (node.cell, node.guard) else { continue };
            let candidates = self.candidates(read, cell, patterns);
            let mut sources = Vec::new();
            let alone = candidates.len() == 1;
            // Where nothing else decides, threads run one after the other, as they were started: that is an execution of every model.
            let first = candidates.iter().copied().filter(|write| *write < read).max();
            let first = first.unwrap_or_else(|| self.initial(cell));
            for write in candidates {
                let there = self.guard(write);
                // A read with one source has it wherever it happens.
                let literal = if alone { guard } else { self.gates.solver.variable(write == first) };
                self.gates.clause(&[!literal, guard]);
                self.gates.clause(&[!literal, there]);
                self.carry(literal, write, read)?;
                sources.push((write, literal));
            }
            let mut some: Vec<Lit> = sources.iter().map(|(_, literal)| *literal).collect();
            let passed = self.at_most_one(&some);
            some.push(!guard);
            self.gates.clause(&some);
            if let Some(passed) = passed {
                let writes = sources.iter().map(|(write, _)| *write);
                self.passed.insert(read, writes.zip(passed).collect());
            }
            self.sources.insert(read, sources);
        }
        Ok(())
    }

    /// Where the writes of a cell are in one order, whatever happens, reads of a thread see them in that order.
    fn read_forwards(&mut self, cell: usize, patterns: &mut Patterns) {
        let writes = self.writes[cell].clone();
        let ordered = writes.windows(2).all(|pair| self.in_order(pair[0], pair[1]) == self.gates.yes);
        let reads: Vec<NodeId> = (0..self.graph.nodes.len())
            .filter(|id| self.graph.nodes[*id].cell == Some(cell) && self.passed.contains_key(id))
            .collect();
        let (Some(first), Some(last)) = (writes.first(), writes.last()) else { return };
        if !ordered || reads.len() > MANY_READS {
            return;
        }
        for (at, r1) in reads.iter().enumerate() {
            for r2 in &reads[at + 1..] {
                limits::poll();
                let nodes = &self.graph.nodes;
                let (a, b) = (&nodes[*r1], &nodes[*r2]);
                let writers = [first, last].map(|write| nodes[*write].thread);
                let alone = writes.iter().all(|write| nodes[*write].thread == writers[0]);
                let same = |sets: &NodeId| nodes[*sets].sets == nodes[*first].sets;
                let four = [&nodes[*first], &nodes[*last], a, b];
                if a.thread != b.thread
                    || !alone
                    || a.thread == writers[0]
                    || first == last
                    || !writes.iter().all(same)
                    || writes.iter().any(|write| nodes[*write].reads())
                    || !self.before(*r1, *r2)
                    || !patterns.refuses(Pattern::Swapped, &four)
                    || !patterns.refuses(Pattern::Forgotten, &[four[0], a, b])
                {
                    continue;
                }
                let (here, there) = (!a.guard, !b.guard);
                let earlier = self.passed[r1].clone();
                for (write, passed) in self.passed[r2].clone() {
                    // What the later one has from there or before, the earlier one has, too.
                    let own = earlier.iter().find(|(other, _)| *other == write).map(|(_, literal)| *literal);
                    if let Some(own) = own {
                        self.gates.clause(&[here, there, !passed, own]);
                    }
                }
            }
        }
    }

    /// What is read is what was written.
    fn carry(&mut self, literal: Lit, write: NodeId, read: NodeId) -> Result<(), Diagnostic> {
        let (Some(written), Some(found)) = (self.written(write), self.graph.nodes[read].read.clone()) else {
            return Ok(());
        };
        if let (Some(from), Some(to)) = (written.bits(), found.bits()) {
            for at in 0..from.len().max(to.len()) {
                let (from, to) = (bit(from, at), bit(to, at));
                self.gates.clause(&[!literal, !from, to]);
                self.gates.clause(&[!literal, from, !to]);
            }
            return Ok(());
        }
        let (Some(from), Some(to)) = (written.listed(&self.gates), found.listed(&self.gates)) else {
            return Err(unsupported("cells that hold addresses and numbers that are computed", None));
        };
        for (is, value) in from {
            let same = to.iter().find(|(_, other)| *other == value);
            let mut clause = vec![!literal, !is];
            clause.extend(same.map(|(literal, _)| *literal));
            self.gates.clause(&clause);
        }
        Ok(())
    }

    /// At most one of these; for each, if there are several, a literal that is true where it or one before it is.
    fn at_most_one(&mut self, literals: &[Lit]) -> Option<Vec<Lit>> {
        if literals.len() < 2 {
            return None;
        }
        let mut passed: Vec<Lit> = Vec::new();
        for literal in literals {
            match passed.last().copied() {
                None => passed.push(*literal),
                Some(before) => {
                    self.gates.clause(&[!before, !*literal]);
                    let next = self.gates.or(before, *literal);
                    passed.push(next);
                }
            }
        }
        Some(passed)
    }

    fn choose_orders(&mut self, patterns: &mut Patterns) {
        for cell in 0..self.writes.len() {
            let writes = self.writes[cell].clone();
            let mut open = 0;
            for (at, first) in writes.iter().enumerate() {
                for second in &writes[at + 1..] {
                    let nodes = &self.graph.nodes;
                    let mut forced = |a: NodeId, b: NodeId| {
                        self.before(a, b) && patterns.refuses(Pattern::Backwards, &[&nodes[a], &nodes[b]])
                    };
                    let literal = match (forced(*first, *second), forced(*second, *first)) {
                        (true, _) => self.gates.yes,
                        (_, true) => self.gates.no,
                        _ => {
                            open += 1;
                            self.gates.solver.variable(true)
                        }
                    };
                    self.orders.insert((*first, *second), literal);
                }
            }
            if open > 0 && writes.len() <= FEW_WRITES {
                for a in &writes {
                    for b in writes.iter().filter(|b| *b != a) {
                        for c in writes.iter().filter(|c| *c != a && *c != b) {
                            self.keep_transitive(*a, *b, *c);
                        }
                    }
                }
            }
        }
    }

    /// What is before something that is before a third is before the third.
    pub fn keep_transitive(&mut self, a: NodeId, b: NodeId, c: NodeId) {
        let (first, second, both) = (self.in_order(a, b), self.in_order(b, c), self.in_order(a, c));
        self.gates.clause(&[!first, !second, both]);
    }

    /// The first write is before the second, of the same cell, if both happen.
    pub fn in_order(&self, a: NodeId, b: NodeId) -> Lit {
        match (self.node(a).is_none(), self.node(b).is_none()) {
            (true, _) => return self.gates.yes,
            (_, true) => return self.gates.no,
            _ => {}
        }
        match self.orders.get(&(a, b)) {
            Some(literal) => *literal,
            None => !self.orders[&(b, a)],
        }
    }

    /// Not all of these again.
    pub fn learn(&mut self, reason: &Reason) {
        let mut facts = Vec::new();
        for (write, read) in &reason.rf {
            let known = self.sources.get(read);
            facts.extend(known.and_then(|all| all.iter().find(|(other, _)| other == write)).map(|(_, l)| *l));
        }
        facts.extend(reason.co.iter().map(|(a, b)| self.in_order(*a, *b)));
        let implied = |node: &NodeId| reason.rf.iter().any(|(write, read)| write == node || read == node);
        facts.extend(reason.executed.iter().filter(|node| !implied(node)).map(|node| self.guard(*node)));
        facts.extend(reason.skipped.iter().map(|node| !self.guard(*node)));
        let clause: Vec<Lit> = facts.into_iter().map(|fact| !fact).collect();
        self.gates.clause(&clause);
    }
}
