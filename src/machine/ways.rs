//! What an instruction can do in a state.

use super::code::{Code, FenceKind, Slot};
use super::objects::{read, written};
use super::state::{Local, Memory, Where};
use super::step::{Effect, Machine, Way};
use super::{AtomicRule, Buffers};
use crate::diag::Diagnostic;
use crate::program::{Storage, Value};

/// More values than this are not tried one by one.
const MAX_CHOICES: i128 = 1024;

impl Machine<'_> {
    /// The ways on from one place. `true`: a write has to wait for a free place.
    pub(super) fn ways(
        &self,
        row: &[u32],
        thread: usize,
        at: usize,
        ways: &mut Vec<Way>,
    ) -> Result<bool, Diagnostic> {
        let threads = &self.parts.compiled.threads;
        let own = &threads[thread];
        let local = self.parts.local(row, thread);
        let memory = self.parts.memory(row);
        let slot = |slot: &Slot| local.slots[usize::from(*slot)];
        let on = |to: usize| Local { at: Where::At(to as u32), ..local.clone() };
        let with = |cell: u16, value: Value| Some(written(memory, cell, value));
        if let Code::Transitions(list) = &own.code[at] {
            return self.transitions(row, thread, list, ways);
        }
        let mut go = |local, memory, effect| {
            ways.push(Way { local, memory, other: None, effect, transition: None });
        };
        match &own.code[at] {
            Code::Load { locked: true, .. } => {
                if local.pending.is_empty() {
                    let start = Way {
                        local: local.clone(),
                        memory: None,
                        other: None,
                        effect: Effect::Local,
                        transition: None,
                    };
                    self.in_one_step(thread, own.of[at], start, memory, ways)?;
                }
            }
            Code::Load { dst, addr, .. } => {
                let cell = self.cell(thread, own, at, slot(addr))?;
                let waiting = local.pending.iter().rev().find(|write| write.cell == cell);
                let value = waiting.map_or_else(|| read(memory, cell), |write| write.value);
                let mut next = on(at + 1);
                next.slots[usize::from(*dst)] = value;
                go(next, None, Effect::Read { cell: cell.into(), value, own: waiting.is_some() });
            }
            Code::Store { addr, value } => {
                let (cell, value) = (self.cell(thread, own, at, slot(addr))?, slot(value));
                let mut next = on(at + 1);
                if self.options.buffers == Buffers::None || self.cells.is_private(cell) {
                    go(next, with(cell, value), Effect::Write { cell: cell.into(), value });
                } else if self.is_atomic(thread, own.of[at] as usize, cell) {
                    // Takes effect at once, and only where nothing waits: of its own, or of anyone.
                    let nothing_waits = match self.options.atomic_rule {
                        AtomicRule::Own => local.pending.is_empty(),
                        AtomicRule::Global => {
                            (0..threads.len()).all(|other| self.parts.local(row, other).pending.is_empty())
                        }
                    };
                    if nothing_waits {
                        go(next, with(cell, value), Effect::Write { cell: cell.into(), value });
                    }
                } else if local.pending.iter().filter(|write| write.cell == cell).count()
                    < self.options.buffer
                {
                    next.push(cell, value);
                    go(next, None, Effect::Buffer { cell: cell.into(), value });
                } else {
                    return Ok(true);
                }
            }
            // Atomic instructions wait until the thread's own writes have landed.
            Code::Rmw { .. } | Code::CompareExchange { .. } | Code::Fence(FenceKind::Full)
                if !local.pending.is_empty() => {}
            Code::Rmw { dst, addr, ops, update } => {
                let cell = self.cell(thread, own, at, slot(addr))?;
                let old = read(memory, cell);
                let mut next = on(at + 1);
                next.slots[usize::from(*dst)] = old;
                for op in ops {
                    self.compute(thread, own, at, op, &mut next.slots)?;
                }
                let new = next.slots[usize::from(*update)];
                go(next, with(cell, new), Effect::Update { cell: cell.into(), old, new });
            }
            Code::CompareExchange { dst, addr, expected, desired } => {
                let cell = self.cell(thread, own, at, slot(addr))?;
                let old = read(memory, cell);
                let mut next = on(at + 1);
                next.slots[usize::from(*dst)] = old;
                if old == slot(expected) {
                    let new = slot(desired);
                    go(next, with(cell, new), Effect::Update { cell: cell.into(), old, new });
                } else {
                    go(next, None, Effect::Read { cell: cell.into(), value: old, own: false });
                }
            }
            Code::Fence(FenceKind::Full) => go(on(at + 1), None, Effect::Fence),
            Code::Fence(FenceKind::Stores) => {
                let mut next = on(at + 1);
                next.fenced = self.options.buffers == Buffers::PerCell && !next.pending.is_empty();
                go(next, None, Effect::Fence);
            }
            Code::Choice { to } => to.iter().for_each(|to| go(on(*to), None, Effect::Local)),
            Code::Nondet { dst, low, high } => {
                if high - low >= MAX_CHOICES {
                    let message = format!("a choice among more than {MAX_CHOICES} values");
                    return Err(self.fault(thread, own, at, "machine::nondet", message));
                }
                for n in *low..=*high {
                    let mut next = on(at + 1);
                    next.slots[usize::from(*dst)] = Value::Int(n);
                    go(next, None, Effect::Local);
                }
            }
            Code::Assume { cond } => {
                let mut next = on(at + 1);
                if slot(cond) == Value::ZERO {
                    next.at = Where::Blocked;
                }
                go(next, None, Effect::Local);
            }
            Code::Assert { cond, property } => match slot(cond) != Value::ZERO {
                true => go(on(at + 1), None, Effect::Local),
                false => {
                    let next = Local { at: Where::Blocked, ..local.clone() };
                    go(next, None, Effect::Violation(property.clone()));
                }
            },
            Code::Spawn { dst, first, copies, args } => {
                let mut all = *first..first + copies;
                let Some(new) = all.find(|new| self.parts.local(row, *new).at == Where::Waiting) else {
                    let message = match copies {
                        1 => "a thread is started twice at one place".to_string(),
                        n => format!("more than {n} threads are started at one place"),
                    };
                    let message = format!("{message}: the machine knows each thread beforehand");
                    return Err(self.fault(thread, own, at, "machine::spawn-again", message));
                };
                let mut started = self.parts.local(row, new).clone();
                if local.pending.is_empty() {
                    started.at = Where::At(0);
                    for (to, from) in args {
                        started.slots[usize::from(*to)] = slot(from);
                    }
                    let mut next = on(at + 1);
                    next.slots[usize::from(*dst)] = Value::Int(new as i128);
                    ways.push(Way {
                        local: next,
                        memory: None,
                        other: Some((new, started)),
                        effect: Effect::Spawn(new),
                        transition: None,
                    });
                }
            }
            Code::Join { thread: of, dst } => {
                let number = slot(of).as_int().and_then(|n| usize::try_from(n).ok());
                let Some(of) = number.filter(|n| *n < threads.len()) else {
                    return Err(self.fault(
                        thread,
                        own,
                        at,
                        "machine::join",
                        "a join of what is no thread".to_string(),
                    ));
                };
                let other = self.parts.local(row, of);
                if other.at == Where::Ended && other.pending.is_empty() && local.pending.is_empty() {
                    let result =
                        threads[of].result.map_or(Value::ZERO, |slot| other.slots[usize::from(slot)]);
                    let mut next = on(at + 1);
                    if let Some(dst) = dst {
                        next.slots[usize::from(*dst)] = result;
                    }
                    go(next, None, Effect::Join(of));
                }
            }
            Code::Object { dst, sym } => {
                // Writes to the last object of this place land first.
                if !local.pending.iter().any(|write| self.cells.belongs(write.cell, *sym)) {
                    let Some(after) = self.cells.with_object(memory, *sym) else {
                        let message =
                            "an object is made while the last one of this place still lives".to_string();
                        return Err(self.fault(thread, own, at, "machine::objects", message));
                    };
                    let mut next = on(at + 1);
                    next.slots[usize::from(*dst)] = Value::addr(*sym);
                    go(next, Some(after), Effect::Local);
                }
            }
            Code::Free { addr } => {
                let after = match slot(addr) {
                    Value::Addr { sym, .. } if self.cells.storage(sym) == Some(Storage::Heap) => {
                        Some(self.cells.without_object(memory, sym))
                    }
                    _ => None,
                };
                go(on(at + 1), after, Effect::Local);
            }
            Code::Stop => go(Local { at: Where::Ended, ..local.clone() }, None, Effect::Local),
            // Stopped at for its own sake: the target of a jump back, a place that is watched.
            _ => {
                let mut next = local.clone();
                self.silent(thread, own, at, &mut next)?;
                go(next, None, Effect::Local);
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
