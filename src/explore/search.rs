//! The search in one world: bind reads, refine orders, prune by what is certain.
//!
//! Everything not yet chosen has bounds; after each choice the code of the world is run on the bounds. A check
//! that fails on what is certain refutes the branch. From each check the refuting pass ([`super::refute`]) walks
//! back through the code and finds every single choice that would violate it, so that hopeless choices are
//! never tried.

use std::ops::ControlFlow;

use super::chains::Solved;
use super::choices::{State, alternatives};
use super::code::OrderVar;
use super::domains::Domains;
use super::evaluator::Evaluator;
use super::free::is_free;
use super::mask::Mask;
use super::problem::Problem;
use super::repeats::Repeats;
use super::sink::{Sink, add};
use super::unit::Decision;
use super::{Mode, Options, unit};
use crate::model::Plain;
use crate::outcome::{Cause, Count};
use crate::program::Value;
use crate::relation::rows::{self, Row};

/// The part of a search that one worker does. All workers walk the first levels of the tree; below them each subtree
/// belongs to one.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Which worker.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Part {
    /// Everything, by one worker.
    pub const WHOLE: Part = Part { number: 0, of: 1 };
    /// Depth at which subtrees are shared out (tests are small).
    const DEPTH: usize = if cfg!(test) { 2 } else { 7 };
}

/// The best choice so far.
struct Best {
    branch: Option<Branch>,
    count: u32,
    trouble: u32,
}

impl Best {
    /// Is this more trouble per alternative?
    fn is_better(&self, count: u32, trouble: u32) -> bool {
        u64::from(trouble) * u64::from(self.count) > u64::from(self.trouble) * u64::from(count)
    }

    fn offer(&mut self, branch: Branch, count: u32, trouble: u32) {
        if count > 1 && self.is_better(count, trouble) {
            *self = Best { branch: Some(branch), count, trouble };
        }
    }
}

/// A search in one world: a driver over an evaluator.
pub(super) struct Search<'s, 't, const W: usize> {
    pub problem: &'s Problem<'s>,
    pub eval: Evaluator<'s, W>,
    pub tally: Tally,
    pub options: &'s Options,
    pub sink: &'s mut Sink<'t>,
    pub states: Vec<State<W>>,
    /// The decisions so far.
    pub path: Vec<Decision>,
    part: Part,
    /// Is this part of the tree walked by all workers? Then nothing that one of them has learnt elsewhere may change it: subtrees are told apart by their number.
    pub shared: bool,
    /// Branches that were refuted at once, by variable: reads, options, orders.
    troubles: Vec<u32>,
    /// Was the last branch refuted at once?
    pub refuted: bool,
    /// Subtrees met so far at the depth where they are shared out.
    subtrees: usize,
    /// The share of the tree that the subtree at hand has, if all alternatives are alike.
    pub share: f64,
    /// For models with parts that only the plain evaluator can run.
    pub plain: Option<Plain<'s>>,
    /// Of a complete execution: the value of each read, and the last write of each observed cell.
    pub values: Vec<Option<Value>>,
    pub last: Vec<usize>,
    /// How often, without success in between, values could not be followed ([`super::chains`]).
    pub chains_failed: u32,
    /// Values that reads can have, where that is worth a look.
    pub domains: Option<Domains<'s>>,
    /// The sources of reads when it was looked at last.
    pub settled: Vec<Row<W>>,
    pub repeats: Repeats<W>,
    /// Sources of executions that alone are asked for, if there are any ([`super::kept`]).
    pub only: Vec<Vec<Row<W>>>,
    /// What each read could read where executions began to be counted.
    pub counted_from: Option<Vec<Row<W>>>,
    /// Is all that comes of the node at hand kept as one?
    pub kept_whole: bool,
}

/// What was found out on the way.
pub(super) struct Tally {
    /// Looks for entailed checks, and those that found one.
    pub probes: u32,
    pub hits: u32,
    /// Likewise, case by case.
    pub case_looks: u32,
    pub case_hits: u32,
    /// Looks at the values that reads can have, and those that found a source without one.
    pub settle_looks: u32,
    pub settle_hits: u32,
    /// Branches refuted, by check; then by the bases of orders; then because nothing was left to choose.
    pub pruned: Vec<u64>,
    /// How often a check was entailed; then a base of an order.
    pub entailed: Vec<u64>,
    /// Alternatives ruled out, likewise.
    pub ruled_out: Vec<u64>,
}

impl Tally {
    fn new(n_checks: usize) -> Tally {
        Tally {
            probes: 0,
            hits: 0,
            case_looks: 0,
            case_hits: 0,
            settle_looks: 0,
            settle_hits: 0,
            pruned: vec![0; n_checks + 2],
            entailed: vec![0; n_checks + 1],
            ruled_out: vec![0; n_checks + 1],
        }
    }
}

/// What to decide next.
#[derive(Clone, Copy)]
pub(super) enum Branch {
    Leaf,
    Read(usize),
    Option(usize),
    /// A pair of one order.
    Order(usize, usize, usize),
    Final(usize),
}

impl<'s, 't, const W: usize> Search<'s, 't, W> {
    /// Runs the search after these decisions; `sink` is given every complete execution.
    pub fn run(
        problem: &'s Problem<'s>,
        options: &'s Options,
        (part, start): (Part, &[Decision]),
        sink: &'s mut Sink<'t>,
    ) -> ControlFlow<()> {
        let mut search: Search<W> = Search::new(problem, options, part, sink);
        let flow = match search.begin(start) {
            Ok(true) => search.explore(0),
            Ok(false) => ControlFlow::Continue(()),
            Err(decision) => return search.sink.fail(unit::not_of_this_test(&decision)),
        };
        let stats = &mut search.sink.outcome.stats;
        for (counts, totals) in [
            (&search.tally.pruned, &mut stats.pruned),
            (&search.tally.entailed, &mut stats.entailed),
            (&search.tally.ruled_out, &mut stats.ruled_out),
        ] {
            for (index, count) in counts.iter().enumerate() {
                let name = match problem.checks.get(index) {
                    Some(check) => &check.name,
                    None if index == problem.checks.len() => &Cause::Order,
                    None => &Cause::NoChoice,
                };
                add(totals, name, *count);
            }
        }
        flow
    }

    /// A search that has not begun.
    pub fn new(
        problem: &'s Problem<'s>,
        options: &'s Options,
        part: Part,
        sink: &'s mut Sink<'t>,
    ) -> Search<'s, 't, W> {
        let mut search = Search {
            problem,
            eval: Evaluator::new(problem),
            tally: Tally::new(problem.checks.len()),
            options,
            sink,
            states: vec![State::default()],
            path: Vec::new(),
            part,
            shared: false,
            troubles: vec![1; problem.reads.len() + problem.options.len() + problem.orders.len()],
            refuted: false,
            subtrees: 0,
            share: 1.0,
            plain: problem.plain_leaf.then(|| Plain::new(problem.model, problem.view)),
            values: vec![None; problem.n_values],
            last: vec![0; problem.world.observed.len()],
            chains_failed: 0,
            domains: problem.domains(),
            settled: Vec::new(),
            repeats: Repeats::default(),
            only: Vec::new(),
            counted_from: None,
            kept_whole: false,
        };
        search.only = search.asked();
        search
    }

    /// Takes decisions as made. False: they contradict each other, and nothing comes after them.
    ///
    /// # Errors
    /// A decision that this world does not have.
    pub fn begin(&mut self, start: &[Decision]) -> Result<bool, Decision> {
        self.eval.fill_constants();
        let mut possible = self.fill_root();
        let mut root = std::mem::take(&mut self.states[0]);
        for decision in start {
            possible &= self.decide(&mut root, *decision).ok_or(*decision)?;
        }
        self.states[0] = root;
        self.path = start.to_vec();
        Ok(possible)
    }

    /// Makes a decision. `None`: there is no such decision; false: it contradicts others.
    pub fn decide(&self, state: &mut State<W>, decision: Decision) -> Option<bool> {
        let within = |event: u32| ((event as usize) < self.eval.n).then_some(event as usize);
        let only = |row: &mut Row<W>, write: usize| {
            let is_there = rows::has(row, write);
            *row = rows::only(Some(write));
            is_there
        };
        match decision {
            Decision::Read(read, write) => {
                Some(only(state.candidates.get_mut(read as usize)?, within(write)?))
            }
            Decision::Final(index, write) => {
                Some(only(state.finals.get_mut(index as usize)?, within(write)?))
            }
            Decision::Option(variable, option) => {
                let mask = state.options.get_mut(variable as usize)?;
                let bit = 1u64.checked_shl(option)?;
                let is_there = *mask & bit != 0;
                *mask = bit;
                Some(is_there)
            }
            Decision::Order(index, from, to) => {
                let choice = self.problem.orders.get(index as usize)?.choice;
                let rel = state.order_mut(choice);
                Some(rows::add_closed(rel, within(from)?, within(to)?))
            }
        }
    }

    /// False: what is asked for contradicts itself.
    fn fill_root(&mut self) -> bool {
        let row_of = |events: &[usize]| {
            let mut row: Row<W> = rows::zero();
            events.iter().for_each(|event| rows::put(&mut row, *event));
            row
        };
        let problem = self.problem;
        let root = &mut self.states[0];
        root.candidates = problem.reads.iter().map(|r| row_of(&r.candidates)).collect();
        root.n = self.eval.n;
        root.orders = vec![rows::zero(); root.n * problem.n_choices];
        for (choice, from, to) in &problem.ordered {
            rows::put(&mut root.order_mut(*choice)[*from], *to);
        }
        root.options = problem.options.iter().map(|o| rows::first(o.options.len())).collect();
        root.finals = problem.finals.iter().map(|f| row_of(&f.writes)).collect();
        root.values = vec![None; if problem.plain_values { 0 } else { problem.n_values }];
        root.unmet = Mask::first(problem.constraints.len());
        root.loose = Mask::first(problem.orders.len());
        root.open = Mask::first(problem.checks.len());
        root.open_orders = problem.open_orders;
        root.open_flags = Mask::first(problem.flags.len());
        problem
            .must_be_last
            .iter()
            .all(|(choice, from, to)| rows::add_closed(root.order_mut(*choice), *from, *to))
    }

    pub(super) fn explore(&mut self, depth: usize) -> ControlFlow<()> {
        self.refuted = false;
        if depth == Part::DEPTH && self.part.of > 1 {
            self.subtrees += 1;
            if self.subtrees % self.part.of != self.part.number {
                return ControlFlow::Continue(());
            }
        }
        if self.sink.leaves(&self.path) {
            return ControlFlow::Continue(());
        }
        self.sink.graph()?;
        // Whatever comes of a subtree, its share of the tree is done then.
        let (before, share) = (self.sink.part, self.share);
        let mut state = std::mem::take(&mut self.states[depth]);
        let flow = self.explore_from(depth, &mut state);
        self.states[depth] = state;
        self.share = share;
        self.sink.part = before + share;
        flow
    }

    /// Goes on one level deeper, by a decision that the state there has in it.
    fn explore_after(&mut self, decision: Decision, depth: usize) -> ControlFlow<()> {
        self.path.push(decision);
        let flow = self.explore(depth + 1);
        self.path.pop();
        flow
    }

    fn explore_from(&mut self, depth: usize, state: &mut State<W>) -> ControlFlow<()> {
        let shared = self.part.of > 1 && depth < Part::DEPTH;
        self.shared = shared;
        let branch = self.propagate(state);
        self.refuted = branch.is_none();
        let Some(branch) = branch.filter(|_| self.is_asked(state)) else { return ControlFlow::Continue(()) };
        if self.states.len() == depth + 1 {
            self.states.push(State::default());
        }
        if !shared && is_free(self.problem, state) {
            return self.complete(state);
        }
        if !shared && let Some(solved) = self.follow_values(state) {
            let before = self.hits();
            self.kept_whole = true;
            for Solved { state, ways, visible } in solved {
                self.count_from(&state, &visible, &ways)?;
            }
            self.kept_whole = false;
            self.keep_sources(before, &state.candidates);
            return ControlFlow::Continue(());
        }
        if !shared && self.may_repeat(state) {
            return self.explore_anew(depth, state, branch);
        }
        self.branch_out(depth, state, branch)
    }

    /// Tries every alternative of a choice.
    pub(super) fn branch_out(
        &mut self,
        depth: usize,
        state: &mut State<W>,
        branch: Branch,
    ) -> ControlFlow<()> {
        let shared = self.shared;
        let enough = self.one_is_enough(state).then(|| self.sink.outcome.stats.executions.clone());
        let found = |search: &Self| {
            enough.as_ref().is_some_and(|before| search.sink.outcome.stats.executions > *before)
        };
        let ways_on = match branch {
            Branch::Leaf => 1,
            Branch::Read(read) => rows::count(&state.candidates[read]),
            Branch::Option(variable) => state.options[variable].count_ones(),
            Branch::Order(..) => 2,
            Branch::Final(index) => rows::count(&state.finals[index]),
        };
        self.share /= f64::from(ways_on.max(1));
        match branch {
            // What ends above the depth where subtrees are shared out is the first worker's.
            Branch::Leaf if shared && self.part.number != 0 => {}
            Branch::Leaf => return self.leaf(state, &Count::ONE),
            Branch::Read(read) => {
                for write in rows::bits(state.candidates[read]) {
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    next.candidates[read] = rows::only(Some(write));
                    self.explore_after(Decision::Read(read as u32, write as u32), depth)?;
                    self.note_trouble(read);
                    if found(self) {
                        break;
                    }
                }
            }
            Branch::Option(variable) => {
                for option in alternatives(state.options[variable]) {
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    next.options[variable] = 1 << option;
                    self.explore_after(Decision::Option(variable as u32, option as u32), depth)?;
                    self.note_trouble(self.problem.reads.len() + variable);
                    if found(self) {
                        break;
                    }
                }
            }
            Branch::Order(index, a, b) => {
                let choice = self.problem.orders[index].choice;
                for (from, to) in [(a, b), (b, a)] {
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    if rows::add_closed(next.order_mut(choice), from, to) {
                        let decision = Decision::Order(index as u32, from as u32, to as u32);
                        self.explore_after(decision, depth)?;
                        self.note_trouble(self.problem.reads.len() + self.problem.options.len() + index);
                    }
                    if found(self) {
                        break;
                    }
                }
            }
            Branch::Final(index) => {
                for write in rows::bits(state.finals[index]) {
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    next.finals[index] = rows::only(Some(write));
                    self.explore_after(Decision::Final(index as u32, write as u32), depth)?;
                }
            }
        }
        self.refuted = false;
        ControlFlow::Continue(())
    }

    /// Does the final state show nothing of what is left, so that who asks for outcomes only needs one completion?
    fn one_is_enough(&self, state: &State<W>) -> bool {
        let problem = self.problem;
        self.options.mode == Mode::States
            && !self.shared
            && !self.builds_all(state)
            && state
                .candidates
                .iter()
                .zip(&problem.looked_at)
                .all(|(row, shown)| !shown || rows::count(row) == 1)
            && problem.value_reads.iter().all(|event| state.values[*event].is_some())
            && state.finals.iter().all(|row| rows::count(row) == 1)
            && problem.last_of_order.iter().all(|last| {
                let rel = state.order(last.choice);
                let is_last = |write: &usize| {
                    last.writes.iter().all(|other| other == write || rows::has(&rel[*other], *write))
                };
                last.writes.iter().any(is_last)
            })
    }

    /// Counts a branch on this variable that was refuted at once.
    fn note_trouble(&mut self, variable: usize) {
        if std::mem::take(&mut self.refuted) {
            self.troubles[variable] = self.troubles[variable].saturating_add(1);
        }
    }

    /// What to decide next: what has the fewest alternatives for the trouble it has made so far. Of equals, reads of
    /// read-modify-writes go first (each binds a write to its neighbour, so that the others follow), then options, reads,
    /// orders; final writes are last.
    pub(super) fn branch(&self, state: &State<W>) -> Branch {
        let problem = self.problem;
        let mut best = Best { branch: None, count: 1, trouble: 0 };
        for (read, row) in state.candidates.iter().enumerate().filter(|(r, _)| problem.reads[*r].updates) {
            best.offer(Branch::Read(read), rows::count(row), self.trouble(read));
        }
        for (variable, mask) in state.options.iter().enumerate() {
            let trouble = self.trouble(problem.reads.len() + variable);
            best.offer(Branch::Option(variable), mask.count_ones(), trouble);
        }
        for (read, row) in state.candidates.iter().enumerate().filter(|(r, _)| !problem.reads[*r].updates) {
            best.offer(Branch::Read(read), rows::count(row), self.trouble(read));
        }
        let loose = |(index, _): &(usize, &OrderVar)| state.loose.has(*index);
        // Who asks for outcomes decides first what the final state shows.
        let shows_reads = self.options.mode == Mode::States && matches!(best.branch, Some(Branch::Read(_)));
        for (index, order) in problem.orders.iter().enumerate().filter(loose).filter(|_| !shows_reads) {
            let trouble = self.trouble(problem.reads.len() + problem.options.len() + index);
            if best.is_better(2, trouble)
                && let Some((a, b)) = self.open_pair(state, order)
            {
                best.offer(Branch::Order(index, a, b), 2, trouble);
            }
        }
        if let Some(branch) = best.branch {
            return branch;
        }
        match state.finals.iter().position(|row| rows::count(row) > 1) {
            Some(index) => Branch::Final(index),
            None => Branch::Leaf,
        }
    }

    /// Two events of an order that are not ordered yet.
    pub(super) fn open_pair(&self, state: &State<W>, order: &OrderVar) -> Option<(usize, usize)> {
        let rel = state.order(order.choice);
        let open = |a: &usize, b: &&usize| !rows::has(&rel[*a], **b) && !rows::has(&rel[**b], *a);
        let mut places = order.over.iter().enumerate();
        places.find_map(|(at, a)| Some((*a, *order.over[at + 1..].iter().find(|b| open(a, b))?)))
    }

    /// Must the tree be the same, whatever was met elsewhere? Where subtrees are shared out, all workers walk it; and who looks at executions sees them in one order, whether
    /// all of them are looked for or some that were kept.
    pub(super) fn is_the_same_for_all(&self) -> bool {
        self.shared || self.sink.watch.is_some()
    }

    /// How often trying the alternatives of a variable has ended at once.
    fn trouble(&self, variable: usize) -> u32 {
        if self.is_the_same_for_all() { 1 } else { self.troubles[variable] }
    }
}
