//! Values that follow from values: where nothing but values is left to be solved, ways to the same values are one from there on.
//!
//! A chain of copies has 2^n executions, and at each link two values. Reads are bound one after the other, each after those
//! that its sources depend on; what is kept between two of them is which values those can have that matter later, and in how many ways.

use rustc_hash::FxHashMap;

use super::choices::State;
use super::free::Visible;
use super::search::Search;
use crate::limits;
use crate::outcome::Count;
use crate::program::Value;
use crate::relation::rows::{self, Row};

/// More combinations of values at once than this are better searched for.
const MAX_CLASSES: usize = 4096;

/// Ways to bind the reads so far that lead to the same values, as far as these matter later.
#[derive(Clone)]
struct Class<const W: usize> {
    /// One of these ways.
    candidates: Vec<Row<W>>,
    values: Vec<Option<Value>>,
    ways: Count,
}

/// A state in which every value is known, in how many ways it is reached, and what is left to choose.
pub(super) struct Solved<const W: usize> {
    pub state: State<W>,
    pub ways: Count,
    pub visible: Vec<Visible>,
}

impl<const W: usize> Search<'_, '_, W> {
    /// All combinations of values that complete a state in which nothing else is left to be solved. `None`: that is not so, or there are too many.
    pub(super) fn follow_values(&mut self, state: &State<W>) -> Option<Vec<Solved<W>>> {
        if !state.is_settled() || self.builds_all(state) || self.chains_failed > 3 {
            return None;
        }
        let solved = self.solve_all(state);
        match solved {
            Some(_) => self.chains_failed = 0,
            None => self.chains_failed += 1,
        }
        solved
    }

    fn solve_all(&mut self, state: &State<W>) -> Option<Vec<Solved<W>>> {
        let problem = self.problem;
        let order = self.by_dependence(state)?;
        let matters = self.matter_at_the_end(&state.candidates);
        let first =
            Class { candidates: state.candidates.clone(), values: state.values.clone(), ways: Count::ONE };
        let mut classes = vec![first];
        for (at, read) in order.iter().enumerate() {
            limits::poll();
            let later = self.matter_after(state, &order[at + 1..]);
            let known: Vec<usize> = order[..=at].iter().map(|read| problem.reads[*read].event).collect();
            let live: Vec<usize> =
                known.into_iter().filter(|event| matters[*event] || later[*event]).collect();
            let mut next: FxHashMap<Vec<Option<Value>>, Class<W>> = FxHashMap::default();
            for class in classes {
                for write in rows::bits(class.candidates[*read]) {
                    let value = self.written(&class.values, write)?;
                    let mut values = class.values.clone();
                    values[problem.reads[*read].event] = Some(value);
                    if !self.meets_constraints(&values, problem.reads[*read].event) {
                        continue;
                    }
                    let key = live.iter().map(|event| values[*event]).collect();
                    let ways = &class.ways;
                    next.entry(key).and_modify(|same| same.ways += ways).or_insert_with(|| {
                        let mut candidates = class.candidates.clone();
                        candidates[*read] = rows::only(Some(write));
                        Class { candidates, values, ways: ways.clone() }
                    });
                }
            }
            if next.len() > MAX_CLASSES {
                return None;
            }
            classes = next.into_values().collect();
        }
        classes
            .into_iter()
            .map(|class| {
                let mut state = state.clone();
                state.candidates = class.candidates;
                state.values = class.values;
                let (ways, visible) = self.split(&state)?;
                Some(Solved { state, ways: &ways * &class.ways, visible })
            })
            .collect()
    }

    /// The reads that values depend on and that are not bound yet, each after those that its sources depend on. `None`: they depend on
    /// themselves.
    fn by_dependence(&self, state: &State<W>) -> Option<Vec<usize>> {
        let problem = self.problem;
        let open = |event: &usize| state.values[*event].is_none();
        let number = |event: usize| problem.reads.iter().position(|read| read.event == event);
        let mut left: Vec<usize> = problem
            .value_reads
            .iter()
            .filter(|event| open(event))
            .filter_map(|event| number(*event))
            .collect();
        let mut order = Vec::with_capacity(left.len());
        let mut unknown = vec![false; problem.n_values];
        left.iter().for_each(|read| unknown[problem.reads[*read].event] = true);
        while !left.is_empty() {
            limits::poll();
            let before = left.len();
            left.retain(|read| {
                let mut sources = rows::bits(state.candidates[*read]);
                let waits = sources.any(|write| self.depends_on(write).iter().any(|event| unknown[*event]));
                if !waits {
                    unknown[problem.reads[*read].event] = false;
                    order.push(*read);
                }
                waits
            });
            if left.len() == before {
                return None;
            }
        }
        Some(order)
    }

    /// The reads that the value of a write depends on.
    pub(super) fn depends_on(&self, write: usize) -> Vec<usize> {
        let event = self.problem.code.numbering.kept[write];
        let value = self.problem.world.events[event].written_value();
        value.map(|value| value.reads().into_iter().map(|read| read as usize).collect()).unwrap_or_default()
    }

    /// The reads whose values the final state may show.
    pub(super) fn matter_at_the_end(&self, candidates: &[Row<W>]) -> Vec<bool> {
        let problem = self.problem;
        let mut matter = vec![false; problem.n_values];
        let mut sources: Vec<usize> = Vec::new();
        for (read, shown) in problem.looked_at.iter().enumerate() {
            if *shown {
                matter[problem.reads[read].event] = true;
                sources.extend(rows::bits(candidates[read]));
            }
        }
        for last in problem.finals.iter().chain(&problem.last_of_order) {
            sources.extend(last.writes.iter().copied());
        }
        sources.into_iter().flat_map(|write| self.depends_on(write)).for_each(|event| matter[event] = true);
        matter
    }

    /// The reads whose values matter for those that are bound later, or for constraints that these are in.
    fn matter_after(&self, state: &State<W>, later: &[usize]) -> Vec<bool> {
        let problem = self.problem;
        let mut matter = vec![false; problem.n_values];
        for read in later {
            for write in rows::bits(state.candidates[*read]) {
                self.depends_on(write).into_iter().for_each(|event| matter[event] = true);
            }
        }
        let is_later = |event: &usize| later.iter().any(|read| problem.reads[*read].event == *event);
        for constraint in problem.constraints.iter().filter(|c| c.reads.iter().any(is_later)) {
            constraint.reads.iter().for_each(|event| matter[*event] = true);
        }
        matter
    }

    /// Do the constraints hold that this read is in, as far as their values are known?
    fn meets_constraints(&self, values: &[Option<Value>], event: usize) -> bool {
        let about = self.problem.constraints.iter().filter(|c| c.reads.contains(&event));
        about
            .filter(|c| c.reads.iter().all(|read| values[*read].is_some()))
            .all(|constraint| self.satisfied(values, constraint))
    }
}
