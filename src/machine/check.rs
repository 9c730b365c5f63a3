//! The questions: does a formula hold on every fair run, is a state reachable?

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use super::code::{Watched, compile};
use super::fair::FairSets;
use super::ltl::automaton::{MAX_UNTILS, TooLarge, translate};
use super::ltl::emptiness::{accepting_run, shortest_path};
use super::ltl::eval::holds_on;
use super::product::{Product, Seen};
use super::proposition::{Property, Propositions};
use super::state::Where;
use super::step::{Action, Machine};
use super::{AtomicRule, Options, System};
use crate::condition::Observable;
use crate::diag::Diagnostic;
use crate::limits;
use crate::program::Value;

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
/// The program does what the machine cannot do, or the formula is too large.
pub fn check(
    system: &System,
    property: &Property,
    options: &Options,
    fairness: Fairness,
) -> Result<(Answer, Figures), Diagnostic> {
    let negated = property.formula.negated();
    let automaton = translate(&negated).map_err(too_large)?;
    let machine = machine(system, &property.propositions, options)?;
    // What goes wrong on the way to a state has gone wrong on fair runs too: every run can be carried on fairly.
    let fairness = if property.formula.is_safety() { Fairness::None } else { fairness };
    let fair = FairSets::new(&machine, options, fairness, automaton.n_sets)?;
    // Steps may be put off only where nobody looks at single steps: no `X`, no fairness, and no atomic write that waits for others.
    let atomics = options.atomic_rule == AtomicRule::Global && !options.atomic.is_empty();
    let reduced = options.reduction && fair.all == 0 && !property.formula.has_next() && !atomics;
    let all = fair.all | ((1u64 << automaton.n_sets) - 1);
    let mut product = Product {
        machine,
        automaton: &automaton,
        propositions: &property.propositions,
        fair,
        seen: Seen::new(automaton.states.len()),
        next: Vec::new(),
        sets: Vec::new(),
        ample: reduced.then(Vec::new),
    };
    let run = accepting_run(&mut product, all)?;
    let answer = match run {
        None => Answer::Holds { complete: !product.machine.waited },
        Some(run) => {
            let state = |pair: &u32| product.seen.parts(*pair).0;
            let states: Vec<u32> = run.stem.iter().chain(&run.cycle).map(state).collect();
            let back = run.stem.len();
            let word: Vec<u64> =
                states.iter().map(|state| property.propositions.hold(&product.machine, *state)).collect();
            if holds_on(&property.formula, &word, back)[0] {
                let message = "a run was found that does not violate the formula";
                return Err(Diagnostic::internal(message));
            }
            // Where nothing can save the formula any more, what follows does not matter.
            let lost = |product: &Product, pair: u32| automaton.accepts_all_from(product.seen.parts(pair).1);
            Answer::Violated(match run.stem.iter().chain(&run.cycle).any(|pair| lost(&product, *pair)) {
                true => {
                    let initial = run.stem.iter().chain(&run.cycle).next().copied().unwrap_or(0);
                    let pairs = shortest_path(&mut product, initial, &lost)?;
                    let states: Vec<u32> = pairs.iter().map(|pair| product.seen.parts(*pair).0).collect();
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
        product: product.seen.count,
        transitions: product.machine.transitions,
        bytes: product.machine.bytes() + product.seen.bytes(),
        automaton: automaton.states.len(),
    };
    Ok((answer, figures))
}

/// The final states that the machine can reach: every thread has ended, and every write has landed. The values are those of `observed`.
///
/// # Errors
/// As [`check`].
pub fn final_states(
    system: &System,
    observed: &[Observable],
    options: &Options,
) -> Result<BTreeSet<Vec<Value>>, Diagnostic> {
    let registers = observed.iter().filter_map(|place| match place {
        Observable::Reg(thread, register) => Some((usize::from(*thread), *register)),
        _ => None,
    });
    let watched = Watched { places: Vec::new(), registers: registers.collect() };
    let compiled = compile(system, &watched)?;
    let mut machine = Machine::new(&system.program, compiled, options.clone());
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
        limits::poll();
    }
    Ok(found)
}

/// A shortest run to a state where the propositions of `property` make its formula (one without temporal operators) true.
///
/// # Errors
/// As [`check`].
pub fn reach(
    system: &System,
    property: &Property,
    options: &Options,
) -> Result<(Option<Vec<TraceStep>>, bool, Figures), Diagnostic> {
    let mut machine = machine(system, &property.propositions, options)?;
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
        limits::poll();
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

fn too_large(why: TooLarge) -> Diagnostic {
    let message = match why {
        TooLarge::Untils(n) => {
            format!("the formula has {n} different `U` and `F`; {MAX_UNTILS} are possible")
        }
        TooLarge::States(n) => format!("the automaton of the formula has more than {n} states"),
    };
    Diagnostic::unsupported("ltl::too-large", message)
}

fn machine<'p>(
    system: &'p System,
    propositions: &Propositions,
    options: &Options,
) -> Result<Machine<'p>, Diagnostic> {
    let watched: Watched = propositions.watched();
    let compiled = compile(system, &watched)?;
    Ok(Machine::new(&system.program, compiled, options.clone()))
}

/// What was done from one state to the next.
fn done(machine: &mut Machine, from: u32, to: u32) -> Result<TraceStep, Diagnostic> {
    let mut next = Vec::new();
    machine.successors(from, true, &mut next)?;
    if next.is_empty() && from == to {
        return Ok(TraceStep::Stutter);
    }
    match next.into_iter().find(|step| step.to == to).and_then(|step| step.action) {
        Some(action) => Ok(TraceStep::Done(action)),
        None => Err(Diagnostic::internal("a run that the machine cannot take")),
    }
}

fn path(machine: &mut Machine, states: &[u32]) -> Result<Vec<TraceStep>, Diagnostic> {
    states.windows(2).map(|pair| done(machine, pair[0], pair[1])).collect()
}

fn trace(machine: &mut Machine, states: &[u32], back: usize) -> Result<Lasso, Diagnostic> {
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
