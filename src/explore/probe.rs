//! How large is what is left to search? By walks from the root to a leaf that take one alternative at random: a walk that had so many alternatives at each
//! step stands for their product. (D. E. Knuth, Estimating the efficiency of backtrack programs, 1975.)

use super::choices::{State, alternatives};
use super::free::{Visible, is_free};
use super::search::{Branch, Search};
use super::unit::Decision;
use crate::outcome::Count;
use crate::relation::rows;

/// splitmix64: small, and the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ z >> 31) * n as u128) >> 64) as usize
    }
}

/// What one walk says of a tree. Its mean over all walks is the truth.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Walk {
    /// Graphs that are visited.
    pub graphs: f64,
    /// Executions that are found.
    pub executions: f64,
}

impl<const W: usize> Search<'_, '_, W> {
    /// Walks down from where the search begins.
    pub(super) fn walk(&mut self, random: &mut Random) -> Walk {
        let mut state = self.states[0].clone();
        let mut walk = Walk::default();
        let mut weight = 1.0;
        loop {
            walk.graphs += weight;
            // What other walks have met must not tell this one where to go.
            self.shared = true;
            let Some(branch) = self.propagate(&mut state) else { return walk };
            let free = if is_free(self.problem, &state) { self.split(&state) } else { None };
            if let Some((ways, visible)) = free {
                return self.walk_free(state, &visible, (weight, ways.as_f64()), walk, random);
            }
            if let Some(mut solved) = self.follow_values(&state) {
                if solved.is_empty() {
                    return walk;
                }
                weight *= solved.len() as f64;
                let one = solved.swap_remove(random.below(solved.len()));
                return self.walk_free(one.state, &one.visible, (weight, one.ways.as_f64()), walk, random);
            }
            let ways = self.alternatives(&state, branch);
            if ways.is_empty() {
                walk.executions += weight * self.count_leaf(&mut state);
                return walk;
            }
            weight *= ways.len() as f64;
            if self.decide(&mut state, ways[random.below(ways.len())]) != Some(true) {
                return walk;
            }
        }
    }

    /// Goes on where all that is left is to list what the final state shows.
    fn walk_free(
        &mut self,
        mut state: State<W>,
        visible: &[Visible],
        (mut weight, mut ways): (f64, f64),
        mut walk: Walk,
        random: &mut Random,
    ) -> Walk {
        for (read, row) in state.candidates.iter_mut().enumerate() {
            if !self.problem.looked_at[read] {
                *row = rows::only(rows::lowest(row));
            }
        }
        for mask in &mut state.options {
            *mask &= mask.wrapping_neg();
        }
        for choice in visible {
            walk.graphs += weight;
            match choice {
                Visible::Read(read) => weight *= pick(&mut state.candidates[*read], random),
                Visible::Final(index) => weight *= pick(&mut state.finals[*index], random),
                Visible::Last(last, ends) => {
                    if ends.is_empty() {
                        return walk;
                    }
                    let last = &self.problem.last_of_order[*last];
                    weight *= ends.len() as f64;
                    let (end, number) = &ends[random.below(ends.len())];
                    ways *= number.as_f64();
                    let rel = state.order_mut(last.choice);
                    last.writes
                        .iter()
                        .filter(|write| *write != end)
                        .for_each(|write| rows::put(&mut rel[*write], *end));
                }
            }
        }
        walk.graphs += weight;
        walk.executions += weight * ways * self.count_leaf(&mut state);
        walk
    }

    /// How many executions a leaf is: none, if its values contradict each other or nobody asks for it.
    fn count_leaf(&mut self, state: &mut State<W>) -> f64 {
        let before = self.sink.outcome.stats.executions.clone();
        let _ = self.leaf(state, &Count::ONE);
        (&self.sink.outcome.stats.executions - &before).as_f64()
    }

    /// What can be decided next.
    fn alternatives(&self, state: &State<W>, branch: Branch) -> Vec<Decision> {
        let numbered = |make: &dyn Fn(u32) -> Decision, all: &mut dyn Iterator<Item = usize>| {
            all.map(|one| make(one as u32)).collect()
        };
        match branch {
            Branch::Leaf => Vec::new(),
            Branch::Read(read) => {
                numbered(&|write| Decision::Read(read as u32, write), &mut rows::bits(state.candidates[read]))
            }
            Branch::Option(variable) => numbered(
                &|option| Decision::Option(variable as u32, option),
                &mut alternatives(state.options[variable]),
            ),
            Branch::Order(index, a, b) => [(a, b), (b, a)]
                .map(|(from, to)| Decision::Order(index as u32, from as u32, to as u32))
                .to_vec(),
            Branch::Final(index) => {
                numbered(&|write| Decision::Final(index as u32, write), &mut rows::bits(state.finals[index]))
            }
        }
    }

    /// The decisions with which the search goes on from where it begins; none: there is nothing to share out.
    pub(super) fn children(&mut self) -> Vec<Decision> {
        let mut state = self.states[0].clone();
        self.shared = true;
        let Some(branch) = self.propagate(&mut state) else { return Vec::new() };
        if is_free(self.problem, &state) && self.split(&state).is_some_and(|(_, visible)| visible.is_empty())
        {
            return Vec::new();
        }
        self.alternatives(&state, branch)
    }
}

/// Keeps one of a row at random; of how many.
fn pick<const W: usize>(row: &mut rows::Row<W>, random: &mut Random) -> f64 {
    let all: Vec<usize> = rows::bits(*row).collect();
    if all.is_empty() {
        return 0.0;
    }
    *row = rows::only(Some(all[random.below(all.len())]));
    all.len() as f64
}
