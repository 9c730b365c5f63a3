//! Final values: what registers and cells hold in the end.

use crate::condition::Observable;
use crate::diag::Diagnostic;
use crate::execution::{SymVal, View, World};
use crate::program::signature::canonical;
use crate::program::{Assumptions, Reg, Value};

/// Where the final values of observed registers stand in a world.
pub(crate) struct Registers {
    /// By thread: where its registers begin below.
    threads: Vec<usize>,
    /// By register: one more than the position in `World::final_regs`; 0: not observed. (Registers have small numbers.)
    positions: Vec<u32>,
}

impl Registers {
    /// Looks the observed registers up, once per world.
    pub fn new(view: &View, observed: &[Observable]) -> Registers {
        let of = |observable: &Observable| match observable {
            Observable::Reg(thread, reg) => Some((usize::from(*thread), *reg)),
            _ => None,
        };
        let mut lens = Vec::new();
        for (thread, reg) in observed.iter().filter_map(of) {
            lens.resize(lens.len().max(thread + 1), 0);
            lens[thread] = lens[thread].max(usize::from(reg.0) + 1);
        }
        let mut threads = vec![0];
        lens.iter().for_each(|len| threads.push(threads[threads.len() - 1] + len));
        let mut positions = vec![0; threads[threads.len() - 1]];
        for (thread, reg) in observed.iter().filter_map(of) {
            let known = &mut positions[threads[thread] + usize::from(reg.0)];
            if *known == 0 {
                let found = view.world.final_regs.iter().position(|(key, _)| *key == (thread, reg));
                *known = found.map_or(0, |position| position as u32 + 1);
            }
        }
        Registers { threads, positions }
    }

    /// The position of an observed register.
    fn position(&self, thread: u16, reg: Reg) -> Option<usize> {
        let from = *self.threads.get(usize::from(thread))?;
        let to = *self.threads.get(usize::from(thread) + 1)?;
        let known = *self.positions[from..to].get(usize::from(reg.0))?;
        (known as usize).checked_sub(1)
    }

    /// The reads that the observed registers depend on, by event.
    pub fn reads(&self, world: &World) -> Vec<usize> {
        let positions = self.positions.iter().filter_map(|known| (*known as usize).checked_sub(1));
        let values = positions.map(|position| &world.final_regs[position].1);
        values.flat_map(|value| value.reads().into_iter().map(|read| read as usize)).collect()
    }
}

/// The final state of one execution, computed on demand.
pub(crate) struct Finals<'f> {
    view: &'f View<'f>,
    values: &'f [Option<Value>],
    /// Final write of each observed cell, in the order of `World::observed`.
    last: &'f [usize],
    registers: &'f Registers,
}

impl<'f> Finals<'f> {
    /// Of an execution with these values and final writes.
    pub fn new(
        view: &'f View<'f>,
        values: &'f [Option<Value>],
        last: &'f [usize],
        registers: &'f Registers,
    ) -> Finals<'f> {
        Finals { view, values, last, registers }
    }

    /// The value that an observable has in the end. Pointers have lost their signatures.
    pub fn value(&self, observable: Observable) -> Value {
        match self.view.names.program.machine.signs {
            true => canonical(self.held(observable)),
            false => self.held(observable),
        }
    }

    /// What the execution assumes of signatures; none: that cannot be.
    fn assumed(&self) -> Option<Assumptions> {
        let program = self.view.names.program;
        let mut assumed = Assumptions::default();
        for (a, b, same) in &self.view.world.collisions {
            // An operation without meaning is reported later.
            let (Ok(Some(a)), Ok(Some(b))) =
                (a.eval(self.values, program.bits), b.eval(self.values, program.bits))
            else {
                continue;
            };
            if !assumed.assume(a, b, *same, program) {
                return None;
            }
        }
        Some(assumed)
    }

    fn held(&self, observable: Observable) -> Value {
        let world = self.view.world;
        match observable {
            Observable::Reg(thread, reg) => {
                match self.registers.position(thread, reg).map(|position| &world.final_regs[position].1) {
                    Some(SymVal::Known(value)) => *value,
                    Some(SymVal::Read(read)) => self.values[*read as usize].unwrap_or(Value::ZERO),
                    Some(value) => self.eval(value),
                    None => Value::ZERO,
                }
            }
            Observable::Faults => Value::Int(world.faults),
            Observable::Assumed => Value::Int(self.assumed().map_or(-1, |assumed| assumed.number())),
            Observable::Fault(pattern) => {
                let faults = &self.view.names.program.faults;
                Value::Int(faults.holds(world.faults, usize::from(pattern)).into())
            }
            Observable::Loc(loc) => world.cells.compose(loc, |place| {
                let position = world.observed.iter().position(|l| *l == place);
                let write = position.and_then(|p| self.last.get(p));
                write
                    .and_then(|w| world.events[*w].written_value())
                    .map_or(Value::ZERO, |value| self.eval(value))
            }),
        }
    }

    /// The first operation without meaning that this execution needs: in a branch taken, a value read, or one observed.
    pub fn illegal(&self, observed: &[Observable]) -> Option<Diagnostic> {
        let world = self.view.world;
        let program = self.view.names.program;
        // What is known, or read, is no operation.
        let computed = |value: &SymVal| !matches!(value, SymVal::Known(_) | SymVal::Read(_));
        let registers = world.final_regs.iter().filter(|((thread, reg), value)| {
            computed(value) && observed.contains(&Observable::Reg(*thread as u16, *reg))
        });
        let compared = world.collisions.iter().flat_map(|(a, b, _)| [a, b]);
        let needed = world.constraints.iter().map(|(value, _)| value).chain(compared);
        let needed = needed.chain(registers.map(|(_, v)| v));
        let written = self.last.iter().filter_map(|w| world.events[*w].written_value());
        let mut needed = needed.chain(written).filter(|value| computed(value));
        let (illegal, value) =
            needed.find_map(|value| Some((value.eval(self.values, program.bits).err()?, value)))?;
        // Values remember no places, but the first event that has such a value stands where it was computed.
        let makers = world.events.iter().filter(|event| event.needs(illegal, self.values, program.bits));
        let maker = makers.min_by_key(|event| (event.thread, event.instance));
        // A branch has none: it hangs on what was read.
        let read = || value.reads().last().map(|read| &world.events[*read as usize]);
        let maker = maker.or_else(read);
        Some(illegal.diagnostic(program, maker.and_then(|event| event.place(program))))
    }

    fn eval(&self, value: &SymVal) -> Value {
        let bits = self.view.names.program.bits;
        value.eval(self.values, bits).ok().flatten().unwrap_or(Value::ZERO)
    }
}
