//! Checks that hold whatever is chosen, although their upper bound does not say so.
//!
//! The upper bound of a relation has in it what no single execution has: a read that takes its value from two writes, two
//! writes each of which is before the other. Here a check is looked at case by case. A pair of its relation is *live* if it can
//! help to violate the check in some completion: for `acyclic`, if it lies on a cycle. What is not live whichever value a
//! variable takes is not live at all; a check without live pairs is entailed. (Each variable is looked at on its
//! own, the others keeping their bounds: a few evaluations instead of exponentially many branches.)

use super::choices::{State, alternatives};
use super::code::{Check, Code, Slot};
use super::evaluator::holds;
use super::mask::Mask;
use super::problem::Problem;
use super::search::Search;
use crate::model::TestKind;
use crate::relation::rows::{self, Row};

/// So many choices must be left for a look case by case to be worth its while.
const WORTH: usize = 6;

/// The most that one look may cost, in words of slots computed: twice as much with each choice that is left, up to about a second.
fn budget(left: usize) -> usize {
    1 << (20 + left.min(10))
}

/// A check that is still open, and the pairs that can violate it.
struct Suspect<const W: usize> {
    /// Its position.
    check: usize,
    /// Pairs that can still be part of a violation.
    live: Vec<Row<W>>,
    /// Those that can in the cases of the current variable looked at so far.
    here: Vec<Row<W>>,
    /// Choices, each with the parts of the relation that do not lie inside it.
    outside: Vec<(usize, Vec<Slot>)>,
}

impl<const W: usize> Search<'_, '_, W> {
    /// Closes checks that no completion violates; both bounds of all slots are known. `left`: how much there is to choose.
    pub(super) fn entail(&mut self, state: &mut State<W>, left: usize) {
        let problem = self.problem;
        // What has not paid off so far will hardly do so further down; where subtrees are shared out, all workers must find the same.
        let paid = self.tally.case_hits * 4 >= self.tally.case_looks || self.tally.case_looks < 4;
        let pays = left >= WORTH && (self.is_the_same_for_all() || paid);
        let mut suspects = Vec::new();
        for (index, check) in problem.checks.iter().enumerate() {
            if !Mask::can_close(index) || !state.open.has(index) || check.negated {
                continue;
            }
            let (at, size) = self.eval.place(check.slot);
            if holds(check.test, &self.eval.may[at..at + size]) {
                state.open.close(index);
                continue;
            }
            if pays {
                let mut suspect = Suspect {
                    check: index,
                    live: vec![self.eval.all; size],
                    here: vec![rows::zero(); size],
                    outside: outside(problem, check),
                };
                self.add_live(state, &mut suspect);
                suspects.push(suspect);
            }
        }
        if suspects.is_empty() {
            return;
        }
        self.tally.case_looks += 1;
        let before = state.open;
        settle(state, &mut suspects);
        if !suspects.is_empty() {
            self.by_cases(state, left, &mut suspects);
        }
        if state.open != before {
            self.tally.case_hits += 1;
        }
    }

    /// Looks at each variable in turn.
    fn by_cases(&mut self, state: &mut State<W>, left: usize, suspects: &mut Vec<Suspect<W>>) {
        let cost = self.eval.n * self.eval.n * W * self.problem.code.slots.len();
        let most = budget(left) / cost.max(1);
        let mut cases = 0;
        for read in 0..state.candidates.len() {
            let candidates = state.candidates[read];
            if rows::count(&candidates) < 2 {
                continue;
            }
            for write in rows::bits(candidates) {
                state.candidates[read] = rows::only(Some(write));
                self.case(state, suspects);
                cases += 1;
            }
            state.candidates[read] = candidates;
            settle(state, suspects);
            if suspects.is_empty() || cases >= most || self.sink.look_at_limits().is_break() {
                return;
            }
        }
        for variable in 0..state.options.len() {
            let options = state.options[variable];
            if options.count_ones() < 2 {
                continue;
            }
            for option in alternatives(options) {
                state.options[variable] = 1 << option;
                self.case(state, suspects);
                cases += 1;
            }
            state.options[variable] = options;
            settle(state, suspects);
            if suspects.is_empty() || cases >= most || self.sink.look_at_limits().is_break() {
                return;
            }
        }
    }

    /// Evaluates one case and notes what is live in it.
    fn case(&mut self, state: &State<W>, suspects: &mut [Suspect<W>]) {
        self.eval.wanted =
            suspects.iter().fold(Mask::default(), |mask, suspect| mask | Mask::of(suspect.check));
        self.eval.probing = true;
        self.eval.load(state);
        self.eval.run_items(&self.problem.code.main, state);
        self.eval.probing = false;
        for suspect in suspects {
            self.add_live(state, suspect);
        }
    }

    /// Adds the pairs of the present upper bound that can be part of a violation.
    fn add_live(&mut self, state: &State<W>, suspect: &mut Suspect<W>) {
        let check = &self.problem.checks[suspect.check];
        let (at, size) = self.eval.place(check.slot);
        let may = &self.eval.may[at..at + size];
        match check.test {
            TestKind::Empty => {
                for ((here, may), live) in suspect.here.iter_mut().zip(may).zip(&suspect.live) {
                    *here = rows::or(here, &rows::and(may, live));
                }
            }
            TestKind::Irreflexive => {
                for (event, row) in may.iter().enumerate() {
                    if rows::has(row, event) && rows::has(&suspect.live[event], event) {
                        rows::put(&mut suspect.here[event], event);
                    }
                }
            }
            TestKind::Acyclic => {
                let mut rel: Vec<Row<W>> =
                    may.iter().zip(&suspect.live).map(|(may, live)| rows::and(may, live)).collect();
                let mut closure = rel.clone();
                rows::close(&mut closure);
                let mut looked_at = rows::zero();
                for event in 0..self.eval.n {
                    if !rows::has(&closure[event], event) || rows::has(&looked_at, event) {
                        continue;
                    }
                    // All events on cycles through this one.
                    let mut group = rows::zero();
                    for other in rows::bits(closure[event]).filter(|other| rows::has(&closure[*other], event))
                    {
                        rows::put(&mut group, other);
                    }
                    looked_at = rows::or(&looked_at, &group);
                    rows::bits(group).for_each(|member| rel[member] = rows::and(&rel[member], &group));
                    if !self.is_ordered(state, suspect, &rel, &group) {
                        for member in rows::bits(group) {
                            suspect.here[member] = rows::or(&suspect.here[member], &rel[member]);
                        }
                    }
                }
            }
        }
    }

    /// Do the pairs of `rel` among these events always lie inside one order? Two events that are not ordered yet have pairs in
    /// both directions in the upper bound, and in one only in any execution.
    fn is_ordered(&self, state: &State<W>, suspect: &Suspect<W>, rel: &[Row<W>], group: &Row<W>) -> bool {
        let problem = self.problem;
        suspect.outside.iter().any(|(choice, outside)| {
            let touches = |index: &usize| {
                problem.orders[*index].choice == *choice
                    && rows::count(&rows::and(&self.eval.over[*index], group)) > 1
            };
            let mut touching = (0..problem.orders.len()).filter(touches);
            let (Some(order), None) = (touching.next(), touching.next()) else { return false };
            if !rows::is_zero(&rows::and_not(group, &self.eval.over[order]))
                || problem.options.iter().any(|option| option.choice == *choice)
            {
                return false;
            }
            let certain = state.order(*choice);
            rows::bits(*group).all(|event| {
                let other = outside.iter().fold(rows::zero(), |row, slot| {
                    rows::or(&row, &self.eval.may[self.eval.offset[*slot as usize] + event])
                });
                rows::is_zero(&rows::and_not(&rows::and(&other, &rel[event]), &certain[event]))
            })
        })
    }
}

/// Keeps what was live in some case of the last variable; closes checks without any.
fn settle<const W: usize>(state: &mut State<W>, suspects: &mut Vec<Suspect<W>>) {
    suspects.retain_mut(|suspect| {
        std::mem::swap(&mut suspect.live, &mut suspect.here);
        suspect.here.fill(rows::zero());
        let guilty = !suspect.live.iter().all(rows::is_zero);
        if !guilty {
            state.open.close(suspect.check);
        }
        guilty
    });
}

/// The order choices that parts of a check's relation lie inside, each with the other parts.
fn outside(problem: &Problem, check: &Check) -> Vec<(usize, Vec<Slot>)> {
    if check.test != TestKind::Acyclic {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let mut work = vec![check.slot];
    while let Some(slot) = work.pop() {
        match &problem.code.slots[slot as usize].code {
            Code::Union(children) => work.extend(children),
            _ => parts.push(slot),
        }
    }
    let mut choices: Vec<usize> = parts.iter().filter_map(|part| inside(problem, *part)).collect();
    choices.sort_unstable();
    choices.dedup();
    let others = |choice: usize| parts.iter().filter(move |part| inside(problem, **part) != Some(choice));
    choices.into_iter().map(|choice| (choice, others(choice).copied().collect())).collect()
}

/// The choice that a relation is certainly a part of.
fn inside(problem: &Problem, slot: Slot) -> Option<usize> {
    match &problem.code.slots[slot as usize].code {
        Code::Choice(choice) => Some(*choice),
        Code::Inter(a, b) => inside(problem, *a).or_else(|| inside(problem, *b)),
        Code::Diff(a, _) => inside(problem, *a),
        _ => None,
    }
}
