//! The clauses of a program: one path per thread, one source per executed read, an order of the writes of each cell. No axiom of any model.

use rustc_hash::FxHashMap;

use super::graph::{Graph, NodeId};
use super::solver::{Batsat, Lit, Recorded, Solver};
use crate::execution::Path;
use crate::limits;
use crate::relation::Set;

/// Places with more writes than this get the clauses of transitivity when a proposal needs them.
const FEW_WRITES: usize = 9;

/// More alternatives than this are counted off one by one instead of in pairs.
const FEW: usize = 6;

/// Clauses, and what their variables mean.
pub struct Encoding<'g> {
    pub graph: &'g Graph,
    pub solver: Recorded<Batsat>,
    /// Always true.
    pub yes: Lit,
    /// Is that path taken? By thread.
    pub ways: Vec<Vec<Lit>>,
    /// Is that node executed?
    pub executed: Vec<Lit>,
    /// For each node that reads: where it may read from.
    pub sources: FxHashMap<NodeId, Vec<(NodeId, Lit)>>,
    /// The first write of the pair is before the second; smaller number first.
    orders: FxHashMap<(NodeId, NodeId), Lit>,
    subsets: FxHashMap<(usize, Set), Lit>,
    lasts: FxHashMap<usize, Vec<(NodeId, Lit)>>,
    /// How many clauses there are.
    pub clauses: u64,
}

impl<'g> Encoding<'g> {
    /// Of a program.
    pub fn new(graph: &'g Graph, keep: bool) -> Encoding<'g> {
        let mut solver = Recorded::new(Batsat::new(), keep);
        let yes = solver.variable(true);
        solver.clause(&[yes]);
        let mut encoding = Encoding {
            graph,
            solver,
            yes,
            ways: Vec::new(),
            executed: Vec::new(),
            sources: FxHashMap::default(),
            orders: FxHashMap::default(),
            subsets: FxHashMap::default(),
            lasts: FxHashMap::default(),
            clauses: 0,
        };
        encoding.choose_paths();
        encoding.choose_sources();
        encoding.choose_orders();
        encoding
    }

    /// Adds a clause, without what is never true; not at all if it has what is always true.
    pub fn clause(&mut self, literals: &[Lit]) {
        limits::poll();
        if literals.contains(&self.yes) {
            return;
        }
        let no = !self.yes;
        let mut clause: Vec<Lit> = literals.iter().copied().filter(|literal| *literal != no).collect();
        clause.sort_unstable();
        clause.dedup();
        self.clauses += 1;
        self.solver.clause(&clause);
    }

    /// Exactly one of these.
    fn exactly_one(&mut self, literals: &[Lit]) {
        self.clause(literals);
        self.at_most_one(literals);
    }

    fn at_most_one(&mut self, literals: &[Lit]) {
        if literals.len() <= FEW {
            for (at, first) in literals.iter().enumerate() {
                for second in &literals[at + 1..] {
                    self.clause(&[!*first, !*second]);
                }
            }
            return;
        }
        // `passed`: one of those so far.
        let mut passed: Option<Lit> = None;
        for literal in literals {
            let next = self.solver.variable(false);
            self.clause(&[!*literal, next]);
            if let Some(passed) = passed {
                self.clause(&[!passed, next]);
                self.clause(&[!passed, !*literal]);
            }
            passed = Some(next);
        }
    }

    fn choose_paths(&mut self) {
        let graph = self.graph;
        for thread in &graph.threads {
            let ways: Vec<Lit> = match thread.ways.len() {
                1 => vec![self.yes],
                n => (0..n).map(|_| self.solver.variable(false)).collect(),
            };
            if ways.len() != 1 {
                self.exactly_one(&ways);
            }
            self.ways.push(ways);
        }
        for node in &graph.nodes {
            let executed = match node.thread {
                None => self.yes,
                Some(_) if node.place.is_none() => self.yes,
                Some(thread) => self.one_of(thread, &node.paths),
            };
            self.executed.push(executed);
        }
    }

    /// One of these paths is taken.
    pub fn one_of(&mut self, thread: usize, paths: &Set) -> Lit {
        let ways = &self.ways[thread];
        if paths.len() == ways.len() {
            return self.yes;
        }
        if paths.is_empty() {
            return !self.yes;
        }
        if paths.len() == 1 {
            return ways[paths.first().unwrap_or(0)];
        }
        let key = (thread, paths.clone());
        if let Some(known) = self.subsets.get(&key) {
            return *known;
        }
        let others = paths.complement();
        if others.len() == 1 {
            return !self.ways[thread][others.first().unwrap_or(0)];
        }
        if let Some(known) = self.subsets.get(&(thread, others)) {
            return !*known;
        }
        let one = self.solver.variable(false);
        let mut some = vec![!one];
        for path in paths.iter() {
            let way = self.ways[thread][path];
            self.clause(&[!way, one]);
            some.push(way);
        }
        self.clause(&some);
        self.subsets.insert(key, one);
        one
    }

    /// The node is executed. (The literals of memory accesses stand ready.)
    pub fn is_executed(&mut self, node: NodeId) -> Lit {
        let graph = self.graph;
        match graph.nodes[node].thread {
            Some(thread) if graph.nodes[node].place.is_none() => {
                self.one_of(thread, &graph.nodes[node].paths)
            }
            _ => self.executed[node],
        }
    }

    fn choose_sources(&mut self) {
        let graph = self.graph;
        for read in &graph.reads {
            let own = &graph.nodes[*read];
            let Some(place) = own.place else { continue };
            let here = self.executed[*read];
            let mut sources = Vec::new();
            for write in &graph.writes[place] {
                let other = &graph.nodes[*write];
                let together = match other.thread {
                    thread if thread == own.thread => own.paths.inter(&other.paths),
                    _ => own.paths.clone(),
                };
                let caused = graph.caused.get(&(*read, *write));
                let never = caused.is_some_and(|caused| together.is_subset(caused));
                if write == read || together.is_empty() || never {
                    continue;
                }
                let literal = self.solver.variable(false);
                self.clause(&[!literal, here]);
                self.clause(&[!literal, self.executed[*write]]);
                if let (Some(caused), Some(thread)) = (caused, own.thread) {
                    let caused = self.one_of(thread, caused);
                    self.clause(&[!literal, !caused]);
                }
                sources.push((*write, literal));
            }
            let mut some: Vec<Lit> = sources.iter().map(|(_, literal)| *literal).collect();
            self.at_most_one(&some);
            some.push(!here);
            self.clause(&some);
            self.sources.insert(*read, sources);
        }
    }

    fn choose_orders(&mut self) {
        let graph = self.graph;
        for writes in &graph.writes {
            let later = &writes[1..];
            for (at, first) in later.iter().enumerate() {
                for second in &later[at + 1..] {
                    let literal = self.solver.variable(true);
                    self.orders.insert((*first, *second), literal);
                }
            }
            if later.len() <= FEW_WRITES {
                for a in later {
                    for b in later.iter().filter(|b| *b != a) {
                        for c in later.iter().filter(|c| *c != a && *c != b) {
                            self.keep_transitive(*a, *b, *c);
                        }
                    }
                }
            }
        }
    }

    /// What is before something that is before a third is before the third.
    pub fn keep_transitive(&mut self, a: NodeId, b: NodeId, c: NodeId) {
        let (first, second, both) = (self.before(a, b), self.before(b, c), self.before(a, c));
        self.clause(&[!first, !second, both]);
    }

    /// The first write is before the second, of the same place, if both are executed.
    pub fn before(&self, a: NodeId, b: NodeId) -> Lit {
        if self.graph.nodes[a].thread.is_none() {
            return self.yes;
        }
        if self.graph.nodes[b].thread.is_none() {
            return !self.yes;
        }
        match self.orders.get(&(a, b)) {
            Some(literal) => *literal,
            None => !self.orders[&(b, a)],
        }
    }

    /// All pairs of writes of one place, and the literal that puts the first before the second.
    pub fn orders(&self) -> impl Iterator<Item = (NodeId, NodeId, Lit)> {
        self.orders.iter().map(|((first, second), literal)| (*first, *second, *literal))
    }

    /// For each write of a place: a literal that is true where it is the last.
    pub fn last(&mut self, place: usize) -> Vec<(NodeId, Lit)> {
        if let Some(known) = self.lasts.get(&place) {
            return known.clone();
        }
        let graph = self.graph;
        let mut lasts = Vec::new();
        for write in &graph.writes[place] {
            let last = self.solver.variable(false);
            let mut clause = vec![last, !self.executed[*write]];
            for other in graph.writes[place].iter().filter(|other| *other != write) {
                let before = self.before(*write, *other);
                let after = self.solver.variable(false);
                self.clause(&[!after, before]);
                self.clause(&[!after, self.executed[*other]]);
                clause.push(after);
            }
            self.clause(&clause);
            lasts.push((*write, last));
        }
        self.lasts.insert(place, lasts.clone());
        lasts
    }

    /// A literal that is true only if a path is taken for which `is` holds.
    pub fn some_path(&mut self, paths: &[Vec<&Path>], is: &dyn Fn(&Path) -> bool) -> Lit {
        let some = self.solver.variable(false);
        let mut clause = vec![!some];
        for (thread, paths) in paths.iter().enumerate() {
            for (number, _) in paths.iter().enumerate().filter(|(_, path)| is(path)) {
                clause.push(self.ways[thread][number]);
            }
        }
        self.clause(&clause);
        some
    }

    /// A literal that is true only if no path is taken for which `is` holds.
    pub fn no_path(&mut self, paths: &[Vec<&Path>], is: &dyn Fn(&Path) -> bool) -> Lit {
        let none = self.solver.variable(true);
        for (thread, paths) in paths.iter().enumerate() {
            for (number, _) in paths.iter().enumerate().filter(|(_, path)| is(path)) {
                self.clause(&[!none, !self.ways[thread][number]]);
            }
        }
        none
    }
}
