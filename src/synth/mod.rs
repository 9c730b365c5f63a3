//! Repairs: the cheapest sets of changes (fences, stronger accesses, atomic writes) that make a property hold.
//!
//! What there is to change comes from a [`vocabulary()`], where it goes from [`patch`]; which of it is needed is found by [`search`]. Whether a
//! changed program has the property is asked of whoever can say, so that nothing here knows how programs are run.

mod dependency;
pub(crate) mod edit;
mod hitting;
pub(crate) mod patch;
pub(crate) mod places;
pub(crate) mod search;
mod statements;
pub(crate) mod vocabulary;

pub use patch::{Change, What};
pub use search::Verdict;
pub use vocabulary::vocabulary;

use search::{Answer, Judge, Searched};

/// A set of changes that makes the property hold; none of them can be left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// The changes.
    pub changes: Vec<Change>,
    /// What they cost together.
    pub cost: u64,
    /// The changed text.
    pub text: String,
    /// For each change (all changes of a group alike): the counterexample that comes back without it. Only of the first repair.
    pub without: Vec<String>,
}

/// How the search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The property holds as it is.
    Already,
    /// Not even all changes together make it hold: the counterexample that is left.
    Impossible(String),
    /// The repairs are optima: nothing cheaper makes it hold.
    Optimal,
    /// Early; the repair, if there is one, may not be the cheapest.
    Stopped {
        /// Why.
        why: String,
        /// Nothing cheaper than this makes it hold.
        at_least: u64,
    },
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repairs {
    /// How the search ended.
    pub ended: Ended,
    /// The repairs: one, or all of the least cost.
    pub list: Vec<Repair>,
    /// How many changes there were to choose from.
    pub candidates: usize,
    /// How many changed programs were run.
    pub runs: usize,
}

/// A program that can be changed and run.
pub trait Subject {
    /// Its text with changes made. `None`: they do not fit it.
    fn changed(&self, changes: &[&Change]) -> Option<String>;

    /// Does the property hold with these changes?
    fn judge(&mut self, changes: &[&Change]) -> Verdict;

    /// It does not: a counterexample, in words.
    fn counterexample(&mut self, changes: &[&Change]) -> String;
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// Every optimum, not only one.
    pub all: bool,
    /// Threads with the same accesses are changed alike.
    pub symmetric: bool,
    /// As few changes as possible, whatever they cost.
    pub fewest: bool,
    /// Run every cheaper set, too: certain even where changes undo each other.
    pub exhaustive: bool,
}

/// The cheapest repairs of a program.
pub fn repair(changes: &[Change], subject: &mut dyn Subject, wanted: Wanted) -> Repairs {
    let groups =
        if wanted.symmetric { alike(changes) } else { (0..changes.len()).map(|n| vec![n]).collect() };
    let price = |group: &Vec<usize>| match wanted.fewest {
        true => group.len() as u32,
        false => group.iter().fold(0u32, |sum, change| sum.saturating_add(changes[*change].cost)),
    };
    let costs: Vec<u32> = groups.iter().map(price).collect();
    let mut asked = Asked { changes, groups: &groups, subject };
    let Searched { answer, runs, .. } = search::search(&costs, &mut asked, wanted.all, wanted.exhaustive);
    let (ended, sets) = match answer {
        Answer::Already => (Ended::Already, Vec::new()),
        Answer::Impossible => {
            let all: Vec<&Change> = changes.iter().collect();
            let left = crate::limits::catch(|| asked.subject.counterexample(&all)).unwrap_or_default();
            (Ended::Impossible(left), Vec::new())
        }
        Answer::Optimal(sets) => (Ended::Optimal, sets),
        Answer::Stopped { why, at_least, known } => {
            (Ended::Stopped { why, at_least }, known.into_iter().collect())
        }
    };
    let mut list: Vec<Repair> = Vec::new();
    let mut runs = runs;
    for set in sets {
        let members = asked.members(&set);
        let Some(text) = asked.subject.changed(&members) else { continue };
        let cost = members.iter().map(|change| u64::from(change.cost)).sum();
        let changes = members.into_iter().cloned().collect();
        let without = if list.is_empty() && ended == Ended::Optimal {
            runs += set.len();
            asked.without(&set)
        } else {
            Vec::new()
        };
        list.push(Repair { changes, cost, text, without });
    }
    list.sort_by_key(|repair| (repair.cost, repair.without.is_empty()));
    Repairs { ended, list, candidates: changes.len(), runs }
}

/// Changes in groups that a search chooses from, whole.
struct Asked<'a> {
    changes: &'a [Change],
    groups: &'a [Vec<usize>],
    subject: &'a mut dyn Subject,
}

impl<'a> Asked<'a> {
    fn members(&self, set: &[usize]) -> Vec<&'a Change> {
        set.iter().flat_map(|group| &self.groups[*group]).map(|change| &self.changes[*change]).collect()
    }

    /// For each change of a set, what goes wrong without its group.
    fn without(&mut self, set: &[usize]) -> Vec<String> {
        let mut all = Vec::new();
        for out in set {
            let rest: Vec<usize> = set.iter().copied().filter(|group| group != out).collect();
            let members = self.members(&rest);
            let said = crate::limits::catch(|| self.subject.counterexample(&members)).unwrap_or_default();
            all.extend(std::iter::repeat_n(said, self.groups[*out].len()));
        }
        all
    }
}

impl Judge for Asked<'_> {
    fn judge(&mut self, set: &[usize]) -> Verdict {
        let members = self.members(set);
        self.subject.judge(&members)
    }

    fn covered(&self, group: usize, by: &[usize]) -> bool {
        let others = self.members(by);
        self.groups[group].iter().all(|change| self.changes[*change].covered_by(&others))
    }
}

/// Changes that threads with the same accesses have in common, together.
fn alike(changes: &[Change]) -> Vec<Vec<usize>> {
    let n = changes.iter().map(|change| change.thread + 1).max().unwrap_or(0);
    let of = |thread: usize| (0..changes.len()).filter(move |change| changes[*change].thread == thread);
    let shape = |thread: usize| -> Vec<(usize, &str)> {
        of(thread).map(|change| (changes[change].access, changes[change].name)).collect()
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut first_of: Vec<(Vec<(usize, &str)>, usize)> = Vec::new();
    for thread in 0..n {
        let own = shape(thread);
        match first_of.iter().find(|(shape, _)| *shape == own) {
            Some((_, start)) => {
                of(thread).enumerate().for_each(|(at, change)| groups[start + at].push(change))
            }
            None => {
                first_of.push((own, groups.len()));
                groups.extend(of(thread).map(|change| vec![change]));
            }
        }
    }
    groups
}
