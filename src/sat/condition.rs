//! Final states in clauses: what the condition asks for, and the states that are known already.

use rustc_hash::FxHashMap;

use super::encode::Encoding;
use super::solver::{Lit, Solver};
use super::values::Values;
use crate::condition::{Atom, Observable, Prop};
use crate::execution::{Cells, SymVal};
use crate::program::Value;
use crate::relation::Set;

/// Values that something observed can have, each with literals that are all true where it has it.
type Cases = Vec<(Vec<Lit>, Value)>;

/// Final values, in literals.
pub struct Finals<'c> {
    cells: &'c Cells,
    cases: FxHashMap<Observable, Option<Cases>>,
    states: FxHashMap<(Observable, Value), Lit>,
}

impl<'c> Finals<'c> {
    /// Of a program with these cells.
    pub fn new(cells: &'c Cells) -> Finals<'c> {
        Finals { cells, cases: FxHashMap::default(), states: FxHashMap::default() }
    }

    /// The functions of nodes that observed registers hold in the end.
    pub fn registers(encoding: &Encoding, observed: &[Observable]) -> Vec<SymVal> {
        let mut all = Vec::new();
        for observable in observed {
            let Observable::Reg(thread, reg) = observable else { continue };
            let Some(thread) = encoding.graph.threads.get(usize::from(*thread)) else { continue };
            for way in &thread.ways {
                all.extend(way.registers.iter().filter(|(r, _)| r == reg).map(|(_, value)| value.clone()));
            }
        }
        all
    }

    /// A literal that is true only if the proposition has that truth value, as far as clauses can say it.
    pub fn prop(&mut self, prop: &Prop, expected: bool, encoding: &mut Encoding, values: &mut Values) -> Lit {
        let all = |parts: &[(&Prop, bool)], own: &mut Self, encoding: &mut Encoding, values: &mut Values| {
            let whole = encoding.solver.variable(true);
            for (part, expected) in parts {
                let part = own.prop(part, *expected, encoding, values);
                encoding.clause(&[!whole, part]);
            }
            whole
        };
        let any = |parts: &[(&Prop, bool)], own: &mut Self, encoding: &mut Encoding, values: &mut Values| {
            let mut clause = vec![!encoding.solver.variable(true)];
            for (part, expected) in parts {
                let part = own.prop(part, *expected, encoding, values);
                clause.push(part);
            }
            encoding.clause(&clause);
            !clause[0]
        };
        match (prop, expected) {
            (Prop::True, true) | (Prop::False, false) => encoding.yes,
            (Prop::True, false) | (Prop::False, true) => !encoding.yes,
            (Prop::Not(inner), _) => self.prop(inner, !expected, encoding, values),
            (Prop::And(parts), true) | (Prop::Or(parts), false) => {
                let parts: Vec<(&Prop, bool)> = parts.iter().map(|part| (part, expected)).collect();
                all(&parts, self, encoding, values)
            }
            (Prop::Or(parts), true) | (Prop::And(parts), false) => {
                let parts: Vec<(&Prop, bool)> = parts.iter().map(|part| (part, expected)).collect();
                any(&parts, self, encoding, values)
            }
            (Prop::Implies(a, b), true) => any(&[(a, false), (b, true)], self, encoding, values),
            (Prop::Implies(a, b), false) => all(&[(a, true), (b, false)], self, encoding, values),
            (Prop::Atom(atom), _) => self.atom(atom, expected, encoding, values),
        }
    }

    fn atom(&mut self, atom: &Atom, expected: bool, encoding: &mut Encoding, values: &mut Values) -> Lit {
        let own = encoding.solver.variable(true);
        match atom {
            Atom::Equals { left, ty, value: wanted } => {
                for (literals, value) in self.cases(*left, encoding, values).unwrap_or_default() {
                    if (ty.truncate(value) == ty.truncate(*wanted)) != expected {
                        refuse(own, &[&literals], encoding);
                    }
                }
            }
            Atom::Same { left, ty, right } => {
                let left = self.cases(*left, encoding, values).unwrap_or_default();
                let right = self.cases(*right, encoding, values).unwrap_or_default();
                for (first, a) in &left {
                    for (second, b) in &right {
                        if (ty.truncate(*a) == ty.truncate(*b)) != expected {
                            refuse(own, &[first, second], encoding);
                        }
                    }
                }
            }
        }
        own
    }

    /// A literal for each value shown, which is true where the execution ends with it. `None`: clauses cannot say it.
    pub fn state(
        &mut self,
        state: &[(Observable, Value)],
        encoding: &mut Encoding,
        values: &mut Values,
    ) -> Option<Vec<Lit>> {
        let mut literals = Vec::with_capacity(state.len());
        for (observable, value) in state {
            let cases = self.cases(*observable, encoding, values)?;
            let known = self.states.get(&(*observable, *value)).copied();
            literals.push(known.unwrap_or_else(|| {
                let literal = encoding.solver.variable(false);
                for (case, _) in cases.iter().filter(|(_, other)| other == value) {
                    refuse(!literal, &[case], encoding);
                }
                self.states.insert((*observable, *value), literal);
                literal
            }));
        }
        Some(literals)
    }

    fn cases(
        &mut self,
        observable: Observable,
        encoding: &mut Encoding,
        values: &mut Values,
    ) -> Option<Cases> {
        if let Some(known) = self.cases.get(&observable) {
            return known.clone();
        }
        let cases = self.find_cases(observable, encoding, values);
        self.cases.insert(observable, cases.clone());
        cases
    }

    fn find_cases(
        &self,
        observable: Observable,
        encoding: &mut Encoding,
        values: &mut Values,
    ) -> Option<Cases> {
        let graph = encoding.graph;
        let mut cases = Cases::new();
        match observable {
            Observable::Reg(number, reg) => {
                let thread = usize::from(number);
                let Some(paths) = graph.threads.get(thread) else {
                    return Some(vec![(vec![encoding.yes], Value::ZERO)]);
                };
                let mut functions: Vec<(SymVal, Set)> = Vec::new();
                for (path, way) in paths.ways.iter().enumerate() {
                    let found = way.registers.iter().find(|(r, _)| *r == reg);
                    let value = found.map_or(SymVal::ZERO, |(_, value)| value.clone());
                    match functions.iter_mut().find(|(known, _)| *known == value) {
                        Some((_, paths)) => paths.insert(path),
                        None => functions.push((value, Set::of(paths.ways.len(), [path]))),
                    }
                }
                for (value, paths) in functions {
                    let taken = encoding.one_of(thread, &paths);
                    for (value, literal) in values.table(&value, encoding)?.iter() {
                        cases.push((vec![taken, *literal], *value));
                    }
                }
            }
            Observable::Loc(loc) => {
                let places = self.cells.of(loc);
                if places.len() != 1 {
                    return None;
                }
                for (write, last) in encoding.last(places.start) {
                    let node = &graph.nodes[write];
                    for (value, paths) in &node.written {
                        let there = match node.thread {
                            Some(thread) if node.written.len() > 1 => encoding.one_of(thread, paths),
                            _ => encoding.yes,
                        };
                        for (value, literal) in values.table(value, encoding)?.iter() {
                            cases.push((vec![last, there, *literal], *value));
                        }
                    }
                }
            }
            // Looked at when an execution is there.
            Observable::Fault(_) | Observable::Faults | Observable::Assumed => return None,
        }
        Some(cases)
    }
}

/// If the first is true, these are not all true.
fn refuse(own: Lit, groups: &[&Vec<Lit>], encoding: &mut Encoding) {
    let mut clause = vec![!own];
    clause.extend(groups.iter().flat_map(|group| group.iter()).map(|literal| !*literal));
    encoding.clause(&clause);
}
