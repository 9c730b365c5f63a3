//! The coherence order of a graph: where writes are put, and below which place an event must not go.

use super::bits::{add, and, each, has, is_empty, none, one, remove};
use super::bounds::Floor;
use super::code::{Code, Inside};
use super::graph::Graph;
use super::node::NONE;

impl<const W: usize> Graph<'_, W> {
    /// The place in the coherence order of its cell below which an event must not read or be put.
    pub fn floor(&self, code: &Code, x: usize) -> usize {
        code.floors.iter().map(|floor| self.floor_along(code, floor, x)).max().unwrap_or(0)
    }

    /// Likewise, by one bound.
    fn floor_along(&self, code: &Code, floor: &Floor, x: usize) -> usize {
        let cell = usize::from(self.events[x].cell);
        let order = &self.co[cell];
        let before = and(self.kept.row(code.slots[floor.slot].at, x), &self.cells[cell]);
        let mut lowest = order.iter().rposition(|w| has(&before, usize::from(*w))).unwrap_or(0);
        if floor.through_reads {
            each(&before, |e| {
                let source = self.events[e].source;
                if source != NONE && !order[lowest..].is_empty() {
                    let at = order[lowest..].iter().rposition(|w| *w == source);
                    lowest += at.unwrap_or(0);
                }
            });
        }
        lowest
    }

    /// The place of a write in the coherence order of its cell.
    pub fn position(&self, write: usize) -> Option<usize> {
        let order = &self.co[usize::from(self.events[write].cell)];
        order.iter().rposition(|w| usize::from(*w) == write)
    }

    /// Does a new event respect a bound?
    pub fn respects(&self, code: &Code, floor: &Floor, x: usize) -> bool {
        let node = &self.events[x];
        let lowest = self.floor_along(code, floor, x);
        let reads = !node.is_read() || self.position(usize::from(node.source)).is_none_or(|at| at >= lowest);
        let writes =
            !node.is_write() || self.position(x).is_none_or(|at| at > lowest || node.is_rmw() && at > 0);
        reads && writes
    }

    /// Another read-modify-write (one event) that reads what `update` reads.
    pub fn rival(&self, update: usize) -> Option<usize> {
        let node = &self.events[update];
        let mut rival = None;
        each(&self.cells[usize::from(node.cell)], |e| {
            let other = &self.events[e];
            if e != update && other.is_rmw() && other.source == node.source {
                rival = Some(e);
            }
        });
        rival
    }

    /// Is a write that is the last of its cell also an update of the last one before, if it is an update?
    pub fn is_last_update(&self, write: usize) -> bool {
        let node = &self.events[write];
        let order = &self.co[usize::from(node.cell)];
        !node.is_rmw() || order.iter().rev().nth(1) == Some(&node.source)
    }

    /// Can an event that reads from the last write, or is the last write, be added to any graph? That is what checks on the way have to
    /// allow, unless it is a store-conditional that succeeds, or one of several accesses of an instruction that the model relates.
    pub fn is_quiet(&self, code: &Code, x: usize) -> bool {
        let node = &self.events[x];
        if code.exclusive.is_some_and(|bit| node.members >> bit & 1 == 1) {
            return false;
        }
        match &code.inside {
            Inside::Never => true,
            Inside::Rows(slots) => slots.iter().all(|slot| is_empty(self.kept.row(code.slots[*slot].at, x))),
            Inside::Always => and(&self.instances[x], &self.visible) == one(x),
        }
    }

    /// Puts a write into the coherence order.
    pub fn place(&mut self, write: usize, at: usize) {
        let order = &mut self.co[usize::from(self.events[write].cell)];
        order.insert(at, write as u16);
        let mut row = none();
        order[..at].iter().for_each(|before| add(&mut row, usize::from(*before)));
        for after in &order[at + 1..] {
            add(&mut self.co_rows[usize::from(*after)], write);
        }
        self.co_rows[write] = row;
    }

    /// Takes a write out of the coherence order again.
    pub fn unplace(&mut self, write: usize, at: usize) {
        let order = &mut self.co[usize::from(self.events[write].cell)];
        order.remove(at);
        for after in &order[at..] {
            remove(&mut self.co_rows[usize::from(*after)], write);
        }
        self.co_rows[write] = none();
    }
}
