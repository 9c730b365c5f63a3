//! What is left once nothing can refute any completion: listed, or only counted.
//!
//! With all checks entailed the remaining choices are independent of each other. Those that the final state shows are
//! listed; for the others it is enough to know in how many ways they can be made.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::Mode;
use super::problem::Problem;
use super::search::{Branch, Search, State, alternatives};
use crate::relation::rows::{self, Row};

/// Sets of events that counting the completions of one order may look at.
const MAX_DOWNSETS: usize = 1 << 16;

/// Is there nothing left that could refute a completion? Every check and every base of an order is entailed, and all
/// reads that other values depend on are bound.
pub(super) fn is_free<const W: usize>(problem: &Problem, state: &State<W>) -> bool {
    state.open_orders == 0
        && state.open & problem.all_checks == 0
        && problem.value_reads.iter().all(|event| state.values[*event].is_some())
}

/// A choice that the final state shows, or that is left to be listed.
enum Visible {
    /// The source of a read.
    Read(usize),
    /// The last write of an order (by position in `Problem::last_of_order`), and in how many ways the order ends with each.
    Last(usize, Vec<(usize, u64)>),
    /// The final write of a cell.
    Final(usize),
}

impl<const W: usize> Search<'_, '_, W> {
    /// Goes through all completions of a state that is free.
    pub(super) fn complete(&mut self, state: &mut State<W>) -> ControlFlow<()> {
        match self.split(state) {
            Some((ways, visible)) => {
                let mut fixed = state.clone();
                for (read, row) in fixed.candidates.iter_mut().enumerate() {
                    if !self.problem.looked_at[read] {
                        *row = rows::only(rows::lowest(row));
                    }
                }
                for mask in &mut fixed.options {
                    *mask &= mask.wrapping_neg();
                }
                self.count(&mut fixed, &visible, ways)
            }
            None => self.list(state),
        }
    }

    /// The choices that the final state shows, and in how many ways the others can be made (`u64::MAX`: in that many or
    /// more). `None`: every execution must be built.
    fn split(&self, state: &State<W>) -> Option<(u64, Vec<Visible>)> {
        let problem = self.problem;
        #[cfg(test)]
        if self.options.completed.is_some() {
            return None;
        }
        if self.options.max_executions.is_some() || self.plain.is_some() || state.open_flags != 0 {
            return None;
        }
        // Who does not count needs no numbers, which may be too large to have.
        let counting = self.options.mode == Mode::Count;
        let mut ways: u64 = 1;
        let mut visible = Vec::new();
        for (read, row) in state.candidates.iter().enumerate() {
            if rows::count(row) <= 1 {
                continue;
            }
            if problem.looked_at[read] {
                visible.push(Visible::Read(read));
                continue;
            }
            let known = |write| problem.plain_values || self.written(&state.values, write).is_some();
            if !rows::bits(*row).all(known) {
                return None;
            }
            if counting {
                ways = ways.saturating_mul(u64::from(rows::count(row)));
            }
        }
        for mask in state.options.iter().filter(|_| counting) {
            ways = ways.saturating_mul(u64::from(mask.count_ones()));
        }
        for (index, row) in state.finals.iter().enumerate() {
            if rows::count(row) > 1 {
                visible.push(Visible::Final(index));
            }
        }
        for order in &problem.orders {
            let rel = &state.orders[order.choice * self.n..(order.choice + 1) * self.n];
            if self.open_pair(state, order).is_none() {
                continue;
            }
            let here = |last: &usize| {
                let last = &problem.last_of_order[*last];
                last.choice == order.choice && last.writes.iter().any(|write| order.over.contains(write))
            };
            let mut shown = (0..problem.last_of_order.len()).filter(here);
            match (shown.next(), shown.next()) {
                (None, _) if !counting => {}
                (None, _) => ways = ways.saturating_mul(extensions(rel, &order.over)?),
                (Some(last), None) => {
                    let writes = &problem.last_of_order[last].writes;
                    if writes.len() != order.over.len() {
                        return None;
                    }
                    let mut ends = Vec::new();
                    for end in order.over.iter().filter(|end| rows::is_zero(&among(&rel[**end], &order.over)))
                    {
                        let others: Vec<usize> = order.over.iter().filter(|w| *w != end).copied().collect();
                        ends.push((*end, if counting { extensions(rel, &others)? } else { 1 }));
                    }
                    visible.push(Visible::Last(last, ends));
                }
                (Some(_), Some(_)) => return None,
            }
        }
        Some((ways, visible))
    }

    fn count(&mut self, state: &mut State<W>, visible: &[Visible], ways: u64) -> ControlFlow<()> {
        self.sink.graph()?;
        let Some((first, rest)) = visible.split_first() else { return self.leaf(state, ways) };
        match first {
            Visible::Read(read) => {
                let candidates = state.candidates[*read];
                for write in rows::bits(candidates) {
                    state.candidates[*read] = rows::only(Some(write));
                    self.count(state, rest, ways)?;
                }
                state.candidates[*read] = candidates;
            }
            Visible::Final(index) => {
                let finals = state.finals[*index];
                for write in rows::bits(finals) {
                    state.finals[*index] = rows::only(Some(write));
                    self.count(state, rest, ways)?;
                }
                state.finals[*index] = finals;
            }
            Visible::Last(last, ends) => {
                let last = &self.problem.last_of_order[*last];
                let range = last.choice * self.n..(last.choice + 1) * self.n;
                let saved = state.orders[range.clone()].to_vec();
                for (end, number) in ends {
                    // The rest of the order may stay open: only its end is looked at from here on.
                    for other in last.writes.iter().filter(|write| *write != end) {
                        rows::put(&mut state.orders[range.clone()][*other], *end);
                    }
                    self.count(state, rest, ways.saturating_mul(*number))?;
                    state.orders[range.clone()].copy_from_slice(&saved);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Builds every completion, in place.
    fn list(&mut self, state: &mut State<W>) -> ControlFlow<()> {
        match self.branch(state) {
            Branch::Leaf => return self.leaf(state, 1),
            Branch::Read(read) => {
                let candidates = state.candidates[read];
                for write in rows::bits(candidates) {
                    state.candidates[read] = rows::only(Some(write));
                    self.sink.graph()?;
                    self.list(state)?;
                }
                state.candidates[read] = candidates;
            }
            Branch::Option(variable) => {
                let options = state.options[variable];
                for option in alternatives(options) {
                    state.options[variable] = 1 << option;
                    self.sink.graph()?;
                    self.list(state)?;
                }
                state.options[variable] = options;
            }
            Branch::Order(index, a, b) => {
                let choice = self.problem.orders[index].choice;
                let range = choice * self.n..(choice + 1) * self.n;
                let saved = state.orders[range.clone()].to_vec();
                for (from, to) in [(a, b), (b, a)] {
                    if rows::add_closed(&mut state.orders[range.clone()], from, to) {
                        self.sink.graph()?;
                        self.list(state)?;
                    }
                    state.orders[range.clone()].copy_from_slice(&saved);
                }
            }
            Branch::Final(index) => {
                let finals = state.finals[index];
                for write in rows::bits(finals) {
                    state.finals[index] = rows::only(Some(write));
                    self.sink.graph()?;
                    self.list(state)?;
                }
                state.finals[index] = finals;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The part of a row that lies in a list of events.
fn among<const W: usize>(row: &Row<W>, events: &[usize]) -> Row<W> {
    let mut set = rows::zero();
    events.iter().for_each(|event| rows::put(&mut set, *event));
    rows::and(row, &set)
}

/// The number of total orders on `events` that contain a (transitively closed) relation; `u64::MAX` stands for all larger
/// numbers too. `None`: too much work to count them.
fn extensions<const W: usize>(rel: &[Row<W>], events: &[usize]) -> Option<u64> {
    if events.len() > 64 {
        return None;
    }
    let after: Vec<u64> = events
        .iter()
        .map(|a| {
            let later = events.iter().enumerate().filter(|(_, b)| rows::has(&rel[*a], **b));
            later.fold(0, |mask, (position, _)| mask | 1 << position)
        })
        .collect();
    let all = rows::first(events.len());
    let mut known = FxHashMap::default();
    ends_of(all, &after, &mut known)
}

/// Likewise, on a set of positions: the sum over those that can come last.
fn ends_of(set: u64, after: &[u64], known: &mut FxHashMap<u64, u64>) -> Option<u64> {
    if set & set.wrapping_sub(1) == 0 {
        return Some(1);
    }
    if let Some(number) = known.get(&set) {
        return Some(*number);
    }
    let mut number: u64 = 0;
    for position in rows::bits([set]) {
        if after[position] & set == 0 {
            number = number.saturating_add(ends_of(set & !(1 << position), after, known)?);
        }
    }
    if known.len() >= MAX_DOWNSETS {
        return None;
    }
    known.insert(set, number);
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::extensions;
    use crate::relation::rows::{self, Row};

    fn rel(n: usize, pairs: &[(usize, usize)]) -> Vec<Row<1>> {
        let mut rel = vec![rows::zero(); n];
        for (a, b) in pairs {
            assert!(rows::add_closed(&mut rel, *a, *b));
        }
        rel
    }

    #[test]
    fn orders_that_contain_a_relation_are_counted() {
        let all = [0, 1, 2, 3];
        assert_eq!(extensions(&rel(4, &[]), &all), Some(24));
        assert_eq!(extensions(&rel(4, &[(0, 1), (1, 2), (2, 3)]), &all), Some(1));
        assert_eq!(extensions(&rel(4, &[(0, 1), (2, 3)]), &all), Some(6));
        assert_eq!(extensions(&rel(4, &[(0, 1), (0, 2), (0, 3)]), &all), Some(6));
        assert_eq!(extensions(&rel(4, &[(0, 1)]), &[2]), Some(1));
        assert_eq!(extensions(&rel(4, &[(0, 1), (1, 2)]), &[0, 2, 3]), Some(3));
        assert_eq!(extensions(&rel(4, &[]), &[]), Some(1));
    }

    #[test]
    fn what_is_too_large_is_not_counted() {
        let all: Vec<usize> = (0..40).collect();
        assert_eq!(extensions(&rel(40, &[]), &all), None);
        // Three chains of 16: few sets to look at, and more orders than fit.
        let chains: Vec<_> = (0..47).filter(|at| at % 16 != 15).map(|at| (at, at + 1)).collect();
        assert_eq!(extensions(&rel(48, &chains), &(0..48).collect::<Vec<_>>()), Some(u64::MAX));
    }
}
