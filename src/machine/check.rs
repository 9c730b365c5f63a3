//! The questions: does a formula hold on every fair run, is a state reachable?

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use super::code::{Watched, compile};
use super::ltl::automaton::{Automaton, MAX_UNTILS, TooLarge, translate};
use super::ltl::emptiness::{Graph, accepting_run, shortest_path};
use super::ltl::eval::holds_on;
use super::proposition::{Property, Propositions};
use super::state::{Rows, Where};
use super::step::{Action, Machine, Next};
use super::{Buffers, Fault, Options};
use crate::condition::Observable;
use crate::diag::Diagnostic;
use crate::program::{Program, Value};

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fairness {
    /// All of them.
    None,
    /// Those in which no write waits for ever.
    #[default]
    Memory,
    /// Those in which, besides, no thread that can move for ever is passed over for ever.
    All,
}

/// When to give up.
pub struct Limits<'l> {
    /// Most bytes that states may take.
    pub bytes: usize,
    /// Asked now and then: may the search go on? Is told how many states there are.
    pub go_on: &'l dyn Fn(usize) -> bool,
}

/// What the search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// States of the machine.
    pub states: usize,
    /// States of machine and automaton together.
    pub product: usize,
    /// Steps.
    pub transitions: u64,
    /// Bytes that states take.
    pub bytes: usize,
    /// States of the automaton.
    pub automaton: usize,
}

/// A step of a run, as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceStep {
    /// Something was done.
    Done(Action),
    /// Nothing can move any more.
    Stutter,
}

/// A run that violates the property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// What leads to the cycle.
    pub stem: Vec<TraceStep>,
    /// What goes on for ever; empty if the stem is enough, whatever comes after it.
    pub cycle: Vec<TraceStep>,
}

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It holds. `complete`: no write ever had to wait for a free place in a buffer.
    Holds {
        /// Is nothing missing?
        complete: bool,
    },
    /// It does not.
    Violated(Lasso),
}

/// Does every fair run satisfy the property?
///
/// # Errors
/// The program does what the machine cannot do, the formula is too large, or a limit was hit.
pub fn check(
    program: &Program,
    property: &Property,
    options: &Options,
    fairness: Fairness,
    limits: &Limits,
) -> Result<(Answer, Figures), Fault> {
    let negated = property.formula.negated();
    let automaton = translate(&negated).map_err(too_large)?;
    let machine = machine(program, &property.propositions, options)?;
    let fair = FairSets::new(&machine, options, fairness, automaton.n_sets)?;
    let all = fair.all | ((1u64 << automaton.n_sets) - 1);
    let mut product = Product {
        machine,
        automaton: &automaton,
        propositions: &property.propositions,
        fair,
        pairs: Rows::new(2),
        limits,
        next: Vec::new(),
        looked: 0,
    };
    let run = accepting_run(&mut product, all)?;
    let answer = match run {
        None => Answer::Holds { complete: !product.machine.waited },
        Some(run) => {
            let state = |pair: &u32| product.pairs.get(*pair)[0];
            let states: Vec<u32> = run.stem.iter().chain(&run.cycle).map(state).collect();
            let back = run.stem.len();
            let word: Vec<u64> =
                states.iter().map(|state| property.propositions.hold(&product.machine, *state)).collect();
            if holds_on(&property.formula, &word, back)[0] {
                let message = "a run was found that does not violate the formula";
                return Err(Fault::Program(Diagnostic::internal(message)));
            }
            // Where nothing can save the formula any more, what follows does not matter.
            let lost = |product: &Product, pair: u32| automaton.accepts_all_from(product.pairs.get(pair)[1]);
            Answer::Violated(match run.stem.iter().chain(&run.cycle).any(|pair| lost(&product, *pair)) {
                true => {
                    let initial = run.stem.iter().chain(&run.cycle).next().copied().unwrap_or(0);
                    let pairs = shortest_path(&mut product, initial, &lost)?;
                    let states: Vec<u32> = pairs.iter().map(|pair| product.pairs.get(*pair)[0]).collect();
                    // The automaton is one step behind: it has not looked at the last state.
                    let end = states.len().saturating_sub(1).max(1);
                    Lasso { stem: path(&mut product.machine, &states[..end])?, cycle: Vec::new() }
                }
                false => trace(&mut product.machine, &states, back)?,
            })
        }
    };
    let figures = Figures {
        states: product.machine.n_states(),
        product: product.pairs.len(),
        transitions: product.machine.transitions,
        bytes: product.machine.bytes() + product.pairs.bytes(),
        automaton: automaton.states.len(),
    };
    Ok((answer, figures))
}

/// The final states that the machine can reach: every thread has ended, and every write has landed. The values are those of `observed`.
///
/// # Errors
/// As [`check`].
pub fn final_states(
    program: &Program,
    observed: &[Observable],
    options: &Options,
    limits: &Limits,
) -> Result<BTreeSet<Vec<Value>>, Fault> {
    let registers = observed.iter().filter_map(|place| match place {
        Observable::Reg(thread, register) => Some((usize::from(*thread), *register)),
        _ => None,
    });
    let watched = Watched { places: Vec::new(), registers: registers.collect() };
    let compiled = compile(program, &watched).map_err(Fault::Program)?;
    let mut machine = Machine::new(program, compiled, options.clone());
    let mut found = BTreeSet::new();
    let mut at = machine.initial()?;
    let mut next = Vec::new();
    // States are numbered as they are met: those not looked at yet are the last ones.
    while (at as usize) < machine.n_states() {
        next.clear();
        machine.successors(at, false, &mut next)?;
        let row = machine.rows.get(at);
        let threads = &row[..row.len() - 1];
        let over = |local: &u32| {
            let local = machine.locals.get(*local);
            local.at == Where::Ended && local.pending.is_empty()
        };
        if threads.iter().all(over) {
            let memory = machine.memories.get(row[row.len() - 1]);
            let value = |place: &Observable| match place {
                Observable::Reg(thread, register) => {
                    machine.locals.get(row[usize::from(*thread)]).slots[usize::from(register.0)]
                }
                Observable::Loc(cell) => memory[usize::from(cell.0)],
                // There are no faults here.
                _ => Value::ZERO,
            };
            found.insert(observed.iter().map(value).collect());
        }
        at += 1;
        look(&machine, 0, at as usize, limits)?;
    }
    Ok(found)
}

/// A shortest run to a state where the propositions of `property` make its formula (one without temporal operators) true.
///
/// # Errors
/// As [`check`].
pub fn reach(
    program: &Program,
    property: &Property,
    options: &Options,
    limits: &Limits,
) -> Result<(Option<Vec<TraceStep>>, bool, Figures), Fault> {
    let mut machine = machine(program, &property.propositions, options)?;
    let initial = machine.initial()?;
    let mut before: FxHashMap<u32, u32> = FxHashMap::default();
    let mut waiting = VecDeque::from([initial]);
    let mut goal = None;
    let mut next = Vec::new();
    before.insert(initial, initial);
    while let Some(state) = waiting.pop_front() {
        let word = [property.propositions.hold(&machine, state)];
        if holds_on(&property.formula, &word, 0)[0] {
            goal = Some(state);
            break;
        }
        next.clear();
        machine.successors(state, false, &mut next)?;
        for step in &next {
            before.entry(step.to).or_insert_with(|| {
                waiting.push_back(step.to);
                state
            });
        }
        look(&machine, before.len() * 16, before.len(), limits)?;
    }
    let figures = Figures {
        states: machine.n_states(),
        product: 0,
        transitions: machine.transitions,
        bytes: machine.bytes(),
        automaton: 0,
    };
    let path = match goal {
        None => None,
        Some(goal) => {
            let mut states = vec![goal];
            while states[states.len() - 1] != initial {
                states.push(before[&states[states.len() - 1]]);
            }
            states.reverse();
            Some(
                states
                    .windows(2)
                    .map(|pair| done(&mut machine, pair[0], pair[1]))
                    .collect::<Result<_, _>>()?,
            )
        }
    };
    Ok((path, !machine.waited, figures))
}

fn too_large(why: TooLarge) -> Fault {
    let message = match why {
        TooLarge::Untils(n) => {
            format!("the formula has {n} different `U` and `F`; {MAX_UNTILS} are possible")
        }
        TooLarge::States(n) => format!("the automaton of the formula has more than {n} states"),
    };
    Fault::Program(Diagnostic::unsupported("ltl::too-large", message))
}

fn machine<'p>(
    program: &'p Program,
    propositions: &Propositions,
    options: &Options,
) -> Result<Machine<'p>, Fault> {
    let watched: Watched = propositions.watched();
    let compiled = compile(program, &watched).map_err(Fault::Program)?;
    Ok(Machine::new(program, compiled, options.clone()))
}

fn look(machine: &Machine, more: usize, states: usize, limits: &Limits) -> Result<(), Fault> {
    if !states.is_multiple_of(1024) {
        return Ok(());
    }
    if machine.bytes() + more > limits.bytes {
        return Err(Fault::Memory);
    }
    if !(limits.go_on)(machine.n_states()) {
        return Err(Fault::Time);
    }
    Ok(())
}

/// What must happen infinitely often on a fair run.
struct FairSets {
    first: u32,
    threads: bool,
    /// A set per thread (TSO), or per thread and cell (PSO).
    per_cell: bool,
    memory: bool,
    n_threads: u32,
    n_cells: u32,
    all: u64,
}

impl FairSets {
    fn new(machine: &Machine, options: &Options, fairness: Fairness, first: u32) -> Result<FairSets, Fault> {
        let n_threads = machine.compiled.threads.len() as u32;
        let n_cells = machine.program.locations.len() as u32;
        let memory = fairness != Fairness::None && options.buffers != Buffers::None;
        let threads = fairness == Fairness::All;
        let per_cell = options.buffers == Buffers::PerCell;
        let of_memory = if memory { n_threads * if per_cell { n_cells } else { 1 } } else { 0 };
        let n = of_memory + if threads { n_threads } else { 0 };
        if first + n > 64 {
            return Err(Fault::Program(Diagnostic::unsupported(
                "ltl::fairness",
                format!(
                    "fairness of {n_threads} threads and {n_cells} locations needs more sets than there is room for"
                ),
            )));
        }
        let all = if n == 0 { 0 } else { (u64::MAX >> (64 - n)) << first };
        Ok(FairSets { first, threads, per_cell, memory, n_threads, n_cells, all })
    }

    /// The sets that every step from a state is in, and those of each step besides.
    fn of(&self, machine: &Machine, state: u32, steps: &[Next], sets: &mut Vec<u64>) {
        sets.clear();
        let row = machine.rows.get(state);
        let mut always = 0;
        let mut bit = self.first;
        let mut own = vec![0u64; steps.len()];
        if self.threads {
            for thread in 0..self.n_threads as usize {
                let moves = |step: &Next| step.thread == thread && step.landed.is_none();
                if !steps.iter().any(moves) {
                    always |= 1 << bit;
                }
                for (own, step) in own.iter_mut().zip(steps) {
                    *own |= u64::from(moves(step)) << bit;
                }
                bit += 1;
            }
        }
        if self.memory {
            for (thread, local) in row.iter().enumerate().take(self.n_threads as usize) {
                let pending = &machine.locals.get(*local).pending;
                for cell in 0..if self.per_cell { self.n_cells as usize } else { 1 } {
                    let here = |of: usize| !self.per_cell || of == cell;
                    if !pending.iter().any(|write| here(usize::from(write.cell))) {
                        always |= 1 << bit;
                    }
                    for (own, step) in own.iter_mut().zip(steps) {
                        let lands = step.thread == thread && step.landed.is_some_and(here);
                        *own |= u64::from(lands) << bit;
                    }
                    bit += 1;
                }
            }
        }
        sets.extend(own.iter().map(|own| own | always));
    }
}

/// Machine and automaton side by side.
struct Product<'a, 'p> {
    machine: Machine<'p>,
    automaton: &'a Automaton,
    propositions: &'a Propositions,
    fair: FairSets,
    pairs: Rows,
    limits: &'a Limits<'a>,
    next: Vec<Next>,
    looked: usize,
}

impl Graph for Product<'_, '_> {
    type Stop = Fault;

    fn initial(&mut self) -> Result<Vec<u32>, Fault> {
        let state = self.machine.initial()?;
        Ok(vec![self.pairs.number(&[state, 0])])
    }

    fn successors(&mut self, pair: u32, steps: &mut Vec<(u32, u64)>) -> Result<(), Fault> {
        let [state, of] = [self.pairs.get(pair)[0], self.pairs.get(pair)[1]];
        self.looked += 1;
        look(&self.machine, self.pairs.bytes(), self.looked, self.limits)?;
        let holds = self.propositions.hold(&self.machine, state);
        let mut enabled =
            self.automaton.states[of as usize].iter().filter(|step| step.enabled(holds)).peekable();
        if enabled.peek().is_none() {
            return Ok(());
        }
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        self.machine.successors(state, false, &mut next)?;
        let mut sets = Vec::new();
        self.fair.of(&self.machine, state, &next, &mut sets);
        for step in enabled {
            for (to, sets) in next.iter().zip(&sets) {
                steps.push((self.pairs.number(&[to.to, step.to]), sets | step.accepts));
            }
            if next.is_empty() {
                // Nothing moves any more: this state goes on for ever.
                steps.push((self.pairs.number(&[state, step.to]), self.fair.all | step.accepts));
            }
        }
        self.next = next;
        Ok(())
    }
}

/// What was done from one state to the next.
fn done(machine: &mut Machine, from: u32, to: u32) -> Result<TraceStep, Fault> {
    let mut next = Vec::new();
    machine.successors(from, true, &mut next)?;
    if next.is_empty() && from == to {
        return Ok(TraceStep::Stutter);
    }
    match next.into_iter().find(|step| step.to == to).and_then(|step| step.action) {
        Some(action) => Ok(TraceStep::Done(action)),
        None => Err(Fault::Program(Diagnostic::internal("a run that the machine cannot take"))),
    }
}

fn path(machine: &mut Machine, states: &[u32]) -> Result<Vec<TraceStep>, Fault> {
    states.windows(2).map(|pair| done(machine, pair[0], pair[1])).collect()
}

fn trace(machine: &mut Machine, states: &[u32], back: usize) -> Result<Lasso, Fault> {
    let mut steps = Vec::new();
    for (at, state) in states.iter().enumerate() {
        let to = states.get(at + 1).copied().unwrap_or(states[back]);
        steps.push(done(machine, *state, to)?);
    }
    let cycle = steps.split_off(back);
    Ok(Lasso { stem: steps, cycle })
}

impl Machine<'_> {
    /// Is a thread about to begin that instruction of the program?
    pub(super) fn is_at(&self, state: u32, thread: usize, instruction: usize) -> bool {
        let start = self.compiled.threads[thread].starts[instruction];
        self.locals.get(self.rows.get(state)[thread]).at == Where::At(start as u32)
    }
}
