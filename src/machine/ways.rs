//! What an instruction can do in a state.

use super::code::{Code, FenceKind, Slot, ThreadCode};
use super::objects::{read, written};
use super::state::{Local, Memory, Where};
use super::step::{Effect, Machine, Way};
use super::{AtomicRule, Buffers};
use crate::diag::Diagnostic;
use crate::program::{Storage, Sym, Value};

/// More values than this are not tried one by one.
const MAX_CHOICES: i128 = 1024;

/// A thread at an instruction, in a state.
struct Here<'m, 'p> {
    machine: &'m Machine<'p>,
    row: &'m [u32],
    thread: usize,
    own: &'m ThreadCode,
    at: usize,
    local: &'m Local,
    memory: &'m Memory,
}

impl Here<'_, '_> {
    fn slot(&self, slot: Slot) -> Value {
        self.local.slots[usize::from(slot)]
    }

    fn cell(&self, addr: Slot) -> Result<u16, Diagnostic> {
        self.machine.cell(self.thread, self.own, self.at, self.slot(addr))
    }

    fn fault(&self, what: &'static str, message: String) -> Diagnostic {
        self.machine.fault(self.thread, self.own, self.at, what, message)
    }

    fn to(&self, to: usize) -> Local {
        Local { at: Where::At(to as u32), ..self.local.clone() }
    }

    /// The thread at the next instruction.
    fn next(&self) -> Local {
        self.to(self.at + 1)
    }

    /// Likewise, with a value in a slot.
    fn next_with(&self, dst: Slot, value: Value) -> Local {
        let mut next = self.next();
        next.slots[usize::from(dst)] = value;
        next
    }

    fn with(&self, cell: u16, value: Value) -> Option<Memory> {
        Some(written(self.memory, cell, value))
    }

    fn load(&self, dst: Slot, addr: Slot) -> Result<Way, Diagnostic> {
        let cell = self.cell(addr)?;
        let waiting = self.local.pending.iter().rev().find(|write| write.cell == cell);
        let value = waiting.map_or_else(|| read(self.memory, cell), |write| write.value);
        let effect = Effect::Read { cell: cell.into(), value, own: waiting.is_some() };
        Ok(Way::new(self.next_with(dst, value), None, effect))
    }

    /// A store, to memory or to the buffer. `true`: it has to wait for a free place.
    fn store(&self, addr: Slot, value: Slot, ways: &mut Vec<Way>) -> Result<bool, Diagnostic> {
        let (cell, value) = (self.cell(addr)?, self.slot(value));
        let machine = self.machine;
        let lands =
            || Way::new(self.next(), self.with(cell, value), Effect::Write { cell: cell.into(), value });
        if machine.options.buffers == Buffers::None || machine.cells.is_private(cell) {
            ways.push(lands());
            return Ok(false);
        }
        if machine.is_atomic(self.thread, self.own.of[self.at] as usize, cell) {
            // Takes effect at once, and only where nothing waits: of its own, or of anyone.
            let nothing_waits = match machine.options.atomic_rule {
                AtomicRule::Own => self.local.pending.is_empty(),
                AtomicRule::Global => (0..machine.parts.compiled.threads.len())
                    .all(|other| machine.parts.local(self.row, other).pending.is_empty()),
            };
            ways.extend(nothing_waits.then(lands));
            return Ok(false);
        }
        let before = self.local.pending.iter().filter(|write| write.cell == cell).count();
        if before >= machine.options.buffer {
            return Ok(true);
        }
        let mut next = self.next();
        next.push(cell, value);
        ways.push(Way::new(next, None, Effect::Buffer { cell: cell.into(), value }));
        Ok(false)
    }

    fn update(&self, dst: Slot, addr: Slot, ops: &[Code], update: Slot) -> Result<Way, Diagnostic> {
        let cell = self.cell(addr)?;
        let old = read(self.memory, cell);
        let mut next = self.next_with(dst, old);
        for op in ops {
            self.machine.compute(self.thread, self.own, self.at, op, &mut next.slots)?;
        }
        let new = next.slots[usize::from(update)];
        Ok(Way::new(next, self.with(cell, new), Effect::Update { cell: cell.into(), old, new }))
    }

    fn compare_exchange(
        &self,
        dst: Slot,
        addr: Slot,
        expected: Slot,
        desired: Slot,
    ) -> Result<Way, Diagnostic> {
        let cell = self.cell(addr)?;
        let old = read(self.memory, cell);
        let next = self.next_with(dst, old);
        Ok(match old == self.slot(expected) {
            true => {
                let new = self.slot(desired);
                Way::new(next, self.with(cell, new), Effect::Update { cell: cell.into(), old, new })
            }
            false => Way::new(next, None, Effect::Read { cell: cell.into(), value: old, own: false }),
        })
    }

    /// Starts the first of `copies` threads that has not been started, once the thread's own writes have landed.
    fn spawn(
        &self,
        dst: Slot,
        (first, copies): (usize, usize),
        args: &[(Slot, Slot)],
    ) -> Result<Option<Way>, Diagnostic> {
        let parts = &self.machine.parts;
        let mut all = first..first + copies;
        let Some(new) = all.find(|new| parts.local(self.row, *new).at == Where::Waiting) else {
            let message = match copies {
                1 => "a thread is started twice at one place".to_string(),
                n => format!("more than {n} threads are started at one place"),
            };
            let message = format!("{message}: the machine knows each thread beforehand");
            return Err(self.fault("machine::spawn-again", message));
        };
        if !self.local.pending.is_empty() {
            return Ok(None);
        }
        let mut started = parts.local(self.row, new).clone();
        started.at = Where::At(0);
        for (to, from) in args {
            started.slots[usize::from(*to)] = self.slot(*from);
        }
        let next = self.next_with(dst, Value::Int(new as i128));
        Ok(Some(Way { other: Some((new, started)), ..Way::new(next, None, Effect::Spawn(new)) }))
    }

    /// Waits for the end of a thread, and of its writes.
    fn join(&self, of: Slot, dst: Option<Slot>) -> Result<Option<Way>, Diagnostic> {
        let threads = &self.machine.parts.compiled.threads;
        let number = self.slot(of).as_int().and_then(|n| usize::try_from(n).ok());
        let Some(of) = number.filter(|n| *n < threads.len()) else {
            return Err(self.fault("machine::join", "a join of what is no thread".to_string()));
        };
        let other = self.machine.parts.local(self.row, of);
        let over = other.at == Where::Ended && other.pending.is_empty() && self.local.pending.is_empty();
        if !over {
            return Ok(None);
        }
        let result = threads[of].result.map_or(Value::ZERO, |slot| other.slots[usize::from(slot)]);
        let next = match dst {
            Some(dst) => self.next_with(dst, result),
            None => self.next(),
        };
        Ok(Some(Way::new(next, None, Effect::Join(of))))
    }

    /// Makes an object, once the writes to the last object of this place have landed.
    fn object(&self, dst: Slot, sym: Sym) -> Result<Option<Way>, Diagnostic> {
        let cells = &self.machine.cells;
        if self.local.pending.iter().any(|write| cells.belongs(write.cell, sym)) {
            return Ok(None);
        }
        let Some(after) = cells.with_object(self.memory, sym) else {
            let message = "an object is made while the last one of this place still lives".to_string();
            return Err(self.fault("machine::objects", message));
        };
        Ok(Some(Way::new(self.next_with(dst, Value::addr(sym)), Some(after), Effect::Local)))
    }
}

impl Way {
    fn new(local: Local, memory: Option<Memory>, effect: Effect) -> Way {
        Way { local, memory, other: None, effect, transition: None }
    }
}

impl Machine<'_> {
    /// The ways on from one place. `true`: a write has to wait for a free place.
    pub(super) fn ways(
        &self,
        row: &[u32],
        thread: usize,
        at: usize,
        ways: &mut Vec<Way>,
    ) -> Result<bool, Diagnostic> {
        let own = &self.parts.compiled.threads[thread];
        let (local, memory) = (self.parts.local(row, thread), self.parts.memory(row));
        let here = Here { machine: self, row, thread, own, at, local, memory };
        let silent = |local: Local| Way::new(local, None, Effect::Local);
        match &own.code[at] {
            Code::Transitions(list) => return self.transitions(row, thread, list, ways),
            Code::Load { locked: true, .. } => {
                if local.pending.is_empty() {
                    self.in_one_step(thread, own.of[at], silent(local.clone()), memory, ways)?;
                }
            }
            Code::Load { dst, addr, .. } => ways.push(here.load(*dst, *addr)?),
            Code::Store { addr, value } => return here.store(*addr, *value, ways),
            // Atomic instructions wait until the thread's own writes have landed.
            Code::Rmw { .. } | Code::CompareExchange { .. } | Code::Fence(FenceKind::Full)
                if !local.pending.is_empty() => {}
            Code::Rmw { dst, addr, ops, update } => ways.push(here.update(*dst, *addr, ops, *update)?),
            Code::CompareExchange { dst, addr, expected, desired } => {
                ways.push(here.compare_exchange(*dst, *addr, *expected, *desired)?);
            }
            Code::Fence(FenceKind::Full) => ways.push(Way::new(here.next(), None, Effect::Fence)),
            Code::Fence(FenceKind::Stores) => {
                let mut next = here.next();
                next.fenced = self.options.buffers == Buffers::PerCell && !next.pending.is_empty();
                ways.push(Way::new(next, None, Effect::Fence));
            }
            Code::Choice { to } => ways.extend(to.iter().map(|to| silent(here.to(*to)))),
            Code::Nondet { dst, low, high } => {
                if high - low >= MAX_CHOICES {
                    let message = format!("a choice among more than {MAX_CHOICES} values");
                    return Err(here.fault("machine::nondet", message));
                }
                ways.extend((*low..=*high).map(|n| silent(here.next_with(*dst, Value::Int(n)))));
            }
            Code::Assume { cond } => {
                let mut next = here.next();
                if here.slot(*cond) == Value::ZERO {
                    next.at = Where::Blocked;
                }
                ways.push(silent(next));
            }
            Code::Assert { cond, property } => ways.push(match here.slot(*cond) != Value::ZERO {
                true => silent(here.next()),
                false => {
                    let next = Local { at: Where::Blocked, ..local.clone() };
                    Way::new(next, None, Effect::Violation(property.clone()))
                }
            }),
            Code::Spawn { dst, first, copies, args } => {
                ways.extend(here.spawn(*dst, (*first, *copies), args)?);
            }
            Code::Join { thread: of, dst } => ways.extend(here.join(*of, *dst)?),
            Code::Object { dst, sym } => ways.extend(here.object(*dst, *sym)?),
            Code::Free { addr } => {
                let after = match here.slot(*addr) {
                    Value::Addr { sym, .. } if self.cells.storage(sym) == Some(Storage::Heap) => {
                        Some(self.cells.without_object(memory, sym))
                    }
                    _ => None,
                };
                ways.push(Way::new(here.next(), after, Effect::Local));
            }
            Code::Stop => ways.push(silent(Local { at: Where::Ended, ..local.clone() })),
            // Stopped at for its own sake: the target of a jump back, a place that is watched.
            _ => {
                let mut next = local.clone();
                self.silent(thread, own, at, &mut next)?;
                ways.push(silent(next));
            }
        }
        Ok(false)
    }

    /// The rest of an instruction, done in one step: what it reads and writes, it reads and writes in memory.
    fn in_one_step(
        &self,
        thread: usize,
        instruction: u32,
        mut way: Way,
        memory: &Memory,
        ways: &mut Vec<Way>,
    ) -> Result<(), Diagnostic> {
        let own = &self.parts.compiled.threads[thread];
        while let Where::At(at) = way.local.at
            && own.of[at as usize] == instruction
        {
            let at = at as usize;
            let slot = |way: &Way, slot: &Slot| way.local.slots[usize::from(*slot)];
            match &own.code[at] {
                Code::Load { dst, addr, .. } => {
                    let cell = self.cell(thread, own, at, slot(&way, addr))?;
                    let value = read(way.memory.as_ref().unwrap_or(memory), cell);
                    way.local.slots[usize::from(*dst)] = value;
                    way.effect = Effect::Read { cell: cell.into(), value, own: false };
                    way.local.at = Where::At(at as u32 + 1);
                }
                Code::Store { addr, value } => {
                    let cell = self.cell(thread, own, at, slot(&way, addr))?;
                    let new = slot(&way, value);
                    let before = way.memory.take().unwrap_or_else(|| memory.clone());
                    let old = read(&before, cell);
                    way.memory = Some(written(&before, cell, new));
                    way.effect = Effect::Update { cell: cell.into(), old, new };
                    way.local.at = Where::At(at as u32 + 1);
                }
                Code::Assume { cond } => {
                    if slot(&way, cond) == Value::ZERO {
                        return Ok(());
                    }
                    way.local.at = Where::At(at as u32 + 1);
                }
                Code::Choice { to } => {
                    for to in to {
                        let mut other = way.clone();
                        other.local.at = Where::At(*to as u32);
                        self.in_one_step(thread, instruction, other, memory, ways)?;
                    }
                    return Ok(());
                }
                Code::Stop => break,
                code if !code.is_visible() => self.silent(thread, own, at, &mut way.local)?,
                _ => {
                    let message = "an atomic instruction that does more than read and write".to_string();
                    return Err(self.fault(thread, own, at, "machine::operation", message));
                }
            }
        }
        ways.push(way);
        Ok(())
    }
}
