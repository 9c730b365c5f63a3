//! Values: which ones can flow at all, and a literal for each.
//!
//! A value that an execution reads was written, and follows from other values read, down to constants; each write is used once on the
//! way. So the values of a cell are found in as many rounds as there are writes that compute something. Where they are few, each value of a
//! read is a literal that its source forces, and functions of values are tables. Where they are many, nothing is said here: a proposal is looked
//! at with all its values anyway (`judge`), and a contradiction becomes a clause then.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::encode::Encoding;
use super::graph::Graph;
use super::solver::{Lit, Solver};
use crate::execution::SymVal;
use crate::limits;
use crate::program::{Value, eval_binary, eval_unary};
use crate::relation::Set;

/// More values than this in one place, or of one function: anything.
const MANY_VALUES: usize = 80;

/// More pairs of operands than this: not tabulated.
const MANY_PAIRS: usize = 4096;

/// A literal for each value that something can have; the one that it has is forced to be true.
pub type Table = Rc<Vec<(Value, Lit)>>;

/// The values of reads and of functions of them.
pub struct Values {
    bits: u32,
    /// By place; `None`: too many.
    ranges: Vec<Option<Vec<Value>>>,
    tables: FxHashMap<SymVal, Option<Table>>,
}

impl Values {
    /// Finds out what each place can hold.
    pub fn new(graph: &Graph, bits: u32) -> Values {
        let mut ranges: Vec<Option<Vec<Value>>> = vec![Some(Vec::new()); graph.writes.len()];
        let computed =
            |node: &super::graph::Node| node.written.iter().any(|(value, _)| value.known().is_none());
        let rounds = graph.nodes.iter().filter(|node| computed(node)).count() + 1;
        for _ in 0..rounds {
            limits::poll();
            let mut known = FxHashMap::default();
            let mut next = ranges.clone();
            let mut changed = false;
            for (place, writes) in graph.writes.iter().enumerate() {
                for (value, _) in writes.iter().flat_map(|write| &graph.nodes[*write].written) {
                    changed |=
                        add(&mut next[place], range(value, graph, &ranges, bits, &mut known).as_deref());
                }
            }
            ranges = next;
            if !changed {
                break;
            }
        }
        Values { bits, ranges, tables: FxHashMap::default() }
    }

    /// The literals of a value; `None`: there are too many.
    pub fn table(&mut self, value: &SymVal, encoding: &mut Encoding) -> Option<Table> {
        if let Some(known) = self.tables.get(value) {
            return known.clone();
        }
        let table = self.make(value, encoding);
        self.tables.insert(value.clone(), table.clone());
        table
    }

    fn make(&mut self, value: &SymVal, encoding: &mut Encoding) -> Option<Table> {
        let mut ways: Vec<(Value, Vec<Vec<Lit>>)> = Vec::new();
        let mut add =
            |value: Value, literals: Vec<Lit>| match ways.iter_mut().find(|(known, _)| *known == value) {
                Some((_, ways)) => ways.push(literals),
                None => ways.push((value, vec![literals])),
            };
        match value {
            SymVal::Known(value) => return Some(Rc::new(vec![(*value, encoding.yes)])),
            SymVal::Read(node) => {
                let place = encoding.graph.nodes[*node as usize].place?;
                let values = self.ranges[place].clone()?;
                let literals = values.into_iter().map(|value| (value, encoding.solver.variable(false)));
                return Some(Rc::new(literals.collect()));
            }
            SymVal::Unary(op, a) => {
                for (value, literal) in self.table(a, encoding)?.iter() {
                    if let Ok(value) = eval_unary(*op, *value, self.bits) {
                        add(value, vec![*literal]);
                    }
                }
            }
            SymVal::Binary(op, a, b) => {
                let (a, b) = (self.table(a, encoding)?, self.table(b, encoding)?);
                if a.len() * b.len() > MANY_PAIRS {
                    return None;
                }
                for (left, first) in a.iter() {
                    for (right, second) in b.iter() {
                        if let Ok(value) = eval_binary(*op, *left, *right, self.bits) {
                            add(value, vec![*first, *second]);
                        }
                    }
                }
            }
        }
        if ways.len() > MANY_VALUES {
            return None;
        }
        let mut table = Vec::with_capacity(ways.len());
        for (value, ways) in ways {
            let literal = match &ways[..] {
                [only] if only.len() == 1 => only[0],
                _ => {
                    let literal = encoding.solver.variable(false);
                    for way in &ways {
                        let mut clause: Vec<Lit> = way.iter().map(|literal| !*literal).collect();
                        clause.push(literal);
                        encoding.clause(&clause);
                    }
                    literal
                }
            };
            table.push((value, literal));
        }
        Some(Rc::new(table))
    }

    /// The clauses of all values: what a read takes from its source, and what paths assume.
    pub fn encode(&mut self, encoding: &mut Encoding, observed: &[SymVal]) {
        let graph = encoding.graph;
        let mut looked_at = vec![false; graph.nodes.len()];
        let ways = || graph.threads.iter().flat_map(|thread| &thread.ways);
        let constraints = ways().flat_map(|way| way.constraints.iter().map(|(value, _)| value));
        let written = graph.nodes.iter().flat_map(|node| node.written.iter().map(|(value, _)| value));
        for value in constraints.chain(written).chain(observed) {
            value.reads().into_iter().for_each(|read| looked_at[read as usize] = true);
        }
        for read in graph.reads.iter().filter(|read| looked_at[**read]) {
            let Some(own) = self.table(&SymVal::Read(*read as u32), encoding) else { continue };
            for (write, source) in encoding.sources[read].clone() {
                let node = &graph.nodes[write];
                for (value, paths) in &node.written {
                    let Some(table) = self.table(value, encoding) else { continue };
                    let there = match node.thread {
                        Some(thread) if node.written.len() > 1 => encoding.one_of(thread, paths),
                        _ => encoding.yes,
                    };
                    for (value, literal) in table.iter() {
                        let mut clause = vec![!source, !there, !*literal];
                        // A value that is not in the list is out of thin air.
                        clause.extend(
                            own.iter().find(|(known, _)| known == value).map(|(_, literal)| *literal),
                        );
                        encoding.clause(&clause);
                    }
                }
            }
        }
        for (thread, paths) in graph.threads.iter().enumerate() {
            // All paths that assume the same have one literal: where a branch guards an event, that of the event.
            let mut assumed: FxHashMap<(&SymVal, bool), Set> = FxHashMap::default();
            let mut order = Vec::new();
            for (number, way) in paths.ways.iter().enumerate() {
                for (value, holds) in &way.constraints {
                    let known = assumed.entry((value, *holds)).or_insert_with(|| {
                        order.push((value, *holds));
                        Set::empty(paths.ways.len())
                    });
                    known.insert(number);
                }
            }
            for (value, holds) in order {
                let Some(table) = self.table(value, encoding) else { continue };
                let taken = encoding.one_of(thread, &assumed[&(value, holds)]);
                for (_, literal) in table.iter().filter(|(value, _)| (*value != Value::ZERO) != holds) {
                    encoding.clause(&[!taken, !*literal]);
                }
            }
        }
    }
}

fn add(range: &mut Option<Vec<Value>>, values: Option<&[Value]>) -> bool {
    let Some(known) = range else { return false };
    let Some(values) = values else {
        *range = None;
        return true;
    };
    let before = known.len();
    for value in values {
        if !known.contains(value) {
            known.push(*value);
        }
    }
    let after = known.len();
    if after > MANY_VALUES {
        *range = None;
    }
    after > before
}

/// The values that a function can have, given those of places.
fn range(
    value: &SymVal,
    graph: &Graph,
    ranges: &[Option<Vec<Value>>],
    bits: u32,
    known: &mut FxHashMap<SymVal, Option<Vec<Value>>>,
) -> Option<Vec<Value>> {
    match value {
        SymVal::Known(value) => return Some(vec![*value]),
        SymVal::Read(node) => return ranges[graph.nodes[*node as usize].place?].clone(),
        _ => {}
    }
    if let Some(found) = known.get(value) {
        return found.clone();
    }
    let mut all = Some(Vec::new());
    match value {
        SymVal::Unary(op, a) => match range(a, graph, ranges, bits, known) {
            Some(a) => {
                let values: Vec<Value> = a.iter().filter_map(|a| eval_unary(*op, *a, bits).ok()).collect();
                add(&mut all, Some(&values));
            }
            None => all = None,
        },
        SymVal::Binary(op, a, b) => {
            let (a, b) = (range(a, graph, ranges, bits, known), range(b, graph, ranges, bits, known));
            match (a, b) {
                (Some(a), Some(b)) if a.len() * b.len() <= MANY_PAIRS => {
                    for left in &a {
                        let values: Vec<Value> =
                            b.iter().filter_map(|b| eval_binary(*op, *left, *b, bits).ok()).collect();
                        add(&mut all, Some(&values));
                    }
                }
                _ => all = None,
            }
        }
        SymVal::Known(_) | SymVal::Read(_) => {}
    }
    known.insert(value.clone(), all.clone());
    all
}
