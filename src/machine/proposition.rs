//! What the propositions of a formula say of a state of the machine.

use super::awaits::Loop;
use super::code::Watched;
use super::ltl::formula::{Formula, MAX_ATOMS};
use super::state::{Parts, Where};
use crate::program::{Reg, Value};

/// A formula and what its propositions mean.
#[derive(Clone, Debug)]
pub struct Property {
    /// The formula.
    pub formula: Formula,
    /// Its propositions.
    pub propositions: Propositions,
}

/// What may be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Term {
    Number(i128),
    /// A location, as memory has it.
    Cell(usize),
    /// A register of a thread.
    Register(usize, Reg),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Proposition {
    Compare(Term, Comparison, Term),
    /// A thread is at the label of an instruction.
    At(usize, usize),
    /// No write of the thread waits.
    Empty(usize),
    /// The thread has ended.
    Ended(usize),
    /// The thread is at one of these instructions.
    Within(usize, usize, usize),
}

/// The propositions of a formula, by number.
#[derive(Clone, Debug, Default)]
pub struct Propositions {
    pub(super) list: Vec<Proposition>,
    /// Places where the machine must stop, besides those of the propositions.
    stops: Vec<(usize, usize)>,
}

impl Propositions {
    /// One: a thread is in a loop.
    pub(super) fn within(of: &Loop) -> Propositions {
        let list = vec![Proposition::Within(of.thread, of.first, of.last)];
        // Whoever leaves and comes back at once is seen outside.
        Propositions { list, stops: of.exits.iter().map(|exit| (of.thread, *exit)).collect() }
    }

    /// A thread has come to one of the places that a loop leads to.
    pub(super) fn left(of: &Loop) -> Propositions {
        let mut list = vec![Proposition::Ended(of.thread)];
        list.extend(of.exits.iter().take(MAX_ATOMS - 1).map(|exit| Proposition::At(of.thread, *exit)));
        Propositions { list, stops: Vec::new() }
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// What the machine must let us see.
    pub(super) fn watched(&self) -> Watched {
        let mut watched = Watched { places: self.stops.clone(), registers: Vec::new() };
        for proposition in &self.list {
            match proposition {
                Proposition::At(thread, instruction) => watched.places.push((*thread, *instruction)),
                Proposition::Compare(a, _, b) => {
                    for term in [a, b] {
                        if let Term::Register(thread, register) = term {
                            watched.registers.push((*thread, *register));
                        }
                    }
                }
                Proposition::Empty(_) | Proposition::Ended(_) | Proposition::Within(..) => {}
            }
        }
        watched
    }

    /// What decides one of them.
    pub(super) fn concerns(&self, number: usize) -> Concerns {
        match self.list[number] {
            Proposition::At(thread, _)
            | Proposition::Within(thread, ..)
            | Proposition::Empty(thread)
            | Proposition::Ended(thread) => Concerns::Thread(thread),
            Proposition::Compare(a, _, b) => match (a.owner(), b.owner()) {
                (Some(a), Some(b)) if a == b => Concerns::Thread(a),
                (Some(of), None) if b.is_number() => Concerns::Thread(of),
                (None, Some(of)) if a.is_number() => Concerns::Thread(of),
                (None, None) => Concerns::Memory,
                _ => Concerns::More,
            },
        }
    }

    /// Does one hold that a thread's state decides?
    pub(super) fn of_thread(&self, number: usize, machine: &Parts, thread: usize, local: u32) -> bool {
        let local = machine.locals[thread].get(local);
        match self.list[number] {
            Proposition::Compare(a, comparison, b) => {
                let value = |term: Term| match term {
                    Term::Number(n) => Value::Int(n),
                    Term::Register(_, register) => local.slots[usize::from(register.0)],
                    Term::Cell(_) => Value::ZERO,
                };
                compare(comparison, value(a), value(b))
            }
            Proposition::At(_, instruction) => {
                local.at == Where::At(machine.compiled.threads[thread].starts[instruction] as u32)
            }
            Proposition::Within(_, first, last) => match local.at {
                Where::At(at) => {
                    let of = &machine.compiled.threads[thread].of;
                    (first..=last).contains(&(of[at as usize] as usize))
                }
                _ => false,
            },
            Proposition::Empty(_) => local.pending.is_empty(),
            Proposition::Ended(_) => local.at == Where::Ended,
        }
    }

    /// Does one hold that the memory decides?
    pub(super) fn of_memory(&self, number: usize, machine: &Parts, memory: u32) -> bool {
        let Proposition::Compare(a, comparison, b) = self.list[number] else { return false };
        let memory = machine.memories.get(memory);
        let value = |term: Term| match term {
            Term::Number(n) => Value::Int(n),
            Term::Cell(cell) => memory.get(cell).copied().unwrap_or(Value::ZERO),
            Term::Register(..) => Value::ZERO,
        };
        compare(comparison, value(a), value(b))
    }

    /// Does one hold that more than one part of a state decides?
    pub(super) fn of_state(&self, number: usize, machine: &Parts, row: &[u32]) -> bool {
        let Proposition::Compare(a, comparison, b) = self.list[number] else { return false };
        let memory = machine.memories.get(row[machine.locals.len()]);
        let value = |term: Term| match term {
            Term::Number(n) => Value::Int(n),
            Term::Cell(cell) => memory.get(cell).copied().unwrap_or(Value::ZERO),
            Term::Register(thread, register) => {
                machine.locals[thread].get(row[thread]).slots[usize::from(register.0)]
            }
        };
        compare(comparison, value(a), value(b))
    }
}

/// What decides whether a proposition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Concerns {
    /// The state of a thread.
    Thread(usize),
    Memory,
    /// More than one of them.
    More,
}

impl Term {
    fn owner(self) -> Option<usize> {
        match self {
            Term::Register(thread, _) => Some(thread),
            Term::Number(_) | Term::Cell(_) => None,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Term::Number(_))
    }
}

fn compare(comparison: Comparison, a: Value, b: Value) -> bool {
    match comparison {
        Comparison::Eq => a == b,
        Comparison::Ne => a != b,
        Comparison::Lt => a < b,
        Comparison::Le => a <= b,
        Comparison::Gt => a > b,
        Comparison::Ge => a >= b,
    }
}
