//! One assignment of the solver, read as an execution: what a model sees of it, and what reasons are made of.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::graph::{Node, NodeId, Role};
use super::memory::Problem;
use crate::execution::EventKind;
use crate::model::{Base, ChoiceId, Expr, Model, Plain, Sort, Universe, Val};
use crate::program::{Conventions, SetName};
use crate::relation::{Rel, Set};
use crate::sat::proposal::{Reason, in_line};
use crate::sat::reason::Ground;
use crate::sat::solver::Solver;

/// An event of a proposal.
pub struct Seen<'p> {
    pub node: NodeId,
    pub thread: Option<u16>,
    pub instance: u32,
    pub kind: EventKind,
    pub cell: Option<usize>,
    pub sets: &'p [SetName],
    pub role: Role,
}

impl<'p> Seen<'p> {
    /// The event of a node.
    pub fn of(id: NodeId, node: &Node<'p>) -> Seen<'p> {
        Seen {
            node: id,
            thread: Some(node.thread),
            instance: node.instance,
            kind: node.kind,
            cell: node.cell,
            sets: node.sets,
            role: node.role,
        }
    }

    /// The initial write of a cell.
    fn initial(id: NodeId, cell: usize) -> Seen<'p> {
        Seen {
            node: id,
            thread: None,
            instance: 0,
            kind: EventKind::Init,
            cell: Some(cell),
            sets: &[],
            role: Role::None,
        }
    }
}

/// An execution that the solver proposes.
pub struct Proposal<'p> {
    pub events: Vec<Seen<'p>>,
    /// The event of a node.
    pub numbers: FxHashMap<NodeId, usize>,
    pub sources: FxHashMap<NodeId, NodeId>,
    /// The writes of each cell that happen, in order, the initial one first; empty where that is not an order.
    pub orders: Vec<Vec<NodeId>>,
    /// Triples of writes each of which is before the next, and the last before the first.
    pub turns: Vec<[NodeId; 3]>,
    pub po: Rel,
    conventions: &'static Conventions,
    skipped: OnceLock<Vec<NodeId>>,
    n_nodes: usize,
}

impl<'p> Proposal<'p> {
    /// The assignment found last.
    pub fn read(problem: &Problem<'p>, conventions: &'static Conventions) -> Proposal<'p> {
        let is = |literal| problem.gates.solver.is_true(literal);
        let nodes = problem.graph.nodes.iter().enumerate();
        let mut events: Vec<Seen> = Vec::new();
        let mut used = vec![false; problem.writes.len()];
        for (id, node) in nodes.filter(|(_, node)| is(node.guard)) {
            if let Some(cell) = node.cell {
                used[cell] = true;
            }
            events.push(Seen::of(id, node));
        }
        let order = program_order(problem, &events);
        for (cell, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            events.push(Seen::initial(problem.initial(cell), cell));
        }
        let numbers = events.iter().enumerate().map(|(number, event)| (event.node, number)).collect();
        let po = Rel::of(events.len(), order.iter());
        let mut sources = FxHashMap::default();
        for (read, all) in problem.sources.iter().filter(|(read, _)| is(problem.guard(**read))) {
            if let Some((write, _)) = all.iter().find(|(_, literal)| is(*literal)) {
                sources.insert(*read, *write);
            }
        }
        let mut proposal = Proposal {
            events,
            numbers,
            sources,
            orders: Vec::new(),
            turns: Vec::new(),
            po,
            conventions,
            skipped: OnceLock::new(),
            n_nodes: problem.graph.nodes.len(),
        };
        for (cell, used) in used.iter().enumerate() {
            proposal.order(problem, cell, *used);
        }
        proposal
    }

    /// Every event, whether it happens or not, and the initial write of every cell, each by its own number; nothing of what the solver decides.
    pub fn of_all(problem: &Problem<'p>, conventions: &'static Conventions) -> Proposal<'p> {
        let mut events: Vec<Seen> =
            problem.graph.nodes.iter().enumerate().map(|(id, node)| Seen::of(id, node)).collect();
        events.extend((0..problem.writes.len()).map(|cell| Seen::initial(problem.initial(cell), cell)));
        Proposal {
            numbers: (0..events.len()).map(|number| (number, number)).collect(),
            po: Rel::empty(events.len()),
            events,
            sources: FxHashMap::default(),
            orders: Vec::new(),
            turns: Vec::new(),
            conventions,
            skipped: OnceLock::new(),
            n_nodes: problem.graph.nodes.len(),
        }
    }

    fn order(&mut self, problem: &Problem<'p>, cell: usize, used: bool) {
        let is = |literal| problem.gates.solver.is_true(literal);
        let here: Vec<NodeId> =
            problem.writes[cell].iter().copied().filter(|write| is(problem.guard(*write))).collect();
        let before = |a: NodeId, b: NodeId| is(problem.in_order(a, b));
        let order = in_line(&here, before, &mut self.turns);
        let first = used.then(|| problem.initial(cell));
        self.orders.push(order.map_or_else(Vec::new, |order| first.into_iter().chain(order).collect()));
    }

    /// An evaluation of a model on it, with what is read from where; orders are bound where the model chooses them.
    pub fn evaluation<'m>(&'m self, model: &'m Model) -> Plain<'m> {
        let mut plain = Plain::new(model, self);
        if let Some(node) = model.pool.find(&Expr::Base(Base::Rf, Sort::Rel)) {
            plain.set(node, Val::Rel(self.rf()));
        }
        plain
    }

    /// Reads-from, over events.
    pub fn rf(&self) -> Rel {
        let pairs = self
            .sources
            .iter()
            .filter_map(|(read, write)| Some((*self.numbers.get(write)?, *self.numbers.get(read)?)));
        Rel::of(self.events.len(), pairs)
    }

    /// Coherence, over events.
    pub fn co(&self) -> Rel {
        let mut co = Rel::empty(self.events.len());
        for order in &self.orders {
            let events: Vec<usize> =
                order.iter().filter_map(|node| self.numbers.get(node)).copied().collect();
            for (at, a) in events.iter().enumerate() {
                events[at + 1..].iter().for_each(|b| co.insert(*a, *b));
            }
        }
        co
    }

    fn of(&self, f: impl Fn(&Seen) -> bool) -> Option<Val> {
        let n = self.events.len();
        let members = self.events.iter().enumerate().filter(|(_, event)| f(event)).map(|(number, _)| number);
        Some(Val::Set(Set::of(n, members)))
    }

    fn classes<K: PartialEq>(&self, key: impl Fn(&Seen) -> Option<K>) -> Rel {
        let n = self.events.len();
        let mut classes: Vec<(K, Set)> = Vec::new();
        for (number, event) in self.events.iter().enumerate() {
            let Some(key) = key(event) else { continue };
            match classes.iter_mut().find(|(known, _)| *known == key) {
                Some((_, class)) => class.insert(number),
                None => classes.push((key, Set::of(n, [number]))),
            }
        }
        Rel::of_classes(n, classes.iter().map(|(_, class)| class))
    }

    fn skipped(&self) -> &[NodeId] {
        self.skipped.get_or_init(|| (0..self.n_nodes).filter(|id| !self.numbers.contains_key(id)).collect())
    }
}

/// A few events of one cell, each in program order after the one before (or, if not `in_line`, after those of its own thread), with these sources and this order. The
/// initial write comes after all of them.
pub fn small<'p>(
    mut events: Vec<Seen<'p>>,
    in_line: bool,
    sources: &[(NodeId, NodeId)],
    order: &[NodeId],
    conventions: &'static Conventions,
) -> Proposal<'p> {
    let n = events.len();
    events.iter_mut().for_each(|event| event.cell = Some(0));
    events.push(Seen::initial(n, 0));
    let in_order = |a: usize, b: usize| in_line || events[a].thread == events[b].thread;
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    let po = Rel::of(n + 1, pairs.filter(|(a, b)| in_order(*a, *b)));
    Proposal {
        po,
        numbers: (0..=n).map(|number| (number, number)).collect(),
        events,
        sources: sources.iter().map(|(write, read)| (*read, *write)).collect(),
        orders: vec![order.to_vec()],
        turns: Vec::new(),
        conventions,
        skipped: OnceLock::new(),
        n_nodes: n,
    }
}

/// Program order of some events; the numbers of instructions are in that order, those of threads that are started and waited for too.
fn program_order(problem: &Problem, events: &[Seen]) -> Rel {
    let n = events.len();
    let mut numbers: FxHashMap<NodeId, usize> = FxHashMap::default();
    events.iter().enumerate().for_each(|(number, event)| {
        numbers.insert(event.node, number);
    });
    let mut line: Vec<usize> = (0..n).collect();
    line.sort_unstable_by_key(|number| (events[*number].instance, events[*number].node));
    // For each thread: the events of the instruction that comes next.
    let mut next: FxHashMap<u16, (u32, Vec<usize>, Vec<usize>)> = FxHashMap::default();
    // For each thread: the events that wait for its end.
    let mut joins: FxHashMap<u16, Vec<usize>> = FxHashMap::default();
    let mut rows: Vec<Set> = vec![Set::empty(n); n];
    for number in line.into_iter().rev() {
        let event = &events[number];
        let Some(thread) = event.thread else { continue };
        let mut after: Vec<usize> = Vec::new();
        let joined = joins.get(&thread).cloned().unwrap_or_default();
        let place = next.entry(thread).or_insert_with(|| (event.instance, Vec::new(), joined));
        if place.0 != event.instance {
            let own = std::mem::take(&mut place.1);
            *place = (event.instance, Vec::new(), own);
        }
        after.extend(&place.2);
        // Inside the instruction.
        let own = &place.1;
        after.extend(
            own.iter().filter(|other| problem.graph.nodes[events[**other].node].inner.contains(&event.node)),
        );
        match event.role {
            Role::Join(child) => joins.entry(child).or_default().push(number),
            Role::Spawn(child) => {
                let first = next.get(&child);
                after.extend(first.map(|(_, events, _)| events.as_slice()).unwrap_or_default());
            }
            Role::None => {}
        }
        let mut row = Set::of(n, after.iter().copied());
        for other in after {
            row.union_with(&rows[other]);
        }
        rows[number] = row;
        if let Some(place) = next.get_mut(&thread) {
            place.1.push(number);
        }
    }
    Rel::of(n, rows.iter().enumerate().flat_map(|(from, row)| row.iter().map(move |to| (from, to))))
}

impl Universe for Proposal<'_> {
    fn n_events(&self) -> usize {
        self.events.len()
    }

    fn visible(&self) -> Set {
        Set::full(self.events.len())
    }

    fn base(&self, base: &Base) -> Option<Val> {
        let n = self.events.len();
        let reads = |kind: EventKind| matches!(kind, EventKind::Read | EventKind::Rmw);
        let writes = |kind: EventKind| matches!(kind, EventKind::Write | EventKind::Rmw | EventKind::Init);
        let memory = |event: &Seen| reads(event.kind) || writes(event.kind);
        let in_set = |event: &Seen, name: &str| event.sets.iter().any(|set| set == name);
        match base {
            Base::M | Base::Exp => self.of(memory),
            Base::R => self.of(|event| reads(event.kind)),
            Base::W => self.of(|event| writes(event.kind)),
            Base::Iw => self.of(|event| event.kind == EventKind::Init),
            Base::F => self.of(|event| event.kind == EventKind::Fence),
            Base::Exec => self.of(|_| true),
            Base::NExp | Base::B | Base::Bcc | Base::Pred | Base::Spec | Base::Spurious => self.of(|_| false),
            Base::Id => Some(Val::Rel(Rel::identity(n))),
            Base::Po => Some(Val::Rel(self.po.clone())),
            Base::Int => Some(Val::Rel(self.classes(|event| event.thread))),
            Base::Ext => {
                let all = Set::full(n);
                Some(Val::Rel(Rel::product(&all, &all).diff(&self.classes(|event| Some(event.thread)))))
            }
            Base::Loc => Some(Val::Rel(self.classes(|event| event.cell))),
            Base::SameInstance => Some(Val::Rel(self.classes(|event| Some((event.thread?, event.instance))))),
            Base::Sm | Base::Si => {
                let own = self.events.iter().enumerate().filter(|(_, event)| memory(event));
                Some(Val::Rel(Rel::of(n, own.map(|(number, _)| (number, number)))))
            }
            Base::Success | Base::Tst | Base::Aligned | Base::PartialPo | Base::EquivSpec => {
                Some(Val::Rel(Rel::empty(n)))
            }
            Base::IicoData => Some(Val::Rel(Rel::empty(n))),
            Base::Named(name) => match &**name {
                "NA" if self.conventions.non_atomics => self.of(|event| !in_set(event, "A")),
                "X" | "RMW" if self.conventions.one_event_rmw => self
                    .of(|event| event.kind == EventKind::Rmw || in_set(event, "X") || in_set(event, "RMW")),
                name => self.of(|event| in_set(event, name)),
            },
            _ => None,
        }
    }

    fn location_classes(&self) -> Vec<Set> {
        let n = self.events.len();
        let mut classes: Vec<(usize, Set)> = Vec::new();
        for (number, event) in self.events.iter().enumerate() {
            let Some(cell) = event.cell else { continue };
            match classes.iter_mut().find(|(known, _)| *known == cell) {
                Some((_, class)) => class.insert(number),
                None => classes.push((cell, Set::of(n, [number]))),
            }
        }
        classes.into_iter().map(|(_, class)| class).collect()
    }

    fn events_of_location(&self, _: &str) -> Option<Set> {
        None
    }
}

/// A proposal before a model.
pub struct Before<'a, 'p> {
    pub proposal: &'a Proposal<'p>,
    pub model: &'a Model,
    pub co: Option<ChoiceId>,
}

impl Ground for Before<'_, '_> {
    fn model(&self) -> &Model {
        self.model
    }

    fn co(&self) -> Option<ChoiceId> {
        self.co
    }

    fn node(&self, event: usize) -> NodeId {
        self.proposal.events[event].node
    }

    fn thread(&self, event: usize) -> Option<usize> {
        self.proposal.events[event].thread.map(usize::from)
    }

    fn written(&self, event: usize) -> Option<usize> {
        let event = &self.proposal.events[event];
        let writes = matches!(event.kind, EventKind::Write | EventKind::Rmw | EventKind::Init);
        event.cell.filter(|_| writes)
    }

    fn source(&self, read: NodeId) -> Option<NodeId> {
        self.proposal.sources.get(&read).copied()
    }

    fn base(&self, base: &Base, a: usize, b: usize, _: bool, reason: &mut Reason) {
        // Events of two threads are in program order by what waits for the end of one.
        if *base == Base::Po && self.thread(a) != self.thread(b) {
            let joins = self.proposal.events.iter().filter(|event| matches!(event.role, Role::Join(_)));
            reason.executed.extend(joins.map(|event| event.node));
        }
    }

    fn path_of(&self, thread: usize, reason: &mut Reason) {
        let own = |event: &&Seen| event.thread.map(usize::from) == Some(thread);
        reason.executed.extend(self.proposal.events.iter().filter(own).map(|event| event.node));
        // Which of the others are its own is not asked.
        reason.skipped.extend(self.proposal.skipped());
    }

    fn n_threads(&self) -> usize {
        let last = self.proposal.events.iter().filter_map(|event| event.thread).max();
        last.map_or(0, |last| usize::from(last) + 1)
    }

    fn whole(&self) -> Reason {
        let mut reason = Reason {
            rf: self.proposal.sources.iter().map(|(read, write)| (*write, *read)).collect(),
            skipped: self.proposal.skipped().to_vec(),
            ..Reason::default()
        };
        let threads = self.proposal.events.iter().filter(|event| event.thread.is_some());
        reason.executed.extend(threads.map(|event| event.node));
        for order in &self.proposal.orders {
            reason.co.extend(order.windows(2).map(|pair| (pair[0], pair[1])));
        }
        reason
    }
}
