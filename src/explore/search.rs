//! The search in one world: bind reads, refine orders, prune by what is certain.
//!
//! Everything not yet chosen has bounds; after each choice the code of the world is run on the bounds. A check
//! that fails on what is certain refutes the branch. From each check the refuting pass ([`super::refute`]) walks
//! back through the code and finds every single choice that would violate it, so that hopeless choices are
//! never tried.

use std::ops::ControlFlow;

use super::Options;
use super::code::{Code, OrderVar};
use super::finals::Finals;
use super::naive::{self, Candidate};
use super::problem::{Problem, Reader};
use super::sink::{Found, Sink};
use super::steps::assertion_failed;
use crate::model::{CheckKind, Plain, TestKind};
use crate::program::Value;
use crate::relation::rows::{self, Row};

/// What is chosen so far. Cheap to copy.
#[derive(Clone, Default)]
pub(super) struct State<const W: usize> {
    /// Writes each read may still take its value from.
    pub candidates: Vec<Row<W>>,
    /// What each order choice certainly contains: `n` rows per choice, transitively closed per order.
    pub orders: Vec<Row<W>>,
    /// Alternatives left, by option variable.
    pub options: Vec<u64>,
    /// Final writes left, by observed cell whose final write is not the last of an order.
    pub finals: Vec<Row<W>>,
    /// Values of the reads known so far, by event (empty where there is nothing to solve before the end).
    pub values: Vec<Option<Value>>,
    /// Checks that are not entailed yet, by position; those past the mask's width always count as open.
    pub open: u64,
    /// Orders whose base may still add to them, likewise.
    pub open_orders: u64,
}

impl<const W: usize> State<W> {
    fn copy_from(&mut self, other: &State<W>) {
        self.candidates.clone_from(&other.candidates);
        self.orders.clone_from(&other.orders);
        self.options.clone_from(&other.options);
        self.finals.clone_from(&other.finals);
        self.values.clone_from(&other.values);
        self.open = other.open;
        self.open_orders = other.open_orders;
    }
}

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

/// A search in one world.
pub(super) struct Search<'s, 't, const W: usize> {
    pub problem: &'s Problem<'s>,
    pub n: usize,
    pub all: Row<W>,
    pub visible: Row<W>,
    /// Lower bounds, by slot.
    pub must: Vec<Row<W>>,
    /// Upper bounds, by slot.
    pub may: Vec<Row<W>>,
    /// Pairs that the refuting pass found impossible, by slot.
    pub forbidden: Vec<Row<W>>,
    /// First row of each slot.
    pub offset: Vec<usize>,
    /// Closures of the acyclicity checks, `n` rows each, and of the bases of orders.
    pub closures: Vec<Row<W>>,
    pub scratch: Vec<Row<W>>,
    pub scratch2: Vec<Row<W>>,
    over: Vec<Row<W>>,
    /// Compute both bounds of every slot, needed or not: to find checks that are entailed.
    pub probing: bool,
    /// Checks being evaluated: slots that only others need are skipped.
    pub wanted: u64,
    probes: u32,
    hits: u32,
    values: Vec<Option<Value>>,
    states: Vec<State<W>>,
    pruned: Vec<u64>,
    options: &'s Options,
    part: Part,
    /// Subtrees met so far at the depth where they are shared out.
    subtrees: usize,
    /// For models with parts that only the plain evaluator can run.
    plain: Option<Plain<'s>>,
    last: Vec<usize>,
    sink: &'s mut Sink<'t>,
}

/// What to decide next.
enum Branch {
    Leaf,
    Read(usize),
    Option(usize),
    Order(usize, usize, usize),
    Final(usize),
}

impl<'s, 't, const W: usize> Search<'s, 't, W> {
    /// Runs the search; `sink` is given every complete execution.
    pub fn run(
        problem: &'s Problem<'s>,
        options: &'s Options,
        part: Part,
        sink: &'s mut Sink<'t>,
    ) -> ControlFlow<()> {
        let n = problem.code.numbering.len();
        let mut offset = Vec::with_capacity(problem.code.slots.len());
        let mut total = 0;
        for slot in &problem.code.slots {
            offset.push(total);
            total += if slot.is_set { 1 } else { n };
        }
        let row_of = |events: &mut dyn Iterator<Item = usize>| {
            let mut row: Row<W> = rows::zero();
            events.for_each(|event| rows::put(&mut row, event));
            row
        };
        let n_closures = problem.checks.len() + problem.orders.len();
        let mut search: Search<W> = Search {
            problem,
            n,
            all: row_of(&mut (0..n)),
            visible: row_of(&mut problem.visible.iter().copied()),
            must: vec![rows::zero(); total],
            may: vec![rows::zero(); total],
            forbidden: vec![rows::zero(); total],
            offset,
            closures: vec![rows::zero(); n * n_closures],
            scratch: vec![rows::zero(); n],
            scratch2: vec![rows::zero(); n],
            probing: false,
            wanted: !0,
            probes: 0,
            hits: 0,
            values: vec![None; problem.n_values],
            over: problem.orders.iter().map(|o| row_of(&mut o.over.iter().copied())).collect(),
            states: vec![State::default()],
            pruned: vec![0; problem.checks.len() + 2],
            options,
            part,
            subtrees: 0,
            plain: problem.plain_leaf.then(|| Plain::new(problem.model, problem.view)),
            last: vec![0; problem.world.observed.len()],
            sink,
        };
        search.fill_constants();
        let flow = if search.fill_root() { search.explore(0) } else { ControlFlow::Continue(()) };
        for (index, count) in search.pruned.iter().enumerate() {
            let name = match problem.checks.get(index) {
                Some(check) => &check.name,
                None if index == problem.checks.len() => "(order)",
                None => "(no choice left)",
            };
            search.sink.pruned(name, *count);
        }
        flow
    }

    fn fill_constants(&mut self) {
        for (slot, rows) in &self.problem.constants {
            let at = self.offset[*slot as usize];
            for (index, words) in rows.chunks_exact(self.problem.words).enumerate() {
                let row = from_words(words);
                self.must[at + index] = row;
                self.may[at + index] = row;
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
        root.orders = vec![rows::zero(); self.n * problem.n_choices];
        for (choice, from, to) in &problem.ordered {
            rows::put(&mut root.orders[choice * self.n + from], *to);
        }
        let mask = |count: usize| if count >= 64 { !0 } else { (1u64 << count) - 1 };
        root.options = problem.options.iter().map(|o| mask(o.options.len())).collect();
        root.finals = problem.finals.iter().map(|f| row_of(&f.writes)).collect();
        root.values = vec![None; if problem.plain_values { 0 } else { problem.n_values }];
        root.open = !0;
        root.open_orders = problem.open_orders;
        problem.must_be_last.iter().all(|(choice, from, to)| {
            rows::add_closed(&mut root.orders[choice * self.n..(choice + 1) * self.n], *from, *to)
        })
    }

    fn explore(&mut self, depth: usize) -> ControlFlow<()> {
        if depth == Part::DEPTH && self.part.of > 1 {
            self.subtrees += 1;
            if self.subtrees % self.part.of != self.part.number {
                return ControlFlow::Continue(());
            }
        }
        self.sink.graph()?;
        let mut state = std::mem::take(&mut self.states[depth]);
        let flow = self.explore_from(depth, &mut state);
        self.states[depth] = state;
        flow
    }

    fn explore_from(&mut self, depth: usize, state: &mut State<W>) -> ControlFlow<()> {
        let Some(branch) = self.propagate(state) else { return ControlFlow::Continue(()) };
        if self.states.len() == depth + 1 {
            self.states.push(State::default());
        }
        let shared = self.part.of > 1 && depth < Part::DEPTH;
        if !shared && problem_is_free(self.problem, state) {
            return self.list(state);
        }
        match branch {
            // What ends above the depth where subtrees are shared out is the first worker's.
            Branch::Leaf if shared && self.part.number != 0 => {}
            Branch::Leaf => return self.leaf(state),
            Branch::Read(read) => {
                for write in rows::bits(state.candidates[read]) {
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    next.candidates[read] = rows::zero();
                    rows::put(&mut next.candidates[read], write);
                    self.explore(depth + 1)?;
                }
            }
            Branch::Option(variable) => {
                let mut rest = state.options[variable];
                while rest != 0 {
                    let bit = rest & rest.wrapping_neg();
                    rest &= !bit;
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    next.options[variable] = bit;
                    self.explore(depth + 1)?;
                }
            }
            Branch::Order(choice, a, b) => {
                for (from, to) in [(a, b), (b, a)] {
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    if rows::add_closed(&mut next.orders[choice * self.n..(choice + 1) * self.n], from, to) {
                        self.explore(depth + 1)?;
                    }
                }
            }
            Branch::Final(index) => {
                for write in rows::bits(state.finals[index]) {
                    let next = &mut self.states[depth + 1];
                    next.copy_from(state);
                    next.finals[index] = rows::zero();
                    rows::put(&mut next.finals[index], write);
                    self.explore(depth + 1)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Lists all completions where nothing can refute any of them, in place.
    fn list(&mut self, state: &mut State<W>) -> ControlFlow<()> {
        match self.branch(state) {
            Branch::Leaf => self.leaf(state),
            Branch::Read(read) => {
                let candidates = state.candidates[read];
                for write in rows::bits(candidates) {
                    state.candidates[read] = rows::zero();
                    rows::put(&mut state.candidates[read], write);
                    self.sink.graph()?;
                    self.list(state)?;
                }
                state.candidates[read] = candidates;
                ControlFlow::Continue(())
            }
            Branch::Option(variable) => {
                let options = state.options[variable];
                for option in alternatives(options) {
                    state.options[variable] = 1 << option;
                    self.sink.graph()?;
                    self.list(state)?;
                }
                state.options[variable] = options;
                ControlFlow::Continue(())
            }
            Branch::Order(choice, a, b) => {
                let range = choice * self.n..(choice + 1) * self.n;
                let saved = state.orders[range.clone()].to_vec();
                for (from, to) in [(a, b), (b, a)] {
                    if rows::add_closed(&mut state.orders[range.clone()], from, to) {
                        self.sink.graph()?;
                        self.list(state)?;
                    }
                    state.orders[range.clone()].copy_from_slice(&saved);
                }
                ControlFlow::Continue(())
            }
            Branch::Final(index) => {
                let finals = state.finals[index];
                for write in rows::bits(finals) {
                    state.finals[index] = rows::zero();
                    rows::put(&mut state.finals[index], write);
                    self.sink.graph()?;
                    self.list(state)?;
                }
                state.finals[index] = finals;
                ControlFlow::Continue(())
            }
        }
    }

    /// What to decide next: a read with the fewest candidates, then explicit options, then orders, then final writes.
    fn branch(&self, state: &State<W>) -> Branch {
        let mut best: Option<(u32, usize)> = None;
        for (read, row) in state.candidates.iter().enumerate() {
            let count = rows::count(row);
            if count > 1 && best.is_none_or(|(least, _)| count < least) {
                best = Some((count, read));
            }
        }
        if let Some((_, read)) = best {
            return Branch::Read(read);
        }
        if let Some(variable) = state.options.iter().position(|o| o.count_ones() > 1) {
            return Branch::Option(variable);
        }
        for order in &self.problem.orders {
            let rel = &state.orders[order.choice * self.n..(order.choice + 1) * self.n];
            for (position, a) in order.over.iter().enumerate() {
                for b in &order.over[position + 1..] {
                    if !rows::has(&rel[*a], *b) && !rows::has(&rel[*b], *a) {
                        return Branch::Order(order.choice, *a, *b);
                    }
                }
            }
        }
        match state.finals.iter().position(|row| rows::count(row) > 1) {
            Some(index) => Branch::Final(index),
            None => Branch::Leaf,
        }
    }

    /// Runs the code on the bounds until nothing new follows; then says what to decide next. `None`: refuted.
    fn propagate(&mut self, state: &mut State<W>) -> Option<Branch> {
        let problem = self.problem;
        loop {
            if !self.solve_values(state) {
                return None;
            }
            if state.open_orders != 0 || state.open & problem.all_checks != 0 {
                // The top bit stands for the bases of orders, which are always needed.
                self.wanted = state.open | 1 << 63;
                self.load(state);
                self.run_items(&problem.code.main, state);
            } else {
                // Every check is entailed: what is left need only be listed.
                return Some(self.branch(state));
            }
            let mut changed = false;
            for (index, order) in problem.orders.iter().enumerate() {
                if order.base.is_none() || !is_open(state.open_orders, index) {
                    continue;
                }
                match self.contain_base(state, index, order) {
                    Some(more) => changed |= more,
                    None => {
                        self.pruned[problem.checks.len()] += 1;
                        return None;
                    }
                }
            }
            let branch = self.branch(state);
            // With a single choice left, trying it is as cheap as refuting it.
            let last = self.choices_left(state) <= 1;
            for index in 0..problem.checks.len() {
                if is_open(state.open, index) && !self.check(index, !last) {
                    self.pruned[index] += 1;
                    return None;
                }
            }
            if last {
                if !changed {
                    return Some(branch);
                }
                continue;
            }
            self.refute(state);
            match self.apply(state) {
                Some(more) => changed |= more,
                None => {
                    self.pruned[problem.checks.len() + 1] += 1;
                    return None;
                }
            }
            if !changed {
                self.probe(state);
                return Some(branch);
            }
        }
    }

    /// Looks for checks that hold in every completion, and closes them. Costs as much as another evaluation, so
    /// it is only done where much is left to choose, or where it has paid off so far.
    fn probe(&mut self, state: &mut State<W>) {
        let problem = self.problem;
        if state.open & problem.all_checks == 0 && state.open_orders == 0 {
            return;
        }
        let left = state.candidates.iter().filter(|row| rows::count(row) > 1).count()
            + state.options.iter().filter(|mask| mask.count_ones() > 1).count();
        let pays = self.hits * 4 >= self.probes || self.probes < 16;
        if left < 2 || (left < 5 && !pays) {
            return;
        }
        self.probes += 1;
        self.probing = true;
        self.run_items(&problem.code.main, state);
        self.probing = false;
        let mut closed = false;
        // The top bit of the mask stands for all checks past its width as well, and is then never cleared.
        let closable = if problem.checks.len() > 64 { 63 } else { 64 };
        for (index, check) in problem.checks.iter().enumerate().take(closable) {
            if state.open >> index & 1 == 0 || check.negated {
                continue;
            }
            let (at, size) = self.place(check.slot);
            let may = &self.may[at..at + size];
            let holds = match check.test {
                TestKind::Empty => may.iter().all(rows::is_zero),
                TestKind::Irreflexive => !rows::reflexive(may),
                TestKind::Acyclic => rows::acyclic(may),
            };
            if holds {
                state.open &= !(1 << index);
                closed = true;
            }
        }
        for (index, order) in problem.orders.iter().enumerate().take(63) {
            let Some(slot) = order.base.filter(|_| state.open_orders >> index & 1 == 1) else { continue };
            let (at, size) = self.place(slot);
            self.scratch[..size].copy_from_slice(&self.may[at..at + size]);
            rows::close(&mut self.scratch[..size]);
            let rel = &state.orders[order.choice * self.n..(order.choice + 1) * self.n];
            let over = self.over[index];
            let inside =
                |a: &usize| rows::is_zero(&rows::and_not(&rows::and(&self.scratch[*a], &over), &rel[*a]));
            if order.over.iter().all(inside) {
                state.open_orders &= !(1 << index);
                closed = true;
            }
        }
        if closed {
            self.hits += 1;
            self.sink.outcome.stats.entailed += 1;
        }
    }

    /// How much is left to choose: reads, options and final writes, plus one for all orders together.
    fn choices_left(&self, state: &State<W>) -> usize {
        let several = |row: &&Row<W>| rows::count(row) > 1;
        let orders = match self.branch(state) {
            // Pairs of one order hang together: refuting one decides others.
            Branch::Order(..) => 2,
            _ => 0,
        };
        state.candidates.iter().filter(several).count()
            + state.options.iter().filter(|mask| mask.count_ones() > 1).count()
            + state.finals.iter().filter(several).count()
            + orders
    }

    /// Does a check still hold on what is certain? Leaves the closure behind, if the refuting pass is to follow.
    fn check(&mut self, index: usize, refuting: bool) -> bool {
        let check = &self.problem.checks[index];
        let at = self.offset[check.slot as usize];
        let is_set = self.problem.code.slots[check.slot as usize].is_set;
        let size = if is_set { 1 } else { self.n };
        if check.negated {
            // Violated only if the property certainly holds.
            let may = &self.may[at..at + size];
            return match check.test {
                TestKind::Empty => !may.iter().all(rows::is_zero),
                TestKind::Irreflexive => rows::reflexive(may),
                TestKind::Acyclic => !rows::acyclic(may),
            };
        }
        let must = &self.must[at..at + size];
        match check.test {
            TestKind::Empty => must.iter().all(rows::is_zero),
            TestKind::Irreflexive => !rows::reflexive(must),
            TestKind::Acyclic if !refuting => rows::acyclic(must),
            TestKind::Acyclic => {
                let closure = &mut self.closures[index * self.n..(index + 1) * self.n];
                closure.copy_from_slice(must);
                rows::close(closure);
                !rows::reflexive(closure)
            }
        }
    }

    /// Binds values that follow, and drops candidates that contradict a constraint. False: a contradiction.
    fn solve_values(&mut self, state: &mut State<W>) -> bool {
        let problem = self.problem;
        if problem.plain_values {
            return true;
        }
        loop {
            let mut changed = false;
            for (index, read) in problem.reads.iter().enumerate() {
                if state.values[read.event].is_some() || rows::count(&state.candidates[index]) != 1 {
                    continue;
                }
                let Some(write) = rows::lowest(&state.candidates[index]) else { continue };
                if let Some(value) = self.written(&state.values, write) {
                    state.values[read.event] = Some(value);
                    changed = true;
                }
            }
            for constraint in &problem.constraints {
                let mut unknown = constraint.reads.iter().filter(|event| state.values[**event].is_none());
                match (unknown.next().copied(), unknown.next()) {
                    (None, _) if !self.satisfied(&state.values, constraint) => {
                        self.sink.value_conflict();
                        return false;
                    }
                    (Some(event), None) => {
                        // Only one read left: try each of its candidates whose value is known.
                        let Some(index) = problem.reads.iter().position(|r| r.event == event) else {
                            continue;
                        };
                        for write in rows::bits(state.candidates[index]) {
                            let Some(value) = self.written(&state.values, write) else { continue };
                            state.values[event] = Some(value);
                            let fits = self.satisfied(&state.values, constraint);
                            state.values[event] = None;
                            if !fits {
                                rows::drop_bit(&mut state.candidates[index], write);
                                changed = true;
                            }
                        }
                        if rows::is_zero(&state.candidates[index]) {
                            self.sink.value_conflict();
                            return false;
                        }
                    }
                    _ => {}
                }
            }
            if !changed {
                return true;
            }
        }
    }

    fn written(&self, values: &[Option<Value>], write: usize) -> Option<Value> {
        let event = self.problem.code.numbering.kept[write];
        let value = self.problem.world.events[event].written_value()?;
        value.eval(values, self.problem.bits).ok().flatten()
    }

    fn satisfied(&self, values: &[Option<Value>], constraint: &Reader) -> bool {
        match constraint.value.eval(values, self.problem.bits) {
            Ok(Some(value)) => (value != Value::ZERO) == constraint.expected,
            // An operation without meaning is reported when an execution gets to the end with it.
            Ok(None) | Err(_) => true,
        }
    }

    /// Puts the bounds of what is chosen into their slots.
    fn load(&mut self, state: &State<W>) {
        let problem = self.problem;
        for slot in &problem.bases {
            let info = &problem.code.slots[*slot as usize];
            let at = self.offset[*slot as usize];
            let size = if info.is_set { 1 } else { self.n };
            self.must[at..at + size].fill(rows::zero());
            self.may[at..at + size].fill(rows::zero());
            match info.code {
                Code::Rf => {
                    for (index, read) in problem.reads.iter().enumerate() {
                        let row = state.candidates[index];
                        for write in rows::bits(row) {
                            rows::put(&mut self.may[at + write], read.number);
                        }
                        if rows::count(&row) == 1
                            && let Some(write) = rows::lowest(&row)
                        {
                            rows::put(&mut self.must[at + write], read.number);
                        }
                    }
                }
                Code::Choice(choice) => self.load_choice(state, at, size, choice),
                Code::Fw => (self.must[at], self.may[at]) = self.final_writes(state),
                _ => self.may[at..at + size].fill(self.all),
            }
        }
    }

    fn load_choice(&mut self, state: &State<W>, at: usize, size: usize, choice: usize) {
        let problem = self.problem;
        let rel = &state.orders[choice * self.n..(choice + 1) * self.n];
        for (index, order) in problem.orders.iter().enumerate() {
            if order.choice != choice {
                continue;
            }
            let over = self.over[index];
            for a in &order.over {
                self.must[at + a] = rows::or(&self.must[at + a], &rel[*a]);
                let mut after = over;
                rows::drop_bit(&mut after, *a);
                self.may[at + a] = rows::or(&self.may[at + a], &after);
            }
            for a in &order.over {
                for b in rows::bits(rel[*a]) {
                    rows::drop_bit(&mut self.may[at + b], *a);
                }
            }
        }
        for (index, variable) in problem.options.iter().enumerate() {
            if variable.choice != choice {
                continue;
            }
            for row in 0..size {
                let mut certain: Row<W> = self.all;
                let mut possible = rows::zero();
                for option in alternatives(state.options[index]) {
                    let value = option_row(problem, &variable.options[option], row);
                    certain = rows::and(&certain, &value);
                    possible = rows::or(&possible, &value);
                }
                self.must[at + row] = rows::or(&self.must[at + row], &certain);
                self.may[at + row] = rows::or(&self.may[at + row], &possible);
            }
        }
    }

    /// Bounds of the set of final writes.
    fn final_writes(&self, state: &State<W>) -> (Row<W>, Row<W>) {
        let (mut must, mut may) = (rows::zero(), rows::zero());
        let mut add = |row: &Row<W>| {
            may = rows::or(&may, row);
            if rows::count(row) == 1 {
                must = rows::or(&must, row);
            }
        };
        for last in &self.problem.last_of_order {
            let rel = &state.orders[last.choice * self.n..(last.choice + 1) * self.n];
            let mut left = rows::zero();
            for write in &last.writes {
                if !last.writes.iter().any(|other| rows::has(&rel[*write], *other)) {
                    rows::put(&mut left, *write);
                }
            }
            add(&left);
        }
        state.finals.iter().for_each(add);
        (must, may)
    }

    /// An order contains the closure of its base: adds what is certain. `None`: a cycle.
    fn contain_base(&mut self, state: &mut State<W>, index: usize, order: &OrderVar) -> Option<bool> {
        let slot = order.base?;
        let at = self.offset[slot as usize];
        // Orders of one choice usually share their base: its closure is computed for the first.
        let first = self.problem.orders.iter().position(|o| o.base == order.base).unwrap_or(index);
        let place = (self.problem.checks.len() + first) * self.n;
        let closure = &mut self.closures[place..place + self.n];
        if first == index || !is_open(state.open_orders, first) {
            closure.copy_from_slice(&self.must[at..at + self.n]);
            rows::close(closure);
        }
        let over = self.over[index];
        let rel = &mut state.orders[order.choice * self.n..(order.choice + 1) * self.n];
        let mut changed = false;
        for a in &order.over {
            let missing = rows::and_not(&rows::and(&closure[*a], &over), &rel[*a]);
            for b in rows::bits(missing) {
                if !rows::add_closed(rel, *a, b) {
                    return None;
                }
                changed = true;
            }
        }
        Some(changed)
    }

    /// Takes what the refuting pass found. `None`: nothing is left for some choice.
    fn apply(&mut self, state: &mut State<W>) -> Option<bool> {
        let problem = self.problem;
        let mut changed = false;
        for slot in &problem.bases {
            let at = self.offset[*slot as usize];
            match problem.code.slots[*slot as usize].code {
                Code::Rf => {
                    for (index, read) in problem.reads.iter().enumerate() {
                        let row = state.candidates[index];
                        if rows::count(&row) == 1 {
                            continue;
                        }
                        for write in rows::bits(row) {
                            if rows::has(&self.forbidden[at + write], read.number) {
                                rows::drop_bit(&mut state.candidates[index], write);
                                changed = true;
                            }
                        }
                        if rows::is_zero(&state.candidates[index]) {
                            return None;
                        }
                    }
                }
                Code::Choice(choice) => {
                    let rel = &mut state.orders[choice * self.n..(choice + 1) * self.n];
                    for (index, order) in problem.orders.iter().enumerate() {
                        if order.choice != choice {
                            continue;
                        }
                        for a in &order.over {
                            // (a, b) is impossible and not decided yet: b comes before a.
                            let mut open = rows::and(&self.forbidden[at + a], &self.over[index]);
                            open = rows::and_not(&open, &rel[*a]);
                            rows::drop_bit(&mut open, *a);
                            for b in rows::bits(open) {
                                if !rows::has(&rel[b], *a) {
                                    if !rows::add_closed(rel, b, *a) {
                                        return None;
                                    }
                                    changed = true;
                                }
                            }
                        }
                    }
                    let size = if problem.code.slots[*slot as usize].is_set { 1 } else { self.n };
                    for (index, variable) in problem.options.iter().enumerate() {
                        if variable.choice != choice || state.options[index].count_ones() == 1 {
                            continue;
                        }
                        for option in alternatives(state.options[index]) {
                            let bad = (0..size).any(|row| {
                                let value = option_row(problem, &variable.options[option], row);
                                !rows::is_zero(&rows::and(&value, &self.forbidden[at + row]))
                            });
                            if bad {
                                state.options[index] &= !(1 << option);
                                changed = true;
                            }
                        }
                        if state.options[index] == 0 {
                            return None;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(changed)
    }

    /// Everything is chosen: hands the execution over.
    fn leaf(&mut self, state: &mut State<W>) -> ControlFlow<()> {
        let problem = self.problem;
        self.find_last(state);
        let mut values = std::mem::take(&mut self.values);
        if problem.plain_values {
            for (read, row) in problem.reads.iter().zip(&state.candidates) {
                let write = rows::lowest(row).unwrap_or(0);
                values[read.event] = problem.known_values[write];
            }
        } else {
            values.clone_from(&state.values);
        }
        let flow = if problem.reads.iter().any(|read| values[read.event].is_none()) {
            // Values that depend on themselves come out of thin air.
            self.sink.value_conflict();
            ControlFlow::Continue(())
        } else {
            let last = std::mem::take(&mut self.last);
            let flow = self.accept(state, &values, &last);
            self.last = last;
            flow
        };
        self.values = values;
        flow
    }

    /// Notes what was chosen: the paths, `rf`, final writes, orders and options.
    #[cfg(test)]
    fn note(&self, state: &State<W>, last: &[usize]) {
        let Some(completed) = &self.options.completed else { return };
        let world = self.problem.world;
        let choices = (&state.candidates, &state.orders, &state.options, last);
        let note = format!("{:?} {:?} {choices:?}", world.constraints, world.events);
        completed.lock().expect("no test panics while it notes").push(note);
    }

    fn accept(&mut self, state: &State<W>, values: &[Option<Value>], last: &[usize]) -> ControlFlow<()> {
        #[cfg(test)]
        self.note(state, last);
        let problem = self.problem;
        if let Some(plain) = &self.plain {
            let kept = &problem.code.numbering.kept;
            let source = |row: &Row<W>| rows::lowest(row).map_or(0, |write| kept[write]);
            let sources: Vec<usize> = state.candidates.iter().map(source).collect();
            let candidate = Candidate { sources: &sources, values, last };
            return naive::run_model(problem.model, plain, problem.view, self.options, &candidate, self.sink);
        }
        let finals = Finals::new(problem.view, values, last, &problem.registers);
        if !self.sink.wanted(&|o| finals.value(o)) {
            return ControlFlow::Continue(());
        }
        let mut flags: Vec<&str> = problem.sure_flags.iter().map(String::as_str).collect();
        let mut undefined = problem.sure_undefined;
        if !problem.flags.is_empty() {
            // Checks entailed long ago left their slots behind: everything once more.
            self.wanted = !0;
            self.load(state);
            self.run_items(&problem.code.main, state);
            self.run_items(&problem.code.late, state);
            for flag in &problem.flags {
                let (at, size) = self.place(flag.slot);
                let value = &self.must[at..at + size];
                let plain = match flag.test {
                    TestKind::Empty => value.iter().all(rows::is_zero),
                    TestKind::Irreflexive => !rows::reflexive(value),
                    TestKind::Acyclic => rows::acyclic(value),
                };
                match (flag.kind, plain != flag.negated) {
                    (CheckKind::Flag, true) if flag.name != "(unnamed)" => flags.push(&flag.name),
                    (CheckKind::UndefinedUnless, false) => undefined = true,
                    (CheckKind::Assert, false) => {
                        let step = &problem.model.steps[flag.step];
                        return self.sink.fail(assertion_failed(Some(&flag.name), step));
                    }
                    _ => {}
                }
            }
        }
        if !problem.harmless
            && let Some(illegal) = finals.illegal(&self.sink.test().observed)
        {
            return self.sink.fail(illegal);
        }
        self.sink.record(&|o| finals.value(o), &Found { flags: &flags, undefined })
    }

    /// The final write of each observed cell.
    fn find_last(&mut self, state: &State<W>) {
        let kept = &self.problem.code.numbering.kept;
        for last in &self.problem.last_of_order {
            let rel = &state.orders[last.choice * self.n..(last.choice + 1) * self.n];
            let end = last.writes.iter().find(|w| !last.writes.iter().any(|o| rows::has(&rel[**w], *o)));
            self.last[last.position] = end.map_or(0, |write| kept[*write]);
        }
        for (last, row) in self.problem.finals.iter().zip(&state.finals) {
            self.last[last.position] = rows::lowest(row).map_or(0, |write| kept[write]);
        }
    }
}

/// Is there nothing left that could refute a completion?
fn problem_is_free<const W: usize>(problem: &Problem, state: &State<W>) -> bool {
    problem.plain_values && state.open_orders == 0 && state.open & problem.all_checks == 0
}

/// Is the check at this position still open?
fn is_open(mask: u64, index: usize) -> bool {
    index >= 64 || mask >> index & 1 == 1
}

/// The alternatives of a mask.
fn alternatives(mask: u64) -> impl Iterator<Item = usize> {
    rows::bits([mask])
}

fn option_row<const W: usize>(problem: &Problem, rows: &[u64], row: usize) -> Row<W> {
    from_words(&rows[row * problem.words..(row + 1) * problem.words])
}

fn from_words<const W: usize>(words: &[u64]) -> Row<W> {
    let mut row = rows::zero();
    row[..words.len()].copy_from_slice(words);
    row
}
