//! What is known of a proposal that is a path of each thread: the facts that reasons are made of.

use super::graph::{Graph, NodeId};
use super::proposal::{Proposal, Reason};
use super::reason::Ground;
use crate::execution::{Path, World};
use crate::model::{Base, ChoiceId, Model};
use crate::relation::Set;

/// What the walk knows of the proposal.
pub struct Facts<'f> {
    pub model: &'f Model,
    pub graph: &'f Graph,
    pub paths: &'f [Vec<&'f Path>],
    pub world: &'f World,
    pub proposal: &'f Proposal,
    /// The node of each event of the world.
    pub nodes: &'f [NodeId],
    /// The number of each event in its path.
    pub locals: &'f [usize],
    /// The choice of the model that is coherence.
    pub co: Option<ChoiceId>,
    /// Is the order inside an instruction part of program order?
    pub po_inside: bool,
}

impl Ground for Facts<'_> {
    fn model(&self) -> &Model {
        self.model
    }

    fn co(&self) -> Option<ChoiceId> {
        self.co
    }

    fn node(&self, event: usize) -> NodeId {
        self.nodes[event]
    }

    fn thread(&self, event: usize) -> Option<usize> {
        self.graph.nodes[self.nodes[event]].thread
    }

    fn written(&self, event: usize) -> Option<usize> {
        self.graph.nodes[self.nodes[event]].place.filter(|_| self.world.events[event].is_write())
    }

    fn source(&self, read: NodeId) -> Option<NodeId> {
        self.proposal.sources.get(&read).copied()
    }

    fn path_of(&self, thread: usize, reason: &mut Reason) {
        let n = self.graph.threads[thread].ways.len();
        reason.paths.push((thread, Set::of(n, [self.proposal.chosen[thread]])));
    }

    fn n_threads(&self) -> usize {
        self.proposal.chosen.len()
    }

    fn whole(&self) -> Reason {
        self.proposal.whole(self.graph, true)
    }

    fn base(&self, base: &Base, a: usize, b: usize, holds: bool, reason: &mut Reason) {
        let one_thread = self.thread(a).filter(|thread| self.thread(b) == Some(*thread));
        let graph = self.graph;
        match base {
            // Two events by themselves tell.
            Base::Id
            | Base::Int
            | Base::Ext
            | Base::Loc
            | Base::SameInstance
            | Base::SameInstr
            | Base::Instr
            | Base::SameLowOrderBits
            | Base::Si
            | Base::Sm
            | Base::Aligned
            | Base::NextLevel
            | Base::InvDomain
            | Base::Success
            | Base::Tst
            | Base::PartialPo
            | Base::EquivSpec
            | Base::Alias
            | Base::Named(_) => {}
            Base::Po => {
                let Some(thread) = one_thread else { return };
                let [first, second] = [a, b].map(|event| graph.nodes[self.nodes[event]].instance);
                let inside = first == second && self.po_inside;
                if inside && holds {
                    self.prefix(thread, a, b, reason);
                } else if inside || !graph.threads[thread].one_order {
                    self.path_of(thread, reason);
                }
            }
            base if base.is_of_path() => {
                let Some(thread) = one_thread else { return };
                if holds {
                    self.prefix(thread, a, b, reason);
                } else {
                    self.path_of(thread, reason);
                }
            }
            _ => (0..self.n_threads()).for_each(|thread| self.path_of(thread, reason)),
        }
    }
}

impl Facts<'_> {
    /// The thread takes a path that is the same up to the end of the instruction of the later one of two events.
    fn prefix(&self, thread: usize, a: usize, b: usize, reason: &mut Reason) {
        let facts = self;
        let chosen = facts.proposal.chosen[thread];
        let paths = &facts.paths[thread];
        let own = paths[chosen];
        let later = facts.locals[a].max(facts.locals[b]);
        let instance = own.events[later].instance;
        let last =
            own.events.iter().rposition(|event| event.instance == instance).unwrap_or(later).max(later);
        let ways = &facts.graph.threads[thread].ways;
        let same = |other: usize| {
            let path = paths[other];
            other == chosen
                || path.events.len() > last
                    && ways[other].nodes[..=last] == ways[chosen].nodes[..=last]
                    && path.events[..=last]
                        .iter()
                        .zip(&own.events[..=last])
                        .all(|(a, b)| a.value == b.value && a.written == b.written)
                    && same_edges(path, own, last as u32)
        };
        let alike = Set::of(paths.len(), (0..paths.len()).filter(|other| same(*other)));
        reason.paths.push((thread, alike));
    }
}

/// Have two paths the same edges among their first events?
fn same_edges(a: &Path, b: &Path, last: u32) -> bool {
    let among = |list: &[(u32, u32)]| -> Vec<(u32, u32)> {
        let mut list: Vec<(u32, u32)> =
            list.iter().copied().filter(|(from, to)| *from <= last && *to <= last).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let lists = |path: &Path| path.edges.all().map(among);
    lists(a) == lists(b)
}
