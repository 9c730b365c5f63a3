//! One step of the machine: a thread moves, or a write lands.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::code::{Code, Compiled, ThreadCode};
use super::objects::{Cells, written};
use super::state::{Interned, Local, Memory, Pending, Rows, Where};
use super::transitions::Transition;
use super::{AtomicRule, Buffers, Options};
use crate::diag::Diagnostic;
use crate::program::{Program, Property, Value, eval_binary, eval_unary};

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
    /// Did several things in one step.
    Several(Vec<Effect>),
}

/// The machine: a program, its rules for writes, and every state met so far.
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) compiled: Compiled,
    /// Does it run processes, and does one of them look at another?
    automata: bool,
    observed: bool,
    pub(super) options: Options,
    pub(super) cells: Cells,
    /// What a thread can do, by its local state and the memory: the same in every state that has both.
    known: Vec<FxHashMap<(u32, u32), (u32, u32)>>,
    steps: Vec<Step>,
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
    /// Does it commute with whatever others do, and with the landing of writes?
    pub alone: bool,
    pub action: Option<Action>,
}

/// A step of one thread: what becomes of it and of the memory.
struct Step {
    local: u32,
    memory: u32,
    /// The cell of the write that landed; none: the thread moved.
    landed: u16,
    alone: bool,
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, compiled: Compiled, options: Options) -> Machine<'p> {
        let cells = Cells::new(program, &compiled.objects);
        let known = vec![FxHashMap::default(); compiled.threads.len()];
        let width = compiled.threads.len() + 1;
        let lists = || {
            compiled.threads.iter().flat_map(|thread| &thread.code).filter_map(|code| match code {
                Code::Transitions(list) => Some(list),
                _ => None,
            })
        };
        let automata = lists().next().is_some();
        let observed = lists().flatten().any(Transition::looks_at_others);
        Machine {
            program,
            compiled,
            automata,
            observed,
            options,
            cells,
            known,
            steps: Vec::new(),
            locals: Interned::new(),
            memories: Interned::new(),
            rows: Rows::new(width),
            waited: false,
            transitions: 0,
        }
    }

    /// Bytes that the states take.
    pub fn bytes(&self) -> usize {
        let steps = self.steps.capacity() * size_of::<Step>();
        let known: usize = self.known.iter().map(|known| known.capacity() * 17).sum();
        self.rows.bytes() + self.locals.bytes() + self.memories.bytes() + steps + known
    }

    /// Number of states met.
    pub fn n_states(&self) -> usize {
        self.rows.len()
    }

    /// The initial state.
    pub(super) fn initial(&mut self) -> Result<u32, Diagnostic> {
        let mut row = Vec::new();
        for thread in 0..self.compiled.threads.len() {
            let code = &self.compiled.threads[thread];
            let mut local = Local {
                at: if code.from_start { Where::At(code.first as u32) } else { Where::Waiting },
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
    fn settle(&self, thread: usize, local: &mut Local) -> Result<(), Diagnostic> {
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
    pub(super) fn silent(
        &self,
        thread: usize,
        code: &ThreadCode,
        at: usize,
        local: &mut Local,
    ) -> Result<(), Diagnostic> {
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

    pub(super) fn compute(
        &self,
        thread: usize,
        code: &ThreadCode,
        at: usize,
        what: &Code,
        slots: &mut [Value],
    ) -> Result<(), Diagnostic> {
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
    ) -> Diagnostic {
        let span = self.span(thread, code.of[at] as usize);
        illegal.diagnostic(self.program, span)
    }

    pub(super) fn span(&self, thread: usize, instruction: usize) -> Option<crate::source::Span> {
        let code = &self.program.threads[self.compiled.source[thread]].code;
        code.get(instruction).map(|instruction| instruction.span)
    }

    /// The cell at an address, if the slot holds one.
    pub(super) fn cell(
        &self,
        thread: usize,
        code: &ThreadCode,
        at: usize,
        value: Value,
    ) -> Result<u16, Diagnostic> {
        if let Some(cell) = self.cells.at(value) {
            return Ok(cell);
        }
        let message = format!("`{}` is not the address of a location", self.program.show(value));
        Err(self.fault(thread, code, at, "machine::address", message))
    }

    /// All steps from a state. With `tell`, each says what was done.
    pub(super) fn successors(
        &mut self,
        state: u32,
        tell: bool,
        found: &mut Vec<Next>,
    ) -> Result<(), Diagnostic> {
        let row: SmallVec<[u32; 8]> = self.rows.get(state).into();
        for thread in 0..self.compiled.threads.len() {
            self.of_thread(&row, thread, tell, found)?;
        }
        self.transitions += found.len() as u64;
        Ok(())
    }

    /// The steps from a state of one thread, and of its writes.
    pub(super) fn successors_of(
        &mut self,
        state: u32,
        thread: usize,
        found: &mut Vec<Next>,
    ) -> Result<(), Diagnostic> {
        let row: SmallVec<[u32; 8]> = self.rows.get(state).into();
        let before = found.len();
        self.of_thread(&row, thread, false, found)?;
        self.transitions += (found.len() - before) as u64;
        Ok(())
    }

    fn of_thread(
        &mut self,
        row: &[u32],
        thread: usize,
        tell: bool,
        found: &mut Vec<Next>,
    ) -> Result<(), Diagnostic> {
        let last = row.len() - 1;
        let key = (row[thread], row[last]);
        if !tell && let Some((start, end)) = self.known[thread].get(&key) {
            let mut to: SmallVec<[u32; 8]> = row.into();
            for step in &self.steps[*start as usize..*end as usize] {
                to[thread] = step.local;
                to[last] = step.memory;
                let landed = (step.landed != u16::MAX).then_some(usize::from(step.landed));
                let to = self.rows.number(&to);
                found.push(Next { to, thread, landed, alone: step.alone, action: None });
            }
            return Ok(());
        }
        let first = found.len();
        self.moves(row, thread, tell, found)?;
        self.landings(row, thread, tell, found);
        if !tell && self.depends_on_itself_only(row[thread], thread) {
            let start = self.steps.len() as u32;
            for next in &found[first..] {
                let to = self.rows.get(next.to);
                let landed = next.landed.map_or(u16::MAX, |cell| cell as u16);
                let (local, memory) = (to[thread], to[last]);
                self.steps.push(Step { local, memory, landed, alone: next.alone });
            }
            self.known[thread].insert(key, (start, self.steps.len() as u32));
        }
        Ok(())
    }

    /// Is what a thread does next decided by its own state and the memory?
    fn depends_on_itself_only(&self, local: u32, thread: usize) -> bool {
        let Where::At(at) = self.locals.get(local).at else { return true };
        match &self.compiled.threads[thread].code[at as usize] {
            Code::Spawn { .. } | Code::Join { .. } => false,
            Code::Transitions(list) => {
                let own = self.options.atomic.is_empty() || self.options.atomic_rule == AtomicRule::Own;
                own && !list.iter().any(Transition::looks_at_others)
            }
            Code::Store { .. } => {
                self.options.atomic.is_empty() || self.options.atomic_rule == AtomicRule::Own
            }
            _ => true,
        }
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
            let memory = written(&memory, write.cell, write.value);
            let mut row = row.to_vec();
            row[thread] = self.intern(thread, next);
            let bytes = memory.len() * size_of::<Value>();
            let last = row.len() - 1;
            row[last] = self.memories.number(memory, bytes);
            let to = self.rows.number(&row);
            let (cell, value) = (usize::from(write.cell), write.value);
            let action = tell.then_some(Action::Land { thread, cell, value });
            found.push(Next { to, thread, landed: Some(cell), alone: false, action });
        }
    }

    /// What a thread itself may do.
    fn moves(
        &mut self,
        row: &[u32],
        thread: usize,
        tell: bool,
        found: &mut Vec<Next>,
    ) -> Result<(), Diagnostic> {
        let Where::At(at) = self.locals.get(row[thread]).at else { return Ok(()) };
        let at = at as usize;
        let mut ways = Vec::new();
        let waits = self.ways(row, thread, at, &mut ways)?;
        self.waited |= waits;
        let first = found.len();
        for way in ways {
            self.take(row, thread, at, way, tell, found)?;
        }
        if waits {
            // What waits for a free place may be done later instead.
            found[first..].iter_mut().for_each(|next| next.alone = false);
        }
        Ok(())
    }

    pub(super) fn fault(
        &self,
        thread: usize,
        code: &ThreadCode,
        at: usize,
        what: &'static str,
        message: String,
    ) -> Diagnostic {
        let diagnostic = Diagnostic::unsupported(what, message);
        match self.span(thread, code.of[at] as usize) {
            Some(span) => diagnostic.at(span, "here"),
            None => diagnostic,
        }
    }

    fn take(
        &mut self,
        row: &[u32],
        thread: usize,
        at: usize,
        way: Way,
        tell: bool,
        found: &mut Vec<Next>,
    ) -> Result<(), Diagnostic> {
        let Way { mut local, memory, other, effect, transition } = way;
        let alone = memory.is_none()
            && other.is_none()
            && match &effect {
                Effect::Local | Effect::Buffer { .. } | Effect::Fence => {
                    // Of a process, all of its transitions must be its own affair, and no other may look at it.
                    !self.automata
                        || self.options.atomic.is_empty()
                            && matches!(&self.compiled.threads[thread].code[at], Code::Transitions(list) if !list.iter().any(Transition::is_shared))
                }
                _ => false,
            }
            && !self.observed;
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
        let instruction = transition.unwrap_or(self.compiled.threads[thread].of[at] as usize);
        let action = tell.then(|| {
            let code = &self.program.threads[self.compiled.source[thread]].code;
            let text = code.get(instruction).map(|instruction| instruction.text.clone()).unwrap_or_default();
            Action::Move { thread, instruction, text, effect }
        });
        found.push(Next { to, thread, landed: None, alone, action });
        Ok(())
    }

    pub(super) fn is_atomic(&self, thread: usize, instruction: usize, cell: u16) -> bool {
        let of = self.compiled.source[thread];
        self.options.atomic.iter().any(|write| {
            write.cell.is_none_or(|of| of == usize::from(cell))
                && write.place.is_none_or(|place| place == (of, instruction))
        })
    }
}

/// What one way to move leads to.
#[derive(Clone)]
pub(super) struct Way {
    pub local: Local,
    pub memory: Option<Memory>,
    pub other: Option<(usize, Local)>,
    pub effect: Effect,
    /// The instruction that stands for what was done, if that is not the one the thread was at.
    pub transition: Option<usize>,
}
