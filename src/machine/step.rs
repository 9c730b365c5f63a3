//! One step of the machine: a thread moves, or a write lands.

use rustc_hash::FxHashMap;

use super::code::{Code, Compiled, ThreadCode};
use super::objects::{Cells, written};
use super::state::{Local, Memory, Parts, Pending, Where};
use super::transitions::Transition;
use super::{AtomicRule, Buffers, Options};
use crate::diag::Diagnostic;
use crate::program::{Program, Property, Value, eval_binary, eval_unary};
use crate::source::Span;

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
        /// Where it stands.
        span: Option<Span>,
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

/// The machine: a program, its rules for writes, and every part of a state met so far.
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) parts: Parts,
    /// Does it run processes, and does one of them look at another?
    automata: bool,
    observed: bool,
    pub(super) options: Options,
    pub(super) cells: Cells,
    pub(super) known: Known,
    /// Did a write ever have to wait for a free place in its buffer? Then some executions were not looked at.
    pub waited: bool,
}

/// A step of one thread: what becomes of it and of the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    local: u32,
    memory: u32,
    /// The thread that it starts, and its state.
    other: u16,
    other_local: u32,
    landed: u16,
    /// Does it commute with whatever others do, and with the landing of writes?
    pub alone: bool,
}

const NONE: u16 = u16::MAX;

impl Step {
    /// The cell of the write that landed; none: the thread moved.
    pub fn landed(&self) -> Option<u16> {
        (self.landed != NONE).then_some(self.landed)
    }

    /// The state that it leads to, of that with the given row.
    #[inline]
    pub fn apply(&self, thread: usize, n_threads: usize, row: &mut [u32]) {
        row[thread] = self.local;
        row[n_threads] = self.memory;
        if self.other != NONE {
            row[usize::from(self.other)] = self.other_local;
        }
    }
}

/// What a thread can do, by its local state and the memory: the same in every state that has both.
pub(super) struct Known {
    ranges: Vec<FxHashMap<(u32, u32), (u32, u32)>>,
    steps: Vec<Step>,
}

impl Known {
    /// The steps of a thread from a state, if they are known.
    #[inline]
    pub fn get(&self, row: &[u32], thread: usize) -> Option<&[Step]> {
        let (start, end) = self.ranges[thread].get(&(row[thread], row[self.ranges.len()]))?;
        Some(&self.steps[*start as usize..*end as usize])
    }

    pub fn bytes(&self) -> usize {
        let ranges: usize = self.ranges.iter().map(|ranges| ranges.capacity() * 17).sum();
        self.steps.capacity() * size_of::<Step>() + ranges
    }
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, compiled: Compiled, options: Options) -> Machine<'p> {
        let cells = Cells::new(program, &compiled.objects);
        let ranges = vec![FxHashMap::default(); compiled.threads.len()];
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
            parts: Parts::new(compiled),
            automata,
            observed,
            options,
            cells,
            known: Known { ranges, steps: Vec::new() },
            waited: false,
        }
    }

    /// Bytes that parts of states take, and what is known of them.
    pub fn bytes(&self) -> usize {
        self.parts.bytes() + self.known.bytes()
    }

    pub(super) fn n_threads(&self) -> usize {
        self.parts.locals.len()
    }

    /// The initial state.
    pub(super) fn initial(&mut self) -> Result<Vec<u32>, Diagnostic> {
        let mut row = Vec::new();
        for thread in 0..self.n_threads() {
            let code = &self.parts.compiled.threads[thread];
            let from_start = code.from_start;
            let mut local = Local {
                at: if from_start { Where::At(code.first as u32) } else { Where::Waiting },
                slots: vec![Value::ZERO; code.n_slots].into(),
                pending: Vec::new(),
                fenced: false,
            };
            let of = self.parts.compiled.source[thread];
            for (_, reg, value) in self.program.init_regs.iter().filter(|(t, ..)| *t == of) {
                local.slots[usize::from(reg.0)] = *value;
            }
            if from_start {
                self.settle(thread, &mut local)?;
            }
            row.push(self.parts.number(thread, local));
        }
        let memory: Memory = self.program.locations.iter().map(|cell| cell.init).collect();
        row.push(self.parts.number_of_memory(memory));
        Ok(row)
    }

    /// Runs what nobody else can notice, up to the next place to stop.
    fn settle(&self, thread: usize, local: &mut Local) -> Result<(), Diagnostic> {
        let code = &self.parts.compiled.threads[thread];
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

    pub(super) fn span(&self, thread: usize, instruction: usize) -> Option<Span> {
        let code = &self.program.threads[self.parts.compiled.source[thread]].code;
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

    /// The steps of a thread, and of its writes, from a state.
    pub(super) fn steps(
        &mut self,
        row: &[u32],
        thread: usize,
        found: &mut Vec<Step>,
    ) -> Result<(), Diagnostic> {
        if let Some(known) = self.known.get(row, thread) {
            found.extend_from_slice(known);
            return Ok(());
        }
        let first = found.len();
        self.all_of(row, thread, &mut |step, _| found.push(step))?;
        if self.depends_on_itself_only(row, thread) {
            let start = self.known.steps.len() as u32;
            self.known.steps.extend_from_slice(&found[first..]);
            let range = (start, self.known.steps.len() as u32);
            let key = (row[thread], row[self.n_threads()]);
            self.known.ranges[thread].insert(key, range);
        }
        Ok(())
    }

    /// The steps of all threads from a state, each with what was done.
    pub(super) fn told(&mut self, row: &[u32]) -> Result<Vec<(usize, Step, Action)>, Diagnostic> {
        let mut found = Vec::new();
        for thread in 0..self.n_threads() {
            self.all_of(row, thread, &mut |step, done| found.push((thread, step, done)))?;
        }
        let told = |(thread, step, done): (usize, Step, Done)| {
            let action = match done {
                Done::Landed(write) => {
                    Action::Land { thread, cell: usize::from(write.cell), value: write.value }
                }
                Done::Moved { instruction, effect } => {
                    let code = &self.program.threads[self.parts.compiled.source[thread]].code;
                    let text = code.get(instruction).map(|instr| instr.text.clone()).unwrap_or_default();
                    let span = self.span(thread, instruction);
                    Action::Move { thread, instruction, text, span, effect }
                }
            };
            (thread, step, action)
        };
        Ok(found.into_iter().map(told).collect())
    }

    fn all_of(
        &mut self,
        row: &[u32],
        thread: usize,
        found: &mut dyn FnMut(Step, Done),
    ) -> Result<(), Diagnostic> {
        self.moves(row, thread, found)?;
        self.landings(row, thread, found);
        Ok(())
    }

    /// Is what a thread does next decided by its own state and the memory?
    fn depends_on_itself_only(&self, row: &[u32], thread: usize) -> bool {
        let Where::At(at) = self.parts.local(row, thread).at else { return true };
        match &self.parts.compiled.threads[thread].code[at as usize] {
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
    fn landings(&mut self, row: &[u32], thread: usize, found: &mut dyn FnMut(Step, Done)) {
        let local = self.parts.local(row, thread);
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
        let memory = self.parts.memory(row).clone();
        for index in candidates {
            let mut next = local.clone();
            let write = next.land(index);
            let local = self.parts.number(thread, next);
            let memory = self.parts.number_of_memory(written(&memory, write.cell, write.value));
            let step = Step { local, memory, other: NONE, other_local: 0, landed: write.cell, alone: false };
            found(step, Done::Landed(write));
        }
    }

    /// What a thread itself may do.
    fn moves(
        &mut self,
        row: &[u32],
        thread: usize,
        found: &mut dyn FnMut(Step, Done),
    ) -> Result<(), Diagnostic> {
        let Where::At(at) = self.parts.local(row, thread).at else { return Ok(()) };
        let at = at as usize;
        let mut ways = Vec::new();
        let waits = self.ways(row, thread, at, &mut ways)?;
        self.waited |= waits;
        for way in ways {
            let instruction = way.transition.unwrap_or(self.parts.compiled.threads[thread].of[at] as usize);
            let effect = way.effect.clone();
            let mut step = self.take(row, thread, at, way)?;
            // What waits for a free place may be done later instead.
            step.alone &= !waits;
            found(step, Done::Moved { instruction, effect });
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

    fn take(&mut self, row: &[u32], thread: usize, at: usize, way: Way) -> Result<Step, Diagnostic> {
        let Way { mut local, memory, other, effect, .. } = way;
        let alone = memory.is_none()
            && other.is_none()
            && match &effect {
                Effect::Local | Effect::Buffer { .. } | Effect::Fence => {
                    // Of a process, all of its transitions must be its own affair, and no other may look at it.
                    !self.automata
                        || self.options.atomic.is_empty()
                            && matches!(&self.parts.compiled.threads[thread].code[at], Code::Transitions(list) if !list.iter().any(Transition::is_shared))
                }
                _ => false,
            }
            && !self.observed;
        self.settle(thread, &mut local)?;
        let local = self.parts.number(thread, local);
        let (other, other_local) = match other {
            None => (NONE, 0),
            Some((number, mut started)) => {
                self.settle(number, &mut started)?;
                (number as u16, self.parts.number(number, started))
            }
        };
        let memory = match memory {
            None => row[self.n_threads()],
            Some(memory) => self.parts.number_of_memory(memory),
        };
        Ok(Step { local, memory, other, other_local, landed: NONE, alone })
    }

    pub(super) fn is_atomic(&self, thread: usize, instruction: usize, cell: u16) -> bool {
        let of = self.parts.compiled.source[thread];
        self.options.atomic.iter().any(|write| {
            write.cell.is_none_or(|of| of == usize::from(cell))
                && write.place.is_none_or(|place| place == (of, instruction))
        })
    }
}

/// What was done in a step, before it is told.
enum Done {
    Moved { instruction: usize, effect: Effect },
    Landed(Pending),
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
