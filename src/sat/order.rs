//! Orders inside the solver: steps between places, each there where some literals are true, and no cycle of them.
//!
//! The places are kept in a line that agrees with all steps (Pearce and Kelly, *A dynamic topological sort algorithm for directed acyclic graphs*,
//! 2006). A step against the line is searched for a cycle, whose literals are then a conflict; where the search finds none, steps that would close one now are
//! ruled out before the solver tries them.

use std::collections::VecDeque;

use batsat::{Lit, Theory, TheoryArg, lbool};

/// A place in the order.
pub type Place = u32;

/// The number of a step.
type StepId = u32;

struct Step {
    from: Place,
    to: Place,
    /// Where all of these are true, it is there.
    literals: Vec<Lit>,
}

/// What is before what, as far as the solver has decided.
#[derive(Default)]
pub struct Order {
    steps: Vec<Step>,
    /// By literal: the steps that wait for it.
    waiting: Vec<Vec<StepId>>,
    /// By step: so many of its literals are not known to be true.
    missing: Vec<u8>,
    /// By place: the steps that lead out of it and into it and are there.
    out: Vec<Vec<StepId>>,
    into: Vec<Vec<StepId>>,
    /// By place: all steps that may lead out of it.
    possible: Vec<Vec<StepId>>,
    /// By place: where it is in the line.
    rank: Vec<u32>,
    in_line: bool,
    /// Steps that lost a missing literal, in turn.
    undo: Vec<StepId>,
    /// By level of the solver: the length of `undo` and of the trail before it.
    levels: Vec<(usize, usize)>,
    /// So much of the trail has been looked at.
    seen: usize,
    /// By variable: what ruled it out.
    reasons: Vec<Vec<Lit>>,
    /// Of the last searches: marks by place, and the step that led there.
    forward: Search,
    backward: Search,
}

/// The places that a search came by.
#[derive(Default)]
struct Search {
    mark: Vec<u32>,
    now: u32,
    came: Vec<StepId>,
    found: Vec<Place>,
}

impl Search {
    fn start(&mut self, places: usize, from: Place) {
        self.mark.resize(places, 0);
        self.came.resize(places, StepId::MAX);
        self.now += 1;
        self.found.clear();
        self.note(from, StepId::MAX);
    }

    fn note(&mut self, place: Place, step: StepId) {
        self.mark[place as usize] = self.now;
        self.came[place as usize] = step;
        self.found.push(place);
    }

    fn has(&self, place: Place) -> bool {
        self.mark[place as usize] == self.now
    }
}

fn code(literal: Lit) -> usize {
    2 * literal.var().idx() as usize + usize::from(!literal.sign())
}

impl Order {
    /// A new place.
    pub fn place(&mut self) -> Place {
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        self.possible.push(Vec::new());
        self.out.len() as Place - 1
    }

    /// Where all of these literals are true, the first place is before the second.
    /// All steps are known before the solver begins.
    pub fn step(&mut self, from: Place, to: Place, mut literals: Vec<Lit>) {
        debug_assert!(self.seen == 0, "a step that comes too late");
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        let id = self.steps.len() as StepId;
        for literal in &literals {
            let at = code(*literal);
            if self.waiting.len() <= at {
                self.waiting.resize(at + 1, Vec::new());
            }
            self.waiting[at].push(id);
        }
        self.missing.push(literals.len() as u8);
        match literals.is_empty() {
            true => {
                self.out[from as usize].push(id);
                self.into[to as usize].push(id);
            }
            false => self.possible[from as usize].push(id),
        }
        self.steps.push(Step { from, to, literals });
        self.in_line = false;
    }

    /// Puts the places in line. `false`: steps that are always there have a cycle.
    pub fn line_up(&mut self) -> bool {
        if self.in_line {
            return true;
        }
        let n = self.out.len();
        let mut before: Vec<usize> = self.into.iter().map(Vec::len).collect();
        let mut line: VecDeque<usize> = (0..n).filter(|place| before[*place] == 0).collect();
        self.rank = vec![u32::MAX; n];
        let mut next = 0;
        while let Some(place) = line.pop_front() {
            self.rank[place] = next;
            next += 1;
            for step in &self.out[place] {
                let to = self.steps[*step as usize].to as usize;
                before[to] -= 1;
                if before[to] == 0 {
                    // What follows comes soon: threads are run one after the other, as far as nothing else is known.
                    line.push_front(to);
                }
            }
        }
        self.in_line = true;
        next as usize == n
    }

    /// A step that is there from now on; or the literals of a cycle.
    fn insert(&mut self, id: StepId, acts: &mut TheoryArg) -> Result<(), Vec<Lit>> {
        let Step { from, to, .. } = self.steps[id as usize];
        let (low, high) = (self.rank[to as usize], self.rank[from as usize]);
        if high < low {
            self.out[from as usize].push(id);
            self.into[to as usize].push(id);
            return Ok(());
        }
        let n = self.out.len();
        self.forward.start(n, to);
        let mut at = 0;
        while let Some(place) = self.forward.found.get(at).copied() {
            at += 1;
            if place == from {
                return Err(self.cycle(id));
            }
            for step in &self.out[place as usize] {
                let next = self.steps[*step as usize].to;
                if self.rank[next as usize] <= high && !self.forward.has(next) {
                    self.forward.note(next, *step);
                }
            }
        }
        self.backward.start(n, from);
        let mut at = 0;
        while let Some(place) = self.backward.found.get(at).copied() {
            at += 1;
            for step in &self.into[place as usize] {
                let next = self.steps[*step as usize].from;
                if self.rank[next as usize] >= low && !self.backward.has(next) {
                    self.backward.note(next, *step);
                }
            }
        }
        self.reorder();
        self.out[from as usize].push(id);
        self.into[to as usize].push(id);
        self.rule_out(id, acts);
        Ok(())
    }

    /// What was searched backwards comes before what was searched forwards, in the places that both had.
    fn reorder(&mut self) {
        let rank = &mut self.rank;
        let mut behind = self.backward.found.clone();
        let mut ahead = self.forward.found.clone();
        behind.sort_unstable_by_key(|place| rank[*place as usize]);
        ahead.sort_unstable_by_key(|place| rank[*place as usize]);
        let mut free: Vec<u32> = behind.iter().chain(&ahead).map(|place| rank[*place as usize]).collect();
        free.sort_unstable();
        for (place, to) in behind.iter().chain(&ahead).zip(free) {
            rank[*place as usize] = to;
        }
    }

    /// Rules out the steps that one more literal would make, and that lead from after the new step to before it.
    fn rule_out(&mut self, id: StepId, acts: &mut TheoryArg) {
        for at in 0..self.forward.found.len() {
            let place = self.forward.found[at];
            for possible in 0..self.possible[place as usize].len() {
                let step = self.possible[place as usize][possible];
                let own = &self.steps[step as usize];
                if self.missing[step as usize] != 1 || !self.backward.has(own.to) {
                    continue;
                }
                let is_open = |literal: &&Lit| acts.value(literal.var()) == lbool::UNDEF;
                let Some(open) = own.literals.iter().find(is_open).copied() else { continue };
                let mut reason: Vec<Lit> = own.literals.iter().copied().filter(|l| *l != open).collect();
                reason.extend(&self.steps[id as usize].literals);
                let mut here = place;
                while self.forward.came[here as usize] != StepId::MAX {
                    let step = &self.steps[self.forward.came[here as usize] as usize];
                    reason.extend(&step.literals);
                    here = step.from;
                }
                let mut here = own.to;
                while self.backward.came[here as usize] != StepId::MAX {
                    let step = &self.steps[self.backward.came[here as usize] as usize];
                    reason.extend(&step.literals);
                    here = step.to;
                }
                reason.sort_unstable();
                reason.dedup();
                let var = open.var().idx() as usize;
                if self.reasons.len() <= var {
                    self.reasons.resize(var + 1, Vec::new());
                }
                self.reasons[var] = reason;
                acts.propagate(!open);
            }
        }
    }

    /// The literals of a cycle with that step, few of them.
    fn cycle(&self, id: StepId) -> Vec<Lit> {
        let Step { from, to, ref literals } = self.steps[id as usize];
        let high = self.rank[from as usize];
        let n = self.out.len();
        let mut costs: Vec<u32> = vec![u32::MAX; n];
        let mut came: Vec<StepId> = vec![StepId::MAX; n];
        costs[to as usize] = 0;
        // Places by what it takes to come there; steps take few literals, so that the lists stay short.
        let mut open: Vec<Vec<Place>> = vec![vec![to]];
        let mut cost = 0;
        while cost < open.len() {
            while let Some(place) = open[cost].pop() {
                if costs[place as usize] != cost as u32 {
                    continue;
                }
                for step in &self.out[place as usize] {
                    let Step { to: next, ref literals, .. } = self.steps[*step as usize];
                    let new = cost + literals.len();
                    if self.rank[next as usize] <= high && (new as u32) < costs[next as usize] {
                        costs[next as usize] = new as u32;
                        came[next as usize] = *step;
                        if open.len() <= new {
                            open.resize(new + 1, Vec::new());
                        }
                        open[new].push(next);
                    }
                }
            }
            cost += 1;
        }
        let mut all = literals.clone();
        let mut here = from;
        while here != to {
            let step = &self.steps[came[here as usize] as usize];
            all.extend(&step.literals);
            here = step.from;
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn look(&mut self, acts: &mut TheoryArg) {
        while let Some(literal) = acts.model().get(self.seen).copied() {
            let at = code(literal);
            for index in 0..self.waiting.get(at).map_or(0, Vec::len) {
                let id = self.waiting[at][index];
                if self.missing[id as usize] == 1
                    && let Err(cycle) = self.insert(id, acts)
                {
                    let clause: Vec<Lit> = cycle.into_iter().map(|literal| !literal).collect();
                    acts.raise_conflict(&clause, false);
                    return;
                }
                self.missing[id as usize] -= 1;
                self.undo.push(id);
            }
            self.seen += 1;
        }
    }
}

impl Theory for Order {
    fn final_check(&mut self, acts: &mut TheoryArg) {
        self.look(acts);
    }

    fn partial_check(&mut self, acts: &mut TheoryArg) {
        self.look(acts);
    }

    fn create_level(&mut self) {
        self.levels.push((self.undo.len(), self.seen));
    }

    fn pop_levels(&mut self, n: usize) {
        let left = self.levels.len() - n;
        let (undo, seen) = self.levels[left];
        self.levels.truncate(left);
        while self.undo.len() > undo {
            let Some(id) = self.undo.pop() else { break };
            if self.missing[id as usize] == 0 {
                let Step { from, to, .. } = self.steps[id as usize];
                self.out[from as usize].pop();
                self.into[to as usize].pop();
            }
            self.missing[id as usize] += 1;
        }
        self.seen = seen;
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, literal: Lit) -> &[Lit] {
        &self.reasons[literal.var().idx() as usize]
    }
}

#[cfg(test)]
mod tests {
    use crate::sat::solver::{Batsat, Lit, Solver};

    /// Numbers that look random.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % sides
        }
    }

    fn has_cycle(n: usize, steps: &[(usize, usize)]) -> bool {
        let mut reach = vec![vec![false; n]; n];
        steps.iter().for_each(|(a, b)| reach[*a][*b] = true);
        for k in 0..n {
            for a in 0..n {
                for b in 0..n {
                    reach[a][b] |= reach[a][k] && reach[k][b];
                }
            }
        }
        (0..n).any(|place| reach[place][place])
    }

    /// Random steps, some always there, some under one literal or two, and random clauses: the solver has an assignment exactly where trying all finds one; and again after
    /// each is ruled out, until there is none.
    #[test]
    fn assignments_are_those_without_cycles() {
        const VARIABLES: u32 = 6;
        for seed in 0..600 {
            let mut dice = Dice(seed);
            let mut solver = Batsat::new();
            let variables: Vec<Lit> = (0..VARIABLES).map(|_| solver.variable(dice.roll(2) == 0)).collect();
            let literal = |dice: &mut Dice| {
                let own = variables[dice.roll(u64::from(VARIABLES)) as usize];
                if dice.roll(2) == 0 { own } else { !own }
            };
            let n = 3 + dice.roll(6) as usize;
            let places: Vec<u32> = (0..n).map(|_| solver.place()).collect();
            let mut steps: Vec<(usize, usize, Vec<Lit>)> = Vec::new();
            for _ in 0..2 * n {
                let (a, b) = (dice.roll(n as u64) as usize, dice.roll(n as u64) as usize);
                // Steps that are always there go up: they have no cycle by themselves.
                let count = if a < b { dice.roll(3) } else { 1 + dice.roll(2) };
                steps.push((a, b, (0..count).map(|_| literal(&mut dice)).collect()));
            }
            steps.iter().for_each(|(a, b, literals)| solver.step(places[*a], places[*b], literals));
            let clauses: Vec<Vec<Lit>> = (0..dice.roll(6))
                .map(|_| (0..2 + dice.roll(2)).map(|_| literal(&mut dice)).collect())
                .collect();
            clauses.iter().for_each(|clause| solver.clause(clause));
            let mut expected = 0;
            for all in 0..1u32 << VARIABLES {
                let is = |literal: &Lit| (all >> literal.var() & 1 == 1) == literal.is_positive();
                let there: Vec<(usize, usize)> =
                    steps.iter().filter(|(.., l)| l.iter().all(is)).map(|(a, b, _)| (*a, *b)).collect();
                expected +=
                    u32::from(clauses.iter().all(|clause| clause.iter().any(is)) && !has_cycle(n, &there));
            }
            let mut found = 0;
            while solver.solve(&[]) == Some(true) {
                found += 1;
                assert!(found <= expected, "seed {seed}: an assignment with a cycle, or the same again");
                let not_again: Vec<Lit> =
                    variables.iter().map(|v| if solver.is_true(*v) { !*v } else { *v }).collect();
                solver.clause(&not_again);
            }
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}
