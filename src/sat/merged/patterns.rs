//! What a model refuses of two or three events by themselves: such things need not be proposed at all.
//!
//! The model itself is asked, once for each kind of events; only what follows from the facts of these events alone counts.

use rustc_hash::FxHashMap;

use super::graph::{Node, NodeId};
use super::proposal::{Before, Proposal, Seen, small};
use crate::execution::EventKind;
use crate::explore::bind;
use crate::model::{CheckKind, Model, Step, Val};
use crate::program::{Conventions, SetName};
use crate::sat::judge::coherence;
use crate::sat::reason::derived;

/// Something that a model may refuse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// A write, a later one of the same cell, and coherence the other way round.
    Backwards,
    /// A write, a later one, and a read after both that takes the first.
    Overwritten,
    /// A read that takes the initial value, after a write.
    Ignored,
    /// A write and a later one; a read of another thread that takes the later, and after it one that takes the first.
    Swapped,
    /// A write; a read of another thread that takes it, and after that one that takes the initial value.
    Forgotten,
}

/// What a model sees of an event by itself, and in which thread it is.
type Sign = (u8, *const SetName, usize, bool);

/// What a model refuses.
pub struct Patterns<'m> {
    model: &'m Model,
    conventions: &'static Conventions,
    known: FxHashMap<(Pattern, Vec<Sign>), bool>,
}

impl<'m> Patterns<'m> {
    /// Nothing is known yet.
    pub fn new(model: &'m Model, conventions: &'static Conventions) -> Patterns<'m> {
        Patterns { model, conventions, known: FxHashMap::default() }
    }

    /// Does the model refuse it of these events, those of one thread in program order?
    pub fn refuses(&mut self, pattern: Pattern, nodes: &[&Node]) -> bool {
        let kind = |kind: EventKind| match kind {
            EventKind::Read => 0,
            EventKind::Write => 1,
            _ => 2,
        };
        let sign = |node: &&Node| {
            (kind(node.kind), node.sets.as_ptr(), node.sets.len(), node.thread == nodes[0].thread)
        };
        let key = (pattern, nodes.iter().map(sign).collect::<Vec<Sign>>());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let refused = self.ask(pattern, nodes);
        self.known.insert(key, refused);
        refused
    }

    fn ask(&self, pattern: Pattern, nodes: &[&Node]) -> bool {
        // The initial write is the last of the numbers.
        let initial = nodes.len();
        let (sources, orders): (&[(NodeId, NodeId)], &[&[NodeId]]) = match pattern {
            Pattern::Backwards => (&[], &[&[initial, 1, 0]]),
            Pattern::Overwritten => (&[(0, 2)], &[&[initial, 0, 1], &[initial, 1, 0]]),
            Pattern::Ignored => (&[(initial, 1)], &[&[initial, 0]]),
            Pattern::Swapped => (&[(1, 2), (0, 3)], &[&[initial, 0, 1]]),
            Pattern::Forgotten => (&[(0, 1), (initial, 2)], &[&[initial, 0]]),
        };
        let in_line = !matches!(pattern, Pattern::Swapped | Pattern::Forgotten);
        // Reads of another thread only read.
        if !in_line && nodes.iter().any(|node| node.reads() && node.writes()) {
            return false;
        }
        // A read that is also a write has some place in the order, too.
        let also = (initial - 1..initial).find(|last| !orders[0].contains(last) && nodes[*last].writes());
        let all: Vec<Vec<NodeId>> = match also {
            None => orders.iter().map(|order| order.to_vec()).collect(),
            Some(last) => orders
                .iter()
                .flat_map(|order| {
                    (1..=order.len()).map(move |at| {
                        let mut order = order.to_vec();
                        order.insert(at, last);
                        order
                    })
                })
                .collect(),
        };
        all.iter().all(|order| {
            let events: Vec<Seen> = nodes.iter().enumerate().map(|(id, node)| Seen::of(id, node)).collect();
            self.is_refused(&small(events, in_line, sources, order, self.conventions))
        })
    }

    fn is_refused(&self, proposal: &Proposal) -> bool {
        let model = self.model;
        let ground = Before { proposal, model, co: coherence(model) };
        let mut plain = proposal.evaluation(model);
        for step in &model.steps {
            match step {
                Step::Check { kind: CheckKind::Plain, test, .. }
                    if plain.holds(test).is_ok_and(|holds| !holds)
                        && !derived(&ground, &[], test, &mut plain, 1).is_empty() =>
                {
                    return true;
                }
                Step::With { choice, .. } => bind(model, &mut plain, *choice, Val::Rel(proposal.co())),
                _ => {}
            }
        }
        false
    }
}
