//! An execution that the solver found, as whoever asked for it sees it.

use super::graph::{self, NodeId, Role, Violation};
use super::memory::Problem;
use super::proposal::{Before, Proposal, Seen};
use crate::execution::EventKind;
use crate::grow::{Event, Execution, Waiting, Why};
use crate::model::Model;
use crate::program::{IllegalOp, Reg, Value};
use crate::relation::Rel;
use crate::sat::proposal::Reason;
use crate::sat::reason::Ground;
use crate::sat::solver::Solver;

/// An execution.
pub struct Whole<'s, 'p> {
    problem: &'s Problem<'p>,
    proposal: Proposal<'p>,
    /// Events in the order of their instructions, initial writes first.
    order: Vec<usize>,
    /// What must come before what.
    before: Rel,
}

impl<'s, 'p> Whole<'s, 'p> {
    pub(super) fn new(problem: &'s Problem<'p>, proposal: Proposal<'p>) -> Whole<'s, 'p> {
        let mut order: Vec<usize> = (0..proposal.events.len()).collect();
        let key = |event: &Seen| (event.thread.is_some(), event.instance, event.node);
        order.sort_unstable_by_key(|number| key(&proposal.events[*number]));
        let before = proposal.po.union(&proposal.rf()).plus();
        Whole { problem, proposal, order, before }
    }

    pub(super) fn into_proposal(self) -> Proposal<'p> {
        self.proposal
    }

    /// The violation that it has, if it has one.
    pub fn violation(&self) -> Option<&'s Violation> {
        let is = |violation: &&Violation| self.problem.gates.solver.is_true(violation.literal);
        self.problem.graph.violations.iter().find(is)
    }

    /// The loops that are cut in it.
    pub fn cuts(&self) -> Vec<&'s crate::execution::Cut> {
        let cuts = self.problem.graph.cuts.iter();
        cuts.filter(|(literal, _)| self.problem.gates.solver.is_true(*literal)).map(|(_, cut)| cut).collect()
    }

    /// Why these pairs of events, each in program order, read-from, coherence or from-reads, are there.
    pub(super) fn reason(&self, pairs: &[(usize, usize)], model: &Model) -> Reason {
        let ground = Before { proposal: &self.proposal, model, co: None };
        let mut reason = Reason::default();
        let node = |number: usize| self.proposal.events[self.order[number]].node;
        for (a, b) in pairs {
            let (first, second) = (self.order[*a], self.order[*b]);
            let (x, y) = (node(*a), node(*b));
            let read = self.proposal.sources.get(&y);
            let overwritten = self.proposal.sources.get(&x);
            let place = |id: NodeId| self.proposal.orders.iter().position(|order| order.contains(&id));
            let in_order = |a: NodeId, b: NodeId| {
                place(a).is_some_and(|cell| {
                    let order = &self.proposal.orders[cell];
                    let at = |id: NodeId| order.iter().position(|other| *other == id);
                    at(b).is_some() && at(a) < at(b)
                })
            };
            reason.executed.extend([x, y].into_iter().filter(|id| self.problem.node(*id).is_some()));
            if self.proposal.po.contains(first, second) {
                ground.base(&crate::model::Base::Po, first, second, true, &mut reason);
            } else if read == Some(&x) {
                reason.rf.push((x, y));
            } else if in_order(x, y) {
                reason.co.push((x, y));
            } else if let Some(source) = overwritten.filter(|source| in_order(**source, y)) {
                reason.rf.push((*source, x));
                reason.co.push((*source, y));
            } else {
                return ground.whole();
            }
        }
        if pairs.is_empty() { ground.whole() } else { reason }
    }

    fn number(&self, node: NodeId) -> Option<usize> {
        let event = *self.proposal.numbers.get(&node)?;
        self.order.iter().position(|other| *other == event)
    }

    fn value(&self, value: Option<&super::value::Sv>) -> Option<Value> {
        value.and_then(|value| value.value(&self.problem.gates))
    }
}

impl Execution for Whole<'_, '_> {
    fn n_events(&self) -> usize {
        self.order.len()
    }

    fn event(&self, number: usize) -> Option<Event<'_>> {
        let seen = &self.proposal.events[*self.order.get(number)?];
        let cell = seen.cell.map(|cell| cell as u16);
        let Some(node) = self.problem.node(seen.node) else {
            let initial = seen.cell.map(|cell| self.problem.graph.initial[cell]);
            return Some(Event {
                thread: None,
                instance: 0,
                code: 0,
                pc: 0,
                kind: EventKind::Init,
                cell,
                at: None,
                sets: &[],
                read: None,
                written: initial,
                source: None,
                spawns: None,
                joins: None,
                frees: None,
            });
        };
        Some(Event {
            thread: Some(node.thread),
            instance: node.instance,
            code: node.code,
            pc: node.pc,
            kind: node.kind,
            cell,
            at: node.at,
            sets: node.sets,
            read: self.value(node.read.as_ref()),
            written: self.value(node.written.as_ref()),
            source: self.proposal.sources.get(&seen.node).and_then(|source| self.number(*source)),
            spawns: if let Role::Spawn(thread) = node.role { Some(thread) } else { None },
            joins: if let Role::Join(thread) = node.role { Some(thread) } else { None },
            frees: None,
        })
    }

    fn coherence(&self) -> Vec<Vec<usize>> {
        let order = |order: &Vec<NodeId>| order.iter().filter_map(|node| self.number(*node)).collect();
        self.proposal.orders.iter().map(order).collect()
    }

    fn register(&self, thread: usize, reg: Reg) -> Result<Value, IllegalOp> {
        let held = self.problem.graph.register(thread as u16, reg);
        Ok(self.value(held).unwrap_or(Value::ZERO))
    }

    fn is_before(&self, first: usize, second: usize) -> bool {
        match (self.order.get(first), self.order.get(second)) {
            (Some(first), Some(second)) => self.before.contains(*first, *second),
            _ => false,
        }
    }

    fn waiting(&self) -> Vec<Waiting> {
        let is = |literal| self.problem.gates.solver.is_true(literal);
        let waits = self.problem.graph.waiting.iter().filter(|waiting| is(waiting.literal));
        let mut all: Vec<Waiting> = waits
            .map(|w| {
                let why =
                    if let graph::Why::Join(thread) = w.why { Why::Join(thread) } else { Why::Instruction };
                Waiting { thread: w.thread, code: w.code, pc: w.pc, why, since: None }
            })
            .collect();
        // A thread whose loop was cut might go on, and so might those that wait for it.
        let cuts = self.cuts().into_iter().map(|cut| cut.thread as u16);
        let violation = self.violation().map(|violation| violation.thread);
        all.extend(cuts.chain(violation).map(|thread| Waiting {
            thread,
            code: 0,
            pc: 0,
            why: Why::Given,
            since: None,
        }));
        all.sort_by_key(|waiting| waiting.thread);
        all
    }

    fn memory(&self, cell: usize) -> Value {
        let last = self.proposal.orders.get(cell).and_then(|order| order.last());
        let written = last.and_then(|node| self.problem.written(*node));
        self.value(written.as_ref()).unwrap_or(self.problem.graph.initial[cell])
    }

    fn key(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for seen in &self.proposal.events {
            lines.push(format!("{} {:?}", seen.node, self.proposal.sources.get(&seen.node)));
        }
        lines.push(format!("{:?}", self.proposal.orders));
        lines.join("\n")
    }
}
