//! A graph with room for more events.

use super::bits::{Bits, none};
use super::code::Code;
use super::graph::Graph;
use super::node::Thread;

impl<'p, const W: usize> Graph<'p, W> {
    /// The same graph, with room for 64 `V` events.
    pub fn widened<const V: usize>(&self, code: &Code) -> Graph<'p, V> {
        let mut graph = Graph::empty(code);
        let n = self.events.len();
        graph.events.clone_from(&self.events);
        graph.stamps[..n].copy_from_slice(&self.stamps[..n]);
        graph.values[..n].copy_from_slice(&self.values[..n]);
        graph.present = wide(&self.present);
        graph.visible = wide(&self.visible);
        graph.initial = wide(&self.initial);
        graph.order.clone_from(&self.order);
        graph.threads = self
            .threads
            .iter()
            .map(|thread| Thread {
                stop: thread.stop.clone(),
                flushed: thread.flushed,
                events: wide(&thread.events),
                last: thread.last,
                spawner: thread.spawner,
                twin: thread.twin,
                inherited: wide(&thread.inherited),
            })
            .collect();
        graph.cells = self.cells.iter().map(wide).collect();
        graph.co.clone_from(&self.co);
        for x in 0..n {
            graph.earlier[x] = wide(&self.earlier[x]);
            graph.co_rows[x] = wide(&self.co_rows[x]);
            graph.instances[x] = wide(&self.instances[x]);
            graph.po[x] = wide(&self.po[x]);
            graph.prefix[x] = wide(&self.prefix[x]);
            graph.inherited[x] = wide(&self.inherited[x]);
        }
        if !self.needs.is_empty() {
            graph.needs = vec![none(); 64 * V];
        }
        graph.pending.clone_from(&self.pending);
        let order = graph.by_prefix();
        graph.fill(code, &order);
        graph
    }
}

pub(super) fn wide<const W: usize, const V: usize>(bits: &Bits<W>) -> Bits<V> {
    let mut all = none();
    bits.iter().zip(&mut all).for_each(|(word, wide)| *wide = *word);
    all
}
