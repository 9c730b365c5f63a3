//! Implicit hitting sets: which of many changes are needed, without trying all of their sets.
//!
//! A set of changes that does not make the property hold is made as large as it can be while the property still fails. Whatever makes the
//! property hold has, then, a change outside that set: one clause more. A solver proposes the cheapest set that hits all clauses, a
//! run of the changed program accepts or refutes it. What is accepted is an optimum, as nothing cheaper hits what must be hit.
//!
//! This takes for granted that changes do not undo each other: with one change more, what held still holds.

use super::hitting::Hitting;
use crate::limits;

/// What running a changed program says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// It does not.
    Fails,
    /// Nobody knows, and why: a limit was hit, or the program cannot be run.
    Unknown(String),
}

/// Whoever can change the program and run it.
pub trait Judge {
    /// Does the property hold with these changes?
    fn judge(&mut self, changes: &[usize]) -> Verdict;

    /// Does a change do nothing where these have been made?
    fn covered(&self, change: usize, by: &[usize]) -> bool {
        by.contains(&change)
    }
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It holds as it is.
    Already,
    /// Not even all changes together make it hold.
    Impossible,
    /// The optima: the cheapest sets; one of them unless all were asked for.
    Optimal(Vec<Vec<usize>>),
    /// The search ended early.
    Stopped {
        /// Why.
        why: String,
        /// No set cheaper than this makes it hold.
        at_least: u64,
        /// The cheapest set known that does.
        known: Option<Vec<usize>>,
    },
}

/// What was found, and by how much work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Searched {
    /// What.
    pub answer: Answer,
    /// How many changed programs were run.
    pub runs: usize,
    /// How many counterexamples it took.
    pub clauses: usize,
}

/// The cheapest sets of changes that make the property hold. `all`: every one of them. `exhaustive`: nothing is taken for granted; every cheaper
/// set is run.
pub fn search(costs: &[u32], judge: &mut dyn Judge, all: bool, exhaustive: bool) -> Searched {
    let mut search = Search {
        judge,
        hitting: Hitting::new(costs),
        fails: Vec::new(),
        holds: Vec::new(),
        runs: 0,
        clauses: 0,
    };
    let found = search.run(costs.len(), all).and_then(|answer| match exhaustive {
        true => search.cheaper(answer, costs),
        false => Ok(answer),
    });
    let answer = found.unwrap_or_else(|why| Answer::Stopped {
        why,
        at_least: search.hitting.cheapest().map_or(0, |set| search.hitting.cost(&set)),
        known: search.holds.iter().min_by_key(|set| search.hitting.cost(set)).cloned(),
    });
    Searched { answer, runs: search.runs, clauses: search.clauses }
}

struct Search<'j> {
    judge: &'j mut dyn Judge,
    hitting: Hitting,
    /// Sets known to be too small, and known to be enough.
    fails: Vec<Vec<usize>>,
    holds: Vec<Vec<usize>>,
    runs: usize,
    clauses: usize,
}

impl Search<'_> {
    fn run(&mut self, n: usize, all: bool) -> Result<Answer, String> {
        if !self.fails(&[])? {
            return Ok(Answer::Already);
        }
        let everything: Vec<usize> = (0..n).collect();
        if self.fails(&everything)? {
            return Ok(Answer::Impossible);
        }
        let mut optima: Vec<Vec<usize>> = Vec::new();
        while let Some(proposed) = self.hitting.cheapest() {
            if let Some(best) = optima.first()
                && self.hitting.cost(&proposed) > self.hitting.cost(best)
            {
                break;
            }
            if self.fails(&proposed)? {
                let grown = self.grown(proposed, &everything)?;
                let outside =
                    everything.iter().filter(|change| !self.judge.covered(**change, &grown)).copied();
                self.hitting.hit(outside.collect());
                self.clauses += 1;
                continue;
            }
            self.hitting.refuse(proposed.clone());
            optima.push(proposed);
            if !all {
                break;
            }
        }
        Ok(Answer::Optimal(optima))
    }

    /// Every set that costs less than what was found: the cheapest that holds after all, if there is one.
    fn cheaper(&mut self, answer: Answer, costs: &[u32]) -> Result<Answer, String> {
        let Answer::Optimal(optima) = &answer else { return Ok(answer) };
        let mut least = optima.first().map_or(0, |best| self.hitting.cost(best));
        let mut found = None;
        let mut open: Vec<(Vec<usize>, u64, usize)> = vec![(Vec::new(), 0, 0)];
        while let Some((set, cost, next)) = open.pop() {
            for (change, price) in costs.iter().enumerate().skip(next) {
                let more = cost + u64::from((*price).max(1));
                if more < least {
                    let mut larger = set.clone();
                    larger.push(change);
                    self.runs += 1;
                    if limits::catch(|| self.judge.judge(&larger)) == Ok(Verdict::Holds) {
                        least = more;
                        found = Some(larger.clone());
                    }
                    open.push((larger, more, change + 1));
                }
            }
        }
        Ok(found.map_or(answer, |set| Answer::Optimal(vec![set])))
    }

    /// As large a set as possible with which the property still fails.
    fn grown(&mut self, set: Vec<usize>, everything: &[usize]) -> Result<Vec<usize>, String> {
        let mut set = set;
        let left: Vec<usize> =
            everything.iter().filter(|change| !self.judge.covered(**change, &set)).copied().collect();
        self.add(&mut set, &left)?;
        Ok(set)
    }

    /// Adds what can be added, half of it at a time.
    fn add(&mut self, set: &mut Vec<usize>, more: &[usize]) -> Result<(), String> {
        if more.is_empty() {
            return Ok(());
        }
        let mut larger: Vec<usize> = set.iter().chain(more).copied().collect();
        larger.sort_unstable();
        larger.dedup();
        if self.fails(&larger)? {
            *set = larger;
            return Ok(());
        }
        if let [_] = more {
            return Ok(());
        }
        let (first, second) = more.split_at(more.len() / 2);
        self.add(set, first)?;
        self.add(set, second)
    }

    /// Does the property fail with these changes? What follows from what is known is not run.
    fn fails(&mut self, set: &[usize]) -> Result<bool, String> {
        let part = |small: &[usize], large: &[usize]| small.iter().all(|change| large.contains(change));
        if self.fails.iter().any(|known| part(set, known)) {
            return Ok(true);
        }
        if self.holds.iter().any(|known| part(known, set)) {
            return Ok(false);
        }
        self.runs += 1;
        match limits::catch(|| self.judge.judge(set)) {
            Ok(Verdict::Holds) => {
                self.holds.push(set.to_vec());
                Ok(false)
            }
            Ok(Verdict::Fails) => {
                self.fails.push(set.to_vec());
                Ok(true)
            }
            Ok(Verdict::Unknown(why)) => Err(why),
            Err(limits::Stopped::Time) => Err("the time limit was reached".to_string()),
            Err(limits::Stopped::Memory) => Err("the memory limit was reached".to_string()),
            Err(limits::Stopped::Interrupt) => Err("interrupted".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A property that holds where one of these sets is all there.
    struct Known(Vec<Vec<usize>>);

    impl Known {
        fn enough(&self, changes: &[usize]) -> bool {
            self.0.iter().any(|set| set.iter().all(|change| changes.contains(change)))
        }
    }

    impl Judge for Known {
        fn judge(&mut self, changes: &[usize]) -> Verdict {
            match self.enough(changes) {
                true => Verdict::Holds,
                false => Verdict::Fails,
            }
        }
    }

    proptest! {
        #[test]
        fn all_optima_and_no_others(
            costs in prop::collection::vec(1u32..5, 1..8),
            sets in prop::collection::vec(prop::collection::btree_set(0usize..8, 0..4), 0..6),
        ) {
            let n = costs.len();
            let sets: Vec<Vec<usize>> =
                sets.into_iter().map(|set| set.into_iter().map(|change| change % n).collect()).collect();
            let mut judge = Known(sets);
            let members = |set: u32| -> Vec<usize> { (0..n).filter(|e| set >> e & 1 == 1).collect() };
            let cost = |set: &[usize]| set.iter().map(|e| costs[*e]).sum::<u32>();
            let good: Vec<Vec<usize>> = (0..1u32 << n).map(members).filter(|set| judge.enough(set)).collect();
            let found = search(&costs, &mut judge, true, false);
            match good.iter().map(|set| cost(set)).min() {
                None => prop_assert!(matches!(found.answer, Answer::Impossible)),
                Some(0) => prop_assert_eq!(found.answer, Answer::Already),
                Some(least) => {
                    let mut best: Vec<Vec<usize>> = good.into_iter().filter(|set| cost(set) == least).collect();
                    best.sort();
                    let Answer::Optimal(mut optima) = found.answer else { panic!("{:?}", found.answer) };
                    optima.sort();
                    prop_assert_eq!(optima, best);
                }
            }
        }
    }

    /// A property that one change spoils: what is taken for granted does not hold, and only looking at everything helps.
    #[test]
    fn changes_that_undo_each_other() {
        struct Spoilt;
        impl Judge for Spoilt {
            fn judge(&mut self, changes: &[usize]) -> Verdict {
                let all = changes.contains(&1) && changes.contains(&2);
                match all || changes == [0] {
                    true => Verdict::Holds,
                    false => Verdict::Fails,
                }
            }
        }
        let found = search(&[1, 1, 1], &mut Spoilt, false, true);
        assert_eq!(found.answer, Answer::Optimal(vec![vec![0]]));
    }

    #[test]
    fn what_stops_it_leaves_a_bound() {
        struct Tired(Known, usize);
        impl Judge for Tired {
            fn judge(&mut self, changes: &[usize]) -> Verdict {
                match self.1.checked_sub(1) {
                    None => Verdict::Unknown("tired".to_string()),
                    Some(left) => {
                        self.1 = left;
                        self.0.judge(changes)
                    }
                }
            }
        }
        let sets = vec![vec![0, 1, 2]];
        let found = search(&[2, 2, 2, 2], &mut Tired(Known(sets), 7), false, false);
        let Answer::Stopped { at_least, known, .. } = found.answer else { panic!("{:?}", found.answer) };
        assert!((2..6).contains(&at_least), "{at_least}");
        assert!(known.is_some_and(|set| [0, 1, 2].iter().all(|change| set.contains(change))));
    }
}
