//! The cheapest set that has something of every one of some sets: a small exact solver.

/// Which sets must be hit, and what that costs.
#[derive(Clone, Debug, Default)]
pub struct Hitting {
    costs: Vec<u32>,
    /// Of each of these, at least one.
    clauses: Vec<Vec<usize>>,
    /// Of each of these, not all.
    refused: Vec<Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    In,
    Out,
}

impl Hitting {
    /// Elements with these costs, and nothing to hit yet. A cost of 0 counts as 1: an optimum has nothing in it that can be left out.
    pub fn new(costs: &[u32]) -> Hitting {
        let costs = costs.iter().map(|cost| (*cost).max(1)).collect();
        Hitting { costs, clauses: Vec::new(), refused: Vec::new() }
    }

    /// At least one of these.
    pub fn hit(&mut self, mut clause: Vec<usize>) {
        clause.sort_by_key(|element| (self.costs[*element], *element));
        clause.dedup();
        // What holds of fewer holds of more.
        self.clauses.retain(|known| !clause.iter().all(|element| known.contains(element)));
        self.clauses.push(clause);
    }

    /// Not all of these together.
    pub fn refuse(&mut self, set: Vec<usize>) {
        self.refused.push(set);
    }

    /// What a set costs.
    pub fn cost(&self, set: &[usize]) -> u64 {
        set.iter().map(|element| u64::from(self.costs[*element])).sum()
    }

    /// A cheapest set, in ascending order; the same one for the same question. `None`: there is none.
    pub fn cheapest(&self) -> Option<Vec<usize>> {
        let mut search = Search {
            problem: self,
            status: vec![Status::Open; self.costs.len()],
            picked: Vec::new(),
            spent: 0,
            best: None,
        };
        search.descend();
        let (_, mut best) = search.best?;
        best.sort_unstable();
        Some(best)
    }
}

struct Search<'h> {
    problem: &'h Hitting,
    status: Vec<Status>,
    picked: Vec<usize>,
    spent: u64,
    best: Option<(u64, Vec<usize>)>,
}

impl Search<'_> {
    fn descend(&mut self) {
        crate::limits::poll();
        let mut open: Vec<Vec<usize>> = Vec::new();
        for clause in &self.problem.clauses {
            if clause.iter().any(|element| self.status[*element] == Status::In) {
                continue;
            }
            let left: Vec<usize> =
                clause.iter().copied().filter(|element| self.status[*element] == Status::Open).collect();
            if left.is_empty() {
                return;
            }
            open.push(left);
        }
        open.sort_by_key(Vec::len);
        if let Some((best, _)) = &self.best
            && self.spent + self.still_to_pay(&open) >= *best
        {
            return;
        }
        let Some(clause) = open.first().cloned() else {
            let all_of = |set: &Vec<usize>| set.iter().all(|element| self.status[*element] == Status::In);
            if !self.problem.refused.iter().any(all_of) {
                self.best = Some((self.spent, self.picked.clone()));
            }
            return;
        };
        // The first of them, or not that one but the second, and so on.
        for element in &clause {
            let cost = u64::from(self.problem.costs[*element]);
            self.status[*element] = Status::In;
            self.picked.push(*element);
            self.spent += cost;
            self.descend();
            self.spent -= cost;
            self.picked.pop();
            self.status[*element] = Status::Out;
        }
        clause.iter().for_each(|element| self.status[*element] = Status::Open);
    }

    /// At least so much more: clauses that share nothing must each be paid for.
    fn still_to_pay(&self, open: &[Vec<usize>]) -> u64 {
        let mut used = vec![false; self.status.len()];
        let mut sum = 0;
        for clause in open {
            if clause.iter().any(|element| used[*element]) {
                continue;
            }
            clause.iter().for_each(|element| used[*element] = true);
            sum += clause.iter().map(|element| u64::from(self.problem.costs[*element])).min().unwrap_or(0);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_cannot_be_hit_has_no_answer() {
        let mut hitting = Hitting::new(&[1, 1]);
        assert_eq!(hitting.cheapest(), Some(vec![]));
        hitting.hit(vec![0, 1]);
        assert_eq!(hitting.cheapest(), Some(vec![0]));
        hitting.refuse(vec![0]);
        assert_eq!(hitting.cheapest(), Some(vec![1]));
        hitting.hit(vec![]);
        assert_eq!(hitting.cheapest(), None);
    }

    proptest! {
        #[test]
        fn as_cheap_as_trying_all(
            costs in prop::collection::vec(1u32..6, 1..9),
            clauses in prop::collection::vec(prop::collection::vec(0usize..8, 1..5), 0..9),
            refused in prop::collection::vec(prop::collection::vec(0usize..8, 1..3), 0..3),
        ) {
            let n = costs.len();
            let within = |sets: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
                sets.into_iter().map(|set| set.into_iter().map(|e| e % n).collect()).collect()
            };
            let (clauses, refused) = (within(clauses), within(refused));
            let mut hitting = Hitting::new(&costs);
            clauses.iter().for_each(|clause| hitting.hit(clause.clone()));
            refused.iter().for_each(|set| hitting.refuse(set.clone()));
            let has = |set: u32, element: &usize| set >> element & 1 == 1;
            let cost = |set: u32| (0..n).filter(|e| has(set, e)).map(|e| u64::from(costs[e])).sum::<u64>();
            // Supersets of what is refused are refused, so the cheapest that is not is what is asked for.
            let expected = (0..1u32 << n)
                .filter(|set| clauses.iter().all(|clause| clause.iter().any(|e| has(*set, e))))
                .filter(|set| !refused.iter().any(|not| not.iter().all(|e| has(*set, e))))
                .map(cost)
                .min();
            prop_assert_eq!(hitting.cheapest().map(|set| hitting.cost(&set)), expected);
        }
    }
}
