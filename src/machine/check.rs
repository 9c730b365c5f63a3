//! The questions: does a formula hold on every fair run, is a state reachable?

use std::collections::BTreeSet;

use super::code::{Watched, compile};
use super::fair::FairSets;
use super::labels::Labels;
use super::layers::{Found, Layers, Sought};
use super::ltl::automaton::{Automaton, MAX_UNTILS, TooLarge, translate};
use super::ltl::emptiness::{accepting_run, shortest_path};
use super::ltl::eval::holds_on;
use super::product::Product;
use super::proposition::{Property, Propositions};
use super::state::Where;
use super::step::{Action, Machine, Step};
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
    if property.formula.is_safety() {
        return lost(machine, property, &automaton);
    }
    let fair = FairSets::new(&machine, options, fairness, automaton.n_sets)?;
    match options.depth_first {
        true => depth_first(machine, property, &automaton, fair),
        false => layer_by_layer(machine, property, &automaton, fair),
    }
}

/// Is there a fair run that violates the formula? By the steps between all states, once they are found.
fn layer_by_layer(
    machine: Machine,
    property: &Property,
    automaton: &Automaton,
    fair: FairSets,
) -> Result<(Answer, Figures), Diagnostic> {
    let layers = Layers::new(machine, &property.propositions, Sought::Run(automaton), false);
    let mut layers = layers.fairly(fair);
    let answer = match layers.search()? {
        Found::Run(run) => {
            let n_threads = layers.machine.n_threads();
            let pairs: Vec<u32> = run.stem.iter().chain(&run.cycle).copied().collect();
            let rows: Vec<Vec<u32>> =
                pairs.iter().map(|pair| layers.rows.get(*pair)[..=n_threads].to_vec()).collect();
            let back = run.stem.len();
            let word: Vec<u64> =
                rows.iter().map(|row| layers.labels.hold(&layers.machine.parts, row)).collect();
            refutes(property, &word, back)?;
            // Where nothing can save the formula any more, what follows does not matter. The automaton is one step behind.
            let lost = |pair: &u32| automaton.accepts_all_from(layers.rows.get(*pair)[n_threads + 1]);
            match pairs.iter().position(lost) {
                Some(lost) => {
                    let way = layers.way_to(pairs[lost]);
                    let end = way.len().saturating_sub(1).max(1);
                    let rows: Vec<Vec<u32>> =
                        way[..end].iter().map(|pair| layers.rows.get(*pair)[..=n_threads].to_vec()).collect();
                    Answer::Violated(Lasso { stem: path(&mut layers.machine, &rows)?, cycle: Vec::new() })
                }
                None => Answer::Violated(trace(&mut layers.machine, &rows, back)?),
            }
        }
        Found::Nothing | Found::State(_) => Answer::Holds { complete: !layers.machine.waited },
    };
    Ok((answer, figures(&layers, automaton.states.len())))
}

/// The same, run by run.
fn depth_first(
    machine: Machine,
    property: &Property,
    automaton: &Automaton,
    fair: FairSets,
) -> Result<(Answer, Figures), Diagnostic> {
    let all = fair.all | ((1u64 << automaton.n_sets) - 1);
    let labels = Labels::new(&property.propositions, machine.n_threads());
    let mut product = Product::new(machine, automaton, labels, fair);
    let run = accepting_run(&mut product, all)?;
    let answer = match run {
        None => Answer::Holds { complete: !product.machine.waited },
        Some(run) => {
            let back = run.stem.len();
            let pairs = || run.stem.iter().chain(&run.cycle);
            let word: Vec<u64> = pairs().map(|pair| product.holds(*pair)).collect();
            refutes(property, &word, back)?;
            // Where nothing can save the formula any more, what follows does not matter.
            let lost = |product: &Product, pair: u32| automaton.accepts_all_from(product.seen.parts(pair).1);
            let rows = |product: &Product, pairs: &[u32]| -> Vec<Vec<u32>> {
                pairs.iter().map(|pair| product.rows.get(product.seen.parts(*pair).0).to_vec()).collect()
            };
            Answer::Violated(match pairs().any(|pair| lost(&product, *pair)) {
                true => {
                    let initial = pairs().next().copied().unwrap_or(0);
                    let pairs = shortest_path(&mut product, initial, &lost)?;
                    // The automaton is one step behind: it has not looked at the last state.
                    let end = pairs.len().saturating_sub(1).max(1);
                    let rows = rows(&product, &pairs[..end]);
                    Lasso { stem: path(&mut product.machine, &rows)?, cycle: Vec::new() }
                }
                false => {
                    let rows = rows(&product, &pairs().copied().collect::<Vec<_>>());
                    trace(&mut product.machine, &rows, back)?
                }
            })
        }
    };
    let figures = Figures {
        states: product.rows.len(),
        product: product.seen.count,
        transitions: product.transitions,
        bytes: product.bytes(),
        automaton: automaton.states.len(),
    };
    Ok((answer, figures))
}

/// Is there a state after which nothing can save a formula that only says what must not happen?
fn lost(
    machine: Machine,
    property: &Property,
    automaton: &Automaton,
) -> Result<(Answer, Figures), Diagnostic> {
    // Steps may be put off only where nobody looks at single steps: no `X`, and no atomic write that waits for others.
    let options = &machine.options;
    let atomics = options.atomic_rule == AtomicRule::Global && !options.atomic.is_empty();
    let reduced = options.reduction && !property.formula.has_next() && !atomics;
    let mut layers = Layers::new(machine, &property.propositions, Sought::Loss(automaton), reduced);
    let answer = match layers.search()? {
        Found::Nothing | Found::Run(_) => Answer::Holds { complete: !layers.machine.waited },
        Found::State(way) => {
            let n_threads = layers.machine.n_threads();
            let rows: Vec<Vec<u32>> =
                way.iter().map(|state| layers.rows.get(*state)[..=n_threads].to_vec()).collect();
            // Whatever comes after it: that its last state stays as it is, for one.
            let word: Vec<u64> =
                rows.iter().map(|row| layers.labels.hold(&layers.machine.parts, row)).collect();
            refutes(property, &word, word.len() - 1)?;
            Answer::Violated(Lasso { stem: path(&mut layers.machine, &rows)?, cycle: Vec::new() })
        }
    };
    Ok((answer, figures(&layers, automaton.states.len())))
}

fn figures(layers: &Layers, automaton: usize) -> Figures {
    Figures {
        states: layers.rows.len(),
        product: layers.rows.len(),
        transitions: layers.transitions,
        bytes: layers.bytes(),
        automaton,
    }
}

/// A run that was found violates the formula, by the formula's definition.
fn refutes(property: &Property, word: &[u64], back: usize) -> Result<(), Diagnostic> {
    match holds_on(&property.formula, word, back)[0] {
        true => Err(Diagnostic::internal("a run was found that does not violate the formula")),
        false => Ok(()),
    }
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
    let machine = Machine::new(&system.program, compiled, options.clone());
    let nothing = Propositions::default();
    let mut layers = Layers::new(machine, &nothing, Sought::All, false);
    layers.search()?;
    let parts = &layers.machine.parts;
    let mut found = BTreeSet::new();
    for state in layers.rows.numbers() {
        let row = layers.rows.get(state);
        let over = |thread: usize| {
            let local = parts.local(row, thread);
            local.at == Where::Ended && local.pending.is_empty()
        };
        if (0..parts.locals.len()).all(over) {
            let memory = parts.memory(row);
            let value = |place: &Observable| match place {
                Observable::Reg(thread, register) => {
                    parts.local(row, usize::from(*thread)).slots[usize::from(register.0)]
                }
                Observable::Loc(cell) => memory[usize::from(cell.0)],
                // There are no faults here.
                _ => Value::ZERO,
            };
            found.insert(observed.iter().map(value).collect());
        }
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
    let machine = machine(system, &property.propositions, options)?;
    let mut layers = Layers::new(machine, &property.propositions, Sought::State(&property.formula), false);
    let path = match layers.search()? {
        Found::Nothing | Found::Run(_) => None,
        Found::State(way) => {
            let rows: Vec<Vec<u32>> = way.iter().map(|state| layers.rows.get(*state).to_vec()).collect();
            Some(path(&mut layers.machine, &rows)?)
        }
    };
    let figures = figures(&layers, 0);
    Ok((path, !layers.machine.waited, figures))
}

fn too_large(why: TooLarge) -> Diagnostic {
    let message = match why {
        TooLarge::Untils(n) => {
            format!("the formula has {n} different `U` and `F`; {MAX_UNTILS} are possible")
        }
        TooLarge::States(n) => format!("the automaton of the formula has more than {n} states"),
        TooLarge::Ways(n) => format!("a state of the formula's automaton has more than {n} ways to go on"),
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
fn done(machine: &mut Machine, from: &[u32], to: &[u32]) -> Result<TraceStep, Diagnostic> {
    let told = machine.told(from)?;
    if told.is_empty() && from == to {
        return Ok(TraceStep::Stutter);
    }
    let n_threads = machine.n_threads();
    let leads_there = |(thread, step, _): &(usize, Step, Action)| {
        let mut row = from.to_vec();
        step.apply(*thread, n_threads, &mut row);
        row == to
    };
    match told.into_iter().find(leads_there) {
        Some((_, _, action)) => Ok(TraceStep::Done(action)),
        None => Err(Diagnostic::internal("a run that the machine cannot take")),
    }
}

fn path(machine: &mut Machine, states: &[Vec<u32>]) -> Result<Vec<TraceStep>, Diagnostic> {
    states.windows(2).map(|pair| done(machine, &pair[0], &pair[1])).collect()
}

fn trace(machine: &mut Machine, states: &[Vec<u32>], back: usize) -> Result<Lasso, Diagnostic> {
    let mut steps = Vec::new();
    for (at, state) in states.iter().enumerate() {
        let to = states.get(at + 1).unwrap_or(&states[back]);
        steps.push(done(machine, state, to)?);
    }
    let cycle = steps.split_off(back);
    Ok(Lasso { stem: steps, cycle })
}
