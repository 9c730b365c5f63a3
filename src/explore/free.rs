//! What is left once nothing can refute any completion: listed, or only counted.
//!
//! With all checks entailed the remaining choices are independent of each other. Those that the final state shows are
//! listed; for the others it is enough to know in how many ways they can be made.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::Mode;
use super::choices::{State, alternatives};
use super::problem::Problem;
use super::search::{Branch, Search};
use crate::limits;
use crate::outcome::Count;
use crate::relation::rows::{self, Row};

/// Sets of events that counting the completions of one order may look at.
const MAX_DOWNSETS: usize = 1 << 16;

/// Is there nothing left that could refute a completion? Every check and every base of an order is entailed, and all
/// reads that other values depend on are bound.
pub(super) fn is_free<const W: usize>(problem: &Problem, state: &State<W>) -> bool {
    state.is_settled() && problem.value_reads.iter().all(|event| state.values[*event].is_some())
}

/// A choice that the final state shows, or that is left to be listed.
pub(super) enum Visible {
    /// The source of a read.
    Read(usize),
    /// The last write of an order (by position in `Problem::last_of_order`), and in how many ways the order ends with each.
    Last(usize, Vec<(usize, Count)>),
    /// The final write of a cell.
    Final(usize),
}

impl<const W: usize> Search<'_, '_, W> {
    /// Goes through all completions of a state that is free.
    pub(super) fn complete(&mut self, state: &mut State<W>) -> ControlFlow<()> {
        match self.split(state) {
            Some((ways, visible)) => {
                self.counted_from = self.sink.keeps.is_some().then(|| state.candidates.clone());
                let flow = self.count_from(state, &visible, &ways);
                self.counted_from = None;
                flow
            }
            None => self.list(state),
        }
    }

    /// Goes through the choices that the final state shows, each with so many ways to make the others.
    pub(super) fn count_from(
        &mut self,
        state: &State<W>,
        visible: &[Visible],
        ways: &Count,
    ) -> ControlFlow<()> {
        let mut fixed = state.clone();
        for (read, row) in fixed.candidates.iter_mut().enumerate() {
            if !self.problem.looked_at[read] {
                *row = rows::only(rows::lowest(row));
            }
        }
        for mask in &mut fixed.options {
            *mask &= mask.wrapping_neg();
        }
        self.count(&mut fixed, visible, ways)
    }

    /// Must every execution be built?
    pub(super) fn builds_all(&self, state: &State<W>) -> bool {
        #[cfg(test)]
        if self.options.completed.is_some() {
            return true;
        }
        self.options.max_executions.is_some() || self.plain.is_some() || !state.open_flags.is_empty()
    }

    /// The choices that the final state shows, and in how many ways the others can be made. `None`: every execution must be built.
    pub(super) fn split(&self, state: &State<W>) -> Option<(Count, Vec<Visible>)> {
        let problem = self.problem;
        if self.builds_all(state) {
            return None;
        }
        // Who does not count needs no numbers.
        let counting = self.options.mode == Mode::Count;
        let mut ways = Count::ONE;
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
                ways = &ways * u64::from(rows::count(row));
            }
        }
        for mask in state.options.iter().filter(|_| counting) {
            ways = &ways * u64::from(mask.count_ones());
        }
        for (index, row) in state.finals.iter().enumerate() {
            if rows::count(row) > 1 {
                visible.push(Visible::Final(index));
            }
        }
        for order in &problem.orders {
            let rel = state.order(order.choice);
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
                (None, _) => ways = &ways * &extensions(rel, &order.over)?,
                (Some(last), None) => {
                    let writes = &problem.last_of_order[last].writes;
                    if writes.len() != order.over.len() {
                        return None;
                    }
                    let mut ends = Vec::new();
                    for end in order.over.iter().filter(|end| rows::is_zero(&among(&rel[**end], &order.over)))
                    {
                        let others: Vec<usize> = order.over.iter().filter(|w| *w != end).copied().collect();
                        ends.push((*end, if counting { extensions(rel, &others)? } else { Count::ONE }));
                    }
                    visible.push(Visible::Last(last, ends));
                }
                (Some(_), Some(_)) => return None,
            }
        }
        Some((ways, visible))
    }

    fn count(&mut self, state: &mut State<W>, visible: &[Visible], ways: &Count) -> ControlFlow<()> {
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
                let saved = state.order(last.choice).to_vec();
                for (end, number) in ends {
                    // The rest of the order may stay open: only its end is looked at from here on.
                    for other in last.writes.iter().filter(|write| *write != end) {
                        rows::put(&mut state.order_mut(last.choice)[*other], *end);
                    }
                    self.count(state, rest, &(ways * number))?;
                    state.order_mut(last.choice).copy_from_slice(&saved);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Builds every completion, in place.
    fn list(&mut self, state: &mut State<W>) -> ControlFlow<()> {
        if !self.is_asked(state) {
            return ControlFlow::Continue(());
        }
        match self.branch(state) {
            Branch::Leaf => return self.leaf(state, &Count::ONE),
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
                let saved = state.order(choice).to_vec();
                for (from, to) in [(a, b), (b, a)] {
                    if rows::add_closed(state.order_mut(choice), from, to) {
                        self.sink.graph()?;
                        self.list(state)?;
                    }
                    state.order_mut(choice).copy_from_slice(&saved);
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

/// The number of total orders on `events` that contain a (transitively closed) relation. `None`: too much work to count them.
fn extensions<const W: usize>(rel: &[Row<W>], events: &[usize]) -> Option<Count> {
    let mut set = rows::zero();
    events.iter().for_each(|event| rows::put(&mut set, *event));
    let mut near = rel.to_vec();
    for event in events {
        rows::bits(rows::and(&rel[*event], &set)).for_each(|later| rows::put(&mut near[later], *event));
    }
    Counter { after: rel, near, known: FxHashMap::default() }.count(set)
}

/// Counts the orders of sets of events.
struct Counter<'c, const W: usize> {
    /// What must come after each event.
    after: &'c [Row<W>],
    /// What must come after or before it.
    near: Vec<Row<W>>,
    /// Counted already.
    known: FxHashMap<Row<W>, Count>,
}

impl<const W: usize> Counter<'_, W> {
    fn count(&mut self, mut set: Row<W>) -> Option<Count> {
        limits::poll();
        // What comes before everything else (an initial write) does not matter.
        while let Some(first) = rows::bits(set).find(|at| self.is_first(*at, &set)) {
            rows::drop_bit(&mut set, first);
        }
        if rows::is_zero(&set) {
            return Some(Count::ONE);
        }
        if let Some(number) = self.known.get(&set) {
            return Some(number.clone());
        }
        let part = self.connected(&set);
        let number = if part == set {
            self.by_ends(set)?
        } else {
            // Two parts that have nothing to do with each other: orders of each, shuffled.
            let orders = &self.count(part)? * &self.count(rows::and_not(&set, &part))?;
            &orders * &Count::binomial(rows::count(&set), rows::count(&part))
        };
        if self.known.len() >= MAX_DOWNSETS {
            return None;
        }
        self.known.insert(set, number.clone());
        Some(number)
    }

    /// Is an event of a set before all others of it?
    fn is_first(&self, event: usize, set: &Row<W>) -> bool {
        let mut others = rows::and_not(set, &self.after[event]);
        rows::drop_bit(&mut others, event);
        rows::is_zero(&others)
    }

    /// The sum over those that can come last.
    fn by_ends(&mut self, set: Row<W>) -> Option<Count> {
        let mut number = Count::ZERO;
        for event in rows::bits(set) {
            if rows::is_zero(&rows::and(&self.after[event], &set)) {
                let mut others = set;
                rows::drop_bit(&mut others, event);
                number += self.count(others)?;
            }
        }
        Some(number)
    }

    /// The part of a set that its first event is connected to.
    fn connected(&self, set: &Row<W>) -> Row<W> {
        let mut part = rows::only(rows::lowest(set));
        loop {
            let near =
                rows::bits(part).fold(part, |near, at| rows::or(&near, &rows::and(&self.near[at], set)));
            if near == part {
                return part;
            }
            part = near;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::extensions;
    use crate::outcome::Count;
    use crate::relation::rows::{self, Row};

    fn count(number: u64) -> Count {
        Count::from(number)
    }

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
        assert_eq!(extensions(&rel(4, &[]), &all), Some(count(24)));
        assert_eq!(extensions(&rel(4, &[(0, 1), (1, 2), (2, 3)]), &all), Some(count(1)));
        assert_eq!(extensions(&rel(4, &[(0, 1), (2, 3)]), &all), Some(count(6)));
        assert_eq!(extensions(&rel(4, &[(0, 1), (0, 2), (0, 3)]), &all), Some(count(6)));
        assert_eq!(extensions(&rel(4, &[(0, 1)]), &[2]), Some(count(1)));
        assert_eq!(extensions(&rel(4, &[(0, 1), (1, 2)]), &[0, 2, 3]), Some(count(3)));
        assert_eq!(extensions(&rel(4, &[]), &[]), Some(count(1)));
    }

    /// Counts by trying them all.
    fn listed(rel: &[Row<1>], left: u64) -> u64 {
        if left == 0 {
            return 1;
        }
        let ends = rows::bits([left]).filter(|at| rel[*at][0] & left == 0);
        ends.map(|at| listed(rel, left & !(1 << at))).sum()
    }

    #[test]
    fn counting_is_as_good_as_listing() {
        let mut seed = 1u64;
        for _ in 0..300 {
            let mut rel: Vec<Row<1>> = vec![rows::zero(); 7];
            for _ in 0..6 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (a, b) = ((seed >> 40) as usize % 7, (seed >> 50) as usize % 7);
                rows::add_closed(&mut rel, a, b);
            }
            let all: Vec<usize> = (0..7).collect();
            assert_eq!(extensions(&rel, &all), Some(count(listed(&rel, rows::first(7)))), "{rel:?}");
        }
    }

    #[test]
    fn however_many_there_are() {
        let all: Vec<usize> = (0..40).collect();
        let factorial = |n: u64| (1..=n).fold(Count::ONE, |product, factor| &product * factor);
        assert_eq!(extensions(&rel(40, &[]), &all), Some(factorial(40)));
        assert_eq!(extensions(&rel(40, &[]), &all[..20]), Some(factorial(20)));
        let wide: Vec<Row<3>> = vec![rows::zero(); 150];
        assert_eq!(extensions(&wide, &(0..150).collect::<Vec<_>>()), Some(factorial(150)));
        // Each of twenty before each of the others but one: connected, and without a structure that would help.
        let tangled: Vec<_> =
            (0..400).map(|at| (at / 20, 20 + at % 20)).filter(|(a, b)| a + 20 != *b).collect();
        assert_eq!(extensions(&rel(40, &tangled), &all), None);
        // Three chains of 16: few sets to look at.
        let chains: Vec<_> = (0..47).filter(|at| at % 16 != 15).map(|at| (at, at + 1)).collect();
        assert_eq!(
            extensions(&rel(48, &chains), &(0..48).collect::<Vec<_>>()),
            "1355345464406015082330".parse().ok()
        );
    }
}
