//! Two machines that run random programs step by step: threads that take turns on one memory, and the same with a queue
//! of writes between each thread and the memory. They know nothing of events, models or the search.

use std::collections::{BTreeSet, HashSet};

use crate::program::{Arch, Cell, Program, Reg, Seen, Source, Stmt, Update};

/// What stands between a thread and the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    /// Nothing: sequential consistency.
    None,
    /// A queue of writes: total store order (X86 only).
    Fifo,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
enum Step {
    Load(Reg, Cell),
    Store(Cell, Source),
    Atomic(Reg, Cell, Update),
    /// The read of what a compare-exchange of C expects.
    Expect(Cell),
    /// The compare-exchange itself.
    Exchange(Reg, Cell, i64),
    /// What it saw instead.
    Failed(Cell),
    Reserve(Reg, Cell),
    Conditional(Cell, Update, Reg, Reg),
    FullFence,
    /// Go there unless the register holds that number.
    Unless(Reg, i64, usize),
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Local {
    at: usize,
    registers: Vec<i64>,
    /// The cell reserved.
    reserved: Option<Cell>,
    /// What a compare-exchange expects, or has found; and whether it failed.
    expected: (i64, bool),
    queue: Vec<(Cell, i64)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Vec<i64>,
    threads: Vec<Local>,
}

/// Final states: the values of all observables, in the order of [`Program::observables`].
pub fn run(program: &Program, queue: Queue) -> BTreeSet<Vec<i64>> {
    let code: Vec<Vec<Step>> = program
        .threads
        .iter()
        .map(|thread| {
            let mut steps = Vec::new();
            flatten(program, &thread.code, &mut steps);
            steps
        })
        .collect();
    let threads = program
        .threads
        .iter()
        .map(|thread| Local { registers: vec![0; thread.registers], ..Local::default() })
        .collect();
    let mut memory = program.initial.clone();
    // What compare-exchanges of C expect.
    memory.extend([0, 1]);
    let machine = Machine { program, code, queue };
    let mut waiting = vec![State { memory, threads }];
    let mut seen = HashSet::new();
    let mut ends = BTreeSet::new();
    while let Some(state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let next = machine.next(&state);
        if next.is_empty() {
            let value = |seen: &Seen| match *seen {
                Seen::Register(thread, reg) => state.threads[thread].registers[reg],
                Seen::Cell(cell) => state.memory[cell],
            };
            ends.insert(program.observables().iter().map(value).collect());
        }
        waiting.extend(next);
    }
    ends
}

fn flatten(program: &Program, code: &[Stmt], steps: &mut Vec<Step>) {
    for stmt in code {
        match stmt {
            Stmt::Load { to, cell, .. } => steps.push(Step::Load(*to, *cell)),
            Stmt::Store { cell, value, .. } => steps.push(Step::Store(*cell, *value)),
            Stmt::Atomic { to, cell, update: Update::Replace(from, new), .. } if program.arch == Arch::C => {
                let place = program.initial.len() + *from as usize;
                steps.extend([Step::Expect(place), Step::Exchange(*to, *cell, *new), Step::Failed(place)]);
            }
            Stmt::Atomic { to, cell, update, .. } => steps.push(Step::Atomic(*to, *cell, *update)),
            Stmt::Exclusive { to, cell, update, status, .. } => {
                steps.push(Step::Reserve(*to, *cell));
                steps.push(Step::Conditional(*cell, *update, *to, *status));
            }
            Stmt::Fence(kind) => {
                if program.arch == Arch::X86 && *kind == 0 {
                    steps.push(Step::FullFence);
                }
            }
            Stmt::If { reg, equals, body } => {
                let at = steps.len();
                steps.push(Step::FullFence);
                flatten(program, body, steps);
                steps[at] = Step::Unless(*reg, *equals, steps.len());
            }
        }
    }
}

struct Machine<'m> {
    program: &'m Program,
    code: Vec<Vec<Step>>,
    queue: Queue,
}

impl Machine<'_> {
    fn next(&self, state: &State) -> Vec<State> {
        let mut next = Vec::new();
        for thread in 0..state.threads.len() {
            if !state.threads[thread].queue.is_empty() {
                let mut later = state.clone();
                let (cell, value) = later.threads[thread].queue.remove(0);
                later.write(thread, cell, value);
                next.push(later);
            }
            if let Some(step) = self.code[thread].get(state.threads[thread].at) {
                let mut later = state.clone();
                later.threads[thread].at += 1;
                self.step(later, thread, *step, &mut next);
            }
        }
        next
    }

    fn step(&self, mut state: State, thread: usize, step: Step, next: &mut Vec<State>) {
        let local = &mut state.threads[thread];
        let drained = local.queue.is_empty();
        match step {
            Step::Load(to, cell) => {
                let own = local.queue.iter().rev().find(|(c, _)| *c == cell).map(|(_, value)| *value);
                local.registers[to] = own.unwrap_or(state.memory[cell]);
            }
            Step::Store(cell, source) => {
                let value = match source {
                    Source::Constant(n) => n,
                    Source::Sum(reg, n) => local.registers[reg] + n,
                };
                match self.queue {
                    Queue::None => state.write(thread, cell, value),
                    Queue::Fifo => local.queue.push((cell, value)),
                }
            }
            Step::Atomic(to, cell, update) => {
                if !drained {
                    return;
                }
                let old = state.memory[cell];
                local.registers[to] = old;
                let new = match update {
                    Update::Swap(n) => n,
                    Update::Add(n) => old + n,
                    Update::Replace(from, n) => {
                        if old == from {
                            n
                        } else {
                            return next.push(state);
                        }
                    }
                };
                state.write(thread, cell, new);
            }
            Step::Expect(place) => local.expected = (state.memory[place], false),
            Step::Exchange(to, cell, new) => {
                let old = state.memory[cell];
                let equal = old == local.expected.0;
                local.registers[to] = i64::from(equal);
                local.expected = (old, !equal);
                if equal {
                    state.write(thread, cell, new);
                }
            }
            Step::Failed(place) => {
                let (found, failed) = std::mem::take(&mut local.expected);
                if failed {
                    state.write(thread, place, found);
                }
            }
            Step::Reserve(to, cell) => {
                local.registers[to] = state.memory[cell];
                local.reserved = Some(cell);
            }
            Step::Conditional(cell, update, read, status) => {
                let (on_success, on_failure) = match self.program.arch {
                    Arch::Ppc => (0, 0),
                    Arch::Mips => (1, 0),
                    _ => (0, 1),
                };
                if local.reserved.take().is_some() {
                    let old = local.registers[read];
                    let new = match update {
                        Update::Swap(n) | Update::Replace(_, n) => n,
                        Update::Add(n) => old + n,
                    };
                    let mut done = state.clone();
                    done.threads[thread].registers[status] = on_success;
                    done.write(thread, cell, new);
                    next.push(done);
                }
                state.threads[thread].registers[status] = on_failure;
            }
            Step::FullFence => {
                if !drained {
                    return;
                }
            }
            Step::Unless(reg, equals, target) => {
                if local.registers[reg] != equals {
                    local.at = target;
                }
            }
        }
        next.push(state);
    }
}

impl State {
    fn write(&mut self, by: usize, cell: Cell, value: i64) {
        self.memory[cell] = value;
        for (thread, local) in self.threads.iter_mut().enumerate() {
            if thread != by && local.reserved == Some(cell) {
                local.reserved = None;
            }
        }
    }
}
