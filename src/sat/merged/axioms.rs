//! Axioms that the solver watches by itself: that there is no cycle of certain steps.
//!
//! A check `acyclic r` is turned into places and steps of an order. Each event is a place; a union adds the steps of all its parts, a sequence goes through places in
//! between, an intersection with (or a difference from) what two events tell by themselves is cut into events that have the same partners. Program order goes along a line of
//! places for each thread, so that it has as many steps as there are events. What is not said here is left out: fewer steps have fewer cycles, and the model looks at every proposal again.

use rustc_hash::FxHashMap;

use super::graph::{NodeId, Role};
use super::memory::Problem;
use super::proposal::Proposal;
use crate::limits;
use crate::model::{Base, CheckKind, ChoiceId, Expr, ExprId, Model, Plain, Step, TestKind};
use crate::program::Conventions;
use crate::relation::{Rel, Set};
use crate::sat::forms::{is_of_pairs, is_plain_set};
use crate::sat::judge::coherence;
use crate::sat::solver::{Lit, Solver};

/// More pairs than this of a relation that is listed pair by pair: it is left out.
const PAIRS: usize = 100_000;

/// A place in the order.
type Place = u32;

/// Adds the steps of a model's checks for cycles to a problem.
pub fn watch(problem: &mut Problem, model: &Model, conventions: &'static Conventions) {
    let all = Proposal::of_all(problem, conventions);
    let mut axioms = Axioms {
        problem,
        model,
        co: coherence(model),
        plain: Plain::new(model, &all),
        places: FxHashMap::default(),
        n_layers: 0,
        n_places: 0,
        steps: Vec::new(),
        threads: Vec::new(),
    };
    axioms.threads = axioms.line();
    for step in &model.steps {
        if let Step::Check { kind: CheckKind::Plain, test, .. } = step
            && test.kind == TestKind::Acyclic
            && !test.negated
        {
            let every = Set::full(axioms.n());
            let layer = axioms.layer();
            let end = End { layer, of: &every };
            axioms.relation(test.expr, end, end);
        }
    }
    let Axioms { n_places, steps, .. } = axioms;
    let places: Vec<Place> = (0..n_places).map(|_| problem.gates.solver.place()).collect();
    for (from, to, literals) in steps {
        problem.gates.solver.step(places[from as usize], places[to as usize], &literals);
    }
}

/// One end of a relation: these events, at places of that layer.
#[derive(Clone, Copy)]
struct End<'s> {
    layer: u32,
    of: &'s Set,
}

/// The events of one executed instruction.
struct Instruction {
    number: u32,
    events: Vec<NodeId>,
}

struct Axioms<'a, 'p> {
    problem: &'a Problem<'p>,
    model: &'a Model,
    co: Option<ChoiceId>,
    /// Over all events, whether they happen or not.
    plain: Plain<'a>,
    places: FxHashMap<(u32, NodeId), Place>,
    n_layers: u32,
    n_places: u32,
    steps: Vec<(Place, Place, Vec<Lit>)>,
    threads: Vec<(u16, Vec<Instruction>)>,
}

impl Axioms<'_, '_> {
    fn n(&self) -> usize {
        self.problem.graph.nodes.len() + self.problem.writes.len()
    }

    fn layer(&mut self) -> u32 {
        self.n_layers += 1;
        self.n_layers
    }

    fn new_place(&mut self) -> Place {
        self.n_places += 1;
        self.n_places - 1
    }

    fn place(&mut self, layer: u32, event: NodeId) -> Place {
        let next = self.n_places;
        let place = *self.places.entry((layer, event)).or_insert(next);
        if place == next {
            self.n_places += 1;
        }
        place
    }

    fn step(&mut self, from: Place, to: Place, literals: &[Lit]) {
        let gates = &self.problem.gates;
        if literals.contains(&gates.no) {
            return;
        }
        let literals = literals.iter().copied().filter(|literal| *literal != gates.yes).collect();
        self.steps.push((from, to, literals));
    }

    /// The instructions of each thread that have events, in order.
    fn line(&self) -> Vec<(u16, Vec<Instruction>)> {
        let mut threads: Vec<(u16, Vec<Instruction>)> = Vec::new();
        for (number, thread) in &self.problem.graph.threads {
            let mut events = thread.nodes.clone();
            events.sort_unstable_by_key(|id| (self.problem.graph.nodes[*id].instance, *id));
            let mut instructions: Vec<Instruction> = Vec::new();
            for id in events {
                let number = self.problem.graph.nodes[id].instance;
                match instructions.last_mut().filter(|last| last.number == number) {
                    Some(last) => last.events.push(id),
                    None => instructions.push(Instruction { number, events: vec![id] }),
                }
            }
            threads.push((*number, instructions));
        }
        threads.sort_unstable_by_key(|(number, _)| *number);
        threads
    }

    /// Adds steps from one end to the other where a relation has them, or some of them.
    fn relation(&mut self, id: ExprId, from: End, to: End) {
        limits::poll();
        let pool = &self.model.pool;
        if is_of_pairs(self.model, id) {
            return self.listed(id, from, to);
        }
        match pool.expr(id) {
            Expr::Base(Base::Po, _) => self.program_order(from, to),
            Expr::Base(Base::Rf, _) => self.reads_from(from, to, false),
            Expr::Inverse(inner) if matches!(pool.expr(*inner), Expr::Base(Base::Rf, _)) => {
                self.reads_from(from, to, true);
            }
            Expr::Choice(choice, _) if Some(*choice) == self.co => self.coherence(from, to),
            Expr::Union(parts) => parts.iter().for_each(|part| self.relation(*part, from, to)),
            Expr::Inter(a, b) => match [*a, *b].map(|part| is_of_pairs(self.model, part)) {
                [true, _] => self.partners(*b, *a, true, from, to),
                [_, true] => self.partners(*a, *b, true, from, to),
                _ => {}
            },
            Expr::Diff(a, b) if is_of_pairs(self.model, *b) => self.partners(*a, *b, false, from, to),
            Expr::Seq(parts) => self.sequence(parts, from, to),
            _ => {}
        }
    }

    /// The pairs of a relation that are, or are not, in what two events tell by themselves.
    fn partners(&mut self, id: ExprId, test: ExprId, wanted: bool, from: End, to: End) {
        let Ok(rel) = self.plain.rel_of(test) else { return };
        let (first, last) = (from.of.inter(&self.end(id, false)), to.of.inter(&self.end(id, true)));
        let mut classes: Vec<(Set, Set)> = Vec::new();
        for event in first.iter() {
            let row = rel.row_set(event);
            let partners = if wanted { last.inter(&row) } else { last.diff(&row) };
            match classes.iter_mut().find(|(known, _)| *known == partners) {
                Some((_, class)) => class.insert(event),
                None => {
                    let class = Set::of(self.n(), [event]);
                    classes.push((partners, class));
                }
            }
        }
        for (partners, class) in classes.iter().filter(|(partners, _)| !partners.is_empty()) {
            self.relation(id, End { of: class, ..from }, End { of: partners, ..to });
        }
    }

    /// Events at which the steps of a relation may begin, or end.
    fn end(&mut self, id: ExprId, last: bool) -> Set {
        let (problem, pool) = (self.problem, &self.model.pool);
        let nodes = || problem.graph.nodes.iter().enumerate();
        let reads = || Set::of(self.n(), nodes().filter(|(_, node)| node.reads()).map(|(id, _)| id));
        let writes = || Set::of(self.n(), nodes().filter(|(_, node)| node.writes()).map(|(id, _)| id));
        let initial = Set::of(self.n(), (0..problem.writes.len()).map(|cell| problem.initial(cell)));
        match pool.expr(id) {
            Expr::Base(Base::Rf, _) if last => reads(),
            Expr::Base(Base::Rf, _) => writes().union(&initial),
            Expr::Inverse(inner) => self.end(*inner, !last),
            Expr::Choice(choice, _) if Some(*choice) == self.co && last => writes(),
            Expr::Choice(choice, _) if Some(*choice) == self.co => writes().union(&initial),
            Expr::Union(parts) => {
                let empty = Set::empty(self.n());
                parts.iter().fold(empty, |all, part| all.union(&self.end(*part, last)))
            }
            Expr::Inter(a, b) => self.end(*a, last).inter(&self.end(*b, last)),
            Expr::Diff(inner, _) => self.end(*inner, last),
            Expr::Seq(parts) => {
                let Some(part) = (if last { parts.last() } else { parts.first() }) else {
                    return Set::full(self.n());
                };
                self.end(*part, last)
            }
            Expr::ToId(_) => self.identity(id).unwrap_or_else(|| Set::full(self.n())),
            _ => Set::full(self.n()),
        }
    }

    /// One relation after the other; identities on sets only say which events.
    fn sequence(&mut self, parts: &[ExprId], from: End, to: End) {
        let pool = &self.model.pool;
        let (mut first, mut last) = (from.of.clone(), to.of.clone());
        let mut parts = parts;
        while let Some((head, rest)) = parts.split_first()
            && let Some(set) = self.identity(*head)
        {
            first = first.inter(&set);
            parts = rest;
        }
        while let Some((tail, rest)) = parts.split_last()
            && let Some(set) = self.identity(*tail)
        {
            last = last.inter(&set);
            parts = rest;
        }
        let (from, to) = (End { of: &first, ..from }, End { of: &last, ..to });
        let Some((head, rest)) = parts.split_first() else { return };
        if let Expr::Opt(inner) = pool.expr(*head) {
            let mut with = vec![*inner];
            with.extend(rest);
            self.sequence(&with, from, to);
            if !rest.is_empty() {
                self.sequence(rest, from, to);
            }
            return;
        }
        if rest.is_empty() {
            return self.relation(*head, from, to);
        }
        let mut middle = Set::full(self.n());
        for part in rest {
            let Some(set) = self.identity(*part) else { break };
            middle = middle.inter(&set);
        }
        let layer = self.layer();
        let between = End { layer, of: &middle };
        self.relation(*head, from, between);
        self.sequence(rest, between, to);
    }

    /// The set on which an expression is the identity.
    fn identity(&mut self, id: ExprId) -> Option<Set> {
        let set = match self.model.pool.expr(id) {
            Expr::ToId(set) if is_plain_set(self.model, *set) => *set,
            Expr::Base(Base::Sm | Base::Si | Base::Id, _) | Expr::Id => {
                return self.plain.rel_of(id).ok().map(|rel: Rel| rel.domain());
            }
            _ => return None,
        };
        self.plain.set_of(set).ok()
    }

    fn listed(&mut self, id: ExprId, from: End, to: End) {
        let Ok(rel) = self.plain.rel_of(id) else { return };
        let pairs: Vec<(usize, usize)> =
            rel.iter().filter(|(a, b)| from.of.contains(*a) && to.of.contains(*b)).take(PAIRS + 1).collect();
        if pairs.len() > PAIRS {
            return;
        }
        for (a, b) in pairs {
            let (first, second) = (self.place(from.layer, a), self.place(to.layer, b));
            self.step(first, second, &[self.problem.guard(b)]);
        }
    }

    fn reads_from(&mut self, from: End, to: End, inverse: bool) {
        let problem = self.problem;
        for (read, sources) in &problem.sources {
            for (write, literal) in sources {
                let (a, b) = if inverse { (*read, *write) } else { (*write, *read) };
                if from.of.contains(a) && to.of.contains(b) {
                    let (first, second) = (self.place(from.layer, a), self.place(to.layer, b));
                    self.step(first, second, &[*literal]);
                }
            }
        }
    }

    fn coherence(&mut self, from: End, to: End) {
        let problem = self.problem;
        let thread = |write: NodeId| problem.graph.nodes[write].thread;
        for (cell, writes) in problem.writes.iter().enumerate() {
            let initial = problem.initial(cell);
            let first: Vec<NodeId> =
                writes.iter().chain([&initial]).copied().filter(|write| from.of.contains(*write)).collect();
            let mut threads: Vec<u16> = writes.iter().map(|write| thread(*write)).collect();
            threads.sort_unstable();
            threads.dedup();
            for own in threads {
                let mut line: Vec<NodeId> = writes.iter().copied().filter(|w| thread(*w) == own).collect();
                line.sort_unstable_by_key(|write| (problem.graph.nodes[*write].instance, *write));
                let follows = |a: NodeId, b: NodeId| problem.in_order(a, b) == problem.gates.yes;
                let ordered =
                    line.iter().enumerate().all(|(at, a)| line[at + 1..].iter().all(|b| follows(*a, *b)));
                if ordered {
                    self.along(&first, &line, from, to);
                    continue;
                }
                for a in &first {
                    for b in line.iter().filter(|b| *b != a && to.of.contains(**b)) {
                        let (first, second) = (self.place(from.layer, *a), self.place(to.layer, *b));
                        self.step(first, second, &[problem.in_order(*a, *b), problem.guard(*b)]);
                    }
                }
            }
        }
    }

    /// Coherence from some writes to those of a thread, which have one order: along a line of places, so that what is before one of them is before those after it, too.
    fn along(&mut self, first: &[NodeId], line: &[NodeId], from: End, to: End) {
        let problem = self.problem;
        let places: Vec<Place> = line.iter().map(|_| self.new_place()).collect();
        places.windows(2).for_each(|pair| self.step(pair[0], pair[1], &[]));
        for (write, place) in line.iter().zip(&places).filter(|(write, _)| to.of.contains(**write)) {
            let there = self.place(to.layer, *write);
            self.step(*place, there, &[problem.guard(*write)]);
        }
        for a in first {
            let here = self.place(from.layer, *a);
            if let Some(at) = line.iter().position(|write| write == a) {
                if let Some(next) = places.get(at + 1) {
                    self.step(here, *next, &[]);
                }
                continue;
            }
            if line.iter().all(|write| problem.in_order(*a, *write) == problem.gates.yes) {
                self.step(here, places[0], &[]);
                continue;
            }
            for (write, place) in line.iter().zip(&places) {
                self.step(here, *place, &[problem.in_order(*a, *write), problem.guard(*write)]);
            }
        }
    }

    /// Program order, also through the start of threads and the waiting for their end.
    fn program_order(&mut self, from: End, to: End) {
        let problem = self.problem;
        let nodes = &problem.graph.nodes;
        let threads = std::mem::take(&mut self.threads);
        let stops = |event: &NodeId| to.of.contains(*event) || nodes[*event].role != Role::None;
        // For each thread: the numbers of the instructions at which something may be reached, and the place before each; one more at the end.
        let mut lines: FxHashMap<u16, Vec<(u32, Place)>> = FxHashMap::default();
        for (thread, instructions) in &threads {
            let kept = instructions.iter().filter(|instruction| instruction.events.iter().any(stops));
            let numbers: Vec<u32> = kept.map(|instruction| instruction.number).chain([u32::MAX]).collect();
            let line: Vec<(u32, Place)> = numbers.into_iter().map(|n| (n, self.new_place())).collect();
            line.windows(2).for_each(|pair| self.step(pair[0].1, pair[1].1, &[]));
            lines.insert(*thread, line);
        }
        let first = |thread: u16| lines.get(&thread).and_then(|line| line.first()).map(|(_, place)| *place);
        let last = |thread: u16| lines.get(&thread).and_then(|line| line.last()).map(|(_, place)| *place);
        // The first place at or after an instruction.
        let at = |thread: u16, number: u32| {
            let line = &lines[&thread];
            let index = line.partition_point(|(own, _)| *own < number);
            line[index.min(line.len() - 1)].1
        };
        for (thread, instructions) in &threads {
            for instruction in instructions {
                let after = at(*thread, instruction.number + 1);
                for event in &instruction.events {
                    let node = &nodes[*event];
                    let follows = |other: &&NodeId| nodes[**other].inner.contains(event);
                    if to.of.contains(*event) {
                        let here = self.place(to.layer, *event);
                        self.step(at(*thread, instruction.number), here, &[node.guard]);
                    }
                    match node.role {
                        Role::Spawn(child) => {
                            if let Some(start) = first(child) {
                                self.step(at(*thread, instruction.number), start, &[]);
                            }
                        }
                        Role::Join(child) => {
                            let Some(end) = last(child) else { continue };
                            let waited = self.new_place();
                            self.step(end, waited, &[node.guard]);
                            self.step(waited, after, &[]);
                            let rest = instruction.events.iter().filter(follows).chain([event]);
                            for other in rest.filter(|other| to.of.contains(**other)) {
                                let there = self.place(to.layer, *other);
                                self.step(waited, there, &[nodes[*other].guard]);
                            }
                        }
                        Role::None => {}
                    }
                    if !from.of.contains(*event) {
                        continue;
                    }
                    let here = self.place(from.layer, *event);
                    self.step(here, after, &[]);
                    for other in instruction.events.iter().filter(follows) {
                        if to.of.contains(*other) {
                            let there = self.place(to.layer, *other);
                            self.step(here, there, &[nodes[*other].guard]);
                        }
                    }
                    for other in instruction.events.iter().filter(|other| follows(other) || *other == event) {
                        if let Role::Spawn(child) = nodes[*other].role
                            && let Some(start) = first(child)
                        {
                            self.step(here, start, &[]);
                        }
                    }
                }
            }
        }
        self.threads = threads;
    }
}
