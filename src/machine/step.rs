//! One step of the machine: a thread moves, or a write lands.

use rustc_hash::FxHashMap;

use super::code::{Code, Compiled, FenceKind, Slot, ThreadCode};
use super::state::{Interned, Local, Memory, Pending, Rows, Where};
use super::{AtomicRule, Buffers, Fault, Options};
use crate::diag::Diagnostic;
use crate::program::{Program, Property, Value, eval_binary, eval_unary};

/// More values than this are not tried one by one.
const MAX_CHOICES: i128 = 1024;

/// What was done in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A thread moved, from that instruction of the machine on.
    Move {
        /// The thread.
        thread: usize,
        /// Index of the instruction of the program.
        instruction: usize,
        /// Its text.
        text: String,
        /// What it did that others can notice.
        effect: Effect,
    },
    /// A write of a thread landed in memory.
    Land {
        /// Whose.
        thread: usize,
        /// The cell.
        cell: usize,
        /// The value.
        value: Value,
    },
}

/// What a thread did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing that others see.
    Local,
    /// Read a cell, from its own waiting writes (`true`) or from memory.
    Read { cell: usize, value: Value, own: bool },
    /// Wrote a cell: the write waits.
    Buffer { cell: usize, value: Value },
    /// Wrote a cell: the write is there.
    Write { cell: usize, value: Value },
    /// Read and wrote a cell in one step.
    Update { cell: usize, old: Value, new: Value },
    /// Passed a fence.
    Fence,
    /// Violated a property; the thread has stopped.
    Violation(Property),
    /// Started a thread.
    Spawn(usize),
    /// Waited for a thread.
    Join(usize),
}

/// The machine: a program, its rules for writes, and every state met so far.
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) compiled: Compiled,
    options: Options,
    cells: FxHashMap<(u16, i64), u16>,
    pub(super) locals: Interned<Local>,
    pub(super) memories: Interned<Memory>,
    pub(super) rows: Rows,
    /// Did a write ever have to wait for a free place in its buffer? Then some executions were not looked at.
    pub waited: bool,
    /// Steps taken, for figures.
    pub transitions: u64,
}

/// A successor: where to, and by what.
pub(super) struct Next {
    pub to: u32,
    pub thread: usize,
    /// Did a write land (otherwise the thread itself moved)?
    pub landed: Option<usize>,
    pub action: Option<Action>,
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, compiled: Compiled, options: Options) -> Machine<'p> {
        let cells = program
            .locations
            .iter()
            .enumerate()
            .map(|(number, cell)| ((cell.sym.0, cell.offset), number as u16))
            .collect();
        let width = compiled.threads.len() + 1;
        Machine {
            program,
            compiled,
            options,
            cells,
            locals: Interned::new(),
            memories: Interned::new(),
            rows: Rows::new(width),
            waited: false,
            transitions: 0,
        }
    }

    /// Bytes that the states take.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.locals.bytes() + self.memories.bytes()
    }

    /// Number of states met.
    pub fn n_states(&self) -> usize {
        self.rows.len()
    }

    /// The initial state.
    pub(super) fn initial(&mut self) -> Result<u32, Fault> {
        let mut row = Vec::new();
        for thread in 0..self.compiled.threads.len() {
            let code = &self.compiled.threads[thread];
            let mut local = Local {
                at: if code.from_start { Where::At(0) } else { Where::Waiting },
                slots: vec![Value::ZERO; code.n_slots].into(),
                pending: Vec::new(),
                fenced: false,
            };
            let of = self.compiled.source[thread];
            for (_, reg, value) in self.program.init_regs.iter().filter(|(t, ..)| *t == of) {
                local.slots[usize::from(reg.0)] = *value;
            }
            if code.from_start {
                self.settle(thread, &mut local)?;
            }
            row.push(self.intern(thread, local));
        }
        let memory: Memory = self.program.locations.iter().map(|cell| cell.init).collect();
        let bytes = memory.len() * size_of::<Value>();
        row.push(self.memories.number(memory, bytes));
        Ok(self.rows.number(&row))
    }

    fn intern(&mut self, thread: usize, mut local: Local) -> u32 {
        let code = &self.compiled.threads[thread];
        match local.at {
            Where::At(at) => {
                let live = &code.live[at as usize];
                for (slot, live) in local.slots.iter_mut().zip(live) {
                    if !live {
                        *slot = Value::ZERO;
                    }
                }
            }
            Where::Ended | Where::Blocked => {
                let kept = &code.live[code.code.len() - 1];
                for (slot, kept) in local.slots.iter_mut().zip(kept) {
                    if !kept {
                        *slot = Value::ZERO;
                    }
                }
            }
            Where::Waiting => {}
        }
        let bytes = local.slots.len() * size_of::<Value>() + local.pending.len() * size_of::<Pending>();
        self.locals.number(local, bytes)
    }

    /// Runs what nobody else can notice, up to the next place to stop.
    fn settle(&self, thread: usize, local: &mut Local) -> Result<(), Fault> {
        let code = &self.compiled.threads[thread];
        while let Where::At(at) = local.at {
            let at = at as usize;
            if matches!(code.code[at], Code::Stop) {
                local.at = Where::Ended;
            } else if code.stops[at] {
                return Ok(());
            } else {
                self.silent(thread, code, at, local)?;
            }
        }
        Ok(())
    }

    /// One instruction that nobody else can notice.
    fn silent(&self, thread: usize, code: &ThreadCode, at: usize, local: &mut Local) -> Result<(), Fault> {
        let to = match &code.code[at] {
            Code::IfZero { cond, to } if local.slots[usize::from(*cond)] == Value::ZERO => *to,
            Code::Goto { to } => *to,
            other => {
                self.compute(thread, code, at, other, &mut local.slots)?;
                at + 1
            }
        };
        local.at = Where::At(to as u32);
        Ok(())
    }

    fn compute(
        &self,
        thread: usize,
        code: &ThreadCode,
        at: usize,
        what: &Code,
        slots: &mut [Value],
    ) -> Result<(), Fault> {
        let bits = self.program.bits;
        let (dst, value) = match what {
            Code::Const { dst, value } => (*dst, *value),
            Code::Copy { dst, src } => (*dst, slots[usize::from(*src)]),
            Code::Unary { dst, op, a } => {
                let value = eval_unary(*op, slots[usize::from(*a)], bits);
                (*dst, value.map_err(|illegal| self.illegal(thread, code, at, illegal))?)
            }
            Code::Binary { dst, op, a, b } => {
                let value = eval_binary(*op, slots[usize::from(*a)], slots[usize::from(*b)], bits);
                (*dst, value.map_err(|illegal| self.illegal(thread, code, at, illegal))?)
            }
            _ => return Ok(()),
        };
        slots[usize::from(dst)] = value;
        Ok(())
    }

    fn illegal(
        &self,
        thread: usize,
        code: &ThreadCode,
        at: usize,
        illegal: crate::program::IllegalOp,
    ) -> Fault {
        let span = self.span(thread, code.of[at] as usize);
        Fault::Program(illegal.diagnostic(self.program, span))
    }

    pub(super) fn span(&self, thread: usize, instruction: usize) -> Option<crate::source::Span> {
        let code = &self.program.threads[self.compiled.source[thread]].code;
        code.get(instruction).map(|instruction| instruction.span)
    }

    /// The cell at an address, if the slot holds one.
    fn cell(&self, thread: usize, code: &ThreadCode, at: usize, value: Value) -> Result<u16, Fault> {
        if let Value::Addr { sym, offset } = value
            && let Some(cell) = self.cells.get(&(sym.0, offset))
        {
            return Ok(*cell);
        }
        let message = format!("`{}` is not the address of a location", self.program.show(value));
        Err(self.fault(thread, code, at, "machine::address", message))
    }

    /// All steps from a state. With `tell`, each says what was done.
    pub(super) fn successors(&mut self, state: u32, tell: bool, found: &mut Vec<Next>) -> Result<(), Fault> {
        let row: Vec<u32> = self.rows.get(state).to_vec();
        for thread in 0..self.compiled.threads.len() {
            self.moves(&row, thread, tell, found)?;
            self.landings(&row, thread, tell, found);
        }
        self.transitions += found.len() as u64;
        Ok(())
    }

    /// Writes of a thread that may land now.
    fn landings(&mut self, row: &[u32], thread: usize, tell: bool, found: &mut Vec<Next>) {
        let local = self.locals.get(row[thread]);
        if local.pending.is_empty() {
            return;
        }
        let mut candidates: Vec<usize> = Vec::new();
        match self.options.buffers {
            Buffers::None => {}
            Buffers::Fifo => candidates.push(0),
            Buffers::PerCell => {
                let oldest = local.pending[0].epoch;
                for (index, write) in local.pending.iter().enumerate() {
                    let first = local.pending[..index].iter().all(|other| other.cell != write.cell);
                    if first && write.epoch == oldest {
                        candidates.push(index);
                    }
                }
            }
        }
        let local = local.clone();
        let memory = self.memories.get(row[row.len() - 1]).clone();
        for index in candidates {
            let mut next = local.clone();
            let write = next.land(index);
            let mut memory = memory.clone();
            memory[usize::from(write.cell)] = write.value;
            let mut row = row.to_vec();
            row[thread] = self.intern(thread, next);
            let bytes = memory.len() * size_of::<Value>();
            let last = row.len() - 1;
            row[last] = self.memories.number(memory, bytes);
            let to = self.rows.number(&row);
            let (cell, value) = (usize::from(write.cell), write.value);
            let action = tell.then_some(Action::Land { thread, cell, value });
            found.push(Next { to, thread, landed: Some(cell), action });
        }
    }

    /// What a thread itself may do.
    fn moves(&mut self, row: &[u32], thread: usize, tell: bool, found: &mut Vec<Next>) -> Result<(), Fault> {
        let Where::At(at) = self.locals.get(row[thread]).at else { return Ok(()) };
        let at = at as usize;
        let mut ways = Vec::new();
        if self.ways(row, thread, at, &mut ways)? {
            self.waited = true;
        }
        for way in ways {
            self.take(row, thread, at, way, tell, found)?;
        }
        Ok(())
    }

    /// The ways on from one place. `true`: a write has to wait for a free place.
    fn ways(&self, row: &[u32], thread: usize, at: usize, ways: &mut Vec<Way>) -> Result<bool, Fault> {
        let threads = &self.compiled.threads;
        let own = &threads[thread];
        let local = self.locals.get(row[thread]);
        let memory = self.memories.get(row[row.len() - 1]);
        let slot = |slot: &Slot| local.slots[usize::from(*slot)];
        let on = |to: usize| Local { at: Where::At(to as u32), ..local.clone() };
        let with = |cell: u16, value: Value| {
            let mut memory = memory.clone();
            memory[usize::from(cell)] = value;
            Some(memory)
        };
        let mut go = |local, memory, effect| ways.push(Way { local, memory, other: None, effect });
        match &own.code[at] {
            Code::Load { locked: true, .. } => {
                if local.pending.is_empty() {
                    let start =
                        Way { local: local.clone(), memory: None, other: None, effect: Effect::Local };
                    self.in_one_step(thread, own.of[at], start, memory, ways)?;
                }
            }
            Code::Load { dst, addr, .. } => {
                let cell = self.cell(thread, own, at, slot(addr))?;
                let waiting = local.pending.iter().rev().find(|write| write.cell == cell);
                let value = waiting.map_or(memory[usize::from(cell)], |write| write.value);
                let mut next = on(at + 1);
                next.slots[usize::from(*dst)] = value;
                go(next, None, Effect::Read { cell: cell.into(), value, own: waiting.is_some() });
            }
            Code::Store { addr, value } => {
                let (cell, value) = (self.cell(thread, own, at, slot(addr))?, slot(value));
                let mut next = on(at + 1);
                if self.options.buffers == Buffers::None {
                    go(next, with(cell, value), Effect::Write { cell: cell.into(), value });
                } else if self.is_atomic(thread, own.of[at] as usize, cell) {
                    // Takes effect at once, and only where nothing waits: of its own, or of anyone.
                    let nothing_waits = match self.options.atomic_rule {
                        AtomicRule::Own => local.pending.is_empty(),
                        AtomicRule::Global => {
                            (0..threads.len()).all(|other| self.locals.get(row[other]).pending.is_empty())
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
                let old = memory[usize::from(cell)];
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
                let old = memory[usize::from(cell)];
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
            Code::Spawn { dst, thread: new, args } => {
                let mut started = self.locals.get(row[*new]).clone();
                if started.at != Where::Waiting {
                    let message =
                        "a thread is started twice at one place: the machine knows each thread beforehand";
                    return Err(self.fault(thread, own, at, "machine::spawn-again", message.to_string()));
                }
                if local.pending.is_empty() {
                    started.at = Where::At(0);
                    for (to, from) in args {
                        started.slots[usize::from(*to)] = slot(from);
                    }
                    let mut next = on(at + 1);
                    next.slots[usize::from(*dst)] = Value::Int(*new as i128);
                    ways.push(Way {
                        local: next,
                        memory: None,
                        other: Some((*new, started)),
                        effect: Effect::Spawn(*new),
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
                let other = self.locals.get(row[of]);
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
    ) -> Result<(), Fault> {
        let own = &self.compiled.threads[thread];
        while let Where::At(at) = way.local.at
            && own.of[at as usize] == instruction
        {
            let at = at as usize;
            let slot = |way: &Way, slot: &Slot| way.local.slots[usize::from(*slot)];
            match &own.code[at] {
                Code::Load { dst, addr, .. } => {
                    let cell = self.cell(thread, own, at, slot(&way, addr))?;
                    let value = way.memory.as_ref().unwrap_or(memory)[usize::from(cell)];
                    way.local.slots[usize::from(*dst)] = value;
                    way.effect = Effect::Read { cell: cell.into(), value, own: false };
                    way.local.at = Where::At(at as u32 + 1);
                }
                Code::Store { addr, value } => {
                    let cell = self.cell(thread, own, at, slot(&way, addr))?;
                    let new = slot(&way, value);
                    let mut after = way.memory.take().unwrap_or_else(|| memory.clone());
                    let old = std::mem::replace(&mut after[usize::from(cell)], new);
                    way.memory = Some(after);
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

    fn fault(
        &self,
        thread: usize,
        code: &ThreadCode,
        at: usize,
        what: &'static str,
        message: String,
    ) -> Fault {
        let diagnostic = Diagnostic::unsupported(what, message);
        Fault::Program(match self.span(thread, code.of[at] as usize) {
            Some(span) => diagnostic.at(span, "here"),
            None => diagnostic,
        })
    }

    fn take(
        &mut self,
        row: &[u32],
        thread: usize,
        at: usize,
        way: Way,
        tell: bool,
        found: &mut Vec<Next>,
    ) -> Result<(), Fault> {
        let Way { mut local, memory, other, effect } = way;
        self.settle(thread, &mut local)?;
        let mut row = row.to_vec();
        row[thread] = self.intern(thread, local);
        if let Some((number, mut started)) = other {
            self.settle(number, &mut started)?;
            row[number] = self.intern(number, started);
        }
        if let Some(memory) = memory {
            let bytes = memory.len() * size_of::<Value>();
            let last = row.len() - 1;
            row[last] = self.memories.number(memory, bytes);
        }
        let to = self.rows.number(&row);
        let instruction = self.compiled.threads[thread].of[at] as usize;
        let action = tell.then(|| {
            let code = &self.program.threads[self.compiled.source[thread]].code;
            let text = code.get(instruction).map(|instruction| instruction.text.clone()).unwrap_or_default();
            Action::Move { thread, instruction, text, effect }
        });
        found.push(Next { to, thread, landed: None, action });
        Ok(())
    }

    fn is_atomic(&self, thread: usize, instruction: usize, cell: u16) -> bool {
        let of = self.compiled.source[thread];
        self.options.atomic.iter().any(|write| {
            write.cell == usize::from(cell) && write.place.is_none_or(|place| place == (of, instruction))
        })
    }
}

/// What one way to move leads to.
#[derive(Clone)]
struct Way {
    local: Local,
    memory: Option<Memory>,
    other: Option<(usize, Local)>,
    effect: Effect,
}
